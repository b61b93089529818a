//! The questions as command lines.

use coverdex_tests::command::run;
use coverdex_tests::questions::{Question, payer};
use serde_json::{Value, json};

use super::{ask_all, made};

/// Verbs of core that the command does not have by themselves.
const WITHOUT_COMMAND: [&str; 3] = ["network_matrix", "plans_covering", "plans_taking"];

/// Questions that lack what the command line cannot be without: it refuses them itself, as wrong usage.
const WRONG_USAGE: [&str; 4] =
    ["compare-nowhere", "matrix-without-a-drug", "matrix-without-a-plan-or-place", "practicing-nowhere"];

/// The command of a verb.
fn command(verb: &str) -> &'static [&'static str] {
    match verb {
        "compare" => &["compare"],
        "counties" => &["counties"],
        "coverage" | "coverage_matrix" => &["covered"],
        "explain_coverage" => &["explain", "drug"],
        "explain_provider" => &["explain", "provider"],
        "info" => &["info"],
        "network_status" | "provider" => &["provider"],
        "plans" => &["plans"],
        "same_ingredient" => &["options"],
        "search_drugs" => &["drug"],
        "practicing_at" | "search_providers" => &["providers"],
        _ => panic!("no command for the verb {verb}"),
    }
}

/// Whether the command can ask it: it has no option for a page of drugs.
fn has_command(question: &Question) -> bool {
    let is_page_of_drugs = question.verb == "search_drugs" && question.args.contains_key("page");
    !WITHOUT_COMMAND.contains(&question.verb.as_str()) && !is_page_of_drugs
}

/// What a question is on the command line: `drug`, `drugs`, `text`, `npi` and `provider` are words, everything else
/// is the option of its name, `plans` and `providers` an option for each.
fn arguments(question: &Question) -> Vec<String> {
    let mut arguments: Vec<String> = command(&question.verb).iter().map(|&word| word.to_owned()).collect();
    let mut words = Vec::new();
    for (name, value) in &question.args {
        let text = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        match (name.as_str(), value) {
            ("drug" | "text" | "npi" | "provider", value) => words.push(text(value)),
            ("drugs", Value::Array(drugs)) => words.extend(drugs.iter().map(text)),
            ("plans" | "providers", Value::Array(several)) => {
                let option = name.trim_end_matches('s');
                arguments.extend(several.iter().map(|one| format!("--{option}={}", text(one))));
            }
            ("page", _) => arguments.extend(question.page(former).unwrap().map(|token| format!("--page={token}"))),
            ("sources", Value::Bool(true)) => arguments.push(format!("--from={}", payer().display())),
            (name, Value::Bool(true)) => arguments.push(format!("--{}", name.replace('_', "-"))),
            (name, value) => arguments.push(format!("--{}={}", name.replace('_', "-"), text(value))),
        }
    }
    arguments.extend(["--json".to_owned(), "--data".to_owned(), made().store.display().to_string()]);
    if !words.is_empty() {
        arguments.push("--".to_owned());
        arguments.extend(words);
    }
    arguments
}

/// What the command prints, and its exit code.
fn ask(question: &Question) -> (Value, i32) {
    let arguments = arguments(question);
    let ran = run(&arguments.iter().map(String::as_str).collect::<Vec<_>>());
    let document = serde_json::from_str(&ran.stdout).unwrap_or_else(|e| panic!("{}: {e}: {ran:?}", question.id));
    (document, ran.code.unwrap_or_else(|| panic!("{}: {ran:?}", question.id)))
}

/// The answer to a question whose next page is asked for.
fn former(question: &Question) -> Result<Value, String> {
    let (document, exit) = ask(question);
    if exit == 0 { Ok(document) } else { Err(document.to_string()) }
}

/// What the list of `coverdex covered`, an answer for each plan and drug, has to have for a matrix that is wanted.
fn as_list(matrix: &Value) -> Value {
    let Some(plans) = matrix["plans"].as_array() else { return matrix.clone() };
    let mut list = Vec::new();
    for plan in plans {
        for (at, answer) in plan["answers"].as_array().unwrap().iter().enumerate() {
            let mut answer = answer.clone();
            answer["plan"] = plan["plan"].clone();
            for (field, value) in matrix["drugs"][at].as_object().unwrap() {
                answer[field] = value.clone();
            }
            list.push(answer);
        }
    }
    json!(list)
}

#[test]
fn through_the_command() {
    let prepare = |mut question: Question| {
        if question.verb == "coverage_matrix" {
            question.wanted = as_list(&question.wanted);
        }
        if WRONG_USAGE.contains(&question.id.as_str()) {
            question.wanted["error"]["kind"] = json!("usage");
        }
        has_command(&question).then_some(question)
    };
    ask_all("the command", prepare, |question| {
        let (document, exit) = ask(question);
        (document, Some(exit))
    });
}
