//! Stores: what their `CURRENT` may say, what is no store, and who builds at a time.

use std::fs::{self, File};
use std::path::Path;

use coverdex_core::{Dataset, ErrorKind, Store, verify};
use coverdex_sandbox::{FolderOptions, MadePayer, Shape};
use coverdex_tests::command;
use coverdex_tests::dataset::{build_folder, copy, scratch};

use super::{answers, made, payer, without_noise};

#[test]
fn current_files_that_name_nothing_usable() {
    let made = made();
    let current = made.store.join("CURRENT");
    let right = fs::read_to_string(&current).unwrap();
    let outside = scratch();
    copy(made.dataset.folder(), &outside.path().join("v0-0123456789abcdef"));
    for junk in [
        String::new(),
        "\n".to_owned(),
        "v0-0000000000000000\n".to_owned(),
        "..".to_owned(),
        ".".to_owned(),
        "../v0-0123456789abcdef".to_owned(),
        format!("{}/v0-0123456789abcdef", outside.path().display()),
        format!("{}\nmore", right.trim()),
        "x".repeat(100_000),
        "v0-\u{fffd}".to_owned(),
        "nul\0byte".to_owned(),
    ] {
        fs::write(&current, &junk).unwrap();
        let opened = without_noise(|| Dataset::open(&made.store)).expect("no panic").expect_err("it opens");
        assert_eq!(opened.kind(), ErrorKind::DatasetDamaged, "{junk:.40?}");
        assert!(opened.subject().contains("CURRENT"), "{opened}");
        assert!(without_noise(|| verify(&made.store)).expect("no panic").is_err());
        // The dataset itself is still there and is read by its own path.
        assert!(Dataset::open(made.dataset.folder()).is_ok());
    }
    fs::write(&current, [0xff, 0xfe, 0x00]).unwrap();
    assert!(Dataset::open(&made.store).is_err(), "bytes that are no text");
    fs::write(&current, right.trim()).unwrap();
    assert!(Dataset::open(&made.store).is_ok(), "without its line end");
    fs::write(&current, format!("  {}\r\n", right.trim())).unwrap();
    assert!(Dataset::open(&made.store).is_ok(), "with another line end");
    fs::remove_file(&current).unwrap();
    assert_eq!(Dataset::open(&made.store).unwrap_err().kind(), ErrorKind::DatasetMissing);
}

#[test]
fn a_build_mends_a_store_whose_current_file_is_lost_or_foreign() {
    let folder = scratch();
    let (from, store) = (folder.path().join("from"), folder.path().join("store"));
    MadePayer::new(Shape::tiny()).write_folder(&from, &FolderOptions::default()).unwrap();
    build_folder(&from, &store, 2, None).unwrap();
    for junk in [Some("../elsewhere"), Some(""), None] {
        match junk {
            Some(junk) => fs::write(store.join("CURRENT"), junk).unwrap(),
            None => fs::remove_file(store.join("CURRENT")).unwrap(),
        }
        assert!(Dataset::open(&store).is_err());
        build_folder(&from, &store, 2, None).unwrap();
        verify(&store).unwrap();
    }
}

#[test]
fn a_build_into_what_is_no_store_is_refused_and_touches_nothing() {
    let folder = scratch();
    let from = folder.path().join("from");
    MadePayer::new(Shape::tiny()).write_folder(&from, &FolderOptions::default()).unwrap();
    let home = folder.path().join("home");
    fs::create_dir(&home).unwrap();
    fs::write(home.join("thesis.txt"), "years of work").unwrap();
    fs::create_dir(home.join(".building-x")).unwrap();
    fs::write(home.join(".building-x/mine"), "mine too").unwrap();
    let file = folder.path().join("file");
    fs::write(&file, "a file").unwrap();
    let built = folder.path().join("store");
    let dataset = build_folder(&from, &built, 2, None).unwrap().folder;
    for target in [&home, &file, &dataset, &from] {
        let error = build_folder(&from, target, 2, None).expect_err("it builds");
        assert_eq!(error.kind(), ErrorKind::InvalidInput, "{target:?}: {error}");
        assert!(error.hint().is_some(), "{error}");
    }
    assert_eq!(fs::read_to_string(home.join("thesis.txt")).unwrap(), "years of work");
    assert_eq!(fs::read_to_string(home.join(".building-x/mine")).unwrap(), "mine too");
    assert_eq!(fs::read_to_string(&file).unwrap(), "a file");
    assert_eq!(fs::read_dir(&home).unwrap().count(), 2);
    verify(&built).unwrap();
    assert_eq!(Store::open_or_create(&home).unwrap_err().kind(), ErrorKind::InvalidInput);
}

#[test]
fn a_build_that_fails_leaves_the_former_dataset_live() {
    let folder = scratch();
    let (from, store) = (folder.path().join("from"), folder.path().join("store"));
    payer().write_folder(&from, &FolderOptions::default()).unwrap();
    build_folder(&from, &store, 2, None).unwrap();
    let before = answers(&Dataset::open(&store).unwrap());
    let list = from.join("List.ndjson.gz");
    let whole = fs::read(&list).unwrap();
    for (what, bytes) in [
        ("cut", whole[..whole.len() / 2].to_vec()),
        ("empty", Vec::new()),
        ("flipped", whole.iter().enumerate().map(|(n, b)| if n == whole.len() / 2 { b ^ 0xff } else { *b }).collect()),
    ] {
        fs::write(&list, bytes).unwrap();
        let error = build_folder(&from, &store, 2, None).expect_err(what);
        assert!(error.subject().contains("List.ndjson.gz"), "{what}: {error}");
        assert_eq!(answers(&Dataset::open(&store).unwrap()), before, "{what}");
    }
    let nothing = folder.path().join("nothing");
    fs::create_dir(&nothing).unwrap();
    assert_eq!(build_folder(&nothing, &store, 2, None).unwrap_err().kind(), ErrorKind::InvalidInput);
    assert_eq!(build_folder(&folder.path().join("nowhere"), &store, 2, None).unwrap_err().kind(), ErrorKind::Io);
    assert_eq!(answers(&Dataset::open(&store).unwrap()), before);
    assert!(unfinished(&store).is_empty());
}

/// What builds that did not end left in a store.
fn unfinished(store: &Path) -> Vec<String> {
    let names = fs::read_dir(store).unwrap().map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned());
    names.filter(|name| name.starts_with(".building") || name.starts_with(".tmp")).collect()
}

#[test]
fn the_former_dataset_stays_until_the_one_after_the_next() {
    let folder = scratch();
    let store = folder.path().join("store");
    let mut built = Vec::new();
    for seed in 1..=4 {
        let from = folder.path().join(format!("from{seed}"));
        MadePayer::new(Shape { seed, ..Shape::tiny() }).write_folder(&from, &FolderOptions::default()).unwrap();
        // A reader that opened the dataset before goes on.
        let reader = Dataset::open(&store).ok();
        built.push(build_folder(&from, &store, 2, None).unwrap().folder);
        if let Some(reader) = reader {
            assert!(reader.folder().exists(), "the former dataset is gone");
            assert!(answers(&reader).values().all(Result::is_ok));
        }
        let there: Vec<bool> = built.iter().map(|folder| folder.exists()).collect();
        let want: Vec<bool> = (1..=built.len()).map(|n| n + 1 >= built.len()).collect();
        assert_eq!(there, want);
    }
    // The same content again keeps both.
    build_folder(&folder.path().join("from4"), &store, 2, None).unwrap();
    assert!(built[3].exists() && built[2].exists());
    // A damaged live dataset is replaced by building it again.
    fs::write(built[3].join("coverdex.sqlite"), "nothing").unwrap();
    assert!(Dataset::open(&store).is_err());
    build_folder(&folder.path().join("from4"), &store, 2, None).unwrap();
    verify(&store).unwrap();
}

#[test]
fn what_dead_builds_left_is_cleared_and_nothing_foreign() {
    let folder = scratch();
    let (from, store) = (folder.path().join("from"), folder.path().join("store"));
    MadePayer::new(Shape::tiny()).write_folder(&from, &FolderOptions::default()).unwrap();
    fs::create_dir_all(store.join(".building-dataset/drugs")).unwrap();
    fs::write(store.join(".building-dataset/coverdex.sqlite"), "half").unwrap();
    fs::write(store.join(".building-current"), "v0-0123456789abcdef\n").unwrap();
    fs::write(store.join(".lock"), "").unwrap();
    build_folder(&from, &store, 2, None).unwrap();
    verify(&store).unwrap();
    assert!(unfinished(&store).is_empty());
    // A store may come to hold something else: it is left alone.
    fs::write(store.join("NOTES.txt"), "mine").unwrap();
    build_folder(&from, &store, 2, None).unwrap();
    assert_eq!(fs::read_to_string(store.join("NOTES.txt")).unwrap(), "mine");
}

#[test]
fn two_builds_at_once_are_one_too_many() {
    let folder = scratch();
    let (from, store) = (folder.path().join("from"), folder.path().join("store"));
    payer().write_folder(&from, &FolderOptions::default()).unwrap();
    build_folder(&from, &store, 2, None).unwrap();
    let held = File::options().write(true).open(store.join(".lock")).unwrap();
    held.lock().unwrap();
    let error = build_folder(&from, &store, 2, None).expect_err("it builds");
    assert!(error.to_string().contains("another build"), "{error}");
    assert!(error.hint().is_some_and(|hint| hint.contains("wait")), "{error:?}");
    // Readers are not in anyone's way.
    assert!(Dataset::open(&store).is_ok());
    drop(held);
    build_folder(&from, &store, 2, None).unwrap();
    // Real processes, all at once: each builds or says that another does, and what is live is whole.
    let (from, store) = (from.to_str().unwrap(), store.to_str().unwrap());
    let children: Vec<_> = (0..4)
        .map(|_| {
            let mut build = command::coverdex();
            build.args(["build", "--json", "--from", from, "--out", store]);
            build.stdout(std::process::Stdio::piped()).stderr(std::process::Stdio::null()).spawn().unwrap()
        })
        .collect();
    let mut done = 0;
    for child in children {
        let output = child.wait_with_output().unwrap();
        let text = String::from_utf8_lossy(&output.stdout);
        if output.status.success() {
            done += 1;
        } else {
            assert!(text.contains("another build"), "{:?} {text}", output.status);
        }
    }
    assert!(done >= 1);
    verify(store).unwrap();
    assert!(unfinished(Path::new(store)).is_empty());
}
