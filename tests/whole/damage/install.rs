//! Installing a dataset into a store: what is wrong with it, or with the disk, or ends the process, leaves the live
//! one live and whole.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, Barrier, LazyLock};
use std::time::{Duration, Instant};

use coverdex_core::{Cancel, Dataset, ErrorKind, Installed, Store, verify};
use coverdex_sandbox::{FolderOptions, MadePayer, Shape};
use coverdex_tests::command;
use coverdex_tests::dataset::{build_folder, copy, scratch};
use tempfile::TempDir;

use super::{Answers, answers, paths, without_noise};

/// Two datasets that answer differently.
struct Two {
    _folder: TempDir,
    datasets: [PathBuf; 2],
    answers: [Answers; 2],
}

static TWO: LazyLock<Two> = LazyLock::new(|| {
    let folder = scratch();
    let datasets = [1, 2].map(|seed| {
        let from = folder.path().join(format!("from{seed}"));
        let payer = MadePayer::new(Shape { seed, packages: 700, listed: 500, list_size: 200, ..Shape::tiny() });
        payer.write_folder(&from, &FolderOptions::default()).unwrap();
        build_folder(&from, &folder.path().join(format!("store{seed}")), 2, None).unwrap().folder
    });
    let answers = [0, 1].map(|n| answers(&Dataset::open(&datasets[n]).unwrap()));
    assert_ne!(answers[0], answers[1]);
    Two { _folder: folder, datasets, answers }
});

/// A store whose live dataset is the first of the two.
fn store() -> (TempDir, Store) {
    let folder = scratch();
    let store = Store::open_or_create(folder.path().join("store")).unwrap();
    install(&store, &TWO.datasets[0]).unwrap();
    (folder, store)
}

fn install_at_once(store: &Store, from: &Path) -> coverdex_core::Result<Installed> {
    without_noise(|| store.install(from, &Cancel::new())).expect("no panic")
}

/// Until its program runs, a child that another test begins shares what was locked here when it was begun.
fn install(store: &Store, from: &Path) -> coverdex_core::Result<Installed> {
    let begun = Instant::now();
    loop {
        match install_at_once(store, from) {
            Err(error) if error.message().contains("another build") && begun.elapsed() < Duration::from_secs(10) => {
                std::thread::sleep(Duration::from_millis(5));
            }
            installed => return installed,
        }
    }
}

/// Says that it is done, also where a test fails: who waits for it would never end.
struct Done<'a>(&'a AtomicBool);

impl Drop for Done<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// Which of the two is live, whole and answering as it should.
fn live(store: &Store) -> usize {
    verify(store.path()).unwrap();
    let answered = answers(&Dataset::open(store.path()).unwrap());
    TWO.answers.iter().position(|wanted| *wanted == answered).expect("neither of the two answers")
}

/// What is in a store's folder besides its lock.
fn inside(store: &Store) -> Vec<String> {
    let names = fs::read_dir(store.path()).unwrap().map(|entry| entry.unwrap().file_name());
    let mut names: Vec<String> = names.map(|name| name.to_string_lossy().into_owned()).collect();
    names.retain(|name| name != ".lock");
    names.sort();
    names
}

#[test]
fn what_is_installed_is_live_and_the_one_before_can_come_back() {
    let (_folder, store) = store();
    let [one, other] = &TWO.datasets;
    assert_eq!((live(&store), store.former()), (0, None));
    let reader = Dataset::open(store.path()).unwrap();

    let installed = install(&store, other).unwrap();
    assert_eq!(live(&store), 1);
    assert_eq!(installed.dataset, Dataset::open(other).unwrap().manifest().dataset);
    assert_eq!(installed.folder, Dataset::open(store.path()).unwrap().folder());
    assert_eq!(store.live().as_ref(), Some(&installed.folder));
    assert_eq!(installed.former, store.former());
    assert!(!installed.was_there && installed.former.is_some());
    assert_eq!(answers(&reader), TWO.answers[0], "who has the former one open goes on with it");

    // Once more: nothing is copied, and the one before is still that.
    let again = install(&store, other).unwrap();
    assert_eq!(again, Installed { was_there: true, ..installed.clone() });
    // From another store, by its live dataset.
    assert!(install(&store, other.parent().unwrap()).unwrap().was_there);

    let back = store.rollback(&Cancel::new()).unwrap();
    assert_eq!((live(&store), back.former, back.was_there), (0, None, true));
    assert!(!installed.folder.exists(), "the one that did not do is gone");
    let error = store.rollback(&Cancel::new()).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::NotFound);
    assert!(error.hint().is_some(), "{error}");
    assert_eq!(live(&store), 0);

    // A build and an install share the store and its order.
    install(&store, other).unwrap();
    assert!(store.remove_former().unwrap());
    assert!(!store.remove_former().unwrap());
    assert_eq!((live(&store), inside(&store).len()), (1, 2), "{:?}", inside(&store));
    assert_eq!(store.rollback(&Cancel::new()).unwrap_err().kind(), ErrorKind::NotFound);
    assert!(!install(&store, one).unwrap().was_there);
    assert_eq!(live(&store), 0);
}

#[test]
fn a_dataset_that_is_not_whole_is_not_installed() {
    let (folder, store) = store();
    let broken = folder.path().join("broken");
    let before = inside(&store);
    let refused = |what: &str, kind: ErrorKind, change: &dyn Fn(&Path)| {
        let _ = fs::remove_dir_all(&broken);
        copy(&TWO.datasets[1], &broken);
        change(&broken);
        let error = install(&store, &broken).expect_err(what);
        assert_eq!(error.kind(), kind, "{what}: {error}");
        assert!(error.hint().is_some(), "{what}: {error}");
        assert_eq!(inside(&store), before, "{what}");
        error
    };
    for path in paths(&TWO.datasets[1]) {
        let length = TWO.datasets[1].join(&path).metadata().unwrap().len();
        let damage = ErrorKind::DatasetDamaged;
        for (what, at) in [("first byte", 0), ("byte in the middle", length / 2), ("last byte", length - 1)] {
            let error = refused(&format!("{path}: {what}"), damage, &|broken| {
                let mut bytes = fs::read(broken.join(&path)).unwrap();
                bytes[usize::try_from(at).unwrap()] ^= 1;
                fs::write(broken.join(&path), bytes).unwrap();
            });
            assert!(error.subject().ends_with(&path) || path == "manifest.json", "{path}: {error}");
        }
        for (what, cut) in [("empty", 0), ("cut", length / 2), ("one byte short", length - 1)] {
            refused(&format!("{path}: {what}"), damage, &|broken| {
                File::options().write(true).open(broken.join(&path)).unwrap().set_len(cut).unwrap();
            });
        }
        let kind = if path == "manifest.json" { ErrorKind::DatasetMissing } else { damage };
        refused(&format!("{path}: not there"), kind, &|broken| fs::remove_file(broken.join(&path)).unwrap());
    }
    refused("a newer format", ErrorKind::DatasetTooNew, &|broken| {
        let text = fs::read_to_string(broken.join("manifest.json")).unwrap();
        let newer = text.replace("\"min_reader\": 0", "\"min_reader\": 9");
        assert_ne!(newer, text);
        fs::write(broken.join("manifest.json"), newer).unwrap();
    });
    assert_eq!(live(&store), 0);
    // All that is damaged is named at once.
    let all: Vec<String> = paths(&TWO.datasets[1]).into_iter().filter(|path| path != "manifest.json").collect();
    let error = refused("everything", ErrorKind::DatasetDamaged, &|broken| {
        for path in &all {
            let mut bytes = fs::read(broken.join(path)).unwrap();
            bytes[0] ^= 1;
            fs::write(broken.join(path), bytes).unwrap();
        }
    });
    assert_eq!(error.damages().len(), all.len(), "{:?}", error.damages());
}

#[test]
fn what_is_no_dataset_or_no_store_is_refused_and_nothing_is_touched() {
    let (folder, store) = store();
    let nothing = folder.path().join("nothing");
    fs::create_dir(&nothing).unwrap();
    let file = folder.path().join("file");
    fs::write(&file, "a file").unwrap();
    for from in [&nothing, &file, &folder.path().join("nowhere")] {
        assert_eq!(install(&store, from).unwrap_err().kind(), ErrorKind::DatasetMissing, "{from:?}");
    }
    let home = folder.path().join("home");
    fs::create_dir(&home).unwrap();
    fs::write(home.join("thesis.txt"), "years of work").unwrap();
    for into in [&home, &file, &TWO.datasets[1]] {
        assert_eq!(Store::open_or_create(into).unwrap_err().kind(), ErrorKind::InvalidInput, "{into:?}");
    }
    for into in [&home, &file, &nothing, &folder.path().join("nowhere")] {
        assert_eq!(Store::open(into).unwrap_err().kind(), ErrorKind::DatasetMissing, "{into:?}");
    }
    assert!(!folder.path().join("nowhere").exists());
    assert_eq!(fs::read_dir(&home).unwrap().count(), 1);
    assert_eq!(live(&store), 0);
}

#[test]
fn installing_mends_what_is_damaged_in_the_store() {
    let (_folder, store) = store();
    let live_folder = store.live().unwrap();
    let reader = Dataset::open(store.path()).unwrap();
    assert_eq!(answers(&reader), TWO.answers[0]);
    for path in paths(&live_folder) {
        let there = live_folder.join(&path);
        let whole = fs::read(&there).unwrap();
        // Another file in its place, as a disk that lost it would have it: what is open keeps the one it opened.
        fs::remove_file(&there).unwrap();
        if path != "manifest.json" {
            fs::write(&there, &whole[..whole.len() / 2]).unwrap();
            assert!(verify(store.path()).is_err());
        }
        assert!(!install(&store, &TWO.datasets[0]).unwrap().was_there, "{path}");
        assert_eq!(live(&store), 0);
        assert_eq!(inside(&store).len(), 2, "{path}: {:?}", inside(&store));
    }
    assert_eq!(answers(&reader), TWO.answers[0]);
    for junk in ["", "../elsewhere", "v0-0000000000000000\n"] {
        fs::write(store.path().join("CURRENT"), junk).unwrap();
        assert!(Dataset::open(store.path()).is_err());
        install(&store, &TWO.datasets[0]).unwrap();
        assert_eq!(live(&store), 0);
    }
    // A former dataset that is damaged does not come back.
    install(&store, &TWO.datasets[1]).unwrap();
    fs::write(store.former().unwrap().join("coverdex.sqlite"), "nothing").unwrap();
    assert_eq!(store.rollback(&Cancel::new()).unwrap_err().kind(), ErrorKind::DatasetDamaged);
    assert_eq!(live(&store), 1);
}

/// A dataset of another day: the same resources, another id.
fn third(folder: &Path) -> PathBuf {
    let (from, store) = (folder.join("from3"), folder.join("store3"));
    MadePayer::new(Shape { seed: 3, ..Shape::tiny() }).write_folder(&from, &FolderOptions::default()).unwrap();
    build_folder(&from, &store, 2, None).unwrap().folder
}

#[test]
fn a_live_dataset_that_is_gone_or_damaged_is_not_the_one_to_go_back_to() {
    for harm in ["gone", "altered", "no manifest"] {
        let (folder, store) = store();
        let third = third(folder.path());
        install(&store, &TWO.datasets[1]).unwrap();
        let (lost, whole) = (store.live().unwrap(), store.former().unwrap());
        match harm {
            "gone" => fs::remove_dir_all(&lost).unwrap(),
            "no manifest" => fs::remove_file(lost.join("manifest.json")).unwrap(),
            _ => {
                let mut bytes = fs::read(lost.join("coverdex.sqlite")).unwrap();
                bytes[70_000] ^= 1;
                fs::remove_file(lost.join("coverdex.sqlite")).unwrap();
                fs::write(lost.join("coverdex.sqlite"), bytes).unwrap();
            }
        }
        let installed = install(&store, &third).unwrap();
        assert_eq!(installed.former, Some(whole), "{harm}");
        store.rollback(&Cancel::new()).unwrap();
        assert_eq!(live(&store), 0, "{harm}");
    }
}

#[test]
fn what_names_no_dataset_is_never_named_as_the_one_before() {
    for word in ["spring", "MANIFEST-000002", "v0-0123456789abcdef"] {
        let (_folder, store) = store();
        let first = store.live().unwrap();
        fs::write(store.path().join("CURRENT"), word).unwrap();
        assert_eq!(install(&store, &TWO.datasets[1]).unwrap().former, None, "{word}");
        assert_eq!(live(&store), 1, "{word}");
        assert!(first.exists(), "{word}: what nothing is known of stays");
    }
}

#[test]
fn what_is_not_the_stores_own_stays() {
    let (folder, store) = store();
    let mine = |at: &str| {
        let path = folder.path().join(at);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, "mine").unwrap();
        path
    };
    // Folders that are no stores.
    for (at, other) in [("a/.building-site/plan.txt", None), ("b/000003.log", Some("b/CURRENT"))] {
        let (kept, _) = (mine(at), other.map(mine));
        let error = Store::open_or_create(folder.path().join(&at[..1])).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidInput, "{at}");
        assert!(kept.exists());
    }
    // Within a store.
    let inside: Vec<PathBuf> = ["NOTES.txt", ".building-notes", "v1-deadbeefdeadbeef/mine.txt", "v2-0123456789abcdef"]
        .map(|name| mine(&format!("store/{name}")))
        .into();
    let name = TWO.datasets[1].file_name().unwrap().to_str().unwrap();
    let beside = mine(&format!("store/{name}/mine.txt"));
    for n in [1, 0, 1] {
        install(&store, &TWO.datasets[n]).unwrap();
        assert_eq!(live(&store), n);
        assert!(inside.iter().chain([&beside]).all(|path| path.exists()));
    }
    store.remove_former().unwrap();
    assert!(inside.iter().chain([&beside]).all(|path| path.exists()));
}

#[test]
fn a_source_in_the_making_and_a_lock_that_is_no_file_are_refused() {
    let (_folder, store) = store();
    let unfinished = store.path().join(".building-dataset");
    copy(&TWO.datasets[1], &unfinished);
    let error = install(&store, &unfinished).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidInput, "{error}");
    verify(&unfinished).unwrap();
    fs::remove_dir_all(&unfinished).unwrap();
    fs::remove_file(store.path().join(".lock")).unwrap();
    fs::create_dir(store.path().join(".lock")).unwrap();
    for error in [install(&store, &TWO.datasets[1]).unwrap_err(), store.remove_former().unwrap_err()] {
        assert_eq!(error.kind(), ErrorKind::Io);
        assert!(error.subject().contains(".lock") && error.hint().is_some(), "{error}");
    }
    assert_eq!(live(&store), 0);
}

#[test]
fn an_install_that_is_cancelled_at_any_check_changes_nothing() {
    let (_folder, store) = store();
    let (mut cancelled, mut checks) = (0, 0);
    loop {
        // At each check in turn, a few apart, until the install comes to its end.
        let left = Arc::new(AtomicU32::new(checks));
        let token = Cancel::asking(move || {
            left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(1)).is_err()
        });
        match store.install(&TWO.datasets[1], &token) {
            Ok(_) => break,
            Err(error) => assert_eq!(error.kind(), ErrorKind::Interrupted, "{error}"),
        }
        cancelled += 1;
        checks += 1 + checks / 8;
        assert_eq!(inside(&store).len(), 2, "{:?}", inside(&store));
        assert_eq!(live(&store), 0);
    }
    assert!(cancelled > 10, "{cancelled}");
    assert_eq!(live(&store), 1);
}

#[test]
fn one_install_at_a_time_and_readers_never_wait() {
    let (_folder, store) = store();
    let held = File::options().write(true).open(store.path().join(".lock")).unwrap();
    held.lock().unwrap();
    for error in [
        install_at_once(&store, &TWO.datasets[1]).unwrap_err(),
        store.rollback(&Cancel::new()).unwrap_err(),
        store.remove_former().unwrap_err(),
    ] {
        assert_eq!(error.kind(), ErrorKind::Io);
        assert!(error.to_string().contains("another build or install"), "{error}");
        assert!(error.hint().is_some_and(|hint| hint.contains("wait")), "{error:?}");
    }
    assert_eq!(live(&store), 0);
    drop(held);
    // While the two take turns, whoever opens the store finds one of them.
    let done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let opened = scope.spawn(|| {
            let mut opened = 0;
            while !done.load(Ordering::Relaxed) {
                let dataset = Dataset::open(store.path()).unwrap();
                assert!(dataset.as_of().starts_with("20"));
                opened += 1;
            }
            opened
        });
        let told = Done(&done);
        for n in 0..20 {
            install(&store, &TWO.datasets[(n + 1) % 2]).unwrap();
        }
        drop(told);
        assert!(opened.join().unwrap() > 20);
    });
}

#[test]
fn a_dataset_that_is_removed_is_not_there_in_part() {
    let (_folder, store) = store();
    let (mut rounds, mut looks, mut in_part) = (0, 0, Vec::new());
    // A machine that looks less often in a round removes more datasets.
    while rounds < 40 || looks <= 400 {
        rounds += 1;
        let former = store.live().unwrap();
        install(&store, &TWO.datasets[rounds % 2]).unwrap();
        let files = paths(&former);
        let (done, begun) = (AtomicBool::new(false), Barrier::new(2));
        std::thread::scope(|scope| {
            let looking = scope.spawn(|| {
                let mut looks = 0;
                begun.wait();
                loop {
                    looks += 1;
                    let missing = files.iter().find(|file| !former.join(file).exists());
                    // The folder is still there and a file is not: a reader would call it damaged.
                    if let (Some(missing), true) = (missing, former.exists()) {
                        return (looks, Some(missing.clone()));
                    }
                    if done.load(Ordering::Relaxed) {
                        return (looks, None);
                    }
                }
            });
            begun.wait();
            store.remove_former().unwrap();
            done.store(true, Ordering::Relaxed);
            let (looked, missing) = looking.join().unwrap();
            looks += looked;
            in_part.extend(missing);
        });
        assert!(!former.exists());
    }
    crate::say(&format!("{rounds} datasets removed under {looks} looks: {} there in part", in_part.len()));
    assert!(in_part.is_empty(), "in {} of {rounds} rounds, such as {in_part:?}", in_part.len());
}

fn start(from: &Path, store: &Path) -> Child {
    let mut install = command::coverdex();
    install.arg("install").arg(from).arg("--into").arg(store);
    install.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
}

#[test]
fn an_install_that_is_killed_at_any_moment_leaves_the_former_dataset_live() {
    const KILLS: u32 = 60;
    let (_folder, store) = store();
    let begun = Instant::now();
    assert!(start(&TWO.datasets[1], store.path()).wait().unwrap().success());
    let mut whole = begun.elapsed();
    let (mut now, mut died, mut half, mut through) = (1, 0, 0, 0);
    for n in 0..KILLS {
        let other = 1 - now;
        let _ = store.remove_former();
        let mut install = start(&TWO.datasets[other], store.path());
        std::thread::sleep(whole * n / (KILLS * 4 / 5) + Duration::from_micros(u64::from(n * 7_919 % 1_000)));
        install.kill().unwrap();
        let ended = install.wait().unwrap();
        died += u32::from(!ended.success());
        if ended.success() && n < KILLS / 2 {
            // The machine has become quicker: kills must not all come too late.
            whole = whole * 3 / 4;
        }
        half += u32::from(inside(&store).iter().any(|name| name.starts_with(".building")));
        let live = live(&store);
        assert!(live == other || !ended.success(), "an install that says it is done is live");
        through += u32::from(live == other);
        now = live;
    }
    assert!(died > KILLS / 4 && half > 3, "{died} died, {half} in the middle, {through} got through");
    install(&store, &TWO.datasets[1 - now]).unwrap();
    assert_eq!(live(&store), 1 - now);
    assert!(inside(&store).iter().all(|name| !name.starts_with(".building")), "{:?}", inside(&store));
    crate::say(&format!("{KILLS} installs killed: {died} died, {half} in the middle of writing, 0 stores not whole"));
}

/// Files that cannot grow beyond a length, as on a full disk, for one process.
#[cfg(unix)]
#[test]
fn an_install_whose_writes_fail_leaves_the_former_dataset_live() {
    let (_folder, store) = store();
    let mut failed = 0;
    for kilobytes in [0, 1, 4, 16, 64, 128, 256] {
        let script = "trap '' XFSZ; ulimit -f \"$1\"; exec \"$2\" install \"$3\" --into \"$4\" --json";
        let output = Command::new("bash")
            .args(["-c", script, "bash", &kilobytes.to_string()])
            .arg(command::executable().unwrap())
            .arg(&TWO.datasets[1])
            .arg(store.path())
            .output()
            .unwrap();
        if output.status.success() {
            continue;
        }
        failed += 1;
        let text = String::from_utf8_lossy(&output.stdout);
        assert!(text.contains("\"kind\":\"io\"") && text.contains(".building-dataset"), "{kilobytes}: {text}");
        assert_eq!(inside(&store).len(), 2, "{kilobytes}: {:?}", inside(&store));
        assert_eq!(live(&store), 0);
    }
    assert!(failed >= 4, "{failed}");
    install(&store, &TWO.datasets[1]).unwrap();
    assert_eq!(live(&store), 1);
}
