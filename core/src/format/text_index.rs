//! Text indexes: one tantivy segment, read through a directory that takes no lock, starts no
//! watcher, never writes, and compares what is read with its checksums first.

use std::io::{Error as IoError, ErrorKind as IoKind};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use tantivy::directory::error::{DeleteError, LockError, OpenReadError, OpenWriteError};
use tantivy::directory::{
    Directory, DirectoryLock, FileHandle, Lock, OwnedBytes, WatchCallback, WatchHandle, WritePtr,
};
use tantivy::{HasLen, Index, SegmentReader, TantivyError};

use super::checked::{CheckedFile, Checksums, Damaged};
use super::home::Home;
use crate::cancel::Cancel;
use crate::{Error, Result};

/// The files of a text index as tantivy reads them.
#[derive(Clone, Debug)]
struct CheckedDirectory {
    /// The dataset's folder.
    folder: PathBuf,
    /// The index's folder in it.
    name: &'static str,
    checksums: Checksums,
}

/// A file of a text index: each read is checked first.
#[derive(Debug)]
struct CheckedHandle(CheckedFile);

impl HasLen for CheckedHandle {
    fn len(&self) -> usize {
        self.0.len()
    }
}

impl FileHandle for CheckedHandle {
    fn read_bytes(&self, range: Range<usize>) -> std::io::Result<OwnedBytes> {
        let damaged = || IoError::new(IoKind::InvalidData, self.0.error());
        if range.start > range.end || range.end > self.0.len() {
            return Err(damaged());
        }
        self.0.check(range.clone()).map_err(|Damaged| damaged())?;
        Ok(self.0.bytes().slice(range))
    }
}

impl CheckedDirectory {
    fn inside(&self, path: &Path) -> String {
        format!("{}/{}", self.name, path.display())
    }

    fn file(&self, path: &Path) -> Result<CheckedFile, OpenReadError> {
        let inside = self.inside(path);
        if self.checksums.of(&inside).is_none() {
            return Err(OpenReadError::FileDoesNotExist(path.to_owned()));
        }
        CheckedFile::map(&self.folder, &inside, &self.checksums)
            .map_err(|error| OpenReadError::wrap_io_error(IoError::other(error), path.to_owned()))
    }
}

fn read_only() -> IoError {
    IoError::new(IoKind::ReadOnlyFilesystem, "a dataset is read-only")
}

impl Directory for CheckedDirectory {
    fn get_file_handle(&self, path: &Path) -> Result<Arc<dyn FileHandle>, OpenReadError> {
        Ok(Arc::new(CheckedHandle(self.file(path)?)))
    }

    fn delete(&self, path: &Path) -> Result<(), DeleteError> {
        Err(DeleteError::IoError { io_error: Arc::new(read_only()), filepath: path.to_owned() })
    }

    fn exists(&self, path: &Path) -> Result<bool, OpenReadError> {
        Ok(self.checksums.of(&self.inside(path)).is_some())
    }

    fn open_write(&self, path: &Path) -> Result<WritePtr, OpenWriteError> {
        Err(OpenWriteError::wrap_io_error(read_only(), path.to_owned()))
    }

    fn atomic_read(&self, path: &Path) -> Result<Vec<u8>, OpenReadError> {
        let handle = CheckedHandle(self.file(path)?);
        let bytes = handle.read_bytes(0..handle.len());
        Ok(bytes.map_err(|e| OpenReadError::wrap_io_error(e, path.to_owned()))?.to_vec())
    }

    fn atomic_write(&self, _path: &Path, _data: &[u8]) -> std::io::Result<()> {
        Err(read_only())
    }

    fn sync_directory(&self) -> std::io::Result<()> {
        Ok(())
    }

    fn acquire_lock(&self, _lock: &Lock) -> Result<DirectoryLock, LockError> {
        Ok(DirectoryLock::from(Box::new(())))
    }

    fn watch(&self, _callback: WatchCallback) -> tantivy::Result<WatchHandle> {
        Ok(WatchHandle::empty())
    }
}

/// A text index, open.
pub(crate) struct TextIndex {
    /// Its folder, for errors.
    folder: PathBuf,
    home: Home,
    segment: SegmentReader,
    /// More terms than its files can hold: who walks terms ends there.
    most_terms: usize,
}

impl std::fmt::Debug for TextIndex {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("TextIndex").field("folder", &self.folder).finish_non_exhaustive()
    }
}

/// Opens the one segment of a text index and checks that it has as many documents as the table
/// whose row numbers are its document numbers.
///
/// # Errors
/// [`ErrorKind::DatasetDamaged`](crate::ErrorKind::DatasetDamaged) if it cannot be opened or counts
/// otherwise.
pub(crate) fn open_text_index(
    folder: &Path,
    name: &'static str,
    checksums: &Checksums,
    documents: u32,
) -> Result<TextIndex> {
    let own = folder.join(name);
    let damaged = |what: String| Error::damaged(own.display().to_string(), what);
    let home = checksums.home();
    let opened = guard(&own, home, || {
        let directory = CheckedDirectory { folder: folder.to_owned(), name, checksums: checksums.clone() };
        let index = Index::open(directory)?;
        let segments = index.searchable_segments()?;
        let [segment] = segments.as_slice() else {
            return Ok(Err(damaged(format!("{} segments where one is written", segments.len()))));
        };
        // Each term has some bits of its own in the file of terms.
        let most_terms = segment.open_read(tantivy::index::SegmentComponent::Terms)?.len().saturating_mul(8);
        let segment = SegmentReader::open(segment)?;
        if segment.max_doc() != documents {
            return Ok(Err(damaged(format!("{} documents for {documents} rows", segment.max_doc()))));
        }
        Ok(Ok(TextIndex { folder: own.clone(), home: home.clone(), segment, most_terms }))
    })?;
    opened.map_err(|error| home.judge(error))
}

impl TextIndex {
    /// Runs a read; what tantivy asserts on damaged bytes is an error.
    pub(crate) fn read<T>(&self, read: impl FnOnce(&SegmentReader) -> tantivy::Result<T>) -> Result<T> {
        guard(&self.folder, &self.home, || read(&self.segment))
    }

    /// As [`Self::read`], for a walk that takes [`Steps`]: where its token ended it, the call is interrupted.
    pub(crate) fn walk<T>(
        &self,
        cancel: &Cancel,
        walk: impl FnOnce(&SegmentReader, &mut Steps<'_>) -> tantivy::Result<T>,
    ) -> Result<T> {
        cancel.check()?;
        let walked = self.read(|segment| walk(segment, &mut Steps { cancel, taken: 0 }));
        if walked.is_err() {
            cancel.check()?;
        }
        walked
    }

    /// The number of a field.
    pub(crate) fn field(&self, name: &str) -> Result<tantivy::schema::Field> {
        self.read(|segment| segment.schema().get_field(name))
    }

    /// How many documents there are.
    pub(crate) fn documents(&self) -> u32 {
        self.segment.max_doc()
    }

    /// How many terms a walk may meet before the index is known to be damaged.
    pub(crate) fn most_terms(&self) -> usize {
        self.most_terms
    }

    /// Walks every term of these fields, and their documents.
    pub(crate) fn check(&self, fields: &[tantivy::schema::Field]) -> Result<()> {
        use tantivy::schema::IndexRecordOption;
        use tantivy::{DocSet as _, TERMINATED};
        self.read(|segment| {
            for field in fields {
                let index = segment.inverted_index(*field)?;
                let mut terms = index.terms().stream()?;
                let mut met = 0;
                while terms.advance() {
                    met += 1;
                    if met > self.most_terms {
                        return Err(damaged("more terms than it has room for"));
                    }
                    let mut postings = index.read_postings_from_terminfo(terms.value(), IndexRecordOption::Basic)?;
                    while postings.doc() != TERMINATED {
                        postings.advance();
                    }
                }
            }
            Ok(())
        })
    }
}

/// Steps of a walk in a text index, which looks at its token now and then.
pub(crate) struct Steps<'a> {
    cancel: &'a Cancel,
    taken: usize,
}

/// Steps between two looks at the token.
const STEPS_A_LOOK: usize = 1 << 10;

impl Steps<'_> {
    /// One more; an error where the call was cancelled.
    pub(crate) fn step(&mut self) -> tantivy::Result<()> {
        self.taken += 1;
        if self.taken.is_multiple_of(STEPS_A_LOOK) && self.cancel.is_cancelled() {
            return Err(TantivyError::InternalError("cancelled".to_owned()));
        }
        Ok(())
    }
}

/// What a read of a text index says where it meets what no index has.
pub(crate) fn damaged(what: &str) -> TantivyError {
    TantivyError::InternalError(what.to_owned())
}

/// Runs a read of a text index; tantivy asserts on some damaged bytes, which becomes an error here.
fn guard<T>(folder: &Path, home: &Home, read: impl FnOnce() -> tantivy::Result<T>) -> Result<T> {
    let run = std::panic::catch_unwind(std::panic::AssertUnwindSafe(read));
    let result = match run {
        Ok(result) => result.map_err(|error| told(folder, &error)),
        Err(_) => Err(Error::damaged(folder.display().to_string(), "the index cannot be read")),
    };
    result.map_err(|error| home.judge(error))
}

/// What tantivy says, as the caller sees it: the damaged file, or what the system refused.
fn told(folder: &Path, error: &TantivyError) -> Error {
    let io = match error {
        TantivyError::IoError(io) => Some(io),
        TantivyError::OpenReadError(OpenReadError::IoError { io_error, .. }) => Some(io_error),
        _ => None,
    };
    let Some(io) = io else { return Error::damaged(folder.display().to_string(), error.to_string()) };
    match io.get_ref().and_then(|inner| inner.downcast_ref::<Error>()) {
        Some(own) => own.clone(),
        None if matches!(io.kind(), IoKind::InvalidData | IoKind::UnexpectedEof | IoKind::InvalidInput) => {
            Error::damaged(folder.display().to_string(), io.to_string())
        }
        // An error of tantivy's own about bytes has no number of the system's.
        None if io.raw_os_error().is_none() && io.kind() == IoKind::Other => {
            Error::damaged(folder.display().to_string(), io.to_string())
        }
        None => Error::io(folder, io),
    }
}
