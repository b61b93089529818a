//! Drugs asked for by code: every spelling, every number of readings.

use coverdex_core::{CoverageStatus, ErrorKind, Resolution};
use coverdex_tests::Made;
use coverdex_tests::fhir::{entry, formulary, medication, plan};
use serde_json::json;

const PLAN: &str = "H1234-001-000-2026";

#[test]
fn every_spelling_of_a_package_is_one_question() {
    let made = Made::of(&formulary(
        PLAN,
        &[
            entry("a").ndc("00006022128").tier("1", "Generic"),
            entry("b").ndc("51655008952").tier("2", "Generic"),
            entry("c").ndc("58118139703").tier("3", "Preferred Brand"),
        ],
    ));
    for (spellings, tier, product) in [
        (
            ["00006022128", "00006-0221-28", "0006-0221-28", "NDC 0006-0221-28", " 0006\u{2011}0221\u{2011}28 "],
            "1",
            "0006-0221",
        ),
        (["51655008952", "51655-0089-52", "51655-089-52", "NDC: 51655-089-52", "51655-*089-52"], "2", "51655-089"),
        (["58118139703", "58118-1397-03", "58118-1397-3", "58118-1397-*3", "ndc 58118-1397-3"], "3", "58118-1397"),
    ] {
        for text in spellings {
            let packages = made.packages(PLAN, text);
            assert_eq!(packages.len(), 1, "{text}");
            assert_eq!(packages[0].ndc11.unwrap().to_string(), spellings[0], "{text}");
            assert_eq!(made.coverage(PLAN, text).statement.tier.unwrap().code, tier, "{text}");
        }
        assert_eq!(made.coverage(PLAN, product).listed, 1, "{product}");
    }
}

#[test]
fn ten_plain_digits_mean_the_readings_that_are_known() {
    // 0574407205 is 0574-4072-05, 05744-072-05 or 05744-0720-5.
    let readings = ["00574407205", "05744007205", "05744072005"];
    let known = |ndcs: &[&str]| {
        let entries: Vec<_> = ndcs
            .iter()
            .map(|ndc| entry("x").ndc(ndc).text(&format!("Drug{ndc} 5 mg tablet")).tier("1", "Generic"))
            .collect();
        let mut resources = formulary(PLAN, &[entry("other").ndc("22222000011").tier("1", "Generic")]);
        resources.extend(formulary("H1234-002-000-2026", &entries));
        Made::of(&resources)
    };
    let none = known(&[]);
    assert_eq!(none.says(PLAN, "0574407205"), "not_listed");
    assert!(!none.coverage(PLAN, "0574407205").seen_anywhere);
    assert_eq!(none.drug("0574407205").resolution(), Resolution::NeverSeen);
    for reading in readings {
        let one = known(&[reading]);
        assert_eq!(one.says("H1234-002-000-2026", "0574407205"), "covered", "{reading}");
        assert_eq!(one.packages("H1234-002-000-2026", "0574407205")[0].ndc11.unwrap().to_string(), reading);
        assert_eq!(one.says(PLAN, "0574407205"), "not_listed");
        assert!(one.coverage(PLAN, "0574407205").seen_anywhere);
    }
    for several in [&readings[..2], &readings[1..], &readings[..]] {
        let made = known(several);
        for plan in [PLAN, "H1234-002-000-2026"] {
            assert_eq!(made.says(plan, "0574407205"), "ambiguous", "{several:?}");
        }
        let drug = made.drug("0574407205");
        let named: Vec<bool> =
            several.iter().map(|ndc| drug.candidates().iter().any(|candidate| candidate.name.contains(ndc))).collect();
        assert_eq!((drug.candidates().len(), named), (several.len(), vec![true; several.len()]), "{drug:?}");
    }
}

#[test]
fn codes_that_are_none_are_refused_with_the_reason() {
    let made = Made::of(&formulary(PLAN, &[entry("a").ndc("00006022128").tier("1", "Generic")]));
    for (text, reason) in [
        ("000006022128", "twelve-digit"),
        ("000006-0221-28", "twelve-digit"),
        ("123456-789-01", "six digits"),
        ("00000000000", "zero"),
        ("0006-022-28", "layout"),
        ("1234567890123", "digits"),
        ("0", "RxNorm"),
        ("rxcui abc", "RxNorm"),
        ("", "nothing was asked"),
        ("   ", "nothing was asked"),
    ] {
        let error = made.dataset.drug(text).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidInput, "{text:?}");
        let all = format!("{error} {}", error.hint().unwrap_or_default());
        assert!(all.contains(reason), "{text:?}: {all}");
    }
}

#[test]
fn codes_seen_nowhere_are_answers_that_say_so() {
    let mut resources = formulary(PLAN, &[entry("a").ndc("00006022128").rxcui(617_310).tier("1", "Generic")]);
    resources.push(plan("ma", "H1234-002-000-2026", Some("MA"), "Honor"));
    let made = Made::of(&resources);
    for text in ["99999-9999-99", "99999-999", "999999999", "9999999", "rxcui:9999999"] {
        let answer = made.coverage(PLAN, text);
        assert_eq!(
            (answer.status, answer.reason, answer.seen_anywhere),
            (CoverageStatus::NotListed, None, false),
            "{text}"
        );
        assert_eq!(made.says("H1234-002-000-2026", text), "unknown no_drug_benefit", "{text}");
        assert!(!made.coverage("H1234-002-000-2026", text).seen_anywhere, "{text}");
    }
    for text in ["617310", "rxcui 617310", "RxNorm:617310", "RXCUI617310"] {
        assert_eq!(made.says(PLAN, text), "covered", "{text}");
    }
}

#[test]
fn an_rxnorm_code_is_a_fact_of_the_package_whoever_shows_it() {
    let other = "H1234-002-000-2026";
    let mut resources = formulary(PLAN, &[entry("a").ndc("00006022128").tier("1", "Generic")]);
    resources.extend(formulary(other, &[entry("b").ndc("00006022128").rxcui(617_310).tier("3", "Preferred Brand")]));
    resources.push(medication("m").ndc("00006022128").rxcui(617_311).json());
    let made = Made::of(&resources);
    for code in ["617310", "617311"] {
        assert_eq!(made.coverage(PLAN, code).statement.tier.unwrap().code, "1", "{code}");
        assert_eq!(made.coverage(other, code).statement.tier.unwrap().code, "3", "{code}");
    }
    let codes: Vec<String> = made.packages(PLAN, "00006022128")[0].rxcui.iter().map(ToString::to_string).collect();
    assert_eq!(codes, ["617310", "617311"]);
}

/// A group's code helps to find and never links two strengths, whether forms are stated or not.
#[test]
fn a_code_whose_packages_differ_in_strength_is_ambiguous() {
    for form in [" tablet", ""] {
        let drug = |ndc: &str, strength: &str| {
            entry("x").ndc(ndc).rxcui(83_367).text(&format!("Atorvastatin {strength} mg{form}")).tier("1", "Generic")
        };
        let made = Made::of(&formulary(
            PLAN,
            &[drug("00378395177", "10"), drug("00378395277", "20"), drug("00378395293", "20")],
        ));
        let question = made.drug("83367");
        assert_eq!(made.says(PLAN, "83367"), "ambiguous", "form {form:?}");
        let names: Vec<&str> = question.candidates().iter().map(|c| c.name.as_str()).collect();
        assert_eq!(names, [format!("Atorvastatin 10 mg{form}"), format!("Atorvastatin 20 mg{form}")]);
        let products: Vec<&Vec<String>> = question.candidates().iter().map(|c| &c.product_ndcs).collect();
        assert_eq!(products, [&vec!["00378-3951".to_owned()], &vec!["00378-3952".to_owned()]]);
        assert_eq!(made.packages(PLAN, "83367").len(), 3, "all of them are listed");
    }
}

/// A product has one strength; packages of it that payers write with several are never answered as one.
#[test]
fn a_product_whose_packages_differ_in_strength_is_ambiguous() {
    let drug = |ndc: &str, text: &str| entry("x").ndc(ndc).text(text).tier("1", "Generic");
    let made = Made::of(&formulary(
        PLAN,
        &[
            drug("00378395177", "Atorvastatin 10 mg tablet"),
            drug("00378395105", "Atorvastatin 20 mg tablet"),
            drug("00378395277", "Levothyroxine 50 mcg tablet"),
            drug("00378395205", "Levothyroxine 0.05 mg tablet"),
            drug("00378395210", "Levothyroxine"),
        ],
    ));
    assert_eq!(made.says(PLAN, "00378-3951"), "ambiguous");
    assert_eq!(made.drug("00378-3951").candidates().len(), 2);
    assert_eq!(made.says(PLAN, "00378395105"), "covered", "a package is itself");
    assert_eq!(made.says(PLAN, "00378-3952"), "covered", "one strength in two units, and one that is not stated");
}

#[test]
fn a_code_whose_packages_differ_in_release_is_ambiguous() {
    let made = Made::of(&formulary(
        PLAN,
        &[
            entry("a").ndc("00378395177").rxcui(6_809).text("Metformin 500 mg tablet").tier("1", "Generic"),
            entry("b")
                .ndc("00378395277")
                .rxcui(6_809)
                .text("Metformin 500 mg tablet, extended release")
                .tier("1", "Generic"),
        ],
    ));
    assert_eq!(made.says(PLAN, "6809"), "ambiguous");
    assert_eq!(made.drug("6809").candidates().len(), 2);
}

#[test]
fn codes_as_payers_write_them_are_read() {
    let glossary = "https://payer.test/documentation/glossary";
    let made = Made::of(&formulary(
        PLAN,
        &[
            entry("a").coding(json!({ "system": format!("{glossary}/ndc11"), "code": 6_022_128 })).tier("1", "Generic"),
            entry("b")
                .coding(json!({ "system": "http://hl7.org/fhir/sid/ndc", "code": "51655-089-52" }))
                .tier("1", "Generic"),
            entry("c").coding(json!({ "code": "58118-1397-3" })).tier("1", "Generic"),
            entry("d")
                .coding(json!({ "system": "urn:oid:2.16.840.1.113883.6.88", "code": 617_310 }))
                .tier("1", "Generic"),
        ],
    ));
    for text in ["00006022128", "51655008952", "58118139703", "617310"] {
        assert_eq!(made.says(PLAN, text), "covered", "{text}");
    }
}
