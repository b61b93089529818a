//! What spellings of one address share, and which addresses are not one.

use super::*;

fn folded(line: &str) -> String {
    let beside = Beside { city: Some("St. Louis"), state: State::from_name("MO"), zip: Zip5::mend("63105") };
    key(&line.split('/').map(str::to_owned).collect::<Vec<_>>(), &beside)
}

#[test]
fn spellings_of_one_address_are_one() {
    for group in [
        &["500 E Benson Blvd/Ste 103", "500 EAST BENSON BOULEVARD, SUITE 103", "500 E. Benson Blvd. #103"][..],
        &["77 Oak Ave Suite 300", "SUITE 300, 77 Oak Ave", "Ste #300/77 Oak Avenue", "77 Oak Av Unit 300"],
        &["#300, 77 Oak Ave", "77 Oak Ave. # 300", "77 Oak Ave 300", "77 Oak Ave/77 Oak Ave/Ste 300"],
        &["PO Box 100", "P.O. Box 100", "P O Box 100", "P. O. BOX 100", "POB 100", "Post Office Box 100"],
        &["PO Box #100", "P.O.Box 100", "PO Box No. 100", "Box 100", "POBox 100"],
        &["12 First St", "12 1st Street", "12 FIRST STREET"],
        &["12 Twelfth Ave", "12 12th Ave"],
        &["12 W Twenty-First St", "12 West 21st St", "12 WEST TWENTY FIRST STREET"],
        &["9 Elm St Bldg A", "9 Elm St, Building A", "Bldg. A/9 Elm St"],
        &["9 Elm St 2nd Floor", "9 Elm St Second Floor", "9 Elm St Fl 2", "FLOOR 2, 9 Elm St", "9 Elm St 2nd Fl"],
        &["9 Elm St Bldg A Ste 4", "Suite 4/9 Elm St/Building A"],
        &["100 Main St N.W.", "100 Main Street NW", "100 Main St Northwest", "100 Main St North West"],
        &["77 Oak Ave Ste 300-B", "77 Oak Ave #300B", "Suite 300B, 77 Oak Ave"],
        &["500 US Highway 40", "500 U.S. Hwy 40", "500 US 40"],
        &["500 State Road 7", "500 SR 7", "500 State Rd. 7"],
        &["9 Elm St Fl 2", "9 Elm St FL2", "9 Elm St Floor Two", "9 Elm St, Level 2"],
        &["9 Elm St Bldg 1 Rm 5", "9 Elm St Building One RM5", "Room #5/9 Elm St/BLDG1"],
        &["9 Elm St Apt 5", "9 Elm St APT5", "9 Elm St STE5", "9 Elm St #5", "9 Elm St Suite Five"],
        &["9 Elm St Unit 3B", "9 Elm St UNIT3B", "9 Elm St UNIT 3-B/St. Louis, MO 63105"],
        &["9 Elm St Department 4", "9 Elm St Dept 4", "Dept. #4, 9 Elm St", "9 Elm St DEPT4"],
        &["9 Elm St Department of Surgery", "9 Elm St Dept of Surgery"],
        &["RR 2 Box 15", "Rural Route 2 Box 15", "R.R. #2 Box 15", "RR2 BOX15", "RFD 2/Box #15", "Box 15, RR 2"],
        &["HC 2 Box 15", "Highway Contract 2 Box 15", "HCR 2 PO Box 15"],
        &["9 Elm St", "9 Elm St, St. Louis, MO 63105", "9 Elm St Saint Louis Missouri 63105-1234"],
        &["9 Elm St", "9 Elm St/St Louis MO", "9 Elm Street, SAINT LOUIS 631051234, USA"],
        &["30 Lake Dr", "Lakeview Clinic/30 Lake Drive", "Attn: Credentialing/30 Lake Dr", "30 Lake Dr/c o Dr. Best"],
        &["500 County Road 12", "500 Co Rd 12", "500 CR 12"],
    ] {
        let [first, others @ ..] = group else { panic!("{group:?}") };
        for other in others {
            assert_eq!(folded(other), folded(first), "{other} and {first}");
        }
    }
}

#[test]
fn other_addresses_differ() {
    let all = [
        "100 Main St",
        "100 N Main St",
        "100 S Main St",
        "100 Main Dr",
        "Memorial Hospital North Wing/100 Main St",
        "Medical Tower/100 Main St",
        "Lakeview Clinic/Main St",
        "100 Main St Ste 1",
        "100 Main St Ste 2",
        "100 Main St Ste B",
        "100 Main St Bldg 1",
        "100 Main St Bldg 2",
        "100 Main St Fl 1",
        "100 Main St Rm 1",
        "100 Main St Dept 1",
        "Number One Main St",
        "1 Main St",
        "100 Main St, St. Louis, MO 63106",
        "100 Main St, Clayton, MO 63105",
        "100 St. Louis St",
        "100 St. Louis",
        "100 Main St NW",
        "PO Box 100",
        "PO Box 101",
        "RR 1 Box 100",
        "RR 2 Box 100",
        "RR 1 Box 101",
        "HC 1 Box 100",
        "100 1st St",
        "100 First Ave",
        "246 SW California St",
        "0246 SW California St",
    ];
    for (at, a) in all.iter().enumerate() {
        for b in all.iter().skip(at + 1) {
            assert_ne!(folded(a), folded(b), "{a} and {b}");
        }
    }
}

#[test]
fn a_line_without_letters_and_digits_says_nothing() {
    assert_eq!(folded(" - / . "), "");
    assert_eq!(folded("Suite"), "");
}

/// What spellings of an address share whose lines are written with `|` between them.
fn lines(text: &str) -> String {
    let beside = Beside { city: Some("St. Louis"), state: State::from_name("MO"), zip: Zip5::mend("63105") };
    key(&text.split('|').map(str::to_owned).collect::<Vec<_>>(), &beside)
}

/// An address of the table, what is equal to it, and what is another place however near it is.
type Case = (&'static str, &'static [&'static str], &'static [&'static str]);

const CASES: &[Case] = &[
    // Boxes of the post office.
    ("PO Box 9", &["P.O. Box 9", "p o box 9", "POB 9", "PO Box #9", "Apartado 9"], &["PO Box 90", "9 Box St", "HC 9"]),
    (
        "100 Main St",
        &["100 MAIN STREET", "100  Main  Str.", "100 Main St."],
        &["100 Main", "100 Main Ave", "1000 Main St"],
    ),
    // Directions before and behind the street are no more the same than two streets are.
    (
        "100 N Main St",
        &["100 North Main Street", "100 No. Main St", "100 No Main St"],
        &["100 Main St N", "100 Main St"],
    ),
    ("100 Main St N", &["100 Main Street North", "100 Main St. No."], &["100 N Main St", "100 Main St NE"]),
    ("100 S Main St", &["100 So. Main St", "100 South Main St"], &["100 N Main St", "100 Main St S", "100 Main St"]),
    (
        "5700 Harper Dr NE",
        &["5700 Harper Drive Northeast", "5700 Harper Dr N.E."],
        &["5700 Harper Dr", "5700 Harper Dr N"],
    ),
    ("12 Elm Ct", &["12 Elm Court"], &["12 Elm", "12 Elm Cir"]),
    ("4745 S 3200 W", &["4745 SOUTH 3200 WEST"], &["4745 S 3200 E", "3200 S 4745 W"]),
    // Roads with numbers.
    ("500 US Hwy 40", &["500 U.S. Highway 40", "500 US-40", "500 US40"], &["500 Hwy 40", "500 SR 40", "500 US 41"]),
    ("500 State Road 7", &["500 SR 7", "500 State Rte 7", "500 SR-7"], &["500 County Road 7", "500 SR 70"]),
    (
        "490 I-10 N",
        &["490 IH-10 N", "490 IH -10 N", "490 Interstate 10 North", "490 IH10 N"],
        &["490 I-10 S", "490 US 10 N"],
    ),
    (
        "8030 FM 1765",
        &["8030 Farm to Market Road 1765", "8030 F.M. 1765", "8030 FM Rd 1765", "8030 FM1765"],
        &["8030 Hwy 1765"],
    ),
    ("500 CR 12", &["500 County Road 12", "500 Co. Rd. 12", "500 CR-12"], &["500 SR 12", "500 CR 1 2"]),
    ("9 Interstate Dr", &["9 Interstate Drive"], &["9 I Dr"]),
    ("1440 Highway 1 S", &["1440 Hwy 1 South", "1440 Hwy1 S"], &["1440 Highway 1", "1440 Highway 15"]),
    // Rural delivery.
    (
        "RR 2 Box 15",
        &["Rural Route 2 Box 15", "R.R. 2, Box #15", "RFD 2 Box 15"],
        &["RR 2 Box 1", "RR 21 Box 5", "HC 2 Box 15"],
    ),
    ("HC 72 Box 5", &["Highway Contract 72 Box 5", "HCR 72 Box 5"], &["HC 72 Box 55", "RR 72 Box 5"]),
    // Ordinals.
    ("12 1st St", &["12 First Street", "12 FIRST ST"], &["12 1 St", "121 St", "12 21st St"]),
    ("34th and Civic Center Blvd", &["34TH & CIVIC CENTER BLVD"], &["34 Civic Center Blvd"]),
    // Numbers of houses.
    ("123A Main St", &["123a MAIN ST"], &["123 Main St", "123B Main St", "123 A St"]),
    ("123-125 Main St", &["123/125 Main St"], &["123 Main St", "125 Main St", "123125 Main St", "123-127 Main St"]),
    (
        "97-04 Sutphin Blvd",
        &["97-04 SUTPHIN BOULEVARD"],
        &["97 Sutphin Blvd", "9704 Sutphin Blvd", "97-05 Sutphin Blvd"],
    ),
    ("107 1/2 Swift St", &["107\u{bd} Swift St", "107-1/2 Swift St"], &["107 Swift St", "1071 Swift St"]),
    (
        "N6W23001 Bluemound Rd",
        &["N6 W23001 Bluemound Road", "n6-w23001 Bluemound Rd"],
        &["N62 W3001 Bluemound Rd", "W23001 Bluemound Rd"],
    ),
    ("0246 SW California St", &["0246 SW CALIFORNIA ST"], &["246 SW California St"]),
    ("Number One Hill Rd", &["NUMBER ONE HILL ROAD"], &["1 Hill Rd", "Hill Rd"]),
    // Suites, in front or behind.
    (
        "77 Oak Ave Ste 300",
        &[
            "Suite 300, 77 Oak Ave",
            "77 Oak Ave #300",
            "77 Oak Ave, Unit 300",
            "Ste. #300 77 Oak Ave",
            "77 Oak Ave Office 300",
        ],
        &["77 Oak Ave", "77 Oak Ave Ste 30", "77 Oak Ave Rm 300", "300 Oak Ave Ste 77"],
    ),
    (
        "77 Oak Ave Ste 1-300",
        &["STE 1-300 77 Oak Ave", "77 Oak Ave #1-300", "77 Oak Ave STE1-300"],
        &["77 Oak Ave Ste 1300", "77 Oak Ave Ste 1 & 300", "77 Oak Ave Ste 1", "77 Oak Ave Ste 300"],
    ),
    (
        "77 Oak Ave Suite A&B",
        &["Suites A and B, 77 Oak Ave", "77 Oak Ave Ste A/B", "77 Oak Ave Ste B & A"],
        &["77 Oak Ave Ste A", "77 Oak Ave Ste AB", "77 Oak Ave Ste A-B"],
    ),
    (
        "601 Riverside Dr, Suites 3 and 4",
        &["Suites 3 & 4, 601 Riverside Drive", "601 Riverside Dr Stes 3/4", "601 Riverside Dr Suites Three and Four"],
        &["601 Riverside Dr Ste 3", "601 Riverside Dr Ste 34", "601 Riverside Dr Ste 3-4"],
    ),
    (
        "1501 N Florence Ave Ste 101&300",
        &["1501 N Florence Ave Ste 101 and Ste 300"],
        &["1501 N Florence Ave Ste 101", "1501 N Florence Ave Ste 101-300"],
    ),
    (
        "77 Oak Ave Ste. 200-A",
        &["77 Oak Ave Ste 200A", "Suite 200-A, 77 Oak Ave", "77 Oak Ave #200-A"],
        &["77 Oak Ave Ste 200", "77 Oak Ave Ste A", "77 Oak Ave Ste 200B"],
    ),
    (
        "77 Oak Ave Ste A-1",
        &["77 Oak Ave Suite A1", "STE A-1, 77 Oak Ave"],
        &["77 Oak Ave Ste A", "77 Oak Ave Ste 1", "77 Oak Ave Ste 1A"],
    ),
    (
        "77 Oak Ave #4-B",
        &["77 Oak Ave Apt 4B", "77 Oak Ave Apt. #4-B", "#4-B, 77 Oak Ave"],
        &["77 Oak Ave #4", "77 Oak Ave #B"],
    ),
    (
        "9 Elm St Unit 5 & 6",
        &["9 Elm St Units 5 and 6", "UNIT 5 & 6, 9 Elm St"],
        &["9 Elm St Unit 5", "9 Elm St Unit 56"],
    ),
    (
        "9 Elm St Bldg 2 Ste 100",
        &["9 Elm St Building 2, Suite 100", "Ste 100, Bldg 2, 9 Elm St", "9 Elm St Bldg Two #100"],
        &["9 Elm St Bldg 2", "9 Elm St Ste 100", "9 Elm St Bldg 100 Ste 2"],
    ),
    ("9 Elm St Bldg A-4", &["9 Elm St Building A4"], &["9 Elm St Bldg A Ste 4", "9 Elm St Bldg A"]),
    // Rooms and floors.
    (
        "9 Elm St Room 200",
        &["Rm 200, 9 Elm St", "9 Elm St RM200", "9 Elm St Rm. #200"],
        &["9 Elm St Ste 200", "9 Elm St Rm 20"],
    ),
    (
        "224 Pecan Park Ave Rm B1",
        &["224 Pecan Park Ave Room B-1"],
        &["224 Pecan Park Ave Rm B", "224 Pecan Park Ave Rm 1"],
    ),
    (
        "9 Elm St Fl 2",
        &["9 Elm St 2nd Floor", "2nd Fl, 9 Elm St", "9 Elm St Second Floor", "9 Elm St Level 2"],
        &["9 Elm St", "9 Elm St Ste 2", "2 Elm St Fl 9"],
    ),
    (
        "9 Elm St 2nd & 3rd Floor",
        &["9 Elm St Floors 2 and 3", "9 Elm St Fl 2 & 3"],
        &["9 Elm St 2nd Floor", "9 Elm St 3rd Floor"],
    ),
    (
        "9 Elm St 2nd Floor Ste 5",
        &["9 Elm St Ste 5 Fl 2", "Suite 5, 2nd Fl, 9 Elm St"],
        &["9 Elm St Fl 2", "9 Elm St Ste 5"],
    ),
    ("9 Elm St Ground Floor", &["9 Elm St, GROUND FL"], &["9 Elm St", "9 Elm St Fl 1"]),
    ("9 Elm St Ste XY", &["9 Elm St Unit XY", "9 Elm St, SUITE XY"], &["9 Elm St", "9 Elm St Ste X"]),
    ("9 Elm St Bldgs A, B, C & D", &["9 Elm St Buildings A B C and D"], &["9 Elm St Bldg A"]),
    ("9 Metropolitan Office Building", &["9 Metropolitan Office Bldg"], &["9 Metropolitan Bldg"]),
    ("2701 Medical Office Pl", &["2701 Medical Office Place"], &["2701 Medical Pl"]),
    ("30 Space Center Dr", &["30 Space Ctr Drive"], &["30 Center Dr"]),
    // To whom it goes, and who works there.
    (
        "30 Lake Dr",
        &["c/o Dr. Best|30 Lake Dr", "30 Lake Dr|Attn: Billing", "Lakeview Clinic|30 Lake Dr"],
        &["30 Lake Dr Ste 1"],
    ),
    // Puerto Rico.
    (
        "100 Calle Peña",
        &["100 CALLE PENA", "100 Calle Pen\u{303}a"],
        &["100 Calle Luna", "Calle Peña", "101 Calle Peña"],
    ),
    (
        "Carr 2 Km 3.4",
        &["Carretera 2 Kilómetro 3.4", "CARR. 2, KM. 3.4", "Carr-2 Km 3.4"],
        &["Carr 2 Km 34", "Carr 23 Km 4", "Carr 2 Km 3"],
    ),
    (
        "1250 Ave Ponce de León",
        &["1250 Avenida Ponce De Leon", "1250 AVE. PONCE DE LEON"],
        &["1250 Ave Ponce", "125 Ave Ponce de León"],
    ),
    (
        "Edificio 5, 12 Calle Sol, Oficina 3",
        &["12 Calle Sol Edif. 5 Ofic 3", "12 Calle Sol Bldg 5 Ste 3"],
        &["12 Calle Sol Bldg 3 Ste 5", "5 Calle Sol"],
    ),
    ("12 Calle Sol, 2do Piso", &["12 Calle Sol Piso 2", "12 Calle Sol, Fl 2"], &["12 Calle Sol Ste 2", "2 Calle Sol"]),
    ("Urbanización Las Flores, 5 Calle B", &["Urb. Las Flores 5 Calle B"], &["5 Calle B", "Urb Las Flores 5 Calle C"]),
    // Accents, apostrophes, saints.
    ("8 Cañón Del Río Rd", &["8 Canon del Rio Road"], &["8 Canon Rd"]),
    ("8 O'Brien Way", &["8 OBrien Wy", "8 O\u{2019}BRIEN WAY"], &["8 Brien Way"]),
    ("8 Saint Charles Ave", &["8 St. Charles Avenue"], &["8 Charles Ave", "8 St Charles St"]),
    ("8 Martin Luther King Jr Blvd", &["8 MARTIN LUTHER KING JR. BOULEVARD"], &["8 Martin Luther King Jr Dr"]),
    (
        "512 Main St PO Box 79",
        &["512 Main Street Post Office Box 79", "PO Box 79, 512 Main St"],
        &["512 Main St", "PO Box 79", "79 Main St PO Box 512"],
    ),
    ("707 A Jenks Ave", &["707-A JENKS AVENUE", "707 - A Jenks Ave"], &["707 Jenks Ave", "707 B Jenks Ave"]),
    ("101 Town and Country Ln", &["101 Town & Country Lane"], &["101 Town Ln", "101 Country Ln"]),
    // City, state and ZIP that the lines repeat.
    (
        "9 Elm St Ste 2",
        &["9 Elm St Ste 2, St. Louis, MO 63105", "9 Elm St #2|Saint Louis MO 63105-1234"],
        &["9 Elm St Ste 2, Clayton, MO 63105"],
    ),
];

#[test]
fn each_spelling_is_its_address_and_no_other() {
    assert!(CASES.len() >= 60, "{}", CASES.len());
    let mut wrong = Vec::new();
    for (address, equal, others) in CASES {
        wrong.extend(
            equal
                .iter()
                .filter(|other| lines(other) != lines(address))
                .map(|other| format!("{other} ({}) is {address} ({})", lines(other), lines(address))),
        );
        for other in *others {
            let is_one = std::iter::once(address).chain(*equal).any(|address| lines(other) == lines(address));
            wrong.extend(is_one.then(|| format!("{other} ({}) is not {address}", lines(other))));
        }
    }
    // No two cases are one place.
    let all: Vec<String> = CASES.iter().map(|(address, ..)| lines(address)).collect();
    for (at, one) in all.iter().enumerate() {
        wrong.extend(
            all.iter().skip(at + 1).filter(|other| *other == one).map(|other| format!("two cases are {other}")),
        );
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn the_text_of_a_dataset_says_what_its_lines_say() {
    for (address, equal, _) in CASES {
        for spelling in std::iter::once(address).chain(*equal) {
            let beside = Beside { city: Some("St. Louis"), state: State::from_name("MO"), zip: Zip5::mend("63105") };
            let text = folded_text(&spelling.replace('|', " "), &beside);
            assert_eq!(text.key(), lines(spelling), "{spelling}");
        }
    }
    for (text, wanted) in [
        ("30 Lake Dr c/o Dr. Best", "30 lake dr"),
        ("30 Lake Dr Attn: Billing, Ste 5", "30 lake dr 5"),
        ("30 Lake Dr ATTN Ann Smith Suite 5", "30 lake dr 5"),
        ("30 Lake Dr #5 c/o Ann", "30 lake dr 5"),
        ("Lakeview Clinic N6W23001 Bluemound Rd", "n6 w23001 bluemound rd"),
    ] {
        assert_eq!(folded_text(text, &Beside::default()).key(), wanted, "{text}");
    }
}

#[test]
fn a_house_has_its_units_and_a_street_has_no_houses() {
    let of = |text: &str| folded_text(text, &Beside::default());
    for (house, unit) in [
        ("77 Oak Ave", "77 Oak Ave Ste 1-300"),
        ("77 Oak Ave", "Suites A & B, 77 Oak Ave"),
        ("77 Oak Ave", "77 Oak Ave 2nd Floor Ste 5"),
        ("Medical Tower", "Medical Tower Ste 5"),
        ("Carr 2 Km 3.4", "Carr 2 Km 3.4 Suite 5"),
    ] {
        assert!(of(house).has(&of(unit)), "{house} and {unit}");
        assert!(!of(unit).has(&of(house)), "{unit} and {house}");
    }
    for (street, house) in
        [("Calle Luna", "Calle Luna #100"), ("Main St", "Main St #5"), ("PO Box 9", "PO Box 9 Ste 5")]
    {
        assert!(!of(street).has(&of(house)), "{street} and {house}");
    }
}

#[test]
fn what_stands_before_a_floor_or_a_bare_number_is_the_street() {
    for (one, other) in [
        ("One Medical Center Dr/2nd Floor", "One Health Care Way/2nd Floor"),
        ("One Medical Center Dr/2nd Floor", "Two Medical Center Dr/2nd Floor"),
        ("Medical Center Dr/200", "Health Park Blvd/200"),
        ("Hospital Road/1st Floor", "Clinic Avenue/1st Floor"),
        ("Hospital Way/N5", "Clinic Way/N5"),
        ("C/O Mercy, Hospital Rd/15", "C/O Mercy, Clinic Rd/15"),
        ("Mercy Clinic/5th Ave", "Hope Clinic/5th Ave"),
        ("Auxilio Mutuo Hospital/3rd Floor", "University District Hospital/3rd Floor"),
    ] {
        assert_ne!(folded(one), folded(other), "{one} and {other}");
        let asked = |text: &str| folded_text(&text.replace('/', " "), &Beside::default()).key();
        assert_ne!(asked(one), asked(other), "{one} and {other}, asked");
    }
    assert_eq!(folded("Mercy Clinic/12 5th Ave"), folded("12 5th Ave"));
    assert_eq!(folded("One Medical Center Dr/2nd Floor"), folded("One Medical Center Dr Second Floor"));
}
