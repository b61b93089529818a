//! From what a payer sends to the facts of [`model`](crate::model): one module for each kind of
//! source. Behind them nothing knows FHIR.

pub mod fhir;
pub mod folder;
mod missing;
pub mod stu1;

use std::collections::BTreeMap;

use coverdex_core::Result;

pub use missing::{ByKey, FormularyGap, Missing};

use crate::model::Received;

/// A source of facts about a payer: its answers in staging, a folder of its files.
///
/// A new one is a folder in this room, and what it asks of a payer stands there too. What comes of its facts it need
/// not know: of entries that several plans share, one list names the plans.
pub trait Source {
    /// What is counted while it is read, in its own words.
    type Counts;

    /// Reads all of it once, its facts into `sink`, from any thread and in no order, and says what it saw.
    ///
    /// # Errors
    /// Where it cannot be read, and whatever `sink` returns.
    fn read(&self, sink: &(dyn Fn(Vec<Received>) -> Result<()> + Sync)) -> Result<(Seen, Self::Counts)>;
}

/// What a source saw of a payer, and what it missed.
#[derive(Clone, Debug, Default)]
pub struct Seen {
    /// When the payer's data was read, RFC 3339; where it does not say, the newest date of a fact counts.
    pub as_of: Option<String>,
    /// Parts of a dataset that were read later than that, and when, RFC 3339 in UTC.
    pub later: BTreeMap<String, String>,
    /// Where the data came from, for the manifest.
    pub sources: Vec<coverdex_core::Source>,
    /// What was not seen of the payer.
    pub missing: Missing,
    /// What was, a JSON document that depends on the facts alone.
    pub report: Option<String>,
}

/// Staging, read as FHIR resources.
pub use stu1::reading as staging;
