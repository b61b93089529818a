//! One bit flipped, at many places of every file and of every table.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use coverdex_core::{Dataset, verify};
use coverdex_tests::dataset::{copy, scratch};
use rusqlite::Connection;

use super::{Answers, answers, made, paths, without_noise};

/// Flips of one file, at most.
const MOST: usize = 32;

/// Flips of one table, at most.
const FEW: usize = 8;

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

/// A dataset that is flipped and mended.
struct Broken {
    folder: tempfile::TempDir,
    right: Answers,
}

impl Broken {
    fn new() -> Self {
        let made = made();
        let folder = scratch();
        copy(made.dataset.folder(), folder.path());
        let right = answers(&made.dataset);
        assert!(right.values().all(Result::is_ok) && right.len() > 60, "{right:?}");
        Self { folder, right }
    }

    fn path(&self) -> &Path {
        self.folder.path()
    }

    /// Flips a bit at each of these places, one at a time.
    fn flip(&self, file: &str, places: impl IntoIterator<Item = usize>) -> Outcome {
        let path = self.path().join(file);
        let whole = fs::read(&path).unwrap();
        let mut outcome = Outcome::default();
        for (n, at) in places.into_iter().enumerate() {
            let mut changed = whole.clone();
            changed[at] ^= 1 << (at % 8);
            fs::write(&path, changed).unwrap();
            // Every byte is hashed by it, wherever it lies: some will do.
            if n % 16 == 0 {
                let verified = without_noise(|| verify(self.path()));
                let verified = verified.unwrap_or_else(|| panic!("verify panics at {at} of {file}"));
                assert!(verified.is_err(), "verify does not see a flip at {at} of {file}");
            }
            self.ask(&mut outcome, at);
        }
        fs::write(&path, &whole).unwrap();
        outcome
    }

    fn ask(&self, outcome: &mut Outcome, at: usize) {
        let opened = without_noise(|| Dataset::open(self.path()).map(|dataset| answers(&dataset)));
        let answered = match opened.unwrap_or_else(|| panic!("a panic at {at}")) {
            Err(_) => {
                outcome.at_open += 1;
                return;
            }
            Ok(answered) => answered,
        };
        if answered == self.right {
            outcome.unnoticed += 1;
            return;
        }
        let failed = answered.values().any(Result::is_err);
        let differs = |(question, answer): (&String, &Result<String, String>)| {
            (answer.is_ok() && self.right.get(question) != Some(answer)).then(|| format!("{question}: {answer:?}"))
        };
        match answered.iter().find_map(differs) {
            Some(answer) => outcome.different.push((at, answer.chars().take(160).collect())),
            None if failed => outcome.by_a_call += 1,
            None => outcome.different.push((at, "fewer answers, and no error".to_owned())),
        }
    }

    fn is_whole(&self) {
        assert_eq!(answers(&Dataset::open(self.path()).unwrap()), self.right, "all flips were taken back");
        verify(self.path()).unwrap();
    }
}

/// At most so many places spread over a length.
fn spread(length: usize, most: usize) -> impl Iterator<Item = usize> {
    (0..length).step_by(length.div_ceil(most).max(1))
}

fn report(outcomes: &BTreeMap<String, Outcome>) -> String {
    let line = |(what, outcome): (&String, &Outcome)| {
        let Outcome { at_open, by_a_call, unnoticed, different } = outcome;
        let first = different.first().map_or(String::new(), |(at, what)| format!(" (at {at}: {what})"));
        format!(
            "  {what}: open {at_open}, call {by_a_call}, unnoticed {unnoticed}, different {}{first}\n",
            different.len()
        )
    };
    outcomes.iter().map(line).collect()
}

#[test]
fn a_flip_in_any_file_is_an_error_and_no_panic() {
    let broken = Broken::new();
    let mut outcomes = BTreeMap::new();
    for path in paths(broken.path()) {
        let length = usize::try_from(fs::metadata(broken.path().join(&path)).unwrap().len()).unwrap();
        let outcome = broken.flip(&path, spread(length, MOST));
        if path == "manifest.json" {
            assert_eq!(outcome.at_open as usize, spread(length, MOST).count(), "{outcome:?}");
        }
        assert!(outcome.different.is_empty(), "{path}: {outcome:?}");
        outcomes.insert(path, outcome);
    }
    broken.is_whole();
    crate::say(&format!("flips by file:\n{}", report(&outcomes)));
}

/// The bytes of each table's pages that hold something, by the table's name.
fn bytes_of_tables(database: &Path) -> BTreeMap<String, Vec<usize>> {
    let connection = Connection::open(database).unwrap();
    let mut statement = connection.prepare("SELECT name, pgoffset, pgsize, unused FROM dbstat ORDER BY path").unwrap();
    let mut places: BTreeMap<String, Vec<usize>> = BTreeMap::new();
    let mut rows = statement.query([]).unwrap();
    while let Some(row) = rows.next().unwrap() {
        let number = |at: usize| usize::try_from(row.get::<_, i64>(at).unwrap()).unwrap();
        let (offset, size, unused) = (number(1), number(2), number(3));
        // Cells stand at a page's end, behind what is unused.
        places.entry(row.get(0).unwrap()).or_default().extend(offset + unused.min(size)..offset + size);
    }
    places
}

#[test]
fn a_flip_in_any_table_is_an_error() {
    let broken = Broken::new();
    let mut outcomes = BTreeMap::new();
    for (table, places) in bytes_of_tables(&broken.path().join("coverdex.sqlite")) {
        let chosen: Vec<usize> = spread(places.len(), FEW).map(|at| places[at]).collect();
        let (count, outcome) = (chosen.len(), broken.flip("coverdex.sqlite", chosen));
        assert_eq!((outcome.at_open + outcome.by_a_call) as usize, count, "{table}: {outcome:?}");
        outcomes.insert(table, outcome);
    }
    broken.is_whole();
    crate::say(&format!("flips by table:\n{}", report(&outcomes)));
}
