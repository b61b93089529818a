//! PractitionerRole, Practitioner, Organization, Location.

use coverdex_core::NetworkKey;

use super::{fact, noted, received};
use crate::model::{
    Accepting, AcceptingPatients, Address, Content, Fact, Individual, NetworkClaim, NetworkName, OrganizationFacts,
    Period, Phone, Place, Role, Specialty,
};
use crate::source::fhir::Note;
use crate::source::fhir::identity::source_id;

pub(super) const PN: &str = "http://hl7.org/fhir/us/davinci-pdex-plan-net/StructureDefinition";

pub(super) fn role_json(more: &str) -> String {
    format!(r#"{{"resourceType":"PractitionerRole","id":"r","practitioner":{{"reference":"Practitioner/p"}}{more}}}"#)
}

pub(super) fn role(more: &str) -> Role {
    match fact(&role_json(more)) {
        Fact::Role(role) => role,
        other => panic!("{other:?}"),
    }
}

pub(super) fn individual(more: &str) -> Individual {
    match fact(&format!(r#"{{"resourceType":"Practitioner","id":"p"{more}}}"#)) {
        Fact::Individual(individual) => individual,
        other => panic!("{other:?}"),
    }
}

pub(super) fn organization(more: &str) -> OrganizationFacts {
    match fact(&format!(r#"{{"resourceType":"Organization","id":"o"{more}}}"#)) {
        Fact::Organization(organization) => organization,
        other => panic!("{other:?}"),
    }
}

pub(super) fn place(more: &str) -> Place {
    match fact(&format!(r#"{{"resourceType":"Location","id":"l"{more}}}"#)) {
        Fact::Place(place) => place,
        other => panic!("{other:?}"),
    }
}

pub(super) fn named(system: &str, id: &str, label: Option<&str>) -> NetworkName {
    NetworkName { key: NetworkKey::new(system, id).unwrap(), label: label.map(str::to_owned) }
}

#[test]
fn whose_role() {
    let read = role(r#","active":true,"organization":{"reference":"Organization/o"}"#);
    assert_eq!(read.individual, Some(source_id("Practitioner", "p")));
    assert_eq!(read.organization, Some(source_id("Organization", "o")));
    assert_eq!(read.active, Some(true));
    for (active, want) in
        [("", None), (r#","active":"false""#, Some(false)), (r#","active":null"#, None), (r#","active":"x""#, None)]
    {
        assert_eq!(role(active).active, want, "{active}");
    }
    let content = |more: &str| received(&format!(r#"{{"resourceType":"PractitionerRole","id":"r"{more}}}"#)).0.content;
    assert!(matches!(content(""), Content::OfNoUse(_)));
    assert!(matches!(content(r#","active":true"#), Content::OfNoUse(_)));
    for lost in [r#","active":true,"practitioner":null"#, r#","active":null,"code":null"#] {
        assert!(matches!(content(lost), Content::Quarantined(_)), "{lost}");
    }
    assert!(matches!(content(r#","practitioner":{}"#), Content::Quarantined(_)));
    assert!(matches!(content(r#","practitioner":{"reference":"Organization/o"}"#), Content::Quarantined(_)));
    assert!(matches!(content(r#","organization":"Organization/o""#), Content::Fact(_)));
}

#[test]
fn networks_of_a_role() {
    let reference = |value: &str| format!(r#"{{"url":"{PN}/network-reference","valueReference":{value}}}"#);
    let more = format!(
        r#","meta":{{"tag":[{{"system":"https://x/VisionNetworkID","code":"1395","display":"Vision Select"}},{{"system":"http://x/visionnetworkid/","code":1395}},
            {{"system":"https://x/lastRefreshedOn","code":"2026-01-05T15:59:13Z"}},{{"code":"9"}},{{"system":"x/y"}},null]}},
          "extension":[{},{},{},{}],"network":[{{"reference":"Organization/n2"}}]"#,
        reference(r#"{"reference":"Organization/n1","display":"PPO"}"#),
        reference(r#"{"reference":"Organization/n1"}"#),
        reference(r#"{"identifier":{"system":"x/PharmacyNetworkId","value":"3061"},"display":"Rx"}"#),
        reference(r#"{"display":"words only"}"#),
    );
    let read = role(&more);
    assert_eq!(
        read.networks,
        [
            named("https://x/lastRefreshedOn", "2026-01-05T15:59:13Z", None),
            named("x/PharmacyNetworkId", "3061", Some("Rx")),
            named("https://x/VisionNetworkID", "1395", Some("Vision Select")),
        ]
    );
    let mut want =
        vec![(source_id("Organization", "n1"), Some("PPO".to_owned())), (source_id("Organization", "n2"), None)];
    want.sort();
    assert_eq!(read.network_references, want);
    assert_eq!(noted(&role_json(&more)), [Note::UnreadableNetwork]);
    // Identifier and Organization in one reference are both kept.
    let both = role(&format!(
        r#","extension":[{}]"#,
        reference(r#"{"reference":"Organization/n1","identifier":{"system":"x/PharmacyNetworkId","value":"3061"}}"#)
    ));
    assert_eq!((both.networks.len(), both.network_references.len()), (1, 1));
    let later = role(
        r#","extension":[{"url":"http://hl7.org/fhir/5.0/StructureDefinition/extension-PractitionerRole.network",
          "valueReference":{"reference":"Organization/n1"}}]"#,
    );
    assert_eq!(later.network_references, [(source_id("Organization", "n1"), None)]);
}

#[test]
fn specialties() {
    let read = |specialty: &str| -> Vec<(Option<String>, Option<String>)> {
        role(&format!(r#","specialty":{specialty}"#))
            .specialties
            .into_iter()
            .map(|Specialty { text, taxonomy }| (text, taxonomy))
            .collect()
    };
    let one = |text: &str, code: &str| {
        let some = |text: &str| (!text.is_empty()).then(|| text.to_owned());
        (some(text), some(code))
    };
    for (specialty, want) in [
        (
            r#"[{"text":"Cardiology"},{"text":" Cardiology "},{"text":"Vision"}]"#,
            vec![one("Cardiology", ""), one("Vision", "")],
        ),
        (r#"{"text":"Cardiology"}"#, vec![one("Cardiology", "")]),
        (r#"["Cardiology"]"#, vec![one("Cardiology", "")]),
        (
            r#"[{"coding":[{"system":"http://nucc.org/provider-taxonomy","code":"207r00000x","display":"Internal Medicine"}]}]"#,
            vec![one("Internal Medicine", "207R00000X")],
        ),
        (r#"[{"coding":[{"code":"207R00000X"}]}]"#, vec![one("", "207R00000X")]),
        (r#"[{"coding":[{"code":"207R00000X"}],"text":"Internist"}]"#, vec![one("Internist", "207R00000X")]),
        (
            r#"[{"coding":[{"code":"207R00000X","display":"Internal Medicine"}],"text":"Internist"}]"#,
            vec![one("Internal Medicine", "207R00000X"), one("Internist", "")],
        ),
        (r#"[{"coding":[{"code":"IM"}]}]"#, vec![one("IM", "")]),
        (r#"[{"coding":[]},{},null,{"text":""}]"#, vec![]),
    ] {
        assert_eq!(read(specialty), want, "{specialty}");
    }
}

#[test]
fn places_and_types_of_a_role() {
    let read = role(
        r##","location":[{"reference":"Location/b"},{"reference":"Location/a"},{"reference":"Location/a/_history/2"},{"reference":"#c"},{"display":"here"}],
           "extension":[{"url":"https://x/glossary/DirectoryType","valueCodeableConcept":{"coding":[{"code":"Vision"},{"code":"MedicalDental"}]}}]"##,
    );
    let mut want = vec![source_id("Location", "a"), source_id("Location", "b")];
    want.sort();
    assert_eq!(read.places, want);
    assert_eq!(read.directory_types, ["MedicalDental", "Vision"]);
    let mail = role(r#","code":[{"text":"Mail Order Pharmacy"},{"text":"Pharmacist"}]"#);
    assert_eq!(mail.directory_types, ["Mail Order Pharmacy"], "how a pharmacy serves");
}

#[test]
fn accepting_new_patients() {
    let read = |parts: &str| role(&format!(r#","extension":[{{"url":"{PN}/newpatients",{parts}}}]"#)).accepting;
    let code = |code: &str| {
        format!(
            r#""extension":[{{"url":"acceptingPatients","valueCodeableConcept":{{"coding":[{{"code":"{code}"}}]}}}}]"#
        )
    };
    let anywhere = |status| vec![AcceptingPatients { status, from_network: None }];
    for (written, want) in [
        ("newpt", anywhere(Accepting::Yes)),
        ("nopt", anywhere(Accepting::No)),
        ("not", anywhere(Accepting::No)),
        ("existptonly", anywhere(Accepting::ExistingOnly)),
        ("ExistPtFam", anywhere(Accepting::ExistingAndFamily)),
        ("perhaps", vec![]),
    ] {
        assert_eq!(read(&code(written)), want, "{written}");
    }
    assert_eq!(read(r#""valueCode":"newpt""#), anywhere(Accepting::Yes));
    assert_eq!(read(r#""extension":[{"url":"acceptingPatients","valueBoolean":"false"}]"#), anywhere(Accepting::No));
    let from = |network: &str| {
        let read = read(&format!(
            r#""extension":[{{"url":"fromNetwork","valueReference":{network}}},{{"url":"acceptingPatients","valueCodeableConcept":{{"coding":[{{"code":"nopt"}}]}}}}]"#
        ));
        read.into_iter().next().and_then(|patients| patients.from_network)
    };
    assert_eq!(
        from(r#"{"reference":"Organization/n"}"#),
        Some(NetworkClaim::Reference(source_id("Organization", "n")))
    );
    assert_eq!(
        from(r#"{"reference":"Organization/n","identifier":{"system":"x/y","value":"9"}}"#),
        Some(NetworkClaim::Key(NetworkKey::new("x/y", "9").unwrap()))
    );
    // A contained Organization is a network by its identifiers, whether it says so or not.
    let contained = format!(
        r##","contained":[{{"resourceType":"Organization","id":"n","identifier":[{{"system":"x/y","value":"9"}}]}}],"extension":[{{"url":"{PN}/newpatients","extension":[{{"url":"acceptingPatients","valueString":"Closed panel"}},{{"url":"fromNetwork","valueReference":{{"reference":"#n"}}}},{{"url":"fromNetwork","valueIdentifier":{{"system":"x/y","value":"8"}}}}]}}]"##
    );
    let keys: Vec<_> = role(&contained)
        .accepting
        .into_iter()
        .filter_map(|stated| match stated.from_network {
            Some(NetworkClaim::Key(key)) if stated.status == Accepting::No => Some(key.id().to_owned()),
            _ => None,
        })
        .collect();
    assert_eq!(keys, ["8", "9"]);
    // Words stand for a code that says nothing; what is not understood is counted.
    let concept =
        |concept: &str| format!(r#""extension":[{{"url":"acceptingPatients","valueCodeableConcept":{concept}}}]"#);
    for (value, want) in [
        (r#"{"text":"Accepting new patients"}"#, anywhere(Accepting::Yes)),
        (r#"{"coding":[{"code":"A1","display":"Not accepting"}]}"#, anywhere(Accepting::No)),
        (r#"{"coding":[{"code":"A1"}],"text":"Existing patients only"}"#, anywhere(Accepting::ExistingOnly)),
        (r#"{"coding":[{"code":"newpt"}],"text":"Existing patients only"}"#, anywhere(Accepting::Yes)),
        (r#"{"text":"By referral"}"#, vec![]),
    ] {
        assert_eq!(read(&concept(value)), want, "{value}");
    }
    let unknown =
        role_json(&format!(r#","extension":[{{"url":"{PN}/newpatients",{}}}]"#, concept(r#"{"text":"By referral"}"#)));
    assert_eq!(noted(&unknown), [Note::UnknownStatus]);
    // What holds for a network that cannot be read holds for no other.
    let unknown = r#""extension":[{"url":"fromNetwork","valueReference":{"display":"PPO"}},{"url":"acceptingPatients","valueCode":"nopt"}]"#;
    assert_eq!(read(unknown), []);
    let place = place(&format!(r#","extension":[{{"url":"{PN}/newpatients",{}}}]"#, code("nopt")));
    assert_eq!(place.accepting, anywhere(Accepting::No));
}

#[test]
fn npis() {
    for (more, want) in [
        (r#","identifier":[{"system":"http://hl7.org/fhir/sid/us-npi","value":"1234567893"}]"#, vec!["1234567893"]),
        (r#","identifier":{"system":"urn:oid:2.16.840.1.113883.4.6","value":1234567893}"#, vec!["1234567893"]),
        (r#","identifier":[{"type":{"coding":[{"code":"NPI"}]},"value":"1234567893"}]"#, vec!["1234567893"]),
        (
            r#","identifier":[{"system":"x/us-npi","value":"NPI3233"},{"system":"x/us-npi","value":"0000000000"},{"system":"x/us-npi","value":"NPI3233"}]"#,
            vec!["0000000000", "NPI3233"],
        ),
        (
            r#","name":{"text":"A"},"identifier":[{"system":"x/state-licence","value":"1234567893"},{"system":"x/us-npi"}]"#,
            vec![],
        ),
    ] {
        assert_eq!(individual(more).npis, want, "{more}");
    }
    // An id that looks like an NPI is none.
    let by_id = r#"{"resourceType":"Practitioner","id":"1234567893"}"#;
    assert_eq!(received(by_id).0.content, Content::Quarantined("neither a name nor an NPI".into()));
}

#[test]
fn names() {
    let name = |names: &str| individual(&format!(r#","name":{names}"#)).names.remove(0).text;
    for (names, want) in [
        (r#"[{"text":"Sudeep  Bianchini","family":"Bianchini","given":["Sudeep"]}]"#, "Sudeep Bianchini"),
        (r#"{"family":"Bianchini","given":"Sudeep","prefix":["Dr."]}"#, "Sudeep Bianchini"),
        (
            r#"[{"family":"Bianchini","given":["Sudeep",null,"K"],"suffix":["MD","PhD"]}]"#,
            "Sudeep K Bianchini, MD, PhD",
        ),
        (r#""Sudeep Bianchini""#, "Sudeep Bianchini"),
        (r#"[{"text":"any"},{"use":"official","text":"official"},{"use":"usual","text":"usual"}]"#, "official"),
        (r#"[{"use":"old","text":"old"},{"use":"nickname","text":"nick"},{"text":"any"}]"#, "any"),
        // Who knows the day decides whether a name is over.
        (r#"[{"text":"other"},{"use":"official","text":"was","period":{"end":"2020-01-01"}}]"#, "was"),
        (r#"[{"use":"official"},{"use":"maiden","text":"only"}]"#, "only"),
    ] {
        assert_eq!(name(names), want, "{names}");
    }
    let read = individual(
        r#","name":[{"text":"S K Bianchini","family":"Bianchini","given":["S","K"]}],"gender":"Female","active":false"#,
    );
    assert_eq!(
        (read.names[0].family.as_deref(), read.names[0].given.join(" "), read.gender.as_deref(), read.active),
        (Some("Bianchini"), "S K".into(), Some("female"), Some(false))
    );
    let all = individual(
        r#","name":[{"use":"maiden","text":"E"},{"use":"anonymous","text":"D"},{"use":"nickname","text":"C"},{"text":"B","period":{"end":"2020"}},{"use":"official","text":"A"},{"text":"B","period":{"end":"2020-12-31"}}]"#,
    );
    let shown: Vec<_> = all.names.iter().map(|name| (name.text.as_str(), name.former, name.period.end)).collect();
    let end_of_2020 = Some(18_627);
    assert_eq!(
        shown,
        [("A", false, None), ("B", false, end_of_2020), ("C", false, None), ("D", false, None), ("E", true, None)]
    );
    for (stated, want) in [("F", "female"), ("m", "male"), ("MALE", "male"), ("Woman", "female"), ("Other", "other")] {
        let gender = individual(&format!(r#","name":"A","gender":"{stated}""#)).gender;
        assert_eq!(gender.as_deref(), Some(want), "{stated}");
    }
    let nobody = r#"{"resourceType":"Practitioner","id":"p","name":[{"use":"official"}]}"#;
    assert_eq!(received(nobody).0.content, Content::Quarantined("neither a name nor an NPI".into()));
}

#[test]
fn languages() {
    for (communication, want) in [
        (
            r#"[{"coding":[{"display":"Spanish"}]},{"coding":[{"display":"English"}]},{"text":"English"}]"#,
            vec!["English", "Spanish"],
        ),
        (r#"[{"coding":[{"system":"urn:ietf:bcp:47","code":"es"}]}]"#, vec!["es"]),
        (r#"[{"coding":[{"code":"es","display":"Spanish"}],"text":"Espanol"}]"#, vec!["Espanol"]),
        (r#"{"language":{"coding":[{"code":"es"}]},"preferred":true}"#, vec!["es"]),
        (r#""Spanish""#, vec!["Spanish"]),
        ("[null,{}]", vec![]),
    ] {
        assert_eq!(
            individual(&format!(r#","name":"A","communication":{communication}"#)).languages,
            want,
            "{communication}"
        );
    }
}

#[test]
fn organizations() {
    let read = organization(
        r#","active":true,"name":"Medicare  PPO","alias":["B","A",""],"type":[{"coding":[{"system":"x/OrgTypeCS","code":"NTWK"}]}],
           "identifier":[{"system":"x/us-npi","value":"1689265704"},{"system":"x/NetworkId","value":"7164"},{"system":"x/networkid","value":"7164"},{"value":"1"}],
           "telecom":[{"system":"phone","value":"+1 (334) 393-5437"}]"#,
    );
    assert_eq!(
        read,
        OrganizationFacts {
            npis: vec!["1689265704".into()],
            active: Some(true),
            name: Some("Medicare PPO".into()),
            aliases: vec!["A".into(), "B".into()],
            types: vec!["ntwk".into()],
            network_keys: vec![NetworkKey::new("x/NetworkId", "7164").unwrap()],
            phones: vec![phone("+1 (334) 393-5437")],
            ..OrganizationFacts::default()
        }
    );
    assert_eq!(read.network_keys[0].system(), "x/NetworkId");
    // What a type says in words beside its code, where that is how a pharmacy serves.
    let pharmacy = organization(
        r#","name":"A","type":[{"coding":[{"code":"PROV","display":"Mail Order Pharmacy"}]},{"coding":{"code":"fac","display":"Facility"}}]"#,
    );
    assert_eq!(pharmacy.types, ["Mail Order Pharmacy", "fac", "prov"]);
    // A network without an identifier is known by its resource.
    let network = organization(r#","name":"PPO","type":{"coding":{"code":"ntwk"}}"#);
    assert_eq!(network.network_keys, [NetworkKey::new("Organization", "o").unwrap()]);
    assert!(organization(r#","name":"Group","type":{"coding":{"code":"prvgrp"}}"#).network_keys.is_empty());
    let nothing = r#"{"resourceType":"Organization","id":"o"}"#;
    assert_eq!(received(nothing).0.content, Content::Quarantined("neither a name nor an identifier".into()));
}

#[test]
fn places() {
    let read = place(
        r#","status":"active","name":"Clinic","address":{"line":["1 Main St"," Suite  2",null],"city":"OPP","state":"AL","postalCode":3646,"district":"Covington"},
           "position":{"longitude":-86.25,"latitude":"31.28"},"telecom":{"system":"phone","value":"3344935437"}"#,
    );
    assert_eq!(
        read,
        Place {
            active: Some(true),
            name: Some("Clinic".into()),
            address: Address {
                lines: vec!["1 Main St".into(), "Suite 2".into()],
                city: Some("OPP".into()),
                state: Some("AL".into()),
                zip: Some("3646".into()),
                district: Some("Covington".into()),
                ..Address::default()
            },
            position: Some((31.28, -86.25)),
            phones: vec![phone("3344935437")],
            ..Place::default()
        }
    );
    for (status, want) in [
        (r#","status":"inactive""#, Some(false)),
        (r#","status":"suspended""#, Some(false)),
        ("", None),
        (r#","status":"x""#, None),
    ] {
        assert_eq!(place(status).active, want, "{status}");
    }
    for (position, want) in [
        (r#","position":{"longitude":0,"latitude":0}"#, Some((0.0, 0.0))),
        (r#","position":{"longitude":31.5,"latitude":-86.5}"#, Some((-86.5, 31.5))),
        (r#","position":{"longitude":-86.5}"#, None),
        (r#","position":{"longitude":"","latitude":null}"#, None),
        (r#","position":{"longitude":"west","latitude":"NaN"}"#, None),
        (r#","position":null"#, None),
        (
            r#","address":{"extension":[{"url":"http://hl7.org/fhir/StructureDefinition/geolocation","extension":[{"url":"latitude","valueDecimal":31.5},{"url":"longitude","valueDecimal":-86.5}]}]}"#,
            Some((31.5, -86.5)),
        ),
    ] {
        assert_eq!(place(position).position, want, "{position}");
    }
    let leaning =
        place(r#","partOf":{"reference":"Location/m"},"managingOrganization":{"reference":"Organization/o"}"#);
    assert_eq!(leaning.part_of, Some(source_id("Location", "m")));
    assert_eq!(leaning.organization, Some(source_id("Organization", "o")));
    assert_eq!(place(r#","address":{"line":"1 Main St"}"#).address.lines, ["1 Main St"]);
}

#[test]
fn hours() {
    let days = |days: &str, rest: &str| {
        let list: Vec<String> = days.split(' ').filter(|day| !day.is_empty()).map(|day| format!("{day:?}")).collect();
        format!(r#"{{"daysOfWeek":[{}]{rest}}}"#, list.join(","))
    };
    let from_to = |from: &str, to: &str| format!(r#","openingTime":"{from}","closingTime":"{to}""#);
    let week = days("mon tue wed thu fri", &from_to("08:00:00", "17:00:00"));
    for (hours, want) in [
        (format!("[{week}]"), Some("Mon-Fri 8 AM-5 PM")),
        (week.clone(), Some("Mon-Fri 8 AM-5 PM")),
        (
            format!("[{},{week}]", days("sat sun", &from_to("09:30", "12:00"))),
            Some("Mon-Fri 8 AM-5 PM; Sat, Sun 9:30 AM-12 PM"),
        ),
        (
            format!("[{},{}]", days("mon", &from_to("13:00", "17:00")), days("mon", &from_to("08:00", "12:00"))),
            Some("Mon 8 AM-12 PM, 1 PM-5 PM"),
        ),
        (format!("[{}]", days("wed", r#","allDay":"true""#)), Some("Wed 24 hours")),
        (
            format!("[{}]", days("Monday FRIDAY someday", &from_to("22:00:00", "06:00:00"))),
            Some("Mon, Fri 10 PM-6 AM (next day)"),
        ),
        // A day without times is no open day; it is closed where that is said.
        (format!("[{}]", days("mon tue", "")), None),
        (format!("[{},{week}]", days("sun", r#","allDay":false"#)), Some("Mon-Fri 8 AM-5 PM; Sun closed")),
        (format!("[{},{week}]", days("mon", r#","allDay":false"#)), Some("Mon-Fri 8 AM-5 PM")),
        (format!("[{},{week}]", days("sun", "")), Some("Mon-Fri 8 AM-5 PM")),
        (format!("[{}]", days("", &from_to("00:00", "24:00"))), Some("12 AM-12 AM")),
        (format!("[{}]", days("mon", r#","openingTime":"08:00""#)), Some("Mon from 8 AM")),
        (format!("[{}]", days("mon", &from_to("early", "late"))), Some("Mon early-late")),
        (r#""by appointment""#.to_owned(), Some("by appointment")),
        ("[]".to_owned(), None),
        ("[{}]".to_owned(), None),
        ("null".to_owned(), None),
    ] {
        assert_eq!(place(&format!(r#","hoursOfOperation":{hours}"#)).hours.as_deref(), want, "{hours}");
    }
    let read = role(
        r#","availableTime":[{"daysOfWeek":["mon"],"availableStartTime":"08:00:00","availableEndTime":"09:00:00"}],"availabilityExceptions":"closed on holidays""#,
    );
    assert_eq!(read.hours.as_deref(), Some("Mon 8 AM-9 AM; closed on holidays"));
    for (absence, want) in [
        (
            r#"[{"description":"Sabbatical","during":{"start":"2026-01-01","end":"2026-12-31T00:00:00Z"}}]"#,
            "not available 2026-01-01 to 2026-12-31: Sabbatical",
        ),
        (r#"{"during":{"end":"2026-08"}}"#, "not available until 2026-08"),
        (r#"[{"description":"On leave"}]"#, "not available: On leave"),
    ] {
        assert_eq!(role(&format!(r#","notAvailable":{absence}"#)).hours.as_deref(), Some(want), "{absence}");
    }
}

pub(super) fn phone(number: &str) -> Phone {
    Phone { number: number.to_owned(), period: Period::default() }
}

#[test]
fn lists_that_are_too_long_are_cut() {
    let many = |one: fn(usize) -> String| (0..100_000).map(one).collect::<Vec<_>>().join(",");
    let names = many(|at| format!(r#"{{"text":"Ann Lee {at}","given":["Ann"],"family":"Lee{at}"}}"#));
    let json = format!(
        r#"{{"resourceType":"Practitioner","id":"p","name":[{names},{{"use":"official","text":"Best One"}}]}}"#
    );
    let Fact::Individual(facts) = fact(&json) else { panic!() };
    assert_eq!((facts.names.len(), facts.names[0].text.as_str()), (32, "Best One"));
    assert_eq!(noted(&json), [Note::TooMany]);
    let tags = many(|at| format!(r#"{{"system":"https://x.test/MedicalNetworkId","code":"{at}"}}"#));
    let json = format!(
        r#"{{"resourceType":"PractitionerRole","id":"r","practitioner":{{"reference":"Practitioner/p"}},"meta":{{"tag":[{tags}]}}}}"#
    );
    let Fact::Role(role) = fact(&json) else { panic!() };
    assert_eq!((role.networks.len(), role.unreadable_network), (1_000, true));
}
