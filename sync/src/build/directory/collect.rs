//! Taking in what the sources say of providers, in any order and from several threads.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use coverdex_core::Npi;
use coverdex_core::Result;

use crate::build::intern::Interner;
use crate::model::{
    AcceptingPatients, Content, Day, Fact, Individual, NetworkName, OrganizationFacts, Place, PlanFacts, Received,
    ResourceKind, Role, SourceId, Specialty,
};

use super::ink::{Ink, Inked};
use super::phones::StatedPhones;
use super::resources::{FACT, OF_NO_USE, QUARANTINED, Version, newest};
use super::role_versions::{RoleRecord, RoleShelves, servers_of};
use super::servers::SeenServers;

pub(super) use super::resources::{Came, Resources, differ};
pub(super) use super::role_versions::RoleUse;

/// No number.
pub(super) const NONE: u32 = u32::MAX;

/// In a role's places: the rest is where its set of places begins.
const SET: u32 = 1 << 31;

/// Shelves that roles are spread over, by the first byte of their identity.
const SHELVES: usize = 256;

/// Networks by reference to an Organization, with labels.
pub(super) type References = Vec<(SourceId, Option<String>)>;

/// What a role says beside who, where, which networks, which specialties, and how to reach it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct RoleRest {
    pub(super) active: Option<bool>,
    pub(super) directory_types: Vec<String>,
    pub(super) accepting: Vec<AcceptingPatients>,
}

/// The networks of one InsurancePlan resource.
#[derive(Debug)]
struct Offer {
    source: SourceId,
    version: Version,
    networks: Vec<NetworkName>,
    references: References,
}

/// Everything that was said of providers.
#[derive(Default)]
pub(super) struct Said {
    pub(super) individuals: Resources,
    pub(super) organizations: Resources,
    pub(super) places: Resources,
    pub(super) services: Resources,
    pub(super) service_lists: Interner<Vec<u32>>,
    pub(super) network_names: Interner<NetworkName>,
    /// Every spelling of a system that roles name networks by: names are equal whatever the spelling.
    pub(super) role_systems: HashSet<String>,
    pub(super) networks: Interner<Vec<u32>>,
    pub(super) references: Interner<References>,
    pub(super) specialties: Interner<Vec<Specialty>>,
    pub(super) rests: Interner<RoleRest>,
    /// Hours that roles state for themselves.
    pub(super) hours: Interner<String>,
    /// Phones that roles state for themselves.
    pub(super) phones: StatedPhones,
    /// Sets of places one after the other, each behind its length.
    place_sets: Vec<u32>,
    pub(super) reasons: Interner<String>,
    /// Takes what does not fit in memory.
    folder: PathBuf,
    pub(super) roles: Option<RoleShelves>,
    /// Individuals by NPI, once a role needs it; [`NONE`] where several have it.
    pub(super) by_npi: Option<HashMap<u64, u32>>,
    servers: SeenServers,
    /// Hashes of the payer's own servers.
    pub(super) local: Vec<u128>,
    offers: Vec<Offer>,
    pub(super) newest: Option<i64>,
    pub(super) repeats: u64,
}

/// Collects facts about providers.
pub(crate) struct Collector(Mutex<Said>);

impl Collector {
    /// `folder` takes what does not fit in memory.
    pub(crate) fn new(folder: &Path) -> Self {
        Self(Mutex::new(Said { folder: folder.to_owned(), ..Said::default() }))
    }

    /// Takes the resources of the directory and the networks of plans; others are passed over.
    pub(crate) fn take(&self, batch: &[Received]) -> Result<()> {
        let mut said = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        batch.iter().try_for_each(|received| said.take(received))
    }

    /// What was said, when all of it has come.
    pub(super) fn into_said(self) -> Result<Said> {
        let mut said = self.0.into_inner().unwrap_or_else(PoisonError::into_inner);
        said.settle()?;
        Ok(said)
    }
}

fn shelf(source: u128) -> usize {
    usize::from(source.to_be_bytes()[0])
}

impl Said {
    fn take(&mut self, received: &Received) -> Result<()> {
        let Received { kind, source, updated, version, servers, content, .. } = received;
        let servers = self.servers.take(servers.as_deref());
        let version = Version { stamp: updated.0.unwrap_or(i64::MIN), number: *version };
        match kind {
            ResourceKind::Role | ResourceKind::Affiliation => {
                let mut record = RoleRecord::new(source.0, version.stamp, version.number);
                record.is_affiliation = *kind == ResourceKind::Affiliation;
                record.servers = servers;
                self.take_role(record, content)?;
            }
            ResourceKind::Individual | ResourceKind::Organization | ResourceKind::Place | ResourceKind::Service => {
                self.take_resource(*kind, *source, version, servers, content);
            }
            ResourceKind::Plan => {
                if let Content::Fact(Fact::Plans(plans)) = content {
                    self.take_offer(*source, version, plans);
                }
                return Ok(());
            }
            _ => return Ok(()),
        }
        self.newest = self.newest.max(updated.0);
        Ok(())
    }

    fn take_resource(
        &mut self,
        kind: ResourceKind,
        source: SourceId,
        version: Version,
        servers: u32,
        content: &Content,
    ) {
        let mut ink = Ink(vec![FACT]);
        match content {
            Content::Fact(Fact::Individual(facts)) => facts.write(&mut ink),
            Content::Fact(Fact::Organization(facts)) => facts.write(&mut ink),
            Content::Fact(Fact::Place(facts)) => facts.write(&mut ink),
            Content::Fact(Fact::Service(facts)) => {
                facts.write(&mut ink);
                // Which networks there are is decided before services are read again.
                self.number_networks(&facts.networks);
                self.references.number(facts.network_references.clone());
            }
            Content::Fact(_) => return,
            Content::Quarantined(reason) => refuse(&mut ink, QUARANTINED, reason),
            Content::OfNoUse(reason) => refuse(&mut ink, OF_NO_USE, reason),
        }
        let resources = match kind {
            ResourceKind::Individual => &mut self.individuals,
            ResourceKind::Organization => &mut self.organizations,
            ResourceKind::Service => &mut self.services,
            _ => &mut self.places,
        };
        self.repeats += u64::from(resources.keep(source, version, servers, &ink.0));
    }

    fn take_role(&mut self, mut record: RoleRecord, content: &Content) -> Result<()> {
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
        self.roles.get_or_insert_with(|| RoleShelves::new(SHELVES, &self.folder)).put(shelf(record.source), &record)
    }

    /// Decides between versions, and finds what references at the payer's own servers lead to.
    fn settle(&mut self) -> Result<()> {
        let all = [&mut self.individuals, &mut self.organizations, &mut self.places, &mut self.services];
        all.into_iter().for_each(Resources::settle);
        self.individuals.unite::<Individual>()?;
        self.organizations.unite::<OrganizationFacts>()?;
        self.places.unite::<Place>()?;
        if self.servers.is_empty() {
            return Ok(());
        }
        let mut of_roles = Vec::new();
        if let Some(shelves) = &mut self.roles {
            of_roles = servers_of(shelves)?;
        }
        let all = [&self.individuals, &self.organizations, &self.places, &self.services];
        self.local = self.servers.local(|| {
            of_roles.extend(all.into_iter().flat_map(Resources::servers));
            of_roles
        });
        for resources in [&mut self.individuals, &mut self.organizations, &mut self.places, &mut self.services] {
            resources.resolve_at(&self.local);
        }
        Ok(())
    }

    /// The resource that an identity leads to: itself, or where it is a reference to one of the payer's
    /// own servers, the resource there that came. One that leads nowhere stays what it is.
    pub(super) fn resolve(&self, source: SourceId) -> SourceId {
        let all = || [&self.organizations, &self.places, &self.individuals, &self.services];
        let came = |source: SourceId| {
            all().into_iter().any(|resources| resources.find(source).is_some_and(|number| resources.came(number)))
        };
        if self.local.is_empty() || came(source) {
            return source;
        }
        let mut there = self.local.iter().map(|server| source.at(*server));
        there.find(|source| came(*source)).unwrap_or(source)
    }

    fn fill_role(&mut self, record: &mut RoleRecord, role: &Role) {
        record.individual = role.individual.map_or(NONE, |source| self.individuals.number(source));
        record.npi = role.npi.map_or(0, Npi::number);
        record.organization = role.organization.map_or(NONE, |source| self.organizations.number(source));
        record.networks = self.number_networks(&role.networks);
        record.references = self.references.number(role.network_references.clone());
        record.specialties = self.specialties.number(role.specialties.clone());
        record.rest = self.rests.number(RoleRest {
            active: role.active,
            directory_types: role.directory_types.clone(),
            accepting: role.accepting.clone(),
        });
        record.hours = role.hours.as_ref().map_or(NONE, |hours| self.hours.number(hours.clone()));
        record.phones = self.phones.code(&role.phones).0;
        (record.start, record.end) = (role.period.start.unwrap_or(Day::MIN), role.period.end.unwrap_or(Day::MAX));
        record.unreadable_network = role.unreadable_network;
        record.places = self.number_places(&role.places);
        if !role.services.is_empty() {
            let mut services: Vec<u32> = role.services.iter().map(|source| self.services.number(*source)).collect();
            services.sort_unstable();
            services.dedup();
            record.services = self.service_lists.number(services);
        }
    }

    /// The number of a list of networks by their keys.
    pub(super) fn number_networks(&mut self, networks: &[NetworkName]) -> u32 {
        for name in networks {
            if !self.role_systems.contains(name.key.system()) {
                self.role_systems.insert(name.key.system().to_owned());
            }
        }
        let names = networks.iter().map(|name| self.network_names.number(name.clone())).collect();
        self.networks.number(names)
    }

    /// The number of a set of places; [`NONE`]: there is none.
    pub(super) fn number_places(&mut self, sources: &[SourceId]) -> u32 {
        let mut places: Vec<u32> = sources.iter().map(|source| self.places.number(*source)).collect();
        places.sort_unstable();
        places.dedup();
        match places.as_slice() {
            [] => NONE,
            [one] => *one,
            _ => {
                let at = u32::try_from(self.place_sets.len()).unwrap_or(NONE);
                self.place_sets.push(u32::try_from(places.len()).unwrap_or(0));
                self.place_sets.extend(places);
                SET | at
            }
        }
    }

    fn take_offer(&mut self, source: SourceId, version: Version, plans: &[PlanFacts]) {
        let mut offer = Offer { source, version, networks: Vec::new(), references: Vec::new() };
        for plan in plans {
            offer.networks.extend(plan.networks.iter().cloned());
            offer.references.extend(plan.network_references.iter().cloned());
        }
        offer.networks.sort();
        offer.references.sort();
        self.offers.push(offer);
    }

    /// The networks that plans name, by key and by reference: of each plan those of the newest version, or
    /// of all versions of which none is the newest.
    pub(super) fn offered(&self) -> (Vec<&NetworkName>, Vec<&(SourceId, Option<String>)>) {
        let mut offers: Vec<&Offer> = self.offers.iter().collect();
        let spelling =
            |offer: &Offer| -> Vec<String> { offer.networks.iter().map(|name| name.key.system().to_owned()).collect() };
        offers.sort_by_cached_key(|offer| {
            (offer.source, offer.networks.clone(), offer.references.clone(), spelling(offer))
        });
        let mut kept: Vec<&Offer> = Vec::new();
        for same in offers.chunk_by(|a, b| a.source == b.source) {
            let mut same = same.to_vec();
            newest(&mut same, |offer| offer.version);
            let says = |offer: &Offer| (offer.networks.clone(), offer.references.clone(), spelling(offer));
            same.dedup_by_key(|offer| says(offer));
            kept.extend(same);
        }
        let offers = kept;
        (offers.iter().flat_map(|o| &o.networks).collect(), offers.iter().flat_map(|o| &o.references).collect())
    }

    pub(super) fn places_numbered(&self, places: u32) -> Vec<u32> {
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

    /// Every network that a role or a service names by its key.
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
        let mut places: Vec<u32> =
            self.places_numbered(role.places).into_iter().map(|place| self.places.resolved(place)).collect();
        places.sort_unstable();
        places.dedup();
        places
    }
}

fn refuse(ink: &mut Ink, what: u8, reason: &str) {
    ink.0.clear();
    ink.0.push(what);
    ink.text(reason);
}
