//! Opening hours in one line, as people read them.

use serde::Deserialize;

use super::lenient::{Flag, Many, Text, elements};

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

elements!(Opening from words);

const DAYS: [&str; 7] = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"];

/// `Mon-Fri 8 AM-12 PM, 1 PM-5:30 PM; Sat 24 hours`: days that have the same times stand together.
/// Times without days come first: their days are not stated. `None` where nothing is stated.
pub(super) fn one_line(openings: &Many<Opening<'_>>, exceptions: &Text<'_>) -> Option<String> {
    let mut by_day: [Vec<(String, String)>; 7] = Default::default();
    let mut parts: Vec<String> = Vec::new();
    for opening in openings {
        let times = opening.times();
        let days: Vec<usize> = opening.days.iter().filter_map(|day| day.get().and_then(day_of_week)).collect();
        if days.is_empty() {
            parts.extend(opening.words.words().or(times.map(|(_, words)| words)));
            continue;
        }
        for day in days {
            if let Some(stated) = by_day.get_mut(day) {
                stated.push(times.clone().unwrap_or_default());
            }
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
        let words: Vec<&str> =
            times.iter().map(|(_, words)| words.as_str()).filter(|words| !words.is_empty()).collect();
        parts.push(format!("{} {}", day_ranges(&same), words.join(", ")).trim_end().to_owned());
    }
    parts.extend(exceptions.words());
    (!parts.is_empty()).then(|| parts.join("; "))
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
