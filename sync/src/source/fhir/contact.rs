//! Phones.

use coverdex_core::build::phone::PhoneNumber;
use serde::Deserialize;

use super::datatypes::Extension;
use super::lenient::{Many, One, Text, elements};
use super::note::Note;
use super::period::Period;
use super::phone_text::{Answers, Words, numbers};
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

/// Phones, each once, best first: those that the practice answers, then private ones, those that take
/// messages, and those that others answer; among them by rank, then those of use `work`, else in their
/// order. Addresses of pages and mailboxes are no phones, nor are faxes, pagers, teletypes, former numbers
/// and placeholders. A value without a stated system is one if it looks like it.
pub(super) fn phones(telecom: &Many<ContactPoint<'_>>, at: &mut Reading<'_>) -> Vec<Phone> {
    let mut ranked: Vec<((Answers, u32, bool), Phone)> = Vec::new();
    'contacts: for contact in telecom {
        let Some(value) = contact.spoken() else { continue };
        let stated = contact.stated();
        let rank = contact.rank.get().and_then(|rank| rank.parse().ok()).unwrap_or(u32::MAX);
        let period = contact.period.0.as_ref().map(|period| period.days(&mut at.notes)).unwrap_or_default();
        for (number, answers) in numbers(&value) {
            let answers = answers.max(stated);
            if answers == Answers::Machine {
                continue;
            }
            if ranked.len() == MOST {
                at.note(Note::TooMany);
                break 'contacts;
            }
            let number = contact.with_extension(number);
            ranked.push(((answers, rank, !contact.usage.is("work")), Phone { number, period }));
        }
    }
    ranked.sort_by_key(|(place, _)| *place);
    let mut phones: Vec<Phone> = Vec::with_capacity(ranked.len());
    for (_, phone) in ranked {
        if !phones.contains(&phone) {
            phones.push(phone);
        }
    }
    phones
}

impl ContactPoint<'_> {
    /// The text of a phone that is in use.
    fn spoken(&self) -> Option<String> {
        let value = self.value.words()?;
        let phone = ["phone", "sms", "telephone", "tel", "voice", "mobile"].iter().any(|known| self.system.is(known));
        let unstated = self.system.get().is_none() && !value.contains(['@', '/']);
        ((phone || unstated) && !self.usage.is("old")).then_some(value)
    }

    /// Who answers, by what stands beside the value.
    fn stated(&self) -> Answers {
        let beside = [self.system.get(), self.usage.get()].into_iter().flatten();
        let telling = beside.filter(|text| !["phone", "work"].contains(text));
        let texts = telling.chain(self.extension.iter().filter_map(Extension::text));
        texts.map(|text| Words::of(text).answers).max().unwrap_or_default()
    }

    /// A number with the extension that FHIR's own extension states beside it.
    fn with_extension(&self, number: String) -> String {
        let stated = self.extension.iter().find(|extension| extension.is("contactpoint-extension"));
        let digits = stated.and_then(Extension::text).filter(|text| text.bytes().all(|b| b.is_ascii_digit()));
        let bare = PhoneNumber::fold(&number).is_some_and(|number| number.extension().is_none());
        match digits {
            Some(digits) if bare => format!("{number} x{digits}"),
            _ => number,
        }
    }
}
