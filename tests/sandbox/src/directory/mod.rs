//! The provider directory: people, facilities, places and roles as functions of their numbers.
//!
//! Locations are numbered county by county, roles provider by provider, so that who has which and
//! what lies where needs no table; who practices at a place is known by walking the roles.

pub mod affiliations;
pub mod names;
pub mod people;
pub mod places;
pub mod roles;
pub mod specialties;

use crate::geography;
use crate::networks::Network;
use crate::quirks::{Quirk, Quirks};
use crate::random::Draw;
use crate::shape::Shape;

use affiliations::Affiliation;
use people::{Npis, Provider, ProviderFacts};
use places::{Place, Places};
use roles::{Role, Source};

/// A made provider directory.
#[derive(Clone, Debug)]
pub struct Directory {
    seed: u64,
    quirks: Quirks,
    networks: Vec<Network>,
    npis: Npis,
    places: Places,
    individuals: u64,
    /// Individuals with a second record.
    twice: u64,
    groups: u64,
    facilities: u64,
    /// Facilities beyond those, without roles: affiliations state their networks.
    affiliated: u64,
}

/// What an Organization is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OrganizationKind {
    /// A network, by number.
    Network(u32),
    /// A practice group, by number: no provider of its own.
    Group(u64),
    /// A facility, by number.
    Facility(u64),
}

impl Directory {
    pub(crate) fn new(shape: &Shape, networks: &[Network]) -> Self {
        let individuals = u64::from(shape.practitioners);
        Self {
            seed: shape.seed,
            quirks: shape.quirks.clone(),
            networks: networks.to_vec(),
            npis: Npis::new(shape.seed),
            places: Places::new(shape.seed, u64::from(shape.locations), shape.counties),
            individuals,
            twice: shape.quirks.count(Quirk::PersonTwice, individuals),
            groups: u64::from(shape.facilities).div_ceil(20),
            facilities: u64::from(shape.facilities),
            affiliated: shape.quirks.count(Quirk::AffiliatedFacility, u64::from(shape.facilities)),
        }
    }

    /// How many networks there are.
    #[must_use]
    pub fn networks(&self) -> u32 {
        u32::try_from(self.networks.len()).unwrap_or(u32::MAX)
    }

    /// Valid NPIs that nobody shows.
    #[must_use]
    pub fn strangers(&self, count: usize) -> Vec<u64> {
        (self.individuals..).take(count).map(|n| self.npis.of(Provider::Individual(n))).collect()
    }

    /// How many PractitionerRoles there are.
    #[must_use]
    pub fn roles(&self) -> u64 {
        roles::INDIVIDUALS.before(self.individuals) + roles::FACILITIES.before(self.facilities)
    }

    /// How many Practitioners there are, second records of one person too.
    #[must_use]
    pub fn practitioner_records(&self) -> u64 {
        self.individuals + self.twice
    }

    /// How many individuals there are.
    #[must_use]
    pub fn individuals(&self) -> u64 {
        self.individuals
    }

    /// How many facilities have roles.
    #[must_use]
    pub fn facilities(&self) -> u64 {
        self.facilities
    }

    /// How many facilities have an affiliation instead; they are numbered after the others.
    #[must_use]
    pub fn affiliated(&self) -> u64 {
        self.affiliated
    }

    /// How many Organizations there are: networks, then practice groups, then facilities.
    #[must_use]
    pub fn organizations(&self) -> u64 {
        self.networks.len() as u64 + self.groups + self.facilities + self.affiliated
    }

    /// How many Locations there are.
    #[must_use]
    pub fn locations(&self) -> u64 {
        self.places.count()
    }

    /// The individual whose record Practitioner `number` is, and whether it is the second one.
    #[must_use]
    pub fn practitioner(&self, number: u64) -> (u64, bool) {
        match number.checked_sub(self.individuals) {
            None => (number, false),
            Some(nth) => (nth * self.individuals / self.twice.max(1), true),
        }
    }

    /// The second record of an individual, a Practitioner's number.
    #[must_use]
    pub fn second_record(&self, individual: u64) -> Option<u64> {
        let nth = (individual * self.twice).div_ceil(self.individuals.max(1));
        (nth < self.twice && nth * self.individuals / self.twice == individual).then_some(self.individuals + nth)
    }

    /// What Organization `number` is.
    #[must_use]
    pub fn organization(&self, number: u64) -> OrganizationKind {
        let networks = self.networks.len() as u64;
        match number.checked_sub(networks) {
            None => OrganizationKind::Network(u32::try_from(number).unwrap_or(0)),
            Some(n) if n < self.groups => OrganizationKind::Group(n),
            Some(n) => OrganizationKind::Facility(n - self.groups),
        }
    }

    /// The number of the Organization that a network, a group or a facility is.
    #[must_use]
    pub fn organization_number(&self, kind: OrganizationKind) -> u64 {
        match kind {
            OrganizationKind::Network(n) => u64::from(n),
            OrganizationKind::Group(n) => self.networks.len() as u64 + n,
            OrganizationKind::Facility(n) => self.networks.len() as u64 + self.groups + n,
        }
    }

    pub(crate) fn groups(&self) -> u64 {
        self.groups
    }

    /// A provider.
    #[must_use]
    pub fn provider(&self, provider: Provider) -> ProviderFacts {
        match provider {
            Provider::Individual(n) => {
                people::individual(self.seed, n, self.npis, self.second_record(n).is_some(), &self.quirks)
            }
            Provider::Facility(n) => people::facility(self.seed, n, self.npis, &self.quirks),
        }
    }

    /// The provider that shows this NPI.
    #[must_use]
    pub fn provider_of_npi(&self, npi: u64) -> Option<Provider> {
        let provider = self.npis.owner(npi)?;
        let there = match provider {
            Provider::Individual(n) => n < self.individuals,
            Provider::Facility(n) => n < self.facilities + self.affiliated,
        };
        (there && self.provider(provider).npis().contains(&npi)).then_some(provider)
    }

    /// Role `number`.
    #[must_use]
    pub fn role(&self, number: u64) -> Option<Role> {
        let of_individuals = roles::INDIVIDUALS.before(self.individuals);
        let (provider, nth) = match number.checked_sub(of_individuals) {
            None => {
                let (owner, nth) = roles::INDIVIDUALS.owner(number);
                (Provider::Individual(owner), nth)
            }
            Some(n) if number < self.roles() => {
                let (owner, nth) = roles::FACILITIES.owner(n);
                (Provider::Facility(owner), nth)
            }
            Some(_) => return None,
        };
        let facts = self.provider(provider);
        Some(self.role_of(&facts, number, nth))
    }

    /// OrganizationAffiliation `number`, and the HealthcareService of the same number.
    #[must_use]
    pub fn affiliation(&self, number: u64) -> Option<Affiliation> {
        (number < self.affiliated).then(|| {
            let facts = self.provider(Provider::Facility(self.facilities + number));
            affiliations::affiliation(number, self.role_of(&facts, self.roles() + number, 0))
        })
    }

    /// The roles of a provider; what an affiliation says counts as one.
    #[must_use]
    pub fn roles_of(&self, facts: &ProviderFacts) -> Vec<Role> {
        let (first, count) = match facts.provider {
            Provider::Facility(n) if n >= self.facilities => {
                return self.affiliation(n - self.facilities).into_iter().map(|of| of.role).collect();
            }
            Provider::Individual(n) => (roles::INDIVIDUALS.before(n), roles::INDIVIDUALS.count(n)),
            Provider::Facility(n) => {
                let first = roles::INDIVIDUALS.before(self.individuals) + roles::FACILITIES.before(n);
                (first, roles::FACILITIES.count(n))
            }
        };
        (0..count).map(|nth| self.role_of(facts, first + nth, nth)).collect()
    }

    fn role_of(&self, facts: &ProviderFacts, number: u64, nth: u64) -> Role {
        let twice = matches!(facts.provider, Provider::Individual(n) if self.second_record(n).is_some());
        let source = Source {
            seed: self.seed,
            networks: &self.networks,
            quirks: &self.quirks,
            locations: self.locations(),
            same_county: &self.places,
        };
        let mut role = roles::role(source, number, facts.provider, nth, facts.specialty, twice);
        role.employer = role.employer.filter(|_| self.facilities > 0).map(|key| key % self.facilities.max(1));
        role
    }

    /// Place `number`.
    #[must_use]
    pub fn place(&self, number: u64) -> Option<Place> {
        self.places.place(number, &self.quirks)
    }

    /// A point in another state than a place's: what a wrong position says.
    pub(crate) fn elsewhere(&self, place: &Place) -> (i32, i32) {
        let counties = &geography::tables().counties;
        let draw = Draw::of(self.seed ^ 0x656c, place.number);
        (0..20)
            .filter_map(|n| {
                usize::try_from(draw.and(n).below(counties.len() as u64)).ok().and_then(|at| counties.get(at))
            })
            .find(|county| {
                county.state != place.state && geography::distance_km(county.point, place.true_point) > 500.0
            })
            .map_or((0, 0), |county| county.point)
    }

    /// The counties that have Locations: FIPS code, name with suffix, state, and which Locations
    /// are drawn in it (their county may be in doubt all the same).
    pub fn counties(&self) -> impl Iterator<Item = (u32, String, &'static str, std::ops::Range<u64>)> + '_ {
        self.places.counties().map(|(county, range)| {
            (county.fips, format!("{} {}", county.name, county.suffix).trim_end().to_owned(), county.state, range)
        })
    }

    /// Every provider: individuals, then facilities, those without roles last.
    pub fn providers(&self) -> impl Iterator<Item = ProviderFacts> + '_ {
        let individuals = (0..self.individuals).map(Provider::Individual);
        let facilities = (0..self.facilities + self.affiliated).map(Provider::Facility);
        individuals.chain(facilities).map(|p| self.provider(p))
    }
}

/// A phone number that nobody has: exchange 555.
pub(crate) fn phone(draw: Draw) -> u64 {
    (200 + draw.below(780)) * 10_000_000 + 5_550_000 + draw.and(1).below(10_000)
}
