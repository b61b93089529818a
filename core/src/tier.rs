//! Tiers: the payer's own code and words, and a comparable level beside them as a hint.

use crate::fold;

/// A payer's tier.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Tier {
    /// The payer's code, such as `1` or `SP`.
    pub code: String,
    /// The payer's words, such as `Preferred Generic`.
    pub display: Option<String>,
    /// A comparable level, where the words tell one.
    pub level: Option<TierLevel>,
}

/// What tiers are commonly called. Payers number and name them as they like, so a level is a hint,
/// and two levels compare only inside one plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
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

const LEVELS: [TierLevel; 9] = [
    TierLevel::PreferredGeneric,
    TierLevel::Generic,
    TierLevel::SelectCare,
    TierLevel::PreferredBrand,
    TierLevel::Brand,
    TierLevel::NonPreferred,
    TierLevel::Specialty,
    TierLevel::MedicalService,
    TierLevel::NonFormulary,
];

impl TierLevel {
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
        LEVELS.into_iter().find(|level| level.as_str() == name)
    }

    /// The level that a payer's words tell; a code alone tells one only where it is a word itself
    /// (the guides' own codes, such as `preferred-generic`), or `0` without words (the first
    /// target's non-formulary tier).
    #[must_use]
    pub fn of(code: &str, display: Option<&str>) -> Option<Self> {
        match display.map(fold::key).filter(|words| !words.is_empty()) {
            Some(words) => Self::of_words(&words),
            None if code.trim() == "0" => Some(Self::NonFormulary),
            None => Self::of_words(&fold::key(code)),
        }
    }

    fn of_words(words: &str) -> Option<Self> {
        let has = |word: &str| words.split(' ').any(|w| w == word);
        let non = |word: &str| words.contains(&format!("non {word}")) || has(&format!("non{word}"));
        if non("formulary") || words.contains("not covered") || words.contains("not on formulary") {
            Some(Self::NonFormulary)
        } else if non("preferred") {
            Some(Self::NonPreferred)
        } else if has("specialty") {
            Some(Self::Specialty)
        } else if words.contains("select care")
            || words.contains("select diabetic")
            || has("preventive")
            || has("preventative")
        {
            Some(Self::SelectCare)
        } else if has("preferred") && has("generic") {
            Some(Self::PreferredGeneric)
        } else if has("preferred") && has("brand") {
            Some(Self::PreferredBrand)
        } else if words.contains("medical service") {
            Some(Self::MedicalService)
        } else if has("generic") && !has("brand") {
            Some(Self::Generic)
        } else if has("brand") && !has("generic") {
            Some(Self::Brand)
        } else {
            None
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_follow_the_words() {
        for (code, display, want) in [
            ("0", Some("Non-Formulary Drug"), Some(TierLevel::NonFormulary)),
            ("0", None, Some(TierLevel::NonFormulary)),
            ("0", Some("$0 Preventive Drugs"), Some(TierLevel::SelectCare)),
            ("1", Some("Preferred Generic"), Some(TierLevel::PreferredGeneric)),
            ("2", Some("Generic"), Some(TierLevel::Generic)),
            ("3", Some("PREFERRED BRAND"), Some(TierLevel::PreferredBrand)),
            ("4", Some("Non-Preferred Drug"), Some(TierLevel::NonPreferred)),
            ("4", Some("Nonpreferred Brand"), Some(TierLevel::NonPreferred)),
            ("5", Some("Specialty Tier"), Some(TierLevel::Specialty)),
            ("SP", Some("Specialty Select"), Some(TierLevel::Specialty)),
            ("6", Some("Select Care Drugs"), Some(TierLevel::SelectCare)),
            ("preferred-generic", None, Some(TierLevel::PreferredGeneric)),
            ("NON-PREFERRED-BRAND", None, Some(TierLevel::NonPreferred)),
            ("3", None, None),
            ("X9", Some("Tier Nine"), None),
        ] {
            assert_eq!(TierLevel::of(code, display), want, "{code} {display:?}");
        }
        for level in LEVELS {
            assert_eq!(TierLevel::from_name(level.as_str()), Some(level));
        }
    }
}
