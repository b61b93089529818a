//! A payer read over the network: the client against the stand-in payer, its dataset against the
//! undisturbed one's. Time is the tests' own; nobody waits for minutes.

mod affiliations;
mod again;
mod faults;
mod halves;
mod honest;
mod killed;
mod login;
mod moving;
mod parts;
mod polite;
mod stores;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, SystemTime};

use coverdex_core::Result;
use coverdex_core::Store;
use coverdex_core::build::format::{CHECKSUMS, CRAWL, DATABASE, MANIFEST};
use coverdex_sandbox::server::{self, Faults, PublishedPayer, Running, Server};
use coverdex_sandbox::{MadePayer, Shape};
use coverdex_sync::fetch::{self, BoxFuture, Clock, Config, Network, Rate, Selection, Settings, Stop};
use coverdex_sync::source::stu1::half::Half;
use coverdex_sync::update::{FromStaging, Synced, SyncedDataset, sync_and_build};
use coverdex_tests::dataset::scratch;
use jiff::{SignedDuration, Timestamp};
use tempfile::TempDir;

/// When all syncs of these tests begin.
const BEGIN: &str = "2026-07-01T00:00:00Z";
/// What the datasets say of where they come from: the port of the stand-in differs each time.
const PAYER: &str = "Larkspur Health";

/// One clock for client and server. The client's waits pass at once, and the server sees that they
/// passed; the time of day that the client writes down never changes.
struct Time {
    begin: Timestamp,
    passed: AtomicU64,
    days: AtomicU64,
}

impl Time {
    fn new() -> Arc<Self> {
        Arc::new(Self { begin: BEGIN.parse().unwrap(), passed: AtomicU64::new(0), days: AtomicU64::new(0) })
    }

    /// Nobody asks for anything for so many days.
    fn rest(&self, days: u64) {
        self.days.fetch_add(days, Ordering::SeqCst);
    }

    fn rested(&self) -> Duration {
        Duration::from_hours(24 * self.days.load(Ordering::SeqCst))
    }

    fn passed(&self) -> Duration {
        Duration::from_nanos(self.passed.load(Ordering::SeqCst))
    }
}

impl Clock for Time {
    fn now(&self) -> Timestamp {
        self.begin + SignedDuration::try_from(self.rested()).unwrap()
    }

    fn elapsed(&self) -> Duration {
        self.passed()
    }

    fn sleep(&self, time: Duration) -> BoxFuture<'_, ()> {
        self.passed.fetch_add(u64::try_from(time.as_nanos()).unwrap(), Ordering::SeqCst);
        Box::pin(tokio::task::yield_now())
    }
}

impl server::Clock for Time {
    fn now(&self) -> SystemTime {
        SystemTime::UNIX_EPOCH
            + Duration::from_secs(self.begin.as_second().unsigned_abs())
            + self.rested()
            + self.passed()
    }
}

/// A payer with every quirk and few resources.
fn shape() -> Shape {
    Shape { packages: 80, listed: 60, list_size: 25, practitioners: 60, facilities: 24, locations: 90, ..Shape::tiny() }
}

/// A stand-in payer and a client's folder.
struct Rig {
    running: Running,
    time: Arc<Time>,
    folder: TempDir,
}

impl Rig {
    fn new() -> Self {
        Self::with(server::Options::default())
    }

    fn with(options: server::Options) -> Self {
        Self::of(Arc::new(PublishedPayer::new(MadePayer::new(shape()))), options)
    }

    fn of(payer: Arc<dyn server::Payer>, options: server::Options) -> Self {
        let time = Time::new();
        let clock = Arc::clone(&time) as Arc<dyn server::Clock>;
        let options = server::Options {
            clock,
            hang: Duration::from_millis(20),
            latency: Duration::from_millis(2),
            drip_pause: Duration::from_micros(200),
            log_limit: 100_000,
            ..options
        };
        Self { running: Server::start(payer, options).unwrap(), time, folder: scratch() }
    }

    fn settings(&self) -> Settings {
        Settings {
            base_url: Some(self.running.api_url()),
            rate: Some(Rate::Off),
            concurrency: Some(4),
            max_body: Some(32),
            ..Settings::default()
        }
    }

    fn config(&self) -> Config {
        self.settings().check().unwrap()
    }

    /// A place for staging and store, both new under each name.
    fn place(&self, name: &str) -> Place {
        let folder = self.folder.path().join(name.replace(' ', "-"));
        Place { staging: folder.join("staging"), store: folder.join("store") }
    }

    fn sync(&self, place: &Place) -> Synced {
        self.try_sync(place, &place.options()).unwrap()
    }

    fn try_sync(&self, place: &Place, options: &fetch::Options) -> Result<Synced> {
        let config = self.config();
        let network = Arc::new(Network::new(&config).unwrap());
        let clock = Arc::clone(&self.time) as Arc<dyn Clock>;
        let from = FromStaging { payer: Some(PAYER), ..FromStaging::default() };
        sync_and_build(config, options, &place.store, &from, network, clock, Arc::new(|_| ()), Stop::default())
    }

    fn set(&self, faults: Faults) {
        self.running.set_faults(faults);
    }
}

/// Where a sync keeps what it reads, and what it builds.
struct Place {
    staging: PathBuf,
    store: PathBuf,
}

impl Place {
    fn options(&self) -> fetch::Options {
        fetch::Options {
            selection: Selection::default(),
            staging: self.staging.clone(),
            accept_shrink: false,
            full: false,
        }
    }

    /// Every file of the live dataset but the one that tells of the way.
    fn dataset(&self) -> BTreeMap<PathBuf, Vec<u8>> {
        let mut files = files(&Store::open(&self.store).unwrap().live().unwrap());
        files.remove(Path::new(CRAWL)).unwrap();
        files
    }

    /// Every file of the store.
    fn stored(&self) -> BTreeMap<PathBuf, Vec<u8>> {
        files(&self.store)
    }
}

/// Every file below a folder.
fn files(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    fn walk(root: &Path, folder: &Path, found: &mut BTreeMap<PathBuf, Vec<u8>>) {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                walk(root, &path, found);
            } else {
                found.insert(path.strip_prefix(root).unwrap().to_owned(), fs::read(&path).unwrap());
            }
        }
    }
    let mut found = BTreeMap::new();
    walk(folder, folder, &mut found);
    found
}

/// That a sync is complete and its dataset live.
#[track_caller]
fn assert_complete(synced: &Synced, what: &str) {
    let way = &synced.outcome.crawl.restarts;
    assert!(synced.outcome.complete, "{what}: {:#?} {way:#?}", synced.outcome.incomplete);
    assert!(synced.report.complete, "{what}: {:#?}", synced.report);
    assert!(matches!(synced.dataset, SyncedDataset::Built(..)), "{what}");
}

/// That one half of the dataset that is live is of an earlier sync.
#[track_caller]
fn assert_joined(synced: &Synced, half: Half, what: &str) {
    let SyncedDataset::Joined(_, _, former) = &synced.dataset else { panic!("{what}: {:#?}", synced.outcome) };
    assert_eq!(former.half, half, "{what}");
    assert!(!synced.outcome.complete, "{what}");
}

/// What a dataset says: its files, without its dates and what its sync saw.
fn said(dataset: &BTreeMap<PathBuf, Vec<u8>>) -> BTreeMap<String, Vec<u8>> {
    let mut said = BTreeMap::new();
    for (path, bytes) in dataset {
        match path.to_str().unwrap() {
            MANIFEST | CHECKSUMS => {}
            DATABASE => said.extend(tables(bytes)),
            path => drop(said.insert(path.to_owned(), bytes.clone())),
        }
    }
    said
}

/// The tables of a database but the sync report, each as a text.
fn tables(database: &[u8]) -> Vec<(String, Vec<u8>)> {
    let folder = scratch();
    let path = folder.path().join(DATABASE);
    fs::write(&path, database).unwrap();
    let database = rusqlite::Connection::open(path).unwrap();
    let mut names = database.prepare("SELECT name FROM sqlite_master WHERE type = 'table' AND sql NOT NULL").unwrap();
    let names: Vec<String> = names.query_map([], |row| row.get(0)).unwrap().map(Result::unwrap).collect();
    let text = |name: String| {
        let mut all = database.prepare(&format!("SELECT * FROM {name}")).unwrap();
        let columns = all.column_count();
        let mut rows = all.query([]).unwrap();
        let mut text = String::new();
        while let Some(row) = rows.next().unwrap() {
            (0..columns).for_each(|at| text += &format!("{:?}|", row.get_ref(at).unwrap()));
            text.push('\n');
        }
        (name, text.into_bytes())
    };
    names.into_iter().filter(|name| name != "sync_report").map(text).collect()
}

/// That two datasets say the same, whenever they were read.
#[track_caller]
fn assert_says(found: &BTreeMap<PathBuf, Vec<u8>>, expected: &BTreeMap<PathBuf, Vec<u8>>, what: &str) {
    let (found, expected) = (said(found), said(expected));
    let differing: Vec<_> = expected.iter().filter(|(name, bytes)| found.get(*name) != Some(*bytes)).collect();
    let names: Vec<_> = differing.iter().map(|(name, _)| name).collect();
    assert!(differing.is_empty() && found.len() == expected.len(), "{what}: {names:?} differ");
}

/// That two datasets are one, byte for byte.
#[track_caller]
fn assert_same(found: &BTreeMap<PathBuf, Vec<u8>>, expected: &BTreeMap<PathBuf, Vec<u8>>, what: &str) {
    let differing: Vec<_> = expected.iter().filter(|(path, bytes)| found.get(*path) != Some(*bytes)).collect();
    let names: Vec<_> = differing.iter().map(|(path, _)| path.display().to_string()).collect();
    assert!(differing.is_empty() && found.len() == expected.len(), "{what}: {names:?} differ");
}
