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

/// A payer with a person at each address, of NPIs 1, 2, …: line, city, state, ZIP.
fn at_each(addresses: &[(&str, &str, &str, &str)]) -> Made {
    let mut payer = Payer::new();
    let text = |text: &str| (!text.is_empty()).then(|| text.to_owned());
    for ((number, at), (line, city, state, zip)) in (1..).zip(101..).zip(addresses) {
        payer.place(at, None, |place| {
            place.position = None;
            place.address.lines = vec![(*line).to_owned()];
            (place.address.city, place.address.state, place.address.zip) = (text(city), text(state), text(zip));
        });
        let person = payer.person(number, "Ann", |_| {});
        payer.usual(person, |role| role.places = vec![place(at)]);
    }
    payer.made()
}

/// Which of the addresses are found, by number.
fn found(made: &Made, address: &str) -> Vec<u64> {
    let found = made.at(Some(address), None).unwrap();
    let number = |of: Option<Npi>| (1..100).find(|number| of == Some(npi(*number))).unwrap();
    let mut numbers: Vec<u64> = found.results.iter().map(|practice| number(practice.npi)).collect();
    numbers.sort_unstable();
    numbers
}

/// What is near an address that nobody is at: difference and lines.
fn near(made: &Made, address: &str) -> Vec<String> {
    let found = made.at(Some(address), None).unwrap();
    assert_eq!(found.total, 0, "{address}");
    found.near.iter().map(|near| format!("{}: {}", near.difference.as_str(), near.address)).collect()
}

#[test]
fn the_last_word_is_a_state_where_the_zip_lies_in_it() {
    let made = at_each(&[
        ("5700 Harper Dr NE", "Albuquerque", "NM", "87109"),
        ("100 Main St", "Albuquerque", "NM", "87109"),
        ("5700 Harper Dr NE", "Omaha", "NE", "68102"),
        ("100 Main St", "Omaha", "NE", "68102"),
        ("12 Elm Ct", "Hartford", "CT", "06103"),
        ("12 Elm St", "Hartford", "CT", "06103"),
        ("9 Oak St, 2nd Fl", "Miami", "FL", "33130"),
        ("9 Oak St", "Yuma", "AZ", "85364"),
        ("8 Via La", "Los Angeles", "CA", "90012"),
        ("5 Washington", "Seattle", "WA", "98101"),
    ]);
    for (address, wanted) in [
        ("5700 Harper Dr NE, 87109", &[1][..]),
        ("5700 Harper Drive Northeast 87109-1234", &[1]),
        ("5700 Harper Dr NE, Albuquerque 87109", &[1]),
        ("5700 Harper Dr NE, Albuquerque, NM 87109", &[1]),
        ("5700 Harper Dr, 87109", &[]),
        ("100 Main St NE, 87109", &[]),
        ("100 Main St, Albuquerque NE 87109", &[2]),
        // In Nebraska both readings are possible.
        ("5700 Harper Dr NE, 68102", &[3]),
        ("5700 Harper Dr NE, Omaha, NE", &[3]),
        ("100 Main St, NE 68102", &[4]),
        ("100 Main St, Omaha NE 68102", &[4]),
        ("100 Main St NE 68102", &[4]),
        ("12 Elm Ct, 06103", &[5]),
        ("12 Elm CT 06103", &[5]),
        ("12 Elm St, CT 06103", &[6]),
        ("12 Elm St CT 06103", &[6]),
        ("12 Elm St Hartford CT", &[6]),
        ("12 Elm Ct Hartford CT", &[5]),
        ("9 Oak St, 2nd FL, 33130", &[7]),
        ("9 Oak St Fl 2, 33130", &[7]),
        ("9 Oak St 2nd Floor, Miami, FL", &[7]),
        ("9 Oak St 2nd Fl 85364", &[]),
        ("8 Via LA, 90012", &[9]),
        ("5 Washington, 98101", &[10]),
        ("5 Washington, Seattle, Washington", &[10]),
        ("5 Washington Seattle WA 981011234 USA", &[10]),
    ] {
        assert_eq!(found(&made, address), wanted, "{address}");
    }
    let read = made.at(Some("5700 Harper Dr NE, 87109"), None).unwrap();
    assert_eq!(read.address.unwrap().summary(), "number 5700, street HARPER DR NE, ZIP 87109");
    assert_eq!(read.notes, ["\"NE\" was read as a part of the street, not as Nebraska"]);
    let read = made.at(Some("100 Main St, Albuquerque NE 87109"), None).unwrap();
    assert_eq!(read.notes, ["ZIP 87109 lies in New Mexico, not in Nebraska: the ZIP was looked for"]);
}

#[test]
fn a_state_without_a_city_is_enough_where_one_city_has_the_address() {
    let made = at_each(&[
        ("100 Main St", "Houston", "TX", "77002"),
        ("200 Main St", "Houston", "TX", "77002"),
        ("200 Main St", "Dallas", "TX", "75202"),
        ("100 Main St", "Tulsa", "OK", "74103"),
        ("5 Broadway", "New York", "NY", "10004"),
        ("5 Broadway", "Albany", "NY", "12207"),
        ("9 Elm St NW", "Washington", "DC", "20001"),
        ("12 St Louis", "St. Louis", "MO", "63105"),
    ]);
    for (address, wanted) in [
        ("100 Main St, TX", &[1][..]),
        ("100 Main St Texas", &[1]),
        ("100 Main St, Houston, TX", &[1]),
        ("200 Main St, Dallas TX", &[3]),
        ("100 Main St, Oklahoma", &[4]),
        ("5 Broadway, New York", &[5]),
        ("5 Broadway, New York, NY", &[5]),
        ("9 Elm St NW, Washington, DC", &[7]),
        ("9 Elm St NW Washington DC 20001", &[7]),
        ("9 Elm St NW, DC", &[7]),
        ("12 St Louis, MO", &[8]),
        ("12 St Louis, 63105", &[8]),
        ("300 Main St, TX", &[]),
        ("100 Main St, Nowhere, TX", &[]),
        ("100 Main St, Dallas, TX", &[]),
    ] {
        assert_eq!(found(&made, address), wanted, "{address}");
    }
    let error = made.at(Some("200 Main St, TX"), None).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Ambiguous);
    let mut candidates = error.candidates().to_vec();
    candidates.sort();
    assert_eq!(candidates, ["200 Main St, Dallas, TX 75202", "200 Main St, Houston, TX 77002"]);
    for candidate in error.candidates() {
        assert_eq!(found(&made, candidate).len(), 1, "{candidate}");
    }
    // Nothing says that this is a state.
    let error = made.at(Some("200 Main St NE"), None).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidInput);
    let read = made.at(Some("100 Main St Ste 5, Nowhere, TX"), None).unwrap().address.unwrap();
    assert_eq!(read.summary(), "number 100, street MAIN ST, unit 5, Nowhere, TX");
}

#[test]
fn a_city_without_a_zip_is_of_the_states_of_the_zip() {
    let made = at_each(&[
        ("5 Elm St", "Springfield", "MA", ""),
        ("7 Elm St", "Springfield", "IL", "62701"),
        ("9 Elm St", "Springfield", "IL", ""),
    ]);
    assert_eq!(found(&made, "5 Elm St, Springfield 62701"), [0; 0]);
    assert_eq!(found(&made, "9 Elm St, Springfield 62701"), [3]);
    assert_eq!(found(&made, "5 Elm St, Springfield, MA 62701"), [1]);
}

#[test]
fn where_nobody_is_the_addresses_near_it_are_told() {
    let made = at_each(&[
        ("100 N Main St Ste 200", "Houston", "TX", "77002"),
        ("104 N Main St", "Houston", "TX", "77002"),
        ("900 N Main St", "Houston", "TX", "77002"),
        ("100 Oak Ave", "Houston", "TX", "77002"),
        ("100 N Main St Ste 300", "Houston", "TX", "77003"),
        ("100 Main Blvd", "Dallas", "TX", "75202"),
    ]);
    for (address, wanted) in [
        (
            "100 N Main St Ste 500, 77002",
            &["unit: 100 N Main St Ste 200", "number: 104 N Main St", "number: 900 N Main St"][..],
        ),
        (
            "100 N Main St Ste 300, Houston TX 77002",
            &[
                "unit: 100 N Main St Ste 200",
                "zip: 100 N Main St Ste 300",
                "number: 104 N Main St",
                "number: 900 N Main St",
            ],
        ),
        ("100 Main, 77002", &["street: 100 N Main St Ste 200", "number: 104 N Main St", "number: 900 N Main St"]),
        ("100 Main Street North, 77002", &["street: 100 N Main St Ste 200"]),
        (
            "102 N Main St, Houston, TX",
            &[
                "number: 104 N Main St",
                "number: 100 N Main St Ste 200",
                "number: 100 N Main St Ste 300",
                "number: 900 N Main St",
            ],
        ),
        ("Mesa Heart, 100 Oak Avenue, 77002", &["street: 100 Oak Ave"]),
        (
            "100 Main St, TX",
            &["street: 100 N Main St Ste 200", "street: 100 N Main St Ste 300", "street: 100 Main Blvd"],
        ),
        ("7 Pine St, 77002", &[]),
        ("100 N Main St, 10001", &[]),
    ] {
        let mut near = near(&made, address);
        let mut wanted: Vec<String> = wanted.iter().map(|near| (*near).to_owned()).collect();
        if address.ends_with(", TX") {
            near.sort();
            wanted.sort();
        }
        assert_eq!(near, wanted, "{address}");
    }
    for (address, note) in [
        ("7 Pine St, 77002", "the directory has no place on that street in ZIP 77002"),
        ("7 Pine St, Houston, TX", "the directory has no place on that street in Houston, Texas"),
        ("100 N Main St, 10001", "the directory has no place in ZIP 10001"),
        ("100 N Main St, Nowhere, TX", "the directory has no place in Nowhere, Texas"),
        ("7 Pine St, TX", "no place in Texas has that number on a street of that name"),
        ("7 Pine St, Oregon", "the directory has no place in Oregon"),
    ] {
        assert_eq!(made.at(Some(address), None).unwrap().notes, [note], "{address}");
    }
    let many: Vec<(String, u32)> = (1..=20).map(|number| (format!("{number} Long Rd"), number)).collect();
    let many: Vec<_> = many.iter().map(|(line, _)| (line.as_str(), "Houston", "TX", "77002")).collect();
    let made = at_each(&many);
    let found = made.at(Some("30 Long Road, 77002"), None).unwrap();
    let lines: Vec<&str> = found.near.iter().map(|near| near.address.as_str()).collect();
    assert_eq!(lines, ["20 Long Rd", "19 Long Rd", "18 Long Rd", "17 Long Rd", "16 Long Rd"]);
    assert_eq!(found.near[0].practice_locations, 1);
    assert_eq!(found.near[0].label(), "20 Long Rd, Houston, TX 77002");
    assert_eq!(found.notes, ["more addresses are near than these 5"]);
    // Somebody is there: nothing is near. A cancelled call ends.
    assert!(made.at(Some("3 Long Rd, 77002"), None).unwrap().near.is_empty());
    let cancel = Cancel::new();
    cancel.cancel();
    let question = PracticingAtQuestion { address: Some("3 Long Rd, 77002".into()), ..PracticingAtQuestion::default() };
    assert_eq!(made.directory.practicing_at(&question, 0, &cancel).unwrap_err().kind(), ErrorKind::Interrupted);
}

#[test]
fn what_is_no_address_and_no_phone_is_refused() {
    let made = Payer::new().made();
    for (address, phone) in [(None, None), (Some("30 Lake Drive"), None), (None, Some("555-0111")), (Some(""), None)] {
        assert_eq!(made.at(address, phone).unwrap_err().kind(), ErrorKind::InvalidInput, "{address:?} {phone:?}");
    }
}
