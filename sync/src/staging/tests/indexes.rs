//! The index says what a walk over all records says, whatever becomes of its files.

use std::collections::{BTreeMap, BTreeSet};

use super::*;
use crate::staging::files::Files;

/// A folder of three generations with all that a sync writes, its passes side by side.
fn various(folder: &Path) {
    let mut writer = StagingWriter::open(folder, SOURCE).unwrap();
    let mut draw = 7_u64;
    let mut next = || {
        draw = draw.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        draw >> 33
    };
    for generation in 1..=3 {
        writer.begin("2026-07-01T00:00:00Z", "everything", false).unwrap();
        let mut numbers: BTreeMap<Pass, u32> = BTreeMap::new();
        let mut passes: Vec<_> =
            ["List", "Location", "Location/*", "Medication"].map(|of| pass(of, generation, 0)).into();
        for _ in 0..60 {
            let at = usize::try_from(next()).unwrap() % passes.len();
            let of = passes[at].clone();
            match next() % 12 {
                0 => passes[at].attempt += 1,
                1 => writer.end(end(&of, next() % 2 == 0)).unwrap(),
                draw => {
                    let number = numbers.entry(of.clone()).or_default();
                    let by_id = of.query.ends_with("/*");
                    let header = PageHeader {
                        purpose: if by_id { Purpose::ById } else { Purpose::Search },
                        resource_type: of.query.trim_end_matches("/*").to_owned(),
                        entries: u32::from(draw != 2),
                        total: (draw == 3).then_some(draw),
                        flaw: (draw == 4).then(|| format!("flaw {number}")),
                        second: i64::from(*number) + 7,
                        ..page(&of, *number)
                    };
                    *number += 1;
                    writer.page(header, if draw == 2 { b"" } else { b"{}" }).unwrap();
                }
            }
        }
        let incomplete = BTreeMap::new();
        let oldest_live = if generation == 2 { 2 } else { 1 };
        writer
            .finish(Finish {
                generation,
                complete: true,
                incomplete,
                tags: BTreeMap::new(),
                oldest_live,
                oldest_of: BTreeMap::new(),
            })
            .unwrap();
    }
}

/// What a folder answers to several questions.
fn answers(staging: &Staging) -> Vec<Vec<String>> {
    let headers = |pages: LivePages<'_>| pages.map(|page| format!("{:?}", page.unwrap())).collect::<Vec<_>>();
    let mut answers = vec![headers(staging.live_pages(|_| true))];
    for of_type in ["List", "Location", "Medication", "Organization"] {
        answers.push(headers(staging.live_pages_of(move |group| group.resource_type == of_type, |_| true)));
        answers.push(headers(
            staging.live_headers_of(move |group| group.resource_type == of_type && group.empty, |_| true),
        ));
        let places = staging.places(move |group| group.resource_type == of_type);
        answers.push(places.map(|place| format!("{:?}", staging.page_at(place.unwrap()).unwrap())).collect());
    }
    let mut sums: BTreeMap<String, [u64; 4]> = BTreeMap::new();
    for (group, of) in staging.groups() {
        let sums = sums.entry(format!("{group:?}")).or_default();
        *sums = [sums[0] + of.pages, sums[1] + of.entries, sums[2] + of.unreadable, sums[3].max(of.total.unwrap_or(0))];
    }
    answers.push(sums.iter().map(|sums| format!("{sums:?}")).collect());
    answers.push(vec![format!("{:?} {}", staging.live().ends, staging.live().last_second)]);
    answers
}

/// How far all passes have come. Where a complete one went on to is not asked.
fn states(writer: &StagingWriter) -> Vec<String> {
    let queries = ["List", "Location", "Location/*", "Medication"];
    let without_next = |state: &PassState| match &state.end {
        Some(end) if end.complete => PassState { next: None, ..state.clone() },
        _ => state.clone(),
    };
    let newest = queries.map(|query| format!("{:?}", writer.state(query).map(without_next)));
    let former =
        queries.map(|query| format!("{:?}", writer.former(query).map(|of| PassState { next: None, ..of.clone() })));
    newest.into_iter().chain(former).collect()
}

fn indexes(folder: &Path) -> BTreeSet<std::path::PathBuf> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    entries.filter(|path| path.extension().is_some_and(|of| of == "idx")).collect()
}

#[test]
fn an_index_answers_as_a_walk_does() {
    let folder = scratch();
    various(folder.path());
    let made = indexes(folder.path());
    assert_eq!(made.len() + 1, segment::list(folder.path()).unwrap().len());
    assert!(made.len() > 10);
    let (with, of_writer) = {
        let writer = StagingWriter::open(folder.path(), SOURCE).unwrap();
        (answers(&Staging::open(folder.path()).unwrap()), states(&writer))
    };
    assert!(with[0].len() > 50 && with[1].len() > 5 && with[2].iter().any(|page| page.contains("entries: 0")));
    // As a folder of a former version: a reader walks and leaves it as it is, a writer makes them.
    for path in &made {
        fs::remove_file(path).unwrap();
    }
    assert_eq!(answers(&Staging::open(folder.path()).unwrap()), with);
    assert!(indexes(folder.path()).is_empty());
    let writer = StagingWriter::open(folder.path(), SOURCE).unwrap();
    assert_eq!(states(&writer), of_writer);
    assert_eq!(indexes(folder.path()), made);
    assert_eq!(answers(&writer.snapshot().unwrap()), with);
}

#[test]
fn a_writer_knows_its_passes_as_one_that_opens_the_folder() {
    let folder = scratch();
    let mut writer = StagingWriter::open(folder.path(), SOURCE).unwrap();
    for generation in 1..4 {
        writer.begin("2026-07-01T00:00:00Z", "everything", false).unwrap();
        for step in 0..40_u32 {
            let query = ["List", "Location", "Medication"][step as usize % 3];
            let of = pass(query, generation, step / 20);
            if step % 13 == 12 {
                writer.end(end(&of, step % 2 == 0)).unwrap();
            } else {
                writer.page(page(&of, step), &body(step.into())).unwrap();
            }
            if step % 7 == 0 {
                let before = states(&writer);
                drop(writer);
                writer = StagingWriter::open(folder.path(), SOURCE).unwrap();
                assert_eq!(states(&writer), before, "{generation} {step}");
            }
        }
    }
}

#[test]
fn an_index_that_does_not_fit_is_made_anew() {
    let folder = scratch();
    various(folder.path());
    let right = answers(&Staging::open(folder.path()).unwrap());
    let made: Vec<_> = indexes(folder.path()).into_iter().collect();
    let whole = fs::read(&made[3]).unwrap();
    let other = fs::read(&made[4]).unwrap();
    let mut wrong: Vec<Vec<u8>> = (0..whole.len()).step_by(11).map(|cut| whole[..cut].to_vec()).collect();
    wrong.extend((0..whole.len()).step_by(3).map(|at| {
        let mut changed = whole.clone();
        changed[at] ^= 0x10;
        changed
    }));
    wrong.push(other);
    wrong.push([whole.as_slice(), b"more"].concat());
    let places = |staging: &Staging| staging.places(|_| true).collect::<Result<Vec<_>>>().unwrap();
    let right_places = places(&Staging::open(folder.path()).unwrap());
    for (number, wrong) in wrong.iter().enumerate() {
        fs::write(&made[3], wrong).unwrap();
        assert_eq!(places(&Staging::open(folder.path()).unwrap()), right_places, "{number}");
        if number % 50 == 0 {
            let writer = StagingWriter::open(folder.path(), SOURCE).unwrap();
            assert_eq!(answers(&writer.snapshot().unwrap()), right, "{number}");
            assert_eq!(fs::read(&made[3]).unwrap(), whole, "it is mended");
        }
    }
    // Where no index can be kept, segments are walked over.
    for path in &made {
        fs::remove_file(path).unwrap();
        fs::create_dir(path).unwrap();
        fs::write(path.join("file"), "").unwrap();
    }
    let mut writer = StagingWriter::open(folder.path(), SOURCE).unwrap();
    assert_eq!(answers(&writer.snapshot().unwrap()), right);
    writer.begin("2026-07-01T00:00:00Z", "everything", false).unwrap();
}

#[test]
fn each_segment_is_opened_once_and_only_where_it_has_what_is_asked_for() {
    let folder = scratch();
    let mut writer = StagingWriter::open(folder.path(), SOURCE).unwrap();
    writer.begin("2026-07-01T00:00:00Z", "everything", false).unwrap();
    for query in ["List", "Location"] {
        for number in 0..12 {
            writer.page(page(&pass(query, 1, 0), number), &body(number.into())).unwrap();
        }
    }
    let count = segment::list(folder.path()).unwrap().len();
    assert!(count > 5);
    let staging = Staging::open(folder.path()).unwrap();
    // At open each segment and index is looked at; after that nothing is opened again.
    let before = staging.files().opened();
    for _ in 0..5 {
        assert_eq!(
            staging.live_pages_of(|group| group.resource_type == "List", |_| true).map(Result::unwrap).count(),
            12
        );
        assert_eq!(staging.pages().map(Result::unwrap).count(), 24);
    }
    assert_eq!(staging.files().opened(), before);
    let files = Files::default();
    let chosen = |group: &Group| group.resource_type == "List";
    let with_lists = staging.segments().iter().filter(|of| !index::offsets(of, &files, &chosen).unwrap().is_empty());
    assert!(with_lists.count() < count);
}
