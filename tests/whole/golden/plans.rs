//! Plans as people name them: spellings, years, segments, names, and what an error offers.

use coverdex_core::Audience;
use coverdex_core::{ErrorKind, Offered, PlanFilter, ResolvedPlan, Result};
use coverdex_sandbox::{MadePayer, Shape};
use coverdex_tests::Made;
use coverdex_tests::fhir::{entry, formulary, plan};
use serde_json::{Value, json};

fn made(plans: &[(&str, &str)], as_of: &str) -> Made {
    let resources: Vec<Value> =
        plans.iter().enumerate().map(|(n, (id, name))| plan(&format!("ip{n}"), id, Some("MA-PD"), name)).collect();
    Made::as_of(&resources, as_of)
}

fn ids(resolved: Result<Vec<ResolvedPlan>>) -> Vec<String> {
    resolved.map_or_else(
        |error| vec![error.kind().as_str().to_owned()],
        |plans| plans.iter().map(|resolved| resolved.plan.id.to_string()).collect(),
    )
}

#[test]
fn spellings_of_one_plan() {
    let made = made(&[("H1234-567-000-2026", "Choice"), ("H1234-568-000-2026", "Value")], "2026-03-01T00:00:00Z");
    for text in [
        "H1234-567-000-2026",
        "h1234-567-000-2026",
        "H1234-567-000",
        "H1234-567-0",
        "H1234-567",
        "h1234 567 000",
        "H1234567",
        "H1234567000",
        "H12345670002026",
        "H1234_567_000_2026",
        "H1234-567-2026",
        " H1234-567 ",
        "H1234\u{2011}567",
        "H1234/567",
        "choice",
        "CHOICE",
    ] {
        assert_eq!(ids(made.dataset.resolve_plan(text)), ["H1234-567-000-2026"], "{text}");
    }
    let exact = made.dataset.resolve_plan("H1234-567-000-2026").unwrap();
    assert!(exact[0].notes.is_empty());
    let filled = made.dataset.resolve_plan("H1234-567").unwrap();
    assert!(filled[0].notes[0].contains("H1234-567-000-2026"), "{:?}", filled[0].notes);
}

#[test]
fn payers_spell_plans_in_many_ways_too() {
    let made = Made::of(&[
        plan("a", "h1234 567 000 2026", Some("MA-PD"), "Choice"),
        plan("b", " H1234-567-000-2026 ", Some("MA-PD"), "Choice"),
        plan("c", "40308va0240008", Some("MA-PD"), "Silver"),
    ]);
    let all: Vec<String> = made.dataset.all_plans().unwrap().iter().map(|plan| plan.id.to_string()).collect();
    assert_eq!(all, ["H1234-567-000-2026", "40308VA0240008"]);
    assert_eq!(ids(made.dataset.resolve_plan("40308VA0240008-01")), ["not_found"]);
    assert_eq!(ids(made.dataset.resolve_plan("40308VA0240008")), ["40308VA0240008"]);
}

#[test]
fn a_year_that_is_not_said() {
    let both: &[(&str, &str)] = &[("H1234-567-000-2026", "Choice"), ("H1234-567-000-2027", "Choice")];
    let (this, next) = ("H1234-567-000-2026", "H1234-567-000-2027");
    for (plans, as_of, want) in [
        (both, "2026-03-01T00:00:00Z", vec![this]),
        (both, "2026-09-30T23:59:59Z", vec![this]),
        (both, "2026-10-01T00:00:00Z", vec![this, next]),
        (both, "2026-12-31T23:00:00Z", vec![this, next]),
        (both, "2027-01-01T00:00:00Z", vec![next]),
        (both, "2025-11-01T00:00:00Z", vec![this, next]),
        (both, "2025-09-01T00:00:00Z", vec!["not_found"]),
        (&both[1..], "2026-03-01T00:00:00Z", vec!["not_found"]),
        (&both[1..], "2026-10-01T00:00:00Z", vec![next]),
        (&both[..1], "2027-02-01T00:00:00Z", vec!["not_found"]),
    ] {
        let made = made(plans, as_of);
        for text in ["H1234-567", "h1234-567-000", "Choice"] {
            assert_eq!(ids(made.dataset.resolve_plan(text)), want, "{text} as of {as_of}");
        }
        for (text, id) in [("H1234-567-2026", this), ("H1234-567-000-2027", next)] {
            let there = plans.iter().any(|(plan, _)| *plan == id);
            let want = if there { id } else { "not_found" };
            assert_eq!(ids(made.dataset.resolve_plan(text)), [want], "{text} as of {as_of}");
        }
        if want == ["not_found"] {
            let error = made.dataset.resolve_plan("H1234-567").unwrap_err();
            let offered = error.candidates().join(" ");
            assert!(plans.iter().all(|(id, _)| offered.contains(id)), "{offered}");
        }
    }
}

#[test]
fn as_of_is_what_the_build_was_told() {
    let made = made(&[("H1234-567-000-2026", "Choice")], "2026-11-05T06:07:08Z");
    assert_eq!(made.dataset.as_of(), "2026-11-05T06:07:08Z");
    let payer = MadePayer::new(Shape::tiny());
    let untold = Made::payer(&payer).dataset.as_of().to_owned();
    assert!(
        untold.starts_with("2026-06-30T") || untold.starts_with("2026-07-01T"),
        "the newest resource's own date: {untold}"
    );
}

#[test]
fn a_segment_that_is_not_said() {
    let segments = |list: &[&str]| -> Made {
        let plans: Vec<(String, String)> =
            list.iter().map(|s| (format!("H1234-567-{s}-2026"), format!("Segment {s}"))).collect();
        let plans: Vec<(&str, &str)> = plans.iter().map(|(id, name)| (id.as_str(), name.as_str())).collect();
        made(&plans, "2026-03-01T00:00:00Z")
    };
    for (there, want) in [
        (vec!["000"], "H1234-567-000-2026"),
        (vec!["000", "001", "002"], "H1234-567-000-2026"),
        (vec!["003"], "H1234-567-003-2026"),
        (vec!["001", "002"], "ambiguous"),
    ] {
        let made = segments(&there);
        assert_eq!(ids(made.dataset.resolve_plan("H1234-567")), [want], "{there:?}");
        assert_eq!(ids(made.dataset.resolve_plan("H1234-567-2026")), [want], "{there:?}");
        for segment in &there {
            let id = format!("H1234-567-{segment}-2026");
            assert_eq!(ids(made.dataset.resolve_plan(&format!("H1234-567-{segment}"))), [id]);
        }
        assert_eq!(ids(made.dataset.resolve_plan("H1234-567-009")), ["not_found"]);
    }
    let only = segments(&["003"]).dataset.resolve_plan("H1234-567").unwrap();
    assert!(only[0].notes[0].contains("H1234-567-003-2026"), "the answer says which: {only:?}");
    let error = segments(&["001", "002"]).dataset.resolve_plan("H1234-567").unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Ambiguous);
    assert!(error.message().contains("001") && error.message().contains("002"), "{error}");
    assert_eq!(error.candidates(), ["H1234-567-001-2026 Segment 001", "H1234-567-002-2026 Segment 002"]);
}

#[test]
fn plans_that_are_not_there_are_errors_with_candidates() {
    let made = made(
        &[
            ("H1234-567-000-2026", "Larkspur Choice (PPO)"),
            ("H1234-568-000-2026", "Larkspur Value (HMO)"),
            ("H1235-567-000-2026", "Larkspur Gold (HMO)"),
            ("S9999-001-000-2026", "Larkspur Rx (PDP)"),
            ("H7777-001-000-2026", "Twin (HMO)"),
            ("H7777-002-000-2026", "Twin (HMO)"),
        ],
        "2026-03-01T00:00:00Z",
    );
    for (text, best) in [
        ("H1234-567-001", "H1234-567-000-2026"),
        ("H1234-569", "H1234-567-000-2026"),
        ("H1236-567", "H1234-567-000-2026"),
        ("H1234-567-000-2031", "H1234-567-000-2026"),
        ("larkspur", "H1234-567-000-2026"),
        ("larkspur rx", "S9999-001-000-2026"),
    ] {
        let error = made.dataset.resolve_plan(text).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::NotFound, "{text}");
        assert!(error.candidates()[0].starts_with(best), "{text}: {:?}", error.candidates());
        assert!(error.hint().is_some() && error.subject().contains(text), "{error}");
    }
    let nothing_near = made.dataset.resolve_plan("Z0000-001").unwrap_err();
    assert_eq!(nothing_near.kind(), ErrorKind::NotFound);
    let twin = made.dataset.resolve_plan("twin hmo").unwrap_err();
    assert_eq!(twin.kind(), ErrorKind::Ambiguous);
    assert_eq!(twin.candidates(), ["H7777-001-000-2026 Twin (HMO)", "H7777-002-000-2026 Twin (HMO)"]);
    assert_eq!(made.dataset.resolve_plan("  ").unwrap_err().kind(), ErrorKind::InvalidInput);
}

#[test]
fn a_plan_of_another_dataset_is_refused() {
    let one = made(&[("H1234-567-000-2026", "Choice")], "2026-03-01T00:00:00Z");
    let other = made(&[("H1234-568-000-2026", "Value")], "2026-03-01T00:00:00Z");
    let drug = one.drug("9999999");
    let error = one.dataset.coverage(&other.plan("H1234-568"), &drug).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidInput);
}

#[test]
fn audiences_types_and_years_of_plans() {
    let made = Made::of(&[
        plan("a", "H1234-001-000-2026", Some("MA-PD"), "Choice (PPO)"),
        plan("b", "H1234-801-000-2026", Some("MA-PD"), "Choice (PPO)"),
        plan("c", "H1234-002-000-2027", Some("D-SNP"), "Dual Select"),
        plan("d", "M1234-003-000-2026", Some("Medicaid"), "Healthy"),
        plan("e", "GOLD PLUS", None, "Gold Plus"),
    ]);
    let audience =
        |id: &str| made.dataset.all_plans().unwrap().iter().find(|p| p.id.to_string() == id).unwrap().audience;
    assert_eq!(audience("H1234-001-000-2026"), Audience::Individual);
    assert_eq!(audience("H1234-801-000-2026"), Audience::EmployerGroup);
    assert_eq!(audience("H1234-002-000-2027"), Audience::SpecialNeeds);
    assert_eq!(audience("M1234-003-000-2026"), Audience::Medicaid);
    assert_eq!(audience("GOLD PLUS"), Audience::NotStated);
    let found = |filter: PlanFilter| -> Vec<String> {
        made.dataset.plans(&filter).unwrap().iter().map(|plan| plan.id.to_string()).collect()
    };
    assert_eq!(found(PlanFilter::default()).len(), 5, "without a year all years are listed");
    let year = PlanFilter { year: Some(2027), ..PlanFilter::default() };
    assert_eq!(found(year), ["H1234-002-000-2027"]);
    let kind = PlanFilter { kind: Some("ma pd".to_owned()), ..PlanFilter::default() };
    assert_eq!(found(kind), ["H1234-001-000-2026", "H1234-801-000-2026"]);
    let sold = PlanFilter { audience: Some(Audience::Individual), ..PlanFilter::default() };
    assert_eq!(found(sold), ["H1234-001-000-2026"]);
    for text in ["H1234-801", "choice ppo", "h1234 8"] {
        let text_filter = PlanFilter { text: Some(text.to_owned()), ..PlanFilter::default() };
        assert!(found(text_filter).contains(&"H1234-801-000-2026".to_owned()), "{text}");
    }
}

#[test]
fn several_plans_in_one_resource_and_one_plan_in_several() {
    let mut two = plan("a", "H1234-001-000-2026", Some("MA-PD"), "Choice");
    let second = plan("x", "H1234-002-000-2026", Some("MA"), "Choice")["plan"][0].clone();
    two["plan"].as_array_mut().unwrap().push(second);
    let mut resources = vec![two, plan("b", "H1234-001-000-2026", Some("MA-PD"), "Choice")];
    resources
        .extend(formulary("H1234-003-000-2026", &[entry("e").ndc("00006022128").tier("1", "Generic")]).split_off(1));
    let made = Made::of(&resources);
    let plans = made.dataset.all_plans().unwrap();
    let shown: Vec<(String, bool, &str)> =
        plans.iter().map(|plan| (plan.id.to_string(), plan.offered, plan.drugs.as_str())).collect();
    assert_eq!(
        shown,
        [
            ("H1234-001-000-2026".to_owned(), true, "no_formulary_published"),
            ("H1234-002-000-2026".to_owned(), true, "no_drug_benefit"),
            ("H1234-003-000-2026".to_owned(), false, "complete"),
        ]
    );
}

/// Segments 001 and 002 of one plan, sold in a county of Virginia each.
fn sold_apart() -> Made {
    let resources: Vec<Value> = [("001", "Prince William County"), ("002", "Manassas Park city")]
        .into_iter()
        .map(|(segment, county)| {
            let id = format!("H1234-567-{segment}-2026");
            let mut sold = plan(&format!("ip{segment}"), &id, Some("MA-PD"), segment);
            sold["contained"] = json!([{
                "resourceType": "Location",
                "id": "area",
                "identifier": [
                    { "system": "http://hl7.org/fhir/us/core/ValueSet/us-core-usps-state", "value": "VA" },
                    { "system": "https://payer.test/documentation/glossary/County", "value": county },
                ],
            }]);
            sold["coverageArea"] = json!([{ "reference": "#area" }]);
            sold
        })
        .collect();
    Made::as_of(&resources, "2026-03-01T00:00:00Z")
}

#[test]
fn a_segment_that_is_not_said_is_the_one_sold_in_the_county() {
    let made = sold_apart();
    let dataset = &made.dataset;
    let of = |county: &str| dataset.resolve_plan_in("H1234-567", &dataset.counties(county).unwrap());
    let resolved = of("Manassas Park city, VA").unwrap();
    assert_eq!(resolved[0].plan.id.to_string(), "H1234-567-002-2026");
    let note = &resolved[0].notes[0];
    assert!(note.contains("H1234-567-002-2026") && note.contains("Manassas Park city, VA"), "{note}");
    assert_eq!(ids(of("Fairfax County, VA")), ["ambiguous"], "sold in neither");
    assert_eq!(ids(of("20111")), ["ambiguous"], "one in each of the ZIP's counties");
}

#[test]
fn a_zip_of_which_a_plan_serves_a_part() {
    let made = sold_apart();
    let dataset = &made.dataset;
    let here = dataset.plans_in_zip("20111".parse().unwrap(), &PlanFilter::default()).unwrap();
    assert_eq!(here.offered.len(), 2);
    assert_eq!(here.partly.len(), 2);
    let place = dataset.near_zip("20111".parse().unwrap(), None).unwrap();
    for plan in &here.offered {
        assert_eq!(dataset.offered_at(plan, &place).unwrap(), Some(Offered::Partly));
    }
    let place = dataset.near_county("Manassas Park city, VA", None).unwrap();
    let offered: Vec<_> = here.offered.iter().map(|plan| dataset.offered_at(plan, &place).unwrap().unwrap()).collect();
    assert_eq!(offered, [Offered::No, Offered::Yes]);
}

#[test]
fn codes_of_counties_that_are_no_more_lead_to_their_successors() {
    let made = sold_apart();
    let dataset = &made.dataset;
    for (text, since, count) in
        [("09003", 2022, 3), ("Hartford, CT", 2022, 3), ("02261", 2019, 2), ("Dade, FL", 1997, 1)]
    {
        let found = dataset.find_counties(text).unwrap();
        let former = found.former.unwrap();
        assert_eq!((former.since, found.counties.len()), (since, count), "{text}");
        assert!(found.note.unwrap().contains(&former.fips.to_string()), "{text}");
    }
    let error = dataset.near_county("09003", None).unwrap_err();
    assert_eq!((error.kind(), error.candidates().len()), (ErrorKind::Ambiguous, 3));
    assert!(error.message().contains("Hartford County, CT (09003) is no county since 2022"), "{error}");
    assert!(dataset.near_county("Dade, FL", None).unwrap().note.unwrap().contains("Miami-Dade County, FL"));
    // Digits that are a ZIP and a county's code are the ZIP, with the county behind it, and the answer says so.
    let both = dataset.find_counties("12025").unwrap();
    let [of_zip @ .., as_code] = both.counties.as_slice() else { panic!("{both:?}") };
    assert!(!of_zip.is_empty() && of_zip.iter().all(|found| found.share.is_some()), "{both:?}");
    assert_eq!((as_code.county.fips.number(), as_code.share), (12086, None));
    let note = both.note.unwrap();
    assert!(note.contains("read as a ZIP") && note.contains("Dade County, FL (12025)"), "{note}");
    // Four digits are a code that lost its zero; that a ZIP may have lost it is said.
    let short = dataset.find_counties("1001").unwrap();
    assert_eq!(short.counties[0].county.fips.number(), 1_001);
    assert!(short.note.unwrap().contains("as the ZIP 01001: Hampden County, MA"));
    assert!(dataset.find_counties("2139").unwrap_err().hint().unwrap().ends_with("write 02139"));
    let error = dataset.find_counties("65102").unwrap_err();
    assert!(error.message().contains("Missouri"), "boxes are in the state of their neighbors: {error}");
}
