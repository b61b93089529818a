//! The questions that every door is asked (`tests/questions`), through the command and through Rust.

mod command;
mod rust;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::OnceLock;

use coverdex_tests::Made;
use coverdex_tests::questions::{Question, all, payer};
use serde_json::Value;

use crate::say;

/// The verbs of core that have questions.
const VERBS: [&str; 17] = [
    "compare",
    "counties",
    "coverage",
    "coverage_matrix",
    "explain_coverage",
    "explain_provider",
    "info",
    "network_matrix",
    "network_status",
    "plans",
    "plans_covering",
    "plans_taking",
    "practicing_at",
    "provider",
    "same_ingredient",
    "search_drugs",
    "search_providers",
];

/// The dataset of the payer, built once.
fn made() -> &'static Made {
    static MADE: OnceLock<Made> = OnceLock::new();
    MADE.get_or_init(|| Made::folder(&payer()))
}

/// Asks all questions through one door and says what was wrong. `prepare` gives a question as the door is asked it;
/// `None`: the door cannot be asked it. A door gives a document, and the command's exit code where it has one.
fn ask_all(
    door: &str,
    prepare: impl Fn(Question) -> Option<Question>,
    ask: impl Fn(&Question) -> (Value, Option<i32>),
) {
    let questions: Vec<Question> = all().into_iter().filter_map(prepare).collect();
    let mut asked: BTreeMap<&str, usize> = BTreeMap::new();
    let mut wrong = Vec::new();
    for question in &questions {
        *asked.entry(&question.verb).or_default() += 1;
        let (document, exit) = ask(question);
        let mut differences = question.differences(&document);
        differences.extend(exit.filter(|exit| *exit != question.exit).map(|exit| format!("exit code {exit}")));
        if !differences.is_empty() {
            wrong.push(format!("{}:\n  {}", question.id, differences.join("\n  ")));
        }
    }
    say(&format!("questions through {door}: {} of {} right {asked:?}", questions.len() - wrong.len(), questions.len()));
    assert!(wrong.is_empty(), "{} of {} wrong:\n{}", wrong.len(), questions.len(), wrong.join("\n"));
}

/// The texts that fields of this name have in what is wanted, at any depth.
fn texts_of<'v>(value: &'v Value, name: &str, found: &mut BTreeSet<&'v str>) {
    match value {
        Value::Object(fields) => {
            let of_field = fields
                .get(name)
                .into_iter()
                .flat_map(|value| value.as_array().map_or(vec![value], |all| all.iter().collect()));
            found.extend(of_field.filter_map(Value::as_str));
            fields.values().for_each(|value| texts_of(value, name, found));
        }
        Value::Array(elements) => elements.iter().for_each(|value| texts_of(value, name, found)),
        _ => {}
    }
}

#[test]
fn every_verb_status_and_reason_is_asked() {
    let questions = all();
    assert!(questions.len() >= 300, "{}", questions.len());
    let verbs: BTreeSet<&str> = questions.iter().map(|question| question.verb.as_str()).collect();
    assert_eq!(verbs, VERBS.into());
    let exits: BTreeSet<i32> = questions.iter().map(|question| question.exit).collect();
    assert_eq!(exits, [0, 1, 2].into());
    for (field, values) in [
        ("status", "covered not_covered not_listed unknown mixed conflict ambiguous not_found"),
        // `not_synced` stands only where a sync left a plan out, and no folder of resources says so.
        (
            "reason",
            "incomplete no_formulary_published no_drug_benefit no_list entry_inactive unreferenced tier_not_stated tier_not_understood",
        ),
        ("network_status", "in_network inactive other_networks_only not_in_directory no_such_network unknown"),
        ("inactive", "role provider place"),
        ("accepting_new_patients", "yes no existing_only existing_and_family"),
        ("precision", "point zip county"),
        ("audience", "individual employer_group special_needs medicaid not_stated"),
        ("offered", "yes partly unknown"),
        ("plan_offered", "yes partly no"),
        ("drugs", "complete incomplete no_list no_formulary_published no_drug_benefit"),
        ("kind", "individual organization county zip point state not_found ambiguous invalid_input"),
        ("comparison", "better same worse not_comparable"),
        ("differs", "name strength salt release"),
        ("result", "found closed_door place_not_stated in_doubt not_found"),
        ("what", "role"),
    ] {
        let mut found = BTreeSet::new();
        for question in &questions {
            texts_of(&question.wanted, field, &mut found);
        }
        let missing: Vec<&str> = values.split(' ').filter(|value| !found.contains(value)).collect();
        assert!(missing.is_empty(), "no question has the {field} {missing:?}");
    }
    for (verb, names) in [
        ("explain_coverage", "drug_list drug packages entries tier"),
        (
            "explain_provider",
            "known networks name kind gender language role place city active network specialty accepting open_door certain",
        ),
    ] {
        let mut found = BTreeSet::new();
        for question in questions.iter().filter(|question| question.verb == verb) {
            deciding(&question.wanted, &mut found);
        }
        let missing: Vec<&str> = names.split(' ').filter(|name| !found.contains(name)).collect();
        assert!(missing.is_empty(), "no question of {verb} is decided by {missing:?}");
    }
}

/// The names of conditions that are said to have decided, at any depth.
fn deciding<'v>(value: &'v Value, found: &mut BTreeSet<&'v str>) {
    match value {
        Value::Object(fields) => {
            if fields.get("decided") == Some(&Value::Bool(true)) {
                found.extend(fields.get("name").and_then(Value::as_str));
            }
            fields.values().for_each(|value| deciding(value, found));
        }
        Value::Array(elements) => elements.iter().for_each(|value| deciding(value, found)),
        _ => {}
    }
}
