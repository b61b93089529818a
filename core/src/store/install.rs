//! Taking a dataset that was downloaded, or came on a stick, into a store.

use std::fs::{self, File};
use std::io::Write as _;
use std::path::{Path, PathBuf};

use super::{Store, UNFINISHED, advised, is_within, sync_folder, write_durably};
use crate::format::{self, CRAWL, FileEntry, Home, MANIFEST, Manifest};
use crate::{Cancel, Damage, Dataset, DrugSearch, Error, ErrorKind, PlanFilter, Result};

/// What a file of a few bytes may take on a disk beside its length.
const ROOM_BESIDE: u64 = 16 << 10;

/// A dataset that is live in a store now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Installed {
    /// The dataset's id.
    pub dataset: String,
    /// When the payer's data was read or last changed, RFC 3339 in UTC.
    pub as_of: String,
    /// Its folder in the store.
    pub folder: PathBuf,
    /// The folder of the dataset that was live before, if it is kept.
    pub former: Option<PathBuf>,
    /// Bytes of its files.
    pub bytes: u64,
    /// The store had the dataset already, whole: nothing was copied.
    pub was_there: bool,
}

impl Installed {
    pub(super) fn of(manifest: &Manifest, folder: PathBuf, former: Option<PathBuf>, was_there: bool) -> Self {
        let (dataset, as_of) = (manifest.dataset.clone(), manifest.as_of.clone());
        Self { dataset, as_of, folder, former, bytes: manifest.bytes(), was_there }
    }
}

impl Store {
    /// Copies a dataset into the store and makes it live: the folder of one, or the live one of another store. Every
    /// byte is compared with the manifest on the way, and the copy must answer before it is live. The dataset that was
    /// live stays beside it, for [`Store::rollback`], until the next one comes or [`Store::remove_former`]; whoever has
    /// it open goes on with it. Where this ends early, by an error, by the token or by the end of the process, the
    /// live one stays live.
    ///
    /// ```
    /// # coverdex_tests::with_payer(|path| {
    /// use coverdex_core::{Cancel, Store};
    ///
    /// # let app = coverdex_tests::dataset::scratch();
    /// let store = Store::open_or_create(app.path().join("coverdex"))?;
    /// let installed = store.install(path, &Cancel::new())?;
    /// println!("{} bytes, as of {}", installed.bytes, installed.as_of);
    /// assert!(store.install(path, &Cancel::new())?.was_there);
    /// # Ok(())
    /// # });
    /// ```
    ///
    /// # Errors
    /// As [`Dataset::open`] and [`verify`](crate::verify) of what is to be installed; [`Io`](ErrorKind::Io) if the
    /// disk lacks room, the system refuses, or another build or install writes to the store;
    /// [`Interrupted`](ErrorKind::Interrupted) by the token.
    pub fn install(&self, from: impl AsRef<Path>, cancel: &Cancel) -> Result<Installed> {
        format::read_located(from.as_ref(), |source| self.install_folder(source, cancel)).map_err(advised)
    }

    fn install_folder(&self, source: &Path, cancel: &Cancel) -> Result<Installed> {
        if is_within(source, &self.path.join(UNFINISHED)) {
            return Err(Error::invalid(format!("dataset {}", source.display()), "what this store calls unfinished")
                .with_hint("move it out of the store first"));
        }
        let (manifest, bytes) = Manifest::read_with_bytes(source)?;
        let home = Home::new(source, &manifest);
        for file in &manifest.files {
            format::check_length(source, file).map_err(|error| home.judge(error))?;
        }
        let work = self.begin()?;
        if let Some(installed) = work.make_live_what_is_there(&manifest, None, cancel)? {
            return Ok(installed);
        }
        cancel.check()?;
        self.check_room(&manifest, self.free()).or_else(|_| {
            self.make_room(source);
            self.check_room(&manifest, self.free())
        })?;
        let mut damages = Vec::new();
        for file in &manifest.files {
            let copied = copy(source, work.folder(), file, cancel).map_err(|error| home.judge(error));
            Damage::collect(copied, &mut damages)?;
        }
        if let Some(error) = Error::of_damages(damages) {
            return Err(error);
        }
        if let Some(crawl) = crate::dataset::read_crawl(source, &manifest)? {
            write_durably(&work.folder().join(CRAWL), crawl.as_bytes())?;
        }
        write_durably(&work.folder().join(MANIFEST), &bytes)?;
        sync_folder(work.folder())?;
        work.install(None, cancel)
    }

    /// Bytes that the disk has free; nothing where the system does not tell, as of a disk of no bytes.
    pub(super) fn free(&self) -> Option<u64> {
        fs4::total_space(&self.path).ok().filter(|total| *total > 0)?;
        fs4::available_space(&self.path).ok()
    }

    /// An error if the disk lacks room for a dataset. Where the system does not tell, writing will.
    fn check_room(&self, manifest: &Manifest, free: Option<u64>) -> Result<()> {
        let of_file = |sum: u64, file: &FileEntry| sum.saturating_add(file.length).saturating_add(ROOM_BESIDE);
        self.check_room_for(manifest.files.iter().fold(0, of_file), free)
    }

    pub(super) fn check_room_for(&self, needed: u64, free: Option<u64>) -> Result<()> {
        match free {
            Some(free) if free < needed => Err(Error::new(
                ErrorKind::Io,
                self.name(),
                format!("the dataset needs {needed} bytes, the disk has {free} free"),
            )
            .with_hint("free some space, or remove the dataset before the live one; what was live still is")),
            _ => Ok(()),
        }
    }
}

/// Checks every byte of a dataset, and has it answer what an app asks first.
pub(super) fn try_out(folder: &Path, cancel: &Cancel) -> Result<Manifest> {
    crate::dataset::verify_folder(folder, cancel)?;
    let dataset = Dataset::open(folder)?.cancelled_by(cancel);
    dataset.info()?;
    dataset.find_plans(&PlanFilter::default(), None)?;
    dataset.search_drugs(&DrugSearch { text: "a".to_owned(), limit: 1, ..DrugSearch::default() })?;
    Ok(dataset.manifest().clone())
}

/// Copies a file that the manifest names, and compares what was copied with its hash.
fn copy(source: &Path, target: &Path, entry: &FileEntry, cancel: &Cancel) -> Result<()> {
    let to = target.join(&entry.path);
    let folder = to.parent().unwrap_or(target);
    fs::create_dir_all(folder).map_err(|e| Error::io(folder, &e))?;
    let mut copy = File::create(&to).map_err(|e| Error::io(&to, &e))?;
    format::hash_into(source, entry, cancel, |bytes| copy.write_all(bytes).map_err(|e| Error::io(&to, &e)))?;
    copy.sync_all().map_err(|e| Error::io(&to, &e))?;
    sync_folder(folder)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_disk_without_room_is_told_before_anything_is_written() {
        let store = Store { path: PathBuf::from("store") };
        let file = |length| FileEntry { path: "coverdex.sqlite".to_owned(), length, sha256: String::new() };
        let mut manifest = Manifest::new("2026-01-31T08:00:00Z".to_owned(), Vec::new());
        manifest.files = vec![file(1_000_000)];
        let error = store.check_room(&manifest, Some(1_000_000)).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Io);
        assert!(error.message().contains("needs 1016384 bytes, the disk has 1000000 free"), "{error}");
        assert!(error.hint().is_some());
        assert!(store.check_room(&manifest, Some(2_000_000)).is_ok());
        assert!(store.check_room(&manifest, None).is_ok());
        manifest.files = vec![file(u64::MAX), file(u64::MAX)];
        assert!(store.check_room(&manifest, Some(u64::MAX - 1)).is_err());
    }
}
