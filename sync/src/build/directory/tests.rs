//! The directory's build and search, against a model that knows the truth the resources were
//! written from and looks at every practice location.

mod at;
mod cases;
mod identity;
mod naive;
mod placing;
mod versions;
pub(super) mod world;

use std::path::Path;

use coverdex_core::build::format::Checksums;
use coverdex_core::build::providers::Directory;
use coverdex_core::build::providers::layout::{DIRECTORY_FILE, section};
use coverdex_core::{Cancel, ErrorKind};
use coverdex_core::{Near, ProviderSearch};
use tempfile::TempDir;

use super::{Around, Collector, Heard, build};
use crate::build::report::Report;
use crate::build::seal::hash_files;
use crate::geography::Gazetteer;
use crate::model::{Day, Received, ResourceKind};
use crate::source::ByKey;
use world::{Random, World};

/// The day on which the made-up data was read: 2026-01-31.
pub(super) const TODAY: Day = 20_484;

/// A directory built of resources, open.
struct Made {
    directory: Directory,
    report: Report,
    folder: TempDir,
}

impl Made {
    fn of(resources: &[Received]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let collector = Collector::new(folder.path());
        for batch in resources.chunks(7) {
            collector.take(batch).unwrap();
        }
        let mut report = Report::default();
        let around = Around { gazetteer: Gazetteer::get(), gaps: &ByKey::default(), today: TODAY };
        build(Heard::of(collector).unwrap(), &around, folder.path(), &mut report).unwrap().unwrap();
        Self { directory: open(folder.path()), report, folder }
    }

    fn file(&self, name: &str) -> Vec<u8> {
        std::fs::read(self.folder.path().join("providers").join(name)).unwrap()
    }
}

fn open(folder: &Path) -> Directory {
    Directory::open(folder, &checksums(folder)).unwrap()
}

/// The checksums of the files as they are.
fn checksums(folder: &Path) -> Checksums {
    Checksums::of_files(hash_files(folder).unwrap().into_iter().map(|(entry, blocks)| (entry.path, blocks)))
}

#[test]
fn searches_agree_with_a_model_that_looks_at_everything() {
    for seed in 1..=12 {
        let world = World::random(seed);
        let made = Made::of(&world.resources());
        made.directory.check().unwrap();
        let mut random = Random(seed ^ 0x5eed);
        let mut found_some = 0;
        for round in 0..250 {
            let search = world.search(&mut random);
            let want = naive::search(&world, &search);
            let what = format!("seed {seed}, round {round}: {search:#?}");
            let whole = ProviderSearch { limit: usize::MAX, offset: 0, ..search.clone() };
            match made.directory.search(&whole, &Cancel::new()) {
                Ok(found) => {
                    let got: Vec<naive::Line> = found.results.iter().map(naive::Line::of).collect();
                    naive::assert_equal(&got, &want.lines, &what);
                    assert_eq!(
                        (found.total, found.place_not_stated, found.in_doubt),
                        (want.total, want.not_stated, 0),
                        "{what}"
                    );
                    let page = made.directory.search(&search, &Cancel::new()).unwrap();
                    let part = found.results.iter().skip(search.offset).take(search.limit);
                    assert!(page.results.iter().eq(part), "{what}");
                    assert_eq!(page.total, want.total, "{what}");
                    let numbers = ProviderSearch { limit: 0, offset: 0, ..search.clone() };
                    let numbers = made.directory.search(&numbers, &Cancel::new()).unwrap();
                    assert_eq!((numbers.total, numbers.place_not_stated), (want.total, want.not_stated), "{what}");
                    found_some += usize::from(!got.is_empty());
                }
                Err(error) => {
                    assert_eq!(error.kind(), ErrorKind::NotFound, "{error}");
                    assert_eq!(want.total, 0, "seed {seed}, round {round}: {error}: {search:#?}");
                }
            }
        }
        assert!(found_some > 60, "seed {seed}: {found_some} searches found anything");
    }
}

/// Alters a byte of a section, and its checksum too, as a builder that errs would write it.
fn falsify(file: &mut [u8], section: &str, at: usize) {
    let word =
        |file: &[u8], at: usize| usize::try_from(u64::from_le_bytes(*file[at..].first_chunk().unwrap())).unwrap();
    let end = file.len() - 32;
    let list = word(file, end);
    let entry = (list..end).step_by(48).find(|entry| {
        let name: Vec<u8> = file[*entry..entry + 24].iter().copied().take_while(|byte| *byte != 0).collect();
        name == section.as_bytes()
    });
    let entry = entry.unwrap();
    let (offset, length) = (word(file, entry + 32), word(file, entry + 40));
    file[offset + at % length] ^= 1;
}

#[test]
fn what_is_derived_and_differs_is_found() {
    let made = Made::of(&World::random(3).resources());
    let path = made.folder.path().join("providers").join(DIRECTORY_FILE);
    let whole = std::fs::read(&path).unwrap();
    for section in [section::ROW_NETWORKS, section::ROW_NETWORK_SET, section::BLOCK_ROWS, section::LIST_NETWORKS] {
        for at in [0, 7, 100] {
            let mut altered = whole.clone();
            falsify(&mut altered, section, at);
            std::fs::write(&path, &altered).unwrap();
            let folder = made.folder.path();
            let checked = Directory::open(folder, &checksums(folder)).and_then(|opened| opened.check());
            assert_eq!(checked.unwrap_err().kind(), ErrorKind::DatasetDamaged, "{section}, byte {at}");
        }
    }
}

#[test]
fn pages_join() {
    let world = World::random(77);
    let made = Made::of(&world.resources());
    let mut random = Random(7);
    for _ in 0..20 {
        let search = ProviderSearch { offset: 0, limit: usize::MAX, ..world.search(&mut random) };
        let Ok(whole) = made.directory.search(&search, &Cancel::new()) else { continue };
        let mut joined = Vec::new();
        for offset in (0..whole.results.len() + 3).step_by(3) {
            let page = ProviderSearch { offset, limit: 3, ..search.clone() };
            joined.extend(made.directory.search(&page, &Cancel::new()).unwrap().results);
        }
        assert_eq!(joined, whole.results);
        assert_eq!(whole.total, whole.results.len() as u64);
    }
}

#[test]
fn standing_in_networks_agrees_with_the_model() {
    for seed in 20..26 {
        let world = World::random(seed);
        let made = Made::of(&world.resources());
        for person in 0..world.persons.len() {
            for npi in world.persons[person].npis.clone() {
                let provider = made.provider(npi).unwrap().unwrap();
                assert_eq!(provider.npi, world.persons[person].npis.iter().min().copied());
                for network in 0..world.networks.len() {
                    let key = world.networks[network].key.clone();
                    let answer = made.network_status(npi, &[key], None).unwrap();
                    let want = naive::status(&world, person, network);
                    assert_eq!(
                        (answer.status, answer.inactive),
                        want,
                        "seed {seed}, {npi}, network {network}: {:?}",
                        answer.reason
                    );
                }
            }
        }
    }
}

#[test]
fn the_bytes_depend_on_the_set_of_resources_alone() {
    let world = World::random(5);
    let mut resources = world.resources();
    let first = Made::of(&resources);
    let mut random = Random(99);
    for _ in 0..3 {
        for at in (1..resources.len()).rev() {
            resources.swap(at, random.below(at + 1));
        }
        let again = resources.len() / 3;
        resources.extend_from_within(..again);
        let other = Made::of(&resources);
        assert_eq!(other.report, first.report);
        for entry in std::fs::read_dir(first.folder.path().join("providers")).unwrap() {
            let name = entry.unwrap().file_name().into_string().unwrap();
            assert!(other.file(&name) == first.file(&name), "{name} differs");
        }
        resources.truncate(resources.len() - again);
    }
}

#[test]
fn every_resource_is_counted_once() {
    let world = World::random(31);
    let resources = world.resources();
    let made = Made::of(&resources);
    for kind in [ResourceKind::Role, ResourceKind::Individual, ResourceKind::Organization, ResourceKind::Place] {
        let mut came: Vec<_> = resources.iter().filter(|r| r.kind == kind).map(|r| r.source).collect();
        came.sort();
        came.dedup();
        let (_, counts) = made.report.types().find(|(of, _)| *of == kind).unwrap();
        let others: u64 = counts.reasons().iter().flat_map(|(_, reasons)| reasons.values()).sum();
        assert_eq!(counts.received, came.len() as u64, "{kind:?}");
        assert_eq!(counts.used + others, counts.received, "{kind:?}");
    }
}

#[test]
fn altered_bytes_under_their_own_checksums_are_never_panics() {
    let world = World::random(3);
    let made = Made::of(&world.resources());
    let folder = made.folder.path();
    let whole = made.file("directory.bin");
    let path = made.folder.path().join("providers").join("directory.bin");
    let mut random = Random(1);
    let mut noticed = 0;
    for _ in 0..1_500 {
        let mut altered = whole.clone();
        for _ in 0..=random.below(3) {
            let at = random.below(altered.len());
            altered[at] = if random.below(2) == 0 { 0xff } else { altered[at] ^ (1 << random.below(8)) };
        }
        std::fs::write(&path, &altered).unwrap();
        let Ok(directory) = Directory::open(folder, &checksums(folder)) else {
            noticed += 1;
            continue;
        };
        let mut failed = altered == whole;
        for _ in 0..4 {
            let search = ProviderSearch { limit: 50, ..world.search(&mut random) };
            failed |= directory.search(&search, &Cancel::new()).is_err();
        }
        let everything = ProviderSearch { near: Near::Anywhere, limit: 500, ..ProviderSearch::default() };
        failed |= directory.search(&everything, &Cancel::new()).is_err();
        for person in &world.persons {
            for npi in &person.npis {
                failed |= directory.provider(*npi, &Cancel::new()).is_err();
                failed |=
                    directory.network_status(*npi, &[world.networks[0].key.clone()], None, &Cancel::new()).is_err();
            }
        }
        noticed += usize::from(failed);
        let _ = directory.check();
    }
    assert!(noticed > 100, "{noticed}");
}
