//! Progress of a sync: a bar for each resource type on a terminal, a line now and then where there is
//! none, event lines for programs.

use std::collections::BTreeMap;
use std::io::{IsTerminal as _, stderr};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use coverdex_core::build::words::thousands;
use coverdex_sync::fetch::{Event, TypeTally, Watch};
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
    types: BTreeMap<String, (TypeTally, Option<ProgressBar>)>,
    /// Set once the dataset is built.
    building: Option<ProgressBar>,
    begun: Instant,
    last_line: Instant,
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
        if let Some(remark) = event.remark() {
            self.remark(&remark);
        }
        let Some(resource_type) = event.resource_type() else { return };
        let bars = self.bars.as_ref();
        let (of_type, bar) = self.types.entry(resource_type.to_owned()).or_insert_with(|| {
            let bar = bars.map(|bars| bars.add(ProgressBar::no_length().with_prefix(resource_type.to_owned())));
            (TypeTally::default(), bar)
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
    if coverdex_sync::threads::can_start().is_ok() {
        bar.enable_steady_tick(Duration::from_millis(120));
    }
    bar
}

/// `PractitionerRole 12,000 of 33,000`.
fn line(name: &str, of_type: &TypeTally) -> String {
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

fn draw(bar: &ProgressBar, of_type: &TypeTally) {
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
