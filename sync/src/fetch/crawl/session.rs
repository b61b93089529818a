//! One sync under way: what its parts share.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use coverdex_core::Result;
use url::Url;

use crate::fetch::crawl::offers::Offers;
use crate::fetch::event::{Event, Watch};
use crate::fetch::http::client::Client;
use crate::fetch::http::retry::Trouble;
use crate::staging::{Group, PassEnd, Purpose, Staging, StagingWriter};

/// One sync under way.
pub(crate) struct Session {
    pub(crate) client: Client,
    /// The API's base address, without a trailing slash.
    pub(crate) base: Url,
    pub(crate) generation: u32,
    /// When this run began, in seconds since 1970.
    pub(crate) began: i64,
    /// Whether changes are enough, where the server proves that it knows them.
    pub(crate) may_ask_changes: bool,
    pub(crate) accept_shrink: bool,
    /// Whether what the server says of what did not change is believed where it proved it.
    pub(crate) trusts: bool,
    pub(crate) offers: Offers,
    writer: Mutex<StagingWriter>,
    /// Page sizes that proved to work, by resource type.
    sizes: Mutex<HashMap<String, Option<u32>>>,
    watch: Watch,
    restarts: Mutex<BTreeMap<String, Vec<String>>>,
    /// What is not complete, and why.
    troubles: Mutex<BTreeMap<String, String>>,
    /// Parts that were read to their end, well or not.
    done: Mutex<BTreeSet<&'static str>>,
    /// Types of which only changes were read.
    by_changes: Mutex<BTreeSet<String>>,
    /// Of which types a validator changed when a page did, and of which one stayed all the same.
    tags: Mutex<BTreeMap<String, bool>>,
    /// Set when the server does not count what it is asked to count: it is not asked again.
    pub(super) never_counts: AtomicBool,
    /// Set when the server does not begin where it is asked to.
    pub(super) never_skips: AtomicBool,
    /// Set when the server is gone: nothing else is asked for.
    lost: AtomicBool,
    /// Types that a firewall keeps away while the server answers for others.
    walled: Mutex<BTreeSet<String>>,
}

impl Session {
    pub(crate) fn new(client: Client, base: Url, writer: StagingWriter, watch: Watch) -> Self {
        let began = client.clock.now().as_second();
        Self {
            began,
            client,
            base,
            generation: 0,
            may_ask_changes: false,
            accept_shrink: false,
            trusts: false,
            offers: Offers::default(),
            writer: Mutex::new(writer),
            sizes: Mutex::default(),
            watch,
            restarts: Mutex::default(),
            troubles: Mutex::default(),
            done: Mutex::default(),
            by_changes: Mutex::default(),
            tags: Mutex::default(),
            never_counts: AtomicBool::new(false),
            never_skips: AtomicBool::new(false),
            lost: AtomicBool::new(false),
            walled: Mutex::default(),
        }
    }

    pub(crate) fn tell(&self, event: &Event) {
        (self.watch)(event);
    }

    pub(crate) fn chose(&self, what: impl Into<String>) {
        self.tell(&Event::Chose { what: what.into() });
    }

    /// The staging folder. Held for a moment only, never across a wait.
    pub(crate) fn writer(&self) -> MutexGuard<'_, StagingWriter> {
        self.writer.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What is staged so far.
    pub(crate) fn staged(&self) -> Result<Staging> {
        self.writer().snapshot()
    }

    /// Whether pages count as seen in this sync: where the server proved that it tells what changed,
    /// what searches showed before still holds.
    pub(crate) fn is_current(&self, page: &Group) -> bool {
        let by_changes = || {
            let types = self.by_changes.lock().unwrap_or_else(PoisonError::into_inner);
            matches!(page.purpose, Purpose::Search | Purpose::Changes) && types.contains(&page.resource_type)
        };
        page.pass.generation == self.generation || by_changes()
    }

    /// Of a type, only what changed was read, and that is all there is to know.
    pub(crate) fn read_changes_of(&self, resource_type: &str) {
        self.by_changes.lock().unwrap_or_else(PoisonError::into_inner).insert(resource_type.to_owned());
    }

    /// Whether of any type only what changed was read.
    pub(crate) fn read_changes(&self) -> bool {
        !self.by_changes.lock().unwrap_or_else(PoisonError::into_inner).is_empty()
    }

    /// Goes on with what earlier readings found out of validators.
    pub(crate) fn know_tags(&mut self, tags: BTreeMap<String, bool>) {
        self.tags = Mutex::new(tags);
    }

    /// Whether validators may be sent for something of a kind: one that comes with a change was seen, and never a
    /// change without one.
    pub(crate) fn may_send_tags(&self, of: &str) -> bool {
        self.trusts && self.tags.lock().unwrap_or_else(PoisonError::into_inner).get(of) == Some(&true)
    }

    /// Notes how a validator and what it is of moved since the last reading.
    pub(crate) fn note_tags(&self, of: &str, same_content: bool, same_tag: bool) {
        if same_content {
            return;
        }
        let mut tags = self.tags.lock().unwrap_or_else(PoisonError::into_inner);
        let proven = tags.entry(of.to_owned()).or_insert(true);
        *proven &= !same_tag;
    }

    /// What is known of validators.
    pub(crate) fn tags(&self) -> BTreeMap<String, bool> {
        self.tags.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub(crate) fn end(&self, end: PassEnd) -> Result<()> {
        self.tell(&Event::Ended { query: end.pass.query.clone(), complete: end.complete, reason: end.reason.clone() });
        self.writer().end(end)
    }

    pub(crate) fn restarted(&self, query: &str, reason: &str) {
        self.tell(&Event::Restart { query: query.to_owned(), reason: reason.to_owned() });
        let mut restarts = self.restarts.lock().unwrap_or_else(PoisonError::into_inner);
        restarts.entry(query.to_owned()).or_default().push(reason.to_owned());
    }

    /// A part is not complete.
    pub(crate) fn trouble(&self, part: &str, reason: impl Into<String>) {
        let mut troubles = self.troubles.lock().unwrap_or_else(PoisonError::into_inner);
        troubles.insert(part.to_owned(), reason.into());
    }

    /// What is not complete, and why.
    pub(crate) fn troubles(&self) -> BTreeMap<String, String> {
        self.troubles.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// A part was read to its end, well or not.
    pub(crate) fn did(&self, part: &'static str) {
        self.done.lock().unwrap_or_else(PoisonError::into_inner).insert(part);
    }

    /// Parts that were not reached are troubles too.
    pub(crate) fn note_unread(&self, parts: &[&'static str]) {
        let done = self.done.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let mut troubles = self.troubles.lock().unwrap_or_else(PoisonError::into_inner);
        for part in parts.iter().filter(|part| !done.contains(*part)) {
            troubles.entry((*part).to_owned()).or_insert_with(|| "not read: the sync ended before".to_owned());
        }
    }

    /// Notes a trouble with a type that makes asking for anything else pointless; a firewall may keep that type alone.
    pub(crate) fn note_loss(&self, trouble: &Trouble, resource_type: &str) {
        match trouble {
            Trouble::Firewall(_) if !self.client.manners(&self.base).is_left_alone() => {
                self.walled.lock().unwrap_or_else(PoisonError::into_inner).insert(resource_type.to_owned());
            }
            Trouble::Unreachable(_) | Trouble::Firewall(_) | Trouble::Throttled => {
                self.lost.store(true, Ordering::Relaxed);
            }
            _ => {}
        }
    }

    /// Whether nothing else should be asked for that takes all of these types: the server is gone, a firewall keeps one
    /// of them, or the sync was told to stop.
    pub(crate) fn is_over(&self, types: &[&str]) -> bool {
        let is_walled = || {
            let walled = self.walled.lock().unwrap_or_else(PoisonError::into_inner);
            types.iter().any(|resource_type| walled.contains(*resource_type))
        };
        self.lost.load(Ordering::Relaxed) || self.client.stop.is_stopped() || is_walled()
    }

    /// Restarts so far, by query, with their reasons.
    pub(crate) fn restarts(&self) -> BTreeMap<String, Vec<String>> {
        self.restarts.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// The page size to begin with.
    pub(crate) fn size(&self, resource_type: &str) -> Option<u32> {
        let known = self.sizes.lock().unwrap_or_else(PoisonError::into_inner).get(resource_type).copied();
        known.unwrap_or_else(|| {
            // A List holds up to 5,000 references: a page of 50 is some 20 MB.
            let most = if resource_type == "List" { 50 } else { u32::MAX };
            Some(self.client.config.page_size.min(most))
        })
    }

    /// Whether a page size proved to work.
    pub(crate) fn knows_size(&self, resource_type: &str) -> bool {
        self.sizes.lock().unwrap_or_else(PoisonError::into_inner).contains_key(resource_type)
    }

    pub(crate) fn remember_size(&self, resource_type: &str, size: Option<u32>) {
        let mut sizes = self.sizes.lock().unwrap_or_else(PoisonError::into_inner);
        sizes.insert(resource_type.to_owned(), size);
    }

    /// An address as staging keeps it: relative to the base where it lies below it.
    pub(crate) fn relative(&self, url: &Url) -> String {
        let below = url.as_str().strip_prefix(self.base.as_str().trim_end_matches('/'));
        let below = below.and_then(|rest| rest.strip_prefix('/'));
        below.unwrap_or(url.as_str()).to_owned()
    }
}
