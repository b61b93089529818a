//! One sync under way: what its parts share.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use coverdex_core::Result;
use serde::Serialize;
use url::Url;

use super::client::Client;
use super::views::Offers;
use crate::staging::{PageHeader, PassEnd, Staging, StagingWriter};

/// What happens, for progress bars and logs. No address, token or member word is ever in it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "event", rename_all = "snake_case")]
#[non_exhaustive]
pub enum Event {
    /// A choice was made: what, and why.
    Chose {
        /// In words for people.
        what: String,
    },
    /// A page was kept.
    Page {
        /// The resource type.
        resource_type: String,
        /// The query, as the report names it.
        query: String,
        /// Pages of this pass so far.
        pages: u32,
        /// Entries of this pass so far.
        entries: u64,
        /// How many there are in all, if the server says: a hint.
        total: Option<u64>,
    },
    /// Resources are to be read one by one.
    ToRead {
        /// The resource type.
        resource_type: String,
        /// How many.
        count: u64,
    },
    /// So many of them were read, or cannot be had.
    Read {
        /// The resource type.
        resource_type: String,
        /// How many so far.
        count: u64,
    },
    /// A pass begins anew.
    Restart {
        /// The query.
        query: String,
        /// Why.
        reason: String,
    },
    /// A pass has ended.
    Ended {
        /// The query.
        query: String,
        /// Whether every page was seen.
        complete: bool,
        /// Why not.
        reason: Option<String>,
    },
}

/// Is told what happens.
pub type Watch = Arc<dyn Fn(&Event) + Send + Sync>;

/// One sync under way.
pub(crate) struct Session {
    pub(crate) client: Client,
    /// The API's base address, without a trailing slash.
    pub(crate) base: Url,
    pub(crate) generation: u32,
    /// Whether only changes are asked for.
    pub(crate) changes_only: bool,
    pub(crate) accept_shrink: bool,
    pub(crate) offers: Offers,
    writer: Mutex<StagingWriter>,
    /// Page sizes that proved to work, by resource type.
    sizes: Mutex<HashMap<String, Option<u32>>>,
    watch: Watch,
    restarts: Mutex<BTreeMap<String, Vec<String>>>,
}

impl Session {
    pub(crate) fn new(client: Client, base: Url, writer: StagingWriter, watch: Watch) -> Self {
        Self {
            client,
            base,
            generation: 0,
            changes_only: false,
            accept_shrink: false,
            offers: Offers::default(),
            writer: Mutex::new(writer),
            sizes: Mutex::default(),
            watch,
            restarts: Mutex::default(),
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

    /// Whether a page counts as seen in this sync: in one that asks for changes only, what was there
    /// before still holds.
    pub(crate) fn is_current(&self, page: &PageHeader) -> bool {
        self.changes_only || page.pass.generation == self.generation
    }

    pub(crate) fn end(&self, end: PassEnd) -> Result<()> {
        self.tell(&Event::Ended {
            query: end.pass.query.clone(),
            complete: end.complete,
            reason: end.reason.clone(),
        });
        self.writer().end(end)
    }

    pub(crate) fn restarted(&self, query: &str, reason: &str) {
        self.tell(&Event::Restart { query: query.to_owned(), reason: reason.to_owned() });
        let mut restarts = self.restarts.lock().unwrap_or_else(PoisonError::into_inner);
        restarts.entry(query.to_owned()).or_default().push(reason.to_owned());
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
