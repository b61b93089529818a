//! The commonest drug names: found by their first five letters, and with one letter wrong.

use std::collections::BTreeSet;

use super::{Thing, Typed, folder};
use crate::say;

/// Misspellings of each name, of each kind of four.
const OF_EACH_KIND: u64 = 2;

/// Draws the same numbers in every run.
struct Draws(u64);

impl Draws {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from((self.0 >> 33) % n as u64).unwrap()
    }

    fn letter(&mut self) -> char {
        char::from(b'a' + u8::try_from(self.below(26)).unwrap())
    }
}

/// The names that the catalogue has, in small letters; the others are said.
fn names(typed: &Typed) -> Vec<String> {
    let text = std::fs::read_to_string(folder().join("common.txt")).unwrap();
    let names = text.lines().map(|line| line.trim().to_lowercase());
    let names = names.filter(|name| !name.is_empty() && !name.starts_with('#'));
    let (there, without): (Vec<String>, Vec<String>) = names.partition(|name| {
        let thing = Thing::read(name);
        typed.rows.0.values().any(|row| thing.is(row))
    });
    if !without.is_empty() {
        say(&format!("common names that the catalogue lacks, not asked: {}", without.join(", ")));
    }
    assert!(there.len() >= 400, "{}", there.len());
    there
}

fn shows(typed: &Typed, text: &str, name: &str) -> bool {
    let thing = Thing::read(name);
    typed.results(text).0.iter().any(|products| typed.rows.is(&thing, products))
}

fn judge(what: &str, asked: usize, missed: &[String]) {
    let right = asked - missed.len();
    say(&format!("{what}: {right} of {asked}; missed: {}", missed.join(", ")));
    assert!(asked > 0 && right * 100 >= asked * 95, "{what}: {right} of {asked}");
}

#[test]
fn common_names_are_shown_by_the_fifth_letter() {
    let typed = Typed::get();
    let names = names(typed);
    let beginning = |name: &str| name.chars().take(5).collect::<String>();
    let missed = names.iter().filter(|name| !shows(typed, beginning(name).trim(), name)).cloned();
    judge("common names by the fifth letter", names.len(), &missed.collect::<Vec<_>>());
}

/// One letter left out, replaced, swapped with the next or put in; never the first.
fn misspelled(name: &str, kind: u64, draws: &mut Draws) -> Option<String> {
    let mut letters: Vec<char> = name.chars().collect();
    let places: Vec<usize> = (1..letters.len()).filter(|at| letters[*at].is_alphabetic()).collect();
    let at = *places.get(draws.below(places.len().max(1)))?;
    match kind {
        0 => {
            letters.remove(at);
        }
        1 => letters[at] = draws.letter(),
        2 if letters.get(at + 1).is_some_and(|next| next.is_alphabetic()) => letters.swap(at, at + 1),
        2 => return None,
        _ => letters.insert(at, draws.letter()),
    }
    let wrong: String = letters.into_iter().collect();
    (wrong != name).then_some(wrong)
}

#[test]
fn common_names_are_shown_with_one_letter_wrong() {
    let typed = Typed::get();
    let names = names(typed);
    let right: BTreeSet<&str> = names.iter().map(String::as_str).collect();
    let letters = |name: &str| name.chars().filter(|c| c.is_alphabetic()).count();
    let (mut asked, mut missed, mut draws) = (BTreeSet::new(), Vec::new(), Draws(20_260_701));
    for name in names.iter().filter(|name| letters(name) >= 5 && !name.contains(|c: char| c.is_ascii_digit())) {
        for kind in 0..4 * OF_EACH_KIND {
            let Some(wrong) = misspelled(name, kind / OF_EACH_KIND, &mut draws) else { continue };
            // Another drug's name is no misspelling.
            if right.contains(wrong.as_str()) || !asked.insert(wrong.clone()) {
                continue;
            }
            if !shows(typed, &wrong, name) {
                missed.push(format!("{wrong} ({name})"));
            }
        }
    }
    judge("common names with one letter wrong", asked.len(), &missed);
}

#[test]
fn misspellings_are_one_letter_off() {
    let mut draws = Draws(1);
    let mut seen = BTreeSet::new();
    for _ in 0..200 {
        for kind in 0..4 {
            let Some(wrong) = misspelled("losartan", kind, &mut draws) else { continue };
            assert!(wrong.starts_with('l') && wrong != "losartan", "{wrong}");
            assert_eq!(wrong.len(), [7, 8, 8, 9][usize::try_from(kind).unwrap()], "{wrong}");
            seen.insert(wrong);
        }
    }
    assert!(seen.len() > 200, "{}", seen.len());
}
