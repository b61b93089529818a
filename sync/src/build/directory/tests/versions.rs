//! Versions of one date and number that differ: nobody knows which one is the newest.

use coverdex_core::Npi;
use coverdex_core::State;
use coverdex_core::{Near, NetworkStatus, Provider, ProviderSearch};

use super::Made;
use super::cases::{Payer, in_county, named, network, npi};
use super::world::phone;
use crate::model::{
    Accepting, AcceptingPatients, Content, Fact, Individual, Period, Place, Received, ResourceKind, Role,
};

fn provider(made: &Made, npi: Npi) -> Provider {
    made.provider(npi).unwrap().unwrap()
}

fn status(made: &Made) -> NetworkStatus {
    made.network_status(npi(1), &[network("1")], None).unwrap().status
}

/// The datasets of the same resources in several orders; all are equal.
fn in_any_order(mut payer: Payer) -> Made {
    let made = payer.made();
    for _ in 0..3 {
        payer.resources.rotate_left(1);
        assert!(payer.made().file("directory.bin") == made.file("directory.bin"));
        payer.resources.reverse();
        let other = payer.made();
        assert!(other.file("directory.bin") == made.file("directory.bin"));
        assert_eq!(other.report, made.report);
    }
    made
}

fn persons(changes: &[fn(&mut Individual)]) -> Made {
    let mut payer = Payer::new();
    let mut person = None;
    for change in changes {
        person = Some(payer.person(1, "Ann Lee", change));
    }
    payer.usual(person.unwrap(), |_| {});
    in_any_order(payer)
}

fn places(changes: &[fn(&mut Place)]) -> Made {
    let mut payer = Payer::new();
    let first = payer.resources.iter().position(|r| r.kind == ResourceKind::Place).unwrap();
    let first: Received = payer.resources.remove(first);
    for change in changes {
        let mut version = first.clone();
        if let Content::Fact(Fact::Place(place)) = &mut version.content {
            change(place);
        }
        payer.resources.push(version);
    }
    let person = payer.person(1, "Ann Lee", |_| {});
    payer.usual(person, |_| {});
    in_any_order(payer)
}

/// Versions of one role of Ann Lee; two places are alike.
fn roles(changes: &[fn(&mut Role)]) -> Made {
    let mut payer = Payer::new();
    payer.place(2, Some((25.77, -80.2)), |_| {});
    let person = payer.person(1, "Ann Lee", |_| {});
    for change in changes {
        payer.usual(person, change);
        payer.roles -= 1;
    }
    in_any_order(payer)
}

fn status_in(made: &Made, id: &str) -> NetworkStatus {
    made.network_status(npi(1), &[network(id)], None).unwrap().status
}

fn kept_apart(made: &Made, kind: ResourceKind) -> u64 {
    made.report.of(kind).kept_apart.values().sum()
}

#[test]
fn what_versions_of_a_person_say_side_by_side_is_united() {
    let made = persons(&[
        |person| {
            person.gender = Some("female".into());
            person.languages = vec!["French".into()];
            person.phones = vec![phone("305-555-0101")];
        },
        |person| {
            person.gender = Some("male".into());
            person.languages = vec!["Spanish".into()];
            person.phones = vec![phone("305-555-0102")];
        },
        |person| {
            person.gender = Some("female".into());
            person.npis.push(npi(2).to_string());
        },
    ]);
    let ann = provider(&made, npi(1));
    assert_eq!(ann.gender, None, "stated both ways");
    assert_eq!(ann.languages, ["French", "Spanish"]);
    assert_eq!(ann.phones.len(), 2);
    assert_eq!(provider(&made, npi(2)).name, "Ann Lee");
    assert_eq!(status(&made), NetworkStatus::InNetwork, "nothing that decides differs");
    assert_eq!(kept_apart(&made, ResourceKind::Individual), 1);
}

#[test]
fn a_status_that_differs_decides_nothing() {
    let made = persons(&[|person| person.active = Some(true), |person| person.active = Some(false)]);
    assert_eq!(status(&made), NetworkStatus::Unknown);
    let made = places(&[|place| place.active = Some(false), |_| {}]);
    assert_eq!(status(&made), NetworkStatus::Unknown);
    assert_eq!(kept_apart(&made, ResourceKind::Place), 1);
    let moved = places(&[|place| place.address.lines = vec!["9 Elm St".into()], |_| {}, |_| {}]);
    assert_eq!(status(&moved), NetworkStatus::InNetwork, "wherever it is");
    let ann = provider(&moved, npi(1));
    let location = ann.locations[0].location.as_ref().unwrap();
    assert_eq!((location.address.as_deref(), location.city.as_deref()), (None, Some("Miami")));
}

#[test]
fn what_versions_of_a_place_say_side_by_side_is_united() {
    let made = places(&[
        |place| place.phones = vec![phone("305-555-0101")],
        |place| place.phones = vec![phone("305-555-0102")],
        |place| place.hours = Some("Mo".into()),
    ]);
    assert_eq!(status(&made), NetworkStatus::InNetwork);
    let ann = provider(&made, npi(1));
    let (shown, location) = (&ann.locations[0], ann.locations[0].location.as_ref().unwrap());
    assert_eq!((shown.phones.len(), location.hours.as_deref()), (2, Some("Mo")));
    let contradict = places(&[
        |place| place.accepting = vec![AcceptingPatients { status: Accepting::Yes, from_network: None }],
        |place| place.accepting = vec![AcceptingPatients { status: Accepting::No, from_network: None }],
    ]);
    assert_eq!(status(&contradict), NetworkStatus::InNetwork);
    let ann = provider(&contradict, npi(1));
    assert_eq!(ann.locations[0].roles[0].accepting.len(), 2, "{:?}", ann.locations[0].roles);
}

#[test]
fn what_is_left_open_is_counted_beside_a_search() {
    let mut payer = Payer::new();
    // Ann's place has two versions, one of them inactive; Bo names a network that leads nowhere; Cy is certain.
    let contrary = super::cases::place(2);
    for active in [true, false] {
        payer.place(2, Some((25.77, -80.2)), |place| place.active = Some(active));
    }
    for (at, name) in [(1, "Ann Lee"), (2, "Bo Ray"), (3, "Cy Fox")] {
        let person = payer.person(at, name, |_| {});
        payer.usual(person, |role| match at {
            1 => role.places = vec![contrary],
            2 => {
                role.networks = vec![named("2")];
                role.unreadable_network = true;
            }
            _ => {}
        });
    }
    let made = payer.made();
    let counts = |search: &ProviderSearch| {
        let found = made.try_find(search).unwrap();
        (found.total, found.in_doubt)
    };
    let everybody = in_county(12_086);
    let of = |network_id: &str| ProviderSearch { networks: Some(vec![network(network_id)]), ..everybody.clone() };
    let in_first = of("1");
    assert_eq!(counts(&everybody), (2, 1), "whatever the network, Ann's place alone is in doubt");
    assert_eq!(counts(&in_first), (1, 2), "Cy; Ann if her place is open, Bo by the network that is not known");
    assert_eq!(counts(&of("2")), (1, 0), "Bo; Ann names another network");
    assert_eq!(counts(&of("3")), (0, 1));
    let named = |name: &str| ProviderSearch { name: Some(name.into()), ..in_first.clone() };
    assert_eq!(counts(&named("Bo")), (0, 1));
    assert_eq!(counts(&named("Cy")), (1, 0));
    let with = |specialty: &str| ProviderSearch { specialty: Some(specialty.into()), ..in_first.clone() };
    assert_eq!(counts(&with("Cardiology")), (1, 2));
    assert_eq!(counts(&ProviderSearch { limit: 0, ..in_first.clone() }), (1, 2), "only counted");
    assert_eq!(counts(&ProviderSearch { accepting: true, ..in_first.clone() }), (0, 0));
    let elsewhere = ProviderSearch { near: Near::State(State::from_name("GA").unwrap()), ..in_first.clone() };
    assert_eq!(counts(&elsewhere), (0, 0));
    assert_eq!(counts(&ProviderSearch { near: Near::Anywhere, ..in_first }), (1, 2));
}

#[test]
fn versions_of_a_role_decide_what_they_say_alike() {
    let (made, of) = (roles, status_in);
    let networks = made(&[|_| {}, |role| role.networks = vec![named("1"), named("2")]]);
    assert_eq!(of(&networks, "1"), NetworkStatus::InNetwork, "by both");
    assert_eq!(of(&networks, "2"), NetworkStatus::Unknown, "by one");
    assert_eq!(of(&networks, "3"), NetworkStatus::Unknown, "the directory has nobody else in it");
    assert_eq!(kept_apart(&networks, ResourceKind::Role), 1);
    let elsewhere = made(&[|_| {}, |role| role.places = vec![super::cases::place(2)]]);
    assert_eq!(of(&elsewhere, "1"), NetworkStatus::InNetwork, "wherever");
    let places = |search: &ProviderSearch| {
        let found = elsewhere.try_find(search).unwrap();
        (found.total, found.place_not_stated, found.in_doubt)
    };
    assert_eq!(places(&ProviderSearch { networks: Some(vec![network("1")]), ..in_county(12_086) }), (0, 1, 2));
    let specialties = made(&[|_| {}, |role| role.specialties = vec![super::cases::text("Oncology")]]);
    assert_eq!(of(&specialties, "1"), NetworkStatus::InNetwork);
    let other = made(&[|_| {}, |role| role.networks = vec![named("2")]]);
    assert_eq!(of(&other, "1"), NetworkStatus::Unknown);
    let active = made(&[|role| role.active = Some(true), |role| role.active = Some(false)]);
    assert_eq!(of(&active, "1"), NetworkStatus::Unknown);
}

#[test]
fn spellings_of_a_name_do_not_contradict_each_other() {
    let made = persons(&[
        |person| person.names = vec![super::world::person_name("Ann Lee")],
        |person| person.names = vec![super::world::person_name("Ann Marie Lee")],
    ]);
    assert_eq!(status(&made), NetworkStatus::InNetwork);
    let made = persons(&[
        |person| person.names = vec![super::world::person_name("Ann Lee")],
        |person| person.names = vec![super::world::person_name("Otto Kranz")],
    ]);
    assert_eq!(status(&made), NetworkStatus::Unknown);
}

#[test]
fn spellings_of_a_role_do_not_contradict_each_other() {
    let active = roles(&[|role| role.active = Some(true), |_| {}]);
    assert_eq!(status_in(&active, "1"), NetworkStatus::InNetwork);
    let written = roles(&[|_| {}, |role| role.specialties = vec![super::cases::text("CARDIOLOGY")]]);
    assert_eq!(status_in(&written, "1"), NetworkStatus::InNetwork);
    assert_eq!(kept_apart(&written, ResourceKind::Role), 0);
    let ended = roles(&[
        |role| role.active = Some(false),
        |role| role.period = Period { start: None, end: Some(super::TODAY - 1) },
    ]);
    assert_eq!(status_in(&ended, "1"), NetworkStatus::Inactive, "by both, if for different reasons");
}

#[test]
fn an_inactive_role_whose_network_is_not_known_decides_nothing() {
    let made = roles(&[|role| {
        role.active = Some(false);
        role.networks.clear();
        role.unreadable_network = true;
    }]);
    let answer = made.network_status(npi(1), &[network("1")], None).unwrap();
    assert_eq!(answer.status, NetworkStatus::Unknown);
    assert!(answer.reason.unwrap().starts_with("an inactive role"));
}
