//! A store holds datasets side by side and a small file that names the live one; a bare dataset
//! folder is read as it is.

use std::fmt;
use std::path::{Path, PathBuf};

use super::{MANIFEST, files};
use crate::{Error, ErrorKind, Result};

/// The file of a store that names the live dataset's folder and, in a second line, that of the one before.
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

/// The folder that a store's `CURRENT` names live.
fn named_by(store: &Path, current: &Path) -> Result<PathBuf> {
    let names = Names::read(store)?.ok_or_else(|| Error::io(current, &std::io::ErrorKind::NotFound.into()))?;
    Ok(store.join(names.live))
}

/// The names of a store's folders in its `CURRENT`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Names {
    /// The live dataset's.
    pub(crate) live: String,
    /// That of the one before it, which may be gone.
    pub(crate) former: Option<String>,
}

impl Names {
    /// What a store's `CURRENT` says; nothing where there is none.
    pub(crate) fn read(store: &Path) -> Result<Option<Self>> {
        let current = store.join(CURRENT);
        if !exists(&current)? {
            return Ok(None);
        }
        let bytes = files::read(store, CURRENT, LONGEST_CURRENT)?;
        let names = std::str::from_utf8(&bytes).ok().and_then(Self::parse);
        let damaged = || Error::damaged(current.display().to_string(), "it does not name a dataset folder");
        names.map(Some).ok_or_else(damaged)
    }

    fn parse(text: &str) -> Option<Self> {
        let mut lines = text.trim().lines();
        let live = lines.next().filter(|name| is_plain_name(name))?.to_owned();
        let former = lines.next().map(str::to_owned);
        let is_right = former.as_ref().is_none_or(|former| is_dataset_name(former) && *former != live);
        (is_right && lines.next().is_none()).then_some(Self { live, former })
    }
}

impl fmt::Display for Names {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}", self.live)?;
        self.former.iter().try_for_each(|former| writeln!(f, "{former}"))
    }
}

fn is_plain_name(name: &str) -> bool {
    !name.is_empty() && name.len() < 200 && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '-')
}

/// Whether a folder of a store has the name of a dataset's.
pub(crate) fn is_dataset_name(name: &str) -> bool {
    name.strip_prefix('v').and_then(|rest| rest.split_once('-')).is_some_and(|(version, id)| {
        !version.is_empty()
            && version.bytes().all(|b| b.is_ascii_digit())
            && id.len() == 16
            && id.bytes().all(|b| b.is_ascii_hexdigit())
    })
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
