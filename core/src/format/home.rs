//! Which dataset was opened from which folder, and whether it is still that one: a folder may be removed, or hold
//! another dataset, while it is read.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::Manifest;
use crate::{Error, ErrorKind, Result};

/// The folder of an opened dataset, and the dataset's id. By default nobody's: for bytes that are in no dataset.
#[derive(Clone, Debug, Default)]
pub(crate) struct Home(Option<Arc<Inner>>);

#[derive(Debug)]
struct Inner {
    folder: PathBuf,
    dataset: String,
}

impl Home {
    pub(crate) fn new(folder: &Path, manifest: &Manifest) -> Self {
        Self(Some(Arc::new(Inner { folder: folder.to_owned(), dataset: manifest.dataset.clone() })))
    }

    /// What an error of reading the dataset's files is to the caller: a file that is missing or other than it was
    /// written is damage only while the folder holds the dataset that was opened.
    pub(crate) fn judge(&self, error: Error) -> Error {
        let is_missing = error.is_not_found();
        if self.0.is_none() || !is_missing && error.kind() != ErrorKind::DatasetDamaged {
            return error;
        }
        match self.check() {
            Ok(()) if is_missing => Error::damaged(error.subject(), "the file is missing"),
            Ok(()) => error,
            Err(other) => other,
        }
    }

    /// An error unless the folder still holds the dataset that was opened. Reads its manifest.
    pub(crate) fn check(&self) -> Result<()> {
        let Some(home) = &self.0 else { return Ok(()) };
        match Manifest::read(&home.folder) {
            Ok(manifest) if manifest.dataset == home.dataset => Ok(()),
            Err(refused) if refused.kind() == ErrorKind::Io => Err(refused),
            _ => Err(Error::replaced(&home.folder)),
        }
    }

    /// The error for a dataset whose files are no longer those that were opened.
    pub(crate) fn replaced(&self) -> Error {
        Error::replaced(self.0.as_ref().map_or(Path::new(""), |home| &home.folder))
    }
}
