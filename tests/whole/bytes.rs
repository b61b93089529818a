//! Equal bytes: a dataset depends on the set of resources and on nothing else.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use coverdex_core::Dataset;
use coverdex_core::build::format::CRAWL;
use coverdex_sandbox::{Arrangement, Compression, FolderOptions, MadePayer, ResourceType, Shape};
use coverdex_tests::dataset::{build_folder, scratch, write_lines};
use proptest::strategy::{Strategy as _, ValueTree as _};
use proptest::test_runner::TestRunner;
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::property::payers;

/// Every file of a dataset but the one that tells how it came about.
fn files(dataset: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    fn walk(root: &Path, folder: &Path, found: &mut BTreeMap<PathBuf, Vec<u8>>) {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                walk(root, &path, found);
            } else if !path.ends_with(CRAWL) {
                found.insert(path.strip_prefix(root).unwrap().to_owned(), fs::read(&path).unwrap());
            }
        }
    }
    let mut found = BTreeMap::new();
    walk(dataset, dataset, &mut found);
    found
}

fn build(from: &Path, store: &Path, threads: usize) -> BTreeMap<PathBuf, Vec<u8>> {
    let built = build_folder(from, store, threads, None).unwrap();
    assert_eq!(Dataset::open(store).unwrap().manifest().dataset, built.manifest.dataset);
    files(&built.folder)
}

#[track_caller]
fn assert_same(what: &str, wanted: &BTreeMap<PathBuf, Vec<u8>>, got: &BTreeMap<PathBuf, Vec<u8>>) {
    let names = |files: &BTreeMap<PathBuf, Vec<u8>>| files.keys().cloned().collect::<Vec<_>>();
    assert_eq!(names(got), names(wanted), "{what}");
    for (name, bytes) in wanted {
        let differs = bytes.iter().zip(&got[name]).position(|(a, b)| a != b);
        let lengths = (bytes.len(), got[name].len());
        assert!(
            differs.is_none() && lengths.0 == lengths.1,
            "{what}: {name:?} differs at {differs:?}, lengths {lengths:?}"
        );
    }
}

/// A made payer, and its dataset in the plainest way.
struct Reference {
    payer: MadePayer,
    folder: TempDir,
    files: BTreeMap<PathBuf, Vec<u8>>,
}

impl Reference {
    fn new() -> Self {
        let payer = MadePayer::new(Shape::tiny());
        let folder = scratch();
        let from = folder.path().join("plain");
        payer.write_folder(&from, &FolderOptions { threads: 1, ..FolderOptions::default() }).unwrap();
        let files = build(&from, &folder.path().join("plain-store"), 1);
        assert!(files.len() > 5, "{:?}", files.keys());
        Self { payer, folder, files }
    }

    fn written(&self, name: &str, options: &FolderOptions) -> PathBuf {
        let from = self.folder.path().join(name);
        self.payer.write_folder(&from, options).unwrap();
        from
    }

    fn check(&self, what: &str, from: &Path, threads: usize) {
        let store = self.folder.path().join(format!("store {what} é"));
        assert_same(what, &self.files, &build(from, &store, threads));
    }

    fn check_written(&self, what: &str, options: &FolderOptions) {
        self.check(what, &self.written(what, options), 0);
    }
}

#[test]
fn the_order_of_lines_and_files_makes_no_difference() {
    let reference = Reference::new();
    for (what, arrangement, shuffle) in [
        ("shuffled", Arrangement::ByType(1), Some(1)),
        ("shuffled otherwise", Arrangement::ByType(1), Some(99)),
        ("split", Arrangement::ByType(7), None),
        ("split and shuffled", Arrangement::ByType(3), Some(5)),
        ("mixed", Arrangement::Mixed(1), None),
        ("mixed in many", Arrangement::Mixed(23), Some(3)),
        ("bundles", Arrangement::Bundles(40), None),
        ("small bundles shuffled", Arrangement::Bundles(3), Some(8)),
        ("single resources", Arrangement::Single, None),
    ] {
        reference.check_written(what, &FolderOptions { arrangement, shuffle, ..FolderOptions::default() });
    }
}

#[test]
fn compression_makes_no_difference() {
    let reference = Reference::new();
    for (what, compression) in
        [("plain text", Compression::None), ("gzip", Compression::Gzip), ("zstd", Compression::Zstd)]
    {
        for (how, arrangement) in [("lines", Arrangement::ByType(2)), ("bundles", Arrangement::Bundles(100))] {
            let options = FolderOptions { compression, arrangement, ..FolderOptions::default() };
            reference.check_written(&format!("{what} {how}"), &options);
        }
    }
}

#[test]
fn threads_paths_and_repetition_make_no_difference() {
    let reference = Reference::new();
    let from = reference.folder.path().join("plain");
    for threads in [1, 2, 8, 0] {
        reference.check(&format!("{threads} threads"), &from, threads);
    }
    // Twice into one store, then under a long path.
    let store = reference.folder.path().join("twice");
    for _ in 0..2 {
        assert_same("built twice", &reference.files, &build(&from, &store, 2));
    }
    let far = reference.folder.path().join("a/b c/d%20e").join("f".repeat(100));
    fs::create_dir_all(&far).unwrap();
    assert_same("a long path", &reference.files, &build(&from, &far.join("store"), 2));
    let copy = far.join("from");
    fs::create_dir(&copy).unwrap();
    for entry in fs::read_dir(&from).unwrap() {
        let path = entry.unwrap().path();
        fs::copy(&path, copy.join(path.file_name().unwrap())).unwrap();
    }
    reference.check("another source folder", &copy, 2);
}

#[test]
fn names_and_folders_of_files_make_no_difference() {
    let reference = Reference::new();
    let from = reference
        .written("to rename", &FolderOptions { arrangement: Arrangement::ByType(4), ..FolderOptions::default() });
    let inside = from.join("deep/er");
    fs::create_dir_all(&inside).unwrap();
    for (n, entry) in fs::read_dir(&from).unwrap().map(|entry| entry.unwrap().path()).enumerate() {
        if entry.is_file() {
            let name = ["zz", "Patient.ndjson", "README.md", "data.json.gz", "0"][n % 5];
            let place = if n % 2 == 0 { &from } else { &inside };
            fs::rename(&entry, place.join(format!("{n}-{name}"))).unwrap();
        }
    }
    reference.check("renamed", &from, 0);
}

#[test]
fn other_files_make_no_difference() {
    let reference = Reference::new();
    let from = reference.written("with others", &FolderOptions { other_files: true, ..FolderOptions::default() });
    fs::write(from.join("README.md"), "# A payer\n\nNothing to read here: {\"resourceType\":\"List\"}\n").unwrap();
    fs::write(from.join(".hidden.ndjson"), "{\"resourceType\":\"InsurancePlan\",\"id\":\"hidden\"}\n").unwrap();
    fs::write(from.join("blanks.ndjson"), "\n \n\t\n").unwrap();
    fs::write(from.join("bytes.bin"), [0_u8, 159, 146, 150, 255, 0, 10]).unwrap();
    fs::create_dir(from.join("answers")).unwrap();
    write_lines(
        &from.join("answers/questions.jsonl"),
        &[
            json!({ "id": "a-1", "kind": "a_coverage", "q": { "plan": "H1", "drug": "0006-0221-28" }, "answer": {} }),
            json!({ "id": "a-2", "kind": "b_names", "q": { "text": "lisinopril" } }),
        ],
    );
    write_lines(
        &from.join("members.ndjson"),
        &[
            json!({ "resourceType": "Coverage", "id": "c", "status": "active", "subscriberId": "SECRET-MEMBER",
                    "beneficiary": { "reference": "Patient/SECRET-MEMBER" } }),
            json!({ "resourceType": "Patient", "id": "SECRET-MEMBER", "name": [{ "family": "SECRET-MEMBER" }] }),
            json!({ "resourceType": "OperationOutcome", "issue": [] }),
            json!({ "resourceType": "Basic", "id": "b" }),
            json!({ "resourceType": "List", "id": "mine", "status": "current", "subject": { "reference": "Patient/SECRET-MEMBER" },
                    "entry": [{ "item": { "reference": "MedicationRequest/1" } }] }),
        ],
    );
    let store = reference.folder.path().join("store with others");
    let built = build(&from, &store, 0);
    // A member's List is a List that came and is of no use: the report says so, and nothing else may differ.
    // The database holds the report, and the manifest and the checksums are of the database too.
    let says_so = ["coverdex.sqlite", "manifest.json", "checksums.bin"];
    for (name, bytes) in &reference.files {
        if !says_so.iter().any(|other| name.ends_with(other)) {
            assert!(built[name] == *bytes, "{name:?} differs");
        }
    }
    for (name, bytes) in files_with_crawl(&Dataset::open(&store).unwrap()) {
        let found = bytes.windows(13).any(|window| window == b"SECRET-MEMBER");
        assert!(!found, "a member's data reached {name:?}");
    }
    fs::write(
        from.join("members.ndjson"),
        fs::read_to_string(from.join("members.ndjson")).unwrap().lines().take(4).collect::<Vec<_>>().join("\n"),
    )
    .unwrap();
    reference.check("other files", &from, 0);
}

fn files_with_crawl(dataset: &Dataset) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut all = files(dataset.folder());
    all.insert(PathBuf::from(CRAWL), fs::read(dataset.folder().join(CRAWL)).unwrap());
    all
}

#[test]
fn the_same_resource_again_makes_no_difference() {
    let reference = Reference::new();
    let from =
        reference.written("repeated", &FolderOptions { compression: Compression::None, ..FolderOptions::default() });
    reference
        .payer
        .write_folder(from.join("again"), &FolderOptions { shuffle: Some(4), ..FolderOptions::default() })
        .unwrap();
    let bundles = FolderOptions { arrangement: Arrangement::Bundles(64), ..FolderOptions::default() };
    reference.payer.write_folder(from.join("once more"), &bundles).unwrap();
    reference.check("repeated", &from, 0);
}

#[test]
fn the_spelling_of_json_makes_no_difference() {
    let reference = Reference::new();
    let from = reference.folder.path().join("respelled");
    fs::create_dir(&from).unwrap();
    for kind in ResourceType::ALL {
        let texts = (0..reference.payer.count(kind)).map(|n| reference.payer.resource(kind, n));
        // Properties in the alphabet's order, none twice, over many lines, in one array.
        let values: Vec<Value> = texts.map(|text| serde_json::from_str(&text).unwrap()).collect();
        fs::write(from.join(kind.name()), serde_json::to_vec_pretty(&values).unwrap()).unwrap();
    }
    reference.check("respelled", &from, 0);
}

/// Random payers with several versions of one date, contradictions and resources without an id: which
/// one counts must not depend on which came first.
#[test]
fn random_payers_in_any_order_have_the_same_bytes() {
    let mut runner = TestRunner::deterministic();
    let folder = scratch();
    for case in 0..24 {
        let mut resources = payers::payer().new_tree(&mut runner).unwrap().current();
        for resource in &mut resources {
            resource["meta"]["lastUpdated"] = json!("2026-01-01T00:00:00Z");
        }
        let shuffled =
            proptest::strategy::Just(resources.clone()).prop_shuffle().new_tree(&mut runner).unwrap().current();
        let mut of_order = Vec::new();
        for (n, mut resources) in
            [resources.clone(), resources.into_iter().rev().collect(), shuffled].into_iter().enumerate()
        {
            let from = folder.path().join(format!("from {case} {n}"));
            fs::create_dir(&from).unwrap();
            if n == 2 {
                let half = resources.split_off(resources.len() / 2);
                write_lines(&from.join("a.ndjson"), &half);
            }
            write_lines(&from.join("b.ndjson"), &resources);
            let store = folder.path().join(format!("store {case} {n}"));
            match build_folder(&from, &store, 2, None) {
                Ok(built) => of_order.push(files(&built.folder)),
                Err(error) => assert!(resources.is_empty(), "{error}"),
            }
        }
        for other in of_order.iter().skip(1) {
            assert_same(&format!("case {case}"), &of_order[0], other);
        }
    }
}
