//! InsurancePlan.

use coverdex_core::NetworkKey;

use super::{fact, received};
use crate::model::{AreaReference, Content, Fact, NetworkName, PlanFacts, ResourceKind, ServiceArea};
use crate::source::fhir::identity::source_id;

fn plans(more: &str) -> Vec<PlanFacts> {
    match fact(&format!(r#"{{"resourceType":"InsurancePlan","id":"p"{more}}}"#)) {
        Fact::Plans(plans) => plans,
        other => panic!("{other:?}"),
    }
}

fn ids(more: &str) -> Vec<String> {
    plans(more).iter().map(|plan| plan.plan.to_string()).collect()
}

fn areas(more: &str) -> Vec<(Option<String>, Option<String>)> {
    let plans = plans(&format!(r#","identifier":[{{"value":"H1234-567-000-2026"}}]{more}"#));
    plans[0].areas.iter().cloned().map(|ServiceArea { state, county }| (state, county)).collect()
}

fn named(system: &str, id: &str, label: Option<&str>) -> NetworkName {
    NetworkName { key: NetworkKey::new(system, id).unwrap(), label: label.map(str::to_owned) }
}

#[test]
fn ids_of_plans() {
    for (more, want) in [
        (
            r#","plan":[{"identifier":[{"system":"x/PlanId","value":"H1-bad"},{"system":"y/PlanId","value":"H1234-567-000-2026"}]}]"#,
            vec!["H1234-567-000-2026", "H1-BAD"],
        ),
        (
            r#","plan":[{"identifier":{"value":"H1234-567-000-2026"}},{"identifier":[{"value":"H1234-568-000-2026"}]}]"#,
            vec!["H1234-567-000-2026", "H1234-568-000-2026"],
        ),
        (
            r#","identifier":[{"value":"H1234-567-000-2026"}],"plan":[{"type":{"text":"a"}}]"#,
            vec!["H1234-567-000-2026"],
        ),
        (r#","identifier":[{"value":"H1234-567-000-2026"}]"#, vec!["H1234-567-000-2026"]),
        (
            r#","identifier":[{"value":"H1234-567-000-2026"}],"plan":[{"identifier":[{"value":"H1234-568-000-2026"}]}]"#,
            vec!["H1234-568-000-2026"],
        ),
        (r#","plan":{"identifier":[{"value":"H1234-567"},{"value":"H1234-567-000"}]}"#, vec!["H1234-567-000"]),
    ] {
        assert_eq!(ids(more), want, "{more}");
    }
    let content = |json: &str| received(json).0.content;
    // Without an identifier the resource's id stands for it, also where a placeholder stands.
    assert_eq!(ids(r#","name":"x","plan":[{"type":{"text":"a"}},{"type":{"text":"b"}}]"#), ["P", "P"]);
    assert_eq!(ids(r#","identifier":[{"value":"HIOS-PLAN-ID"}]"#), ["P"]);
    assert_eq!(content(r#"{"resourceType":"InsurancePlan","name":"x"}"#), Content::Quarantined("no plan id".into()));
    assert!(matches!(
        content(
            r#"{"resourceType":"InsurancePlan","id":"p","identifier":[{"value":"H1234-567"}],"type":[{"coding":[{"code":"DRUGPOL"}]}]}"#
        ),
        Content::OfNoUse(_)
    ));
}

#[test]
fn words_and_types() {
    let plans = plans(
        r#","name":" Gold  Plus (HMO) ","status":"retired","type":[{"text":"Medicare Individual"}],
           "plan":[{"identifier":[{"value":"H1234-567-000-2026"}],"type":{"coding":[{"code":"MA-PD"},{"code":"MA-PD"}]}}]"#,
    );
    assert_eq!(plans[0].name.as_deref(), Some("Gold Plus (HMO)"));
    assert_eq!(plans[0].types, ["MA-PD", "Medicare Individual"]);
    assert!(!plans[0].current);
}

#[test]
fn networks() {
    let plans = plans(
        r##","contained":[{"resourceType":"Organization","id":"n","name":"Rx","identifier":[{"system":"x/PharmacyNetworkId","value":"9"}]}],
           "network":[{"identifier":{"system":"x/VisionNetworkID","value":"1395"},"display":"Vision Select"},
             {"identifier":{"system":"http://x/visionnetworkid","value":1395}},
             {"reference":"Organization/o1","display":"PPO"},{"reference":"#n"},{"display":"words only"},null],
           "plan":[{"identifier":[{"value":"H1234-567-000-2026"}],"network":[{"identifier":{"system":"x/MedicalDentalNetworkId","value":"7"}}]},
             {"identifier":[{"value":"H1234-568-000-2026"}]}]"##,
    );
    assert_eq!(
        plans[0].networks,
        [
            named("x/MedicalDentalNetworkId", "7", None),
            named("x/PharmacyNetworkId", "9", Some("Rx")),
            named("x/VisionNetworkID", "1395", Some("Vision Select"))
        ]
    );
    assert_eq!(plans[1].networks.len(), 2);
    // The network that is words only cannot be read: it leads nowhere.
    let unreadable = (source_id("Organization", "#unreadable"), None);
    assert_eq!(plans[0].network_references, [(source_id("Organization", "o1"), Some("PPO".to_owned())), unreadable]);
    assert_eq!(ResourceKind::Organization.as_str(), "Organization");
}

#[test]
fn networks_of_coverages() {
    let plans = plans(
        r#","coverage":[{"network":[{"identifier":{"system":"x/NetworkId","value":"7"}},{"reference":"Organization/o1"}]},
             {"network":{"reference":"Organization/o2"}},{}],
           "plan":[{"identifier":[{"value":"H1234-567-000-2026"}]},{"identifier":[{"value":"H1234-568-000-2026"}]}]"#,
    );
    for plan in plans {
        assert_eq!(plan.networks, [named("x/NetworkId", "7", None)]);
        let mut sources: Vec<_> = plan.network_references.into_iter().map(|(source, _)| source).collect();
        sources.sort_unstable();
        let mut want = ["o1", "o2"].map(|id| source_id("Organization", id));
        want.sort_unstable();
        assert_eq!(sources, want);
    }
}

#[test]
fn networks_without_identifiers() {
    let plans = plans(
        r##","contained":[{"resourceType":"Organization","id":"n","name":"Rx"}],"network":[{"reference":"#n"}],
           "identifier":[{"value":"H1234-567"}]"##,
    );
    assert_eq!(plans[0].networks, [named("Organization", "p#n", Some("Rx"))]);
}

#[test]
fn hosts_of_the_payers_systems() {
    let json = r##"{"resourceType":"InsurancePlan","id":"p",
        "contained":[{"resourceType":"Organization","id":"n","identifier":[{"system":"https://c.test/NetworkId","value":"1"}]}],
        "network":[{"identifier":{"system":"https://Payer.test:8443/x/NetworkId","value":"1395"}},{"reference":"#n"}],
        "plan":[{"identifier":[{"system":"http://plans.test/PlanId","value":"H1234-567"},{"system":"http://cms.gov/medicare/ma-plan-id","value":"H1234-567"}]}]}"##;
    let servers = received(json).0.servers.unwrap();
    assert_eq!(servers.system_hosts, ["plans.test", "payer.test", "c.test"]);
    assert!(servers.own.is_empty() && servers.referred.is_empty());
    let none = r#"{"resourceType":"InsurancePlan","id":"p","network":[{"reference":"Organization/n"}]}"#;
    assert_eq!(received(none).0.servers, None);
}

#[test]
fn service_areas() {
    let area = |state: &str, county: &str| {
        let some = |text: &str| (!text.is_empty()).then(|| text.to_owned());
        (some(state), some(county))
    };
    let state = r#"{"system":"http://hl7.org/fhir/us/core/2021Jan/ValueSet-us-core-usps-state.html","value":"VA"}"#;
    let county = r#"{"system":"https://x.test/glossary/County","value":"City of Fairfax"}"#;
    let location = |id: &str, rest: &str| format!(r#"{{"resourceType":"Location","id":"{id}",{rest}}}"#);
    for (contained, want) in [
        (location("1", &format!(r#""identifier":[{state},{county}]"#)), vec![area("VA", "City of Fairfax")]),
        (location("1", &format!(r#""identifier":[{county},{state}]"#)), vec![area("VA", "City of Fairfax")]),
        (location("1", &format!(r#""identifier":{state}"#)), vec![area("VA", "")]),
        (
            location("1", r#""address":{"state":"MD","district":"Baltimore County"}"#),
            vec![area("MD", "Baltimore County")],
        ),
        (
            location("1", &format!(r#""identifier":[{county}],"address":{{"state":"VA"}}"#)),
            vec![area("VA", "City of Fairfax")],
        ),
        (location("1", r#""name":"Everywhere""#), vec![area("", "Everywhere")]),
        (location("1", r#""identifier":[]"#), vec![]),
        (r#"{"resourceType":"Organization","id":"o","name":"x"}"#.to_owned(), vec![]),
    ] {
        assert_eq!(areas(&format!(r#","contained":[{contained}]"#)), want, "{contained}");
    }
    // Two counties under one state, stated twice.
    let two = location(
        "1",
        &format!(r#""identifier":[{state},{county},{{"system":"x/County","value":"Falls Church City"}}]"#),
    );
    assert_eq!(
        areas(&format!(r#","contained":[{two},{two}]"#)),
        [area("VA", "City of Fairfax"), area("VA", "Falls Church City")]
    );
    // coverageArea chooses among the contained; elsewhere only words are known.
    let both = format!(
        r#","contained":[{},{}]"#,
        location("a", r#""address":{"state":"VA"}"#),
        location("b", r#""address":{"state":"MD"}"#)
    );
    assert_eq!(areas(&both), [area("MD", ""), area("VA", "")]);
    assert_eq!(areas(&format!(r##"{both},"coverageArea":[{{"reference":"#b"}}]"##)), [area("MD", "")]);
    assert_eq!(areas(&format!(r##"{both},"plan":[{{"coverageArea":[{{"reference":"#a"}}]}}]"##)), [area("VA", "")]);
    let elsewhere = r#","coverageArea":[{"reference":"Location/9","display":"Fairfax"},{"reference":"Location/8"},{"display":"Loudoun"}]"#;
    assert_eq!(areas(elsewhere), [area("", "Loudoun")]);
    let referred =
        |id: &str, words: &str| AreaReference { place: source_id("Location", id), words: Some(words.into()) };
    let mut want = [referred("9", "Fairfax"), referred("8", "Location/8")];
    want.sort();
    assert_eq!(plans(elsewhere)[0].area_references, want);
    // What one plan claims for itself is not another's.
    let plans = plans(&format!(
        r##"{both},"plan":[{{"identifier":[{{"value":"H1234-567"}}],"coverageArea":[{{"reference":"#a"}}]}},{{"identifier":[{{"value":"H1234-568"}}]}}]"##
    ));
    assert_eq!((plans[0].areas[0].state.as_deref(), plans[1].areas[0].state.as_deref()), (Some("VA"), Some("MD")));
    assert_eq!((plans[0].areas.len(), plans[1].areas.len()), (1, 1));
}
