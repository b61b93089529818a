//! Datasets built of folders, of a made payer, or of resources made by hand.

use std::fs;
use std::path::{Path, PathBuf};

use coverdex_core::build::format::CURRENT;
use coverdex_core::{Cancel, Store};
use coverdex_core::{Coverage, CoverageReason, CoverageStatus, Dataset, Drug, PackageCoverage, Plan, Result};
use coverdex_sandbox::{FolderOptions, MadePayer, ResourceType};
use coverdex_sync::build::{BuildOptions, Builder, Built};
use coverdex_sync::source::folder::{Folder, ReadOptions};
use coverdex_sync::tiers::TierMap;
use serde_json::Value;
use tempfile::TempDir;

/// A dataset that is open, in a folder that goes with it.
#[derive(Debug)]
pub struct Made {
    /// The dataset.
    pub dataset: Dataset,
    /// Its store.
    pub store: PathBuf,
    /// What the build said.
    pub built: Built,
    _folder: TempDir,
}

/// Builds what `from` holds into the store `store`.
pub fn build_folder(from: &Path, store: &Path, threads: usize, as_of: Option<&str>) -> Result<Built> {
    build_with_tiers(from, store, threads, as_of, TierMap::default())
}

/// The same with what the publisher says of tiers.
fn build_with_tiers(from: &Path, store: &Path, threads: usize, as_of: Option<&str>, tiers: TierMap) -> Result<Built> {
    let store = Store::open_or_create(store)?;
    let builder = Builder::new(&store)?;
    let options = ReadOptions { threads, progress: None };
    let source = Folder { path: from, options, payer: Some("made for a test"), as_of };
    let (seen, _) = builder.read(&source, &Cancel::new())?;
    let options = BuildOptions { seen, tiers, ..BuildOptions::default() };
    builder.build(&options, &serde_json::json!({ "from": from.display().to_string() }))
}

/// A folder that goes when it is dropped, in memory where the system has a place for that: a build
/// makes sure that its files are on the disk, and a thousand builds of a test need not.
pub fn scratch() -> TempDir {
    let memory = Path::new("/dev/shm");
    let asked_for = std::env::var_os("TMPDIR").is_some();
    let made = if !asked_for && memory.is_dir() { tempfile::tempdir_in(memory) } else { tempfile::tempdir() };
    made.or_else(|_| tempfile::tempdir()).unwrap()
}

/// Calls an example of the documentation with the path of a store: the dataset of the payer that the questions are
/// about (`tests/questions/PAYER.md`).
///
/// Each example is a process of its own. All have one executable, in a folder that rustdoc removes when they have
/// ended: the first of them builds the store there.
pub fn with_payer(example: impl FnOnce(&Path) -> Result<()>) {
    let executable = std::env::current_exe().unwrap();
    let folder = executable.parent().unwrap();
    let ended = |result: Result<()>| result.unwrap_or_else(|e| panic!("{e}"));
    if !folder.starts_with(std::env::temp_dir()) {
        return ended(example(&Made::folder(&crate::questions::payer()).store));
    }
    let store = folder.join("payer");
    let lock = fs::File::create(folder.join("payer.lock")).unwrap();
    lock.lock().unwrap();
    if !store.join(CURRENT).exists() {
        build_folder(&crate::questions::payer(), &store, 2, None).unwrap();
    }
    drop(lock);
    ended(example(&store));
}

/// Copies a folder with everything in it.
pub fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let path = entry.unwrap().path();
        let target = to.join(path.file_name().unwrap());
        if path.is_dir() {
            copy(&path, &target);
        } else {
            fs::copy(&path, &target).unwrap();
        }
    }
}

/// Writes resources as NDJSON into a new file of a folder.
pub fn write_lines(path: &Path, resources: &[Value]) {
    let lines: String = resources.iter().map(|resource| format!("{resource}\n")).collect();
    fs::write(path, lines).unwrap();
}

impl Made {
    /// Of resources made by hand, as of 2026-03-01.
    pub fn of(resources: &[Value]) -> Self {
        Self::as_of(resources, "2026-03-01T00:00:00Z")
    }

    /// Of resources made by hand, as of a date.
    pub fn as_of(resources: &[Value], as_of: &str) -> Self {
        let folder = scratch();
        let from = folder.path().join("from");
        fs::create_dir(&from).unwrap();
        write_lines(&from.join("resources.ndjson"), resources);
        Self::from_folder(folder, &from, Some(as_of))
    }

    /// Of resources made by hand, as of 2026-03-01, where the publisher says what tiers mean.
    pub fn with_tiers(resources: &[Value], tiers: &[(&str, &str)]) -> Self {
        let folder = scratch();
        let from = folder.path().join("from");
        fs::create_dir(&from).unwrap();
        write_lines(&from.join("resources.ndjson"), resources);
        let mut map = TierMap::default();
        for (tier, meaning) in tiers {
            map.insert(tier, meaning).unwrap();
        }
        let store = folder.path().join("store");
        let built = build_with_tiers(&from, &store, 2, Some("2026-03-01T00:00:00Z"), map).unwrap();
        let dataset = Dataset::open(&store).unwrap();
        Self { dataset, store, built, _folder: folder }
    }

    /// Of a file with this text, as of 2026-03-01.
    pub fn of_text(text: &str) -> Self {
        let folder = scratch();
        let from = folder.path().join("from");
        fs::create_dir(&from).unwrap();
        fs::write(from.join("resources.ndjson"), text).unwrap();
        Self::from_folder(folder, &from, Some("2026-03-01T00:00:00Z"))
    }

    /// Of a made payer, as of its newest resource.
    pub fn payer(payer: &MadePayer) -> Self {
        let folder = scratch();
        let from = folder.path().join("from");
        payer.write_folder(&from, &FolderOptions::default()).unwrap();
        Self::from_folder(folder, &from, None)
    }

    /// Of a made payer's drugs and plans alone, without its directory.
    pub fn formulary(payer: &MadePayer) -> Self {
        let folder = scratch();
        let from = folder.path().join("from");
        let options = FolderOptions { types: ResourceType::FORMULARY.to_vec(), ..FolderOptions::default() };
        payer.write_folder(&from, &options).unwrap();
        Self::from_folder(folder, &from, None)
    }

    /// Of the resources in a folder, as of the newest of them.
    pub fn folder(from: &Path) -> Self {
        Self::from_folder(scratch(), from, None)
    }

    fn from_folder(folder: TempDir, from: &Path, as_of: Option<&str>) -> Self {
        let store = folder.path().join("store");
        let built = build_folder(from, &store, 2, as_of).unwrap();
        let dataset = Dataset::open(&store).unwrap();
        Self { dataset, store, built, _folder: folder }
    }

    /// The one plan that a text means.
    pub fn plan(&self, text: &str) -> Plan {
        let mut found = self.dataset.resolve_plan(text).unwrap();
        assert_eq!(found.len(), 1, "{text}: {found:?}");
        found.remove(0).plan
    }

    /// What a text means as a drug.
    pub fn drug(&self, text: &str) -> Drug {
        self.dataset.drug(text).unwrap_or_else(|e| panic!("{text}: {e}"))
    }

    /// A plan's answer for a drug.
    pub fn coverage(&self, plan: &str, drug: &str) -> Coverage {
        self.dataset.coverage(&self.plan(plan), &self.drug(drug)).unwrap()
    }

    /// A plan's answer for each package of a drug.
    pub fn packages(&self, plan: &str, drug: &str) -> Vec<PackageCoverage> {
        self.dataset.package_coverage(&self.plan(plan), &self.drug(drug)).unwrap()
    }

    /// Status and reason of a plan's answer, in one word or two: `unknown incomplete`.
    pub fn says(&self, plan: &str, drug: &str) -> String {
        let answer = self.coverage(plan, drug);
        said(answer.status, answer.reason)
    }
}

/// Status and reason in one word or two.
pub fn said(status: CoverageStatus, reason: Option<CoverageReason>) -> String {
    match reason {
        Some(reason) => format!("{} {}", status.as_str(), reason.as_str()),
        None => status.as_str().to_owned(),
    }
}
