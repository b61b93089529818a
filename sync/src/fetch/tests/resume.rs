//! Killed at any request, and with the end of staging torn off: the same command ends with the same.

use std::fs;
use std::sync::atomic::{AtomicU32, Ordering};

use tokio::sync::Notify;

use super::*;

/// A payer that, at its `n`th request, tells and never answers.
struct Dying {
    payer: Payer,
    left: AtomicU32,
    dead: Arc<Notify>,
}

impl Transport for Dying {
    fn get(&self, ask: Ask) -> BoxFuture<'_, Result<Reply, SendError>> {
        if self.left.fetch_sub(1, Ordering::SeqCst) == 1 {
            self.dead.notify_one();
        }
        if self.left.load(Ordering::SeqCst) > u32::MAX / 2 {
            return Box::pin(std::future::pending());
        }
        self.payer.get(ask)
    }
}

/// Runs until the `n`th request and drops everything there. True if the sync ended before.
async fn killed_at(n: u32, folder: &Path) -> bool {
    let dead = Arc::new(Notify::new());
    let transport: Arc<dyn Transport> =
        Arc::new(Dying { payer: payer(), left: AtomicU32::new(n), dead: Arc::clone(&dead) });
    let weak = Arc::downgrade(&transport);
    let options = options(folder);
    let sync = sync(config(), &options, transport, clock("2026-07-01"), Arc::new(|_| ()), Stop::default());
    let ended = tokio::select! {
        outcome = sync => outcome.is_ok(),
        () = dead.notified() => false,
    };
    // Workers end at their next await; the folder is free when all of it is gone.
    while weak.strong_count() > 0 {
        tokio::task::yield_now().await;
    }
    ended
}

fn tear(folder: &Path, bytes: u64) {
    let mut segments: Vec<_> = fs::read_dir(folder).unwrap().map(|e| e.unwrap().path()).collect();
    segments.retain(|path| path.extension().is_some_and(|e| e == "seg"));
    segments.sort();
    let last = fs::OpenOptions::new().write(true).open(segments.last().unwrap()).unwrap();
    let len = last.metadata().unwrap().len();
    last.set_len(len.saturating_sub(bytes)).unwrap();
}

#[tokio::test]
async fn killed_anywhere_it_goes_on_and_ends_the_same() {
    let (resources, report) = undisturbed().await;
    let mut n = 1;
    loop {
        let folder = TempDir::new().unwrap();
        let ended = killed_at(n, folder.path()).await;
        if n % 3 == 0 && folder.path().join("staging.json").exists() {
            tear(folder.path(), u64::from(n * 37 % 700));
        }
        // Killed once more on the way.
        killed_at(n % 7 + 2, folder.path()).await;
        let outcome = run(&shared(payer()), &options(folder.path()), "2026-07-01").await;
        assert!(outcome.complete, "killed at {n}: {:?}", outcome.incomplete);
        assert_eq!(staged(folder.path()), resources, "killed at {n}");
        if !ended {
            assert_eq!(report_of(folder.path()), report, "killed at {n}");
        }
        if ended {
            break;
        }
        n += 1;
    }
    assert!(n > 60, "{n} requests");
}

#[tokio::test]
async fn a_stop_keeps_what_came_and_the_rest_comes_later() {
    let stop = Stop::default();
    let folder = TempDir::new().unwrap();
    let pages = AtomicU32::new(0);
    let watch: Watch = {
        let stop = stop.clone();
        Arc::new(move |event| {
            if matches!(event, Event::Page { .. }) && pages.fetch_add(1, Ordering::SeqCst) == 5 {
                stop.stop();
            }
        })
    };
    let transport: Arc<dyn Transport> = shared(payer());
    let outcome = sync(config(), &options(folder.path()), transport, clock("2026-07-01"), watch, stop).await.unwrap();
    assert_eq!(outcome.incomplete.get("sync").map(String::as_str), Some("it was stopped"));
    assert!(staged(folder.path()).len() > 20);
    assert!(!report_of(folder.path()).complete);
    let outcome = run(&shared(payer()), &options(folder.path()), "2026-07-01").await;
    assert!(outcome.complete);
    assert_eq!((staged(folder.path()), report_of(folder.path())), undisturbed().await);
}

#[tokio::test]
async fn two_syncs_do_not_share_a_folder() {
    let folder = TempDir::new().unwrap();
    let held = crate::staging::StagingWriter::open(folder.path(), BASE).unwrap();
    let transport: Arc<dyn Transport> = shared(payer());
    let result =
        sync(config(), &options(folder.path()), transport, clock("2026-07-01"), Arc::new(|_| ()), Stop::default())
            .await;
    assert_eq!(result.unwrap_err().message(), "another sync holds this staging folder");
    drop(held);
}

#[tokio::test]
async fn what_was_interrupted_long_ago_begins_anew() {
    let folder = TempDir::new().unwrap();
    killed_at(30, folder.path()).await;
    let outcome = run(&shared(payer()), &options(folder.path()), "2026-07-05").await;
    assert_eq!(outcome.crawl.generation, 1);
    assert_eq!(report_of(folder.path()).as_of.as_deref(), Some("2026-07-01T00:00:00Z"), "as old as its oldest page");

    let folder = TempDir::new().unwrap();
    killed_at(30, folder.path()).await;
    let outcome = run(&shared(payer()), &options(folder.path()), "2026-07-20").await;
    assert_eq!(outcome.crawl.generation, 2);
    assert_eq!(report_of(folder.path()).as_of.as_deref(), Some("2026-07-20T00:00:00Z"));
    assert_eq!(staged(folder.path()), undisturbed().await.0);
}

#[tokio::test]
async fn a_walk_that_rested_goes_on_only_where_nothing_moved() {
    for (day, is_rested) in [("2026-07-01", false), ("2026-07-03", true)] {
        let folder = TempDir::new().unwrap();
        // Between two pages of roles, whose cursor does not tell how it counts.
        let seen = AtomicU32::new(0);
        let dies = move |url: &url::Url, _: &Payer| {
            let is_role = url.as_str().contains("/PractitionerRole");
            (is_role && seen.fetch_add(1, Ordering::SeqCst) >= 2)
                .then(|| Err(SendError::Unreachable("gone".to_owned())))
        };
        let first = Payer { instead: Some(Box::new(dies)), ..payer() };
        assert!(!run(&shared(first), &options(folder.path()), "2026-07-01").await.complete);
        // The first role is gone: all others move up by one.
        let second = shared(payer());
        second.change("PractitionerRole", |all| drop(all.remove(0)));
        let outcome = run(&second, &options(folder.path()), day).await;
        let missed = second.visible(&[]).into_keys().any(|name| !staged(folder.path()).contains_key(&name));
        assert_eq!((outcome.complete, missed), (true, !is_rested), "{day}: {:?}", outcome.incomplete);
    }
}
