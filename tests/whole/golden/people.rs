//! Providers, specialties, cities, languages and genders as counselors and patients type them: the
//! files of `people/`, written by somebody who knew how people talk and how payers write, and no code.
//!
//! `directory.tsv` is a made-up directory as a payer writes it. A line of `questions.tsv` says what was
//! asked for, the text, the ids that every right answer holds (`?X`: X must be offered if it is not
//! answered; `-`: nothing may be found), and the ids that must not be among the results. An id in
//! neither column is open.

use std::collections::{BTreeMap, BTreeSet};

use coverdex_core::ErrorKind;
use coverdex_core::Npi;
use coverdex_core::build::providers::city_key;
use coverdex_core::{PracticeLocation, ProviderSearch};
use coverdex_tests::Made;
use serde_json::{Value, json};

use crate::say;

const DIRECTORY: &str = include_str!("people/directory.tsv");
const QUESTIONS: &str = include_str!("people/questions.tsv");

fn rows(table: &'static str) -> impl Iterator<Item = Vec<&'static str>> {
    table
        .lines()
        .filter(|line| !line.is_empty() && !line.starts_with('#'))
        .skip(1)
        .map(|line| line.split('\t').collect())
}

/// The directory, and the id of each row by NPI and ZIP.
struct People {
    made: Made,
    ids: BTreeMap<(Npi, String), &'static str>,
}

impl People {
    fn new() -> Self {
        let (mut resources, mut ids) = (Vec::new(), BTreeMap::new());
        let mut known: BTreeMap<(&str, &str), Npi> = BTreeMap::new();
        for (at, row) in rows(DIRECTORY).enumerate() {
            let [id, name, kind, specialty, code, address, city, state, zip, language, gender] = row.as_slice() else {
                panic!("{row:?}")
            };
            let is_new = !known.contains_key(&(*name, *kind));
            let npi = *known.entry((name, kind)).or_insert_with(|| npi(at));
            ids.insert((npi, (*zip).to_owned()), *id);
            let identifier = json!([{"system": "http://hl7.org/fhir/sid/us-npi", "value": npi.to_string()}]);
            let of =
                if *kind == "individual" { ("Practitioner", "practitioner") } else { ("Organization", "organization") };
            let provider_id = format!("n{npi}");
            if is_new {
                let spoken: Vec<Value> =
                    language.split(';').filter(|text| !text.is_empty()).map(|text| json!({"text": text})).collect();
                let mut provider = json!({"resourceType": of.0, "id": provider_id, "identifier": identifier});
                if *kind == "individual" {
                    provider["name"] = json!([{"text": name}]);
                    provider["communication"] = json!(spoken);
                    provider["gender"] = json!(gender);
                } else {
                    provider["name"] = json!(name);
                }
                resources.push(provider);
            }
            resources.push(json!({"resourceType": "Location", "id": id, "address":
                {"line": [address], "city": city, "state": state, "postalCode": zip}}));
            let mut concept = json!({});
            if !specialty.is_empty() {
                concept["text"] = json!(specialty);
            }
            if !code.is_empty() {
                concept["coding"] = json!([{"system": "http://nucc.org/provider-taxonomy", "code": code}]);
            }
            let mut role = json!({"resourceType": "PractitionerRole", "id": id, "location": [{"reference": format!("Location/{id}")}],
                "specialty": [concept]});
            role[of.1] = json!({"reference": format!("{}/{provider_id}", of.0)});
            resources.push(role);
        }
        Self { made: Made::of(&resources), ids }
    }

    fn ids<'f>(&self, found: impl Iterator<Item = &'f PracticeLocation>) -> BTreeSet<&'static str> {
        let id = |row: &PracticeLocation| {
            let zip = row.location.as_ref().and_then(|location| location.zip).unwrap().to_string();
            self.ids.get(&(row.npi.unwrap(), zip)).copied().unwrap_or_else(|| panic!("{row:?}"))
        };
        found.map(id).collect()
    }

    /// What is found, what is found or listed apart (closed doors), and what is offered beside.
    fn ask(&self, what: &str, typed: &str) -> (BTreeSet<&'static str>, BTreeSet<&'static str>, Vec<String>) {
        let mut search = ProviderSearch { limit: 1_000, count_similar: true, ..ProviderSearch::default() };
        let text = Some(typed.to_owned());
        match what {
            "name" => search.name = text,
            "specialty" => search.specialty = text,
            "city" => search.city = text,
            "language" => search.language = text,
            "gender" => search.gender = text,
            other => panic!("{other}"),
        }
        match self.made.dataset.search_providers(&search) {
            Ok(found) => {
                let mut offered = found.similar_names;
                offered.extend(found.similar_specialties.into_iter().map(|similar| similar.name));
                offered.extend(found.read_as);
                let apart = self.ids(found.results.iter().chain(&found.closed_door));
                (self.ids(found.results.iter()), apart, offered)
            }
            Err(error) => {
                assert!(matches!(error.kind(), ErrorKind::NotFound | ErrorKind::Ambiguous), "{typed}: {error}");
                (BTreeSet::new(), BTreeSet::new(), error.candidates().to_vec())
            }
        }
    }
}

fn npi(at: usize) -> Npi {
    let nine = 190_100_000 + u64::try_from(at).unwrap();
    (0..10).find_map(|check| Npi::new(nine * 10 + check)).unwrap()
}

fn list(text: &'static str) -> BTreeSet<&'static str> {
    text.split(',').filter(|id| !id.is_empty()).collect()
}

#[test]
fn what_counselors_and_patients_type() {
    let people = People::new();
    let (mut asked, mut wrong) = (BTreeMap::<&str, usize>::new(), Vec::new());
    for row in rows(QUESTIONS) {
        let (what, typed) = (row[0], row[1]);
        let (finds, not) = (row.get(2).copied().unwrap_or_default(), row.get(3).copied().unwrap_or_default());
        *asked.entry(what).or_default() += 1;
        let (found, apart, offered) = people.ask(what, typed);
        let mixed: Vec<_> = found.intersection(&list(not)).copied().collect();
        let fault = if !mixed.is_empty() {
            Some(format!("mixes in {mixed:?}"))
        } else if finds == "-" {
            (!found.is_empty()).then(|| format!("finds {found:?}"))
        } else if let Some(wanted) = finds.strip_prefix('?') {
            let has = |offer: &String| city_key(offer).contains(&city_key(wanted));
            (found.is_empty() && !offered.iter().any(has)).then(|| format!("offers {offered:?}"))
        } else {
            let missing: Vec<_> = list(finds).difference(&apart).copied().collect();
            (!missing.is_empty()).then(|| format!("does not find {missing:?}, offers {offered:?}"))
        };
        wrong.extend(fault.map(|fault| format!("{what} {typed:?} ({finds}): {fault}")));
    }
    let all: usize = asked.values().sum();
    say(&format!("typed by people: {} of {all} right ({asked:?})", all - wrong.len()));
    assert!(wrong.is_empty(), "{} of {all} wrong:\n{}", wrong.len(), wrong.join("\n"));
}
