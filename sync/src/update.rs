//! A payer's dataset, brought up to date: fetched into staging, understood, built, live.
//!
//! The dataset that is live gets never worse by a sync: what ended incomplete stays in staging, and
//! the same call goes on from there. An incomplete dataset is built only where nothing is live yet, or where the
//! live one is no more complete; it answers `unknown` wherever something may be missing.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use coverdex_core::PlanId;
use coverdex_core::Store;
use coverdex_core::{Cancel, Dataset, Error, ErrorKind, Result};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::build::{BuildOptions, Builder, Built, not_cancelled};
use crate::fetch::{self, Clock, Config, Outcome, Selection, Stop, SyncReport, Transport, TypeReport, Watch};
use crate::source::staging::{ReadOptions, StagingCounts};
use crate::source::stu1::seen::Staged;
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
    /// The sync ended incomplete: the former dataset, in this folder, stays live.
    Kept(PathBuf),
    /// The sync ended before anything came, and no dataset was there before.
    None,
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
    let store = Store::open_or_create(store)?;
    keep_apart(&store, &options.staging)?;
    let waiting = Waiting::read(options, &clock.now());
    let mut outcome = if let Some(waiting) = waiting {
        let what = "everything was read already: the dataset is built from it".to_owned();
        watch(&fetch::Event::Chose { what });
        waiting.outcome
    } else {
        Waiting::remove(&options.staging)?;
        runtime()?.block_on(fetch::sync(config, options, transport, Arc::clone(&clock), watch, stop))?
    };
    let staging = Staging::open(&options.staging)?;
    if outcome.complete {
        Waiting::write(&staging, &outcome, &clock.now())?;
    }
    let live = store.live();
    let cancel = from.cancel.cloned().unwrap_or_default();
    // What stays incomplete beside a live dataset is most often not built: its facts are then only counted.
    let is_built = outcome.complete || live.is_none() || live.as_deref().is_some_and(|live| !was_complete(live));
    let builder = is_built.then(|| Builder::new(&store)).transpose()?;
    let source = Staged { staging: &staging, options: from.read, payer: from.payer };
    let (seen, (report, counts)) = match &builder {
        Some(builder) => builder.read(&source, &cancel)?,
        None => source.read(&|_| not_cancelled(&cancel))?,
    };
    note_account(&mut outcome, &report);
    if let Some((part, why)) = doubt(&report, live.as_deref(), options.accept_shrink, staging.live().begun.len() < 2) {
        outcome.complete = false;
        outcome.incomplete.entry(part).or_insert(why);
    }
    let dataset = match live {
        _ if !something_came(&report) => live.map_or(SyncedDataset::None, SyncedDataset::Kept),
        Some(folder) if builder.is_none() || stays(&folder, &outcome, &report) => SyncedDataset::Kept(folder),
        live => match builder {
            Some(builder) => {
                let crawl = serde_json::to_value(&outcome.crawl).unwrap_or_default();
                let built = build(builder, &staging, seen, from, crawl)?;
                SyncedDataset::Built(Box::new(built), counts)
            }
            None => live.map_or(SyncedDataset::None, SyncedDataset::Kept),
        },
    };
    Waiting::remove(staging.folder())?;
    Ok(Synced { outcome, report, dataset })
}

/// A whole reading that no dataset was built of yet: a build that fails need not read everything again.
#[derive(Serialize, Deserialize)]
struct Waiting {
    /// When it was read, in seconds since 1970.
    at: i64,
    selection: Selection,
    outcome: Outcome,
}

impl Waiting {
    /// Its file in the staging folder.
    const FILE: &str = "waiting.json";
    /// After so long the payer is asked again.
    const HOLDS: Duration = Duration::from_hours(24);

    /// What waits to be built for these options; none where the file cannot be read: then everything is read.
    fn read(options: &fetch::Options, now: &Timestamp) -> Option<Self> {
        let text = std::fs::read(options.staging.join(Self::FILE)).ok()?;
        let waiting: Self = serde_json::from_slice(&text).ok()?;
        let age = now.as_second().abs_diff(waiting.at);
        let selection = options.selection.clone().check().ok()?;
        (age < Self::HOLDS.as_secs() && waiting.selection == selection && !options.accept_shrink).then_some(waiting)
    }

    fn write(staging: &Staging, outcome: &Outcome, now: &Timestamp) -> Result<()> {
        let path = staging.folder().join(Self::FILE);
        let live = staging.live().begun.last().and_then(|begin| serde_json::from_str(&begin.selection).ok());
        let waiting = Self { at: now.as_second(), selection: live.unwrap_or_default(), outcome: outcome.clone() };
        let text = serde_json::to_vec(&waiting).unwrap_or_default();
        // Cut off by a crash it cannot be read, and says nothing.
        std::fs::write(&path, text).map_err(|error| Error::io(&path, &error))
    }

    fn remove(staging: &Path) -> Result<()> {
        let path = staging.join(Self::FILE);
        match std::fs::remove_file(&path) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(Error::io(&path, &error)),
            _ => Ok(()),
        }
    }
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

/// Why what came is not believed though every pass was complete: the part, and what is odd about it.
fn doubt(report: &SyncReport, live: Option<&Path>, accept_shrink: bool, is_first: bool) -> Option<(String, String)> {
    if !something_came(report) {
        let why = "the server answered every query with nothing: is this the payer's base address?";
        return Some(("sync".to_owned(), why.to_owned()));
    }
    let (part, why) = shrunk(live.filter(|_| !accept_shrink)?, report, is_first)?;
    Some((part, format!("{why}; accept-shrink believes it")))
}

fn something_came(report: &SyncReport) -> bool {
    report.types.iter().any(|of| of.distinct > 0)
}

/// A type or a drug list that has so much less than the live dataset's is only believed when told so (parts of
/// a hundred).
const ACCEPT: u64 = 10;

/// Whether the lists of plans that are live name far less than they did, or far less of a type came: passes that
/// are complete may bring what is not.
fn shrunk(live: &Path, report: &SyncReport, is_first: bool) -> Option<(String, String)> {
    let less = |now: u64, before: u64| now * 100 < before * (100 - ACCEPT);
    let dataset = Dataset::open(live).ok()?;
    let before: HashMap<String, u64> =
        dataset.all_plans().ok()?.iter().map(|plan| (plan.id.to_string(), plan.expected.into())).collect();
    let of_plan = report.plans.iter().find_map(|plan| {
        let former = *before.get(&PlanId::parse(&plan.plan).ok()?.to_string())?;
        let why = || format!("{} is named {} entries where it had {former}", plan.plan, plan.expected);
        less(plan.expected, former).then(|| ("List".to_owned(), why()))
    });
    // Passes are compared with those before them, where there are any.
    let live = report_of(&dataset).filter(|_| is_first);
    let is_same = |live: &SyncReport| live.selection == report.selection;
    let of_type = || {
        live.filter(is_same)?.types.into_iter().find_map(|before| {
            let now = report.types.iter().find(|now| now.resource_type == before.resource_type);
            let now = now.map_or(0, |now| now.distinct);
            let why = || format!("{now} where the live dataset has {}", before.distinct);
            less(now, before.distinct).then(|| (before.resource_type.clone(), why()))
        })
    };
    of_plan.or_else(of_type)
}

/// The sync report that a dataset holds.
fn report_of(dataset: &Dataset) -> Option<SyncReport> {
    serde_json::from_str(&dataset.sync_report().ok()??).ok()
}

fn was_complete(live: &Path) -> bool {
    let report = Dataset::open(live).ok().and_then(|live| report_of(&live));
    report.is_none_or(|report| report.complete)
}

/// Whether the live dataset is better than what came: a part of it is complete, and the same part of what came is not.
fn stays(live: &Path, outcome: &Outcome, report: &SyncReport) -> bool {
    let before = Dataset::open(live).ok().and_then(|live| report_of(&live));
    let Some(before) = before else { return !outcome.complete };
    if outcome.incomplete.values().any(|why| why.ends_with("accept-shrink believes it")) {
        return true;
    }
    let worse_type = report.types.iter().any(|now| {
        let same = |before: &&TypeReport| before.resource_type == now.resource_type;
        !now.complete && before.types.iter().find(same).is_some_and(|before| before.complete)
    });
    let worse_plan = report.plans.iter().any(|now| {
        let same = |before: &&fetch::PlanReport| before.plan == now.plan;
        !now.complete && before.plans.iter().find(same).is_some_and(|before| before.complete)
    });
    let worse_network = report.networks.iter().any(|now| {
        let same = |before: &&fetch::NetworkReport| (&before.system, &before.id) == (&now.system, &now.id);
        !now.complete && before.networks.iter().find(same).is_some_and(|before| before.complete)
    });
    worse_type || worse_plan || worse_network
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
    if let (false, Some(live)) = (report.complete, store.live()) {
        let staging = staging.folder().display();
        return Err(Error::new(ErrorKind::Sync, staging.to_string(), "its last sync did not see everything")
            .with_hint(format!(
                "run the sync again; {} stays live, and another store takes what there is",
                live.display()
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
        "sync": crawl,
        "received": fetch::received(staging)?,
    });
    builder.build(&options, &crawl)
}
