//! Tiers: the payer's own code and words, whether a drug in that tier is covered, and a comparable
//! level beside them as a hint.
//!
//! [`Tier::read`] is the one rule that says whether a tier is covered. The builder applies it once and
//! the dataset keeps what it decided; whoever reads a dataset takes the stored [`TierStatus`] and
//! reads no words again.

mod says;

use self::says::Says;

/// A payer's tier.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Tier {
    /// The payer's code, such as `1` or `SP`.
    pub code: String,
    /// The payer's words, such as `Preferred Generic`.
    pub display: Option<String>,
    /// Whether what is listed in this tier is covered.
    pub status: TierStatus,
    /// A comparable level, where the words tell one.
    pub level: Option<TierLevel>,
}

/// Whether what is listed in a tier is covered. Decided when the dataset is built.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum TierStatus {
    /// A number, or words that name a kind of covered tier.
    Covered,
    /// Code or words say that it is not covered.
    NotCovered,
    /// Neither: nobody can tell from the code and the words, or they contradict each other.
    NotUnderstood,
}

/// What tiers are commonly called. Payers number and name them as they like, so a level is a hint,
/// and two levels compare only inside one plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum TierLevel {
    /// Preferred generic.
    PreferredGeneric,
    /// Generic.
    Generic,
    /// Select care, and preventive drugs without cost.
    SelectCare,
    /// Preferred brand.
    PreferredBrand,
    /// Brand, said without preferred or non-preferred.
    Brand,
    /// Non-preferred drug, brand or generic.
    NonPreferred,
    /// Specialty.
    Specialty,
    /// Given by a clinician, perhaps under the medical benefit.
    MedicalService,
    /// Listed and not covered.
    NonFormulary,
}

impl TierStatus {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Covered, Self::NotCovered, Self::NotUnderstood];

    /// The status's stable name, as the dataset and JSON have it.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Covered => "covered",
            Self::NotCovered => "not_covered",
            Self::NotUnderstood => "not_understood",
        }
    }

    /// The status of a stable name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|status| status.as_str() == name)
    }
}

impl TierLevel {
    /// All of them.
    pub const ALL: [Self; 9] = [
        Self::PreferredGeneric,
        Self::Generic,
        Self::SelectCare,
        Self::PreferredBrand,
        Self::Brand,
        Self::NonPreferred,
        Self::Specialty,
        Self::MedicalService,
        Self::NonFormulary,
    ];

    /// The level's stable name, as JSON shows it.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::PreferredGeneric => "preferred_generic",
            Self::Generic => "generic",
            Self::SelectCare => "select_care",
            Self::PreferredBrand => "preferred_brand",
            Self::Brand => "brand",
            Self::NonPreferred => "non_preferred",
            Self::Specialty => "specialty",
            Self::MedicalService => "medical_service",
            Self::NonFormulary => "non_formulary",
        }
    }

    /// The level of a stable name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|level| level.as_str() == name)
    }
}

impl Tier {
    /// Reads what a payer's code and words say.
    ///
    /// Each of the two is read for itself. Case, punctuation, hyphens and `CamelCase` do not matter.
    ///
    /// | a text says | examples |
    /// |---|---|
    /// | not covered | `NF`, `NC`, `Non-Formulary Drug`, `nonformulary`, `Off-Formulary`, `Not on the formulary`, `Not listed`, `Not Covered`, `Uncovered`, `No Coverage`, `Excluded`, `Drug is excluded from coverage`, `Formulary exclusion` |
    /// | zero | `0`, `Tier 0` |
    /// | a number, 1 to 20 | `1`, `T4`, `tier-5`, `1a`; with the word tier or level also `Tier IV`, `Tier Nine` |
    /// | covered | a level's words (`Preferred Generic`, `nonpreferred-brand`, `Specialty Tier`, `Select Care`, `zero-cost-share-preventative`, `medical-service`), `Preferred`, `Formulary`, `Covered`, `$0 copay` |
    /// | something unclear | a denial that is about something unknown or has a condition (`Not available`, `Excluded from Part D`, `Non-formulary, covered with exception`), `Denied`, `Discount only` |
    /// | nothing | `Z`, `Ask the plan`, `Insulins`, `99` |
    ///
    /// A denial of something else than coverage is passed over: `Excluded from deductible`, `no
    /// deductible`, `not subject to step therapy`, `no coverage gap`, `not available by mail order`.
    ///
    /// Then the words decide where they tell, else the code:
    ///
    /// | words say | code says | the tier is |
    /// |---|---|---|
    /// | not covered | covered (`preferred-brand`) | not understood |
    /// | not covered | anything else | not covered |
    /// | covered | not covered (`NF`), or something unclear | not understood |
    /// | covered | anything else, `0` too (`$0 Preventive Drugs`) | covered |
    /// | a number | zero, not covered, or something unclear | not understood |
    /// | a number | anything else | covered |
    /// | zero | zero, not covered, nothing | not covered |
    /// | zero | anything else | not understood |
    /// | something unclear | anything | not understood |
    /// | nothing, or there are none | zero, not covered | not covered |
    /// | nothing, or there are none | a number, covered | covered |
    /// | nothing, or there are none | anything else | not understood |
    ///
    /// Numbers end at 20 because no formulary has so many tiers, while 99 and 999 are common for "none
    /// of them". A tier that is not covered has the level [`TierLevel::NonFormulary`], one that is not
    /// understood has none.
    #[must_use]
    pub fn read(code: &str, display: Option<&str>) -> Self {
        let said = Says::of_code(code);
        let words = display.map_or(Says::Nothing, Says::of_words);
        let status = match (words, said) {
            (Says::Unclear, _)
            | (Says::NotCovered, Says::Covered(_))
            | (Says::Covered(_), Says::NotCovered | Says::Unclear)
            | (Says::Number, Says::Zero | Says::NotCovered | Says::Unclear)
            | (Says::Zero, Says::Number | Says::Covered(_) | Says::Unclear)
            | (Says::Nothing, Says::Nothing | Says::Unclear) => TierStatus::NotUnderstood,
            (Says::NotCovered | Says::Zero, _) | (Says::Nothing, Says::Zero | Says::NotCovered) => {
                TierStatus::NotCovered
            }
            (Says::Covered(_) | Says::Number, _) | (Says::Nothing, Says::Number | Says::Covered(_)) => {
                TierStatus::Covered
            }
        };
        let level = match (status, words, said) {
            (TierStatus::NotCovered, ..) => Some(TierLevel::NonFormulary),
            (TierStatus::Covered, Says::Covered(Some(level)), _)
            | (TierStatus::Covered, _, Says::Covered(Some(level))) => Some(level),
            (TierStatus::Covered | TierStatus::NotUnderstood, ..) => None,
        };
        Self { code: code.to_owned(), display: display.map(str::to_owned), status, level }
    }
}

/// The tier in the columns `code, display, status, level` of a row, from column `at` on.
pub(crate) fn of_row(row: &rusqlite::Row<'_>, at: usize) -> rusqlite::Result<Tier> {
    let status: String = row.get(at + 2)?;
    let level: Option<String> = row.get(at + 3)?;
    Ok(Tier {
        code: row.get(at)?,
        display: row.get(at + 1)?,
        status: TierStatus::from_name(&status).ok_or(rusqlite::Error::InvalidQuery)?,
        level: level.as_deref().and_then(TierLevel::from_name),
    })
}

#[cfg(test)]
mod tests;
