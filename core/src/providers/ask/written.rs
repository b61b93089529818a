//! An address as people type it, and the ways to read it.

use std::cell::OnceCell;

use crate::address::{Beside, Folded, Street, folded_text, may_be_of_the_street};
use crate::geo::names;
use crate::ids::{State, Zip5};
use crate::{Error, Result};

/// Words of a city's name at most.
const CITY_WORDS: usize = 6;

/// An address as it was read. Number, street and units are in short forms: `N MAIN ST`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct AskedAddress {
    /// The house number.
    pub number: Option<String>,
    /// The street, or the name of a house without a number; `None` for a box of the post office.
    pub street: Option<String>,
    /// Units, such as `300`, `FL 2` and `PO BOX 9`; empty: the whole house is meant.
    pub units: Vec<String>,
    /// The city.
    pub city: Option<String>,
    /// The state.
    pub state: Option<State>,
    /// The ZIP.
    pub zip: Option<Zip5>,
}

impl AskedAddress {
    /// In words: `number 100, street N MAIN ST, unit 300, Austin, TX, ZIP 78701`.
    #[must_use]
    pub fn summary(&self) -> String {
        let named = |name: &str, text: &Option<String>| text.as_ref().map(|text| format!("{name} {text}"));
        let units = if self.units.len() > 1 { "units" } else { "unit" };
        let parts = [
            named("number", &self.number),
            named("street", &self.street),
            (!self.units.is_empty()).then(|| format!("{units} {}", self.units.join(" and "))),
            self.city.clone(),
            self.state.map(|state| state.usps().to_owned()),
            self.zip.map(|zip| format!("ZIP {zip}")),
        ];
        parts.into_iter().flatten().collect::<Vec<_>>().join(", ")
    }
}

/// A word, and whether a comma or a line's end is before it.
struct Word<'a> {
    text: &'a str,
    behind_comma: bool,
}

/// An address as it was written, and all ways to read it.
pub(super) struct Written<'a> {
    /// The text, to name in errors.
    pub(super) subject: String,
    words: Vec<Word<'a>>,
    pub(super) zip: Option<Zip5>,
    pub(super) readings: Vec<Reading>,
}

/// One way to read an address: what is the street, the city and the state.
pub(super) struct Reading {
    /// How many words are the street's.
    pub(super) street: usize,
    /// The city's key and name, where the words behind the street are taken for one.
    pub(super) city: Option<(String, String)>,
    /// The state, and the key of its words.
    pub(super) state: Option<(State, String)>,
    /// The better it explains the words, the less: a city and a state, a city, a state, nothing but a street.
    pub(super) rank: u8,
    folded: OnceCell<Folded>,
}

impl<'a> Written<'a> {
    /// Finds the ZIP at the end of a text, and every reading of what stands before it.
    ///
    /// # Errors
    /// `InvalidInput` where it ends with neither a ZIP nor a state.
    pub(super) fn read(text: &'a str) -> Result<Self> {
        let mut words = words(text);
        let shown: String = text.trim().chars().take(60).collect();
        let subject = format!("address {shown:?}");
        if words.last().is_some_and(|word| ["us", "usa", "u.s.a."].iter().any(|us| word.text.eq_ignore_ascii_case(us)))
        {
            words.pop();
        }
        let zip = take_zip(&mut words);
        let mut ends: Vec<(usize, Option<(State, String)>)> = Vec::new();
        for count in (1..=3).rev() {
            let Some((rest, end)) = words.len().checked_sub(count).and_then(|at| words.split_at_checked(at)) else {
                continue;
            };
            let end = joined(end);
            ends.extend(State::from_name(&end).map(|state| (rest.len(), Some((state, names::key(&end))))));
        }
        if zip.is_none() && ends.is_empty() {
            return Err(without_place(subject));
        }
        if zip.is_some() {
            ends.push((words.len(), None));
        }
        let mut readings = Vec::new();
        for (end, state) in ends {
            let (before, behind) = words.split_at_checked(end).unwrap_or_default();
            // `5700 Harper Dr NE, 68102` is on the street rather than in the state, `5700 Harper Dr, NE 68102` is not.
            let is_doubtful = behind.first().is_some_and(|word| !word.behind_comma)
                && may_be_of_the_street(&joined(before), &joined(behind));
            let of = |street: usize, city: Option<(String, String)>| {
                let rank = match (&city, &state) {
                    (Some(_), Some(_)) => 0,
                    (Some(_), None) => 1,
                    (None, Some(_)) if !is_doubtful => 2,
                    (None, None) => 3,
                    (None, Some(_)) => 4,
                };
                Reading { street, city, state: state.clone(), rank, folded: OnceCell::new() }
            };
            for count in 1..=CITY_WORDS {
                let Some(street) = end.checked_sub(count).filter(|street| leaves_a_street(&words, *street)) else {
                    break;
                };
                let city = joined(words.get(street..end).unwrap_or_default());
                readings.push(of(street, Some((names::key(&city), city))));
            }
            readings.push(of(end, None));
        }
        Ok(Self { subject, words, zip, readings })
    }

    /// The street of a reading, folded.
    pub(super) fn folded<'w>(&self, reading: &'w Reading) -> &'w Folded {
        reading.folded.get_or_init(|| {
            folded_text(&joined(self.words.get(..reading.street).unwrap_or_default()), &Beside::default())
        })
    }

    /// What a reading says; the city is the one that the last comma shows, where the directory knows none.
    pub(super) fn asked(&self, reading: &Reading) -> AskedAddress {
        let street = self.words.get(..reading.street).unwrap_or_default();
        let shown = if reading.city.is_none() && reading.state.is_some() {
            let comma = street.iter().rposition(|word| word.behind_comma);
            let parts = comma.and_then(|at| street.split_at_checked(at));
            parts.filter(|(_, city)| !city.iter().any(|word| word.text.bytes().any(|b| b.is_ascii_digit())))
        } else {
            None
        };
        let folded = match shown {
            Some((street, _)) => &folded_text(&joined(street), &Beside::default()),
            None => self.folded(reading),
        };
        let Street { number, name } = Street::of(&folded.line);
        let typed = |words: &[Word<'_>]| words.iter().map(|word| word.text).collect::<Vec<_>>().join(" ");
        AskedAddress {
            number: number.map(|number| number.to_uppercase()),
            street: (!name.is_empty()).then(|| name.to_uppercase()),
            units: folded.units.iter().map(|unit| unit.to_uppercase().replace("POBOX", "PO BOX")).collect(),
            city: reading.city.as_ref().map(|(_, city)| city.replace(',', "")).or(shown.map(|(_, city)| typed(city))),
            state: reading.state.as_ref().map(|(state, _)| *state),
            zip: self.zip,
        }
    }

    /// Whether a state is named, and not the end of a street alone: `100 Main St NE`.
    pub(super) fn surely_names_a_state(&self) -> bool {
        let mut stated = self.readings.iter().filter(|reading| reading.city.is_none() && reading.state.is_some());
        stated.any(|reading| {
            let (street, state) = self.words.split_at_checked(reading.street).unwrap_or_default();
            let has_comma = self.words.iter().any(|word| word.behind_comma);
            has_comma || !may_be_of_the_street(&joined(street), &joined(state))
        })
    }

    /// The words of a reading that are taken for the street, and may be the state.
    pub(super) fn state_in_the_street(&self, reading: &Reading) -> Option<(String, State)> {
        let ends_with_it = |other: &&Reading| other.state.is_some() && other.street < self.words.len();
        let other = self.readings.iter().filter(ends_with_it).max_by_key(|other| other.street)?;
        let (state, _) = other.state.as_ref().filter(|_| reading.state.is_none() && reading.city.is_none())?;
        Some((joined(self.words.get(other.street..).unwrap_or_default()), *state))
    }
}

/// Whether the first words are more than a house number: `12 St. Louis, MO` lies on St. Louis.
fn leaves_a_street(words: &[Word<'_>], count: usize) -> bool {
    count > 1 || (count == 1 && words.first().is_some_and(|word| !word.text.starts_with(|c: char| c.is_ascii_digit())))
}

pub(super) fn without_place(subject: String) -> Error {
    Error::invalid(subject, "it ends with neither a ZIP nor a state")
        .with_hint("write it with its ZIP: 500 E Benson Blvd, Anchorage AK 99503")
}

fn words(text: &str) -> Vec<Word<'_>> {
    let mut words = Vec::new();
    let mut behind_comma = false;
    for piece in text.split_inclusive(|c: char| c.is_whitespace() || matches!(c, ',' | ';')) {
        let word = piece.trim_end_matches(|c: char| c.is_whitespace() || matches!(c, ',' | ';'));
        if !word.is_empty() {
            words.push(Word { text: word, behind_comma });
            behind_comma = false;
        }
        behind_comma |= piece.ends_with([',', ';', '\n']);
    }
    words
}

/// Words as one text, with a comma where one was.
fn joined(words: &[Word<'_>]) -> String {
    let mut text = String::new();
    for word in words {
        if !text.is_empty() {
            text.push_str(if word.behind_comma { ", " } else { " " });
        }
        text.push_str(word.text);
    }
    text
}

/// A ZIP of five digits, or of nine, at the end.
fn take_zip(words: &mut Vec<Word<'_>>) -> Option<Zip5> {
    let digits = |text: &str, count: usize| text.len() == count && text.bytes().all(|b| b.is_ascii_digit());
    let zip_of = |word: &str| {
        let word = word.trim_matches(['.', '(', ')']);
        let (five, four) = word.split_once('-').or_else(|| word.split_at_checked(5)).unwrap_or((word, ""));
        (digits(five, 5) && (four.is_empty() || digits(four, 4))).then(|| five.parse().ok()).flatten()
    };
    let (zip, count) = match words.as_slice() {
        [.., first, four] if digits(four.text, 4) && digits(first.text, 5) && words.len() > 2 => {
            (zip_of(first.text)?, 2)
        }
        [.., last] => (zip_of(last.text)?, 1),
        [] => return None,
    };
    words.truncate(words.len() - count);
    Some(zip)
}
