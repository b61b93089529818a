use std::collections::BTreeSet;
use std::fmt::Write as _;

use coverdex_core::ErrorKind;
use coverdex_core::build::geo::{self, haversine_km};
use coverdex_core::{CountyFips, State, Zip5};
use rusqlite::Connection;
use sha2::{Digest as _, Sha256};

use super::*;
use crate::model::{Address, Place};

mod at_the_line;

fn fips(number: u32) -> CountyFips {
    CountyFips::new(number).unwrap()
}

fn zip(number: u32) -> Zip5 {
    Zip5::new(number).unwrap()
}

fn state(usps: &str) -> State {
    usps.parse().unwrap()
}

fn written() -> Connection {
    let db = Connection::open_in_memory().unwrap();
    Gazetteer::get().write_tables(&db).unwrap();
    db
}

/// The committed tables are those that `make.py` made from the inputs that SOURCES.tsv names.
#[test]
fn tables_have_the_hashes_of_their_sources() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../index-data/geography");
    let sources = std::fs::read_to_string(format!("{folder}/SOURCES.tsv")).unwrap();
    let mut outputs = 0;
    for line in sources.lines().skip(1) {
        let fields: Vec<&str> = line.split('\t').collect();
        assert!(fields[0] == "input" || fields[0] == "output", "{line}");
        assert_eq!(fields[3].len(), 64, "{line}");
        if fields[0] == "output" {
            outputs += 1;
            let bytes = std::fs::read(format!("{folder}/{}", fields[1])).unwrap();
            assert_eq!(bytes.len().to_string(), fields[2], "{}", fields[1]);
            let hash = Sha256::digest(&bytes).iter().fold(String::new(), |mut hex, byte| {
                write!(hex, "{byte:02x}").unwrap();
                hex
            });
            assert_eq!(hash, fields[3], "{}: run make.py again, do not edit", fields[1]);
        }
    }
    assert_eq!(outputs, 9);
}

#[test]
fn no_line_of_the_tables_is_lost() {
    let gazetteer = Gazetteer::get();
    let lines = |table: &str| table.lines().count() - 1;
    assert_eq!(gazetteer.counties.len(), lines(tables::COUNTIES));
    assert_eq!(gazetteer.former.len(), lines(tables::FORMER));
    assert_eq!(gazetteer.zips.len(), lines(tables::ZIPS));
    assert_eq!(gazetteer.towns.len(), lines(tables::TOWNS));
    assert_eq!(gazetteer.coarse.len(), lines(tables::COARSE));
    assert_eq!(gazetteer.places.len(), lines(tables::PLACES), "two names that fold to one key are one line");
    let listed: usize =
        tables::rows(tables::NEIGHBORS).filter(|row| !row[1].is_empty()).map(|row| row[1].split(' ').count()).sum();
    assert_eq!(gazetteer.neighbors.len(), listed);
    let names: usize = gazetteer.by_name.values().map(Vec::len).sum();
    let derived = ["E. Baton Rouge", "W. Baton Rouge"]; // spellings that the folding of names makes equal
    assert_eq!(names, gazetteer.counties.len() + gazetteer.former.len() + lines(tables::ALIASES) - derived.len());
}

#[test]
fn tables_agree_with_each_other() {
    let gazetteer = Gazetteer::get();
    assert!(gazetteer.counties.is_sorted_by_key(|county| county.fips));
    assert!(gazetteer.zips.is_sorted_by_key(|area| area.zip));
    assert_eq!(gazetteer.counties.len(), 3_233);
    for county in &gazetteer.counties {
        assert!(county.fips.state().is_some(), "{}", county.name);
        assert!((1_000..1_500_000).contains(&county.radius_m), "{}: {}", county.name, county.radius_m);
    }
    for (a, b) in &gazetteer.neighbors {
        assert!(a != b && gazetteer.touch(*b, *a) && gazetteer.county(*a).is_some());
    }
    for area in &gazetteer.zips {
        for (shares, known) in [(&area.counties, true), (&area.former, false)] {
            assert!(shares.iter().all(|(f, _)| gazetteer.county(*f).is_some() == known), "{}", area.zip);
            assert!(shares.is_sorted_by(|a, b| a.1 >= b.1), "{}", area.zip);
            let sum: u32 = shares.iter().map(|(_, share)| u32::from(*share)).sum();
            assert!(shares.is_empty() || sum == geo::SHARE_UNIT, "{}: {sum}", area.zip);
        }
        // All but Connecticut's areas of 2010 without a point have a county of today.
        assert!(!area.counties.is_empty() || (area.point.is_none() && !area.former.is_empty()), "{}", area.zip);
    }
}

/// Every reference point lies in its own county, but for those that the centroid of a shape puts
/// elsewhere.
#[test]
fn reference_points_lie_in_their_counties() {
    let gazetteer = Gazetteer::get();
    let astray: Vec<u32> = gazetteer
        .counties()
        .iter()
        .filter(|county| gazetteer.county_at(county.point) != Some(county.fips))
        .map(|county| county.fips.number())
        .collect();
    let water = [2016, 2105, 2122, 26083, 69085, 72097]; // between islands, around an inlet, in a lake
    let next_door = [29069, 29093, 55091]; // crescents and boot heels
    let around_a_city = [51087, 51089, 51161];
    let collapsed = [51610]; // Falls Church city has no area at this scale
    let mut known = [&water[..], &next_door, &around_a_city, &collapsed].concat();
    known.sort_unstable();
    assert_eq!(astray, known);
}

#[test]
fn points_lie_in_counties() {
    let gazetteer = Gazetteer::get();
    let at = |lat, lon| Point::from_degrees(lat, lon).and_then(|p| gazetteer.county_at(p)).map(CountyFips::number);
    for (lat, lon, want, what) in [
        (25.7743, -80.1937, Some(12086), "Miami"),
        (39.2904, -76.6122, Some(24510), "Baltimore city"),
        (39.4015, -76.6019, Some(24005), "Towson, in Baltimore County"),
        (38.6270, -90.1994, Some(29510), "St. Louis city"),
        (38.8462, -77.3064, Some(51600), "Fairfax city, inside the county"),
        (38.8040, -77.2200, Some(51059), "Fairfax County"),
        (61.2181, -149.9003, Some(2020), "Anchorage"),
        (52.8400, 173.1700, Some(2016), "Attu, east longitude"),
        (51.8800, -176.6500, Some(2016), "Adak"),
        (21.3069, -157.8583, Some(15003), "Honolulu"),
        (13.4757, 144.7489, Some(66010), "Hagåtña"),
        (18.4655, -66.1057, Some(72127), "San Juan"),
        (41.7658, -72.6734, Some(9110), "Hartford"),
        (41.1865, -73.1952, Some(9120), "Bridgeport"),
        (0.0, 0.0, None, "the Gulf of Guinea"),
        (43.6532, -79.3832, None, "Toronto"),
        (-149.9003, 61.2181, None, "swapped"),
        (30.0, -70.0, None, "the Atlantic"),
        (90.0, 180.0, None, "the pole"),
        (-90.0, -180.0, None, "the other"),
    ] {
        assert_eq!(at(lat, lon), want, "{what}");
    }
    // A pier a few hundred meters off, and a boat five kilometers off Miami Beach.
    assert_eq!(at(25.7900, -80.1200), Some(12086));
    assert_eq!(at(25.7900, -80.0500), None);
}

/// The index of cells finds what a walk over all shapes finds, and no point lies in two counties.
#[test]
fn the_index_agrees_with_all_shapes() {
    let gazetteer = Gazetteer::get();
    for (number, area) in gazetteer.zip_areas().iter().enumerate().filter(|(number, _)| number % 97 == 0) {
        let Some(point) = area.point else { continue };
        let all = gazetteer.shapes.all_holding(point);
        assert!(all.len() <= 1, "{number}: {all:?}");
        if let Some(county) = all.first() {
            assert_eq!(gazetteer.county_at(point), Some(*county), "{}", area.zip);
        }
    }
}

#[test]
fn counties_are_named() {
    let gazetteer = Gazetteer::get();
    let named = |usps: &str, name: &str| match gazetteer.county_named(usps.parse().ok(), name) {
        Named::One(county) => vec![county.number()],
        Named::Several(counties) => counties.iter().map(|county| county.number()).collect(),
        Named::None => Vec::new(),
    };
    for (usps, name, want) in [
        ("VA", "Fairfax County", &[51059][..]),
        ("VA", "FAIRFAX CITY", &[51600]),
        ("VA", "City of Fairfax", &[51600]),
        ("VA", "Fairfax", &[51059, 51600]),
        ("VA", "Franklin city", &[51620]),
        ("VA", "Franklin County", &[51067]),
        ("VA", "RICHMOND CITY", &[51760]),
        ("VA", "Richmond", &[51159, 51760]),
        ("VA", "Roanoke", &[51161, 51770]),
        ("VA", "James City", &[51095]),
        ("VA", "James City County", &[51095]),
        ("VA", "Charles City", &[51036]),
        ("VA", "Alexandria", &[51510]),
        ("VA", "Alexandria city", &[51510]),
        ("VA", "Bedford", &[51019]),
        ("VA", "Northumberlnd", &[51133]),
        ("GA", "Richmond", &[13245]),
        ("MD", "Baltimore city", &[24510]),
        ("MD", "City of Baltimore", &[24510]),
        ("MD", "Baltimore County", &[24005]),
        ("MD", "Baltimore", &[24005, 24510]),
        ("MD", "Prince Georges", &[24033]),
        ("MD", "St. Mary's County", &[24037]),
        ("MD", "Saint Marys", &[24037]),
        ("MO", "St. Louis", &[29189, 29510]),
        ("MO", "ST. LOUIS COUNTY", &[29189]),
        ("MO", "Ste. Genevieve", &[29186]),
        ("MO", "De Kalb", &[29063]),
        ("MO", "Jefferson City", &[]),
        ("NM", "Dona Ana", &[35013]),
        ("NM", "Doña Ana County", &[35013]),
        ("PR", "Anasco", &[72011]),
        ("PR", "BAYAMÓN", &[72021]),
        ("PR", "Mayagüez Municipio", &[72097]),
        ("LA", "La Salle", &[22059]),
        ("LA", "LaSalle Parish", &[22059]),
        ("LA", "DeSoto", &[22031]),
        ("LA", "ST. JOHN BAPTIST", &[22095]),
        ("IL", "LASALLE", &[17099]),
        ("TX", "La Salle County", &[48283]),
        ("TX", "DeWitt County", &[48123]),
        ("FL", "De Soto", &[12027]),
        ("FL", "Dade", &[12086]),
        ("FL", "Miami-Dade, FL", &[12086]),
        ("IN", "La Porte", &[18091]),
        ("IN", "La Grange", &[18087]),
        ("IA", "OBRIEN", &[19141]),
        ("NV", "Carson City", &[32510]),
        ("AK", "Anchorage", &[2020]),
        ("AK", "Municipality of Anchorage", &[2020]),
        ("AK", "Bethel Census Area", &[2050]),
        ("AK", "Juneau City and Borough", &[2110]),
        ("AK", "Juneau", &[2110]),
        ("AK", "Wade Hampton", &[2158]),
        ("AK", "Valdez-Cordova Census Area", &[2063, 2066]),
        ("SD", "Shannon", &[46102]),
        ("CT", "Capitol", &[9110]),
        ("CT", "Greater Bridgeport Planning Region", &[9120]),
        ("CT", "Hartford", &[9110, 9140, 9160]),
        ("CT", "Fairfield County", &[9120, 9140, 9190]),
        ("CT", "Middlesex", &[9130]),
        ("DC", "District of Columbia", &[11001]),
        ("DC", "Washington", &[11001]),
        ("VI", "St. Croix", &[78010]),
        ("VI", "Saint Croix Island", &[78010]),
        ("GU", "Guam", &[66010]),
        ("MP", "Saipan", &[69110]),
        ("AS", "Eastern District", &[60010]),
        ("MN", "Lake of the Woods", &[27077]),
        ("MT", "Lewis & Clark", &[30049]),
        ("OH", "Nowhere County", &[]),
        ("OH", "", &[]),
        ("FL", "12086", &[12086]),
        ("GA", "12086", &[]),
        ("CT", "9003", &[9110, 9140, 9160]),
        ("", "Miami-Dade, FL", &[12086]),
        ("", "Suffolk", &[25025, 36103, 51800]),
    ] {
        assert_eq!(named(usps, name), want, "{name}, {usps}");
    }
    let former = |name| gazetteer.former_county_named(Some(state("CT")), name).map(|county| county.fips.number());
    assert_eq!((former("Hartford"), former("09009"), former("Capitol")), (Some(9003), Some(9009), None));
}

/// Every county answers to its own full name, and to its bare name unless it shares it.
#[test]
fn every_county_is_found_by_its_name() {
    let db = written();
    let gazetteer = Gazetteer::get();
    let mut shared = BTreeSet::new();
    for county in gazetteer.counties() {
        let state = county.fips.state().unwrap();
        let label = format!("{}, {state}", county.name);
        assert_eq!(gazetteer.county_named(Some(state), &county.name), Named::One(county.fips), "{label}");
        assert_eq!(geo::resolve_county(&db, &label).unwrap().fips, county.fips, "{label}");
        let spoken = format!("{} {}", county.name.to_uppercase(), state.name());
        assert_eq!(geo::resolve_county(&db, &spoken).unwrap().fips, county.fips, "{spoken}");
        assert_eq!(geo::resolve_county(&db, &county.fips.to_string()).unwrap().name, county.name);
    }
    for row in tables::rows(tables::COUNTIES) {
        let (code, bare) = (row[0].parse::<CountyFips>().unwrap(), row[1]);
        match gazetteer.county_named(code.state(), bare) {
            Named::One(county) => assert_eq!(county, code, "{bare}"),
            Named::Several(counties) => {
                assert!(counties.contains(&code), "{bare}");
                shared.insert(format!("{bare}, {}", code.state().unwrap()));
                let error = geo::resolve_county(&db, &format!("{bare}, {}", code.state().unwrap())).unwrap_err();
                assert_eq!((error.kind(), error.candidates().len()), (ErrorKind::Ambiguous, 2), "{bare}");
            }
            Named::None => panic!("{bare}"),
        }
    }
    let six = ["Baltimore, MD", "Fairfax, VA", "Franklin, VA", "Richmond, VA", "Roanoke, VA", "St. Louis, MO"];
    assert_eq!(shared, six.map(str::to_owned).into());
}

/// Reader and builder give the same.
#[test]
fn the_written_tables_say_what_the_gazetteer_says() {
    let db = written();
    let gazetteer = Gazetteer::get();
    let all = geo::all_counties(&db).unwrap();
    assert_eq!(all.len(), gazetteer.counties().len());
    for (circle, county) in all.iter().zip(gazetteer.counties()) {
        assert_eq!((circle.fips, circle.point, circle.radius_m), (county.fips, county.point, county.radius_m));
    }
    for area in gazetteer.zip_areas().iter().step_by(13) {
        assert_eq!(geo::zip_point(&db, area.zip).unwrap(), area.point);
        let read = geo::zip_counties(&db, area.zip).unwrap();
        let read: Vec<(CountyFips, f64)> = read.into_iter().map(|(county, share)| (county.fips, share)).collect();
        let want: Vec<(CountyFips, f64)> =
            area.counties.iter().map(|(county, share)| (*county, f64::from(*share) / 1e4)).collect();
        assert_eq!(read, want, "{}", area.zip);
    }
    let near = geo::neighbors(&db, fips(12086)).unwrap();
    assert_eq!(near, [fips(12011), fips(12021), fips(12087)]);
}

#[test]
fn two_writings_are_equal_byte_for_byte_and_small() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str| {
        let path = folder.path().join(name);
        let db = Connection::open(&path).unwrap();
        db.execute_batch("PRAGMA journal_mode = OFF; BEGIN").unwrap();
        Gazetteer::get().write_tables(&db).unwrap();
        db.execute_batch("COMMIT; VACUUM").unwrap();
        drop(db);
        std::fs::read(path).unwrap()
    };
    let first = write("a");
    assert!(first.len() < 1_500_000, "{}", first.len());
    assert!(first == write("b"));
}

#[test]
fn zips_of_several_counties_and_of_connecticut() {
    let gazetteer = Gazetteer::get();
    let counties =
        |number| gazetteer.zip_counties(zip(number)).iter().map(|(c, _)| c.number()).collect::<BTreeSet<_>>();
    assert_eq!(counties(21771), BTreeSet::from([24013, 24021, 24027, 24031]));
    assert_eq!(counties(6103), BTreeSet::from([9110]));
    assert_eq!(counties(6604), BTreeSet::from([9120]));
    let hartford: Vec<u32> = gazetteer.zip_area(zip(6103)).unwrap().former.iter().map(|(c, _)| c.number()).collect();
    assert_eq!(hartford, [9003]);
    let regions: BTreeSet<u32> = gazetteer
        .zip_areas()
        .iter()
        .flat_map(|area| area.counties.iter().map(|(county, _)| county.number()))
        .filter(|county| county / 1_000 == 9)
        .collect();
    assert_eq!(regions, (1..=9).map(|n| 9_100 + 10 * n).collect());
    // Oglala Lakota, Kusilvak and Bedford, which the shares of 2010 know by older codes.
    for (number, county) in [(57770, 46102), (99620, 2158), (24523, 51019)] {
        assert_eq!(gazetteer.zip_counties(zip(number))[0].0, fips(county), "{number}");
    }
    assert_eq!(gazetteer.zip_area(zip(48106)), None, "post-office boxes are no area");
}

#[test]
fn alaska_across_the_date_line() {
    let gazetteer = Gazetteer::get();
    let west = gazetteer.county(fips(2016)).unwrap();
    let attu = Point::from_degrees(52.90, 172.91).unwrap();
    let km = haversine_km(west.point, attu);
    assert!((800.0..1_000.0).contains(&km), "{km}");
    assert!(km <= f64::from(west.radius_m) / 1e3, "the radius reaches over the date line: {}", west.radius_m);
    assert!(west.radius_m < 1_000_000, "and not around the earth: {}", west.radius_m);
}

fn place(city: &str, state: &str, zip: &str, district: &str, position: Option<(f64, f64)>) -> Place {
    let text = |text: &str| (!text.is_empty()).then(|| text.to_owned());
    Place {
        address: Address {
            city: text(city),
            state: text(state),
            zip: text(zip),
            district: text(district),
            ..Address::default()
        },
        position,
        ..Place::default()
    }
}

#[test]
fn places_are_located() {
    use Evidence::{City, District, Position, Zip};
    use PositionVerdict::{Absent, FarFromZip, Nowhere, OtherState, Swapped, Used, Zero};
    let gazetteer = Gazetteer::get();
    let hartford = (41.7658, -72.6734);
    let leon = (30.43642, -84.29647);
    for (place, county, from, precision, verdict, disputed) in [
        // The position, with and without other words.
        (place("HARTFORD", "CT", "06103", "", Some(hartford)), 9110, Some(Position), Precision::Point, Used, false),
        (place("", "", "", "", Some(hartford)), 9110, Some(Position), Precision::Point, Used, false),
        (place("", "CT", "junk", "", Some(hartford)), 9110, Some(Position), Precision::Point, Used, false),
        // No usable position: the ZIP, mended.
        (place("HARTFORD", "CT", "6103", "", None), 9110, Some(Zip), Precision::Zip, Absent, false),
        (place("", "", "061031234", "", None), 9110, Some(Zip), Precision::Zip, Absent, false),
        (place("", "CT", "6103", "", Some((0.0, 0.0))), 9110, Some(Zip), Precision::Zip, Zero, false),
        (place("", "CT", "6103", "", Some((hartford.1, hartford.0))), 9110, Some(Zip), Precision::Zip, Swapped, false),
        (place("", "CT", "6103", "", Some((48.85, 2.35))), 9110, Some(Zip), Precision::Zip, Nowhere, false),
        (place("", "CT", "6103", "", Some((f64::NAN, 2.35))), 9110, Some(Zip), Precision::Zip, Nowhere, false),
        (place("", "CT", "6103", "", Some(leon)), 9110, Some(Zip), Precision::Zip, OtherState, false),
        // In the state, but 78 km from the ZIP.
        (place("", "CT", "6103", "", Some((41.1865, -73.1952))), 9110, Some(Zip), Precision::Zip, FarFromZip, false),
        // A district before the ZIP: Howard County has a tenth of 21771.
        (place("", "MD", "21771", "Howard County", None), 24027, Some(District), Precision::Zip, Absent, false),
        (place("", "", "21771", "Howard", None), 24027, Some(District), Precision::Zip, Absent, false),
        (place("", "MD", "21771", "", None), 24021, Some(Zip), Precision::Zip, Absent, false),
        (place("", "MD", "", "Howard County", None), 24027, Some(District), Precision::County, Absent, false),
        // A district that fits two counties: the one that the ZIP is in.
        (place("", "MD", "21201", "Baltimore", None), 24510, Some(District), Precision::Zip, Absent, false),
        // A district far from the ZIP: its county, and not the ZIP's point.
        (place("", "MD", "21201", "Garrett County", None), 24023, Some(District), Precision::County, Absent, false),
        // The ZIP is in another state than stated: the state is kept.
        (place("CUDAHY", "WI", "90201", "", None), 55079, Some(City), Precision::County, Absent, true),
        (place("Kansas City", "KS", "64111", "", None), 20209, Some(City), Precision::County, Absent, true),
        (place("", "VA", "20815", "Fairfax County", None), 51059, Some(District), Precision::County, Absent, true),
        (place("", "GA", "32301", "", Some((33.749, -84.388))), 13121, Some(Position), Precision::Point, Used, true),
        // A ZIP in two states: the county in the stated one.
        (place("Fort Campbell", "TN", "42223", "", None), 47125, Some(Zip), Precision::Zip, Absent, false),
        // Boxes and unique ZIPs, and ZIPs that are none, take their city.
        (place("ANN ARBOR", "MI", "48106", "", None), 26161, Some(City), Precision::County, Absent, false),
        (place("ANN ARBOR", "", "48106", "", None), 26161, Some(City), Precision::County, Absent, false),
        (place("FT MYERS", "FL", "33902", "", Some((0.0, 0.0))), 12071, Some(City), Precision::County, Zero, false),
        (place("Houston", "TX", "7700", "", None), 48201, Some(City), Precision::County, Absent, false),
        (place("Houston, TX", "", "", "", None), 48201, Some(City), Precision::County, Absent, false),
        (place("Saint Louis", "MO", "", "", None), 29510, Some(City), Precision::County, Absent, false),
        (place("ST. LOUIS", "Missouri", "", "", None), 29510, Some(City), Precision::County, Absent, false),
        (place("Winston Salem", "NC", "", "", None), 37067, Some(City), Precision::County, Absent, false),
        (place("Silver Spg", "MD", "", "", None), 24031, Some(City), Precision::County, Absent, false),
        (place("Pt St Lucie, FL", "FL", "", "", None), 12111, Some(City), Precision::County, Absent, false),
        (place("Towson", "MD", "", "Baltimore", None), 24005, Some(District), Precision::County, Absent, false),
        // The city, where no ZIP is stated.
        (place("New Britain", "CT", "", "", None), 9110, Some(City), Precision::County, Absent, false),
        (place("WASHINGTON", "DC", "", "", None), 11001, Some(City), Precision::County, Absent, false),
        (place("Attu", "AK", "99547", "", Some((52.84, 173.17))), 2016, Some(Position), Precision::Point, Used, false),
    ] {
        let located = gazetteer.locate(&place);
        assert_eq!(located.county, Some(fips(county)), "{place:?}: {located:?}");
        assert_eq!(
            (located.county_from, located.precision, located.position, located.disputed),
            (from, precision, verdict, disputed),
            "{place:?}: {located:?}"
        );
        assert_eq!(located.state, fips(county).state());
        assert!(located.point.is_some());
    }
}

/// A position outside the counties of its ZIP counts up to 40 km from the ZIP's point, in every direction.
#[test]
fn positions_are_near_their_zips() {
    let gazetteer = Gazetteer::get();
    let kansas = gazetteer.zip_point(zip(67501)).unwrap();
    let degrees = |km: f64| km / geo::EARTH_RADIUS_KM * 180.0 / std::f64::consts::PI;
    for (km, verdict) in [(39.9, PositionVerdict::Used), (40.1, PositionVerdict::FarFromZip)] {
        let (lat, lon) = (degrees(km), degrees(km) / kansas.lat().to_radians().cos());
        for (north, east) in [(lat, 0.0), (-lat, 0.0), (0.0, lon), (0.0, -lon)] {
            let position = Some((kansas.lat() + north, kansas.lon() + east));
            let located = gazetteer.locate(&place("", "KS", "67501", "", position));
            let county = position.and_then(|(lat, lon)| gazetteer.county_at(Point::from_degrees(lat, lon)?)).unwrap();
            let of_zip = gazetteer.zip_counties(zip(67501)).iter().any(|(other, _)| *other == county);
            let verdict = if of_zip { PositionVerdict::Used } else { verdict };
            assert_eq!(located.position, verdict, "{km} km: {north} {east}");
        }
    }
}

#[test]
fn places_that_tell_nothing_are_nowhere() {
    let gazetteer = Gazetteer::get();
    let leon = Some((30.43642, -84.29647));
    for (place, state) in [
        (Place::default(), None),
        (place("", "Ohio", "", "Nowhere County", None), Some("OH")),
        (place("", "", "00000", "Washington", None), None),
        (place("", "MD", "", "Baltimore", None), Some("MD")),
        (place("Lake Butler", "FL", "", "", None), Some("FL")),
        (place("Zzyzyx Corners", "", "48106", "", None), Some("MI")),
        // What contradicts the stated state tells no county.
        (place("TALLAHASSEE", "VA", "32301", "", leon), Some("VA")),
        (place("", "VA", "20815", "Montgomery County", None), Some("VA")),
        (place("", "MO", "62704", "", None), Some("MO")),
        // Military mail, by its state or by its ZIP.
        (place("APO", "AE", "09180", "", Some((49.4, 7.6))), Some("AE")),
        (place("FPO", "", "96349", "", None), Some("AP")),
        (place("DPO AA", "", "", "", None), Some("AA")),
    ] {
        let located = gazetteer.locate(&place);
        assert_eq!((located.county, located.point, located.precision), (None, None, Precision::Unknown), "{place:?}");
        assert_eq!(located.state.map(State::usps), state, "{place:?}");
    }
}

/// A short ZIP is one with its zeros only in a state that has it.
#[test]
fn short_zips_are_mended_where_the_state_agrees() {
    let gazetteer = Gazetteer::get();
    let mended = |state: &str, text: &str| gazetteer.locate(&place("", state, text, "", None)).zip.map(Zip5::number);
    for (state, text, want) in [
        ("TX", "7870", None),
        ("NJ", "7870", Some(7870)),
        ("", "7870", Some(7870)),
        ("CT", "61061234", Some(6106)),
        ("TX", "61061234", None),
        ("PR", "920", Some(920)),
        ("AE", "9180", Some(9180)),
        ("TX", "07870", Some(7870)),
        ("TX", "07870-1234", Some(7870)),
    ] {
        assert_eq!(mended(state, text), want, "{state} {text}");
    }
}

/// A city that the table does not have, or has in several counties, is where nearly all of its places are.
#[test]
fn a_directory_shows_where_its_cities_lie() {
    let gazetteer = Gazetteer::get();
    let (missouri, florida) = (State::from_name("MO").unwrap(), State::from_name("FL").unwrap());
    let mut shown = CitiesShown::default();
    let county = |shown: &CitiesShown, city: &str, state: &str| {
        gazetteer.locate_with(&place(city, state, "", "", None), shown).county.map(CountyFips::number)
    };
    assert_eq!(county(&shown, "Zzyzyx Corners", "MO"), None);
    for _ in 0..9 {
        shown.note(missouri, "ZZYZYX CORNERS", fips(29019));
    }
    shown.note(missouri, "Zzyzyx Corners", fips(29051));
    assert_eq!(county(&shown, "Zzyzyx corners", "MO"), Some(29019));
    assert_eq!(county(&shown, "Zzyzyx Corners", "IL"), None);
    shown.note(missouri, "Zzyzyx Corners", fips(29051));
    assert_eq!(county(&shown, "Zzyzyx Corners", "MO"), None);
    shown.note(florida, "Lake Butler", fips(12125));
    shown.note(florida, "Lake Butler", fips(12001));
    assert_eq!(county(&shown, "Lake Butler", "FL"), Some(12125), "one of those that the table has");
}
