//! What every resource shares: types, ids, stamps, repeated properties, damaged text, Bundles.

use super::{fact, noted, received};
use crate::fhir::bundle::Bundle;
use crate::model::{Content, Fact, Stamp};
use crate::source::fhir::identity::{source_id, stamp};
use crate::source::fhir::{Note, Outcome, read_bundle, read_resource};

const CODE: &str = r#""code":{"coding":[{"system":"x/rxnorm","code":"7"}]}"#;

fn read(json: &str) -> Outcome {
    read_resource(json.as_bytes())
}

#[test]
fn types() {
    assert_eq!(read(r#"{"resourceType":"Basic","id":"1"}"#), Outcome::Unread("Basic".into()));
    assert_eq!(read(r#"{"id":"1","resourceType":"OperationOutcome"}"#), Outcome::Unread("OperationOutcome".into()));
    assert_eq!(read(r#"{"resourceType":"Coverage","id":"1"}"#), Outcome::MemberData("Coverage".into()));
    assert_eq!(read(r#" { "resourceType" : "Bundle" } "#), Outcome::Bundle);
    for json in [
        r#"{"id":"1"}"#,
        "{}",
        "[]",
        "1",
        "null",
        r#""x""#,
        r#"{"resourceType":null}"#,
        r#"{"resourceType":{"a":1}}"#,
        r#"["List"]"#,
    ] {
        assert!(matches!(read(json), Outcome::NotAResource(_)), "{json}");
    }
    for json in [
        "",
        "{",
        "<html>",
        r#"{"resourceType":"Basic""#,
        r#"{"resourceType":"Medication","id":"1""#,
        r#"{"resourceType":"Basic"} x"#,
    ] {
        assert!(matches!(read(json), Outcome::NotJson(_)), "{json}");
    }
    // A List that is cut off says all the same that it was there, and of which plan.
    for (json, plans) in [
        (r#"{"resourceType":"List","id":"1""#, 0),
        (r#"{"resourceType":"List","id":"1","identifier":[{"value":"H1234-001"}],"entry":[{"item":"#, 1),
        (r#"{"resourceType":"List","id":"1","identifier":[{"value":"H1234-001"#, 0),
    ] {
        let Outcome::Received(received, _) = read(json) else { panic!("{json}") };
        assert_eq!(received.source, source_id("List", "1"));
        let Content::Fact(Fact::DrugList(list)) = received.content else { panic!("{json}") };
        assert_eq!((list.plans.len(), list.lost.is_some(), list.entries.len()), (plans, true, 0), "{json}");
    }
    // A byte-order mark, blanks, the type anywhere.
    for json in [
        format!("\u{feff}{{\"resourceType\":\"Medication\",\"id\":\"1\",{CODE}}}\r"),
        format!("{{{CODE},\"id\":\"1\",\n \"resourceType\":\"Medication\"}}"),
        format!("{{\"resourceType\":\"\\u004dedication\",\"id\":\"1\",{CODE}}}"),
    ] {
        assert_eq!(received(&json).0.source, source_id("Medication", "1"), "{json}");
        assert!(matches!(fact(&json), Fact::Drug(_)), "{json}");
    }
}

#[test]
fn too_deep_is_no_stack_overflow() {
    let deep = |open: &str, close: &str| format!("{}1{}", open.repeat(100_000), close.repeat(100_000));
    for value in [deep("[", "]"), deep(r#"{"extension":"#, "}")] {
        for property in ["code", "extension", "other"] {
            let outcome = read(&format!(r#"{{"resourceType":"Medication","id":"1","{property}":{value}}}"#));
            assert!(matches!(outcome, Outcome::NotJson(_) | Outcome::Received(..)), "{property}");
        }
    }
}

#[test]
fn ids() {
    let source = |id: &str| received(&format!(r#"{{"resourceType":"Medication"{id},{CODE}}}"#)).0.source;
    assert_eq!(source(r#","id":"a_B|ü""#), source_id("Medication", "a_B|ü"));
    assert_eq!(source(r#","id":17"#), source_id("Medication", "17"));
    // Without an id a resource is what it says, whatever the blanks and the order.
    let (one, two) = (source(""), source(r#","id":"" "#));
    assert_ne!(one, two);
    let spaced = format!(r#"{{ {CODE} , "resourceType" : "Medication" }}"#);
    assert_eq!(received(&spaced).0.source, one);
    assert_eq!(noted(&spaced), [Note::WithoutId]);
}

#[test]
fn stamps() {
    for (text, want) in [
        ("1970-01-01T00:00:01Z", Some(1_000_000_000)),
        ("1970-01-01T00:00:00.5+00:00", Some(500_000_000)),
        ("1970-01-01T01:00:00.123456789+01:00", Some(123_456_789)),
        ("1970-01-01T00:00:00.1234567891234Z", Some(123_456_789)),
        ("1969-12-31T19:00:00-05:00", Some(0)),
        ("1970-01-02", Some(86_400_000_000_000)),
        ("1970-01-01T00:00:02", Some(2_000_000_000)),
        ("junk", None),
        ("2026", None),
        ("9999-01-01T00:00:00Z", None),
        ("", None),
    ] {
        assert_eq!(stamp(Some(text)), Stamp(want), "{text}");
    }
    assert_eq!(stamp(None), Stamp(None));
}

#[test]
fn repeated_properties() {
    let medication = |more: &str| format!(r#"{{"resourceType":"Medication","id":"1",{CODE}{more}}}"#);
    let plain = received(&medication("")).0;
    for more in [
        r#","id":"1""#,
        r#","resourceType":"Medication""#,
        r#","code":{"coding":[{"code":"7", "system":"x/rxnorm"}]}"#,
        r#","code":null"#,
        r#","code":{}"#,
    ] {
        assert_eq!(received(&medication(more)).0, plain, "{more}");
        assert_eq!(noted(&medication(more)), [Note::RepeatedProperty], "{more}");
    }
    // What is not read may repeat as it likes.
    assert_eq!(received(&medication(r#","text":1,"text":2"#)).0, plain);
    assert_eq!(received(&medication(r#","text":1,"text":2,"id":"1""#)).0, plain);
    for (more, property, source) in [
        (r#","code":{"coding":[{"system":"x/rxnorm","code":"8"}]}"#, "code", Some("1")),
        (r#","status":"active","status":"inactive""#, "status", Some("1")),
        (r#","id":"2""#, "id", None),
    ] {
        let refused = received(&medication(more)).0;
        assert_eq!(
            refused.content,
            Content::Quarantined(format!("the property {property:?} stands twice with different values")),
            "{more}"
        );
        if let Some(id) = source {
            assert_eq!(refused.source, source_id("Medication", id));
        }
    }
    let nested = medication("").replace(r#""code":"7""#, r#""code":"7","code":"8""#);
    assert!(matches!(received(&nested).0.content, Content::Quarantined(_)));
    assert!(matches!(read(&medication(r#","resourceType":"List""#)), Outcome::NotAResource(_)));
}

#[test]
fn damaged_text() {
    let mut bytes = format!(r#"{{"resourceType":"Medication","id":"1",{CODE}}}"#).into_bytes();
    let at = bytes.len() - 2;
    bytes.splice(at..at, br#","text":"Do"#.iter().copied().chain([0xf1, b'a', b'"']));
    let Outcome::Received(received, notes) = read_resource(&bytes) else { panic!() };
    let Content::Fact(Fact::Drug(drug)) = received.content else { panic!() };
    assert_eq!(drug.texts[0].1, "Do\u{fffd}a");
    assert_eq!(notes.iter().collect::<Vec<_>>(), [Note::DamagedText]);
}

pub(super) fn outcomes(json: &str) -> Vec<Outcome> {
    let mut outcomes = Vec::new();
    read_bundle(json.as_bytes(), &mut |outcome| outcomes.push(outcome));
    outcomes
}

#[test]
fn bundles() {
    let medication = format!(r#"{{"resourceType":"Medication","id":"1",{CODE}}}"#);
    let plain = read(&medication);
    let page = |entries: &str| {
        format!(
            r#"{{"resourceType":"Bundle","type":"searchset","total":"7","link":[{{"relation":"self","url":"a"}},{{"relation":"next","url":"b?ct=%7C"}}],"entry":{entries}}}"#
        )
    };
    let json = page(&format!(r#"[{{"resource":{medication}}}]"#));
    let bundle = Bundle::read(&json).unwrap().unwrap();
    assert_eq!(
        (bundle.kind.as_deref(), bundle.total, bundle.link("next"), bundle.entries.len()),
        (Some("searchset"), Some(7), Some("b?ct=%7C"), 1)
    );
    assert_eq!(outcomes(&json), std::slice::from_ref(&plain));
    assert_eq!(outcomes(&page(&format!(r#"{{"resource":{medication}}}"#))), std::slice::from_ref(&plain));
    for empty in ["[]", "null", r#""""#] {
        assert_eq!(outcomes(&page(empty)), []);
    }
    // One bad entry does not sink the others.
    let mixed = page(&format!(
        r#"[null,{{}},{{"fullUrl":"x"}},{{"resource":{{"resourceType":"Medication","id":"2"}}}},
            {{"resource":{{"resourceType":"OperationOutcome"}},"search":{{"mode":"outcome"}}}},
            {{"resource":{{"resourceType":"Patient"}}}},{{"resource":{medication},"resource":{medication}}},
            {{"resource":{medication},"resource":{{"resourceType":"Medication","id":"3"}}}},
            {{"resource":{medication},"search":{{"mode":"match"}}}}]"#
    ));
    let read_all = outcomes(&mixed);
    assert_eq!(read_all.len(), 9);
    assert_eq!(read_all.iter().filter(|o| matches!(o, Outcome::NotAResource(_))).count(), 4);
    assert!(matches!(&read_all[3], Outcome::Received(r, _) if matches!(r.content, Content::Quarantined(_))));
    assert_eq!(read_all[4], Outcome::Unread("OperationOutcome".into()));
    assert_eq!(read_all[5], Outcome::MemberData("Patient".into()));
    assert_eq!((&read_all[6], &read_all[8]), (&plain, &plain));
    // A Bundle in a Bundle; and no end of them.
    let inner = page(&format!(r#"[{{"resource":{medication}}}]"#));
    assert_eq!(outcomes(&page(&format!(r#"[{{"resource":{inner}}}]"#))), [plain]);
    let mut endless = "{}".to_owned();
    for _ in 0..20 {
        endless = format!(r#"{{"resourceType":"Bundle","entry":[{{"resource":{endless}}}]}}"#);
    }
    assert!(matches!(outcomes(&endless).as_slice(), [Outcome::NotAResource(_)]));
    // Not a Bundle, or a broken one.
    assert!(matches!(outcomes(&medication).as_slice(), [Outcome::Received(..)]));
    assert!(matches!(outcomes(r#"{"resourceType":"Bundle","entry":["#).as_slice(), [Outcome::NotJson(_)]));
    let twice =
        r#"{"resourceType":"Bundle","entry":[{"resource":{"resourceType":"Basic"}}],"entry":[{"resource":{}}]}"#;
    assert!(matches!(outcomes(twice).as_slice(), [Outcome::NotAResource(_)]));
    assert_eq!(outcomes(r#"{"resourceType":"Bundle","total":1,"total":2}"#), []);
    assert_eq!(outcomes(r#"{"resourceType":"Bundle","total":1,"total":1}"#), []);
}

#[test]
fn urns_inside_a_bundle() {
    let bundle = |reference: &str| {
        format!(
            r#"{{"resourceType":"Bundle","entry":[
              {{"fullUrl":"urn:uuid:77","resource":{{"resourceType":"MedicationKnowledge","id":"k",{CODE}}}}},
              {{"fullUrl":"urn:uuid:78","resource":{{"resourceType":"MedicationKnowledge",{CODE}}}}},
              {{"resource":{{"resourceType":"List","id":"l","code":{{"coding":{{"code":"DRUGPOL"}}}},"entry":[{{"item":{{"reference":"{reference}"}}}}]}}}}]}}"#
        )
    };
    for (reference, which) in [("urn:uuid:77", 0), ("urn:uuid:78", 1), ("MedicationKnowledge/k", 0)] {
        let read = outcomes(&bundle(reference));
        let (Outcome::Received(entry, _), Outcome::Received(list, _)) = (&read[which], &read[2]) else { panic!() };
        let Content::Fact(Fact::DrugList(list)) = &list.content else { panic!() };
        assert_eq!(list.entries, [entry.source], "{reference}");
    }
}
