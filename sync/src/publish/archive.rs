//! A publication in one file: a tar whose entries are the files of the folder. Nothing is unpacked from it by the names
//! in it: they are compared with the few that a publication has, and the bytes are read where they lie.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, BufWriter, Read, Seek as _, SeekFrom, Write};
use std::path::{Path, PathBuf};

use coverdex_core::{Error, ErrorKind, Result};
use tar::{Builder, EntryType, Header};

use super::document::{DOCUMENT, SIGNATURE, damaged, is_hash};

/// Most entries that are read.
const MOST_ENTRIES: usize = 1_000_000;

/// A publication in one file, and where each of its files lies in it.
#[derive(Clone, Debug)]
pub(super) struct Archive {
    pub(super) path: PathBuf,
    /// Offset and length, by name.
    entries: BTreeMap<String, (u64, u64)>,
}

/// Whether a publication may have a file of this name.
fn is_publications(name: &str) -> bool {
    let hash_of = |folder: &str| name.strip_prefix(folder).and_then(|rest| rest.strip_suffix(".zst"));
    name == DOCUMENT
        || name == SIGNATURE
        || hash_of("blobs/").is_some_and(is_hash)
        || hash_of("deltas/")
            .and_then(|pair| pair.split_once('-'))
            .is_some_and(|(from, to)| is_hash(from) && is_hash(to))
}

impl Archive {
    pub(super) fn open(path: &Path) -> Result<Self> {
        let shown = || path.display().to_string();
        let broken = |e: &io::Error| match e.kind() {
            io::ErrorKind::Other
            | io::ErrorKind::InvalidData
            | io::ErrorKind::InvalidInput
            | io::ErrorKind::UnexpectedEof => {
                damaged(shown(), format!("it cannot be read as a publication's file: {e}"))
            }
            _ => Error::io(path, e),
        };
        let file = File::open(path).map_err(|e| Error::io(path, &e))?;
        let whole = file.metadata().map_err(|e| Error::io(path, &e))?.len();
        let mut entries = BTreeMap::new();
        let mut tar = tar::Archive::new(file);
        for entry in tar.entries_with_seek().map_err(|e| broken(&e))? {
            let entry = entry.map_err(|e| broken(&e))?;
            let name = String::from_utf8_lossy(&entry.path_bytes()).into_owned();
            let named: String = name.chars().take(200).collect();
            let is_file = entry.header().entry_type() == EntryType::Regular;
            if !is_file || !is_publications(&name) || entries.len() >= MOST_ENTRIES {
                return Err(damaged(shown(), format!("it has an entry that no publication has: {named:?}")));
            }
            let (at, length) = (entry.raw_file_position(), entry.size());
            if at.checked_add(length).is_none_or(|end| end > whole) {
                return Err(damaged(shown(), format!("it is cut short, in {named}")));
            }
            if entries.insert(name, (at, length)).is_some() {
                return Err(damaged(shown(), format!("it has two entries {named:?}")));
            }
        }
        if !entries.contains_key(DOCUMENT) {
            let what = format!("no publication: there is no {DOCUMENT} in it");
            return Err(
                Error::new(ErrorKind::DatasetMissing, shown(), what).with_hint("name a file that `coverdex pack` made")
            );
        }
        Ok(Self { path: path.to_owned(), entries })
    }

    /// How many bytes a file has.
    pub(super) fn length(&self, name: &str) -> Option<u64> {
        self.entries.get(name).map(|(_, length)| *length)
    }

    /// The bytes of a file.
    pub(super) fn read(&self, name: &str) -> Result<Option<io::Take<File>>> {
        let Some((at, length)) = self.entries.get(name) else { return Ok(None) };
        let mut file = File::open(&self.path).map_err(|e| Error::io(&self.path, &e))?;
        file.seek(SeekFrom::Start(*at)).map_err(|e| Error::io(&self.path, &e))?;
        Ok(Some(file.take(*length)))
    }
}

/// Writes an archive; the same entries give the same bytes.
pub(super) struct Writer {
    builder: Builder<BufWriter<File>>,
    /// Where it is written before it is whole.
    next: PathBuf,
    path: PathBuf,
}

impl Writer {
    pub(super) fn create(path: &Path) -> Result<Self> {
        let mut next = path.as_os_str().to_owned();
        next.push(".part");
        let next = PathBuf::from(next);
        let file = File::create(&next).map_err(|e| Error::io(&next, &e))?;
        Ok(Self { builder: Builder::new(BufWriter::new(file)), next, path: path.to_owned() })
    }

    pub(super) fn add(&mut self, name: &str, length: u64, bytes: impl Read) -> Result<()> {
        let mut header = Header::new_gnu();
        header.set_entry_type(EntryType::Regular);
        header.set_size(length);
        header.set_mode(0o644);
        header.set_mtime(0);
        self.builder.append_data(&mut header, name, bytes).map_err(|e| Error::io(&self.next, &e))
    }

    /// Puts the archive in its place.
    pub(super) fn end(self) -> Result<()> {
        let Self { builder, next, path } = self;
        let written = builder.into_inner().and_then(|mut file| {
            file.flush()?;
            file.get_ref().sync_all()
        });
        written.map_err(|e| Error::io(&next, &e))?;
        fs::rename(&next, &path).map_err(|e| Error::io(&path, &e))?;
        // A file's name is in its folder; a relative path of one part lies in the current one.
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        coverdex_core::build::store::sync_folder(folder)
    }
}

/// Writes an archive again, with this signature.
pub(super) fn put_signature(archive: &Archive, signature: &[u8]) -> Result<()> {
    let mut writer = Writer::create(&archive.path)?;
    let others = archive.entries.iter().filter(|(name, _)| name.as_str() != DOCUMENT && name.as_str() != SIGNATURE);
    if let Some(document) = archive.read(DOCUMENT)? {
        writer.add(DOCUMENT, document.limit(), document)?;
    }
    writer.add(SIGNATURE, signature.len() as u64, signature)?;
    for (name, (_, length)) in others {
        if let Some(bytes) = archive.read(name)? {
            writer.add(name, *length, bytes)?;
        }
    }
    writer.end()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tar_of(entries: &[(&[u8], EntryType)]) -> Vec<u8> {
        let mut builder = Builder::new(Vec::new());
        for (name, kind) in entries {
            let mut header = Header::new_gnu();
            // As another program may write it: `set_path` refuses what leads out.
            header.as_old_mut().name[..name.len()].copy_from_slice(name);
            header.set_entry_type(*kind);
            header.set_size(2);
            header.set_mode(0o644);
            header.set_cksum();
            builder.append(&header, &b"{}"[..]).unwrap();
        }
        builder.into_inner().unwrap()
    }

    fn open(bytes: &[u8]) -> Result<Archive> {
        let file = tempfile::NamedTempFile::new().unwrap();
        fs::write(file.path(), bytes).unwrap();
        Archive::open(file.path())
    }

    #[test]
    fn names_that_no_publication_has_are_refused() {
        let document = (DOCUMENT.as_bytes(), EntryType::Regular);
        assert!(open(&tar_of(&[document])).is_ok());
        let blob = format!("blobs/{}.zst", "a".repeat(64));
        assert!(open(&tar_of(&[document, (blob.as_bytes(), EntryType::Regular)])).is_ok());
        let upper = blob.replace("/a", "/A");
        let names: [&str; 9] = [
            "../publication.json",
            "/etc/passwd",
            "blobs/../../x",
            "blobs/x.zst",
            "./publication.json",
            "manifest.json",
            "blobs",
            &upper,
            "deltas/a-b.zst",
        ];
        for name in names {
            let error = open(&tar_of(&[document, (name.as_bytes(), EntryType::Regular)])).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::DatasetDamaged, "{name}");
            assert!(error.message().contains("no publication has"), "{name}: {error}");
        }
        for kind in [EntryType::Symlink, EntryType::Link, EntryType::Directory, EntryType::Fifo, EntryType::Char] {
            assert_eq!(
                open(&tar_of(&[document, (blob.as_bytes(), kind)])).unwrap_err().kind(),
                ErrorKind::DatasetDamaged
            );
        }
        let twice = open(&tar_of(&[document, document])).unwrap_err();
        assert!(twice.message().contains("two entries"), "{twice}");
        assert_eq!(open(&tar_of(&[])).unwrap_err().kind(), ErrorKind::DatasetMissing);
    }

    #[test]
    fn what_is_cut_short_or_no_tar_is_refused() {
        let whole = tar_of(&[(DOCUMENT.as_bytes(), EntryType::Regular)]);
        for cut in [1, 100, 511, 513] {
            assert_eq!(open(&whole[..cut]).unwrap_err().kind(), ErrorKind::DatasetDamaged, "{cut}");
        }
        assert!(open(&[b'x'; 4_096]).is_err());
    }
}
