//! One bit flipped, at many places of every file.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use coverdex_core::{Dataset, verify};
use coverdex_tests::dataset::scratch;
use rusqlite::Connection;

use super::{Answers, answers, copy, made, paths, without_noise};

/// Flips of one file, at most; all bytes of a smaller file are met.
const MOST: usize = 1_500;

/// What came of flips: how many were refused at open, met by a call, unnoticed by all questions, or
/// answered differently without an error.
#[derive(Debug, Default)]
struct Outcome {
    at_open: u32,
    by_a_call: u32,
    unnoticed: u32,
    /// Where, and what was answered.
    different: Vec<(usize, String)>,
}

fn flip(path: &Path, whole: &[u8], at: usize) {
    let mut changed = whole.to_vec();
    changed[at] ^= 1 << (at % 8);
    fs::write(path, changed).unwrap();
}

fn ask(dataset: &Path, right: &Answers, outcome: &mut Outcome, at: usize) {
    let opened = without_noise(|| Dataset::open(dataset).map(|dataset| answers(&dataset)));
    let answered = match opened.unwrap_or_else(|| panic!("a panic at {at}")) {
        Err(_) => {
            outcome.at_open += 1;
            return;
        }
        Ok(answered) => answered,
    };
    if answered == *right {
        outcome.unnoticed += 1;
        return;
    }
    let failed = answered.values().any(Result::is_err);
    let differs = |(question, answer): (&String, &Result<String, String>)| {
        (answer.is_ok() && right.get(question) != Some(answer)).then(|| format!("{question}: {answer:?}"))
    };
    match answered.iter().find_map(differs) {
        Some(answer) => outcome.different.push((at, answer.chars().take(160).collect())),
        None if failed => outcome.by_a_call += 1,
        None => outcome.different.push((at, "fewer answers, and no error".to_owned())),
    }
}

fn flip_all(broken: &Path, path: &str, right: &Answers) -> Outcome {
    let file = broken.join(path);
    let whole = fs::read(&file).unwrap();
    let step = whole.len().div_ceil(MOST).max(1);
    let mut outcome = Outcome::default();
    for at in (0..whole.len()).step_by(step) {
        flip(&file, &whole, at);
        let verified = without_noise(|| verify(broken)).unwrap_or_else(|| panic!("verify panics at {at} of {path}"));
        assert!(verified.is_err(), "verify does not see a flip at {at} of {path}");
        ask(broken, right, &mut outcome, at);
    }
    fs::write(&file, &whole).unwrap();
    outcome
}

#[test]
fn every_flip_is_seen_by_verify_and_none_panics() {
    let made = made();
    let folder = scratch();
    let broken = folder.path().join("broken");
    copy(made.dataset.folder(), &broken);
    let right = answers(&made.dataset);
    assert!(right.values().all(Result::is_ok) && right.len() > 50, "{right:?}");
    let mut outcomes = BTreeMap::new();
    for path in paths(&broken) {
        outcomes.insert(path.clone(), flip_all(&broken, &path, &right));
    }
    assert_eq!(answers(&Dataset::open(&broken).unwrap()), right, "all flips were taken back");
    let mut report = String::new();
    for (path, outcome) in &outcomes {
        let Outcome { at_open, by_a_call, unnoticed, different } = outcome;
        report += &format!(
            "{path}: open {at_open}, call {by_a_call}, unnoticed {unnoticed}, different {}\n",
            different.len()
        );
        for (at, what) in different.iter().take(4) {
            report += &format!("    at {at}: {what}\n");
        }
    }
    let slipped: usize = outcomes.values().map(|outcome| outcome.different.len()).sum();
    assert_eq!(slipped, 0, "answers that differ without an error:\n{report}");
}

/// Where the bytes of a value lie in the file: its longest run that stands there once.
fn places(file: &[u8], value: &[u8]) -> Vec<usize> {
    // A value longer than a page is cut into the pages that hold it.
    let mut found = Vec::new();
    for (n, piece) in value.chunks(256).enumerate() {
        let mut at = file.windows(piece.len()).enumerate().filter(|(_, window)| *window == piece).map(|(at, _)| at);
        if let (Some(at), None) = (at.next(), at.next()) {
            found.extend((0..piece.len()).map(|offset| at + offset));
        }
        assert!(n < 1_000_000);
    }
    found
}

/// The bytes that coverage is computed from: codes of formularies, packages of NDCs and of lines. A
/// flipped bit in any of them must never become an answer.
#[test]
fn no_flip_in_what_answers_are_computed_from_becomes_an_answer() {
    let made = made();
    let folder = scratch();
    let broken = folder.path().join("broken");
    copy(made.dataset.folder(), &broken);
    let right = answers(&made.dataset);
    let path = broken.join("coverdex.sqlite");
    let whole = fs::read(&path).unwrap();
    let values: Vec<Vec<u8>> = {
        let database = Connection::open(made.dataset.folder().join("coverdex.sqlite")).unwrap();
        let mut statement = database
            .prepare("SELECT codes FROM formulary UNION ALL SELECT bytes FROM array UNION ALL SELECT packages FROM rxnorm WHERE length(packages) > 6")
            .unwrap();
        let rows = statement.query_map([], |row| row.get(0)).unwrap();
        rows.map(Result::unwrap).collect()
    };
    let all: Vec<usize> = values.iter().flat_map(|value| places(&whole, value)).collect();
    assert!(all.len() > 2_000, "{}", all.len());
    let mut outcome = Outcome::default();
    for at in all.iter().step_by(all.len().div_ceil(MOST)) {
        flip(&path, &whole, *at);
        ask(&broken, &right, &mut outcome, *at);
    }
    assert!(outcome.different.is_empty(), "{outcome:?}");
    assert!(outcome.by_a_call > 100, "{outcome:?}");
}
