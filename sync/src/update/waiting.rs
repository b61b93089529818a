//! A whole reading that waits to be built.

use std::path::Path;
use std::time::Duration;

use coverdex_core::{Error, Result};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::fetch::{self, Outcome, Selection};
use crate::staging::Staging;

/// A whole reading that no dataset was built of yet: a build that fails need not read everything again.
#[derive(Serialize, Deserialize)]
pub(super) struct Waiting {
    /// When it was read, in seconds since 1970.
    at: i64,
    /// The address that was given.
    base: String,
    selection: Selection,
    pub(super) outcome: Outcome,
}

impl Waiting {
    /// Its file in the staging folder.
    const FILE: &str = "waiting.json";
    /// After so long the payer is asked again.
    const HOLDS: Duration = Duration::from_hours(24);

    /// What waits to be built for these options; none where the file cannot be read: then everything is read.
    pub(super) fn read(options: &fetch::Options, base: &str, now: &Timestamp) -> Option<Self> {
        let text = std::fs::read(options.staging.join(Self::FILE)).ok()?;
        let waiting: Self = serde_json::from_slice(&text).ok()?;
        let age = now.as_second().abs_diff(waiting.at);
        let selection = options.selection.clone().check().ok()?;
        let is_asked_anew = options.full || options.accept_shrink;
        let is_same = waiting.selection == selection && waiting.base == base;
        (age < Self::HOLDS.as_secs() && is_same && !is_asked_anew).then_some(waiting)
    }

    pub(super) fn write(staging: &Staging, base: &str, outcome: &Outcome, now: &Timestamp) -> Result<()> {
        let path = staging.folder().join(Self::FILE);
        let live = staging.live().begun.last().and_then(|begin| Selection::of_words(&begin.selection));
        let waiting = Self {
            at: now.as_second(),
            base: base.to_owned(),
            selection: live.unwrap_or_default(),
            outcome: outcome.clone(),
        };
        let text = serde_json::to_vec(&waiting).unwrap_or_default();
        // Cut off by a crash it cannot be read, and says nothing.
        std::fs::write(&path, text).map_err(|error| Error::io(&path, &error))
    }

    pub(super) fn remove(staging: &Path) -> Result<()> {
        let path = staging.join(Self::FILE);
        match std::fs::remove_file(&path) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(Error::io(&path, &error)),
            _ => Ok(()),
        }
    }
}
