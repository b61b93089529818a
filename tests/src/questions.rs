//! The questions that every door is asked, with their right answers: `tests/questions`.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Map, Value};

/// One question.
#[derive(Clone, Debug)]
pub struct Question {
    /// Its name, each once.
    pub id: String,
    /// The verb of core.
    pub verb: String,
    /// What is asked.
    pub args: Map<String, Value>,
    /// What the document must have: the fields of the answer, or those below `error`.
    pub wanted: Value,
    /// The exit code of the command.
    pub exit: i32,
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("questions")
}

/// The resources of the payer that the questions are about.
pub fn payer() -> PathBuf {
    folder().join("payer")
}

/// All questions, in the order of the file.
pub fn all() -> Vec<Question> {
    let path = folder().join("questions.json");
    let file: Value = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
    let questions: Vec<Question> = file["questions"].as_array().unwrap().iter().map(read).collect();
    let ids: BTreeSet<&str> = questions.iter().map(|question| question.id.as_str()).collect();
    assert_eq!(ids.len(), questions.len(), "two questions have one id");
    questions
}

fn read(question: &Value) -> Question {
    let fields = question.as_object().unwrap();
    for field in fields.keys() {
        assert!(["id", "verb", "args", "answer", "error", "exit"].contains(&field.as_str()), "{field}: {question}");
    }
    let wanted = match (fields.get("answer"), fields.get("error")) {
        (Some(answer), None) => answer.clone(),
        (None, Some(error)) => serde_json::json!({ "error": error }),
        _ => panic!("neither an answer nor an error, or both: {question}"),
    };
    Question {
        id: fields["id"].as_str().unwrap().to_owned(),
        verb: fields["verb"].as_str().unwrap().to_owned(),
        args: fields["args"].as_object().unwrap().clone(),
        wanted,
        exit: i32::try_from(fields["exit"].as_i64().unwrap()).unwrap(),
    }
}

impl Question {
    /// An argument that is a text, if it is given.
    pub fn text(&self, name: &str) -> Option<&str> {
        self.args.get(name).map(|value| value.as_str().unwrap_or_else(|| panic!("{}: {name} is no text", self.id)))
    }

    /// The token of the page that is asked for, if one is: `page` is the token itself, or the arguments of the
    /// question of the same verb whose `next` is meant. `ask` gives the answer to that one.
    ///
    /// # Errors
    /// That of `ask`.
    pub fn page<E>(&self, ask: impl FnOnce(&Self) -> Result<Value, E>) -> Result<Option<String>, E> {
        let Some(page) = self.args.get("page") else { return Ok(None) };
        let Some(args) = page.as_object() else { return Ok(self.text("page").map(str::to_owned)) };
        let answer = ask(&Self { args: args.clone(), ..self.clone() })?;
        let first = answer.get(0).unwrap_or(&answer);
        let next = first["next"].as_str().unwrap_or_else(|| panic!("{}: nothing follows {first}", self.id));
        Ok(Some(next.to_owned()))
    }

    /// In what an answer differs from the right one, each with where that is.
    pub fn differences(&self, got: &Value) -> Vec<String> {
        let mut differences = Vec::new();
        compare(&self.wanted, got, "", &mut differences);
        differences
    }
}

/// The elements of `{"contains":[…]}`.
fn contains(wanted: &Value) -> Option<&Vec<Value>> {
    let fields = wanted.as_object().filter(|fields| fields.len() == 1)?;
    fields.get("contains").map(|elements| elements.as_array().unwrap_or_else(|| panic!("no list: {wanted}")))
}

/// Notes every field of `wanted` that `got` does not have, or has otherwise.
fn compare(wanted: &Value, got: &Value, at: &str, differences: &mut Vec<String>) {
    match (wanted, got) {
        (Value::Object(_), Value::Array(got)) if contains(wanted).is_some() => {
            for element in contains(wanted).into_iter().flatten() {
                if !got.iter().any(|one| is_equal(element, one)) {
                    differences
                        .push(format!("{at}: no element has {element}; there are {}", Value::Array(got.clone())));
                }
            }
        }
        (Value::Object(wanted), Value::Object(got)) => {
            for (field, value) in wanted {
                let at = format!("{at}.{field}");
                match got.get(field) {
                    Some(got) => compare(value, got, &at, differences),
                    None => differences.push(format!("{at}: is not there")),
                }
            }
        }
        (Value::Array(wanted), Value::Array(got)) if wanted.len() == got.len() => {
            for (place, (wanted, got)) in wanted.iter().zip(got).enumerate() {
                compare(wanted, got, &format!("{at}[{place}]"), differences);
            }
        }
        (Value::Number(wanted), Value::Number(got)) if wanted.as_f64() == got.as_f64() => {}
        (wanted, got) if wanted == got => {}
        (wanted, got) => differences.push(format!("{at}: {wanted} was to be, {got} is")),
    }
}

fn is_equal(wanted: &Value, got: &Value) -> bool {
    let mut differences = Vec::new();
    compare(wanted, got, "", &mut differences);
    differences.is_empty()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_is_given_must_be_equal_and_more_may_be_there() {
        let got = json!({ "a": [1, { "b": "x", "c": null }], "d": 0.5, "e": true });
        for wanted in [
            json!({}),
            json!({ "a": [1, { "b": "x" }] }),
            json!({ "a": [1.0, { "c": null }], "d": 0.5 }),
            json!({ "a": { "contains": [{ "b": "x" }] } }),
            json!({ "a": { "contains": [{ "b": "x" }, 1] } }),
            json!({ "a": { "contains": [] } }),
        ] {
            assert!(is_equal(&wanted, &got), "{wanted}");
        }
        for wanted in [
            json!({ "f": null }),
            json!({ "a": [1] }),
            json!({ "a": [{ "b": "x" }, 1] }),
            json!({ "a": [1, { "b": "y" }] }),
            json!({ "a": [1, { "b": null }] }),
            json!({ "a": [1, { "contains": ["x"] }] }),
            json!({ "a": { "contains": [{ "b": "y" }] } }),
            json!({ "d": { "contains": [] } }),
            json!({ "d": "0.5" }),
            json!({ "e": 1 }),
            json!([]),
            json!(null),
        ] {
            assert!(!is_equal(&wanted, &got), "{wanted}");
        }
    }
}
