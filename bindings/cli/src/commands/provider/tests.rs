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

/// Providers x plans, and the plans that take a provider, as the truth and each single question have them.
#[test]
fn providers_and_plans_side_by_side_are_the_single_answers() {
    let dataset = &tiny().datasets.all()[0].dataset;
    let truth = DirectoryTruth::new(tiny().payer.directory());
    let numbers: Vec<(coverdex_core::NetworkKey, u32)> =
        tiny().payer.networks().iter().map(|own| (network(own.number).parse().unwrap(), own.number)).collect();
    let number_of = |own: &coverdex_core::Network| numbers.iter().find(|(key, _)| *key == own.key).unwrap().1;
    let mut npis: Vec<String> = truth
        .providers
        .iter()
        .filter_map(coverdex_sandbox::directory::people::ProviderFacts::npi_key)
        .map(|npi| format!("{npi:010}"))
        .collect();
    npis.truncate(80);
    npis.push("1234567893".to_owned());
    npis.retain(|npi| dataset.provider(npi.parse::<coverdex_core::Npi>().unwrap()).is_ok());
    let plans: Vec<String> = dataset.all_plans().unwrap().iter().map(|plan| plan.id.to_string()).collect();
    let providers = npis.iter().map(|npi| npi.as_str().into()).collect();
    let question = coverdex_core::NetworkMatrixQuestion { providers, plans, ..Default::default() };
    let matrix = dataset.network_matrix(&question).unwrap();
    assert_eq!(matrix.providers.len(), npis.len());
    assert!(matrix.plans.is_sorted_by_key(|plan| (std::cmp::Reverse(plan.in_network), plan.unknown)));
    let mut in_network = 0;
    for column in &matrix.plans {
        for (npi, answer) in npis.iter().zip(&column.answers) {
            let number: coverdex_core::Npi = npi.parse().unwrap();
            let alone = dataset.plan_network_status(number, &column.plan, None).unwrap();
            assert_eq!((answer.status, &answer.reason), (alone.status, &alone.reason), "{npi} {}", column.plan.id);
            assert_eq!((&answer.networks, &answer.inactive), (&alone.networks, &alone.inactive));
            let mut keys = column.plan.networks.iter().map(number_of);
            let named = keys.any(|key| truth.network_status(number.number(), key) == Expected::InNetwork);
            assert_eq!(answer.status == coverdex_core::NetworkStatus::InNetwork, named, "{npi} {}", column.plan.id);
            in_network += u32::from(named);
        }
        let counted = column.answers.iter().filter(|a| a.status == coverdex_core::NetworkStatus::InNetwork).count();
        assert_eq!(usize::try_from(column.in_network).unwrap(), counted);
    }
    assert!(in_network > 100, "{in_network}");
    let document = serde_json::to_value(&matrix).unwrap();
    for field in ["providers", "plans", "ranked_by", "year", "area_unknown", "place", "as_of", "complete", "notes"] {
        assert!(document.get(field).is_some(), "{field}: {document}");
    }

    // The reverse: the plans of a county that take a provider are those of the matrix of that county.
    let (fips, ..) = tiny().payer.directory().counties().next().unwrap();
    let place = coverdex_core::Place::County(format!("{fips:05}"));
    let here = coverdex_core::NetworkMatrixQuestion { plans: Vec::new(), place: Some(place.clone()), ..question };
    let matrix = dataset.network_matrix(&here).unwrap();
    for (at, npi) in npis.iter().enumerate() {
        let taking = dataset.plans_taking(&npi.as_str().into(), &place, None, None, None).unwrap();
        let mut want: Vec<String> = matrix
            .plans
            .iter()
            .filter(|plan| plan.answers[at].status == coverdex_core::NetworkStatus::InNetwork)
            .map(|plan| plan.plan.id.to_string())
            .collect();
        want.sort();
        let mut got: Vec<String> = taking.taking.iter().map(|taking| taking.plan.id.to_string()).collect();
        got.sort();
        assert_eq!(got, want, "{npi}");
        let all = taking.taking.len() + taking.in_doubt.len() + usize::try_from(taking.not_listed).unwrap();
        assert_eq!(all, matrix.plans.len());
        assert_eq!((taking.year, taking.other_audiences), (matrix.year, matrix.other_audiences));
    }
}

/// By name as by NPI; several that fit, nobody and what is neither are rows.
#[test]
fn a_provider_is_named_by_its_name_too() {
    let dataset = &tiny().datasets.all()[0].dataset;
    let plan = dataset.all_plans().unwrap()[0].id.to_string();
    let ask = |texts: &[&str]| {
        let providers = texts.iter().map(|text| (*text).into()).collect();
        let question =
            coverdex_core::NetworkMatrixQuestion { providers, plans: vec![plan.clone()], ..Default::default() };
        dataset.network_matrix(&question).unwrap()
    };
    let search = coverdex_core::ProviderSearch { limit: 200, ..Default::default() };
    let shown = dataset.search_providers(&search).unwrap().results;
    let (mut single, mut several) = (0, 0);
    for practice in &shown {
        let matrix = ask(&[&practice.name]);
        let (asked, answer) = (&matrix.providers[0], &matrix.plans[0].answers[0]);
        if asked.candidates.is_empty() {
            assert_eq!((asked.npi, asked.name.as_deref()), (practice.npi, Some(practice.name.as_str())));
            single += 1;
        } else {
            assert!(asked.npi.is_none() && asked.problem.is_some(), "{asked:?}");
            assert_eq!(answer.status, coverdex_core::NetworkStatus::Unknown);
            several += 1;
        }
    }
    assert!(single > 20, "{single} {several}");
    let matrix = ask(&["Zzyzx Qwertz", "1234567890", "1234567893", "", "a"]);
    let [by_name, wrong, stranger, empty, letter] = matrix.providers.as_slice() else { panic!("five") };
    assert_eq!((by_name.name.as_ref(), by_name.problem.as_ref()), (None, None));
    assert!(wrong.problem.as_ref().is_some_and(|problem| problem.contains("check digit")), "{wrong:?}");
    assert_eq!((stranger.name.as_ref(), stranger.problem.as_ref()), (None, None));
    assert!(empty.problem.is_some() && !letter.candidates.is_empty(), "{empty:?} {letter:?}");
    let document = serde_json::to_value(&matrix).unwrap();
    for field in ["query", "npi", "name", "kind", "candidates", "notes"] {
        assert!(document["providers"][0].get(field).is_some(), "{field}: {document}");
    }
    for field in ["network_status", "reason", "summary", "networks", "inactive", "inactive_dates", "shared_role"] {
        assert!(document["plans"][0]["answers"][0].get(field).is_some(), "{field}: {document}");
    }
}

/// Pages join, and a page of another question is refused.
#[test]
fn pages_by_their_tokens_join() {
    let dataset = &tiny().datasets.all()[0].dataset;
    let question = coverdex_core::ProvidersQuestion {
        network_kind: Some(coverdex_core::NetworkKind::Medical),
        limit: 7,
        ..Default::default()
    };
    let whole = dataset.ask_providers(&coverdex_core::ProvidersQuestion { limit: 60, ..question.clone() }).unwrap();
    let mut joined = Vec::new();
    let mut page = question;
    while joined.len() < 56 {
        let answer = dataset.ask_providers(&page).unwrap().remove(0);
        joined.extend(answer.found.results);
        page.page = answer.next;
        assert!(page.page.is_some());
    }
    assert_eq!(joined[..56], whole[0].found.results[..56]);
    let other = coverdex_core::ProvidersQuestion { accepting: true, ..page };
    assert_eq!(dataset.ask_providers(&other).unwrap_err().kind(), ErrorKind::InvalidInput);
}
