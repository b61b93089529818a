//! Tiers from what a payer writes to the answer: covered, not covered, or not understood.

use coverdex_core::{CoverageReason, CoverageStatus, TierStatus};
use coverdex_tests::Made;
use coverdex_tests::fhir::{entry, formulary};
use serde_json::{Value, json};

const PLAN: &str = "H1234-001-000-2026";
const OTHER: &str = "H1234-002-000-2026";

/// A tier as an entry writes it: code and words.
type Written = (&'static str, Option<&'static str>);

const COVERED: [Written; 25] = [
    ("1", Some("Preferred Generic")),
    ("2", None),
    ("3", Some("Preferred Brand")),
    ("4", Some("Non-Preferred Drug")),
    ("5", Some("Specialty Tier")),
    ("6", Some("Select Care Drugs")),
    ("7", Some("Ask the plan")),
    ("T4", None),
    ("tier-5", None),
    ("Tier IV", None),
    ("SP", Some("Specialty Select")),
    ("X9", Some("Tier Nine")),
    ("PREFERRED-GENERIC", None),
    ("non-preferred-brand", None),
    ("nonpreferred-brand", Some("Nonpreferred Brand")),
    ("zero-cost-share-preventative", None),
    ("medical-service", None),
    ("0", Some("$0 Preventive Drugs")),
    ("1", Some("Excluded from deductible")),
    ("2", Some("No deductible")),
    ("3", Some("Preferred - not subject to deductible")),
    ("4", Some("NCD preferred")),
    ("5", Some("Not covered in the coverage gap")),
    ("6", Some("Not available by mail order")),
    ("B", Some("Brand")),
];

const NOT_COVERED: [Written; 22] = [
    ("0", None),
    ("0", Some("Non-Formulary Drug")),
    ("0", Some("Tier 0")),
    ("NF", None),
    ("nf", Some("Ask the plan")),
    ("NC", None),
    ("N/F", None),
    ("NON_FORMULARY", None),
    ("6", Some("Excluded")),
    ("6", Some("excluded drug")),
    ("7", Some("Off-Formulary")),
    ("7", Some("Drug is excluded from coverage")),
    ("99", Some("No Coverage")),
    ("3", Some("NOT COVERED")),
    ("3", Some("Not a covered drug")),
    ("5", Some("non formulary")),
    ("5", Some("Nonformulary")),
    ("8", Some("Not on the formulary")),
    ("8", Some("Not listed on formulary")),
    ("9", Some("Formulary exclusion")),
    ("Z", Some("Non-Covered Brand")),
    ("Z", Some("We don't cover this drug")),
];

const NOT_UNDERSTOOD: [Written; 12] = [
    ("Z", None),
    ("Z", Some("Ask the plan")),
    ("X9", None),
    ("99", None),
    ("-1", None),
    ("NF", Some("Preferred Brand")),
    ("preferred-brand", Some("Not covered")),
    ("3", Some("Non-formulary, covered with exception")),
    ("4", Some("Excluded from Part D")),
    ("5", Some("Not available")),
    ("0", Some("Tier 1")),
    ("unknown", Some("n/a")),
];

/// Each with a drug of its own, as it is in a payer.
fn made(tiers: &[Written]) -> Made {
    // Each in a plan of its own, so that none lends its words to another.
    let resources = tiers.iter().enumerate().flat_map(|(n, tier)| {
        let entry = entry(&format!("e{n}")).ndc(&ndc(n)).tiers(&[*tier]);
        formulary(&plan(n), &[entry])
    });
    Made::of(&resources.collect::<Vec<Value>>())
}

fn ndc(nth: usize) -> String {
    format!("{:011}", 11_111_000_000 + nth)
}

fn plan(nth: usize) -> String {
    format!("H{:04}-001-000-2026", 1000 + nth)
}

#[test]
fn tiers_are_covered_not_covered_or_not_understood() {
    for (tiers, want) in [
        (&COVERED[..], (CoverageStatus::Covered, None)),
        (&NOT_COVERED, (CoverageStatus::NotCovered, None)),
        (&NOT_UNDERSTOOD, (CoverageStatus::Unknown, Some(CoverageReason::TierNotUnderstood))),
    ] {
        let made = made(tiers);
        for (n, (code, words)) in tiers.iter().enumerate() {
            let answer = made.coverage(&plan(n), &ndc(n));
            assert_eq!((answer.status, answer.reason), want, "{code:?} {words:?}");
            assert_eq!(answer.listed, 1);
            let tier = answer.statement.tier.unwrap();
            assert_eq!((tier.code.as_str(), tier.display.as_deref()), (*code, *words), "the payer's own words stay");
            let [package] = made.packages(&plan(n), &ndc(n)).try_into().unwrap();
            assert_eq!((package.status, package.reason), want, "{code:?} {words:?}");
        }
    }
}

#[test]
fn words_count_wherever_they_stand() {
    // In an entry, in another entry of the plan, in its List, in the text beside the code.
    let seven = |id: &str, ndc: &str| entry(id).ndc(ndc).tiers(&[("7", None)]);
    let alone = Made::of(&formulary(PLAN, &[seven("a", "11111000001")]));
    assert_eq!(alone.says(PLAN, "11111000001"), "covered", "a number");
    let worded = entry("b").ndc("11111000002").tier("7", "Off-Formulary");
    let beside = Made::of(&formulary(PLAN, &[seven("a", "11111000001"), worded]));
    assert_eq!(beside.says(PLAN, "11111000001"), "not_covered");
    let mut resources = formulary(PLAN, &[seven("a", "11111000001")]);
    let list = resources.iter_mut().find(|resource| resource["resourceType"] == "List").unwrap();
    list["extension"] = json!([{
        "url": "http://hl7.org/fhir/us/davinci-drug-formulary/StructureDefinition/usdf-DrugTierDefinition-extension",
        "extension": [
            { "url": "drugTierID", "valueCodeableConcept": { "coding": [{ "code": "7", "display": "Not covered" }] } },
        ],
    }]);
    assert_eq!(Made::of(&resources).says(PLAN, "11111000001"), "not_covered");
    // Several kinds of words that agree are not lent, others contradict each other.
    let named = |ndc: &str, words: &str| entry(ndc).ndc(ndc).tier("7", words);
    for (first, second, says) in [
        ("Preferred Brand", "Brand", "covered"),
        ("Off-Formulary", "Preferred Brand", "conflict"),
        ("Off-Formulary", "Non-Formulary", "not_covered"),
    ] {
        let others = [named("11111000002", first), named("11111000003", second)];
        let made = Made::of(&formulary(PLAN, &[seven("a", "11111000001"), others[0].clone(), others[1].clone()]));
        assert_eq!(made.says(PLAN, "11111000001"), says, "{first}, {second}");
    }
    let concept = json!({ "coding": [{ "code": "7" }], "text": "Excluded drugs" });
    let text = entry("a").ndc("11111000001").extension("DrugTierID", "valueCodeableConcept", &concept);
    assert_eq!(Made::of(&formulary(PLAN, &[text])).says(PLAN, "11111000001"), "not_covered");
    let concept = json!({ "coding": [{ "code": "7", "display": "Tier 7" }], "text": "Excluded drugs" });
    let text = entry("a").ndc("11111000001").extension("DrugTierID", "valueCodeableConcept", &concept);
    assert_eq!(Made::of(&formulary(PLAN, &[text])).says(PLAN, "11111000001"), "conflict");
}

#[test]
fn packages_of_a_drug_in_tiers_that_are_not_understood() {
    let package = |ndc: &str| entry(ndc).ndc(ndc).rxcui(617_310).text("Atorvastatin 20 mg tablet");
    let (one, two, three) = ("00378395277", "00378395293", "00378395205");
    let unclear = |ndc: &str| package(ndc).tier("Z", "Ask the plan");
    let of = |entries: &[coverdex_tests::fhir::Entry]| Made::of(&formulary(PLAN, entries));
    for (entries, says, not_understood, without) in [
        (vec![unclear(one), package(two).tier("2", "Generic")], "unknown tier_not_understood", 1, 0),
        (vec![unclear(one), unclear(two), package(three).tier("NF", "Excluded")], "unknown tier_not_understood", 2, 0),
        (vec![package(one), package(two).tier("2", "Generic")], "unknown tier_not_stated", 0, 1),
        (vec![package(one), package(two).tier("NF", "Excluded")], "unknown tier_not_stated", 0, 1),
        (vec![unclear(one), package(two)], "unknown tier_not_understood", 1, 1),
        (vec![unclear(one), package(two).tier("0", "Not covered"), package(three).tier("2", "Generic")], "mixed", 1, 0),
        (vec![unclear(one), package(two).tier("Y", "Call us")], "unknown tier_not_understood", 2, 0),
    ] {
        let made = of(&entries);
        assert_eq!(made.says(PLAN, "617310"), says);
        let answer = made.coverage(PLAN, "617310");
        let varies = answer.varies.unwrap();
        assert_eq!((varies.tier_not_understood, varies.without_tier), (not_understood, without), "{says}");
        assert_eq!(varies.of as usize, entries.len());
    }
    let same = of(&[unclear(one), unclear(two)]).coverage(PLAN, "617310");
    assert_eq!((same.reason, same.varies, same.listed), (Some(CoverageReason::TierNotUnderstood), None, 2));
    assert_eq!(same.statement.tier.unwrap().code, "Z");
}

#[test]
fn the_report_names_tiers_and_how_often_they_are_stated() {
    let unclear = |id: &str, ndc: &str| entry(id).ndc(ndc).tier("Z", "Ask the plan");
    let mut resources = formulary(
        PLAN,
        &[
            unclear("a", "11111000001"),
            unclear("b", "11111000002"),
            entry("c").ndc("11111000003").tier("2", "Generic"),
            entry("d").ndc("11111000004").tier("Y", "Call us").status("inactive"),
        ],
    );
    resources.extend(formulary(OTHER, &[unclear("x", "11111000001")]));
    let tiers = Made::of(&resources).dataset.info().unwrap().tiers;
    let rows: Vec<_> =
        tiers.iter().map(|row| (row.tier.code.as_str(), row.tier.status, row.entries, row.plans, row.mapped)).collect();
    let want = [
        ("2", TierStatus::Covered, 1, 1, false),
        ("Y", TierStatus::NotUnderstood, 0, 0, false),
        ("Z", TierStatus::NotUnderstood, 3, 2, false),
    ];
    assert_eq!(rows, want);
}

#[test]
fn the_publisher_says_what_a_tier_means() {
    let resources = formulary(
        PLAN,
        &[
            entry("a").ndc("11111000001").tier("Z", "Ask the plan"),
            entry("b").ndc("11111000002").tiers(&[("Y", None)]),
            entry("c").ndc("11111000003").tier("3", "Preferred Brand"),
            entry("d").ndc("11111000004").tier("9", "Insulins"),
        ],
    );
    let plain = Made::of(&resources);
    let mapped =
        Made::with_tiers(&resources, &[("z", "specialty"), ("Y", "not_covered"), ("9", "unknown"), ("Q", "brand")]);
    let says = |made: &Made| [1, 2, 3, 4].map(|n| made.says(PLAN, &format!("1111100000{n}")));
    let unclear = "unknown tier_not_understood";
    assert_eq!(says(&plain), [unclear, unclear, "covered", "covered"]);
    assert_eq!(says(&mapped), ["covered", "not_covered", "covered", unclear]);
    let tier = mapped.coverage(PLAN, "11111000001").statement.tier.unwrap();
    assert_eq!((tier.code.as_str(), tier.level.unwrap().as_str()), ("Z", "specialty"));
    // What the publisher says is part of the dataset: it has another identity, and the report says so.
    assert_ne!(plain.built.manifest.dataset, mapped.built.manifest.dataset);
    let by_settings: Vec<bool> = mapped.dataset.info().unwrap().tiers.iter().map(|row| row.mapped).collect();
    assert_eq!(by_settings, [false, true, true, true]);
    assert_eq!(mapped.built.unused_tiers, ["Q"]);
    // The same settings give the same bytes; settings that concern no tier change none.
    let again =
        Made::with_tiers(&resources, &[("Y", "Not-Covered"), ("9", "unknown"), ("Z  ask the plan", "specialty")]);
    assert_eq!(again.built.manifest.dataset, mapped.built.manifest.dataset);
    let unused = Made::with_tiers(&resources, &[("Q", "brand")]);
    assert_eq!(unused.built.manifest.dataset, plain.built.manifest.dataset);
}
