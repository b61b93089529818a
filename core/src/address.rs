//! What spellings of one address share: `SUITE 300, 77 Oak Avenue` and `77 Oak Ave #300`, `P.O. Box 9` and
//! `PO Box 9`, `First St` and `1st St`.
//!
//! Words are written in their short forms (those of the US Postal Service). A unit (suite, room, building,
//! floor, box) is taken out of the line and put behind it, wherever it stands. City, state and ZIP that the
//! address states too are no part of a line, nor is who works there: a line to somebody's attention, or an
//! institution's name before the house number. Street types, directions and numbers are never dropped:
//! `Main St` and `Main Dr` differ, and so do `100 N Main St` and `100 Main St`.

mod street;
mod units;
mod words;

use crate::geo::names;
use crate::ids::{State, Zip5};
use crate::spelling::name_words;

pub(crate) use street::{Street, may_be_of_the_street};
use units::{is_house_number, is_unit, ordinal_number, parted, starts_with_digit, without_units, words_of};
use words::{INSTITUTIONS, ORDINALS, PARTS_OF_HOUSES, PHRASES, SHORT, SPANISH, STREETS, TENS};

/// Words of a city's name at most, where it stands behind a line.
const CITY_WORDS: usize = 6;

/// What an address states beside its lines.
#[derive(Clone, Copy, Debug, Default)]
pub struct Beside<'a> {
    /// The city.
    pub city: Option<&'a str>,
    /// The state.
    pub state: Option<State>,
    /// The ZIP.
    pub zip: Option<Zip5>,
}

/// Lines of an address, folded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Folded {
    /// The line without its units; empty where it holds neither letter nor digit.
    pub(crate) line: String,
    /// Units, sorted: a suite is its number, others have their kind before it.
    pub(crate) units: Vec<String>,
}

impl Folded {
    /// Line and units together: what spellings of one address share.
    pub(crate) fn key(&self) -> String {
        let parts = std::iter::once(&self.line).chain(&self.units).filter(|part| !part.is_empty());
        parts.map(String::as_str).collect::<Vec<_>>().join(" ")
    }

    /// Whether another address is this one, or is in the house that this one names without a unit.
    pub(crate) fn has(&self, other: &Self) -> bool {
        let house = self.units.is_empty() && self.names_a_house() && self.line == other.line;
        let key = self.key();
        house || (!key.is_empty() && key == other.key())
    }

    /// Whether the line is more than a street: what `Calle Luna` has behind it are houses, and no units of one.
    pub(crate) fn names_a_house(&self) -> bool {
        let mut words = self.line.split(' ').peekable();
        let is_a_street =
            words.peek().is_some_and(|first| SPANISH.contains(first)) || words.any(|word| STREETS.contains(&word));
        let has_a_digit = self.line.bytes().any(|b| b.is_ascii_digit());
        !self.line.is_empty() && (has_a_digit || !is_a_street)
    }
}

/// What spellings of the lines of one address share; empty where they hold neither letter nor digit.
#[cfg(feature = "build")]
#[must_use]
pub fn key(lines: &[String], beside: &Beside<'_>) -> String {
    folded(lines, beside).key()
}

/// An address whose lines are joined to one text, as a dataset shows it. An institution's name and to whose
/// attention it is are told from the street by the house number, or by what says so, alone.
pub(crate) fn folded_text(text: &str, beside: &Beside<'_>) -> Folded {
    let words: Vec<&str> = text.split_whitespace().collect();
    let is_number = |word: &&str| is_house_number(&word.to_lowercase());
    let before = words.iter().take_while(|word| !is_number(word)).count();
    let (addressee, street) = words.split_at_checked(before).unwrap_or_default();
    let street = without_attention(street).join(" ");
    let names = name_words(&addressee.join(" "));
    if !is_at_a_house(&words_of(&street)) || !(is_to_somebody(&names) || names_an_institution(&names)) {
        return folded(&[format!("{} {street}", addressee.join(" "))], beside);
    }
    folded(&[addressee.join(" "), street], beside)
}

/// The words without those that say to whom it goes: from `c/o` or `Attn` to a comma or a unit.
fn without_attention<'w>(words: &[&'w str]) -> Vec<&'w str> {
    let mut written = Vec::with_capacity(words.len());
    let mut rest = words.iter().peekable();
    while let Some(word) = rest.next() {
        if !is_attention(word) {
            written.push(*word);
            continue;
        }
        let mut last = *word;
        while let Some(next) = rest.next_if(|next| !last.ends_with(',') && !begins_a_unit(next)) {
            last = next;
        }
    }
    written
}

fn is_attention(word: &str) -> bool {
    let word = word.trim_end_matches([':', '.']);
    ["attn", "attention", "c/o"].iter().any(|attention| word.eq_ignore_ascii_case(attention))
}

fn begins_a_unit(word: &str) -> bool {
    let plain = word.trim_end_matches(['.', ':']).to_lowercase();
    word.starts_with('#') || is_unit(&plain)
}

fn folded(lines: &[String], beside: &Beside<'_>) -> Folded {
    let of_lines: Vec<Vec<String>> = lines.iter().map(|line| words_of(line)).collect();
    let streets: Vec<Vec<String>> = of_lines.iter().map(|line| beside.cut_off(line).to_vec()).collect();
    let streets = without_addressees(streets);
    let tells_no_street = streets.iter().all(Vec::is_empty);
    let mut words: Vec<String> = Vec::new();
    let mut seen: Vec<Vec<String>> = Vec::new();
    for line in if tells_no_street { of_lines } else { streets } {
        let of_line = ordinals(phrases(parted(line)));
        if !seen.contains(&of_line) {
            words.extend(of_line.iter().cloned());
            seen.push(of_line);
        }
    }
    let (line, mut units) = without_units(&directions(rural(words)));
    units.sort_unstable();
    Folded { line: line.join(" "), units }
}

impl Beside<'_> {
    /// A line's words without the city with its state, its ZIP or both at the end.
    fn cut_off<'w>(&self, line: &'w [String]) -> &'w [String] {
        let rest = line.strip_suffix(&["usa".to_owned()]).unwrap_or(line);
        let before_zip = self.before_zip(rest);
        let rest = before_zip.unwrap_or(rest);
        let before_state = self.before_state(rest);
        let rest = before_state.unwrap_or(rest);
        if before_zip.is_none() && before_state.is_none() {
            return line;
        }
        let Some(city) = self.city.map(names::key).filter(|city| !city.is_empty()) else { return line };
        let parts = (1..=CITY_WORDS).filter_map(|count| rest.split_at_checked(rest.len().checked_sub(count)?));
        let mut fitting = parts.filter(|(_, end)| names::key(&end.join(" ")) == city);
        fitting.next().map_or(line, |(street, _)| street)
    }

    fn before_zip<'w>(&self, line: &'w [String]) -> Option<&'w [String]> {
        let zip = self.zip?.to_string();
        let digits = |word: &String, count: usize| word.len() == count && word.bytes().all(|b| b.is_ascii_digit());
        match line {
            [rest @ .., first, behind] if *first == zip && digits(behind, 4) => Some(rest),
            [rest @ .., last] if *last == zip || (digits(last, 9) && last.starts_with(&zip)) => Some(rest),
            _ => None,
        }
    }

    fn before_state<'w>(&self, line: &'w [String]) -> Option<&'w [String]> {
        let state = self.state?;
        let parts = (1..=3).filter_map(|count| line.split_at_checked(line.len().checked_sub(count)?));
        let mut fitting = parts.filter(|(_, end)| State::from_name(&end.join(" ")) == Some(state));
        fitting.next().map(|(rest, _)| rest)
    }
}

/// The lines without those that name who works there. One that may name a part of a house stays.
fn without_addressees(mut lines: Vec<Vec<String>>) -> Vec<Vec<String>> {
    let has_number = |line: &Vec<String>| is_at_a_house(line);
    if !lines.iter().any(has_number) {
        return lines;
    }
    lines.retain(|line| !is_to_somebody(line));
    if let [first, second, ..] = lines.as_slice()
        && has_number(second)
        && names_an_institution(first)
    {
        lines.remove(0);
    }
    lines
}

/// Whether a line is a house's number and its street: `12 Oak Ave`, and not `2nd Floor`, `5th Ave` or `200`. Only what
/// stands before such a line is no part of the address.
fn is_at_a_house(line: &[String]) -> bool {
    let Some((number, rest)) = line.split_first() else { return false };
    let mut words = rest.iter().skip_while(|word| word.bytes().all(|b| b.is_ascii_digit()));
    let names_a_street = |word: &String| !is_unit(word) && !PARTS_OF_HOUSES.contains(&word.as_str());
    is_house_number(number) && ordinal_number(number).is_none() && words.next().is_some_and(names_a_street)
}

/// Whether a line says to whom it goes.
fn is_to_somebody(line: &[String]) -> bool {
    let to_somebody = matches!(line.first().map(String::as_str), Some("attn" | "attention"));
    to_somebody || matches!(line, [c, o, _, ..] if c == "c" && o == "o")
}

/// Whether a line is an institution's name, without a digit and without a word of a part of a house.
fn names_an_institution(line: &[String]) -> bool {
    let is_part = |word: &String| PARTS_OF_HOUSES.contains(&word.as_str()) || is_unit(word);
    let has_digit = |word: &String| word.bytes().any(|b| b.is_ascii_digit());
    line.iter().any(|word| INSTITUTIONS.contains(&word.as_str()))
        && !line.iter().any(|word| is_part(word) || has_digit(word))
}

/// The same words; on a route of rural delivery every box is the route's, and its number is no unit.
fn rural(words: Vec<String>) -> Vec<String> {
    let is_route = |word: &String| matches!(word.as_str(), "rr" | "hc");
    if !words.iter().any(is_route) {
        return words;
    }
    let mut written: Vec<String> = Vec::with_capacity(words.len());
    for word in words {
        match word.as_str() {
            "unit" | "no" | "number" if written.last().is_some_and(is_route) => {}
            "box" | "pobox" => written.push("routebox".to_owned()),
            _ => written.push(word),
        }
    }
    written
}

/// The same words, phrases as what stands for them: every spelling of a post-office box is `pobox`.
fn phrases(words: Vec<String>) -> Vec<String> {
    let mut written = Vec::with_capacity(words.len());
    let mut rest = words.as_slice();
    while let Some((first, tail)) = rest.split_first() {
        let begins = |phrase: &[&str]| {
            rest.len() >= phrase.len() && rest.iter().zip(phrase.iter()).all(|(word, other)| word == other)
        };
        // `Interstate Drive` is no interstate.
        let fits = |(phrase, short): &&(&[&str], &str)| {
            begins(phrase) && (*short != "i" || rest.get(phrase.len()).is_some_and(|next| starts_with_digit(next)))
        };
        if let Some((phrase, short)) = PHRASES.iter().find(fits) {
            written.push((*short).to_owned());
            rest = rest.get(phrase.len()..).unwrap_or_default();
        } else {
            // A box at the beginning is one of the post office, and not of a rural route.
            let alone = written.is_empty() && first == "box";
            written.push(if alone { "pobox".to_owned() } else { first.clone() });
            rest = tail;
        }
    }
    written
}

/// The same words, ordinals as numbers: `first` is `1st`, `twenty first` is `21st`.
fn ordinals(words: Vec<String>) -> Vec<String> {
    let mut written: Vec<String> = Vec::with_capacity(words.len());
    for word in words {
        let below_twenty = ORDINALS.iter().position(|ordinal| *ordinal == word).map(|at| at + 1);
        let tens = TENS.iter().position(|(_, ordinal)| *ordinal == word).map(|at| (at + 2) * 10);
        let Some(number) = below_twenty.or(tens) else {
            written.push(word);
            continue;
        };
        let before = written.last().and_then(|before| TENS.iter().position(|(tens, _)| tens == before));
        match before.filter(|_| number < 10) {
            Some(at) => {
                written.pop();
                written.push(ordinal((at + 2) * 10 + number));
            }
            None => written.push(ordinal(number)),
        }
    }
    written
}

fn ordinal(number: usize) -> String {
    let ending = match (number % 100, number % 10) {
        (11..=13, _) => "th",
        (_, 1) => "st",
        (_, 2) => "nd",
        (_, 3) => "rd",
        _ => "th",
    };
    format!("{number}{ending}")
}

/// The same words in their short forms, `n` and `w` side by side as `nw`.
fn directions(words: Vec<String>) -> Vec<String> {
    let mut written: Vec<String> = Vec::with_capacity(words.len());
    for word in words {
        let short = SHORT.iter().find(|(long, _)| *long == word).map_or(word, |(_, short)| (*short).to_owned());
        match (written.last_mut(), short.as_str()) {
            (Some(before), "e" | "w") if matches!(before.as_str(), "n" | "s") => before.push_str(&short),
            _ => written.push(short),
        }
    }
    written
}

#[cfg(test)]
mod tests;
