//! What a source did not see of the payer: where absence means nothing.

use std::collections::BTreeMap;

use coverdex_core::{NetworkKey, PlanId};

/// What was not seen, by plan and by network. Of a folder everything counts as seen.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Missing {
    /// Formularies of which a part may be missing. Entries that Lists name and that are not there
    /// are counted beside this.
    pub formularies: ByKey<PlanId, FormularyGap>,
    /// Networks of which a part of the directory may be missing, and why.
    pub networks: ByKey<NetworkKey, String>,
}

/// Why a formulary is not known as completely as the payer serves it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FormularyGap {
    /// It was not asked for.
    NotSynced,
    /// Some of its Lists may not have been read: whether an entry that none of the others names belongs to it is not
    /// known.
    ListsIncomplete,
    /// Some of its entries may not have been read.
    Incomplete,
}

/// Something that holds of some, and something else, or nothing, of all others.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ByKey<K, V> {
    /// Of these.
    pub of: BTreeMap<K, Option<V>>,
    /// Of all others.
    pub others: Option<V>,
}

impl<K, V> Default for ByKey<K, V> {
    fn default() -> Self {
        Self { of: BTreeMap::new(), others: None }
    }
}

impl<K: Ord, V> ByKey<K, V> {
    /// What holds of `key`.
    #[must_use]
    pub fn get(&self, key: &K) -> Option<&V> {
        self.of.get(key).unwrap_or(&self.others).as_ref()
    }
}
