//! Phones.

use serde::Deserialize;

use super::datatypes::Extension;
use super::lenient::{Many, One, Text, elements};
use super::note::Note;
use super::period::Period;
use super::reading::{MOST, Reading};
use crate::model::Phone;

/// `ContactPoint`; a bare string is its value.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct ContactPoint<'a> {
    #[serde(borrow)]
    system: Text<'a>,
    #[serde(borrow)]
    value: Text<'a>,
    #[serde(borrow, rename = "use")]
    usage: Text<'a>,
    #[serde(borrow)]
    rank: Text<'a>,
    #[serde(borrow)]
    period: One<Period<'a>>,
    #[serde(borrow)]
    extension: Many<Extension<'a>>,
}

elements!(ContactPoint from value);

/// Fewer digits are no number that can be dialed.
const FEWEST_DIGITS: usize = 7;

/// Phones on which a person can be called, by rank, else in their order, each once. Addresses of
/// pages and mailboxes are no phones, nor are faxes, pagers, teletypes, former numbers and
/// placeholders. A value without a stated system is one if it looks like it.
pub(super) fn phones(telecom: &Many<ContactPoint<'_>>, at: &mut Reading<'_>) -> Vec<Phone> {
    let mut ranked: Vec<(u32, Phone)> = Vec::new();
    for contact in telecom {
        let Some(number) = contact.number() else { continue };
        if ranked.len() == MOST {
            at.note(Note::TooMany);
            break;
        }
        let rank = contact.rank.get().and_then(|rank| rank.parse().ok()).unwrap_or(u32::MAX);
        let period = contact.period.0.as_ref().map(|period| period.days(&mut at.notes)).unwrap_or_default();
        let phone = Phone { number, period };
        if ranked.iter().all(|(_, known)| *known != phone) {
            ranked.push((rank, phone));
        }
    }
    ranked.sort_by_key(|(rank, _)| *rank);
    ranked.into_iter().map(|(_, phone)| phone).collect()
}

impl ContactPoint<'_> {
    fn number(&self) -> Option<String> {
        let value = self.value.words()?;
        let phone = self.system.is("phone") || self.system.is("sms");
        let unstated = self.system.get().is_none() && !value.contains(['@', '/']);
        let elsewhere = self.usage.is("old")
            || self.usage.get().is_some_and(|usage| machine(usage).is_some())
            || self.extension.iter().any(|extension| extension.text().is_some_and(|text| machine(text).is_some()));
        if !(phone || unstated) || elsewhere {
            return None;
        }
        let number = voice(&value)?;
        can_be_dialed(number).then(|| number.to_owned())
    }
}

/// Where a text first speaks of a fax, a pager or a teletype.
fn machine(text: &str) -> Option<usize> {
    const WORDS: [&str; 14] = [
        "fax",
        "faxes",
        "facsimile",
        "pager",
        "pagers",
        "beeper",
        "tty",
        "ttys",
        "tdd",
        "ttd",
        "teletype",
        "teletypewriter",
        "textphone",
        "relay",
    ];
    let mut start = None;
    for (at, c) in text.char_indices().chain([(text.len(), ' ')]) {
        match (c.is_alphabetic(), start) {
            (true, None) => start = Some(at),
            (false, Some(from)) => {
                start = None;
                let word = text.get(from..at).unwrap_or_default();
                if WORDS.iter().any(|known| word.eq_ignore_ascii_case(known)) {
                    return Some(from);
                }
            }
            _ => {}
        }
    }
    None
}

/// The number of a text that a person answers. One that speaks of a machine has such a number only
/// where that stands in front and the machine has another one: `800-555-0100 (TTY: 711)`.
fn voice(text: &str) -> Option<&str> {
    let Some(at) = machine(text) else { return Some(text) };
    let (before, after) = text.split_at(at);
    let has_own = after.bytes().filter(u8::is_ascii_digit).count() >= 3;
    has_own.then(|| before.trim_end_matches(|c: char| !c.is_alphanumeric() && c != ')')).map(|number| {
        // What led to the machine: `or`, an opening parenthesis.
        number.strip_suffix(" or").or_else(|| number.strip_suffix(" and")).unwrap_or(number).trim_end()
    })
}

/// Whether it has the digits of a number, and not those of a placeholder.
fn can_be_dialed(number: &str) -> bool {
    let mut digits: Vec<u8> = Vec::new();
    for b in number.bytes() {
        match b {
            b'0'..=b'9' => digits.push(b),
            // An extension follows.
            b'x' | b'X' | b';' | b'#' if digits.len() >= FEWEST_DIGITS => break,
            _ => {}
        }
    }
    if digits.len() == 11 && digits.first() == Some(&b'1') {
        digits.remove(0);
    }
    let same = digits.windows(2).all(|pair| pair.first() == pair.last());
    let counted = [b"1234567890".as_slice(), b"0123456789", b"1234567", b"9876543210"].contains(&digits.as_slice());
    digits.len() >= FEWEST_DIGITS && !same && !counted
}
