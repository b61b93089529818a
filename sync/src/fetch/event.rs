//! What a sync tells while it is under way.

use std::sync::Arc;

use serde::Serialize;

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
    /// Nothing is asked for a while: the server is in trouble or asks for it.
    Waiting {
        /// What is the matter.
        reason: String,
        /// How long.
        seconds: u64,
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
