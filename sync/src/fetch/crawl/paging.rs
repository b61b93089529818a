//! Walking over the pages of one query: what to ask next, given what came. No network here.
//!
//! Cursors are opaque: a next link is followed as given, resolved against the request that brought
//! it. What real servers do with them (loops under any spelling, overlaps, falsely empty pages, cursors that
//! expire, pages that are too heavy) is met here, so that each can be tested by feeding answers.

use std::collections::HashSet;

use url::Url;

use crate::fetch::config::Config;
use crate::fetch::http::retry::Trouble;
use crate::fhir::page::hash64;

/// Page sizes tried one after another when a server refuses or cannot carry a larger one.
const LADDER: [u32; 5] = [100, 50, 25, 10, 1];
/// Asked for once more with so many when a query that should have data seems to have none: some
/// servers answer an empty page where `_count` is too large.
const SMALL: u32 = 10;
/// Clean restarts of one query after its cursor was refused.
const RESTARTS: u8 = 1;
/// Pages in a row that are empty but have a next link.
const EMPTY_IN_A_ROW: u8 = 3;
/// Pages in a row that came before in the same pass: links lead in a circle, however they are spelt.
const OLD_IN_A_ROW: u8 = 2;
/// A page that says itself that it is not whole is asked for so often.
const FLAWED: u8 = 3;
/// Longer links are no addresses: proxies and servers refuse them.
const LONGEST_LINK: usize = 64 << 10;

/// What came for the page asked for.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Came<'a> {
    /// A page: which resources are on it, in whatever order, and whether it says itself that it is not whole.
    Page { entries: usize, which: u64, flawed: bool, next: Option<&'a str> },
    /// 404 or 410.
    Gone(u16),
    /// Refused.
    Refused(u16),
    /// It did not come, though asked for again and again.
    Failed(&'a Trouble),
}

/// What to do now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Next {
    /// Keep the page; ask for [`Paging::url`].
    Go,
    /// Keep nothing; ask for the same address again.
    Again,
    /// Keep nothing; the query begins anew (the reason), ask for [`Paging::url`].
    Restart(String),
    /// Keep the page if one came; every page was seen.
    Complete,
    /// Keep the page if one came; this is as far as it goes.
    Incomplete { reason: String, resumable: bool },
    /// The server does not serve this query.
    NotServed(u16),
}

/// A query, as far as paging must know it.
#[allow(clippy::struct_excessive_bools, reason = "each says something else of the query")]
#[derive(Clone, Debug)]
pub(crate) struct Query {
    /// The resource type, for the path.
    pub(crate) resource_type: String,
    /// Parameters, in their order.
    pub(crate) params: Vec<(String, String)>,
    /// Parameters that are dropped when the server refuses the query with them.
    pub(crate) optional: Vec<(String, String)>,
    /// Whether an empty answer would be strange.
    pub(crate) expects_data: bool,
    /// Whether an empty answer is believed at once: something else says so too.
    pub(crate) believe_empty: bool,
    /// Whether nothing else leads to what it may miss: no other resource names these.
    pub(crate) is_root: bool,
    /// Whether it is only tried: a refusal is an answer, also a firewall's that lasts, and no smaller
    /// pages are tried.
    pub(crate) probe: bool,
}

impl Query {
    /// All resources of a type.
    pub(crate) fn all_of(resource_type: &str) -> Self {
        Self {
            resource_type: resource_type.to_owned(),
            params: Vec::new(),
            optional: Vec::new(),
            expects_data: true,
            believe_empty: false,
            is_root: false,
            probe: false,
        }
    }

    /// The address of its first page. `None` leaves `_count` out.
    pub(crate) fn url(&self, base: &Url, count: Option<u32>, with_optional: bool) -> Url {
        let mut url = base.clone();
        let path = format!("{}/{}", base.path().trim_end_matches('/'), self.resource_type);
        url.set_path(&path);
        let optional = self.optional.iter().filter(|_| with_optional);
        if self.params.is_empty() && optional.clone().next().is_none() && count.is_none() {
            return url;
        }
        {
            let mut pairs = url.query_pairs_mut();
            pairs.extend_pairs(self.params.iter().chain(optional));
            if let Some(count) = count {
                pairs.append_pair("_count", &count.to_string());
            }
        }
        url
    }
}

/// The walk over one query's pages.
#[derive(Debug)]
pub(crate) struct Paging {
    query: Query,
    base: Url,
    /// The size asked for; none leaves `_count` out.
    count: Option<u32>,
    with_optional: bool,
    attempt: u32,
    /// The number of the page asked for.
    page: u32,
    url: Option<Url>,
    /// Hashes of the addresses asked for in this attempt, in order.
    asked: HashSet<u64>,
    /// Which resources were on each page of this attempt so far.
    seen: HashSet<u64>,
    old_in_a_row: u8,
    empty_in_a_row: u8,
    asked_again: bool,
    /// How often the page asked for came and was not whole.
    flawed: u8,
    tried_small: bool,
    restarts: u8,
}

/// Where an interrupted walk goes on.
#[derive(Clone, Debug)]
pub(crate) struct Resume {
    pub(crate) attempt: u32,
    pub(crate) pages: u32,
    /// The last page's next link; none if that was the last page.
    pub(crate) next: Option<Url>,
    /// Hashes of the addresses asked for so far.
    pub(crate) asked: HashSet<u64>,
}

impl Paging {
    /// Begins a query with its first page.
    pub(crate) fn begin(query: Query, base: &Url, count: Option<u32>, attempt: u32) -> Self {
        let mut paging = Self {
            query,
            base: base.clone(),
            count,
            with_optional: true,
            attempt,
            page: 0,
            url: None,
            asked: HashSet::new(),
            seen: HashSet::new(),
            old_in_a_row: 0,
            empty_in_a_row: 0,
            asked_again: false,
            flawed: 0,
            tried_small: false,
            restarts: 0,
        };
        paging.begin_anew();
        paging
    }

    /// Goes on where an interrupted walk stopped.
    pub(crate) fn resume(query: Query, base: &Url, count: Option<u32>, from: Resume) -> Self {
        let mut paging = Self::begin(query, base, count, from.attempt);
        (paging.page, paging.url, paging.asked) = (from.pages, from.next, from.asked);
        paging
    }

    /// The address to ask for; none once every page was seen.
    pub(crate) fn url(&self) -> Option<&Url> {
        self.url.as_ref()
    }

    /// The number of the page asked for.
    pub(crate) fn page(&self) -> u32 {
        self.page
    }

    /// One more for each time that pages already kept are read anew.
    pub(crate) fn attempt(&self) -> u32 {
        self.attempt
    }

    /// The page size that the walk has settled on.
    pub(crate) fn count(&self) -> Option<u32> {
        self.count
    }

    /// Goes on at an address that no link led to.
    pub(crate) fn go_on_at(&mut self, url: Url) {
        self.asked.insert(hash64(url.as_str()));
        self.url = Some(url);
    }

    /// Whether the address asked for is a cursor, which may have expired and then look like anything.
    pub(crate) fn may_have_expired(&self) -> bool {
        self.may_begin_anew(&Trouble::Firewall(403))
    }

    /// Whether a lighter page may be asked for instead of insisting on this one.
    pub(crate) fn can_be_lighter(&self) -> bool {
        self.page == 0 && self.lighter().is_some()
    }

    /// Takes in what came and says what to do.
    pub(crate) fn came(&mut self, came: Came<'_>, config: &Config) -> Next {
        match came {
            Came::Page { flawed: true, .. } if self.flawed + 1 < FLAWED => {
                self.flawed += 1;
                Next::Again
            }
            Came::Page { entries, which, next, .. } => self.page_came(entries, which, next, config),
            Came::Gone(status) | Came::Refused(status) if self.page == 0 => self.first_refused(status),
            Came::Gone(status) | Came::Refused(status) => {
                self.cursor_refused(&format!("the cursor of page {} was refused with {status}", self.page + 1))
            }
            Came::Failed(trouble) if self.page == 0 => self.first_failed(trouble),
            Came::Failed(trouble) => self.later_failed(trouble),
        }
    }

    fn page_came(&mut self, entries: usize, which: u64, next: Option<&str>, config: &Config) -> Next {
        if entries == 0 {
            if !self.asked_again && !self.query.believe_empty {
                self.asked_again = true;
                return Next::Again;
            }
            if self.page == 0 && self.query.expects_data && !self.tried_small && self.count.is_none_or(|c| c > SMALL) {
                self.tried_small = true;
                self.count = Some(SMALL);
                self.begin_anew();
                return Next::Restart("the first page was empty".to_owned());
            }
            self.empty_in_a_row += 1;
        } else {
            self.empty_in_a_row = 0;
            self.old_in_a_row = if self.seen.insert(which) { 0 } else { self.old_in_a_row + 1 };
        }
        (self.asked_again, self.flawed) = (false, 0);
        let here = self.url.take();
        let number = self.page + 1;
        self.page = number;
        let Some(next) = next else { return Next::Complete };
        let stop = |reason: String| Next::Incomplete { reason, resumable: false };
        if self.empty_in_a_row >= EMPTY_IN_A_ROW {
            return stop(format!("{EMPTY_IN_A_ROW} empty pages in a row, the last of them page {number}"));
        }
        if self.old_in_a_row >= OLD_IN_A_ROW {
            return stop(format!("next links lead in a circle: page {number} and the one before it came before"));
        }
        if number >= config.max_pages {
            return stop(format!("more than {} pages (max-pages)", config.max_pages));
        }
        if next.len() > LONGEST_LINK {
            return stop(format!("the next link of page {number} is {} bytes long", next.len()));
        }
        let resolved = here.filter(|_| !next.trim().is_empty()).and_then(|here| self.resolve(&here, next));
        let Some(url) = resolved else {
            return stop(format!("the next link of page {number} cannot be read"));
        };
        if let Err(why) = config.may_ask(&url) {
            return stop(format!("the next link of page {number} leads to {why}"));
        }
        if !self.asked.insert(hash64(url.as_str())) {
            return stop(format!("next links lead in a circle: the one of page {number} was followed before"));
        }
        self.url = Some(url);
        Next::Go
    }

    /// A next link as an address.
    fn resolve(&self, here: &Url, next: &str) -> Option<Url> {
        let next = next.trim();
        // Some servers write links relative to the base address, with a leading slash.
        let below_base = next.strip_prefix('/').filter(|rest| {
            let resource_type = rest.split(['?', '/', '#']).next().unwrap_or_default();
            resource_type == self.query.resource_type && self.base.path().len() > 1
        });
        let mut url = match below_base {
            Some(rest) => Url::parse(&format!("{}/{rest}", self.base.as_str().trim_end_matches('/'))).ok()?,
            None => here.join(next).ok()?,
        };
        url.set_fragment(None);
        // Behind a proxy that ends TLS, servers believe that they are asked over plain http.
        if url.scheme() == "http" && here.scheme() == "https" && url.host() == here.host() && url.port().is_none() {
            url.set_scheme("https").ok()?;
            let _ = url.set_port(here.port());
        }
        Some(url)
    }

    fn first_refused(&mut self, status: u16) -> Next {
        let may_be_the_parameters = matches!(status, 400 | 413 | 416 | 422);
        if may_be_the_parameters && self.with_optional && !self.query.optional.is_empty() {
            self.with_optional = false;
            self.begin_anew();
            return Next::Restart(format!("{status}: asked again without optional parameters"));
        }
        match self.lighter() {
            Some(count) if may_be_the_parameters => {
                self.count = if self.query.probe { None } else { count };
                self.begin_anew();
                Next::Restart(format!("{status}: asked again with smaller pages"))
            }
            _ => Next::NotServed(status),
        }
    }

    fn first_failed(&mut self, trouble: &Trouble) -> Next {
        // Some gateways answer so where there is no such path.
        if let Trouble::Firewall(status) = trouble
            && self.query.probe
        {
            return Next::NotServed(*status);
        }
        if matches!(
            trouble,
            Trouble::Status(_) | Trouble::Wrong(_) | Trouble::Packed(_) | Trouble::Slow | Trouble::TooLarge
        ) && let Some(count) = self.lighter()
        {
            self.count = if self.query.probe { None } else { count };
            self.begin_anew();
            return Next::Restart(format!("{trouble}: asked again with smaller pages"));
        }
        Next::Incomplete { reason: trouble.to_string(), resumable: false }
    }

    fn later_failed(&mut self, trouble: &Trouble) -> Next {
        let reason = format!("page {}: {trouble}", self.page + 1);
        match trouble {
            Trouble::TooLarge | Trouble::Slow | Trouble::Status(504) => match self.lighter() {
                Some(count) => {
                    self.count = count;
                    self.restart(reason)
                }
                None => Next::Incomplete { reason, resumable: true },
            },
            // An expired cursor may look like a firewall, or like anything.
            trouble if self.may_begin_anew(trouble) => {
                self.restarts += 1;
                self.restart(reason)
            }
            Trouble::Redirect(_) | Trouble::TooDeep => Next::Incomplete { reason, resumable: false },
            _ => Next::Incomplete { reason, resumable: true },
        }
    }

    /// Whether a trouble says that nothing else should be asked for.
    pub(crate) fn is_loss(&self, trouble: &Trouble) -> bool {
        let is_refusal = self.page == 0 && self.query.probe && matches!(trouble, Trouble::Firewall(_));
        !is_refusal && !self.may_begin_anew(trouble)
    }

    /// Whether a trouble on a later page may be an expired cursor in other clothes.
    pub(crate) fn may_begin_anew(&self, trouble: &Trouble) -> bool {
        matches!(trouble, Trouble::Firewall(403) | Trouble::Status(_) | Trouble::Wrong(_) | Trouble::Packed(_))
            && self.page > 0
            && self.restarts < RESTARTS
    }

    fn cursor_refused(&mut self, reason: &str) -> Next {
        if self.restarts >= RESTARTS {
            return Next::Incomplete { reason: format!("{reason}, as one before it"), resumable: false };
        }
        self.restarts += 1;
        self.restart(reason.to_owned())
    }

    fn restart(&mut self, reason: String) -> Next {
        self.attempt += 1;
        self.begin_anew();
        Next::Restart(reason)
    }

    fn begin_anew(&mut self) {
        let url = self.query.url(&self.base, self.count, self.with_optional);
        self.asked = HashSet::from([hash64(url.as_str())]);
        self.url = Some(url);
        self.seen.clear();
        (self.page, self.old_in_a_row, self.flawed) = (0, 0, 0);
        (self.empty_in_a_row, self.asked_again) = (0, false);
    }

    /// The next smaller page size; the last step leaves `_count` out.
    #[allow(clippy::option_option, reason = "no smaller one, or none at all")]
    fn lighter(&self) -> Option<Option<u32>> {
        let count = self.count?;
        Some(LADDER.into_iter().find(|size| *size < count))
    }
}

#[cfg(test)]
mod tests;
