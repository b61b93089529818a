//! The sync report, `coverdex build --json`, and what a build remembers of the way.

use std::collections::BTreeMap;

use coverdex_core::{Info, Plan, TierCount};
use coverdex_sync::source::folder::FolderCounts;
use serde::Serialize;

/// What became of the resources, and of each plan's drug list.
#[derive(Debug, Serialize)]
pub(crate) struct Report {
    /// received = used + folded + quarantined + of no use, by resource type.
    resources: Vec<ResourceReport>,
    plans: Vec<PlanReport>,
    tiers: Vec<TierReport>,
}

/// How a tier was read, and how often it is stated.
#[derive(Debug, Serialize)]
pub(crate) struct TierReport {
    code: String,
    display: Option<String>,
    /// `covered`, `not_covered`, `not_understood`.
    status: &'static str,
    level: Option<&'static str>,
    /// Whether the publisher's settings say what it means.
    mapped: bool,
    /// Packages of distinct formularies that are listed in it.
    entries: u64,
    plans: u64,
}

#[derive(Debug, Serialize)]
struct ResourceReport {
    #[serde(rename = "type")]
    kind: String,
    received: u64,
    used: u64,
    folded: u64,
    quarantined: u64,
    of_no_use: u64,
    reasons: Vec<ReasonReport>,
}

#[derive(Debug, Serialize)]
struct ReasonReport {
    outcome: String,
    reason: String,
    count: u64,
}

#[derive(Debug, Serialize)]
pub(crate) struct PlanReport {
    plan: String,
    name: Option<String>,
    /// `complete`, `incomplete`, `no_list`, `no_formulary_published`, `no_drug_benefit`, `not_synced`.
    drugs: &'static str,
    lists: u32,
    expected: u32,
    gaps: u32,
    quarantined: u32,
}

/// What a folder held.
#[derive(Debug, Serialize)]
pub(crate) struct ReadReport {
    resource_files: u64,
    bytes: u64,
    /// By resource type, repeats included.
    received: BTreeMap<&'static str, u64>,
    bundles: u64,
    /// Members' own resources by type: seen, never read.
    member_data: BTreeMap<String, u64>,
    /// Resources of types that are not read.
    unread: BTreeMap<String, u64>,
    other_files: Vec<String>,
    not_json: u64,
    not_resources: u64,
    /// The first lines of those two kinds.
    bad_lines: Vec<BadLine>,
    /// What was set aside inside resources that were read.
    notes: Vec<NoteReport>,
}

#[derive(Debug, Serialize)]
struct BadLine {
    file: String,
    line: u64,
    reason: String,
}

#[derive(Debug, Serialize)]
struct NoteReport {
    #[serde(rename = "type")]
    kind: &'static str,
    note: &'static str,
    count: u64,
}

/// `crawl.json` of a dataset built from a folder.
#[derive(Debug, Serialize)]
pub(crate) struct Crawl<'a> {
    pub(crate) tool: &'static str,
    pub(crate) read: &'a ReadReport,
    pub(crate) threads: Option<u16>,
    pub(crate) seconds_reading: f64,
}

/// What `coverdex build` made.
#[derive(Debug, Serialize)]
pub(crate) struct BuiltDocument {
    pub(crate) store: String,
    pub(crate) folder: String,
    pub(crate) dataset: String,
    pub(crate) as_of: String,
    pub(crate) source: String,
    pub(crate) counts: BTreeMap<String, u64>,
    pub(crate) bytes: u64,
    pub(crate) read: ReadReport,
    /// Other versions of resources that came too and were not the newest.
    pub(crate) repeats: u64,
    pub(crate) report: Report,
    /// Tiers that settings name and nothing has.
    pub(crate) unused_tiers: Vec<String>,
    pub(crate) seconds_reading: f64,
    pub(crate) seconds: f64,
    pub(crate) resources_per_second: f64,
}

impl Report {
    pub(crate) fn new(info: &Info, plans: &[Plan]) -> Self {
        let reasons = |resource: &str| {
            let mine = info.reasons.iter().filter(|own| own.resource == resource);
            mine.map(|own| ReasonReport { outcome: own.outcome.clone(), reason: own.reason.clone(), count: own.count })
                .collect()
        };
        let resources = info.resources.iter().map(|counts| ResourceReport {
            kind: counts.resource.clone(),
            received: counts.received,
            used: counts.used,
            folded: counts.folded,
            quarantined: counts.quarantined,
            of_no_use: counts.of_no_use,
            reasons: reasons(&counts.resource),
        });
        Self {
            resources: resources.collect(),
            plans: plans.iter().map(PlanReport::from).collect(),
            tiers: tier_reports(info),
        }
    }
}

/// The payer's tiers, by code and words.
pub(crate) fn tier_reports(info: &Info) -> Vec<TierReport> {
    let report = |count: &TierCount| TierReport {
        code: count.tier.code.clone(),
        display: count.tier.display.clone(),
        status: count.tier.status.as_str(),
        level: count.tier.level.map(coverdex_core::TierLevel::as_str),
        mapped: count.mapped,
        entries: count.entries,
        plans: count.plans,
    };
    info.tiers.iter().map(report).collect()
}

impl From<&Plan> for PlanReport {
    fn from(plan: &Plan) -> Self {
        Self {
            plan: plan.id.to_string(),
            name: plan.name.clone(),
            drugs: plan.drugs.as_str(),
            lists: plan.lists,
            expected: plan.expected,
            gaps: plan.gaps,
            quarantined: plan.quarantined,
        }
    }
}

impl From<&FolderCounts> for ReadReport {
    fn from(counts: &FolderCounts) -> Self {
        Self {
            resource_files: counts.resource_files,
            bytes: counts.bytes,
            received: counts.received.iter().map(|(kind, count)| (kind.as_str(), *count)).collect(),
            bundles: counts.bundles,
            member_data: counts.member_data.clone(),
            unread: counts.unread.clone(),
            other_files: counts.other_files.clone(),
            not_json: counts.not_json,
            not_resources: counts.not_resources,
            bad_lines: counts
                .bad_lines
                .iter()
                .map(|bad| BadLine { file: bad.file.clone(), line: bad.line, reason: bad.reason.clone() })
                .collect(),
            notes: counts
                .notes
                .iter()
                .map(|((kind, note), count)| NoteReport { kind: kind.as_str(), note: note.as_str(), count: *count })
                .collect(),
        }
    }
}
