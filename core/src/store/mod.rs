//! A store: datasets side by side, named by content, and a small file that names the live one. Whatever dies at
//! whatever moment leaves the live one live: a dataset is written in a folder of its own, moved to its place when it is
//! whole, and only then named.

mod install;

use std::fs::{self, File, TryLockError};
use std::path::{Path, PathBuf};

pub use install::Installed;

use crate::format::{CRAWL, CURRENT, MANIFEST, Manifest, Names, folder_name, is_dataset_name};
use crate::{Error, ErrorKind, Result};

/// How the folder of a dataset that is not whole yet is called, and the next `CURRENT`.
const UNFINISHED: &str = ".building-";

/// The file that one build or install at a time holds.
const LOCK: &str = ".lock";

/// A folder that keeps the live dataset and the one before it. Opening the store's path opens the live one.
///
/// ```
/// # coverdex_tests::with_payer(|path| {
/// use coverdex_core::{Cancel, Dataset, Store};
///
/// # let app = coverdex_tests::dataset::scratch();
/// # let (downloaded, folder) = (path, app.path().join("coverdex"));
/// let store = Store::open_or_create(folder)?;
/// let installed = store.install(downloaded, &Cancel::new())?;
/// let dataset = Dataset::open(store.path())?;
/// assert_eq!(dataset.manifest().dataset, installed.dataset);
/// # Ok(())
/// # });
/// ```
#[derive(Clone, Debug)]
pub struct Store {
    path: PathBuf,
}

/// A dataset in the making, in a folder inside the store. Dropped before it is in its place, it leaves nothing behind.
#[derive(Debug)]
pub struct Unfinished<'a> {
    store: &'a Store,
    folder: PathBuf,
    _lock: File,
}

impl Store {
    /// Opens a store.
    ///
    /// # Errors
    /// [`DatasetMissing`](ErrorKind::DatasetMissing) if there is none, [`Io`](ErrorKind::Io) if the system refuses.
    pub fn open(path: impl Into<PathBuf>) -> Result<Self> {
        let store = Self { path: path.into() };
        match store.names() {
            Ok(None) => Err(Error::new(ErrorKind::DatasetMissing, store.name(), "no store of datasets (no CURRENT)")
                .with_hint("name the folder that datasets were installed or built into")),
            // What names the live dataset may be damaged: installing mends it.
            Err(error) if error.kind() != ErrorKind::DatasetDamaged => Err(error),
            _ => Ok(store),
        }
    }

    /// Opens a store, or makes one where nothing is.
    ///
    /// # Errors
    /// [`InvalidInput`](ErrorKind::InvalidInput) if something else is there, [`Io`](ErrorKind::Io) if the system
    /// refuses.
    pub fn open_or_create(path: impl Into<PathBuf>) -> Result<Self> {
        let store = Self { path: path.into() };
        let path = &store.path;
        let refused = |what: &str| {
            Error::invalid(store.name(), what)
                .with_hint("name an empty or new folder, or a store that an earlier build or install made")
        };
        if path.is_file() {
            return Err(refused("a file, not a folder"));
        }
        fs::create_dir_all(path).map_err(|e| Error::io(path, &e))?;
        let mut others = false;
        for entry in fs::read_dir(path).map_err(|e| Error::io(path, &e))? {
            let name = entry.map_err(|e| Error::io(path, &e))?.file_name();
            let name = name.to_string_lossy();
            others |= !(name == CURRENT || name == LOCK || name.starts_with(UNFINISHED) || is_dataset_name(&name));
        }
        if path.join(MANIFEST).exists() {
            return Err(refused("a dataset itself, not a store of datasets"));
        }
        if others && !path.join(CURRENT).exists() {
            return Err(refused("it holds other files and is no store of datasets"));
        }
        Ok(store)
    }

    /// Its folder.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The folder of the live dataset, if there is one.
    #[must_use]
    pub fn live(&self) -> Option<PathBuf> {
        self.folder_of(self.names().ok().flatten()?.live)
    }

    /// The folder of the dataset that was live before, if it is kept: [`Store::rollback`] makes it live again.
    #[must_use]
    pub fn former(&self) -> Option<PathBuf> {
        self.folder_of(self.names().ok().flatten()?.former?)
    }

    /// Makes the former dataset live again, for a new one that does not do, and removes that one.
    ///
    /// ```
    /// # coverdex_tests::with_payer(|path| {
    /// use coverdex_core::{Cancel, ErrorKind, Store};
    ///
    /// # let app = coverdex_tests::dataset::scratch();
    /// let store = Store::open_or_create(app.path().join("coverdex"))?;
    /// store.install(path, &Cancel::new())?;
    /// let nothing_before = store.rollback(&Cancel::new()).unwrap_err();
    /// assert_eq!(nothing_before.kind(), ErrorKind::NotFound);
    /// # Ok(())
    /// # });
    /// ```
    ///
    /// # Errors
    /// [`NotFound`](ErrorKind::NotFound) if none is kept, [`DatasetDamaged`](ErrorKind::DatasetDamaged) if it is not
    /// whole; the live one stays live then.
    pub fn rollback(&self, cancel: &crate::Cancel) -> Result<Installed> {
        let _lock = self.lock()?;
        let names = self.names()?.ok_or_else(|| self.without_former())?;
        let former = names.former.ok_or_else(|| self.without_former())?;
        let folder = self.path.join(&former);
        if !folder.join(MANIFEST).exists() {
            return Err(self.without_former());
        }
        let manifest = install::try_out(&folder, cancel)?;
        let names = Names { live: former, former: None };
        self.name_live(&names)?;
        self.remove_all_but(&names);
        Ok(Installed::of(&manifest, folder, None, true))
    }

    /// Removes the dataset that was live before, once the new one has proved itself. Whether there was one.
    ///
    /// ```
    /// # coverdex_tests::with_payer(|path| {
    /// use coverdex_core::{Cancel, Store};
    ///
    /// # let app = coverdex_tests::dataset::scratch();
    /// let store = Store::open_or_create(app.path().join("coverdex"))?;
    /// store.install(path, &Cancel::new())?;
    /// assert!(!store.remove_former()?, "there was none before");
    /// # Ok(())
    /// # });
    /// ```
    ///
    /// # Errors
    /// [`Io`](ErrorKind::Io) if the system refuses, or a build or an install is under way.
    pub fn remove_former(&self) -> Result<bool> {
        let _lock = self.lock()?;
        let Some(Names { live, former }) = self.names()? else { return Ok(false) };
        let was_there = former.is_some_and(|former| self.path.join(former).exists());
        let names = Names { live, former: None };
        self.name_live(&names)?;
        self.remove_all_but(&names);
        Ok(was_there)
    }

    /// Begins a dataset: takes the store's lock and clears what others that did not end have left.
    pub fn begin(&self) -> Result<Unfinished<'_>> {
        let lock = self.lock()?;
        let folder = self.path.join(format!("{UNFINISHED}dataset"));
        fs::create_dir(&folder).map_err(|e| Error::io(&folder, &e))?;
        Ok(Unfinished { store: self, folder, _lock: lock })
    }

    fn name(&self) -> String {
        format!("store {}", self.path.display())
    }

    fn names(&self) -> Result<Option<Names>> {
        Names::read(&self.path)
    }

    fn folder_of(&self, name: String) -> Option<PathBuf> {
        Some(self.path.join(name)).filter(|folder| folder.join(MANIFEST).is_file())
    }

    fn without_former(&self) -> Error {
        Error::new(ErrorKind::NotFound, self.name(), "no dataset before the live one is kept")
            .with_hint("install the dataset that is wanted")
    }

    /// Takes the store's lock, and clears what is unfinished: who made that holds the lock no more.
    fn lock(&self) -> Result<File> {
        let path = self.path.join(LOCK);
        let lock =
            File::options().create(true).truncate(false).write(true).open(&path).map_err(|e| Error::io(&path, &e))?;
        lock.try_lock().map_err(|refused| match refused {
            TryLockError::WouldBlock => {
                Error::new(ErrorKind::Io, self.name(), "another build or install is writing to it")
                    .with_hint("wait until it is done, or name another store")
            }
            TryLockError::Error(error) => Error::io(&path, &error),
        })?;
        for entry in fs::read_dir(&self.path).map_err(|e| Error::io(&self.path, &e))? {
            let entry = entry.map_err(|e| Error::io(&self.path, &e))?;
            if entry.file_name().to_string_lossy().starts_with(UNFINISHED) {
                remove(&entry.path())?;
            }
        }
        Ok(lock)
    }

    /// Names a dataset that is in its place live, and removes all but it and the one that was live before.
    fn make_live(&self, name: String) -> Result<Names> {
        // What names the live one may be lost or damaged: then nothing is known of the others, and they stay.
        let before = self.names().ok().flatten();
        let former = before.map(|before| if before.live == name { before.former } else { Some(before.live) });
        let names = Names { live: name, former: former.clone().flatten() };
        self.name_live(&names)?;
        if former.is_some_and(|former| former.is_some()) {
            self.remove_all_but(&names);
        }
        Ok(names)
    }

    /// Replaces `CURRENT`, atomically.
    fn name_live(&self, names: &Names) -> Result<()> {
        let current = self.path.join(CURRENT);
        // Called unfinished: who dies here leaves nothing that looks foreign.
        let next = self.path.join(format!("{UNFINISHED}current"));
        write_durably(&next, names.to_string().as_bytes())?;
        fs::rename(&next, &current).map_err(|e| Error::io(&current, &e))?;
        sync_folder(&self.path)
    }

    /// Removes datasets that are neither live nor the former one. What cannot be removed now goes the next time.
    fn remove_all_but(&self, names: &Names) {
        for entry in fs::read_dir(&self.path).into_iter().flatten().flatten() {
            let other = entry.file_name().to_string_lossy().into_owned();
            let is_kept = other == names.live || names.former.as_ref() == Some(&other);
            if is_dataset_name(&other) && !is_kept {
                let _left_for_the_next = remove(&entry.path());
            }
        }
    }
}

impl Unfinished<'_> {
    /// Where the dataset's files are written.
    #[must_use]
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Moves the whole dataset, its bytes on the disk, to its place in the store, and makes it live. Gives its folder.
    pub fn make_live(self, manifest: &Manifest) -> Result<PathBuf> {
        let (folder, _) = self.put(manifest)?;
        Ok(folder)
    }

    fn put(self, manifest: &Manifest) -> Result<(PathBuf, Names)> {
        let name = folder_name(manifest.format, &manifest.dataset);
        let place = self.store.path.join(&name);
        if place.join(MANIFEST).is_file() {
            self.renew(&place, manifest)?;
        } else {
            remove(&place)?;
            fs::rename(&self.folder, &place).map_err(|e| Error::io(&place, &e))?;
        }
        sync_folder(&self.store.path)?;
        let names = self.store.make_live(name)?;
        Ok((place, names))
    }

    /// Puts the files of the same dataset in the place of those that are there, which may be damaged: one by one, so
    /// that at each moment there is at least what was there before.
    fn renew(&self, place: &Path, manifest: &Manifest) -> Result<()> {
        let inside = manifest.files.iter().map(|file| file.path.as_str()).chain([MANIFEST, CRAWL]);
        for path in inside.filter(|path| self.folder.join(path).is_file()) {
            let there = place.join(path);
            let parent = there.parent().unwrap_or(place);
            if !parent.is_dir() {
                remove(parent)?;
                fs::create_dir_all(parent).map_err(|e| Error::io(parent, &e))?;
            }
            if there.is_dir() {
                remove(&there)?;
            }
            fs::rename(self.folder.join(path), &there).map_err(|e| Error::io(&there, &e))?;
            sync_folder(parent)?;
        }
        Ok(())
    }
}

impl Drop for Unfinished<'_> {
    fn drop(&mut self) {
        let _left_for_the_next = remove(&self.folder);
    }
}

/// Removes a file or a folder, if it is there.
fn remove(path: &Path) -> Result<()> {
    let removed = match path.symlink_metadata() {
        Ok(metadata) if metadata.is_dir() => fs::remove_dir_all(path),
        Ok(_) => fs::remove_file(path),
        Err(error) => Err(error),
    };
    match removed {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(Error::io(path, &error)),
        _ => Ok(()),
    }
}

/// Writes a file that is on the disk when this returns.
pub fn write_durably(path: &Path, bytes: &[u8]) -> Result<()> {
    use std::io::Write as _;
    let mut file = File::create(path).map_err(|e| Error::io(path, &e))?;
    file.write_all(bytes).map_err(|e| Error::io(path, &e))?;
    file.sync_all().map_err(|e| Error::io(path, &e))
}

/// Has the names in a folder on the disk.
#[cfg(unix)]
pub fn sync_folder(folder: &Path) -> Result<()> {
    File::open(folder).and_then(|folder| folder.sync_all()).map_err(|e| Error::io(folder, &e))
}

/// Has the names in a folder on the disk, where folders can be asked to.
#[cfg(not(unix))]
pub fn sync_folder(_folder: &Path) -> Result<()> {
    Ok(())
}
