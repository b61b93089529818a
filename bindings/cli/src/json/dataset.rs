//! `coverdex info --json` and `coverdex verify --json`: an object, or an array of them where several
//! datasets were named.

use std::collections::BTreeMap;

use coverdex_core::Source;
use coverdex_core::{Dataset, Info, Plan, Sizes, Verified};
use coverdex_sync::fetch::SyncReport;
use serde::Serialize;

use super::{ErrorDocument, Report};
use crate::data::Way;

/// What a dataset holds.
#[derive(Debug, Serialize)]
pub(crate) struct InfoDocument<'a> {
    dataset: String,
    format: u32,
    as_of: String,
    sources: Vec<Source>,
    counts: BTreeMap<String, u64>,
    report: Report,
    /// What the sync saw; null for a dataset of a folder.
    sync: Option<&'a SyncReport>,
    /// `crawl.json`, or null.
    crawl: Option<&'a serde_json::Value>,
    folder: String,
    parts: Vec<String>,
    bytes: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    sizes: Option<SizesDocument>,
}

/// Where the bytes are.
#[derive(Debug, Serialize)]
pub(crate) struct SizesDocument {
    files: Vec<FileFields>,
    /// Empty where SQLite was compiled without `dbstat`.
    tables: Vec<TableFields>,
    packages: u64,
    formularies: u64,
    catalogue_bytes: u64,
    formulary_bytes: u64,
    bytes_per_package: Option<f64>,
    bytes_per_package_and_formulary: Option<f64>,
}

#[derive(Debug, Serialize)]
struct FileFields {
    path: String,
    bytes: u64,
}

#[derive(Debug, Serialize)]
struct TableFields {
    name: String,
    index_of: Option<String>,
    part: &'static str,
    bytes: u64,
    unused: u64,
}

/// A dataset that was checked: whole, or the error.
#[derive(Debug, Serialize)]
#[serde(untagged)]
pub(crate) enum VerifiedDocument<'a> {
    Whole {
        data: String,
        dataset: String,
        files: usize,
        bytes: u64,
    },
    Damaged {
        data: String,
        #[serde(flatten)]
        error: ErrorDocument<'a>,
    },
}

impl<'a> InfoDocument<'a> {
    pub(crate) fn new(dataset: &Dataset, (info, plans, way): (&Info, &[Plan], &'a Way), sizes: Option<&Sizes>) -> Self {
        let manifest = dataset.manifest();
        Self {
            dataset: manifest.dataset.clone(),
            format: manifest.format,
            as_of: manifest.as_of.clone(),
            sources: manifest.sources.clone(),
            counts: manifest.counts.clone(),
            report: Report::new(info, plans),
            sync: way.report.as_ref(),
            crawl: way.all.as_ref(),
            folder: dataset.folder().display().to_string(),
            parts: manifest.parts.iter().map(|part| part.name.clone()).collect(),
            bytes: manifest.files.iter().map(|file| file.length).sum(),
            sizes: sizes.map(SizesDocument::from),
        }
    }
}

impl From<&Sizes> for SizesDocument {
    fn from(sizes: &Sizes) -> Self {
        let files = sizes.files.iter();
        let tables = sizes.tables.iter();
        Self {
            files: files.map(|file| FileFields { path: file.path.clone(), bytes: file.bytes }).collect(),
            tables: tables
                .map(|table| TableFields {
                    name: table.name.clone(),
                    index_of: table.index_of.clone(),
                    part: table.part.as_str(),
                    bytes: table.bytes,
                    unused: table.unused,
                })
                .collect(),
            packages: sizes.packages,
            formularies: sizes.formularies,
            catalogue_bytes: sizes.catalogue_bytes,
            formulary_bytes: sizes.formulary_bytes,
            bytes_per_package: sizes.bytes_per_package(),
            bytes_per_package_and_formulary: sizes.bytes_per_package_and_formulary(),
        }
    }
}

impl<'a> VerifiedDocument<'a> {
    pub(crate) fn whole(data: String, verified: &Verified) -> Self {
        Self::Whole { data, dataset: verified.dataset.clone(), files: verified.files, bytes: verified.bytes }
    }

    pub(crate) fn damaged(data: String, failure: &'a crate::failure::Failure) -> Self {
        Self::Damaged { data, error: ErrorDocument::from(failure) }
    }
}
