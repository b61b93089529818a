//! What a dataset holds.

use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::value::RawValue;

use super::through;
use crate::data::{DrugBenefit, Plan};
use crate::dataset::{FileSize, Info, ResourceCount, SizePart, Sizes, TableSize, TierCount};
use crate::format::Source;
use crate::ids::PlanId;
use crate::tier::{TierLevel, TierStatus};

through! {
    Info => InfoFields,
    Sizes => SizesFields,
    TierCount => TierFields,
}

#[derive(Serialize)]
struct InfoFields<'a> {
    dataset: &'a str,
    format: u32,
    as_of: &'a str,
    sources: &'a [Source],
    counts: &'a BTreeMap<String, u64>,
    report: Report<'a>,
    /// What the sync saw; null for a dataset of files.
    sync: Option<&'a RawValue>,
    /// `crawl.json`, or null.
    crawl: Option<&'a RawValue>,
    folder: &'a str,
    parts: &'a [String],
    part_times: &'a BTreeMap<String, String>,
    bytes: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    sizes: Option<&'a Sizes>,
}

/// What became of the resources, and of each plan's drug list.
#[derive(Serialize)]
struct Report<'a> {
    /// received = used + folded + quarantined + of no use, by resource type.
    resources: Vec<ResourceFields<'a>>,
    plans: Vec<PlanFields<'a>>,
    tiers: &'a [TierCount],
}

/// How a tier was read, and how often it is stated.
#[derive(Serialize)]
struct TierFields<'a> {
    code: &'a str,
    display: Option<&'a str>,
    status: TierStatus,
    level: Option<TierLevel>,
    /// Whether the publisher's settings say what it means.
    mapped: bool,
    /// Packages of distinct formularies that are listed in it.
    entries: u64,
    plans: u64,
}

#[derive(Serialize)]
struct ResourceFields<'a> {
    #[serde(rename = "type")]
    kind: &'a str,
    received: u64,
    used: u64,
    folded: u64,
    quarantined: u64,
    of_no_use: u64,
    reasons: Vec<ReasonFields<'a>>,
}

#[derive(Serialize)]
struct ReasonFields<'a> {
    outcome: &'a str,
    reason: &'a str,
    count: u64,
}

#[derive(Serialize)]
struct PlanFields<'a> {
    plan: &'a PlanId,
    name: Option<&'a str>,
    drugs: DrugBenefit,
    lists: u32,
    expected: u32,
    gaps: u32,
    quarantined: u32,
}

/// Where the bytes are.
#[derive(Serialize)]
struct SizesFields<'a> {
    files: Vec<FileFields<'a>>,
    /// Empty where SQLite was compiled without `dbstat`.
    tables: Vec<TableFields<'a>>,
    packages: u64,
    formularies: u64,
    catalogue_bytes: u64,
    formulary_bytes: u64,
    bytes_per_package: Option<f64>,
    bytes_per_package_and_formulary: Option<f64>,
}

#[derive(Serialize)]
struct FileFields<'a> {
    path: &'a str,
    bytes: u64,
}

#[derive(Serialize)]
struct TableFields<'a> {
    name: &'a str,
    index_of: Option<&'a str>,
    part: SizePart,
    bytes: u64,
    unused: u64,
}

impl<'a> From<&'a Info> for InfoFields<'a> {
    fn from(info: &'a Info) -> Self {
        Self {
            dataset: &info.dataset,
            format: info.format,
            as_of: &info.as_of,
            sources: &info.sources,
            counts: &info.counts,
            report: info.report(),
            sync: raw(info.sync.as_deref()),
            crawl: raw(info.crawl.as_deref()),
            folder: &info.folder,
            parts: &info.parts,
            part_times: &info.part_times,
            bytes: info.bytes,
            sizes: info.sizes.as_ref(),
        }
    }
}

/// A document as it is; one that is no JSON is left out.
fn raw(text: Option<&str>) -> Option<&RawValue> {
    serde_json::from_str(text?).ok()
}

impl Info {
    /// What became of the resources, and of each plan's drug list.
    fn report(&self) -> Report<'_> {
        let resources = self.resources.iter().map(|counts: &ResourceCount| ResourceFields {
            kind: &counts.resource,
            received: counts.received,
            used: counts.used,
            folded: counts.folded,
            quarantined: counts.quarantined,
            of_no_use: counts.of_no_use,
            reasons: self
                .reasons
                .iter()
                .filter(|own| own.resource == counts.resource)
                .map(|own| ReasonFields { outcome: &own.outcome, reason: &own.reason, count: own.count })
                .collect(),
        });
        Report {
            resources: resources.collect(),
            plans: self.plans.iter().map(PlanFields::from).collect(),
            tiers: &self.tiers,
        }
    }
}

impl<'a> From<&'a TierCount> for TierFields<'a> {
    fn from(count: &'a TierCount) -> Self {
        Self {
            code: &count.tier.code,
            display: count.tier.display.as_deref(),
            status: count.tier.status,
            level: count.tier.level,
            mapped: count.mapped,
            entries: count.entries,
            plans: count.plans,
        }
    }
}

impl<'a> From<&'a Plan> for PlanFields<'a> {
    fn from(plan: &'a Plan) -> Self {
        Self {
            plan: &plan.id,
            name: plan.name.as_deref(),
            drugs: plan.drugs,
            lists: plan.lists,
            expected: plan.expected,
            gaps: plan.gaps,
            quarantined: plan.quarantined,
        }
    }
}

impl<'a> From<&'a Sizes> for SizesFields<'a> {
    fn from(sizes: &'a Sizes) -> Self {
        let file = |file: &'a FileSize| FileFields { path: &file.path, bytes: file.bytes };
        let table = |table: &'a TableSize| TableFields {
            name: &table.name,
            index_of: table.index_of.as_deref(),
            part: table.part,
            bytes: table.bytes,
            unused: table.unused,
        };
        Self {
            files: sizes.files.iter().map(file).collect(),
            tables: sizes.tables.iter().map(table).collect(),
            packages: sizes.packages,
            formularies: sizes.formularies,
            catalogue_bytes: sizes.catalogue_bytes,
            formulary_bytes: sizes.formulary_bytes,
            bytes_per_package: sizes.bytes_per_package(),
            bytes_per_package_and_formulary: sizes.bytes_per_package_and_formulary(),
        }
    }
}
