//! One record of a staging segment: what it says about itself, and its bytes on disk.
//!
//! ```text
//! mark      4  "CXPG"
//! header    4  length of the header (JSON)
//! stored    4  length of the body as stored (one zstd frame, or nothing)
//! body      4  length of the body as received
//! check     4  CRC-32 of the stored body
//! check     4  CRC-32 of the 20 bytes above and the header
//! header, stored body
//! ```
//! Numbers are little-endian. Header and body have checks of their own, so that a walk over the
//! headers need not read the bodies.

use std::collections::BTreeMap;
use std::io::{self, Read};

use serde::{Deserialize, Serialize};

/// Begins each record.
const MARK: [u8; 4] = *b"CXPG";
/// Bytes before the header.
pub(super) const FIXED: usize = 24;
/// No header is longer, read or written. Addresses are far shorter; what a whole sync did not see may be said in more.
pub const LONGEST_HEADER: usize = 16 << 20;
/// No body is longer, read or written: the fetcher's own cap is far below.
const LONGEST_BODY: usize = 1 << 30;
/// zstd's default level: pages are mostly repeated keys, higher levels cost more than they save.
const LEVEL: i32 = 3;

/// What a record says.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Header {
    /// A generation begins: one reading of the payer, however often it is interrupted.
    Begin(Begin),
    /// A page, with a body where one was received.
    Page(PageHeader),
    /// A pass over one query has ended.
    End(PassEnd),
    /// A generation has ended.
    Finish(Finish),
}

/// The beginning of a generation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Begin {
    /// 1 for the first.
    pub generation: u32,
    /// When it began (RFC 3339): what is read later is at least as new.
    pub as_of: String,
    /// The same by the server's clock, where it tells its time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub server_time: Option<String>,
    /// What was asked for, in the fetcher's words; equal words are the same request.
    pub selection: String,
    /// Whether changes are enough, where the server proves that it knows them.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub changes_only: bool,
    /// Whether what was read before is no word of the payer any more: other things were asked for.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub stands_alone: bool,
}

/// Names one walk over the pages of one query.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Pass {
    /// The query, the same in each generation (`PractitionerRole`, `List?identifier=…`).
    pub query: String,
    /// The generation it belongs to.
    pub generation: u32,
    /// 0, and one more for each restart from the first page.
    pub attempt: u32,
}

/// Why a page was asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Purpose {
    /// A page of a search.
    Search,
    /// One resource by its id.
    ById,
    /// Several resources by their ids, in one search.
    ByIds,
    /// What changed since the last reading.
    Changes,
}

/// A page.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PageHeader {
    /// The pass that it belongs to.
    pub pass: Pass,
    /// Its number within the pass, from 0.
    pub number: u32,
    /// The request, relative to the base address where it lies below it.
    pub url: String,
    /// The resource type asked for.
    pub resource_type: String,
    /// Why it was asked for.
    pub purpose: Purpose,
    /// HTTP status.
    pub status: u16,
    /// When it came, in seconds since 1970 by the reader's clock; 0 where that is not known.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub second: i64,
    /// The next link, resolved; none on the last page.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next: Option<String>,
    /// The validator that came with it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub etag: Option<String>,
    /// How many entries it has.
    pub entries: u32,
    /// How many of them stood on the page before, or stand here twice.
    #[serde(default, skip_serializing_if = "is_none")]
    pub repeated: u32,
    /// How many more that are no resource.
    #[serde(default, skip_serializing_if = "is_none")]
    pub unreadable: u32,
    /// Why it may not hold all that it should.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub flaw: Option<String>,
    /// `Bundle.total`, a hint.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub total: Option<u64>,
    /// Hash of its resources, without what changes on each request (bundle id, timestamp).
    pub fingerprint: u64,
    /// Where the same resources stand already: this record then has no body of its own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub same_as: Option<Place>,
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "as serde calls it")]
fn is_zero(second: &i64) -> bool {
    *second == 0
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "as serde calls it")]
fn is_none(count: &u32) -> bool {
    *count == 0
}

/// Where a record stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Place {
    /// Segment number, from 1.
    pub segment: u32,
    /// Offset of the record in it.
    pub offset: u64,
}

/// The end of a pass.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PassEnd {
    /// Which pass.
    pub pass: Pass,
    /// Whether every page was seen.
    pub complete: bool,
    /// Why not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Whether it may go on from its last next link.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub resumable: bool,
    /// Entries of its pages, repeated ones included.
    pub entries: u64,
}

/// The end of a generation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Finish {
    /// Which generation.
    pub generation: u32,
    /// Whether every pass of it was complete.
    pub complete: bool,
    /// What was not complete, and why: by resource type or query.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub incomplete: BTreeMap<String, String>,
    /// Of which types validators prove that nothing changed: false where one stayed while the page changed.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub tags: BTreeMap<String, bool>,
    /// Pages of older generations than this are no longer the payer's: a complete reading did not
    /// see them again.
    pub oldest_live: u32,
    /// The same of single types, where it is newer: of these everything was seen.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub oldest_of: BTreeMap<String, u32>,
}

/// A record's head, read; the body follows in the file.
#[derive(Debug)]
pub(super) struct Head {
    pub(super) header: Header,
    pub(super) stored: u32,
    pub(super) body: u32,
    body_check: u32,
    /// Bytes of the fixed part and the header together.
    pub(super) head_len: u64,
}

impl Head {
    /// Bytes of the whole record.
    pub(super) fn record_len(&self) -> u64 {
        self.head_len + u64::from(self.stored)
    }
}

/// What stood where a record should begin.
#[allow(clippy::large_enum_variant, reason = "short-lived, and nearly all of them are records")]
#[derive(Debug)]
pub(super) enum Found {
    Record(Head),
    /// The file ends here, cleanly.
    Nothing,
    /// No whole record.
    Bad(&'static str),
}

/// A record's bytes.
pub(super) fn encode(header: &Header, body: &[u8]) -> io::Result<Vec<u8>> {
    let too_long = |what: &str| io::Error::new(io::ErrorKind::InvalidInput, format!("{what} is too long for a record"));
    let head = serde_json::to_vec(header)?;
    if head.len() > LONGEST_HEADER {
        return Err(too_long("what is said of a page"));
    }
    let stored = if body.is_empty() { Vec::new() } else { zstd::bulk::compress(body, LEVEL)? };
    if stored.len().max(body.len()) > LONGEST_BODY {
        return Err(too_long("a page"));
    }
    let mut record = Vec::with_capacity(FIXED + head.len() + stored.len());
    record.extend_from_slice(&MARK);
    for len in [head.len(), stored.len(), body.len()] {
        record.extend_from_slice(&u32::try_from(len).map_err(|_| too_long("a page"))?.to_le_bytes());
    }
    record.extend_from_slice(&crc32fast::hash(&stored).to_le_bytes());
    let mut check = crc32fast::Hasher::new();
    check.update(&record);
    check.update(&head);
    record.extend_from_slice(&check.finalize().to_le_bytes());
    record.extend_from_slice(&head);
    record.extend_from_slice(&stored);
    Ok(record)
}

/// Reads the head of the record that begins here.
pub(super) fn read_head(from: &mut impl Read) -> io::Result<Found> {
    let mut fixed = [0u8; FIXED];
    match fill(from, &mut fixed)? {
        0 => return Ok(Found::Nothing),
        FIXED => {}
        _ => return Ok(Found::Bad("the record is cut off")),
    }
    let (mark, rest) = fixed.split_at(4);
    if mark != MARK {
        return Ok(Found::Bad("no record begins here"));
    }
    let mut numbers = rest.chunks_exact(4).map(|c| u32::from_le_bytes(c.try_into().unwrap_or_default()));
    let mut number = || numbers.next().unwrap_or_default();
    let (header_len, stored, body, body_check, head_check) = (number(), number(), number(), number(), number());
    let header_len = header_len as usize;
    if header_len > LONGEST_HEADER || stored.max(body) as usize > LONGEST_BODY {
        return Ok(Found::Bad("a length is out of range"));
    }
    let mut header = vec![0u8; header_len];
    if fill(from, &mut header)? != header_len {
        return Ok(Found::Bad("the record is cut off"));
    }
    let mut check = crc32fast::Hasher::new();
    check.update(fixed.get(..FIXED - 4).unwrap_or_default());
    check.update(&header);
    if check.finalize() != head_check {
        return Ok(Found::Bad("the checksum of a header does not match"));
    }
    match serde_json::from_slice(&header) {
        Ok(header) => {
            Ok(Found::Record(Head { header, stored, body, body_check, head_len: (FIXED + header_len) as u64 }))
        }
        Err(_) => Ok(Found::Bad("a header cannot be read")),
    }
}

/// Reads the stored body that follows `head`, checked but still compressed.
pub(super) fn read_stored(from: &mut impl Read, head: &Head) -> io::Result<Result<Vec<u8>, &'static str>> {
    let mut stored = vec![0u8; head.stored as usize];
    if fill(from, &mut stored)? != stored.len() {
        return Ok(Err("the record is cut off"));
    }
    if crc32fast::hash(&stored) != head.body_check {
        return Ok(Err("the checksum of a page does not match"));
    }
    Ok(Ok(stored))
}

/// Unpacks a stored body.
pub(super) fn unpack(stored: &[u8], head: &Head) -> Result<Vec<u8>, &'static str> {
    if stored.is_empty() {
        return Ok(Vec::new());
    }
    match zstd::bulk::decompress(stored, head.body as usize) {
        Ok(body) if body.len() == head.body as usize => Ok(body),
        _ => Err("a page cannot be unpacked"),
    }
}

/// Reads until `buffer` is full or the file ends; how much there was.
fn fill(from: &mut impl Read, buffer: &mut [u8]) -> io::Result<usize> {
    let mut filled = 0;
    while let Some(rest) = buffer.get_mut(filled..).filter(|rest| !rest.is_empty()) {
        match from.read(rest) {
            Ok(0) => break,
            Ok(n) => filled += n,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(filled)
}
