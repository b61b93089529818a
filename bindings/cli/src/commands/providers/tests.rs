use std::collections::BTreeSet;

use clap::Parser as _;
use coverdex_sandbox::truth::{DirectoryTruth, Filter};
use serde_json::Value;

use super::*;
use crate::args::{Command, CommandLine};
use crate::output::Look;
use crate::testing::{WIDE, network, tiny};

fn args(line: &[&str]) -> ProvidersArgs {
    let line = ["coverdex", "providers"].iter().chain(line);
    let Command::Providers(args) = CommandLine::try_parse_from(line).unwrap().command else {
        panic!("another command")
    };
    args
}

fn ask(line: &[&str]) -> Result<Vec<Answer<'static>>> {
    answer(&tiny().datasets, &args(line))
}

fn json(line: &[&str]) -> Value {
    serde_json::from_slice(&document(&ask(line).unwrap()).unwrap().0).unwrap()
}

fn text(look: Look, line: &[&str]) -> String {
    let blocks = ask(line).unwrap();
    blocks.iter().map(|answer| tables::render(look, answer, &args(line), false)).collect::<Vec<_>>().join("\n")
}

fn results(document: &Value) -> &[Value] {
    document["results"].as_array().unwrap()
}

/// The county with the most places.
fn county() -> (u32, String) {
    let counties = tiny().payer.directory().counties();
    let (fips, ..) = counties.max_by_key(|(_, _, _, places)| places.end - places.start).unwrap();
    (fips, format!("{fips:05}"))
}

#[test]
fn who_is_in_a_county_is_who_should_be() {
    let directory = tiny().payer.directory();
    let truth = DirectoryTruth::new(directory);
    let mut seen = 0;
    for (fips, ..) in directory.counties() {
        for number in 0..directory.networks() {
            let filter = Filter { networks: Some(vec![number]), ..Filter::default() };
            let expected = truth.in_county(fips, &filter);
            let npis = |pairs: &[usize]| -> BTreeSet<String> {
                let keys = pairs.iter().filter_map(|pair| truth.providers[truth.pairs[*pair].provider].npi_key());
                keys.map(|npi| npi.to_string()).collect()
            };
            let (certain, possible) = (npis(&expected.certain), npis(&expected.possible));
            let key = network(number);
            let document =
                json(&["--network", &key, "--county", &format!("{fips:05}"), "--within-km", "0", "--limit", "9999"]);
            let shown = results(&document);
            assert!(shown.iter().all(|result| result["in_county"] == true), "{document}");
            assert_eq!(document["total"], shown.len());
            assert_eq!(document["total_in_county"], shown.len());
            let practices = shown.iter().chain(document["closed_door"].as_array().unwrap());
            let found: BTreeSet<String> = practices
                .filter(|result| result["npi_valid"] == true)
                .map(|result| result["npi"].as_str().unwrap().to_owned())
                .collect();
            let walk_in: BTreeSet<String> =
                certain.iter().filter(|npi| !truth.may_be_closed(npi.parse().unwrap())).cloned().collect();
            assert!(walk_in.is_subset(&found), "{key} {fips}: missing {:?}", walk_in.difference(&found));
            let open: BTreeSet<String> = shown.iter().map(|r| r["npi"].as_str().unwrap().to_owned()).collect();
            let wrong: Vec<&String> = open
                .iter()
                .filter(|npi| found.contains(*npi) && !certain.contains(*npi) && !possible.contains(*npi))
                .collect();
            assert!(wrong.is_empty(), "{key} {fips}: {wrong:?}");
            seen += walk_in.len();
        }
    }
    assert!(seen > 100, "{seen}");
}

#[test]
fn the_documented_fields_are_there() {
    let (_, fips) = county();
    let document = json(&["--network-kind", "medical", "--county", &fips, "--limit", "9999"]);
    for field in
        ["place", "total", "results", "closed_door", "place_not_stated", "in_doubt", "as_of", "source", "complete"]
    {
        assert!(document.get(field).is_some(), "{field}: {document}");
    }
    assert_eq!(document["place"]["kind"], "county");
    assert_eq!(document["place"]["counties"][0]["fips"], fips.as_str());
    assert!(!results(&document).is_empty());
    for result in results(&document) {
        for field in [
            "npi",
            "name",
            "kind",
            "specialties",
            "networks",
            "location",
            "phone",
            "distance_km",
            "in_county",
            "accepting_new_patients",
            "aliases",
            "shared_role",
        ] {
            assert!(result.get(field).is_some(), "{field}: {result}");
        }
        let location = &result["location"];
        for field in ["name", "address", "city", "state", "zip", "county_fips", "lat", "lon", "precision"] {
            assert!(location.get(field).is_some(), "{field}: {result}");
        }
        assert!(
            result["npi"].is_string() && location["lat"].is_number() == result["distance_km"].is_number(),
            "{result}"
        );
        for own in result["networks"].as_array().unwrap() {
            assert!(own["system"].is_string() && own["id"].is_string() && own["kind"] == "medical", "{result}");
        }
    }
    let order: Vec<(bool, f64)> = results(&document)
        .iter()
        .map(|result| (result["in_county"] == false, result["distance_km"].as_f64().unwrap_or(f64::INFINITY)))
        .collect();
    assert!(order.is_sorted_by(|a, b| a <= b), "{order:?}");
}

#[test]
fn pages_join() {
    let (_, fips) = county();
    let whole = json(&["--network-kind", "medical", "--county", &fips, "--limit", "9999"]);
    let mut joined = Vec::new();
    while joined.len() < results(&whole).len() {
        let offset = joined.len().to_string();
        let page = json(&["--network-kind", "medical", "--county", &fips, "--limit", "7", "--offset", &offset]);
        assert_eq!(page["total"], whole["total"]);
        assert!(!results(&page).is_empty());
        joined.extend(results(&page).to_vec());
    }
    assert_eq!(joined, results(&whole));
}

#[test]
fn people_read_who_where_how_far_and_how_to_go_on() {
    let (_, fips) = county();
    let line = ["--network-kind", "medical", "--county", &fips, "--limit", "3"];
    let (shown, document) = (text(WIDE, &line), json(&line));
    for result in results(&document) {
        for field in [&result["name"], &result["npi"], &result["phone"], &result["location"]["city"]] {
            let words = field.as_str().unwrap_or_default();
            assert!(shown.contains(words), "{words}\n{shown}");
        }
        if let Some(km) = result["distance_km"].as_f64() {
            assert!(shown.contains(&format!("({km:.1} km)")), "{km}\n{shown}");
        }
    }
    let total = document["total"].as_u64().unwrap();
    assert!(total > 3);
    assert!(shown.contains(&format!("1–3 of {total} practice locations")), "{shown}");
    assert!(shown.contains("More: --offset 3"), "{shown}");
    for words in [
        "Data as of 2026-05-12 · source: Larkspur Health",
        "Directories are incomplete: not being there is no proof of being out of network.",
        "In network does not mean preferred cost sharing.",
    ] {
        // Sentences are wrapped.
        let said = shown.split_whitespace().collect::<Vec<_>>().join(" ");
        assert_eq!(said.matches(words).count(), 1, "{words}\n{shown}");
    }
    let not_stated = document["place_not_stated"].as_u64().unwrap();
    assert_eq!(shown.contains(&format!("+{not_stated} in network, place not stated")), not_stated > 0, "{shown}");
}

#[test]
fn marks_are_explained_where_they_stand_and_nowhere_else() {
    let (mut shared, mut by_zip) = (0, 0);
    for (fips, ..) in tiny().payer.directory().counties() {
        let fips = format!("{fips:05}");
        let line = ["--county", fips.as_str(), "--limit", "5"];
        let (shown, document) = (text(WIDE, &line), json(&line));
        let any = |fits: &dyn Fn(&Value) -> bool| results(&document).iter().any(fits);
        let [a_shared, a_zip] =
            [any(&|result| result["shared_role"] == true), any(&|result| result["location"]["precision"] == "zip")];
        assert_eq!(shown.contains("† The role names several places"), a_shared, "{shown}");
        assert_eq!(shown.contains("~ Measured to the ZIP's point"), a_zip, "{shown}");
        shared += usize::from(a_shared);
        by_zip += usize::from(a_zip);
        // Whatever the network: nothing is said of being in one.
        assert!(!shown.contains("preferred cost sharing"), "{shown}");
    }
    assert!(shared > 0 && by_zip > 0, "{shared} {by_zip}");
}

#[test]
fn tables_fit() {
    let (_, fips) = county();
    for width in [60, 80, 100, 200] {
        let shown = text(Look { width, color: false }, &["--county", &fips, "--limit", "20"]);
        let widest = shown.lines().map(|line| line.chars().count()).max().unwrap();
        assert!(widest <= usize::from(width), "{width} columns: {widest}\n{shown}");
    }
}

#[test]
fn nobody_near_is_said_with_who_is_nearest() {
    // The middle of the Pacific.
    let line = ["--network-kind", "medical", "--at", "20,-150"];
    let answers = ask(&line).unwrap();
    assert_eq!(exit(&answers, false), Exit::NotThere);
    let (shown, document) = (text(WIDE, &line), json(&line));
    assert_eq!((document["total"].as_u64(), results(&document).len()), (Some(0), 0));
    let km = document["nearest_km"].as_f64().unwrap();
    let radius = shown.split("--within ").nth(1).unwrap().split_whitespace().next().unwrap();
    let nearer = json(&["--network-kind", "medical", "--at", "20,-150", "--within", radius]);
    assert!((results(&nearer)[0]["distance_km"].as_f64().unwrap() - km).abs() < 0.01, "{shown}");
    // A page behind the last is no absence.
    let (_, fips) = county();
    let behind = ["--network-kind", "medical", "--county", &fips, "--offset", "9999"];
    assert_eq!(exit(&ask(&behind).unwrap(), false), Exit::Answered);
    assert!(text(WIDE, &behind).contains("Nothing from 10,000 on"), "{}", text(WIDE, &behind));
}

#[test]
fn a_plan_that_is_not_sold_there_says_so() {
    let dataset = &tiny().datasets.all()[0].dataset;
    let mut said: BTreeSet<&str> = BTreeSet::new();
    for plan in dataset.all_plans().unwrap().iter().filter(|plan| !plan.networks.is_empty()) {
        let id = plan.id.to_string();
        for (fips, ..) in tiny().payer.directory().counties() {
            let fips = format!("{fips:05}");
            let county = dataset.county(&fips).unwrap();
            let line = ["--plan", id.as_str(), "--county", fips.as_str(), "--limit", "1"];
            let (shown, document) = (text(WIDE, &line), json(&line));
            let offered = dataset.offered(plan, &[county.fips]).unwrap().as_str();
            assert_eq!(document["plan_offered"], offered);
            assert_eq!(document["place"]["counties"][0]["plan_offered"], offered);
            let not_sold = format!("{id} is not sold in {}", county.label());
            assert_eq!(shown.contains(&not_sold), offered == "no", "{shown}");
            assert_eq!(shown.contains("cannot be told"), offered == "unknown", "{shown}");
            said.insert(offered);
        }
    }
    assert_eq!(said.into_iter().collect::<Vec<_>>(), ["no", "unknown", "yes"]);
}

#[test]
fn a_zip_in_several_counties_shows_their_shares() {
    // Frederick, Carroll and Howard counties share it.
    let line = ["--network-kind", "medical", "--zip", "21771", "--limit", "1"];
    let (shown, document) = (text(WIDE, &line), json(&line));
    let counties = document["place"]["counties"].as_array().unwrap();
    assert!(counties.len() > 1, "{document}");
    assert!(shown.contains(&format!("The ZIP lies in {} counties: ", counties.len())), "{shown}");
    let shares: f64 = counties.iter().map(|county| county["share"].as_f64().unwrap()).sum();
    assert!((shares - 1.0).abs() < 0.01, "{document}");
    assert_eq!(document["place"]["kind"], "zip");
    assert!(document["plan_offered"].is_null());
}

#[test]
fn what_is_unknown_or_ambiguous_is_an_error_with_candidates() {
    let refused = |line: &[&str]| ask(line).unwrap_err();
    let specialty = refused(&["--state", "MD", "--specialty", "cardiolgy"]);
    assert_eq!(specialty.kind(), ErrorKind::NotFound);
    assert!(specialty.candidates().iter().any(|c| c.eq_ignore_ascii_case("cardiology")), "{specialty:?}");
    let county = refused(&["--county", "Baltimore"]);
    assert_eq!((county.kind(), county.candidates().len()), (ErrorKind::Ambiguous, 2));
    // One id in two systems.
    let networks = tiny().payer.networks();
    let twice = networks.iter().find(|a| networks.iter().any(|b| a.number != b.number && a.id == b.id)).unwrap();
    let by_id = refused(&["--network", &twice.id, "--state", "MD"]);
    assert_eq!(by_id.kind(), ErrorKind::Ambiguous);
    assert!(by_id.candidates().iter().all(|candidate| candidate.contains(&format!("|{}", twice.id))), "{by_id:?}");
    let by_label = refused(&["--network", "vision select", "--state", "MD"]);
    assert_eq!(by_label.kind(), ErrorKind::NotFound);
    assert!(by_label.candidates()[0].contains("Vision"), "{by_label:?}");
    let unknown = refused(&["--network", "https://nobody.test/network|1", "--state", "MD"]);
    assert!(unknown.kind() == ErrorKind::NotFound && !unknown.candidates().is_empty(), "{unknown:?}");
    let plan = refused(&["--plan", "H0000-000", "--state", "MD"]);
    assert_eq!(plan.kind(), ErrorKind::NotFound);
    for line in [&["--at", "200,0"][..], &["--zip", "1"], &["--state", "Atlantis"]] {
        assert_eq!(refused(line).kind(), ErrorKind::InvalidInput, "{line:?}");
    }
    // An id that only one network has is enough, and the answer says what it was read as.
    let once = networks.iter().find(|a| networks.iter().all(|b| a.number == b.number || a.id != b.id)).unwrap();
    let document = json(&["--network", &once.id, "--state", "MD"]);
    // Systems are written in two cases that mean the same.
    let read_as = format!("read as {}", network(once.number));
    assert!(document["notes"][0].as_str().unwrap().to_lowercase().contains(&read_as.to_lowercase()), "{document}");
}

#[test]
fn pharmacies_behind_closed_doors_stand_apart() {
    let mut apart = 0;
    for (fips, ..) in tiny().payer.directory().counties() {
        let fips = format!("{fips:05}");
        let line = ["--network-kind", "pharmacy", "--county", fips.as_str()];
        let document = json(&line);
        let doors = |field: &str| -> Vec<bool> {
            let practices = document[field].as_array().unwrap().iter();
            practices
                .flat_map(|practice| practice["roles"].as_array().unwrap())
                .map(|role| role["closed_door"] == true)
                .collect()
        };
        assert!(doors("results").iter().all(|closed| !closed), "{document}");
        assert!(doors("closed_door").iter().any(|closed| *closed) || doors("closed_door").is_empty(), "{document}");
        for practice in document["closed_door"].as_array().unwrap() {
            assert!(practice["distance_km"].is_null(), "{practice}");
            apart += 1;
        }
        let shown = text(WIDE, &line);
        assert_eq!(shown.contains("Behind closed doors"), !doors("closed_door").is_empty(), "{shown}");
    }
    assert!(apart > 0);
}
