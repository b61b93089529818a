//! Writing a staging folder: one writer at a time, append only.

use std::collections::HashMap;
use std::fs::{self, File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};

use coverdex_core::{Error, ErrorKind, Result};
use fs4::FileExt;

use super::reader::{Live, Staging};
use super::record::{self, Begin, Finish, Header, PageHeader, Pass, PassEnd, Place};
use super::segment::{self, MAGIC, Segment, Step, Walk};
use super::{FORMAT, MARKER, Marker, VERSION, read_marker};

/// A segment that has grown past this is closed and the next one begun.
const SEGMENT_BYTES: u64 = if cfg!(test) { 2_000 } else { 256 << 20 };
/// So much may be lost to a power cut (never to a killed process): the disk is told to keep it then.
const SYNC_BYTES: u64 = 8 << 20;
const LOCK: &str = "lock";
/// Begins the names of files that are not finished yet.
const UNFINISHED: &str = ".unfinished-";

/// A staging folder, held for writing.
#[derive(Debug)]
pub struct StagingWriter {
    folder: PathBuf,
    source: String,
    /// Held until dropped.
    _lock: File,
    file: File,
    segment: u32,
    at: u64,
    unsynced: u64,
    live: Live,
    /// The newest pass over each query in the newest generation.
    passes: HashMap<String, PassState>,
    /// The last complete pass over each query before the newest generation.
    former: HashMap<String, PassState>,
}

/// How far a pass has come.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PassState {
    /// Which pass.
    pub pass: Pass,
    /// Where its first page stands.
    pub first: Option<Place>,
    /// How many pages it has.
    pub pages: u32,
    /// Entries of its pages, repeated ones included.
    pub entries: u64,
    /// How many more that are no resource.
    pub unreadable: u64,
    /// Why one of its pages may not hold all that it should.
    pub flaw: Option<String>,
    /// Where it goes on: the last page's next link.
    pub next: Option<String>,
    /// How it ended, if it did.
    pub end: Option<PassEnd>,
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
        let mut writer = Self {
            folder: folder.to_owned(),
            source: source.to_owned(),
            _lock: lock,
            file: File::open(folder.join(MARKER)).map_err(|e| Error::io(folder, &e))?,
            segment: 0,
            at: 0,
            unsynced: 0,
            live: Live::default(),
            passes: HashMap::new(),
            former: HashMap::new(),
        };
        writer.recover()?;
        Ok(writer)
    }

    /// Reads what is there and opens the last segment behind its last good record.
    fn recover(&mut self) -> Result<()> {
        let segments = segment::list(&self.folder)?;
        let mut end = 0;
        for segment in &segments {
            let mut walk = Walk::open(segment)?;
            loop {
                match walk.step()? {
                    Step::Record(place, head) => {
                        if segment.last
                            && let Step::Torn(at) = walk.check_body(place, &head)?
                        {
                            end = at;
                            break;
                        }
                        self.note(&head.header, place);
                    }
                    Step::End => {
                        end = walk.position();
                        break;
                    }
                    Step::Torn(at) => {
                        end = at;
                        break;
                    }
                }
            }
        }
        match segments.last() {
            Some(last) => self.continue_segment(last, end),
            None => self.begin_segment(1),
        }
    }

    fn continue_segment(&mut self, segment: &Segment, end: u64) -> Result<()> {
        let io = |e: std::io::Error| Error::io(&segment.path, &e);
        let file = OpenOptions::new().read(true).append(true).open(&segment.path).map_err(io)?;
        file.set_len(end).map_err(io)?;
        (self.file, self.segment, self.at) = (file, segment.number, end);
        if end == 0 { self.write(&MAGIC) } else { Ok(()) }
    }

    fn begin_segment(&mut self, number: u32) -> Result<()> {
        let segment = Segment::new(&self.folder, number);
        self.file = OpenOptions::new()
            .create_new(true)
            .read(true)
            .append(true)
            .open(&segment.path)
            .map_err(|e| Error::io(&segment.path, &e))?;
        (self.segment, self.at) = (number, 0);
        self.write(&MAGIC)?;
        sync_folder(&self.folder)
    }

    fn note(&mut self, header: &Header, place: Place) {
        self.live.note(header);
        match header {
            Header::Begin(_) => {
                for (query, state) in self.passes.drain() {
                    if state.end.as_ref().is_some_and(|end| end.complete) {
                        self.former.insert(query, state);
                    }
                }
            }
            Header::Page(page) => {
                let state = self.passes.entry(page.pass.query.clone()).or_insert_with(|| PassState::new(&page.pass));
                if state.pass < page.pass {
                    *state = PassState::new(&page.pass);
                }
                state.first.get_or_insert(place);
                state.pages += 1;
                state.entries += u64::from(page.entries);
                state.unreadable += u64::from(page.unreadable);
                state.flaw = state.flaw.take().or_else(|| page.flaw.clone());
                state.next.clone_from(&page.next);
                state.end = None;
            }
            Header::End(end) => {
                let state = self.passes.entry(end.pass.query.clone()).or_insert_with(|| PassState::new(&end.pass));
                if state.pass < end.pass {
                    *state = PassState::new(&end.pass);
                }
                state.end = Some(end.clone());
            }
            Header::Finish(_) => {}
        }
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
        self.passes.get(query)
    }

    /// The last complete pass over a query before the newest generation.
    #[must_use]
    pub fn former(&self, query: &str) -> Option<&PassState> {
        self.former.get(query)
    }

    #[cfg(test)]
    pub(super) fn begin(&mut self, as_of: &str, selection: &str, changes_only: bool) -> Result<u32> {
        let (as_of, selection) = (as_of.to_owned(), selection.to_owned());
        self.start(Begin { generation: 0, as_of, server_time: None, selection, changes_only })
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
        let mut segments = segment::list(&self.folder)?;
        if let Some(last) = segments.last_mut() {
            last.limit = Some(self.at);
        }
        Ok(Staging::snapshot(&self.folder, &self.source, segments, self.live.clone()))
    }

    /// The folder.
    #[must_use]
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    fn append(&mut self, header: &Header, body: &[u8]) -> Result<Place> {
        let record = record::encode(header, body).map_err(|e| Error::io(&self.folder, &e))?;
        if self.at > SEGMENT_BYTES {
            self.sync()?;
            self.begin_segment(self.segment + 1)?;
        }
        let place = Place { segment: self.segment, offset: self.at };
        self.write(&record)?;
        self.note(header, place);
        if self.unsynced >= SYNC_BYTES {
            self.sync()?;
        }
        Ok(place)
    }

    fn write(&mut self, bytes: &[u8]) -> Result<()> {
        if let Err(error) = self.file.write_all(bytes) {
            // A full disk must not leave half a record in the middle of what comes later.
            let _ = self.file.set_len(self.at);
            return Err(Error::io(&self.folder, &error));
        }
        self.at += bytes.len() as u64;
        self.unsynced += bytes.len() as u64;
        Ok(())
    }

    fn sync(&mut self) -> Result<()> {
        self.unsynced = 0;
        self.file.sync_data().map_err(|e| Error::io(&self.folder, &e))
    }
}

impl PassState {
    fn new(pass: &Pass) -> Self {
        Self { pass: pass.clone(), first: None, pages: 0, entries: 0, unreadable: 0, flaw: None, next: None, end: None }
    }
}

const NEW_FOLDER: &str = "name an empty or a new staging folder";
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
    let io = |e: std::io::Error| Error::io(folder, &e);
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
    let mut file = tempfile::Builder::new().prefix(UNFINISHED).tempfile_in(folder).map_err(io)?;
    file.write_all(&text).map_err(io)?;
    file.as_file().sync_all().map_err(io)?;
    file.persist(folder.join(MARKER)).map_err(|e| io(e.error))?;
    sync_folder(folder)
}

/// Makes new names in a folder outlast a power cut, where the system can.
fn sync_folder(folder: &Path) -> Result<()> {
    if cfg!(unix) {
        File::open(folder).and_then(|f| f.sync_all()).map_err(|e| Error::io(folder, &e))?;
    }
    Ok(())
}
