//! A sync that is killed at any moment, or whose last bytes a power cut took, goes on and ends as if
//! nothing had happened.

use std::fs;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use coverdex_core::Dataset;
use coverdex_sandbox::server::Options;
use coverdex_sync::fetch::{FastClock, Network, Rate, Selection, Settings, Stop};
use coverdex_sync::update::{FromStaging, sync_and_build};
use coverdex_tests::dataset::copy;

use super::{BEGIN, PAYER, Place, Rig, assert_complete, assert_same};

const KILLS: u32 = 24;
const CUTS: u64 = 24;
/// Tell the child, which is this very program, what to do.
const VARIABLES: [&str; 3] = ["COVERDEX_TEST_SYNC_BASE", "COVERDEX_TEST_SYNC_STAGING", "COVERDEX_TEST_SYNC_STORE"];

fn start(rig: &Rig, place: &Place) -> Child {
    Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "sync::killed::child", "--ignored"])
        .env(VARIABLES[0], rig.running.api_url())
        .env(VARIABLES[1], &place.staging)
        .env(VARIABLES[2], &place.store)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap()
}

#[test]
#[ignore = "the process that the test below kills"]
fn child() {
    let [Ok(base), Ok(staging), Ok(store)] = VARIABLES.map(std::env::var) else { return };
    let settings =
        Settings { base_url: Some(base), rate: Some(Rate::Off), concurrency: Some(4), ..Settings::default() };
    let config = settings.check().unwrap();
    let network = Arc::new(Network::new(&config).unwrap());
    let clock = Arc::new(FastClock::fixed_at(BEGIN.parse().unwrap()));
    let options = coverdex_sync::fetch::Options {
        selection: Selection::default(),
        staging: staging.into(),
        accept_shrink: false,
        full: false,
    };
    let from = FromStaging { payer: Some(PAYER), ..FromStaging::default() };
    let (watch, stop) = (Arc::new(|_: &_| ()), Stop::default());
    let synced = sync_and_build(config, &options, store.as_ref(), &from, network, clock, watch, stop).unwrap();
    assert!(synced.outcome.complete);
}

#[test]
fn killed_at_any_moment_it_goes_on_and_ends_the_same() {
    let rig = Rig::with(Options::default());
    let undisturbed = rig.place("undisturbed");
    assert_complete(&rig.sync(&undisturbed), "no kill");
    let expected = undisturbed.dataset();
    let whole = rig.place("whole");
    let begun = Instant::now();
    assert!(start(&rig, &whole).wait().unwrap().success());
    let mut takes = begun.elapsed();
    assert_same(&whole.dataset(), &expected, "a process of its own");

    let (mut killed, mut in_staging, mut number) = (0, 0, 0);
    for round in 0..KILLS {
        let place = rig.place(&format!("round {round}"));
        // Killed once, twice or three times, then left alone.
        for again in 0..=round % 3 {
            let mut child = start(&rig, &place);
            number += 1;
            let part = (number * 37 + again * 11) % 100;
            std::thread::sleep(takes * part / 100 + Duration::from_micros(u64::from(number * 131 % 1_000)));
            child.kill().unwrap();
            if child.wait().unwrap().success() {
                // The machine has become quicker: kills must not all come too late.
                takes = takes * 3 / 4;
            } else {
                killed += 1;
                in_staging += u32::from(place.staging.join("staging.json").exists());
            }
            if let Ok(dataset) = Dataset::open(&place.store) {
                assert_eq!(dataset.as_of(), BEGIN, "what is live is whole");
            }
        }
        assert!(start(&rig, &place).wait().unwrap().success(), "round {round} does not go on");
        assert_same(&place.dataset(), &expected, &format!("round {round}"));
    }
    assert!(killed > KILLS / 2 && in_staging > KILLS / 4, "{killed} were killed, {in_staging} with something staged");
}

#[test]
fn what_a_power_cut_took_is_read_again() {
    let rig = Rig::new();
    let whole = rig.place("whole");
    assert_complete(&rig.sync(&whole), "no cut");
    let expected = whole.dataset();
    let last = fs::read_dir(&whole.staging)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "seg"))
        .max()
        .unwrap();
    let length = fs::metadata(&last).unwrap().len();
    for cut in 0..CUTS {
        let place = rig.place(&format!("cut {cut}"));
        copy(&whole.staging, &place.staging);
        let at = length * cut / CUTS + (cut * 7_919) % 611;
        let segment = place.staging.join(last.file_name().unwrap());
        fs::File::options().write(true).open(&segment).unwrap().set_len(at.min(length - 1)).unwrap();
        assert_complete(&rig.sync(&place), &format!("cut at {at} of {length}"));
        assert_same(&place.dataset(), &expected, &format!("cut at {at} of {length}"));
    }
}
