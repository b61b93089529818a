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
    assert_eq!("1049640".parse::<Rxcui>().unwrap().number(), 1_049_640);
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
