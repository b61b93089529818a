//! FHIR's `Period`: the days on which something holds.

use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::Offset;
use serde::Deserialize;

use super::lenient::{Text, elements};
use crate::model::{self, Day};

/// `Period`: each end a year, a month, a day or an instant.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Period<'a> {
    #[serde(borrow)]
    start: Text<'a>,
    #[serde(borrow)]
    end: Text<'a>,
}

elements!(Period);

impl Period<'_> {
    /// Its first and its last day. A year or a month begins on its first day and ends on its last;
    /// an instant is the day that it falls on in UTC. What is no date is not stated.
    pub(super) fn days(&self) -> model::Period {
        model::Period {
            start: self.start.get().and_then(days).map(|(first, _)| number(first)),
            end: self.end.get().and_then(days).map(|(_, last)| number(last)),
        }
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

/// The first and the last day of a date as FHIR writes it.
fn days(text: &str) -> Option<(Date, Date)> {
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

fn number(day: Date) -> Day {
    Date::constant(1970, 1, 1).until(day).map_or(0, |span| span.get_days())
}
