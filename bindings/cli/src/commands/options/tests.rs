use coverdex_core::{Comparison, CoverageStatus, DrugSearch};
use serde_json::Value;

use super::*;
use crate::testing::{WIDE, tiny};

/// A plan with a drug list, and texts of drugs that the catalogue has.
fn asked() -> (String, Vec<String>) {
    let dataset = &tiny().datasets.all()[0].dataset;
    let plan = dataset.all_plans().unwrap().into_iter().find(|plan| plan.drugs.has_entries()).unwrap();
    let mut drugs = Vec::new();
    for letter in 'a'..='z' {
        let search = DrugSearch { text: letter.to_string(), limit: 8, ..DrugSearch::default() };
        for line in dataset.search_drugs(&search).unwrap().lines {
            let parts = [Some(line.name.as_str()), line.strength.as_deref(), line.form.as_deref()];
            drugs.push(parts.into_iter().flatten().collect::<Vec<_>>().join(" "));
        }
    }
    (plan.id.to_string(), drugs)
}

fn answers(plan: &str, drug: &str) -> Vec<DrugOptions> {
    let mut question = OptionsQuestion::new(plan, drug);
    question.not_listed = true;
    tiny().datasets.all()[0].dataset.same_ingredient(&question).unwrap()
}

#[test]
fn tables_fit_and_say_why() {
    let (plan, drugs) = asked();
    let plans = tiny().datasets.resolve_plan(&plan).unwrap();
    let mut options = 0;
    for drug in &drugs {
        let answers = answers(&plan, drug);
        options += answers[0].options.len();
        for width in [60, 80, 120] {
            let text = render(Look { width, color: false }, &plans, &answers, false);
            let widest = text.lines().map(|line| line.chars().count()).max().unwrap();
            assert!(widest <= usize::from(width), "{drug}, {width} columns: {widest}\n{text}");
        }
        let text = render(WIDE, &plans, &answers, false);
        for option in &answers[0].options {
            assert!(text.contains(&option.why), "{}\n{text}", option.why);
        }
    }
    assert!(options > 20, "{options} options of {} drugs", drugs.len());
}

#[test]
fn the_documented_fields_are_there() {
    let (plan, drugs) = asked();
    let with_options =
        drugs.iter().map(|drug| answers(&plan, drug)).find(|found| !found[0].options.is_empty()).unwrap();
    let document: Value = serde_json::from_slice(&Document::of(&with_options).unwrap().0).unwrap();
    let fields = [
        "plan",
        "plan_name",
        "query",
        "read_as",
        "ignored",
        "candidates",
        "notes",
        "status",
        "tier",
        "ingredients",
        "options",
        "total",
        "better",
        "not_listed",
        "next",
        "as_of",
        "source",
        "dataset",
        "complete",
    ];
    for field in fields {
        assert!(document[0].get(field).is_some(), "{field}: {document}");
    }
    let option = &document[0]["options"][0];
    let fields = [
        "name",
        "strength",
        "form",
        "product_ndcs",
        "ndc11",
        "status",
        "tier",
        "prior_authorization",
        "ingredients",
        "release",
        "differs",
        "comparison",
        "why",
    ];
    for field in fields {
        assert!(option.get(field).is_some(), "{field}: {option}");
    }
    assert!(option["ingredients"][0]["name"].is_string(), "{option}");
}

#[test]
fn a_drug_that_is_none_has_candidates_and_no_options() {
    let (plan, _) = asked();
    let answer = answers(&plan, "no such drug").remove(0);
    assert_eq!(answer.coverage.status, CoverageStatus::NotFound);
    assert!(answer.options.is_empty() && answer.ingredients.is_empty());
    assert!(!answer.options.iter().any(|option| option.comparison == Comparison::Better));
}
