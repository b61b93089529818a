use super::*;

/// Each reading as `how code`, or what else the text is.
fn shown_readings(text: &str) -> String {
    match read(text) {
        CodeText::Words => "words".to_owned(),
        CodeText::Unreadable(error) => format!("unreadable: {error}"),
        CodeText::Codes(readings) => readings.iter().map(shown_reading).collect::<Vec<_>>().join(" | "),
    }
}

fn shown_reading(reading: &Reading) -> String {
    let how = match reading.how {
        How::AsWritten => "=".to_owned(),
        How::Bare => "bare ".to_owned(),
        How::LeadingZeros => "0 ".to_owned(),
        How::Hyphens => "- ".to_owned(),
        How::LeadingZerosAndHyphens => "0- ".to_owned(),
        How::Inside(symbol) => format!("{symbol:?} "),
    };
    how + &match reading.code {
        Code::Package(ndc) => ndc.to_string(),
        Code::Product(product) => product.to_string(),
        Code::Rxnorm(code) => format!("rx{code}"),
    }
}

#[test]
fn one_package_in_every_spelling() {
    for text in [
        "99010000501",
        "99010-0005-01",
        "99010-005-01",
        "NDC 99010-005-01",
        "NDC# 99010-005-01",
        "NDC#99010-005-01",
        "NDC:99010-005-01",
        "NDC No. 99010-005-01",
        "ndc number: 99010-005-01",
        "N.D.C. 99010-005-01",
        "NDC-11 99010000501",
        "NDC11: 99010000501",
        "Package NDC 99010-005-01",
        "NDC 99010.005.01",
        "99010.005.01",
        "99010 005 01",
        "99010 0005 01",
        "99010 000501",
        "990 100 005 01",
        "99010/005/01",
        "99010_005_01",
        "99010 - 005 - 01",
        "99010--005--01",
        "99010-*005-01",
        "99010*00501",
        "99010\u{2010}005\u{2011}01",
        "99010\u{2013}005\u{2014}01",
        "99010\u{2212}005\u{ff0d}01",
        "99010\u{b7}005\u{b7}01",
        "９９０１００００５０１",
        "ＮＤＣ　９９０１０－００５－０１",
        "\u{669}\u{669}\u{660}\u{661}\u{660}-\u{660}\u{660}\u{665}-\u{660}\u{661}",
        "  99010-005-01\t",
        "\u{feff}99010-005-01\u{200b}",
        "\"99010000501\"",
        "'99010000501",
        "\u{2018}99010000501",
        "=\"99010000501\"",
        "(99010-005-01)",
        "[99010-005-01]",
        "#99010-005-01",
        "99010-005-01,",
        "99010-005-01;",
        "99010-005-01.",
        "99010000501.0",
        "99010000501.00",
        "99,010,000,501",
        "N499010000501",
        "N4 99010000501",
        "http://hl7.org/fhir/sid/ndc|99010-005-01",
        "]A099010-005-01",
    ] {
        assert_eq!(shown_readings(text), "=99010000501", "{text:?}");
    }
    for (text, want) in [
        ("0006-0221-28", "=00006022128"),
        ("0006 0221 28", "=00006022128"),
        ("58118-1397-3", "=58118139703"),
        ("58118-1397-*3", "=58118139703"),
        ("*0006-0221-28", "=00006022128"),
        ("NDC 11523-1234-01", "=11523123401"),
        ("NDC11523123401", "=11523123401"),
        ("0006-0221", "=00006-0221"),
        ("51655.089", "=51655-0089"),
        ("51655 089", "=51655-0089"),
        ("Product NDC: 58118-1397", "=58118-1397"),
        ("product ndc 990100061", "bare 99010-0061"),
    ] {
        assert_eq!(shown_readings(text), want, "{text:?}");
    }
}

#[test]
fn digits_have_all_their_readings() {
    for (text, want) in [
        ("7", "bare rx7"),
        ("617310", "bare rx617310"),
        ("3123450", "bare rx3123450 | 0 00003123450 | 0- 00031023450 | 0- 00031234500"),
        ("3,123,450", "bare rx3123450 | 0 00003123450 | 0- 00031023450 | 0- 00031234500"),
        ("3 123 450", "bare rx3123450 | 0 00003123450 | 0- 00031023450 | 0- 00031234500"),
        ("3123450.0", "bare rx3123450 | 0 00003123450 | 0- 00031023450 | 0- 00031234500"),
        ("51655089", "bare rx51655089 | 0 00051655089 | 0- 00516055089 | 0- 00516550809 | - 05165-5089 | - 51655-0089"),
        ("990100061", "bare 99010-0061 | 0 00990100061 | 0- 09901000061 | 0- 09901000601"),
        ("0574407205", "- 00574407205 | - 05744007205 | - 05744072005"),
        ("9901000501", "- 09901000501 | - 99010000501 | - 99010005001"),
        ("99 0100 0501", "- 09901000501 | - 99010000501 | - 99010005001"),
        // A label leaves the readings of its kind.
        ("NDC 3123450", "0 00003123450 | 0- 00031023450 | 0- 00031234500"),
        ("NDC 9901000501", "- 09901000501 | - 99010000501 | - 99010005001"),
        ("rxcui:3123450", "=rx3123450"),
        ("RxCUI 3123450", "=rx3123450"),
        ("RXCUI3123450", "=rx3123450"),
        ("RxCUI: 3123450", "=rx3123450"),
        ("RxCUI # 3123450", "=rx3123450"),
        ("rxnorm:3123450", "=rx3123450"),
        ("RxNorm code 3123450", "=rx3123450"),
        ("rx norm 3123450", "=rx3123450"),
        ("RxNorm ３１２３４５０", "=rx3123450"),
        ("http://www.nlm.nih.gov/research/umls/rxnorm|3123450", "=rx3123450"),
    ] {
        assert_eq!(shown_readings(text), want, "{text:?}");
    }
}

#[test]
fn barcodes_hold_ten_digits() {
    let three = |symbol: &str, readings: [&str; 3]| readings.map(|ndc| format!("{symbol} {ndc}")).join(" | ");
    let inside = ["00999004405", "09990004405", "09990044005"];
    for (text, symbol) in [
        ("309990044057", "UpcA"),
        ("3 09990 04405 7", "UpcA"),
        ("3-09990-04405-7", "UpcA"),
        ("N 3 09990 04405 7", "UpcA"),
        ("UPC 309990044057", "UpcA"),
        ("UPC-A: 3 09990 04405 7", "UpcA"),
        ("３０９９９００４４０５７", "UpcA"),
        ("0309990044057", "Ean13"),
        ("0 309990 044057", "Ean13"),
        ("EAN-13 0309990044057", "Ean13"),
        ("]E00309990044057", "Ean13"),
        ("00309990044057", "Gtin14"),
        ("GTIN 00309990044057", "Gtin14"),
        ("10309990044054", "Gtin14"),
        ("]I110309990044054", "Gtin14"),
        ("(01)00309990044057(17)260531(10)ABC", "Gs1"),
        ("（01）00309990044057", "Gs1"),
        ("010030999004405717260531", "Gs1"),
        ("]d2010030999004405717260531\u{1d}10ABC", "Gs1"),
        ("]C10110309990044054", "Gs1"),
    ] {
        assert_eq!(shown_readings(text), three(symbol, inside), "{text:?}");
    }
    // Hyphens between the bars' digits show the layout.
    for (text, want) in [
        ("N 3 0002-8215-01 2", "UpcA 00002821501"),
        ("N3 0002-8215-01 2", "UpcA 00002821501"),
        ("N30002-8215-01 2", "UpcA 00002821501"),
        ("3 0002-8215-01 2", "UpcA 00002821501"),
        ("n 3 0002\u{2011}8215\u{2011}01 2", "UpcA 00002821501"),
        ("3-0002-8215-01-2", "UpcA 00002821501"),
    ] {
        assert_eq!(shown_readings(text), want, "{text:?}");
    }
}

#[test]
fn what_cannot_be_a_code_says_why() {
    for (text, reason) in [
        ("12-34-56-78", "layout"),
        ("12 34 56 78", "layout"),
        ("0006-022-28", "layout"),
        ("1-2-3", "layout"),
        ("0006-0221-", "layout"),
        ("-99010000501", "layout"),
        ("000006-0221-28", "twelve-digit"),
        ("123456-789-01", "six digits"),
        ("000006022128", "twelve-digit"),
        ("00000000000", "zero"),
        ("0000-0000-00", "zero"),
        ("0", "RxNorm"),
        ("309990044058", "check digit"),
        ("N 3 0002-8215-01 8", "check digit"),
        ("0309990044058", "check digit"),
        ("10309990044057", "check digit"),
        ("(01)00309990044058", "check digit"),
        ("]d20100309990044058", "check digit"),
        ("0100309990044058172605", "check digit"),
        ("(01)00309990044", "12 digits"),
        ("]d217260531", "AI 01"),
        ("1234567890123", "begins with 3"),
        ("123456789012345", "15 digits"),
        ("9012345678901234567", "19 digits"),
        ("1.23E+10", "rounded"),
        ("1,23E+10", "rounded"),
        ("9.90E10", "rounded"),
        ("NDC 6.02E+09", "rounded"),
        ("NDC 617310", "6 digits"),
        ("rxcui abc", "RxNorm"),
        ("RxNorm 123456789", "RxNorm"),
        ("RxCUI 12-34", "RxNorm"),
        ("UPC 99010000501", "12 digits"),
        ("0*06*0221*28", "asterisk"),
        ("99010*0061", "asterisk"),
    ] {
        let shown = shown_readings(text);
        assert!(shown.starts_with("unreadable") && shown.contains(reason), "{text:?}: {shown}");
    }
}

#[test]
fn words_are_words() {
    for text in [
        "",
        "lisinopril",
        "lisinopril 10 mg",
        "NDC",
        "ndc aspirin",
        "n acetylcysteine",
        "Rybelsus",
        "5/325",
        "12.5",
        "0.5 %",
        "10 20",
        "upcoming",
        "24 hr metformin",
        "Januvia 0006-0221-28",
        "RxNorm 2323560 pistatin 40 mg tablet",
        "[Lipitor]",
        "ortho-novum 7/7/7",
        "1e",
        "7\u{b2}",
    ] {
        assert_eq!(shown_readings(text), "words", "{text:?}");
    }
}

#[test]
fn codes_beside_words() {
    let beside = |text| beside_words(text).map(|(code, words)| (code.typed(), words));
    let found = |code: &str, words: &str| Some((code.to_owned(), words.to_owned()));
    let want = found("00006-0221-28", "Januvia 25 mg tablet");
    for text in [
        "00006-0221-28 Januvia 25 mg tablet",
        "0006-0221-28, Januvia 25 mg tablet",
        "NDC 0006 0221 28 Januvia 25 mg tablet",
        "Januvia 25 mg tablet (0006-0221-28)",
        "Januvia 25 mg tablet NDC# 00006022128",
    ] {
        assert_eq!(beside(text), want, "{text}");
    }
    assert_eq!(beside("RxNorm 2323560 pistatin 40 mg tablet"), found("RxNorm 2323560", "pistatin 40 mg tablet"));
    assert_eq!(beside("99010-0061 xistatin 40 mg"), found("99010-0061", "xistatin 40 mg"));
    for text in ["heparin 10000 unit/mL", "2323560 pistatin", "metformin 1000 mg", "990100061 nupril", "0006-0221-28"] {
        assert_eq!(beside(text), None, "{text}");
    }
}

#[test]
fn beginnings_are_ranges() {
    for (text, want) in [
        ("0378-38", Some((378_380_000, 378_390_000))),
        ("00378-38", Some((378_380_000, 378_390_000))),
        ("NDC 0378-38", Some((378_380_000, 378_390_000))),
        ("0378-", Some((378_000_000, 379_000_000))),
        ("51655-089-5", Some((51_655_008_950, 51_655_008_960))),
        ("00378", Some((378_000_000, 379_000_000))),
        ("00378385577", Some((378_385_577, 378_385_578))),
        ("0378", None),
        ("378-38", None),
        ("5-325", None),
        ("rxcui 37838", None),
        ("003783855770", None),
        ("00378 tablet", None),
        ("", None),
    ] {
        assert_eq!(beginning(text), want, "{text}");
    }
}
