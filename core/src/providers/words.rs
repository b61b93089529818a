//! Words of names and of specialties, folded: builder and reader share them.

use crate::fold;

use super::directory::layout::LONGEST_BEGINNING;

/// The words of a name, folded as [`fold`] does, but as they are written: no units, no numbers of
/// their own (`3M` is one word).
#[must_use]
pub fn name_words(name: &str) -> Vec<String> {
    let folded = fold::fold_characters(name);
    folded.split(|c| !c.is_alphanumeric()).filter(|word| !word.is_empty()).map(|word| word.iter().collect()).collect()
}

/// A name's words joined by blanks: what names are ordered and compared by.
#[must_use]
pub fn name_key(name: &str) -> String {
    name_words(name).join(" ")
}

/// Beginnings under which a word is found while it is typed, up to
/// [`LONGEST_BEGINNING`] characters.
pub(super) fn beginnings(word: &str) -> impl Iterator<Item = &str> {
    let ends = word.char_indices().map(|(at, c)| at + c.len_utf8());
    ends.take(LONGEST_BEGINNING).filter_map(|end| word.get(..end))
}

/// Words that tell no specialty from another.
const SILENT: [&str; 4] = ["and", "for", "of", "the"];

/// Older spellings inside words.
const SPELLINGS: [(&str, &str); 6] = [
    ("paed", "ped"),
    ("gynaec", "gynec"),
    ("anaesth", "anesth"),
    ("haemat", "hemat"),
    ("centre", "center"),
    ("counsell", "counsel"),
];

/// Endings of a field and of the person who works in it, and what stays of both.
const ENDINGS: [(&str, &str); 30] = [
    ("ologist", "olog"),
    ("ology", "olog"),
    ("iatrist", "iatr"),
    ("iatrician", "iatr"),
    ("iatric", "iatr"),
    ("iatry", "iatr"),
    ("etrician", "etric"),
    ("ometrist", "ometr"),
    ("ometry", "ometr"),
    ("surgeon", "surg"),
    ("surgery", "surg"),
    ("therapist", "therap"),
    ("therapy", "therap"),
    ("odontist", "odont"),
    ("odontic", "odont"),
    ("dentistry", "dent"),
    ("dentist", "dent"),
    ("chiropractor", "chiropract"),
    ("chiropractic", "chiropract"),
    ("allergist", "allerg"),
    ("allergy", "allerg"),
    ("nutritionist", "nutrition"),
    ("counselor", "counsel"),
    ("counseling", "counsel"),
    ("acupuncturist", "acupunct"),
    ("acupuncture", "acupunct"),
    ("midwifery", "midwif"),
    ("midwife", "midwif"),
    ("midwive", "midwif"),
    ("orthopedist", "orthopedic"),
];

/// What spellings of one specialty share: case, punctuation, plural, order of words (`Surgery,
/// General`), and person or field (`Cardiologist`, `Cardiology`). Nothing else is joined: a
/// narrower, pediatric or merely similar specialty has another key.
#[must_use]
pub fn specialty_key(text: &str) -> String {
    let mut stems: Vec<String> =
        name_words(text).into_iter().filter(|word| !SILENT.contains(&word.as_str())).map(|word| stem(&word)).collect();
    stems.sort();
    stems.join(" ")
}

fn stem(word: &str) -> String {
    let mut word = singular(word);
    for (old, new) in SPELLINGS {
        if word.contains(old) {
            word = word.replace(old, new);
        }
    }
    let ending = ENDINGS.iter().find_map(|(ending, kept)| Some(format!("{}{kept}", word.strip_suffix(ending)?)));
    ending.unwrap_or(word)
}

fn singular(word: &str) -> String {
    if word.len() > 4
        && let Some(stem) = word.strip_suffix("ies")
    {
        return format!("{stem}y");
    }
    let keeps = word.len() <= 3 || ["ss", "us", "is"].iter().any(|ending| word.ends_with(ending));
    word.strip_suffix('s').filter(|_| !keeps).unwrap_or(word).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_fold_into_words() {
        assert_eq!(name_words("O'Brien-Núñez, M.D."), ["obrien", "nunez", "m", "d"]);
        assert_eq!(name_words("24 Hour 3M Clinic"), ["24", "hour", "3m", "clinic"]);
        assert!(name_words(" -- ").is_empty());
        assert_eq!(beginnings("kröger").collect::<Vec<_>>(), ["k", "kr", "krö", "krög"]);
        assert_eq!(beginnings("lengthy").last(), Some("leng"));
    }

    #[test]
    fn a_specialty_has_one_key_for_its_own_spellings() {
        for same in [
            &["Cardiology", "CARDIOLOGY", "Cardiologist", "cardiologists"][..],
            &["Pediatrics", "PEDIATRICS", "Pediatrician", "Paediatrics"],
            &["Psychiatry", "Psychiatrist", "PSYCHIATRY"],
            &["Podiatry", "Podiatrist"],
            &["Optometry", "Optometrist"],
            &["General Surgery", "SURGERY - GENERAL", "Surgery, General", "General Surgeon"],
            &["Orthopedic Surgery", "Orthopaedic Surgery", "Orthopedic Surgeons"],
            &["Physical Therapy", "Physical Therapist", "PHYSICAL THERAPISTS"],
            &["Physician Assistant", "Physician's Assistant", "Physicians Assistants"],
            &["Obstetrics & Gynecology", "Obstetrics and Gynecology", "OBSTETRICS/GYNECOLOGY"],
            &["Pulmonary Disease", "PULMONARY DISEASES"],
            &["Dentist", "Dentistry", "DENTISTS"],
            &["Clinical Psychology", "PSYCHOLOGY - CLINICAL", "Clinical Psychologist"],
            &["Nurse Midwife", "Nurse Midwives", "Nurse Midwifery"],
            &["Marriage & Family Therapy", "Marriage and Family Therapist"],
            &["Orthodontics", "Orthodontist"],
        ] {
            let keys: Vec<String> = same.iter().map(|text| specialty_key(text)).collect();
            assert!(keys.windows(2).all(|pair| pair.first() == pair.last()), "{same:?}: {keys:?}");
        }
    }

    #[test]
    fn narrower_and_similar_specialties_have_keys_of_their_own() {
        let texts = [
            "Cardiology",
            "Pediatric Cardiology",
            "Interventional Cardiology",
            "Dermatology",
            "Dermatopathology",
            "Neurology",
            "Nephrology",
            "Urology",
            "Pharmacy",
            "Pharmacist",
            "Mail Order Pharmacy",
            "Surgery",
            "General Surgery",
            "Psychology",
            "Psychiatry",
            "Optometry",
            "Ophthalmology",
            "Obstetrics",
            "Internal Medicine",
            "Diagnosis",
        ];
        let mut keys: Vec<String> = texts.iter().map(|text| specialty_key(text)).collect();
        keys.sort();
        keys.dedup();
        assert_eq!(keys.len(), texts.len(), "{keys:?}");
    }
}
