//! A payer whose facilities are in networks by OrganizationAffiliation, as the directory guide has it.

use std::collections::BTreeMap;
use std::sync::Arc;

use coverdex_sandbox::server::{Endpoint, FaultSpec, Faults, Options, PublishedPayer};
use coverdex_sandbox::{MadePayer, Quirk, ResourceType, Shape};
use coverdex_sync::fetch::{TypeReport, received};
use coverdex_sync::staging::Staging;
use coverdex_sync::update::Synced;

use super::{Rig, assert_complete, shape};

const BOTH: [ResourceType; 2] = [ResourceType::OrganizationAffiliation, ResourceType::HealthcareService];

fn affiliated() -> MadePayer {
    let shape = shape();
    MadePayer::new(Shape { quirks: shape.quirks.clone().with(Quirk::AffiliatedFacility, 250_000), ..shape })
}

fn of(synced: &Synced, kind: ResourceType) -> Option<&TypeReport> {
    synced.report.types.iter().find(|of| of.resource_type == kind.name())
}

/// How many distinct resources of each type staging holds.
fn staged(staging: &Staging) -> BTreeMap<String, usize> {
    let mut ids: BTreeMap<String, std::collections::BTreeSet<String>> = BTreeMap::new();
    for page in staging.pages() {
        let body: serde_json::Value = serde_json::from_slice(&page.unwrap().body).unwrap_or_default();
        let entries = body["entry"].as_array().cloned().unwrap_or_default();
        for resource in entries.iter().map(|entry| &entry["resource"]).chain([&body]) {
            if let (Some(kind), Some(id)) = (resource["resourceType"].as_str(), resource["id"].as_str()) {
                ids.entry(kind.to_owned()).or_default().insert(id.to_owned());
            }
        }
    }
    ids.into_iter().map(|(kind, ids)| (kind, ids.len())).collect()
}

#[test]
fn both_types_are_read_and_told() {
    let made = affiliated();
    let rig = Rig::of(Arc::new(PublishedPayer::new(made.clone())), Options::default());
    let place = rig.place("affiliated");
    // The same again, the second time.
    for what in ["first", "second"] {
        let synced = rig.sync(&place);
        assert!(synced.outcome.complete && synced.report.complete, "{what}: {:#?}", synced.report);
        assert!(synced.report.networks.iter().all(|network| network.complete && !network.filtered), "{what}");
        let staging = Staging::open(&place.staging).unwrap();
        let (staged, received) = (staged(&staging), received(&staging).unwrap());
        for kind in BOTH {
            let there = made.count(kind);
            assert!(there > 4, "{kind}: {there}");
            let told = of(&synced, kind).unwrap();
            assert_eq!((told.distinct, told.complete, told.gaps.len()), (there, true, 0), "{what}: {kind}");
            assert_eq!(staged[kind.name()] as u64, there, "{what}: {kind}");
            assert_eq!(received[kind.name()].entries, there, "{what}: {kind}");
        }
        assert_eq!(of(&synced, BOTH[1]).unwrap().expected, Some(made.count(BOTH[1])), "affiliations refer to them");
        // Facilities that no role names.
        let facilities = of(&synced, ResourceType::Organization).unwrap();
        assert!(facilities.complete && facilities.distinct > made.count(BOTH[0]), "{facilities:?}");
        for number in 0..made.count(BOTH[0]) {
            let facility = made.count(ResourceType::Organization) - 1 - number;
            let id = made.id(ResourceType::Organization, facility);
            assert!(rig.running.log().iter().any(|request| request.target.contains(&id)), "{what}: {facility}");
        }
    }
}

#[test]
fn a_payer_without_them_is_read_as_before() {
    let rig = Rig::new();
    let place = rig.place("without");
    let synced = rig.sync(&place);
    assert_complete(&synced, "without");
    let requests = rig.running.requests();
    for kind in BOTH {
        assert!(of(&synced, kind).is_none());
        assert_eq!(requests.of(Endpoint::Search(kind)) + requests.of(Endpoint::Read(kind)), 0);
    }
}

#[test]
fn what_is_offered_and_does_not_come_is_told() {
    let rig = Rig::of(Arc::new(PublishedPayer::new(affiliated())), Options::default());
    let place = rig.place("broken");
    let fault: FaultSpec = "permanent-failure@OrganizationAffiliation".parse().unwrap();
    rig.set(Faults { specs: vec![fault], ..Faults::none() });
    let synced = rig.sync(&place);
    assert!(!synced.outcome.complete && !synced.report.complete);
    let told = of(&synced, ResourceType::OrganizationAffiliation).unwrap();
    assert!(!told.complete && told.reasons[0].contains("500"), "{told:?}");
    for network in &synced.report.networks {
        assert!(!network.complete && network.reasons[0].starts_with("OrganizationAffiliation: "), "{network:?}");
    }
    assert!(of(&synced, ResourceType::PractitionerRole).unwrap().complete, "nothing else suffers");
    rig.set(Faults::none());
    assert_complete(&rig.sync(&place), "healed");
}
