//! Parts of a payer: plans, states, formulary or directory only; and the cheapest way to them.

use std::collections::BTreeSet;

use super::payer::{OUTCOME, statement, status};
use super::*;

fn selection(plans: &[&str], states: &[&str]) -> Selection {
    let owned = |list: &[&str]| list.iter().map(|s| (*s).to_owned()).collect();
    Selection { plans: owned(plans), states: owned(states), directory: false, ..Selection::default() }
}

/// Reads a selection; what is staged, the requests by path, the report.
async fn read(payer: Payer, selection: Selection) -> (BTreeMap<String, String>, BTreeMap<String, usize>, SyncReport) {
    let folder = TempDir::new().unwrap();
    let payer = shared(payer);
    let outcome = run(&payer, &Options { selection, ..options(folder.path()) }, "2026-07-01").await;
    assert!(outcome.complete, "{:?}", outcome.incomplete);
    let mut requests: BTreeMap<String, usize> = BTreeMap::new();
    for request in payer.requests() {
        let (path, query) = request.split_once('?').unwrap_or((&request, ""));
        let first = query.split('=').next().unwrap();
        let path = path.split_once('/').map_or_else(|| format!("{path}?{first}"), |(name, _)| format!("{name}/"));
        *requests.entry(path).or_default() += 1;
    }
    (staged(folder.path()), requests, report_of(folder.path()))
}

fn entries_of(payer: &Payer, plan: &str) -> BTreeSet<String> {
    let named = payer.visible(&["MedicationKnowledge"]).into_iter().filter(|(_, json)| json.contains(plan));
    named.map(|(name, _)| name).filter(|name| !name.ends_with("unlisted")).collect()
}

fn entries(staged: &BTreeMap<String, String>) -> BTreeSet<String> {
    staged.keys().filter(|name| name.starts_with("MedicationKnowledge/")).cloned().collect()
}

#[tokio::test]
async fn one_plan_by_its_lists_references() {
    let (staged, requests, report) = read(payer(), selection(&["h1111-002"], &[])).await;
    // All pages of all plans are fewer requests than forty reads.
    assert_eq!(requests.get("MedicationKnowledge?_count"), Some(&7));
    assert!(entries(&staged).is_superset(&entries_of(&payer(), PLANS[1])));
    let plans: Vec<_> = report.plans.iter().map(|p| (p.plan.as_str(), p.expected, p.present)).collect();
    assert_eq!(plans, [(PLANS[1], 40, 40)], "only what was asked for is told");
    assert!(!requests.contains_key("PractitionerRole?_count") && !requests.keys().any(|r| r.starts_with("Location")));
}

#[tokio::test]
async fn one_plan_by_several_ids_at_once() {
    let payer = || Payer {
        statement: Some(statement(&["MedicationKnowledge", "MedicationKnowledge?_id"])),
        heeds: ["MedicationKnowledge?_id"].into(),
        page_cap: 100,
        ..payer()
    };
    // What a search does not show is read by itself: of this plan one that is not there.
    let (staged, requests, report) = read(payer(), selection(&["S2222-003-000-2026"], &[])).await;
    assert_eq!(entries(&staged), entries_of(&payer(), PLANS[2]));
    // Thirty ids fit into one address.
    assert_eq!((requests.get("MedicationKnowledge?_id"), requests.get("MedicationKnowledge/")), (Some(&1), Some(&1)));
    assert_eq!(report.plans[0].gaps, [Gap { status: Some(404), count: 1 }]);
    // Of this one an entry that searches hide.
    let (staged, requests, report) = read(payer(), selection(&[PLANS[1]], &[])).await;
    assert_eq!(entries(&staged), entries_of(&payer(), PLANS[1]));
    assert_eq!((requests.get("MedicationKnowledge/"), report.plans[0].gaps.len()), (Some(&1), 0));
}

#[tokio::test]
async fn a_server_that_ignores_ids_is_found_out() {
    let payer = Payer { statement: Some(statement(&["MedicationKnowledge", "MedicationKnowledge?_id"])), ..payer() };
    let expected = entries_of(&payer, PLANS[2]);
    let (staged, requests, _) = read(payer, selection(&[PLANS[2]], &[])).await;
    assert_eq!(entries(&staged), expected, "rows that were not asked for are no answer");
    assert_eq!(requests.get("MedicationKnowledge/"), Some(&30));
}

#[tokio::test]
async fn one_plan_by_its_own_search() {
    let offered = || Some(statement(&["MedicationKnowledge", "MedicationKnowledge?DrugPlan"]));
    let heeding = Payer { statement: offered(), heeds: ["MedicationKnowledge?DrugPlan"].into(), ..payer() };
    let (staged, requests, report) = read(heeding, selection(&[PLANS[2]], &[])).await;
    assert_eq!(requests.get("MedicationKnowledge?DrugPlan"), Some(&2));
    assert!(entries(&staged).is_superset(&entries_of(&payer(), PLANS[2])));
    assert!(entries(&staged).contains("MedicationKnowledge/unlisted"), "the search shows rows that no List names");
    assert_eq!((report.plans[0].expected, report.plans[0].present), (30, 29));
    // A server that ignores the parameter sends rows of other plans: that disproves it.
    let ignoring = Payer { statement: offered(), ..payer() };
    let (staged, requests, report) = read(ignoring, selection(&[PLANS[2]], &[])).await;
    assert_eq!(requests.get("MedicationKnowledge?DrugPlan"), Some(&1));
    assert!(entries(&staged).is_superset(&entries_of(&payer(), PLANS[2])));
    assert_eq!((report.plans[0].expected, report.plans[0].present), (30, 29));
    // So does one that refuses it.
    let instead = |url: &url::Url, _: &Payer| url.as_str().contains("DrugPlan").then(|| status(400, OUTCOME));
    let refusing = Payer { statement: offered(), instead: Some(Box::new(instead)), ..payer() };
    let (staged, ..) = read(refusing, selection(&[PLANS[2]], &[])).await;
    assert!(entries(&staged).is_superset(&entries_of(&payer(), PLANS[2])));
}

#[tokio::test]
async fn plans_of_a_state() {
    let (_, _, report) = read(payer(), selection(&[], &["fl"])).await;
    let plans: Vec<_> = report.plans.iter().map(|p| p.plan.as_str()).collect();
    assert_eq!(plans, [PLANS[0], PLANS[2]]);
}

#[tokio::test]
async fn the_directory_only() {
    let selection = Selection { formulary: false, ..Selection::default() };
    let (staged, requests, report) = read(payer(), selection).await;
    assert!(!requests.keys().any(|r| r.starts_with("List") || r.starts_with("Medication")));
    assert_eq!(staged.keys().filter(|k| k.starts_with("PractitionerRole/")).count(), 110);
    assert!(report.plans.is_empty());
    let types: Vec<_> = report.types.iter().map(|t| t.resource_type.as_str()).collect();
    assert_eq!(types, ["InsurancePlan", "PractitionerRole", "Practitioner", "Organization", "Location"]);
}

#[tokio::test]
async fn roles_by_network_are_told_as_filtered() {
    let only = Selection { formulary: false, active_only: true, ..selection(&[PLANS[0]], &[]) };
    let only = Selection { directory: true, ..only };
    let payer = shared(payer());
    let folder = TempDir::new().unwrap();
    let outcome = run(&payer, &Options { selection: only, ..options(folder.path()) }, "2026-07-01").await;
    assert!(outcome.complete, "{:?}", outcome.incomplete);
    let requests = payer.requests();
    let tag =
        "_tag=https%3A%2F%2Ffhir.example.test%2Fdocumentation%2Fglossary%2FMedicalDentalNetworkId%7C0&active=true";
    assert!(requests.iter().any(|r| r.starts_with(&format!("PractitionerRole?{tag}"))), "{requests:?}");
    let staged = staged(folder.path());
    let roles: Vec<_> = staged.iter().filter(|(name, _)| name.starts_with("PractitionerRole/")).collect();
    let expected = (0..110).filter(|i| i % 3 == 0 && i % 5 != 0).count();
    assert_eq!(roles.len(), expected);
    assert!(requests.iter().any(|r| r.starts_with("Practitioner/")), "individuals by id: they are few");
    let report = report_of(folder.path());
    assert!(report.networks.iter().all(|n| n.filtered));
}

#[tokio::test]
async fn organizations_and_locations_by_search_where_it_is_offered() {
    let searching = Payer {
        statement: Some(statement(&["Organization", "Location"])),
        heeds: ["Organization", "Location"].into(),
        ..payer()
    };
    let directory = Selection { formulary: false, ..Selection::default() };
    let (staged, requests, _) = read(searching, directory.clone()).await;
    assert_eq!((requests.get("Location?_count"), requests.get("Organization?_count")), (Some(&2), Some(&1)));
    assert_eq!(requests.get("Location/"), Some(&1), "the one that is not there");
    assert_eq!(
        staged,
        payer().visible(&["InsurancePlan", "PractitionerRole", "Practitioner", "Organization", "Location"])
    );
    // A CapabilityStatement that lies.
    let lying = Payer { statement: Some(statement(&["Organization", "Location"])), ..payer() };
    let (_, requests, _) = read(lying, directory).await;
    assert_eq!((requests.get("Location/"), requests.get("Organization/")), (Some(&34), Some(&12)));
}

#[tokio::test]
async fn a_plan_that_only_entries_name() {
    let payer = payer();
    payer.change("InsurancePlan", |all| drop(all.remove(2)));
    let hides_all_lists = |url: &url::Url, _: &Payer| {
        (url.path().ends_with("/List") && !url.as_str().contains("identifier")).then(|| status(400, OUTCOME))
    };
    let payer = Payer { instead: Some(Box::new(hides_all_lists)), ..payer };
    let (_, _, report) = read(payer, Selection { directory: false, ..Selection::default() }).await;
    let plan = report.plans.iter().find(|p| p.plan == PLANS[2]).expect("its Lists were asked for");
    assert_eq!((plan.lists, plan.expected, plan.present), (2, 30, 29));
}

#[tokio::test]
async fn a_bare_host_stands_for_api() {
    let payer = shared(payer());
    let folder = TempDir::new().unwrap();
    let config =
        Settings { base_url: Some("https://fhir.example.test".to_owned()), ..Settings::default() }.check().unwrap();
    let transport: Arc<dyn Transport> = Arc::<Payer>::clone(&payer);
    let outcome =
        sync(config, &options(folder.path()), transport, clock("2026-07-01"), Arc::new(|_| ()), Stop::default())
            .await
            .unwrap();
    assert!(outcome.complete, "{:?}", outcome.incomplete);
    assert_eq!(outcome.crawl.base, BASE);
    assert_eq!(report_of(folder.path()).source, BASE);
}

#[tokio::test]
async fn what_a_sync_would_cost() {
    let payer = shared(payer());
    let transport = || -> Arc<dyn Transport> { Arc::<Payer>::clone(&payer) };
    let folder = TempDir::new().unwrap();
    let estimated = estimate(config(), &Selection::default(), None, transport(), clock("2026-07-01")).await.unwrap();
    assert_eq!((estimated.plans, estimated.known_plans), (4, 4));
    let of = |estimate: &Estimate, name: &str| estimate.types.iter().find(|t| t.resource_type == name).unwrap().clone();
    assert_eq!((of(&estimated, "Practitioner").count, of(&estimated, "Practitioner").requests), (Some(70), Some(4)));
    // 125 references of four plans, a hundred to a page.
    assert_eq!(of(&estimated, "MedicationKnowledge").count, Some(125));
    assert_eq!(estimated.unknown, ["Medication", "PractitionerRole", "Organization", "Location"]);
    assert_eq!((estimated.requests, estimated.seconds), (6, Some(1.5)));
    assert!(payer.requests().len() < 20);
    run(&payer, &options(folder.path()), "2026-07-01").await;
    let estimated =
        estimate(config(), &Selection::default(), Some(folder.path()), transport(), clock("2026-07-01")).await.unwrap();
    assert!(estimated.unknown.is_empty());
    assert_eq!((of(&estimated, "PractitionerRole").count, of(&estimated, "Location").requests), (Some(110), Some(33)));
    let one = Selection { plans: vec![PLANS[2].to_owned()], directory: false, ..Selection::default() };
    let estimated = estimate(config(), &one, None, transport(), clock("2026-07-01")).await.unwrap();
    assert_eq!((estimated.plans, of(&estimated, "MedicationKnowledge").count), (1, Some(30)));
}

#[tokio::test]
async fn lists_in_which_nothing_stands_leave_no_plan_complete() {
    let folder = TempDir::new().unwrap();
    let sick = payer();
    sick.change("List", |lists| {
        for list in lists.iter_mut().filter(|list| !list.json.contains(PLANS[2])) {
            list.json = format!(
                r#"{{"resourceType":"List","id":"{}","meta":null,"status":null,"identifier":null,"entry":null}}"#,
                list.id
            );
        }
    });
    run(&shared(sick), &options(folder.path()), "2026-07-01").await;
    let report = report_of(folder.path());
    let lists = report.types.iter().find(|of| of.resource_type == "List").unwrap();
    assert!(!report.complete && !lists.complete);
    assert_eq!(lists.reasons, ["a List cannot be read: its fields are null"]);
    // Each of them may be any plan's.
    assert!(report.plans.iter().all(|plan| !plan.complete && !plan.lists_complete), "{:?}", report.plans);
}
