//! Which specialties are one: texts and codes by the tables of `index-data/specialties`.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::LazyLock;

use coverdex_core::build::providers::layout::OFFERED;
use coverdex_core::build::providers::{specialty_key, specialty_parts, tells_a_field};

use crate::model::Specialty;

/// NUCC codes and their names.
const TAXONOMY: &str = include_str!("../../../../index-data/specialties/taxonomy.tsv");

/// Names, and others that mean the same.
const NAMES: &str = include_str!("../../../../index-data/specialties/names.tsv");

/// Plain words, and the names that they mean.
const PLAIN_WORDS: &str = include_str!("../../../../index-data/specialties/plain-words.tsv");

/// Names that say no field, and what a search for them takes too.
const WIDER: &str = include_str!("../../../../index-data/specialties/wider.tsv");

/// Words, and the specialties that are offered to who types them.
const NEAR: &str = include_str!("../../../../index-data/specialties/near.tsv");

/// A specialty of which some payers write one text with family medicine (`General/Family Practice`).
const GENERAL_PRACTICE: &str = "General Practice";

/// A specialty: words, NUCC code, and the key that its spellings share.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct SpecialtyRow {
    pub(super) key: String,
    pub(super) text: String,
    pub(super) taxonomy: String,
}

/// The specialty that a concept states; `None`: it states nothing.
pub(super) fn row(specialty: &Specialty) -> Option<SpecialtyRow> {
    let trimmed = |text: &Option<String>| text.as_deref().map(str::trim).unwrap_or_default().to_owned();
    let (mut text, taxonomy) = (trimmed(&specialty.text), trimmed(&specialty.taxonomy).to_uppercase());
    if text.eq_ignore_ascii_case(&taxonomy) {
        text.clear();
    }
    let by_code = TABLES.taxonomy.get(taxonomy.as_str());
    let key = match (key_of(&text), by_code) {
        (_, Some(name)) if is_long_name(&text, &taxonomy, name) => key_of(name),
        (key, _) if !key.is_empty() => key,
        _ if !text.is_empty() => text.to_lowercase(),
        (_, Some(name)) => {
            text = format!("{name} ({taxonomy})");
            key_of(name)
        }
        _ => taxonomy.to_lowercase(),
    };
    (!key.is_empty()).then_some(SpecialtyRow { key, text, taxonomy })
}

/// Whether a text is the long name of the code beside it: the name of the code's group, a comma and its
/// own (`Internal Medicine, Cardiovascular Disease`).
fn is_long_name(text: &str, taxonomy: &str, name: &str) -> bool {
    let group = taxonomy.get(..4).and_then(|group| TABLES.taxonomy.get(format!("{group}00000X").as_str()));
    let (Some(group), Some((first, rest))) = (group, text.split_once(',')) else { return false };
    key_of(first) == key_of(group) && key_of(rest) == key_of(name)
}

/// The tables, read once.
struct Tables {
    /// Names of codes.
    taxonomy: HashMap<&'static str, &'static str>,
    /// For each key of a name or of another name of it the name.
    names: HashMap<String, &'static str>,
    /// Plain words' keys and the names that they mean.
    plain_words: Vec<(String, Vec<&'static str>)>,
    /// Further words' keys and the names that are near to what they mean.
    near: Vec<(String, Vec<&'static str>)>,
}

static TABLES: LazyLock<Tables> = LazyLock::new(|| Tables {
    taxonomy: lines(TAXONOMY).collect(),
    names: lines(NAMES)
        .flat_map(|(name, others)| listed(others).chain([name]).map(move |other| (specialty_key(other), name)))
        .collect(),
    plain_words: words_of(PLAIN_WORDS),
    near: words_of(NEAR),
});

fn lines(table: &'static str) -> impl Iterator<Item = (&'static str, &'static str)> {
    table.lines().filter(|line| !line.starts_with('#')).filter_map(|line| line.split_once('\t'))
}

fn words_of(table: &'static str) -> Vec<(String, Vec<&'static str>)> {
    let words_of = |(words, names)| listed(words).map(move |word| (specialty_key(word), listed(names).collect()));
    lines(table).flat_map(words_of).collect()
}

fn listed(texts: &'static str) -> impl Iterator<Item = &'static str> {
    texts.split(';').map(str::trim).filter(|text| !text.is_empty())
}

/// The key that a text shares with all names of the same specialty; empty for a text without a word.
fn key_of(text: &str) -> String {
    let whole = specialty_key(text);
    let named = |key: &str| TABLES.names.get(key).map(|name| specialty_key(name));
    if let Some(key) = named(&whole) {
        return key;
    }
    let part_key = |part: &str| {
        let key = specialty_key(part);
        named(&key).unwrap_or(key)
    };
    let mut parts = specialty_parts(text).into_iter().map(part_key);
    match parts.next() {
        Some(first) if parts.all(|part| part == first) => first,
        _ => whole,
    }
}

/// How people read a key: the tables' name, else the first text that has it, else its code.
pub(super) fn shown_key(key: &str, rows: &[SpecialtyRow]) -> String {
    let of_table = TABLES.names.get(key).copied().filter(|name| specialty_key(name) == key);
    let of_row = || rows.iter().find(|row| row.key == key && !row.text.is_empty()).map(|row| row.text.as_str());
    of_table.or_else(of_row).map_or_else(|| key.to_uppercase(), str::to_owned)
}

/// What else leads to the keys of a directory, by their numbers: other names of the same specialty,
/// codes, and plain words.
pub(super) fn aliases(keys: &BTreeMap<&str, u32>, rows: &[SpecialtyRow]) -> BTreeMap<String, BTreeSet<u32>> {
    let mut aliases: BTreeMap<String, BTreeSet<u32>> = BTreeMap::new();
    let mut lead = |alias: String, to: &str, is_plain: bool| {
        let Some(number) = keys.get(to) else { return };
        // A key leads to itself; plain words that the directory has as a specialty offer the others.
        if !alias.is_empty() && (is_plain || !keys.contains_key(alias.as_str())) {
            aliases.entry(alias).or_default().insert(*number);
        }
    };
    for (alias, name) in &TABLES.names {
        lead(alias.clone(), &specialty_key(name), false);
    }
    for (code, name) in &TABLES.taxonomy {
        let key = key_of(name);
        lead(code.to_lowercase(), &key, false);
        lead(specialty_key(name), &key, false);
    }
    for row in rows {
        lead(specialty_key(&row.text), &row.key, false);
    }
    for (words, names) in &TABLES.plain_words {
        for name in names {
            lead(words.clone(), &key_of(name), true);
        }
    }
    let general = specialty_key(GENERAL_PRACTICE);
    let of_general = |key: &str| TABLES.names.get(key).is_some_and(|name| *name == GENERAL_PRACTICE);
    for row in rows.iter().filter(|row| row.key != general && names_general_practice(&row.text)) {
        lead(general.clone(), &row.key, true);
        for alias in TABLES.names.keys().filter(|key| of_general(key)) {
            lead(alias.clone(), &row.key, true);
        }
    }
    for (name, kinds) in lines(WIDER) {
        let (own, key) = (key_of(name), |kind: &str| keys.get(key_of(kind).as_str()).copied());
        let kinds: BTreeSet<u32> = listed(kinds).filter_map(key).collect();
        let Some(number) = keys.get(own.as_str()).copied().filter(|_| !kinds.is_empty()) else { continue };
        aliases.entry(own).or_default().insert(number);
        for leads in aliases.values_mut().filter(|leads| leads.iter().eq([&number])) {
            leads.extend(&kinds);
        }
    }
    let offers = offers(keys, &aliases);
    aliases.extend(offers);
    aliases
}

/// Whether a text joins general practice with another specialty in one word `Practice`: `General/Family
/// Practice`, `Family & General Practice`.
fn names_general_practice(text: &str) -> bool {
    specialty_key(text) == "family general practice"
}

/// What is offered to who types words that mean nothing of a directory: what the table says, and the
/// specialties that share a field with what they mean.
fn offers(keys: &BTreeMap<&str, u32>, taken: &BTreeMap<String, BTreeSet<u32>>) -> BTreeMap<String, BTreeSet<u32>> {
    let mut offers: BTreeMap<String, BTreeSet<u32>> = BTreeMap::new();
    let mut offer = |words: &str, numbers: &mut dyn Iterator<Item = u32>| {
        if !taken.contains_key(words) && !keys.contains_key(words) {
            let mut numbers = numbers.peekable();
            if numbers.peek().is_some() {
                offers.entry(format!("{OFFERED}{words}")).or_default().extend(numbers);
            }
        }
    };
    for (words, names) in &TABLES.near {
        offer(words, &mut names.iter().filter_map(|name| keys.get(key_of(name).as_str()).copied()));
    }
    let named = TABLES.names.iter().map(|(words, name)| (words, std::slice::from_ref(name)));
    for (words, names) in TABLES.plain_words.iter().map(|(words, names)| (words, names.as_slice())).chain(named) {
        let meant: Vec<String> = names.iter().map(|name| key_of(name)).collect();
        let fields: BTreeSet<&str> =
            meant.iter().flat_map(|key| key.split(' ')).filter(|stem| tells_a_field(stem)).collect();
        let shares = |key: &str| key.split(' ').any(|stem| fields.contains(stem));
        offer(words, &mut keys.iter().filter(|(key, _)| shares(key)).map(|(_, number)| *number));
    }
    offers
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_code_stands_once_and_is_well_formed() {
        assert_eq!(lines(TAXONOMY).count(), TABLES.taxonomy.len());
        for (code, name) in lines(TAXONOMY) {
            let fits = code.len() == 10 && code.bytes().all(|b| b.is_ascii_digit() || b.is_ascii_uppercase());
            assert!(fits && code.ends_with('X') && !name.trim().is_empty(), "{code:?} {name:?}");
        }
    }

    #[test]
    fn no_name_means_two_specialties() {
        let mut of_key: HashMap<String, &str> = HashMap::new();
        for (name, others) in lines(NAMES) {
            for other in listed(others).chain([name]) {
                let known = of_key.insert(specialty_key(other), name);
                assert!(known.is_none_or(|known| known == name), "{other:?} of {name:?} and {known:?}");
            }
        }
    }

    #[test]
    fn plain_words_stand_once_and_lead_to_names_that_are_known() {
        let mut met: HashMap<&str, &Vec<&str>> = HashMap::new();
        let known: BTreeSet<String> = lines(TAXONOMY).map(|(_, name)| key_of(name)).collect();
        for (words, names) in &TABLES.plain_words {
            let other = met.insert(words, names);
            assert!(other.is_none_or(|other| other == names), "{words:?}: {names:?} and {other:?}");
            for name in names {
                let key = key_of(name);
                assert!(
                    TABLES.names.contains_key(&key) || known.contains(&key) || name.starts_with("Primary"),
                    "{name}"
                );
            }
        }
    }

    #[test]
    fn a_name_that_says_no_field_takes_its_kinds_too() {
        let keys: BTreeMap<&str, u32> = [("clinic", 0), ("care clinic primary", 1)].into();
        let aliases = aliases(&keys, &[]);
        let leads = |text: &str| aliases.get(&specialty_key(text)).map(|keys| keys.iter().copied().collect::<Vec<_>>());
        assert_eq!(leads("Clinic"), Some(vec![0, 1]));
        assert_eq!(leads("Clinic/Center"), Some(vec![0, 1]));
        assert_eq!(leads("Primary Care Clinic"), None);
        assert_eq!(leads("PCP"), Some(vec![1]));
    }

    #[test]
    fn what_nobody_has_is_offered_by_what_is_near() {
        let keys: BTreeMap<&str, u32> =
            [("gynecolog oncolog", 0), ("durable equipment medical", 1), ("clinical social worker", 2)].into();
        let aliases = aliases(&keys, &[]);
        let leads = |text: &str| aliases.get(text).map(|keys| keys.iter().copied().collect::<Vec<_>>());
        assert_eq!((leads("cancer doctor"), leads("?cancer doctor")), (None, Some(vec![0])));
        assert_eq!(leads("?medical oncolog"), Some(vec![0]), "they share no field with equipment");
        assert_eq!((leads("counsel"), leads("?counsel")), (None, Some(vec![2])));
        assert_eq!(leads("?dermatolog"), None);
    }

    #[test]
    fn general_practice_may_stand_beside_family_practice() {
        let row = |text: &str| row(&Specialty { text: Some(text.to_owned()), taxonomy: None }).unwrap();
        let leads = |rows: &[SpecialtyRow], text: &str| {
            let keys: BTreeMap<&str, u32> = rows.iter().map(|row| row.key.as_str()).zip(0..).collect();
            aliases(&keys, rows).get(&specialty_key(text)).map(|keys| keys.iter().copied().collect::<Vec<_>>())
        };
        for text in ["general practitioner", "General Practice"] {
            assert_eq!(leads(&[row("General/Family Practice")], text), Some(vec![0]), "{text}");
            assert_eq!(leads(&[row("Family Practice")], text), None, "{text}");
        }
    }

    #[test]
    fn texts_and_codes_of_one_specialty_share_a_key() {
        let key = |text: &str, code: &str| {
            let some = |text: &str| (!text.is_empty()).then(|| text.to_owned());
            row(&Specialty { text: some(text), taxonomy: some(code) }).unwrap().key
        };
        let cardiology = key("Cardiology", "");
        for (text, code) in [
            ("Cardiovascular Disease Physician", "207RC0000X"),
            ("", "207RC0000X"),
            ("207rc0000x", "207rc0000x"),
            ("Internal Medicine, Cardiovascular Disease", "207RC0000X"),
            ("Cardiovascular Disease (Cardiology)", ""),
            ("CARDIOLOGIST", ""),
        ] {
            assert_eq!(key(text, code), cardiology, "{text} {code}");
        }
        assert_eq!(key("OTOLARYNGOLOGY (ENT)", ""), key("Ear, Nose & Throat", ""));
        assert_eq!(key("OB/GYN", ""), key("OBSTETRICS/GYNECOLOGY", ""));
        // A text decides, whatever the code beside it.
        assert_ne!(key("Specialist", "207RC0000X"), cardiology);
        assert_ne!(key("Pediatrics, Cardiology", "207RC0000X"), cardiology);
        for other in ["Pediatric Cardiology", "Interventional Cardiology", "Cardiology (Pediatric)"] {
            assert_ne!(key(other, ""), cardiology, "{other}");
        }
    }
}
