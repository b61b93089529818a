//! The dataset of a staging folder.

use std::collections::BTreeMap;
use std::time::Instant;

use coverdex_core::format::Source;
use coverdex_core::{Dataset, Error, Result};
use coverdex_sync::build::{BuildOptions, Builder, Built, Store};
use coverdex_sync::fetch::{Crawl, Received, SyncReport, received, report};
use coverdex_sync::source::folder::{ReadOptions, read_folder};
use coverdex_sync::staging::Staging;

/// A dataset that was built of what a sync has read.
#[derive(Debug)]
pub(in crate::commands) struct Rebuilt {
    pub(in crate::commands) built: Built,
    pub(in crate::commands) dataset: Dataset,
    pub(in crate::commands) report: SyncReport,
    pub(in crate::commands) received: BTreeMap<String, Received>,
    pub(in crate::commands) seconds: f64,
}

/// What is said of the data beside the data.
#[derive(Clone, Copy, Debug, Default)]
pub(in crate::commands) struct Said<'a> {
    /// The payer's name, in place of its address.
    pub(in crate::commands) payer: Option<&'a str>,
    /// When it was read, in place of when it was.
    pub(in crate::commands) as_of: Option<&'a str>,
    /// What happened on the way, where that is known.
    pub(in crate::commands) crawl: Option<&'a Crawl>,
}

/// Builds the dataset of a staging folder and makes it live.
pub(in crate::commands) fn rebuild(staging: &Staging, store: &Store, said: Said<'_>) -> Result<Rebuilt> {
    let begun = Instant::now();
    let (report, received) = (report(staging)?, received(staging)?);
    let folder = tempfile::tempdir().map_err(|e| Error::io(std::env::temp_dir(), &e))?;
    for (number, page) in staging.pages().enumerate() {
        let path = folder.path().join(format!("{number:08}.json"));
        std::fs::write(&path, page?.body).map_err(|e| Error::io(&path, &e))?;
    }
    let builder = Builder::default();
    read_folder(folder.path(), &ReadOptions::default(), |batch| builder.take(batch))?;
    let name = said.payer.unwrap_or_else(|| staging.source()).to_owned();
    let options = BuildOptions {
        as_of: said.as_of.or_else(|| staging.as_of()).map(str::to_owned),
        sources: vec![Source { kind: "fhir".to_owned(), name: Some(name) }],
        ..BuildOptions::default()
    };
    let tool = concat!("coverdex ", env!("CARGO_PKG_VERSION"));
    let crawl = serde_json::json!({ "tool": tool, "sync": said.crawl, "received": received, "report": report });
    let built = builder.build(store, &options, &crawl)?;
    let dataset = Dataset::open(&built.folder)?;
    Ok(Rebuilt { built, dataset, report, received, seconds: begun.elapsed().as_secs_f64() })
}

impl Rebuilt {
    pub(in crate::commands) fn bytes(&self) -> u64 {
        self.built.manifest.files.iter().map(|file| file.length).sum()
    }
}
