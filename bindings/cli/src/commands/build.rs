//! `coverdex build`.

mod progress;
mod staging;
mod summary;

use std::time::Instant;

use coverdex_core::{Cancel, Store};
use coverdex_core::{Dataset, Error, ErrorKind, Result};
use coverdex_sync::build::{BuildOptions, Builder, Built, parse_as_of};
use coverdex_sync::source::folder::{Folder, FolderCounts, ReadOptions};
use coverdex_sync::staging::is_staging;

pub(super) use self::summary::{report_tables, shell_word, tier_lines};
use crate::args::BuildArgs;
use crate::failure::Exit;
use crate::json::{BuiltDocument, Crawl, Document, ReadReport};
use crate::output::Output;
use crate::payer;

/// A dataset that was built from a folder, and what that took.
#[derive(Debug)]
pub(super) struct Made {
    pub(super) built: Built,
    pub(super) dataset: Dataset,
    pub(super) counts: FolderCounts,
    pub(super) seconds_reading: f64,
    pub(super) seconds: f64,
}

pub(super) fn run(args: &BuildArgs, output: Output) -> Result<Exit> {
    if is_staging(&args.from) {
        return staging::run(args, output);
    }
    let made = make(args, output)?;
    let (info, plans) = (made.dataset.info()?, made.dataset.all_plans()?);
    output.answer(
        || {
            let manifest = &made.built.manifest;
            Document::of(&BuiltDocument {
                store: args.out.display().to_string(),
                folder: made.built.folder.display().to_string(),
                dataset: manifest.dataset.clone(),
                as_of: manifest.as_of.clone(),
                source: made.dataset.source().to_owned(),
                counts: manifest.counts.clone(),
                bytes: made.bytes(),
                read: ReadReport::from(&made.counts),
                repeats: made.built.repeats,
                report: crate::json::report(&info)?,
                unused_tiers: made.built.unused_tiers.clone(),
                seconds_reading: made.seconds_reading,
                seconds: made.seconds,
                resources_per_second: made.resources_per_second(),
            })
        },
        |look| summary::render(look, &args.out, &made, &info, &plans),
    )?;
    Ok(Exit::Answered)
}

/// Reads a folder and builds a dataset of it, with progress where a terminal shows it.
pub(super) fn make(args: &BuildArgs, output: Output) -> Result<Made> {
    let as_of = args.as_of.as_deref().map(parse_as_of).transpose()?;
    if !args.from.exists() {
        return Err(Error::new(ErrorKind::Io, args.from.display().to_string(), "no such folder or file")
            .with_hint("--from names a folder of FHIR resources"));
    }
    let tiers = payer::tiers(&args.tiers, args.config.as_deref())?;
    let store = Store::open_or_create(&args.out)?;
    let begun = Instant::now();
    let shown = progress::Progress::new(output);
    let builder = Builder::new(&store)?;
    let reading = |at| shown.reading(at);
    let options = ReadOptions { threads: args.threads.unwrap_or(0).into(), progress: Some(&reading) };
    let source = Folder { path: &args.from, options, payer: args.payer.as_deref(), as_of: as_of.as_deref() };
    let (seen, counts) = builder.read(&source, &Cancel::new())?;
    let seconds_reading = begun.elapsed().as_secs_f64();
    shown.building(counts.resources());
    let crawl = Crawl {
        tool: concat!("coverdex ", env!("CARGO_PKG_VERSION")),
        read: &ReadReport::from(&counts),
        threads: args.threads,
        seconds_reading,
    };
    let crawl = serde_json::to_value(&crawl).map_err(|e| Error::new(ErrorKind::Io, "crawl.json", e.to_string()))?;
    let options = BuildOptions { seen, tiers, ..BuildOptions::default() };
    let built = builder.build(&options, &crawl)?;
    let dataset = Dataset::open(&built.folder)?;
    Ok(Made { built, dataset, counts, seconds_reading, seconds: begun.elapsed().as_secs_f64() })
}

impl Made {
    pub(super) fn bytes(&self) -> u64 {
        self.built.manifest.bytes()
    }

    #[allow(clippy::cast_precision_loss, reason = "a rate for people")]
    pub(super) fn resources_per_second(&self) -> f64 {
        self.counts.resources() as f64 / self.seconds.max(1e-9)
    }
}
