//! Opening hours in one line, as people read them.

use serde::Deserialize;

use super::lenient::{Flag, Many, One, Text, elements};
use super::period::Period;

/// `Location.hoursOfOperation` and `PractitionerRole.availableTime`; a bare string is kept as words.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Opening<'a> {
    #[serde(borrow, rename = "daysOfWeek")]
    days: Many<Text<'a>>,
    #[serde(rename = "allDay")]
    all_day: Flag,
    #[serde(borrow, rename = "openingTime")]
    opening: Text<'a>,
    #[serde(borrow, rename = "closingTime")]
    closing: Text<'a>,
    #[serde(borrow, rename = "availableStartTime")]
    available_start: Text<'a>,
    #[serde(borrow, rename = "availableEndTime")]
    available_end: Text<'a>,
    #[serde(skip)]
    words: Text<'a>,
}

/// `notAvailable`; a bare string is its description.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Absence<'a> {
    #[serde(borrow)]
    description: Text<'a>,
    #[serde(borrow)]
    during: One<Period<'a>>,
}

elements!(Opening from words, Absence from description);

const DAYS: [&str; 7] = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"];

/// `Mon-Fri 8 AM-12 PM, 1 PM-5:30 PM; Sat 24 hours; Sun closed`: days that have the same times stand
/// together. Times without days come first: their days are not stated. A day without times is closed
/// where the source says that it is not open all day, else it is not stated. Absences come last.
/// `None` where nothing is stated.
pub(super) fn one_line(
    openings: &Many<Opening<'_>>,
    absences: &Many<Absence<'_>>,
    exceptions: &Text<'_>,
) -> Option<String> {
    let mut by_day: [Vec<(String, String)>; 7] = Default::default();
    let mut closed = [false; 7];
    let mut parts: Vec<String> = Vec::new();
    for opening in openings {
        let times = opening.times();
        let days: Vec<usize> = opening.days.iter().filter_map(|day| day.get().and_then(day_of_week)).collect();
        if days.is_empty() {
            parts.extend(opening.words.words().or(times.map(|(_, words)| words)));
            continue;
        }
        for day in days {
            match (&times, by_day.get_mut(day), closed.get_mut(day)) {
                (Some(times), Some(stated), _) => stated.push(times.clone()),
                (None, _, Some(closed)) => *closed |= opening.all_day.get() == Some(false),
                _ => {}
            }
        }
    }
    for (times, closed) in by_day.iter_mut().zip(closed) {
        if closed && times.is_empty() {
            times.push((String::new(), "closed".to_owned()));
        }
    }
    for times in &mut by_day {
        times.sort_unstable();
        times.dedup();
    }
    parts.sort_unstable();
    parts.dedup();
    let mut told = [false; 7];
    for (day, times) in by_day.iter().enumerate() {
        if times.is_empty() || told.get(day) != Some(&false) {
            continue;
        }
        let same: Vec<usize> = (day..DAYS.len()).filter(|other| by_day.get(*other) == Some(times)).collect();
        for other in &same {
            if let Some(told) = told.get_mut(*other) {
                *told = true;
            }
        }
        let words: Vec<&str> = times.iter().map(|(_, words)| words.as_str()).collect();
        parts.push(format!("{} {}", day_ranges(&same), words.join(", ")));
    }
    parts.extend(exceptions.words());
    parts.extend(absences.iter().filter_map(Absence::words));
    (!parts.is_empty()).then(|| parts.join("; "))
}

impl Absence<'_> {
    /// `not available 2026-01-01 to 2026-12-31: Sabbatical leave`.
    fn words(&self) -> Option<String> {
        let during = self.during.0.as_ref().and_then(Period::words);
        match (during, self.description.words()) {
            (Some(during), Some(why)) => Some(format!("not available {during}: {why}")),
            (Some(during), None) => Some(format!("not available {during}")),
            (None, Some(why)) => Some(format!("not available: {why}")),
            (None, None) => None,
        }
    }
}

impl Opening<'_> {
    /// What sorts, and what is read.
    fn times(&self) -> Option<(String, String)> {
        if self.all_day.get() == Some(true) {
            return Some((String::new(), "24 hours".to_owned()));
        }
        let start = self.opening.get().or_else(|| self.available_start.get());
        let end = self.closing.get().or_else(|| self.available_end.get());
        let words = match (start, end) {
            (Some(start), Some(end)) => {
                let next_day = minutes(end).zip(minutes(start)).is_some_and(|(end, start)| end < start);
                format!("{}-{}{}", clock(start), clock(end), if next_day { " (next day)" } else { "" })
            }
            (Some(start), None) => format!("from {}", clock(start)),
            (None, Some(end)) => format!("until {}", clock(end)),
            (None, None) => return None,
        };
        Some((start.unwrap_or_default().to_owned(), words))
    }
}

fn day_of_week(text: &str) -> Option<usize> {
    let start = text.get(..3)?;
    DAYS.iter().position(|day| day.eq_ignore_ascii_case(start))
}

/// `Mon-Fri`, `Mon, Wed`, `Sat, Sun`: three or more in a row are a range.
fn day_ranges(days: &[usize]) -> String {
    let mut parts: Vec<String> = Vec::new();
    for run in days.chunk_by(|a, b| a + 1 == *b) {
        let name = |day: &usize| DAYS.get(*day).copied().unwrap_or_default();
        match run {
            [first, _, .., last] => parts.push(format!("{}-{}", name(first), name(last))),
            _ => parts.extend(run.iter().map(|day| name(day).to_owned())),
        }
    }
    parts.join(", ")
}

fn minutes(time: &str) -> Option<u32> {
    let mut parts = time.split(':');
    let (hour, minute) = (parts.next()?.parse::<u32>().ok()?, parts.next()?.parse::<u32>().ok()?);
    (hour <= 24 && minute < 60).then_some(hour * 60 + minute)
}

/// `08:00:00` as `8 AM`; what is no time stays as it is.
fn clock(time: &str) -> String {
    let Some(minutes) = minutes(time) else { return time.to_owned() };
    let (hour, minute) = (minutes / 60 % 24, minutes % 60);
    let half = if hour < 12 { "AM" } else { "PM" };
    let hour = if hour % 12 == 0 { 12 } else { hour % 12 };
    if minute == 0 { format!("{hour} {half}") } else { format!("{hour}:{minute:02} {half}") }
}
