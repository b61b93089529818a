//! Checking every byte of a dataset against its manifest.

use std::fs::File;
use std::io::Read as _;
use std::path::Path;

use sha2::{Digest as _, Sha256};

use super::Dataset;
use crate::format::{self, FileEntry, Manifest, hex};
use crate::{Error, Result};

/// A dataset whose every byte is as the builder wrote it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Verified {
    /// The dataset's id.
    pub dataset: String,
    /// Files checked, the manifest included.
    pub files: usize,
    /// Bytes hashed.
    pub bytes: u64,
}

/// Hashes every file of a dataset (or of a store's live one), opens it, and lets SQLite and the
/// text index check themselves.
///
/// # Errors
/// As [`Dataset::open`], and [`DatasetDamaged`](crate::ErrorKind::DatasetDamaged) for the first file
/// whose content is not what the manifest says.
pub fn verify(path: impl AsRef<Path>) -> Result<Verified> {
    let folder = format::locate(path.as_ref())?.folder;
    let manifest = Manifest::read(&folder)?;
    let mut bytes = 0;
    for file in &manifest.files {
        bytes += check_file(&folder, file, true)?;
    }
    let dataset = Dataset::open(&folder)?;
    dataset.inner.database.with_any(|connection| {
        let says: String = connection
            .query_row("PRAGMA integrity_check(1)", [], |row| row.get(0))
            .map_err(|e| dataset.inner.database.error(&e))?;
        if says == "ok" { Ok(()) } else { Err(Error::damaged(format::DATABASE, says)) }
    })?;
    dataset.check_parts()?;
    dataset.check_directory()?;
    Ok(Verified { dataset: manifest.dataset, files: manifest.files.len() + 1, bytes })
}

/// Checks a file's length and, if `hash`, its content; returns how many bytes were hashed.
pub(super) fn check_file(folder: &Path, file: &FileEntry, hash: bool) -> Result<u64> {
    let path = folder.join(&file.path);
    let subject = path.display().to_string();
    let mut open = File::open(&path).map_err(|e| match e.kind() {
        std::io::ErrorKind::NotFound => Error::damaged(subject.clone(), "the file is missing"),
        _ => Error::io(&path, &e),
    })?;
    let length = open.metadata().map_err(|e| Error::io(&path, &e))?.len();
    if length != file.length {
        return Err(Error::damaged(subject, format!("it has {length} bytes, the manifest says {}", file.length)));
    }
    if !hash {
        return Ok(0);
    }
    let mut hasher = Sha256::new();
    let mut buffer = vec![0_u8; 1 << 16];
    loop {
        let read = open.read(&mut buffer).map_err(|e| Error::io(&path, &e))?;
        if read == 0 {
            break;
        }
        hasher.update(buffer.get(..read).unwrap_or_default());
    }
    if hex(&hasher.finalize()) != file.sha256 {
        return Err(Error::damaged(subject, "its content was altered: the hash does not fit the manifest"));
    }
    Ok(length)
}
