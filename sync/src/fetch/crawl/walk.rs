//! Reading all pages of one query into staging.

use std::collections::{BTreeSet, HashSet};
use std::time::Duration;

use coverdex_core::build::lacks_too_many;

use coverdex_core::Result;
use url::Url;

use crate::fetch::crawl::paging::{Came, Next, Paging, Query, Resume};
use crate::fetch::crawl::session::Session;
use crate::fetch::crawl::survey;
use crate::fetch::event::Event;
use crate::fetch::http::client::{Answer, Want};
use crate::fetch::http::retry::Trouble;
use crate::fhir::json;
use crate::fhir::page::{self, Body, CHECKED, Entry, hash64};
use crate::staging::{HeadersOf, PageHeader, Pass, PassEnd, PassState, Place, Purpose};

/// Before a page that came empty is asked for again.
const BREATH: Duration = Duration::from_secs(1);
/// A pass that brings so much less than the one before it is asked for again (parts of a hundred).
const ASK_AGAIN: u64 = 2;
/// What is so much less than before is only believed when told so (parts of a hundred).
const ACCEPT: u64 = 10;
/// So few less are believed at the second look: of three Lists one may go.
const A_FEW: u64 = 2;

/// Whether there is so much less than before that it is only believed when told so.
pub(crate) fn is_far_less(now: u64, before: u64) -> bool {
    now * 100 < before * (100 - ACCEPT)
}

/// The same at the second look, where a few less are believed.
pub(crate) fn is_less_again(now: u64, before: u64) -> bool {
    is_far_less(now, before) && (now == 0 || before - now > A_FEW)
}

/// How a walk ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Walked {
    /// Everything was seen, as far as anything tells; so many entries came, repeated ones included.
    Complete(u64),
    /// The pages came to their end, but something contradicts that they show everything: what.
    Doubtful(String),
    /// Not every page was seen: why.
    Incomplete(String),
    /// The server does not serve this query; nothing is staged.
    NotServed(u16),
    /// The rows show that the server did not do what was asked for; nothing is staged.
    Disproved,
    /// The sync was told to stop.
    Stopped,
}

/// What a page's entries must fulfil before the first page is believed.
pub(crate) type Proof<'a> = &'a (dyn Fn(&[Entry<'_>]) -> bool + Sync);

/// A walk to take.
pub(crate) struct Walk<'a> {
    /// Names the pass in staging and reports.
    pub(crate) key: String,
    pub(crate) query: Query,
    pub(crate) purpose: Purpose,
    pub(crate) proof: Option<Proof<'a>>,
    /// Whether it is a large one, for which it is worth a request or two to know whether all came.
    pub(crate) counted: bool,
    /// Which of the resources count where a pass is compared with the one before it; all, if nothing is said.
    pub(crate) own: Option<Own<'a>>,
}

/// Chooses resources.
pub(crate) type Own<'a> = Box<dyn Fn(&Entry<'_>) -> bool + Send + Sync + 'a>;

impl Walk<'_> {
    /// A walk over all resources that a query shows.
    pub(crate) fn over(key: String, query: Query) -> Self {
        Self { key, query, purpose: Purpose::Search, proof: None, counted: true, own: None }
    }
}

impl Session {
    /// Takes a walk, or goes on with it, or finds that it was taken already.
    pub(crate) async fn walk(&self, walk: &Walk<'_>) -> Result<Walked> {
        let state = self.writer().state(&walk.key).cloned();
        if let Some(PassState { end: Some(PassEnd { complete: true, .. }), entries, .. }) = state {
            return Ok(Walked::Complete(entries));
        }
        let mut query = walk.query.clone();
        query.expects_data |= self.writer().former(&walk.key).is_some_and(|former| former.entries > 0);
        // Until a page of this size has brought something, an empty one may only mean that it is too large.
        query.expects_data |= !query.probe && !query.believe_empty && !self.knows_size(&query.resource_type);
        let mut attempt = state.as_ref().map_or(0, |s| s.pass.attempt);
        let mut paging = if let Some(paging) = self.goes_on(&query, state.as_ref())? {
            paging
        } else {
            attempt += u32::from(state.is_some());
            Paging::begin(query.clone(), &self.base, self.size(&query.resource_type), attempt)
        };
        let mut walked = self.whole(walk, &mut paging).await?;
        if let Walked::Complete(entries) = walked
            && let Some((now, before)) = self.shrunk(walk, paging.attempt(), entries)?
        {
            self.restarted(&walk.key, &less(now, before));
            paging = Paging::begin(query, &self.base, paging.count(), paging.attempt() + 1);
            walked = self.whole(walk, &mut paging).await?;
            if let Walked::Complete(again) = walked
                && let Some((now, before)) = self.shrunk(walk, paging.attempt(), again)?.filter(|_| !self.accept_shrink)
                && is_less_again(now, before)
            {
                walked = Walked::Incomplete(format!("{}; accept-shrink believes it", less(now, before)));
            }
        }
        self.close(walk, &paging, &walked)?;
        Ok(walked)
    }

    /// The paging of an interrupted walk, if it can go on.
    pub(super) fn goes_on(&self, query: &Query, state: Option<&PassState>) -> Result<Option<Paging>> {
        let Some(state) = state.filter(|s| s.pages > 0 && s.end.as_ref().is_none_or(|end| end.resumable)) else {
            return Ok(None);
        };
        let mut asked = HashSet::new();
        for page in self.staged()?.into_headers_of(&state.pass) {
            asked.insert(hash64(&self.absolute(&page?.0.url)));
        }
        let next = match &state.next {
            None => None,
            Some(text) => match Url::parse(text) {
                Ok(url) if self.client.config.may_ask(&url).is_ok() && asked.insert(hash64(url.as_str())) => Some(url),
                // The walk ended there for a reason; it begins anew.
                _ => return Ok(None),
            },
        };
        let from = Resume { attempt: state.pass.attempt, pages: state.pages, next, asked };
        Ok(Some(Paging::resume(query.clone(), &self.base, self.size(&query.resource_type), from)))
    }

    fn absolute(&self, relative: &str) -> String {
        match Url::parse(relative) {
            Ok(url) => url.into(),
            Err(_) => format!("{}/{relative}", self.base.as_str().trim_end_matches('/')),
        }
    }

    /// Takes a walk again that is complete in this generation: it takes the place of the first.
    pub(crate) async fn walk_again(&self, walk: &Walk<'_>) -> Result<Walked> {
        let attempt = self.writer().state(&walk.key).map_or(0, |state| state.pass.attempt + 1);
        let size = self.size(&walk.query.resource_type);
        let mut paging = Paging::begin(walk.query.clone(), &self.base, size, attempt);
        let walked = self.whole(walk, &mut paging).await?;
        self.close(walk, &paging, &walked)?;
        Ok(walked)
    }

    /// Takes a walk again without keeping its pages, and says what the resources say that it saw.
    pub(crate) async fn look_again(&self, walk: &Walk<'_>) -> Result<(Walked, BTreeSet<u128>)> {
        let mut contents = BTreeSet::new();
        let size = self.size(&walk.query.resource_type);
        let mut paging = Paging::begin(walk.query.clone(), &self.base, size, 0);
        let walked = self.pages(walk, &mut paging, Keep::Contents(&mut contents)).await?;
        Ok((walked, contents))
    }

    /// Asks for page after page and keeps them.
    pub(super) async fn pages(&self, walk: &Walk<'_>, paging: &mut Paging, mut keep: Keep<'_>) -> Result<Walked> {
        let is_staged = matches!(keep, Keep::Staged);
        let mut former = if is_staged { Former::read(self, &walk.key)? } else { Former::default() };
        let state = self.writer().state(&walk.key).filter(|s| is_staged && s.pass.attempt == paging.attempt()).cloned();
        let (mut kept, mut unreadable) = state.as_ref().map_or((0, 0), |s| (s.entries, s.unreadable));
        // Whose repetition on the next page is an overlap.
        let mut before: HashSet<u128> = HashSet::new();
        let of_pages = state.as_ref().map_or(0, |state| state.flawed);
        let mut flaw = (of_pages > 0).then(|| format!("{of_pages} pages may not hold all that they should"));
        loop {
            let Some(url) = paging.url().cloned() else { return Ok(ended(kept, unreadable, flaw)) };
            let (number, attempt) = (paging.page(), paging.attempt());
            let got = self.get_page(walk, &url, paging, former.page(number)?).await;
            let came = match &got {
                Got::Page(page, _) => {
                    let flawed = page.flaw.is_some();
                    let next = page.next.as_deref();
                    Came::Page { entries: page.entries as usize, which: page.which(), flawed, next }
                }
                Got::Gone(status) => Came::Gone(*status),
                Got::Refused(status) => Came::Refused(*status),
                Got::Failed(trouble) => {
                    if paging.is_loss(trouble) {
                        self.note_loss(trouble);
                    }
                    Came::Failed(trouble)
                }
                Got::Disproved => return Ok(Walked::Disproved),
                Got::Stopped => return Ok(Walked::Stopped),
            };
            let next = paging.came(came, &self.client.config);
            if let Got::Page(mut page, body) = got
                && !matches!(next, Next::Again | Next::Restart(_))
            {
                // Where the walk ends early, the link stays as written: who goes on sees that there was one.
                if matches!(next, Next::Go) {
                    page.next = paging.url().map(|url| url.as_str().to_owned());
                }
                kept += u64::from(page.entries);
                unreadable += u64::from(page.unreadable);
                page.repeated = repeated(&page.keys, &before);
                before = page.keys.iter().copied().collect();
                flaw = flaw.or_else(|| page.flaw.clone());
                let total = page.total;
                match &mut keep {
                    Keep::Contents(contents) => {
                        let text = json::text(&body);
                        let entries = page::entries(&text, &walk.query.resource_type);
                        let own = entries.iter().filter(|entry| walk.own.as_ref().is_none_or(|own| own(entry)));
                        contents.extend(own.map(content));
                    }
                    Keep::Staged => {
                        let pass = self.pass(&walk.key, attempt);
                        let second = self.client.clock.now().as_second();
                        let header = page.header(pass, number, self.relative(&url), second, walk);
                        self.writer().page(header, &body)?;
                        let (resource_type, query) = (walk.query.resource_type.clone(), walk.key.clone());
                        self.tell(&Event::Page { resource_type, query, pages: number + 1, entries: kept, total });
                    }
                }
            }
            match next {
                Next::Go => {}
                Next::Again => self.client.clock.sleep(BREATH).await,
                Next::Restart(reason) => {
                    self.restarted(&walk.key, &reason);
                    (kept, unreadable, flaw) = (0, 0, None);
                    before.clear();
                    if let Keep::Contents(contents) = &mut keep {
                        contents.clear();
                    }
                }
                Next::Complete => return Ok(ended(kept, unreadable, flaw)),
                Next::Incomplete { reason, .. } => return Ok(Walked::Incomplete(reason)),
                Next::NotServed(status) => return Ok(Walked::NotServed(status)),
            }
        }
    }

    async fn get_page(&self, walk: &Walk<'_>, url: &Url, paging: &Paging, before: Option<&FormerPage>) -> Got {
        let relative = self.relative(url);
        let resource_type = walk.query.resource_type.as_str();
        let known = before.and_then(|b| b.validator.as_deref()).filter(|v| v.url == relative);
        let unchanged = known.filter(|_| self.may_send_tags(resource_type));
        let etag = unchanged.map(|v| v.etag.as_str());
        let want = Want {
            etag,
            heavy: paging.can_be_lighter(),
            cursor: paging.may_have_expired(),
            ..Want::new(url, resource_type)
        };
        let answer = match self.client.ask(&want).await {
            Answer::Failed(Trouble::Firewall(403)) if want.cursor && !self.has_expired(walk, paging, url).await => {
                self.client.ask(&Want { cursor: false, ..want.clone() }).await
            }
            answer => answer,
        };
        let (status, etag, body) = match answer {
            Answer::Good { status, etag, body } => (status, etag, body),
            Answer::NotModified => {
                return match (before, unchanged) {
                    (Some(page), Some(validator)) => Got::Page(Box::new(page.again(validator)), Vec::new()),
                    _ => Got::Failed(Trouble::Status(304)),
                };
            }
            Answer::Gone(status) => return Got::Gone(status),
            Answer::Refused(status) => return Got::Refused(status),
            Answer::Failed(trouble) => return Got::Failed(trouble),
            Answer::Stopped => return Got::Stopped,
        };
        let page = {
            let text = json::text(&body);
            let page = match page::look(&text, resource_type, CHECKED) {
                Body::Page(page) => page,
                Body::Resource(entry) => page::Page { entries: vec![entry], ..page::Page::default() },
                other => return Got::Failed(Trouble::Wrong(other.to_string())),
            };
            let dropped = page.own.as_deref().filter(|_| paging.page() == 0);
            let dropped = dropped.and_then(|own| walk.query.dropped(own));
            let proven = |proof: Proof<'_>| page.entries.is_empty() || proof(&page.entries);
            // A server that leaves out a filter shows more than was asked for: where that was to be proved, it is not.
            if paging.page() == 0 && walk.proof.is_some_and(|proof| dropped.is_some() || !proven(proof)) {
                return Got::Disproved;
            }
            let keys: Vec<u128> = page.of_type(resource_type).map(Entry::key).collect();
            NewPage {
                status,
                etag,
                entries: u32::try_from(keys.len()).unwrap_or(u32::MAX),
                keys,
                repeated: 0,
                unreadable: page.unreadable,
                total: page.total,
                fingerprint: page.fingerprint(),
                same_as: None,
                flaw: page.flaw,
                next: page.next.map(std::borrow::Cow::into_owned),
            }
        };
        if let (Some(before), Some(known)) = (before, known) {
            self.note_tags(
                resource_type,
                before.fingerprint == page.fingerprint,
                Some(&known.etag) == page.etag.as_ref(),
            );
        }
        let same = before.filter(|b| b.fingerprint == page.fingerprint && page.entries > 0);
        Got::Page(Box::new(NewPage { same_as: same.map(|b| b.place), ..page }), body)
    }

    /// Whether a cursor that a firewall seems to keep away has expired: its query's first page comes, and then the
    /// cursor still does not.
    async fn has_expired(&self, walk: &Walk<'_>, paging: &Paging, cursor: &Url) -> bool {
        let resource_type = walk.query.resource_type.as_str();
        let first = walk.query.url(&self.base, paging.count(), false);
        // Both only help: a firewall that keeps everything away is met with patience elsewhere.
        let first = Want { hint: true, ..Want::new(&first, resource_type) };
        let is_there = matches!(self.client.ask(&first).await, Answer::Good { .. });
        let again = Want { hint: true, ..Want::new(cursor, resource_type) };
        is_there && matches!(self.client.ask(&again).await, Answer::Failed(Trouble::Firewall(403)))
    }

    /// A pass of this generation no longer shows what is there.
    pub(crate) fn retire_pass(&self, key: &str) -> Result<()> {
        let attempt = self.writer().state(key).map_or(0, |state| state.pass.attempt + 1);
        let pass = self.pass(key, attempt);
        self.end(PassEnd { pass, complete: true, reason: None, resumable: false, entries: 0 })
    }

    fn close(&self, walk: &Walk<'_>, paging: &Paging, walked: &Walked) -> Result<()> {
        let pass = self.pass(&walk.key, paging.attempt());
        let (complete, reason, resumable, entries) = match walked {
            Walked::Complete(entries) => (true, None, false, *entries),
            Walked::Doubtful(reason) => (false, Some(reason.clone()), false, 0),
            Walked::Incomplete(reason) => {
                let cursor_left = paging.url().is_some() && paging.page() > 0;
                (false, Some(reason.clone()), cursor_left, 0)
            }
            Walked::NotServed(_) | Walked::Disproved | Walked::Stopped => return Ok(()),
        };
        if *walked != Walked::Complete(0) {
            self.remember_size(&walk.query.resource_type, paging.count());
        }
        self.end(PassEnd { pass, complete, reason, resumable, entries })
    }

    pub(super) fn pass(&self, query: &str, attempt: u32) -> Pass {
        Pass { query: query.to_owned(), generation: self.generation, attempt }
    }

    /// How many resources a complete pass brings, and the one before it, if these are fewer: it is not believed yet.
    fn shrunk(&self, walk: &Walk<'_>, attempt: u32, entries: u64) -> Result<Option<(u64, u64)>> {
        let Some(former) = self.writer().former(&walk.key).cloned() else { return Ok(None) };
        if entries * 100 >= former.entries * (100 - ASK_AGAIN) && entries > 0 {
            return Ok(None);
        }
        // Entries may repeat: only now it is worth counting distinct resources.
        let staged = self.staged()?;
        let resource_type = walk.query.resource_type.as_str();
        let count = |pass: &Pass| {
            let mut seen = HashSet::new();
            let is_own = |entry: &Entry<'_>| walk.own.as_ref().is_none_or(|own| own(entry));
            match &walk.own {
                None => survey::distinct(&staged, resource_type, |page| page.pass == *pass),
                // There are few of what is chosen from.
                Some(_) => survey::each(
                    &staged,
                    resource_type,
                    |page| page.pass == *pass,
                    |entry| {
                        if is_own(entry) {
                            seen.insert(entry.key());
                        }
                        Ok(())
                    },
                )
                .map(|()| seen.len() as u64),
            }
        };
        let (before, now) = (count(&former.pass)?, count(&self.pass(&walk.key, attempt))?);
        let less = now * 100 < before * (100 - ASK_AGAIN) || (now == 0 && before > 0);
        Ok(less.then_some((now, before)))
    }
}

/// What becomes of the pages of a walk.
pub(super) enum Keep<'a> {
    /// They are staged.
    Staged,
    /// Only what their resources say is noted.
    Contents(&'a mut BTreeSet<u128>),
}

/// What came for a page.
enum Got {
    Page(Box<NewPage>, Vec<u8>),
    Gone(u16),
    Refused(u16),
    Failed(Trouble),
    Disproved,
    Stopped,
}

/// A page about to be kept.
struct NewPage {
    status: u16,
    next: Option<String>,
    etag: Option<String>,
    entries: u32,
    /// The keys of its entries; none where it is known to be unchanged.
    keys: Vec<u128>,
    /// How many of them stood on the page before, or twice on this one.
    repeated: u32,
    unreadable: u32,
    total: Option<u64>,
    fingerprint: u64,
    same_as: Option<Place>,
    /// Why it may not hold all that it should.
    flaw: Option<String>,
}

/// How a pass ends whose pages were all seen: what could not be read may be whatever is missed.
fn ended(kept: u64, unreadable: u64, flaw: Option<String>) -> Walked {
    let all = kept + unreadable;
    if lacks_too_many(unreadable, all) {
        return Walked::Doubtful(format!("{unreadable} of {all} entries cannot be read"));
    }
    flaw.map_or(Walked::Complete(kept), Walked::Doubtful)
}

fn repeated(keys: &[u128], before: &HashSet<u128>) -> u32 {
    let mut here = HashSet::new();
    let again = keys.iter().filter(|key| !here.insert(**key) || before.contains(*key)).count();
    u32::try_from(again).unwrap_or(u32::MAX)
}

fn less(now: u64, before: u64) -> String {
    format!("{now} where the last reading had {before}")
}

/// What a resource is and says.
pub(crate) fn content(entry: &Entry<'_>) -> u128 {
    entry.key() ^ entry.content()
}

impl NewPage {
    /// Names the resources that are on it, in whatever order.
    fn which(&self) -> u64 {
        if self.keys.is_empty() {
            return self.fingerprint;
        }
        self.keys.iter().fold(0, |sum, key| sum.wrapping_add(u64::try_from(key >> 64).unwrap_or_default()))
    }

    fn header(self, pass: Pass, number: u32, url: String, second: i64, walk: &Walk<'_>) -> PageHeader {
        let Self { status, next, etag, entries, repeated, unreadable, total, fingerprint, same_as, flaw, .. } = self;
        let (resource_type, purpose) = (walk.query.resource_type.clone(), walk.purpose);
        PageHeader {
            pass,
            number,
            url,
            resource_type,
            purpose,
            status,
            second,
            next,
            etag,
            entries,
            repeated,
            unreadable,
            flaw,
            total,
            fingerprint,
            same_as,
        }
    }
}

/// The pages of the last complete pass over the same query in an earlier generation, read in step with the walk.
#[derive(Default)]
struct Former {
    pages: Option<HeadersOf>,
    /// The number asked for last.
    asked: u32,
    /// The page read last.
    here: Option<FormerPage>,
}

struct FormerPage {
    number: u32,
    entries: u32,
    total: Option<u64>,
    fingerprint: u64,
    place: Place,
    validator: Option<Box<Validator>>,
}

/// What a conditional request needs.
struct Validator {
    url: String,
    etag: String,
    next: Option<String>,
}

impl Former {
    fn read(session: &Session, key: &str) -> Result<Self> {
        let pass = session.writer().former(key).map(|state| state.pass.clone());
        let pages = pass.map(|pass| Ok(session.staged()?.into_headers_of(&pass))).transpose()?;
        Ok(Self { pages, ..Self::default() })
    }

    /// The page of a number. A walk asks for one after the other; where it begins anew, so does this.
    fn page(&mut self, number: u32) -> Result<Option<&FormerPage>> {
        let Some(pages) = &mut self.pages else { return Ok(None) };
        if number < self.asked {
            pages.begin_anew();
            self.here = None;
        }
        self.asked = number;
        while self.here.as_ref().is_none_or(|here| here.number < number) {
            let Some((page, place)) = pages.next().transpose()? else { break };
            self.here = Some(FormerPage::of(page, place));
        }
        Ok(self.here.as_ref().filter(|here| here.number == number))
    }
}

impl FormerPage {
    fn of(page: PageHeader, place: Place) -> Self {
        let PageHeader { number, entries, total, fingerprint, url, next, .. } = page;
        let validator = page.etag.map(|etag| Box::new(Validator { url, etag, next }));
        let place = page.same_as.unwrap_or(place);
        Self { number, entries, total, fingerprint, place, validator }
    }

    /// The page, unchanged since.
    fn again(&self, validator: &Validator) -> NewPage {
        NewPage {
            status: 304,
            next: validator.next.clone(),
            etag: Some(validator.etag.clone()),
            entries: self.entries,
            keys: Vec::new(),
            repeated: 0,
            unreadable: 0,
            total: self.total,
            fingerprint: self.fingerprint,
            same_as: Some(self.place),
            flaw: None,
        }
    }
}
