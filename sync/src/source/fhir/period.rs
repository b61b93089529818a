//! FHIR's `Period`: the days on which something holds.

use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::Offset;
use serde::Deserialize;

use super::lenient::{Text, elements};
use super::note::{Note, Notes};
use crate::model::{self, Day};

/// `Period`: each end a year, a month, a day or an instant.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Period<'a> {
    #[serde(borrow)]
    start: Text<'a>,
    #[serde(borrow)]
    end: Text<'a>,
    /// What stands in the period's place.
    #[serde(skip)]
    words: Text<'a>,
}

elements!(Period from words);

impl Period<'_> {
    /// Its first and its last day. A year or a month begins on its first day and ends on its last;
    /// an instant is the day that it falls on in UTC. What is no date is noted and not stated.
    pub(super) fn days(&self, notes: &mut Notes) -> model::Period {
        let mut read = |text: &Text<'_>| {
            let read = text.get().map(days);
            if read == Some(None) {
                notes.add(Note::UnreadableDate);
            }
            read.flatten()
        };
        let (start, end) = (read(&self.start), read(&self.end));
        if self.words.get().is_some() {
            notes.add(Note::UnreadableDate);
        }
        model::Period { start: start.map(|(first, _)| number(first)), end: end.map(|(_, last)| number(last)) }
    }

    /// As people read it: `2026-01-01 to 2026-12-31`, `from 2026-01`, `until 2026`.
    pub(super) fn words(&self) -> Option<String> {
        let day = |text: &Text<'_>| text.get().map(|text| text.split('T').next().unwrap_or(text).to_owned());
        match (day(&self.start), day(&self.end)) {
            (Some(start), Some(end)) if start == end => Some(start),
            (Some(start), Some(end)) => Some(format!("{start} to {end}")),
            (Some(start), None) => Some(format!("from {start}")),
            (None, Some(end)) => Some(format!("until {end}")),
            (None, None) => None,
        }
    }
}

/// The first and the last day of a date as FHIR writes it; also `12/31/2026` and `20261231`.
fn days(text: &str) -> Option<(Date, Date)> {
    if let Some(day) = other_form(text) {
        return Some((day, day));
    }
    let parse = |text: &str| text.parse::<Date>().ok();
    match text.len() {
        4 => Some((parse(&format!("{text}-01-01"))?, parse(&format!("{text}-12-31"))?)),
        7 => {
            let first = parse(&format!("{text}-01"))?;
            Some((first, first.last_of_month()))
        }
        10 => parse(text).map(|day| (day, day)),
        _ => {
            let in_utc = text.parse::<Timestamp>().ok().map(|instant| Offset::UTC.to_datetime(instant).date());
            let day = in_utc.or_else(|| parse(text.get(..10)?))?;
            Some((day, day))
        }
    }
}

/// A day as month, day and year, or as eight digits; a time may follow it.
fn other_form(text: &str) -> Option<Date> {
    let digits = |text: &str, most: usize| {
        let fits = !text.is_empty() && text.len() <= most && text.bytes().all(|b| b.is_ascii_digit());
        text.parse::<i16>().ok().filter(|_| fits)
    };
    let (year, month, day) = if let Some((month, rest)) = text.split_once('/') {
        let (day, rest) = rest.split_once('/')?;
        let year = rest.split([' ', 'T']).next()?;
        (digits(year, 4).filter(|_| year.len() == 4)?, digits(month, 2)?, digits(day, 2)?)
    } else {
        let (year, month, day) = (text.get(..4)?, text.get(4..6)?, text.get(6..)?);
        (digits(year, 4)?, digits(month, 2)?, digits(day, 2).filter(|_| day.len() == 2)?)
    };
    Date::new(year, i8::try_from(month).ok()?, i8::try_from(day).ok()?).ok()
}

fn number(day: Date) -> Day {
    Date::constant(1970, 1, 1).until(day).map_or(0, |span| span.get_days())
}
