//! Segment files: finding them and walking over their records.

use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use coverdex_core::{Error, ErrorKind, Result};

use super::files::{Files, Reader};
use super::index::Index;
use super::record::{self, Found, Head, Place};

/// Begins each segment file.
pub(super) const MAGIC: [u8; 8] = *b"CVXSEG01";
pub(super) const FIRST: u64 = MAGIC.len() as u64;
const PREFIX: &str = "pages-";
const SUFFIX: &str = ".seg";
/// Bytes read at once by who reads a segment from its beginning to its end.
const AHEAD: usize = 1 << 16;
/// Bytes at either end that a segment's seal is of.
const SEALED: u64 = 4 << 10;

/// A segment file.
#[derive(Clone, Debug)]
pub(super) struct Segment {
    pub(super) number: u32,
    pub(super) path: PathBuf,
    pub(super) last: bool,
    /// Nothing from this byte on belongs to it: a reader sees what was there when it was opened.
    pub(super) limit: Option<u64>,
    /// What is in it.
    pub(super) index: Index,
}

impl Segment {
    pub(super) fn new(folder: &Path, number: u32) -> Self {
        Self { number, path: folder.join(name(number)), last: true, limit: None, index: Index::default() }
    }
}

/// The name of a segment's file.
pub(super) fn name(number: u32) -> String {
    format!("{PREFIX}{number:06}{SUFFIX}")
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
#[derive(Debug)]
pub(super) struct Walk {
    number: u32,
    path: PathBuf,
    last: bool,
    from: Reader,
    /// Where the next record begins.
    next: u64,
    len: u64,
}

impl Walk {
    /// From the first record on.
    pub(super) fn open(segment: &Segment, files: &Files) -> Result<Self> {
        let mut walk = Self::at_will(segment, files, AHEAD)?;
        if walk.len >= FIRST {
            let mut magic = MAGIC;
            walk.from.read_exact(&mut magic).map_err(|e| walk.io(&e))?;
            if magic == MAGIC {
                walk.next = FIRST;
            } else if !(segment.last && is_cut_off(magic)) {
                return Err(damaged(&segment.path, "this is no segment of a staging folder"));
            }
        }
        Ok(walk)
    }

    /// To records whose places are known. `ahead`: bytes read at once.
    pub(super) fn at_will(segment: &Segment, files: &Files, ahead: usize) -> Result<Self> {
        let io = |e: io::Error| Error::io(&segment.path, &e);
        let from = Reader::new(files.get(&segment.path).map_err(io)?, ahead);
        let len = from.len().map_err(io)?;
        let len = segment.limit.map_or(len, |limit| len.min(limit));
        Ok(Self { number: segment.number, path: segment.path.clone(), last: segment.last, from, next: 0, len })
    }

    pub(super) fn segment(&self) -> u32 {
        self.number
    }

    /// Bytes of the segment that are read.
    pub(super) fn len(&self) -> u64 {
        self.len
    }

    /// Where the next record begins.
    pub(super) fn position(&self) -> u64 {
        self.next
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
        self.from.seek(at);
        match record::read_head(&mut self.from).map_err(|e| self.io(&e))? {
            Found::Record(head) if at + head.record_len() <= self.len => {
                self.next = at + head.record_len();
                Ok(Step::Record(Place { segment: self.number, offset: at }, head))
            }
            Found::Record(_) => self.bad(at, "the record is cut off"),
            Found::Nothing => Ok(Step::End),
            Found::Bad(why) => self.bad(at, why),
        }
    }

    /// The body of a record, checked and unpacked.
    pub(super) fn body(&mut self, offset: u64, head: &Head) -> Result<Vec<u8>> {
        self.from.seek(offset + head.head_len);
        let stored = record::read_stored(&mut self.from, head).map_err(|e| self.io(&e))?;
        stored.and_then(|stored| record::unpack(&stored, head)).map_err(|why| self.damage(offset, why))
    }

    /// Checks a body, for a walk that mends: a bad body of a last record is a torn tail.
    pub(super) fn check_body(&mut self, place: Place, head: &Head) -> Result<Step> {
        self.from.seek(place.offset + head.head_len);
        match record::read_stored(&mut self.from, head).map_err(|e| self.io(&e))? {
            Ok(_) => Ok(Step::End),
            Err(why) => self.bad(place.offset, why),
        }
    }

    /// The head of the record at a known place.
    pub(super) fn head(&mut self, offset: u64) -> Result<Head> {
        self.from.seek(offset);
        match record::read_head(&mut self.from).map_err(|e| self.io(&e))? {
            Found::Record(head) => Ok(head),
            Found::Nothing => Err(self.damage(offset, "the segment is cut off")),
            Found::Bad(why) => Err(self.damage(offset, why)),
        }
    }

    /// A bad record is a torn tail if it is in the last segment and no good one follows; else damage.
    fn bad(&mut self, at: u64, why: &'static str) -> Result<Step> {
        if self.last && !self.record_after(at)? { Ok(Step::Torn(at)) } else { Err(self.damage(at, why)) }
    }

    /// Whether a whole record begins anywhere after `at`.
    fn record_after(&mut self, at: u64) -> Result<bool> {
        self.from.seek(at);
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

    /// Checksum of the first and the last bytes: with the length it tells one segment from another.
    pub(super) fn seal(&mut self) -> Result<u32> {
        let mut check = crc32fast::Hasher::new();
        for from in [0, self.len.saturating_sub(SEALED)] {
            self.from.seek(from);
            let mut bytes = Vec::new();
            (&mut self.from).take(SEALED.min(self.len)).read_to_end(&mut bytes).map_err(|e| self.io(&e))?;
            check.update(&bytes);
        }
        Ok(check.finalize())
    }

    fn io(&self, error: &io::Error) -> Error {
        Error::io(&self.path, error)
    }

    pub(super) fn damage(&self, at: u64, why: &str) -> Error {
        damaged(&self.path, &format!("{why} (at byte {at})"))
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
