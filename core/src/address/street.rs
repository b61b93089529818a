//! House number and street of a line: which addresses are near one that nobody is at.

use super::units::{is_house_number, ordinal_number, starts_with_digit, words_of};
use super::words::{DIRECTIONS, NUMBERED, STREETS};
use super::{directions, ordinals};

/// A line's number and its street. It says what is near, and never that two addresses are one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Street {
    /// The number as it is written, of several words at times: `123 125`.
    pub(crate) number: Option<String>,
    /// The street with its kind and direction; empty where the line has none.
    pub(crate) name: String,
}

impl Street {
    /// Of a folded line. What stands before a house's number is not the street's, unless the number is the
    /// street's own: `carr 2`, `us 40`.
    pub(crate) fn of(line: &str) -> Self {
        let words: Vec<&str> = line.split(' ').filter(|word| !word.is_empty()).collect();
        let is_number = |word: &&str| is_house_number(word) && ordinal_number(word).is_none();
        let is_of_a_road = |at: usize| {
            let before = at.checked_sub(1).and_then(|before| words.get(before));
            before.is_some_and(|before| NUMBERED.contains(before) || matches!(*before, "hc" | "i" | "rr" | "rte"))
        };
        let at = words.iter().position(is_number);
        let at = at.filter(|at| *at == 0 || (words.len() > at + 1 && !is_of_a_road(*at)));
        let Some((_, from)) = at.and_then(|at| words.split_at_checked(at)) else {
            return Self { number: None, name: words.join(" ") };
        };
        let count = match from {
            // `123 125 main`, `10 1 2 main`, `n6 w23001 main`: the second belongs to the number.
            [_, "1", "2", _, ..] => 3,
            [first, second, third, ..] if second_of_number(first, second) && third.len() > 2 => 2,
            _ => 1,
        };
        let (number, name) = from.split_at_checked(count).unwrap_or_default();
        Self { number: Some(number.join(" ")), name: name.join(" ") }
    }

    /// The number's leading digits.
    pub(crate) fn house(&self) -> Option<u64> {
        let digits: String = self.number.as_deref()?.chars().take_while(char::is_ascii_digit).collect();
        digits.parse().ok()
    }

    /// The street without its kind and directions: `main` of `n main st`.
    pub(crate) fn bare(&self) -> String {
        let mut words: Vec<&str> = self.name.split(' ').filter(|word| !word.is_empty()).collect();
        let drop_last = |words: &mut Vec<&str>, of: &[&str]| {
            if words.len() > 1 && words.last().is_some_and(|last| of.contains(last)) {
                words.pop();
            }
        };
        drop_last(&mut words, DIRECTIONS);
        drop_last(&mut words, STREETS);
        if words.len() > 1 && words.first().is_some_and(|first| DIRECTIONS.contains(first)) {
            words.remove(0);
        }
        words.join(" ")
    }
}

/// Whether what stands at an address's end, and may be a state, may as well belong to its street: `NE` behind a
/// kind of street, `CT` where no other kind is, `FL` behind an ordinal.
pub(crate) fn may_be_of_the_street(street: &str, word: &str) -> bool {
    let words = directions(ordinals(words_of(street)));
    let last = words.last().map(String::as_str).unwrap_or_default();
    match word.to_ascii_lowercase().as_str() {
        "ne" => STREETS.contains(&last),
        "ct" => !words.iter().any(|word| STREETS.contains(&word.as_str())),
        "fl" => ordinal_number(last).is_some(),
        _ => false,
    }
}

fn second_of_number(first: &str, second: &str) -> bool {
    let digits = |word: &str| word.bytes().all(|b| b.is_ascii_digit());
    let grid = !starts_with_digit(first) && !starts_with_digit(second) && is_house_number(second);
    grid || (digits(first) && digits(second))
}
