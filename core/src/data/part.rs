//! The directory part of a dataset, opened at the first question.

use std::path::{Path, PathBuf};

use super::directory::Directory;
use crate::format::{Checksums, DIRECTORY_PART, Manifest};
use crate::lazy::Lazy;
use crate::{Error, ErrorKind, Result};

/// A dataset's directory part, opened at the first question.
#[derive(Debug)]
pub(crate) struct DirectoryPart {
    /// The dataset's folder; `None`: the dataset has no such part.
    folder: Option<PathBuf>,
    checksums: Checksums,
    directory: Lazy<Directory>,
}

impl DirectoryPart {
    pub(crate) fn new(folder: &Path, manifest: &Manifest, checksums: &Checksums) -> Self {
        let there = manifest.part(DIRECTORY_PART).is_some();
        let checksums = checksums.clone();
        Self { folder: there.then(|| folder.to_owned()), checksums, directory: Lazy::default() }
    }

    pub(crate) fn is_there(&self) -> bool {
        self.folder.is_some()
    }

    pub(crate) fn get(&self) -> Result<&Directory> {
        let folder = self.folder.as_ref().ok_or_else(no_directory)?;
        let directory = self.directory.get(|| Directory::open(folder, &self.checksums))?;
        directory.check_unchanged()?;
        Ok(directory)
    }
}

/// The error for a dataset without a directory.
pub(crate) fn no_directory() -> Error {
    Error::new(ErrorKind::NotFound, "provider directory", "this dataset has none")
        .with_hint("build it from a source that has PractitionerRole resources")
}
