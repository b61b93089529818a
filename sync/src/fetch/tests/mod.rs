//! Whole syncs against a payer in memory: what ends like an undisturbed run, what ends incomplete
//! and says so, and that it goes on afterwards.

mod affiliations;
mod faults;
mod firewall;
pub(super) mod network;
mod parts;
mod payer;
mod resume;
mod second;
#[cfg(all(unix, not(target_vendor = "apple")))]
mod tls;

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Arc, Mutex};

use payer::{BASE, PLANS, Payer, payer, shared};
use tempfile::TempDir;

use super::*;
use crate::staging::Staging;

fn config() -> Config {
    Settings { base_url: Some(BASE.to_owned()), ..Settings::default() }.check().unwrap()
}

fn options(folder: &Path) -> Options {
    Options { selection: Selection::default(), staging: folder.to_owned(), accept_shrink: false, full: false }
}

fn clock(day: &str) -> Arc<dyn Clock> {
    Arc::new(FastClock::fixed_at(format!("{day}T00:00:00Z").parse().unwrap()))
}

async fn run(payer: &Arc<Payer>, options: &Options, day: &str) -> Outcome {
    let transport: Arc<dyn Transport> = Arc::<Payer>::clone(payer);
    sync(config(), options, transport, clock(day), Arc::new(|_| ()), Stop::default()).await.unwrap()
}

/// All resources that staging holds, as `Type/id` and JSON. Of several states of one, the newest.
fn staged(folder: &Path) -> BTreeMap<String, String> {
    let mut all: BTreeMap<String, (String, String)> = BTreeMap::new();
    for page in Staging::open(folder).unwrap().pages() {
        let page = page.unwrap();
        let text = crate::fhir::json::text(&page.body);
        for entry in crate::fhir::page::entries(&text, &page.request.resource_type) {
            let state = (entry.updated.as_deref().unwrap_or_default().to_owned(), entry.json.to_owned());
            let name = format!("{}/{}", entry.resource_type, entry.id);
            let newest = all.entry(name).or_insert_with(|| state.clone());
            *newest = state.max(newest.clone());
        }
    }
    all.into_iter().map(|(name, (_, json))| (name, json)).collect()
}

fn report_of(folder: &Path) -> SyncReport {
    report(&Staging::open(folder).unwrap()).unwrap()
}

/// What an undisturbed sync of the payer ends with.
async fn undisturbed() -> (BTreeMap<String, String>, SyncReport) {
    let folder = TempDir::new().unwrap();
    let outcome = run(&shared(payer()), &options(folder.path()), "2026-07-01").await;
    assert!(outcome.complete, "{:?}", outcome.incomplete);
    (staged(folder.path()), report_of(folder.path()))
}

#[tokio::test]
async fn everything_is_read_with_no_request_too_many() {
    let folder = TempDir::new().unwrap();
    let payer = shared(payer());
    let events: Arc<Mutex<Vec<Event>>> = Arc::default();
    let watch: Watch = {
        let events = Arc::clone(&events);
        Arc::new(move |event| events.lock().unwrap().push(event.clone()))
    };
    let transport: Arc<dyn Transport> = Arc::<Payer>::clone(&payer);
    let outcome =
        sync(config(), &options(folder.path()), transport, clock("2026-07-01"), watch, Stop::default()).await.unwrap();
    assert!(outcome.complete, "{:?}", outcome.incomplete);
    assert_eq!(staged(folder.path()), payer.visible(&[]));

    let requests = payer.requests();
    assert_eq!(outcome.crawl.requests, requests.len() as u64);
    let mut by_type: BTreeMap<&str, usize> = BTreeMap::new();
    for request in &requests {
        *by_type.entry(request.split('?').next().unwrap().split('/').next().unwrap()).or_default() += 1;
    }
    let expected = [
        // One try of what not every payer has.
        ("HealthcareService", 1),
        // Whether the server counts, and whether something lies beyond the end: found out once.
        ("InsurancePlan", 1 + 2),
        // All Lists, the plan without one, all Lists again.
        ("List", 3),
        ("Location", 34),
        // Seven pages, and what they hide or lack: two hidden ones and one that is not there.
        ("MedicationKnowledge", 7 + 3),
        ("Medication", 3),
        ("Organization", 12),
        ("OrganizationAffiliation", 1),
        ("Practitioner", 4 + 2),
        ("PractitionerRole", 6),
        ("metadata", 1),
    ];
    assert_eq!(by_type, expected.into());
    assert!(requests.iter().all(|r| !r.contains("_tag") && !r.contains("_id=") && !r.contains("_lastUpdated")));

    let report = report_of(folder.path());
    assert!(report.complete);
    assert_eq!(report.as_of.as_deref(), Some("2026-07-01T00:00:00Z"));
    let of = |name: &str| report.types.iter().find(|t| t.resource_type == name).unwrap();
    let gap = |status, count| vec![Gap { status: Some(status), count }];
    assert_eq!((of("MedicationKnowledge").expected, of("MedicationKnowledge").distinct), (Some(125), 125));
    assert_eq!(of("MedicationKnowledge").gaps, gap(404, 1));
    assert_eq!((of("Practitioner").expected, of("Practitioner").distinct), (Some(72), 70));
    assert_eq!(of("Practitioner").gaps, gap(404, 2));
    assert_eq!((of("Location").gaps.clone(), of("Organization").gaps.clone()), (gap(404, 1), vec![]));
    assert_eq!(of("PractitionerRole").distinct, 110);
    let plans: Vec<_> =
        report.plans.iter().map(|p| (p.plan.as_str(), p.lists, p.expected, p.present, p.complete)).collect();
    assert_eq!(
        plans,
        [
            (PLANS[0], 3, 55, 55, true),
            (PLANS[1], 2, 40, 40, true),
            (PLANS[3], 0, 0, 0, true),
            (PLANS[2], 2, 30, 29, true)
        ]
    );
    assert_eq!(report.networks.len(), 2);
    assert!(report.networks.iter().all(|n| n.complete && !n.filtered));

    let received = received(&Staging::open(folder.path()).unwrap()).unwrap();
    assert_eq!((received["MedicationKnowledge"].entries, received["MedicationKnowledge"].by_id), (123, 2));
    assert_eq!(received["Practitioner"].total, Some(70));
    let events = events.lock().unwrap();
    assert!(
        events.iter().any(
            |e| matches!(e, Event::Page { resource_type, entries: 110, .. } if resource_type == "PractitionerRole")
        )
    );
    assert!(
        events.iter().any(|e| matches!(e, Event::Read { resource_type, count: 34 } if resource_type == "Location"))
    );
}
