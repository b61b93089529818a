use clap::Parser as _;
use coverdex_sandbox::truth::{DirectoryTruth, NetworkStatus as Expected};
use serde_json::Value;

use super::*;
use crate::args::{Command, CommandLine};
use crate::output::Look;
use crate::testing::{WIDE, network, tiny};

fn ask(line: &[&str]) -> Result<Vec<Answer<'static>>> {
    let line = ["coverdex", "provider"].iter().chain(line);
    let Command::Provider(args) = CommandLine::try_parse_from(line).unwrap().command else { panic!("another command") };
    answer(&tiny().datasets, &args)
}

fn json(line: &[&str]) -> Value {
    serde_json::from_slice(&document(&ask(line).unwrap()).unwrap().0).unwrap()
}

fn text(look: Look, line: &[&str]) -> String {
    ask(line).unwrap().iter().map(|answer| tables::render(look, answer, false)).collect::<Vec<_>>().join("\n")
}

/// Each status that a made payer has, as JSON says it and as people read it.
#[test]
fn every_standing_is_said_in_json_and_in_words() {
    let truth = DirectoryTruth::new(tiny().payer.directory());
    let examples = truth.status_examples(6);
    for (status, words) in [
        ("in_network", "In network: "),
        ("inactive", "Inactive: the "),
        ("other_networks_only", "In other networks only"),
        ("no_role", "Not in the directory: the directory names the provider, in no network"),
        ("not_in_directory", "Not in the directory\n"),
    ] {
        let examples = examples.get(status).map(Vec::as_slice).unwrap_or_default();
        assert!(!examples.is_empty(), "{status}");
        for (npi, number) in examples {
            let npi = format!("{npi:010}");
            let key = network(*number);
            let line = [npi.as_str(), "--network", key.as_str()];
            let (shown, document) = (text(WIDE, &line), json(&line));
            let stated = if status == "no_role" { "not_in_directory" } else { status };
            assert_eq!(document["network_status"], stated, "{document}");
            assert!(shown.contains(words), "{words}\n{shown}");
            let there = status != "not_in_directory";
            assert_eq!(document.get("name").is_some(), there, "{document}");
            assert_eq!(exit(&ask(&line).unwrap()), if there { Exit::Answered } else { Exit::NotThere });
            if let Expected::Inactive { role, provider, place } = truth.network_status(npi.parse().unwrap(), *number) {
                let levels: Vec<&str> = [(role, "role"), (provider, "provider"), (place, "place")]
                    .into_iter()
                    .filter_map(|(is, level)| is.then_some(level))
                    .collect();
                let said = document["inactive"].as_array().unwrap();
                assert!(levels.iter().any(|level| said.contains(&Value::from(*level))), "{levels:?}: {document}");
            } else {
                assert_eq!(document["inactive"], Value::from(Vec::<String>::new()), "{document}");
            }
        }
    }
}

#[test]
fn the_documented_fields_are_there() {
    let truth = DirectoryTruth::new(tiny().payer.directory());
    let (npi, number) = truth.status_examples(1)["in_network"][0];
    let document = json(&[&npi.to_string(), "--network", &network(number)]);
    for field in ["npi", "name", "kind", "locations", "network_status", "inactive", "as_of", "source", "complete"] {
        assert!(document.get(field).is_some(), "{field}: {document}");
    }
    let locations = document["locations"].as_array().unwrap();
    assert!(locations.iter().any(|place| place["network_status"] == "in_network"), "{document}");
    for place in locations {
        for field in ["npi", "specialties", "networks", "location", "phone", "shared_role", "roles"] {
            assert!(place.get(field).is_some(), "{field}: {place}");
        }
    }
    let nobody = json(&["1234567893"]);
    assert_eq!(nobody["network_status"], "not_in_directory");
    assert_eq!((nobody["npi"].as_str(), nobody.get("name")), (Some("1234567893"), None));
    assert_eq!(nobody["locations"], Value::from(Vec::<String>::new()));
    // Without a plan or a network nobody's standing is asked.
    assert!(json(&[&npi.to_string()])["network_status"].is_null());
}

#[test]
fn several_npis_are_one_provider() {
    let truth = DirectoryTruth::new(tiny().payer.directory());
    let facts = truth.providers.iter().find(|facts| facts.npis().len() > 1).unwrap();
    let mut npis: Vec<String> = facts.npis().iter().map(|npi| format!("{npi:010}")).collect();
    npis.sort();
    let document = json(&[&npis[1]]);
    assert_eq!((&document["npi"], &document["aliases"]), (&Value::from(&*npis[0]), &Value::from(npis[1..].to_vec())));
    assert!(document["notes"][0].as_str().unwrap().contains(&npis[0]), "{document}");
    let shown = text(WIDE, &[&npis[0]]);
    assert!(shown.contains(&format!("NPI {} · also NPI {}", npis[0], npis[1])), "{shown}");
}

/// A stand-alone drug plan has pharmacies only: asked of a physician it has no such network.
#[test]
fn a_plan_of_pharmacies_has_no_network_for_a_physician() {
    let dataset = &tiny().datasets.all()[0].dataset;
    let pharmacies_only = |plan: &coverdex_core::Plan| {
        !plan.networks.is_empty() && plan.networks.iter().all(|n| n.kind == coverdex_core::NetworkKind::Pharmacy)
    };
    let plan = dataset.all_plans().unwrap().iter().find(|plan| pharmacies_only(plan)).unwrap().id.to_string();
    let truth = DirectoryTruth::new(tiny().payer.directory());
    let medical = tiny().payer.networks().iter().filter(|n| network(n.number).contains("Medical"));
    let medical: Vec<u32> = medical.map(|n| n.number).collect();
    let mut seen = 0;
    for (at, facts) in truth.providers.iter().enumerate() {
        let roles = truth.roles_of(at);
        let all_medical = roles.iter().flat_map(|role| &role.networks).all(|number| medical.contains(number));
        let some = roles.iter().any(|role| !role.networks.is_empty());
        if let (Some(npi), true, true) = (facts.npi_key(), all_medical, some) {
            let npi = format!("{npi:010}");
            let document = json(&[&npi, "--plan", &plan]);
            assert_eq!(document["network_status"], "no_such_network", "{document}");
            assert!(document["summary"].as_str().unwrap().contains("pharmacy networks only"), "{document}");
            // Asked of one network by its key, the word is another.
            let other = network(0);
            assert_eq!(json(&[&npi, "--network", &other])["network_status"], "other_networks_only");
            seen += 1;
        }
    }
    assert!(seen > 10, "{seen}");
}

#[test]
fn a_wrong_check_digit_is_no_absence() {
    let error = ask(&["1234567890"]).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidInput);
    assert!(error.message().contains("check digit"), "{error:?}");
}

#[test]
fn pages_fit_and_show_every_place() {
    let truth = DirectoryTruth::new(tiny().payer.directory());
    for facts in truth.providers.iter().filter(|facts| facts.npi_key().is_some()).take(40) {
        let npi = format!("{:010}", facts.npi_key().unwrap());
        let document = json(&[&npi]);
        for width in [80, 100] {
            let shown = text(Look { width, color: false }, &[&npi]);
            let widest = shown.lines().map(|line| line.chars().count()).max().unwrap();
            assert!(widest <= width.into(), "{width} columns: {widest}\n{shown}");
        }
        let shown = text(WIDE, &[&npi]);
        for place in document["locations"].as_array().unwrap() {
            let words = place["location"]["address"].as_str().unwrap_or_default();
            assert!(shown.contains(words), "{words}\n{shown}");
        }
    }
}
