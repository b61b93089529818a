//! The drug half of a dataset: plans, catalogue and formularies.

mod areas;
mod catalogue;
mod collect;
mod formularies;
mod index;
mod join;
mod plans;
mod tiers;
mod write;

use std::path::Path;

use coverdex_core::PlanId;
use coverdex_core::{DrugBenefit, Result};
use rusqlite::Connection;

pub(crate) use collect::Collector;

use super::directory::Elsewhere;
use super::report::Report;
use crate::source::{ByKey, FormularyGap};
use crate::tiers::TierMap;

/// What the drug half tells the manifest.
pub(crate) struct Built {
    /// Counts for the manifest.
    pub(crate) counts: Vec<(&'static str, u64)>,
    /// Newest `meta.lastUpdated`, nanoseconds since 1970.
    pub(crate) newest: Option<i64>,
    /// Other versions of resources that came too.
    pub(crate) repeats: u64,
    /// Tiers that the publisher's settings name and nothing has.
    pub(crate) unused_tiers: Vec<String>,
}

/// What is known beside the resources.
#[derive(Clone, Copy)]
pub(crate) struct OtherFacts<'a> {
    /// Of which plans a part may be missing.
    pub(crate) gaps: &'a ByKey<PlanId, FormularyGap>,
    /// What the publisher says of tiers.
    pub(crate) tiers: &'a TierMap,
    /// What plans refer to.
    pub(crate) elsewhere: Elsewhere<'a>,
}

/// Writes tables and index of the drug half.
pub(crate) fn build(
    collector: Collector,
    database: &Connection,
    other: &OtherFacts<'_>,
    folder: &Path,
    report: &mut Report,
) -> Result<Built> {
    let mut said = collector.into_said();
    let mut joined = join::join(&mut said, folder, report)?;
    let stated = said.drugs.values().zip(&joined.stated).filter(|(_, stated)| **stated).map(|(facts, _)| facts);
    let catalogue = catalogue::Catalogue::build(stated);
    let mut order: Vec<u32> = (0..).take(said.plans.len()).collect();
    order.sort_by_key(|number| said.plans.value(*number).cloned());
    let formularies = formularies::formularies(&said, &mut joined, &catalogue, &order, other.gaps)?;
    let plans =
        plans::plans(&said, &joined, other.gaps, |number| formularies.of_plan.contains_key(&number), other.elsewhere);
    let tiers = tiers::Tiers::of(&formularies, &plans, other.tiers);
    write::write(database, &catalogue, &formularies, &plans, &tiers)?;
    index::write(&folder.join(coverdex_core::build::format::DRUG_INDEX), &catalogue.lines)?;
    let with_formulary = plans
        .plans
        .iter()
        .filter(|p| matches!(p.drugs, DrugBenefit::Complete | DrugBenefit::Incomplete | DrugBenefit::NoList));
    Ok(Built {
        counts: vec![
            ("plans", plans.plans.len() as u64),
            ("plans_with_formulary", with_formulary.count() as u64),
            ("networks", plans.networks.len() as u64),
            ("packages", catalogue.packages.len() as u64),
            ("drug_lines", catalogue.lines.len() as u64),
            ("rxnorm_codes", catalogue.rxnorm.len() as u64),
            ("formularies", formularies.contents.len() as u64),
            ("formulary_entries", formularies.contents.iter().map(|content| content.len() as u64).sum()),
        ],
        newest: joined.newest,
        repeats: joined.repeats,
        unused_tiers: tiers.unused,
    })
}
