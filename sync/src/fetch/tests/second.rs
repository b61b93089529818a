//! The second sync: as cheap as the server allows, and nothing is removed that a complete pass did
//! not miss.

use std::sync::atomic::{AtomicU32, Ordering};

use super::payer::{After, Instead, OUTCOME, PageParts, resource, statement, status};
use super::*;

const DAYS: [&str; 3] = ["2026-07-01", "2026-07-08", "2026-08-20"];

fn full(folder: &Path) -> Options {
    Options { full: true, ..options(folder) }
}

fn bytes(folder: &Path) -> u64 {
    let files = std::fs::read_dir(folder).unwrap().map(|e| e.unwrap());
    files.filter(|f| f.file_name().to_string_lossy().ends_with(".seg")).map(|f| f.metadata().unwrap().len()).sum()
}

#[tokio::test]
async fn a_full_second_sync_sees_what_is_new_changed_and_gone() {
    let folder = TempDir::new().unwrap();
    let payer = shared(payer());
    run(&payer, &options(folder.path()), DAYS[0]).await;
    payer.change("PractitionerRole", |all| {
        all.remove(5);
        all.push(resource("PractitionerRole", "new", "2026-07-02T00:00:00Z", ""));
        all[7] = resource("PractitionerRole", &all[7].id.clone(), "2026-07-03T00:00:00Z", r#""active":false"#);
    });
    payer.change("Location", |all| {
        all[3] = resource("Location", &all[3].id.clone(), "2026-07-03T00:00:00Z", r#""name":"moved""#);
    });
    payer.change("Medication", |all| drop(all.pop()));
    let outcome = run(&payer, &full(folder.path()), DAYS[1]).await;
    assert!(outcome.complete, "{:?}", outcome.incomplete);
    assert_eq!((outcome.crawl.generation, outcome.crawl.changes_only), (2, false));
    assert_eq!(staged(folder.path()), payer.visible(&[]));
    let report = report_of(folder.path());
    assert_eq!(report.as_of.as_deref(), Some("2026-07-08T00:00:00Z"));
    // The same as reading it for the first time.
    let fresh = TempDir::new().unwrap();
    run(&payer, &options(fresh.path()), DAYS[1]).await;
    assert_eq!(report, report_of(fresh.path()));
}

#[tokio::test]
async fn an_unchanged_payer_costs_hardly_any_bytes() {
    let folder = TempDir::new().unwrap();
    let payer = shared(payer());
    run(&payer, &options(folder.path()), DAYS[0]).await;
    let before = bytes(folder.path());
    let resources = staged(folder.path());
    run(&payer, &full(folder.path()), DAYS[1]).await;
    assert_eq!(staged(folder.path()), resources);
    let headers = bytes(folder.path()) - before;
    let staging = Staging::open(folder.path()).unwrap();
    let with_body = staging.live_headers(|p| p.entries > 0 && p.same_as.is_none()).count();
    assert_eq!(with_body, 0, "each page stands for its former body ({headers} bytes of headers)");
}

fn tagged(after: Option<After>) -> Payer {
    let offers = ["Location", "Organization"].map(|name| format!("{name}?name"));
    let offers: Vec<_> = offers.iter().map(String::as_str).collect();
    let lying = |url: &url::Url, _: &Payer| url.path().ends_with("/Location").then(|| status(404, ""));
    let instead = Some(Box::new(lying) as Instead);
    Payer { etags: true, statement: Some(statement(&offers)), instead, after, ..payer() }
}

fn move_location(payer: &Payer, at: usize, name: &str) {
    payer.change("Location", |all| {
        all[at] = resource("Location", &all[at].id.clone(), "2026-07-03T00:00:00Z", &format!(r#""name":"{name}""#));
    });
}

#[tokio::test]
async fn validators_are_used_once_they_are_proven() {
    let payer = shared(tagged(None));
    let folder = TempDir::new().unwrap();
    let unchanged = || Staging::open(folder.path()).unwrap().live_headers(|p| p.status == 304).count();
    run(&payer, &options(folder.path()), DAYS[0]).await;
    // A change that comes with another validator proves what they are worth; until then none is sent.
    move_location(&payer, 3, "moved");
    assert!(run(&payer, &options(folder.path()), DAYS[1]).await.complete);
    assert_eq!((unchanged(), staged(folder.path())), (0, payer.visible(&[])));
    move_location(&payer, 5, "moved too");
    assert!(run(&payer, &options(folder.path()), "2026-07-09").await.complete);
    assert_eq!((unchanged(), staged(folder.path())), (32, payer.visible(&[])), "of 33 places one moved");
    // Who asks for everything trusts none.
    assert!(run(&payer, &full(folder.path()), "2026-07-10").await.complete);
    assert_eq!((unchanged(), staged(folder.path())), (0, payer.visible(&[])));
}

#[tokio::test]
async fn validators_that_stay_while_something_changes_are_never_used() {
    let same = |_: &url::Url, reply: &mut Reply| {
        if reply.etag.is_some() {
            reply.etag = Some("W/\"same\"".to_owned());
        }
    };
    let payer = shared(tagged(Some(Box::new(same))));
    let folder = TempDir::new().unwrap();
    for (number, day) in [DAYS[0], DAYS[1], "2026-07-09", "2026-07-10"].into_iter().enumerate() {
        move_location(&payer, 3 + number, "moved");
        assert!(run(&payer, &options(folder.path()), day).await.complete);
        assert_eq!(staged(folder.path()), payer.visible(&[]));
        let unchanged = Staging::open(folder.path()).unwrap().live_headers(|p| p.status == 304).count();
        assert_eq!(unchanged, 0, "day {number}");
    }
}

#[tokio::test]
async fn a_failed_pass_removes_nothing() {
    let by = |instead: Instead| Payer { instead: Some(instead), ..payer() };
    for (sick, stands) in [
        (by(Box::new(|url, _| url.as_str().contains("ct=40").then(|| status(500, "")))), false),
        (by(Box::new(|_, _| Some(Err(SendError::Unreachable("gone".to_owned()))))), true),
        (by(Box::new(|url, _| url.path().contains("/Location/").then(|| status(401, "")))), false),
    ] {
        // A folder of its own: what one of them could still read, the next would not ask for again.
        let folder = TempDir::new().unwrap();
        run(&shared(payer()), &options(folder.path()), DAYS[0]).await;
        let resources = staged(folder.path());
        let outcome = run(&shared(sick), &full(folder.path()), DAYS[1]).await;
        assert!(!outcome.complete);
        assert_eq!(staged(folder.path()).len(), resources.len());
        let report = report_of(folder.path());
        assert_eq!(report.complete, stands, "the former reading stands where nothing took the place of a part of it");
        assert_eq!(report.as_of.as_deref(), Some("2026-07-01T00:00:00Z"));
    }
}

/// A payer that answered everything with nothing, for a while, is read as before once it is well.
#[tokio::test]
async fn an_empty_moment_is_not_remembered() {
    const EMPTY: &str = r#"{"resourceType":"Bundle","type":"searchset","entry":[]}"#;
    let by_plan = || Payer {
        instead: Some(Box::new(|url, _| {
            let is_bare = url.path().ends_with("/List") && !url.as_str().contains("identifier");
            is_bare.then(|| status(400, ""))
        })),
        ..payer()
    };
    let folder = TempDir::new().unwrap();
    assert!(run(&shared(by_plan()), &options(folder.path()), DAYS[0]).await.complete);
    let resources = staged(folder.path());
    let empty = Payer { instead: Some(Box::new(|_, _| Some(status(200, EMPTY)))), ..payer() };
    assert!(!run(&shared(empty), &full(folder.path()), DAYS[1]).await.complete);
    let outcome = run(&shared(by_plan()), &full(folder.path()), DAYS[1]).await;
    assert!(outcome.complete, "{:?}", outcome.incomplete);
    assert_eq!(staged(folder.path()), resources);
}

#[tokio::test]
async fn a_shrunken_answer_is_asked_for_again_before_it_is_believed() {
    let folder = TempDir::new().unwrap();
    run(&shared(payer()), &options(folder.path()), DAYS[0]).await;
    let resources = staged(folder.path());
    // Once too short: the second pass shows all.
    let short = AtomicU32::new(0);
    let twist = move |url: &url::Url, parts: &mut PageParts| {
        if url.path().ends_with("/PractitionerRole") && parts.offset == 20 && short.fetch_add(1, Ordering::SeqCst) == 0
        {
            parts.next = None;
        }
    };
    let outcome = run(&shared(Payer { twist: Some(Box::new(twist)), ..payer() }), &full(folder.path()), DAYS[1]).await;
    assert!(outcome.complete, "{:?}", outcome.incomplete);
    assert!(outcome.crawl.restarts["PractitionerRole"][0].contains("40 where the last reading had 110"));
    assert_eq!(staged(folder.path()), resources);
    // Short for good: not believed unless told so.
    let shrunk = || {
        let payer = payer();
        payer.change("PractitionerRole", |all| all.truncate(60));
        shared(payer)
    };
    let outcome = run(&shrunk(), &full(folder.path()), DAYS[1]).await;
    let reason = &outcome.incomplete["PractitionerRole"];
    assert_eq!(reason, "60 where the last reading had 110; accept-shrink believes it");
    assert_eq!(staged(folder.path()).len(), resources.len());
    let accept = Options { accept_shrink: true, ..full(folder.path()) };
    let outcome = run(&shrunk(), &accept, DAYS[1]).await;
    assert!(outcome.complete, "{:?}", outcome.incomplete);
    assert_eq!(staged(folder.path()).keys().filter(|k| k.starts_with("PractitionerRole/")).count(), 60);
    // A little less is believed after a second look.
    let payer = payer();
    payer.change("PractitionerRole", |all| all.truncate(57));
    let outcome = run(&shared(payer), &full(folder.path()), DAYS[2]).await;
    assert!(outcome.complete, "{:?}", outcome.incomplete);
    // Nothing at all is never believed without being told so.
    let nothing = super::payer();
    nothing.change("PractitionerRole", Vec::clear);
    let outcome = run(&shared(nothing), &full(folder.path()), DAYS[2]).await;
    assert!(!outcome.complete);
    assert_eq!(staged(folder.path()).keys().filter(|k| k.starts_with("PractitionerRole/")).count(), 57);
}

fn dated(heeds: bool) -> Payer {
    const TYPES: [&str; 4] = ["MedicationKnowledge", "Medication", "PractitionerRole", "Practitioner"];
    let offers: Vec<_> = TYPES.map(|name| format!("{name}?_lastUpdated")).into();
    let offers: Vec<_> = offers.iter().map(String::as_str).collect();
    let heeded = [
        "MedicationKnowledge?_lastUpdated",
        "Medication?_lastUpdated",
        "PractitionerRole?_lastUpdated",
        "Practitioner?_lastUpdated",
        "_summary",
    ];
    Payer { statement: Some(statement(&offers)), heeds: if heeds { heeded.into() } else { [].into() }, ..payer() }
}

#[tokio::test]
async fn only_changes_are_asked_for_where_the_server_proves_that_it_knows_them() {
    let folder = TempDir::new().unwrap();
    let payer = shared(dated(true));
    run(&payer, &options(folder.path()), DAYS[0]).await;
    payer.requests();
    payer.change("PractitionerRole", |all| {
        all[7] = resource("PractitionerRole", &all[7].id.clone(), "2026-07-03T00:00:00Z", r#""active":false"#);
        all.push(resource(
            "PractitionerRole",
            "new",
            "2026-07-02T00:00:00Z",
            r#""practitioner":{"reference":"Practitioner/practitioner0"},"location":[{"reference":"Location/new"}]"#,
        ));
    });
    payer.change("Location", |all| all.push(resource("Location", "new", "2026-07-02T00:00:00Z", "")));
    let outcome = run(&payer, &options(folder.path()), DAYS[1]).await;
    assert!(outcome.complete && outcome.crawl.changes_only, "{:?}", outcome.incomplete);
    let requests = payer.requests();
    assert!(requests.iter().any(|r| r.starts_with("PractitionerRole?_lastUpdated=ge2026-05-02")), "{requests:?}");
    // A page of everything, what changed, and how many there are.
    let pages = |name: &str| requests.iter().filter(|r| r.starts_with(&format!("{name}?"))).count();
    assert_eq!(["PractitionerRole", "Practitioner", "MedicationKnowledge", "Medication"].map(pages), [3, 3, 3, 3]);
    let by_id = requests.iter().filter(|r| r.starts_with("Location/")).count();
    assert_eq!(by_id, 35, "what no search shows is read again");
    assert_eq!(staged(folder.path()), payer.visible(&[]));
    assert_eq!(report_of(folder.path()).as_of.as_deref(), Some("2026-07-08T00:00:00Z"));
    // Changes upon changes: what the second sync brought is not lost by the third. What is removed, the server's
    // count tells: then everything is read.
    payer.change("Practitioner", |all| {
        all[0] = resource(
            "Practitioner",
            &all[0].id.clone(),
            "2026-07-09T00:00:00Z",
            r#""name":[{"family":"Doe"}],"active":true"#,
        );
    });
    payer.change("PractitionerRole", |all| drop(all.remove(9)));
    let outcome = run(&payer, &options(folder.path()), "2026-07-15").await;
    assert!(outcome.complete && outcome.crawl.changes_only);
    assert_eq!(staged(folder.path()), payer.visible(&[]));
    // After a month everything is read again.
    let outcome = run(&payer, &options(folder.path()), DAYS[2]).await;
    assert!(outcome.complete && !outcome.crawl.changes_only);
    assert_eq!(staged(folder.path()), payer.visible(&[]));
}

/// What changed behind the reader, and what is dated far ahead, is seen by the next sync.
#[tokio::test]
async fn changes_during_a_reading_are_seen_by_the_next() {
    let folder = TempDir::new().unwrap();
    let payer = shared(dated(true));
    // One role is dated 2099 for good; another changes while the first sync reads, and was read already.
    payer.change("PractitionerRole", |all| {
        all[50] = resource("PractitionerRole", &all[50].id.clone(), "2099-01-01T00:00:00Z", "");
    });
    run(&payer, &options(folder.path()), DAYS[0]).await;
    let begun: jiff::Timestamp = format!("{}T00:00:00Z", DAYS[0]).parse().unwrap();
    let soon = (begun + jiff::SignedDuration::from_secs(1)).to_string();
    payer.change("PractitionerRole", |all| {
        all[3] = resource("PractitionerRole", &all[3].id.clone(), &soon, r#""active":false"#);
    });
    let outcome = run(&payer, &options(folder.path()), DAYS[1]).await;
    assert!(outcome.complete && outcome.crawl.changes_only, "{:?}", outcome.incomplete);
    assert_eq!(staged(folder.path()), payer.visible(&[]));
}

#[tokio::test]
async fn a_server_that_does_not_heed_dates_is_read_in_full() {
    let folder = TempDir::new().unwrap();
    let payer = shared(dated(false));
    run(&payer, &options(folder.path()), DAYS[0]).await;
    payer.change("PractitionerRole", |all| drop(all.remove(9)));
    let outcome = run(&payer, &options(folder.path()), DAYS[1]).await;
    assert!(outcome.complete, "{:?}", outcome.incomplete);
    assert_eq!(staged(folder.path()), payer.visible(&[]), "a complete pass does tell removals");
    // One that refuses the parameter.
    let refuses = |url: &url::Url, _: &Payer| url.as_str().contains("_lastUpdated").then(|| status(400, OUTCOME));
    let folder = TempDir::new().unwrap();
    let payer = shared(Payer { instead: Some(Box::new(refuses)), ..dated(true) });
    run(&payer, &options(folder.path()), DAYS[0]).await;
    let outcome = run(&payer, &options(folder.path()), DAYS[1]).await;
    assert!(outcome.complete, "{:?}", outcome.incomplete);
    assert_eq!(staged(folder.path()), payer.visible(&[]));
}

#[tokio::test]
async fn another_selection_leaves_what_it_does_not_ask_for() {
    let folder = TempDir::new().unwrap();
    let payer = shared(payer());
    run(&payer, &options(folder.path()), DAYS[0]).await;
    let formulary = Selection { directory: false, ..Selection::default() };
    let outcome = run(&payer, &Options { selection: formulary, ..full(folder.path()) }, DAYS[1]).await;
    assert!(outcome.complete);
    assert_eq!(staged(folder.path()), payer.visible(&[]), "the directory is still there");
    let outcome = run(&payer, &full(folder.path()), DAYS[1]).await;
    assert!(outcome.complete);
    assert_eq!(staged(folder.path()), payer.visible(&[]));
}
