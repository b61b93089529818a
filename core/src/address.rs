//! What spellings of one address share: `SUITE 300, 77 Oak Avenue` and `77 Oak Ave #300`, `P.O. Box 9` and
//! `PO Box 9`, `First St` and `1st St`.
//!
//! Words are written in their short forms (those of the US Postal Service). A unit (suite, room, building,
//! floor, box) is taken out of the line and put behind it, wherever it stands. City, state and ZIP that the
//! address states too are no part of a line, nor is who works there: a line to somebody's attention, or an
//! institution's name before the house number. Street types, directions and numbers are never dropped:
//! `Main St` and `Main Dr` differ, and so do `100 N Main St` and `100 Main St`.

mod words;

use crate::geo::names;
use crate::ids::{State, Zip5};
use crate::spelling::name_words;

use words::{INSTITUTIONS, JOINED, ORDINALS, PARTS_OF_HOUSES, PHRASES, SHORT, SMALL, TENS, UNITS};

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
        let house = self.units.is_empty() && !self.line.is_empty() && self.line == other.line;
        let key = self.key();
        house || (!key.is_empty() && key == other.key())
    }
}

/// What spellings of the lines of one address share; empty where they hold neither letter nor digit.
#[cfg(feature = "build")]
#[must_use]
pub fn key(lines: &[String], beside: &Beside<'_>) -> String {
    folded(lines, beside).key()
}

/// An address whose lines are joined to one text, as a dataset shows it. An institution's name and to whose
/// attention it is are told from the street by the house number alone.
pub(crate) fn folded_text(text: &str, beside: &Beside<'_>) -> Folded {
    let is_number = |word: &&str| word.starts_with(|c: char| c.is_ascii_digit());
    let words: Vec<&str> = text.split_whitespace().collect();
    let before = words.iter().take_while(|word| !is_number(word)).count();
    let (addressee, street) = words.split_at_checked(before).unwrap_or_default();
    let lines = [addressee.join(" "), street.join(" ")];
    let names = name_words(&lines[0]);
    if street.is_empty() || !(is_to_somebody(&names) || names_an_institution(&names)) {
        return folded(&[words.join(" ")], beside);
    }
    folded(&lines, beside)
}

fn folded(lines: &[String], beside: &Beside<'_>) -> Folded {
    let of_lines: Vec<Vec<String>> = lines
        .iter()
        // `#300` is a unit, and the mark no letter.
        .map(|line| name_words(&line.replace('#', " unit ")))
        .collect();
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
    let (line, mut units) = without_units(directions(rural(words)));
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
    let has_number =
        |line: &Vec<String>| line.first().is_some_and(|word| word.starts_with(|c: char| c.is_ascii_digit()));
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

/// Whether a line says to whom it goes.
fn is_to_somebody(line: &[String]) -> bool {
    let to_somebody = matches!(line.first().map(String::as_str), Some("attn" | "attention"));
    to_somebody || matches!(line, [c, o, _, ..] if c == "c" && o == "o")
}

/// Whether a line is an institution's name, without a digit and without a word of a part of a house.
fn names_an_institution(line: &[String]) -> bool {
    let is_part =
        |word: &String| PARTS_OF_HOUSES.contains(&word.as_str()) || UNITS.iter().any(|(unit, _)| unit == word);
    let has_digit = |word: &String| word.bytes().any(|b| b.is_ascii_digit());
    line.iter().any(|word| INSTITUTIONS.contains(&word.as_str()))
        && !line.iter().any(|word| is_part(word) || has_digit(word))
}

/// The same words, a unit and the number joined to it apart: `ste200` is `ste 200`.
fn parted(words: Vec<String>) -> Vec<String> {
    let mut written = Vec::with_capacity(words.len());
    for word in words {
        let number = word.find(|c: char| c.is_ascii_digit());
        match number.and_then(|at| word.split_at_checked(at)).filter(|(unit, _)| JOINED.contains(unit)) {
            Some((unit, number)) => written.extend([unit.to_owned(), number.to_owned()]),
            None => written.push(word),
        }
    }
    written
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
        if let Some((phrase, short)) = PHRASES.iter().find(|(phrase, _)| begins(phrase)) {
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

/// The words that are no unit, and the units: `ste 300` is `300`, `bldg a` and `2nd fl` are `bldg a` and
/// `fl 2`.
fn without_units(words: Vec<String>) -> (Vec<String>, Vec<String>) {
    let (mut line, mut units): (Vec<String>, Vec<String>) = (Vec::new(), Vec::new());
    let unit = |word: &String| UNITS.iter().find(|(spelling, _)| spelling == word).map(|(_, unit)| *unit);
    let mut rest = words.as_slice();
    while let Some((word, mut tail)) = rest.split_first() {
        let Some(mut kind) = unit(word) else {
            line.push(word.clone());
            rest = tail;
            continue;
        };
        // `Number One Hill Road` is a house.
        let says_its_kind = !matches!(word.as_str(), "no" | "number");
        // `Suite #300`, `PO Box No. 9`: one unit.
        while let Some(next) = tail.first().and_then(unit) {
            kind = if kind.is_empty() { next } else { kind };
            tail = tail.get(1..).unwrap_or_default();
        }
        let floor = line.last().filter(|_| kind == "fl").and_then(|before| ordinal_number(before)).map(str::to_owned);
        if let Some(number) = floor {
            line.pop();
            units.push(format!("{kind} {number}"));
        } else if let Some((name, behind)) =
            tail.split_first().filter(|(name, _)| names_a_unit(name) || (says_its_kind && small_number(name).is_some()))
        {
            let mut name = small_number(name).unwrap_or_else(|| ordinal_number(name).unwrap_or(name).to_owned());
            tail = behind;
            // `Suite 300-B` at the end is `300B`.
            if let [last] = tail
                && last.chars().count() == 1
                && last.chars().all(char::is_alphabetic)
                && name.ends_with(|c: char| c.is_ascii_digit())
            {
                name.push_str(last);
                tail = &[];
            }
            units.push(if kind.is_empty() { name } else { format!("{kind} {name}") });
        } else if !kind.is_empty() {
            line.push(kind.to_owned());
        }
        rest = tail;
    }
    (line, units)
}

/// `2` of `2nd`.
fn ordinal_number(word: &str) -> Option<&str> {
    let number = ["st", "nd", "rd", "th"].iter().find_map(|ending| word.strip_suffix(ending))?;
    (!number.is_empty() && number.bytes().all(|b| b.is_ascii_digit())).then_some(number)
}

/// `2` of `two`.
fn small_number(word: &str) -> Option<String> {
    SMALL.iter().position(|small| *small == word).map(|at| (at + 1).to_string())
}

/// Whether a word can name a unit: it has a digit, or is a single letter.
fn names_a_unit(word: &str) -> bool {
    word.chars().any(|c| c.is_ascii_digit()) || word.chars().count() == 1
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folded(line: &str) -> String {
        let beside = Beside { city: Some("St. Louis"), state: State::from_name("MO"), zip: Zip5::mend("63105") };
        key(&line.split('/').map(str::to_owned).collect::<Vec<_>>(), &beside)
    }

    #[test]
    fn spellings_of_one_address_are_one() {
        for group in [
            &["500 E Benson Blvd/Ste 103", "500 EAST BENSON BOULEVARD, SUITE 103", "500 E. Benson Blvd. #103"][..],
            &["77 Oak Ave Suite 300", "SUITE 300, 77 Oak Ave", "Ste #300/77 Oak Avenue", "77 Oak Av Unit 300"],
            &["#300, 77 Oak Ave", "77 Oak Ave. # 300", "77 Oak Ave 300", "77 Oak Ave/77 Oak Ave/Ste 300"],
            &["PO Box 100", "P.O. Box 100", "P O Box 100", "P. O. BOX 100", "POB 100", "Post Office Box 100"],
            &["PO Box #100", "P.O.Box 100", "PO Box No. 100", "Box 100", "POBox 100"],
            &["12 First St", "12 1st Street", "12 FIRST STREET"],
            &["12 Twelfth Ave", "12 12th Ave"],
            &["12 W Twenty-First St", "12 West 21st St", "12 WEST TWENTY FIRST STREET"],
            &["9 Elm St Bldg A", "9 Elm St, Building A", "Bldg. A/9 Elm St"],
            &["9 Elm St 2nd Floor", "9 Elm St Second Floor", "9 Elm St Fl 2", "FLOOR 2, 9 Elm St", "9 Elm St 2nd Fl"],
            &["9 Elm St Bldg A Ste 4", "Suite 4/9 Elm St/Building A"],
            &["100 Main St N.W.", "100 Main Street NW", "100 Main St Northwest", "100 Main St North West"],
            &["77 Oak Ave Ste 300-B", "77 Oak Ave #300B", "Suite 300B, 77 Oak Ave"],
            &["500 US Highway 40", "500 U.S. Hwy 40", "500 US 40"],
            &["500 State Road 7", "500 SR 7", "500 State Rd. 7"],
            &["9 Elm St Fl 2", "9 Elm St FL2", "9 Elm St Floor Two", "9 Elm St, Level 2"],
            &["9 Elm St Bldg 1 Rm 5", "9 Elm St Building One RM5", "Room #5/9 Elm St/BLDG1"],
            &["9 Elm St Apt 5", "9 Elm St APT5", "9 Elm St STE5", "9 Elm St #5", "9 Elm St Suite Five"],
            &["9 Elm St Unit 3B", "9 Elm St UNIT3B", "9 Elm St UNIT 3-B/St. Louis, MO 63105"],
            &["9 Elm St Department 4", "9 Elm St Dept 4", "Dept. #4, 9 Elm St", "9 Elm St DEPT4"],
            &["9 Elm St Department of Surgery", "9 Elm St Dept of Surgery"],
            &["RR 2 Box 15", "Rural Route 2 Box 15", "R.R. #2 Box 15", "RR2 BOX15", "RFD 2/Box #15", "Box 15, RR 2"],
            &["HC 2 Box 15", "Highway Contract 2 Box 15", "HCR 2 PO Box 15"],
            &["9 Elm St", "9 Elm St, St. Louis, MO 63105", "9 Elm St Saint Louis Missouri 63105-1234"],
            &["9 Elm St", "9 Elm St/St Louis MO", "9 Elm Street, SAINT LOUIS 631051234, USA"],
            &[
                "30 Lake Dr",
                "Lakeview Clinic/30 Lake Drive",
                "Attn: Credentialing/30 Lake Dr",
                "30 Lake Dr/c o Dr. Best",
            ],
            &["500 County Road 12", "500 Co Rd 12", "500 CR 12"],
        ] {
            let [first, others @ ..] = group else { panic!("{group:?}") };
            for other in others {
                assert_eq!(folded(other), folded(first), "{other} and {first}");
            }
        }
    }

    #[test]
    fn other_addresses_differ() {
        let all = [
            "100 Main St",
            "100 N Main St",
            "100 S Main St",
            "100 Main Dr",
            "Memorial Hospital North Wing/100 Main St",
            "Medical Tower/100 Main St",
            "Lakeview Clinic/Main St",
            "100 Main St Ste 1",
            "100 Main St Ste 2",
            "100 Main St Ste B",
            "100 Main St Bldg 1",
            "100 Main St Bldg 2",
            "100 Main St Fl 1",
            "100 Main St Rm 1",
            "100 Main St Dept 1",
            "Number One Main St",
            "1 Main St",
            "100 Main St, St. Louis, MO 63106",
            "100 Main St, Clayton, MO 63105",
            "100 St. Louis St",
            "100 St. Louis",
            "100 Main St NW",
            "PO Box 100",
            "PO Box 101",
            "RR 1 Box 100",
            "RR 2 Box 100",
            "RR 1 Box 101",
            "HC 1 Box 100",
            "100 1st St",
            "100 First Ave",
            "246 SW California St",
            "0246 SW California St",
        ];
        for (at, a) in all.iter().enumerate() {
            for b in all.iter().skip(at + 1) {
                assert_ne!(folded(a), folded(b), "{a} and {b}");
            }
        }
    }

    #[test]
    fn a_line_without_letters_and_digits_says_nothing() {
        assert_eq!(folded(" - / . "), "");
        assert_eq!(folded("Suite"), "");
    }
}
