//! A payer that changes between syncs and while it is read, from servers that go wrong in every way: after each of three
//! syncs, all that the live dataset says was true at some moment of the sync that its date names, or is not known.
//!
//! `COVERDEX_MOVING_RUNS` is how many random combinations of faults are tried beside each fault alone,
//! `COVERDEX_MOVING_SEED` the seed of the first of them: each violation names the seed of its run.
//! `COVERDEX_MOVING_ONLY` tries only the runs whose names hold its text, or one of several with commas between, and
//! tells of each.

mod clock;
mod payer;
mod questions;
mod run;

use std::collections::{BTreeMap, BTreeSet};

use coverdex_core::Dataset;
use coverdex_sandbox::server::Fault;
use coverdex_tests::Made;

use payer::Question;
use questions::{Answer, ask};
use run::{Case, Loss, Tally};

use crate::say;

/// Random combinations of faults, unless said otherwise.
const COMBINATIONS: u64 = 60;

/// What each version of the payer truly says.
struct Truth {
    questions: Vec<(Question, bool)>,
    /// By version, in the questions' order.
    answers: Vec<Vec<Answer>>,
}

impl Truth {
    fn new() -> Self {
        let questions = payer::questions();
        let answers = (0..payer::VERSIONS).map(|version| {
            let made = Made::as_of(&payer::version(version), "2026-07-01T00:00:00Z");
            Self::of(&made.dataset, &questions)
        });
        Self { answers: answers.collect(), questions }
    }

    fn of(dataset: &Dataset, questions: &[(Question, bool)]) -> Vec<Answer> {
        questions.iter().map(|(question, _)| ask(dataset, question)).collect()
    }
}

/// A number of the environment.
fn number(name: &str) -> Option<u64> {
    std::env::var(name).ok().map(|value| value.parse().unwrap_or_else(|_| panic!("{name} is no number: {value}")))
}

/// Faults that a sync without a member's login can meet. 25 MiB again and again take their time: alone is enough.
fn met(alone: bool) -> Vec<Fault> {
    let all = Fault::ALL.iter().copied().filter(|fault| *fault != Fault::TokenExpiry);
    all.filter(|fault| alone || *fault != Fault::HugeResource).collect()
}

fn cases() -> Vec<Case> {
    let mut cases: Vec<Case> = (0..6).map(|seed| Case::new(format!("no fault {seed}"), seed, &[])).collect();
    for (nth, fault) in (100..).zip(met(true)) {
        // From the first sync on, and beside a dataset that is live.
        cases.push(Case::new(format!("{fault} from the first sync on"), nth, &[fault]).with_a_faulty_first());
        cases.push(Case::new(format!("{fault} from the second sync on"), nth + 1000, &[fault]).with_a_sound_first());
    }
    for (nth, loss) in (3000..).zip(Loss::ALL) {
        cases.push(Case::new(format!("{loss:?} shrunk in the second sync"), nth, &[]).losing(loss));
    }
    let first = number("COVERDEX_MOVING_SEED").unwrap_or(10_000);
    for seed in first..first + number("COVERDEX_MOVING_RUNS").unwrap_or(COMBINATIONS) {
        let faults = run::combination(&met(false), seed);
        let names: Vec<&str> = faults.iter().map(|fault| fault.name()).collect();
        cases.push(Case::new(names.join(" + "), seed, &faults));
    }
    if let Some(only) = only() {
        cases.retain(|case| only.split(',').any(|text| case.name().contains(text)));
    }
    cases
}

fn only() -> Option<String> {
    std::env::var("COVERDEX_MOVING_ONLY").ok()
}

#[test]
fn a_sync_says_what_was_true_while_it_read() {
    let truth = Truth::new();
    let cases = cases();
    let next = std::sync::atomic::AtomicUsize::new(0);
    let work = || {
        let mut tally = Tally::default();
        while let Some(case) = cases.get(next.fetch_add(1, std::sync::atomic::Ordering::Relaxed)) {
            let before = tally.violations.len();
            run::run(case, &truth, &mut tally);
            if only().is_some() {
                say(&format!("{}: {} violations", tally.last(case), tally.violations.len() - before));
            }
        }
        tally
    };
    let tallies: Vec<Tally> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..2).map(|_| scope.spawn(work)).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    let tally = tallies.into_iter().fold(Tally::default(), Tally::and);
    say(&tally.told(cases.len()));
    assert!(tally.violations.is_empty(), "{}", summary(&tally));
    assert!(only().is_some() || unmet(&tally).is_empty(), "never met: {:?}", unmet(&tally));
}

fn unmet(tally: &Tally) -> BTreeSet<Fault> {
    met(true).into_iter().filter(|fault| !tally.fired.contains(fault)).collect()
}

/// The violations by run and kind, then the first ones in full.
fn summary(tally: &Tally) -> String {
    let mut by_run: BTreeMap<&str, BTreeMap<&str, usize>> = BTreeMap::new();
    for violation in &tally.violations {
        *by_run.entry(&violation.case).or_default().entry(violation.kind).or_default() += 1;
    }
    let mut text = format!("{} violations in {} runs\n", tally.violations.len(), by_run.len());
    for (case, kinds) in &by_run {
        text += &format!("  {case}: {kinds:?}\n");
    }
    let mut shown: BTreeMap<&str, usize> = BTreeMap::new();
    for violation in &tally.violations {
        let times = shown.entry(&violation.case).or_default();
        *times += 1;
        if *times < 4 {
            text += &format!("{violation}\n");
        }
    }
    text
}

#[test]
fn each_question_depends_on_something_and_many_on_what_changes() {
    let truth = Truth::new();
    let (mut moving, mut known) = (0, 0);
    for (number, (question, _)) in truth.questions.iter().enumerate() {
        let all: Vec<&Answer> = truth.answers.iter().map(|version| &version[number]).collect();
        known += usize::from(all.iter().any(|answer| **answer != Answer::Unknown));
        moving += usize::from(all.windows(2).any(|two| two[0] != two[1]));
        assert!(all.iter().any(|answer| **answer != Answer::Unknown), "{question:?}: {all:?}");
    }
    assert!(moving > 40, "{moving} of {known} questions change");
}
