//! Versions of one date and number that differ: nobody knows which one is the newest.

use coverdex_core::ids::Npi;
use coverdex_core::providers::{NetworkStatus, Provider};

use super::Made;
use super::cases::{Payer, network, npi};
use super::world::phone;
use crate::model::{Accepting, AcceptingPatients, Content, Fact, Individual, Place, Received, ResourceKind};

fn provider(made: &Made, npi: Npi) -> Provider {
    made.directory.provider(npi).unwrap().unwrap()
}

fn status(made: &Made) -> NetworkStatus {
    made.directory.network_status(npi(1), &[network("1")], None).unwrap().status
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
    let first = payer.resources.iter().position(|r| r.kind == ResourceKind::Location).unwrap();
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
    assert_eq!(kept_apart(&made, ResourceKind::Practitioner), 1);
}

#[test]
fn a_status_that_differs_decides_nothing() {
    let made = persons(&[|person| person.active = Some(true), |person| person.active = Some(false)]);
    assert_eq!(status(&made), NetworkStatus::Unknown);
    let made = places(&[|place| place.active = Some(false), |_| {}]);
    assert_eq!(status(&made), NetworkStatus::Unknown);
    assert_eq!(kept_apart(&made, ResourceKind::Location), 1);
    let moved = places(&[|place| place.address.lines = vec!["9 Elm St".into()], |_| {}, |_| {}]);
    assert_eq!(status(&moved), NetworkStatus::Unknown);
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
