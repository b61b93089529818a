//! Every fault of the stand-in payer, alone and together: what passes leaves no trace, what does not
//! is named, and the former dataset stays as it was.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use coverdex_core::Dataset;
use coverdex_sandbox::server::{Ending, Fault, Faults, Offer, Options, PublishedPayer};
use coverdex_sandbox::{MadePayer, Quirks, ResourceType, Shape};
use coverdex_sync::update::SyncedDataset;

use super::honest::assert_honest;
use super::{Rig, assert_complete, assert_same, assert_says, shape};

/// Random combinations tried.
const COMBINATIONS: u64 = 36;

fn undisturbed(rig: &Rig) -> BTreeMap<PathBuf, Vec<u8>> {
    let place = rig.place("undisturbed");
    let synced = rig.sync(&place);
    assert_complete(&synced, "no fault");
    assert_eq!(synced.report.as_of.as_deref(), Some(super::BEGIN));
    place.dataset()
}

fn of_ending(ending: Ending) -> impl Iterator<Item = Fault> {
    Fault::ALL.iter().copied().filter(move |fault| fault.ending() == ending)
}

/// Who asks for what changed meets these, and nobody else.
const OF_CHANGES: [Fault; 3] = [Fault::GeAsGt, Fault::LastUpdatedIgnored, Fault::LastUpdatedIgnoredInSilence];

/// Whether there is a way round a fault that may end incomplete: whoever takes it need not notice.
fn has_a_way_round(fault: Fault) -> bool {
    matches!(
        fault,
        Fault::Shrinking
            | Fault::OrderMoves
            | Fault::OrderShifts
            | Fault::PageLost
            | Fault::PageLostSkipIgnored
            | Fault::PageCut
            | Fault::ErrorInPage
            | Fault::NextLoopSpelling
            | Fault::KeysTwiceDiffer
            | Fault::RetryAfterHuge
            | Fault::NextLinkHuge
    )
}

/// All pages by `_skip`.
fn by_offset() -> Options {
    Options { offset_paging: ResourceType::ALL.into_iter().collect(), ..Options::default() }
}

#[test]
fn each_fault_of_changes_leaves_no_trace() {
    let mut options = Options::default();
    options.offers.extend([Offer::LastUpdated, Offer::CountOnly]);
    // Where a resource has no date, nobody asks for what changed.
    let dated = Shape { quirks: Quirks::none(), ..shape() };
    let rig = Rig::of(Arc::new(PublishedPayer::new(MadePayer::new(dated))), options);
    let expected = undisturbed(&rig);
    for fault in OF_CHANGES {
        let place = rig.place(fault.name());
        rig.set(Faults::none());
        assert_complete(&rig.sync(&place), fault.name());
        rig.set(Faults::of([fault]));
        let synced = rig.sync(&place);
        assert_complete(&synced, fault.name());
        assert_eq!(synced.outcome.crawl.changes_only, fault == Fault::GeAsGt, "{fault}");
        assert!(rig.running.fired().contains_key(&fault), "{fault} did nothing");
        assert_same(&place.dataset(), &expected, fault.name());
    }
}

#[test]
fn each_fault_that_passes_leaves_no_trace() {
    let rig = Rig::new();
    let expected = undisturbed(&rig);
    // Only a member's login meets an expired token.
    let met = |fault: &Fault| *fault != Fault::TokenExpiry && !OF_CHANGES.contains(fault);
    for fault in of_ending(Ending::Same).filter(met) {
        rig.set(Faults::of([fault]));
        let place = rig.place(fault.name());
        let synced = rig.sync(&place);
        assert_complete(&synced, fault.name());
        assert!(rig.running.fired().contains_key(&fault), "{fault} did nothing");
        assert_same(&place.dataset(), &expected, fault.name());
    }
    assert_eq!(rig.running.requests().other_host, 0);
}

#[test]
fn combinations_leave_no_trace() {
    let rig = Rig::new();
    let expected = undisturbed(&rig);
    for seed in 0..COMBINATIONS {
        let mut faults = Faults::random(seed);
        // 25 MiB again and again take their time: once is enough, in the test above.
        faults.specs.retain(|spec| spec.fault != Fault::HugeResource);
        let what = faults.to_string();
        rig.set(faults);
        let place = rig.place(&format!("seed {seed}"));
        assert_complete(&rig.sync(&place), &what);
        assert_same(&place.dataset(), &expected, &what);
    }
    assert_eq!(rig.running.requests().other_host, 0);
}

#[test]
fn what_does_not_pass_is_named_and_harms_nothing() {
    let (usual, offset) = (Rig::new(), Rig::with(by_offset()));
    let expected = undisturbed(&usual);
    let truth = Dataset::open(usual.place("undisturbed").store).unwrap();
    for fault in of_ending(Ending::MayBeIncomplete) {
        let rig = if matches!(fault, Fault::OrderMoves | Fault::OrderShifts) { &offset } else { &usual };
        let mut ended_incomplete = 0;
        for seed in 0..3 {
            let what = format!("{fault} with seed {seed}");
            // Nothing was live before: what is built answers only what it can.
            let fresh = rig.place(&what);
            rig.set(Faults::of([fault]).with_seed(seed));
            let synced = rig.sync(&fresh);
            assert!(rig.running.fired().contains_key(&fault), "{what} did nothing");
            assert_eq!(synced.outcome.complete, synced.report.complete, "{what}");
            // A payer that lost something for good has another truth.
            let has_shrunk = fault == Fault::Shrinking && synced.outcome.complete;
            if matches!(synced.dataset, SyncedDataset::Built(..)) && !has_shrunk {
                assert_honest(&Dataset::open(&fresh.store).unwrap(), &truth, &synced, fault, &what);
            }
            if synced.outcome.complete {
                continue;
            }
            ended_incomplete += 1;
            assert!(synced.outcome.incomplete.values().all(|reason| !reason.is_empty()), "{what}");
            assert!(!synced.report.types.iter().all(|of| of.complete), "{what}: {:#?}", synced.report);

            // Something was live before: it still is, untouched.
            let later = rig.place(&format!("{what} later"));
            rig.set(Faults::none());
            rig.sync(&later);
            let (before, said) = (later.stored(), later.dataset());
            rig.set(Faults::of([fault]).with_seed(seed));
            let synced =
                rig.try_sync(&later, &coverdex_sync::fetch::Options { full: true, ..later.options() }).unwrap();
            if !synced.outcome.complete {
                match synced.dataset {
                    SyncedDataset::Kept(_) => assert_same(&later.stored(), &before, &what),
                    // What goes wrong in one half leaves the other alone.
                    SyncedDataset::Joined(..) => {
                        let live = Dataset::open(&later.store).unwrap();
                        assert_honest(&live, &truth, &synced, fault, &what);
                        // Only what the server no longer has may be gone.
                        if !matches!(fault, Fault::Shrinking | Fault::GoneById) {
                            assert_says(&later.dataset(), &said, &what);
                        }
                    }
                    _ => panic!("{what}: {:?}", synced.dataset),
                }
                let before = later.stored();
                // Parts of two readings are no whole: they take the place of nothing that is live.
                if !synced.report.complete {
                    let staging = coverdex_sync::staging::Staging::open(later.options().staging).unwrap();
                    let store = coverdex_core::Store::open_or_create(&later.store).unwrap();
                    let from = coverdex_sync::update::FromStaging::default();
                    let rebuilt = coverdex_sync::update::build_staging(&staging, &store, &from).err().unwrap();
                    assert_eq!(rebuilt.kind(), coverdex_core::ErrorKind::Sync, "{what}: {rebuilt}");
                    assert_same(&later.stored(), &before, &what);
                }
            }

            // Healed, the same call goes on, and nothing is left of the trouble.
            rig.set(Faults::none());
            for place in [&fresh, &later] {
                if fault != Fault::Shrinking {
                    let healed = rig.sync(place);
                    assert_complete(&healed, &what);
                    assert_same(&place.dataset(), &expected, &what);
                }
            }
        }
        assert!(ended_incomplete > 0 || has_a_way_round(fault), "{fault} was never noticed");
    }
    assert_eq!(usual.running.requests().other_host, 0);
}
