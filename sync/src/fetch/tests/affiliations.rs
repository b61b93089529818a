//! Organizations' affiliations and services: read where the payer has them, missed where it says
//! that it has them, and no matter where it has none.

use super::payer::{OUTCOME, resource, statement, status, updated};
use super::*;

const AFFILIATION: &str = "OrganizationAffiliation";
const SERVICE: &str = "HealthcareService";
const BOTH: [&str; 2] = [AFFILIATION, SERVICE];

const NOT_SUPPORTED: &str =
    r#"{"resourceType":"OperationOutcome","issue":[{"severity":"error","code":"not-supported"}]}"#;

/// The small payer with 45 affiliations and 12 services, of which searches hide one, and with an
/// organization and a place that only they name.
fn affiliated() -> Payer {
    let payer = payer();
    let affiliations = (0..45).map(|i| {
        let rest = format!(
            r#""organization":{{"reference":"Organization/organization0"}},"participatingOrganization":{{"reference":"Organization/clinic{}"}},"healthcareService":[{{"reference":"HealthcareService/service{}"}}]"#,
            i % 5,
            i % 13
        );
        resource(AFFILIATION, &format!("affiliation{i}"), &updated(i), &rest)
    });
    payer.change(AFFILIATION, |all| all.extend(affiliations));
    let services = (0..12).map(|i| {
        let rest =
            format!(r#""providedBy":{{"reference":"clinic5"}},"location":[{{"reference":"Location/annex{i}"}}]"#);
        resource(SERVICE, &format!("service{i}"), &updated(i), &rest)
    });
    payer.change(SERVICE, |all| all.extend(services));
    payer.change(SERVICE, |all| all[4].by_id_only = true);
    payer.change("Organization", |all| {
        all.extend((0..6).map(|i| resource("Organization", &format!("clinic{i}"), &updated(i), r#""name":"Clinic""#)));
    });
    payer.change("Location", |all| {
        all.extend((0..12).map(|i| resource("Location", &format!("annex{i}"), &updated(i), "")));
    });
    payer
}

/// The same; its statement names the types.
fn stated() -> Payer {
    Payer { statement: Some(statement(&BOTH)), ..affiliated() }
}

fn directory() -> Selection {
    Selection { formulary: false, ..Selection::default() }
}

/// Reads a directory; how that ended, what is staged, the report and the requests.
async fn read(payer: Payer) -> (Outcome, BTreeMap<String, String>, SyncReport, Vec<String>) {
    let (folder, payer) = (TempDir::new().unwrap(), shared(payer));
    let outcome = run(&payer, &Options { selection: directory(), ..options(folder.path()) }, "2026-07-01").await;
    (outcome, staged(folder.path()), report_of(folder.path()), payer.requests())
}

fn of<'a>(report: &'a SyncReport, name: &str) -> Option<&'a TypeReport> {
    report.types.iter().find(|of| of.resource_type == name)
}

fn directory_of(payer: &Payer) -> BTreeMap<String, String> {
    let all = payer.visible(&[]).into_iter();
    all.filter(|(name, _)| !name.starts_with("List") && !name.starts_with("Medication")).collect()
}

#[tokio::test]
async fn they_are_read_where_the_payer_has_them() {
    // Without a statement they are tried; services that no search shows are read by id.
    let by_id = |url: &url::Url, _: &Payer| url.path().ends_with(SERVICE).then(|| status(400, OUTCOME));
    let services_by_id = Payer { instead: Some(Box::new(by_id)), ..stated() };
    for (payer, name) in [(stated(), "stated"), (affiliated(), "tried"), (services_by_id, "services by id")] {
        let (outcome, staged, report, requests) = read(payer).await;
        assert!(outcome.complete && report.complete, "{name}: {:?}", outcome.incomplete);
        assert_eq!(staged, directory_of(&affiliated()), "{name}: with what they alone refer to");
        let affiliations = of(&report, AFFILIATION).unwrap();
        assert_eq!((affiliations.expected, affiliations.distinct, affiliations.complete), (None, 45, true), "{name}");
        let services = of(&report, SERVICE).unwrap();
        assert_eq!((services.expected, services.distinct, services.complete), (Some(13), 12, true), "{name}");
        assert_eq!(services.gaps, [Gap { status: Some(404), count: 1 }], "{name}");
        assert_eq!(of(&report, "Organization").unwrap().expected, Some(18), "{name}");
        assert_eq!(of(&report, "Location").unwrap().expected, Some(46), "{name}");
        assert!(report.networks.iter().all(|network| network.complete), "{name}");
        assert_eq!(requests.iter().filter(|r| r.starts_with(AFFILIATION)).count(), 3, "{name}: three pages");
    }
}

#[tokio::test]
async fn a_payer_without_them_lacks_nothing() {
    let (outcome, expected, report, requests) = read(payer()).await;
    assert!(outcome.complete && BOTH.iter().all(|name| of(&report, name).is_none()));
    for name in BOTH {
        assert_eq!(requests.iter().filter(|r| r.starts_with(name)).count(), 1, "one try");
    }
    let named = Payer { statement: Some(statement(&["PractitionerRole"])), ..payer() };
    let (outcome, staged, stated_report, requests) = read(named).await;
    assert!(outcome.complete && !requests.iter().any(|r| BOTH.iter().any(|name| r.starts_with(name))));
    assert_eq!((&staged, &stated_report), (&expected, &report));
    // However the server says that it has no such type.
    let refusals: [fn() -> Result<Reply, SendError>; 7] = [
        || status(400, OUTCOME),
        || status(403, r#"{"message":"Missing Authentication Token"}"#),
        || status(403, "<html>Access Denied</html>"),
        || status(405, ""),
        || status(410, ""),
        || status(501, NOT_SUPPORTED),
        || status(200, NOT_SUPPORTED),
    ];
    for refusal in refusals {
        let refuses = move |url: &url::Url, _: &Payer| BOTH.iter().any(|name| url.path().ends_with(name)).then(refusal);
        let (outcome, staged, refused_report, _) = read(Payer { instead: Some(Box::new(refuses)), ..payer() }).await;
        assert!(outcome.complete, "{:?}: {:?}", refusal(), outcome.incomplete);
        assert_eq!((staged, refused_report), (expected.clone(), report.clone()), "{:?}", refusal());
    }
}

#[tokio::test]
async fn what_is_offered_and_not_read_is_told() {
    // The statement names the type, but no search of it is served; or pages break off; or the server
    // only stumbles, so that nobody knows whether it has them.
    let refused = |url: &url::Url, _: &Payer| url.path().ends_with(AFFILIATION).then(|| status(404, OUTCOME));
    let broken = |url: &url::Url, _: &Payer| {
        (url.path().ends_with(AFFILIATION) && url.as_str().contains("ct=40")).then(|| status(500, OUTCOME))
    };
    let stumbles = |url: &url::Url, _: &Payer| url.path().ends_with(AFFILIATION).then(|| status(500, OUTCOME));
    for (payer, reason) in [
        (Payer { instead: Some(Box::new(refused)), ..stated() }, "the server does not serve it (404)"),
        (Payer { instead: Some(Box::new(broken)), ..affiliated() }, "page 3: the server answers 500"),
        (Payer { instead: Some(Box::new(stumbles)), ..payer() }, "the server answers 500"),
    ] {
        let (outcome, _, report, _) = read(payer).await;
        assert_eq!(outcome.incomplete.get(AFFILIATION).map(String::as_str), Some(reason));
        let told = of(&report, AFFILIATION).unwrap();
        assert_eq!((told.complete, told.reasons.as_slice()), (false, [reason.to_owned()].as_slice()));
        assert!(told.is_of_directory() && !report.complete);
        for network in &report.networks {
            assert_eq!(network.reasons, [format!("{AFFILIATION}: {reason}")]);
        }
        for name in ["Organization", "Location"] {
            assert_eq!(of(&report, name).unwrap().reasons, [format!("{AFFILIATION} is not complete")]);
        }
        assert!(of(&report, "PractitionerRole").unwrap().complete && of(&report, "Practitioner").unwrap().complete);
    }
    // Of services, what something refers to.
    let broken = |url: &url::Url, _: &Payer| url.path().ends_with("/service3").then(|| status(401, ""));
    let unsearched = statement(&[AFFILIATION]).replace(
        "\"resource\":[",
        &format!("\"resource\":[{{\"type\":\"{SERVICE}\",\"interaction\":[{{\"code\":\"read\"}}]}},"),
    );
    let payer = Payer { instead: Some(Box::new(broken)), statement: Some(unsearched), ..affiliated() };
    let (outcome, _, report, requests) = read(payer).await;
    assert!(!requests.iter().any(|r| r.starts_with(&format!("{SERVICE}?"))));
    assert_eq!(outcome.incomplete.keys().collect::<Vec<_>>(), [&format!("{SERVICE}/*")]);
    assert!(!of(&report, SERVICE).unwrap().complete && of(&report, AFFILIATION).unwrap().complete);
}

#[tokio::test]
async fn a_sync_that_ends_before_them_says_so_where_they_are_offered() {
    let gone = |url: &url::Url, _: &Payer| {
        (!url.path().ends_with("/metadata")).then(|| Err(SendError::Unreachable("gone".to_owned())))
    };
    let (outcome, ..) = read(Payer { instead: Some(Box::new(gone)), ..stated() }).await;
    assert!(BOTH.iter().all(|name| outcome.incomplete.contains_key(*name)), "{:?}", outcome.incomplete);
    let without = Payer { statement: Some(statement(&["PractitionerRole"])), ..payer() };
    let (outcome, ..) = read(Payer { instead: Some(Box::new(gone)), ..without }).await;
    assert!(!BOTH.iter().any(|name| outcome.incomplete.contains_key(*name)), "{:?}", outcome.incomplete);
}

#[tokio::test]
async fn a_pass_by_network_leaves_affiliations_out() {
    let payer = stated();
    payer.change("PractitionerRole", |all| {
        let service = r#""healthcareService":[{"reference":"HealthcareService/service2"}],"active""#;
        all[3].json = all[3].json.replace("\"active\"", service);
    });
    let (folder, payer) = (TempDir::new().unwrap(), shared(payer));
    let selection = Selection { plans: vec![PLANS[0].to_owned()], ..directory() };
    let outcome = run(&payer, &Options { selection, ..options(folder.path()) }, "2026-07-01").await;
    assert!(outcome.complete, "{:?}", outcome.incomplete);
    let requests = payer.requests();
    assert!(!requests.iter().any(|r| r.starts_with(AFFILIATION)), "{requests:?}");
    let staged = staged(folder.path());
    let services: Vec<_> = staged.keys().filter(|name| name.starts_with(SERVICE)).collect();
    assert_eq!(services, ["HealthcareService/service2"], "what chosen roles refer to");
    assert!(staged.contains_key("Organization/clinic5") && staged.contains_key("Location/annex2"));
    let report = report_of(folder.path());
    assert!(of(&report, AFFILIATION).is_none());
    assert!(report.networks.iter().all(|network| network.filtered), "absence means nothing");
}

#[tokio::test]
async fn a_second_sync_treats_them_like_the_others() {
    const CHANGES: [&str; 2] = ["OrganizationAffiliation?_lastUpdated", "HealthcareService?_lastUpdated"];
    const HEEDED: [&str; 3] = [CHANGES[0], CHANGES[1], "_summary"];
    let folder = TempDir::new().unwrap();
    let payer = shared(Payer { statement: Some(statement(&CHANGES)), heeds: HEEDED.into(), ..affiliated() });
    assert!(run(&payer, &options(folder.path()), "2026-07-01").await.complete);
    payer.requests();
    payer.change(AFFILIATION, |all| {
        let rest = r#""healthcareService":[{"reference":"HealthcareService/new"}]"#;
        all.push(resource(AFFILIATION, "new", "2026-07-02T00:00:00Z", rest));
    });
    payer.change(SERVICE, |all| all.push(resource(SERVICE, "new", "2026-07-02T00:00:00Z", "")));
    let outcome = run(&payer, &options(folder.path()), "2026-07-08").await;
    assert!(outcome.complete && outcome.crawl.changes_only, "{:?}", outcome.incomplete);
    let requests = payer.requests();
    for name in BOTH {
        let pages: Vec<_> = requests.iter().filter(|r| r.starts_with(&format!("{name}?"))).collect();
        // A page of everything, what changed, and how many there are.
        let changes = pages.iter().filter(|request| request.contains("_lastUpdated=ge2026-05-01")).count();
        assert_eq!((pages.len(), changes), (3, 1), "{pages:?}");
    }
    assert_eq!(staged(folder.path()), payer.visible(&[]));
    // In full, with less than before: not believed until told so.
    payer.change(AFFILIATION, |all| all.truncate(20));
    let full = Options { full: true, ..options(folder.path()) };
    let outcome = run(&payer, &full, "2026-07-09").await;
    assert!(outcome.incomplete[AFFILIATION].contains("accept-shrink"), "{:?}", outcome.incomplete);
    assert!(run(&payer, &Options { accept_shrink: true, ..full }, "2026-07-09").await.complete);
    assert_eq!(staged(folder.path()), payer.visible(&[]));
    // A payer that had them and refuses them is no payer without them.
    let had = TempDir::new().unwrap();
    assert!(run(&shared(affiliated()), &options(had.path()), "2026-07-01").await.complete);
    let refuses = |url: &url::Url, _: &Payer| url.path().ends_with(AFFILIATION).then(|| status(404, ""));
    let refusing = shared(Payer { instead: Some(Box::new(refuses)), ..affiliated() });
    let outcome = run(&refusing, &Options { full: true, ..options(had.path()) }, "2026-07-08").await;
    assert!(outcome.incomplete.contains_key(AFFILIATION), "{:?}", outcome.incomplete);
}

#[tokio::test]
async fn they_count_in_estimates_where_they_are_offered() {
    let estimated = |payer: Payer| async move {
        let transport: Arc<dyn Transport> = shared(payer);
        estimate(config(), &directory(), None, transport, clock("2026-07-01")).await.unwrap()
    };
    let names = |estimate: &Estimate| estimate.types.iter().map(|of| of.resource_type.clone()).collect::<Vec<_>>();
    for payer in [stated(), affiliated()] {
        let estimate = estimated(payer).await;
        assert_eq!(names(&estimate)[..3], ["PractitionerRole", AFFILIATION, SERVICE]);
        assert_eq!((estimate.types[2].count, estimate.types[2].requests), (Some(11), Some(1)));
        assert!(estimate.unknown.contains(&AFFILIATION.to_owned()), "more than a page, and no total");
    }
    let without = names(&estimated(payer()).await);
    assert_eq!(without, ["PractitionerRole", "Practitioner", "Organization", "Location"]);
    let lying = Payer { statement: Some(statement(&BOTH)), ..payer() };
    assert!(names(&estimated(lying).await).contains(&AFFILIATION.to_owned()));
}
