//! Checking every byte of a dataset against its manifest.

use std::path::Path;

use super::Dataset;
use crate::format::{self, Home, Manifest};
use crate::{Cancel, Damage, Error, Result};

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
/// ```
/// # coverdex_tests::with_payer(|path| {
/// use coverdex_core::{Dataset, verify};
///
/// let verified = verify(path)?;
/// assert_eq!(verified.dataset, Dataset::open(path)?.manifest().dataset);
/// println!("{} files, {} bytes, all as they were written", verified.files, verified.bytes);
/// # Ok(())
/// # });
/// ```
///
/// # Errors
/// As [`Dataset::open`], and [`DatasetDamaged`](crate::ErrorKind::DatasetDamaged) if the content of a file is not
/// what the manifest says: [`Error::damages`] names every one.
pub fn verify(path: impl AsRef<Path>) -> Result<Verified> {
    verify_cancelled_by(path, &Cancel::default())
}

/// As [`verify`], for who may not want to wait for the end.
///
/// ```
/// # coverdex_tests::with_payer(|path| {
/// use coverdex_core::{Cancel, ErrorKind, verify_cancelled_by};
///
/// let cancel = Cancel::new();
/// cancel.cancel(); // from another thread
/// assert_eq!(verify_cancelled_by(path, &cancel).unwrap_err().kind(), ErrorKind::Interrupted);
/// # Ok(())
/// # });
/// ```
///
/// # Errors
/// As [`verify`], and [`Interrupted`](crate::ErrorKind::Interrupted) by the token.
pub fn verify_cancelled_by(path: impl AsRef<Path>, cancel: &Cancel) -> Result<Verified> {
    format::read_located(path.as_ref(), |folder| verify_folder(folder, cancel))
}

pub(crate) fn verify_folder(folder: &Path, cancel: &Cancel) -> Result<Verified> {
    let manifest = Manifest::read(folder)?;
    let home = Home::new(folder, &manifest);
    let mut damages = Vec::new();
    for file in &manifest.files {
        Damage::collect(format::hash(folder, file, cancel).map_err(|error| home.judge(error)), &mut damages)?;
    }
    if damages.is_empty() {
        // Every byte is as it was written: what is wrong now was written so.
        let checked = check_content(folder, &manifest, cancel).map_err(|error| home.judge(error));
        Damage::collect(checked, &mut damages)?;
    }
    if let Some(error) = Error::of_damages(damages) {
        return Err(error);
    }
    Ok(Verified { files: manifest.files.len() + 1, bytes: manifest.bytes(), dataset: manifest.dataset })
}

/// Opens a dataset and has its parts check themselves.
fn check_content(folder: &Path, manifest: &Manifest, cancel: &Cancel) -> Result<()> {
    let dataset = Dataset::open_folder(folder)?;
    if dataset.inner.manifest != *manifest {
        return Err(Error::replaced(folder));
    }
    let says: String = dataset
        .inner
        .database
        .with_cancelled_by(cancel, |c| c.query_row("PRAGMA integrity_check(1)", [], |row| row.get(0)))?;
    if says != "ok" {
        return Err(Error::damaged(format::DATABASE, says));
    }
    for check in [Dataset::check_counts, Dataset::check_parts, Dataset::check_directory] {
        cancel.check()?;
        check(&dataset)?;
    }
    Ok(())
}

/// What the manifest counts in the database, and the tables that it counts.
const COUNTED: [(&str, &str); 6] = [
    ("plans", "plan"),
    ("networks", "network"),
    ("packages", "package"),
    ("drug_lines", "drug_line"),
    ("rxnorm_codes", "rxnorm"),
    ("formularies", "formulary"),
];

impl Dataset {
    fn check_counts(&self) -> Result<()> {
        for (name, table) in COUNTED {
            let count = format!("SELECT count(*) FROM {table}");
            let rows = self.inner.database.with(|c| c.query_row(&count, [], |row| row.get::<_, i64>(0)))?;
            if self.inner.manifest.counts.get(name).copied() != u64::try_from(rows).ok() {
                let what = format!("its count of {name} does not fit the database, which has {rows}");
                return Err(Error::damaged(self.inner.folder.join(format::MANIFEST).display().to_string(), what));
            }
        }
        Ok(())
    }
}
