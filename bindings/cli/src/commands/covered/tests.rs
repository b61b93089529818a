use coverdex_core::{Coverage, CoverageReason, CoverageStatus, ErrorKind, Restriction, Statement, Tier, Varies};
use coverdex_sandbox::truth::{OUTCOMES, Truth};
use serde_json::Value;

use super::tables::{cells, render};
use super::*;
use crate::output::Look;
use crate::testing::{WIDE, tiny};

fn answer_for(plan: u32, drugs: &[String]) -> Vec<PlanAnswers<'static>> {
    let tiny = tiny();
    let plan = tiny.payer.plans()[plan as usize].id.to_string();
    ask(&tiny.datasets, tiny.datasets.resolve_plan(&plan).unwrap(), drugs).unwrap()
}

fn documents(answered: &[PlanAnswers<'_>]) -> Vec<Value> {
    serde_json::from_slice(&Document::of(&elements(answered)).unwrap().0).unwrap()
}

fn tier(code: &str, display: &str) -> Tier {
    Tier::read(code, Some(display))
}

/// A covered drug that the plan lists once, and 12 packages that it does not list.
fn covered(change: impl FnOnce(&mut Coverage)) -> Coverage {
    let truth = Truth::new(&tiny().payer);
    let (plan, package) = truth.examples(OUTCOMES[0].0, OUTCOMES[0].1)[0];
    let ndc = tiny().payer.package(package).unwrap().ndc11.to_string();
    let mut coverage = answer_for(plan, &[ndc]).remove(0).answers.remove(0).coverage;
    (coverage.status, coverage.reason, coverage.varies) = (CoverageStatus::Covered, None, None);
    (coverage.listed, coverage.not_on_this_list) = (1, 12);
    coverage.statement = Statement::default();
    change(&mut coverage);
    coverage
}

/// Each status and reason that a made payer has, as JSON says it and as people read it.
#[test]
fn every_outcome_is_said_in_json_and_in_words() {
    let truth = Truth::new(&tiny().payer);
    for (status, reason) in OUTCOMES {
        let (plan, package) = truth.examples(status, reason)[0];
        let ndc = tiny().payer.package(package).unwrap().ndc11.to_string();
        let answered = answer_for(plan, std::slice::from_ref(&ndc));
        let [element] = documents(&answered).try_into().unwrap();
        let wanted = truth.coverage(plan, package);
        assert_eq!(element["status"], status.as_str(), "{element}");
        assert_eq!(element["reason"].as_str(), reason.map(coverdex_sandbox::truth::Reason::as_str), "{element}");
        assert_eq!(element["query"], ndc.as_str());
        // One package asked for by its code is there whatever its status.
        let [shown] = element["packages"].as_array().unwrap().as_slice() else { panic!("{element}") };
        assert_eq!(shown["ndc11"], ndc.as_str());
        assert_eq!(shown["status"], status.as_str());
        match wanted.stated.as_slice() {
            [one] => {
                assert_eq!(shown["prior_authorization"], Value::from(one.prior_authorization));
                assert_eq!(shown["step_therapy"], Value::from(one.step_therapy));
                assert_eq!(shown["quantity_limit"], Value::from(one.quantity_limit));
                assert!(shown.get("conflict").is_none());
            }
            several => {
                assert!(shown["tier"].is_null());
                assert_eq!(shown.get("conflict").map_or(0, |says| says.as_array().unwrap().len()), several.len());
            }
        }
        let words = answered[0].answers[0].coverage.to_string();
        let text = render(WIDE, &answered, false, false, &[]);
        assert!(text.contains(&words), "{words}\n{text}");
        assert!(text.contains("Data as of 2026-05-12 · source: Larkspur Health"), "{text}");
    }
}

#[test]
fn the_documented_fields_are_there() {
    let answered = answer_for(0, &["no such drug".to_owned(), "99999-9999-99".to_owned()]);
    for element in documents(&answered) {
        for field in [
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
        ] {
            assert!(element.get(field).is_some(), "{field}: {element}");
        }
        assert!(element["complete"].is_boolean());
    }
    let [missing, unseen] = documents(&answered).try_into().unwrap();
    assert_eq!((missing["status"].as_str(), missing["seen_anywhere"].as_bool()), (Some("not_found"), Some(false)));
    assert_eq!((unseen["status"].as_str(), unseen["seen_anywhere"].as_bool()), (Some("not_listed"), Some(false)));
    assert_eq!(unseen["packages"][0]["rxcui"], Value::from(Vec::<String>::new()));
}

#[test]
fn what_varies_keeps_its_shape() {
    let coverage = covered(|coverage| {
        let mut varies = Varies::default();
        varies.tiers = vec![tier("1", "Preferred Generic"), tier("2", "Generic")];
        (varies.of, varies.step_therapy) = (15, 11);
        coverage.statement.prior_authorization = Some(false);
        coverage.varies = Some(varies);
    });
    let summary = serde_json::to_value(&coverage).unwrap();
    assert_eq!(summary["varies"]["step_therapy"], serde_json::json!([11, 15]));
    assert_eq!(
        summary["varies"]["tiers"][0],
        serde_json::json!({"code": "1", "display": "Preferred Generic", "level": "preferred_generic"})
    );
    assert_eq!(summary["tier"], Value::Null);
    assert_eq!(summary["summary"], "covered; varies: T1–T2; step therapy on 11 of 15 packages");
}

#[test]
fn cells_never_say_no_for_what_is_not_stated() {
    let stated = covered(|coverage| {
        coverage.statement.tier = Some(tier("3", "Preferred Brand"));
        let own = coverage.restrictions.as_mut().unwrap();
        own.prior_authorization = Restriction::Yes;
        (own.step_therapy, own.quantity_limit) = (Restriction::NotStated, Restriction::No);
    });
    let words = cells(&stated, &[]).map(|cell| cell.content());
    assert_eq!(words, ["covered\n+12 not on this list", "3 Preferred Brand", "yes", "not stated", "no"]);
    let unlisted = covered(|coverage| {
        (coverage.status, coverage.reason) = (CoverageStatus::Unknown, Some(CoverageReason::NoDrugBenefit));
        (coverage.listed, coverage.not_on_this_list) = (0, 0);
        coverage.restrictions = None;
    });
    let words = cells(&unlisted, &[]).map(|cell| cell.content());
    assert_eq!(words, ["unknown: a plan of this type has no drug benefit", "–", "–", "–", "–"]);
}

#[test]
fn the_foot_says_what_applies_once_and_no_more() {
    let truth = Truth::new(&tiny().payer);
    let outcome =
        |wanted: &str| OUTCOMES.into_iter().find(|(status, reason)| status.as_str() == wanted && reason.is_none());
    let (status, reason) = outcome("covered").unwrap();
    let (plan, package) = truth.examples(status, reason)[0];
    let ndc = tiny().payer.package(package).unwrap().ndc11.to_string();
    let text = render(WIDE, &answer_for(plan, &[ndc.clone(), ndc]), false, false, &[]);
    assert_eq!(text.matches("A tier is not a price.").count(), 1, "{text}");
    assert!(!text.contains("Not listed means"), "{text}");
    let text = render(WIDE, &answer_for(plan, &["99999-9999-99".to_owned()]), false, false, &[]);
    assert!(!text.contains("A tier is not a price."), "{text}");
    assert_eq!(text.matches("Not listed means not on this").count(), 1, "{text}");
}

#[test]
fn tables_fit_from_one_plan_to_many() {
    let tiny = tiny();
    let drugs = ["99999-9999-99".to_owned(), "no such drug".to_owned()];
    let plans: Vec<MeantPlan<'_>> =
        tiny.payer.plans().iter().flat_map(|plan| tiny.datasets.resolve_plan(&plan.id.to_string()).unwrap()).collect();
    for count in [1, 2, 3, 5, plans.len()] {
        let answered = ask(&tiny.datasets, plans[..count].to_vec(), &drugs).unwrap();
        for width in [60, 80, 100, 200] {
            let text = render(Look { width, color: false }, &answered, false, true, &[]);
            let widest = text.lines().map(|line| line.chars().count()).max().unwrap();
            assert!(widest <= usize::from(width), "{count} plans, {width} columns: {widest}\n{text}");
            for plan in &plans[..count] {
                let contract = plan.plan.id.to_string().split('-').next().unwrap().to_owned();
                assert!(text.contains(&contract), "{contract} is missing\n{text}");
            }
        }
    }
}

#[test]
fn a_plan_that_is_not_there_is_an_error_with_candidates() {
    let plan = &tiny().payer.plans()[0].id.to_string();
    let wrong = plan.replace("-2026", "-2031");
    let error = tiny().datasets.resolve_plan(&wrong).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::NotFound);
    assert!(error.candidates().iter().any(|candidate| candidate.starts_with(plan)), "{error:?}");
}
