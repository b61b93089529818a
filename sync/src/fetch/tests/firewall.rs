//! A firewall that keeps one type of resource for good: how long that lasts, and what is read all the same.

use std::time::Duration;

use super::*;
use crate::source::stu1::half::Half;

const PAGE: &str = "<html>The requested URL was rejected.</html>";

/// A sync during which a firewall answers for addresses that contain `at`, and how long it took.
async fn walled(at: &'static str, folder: &Path) -> (Outcome, Duration) {
    let instead: payer::Instead = Box::new(move |url, _| url.as_str().contains(at).then(|| payer::status(403, PAGE)));
    let transport: Arc<dyn Transport> = shared(Payer { instead: Some(instead), ..payer() });
    let clock = clock("2026-07-01");
    let watch: Watch = Arc::new(|_| ());
    let outcome =
        sync(config(), &options(folder), transport, Arc::clone(&clock), watch, Stop::default()).await.unwrap();
    (outcome, clock.elapsed())
}

#[tokio::test]
async fn the_other_half_is_read_to_its_end() {
    for (at, half) in [
        ("/api/List", Half::Formulary),
        ("/api/MedicationKnowledge", Half::Formulary),
        ("/api/Medication?", Half::Formulary),
        ("/api/PractitionerRole", Half::Directory),
        ("/api/Practitioner?", Half::Directory),
        ("/api/Location/", Half::Directory),
    ] {
        let folder = TempDir::new().unwrap();
        let (outcome, passed) = walled(at, folder.path()).await;
        assert!(!half.is_whole(&outcome.incomplete), "{at}");
        assert!(half.other().is_whole(&outcome.incomplete), "{at}: {:?}", outcome.incomplete);
        assert!(outcome.incomplete.values().any(|why| why.contains("firewall")), "{at}: {:?}", outcome.incomplete);
        let report = report_of(folder.path());
        assert!(!report.is_whole(half) && report.is_whole(half.other()), "{at}: {report:?}");
        // The pauses of all who wait are added up here: it is less by the clock.
        assert!(passed < Duration::from_hours(1), "{at}: {passed:?}");
        assert!(outcome.crawl.firewall_pages <= 40, "{at}: {} pages", outcome.crawl.firewall_pages);
        let healed = run(&shared(payer()), &options(folder.path()), "2026-07-01").await;
        assert!(healed.complete, "{at}: {:?}", healed.incomplete);
        assert_eq!(report_of(folder.path()), undisturbed().await.1, "{at}");
    }
}

#[tokio::test]
async fn a_firewall_before_everything_ends_both_halves() {
    for at in ["/api/", "/api/InsurancePlan"] {
        let folder = TempDir::new().unwrap();
        let (outcome, passed) = walled(at, folder.path()).await;
        assert!(Half::ALL.iter().all(|half| !half.is_whole(&outcome.incomplete)), "{:?}", outcome.incomplete);
        assert!(passed < Duration::from_hours(1), "{at}: {passed:?}");
    }
}
