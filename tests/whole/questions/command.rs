//! The questions as command lines.

use coverdex_tests::command::run;
use coverdex_tests::questions::Question;
use serde_json::Value;

use super::{ask_all, made};

/// The command of a verb.
fn command(verb: &str) -> &'static str {
    match verb {
        "coverage" => "covered",
        "counties" => "counties",
        "info" => "info",
        "network_status" | "provider" => "provider",
        "plans" => "plans",
        "search_drugs" => "drug",
        "search_providers" => "providers",
        _ => panic!("no command for the verb {verb}"),
    }
}

/// What a question is on the command line: `drug`, `text` and `npi` are words, everything else is the
/// option of its name.
fn arguments(question: &Question) -> Vec<String> {
    let mut arguments = vec![command(&question.verb).to_owned()];
    let mut words = Vec::new();
    for (name, value) in &question.args {
        let value = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        if ["drug", "text", "npi"].contains(&name.as_str()) {
            words.push(value);
        } else if question.args[name] == true {
            arguments.push(format!("--{name}"));
        } else {
            arguments.push(format!("--{}={value}", name.replace('_', "-")));
        }
    }
    arguments.extend(["--json".to_owned(), "--data".to_owned(), made().store.display().to_string()]);
    if !words.is_empty() {
        arguments.push("--".to_owned());
        arguments.extend(words);
    }
    arguments
}

#[test]
fn through_the_command() {
    ask_all(
        "the command",
        |_| true,
        |question| {
            let arguments = arguments(question);
            let ran = run(&arguments.iter().map(String::as_str).collect::<Vec<_>>());
            let document: Value =
                serde_json::from_str(&ran.stdout).unwrap_or_else(|e| panic!("{}: {e}: {ran:?}", question.id));
            (document, Some(ran.code.unwrap_or_else(|| panic!("{}: {ran:?}", question.id))))
        },
    );
}
