//! What a drug is, in fields: what an oracle compares, and what texts are written from. Read from
//! the structured columns of the NDC directory (substances, strengths, dosage form); from the names
//! come a suffix and hours alone.

use super::strength::{Strength, Worth};

/// A product as the NDC directory has it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Label<'a> {
    /// The proprietary name, with its suffix.
    pub name: &'a str,
    /// The nonproprietary name.
    pub generic: &'a str,
    /// Substances in capitals, separated by semicolons.
    pub substances: &'a str,
    /// Strengths in the order of the substances, separated by semicolons (`5 mg; 325 mg`).
    pub strengths: &'a str,
    /// Dosage form, in lower case.
    pub form: &'a str,
    /// Routes of administration, in lower case, separated by semicolons.
    pub route: &'a str,
    /// Whether the name is a brand.
    pub brand: bool,
}

/// A drug in fields.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DrugFacts {
    /// What it holds, in the order of the directory.
    pub ingredients: Vec<Ingredient>,
    /// Its form, without coatings and without what tells its release.
    pub form: String,
    /// How it releases what it holds.
    pub release: Release,
    /// The suffix that its name carries.
    pub suffix: Option<Suffix>,
    /// The brand.
    pub brand: Option<String>,
}

/// A substance with its strength.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Ingredient {
    /// The substance without its salt, in capitals; hydrates are left out.
    pub base: String,
    /// The salt, in capitals (`HYDROCHLORIDE`, `SODIUM PHOSPHATE`).
    pub salt: Option<String>,
    /// How much of it.
    pub strength: Strength,
}

/// How a drug releases what it holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Release {
    /// At once.
    Immediate,
    /// Delayed (DR, EC).
    Delayed,
    /// Extended; the hours where they are said (XL says 24, SR says 12).
    Extended(Option<u8>),
    /// In the mouth.
    Disintegrating,
    /// Chewed.
    Chewable,
    /// The name states hours (`Allergy Relief 24 Hour`) and the form releases at once: nobody can
    /// tell from a text.
    Unclear,
}

/// A suffix that tells one extended release from another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[expect(missing_docs, reason = "they are what names carry, spelled as there")]
pub enum Suffix {
    Xl,
    Sr,
    Xr,
    La,
    Cr,
    Cd,
    Sa,
}

impl Suffix {
    /// Every suffix.
    pub const ALL: [Self; 7] = [Self::Xl, Self::Sr, Self::Xr, Self::La, Self::Cr, Self::Cd, Self::Sa];

    /// As names carry it.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Xl => "XL",
            Self::Sr => "SR",
            Self::Xr => "XR",
            Self::La => "LA",
            Self::Cr => "CR",
            Self::Cd => "CD",
            Self::Sa => "SA",
        }
    }

    /// The hours that it says.
    #[must_use]
    pub const fn hours(self) -> Option<u8> {
        match self {
            Self::Xl => Some(24),
            Self::Sr => Some(12),
            _ => None,
        }
    }

    fn read(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|suffix| suffix.as_str().eq_ignore_ascii_case(word))
    }
}

/// Last words of substances that name a salt or an ester.
#[rustfmt::skip]
const SALTS: &[&str] = &[
    "ACETATE", "ACETONIDE", "ARGININE", "ASPARTATE", "AXETIL", "BENZATHINE", "BENZOATE", "BESYLATE",
    "BISULFATE", "BITARTRATE", "BROMIDE", "BUTYRATE", "CALCIUM", "CAMSYLATE", "CARBONATE", "CHLORIDE",
    "CILEXETIL", "CITRATE", "CYPIONATE", "DECANOATE", "DIACETATE", "DIHYDROCHLORIDE", "DIMEGLUMINE",
    "DIPROPIONATE", "DISODIUM", "DISOPROXIL", "EDISYLATE", "ENANTHATE", "EPOLAMINE", "ERBUMINE", "ESTOLATE",
    "ESYLATE", "ETABONATE", "ETEXILATE", "ETHYLSUCCINATE", "FUMARATE", "FUROATE", "GLUCONATE", "HEXACETONIDE",
    "HIPPURATE", "HYCLATE", "HYDROBROMIDE", "HYDROCHLORIDE", "HYDROXIDE", "LACTATE", "LACTOBIONATE", "LYSINE",
    "MAGNESIUM", "MALATE", "MALEATE", "MANDELATE", "MEDOXOMIL", "MEGLUMINE", "MESYLATE", "METHYLBROMIDE",
    "MOFETIL", "NAPSYLATE", "NITRATE", "OLAMINE", "OXALATE", "PALMITATE", "PAMOATE", "PHOSPHATE", "PIVALATE",
    "POTASSIUM", "PROBUTATE", "PROCAINE", "PROPIONATE", "PROXETIL", "SACCHARATE", "SALICYLATE", "SODIUM",
    "STEARATE", "STRONTIUM", "SUCCINATE", "SULFATE", "TANNATE", "TARTRATE", "TEBUTATE", "TERT-BUTYLAMINE",
    "TOSYLATE", "TRISODIUM", "TROMETHAMINE", "UNDECANOATE", "VALERATE", "XINAFOATE", "ZINC",
];

/// What a salt cannot be split from: the whole is the drug (potassium chloride, lithium carbonate).
#[rustfmt::skip]
const CATIONS: &[&str] = &[
    "ALUMINUM", "AMMONIUM", "BARIUM", "BISMUTH", "CALCIUM", "CHROMIC", "COPPER", "CUPRIC", "FERRIC",
    "FERROUS", "GALLIUM", "HYDROGEN", "IRON", "LITHIUM", "MAGNESIUM", "MANGANESE", "METHYL", "POTASSIUM",
    "RUBIDIUM", "SELENIUM", "SILVER", "SODIUM", "STANNOUS", "STRONTIUM", "THALLOUS", "TIN", "ZINC",
];

#[rustfmt::skip]
const HYDRATES: &[&str] = &[
    "ANHYDROUS", "DIHYDRATE", "HEMI-PENTAHYDRATE", "HEMIHYDRATE", "HEMIPENTAHYDRATE", "HEPTAHYDRATE",
    "HEXAHYDRATE", "HYDRATE", "MONOHYDRATE", "PENTAHYDRATE", "PROPANEDIOL", "SESQUIHYDRATE", "TETRAHYDRATE",
    "TRIHYDRATE",
];

const SOLVATES: [&str; 6] = [
    " PROPYLENE GLYCOL SOLVATE",
    " PROPYLENE GLYCOLATE",
    " PROPYLENE GLYCOL",
    " ISOPROPYL ALCOHOL",
    " ETHANOLATE",
    " ALCOHOLATE",
];

/// Parts of a dosage form that only say how it is coated or filled.
const COATINGS: [&str; 6] =
    ["film coated", "coated", "sugar coated", "gelatin coated", "liquid filled", "coated pellets"];

/// A substance without its salt, and the salt.
#[must_use]
pub(super) fn split_salt(substance: &str) -> (String, Option<String>) {
    let without = SOLVATES.iter().find_map(|solvate| substance.strip_suffix(solvate)).unwrap_or(substance);
    let mut words: Vec<&str> = without.split_whitespace().collect();
    let mut hydrates = Vec::new();
    while words.len() > 1 && words.last().is_some_and(|word| HYDRATES.contains(word)) {
        hydrates.extend(words.pop());
    }
    // The directory's DOXYCYCLINE is the monohydrate, which is sold as another drug than the hyclate.
    if words == ["DOXYCYCLINE"] && !hydrates.contains(&"ANHYDROUS") {
        return ("DOXYCYCLINE".to_owned(), Some("MONOHYDRATE".to_owned()));
    }
    let mut at = words.len();
    while at > 1 && words.get(at - 1).is_some_and(|word| SALTS.contains(word)) {
        at -= 1;
    }
    let (base, salt) = words.split_at_checked(at).unwrap_or((&words, &[]));
    if salt.is_empty() || base.iter().all(|word| CATIONS.contains(word)) {
        return (words.join(" "), None);
    }
    (base.join(" "), Some(salt.join(" ")))
}

impl Label<'_> {
    /// What the product is; `None` where substances and strengths cannot be read.
    #[must_use]
    pub fn facts(&self) -> Option<DrugFacts> {
        let substances: Vec<&str> = self.substances.split(';').map(str::trim).collect();
        let strengths: Vec<&str> = self.strengths.split(';').map(str::trim).collect();
        if substances.len() != strengths.len() {
            return None;
        }
        let ingredients = substances.iter().zip(&strengths).map(|(substance, strength)| {
            let (base, salt) = split_salt(substance);
            // A number without a unit is no strength.
            let strength = Strength::parse(strength).filter(|strength| !strength.unit.is_empty())?;
            Some(Ingredient { base, salt, strength })
        });
        let ingredients = ingredients.collect::<Option<Vec<Ingredient>>>()?;
        let (form, of_form) = form_and_release(self.form);
        let is_extended = matches!(of_form, Release::Extended(_));
        let suffix = suffix(self.name, is_extended);
        let hours = hours(self.name);
        let of_name = release_of_name(self.name);
        let release = match (of_form, suffix) {
            // The form is silent on what the name says.
            (Release::Immediate, None) if of_name != Release::Immediate && form != "patch" => of_name,
            // `Adzenys XR-ODT`: both at once.
            (Release::Disintegrating | Release::Chewable, _) if of_name != Release::Immediate => Release::Unclear,
            // A patch releases over hours whatever its form says.
            _ if form == "patch" => Release::Immediate,
            (Release::Extended(_), _) | (Release::Immediate, Some(_)) => {
                Release::Extended(suffix.and_then(Suffix::hours).or(hours))
            }
            (Release::Immediate, None) if hours.is_some() => Release::Unclear,
            (other, _) => other,
        };
        let brand = self.brand.then(|| self.name.to_owned());
        Some(DrugFacts { ingredients, form, release, suffix, brand })
    }
}

/// Whether a name tells a release on which the form is silent: only the name says it then.
pub(super) fn only_name_tells_release(name: &str, form: &str) -> bool {
    form_and_release(form).1 == Release::Immediate && release_of_name(name) != Release::Immediate
}

impl DrugFacts {
    /// What it holds and how much, whatever the order: bases with what their strengths are worth.
    #[must_use]
    pub fn content(&self) -> Vec<(&str, Worth)> {
        let mut content: Vec<(&str, Worth)> =
            self.ingredients.iter().map(|i| (i.base.as_str(), i.strength.worth())).collect();
        content.sort();
        content
    }
}

/// A dosage form without coatings and release, and the release that it tells.
fn form_and_release(form: &str) -> (String, Release) {
    let (mut left, mut release) = (Vec::new(), Release::Immediate);
    for part in form.split(", ") {
        match part {
            "extended release" => release = Release::Extended(None),
            "delayed release" | "delayed release pellets" => release = Release::Delayed,
            coating if COATINGS.contains(&coating) => {}
            other => left.push(other),
        }
    }
    // What is chewed or melts and releases later besides stays in the form.
    if release == Release::Immediate {
        let melts = left.iter().position(|part| *part == "orally disintegrating" || *part == "chewable");
        if let Some(part) = melts.map(|at| left.remove(at)) {
            release = if part == "chewable" { Release::Chewable } else { Release::Disintegrating };
        }
    }
    // Forms that drug files and RxNorm do not tell apart.
    let form = match left.join(", ").as_str() {
        "injection, solution"
        | "injection, solution, concentrate"
        | "injection, powder, for solution"
        | "injection, powder, lyophilized, for solution" => "injection",
        "injection, powder, for suspension" | "injection, powder, lyophilized, for suspension" => {
            "injection, suspension"
        }
        "solution/ drops" | "solution, concentrate" => "solution",
        "suspension/ drops" | "powder, for suspension" | "granule, for suspension" | "for suspension" => "suspension",
        "aerosol, metered" => "aerosol",
        "spray, metered" => "spray",
        other => return (other.to_owned(), release),
    };
    (form.to_owned(), release)
}

/// The suffix of a name: in parentheses, at its end, or anywhere behind its first word where the
/// form is of extended release.
fn suffix(name: &str, is_extended: bool) -> Option<Suffix> {
    let words: Vec<&str> = name.split_whitespace().collect();
    words.iter().enumerate().skip(1).find_map(|(at, word)| {
        let bare = word.trim_matches(|c: char| !c.is_alphanumeric());
        let counts = is_extended || (at + 1 == words.len() && bare.chars().all(char::is_uppercase));
        counts.then(|| Suffix::read(bare)).flatten()
    })
}

/// The release that words of a name tell: `EC-Naproxen`, `Opana ER`, `Lamotrigine Extended Release`.
fn release_of_name(name: &str) -> Release {
    let lower = name.to_lowercase();
    let words: Vec<&str> = lower.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
    let (first, rest) = words.split_first().unwrap_or((&"", &[]));
    // `Strontium Chloride Sr-89` has no suffix.
    let numbered = |at: usize| rest.get(at + 1).is_some_and(|next| next.starts_with(|c: char| c.is_ascii_digit()));
    let any = |all: &[&str]| {
        rest.iter().enumerate().any(|(at, word)| all.contains(word) && !numbered(at))
            || (all.contains(first) && matches!(*first, "ec" | "extended" | "enteric"))
    };
    if any(&["er", "xr", "xl", "sr", "extended", "sustained", "controlled", "prolonged", "timed"])
        || lower.contains("e/r")
    {
        Release::Extended(None)
    } else if any(&["ec", "dr", "delayed", "enteric"]) {
        Release::Delayed
    } else {
        Release::Immediate
    }
}

/// `24 Hour`, `12HR`, `24-hour`: the hours that a name says.
fn hours(name: &str) -> Option<u8> {
    let lower = name.to_lowercase();
    [12, 24].into_iter().find(|hours| {
        lower.split(&hours.to_string()).skip(1).any(|rest| {
            let rest = rest.trim_start_matches([' ', '-']);
            rest.starts_with("hr") || rest.starts_with("hour") || rest == "h" || rest.starts_with("h ")
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn split(substance: &str) -> (String, String) {
        let (base, salt) = split_salt(substance);
        (base, salt.unwrap_or_default())
    }

    #[test]
    fn salts_and_hydrates() {
        for (substance, base, salt) in [
            ("METFORMIN HYDROCHLORIDE", "METFORMIN", "HYDROCHLORIDE"),
            ("LEVOTHYROXINE SODIUM ANHYDROUS", "LEVOTHYROXINE", "SODIUM"),
            ("DEXAMETHASONE SODIUM PHOSPHATE", "DEXAMETHASONE", "SODIUM PHOSPHATE"),
            ("ATORVASTATIN CALCIUM TRIHYDRATE", "ATORVASTATIN", "CALCIUM"),
            ("AMOXICILLIN", "AMOXICILLIN", ""),
            ("POTASSIUM CHLORIDE", "POTASSIUM CHLORIDE", ""),
            ("SODIUM CHLORIDE", "SODIUM CHLORIDE", ""),
            ("LITHIUM CARBONATE", "LITHIUM CARBONATE", ""),
            ("MAGNESIUM HYDROXIDE", "MAGNESIUM HYDROXIDE", ""),
            ("DOXYCYCLINE", "DOXYCYCLINE", "MONOHYDRATE"),
            ("DOXYCYCLINE HYCLATE", "DOXYCYCLINE", "HYCLATE"),
            ("PENICILLIN V POTASSIUM", "PENICILLIN V", "POTASSIUM"),
        ] {
            assert_eq!(split(substance), (base.to_owned(), salt.to_owned()), "{substance}");
        }
    }

    fn facts(name: &str, substances: &str, strengths: &str, form: &str) -> DrugFacts {
        Label { name, generic: "", substances, strengths, form, route: "oral", brand: false }.facts().unwrap()
    }

    #[test]
    fn forms_releases_and_suffixes() {
        for (name, form, want, release, suffix) in [
            ("Lisinopril", "tablet", "tablet", Release::Immediate, None),
            ("Losartan", "tablet, film coated", "tablet", Release::Immediate, None),
            (
                "Bupropion Hydrochloride (XL)",
                "tablet, extended release",
                "tablet",
                Release::Extended(Some(24)),
                Some(Suffix::Xl),
            ),
            (
                "bupropion hydrochloride SR",
                "tablet, film coated, extended release",
                "tablet",
                Release::Extended(Some(12)),
                Some(Suffix::Sr),
            ),
            ("Metformin ER", "tablet, extended release", "tablet", Release::Extended(None), None),
            ("Cardizem CD", "capsule, coated pellets", "capsule", Release::Extended(None), Some(Suffix::Cd)),
            ("Mucinex 12 Hour", "tablet, extended release", "tablet", Release::Extended(Some(12)), None),
            ("Allergy Relief 24HR", "tablet", "tablet", Release::Unclear, None),
            ("La Sunscreen", "lotion", "lotion", Release::Immediate, None),
            ("Omeprazole", "capsule, delayed release pellets", "capsule", Release::Delayed, None),
            ("Ondansetron", "tablet, orally disintegrating", "tablet", Release::Disintegrating, None),
            ("Montelukast", "tablet, chewable", "tablet", Release::Chewable, None),
            ("Fentanyl", "patch, extended release", "patch", Release::Immediate, None),
            ("Amoxicillin", "powder, for suspension", "suspension", Release::Immediate, None),
        ] {
            let facts = facts(name, "X", "1 mg", form);
            assert_eq!((facts.form.as_str(), facts.release, facts.suffix), (want, release, suffix), "{name} {form}");
        }
    }

    #[test]
    fn content_has_no_order_and_no_unit() {
        let a = facts("A", "LOSARTAN POTASSIUM; HYDROCHLOROTHIAZIDE", "50 mg; 12.5 mg", "tablet");
        let b = facts("B", "HYDROCHLOROTHIAZIDE; LOSARTAN POTASSIUM", "12500 mcg; 0.05 g", "tablet");
        let swapped = facts("A", "LOSARTAN POTASSIUM; HYDROCHLOROTHIAZIDE", "12.5 mg; 50 mg", "tablet");
        assert_eq!(a.content(), b.content());
        assert_ne!(a.content(), swapped.content());
        assert_eq!(Label { strengths: "5 mg", substances: "A; B", ..label() }.facts(), None);
    }

    fn label() -> Label<'static> {
        Label { name: "", generic: "", substances: "", strengths: "", form: "", route: "", brand: false }
    }
}
