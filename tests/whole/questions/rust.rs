//! The questions as calls of core.

use coverdex_core::{Dataset, DrugSearch, Error, ErrorKind, Place, PlanFilter, Result};
use coverdex_tests::questions::Question;
use serde_json::{Value, json};

use super::{ask_all, made};

/// Verbs whose answers core does not write as JSON.
const WITHOUT_JSON: [&str; 4] = ["info", "network_status", "provider", "search_providers"];

/// Drugs that a search shows where no limit is said.
const DRUGS_SHOWN: usize = 10;

/// The document of pages of one question: the first, and the others of a plan's further years beside it.
fn with_also(pages: &[Value]) -> Value {
    let (first, also) = pages.split_first().unwrap();
    let mut document = first.clone();
    if !also.is_empty() {
        document["also"] = json!(also);
    }
    document
}

fn owned(question: &Question, name: &str) -> Option<String> {
    question.text(name).map(str::to_owned)
}

/// A number among the arguments.
fn number<N: TryFrom<u64, Error: std::fmt::Debug>>(question: &Question, name: &str) -> Option<N> {
    question.args.get(name).map(|value| value.as_u64().unwrap().try_into().unwrap())
}

/// The place that a question names.
fn place(question: &Question) -> Option<Place> {
    let kinds: [(&str, fn(String) -> Place); 4] =
        [("county", Place::County), ("zip", Place::Zip), ("at", Place::Point), ("state", Place::State)];
    kinds.into_iter().find_map(|(name, kind)| owned(question, name).map(kind))
}

fn plans(dataset: &Dataset, question: &Question) -> Result<Value> {
    let filter = PlanFilter {
        text: owned(question, "text"),
        kind: owned(question, "type"),
        audience: question.text("audience").map(str::parse).transpose()?,
        year: number(question, "year"),
    };
    Ok(json!(dataset.find_plans(&filter, place(question).as_ref())?))
}

fn coverage(dataset: &Dataset, question: &Question) -> Result<Value> {
    let (plan, drug) = (question.text("plan").unwrap(), question.text("drug").unwrap());
    Ok(json!(dataset.coverage_answers(plan, drug, None)?))
}

fn search_drugs(dataset: &Dataset, question: &Question) -> Result<Value> {
    let plans = match question.text("plan") {
        Some(text) => dataset.resolve_plan(text)?.into_iter().map(|resolved| Some(resolved.plan)).collect(),
        None => vec![None],
    };
    let page = |plan| {
        let search = DrugSearch {
            text: owned(question, "text").unwrap(),
            limit: number(question, "limit").unwrap_or(DRUGS_SHOWN),
            plan,
            codes: true,
            ..DrugSearch::default()
        };
        Ok(json!(dataset.search_drugs(&search)?))
    };
    Ok(with_also(&plans.into_iter().map(page).collect::<Result<Vec<Value>>>()?))
}

fn ask(dataset: &Dataset, question: &Question) -> Result<Value> {
    match question.verb.as_str() {
        "coverage" => coverage(dataset, question),
        "counties" => Ok(json!(dataset.find_counties(question.text("text").unwrap())?)),
        "plans" => plans(dataset, question),
        "search_drugs" => search_drugs(dataset, question),
        verb => panic!("no function for the verb {verb}"),
    }
}

/// `{"error":{…}}`.
fn refused(error: &Error) -> Value {
    json!({ "error": {
        "kind": error.kind().as_str(),
        "subject": error.subject(),
        "message": error.message(),
        "hint": error.hint(),
        "candidates": error.candidates(),
    } })
}

/// The exit code that the command has for a kind of error.
fn exit_of(kind: ErrorKind) -> i32 {
    match kind {
        ErrorKind::InvalidInput => 2,
        ErrorKind::NotFound | ErrorKind::Ambiguous => 1,
        _ => 3,
    }
}

#[test]
fn through_rust() {
    let dataset = &made().dataset;
    let has_json = |question: &Question| !WITHOUT_JSON.contains(&question.verb.as_str());
    ask_all("Rust", has_json, |question| match ask(dataset, question) {
        Ok(answer) => (answer, None),
        Err(error) => (refused(&error), Some(exit_of(error.kind()))),
    });
}
