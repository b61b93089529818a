//! The store that a sync builds into: usable before anything is asked for, and one payer's.

use std::fs::{self, File};
use std::sync::Arc;

use coverdex_core::{ErrorKind, Store};
use coverdex_sandbox::ResourceType;
use coverdex_sandbox::server::Options;
use coverdex_sync::fetch::{self, Clock, Network, Settings, Stop};
use coverdex_sync::update::{FromStaging, Synced, sync_and_build};
use coverdex_tests::dataset::scratch;

use super::again::payer;
use super::{PAYER, Place, Rig, assert_complete, assert_same};

impl Rig {
    fn sync_from(&self, place: &Place, from: &FromStaging<'_>) -> coverdex_core::Result<Synced> {
        self.sync_at(&self.running.api_url(), place, from)
    }

    /// A sync of an address as it is typed.
    fn sync_at(&self, base: &str, place: &Place, from: &FromStaging<'_>) -> coverdex_core::Result<Synced> {
        let config = Settings { base_url: Some(base.to_owned()), ..self.settings() }.check().unwrap();
        let network = Arc::new(Network::new(&config).unwrap());
        let clock = Arc::clone(&self.time) as Arc<dyn Clock>;
        let options = fetch::Options { full: true, ..place.options() };
        sync_and_build(config, &options, &place.store, from, network, clock, Arc::new(|_| ()), Stop::default())
    }
}

fn named(name: &str) -> FromStaging<'_> {
    FromStaging { payer: Some(name), ..FromStaging::default() }
}

/// A store's place with a staging folder of its own.
fn staged_apart(place: &Place, name: &str) -> Place {
    Place { staging: place.staging.with_file_name(name), store: place.store.clone() }
}

fn refused(result: coverdex_core::Result<Synced>, origin: &str) {
    let error = result.err().unwrap();
    assert_eq!(error.kind(), ErrorKind::InvalidInput, "{error}");
    assert!(error.message().contains(origin), "{error}");
    assert!(error.hint().is_some_and(|hint| hint.contains("other-payer")), "{error:?}");
}

fn of_two_roles_one(kind: ResourceType, index: u64) -> bool {
    kind != ResourceType::PractitionerRole || index.is_multiple_of(2)
}

#[test]
fn one_payers_dataset_is_not_replaced_by_anothers_unless_told() {
    let (first, second) = (Rig::new(), Rig::of(payer(of_two_roles_one), Options::default()));
    let place = first.place("two payers");
    assert_complete(&first.sync(&place), "first");
    let before = place.stored();
    let other = staged_apart(&place, "other-staging");
    // Also under the same name: it is the address that counts.
    refused(second.sync_from(&other, &named(PAYER)), &first.running.api_url());
    assert_eq!(second.running.requests().total, 0, "nothing was asked for");
    assert_same(&place.stored(), &before, "refused");
    assert!(!other.staging.exists());
    // Half of what was there would be too little of the same payer.
    let told = FromStaging { other_payer: true, ..named(PAYER) };
    assert_complete(&second.sync_from(&other, &told).unwrap(), "told");
    refused(first.sync_from(&place, &named(PAYER)), &second.running.api_url());
    assert_complete(&second.sync_from(&other, &named(PAYER)).unwrap(), "its own since");
}

#[test]
fn one_address_may_be_spelt_in_many_ways() {
    let rig = Rig::new();
    let place = rig.place("spellings");
    assert_complete(&rig.sync(&place), "first");
    let address = rig.running.api_url();
    for spelling in
        [address.trim_end_matches("/api").to_owned(), format!("{address}/"), address.replace("http", "HTTP")]
    {
        let again = staged_apart(&place, &format!("staging-{}", spelling.len()));
        assert_complete(&rig.sync_at(&spelling, &again, &named(PAYER)).unwrap(), &spelling);
    }
    let elsewhere = format!("{}/fhir", address.trim_end_matches("/api"));
    refused(rig.sync_at(&elsewhere, &staged_apart(&place, "elsewhere"), &named(PAYER)), &address);
}

/// A dataset of files names no address: it is the payer's if it has the payer's name.
#[test]
fn a_dataset_of_files_is_of_the_payer_that_it_names() {
    let rig = Rig::new();
    let place = rig.place("files");
    assert_complete(&rig.sync(&place), "first");
    let live = Store::open(&place.store).unwrap().live().unwrap();
    fs::remove_file(live.join(super::CRAWL)).unwrap();
    refused(rig.sync_from(&place, &named("Somebody Else")), PAYER);
    refused(rig.sync_from(&place, &FromStaging::default()), PAYER);
    assert_complete(&rig.sync_from(&place, &named(PAYER)).unwrap(), "named");
}

#[test]
fn a_damaged_dataset_is_replaced_without_a_question() {
    let (first, second) = (Rig::new(), Rig::new());
    let place = first.place("damaged");
    assert_complete(&first.sync(&place), "first");
    let live = Store::open(&place.store).unwrap().live().unwrap();
    fs::write(live.join(super::DATABASE), b"nothing").unwrap();
    assert_complete(&second.sync_from(&staged_apart(&place, "other"), &named(PAYER)).unwrap(), "second");
}

#[test]
fn a_store_that_cannot_be_written_to_is_found_before_anything_is_asked_for() {
    let rig = Rig::new();
    let place = rig.place("unusable");
    assert_complete(&rig.sync(&place), "first");
    let asked = rig.running.requests().total;
    let lock = place.store.join(".lock");
    let held = File::options().write(true).open(&lock).unwrap();
    held.lock().unwrap();
    let error = rig.try_sync(&place, &place.options()).err().unwrap();
    assert!(error.message().contains("another build or install"), "{error}");
    drop(held);
    fs::remove_file(&lock).unwrap();
    fs::create_dir(&lock).unwrap();
    let error = rig.try_sync(&place, &place.options()).err().unwrap();
    assert_eq!(error.subject(), lock.display().to_string(), "{error}");
    assert_eq!(rig.running.requests().total, asked, "nothing was asked for");
    fs::remove_dir(&lock).unwrap();
    assert_complete(&rig.sync(&place), "mended");
}

/// A child that the host begins shares a lock until its program runs.
#[test]
fn a_lock_that_is_held_for_a_moment_is_waited_for() {
    let folder = scratch();
    let store = Store::open_or_create(folder.path().join("store")).unwrap();
    let lock = File::create(store.path().join(".lock")).unwrap();
    lock.lock().unwrap();
    std::thread::scope(|scope| {
        scope.spawn(|| {
            std::thread::sleep(std::time::Duration::from_millis(60));
            lock.unlock().unwrap();
        });
        store.try_write().unwrap();
    });
}
