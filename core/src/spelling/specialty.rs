//! Specialties: the key that the spellings of one share. Which names mean the same, which codes stand
//! for them and which plain words lead to them the builder knows; a dataset has what is needed of it.

use super::name_words;

/// Words that tell no specialty from another.
const SILENT: [&str; 4] = ["and", "for", "of", "the"];

/// Older spellings inside words.
const SPELLINGS: [(&str, &str); 8] = [
    ("paed", "ped"),
    ("gynaec", "gynec"),
    ("anaesth", "anesth"),
    ("haemat", "hemat"),
    ("centre", "center"),
    ("counsell", "counsel"),
    ("dietician", "dietitian"),
    ("paedic", "pedic"),
];

/// Endings of a field and of the person who works in it, and what stays of both.
const ENDINGS: [(&str, &str); 35] = [
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
    ("orthotist", "orthotic"),
    ("prosthetist", "prosthetic"),
    ("naturopathic", "naturopath"),
    ("naturopathy", "naturopath"),
    ("homeopathy", "homeopath"),
];

/// Words that say that somebody has the specialty, and not which.
const PROFESSIONS: [&str; 12] = [
    "board",
    "certified",
    "doctor",
    "dr",
    "licensed",
    "md",
    "office",
    "physician",
    "practice",
    "practitioner",
    "provider",
    "specialist",
];

/// Stems of six letters and more that many specialties share which have nothing else in common.
const SHARED: [&str; 18] = [
    "center",
    "certified",
    "clinic",
    "clinical",
    "disease",
    "doctor",
    "equipment",
    "facility",
    "general",
    "health",
    "licensed",
    "medical",
    "medicine",
    "physician",
    "practice",
    "practitioner",
    "registered",
    "service",
];

/// Whether a stem that two specialties share makes them similar.
#[must_use]
pub fn tells_a_field(stem: &str) -> bool {
    stem.len() > 5 && !SHARED.contains(&stem)
}

/// What spellings of one specialty share: case, punctuation, plural, order of words (`Surgery,
/// General`), person or field (`Cardiologist`, `Cardiology`), and `Physician` behind what the
/// physician does (`Cardiovascular Disease Physician`). Nothing else is joined: a narrower, pediatric or
/// merely similar specialty has another key.
#[must_use]
pub fn specialty_key(text: &str) -> String {
    let words = name_words(text).into_iter().filter(|word| !SILENT.contains(&word.as_str()));
    let mut stems: Vec<String> = words.map(|word| stem(&word)).collect();
    if stems.len() > 1 && !stems.iter().any(|stem| stem == "assistant" || stem == "associate") {
        let telling: Vec<String> = stems.iter().filter(|stem| *stem != "physician").cloned().collect();
        stems = if telling.is_empty() { stems } else { telling };
    }
    stems.sort();
    stems.dedup();
    stems.join(" ")
}

/// The parts of a text that may each be a whole name of a specialty: `Otolaryngology (ENT)`,
/// `Oncology/Hematology`. Empty where there is only one.
#[must_use]
pub fn specialty_parts(text: &str) -> Vec<&str> {
    let parts: Vec<&str> = text.split(['(', ')', '/', ';', '[', ']']).map(str::trim).collect();
    let parts: Vec<&str> = parts.into_iter().filter(|part| part.chars().any(char::is_alphanumeric)).collect();
    if parts.len() > 1 { parts } else { Vec::new() }
}

/// A key without words that say that somebody has the specialty, and not which (`dermatology
/// doctor`); `None`: it has none, or nothing else.
pub(crate) fn without_profession(key: &str) -> Option<String> {
    let telling: Vec<&str> = key.split(' ').filter(|word| !PROFESSIONS.contains(word)).collect();
    let fewer = !telling.is_empty() && telling.len() < key.split(' ').count();
    fewer.then(|| telling.join(" "))
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
            &["Emergency Medicine", "Emergency Medicine Physician"],
            &["Dietitian", "Dieticians"],
        ] {
            let keys: Vec<String> = same.iter().map(|text| specialty_key(text)).collect();
            assert!(keys.windows(2).all(|pair| pair.first() == pair.last()), "{same:?}: {keys:?}");
        }
    }

    #[test]
    fn parts_and_professions() {
        assert_eq!(specialty_parts("OTOLARYNGOLOGY (ENT)"), ["OTOLARYNGOLOGY", "ENT"]);
        assert!(specialty_parts("Cardiology ()").is_empty());
        assert_eq!(without_profession(&specialty_key("dermatology doctor")).as_deref(), Some("dermatolog"));
        assert_eq!(without_profession("doctor"), None);
        assert_ne!(specialty_key("Physician Assistant"), specialty_key("Assistant"));
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
