//! References: contained resources, providers by NPI, entries of a Bundle, servers; affiliations and
//! services.

use coverdex_core::NetworkKey;

use super::directory::{PN, named};
use super::shape::outcomes;
use crate::model::{Content, Fact, Individual, Received, ResourceKind, Role, Server, ServiceFacts, SourceId};
use crate::source::fhir::identity::source_id;
use crate::source::fhir::{Note, Outcome, read_each};

/// The resource, its notes, and what stands inside it.
fn each(json: &str) -> (Received, Vec<Note>, Vec<Received>) {
    let mut first = None;
    let mut within = Vec::new();
    read_each(json.as_bytes(), &mut |outcome| match outcome {
        Outcome::Received(received, notes) => first = Some((received, notes.iter().collect())),
        Outcome::Within(received) => within.push(received),
        other => panic!("{json}: {other:?}"),
    });
    let (received, notes) = first.unwrap();
    (received, notes, within)
}

fn role_of(received: &Received) -> &Role {
    match &received.content {
        Content::Fact(Fact::Role(role)) => role,
        other => panic!("{other:?}"),
    }
}

fn role_json(more: &str) -> String {
    format!(r#"{{"resourceType":"PractitionerRole","id":"r"{more}}}"#)
}

#[test]
fn contained_resources_are_resources_of_their_own() {
    let (received, notes, within) = each(&role_json(
        r##","meta":{"lastUpdated":"1970-01-01T00:00:01Z","versionId":"3"},
          "contained":[{"resourceType":"Practitioner","id":"p","name":{"text":"Refa Contained"}},
            {"resourceType":"Location","id":"l","managingOrganization":{"reference":"#o"}},
            {"resourceType":"Organization","id":"o","name":"Group"},{"resourceType":"Location","id":"unused"}],
          "practitioner":{"reference":"#p"},"location":[{"reference":"#l"}]"##,
    ));
    let role = role_of(&received);
    assert_eq!(role.individual, Some(source_id("Practitioner", "r#p")));
    assert_eq!(role.places, [source_id("Location", "r#l")]);
    assert_eq!(notes, [Note::UnreadContained]);
    let shown: Vec<_> = within.iter().map(|inner| (inner.kind, inner.source)).collect();
    assert_eq!(
        shown,
        [
            (ResourceKind::Individual, source_id("Practitioner", "r#p")),
            (ResourceKind::Place, source_id("Location", "r#l")),
            (ResourceKind::Organization, source_id("Organization", "r#o")),
        ]
    );
    assert!(within.iter().all(|inner| inner.updated == received.updated && inner.version == Some(3)));
    let Content::Fact(Fact::Place(place)) = &within[1].content else { panic!() };
    assert_eq!(place.organization, Some(source_id("Organization", "r#o")));
}

#[test]
fn networks_by_contained_organization() {
    let read = |organization: &str, reference: &str| {
        each(&role_json(&format!(
            r#","practitioner":{{"reference":"Practitioner/p"}},"contained":[{organization}],
              "extension":[{{"url":"{PN}/network-reference","valueReference":{reference}}}]"#
        )))
    };
    let keyed = r#"{"resourceType":"Organization","id":"n","name":"Gold","identifier":[{"system":"x/NetworkId","value":"100"}]}"#;
    let (received, _, within) = read(keyed, r##"{"reference":"#n"}"##);
    let role = role_of(&received);
    assert_eq!(role.networks, [named("x/NetworkId", "100", Some("Gold"))]);
    assert!(!role.unreadable_network);
    assert_eq!(role.network_references, [(within[0].source, None)]);
    let keyless = r#"{"resourceType":"Organization","id":"n","type":{"coding":{"code":"ntwk"}},"name":"Gold"}"#;
    let (received, _, within) = read(keyless, r##"{"reference":"#n"}"##);
    assert_eq!(role_of(&received).networks, [named("Organization", "r#n", Some("Gold"))]);
    let Content::Fact(Fact::Organization(network)) = &within[0].content else { panic!() };
    assert_eq!(network.network_keys, [NetworkKey::new("Organization", "r#n").unwrap()]);
    // A network is what it is referred to as, also where it does not say so.
    let (_, _, within) = read(r#"{"resourceType":"Organization","id":"n","name":"Gold"}"#, r##"{"reference":"#n"}"##);
    let Content::Fact(Fact::Organization(network)) = &within[0].content else { panic!() };
    assert_eq!((network.types.as_slice(), network.network_keys.len()), (["ntwk".to_owned()].as_slice(), 1));
    // A network is stated, and which one is not known.
    for reference in [r##"{"reference":"#x"}"##, r#"{"display":"Gold"}"#, r#"{"reference":"Location/n"}"#, "{}"] {
        let (received, notes, _) = read(keyed, reference);
        assert!(role_of(&received).unreadable_network, "{reference}");
        assert!(notes.contains(&Note::UnreadableNetwork), "{reference}");
    }
    let (received, _, _) = read(keyed, r#"{"reference":"Organization/n"}"#);
    assert!(!role_of(&received).unreadable_network);
}

#[test]
fn providers_by_npi_alone() {
    let role = |practitioner: &str| each(&role_json(&format!(r#","practitioner":{practitioner}"#)));
    let npi =
        r#"{"identifier":{"system":"http://hl7.org/fhir/sid/us-npi","value":"1234567893"},"display":"Refa Logical"}"#;
    let (received, _, within) = role(npi);
    assert_eq!(role_of(&received).individual, Some(within[0].source));
    let Content::Fact(Fact::Individual(Individual { npis, names, .. })) = &within[0].content else { panic!() };
    assert_eq!((npis[0].as_str(), names[0].text.as_str()), ("1234567893", "Refa Logical"));
    // The same words are the same resource; other words another one.
    assert_eq!(role(npi).2, within);
    assert_ne!(role(&npi.replace("Logical", "Other")).2[0].source, within[0].source);
    let licence = r#"{"identifier":{"system":"x/licence","value":"1234567893"},"display":"A"}"#;
    assert!(matches!(role(licence).0.content, Content::Quarantined(_)));
    // A number that is no NPI names nobody; spellings of one NPI name one provider.
    assert!(matches!(role(&npi.replace("1234567893", "0000000000")).0.content, Content::Quarantined(_)));
    assert_eq!(role(&npi.replace("1234567893", "1234-567-893")).2, within);
    // A reference that can be read needs no NPI.
    let both = npi.replacen('{', r#"{"reference":"Practitioner/p","#, 1);
    let (received, _, within) = role(&both);
    assert_eq!((role_of(&received).individual, within.len()), (Some(source_id("Practitioner", "p")), 0));
}

#[test]
fn entries_without_ids_are_known_by_their_urns() {
    let bundle = r#"{"resourceType":"Bundle","entry":[
        {"fullUrl":"urn:uuid:1","resource":{"resourceType":"Practitioner","name":{"text":"Refa Uuid"}}},
        {"fullUrl":"urn:uuid:2","resource":{"resourceType":"Location","name":"Clinic"}},
        {"fullUrl":"urn:uuid:3","resource":{"resourceType":"PractitionerRole","practitioner":{"reference":"urn:uuid:1"},"location":[{"reference":"urn:uuid:2"}]}}]}"#;
    let read: Vec<Received> = outcomes(bundle)
        .into_iter()
        .map(|outcome| match outcome {
            Outcome::Received(received, notes) => {
                assert_eq!(notes.iter().count(), 0);
                received
            }
            other => panic!("{other:?}"),
        })
        .collect();
    let role = role_of(&read[2]);
    assert_eq!((role.individual, role.places.as_slice()), (Some(read[0].source), [read[1].source].as_slice()));
    assert_eq!(read[2].source, source_id("PractitionerRole", "urn:uuid:3"));
    assert!(read.iter().all(|received| received.servers.is_none()));
}

#[test]
fn servers_of_absolute_references() {
    let individual = |reference: &str| {
        let (received, _, _) = each(&role_json(&format!(r#","practitioner":{{"reference":"{reference}"}}"#)));
        (role_of(&received).individual.unwrap(), received.servers.map(|servers| servers.referred))
    };
    let local = source_id("Practitioner", "p");
    let server = Server("fhir.payer.test/Api".into());
    for reference in [
        "https://fhir.payer.test/Api/Practitioner/p",
        "HTTP://FHIR.Payer.test:80/Api//Practitioner/p/_history/2",
        "https://fhir.payer.test:443/Api/Practitioner/p",
    ] {
        assert_eq!(individual(reference), (local.at(server.hash()), Some(vec![server.clone()])), "{reference}");
        assert_eq!(individual(reference).0.at(server.hash()), local);
    }
    for reference in ["Practitioner/p", "/Practitioner/p", "Practitioner/p/_history/2", "p"] {
        assert_eq!(individual(reference), (local, None), "{reference}");
    }
    assert_eq!(Server("h.test:8080/a".into()).host(), "h.test");
}

#[test]
fn servers_of_a_bundle() {
    let bundle = r#"{"resourceType":"Bundle","entry":[
        {"fullUrl":"https://a.test/api/Practitioner/p","resource":{"resourceType":"Practitioner","id":"p","name":"A"}},
        {"fullUrl":"https://a.test/api/Location/l","resource":{"resourceType":"Location","id":"l"}},
        {"fullUrl":"https://b.test/api/Location/other","resource":{"resourceType":"Location","id":"l2"}},
        {"resource":{"resourceType":"PractitionerRole","id":"r","practitioner":{"reference":"https://a.test/api/Practitioner/p"},
          "location":[{"reference":"https://b.test/api/Location/elsewhere"}]}}]}"#;
    let mut own = Vec::new();
    let mut referred = Vec::new();
    let mut individual: Option<SourceId> = None;
    for outcome in outcomes(bundle) {
        let Outcome::Received(received, _) = outcome else { panic!("{outcome:?}") };
        if let Content::Fact(Fact::Role(role)) = &received.content {
            individual = role.individual;
        }
        let servers = received.servers.unwrap_or_default();
        own.extend(servers.own);
        referred.extend(servers.referred);
    }
    // An entry of the same Bundle is at hand at once; the server is noted once.
    assert_eq!(individual, Some(source_id("Practitioner", "p")));
    assert_eq!(own, [Server("a.test/api".into())]);
    assert_eq!(referred, [Server("b.test/api".into())]);
}

fn service(more: &str) -> ServiceFacts {
    match each(&format!(r#"{{"resourceType":"HealthcareService","id":"s"{more}}}"#)).0.content {
        Content::Fact(Fact::Service(service)) => service,
        other => panic!("{other:?}"),
    }
}

#[test]
fn services() {
    let read = service(
        r#","active":true,"meta":{"tag":[{"system":"https://x.test/NetworkId","code":"1"}]},
          "extension":[{"url":"x/network-reference","valueReference":{"reference":"Organization/n","display":"Gold"}}],
          "providedBy":{"reference":"Organization/o"},"category":[{"coding":[{"code":"Pharm"}]}],"type":[{"text":"Mail"}],
          "specialty":[{"text":"Mail Order Pharmacy"}],"location":[{"reference":"Location/l"}],
          "telecom":[{"system":"phone","value":"314-555-0101"},{"system":"url","value":"https://x.test"}],
          "availableTime":[{"daysOfWeek":["mon"],"availableStartTime":"08:00:00","availableEndTime":"17:00:00"}],
          "notAvailable":[{"description":"Moving"}]"#,
    );
    assert_eq!((read.active, read.organization), (Some(true), Some(source_id("Organization", "o"))));
    assert_eq!((read.places.as_slice(), read.phones.len()), ([source_id("Location", "l")].as_slice(), 1));
    assert_eq!(read.networks[0].key.id(), "1");
    assert_eq!(read.network_references, [(source_id("Organization", "n"), Some("Gold".to_owned()))]);
    assert_eq!(read.types, ["Mail", "pharm"]);
    assert_eq!(read.specialties[0].text.as_deref(), Some("Mail Order Pharmacy"));
    assert_eq!(read.hours.as_deref(), Some("Mon 8 AM-5 PM; not available: Moving"));
    // A role may leave to its service whose it is.
    let (received, _, _) = each(&role_json(r#","healthcareService":[{"reference":"HealthcareService/s"}]"#));
    assert_eq!(role_of(&received).services, [source_id("HealthcareService", "s")]);
}

#[test]
fn affiliations() {
    let read = |more: &str| each(&format!(r#"{{"resourceType":"OrganizationAffiliation","id":"a"{more}}}"#)).0;
    let received = read(
        r#","active":true,"period":{"end":"1970-01-02"},"organization":{"reference":"Organization/hospital"},
          "participatingOrganization":{"reference":"Organization/chain"},"network":[{"reference":"Organization/n","display":"Gold"}],
          "code":[{"coding":[{"code":"pharmacy"}]}],"specialty":[{"coding":[{"code":"3336C0003X"}]}],
          "location":[{"reference":"Location/l"}],"healthcareService":[{"reference":"HealthcareService/s"}],
          "telecom":[{"system":"phone","value":"314-555-0101"}]"#,
    );
    assert_eq!(
        (received.kind, received.source),
        (ResourceKind::Affiliation, source_id("OrganizationAffiliation", "a"))
    );
    let role = role_of(&received);
    assert_eq!((role.individual, role.organization), (None, Some(source_id("Organization", "chain"))));
    assert_eq!(role.network_references, [(source_id("Organization", "n"), Some("Gold".to_owned()))]);
    assert_eq!(
        (role.active, role.period.end, role.directory_types.as_slice()),
        (Some(true), Some(1), ["pharmacy".to_owned()].as_slice())
    );
    assert_eq!((role.specialties.len(), role.places.len(), role.services.len(), role.phones.len()), (1, 1, 1, 1));
    let alone = read(r#","organization":{"reference":"Organization/hospital"}"#);
    assert_eq!(role_of(&alone).organization, Some(source_id("Organization", "hospital")));
    assert_eq!(read("").content, Content::OfNoUse("names no organization".into()));
    let words = r#","organization":{"reference":"Organization/o"},"participatingOrganization":{"display":"Chain"}"#;
    assert!(matches!(read(words).content, Content::Quarantined(_)));
}

#[test]
fn placeholders_of_a_server_are_no_resources() {
    let read = |url: &str| {
        let extension = format!(r#""extension":[{{"url":"{url}","valueBoolean":true}}]"#);
        each(&format!(r#"{{"resourceType":"Practitioner","id":"a","name":[{{"text":"Ann Lee"}}],{extension}}}"#))
            .0
            .content
    };
    assert!(matches!(read("http://hapifhir.io/fhir/StructureDefinition/resource-placeholder"), Content::OfNoUse(_)));
    assert!(matches!(read("http://payer.test/no-resource-placeholder-at-all"), Content::Fact(_)));
}
