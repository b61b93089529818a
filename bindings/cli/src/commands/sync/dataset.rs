//! The dataset of what a sync has read.

use std::collections::BTreeMap;
use std::io::Write as _;
use std::path::Path;

use coverdex_core::format::CRAWL;
use coverdex_core::{Dataset, Error, Result};
use coverdex_sync::build::{Built, Store};
use coverdex_sync::fetch::{Received, SyncReport, received};
use coverdex_sync::source::staging::StagingCounts;
use coverdex_sync::staging::Staging;
use coverdex_sync::update::{FromStaging, build_staging};

/// A dataset that was built of what a sync has read, and is live.
#[derive(Debug)]
pub(in crate::commands) struct Rebuilt {
    pub(in crate::commands) built: Built,
    pub(in crate::commands) dataset: Dataset,
    pub(in crate::commands) counts: StagingCounts,
}

impl Rebuilt {
    pub(super) fn new(built: Built, counts: StagingCounts, report: &SyncReport) -> Result<Self> {
        remember(&built.folder, report)?;
        let dataset = Dataset::open(&built.folder)?;
        Ok(Self { built, dataset, counts })
    }

    pub(in crate::commands) fn bytes(&self) -> u64 {
        self.built.manifest.files.iter().map(|file| file.length).sum()
    }
}

/// Builds the dataset of a staging folder again, without the network.
pub(in crate::commands) fn rebuild(
    staging: &Staging,
    store: &Store,
    from: &FromStaging<'_>,
) -> Result<(Rebuilt, SyncReport, BTreeMap<String, Received>)> {
    let (built, counts, report) = build_staging(staging, store, from)?;
    Ok((Rebuilt::new(built, counts, &report)?, report, received(staging)?))
}

/// Keeps the sync report beside what is remembered of the way, for `info`.
fn remember(folder: &Path, report: &SyncReport) -> Result<()> {
    let path = folder.join(CRAWL);
    let io = |error: std::io::Error| Error::io(&path, &error);
    let text = std::fs::read(&path).map_err(io)?;
    let mut all: serde_json::Value = serde_json::from_slice(&text).unwrap_or_default();
    if let Some(all) = all.as_object_mut() {
        all.insert("report".to_owned(), serde_json::to_value(report).unwrap_or_default());
    }
    let mut file = tempfile::NamedTempFile::new_in(folder).map_err(io)?;
    file.write_all(&serde_json::to_vec_pretty(&all).unwrap_or(text)).map_err(io)?;
    let readable = std::fs::metadata(&path).map_err(io)?.permissions();
    file.as_file().set_permissions(readable).map_err(io)?;
    file.persist(&path).map_err(|error| io(error.error))?;
    Ok(())
}
