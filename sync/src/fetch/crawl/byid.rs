//! Reading resources by their ids: what searches did not show but something refers to.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use coverdex_core::{Error, ErrorKind, Result};
use tokio::task::JoinSet;
use url::Url;

use crate::fetch::crawl::paging::Query;
use crate::fetch::crawl::session::Session;
use crate::fetch::crawl::survey;
use crate::fetch::event::Event;
use crate::fetch::http::client::{Answer, Want};
use crate::fetch::http::retry::Trouble;
use crate::fhir::json;
use crate::fhir::page::{self, Body, CHECKED, Entry, key};
use crate::spool::{Item, Spool, join, missing};
use crate::staging::{Group, PageHeader, Pass, PassEnd, Place, Purpose};

/// Longest address: longer ones are refused by some proxies.
const LONGEST_URL: usize = 1900;
/// Progress is told each so many ids.
const TELL: u64 = 100;

/// An id to read, and what is known of it from an earlier sync.
struct Wanted {
    id: String,
    former: Option<FormerRead>,
}

/// What an earlier sync read under an id.
#[derive(serde::Serialize, serde::Deserialize)]
struct FormerRead {
    etag: Option<String>,
    fingerprint: u64,
    place: Place,
    /// Without a body: it was a gap then.
    gap: bool,
}

/// Shared by the workers of one pass.
struct Shared {
    session: Arc<Session>,
    resource_type: String,
    pass: Pass,
    wanted: Mutex<Box<dyn Iterator<Item = Result<Wanted>> + Send>>,
    /// Ids in one `_id` search; 1 reads each by itself.
    batch: AtomicU64,
    /// Whether validators may be sent: the server says that it takes them, and proved what they are worth.
    conditional: bool,
    read: AtomicU64,
    /// Ids that did not come though they may be there: words and how many.
    failed: Mutex<BTreeMap<String, u64>>,
    /// Set when going on is pointless.
    given_up: AtomicBool,
}

impl Session {
    /// The pass that ids of a type are read in.
    pub(crate) fn by_id_pass(&self, resource_type: &str) -> Pass {
        let query = format!("{resource_type}/*");
        Pass { query, generation: self.generation, attempt: 0 }
    }

    /// Which of `wanted` (payload: the id) are neither there nor answered for in this sync.
    pub(crate) fn not_read(&self, resource_type: &str, wanted: Spool) -> Result<Spool> {
        let staged = self.staged()?;
        let mut have = survey::have(&staged, resource_type, |page| self.is_current(page))?;
        let by_id = self.by_id_pass(resource_type);
        // That there is nothing holds for a run: one that goes on later asks again.
        let holds = |page: &PageHeader| {
            is_answer(page.status) && (!matches!(page.status, 404 | 410) || page.second >= self.began)
        };
        for page in staged.live_headers_of(|group| group.pass == by_id, holds) {
            let (page, ..) = page?;
            if let Some(id) = id_of(&page.url) {
                have.push(key(resource_type, &id), &[])?;
            }
        }
        let mut spool = Spool::new(staged.folder());
        for item in missing(wanted.sorted()?.unique(), have.sorted()?.unique()) {
            let (hash, id) = item?;
            spool.push(hash, &id)?;
        }
        Ok(spool)
    }

    /// Reads ids (payload: the id), each once, and ends the pass. Returns why it is not complete.
    ///
    /// While something is incomplete that may refer to more of them, the pass is not called complete:
    /// it would take the place of what an earlier sync read by id.
    pub(crate) async fn read_ids(self: &Arc<Self>, resource_type: &str, wanted: Spool) -> Result<Option<String>> {
        let pass = self.by_id_pass(resource_type);
        let (wanted, count) = self.with_former(resource_type, wanted)?;
        let settled = self.troubles().is_empty();
        if count == 0 {
            if settled
                && self.writer().state(&pass.query).is_some_and(|s| s.end.as_ref().is_none_or(|end| !end.complete))
            {
                self.end(PassEnd { pass, complete: true, reason: None, resumable: false, entries: 0 })?;
            }
            return Ok(None);
        }
        self.tell(&Event::ToRead { resource_type: resource_type.to_owned(), count });
        let shared = Arc::new(Shared {
            session: Arc::clone(self),
            resource_type: resource_type.to_owned(),
            pass: pass.clone(),
            wanted: Mutex::new(wanted),
            batch: AtomicU64::new(if self.offers.parameter(resource_type, "_id") { u64::MAX } else { 1 }),
            conditional: self.offers.conditional(resource_type) && self.may_send_tags(&pass.query),
            read: AtomicU64::new(0),
            failed: Mutex::default(),
            given_up: AtomicBool::new(false),
        });
        let mut workers = JoinSet::new();
        // Whether several ids at a time work is found out once.
        let first = shared.take()?;
        shared.read(first).await?;
        for _ in 0..self.client.config.concurrency {
            workers.spawn(Arc::clone(&shared).work());
        }
        while let Some(done) = workers.join_next().await {
            done.map_err(|e| Error::new(ErrorKind::Sync, resource_type, e.to_string()))??;
        }
        self.tell(&Event::Read { resource_type: resource_type.to_owned(), count: shared.read.load(Ordering::Relaxed) });
        if self.client.stop.is_stopped() {
            return Ok(Some("the sync was stopped".to_owned()));
        }
        let reason = shared.reason();
        let complete = reason.is_none() && settled;
        let told = reason.clone().or_else(|| (!settled).then(|| "what refers to them is not complete".to_owned()));
        let entries = shared.read.load(Ordering::Relaxed);
        self.end(PassEnd { pass, complete, reason: told, resumable: !complete, entries })?;
        Ok(reason)
    }

    /// Pairs ids with what an earlier sync read under them.
    #[allow(clippy::type_complexity, reason = "one iterator behind one box")]
    fn with_former(
        &self,
        resource_type: &str,
        wanted: Spool,
    ) -> Result<(Box<dyn Iterator<Item = Result<Wanted>> + Send>, u64)> {
        let staged = self.staged()?;
        let mut former = Spool::new(staged.folder());
        let generation = self.generation;
        let is_former = move |of: &Group| {
            of.resource_type == resource_type && of.purpose == Purpose::ById && of.pass.generation < generation
        };
        for page in staged.live_headers_of(is_former, |_| true) {
            let (page, place, _) = page?;
            if let Some(id) = id_of(&page.url) {
                let place = page.same_as.unwrap_or(place);
                let (gap, fingerprint, etag) = (page.entries == 0, page.fingerprint, page.etag);
                let payload = serde_json::to_vec(&FormerRead { etag, fingerprint, place, gap }).unwrap_or_default();
                former.push(key(resource_type, &id), &payload)?;
            }
        }
        let mut list = Spool::new(staged.folder());
        let mut count = 0;
        for item in wanted.sorted()?.unique() {
            let (hash, id) = item?;
            list.push(hash, &id)?;
            count += 1;
        }
        let pairs = join(list.sorted()?, former.sorted()?.unique());
        let wanted = pairs.map(|pair| {
            let ((_, id), former): (Item, _) = pair?;
            let former = former.and_then(|payload| serde_json::from_slice(&payload).ok());
            Ok(Wanted { id: String::from_utf8_lossy(&id).into_owned(), former })
        });
        Ok((Box::new(wanted), count))
    }
}

impl Shared {
    async fn work(self: Arc<Self>) -> Result<()> {
        loop {
            let batch = self.take()?;
            if batch.is_empty() || self.given_up.load(Ordering::Relaxed) || self.session.client.stop.is_stopped() {
                return Ok(());
            }
            self.read(batch).await?;
        }
    }

    /// As many ids as go into one request.
    fn take(&self) -> Result<Vec<Wanted>> {
        let mut from = self.wanted.lock().unwrap_or_else(PoisonError::into_inner);
        let most = self.batch.load(Ordering::Relaxed);
        let room = LONGEST_URL.saturating_sub(self.session.base.as_str().len() + self.resource_type.len() + 40);
        let (mut batch, mut length) = (Vec::new(), 0);
        while (batch.len() as u64) < most {
            let Some(wanted) = from.next().transpose()? else { break };
            length += wanted.id.len() + 3;
            // What an earlier sync has a validator for is asked for by itself: "unchanged" is cheaper.
            let alone = self.conditional && wanted.former.as_ref().is_some_and(|f| f.etag.is_some());
            batch.push(wanted);
            if alone || length + 70 > room {
                break;
            }
        }
        Ok(batch)
    }

    async fn read(&self, batch: Vec<Wanted>) -> Result<()> {
        let alone = if batch.len() > 1 { self.read_together(batch).await? } else { batch };
        for wanted in alone {
            if self.given_up.load(Ordering::Relaxed) {
                return Ok(());
            }
            self.read_one(wanted).await?;
        }
        Ok(())
    }

    /// Asks for several ids in one search. Returns those that it did not bring: a search may hide
    /// what a read shows, so only a read proves that there is nothing.
    async fn read_together(&self, batch: Vec<Wanted>) -> Result<Vec<Wanted>> {
        let query = Query {
            resource_type: self.resource_type.clone(),
            params: vec![("_id".to_owned(), batch.iter().map(|w| w.id.as_str()).collect::<Vec<_>>().join(","))],
            optional: Vec::new(),
            expects_data: false,
            believe_empty: false,
            is_root: false,
            probe: true,
        };
        let count = u32::try_from(batch.len()).unwrap_or(u32::MAX);
        let url = query.url(&self.session.base, Some(count), true);
        let Answer::Good { status, etag, body } = self.session.client.ask(&Want::new(&url, &self.resource_type)).await
        else {
            self.batch.store(1, Ordering::Relaxed);
            self.session.chose(format!("{}: the server does not take several ids at once", self.resource_type));
            return Ok(batch);
        };
        let text = json::text(&body);
        let Body::Page(bundle) = page::look(&text, &self.resource_type, CHECKED) else {
            self.batch.store(1, Ordering::Relaxed);
            return Ok(batch);
        };
        let is_asked_for = |entry: &Entry<'_>| {
            entry.resource_type != self.resource_type || batch.iter().any(|wanted| wanted.id == entry.id)
        };
        if bundle.flaw.is_some() {
            self.batch.store(1, Ordering::Relaxed);
            return Ok(batch);
        }
        if !bundle.entries.iter().all(is_asked_for) {
            // It ignored `_id`: the rows are real, but not an answer.
            self.batch.store(1, Ordering::Relaxed);
            self.session.chose(format!("{}: the server ignores _id", self.resource_type));
            return Ok(batch);
        }
        if bundle.next.is_some() {
            self.batch.store(bundle.entries.len().max(1) as u64, Ordering::Relaxed);
        }
        let came = |wanted: &Wanted| bundle.entries.iter().any(|entry| entry.id == wanted.id);
        let missing: Vec<_> = batch.into_iter().filter(|wanted| !came(wanted)).collect();
        if !bundle.entries.is_empty() {
            let entries = u32::try_from(bundle.entries.len()).unwrap_or(u32::MAX);
            let page = Read { status, etag, entries, fingerprint: bundle.fingerprint(), same_as: None };
            self.keep(&url, Purpose::ByIds, page, &body)?;
            self.count(u64::from(entries));
        }
        Ok(missing)
    }

    async fn read_one(&self, wanted: Wanted) -> Result<()> {
        let Some(url) = self.url(&wanted.id) else {
            self.fail("an id cannot stand in an address".to_owned());
            return Ok(());
        };
        let former = wanted.former.as_ref();
        let etag = former.filter(|_| self.conditional).and_then(|f| f.etag.as_deref());
        let want = Want { etag, ..Want::new(&url, &self.resource_type) };
        let mut answer = self.session.client.ask(&want).await;
        if matches!(answer, Answer::Gone(_)) && former.is_some_and(|f| !f.gap) {
            // It was there before: asked again before that is believed.
            answer = self.session.client.ask(&Want::new(&url, &self.resource_type)).await;
        }
        self.count(1);
        match (answer, former) {
            (Answer::Good { status, etag, body }, _) => {
                let text = json::text(&body);
                let fingerprint = match page::look(&text, &self.resource_type, CHECKED) {
                    Body::Resource(entry) if entry.id == wanted.id => page::hash64(entry.json),
                    // Another resource, or a Bundle: nothing is known of the one asked for.
                    _ => {
                        self.fail("something else came than what was asked for".to_owned());
                        return Ok(());
                    }
                };
                drop(text);
                if let Some(before) = former.filter(|before| !before.gap && before.etag.is_some()) {
                    let same_tag = before.etag == etag;
                    self.session.note_tags(&self.pass.query, before.fingerprint == fingerprint, same_tag);
                }
                let same_as = former.filter(|f| !f.gap && f.fingerprint == fingerprint).map(|f| f.place);
                self.keep(&url, Purpose::ById, Read { status, etag, entries: 1, fingerprint, same_as }, &body)
            }
            (Answer::NotModified, Some(former)) if want.etag.is_some() => {
                let (etag, fingerprint, same_as) = (former.etag.clone(), former.fingerprint, Some(former.place));
                self.keep(&url, Purpose::ById, Read { status: 304, etag, entries: 1, fingerprint, same_as }, &[])
            }
            (Answer::Gone(status) | Answer::Refused(status), _) => {
                let gap = Read { status, etag: None, entries: 0, fingerprint: 0, same_as: None };
                if !is_answer(status) {
                    self.fail(Trouble::Status(status).to_string());
                }
                self.keep(&url, Purpose::ById, gap, &[])
            }
            (Answer::NotModified, _) => {
                self.fail(Trouble::Status(304).to_string());
                Ok(())
            }
            (Answer::Failed(trouble), _) => {
                let pointless = matches!(trouble, Trouble::Unreachable(_) | Trouble::Firewall(_) | Trouble::Throttled);
                self.given_up.fetch_or(pointless, Ordering::Relaxed);
                self.session.note_loss(&trouble, &self.resource_type);
                self.fail(trouble.to_string());
                let Trouble::Status(status) = trouble else { return Ok(()) };
                let gap = Read { status, etag: None, entries: 0, fingerprint: 0, same_as: None };
                self.keep(&url, Purpose::ById, gap, &[])
            }
            (Answer::Stopped, _) => Ok(()),
        }
    }

    fn url(&self, id: &str) -> Option<Url> {
        let mut url = self.session.base.clone();
        url.path_segments_mut().ok()?.pop_if_empty().push(&self.resource_type).push(id);
        // `.` and `..` vanish from a path.
        (!matches!(id, "." | "..")).then_some(url)
    }

    fn keep(&self, url: &Url, purpose: Purpose, read: Read, body: &[u8]) -> Result<()> {
        let Read { status, etag, entries, fingerprint, same_as } = read;
        let header = PageHeader {
            pass: self.pass.clone(),
            number: 0,
            url: self.session.relative(url),
            resource_type: self.resource_type.clone(),
            purpose,
            status,
            second: self.session.client.clock.now().as_second(),
            next: None,
            etag,
            entries,
            repeated: 0,
            unreadable: 0,
            flaw: None,
            total: None,
            fingerprint,
            same_as,
        };
        self.session.writer().page(header, body).map(drop)
    }

    fn count(&self, by: u64) {
        let before = self.read.fetch_add(by, Ordering::Relaxed);
        let count = before + by;
        if before / TELL != count / TELL {
            self.session.tell(&Event::Read { resource_type: self.resource_type.clone(), count });
        }
    }

    fn fail(&self, words: String) {
        *self.failed.lock().unwrap_or_else(PoisonError::into_inner).entry(words).or_default() += 1;
    }

    fn reason(&self) -> Option<String> {
        let failed = self.failed.lock().unwrap_or_else(PoisonError::into_inner);
        let most = failed.iter().max_by_key(|(_, count)| **count)?.0;
        let count: u64 = failed.values().sum();
        if self.given_up.load(Ordering::Relaxed) {
            return Some(format!("reading by id stopped: {most}"));
        }
        Some(format!("{count} of the ids could not be read: {most}"))
    }
}

/// What came for an id.
struct Read {
    status: u16,
    etag: Option<String>,
    entries: u32,
    fingerprint: u64,
    same_as: Option<Place>,
}

/// Whether a status answers for an id: it is there, or it is not. Others may change when asked again.
pub(crate) fn is_answer(status: u16) -> bool {
    matches!(status, 200..=299 | 304 | 404 | 410)
}

/// The id in the address of a single read.
pub(crate) fn id_of(url: &str) -> Option<String> {
    let segment = url.split(['?', '#']).next()?.rsplit('/').next()?;
    let mut bytes = Vec::with_capacity(segment.len());
    let mut rest = segment.bytes();
    while let Some(byte) = rest.next() {
        if byte != b'%' {
            bytes.push(byte);
            continue;
        }
        let digits = [rest.next()?, rest.next()?];
        bytes.push(u8::from_str_radix(std::str::from_utf8(&digits).ok()?, 16).ok()?);
    }
    String::from_utf8(bytes).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_survive_addresses() {
        let base = Url::parse("https://h/api").unwrap();
        for id in ["abc", "a b", "a/b", "ä%41", "a?b#c", "MI-1_2", "H\"x"] {
            let mut url = base.clone();
            url.path_segments_mut().unwrap().push("Location").push(id);
            assert_eq!(id_of(url.as_str()).as_deref(), Some(id));
        }
    }
}
