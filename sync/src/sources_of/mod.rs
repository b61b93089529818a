//! Which of a payer's resources say something of a drug under a plan, or of a provider: found by reading what a
//! dataset was built from, because a dataset holds no ids of resources.

mod drug;
mod provider;
#[cfg(test)]
mod tests;

use std::collections::HashMap;
use std::path::Path;

use coverdex_core::{Error, ErrorKind, Result, SourceResource};

pub use self::drug::{DrugSought, sources_of_drug};
pub use self::provider::{ProviderSought, sources_of_provider};
use crate::model::{Received, ResourceKind, SourceId, Stamp};
use crate::source::{folder, staging};
use crate::staging::{Staging, is_staging};

/// Reads the resources of some types in a staging folder, a folder of files, or one file.
fn read(from: &Path, kinds: &[ResourceKind], take: impl Fn(Received) -> Result<()> + Sync) -> Result<()> {
    if !from.exists() {
        return Err(Error::new(ErrorKind::Io, from.display().to_string(), "no such folder or file"));
    }
    let sink =
        |batch: Vec<Received>| batch.into_iter().filter(|received| kinds.contains(&received.kind)).try_for_each(&take);
    if is_staging(from) {
        staging::read_staging_of(&Staging::open(from)?, kinds, &staging::ReadOptions::default(), sink)?;
    } else {
        folder::read_folder(from, &folder::ReadOptions::default(), sink)?;
    }
    Ok(())
}

/// Which resource it is, and which version of it.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Version {
    kind: ResourceKind,
    id: Option<Box<str>>,
    updated: Stamp,
    number: Option<u64>,
}

impl Version {
    fn of(received: &Received) -> Self {
        let Received { kind, id, updated, version, .. } = received;
        Self { kind: *kind, id: id.clone(), updated: *updated, number: *version }
    }

    fn resource(&self, says: impl Into<String>) -> SourceResource {
        SourceResource::new(self.kind.as_str(), self.id.as_deref(), self.updated.text(), says)
    }
}

/// The newest version of each resource; several where they contradict each other and nothing tells which is newer.
struct Newest<T>(HashMap<SourceId, Vec<(Version, T)>>);

impl<T> Default for Newest<T> {
    fn default() -> Self {
        Self(HashMap::new())
    }
}

impl<T: PartialEq> Newest<T> {
    fn add(&mut self, source: SourceId, version: Version, says: T) {
        let age = |version: &Version| (version.updated, version.number);
        let known = self.0.entry(source).or_default();
        match known.first().map(|(other, _)| age(other).cmp(&age(&version))) {
            Some(std::cmp::Ordering::Greater) => return,
            Some(std::cmp::Ordering::Less) => known.clear(),
            _ => {}
        }
        if !known.iter().any(|(_, other)| *other == says) {
            known.push((version, says));
        }
    }

    fn all(&self) -> impl Iterator<Item = (SourceId, &Version, &T)> {
        self.0.iter().flat_map(|(source, versions)| versions.iter().map(|(version, says)| (*source, version, says)))
    }
}

/// `yes`, `no` or `not stated`.
fn flag(flag: Option<bool>) -> &'static str {
    match flag {
        Some(true) => "yes",
        Some(false) => "no",
        None => "not stated",
    }
}
