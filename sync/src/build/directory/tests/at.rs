//! Who practices at an address, or is reached by a phone number.

use std::collections::BTreeSet;

use coverdex_core::build::providers::PracticesFound;
use coverdex_core::{Cancel, ErrorKind, Npi, PracticingAtQuestion, Result};

use super::Made;
use super::cases::{Payer, npi, place};
use super::world::{TOWNS, World, phone};

impl Made {
    fn at(&self, address: Option<&str>, phone: Option<&str>) -> Result<PracticesFound> {
        let question = PracticingAtQuestion {
            address: address.map(str::to_owned),
            phone: phone.map(str::to_owned),
            limit: 10_000,
            ..PracticingAtQuestion::default()
        };
        self.directory.practicing_at(&question, 0, &Cancel::new())
    }

    /// NPIs and names at an address.
    fn who(&self, address: &str) -> BTreeSet<(Option<Npi>, String)> {
        let found = self.at(Some(address), None).unwrap();
        assert_eq!(found.total, found.results.len() as u64);
        found.results.into_iter().map(|practice| (practice.npi, practice.name)).collect()
    }

    /// NPIs that are reached by a phone number.
    fn reached(&self, number: &str) -> Vec<Npi> {
        self.at(None, Some(number)).unwrap().results.into_iter().filter_map(|practice| practice.npi).collect()
    }
}

#[test]
fn who_is_at_an_address_is_who_has_a_role_there() {
    let mut seen = 0;
    for seed in 40..46 {
        let world = World::random(seed);
        let made = Made::of(&world.resources());
        for (at, site) in world.sites.iter().enumerate() {
            let (city, state, _, zip, _, _) = TOWNS[site.town];
            let here = world.roles.iter().filter(|role| !role.dangling && role.sites.iter().any(|(of, _)| *of == at));
            let want: BTreeSet<(Option<Npi>, String)> = here
                .map(|role| &world.persons[role.person])
                .map(|person| (person.npis.iter().min().copied(), person.name.clone()))
                .collect();
            let number = 100 + at;
            let city = if site.lost { "Nowhere" } else { city };
            for line in [format!("{number} Main St Ste {at}"), format!("Suite #{at}, {number} MAIN STREET")] {
                let mut spellings = vec![format!("{line}, {city}, {state}"), format!("{line} {city} {state} USA")];
                if !site.lost {
                    spellings.push(format!("{line}, {city} {state} {zip:05}"));
                }
                if !site.lost && !site.county_only {
                    spellings.extend([format!("{line}, {zip:05}"), format!("{line} {zip:05}-0001")]);
                }
                for spelling in spellings {
                    assert_eq!(made.who(&spelling), want, "seed {seed}: {spelling}");
                }
            }
            // Without the suite the house is meant; with another nobody is there.
            assert_eq!(made.who(&format!("{number} Main Street, {city} {state}")), want, "seed {seed}, site {at}");
            for elsewhere in [
                format!("{number} Main St Ste 999, {city} {state}"),
                format!("{number} Main Dr, {city} {state}"),
                format!("{number} Main St Ste {at}, Yuma AZ"),
                format!("{number} Main St Ste {at}, 85364"),
            ] {
                assert!(made.who(&elsewhere).is_empty(), "seed {seed}: {elsewhere}");
            }
            seen += want.len();
        }
    }
    assert!(seen > 100, "{seen}");
}

#[test]
fn an_institution_in_front_of_the_street_and_a_box_are_no_hindrance() {
    let mut payer = Payer::new();
    payer.place(21, None, |place| place.address.lines = vec!["Lakeview Clinic".into(), "30 Lake Dr".into()]);
    payer.place(22, None, |place| place.address.lines = vec!["P.O. Box 9".into()]);
    payer.place(23, None, |place| place.address.lines = vec!["12 First St".into(), "Fl 2".into()]);
    for (at, of) in [(1, 21), (2, 22), (3, 23)] {
        let person = payer.person(at, "Ann", |_| {});
        payer.usual(person, |role| role.places = vec![place(of)]);
    }
    let made = payer.made();
    for (address, at) in [
        ("30 Lake Drive, Miami FL 33130", 1),
        ("Lakeview Clinic, 30 Lake Dr, 33130", 1),
        ("PO Box 9, Miami FL", 2),
        ("Post Office Box #9, 33130", 2),
        ("12 1st Street, Second Floor, Miami, Florida 33130", 3),
        ("12 First Street 33130", 3),
    ] {
        let who: Vec<Option<Npi>> = made.who(address).into_iter().map(|(npi, _)| npi).collect();
        assert_eq!(who, [Some(npi(at))], "{address}");
    }
}

#[test]
fn a_phone_reaches_who_has_it_in_any_spelling() {
    let mut payer = Payer::new();
    payer.place(21, None, |place| place.phones = vec![phone("305-555-0111"), phone("(305) 555-0122 x4")]);
    let ann = payer.person(1, "Ann", |_| {});
    payer.usual(ann, |role| role.places = vec![place(21)]);
    let bo = payer.person(2, "Bo", |person| person.phones = vec![phone("+1 305 555 0133")]);
    payer.usual(bo, |_| {});
    let dana = payer.person(3, "Dana", |_| {});
    payer.usual(dana, |role| {
        role.phones = vec![phone("305.555.0144"), phone("3055550122")];
        role.active = Some(false);
    });
    let made = payer.made();
    assert_eq!(made.reached("1 (305) 555-0111"), [npi(1)]);
    assert_eq!(made.reached("tel:+13055550133"), [npi(2)]);
    assert_eq!(made.reached("3055550144"), [npi(3)]);
    // An extension plays no part; who has an active role comes first.
    assert_eq!(made.reached("305-555-0122 x99"), [npi(1), npi(3)]);
    assert!(made.reached("305-555-0199").is_empty());
    let both = made.at(Some("3 Main St, 33130"), Some("3055550122")).unwrap();
    assert_eq!((both.total, both.total_active), (0, 0));
    let both = made.at(Some("1 Main St, 33130"), Some("3055550122")).unwrap();
    assert_eq!((both.total, both.total_active), (1, 0));
}

#[test]
fn what_is_no_address_and_no_phone_is_refused() {
    let made = Payer::new().made();
    for (address, phone) in [(None, None), (Some("30 Lake Drive"), None), (None, Some("555-0111")), (Some(""), None)] {
        assert_eq!(made.at(address, phone).unwrap_err().kind(), ErrorKind::InvalidInput, "{address:?} {phone:?}");
    }
}
