//! Files as a stream of blocks: whole lines of NDJSON, or one whole document.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

use coverdex_core::Error;
use flate2::bufread::MultiGzDecoder;
use serde::de::IgnoredAny;
use serde_json::value::RawValue;

use super::tally::Tally;
use super::walk::{SourceFile, promises_resources};
use crate::model::Received;
use crate::source::fhir::{Outcome, read_bundle, read_each, read_resource};

/// Blocks of lines are about this long.
const BLOCK: usize = 1 << 20;
/// A longer line is an error.
const MAX_LINE: usize = 64 << 20;
/// A document over several lines that is longer is an error: it is held in memory.
const MAX_DOCUMENT: usize = 256 << 20;
/// Output beyond which a file must not expand more than [`MAX_RATIO`] times.
const FREE_OUTPUT: u64 = 256 << 20;
const MAX_RATIO: u64 = 1000;

/// Drops a byte-order mark and the blanks around.
fn trim(bytes: &[u8]) -> &[u8] {
    let bytes = bytes.trim_ascii();
    bytes.strip_prefix(b"\xef\xbb\xbf").map_or(bytes, <[u8]>::trim_ascii_start)
}

/// Part of a file.
#[derive(Debug)]
pub(super) struct Block {
    /// The file's place in the list.
    pub(super) file: usize,
    /// The number of its first line, from 1.
    line: u64,
    bytes: Vec<u8>,
    shape: Shape,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Shape {
    Lines,
    Document,
}

impl Block {
    /// Reads what it holds.
    pub(super) fn read(&self, path: Option<&Path>) -> Result<(Vec<Received>, Tally), Error> {
        let mut received = Vec::with_capacity(self.bytes.len() / 1024);
        let mut tally = Tally::default();
        match self.shape {
            Shape::Document => self.read_document(path, &mut received, &mut tally)?,
            Shape::Lines => self.read_lines(&mut received, &mut tally),
        }
        Ok((received, tally))
    }

    fn read_lines(&self, received: &mut Vec<Received>, tally: &mut Tally) {
        let mut number = self.line;
        let mut rest = self.bytes.as_slice();
        while let Some((line, after)) = split_line(rest) {
            read_piece(line, number, received, tally);
            number += 1;
            rest = after;
        }
    }

    /// A document is one resource or Bundle, a list of them, or several one after the other.
    fn read_document(&self, path: Option<&Path>, received: &mut Vec<Received>, tally: &mut Tally) -> Result<(), Error> {
        let text = String::from_utf8_lossy(trim(&self.bytes));
        let values: Result<Vec<&RawValue>, serde_json::Error> =
            serde_json::Deserializer::from_str(&text).into_iter().collect();
        match values {
            Ok(values) => {
                for value in values {
                    read_piece(value.get().as_bytes(), self.line, received, tally);
                }
                Ok(())
            }
            Err(error) => {
                self.read_lines(received, tally);
                let damaged = received.is_empty() && text.contains("\"resourceType\"");
                if !damaged {
                    return Ok(());
                }
                let what = if error.is_eof() { "is cut off" } else { "is no JSON" };
                let subject = path.unwrap_or(Path::new("")).display().to_string();
                Err(Error::invalid(subject, format!("the document {what}: {error}"))
                    .with_hint("get the file again, or move it out of the folder"))
            }
        }
    }
}

/// The first line, its end included, and what follows it; `None` where nothing is left.
fn split_line(bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    let mut after = bytes;
    let length = after.skip_until(b'\n').ok().filter(|length| *length > 0)?;
    Some((bytes.get(..length)?, after))
}

/// Counts line ends; in short runs of small counters, which the compiler turns into wide ones.
fn count_lines(bytes: &[u8]) -> u64 {
    let in_run = |run: &[u8]| run.iter().fold(0_u8, |count, byte| count.wrapping_add(u8::from(*byte == b'\n')));
    bytes.chunks(255).map(|run| u64::from(in_run(run))).sum()
}

/// Reads a resource, a Bundle or a list of resources; blanks are nothing.
fn read_piece(bytes: &[u8], line: u64, received: &mut Vec<Received>, tally: &mut Tally) {
    let bytes = trim(bytes);
    if bytes.is_empty() {
        return;
    }
    if bytes.first() == Some(&b'[')
        && let Ok(list) = serde_json::from_slice::<Vec<&RawValue>>(bytes)
    {
        for element in list {
            read_object(element.get().as_bytes(), line, received, tally);
        }
        return;
    }
    read_object(bytes, line, received, tally);
}

fn read_object(bytes: &[u8], line: u64, received: &mut Vec<Received>, tally: &mut Tally) {
    let mut is_bundle = false;
    read_each(bytes, &mut |outcome| {
        is_bundle |= outcome == Outcome::Bundle;
        tally.add(line, outcome, received);
    });
    if is_bundle {
        read_bundle(bytes, &mut |outcome| tally.add(line, outcome, received));
    }
}

/// The blocks of all files, one file after the other.
pub(super) struct Blocks<'a> {
    files: std::iter::Enumerate<std::slice::Iter<'a, SourceFile>>,
    open: Option<Open<'a>>,
    bytes_read: &'a AtomicU64,
    failed: bool,
}

impl<'a> Blocks<'a> {
    pub(super) fn new(files: &'a [SourceFile], bytes_read: &'a AtomicU64) -> Self {
        Self { files: files.iter().enumerate(), open: None, bytes_read, failed: false }
    }

    fn advance(&mut self) -> Result<Option<Block>, Error> {
        loop {
            if let Some(open) = &mut self.open {
                if let Some(block) = open.next_block()? {
                    return Ok(Some(block));
                }
                self.open = None;
            }
            let Some((index, file)) = self.files.next() else { return Ok(None) };
            self.open = Open::new(index, file, self.bytes_read)?;
        }
    }
}

impl Iterator for Blocks<'_> {
    type Item = Result<Block, Error>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.failed {
            return None;
        }
        let block = self.advance().transpose();
        self.failed = matches!(block, Some(Err(_)));
        block
    }
}

/// A file that is being read.
struct Open<'a> {
    index: usize,
    path: &'a Path,
    reader: Box<dyn Read + Send + 'a>,
    consumed: CountedBytes<'a>,
    packed: Option<&'static str>,
    buffer: Vec<u8>,
    produced: u64,
    line: u64,
    shape: Shape,
    ended: bool,
}

/// Bytes taken from the disk: of this file, and of all.
#[derive(Clone)]
struct CountedBytes<'a> {
    here: std::sync::Arc<AtomicU64>,
    all: &'a AtomicU64,
}

struct Counted<'a> {
    file: File,
    bytes: CountedBytes<'a>,
}

impl Read for Counted<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.file.read(buffer)?;
        self.bytes.here.fetch_add(read as u64, Ordering::Relaxed);
        self.bytes.all.fetch_add(read as u64, Ordering::Relaxed);
        Ok(read)
    }
}

impl<'a> Open<'a> {
    /// Opens a file and looks at its beginning; `None` for one that holds no JSON.
    fn new(index: usize, source: &'a SourceFile, all: &'a AtomicU64) -> Result<Option<Self>, Error> {
        let path = source.path.as_path();
        let unreadable = |error: io::Error| {
            Error::io(path, &error).with_hint("make the file readable, or move it out of the folder")
        };
        let consumed = CountedBytes { here: std::sync::Arc::new(AtomicU64::new(0)), all };
        let file = File::open(path).map_err(unreadable)?;
        let mut plain = BufReader::with_capacity(1 << 17, Counted { file, bytes: consumed.clone() });
        let magic: Vec<u8> = plain.fill_buf().map_err(unreadable)?.iter().take(4).copied().collect();
        let (reader, packed): (Box<dyn Read + Send + 'a>, _) = match *magic.as_slice() {
            [0x1f, 0x8b, 8, ..] => (Box::new(MultiGzDecoder::new(plain)), Some("gzip")),
            [0x28, 0xb5, 0x2f, 0xfd] | [0x50..=0x5f, 0x2a, 0x4d, 0x18] => {
                (Box::new(zstd::stream::read::Decoder::with_buffer(plain).map_err(unreadable)?), Some("zstd"))
            }
            _ => (Box::new(plain), None),
        };
        let mut open = Self {
            index,
            path,
            reader,
            consumed,
            packed,
            buffer: Vec::new(),
            produced: 0,
            line: 1,
            shape: Shape::Lines,
            ended: false,
        };
        match open.look() {
            Ok(true) => Ok(Some(open)),
            Ok(false) if open.is_empty_archive(source) => {
                Err(open.damaged("the file is empty, which no compressed file can be".to_owned()))
            }
            Ok(false) => Ok(None),
            // Something else that happens to begin like a compressed file.
            Err(_)
                if open.produced == 0 && packed.is_some() && !open.begins_like_json() && !promises_resources(path) =>
            {
                Ok(None)
            }
            Err(error) => Err(error),
        }
    }

    fn is_empty_archive(&self, source: &SourceFile) -> bool {
        let extension = self.path.extension().unwrap_or_default().to_string_lossy().to_ascii_lowercase();
        source.bytes == 0 && matches!(extension.as_str(), "gz" | "zst") && promises_resources(self.path)
    }

    fn begins_like_json(&self) -> bool {
        matches!(trim(&self.buffer).first(), Some(b'{' | b'['))
    }

    /// Decides whether this is JSON, and of which shape.
    fn look(&mut self) -> Result<bool, Error> {
        self.fill(1 << 16)?;
        let marked = self.buffer.trim_ascii_start();
        let start = marked.strip_prefix(b"\xef\xbb\xbf").unwrap_or(marked).trim_ascii_start();
        match start.first() {
            Some(b'[') => self.shape = Shape::Document,
            Some(b'{') => {
                let skipped = self.buffer.len() - start.len();
                self.shape = self.shape_of_objects(skipped)?;
            }
            Some(0xff | 0xfe) if promises_resources(self.path) => {
                return Err(self.damaged("the text is UTF-16; JSON is written in UTF-8".to_owned()));
            }
            Some(_) => return Ok(false),
            None => return Ok(!self.ended),
        }
        if self.shape == Shape::Document {
            self.fill(MAX_DOCUMENT + 1)?;
            if self.buffer.len() > MAX_DOCUMENT {
                let is_fhir = self.buffer.iter().take(1 << 20).copied().collect::<Vec<u8>>();
                if !String::from_utf8_lossy(&is_fhir).contains("\"resourceType\"") {
                    return Ok(false);
                }
                return Err(self.damaged(format!("one JSON document of more than {} MiB", MAX_DOCUMENT >> 20)));
            }
        }
        Ok(true)
    }

    /// Lines, if the first is an object of its own (or the second is a resource of its own, and the
    /// first merely damaged); else one document over many lines.
    fn shape_of_objects(&mut self, start: usize) -> Result<Shape, Error> {
        let end = self.line_end(start)?;
        if self.is_json(start, end) {
            return Ok(Shape::Lines);
        }
        let second_end = self.line_end(end + 1)?;
        let second = self.buffer.get(end + 1..second_end).unwrap_or_default();
        let is_resource = matches!(
            read_resource(second),
            Outcome::Received(..) | Outcome::Unread(_) | Outcome::MemberData(_) | Outcome::Bundle
        );
        Ok(if is_resource { Shape::Lines } else { Shape::Document })
    }

    fn is_json(&self, start: usize, end: usize) -> bool {
        let line = String::from_utf8_lossy(self.buffer.get(start..end).unwrap_or_default());
        serde_json::from_str::<IgnoredAny>(&line).is_ok()
    }

    /// Where the line that begins at `start` ends, reading on as far as it takes.
    fn line_end(&mut self, start: usize) -> Result<usize, Error> {
        let mut searched = start;
        loop {
            let rest = self.buffer.get(searched..).unwrap_or_default();
            if let Some(at) = rest.iter().position(|b| *b == b'\n') {
                return Ok(searched + at);
            }
            searched = self.buffer.len().max(start);
            if self.ended {
                return Ok(searched);
            }
            if searched - start > MAX_LINE {
                return Err(self.too_long(1));
            }
            self.fill(self.buffer.len() + BLOCK)?;
        }
    }

    /// Reads until the buffer holds `length` bytes or the file ends.
    fn fill(&mut self, length: usize) -> Result<(), Error> {
        while !self.ended && self.buffer.len() < length {
            let wanted = (length - self.buffer.len()).min(BLOCK) as u64;
            // With room for the probe that `read_to_end` makes at the end.
            self.buffer.reserve(BLOCK + 64);
            let read = self.reader.by_ref().take(wanted).read_to_end(&mut self.buffer);
            let read = read.map_err(|error| self.broken(&error))?;
            self.ended = read == 0;
            self.produced += read as u64;
            let consumed = self.consumed.here.load(Ordering::Relaxed);
            if self.produced > FREE_OUTPUT && self.produced / MAX_RATIO > consumed {
                return Err(self.damaged(format!("it expands more than {MAX_RATIO} times")));
            }
        }
        Ok(())
    }

    fn next_block(&mut self) -> Result<Option<Block>, Error> {
        let mut wanted = BLOCK;
        let mut searched = 0;
        loop {
            self.fill(wanted)?;
            if self.ended || self.shape == Shape::Document {
                if self.buffer.is_empty() {
                    return Ok(None);
                }
                let bytes = std::mem::take(&mut self.buffer);
                return Ok(Some(self.block(bytes)));
            }
            let fresh = self.buffer.get(searched..).unwrap_or_default();
            if let Some(last) = fresh.iter().rposition(|b| *b == b'\n') {
                let rest = self.buffer.split_off(searched + last + 1);
                let bytes = std::mem::replace(&mut self.buffer, rest);
                return Ok(Some(self.block(bytes)));
            }
            if self.buffer.len() > MAX_LINE {
                return Err(self.too_long(self.line));
            }
            searched = self.buffer.len();
            wanted = searched + BLOCK;
        }
    }

    fn block(&mut self, bytes: Vec<u8>) -> Block {
        let line = self.line;
        self.line += count_lines(&bytes);
        Block { file: self.index, line, bytes, shape: self.shape }
    }

    fn damaged(&self, what: String) -> Error {
        Error::invalid(self.path.display().to_string(), what)
            .with_hint("get the file again, or move it out of the folder")
    }

    fn too_long(&self, line: u64) -> Error {
        Error::invalid(
            format!("{}:{line}", self.path.display()),
            format!("a line of more than {} MiB; no resource is that long", MAX_LINE >> 20),
        )
        .with_hint("split the Bundle, or write one resource a line")
    }

    fn broken(&self, error: &io::Error) -> Error {
        match self.packed {
            None => Error::io(self.path, error).with_hint("make the file readable, or move it out of the folder"),
            Some(packed) => {
                let cut = error.kind() == io::ErrorKind::UnexpectedEof;
                let how = if cut { "is cut off" } else { "is damaged" };
                self.damaged(format!("the {packed} stream {how} after {} bytes of content: {error}", self.produced))
            }
        }
    }
}
