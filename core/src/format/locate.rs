//! A store holds datasets side by side and a small file that names the live one; a bare dataset
//! folder is read as it is.

use std::path::{Path, PathBuf};

use super::{MANIFEST, files};
use crate::{Error, ErrorKind, Result};

/// The file of a store that names the live dataset's folder.
pub const CURRENT: &str = "CURRENT";

/// Longest content of `CURRENT`, in bytes.
const LONGEST_CURRENT: u64 = 4_096;

/// How often a store's live dataset may be replaced while it is looked for.
const MOST_MOVES: usize = 16;

/// Where a dataset was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Located {
    /// The dataset's own folder.
    pub folder: PathBuf,
    /// The store that it is the live dataset of, if it was found through one.
    pub store: Option<PathBuf>,
}

/// Finds the dataset that `path` means: the folder itself, or the live dataset of a store. What is found has an
/// absolute path, so that it stays the same whatever folder the process works in later.
///
/// # Errors
/// [`ErrorKind::DatasetMissing`] if there is neither, [`ErrorKind::DatasetDamaged`] if a store's
/// `CURRENT` names nothing usable, [`ErrorKind::Io`] if the system refuses.
pub fn locate(path: &Path) -> Result<Located> {
    let stated = path;
    let path = &absolute(stated)?;
    if exists(&path.join(MANIFEST))? {
        return Ok(Located { folder: path.clone(), store: None });
    }
    let current = path.join(CURRENT);
    if !exists(&current)? {
        let what = if path.is_file() {
            "a file, not a folder"
        } else if path.is_dir() {
            "neither a dataset (no manifest.json) nor a store of datasets (no CURRENT)"
        } else {
            "no such folder"
        };
        return Err(Error::new(ErrorKind::DatasetMissing, format!("dataset {}", stated.display()), what)
            .with_hint("build a dataset, or name the folder of one"));
    }
    let mut folder = named_by(path, &current)?;
    for _ in 0..MOST_MOVES {
        if exists(&folder.join(MANIFEST))? {
            return Ok(Located { folder, store: Some(path.clone()) });
        }
        let before = std::mem::replace(&mut folder, named_by(path, &current)?);
        if before == folder {
            break;
        }
    }
    let name = folder.file_name().unwrap_or_default().display().to_string();
    let what = format!("it names {name}, and there is no dataset in that folder");
    Err(Error::damaged(current.display().to_string(), what))
}

/// Reads the dataset that `path` means; again, if a store's live dataset was replaced meanwhile (the former
/// one may have been cleared away), or the folder holds another dataset by then.
pub(crate) fn read_located<T>(path: &Path, read: impl Fn(&Path) -> Result<T>) -> Result<T> {
    let mut folder = locate(path)?.folder;
    for _ in 0..MOST_MOVES {
        let error = match read(&folder) {
            Err(error) => error,
            read => return read,
        };
        let before = std::mem::replace(&mut folder, locate(path)?.folder);
        if before == folder && !error.is_moved() {
            return Err(error);
        }
    }
    read(&folder)
}

/// The folder that a store's `CURRENT` names.
fn named_by(store: &Path, current: &Path) -> Result<PathBuf> {
    let damaged = || Error::damaged(current.display().to_string(), "it does not name a dataset folder");
    let bytes = files::read(store, CURRENT, LONGEST_CURRENT)?;
    let text = std::str::from_utf8(&bytes).map_err(|_| damaged())?;
    let name = text.trim();
    let plain = !name.is_empty() && name.len() < 200 && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '-');
    if plain { Ok(store.join(name)) } else { Err(damaged()) }
}

fn absolute(path: &Path) -> Result<PathBuf> {
    let path = if path.as_os_str().is_empty() { Path::new(".") } else { path };
    std::path::absolute(path).map_err(|e| Error::io(path, &e))
}

/// Whether something has this path; nothing has one that no file can have, or whose folder is a link that leads
/// nowhere.
fn exists(path: &Path) -> Result<bool> {
    use std::io::ErrorKind as IoKind;
    match path.symlink_metadata() {
        Ok(_) => Ok(true),
        Err(e) => match e.kind() {
            IoKind::NotFound | IoKind::NotADirectory | IoKind::InvalidFilename | IoKind::InvalidInput => Ok(false),
            _ if path.parent().is_some_and(files::is_link_to_nowhere) => Ok(false),
            _ => Err(Error::io(path, &e)),
        },
    }
}
