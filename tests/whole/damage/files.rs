//! Files that are missing, cut, longer, of a newer format, or something else altogether.

use std::fs;
use std::path::Path;
use std::process::Command;

use coverdex_core::build::format::FORMAT_VERSION;
use coverdex_core::{Dataset, Error, ErrorKind, PlanFilter, TableQuery, verify};
use coverdex_tests::command;
use coverdex_tests::dataset::{copy, scratch};
use serde_json::{Value, json};

use super::damages::reseal;
use super::{answers, made, paths, without_noise};

/// Both `open` and `verify` refuse, with an error of one of these kinds that names what is wrong.
#[track_caller]
fn refused(dataset: &Path, kinds: &[ErrorKind], about: &str) -> Error {
    let (opened, verified) = (without_noise(|| Dataset::open(dataset)), without_noise(|| verify(dataset)));
    let opened = opened.expect("open panics").expect_err("it opens");
    let verified = verified.expect("verify panics").expect_err("it is verified");
    for error in [&opened, &verified] {
        assert!(kinds.contains(&error.kind()), "{:?}: {error}", error.kind());
        let all = format!("{error} {}", error.hint().unwrap_or_default());
        assert!(all.contains(about), "{all:?} says nothing of {about:?}");
    }
    opened
}

#[test]
fn missing_files() {
    let made = made();
    let folder = scratch();
    for path in paths(made.dataset.folder()) {
        let broken = folder.path().join(path.replace('/', "-"));
        copy(made.dataset.folder(), &broken);
        fs::remove_file(broken.join(&path)).unwrap();
        if path == "manifest.json" {
            refused(&broken, &[ErrorKind::DatasetMissing], "manifest.json");
        } else {
            refused(&broken, &[ErrorKind::DatasetDamaged], path.rsplit('/').next().unwrap());
        }
    }
    // What is not the dataset's may go.
    let bare = folder.path().join("bare");
    copy(made.dataset.folder(), &bare);
    fs::remove_file(bare.join("crawl.json")).unwrap();
    let without_info = |dataset: &Dataset| {
        let mut answers = answers(dataset);
        assert!(
            answers.remove("info").is_some_and(|info| info.is_ok()),
            "info tells of the way here where it is known"
        );
        answers
    };
    assert_eq!(without_info(&Dataset::open(&bare).unwrap()), without_info(&made.dataset));
    verify(&bare).unwrap();
}

#[test]
fn truncated_and_longer_files() {
    let made = made();
    let folder = scratch();
    let broken = folder.path().join("broken");
    copy(made.dataset.folder(), &broken);
    for path in paths(&broken) {
        let whole = fs::read(broken.join(&path)).unwrap();
        let length = whole.len();
        for cut in [0, 1, length / 3, length / 2, length.saturating_sub(4_096), length - 1] {
            fs::write(broken.join(&path), &whole[..cut]).unwrap();
            refused(&broken, &[ErrorKind::DatasetDamaged], &path);
        }
        let mut longer = whole.clone();
        longer.push(b'\n');
        fs::write(broken.join(&path), &longer).unwrap();
        refused(&broken, &[ErrorKind::DatasetDamaged], &path);
        fs::write(broken.join(&path), &whole).unwrap();
    }
    verify(&broken).unwrap();
}

#[test]
fn newer_formats() {
    let made = made();
    let folder = scratch();
    let newer = folder.path().join("newer");
    copy(made.dataset.folder(), &newer);
    reseal(&newer, |_| {});
    assert!(Dataset::open(&newer).is_ok(), "resealing alone is no damage");
    reseal(&newer, |manifest| {
        manifest["format"] = json!(FORMAT_VERSION + 3);
        manifest["min_reader"] = json!(FORMAT_VERSION + 1);
    });
    let error = refused(&newer, &[ErrorKind::DatasetTooNew], "format");
    assert!(error.hint().is_some_and(|hint| hint.contains("update")), "{error:?}");
    // A manifest of a time to come may hold anything else.
    fs::write(
        newer.join("manifest.json"),
        format!("{{\"format\": 9, \"min_reader\": {}, \"dataset\": 7}}", FORMAT_VERSION + 9),
    )
    .unwrap();
    refused(&newer, &[ErrorKind::DatasetTooNew], "format");
    // Fields that are not known yet are no damage.
    fs::copy(made.dataset.folder().join("manifest.json"), newer.join("manifest.json")).unwrap();
    reseal(&newer, |manifest| manifest["signature"] = json!({ "by": "someone" }));
    assert_eq!(answers(&Dataset::open(&newer).unwrap()), answers(&made.dataset));
    reseal(&newer, |manifest| manifest["folding"] = json!(99));
    refused(&newer, &[ErrorKind::DatasetTooNew], "folded");
}

#[test]
fn manifests_that_lie() {
    let made = made();
    let folder = scratch();
    let lies = folder.path().join("lies");
    copy(made.dataset.folder(), &lies);
    let original = fs::read(lies.join("manifest.json")).unwrap();
    let changes: [(&str, fn(&mut Value)); 10] = [
        ("no character of a path", |m| m["files"][0]["path"] = json!("a\0b")),
        ("too long a name", |m| m["files"][0]["path"] = json!("a".repeat(300))),
        ("a date that is none", |m| m["as_of"] = json!("soon")),
        ("a count of formularies", |m| m["counts"]["formularies"] = json!(999)),
        ("a file outside", |m| m["files"][0]["path"] = json!("../../../etc/hostname")),
        ("an absolute path", |m| m["files"][0]["path"] = json!("/etc/hostname")),
        ("no files", |m| m["files"] = json!([])),
        ("another length", |m| m["files"][0]["length"] = json!(12)),
        ("a file that is not there", |m| m["files"][0]["path"] = json!("nothing.bin")),
        ("another hash", |m| m["files"][1]["sha256"] = json!("00")),
    ];
    for (what, change) in changes {
        fs::write(lies.join("manifest.json"), &original).unwrap();
        reseal(&lies, change);
        let verified = without_noise(|| verify(&lies)).expect("no panic");
        assert_eq!(verified.expect_err(what).kind(), ErrorKind::DatasetDamaged, "{what}");
    }
    // Counts that do not fit are met by a call at the latest.
    let plans = made.dataset.plans(&PlanFilter::default()).unwrap();
    let listing = plans.iter().find(|plan| plan.drugs.has_entries()).unwrap().id.to_string();
    let counts = [0, 1, 999_999].map(|count| [("packages", count), ("drug_lines", count)]);
    for (name, count) in counts.into_iter().flatten() {
        fs::write(lies.join("manifest.json"), &original).unwrap();
        reseal(&lies, |manifest| manifest["counts"][name] = json!(count));
        let dataset = Dataset::open(&lies).unwrap();
        let table = TableQuery::Formulary(listing.clone());
        let rows = dataset.table(table).and_then(|mut table| table.next_batch(10));
        assert_eq!(rows.unwrap_err().kind(), ErrorKind::DatasetDamaged, "{name} {count}");
        assert!(without_noise(|| verify(&lies)).expect("no panic").is_err(), "{name} {count}");
        without_noise(|| Dataset::open(&lies).map(|dataset| answers(&dataset))).expect("no panic").ok();
    }
    for junk in [&b"{}"[..], b"", b"null", b"[]", b"\xff\xfe", b"{\"format\":0,\"min_reader\":0}", b"{\"format\":-1}"] {
        fs::write(lies.join("manifest.json"), junk).unwrap();
        refused(&lies, &[ErrorKind::DatasetDamaged], "manifest");
    }
}

#[test]
fn databases_that_are_none_of_ours() {
    let made = made();
    let folder = scratch();
    let broken = folder.path().join("broken");
    copy(made.dataset.folder(), &broken);
    let database = broken.join("coverdex.sqlite");
    let whole = fs::read(&database).unwrap();
    assert!(whole.len() > 64 << 10, "too small to be met by anything but its own header: {}", whole.len());
    for (what, at, bytes) in [
        ("WAL", 18, vec![2, 2]),
        ("SQLite", 0, b"SQLite format 4".to_vec()),
        ("Coverdex", 68, vec![0, 0, 0, 0]),
        ("format", 60, vec![0, 0, 0, 9]),
        ("truncated", 28, vec![0, 0, 255, 255]),
    ] {
        let mut changed = whole.clone();
        changed[at..at + bytes.len()].copy_from_slice(&bytes);
        fs::write(&database, &changed).unwrap();
        let opened = without_noise(|| Dataset::open(&broken)).expect("no panic").expect_err(what);
        assert_eq!(opened.kind(), ErrorKind::DatasetDamaged, "{what}");
        assert!(
            opened.to_string().contains(what) && opened.to_string().contains("coverdex.sqlite"),
            "{what}: {opened}"
        );
        assert!(verify(&broken).is_err(), "{what}");
    }
    // Files that a writer in WAL mode would leave beside it change nothing.
    fs::write(&database, &whole).unwrap();
    fs::write(broken.join("coverdex.sqlite-wal"), vec![7_u8; 4_096]).unwrap();
    fs::write(broken.join("coverdex.sqlite-journal"), vec![7_u8; 4_096]).unwrap();
    assert_eq!(answers(&Dataset::open(&broken).unwrap()), answers(&made.dataset));
}

#[test]
fn paths_that_lead_to_no_dataset() {
    let folder = scratch();
    let empty = folder.path().join("empty");
    fs::create_dir(&empty).unwrap();
    refused(&empty, &[ErrorKind::DatasetMissing], "build a dataset");
    refused(&folder.path().join("nowhere"), &[ErrorKind::DatasetMissing], "nowhere");
    let file = folder.path().join("file");
    fs::write(&file, "text").unwrap();
    refused(&file, &[ErrorKind::DatasetMissing], "not a folder");
    let others = folder.path().join("others");
    fs::create_dir(&others).unwrap();
    fs::write(others.join("coverdex.sqlite"), "SQLite format 3\0").unwrap();
    refused(&others, &[ErrorKind::DatasetMissing], "manifest.json");
    let nested = folder.path().join("nested");
    fs::create_dir_all(nested.join("manifest.json")).unwrap();
    refused(&nested, &[ErrorKind::Io, ErrorKind::DatasetDamaged], "manifest.json");
    refused(Path::new("nul\0nul"), &[ErrorKind::DatasetMissing], "no such folder");
    refused(&folder.path().join("a".repeat(300)), &[ErrorKind::DatasetMissing], "no such folder");
}

#[test]
fn reading_writes_nothing() {
    let made = made();
    let listing = |folder: &Path| {
        let mut all: Vec<(String, u64, std::time::SystemTime)> = fs::read_dir(folder)
            .unwrap()
            .map(|entry| {
                let entry = entry.unwrap();
                let metadata = entry.metadata().unwrap();
                (entry.path().display().to_string(), metadata.len(), metadata.modified().unwrap())
            })
            .collect();
        all.sort();
        all
    };
    let folders = [made.store.clone(), made.dataset.folder().to_owned(), made.dataset.folder().join("drugs")];
    let before: Vec<_> = folders.iter().map(|folder| listing(folder)).collect();
    answers(&Dataset::open(&made.store).unwrap());
    verify(&made.store).unwrap();
    let after: Vec<_> = folders.iter().map(|folder| listing(folder)).collect();
    assert_eq!(before, after);
}

/// The superuser may read everything, so where these tests run as that, another user asks.
#[cfg(unix)]
#[test]
fn files_that_may_not_be_read() {
    use std::os::unix::fs::PermissionsExt as _;
    let made = made();
    let folder = tempfile::tempdir().unwrap();
    let closed = folder.path().join("closed");
    copy(made.dataset.folder(), &closed);
    let mode = |path: &Path, mode: u32| fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    mode(folder.path(), 0o755);
    let binds = {
        let probe = folder.path().join("probe");
        fs::write(&probe, "x").unwrap();
        mode(&probe, 0o000);
        fs::read(&probe).is_err()
    };
    let asking = |path: &Path| -> Option<(Option<i32>, Value)> {
        if binds {
            let error = Dataset::open(path).expect_err("it opens");
            return Some((Some(3), json!({ "error": { "kind": error.kind().as_str(), "message": error.message() } })));
        }
        let coverdex = folder.path().join("coverdex");
        if !coverdex.exists() {
            fs::copy(command::executable().unwrap(), &coverdex).unwrap();
            mode(&coverdex, 0o755);
        }
        let ran = Command::new("setpriv")
            .args(["--reuid", "65534", "--regid", "65534", "--clear-groups"])
            .arg(&coverdex)
            .args(["info", "--json", "--data"])
            .arg(path)
            .output();
        match ran {
            Ok(output) => Some((output.status.code(), serde_json::from_slice(&output.stdout).unwrap_or_default())),
            Err(error) => {
                crate::say(&format!(
                    "NOT RUN: files that may not be read: this user may read everything, and setpriv failed: {error}"
                ));
                None
            }
        }
    };
    if !binds {
        // The other user reads what is open to all.
        let Some((code, _)) = asking(&closed) else { return };
        assert_eq!(code, Some(0), "a dataset is for everyone");
    }
    for path in ["manifest.json", "coverdex.sqlite", "drugs"] {
        mode(&closed.join(path), 0o000);
        let Some((code, answer)) = asking(&closed) else { return };
        assert_eq!((code, answer["error"]["kind"].as_str()), (Some(3), Some("io")), "{path}: {answer}");
        assert!(answer["error"]["message"].as_str().unwrap().to_lowercase().contains("permission"), "{answer}");
        mode(&closed.join(path), 0o755);
    }
    mode(&closed, 0o000);
    let Some((code, answer)) = asking(&closed) else { return };
    assert_eq!((code, answer["error"]["kind"].as_str()), (Some(3), Some("io")), "{answer}");
    mode(&closed, 0o755);
}
