use super::*;

fn package(text: &str) -> String {
    text.parse::<Ndc11>().map_or_else(|e| format!("refused: {e}"), |n| n.to_string())
}

#[test]
fn ndc_spellings_of_one_package() {
    for (text, want) in [
        ("0574-4072-05", "00574407205"),
        ("51655-089-52", "51655008952"),
        ("58118-1397-3", "58118139703"),
        ("00006-0221-28", "00006022128"),
        ("00006022128", "00006022128"),
        (" NDC 0006-0221-28 ", "00006022128"),
        ("0006\u{2011}0221\u{2011}28", "00006022128"),
        ("*0006-0221-28", "00006022128"),
        ("NDC# 99010-005-01", "99010000501"),
        ("ndc no. 99010.005.01", "99010000501"),
        ("99010 005 01", "99010000501"),
        ("99010 000501", "99010000501"),
        ("９９０１０００\u{665}\u{665}０１", "99010005501"),
        ("'0006-0221-28", "00006022128"),
    ] {
        assert_eq!(package(text), want, "{text}");
    }
}

#[test]
fn ndc_refuses_with_its_reason() {
    for (text, reason) in [
        ("000006022128", "twelve-digit"),
        ("000006-0221-28", "twelve-digit"),
        ("123456-789-01", "six digits"),
        ("0006-0221", "product"),
        ("0006022128", "three readings"),
        ("123", "has 3 digits"),
        ("abc", "only digits"),
        ("00000000000", "zero"),
        ("1-2-3", "no layout"),
        ("0006-0221-", "no layout"),
        ("0006*0221*28", "asterisk"),
        ("", "only digits"),
    ] {
        assert!(package(text).contains(reason), "{text}: {}", package(text));
    }
}

#[test]
fn ten_bare_digits_have_three_readings() {
    let NdcQuery::TenDigits(readings) = "0574407205".parse().unwrap() else { panic!() };
    let shown: Vec<String> = readings.iter().map(ToString::to_string).collect();
    assert_eq!(shown, ["00574407205", "05744007205", "05744072005"]);
}

#[test]
fn products_keep_their_layout() {
    for text in ["0006-0221", "51655-089", "58118-1397"] {
        let (product, layout) = ProductNdc::parse_with_layout(text).unwrap();
        assert_eq!(product.hyphenated(layout), text);
    }
    assert_eq!("00006022128".parse::<Ndc11>().unwrap().product().to_string(), "00006-0221");
    assert_eq!("000060221".parse::<NdcQuery>().unwrap(), NdcQuery::Product(ProductNdc::new(60_221).unwrap()));
}

#[test]
fn rxnorm_codes() {
    for text in ["1049640", " 1049640 ", "'1049640", "１０４９６４０", "1049640.0"] {
        assert_eq!(text.parse::<Rxcui>().unwrap().number(), 1_049_640, "{text}");
    }
    for bad in ["", "0", "123456789", "12a", "-1"] {
        assert!(bad.parse::<Rxcui>().is_err(), "{bad}");
    }
}

#[test]
fn plan_spellings() {
    for text in
        ["H1234-567-000-2026", "h1234 567 000 2026", "H1234-567-0-2026", "H12345670002026", "H1234_567_000_2026"]
    {
        assert_eq!(PlanId::parse(text).unwrap().to_string(), "H1234-567-000-2026", "{text}");
    }
    for text in ["H1234-567", "H1234567", "h1234-567-000", "H1234-567-0", "H1234 567"] {
        let query: PlanQuery = text.parse().unwrap();
        assert!(query.fits(&PlanId::parse("H1234-567-000-2026").unwrap()), "{text}");
        assert!(!query.fits(&PlanId::parse("H1234-568-000-2026").unwrap()), "{text}");
    }
    let year: PlanQuery = "H1234-567-2026".parse().unwrap();
    assert_eq!(year, PlanQuery::Medicare { contract: "H1234".into(), pbp: 567, segment: None, year: Some(2026) });
    assert!(!"H1234-567-001".parse::<PlanQuery>().unwrap().fits(&PlanId::parse("H1234-567-000-2026").unwrap()));
}

#[test]
fn marketplace_and_other_plans() {
    assert_eq!(PlanId::parse("40308va0240008").unwrap().to_string(), "40308VA0240008");
    assert_eq!(PlanId::parse("40308VA0240008-01").unwrap().to_string(), "40308VA0240008-01");
    assert_eq!(PlanId::parse("40308VA024000801").unwrap().to_string(), "40308VA0240008-01");
    assert_eq!(PlanId::parse(" gold  plus ").unwrap(), PlanId::Other("GOLD PLUS".into()));
    assert!(PlanId::parse("  ").is_err());
    assert!(matches!(PlanId::parse("H1234-567-000-2026-9").unwrap(), PlanId::Other(_)));
    assert!(matches!(PlanId::parse("H1234-5678").unwrap(), PlanId::Other(_)));
}

#[test]
fn network_systems_compare_loosely_and_ids_exactly() {
    let a: NetworkKey = "https://x.test/VisionNetworkID|1395".parse().unwrap();
    let b: NetworkKey = "http://x.test/visionnetworkid/|1395".parse().unwrap();
    assert_eq!(a, b);
    assert_eq!(a.kind(), NetworkKind::Vision);
    assert_ne!(a, "https://x.test/PharmacyNetworkId|1395".parse().unwrap());
    assert!("nosystem".parse::<NetworkKey>().is_err());
    assert!("|5".parse::<NetworkKey>().is_err());
}

#[test]
fn npis() {
    for good in ["1234567893", "1993999998", "1245319599", "1003000126", " 1234567893 "] {
        assert_eq!(good.parse::<Npi>().unwrap().to_string(), good.trim(), "{good}");
    }
    for spelled in [
        "1234-567-893",
        "123 456 7893",
        "123.456.7893",
        "NPI: 1234567893",
        "npi#1234567893",
        "NPI1234567893",
        "808401234567893",
        "80840 1234567893",
        "８０８４０-１２３４５６７８９３",
        "1234567893;",
    ] {
        assert_eq!(spelled.parse::<Npi>().unwrap().number(), 1_234_567_893, "{spelled}");
    }
    for (bad, why) in [
        ("808411234567893", "15 digits"),
        ("808401234567890", "check digit"),
        ("NPI 12 or 13", "only digits"),
        ("1234567890", "check digit"),
        ("9941339100", "first digit"),
        ("0000000000", "placeholder"),
        ("NPI3233", "4 digits"),
        ("123456789", "9 digits"),
        ("12345678931", "11 digits"),
        ("", "only digits"),
    ] {
        let error = bad.parse::<Npi>().unwrap_err();
        assert!(error.message().contains(why), "{bad}: {error}");
    }
    // One check digit fits each nine digits, and a changed digit or a swapped pair never does but 09/90.
    for nine in [123_456_789, 199_399_999, 100_300_012, 200_000_000] {
        assert_eq!((0..10).filter(|check| Npi::new(nine * 10 + check).is_some()).count(), 1, "{nine}");
    }
    assert_eq!(Npi::new(1_234_567_893).unwrap().number(), 1_234_567_893);
    assert_eq!(Npi::new(11_234_567_893), None);
}

#[test]
fn zips_are_mended() {
    for (text, want) in [
        ("33101", "33101"),
        ("33101-1234", "33101"),
        ("331011234", "33101"),
        ("33101 1234", "33101"),
        (" 02139 ", "02139"),
        ("2139", "02139"),
        ("601", "00601"),
        ("2139-1234", "02139"),
        ("21391234", "02139"),
        ("6011234", "00601"),
        ("501", "00501"),
        ("33101-", "33101"),
        ("33101.0", "33101"),
        ("33101\u{2013}1234", "33101"),
    ] {
        assert_eq!(Zip5::mend(text).map(|zip| zip.to_string()).as_deref(), Some(want), "{text}");
    }
    for junk in [
        "",
        "0",
        "00000",
        "99999",
        "00000-0000",
        "00123",
        "12",
        "123456",
        "1234567890",
        "K1A 0B1",
        "33101-12345",
        "33101-12-34",
        "33101-abcd",
        "unknown",
        "-33101x",
    ] {
        assert_eq!(Zip5::mend(junk), None, "{junk}");
        assert!(junk.parse::<Zip5>().is_err());
    }
    // What a person asks for is not mended: a digit that is missing may be any.
    for asked in ["33101", " 02139 ", "33101-1234", "331011234", "33101 1234"] {
        assert_eq!(asked.parse::<Zip5>().ok(), Zip5::mend(asked), "{asked}");
    }
    for asked in ["2139", "631 01", "6320", "2139-1234", "33101-", "33101-12", "６３１０１"] {
        assert!(asked.parse::<Zip5>().is_err(), "{asked}");
    }
}

#[test]
fn states_in_every_spelling() {
    for (text, want) in [
        ("FL", "FL"),
        ("fl", "FL"),
        ("Florida", "FL"),
        ("NEW MEXICO", "NM"),
        ("new  mexico", "NM"),
        ("US-FL", "FL"),
        ("us-pr", "PR"),
        ("12", "FL"),
        ("01", "AL"),
        ("1", "AL"),
        ("72", "PR"),
        ("D.C.", "DC"),
        ("District of Columbia", "DC"),
        ("Virgin Islands", "VI"),
        ("U.S. Virgin Islands", "VI"),
        ("AE", "AE"),
        ("Guam", "GU"),
    ] {
        assert_eq!(text.parse::<State>().map(State::usps).ok(), Some(want), "{text}");
    }
    for bad in ["", "XX", "3", "99", "0", "Floridaa", "US", "FL-US", "F", "FL1"] {
        assert!(bad.parse::<State>().is_err(), "{bad}");
    }
    let candidates = |text: &str| text.parse::<State>().unwrap_err().candidates().to_vec();
    assert_eq!(candidates("Misouri"), ["Missouri"]);
    assert_eq!(candidates("North Carlina"), ["North Carolina"]);
    assert_eq!(candidates("Iow"), ["Iowa"]);
    assert_eq!(candidates("ZZ"), [""; 0]);
    let letters: Vec<&str> = State::all().map(State::usps).collect();
    assert!(letters.is_sorted() && letters.len() == 62, "lookup by letters needs them sorted");
    for state in State::all() {
        assert_eq!(state.usps().parse::<State>().unwrap(), state);
        assert_eq!(state.name().parse::<State>().unwrap(), state);
        assert_eq!(state.fips().and_then(State::from_fips).unwrap_or(state), state);
    }
}

#[test]
fn county_codes() {
    assert_eq!("12086".parse::<CountyFips>().unwrap().to_string(), "12086");
    assert_eq!("9110".parse::<CountyFips>().unwrap().to_string(), "09110");
    assert_eq!(CountyFips::new(9_110).unwrap().state().unwrap().usps(), "CT");
    assert_eq!(CountyFips::new(3_001).unwrap().state(), None);
    for bad in ["", "12000", "00001", "99001", "120", "120866", "Miami"] {
        assert!(bad.parse::<CountyFips>().is_err(), "{bad}");
    }
}
