//! What stands below a table: when the data is from, how complete it is, and what an answer does
//! not say. Each line once, and only where it applies.

use coverdex_core::ids::{Audience, PlanId};
use coverdex_core::{Coverage, CoverageStatus, DrugBenefit, Plan};

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
    flags: bool,
    tiers: bool,
    medicare_tiers: bool,
    not_listed: bool,
    medicare_not_listed: bool,
    mail_order: MailOrder,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum MailOrder {
    #[default]
    NotAsked,
    NotStated,
    Stated,
}

impl Foot {
    /// The dataset that answered.
    pub(crate) fn dataset(&mut self, opened: &Opened, several: bool) {
        let mut line = format!("Data as of {}", words::date(opened.dataset.as_of()));
        let source = opened.dataset.source();
        if !source.is_empty() {
            line += &format!(" · source: {source}");
        }
        if several {
            line += &format!(" · from {}", opened.path.display());
        }
        add(&mut self.dates, line);
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
        let medicare = matches!(plan.id, PlanId::Medicare(_)) && plan.audience != Audience::Medicaid;
        let listed = coverage.listed > 0;
        self.flags |= listed;
        if matches!(coverage.status, CoverageStatus::Covered | CoverageStatus::Mixed) {
            self.tiers = true;
            self.medicare_tiers |= medicare;
            let stated = coverage.statement.mail_order.is_some();
            if stated {
                self.mail_order = MailOrder::Stated;
            } else if self.mail_order == MailOrder::NotAsked {
                self.mail_order = MailOrder::NotStated;
            }
        }
        if matches!(coverage.status, CoverageStatus::NotListed | CoverageStatus::NotCovered) {
            self.not_listed = true;
            self.medicare_not_listed |= medicare && plan.drugs != DrugBenefit::NoDrugBenefit;
        }
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
        if self.flags {
            text += &wrap(look, "PA prior authorization, ST step therapy, QL quantity limit.", "  ");
        }
        let caveats = self.caveats();
        if !caveats.is_empty() {
            text += &wrap(look, &caveats.join(" "), "");
        }
        text
    }

    fn caveats(&self) -> Vec<&'static str> {
        let mut caveats = Vec::new();
        if self.tiers {
            caveats.push("A tier is not a price.");
        }
        if self.medicare_tiers {
            caveats.push(
                "By law a month of covered insulin costs at most $35, and recommended adult vaccines in Part D $0, \
                 whatever the tier.",
            );
        }
        if self.medicare_not_listed {
            caveats.push(
                "Not listed means not on this Part D list: the drug may be covered under Part B, or by exception.",
            );
        } else if self.not_listed {
            caveats.push("Not listed means not on this drug list: the drug may be covered by exception.");
        }
        if self.mail_order == MailOrder::NotStated {
            caveats.push("Mail order: not stated.");
        }
        caveats
    }
}

fn add(lines: &mut Vec<String>, line: String) {
    if !lines.contains(&line) {
        lines.push(line);
    }
}
