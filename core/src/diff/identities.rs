//! Which provider of one directory is which of the other.
//!
//! A provider is known by the NPIs that are its own: both directories have them in order, so they are walked once,
//! side by side. Where several state one NPI as their own, those of one name are one. Who has no NPI of its own, in
//! one of the two, is known by its name and an address of a place where it practices.

use std::collections::BTreeSet;

use sha2::{Digest as _, Sha256};

use super::Pair;
use crate::Result;
use crate::data::directory::Directory;
use crate::format::packed::Damaged;
use crate::spelling::name_key;

/// Providers of both directories, in groups of those that are one. Those of the older one have the first numbers.
pub(super) struct Identities {
    /// For each provider another one of its group, or one that leads to it; the first of a group leads to itself.
    parent: Vec<u32>,
    /// For each provider the next one of its group, around in a circle.
    next: Vec<u32>,
    /// How many the older directory has.
    of_old: u32,
}

/// One provider: its numbers in both directories.
#[derive(Debug, Default)]
pub(super) struct Identity {
    pub(super) old: Vec<u32>,
    pub(super) new: Vec<u32>,
}

impl Identities {
    pub(super) fn of(pair: Pair<'_>, old: &Directory, new: &Directory) -> Result<Self> {
        let count = |directory: &Directory| directory.error_if_damaged(directory.providers.npi.count());
        let (of_old, of_new) = (count(old)?, count(new)?);
        let all = of_old.checked_add(of_new).ok_or_else(|| new.damaged())?;
        let mut identities = Self { parent: (0..all).collect(), next: (0..all).collect(), of_old };
        identities.join_npis(pair, old, new)?;
        identities.join_names(pair, old, new)?;
        Ok(identities)
    }

    /// How many numbers there are.
    pub(super) fn len(&self) -> u32 {
        u32::try_from(self.parent.len()).unwrap_or(u32::MAX)
    }

    /// The group that a provider is the first of; empty for all others.
    pub(super) fn group(&self, first: u32, into: &mut Identity) {
        into.old.clear();
        into.new.clear();
        if self.parent.get(first as usize) != Some(&first) {
            return;
        }
        let mut at = first;
        loop {
            match at.checked_sub(self.of_old) {
                Some(number) => into.new.push(number),
                None => into.old.push(at),
            }
            match self.next.get(at as usize) {
                Some(next) if *next != first => at = *next,
                _ => break,
            }
        }
        into.old.sort_unstable();
        into.new.sort_unstable();
    }

    fn first(&self, mut of: u32) -> u32 {
        while let Some(parent) = self.parent.get(of as usize)
            && *parent != of
        {
            of = *parent;
        }
        of
    }

    fn unite(&mut self, a: u32, b: u32) {
        let (a, b) = (self.first(a), self.first(b));
        if a == b {
            return;
        }
        let (first, other) = (a.min(b), a.max(b));
        if let Some(parent) = self.parent.get_mut(other as usize) {
            *parent = first;
        }
        // Two circles become one where their followers change places.
        self.next.swap(first as usize, other as usize);
    }

    /// Whether a provider is the only one of its group.
    fn is_alone(&self, number: u32) -> bool {
        self.next.get(number as usize) == Some(&number)
    }

    fn join_npis(&mut self, pair: Pair<'_>, old: &Directory, new: &Directory) -> Result<()> {
        let (mut of_old, mut of_new) = (Npis::of(old)?, Npis::of(new)?);
        let (mut owners_old, mut owners_new) = (Vec::new(), Vec::new());
        let mut steps = 0_u32;
        loop {
            steps = steps.wrapping_add(1);
            if steps.is_multiple_of(1024) {
                pair.check()?;
            }
            let (Some(a), Some(b)) = (of_old.npi()?, of_new.npi()?) else { return Ok(()) };
            if a < b {
                of_old.pass(a)?;
                continue;
            }
            if b < a {
                of_new.pass(b)?;
                continue;
            }
            of_old.take(a, &mut owners_old)?;
            of_new.take(b, &mut owners_new)?;
            match (owners_old.as_slice(), owners_new.as_slice()) {
                ([], _) | (_, []) => {}
                ([one], [other]) => self.unite(*one, self.of_old.saturating_add(*other)),
                _ => self.join_owners((old, &mut owners_old), (new, &mut owners_new))?,
            }
        }
    }

    /// Of several owners of one NPI those of one name and kind are one; those left over are one where nothing tells
    /// them apart, so that nobody is said to have left who may be there under another name.
    fn join_owners(
        &mut self,
        (old, of_old): (&Directory, &mut Vec<u32>),
        (new, of_new): (&Directory, &mut Vec<u32>),
    ) -> Result<()> {
        let named = |directory: &Directory, provider: u32| -> Result<(String, u32)> {
            let read = || -> Result<(String, u32), Damaged> {
                let kind = directory.providers.trait_kind.get(directory.providers.traits.get(provider)?)?;
                Ok((name_key(&directory.name(provider)?), kind))
            };
            directory.error_if_damaged(read())
        };
        let names = of_new.iter().map(|provider| named(new, *provider)).collect::<Result<Vec<_>>>()?;
        let mut matched = BTreeSet::new();
        let mut left = Vec::new();
        for provider in of_old.iter() {
            let own = named(old, *provider)?;
            let mut is_matched = false;
            for (name, other) in names.iter().zip(of_new.iter()) {
                if *name == own {
                    self.unite(*provider, self.of_old.saturating_add(*other));
                    matched.insert(*other);
                    is_matched = true;
                }
            }
            if !is_matched {
                left.push(*provider);
            }
        }
        of_new.retain(|provider| !matched.contains(provider));
        for provider in left {
            for other in of_new.iter() {
                self.unite(provider, self.of_old.saturating_add(*other));
            }
        }
        Ok(())
    }

    /// Joins those who are alone so far by name and address, where one of the two has no NPI of its own.
    fn join_names(&mut self, pair: Pair<'_>, old: &Directory, new: &Directory) -> Result<()> {
        // Names of those without an NPI: nobody else needs to be looked at.
        let mut names = BTreeSet::new();
        for (directory, first) in [(old, 0), (new, self.of_old)] {
            let count = directory.error_if_damaged(directory.providers.npi.count())?;
            for provider in 0..count {
                if provider.is_multiple_of(1024) {
                    pair.check()?;
                }
                let lacks = directory.error_if_damaged(directory.providers.npi.wide(provider))? == 0;
                if lacks && self.is_alone(first + provider) {
                    names.insert(directory.error_if_damaged(name_hash(directory, provider))?);
                }
            }
        }
        if names.is_empty() {
            return Ok(());
        }
        let of_old = self.addresses(pair, old, 0, &names)?;
        let of_new = self.addresses(pair, new, self.of_old, &names)?;
        let mut rest = of_new.as_slice();
        for own in of_old.chunk_by(|a, b| a.key == b.key) {
            pair.check()?;
            let Some(Named { key, .. }) = own.first() else { continue };
            let start = rest.partition_point(|other| other.key < *key);
            rest = rest.get(start..).unwrap_or_default();
            for other in rest.iter().take_while(|other| other.key == *key) {
                for one in own.iter().filter(|one| one.lacks || other.lacks) {
                    self.unite(one.provider, other.provider);
                }
            }
        }
        Ok(())
    }

    /// Name and address of each place of those who are alone and have one of the names, in order.
    fn addresses(
        &self,
        pair: Pair<'_>,
        directory: &Directory,
        first: u32,
        names: &BTreeSet<u64>,
    ) -> Result<Vec<Named>> {
        let mut found = Vec::new();
        let count = directory.error_if_damaged(directory.providers.npi.count())?;
        for provider in 0..count {
            if provider.is_multiple_of(1024) {
                pair.check()?;
            }
            if !self.is_alone(first + provider) {
                continue;
            }
            let name = directory.error_if_damaged(name_hash(directory, provider))?;
            if !names.contains(&name) {
                continue;
            }
            let lacks = directory.error_if_damaged(directory.providers.npi.wide(provider))? == 0;
            for row in directory.error_if_damaged(directory.rows_of(provider))? {
                pair.check()?;
                let read = || {
                    let place = directory.rows.place.run_of(row?)?;
                    Ok(directory.location(place, Vec::new())?.map(|location| location.id()).unwrap_or_default())
                };
                let address = directory.error_if_damaged(read())?;
                let key = hash(&format!("{name}\n{address}"));
                found.push(Named { key, provider: first + provider, lacks });
            }
        }
        found.sort_unstable();
        found.dedup();
        Ok(found)
    }
}

/// A provider at an address.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Named {
    /// A hash of name, kind and address.
    key: u64,
    provider: u32,
    /// Whether it has no NPI of its own.
    lacks: bool,
}

/// A hash of a provider's name and kind.
fn name_hash(directory: &Directory, provider: u32) -> Result<u64, Damaged> {
    let kind = directory.providers.trait_kind.get(directory.providers.traits.get(provider)?)?;
    Ok(hash(&format!("{kind}\n{}", name_key(&directory.name(provider)?))))
}

fn hash(text: &str) -> u64 {
    Sha256::digest(text.as_bytes()).first_chunk().map_or(0, |bytes| u64::from_le_bytes(*bytes))
}

/// The NPIs of a directory, ascending, each with who states it.
struct Npis<'d> {
    directory: &'d Directory,
    at: u32,
    end: u32,
}

impl<'d> Npis<'d> {
    fn of(directory: &'d Directory) -> Result<Self> {
        let end = directory.error_if_damaged(directory.providers.npis.count())?;
        Ok(Self { directory, at: 0, end })
    }

    /// The next NPI, as columns have it.
    fn npi(&self) -> Result<Option<u64>> {
        if self.at >= self.end {
            return Ok(None);
        }
        self.directory.error_if_damaged(self.directory.providers.npis.wide(self.at)).map(Some)
    }

    fn pass(&mut self, npi: u64) -> Result<()> {
        while self.npi()? == Some(npi) {
            self.at += 1;
        }
        Ok(())
    }

    /// Passes an NPI, and gives those whose own it is.
    fn take(&mut self, npi: u64, owners: &mut Vec<u32>) -> Result<()> {
        owners.clear();
        while self.npi()? == Some(npi) {
            let provider = self.directory.error_if_damaged(self.directory.providers.of_npi.get(self.at))?;
            if self.directory.error_if_damaged(self.directory.owns(provider, npi))? {
                owners.push(provider);
            }
            self.at += 1;
        }
        owners.sort_unstable();
        owners.dedup();
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn alone(of_old: u32, of_new: u32) -> Identities {
        let all = of_old + of_new;
        Identities { parent: (0..all).collect(), next: (0..all).collect(), of_old }
    }

    fn groups(identities: &Identities) -> Vec<(Vec<u32>, Vec<u32>)> {
        let mut groups = Vec::new();
        let mut group = Identity::default();
        for first in 0..identities.len() {
            identities.group(first, &mut group);
            if !(group.old.is_empty() && group.new.is_empty()) {
                groups.push((group.old.clone(), group.new.clone()));
            }
        }
        groups
    }

    #[test]
    fn groups_are_whole_and_each_is_told_once() {
        let mut identities = alone(3, 3);
        assert_eq!(groups(&identities).len(), 6);
        for (a, b) in [(2, 3), (0, 5), (2, 4), (3, 4), (0, 5)] {
            identities.unite(a, b);
        }
        let want = vec![(vec![0], vec![2]), (vec![1], vec![]), (vec![2], vec![0, 1])];
        assert_eq!(groups(&identities), want);
        identities.unite(4, 5);
        assert_eq!(groups(&identities), [(vec![0, 2], vec![0, 1, 2]), (vec![1], vec![])]);
    }
}
