//! The store: datasets side by side, named by content, and a small file that names the live one.
//! Whatever dies at whatever moment leaves the old one live: a dataset is written in a folder of its
//! own, renamed when it is whole, and only then named.

use std::fs::{self, File};
use std::io::{Read as _, Write as _};
use std::path::{Path, PathBuf};

use coverdex_core::build::format::{
    BlockChecksums, CHECKSUMS, CRAWL, CURRENT, Checksums, FileEntry, MANIFEST, Manifest, folder_name,
};
use coverdex_core::{Error, ErrorKind, Result, verify};
use sha2::{Digest as _, Sha256};

/// Folders, and the next `CURRENT`, of builds that did not end.
const UNFINISHED: &str = ".building-";

/// The file that one build at a time holds.
const LOCK: &str = ".lock";

/// A folder of datasets.
#[derive(Clone, Debug)]
pub struct Store {
    path: PathBuf,
}

/// A dataset in the making. Dropped unsealed, it leaves nothing behind.
pub(crate) struct Work<'a> {
    store: &'a Store,
    folder: tempfile::TempDir,
    _lock: File,
}

impl Store {
    /// Opens a store for writing, or makes one where nothing is.
    ///
    /// # Errors
    /// [`InvalidInput`](ErrorKind::InvalidInput) if something else is there, [`Io`](ErrorKind::Io) if the
    /// system refuses.
    pub fn open(path: impl Into<PathBuf>) -> Result<Self> {
        let path = path.into();
        let refused = |what: &str| {
            Error::invalid(format!("store {}", path.display()), what)
                .with_hint("name an empty or new folder, or a store that an earlier build made")
        };
        if path.is_file() {
            return Err(refused("a file, not a folder"));
        }
        fs::create_dir_all(&path).map_err(|e| Error::io(&path, &e))?;
        let mut others = false;
        for entry in fs::read_dir(&path).map_err(|e| Error::io(&path, &e))? {
            let name = entry.map_err(|e| Error::io(&path, &e))?.file_name();
            let name = name.to_string_lossy();
            others |= !(name == CURRENT || name == LOCK || name.starts_with(UNFINISHED) || is_dataset_name(&name));
        }
        if path.join(MANIFEST).exists() {
            return Err(refused("a dataset itself, not a store of datasets"));
        }
        if others && !path.join(CURRENT).exists() {
            return Err(refused("it holds other files and is no store of datasets"));
        }
        Ok(Self { path })
    }

    /// Its folder.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Begins a dataset: takes the store's lock and clears what unfinished builds left.
    pub(crate) fn begin(&self) -> Result<Work<'_>> {
        let lock_path = self.path.join(LOCK);
        let lock = File::options()
            .create(true)
            .truncate(false)
            .write(true)
            .open(&lock_path)
            .map_err(|e| Error::io(&lock_path, &e))?;
        if lock.try_lock().is_err() {
            return Err(Error::new(
                ErrorKind::Io,
                format!("store {}", self.path.display()),
                "another build is writing to it",
            )
            .with_hint("wait until it is done, or name another store"));
        }
        for entry in fs::read_dir(&self.path).map_err(|e| Error::io(&self.path, &e))? {
            let entry = entry.map_err(|e| Error::io(&self.path, &e))?;
            if entry.file_name().to_string_lossy().starts_with(UNFINISHED) {
                let path = entry.path();
                let removed = if path.is_dir() { fs::remove_dir_all(&path) } else { fs::remove_file(&path) };
                removed.map_err(|e| Error::io(&path, &e))?;
            }
        }
        let folder = tempfile::Builder::new()
            .prefix(UNFINISHED)
            .tempdir_in(&self.path)
            .map_err(|e| Error::io(&self.path, &e))?;
        Ok(Work { store: self, folder, _lock: lock })
    }

    /// The folder of the live dataset, if there is one.
    #[must_use]
    pub fn live_folder(&self) -> Option<PathBuf> {
        self.live().map(|name| self.path.join(name)).filter(|folder| folder.join(MANIFEST).is_file())
    }

    /// The name of the live dataset.
    fn live(&self) -> Option<String> {
        fs::read_to_string(self.path.join(CURRENT)).ok().map(|name| name.trim().to_owned())
    }

    /// Names `name` live, atomically, and removes all but it and the former one.
    fn make_live(&self, name: &str) -> Result<()> {
        let former = self.live();
        let current = self.path.join(CURRENT);
        // Under the name of what is unfinished: a build that dies here leaves nothing that looks foreign.
        let mut file = tempfile::Builder::new()
            .prefix(UNFINISHED)
            .tempfile_in(&self.path)
            .map_err(|e| Error::io(&self.path, &e))?;
        writeln!(file, "{name}").map_err(|e| Error::io(&current, &e))?;
        readable_by_all(file.path(), 0o644)?;
        file.as_file().sync_all().map_err(|e| Error::io(&current, &e))?;
        file.persist(&current).map_err(|e| Error::io(&current, &e.error))?;
        sync_folder(&self.path)?;
        let former = former.filter(|former| former != name);
        for entry in fs::read_dir(&self.path).map_err(|e| Error::io(&self.path, &e))? {
            let entry = entry.map_err(|e| Error::io(&self.path, &e))?;
            let other = entry.file_name().to_string_lossy().into_owned();
            // The former one goes only when a newer one has come; building the same twice keeps it.
            let older = former.as_ref().is_some_and(|former| *former != other);
            if is_dataset_name(&other) && other != name && older {
                fs::remove_dir_all(entry.path()).map_err(|e| Error::io(entry.path(), &e))?;
            }
        }
        Ok(())
    }
}

impl Work<'_> {
    /// Where the dataset's files are written.
    pub(crate) fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// Hashes the files, writes the manifest, moves the dataset to its place and makes it live.
    pub(crate) fn seal(self, mut manifest: Manifest, crawl: &serde_json::Value) -> Result<(PathBuf, Manifest)> {
        let folder = self.folder.path();
        readable_by_all(folder, 0o755)?;
        let hashed = hash_files(folder)?;
        let checksums = Checksums::encode(hashed.iter().map(|(_, blocks)| blocks.as_slice()));
        write_durably(&folder.join(CHECKSUMS), &checksums)?;
        readable_by_all(&folder.join(CHECKSUMS), 0o644)?;
        manifest.files = hashed.into_iter().map(|(entry, _)| entry).collect();
        manifest.files.push(FileEntry {
            path: CHECKSUMS.to_owned(),
            length: checksums.len() as u64,
            sha256: hex(&Sha256::digest(&checksums)),
        });
        manifest.files.sort_by(|a, b| a.path.cmp(&b.path));
        let (manifest, bytes) = manifest.seal()?;
        write_durably(&folder.join(MANIFEST), &bytes)?;
        let crawl = serde_json::to_vec_pretty(crawl).map_err(|e| Error::invalid(CRAWL, e.to_string()))?;
        write_durably(&folder.join(CRAWL), &crawl)?;
        sync_folder(folder)?;
        let name = folder_name(manifest.format, &manifest.dataset);
        let place = self.store.path.join(&name);
        if place.exists() {
            if verify(&place).is_ok_and(|verified| verified.dataset == manifest.dataset) {
                // The same content is there already; only the way to it is newer.
                fs::rename(folder.join(CRAWL), place.join(CRAWL)).map_err(|e| Error::io(&place, &e))?;
                self.store.make_live(&name)?;
                return Ok((place, manifest));
            }
            fs::remove_dir_all(&place).map_err(|e| Error::io(&place, &e))?;
        }
        let folder = self.folder.keep();
        fs::rename(&folder, &place).map_err(|e| Error::io(&place, &e))?;
        sync_folder(&self.store.path)?;
        self.store.make_live(&name)?;
        Ok((place, manifest))
    }
}

fn is_dataset_name(name: &str) -> bool {
    name.strip_prefix('v').and_then(|rest| rest.split_once('-')).is_some_and(|(version, id)| {
        !version.is_empty()
            && version.bytes().all(|b| b.is_ascii_digit())
            && id.len() == 16
            && id.bytes().all(|b| b.is_ascii_hexdigit())
    })
}

/// The files of a folder by their paths in it, each with the checksums of its blocks.
pub(crate) fn hash_files(folder: &Path) -> Result<Vec<(FileEntry, Vec<u32>)>> {
    let mut files = hash_files_in(folder, folder)?;
    files.sort_by(|(a, _), (b, _)| a.path.cmp(&b.path));
    Ok(files)
}

fn hash_files_in(root: &Path, folder: &Path) -> Result<Vec<(FileEntry, Vec<u32>)>> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).map_err(|e| Error::io(folder, &e))? {
        let path = entry.map_err(|e| Error::io(folder, &e))?.path();
        if path.is_dir() {
            readable_by_all(&path, 0o755)?;
            files.extend(hash_files_in(root, &path)?);
            sync_folder(&path)?;
            continue;
        }
        readable_by_all(&path, 0o644)?;
        let mut file = File::open(&path).map_err(|e| Error::io(&path, &e))?;
        let (mut hasher, mut blocks) = (Sha256::new(), BlockChecksums::default());
        let mut length = 0_u64;
        let mut buffer = vec![0_u8; 1 << 18];
        loop {
            let read = file.read(&mut buffer).map_err(|e| Error::io(&path, &e))?;
            if read == 0 {
                break;
            }
            let bytes = buffer.get(..read).unwrap_or_default();
            hasher.update(bytes);
            blocks.take(bytes);
            length += read as u64;
        }
        file.sync_all().map_err(|e| Error::io(&path, &e))?;
        let inside = path.strip_prefix(root).unwrap_or(&path);
        let parts: Vec<String> = inside.components().map(|c| c.as_os_str().to_string_lossy().into_owned()).collect();
        let entry = FileEntry { path: parts.join("/"), length, sha256: hex(&hasher.finalize()) };
        files.push((entry, blocks.finish()));
    }
    Ok(files)
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |hex, byte| hex + &format!("{byte:02x}"))
}

fn write_durably(path: &Path, bytes: &[u8]) -> Result<()> {
    let mut file = File::create(path).map_err(|e| Error::io(path, &e))?;
    file.write_all(bytes).map_err(|e| Error::io(path, &e))?;
    file.sync_all().map_err(|e| Error::io(path, &e))
}

#[cfg(unix)]
fn sync_folder(folder: &Path) -> Result<()> {
    File::open(folder).and_then(|folder| folder.sync_all()).map_err(|e| Error::io(folder, &e))
}

#[cfg(not(unix))]
fn sync_folder(_folder: &Path) -> Result<()> {
    Ok(())
}

/// Temporary files come out readable by their owner alone; a dataset is for everyone.
#[cfg(unix)]
fn readable_by_all(path: &Path, mode: u32) -> Result<()> {
    use std::os::unix::fs::PermissionsExt as _;
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).map_err(|e| Error::io(path, &e))
}

#[cfg(not(unix))]
fn readable_by_all(_path: &Path, _mode: u32) -> Result<()> {
    Ok(())
}
