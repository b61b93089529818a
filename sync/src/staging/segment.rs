//! Segment files: finding them and walking over their records.

use std::fs::{self, File};
use std::io::{self, BufReader, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use coverdex_core::{Error, ErrorKind, Result};

use super::record::{self, Found, Head, Place};

/// Begins each segment file.
pub(super) const MAGIC: [u8; 8] = *b"CVXSEG01";
const FIRST: u64 = MAGIC.len() as u64;
const PREFIX: &str = "pages-";
const SUFFIX: &str = ".seg";

/// A segment file.
#[derive(Clone, Debug)]
pub(super) struct Segment {
    pub(super) number: u32,
    pub(super) path: PathBuf,
    pub(super) last: bool,
    /// Nothing from this byte on belongs to it: a reader sees what was there when it was opened.
    pub(super) limit: Option<u64>,
}

impl Segment {
    pub(super) fn new(folder: &Path, number: u32) -> Self {
        Self { number, path: folder.join(format!("{PREFIX}{number:06}{SUFFIX}")), last: true, limit: None }
    }
}

/// The segments of a folder in their order; none may be missing.
pub(super) fn list(folder: &Path) -> Result<Vec<Segment>> {
    let mut segments = Vec::new();
    for entry in fs::read_dir(folder).map_err(|e| Error::io(folder, &e))? {
        let name = entry.map_err(|e| Error::io(folder, &e))?.file_name();
        let number = name.to_str().and_then(|n| n.strip_prefix(PREFIX)?.strip_suffix(SUFFIX)?.parse().ok());
        if let Some(number) = number {
            segments.push(Segment { last: false, ..Segment::new(folder, number) });
        }
    }
    segments.sort_by_key(|s| s.number);
    for (expected, segment) in (1..).zip(&segments) {
        if segment.number != expected {
            let missing = Segment::new(folder, expected);
            return Err(damaged(&missing.path, "the segment is missing"));
        }
    }
    if let Some(last) = segments.last_mut() {
        last.last = true;
    }
    Ok(segments)
}

/// What a walk meets.
#[allow(clippy::large_enum_variant, reason = "short-lived, and nearly all of them are records")]
#[derive(Debug)]
pub(super) enum Step {
    /// A record; its body may be read next.
    Record(Place, Head),
    /// The segment ends, cleanly.
    End,
    /// The last segment ends inside a record that begins at this offset.
    Torn(u64),
}

/// A walk over the records of one segment.
pub(super) struct Walk {
    segment: Segment,
    from: BufReader<File>,
    /// Where the next record begins.
    next: u64,
    len: u64,
}

impl Walk {
    pub(super) fn open(segment: &Segment) -> Result<Self> {
        let io = |e: io::Error| Error::io(&segment.path, &e);
        let file = File::open(&segment.path).map_err(io)?;
        let len = file.metadata().map_err(io)?.len();
        let len = segment.limit.map_or(len, |limit| len.min(limit));
        let mut walk = Self { segment: segment.clone(), from: BufReader::with_capacity(1 << 16, file), next: 0, len };
        if len >= FIRST {
            let mut magic = MAGIC;
            walk.from.read_exact(&mut magic).map_err(io)?;
            if magic == MAGIC {
                walk.next = FIRST;
            } else if !(segment.last && is_cut_off(magic)) {
                return Err(damaged(&segment.path, "this is no segment of a staging folder"));
            }
        }
        Ok(walk)
    }

    pub(super) fn segment(&self) -> u32 {
        self.segment.number
    }

    /// Where the next record begins.
    pub(super) fn position(&self) -> u64 {
        self.next
    }

    /// Leaves out what stands before an offset, where a record begins.
    pub(super) fn begin_at(&mut self, offset: u64) {
        self.next = self.next.max(offset);
    }

    /// The next record, wherever in its body the walk stands.
    pub(super) fn step(&mut self) -> Result<Step> {
        if self.next >= self.len && self.next != 0 {
            return Ok(Step::End);
        }
        if self.next == 0 {
            // Shorter than the magic: only a last segment may be.
            return self.bad(0, "the segment is cut off");
        }
        let at = self.next;
        self.seek(at)?;
        match record::read_head(&mut self.from).map_err(|e| self.io(&e))? {
            Found::Record(head) if at + head.record_len() <= self.len => {
                self.next = at + head.record_len();
                Ok(Step::Record(Place { segment: self.segment.number, offset: at }, head))
            }
            Found::Record(_) => self.bad(at, "the record is cut off"),
            Found::Nothing => Ok(Step::End),
            Found::Bad(why) => self.bad(at, why),
        }
    }

    /// The body of the record just met, checked but packed.
    pub(super) fn stored(&mut self, place: Place, head: &Head) -> Result<Vec<u8>> {
        self.seek(place.offset + head.head_len)?;
        record::read_stored(&mut self.from, head)
            .map_err(|e| self.io(&e))?
            .map_err(|why| self.damage(place.offset, why))
    }

    /// As [`stored`](Self::stored), for a walk that mends: a bad body of a last record is a torn tail.
    pub(super) fn check_body(&mut self, place: Place, head: &Head) -> Result<Step> {
        self.seek(place.offset + head.head_len)?;
        match record::read_stored(&mut self.from, head).map_err(|e| self.io(&e))? {
            Ok(_) => Ok(Step::End),
            Err(why) => self.bad(place.offset, why),
        }
    }

    /// The record at a known place and its body.
    pub(super) fn at(&mut self, place: Place) -> Result<(Head, Vec<u8>)> {
        self.seek(place.offset)?;
        match record::read_head(&mut self.from).map_err(|e| self.io(&e))? {
            Found::Record(head) => {
                let stored = self.stored(place, &head)?;
                let body = record::unpack(&stored, &head).map_err(|why| self.damage(place.offset, why))?;
                Ok((head, body))
            }
            Found::Nothing => Err(self.damage(place.offset, "the segment is cut off")),
            Found::Bad(why) => Err(self.damage(place.offset, why)),
        }
    }

    /// A bad record is a torn tail if it is in the last segment and no good one follows; else damage.
    fn bad(&mut self, at: u64, why: &'static str) -> Result<Step> {
        if self.segment.last && !self.record_after(at)? { Ok(Step::Torn(at)) } else { Err(self.damage(at, why)) }
    }

    /// Whether a whole record begins anywhere after `at`.
    fn record_after(&mut self, at: u64) -> Result<bool> {
        self.seek(at)?;
        let mut tail = Vec::new();
        self.from.read_to_end(&mut tail).map_err(|e| self.io(&e))?;
        for begin in 1..tail.len().saturating_sub(record::FIXED) {
            let Some(mut rest) = tail.get(begin..).filter(|rest| rest.starts_with(b"CXPG")) else { continue };
            let whole = rest.len() as u64;
            if let Ok(Found::Record(head)) = record::read_head(&mut rest)
                && head.record_len() <= whole
            {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn seek(&mut self, to: u64) -> Result<()> {
        let here = self.from.stream_position().map_err(|e| self.io(&e))?;
        let by = i64::try_from(to).unwrap_or(i64::MAX) - i64::try_from(here).unwrap_or(i64::MAX);
        if by == 0 {
            return Ok(());
        }
        match self.from.seek_relative(by) {
            Ok(()) => Ok(()),
            Err(_) => self.from.seek(SeekFrom::Start(to)).map(drop).map_err(|e| self.io(&e)),
        }
    }

    fn io(&self, error: &io::Error) -> Error {
        Error::io(&self.segment.path, error)
    }

    pub(super) fn damage(&self, at: u64, why: &str) -> Error {
        damaged(&self.segment.path, &format!("{why} (at byte {at})"))
    }
}

/// Whether the rest of the magic was lost: a power cut may leave zeros.
fn is_cut_off(magic: [u8; 8]) -> bool {
    let kept = magic.iter().zip(MAGIC).take_while(|(a, b)| **a == *b).count();
    magic.iter().skip(kept).all(|byte| *byte == 0)
}

/// A staging folder that is not as it was written.
pub(super) fn damaged(path: &Path, why: &str) -> Error {
    Error::new(ErrorKind::DatasetDamaged, path.display().to_string(), why)
        .with_hint("delete the staging folder and sync again: datasets already built are not touched")
}
