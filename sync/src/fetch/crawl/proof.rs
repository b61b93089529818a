//! What tells that a pass saw everything, and what it may have missed, asked for by other means.
//!
//! A pass that came to its end is believed unless something contradicts it: a count of the server (`total`, or one
//! that it is asked for), entries beyond the end, an order that moved while pages were counted off. Then the rest is
//! read from where the end was, or the query is walked again with pages of another size and both are kept. What
//! stays open is told.

use std::collections::HashSet;
use std::sync::atomic::Ordering;

use coverdex_core::Result;
use url::Url;

use super::paging::{Paging, Query};
use super::session::Session;
use super::survey;
use super::walk::{GoesOn, Keep, Walk, Walked};
use crate::fetch::http::client::{Answer, Want};
use crate::fhir::json;
use crate::fhir::page::{self, Body, CHECKED, Entry};
use crate::staging::{Pass, PassEnd};

/// Walks over one query in a sync, the first included.
const PASSES: u32 = 4;
/// A pass of so many pages that were counted off is confirmed by another, where nothing else would show what it
/// missed: what is deleted while pages are read moves the rest up, and no count tells.
const FEW: u32 = 200;
/// Among more resources than these, one that two passes both missed is guessed at by how many each missed.
const MANY: u64 = 10_000;
/// Parameters by which servers count pages off, in lower case.
const OFFSETS: [&str; 9] =
    ["_skip", "skip", "_offset", "offset", "_getpagesoffset", "page", "_page", "startindex", "start"];

/// What the pages of a pass show together.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Shown {
    /// Entries, repeated ones included.
    rows: u64,
    /// Of these, such as stood on the page before or twice on one.
    overlaps: u64,
    /// The first, smallest and largest `total`, and the last.
    totals: Option<Totals>,
    /// Whether next links count pages off.
    by_offset: bool,
    /// Entries of the fullest page: servers give fewer than they are asked for.
    most: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Totals {
    least: u64,
    most: u64,
    last: u64,
}

impl Shown {
    /// How many there are by the server's own word, if that can be a count: it hardly moves from page to page.
    fn stated(&self) -> Option<u64> {
        let totals = self.totals?;
        (totals.most - totals.least <= 2 + totals.most / 50).then_some(totals.last)
    }

    /// Whether the server's data changed while pages were read: a cursor may hide that it counts them off.
    fn changed(&self) -> bool {
        self.stated().is_some() && self.totals.is_some_and(|totals| totals.least != totals.most)
    }
}

/// What lies behind the end of a pass.
enum Beyond {
    /// Something that the pass has not shown: here it goes on.
    More(Url),
    /// Nothing.
    Nothing,
    /// The server does not count pages off, or does not say.
    Unknown,
}

impl Session {
    /// Takes a walk to its end, and asks by other means for what it may have missed.
    pub(super) async fn whole(&self, walk: &Walk<'_>, paging: &mut Paging) -> Result<Walked> {
        match self.to_the_end(walk, paging).await? {
            Passed::End(end) => {
                let (walked, passes) = self.judged(walk, paging, end).await?;
                if matches!(walked, Walked::Complete(_)) {
                    self.retire(walk, passes)?;
                }
                Ok(walked)
            }
            Passed::Not(walked) => Ok(walked),
        }
    }

    /// Takes a walk to where nothing lies beyond the last page, as far as that can be asked.
    async fn to_the_end(&self, walk: &Walk<'_>, paging: &mut Paging) -> Result<Passed> {
        loop {
            let rows = match self.pages(walk, paging, Keep::Staged).await? {
                Walked::Complete(rows) => rows,
                walked => return Ok(Passed::Not(walked)),
            };
            let pass = self.pass(&walk.key, paging.attempt());
            let shown = self.shown(&pass)?;
            let mut claim = shown.stated();
            if claim.is_none() && walk.counted && rows > 0 {
                claim = self.second_count(walk).await;
            }
            let lacks = claim.is_some_and(|claim| claim > shown.rows - shown.overlaps);
            let may_ask = walk.counted && !self.never_skips.load(Ordering::Relaxed);
            let beyond = if rows > 0 && (lacks || may_ask) {
                self.beyond(walk, paging, &pass, &shown, lacks).await?
            } else {
                Beyond::Unknown
            };
            let Beyond::More(url) = beyond else {
                let ends = matches!(beyond, Beyond::Nothing);
                return Ok(Passed::End(End { pass, shown, claim, ends }));
            };
            self.restarted(&walk.key, "entries lie beyond the page that had no next link: read from there on");
            paging.go_on_at(url);
        }
    }

    /// A pass that came to its end, and how many passes it took to believe it.
    async fn judged(&self, walk: &Walk<'_>, paging: &Paging, end: End) -> Result<(Walked, u32)> {
        let End { pass, shown, claim, ends } = end;
        let rows = shown.rows;
        // Nothing where nothing need be, and twice at that, is believed whatever is counted.
        let is_nothing = rows == 0 && !walk.query.expects_data;
        if is_nothing || claim.is_none() && !shown.by_offset {
            return Ok((Walked::Complete(rows), 1));
        }
        let mut passes = vec![pass];
        let mut distinct = self.distinct(walk, &passes)?;
        // A count of more than came, where nothing lies beyond the end, is none.
        let came = rows - shown.overlaps;
        let is_short = claim.is_some_and(|claim| claim > came && claim > distinct);
        let is_wrong = is_short && ends && self.heeds_offsets(walk, &shown).await;
        let stated = (claim, is_short);
        let (mut claim, mut is_short) = if is_wrong { (None, false) } else { stated };
        let lacks = |distinct: u64, claim: Option<u64>| claim.filter(|claim| distinct < *claim);
        let is_unsure = walk.query.is_root && paging.page() > 1 && paging.page() <= FEW;
        let moved = shown.changed() || shown.by_offset && (came > distinct || is_unsure);
        let Some(why) = lacks(distinct, claim)
            .map(|claim| format!("the server counts {claim} and shows {distinct}"))
            .or_else(|| moved.then(|| "entries may have moved while the pages were counted off".to_owned()))
        else {
            return Ok((Walked::Complete(rows), 1));
        };
        for number in 2..=PASSES {
            self.restarted(&walk.key, &format!("{why}: walked once more, and both are kept"));
            let (again, walked) = self.walk_besides(walk, paging.count(), shown.most, number).await?;
            match walked {
                Walked::Complete(_) => {}
                Walked::Stopped => return Ok((Walked::Stopped, number)),
                _ => break,
            }
            let latest = self.distinct(walk, std::slice::from_ref(&again))?;
            passes.push(again);
            let all = self.distinct(walk, &passes)?;
            let (new, lost) = (all - distinct, all - latest);
            if new > 0 {
                // A pass that shows what the first lacked: the count was right after all.
                (claim, is_short) = stated;
            }
            // Who counts fish twice knows how many were in no net; of few each may be the one.
            let in_none = new * lost / (distinct + latest - all).max(1);
            // What a pass did not show again, it may as well have missed of what no pass has shown.
            let is_settled = new == 0 && (lost == 0 || number > 2) || all > MANY && in_none == 0;
            distinct = all;
            let is_all = claim == Some(all) && !shown.changed();
            if is_all || is_settled && (lacks(all, claim).is_none() || !is_short) {
                return Ok((Walked::Complete(rows), number));
            }
            if new == 0 && number > 2 {
                break;
            }
        }
        let lacking =
            lacks(distinct, claim).map_or(why, |claim| format!("the server counts {claim} and shows {distinct}"));
        Ok((Walked::Doubtful(lacking), PASSES))
    }

    /// Walks over a query once more, with pages of another size than came, whatever was asked for; the pages are kept
    /// beside those of the first pass.
    async fn walk_besides(
        &self,
        walk: &Walk<'_>,
        asked: Option<u32>,
        came: u32,
        number: u32,
    ) -> Result<(Pass, Walked)> {
        let key = besides(&walk.key, number);
        let mut query = walk.query.clone();
        // An order that does not move, where the server has one.
        query.optional.push(("_sort".to_owned(), "_id".to_owned()));
        let state = self.writer().state(&key).cloned();
        if let Some(state) = state.as_ref().filter(|state| state.end.as_ref().is_some_and(|end| end.complete)) {
            return Ok((state.pass.clone(), Walked::Complete(state.entries)));
        }
        let size = asked.unwrap_or(came).min(came);
        let size = Some((size - size / (2 + number)).max(1));
        let mut paging = match self.goes_on(walk, &query, state.as_ref()).await? {
            GoesOn::Yes(paging) => *paging,
            GoesOn::No => {
                Paging::begin(query.clone(), &self.base, size, state.map_or(0, |state| state.pass.attempt + 1))
            }
            GoesOn::Unknown(trouble) => return Ok((self.pass(&key, 0), Walked::Incomplete(trouble.to_string()))),
        };
        let again = Walk {
            key: key.clone(),
            query,
            purpose: walk.purpose,
            proof: walk.proof,
            counted: walk.counted,
            own: None,
        };
        let walked = match self.to_the_end(&again, &mut paging).await? {
            Passed::End(End { shown, .. }) => Walked::Complete(shown.rows),
            Passed::Not(walked) => walked,
        };
        let pass = self.pass(&key, paging.attempt());
        if let Walked::Complete(entries) = walked {
            self.end(PassEnd { pass: pass.clone(), complete: true, reason: None, resumable: false, entries })?;
        }
        Ok((pass, walked))
    }

    /// What earlier syncs had to read besides is replaced by a pass that needed no more than `passes`.
    fn retire(&self, walk: &Walk<'_>, passes: u32) -> Result<()> {
        for number in passes + 1..=PASSES {
            let key = besides(&walk.key, number);
            let lives = self.writer().live().ends.get(&key).is_some_and(|end| end.entries > 0);
            if lives {
                let pass = self.pass(&key, 0);
                self.end(PassEnd { pass, complete: true, reason: None, resumable: false, entries: 0 })?;
            }
        }
        Ok(())
    }

    fn shown(&self, pass: &Pass) -> Result<Shown> {
        let Some(state) = self.writer().state(&pass.query).filter(|state| state.pass == *pass).cloned() else {
            return Ok(Shown::default());
        };
        let mut shown = Shown::default();
        for page in self.staged()?.into_headers_of(&state.pass) {
            let (page, ..) = page?;
            shown.rows += u64::from(page.entries);
            shown.most = shown.most.max(page.entries);
            shown.overlaps += u64::from(page.repeated);
            shown.by_offset |= counts_off(&page.url) || page.next.as_deref().is_some_and(counts_off);
            if let Some(total) = page.total {
                let totals = shown.totals.get_or_insert(Totals { least: total, most: total, last: total });
                (totals.least, totals.most, totals.last) = (totals.least.min(total), totals.most.max(total), total);
            }
        }
        Ok(shown)
    }

    fn distinct(&self, walk: &Walk<'_>, passes: &[Pass]) -> Result<u64> {
        survey::distinct(&self.staged()?, &walk.query.resource_type, |page| passes.contains(&page.pass))
    }

    /// How many there are, if the server counts.
    pub(super) async fn second_count(&self, walk: &Walk<'_>) -> Option<u64> {
        if self.never_counts.load(Ordering::Relaxed) {
            return None;
        }
        let url = with(walk.query.url(&self.base, None, false), "_summary", "count");
        // Who answers with entries has not counted.
        let page = self.extra_page(walk, &url, true).await.filter(|page| page.keys.is_empty() && !page.goes_on);
        let count = page.and_then(|page| page.total);
        self.never_counts.fetch_or(count.is_none(), Ordering::Relaxed);
        count
    }

    /// What lies beyond the end. `lacks`: something seems to, so that the answer is worth some patience.
    async fn beyond(
        &self,
        walk: &Walk<'_>,
        paging: &Paging,
        pass: &Pass,
        shown: &Shown,
        lacks: bool,
    ) -> Result<Beyond> {
        let end = shown.rows - shown.overlaps;
        let url = with(walk.query.url(&self.base, paging.count(), true), "_skip", &end.to_string());
        let Some(page) = self.extra_page(walk, &url, !lacks).await else { return Ok(Beyond::Unknown) };
        if page.keys.is_empty() {
            return Ok(if page.goes_on { Beyond::Unknown } else { Beyond::Nothing });
        }
        let mut unseen: HashSet<u128> = page.keys.into_iter().collect();
        for page in self.staged()?.live_pages_of(|group| group.pass == *pass, |_| true) {
            let (_, _, body) = page?;
            for entry in page::entries(&json::text(&body), &walk.query.resource_type) {
                unseen.remove(&entry.key());
            }
            if unseen.is_empty() {
                self.never_skips.store(true, Ordering::Relaxed);
                return Ok(Beyond::Unknown);
            }
        }
        Ok(Beyond::More(url))
    }

    /// Whether the server counts entries off: half-way through it answers otherwise than at the end.
    async fn heeds_offsets(&self, walk: &Walk<'_>, shown: &Shown) -> bool {
        let middle = (shown.rows - shown.overlaps) / 2;
        if middle == 0 {
            // Nothing where all should come again is answer enough.
            return true;
        }
        let url = with(walk.query.url(&self.base, Some(1), false), "_skip", &middle.to_string());
        self.extra_page(walk, &url, false).await.is_some_and(|page| !page.keys.is_empty())
    }

    /// A page that is no part of a pass; none where it does not come. Nobody waits long for a `hint`.
    async fn extra_page(&self, walk: &Walk<'_>, url: &Url, hint: bool) -> Option<Extra> {
        let resource_type = walk.query.resource_type.as_str();
        let want = Want { hint, ..Want::new(url, resource_type) };
        let Answer::Good { body, .. } = self.client.ask(&want).await else { return None };
        match page::look(&json::text(&body), resource_type, CHECKED) {
            Body::Page(page) if page.flaw.is_none() => Some(Extra {
                keys: page.of_type(resource_type).map(Entry::key).collect(),
                goes_on: page.next.is_some(),
                total: page.total,
            }),
            _ => None,
        }
    }
}

/// How a walk came out.
enum Passed {
    /// It came to its end.
    End(End),
    /// It did not.
    Not(Walked),
}

/// A pass at its end.
struct End {
    pass: Pass,
    shown: Shown,
    /// How many there are, by the server's word.
    claim: Option<u64>,
    /// The server shows nothing beyond it.
    ends: bool,
}

/// A page that is no part of a pass.
struct Extra {
    keys: Vec<u128>,
    goes_on: bool,
    total: Option<u64>,
}

/// Whether a query is a further walk over another.
pub(crate) fn is_besides(key: &str) -> bool {
    (2..=PASSES).any(|number| key.ends_with(&besides("", number)))
}

/// The name of a further walk over the same query.
fn besides(key: &str, number: u32) -> String {
    format!("{key} pass {number}")
}

fn with(mut url: Url, name: &str, value: &str) -> Url {
    url.query_pairs_mut().append_pair(name, value);
    url
}

/// Whether an address says how many entries or pages stand before it.
fn counts_off(address: &str) -> bool {
    let Some((_, query)) = address.split_once('?') else { return false };
    url::form_urlencoded::parse(query.as_bytes()).any(|(name, _)| OFFSETS.contains(&name.to_ascii_lowercase().as_str()))
}

impl Query {
    /// A parameter that the server leaves out when it repeats what it understood of the query.
    pub(super) fn dropped(&self, own: &str) -> Option<&str> {
        let (_, query) = own.split_once('?')?;
        let own: Vec<String> =
            url::form_urlencoded::parse(query.as_bytes()).map(|(name, _)| name.to_ascii_lowercase()).collect();
        let is_there =
            |name: &str| own.iter().any(|own| own.split(':').next() == Some(name.to_ascii_lowercase().as_str()));
        // An address of another form, such as a cursor, repeats nothing.
        let repeats = own.iter().any(|name| name == "_count" || self.params.iter().any(|(param, _)| param == name));
        self.params.iter().map(|(name, _)| name.as_str()).find(|name| repeats && !is_there(name))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn totals(totals: &[u64]) -> Shown {
        let (least, most) = (totals.iter().min().unwrap(), totals.iter().max().unwrap());
        let totals = Totals { least: *least, most: *most, last: *totals.last().unwrap() };
        Shown { totals: Some(totals), by_offset: true, ..Shown::default() }
    }

    #[test]
    fn totals_that_jump_are_no_counts() {
        assert_eq!(totals(&[1_000, 1_000]).stated(), Some(1_000));
        assert_eq!(totals(&[1_000, 1_003, 999]).stated(), Some(999));
        assert_eq!(totals(&[1_000, 500]).stated(), None);
        assert_eq!(totals(&[20, 0]).stated(), None);
        assert_eq!(Shown::default().stated(), None);
        assert!(totals(&[1_000, 1_003]).changed() && !totals(&[7, 7]).changed() && !totals(&[1_000, 500]).changed());
    }

    #[test]
    fn offsets_by_their_names() {
        for (address, expected) in [
            ("https://a/List?_skip=20", true),
            ("List?_count=5&_getpagesOffset=20", true),
            ("List?ct=_skip", false),
            ("List/skip", false),
        ] {
            assert_eq!(counts_off(address), expected, "{address}");
        }
    }

    #[test]
    fn parameters_that_a_server_leaves_out() {
        let query = |names: &[&str]| Query {
            resource_type: "List".to_owned(),
            params: names.iter().map(|name| ((*name).to_owned(), "x".to_owned())).collect(),
            optional: Vec::new(),
            expects_data: false,
            believe_empty: false,
            is_root: false,
            probe: false,
        };
        let both = query(&["_profile", "identifier"]);
        for (own, dropped) in [
            ("https://a/List?_profile=x&identifier=x", None),
            ("https://a/List?identifier:exact=x&_PROFILE=x&_count=5", None),
            ("https://a/List?_profile=x&_count=5", Some("identifier")),
            ("https://a/List?_count=5", Some("_profile")),
            ("https://a/List", None),
            ("https://a/List?ct=7", None),
        ] {
            assert_eq!(both.dropped(own), dropped, "{own}");
        }
        assert_eq!(query(&[]).dropped("https://a/List?_count=5"), None);
    }
}
