//! Progress of a sync: a bar for each resource type on a terminal, a line now and then where there is
//! none, event lines for programs.

use std::collections::BTreeMap;
use std::io::{IsTerminal as _, stderr};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use coverdex_core::build::words::thousands;
use coverdex_sync::fetch::{Event, Watch};
use indicatif::{MultiProgress, ProgressBar, ProgressState, ProgressStyle};

use crate::json::Document;
use crate::output::Output;
use crate::words;

/// Seconds between two lines where no terminal shows bars.
const BETWEEN_LINES: Duration = Duration::from_secs(10);

/// Shows what a sync does. What it drew goes away when it is dropped: what is worth keeping stands in
/// the summary.
pub(in crate::commands) struct Progress {
    shown: Arc<Mutex<Shown>>,
}

struct Shown {
    output: Output,
    /// None where no terminal shows it.
    bars: Option<MultiProgress>,
    types: BTreeMap<String, (OfType, Option<ProgressBar>)>,
    /// Set once the dataset is built.
    building: Option<ProgressBar>,
    begun: Instant,
    last_line: Instant,
}

/// How far one resource type has come.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct OfType {
    /// Entries by query; a pass that begins anew begins at none.
    queries: BTreeMap<String, u64>,
    /// How many each query says there are.
    totals: BTreeMap<String, u64>,
    to_read: u64,
    /// Read by id in former rounds, and in this one.
    read_before: u64,
    read: u64,
}

impl OfType {
    fn note(&mut self, event: &Event) {
        match event {
            Event::Page { query, entries, total, .. } => {
                self.queries.insert(query.clone(), *entries);
                if let Some(total) = total {
                    self.totals.insert(query.clone(), *total);
                }
            }
            Event::ToRead { count, .. } => {
                self.to_read += count;
                self.read_before += std::mem::take(&mut self.read);
            }
            Event::Read { count, .. } => self.read = *count,
            Event::Restart { query, .. } => {
                self.queries.insert(query.clone(), 0);
            }
            _ => {}
        }
    }

    fn came(&self) -> u64 {
        self.queries.values().sum::<u64>() + self.read_before + self.read
    }

    /// How many there are, if that is known and can be: a server's total is a hint.
    fn expected(&self) -> Option<u64> {
        let totals: Option<u64> = self.queries.keys().map(|query| self.totals.get(query)).sum();
        totals.map(|totals| totals + self.to_read).filter(|expected| *expected > 0 && *expected >= self.came())
    }
}

impl Progress {
    pub(in crate::commands) fn new(output: Output) -> Self {
        let bars = (!output.is_json() && stderr().is_terminal()).then(MultiProgress::new);
        let now = Instant::now();
        let shown = Shown { output, bars, types: BTreeMap::new(), building: None, begun: now, last_line: now };
        Self { shown: Arc::new(Mutex::new(shown)) }
    }

    /// What tells it.
    pub(in crate::commands) fn watch(&self) -> Watch {
        let shown = Arc::clone(&self.shown);
        Arc::new(move |event| shown.lock().unwrap_or_else(PoisonError::into_inner).tell(event))
    }

    /// What is to be read was read: the dataset is built of so many resources as yet.
    pub(in crate::commands) fn building(&self, resources: u64) {
        self.shown.lock().unwrap_or_else(PoisonError::into_inner).building(resources);
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.shown.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }
}

impl Shown {
    fn tell(&mut self, event: &Event) {
        if self.output.is_json() {
            if let Ok(document) = Document::of(event) {
                Output::line(&document);
            }
            return;
        }
        match event {
            Event::Chose { what } => self.remark(what),
            Event::Waiting { reason, seconds } => self.remark(&format!("waiting {seconds} s: {reason}")),
            Event::Restart { query, reason } => self.remark(&format!("{query} begins anew: {reason}")),
            Event::Ended { query, complete: false, reason } => {
                self.remark(&format!("{query} is incomplete: {}", reason.as_deref().unwrap_or("no reason is known")));
            }
            _ => {}
        }
        let Some(resource_type) = type_of(event) else { return };
        let bars = self.bars.as_ref();
        let (of_type, bar) = self.types.entry(resource_type.to_owned()).or_insert_with(|| {
            let bar = bars.map(|bars| bars.add(ProgressBar::no_length().with_prefix(resource_type.to_owned())));
            (OfType::default(), bar)
        });
        of_type.note(event);
        match bar {
            Some(bar) => draw(bar, of_type),
            None => self.line_now_and_then(),
        }
    }

    fn remark(&self, text: &str) {
        let text = words::shown(text);
        match &self.bars {
            Some(bars) => drop(bars.println(&text)),
            None => self.output.remark(&text),
        }
    }

    fn line_now_and_then(&mut self) {
        if self.last_line.elapsed() < BETWEEN_LINES {
            return;
        }
        self.last_line = Instant::now();
        let types: Vec<String> = self.types.iter().map(|(name, (of_type, _))| line(name, of_type)).collect();
        self.remark(&format!("{} s: {}", self.begun.elapsed().as_secs(), types.join(", ")));
    }

    fn building(&mut self, resources: u64) {
        if self.building.is_none() {
            self.clear();
            if self.bars.is_none() {
                self.output.remark("Building the dataset.");
            }
        }
        let bars = self.bars.as_ref();
        let bar = self.building.get_or_insert_with(|| spinner(bars));
        bar.set_message(format!("building a dataset of {} resources", thousands(resources)));
    }

    fn clear(&mut self) {
        for (_, bar) in std::mem::take(&mut self.types).into_values() {
            bar.iter().for_each(ProgressBar::finish_and_clear);
        }
        self.building.iter().for_each(ProgressBar::finish_and_clear);
    }
}

/// What turns while a dataset is built; hidden where no terminal shows it.
fn spinner(bars: Option<&MultiProgress>) -> ProgressBar {
    let Some(bars) = bars else { return ProgressBar::hidden() };
    let bar = bars.add(ProgressBar::new_spinner());
    if let Ok(style) = ProgressStyle::with_template("{spinner} {msg} ({elapsed})") {
        bar.set_style(style);
    }
    bar.enable_steady_tick(Duration::from_millis(120));
    bar
}

/// The resource type that an event is about; queries begin with it.
fn type_of(event: &Event) -> Option<&str> {
    match event {
        Event::Page { resource_type, .. } | Event::ToRead { resource_type, .. } | Event::Read { resource_type, .. } => {
            Some(resource_type)
        }
        Event::Restart { query, .. } => query.split(['?', '/', ' ']).next(),
        _ => None,
    }
}

/// `PractitionerRole 12,000 of 33,000`.
fn line(name: &str, of_type: &OfType) -> String {
    let came = thousands(of_type.came());
    match of_type.expected() {
        Some(expected) => format!("{name} {came} of {}", thousands(expected)),
        None => format!("{name} {came}"),
    }
}

/// So many a second; the first second tells nothing.
fn rate(state: &ProgressState, to: &mut dyn std::fmt::Write) {
    let rate = if state.elapsed().as_secs() > 0 { state.per_sec() } else { 0.0 };
    let _ = write!(to, "{rate:.0}/s");
}

fn draw(bar: &ProgressBar, of_type: &OfType) {
    let expected = of_type.expected();
    if bar.length() != expected || bar.position() == 0 {
        let template = match expected {
            Some(_) => "{prefix:23} [{bar:24}] {human_pos} of {human_len}, {rate}, {eta} left",
            None => "{prefix:23} {spinner} {human_pos}, {rate}",
        };
        if let Ok(style) = ProgressStyle::with_template(template) {
            bar.set_style(style.progress_chars("=> ").with_key("rate", rate));
        }
        match expected {
            Some(expected) => bar.set_length(expected),
            None => bar.unset_length(),
        }
    }
    bar.set_position(of_type.came());
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(query: &str, entries: u64, total: Option<u64>) -> Event {
        let resource_type = "Practitioner".to_owned();
        Event::Page { resource_type, query: query.to_owned(), pages: 1, entries, total }
    }

    fn read(count: u64) -> Event {
        Event::Read { resource_type: "Practitioner".to_owned(), count }
    }

    fn to_read(count: u64) -> Event {
        Event::ToRead { resource_type: "Practitioner".to_owned(), count }
    }

    fn after(events: &[Event]) -> (u64, Option<u64>) {
        let mut of_type = OfType::default();
        for event in events {
            of_type.note(event);
        }
        (of_type.came(), of_type.expected())
    }

    #[test]
    fn pages_and_readings_add_up() {
        assert_eq!(after(&[page("a", 20, Some(90)), page("a", 40, Some(90))]), (40, Some(90)));
        assert_eq!(after(&[page("a", 20, None)]), (20, None));
        assert_eq!(after(&[page("a", 90, Some(90)), to_read(10), read(4)]), (94, Some(100)));
        assert_eq!(after(&[to_read(10), read(10), to_read(5), read(2)]), (12, Some(15)));
        assert_eq!(after(&[page("a", 20, Some(20)), page("b", 30, None)]), (50, None), "one of two is not known");
    }

    #[test]
    fn what_begins_anew_counts_anew_and_totals_are_hints() {
        let restart = Event::Restart { query: "a".to_owned(), reason: "expired".to_owned() };
        assert_eq!(after(&[page("a", 60, Some(90)), restart, page("a", 20, Some(90))]), (20, Some(90)));
        assert_eq!(after(&[page("a", 60, Some(20))]), (60, None), "more came than there are");
        assert_eq!(after(&[page("a", 60, Some(0))]), (60, None));
    }

    #[test]
    fn queries_name_their_type() {
        let restart = |query: &str| Event::Restart { query: query.to_owned(), reason: String::new() };
        assert_eq!(type_of(&restart("PractitionerRole?_tag=a")), Some("PractitionerRole"));
        assert_eq!(type_of(&restart("Location")), Some("Location"));
        assert_eq!(type_of(&Event::Chose { what: "x".to_owned() }), None);
    }
}
