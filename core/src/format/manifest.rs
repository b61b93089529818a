//! The manifest: small, read and checked at every open.

use std::collections::BTreeMap;
use std::path::{Component, Path};

use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use super::{FORMAT_VERSION, MANIFEST, files};
use crate::fold::FOLDING_VERSION;
use crate::{Error, ErrorKind, Result};

/// What a dataset says of itself.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Manifest {
    /// Format version.
    pub format: u32,
    /// The lowest format version a reader must know.
    pub min_reader: u32,
    /// Version of the text folding that names were indexed with.
    pub folding: u32,
    /// SHA-256 of the manifest itself with this field's digits as zeros: the dataset's identity.
    pub dataset: String,
    /// When the payer's data was read or last changed, RFC 3339 in UTC.
    pub as_of: String,
    /// Where the data came from.
    pub sources: Vec<Source>,
    /// How many plans, packages, formularies, providers and so on, by name.
    pub counts: BTreeMap<String, u64>,
    /// The parts that are there.
    pub parts: Vec<Part>,
    /// Every file but the manifest.
    pub files: Vec<FileEntry>,
}

/// A source of the data.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Source {
    /// `folder` or `fhir`.
    pub kind: String,
    /// The payer's name or base address, where known.
    pub name: Option<String>,
}

/// A unit of shipping and updating.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Part {
    /// `drugs` or `directory`.
    pub name: String,
}

/// A file with its length and hash.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileEntry {
    /// Path inside the dataset's folder, with `/`.
    pub path: String,
    /// Length in bytes.
    pub length: u64,
    /// SHA-256, hexadecimal.
    pub sha256: String,
}

/// Longest manifest, in bytes.
const LONGEST_MANIFEST: u64 = 16 << 20;

const BLANK_ID: &str = "0000000000000000000000000000000000000000000000000000000000000000";

/// The identity of a dataset whose manifest has these bytes.
#[must_use]
pub fn dataset_id(manifest: &[u8], stated: &str) -> String {
    let mut hasher = Sha256::new();
    let at = (stated.len() == BLANK_ID.len())
        .then(|| manifest.windows(stated.len()).position(|window| window == stated.as_bytes()))
        .flatten();
    match at.and_then(|at| Some((manifest.get(..at)?, manifest.get(at + stated.len()..)?))) {
        Some((before, after)) => {
            hasher.update(before);
            hasher.update(BLANK_ID);
            hasher.update(after);
        }
        None => hasher.update(manifest),
    }
    hex(&hasher.finalize())
}

/// The folder name of a dataset inside a store.
#[cfg(feature = "build")]
#[must_use]
pub fn folder_name(format: u32, dataset: &str) -> String {
    let short: String = dataset.chars().take(16).collect();
    format!("v{format}-{short}")
}

/// Lower-case hexadecimal.
pub(crate) fn hex(bytes: &[u8]) -> String {
    let digit = |value: u8| char::from_digit(u32::from(value), 16).unwrap_or('0');
    bytes.iter().flat_map(|byte| [digit(byte >> 4), digit(byte & 15)]).collect()
}

impl Manifest {
    /// A manifest of this library's versions, without an id yet.
    #[must_use]
    pub fn new(as_of: String, sources: Vec<Source>) -> Self {
        Self {
            format: FORMAT_VERSION,
            min_reader: FORMAT_VERSION,
            folding: FOLDING_VERSION,
            dataset: BLANK_ID.to_owned(),
            as_of,
            sources,
            counts: BTreeMap::new(),
            parts: Vec::new(),
            files: Vec::new(),
        }
    }

    /// Its bytes, with the identity filled in.
    ///
    /// # Errors
    /// If it cannot be serialized.
    pub fn seal(mut self) -> Result<(Self, Vec<u8>)> {
        let bytes = |manifest: &Self| {
            let mut bytes = serde_json::to_vec_pretty(manifest)
                .map_err(|e| Error::invalid(MANIFEST, format!("cannot be written: {e}")))?;
            bytes.push(b'\n');
            Ok::<_, Error>(bytes)
        };
        BLANK_ID.clone_into(&mut self.dataset);
        let blank = bytes(&self)?;
        self.dataset = dataset_id(&blank, BLANK_ID);
        let sealed = bytes(&self)?;
        Ok((self, sealed))
    }

    /// Reads and checks the manifest in a dataset's folder.
    ///
    /// # Errors
    /// [`ErrorKind::DatasetTooNew`] for a newer format, [`ErrorKind::DatasetDamaged`] for anything
    /// that is not a sealed manifest, [`ErrorKind::Io`] if it cannot be read.
    pub fn read(folder: &Path) -> Result<Self> {
        let path = folder.join(MANIFEST);
        let bytes = files::read(&path, LONGEST_MANIFEST)
            .map_err(|error| if error.is_not_found() { Error::gone(folder) } else { error })?;
        Self::parse(&bytes).map_err(|e| match e.kind() {
            ErrorKind::DatasetDamaged => e.about(path.display().to_string()),
            _ => e.about(format!("dataset {}", folder.display())),
        })
    }

    fn parse(bytes: &[u8]) -> Result<Self> {
        #[derive(Deserialize)]
        struct Versions {
            format: u32,
            min_reader: u32,
        }
        let versions: Versions =
            serde_json::from_slice(bytes).map_err(|e| Error::damaged(MANIFEST, format!("not a manifest: {e}")))?;
        if versions.min_reader > FORMAT_VERSION {
            return Err(Error::new(
                ErrorKind::DatasetTooNew,
                "dataset",
                format!(
                    "format {} needs a reader of format {}; this one reads up to {FORMAT_VERSION}",
                    versions.format, versions.min_reader
                ),
            )
            .with_hint("update Coverdex, or install a dataset made for this version"));
        }
        let manifest: Self =
            serde_json::from_slice(bytes).map_err(|e| Error::damaged(MANIFEST, format!("not a manifest: {e}")))?;
        if dataset_id(bytes, &manifest.dataset) != manifest.dataset {
            return Err(Error::damaged(MANIFEST, "it was altered: its content does not fit its id"));
        }
        if manifest.folding != FOLDING_VERSION {
            return Err(Error::new(
                ErrorKind::DatasetTooNew,
                "dataset",
                format!("names were folded by version {}, this reader folds by {FOLDING_VERSION}", manifest.folding),
            )
            .with_hint("build the dataset again with this version of Coverdex"));
        }
        let inside = |file: &FileEntry| {
            !file.path.is_empty() && Path::new(&file.path).components().all(|c| matches!(c, Component::Normal(_)))
        };
        if !manifest.files.iter().all(inside) {
            return Err(Error::damaged(MANIFEST, "it names a file outside the dataset"));
        }
        Ok(manifest)
    }

    /// The entry of a file.
    #[must_use]
    pub fn file(&self, path: &str) -> Option<&FileEntry> {
        self.files.iter().find(|file| file.path == path)
    }
}
