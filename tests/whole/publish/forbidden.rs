//! Where the system forbids to read or write, the error names the path and the way out. Root may write everywhere: then the
//! command is run as nobody, by `setpriv`.

use std::fs::{self, Permissions};
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::path::Path;
use std::process::Command;

use coverdex_tests::command::{Ran, executable, run};
use coverdex_tests::dataset::{copy, scratch};
use serde_json::Value;

use super::{PRESS, Shelf, text};

/// Nobody's number on Linux.
const NOBODY: &str = "65534";

/// Runs the command as somebody who is not root; nothing where that cannot be.
fn as_nobody(arguments: &[&str]) -> Option<Ran> {
    let is_root = fs::metadata("/proc/self").is_ok_and(|own| own.uid() == 0);
    if !is_root {
        return Some(run(arguments));
    }
    let mut command = Command::new("setpriv");
    command.args(["--reuid", NOBODY, "--regid", NOBODY, "--clear-groups"]).arg(executable().unwrap());
    let output = command.env_remove("COVERDEX_DATA").args(arguments).output().ok()?;
    let ran = Ran {
        code: output.status.code(),
        stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
        stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
    };
    // 126 and 127: setpriv could not change who it is, or nobody may not run the command.
    (!matches!(ran.code, Some(126 | 127))).then_some(ran)
}

fn allow(path: &Path, mode: u32) {
    fs::set_permissions(path, Permissions::from_mode(mode)).unwrap();
}

/// A folder and all in it may be read by everybody and written by nobody.
fn read_only(path: &Path) {
    if path.is_dir() {
        for entry in fs::read_dir(path).unwrap() {
            read_only(&entry.unwrap().path());
        }
    }
    allow(path, if path.is_dir() { 0o555 } else { 0o444 });
}

/// Who made it may remove it again.
fn writable(path: &Path) {
    allow(path, if path.is_dir() { 0o755 } else { 0o644 });
    if path.is_dir() {
        for entry in fs::read_dir(path).unwrap() {
            writable(&entry.unwrap().path());
        }
    }
}

#[test]
fn who_may_not_write_or_read_is_told_where() {
    if as_nobody(&["--version"]).is_none_or(|ran| ran.code != Some(0)) {
        crate::say("SKIPPED publish::forbidden: root may write everywhere, and the command cannot be run as nobody");
        return;
    }
    let (folder, shelf) = (scratch(), Shelf::new());
    allow(folder.path(), 0o755);
    allow(shelf.folder.path(), 0o755);
    assert_eq!(shelf.update(&PRESS.publications[0], &[]).code, Some(0));
    let publication = folder.path().join("public");
    copy(&PRESS.publications[1], &publication);
    let open = folder.path().join("open");
    fs::create_dir(&open).unwrap();
    allow(&open, 0o777);
    let dataset = folder.path().join("dataset");
    copy(&PRESS.datasets[1], &dataset);
    let secret = folder.path().join("secret.key");
    fs::copy(&PRESS.keys.secret, &secret).unwrap();
    for path in [&publication, &dataset] {
        read_only(path);
    }
    read_only(&shelf.path());
    allow(&secret, 0o644);
    let [store, from, dataset, secret] = [&shelf.path(), &publication, &dataset, &secret].map(|path| text(path));
    let key = &PRESS.keys.line;
    let beside = |name: &str| text(&folder.path().join(name));
    let (new_store, out, file) = (beside("new-store"), beside("out"), beside("out.coverdex"));
    let forbidden: [(&str, &[&str], &str); 8] = [
        ("update of a store", &["update", "--from", &from, "--store", &store, "--key", key], &store),
        ("install into a store", &["install", &from, "--into", &store, "--key", key], &store),
        ("install of a dataset", &["install", &dataset, "--into", &store], &store),
        ("rollback", &["rollback", &store], &store),
        ("a new store", &["update", "--from", &from, "--store", &new_store, "--key", key], &new_store),
        (
            "pack into a folder",
            &["pack", &dataset, "--out", &out, "--series", "Larkspur"],
            folder.path().to_str().unwrap(),
        ),
        (
            "pack into a file",
            &["pack", &dataset, "--out", &file, "--series", "Larkspur"],
            folder.path().to_str().unwrap(),
        ),
        ("keys", &["keys", &beside("mine"), "--no-password"], folder.path().to_str().unwrap()),
    ];
    for (what, arguments, path) in forbidden {
        is_told(what, &as_nobody(&[arguments, &["--json"]].concat()).unwrap(), path);
    }
    // A key that others may read is refused for that; one that the caller may not read is told of.
    let sign = ["sign", &from, "--key", &secret, "--json"];
    allow(Path::new(&secret), 0o600);
    let ran = as_nobody(&sign).unwrap();
    assert!(ran.code != Some(0) && ran.stdout.contains(&secret), "{ran:?}");

    // Where nothing is written, nothing is refused.
    let live = as_nobody(&["verify", &store, "--key", key, "--json"]).unwrap();
    assert_eq!(live.code, Some(0), "{live:?}");
    assert_eq!(as_nobody(&["plans", "--data", &store, "--json"]).unwrap().code, Some(0));
    let own = text(&open.join("store"));
    let taken = as_nobody(&["update", "--from", &from, "--store", &own, "--key", key, "--json"]).unwrap();
    assert_eq!(taken.code, Some(0), "{taken:?}");

    // A publication of which a file may not be read.
    let document = publication.join("publication.json");
    let blob = fs::read_dir(publication.join("blobs")).unwrap().next().unwrap().unwrap().path();
    for closed in [document, blob] {
        allow(&closed, 0o000);
        let other = text(&open.join("other"));
        let ran = as_nobody(&["update", "--from", &from, "--store", &other, "--key", key, "--json"]).unwrap();
        is_told("a file that may not be read", &ran, closed.to_str().unwrap());
        allow(&closed, 0o444);
    }
    assert_eq!((shelf.live(), shelf.number()), (Some(0), Some(1)));
    let store = shelf.path();
    let all: [&Path; 3] = [&store, &publication, Path::new(&dataset)];
    all.into_iter().for_each(writable);
}

#[track_caller]
fn is_told(what: &str, ran: &Ran, path: &str) {
    assert_eq!(ran.code, Some(3), "{what}: {ran:?}");
    let document: Value = ran.json();
    let error = &document["error"];
    assert_eq!(error["kind"], "io", "{what}: {error}");
    assert!(error["subject"].as_str().unwrap().contains(path), "{what}: {error} does not name {path}");
    assert!(error["message"].as_str().unwrap().contains("ermission"), "{what}: {error}");
    assert!(error["hint"].is_string(), "{what}: no way out: {error}");
}
