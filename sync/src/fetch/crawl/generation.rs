//! A generation from its beginning to its end: whether the last one goes on, and what happened on the way.

use std::collections::BTreeMap;
use std::sync::atomic::Ordering;
use std::time::Duration;

use coverdex_core::Result;
use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};
use url::Url;

use crate::fetch::crawl::offers::Offers;
use crate::fetch::crawl::session::Session;
use crate::fetch::http::client::{Answer, Client, Tally, Want};
use crate::fhir::json;
use crate::staging::Begin;

/// A sync that was interrupted goes on for so long after it last kept a page; later it begins anew.
const GOES_ON: Duration = Duration::from_hours(7 * 24);
/// Whoever asks for changes only is not told of removals: so often everything is read.
const FULL_EVERY: Duration = Duration::from_hours(30 * 24);

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

/// What is asked of a generation.
pub(crate) struct Asked<'a> {
    /// What is read, in the source's words; equal words are the same request.
    pub(crate) words: String,
    /// Whether a reading of it takes the place of one of other words.
    pub(crate) covers: &'a dyn Fn(&str) -> bool,
    /// Whether everything is read even where the server could say what changed.
    pub(crate) full: bool,
}

/// Goes on with the last generation, if that was of the same selection and did not rest too long, or begins the next.
/// True if it goes on.
pub(crate) fn begin(session: &mut Session, asked: &Asked<'_>) -> Result<bool> {
    let (now, server_time) = (session.client.clock.now(), session.client.server_time());
    let writer = session.writer();
    // A sync of many days must end too: what counts is how long it has rested.
    let rested = |begin: &Begin| match Timestamp::from_second(writer.live().last_second) {
        Ok(last) if last.as_second() > 0 => since(last, now).min(age(begin, now, server_time)),
        _ => age(begin, now, server_time),
    };
    let goes_on = |begin: &Begin| {
        begin.selection == asked.words && rested(begin) < GOES_ON && !(asked.full && begin.changes_only)
    };
    let last = writer.generation().filter(|(_, finish)| finish.is_none_or(|finish| !finish.complete));
    let Some(begin) = last.map(|(begin, _)| begin.clone()).filter(goes_on) else {
        drop(writer);
        begin_anew(session, asked)?;
        return Ok(false);
    };
    drop(writer);
    enter(session, begin.generation, begin.changes_only, asked);
    Ok(true)
}

/// Begins the next generation.
pub(crate) fn begin_anew(session: &mut Session, asked: &Asked<'_>) -> Result<()> {
    let (now, server_time) = (session.client.clock.now(), session.client.server_time());
    let mut writer = session.writer();
    let was_complete = writer
        .generation()
        .is_some_and(|(begin, finish)| begin.selection == asked.words && finish.is_some_and(|f| f.complete));
    let live = writer.live();
    let oldest = live.oldest_generation();
    let last_full = live.begun.iter().find(|begin| begin.generation == oldest);
    let changes_only = !asked.full
        && was_complete
        && last_full.is_some_and(|b| b.selection == asked.words && age(b, now, server_time) < FULL_EVERY);
    let stands_alone = live.begun.iter().any(|b| b.generation >= oldest && !(asked.covers)(&b.selection));
    let begin = Begin {
        generation: 0,
        as_of: now.to_string(),
        server_time: server_time.map(|time| time.to_string()),
        selection: asked.words.clone(),
        changes_only,
        stands_alone,
    };
    let generation = writer.start(begin)?;
    drop(writer);
    enter(session, generation, changes_only, asked);
    Ok(())
}

fn enter(session: &mut Session, generation: u32, changes_only: bool, asked: &Asked<'_>) {
    let tags = session.writer().live().finished.last().map(|finish| finish.tags.clone()).unwrap_or_default();
    session.generation = generation;
    session.may_ask_changes = changes_only;
    session.trusts = !asked.full;
    session.know_tags(tags);
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

/// What happened on the way, which took so long.
pub(crate) fn crawl(session: &Session, time: Duration) -> Crawl {
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
