//! `coverdex sync --json`: the line at the end, behind the event lines; and `--dry-run --json`.

use coverdex_core::TierCount;
use std::collections::BTreeMap;
use std::path::Path;

use coverdex_sync::fetch::{Crawl, Estimate, Outcome, Received, Selection, SyncReport};
use coverdex_sync::source::stu1::half::FormerHalf;
use serde::Serialize;

/// How a sync ended.
#[derive(Debug, Serialize)]
pub(crate) struct SyncDocument<'a> {
    event: &'static str,
    complete: bool,
    /// By part, why not.
    incomplete: &'a BTreeMap<String, String>,
    stopped: bool,
    store: String,
    staging: String,
    report: &'a SyncReport,
    received: &'a BTreeMap<String, Received>,
    crawl: &'a Crawl,
    dataset: Option<SyncedFields>,
}

/// The dataset that was built of it.
#[derive(Debug, Serialize)]
pub(crate) struct SyncedFields {
    pub(crate) dataset: String,
    pub(crate) folder: String,
    pub(crate) as_of: String,
    pub(crate) counts: BTreeMap<String, u64>,
    pub(crate) bytes: u64,
    pub(crate) tiers: Vec<TierCount>,
    /// Tiers that settings name and nothing has.
    pub(crate) unused_tiers: Vec<String>,
    /// The half that stands as an earlier sync saw it.
    pub(crate) former: Option<FormerHalf>,
    pub(crate) seconds: f64,
}

impl<'a> SyncDocument<'a> {
    pub(crate) fn new(
        (store, staging): (&Path, &Path),
        outcome: &'a Outcome,
        stopped: bool,
        report: &'a SyncReport,
        received: &'a BTreeMap<String, Received>,
        dataset: Option<SyncedFields>,
    ) -> Self {
        Self {
            event: "done",
            complete: outcome.complete,
            incomplete: &outcome.incomplete,
            stopped,
            store: store.display().to_string(),
            staging: staging.display().to_string(),
            report,
            received,
            crawl: &outcome.crawl,
            dataset,
        }
    }
}

/// The dataset built again of what a sync has read.
#[derive(Debug, Serialize)]
pub(crate) struct RebuiltDocument<'a> {
    pub(crate) store: String,
    pub(crate) staging: String,
    pub(crate) folder: String,
    pub(crate) dataset: String,
    pub(crate) as_of: String,
    pub(crate) source: String,
    pub(crate) counts: BTreeMap<String, u64>,
    pub(crate) bytes: u64,
    pub(crate) resources: u64,
    /// Other versions of resources that came too and were not the newest.
    pub(crate) repeats: u64,
    pub(crate) sync: &'a SyncReport,
    pub(crate) received: &'a BTreeMap<String, Received>,
    pub(crate) report: serde_json::Value,
    /// Tiers that settings name and nothing has.
    pub(crate) unused_tiers: Vec<String>,
    pub(crate) seconds: f64,
}

/// What a sync would cost.
#[derive(Debug, Serialize)]
pub(crate) struct EstimateDocument<'a> {
    base: &'a str,
    selection: &'a Selection,
    #[serde(flatten)]
    estimate: &'a Estimate,
}

impl<'a> EstimateDocument<'a> {
    pub(crate) fn new(base: &'a str, selection: &'a Selection, estimate: &'a Estimate) -> Self {
        Self { base, selection, estimate }
    }
}
