//! Opening a dataset's files: only what is a file, never more of it than was looked for, and what
//! the system refuses told apart from what is damaged.

use std::fs::File;
use std::io::{ErrorKind as IoKind, Read as _};
use std::path::Path;

use sha2::{Digest as _, Sha256};
use tantivy::directory::error::{OpenDirectoryError, OpenReadError};
use tantivy::directory::{Directory as _, MmapDirectory, OwnedBytes};

use super::{FileEntry, MANIFEST, hex};
use crate::{Error, Result};

/// The length of what must be a file: a pipe in its place would keep who opens it waiting.
pub(crate) fn length(path: &Path) -> Result<u64> {
    let metadata = std::fs::metadata(path).map_err(|e| Error::io(path, &e))?;
    if metadata.is_file() {
        Ok(metadata.len())
    } else {
        Err(Error::damaged(path.display().to_string(), "something else stands where a file should"))
    }
}

/// The bytes of a file that has no more than `most`.
pub(crate) fn read(path: &Path, most: u64) -> Result<Vec<u8>> {
    let too_long = || Error::damaged(path.display().to_string(), format!("it has more than {most} bytes"));
    if length(path)? > most {
        return Err(too_long());
    }
    let mut bytes = Vec::new();
    let file = File::open(path).map_err(|e| Error::io(path, &e))?;
    file.take(most + 1).read_to_end(&mut bytes).map_err(|e| Error::io(path, &e))?;
    if bytes.len() as u64 > most { Err(too_long()) } else { Ok(bytes) }
}

/// Whether a file that the manifest names is there and as long as it says.
pub(crate) fn check_length(folder: &Path, entry: &FileEntry) -> Result<()> {
    let path = folder.join(&entry.path);
    let length = length(&path).map_err(|error| missing(folder, &entry.path, error))?;
    if length == entry.length {
        return Ok(());
    }
    let what = format!("it has {length} bytes, the manifest says {}", entry.length);
    Err(Error::damaged(path.display().to_string(), what))
}

/// The bytes of a small file that the manifest names, hashed.
pub(crate) fn read_hashed(folder: &Path, entry: &FileEntry) -> Result<Vec<u8>> {
    check_length(folder, entry)?;
    let bytes = read(&folder.join(&entry.path), entry.length)?;
    check_hash(folder, entry, &hex(&Sha256::digest(&bytes)))?;
    Ok(bytes)
}

/// Hashes a file that the manifest names.
pub(crate) fn hash(folder: &Path, entry: &FileEntry) -> Result<()> {
    check_length(folder, entry)?;
    let path = folder.join(&entry.path);
    let mut file = File::open(&path).map_err(|e| Error::io(&path, &e))?;
    let mut hasher = Sha256::new();
    let mut buffer = vec![0_u8; 1 << 16];
    let mut rest = entry.length;
    loop {
        let read = file.read(&mut buffer).map_err(|e| Error::io(&path, &e))?;
        if read == 0 {
            break;
        }
        hasher.update(buffer.get(..read).unwrap_or_default());
        rest = rest
            .checked_sub(read as u64)
            .ok_or_else(|| Error::damaged(path.display().to_string(), "it grew while it was read"))?;
    }
    check_hash(folder, entry, &hex(&hasher.finalize()))
}

fn check_hash(folder: &Path, entry: &FileEntry, found: &str) -> Result<()> {
    if found == entry.sha256 {
        return Ok(());
    }
    let path = folder.join(&entry.path).display().to_string();
    Err(Error::damaged(path, "its content was altered: the hash does not fit the manifest"))
}

/// Maps a file of a dataset's folder.
pub(crate) fn map(folder: &Path, path: &str) -> Result<OwnedBytes> {
    let whole = folder.join(path);
    length(&whole).map_err(|error| missing(folder, path, error))?;
    let (parent, name) = (whole.parent().unwrap_or(folder), whole.file_name().unwrap_or_default());
    let io = |e: &std::io::Error| missing(folder, path, Error::io(&whole, e));
    let damaged = |what: String| Error::damaged(whole.display().to_string(), what);
    let directory = MmapDirectory::open(parent).map_err(|e| match e {
        OpenDirectoryError::IoError { io_error, .. } | OpenDirectoryError::FailedToCreateTempDir(io_error) => {
            io(&io_error)
        }
        OpenDirectoryError::DoesNotExist(_) => io(&IoKind::NotFound.into()),
        OpenDirectoryError::NotADirectory(_) => damaged("its folder is none".to_owned()),
    })?;
    let file = directory.open_read(Path::new(name)).map_err(|e| match e {
        OpenReadError::IoError { io_error, .. } => io(&io_error),
        OpenReadError::FileDoesNotExist(_) => io(&IoKind::NotFound.into()),
        OpenReadError::IncompatibleIndex(_) => damaged(e.to_string()),
    })?;
    file.read_bytes().map_err(|e| io(&e))
}

/// What it means that a file cannot be opened: where it is not there, while the dataset's manifest is,
/// the dataset is damaged; where that went too, the dataset was removed.
pub(crate) fn missing(folder: &Path, path: &str, error: Error) -> Error {
    if !error.is_not_found() {
        return error;
    }
    match folder.join(MANIFEST).symlink_metadata() {
        Ok(_) => Error::damaged(folder.join(path).display().to_string(), "the file is missing"),
        Err(_) => Error::gone(folder),
    }
}
