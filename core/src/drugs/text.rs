//! What a drug's text says: name, strength, form. Shared by builder and reader.
//!
//! Two ways of writing are read: `Strattera 18 mg capsule` (name, strength, form; labelers and the
//! FDA directory) and `atomoxetine 18 MG Oral Capsule [Strattera]` (RxNorm). A text without a
//! strength is a name.

use crate::fold;

/// What one text about a drug says.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct DrugText {
    /// The drug's name as written, without strength and form.
    pub name: String,
    /// The strength as written, `500-2 mg`, `5 mg/5mL`.
    pub strength: Option<String>,
    /// The form as written, `tablet,film coated`.
    pub form: Option<String>,
    /// The brand, where the text marks it (`[Lipitor]`).
    pub brand: Option<String>,
}

/// A form group: forms that a pharmacist would call the same. Coated and uncoated tablets share
/// one (RxNorm's Oral Tablet); extended and delayed release, orally disintegrating, chewable,
/// sublingual and the like never do.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FormGroup {
    words: Vec<String>,
}

/// Words that set a form apart from the plain one, with the abbreviations that names use for them.
const RELEASE: [(&str, &[&str]); 13] = [
    ("extended", &["extended"]),
    ("er", &["extended"]),
    ("xr", &["extended"]),
    ("xl", &["extended"]),
    ("sr", &["extended"]),
    ("cr", &["extended"]),
    ("sustained", &["extended"]),
    ("delayed", &["delayed"]),
    ("dr", &["delayed"]),
    ("ec", &["delayed"]),
    ("enteric", &["delayed"]),
    ("odt", &["disintegrating"]),
    ("dispersible", &["disintegrating"]),
];

/// Form words that are release words themselves.
const RELEASE_FORMS: [&str; 10] = [
    "extended",
    "delayed",
    "disintegrating",
    "chewable",
    "sublingual",
    "effervescent",
    "buccal",
    "soluble",
    "sprinkle",
    "osmotic",
];

/// Form words that make no difference: coatings, fillings, routes that the form implies, hours of an
/// extended release, glue.
const IGNORED: [&str; 22] = [
    "film",
    "coated",
    "sugar",
    "gelatin",
    "liquid",
    "filled",
    "oral",
    "orally",
    "release",
    "hr",
    "12",
    "24",
    "and",
    "in",
    "for",
    "of",
    "the",
    "pellets",
    "particles",
    "pellet",
    "multilayer",
    "product",
];

/// Words of a unit, folded, that may follow a number in a strength.
const UNITS: [&str; 41] = [
    "mg",
    "mcg",
    "g",
    "kg",
    "ng",
    "ml",
    "l",
    "meq",
    "mmol",
    "mol",
    "nmol",
    "unit",
    "mci",
    "uci",
    "ci",
    "bq",
    "mbq",
    "gbq",
    "kbq",
    "ppm",
    "cfu",
    "vg",
    "cells",
    "au",
    "bau",
    "pnu",
    "amb",
    "hp",
    "x",
    "c",
    "mosm",
    "kallikrein",
    "usp",
    "sq",
    "lf",
    "ld",
    "pfu",
    "cm",
    "in",
    "actuat",
    "%",
];

impl DrugText {
    /// Reads a text.
    #[must_use]
    pub fn parse(text: &str) -> Self {
        let text = text.trim();
        let (text, brand) = match text.strip_suffix(']').and_then(|t| t.rsplit_once(" [")) {
            Some((before, brand)) if !brand.is_empty() => (before.trim(), Some(brand.trim().to_owned())),
            _ => (text, None),
        };
        let mut parsed =
            if text.contains(" / ") { Self::combination(text) } else { None }.unwrap_or_else(|| Self::single(text));
        parsed.brand = brand;
        parsed
    }

    /// `amlodipine 5 MG / valsartan 160 MG Oral Tablet`: names and strengths in turn.
    fn combination(text: &str) -> Option<Self> {
        let parts: Vec<Self> = text.split(" / ").map(Self::single).collect();
        let all_strong = parts.iter().all(|part| part.strength.is_some() && !part.name.is_empty());
        if !all_strong {
            return None;
        }
        let join = |pick: fn(&Self) -> Option<&str>| parts.iter().filter_map(pick).collect::<Vec<_>>().join(" / ");
        Some(Self {
            name: join(|part| Some(part.name.as_str())),
            strength: Some(join(|part| part.strength.as_deref())),
            form: parts.last().and_then(|part| part.form.clone()),
            brand: None,
        })
    }

    fn single(text: &str) -> Self {
        let words: Vec<&str> = text.split_whitespace().collect();
        let Some((from, to)) = strength_span(&words) else {
            return Self { name: words.join(" "), ..Self::default() };
        };
        let join = |range: Option<&[&str]>| range.map(|words| words.join(" ")).filter(|joined| !joined.is_empty());
        let name = join(words.get(..from));
        let form = join(words.get(to..));
        match name {
            Some(name) => Self { name, strength: join(words.get(from..to)), form, brand: None },
            // `12 HR metformin 500 MG …`: a text that starts with its strength is a name as a whole.
            None => Self { name: words.join(" "), ..Self::default() },
        }
    }

    /// The group of the form, told by the form words, by release words in the name, and by a
    /// package description (`30 TABLET, EXTENDED RELEASE in 1 BOTTLE`) where the form is silent.
    #[must_use]
    pub fn form_group(&self, package_form: Option<&str>) -> Option<FormGroup> {
        let form = self.form.as_deref().or(package_form)?;
        let mut group = FormGroup::of(form);
        if let (Some(package_form), true) = (package_form, self.form.is_some()) {
            let package = FormGroup::of(package_form);
            let releases = package.words.iter().filter(|word| RELEASE_FORMS.contains(&word.as_str()));
            group.words.extend(releases.cloned());
        }
        group.words.extend(release_words(&self.name));
        group.words.sort();
        group.words.dedup();
        (!group.words.is_empty()).then_some(group)
    }
}

impl FormGroup {
    /// The group of a form as written.
    #[must_use]
    pub fn of(form: &str) -> Self {
        let mut words: Vec<String> = fold::tokens(form)
            .into_iter()
            .map(|token| singular(&token.text).to_owned())
            .filter(|word| !IGNORED.contains(&word.as_str()))
            .collect();
        words.sort();
        words.dedup();
        Self { words }
    }

    /// Whether the group has a release word.
    #[must_use]
    pub fn is_released(&self) -> bool {
        self.words.iter().any(|word| RELEASE_FORMS.contains(&word.as_str()))
    }

    /// The group's words, in alphabetical order, joined by blanks.
    #[must_use]
    pub fn key(&self) -> String {
        self.words.join(" ")
    }
}

/// Release words that a text has, as the form words that they mean.
pub(crate) fn release_words(text: &str) -> Vec<String> {
    let words: Vec<String> = fold::tokens(text).into_iter().map(|t| t.text).collect();
    let mut found: Vec<String> = Vec::new();
    for (at, word) in words.iter().enumerate() {
        // `la` means long-acting only at the end of a name (Inderal LA).
        let long_acting = word == "la" && at > 0 && at + 1 == words.len();
        let meaning: &[&str] = if long_acting {
            &["extended"]
        } else {
            RELEASE.iter().find(|(abbreviation, _)| abbreviation == word).map_or(&[], |(_, meaning)| *meaning)
        };
        // A name's first word is its own, whatever it abbreviates.
        if at > 0 {
            found.extend(meaning.iter().map(|m| (*m).to_owned()));
        }
        if at > 0 && RELEASE_FORMS.contains(&word.as_str()) {
            found.push(word.clone());
        }
    }
    found.sort();
    found.dedup();
    found
}

/// What people type for a form group with these words, beside the words themselves.
pub(crate) fn release_synonyms(word: &str) -> &'static [&'static str] {
    match word {
        "extended" => &["er", "xr", "xl", "sr", "cr", "la", "release"],
        "delayed" => &["dr", "ec", "release"],
        "disintegrating" => &["odt"],
        _ => &[],
    }
}

/// Whether a folded word only tells a release.
pub(crate) fn is_release_word(word: &str) -> bool {
    RELEASE.iter().any(|(abbreviation, _)| *abbreviation == word)
        || RELEASE_FORMS.contains(&word)
        || matches!(word, "release" | "orally" | "la" | "hr" | "12" | "24")
}

/// The form that a package description tells: `30 TABLET, FILM COATED in 1 BOTTLE` is
/// `TABLET, FILM COATED`; of nested packages the innermost is meant.
#[must_use]
pub fn package_form(description: &str) -> Option<&str> {
    let innermost = description.rsplit('>').next()?.trim();
    let (content, _) = innermost.split_once(" in ")?;
    let (quantity, form) = content.trim().split_once(' ')?;
    let numeric = quantity.bytes().all(|b| b.is_ascii_digit() || b == b'.' || b == b',');
    let unit = fold::key(form);
    let measured = UNITS.contains(&unit.as_str());
    (numeric && !measured && !form.is_empty()).then_some(form)
}

pub(crate) fn singular(word: &str) -> &str {
    match word {
        "tablets" | "tabs" | "tab" => "tablet",
        "capsules" | "caps" | "cap" => "capsule",
        "injectable" | "injections" => "injection",
        "drops" => "drop",
        other => other,
    }
}

/// From which word to which (exclusive) the strength stands: a number with a unit, and what is
/// glued to it.
fn strength_span(words: &[&str]) -> Option<(usize, usize)> {
    let from = (0..words.len()).find(|&at| {
        let word = words.get(at).copied().unwrap_or_default();
        starts_number(word) && (glued_unit(word) || words.get(at + 1).is_some_and(|next| is_unit(next)))
    })?;
    let mut to = from + 1;
    if !words.get(from).is_some_and(|word| glued_unit(word)) {
        to += 1;
    }
    // `5 mg / 5 mL`, `100 unt / mL`
    while words.get(to) == Some(&"/") {
        let numbered = words.get(to + 1).is_some_and(|w| starts_number(w));
        let unit_at = if numbered { to + 2 } else { to + 1 };
        if words.get(unit_at).is_some_and(|w| is_unit(w)) {
            to = unit_at + 1;
        } else {
            break;
        }
    }
    Some((from, to))
}

fn starts_number(word: &str) -> bool {
    word.trim_start_matches('.').starts_with(|c: char| c.is_ascii_digit())
}

/// `20mg`, `0.5%`, `5mg/5mL`, and a range of numbers with its unit.
fn glued_unit(word: &str) -> bool {
    let tokens = fold::tokens(word);
    let mut rest = tokens.iter().skip_while(|token| token.is_number);
    rest.next().is_some_and(|token| UNITS.contains(&token.text.as_str()) && token.text != "x" && token.text != "c")
}

/// A word that begins with a unit: `mg`, `mg/mL`, `[PNU]/mL`.
fn is_unit(word: &str) -> bool {
    if word.starts_with('[') {
        return true;
    }
    let first = fold::tokens(word).into_iter().next();
    let letters = word.starts_with(|c: char| c.is_alphabetic() || c == '%' || c == 'µ' || c == 'μ');
    letters && first.is_some_and(|token| UNITS.contains(&token.text.as_str()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parts(text: &str) -> (String, String, String, String) {
        let t = DrugText::parse(text);
        (t.name, t.strength.unwrap_or_default(), t.form.unwrap_or_default(), t.brand.unwrap_or_default())
    }

    #[test]
    fn texts_are_taken_apart() {
        for (text, name, strength, form, brand) in [
            ("Strattera 18 mg capsule", "Strattera", "18 mg", "capsule", ""),
            ("Amyvid 51 mCi/mL injection,solution", "Amyvid", "51 mCi/mL", "injection,solution", ""),
            ("Hailey 1.5/30 1.5-0.03 mg tablet", "Hailey 1.5/30", "1.5-0.03 mg", "tablet", ""),
            (
                "Trichophyton 20000 [PNU]/mL injection,solution",
                "Trichophyton",
                "20000 [PNU]/mL",
                "injection,solution",
                "",
            ),
            (
                "up and up childrens ibuprofen 100 mg/5mL suspension",
                "up and up childrens ibuprofen",
                "100 mg/5mL",
                "suspension",
                "",
            ),
            ("Claritin-D 24 Hour 240-10 mg tablet", "Claritin-D 24 Hour", "240-10 mg", "tablet", ""),
            ("atorvastatin 20 MG Oral Tablet [Lipitor]", "atorvastatin", "20 MG", "Oral Tablet", "Lipitor"),
            (
                "amlodipine 5 MG / valsartan 160 MG Oral Tablet [Exforge]",
                "amlodipine / valsartan",
                "5 MG / 160 MG",
                "Oral Tablet",
                "Exforge",
            ),
            ("atorvastatin 20mg", "atorvastatin", "20mg", "", ""),
            ("insulin 100 unt / mL injection", "insulin", "100 unt / mL", "injection", ""),
            ("Hydrocortisone 2.5% cream", "Hydrocortisone", "2.5%", "cream", ""),
            ("Vitamin B 12", "Vitamin B 12", "", "", ""),
            ("JANUVIA", "JANUVIA", "", "", ""),
            ("", "", "", "", ""),
        ] {
            let want = (name.to_owned(), strength.to_owned(), form.to_owned(), brand.to_owned());
            assert_eq!(parts(text), want, "{text}");
        }
    }

    #[test]
    fn form_groups_join_coatings_and_keep_releases_apart() {
        let group = |form: &str| FormGroup::of(form).key();
        for (a, b) in [
            ("tablet,film coated", "tablet"),
            ("tablet,coated", "Oral Tablet"),
            ("tablet,extended release 24 hr", "tablet,extended release"),
            ("Extended Release Oral Tablet", "tablet,extended release 12 hr"),
            ("capsule,delayed release pellets", "capsule,delayed release"),
            ("capsule,liquid filled", "capsule"),
        ] {
            assert_eq!(group(a), group(b), "{a} ~ {b}");
        }
        for (a, b) in [
            ("tablet", "tablet,extended release"),
            ("tablet", "tablet,chewable"),
            ("tablet,orally disintegrating", "tablet"),
            ("tablet,delayed release", "tablet,extended release"),
            ("tablet", "capsule"),
            ("solution", "suspension"),
            ("injection,solution", "solution"),
        ] {
            assert_ne!(group(a), group(b), "{a} vs {b}");
        }
        assert!(FormGroup::of("tablet,orally disintegrating").is_released());
        assert!(!FormGroup::of("tablet,film coated").is_released());
    }

    #[test]
    fn release_words_of_names_and_packages_count() {
        let group = |text: &str, package: Option<&str>| DrugText::parse(text).form_group(package).map(|g| g.key());
        assert_eq!(group("Bupropion XL 150 mg tablet", None), group("Bupropion 150 mg tablet,extended release", None));
        assert_eq!(group("Tramadol ER", Some("TABLET")), Some("extended tablet".to_owned()));
        assert_eq!(
            group("Tramadol 100 mg tablet", Some("TABLET, EXTENDED RELEASE")),
            Some("extended tablet".to_owned())
        );
        assert_eq!(group("Tramadol", None), None);
        assert_eq!(release_words("ER"), Vec::<String>::new());
        assert_eq!(release_words("Inderal LA"), ["extended"]);
    }

    #[test]
    fn package_descriptions_tell_forms() {
        for (text, want) in [
            ("30 TABLET, FILM COATED in 1 BOTTLE (0002-3227-30)", Some("TABLET, FILM COATED")),
            ("1 VIAL in 1 CAN (0002-1200-30)  > 30 mL in 1 VIAL, MULTI-DOSE", None),
            ("3 BLISTER PACK in 1 CARTON > 10 TABLET in 1 BLISTER PACK", Some("TABLET")),
            ("Strattera 18 mg capsule", None),
            ("", None),
        ] {
            assert_eq!(package_form(text), want, "{text}");
        }
    }
}
