//! A payer's dataset, brought up to date: fetched into staging, understood, built, live.
//!
//! The dataset that is live gets never worse by a sync: what ended incomplete stays in staging, and
//! the same call goes on from there. An incomplete dataset is built only where nothing is live yet, or where the
//! live one is no more complete; it answers `unknown` wherever something may be missing.
//!
//! Formularies and the directory are outcomes of their own. Where one was seen whole and the other was not, the
//! dataset has the one as it is now and the other as it was when it was last seen whole, each with its date: if plans,
//! which link the two, say now what they said then.

mod live;
mod payer;
mod waiting;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use coverdex_core::{Cancel, Error, ErrorKind, Result, Store};
use serde_json::json;

use self::live::{Doubts, Live};
pub use self::payer::open_store;
use self::waiting::Waiting;

use crate::build::{BuildOptions, Builder, Built, not_cancelled};
use crate::fetch::{self, Clock, Config, Outcome, Stop, SyncReport, Transport, Watch};
use crate::source::staging::{ReadOptions, StagingCounts};
use crate::source::stu1::half::{FormerHalf, Half};
use crate::source::stu1::seen::{Joined, Staged};
use crate::source::{Seen, Source as _};
use crate::staging::{Staging, is_staging};
use crate::tiers::TierMap;

/// How a dataset is built from staging.
#[derive(Clone, Copy, Default)]
pub struct FromStaging<'a> {
    /// The payer's name, for the manifest; if not given, its base address.
    pub payer: Option<&'a str>,
    /// What the publisher says of the payer's tiers.
    pub tiers: Option<&'a TierMap>,
    /// How staging is read.
    pub read: ReadOptions<'a>,
    /// Ends reading and building.
    pub cancel: Option<&'a Cancel>,
    /// Whether the live dataset may be another payer's, or of another address: what comes is not compared with it.
    pub other_payer: bool,
}

/// A sync and what became of the dataset.
#[derive(Debug)]
pub struct Synced {
    /// How the sync ended.
    pub outcome: Outcome,
    /// What it saw; of all readings so far if this one ended incomplete.
    pub report: SyncReport,
    /// The dataset.
    pub dataset: SyncedDataset,
}

/// What became of the dataset.
#[derive(Debug)]
pub enum SyncedDataset {
    /// It was built and is live.
    Built(Box<Built>, StagingCounts),
    /// It was built of what is now and of a half as the live dataset had it, and is live.
    Joined(Box<Built>, StagingCounts, FormerHalf),
    /// The sync ended incomplete: the former dataset, in this folder, stays live.
    Kept(PathBuf),
    /// The sync ended before anything came, and no dataset was there before.
    None,
}

impl SyncedDataset {
    /// The half that stays as the dataset before had it, where one does.
    #[must_use]
    pub fn former(&self) -> Option<&FormerHalf> {
        match self {
            Self::Joined(.., former) => Some(former),
            Self::Built(..) | Self::Kept(_) | Self::None => None,
        }
    }
}

/// Asks a payer for a first sign: a wrong address is said at once, and not when patience has run out. Whoever
/// goes on with a sync knows the address, and waits until the server is back: then nothing is asked.
///
/// # Errors
/// [`Sync`](ErrorKind::Sync) if no server is there.
pub fn first_sign(config: &Config, transport: &dyn Transport, staging: &Path) -> Result<()> {
    if is_staging(staging) {
        return Ok(());
    }
    runtime()?.block_on(fetch::reach(config, transport))
}

fn runtime() -> Result<tokio::runtime::Runtime> {
    crate::threads::can_start()?;
    let built = tokio::runtime::Builder::new_multi_thread().enable_all().build();
    built.map_err(|error| Error::new(ErrorKind::Io, "threads", error.to_string()))
}

/// Reads a payer into staging, or goes on with it, and builds the dataset into `store`.
///
/// Returns also when the server failed: then [`Outcome::complete`] is false, the dataset that was
/// live still is, and the same call goes on later. Blocks; `stop` ends it early.
///
/// # Errors
/// Settings, folders or a store that cannot be used, and a disk that refuses.
#[allow(clippy::too_many_arguments, reason = "what a sync needs from its host, each of its own kind")]
pub fn sync_and_build(
    config: Config,
    options: &fetch::Options,
    store: &Path,
    from: &FromStaging<'_>,
    transport: Arc<dyn Transport>,
    clock: Arc<dyn Clock>,
    watch: Watch,
    stop: Stop,
) -> Result<Synced> {
    // A store that cannot be written to is better found out before a sync of days.
    let store = open_store(store, &config, from)?;
    keep_apart(&store, &options.staging)?;
    let selection = options.selection.clone().check()?;
    let live = store.live().map(Live::of);
    let may_be_less = options.accept_shrink || from.other_payer;
    if let Some(live) = live.as_ref().filter(|_| !may_be_less) {
        live.refuse_less(&selection)?;
    }
    let address = config.base.clone();
    let base = address.to_string();
    let waiting = Waiting::read(options, &base, &clock.now());
    let mut outcome = if let Some(waiting) = waiting {
        let what = "everything was read already: the dataset is built from it".to_owned();
        watch(&fetch::Event::Chose { what });
        waiting.outcome
    } else {
        Waiting::remove(&options.staging)?;
        runtime()?.block_on(fetch::sync(config, options, transport, Arc::clone(&clock), watch, stop))?
    };
    let staging = Staging::open(&options.staging)?;
    let is_read = outcome.complete;
    let kept = |error: Error| with_kept(error, &options.staging, is_read);
    if outcome.complete {
        Waiting::write(&staging, &base, &outcome, &clock.now()).map_err(&kept)?;
    }
    // Another sync may have come first.
    payer::refuse_other(&store, &address, from)?;
    let live = store.live().map(Live::of);
    let beside = live.as_ref().and_then(|live| live.beside(&selection)).filter(|_| !may_be_less);
    let cancel = from.cancel.cloned().unwrap_or_default();
    // What stays incomplete beside a live dataset is most often not built, and a half is built by joining: the facts of
    // both are only counted here.
    let is_built = beside.is_none() && (outcome.complete || live.as_ref().is_none_or(|live| !live.is_complete()));
    let builder = is_built.then(|| Builder::new(&store)).transpose().map_err(&kept)?;
    let source = Staged { staging: &staging, options: from.read, payer: from.payer };
    let (seen, (report, counts)) = match &builder {
        Some(builder) => builder.read(&source, &cancel),
        None => source.read(&|_| not_cancelled(&cancel)),
    }
    .map_err(&kept)?;
    note_account(&mut outcome, &report);
    if !report.not_there.is_empty() {
        // The payer may have the plan when it is asked again.
        Waiting::remove(staging.folder())?;
    }
    refuse_not_there(&report)?;
    let doubts = match &live {
        _ if !something_came(&report) => nothing_came(),
        Some(live) if !may_be_less => live.shrunk(&report, staging.live().begun.len() < 2),
        _ => Doubts::new(),
    };
    outcome.complete &= doubts.is_empty();
    for (part, why) in &doubts {
        outcome.incomplete.entry(part.clone()).or_insert_with(|| why.clone());
    }
    let crawl = serde_json::to_value(&outcome.crawl).unwrap_or_default();
    let is_better = |live: &Live| Half::ALL.into_iter().any(|half| live.is_better(half, &report, &doubts));
    // Dropped here if it does not build: it holds the store.
    let builder = builder.filter(|_| !live.as_ref().is_some_and(is_better));
    let dataset = match (live, builder) {
        (Some(live), _) if !something_came(&report) => SyncedDataset::Kept(live.folder),
        (None, _) if !something_came(&report) => SyncedDataset::None,
        (Some(live), None) => match join(&store, source, &live, (&report, &doubts), crawl, from).map_err(&kept)? {
            Joining::Joined(built, counts, former) => SyncedDataset::Joined(built, counts, former),
            Joining::Not(why) => {
                if let Some(half) = beside.filter(|_| outcome.complete) {
                    outcome.complete = false;
                    outcome.incomplete.insert("sync".to_owned(), not_beside(half, why));
                }
                SyncedDataset::Kept(live.folder)
            }
        },
        (_, Some(builder)) => {
            let built = build(builder, &staging, seen, from, crawl).map_err(&kept)?;
            SyncedDataset::Built(Box::new(built), counts)
        }
        (None, None) => SyncedDataset::None,
    };
    Waiting::remove(staging.folder())?;
    Ok(Synced { outcome, report, dataset })
}

/// Where the system refuses: what was read is not lost, and what the same call does with it.
fn with_kept(error: Error, staging: &Path, is_read: bool) -> Error {
    if error.kind() != ErrorKind::Io {
        return error;
    }
    let next = if is_read { "builds it without asking the payer" } else { "goes on with it" };
    let kept = format!("what was read is kept in {}: the same call {next}", staging.display());
    let hint = error.hint().map_or_else(|| kept.clone(), |hint| format!("{hint}; {kept}"));
    error.with_hint(hint)
}

/// What the account says of what came is part of how the sync ended.
fn note_account(outcome: &mut Outcome, report: &SyncReport) {
    outcome.complete &= report.complete;
    for of in report.types.iter().filter(|of| !of.complete) {
        let is_told = outcome.incomplete.keys().any(|part| part.starts_with(&of.resource_type));
        // What is incomplete only because another type is, that one says.
        let own = of.reasons.iter().find(|reason| !reason.ends_with("is not complete"));
        if let Some(reason) = own.filter(|_| !is_told) {
            outcome.incomplete.insert(of.resource_type.clone(), reason.clone());
        }
    }
}

/// Each of the two clears its folder of what is not its own, or refuses it: neither may lie in the
/// other.
fn keep_apart(store: &Store, staging: &Path) -> Result<()> {
    let store = real(store.path());
    let staging = real(staging);
    if store.starts_with(&staging) || staging.starts_with(&store) {
        return Err(Error::invalid(
            format!("staging folder {}", staging.display()),
            format!("it and the store {} lie in one another", store.display()),
        )
        .with_hint("name a staging folder beside the store"));
    }
    Ok(())
}

/// A path without links, as far as it is there.
fn real(path: &Path) -> PathBuf {
    let path = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    let there = path.ancestors().find_map(|part| Some((part, part.canonicalize().ok()?)));
    match there {
        Some((part, real)) => path.strip_prefix(part).map_or_else(|_| path.clone(), |rest| real.join(rest)),
        None => path,
    }
}

fn something_came(report: &SyncReport) -> bool {
    report.types.iter().any(|of| of.distinct > 0)
}

/// A plan whose name was mistyped must not become a dataset without it.
fn refuse_not_there(report: &SyncReport) -> Result<()> {
    let Some((plan, near)) = report.not_there.first_key_value() else { return Ok(()) };
    let what = match report.not_there.len() {
        1 => "the payer has no such plan".to_owned(),
        count => format!("the payer has no such plan, nor {} more of those named", count - 1),
    };
    let error = Error::new(ErrorKind::NotFound, format!("plan {plan}"), what).with_candidates(near.iter().cloned());
    Err(error.with_hint("name a plan as the payer does; what was read is kept, and nothing was built"))
}

fn nothing_came() -> Doubts {
    let why = "the server answered every query with nothing: is this the payer's base address?";
    [("sync".to_owned(), why.to_owned())].into()
}

/// What became of two halves of different times.
enum Joining {
    /// They are one dataset.
    Joined(Box<Built>, StagingCounts, FormerHalf),
    /// The live dataset stays: why.
    Not(&'static str),
}

/// What was asked for is there, and cannot stand beside the other half of the live dataset.
fn not_beside(half: Half, why: &str) -> String {
    let other = half.words();
    format!("{other} of the live dataset cannot stand beside what was read, as {why}: sync both together")
}

/// Where one half came whole and is no worse than that of the live dataset: builds it with the other half as the live
/// dataset has it. Else the live dataset stays.
fn join(
    store: &Store,
    now: Staged<'_>,
    live: &Live,
    (report, doubts): (&SyncReport, &Doubts),
    crawl: serde_json::Value,
    from: &FromStaging<'_>,
) -> Result<Joining> {
    let came = |half: &Half| report.is_whole(*half) && !live.is_better(*half, report, doubts);
    let Some(half) = Half::ALL.into_iter().find(came).map(Half::other) else {
        return Ok(Joining::Not("what was read is not whole"));
    };
    let (staging, begun) = (now.staging, &now.staging.live().begun);
    let Some(then_as_of) = live.whole(half, &report.selection) else {
        return Ok(Joining::Not("it was not seen whole"));
    };
    let then = begun.split_last().and_then(|(last, before)| {
        let then = before.iter().rev().find(|begin| begin.as_of == then_as_of);
        Some((last, then?))
    });
    let Some((last, then)) = then else { return Ok(Joining::Not("it is not in this staging folder")) };
    let then = Staging::open_until(staging.folder(), then.generation)?;
    let source = Joined { now, half, then: &then, as_of: &last.as_of, then_as_of };
    if !source.fits()? {
        return Ok(Joining::Not("plans changed since it was read"));
    }
    let builder = Builder::new(store)?;
    let (seen, (report, counts)) = builder.read(&source, &from.cancel.cloned().unwrap_or_default())?;
    match &report.former {
        Some(former) if report.complete => {
            let built = build(builder, staging, seen, from, crawl)?;
            Ok(Joining::Joined(Box::new(built), counts, former.clone()))
        }
        _ => Ok(Joining::Not("it is not whole any more")),
    }
}

/// Builds a dataset from staging alone.
///
/// # Errors
/// As reading staging and building; [`Sync`](ErrorKind::Sync) where the last sync ended incomplete and
/// the store has a dataset that is live.
pub fn build_staging(
    staging: &Staging,
    store: &Store,
    from: &FromStaging<'_>,
) -> Result<(Built, StagingCounts, SyncReport)> {
    keep_apart(store, staging.folder())?;
    let builder = Builder::new(store)?;
    let source = Staged { staging, options: from.read, payer: from.payer };
    let (seen, (report, counts)) = builder.read(&source, &from.cancel.cloned().unwrap_or_default())?;
    refuse_not_there(&report)?;
    let live = store.live().map(Live::of);
    if let Some(live) = &live {
        live.refuse_less(&report.selection)?;
    }
    let is_half = live.as_ref().is_some_and(|live| live.beside(&report.selection).is_some());
    if let Some(live) = live.filter(|_| is_half || !report.complete) {
        let staging = staging.folder().display();
        let what = if is_half { "its last sync read one half alone" } else { "its last sync did not see everything" };
        return Err(Error::new(ErrorKind::Sync, staging.to_string(), what).with_hint(format!(
            "run the sync again; {} stays live, and another store takes what there is",
            live.folder.display()
        )));
    }
    let built = build(builder, staging, seen, from, serde_json::Value::Null)?;
    Ok((built, counts, report))
}

fn build(
    builder: Builder<'_>,
    staging: &Staging,
    seen: Seen,
    from: &FromStaging<'_>,
    crawl: serde_json::Value,
) -> Result<Built> {
    let options = BuildOptions {
        seen,
        tiers: from.tiers.cloned().unwrap_or_default(),
        cancel: from.cancel.cloned().unwrap_or_default(),
    };
    let crawl = json!({
        "tool": concat!("coverdex ", env!("CARGO_PKG_VERSION")),
        "base": staging.source(),
        "sync": crawl,
        "received": fetch::received(staging)?,
    });
    builder.build(&options, &crawl)
}
