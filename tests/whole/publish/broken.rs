//! Disks that are full or read-only, and two at once: what was live stays, and what to do is told.

use std::fs::{self, File};
#[cfg(unix)]
use std::process::Command;

use coverdex_tests::command;

use super::server::Server;
use super::{PRESS, Shelf, refusal, text};

/// Files that cannot grow beyond a length, as on a full disk, for one process.
#[cfg(unix)]
#[test]
fn an_update_whose_writes_fail_leaves_what_was_live_and_goes_on_later() {
    let (server, shelf) = (Server::of(&PRESS.publications[0]), Shelf::new());
    assert_eq!(shelf.update(&server.url, &[]).code, Some(0));
    server.serve(&PRESS.publications[1]);
    let mut failed = 0;
    for kilobytes in [0, 1, 4, 16, 64, 128] {
        let script = "trap '' XFSZ; ulimit -f \"$1\"; shift; exec \"$@\"";
        let output = Command::new("bash")
            .args(["-c", script, "bash", &kilobytes.to_string()])
            .arg(command::executable().unwrap())
            .args([
                "update",
                "--from",
                &server.url,
                "--store",
                &text(&shelf.path()),
                "--key",
                &PRESS.keys.line,
                "--json",
            ])
            .output()
            .unwrap();
        if output.status.success() {
            break;
        }
        failed += 1;
        let said = String::from_utf8_lossy(&output.stdout);
        assert!(said.contains("\"kind\":\"io\"") && said.contains("\"hint\":\""), "{kilobytes}: {said}");
        assert_eq!((shelf.live(), shelf.number()), (Some(0), Some(1)), "{kilobytes}");
        assert!(shelf.inside().iter().all(|name| name != ".building-dataset"), "{:?}", shelf.inside());
    }
    assert!(failed >= 3, "{failed}");
    assert_eq!(shelf.update(&server.url, &[]).code, Some(0));
    assert_eq!((shelf.live(), shelf.number()), (Some(1), Some(2)));
}

#[test]
fn a_store_that_cannot_be_written_to_is_named() {
    let shelf = Shelf::new();
    assert_eq!(shelf.update(&PRESS.publications[0], &[]).code, Some(0));
    // Whoever is root may write everywhere: something that is no file stands where one must be.
    fs::create_dir(shelf.path().join(".building-published")).unwrap();
    assert_eq!(shelf.update(&PRESS.publications[1], &[]).code, Some(0), "what died may have left anything");
    fs::remove_file(shelf.path().join("PUBLISHED")).unwrap();
    fs::create_dir(shelf.path().join("PUBLISHED")).unwrap();
    let ran = shelf.update(&PRESS.publications[2], &[]);
    assert_ne!(ran.code, Some(0), "{ran:?}");
    assert_eq!(shelf.live(), Some(1));
    fs::remove_dir(shelf.path().join("PUBLISHED")).unwrap();
    fs::write(shelf.path().join("PUBLISHED"), "{ not json").unwrap();
    let (kind, error) = refusal(&shelf.update(&PRESS.publications[2], &[]));
    assert!(kind == "dataset_damaged" && error.contains("PUBLISHED") && error.contains("remove the file"), "{error}");
    // It keeps nobody from a dataset that does.
    assert_eq!(command::run(&["rollback", &text(&shelf.path())]).code, Some(0));
    assert_eq!(shelf.live(), Some(0));
}

/// Where others than root run the tests.
#[cfg(unix)]
#[test]
fn a_read_only_store_is_refused() {
    use std::os::unix::fs::PermissionsExt as _;
    let shelf = Shelf::new();
    assert_eq!(shelf.update(&PRESS.publications[0], &[]).code, Some(0));
    let mode = |mode| fs::set_permissions(shelf.path(), fs::Permissions::from_mode(mode)).unwrap();
    mode(0o555);
    if File::create(shelf.path().join("probe")).is_ok() {
        crate::say("NOT RUN: a read-only store, as this user may write everywhere");
        return;
    }
    let ran = shelf.update(&PRESS.publications[1], &[]);
    mode(0o755);
    assert_eq!(refusal(&ran).0, "io");
    assert_eq!((shelf.live(), shelf.number()), (Some(0), Some(1)));
}

#[test]
fn one_update_at_a_time() {
    let shelf = Shelf::new();
    assert_eq!(shelf.update(&PRESS.publications[0], &[]).code, Some(0));
    let held = File::options().write(true).open(shelf.path().join(".lock")).unwrap();
    held.lock().unwrap();
    let (kind, error) = refusal(&shelf.update(&PRESS.publications[1], &[]));
    assert!(kind == "io" && error.contains("another build or install"), "{error}");
    assert_eq!(shelf.live(), Some(0));
    drop(held);
    std::thread::scope(|scope| {
        let updates = [0, 1, 2, 3].map(|_| scope.spawn(|| shelf.update(&PRESS.publications[1], &[])));
        let done = updates.map(|update| update.join().unwrap());
        assert!(done.iter().any(|ran| ran.code == Some(0)), "{done:?}");
        for refused in done.iter().filter(|ran| ran.code != Some(0)) {
            assert_eq!(refusal(refused).0, "io", "{refused:?}");
        }
    });
    assert_eq!((shelf.live(), shelf.number()), (Some(1), Some(2)));
}
