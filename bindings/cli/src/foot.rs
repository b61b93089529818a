//! What stands below a table: when the data is from, how complete it is, and what an answer does
//! not say. Each line once, and only where it applies.

use coverdex_core::{Caveat, Caveats, Coverage, Plan};

use crate::data::{MeantPlan, Opened};
use crate::output::Look;
use crate::table::wrap;
use crate::words;

/// Collects what has to be said below one answer.
#[derive(Debug, Default)]
pub(crate) struct Foot {
    dates: Vec<String>,
    lists: Vec<String>,
    notes: Vec<String>,
    caveats: Caveats,
}

impl Foot {
    /// The dataset that answered.
    pub(crate) fn dataset(&mut self, opened: &Opened, several: bool) {
        let dates = words::part_dates(opened.dataset.manifest()).map(|dates| format!("Data: {dates}"));
        let mut parts = vec![dates.unwrap_or_else(|| format!("Data as of {}", words::date(opened.dataset.as_of())))];
        let source = opened.dataset.source();
        if !source.is_empty() {
            parts.push(format!("source: {source}"));
        }
        if several {
            parts.push(format!("from {}", opened.path.display()));
        }
        add(&mut self.dates, parts.join(" · "));
    }

    /// A plan whose drug list an answer rests on.
    pub(crate) fn plan(&mut self, meant: &MeantPlan<'_>) {
        for note in &meant.notes {
            add(&mut self.notes, note.clone());
        }
        add(&mut self.lists, format!("Drug list of {}: {}", meant.plan.id, words::drug_list(&meant.plan)));
    }

    /// An answer of the table.
    pub(crate) fn coverage(&mut self, plan: &Plan, coverage: &Coverage) {
        self.caveats.coverage(plan, coverage);
    }

    /// An answer from the provider directory; `networks`: it says who is in which.
    pub(crate) fn directory(&mut self, networks: bool) {
        self.caveats.directory(networks);
    }

    /// A remark of its own.
    pub(crate) fn note(&mut self, note: impl Into<String>) {
        add(&mut self.notes, note.into());
    }

    pub(crate) fn render(&self, look: Look) -> String {
        let mut text = String::new();
        for line in self.dates.iter().chain(&self.lists).chain(&self.notes) {
            text += &wrap(look, &words::shown(line), "  ");
        }
        let caveats: Vec<&str> = self.caveats.list().into_iter().map(Caveat::words).collect();
        if caveats.is_empty() { text } else { text + &wrap(look, &caveats.join(" "), "") }
    }
}

fn add(lines: &mut Vec<String>, line: String) {
    if !lines.contains(&line) {
        lines.push(line);
    }
}
