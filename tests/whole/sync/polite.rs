//! What a sync asks of a payer: what the API document has, no more than it must, no faster than told.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use coverdex_sandbox::server::{Endpoint, Offer, Options, Payer, PublishedPayer};
use coverdex_sandbox::{MadePayer, ResourceType, Shape};
use coverdex_sync::fetch::{Rate, Settings};
use coverdex_sync::update::{FromStaging, sync_and_build};

use serde_json::Value;

use super::{PAYER, Rig, assert_complete, assert_same, shape};

/// Entries in a page.
const PAGE: u64 = 100;

/// The fewest requests that see everything of a payer as the API document has it.
fn least(payer: &PublishedPayer) -> u64 {
    let shown =
        |kind: ResourceType| (0..payer.count(kind)).filter(|index| !payer.read_by_id_only(kind, *index)).count() as u64;
    let pages = |kind| shown(kind).div_ceil(PAGE).max(1);
    let searched = [
        ResourceType::MedicationKnowledge,
        ResourceType::Medication,
        ResourceType::InsurancePlan,
        ResourceType::PractitionerRole,
        ResourceType::Practitioner,
    ];
    // Each plan's Lists, five on a page, at the beginning and again at the end. That there are none is
    // asked twice before it is believed.
    let of_plan = |plan: &String| match payer.lists_of(plan).len() as u64 {
        0 => 3,
        lists => 2 * lists.div_ceil(5),
    };
    let lists: u64 = plans(payer).iter().map(of_plan).sum();
    let mut referred: BTreeSet<String> = BTreeSet::new();
    for kind in [ResourceType::PractitionerRole, ResourceType::InsurancePlan, ResourceType::List] {
        for index in 0..payer.count(kind) {
            references(&payer.resource(kind, index), &mut referred);
        }
    }
    let by_id = referred.iter().filter(|reference| {
        let (kind, id) = reference.split_once('/').unwrap();
        let Ok(kind) = kind.parse::<ResourceType>() else { return false };
        let index = payer.index_of(kind, id);
        let searched = matches!(kind, ResourceType::MedicationKnowledge | ResourceType::Practitioner);
        !searched || index.is_none_or(|index| payer.read_by_id_only(kind, index))
    });
    searched.into_iter().map(pages).sum::<u64>() + lists + by_id.count() as u64
}

/// Every plan that a plan or an entry names.
fn plans(payer: &PublishedPayer) -> BTreeSet<String> {
    let mut plans: BTreeSet<String> = payer.made().plans().iter().map(|plan| plan.id.to_string()).collect();
    for index in 0..payer.count(ResourceType::MedicationKnowledge) {
        let entry: Value = serde_json::from_str(&payer.resource(ResourceType::MedicationKnowledge, index)).unwrap();
        let extensions = entry["extension"].as_array().cloned().unwrap_or_default();
        let named = extensions.iter().filter(|extension| extension["url"].to_string().contains("PlanID"));
        plans.extend(named.filter_map(|extension| Some(extension["valueString"].as_str()?.trim().to_owned())));
    }
    plans
}

/// What a resource refers to, as `Type/id`, of the types that are read by id.
fn references(json: &str, found: &mut BTreeSet<String>) {
    for kind in ["MedicationKnowledge", "Practitioner", "Organization", "Location"] {
        for (at, name) in json.match_indices(&format!("{kind}/")) {
            let id: String =
                json[at + name.len()..].chars().take_while(|c| !matches!(c, '"' | '/' | '?' | '|')).collect();
            let begins = json[..at].ends_with(['"', '/']);
            if begins {
                found.insert(format!("{kind}/{id}"));
            }
        }
    }
}

#[test]
fn a_sync_asks_for_what_it_must_and_nothing_else() {
    let payer = PublishedPayer::new(MadePayer::new(Shape { locations: 240, practitioners: 240, ..shape() }));
    let least = least(&payer);
    let rig = Rig::of(Arc::new(payer), Options { strict: true, ..Options::default() });
    let synced = rig.sync(&rig.place("polite"));
    assert_complete(&synced, "strict");
    let requests = rig.running.requests();
    let allowed = least + least / 100 + 10;
    assert!(requests.total <= allowed, "{} requests, {least} would do: {:#?}", requests.total, requests.by_endpoint);
    assert_eq!(synced.outcome.crawl.requests, requests.total);
    for (endpoint, count) in &requests.by_endpoint {
        let is_documented = match endpoint {
            Endpoint::Metadata => *count <= 2,
            Endpoint::Search(kind) => !matches!(kind, ResourceType::Organization | ResourceType::Location),
            Endpoint::Read(kind) => matches!(
                kind,
                ResourceType::MedicationKnowledge
                    | ResourceType::Practitioner
                    | ResourceType::Organization
                    | ResourceType::Location
            ),
            _ => false,
        };
        assert!(is_documented, "{endpoint:?}: {count} requests");
    }
    assert!(requests.with_authorization.is_empty());
    assert!(requests.most_at_once <= 4, "{} at once", requests.most_at_once);
    assert!(requests.user_agents.iter().all(|agent| agent.starts_with("Coverdex/")), "{:?}", requests.user_agents);
    // Parameters of the document, or of the capability statement; and once, whether the server counts.
    let known = ["_profile", "identifier", "_count", "ct", "_total", "_skip", "_id", "_summary"];
    for entry in rig.running.log() {
        let query = entry.target.split_once('?').map_or("", |(_, query)| query).to_owned();
        for pair in query.split('&').filter(|pair| !pair.is_empty()) {
            assert!(known.contains(&pair.split('=').next().unwrap()), "{}", entry.target);
        }
    }
}

#[test]
fn what_else_a_server_offers_saves_requests_and_changes_nothing() {
    let rig = Rig::new();
    let place = rig.place("document");
    assert_complete(&rig.sync(&place), "the document's server");
    let plain = rig.running.requests().total;
    let mut costs: BTreeMap<&str, u64> = BTreeMap::new();
    // A search shows places and organizations that nothing refers to: that is a larger dataset.
    let more = Offer::ALL.iter().copied().filter(|offer| *offer != Offer::PlaceSearch);
    for offers in [Vec::new(), vec![Offer::ListsByProfile], more.collect()] {
        let generous = Rig::with(Options { offers: offers.iter().copied().collect(), ..Options::default() });
        let there = generous.place("offers");
        assert_complete(&generous.sync(&there), &format!("{offers:?}"));
        assert_same(&there.dataset(), &place.dataset(), &format!("{offers:?}"));
        let name = if offers.is_empty() { "nothing" } else { "more" };
        costs.insert(name, generous.running.requests().total);
    }
    assert!(costs["more"] < plain && costs["more"] < costs["nothing"], "{costs:?}, {plain} by the document");
}

#[test]
fn a_sync_keeps_to_its_rate_and_concurrency() {
    let rig = Rig::new();
    let settings = Settings { rate: Some(Rate::PerSecond(4.0)), concurrency: Some(2), ..rig.settings() };
    let config = settings.check().unwrap();
    let network = Arc::new(coverdex_sync::fetch::Network::new(&config).unwrap());
    let place = rig.place("slow");
    let clock = Arc::clone(&rig.time) as Arc<dyn coverdex_sync::fetch::Clock>;
    let from = FromStaging { payer: Some(PAYER), ..FromStaging::default() };
    let (watch, stop) = (Arc::new(|_: &_| ()), coverdex_sync::fetch::Stop::default());
    let synced = sync_and_build(config, &place.options(), &place.store, &from, network, clock, watch, stop).unwrap();
    assert_complete(&synced, "four a second");
    let (seconds, requests) = (rig.time.passed().as_secs_f64(), rig.running.requests());
    let rate = f64::from(u32::try_from(requests.total).unwrap()) / seconds;
    assert!(rate <= 4.1, "{rate} requests a second");
    assert!(requests.most_at_once <= 2, "{} at once", requests.most_at_once);
}
