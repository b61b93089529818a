//! `coverdex build --json`, and what a build remembers of the way.

use std::collections::BTreeMap;

use coverdex_sync::source::folder::FolderCounts;
use serde::Serialize;

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
    /// `report` of `coverdex info --json`.
    pub(crate) report: serde_json::Value,
    /// Tiers that settings name and nothing has.
    pub(crate) unused_tiers: Vec<String>,
    pub(crate) seconds_reading: f64,
    pub(crate) seconds: f64,
    pub(crate) resources_per_second: f64,
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
