//! How a patient client ends under each fault and under combinations of them.

use super::client::{Client, Stop};
use super::*;

fn all(faults: Faults, count: u32) -> (Result<BTreeMap<String, Value>, Stop>, Running) {
    let (running, clock) = serve(faults);
    let patience = running.faults().patience;
    let found = Client { running: &running, clock: &clock, count, patience }.all();
    (found, running)
}

fn everything() -> BTreeMap<String, Value> {
    let payer = small_payer();
    let mut found = BTreeMap::new();
    for kind in ResourceType::ALL {
        for index in 0..payer.count(kind) {
            let json: Value = serde_json::from_str(&payer.resource(kind, index)).unwrap();
            found.insert(format!("{kind}/{}", json["id"].as_str().unwrap()), client::normal(&json));
        }
    }
    found
}

#[track_caller]
fn assert_same(found: &Result<BTreeMap<String, Value>, Stop>, expected: &BTreeMap<String, Value>, what: &str) {
    let found = found.as_ref().unwrap_or_else(|stop| panic!("{what}: {stop:?}"));
    // When a resource was changed is not what it says.
    let said = |resource: &Value| {
        let mut said = resource.clone();
        said.as_object_mut().unwrap().remove("meta");
        said
    };
    for (key, value) in expected {
        assert_eq!(found.get(key).map(said), Some(said(value)), "{what}: {key}");
    }
    assert_eq!(found.len(), expected.len(), "{what}");
}

/// Who asks for changes alone meets these.
const OF_CHANGES: [Fault; 3] = [Fault::GeAsGt, Fault::LastUpdatedIgnored, Fault::LastUpdatedIgnoredInSilence];

#[test]
fn without_faults_everything_is_there() {
    let (found, running) = all(Faults::none(), 50);
    assert_same(&found, &everything(), "no faults");
    assert!(running.fired().is_empty());
    assert_eq!(running.requests().of(Endpoint::Other), 0);
}

#[test]
fn each_fault_that_must_end_the_same_does_and_acts() {
    let expected = everything();
    for fault in Fault::ALL.iter().copied().filter(|fault| fault.ending() == Ending::Same) {
        // Only a member's login meets it, or who asks for changes.
        if [Fault::TokenExpiry].contains(&fault) || OF_CHANGES.contains(&fault) {
            continue;
        }
        let (found, running) = all(Faults::of([fault]), 50);
        assert_same(&found, &expected, fault.name());
        // Closing behind acts on a connection's next request, and this client makes none.
        let fired = running.fired();
        assert!(fired.contains_key(&fault) || fault == Fault::ConnectionSilentlyClosed, "{fault} did nothing");
        assert_eq!(running.requests().other_host, 0);
    }
}

#[test]
fn combinations_end_the_same() {
    let expected = everything();
    for seed in 0..24 {
        let mut faults = Faults::random(seed);
        // 25 MiB again and again take their time: once is enough, in the test above.
        faults.specs.retain(|spec| spec.fault != Fault::HugeResource);
        let (found, _) = all(faults.clone(), if seed % 2 == 0 { 50 } else { 20 });
        assert_same(&found, &expected, &faults.to_string());
    }
}

#[test]
fn faults_that_may_end_incomplete_are_met_for_what_they_are() {
    let expected = everything();
    let stops = [
        (Fault::NextLoopSelf, Stop::Loop),
        (Fault::NextLoopPair, Stop::Loop),
        (Fault::OffHostNext, Stop::OffHost),
        (Fault::OffHostRedirect, Stop::OffHost),
        (Fault::PermanentFailure, Stop::Exhausted),
        (Fault::NestingBomb, Stop::Exhausted),
        (Fault::PageLostSkipIgnored, Stop::Contradicted),
        (Fault::ErrorInPage, Stop::Flawed),
        (Fault::BundleType, Stop::Flawed),
        (Fault::NextLoopSpelling, Stop::Loop),
        (Fault::NextLinkHuge, Stop::Exhausted),
    ];
    for (fault, stop) in stops {
        for seed in 0..4 {
            let (found, running) = all(Faults::of([fault]).with_seed(seed), 20);
            assert_eq!(found, Err(stop.clone()), "{fault} with seed {seed}");
            assert!(running.fired()[&fault] > 0);
            assert_eq!(running.requests().other_host, 0);
        }
    }
    for fault in [Fault::Shrinking, Fault::GoneById] {
        let (found, running) = all(Faults::of([fault]), 20);
        let (there, all) = (found.unwrap().len(), expected.len());
        assert!(there < all && there * 2 > all, "{fault}: {there} of {all}");
        assert!(running.fired()[&fault] > 0);
    }
}

/// Those that a client has a way round: by `_skip`, by the references of others, by asking again.
#[test]
fn faults_that_may_end_incomplete_need_not() {
    let expected = everything();
    for fault in [Fault::PageLost, Fault::PageCut, Fault::OrderMoves, Fault::OrderShifts, Fault::RetryAfterHuge] {
        for seed in 0..4 {
            let (found, running) = all(Faults::of([fault]).with_seed(seed), 20);
            assert_same(&found, &expected, &format!("{fault} with seed {seed}"));
            assert!(running.fired()[&fault] > 0);
        }
    }
}

#[test]
fn every_fault_belongs_to_one_of_these_tests() {
    let same = Fault::ALL.iter().filter(|fault| fault.ending() == Ending::Same).count();
    // The compression bomb and `keys-twice-differ` have tests of their own.
    assert_eq!(Fault::ALL.len() - same, 11 + 2 + 5 + 2);
}
