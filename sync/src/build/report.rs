//! The sync report's counts: what became of each distinct resource.

use std::collections::BTreeMap;

use crate::model::ResourceKind;

/// Outcomes by resource type; each with its reasons.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    types: BTreeMap<ResourceKind, Counts>,
}

/// received = used + folded + quarantined + of no use.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Distinct resources received.
    pub received: u64,
    /// Those whose facts the dataset holds.
    pub used: u64,
    /// Reasons and numbers of those folded into another.
    pub folded: BTreeMap<String, u64>,
    /// Reasons and numbers of those that could not be understood.
    pub quarantined: BTreeMap<String, u64>,
    /// Reasons and numbers of those that say nothing a dataset holds.
    pub of_no_use: BTreeMap<String, u64>,
    /// Reasons and numbers of those that state an NPI of another and were not folded with it: they are
    /// counted as used or folded besides.
    pub kept_apart: BTreeMap<String, u64>,
}

impl Report {
    pub(crate) fn used(&mut self, kind: ResourceKind) {
        let counts = self.types.entry(kind).or_default();
        counts.received += 1;
        counts.used += 1;
    }

    pub(crate) fn folded(&mut self, kind: ResourceKind, reason: &str) {
        let counts = self.types.entry(kind).or_default();
        counts.received += 1;
        *counts.folded.entry(reason.to_owned()).or_default() += 1;
    }

    pub(crate) fn quarantined(&mut self, kind: ResourceKind, reason: &str) {
        let counts = self.types.entry(kind).or_default();
        counts.received += 1;
        *counts.quarantined.entry(reason.to_owned()).or_default() += 1;
    }

    pub(crate) fn of_no_use(&mut self, kind: ResourceKind, reason: &str) {
        let counts = self.types.entry(kind).or_default();
        counts.received += 1;
        *counts.of_no_use.entry(reason.to_owned()).or_default() += 1;
    }

    /// Counts besides: the resource has its outcome elsewhere.
    pub(crate) fn kept_apart(&mut self, kind: ResourceKind, reason: &str) {
        *self.types.entry(kind).or_default().kept_apart.entry(reason.to_owned()).or_default() += 1;
    }

    /// Counts of one resource type.
    pub(crate) fn of(&self, kind: ResourceKind) -> Counts {
        self.types.get(&kind).cloned().unwrap_or_default()
    }

    /// Counts by resource type.
    pub fn types(&self) -> impl Iterator<Item = (ResourceKind, &Counts)> {
        self.types.iter().map(|(kind, counts)| (*kind, counts))
    }
}

impl Counts {
    /// Folded, quarantined and of no use, with their names.
    #[must_use]
    pub fn reasons(&self) -> [(&'static str, &BTreeMap<String, u64>); 3] {
        [("folded", &self.folded), ("quarantined", &self.quarantined), ("of_no_use", &self.of_no_use)]
    }
}
