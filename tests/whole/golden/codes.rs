//! Drugs asked for by code: every spelling, every number of readings.

use coverdex_core::{CoverageStatus, DrugSearch, ErrorKind, Resolution};
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
        let names: Vec<&str> = drug.candidates().iter().map(|candidate| candidate.name.as_str()).collect();
        let want = several.iter().map(|ndc| {
            let (product, package) = ndc.split_at(9);
            let (labeler, product) = product.split_at(5);
            format!("{labeler}-{product}-{package} Drug{ndc} 5 mg tablet")
        });
        assert_eq!(names, want.collect::<Vec<_>>());
    }
}

/// A text that can be no code is an answer too: `not_found`, with the reason.
#[test]
fn codes_that_are_none_are_not_found_with_the_reason() {
    let made = Made::of(&formulary(PLAN, &[entry("a").ndc("00006022128").tier("1", "Generic")]));
    for (text, reason) in [
        ("000006022128", "twelve-digit"),
        ("000006-0221-28", "twelve-digit"),
        ("123456-789-01", "six digits"),
        ("00000000000", "zero"),
        ("0006-022-28", "layout"),
        ("1234567890123", "begins with 3"),
        ("123456789012345", "15 digits"),
        ("0", "RxNorm"),
        ("rxcui abc", "RxNorm"),
        ("12-34-56-78", "layout"),
        ("1.23E+10", "rounded"),
        ("300060221285", "check digit"),
        ("N 3 0006-0221-28 5", "check digit"),
        ("0300060221285", "check digit"),
        ("(01)00300060221285", "check digit"),
        ("]d217260531", "AI 01"),
        ("036000291452", "begin with 3"),
    ] {
        let drug = made.drug(text);
        assert_eq!(drug.resolution(), Resolution::NotFound, "{text:?}");
        assert!(drug.problem().unwrap().contains(reason), "{text:?}: {drug:?}");
        assert_eq!(made.says(PLAN, text), "not_found", "{text:?}");
        assert!(!made.coverage(PLAN, text).seen_anywhere, "{text:?}");
        let search = DrugSearch { text: text.to_owned(), limit: 10, ..DrugSearch::default() };
        assert_eq!(made.dataset.search_drugs(&search).unwrap().lines, [], "{text:?}");
    }
    for text in ["", "   "] {
        let error = made.dataset.drug(text).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidInput, "{text:?}");
        assert!(error.to_string().contains("nothing was asked"), "{error}");
    }
}

/// What labels, scanners and spreadsheets make of an NDC is that NDC where one reading is in the data,
/// and the answer says how it was read.
#[test]
fn what_is_scanned_and_pasted_is_read_and_said() {
    let made = Made::of(&formulary(
        PLAN,
        &[
            entry("a").ndc("00006022128").text("Januvia 25 mg tablet").tier("1", "Generic"),
            entry("b").ndc("99010000501").text("Betastatin 20 mg tablet").tier("2", "Generic"),
        ],
    ));
    for text in [
        "NDC# 99010-005-01",
        "NDC 99010.005.01",
        "99010 005 01",
        "９９０１００００５０１",
        "'99010000501",
        "=\"99010000501\"",
        "99010000501.0",
        "99,010,000,501",
        "N499010000501",
    ] {
        let drug = made.drug(text);
        assert_eq!(drug.package().unwrap().to_string(), "99010000501", "{text}");
        assert_eq!(made.says(PLAN, text), "covered", "{text}");
        assert_eq!(drug.notes(), [""; 0], "nothing was assumed: {text}");
    }
    for (text, note) in [
        ("6022128", "leading zeros restored"),
        ("6022128.0", "leading zeros restored"),
        ("NDC 6022128", "leading zeros restored"),
        ("0006022128", "hyphens restored"),
        ("300060221286", "inside the UPC-A"),
        ("N 3 0006-0221-28 6", "inside the UPC-A"),
        ("3 00060 22128 6", "inside the UPC-A"),
        ("0300060221286", "inside the EAN-13"),
        ("00300060221286", "inside the GTIN-14"),
        ("50300060221281", "inside the GTIN-14"),
        ("(01)00300060221286(17)260531(10)ABC", "inside the GS1 code"),
        ("0100300060221286172605311012", "inside the GS1 code"),
        ("]d20100300060221286172605311012\u{1d}21X", "inside the GS1 code"),
        ("]C10100300060221286", "inside the GS1 code"),
        ("21X7\u{1d}0100300060221286", "inside the GS1 code"),
    ] {
        let drug = made.drug(text);
        assert_eq!(drug.package().unwrap().to_string(), "00006022128", "{text}");
        assert_eq!(made.says(PLAN, text), "covered", "{text}");
        assert!(drug.notes()[0].starts_with("read as NDC 00006-0221-28, "), "{drug:?}");
        assert!(drug.notes()[0].contains(note), "{text}: {drug:?}");
        let search = DrugSearch { text: text.to_owned(), limit: 10, ..DrugSearch::default() };
        let page = made.dataset.search_drugs(&search).unwrap();
        let names: Vec<String> = page.lines.into_iter().map(|line| line.name).collect();
        assert_eq!(names, ["Januvia"], "{text}");
        assert!(page.notes[0].contains(note), "{text}");
    }
    // The same barcode of a package that is nowhere.
    for text in ["300060221309", "00300060221309", "(01)00300060221309"] {
        assert_eq!(made.drug(text).resolution(), Resolution::NeverSeen, "{text}");
        assert_eq!(made.says(PLAN, text), "not_listed", "{text}");
    }
}

/// Digits that lost their zeros and are also another code of the data are never answered.
#[test]
fn digits_that_are_several_codes_are_ambiguous() {
    let made = Made::of(&formulary(
        PLAN,
        &[
            entry("a").ndc("00990100061").text("Nupril 5 mg tablet").tier("1", "Preferred Generic"),
            entry("b").ndc("99010006101").text("Xistatin 40 mg tablet").tier("5", "Specialty"),
            entry("c").ndc("00002323560").text("Omicronpril 5 mg capsule").tier("4", "Non-Preferred"),
            entry("d").ndc("99010007101").rxcui(2_323_560).text("Pistatin 40 mg tablet").tier("1", "Generic"),
            entry("e").ndc("00003123450").text("Rhopril 10 mg tablet").tier("3", "Preferred Brand"),
            entry("f").product("51655-089").text("Taumab 5 mg tablet").tier("2", "Generic"),
            entry("g").ndc("00999004405").text("Gammapril 5 mg tablet").tier("1", "Generic"),
            entry("h").ndc("09990044005").text("Deltapril 5 mg tablet").tier("1", "Generic"),
            entry("i").ndc("00004123450").rxcui(4_123_450).text("Sigmapril 10 mg tablet").tier("3", "Preferred Brand"),
        ],
    ));
    for (text, candidates) in [
        (
            "990100061",
            [("99010-0061 Xistatin 40 mg tablet", "99010-0061"), ("00990-1000-61 Nupril 5 mg tablet", "00990-1000")],
        ),
        (
            "2323560",
            [
                ("RxNorm 2323560 Pistatin 40 mg tablet", "99010-0071"),
                ("00002-3235-60 Omicronpril 5 mg capsule", "00002-3235"),
            ],
        ),
        (
            "309990044057",
            [
                ("00999-0044-05 Gammapril 5 mg tablet", "00999-0044"),
                ("09990-0440-05 Deltapril 5 mg tablet", "09990-0440"),
            ],
        ),
    ] {
        let drug = made.drug(text);
        let got: Vec<(&str, &[String])> =
            drug.candidates().iter().map(|c| (c.name.as_str(), c.product_ndcs.as_slice())).collect();
        let want = candidates.map(|(name, product)| (name, vec![product.to_owned()]));
        assert_eq!(got, want.iter().map(|(name, products)| (*name, products.as_slice())).collect::<Vec<_>>(), "{text}");
        assert_eq!(made.says(PLAN, text), "ambiguous", "{text}");
        assert_eq!(drug.notes().len(), 1, "{text}");
        // A candidate typed back is that drug.
        for candidate in drug.candidates() {
            assert_eq!(made.says(PLAN, &candidate.name), "covered", "{}", candidate.name);
        }
        let search = DrugSearch { text: text.to_owned(), limit: 10, ..DrugSearch::default() };
        assert_eq!(made.dataset.search_drugs(&search).unwrap().lines.len(), 2, "{text}");
    }
    for (text, tier) in [
        ("3123450", "3"),
        ("99010-0061", "5"),
        ("00990-1000-61", "1"),
        ("rxcui:2323560", "1"),
        ("NDC 2323560", "4"),
        ("51655089", "2"),
        ("N 3 0999-0044-05 7", "1"),
        // Two readings of the same package.
        ("4123450", "3"),
    ] {
        assert_eq!(made.coverage(PLAN, text).statement.tier.unwrap().code, tier, "{text}");
    }
    assert_eq!(made.drug("51655089").notes().len(), 1);
    // A code with another drug's name is offered, never answered.
    for text in ["00990-1000-61 Xistatin 40 mg tablet", "Nupril 10 mg tablet (00990-1000-61)"] {
        assert_eq!(made.says(PLAN, text), "ambiguous", "{text}");
        assert_eq!(made.drug(text).candidates()[0].name, "00990-1000-61 Nupril 5 mg tablet", "{text}");
    }
}

#[test]
fn an_rxnorm_code_is_found_while_typing() {
    let made = Made::of(&formulary(
        PLAN,
        &[
            entry("a").ndc("00006022128").rxcui(617_310).text("Januvia 25 mg tablet").tier("1", "Generic"),
            entry("b").ndc("00378395177").text("Metformin 500 mg tablet").tier("1", "Generic"),
        ],
    ));
    let found = |text: &str| -> Vec<String> {
        let search = DrugSearch { text: text.to_owned(), limit: 10, ..DrugSearch::default() };
        made.dataset.search_drugs(&search).unwrap().lines.into_iter().map(|line| line.name).collect()
    };
    for text in ["617310", "rxcui:617310", "RxCUI 617310", "rxnorm:617310", "RxNorm code 617310", "rx norm 617310"] {
        assert_eq!(found(text), ["Januvia"], "{text}");
    }
    for text in ["00006", "0006-", "0006-02", "NDC 0006-0221", "00006-0221-28", "0006.0221.28", "NDC# 00006022"] {
        assert_eq!(found(text), ["Januvia"], "{text}");
    }
    for text in ["rxcui:617311", "rxcui:", "99999-9999"] {
        assert_eq!(found(text), [""; 0], "{text}");
    }
    // Short numbers are words.
    assert_eq!(found("500"), ["Metformin"]);
    assert_eq!(found("metformin 500"), ["Metformin"]);
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
