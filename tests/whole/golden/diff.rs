//! What changed between two datasets made by hand.

use std::fs;
use std::path::Path;

use coverdex_core::{
    Cancel, ChangedFact, Comparison, CoverageReason, CoverageStatus, DatasetDiff, DiffQuestion, DrugChange,
    DrugChangeKind, ErrorKind, MemberChangeKind, Place,
};
use coverdex_tests::Made;
use coverdex_tests::command::run;
use coverdex_tests::dataset::{copy, scratch, write_lines};
use coverdex_tests::fhir::{Entry, entry, formulary, list, plan};
use coverdex_tests::questions;
use serde_json::{Value, json};

const PLAN: &str = "H1234-001-000-2026";
const TWIN: &str = "H1234-002-000-2026";
const OTHER: &str = "H1234-003-000-2026";

fn drug(ndc: &str, name: &str, tier: (&str, &str), prior_authorization: &Value) -> Entry {
    let no = json!(false);
    entry("e").ndc(ndc).text(name).tier(tier.0, tier.1).flags(prior_authorization, &no, &no)
}

const ONE: (&str, &str) = ("1", "Preferred Generic");
const TWO: (&str, &str) = ("2", "Generic");
const FIVE: (&str, &str) = ("5", "Five");
const ZERO: (&str, &str) = ("0", "Non-Formulary Drug");

fn old_list() -> Vec<Entry> {
    let no = json!(false);
    vec![
        drug("11111000101", "Alphadol 10 mg tablet", ONE, &no),
        drug("11111000102", "Alphadol 10 mg tablet", ONE, &no),
        drug("11111000103", "Alphadol 10 mg tablet", TWO, &no),
        drug("22222000101", "Betacor 5 mg capsule", ONE, &no),
        drug("33333000101", "Gammalin 1 mg tablet", TWO, &no),
        drug("44444000101", "Deltavir 50 mg tablet", ONE, &no),
        drug("55555000101", "Epsilol 5 mg tablet", ONE, &no),
        drug("66666000101", "Zetamine 5 mg tablet", ONE, &no),
        entry("r").rxcui(105).text("etalin 1 MG Oral Tablet").tier(TWO.0, TWO.1),
        entry("s").rxcui(106).text("thetalin 1 MG Oral Tablet").tier(TWO.0, TWO.1),
    ]
}

fn new_list() -> Vec<Entry> {
    let no = json!(false);
    vec![
        // In another order: rows have other numbers.
        entry("r").rxcui(105).text("etalin 1 MG Oral Tablet").tier(ONE.0, ONE.1),
        drug("77777000101", "Newdrug 1 mg tablet", TWO, &json!(true)),
        drug("66666000101", "Zetamine 5 mg tablet", FIVE, &no),
        drug("55555000101", "Epsilol 5 mg tablet", ONE, &no),
        drug("44444000101", "Deltavir 50 mg tablet", ONE, &json!(null)),
        drug("33333000101", "Gammalin 1 mg tablet", ZERO, &no),
        drug("22222000101", "Betacor 5 mg capsule", ONE, &no),
        drug("22222000101", "Betacor 5 mg capsule", TWO, &no),
        drug("11111000101", "Alphadol 10 mg tablet", TWO, &json!(true)),
        drug("11111000102", "Alphadol 10 mg tablet", TWO, &json!(true)),
    ]
}

fn payer(lists: &[(&str, Vec<Entry>)]) -> Vec<Value> {
    lists.iter().flat_map(|(plan, entries)| formulary(plan, entries)).collect()
}

fn diff(old: &Made, new: &Made) -> DatasetDiff {
    old.dataset.diff(&new.dataset, &DiffQuestion::default()).unwrap()
}

fn change<'d>(diff: &'d DatasetDiff, name: &str, kind: DrugChangeKind) -> &'d DrugChange {
    let all = diff.drugs.iter().flatten().flat_map(|lists| &lists.changes);
    let mut found = all.filter(|change| change.name.starts_with(name) && change.kind == kind);
    let only = found.next().unwrap_or_else(|| panic!("{name} {kind:?}: {diff:#?}"));
    assert!(found.next().is_none(), "{name} {kind:?}: {diff:#?}");
    only
}

#[test]
fn drugs_are_told_by_what_became_of_them() {
    let old = Made::of(&payer(&[(PLAN, old_list()), (TWIN, old_list())]));
    let new = Made::of(&payer(&[(PLAN, new_list()), (TWIN, new_list())]));
    let diff = diff(&old, &new);
    let lists = diff.drugs.as_deref().unwrap();
    let [lists] = lists else { panic!("plans that changed alike stand together: {lists:#?}") };
    assert_eq!(lists.plans.iter().map(ToString::to_string).collect::<Vec<_>>(), [PLAN, TWIN]);
    let counts = lists.counts;
    assert_eq!((counts.left, counts.came, counts.not_known, counts.changed), (2, 1, 0, 7), "{counts:?}");
    // Gammalin's and Betacor's tiers have nothing to compare, nor has a tier that is a number alone.
    assert_eq!((counts.tier_worse, counts.tier_better, counts.tier_other), (2, 1, 3), "{counts:?}");
    assert_eq!((counts.prior_authorization, counts.status, counts.same), (3, 2, 1), "{counts:?}");

    let alphadol = change(&diff, "Alphadol", DrugChangeKind::Changed);
    assert_eq!(alphadol.changed, [ChangedFact::Tier, ChangedFact::PriorAuthorization]);
    assert_eq!((alphadol.comparison, alphadol.packages.len()), (Comparison::Worse, 2));
    let tier = |says: &coverdex_core::PackageStatement| says.statement.tier.as_ref().map(ToString::to_string);
    assert_eq!(tier(&alphadol.old).as_deref(), Some("1 Preferred Generic"));
    assert_eq!(tier(&alphadol.new).as_deref(), Some("2 Generic"));
    let left = change(&diff, "Alphadol", DrugChangeKind::Left);
    assert_eq!((left.new.status, left.comparison), (CoverageStatus::NotListed, Comparison::Worse));
    assert_eq!(left.packages[0].ndc11.unwrap().to_string(), "11111000103");
    let betacor = change(&diff, "Betacor", DrugChangeKind::Changed);
    assert_eq!((betacor.new.status, betacor.new.conflict.len()), (CoverageStatus::Conflict, 2));
    assert_eq!(betacor.comparison, Comparison::NotComparable);
    let gammalin = change(&diff, "Gammalin", DrugChangeKind::Changed);
    assert_eq!((gammalin.new.status, gammalin.comparison), (CoverageStatus::NotCovered, Comparison::Worse));
    let deltavir = change(&diff, "Deltavir", DrugChangeKind::Changed);
    let flags = [&deltavir.old, &deltavir.new].map(|says| says.statement.prior_authorization);
    assert_eq!((deltavir.changed.as_slice(), flags), (&[ChangedFact::PriorAuthorization][..], [Some(false), None]));
    assert_eq!(change(&diff, "Newdrug", DrugChangeKind::Came).comparison, Comparison::Better);
    assert_eq!(change(&diff, "Zetamine", DrugChangeKind::Changed).comparison, Comparison::NotComparable);
    let etalin = change(&diff, "etalin", DrugChangeKind::Changed);
    assert_eq!((etalin.comparison, etalin.packages[0].ndc11), (Comparison::Better, None));
    change(&diff, "thetalin", DrugChangeKind::Left);
    assert!(!lists.changes.iter().any(|change| change.name.starts_with("Epsilol")));

    let limited = DiffQuestion { limit: Some(3), ..DiffQuestion::default() };
    let limited = &old.dataset.diff(&new.dataset, &limited).unwrap().drugs.unwrap()[0];
    assert_eq!(limited.changes, lists.changes[..3]);
    assert_eq!((limited.more as usize, limited.counts), (lists.changes.len() - 3, counts));
}

#[test]
fn what_an_incomplete_list_lacks_has_not_left() {
    let old = Made::of(&payer(&[(PLAN, old_list())]));
    let mut resources = payer(&[(PLAN, new_list())]);
    resources.push(list("more", PLAN, &["gone1", "gone2"]));
    let incomplete = Made::of(&resources);
    let diff_to = diff(&old, &incomplete);
    let counts = diff_to.drugs.as_ref().unwrap()[0].counts;
    assert_eq!((counts.left, counts.came, counts.not_known), (0, 1, 2), "{counts:?}");
    let open = change(&diff_to, "Alphadol", DrugChangeKind::NotKnown);
    assert_eq!((open.new.status, open.new.reason), (CoverageStatus::Unknown, Some(CoverageReason::Incomplete)));
    assert_eq!(open.comparison, Comparison::NotComparable);
    assert!(!diff_to.is_complete());
    // Nor did what only the newer one has come for sure.
    let counts = diff(&incomplete, &old).drugs.as_ref().unwrap()[0].counts;
    assert_eq!((counts.left, counts.came, counts.not_known), (1, 0, 2), "{counts:?}");
}

#[test]
fn plans_come_leave_and_change_once() {
    let mut of_old = payer(&[(PLAN, old_list()), (TWIN, old_list())]);
    of_old.push(plan("ip-more", "H1234-009-000-2026", Some("MA"), "Honor"));
    let mut of_new = payer(&[(PLAN, old_list()), (OTHER, old_list())]);
    of_new.push(plan("ip-more", "H1234-009-000-2026", Some("MA"), "Honor Plus"));
    let (old, new) = (Made::of(&of_old), Made::of(&of_new));
    let whole = diff(&old, &new);
    let plans = whole.plans.as_ref().unwrap();
    let ids = |plans: &[coverdex_core::Plan]| plans.iter().map(|plan| plan.id.to_string()).collect::<Vec<_>>();
    assert_eq!((ids(&plans.left), ids(&plans.came)), (vec![TWIN.to_owned()], vec![OTHER.to_owned()]));
    let [changed] = plans.changed.as_slice() else { panic!("{plans:?}") };
    assert_eq!((changed.old_name.as_deref(), changed.new_name.as_deref()), (Some("Honor"), Some("Honor Plus")));
    // Their drugs are not told beside.
    assert!(whole.drugs.iter().flatten().all(|lists| lists.counts.all() == 0), "{whole:#?}");
    let of_plan = |text: &str| {
        let question = DiffQuestion { plans: vec![text.to_owned()], ..DiffQuestion::default() };
        old.dataset.diff(&new.dataset, &question)
    };
    assert!(of_plan(PLAN).unwrap().is_empty());
    assert_eq!(of_plan("h1234 002").unwrap().plans.unwrap().left.len(), 1);
    let missing = of_plan("H1234-077").unwrap_err();
    assert_eq!((missing.kind(), missing.candidates().is_empty()), (ErrorKind::NotFound, false));
}

#[test]
fn a_cancelled_call_ends() {
    let made = Made::of(&payer(&[(PLAN, old_list())]));
    let cancel = Cancel::new();
    cancel.cancel();
    let stopped = made.dataset.cancelled_by(&cancel);
    for (old, new) in [(&stopped, &made.dataset), (&made.dataset, &stopped)] {
        let error = old.diff(new, &DiffQuestion::default()).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Interrupted);
    }
}

/// The payer of the questions with other roles.
fn with_roles(change: impl Fn(&str, &mut Value) -> bool) -> Made {
    let folder = scratch();
    copy(&questions::payer(), folder.path());
    let path = folder.path().join("roles.ndjson");
    let roles = fs::read_to_string(&path).unwrap();
    let mut roles: Vec<Value> = roles.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    roles.retain_mut(|role| {
        let id = role["id"].as_str().unwrap().to_owned();
        change(&id, role)
    });
    write_lines(&path, &roles);
    Made::folder(folder.path())
}

const MEDICAL: &str = "https://pinonmesa.test/glossary/MedicalDentalNetworkId|100";

#[test]
fn providers_are_told_by_network_and_county() {
    let old = with_roles(|_, _| true);
    let new = with_roles(|id, role| {
        match id {
            // Left altogether; left a network that is not complete; one of two counties; became inactive; came.
            "nunez" | "whitfield" => return false,
            // Of the last the place is another in the same county: that is no change.
            "wisniewska" | "etcheverry" => role["location"] = json!([{ "reference": "Location/heart" }]),
            "apodaca" => role["active"] = json!(false),
            "delrio" => role["active"] = json!(true),
            // It is in network at a place that is not stated: that may be where it was.
            "duarte-medical" => role["location"] = json!([]),
            _ => {}
        }
        true
    });
    let diff = diff(&old, &new);
    let networks = &diff.providers.as_ref().unwrap().networks;
    let of = |key: &str| networks.iter().find(|members| members.new_networks[0].key.to_string() == key).unwrap();
    let medical = of(MEDICAL);
    let told: Vec<(String, &str, &str, bool)> = medical
        .changes
        .iter()
        .map(|change| {
            let county = change.county_name.as_deref().unwrap_or("-");
            (change.name.clone(), county, change.kind_of_change.as_str(), change.elsewhere)
        })
        .collect();
    let is_told = |name: &str, county: &str, kind: &str, elsewhere: bool| {
        let fits = |row: &&(String, &str, &str, bool)| {
            row.0.contains(name) && row.1.starts_with(county) && row.2 == kind && row.3 == elsewhere
        };
        assert_eq!(told.iter().filter(fits).count(), 1, "{name} {kind}: {told:#?}");
    };
    is_told("Núñez", "Doña Ana", "left", false);
    is_told("Wiśniewska", "El Paso", "left", true);
    is_told("Apodaca", "Doña Ana", "inactive", false);
    is_told("Río", "Doña Ana", "active", false);
    is_told("Duarte", "Doña Ana", "not_known", true);
    assert_eq!(told.len(), 5, "{told:#?}");
    let counts = medical.counts;
    assert_eq!((counts.left, counts.inactive, counts.active, counts.came), (1, 1, 1, 0), "{counts:?}");
    assert_eq!(counts.after + 1, counts.before, "{counts:?}");
    // Network 200 was not received completely: nobody has left it.
    let incomplete = of("https://pinonmesa.test/glossary/MedicalDentalNetworkId|200");
    assert_eq!((incomplete.counts.left, incomplete.counts.not_known), (0, 1), "{incomplete:#?}");
    assert!(incomplete.new_gap.is_some());
    assert_eq!(incomplete.changes[0].kind_of_change, MemberChangeKind::NotKnown);
    assert!(incomplete.changes[0].reason.is_some());

    // The plan's networks together, in one county.
    let question = DiffQuestion {
        plans: vec!["H9231-001-000-2026".to_owned()],
        place: Some(Place::County("El Paso County, TX".to_owned())),
        ..DiffQuestion::default()
    };
    let narrow = old.dataset.diff(&new.dataset, &question).unwrap();
    let [of_plan] = narrow.providers.as_ref().unwrap().networks.as_slice() else { panic!("{narrow:#?}") };
    assert_eq!((of_plan.changes.len(), of_plan.counts.left), (1, 1), "{of_plan:#?}");
    assert!(of_plan.changes[0].name.contains("Wiśniewska"));
    let both = DiffQuestion { network: Some(MEDICAL.to_owned()), ..question };
    assert_eq!(old.dataset.diff(&new.dataset, &both).unwrap_err().kind(), ErrorKind::InvalidInput);
}

#[test]
fn who_has_no_npi_is_known_by_name_and_address() {
    let without_npi = |with: bool| {
        let folder = scratch();
        copy(&questions::payer(), folder.path());
        let path = folder.path().join("practitioners.ndjson");
        let people = fs::read_to_string(&path).unwrap();
        let mut people: Vec<Value> = people.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        for person in people.iter_mut().filter(|person| person["id"] == "nunez" && !with) {
            person["identifier"] = json!([]);
        }
        write_lines(&path, &people);
        Made::folder(folder.path())
    };
    let (with, without) = (without_npi(true), without_npi(false));
    for (old, new) in [(&with, &without), (&without, &with), (&without, &without)] {
        let diff = diff(old, new);
        assert!(diff.providers.unwrap().is_empty());
    }
}

#[test]
fn the_command_says_the_same() {
    let folder = scratch();
    let path = |name: &str| folder.path().join(name).display().to_string();
    for (name, entries, payer_name) in
        [("old", old_list(), "Example Health"), ("new", new_list(), "Example Health"), ("other", old_list(), "Another")]
    {
        fs::create_dir(folder.path().join(format!("{name}-from"))).unwrap();
        write_lines(&folder.path().join(format!("{name}-from/all.ndjson")), &payer(&[(PLAN, entries)]));
        let as_of = if name == "old" { "2026-03-01" } else { "2026-03-08" };
        let (from, out) = (path(&format!("{name}-from")), path(name));
        let ran = run(&["build", "--from", &from, "--out", &out, "--payer", payer_name, "--as-of", as_of]);
        assert_eq!(ran.code, Some(0), "{ran:?}");
    }
    let [old, new, other] = ["old", "new", "other"].map(path);
    let ran = run(&["diff", &old, &new, "--json"]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let document = ran.json();
    assert_eq!(document["drug_lists"][0]["counts"]["left"], 2, "{document}");
    assert_eq!(document["drug_lists"][0]["more"], 0);
    assert!(document["providers"].is_null() && document["same"] == false);
    let ran = run(&["diff", &old, &new]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    for words in ["What changed from 2026-03-01 to 2026-03-08", "2 packages left the list", "Gammalin", "no provider"] {
        assert!(ran.stdout.split_whitespace().collect::<Vec<_>>().join(" ").contains(words), "{words}: {}", ran.stdout);
    }
    let ran = run(&["diff", &old, &new, "--limit", "2"]);
    assert!(ran.stdout.contains("behind these: --limit"), "{}", ran.stdout);
    let ran = run(&["diff", &old, &new, "--csv"]);
    let rows = csv_rows(&ran.stdout);
    assert_eq!(rows.len(), document["drug_lists"][0]["changes"].as_array().unwrap().len(), "{}", ran.stdout);
    let ran = run(&["diff", &old, &old, "--json"]);
    assert_eq!((ran.code, &ran.json()["same"]), (Some(0), &json!(true)));

    let refused = |arguments: &[&str], code: i32, kind: &str| -> Value {
        let ran = run(&[arguments, &["--json"]].concat());
        assert_eq!(ran.code, Some(code), "{arguments:?}: {ran:?}");
        let error = ran.json()["error"].clone();
        assert_eq!(error["kind"], kind, "{arguments:?}: {error}");
        error
    };
    let two = refused(&["diff", &old, &other], 2, "invalid_input");
    let message = two["message"].as_str().unwrap();
    for words in ["Example Health", "Another", &old, &other] {
        assert!(message.contains(words), "{words}: {two}");
    }
    assert!(two["hint"].as_str().unwrap().contains("--other-payer"), "{two}");
    assert_eq!(run(&["diff", &old, &other, "--other-payer"]).code, Some(0));
    let nowhere = path("nowhere");
    for two in [[&old, &nowhere], [&nowhere, &new]] {
        let missing = refused(&["diff", two[0], two[1]], 3, "dataset_missing");
        assert!(missing["subject"].as_str().unwrap().contains(&nowhere), "{missing}");
    }
    let neither = refused(&["diff", &old, &new, "--plan", "H9999-001"], 1, "not_found");
    let message = neither["message"].as_str().unwrap();
    assert!(message.contains(&old) && message.contains(&new), "{neither}");
    for wrong in [&["--network", "x", "--plan", PLAN][..], &["--network", "x", "--formulary"], &["--limit", "0"]] {
        refused(&[&["diff", &old, &new][..], wrong].concat(), 2, "usage");
    }
    refused(&["diff", &old, &new, "--plan", "no plan at all, this"], 1, "not_found");
    refused(&["diff", &old, &new, "--data", &old], 2, "usage");
    refused(&["diff", &old], 2, "usage");
    // A file of one of the two is damaged: the error names the file where it lies, and so does the way out.
    let store = Path::new(&new);
    let current = fs::read_to_string(store.join("CURRENT")).unwrap();
    let live = store.join(current.lines().next().unwrap());
    let damages: [(&str, fn(&mut Vec<u8>)); 5] = [
        ("coverdex.sqlite", |bytes| bytes.fill(7)),
        ("coverdex.sqlite", |bytes| {
            let middle = bytes.len() / 2;
            bytes[middle] ^= 0x40;
        }),
        ("coverdex.sqlite", |bytes| bytes.truncate(bytes.len() / 2)),
        ("manifest.json", |bytes| bytes[10] ^= 1),
        ("manifest.json", Vec::clear),
    ];
    for (file, damage) in damages {
        let whole = fs::read(live.join(file)).unwrap();
        let mut bytes = whole.clone();
        damage(&mut bytes);
        fs::write(live.join(file), bytes).unwrap();
        for two in [[&old, &new], [&new, &old]] {
            let damaged = refused(&["diff", two[0], two[1]], 3, "dataset_damaged");
            let subject = damaged["subject"].as_str().unwrap();
            assert!(subject.contains(live.to_str().unwrap()) && subject.contains(file), "{damaged}");
            assert!(damaged["hint"].as_str().unwrap().contains(&format!("coverdex verify {new}`")), "{damaged}");
        }
        fs::write(live.join(file), whole).unwrap();
    }
    fs::write(store.join("CURRENT"), "../elsewhere").unwrap();
    let damaged = refused(&["diff", &old, &new], 3, "dataset_damaged");
    assert!(damaged["subject"].as_str().unwrap().contains(&new), "{damaged}");
}

/// The lines behind the header.
fn csv_rows(text: &str) -> Vec<&str> {
    text.lines().skip(1).collect()
}
