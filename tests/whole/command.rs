//! The `coverdex` command as programs meet it: exit codes, documents, errors.

use std::fs;
use std::path::PathBuf;
use std::sync::OnceLock;

use coverdex_sandbox::{FolderOptions, MadePayer, Shape};
use coverdex_tests::Made;
use coverdex_tests::command::{self, Ran, run};
use coverdex_tests::dataset::{copy, scratch, write_lines};
use coverdex_tests::fhir::{entry, formulary, list, medication, plan};
use serde_json::{Value, json};
use tempfile::TempDir;

const PLAN: &str = "H1234-001-000-2026";
const OTHER: &str = "H1234-002-000-2026";
const NO_DRUGS: &str = "H1234-003-000-2026";

/// A payer made by hand that has an answer of every status.
fn resources() -> Vec<Value> {
    let drug = |ndc: &str, name: &str| entry("e").ndc(ndc).text(name);
    let no = json!(false);
    let mut resources = formulary(
        PLAN,
        &[
            drug("11111000101", "Alphadol 10 mg tablet").rxcui(101).tier("1", "Preferred Generic").flags(
                &no,
                &json!(true),
                &no,
            ),
            drug("11111000102", "Alphadol 10 mg tablet").rxcui(101).tier("2", "Generic").flags(&no, &no, &json!(null)),
            drug("11111000201", "Alphadol 20 mg tablet").tier("0", "Non-Formulary Drug"),
            drug("22222000101", "Betacor 5 mg capsule").rxcui(102).tier("1", "Preferred Generic"),
            drug("22222000102", "Betacor 5 mg capsule").rxcui(102).tier("0", "Non-Formulary Drug"),
            drug("33333000101", "Gammalin 1 mg tablet").tier("1", "Preferred Generic"),
            drug("33333000101", "Gammalin 1 mg tablet").tier("3", "Preferred Brand"),
            drug("44444000101", "Deltavir 50 mg tablet"),
            entry("r").rxcui(105).text("epsilon 1 MG Oral Tablet").tier("2", "Generic"),
        ],
    );
    resources.push(medication("m1").ndc("11111000190").rxcui(101).text("Alphadol 10 mg tablet").json());
    resources.push(medication("m2").ndc("55555000101").text("Zetamine 5 mg tablet").json());
    resources.push(plan("ip-other", OTHER, Some("MA-PD"), "Other"));
    resources.push(list("l-other", OTHER, &["gone1", "gone2"]));
    resources.push(plan("ip-none", NO_DRUGS, Some("MA"), "Honor"));
    resources.push(plan("ip-s1", "H1234-004-001-2026", Some("MA-PD"), "First segment"));
    resources.push(plan("ip-s2", "H1234-004-002-2026", Some("MA-PD"), "Second segment"));
    resources
}

fn made() -> &'static Made {
    static MADE: OnceLock<Made> = OnceLock::new();
    MADE.get_or_init(|| Made::of(&resources()))
}

/// Runs the command on the payer made by hand.
fn ask(arguments: &[&str]) -> Ran {
    let store = made().store.display().to_string();
    run(&[arguments, &["--data", &store]].concat())
}

fn answered(arguments: &[&str]) -> Value {
    let ran = ask(&[arguments, &["--json"]].concat());
    assert_eq!(ran.code, Some(0), "{arguments:?}: {ran:?}");
    assert_eq!(ran.stderr, "", "{arguments:?}");
    ran.json()
}

/// What a program needs of an error; people read the same on standard error.
#[track_caller]
fn refused(ran: &Ran, code: i32, kind: &str) -> Value {
    assert_eq!(ran.code, Some(code), "{ran:?}");
    let error = ran.json()["error"].clone();
    assert_eq!(error["kind"], kind, "{error}");
    for field in ["subject", "message"] {
        assert!(error[field].as_str().is_some_and(|text| !text.is_empty()), "{field}: {error}");
    }
    assert!(error["hint"].is_null() || error["hint"].is_string(), "{error}");
    assert!(error["candidates"].is_array(), "{error}");
    error
}

fn has_fields(value: &Value, fields: &[&str]) {
    let object = value.as_object().unwrap_or_else(|| panic!("no object: {value}"));
    for field in fields {
        assert!(object.contains_key(*field), "no {field}: {value}");
    }
}

const ELEMENT: [&str; 13] = [
    "plan",
    "query",
    "status",
    "reason",
    "varies",
    "packages",
    "not_on_this_list",
    "seen_anywhere",
    "gaps",
    "candidates",
    "as_of",
    "source",
    "complete",
];
const PACKAGE: [&str; 9] = [
    "ndc11",
    "product_ndc",
    "rxcui",
    "name",
    "status",
    "tier",
    "prior_authorization",
    "step_therapy",
    "quantity_limit",
];

#[test]
fn covered_prints_an_element_for_each_plan_and_drug() {
    let drugs = ["alphadol 10 mg", "11111000201", "22222-0001", "nothing", "alphadol", "33333000101"];
    let all = answered(&[&["covered"], &drugs[..], &["--plan", "H1234-001", OTHER]].concat());
    let all = all.as_array().unwrap();
    assert_eq!(all.len(), 12);
    let got: Vec<(&str, &str)> =
        all.iter().map(|e| (e["plan"].as_str().unwrap(), e["query"].as_str().unwrap())).collect();
    let want: Vec<(&str, &str)> = [PLAN, OTHER].iter().flat_map(|plan| drugs.map(|drug| (*plan, drug))).collect();
    assert_eq!(got, want, "plans in the order asked, drugs in the order asked");
    for element in all {
        has_fields(element, &ELEMENT);
        assert_eq!(
            (&element["as_of"], &element["source"]),
            (&json!("2026-03-01T00:00:00Z"), &json!("made for a test"))
        );
        for package in element["packages"].as_array().unwrap() {
            has_fields(package, &PACKAGE);
        }
    }
}

#[test]
fn every_status_has_its_document() {
    let one = |drug: &str, plan: &str| answered(&["covered", drug, "--plan", plan])[0].clone();
    for (drug, plan, status, reason) in [
        ("11111000101", PLAN, "covered", Value::Null),
        ("11111000201", PLAN, "not_covered", Value::Null),
        ("22222-0001", PLAN, "mixed", Value::Null),
        ("33333000101", PLAN, "conflict", Value::Null),
        ("44444000101", PLAN, "unknown", json!("tier_not_stated")),
        ("55555000101", PLAN, "not_listed", Value::Null),
        ("99999999999", PLAN, "not_listed", Value::Null),
        ("alphadol", PLAN, "ambiguous", Value::Null),
        ("nothing", PLAN, "not_found", Value::Null),
        ("11111000101", OTHER, "unknown", json!("incomplete")),
        ("11111000101", NO_DRUGS, "unknown", json!("no_drug_benefit")),
        ("11111000101", "H1234-004-001", "unknown", json!("no_formulary_published")),
    ] {
        let element = one(drug, plan);
        assert_eq!((&element["status"], &element["reason"]), (&json!(status), &reason), "{drug} {plan}");
    }
    let package = &one("11111-0001-01", PLAN)["packages"][0];
    assert_eq!(
        *package,
        json!({
            "ndc11": "11111000101", "product_ndc": package["product_ndc"], "rxcui": ["101"], "name": "Alphadol 10 mg tablet",
            "status": "covered", "reason": null,
            "tier": { "code": "1", "display": "Preferred Generic", "level": "preferred_generic" },
            "prior_authorization": false, "step_therapy": true, "quantity_limit": false, "mail_order": null,
        })
    );
    assert_eq!(package["product_ndc"], "11111-0001");
    let varies = one("101", PLAN);
    assert_eq!((&varies["not_on_this_list"], varies["packages"].as_array().unwrap().len()), (&json!(1), 2));
    assert_eq!(varies["varies"]["step_therapy"], json!([1, 2]));
    assert_eq!(varies["varies"]["prior_authorization"], json!([0, 2]));
    let tiers: Vec<&Value> = varies["varies"]["tiers"].as_array().unwrap().iter().map(|tier| &tier["code"]).collect();
    assert_eq!(tiers, ["1", "2"]);
    assert_eq!(one("11111000101", PLAN)["varies"], Value::Null);
    let conflict = &one("33333000101", PLAN)["packages"][0];
    assert_eq!((&conflict["status"], &conflict["tier"]), (&json!("conflict"), &Value::Null));
    let said: Vec<&Value> = conflict["conflict"].as_array().unwrap().iter().map(|says| &says["tier"]["code"]).collect();
    assert_eq!(said, ["1", "3"]);
    let rxnorm_only = &one("105", PLAN)["packages"][0];
    assert_eq!((&rxnorm_only["ndc11"], &rxnorm_only["rxcui"]), (&Value::Null, &json!(["105"])));
    assert_eq!(one("99999999999", PLAN)["seen_anywhere"], false);
    assert_eq!(one("55555000101", PLAN)["seen_anywhere"], true);
    let gaps = one("11111000101", OTHER);
    assert_eq!((&gaps["gaps"], &gaps["complete"]), (&json!(2), &json!(false)));
    let candidates = &one("alphadol", PLAN)["candidates"];
    assert_eq!(
        candidates[0],
        json!({ "name": "Alphadol 10 mg tablet", "product_ndcs": ["11111-0001"], "differs": null })
    );
    assert_eq!(one("alphadool 10", PLAN)["candidates"][0]["name"], "Alphadol 10 mg tablet");
}

#[test]
fn drug_finds_lines_with_and_without_a_plan() {
    let found = answered(&["drug", "alphadol", "10"]);
    has_fields(&found, &["query", "results"]);
    assert_eq!(found["query"], "alphadol 10");
    let first = &found["results"][0];
    has_fields(first, &["name", "product_ndcs", "rxcui", "ndc11", "brand", "ingredient", "strength", "form"]);
    assert_eq!(
        (&first["name"], &first["strength"], &first["form"]),
        (&json!("Alphadol"), &json!("10 mg"), &json!("tablet"))
    );
    assert_eq!(first["ndc11"], json!(["11111000101", "11111000102", "11111000190"]));
    assert!(first.get("status").is_none(), "no plan, no coverage: {first}");
    let with_plan = answered(&["drug", "alphadol", "--plan", PLAN]);
    let shown: Vec<(&Value, &Value)> =
        with_plan["results"].as_array().unwrap().iter().map(|line| (&line["strength"], &line["status"])).collect();
    assert_eq!(shown, [(&json!("10 mg"), &json!("covered")), (&json!("20 mg"), &json!("not_covered"))]);
    assert_eq!(answered(&["drug", "a", "--limit", "1"])["results"].as_array().unwrap().len(), 1);
    assert_eq!(answered(&["drug", "11111-0002"])["results"][0]["strength"], "20 mg");
    let nothing = ask(&["drug", "qqqqqqqq", "--json"]);
    assert_eq!(nothing.json()["results"], json!([]), "{nothing:?}");
}

#[test]
fn plans_info_and_verify_print_their_documents() {
    let plans = answered(&["plans"]);
    has_fields(&plans, &["results", "area_unknown"]);
    let results = plans["results"].as_array().unwrap();
    assert_eq!(results.len(), 5);
    for plan in results {
        has_fields(plan, &["plan", "name", "type", "audience", "year", "networks", "formulary"]);
    }
    let of = |id: &str| results.iter().find(|plan| plan["plan"] == id).unwrap();
    assert_eq!(
        (&of(PLAN)["type"], &of(PLAN)["formulary"], &of(PLAN)["year"]),
        (&json!("MA-PD"), &json!(true), &json!(2026))
    );
    assert_eq!((&of(NO_DRUGS)["type"], &of(NO_DRUGS)["formulary"]), (&json!("MA"), &json!(false)));
    assert_eq!(answered(&["plans", "--year", "2026", "--type", "ma"])["results"].as_array().unwrap().len(), 1);
    let info = answered(&["info"]);
    has_fields(&info, &["dataset", "format", "as_of", "sources", "counts", "report"]);
    assert_eq!(info["dataset"], made().built.manifest.dataset);
    assert_eq!(info["sources"][0]["name"], "made for a test");
    let whole = answered(&["verify"]);
    assert_eq!(whole["dataset"], info["dataset"], "{whole}");
}

#[test]
fn asking_for_what_is_not_there_exits_1() {
    let unknown = refused(&ask(&["covered", "alphadol", "--plan", "H1234-999", "--json"]), 1, "not_found");
    assert!(unknown["candidates"][0].as_str().unwrap().starts_with(PLAN), "{unknown}");
    let several = refused(&ask(&["covered", "alphadol", "--plan", "H1234-004", "--json"]), 1, "ambiguous");
    assert_eq!(several["candidates"].as_array().unwrap().len(), 2, "{several}");
    refused(&ask(&["drug", "alphadol", "--plan", "H9999-001", "--json"]), 1, "not_found");
}

#[test]
fn wrong_usage_exits_2() {
    for arguments in [
        &["covered", "alphadol"][..],
        &["covered", "--plan", PLAN],
        &["covered", "alphadol", "--plna", PLAN],
        &["cover", "alphadol"],
        &["drug"],
        &["drug", "alphadol", "--limit", "many"],
        &["build", "--from", "somewhere"],
        &["plans", "--year", "12"],
        &[],
    ] {
        let people = ask(arguments);
        assert_eq!(people.code, Some(2), "{arguments:?}: {people:?}");
        assert_eq!(people.stdout, "", "{arguments:?}");
        assert!(!people.stderr.is_empty(), "{arguments:?}");
    }
    let misspelt = refused(&ask(&["cover", "alphadol", "--json"]), 2, "usage");
    assert!(misspelt["candidates"].as_array().unwrap().contains(&json!("covered")), "{misspelt}");
    for code in ["000006022128", "0006-022-28"] {
        // A code that can be none is a row that says so, alone too, and takes nothing with it.
        let alone = answered(&["covered", code, "--plan", PLAN]);
        assert_eq!(alone[0]["status"], "not_found", "{alone}");
        assert!(alone[0]["notes"][0].as_str().unwrap().contains(code), "{alone}");
        let all = answered(&["covered", code, "11111000101", "--plan", PLAN]);
        assert_eq!((&all[0]["status"], &all[1]["status"]), (&json!("not_found"), &json!("covered")), "{all}");
    }
}

#[test]
fn datasets_that_are_missing_or_damaged_exit_3() {
    let folder = scratch();
    let nowhere = folder.path().join("nowhere").display().to_string();
    let missing = run(&["drug", "x", "--json", "--data", &nowhere]);
    let error = refused(&missing, 3, "dataset_missing");
    assert!(error["hint"].as_str().unwrap().contains("coverdex build"), "{error}");
    let people = run(&["drug", "x", "--data", &nowhere]);
    assert_eq!((people.code, people.stdout.as_str()), (Some(3), ""));
    assert!(people.stderr.contains("nowhere") && people.stderr.contains("coverdex build"), "{people:?}");

    let store = folder.path().join("store");
    copy(&made().store, &store);
    let name = fs::read_to_string(store.join("CURRENT")).unwrap();
    let database = store.join(name.trim()).join("coverdex.sqlite");
    let whole = fs::read(&database).unwrap();
    fs::write(&database, &whole[..whole.len() - 1]).unwrap();
    let store = store.display().to_string();
    for arguments in [&["drug", "x"][..], &["covered", "x", "--plan", PLAN], &["plans"], &["info"]] {
        refused(&run(&[arguments, &["--json", "--data", &store]].concat()), 3, "dataset_damaged");
    }
    let verified = run(&["verify", "--json", "--data", &store]);
    assert_eq!(verified.code, Some(3), "{verified:?}");
    assert_eq!(verified.json()["error"]["kind"], "dataset_damaged");
    fs::write(PathBuf::from(&store).join("CURRENT"), "elsewhere").unwrap();
    refused(&run(&["info", "--json", "--data", &store]), 3, "dataset_damaged");
}

#[test]
fn the_dataset_is_named_by_option_then_environment_then_place() {
    let other = Made::of(&[plan("x", "S1111-001-000-2026", Some("PDP"), "Elsewhere (PDP)")]);
    let (here, there) = (made().store.display().to_string(), other.store.display().to_string());
    let plans = |command: &mut std::process::Command| -> Vec<String> {
        let output = command.args(["plans", "--json"]).output().unwrap();
        let document: Value = serde_json::from_slice(&output.stdout).unwrap_or_else(|e| panic!("{e} {output:?}"));
        let results = document["results"].as_array().unwrap_or_else(|| panic!("{document}")).iter();
        results.map(|plan| plan["plan"].as_str().unwrap().to_owned()).collect()
    };
    let by_environment = plans(command::coverdex().env("COVERDEX_DATA", &there));
    assert_eq!(by_environment, ["S1111-001-000-2026"]);
    assert_eq!(plans(command::coverdex().env("COVERDEX_DATA", &there).args(["--data", &here])).len(), 5);
    assert_eq!(plans(command::coverdex().args(["--data", &here, "--data", &there])).len(), 6, "several at once");
    let place = scratch();
    fs::create_dir(place.path().join("index-data")).unwrap();
    copy(&other.store, &place.path().join("index-data/current"));
    assert_eq!(plans(command::coverdex().current_dir(place.path())), by_environment);
    let nothing = command::coverdex().current_dir(scratch().path()).args(["plans", "--json"]).output().unwrap();
    assert_eq!(nothing.status.code(), Some(3));
}

/// The years of one plan in one call: the present one, and from October the next beside it.
#[test]
fn the_year_follows_the_date_of_the_data() {
    let folder = scratch();
    let from = folder.path().join("from");
    fs::create_dir(&from).unwrap();
    let mut resources = formulary("H1234-001-000-2026", &[entry("a").ndc("11111000101").tier("1", "Generic")]);
    resources.extend(formulary("H1234-001-000-2027", &[entry("a").ndc("11111000101").tier("4", "Non-Preferred Drug")]));
    write_lines(&from.join("all.ndjson"), &resources);
    let from = from.display().to_string();
    for (as_of, want) in [
        ("2026-09-30", vec![("H1234-001-000-2026", "1")]),
        ("2026-10-01", vec![("H1234-001-000-2026", "1"), ("H1234-001-000-2027", "4")]),
        ("2027-01-01T00:00:00Z", vec![("H1234-001-000-2027", "4")]),
    ] {
        let store = folder.path().join(as_of.replace(':', "")).display().to_string();
        let built = run(&["build", "--from", &from, "--out", &store, "--as-of", as_of, "--json"]);
        assert_eq!(built.code, Some(0), "{built:?}");
        assert!(built.json()["as_of"].as_str().unwrap().starts_with(&as_of[..10]), "{built:?}");
        let answer = run(&["covered", "11111000101", "--plan", "H1234-001", "--json", "--data", &store]).json();
        let got: Vec<(&str, &str)> = answer
            .as_array()
            .unwrap()
            .iter()
            .map(|e| (e["plan"].as_str().unwrap(), e["packages"][0]["tier"]["code"].as_str().unwrap()))
            .collect();
        assert_eq!(got, want, "as of {as_of}");
    }
    let junk = run(&["build", "--from", &from, "--out", "x", "--as-of", "last week", "--json"]);
    refused(&junk, 2, "invalid_input");
}

#[test]
fn build_says_what_it_did_and_what_was_wrong() {
    let folder: TempDir = scratch();
    let (from, store) = (folder.path().join("from"), folder.path().join("store"));
    MadePayer::new(Shape::tiny())
        .write_folder(&from, &FolderOptions { broken_lines: 2, ..FolderOptions::default() })
        .unwrap();
    let (from, store) = (from.display().to_string(), store.display().to_string());
    let built = run(&["build", "--from", &from, "--out", &store, "--payer", "Larkspur", "--json"]);
    assert_eq!(built.code, Some(0), "{built:?}");
    let info = run(&["info", "--json", "--data", &store]).json();
    assert_eq!(info["sources"][0]["name"], "Larkspur");
    assert_eq!(info["dataset"], built.json()["dataset"]);
    // What is no resource is told, with its place.
    let told = run(&["build", "--from", &from, "--out", &store]);
    assert_eq!(told.code, Some(0));
    assert!(told.stdout.contains("List.ndjson"), "{}", told.stdout);
    let empty = folder.path().join("empty");
    fs::create_dir(&empty).unwrap();
    refused(&run(&["build", "--from", empty.to_str().unwrap(), "--out", &store, "--json"]), 2, "invalid_input");
    let nowhere = folder.path().join("nowhere");
    refused(&run(&["build", "--from", nowhere.to_str().unwrap(), "--out", &store, "--json"]), 3, "io");
    refused(&run(&["build", "--from", &from, "--out", &from, "--json"]), 2, "invalid_input");
}

#[test]
fn tables_for_people_end_with_what_they_do_not_promise() {
    let table = ask(&["covered", "alphadol 10 mg", "zetamine 5 mg", "--plan", PLAN]);
    assert_eq!((table.code, table.stderr.as_str()), (Some(0), ""));
    for words in ["Alphadol 10 mg", "2026-03-01", "tier is not a price", "not listed"] {
        assert!(table.stdout.to_lowercase().contains(&words.to_lowercase()), "no {words:?} in\n{}", table.stdout);
    }
    assert!(!table.stdout.contains('\u{1b}'), "no color where nobody sees it");
    for arguments in [&["plans"][..], &["info"], &["verify"], &["drug", "alphadol"], &["info", "--sizes"]] {
        let shown = ask(arguments);
        assert_eq!((shown.code, shown.stderr.as_str()), (Some(0), ""), "{arguments:?}");
        assert!(shown.stdout.lines().count() > 0, "{arguments:?}");
        // Ids and paths are as long as they are; what is laid out fits a terminal.
        let is_table = |line: &&str| line.contains("  ") && !line.contains('/');
        let too_wide = shown.stdout.lines().filter(is_table).find(|line| line.chars().count() > 120);
        assert_eq!(too_wide.filter(|_| !arguments.contains(&"info")), None, "{arguments:?}");
    }
    for command in ["build", "drug", "covered", "plans", "info", "verify", "demo"] {
        let help = run(&[command, "--help"]);
        assert_eq!(help.code, Some(0), "{command}");
        assert!(help.stdout.contains(&format!("coverdex {command}")), "{command} teaches by example:\n{}", help.stdout);
    }
}
