//! Made-up truth, and the resources that say it with every quirk.

use coverdex_core::Point;
use coverdex_core::{Accepting as Shown, Near, ProviderKind, ProviderSearch};
use coverdex_core::{CountyFips, NetworkKey, NetworkKind, Npi, State, Zip5};

use crate::geography::Gazetteer;
use crate::model::{
    Accepting, AcceptingPatients, Address, Content, Fact, Individual, NetworkClaim, NetworkName, OrganizationFacts,
    Period, PersonName, Phone, Place, PlanFacts, Received, ResourceKind, Role, SourceId, Specialty, Stamp,
};
use coverdex_core::PlanId;

/// A small generator; the same numbers for the same seed.
pub(in crate::build::directory) struct Random(pub(in crate::build::directory) u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    pub(in crate::build::directory) fn below(&mut self, bound: usize) -> usize {
        usize::try_from(self.next() % bound as u64).unwrap()
    }

    pub(in crate::build::directory) fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    fn pick<'a, T>(&mut self, of: &'a [T]) -> &'a T {
        &of[self.below(of.len())]
    }
}

/// Towns with a point well inside their county.
pub(super) const TOWNS: [(&str, &str, u32, u32, f64, f64); 9] = [
    ("Miami", "FL", 12086, 33130, 25.7680, -80.2050),
    ("Hialeah", "FL", 12086, 33010, 25.8330, -80.2800),
    ("Fort Lauderdale", "FL", 12011, 33301, 26.1220, -80.1370),
    ("West Palm Beach", "FL", 12099, 33401, 26.7150, -80.0600),
    ("Chicago", "IL", 17031, 60604, 41.8780, -87.6290),
    ("Anchorage", "AK", 2020, 99501, 61.2160, -149.8800),
    ("Unalaska", "AK", 2016, 99685, 53.8740, -166.5340),
    ("Adak", "AK", 2016, 99546, 51.8800, -176.6500),
    ("Key West", "FL", 12087, 33040, 24.5600, -81.7800),
];

const GIVEN: [&str; 8] = ["Ann", "Bo", "Chloë", "Dana", "Eve", "Jo", "Joan", "Al"];
const FAMILY: [&str; 9] = ["Lee", "Smith", "Smithson", "Núñez", "O'Brien", "Kroeger", "Krol", "Van Dyke", "Leeds"];

/// Specialties: spellings of one thing in one line; the first is what the model calls it.
pub(super) const SPECIALTIES: [&[&str]; 5] = [
    &["Cardiology", "CARDIOLOGY", "Cardiologist"],
    &["Pediatric Cardiology", "CARDIOLOGY, PEDIATRIC"],
    &["Family Medicine", "family medicine", "MEDICINE - FAMILY"],
    &["Physical Therapy", "Physical Therapist"],
    &["Pharmacy", "PHARMACY"],
];

/// Roles that could not be understood.
pub(super) const UNREADABLE_ROLES: usize = 1;

pub(super) struct NetworkTruth {
    pub(super) key: NetworkKey,
    by_plan: bool,
}

pub(super) struct PersonTruth {
    pub(super) npis: Vec<Npi>,
    pub(super) name: String,
    pub(super) kind: ProviderKind,
    pub(super) gender: Option<&'static str>,
    pub(super) language: Option<&'static str>,
    /// Resources that say it: whether each is active.
    pub(super) resources: Vec<Option<bool>>,
    /// No role names it; kept for its NPI.
    pub(super) idle: bool,
}

#[derive(Clone, Debug)]
pub(super) struct SiteTruth {
    pub(super) line: String,
    pub(super) town: usize,
    /// Its own position.
    pub(super) point: Option<Point>,
    /// Neither position nor ZIP: only the state is known.
    pub(super) lost: bool,
    /// Neither position nor ZIP: only the county is known.
    pub(super) county_only: bool,
    /// Locations that say it: spelling, and whether each is active.
    pub(super) resources: Vec<(String, Option<bool>)>,
}

#[derive(Clone, Debug)]
pub(super) struct RoleTruth {
    pub(super) person: usize,
    pub(super) person_resource: usize,
    pub(super) active: Option<bool>,
    /// (site, which of its Locations).
    pub(super) sites: Vec<(usize, usize)>,
    dangling_site: bool,
    pub(super) specialties: Vec<(usize, usize)>,
    pub(super) networks: Vec<usize>,
    by_reference: Vec<bool>,
    /// (network or all, what is said).
    pub(super) accepting: Vec<(Option<usize>, Shown)>,
    /// Its provider is not there: it gives nothing.
    pub(super) dangling: bool,
}

pub(super) struct World {
    pub(super) networks: Vec<NetworkTruth>,
    pub(super) persons: Vec<PersonTruth>,
    pub(super) sites: Vec<SiteTruth>,
    pub(super) roles: Vec<RoleTruth>,
    seed: u64,
}

fn npi(number: u64) -> Npi {
    (0..10).find_map(|check| Npi::new(1_000_000_000 + number * 10 + check)).unwrap()
}

impl World {
    pub(super) fn random(seed: u64) -> Self {
        let mut random = Random(seed.wrapping_mul(0x1234_5678_9abc_def1));
        let r = &mut random;
        let key = |system: &str, id: &str| NetworkKey::new(&format!("https://payer.test/{system}"), id).unwrap();
        let networks = vec![
            NetworkTruth { key: key("MedicalDentalNetworkId", "1"), by_plan: true },
            NetworkTruth { key: key("VisionNetworkID", "1"), by_plan: true },
            NetworkTruth { key: key("PharmacyNetworkId", "2"), by_plan: false },
            NetworkTruth { key: key("MedicalDentalNetworkId", "3"), by_plan: true },
        ];
        let mut number = 10_000;
        let persons = (0..25 + r.below(20))
            .map(|_| {
                number += 1 + r.below(3) as u64;
                let mut npis = if r.chance(85) { vec![npi(number)] } else { vec![] };
                if !npis.is_empty() && r.chance(15) {
                    number += 1;
                    npis.push(npi(number));
                }
                let count = if npis.is_empty() { 1 } else { 1 + usize::from(r.chance(25)) };
                let kind = if r.chance(70) { ProviderKind::Individual } else { ProviderKind::Organization };
                let name = format!("{} {}", r.pick(&GIVEN), r.pick(&FAMILY));
                let individual = kind == ProviderKind::Individual;
                PersonTruth {
                    idle: !npis.is_empty() && r.chance(8),
                    npis,
                    name: if r.chance(15) { name.to_uppercase() } else { name },
                    kind,
                    gender: individual.then(|| *r.pick(&[Some("female"), Some("male"), None])).flatten(),
                    language: individual.then(|| *r.pick(&[Some("Spanish"), None, None])).flatten(),
                    resources: (0..count).map(|_| *r.pick(&[None, Some(true), Some(true), Some(false)])).collect(),
                }
            })
            .collect::<Vec<_>>();
        let sites = (0..15 + r.below(10)).map(|at| site(at, r)).collect::<Vec<_>>();
        let roles = (0..60 + r.below(60))
            .map(|_| {
                let person = loop {
                    let person = r.below(persons.len());
                    if !persons[person].idle {
                        break person;
                    }
                };
                role(r, person, persons[person].resources.len(), &sites, networks.len())
            })
            .collect();
        Self { networks, persons, sites, roles, seed }
    }

    /// Where a site is: county, and the point that distances are measured to.
    pub(super) fn place(&self, site: usize) -> (Option<CountyFips>, Option<Point>) {
        let site = &self.sites[site];
        let (_, _, fips, zip, _, _) = TOWNS[site.town];
        if site.lost {
            return (None, None);
        }
        let of_zip = || Gazetteer::get().zip_area(Zip5::new(zip).unwrap()).unwrap().point;
        (CountyFips::new(fips), if site.county_only { None } else { site.point.or_else(of_zip) })
    }

    /// A search whose parts are each there or not.
    pub(super) fn search(&self, r: &mut Random) -> ProviderSearch {
        let (_, state, fips, _, lat, lon) = *r.pick(&TOWNS);
        let county = CountyFips::new(fips).unwrap();
        let center = Point::from_degrees(lat, lon + 0.11).unwrap();
        let radius_km = *r.pick(&[0.0, 5.0, 40.0, 120.0, 1_500.0, 6_000.0, f64::INFINITY]);
        let near = match r.below(6) {
            0..=2 => Near::County { county, center, radius_km },
            3 => Near::Point { center, radius_km },
            4 => Near::State(State::from_name(state).unwrap()),
            _ => Near::Anywhere,
        };
        let networks = r.chance(70).then(|| {
            let mut keys: Vec<NetworkKey> = vec![r.pick(&self.networks).key.clone()];
            if r.chance(30) {
                keys.push(r.pick(&self.networks).key.clone());
            }
            keys
        });
        let named = &r.pick(&self.persons).name;
        let typed = match r.below(12) {
            0 => Some(named.clone()),
            1 => Some(named.to_lowercase().chars().take(2).collect()),
            2 => Some(named.split(' ').next_back().unwrap().chars().take(1 + r.below(8)).collect()),
            3 => Some(named.split(' ').rev().collect::<Vec<_>>().join(", ")),
            _ => None,
        };
        ProviderSearch {
            near,
            networks,
            network_kind: r.chance(15).then(|| *r.pick(&[NetworkKind::Medical, NetworkKind::Pharmacy])),
            specialty: r.chance(55).then(|| {
                let spellings = *r.pick(&SPECIALTIES);
                (*r.pick(spellings)).to_owned()
            }),
            name: typed,
            kind: r.chance(12).then(|| *r.pick(&[ProviderKind::Individual, ProviderKind::Organization])),
            gender: r.chance(10).then(|| (*r.pick(&["female", "MALE"])).to_owned()),
            language: r.chance(10).then(|| "spanish".to_owned()),
            accepting: r.chance(15),
            city: r.chance(12).then(|| r.pick(&TOWNS).0.to_uppercase()),
            limit: *r.pick(&[0, 1, 5, 1_000]),
            offset: *r.pick(&[0, 0, 0, 1, 4]),
            count_similar: r.chance(30),
        }
    }

    pub(super) fn resources(&self) -> Vec<Received> {
        let mut r = Random(self.seed ^ 0xabc);
        let mut all = Vec::new();
        for (at, network) in self.networks.iter().enumerate() {
            let facts = OrganizationFacts {
                types: vec!["ntwk".into()],
                name: Some(format!("Network {at}")),
                network_keys: vec![network.key.clone()],
                ..OrganizationFacts::default()
            };
            all.push(resource(ResourceKind::Organization, 9_000 + at, Fact::Organization(facts)));
        }
        let offered = self.networks.iter().filter(|network| network.by_plan);
        let plan = PlanFacts {
            plan: PlanId::parse("H1234-567-000-2026").unwrap(),
            name: None,
            types: vec![],
            networks: offered.map(|network| NetworkName { key: network.key.clone(), label: None }).collect(),
            network_references: vec![],
            areas: vec![],
            area_references: vec![],
            current: true,
        };
        all.push(resource(ResourceKind::Plan, 1, Fact::Plans(vec![plan])));
        let group = OrganizationFacts { types: vec!["prvgrp".into()], ..OrganizationFacts::default() };
        all.push(resource(ResourceKind::Organization, 9_100, Fact::Organization(group)));
        for person in 0..self.persons.len() {
            self.person_resources(person, &mut r, &mut all);
        }
        for site in 0..self.sites.len() {
            self.site_resources(site, &mut r, &mut all);
        }
        for role in 0..self.roles.len() {
            let fact = Fact::Role(self.role_fact(role, &mut r));
            all.push(resource(ResourceKind::Role, role, fact));
        }
        all.extend((0..UNREADABLE_ROLES).map(|number| Received {
            content: Content::Quarantined("no JSON".into()),
            ..resource(ResourceKind::Role, 8_000 + number, Fact::Role(Role::default()))
        }));
        all
    }

    fn person_resources(&self, at: usize, r: &mut Random, all: &mut Vec<Received>) {
        let person = &self.persons[at];
        for (index, active) in person.resources.iter().enumerate() {
            let mut npis: Vec<String> = person.npis.iter().map(Npi::to_string).collect();
            // Two resources meet by their smallest NPI; further ones stand in the first alone.
            if index > 0 {
                npis.truncate(1);
            }
            if r.chance(20) {
                npis.push("1234567890".into());
            }
            let phones = vec![phone("305-555-0100")];
            let fact = match person.kind {
                ProviderKind::Individual => Fact::Individual(Individual {
                    npis,
                    active: *active,
                    names: vec![person_name(&person.name)],
                    gender: person.gender.map(str::to_owned),
                    languages: person.language.into_iter().map(str::to_owned).collect(),
                    phones,
                    ..Individual::default()
                }),
                ProviderKind::Organization => Fact::Organization(OrganizationFacts {
                    npis,
                    active: *active,
                    name: Some(person.name.clone()),
                    types: vec!["fac".into()],
                    // One that states further NPIs is the same only at the same address.
                    addresses: vec![Address {
                        lines: vec![format!("{at} Elm St")],
                        zip: Some("33130".into()),
                        ..Address::default()
                    }],
                    phones,
                    ..OrganizationFacts::default()
                }),
            };
            all.push(resource(kind_of(person), id_of_person(at, index), fact));
        }
    }

    fn site_resources(&self, at: usize, r: &mut Random, all: &mut Vec<Received>) {
        let site = &self.sites[at];
        let (city, state, fips, zip, _, _) = TOWNS[site.town];
        for (index, (line, active)) in site.resources.iter().enumerate() {
            let first = index == 0;
            let swapped = |point: Point| (point.lon(), point.lat());
            let position = match site.point {
                Some(point) if first => Some((point.lat(), point.lon())),
                Some(point) => r.chance(50).then(|| swapped(point)),
                None if r.chance(30) => Some((0.0, 0.0)),
                None => None,
            };
            let zip = format!("{zip:05}");
            let place = Place {
                active: *active,
                name: r.chance(80).then(|| format!("Clinic {at}")),
                address: Address {
                    lines: vec![line.clone()],
                    city: Some(if site.lost { "Nowhere".to_owned() } else { city.to_owned() }),
                    state: Some(state.to_owned()),
                    district: site.county_only.then(|| format!("{fips:05}")),
                    zip: (!site.lost && !site.county_only)
                        .then(|| if r.chance(30) { format!("{zip}-1234") } else { zip }),
                    ..Address::default()
                },
                position,
                ..Place::default()
            };
            all.push(resource(ResourceKind::Place, at * 10 + index, Fact::Place(place)));
        }
    }

    fn role_fact(&self, at: usize, r: &mut Random) -> Role {
        let truth = &self.roles[at];
        let person = &self.persons[truth.person];
        let id = if truth.dangling { 7_777_777 } else { id_of_person(truth.person, truth.person_resource) };
        let source = identity(kind_of(person), id);
        let mut role = Role { active: truth.active, ..Role::default() };
        match person.kind {
            ProviderKind::Individual => role.individual = Some(source),
            ProviderKind::Organization => role.organization = Some(source),
        }
        for (network, by_reference) in truth.networks.iter().zip(&truth.by_reference) {
            if *by_reference {
                role.network_references.push((identity(ResourceKind::Organization, 9_000 + network), None));
            } else {
                // Payers mix the case of systems.
                let key = &self.networks[*network].key;
                let system = if r.chance(30) { key.system().to_uppercase() } else { key.system().to_owned() };
                role.networks.push(NetworkName { key: NetworkKey::new(&system, key.id()).unwrap(), label: None });
            }
        }
        if r.chance(25) {
            let key = NetworkKey::new("https://payer.test/lastRefreshedOn", "1").unwrap();
            role.networks.push(NetworkName { key, label: None });
        }
        if r.chance(15) {
            role.network_references.push((identity(ResourceKind::Organization, 9_100), Some("A group".into())));
        }
        role.specialties = truth
            .specialties
            .iter()
            .map(|(of, spelling)| Specialty { text: Some(SPECIALTIES[*of][*spelling].to_owned()), taxonomy: None })
            .collect();
        role.places = truth.sites.iter().map(|(site, of)| identity(ResourceKind::Place, site * 10 + of)).collect();
        if truth.dangling_site {
            role.places.push(identity(ResourceKind::Place, 6_666_666));
        }
        role.accepting = truth
            .accepting
            .iter()
            .map(|(network, shown)| AcceptingPatients {
                status: match shown {
                    Shown::Yes => Accepting::Yes,
                    Shown::No => Accepting::No,
                    Shown::ExistingOnly => Accepting::ExistingOnly,
                    Shown::ExistingAndFamily => Accepting::ExistingAndFamily,
                },
                from_network: network.map(|network| match r.below(2) {
                    0 => NetworkClaim::Key(self.networks[network].key.clone()),
                    _ => NetworkClaim::Reference(identity(ResourceKind::Organization, 9_000 + network)),
                }),
            })
            .collect();
        role
    }
}

fn site(at: usize, r: &mut Random) -> SiteTruth {
    let town = r.below(TOWNS.len());
    let (_, _, _, _, lat, lon) = TOWNS[town];
    let lost = r.chance(6);
    // Some sites share a point: suites of one building.
    let step = |r: &mut Random| f64::from(u32::try_from(r.below(5)).unwrap()) * 0.002;
    let point = Point::from_degrees(lat + step(r), lon + step(r)).unwrap();
    let number = 100 + at;
    let spellings = [format!("{number} Main Street, Suite {at}"), format!("{number} MAIN ST STE {at}")];
    let count = 1 + usize::from(r.chance(35));
    let point = (!lost && r.chance(75)).then_some(point);
    SiteTruth {
        line: spellings[0].clone(),
        town,
        point,
        lost,
        county_only: !lost && point.is_none() && r.chance(40),
        resources: spellings
            .into_iter()
            .take(count)
            .map(|line| (line, *r.pick(&[None, Some(true), Some(true), Some(false)])))
            .collect(),
    }
}

fn role(r: &mut Random, person: usize, resources: usize, sites: &[SiteTruth], networks: usize) -> RoleTruth {
    let count = *r.pick(&[0, 1, 1, 1, 2, 3]);
    let mut at: Vec<(usize, usize)> = (0..count).map(|_| r.below(sites.len())).map(|site| (site, site)).collect();
    at.sort_unstable();
    at.dedup();
    let at: Vec<(usize, usize)> =
        at.into_iter().map(|(site, _)| (site, r.below(sites[site].resources.len()))).collect();
    let some = |r: &mut Random, of: usize, percent| (0..of).filter(|_| r.chance(percent)).collect::<Vec<_>>();
    let mut specialties = some(r, SPECIALTIES.len(), 25);
    if specialties.len() > 2 {
        specialties.truncate(2);
    }
    let chosen = some(r, networks, 40);
    let accepting = match r.below(5) {
        0 => vec![(None, *r.pick(&[Shown::Yes, Shown::No, Shown::ExistingOnly, Shown::ExistingAndFamily]))],
        1 => {
            let mut said = vec![(None, Shown::No)];
            said.extend(chosen.first().map(|network| (Some(*network), Shown::Yes)));
            said
        }
        _ => vec![],
    };
    RoleTruth {
        person,
        person_resource: r.below(resources),
        active: *r.pick(&[None, Some(true), Some(true), Some(true), Some(false)]),
        sites: at,
        dangling_site: r.chance(6),
        specialties: specialties.into_iter().map(|of| (of, r.below(SPECIALTIES[of].len()))).collect(),
        by_reference: chosen.iter().map(|_| r.chance(20)).collect(),
        networks: chosen,
        accepting,
        dangling: r.chance(4),
    }
}

fn kind_of(person: &PersonTruth) -> ResourceKind {
    match person.kind {
        ProviderKind::Individual => ResourceKind::Individual,
        ProviderKind::Organization => ResourceKind::Organization,
    }
}

fn id_of_person(person: usize, resource: usize) -> usize {
    person * 10 + resource
}

pub(super) fn identity(kind: ResourceKind, id: usize) -> SourceId {
    let mixed = (kind as u128 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15_f39c_c060_5ced_c835);
    SourceId(mixed ^ (id as u128 + 1).wrapping_mul(0xbf58_476d_1ce4_e5b9_94d0_49bb_1331_11eb))
}

pub(super) fn resource(kind: ResourceKind, id: usize, fact: Fact) -> Received {
    Received {
        kind,
        source: identity(kind, id),
        id: None,
        updated: Stamp(Some(5)),
        version: None,
        servers: None,
        content: Content::Fact(fact),
    }
}

pub(super) fn phone(number: &str) -> Phone {
    Phone { number: number.to_owned(), period: Period::default() }
}

pub(super) fn person_name(text: &str) -> PersonName {
    PersonName { text: text.to_owned(), ..PersonName::default() }
}
