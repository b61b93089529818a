//! Taking in what the sources say of providers, in any order and from several threads.

use std::collections::HashSet;
use std::sync::{Mutex, PoisonError};

use coverdex_core::Result;

use crate::build::intern::Interner;
use crate::build::report::Report;
use crate::build::shelves::{Fields, Record, Shelves};
use crate::model::{
    AcceptingPatients, Content, Fact, NetworkName, PlanFacts, Received, ResourceKind, Role, SourceId, Specialty, Stamp,
};

use super::ink::{Ink, Inked, Page};
use super::phones::{CodedPhones, StatedPhones};

/// No number.
pub(super) const NONE: u32 = u32::MAX;

/// In a role's places: the rest is where its set of places begins.
const SET: u32 = 1 << 31;

/// Shelves that roles are spread over, by the first byte of their identity.
const SHELVES: usize = 256;

/// First byte of a record that is a fact, that was quarantined, that is of no use.
const FACT: u8 = 0;
const QUARANTINED: u8 = 1;
const OF_NO_USE: u8 = 2;

/// Networks by reference to an Organization, with labels.
pub(super) type References = Vec<(SourceId, Option<String>)>;

/// What a role says beside who, where, which networks, which specialties, and how to reach it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct RoleRest {
    pub(super) active: Option<bool>,
    pub(super) directory_types: Vec<String>,
    pub(super) accepting: Vec<AcceptingPatients>,
}

/// A role in few bytes.
#[derive(Clone, Copy, Debug)]
struct RoleRecord {
    source: u128,
    stamp: i64,
    individual: u32,
    organization: u32,
    networks: u32,
    references: u32,
    specialties: u32,
    /// Number of its [`RoleRest`], or of the reason why it was not understood.
    rest: u32,
    places: u32,
    hours: u32,
    phones: u64,
    what: u8,
}

impl Record for RoleRecord {
    const LENGTH: usize = 65;

    fn write(&self, bytes: &mut Vec<u8>) {
        bytes.extend(self.source.to_le_bytes());
        bytes.extend(self.stamp.to_le_bytes());
        for number in [
            self.individual,
            self.organization,
            self.networks,
            self.references,
            self.specialties,
            self.rest,
            self.places,
            self.hours,
        ] {
            bytes.extend(number.to_le_bytes());
        }
        bytes.extend(self.phones.to_le_bytes());
        bytes.push(self.what);
    }

    fn read(fields: &mut Fields<'_>) -> Self {
        Self {
            source: fields.u128(),
            stamp: fields.i64(),
            individual: fields.u32(),
            organization: fields.u32(),
            networks: fields.u32(),
            references: fields.u32(),
            specialties: fields.u32(),
            rest: fields.u32(),
            places: fields.u32(),
            hours: fields.u32(),
            phones: fields.u64(),
            what: fields.u8(),
        }
    }
}

/// A role as it is used: numbers into [`Said`].
#[derive(Clone, Copy, Debug)]
pub(super) struct RoleUse {
    pub(super) individual: u32,
    pub(super) organization: u32,
    pub(super) networks: u32,
    pub(super) references: u32,
    pub(super) specialties: u32,
    pub(super) rest: u32,
    places: u32,
    /// Number of its own hours; [`NONE`]: it states none.
    pub(super) hours: u32,
    pub(super) phones: CodedPhones,
}

/// Resources of one type: each identity has a number, whether it came or is only referred to.
#[derive(Debug, Default)]
pub(super) struct Resources {
    sources: Interner<u128>,
    slots: Vec<Slot>,
    bytes: Vec<u8>,
}

#[derive(Clone, Copy, Debug)]
struct Slot {
    stamp: i64,
    at: usize,
    /// 0: it did not come.
    length: u32,
}

/// The newest version of a resource that came.
#[derive(Debug)]
pub(super) enum Came<T> {
    Fact(T),
    Quarantined(String),
    OfNoUse(String),
}

impl<T> Came<T> {
    pub(super) fn map<U>(self, of: impl FnOnce(T) -> U) -> Came<U> {
        match self {
            Self::Fact(fact) => Came::Fact(of(fact)),
            Self::Quarantined(reason) => Came::Quarantined(reason),
            Self::OfNoUse(reason) => Came::OfNoUse(reason),
        }
    }
}

impl Resources {
    fn number(&mut self, source: SourceId) -> u32 {
        let number = self.sources.number(source.0);
        self.slots.resize(self.sources.len(), Slot { stamp: i64::MIN, at: 0, length: 0 });
        number
    }

    /// The number of a resource that came or is referred to.
    pub(super) fn numbered(&self, source: SourceId) -> Option<u32> {
        self.sources.find(&source.0)
    }

    /// Keeps a version if it is the newest, of two of one date the one with the greater bytes.
    /// Returns whether another version came before.
    fn keep(&mut self, source: SourceId, stamp: i64, record: &[u8]) -> bool {
        let number = self.number(source) as usize;
        let Some(slot) = self.slots.get_mut(number) else { return false };
        let came = slot.length != 0;
        let kept = self.bytes.get(slot.at..slot.at + slot.length as usize).unwrap_or_default();
        if !came || (stamp, record) > (slot.stamp, kept) {
            let length = u32::try_from(record.len()).unwrap_or(0);
            *slot = Slot { stamp, at: self.bytes.len(), length };
            self.bytes.extend_from_slice(record);
        }
        came
    }

    pub(super) fn len(&self) -> usize {
        self.slots.len()
    }

    /// Frees what the resources say; their numbers stay.
    pub(super) fn forget(&mut self) {
        self.bytes = Vec::new();
    }

    /// The number of an identity that came or is referred to.
    pub(super) fn find(&self, source: SourceId) -> Option<u32> {
        self.sources.find(&source.0)
    }

    /// A resource's record and date, for ordering those that are folded: newest first, ties by
    /// content, then by identity.
    pub(super) fn order(&self, number: u32) -> (std::cmp::Reverse<i64>, &[u8], u128) {
        let at = number as usize;
        let slot = self.slots.get(at).copied().unwrap_or(Slot { stamp: i64::MIN, at: 0, length: 0 });
        let bytes = self.bytes.get(slot.at..slot.at + slot.length as usize).unwrap_or_default();
        (std::cmp::Reverse(slot.stamp), bytes, self.sources.value(number).copied().unwrap_or_default())
    }

    /// What a resource says; `None`: it did not come.
    pub(super) fn read<T: Inked>(&self, number: u32) -> Result<Option<Came<T>>> {
        let (_, bytes, _) = self.order(number);
        let Some((what, rest)) = bytes.split_first() else { return Ok(None) };
        let mut page = Page(rest);
        Ok(Some(match *what {
            FACT => Came::Fact(T::read(&mut page)?),
            QUARANTINED => Came::Quarantined(page.text()?),
            _ => Came::OfNoUse(page.text()?),
        }))
    }
}

/// The networks of one InsurancePlan resource.
#[derive(Debug)]
struct Offer {
    source: SourceId,
    stamp: Stamp,
    networks: Vec<NetworkName>,
    references: References,
}

/// Everything that was said of providers.
#[derive(Default)]
pub(super) struct Said {
    pub(super) individuals: Resources,
    pub(super) organizations: Resources,
    pub(super) places: Resources,
    network_names: Interner<NetworkName>,
    /// Every spelling of a system that roles name networks by: names are equal whatever the spelling.
    pub(super) role_systems: HashSet<String>,
    networks: Interner<Vec<u32>>,
    pub(super) references: Interner<References>,
    pub(super) specialties: Interner<Vec<Specialty>>,
    pub(super) rests: Interner<RoleRest>,
    /// Hours that roles state for themselves.
    pub(super) hours: Interner<String>,
    /// Phones that roles state for themselves.
    pub(super) phones: StatedPhones,
    /// Sets of places one after the other, each behind its length.
    place_sets: Vec<u32>,
    reasons: Interner<String>,
    roles: Option<Shelves<RoleRecord>>,
    offers: Vec<Offer>,
    pub(super) newest: Option<i64>,
    pub(super) repeats: u64,
}

/// Collects facts about providers.
pub(crate) struct Collector(Mutex<Said>);

impl Collector {
    pub(crate) fn new() -> Self {
        Self(Mutex::new(Said::default()))
    }

    /// Takes the resources of the directory and the networks of plans; others are passed over.
    pub(crate) fn take(&self, batch: &[Received]) -> Result<()> {
        let mut said = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        batch.iter().try_for_each(|received| said.take(received))
    }

    pub(super) fn into_said(self) -> Said {
        self.0.into_inner().unwrap_or_else(PoisonError::into_inner)
    }
}

fn shelf(source: u128) -> usize {
    usize::from(source.to_be_bytes()[0])
}

impl Said {
    fn take(&mut self, received: &Received) -> Result<()> {
        let Received { kind, source, updated, content, .. } = received;
        match kind {
            ResourceKind::PractitionerRole => self.take_role(*source, *updated, content)?,
            ResourceKind::Practitioner | ResourceKind::Organization | ResourceKind::Location => {
                self.take_resource(*kind, *source, *updated, content);
            }
            ResourceKind::InsurancePlan => {
                if let Content::Fact(Fact::Plans(plans)) = content {
                    self.take_offer(*source, *updated, plans);
                }
                return Ok(());
            }
            _ => return Ok(()),
        }
        self.newest = self.newest.max(updated.0);
        Ok(())
    }

    fn take_resource(&mut self, kind: ResourceKind, source: SourceId, updated: Stamp, content: &Content) {
        let mut ink = Ink(vec![FACT]);
        match content {
            Content::Fact(Fact::Individual(facts)) => facts.write(&mut ink),
            Content::Fact(Fact::Organization(facts)) => facts.write(&mut ink),
            Content::Fact(Fact::Place(facts)) => facts.write(&mut ink),
            Content::Fact(_) => return,
            Content::Quarantined(reason) => refuse(&mut ink, QUARANTINED, reason),
            Content::OfNoUse(reason) => refuse(&mut ink, OF_NO_USE, reason),
        }
        let resources = match kind {
            ResourceKind::Practitioner => &mut self.individuals,
            ResourceKind::Organization => &mut self.organizations,
            _ => &mut self.places,
        };
        self.repeats += u64::from(resources.keep(source, updated.0.unwrap_or(i64::MIN), &ink.0));
    }

    fn take_role(&mut self, source: SourceId, updated: Stamp, content: &Content) -> Result<()> {
        let mut record = RoleRecord {
            source: source.0,
            stamp: updated.0.unwrap_or(i64::MIN),
            individual: NONE,
            organization: NONE,
            networks: NONE,
            references: NONE,
            specialties: NONE,
            rest: NONE,
            places: NONE,
            hours: NONE,
            phones: 0,
            what: FACT,
        };
        match content {
            Content::Fact(Fact::Role(role)) => self.fill_role(&mut record, role),
            Content::Fact(_) => return Ok(()),
            Content::Quarantined(reason) => {
                record.what = QUARANTINED;
                record.rest = self.reasons.number(reason.clone());
            }
            Content::OfNoUse(reason) => {
                record.what = OF_NO_USE;
                record.rest = self.reasons.number(reason.clone());
            }
        }
        self.roles.get_or_insert_with(|| Shelves::new(SHELVES)).put(shelf(source.0), &record)
    }

    fn fill_role(&mut self, record: &mut RoleRecord, role: &Role) {
        record.individual = role.individual.map_or(NONE, |source| self.individuals.number(source));
        record.organization = role.organization.map_or(NONE, |source| self.organizations.number(source));
        for name in &role.networks {
            if !self.role_systems.contains(name.key.system()) {
                self.role_systems.insert(name.key.system().to_owned());
            }
        }
        let names = role.networks.iter().map(|name| self.network_names.number(name.clone())).collect();
        record.networks = self.networks.number(names);
        record.references = self.references.number(role.network_references.clone());
        record.specialties = self.specialties.number(role.specialties.clone());
        record.rest = self.rests.number(RoleRest {
            active: role.active,
            directory_types: role.directory_types.clone(),
            accepting: role.accepting.clone(),
        });
        record.hours = role.hours.as_ref().map_or(NONE, |hours| self.hours.number(hours.clone()));
        record.phones = self.phones.code(&role.phones).0;
        let mut places: Vec<u32> = role.places.iter().map(|source| self.places.number(*source)).collect();
        places.sort_unstable();
        places.dedup();
        record.places = match places.as_slice() {
            [] => NONE,
            [one] => *one,
            _ => {
                let at = u32::try_from(self.place_sets.len()).unwrap_or(NONE);
                self.place_sets.push(u32::try_from(places.len()).unwrap_or(0));
                self.place_sets.extend(places);
                SET | at
            }
        };
    }

    fn take_offer(&mut self, source: SourceId, stamp: Stamp, plans: &[PlanFacts]) {
        let mut offer = Offer { source, stamp, networks: Vec::new(), references: Vec::new() };
        for plan in plans {
            offer.networks.extend(plan.networks.iter().cloned());
            offer.references.extend(plan.network_references.iter().cloned());
        }
        offer.networks.sort();
        offer.references.sort();
        self.offers.push(offer);
    }

    /// The networks that plans name, by key and by reference, of the newest version of each plan.
    pub(super) fn offered(&self) -> (Vec<&NetworkName>, Vec<&(SourceId, Option<String>)>) {
        let mut offers: Vec<&Offer> = self.offers.iter().collect();
        let spelling =
            |offer: &Offer| -> Vec<String> { offer.networks.iter().map(|name| name.key.system().to_owned()).collect() };
        offers.sort_by_cached_key(|offer| {
            (
                offer.source,
                std::cmp::Reverse(offer.stamp),
                offer.networks.clone(),
                offer.references.clone(),
                spelling(offer),
            )
        });
        offers.dedup_by_key(|offer| offer.source);
        (offers.iter().flat_map(|o| &o.networks).collect(), offers.iter().flat_map(|o| &o.references).collect())
    }

    /// The newest version of every role that was understood; the others are reported.
    pub(super) fn roles(&mut self, report: &mut Report) -> Result<Vec<RoleUse>> {
        let mut used = Vec::new();
        let Some(mut shelves) = self.roles.take() else { return Ok(used) };
        for at in 0..shelves.count() {
            let mut records = shelves.read(at)?;
            records.sort_by(|a, b| {
                (a.source, a.stamp).cmp(&(b.source, b.stamp)).then_with(|| self.said_by(a).cmp(&self.said_by(b)))
            });
            let mut records = records.into_iter().peekable();
            while let Some(record) = records.next() {
                if records.peek().is_some_and(|next| next.source == record.source) {
                    self.repeats += 1;
                    continue;
                }
                let reason = || self.reasons.value(record.rest).map_or("", String::as_str);
                match record.what {
                    FACT => used.push(RoleUse {
                        individual: record.individual,
                        organization: record.organization,
                        networks: record.networks,
                        references: record.references,
                        specialties: record.specialties,
                        rest: record.rest,
                        places: record.places,
                        hours: record.hours,
                        phones: CodedPhones(record.phones),
                    }),
                    QUARANTINED => report.quarantined(ResourceKind::PractitionerRole, reason()),
                    _ => report.of_no_use(ResourceKind::PractitionerRole, reason()),
                }
            }
        }
        Ok(used)
    }

    /// What a role's record says, compared by content and never by the order of arrival.
    fn said_by(&self, record: &RoleRecord) -> impl Ord + '_ {
        let source = |resources: &Resources, number: u32| resources.sources.value(number).copied();
        let places: Vec<Option<u128>> =
            self.places_numbered(record.places).iter().map(|place| source(&self.places, *place)).collect();
        let reason = (record.what != FACT).then(|| self.reasons.value(record.rest)).flatten();
        let rest = (record.what == FACT).then(|| self.rests.value(record.rest)).flatten();
        (
            (record.what, reason, rest, self.phones.stated(CodedPhones(record.phones)), self.hours.value(record.hours)),
            (source(&self.individuals, record.individual), source(&self.organizations, record.organization)),
            (self.networks_of(record.networks), self.references.value(record.references)),
            self.specialties.value(record.specialties),
            sorted(places),
        )
    }

    fn places_numbered(&self, places: u32) -> Vec<u32> {
        if places == NONE {
            Vec::new()
        } else if places & SET == 0 {
            vec![places]
        } else {
            let mut set = self.place_sets.iter().skip((places & !SET) as usize);
            let length = set.next().copied().unwrap_or(0);
            set.take(length as usize).copied().collect()
        }
    }

    /// Every network that a role names by its key.
    pub(super) fn network_names(&self) -> impl Iterator<Item = &NetworkName> {
        self.network_names.values()
    }

    /// The networks that a role names by their keys.
    pub(super) fn networks_of(&self, networks: u32) -> Vec<&NetworkName> {
        let names = self.networks.value(networks).into_iter().flatten();
        names.filter_map(|name| self.network_names.value(*name)).collect()
    }

    /// The places that a role names.
    pub(super) fn places_of(&self, role: &RoleUse) -> Vec<u32> {
        self.places_numbered(role.places)
    }
}

fn sorted<T: Ord>(mut all: Vec<T>) -> Vec<T> {
    all.sort();
    all
}

fn refuse(ink: &mut Ink, what: u8, reason: &str) {
    ink.0.clear();
    ink.0.push(what);
    ink.text(reason);
}
