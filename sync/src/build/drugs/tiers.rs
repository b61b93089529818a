//! The payer's tiers: whether each is covered, decided once, and how often it is stated.

use std::collections::{BTreeMap, BTreeSet};

use rusqlite::{Connection, params};

use super::formularies::{Formularies, Says, Term};
use super::plans::Plans;
use crate::model::Tier;
use crate::tiers::TierMap;

/// All tiers, numbered by code and words.
pub(super) struct Tiers {
    rows: BTreeMap<Tier, Row>,
    /// Tiers that the publisher's settings name and nothing has.
    pub(super) unused: Vec<String>,
}

/// A tier as it is written.
struct Row {
    number: u32,
    read: coverdex_core::Tier,
    /// Whether the publisher's settings decided.
    mapped: bool,
    /// Packages of distinct formularies that are listed in it.
    entries: u64,
    /// Plans whose formulary has any of these.
    plans: u64,
}

impl Tiers {
    /// Reads the tiers that entries and Lists name.
    pub(super) fn of(formularies: &Formularies, plans: &Plans, map: &TierMap) -> Self {
        let stated = formularies.terms.iter().flat_map(says_of).filter_map(|says| says.tier.as_ref());
        let defined = plans.plans.iter().flat_map(|plan| &plan.tiers).map(|definition| &definition.tier);
        let distinct: BTreeSet<&Tier> = stated.chain(defined).collect();
        let unused = map.unused(distinct.iter().map(|tier| (tier.code.as_str(), tier.display.as_deref())));
        let rows = (1_u32..).zip(distinct).map(|(number, tier)| {
            let (read, mapped) = map.read(&tier.code, tier.display.as_deref());
            (tier.clone(), Row { number, read, mapped, entries: 0, plans: 0 })
        });
        let mut tiers = Self { rows: rows.collect(), unused };
        tiers.count(formularies);
        tiers
    }

    /// Counts what is listed: an entry that is inactive or that no List names says nothing of a plan.
    fn count(&mut self, formularies: &Formularies) {
        let mut plans_of: BTreeMap<u32, u64> = BTreeMap::new();
        for formulary in formularies.of_plan.values() {
            *plans_of.entry(*formulary).or_default() += 1;
        }
        for (number, content) in (0_u32..).zip(&formularies.contents) {
            let mut by_term: BTreeMap<u32, u64> = BTreeMap::new();
            for (_, term) in content {
                *by_term.entry(*term).or_default() += 1;
            }
            let mut seen: BTreeMap<&Tier, u64> = BTreeMap::new();
            for (term, entries) in by_term {
                let Some(term @ (Term::Listed(_) | Term::Conflict(_))) = formularies.terms.get(term as usize) else {
                    continue;
                };
                let tiers: BTreeSet<&Tier> = says_of(term).iter().filter_map(|says| says.tier.as_ref()).collect();
                for tier in tiers {
                    *seen.entry(tier).or_default() += entries;
                }
            }
            let plans = plans_of.get(&number).copied().unwrap_or_default();
            for (tier, entries) in seen {
                if let Some(row) = self.rows.get_mut(tier) {
                    row.entries += entries;
                    row.plans += plans;
                }
            }
        }
    }

    /// The number of a tier's row.
    pub(super) fn number(&self, tier: &Tier) -> Option<u32> {
        self.rows.get(tier).map(|row| row.number)
    }

    /// Writes the tiers, and how often each is stated.
    pub(super) fn write(&self, database: &Connection) -> rusqlite::Result<()> {
        let mut insert = database.prepare("INSERT INTO tier VALUES (?1, ?2, ?3, ?4, ?5, ?6)")?;
        let mut insert_count = database.prepare("INSERT INTO report_tier VALUES (?1, ?2, ?3)")?;
        let integer = |count: u64| i64::try_from(count).unwrap_or(i64::MAX);
        for Row { number, read, mapped, entries, plans } in self.rows.values() {
            let level = read.level.map(coverdex_core::TierLevel::as_str);
            insert.execute(params![number, read.code, read.display, read.status.as_str(), level, mapped])?;
            insert_count.execute(params![number, integer(*entries), integer(*plans)])?;
        }
        Ok(())
    }
}

fn says_of(term: &Term) -> &[Says] {
    match term {
        Term::Listed(says) | Term::EntryInactive(says) | Term::Unreferenced(says) => std::slice::from_ref(says),
        Term::Conflict(says) => says,
    }
}
