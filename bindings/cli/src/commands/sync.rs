//! `coverdex sync`: reads a payer into staging, then builds its dataset.

mod dataset;
mod dry_run;
mod progress;
mod summary;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use coverdex_core::{Error, Result, Store};
use coverdex_sync::fetch::{
    Config, Network, Options, Outcome, Received, Selection, Stop, SyncReport, SystemClock, Transport, received,
};
use coverdex_sync::source::staging::ReadOptions;
use coverdex_sync::source::stu1::half::FormerHalf;
use coverdex_sync::staging::Staging;
use coverdex_sync::update::{self, FromStaging, SyncedDataset, first_sign, sync_and_build};

pub(super) use self::dataset::{Rebuilt, rebuild};
pub(super) use self::progress::Progress;
pub(super) use self::summary::{reading, reasons, type_table};
use crate::args::SyncArgs;
use crate::failure::Exit;
use crate::interrupt;
use crate::json::{Document, SyncDocument, SyncedFields};
use crate::output::Output;
use crate::payer;

/// What is to be read, from where, and what becomes of it.
#[derive(Clone, Debug)]
pub(super) struct Wanted {
    pub(super) config: Config,
    pub(super) selection: Selection,
    pub(super) staging: PathBuf,
    pub(super) store: PathBuf,
    /// The payer's name.
    pub(super) payer: Option<String>,
    pub(super) accept_shrink: bool,
    pub(super) full: bool,
}

/// What was read, and the dataset that was built of it: where not all was seen, only if there was none.
#[derive(Debug)]
pub(super) struct Synced {
    pub(super) outcome: Outcome,
    pub(super) report: SyncReport,
    pub(super) received: BTreeMap<String, Received>,
    pub(super) was_stopped: bool,
    pub(super) rebuilt: Option<Rebuilt>,
    /// The half of it that stands as the dataset before had it.
    pub(super) former: Option<FormerHalf>,
    pub(super) seconds_building: f64,
}

pub(super) fn run(args: &SyncArgs, output: Output) -> Result<Exit> {
    let mut config = payer::config(&args.payer_at)?;
    config.tiers = args.tiers.map()?.or(config.tiers);
    let selection = args.selection().check()?;
    if args.dry_run {
        return dry_run::run(config, &selection, args.staging().as_deref(), output);
    }
    let (Some(store), Some(staging)) = (args.out.clone(), args.staging()) else {
        return Err(Error::invalid("out", "no store was named").with_hint("give --out STORE"));
    };
    let wanted = Wanted {
        config,
        selection,
        staging,
        store,
        payer: args.payer.clone(),
        accept_shrink: args.accept_shrink,
        full: args.full,
    };
    let stop = Stop::default();
    let reading = Arc::new(AtomicBool::new(true));
    on_interrupt(stop.clone(), Arc::clone(&reading), output)?;
    let synced = read_and_build(&wanted, stop, &reading, output)?;
    output.answer(|| document(&wanted, &synced), |look| summary::render(look, &wanted, &synced))?;
    Ok(if synced.outcome.complete { Exit::Answered } else { Exit::Sync })
}

fn document(wanted: &Wanted, synced: &Synced) -> Result<Document> {
    let dataset = synced.rebuilt.as_ref().map(|rebuilt| {
        let manifest = &rebuilt.built.manifest;
        SyncedFields {
            dataset: manifest.dataset.clone(),
            folder: rebuilt.built.folder.display().to_string(),
            as_of: manifest.as_of.clone(),
            counts: manifest.counts.clone(),
            bytes: rebuilt.bytes(),
            tiers: rebuilt.info.tiers.clone(),
            unused_tiers: rebuilt.built.unused_tiers.clone(),
            former: synced.former.clone(),
            seconds: synced.seconds_building,
        }
    });
    let Synced { outcome, report, received, was_stopped, .. } = synced;
    Document::of(&SyncDocument::new((&wanted.store, &wanted.staging), outcome, *was_stopped, report, received, dataset))
}

/// While pages are read, the first Ctrl-C ends the sync between two of them; any other ends at once,
/// which harms neither staging nor store.
pub(super) fn on_interrupt(stop: Stop, reading: Arc<AtomicBool>, output: Output) -> Result<()> {
    interrupt::each(move || {
        if stop.is_stopped() || !reading.load(Ordering::SeqCst) {
            std::process::exit(Exit::Sync as i32);
        }
        stop.stop();
        output.remark("Stopping after what is under way. Ctrl-C again ends at once; nothing that was read is lost.");
    })
}

/// Reads a payer, or goes on with it, and builds its dataset.
pub(super) fn read_and_build(wanted: &Wanted, stop: Stop, reading: &AtomicBool, output: Output) -> Result<Synced> {
    // Refused before anything is asked for.
    Store::open_or_create(&wanted.store)?;
    let network: Arc<dyn Transport> = Arc::new(Network::new(&wanted.config)?);
    first_sign(&wanted.config, network.as_ref(), &wanted.staging)?;
    let shown = Progress::new(output);
    let options = Options {
        selection: wanted.selection.clone(),
        staging: wanted.staging.clone(),
        accept_shrink: wanted.accept_shrink,
        full: wanted.full,
    };
    let building = |resources: u64| {
        reading.store(false, Ordering::SeqCst);
        shown.building(resources);
    };
    let read = ReadOptions { threads: 0, progress: Some(&building) };
    let from = FromStaging { payer: wanted.payer.as_deref(), tiers: Some(&wanted.config.tiers), read, cancel: None };
    let clock = Arc::new(SystemClock::default());
    let begun = Instant::now();
    let (config, watch) = (wanted.config.clone(), shown.watch());
    let synced = sync_and_build(config, &options, &wanted.store, &from, network, clock, watch, stop.clone())?;
    let seconds = (begun.elapsed().as_secs_f64() - synced.outcome.crawl.seconds).max(0.0);
    let update::Synced { outcome, report, dataset } = synced;
    let former = dataset.former().cloned();
    let rebuilt = match dataset {
        SyncedDataset::Built(built, counts) | SyncedDataset::Joined(built, counts, _) => {
            Some(Rebuilt::new(*built, counts)?)
        }
        SyncedDataset::Kept(_) | SyncedDataset::None => None,
    };
    let received = received(&Staging::open(&wanted.staging)?)?;
    Ok(Synced { outcome, report, received, was_stopped: stop.is_stopped(), rebuilt, former, seconds_building: seconds })
}
