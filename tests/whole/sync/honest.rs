//! What an incomplete dataset may say: what the complete one says, or that it does not know.

use coverdex_core::Npi;
use coverdex_core::build::format::DATABASE;
use coverdex_core::{CoverageStatus, Dataset, PlanFilter};
use coverdex_core::{NetworkStatus, ProviderSearch};
use coverdex_sandbox::server::Fault;
use coverdex_sync::update::Synced;

/// The codes of all packages.
pub(super) fn packages(dataset: &Dataset) -> Vec<String> {
    let database = rusqlite::Connection::open(dataset.folder().join(DATABASE)).unwrap();
    let mut select = database.prepare("SELECT printf('%011d', ndc11) FROM package WHERE ndc11 IS NOT NULL").unwrap();
    let codes = select.query_map([], |row| row.get(0)).unwrap();
    codes.map(Result::unwrap).collect()
}

/// Asks both about every plan's drugs and about providers of every network.
#[track_caller]
pub(super) fn assert_honest(dataset: &Dataset, truth: &Dataset, synced: &Synced, fault: Fault, what: &str) {
    let mut asked = 0;
    let packages = packages(truth);
    let known = dataset.plans(&PlanFilter::default()).unwrap();
    for plan in truth.plans(&PlanFilter::default()).unwrap() {
        // A plan that did not come is unknown by its name: an error, no answer.
        let Some(here) = known.iter().find(|here| here.id == plan.id) else {
            assert!(!synced.outcome.complete || fault == Fault::Shrinking, "{what}: {} is not there", plan.id);
            continue;
        };
        for text in &packages {
            let (Ok(drug), Ok(true_drug)) = (dataset.drug(text), truth.drug(text)) else { continue };
            let (found, truly) = (dataset.coverage(here, &drug).unwrap(), truth.coverage(&plan, &true_drug).unwrap());
            if found.status == CoverageStatus::NotListed || found.status == CoverageStatus::NotCovered {
                assert_eq!(
                    found.status, truly.status,
                    "{what}: {} {text} {:?}, in truth {:?}\n{:#?}",
                    plan.id, found.reason, truly.reason, synced.outcome.incomplete
                );
            }
            asked += 1;
        }
    }
    assert!(asked > 10 || !synced.outcome.complete, "{what}: {asked} questions");
    if !dataset.has_directory() || fault == Fault::Shrinking {
        return;
    }
    let all = truth.search_providers(&ProviderSearch { limit: 40, ..ProviderSearch::default() }).unwrap();
    let npis: Vec<Npi> = all.results.iter().filter_map(|result| result.npi).collect();
    for plan in known.iter().take(6) {
        let Some(true_plan) = truth.plans(&PlanFilter::default()).unwrap().into_iter().find(|p| p.id == plan.id) else {
            continue;
        };
        for npi in &npis {
            let found = dataset.plan_network_status(*npi, plan, None).unwrap();
            let truly = truth.plan_network_status(*npi, &true_plan, None).unwrap();
            if matches!(found.status, NetworkStatus::NotInDirectory | NetworkStatus::OtherNetworksOnly) {
                assert_eq!(found.status, truly.status, "{what}: {npi} in {}", plan.id);
            }
        }
    }
}
