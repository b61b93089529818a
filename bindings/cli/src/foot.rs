//! What stands below a table: when the data is from, how complete it is, and what an answer does
//! not say. Each line once, and only where it applies.

use std::collections::BTreeSet;

use coverdex_core::{Audience, PlanId};
use coverdex_core::{Coverage, CoverageStatus, Plan};

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
    caveats: BTreeSet<Caveat>,
    mail_order_stated: bool,
}

/// What an answer does not say, in the order in which it is said.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Caveat {
    Restrictions,
    Tier,
    MedicareCaps,
    NotOnPartDList,
    NotOnList,
    MailOrder,
    DirectoryIncomplete,
    CostSharing,
}

impl Caveat {
    const fn words(self) -> &'static str {
        match self {
            Self::Restrictions => "PA prior authorization, ST step therapy, QL quantity limit.",
            Self::Tier => "A tier is not a price.",
            Self::MedicareCaps => {
                "By law a month of covered insulin costs at most $35, and recommended adult vaccines in Part D $0, \
                 whatever the tier."
            }
            Self::NotOnPartDList => {
                "Not listed means not on this Part D list: the drug may be covered under Part B, or by exception."
            }
            Self::NotOnList => "Not listed means not on this drug list: the drug may be covered by exception.",
            Self::MailOrder => "Mail order: not stated.",
            Self::DirectoryIncomplete => {
                "Directories are incomplete: not being there is no proof of being out of network."
            }
            Self::CostSharing => "In network does not mean preferred cost sharing.",
        }
    }
}

impl Foot {
    /// The dataset that answered.
    pub(crate) fn dataset(&mut self, opened: &Opened, several: bool) {
        let mut parts = vec![format!("Data as of {}", words::date(opened.dataset.as_of()))];
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
        let medicare = matches!(plan.id, PlanId::Medicare(_)) && plan.audience != Audience::Medicaid;
        if coverage.listed > 0 {
            self.caveats.insert(Caveat::Restrictions);
        }
        if matches!(coverage.status, CoverageStatus::Covered | CoverageStatus::Mixed) {
            self.caveats.extend([Caveat::Tier, Caveat::MailOrder]);
            if medicare {
                self.caveats.insert(Caveat::MedicareCaps);
            }
            self.mail_order_stated |= coverage.statement.mail_order.is_some();
        }
        if matches!(coverage.status, CoverageStatus::NotListed | CoverageStatus::NotCovered) {
            self.caveats.insert(if medicare { Caveat::NotOnPartDList } else { Caveat::NotOnList });
        }
    }

    /// An answer from the provider directory; `networks`: it says who is in which.
    pub(crate) fn directory(&mut self, networks: bool) {
        self.caveats.insert(Caveat::DirectoryIncomplete);
        if networks {
            self.caveats.insert(Caveat::CostSharing);
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
        let applies = |caveat: &&Caveat| match caveat {
            Caveat::MailOrder => !self.mail_order_stated,
            Caveat::NotOnList => !self.caveats.contains(&Caveat::NotOnPartDList),
            _ => true,
        };
        let caveats: Vec<&str> = self.caveats.iter().filter(applies).map(|caveat| caveat.words()).collect();
        if caveats.is_empty() { text } else { text + &wrap(look, &caveats.join(" "), "") }
    }
}

fn add(lines: &mut Vec<String>, line: String) {
    if !lines.contains(&line) {
        lines.push(line);
    }
}
