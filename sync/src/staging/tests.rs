mod faults;
mod indexes;

use std::fs;
use std::io::Write;
use std::path::Path;

use coverdex_core::ErrorKind;
use tempfile::TempDir;

use super::*;

const SOURCE: &str = "https://fhir.example.test/api";

/// A folder in memory where the system has a place for that: these tests tell the disk to keep things thousands of times.
fn scratch() -> TempDir {
    let memory = Path::new("/dev/shm");
    let made = if memory.is_dir() { TempDir::new_in(memory) } else { TempDir::new() };
    made.or_else(|_| TempDir::new()).unwrap()
}

fn pass(query: &str, generation: u32, attempt: u32) -> Pass {
    Pass { query: query.to_owned(), generation, attempt }
}

fn page(pass: &Pass, number: u32) -> PageHeader {
    PageHeader {
        pass: pass.clone(),
        number,
        url: format!("{}?page={number}", pass.query),
        resource_type: pass.query.clone(),
        purpose: Purpose::Search,
        status: 200,
        next: Some(format!("https://fhir.example.test/api?ct={number}")),
        etag: None,
        second: 0,
        entries: 10,
        repeated: 0,
        unreadable: 0,
        flaw: None,
        total: None,
        fingerprint: u64::from(number),
        same_as: None,
    }
}

fn end(pass: &Pass, complete: bool) -> PassEnd {
    let reason = (!complete).then(|| "the server is gone".to_owned());
    PassEnd { pass: pass.clone(), complete, reason, resumable: !complete, entries: 10 }
}

/// Bodies that zstd cannot shrink to nothing, so that records have different lengths.
fn body(seed: u64) -> Vec<u8> {
    let mut x = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
    let len = 200 + usize::try_from(x % 300).unwrap();
    (0..len)
        .map(|_| {
            x ^= x << 13;
            x ^= x >> 7;
            x ^= x << 17;
            b"abcdefghijklmnopqrstuvwxyz{}\":,0"[usize::try_from(x % 32).unwrap()]
        })
        .collect()
}

fn urls_and_bodies(folder: &Path) -> Vec<(String, Vec<u8>)> {
    Staging::open(folder).unwrap().pages().map(|p| p.unwrap()).map(|p| (p.request.url, p.body)).collect()
}

/// Twelve pages of one query over several segments; the pages' urls and bodies.
fn fill(folder: &Path) -> Vec<(String, Vec<u8>)> {
    let mut writer = StagingWriter::open(folder, SOURCE).unwrap();
    writer.begin("2026-07-01T00:00:00Z", "everything", false).unwrap();
    let pass = pass("Location", 1, 0);
    for number in 0..12 {
        writer.page(page(&pass, number), &body(number.into())).unwrap();
    }
    (0..12u32).map(|n| (format!("Location?page={n}"), body(n.into()))).collect()
}

#[test]
fn pages_come_back_as_they_were_written() {
    let folder = scratch();
    assert!(!is_staging(folder.path()));
    let written = fill(folder.path());
    assert!(is_staging(folder.path()));
    assert!(segment::list(folder.path()).unwrap().len() > 2, "the pages fill several segments");
    let staging = Staging::open(folder.path()).unwrap();
    assert_eq!(staging.source(), SOURCE);
    assert_eq!(staging.as_of(), Some("2026-07-01T00:00:00Z"));
    assert_eq!(urls_and_bodies(folder.path()), written);
    let headers: Vec<_> = staging.live_headers(|_| true).map(|p| p.unwrap()).collect();
    assert_eq!(headers.len(), 12);
    assert!(headers.iter().all(|(_, _, body)| body.is_empty()));
    let some = staging.live_pages(|h| h.number % 5 == 0).map(|p| p.unwrap().0.number).collect::<Vec<_>>();
    assert_eq!(some, [0, 5, 10]);
}

#[test]
fn a_folder_cut_off_anywhere_loses_at_most_what_was_cut_and_goes_on() {
    let folder = scratch();
    let written = fill(folder.path());
    let segments = segment::list(folder.path()).unwrap();
    let last = segments.last().unwrap().path.clone();
    let whole = fs::read(&last).unwrap();
    let before = {
        fs::remove_file(&last).unwrap();
        let before = urls_and_bodies(folder.path()).len();
        assert!(before < 12);
        before
    };
    for cut in (0..=whole.len()).step_by(3) {
        // Cut off, and as a power cut may leave it: the right length, with zeros at the end.
        for zeros in [0, whole.len() - cut] {
            fs::write(&last, [&whole[..cut], &vec![0; zeros]].concat()).unwrap();
            let read = urls_and_bodies(folder.path());
            assert_eq!(read, written[..read.len()], "cut at {cut}");
            assert!(read.len() >= before);
            let mut writer = StagingWriter::open(folder.path(), SOURCE).unwrap();
            let done = read.len();
            let state = writer.state("Location").unwrap();
            assert_eq!(state.pages as usize, done);
            assert_eq!(state.next.as_deref(), Some(format!("https://fhir.example.test/api?ct={}", done - 1).as_str()));
            let pass = state.pass.clone();
            for number in done..12 {
                let number = u32::try_from(number).unwrap();
                writer.page(page(&pass, number), &body(number.into())).unwrap();
            }
            drop(writer);
            assert_eq!(urls_and_bodies(folder.path()), written, "cut at {cut}");
            // The next round begins from the same segments.
            for segment in segment::list(folder.path()).unwrap() {
                if segment.path > last {
                    fs::remove_file(segment.path).unwrap();
                }
            }
        }
    }
}

#[test]
fn damage_inside_is_told_and_not_cut_off() {
    let folder = scratch();
    fill(folder.path());
    let segments = segment::list(folder.path()).unwrap();
    for (segment, is_last) in [(&segments[0], false), (segments.last().unwrap(), true)] {
        let whole = fs::read(&segment.path).unwrap();
        let last_record = {
            let mut walk = segment::Walk::open(segment, &files::Files::default()).unwrap();
            let mut at = 0;
            while let segment::Step::Record(place, _) = walk.step().unwrap() {
                at = usize::try_from(place.offset).unwrap();
            }
            at
        };
        for position in 0..whole.len() {
            if is_last && position >= last_record {
                break; // a bad last record is a torn tail
            }
            let mut changed = whole.clone();
            changed[position] ^= 0x10;
            fs::write(&segment.path, &changed).unwrap();
            let read = Staging::open(folder.path()).and_then(|s| s.pages().collect::<Result<Vec<_>>>());
            let error = read.expect_err(&format!("byte {position} of {}", segment.path.display()));
            assert_eq!(error.kind(), ErrorKind::DatasetDamaged);
            if is_last {
                let error =
                    StagingWriter::open(folder.path(), SOURCE).expect_err("a writer does not cut good pages off");
                assert_eq!(error.kind(), ErrorKind::DatasetDamaged);
            }
        }
        fs::write(&segment.path, &whole).unwrap();
    }
    fs::remove_file(&segments[0].path).unwrap();
    let error = Staging::open(folder.path()).unwrap_err();
    assert_eq!((error.kind(), error.message()), (ErrorKind::DatasetDamaged, "the segment is missing"));
}

#[test]
fn one_writer_at_a_time() {
    let folder = scratch();
    let writer = StagingWriter::open(folder.path(), SOURCE).unwrap();
    let error = StagingWriter::open(folder.path(), SOURCE).unwrap_err();
    assert_eq!((error.kind(), error.message()), (ErrorKind::Sync, "another sync holds this staging folder"));
    assert!(Staging::open(folder.path()).is_ok(), "readers need no lock");
    drop(writer);
    StagingWriter::open(folder.path(), SOURCE).unwrap();
}

#[test]
fn other_folders_are_refused() {
    let folder = scratch();
    let error = Staging::open(folder.path()).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::DatasetMissing);
    fs::write(folder.path().join("letter.txt"), "dear").unwrap();
    let error = StagingWriter::open(folder.path(), SOURCE).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidInput);
    assert!(error.message().contains("letter.txt"));

    let folder = scratch();
    drop(StagingWriter::open(folder.path(), SOURCE).unwrap());
    let error = StagingWriter::open(folder.path(), "https://other.example.test/api").unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidInput);
    assert!(error.message().contains("fhir.example.test"));

    let marker = folder.path().join(MARKER);
    fs::write(&marker, r#"{"format":"coverdex-staging","version":99,"source":"x"}"#).unwrap();
    assert!(is_staging(folder.path()));
    assert_eq!(Staging::open(folder.path()).unwrap_err().kind(), ErrorKind::DatasetTooNew);
    fs::write(&marker, r#"{"format":"other"}"#).unwrap();
    assert_eq!(Staging::open(folder.path()).unwrap_err().kind(), ErrorKind::DatasetDamaged);

    let folder = scratch();
    drop(StagingWriter::open(folder.path(), SOURCE).unwrap());
    let first = segment::list(folder.path()).unwrap()[0].path.clone();
    fs::File::create(&first).unwrap().write_all(b"a quite different file").unwrap();
    assert_eq!(Staging::open(folder.path()).unwrap_err().message(), "this is no segment of a staging folder");
}

/// Which pages are live, as `query generation.attempt/number`.
fn live(writer: &StagingWriter) -> Vec<String> {
    let staging = writer.snapshot().unwrap();
    let mut live: Vec<_> = staging
        .live_headers(|_| true)
        .map(|p| p.unwrap().0)
        .map(|h| format!("{} {}.{}/{}", h.pass.query, h.pass.generation, h.pass.attempt, h.number))
        .collect();
    live.sort();
    live
}

#[test]
fn only_a_complete_pass_takes_the_place_of_an_earlier_one() {
    let folder = scratch();
    let mut writer = StagingWriter::open(folder.path(), SOURCE).unwrap();
    let write = |writer: &mut StagingWriter, pass: &Pass, pages: u32| {
        for number in 0..pages {
            writer.page(page(pass, number), &body(number.into())).unwrap();
        }
    };
    writer.begin("2026-07-01T00:00:00Z", "everything", false).unwrap();
    write(&mut writer, &pass("List", 1, 0), 2);
    // A restart: until it is complete, both attempts hold.
    write(&mut writer, &pass("List", 1, 1), 1);
    assert_eq!(live(&writer), ["List 1.0/0", "List 1.0/1", "List 1.1/0"]);
    writer.end(end(&pass("List", 1, 1), true)).unwrap();
    assert_eq!(live(&writer), ["List 1.1/0"]);
    write(&mut writer, &pass("Location", 1, 0), 1);
    writer.end(end(&pass("Location", 1, 0), true)).unwrap();
    writer
        .finish(Finish {
            generation: 1,
            complete: true,
            incomplete: std::collections::BTreeMap::new(),
            tags: std::collections::BTreeMap::new(),
            oldest_live: 1,
            oldest_of: std::collections::BTreeMap::new(),
        })
        .unwrap();

    assert_eq!(writer.begin("2026-08-01T00:00:00Z", "everything", false).unwrap(), 2);
    assert_eq!(writer.former("List").unwrap().pass, pass("List", 1, 1));
    assert_eq!(writer.state("List"), None, "each generation begins anew");
    write(&mut writer, &pass("List", 2, 0), 1);
    writer.end(end(&pass("List", 2, 0), false)).unwrap();
    assert_eq!(live(&writer), ["List 1.1/0", "List 2.0/0", "Location 1.0/0"], "a failed pass removes nothing");
    assert_eq!(writer.snapshot().unwrap().as_of(), Some("2026-07-01T00:00:00Z"), "not all of it is newer");

    // The same through the folder, as after a crash.
    drop(writer);
    let mut writer = StagingWriter::open(folder.path(), SOURCE).unwrap();
    assert_eq!(writer.generation().unwrap().0.generation, 2);
    assert_eq!(writer.former("List").unwrap().pass, pass("List", 1, 1));
    assert!(writer.state("List").unwrap().end.as_ref().unwrap().resumable);
    write(&mut writer, &pass("List", 2, 1), 1);
    writer.end(end(&pass("List", 2, 1), true)).unwrap();
    assert_eq!(live(&writer), ["List 2.1/0", "Location 1.0/0"]);
    // A complete generation: what it did not see again is gone.
    writer
        .finish(Finish {
            generation: 2,
            complete: true,
            incomplete: std::collections::BTreeMap::new(),
            tags: std::collections::BTreeMap::new(),
            oldest_live: 2,
            oldest_of: std::collections::BTreeMap::new(),
        })
        .unwrap();
    assert_eq!(live(&writer), ["List 2.1/0"]);
    assert_eq!(writer.snapshot().unwrap().as_of(), Some("2026-08-01T00:00:00Z"));
}

#[test]
fn an_unchanged_page_keeps_the_former_body() {
    let folder = scratch();
    let mut writer = StagingWriter::open(folder.path(), SOURCE).unwrap();
    writer.begin("2026-07-01T00:00:00Z", "everything", false).unwrap();
    let mut places = Vec::new();
    for number in 0..12 {
        places.push(writer.page(page(&pass("List", 1, 0), number), &body(number.into())).unwrap());
    }
    writer.end(end(&pass("List", 1, 0), true)).unwrap();
    writer.begin("2026-08-01T00:00:00Z", "everything", false).unwrap();
    let again = pass("List", 2, 0);
    for number in [3, 11, 4] {
        let same_as = Some(places[number as usize]);
        writer.page(PageHeader { same_as, status: 304, ..page(&again, number) }, &[]).unwrap();
    }
    writer.page(page(&again, 99), &body(99)).unwrap();
    writer.end(end(&again, true)).unwrap();
    drop(writer);
    let read = urls_and_bodies(folder.path());
    let expected = [3u32, 11, 4, 99].map(|n| (format!("List?page={n}"), body(n.into())));
    assert_eq!(read, expected);
}

#[test]
fn what_grows_after_opening_is_not_seen() {
    let folder = scratch();
    let mut writer = StagingWriter::open(folder.path(), SOURCE).unwrap();
    writer.begin("2026-07-01T00:00:00Z", "everything", false).unwrap();
    let location = pass("Location", 1, 0);
    writer.page(page(&location, 0), &body(0)).unwrap();
    let (opened, snapshot) = (Staging::open(folder.path()).unwrap(), writer.snapshot().unwrap());
    for number in 1..9 {
        writer.page(page(&location, number), &body(number.into())).unwrap();
    }
    assert_eq!(opened.pages().count(), 1);
    assert_eq!(snapshot.pages().count(), 1);
    assert_eq!(writer.snapshot().unwrap().pages().count(), 9);
}

#[test]
fn what_is_no_staging_folder_is_named() {
    let folder = scratch();
    fs::write(folder.path().join(MARKER), r#"{"format":"other"}"#).unwrap();
    assert!(!is_staging(folder.path()));
    let file = folder.path().join("file");
    fs::write(&file, "").unwrap();
    let error = StagingWriter::open(&file, SOURCE).err().unwrap();
    assert!(error.message() == "a file, not a folder" && error.hint().unwrap().contains("staging"), "{error}");
    let staging = folder.path().join("staging");
    assert!(!is_staging(&staging));
    fill(&staging);
    // Without its marker, or with a damaged one, it is still no folder of something else.
    fs::write(staging.join(MARKER), "{").unwrap();
    assert!(is_staging(&staging));
    assert_eq!(Staging::open(&staging).unwrap_err().kind(), ErrorKind::DatasetDamaged);
    fs::remove_file(staging.join(MARKER)).unwrap();
    assert!(is_staging(&staging));
    let error = Staging::open(&staging).unwrap_err();
    assert!(error.subject().ends_with(MARKER) && error.message() == "it is missing", "{error}");
}
