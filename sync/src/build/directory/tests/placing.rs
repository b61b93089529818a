//! Where places are, and where those are counted that are not known to be anywhere nearer.

use coverdex_core::Point;
use coverdex_core::{CountyFips, State};
use coverdex_core::{Near, PracticeLocation, ProviderSearch};

use super::TODAY;
use super::cases::{Payer, in_county, place};
use super::world::{identity, resource};
use crate::model::{Address, Fact, OrganizationFacts, Period, Place, ResourceKind, SourceId};

const MIAMI: u32 = 12086;
const LEON: u32 = 12073;

impl Payer {
    /// A cardiologist of that number at a Location that says only this.
    fn at(&mut self, id: usize, says: Place) -> SourceId {
        self.resources.push(resource(ResourceKind::Place, id, Fact::Place(says)));
        let person = self.person(id as u64, &format!("Person {id}"), |_| {});
        self.usual(person, |role| role.places = vec![place(id)]);
        place(id)
    }
}

fn address(city: &str, state: &str, zip: &str) -> Address {
    let text = |text: &str| (!text.is_empty()).then(|| text.to_owned());
    Address {
        lines: vec!["7 Elm St".to_owned()],
        city: text(city),
        state: text(state),
        zip: text(zip),
        ..Address::default()
    }
}

fn by_address(city: &str, state: &str, zip: &str) -> Place {
    Place { address: address(city, state, zip), ..Place::default() }
}

fn in_state(usps: &str) -> ProviderSearch {
    ProviderSearch { near: Near::State(State::from_name(usps).unwrap()), limit: 100, ..ProviderSearch::default() }
}

fn near(lat: f64, lon: f64) -> ProviderSearch {
    let center = Point::from_degrees(lat, lon).unwrap();
    ProviderSearch { near: Near::Point { center, radius_km: 40.0 }, limit: 100, ..ProviderSearch::default() }
}

#[test]
fn what_is_in_no_county_counts_where_its_state_is_touched() {
    let mut payer = Payer::new();
    payer.at(20, by_address("Zzyzyx Corners", "FL", ""));
    payer.at(21, by_address("Zzyzyx Corners", "GA", ""));
    payer.at(
        22,
        Place { address: Address { lines: vec!["9 Elm St".into()], ..Address::default() }, ..Place::default() },
    );
    payer.at(23, Place { name: Some("Virtual Visits".into()), ..Place::default() });
    payer.at(24, by_address("APO", "AE", "09180"));
    let made = payer.made();
    let counts = |search: &ProviderSearch| {
        let found = made.try_find(search).unwrap();
        (found.total, found.place_not_stated)
    };
    // Florida's, the one in no state, the one without a place.
    assert_eq!(counts(&in_county(MIAMI)), (0, 3));
    assert_eq!(counts(&near(25.77, -80.2)), (0, 3));
    // Tallahassee is 25 km from Georgia.
    assert_eq!(counts(&near(30.44, -84.28)), (0, 4));
    assert_eq!(counts(&near(39.1, -94.6)), (0, 2));
    assert_eq!(counts(&in_state("FL")), (1, 2));
    assert_eq!(counts(&in_state("AE")), (1, 2));
    assert_eq!(counts(&in_state("AP")), (0, 2));
    assert_eq!(counts(&ProviderSearch { limit: 100, ..ProviderSearch::default() }), (4, 1));
    let leon = Near::County {
        county: CountyFips::new(LEON).unwrap(),
        center: Point::from_degrees(30.44, -84.28).unwrap(),
        radius_km: 40.0,
    };
    assert_eq!(counts(&ProviderSearch { near: leon, limit: 100, ..ProviderSearch::default() }), (0, 4));
}

#[test]
fn a_city_that_the_table_lacks_is_where_the_directory_shows_it() {
    let mut payer = Payer::new();
    payer.at(20, by_address("Zzyzyx Corners", "FL", "33130"));
    payer.at(21, by_address("ZZYZYX CORNERS", "Florida", ""));
    payer.at(22, by_address("Tallahassee", "FL", "32399"));
    let made = payer.made();
    let found = made.find(&in_county(MIAMI));
    assert_eq!(found.iter().map(|found| &*found.name).collect::<Vec<_>>(), ["Person 20", "Person 21"]);
    assert_eq!(found[1].distance_km, None, "a county is no point");
    assert_eq!(made.find(&in_county(LEON)).len(), 1);
}

#[test]
fn a_place_without_an_address_has_that_of_what_it_is_a_part_of() {
    let mut payer = Payer::new();
    let campus = payer.at(20, Place { position: Some((25.77, -80.2)), ..by_address("Miami", "FL", "33130") });
    let building = payer.at(21, Place { name: Some("Building".into()), part_of: Some(campus), ..Place::default() });
    payer.at(22, Place { name: Some("Suite".into()), part_of: Some(building), ..Place::default() });
    // Two that are parts of each other, and nothing more.
    payer.at(23, Place { part_of: Some(place(24)), ..Place::default() });
    payer.at(24, Place { part_of: Some(place(23)), ..Place::default() });
    let made = payer.made();
    let found = made.try_find(&in_county(MIAMI)).unwrap();
    assert_eq!((found.total, found.place_not_stated), (3, 2));
    for found in &found.results {
        assert_eq!(found.location.as_ref().unwrap().address.as_deref(), Some("7 Elm St"), "{found:?}");
    }
    let suite = found.results.iter().find(|found| found.name == "Person 22").unwrap();
    assert_eq!(suite.location.as_ref().unwrap().name.as_deref(), Some("Suite"), "its own name stays");
}

#[test]
fn else_that_of_its_organization_and_only_what_holds_today() {
    let mut payer = Payer::new();
    let period = |start, end| Period { start, end };
    let old = Address { period: period(None, Some(TODAY - 1)), ..address("Tallahassee", "FL", "32301") };
    let organization = OrganizationFacts {
        addresses: vec![old.clone(), Address { period: period(Some(TODAY), None), ..address("Miami", "FL", "33130") }],
        ..OrganizationFacts::default()
    };
    payer.resources.push(resource(ResourceKind::Organization, 50, Fact::Organization(organization)));
    let organization = Some(identity(ResourceKind::Organization, 50));
    payer.at(20, Place { organization, ..Place::default() });
    payer.at(21, Place { organization, address: old.clone(), ..Place::default() });
    payer.at(22, Place { address: old, ..Place::default() });
    let found = payer.made().try_find(&in_county(MIAMI)).unwrap();
    assert_eq!((found.total, found.place_not_stated), (2, 1));
}

#[test]
fn a_stated_state_is_kept() {
    let mut payer = Payer::new();
    payer.at(20, by_address("Clayton", "MO", "62704"));
    payer.at(21, by_address("Zzyzyx Corners", "KS", "64111"));
    let made = payer.made();
    let states = |usps: &str| {
        let found = made.find(&in_state(usps));
        found.iter().map(|found| found.location.as_ref().unwrap().state.clone().unwrap()).collect::<Vec<_>>()
    };
    assert_eq!(states("MO"), ["MO"]);
    assert_eq!(states("KS"), ["KS"]);
    assert_eq!(states("IL"), [""; 0]);
}

/// A role at an office and for virtual visits is counted for these too, whatever becomes of the office.
#[test]
fn a_location_that_tells_no_place_counts_beside_others() {
    let mut payer = Payer::new();
    let virtual_visits = payer.at(20, Place { name: Some("Virtual Visits".into()), ..Place::default() });
    let office = payer.at(21, Place { active: Some(false), ..by_address("Miami", "FL", "33130") });
    let both = payer.person(30, "Both", |_| {});
    payer.usual(both, |role| role.places = vec![virtual_visits, office]);
    let made = payer.made();
    let found = made.try_find(&in_county(MIAMI)).unwrap();
    assert_eq!((found.total, found.place_not_stated), (0, 2));
    let locations = made.provider(super::cases::npi(30)).unwrap().unwrap().locations;
    assert_eq!(locations.len(), 2);
    assert!(locations.iter().all(|location| location.shared_role), "the role names two Locations");
}

/// The counties of all results, by name.
fn counties_of(payer: Payer) -> Vec<(String, Option<u32>)> {
    let found = payer.made().find(&ProviderSearch { limit: 100, ..ProviderSearch::default() });
    let county = |found: &PracticeLocation| found.location.as_ref()?.county.map(CountyFips::number);
    let mut all: Vec<_> = found.iter().map(|found| (found.name.clone(), county(found))).collect();
    all.sort();
    all
}

#[test]
fn a_line_without_zip_and_city_is_one_of_its_own() {
    let mut payer = Payer::new();
    for (id, district) in [(20, "St. Louis City"), (21, "Greene County")] {
        let address = Address { district: Some(district.into()), ..address("", "MO", "") };
        payer.at(id, Place { address, ..Place::default() });
    }
    assert_eq!(counties_of(payer), [("Person 20".into(), Some(29_510)), ("Person 21".into(), Some(29_077))]);
}

#[test]
fn one_wrong_position_moves_no_others() {
    const WRONG: (f64, f64) = (38.627, -90.198);
    const RIGHT: (f64, f64) = (38.6512, -90.3365);
    let says = |name: &str, position: Option<(f64, f64)>| Place {
        name: (!name.is_empty()).then(|| name.into()),
        position,
        ..by_address("Clayton", "MO", "63105")
    };
    let counties = |all: &[(&str, Option<(f64, f64)>)]| {
        let mut payer = Payer::new();
        for ((name, position), id) in all.iter().zip(20..) {
            payer.at(id, says(name, *position));
        }
        counties_of(payer).into_iter().map(|(_, county)| county.unwrap()).collect::<Vec<_>>()
    };
    // One place, and others at its address: the position nearer to the ZIP.
    assert_eq!(counties(&[("", Some(WRONG)), ("", Some(RIGHT))]), [29_189, 29_189]);
    assert_eq!(counties(&[("", Some(RIGHT)), ("", Some(WRONG))]), [29_189, 29_189]);
    assert_eq!(counties(&[("A", Some(WRONG)), ("B", Some(RIGHT)), ("C", None)]), [29_510, 29_189, 29_189]);
    // Most of them.
    assert_eq!(counties(&[("", Some(WRONG)), ("", Some(RIGHT)), ("", Some(WRONG))]), [29_510; 3]);
}

#[test]
fn what_is_known_by_its_county_alone_counts_around_points_that_touch_it() {
    let mut payer = Payer::new();
    let address = Address { district: Some("Miami-Dade".into()), ..address("Zzyzyx Corners", "FL", "") };
    payer.at(20, Place { address, ..Place::default() });
    let made = payer.made();
    let counts = |search: &ProviderSearch| {
        let of = |search: &ProviderSearch| {
            let found = made.try_find(search).unwrap();
            (found.total, found.place_not_stated)
        };
        let by_specialty = ProviderSearch { specialty: Some("Cardiology".into()), ..search.clone() };
        assert_eq!(of(&by_specialty), of(search), "{search:?}");
        assert_eq!(of(&ProviderSearch { limit: 0, ..by_specialty }), of(search), "only counted: {search:?}");
        of(search)
    };
    assert_eq!(counts(&near(25.77, -80.2)), (0, 1));
    assert_eq!(counts(&near(26.12, -80.14)), (0, 1));
    assert_eq!(counts(&near(30.44, -84.28)), (0, 0));
    assert_eq!(counts(&ProviderSearch { city: Some("zzyzyx corners".into()), ..near(25.77, -80.2) }), (0, 1));
    assert_eq!(counts(&in_county(MIAMI)), (1, 0));
    let (county, center) = (CountyFips::new(12_011).unwrap(), Point::from_degrees(26.12, -80.14).unwrap());
    let beside = ProviderSearch { near: Near::County { county, center, radius_km: 40.0 }, ..near(0.0, 0.0) };
    assert_eq!(counts(&beside), (0, 0));
}

#[test]
fn places_abroad_are_found_by_name_and_counted_nowhere() {
    let mut payer = Payer::new();
    let lines = vec!["1 King St W".into(), "Toronto".into()];
    payer.at(20, Place { address: Address { lines, abroad: true, ..Address::default() }, ..Place::default() });
    payer.at(21, by_address("Miami", "FL", "33130"));
    let made = payer.made();
    let near_niagara = near(43.08, -79.07);
    for (search, total) in [(in_county(MIAMI), 1), (in_state("FL"), 1), (in_state("NY"), 0), (near_niagara, 0)] {
        let found = made.try_find(&search).unwrap();
        assert_eq!((found.total, found.place_not_stated), (total, 0), "{search:?}");
    }
    let in_miami = ProviderSearch { city: Some("Miami".into()), ..ProviderSearch::default() };
    assert_eq!(made.try_find(&in_miami).unwrap().total, 1);
    let [found] = made
        .find(&ProviderSearch { name: Some("Person 20".into()), limit: 5, ..ProviderSearch::default() })
        .try_into()
        .unwrap();
    assert_eq!(found.location.unwrap().address.as_deref(), Some("1 King St W Toronto"));
}

#[test]
fn a_city_that_holds_its_state_is_found() {
    let mut payer = Payer::new();
    payer.at(20, by_address("St. Paul, MN", "MN", "55101"));
    payer.at(21, by_address("Saint Paul", "MN", "55101"));
    let made = payer.made();
    for city in ["Saint Paul", "st paul, mn", "St. Paul MN"] {
        let search = ProviderSearch { city: Some(city.into()), ..ProviderSearch::default() };
        assert_eq!(made.try_find(&search).unwrap().total, 2, "{city}");
    }
}
