//! Writing a staging folder: one writer at a time, append only.

use std::fs::{self, File, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use coverdex_core::{Error, ErrorKind, Result};
use fs4::FileExt;

use super::disk::{self, UNFINISHED};
use super::files::Files;
use super::index::{self, Growing, Index, TooLong};
use super::load::{As, load};
use super::passes::{PassState, Passes};
use super::reader::{Live, Staging};
use super::record::{self, Begin, Finish, Header, PageHeader, PassEnd, Place};
use super::segment::{self, FIRST, MAGIC, Segment, damaged};
use super::{FORMAT, MARKER, Marker, VERSION, read_marker};

/// A segment that has grown past this is closed and the next one begun.
const SEGMENT_BYTES: u64 = if cfg!(test) { 2_000 } else { 256 << 20 };
/// So much may be lost to a power cut (never to a killed process): the disk is told to keep it then.
const SYNC_BYTES: u64 = if cfg!(test) { 1_000 } else { 8 << 20 };
const LOCK: &str = "lock";

/// A staging folder, held for writing.
///
/// What a call could not write is not there, and the same call may be made again: nothing that was written before is
/// touched.
#[derive(Debug)]
pub struct StagingWriter {
    folder: PathBuf,
    source: String,
    /// Held until dropped.
    _lock: File,
    files: Arc<Files>,
    /// All segments but the last.
    closed: Vec<Segment>,
    last: Last,
    live: Live,
    passes: Passes,
}

/// The segment that is written to.
#[derive(Debug)]
struct Last {
    segment: Segment,
    file: File,
    /// Where its last whole record ends.
    end: u64,
    /// Part of a record stands behind that.
    torn: bool,
    /// Bytes that the disk may not have yet.
    unsynced: u64,
    index: Arc<Mutex<Growing>>,
}

impl Last {
    /// Begins a segment. Until it is there whole, nothing has its name.
    fn begin(folder: &Path, number: u32) -> Result<Self> {
        let segment = Segment::new(folder, number);
        match fs::metadata(&segment.path) {
            // An attempt that failed behind this left it.
            Ok(there) if there.len() <= FIRST => {}
            Ok(_) => return Err(damaged(&segment.path, "another segment stands where the next one should")),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(Error::io(&segment.path, &error)),
        }
        disk::put(folder, &segment::name(number), &MAGIC).map_err(|e| refused(&segment.path, &e))?;
        Self::go_on(segment, FIRST, Growing::default())
    }

    /// Goes on with a segment behind its last good record.
    fn go_on(segment: Segment, end: u64, growing: Growing) -> Result<Self> {
        let file = disk::open(&segment.path).map_err(|e| refused(&segment.path, &e))?;
        let index = Arc::new(Mutex::new(growing));
        let mut last = Self { segment, file, end, torn: true, unsynced: 0, index };
        last.settle()?;
        if last.end == 0 {
            last.append(&MAGIC)?;
        }
        Ok(last)
    }

    /// Cuts off what was written in part.
    fn settle(&mut self) -> Result<()> {
        if self.torn {
            disk::cut(&self.file, self.end).map_err(|e| refused(&self.segment.path, &e))?;
            self.torn = false;
        }
        Ok(())
    }

    fn append(&mut self, bytes: &[u8]) -> Result<()> {
        self.settle()?;
        if let Err(error) = disk::append(&mut self.file, self.end, bytes) {
            self.torn = true;
            let _tried_again_before_the_next = self.settle();
            return Err(refused(&self.segment.path, &error));
        }
        self.end += bytes.len() as u64;
        self.unsynced += bytes.len() as u64;
        Ok(())
    }

    fn sync(&mut self) -> Result<()> {
        if self.unsynced > 0 {
            disk::sync(&self.file).map_err(|e| refused(&self.segment.path, &e))?;
            self.unsynced = 0;
        }
        Ok(())
    }
}

impl StagingWriter {
    /// Takes hold of a folder, makes it if it is not there, and cuts off a torn tail.
    ///
    /// `source` is the base address that pages come from; a folder holds pages of one.
    ///
    /// # Errors
    /// [`ErrorKind::Sync`] if another writer holds it, [`ErrorKind::InvalidInput`] if it holds
    /// something else, and as [`Staging::open`].
    pub fn open(folder: impl AsRef<Path>, source: &str) -> Result<Self> {
        let folder = folder.as_ref();
        if folder.is_file() {
            return Err(Error::invalid(format!("staging folder {}", folder.display()), "a file, not a folder")
                .with_hint(NEW_FOLDER));
        }
        fs::create_dir_all(folder).map_err(|e| Error::io(folder, &e).with_hint(WRITABLE))?;
        let lock = hold(folder)?;
        match read_marker(folder)? {
            Some(marker) if marker.source == source => {}
            Some(marker) => {
                return Err(Error::invalid(
                    format!("staging folder {}", folder.display()),
                    format!("it holds what {} answered, not {source}", marker.source),
                )
                .with_hint("give each payer a staging folder of its own"));
            }
            None => mark(folder, source)?,
        }
        remove_unfinished(folder);
        let files = Arc::default();
        let loaded = load(folder, &files, As::Writer, Live::default())?;
        let last = match loaded.last {
            Some((segment, end, growing)) => Last::go_on(segment, end, growing)?,
            None => Last::begin(folder, 1)?,
        };
        Ok(Self {
            folder: folder.to_owned(),
            source: source.to_owned(),
            _lock: lock,
            files,
            closed: loaded.closed,
            last,
            live: loaded.live,
            passes: loaded.passes,
        })
    }

    /// The newest generation, and how it ended if it did.
    #[must_use]
    pub fn generation(&self) -> Option<(&Begin, Option<&Finish>)> {
        let begin = self.live.begun.last()?;
        let finish = self.live.finished.last().filter(|f| f.generation == begin.generation);
        Some((begin, finish))
    }

    /// What the headers tell.
    #[must_use]
    pub fn live(&self) -> &Live {
        &self.live
    }

    /// How far the newest generation has come with a query.
    #[must_use]
    pub fn state(&self, query: &str) -> Option<&PassState> {
        self.passes.state(query)
    }

    /// The last complete pass over a query before the newest generation.
    #[must_use]
    pub fn former(&self, query: &str) -> Option<&PassState> {
        self.passes.former(query)
    }

    #[cfg(test)]
    pub(super) fn begin(&mut self, as_of: &str, selection: &str, changes_only: bool) -> Result<u32> {
        let (as_of, selection) = (as_of.to_owned(), selection.to_owned());
        let (generation, server_time, stands_alone) = (0, None, false);
        self.start(Begin { generation, as_of, server_time, selection, changes_only, stands_alone })
    }

    /// Begins the next generation and returns its number, which stands in place of the one given.
    pub fn start(&mut self, begin: Begin) -> Result<u32> {
        let generation = self.live.begun.last().map_or(1, |b| b.generation + 1);
        self.append(&Header::Begin(Begin { generation, ..begin }), &[])?;
        self.sync()?;
        Ok(generation)
    }

    /// Adds a page. When this returns, a killed process does not lose it.
    pub fn page(&mut self, header: PageHeader, body: &[u8]) -> Result<Place> {
        let body = if header.same_as.is_some() { &[] } else { body };
        self.append(&Header::Page(header), body)
    }

    /// Ends a pass.
    pub fn end(&mut self, end: PassEnd) -> Result<()> {
        self.append(&Header::End(end), &[])?;
        self.sync()
    }

    /// Ends the newest generation.
    pub fn finish(&mut self, finish: Finish) -> Result<()> {
        self.append(&Header::Finish(finish), &[])?;
        self.sync()
    }

    /// What is written so far, for reading.
    pub fn snapshot(&self) -> Result<Staging> {
        let mut segments = self.closed.clone();
        let (limit, index) = (Some(self.last.end), Index::growing(&self.last.index));
        segments.push(Segment { limit, index, ..self.last.segment.clone() });
        Ok(Staging::snapshot(&self.folder, &self.source, segments, self.live.clone(), &self.files))
    }

    /// The folder.
    #[must_use]
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    fn append(&mut self, header: &Header, body: &[u8]) -> Result<Place> {
        let record = record::encode(header, body).map_err(|e| Error::io(&self.folder, &e))?;
        if self.last.end > SEGMENT_BYTES {
            self.close_segment()?;
        } else if self.last.unsynced >= SYNC_BYTES {
            self.last.sync()?;
        }
        let place = Place { segment: self.last.segment.number, offset: self.last.end };
        self.last.append(&record)?;
        index::locked(&self.last.index)
            .note(header, place.offset)
            .map_err(|TooLong| damaged(&self.last.segment.path, "it is too long"))?;
        self.live.note(header);
        self.passes.note(header, place);
        Ok(place)
    }

    /// Closes the last segment and begins the next. Where that fails the last one is still the last.
    fn close_segment(&mut self) -> Result<()> {
        self.last.settle()?;
        self.last.sync()?;
        let index = index::keep(&self.last.segment, &self.files, &mut index::locked(&self.last.index));
        let next = Last::begin(&self.folder, self.last.segment.number + 1)?;
        let closed = std::mem::replace(&mut self.last, next).segment;
        self.closed.push(Segment { last: false, index, ..closed });
        Ok(())
    }

    fn sync(&mut self) -> Result<()> {
        self.last.sync()
    }
}

const NEW_FOLDER: &str = "name an empty or a new staging folder";
const ROOM: &str = "see that the disk has room and the staging folder may be written to: what is staged stays, and a sync goes on with it";
const WRITABLE: &str = "name a staging folder that may be written to";

/// Takes the lock, which falls with the process.
fn hold(folder: &Path) -> Result<File> {
    let path = folder.join(LOCK);
    let file = OpenOptions::new().create(true).truncate(false).write(true).open(&path);
    let file = file.map_err(|e| Error::io(&path, &e).with_hint(WRITABLE))?;
    match FileExt::try_lock(&file) {
        Ok(()) => Ok(file),
        Err(fs4::TryLockError::WouldBlock) => {
            Err(Error::new(ErrorKind::Sync, folder.display().to_string(), "another sync holds this staging folder")
                .with_hint("wait until it ends, or give this one another staging folder"))
        }
        Err(fs4::TryLockError::Error(error)) => Err(Error::io(&path, &error)),
    }
}

/// Makes an empty folder a staging folder.
fn mark(folder: &Path, source: &str) -> Result<()> {
    let io = |e: io::Error| Error::io(folder, &e);
    for entry in fs::read_dir(folder).map_err(io)? {
        let name = entry.map_err(io)?.file_name();
        if name != LOCK && !name.to_string_lossy().starts_with(UNFINISHED) {
            return Err(Error::invalid(
                format!("folder {}", folder.display()),
                format!("it is not empty and no staging folder ({} is in it)", name.to_string_lossy()),
            )
            .with_hint(NEW_FOLDER));
        }
    }
    let marker = Marker { format: FORMAT.to_owned(), version: VERSION, source: source.to_owned() };
    let text = serde_json::to_vec(&marker).map_err(|e| io(e.into()))?;
    disk::put(folder, MARKER, &text).map_err(|e| refused(folder, &e))
}

/// Removes what a process that ended early left.
fn remove_unfinished(folder: &Path) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        if entry.file_name().to_string_lossy().starts_with(UNFINISHED) {
            let _left_for_the_next = fs::remove_file(entry.path());
        }
    }
}

/// The disk refused.
fn refused(path: &Path, error: &io::Error) -> Error {
    Error::io(path, error).with_hint(ROOM)
}
