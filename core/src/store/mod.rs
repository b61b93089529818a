//! A store: datasets side by side, named by content, and a small file that names the live one. Whatever dies at
//! whatever moment leaves the live one live: a dataset is written in a folder of its own, moved to its place when it is
//! whole, and only then named.
//!
//! Tested on Linux. Files are opened as Windows wants them (what is flushed may be written to, and none of a dataset's
//! is open while its folder is moved): that compiles, but neither Windows nor macOS was tried. Windows neither replaces
//! nor removes a file that a reader has mapped: a dataset that is open there goes with a later install, and a damaged
//! one that is open is not mended.

mod install;
mod published;

use std::fs::{self, File, TryLockError};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

pub use install::Installed;
#[cfg(feature = "build")]
pub use published::Record;
pub use published::{PUBLISHED, Published};

use published::NEXT_PUBLISHED;

use crate::format::{CRAWL, CURRENT, MANIFEST, Manifest, Names, folder_name, is_dataset_name};
use crate::{Error, ErrorKind, Result};

/// A dataset that is not whole yet.
const UNFINISHED: &str = ".building-dataset";

/// The next `CURRENT`.
const NEXT: &str = ".building-current";

/// A dataset that is being removed: no longer under its own name, so that what has that is whole.
const REMOVED: &str = ".building-removed";

/// What a process that ended early leaves.
const LEFTOVERS: [&str; 4] = [UNFINISHED, NEXT, REMOVED, NEXT_PUBLISHED];

/// The folder of what was fetched of a publication that is not live yet. It stays when the process ends, so that the
/// next one goes on from it.
pub const FETCHED: &str = ".fetched";

/// The file that one build or install at a time holds.
const LOCK: &str = ".lock";

/// A lock that is held is tried for so long, so often: until its program runs, a child that the host begins holds what
/// the host let go meanwhile.
const LOCK_PATIENCE: Duration = Duration::from_millis(300);
const LOCK_PAUSE: Duration = Duration::from_millis(10);

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
    pub fn open(path: impl AsRef<Path>) -> Result<Self> {
        let store = Self::at(path.as_ref())?;
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
    pub fn open_or_create(path: impl AsRef<Path>) -> Result<Self> {
        let store = Self::at(path.as_ref())?;
        let path = &store.path;
        let refused = |what: &str| {
            Error::invalid(store.name(), what)
                .with_hint("name an empty or new folder, or a store that an earlier build or install made")
        };
        if path.is_file() {
            return Err(refused("a file, not a folder"));
        }
        if !path.is_dir() {
            fs::create_dir_all(path).map_err(|e| Error::io(path, &e)).map_err(advised)?;
            // A folder's name is in the one above.
            let _ = path.parent().map(sync_folder);
        }
        if path.join(MANIFEST).exists() {
            return Err(refused("a dataset itself, not a store of datasets"));
        }
        let (mut others, mut datasets) = (false, false);
        for entry in fs::read_dir(path).map_err(|e| Error::io(path, &e))? {
            let entry = entry.map_err(|e| Error::io(path, &e))?;
            let name = entry.file_name();
            let name = name.to_string_lossy();
            let is_dataset = is_dataset_name(&name) && entry.path().join(MANIFEST).is_file();
            datasets |= is_dataset;
            let own = [CURRENT, LOCK, PUBLISHED, FETCHED];
            others |= !(is_dataset || own.contains(&name.as_ref()) || LEFTOVERS.contains(&name.as_ref()));
        }
        // Other programs have a file of this name too: theirs names no dataset.
        let names_dataset = matches!(store.names(), Ok(Some(names)) if is_dataset_name(&names.live));
        if others && !(datasets && names_dataset) {
            return Err(refused("it holds other files and is no store of datasets"));
        }
        Ok(store)
    }

    fn at(path: &Path) -> Result<Self> {
        Ok(Self { path: std::path::absolute(path).map_err(|e| Error::io(path, &e))? })
    }

    /// Its folder.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The folder of the live dataset, if there is one.
    #[must_use]
    pub fn live(&self) -> Option<PathBuf> {
        self.folder_of(&self.names().ok().flatten()?.live)
    }

    /// The folder of the dataset that was live before, if it is kept: [`Store::rollback`] makes it live again.
    #[must_use]
    pub fn former(&self) -> Option<PathBuf> {
        self.folder_of(&self.names().ok().flatten()?.former?)
    }

    /// Makes the former dataset live again and removes the one that is live.
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
        self.roll_back(cancel).map_err(advised)
    }

    fn roll_back(&self, cancel: &crate::Cancel) -> Result<Installed> {
        let _lock = self.lock()?;
        let names = self.names()?.ok_or_else(|| self.without_former())?;
        let former = names.former.ok_or_else(|| self.without_former())?;
        let folder = self.folder_of(&former).ok_or_else(|| self.without_former())?;
        let manifest = install::try_out(&folder, cancel).map_err(|error| match error.kind() {
            ErrorKind::DatasetDamaged => error.with_hint("it cannot be live again: the live one stays; install anew"),
            _ => error,
        })?;
        self.note_rolled_back(&names.live)?;
        self.name_live(&Names { live: former, former: None }, true)?;
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
        let _lock = self.lock().map_err(advised)?;
        let Some(Names { live, former }) = self.names()? else { return Ok(false) };
        let was_there = former.is_some_and(|former| self.path.join(former).exists());
        self.name_live(&Names { live, former: None }, true).map_err(advised)?;
        Ok(was_there)
    }

    /// Whether a dataset can be begun: its lock can be taken and something written. Nothing of that stays.
    ///
    /// # Errors
    /// [`Io`](ErrorKind::Io) if the system refuses, or a build or an install is under way.
    pub fn try_write(&self) -> Result<()> {
        let unfinished = self.begin()?;
        let path = unfinished.folder.join(MANIFEST);
        write_durably(&path, b"{}").map_err(advised)
    }

    /// Begins a dataset: takes the store's lock and clears what others that did not end have left.
    pub fn begin(&self) -> Result<Unfinished<'_>> {
        let lock = self.lock().map_err(advised)?;
        let folder = self.path.join(UNFINISHED);
        fs::create_dir(&folder).map_err(|e| Error::io(&folder, &e)).map_err(advised)?;
        Ok(Unfinished { store: self, folder, _lock: lock })
    }

    fn name(&self) -> String {
        format!("store {}", self.path.display())
    }

    fn names(&self) -> Result<Option<Names>> {
        Names::read(&self.path)
    }

    /// The folder of a dataset, if one is there.
    fn folder_of(&self, name: &str) -> Option<PathBuf> {
        Some(self.path.join(name)).filter(|folder| folder.join(MANIFEST).is_file())
    }

    fn without_former(&self) -> Error {
        Error::new(ErrorKind::NotFound, self.name(), "no dataset before the live one is kept")
            .with_hint("install the dataset that is wanted")
    }

    /// Takes the store's lock and removes leftovers: the process that made them no longer runs.
    fn lock(&self) -> Result<File> {
        let path = self.path.join(LOCK);
        // Opening a pipe would wait, and a link leads out of the store.
        if path.symlink_metadata().is_ok_and(|metadata| !metadata.is_file()) {
            return Err(Error::new(
                ErrorKind::Io,
                path.display().to_string(),
                "something else stands where a file should",
            )
            .with_hint("remove it"));
        }
        let lock =
            File::options().create(true).truncate(false).write(true).open(&path).map_err(|e| Error::io(&path, &e))?;
        let begun = Instant::now();
        let mut locked = lock.try_lock();
        while matches!(locked, Err(TryLockError::WouldBlock)) && begun.elapsed() < LOCK_PATIENCE {
            std::thread::sleep(LOCK_PAUSE);
            locked = lock.try_lock();
        }
        locked.map_err(|refused| match refused {
            TryLockError::WouldBlock => {
                Error::new(ErrorKind::Io, self.name(), "another build or install is writing to it")
                    .with_hint("wait until it is done, or name another store")
            }
            TryLockError::Error(error) => Error::io(&path, &error),
        })?;
        LEFTOVERS.iter().try_for_each(|name| remove(&self.path.join(name)))?;
        Ok(lock)
    }

    /// Names a dataset that is in its place live, and removes all but it and the one that was live before.
    fn make_live(&self, name: String) -> Result<Names> {
        // What names the live one may be lost or damaged: then nothing is known of the others, and they stay.
        let before = self.names().ok().flatten();
        let former = before.and_then(|before| self.former_of(before, &name));
        let names = Names { live: name, former };
        self.name_live(&names, names.former.is_some())?;
        Ok(names)
    }

    /// Which dataset is the one before `next`: the one that is live, or, where that is gone or damaged, the one before.
    fn former_of(&self, before: Names, next: &str) -> Option<String> {
        let is_there = |name: &String| is_dataset_name(name) && name != next && self.folder_of(name).is_some();
        let former = before.former.filter(is_there);
        match Some(before.live).filter(is_there) {
            // Every byte is read only where there are two to choose from.
            Some(live) if former.is_none() || self.is_whole(&live) => Some(live),
            _ => former,
        }
    }

    fn is_whole(&self, name: &str) -> bool {
        crate::dataset::verify_folder(&self.path.join(name), &crate::Cancel::new()).is_ok()
    }

    /// Replaces `CURRENT`, atomically, and `clears` the store of datasets that it does not name.
    fn name_live(&self, names: &Names, clears: bool) -> Result<()> {
        let current = self.path.join(CURRENT);
        let next = self.path.join(NEXT);
        write_durably(&next, names.to_string().as_bytes())?;
        fs::rename(&next, &current)
            .map_err(|e| Error::io(&current, &e).with_hint("remove what stands there, and install again"))?;
        // If the disk has not stored the new name, the old name may come back: then nothing is removed.
        if sync_folder(&self.path).is_ok() && clears {
            self.remove_all_but(names);
        }
        Ok(())
    }

    /// Removes datasets that are neither live nor the former one. What cannot be removed now goes the next time, and
    /// what is no dataset stays.
    fn remove_all_but(&self, names: &Names) {
        for entry in fs::read_dir(&self.path).into_iter().flatten().flatten() {
            let other = entry.file_name().to_string_lossy().into_owned();
            let is_kept = other == names.live || names.former.as_ref() == Some(&other);
            if is_dataset_name(&other) && !is_kept && entry.path().join(MANIFEST).is_file() {
                let removed = self.path.join(REMOVED);
                let _left_for_the_next = fs::rename(entry.path(), &removed).is_ok() && remove(&removed).is_ok();
            }
        }
    }

    /// Removes datasets that an install moved to their place and could not name any more. Nothing is removed if
    /// `source` lies in the store: it may be one of them.
    fn make_room(&self, source: &Path) {
        let names = self.names().ok().flatten().filter(|names| self.folder_of(&names.live).is_some());
        if let Some(names) = names.filter(|_| !is_within(source, &self.path)) {
            self.remove_all_but(&names);
        }
    }
}

impl Unfinished<'_> {
    /// Where the dataset's files are written.
    #[must_use]
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// An error if the disk lacks room for so many bytes. Where the system does not tell, writing will.
    ///
    /// # Errors
    /// [`Io`](ErrorKind::Io) with both numbers.
    pub fn check_room(&self, bytes: u64) -> Result<()> {
        self.store.check_room_for(bytes, self.store.free())
    }

    /// Makes a dataset live that the store has already, if every byte of it is as it should be: nothing is copied then.
    /// `published` is the publication that it is of.
    ///
    /// # Errors
    /// [`Io`](ErrorKind::Io) if the system refuses, [`Interrupted`](ErrorKind::Interrupted) by the token.
    pub fn make_live_what_is_there(
        &self,
        manifest: &Manifest,
        published: Option<Published>,
        cancel: &crate::Cancel,
    ) -> Result<Option<Installed>> {
        let name = folder_name(manifest.format, &manifest.dataset);
        let place = self.store.path.join(&name);
        if place.is_symlink() || !place.is_dir() {
            return Ok(None);
        }
        match install::try_out(&place, cancel) {
            Ok(there) if there == *manifest => {}
            Err(error) if error.kind() == ErrorKind::Interrupted => return Err(error),
            _ => return Ok(None),
        }
        // Who copied it here may not have waited for the disk.
        for file in &manifest.files {
            sync_file(&place.join(&file.path))?;
        }
        if let Some(published) = published {
            self.store.note_published(manifest.format, &manifest.dataset, published)?;
        }
        let names = self.store.make_live(name)?;
        let former = names.former.and_then(|former| self.store.folder_of(&former));
        Ok(Some(Installed::of(manifest, place, former, true)))
    }

    /// Checks every byte of the dataset that was written, has it answer, and makes it live. `published` is the
    /// publication that it is of.
    ///
    /// # Errors
    /// As [`verify`](crate::verify) of what was written; [`Io`](ErrorKind::Io) if the system refuses,
    /// [`Interrupted`](ErrorKind::Interrupted) by the token.
    pub fn install(self, published: Option<Published>, cancel: &crate::Cancel) -> Result<Installed> {
        let manifest = install::try_out(&self.folder, cancel)?;
        if let Some(published) = published {
            self.store.note_published(manifest.format, &manifest.dataset, published)?;
        }
        let store = self.store;
        let (folder, names) = self.put(&manifest)?;
        let former = names.former.and_then(|former| store.folder_of(&former));
        Ok(Installed::of(&manifest, folder, former, false))
    }

    /// Moves the whole dataset, its bytes on the disk, to its place in the store, and makes it live. Gives its folder.
    pub fn make_live(self, manifest: &Manifest) -> Result<PathBuf> {
        let (folder, _) = self.put(manifest)?;
        Ok(folder)
    }

    fn put(self, manifest: &Manifest) -> Result<(PathBuf, Names)> {
        let name = folder_name(manifest.format, &manifest.dataset);
        let place = self.store.path.join(&name);
        if place.is_symlink() {
            // What a link leads to is not the store's.
            remove(&place)?;
        }
        if place.is_dir() {
            self.renew(&place, manifest)?;
        } else {
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

/// What to do where the system refused, if nothing better is known.
#[must_use]
pub fn advised(error: Error) -> Error {
    if error.kind() == ErrorKind::Io && error.hint().is_none() {
        error.with_hint("see that the disk has room and the store may be written to; what was live still is")
    } else {
        error
    }
}

/// Whether a path leads into a folder.
fn is_within(path: &Path, folder: &Path) -> bool {
    matches!((path.canonicalize(), folder.canonicalize()), (Ok(path), Ok(folder)) if path.starts_with(&folder))
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

/// Has the bytes of a file on the disk, whoever wrote them.
pub fn sync_file(path: &Path) -> Result<()> {
    // Windows flushes only what may be written to; elsewhere a file that may only be read can be kept too.
    let file = File::options().read(true).write(cfg!(windows)).open(path);
    file.and_then(|file| file.sync_all()).map_err(|e| Error::io(path, &e))
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
