//! Which pages stand where: so that a question reads the records that it is about and no others.
//!
//! Pages of one type, pass and purpose are a [`Group`]. The index of the segment that is written to is in memory; a
//! segment is closed before its index is large. That of a closed segment is in a file beside it, and in memory only
//! what each group adds up to:
//!
//! ```text
//! magic      8  "CVXIDX01"
//! length     8  of the segment
//! seal       4  CRC-32 of the segment's first and last 4,096 bytes
//! summary    4  its length (JSON: the groups, and where the records stand that are no pages)
//! check      4  CRC-32 of the 24 bytes above and the summary
//! summary, the groups' offsets one after the other (4 bytes each)
//! ```
//! The writer makes the file when it closes the segment, and when it finds none that fits. A reader that finds none
//! walks over the segment. What is read through an index is checked as any record is.

use std::collections::HashMap;
use std::io::Read as _;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use coverdex_core::Result;
use serde::{Deserialize, Serialize};

use super::disk;
use super::files::{Files, Reader};
use super::record::{Header, PageHeader, Pass, Purpose};
use super::segment::{Segment, Step, Walk, damaged};

const MAGIC: [u8; 8] = *b"CVXIDX01";
/// Bytes before the summary.
const FIXED: usize = 28;
/// Bytes of an offset.
const OFFSET: usize = size_of::<u32>();
/// No index is longer: of a segment of the shortest records it has some ten megabytes.
const LONGEST: u64 = 1 << 30;

/// What pages have in common that are listed together.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Group {
    /// The resource type asked for.
    pub resource_type: String,
    /// The pass that they belong to.
    pub pass: Pass,
    /// Why they were asked for.
    pub purpose: Purpose,
    /// Whether none of their entries is of use, as of a 404.
    pub empty: bool,
}

impl Group {
    /// The group of a page.
    #[must_use]
    pub fn of(page: &PageHeader) -> Self {
        let (resource_type, pass) = (page.resource_type.clone(), page.pass.clone());
        Self { resource_type, pass, purpose: page.purpose, empty: page.entries == 0 }
    }
}

/// What the pages of a group add up to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sums {
    /// How many pages.
    pub pages: u64,
    /// Their entries, repeated ones included.
    pub entries: u64,
    /// How many more that are no resource.
    pub unreadable: u64,
    /// The largest `total` that the server stated.
    pub total: Option<u64>,
    /// How many of them may not hold all that they should.
    pub flawed: u64,
    /// When the last of them came, in seconds since 1970 by the reader's clock.
    pub last_second: i64,
}

impl Sums {
    fn add(&mut self, page: &PageHeader) {
        self.pages += 1;
        self.entries += u64::from(page.entries);
        self.unreadable += u64::from(page.unreadable);
        self.total = self.total.max(page.total);
        self.flawed += u64::from(page.flaw.is_some());
        self.last_second = self.last_second.max(page.second);
    }
}

/// A group as a segment has it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Listed {
    pub(super) group: Group,
    pub(super) sums: Sums,
    /// Where its first and its last page stand.
    pub(super) first: u32,
    pub(super) last: u32,
    /// CRC-32 of its offsets.
    check: u32,
}

/// What is known of a segment without its offsets.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct Summary {
    pub(super) groups: Vec<Listed>,
    /// Where the records stand that are no pages.
    pub(super) controls: Vec<u32>,
}

/// The index of a segment that grows.
#[derive(Debug, Default)]
pub(super) struct Growing {
    summary: Summary,
    /// Of each group.
    offsets: Vec<Vec<u32>>,
    numbers: HashMap<Group, usize>,
}

impl Growing {
    /// Takes in the record at an offset.
    pub(super) fn note(&mut self, header: &Header, offset: u64) -> Result<(), TooLong> {
        let offset = u32::try_from(offset).map_err(|_| TooLong)?;
        let Header::Page(page) = header else {
            self.summary.controls.push(offset);
            return Ok(());
        };
        let group = Group::of(page);
        let number = self.numbers.get(&group).copied().unwrap_or_else(|| {
            self.numbers.insert(group.clone(), self.offsets.len());
            self.offsets.push(Vec::new());
            self.summary.groups.push(Listed { group, sums: Sums::default(), first: offset, last: offset, check: 0 });
            self.offsets.len() - 1
        });
        if let (Some(listed), Some(offsets)) = (self.summary.groups.get_mut(number), self.offsets.get_mut(number)) {
            listed.sums.add(page);
            listed.last = offset;
            offsets.push(offset);
        }
        Ok(())
    }

    pub(super) fn summary(&self) -> &Summary {
        &self.summary
    }

    pub(super) fn into_summary(self) -> Summary {
        self.summary
    }

    fn chosen(&self, chosen: &dyn Fn(&Group) -> bool) -> Vec<u32> {
        let of_group = self.summary.groups.iter().zip(&self.offsets);
        of_group.filter(|(listed, _)| chosen(&listed.group)).flat_map(|(_, offsets)| offsets).copied().collect()
    }

    /// The file that keeps it.
    fn encode(&mut self, segment_len: u64, seal: u32) -> Option<Vec<u8>> {
        let mut offsets = Vec::new();
        for (listed, of_group) in self.summary.groups.iter_mut().zip(&self.offsets) {
            let from = offsets.len();
            offsets.extend(of_group.iter().flat_map(|offset| offset.to_le_bytes()));
            listed.check = crc32fast::hash(offsets.get(from..).unwrap_or_default());
        }
        let summary = serde_json::to_vec(&self.summary).ok()?;
        let mut bytes = MAGIC.to_vec();
        bytes.extend(segment_len.to_le_bytes());
        bytes.extend(seal.to_le_bytes());
        bytes.extend(u32::try_from(summary.len()).ok()?.to_le_bytes());
        bytes.extend(check(&bytes, &summary).to_le_bytes());
        bytes.extend(summary);
        bytes.extend(offsets);
        Some(bytes)
    }
}

/// A segment is longer than any that was ever written.
#[derive(Debug)]
pub(super) struct TooLong;

/// The index of a segment.
#[derive(Clone, Debug)]
pub(super) enum Index {
    /// In memory; it may have grown past what a reader sees. The groups are those that it sees.
    Growing(Arc<Mutex<Growing>>, Arc<[(Group, Sums)]>),
    /// In a file beside the segment.
    Stored(Arc<Stored>),
    /// Nowhere: who asks walks over the segment.
    Absent(Arc<Summary>),
}

impl Default for Index {
    fn default() -> Self {
        Self::Absent(Arc::default())
    }
}

impl Index {
    pub(super) fn growing(growing: &Arc<Mutex<Growing>>) -> Self {
        let groups = locked(growing).summary.groups.iter().map(|of| (of.group.clone(), of.sums)).collect();
        Self::Growing(Arc::clone(growing), groups)
    }

    /// The groups that have pages in the segment.
    pub(super) fn groups(&self) -> impl Iterator<Item = (&Group, &Sums)> {
        let (seen, listed): (&[(Group, Sums)], &[Listed]) = match self {
            Self::Growing(_, groups) => (groups, &[]),
            Self::Stored(stored) => (&[], &stored.summary.groups),
            Self::Absent(summary) => (&[], &summary.groups),
        };
        let seen = seen.iter().map(|(group, sums)| (group, sums));
        seen.chain(listed.iter().map(|listed| (&listed.group, &listed.sums)))
    }
}

/// An index in a file.
#[derive(Debug)]
pub(super) struct Stored {
    path: PathBuf,
    summary: Summary,
    /// Where the offsets begin in the file.
    begin: u64,
}

impl Stored {
    pub(super) fn summary(&self) -> &Summary {
        &self.summary
    }

    /// Reads the index of a closed segment; `None` if there is none that fits it.
    pub(super) fn read(segment: &Segment, walk: &mut Walk, files: &Files) -> Option<Self> {
        let path = path(segment);
        let mut from = Reader::new(files.get(&path).ok()?, FIXED);
        let len = from.len().ok().filter(|len| *len < LONGEST)?;
        let mut fixed = [0; FIXED];
        from.read_exact(&mut fixed).ok()?;
        let mut begin = MAGIC.to_vec();
        begin.extend(walk.len().to_le_bytes());
        begin.extend(walk.seal().ok()?.to_le_bytes());
        let (rest, last) = (fixed.strip_prefix(begin.as_slice())?, fixed.last_chunk::<4>()?);
        let summary_len = u32::from_le_bytes(*rest.first_chunk()?);
        let begin = FIXED as u64 + u64::from(summary_len);
        if begin > len {
            return None;
        }
        let mut summary = vec![0; summary_len as usize];
        from.read_exact(&mut summary).ok()?;
        if check(fixed.get(..FIXED - 4)?, &summary).to_le_bytes() != *last {
            return None;
        }
        let summary: Summary = serde_json::from_slice(&summary).ok()?;
        let pages: u64 = summary.groups.iter().map(|listed| listed.sums.pages).sum();
        (begin + pages * OFFSET as u64 == len).then_some(Self { path, summary, begin })
    }

    /// The offsets of chosen groups; `None` if the file does not have them any more.
    pub(super) fn chosen(&self, files: &Files, chosen: &dyn Fn(&Group) -> bool) -> Option<Vec<u32>> {
        let mut from = None;
        let (mut offsets, mut at) = (Vec::new(), self.begin);
        for listed in &self.summary.groups {
            let len = usize::try_from(listed.sums.pages).ok()? * OFFSET;
            if chosen(&listed.group) {
                let from = match &mut from {
                    Some(from) => from,
                    none => none.insert(Reader::new(files.get(&self.path).ok()?, 0)),
                };
                let mut bytes = vec![0; len];
                from.seek(at);
                from.read_exact(&mut bytes).ok()?;
                if crc32fast::hash(&bytes) != listed.check {
                    return None;
                }
                offsets.extend(bytes.as_chunks().0.iter().map(|bytes| u32::from_le_bytes(*bytes)));
            }
            at += len as u64;
        }
        Some(offsets)
    }
}

/// Where the records of chosen groups stand in a segment, in their order.
pub(super) fn offsets(segment: &Segment, files: &Files, chosen: &dyn Fn(&Group) -> bool) -> Result<Vec<u32>> {
    if !segment.index.groups().any(|(group, _)| chosen(group)) {
        return Ok(Vec::new());
    }
    let mut offsets = match &segment.index {
        Index::Growing(growing, _) => locked(growing).chosen(chosen),
        Index::Stored(stored) => match stored.chosen(files, chosen) {
            Some(offsets) => offsets,
            None => walk(segment, files)?.chosen(chosen),
        },
        Index::Absent(_) => walk(segment, files)?.chosen(chosen),
    };
    let limit = segment.limit.unwrap_or(u64::MAX);
    offsets.retain(|offset| u64::from(*offset) < limit);
    offsets.sort_unstable();
    Ok(offsets)
}

/// The index of a closed segment, made anew.
pub(super) fn walk(segment: &Segment, files: &Files) -> Result<Growing> {
    let (mut walk, mut growing) = (Walk::open(segment, files)?, Growing::default());
    while let Step::Record(place, head) = walk.step()? {
        growing.note(&head.header, place.offset).map_err(|TooLong| damaged(&segment.path, "it is too long"))?;
    }
    Ok(growing)
}

/// Keeps the index of a segment that is closed, in a file beside it. Where that fails the segment is walked over: that
/// takes longer and loses nothing.
pub(super) fn keep(segment: &Segment, files: &Files, growing: &mut Growing) -> Index {
    match try_keep(segment, files, growing) {
        Some(kept) => Index::Stored(Arc::new(kept)),
        None => Index::Absent(Arc::new(growing.summary.clone())),
    }
}

fn try_keep(segment: &Segment, files: &Files, growing: &mut Growing) -> Option<Stored> {
    let mut walk = Walk::at_will(segment, files, 1 << 12).ok()?;
    let bytes = growing.encode(walk.len(), walk.seal().ok()?)?;
    let path = path(segment);
    files.forget(&path);
    disk::put(path.parent()?, path.file_name()?.to_str()?, &bytes).ok()?;
    Stored::read(segment, &mut walk, files)
}

fn path(segment: &Segment) -> PathBuf {
    segment.path.with_extension("idx")
}

fn check(fixed: &[u8], summary: &[u8]) -> u32 {
    let mut check = crc32fast::Hasher::new();
    check.update(fixed);
    check.update(summary);
    check.finalize()
}

pub(super) fn locked(growing: &Mutex<Growing>) -> MutexGuard<'_, Growing> {
    growing.lock().unwrap_or_else(PoisonError::into_inner)
}
