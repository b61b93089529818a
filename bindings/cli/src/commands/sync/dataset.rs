//! The dataset of what a sync has read.

use std::collections::BTreeMap;

use coverdex_core::{Dataset, Info, Result, Store};
use coverdex_sync::build::Built;
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
    pub(in crate::commands) info: Info,
}

impl Rebuilt {
    pub(super) fn new(built: Built, counts: StagingCounts) -> Result<Self> {
        let dataset = Dataset::open(&built.folder)?;
        let info = dataset.info()?;
        Ok(Self { built, dataset, counts, info })
    }

    pub(in crate::commands) fn bytes(&self) -> u64 {
        self.built.manifest.bytes()
    }
}

/// Builds the dataset of a staging folder again, without the network.
pub(in crate::commands) fn rebuild(
    staging: &Staging,
    store: &Store,
    from: &FromStaging<'_>,
) -> Result<(Rebuilt, SyncReport, BTreeMap<String, Received>)> {
    let (built, counts, report) = build_staging(staging, store, from)?;
    Ok((Rebuilt::new(built, counts)?, report, received(staging)?))
}
