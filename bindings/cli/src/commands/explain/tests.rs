use serde_json::Value;

use super::*;
use crate::testing::{WIDE, tiny};

fn explained(plan: &str, drug: &str) -> (Vec<MeantPlan<'static>>, Vec<CoverageExplanation>) {
    let datasets = &tiny().datasets;
    let plans = datasets.resolve_plan(plan).unwrap();
    let explained = datasets.all()[0].dataset.explain_coverage(plan, drug, None).unwrap();
    (plans, explained)
}

fn plan_ids() -> Vec<String> {
    tiny().payer.plans().iter().map(|plan| plan.id.to_string()).collect()
}

#[test]
fn every_answer_has_one_condition_that_decided() {
    let ndc = tiny().payer.package(0).unwrap().ndc11.to_string();
    for plan in plan_ids() {
        for drug in [ndc.as_str(), "99999-9999-99", "no such drug", "metformin"] {
            let (plans, explained) = explained(&plan, drug);
            for explanation in &explained {
                let decided: Vec<&Condition> = explanation.conditions.iter().filter(|c| c.decided).collect();
                assert_eq!(decided.len(), 1, "{plan} {drug}: {explanation:?}");
            }
            for width in [60, 80, 120] {
                let text = render(Look { width, color: false }, &plans, &explained, false);
                let widest = text.lines().map(|line| line.chars().count()).max().unwrap();
                assert!(widest <= usize::from(width), "{drug}, {width} columns: {widest}\n{text}");
            }
            assert_eq!(render(WIDE, &plans, &explained, false).matches("decided").count(), explained.len());
        }
    }
}

#[test]
fn the_documented_fields_are_there() {
    let (_, explained) = explained(&plan_ids()[0], "no such drug");
    let document: Value = serde_json::from_slice(&Document::of(&explained).unwrap().0).unwrap();
    for field in ["plan", "query", "status", "packages", "conditions", "codes", "sources", "notes", "as_of"] {
        assert!(document[0].get(field).is_some(), "{field}: {document}");
    }
    assert_eq!(document[0]["conditions"].as_array().unwrap().len(), 7);
    for field in ["name", "question", "says", "holds", "decided", "details"] {
        assert!(document[0]["conditions"][0].get(field).is_some(), "{field}: {document}");
    }
    assert!(document[0]["sources"].is_null());
}
