//! The next sync: cheap where nothing changed, and nothing goes before a complete pass missed it.

use std::sync::Arc;

use coverdex_sandbox::server::{Fault, FaultSpec, Faults, MemoryPayer, Options, Payer, PublishedPayer};
use coverdex_sandbox::{MadePayer, ResourceType};
use coverdex_sync::fetch;
use coverdex_sync::source::stu1::half::Half;

use super::{Place, Rig, assert_complete, assert_joined, assert_same, assert_says, shape};

/// The made payer, of each type only what `keep` wants.
pub(super) fn payer(keep: impl Fn(ResourceType, u64) -> bool) -> Arc<MemoryPayer> {
    let published = PublishedPayer::new(MadePayer::new(shape()));
    let mut payer = MemoryPayer::new();
    for kind in ResourceType::ALL {
        for index in (0..published.count(kind)).filter(|index| keep(kind, *index)) {
            let json = published.resource(kind, index);
            payer.add(&json).unwrap();
            if published.read_by_id_only(kind, index) {
                let id = json.split_once("\"id\":\"").unwrap().1.split('"').next().unwrap();
                payer.hide_from_searches(kind, id);
            }
        }
    }
    Arc::new(payer)
}

fn full(place: &Place) -> fetch::Options {
    fetch::Options { full: true, ..place.options() }
}

/// What a first sync of a payer ends with.
pub(super) fn fresh(payer: Arc<MemoryPayer>) -> std::collections::BTreeMap<std::path::PathBuf, Vec<u8>> {
    let rig = Rig::of(payer, Options::default());
    let place = rig.place("fresh");
    assert_complete(&rig.sync(&place), "fresh");
    place.dataset()
}

#[test]
fn an_unchanged_payer_has_the_same_dataset() {
    let rig = Rig::new();
    let place = rig.place("twice");
    assert_complete(&rig.sync(&place), "first");
    let before = place.dataset();
    let size = |place: &Place| super::files(&place.staging).values().map(Vec::len).sum::<usize>();
    let (first, requests) = (size(&place), rig.running.requests().total);
    assert_complete(&rig.sync(&place), "second");
    assert_same(&place.dataset(), &before, "unchanged");
    assert!(size(&place) < first * 2, "what is the same is not kept twice: {first}, then {}", size(&place));
    assert!(rig.running.requests().total <= 2 * requests + 10);
}

#[test]
fn what_is_gone_goes_after_a_complete_pass_and_not_before() {
    let is_gone = |kind: ResourceType, index: u64| {
        matches!(kind, ResourceType::PractitionerRole | ResourceType::MedicationKnowledge) && index % 60 == 7
    };
    let rig = Rig::of(payer(|_, _| true), Options::default());
    let place = rig.place("gone");
    assert_complete(&rig.sync(&place), "first");
    rig.running.set_payer(payer(|kind, index| !is_gone(kind, index)));
    // A pass that fails removes nothing.
    let mut failing: FaultSpec = Fault::PermanentFailure.into();
    failing.kinds.insert(ResourceType::PractitionerRole);
    rig.set(Faults { specs: vec![failing], ..Faults::default() });
    let synced = rig.try_sync(&place, &full(&place)).unwrap();
    assert!(!synced.outcome.complete && !synced.report.complete, "{:?}", synced.outcome);
    assert_joined(&synced, Half::Directory, "a failed pass");
    let without_entries = payer(|kind, index| kind == ResourceType::PractitionerRole || !is_gone(kind, index));
    assert_says(&place.dataset(), &fresh(without_entries), "a failed pass");
    // The next one is complete.
    rig.set(Faults::none());
    assert_complete(&rig.try_sync(&place, &full(&place)).unwrap(), "second");
    assert_same(&place.dataset(), &fresh(payer(|kind, index| !is_gone(kind, index))), "without what is gone");
}

/// Every List is there, and names a tenth of what it named: each pass is complete, and no pass tells.
#[test]
fn lists_that_name_far_less_must_be_accepted() {
    let rig = Rig::of(payer(|_, _| true), Options::default());
    let place = rig.place("named less");
    assert_complete(&rig.sync(&place), "first");
    let before = place.dataset();
    let published = PublishedPayer::new(MadePayer::new(shape()));
    let mut cut = MemoryPayer::new();
    for kind in ResourceType::ALL {
        for index in 0..published.count(kind) {
            let mut json = published.resource(kind, index);
            if kind == ResourceType::List {
                let mut list: serde_json::Value = serde_json::from_str(&json).unwrap();
                let entries = list["entry"].as_array_mut().unwrap();
                entries.truncate(entries.len().div_ceil(10));
                json = list.to_string();
            }
            cut.add(&json).unwrap();
        }
    }
    rig.running.set_payer(Arc::new(cut));
    let synced = rig.try_sync(&place, &full(&place)).unwrap();
    let reason = &synced.outcome.incomplete["List"];
    assert!(reason.contains("accept-shrink"), "{reason}");
    assert_joined(&synced, Half::Formulary, "not accepted");
    assert_says(&place.dataset(), &before, "not accepted");
    let accepted = fetch::Options { accept_shrink: true, ..full(&place) };
    assert_complete(&rig.try_sync(&place, &accepted).unwrap(), "accepted");
}

#[test]
fn a_payer_that_shrank_a_lot_must_be_accepted() {
    let half = |kind: ResourceType, index: u64| kind != ResourceType::PractitionerRole || index.is_multiple_of(2);
    let rig = Rig::of(payer(|_, _| true), Options::default());
    let place = rig.place("shrunk");
    assert_complete(&rig.sync(&place), "first");
    let before = place.dataset();
    rig.running.set_payer(payer(half));
    let synced = rig.sync(&place);
    let reason = &synced.outcome.incomplete["PractitionerRole"];
    assert!(reason.contains("accept-shrink"), "{reason}");
    assert_joined(&synced, Half::Directory, "not accepted");
    assert_says(&place.dataset(), &before, "not accepted");
    let accepted = fetch::Options { accept_shrink: true, ..place.options() };
    assert_complete(&rig.try_sync(&place, &accepted).unwrap(), "accepted");
    assert_same(&place.dataset(), &fresh(payer(half)), "accepted");
}

#[test]
fn store_and_staging_must_lie_apart() {
    let rig = Rig::new();
    let good = rig.place("apart");
    for (staging, store) in [("same", "same"), ("outer/inner", "outer"), ("outer", "outer/inner"), ("x", "y/../x/z")] {
        let at = |name: &str| good.staging.with_file_name(name);
        let place = Place { staging: at(staging), store: at(store) };
        let error = rig.try_sync(&place, &place.options()).err().unwrap();
        assert!(error.message().contains("lie in one another"), "{staging} {store}: {error}");
        assert!(!place.staging.join("staging.json").exists(), "nothing was asked for");
    }
}
