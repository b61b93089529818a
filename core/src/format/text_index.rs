//! Text indexes: one tantivy segment, read through a directory that takes no lock, starts no
//! watcher and never writes.

use std::path::Path;
use std::sync::Arc;

use tantivy::directory::error::{DeleteError, LockError, OpenReadError, OpenWriteError};
use tantivy::directory::{
    Directory, DirectoryLock, FileHandle, Lock, MmapDirectory, WatchCallback, WatchHandle, WritePtr,
};
use tantivy::{Index, SegmentReader};

use crate::{Error, Result};

/// tantivy's memory-mapped files without its lock file, watcher and writes.
#[derive(Clone, Debug)]
struct ReadOnlyDirectory(MmapDirectory);

fn read_only() -> std::io::Error {
    std::io::Error::new(std::io::ErrorKind::ReadOnlyFilesystem, "a dataset is read-only")
}

impl Directory for ReadOnlyDirectory {
    fn get_file_handle(&self, path: &Path) -> Result<Arc<dyn FileHandle>, OpenReadError> {
        self.0.get_file_handle(path)
    }

    fn delete(&self, path: &Path) -> Result<(), DeleteError> {
        Err(DeleteError::IoError { io_error: Arc::new(read_only()), filepath: path.to_owned() })
    }

    fn exists(&self, path: &Path) -> Result<bool, OpenReadError> {
        self.0.exists(path)
    }

    fn open_write(&self, path: &Path) -> Result<WritePtr, OpenWriteError> {
        Err(OpenWriteError::wrap_io_error(read_only(), path.to_owned()))
    }

    fn atomic_read(&self, path: &Path) -> Result<Vec<u8>, OpenReadError> {
        if path.ends_with(".managed.json") {
            return Err(OpenReadError::FileDoesNotExist(path.to_owned()));
        }
        self.0.atomic_read(path)
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

/// Opens the one segment of a text index and checks that it has as many documents as the table
/// whose row numbers are its document numbers.
///
/// # Errors
/// [`ErrorKind::DatasetDamaged`](crate::ErrorKind::DatasetDamaged) if it cannot be opened or counts
/// otherwise.
pub fn open_text_index(folder: &Path, documents: u64) -> Result<(Index, SegmentReader)> {
    let damaged = |what: String| Error::damaged(folder.display().to_string(), what);
    guard(folder, || {
        let directory = MmapDirectory::open(folder).map_err(|e| damaged(e.to_string()))?;
        let index = Index::open(ReadOnlyDirectory(directory)).map_err(|e| damaged(e.to_string()))?;
        let segments = index.searchable_segments().map_err(|e| damaged(e.to_string()))?;
        let [segment] = segments.as_slice() else {
            return Err(damaged(format!("{} segments where one is written", segments.len())));
        };
        let reader = SegmentReader::open(segment).map_err(|e| damaged(e.to_string()))?;
        if u64::from(reader.max_doc()) != documents {
            return Err(damaged(format!("{} documents for {documents} rows", reader.max_doc())));
        }
        Ok((index, reader))
    })
}

/// Runs a read of a text index; tantivy asserts on some damaged bytes, which becomes an error here.
pub(crate) fn guard<T>(folder: &Path, read: impl FnOnce() -> Result<T>) -> Result<T> {
    std::panic::catch_unwind(std::panic::AssertUnwindSafe(read))
        .unwrap_or_else(|_| Err(Error::damaged(folder.display().to_string(), "the index cannot be read")))
}
