//! Formularies and the directory are outcomes of their own: where one is seen whole and the other is not, the one is
//! new, the other stays, and each answer has the date of its half.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use coverdex_core::{CoverageStatus, Dataset, ErrorKind, ProvidersQuestion};
use coverdex_sandbox::ResourceType;
use coverdex_sandbox::server::{Fault, FaultSpec, Faults, MemoryPayer, Options, Payer};
use coverdex_sync::fetch::{self, Selection};
use coverdex_sync::source::stu1::half::Half;
use coverdex_sync::update::SyncedDataset;

use super::again::{fresh, payer};
use super::{BEGIN, Place, Rig, assert_complete, assert_joined, assert_same, assert_says};

const LATER: &str = "2026-07-11T00:00:00Z";
const LAST: &str = "2026-07-21T00:00:00Z";

/// A payer of whom some entries and some roles are gone.
fn without(entries: bool, roles: bool) -> Arc<MemoryPayer> {
    payer(move |kind, index| match kind {
        ResourceType::MedicationKnowledge => !entries || index % 60 != 7,
        ResourceType::PractitionerRole => !roles || index % 60 != 7,
        _ => true,
    })
}

/// What is of one half is refused for good.
fn failing(half: Half) -> Faults {
    let mut failing: FaultSpec = Fault::PermanentFailure.into();
    failing.kinds.insert(match half {
        Half::Formulary => ResourceType::MedicationKnowledge,
        Half::Directory => ResourceType::PractitionerRole,
    });
    Faults { specs: vec![failing], ..Faults::default() }
}

/// The dates of answers about drugs and about providers.
fn dates(place: &Place) -> (String, String) {
    let dataset = Dataset::open(&place.store).unwrap();
    let plan = dataset.all_plans().unwrap().first().unwrap().id.to_string();
    let coverage = dataset.coverage_answers(&plan, "metformin", None).unwrap();
    let providers = dataset.ask_providers(&ProvidersQuestion::default()).unwrap();
    let info = dataset.info().unwrap();
    let dates = (coverage[0].origin.as_of().to_owned(), providers[0].origin.as_of().to_owned());
    assert_eq!((&info.part_times["drugs"], &info.part_times["directory"]), (&dates.0, &dates.1));
    assert_eq!(dataset.as_of(), dates.0.as_str().min(dates.1.as_str()), "the earlier one");
    dates
}

/// A first sync of a whole payer; ten days later, when some entries and some roles are gone, one in which a half fails.
fn joined(half: Half, what: &str) -> (Rig, Place) {
    let rig = Rig::of(without(false, false), Options::default());
    let place = rig.place("place");
    assert_complete(&rig.sync(&place), what);
    assert_eq!(dates(&place), (BEGIN.to_owned(), BEGIN.to_owned()), "{what}");
    rig.time.rest(10);
    rig.running.set_payer(without(true, true));
    rig.set(failing(half));
    assert_joined(&rig.sync(&place), half, what);
    (rig, place)
}

fn live(place: &Place) -> BTreeMap<PathBuf, Vec<u8>> {
    place.dataset()
}

#[test]
fn what_fails_in_one_half_does_not_hold_back_the_other() {
    for half in Half::ALL {
        let what = format!("{half:?} fails");
        let (rig, place) = joined(half, &what);
        let (expected, later) = match half {
            Half::Formulary => (without(false, true), (BEGIN.to_owned(), LATER.to_owned())),
            Half::Directory => (without(true, false), (LATER.to_owned(), BEGIN.to_owned())),
        };
        assert_says(&live(&place), &fresh(expected), &what);
        assert_eq!(dates(&place), later, "{what}");

        // It goes on where it failed, and the former half is gone.
        rig.set(Faults::none());
        assert_complete(&rig.sync(&place), &what);
        assert_says(&live(&place), &fresh(without(true, true)), &what);
        assert_eq!(dates(&place), (LATER.to_owned(), LATER.to_owned()), "{what}");
    }
}

#[test]
fn each_half_may_be_of_a_sync_of_its_own() {
    for half in Half::ALL {
        let what = format!("{half:?} fails first");
        let (rig, place) = joined(half, &what);

        // A sync that rested too long begins anew: now the other half fails.
        rig.time.rest(10);
        rig.running.set_payer(without(false, false));
        rig.set(failing(half.other()));
        assert_joined(&rig.sync(&place), half.other(), &what);
        let (expected, last) = match half {
            Half::Formulary => (without(false, true), (LAST.to_owned(), LATER.to_owned())),
            Half::Directory => (without(true, false), (LATER.to_owned(), LAST.to_owned())),
        };
        assert_says(&live(&place), &fresh(expected), &what);
        assert_eq!(dates(&place), last, "{what}");

        rig.set(Faults::none());
        assert_complete(&rig.sync(&place), &what);
        assert_says(&live(&place), &fresh(without(false, false)), &what);
        assert_eq!(dates(&place), (LAST.to_owned(), LAST.to_owned()), "{what}");
    }
}

/// The same payer, whose plans have other names.
fn renamed(payer: &MemoryPayer) -> Arc<MemoryPayer> {
    let mut renamed = MemoryPayer::new();
    for kind in ResourceType::ALL {
        for index in 0..payer.count(kind) {
            let json = payer.resource(kind, index);
            let json = match kind {
                ResourceType::InsurancePlan => json.replacen("\"name\":\"", "\"name\":\"New ", 1),
                _ => json,
            };
            renamed.add(&json).unwrap();
        }
    }
    Arc::new(renamed)
}

/// A provider is in a plan by networks that plans state and roles name: both must be of one time.
#[test]
fn halves_of_different_plans_are_not_joined() {
    let rig = Rig::of(without(false, false), Options::default());
    let place = rig.place("place");
    assert_complete(&rig.sync(&place), "first");
    let before = place.stored();
    rig.time.rest(10);
    rig.running.set_payer(renamed(without(true, true).as_ref()));
    rig.set(failing(Half::Directory));
    let synced = rig.sync(&place);
    assert!(matches!(synced.dataset, SyncedDataset::Kept(_)), "{:#?}", synced.outcome);
    assert_same(&place.stored(), &before, "plans changed");
}

/// A sync of one half alone.
fn only(place: &Place, half: Half) -> fetch::Options {
    let (formulary, directory) = (half == Half::Formulary, half == Half::Directory);
    fetch::Options { selection: Selection { formulary, directory, ..Selection::default() }, ..place.options() }
}

/// What was not asked for is as old as it was, and says so.
#[test]
fn a_sync_of_one_half_leaves_the_other_as_it_was() {
    for half in Half::ALL {
        let what = format!("{half:?} alone");
        let rig = Rig::of(without(false, false), Options::default());
        let place = rig.place("place");
        assert_complete(&rig.sync(&place), &what);
        rig.time.rest(10);
        rig.running.set_payer(without(true, true));
        let synced = rig.try_sync(&place, &only(&place, half)).unwrap();
        assert!(synced.outcome.complete, "{what}: {:#?}", synced.outcome.incomplete);
        let SyncedDataset::Joined(_, _, former) = &synced.dataset else { panic!("{what}: {:#?}", synced.outcome) };
        assert_eq!((former.half, former.as_of.as_str()), (half.other(), BEGIN), "{what}");
        let (expected, later) = match half {
            Half::Formulary => (without(true, false), (LATER.to_owned(), BEGIN.to_owned())),
            Half::Directory => (without(false, true), (BEGIN.to_owned(), LATER.to_owned())),
        };
        assert_says(&live(&place), &fresh(expected), &what);
        assert_eq!(dates(&place), later, "{what}");

        // The other one in its turn, and then both together.
        rig.time.rest(10);
        rig.running.set_payer(without(half == Half::Formulary, half == Half::Directory));
        let synced = rig.try_sync(&place, &only(&place, half.other())).unwrap();
        assert!(synced.outcome.complete, "{what}: {:#?}", synced.outcome.incomplete);
        let (expected, last) = match half {
            Half::Formulary => (without(true, false), (LATER.to_owned(), LAST.to_owned())),
            Half::Directory => (without(false, true), (LAST.to_owned(), LATER.to_owned())),
        };
        assert_says(&live(&place), &fresh(expected), &what);
        assert_eq!(dates(&place), last, "{what}");
        rig.running.set_payer(without(true, true));
        assert_complete(&rig.sync(&place), &what);
        assert_says(&live(&place), &fresh(without(true, true)), &what);
        assert_eq!(dates(&place), (LAST.to_owned(), LAST.to_owned()), "{what}");
    }
}

/// Where the half that was not asked for cannot stand beside what came, nothing changes, and the outcome says why.
#[test]
fn a_half_that_does_not_fit_is_told() {
    let rig = Rig::of(without(false, false), Options::default());
    let place = rig.place("place");
    assert_complete(&rig.sync(&place), "first");
    let before = place.stored();
    rig.time.rest(10);
    let of_directory = only(&place, Half::Directory);
    rig.running.set_payer(renamed(&without(true, true)));
    let elsewhere = fetch::Options { staging: rig.place("other").staging, ..of_directory.clone() };
    for (options, why) in [(of_directory, "plans changed"), (elsewhere, "not in this staging folder")] {
        let synced = rig.try_sync(&place, &options).unwrap();
        let told = &synced.outcome.incomplete["sync"];
        assert!(!synced.outcome.complete && told.contains(why) && told.contains("both together"), "{told}");
        assert!(matches!(synced.dataset, SyncedDataset::Kept(_)), "{why}");
        assert_same(&place.stored(), &before, why);
    }
    // Who wants the one half alone says so.
    let alone = fetch::Options { accept_shrink: true, ..only(&place, Half::Directory) };
    assert_complete(&rig.try_sync(&place, &alone).unwrap(), "alone");
    let dataset = Dataset::open(&place.store).unwrap();
    let plan = dataset.all_plans().unwrap().first().unwrap().id.to_string();
    let coverage = dataset.coverage_answers(&plan, "00093-1048-01", None).unwrap();
    assert_eq!(coverage[0].coverage.status, CoverageStatus::Unknown, "it has no formularies");
}

/// A sync of one plan would leave all others as they were long ago, or without any answer.
#[test]
fn a_sync_of_fewer_plans_does_not_take_the_place_of_more() {
    let rig = Rig::of(without(false, false), Options::default());
    let place = rig.place("place");
    assert_complete(&rig.sync(&place), "first");
    let (before, requests) = (place.stored(), rig.running.requests().total);
    let plans = Dataset::open(&place.store).unwrap().all_plans().unwrap();
    let [one, two] = [0, 1].map(|at| plans[at].id.to_string());
    rig.time.rest(10);
    rig.running.set_payer(without(true, true));
    let of = |plans: &[&String]| Selection {
        plans: plans.iter().map(|plan| (*plan).clone()).collect(),
        ..Selection::default()
    };
    let fewer = fetch::Options { selection: of(&[&one]), ..place.options() };
    let error = rig.try_sync(&place, &fewer).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidInput);
    assert!(error.to_string().contains(&one) && error.to_string().contains("all plans"), "{error}");
    assert_same(&place.stored(), &before, "refused");
    assert_eq!(rig.running.requests().total, requests, "nothing was asked for");

    // Told to, it has these plans, and says nothing of others.
    let fewer = fetch::Options { accept_shrink: true, ..fewer };
    assert_complete(&rig.try_sync(&place, &fewer).unwrap(), "fewer");
    assert_eq!(dates(&place), (LATER.to_owned(), LATER.to_owned()));
    let alone = rig.place("alone");
    assert_complete(
        &rig.try_sync(&alone, &fetch::Options { selection: of(&[&one]), ..alone.options() }).unwrap(),
        "alone",
    );
    assert_says(&live(&place), &live(&alone), "as if it had never had others");

    // Another one beside it, and all again.
    let another = fetch::Options { selection: of(&[&two]), ..place.options() };
    assert!(rig.try_sync(&place, &another).is_err(), "it would lose the first");
    let both = fetch::Options { selection: of(&[&one, &two]), ..place.options() };
    assert_complete(&rig.try_sync(&place, &both).unwrap(), "both");
    assert_complete(&rig.sync(&place), "all");
    assert_says(&live(&place), &fresh(without(true, true)), "all");
}

/// Plans link formularies and roles: what is read after they changed is of other plans.
#[test]
fn a_sync_goes_on_only_while_plans_say_the_same() {
    for half in Half::ALL {
        let what = format!("{half:?} failed");
        let rig = Rig::of(without(false, false), Options::default());
        let place = rig.place("place");
        rig.set(failing(half));
        assert!(!rig.sync(&place).outcome.complete, "{what}");
        rig.set(Faults::none());
        rig.time.rest(1);
        let goes_on = rig.sync(&rig.place("place"));
        assert_eq!(goes_on.outcome.crawl.generation, 1, "{what}: it goes on");
        assert_complete(&goes_on, &what);

        let place = rig.place("plans changed");
        rig.set(failing(half));
        assert!(!rig.sync(&place).outcome.complete, "{what}");
        rig.set(Faults::none());
        rig.time.rest(1);
        rig.running.set_payer(renamed(&without(true, true)));
        let anew = rig.sync(&place);
        assert_eq!(anew.outcome.crawl.generation, 2, "{what}: it begins anew");
        assert_complete(&anew, &what);
        assert_says(&live(&place), &fresh(renamed(&without(true, true))), &what);
    }
}
