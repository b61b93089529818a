//! OperationOutcome: what a server says of a request, beside an answer or in its place.

use super::json;

/// Characters of an outcome's words that a message shows.
const SHOWN: usize = 200;

/// Whether it tells of an error, and not of what may be of interest.
pub(crate) fn says_that_it_failed(outcome: &str) -> bool {
    let mut failed = false;
    each_of_issues(outcome, |issue| {
        let [severity] = json::members_or_none(issue, ["severity"]);
        failed |= json::word(severity)
            .is_some_and(|word| ["error", "fatal"].iter().any(|severe| word.eq_ignore_ascii_case(severe)));
    });
    failed
}

/// Its first words: severity, code and text, short enough for a message.
pub(crate) fn words(outcome: &str) -> String {
    let mut words: Vec<String> = Vec::new();
    each_of_issues(outcome, |issue| {
        let [severity, code, details, diagnostics] =
            json::members_or_none(issue, ["severity", "code", "details", "diagnostics"]);
        let [text] = json::members_or_none(details.unwrap_or("null"), ["text"]);
        let said = [severity, code, text, diagnostics].into_iter().flatten().filter_map(json::string);
        words.extend(said.map(|word| word.trim().to_owned()));
    });
    words.join(" ").chars().take(SHOWN).map(|c| if c.is_control() { ' ' } else { c }).collect()
}

fn each_of_issues(outcome: &str, found: impl FnMut(&str)) {
    let [issues] = json::members_or_none(outcome, ["issue"]);
    let _ = json::list(issues.unwrap_or("null"), found);
}
