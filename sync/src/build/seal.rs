//! Sealing a dataset in the making: hashes, checksums, manifest.

use std::fs::{self, File};
use std::io::Read as _;
use std::path::{Path, PathBuf};

use coverdex_core::build::format::{BlockChecksums, CHECKSUMS, CRAWL, Checksums, FileEntry, MANIFEST, Manifest};
use coverdex_core::build::store::{Unfinished, sync_file, sync_folder, write_durably};
use coverdex_core::{Error, Result};
use sha2::{Digest as _, Sha256};

/// Hashes the files, writes the manifest, moves the dataset to its place and makes it live.
pub(super) fn seal(
    work: Unfinished<'_>,
    mut manifest: Manifest,
    crawl: &serde_json::Value,
) -> Result<(PathBuf, Manifest)> {
    let folder = work.folder();
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
    let place = work.make_live(&manifest)?;
    Ok((place, manifest))
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
        drop(file);
        sync_file(&path)?;
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
