//! One resource in, one outcome out: drugs and plans here, what every resource shares, and the
//! directory in [`directory`].

use coverdex_core::build::NdcLayout;

use coverdex_core::{Ndc11, PlanId, ProductNdc, Rxcui};

use super::*;
use crate::model::{CostSharing, DrugFacts, DrugTextKind, EntryState, Fact, FormularyEntry, Stamp, Tier};

const USDF: &str = "http://hl7.org/fhir/us/davinci-drug-formulary/StructureDefinition";
const RXNORM: &str = "http://www.nlm.nih.gov/research/umls/rxnorm";

pub(super) fn received(json: &str) -> (Received, Notes) {
    match read_resource(json.as_bytes()) {
        Outcome::Received(received, notes) => (received, notes),
        other => panic!("{json}: {other:?}"),
    }
}

pub(super) fn fact(json: &str) -> Fact {
    match received(json).0.content {
        Content::Fact(fact) => fact,
        other => panic!("{json}: {other:?}"),
    }
}

pub(super) fn noted(json: &str) -> Vec<Note> {
    received(json).1.iter().collect()
}

fn refused(json: &str) -> String {
    match received(json).0.content {
        Content::Quarantined(reason) => reason,
        other => panic!("{json}: {other:?}"),
    }
}

/// A MedicationKnowledge with one package, `extensions` and more properties.
fn knowledge(extensions: &str, more: &str) -> String {
    format!(
        r#"{{"resourceType":"MedicationKnowledge","id":"m","extension":{extensions},
            "code":{{"coding":[{{"system":"https://x.test/glossary/ndc11","code":"00006022128"}}]}}{more}}}"#
    )
}

fn entry(json: &str) -> FormularyEntry {
    match fact(json) {
        Fact::FormularyEntry(entry) => entry,
        other => panic!("{other:?}"),
    }
}

fn coded(code: &str) -> String {
    format!(r#"{{"resourceType":"Medication","id":"m","code":{code}}}"#)
}

fn drug(code: &str) -> DrugFacts {
    match fact(&coded(code)) {
        Fact::Drug(drug) => drug,
        other => panic!("{other:?}"),
    }
}

fn shown(drug: &DrugFacts) -> String {
    let packages = drug.packages.iter().map(|(package, layout)| format!("{package}{}", layout_mark(*layout)));
    let products = drug.products.iter().map(|(product, layout)| format!("{product}{}", layout_mark(*layout)));
    packages.chain(products).chain(drug.rxcuis.iter().map(|code| format!("rx{code}"))).collect::<Vec<_>>().join(" ")
}

fn layout_mark(layout: Option<NdcLayout>) -> &'static str {
    match layout {
        None => "",
        Some(NdcLayout::ShortLabeler) => "/4-4-2",
        Some(NdcLayout::ShortProduct) => "/5-3-2",
        Some(NdcLayout::ShortPackage) => "/5-4-1",
    }
}

#[test]
fn a_whole_entry() {
    let json = format!(
        r#"{{"resourceType":"MedicationKnowledge","id":"a1","meta":{{"lastUpdated":"2026-05-22T21:36:03.8737016+00:00"}},
        "extension":[
          {{"url":"{USDF}/usdf-DrugTierID-extension","valueCodeableConcept":{{"coding":[{{"code":"5","display":"Specialty Tier"}}]}}}},
          {{"url":"{USDF}/usdf-PriorAuthorization-extension","valueBoolean":true}},
          {{"url":"{USDF}/usdf-StepTherapyLimit-extension","valueBoolean":null}},
          {{"url":"{USDF}/usdf-QuantityLimit-extension","valueBoolean":false}},
          {{"url":"{USDF}/usdf-PlanID-extension","valueString":"S9856-135-000-2026"}}],
        "code":{{"coding":[
          {{"system":"https://x.test/glossary/ndc11","code":"00006022128","display":"100 BLISTER PACK in 1 CARTON (0006-0221-28)  > 1 TABLET, FILM COATED in 1 BLISTER PACK (0006-0221-01)"}},
          {{"system":"http://hl7.org/fhir/sid/ndc","code":"0006-0221-28"}},
          {{"system":"https://x.test/glossary/product_ndc","code":"0006-0221","display":"JANUVIA"}},
          {{"system":"{RXNORM}","code":"665042"}},{{"system":"{RXNORM}","code":"665038"}}],
          "text":"JANUVIA 25 mg tablet,film coated"}},"status":"active"}}"#
    );
    let (received, notes) = received(&json);
    assert_eq!(received.source, source_id("MedicationKnowledge", "a1"));
    assert_eq!(received.updated, Stamp(Some(1_779_485_763_873_701_600)));
    assert_eq!(notes, Notes::default());
    let want = FormularyEntry {
        plan: Some(PlanId::parse("S9856-135-000-2026").unwrap()),
        drug: DrugFacts {
            packages: vec![(Ndc11::new(6_022_128).unwrap(), Some(NdcLayout::ShortLabeler))],
            products: vec![(ProductNdc::new(60_221).unwrap(), Some(NdcLayout::ShortLabeler))],
            rxcuis: vec![Rxcui::new(665_038).unwrap(), Rxcui::new(665_042).unwrap()],
            texts: vec![
                (DrugTextKind::Text, "JANUVIA 25 mg tablet,film coated".into()),
                (DrugTextKind::ProductName, "JANUVIA".into()),
                (
                    DrugTextKind::PackageDescription,
                    "100 BLISTER PACK in 1 CARTON (0006-0221-28) > 1 TABLET, FILM COATED in 1 BLISTER PACK (0006-0221-01)"
                        .into(),
                ),
            ],
        },
        tiers: vec![Tier { code: "5".into(), display: Some("Specialty Tier".into()) }],
        prior_authorization: Some(true),
        step_therapy: None,
        quantity_limit: Some(false),
        mail_order: None,
        state: EntryState::Active,
    };
    assert_eq!(received.content, Content::Fact(Fact::FormularyEntry(want)));
}

#[test]
fn codes_of_a_drug() {
    for (codings, want) in [
        // The usual four systems.
        (r#"[{"system":"https://x.test/g/ndc11","code":"00006022128"}]"#, "00006022128"),
        (r#"[{"system":"http://hl7.org/fhir/sid/ndc","code":"0006-0221-28"}]"#, "00006022128/4-4-2"),
        (r#"[{"system":"http://hl7.org/fhir/sid/ndc","code":"00006022128"}]"#, "00006022128"),
        (r#"[{"system":"urn:oid:2.16.840.1.113883.6.69","code":"58118-1397-3"}]"#, "58118139703/5-4-1"),
        (r#"[{"system":"https://x.test/g/product_ndc","code":"51655-089"}]"#, "51655-0089/5-3-2"),
        (r#"[{"system":"http://www.nlm.nih.gov/research/umls/rxnorm","code":"1049640"}]"#, "rx1049640"),
        (r#"[{"system":"urn:oid:2.16.840.1.113883.6.88","code":"1049640"}]"#, "rx1049640"),
        // Systems in another case, with a version, a slash at the end, https.
        (r#"[{"system":"HTTPS://X.TEST/G/NDC11/","code":"00006022128"}]"#, "00006022128"),
        (r#"[{"system":"https://www.nlm.nih.gov/research/umls/RxNorm|2026","code":"1049640"}]"#, "rx1049640"),
        // One package twice is one; the layout that one of them shows stays.
        (
            r#"[{"system":"x/ndc11","code":"00006022128"},{"system":"http://hl7.org/fhir/sid/ndc","code":"0006-0221-28"}]"#,
            "00006022128/4-4-2",
        ),
        // Several packages, any order.
        (
            r#"[{"system":"x/ndc11","code":"00006022131"},{"system":"x/ndc11","code":"00006022128"}]"#,
            "00006022128 00006022131",
        ),
        // Without a system: eleven digits and hyphens only.
        (r#"[{"code":"00006022128"},{"code":"1049640"}]"#, "00006022128"),
        (r#"[{"code":"51655-089-52"}]"#, "51655008952/5-3-2"),
        (r#"[{"system":null,"code":"00006022128"}]"#, "00006022128"),
        // Bad codes beside a good one.
        (
            r#"[{"system":"x/ndc11","code":"junk"},{"system":"x/rxnorm","code":"0"},{"system":"x/rxnorm","code":"7"}]"#,
            "rx7",
        ),
        (r#"[{"system":"x/ndc11","code":"000006022128"},{"system":"x/rxnorm","code":"7"}]"#, "rx7"),
        (r#"[{"system":"x/ndc11"},null,[],"",{},{"system":"x/rxnorm","code":"7"}]"#, "rx7"),
        (r#"[{"system":"x/atc","code":"A10BH01"},{"system":"x/rxnorm","code":"7"}]"#, "rx7"),
        // Numbers for strings: an NDC-11 that lost its zeros on the way is known by its system.
        (r#"[{"system":"x/ndc11","code":6022128},{"system":"x/rxnorm","code":7}]"#, "00006022128 rx7"),
        (r#"[{"system":"http://hl7.org/fhir/sid/ndc","code":6022128},{"system":"x/rxnorm","code":7}]"#, "rx7"),
        // One object for a list.
        (r#"{"system":"x/ndc11","code":"00006022128"}"#, "00006022128"),
        // Ten bare digits count where a product or package beside them leaves one reading.
        (r#"[{"system":"http://hl7.org/fhir/sid/ndc","code":"0574407205"},{"system":"x/rxnorm","code":"7"}]"#, "rx7"),
        (
            r#"[{"system":"http://hl7.org/fhir/sid/ndc","code":"0574407205"},{"system":"x/product_ndc","code":"0574-4072"}]"#,
            "00574407205 00574-4072/4-4-2",
        ),
        (
            r#"[{"system":"http://hl7.org/fhir/sid/ndc","code":"0574407205"},{"system":"x/ndc11","code":"00574407205"}]"#,
            "00574407205",
        ),
        // Hyphens, dots, blanks, a label and full-width digits in any system of NDCs.
        (r#"[{"system":"x/ndc11","code":"00999-0046-01"}]"#, "00999004601"),
        (r#"[{"system":"x/ndc11","code":"0999-0046-01"}]"#, "00999004601/4-4-2"),
        (r#"[{"system":"urn:oid:2.16.840.1.113883.6.69","code":"99010-0491-1"}]"#, "99010049101/5-4-1"),
        (r#"[{"system":"urn:oid:2.16.840.1.113883.6.69","code":"99010049101"}]"#, "99010049101"),
        (r#"[{"system":"2.16.840.1.113883.6.69","code":"99010 0491 1"}]"#, "99010049101/5-4-1"),
        (r#"[{"system":"x/ndc","code":"99010.0491.1"}]"#, "99010049101/5-4-1"),
        (r#"[{"system":"x/ndc","code":"99010 049101"}]"#, "99010049101"),
        (r#"[{"system":"x/ndc-11","code":" NDC 99010-0491-01 "}]"#, "99010049101"),
        (r#"[{"system":"x/ndc","code":"99010‑049‑01"}]"#, "99010004901/5-3-2"),
        (r#"[{"system":"x/ndc","code":"９９０１００４９１０１"}]"#, "99010049101"),
        (r#"[{"code":"99010 0491 1"}]"#, "99010049101/5-4-1"),
        (r#"[{"system":"x/ndc","code":"0006 0221"}]"#, "00006-0221/4-4-2"),
        (r#"[{"system":"x/ndc-10","code":"99010-049-01"}]"#, "99010004901/5-3-2"),
        (r#"[{"system":"x/rxnorm","code":" 1049640.0 "}]"#, "rx1049640"),
        // A number in a system of eleven digits, written as a decimal on the way.
        (r#"[{"system":"x/ndc11","code":"6022128.0"}]"#, "00006022128"),
        // Never a guess: ten digits with blanks, nine digits, a barcode, a rounded number.
        (r#"[{"system":"x/ndc","code":"057440 7205"},{"system":"x/rxnorm","code":"7"}]"#, "rx7"),
        (r#"[{"system":"x/ndc11","code":"0574407205"},{"system":"x/rxnorm","code":"7"}]"#, "rx7"),
        (r#"[{"system":"x/ndc","code":"000 060 221"},{"system":"x/rxnorm","code":"7"}]"#, "rx7"),
        (r#"[{"system":"x/ndc","code":"309990044057"},{"system":"x/rxnorm","code":"7"}]"#, "rx7"),
        (r#"[{"system":"x/ndc","code":"9.9E+10"},{"system":"x/rxnorm","code":"7"}]"#, "rx7"),
        (r#"[{"code":"990 100 061"},{"system":"x/rxnorm","code":"7"}]"#, "rx7"),
        // A product where a package is expected, and the reverse.
        (r#"[{"system":"http://hl7.org/fhir/sid/ndc","code":"0006-0221"}]"#, "00006-0221/4-4-2"),
        (r#"[{"system":"x/product_ndc","code":"0006-0221-28"}]"#, "00006-0221"),
        // Nine bare digits are a product only where the system says so.
        (r#"[{"system":"x/product_ndc","code":"000060221"}]"#, "00006-0221"),
        (r#"[{"system":"x/ndc11","code":"000060221"},{"system":"x/rxnorm","code":"7"}]"#, "rx7"),
    ] {
        assert_eq!(shown(&drug(&format!(r#"{{"coding":{codings}}}"#))), want, "{codings}");
    }
}

#[test]
fn a_drug_without_codes_is_refused() {
    for code in [
        r#"{"text":"aspirin 81 mg"}"#,
        r#"{"coding":[{"system":"x/ndc11","code":"junk","display":"aspirin"}]}"#,
        r#"{"coding":[{"code":"0574407205"}]}"#,
        r#""aspirin""#,
        "null",
        "[]",
        "{}",
    ] {
        assert_eq!(refused(&coded(code)), "no NDC, product or RxNorm code", "{code}");
    }
    let knowledge = r#"{"resourceType":"MedicationKnowledge","id":"m","code":{"text":"aspirin"}}"#;
    assert_eq!(refused(knowledge), "no NDC, product or RxNorm code");
}

#[test]
fn texts_by_kind() {
    let texts = |code: &str| -> Vec<(DrugTextKind, String)> { drug(code).texts };
    assert_eq!(
        texts(
            r#"{"coding":[{"system":"x/ndc11","code":"00002322730","display":"30 CAPSULE in 1 BOTTLE (0002-3227-30)"},
                {"system":"x/product_ndc","code":"0002-3227","display":" Strattera "},
                {"system":"x/rxnorm","code":"7","display":"atomoxetine 10 MG Oral Capsule"},
                {"system":"x/ndc","code":"0002-3227-30","display":"Strattera  10 mg\tcapsule"},
                {"system":"x/class","code":"N06BA09","display":"centrally acting sympathomimetics"}],
               "text":"Strattera 10 mg capsule"}"#
        ),
        [
            (DrugTextKind::Text, "Strattera 10 mg capsule".to_owned()),
            (DrugTextKind::PackageName, "Strattera 10 mg capsule".to_owned()),
            (DrugTextKind::RxnormName, "atomoxetine 10 MG Oral Capsule".to_owned()),
            (DrugTextKind::ProductName, "Strattera".to_owned()),
            (DrugTextKind::PackageDescription, "30 CAPSULE in 1 BOTTLE (0002-3227-30)".to_owned()),
        ]
    );
    // No letters, no name.
    assert_eq!(
        texts(r#"{"coding":[{"system":"x/ndc11","code":"00002322730","display":"00002322730"}],"text":"  "}"#),
        []
    );
    // No name is as long; cut it would be another.
    let long = |length: usize| {
        let display = "x".repeat(length);
        texts(&format!(r#"{{"coding":{{"system":"x/rxnorm","code":7,"display":"{display}"}},"text":"Strattera"}}"#))
            .len()
    };
    assert_eq!((long(8 << 10), long((8 << 10) + 1)), (2, 1));
    // Text that stands as a list or a number.
    assert_eq!(
        texts(r#"{"coding":{"system":"x/rxnorm","code":7},"text":["", "Strattera"]}"#),
        [(DrugTextKind::Text, "Strattera".to_owned())]
    );
}

#[test]
fn tiers() {
    let tier = |value: &str| -> Vec<(String, Option<String>)> {
        let json = knowledge(&format!(r#"[{{"url":"{USDF}/usdf-DrugTierID-extension",{value}}}]"#), "");
        entry(&json).tiers.into_iter().map(|tier| (tier.code, tier.display)).collect()
    };
    let one = |code: &str, display: Option<&str>| vec![(code.to_owned(), display.map(str::to_owned))];
    for (value, want) in [
        (
            r#""valueCodeableConcept":{"coding":[{"system":"x/DrugTierID","code":"1","display":"Preferred Generic"}]}"#,
            one("1", Some("Preferred Generic")),
        ),
        (r#""valueCodeableConcept":{"coding":[{"code":"SP","display":""}]}"#, one("SP", None)),
        (r#""valueCodeableConcept":{"coding":{"code":1}}"#, one("1", None)),
        (r#""valueCodeableConcept":[{"coding":[{"code":"1"}]}]"#, one("1", None)),
        (r#""valueCoding":{"code":"1"}"#, one("1", None)),
        (r#""valueCode":"1""#, one("1", None)),
        (r#""valueCodeableConcept":{"text":"Tier 3"}"#, one("Tier 3", Some("Tier 3"))),
        (r#""valueCodeableConcept":{"coding":[{"display":"Tier 3"}]}"#, one("Tier 3", Some("Tier 3"))),
        // A text beside one code is its words, unless it has words of its own.
        (r#""valueCodeableConcept":{"coding":[{"code":"7"}],"text":"Not covered"}"#, one("7", Some("Not covered"))),
        (
            r#""valueCodeableConcept":{"coding":[{"code":"1","display":"Preferred Generic"}],"text":"Tier 1"}"#,
            one("1", Some("Preferred Generic")),
        ),
        // Words that contradict each other are kept both.
        (
            r#""valueCodeableConcept":{"coding":[{"code":"7","display":"Tier 7"}],"text":"Not covered"}"#,
            [one("7", Some("Not covered")), one("7", Some("Tier 7"))].concat(),
        ),
        (
            r#""valueCodeableConcept":{"coding":[{"code":"7","display":"Brand"},{"code":"7","display":"Excluded"}]}"#,
            [one("7", Some("Brand")), one("7", Some("Excluded"))].concat(),
        ),
        (r#""valueCodeableConcept":null"#, vec![]),
        (r#""valueCodeableConcept":{"coding":[null,{}]}"#, vec![]),
        // One code: one tier, with the smallest of its displays.
        (
            r#""valueCodeableConcept":{"coding":[{"code":"1","display":"b"},{"code":"1"},{"code":"1","display":"a"}]}"#,
            one("1", Some("a")),
        ),
        // The guide's own code beside the payer's is no second tier.
        (
            r#""valueCodeableConcept":{"coding":[{"system":"http://hl7.org/fhir/us/davinci-drug-formulary/CodeSystem/usdf-DrugTierCS-TEMPORARY-TRIAL-USE","code":"generic"},{"system":"x/DrugTierID","code":"2"}]}"#,
            one("2", None),
        ),
        (
            r#""valueCodeableConcept":{"coding":[{"system":"http://hl7.org/fhir/us/davinci-drug-formulary/CodeSystem/usdf-DrugTierCS","code":"generic"}]}"#,
            one("generic", None),
        ),
    ] {
        assert_eq!(tier(value), want, "{value}");
    }
    // Two codes are two tiers, in one extension or two.
    let two = [("1".to_owned(), None), ("2".to_owned(), None)];
    assert_eq!(tier(r#""valueCodeableConcept":{"coding":[{"code":"2"},{"code":"1"}]}"#), two);
    let twice = format!(
        r#"[{{"url":"{USDF}/usdf-DrugTierID-extension","valueCode":"2"}},{{"url":"{USDF}/usdf-DrugTierID-extension","valueCode":"1"}}]"#
    );
    assert_eq!(entry(&knowledge(&twice, "")).tiers.len(), 2);
}

#[test]
fn urls_of_extensions_are_compared_loosely() {
    for url in [
        "http://hl7.org/fhir/us/Davinci-drug-formulary/StructureDefinition/usdf-QuantityLimit-extension",
        "https://hl7.org/fhir/us/davinci-drug-formulary/StructureDefinition/usdf-QuantityLimit-extension|1.1.0",
        "http://hl7.org/fhir/us/davinci-drug-formulary/StructureDefinition/usdf-quantitylimit-extension/",
    ] {
        let json = knowledge(&format!(r#"[{{"url":"{url}","valueBoolean":true}}]"#), "");
        assert_eq!(entry(&json).quantity_limit, Some(true), "{url}");
    }
    for url in ["", "usdf-QuantityLimit-extension-2", "http://x.test/other"] {
        let json = knowledge(&format!(r#"[{{"url":"{url}","valueBoolean":true}}]"#), "");
        assert_eq!(entry(&json).quantity_limit, None, "{url}");
    }
}

#[test]
fn flags_have_three_states() {
    for (value, want, notes) in [
        (r#","valueBoolean":true"#, Some(true), vec![]),
        (r#","valueBoolean":false"#, Some(false), vec![]),
        (r#","valueBoolean":"true""#, Some(true), vec![]),
        (r#","valueBoolean":" FALSE ""#, Some(false), vec![]),
        (r#","valueBoolean":1"#, Some(true), vec![]),
        (r#","valueBoolean":[false]"#, Some(false), vec![]),
        (r#","valueString":"true""#, Some(true), vec![]),
        (r#","valueBoolean":null"#, None, vec![]),
        (r#","valueBoolean":"""#, None, vec![]),
        (r#","valueBoolean":[]"#, None, vec![]),
        (r#","valueBoolean":{}"#, None, vec![]),
        ("", None, vec![]),
        (
            r#","_valueBoolean":{"extension":[{"url":"http://hl7.org/fhir/StructureDefinition/data-absent-reason","valueCode":"unknown"}]}"#,
            None,
            vec![],
        ),
        (r#","valueBoolean":"maybe""#, None, vec![Note::JunkFlag]),
        (r#","valueBoolean":7"#, None, vec![Note::JunkFlag]),
        (r#","valueBoolean":{"a":1}"#, None, vec![Note::JunkFlag]),
    ] {
        for (name, get) in [
            ("usdf-PriorAuthorization-extension", (|e| e.prior_authorization) as fn(FormularyEntry) -> Option<bool>),
            ("usdf-StepTherapyLimit-extension", |e| e.step_therapy),
            ("usdf-QuantityLimit-extension", |e| e.quantity_limit),
            ("usdf-MailOrder-extension", |e| e.mail_order),
        ] {
            let json = knowledge(&format!(r#"[{{"url":"{USDF}/{name}"{value}}}]"#), "");
            assert_eq!(get(entry(&json)), want, "{name} {value}");
            assert_eq!(noted(&json), notes, "{name} {value}");
        }
    }
    let both = format!(
        r#"[{{"url":"{USDF}/usdf-QuantityLimit-extension","valueBoolean":true}},{{"url":"{USDF}/usdf-QuantityLimit-extension","valueBoolean":false}}]"#
    );
    assert_eq!(entry(&knowledge(&both, "")).quantity_limit, None);
    assert_eq!(noted(&knowledge(&both, "")), [Note::ContradictingFlag]);
}

#[test]
fn plans_and_states_of_entries() {
    let plan =
        |value: &str| entry(&knowledge(&format!(r#"[{{"url":"{USDF}/usdf-PlanID-extension",{value}}}]"#), "")).plan;
    for value in [
        r#""valueString":"h1234 567 0 2026""#,
        r#""valueCode":"H1234-567-000-2026""#,
        r#""valueIdentifier":{"value":"H1234-567-000-2026"}"#,
    ] {
        assert_eq!(plan(value), PlanId::parse("H1234-567-000-2026").ok(), "{value}");
    }
    for value in
        [r#""valueString":"HIOS-PLAN-ID""#, r#""valueString":"  ""#, r#""valueString":null"#, r#""valueString":"N/A""#]
    {
        assert_eq!(plan(value), None, "{value}");
    }
    let two = format!(
        r#"[{{"url":"{USDF}/usdf-PlanID-extension","valueString":"H1234-567-000-2026"}},{{"url":"{USDF}/usdf-PlanID-extension","valueString":"H1234-568-000-2026"}}]"#
    );
    assert_eq!((entry(&knowledge(&two, "")).plan, noted(&knowledge(&two, ""))), (None, vec![Note::SeveralPlans]));
    for (status, want, notes) in [
        ("", EntryState::Active, vec![]),
        (r#","status":"active""#, EntryState::Active, vec![]),
        (r#","status":null"#, EntryState::Active, vec![]),
        (r#","status":"inactive""#, EntryState::Inactive, vec![]),
        (r#","status":"Entered-In-Error""#, EntryState::Inactive, vec![]),
        (r#","status":"what""#, EntryState::Active, vec![Note::UnknownStatus]),
    ] {
        let json = knowledge("[]", status);
        assert_eq!((entry(&json).state, noted(&json)), (want, notes), "{status}");
    }
    let medication = r#"{"resourceType":"Medication","id":"m","status":"entered-in-error"}"#;
    assert_eq!(received(medication).0.content, Content::OfNoUse("entered in error".into()));
}

/// The targets of `references`, as a List's entries.
fn list(more: &str) -> crate::model::DrugList {
    let json = format!(r#"{{"resourceType":"List","id":"l","meta":{{"profile":["{USDF}/usdf-CoveragePlan"]}}{more}}}"#);
    match fact(&json) {
        Fact::DrugList(list) => list,
        other => panic!("{other:?}"),
    }
}

#[test]
fn references_in_every_form() {
    let want = source_id("MedicationKnowledge", "aB-1");
    for reference in [
        r#"{"reference":"MedicationKnowledge/aB-1"}"#,
        r#"{"reference":" MedicationKnowledge/aB-1/ "}"#,
        r#"{"reference":"/MedicationKnowledge/aB-1"}"#,
        r#"{"reference":"MedicationKnowledge/aB-1/_history/7"}"#,
        r#"{"reference":"https://fhir.x.test/api/MedicationKnowledge/aB-1"}"#,
        r#"{"reference":"HTTPS://FHIR.X.TEST/api/MedicationKnowledge/aB-1/_history/W7"}"#,
        r#"{"reference":"https://fhir.x.test/api/medicationknowledge/aB-1"}"#,
        r#"{"reference":"aB-1"}"#,
        r#"{"reference":"aB-1/_history/7"}"#,
        r#"{"reference":"aB-1","type":"MedicationKnowledge"}"#,
        r#""MedicationKnowledge/aB-1""#,
        r#"[{"reference":"MedicationKnowledge/aB-1"}]"#,
    ] {
        let list = list(&format!(r#","entry":[{{"item":{reference}}}]"#));
        assert_eq!((list.entries, list.unreadable_entries), (vec![want], 0), "{reference}");
    }
    for reference in [
        r#"{"reference":"Medication/aB-1"}"#,
        r#"{"reference":"aB-1","type":"Medication"}"#,
        r##"{"reference":"#aB-1"}"##,
        r#"{"reference":"MedicationKnowledge/"}"#,
        r#"{"reference":"MedicationKnowledge?code=1"}"#,
        r#"{"identifier":{"system":"x","value":"y"}}"#,
        r#"{"display":"aspirin"}"#,
    ] {
        let list = list(&format!(r#","entry":[{{"item":{reference}}}]"#));
        assert_eq!((list.entries, list.unreadable_entries), (vec![], 1), "{reference}");
    }
    for nothing in [r#"{"reference":""}"#, "{}", "null"] {
        let list = list(&format!(r#","entry":[{{"item":{nothing}}}]"#));
        assert_eq!((list.entries, list.unreadable_entries), (vec![], 0), "{nothing}");
    }
    assert_ne!(want, source_id("MedicationKnowledge", "ab-1"), "ids are case-sensitive");
}

#[test]
fn entries_of_a_list() {
    let read = list(
        r#","entry":[{"item":{"reference":"MedicationKnowledge/b"}},{"deleted":true,"item":{"reference":"MedicationKnowledge/c"}},
            null,{},"",[],{"item":null},{"item":{}},"x",{"item":{"display":"x"}},{"date":"2026"},{"item":{"reference":"MedicationKnowledge/a"}},{"item":{"reference":"MedicationKnowledge/b"}}]"#,
    );
    let mut want = vec![source_id("MedicationKnowledge", "a"), source_id("MedicationKnowledge", "b")];
    want.sort();
    assert_eq!((read.entries, read.unreadable_entries), (want, 3));
    assert_eq!(list(r#","entry":{"item":{"reference":"MedicationKnowledge/b"}}"#).entries.len(), 1);
    assert_eq!(list(r#","entry":[]"#).entries.len(), 0);
    assert_eq!(list("").entries.len(), 0);
}

#[test]
fn plans_and_words_of_a_list() {
    let plans = |more: &str| -> Vec<String> { list(more).plans.iter().map(ToString::to_string).collect() };
    for (more, want) in [
        (r#","identifier":[{"system":"x/PlanId","value":"H1234-567-000-2026"}]"#, vec!["H1234-567-000-2026"]),
        (r#","identifier":{"value":"H1234-567-000-2026"}"#, vec!["H1234-567-000-2026"]),
        (
            r#","identifier":[{"value":"40308VA0240008"},{"system":"x/internal","value":"77-ab"}]"#,
            vec!["40308VA0240008"],
        ),
        (r#","identifier":[{"value":"HIOS-PLAN-ID"}]"#, vec![]),
        (r#","identifier":[{"system":"x/name","value":"gold plus"}]"#, vec!["GOLD PLUS"]),
        (r#","identifier":[null,{"value":null},""]"#, vec![]),
        (
            r#","extension":[{"url":"x/usdf-PlanID-extension","valueString":"H1234-567-000-2026"}]"#,
            vec!["H1234-567-000-2026"],
        ),
    ] {
        assert_eq!(plans(more), want, "{more}");
    }
    for (status, want) in
        [("current", true), ("retired", false), ("entered-in-error", false), ("", true), ("odd", true)]
    {
        assert_eq!(list(&format!(r#","status":"{status}""#)).current, want, "{status}");
    }
    let read = list(
        r#","title":" Gold  Plus ","extension":[{"url":"x/usdf-SummaryURL-extension","valueUrl":"https://x.test/s"},
            {"url":"x/usdf-FormularyURL-extension","valueString":"https://x.test/f"}]"#,
    );
    assert_eq!(read.title.as_deref(), Some("Gold Plus"));
    let link = |what: &str, url: &str| (what.to_owned(), url.to_owned());
    assert_eq!(read.links, [link("formulary", "https://x.test/f"), link("summary", "https://x.test/s")]);
}

#[test]
fn tier_definitions() {
    let read = list(
        r#","extension":[{"url":"x/usdf-DrugTierDefinition-extension","extension":[
            {"url":"costSharing","extension":[
                {"url":"coinsuranceRate","valueDecimal":0.20},{"url":"copayAmount","valueMoney":{"value":"20.50"}},
                {"url":"copayOption","valueCodeableConcept":{"coding":[{"code":"after-deductible"}]}},
                {"url":"pharmacyType","valueCodeableConcept":{"coding":[{"code":"1-month-in-retail"}]}}]},
            {"url":"mailOrder","valueBoolean":"false"},
            {"url":"drugTierID","valueCodeableConcept":{"coding":[{"code":"brand"}]}}]},
            {"url":"x/usdf-DrugTierDefinition-extension","extension":[{"url":"mailOrder","valueBoolean":true}]}]"#,
    );
    let [tier] = read.tiers.as_slice() else { panic!("{:?}", read.tiers) };
    assert_eq!((tier.tier.code.as_str(), tier.mail_order), ("brand", Some(false)));
    let row = CostSharing {
        pharmacy: Some("1-month-in-retail".into()),
        copay: Some("20.50".into()),
        copay_option: Some("after-deductible".into()),
        coinsurance: Some("0.20".into()),
        coinsurance_option: None,
    };
    assert_eq!(tier.cost_sharing, [row]);
}

#[test]
fn lists_that_are_no_formulary() {
    let content = |json: &str| received(json).0.content;
    let list = |more: &str| content(&format!(r#"{{"resourceType":"List","id":"l"{more}}}"#));
    let item = r#","entry":[{"item":{"reference":"MedicationKnowledge/a"}}]"#;
    for more in [
        item,
        r#","meta":{"profile":"http://hl7.org/fhir/us/Davinci-drug-formulary/StructureDefinition/usdf-coverageplan|1.0.0"}"#,
        r#","code":{"coding":[{"code":"DRUGPOL"}]}"#,
    ] {
        assert!(matches!(list(more), Content::Fact(_)), "{more}");
    }
    assert_eq!(list(""), Content::OfNoUse("a list that is no formulary".into()));
    let profile = format!(r#""meta":{{"profile":["{USDF}/usdf-CoveragePlan"]}}"#);
    for meta in [r#""meta":null"#, &profile] {
        let nothing = format!(r#",{meta},"identifier":null,"status":null,"title":null,"entry":null"#);
        let Content::Fact(Fact::DrugList(list)) = list(&nothing) else { panic!("{nothing}") };
        assert_eq!(list.lost.as_deref(), Some("its fields are null"), "it may be any plan's: {nothing}");
    }
    assert_eq!(
        list(r#","entry":[{"item":{"reference":"Condition/a"}}]"#),
        Content::OfNoUse("a list that is no formulary".into())
    );
    assert_eq!(
        list(&format!(r#","subject":{{"reference":"Patient/7"}}{item}"#)),
        Content::OfNoUse("a member's list".into())
    );
}

mod contacts;
mod directory;
mod plans;
mod references;
mod shape;
