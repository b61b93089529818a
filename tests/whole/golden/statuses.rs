//! Every status and reason, on formularies small enough to see why.

use coverdex_core::{CoverageReason, CoverageStatus, Restriction};
use coverdex_tests::Made;
use coverdex_tests::fhir::{entry, formulary, list, medication, plan};
use serde_json::{Value, json};

const PLAN: &str = "H1234-001-000-2026";
const OTHER: &str = "H1234-002-000-2026";

const LISTED: &str = "00093505698";
const ELSEWHERE: &str = "00143126701";
const NOWHERE: &str = "99999999999";

fn lipitor_like() -> coverdex_tests::fhir::Entry {
    entry("e").ndc(LISTED).text("Atorvastatin 20 mg tablet")
}

/// The plan's formulary, and a Medication of a package that it does not list.
fn with_formulary(entries: &[coverdex_tests::fhir::Entry]) -> Vec<Value> {
    let mut resources = formulary(PLAN, entries);
    resources.push(medication("m").ndc(ELSEWHERE).text("Lisinopril 10 mg tablet").json());
    resources
}

#[test]
fn covered_with_tier_and_restrictions_as_stated() {
    for (flags, want) in [
        ([json!(true), json!(false), json!(true)], [Some(true), Some(false), Some(true)]),
        ([json!(null), json!(false), json!("true")], [None, Some(false), Some(true)]),
        ([json!("False"), json!(1), json!(0)], [Some(false), Some(true), Some(false)]),
        ([json!(""), json!("maybe"), json!({})], [None, None, None]),
    ] {
        let [pa, st, ql] = &flags;
        let made = Made::of(&with_formulary(&[lipitor_like().tier("1", "Preferred Generic").flags(pa, st, ql)]));
        let answer = made.coverage(PLAN, LISTED);
        assert_eq!((answer.status, answer.reason), (CoverageStatus::Covered, None));
        let says = &answer.statement;
        assert_eq!([says.prior_authorization, says.step_therapy, says.quantity_limit], want, "{flags:?}");
        let tier = says.tier.as_ref().unwrap();
        assert_eq!((tier.code.as_str(), tier.display.as_deref()), ("1", Some("Preferred Generic")));
        assert_eq!(tier.level.unwrap().as_str(), "preferred_generic");
        assert!(answer.varies.is_none() && answer.complete && answer.seen_anywhere);
        assert_eq!((answer.listed, answer.not_on_this_list, answer.gaps, answer.expected), (1, 0, 0, 1));
    }
    let silent = Made::of(&with_formulary(&[lipitor_like().tier("1", "Preferred Generic")]));
    let says = silent.coverage(PLAN, LISTED).statement;
    assert_eq!([says.prior_authorization, says.step_therapy, says.quantity_limit], [None, None, None]);
}

#[test]
fn not_listed_in_a_complete_formulary() {
    let made = Made::of(&with_formulary(&[lipitor_like().tier("1", "Generic")]));
    for (ndc, seen) in [(ELSEWHERE, true), (NOWHERE, false)] {
        let answer = made.coverage(PLAN, ndc);
        assert_eq!((answer.status, answer.reason, answer.seen_anywhere), (CoverageStatus::NotListed, None, seen));
        assert_eq!(answer.statement, coverdex_core::Statement::default());
        let packages = made.packages(PLAN, ndc);
        assert_eq!(packages.len(), 1, "one package asked for by its code is shown whatever its status");
        assert_eq!((packages[0].ndc11.unwrap().to_string(), packages[0].status), (ndc.to_owned(), answer.status));
    }
}

#[test]
fn rows_that_no_list_names_are_not_listed() {
    let mut resources = with_formulary(&[lipitor_like().tier("1", "Generic")]);
    resources.push(entry("loose").ndc(ELSEWHERE).tier("2", "Generic").plan(PLAN).json());
    let made = Made::of(&resources);
    assert_eq!(made.says(PLAN, ELSEWHERE), "not_listed unreferenced");
    let package = &made.packages(PLAN, ELSEWHERE)[0];
    assert_eq!(package.reason.unwrap().as_str(), "unreferenced");
    assert_eq!(package.statement.tier, None, "what an unreferenced row says is no statement of the plan");
}

#[test]
fn inactive_entries_are_no_coverage() {
    for status in ["inactive", "entered-in-error", "Inactive", "entered_in_error", "Entered In Error"] {
        let made = Made::of(&with_formulary(&[lipitor_like().tier("1", "Generic").status(status)]));
        assert_eq!(made.says(PLAN, LISTED), "not_listed entry_inactive", "{status}");
        assert_eq!(made.packages(PLAN, LISTED)[0].statement.tier, None);
    }
    // Beside an active entry of the same package the active one holds.
    let both = [lipitor_like().tier("4", "Non-Preferred Drug").status("inactive"), lipitor_like().tier("2", "Generic")];
    let made = Made::of(&with_formulary(&both));
    assert_eq!(made.says(PLAN, LISTED), "covered");
    assert_eq!(made.coverage(PLAN, LISTED).statement.tier.unwrap().code, "2");
}

#[test]
fn plans_that_publish_no_formulary() {
    let mut resources = with_formulary(&[lipitor_like().tier("1", "Generic")]);
    resources.push(plan("ip-ma", OTHER, Some("MA"), "Honor (PPO)"));
    resources.push(plan("ip-mapd", "H1234-003-000-2026", Some("MA-PD"), "Choice (PPO)"));
    resources.push(plan("ip-silent", "H1234-004-000-2026", None, "Value (HMO)"));
    let made = Made::of(&resources);
    for ndc in [LISTED, ELSEWHERE, NOWHERE] {
        assert_eq!(made.says(OTHER, ndc), "unknown no_drug_benefit");
        assert_eq!(made.says("H1234-003-000-2026", ndc), "unknown no_formulary_published");
        assert_eq!(made.says("H1234-004-000-2026", ndc), "unknown no_formulary_published");
        assert!(!made.coverage(OTHER, ndc).complete);
    }
}

#[test]
fn rows_without_a_list_answer_and_their_absence_does_not() {
    let mut resources = vec![plan("ip", PLAN, Some("MA-PD"), "Choice")];
    resources.push(lipitor_like().plan(PLAN).tier("1", "Generic").json());
    resources.push(medication("m").ndc(ELSEWHERE).json());
    let made = Made::of(&resources);
    assert_eq!(made.says(PLAN, LISTED), "covered");
    assert_eq!(made.says(PLAN, ELSEWHERE), "unknown no_list");
    assert_eq!(made.says(PLAN, NOWHERE), "unknown no_list");
    // An empty List, or one that is retired, says nothing of what must exist.
    let mut with_empty = resources.clone();
    with_empty.push(list::<&str>("empty", PLAN, &[]));
    assert_eq!(Made::of(&with_empty).says(PLAN, ELSEWHERE), "unknown no_list");
    let mut with_retired = resources;
    let mut retired = list("retired", PLAN, &["gone"]);
    retired["status"] = json!("retired");
    with_retired.push(retired);
    assert_eq!(Made::of(&with_retired).says(PLAN, ELSEWHERE), "unknown no_list");
}

#[test]
fn entries_without_a_tier_say_that_they_are_there_and_no_more() {
    let made = Made::of(&with_formulary(&[lipitor_like().flags(&json!(true), &json!(false), &json!(false))]));
    assert_eq!(made.says(PLAN, LISTED), "unknown tier_not_stated");
    let answer = made.coverage(PLAN, LISTED);
    assert_eq!(answer.listed, 1);
    assert_eq!(answer.statement.prior_authorization, Some(true));
}

#[test]
fn contradictions_are_conflicts_with_each_of_them() {
    let generic = lipitor_like().tier("2", "Generic").flags(&json!(false), &json!(false), &json!(false));
    let brand = lipitor_like().tier("3", "Preferred Brand").flags(&json!(false), &json!(false), &json!(false));
    let limited = lipitor_like().tier("2", "Generic").flags(&json!(false), &json!(false), &json!(true));
    let two_tiers = lipitor_like().tiers(&[("2", Some("Generic")), ("3", Some("Preferred Brand"))]).flags(
        &json!(false),
        &json!(false),
        &json!(false),
    );
    for (entries, says) in [
        (vec![generic.clone(), brand.clone()], vec![("2", Some(false)), ("3", Some(false))]),
        (vec![brand, generic.clone()], vec![("2", Some(false)), ("3", Some(false))]),
        (vec![generic.clone(), limited], vec![("2", Some(false)), ("2", Some(true))]),
        (vec![two_tiers], vec![("2", Some(false)), ("3", Some(false))]),
    ] {
        let made = Made::of(&with_formulary(&entries));
        assert_eq!(made.says(PLAN, LISTED), "conflict");
        let package = &made.packages(PLAN, LISTED)[0];
        assert_eq!((package.status, &package.statement.tier), (CoverageStatus::Conflict, &None));
        let conflict: Vec<(&str, Option<bool>)> = package
            .conflict
            .iter()
            .map(|says| (says.tier.as_ref().unwrap().code.as_str(), says.quantity_limit))
            .collect();
        assert_eq!(conflict, says);
    }
    let equal = Made::of(&with_formulary(&[generic.clone(), generic]));
    assert_eq!(equal.says(PLAN, LISTED), "covered", "two entries that say the same are one");
}

#[test]
fn one_package_in_doubt_leaves_the_drug_in_doubt() {
    let package = |ndc: &str| entry(ndc).ndc(ndc).rxcui(617_310).text("Atorvastatin 20 mg tablet");
    let of_tier = |ndc: &str, code: &str, words: &str| {
        package(ndc).tier(code, words).flags(&json!(true), &json!(false), &json!(false))
    };
    let contrary = || package("00378395277").tiers(&[("2", Some("Generic")), ("4", Some("Non-Preferred Drug"))]);
    let says = |entries: Vec<coverdex_tests::fhir::Entry>| {
        let answer = Made::of(&with_formulary(&entries)).coverage(PLAN, "617310");
        (answer.sentence(&[]), answer)
    };
    let (words, answer) = says(vec![contrary(), of_tier("00378395293", "1", "Preferred Generic")]);
    assert_eq!(answer.status, CoverageStatus::Conflict);
    assert!(words.starts_with("conflict: the payer says different things of some packages; varies: T1"), "{words}");
    let restrictions = answer.restrictions.unwrap();
    assert_eq!(restrictions.prior_authorization, Restriction::Varies);
    assert_eq!(restrictions.step_therapy, Restriction::NotStated, "of the package in conflict nothing is said");
    let flagged = |id: &str, code: &str, prior: bool| {
        let package = entry(id).ndc("00378395277").rxcui(617_310).text("Atorvastatin 20 mg tablet").tier(code, "Tier");
        package.flags(&json!(prior), &json!(true), &json!(false))
    };
    let (words, answer) = says(vec![flagged("a", "2", true), flagged("b", "4", false)]);
    assert_eq!(words, "conflict: the payer says different things; varies: T2, T4");
    let restrictions = answer.restrictions.unwrap();
    assert_eq!(restrictions.prior_authorization, Restriction::Conflict);
    assert_eq!(restrictions.step_therapy, Restriction::Yes, "both entries say so");
    assert_eq!(answer.statement.step_therapy, Some(true));
    let (_, answer) = says(vec![contrary(), of_tier("00378395293", "0", "Non-formulary")]);
    assert_eq!(answer.status, CoverageStatus::Conflict);
    let (words, answer) = says(vec![package("00378395277"), of_tier("00378395293", "1", "Preferred Generic")]);
    assert_eq!((answer.status, answer.reason), (CoverageStatus::Unknown, Some(CoverageReason::TierNotStated)));
    assert_eq!(
        words,
        "unknown: some packages are listed without a tier; varies: T1 on 1 of 2 packages; prior authorization on 1 of 2 \
         packages; no tier stated on 1 of 2 packages"
    );
    let (_, answer) = says(vec![
        contrary(),
        of_tier("00378395293", "1", "Preferred Generic"),
        of_tier("00378395205", "0", "Non-formulary"),
    ]);
    assert_eq!(answer.status, CoverageStatus::Mixed, "some are covered and others not, whatever else");
}

#[test]
fn a_tier_without_its_words_is_the_same_tier() {
    let worded = lipitor_like().tier("2", "Generic");
    let bare = lipitor_like().tiers(&[("2", None)]);
    let made = Made::of(&with_formulary(&[worded, bare]));
    assert_eq!(made.says(PLAN, LISTED), "covered", "a display that is absent contradicts nothing");
    let tier = made.coverage(PLAN, LISTED).statement.tier.unwrap();
    assert_eq!((tier.code.as_str(), tier.display.as_deref()), ("2", Some("Generic")));
}

#[test]
fn a_tier_without_its_words_varies_from_nothing() {
    let made = Made::of(&with_formulary(&[
        entry("a").ndc("00093505698").text("Atorvastatin 20 mg tablet").tier("2", "Generic"),
        entry("b").ndc("00093505610").text("Atorvastatin 20 mg tablet").tiers(&[("2", None)]),
    ]));
    let answer = made.coverage(PLAN, "0093-5056");
    assert_eq!(answer.status, CoverageStatus::Covered);
    let tiers: Vec<String> =
        answer.varies.iter().flat_map(|varies| &varies.tiers).map(|tier| tier.code.clone()).collect();
    assert!(tiers.len() < 2, "one tier shown as several: {tiers:?}");
}

#[test]
fn lists_say_whose_an_entry_is_before_plan_ids_do() {
    let mut resources = vec![
        plan("ip", PLAN, Some("MA-PD"), "Choice"),
        plan("ip2", OTHER, Some("MA-PD"), "Value"),
        entry("mine").ndc(LISTED).tier("1", "Generic").plan(OTHER).json(),
        entry("theirs").ndc(ELSEWHERE).tier("1", "Generic").plan(OTHER).json(),
    ];
    resources.push(list("l", PLAN, &["mine"]));
    resources.push(list("l2", OTHER, &["theirs"]));
    let made = Made::of(&resources);
    assert_eq!(made.says(PLAN, LISTED), "covered");
    assert_eq!(made.says(OTHER, LISTED), "not_listed");
    assert_eq!(made.says(OTHER, ELSEWHERE), "covered");
}

#[test]
fn what_one_plan_states_is_never_lent_to_another() {
    let mut resources =
        with_formulary(&[lipitor_like().tier("1", "Generic").flags(&json!(true), &json!(true), &json!(true))]);
    resources.extend(formulary(OTHER, &[lipitor_like().tier("4", "Non-Preferred Drug")]));
    let made = Made::of(&resources);
    let says = made.coverage(OTHER, LISTED).statement;
    assert_eq!(says.tier.unwrap().code, "4");
    assert_eq!([says.prior_authorization, says.step_therapy, says.quantity_limit], [None, None, None]);
    assert_eq!(made.coverage(PLAN, LISTED).statement.prior_authorization, Some(true));
}

#[test]
fn entries_without_an_ndc_are_entries_all_the_same() {
    let rxnorm_only = entry("r").rxcui(617_310).text("atorvastatin 20 MG Oral Tablet").tier("2", "Generic");
    let made = Made::of(&with_formulary(&[rxnorm_only]));
    assert_eq!(made.says(PLAN, "617310"), "covered");
    let packages = made.packages(PLAN, "617310");
    assert_eq!(packages.len(), 1);
    assert_eq!((packages[0].ndc11, packages[0].status), (None, CoverageStatus::Covered));
    assert_eq!(made.says(PLAN, LISTED), "not_listed", "an entry without a package answers for no package");
    assert_eq!(made.says(PLAN, "atorvastatin 20 mg"), "covered");
}

#[test]
fn a_newer_version_of_a_resource_replaces_the_older() {
    for reversed in [false, true] {
        let mut resources = with_formulary(&[]);
        resources
            .push(lipitor_like().tier("4", "Non-Preferred Drug").plan(PLAN).updated("2026-01-01T00:00:00Z").json());
        resources.push(lipitor_like().tier("2", "Generic").plan(PLAN).updated("2026-02-01T00:00:00.5+00:00").json());
        resources.push(list("l", PLAN, &["e"]));
        if reversed {
            resources.reverse();
        }
        let made = Made::of(&resources);
        assert_eq!(made.says(PLAN, LISTED), "covered");
        assert_eq!(made.coverage(PLAN, LISTED).statement.tier.unwrap().code, "2");
        assert_eq!(made.built.repeats, 1);
    }
}

#[test]
fn versions_of_one_date_that_differ_contradict_each_other() {
    let version = |tier: &str, date: Option<&str>| {
        let entry = lipitor_like().tier(tier, "Some tier").plan(PLAN);
        date.map_or_else(|| entry.clone().json(), |date| entry.clone().updated(date).json())
    };
    let day = Some("2026-02-01T00:00:00Z");
    for (versions, want) in [
        ([version("4", day), version("2", day)], "conflict"),
        ([version("4", None), version("2", None)], "conflict"),
        ([version("4", day), version("4", day)], "covered"),
        ([version("4", day), version("2", None)], "covered"),
    ] {
        for reversed in [false, true] {
            let mut resources = with_formulary(&[]);
            resources.extend(versions.clone());
            resources.push(list("l", PLAN, &["e"]));
            if reversed {
                resources.reverse();
            }
            let made = Made::of(&resources);
            assert_eq!(made.says(PLAN, LISTED), want, "{versions:?}");
            let answer = made.coverage(PLAN, LISTED);
            assert_eq!((answer.gaps, answer.expected, answer.complete), (0, 1, true), "one entry all the same");
        }
    }
}

#[test]
fn lists_of_one_date_that_differ_leave_open_what_is_not_listed() {
    let mut resources = formulary(PLAN, &[lipitor_like().tier("1", "Generic")]);
    let mut other = resources.iter().find(|resource| resource["resourceType"] == "List").unwrap().clone();
    let same = Made::of(&resources);
    assert_eq!(same.says(PLAN, NOWHERE), "not_listed");
    other["entry"] = json!([{ "item": { "reference": "MedicationKnowledge/another" } }]);
    resources.push(other);
    for _ in 0..2 {
        resources.reverse();
        let made = Made::of(&resources);
        assert_eq!(made.says(PLAN, NOWHERE), "unknown incomplete");
    }
}
