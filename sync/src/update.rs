//! A payer's dataset, brought up to date: fetched into staging, understood, built, live.
//!
//! The dataset that is live gets never worse by a sync: what ended incomplete stays in staging, and
//! the same call goes on from there. Only where nothing is live yet is an incomplete dataset built,
//! and it answers `unknown` wherever something may be missing.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use coverdex_core::{Cancel, Dataset, Error, ErrorKind, Result};
use coverdex_core::{NetworkKey, PlanId};
use coverdex_core::{Source, Store};
use serde_json::json;

use crate::build::{BuildOptions, Builder, Built, ByKey, FormularyGap, Missing, not_cancelled};
use crate::fetch::{self, Clock, Config, Outcome, Stop, SyncReport, Transport, Watch};
use crate::source::staging::{ReadOptions, StagingCounts, read_staging};
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
    let runtime = runtime()?;
    let mut outcome = runtime.block_on(fetch::sync(config, options, transport, clock, watch, stop))?;
    drop(runtime);
    let staging = Staging::open(&options.staging)?;
    let report = fetch::report(&staging)?;
    let live = store.live();
    if outcome.complete
        && let Some((part, why)) = doubt(&report, live.as_deref(), options.accept_shrink)
    {
        outcome.complete = false;
        outcome.incomplete.insert(part.to_owned(), why);
    }
    let dataset = match live {
        Some(folder) if !outcome.complete => SyncedDataset::Kept(folder),
        _ if !something_came(&report) => SyncedDataset::None,
        _ => {
            let crawl = serde_json::to_value(&outcome.crawl).unwrap_or_default();
            let (built, counts) = build(&staging, &report, &store, from, crawl)?;
            SyncedDataset::Built(Box::new(built), counts)
        }
    };
    Ok(Synced { outcome, report, dataset })
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
fn doubt(report: &SyncReport, live: Option<&Path>, accept_shrink: bool) -> Option<(&'static str, String)> {
    if !something_came(report) {
        let why = "the server answered every query with nothing: is this the payer's base address?";
        return Some(("sync", why.to_owned()));
    }
    let why = shrunk(live.filter(|_| !accept_shrink)?, report)?;
    Some(("List", format!("{why}; accept-shrink believes it")))
}

fn something_came(report: &SyncReport) -> bool {
    report.types.iter().any(|of| of.distinct > 0)
}

/// A drug list that names so much less than the live dataset's is only believed when told so (parts of
/// a hundred).
const ACCEPT: u64 = 10;

/// Whether the Lists of plans that are live name far less than they did: passes that are complete may
/// bring Lists that are not.
fn shrunk(live: &Path, report: &SyncReport) -> Option<String> {
    let dataset = Dataset::open(live).ok()?;
    let before: HashMap<String, u64> =
        dataset.all_plans().ok()?.iter().map(|plan| (plan.id.to_string(), plan.expected.into())).collect();
    report.plans.iter().find_map(|plan| {
        let former = *before.get(&PlanId::parse(&plan.plan).ok()?.to_string())?;
        let less = plan.expected * 100 < former * (100 - ACCEPT);
        less.then(|| format!("{} is named {} entries where it had {former}", plan.plan, plan.expected))
    })
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
    let report = fetch::report(staging)?;
    if let (false, Some(live)) = (report.complete, store.live()) {
        let staging = staging.folder().display();
        return Err(Error::new(ErrorKind::Sync, staging.to_string(), "its last sync did not see everything")
            .with_hint(format!(
                "run the sync again; {} stays live, and another store takes what there is",
                live.display()
            )));
    }
    let (built, counts) = build(staging, &report, store, from, serde_json::Value::Null)?;
    Ok((built, counts, report))
}

fn build(
    staging: &Staging,
    report: &SyncReport,
    store: &Store,
    from: &FromStaging<'_>,
    crawl: serde_json::Value,
) -> Result<(Built, StagingCounts)> {
    let builder = Builder::new(store)?;
    let cancel = from.cancel.cloned().unwrap_or_default();
    let counts = read_staging(staging, &from.read, |batch| {
        not_cancelled(&cancel)?;
        builder.take(batch)
    })?;
    let name = from.payer.unwrap_or(&report.source).to_owned();
    let options = BuildOptions {
        cancel,
        as_of: report.as_of.clone(),
        sources: vec![Source { kind: "fhir".to_owned(), name: Some(name) }],
        tiers: from.tiers.cloned().unwrap_or_default(),
        missing: missing(report),
        sync_report: Some(document(report)?),
    };
    let crawl = json!({
        "tool": concat!("coverdex ", env!("CARGO_PKG_VERSION")),
        "sync": crawl,
        "received": fetch::received(staging)?,
    });
    Ok((builder.build(&options, &crawl)?, counts))
}

/// The report as a dataset holds it: without the payer's address, which is among the sources.
fn document(report: &SyncReport) -> Result<String> {
    let report = SyncReport { source: String::new(), ..report.clone() };
    serde_json::to_string(&report).map_err(|error| Error::new(ErrorKind::Io, "sync report", error.to_string()))
}

/// What the sync report says was not seen, in the words of a build.
fn missing(report: &SyncReport) -> Missing {
    Missing { formularies: formularies(report), networks: networks(report) }
}

fn formularies(report: &SyncReport) -> ByKey<PlanId, FormularyGap> {
    let gap = |complete: bool| (!complete).then_some(FormularyGap::Incomplete);
    let of = report.plans.iter().filter_map(|plan| Some((PlanId::parse(&plan.plan).ok()?, gap(plan.complete))));
    let (asked_for, all) = (report.selection.formulary, report.selection.all_plans());
    let seen = report.types.iter().all(|of| of.complete || !of.is_of_formulary());
    let others = if asked_for && all { gap(seen) } else { Some(FormularyGap::NotSynced) };
    ByKey { of: of.collect(), others }
}

fn networks(report: &SyncReport) -> ByKey<NetworkKey, String> {
    let troubled = report.types.iter().find(|of| of.is_of_directory() && !of.complete);
    let trouble = troubled.map(|of| {
        let reason = of.reasons.first().map_or("not read", String::as_str);
        format!("the directory is incomplete: {}: {reason}", of.resource_type)
    });
    let filtered = || "the sync read chosen roles of it only".to_owned();
    let of = report.networks.iter().filter_map(|network| {
        let key = NetworkKey::new(&network.system, &network.id).ok()?;
        let own = (!network.complete).then(|| {
            let reason = network.reasons.first().map_or("not read", String::as_str);
            format!("the directory is incomplete: {reason}")
        });
        Some((key, own.or_else(|| trouble.clone()).or_else(|| network.filtered.then(filtered))))
    });
    let left_out = (report.selection.by_network()).then(|| "the sync left it out".to_owned());
    let chosen_only = report.selection.active_only.then(filtered);
    ByKey { of: of.collect(), others: trouble.clone().or(left_out).or(chosen_only) }
}
