//! Cases worth a name of their own.

mod accepting;
mod typed;

use coverdex_core::Point;
use coverdex_core::{Cancel, ErrorKind, NetworkAnswer, Provider, ProviderQuery, Result};
use coverdex_core::{CountyFips, NetworkKey, NetworkKind, Npi};
use coverdex_core::{
    Inactive, Near, NetworkStatus, PhoneFrom, PracticeLocation, Precision, ProviderKind, ProviderSearch, ProvidersFound,
};

use super::Made;
use super::world::{identity, person_name, phone, resource};
use crate::model::{
    Accepting, AcceptingPatients, Address, Content, Fact, Individual, NetworkName, OrganizationFacts, Place, PlanFacts,
    Received, ResourceKind, Role, SourceId, Specialty, Stamp,
};

const MIAMI: u32 = 12086;
const BROWARD: u32 = 12011;

/// Resources of one directory, added one by one.
#[derive(Default)]
pub(super) struct Payer {
    pub(super) resources: Vec<Received>,
    pub(super) roles: usize,
}

pub(super) fn network(id: &str) -> NetworkKey {
    NetworkKey::new("https://payer.test/glossary/MedicalDentalNetworkId", id).unwrap()
}

fn pharmacies() -> NetworkKey {
    NetworkKey::new("https://payer.test/glossary/PharmacyNetworkId", "9").unwrap()
}

pub(super) fn text(text: &str) -> Specialty {
    Specialty { text: Some(text.to_owned()), taxonomy: None }
}

pub(super) fn npi(at: u64) -> Npi {
    (0..10).find_map(|check| Npi::new(1_500_000_000 + at * 10 + check)).unwrap()
}

impl Payer {
    pub(super) fn new() -> Self {
        let mut payer = Self::default();
        let names = [network("1"), network("2"), network("3"), pharmacies()];
        let plan = PlanFacts {
            plan: "H1234-567-000-2026"
                .parse::<coverdex_core::build::PlanQuery>()
                .map(|_| ())
                .map_or_else(|e| panic!("{e}"), |()| coverdex_core::PlanId::parse("H1234-567-000-2026").unwrap()),
            name: None,
            types: vec![],
            networks: names.map(|key| NetworkName { key, label: Some("Net".into()) }).to_vec(),
            network_references: vec![],
            areas: vec![],
            area_references: vec![],
            current: true,
        };
        payer.resources.push(resource(ResourceKind::Plan, 1, Fact::Plans(vec![plan])));
        payer.place(1, Some((25.77, -80.2)), |_| {});
        payer.place(2, Some((25.80, -80.25)), |_| {});
        payer.place(3, Some((26.12, -80.14)), |place| {
            place.address.city = Some("Fort Lauderdale".into());
            place.address.zip = Some("33301".into());
        });
        payer
    }

    pub(super) fn place(&mut self, id: usize, position: Option<(f64, f64)>, change: impl FnOnce(&mut Place)) {
        let mut place = Place {
            name: Some(format!("Clinic {id}")),
            address: Address {
                lines: vec![format!("{id} Main St")],
                city: Some("Miami".into()),
                state: Some("FL".into()),
                zip: Some("33130".into()),
                ..Address::default()
            },
            position,
            ..Place::default()
        };
        change(&mut place);
        self.resources.push(resource(ResourceKind::Place, id, Fact::Place(place)));
    }

    pub(super) fn person(&mut self, at: u64, name: &str, change: impl FnOnce(&mut Individual)) -> SourceId {
        let mut facts =
            Individual { npis: vec![npi(at).to_string()], names: vec![person_name(name)], ..Individual::default() };
        change(&mut facts);
        let id = usize::try_from(at).unwrap();
        self.resources.push(resource(ResourceKind::Individual, id, Fact::Individual(facts)));
        identity(ResourceKind::Individual, id)
    }

    pub(super) fn organization(&mut self, at: u64, name: &str) -> SourceId {
        self.organization_of(at, name, &[])
    }

    fn organization_of(&mut self, at: u64, name: &str, types: &[&str]) -> SourceId {
        let facts = OrganizationFacts {
            types: types.iter().map(|kind| (*kind).to_owned()).collect(),
            npis: vec![npi(at).to_string()],
            name: Some(name.to_owned()),
            ..OrganizationFacts::default()
        };
        let id = usize::try_from(at).unwrap();
        self.resources.push(resource(ResourceKind::Organization, id, Fact::Organization(facts)));
        identity(ResourceKind::Organization, id)
    }

    fn role(&mut self, change: impl FnOnce(&mut Role)) {
        let mut role = Role::default();
        change(&mut role);
        self.roles += 1;
        self.resources.push(resource(ResourceKind::Role, self.roles, Fact::Role(role)));
    }

    /// A cardiologist's role in network 1 at place 1, and what is different.
    pub(super) fn usual(&mut self, person: SourceId, change: impl FnOnce(&mut Role)) {
        self.role(|role| {
            role.individual = Some(person);
            role.networks = vec![named("1")];
            role.specialties = vec![text("Cardiology")];
            role.places = vec![place(1)];
            change(role);
        });
    }

    pub(super) fn made(&self) -> Made {
        Made::of(&self.resources)
    }
}

pub(super) fn named(id: &str) -> NetworkName {
    NetworkName { key: network(id), label: None }
}

pub(super) fn place(id: usize) -> SourceId {
    identity(ResourceKind::Place, id)
}

pub(super) fn in_county(county: u32) -> ProviderSearch {
    ProviderSearch {
        near: Near::County {
            county: CountyFips::new(county).unwrap(),
            center: Point::from_degrees(25.77, -80.2).unwrap(),
            radius_km: 0.0,
        },
        limit: 100,
        ..ProviderSearch::default()
    }
}

impl Made {
    pub(super) fn try_find(&self, search: &ProviderSearch) -> Result<ProvidersFound> {
        self.directory.search(search, &Cancel::new())
    }

    pub(super) fn provider(&self, query: impl Into<ProviderQuery>) -> Result<Option<Provider>> {
        self.directory.provider(query, &Cancel::new())
    }

    pub(super) fn network_status(
        &self,
        query: impl Into<ProviderQuery>,
        networks: &[NetworkKey],
        kind: Option<NetworkKind>,
    ) -> Result<NetworkAnswer> {
        self.directory.network_status(query, networks, kind, &Cancel::new())
    }

    pub(super) fn find(&self, search: &ProviderSearch) -> Vec<PracticeLocation> {
        self.try_find(search).unwrap().results
    }

    fn status(&self, at: u64, key: &NetworkKey) -> (NetworkStatus, Vec<Inactive>) {
        let answer = self.network_status(npi(at), std::slice::from_ref(key), None).unwrap();
        (answer.status, answer.inactive)
    }
}

#[test]
fn what_holds_only_across_two_roles_does_not_match() {
    let mut payer = Payer::new();
    let person = payer.person(1, "Ann Lee", |_| {});
    payer.usual(person, |role| role.networks = vec![named("1")]);
    payer.usual(person, |role| {
        role.networks = vec![named("2")];
        role.specialties = vec![text("Family Medicine")];
    });
    payer.usual(person, |role| {
        role.networks = vec![named("3")];
        role.accepting = vec![AcceptingPatients { status: Accepting::Yes, from_network: None }];
    });
    let made = payer.made();
    let search = |network_id: &str, specialty: &str, accepting| {
        let found = made.find(&ProviderSearch {
            networks: Some(vec![network(network_id)]),
            specialty: Some(specialty.to_owned()),
            accepting,
            ..in_county(MIAMI)
        });
        found.len()
    };
    assert_eq!(search("1", "Cardiology", false), 1);
    assert_eq!(search("2", "Family Medicine", false), 1);
    assert_eq!(search("2", "Cardiology", false), 0);
    assert_eq!(search("1", "Family Medicine", false), 0);
    assert_eq!(search("1", "Cardiology", true), 0);
    assert_eq!(search("3", "Cardiology", true), 1);
    let [found] = made.find(&in_county(MIAMI)).try_into().unwrap();
    assert_eq!(found.roles.len(), 3);
    let by_role = made.find(&ProviderSearch { networks: Some(vec![network("2")]), ..in_county(MIAMI) });
    assert_eq!(by_role[0].specialties, ["Family Medicine"]);
    assert_eq!(by_role[0].networks.iter().map(|network| network.key.id()).collect::<Vec<_>>(), ["2"]);
}

#[test]
fn each_level_of_inactive_is_told_apart() {
    let mut payer = Payer::new();
    payer.place(7, None, |place| place.active = Some(false));
    let ann = payer.person(1, "Ann", |_| {});
    payer.usual(ann, |role| role.active = Some(false));
    let bo = payer.person(2, "Bo", |person| person.active = Some(false));
    payer.usual(bo, |_| {});
    let chloe = payer.person(3, "Chloe", |_| {});
    payer.usual(chloe, |role| role.places = vec![place(7)]);
    let dana = payer.person(4, "Dana", |_| {});
    payer.usual(dana, |role| role.active = Some(false));
    payer.usual(dana, |role| role.places = vec![place(2)]);
    let eve = payer.person(5, "Eve", |_| {});
    payer.usual(eve, |role| role.networks = vec![named("2")]);
    payer.person(6, "Fay", |_| {});
    let made = payer.made();
    assert_eq!(made.status(1, &network("1")), (NetworkStatus::Inactive, vec![Inactive::Role]));
    assert_eq!(made.status(2, &network("1")), (NetworkStatus::Inactive, vec![Inactive::Provider]));
    assert_eq!(made.status(3, &network("1")), (NetworkStatus::Inactive, vec![Inactive::Place]));
    assert_eq!(made.status(4, &network("1")), (NetworkStatus::InNetwork, vec![]));
    assert_eq!(made.status(5, &network("1")), (NetworkStatus::OtherNetworksOnly, vec![]));
    assert_eq!(made.status(6, &network("1")), (NetworkStatus::NotInDirectory, vec![]));
    assert_eq!(made.status(7, &network("1")), (NetworkStatus::NotInDirectory, vec![]));
    assert_eq!(made.status(1, &network("3")).0, NetworkStatus::Unknown, "nobody is in network 3");
    let no_pharmacy = made.network_status(npi(4), &[network("1")], Some(NetworkKind::Pharmacy)).unwrap();
    assert_eq!(no_pharmacy.status, NetworkStatus::NoSuchNetwork);
    let unknown = made.network_status(npi(4), &[network("77")], None).unwrap_err();
    assert_eq!(unknown.kind(), ErrorKind::NotFound);
    assert!(unknown.candidates().iter().any(|candidate| candidate.contains("MedicalDentalNetworkId|1")));
    let found = made.find(&in_county(MIAMI));
    assert_eq!(found.iter().map(|found| found.name.as_str()).collect::<Vec<_>>(), ["Eve", "Dana"], "active ones");
    let fay = made.provider(npi(6)).unwrap().unwrap();
    assert_eq!((fay.name.as_str(), fay.locations.len()), ("Fay", 0));
    assert_eq!(made.provider(npi(7)).unwrap(), None);
}

#[test]
fn one_person_under_several_ids_and_npis_is_one_provider() {
    let mut payer = Payer::new();
    let first = payer.person(1, "Ann Lee", |person| {
        person.npis.push(npi(2).to_string());
        person.phones = vec![phone("3055550100")];
    });
    let second = payer.person(2, "Ann M Lee", |person| {
        person.npis.push("1111111111".into());
        person.phones = vec![phone("(305) 555-0100"), phone("305.555.0200 x7")];
        person.gender = Some("female".into());
    });
    // An invalid NPI folds nothing.
    let other = payer.person(3, "Bo Lee", |person| person.npis = vec!["1111111111".into()]);
    payer.usual(first, |_| {});
    payer.usual(second, |role| role.networks = vec![named("2")]);
    payer.usual(other, |_| {});
    let made = payer.made();
    let by_alias = made.provider(npi(2)).unwrap().unwrap();
    assert_eq!(made.provider(npi(1)).unwrap().as_ref(), Some(&by_alias));
    assert_eq!((by_alias.npi, by_alias.aliases.as_slice()), (Some(npi(1)), &[npi(2)][..]));
    let mut names = vec![by_alias.name.clone()];
    names.extend(by_alias.other_names.clone());
    names.sort();
    assert_eq!(names, ["Ann Lee", "Ann M Lee"]);
    assert_eq!(by_alias.phones, ["(305) 555-0100", "(305) 555-0200 x7"]);
    assert_eq!(by_alias.gender.as_deref(), Some("female"));
    let [here] = by_alias.locations.as_slice() else { panic!("{:?}", by_alias.locations) };
    assert_eq!(here.roles.len(), 1, "roles that differ in networks alone are united");
    assert_eq!(here.networks.len(), 2);
    let found = made.find(&in_county(MIAMI));
    assert_eq!(found.len(), 2);
    assert_eq!((found[1].npi, found[1].stated_npi.as_deref()), (None, Some("1111111111")));
    for typed in ["ann m", "lee ann", "ANN L"] {
        let search = ProviderSearch { name: Some(typed.to_owned()), ..in_county(MIAMI) };
        assert_eq!(made.find(&search).len(), 1, "{typed}");
    }
}

#[test]
fn one_place_under_several_ids_is_one_row_and_keeps_what_differs() {
    let mut payer = Payer::new();
    payer.place(11, None, |place| {
        place.name = Some("CLINIC 1".into());
        place.address.lines = vec!["1 MAIN STREET".into()];
        place.phones = vec![phone("305-555-0111")];
    });
    payer.place(12, None, |place| {
        place.name = Some("Heart Center".into());
        place.address.lines = vec!["1 Main St.".into()];
        place.address.zip = Some("33130-0001".into());
        place.phones = vec![phone("305-555-0112")];
    });
    let ann = payer.person(1, "Ann", |_| {});
    payer.usual(ann, |role| role.places = vec![place(1), place(11)]);
    payer.usual(ann, |role| {
        role.places = vec![place(12)];
        role.phones = vec![phone("305-555-0999")];
    });
    let [found] = payer.made().find(&in_county(MIAMI)).try_into().unwrap();
    let location = found.location.unwrap();
    assert_eq!(location.precision, Precision::Point, "the position that one of them has holds for all");
    assert_eq!(location.name.as_deref().map(str::to_lowercase).as_deref(), Some("clinic 1"));
    assert_eq!(location.other_names, ["Heart Center"]);
    assert_eq!(found.phone.as_deref(), Some("(305) 555-0999"), "the role's own phone first");
    assert_eq!(found.phones, ["(305) 555-0999", "(305) 555-0111", "(305) 555-0112"]);
    assert!(!found.shared_role, "two ids of one place are no two places");
    // A role has the phone of its own record of the place.
    let mut payer = Payer::new();
    for (id, number) in [(11, "305-555-0111"), (12, "305-555-0112")] {
        payer.place(id, None, |place| {
            place.address.lines = vec!["1 MAIN STREET".into()];
            place.phones = vec![phone(number)];
        });
    }
    let ann = payer.person(1, "Ann", |_| {});
    for (id, specialty) in [(11, "Cardiology"), (12, "Dermatology")] {
        payer.usual(ann, |role| {
            role.places = vec![place(id)];
            role.specialties = vec![text(specialty)];
        });
    }
    let made = payer.made();
    let phone_of = |specialty: &str| {
        let [found] = made
            .find(&ProviderSearch { specialty: Some(specialty.into()), ..in_county(MIAMI) })
            .try_into()
            .unwrap_or_else(|found| panic!("{found:?}"));
        (found.phone.unwrap(), found.phone_from.unwrap())
    };
    assert_eq!(phone_of("Cardiology"), ("(305) 555-0111".to_owned(), PhoneFrom::Place));
    assert_eq!(phone_of("Dermatology"), ("(305) 555-0112".to_owned(), PhoneFrom::Place));
}

#[test]
fn a_role_at_several_places_is_marked_and_loses_only_what_is_not_there() {
    let mut payer = Payer::new();
    let ann = payer.person(1, "Ann", |_| {});
    payer.usual(ann, |role| role.places = vec![place(1), place(3), place(999)]);
    let bo = payer.person(2, "Bo", |_| {});
    payer.usual(bo, |role| role.places = vec![place(999)]);
    let chloe = payer.person(3, "Chloe", |_| {});
    payer.usual(chloe, |role| role.places = vec![]);
    payer.usual(identity(ResourceKind::Individual, 404), |_| {});
    let made = payer.made();
    let found = made.try_find(&in_county(MIAMI)).unwrap();
    assert_eq!((found.total, found.place_not_stated), (1, 2));
    assert!(found.results[0].shared_role);
    let chloe = made.provider(npi(3)).unwrap().unwrap();
    assert_eq!(chloe.locations.len(), 1);
    assert_eq!(chloe.locations[0].location, None);
    assert_eq!(made.status(3, &network("1")).0, NetworkStatus::InNetwork);
    let (_, counts) = made.report.types().find(|(kind, _)| *kind == ResourceKind::Role).unwrap();
    assert_eq!(counts.of_no_use.get("its Practitioner is not there"), Some(&1));
}

#[test]
fn networks_by_key_and_by_reference_are_one_and_practice_groups_are_none() {
    let mut payer = Payer::new();
    let by_organization = NetworkKey::new("https://other.test/PharmacyNetworkId", "5").unwrap();
    let ntwk = OrganizationFacts {
        types: vec!["NTWK".into()],
        name: Some("Five".into()),
        network_keys: vec![by_organization.clone(), NetworkKey::new("https://other.test/TaxId", "55").unwrap()],
        npis: vec![npi(50).to_string()],
        ..OrganizationFacts::default()
    };
    payer.resources.push(resource(ResourceKind::Organization, 500, Fact::Organization(ntwk)));
    let group = OrganizationFacts {
        types: vec!["prvgrp".into()],
        network_keys: vec![NetworkKey::new("https://other.test/GroupId", "6").unwrap()],
        ..OrganizationFacts::default()
    };
    payer.resources.push(resource(ResourceKind::Organization, 600, Fact::Organization(group)));
    let ann = payer.person(1, "Ann", |_| {});
    payer.usual(ann, |role| {
        // The payer's other spelling of the system, a tag of another system, and three references.
        let spelling = NetworkKey::new("http://PAYER.test/glossary/medicaldentalnetworkID/", "1").unwrap();
        let other = NetworkKey::new("https://payer.test/glossary/lastRefreshedOn", "1").unwrap();
        role.networks =
            [spelling, other].map(|key| NetworkName { key, label: Some("a label is no key".into()) }).to_vec();
        role.network_references = [500, 600, 700].map(|id| (identity(ResourceKind::Organization, id), None)).to_vec();
    });
    let made = payer.made();
    let [found] = made.find(&in_county(MIAMI)).try_into().unwrap();
    let mut keys: Vec<String> = found.networks.iter().map(|network| network.key.to_string()).collect();
    keys.sort();
    assert_eq!(keys, [by_organization.to_string(), network("1").to_string()]);
    assert!(found.networks.iter().any(|network| network.label() == Some("Five")));
    assert_eq!(made.provider(npi(50)).unwrap(), None, "a network is no provider");
}

#[test]
fn pharmacies_of_closed_doors_are_listed_apart() {
    let mut payer = Payer::new();
    let of = |id: SourceId, specialties: Vec<Specialty>, at: usize| {
        move |role: &mut Role| {
            role.organization = Some(id);
            role.networks = vec![NetworkName { key: pharmacies(), label: None }];
            role.specialties = specialties;
            role.places = vec![place(at)];
            role.directory_types = vec!["Pharmacy".into()];
        }
    };
    let corner = payer.organization(1, "Corner Drugs");
    payer.role(of(corner, vec![text("PHARMACY")], 1));
    let mail = payer.organization(2, "Far Mail Service");
    payer.role(of(mail, vec![text("Mail Order Pharmacy")], 3));
    let infusion = payer.organization(3, "Best Infusion");
    payer.role(of(infusion, vec![], 1));
    let coded = payer.organization(4, "Coded");
    let code = Specialty { text: None, taxonomy: Some("3336L0003X".into()) };
    payer.role(of(coded, vec![code], 1));
    let typed = payer.organization_of(5, "Delta", &["3336h0001x"]);
    payer.role(of(typed, vec![text("Pharmacy")], 1));
    let retail = payer.organization_of(6, "Elm Drugs", &["Mail Order Pharmacy"]);
    payer.role(of(retail, vec![text("Retail Pharmacy")], 1));
    let made = payer.made();
    let found =
        made.try_find(&ProviderSearch { network_kind: Some(NetworkKind::Pharmacy), ..in_county(MIAMI) }).unwrap();
    let names = |found: &[PracticeLocation]| found.iter().map(|found| found.name.clone()).collect::<Vec<_>>();
    assert_eq!(names(&found.results), ["Corner Drugs", "Elm Drugs"], "a role's specialty counts before a type");
    assert_eq!(names(&found.closed_door), ["Best Infusion", "Coded", "Delta", "Far Mail Service"], "those here first");
    assert!(found.closed_door.iter().all(|found| found.distance_km.is_none() && found.roles[0].closed_door));
    let by_word = made.try_find(&ProviderSearch { specialty: Some("Pharmacy".into()), ..in_county(MIAMI) }).unwrap();
    assert_eq!((names(&by_word.results).len(), by_word.closed_door_total), (2, 4));
    let mail = ProviderSearch { specialty: Some("mail order pharmacy".into()), ..in_county(MIAMI) };
    let behind = made.try_find(&mail).unwrap().closed_door;
    assert_eq!(names(&behind), ["Best Infusion", "Delta", "Far Mail Service"], "not one that states another kind");
    assert_eq!(made.find(&ProviderSearch { kind: Some(ProviderKind::Individual), ..in_county(MIAMI) }), []);
}

#[test]
fn words_that_mean_nothing_here_are_errors_with_candidates() {
    let mut payer = Payer::new();
    let ann = payer.person(1, "Ann", |person| {
        person.gender = Some("female".into());
        person.languages = vec!["Spanish".into()];
    });
    payer.usual(ann, |role| role.specialties = vec![text("Pediatric Cardiology"), text("Family Medicine")]);
    let made = payer.made();
    let refused = |search: ProviderSearch| {
        let error = made.try_find(&search).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::NotFound);
        error.candidates().to_vec()
    };
    let all = || in_county(MIAMI);
    assert_eq!(refused(ProviderSearch { specialty: Some("Cardiology".into()), ..all() }), ["Pediatric Cardiology"]);
    assert_eq!(refused(ProviderSearch { specialty: Some("Famly Medicine".into()), ..all() }), ["Family Medicine"]);
    assert_eq!(refused(ProviderSearch { language: Some("Klingon".into()), ..all() }), ["Spanish"]);
    assert_eq!(refused(ProviderSearch { gender: Some("x".into()), ..all() }), ["female"]);
    assert_eq!(refused(ProviderSearch { city: Some("Miammi".into()), ..all() }), ["Miami"]);
    assert!(!refused(ProviderSearch { networks: Some(vec![network("88")]), ..all() }).is_empty());
    assert_eq!(
        made.find(&ProviderSearch { gender: Some("F".into()), language: Some("SPANISH".into()), ..all() }).len(),
        1
    );
    let family = made.try_find(&ProviderSearch { specialty: Some("FAMILY MEDICINE".into()), ..all() }).unwrap();
    assert_eq!((family.total, family.similar_specialties), (1, vec![]));
}

#[test]
fn distances_cross_county_lines_states_and_the_date_line() {
    let mut payer = Payer::new();
    let at = |payer: &mut Payer, id: usize, lat, lon, state: &str, name: &str| {
        payer.place(id, Some((lat, lon)), |place| {
            place.address.city = None;
            place.address.zip = None;
            place.address.state = Some(state.to_owned());
        });
        let person = payer.person(id as u64, name, |_| {});
        payer.usual(person, |role| role.places = vec![place(id)]);
    };
    at(&mut payer, 101, 52.7236, 174.11, "AK", "West of the line");
    at(&mut payer, 102, 51.88, -176.65, "AK", "East of the line");
    at(&mut payer, 103, 41.60, -87.34, "IN", "Gary");
    at(&mut payer, 104, 41.70, -87.60, "IL", "Chicago");
    let made = payer.made();
    let near = |lat, lon, radius_km| {
        let near = Near::Point { center: Point::from_degrees(lat, lon).unwrap(), radius_km };
        let found = made.find(&ProviderSearch { near, limit: 10, ..ProviderSearch::default() });
        found.into_iter().map(|found| (found.name, found.distance_km.unwrap())).collect::<Vec<_>>()
    };
    let [(first, km), (second, further)] = near(51.9, -178.0, 600.0).try_into().unwrap();
    assert_eq!((first.as_str(), second.as_str()), ("East of the line", "West of the line"));
    assert!((92.0..94.0).contains(&km) && (540.0..560.0).contains(&further), "{km} {further}");
    let names: Vec<String> = near(41.65, -87.52, 40.0).into_iter().map(|(name, _)| name).collect();
    assert_eq!(names, ["Chicago", "Gary"]);
    let everywhere = near(0.0, 0.0, f64::INFINITY);
    assert_eq!(everywhere.len(), 4);
    assert!(everywhere.is_sorted_by(|(_, a), (_, b)| a <= b));
}

#[test]
fn in_the_county_comes_first_whatever_the_radius_and_without_a_point_last() {
    let mut payer = Payer::new();
    payer.place(8, None, |place| {
        place.address.zip = None;
        place.address.district = Some("Miami-Dade County".into());
    });
    for (at, name, of) in [(1, "Far inside", 2), (2, "Without a point", 8), (3, "Outside", 3), (4, "Inside", 1)] {
        let person = payer.person(at, name, |_| {});
        payer.usual(person, |role| role.places = vec![place(of)]);
    }
    let made = payer.made();
    let county = |county, radius_km| {
        let near = Near::County {
            county: CountyFips::new(county).unwrap(),
            center: Point::from_degrees(25.77, -80.2).unwrap(),
            radius_km,
        };
        let found = made.find(&ProviderSearch { near, limit: 10, ..ProviderSearch::default() });
        found.into_iter().map(|found| (found.name, found.in_county, found.distance_km.is_some())).collect::<Vec<_>>()
    };
    let line = |name: &str, inside, measured| (name.to_owned(), Some(inside), measured);
    assert_eq!(
        county(MIAMI, 100.0),
        [
            line("Inside", true, true),
            line("Far inside", true, true),
            line("Without a point", true, false),
            line("Outside", false, true)
        ]
    );
    assert_eq!(county(MIAMI, 0.0).len(), 3);
    assert_eq!(county(BROWARD, 5.0), [line("Outside", true, true), line("Inside", false, true)]);
    assert_eq!(county(2016, 5.0).len(), 1, "nobody in the county, and one within the radius");
}

#[test]
fn the_newest_version_of_a_resource_counts() {
    let mut payer = Payer::new();
    let ann = payer.person(1, "Ann Old", |_| {});
    payer.usual(ann, |_| {});
    let renamed =
        Individual { npis: vec![npi(1).to_string()], names: vec![person_name("Ann New")], ..Individual::default() };
    let newer = resource(ResourceKind::Individual, 1, Fact::Individual(renamed));
    payer.resources.insert(0, Received { updated: Stamp(Some(6)), ..newer });
    let gone = resource(ResourceKind::Role, 1, Fact::Role(Role::default()));
    let older = Content::Quarantined("was unreadable".into());
    payer.resources.push(Received { updated: Stamp(None), content: older, ..gone });
    let made = payer.made();
    let [found] = made.find(&in_county(MIAMI)).try_into().unwrap();
    assert_eq!(found.name, "Ann New");
}

#[test]
fn a_reference_to_an_organization_of_no_type_is_a_network_only_by_its_key() {
    let other_key = NetworkKey::new("https://payer.test/tax-id", "1").unwrap();
    for (types, keys, wanted) in [
        (vec![], vec![network("1")], NetworkStatus::InNetwork),
        (vec![], vec![other_key.clone()], NetworkStatus::Unknown),
        (vec![], vec![], NetworkStatus::Unknown),
        (vec!["prvgrp".to_owned()], vec![other_key], NetworkStatus::NotInDirectory),
    ] {
        let mut payer = Payer::new();
        payer.organization(30, "Group");
        if let Content::Fact(Fact::Organization(facts)) = &mut payer.resources.last_mut().unwrap().content {
            (facts.types, facts.network_keys) = (types, keys.clone());
        }
        for at in 1..=2 {
            let person = payer.person(at, "Ann Lee", |_| {});
            payer.usual(person, |role| {
                if at == 1 {
                    role.networks.clear();
                    role.network_references = vec![(identity(ResourceKind::Organization, 30), None)];
                }
            });
        }
        assert_eq!(payer.made().status(1, &network("1")).0, wanted, "{keys:?}");
    }
}
