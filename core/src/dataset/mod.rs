//! A dataset, open for questions.

mod info;
mod sizes;
mod verify;

use std::path::{Path, PathBuf};
use std::sync::Arc;

pub(crate) use info::read_crawl;
pub use info::{Info, ReasonCount, ResourceCount, TierCount};
pub use sizes::{FileSize, SizePart, Sizes, TableSize};
pub(crate) use verify::verify_folder;
pub use verify::{Verified, verify, verify_cancelled_by};

use crate::cancel::Cancel;
use crate::format::{self, Checksums, Connections, Home, Manifest};
use crate::origin::{Origin, Origins};
use crate::{Error, Result};

/// A read-only dataset. Cheap to clone, safe to use from many threads at once; calls block.
#[derive(Clone, Debug)]
pub struct Dataset {
    pub(crate) inner: Arc<Inner>,
    pub(crate) cancel: Cancel,
}

#[derive(Debug)]
pub(crate) struct Inner {
    pub(crate) folder: PathBuf,
    pub(crate) manifest: Manifest,
    pub(crate) database: Connections,
    pub(crate) drugs: crate::data::Catalogue,
    pub(crate) plans: crate::data::Plans,
    pub(crate) directory: crate::data::DirectoryPart,
    pub(crate) origins: Origins,
}

impl Dataset {
    /// Opens a dataset folder, or the live dataset of a store. Takes no lock and writes nothing.
    ///
    /// ```
    /// # coverdex_tests::with_payer(|path| {
    /// use coverdex_core::{Dataset, ErrorKind};
    ///
    /// let dataset = Dataset::open(path)?;
    /// assert!(dataset.all_plans()?.len() > 10);
    /// let nowhere = Dataset::open("no/such/folder").unwrap_err();
    /// assert_eq!(nowhere.kind(), ErrorKind::DatasetMissing);
    /// # Ok(())
    /// # });
    /// ```
    ///
    /// # Errors
    /// [`DatasetMissing`](crate::ErrorKind::DatasetMissing), [`DatasetDamaged`](crate::ErrorKind::DatasetDamaged),
    /// [`DatasetTooNew`](crate::ErrorKind::DatasetTooNew) or [`Io`](crate::ErrorKind::Io).
    pub fn open(path: impl AsRef<Path>) -> Result<Self> {
        format::read_located(path.as_ref(), Self::open_folder)
    }

    fn open_folder(folder: &Path) -> Result<Self> {
        let manifest = Manifest::read(folder)?;
        let home = Home::new(folder, &manifest);
        Self::open_files(folder, manifest, &home).map_err(|error| home.judge(error))
    }

    fn open_files(folder: &Path, manifest: Manifest, home: &Home) -> Result<Self> {
        for file in &manifest.files {
            format::check_length(folder, file)?;
        }
        if manifest.file(format::DATABASE).is_none() {
            return Err(Error::damaged(folder.display().to_string(), "the manifest names no database"));
        }
        let checksums = Checksums::read(folder, &manifest, home)?;
        let database = Connections::open(folder, &checksums)?;
        let drugs = crate::data::Catalogue::new(folder, &manifest, &checksums);
        let directory = crate::data::DirectoryPart::new(folder, &manifest, &checksums);
        let origins = Origins::of(&manifest);
        Ok(Self {
            inner: Arc::new(Inner {
                folder: folder.to_owned(),
                manifest,
                database,
                drugs,
                plans: crate::data::Plans::default(),
                directory,
                origins,
            }),
            cancel: Cancel::default(),
        })
    }

    /// The same dataset, opened anew: for a process that was forked, which leaves to its parent what that opened.
    ///
    /// ```
    /// # coverdex_tests::with_payer(|path| {
    /// use coverdex_core::Dataset;
    ///
    /// let dataset = Dataset::open(path)?;
    /// assert_eq!(dataset.reopened()?.manifest(), dataset.manifest());
    /// # Ok(())
    /// # });
    /// ```
    ///
    /// # Errors
    /// As [`Dataset::open`], and [`Io`](crate::ErrorKind::Io) if the folder was removed or holds another dataset now.
    pub fn reopened(&self) -> Result<Self> {
        let again = Self::open_folder(&self.inner.folder)?;
        if again.inner.manifest.dataset == self.inner.manifest.dataset {
            Ok(Self { cancel: self.cancel.clone(), ..again })
        } else {
            Err(Error::replaced(&self.inner.folder))
        }
    }

    /// The folder that was opened, by its absolute path.
    ///
    /// ```
    /// # coverdex_tests::with_payer(|path| {
    /// use coverdex_core::Dataset;
    ///
    /// let dataset = Dataset::open(path)?; // the path of a store
    /// assert!(dataset.folder().join("manifest.json").is_file());
    /// # Ok(())
    /// # });
    /// ```
    #[must_use]
    pub fn folder(&self) -> &Path {
        &self.inner.folder
    }

    /// What the dataset says of itself.
    ///
    /// ```
    /// # coverdex_tests::with_payer(|path| {
    /// use coverdex_core::Dataset;
    ///
    /// let dataset = Dataset::open(path)?;
    /// let database = dataset.manifest().file("coverdex.sqlite").unwrap();
    /// assert_eq!(database.length, dataset.folder().join("coverdex.sqlite").metadata().unwrap().len());
    /// # Ok(())
    /// # });
    /// ```
    #[must_use]
    pub fn manifest(&self) -> &Manifest {
        &self.inner.manifest
    }

    /// When the payer's data was read or last changed, RFC 3339 in UTC; where its parts differ, the earlier time.
    ///
    /// ```
    /// # coverdex_tests::with_payer(|path| {
    /// use coverdex_core::Dataset;
    ///
    /// let dataset = Dataset::open(path)?;
    /// assert_eq!(dataset.as_of(), "2026-11-05T08:00:00Z"); // the newest resource's date
    /// # Ok(())
    /// # });
    /// ```
    #[must_use]
    pub fn as_of(&self) -> &str {
        &self.inner.manifest.as_of
    }

    /// The source's name or kind, for the foot of an answer.
    ///
    /// ```
    /// # coverdex_tests::with_payer(|path| {
    /// use coverdex_core::Dataset;
    ///
    /// let dataset = Dataset::open(path)?;
    /// assert_eq!(dataset.source(), "made for a test");
    /// # Ok(())
    /// # });
    /// ```
    #[must_use]
    pub fn source(&self) -> &str {
        self.inner.origins.all.source()
    }

    /// What answers of this dataset carry: its date, its source and its id. Where drugs or the directory were read at
    /// another time than the rest, answers about them have that time.
    ///
    /// ```
    /// # coverdex_tests::with_payer(|path| {
    /// use coverdex_core::Dataset;
    ///
    /// let dataset = Dataset::open(path)?;
    /// let origin = dataset.origin();
    /// println!("{} as of {}, dataset {}", origin.source(), origin.as_of(), origin.dataset());
    /// assert_eq!(origin.dataset(), dataset.manifest().dataset);
    /// # Ok(())
    /// # });
    /// ```
    #[must_use]
    pub fn origin(&self) -> Origin {
        self.inner.origins.all.clone()
    }

    /// Where answers about drugs and coverage come from.
    pub(crate) fn origin_of_drugs(&self) -> Origin {
        self.inner.origins.drugs.clone()
    }

    /// Where answers about providers come from.
    pub(crate) fn origin_of_directory(&self) -> Origin {
        self.inner.origins.directory.clone()
    }

    /// The same dataset for calls that this token stops: each such call ends with
    /// [`Interrupted`](crate::ErrorKind::Interrupted) soon after the token is cancelled. Cheap.
    ///
    /// ```
    /// # coverdex_tests::with_payer(|path| {
    /// use coverdex_core::{Cancel, Dataset, DrugSearch, ErrorKind};
    ///
    /// let dataset = Dataset::open(path)?;
    /// let cancel = Cancel::new();
    /// let stoppable = dataset.cancelled_by(&cancel);
    /// cancel.cancel(); // from another thread
    /// let search = DrugSearch { text: "atorva".to_owned(), limit: 10, ..DrugSearch::default() };
    /// assert_eq!(stoppable.search_drugs(&search).unwrap_err().kind(), ErrorKind::Interrupted);
    /// assert!(dataset.search_drugs(&search).is_ok());
    /// # Ok(())
    /// # });
    /// ```
    #[must_use]
    pub fn cancelled_by(&self, cancel: &Cancel) -> Self {
        Self { inner: Arc::clone(&self.inner), cancel: cancel.clone() }
    }
}
