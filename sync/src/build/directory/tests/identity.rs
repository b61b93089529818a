//! Who is who, which version counts, and where references lead.

use coverdex_core::ErrorKind;
use coverdex_core::Npi;
use coverdex_core::{NetworkStatus, PracticeLocation, ProviderKind, ProviderQuery, ProviderSearch};

use super::Made;
use super::cases::{Payer, named, network, npi, place};
use super::world::{Random, identity, person_name, resource};
use crate::model::{
    Fact, Individual, NetworkName, Period, PersonName, Received, ResourceKind, Role, Server, Servers, ServiceFacts,
    SourceId, Stamp,
};

fn status(made: &Made, npi: Npi) -> NetworkStatus {
    made.network_status(npi, &[network("1")], None).unwrap().status
}

/// A later or other version of a role that the payer has.
fn version(role: &Received, number: Option<u64>, stamp: i64, change: impl FnOnce(&mut Role)) -> Received {
    let mut other = role.clone();
    other.version = number;
    other.updated = Stamp(Some(stamp));
    if let crate::model::Content::Fact(Fact::Role(role)) = &mut other.content {
        change(role);
    }
    other
}

#[test]
fn the_higher_version_of_one_date_counts_else_the_payer_says_both() {
    let mut payer = Payer::new();
    for at in 1..=4 {
        let person = payer.person(at, "Ann Lee", |_| {});
        payer.usual(person, |_| {});
        let role = payer.resources.last_mut().unwrap();
        role.version = Some(2);
    }
    let roles: Vec<Received> = payer.resources.iter().filter(|r| r.kind == ResourceKind::Role).cloned().collect();
    let inactive = |role: &mut Role| role.active = Some(false);
    payer.resources.push(version(&roles[0], Some(10), 5, inactive));
    payer.resources.push(version(&roles[1], None, 5, inactive));
    payer.resources.push(version(&roles[2], Some(2), 5, |role| role.hours = Some("Mo 9-5".into())));
    payer.resources.push(version(&roles[3], None, 4, inactive));
    let made = payer.made();
    let found: Vec<NetworkStatus> = (1..=4).map(|at| status(&made, npi(at))).collect();
    let wanted = [NetworkStatus::Inactive, NetworkStatus::Unknown, NetworkStatus::InNetwork, NetworkStatus::InNetwork];
    assert_eq!(found, wanted);
    let third = made.provider(npi(3)).unwrap().unwrap();
    assert_eq!(third.locations[0].roles[0].hours.as_deref(), Some("Mo 9-5"), "what does not decide is united");
    payer.resources.reverse();
    assert_eq!(payer.made().report, made.report);
    let counts = made.report.of(ResourceKind::Role);
    assert_eq!((counts.received, counts.used, counts.kept_apart.values().sum::<u64>()), (4, 4, 1));
}

#[test]
fn periods_of_roles_and_people_hold_on_the_day_of_the_data() {
    let ended = Period { start: None, end: Some(super::TODAY - 1) };
    let mut payer = Payer::new();
    let ann = payer.person(1, "Ann Lee", |_| {});
    payer.usual(ann, |role| role.period = ended);
    let bo = payer.person(2, "Bo Chen", |person| person.period = ended);
    payer.usual(bo, |_| {});
    let cy = payer.person(3, "Cy Former", |person| {
        let (former, now) = (person_name("Cy Former"), person_name("Cy Now"));
        person.names = vec![PersonName { period: ended, ..former }, now];
    });
    payer.usual(cy, |role| role.period = Period { start: Some(super::TODAY), end: None });
    let made = payer.made();
    assert_eq!(status(&made, npi(1)), NetworkStatus::Inactive);
    assert_eq!(status(&made, npi(2)), NetworkStatus::Inactive);
    assert_eq!(status(&made, npi(3)), NetworkStatus::InNetwork);
    let cy = made.provider(npi(3)).unwrap().unwrap();
    assert_eq!((cy.name.as_str(), cy.other_names.as_slice()), ("Cy Now", &["Cy Former".to_owned()][..]));
}

#[test]
fn services_fill_what_roles_leave_open_and_stand_for_themselves() {
    let service = |id: usize, change: fn(&mut ServiceFacts)| {
        let mut facts = ServiceFacts {
            places: vec![place(1)],
            specialties: vec![super::cases::text("Cardiology")],
            ..ServiceFacts::default()
        };
        change(&mut facts);
        facts.organization = Some(identity(ResourceKind::Organization, 20));
        resource(ResourceKind::Service, id, Fact::Service(facts))
    };
    let mut payer = Payer::new();
    payer.organization(20, "Lakeview Heart");
    payer.resources.push(service(1, |_| {}));
    payer.resources.push(service(2, |facts| facts.places = vec![place(2)]));
    payer.resources.push(service(3, |facts| facts.active = Some(false)));
    let ann = payer.person(1, "Ann Lee", |_| {});
    payer.usual(ann, |role| {
        role.places.clear();
        role.specialties.clear();
        role.services = vec![identity(ResourceKind::Service, 1)];
    });
    let made = payer.made();
    let ann = made.provider(npi(1)).unwrap().unwrap();
    assert_eq!(ann.locations[0].location.as_ref().unwrap().address.as_deref(), Some("1 Main St"));
    assert_eq!(ann.locations[0].specialties, ["Cardiology"]);
    let organization = made.provider(npi(20)).unwrap().unwrap();
    let [only] = organization.locations.as_slice() else { panic!("{organization:?}") };
    assert_eq!(only.location.as_ref().unwrap().address.as_deref(), Some("2 Main St"));
    let counts = made.report.of(ResourceKind::Service);
    assert_eq!((counts.received, counts.used, counts.of_no_use.values().sum::<u64>()), (3, 2, 1));
}

#[test]
fn a_service_with_networks_is_a_role_of_its_organization_alone() {
    let mut payer = Payer::new();
    let mut service = |id: usize, networks: Vec<NetworkName>, references: Vec<SourceId>, active: Option<bool>| {
        let organization = payer.organization(20 + id as u64, &format!("Lakeview {id}"));
        let facts = ServiceFacts {
            active,
            organization: Some(organization),
            networks,
            network_references: references.into_iter().map(|source| (source, None)).collect(),
            places: vec![place(1)],
            ..ServiceFacts::default()
        };
        payer.resources.push(resource(ResourceKind::Service, id, Fact::Service(facts)));
    };
    let nowhere = identity(ResourceKind::Organization, 99);
    service(1, vec![named("1")], Vec::new(), None);
    service(2, vec![named("1")], Vec::new(), Some(false));
    service(3, Vec::new(), vec![nowhere], Some(true));
    service(4, Vec::new(), Vec::new(), None);
    let ann = payer.person(1, "Ann Lee", |_| {});
    payer.usual(ann, |role| {
        role.networks = vec![named("2")];
        role.services = vec![identity(ResourceKind::Service, 1)];
    });
    let made = payer.made();
    let found = [21, 22, 23, 24, 1].map(|at| status(&made, npi(at)));
    let want = [
        NetworkStatus::InNetwork,
        NetworkStatus::Inactive,
        NetworkStatus::Unknown,
        NetworkStatus::NotInDirectory,
        NetworkStatus::OtherNetworksOnly,
    ];
    assert_eq!(found, want);
    let counts = made.report.of(ResourceKind::Service);
    assert_eq!((counts.received, counts.used), (4, 4));
}

#[test]
fn a_reference_to_the_payers_server_is_local_and_one_to_another_is_not() {
    let [own, other] = ["fhir.payer.test/r4", "elsewhere.test"].map(|text| Server(text.to_owned()));
    let mut payer = Payer::new();
    for (at, server) in [(1, &own), (2, &other)] {
        let person = payer.person(at, "Ann Lee", |_| {});
        payer.usual(SourceId(person.0).at(server.hash()), |_| {});
        payer.resources.last_mut().unwrap().servers = Some(Box::new(Servers {
            referred: vec![server.clone()],
            own: vec![own.clone()],
            system_hosts: Vec::new(),
        }));
    }
    let made = payer.made();
    assert_eq!(status(&made, npi(1)), NetworkStatus::InNetwork);
    assert_ne!(status(&made, npi(2)), NetworkStatus::InNetwork);
}

#[test]
fn a_sample_npi_leads_to_candidates_and_a_name_picks_one() {
    let sample: Npi = "1234567893".parse().unwrap();
    let mut payer = Payer::new();
    for (at, name) in [(1, "Abel Northcott"), (2, "Berta Quillfeather")] {
        let person = payer.person(at, name, |person| person.npis = vec![sample.to_string()]);
        payer.usual(person, |role| role.networks = vec![named(&at.to_string())]);
    }
    let made = payer.made();
    let error = made.provider(sample).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Ambiguous);
    assert_eq!(error.candidates(), ["Abel Northcott, individual, Miami", "Berta Quillfeather, individual, Miami"]);
    let query = ProviderQuery { npi: sample, name: Some("quill".to_owned()) };
    let found = made.provider(query.clone()).unwrap().unwrap();
    assert_eq!((found.name.as_str(), found.npi), ("Berta Quillfeather", None));
    let answer = made.network_status(query, &[network("1")], None).unwrap();
    assert_eq!(answer.status, NetworkStatus::OtherNetworksOnly);
    let nobody = ProviderQuery { npi: sample, name: Some("zacharias".to_owned()) };
    assert_eq!(made.provider(nobody).unwrap_err().kind(), ErrorKind::NotFound);
}

/// A made-up person's record with one role: where, if that is stated, and in which network.
struct Truth {
    given: &'static str,
    family: &'static str,
    npis: Vec<Npi>,
    network: usize,
    place: Option<usize>,
}

impl Truth {
    fn name(&self) -> String {
        format!("{} {}", self.given, self.family)
    }

    /// Names that share neither part are of two people.
    fn may_be(&self, other: &Self) -> bool {
        self.given == other.given || self.family == other.family
    }
}

/// Records of a few people under shared, mistyped and sample NPIs, each with a role at a place of its own.
fn some_people(r: &mut Random) -> (Payer, Vec<Truth>) {
    const GIVEN: [&str; 3] = ["Annabel", "Bruno", "Celeste"];
    const FAMILY: [&str; 3] = ["Northcott", "Quillfeather", "Ravensdale"];
    let mut payer = Payer::new();
    let mut truths = Vec::new();
    for at in 0..2 + r.below(8) {
        let (given, family) = (GIVEN[r.below(3)], FAMILY[r.below(3)]);
        let mut npis: Vec<Npi> = (0..=r.below(2)).map(|_| npi(700 + r.below(5) as u64)).collect();
        if r.chance(20) {
            npis.push("1234567893".parse().unwrap());
        }
        let id = 100 + at;
        let stated_place = r.chance(80).then_some(id);
        let truth = Truth { given, family, npis, network: 1 + r.below(3), place: stated_place };
        let facts = Individual {
            npis: truth.npis.iter().map(Npi::to_string).collect(),
            names: vec![person_name(&truth.name())],
            ..Individual::default()
        };
        payer.place(id, None, |_| {});
        payer.resources.push(resource(ResourceKind::Individual, id, Fact::Individual(facts)));
        payer.usual(identity(ResourceKind::Individual, id), |role| {
            role.networks = vec![named(&truth.network.to_string())];
            role.places = stated_place.map(place).into_iter().collect();
        });
        truths.push(truth);
    }
    if r.chance(50) {
        payer.organization(700 + r.below(5) as u64, "Lakeview Heart");
    }
    (payer, truths)
}

/// Against a naive model: who a provider is made of shows in its places, one for each record.
#[test]
fn nobody_is_in_a_network_by_the_role_of_another() {
    let (mut answered, mut folded) = (0, 0);
    for seed in 0..120 {
        let mut r = Random(seed);
        let (payer, truths) = some_people(&mut r);
        let made = payer.made();
        for truth in truths.iter().filter(|truth| truth.place.is_some()) {
            let name = truth.name();
            for npi in &truth.npis {
                let query = ProviderQuery { npi: *npi, name: Some(name.clone()) };
                let Ok(Some(provider)) = made.provider(query.clone()) else { continue };
                let at = |location: &PracticeLocation| {
                    let address = location.location.as_ref()?.address.clone()?;
                    address.split(' ').next()?.parse::<usize>().ok()
                };
                let places: Vec<usize> = provider.locations.iter().filter_map(at).collect();
                let members: Vec<&Truth> =
                    truths.iter().filter(|other| other.place.is_some_and(|id| places.contains(&id))).collect();
                let unplaced = provider.locations.iter().any(|location| location.location.is_none());
                folded += usize::from(members.len() > 1);
                for (a, b) in members.iter().flat_map(|a| members.iter().map(move |b| (a, b))) {
                    assert!(a.may_be(b), "seed {seed}: {} and {} are one provider", a.name(), b.name());
                }
                for member in &members {
                    let shares = |other: &&&Truth| other.npis.iter().any(|npi| member.npis.contains(npi));
                    let others = members.iter().filter(shares).count();
                    assert!(members.len() == 1 || others > 1 || unplaced, "seed {seed}: {name} shares no NPI");
                }
                for asked in 1..=3 {
                    let answer = made.network_status(query.clone(), &[network(&asked.to_string())], None).unwrap();
                    let by_own = members.iter().any(|member| member.network == asked);
                    let is_in = answer.status == NetworkStatus::InNetwork;
                    answered += 1;
                    assert!(is_in == by_own || unplaced, "seed {seed}: {name}, {npi}, network {asked}: {answer:?}");
                }
            }
        }
        let counts = made.report.of(ResourceKind::Individual);
        assert_eq!(counts.received, truths.len() as u64);
        assert_eq!(counts.used + counts.folded.values().sum::<u64>(), counts.received, "seed {seed}");
        assert!(counts.kept_apart.values().sum::<u64>() <= counts.received);
        // Every record is found at its place, and who has none is counted.
        let all = ProviderSearch { kind: Some(ProviderKind::Individual), limit: 100, ..ProviderSearch::default() };
        let found = made.try_find(&all).unwrap();
        assert_eq!(found.total, truths.iter().filter(|truth| truth.place.is_some()).count() as u64, "seed {seed}");
        let unplaced = truths.iter().filter(|truth| truth.place.is_none()).count() as u64;
        assert!(found.place_not_stated <= unplaced && (found.place_not_stated > 0) == (unplaced > 0), "seed {seed}");
    }
    assert!(answered > 500 && folded > 50, "{answered} {folded}");
}

#[test]
fn an_npi_beside_a_reference_that_leads_nowhere_leads_to_the_one_who_has_it() {
    let mut payer = Payer::new();
    payer.person(1, "Ann Lee", |_| {});
    let nobody = SourceId(7);
    payer.usual(nobody, |role| role.npi = Some(npi(1)));
    let bo = payer.person(2, "Bo Ray", |_| {});
    payer.usual(bo, |role| role.npi = Some(npi(1)));
    let made = payer.made();
    let status = |at: u64| made.network_status(npi(at), &[network("1")], None).unwrap().status;
    assert_eq!((status(1), status(2)), (NetworkStatus::InNetwork, NetworkStatus::InNetwork));
    assert_eq!(made.find(&super::cases::in_county(12_086)).len(), 2);
    // Where two state the NPI, it leads nowhere.
    let mut payer = Payer::new();
    payer.person(1, "Ann Lee", |_| {});
    payer.person(2, "Otto Kranz", |person| person.npis = vec![npi(1).to_string()]);
    payer.usual(nobody, |role| role.npi = Some(npi(1)));
    assert_eq!(payer.made().find(&super::cases::in_county(12_086)).len(), 0);
}

#[test]
fn places_where_organizations_practice_tell_whether_they_are_one() {
    let made = |at_one_place: bool| {
        let mut payer = Payer::new();
        payer.place(4, Some((25.80, -80.25)), |place| place.address.lines = vec!["500 Pine St".into()]);
        for (id, npis, location) in [(1, vec![npi(1), npi(2)], 1), (2, vec![npi(2)], if at_one_place { 1 } else { 4 })]
        {
            let source = payer.organization(id, "Merlin Imaging");
            if let Some(crate::model::Content::Fact(Fact::Organization(facts))) =
                payer.resources.last_mut().map(|resource| &mut resource.content)
            {
                facts.npis = npis.iter().map(Npi::to_string).collect();
            }
            payer.usual(source, |role| {
                role.organization = role.individual.take();
                role.places = vec![place(location)];
            });
        }
        payer.made()
    };
    let one = made(true).provider(npi(2)).unwrap().unwrap();
    assert_eq!((one.npi, one.aliases), (Some(npi(1)), vec![npi(2)]));
    let apart = made(false);
    let first = apart.provider(npi(1)).unwrap().unwrap();
    assert_eq!(first.aliases, [], "that of the other one");
    let second = apart.provider(npi(2)).unwrap().unwrap();
    assert_eq!(second.locations[0].location.as_ref().unwrap().address.as_deref(), Some("500 Pine St"));
}

#[test]
fn a_groups_npi_is_shown_for_none_of_its_members() {
    let mut payer = Payer::new();
    payer.organization(1, "Lake Group");
    for name in ["Ivan Mossgrove", "Ida Overbrook"] {
        let person = payer.person(1, name, |_| {});
        let id = payer.roles + 10;
        payer.resources.last_mut().unwrap().source = identity(ResourceKind::Individual, id);
        assert_ne!(person, identity(ResourceKind::Individual, id));
        payer.usual(identity(ResourceKind::Individual, id), |_| {});
    }
    let made = payer.made();
    let found = made.find(&super::cases::in_county(12_086));
    assert_eq!(found.iter().map(|found| found.npi).collect::<Vec<_>>(), [None, None]);
    let error = made.provider(npi(1)).unwrap_err();
    assert_eq!((error.kind(), error.candidates().len()), (ErrorKind::Ambiguous, 3), "whose it is, nobody knows");
    let group = made.provider(ProviderQuery { npi: npi(1), name: Some("lake".to_owned()) }).unwrap().unwrap();
    assert_eq!((group.npi, group.kind), (Some(npi(1)), ProviderKind::Organization));
}
