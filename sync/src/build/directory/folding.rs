//! Which resources are one provider, and which NPIs are its own.
//!
//! An NPI alone folds nothing: payers repeat sample numbers, mistype, and state a group's NPI on
//! each of its members. Resources fold where they state one NPI and their names agree.
//!
//! | evidence | individuals | organizations |
//! |---|---|---|
//! | of two kinds | never one | never one |
//! | NPI that is a sample or implausible | folds nothing, is nobody's own | the same |
//! | names agree | a family name in common, or a given name; not where the other part differs and the gender too, or the common one is spelt otherwise; never where the generations (Jr, Sr, II) differ | a telling word in common; whole names where none tells |
//! | NPI that nobody of another name states | names agree | names agree, and the NPIs are the same ones, or an address agrees: its own, or that of a place where it practices |
//! | NPI that an organization states too, or an individual of another name | family name and given name in common, the same generation or none | as above |
//! | no name | folds where all others of its NPI are one provider | the same |
//!
//! Words are in common if they are equal or, from five letters on, one edit apart. Initials, titles,
//! and credentials tell nothing. All members of a provider agree with each other: no two of
//! them come together by way of a third.
//!
//! An individual does not own an NPI that an organization states, unless it states no other, nobody of
//! another name states it, and the organization's name has the individual's family name: a practice of
//! one. Of several NPIs it does not own those that an individual of another name states, nor an
//! organization those of another organization, as long as one is left. Where all are such, it keeps
//! them, and the NPI has several candidates.

#[cfg(test)]
mod tests;
mod words;

use std::collections::{BTreeMap, BTreeSet, HashMap};

use coverdex_core::Npi;

pub(super) use words::{Address, Names};

/// Distinct names under one NPI up to which they are compared with each other; beyond it, equal names
/// alone fold.
const MOST_NAMES: usize = 300;

/// The NPI of CMS's documents, which payers copy into records.
const SAMPLE: u64 = 1_234_567_893;

/// Equal digits in a row from which on an NPI is made up (`1000000004`).
const MADE_UP_OF_EQUAL: usize = 8;

/// Ascending digits in a row from which on an NPI is made up (`1234567…`).
const MADE_UP_OF_ASCENDING: usize = 7;

/// What kind of provider a resource is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum Kind {
    Individual,
    Organization,
}

/// What a resource shows of who it is.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Evidence {
    pub(super) kind: Kind,
    /// NPIs that can be somebody's own.
    pub(super) npis: Vec<Npi>,
    pub(super) names: Names,
    /// Its first letter, in lower case.
    pub(super) gender: Option<char>,
    pub(super) addresses: Vec<Address>,
}

/// Why a resource was not folded with another that states the same NPI.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Apart {
    SampleNpi,
    NpiOfOrganization,
    OtherName,
}

impl Apart {
    pub(super) const fn as_str(self) -> &'static str {
        match self {
            Self::SampleNpi => "sample NPI",
            Self::NpiOfOrganization => "an organization's NPI on a person",
            Self::OtherName => "another name under the same NPI",
        }
    }
}

/// What became of resources, each at its index.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Folded {
    /// The first resource of its provider.
    pub(super) first: Vec<usize>,
    /// The NPIs that it has for its own.
    pub(super) own: Vec<Vec<Npi>>,
    pub(super) apart: Vec<Option<Apart>>,
}

/// Whether an NPI can be anybody's own: no sample, and no number that somebody made up.
pub(super) fn is_plausible(npi: Npi) -> bool {
    let digits: Vec<u8> = npi.to_string().bytes().collect();
    let runs = |step: u8| {
        let mut longest = 1;
        let mut run = 1;
        for pair in digits.windows(2) {
            let &[a, b] = pair else { continue };
            run = if b == a + step { run + 1 } else { 1 };
            longest = longest.max(run);
        }
        longest
    };
    npi.number() != SAMPLE && runs(0) < MADE_UP_OF_EQUAL && runs(1) < MADE_UP_OF_ASCENDING
}

impl Evidence {
    /// Whether the names of two resources are of one provider; neither may be without a name.
    pub(super) fn names_agree(&self, other: &Self) -> bool {
        if self.kind != other.kind {
            return false;
        }
        let (a, b) = (&self.names, &other.names);
        match self.kind {
            Kind::Individual => {
                let genders_differ = self.gender.zip(other.gender).is_some_and(|(a, b)| a != b);
                let given_differ = !a.given.is_empty() && !b.given.is_empty() && !a.shares_given(b);
                let family_differ = !a.family.is_empty() && !b.family.is_empty() && !a.shares_family(b);
                let by_family = a.shares_family(b) && (!given_differ || (!genders_differ && a.has_family_of(b)));
                let by_given = a.shares_given(b) && (!family_differ || (!genders_differ && a.has_given_of(b)));
                !a.generations_differ(b) && (a.is_swapped(b) || by_family || by_given)
            }
            Kind::Organization => a.shares_telling(b),
        }
    }

    /// Whether the names leave no room for a namesake of one family or of one given name.
    fn names_agree_fully(&self, other: &Self) -> bool {
        let (a, b) = (&self.names, &other.names);
        self.names_agree(other)
            && (self.kind == Kind::Organization
                || (a.generations_equal(b) && (a.is_swapped(b) || (a.shares_family(b) && a.shares_given(b)))))
    }

    /// Whether two organizations are one beyond their names.
    fn sites_agree(&self, other: &Self) -> bool {
        let same_npis = self.npis == other.npis;
        self.kind == Kind::Individual
            || same_npis
            || self.addresses.iter().any(|a| other.addresses.iter().any(|b| a.agrees(b)))
    }

    pub(super) fn is_named(&self) -> bool {
        !self.names.is_empty()
    }
}

/// Folds resources, which are in an order that depends on their content alone. Resources that share
/// no NPI with any of them need not be there.
pub(super) fn fold(all: &[Evidence]) -> Folded {
    let by_npi = |own: &[Vec<Npi>]| {
        let mut by_npi: BTreeMap<Npi, Vec<usize>> = BTreeMap::new();
        for (at, npis) in own.iter().enumerate() {
            for npi in npis {
                by_npi.entry(*npi).or_default().push(at);
            }
        }
        by_npi
    };
    let stated: Vec<Vec<Npi>> = all.iter().map(|evidence| evidence.npis.clone()).collect();
    let of_organizations: BTreeSet<Npi> =
        all.iter().filter(|evidence| evidence.kind == Kind::Organization).flat_map(|e| e.npis.clone()).collect();
    let is_individual = |at: usize| all.get(at).is_some_and(|evidence| evidence.kind == Kind::Individual);
    let mut own = stated.clone();
    for (_, npis) in own.iter_mut().enumerate().filter(|(at, _)| is_individual(*at)) {
        keep_some(npis, |npi| !of_organizations.contains(&npi));
    }
    let contested: BTreeSet<(Kind, Npi)> = by_npi(&own)
        .into_iter()
        .flat_map(|(npi, members)| {
            let kinds = [Kind::Individual, Kind::Organization].into_iter();
            kinds.filter(|kind| is_contested(all, &members, *kind)).map(|kind| (kind, npi)).collect::<Vec<_>>()
        })
        .collect();
    for (npis, evidence) in own.iter_mut().zip(all) {
        keep_some(npis, |npi| !contested.contains(&(evidence.kind, npi)));
    }
    let own_by_npi = by_npi(&own);
    let mut groups = Groups::new(all);
    for members in own_by_npi.values() {
        groups.join_equal(members);
    }
    for (npi, members) in &own_by_npi {
        let is_weak = of_organizations.contains(npi) || contested.contains(&(Kind::Individual, *npi));
        groups.join_agreeing(members, is_weak);
    }
    groups.join_unnamed(&own, &own_by_npi);
    groups.leave_to_others(&mut own, &own_by_npi);
    for (at, (npis, evidence)) in own.iter_mut().zip(all).enumerate().filter(|(at, _)| is_individual(*at)) {
        npis.retain(|npi| {
            let others = || own_by_npi.get(npi).into_iter().flatten().copied().filter(|other| is_individual(*other));
            let is_alone = || others().all(|other| groups.of(other) == groups.of(at));
            !of_organizations.contains(npi) || (is_of_practice(all, evidence, *npi) && is_alone())
        });
    }
    let stated_by_npi = by_npi(&stated);
    let apart = all
        .iter()
        .enumerate()
        .map(|(at, evidence)| {
            if evidence.kind == Kind::Individual && evidence.npis.iter().any(|npi| of_organizations.contains(npi)) {
                return Some(Apart::NpiOfOrganization);
            }
            let others = evidence.npis.iter().filter_map(|npi| stated_by_npi.get(npi)).flatten();
            let is_other = |other: &usize| {
                is_individual(*other) == (evidence.kind == Kind::Individual) && groups.of(*other) != groups.of(at)
            };
            others.copied().any(|other| is_other(&other)).then_some(Apart::OtherName)
        })
        .collect();
    Folded { first: (0..all.len()).map(|at| groups.of(at)).collect(), own, apart }
}

/// Whether each organization that states a person's NPI has the person's family name.
fn is_of_practice(all: &[Evidence], person: &Evidence, npi: Npi) -> bool {
    let states = |evidence: &&Evidence| evidence.kind == Kind::Organization && evidence.npis.contains(&npi);
    all.iter().filter(states).all(|organization| organization.names.has_family_of(&person.names))
}

/// Keeps what fits, if anything does.
fn keep_some(npis: &mut Vec<Npi>, fits: impl Fn(Npi) -> bool) {
    if npis.iter().any(|npi| fits(*npi)) {
        npis.retain(|npi| fits(*npi));
    }
}

/// Whether names of one kind under an NPI contradict each other.
fn is_contested(all: &[Evidence], members: &[usize], kind: Kind) -> bool {
    let named: Vec<&Evidence> =
        members.iter().filter_map(|at| all.get(*at)).filter(|e| e.kind == kind && e.is_named()).collect();
    let distinct = distinct_names(&named);
    distinct.len() > MOST_NAMES
        || distinct.iter().enumerate().any(|(at, a)| distinct.iter().skip(at + 1).any(|b| !a.names_agree(b)))
}

fn distinct_names<'a>(all: &[&'a Evidence]) -> Vec<&'a Evidence> {
    let mut seen: BTreeSet<(&Names, Option<char>)> = BTreeSet::new();
    all.iter().copied().filter(|evidence| seen.insert((&evidence.names, evidence.gender))).collect()
}

/// Resources that are one provider so far.
struct Groups<'a> {
    all: &'a [Evidence],
    first: Vec<usize>,
    members: HashMap<usize, Vec<usize>>,
}

impl<'a> Groups<'a> {
    fn new(all: &'a [Evidence]) -> Self {
        Self { all, first: (0..all.len()).collect(), members: (0..all.len()).map(|at| (at, vec![at])).collect() }
    }

    fn of(&self, at: usize) -> usize {
        self.first.get(at).copied().unwrap_or(at)
    }

    fn join(&mut self, a: usize, b: usize) {
        let (a, b) = (self.of(a), self.of(b));
        if a == b {
            return;
        }
        let (first, other) = (a.min(b), a.max(b));
        let moved = self.members.remove(&other).unwrap_or_default();
        for at in &moved {
            if let Some(of) = self.first.get_mut(*at) {
                *of = first;
            }
        }
        self.members.entry(first).or_default().extend(moved);
    }

    fn evidence(&self, at: usize) -> Option<&'a Evidence> {
        self.all.get(at)
    }

    /// Whether the names of all members of two groups agree.
    fn all_agree(&self, a: usize, b: usize) -> bool {
        let members = |of: usize| self.members.get(&of).into_iter().flatten().filter_map(|at| self.evidence(*at));
        members(a).all(|a| members(b).all(|b| a.names_agree(b)))
    }

    /// Joins resources of one NPI whose names and genders are equal.
    fn join_equal(&mut self, members: &[usize]) {
        let mut by_name: HashMap<(Kind, &Names, Option<char>), usize> = HashMap::new();
        for at in members {
            let Some(evidence) = self.evidence(*at).filter(|evidence| evidence.is_named()) else { continue };
            let first = *by_name.entry((evidence.kind, &evidence.names, evidence.gender)).or_insert(*at);
            self.join_if(first, *at);
        }
    }

    /// Joins resources of one NPI whose names agree, fully where the NPI is weak evidence.
    fn join_agreeing(&mut self, members: &[usize], is_weak: bool) {
        let mut groups: Vec<usize> = Vec::new();
        for at in members.iter().filter(|at| self.evidence(**at).is_some_and(Evidence::is_named)) {
            if groups.iter().all(|known| self.of(*known) != self.of(*at)) {
                groups.push(*at);
            }
            if groups.len() > MOST_NAMES {
                return;
            }
        }
        for at in members {
            for other in members.iter().filter(|other| *other > at) {
                let agree =
                    |a: &Evidence, b: &Evidence| if is_weak { a.names_agree_fully(b) } else { a.names_agree(b) };
                let both = self.evidence(*at).zip(self.evidence(*other));
                if both.is_some_and(|(a, b)| a.is_named() && b.is_named() && agree(a, b)) {
                    self.join_if(*at, *other);
                }
            }
        }
    }

    /// Joins two resources of one NPI if nothing parts them or those that they are one with already.
    fn join_if(&mut self, a: usize, b: usize) {
        let sites_agree = self.evidence(a).zip(self.evidence(b)).is_some_and(|(a, b)| a.sites_agree(b));
        if self.of(a) != self.of(b) && sites_agree && self.all_agree(self.of(a), self.of(b)) {
            self.join(a, b);
        }
    }

    /// Takes from organizations the NPIs that another one has too, as long as one is left.
    fn leave_to_others(&self, own: &mut [Vec<Npi>], by_npi: &BTreeMap<Npi, Vec<usize>>) {
        let is_organization = |at: usize| self.evidence(at).is_some_and(|e| e.kind == Kind::Organization);
        for (at, npis) in own.iter_mut().enumerate().filter(|(at, _)| is_organization(*at)) {
            keep_some(npis, |npi| {
                let members = by_npi.get(&npi).into_iter().flatten();
                members.copied().filter(|other| is_organization(*other)).all(|other| self.of(other) == self.of(at))
            });
        }
    }

    /// Joins a resource without a name with the one provider of its NPIs.
    fn join_unnamed(&mut self, own: &[Vec<Npi>], by_npi: &BTreeMap<Npi, Vec<usize>>) {
        let mut joined: Vec<(usize, usize)> = Vec::new();
        for (at, evidence) in self.all.iter().enumerate().filter(|(_, evidence)| !evidence.is_named()) {
            let npis = own.get(at).map_or(&[][..], Vec::as_slice);
            let others: Vec<usize> = npis
                .iter()
                .filter_map(|npi| by_npi.get(npi))
                .flatten()
                .copied()
                .filter(|other| *other != at && self.evidence(*other).is_some_and(|e| e.kind == evidence.kind))
                .collect();
            let named: BTreeSet<usize> = others
                .iter()
                .filter(|other| self.evidence(**other).is_some_and(Evidence::is_named))
                .map(|other| self.of(*other))
                .collect();
            let to = match named.len() {
                0 => others.into_iter().find(|other| own.get(*other).is_some_and(|own| own == npis)),
                1 => named.first().copied(),
                _ => None,
            };
            joined.extend(to.map(|to| (at, to)));
        }
        for (at, to) in joined {
            self.join(at, to);
        }
    }
}
