//! Another dataset takes the place of one that is open: every answer is that of the dataset that was opened, or an
//! error of the system that says to open it again.

use std::fs;
use std::path::{Path, PathBuf};

use coverdex_core::{Dataset, ErrorKind, verify};
use coverdex_sandbox::{MadePayer, Shape};
use coverdex_tests::Made;
use coverdex_tests::dataset::{copy, scratch};

use super::{Answers, answers, made, paths};

fn another() -> Made {
    Made::payer(&MadePayer::new(Shape { packages: 300, listed: 200, list_size: 100, ..Shape::tiny() }))
}

#[track_caller]
fn all_are_of(right: &Answers, dataset: &Dataset, what: &str) {
    for (question, answer) in answers(dataset) {
        match answer {
            Err(error) => assert!(error.starts_with("io: "), "{what}, {question}: {error}"),
            Ok(answer) => assert_eq!(Some(&Ok(answer)), right.get(&question), "{what}, {question}"),
        }
    }
}

/// What is asked of a dataset before another takes its place.
type Before = (&'static str, fn(&Dataset));

const BEFORE: [Before; 3] = [
    ("nothing was asked", |_| ()),
    ("something was asked", |dataset| drop(dataset.counties("40507"))),
    ("everything was asked", |dataset| drop(answers(dataset))),
];

/// How another dataset takes the place of one.
type Swap = (&'static str, fn(&Path, &Path));

const SWAPS: [Swap; 4] = [
    ("the folder is another", |folder, another| {
        fs::rename(folder, folder.with_extension("former")).unwrap();
        copy(another, folder);
    }),
    ("the files are others", |folder, another| {
        for path in paths(another) {
            let next = folder.join("next");
            fs::copy(another.join(&path), &next).unwrap();
            fs::rename(&next, folder.join(&path)).unwrap();
        }
    }),
    ("the files are written over", |folder, another| copy(another, folder)),
    ("the files but the manifest are written over", |folder, another| {
        for path in paths(another).into_iter().filter(|path| path != "manifest.json") {
            fs::copy(another.join(&path), folder.join(&path)).unwrap();
        }
    }),
];

#[test]
fn an_open_dataset_answers_from_its_own_files_alone() {
    let (made, another) = (made(), another());
    let right = answers(&made.dataset);
    assert_ne!(right, answers(&another.dataset));
    for (before, ask) in BEFORE {
        for (swapped, swap) in SWAPS {
            let what = format!("{swapped} after {before}");
            let folder = scratch();
            let bare = folder.path().join("bare");
            copy(made.dataset.folder(), &bare);
            let dataset = Dataset::open(&bare).unwrap();
            ask(&dataset);
            swap(&bare, another.dataset.folder());
            // More threads than there are connections yet.
            std::thread::scope(|scope| {
                for _ in 0..3 {
                    scope.spawn(|| all_are_of(&right, &dataset, &what));
                }
            });
            let again = dataset.reopened().map(drop).expect_err(&what);
            if !swapped.contains("but the manifest") {
                assert_eq!(again.kind(), ErrorKind::Io, "{what}: {again}");
                assert!(again.hint().is_some_and(|hint| hint.contains("open it again")), "{what}: {again:?}");
                assert_eq!(answers(&Dataset::open(&bare).unwrap()), answers(&another.dataset), "{what}");
            }
        }
    }
}

/// A copy or a backup may give a file another time: what it says is the same.
#[test]
fn files_that_are_written_as_they_were_are_still_the_datasets() {
    let made = made();
    let folder = scratch();
    let bare = folder.path().join("bare");
    copy(made.dataset.folder(), &bare);
    let dataset = Dataset::open(&bare).unwrap();
    let right = answers(&dataset);
    let later = std::time::SystemTime::now() + std::time::Duration::from_mins(1);
    for path in paths(&bare) {
        fs::File::options().write(true).open(bare.join(path)).unwrap().set_modified(later).unwrap();
    }
    assert_eq!(answers(&dataset), right);
}

/// Datasets are swapped while they are opened and verified: each is one of the two, and none is called damaged.
#[cfg(unix)]
#[test]
fn datasets_that_are_swapped_while_they_are_opened() {
    let (made, another) = (made(), another());
    let folder = scratch();
    let sets = [made.dataset.folder(), another.dataset.folder()].map(|from| {
        let to = folder.path().join(from.file_name().unwrap());
        copy(from, &to);
        to
    });
    let link = folder.path().join("live");
    let point = |to: &PathBuf| {
        let next = folder.path().join("next");
        std::os::unix::fs::symlink(to, &next).unwrap();
        fs::rename(&next, &link).unwrap();
    };
    point(&sets[0]);
    for next in sets.iter().cycle().skip(1).take(30) {
        std::thread::scope(|scope| {
            scope.spawn(|| {
                std::thread::yield_now();
                point(next);
            });
            for round in 0..8 {
                let error = match Dataset::open(&link) {
                    Ok(dataset) => dataset.counties("40507").err(),
                    Err(error) => Some(error),
                };
                let verified = if round == 0 { verify(&link).err() } else { None };
                for error in [error, verified].into_iter().flatten() {
                    assert_eq!(error.kind(), ErrorKind::Io, "{error}");
                }
            }
        });
    }
}

/// A path means what it meant when the dataset was opened, wherever the process works later.
#[test]
fn a_relative_path_is_made_absolute() {
    let made = made();
    let here = std::env::current_dir().unwrap();
    let up: PathBuf = here.components().skip(1).map(|_| "..").collect();
    let relative = up.join(made.store.strip_prefix("/").unwrap());
    assert!(relative.is_relative());
    let dataset = Dataset::open(&relative).unwrap();
    assert!(dataset.folder().is_absolute(), "{:?}", dataset.folder());
    assert_eq!(answers(&dataset), answers(&made.dataset));
}
