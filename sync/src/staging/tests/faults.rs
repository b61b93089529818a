//! A disk that refuses at any moment, and a process that ends there.

use super::*;
use crate::staging::disk::{self, fault};
use crate::staging::segment::{Segment, damaged};

/// What a sync calls, one thing after the other.
#[derive(Clone, Copy, Debug)]
enum Call {
    Begin,
    Page(&'static str, u32),
    End(&'static str),
    Finish,
}

/// Two generations over several segments.
fn calls() -> Vec<Call> {
    let mut calls = Vec::new();
    for _ in 0..2 {
        calls.push(Call::Begin);
        for query in ["Location", "List"] {
            calls.extend((0..11).map(|number| Call::Page(query, number)));
            calls.push(Call::End(query));
        }
        calls.push(Call::Finish);
    }
    calls
}

impl Call {
    fn make(self, writer: &mut StagingWriter) -> Result<()> {
        let generation = writer.generation().map_or(0, |(begin, _)| begin.generation);
        match self {
            Self::Begin => writer.begin("2026-07-01T00:00:00Z", "everything", false).map(drop),
            Self::Page(query, number) => {
                writer.page(page(&pass(query, generation, 0), number), &body(number.into())).map(drop)
            }
            Self::End(query) => writer.end(end(&pass(query, generation, 0), true)),
            Self::Finish => {
                let incomplete = std::collections::BTreeMap::new();
                writer.finish(Finish {
                    generation,
                    complete: true,
                    incomplete,
                    tags: std::collections::BTreeMap::new(),
                    oldest_live: generation,
                    oldest_of: std::collections::BTreeMap::new(),
                })
            }
        }
    }
}

/// All pages of a folder, live or not, in their order: a generation that was begun twice counts once.
fn all(staging: &Staging) -> Vec<(String, u32)> {
    let mut all = Vec::new();
    for segment in staging.segments() {
        for offset in index::offsets(segment, staging.files(), &|_| true).unwrap() {
            let (page, read) = staging.page_at(Place { segment: segment.number, offset: offset.into() }).unwrap();
            assert_eq!(read, body(page.number.into()));
            all.push((page.pass.query, page.number));
        }
    }
    all
}

fn expected(calls: &[Call]) -> Vec<(String, u32)> {
    let page = |call: &Call| match call {
        Call::Page(query, number) => Some(((*query).to_owned(), *number)),
        _ => None,
    };
    calls.iter().filter_map(page).collect()
}

#[test]
#[allow(clippy::print_stdout, reason = "how much was tried is worth a line")]
fn a_disk_that_refuses_at_any_call_costs_nothing_that_was_written() {
    let calls = calls();
    let count = {
        let folder = scratch();
        fault::fail(0..0);
        let mut writer = StagingWriter::open(folder.path(), SOURCE).unwrap();
        for call in &calls {
            call.make(&mut writer).unwrap();
        }
        assert!(segment::list(folder.path()).unwrap().len() > 5);
        assert_eq!(all(&writer.snapshot().unwrap()), expected(&calls));
        fault::met()
    };
    assert!(count > 100, "{count}");
    let (mut refused, mut ended) = (0, 0);
    // Each call fails alone; from some on a few do, or all until the process ends.
    for from in 0..count {
        let lengths: &[u32] = if from % 4 == 0 { &[1, 7, u32::MAX] } else { &[1] };
        for length in lengths {
            for goes_on in [true, false] {
                let folder = scratch();
                fault::fail(from..from.saturating_add(*length));
                let mut writer = StagingWriter::open(folder.path(), SOURCE);
                for (number, call) in calls.iter().enumerate() {
                    for attempt in 0.. {
                        let made = match &mut writer {
                            Ok(writer) => call.make(writer),
                            Err(_) => Err(damaged(folder.path(), "not open")),
                        };
                        if made.is_ok() {
                            break;
                        }
                        refused += 1;
                        // What was written before is there, for any reader and in any process.
                        if attempt == 0 && is_staging(folder.path()) && folder.path().join(MARKER).exists() {
                            let read = all(&Staging::open(folder.path()).unwrap());
                            assert_eq!(read, expected(&calls[..number]), "{from} {length} {call:?}");
                            if let Ok(writer) = &writer {
                                assert_eq!(all(&writer.snapshot().unwrap()), read);
                            }
                        }
                        if attempt >= 3 {
                            fault::fail(0..0);
                        }
                        if !goes_on || writer.is_err() {
                            // The process ends here, and another goes on.
                            ended += 1;
                            drop(writer);
                            writer = StagingWriter::open(folder.path(), SOURCE);
                        }
                    }
                }
                fault::fail(0..0);
                let writer = writer.unwrap();
                assert_eq!(all(&writer.snapshot().unwrap()), expected(&calls), "{from} {length}");
                let states = ["Location", "List"].map(|query| writer.state(query).cloned().unwrap());
                drop(writer);
                assert_eq!(all(&Staging::open(folder.path()).unwrap()), expected(&calls), "{from} {length}");
                let writer = StagingWriter::open(folder.path(), SOURCE).unwrap();
                for mut state in states {
                    // Where a complete pass would go on is not read again.
                    state.next = None;
                    assert_eq!(writer.state(&state.pass.query), Some(&state));
                }
                for entry in fs::read_dir(folder.path()).unwrap() {
                    assert!(!entry.unwrap().file_name().to_string_lossy().starts_with(disk::UNFINISHED));
                }
            }
        }
    }
    println!("{count} calls to the disk, refused {refused} times, {ended} processes ended there: nothing was lost");
}

#[test]
fn a_process_that_ends_while_a_segment_begins_leaves_a_folder_that_goes_on() {
    let folder = scratch();
    let written = fill(folder.path());
    let next = segment::list(folder.path()).unwrap().len() + 1;
    let next = Segment::new(folder.path(), u32::try_from(next).unwrap()).path;
    // Empty, cut off, whole, and under the name it has before it is whole.
    let unfinished = folder.path().join(format!("{}{}", disk::UNFINISHED, segment::name(99)));
    for (path, bytes) in [(&next, 0), (&next, 5), (&next, 8), (&unfinished, 3)] {
        fs::write(path, &segment::MAGIC[..bytes]).unwrap();
        assert_eq!(urls_and_bodies(folder.path()), written);
        let mut writer = StagingWriter::open(folder.path(), SOURCE).unwrap();
        assert!(!unfinished.exists());
        assert_eq!(writer.state("Location").unwrap().pages, 12);
        writer.page(page(&pass("List", 1, 0), 0), &body(0)).unwrap();
        drop(writer);
        assert_eq!(urls_and_bodies(folder.path()).len(), 13);
        let last = segment::list(folder.path()).unwrap().pop().unwrap();
        if last.path == next {
            fs::remove_file(next.as_path()).unwrap();
        }
    }
}

#[test]
fn what_no_reader_would_read_is_not_written() {
    let folder = scratch();
    let mut writer = StagingWriter::open(folder.path(), SOURCE).unwrap();
    writer.begin("2026-07-01T00:00:00Z", "everything", false).unwrap();
    let location = pass("Location", 1, 0);
    let long = |bytes: usize| PageHeader { next: Some("n".repeat(bytes)), ..page(&location, 0) };
    let error = writer.page(long(LONGEST_HEADER), &body(0)).unwrap_err();
    assert!(error.message().contains("too long"), "{error}");
    // What is just short enough is read.
    writer.page(long(LONGEST_HEADER - 1_000), &body(0)).unwrap();
    writer.page(page(&location, 1), &body(1)).unwrap();
    assert_eq!(writer.snapshot().unwrap().pages().map(Result::unwrap).count(), 2);
    drop(writer);
    assert_eq!(urls_and_bodies(folder.path()).len(), 2);
    assert_eq!(StagingWriter::open(folder.path(), SOURCE).unwrap().state("Location").unwrap().pages, 2);
}
