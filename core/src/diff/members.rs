//! Who is in which networks: both directories are walked provider by provider, and only where one says in network
//! and the other does not is more of their roles looked at.

use std::collections::{BTreeMap, BTreeSet, BinaryHeap};

use super::identities::{Identities, Identity};
use super::{MemberChangeKind, MemberCounts, Pair};
use crate::Result;
use crate::data::directory::Directory;
use crate::data::directory::layout::{NOT_STATED, NOWHERE, flag};
use crate::format::packed::Damaged;
use crate::ids::CountyFips;

/// Networks that are looked at together: one that both directories have, or those of a plan.
#[derive(Debug, Default)]
pub(super) struct Scope {
    /// Numbers of the networks in the older and in the newer directory.
    pub(super) networks: [Vec<usize>; 2],
    /// Why nobody can tell who is not in them, in the older and in the newer directory.
    pub(super) gaps: [Gaps; 2],
}

/// Why nobody can tell who is not in some networks.
#[derive(Debug, Default)]
pub(super) struct Gaps {
    /// A network was not received completely.
    pub(super) incomplete: Option<String>,
    /// The payer does not say which networks the plan has, or not of all of them.
    pub(super) plan: Option<String>,
    /// The directory has nobody in a network.
    pub(super) empty: Option<String>,
}

/// Why nobody can tell of one provider.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Doubt {
    /// Versions of a role contradict each other.
    Contrary,
    /// The network's part is incomplete.
    Incomplete,
    /// A role names a network that cannot be read.
    LostNetwork,
    /// It is in network at a place of which it is not known where it lies.
    PlaceNotKnown,
    /// The plan's networks are not known, or not all of them.
    Plan,
    /// The directory has nobody in the network.
    Empty,
}

/// What became of a provider in an area.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Record {
    /// Its county's code; [`NO_COUNTY`] where none of its places is in a known one.
    pub(super) area: u32,
    pub(super) kind: MemberChangeKind,
    /// The side that has it in network: 0 the older, 1 the newer.
    pub(super) side: u8,
    /// Its number there: numbers are in the order of names.
    pub(super) provider: u32,
    pub(super) doubt: Option<Doubt>,
    pub(super) elsewhere: bool,
}

/// Stands for places in no known county.
pub(super) const NO_COUNTY: u32 = u32::MAX;

/// What was found in one scope.
#[derive(Debug, Default)]
pub(super) struct Found {
    pub(super) counts: MemberCounts,
    /// Counties in which something changed.
    pub(super) counties: BTreeMap<u32, MemberCounts>,
    /// Providers before and now, for each county of the walk.
    members: Vec<[u32; 2]>,
    /// The first records, as many as were asked for.
    pub(super) records: BinaryHeap<Record>,
    /// All of them.
    pub(super) all: u32,
}

/// How one provider stands to the networks of a scope on one side.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Standing {
    InNetwork,
    Inactive,
    NotThere,
    Unknown(Doubt),
}

/// What roles say of the networks of a scope.
#[derive(Clone, Copy, Debug, Default)]
struct Seen {
    active: bool,
    inactive: bool,
    /// Versions contradict each other: of an active role, of an inactive one.
    contrary: [bool; 2],
    /// A network cannot be read: of an active role, of an inactive one.
    lost: [bool; 2],
}

/// One side's directory with what is looked up in it for every role.
struct Side<'d> {
    directory: &'d Directory,
    /// For each network set the scopes that it has a network of, as bits.
    scopes: Vec<u64>,
    /// Words of 64 scopes.
    words: usize,
}

/// Where a provider is in network: for each area that it has a place in, by code, the scopes as bits.
#[derive(Default)]
struct Presence {
    areas: Vec<u32>,
    bits: Vec<u64>,
}

/// The walk through both directories.
pub(super) struct Walk<'w> {
    pair: Pair<'w>,
    scopes: &'w [Scope],
    /// Codes of the counties that are asked for; empty: all.
    counties: &'w BTreeSet<u32>,
    limit: usize,
    sides: [Side<'w>; 2],
    /// The counties of both directories, ascending.
    codes: Vec<u32>,
    found: Vec<Found>,
}

impl<'w> Walk<'w> {
    pub(super) fn new(
        pair: Pair<'w>,
        directories: [&'w Directory; 2],
        scopes: &'w [Scope],
        counties: &'w BTreeSet<u32>,
        limit: Option<u32>,
    ) -> Result<Self> {
        let [old, new] = directories;
        let sides = [Side::of(pair, old, scopes, 0)?, Side::of(pair, new, scopes, 1)?];
        let mut codes: Vec<u32> = directories.iter().flat_map(|directory| directory.regions.codes()).copied().collect();
        codes.retain(|code| CountyFips::new(*code).is_some());
        codes.sort_unstable();
        codes.dedup();
        let found = scopes.iter().map(|_| Found { members: vec![[0, 0]; codes.len()], ..Found::default() }).collect();
        let limit = limit.map_or(usize::MAX, |limit| limit as usize);
        Ok(Self { pair, scopes, counties, limit, sides, codes, found })
    }

    /// Walks all providers of both.
    pub(super) fn run(mut self, identities: &Identities) -> Result<Vec<Found>> {
        let mut identity = Identity::default();
        let mut presence = [Presence::default(), Presence::default()];
        for first in 0..identities.len() {
            self.pair.check()?;
            identities.group(first, &mut identity);
            for ((side, own), providers) in self.sides.iter().zip(&mut presence).zip([&identity.old, &identity.new]) {
                side.presence(self.pair, providers, own)?;
            }
            self.compare(&identity, &presence)?;
        }
        for found in &mut self.found {
            for (area, counts) in &mut found.counties {
                let county = self.codes.binary_search(area).ok();
                if let Some([before, after]) = county.and_then(|county| found.members.get(county)) {
                    (counts.before, counts.after) = (*before, *after);
                }
            }
        }
        Ok(self.found)
    }

    /// What is to be said of one provider.
    fn compare(&mut self, identity: &Identity, presence: &[Presence; 2]) -> Result<()> {
        let words = self.sides.first().map_or(0, |side| side.words);
        for word in 0..words {
            let [old, new] = [0, 1].map(|side| self.whole(presence, side, words, word));
            self.count_whole(identity, presence, word, old, new)?;
            let mut areas = AreasOfBoth::new(presence, words, word);
            while let Some((area, old, new)) = areas.next() {
                if let Some(county) = self.county(area) {
                    self.count_area(identity, presence, (county, area, word), old, new)?;
                }
            }
        }
        Ok(())
    }

    /// The scopes in which a provider is in network in any of the counties that are asked for.
    fn whole(&self, presence: &[Presence; 2], side: usize, words: usize, word: usize) -> u64 {
        let Some(own) = presence.get(side) else { return 0 };
        let areas = own.areas.iter().enumerate().filter(|(_, area)| self.is_asked(**area));
        areas.fold(0, |all, (at, _)| all | own.bits.get(at * words + word).copied().unwrap_or_default())
    }

    fn is_asked(&self, area: u32) -> bool {
        self.counties.is_empty() || self.counties.contains(&area)
    }

    /// The place of a county in [`Self::codes`], if it is one that is asked for: what happens there is told by itself.
    fn county(&self, area: u32) -> Option<usize> {
        if self.is_asked(area) { self.codes.binary_search(&area).ok() } else { None }
    }

    /// Counts a provider once, wherever it practices.
    fn count_whole(
        &mut self,
        identity: &Identity,
        presence: &[Presence; 2],
        word: usize,
        old: u64,
        new: u64,
    ) -> Result<()> {
        for number in bits(old | new, word) {
            let is_in = [old, new].map(|bits| bits >> (number % 64) & 1 == 1);
            if let Some(found) = self.found.get_mut(number) {
                found.counts.before += u32::from(is_in[0]);
                found.counts.after += u32::from(is_in[1]);
            }
            if is_in[0] == is_in[1] {
                continue;
            }
            let Some((kind, doubt)) = self.judge(identity, presence, number, is_in[0], None)? else { continue };
            if let Some(found) = self.found.get_mut(number) {
                found.counts.count(kind);
            }
            // Where it has a county, that is where it is told.
            let side = usize::from(!is_in[0]);
            let words = self.sides.first().map_or(0, |side| side.words);
            let has_county = presence.get(side).is_some_and(|own| {
                let here = |(at, area): (usize, &u32)| CountyFips::new(*area).is_some() && own.has(at, words, number);
                own.areas.iter().enumerate().any(here)
            });
            if !has_county {
                self.record(identity, number, NO_COUNTY, side, (kind, doubt), false);
            }
        }
        Ok(())
    }

    /// Counts a provider in one county.
    fn count_area(
        &mut self,
        identity: &Identity,
        presence: &[Presence; 2],
        (county, area, word): (usize, u32, usize),
        old: u64,
        new: u64,
    ) -> Result<()> {
        for number in bits(old | new, word) {
            let is_in = [old, new].map(|bits| bits >> (number % 64) & 1 == 1);
            if let Some([before, after]) = self.found.get_mut(number).and_then(|found| found.members.get_mut(county)) {
                *before += u32::from(is_in[0]);
                *after += u32::from(is_in[1]);
            }
            if is_in[0] == is_in[1] {
                continue;
            }
            let Some((kind, doubt)) = self.judge(identity, presence, number, is_in[0], Some(area))? else { continue };
            if let Some(found) = self.found.get_mut(number) {
                found.counties.entry(area).or_default().count(kind);
            }
            // Of who came: where it was before; else where it is now.
            let looked_at = usize::from(kind != MemberChangeKind::Came);
            let words = self.sides.first().map_or(0, |side| side.words);
            let elsewhere = presence.get(looked_at).is_some_and(|own| {
                own.areas.iter().enumerate().any(|(at, other)| *other != area && own.has(at, words, number))
            });
            self.record(identity, number, area, usize::from(!is_in[0]), (kind, doubt), elsewhere);
        }
        Ok(())
    }

    fn record(
        &mut self,
        identity: &Identity,
        scope: usize,
        area: u32,
        side: usize,
        (kind, doubt): (MemberChangeKind, Option<Doubt>),
        elsewhere: bool,
    ) {
        let providers = if side == 0 { &identity.old } else { &identity.new };
        let (Some(provider), Some(found)) = (providers.first(), self.found.get_mut(scope)) else { return };
        let side = u8::from(side != 0);
        found.all += 1;
        found.records.push(Record { area, kind, side, provider: *provider, doubt, elsewhere });
        if found.records.len() > self.limit {
            found.records.pop();
        }
    }

    /// What became of a provider that one side alone has in network: in an area, or in all that are asked for.
    fn judge(
        &self,
        identity: &Identity,
        presence: &[Presence; 2],
        scope: usize,
        was_in: bool,
        area: Option<u32>,
    ) -> Result<Option<(MemberChangeKind, Option<Doubt>)>> {
        let other = usize::from(was_in);
        let (Some(side), Some(own)) = (self.sides.get(other), presence.get(other)) else { return Ok(None) };
        let providers = if other == 0 { &identity.old } else { &identity.new };
        let is_looked_at = |code: u32| area.map_or_else(|| self.is_asked(code), |area| area == code);
        let seen = side.seen(self.pair, providers, scope, is_looked_at)?;
        // All places that are asked for, if these are not all, are counties.
        let may_be_here = |code: u32| match area {
            Some(area) => may_lie_in(code, area),
            None => self.counties.iter().any(|county| may_lie_in(code, *county)),
        };
        let words = side.words;
        let is_unplaced =
            own.areas.iter().enumerate().any(|(at, code)| own.has(at, words, scope) && may_be_here(*code));
        let Some(gaps) = self.scopes.get(scope).and_then(|scope| scope.gaps.get(other)) else { return Ok(None) };
        let standing = seen.standing(gaps, is_unplaced);
        Ok(match (standing, was_in) {
            (Standing::InNetwork, _) => None,
            (Standing::Unknown(doubt), _) => Some((MemberChangeKind::NotKnown, Some(doubt))),
            (Standing::Inactive, true) => Some((MemberChangeKind::Inactive, None)),
            (Standing::Inactive, false) => Some((MemberChangeKind::Active, None)),
            (Standing::NotThere, true) => Some((MemberChangeKind::Left, None)),
            (Standing::NotThere, false) => Some((MemberChangeKind::Came, None)),
        })
    }
}

/// The numbers of the scopes whose bits are set in a word.
fn bits(of: u64, word: usize) -> impl Iterator<Item = usize> {
    (0..64).filter(move |bit| of >> bit & 1 == 1).map(move |bit| word * 64 + bit)
}

/// Whether a place in an area that is no county may lie in this county: the area is its state's own, or none.
fn may_lie_in(code: u32, county: u32) -> bool {
    code == county / 1_000 * 1_000 || code == NOWHERE || code == NOT_STATED
}

impl Seen {
    /// As [`NetworkStatus`](crate::NetworkStatus) is decided, in the same order.
    fn standing(self, gaps: &Gaps, is_unplaced: bool) -> Standing {
        let unknown = Standing::Unknown;
        let [active_contrary, inactive_contrary] = self.contrary;
        let [active_lost, inactive_lost] = self.lost;
        if self.active {
            Standing::InNetwork
        } else if active_contrary {
            unknown(Doubt::Contrary)
        } else if gaps.incomplete.is_some() {
            unknown(Doubt::Incomplete)
        } else if active_lost {
            unknown(Doubt::LostNetwork)
        } else if is_unplaced {
            unknown(Doubt::PlaceNotKnown)
        } else if gaps.plan.is_some() {
            unknown(Doubt::Plan)
        } else if self.inactive {
            Standing::Inactive
        } else if inactive_contrary {
            unknown(Doubt::Contrary)
        } else if inactive_lost {
            unknown(Doubt::LostNetwork)
        } else if gaps.empty.is_some() {
            unknown(Doubt::Empty)
        } else {
            Standing::NotThere
        }
    }
}

impl<'d> Side<'d> {
    fn of(pair: Pair<'_>, directory: &'d Directory, scopes: &[Scope], side: usize) -> Result<Self> {
        let words = scopes.len().div_ceil(64).max(1);
        let networks = &directory.networks;
        let mut of_network = vec![0_u64; networks.count() * words];
        for (number, scope) in scopes.iter().enumerate() {
            for network in scope.networks.get(side).into_iter().flatten() {
                if let Some(word) = of_network.get_mut(network * words + number / 64) {
                    *word |= 1 << (number % 64);
                }
            }
        }
        let mut of_set = vec![0_u64; networks.sets() * words];
        for (set, own) in (0_u32..).zip(of_set.chunks_exact_mut(words)) {
            if set.is_multiple_of(1024) {
                pair.check()?;
            }
            for network in directory.error_if_damaged(networks.members(set))? {
                let of = of_network.get(network * words..).unwrap_or_default();
                own.iter_mut().zip(of).for_each(|(own, of)| *own |= of);
            }
        }
        Ok(Self { directory, scopes: of_set, words })
    }

    /// The scopes of a network set.
    fn scopes_of(&self, set: u32) -> Result<&[u64], Damaged> {
        let from = (set as usize).checked_mul(self.words).ok_or(Damaged)?;
        self.scopes.get(from..).and_then(|rest| rest.get(..self.words)).ok_or(Damaged)
    }

    /// Where providers that are one are in network.
    fn presence(&self, pair: Pair<'_>, providers: &[u32], into: &mut Presence) -> Result<()> {
        into.areas.clear();
        into.bits.clear();
        for (nth, provider) in providers.iter().enumerate() {
            for row in self.directory.error_if_damaged(self.directory.rows_of(*provider))? {
                pair.check()?;
                self.directory.error_if_damaged(row.and_then(|row| self.add_row(row, into)))?;
            }
            if nth > 0 {
                into.fold(self.words);
            }
        }
        if !into.areas.is_sorted() {
            into.fold(self.words);
        }
        Ok(())
    }

    fn add_row(&self, row: u32, into: &mut Presence) -> Result<(), Damaged> {
        // A provider's rows are in the order of areas.
        let mut area = None;
        for role in self.directory.roles_of(row)? {
            let flags = self.directory.flags(role)?;
            if flags & (flag::INACTIVE | flag::NO_ROLE | flag::CONTRARY) != 0 {
                continue;
            }
            let scopes = self.scopes_of(self.directory.roles.networks.get(role)?)?;
            if scopes.iter().all(|word| *word == 0) {
                continue;
            }
            let area = match area {
                Some(area) => area,
                None => *area.insert(self.directory.regions.code_of_row(row).ok_or(Damaged)?),
            };
            if into.areas.last() != Some(&area) {
                into.areas.push(area);
                into.bits.extend(std::iter::repeat_n(0, self.words));
            }
            let from = into.bits.len().saturating_sub(self.words);
            let last = into.bits.get_mut(from..).unwrap_or_default();
            last.iter_mut().zip(scopes).for_each(|(own, of)| *own |= of);
        }
        Ok(())
    }

    /// What the roles of providers that are one say of a scope, in the areas that are looked at.
    fn seen(
        &self,
        pair: Pair<'_>,
        providers: &[u32],
        scope: usize,
        is_looked_at: impl Fn(u32) -> bool,
    ) -> Result<Seen> {
        let mut seen = Seen::default();
        for provider in providers {
            for row in self.directory.error_if_damaged(self.directory.rows_of(*provider))? {
                pair.check()?;
                let mut read = || {
                    let row = row?;
                    let area = self.directory.regions.code_of_row(row).ok_or(Damaged)?;
                    if is_looked_at(area) { self.see_row(row, scope, &mut seen) } else { Ok(()) }
                };
                self.directory.error_if_damaged(read())?;
            }
        }
        Ok(seen)
    }

    fn see_row(&self, row: u32, scope: usize, seen: &mut Seen) -> Result<(), Damaged> {
        for role in self.directory.roles_of(row)? {
            let flags = self.directory.flags(role)?;
            if flags & flag::NO_ROLE != 0 {
                continue;
            }
            let is_inactive = flags & flag::INACTIVE != 0;
            let [of_active, of_inactive] = &mut seen.lost;
            *(if is_inactive { of_inactive } else { of_active }) |= flags & flag::LOST_NETWORK != 0;
            let scopes = self.scopes_of(self.directory.roles.networks.get(role)?)?;
            let names_one = scopes.get(scope / 64).is_some_and(|word| word >> (scope % 64) & 1 == 1);
            if !names_one {
                continue;
            }
            let [of_active, of_inactive] = &mut seen.contrary;
            *match (flags & flag::CONTRARY != 0, is_inactive) {
                (true, false) => of_active,
                (true, true) => of_inactive,
                (false, false) => &mut seen.active,
                (false, true) => &mut seen.inactive,
            } = true;
        }
        Ok(())
    }
}

impl Presence {
    /// Whether the area at this place has a scope.
    fn has(&self, at: usize, words: usize, scope: usize) -> bool {
        self.bits.get(at * words + scope / 64).is_some_and(|word| word >> (scope % 64) & 1 == 1)
    }

    /// Puts areas in order, each once.
    fn fold(&mut self, words: usize) {
        let mut folded: BTreeMap<u32, Vec<u64>> = BTreeMap::new();
        for (area, bits) in self.areas.iter().zip(self.bits.chunks_exact(words.max(1))) {
            let own = folded.entry(*area).or_insert_with(|| vec![0; words]);
            own.iter_mut().zip(bits).for_each(|(own, of)| *own |= of);
        }
        self.areas.clear();
        self.bits.clear();
        for (area, bits) in folded {
            self.areas.push(area);
            self.bits.extend(bits);
        }
    }
}

/// The areas of either side, ascending, with one word of scopes of each.
struct AreasOfBoth<'p> {
    presence: &'p [Presence; 2],
    at: [usize; 2],
    words: usize,
    word: usize,
}

impl<'p> AreasOfBoth<'p> {
    fn new(presence: &'p [Presence; 2], words: usize, word: usize) -> Self {
        Self { presence, at: [0, 0], words, word }
    }

    fn next(&mut self) -> Option<(u32, u64, u64)> {
        let [old, new] = self.presence;
        let [at_old, at_new] = self.at;
        let heads = [old.areas.get(at_old), new.areas.get(at_new)];
        let area = *heads.into_iter().flatten().min()?;
        let mut bits = [0, 0];
        for (side, own) in self.presence.iter().enumerate() {
            let (Some(at), Some(slot)) = (self.at.get_mut(side), bits.get_mut(side)) else { continue };
            if own.areas.get(*at) == Some(&area) {
                *slot = own.bits.get(*at * self.words + self.word).copied().unwrap_or_default();
                *at += 1;
            }
        }
        let [old, new] = bits;
        Some((area, old, new))
    }
}
