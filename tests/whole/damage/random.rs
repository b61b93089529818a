//! Damages of every kind to every file, each with a round of all questions: the dataset says that it is
//! damaged or answers as before, and never otherwise. `COVERDEX_DAMAGES=5000` makes so many of them.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

use coverdex_core::{Dataset, verify};
use coverdex_sandbox::{MadePayer, Shape};
use coverdex_tests::Made;
use coverdex_tests::dataset::{copy, scratch};

use super::damages::{Damage, Random, craft};
use super::paths;
use super::round::{Outcome, Round};

/// Damages that are made where nothing else is said.
const USUAL: usize = 200;

/// Damages between two verifications of the whole.
const VERIFIED: usize = 8;

/// A round that takes as long hangs.
const LONGEST: Duration = Duration::from_mins(1);

/// The memory that a process may come to need, in kB.
const MOST_MEMORY: u64 = 2 << 20;

fn shape(seed: u64) -> Shape {
    Shape { seed, packages: 700, listed: 500, list_size: 200, ..Shape::tiny() }
}

fn how_many() -> usize {
    std::env::var("COVERDEX_DAMAGES").ok().map_or(USUAL, |text| text.parse().unwrap())
}

/// A dataset, another one, and the questions.
struct Scene {
    whole: PathBuf,
    other: PathBuf,
    files: Vec<String>,
    round: Round,
    _made: [Made; 2],
}

impl Scene {
    fn new() -> Self {
        let made = [1, 2].map(|seed| Made::payer(&MadePayer::new(shape(seed))));
        let [whole, other] = [&made[0], &made[1]].map(|made| made.dataset.folder().to_owned());
        let round = Round::of(&made[0].dataset);
        let (answered, refused) = round.answered_and_refused();
        assert!(answered > 100 && refused > 3, "{answered} {refused}");
        assert_eq!(round.ask(&whole, 0), Outcome::Unnoticed);
        Self { files: paths(&whole), whole, other, round, _made: made }
    }

    /// A file, drawn so that the large ones come more often, and each of them comes.
    fn draw(&self, number: usize, random: &mut Random) -> &str {
        let large: Vec<&String> = self.files.iter().filter(|path| self.length(path) > 20_000).collect();
        if number.is_multiple_of(3) {
            &self.files[(number / 3) % self.files.len()]
        } else {
            large[random.below(large.len())]
        }
    }

    fn length(&self, path: &str) -> u64 {
        fs::metadata(self.whole.join(path)).unwrap().len()
    }
}

/// Runs a number of jobs on two threads; one that takes too long is a hang.
fn each(count: usize, job: impl Fn(usize, &Path) + Sync, copied: &Path) {
    let (next, (sender, receiver)) = (AtomicUsize::new(0), channel());
    std::thread::scope(|scope| {
        for _ in 0..2 {
            let (sender, next, job) = (sender.clone(), &next, &job);
            scope.spawn(move || {
                let folder = scratch();
                let dataset = folder.path().join("dataset");
                copy(copied, &dataset);
                loop {
                    let number = next.fetch_add(1, Ordering::Relaxed);
                    if number >= count {
                        break;
                    }
                    job(number, &dataset);
                    sender.send(number).unwrap();
                }
            });
        }
        drop(sender);
        loop {
            match receiver.recv_timeout(LONGEST) {
                Ok(_) => {}
                Err(RecvTimeoutError::Disconnected) => break,
                Err(RecvTimeoutError::Timeout) => {
                    crate::say(&format!("HANG: a round takes longer than {LONGEST:?}"));
                    // A thread that hangs cannot be ended otherwise.
                    std::process::exit(101);
                }
            }
        }
    });
}

/// The most memory that this process ever had, in kB; 0 where the system does not tell.
fn peak_memory() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap_or_default();
    line.split_whitespace().next().and_then(|kilobytes| kilobytes.parse().ok()).unwrap_or_default()
}

fn restore(scene: &Scene, dataset: &Path, path: &str) {
    fs::copy(scene.whole.join(path), dataset.join(path)).unwrap();
}

#[test]
fn a_damaged_dataset_never_answers_otherwise() {
    let scene = Scene::new();
    let counts: Mutex<BTreeMap<String, [usize; 3]>> = Mutex::default();
    let wrong: Mutex<Vec<String>> = Mutex::default();
    let job = |number: usize, dataset: &Path| {
        let mut random = Random::new(u64::try_from(number).unwrap() + 1);
        let path = scene.draw(number, &mut random);
        let damage = Damage::ALL[random.below(Damage::ALL.len())];
        let whole = fs::read(scene.whole.join(path)).unwrap();
        let other = fs::read(scene.other.join(path)).unwrap_or_default();
        let damaged = damage.done_to(&whole, &other, &mut random);
        match &damaged {
            Some(bytes) => fs::write(dataset.join(path), bytes).unwrap(),
            None => fs::remove_file(dataset.join(path)).unwrap(),
        }
        let is_whole = damaged.as_ref() == Some(&whole);
        // Another dataset's manifest belongs to other files.
        let outcome = scene.round.ask(dataset, random.below(scene.round.len()));
        let outcome = match outcome {
            Outcome::Unnoticed if !is_whole && number.is_multiple_of(VERIFIED) && verify(dataset).is_ok() => {
                Outcome::Wrong("verify does not see it".to_owned())
            }
            outcome => outcome,
        };
        let column = match outcome {
            Outcome::RefusedAtOpen => 0,
            Outcome::RefusedByCalls(_) => 1,
            Outcome::Unnoticed => 2,
            Outcome::Wrong(what) => {
                wrong.lock().unwrap().push(format!("number {number}, {damage:?} of {path}: {what}"));
                2
            }
        };
        let kind = path.rsplit('/').next().unwrap().rsplit('.').next().unwrap();
        let name = format!("{}.{kind}", path.split('/').next().unwrap().trim_end_matches(&format!(".{kind}")));
        counts.lock().unwrap().entry(name).or_default()[column] += 1;
        restore(&scene, dataset, path);
    };
    each(how_many(), job, &scene.whole);
    let counts = counts.into_inner().unwrap();
    let [open, call, unnoticed] = [0, 1, 2].map(|column| counts.values().map(|row| row[column]).sum::<usize>());
    let lines: String = counts
        .iter()
        .map(|(file, [open, call, unnoticed])| {
            format!("  {file}: open {open}, call {call}, same answers {unnoticed}\n")
        })
        .collect();
    let wrong = wrong.into_inner().unwrap();
    crate::say(&format!(
        "{} damages, {} questions each: refused at open {open}, by a call {call}, same answers {unnoticed}, wrong {}\n{lines}",
        how_many(),
        scene.round.len(),
        wrong.len()
    ));
    assert!(wrong.is_empty(), "{wrong:#?}");
    assert!(open > 10 && call > 10, "nothing is noticed: {open} {call}");
}

/// Bytes that somebody means to do harm with, under checksums and a manifest that fit them: only that
/// nothing breaks can be asked.
#[test]
fn crafted_files_break_nothing() {
    let (scene, count) = (Scene::new(), how_many() / 2);
    let before = peak_memory();
    let wrong: Mutex<Vec<String>> = Mutex::default();
    let (slowest, opened) = (Mutex::new(Duration::ZERO), AtomicUsize::new(0));
    let job = |number: usize, dataset: &Path| {
        let mut random = Random::new(u64::try_from(number).unwrap() + 0xbad);
        let path = scene.draw(number, &mut random);
        if path == "manifest.json" || path == "checksums.bin" {
            return;
        }
        let whole = fs::read(scene.whole.join(path)).unwrap();
        let other = fs::read(scene.other.join(path)).unwrap_or_default();
        let mut bytes = whole;
        for _ in 0..=random.below(4) {
            let damage = Damage::ALL[random.below(Damage::ALL.len() - 1)];
            bytes = damage.done_to(&bytes, &other, &mut random).unwrap_or_default();
            if bytes.is_empty() {
                break;
            }
        }
        fs::write(dataset.join(path), bytes).unwrap();
        craft(dataset);
        opened.fetch_add(usize::from(Dataset::open(dataset).is_ok()), Ordering::Relaxed);
        match scene.round.ask_crafted(dataset) {
            Ok(took) => {
                let mut slowest = slowest.lock().unwrap();
                *slowest = took.max(*slowest);
            }
            Err(what) => wrong.lock().unwrap().push(format!("number {number}, {path}: {what}")),
        }
        for path in [path, "checksums.bin", "manifest.json"] {
            restore(&scene, dataset, path);
        }
    };
    each(count, job, &scene.whole);
    let (slowest, wrong, grown) = (slowest.into_inner().unwrap(), wrong.into_inner().unwrap(), peak_memory() - before);
    crate::say(&format!(
        "{count} crafted datasets, {} questions each: {} opened, the slowest round took {slowest:.1?}, {} MB more memory, wrong {}",
        scene.round.len(),
        opened.into_inner(),
        grown >> 10,
        wrong.len()
    ));
    assert!(wrong.is_empty(), "{wrong:#?}");
    assert!(grown < MOST_MEMORY, "{grown} kB");
}
