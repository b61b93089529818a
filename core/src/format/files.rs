//! Opening a dataset's files: only what is a file, never more of it than was looked for, and what
//! the system refuses told apart from what is damaged.

use std::fs::File;
use std::io::{ErrorKind as IoKind, Read as _};
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Instant, SystemTime};

use sha2::{Digest as _, Sha256};
use tantivy::directory::error::{OpenDirectoryError, OpenReadError};
use tantivy::directory::{Directory as _, MmapDirectory, OwnedBytes};

use super::{FileEntry, hex};
use crate::{Cancel, Error, Result};

/// Links that are followed before they are known to lead round in a circle.
const MOST_LINKS: usize = 64;

/// The length of what must be a file: a pipe in its place would keep who opens it waiting.
pub(crate) fn length(folder: &Path, inside: &str) -> Result<u64> {
    let path = folder.join(inside);
    let metadata = std::fs::metadata(&path).map_err(|error| {
        let mut ways = Path::new(inside).ancestors().filter(|way| !way.as_os_str().is_empty());
        if ways.any(|way| is_link_to_nowhere(&folder.join(way))) {
            Error::damaged(path.display().to_string(), "a link that leads nowhere stands where a file should")
        } else {
            Error::io(&path, &error)
        }
    })?;
    if metadata.is_file() {
        Ok(metadata.len())
    } else {
        Err(Error::damaged(path.display().to_string(), "something else stands where a file should"))
    }
}

/// Whether a symbolic link is here that leads to nothing, or round in a circle: reading it again will not help.
pub(crate) fn is_link_to_nowhere(path: &Path) -> bool {
    let mut at = path.to_owned();
    for followed in 0..MOST_LINKS {
        match at.symlink_metadata() {
            Ok(metadata) if metadata.is_symlink() => {}
            Ok(_) => return false,
            Err(error) => {
                return followed > 0 && matches!(error.kind(), IoKind::NotFound | IoKind::NotADirectory);
            }
        }
        let Ok(target) = at.read_link() else { return false };
        at = at.parent().unwrap_or(Path::new("")).join(target);
    }
    true
}

/// The bytes of a file that has no more than `most`.
pub(crate) fn read(folder: &Path, inside: &str, most: u64) -> Result<Vec<u8>> {
    let path = folder.join(inside);
    let too_long = || Error::damaged(path.display().to_string(), format!("it has more than {most} bytes"));
    if length(folder, inside)? > most {
        return Err(too_long());
    }
    let mut bytes = Vec::new();
    let file = File::open(&path).map_err(|e| Error::io(&path, &e))?;
    file.take(most.saturating_add(1)).read_to_end(&mut bytes).map_err(|e| Error::io(&path, &e))?;
    if bytes.len() as u64 > most { Err(too_long()) } else { Ok(bytes) }
}

/// Whether a file that the manifest names is there and as long as it says.
pub(crate) fn check_length(folder: &Path, entry: &FileEntry) -> Result<()> {
    let length = length(folder, &entry.path)?;
    if length == entry.length {
        return Ok(());
    }
    let what = format!("it has {length} bytes, the manifest says {}", entry.length);
    Err(Error::damaged(folder.join(&entry.path).display().to_string(), what))
}

/// The bytes of a small file that the manifest names, hashed.
pub(crate) fn read_hashed(folder: &Path, entry: &FileEntry) -> Result<Vec<u8>> {
    check_length(folder, entry)?;
    let bytes = read(folder, &entry.path, entry.length)?;
    check_hash(folder, entry, &hex(&Sha256::digest(&bytes)))?;
    Ok(bytes)
}

/// Hashes a file that the manifest names.
pub(crate) fn hash(folder: &Path, entry: &FileEntry, cancel: &Cancel) -> Result<()> {
    hash_into(folder, entry, cancel, |_| Ok(()))
}

/// Hashes a file that the manifest names, and gives its bytes on, before it is known whether they are right.
pub(crate) fn hash_into(
    folder: &Path,
    entry: &FileEntry,
    cancel: &Cancel,
    mut give: impl FnMut(&[u8]) -> Result<()>,
) -> Result<()> {
    check_length(folder, entry)?;
    let path = folder.join(&entry.path);
    let mut file = File::open(&path).map_err(|e| Error::io(&path, &e))?;
    let mut hasher = Sha256::new();
    let mut buffer = vec![0_u8; 1 << 16];
    let mut rest = entry.length;
    loop {
        cancel.check()?;
        let read = file.read(&mut buffer).map_err(|e| Error::io(&path, &e))?;
        if read == 0 {
            break;
        }
        let bytes = buffer.get(..read).unwrap_or_default();
        hasher.update(bytes);
        give(bytes)?;
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

/// Maps a file of a dataset's folder, of which [`length`] says that it is one.
pub(crate) fn map(folder: &Path, path: &str) -> Result<OwnedBytes> {
    let whole = folder.join(path);
    let (parent, name) = (whole.parent().unwrap_or(folder), whole.file_name().unwrap_or_default());
    let io = |e: &std::io::Error| Error::io(&whole, e);
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

/// Sees whether a file is written to after it was opened. What is mapped of a file stays when another takes its
/// place, but not when it is itself written to.
#[derive(Debug)]
pub(crate) struct Watch {
    file: File,
    seen: Mutex<State>,
    begun: Instant,
    /// Nanoseconds after `begun` at which the file was last seen unchanged.
    looked: AtomicU64,
}

/// Nanoseconds between two looks at a watched file. A look costs as much as a short read of the database, and a page
/// of drugs has dozens of these; who writes a file over takes longer than this.
const LOOK_EVERY: u64 = 100_000;

/// A file's length and when it was written to last.
pub(crate) type State = (u64, Option<SystemTime>);

impl Watch {
    pub(crate) fn of(path: &Path) -> Result<Self> {
        let file = File::open(path).map_err(|e| Error::io(path, &e))?;
        let seen = Mutex::new(state_of(&file).map_err(|e| Error::io(path, &e))?);
        Ok(Self { file, seen, begun: Instant::now(), looked: AtomicU64::new(0) })
    }

    /// As [`Self::changed`], as of the last tenth of a millisecond.
    pub(crate) fn changed_lately(&self) -> Option<State> {
        let now = u64::try_from(self.begun.elapsed().as_nanos()).unwrap_or(u64::MAX);
        if now.saturating_sub(self.looked.load(Ordering::Relaxed)) < LOOK_EVERY {
            return None;
        }
        let changed = self.changed();
        if changed.is_none() {
            self.looked.store(now, Ordering::Relaxed);
        }
        changed
    }

    /// The file's state, if it is not what was seen last; that of no file where the system tells none.
    pub(crate) fn changed(&self) -> Option<State> {
        let state = state_of(&self.file).unwrap_or((u64::MAX, None));
        let seen = *self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        (state != seen).then_some(state)
    }

    /// Takes a state for that of the file as it was opened.
    pub(crate) fn accept(&self, state: State) {
        *self.seen.lock().unwrap_or_else(PoisonError::into_inner) = state;
    }
}

fn state_of(file: &File) -> std::io::Result<State> {
    let metadata = file.metadata()?;
    Ok((metadata.len(), metadata.modified().ok()))
}
