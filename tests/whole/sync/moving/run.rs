//! Three syncs of a payer that changes, and what is found wrong with them.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::Duration;

use coverdex_core::Dataset;
use coverdex_sandbox::ResourceType;
use coverdex_sandbox::server::{
    self, ChangingPayer, Fault, FaultSpec, Faults, Moment, Offer, Options, Payer, Running, Server,
};
use coverdex_sync::fetch::{self, Network, Rate, Selection, Settings, Stop, SyncReport};
use coverdex_sync::source::stu1::half::Half;
use coverdex_sync::update::{FromStaging, Synced, SyncedDataset, sync_and_build};
use coverdex_tests::dataset::scratch;
use jiff::Timestamp;

use super::super::{PAYER, Place};
use super::clock::{Ahead, Hours};
use super::questions::{Answer, ask};
use super::{Truth, payer};

/// A sync of this payer needs some hundred requests: whoever makes so many has no end.
const ENDLESS: u64 = 6_000;
const DAY: Duration = Duration::from_hours(24);

/// Numbers that look random and are a function of a seed (splitmix64).
pub(super) struct Draw(u64);

impl Draw {
    pub(super) fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x2545_f491_4f6c_dd1d) ^ 0x5eed)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn below(&mut self, n: usize) -> usize {
        usize::try_from(self.next() % n as u64).unwrap()
    }

    fn one_in(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }
}

/// Two to five of these.
pub(super) fn combination(all: &[Fault], seed: u64) -> Vec<Fault> {
    let mut draw = Draw::new(seed ^ 0xc0de);
    let len = 2 + draw.below(4);
    let mut chosen = BTreeSet::new();
    while chosen.len() < len {
        chosen.insert(all[draw.below(all.len())]);
    }
    chosen.into_iter().collect()
}

/// What a directory loses half of for one sync, though every pass is whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Loss {
    Roles,
    Practitioners,
    Organizations,
    Locations,
    Directory,
}

impl Loss {
    pub(super) const ALL: [Self; 5] =
        [Self::Roles, Self::Practitioners, Self::Organizations, Self::Locations, Self::Directory];

    fn takes(self, kind: ResourceType) -> bool {
        match self {
            Self::Roles => kind == ResourceType::PractitionerRole,
            Self::Practitioners => kind == ResourceType::Practitioner,
            Self::Organizations => kind == ResourceType::Organization,
            Self::Locations => kind == ResourceType::Location,
            Self::Directory => ResourceType::DIRECTORY.contains(&kind) && kind != ResourceType::InsurancePlan,
        }
    }
}

/// A run: its faults, the server's options and what happens when, all drawn from its seed.
pub(super) struct Case {
    name: String,
    seed: u64,
    faults: Vec<Fault>,
    /// Of the first two syncs, those that meet the faults.
    faulty: [bool; 2],
    loss: Option<Loss>,
}

impl Case {
    pub(super) fn new(name: String, seed: u64, faults: &[Fault]) -> Self {
        let faulty = [[true, true], [false, true], [true, false]][Draw::new(seed).below(3)];
        Self { name, seed, faults: faults.to_vec(), faulty, loss: None }
    }

    pub(super) fn with_a_faulty_first(self) -> Self {
        Self { faulty: [true, true], ..self }
    }

    pub(super) fn with_a_sound_first(self) -> Self {
        Self { faulty: [false, true], ..self }
    }

    pub(super) fn name(&self) -> &str {
        &self.name
    }

    pub(super) fn losing(self, loss: Loss) -> Self {
        Self { loss: Some(loss), ..self }
    }

    fn has(&self, any: &[Fault]) -> bool {
        self.faults.iter().any(|fault| any.contains(fault))
    }

    fn faults(&self, nth: usize) -> Faults {
        if !self.faulty.get(nth).is_some_and(|faulty| *faulty) {
            return Faults::none();
        }
        let specs: Vec<FaultSpec> = self.faults.iter().map(|fault| FaultSpec::from(*fault)).collect();
        Faults { specs, ..Faults::none() }.with_seed(self.seed * 3 + nth as u64)
    }

    /// Whether the server itself changes or deletes what the payer's versions have: then only the last sync is judged.
    fn has_another_truth(&self, nth: usize) -> bool {
        nth < 2 && self.has(&[Fault::Shrinking, Fault::Changing]) && self.faulty[..=nth].contains(&true)
    }
}

/// What is wrong.
pub(super) struct Violation {
    pub(super) case: String,
    pub(super) kind: &'static str,
    seed: u64,
    sync: usize,
    what: String,
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { case, kind, seed, sync, what } = self;
        write!(f, "{kind} after sync {} of `{case}` (seed {seed}): {what}", sync + 1)
    }
}

/// What all runs came to.
#[derive(Default)]
pub(super) struct Tally {
    pub(super) violations: Vec<Violation>,
    pub(super) fired: BTreeSet<Fault>,
    syncs: u64,
    complete: u64,
    /// Syncs that read one half alone.
    of_a_half: u64,
    /// Datasets of which one half is of an earlier sync.
    joined: u64,
    requests: u64,
    questions: u64,
    unknown: u64,
    /// Of these, after a sync that is complete and during which the payer changed, or lost something.
    unknown_in_complete: u64,
    /// Last syncs, without a fault, that ended incomplete while the payer changed.
    unsettled: u64,
    seconds: BTreeMap<String, f64>,
}

impl Tally {
    pub(super) fn and(mut self, other: Self) -> Self {
        self.violations.extend(other.violations);
        self.fired.extend(other.fired);
        self.syncs += other.syncs;
        self.complete += other.complete;
        self.joined += other.joined;
        self.of_a_half += other.of_a_half;
        self.requests += other.requests;
        self.questions += other.questions;
        self.unknown += other.unknown;
        self.unknown_in_complete += other.unknown_in_complete;
        self.unsettled += other.unsettled;
        self.seconds.extend(other.seconds);
        self
    }

    /// A run and its time.
    pub(super) fn last(&self, case: &Case) -> String {
        format!(
            "{} (seed {}), {:.1} s",
            case.name,
            case.seed,
            self.seconds.get(&case.name).copied().unwrap_or_default()
        )
    }

    pub(super) fn told(&self, runs: usize) -> String {
        let mut slowest: Vec<_> = self.seconds.iter().collect();
        slowest.sort_by(|a, b| b.1.total_cmp(a.1));
        slowest.truncate(3);
        format!(
            "moving payer: {runs} runs, {} syncs ({} of one half alone; {} complete, {} with a half of an earlier one), {} requests, {} questions ({} unknown, {} \
             though complete while the payer changed), {} violations; {} last syncs unsettled by changes; slowest {slowest:.1?}",
            self.syncs,
            self.of_a_half,
            self.complete,
            self.joined,
            self.requests,
            self.questions,
            self.unknown,
            self.unknown_in_complete,
            self.violations.len(),
            self.unsettled,
        )
    }
}

/// The beginning of a sync.
#[derive(Clone, Copy, Debug)]
struct Begin {
    /// By the client's clock.
    at: Timestamp,
    /// The version that was out.
    version: usize,
}

/// The sync that built what is live.
#[derive(Clone, Copy, Debug)]
struct Built {
    /// The version that was out at its end.
    last: usize,
    /// If it asked for changes alone, the version that was out when everything was read the last time.
    full: Option<usize>,
}

/// A run under way.
struct Run<'a> {
    case: &'a Case,
    truth: &'a Truth,
    tally: &'a mut Tally,
    payer: Arc<ChangingPayer>,
    running: Running,
    hours: Arc<Hours>,
    place: Place,
    draw: Draw,
    begun: Vec<Begin>,
    /// The version at the beginning of the last sync that read everything.
    full: usize,
    built: Option<Built>,
}

pub(super) fn run(case: &Case, truth: &Truth, tally: &mut Tally) {
    let folder = scratch();
    let began = std::time::Instant::now();
    let hours = Hours::new();
    let mut draw = Draw::new(case.seed);
    let versions: Vec<_> = (0..payer::VERSIONS).map(payer::version).collect();
    let mut payer = ChangingPayer::new(&versions, server::Clock::now(&*hours)).unwrap();
    for (kind, id) in payer::hidden() {
        payer.hide_from_searches(kind, &id);
    }
    let payer = Arc::new(payer);
    let options = options(case, &hours, &mut draw);
    let running = Server::start(Arc::clone(&payer) as Arc<dyn Payer>, options).unwrap();
    let place = Place { staging: folder.path().join("staging"), store: folder.path().join("store") };
    let mut run =
        Run { case, truth, tally, payer, running, hours, place, draw, begun: Vec::new(), full: 0, built: None };
    for nth in 0..3 {
        if !run.sync(nth) {
            break;
        }
        run.between();
    }
    run.tally.seconds.insert(case.name.clone(), began.elapsed().as_secs_f64());
}

/// The server: by offset or cursor, with or without what may be offered.
fn options(case: &Case, hours: &Arc<Hours>, draw: &mut Draw) -> Options {
    let mut options = Options {
        clock: Arc::clone(hours) as Arc<dyn server::Clock>,
        max_page_size: 10,
        page_size: 10,
        list_page_size: 2,
        hang: Duration::from_millis(5),
        latency: Duration::from_millis(2),
        drip_pause: Duration::from_micros(50),
        log_limit: 0,
        ..Options::default()
    };
    options.offers.clear();
    for (offer, every) in [
        (Offer::IdSearch, 2),
        (Offer::LastUpdated, 2),
        (Offer::ConditionalReads, 2),
        (Offer::SearchEtags, 3),
        (Offer::SortById, 3),
        (Offer::CountOnly, 2),
        (Offer::ListsByProfile, 3),
        (Offer::PlaceSearch, 4),
    ] {
        // What a fault acts on is there.
        let needed = offer == Offer::LastUpdated && case.has(&OF_CHANGES);
        let hinders = offer == Offer::ListsByProfile && case.has(&[Fault::SelfDropsParameter]);
        if (draw.one_in(every) || needed) && !hinders {
            options.offers.insert(offer);
        }
    }
    let by_offset = draw.one_in(2) && !case.has(&OF_CURSORS);
    if by_offset || case.has(&[Fault::OrderMoves, Fault::OrderShifts]) {
        options.offset_paging = ResourceType::ALL.into_iter().collect();
    }
    if draw.one_in(2) && !case.has(&[Fault::TotalRefused]) {
        options.ignored.insert("_total".to_owned());
    }
    options
}

/// Faults that only who asks for changes meets, and only who follows cursors.
const OF_CHANGES: [Fault; 3] = [Fault::GeAsGt, Fault::LastUpdatedIgnored, Fault::LastUpdatedIgnoredInSilence];
const OF_CURSORS: [Fault; 5] = [
    Fault::CursorExpired400,
    Fault::CursorExpired403,
    Fault::CursorExpired404,
    Fault::CursorExpired410,
    Fault::CursorExpired403Page,
];

impl Run<'_> {
    fn found(&mut self, kind: &'static str, sync: usize, what: String) {
        let case = self.case.name.clone();
        self.tally.violations.push(Violation { case, kind, seed: self.case.seed, sync, what });
    }

    /// The payer changes, and a day passes.
    fn between(&mut self) {
        self.hours.advance(DAY / 2);
        self.payer.go_on(self.running.now());
        self.hours.advance(DAY / 2);
    }

    /// One sync and what is asked after it; false: nothing more can be learnt.
    fn sync(&mut self, nth: usize) -> bool {
        let is_last = nth == 2;
        let changes = if is_last { self.draw.one_in(3) } else { !self.draw.one_in(4) };
        let kinds = [
            ResourceType::MedicationKnowledge,
            ResourceType::PractitionerRole,
            ResourceType::Practitioner,
            ResourceType::Medication,
        ];
        let moment = match self.draw.below(2) {
            0 => Moment::After(self.draw.below(90) as u64),
            _ => Moment::HalfWay(kinds[self.draw.below(kinds.len())]),
        };
        let full = nth > 0 && self.draw.one_in(3) && !self.case.has(&OF_CHANGES);
        // The second sync may read one half alone.
        let half = Half::ALL.get(self.draw.below(8)).copied().filter(|_| nth == 1);
        let is_ahead = !is_last && self.draw.one_in(8);
        self.payer.go_on_at(changes.then_some(moment));
        let loss = self.case.loss.filter(|_| nth == 1);
        self.payer.lose(|kind, index| loss.is_some_and(|loss| loss.takes(kind) && index % 2 == 1));
        self.running.set_faults(self.case.faults(nth));
        let clock = Arc::new(Ahead(Arc::clone(&self.hours), if is_ahead { 400 * DAY } else { Duration::ZERO }));
        let first = self.payer.version();
        let began = fetch::Clock::now(&*clock);
        let stop = Stop::default();
        self.hours.limit(ENDLESS, stop.clone());
        let before = self.running.requests().total;
        let synced = catch_unwind(AssertUnwindSafe(|| self.try_sync(full, half, clock, stop)));
        self.tally.syncs += 1;
        self.tally.of_a_half += u64::from(half.is_some());
        self.tally.requests += self.running.requests().total - before;
        let fired = self.running.fired();
        self.tally.fired.extend(fired.keys().copied());
        if self.hours.is_over() {
            self.found("endless", nth, format!("more than {ENDLESS} requests"));
            return false;
        }
        let last = self.payer.version();
        self.begun.push(Begin { at: began, version: first });
        let synced = match synced {
            Ok(Ok(synced)) => synced,
            Ok(Err(error)) => {
                self.found("error", nth, error.to_string());
                return true;
            }
            Err(_) => {
                self.found("panic", nth, "the sync panicked".to_owned());
                return false;
            }
        };
        self.judge(nth, &synced, last, half);
        true
    }

    fn try_sync(&self, full: bool, half: Option<Half>, clock: Arc<Ahead>, stop: Stop) -> coverdex_core::Result<Synced> {
        let settings = Settings {
            base_url: Some(self.running.api_url()),
            rate: Some(Rate::Off),
            concurrency: Some(if self.case.seed.is_multiple_of(2) { 1 } else { 4 }),
            max_body: Some(32),
            ..Settings::default()
        };
        let config = settings.check()?;
        let options = fetch::Options {
            selection: Selection {
                formulary: half != Some(Half::Directory),
                directory: half != Some(Half::Formulary),
                ..Selection::default()
            },
            staging: self.place.staging.clone(),
            accept_shrink: false,
            full,
        };
        let network = Arc::new(Network::new(&config)?);
        let from = FromStaging { payer: Some(PAYER), ..FromStaging::default() };
        sync_and_build(config, &options, &self.place.store, &from, network, clock, Arc::new(|_| ()), stop)
    }

    fn judge(&mut self, nth: usize, synced: &Synced, last: usize, half: Option<Half>) {
        let is_complete = synced.outcome.complete;
        if super::only().is_some() {
            let outcome = &synced.outcome;
            let gaps: Vec<_> =
                synced.report.types.iter().map(|of| (&of.resource_type, of.distinct, &of.gaps)).collect();
            crate::say(&format!("sync {}: {:?} {:#?} {gaps:?}", nth + 1, outcome.incomplete, outcome.crawl.restarts));
        }
        self.tally.complete += u64::from(is_complete);
        let first = self.begun[nth].version;
        let changes_only = synced.outcome.crawl.changes_only;
        if is_complete && !changes_only && half.is_none() {
            self.full = first;
        }
        if let SyncedDataset::Built(..) | SyncedDataset::Joined(..) = synced.dataset {
            self.tally.joined += u64::from(matches!(synced.dataset, SyncedDataset::Joined(..)));
            self.built = Some(Built { last, full: changes_only.then_some(self.full) });
        }
        let has_faults = self.case.faulty.get(nth).is_some_and(|faulty| *faulty) && !self.case.faults.is_empty();
        let is_clean = !has_faults && self.case.loss.is_none_or(|_| nth != 1);
        if is_clean && !is_complete {
            // A half does not fit beside one that was read when plans said something else.
            if first == last && half.is_none() {
                let why = format!("{:?}", synced.outcome.incomplete);
                self.found("not complete without a fault", nth, why);
            } else {
                self.tally.unsettled += 1;
            }
        }
        let Some(built) = self.built else { return };
        let dataset = match Dataset::open(&self.place.store) {
            Ok(dataset) => dataset,
            Err(error) => return self.found("no dataset", nth, error.to_string()),
        };
        let report: SyncReport = serde_json::from_str(&dataset.sync_report().unwrap().unwrap()).unwrap();
        let is_without_gaps = report.types.iter().all(|of| of.gaps.is_empty() && of.refused == 0);
        let truth = self.truth;
        for (number, (question, is_deleted)) in truth.questions.iter().enumerate() {
            // Formularies and the directory may be of different syncs.
            let (window, dated) = self.window(dataset.manifest().as_of(question.part()));
            if self.case.has_another_truth(dated) {
                continue;
            }
            self.tally.questions += 1;
            let said = ask(&dataset, question);
            self.tally.unknown += u64::from(said == Answer::Unknown);
            // Who asks for changes alone is not told what was deleted.
            let full = built.full.filter(|_| *is_deleted).unwrap_or(window);
            let first = full.min(window);
            let all: Vec<&Answer> = truth.answers[first..=built.last].iter().map(|version| &version[number]).collect();
            if !all.iter().any(|truth| said.agrees(truth)) {
                let older = truth.answers[..first].iter().rposition(|version| said.agrees(&version[number]));
                let kind = if older.is_some() { "older" } else { "never true" };
                let what = format!(
                    "{question:?} is {said:?}; from version {first} to {} {all:?}; true at version {older:?}; dated as \
                     sync {}, complete: {is_complete}, changes only: {changes_only}",
                    built.last,
                    dated + 1,
                );
                self.found(kind, nth, what);
            } else if is_complete && all.iter().all(|truth| said.lacks(truth)) {
                // What is named and deleted before it is read may be unknown, and so may what was not served.
                if is_without_gaps && window == built.last && !(dated == 1 && self.case.loss.is_some()) {
                    let what = format!("{question:?} is {said:?}, in truth {:?}", all[0]);
                    self.found("unknown though complete", nth, what);
                } else {
                    self.tally.unknown_in_complete += 1;
                }
            }
        }
    }

    /// The version that was out when the sync began that a date names, and which sync that is.
    fn window(&self, as_of: &str) -> (usize, usize) {
        let as_of: Timestamp = as_of.parse().unwrap();
        let distance = |begin: &Begin| as_of.duration_since(begin.at).abs();
        let (dated, begin) = self.begun.iter().enumerate().min_by_key(|(_, begin)| distance(begin)).unwrap();
        (begin.version, dated)
    }
}
