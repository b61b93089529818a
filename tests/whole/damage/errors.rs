//! What the system refuses is no damage: whoever deletes damaged datasets never deletes a whole one.

use std::fs;
use std::path::Path;

use coverdex_core::{Dataset, DrugSearch, ErrorKind, ProviderSearch, Result, verify};
use coverdex_tests::dataset::{copy, scratch};

use super::{answers, made, paths, without_noise};

/// A question that reads the database, one for each text index, and one for the directory's file.
fn asked(dataset: &Dataset) -> Vec<Result<()>> {
    let drugs = DrugSearch { text: "lis".to_owned(), limit: 3, ..DrugSearch::default() };
    let name = ProviderSearch { name: Some("ma".to_owned()), limit: 3, ..ProviderSearch::default() };
    vec![
        dataset.info().map(drop),
        dataset.counties("40507").map(drop),
        dataset.search_drugs(&drugs).map(drop),
        dataset.search_providers(&name).map(drop),
    ]
}

#[track_caller]
fn all_are_io(dataset: &Dataset) {
    for answer in asked(dataset) {
        if let Err(error) = answer {
            assert_eq!(error.kind(), ErrorKind::Io, "{error}");
        }
    }
}

#[test]
fn a_dataset_that_was_removed_after_it_was_opened_is_not_damaged() {
    let made = made();
    let folder = scratch();
    let gone = folder.path().join("gone");
    copy(made.dataset.folder(), &gone);
    let dataset = Dataset::open(&gone).unwrap();
    fs::remove_dir_all(&gone).unwrap();
    // The database is mapped at open, the rest at the first question.
    let answers = asked(&dataset);
    assert_eq!(answers.iter().map(Result::is_ok).collect::<Vec<_>>(), [true, true, false, false]);
    all_are_io(&dataset);
    assert!(answers[2].as_ref().unwrap_err().hint().is_some_and(|hint| hint.contains("open it again")));
    // What is mapped stays.
    copy(made.dataset.folder(), &gone);
    let dataset = Dataset::open(&gone).unwrap();
    assert!(asked(&dataset).iter().all(Result::is_ok));
    fs::remove_dir_all(&gone).unwrap();
    assert!(asked(&dataset).iter().all(Result::is_ok));
}

#[test]
fn a_file_that_was_removed_after_the_dataset_was_opened_is_missing() {
    let made = made();
    let folder = scratch();
    for (path, is_mapped) in [("coverdex.sqlite", true), ("drugs/meta.json", false), ("providers/directory.bin", false)]
    {
        let broken = folder.path().join(path.replace('/', "-"));
        copy(made.dataset.folder(), &broken);
        let dataset = Dataset::open(&broken).unwrap();
        fs::remove_file(broken.join(path)).unwrap();
        let errors: Vec<_> = asked(&dataset).into_iter().filter_map(Result::err).collect();
        assert_eq!(errors.is_empty(), is_mapped, "{path}");
        for error in errors {
            assert_eq!(error.kind(), ErrorKind::DatasetDamaged, "{path}: {error}");
            assert!(error.to_string().contains("missing"), "{path}: {error}");
        }
    }
}

#[test]
fn every_damaged_file_is_told() {
    let made = made();
    let folder = scratch();
    let broken = folder.path().join("broken");
    copy(made.dataset.folder(), &broken);
    let all: Vec<String> = paths(&broken).into_iter().filter(|path| path != "manifest.json").collect();
    for (number, path) in all.iter().enumerate() {
        let mut bytes = fs::read(broken.join(path)).unwrap();
        match number % 3 {
            0 => bytes[0] ^= 1,
            1 => bytes.push(0),
            _ => {
                fs::remove_file(broken.join(path)).unwrap();
                continue;
            }
        }
        fs::write(broken.join(path), bytes).unwrap();
    }
    let error = verify(&broken).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::DatasetDamaged);
    let told: Vec<&str> = error.damages().iter().map(|damage| damage.file.as_str()).collect();
    assert_eq!(told.len(), all.len(), "{told:?}");
    for (file, path) in told.iter().zip(&all) {
        assert!(Path::new(file).ends_with(path), "{file} {path}");
    }
    assert_eq!((error.subject(), error.message()), (told[0], error.damages()[0].message.as_str()));
}

/// A store's live dataset is replaced while readers open it: every one of them opens the former or the next.
#[test]
fn a_store_that_moves_on_while_it_is_opened() {
    let made = made();
    let folder = scratch();
    let store = folder.path();
    let name = |number: usize| format!("v0-{number:016x}");
    copy(made.dataset.folder(), &store.join(name(0)));
    fs::write(store.join("CURRENT"), name(0)).unwrap();
    let done = std::sync::atomic::AtomicBool::new(false);
    let opened = std::thread::scope(|scope| {
        let readers: Vec<_> = (0..2)
            .map(|_| {
                scope.spawn(|| {
                    let mut opened = 0;
                    while !done.load(std::sync::atomic::Ordering::Relaxed) {
                        Dataset::open(store).unwrap_or_else(|error| panic!("{:?} {error}", error.kind()));
                        opened += 1;
                    }
                    opened
                })
            })
            .collect();
        for number in 1..60 {
            copy(made.dataset.folder(), &store.join(name(number)));
            fs::write(store.join("next"), name(number)).unwrap();
            fs::rename(store.join("next"), store.join("CURRENT")).unwrap();
            // Sooner than a build would do it.
            fs::remove_dir_all(store.join(name(number - 1))).unwrap();
        }
        done.store(true, std::sync::atomic::Ordering::Relaxed);
        readers.into_iter().map(|reader| reader.join().unwrap()).sum::<usize>()
    });
    assert!(opened > 10, "{opened}");
}

#[cfg(unix)]
mod unix {
    use super::*;

    /// Something else in a file's place is no file: a pipe would keep who opens it waiting forever.
    #[test]
    fn pipes_devices_and_folders_in_a_files_place() {
        let made = made();
        let folder = scratch();
        let broken = folder.path().join("broken");
        copy(made.dataset.folder(), &broken);
        for path in paths(made.dataset.folder()) {
            let file = broken.join(&path);
            for what in ["pipe", "device", "folder", "endless", "circle", "nowhere"] {
                remove(&file);
                put(what, &file);
                let opened = without_noise(|| Dataset::open(&broken)).expect("no panic").expect_err("it opens");
                assert_eq!(opened.kind(), ErrorKind::DatasetDamaged, "{what} for {path}");
            }
            let verified = without_noise(|| verify(&broken)).expect("no panic").expect_err("it is verified");
            assert_eq!(verified.kind(), ErrorKind::DatasetDamaged, "{path}");
            remove(&file);
            fs::copy(made.dataset.folder().join(&path), &file).unwrap();
        }
        let current = made.store.join("CURRENT");
        for what in ["pipe", "device", "folder", "endless", "circle", "nowhere"] {
            remove(&current);
            put(what, &current);
            assert_eq!(Dataset::open(&made.store).unwrap_err().kind(), ErrorKind::DatasetDamaged, "{what}");
        }
    }

    fn remove(path: &Path) {
        fs::remove_file(path).unwrap_or_else(|_| fs::remove_dir(path).unwrap());
    }

    fn put(what: &str, at: &Path) {
        match what {
            "folder" => fs::create_dir(at).unwrap(),
            "pipe" => {
                let made = std::process::Command::new("mkfifo").arg(at).status().unwrap();
                assert!(made.success(), "mkfifo");
            }
            "circle" => std::os::unix::fs::symlink(at, at).unwrap(),
            "nowhere" => std::os::unix::fs::symlink("no/such/file", at).unwrap(),
            "device" => std::os::unix::fs::symlink("/dev/null", at).unwrap(),
            _ => std::os::unix::fs::symlink("/dev/zero", at).unwrap(),
        }
    }

    #[test]
    fn folders_that_lead_nowhere() {
        let made = made();
        let folder = scratch();
        for what in ["circle", "nowhere"] {
            let broken = folder.path().join("broken");
            copy(made.dataset.folder(), &broken);
            fs::remove_dir_all(broken.join("drugs")).unwrap();
            put(what, &broken.join("drugs"));
            assert_eq!(Dataset::open(&broken).unwrap_err().kind(), ErrorKind::DatasetDamaged, "{what}");
            fs::remove_dir_all(&broken).unwrap();
            put(what, &broken);
            assert_eq!(Dataset::open(&broken).unwrap_err().kind(), ErrorKind::DatasetMissing, "{what}");
            fs::write(made.store.join("CURRENT"), what).unwrap();
            put(what, &made.store.join(what));
            assert_eq!(Dataset::open(&made.store).unwrap_err().kind(), ErrorKind::DatasetDamaged, "{what}");
            fs::remove_file(&broken).unwrap();
        }
    }

    /// After a pipe took the place of a file that is opened at the first question.
    #[test]
    fn a_pipe_that_came_after_the_dataset_was_opened() {
        let made = made();
        let folder = scratch();
        for (path, is_mapped) in
            [("coverdex.sqlite", true), ("drugs/meta.json", false), ("providers/directory.bin", false)]
        {
            let broken = folder.path().join(path.replace('/', "-"));
            copy(made.dataset.folder(), &broken);
            let dataset = Dataset::open(&broken).unwrap();
            fs::remove_file(broken.join(path)).unwrap();
            put("pipe", &broken.join(path));
            let errors = asked(&dataset).into_iter().filter_map(Result::err).count();
            assert_eq!(errors == 0, is_mapped, "{path}");
        }
    }

    /// A process that has no open files left gets an error of the system, whatever it asks first, and its
    /// answers once it has some again. Asked in a process of its own, as all threads share the files.
    #[test]
    fn no_open_files_left() {
        const NAME: &str = "COVERDEX_NO_FILES_LEFT";
        if let Some(path) = std::env::var_os(NAME) {
            without_open_files(Path::new(&path));
            return;
        }
        let made = made();
        let test = std::env::current_exe().unwrap();
        let ran = std::process::Command::new("sh")
            .args(["-c", "ulimit -n 64; exec \"$0\" --exact damage::errors::unix::no_open_files_left --nocapture"])
            .arg(test)
            .env(NAME, made.dataset.folder())
            .output()
            .unwrap();
        let text = String::from_utf8_lossy(&ran.stdout).into_owned() + &String::from_utf8_lossy(&ran.stderr);
        assert!(ran.status.success() && text.contains("1 passed"), "{text}");
    }

    fn without_open_files(path: &Path) {
        let exhaust = || {
            let mut held = Vec::new();
            while let Ok(file) = fs::File::open("/dev/null") {
                held.push(file);
            }
            held
        };
        let right = answers(&Dataset::open(path).unwrap());
        let dataset = Dataset::open(path).unwrap();
        // With none left, then with one more each time: somewhere on the way each open fails.
        for free in 0..12 {
            let mut held = exhaust();
            held.truncate(held.len() - free);
            let opened = without_noise(|| Dataset::open(path)).expect("no panic");
            if let Err(error) = &opened {
                assert_eq!(error.kind(), ErrorKind::Io, "open with {free} left: {error}");
            }
            if free == 0 {
                assert!(opened.is_err());
                // The database is mapped at open; what lies beside it cannot be opened now.
                let answered: Vec<bool> = asked(&dataset).iter().map(Result::is_ok).collect();
                assert_eq!(answered, [false, true, false, false]);
            }
            if let Err(error) = verify(path) {
                assert_eq!(error.kind(), ErrorKind::Io, "verify with {free} left: {error}");
            }
            all_are_io(&dataset);
            if let Ok(opened) = opened {
                all_are_io(&opened);
            }
        }
        assert_eq!(answers(&dataset), right, "once there are files again");
    }
}
