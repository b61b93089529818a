//! Resources of one type as they came, versions told apart by their dates and numbers.

use std::cmp::Reverse;
use std::collections::HashMap;

use coverdex_core::Result;

use crate::build::intern::Interner;
use crate::model::SourceId;

use super::ink::{Ink, Inked, Page};
use super::unite::Unite;

/// First byte of a record that is a fact, that was quarantined, that is of no use.
pub(super) const FACT: u8 = 0;
pub(super) const QUARANTINED: u8 = 1;
pub(super) const OF_NO_USE: u8 = 2;

/// When a version is of, and its number where it has one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Version {
    /// Nanoseconds since 1970; the least there is: not stated.
    pub(super) stamp: i64,
    pub(super) number: Option<u64>,
}

/// Resources of one type: each identity has a number, whether it came or is only referred to.
#[derive(Debug, Default)]
pub(super) struct Resources {
    sources: Interner<u128>,
    slots: Vec<Slot>,
    bytes: Vec<u8>,
    /// All versions of the newest date, where there are several.
    tied: HashMap<u32, Vec<Slot>>,
    /// Versions of which none is newer than the others, and that differ.
    contrary: HashMap<u32, Vec<Slot>>,
    /// What references at the payer's own servers lead to.
    same: HashMap<u32, u32>,
}

#[derive(Clone, Copy, Debug)]
struct Slot {
    version: Version,
    at: usize,
    /// 0: it did not come.
    length: u32,
    /// Number of the servers that it refers to.
    servers: u32,
}

const EMPTY: Slot =
    Slot { version: Version { stamp: i64::MIN, number: None }, at: 0, length: 0, servers: super::collect::NONE };

/// The newest version of a resource that came.
#[derive(Debug)]
pub(super) enum Came<T> {
    Fact(T),
    Quarantined(String),
    OfNoUse(String),
}

impl<T> Came<T> {
    pub(super) fn fact(self) -> Option<T> {
        if let Self::Fact(fact) = self { Some(fact) } else { None }
    }

    pub(super) fn map<U>(self, of: impl FnOnce(T) -> U) -> Came<U> {
        match self {
            Self::Fact(fact) => Came::Fact(of(fact)),
            Self::Quarantined(reason) => Came::Quarantined(reason),
            Self::OfNoUse(reason) => Came::OfNoUse(reason),
        }
    }
}

/// Keeps of several versions those that no other one replaces: the newest date, there the highest
/// number, and beside it those without a number.
pub(super) fn newest<T>(versions: &mut Vec<T>, of: impl Fn(&T) -> Version) {
    let stamp = versions.iter().map(|version| of(version).stamp).max();
    versions.retain(|version| Some(of(version).stamp) == stamp);
    let highest = versions.iter().filter_map(|version| of(version).number).max();
    versions.retain(|version| of(version).number.is_none() || of(version).number == highest);
}

impl Resources {
    pub(super) fn number(&mut self, source: SourceId) -> u32 {
        let number = self.sources.number(source.0);
        self.slots.resize(self.sources.len(), EMPTY);
        number
    }

    /// The number of an identity that came or is referred to.
    pub(super) fn find(&self, source: SourceId) -> Option<u32> {
        self.sources.find(&source.0)
    }

    /// The identity of a number.
    pub(super) fn source(&self, number: u32) -> Option<u128> {
        self.sources.value(number).copied()
    }

    /// Keeps a version if none is newer; returns whether another came before.
    pub(super) fn keep(&mut self, source: SourceId, version: Version, servers: u32, record: &[u8]) -> bool {
        let number = self.number(source);
        let Some(kept) = self.slots.get(number as usize).copied() else { return false };
        let came = kept.length != 0;
        if came && version.stamp < kept.version.stamp {
            return came;
        }
        let known = |slot: &Slot| slot.version.number == version.number && self.record(slot) == record;
        let ties = came && version.stamp == kept.version.stamp;
        if ties && self.tied.get(&number).map_or(&[kept][..], Vec::as_slice).iter().any(known) {
            return came;
        }
        let length = u32::try_from(record.len()).unwrap_or(0);
        let slot = Slot { version, at: self.bytes.len(), length, servers };
        self.bytes.extend_from_slice(record);
        if ties {
            self.tied.entry(number).or_insert_with(|| vec![kept]).push(slot);
        } else {
            self.tied.remove(&number);
            if let Some(kept) = self.slots.get_mut(number as usize) {
                *kept = slot;
            }
        }
        came
    }

    /// Decides between versions of one date, when all have come: the higher number counts; where that
    /// does not decide and they differ, the greater bytes count until they are united, and the resource is
    /// contrary.
    pub(super) fn settle(&mut self) {
        for (number, mut versions) in std::mem::take(&mut self.tied) {
            newest(&mut versions, |slot| slot.version);
            versions.sort_by(|a, b| self.record(b).cmp(self.record(a)));
            versions.dedup_by(|a, b| self.record(a) == self.record(b));
            if let (Some(kept), Some(first)) = (self.slots.get_mut(number as usize), versions.first()) {
                *kept = *first;
            }
            if versions.len() > 1 {
                self.contrary.insert(number, versions);
            }
        }
    }

    /// Puts contrary versions together, as far as they can be read.
    pub(super) fn unite<T: Inked + Unite>(&mut self) -> Result<()> {
        let contrary: Vec<u32> = self.contrary.keys().copied().collect();
        for number in contrary {
            let versions = self.read_contrary::<T>(number)?.into_iter();
            let mut facts = versions.filter_map(Came::fact);
            let Some(first) = facts.next() else { continue };
            let mut ink = Ink(vec![FACT]);
            T::united(first, facts.collect()).write(&mut ink);
            if let Some(kept) = self.slots.get_mut(number as usize) {
                (kept.at, kept.length) = (self.bytes.len(), u32::try_from(ink.0.len()).unwrap_or(0));
                self.bytes.extend(ink.0);
            }
        }
        Ok(())
    }

    /// Whether several versions are the newest, and differ.
    pub(super) fn is_contrary(&self, number: u32) -> bool {
        self.contrary.contains_key(&number)
    }

    /// What the contrary versions of a resource say.
    pub(super) fn read_contrary<T: Inked>(&self, number: u32) -> Result<Vec<Came<T>>> {
        let versions = self.contrary.get(&number).into_iter().flatten();
        versions.filter_map(|slot| read(self.record(slot)).transpose()).collect()
    }

    fn record(&self, slot: &Slot) -> &[u8] {
        self.bytes.get(slot.at..slot.at + slot.length as usize).unwrap_or_default()
    }

    pub(super) fn len(&self) -> usize {
        self.slots.len()
    }

    /// Frees what the resources say; their numbers stay.
    pub(super) fn forget(&mut self) {
        self.bytes = Vec::new();
        self.contrary = HashMap::new();
    }

    /// A resource's record and date, for ordering those that are folded: newest first, ties by
    /// content, then by identity.
    pub(super) fn order(&self, number: u32) -> (Reverse<i64>, &[u8], u128) {
        let slot = self.slots.get(number as usize).copied().unwrap_or(EMPTY);
        (Reverse(slot.version.stamp), self.record(&slot), self.source(number).unwrap_or_default())
    }

    /// What a resource says; `None`: it did not come.
    pub(super) fn read<T: Inked>(&self, number: u32) -> Result<Option<Came<T>>> {
        read(self.order(number).1)
    }

    pub(super) fn came(&self, number: u32) -> bool {
        self.slots.get(number as usize).is_some_and(|slot| slot.length != 0)
    }

    /// Numbers of the servers that the resources which came refer to.
    pub(super) fn servers(&self) -> impl Iterator<Item = u32> + '_ {
        self.slots.iter().filter(|slot| slot.length != 0).map(|slot| slot.servers)
    }

    /// Leads references at these servers to the resources that came.
    pub(super) fn resolve_at(&mut self, servers: &[u128]) {
        for number in (0..).take(self.slots.len()) {
            if self.came(number) {
                continue;
            }
            let Some(source) = self.source(number).map(SourceId) else { continue };
            let mut there = servers.iter().filter_map(|server| self.find(source.at(*server)));
            if let Some(same) = there.find(|same| self.came(*same)) {
                self.same.insert(number, same);
            }
        }
    }

    /// The number of the resource that a number, of it or of a reference to it, stands for.
    pub(super) fn resolved(&self, number: u32) -> u32 {
        self.same.get(&number).copied().unwrap_or(number)
    }
}

fn read<T: Inked>(record: &[u8]) -> Result<Option<Came<T>>> {
    let Some((what, rest)) = record.split_first() else { return Ok(None) };
    let mut page = Page(rest);
    Ok(Some(match *what {
        FACT => Came::Fact(T::read(&mut page)?),
        QUARANTINED => Came::Quarantined(page.text()?),
        _ => Came::OfNoUse(page.text()?),
    }))
}

/// Whether versions differ in what decides an answer; one that cannot be read differs from all.
pub(super) fn differ<T, K: PartialEq>(versions: Vec<Came<T>>, decides: impl Fn(T) -> K) -> bool {
    let keys = versions.into_iter().map(|came| match came {
        Came::Fact(facts) => Some(decides(facts)),
        Came::Quarantined(_) | Came::OfNoUse(_) => None,
    });
    let keys: Vec<Option<K>> = keys.collect();
    keys.windows(2).any(|pair| pair.first() != pair.last())
}
