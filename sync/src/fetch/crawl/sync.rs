//! A sync from beginning to end: which queries, in which order, and when it is complete.
//!
//! [`sync`] fills staging. Who wants a dataset of it calls
//! [`sync_and_build`](crate::update::sync_and_build), which blocks, or
//! [`build_staging`](crate::update::build_staging) where the network is not to be asked:
//!
//! ```text
//! sync_and_build(config: Config, options: &fetch::Options, store: &Path, from: &FromStaging<'_>,
//!                transport: Arc<dyn Transport>, clock: Arc<dyn Clock>, watch: Watch, stop: Stop)
//!     -> Result<Synced>      // Synced { outcome, report, dataset: Built(..) | Kept(folder) | None }
//! build_staging(staging: &Staging, store: &Store, from: &FromStaging<'_>)
//!     -> Result<(Built, StagingCounts, SyncReport)>
//! ```

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use coverdex_core::Result;
use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};
use url::Url;

use crate::fetch::config::Config;
use crate::fetch::crawl::offers::Offers;
use crate::fetch::crawl::paging::Query;
use crate::fetch::crawl::session::Session;
use crate::fetch::event::Watch;
use crate::fetch::http::client::{Answer, Client, Stop, Tally, Want};
use crate::fetch::http::clock::Clock;
use crate::fetch::http::transport::Transport;
use crate::fhir::json;
use crate::source::stu1::directory;
use crate::source::stu1::formulary;
use crate::source::stu1::half::Half;
use crate::source::stu1::plan::Selection;
use crate::staging::{Begin, Finish, StagingWriter};

/// A sync that was interrupted goes on for so long after it last kept a page; later it begins anew.
const GOES_ON: Duration = Duration::from_hours(7 * 24);
/// Whoever asks for changes only is not told of removals: so often everything is read.
const FULL_EVERY: Duration = Duration::from_hours(30 * 24);

/// What to sync, and how.
#[derive(Clone, Debug)]
pub struct Options {
    /// What is read.
    pub selection: Selection,
    /// Where it is kept.
    pub staging: PathBuf,
    /// Whether results that shrank a lot are believed.
    pub accept_shrink: bool,
    /// Whether everything is read even where the server could say what changed.
    pub full: bool,
}

/// How a sync ended. What it read is in staging, and [`report`](crate::fetch::report()) tells it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Outcome {
    /// Whether everything that was asked for was seen.
    pub complete: bool,
    /// What was not, and why.
    pub incomplete: BTreeMap<String, String>,
    /// What happened on the way.
    pub crawl: Crawl,
}

/// What happened on the way: never part of a dataset.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Crawl {
    /// The base address asked.
    pub base: String,
    /// Which reading of the payer this was, from 1.
    pub generation: u32,
    /// Whether of some types only changes were read.
    pub changes_only: bool,
    /// Requests sent.
    pub requests: u64,
    /// Of these, repeated ones.
    pub retries: u64,
    /// Bytes received, unpacked.
    pub bytes: u64,
    /// Seconds waited between repeated requests.
    pub waited_seconds: f64,
    /// Seconds from beginning to end.
    pub seconds: f64,
    /// Firewall pages met.
    pub firewall_pages: u64,
    /// Long pauses made for them.
    pub pauses: u64,
    /// Queries that began anew, with the reasons.
    pub restarts: BTreeMap<String, Vec<String>>,
}

/// Reads a payer into staging, or goes on with it. Returns also when the server failed: then
/// [`Outcome::complete`] is false and the same call goes on later.
///
/// # Errors
/// Settings and folders that cannot be used, and a disk that refuses.
pub async fn sync(
    config: Config,
    options: &Options,
    transport: Arc<dyn Transport>,
    clock: Arc<dyn Clock>,
    watch: Watch,
    stop: Stop,
) -> Result<Outcome> {
    // A state machine of some 20 kB: no caller should carry it inside its own.
    Box::pin(run(config, options, transport, clock, watch, stop)).await
}

async fn run(
    config: Config,
    options: &Options,
    transport: Arc<dyn Transport>,
    clock: Arc<dyn Clock>,
    watch: Watch,
    stop: Stop,
) -> Result<Outcome> {
    let selection = options.selection.clone().check()?;
    let began = clock.elapsed();
    let client = Client::new(config, transport, clock, stop).watched(Arc::clone(&watch)).logged_in().await?;
    let (base, offers) = greet(&client).await;
    let writer = StagingWriter::open(&options.staging, base.as_str())?;
    let mut session = Session::new(client, base, writer, watch);
    session.offers = offers;
    session.accept_shrink = options.accept_shrink;
    begin(&mut session, &selection, options.full)?;
    let session = Arc::new(session);

    let plans = formulary::plans(&session, &selection).await?;
    if !session.is_over() {
        let (formulary, directory) = tokio::join!(
            async { if selection.formulary { formulary::read(&session, &selection, &plans).await } else { Ok(()) } },
            async {
                // As large as all its parts side by side.
                if selection.directory { Box::pin(directory::read(&session, &selection, &plans)).await } else { Ok(()) }
            },
        );
        formulary?;
        directory?;
    }
    if session.client.stop.is_stopped() {
        session.trouble("sync", "it was stopped");
    }
    finish(&session, &selection)?;
    if let Some(refused) = session.client.login_refused() {
        return Err(refused);
    }
    let incomplete = session.troubles();
    let crawl = crawl(&session, session.client.clock.elapsed().saturating_sub(began));
    Ok(Outcome { complete: incomplete.is_empty(), incomplete, crawl })
}

/// Finds the base address and what the server says it can do.
pub(crate) async fn greet(client: &Client) -> (Url, Offers) {
    let given = client.config.base.clone();
    // A bare host stands for HOST/api, as the API document writes it, unless the server answers at the root.
    let candidates = if given.path().len() <= 1 {
        let mut api = given.clone();
        api.set_path("/api");
        vec![api, given]
    } else {
        vec![given]
    };
    for base in &candidates {
        let mut url = base.clone();
        url.set_path(&format!("{}/metadata", base.path().trim_end_matches('/')));
        let want = Want { hint: true, ..Want::new(&url, "CapabilityStatement") };
        if let Answer::Good { body, .. } = client.ask(&want).await {
            return (base.clone(), Offers::read(&json::text(&body)));
        }
    }
    let first = candidates.into_iter().next();
    (first.unwrap_or_else(|| client.config.base.clone()), Offers::default())
}

/// Goes on with the last generation, or begins the next.
fn begin(session: &mut Session, selection: &Selection, full: bool) -> Result<()> {
    let (now, server_time) = (session.client.clock.now(), session.client.server_time());
    let words = selection.words();
    let mut writer = session.writer();
    // A sync of many days must end too: what counts is how long it has rested.
    let rested = |begin: &Begin| match Timestamp::from_second(writer.live().last_second) {
        Ok(last) if last.as_second() > 0 => since(last, now).min(age(begin, now, server_time)),
        _ => age(begin, now, server_time),
    };
    let last = writer.generation().map(|(begin, finish)| (begin.clone(), finish.is_some_and(|f| f.complete)));
    let tags = writer.live().finished.last().map(|finish| finish.tags.clone()).unwrap_or_default();
    let (generation, changes_only) = match last {
        Some((begin, false))
            if begin.selection == words && rested(&begin) < GOES_ON && !(full && begin.changes_only) =>
        {
            (begin.generation, begin.changes_only)
        }
        last => {
            let oldest = writer.live().oldest_generation();
            let last_full = writer.live().begun.iter().find(|b| b.generation == oldest);
            let was_complete = last.is_some_and(|(begin, complete)| complete && begin.selection == words);
            let changes_only = !full
                && was_complete
                && last_full.is_some_and(|b| b.selection == words && age(b, now, server_time) < FULL_EVERY);
            let begin = Begin {
                generation: 0,
                as_of: now.to_string(),
                server_time: server_time.map(|time| time.to_string()),
                selection: words,
                changes_only,
            };
            (writer.start(begin)?, changes_only)
        }
    };
    drop(writer);
    session.generation = generation;
    session.may_ask_changes = changes_only;
    session.trusts = !full;
    session.know_tags(tags);
    Ok(())
}

/// How long ago a generation began: by the server's clock where it told it both times, as this machine's may have
/// been set.
fn age(begin: &Begin, now: Timestamp, server_time: Option<Timestamp>) -> Duration {
    let by_server = begin.server_time.as_deref().and_then(|time| Some((time.parse().ok()?, server_time?)));
    match by_server.or_else(|| Some((begin.as_of.parse().ok()?, now))) {
        Some((began, now)) => since(began, now),
        None => Duration::MAX,
    }
}

/// How long ago a time was; what lies ahead was written by a clock that was wrong, and may be as old as can be.
fn since(time: Timestamp, now: Timestamp) -> Duration {
    const CLOCKS_DIFFER: SignedDuration = SignedDuration::from_mins(10);
    match now.duration_since(time) {
        ahead if ahead < -CLOCKS_DIFFER => Duration::MAX,
        ago => Duration::try_from(ago).unwrap_or_default(),
    }
}

fn finish(session: &Session, selection: &Selection) -> Result<()> {
    session.note_unread(&["InsurancePlan"]);
    if selection.formulary {
        session.note_unread(&formulary::PARTS);
    }
    if selection.directory {
        let is_asked_for =
            |part: &&str| !directory::OPTIONAL.contains(part) || directory::may_offer(&session.offers, part);
        let parts: Vec<_> = directory::PARTS.into_iter().filter(is_asked_for).collect();
        session.note_unread(&parts);
    }
    let incomplete = session.troubles();
    let complete = incomplete.is_empty();
    let mut writer = session.writer();
    let covers = writer.live().begun.iter().all(|begin| selection.covers(&begin.selection));
    let oldest = writer.live().oldest_generation();
    let oldest_live = if complete && covers && !session.read_changes() { session.generation } else { oldest };
    let (generation, tags) = (session.generation, session.tags());
    // A half that was seen whole takes the place of what earlier generations saw of it.
    let replaces = covers && !session.read_changes();
    let whole =
        Half::ALL.into_iter().filter(|half| replaces && half.is_selected(selection) && half.is_whole(&incomplete));
    let types = whole.flat_map(Half::types).map(|resource_type| ((*resource_type).to_owned(), generation));
    let oldest_of = if complete { BTreeMap::new() } else { types.collect() };
    writer.finish(Finish { generation, complete, incomplete, tags, oldest_live, oldest_of })
}

fn crawl(session: &Session, time: Duration) -> Crawl {
    let tally = &session.client.tally;
    let read = |counter: &std::sync::atomic::AtomicU64| counter.load(Ordering::Relaxed);
    let Tally { requests, retries, bytes, waited_ms, firewall_pages, pauses } = tally;
    Crawl {
        base: session.base.to_string(),
        generation: session.generation,
        changes_only: session.read_changes(),
        requests: read(requests),
        retries: read(retries),
        bytes: read(bytes),
        waited_seconds: Duration::from_millis(read(waited_ms)).as_secs_f64(),
        seconds: time.as_secs_f64(),
        firewall_pages: read(firewall_pages),
        pauses: read(pauses),
        restarts: session.restarts(),
    }
}

/// A query for all resources of a type.
pub(crate) fn all_of(resource_type: &str) -> Query {
    Query {
        resource_type: resource_type.to_owned(),
        params: Vec::new(),
        optional: Vec::new(),
        expects_data: true,
        believe_empty: false,
        is_root: false,
        probe: false,
    }
}
