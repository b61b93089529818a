//! Which files a folder holds.

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use coverdex_core::Error;

/// A file to look into.
#[derive(Debug)]
pub(super) struct SourceFile {
    /// Where it is.
    pub(super) path: PathBuf,
    /// Its path below the folder, for people.
    pub(super) name: String,
    /// Its length.
    pub(super) bytes: u64,
}

/// What a folder holds.
#[derive(Debug, Default)]
pub(super) struct Found {
    /// Files to look into, sorted by name.
    pub(super) files: Vec<SourceFile>,
    /// What is no file (a socket, a link that leads nowhere).
    pub(super) others: Vec<String>,
}

/// All files below `root`, each once, links followed; a link back up is followed once.
pub(super) fn files(root: &Path) -> Result<Found, Error> {
    let metadata = fs::metadata(root).map_err(|error| {
        Error::io(root, &error).with_hint("name a folder that holds the payer's files, and that you may read")
    })?;
    let mut found = Found::default();
    if metadata.is_file() {
        let name = root.file_name().unwrap_or(root.as_os_str()).to_string_lossy().into_owned();
        found.files.push(SourceFile { path: root.to_owned(), name, bytes: metadata.len() });
        return Ok(found);
    }
    let mut visited = BTreeSet::new();
    let mut folders = vec![root.to_owned()];
    while let Some(folder) = folders.pop() {
        if visited.insert(canonical(&folder)?) {
            look_into(root, &folder, &mut visited, &mut folders, &mut found)?;
        }
    }
    found.files.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(found)
}

fn look_into(
    root: &Path,
    folder: &Path,
    visited: &mut BTreeSet<PathBuf>,
    folders: &mut Vec<PathBuf>,
    found: &mut Found,
) -> Result<(), Error> {
    let unreadable = |error: io::Error| Error::io(folder, &error);
    let mut paths: Vec<PathBuf> = Vec::new();
    for entry in fs::read_dir(folder).map_err(unreadable)? {
        let entry = entry.map_err(unreadable)?;
        if !entry.file_name().as_encoded_bytes().starts_with(b".") {
            paths.push(entry.path());
        }
    }
    paths.sort();
    for path in paths {
        let name = path.strip_prefix(root).unwrap_or(&path).to_string_lossy().into_owned();
        match fs::metadata(&path) {
            Ok(metadata) if metadata.is_dir() => folders.push(path),
            Ok(metadata) if metadata.is_file() => {
                if visited.insert(canonical(&path)?) {
                    found.files.push(SourceFile { path, name, bytes: metadata.len() });
                }
            }
            Err(error) if promises_resources(&path) => {
                return Err(Error::io(&path, &error).with_hint("mend or remove the link"));
            }
            Ok(_) | Err(_) => found.others.push(name),
        }
    }
    Ok(())
}

fn canonical(path: &Path) -> Result<PathBuf, Error> {
    fs::canonicalize(path).map_err(|error| Error::io(path, &error))
}

/// Whether a file's name says that it holds JSON: only then is one that cannot be decoded at all an
/// error and not just another file.
pub(super) fn promises_resources(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy().to_ascii_lowercase();
    let bare = [".gz", ".zst", ".zstd", ".gzip"].iter().find_map(|end| name.strip_suffix(end)).unwrap_or(&name);
    [".ndjson", ".jsonl", ".json"].iter().any(|end| bare.ends_with(end))
}
