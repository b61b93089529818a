//! Roles as they came, and which of several versions counts.

use std::cmp::Ordering;
use std::collections::HashMap;

use coverdex_core::Result;
use coverdex_core::build::fold;
use coverdex_core::build::phone::PhoneNumber;

use crate::build::report::Report;
use crate::build::shelves::{Fields, Record, Shelves};
use crate::model::{Day, Individual, Period, Phone, ResourceKind, SourceId, Specialty, Standing};

use super::collect::{Came, NONE, References, RoleRest, Said};
use super::networks::Networks;
use super::phones::CodedPhones;
use super::providers::valid_npis;
use super::resources::{FACT, QUARANTINED, Resources, Version, newest};

/// Why contrary versions are counted besides.
const CONTRARY: &str = "another version of the same date says otherwise";

/// A role in few bytes.
#[derive(Clone, Copy, Debug)]
pub(super) struct RoleRecord {
    pub(super) source: u128,
    pub(super) stamp: i64,
    /// Its number; the greatest there is: not stated.
    pub(super) version: u64,
    pub(super) individual: u32,
    /// The NPI that it states beside a reference to an individual; 0: none.
    pub(super) npi: u64,
    pub(super) organization: u32,
    pub(super) networks: u32,
    pub(super) references: u32,
    pub(super) specialties: u32,
    /// Number of its [`RoleRest`], or of the reason why it was not understood.
    pub(super) rest: u32,
    pub(super) places: u32,
    pub(super) services: u32,
    pub(super) hours: u32,
    /// Number of the servers that it refers to.
    pub(super) servers: u32,
    pub(super) start: Day,
    pub(super) end: Day,
    pub(super) phones: u64,
    pub(super) what: u8,
    pub(super) is_affiliation: bool,
    pub(super) unreadable_network: bool,
}

impl RoleRecord {
    pub(super) const fn new(source: u128, stamp: i64, version: Option<u64>) -> Self {
        Self {
            source,
            stamp,
            version: match version {
                Some(version) => version,
                None => u64::MAX,
            },
            individual: NONE,
            npi: 0,
            organization: NONE,
            networks: NONE,
            references: NONE,
            specialties: NONE,
            rest: NONE,
            places: NONE,
            services: NONE,
            hours: NONE,
            servers: NONE,
            start: Day::MIN,
            end: Day::MAX,
            phones: 0,
            what: FACT,
            is_affiliation: false,
            unreadable_network: false,
        }
    }

    fn version(&self) -> Version {
        Version { stamp: self.stamp, number: Some(self.version).filter(|version| *version != u64::MAX) }
    }

    const fn kind(&self) -> ResourceKind {
        if self.is_affiliation { ResourceKind::Affiliation } else { ResourceKind::Role }
    }

    fn standing(&self, today: Day) -> Standing {
        let start = Some(self.start).filter(|day| *day != Day::MIN);
        Period { start, end: Some(self.end).filter(|day| *day != Day::MAX) }.on(today)
    }
}

impl Record for RoleRecord {
    const LENGTH: usize = 99;

    fn write(&self, bytes: &mut Vec<u8>) {
        bytes.extend(self.source.to_le_bytes());
        bytes.extend(self.stamp.to_le_bytes());
        bytes.extend(self.version.to_le_bytes());
        for number in [
            self.individual,
            self.organization,
            self.networks,
            self.references,
            self.specialties,
            self.rest,
            self.places,
            self.services,
            self.hours,
            self.servers,
            self.start.cast_unsigned(),
            self.end.cast_unsigned(),
        ] {
            bytes.extend(number.to_le_bytes());
        }
        bytes.extend(self.phones.to_le_bytes());
        bytes.extend(self.npi.to_le_bytes());
        bytes.extend([self.what, u8::from(self.is_affiliation), u8::from(self.unreadable_network)]);
    }

    fn read(fields: &mut Fields<'_>) -> Self {
        Self {
            source: fields.u128(),
            stamp: fields.i64(),
            version: fields.u64(),
            individual: fields.u32(),
            organization: fields.u32(),
            networks: fields.u32(),
            references: fields.u32(),
            specialties: fields.u32(),
            rest: fields.u32(),
            places: fields.u32(),
            services: fields.u32(),
            hours: fields.u32(),
            servers: fields.u32(),
            start: fields.u32().cast_signed(),
            end: fields.u32().cast_signed(),
            phones: fields.u64(),
            npi: fields.u64(),
            what: fields.u8(),
            is_affiliation: fields.u8() != 0,
            unreadable_network: fields.u8() != 0,
        }
    }
}

/// A role as it is used: numbers into [`Said`].
#[derive(Clone, Copy, Debug)]
pub(super) struct RoleUse {
    /// The resource that says it; `None` for a further version of one that is counted already.
    pub(super) kind: Option<ResourceKind>,
    pub(super) individual: u32,
    pub(super) organization: u32,
    pub(super) networks: u32,
    pub(super) references: u32,
    pub(super) specialties: u32,
    pub(super) rest: u32,
    pub(super) places: u32,
    /// Number of its list of services; [`NONE`]: it names none.
    pub(super) services: u32,
    /// Number of its own hours; [`NONE`]: it states none.
    pub(super) hours: u32,
    pub(super) phones: CodedPhones,
    /// How its period stands to the day of the data.
    pub(super) standing: Standing,
    /// It states a network that cannot be read.
    pub(super) unreadable_network: bool,
    /// Another version of the same date says otherwise.
    pub(super) contrary: bool,
}

impl RoleUse {
    fn of(record: &RoleRecord, said: &Said, today: Day) -> Self {
        Self {
            kind: Some(record.kind()),
            individual: said.individuals.resolved(record.individual),
            organization: said.organizations.resolved(record.organization),
            networks: record.networks,
            references: record.references,
            specialties: record.specialties,
            rest: record.rest,
            places: record.places,
            services: record.services,
            hours: record.hours,
            phones: CodedPhones(record.phones),
            standing: record.standing(today),
            unreadable_network: record.unreadable_network,
            contrary: false,
        }
    }
}

/// All roles that came, by their identities.
pub(super) type RoleShelves = Shelves<RoleRecord>;

/// For each role the number of the servers that it refers to.
pub(super) fn servers_of(shelves: &mut RoleShelves) -> Result<Vec<u32>> {
    let mut servers = Vec::new();
    for at in 0..shelves.count() {
        let mut of_shelf: Vec<(u128, u32)> = shelves.read(at)?.iter().map(|role| (role.source, role.servers)).collect();
        of_shelf.sort_unstable();
        of_shelf.dedup_by_key(|(source, _)| *source);
        servers.extend(of_shelf.into_iter().map(|(_, servers)| servers));
    }
    Ok(servers)
}

impl Said {
    /// The newest version of every role that was understood, all of them where several are the newest
    /// and say different things; the others are reported.
    pub(super) fn roles(&mut self, today: Day, networks: &Networks, report: &mut Report) -> Result<Vec<RoleUse>> {
        let mut used = Vec::new();
        let Some(mut shelves) = self.roles.take() else { return Ok(used) };
        for at in 0..shelves.count() {
            let mut records = shelves.read(at)?;
            records.sort_by_key(|record| record.source);
            for versions in records.chunk_by(|a, b| a.source == b.source) {
                self.repeats += versions.len() as u64 - 1;
                let mut versions = versions.to_vec();
                for version in &mut versions {
                    self.lead_by_npi(version)?;
                }
                newest(&mut versions, RoleRecord::version);
                versions.sort_by(|a, b| self.compare(b, a));
                versions.dedup_by(|a, b| self.compare(a, b) == Ordering::Equal);
                self.take_versions(&versions, (today, networks), report, &mut used);
            }
        }
        Ok(used)
    }

    /// Where the individual that a role refers to did not come, the one that has the NPI which stands beside
    /// the reference, if it is one alone.
    fn lead_by_npi(&mut self, role: &mut RoleRecord) -> Result<()> {
        if role.npi == 0 || role.individual == NONE || self.individuals.came(self.individuals.resolved(role.individual))
        {
            return Ok(());
        }
        if self.by_npi.is_none() {
            let mut by_npi = HashMap::new();
            for number in (0..).take(self.individuals.len()) {
                let Some(Came::Fact(facts)) = self.individuals.read::<Individual>(number)? else { continue };
                for npi in valid_npis(&facts.npis) {
                    by_npi.entry(npi.number()).and_modify(|known| *known = NONE).or_insert(number);
                }
            }
            self.by_npi = Some(by_npi);
        }
        let found = self.by_npi.as_ref().and_then(|by_npi| by_npi.get(&role.npi)).copied();
        role.individual = found.filter(|number| *number != NONE).unwrap_or(role.individual);
        Ok(())
    }

    /// Takes the versions of one role of which none is newer than another, and that differ.
    fn take_versions(
        &mut self,
        versions: &[RoleRecord],
        (today, networks): (Day, &Networks),
        report: &mut Report,
        used: &mut Vec<RoleUse>,
    ) {
        let Some(first) = versions.first() else { return };
        let mut roles: Vec<RoleUse> = versions
            .iter()
            .filter(|version| version.what == FACT)
            .map(|version| RoleUse::of(version, self, today))
            .collect();
        let Some(role) = roles.first().copied() else {
            let reason = self.reasons.value(first.rest).map_or("", String::as_str);
            match first.what {
                QUARANTINED => report.quarantined(first.kind(), reason),
                _ => report.of_no_use(first.kind(), reason),
            }
            return;
        };
        if versions.len() == 1 {
            used.push(role);
            return;
        }
        let all_read = roles.len() == versions.len();
        if all_read && roles.iter().all(|other| self.decides(other, networks) == self.decides(&role, networks)) {
            used.push(self.united(role, &roles));
            return;
        }
        report.kept_apart(first.kind(), CONTRARY);
        if all_read {
            used.extend(self.agreed(&roles, networks));
        }
        for (at, role) in roles.iter_mut().enumerate() {
            role.contrary = true;
            role.kind = role.kind.filter(|_| at == 0);
        }
        used.append(&mut roles);
    }

    /// What decides an answer on a role.
    fn decides(&self, role: &RoleUse, networks: &Networks) -> impl PartialEq + use<> {
        let rest = self.rests.value(role.rest);
        let references = self.references.value(role.references).map_or(&[][..], Vec::as_slice);
        let mut specialties: Vec<_> = self
            .specialties
            .value(role.specialties)
            .into_iter()
            .flatten()
            .map(|specialty| (specialty.text.as_deref().map(fold::key), specialty.taxonomy.clone()))
            .collect();
        specialties.sort();
        specialties.dedup();
        (
            (role.individual, role.organization, role.services, role.standing, role.unreadable_network),
            (networks.among(&self.networks_of(role.networks), references), networks.any_lost(references)),
            (self.places_of(role), specialties),
            rest.map(|rest| (rest.active == Some(false), rest.directory_types.clone())),
        )
    }

    /// What all versions of a role say alike, where it is enough for an answer: who, and in which network.
    fn agreed(&mut self, versions: &[RoleUse], networks: &Networks) -> Option<RoleUse> {
        let (role, others) = versions.split_first()?;
        let who = |role: &RoleUse| {
            let is_marked = self.rests.value(role.rest).is_some_and(|rest| rest.active == Some(false));
            let is_inactive = is_marked || role.standing != Standing::Current;
            (role.individual, role.organization, role.services, is_inactive)
        };
        if others.iter().any(|other| who(other) != who(role)) {
            return None;
        }
        let references = |role: &RoleUse| self.references.value(role.references).map_or(&[][..], Vec::as_slice);
        let all: Vec<Vec<u16>> =
            others.iter().map(|other| networks.among(&self.networks_of(other.networks), references(other))).collect();
        let by_all = |found: Vec<u16>| {
            !found.is_empty() && found.iter().all(|network| all.iter().all(|other| other.contains(network)))
        };
        let mut named: Vec<u32> = self.networks.value(role.networks).cloned().unwrap_or_default();
        named.retain(|number| {
            self.network_names.value(*number).is_some_and(|name| by_all(networks.among(&[name], &[])))
        });
        let mut referred: References = references(role).to_vec();
        referred.retain(|reference| by_all(networks.among(&[], std::slice::from_ref(reference))));
        let is_silent = |role: &RoleUse| self.networks_of(role.networks).is_empty() && references(role).is_empty();
        if named.is_empty() && referred.is_empty() && !versions.iter().all(is_silent) {
            return None;
        }
        let mut places = self.places_of(role);
        places.retain(|place| others.iter().all(|other| self.places_of(other).contains(place)));
        let places: Vec<SourceId> =
            places.iter().filter_map(|place| self.places.source(*place)).map(SourceId).collect();
        let specialties = |role: &RoleUse| self.specialties.value(role.specialties).cloned().unwrap_or_default();
        let mut shared = specialties(role);
        shared.retain(|specialty| others.iter().all(|other| specialties(other).iter().any(|o| is_same(specialty, o))));
        let types = |role: &RoleUse| self.rests.value(role.rest).map(|rest| rest.directory_types.clone());
        let mut directory_types = types(role).unwrap_or_default();
        directory_types.retain(|kind| others.iter().filter_map(types).all(|types| types.contains(kind)));
        let united = self.united(*role, versions);
        let rest = self.rests.value(united.rest).cloned().unwrap_or_default();
        Some(RoleUse {
            kind: None,
            networks: self.networks.number(named),
            references: self.references.number(referred),
            places: self.number_places(&places),
            specialties: self.specialties.number(shared),
            rest: self.rests.number(RoleRest { directory_types, ..rest }),
            unreadable_network: versions.iter().any(|version| version.unreadable_network),
            ..united
        })
    }

    /// A role with what its versions say of phones, hours and new patients.
    fn united(&mut self, role: RoleUse, versions: &[RoleUse]) -> RoleUse {
        let phones: Vec<Phone> = versions.iter().flat_map(|version| self.stated_phones(version.phones)).collect();
        let mut rest = self.rests.value(role.rest).cloned().unwrap_or_default();
        rest.accepting =
            versions.iter().filter_map(|v| self.rests.value(v.rest)).flat_map(|rest| rest.accepting.clone()).collect();
        rest.accepting.sort();
        rest.accepting.dedup();
        RoleUse {
            rest: self.rests.number(rest),
            phones: self.code_each_once(phones),
            hours: versions.iter().map(|version| version.hours).find(|hours| *hours != NONE).unwrap_or(NONE),
            ..role
        }
    }

    /// The phones that a coded number stands for.
    pub(super) fn stated_phones(&self, coded: CodedPhones) -> Vec<Phone> {
        match self.phones.stated(coded) {
            (_, Some(list)) => list.clone(),
            (number, None) => PhoneNumber::from_number(number, None)
                .map(|phone| Phone { number: phone.to_string(), period: Period::default() })
                .into_iter()
                .collect(),
        }
    }

    pub(super) fn code_each_once(&mut self, mut phones: Vec<Phone>) -> CodedPhones {
        let mut seen = std::collections::HashSet::new();
        phones.retain(|phone| seen.insert(phone.clone()));
        self.phones.code(&phones)
    }

    /// What roles' records say, compared by content and never by the order of arrival.
    fn compare(&self, a: &RoleRecord, b: &RoleRecord) -> Ordering {
        self.said_by(a).cmp(&self.said_by(b))
    }

    fn said_by(&self, record: &RoleRecord) -> impl Ord + '_ {
        let source = |resources: &Resources, number: u32| resources.source(number);
        let each = |resources: &Resources, numbers: Vec<u32>| {
            let mut sources: Vec<Option<u128>> = numbers.iter().map(|number| source(resources, *number)).collect();
            sources.sort_unstable();
            sources
        };
        let reason = (record.what != FACT).then(|| self.reasons.value(record.rest)).flatten();
        let rest: Option<&RoleRest> = (record.what == FACT).then(|| self.rests.value(record.rest)).flatten();
        (
            (record.what, reason, rest, self.phones.stated(CodedPhones(record.phones)), self.hours.value(record.hours)),
            (source(&self.individuals, record.individual), source(&self.organizations, record.organization)),
            (self.networks_of(record.networks), self.references.value(record.references)),
            (self.specialties.value(record.specialties), record.start, record.end, record.unreadable_network),
            each(&self.places, self.places_numbered(record.places)),
            each(&self.services, self.service_lists.value(record.services).cloned().unwrap_or_default()),
        )
    }
}

/// Whether two specialties are one, however they are written.
fn is_same(a: &Specialty, b: &Specialty) -> bool {
    let text = |specialty: &Specialty| specialty.text.as_deref().map(fold::key);
    (a.taxonomy.is_some() && a.taxonomy == b.taxonomy) || (a.text.is_some() && text(a) == text(b))
}
