//! Formularies and the directory are outcomes of their own: where one is seen whole and the other is not, the one is
//! new, the other stays, and each answer has the date of its half.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use coverdex_core::{Dataset, ProvidersQuestion};
use coverdex_sandbox::ResourceType;
use coverdex_sandbox::server::{Fault, FaultSpec, Faults, MemoryPayer, Options, Payer};
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

/// A provider is in a plan by networks that plans state and roles name: both must be of one time.
#[test]
fn halves_of_different_plans_are_not_joined() {
    let rig = Rig::of(without(false, false), Options::default());
    let place = rig.place("place");
    assert_complete(&rig.sync(&place), "first");
    let before = place.stored();
    rig.time.rest(10);
    let mut changed = MemoryPayer::new();
    let published = without(true, true);
    for kind in ResourceType::ALL {
        for index in 0..published.count(kind) {
            let json = published.resource(kind, index);
            let json = match kind {
                ResourceType::InsurancePlan => json.replacen("\"name\":\"", "\"name\":\"New ", 1),
                _ => json,
            };
            changed.add(&json).unwrap();
        }
    }
    rig.running.set_payer(Arc::new(changed));
    rig.set(failing(Half::Directory));
    let synced = rig.sync(&place);
    assert!(matches!(synced.dataset, SyncedDataset::Kept(_)), "{:#?}", synced.outcome);
    assert_same(&place.stored(), &before, "plans changed");
}
