use super::names::*;
use super::*;

/// A dataset of a handful of counties: `Fairfax` twice, a merged one, a divided one, the date line.
fn small() -> Connection {
    let db = Connection::open_in_memory().unwrap();
    db.execute_batch(SCHEMA).unwrap();
    db.execute_batch(
        "INSERT INTO state VALUES (2, 'AK', 'Alaska'), (9, 'CT', 'Connecticut'), (11, 'DC', 'District of Columbia'),
             (51, 'VA', 'Virginia'), (72, 'PR', 'Puerto Rico');
         INSERT INTO county VALUES
             (2016, 'Aleutians West Census Area', 5279716, -17349449, 900000),
             (9110, 'Capitol Planning Region', 4178000, -7270000, 40000),
             (9140, 'Naugatuck Valley Planning Region', 4150000, -7300000, 40000),
             (11001, 'District of Columbia', 3890355, -7701536, 13000),
             (51019, 'Bedford County', 3732000, -7952000, 40000),
             (51036, 'Charles City County', 3736000, -7706000, 30000),
             (51059, 'Fairfax County', 3883000, -7728000, 30000),
             (51510, 'Alexandria city', 3882000, -7708000, 6000),
             (51600, 'Fairfax city', 3885000, -7730000, 3000),
             (72054, 'Florida Municipio', 1838000, -6656000, 8000);
         INSERT INTO county_former VALUES (9003, 9110, 'Hartford County', 2022), (9003, 9140, 'Hartford County', 2022),
             (51515, 51019, 'Bedford city', 2013);
         INSERT INTO county_name VALUES ('aleutianswest', 2016), ('capitol', 9110), ('naugatuckvalley', 9140),
             ('districtofcolumbia', 11001), ('washington', 11001), ('bedford', 51019), ('bedford', 51515),
             ('charlescity', 51036), ('fairfax', 51059), ('fairfax', 51600), ('alexandria', 51510), ('florida', 72054),
             ('hartford', 9003);
         INSERT INTO county_neighbor VALUES (51059, 51510), (51059, 51600), (51510, 51059), (51600, 51059);
         INSERT INTO zip VALUES (6103, 9110, 4176510, -7267076), (22030, 51059, 3884000, -7731000), (6160, NULL, NULL, NULL);
         INSERT INTO zip_county VALUES (22030, 0, 51059, 6000), (22030, 1, 51600, 4000);
         INSERT INTO zip_county_former VALUES (6103, 0, 9003, 10000), (6160, 0, 9003, 10000);",
    )
    .unwrap();
    db
}

fn resolved(db: &Connection, text: &str) -> String {
    match resolve_county(db, text) {
        Ok(county) => county.label(),
        Err(error) => format!("{}: {}", error.kind().as_str(), error.candidates().join("; ")),
    }
}

#[test]
fn texts_mean_counties() {
    let db = small();
    for (text, want) in [
        ("51059", "Fairfax County, VA"),
        ("Fairfax County, VA", "Fairfax County, VA"),
        ("fairfax co VA", "Fairfax County, VA"),
        ("County of Fairfax, Virginia", "Fairfax County, VA"),
        ("FAIRFAX CITY, VA", "Fairfax city, VA"),
        ("City of Fairfax VA", "Fairfax city, VA"),
        ("Fairfax, VA", "ambiguous: Fairfax County, VA (51059); Fairfax city, VA (51600)"),
        ("Charles City, VA", "Charles City County, VA"),
        ("Charles City County, VA", "Charles City County, VA"),
        ("Alexandria", "Alexandria city, VA"),
        ("Alexandria County, VA", "Alexandria city, VA"),
        ("Bedford, VA", "Bedford County, VA"),
        ("Bedford city, VA", "Bedford County, VA"),
        ("51515", "Bedford County, VA"),
        ("9110", "Capitol Planning Region, CT"),
        ("Capitol Region, CT", "Capitol Planning Region, CT"),
        (
            "Hartford, CT",
            "ambiguous: Capitol Planning Region, CT (09110); Naugatuck Valley Planning Region, CT (09140)",
        ),
        ("09003", "ambiguous: Capitol Planning Region, CT (09110); Naugatuck Valley Planning Region, CT (09140)"),
        ("Washington, DC", "District of Columbia, DC"),
        ("DC", "District of Columbia, DC"),
        ("Florida, Puerto Rico", "Florida Municipio, PR"),
        ("Florida", "ambiguous: Florida Municipio, PR (72054)"),
        ("Virginia", "not_found: "),
        ("Alexandira VA", "not_found: Alexandria city, VA (51510)"),
        ("Alex, VA", "not_found: Alexandria city, VA (51510)"),
        ("Fairfax, CT", "not_found: Fairfax County, VA (51059); Fairfax city, VA (51600)"),
        ("51999", "not_found: "),
        ("County", "not_found: "),
        ("", "not_found: "),
        (", VA", "not_found: "),
        ("'; DROP TABLE county; --", "not_found: "),
    ] {
        assert_eq!(resolved(&db, text), want, "{text}");
    }
}

#[test]
fn all_that_fit_are_found() {
    let db = small();
    let labels =
        |text| find_counties(&db, text).unwrap().iter().map(|county| county.fips.to_string()).collect::<Vec<_>>();
    assert_eq!(labels("Fairfax"), ["51059", "51600"]);
    assert_eq!(labels("Hartford County"), ["09110", "09140"]);
    assert_eq!(find_counties(&db, "Nowhere, VA").unwrap_err().kind(), ErrorKind::NotFound);
}

#[test]
fn codes_lead_to_counties() {
    let db = small();
    let fips = |number| CountyFips::new(number).unwrap();
    assert_eq!(county(&db, fips(51600)).unwrap().name, "Fairfax city");
    assert_eq!(county(&db, fips(51515)).unwrap().fips, fips(51019));
    assert_eq!(county(&db, fips(9003)).unwrap_err().kind(), ErrorKind::Ambiguous);
    assert_eq!(county(&db, fips(51999)).unwrap_err().kind(), ErrorKind::NotFound);
    assert_eq!(neighbors(&db, fips(51059)).unwrap(), [fips(51510), fips(51600)]);
    assert_eq!(all_counties(&db).unwrap().len(), 10);
}

#[test]
fn zips_lie_in_counties() {
    let db = small();
    let zip = |number| Zip5::new(number).unwrap();
    let shares = |number| {
        let counties = zip_counties(&db, zip(number)).unwrap();
        counties.into_iter().map(|(county, share)| (county.fips.number(), share)).collect::<Vec<_>>()
    };
    assert_eq!(shares(22030), [(51059, 0.6), (51600, 0.4)]);
    assert_eq!(shares(6103), [(9110, 1.0)]);
    assert_eq!(shares(6160), []);
    assert_eq!(shares(90210), []);
    assert_eq!(zip_former_counties(&db, zip(6160)).unwrap(), [(CountyFips::new(9003).unwrap(), 1.0)]);
    assert_eq!(zip_point(&db, zip(6103)).unwrap(), Some(Point { lat_e5: 4_176_510, lon_e5: -7_267_076 }));
    assert_eq!(zip_point(&db, zip(6160)).unwrap(), None);
    assert_eq!(zip_point(&db, zip(90210)).unwrap(), None);
}

#[test]
fn a_damaged_dataset_is_an_error() {
    let db = Connection::open_in_memory().unwrap();
    assert_eq!(resolve_county(&db, "Fairfax, VA").unwrap_err().kind(), ErrorKind::DatasetDamaged);
    let db = small();
    db.execute_batch("INSERT INTO county_name VALUES ('x', 5); INSERT INTO zip VALUES (601, 72001, 1, 1)").unwrap();
    assert_eq!(resolve_county(&db, "X").unwrap_err().kind(), ErrorKind::DatasetDamaged);
    assert_eq!(zip_counties(&db, Zip5::new(601).unwrap()).unwrap_err().kind(), ErrorKind::DatasetDamaged);
}

#[test]
fn people_can_read_the_views() {
    let db = small();
    let row: (String, f64) = db
        .query_row("SELECT name, lat FROM counties WHERE fips = '09110'", [], |r| Ok((r.get(0)?, r.get(1)?)))
        .unwrap();
    assert_eq!(row, ("Capitol Planning Region".to_owned(), 41.78));
    let shares: Vec<(String, f64)> = db
        .prepare("SELECT county_fips, share FROM zip_counties WHERE zip IN ('22030', '06103') ORDER BY zip, share")
        .unwrap()
        .query_map([], |r| Ok((r.get(0)?, r.get(1)?)))
        .unwrap()
        .map(Result::unwrap)
        .collect();
    assert_eq!(shares, [("09110".into(), 1.0), ("51600".into(), 0.4), ("51059".into(), 0.6)]);
}

#[test]
fn names_fold_to_one_key() {
    for spellings in [
        &["De Kalb", "DeKalb", "DE KALB", "Dekalb"][..],
        &["St. Mary's", "Saint Marys", "ST MARYS", "St Mary\u{2019}s"],
        &["Ste. Genevieve", "Sainte Genevieve", "St. Genevieve"],
        &["Doña Ana", "Dona Ana", "DONA ANA", "Don\u{303}a Ana"],
        &["Miami-Dade", "Miami Dade", "MiamiDade"],
        &["Lewis and Clark", "Lewis & Clark"],
        &["E. Baton Rouge", "East Baton Rouge"],
        &["O'Brien", "OBrien", "O’Brien"],
        &["Fort Bend", "Ft. Bend"],
    ] {
        for spelling in spellings {
            assert_eq!(key(spelling), key(spellings[0]), "{spelling}");
        }
    }
    assert_ne!(key("Baltimore"), key("Baltimore city"));
}

#[test]
fn texts_part_into_name_and_state() {
    let states = |text| {
        let ways = name_and_state(text);
        ways.iter().map(|(n, s)| format!("{n}|{}", s.map_or("", State::usps))).collect::<Vec<_>>().join(" ")
    };
    assert_eq!(states("Berkeley West Virginia"), "Berkeley|WV Berkeley West|VA Berkeley West Virginia|");
    assert_eq!(states("Ada,ID"), "Ada|ID Ada,ID|");
    assert_eq!(states("Ada,ID,U.S.A."), "Ada|ID Ada,ID|");
    assert_eq!(states("Iowa"), "Iowa|");
    assert_eq!(states("  "), "");
}

#[test]
fn distances() {
    let point = |lat, lon| Point::from_degrees(lat, lon).unwrap();
    // One degree of latitude, and a quarter of the earth, by R.
    let degree = EARTH_RADIUS_KM * std::f64::consts::PI / 180.0;
    for (a, b, km) in [
        (point(40.0, -75.0), point(41.0, -75.0), degree),
        (point(0.0, 0.0), point(0.0, 90.0), 90.0 * degree),
        (point(0.0, 0.0), point(0.0, 180.0), 180.0 * degree),
        (point(90.0, 0.0), point(-90.0, 77.0), 180.0 * degree),
        (point(0.0, 179.5), point(0.0, -179.5), degree),
        (point(33.0, -112.0), point(33.0, -112.0), 0.0),
        // Phoenix to Los Angeles and Attu to Adak across the date line, by the atan2 formula.
        (point(33.44838, -112.07404), point(34.05223, -118.24368), 574.261_728_8),
        (point(52.90, 172.91), point(51.88, -176.65), 716.821_205_7),
    ] {
        let got = haversine_km(a, b);
        assert!((got - km).abs() < 1e-6, "{a} to {b}: {got}, not {km}");
        assert!((got - haversine_km(b, a)).abs() < 1e-9);
    }
    assert!((kilometers(25.0) - 40.2336).abs() < 1e-9);
    assert!((miles(kilometers(7.5)) - 7.5).abs() < 1e-12);
}

#[test]
fn points_are_written_latitude_first() {
    let read = |text: &str| text.parse::<Point>().map(|p| p.to_string()).map_err(|e| e.message().to_owned());
    assert_eq!(read("25.77427,-80.19366").unwrap(), "25.77427,-80.19366");
    assert_eq!(read(" 25.77427, -80.193664 ").unwrap(), "25.77427,-80.19366");
    assert_eq!(read("25.77427 -80.19366").unwrap(), "25.77427,-80.19366");
    assert!(read("-112.07,33.45").unwrap_err().contains("latitude comes first"));
    assert!(read("200,300").unwrap_err().contains("-90 to 90"));
    for bad in ["", "25.7", "25.7,-80,1", "a,b", "NaN,0", "inf,0"] {
        assert!(read(bad).is_err(), "{bad}");
    }
}
