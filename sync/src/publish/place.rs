//! Where a publication lies.

use std::fs::{self, File};
use std::io::Read;
use std::path::{Path, PathBuf};

use coverdex_core::{Cancel, Error, ErrorKind, Result};

use super::archive::Archive;
use super::document::{Blob, DOCUMENT, LONGEST_DOCUMENT, LONGEST_SIGNATURE, SIGNATURE, damaged};
use super::hash;
use super::web::Web;

/// Where a publication lies.
pub(super) enum Place {
    /// A folder of this machine.
    Folder(PathBuf),
    /// One file.
    Archive(Archive),
    /// A web server.
    Web(Box<Web>),
}

/// Whether a path is a publication's: a folder with its document, or a file.
#[must_use]
pub fn is_publication(path: &Path) -> bool {
    path.is_file() || path.join(DOCUMENT).exists()
}

impl Place {
    /// A publication in a folder or a file.
    pub(super) fn local(path: &Path) -> Result<Self> {
        if path.is_file() {
            return Archive::open(path).map(Self::Archive);
        }
        if path.join(DOCUMENT).is_file() {
            return Ok(Self::Folder(path.to_owned()));
        }
        let what =
            if path.is_dir() { format!("no publication: there is no {DOCUMENT}") } else { "no such folder".to_owned() };
        Err(Error::new(ErrorKind::DatasetMissing, format!("publication {}", path.display()), what)
            .with_hint("name a folder or file that `coverdex pack` made"))
    }

    /// The document's bytes.
    pub(super) fn document(&self, cancel: &Cancel) -> Result<Vec<u8>> {
        self.small(DOCUMENT, LONGEST_DOCUMENT, cancel)?.ok_or_else(|| {
            Error::new(ErrorKind::DatasetMissing, self.name(DOCUMENT), "it is not there: no publication")
                .with_hint("name the folder that publication.json lies in")
        })
    }

    /// The signature, if there is one.
    pub(super) fn signature(&self, cancel: &Cancel) -> Result<Option<String>> {
        let Some(bytes) = self.small(SIGNATURE, LONGEST_SIGNATURE, cancel)? else { return Ok(None) };
        String::from_utf8(bytes).map(Some).map_err(|_| damaged(self.name(SIGNATURE), "it is no signature"))
    }

    /// A file of the publication, as errors name it.
    pub(super) fn name(&self, name: &str) -> String {
        match self {
            Self::Folder(folder) => folder.join(name).display().to_string(),
            Self::Archive(archive) => format!("{} in {}", name, archive.path.display()),
            Self::Web(web) => web.name(name),
        }
    }

    /// The bytes of a small file, if it is there.
    fn small(&self, name: &str, most: u64, cancel: &Cancel) -> Result<Option<Vec<u8>>> {
        let too_long = || damaged(self.name(name), format!("it has more than {most} bytes"));
        if let Self::Web(web) = self {
            return web.small(name, most, cancel);
        }
        let Some((reader, length)) = self.reader(name)? else { return Ok(None) };
        if length > most {
            return Err(too_long());
        }
        let mut bytes = Vec::new();
        let failed = |e: std::io::Error| Error::new(ErrorKind::Io, self.name(name), e.to_string());
        reader.take(most + 1).read_to_end(&mut bytes).map_err(failed)?;
        if bytes.len() as u64 > most { Err(too_long()) } else { Ok(Some(bytes)) }
    }

    /// A file of this machine and its length, if it is there.
    fn reader(&self, name: &str) -> Result<Option<(Box<dyn Read>, u64)>> {
        match self {
            Self::Folder(folder) => {
                let path = folder.join(name);
                match fs::metadata(&path) {
                    Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
                    Err(error) => Err(Error::io(&path, &error)),
                    // Opening a pipe would wait.
                    Ok(metadata) if !metadata.is_file() => {
                        Err(damaged(self.name(name), "something else stands where a file should"))
                    }
                    Ok(metadata) => {
                        let file = File::open(&path).map_err(|e| Error::io(&path, &e))?;
                        Ok(Some((Box::new(file), metadata.len())))
                    }
                }
            }
            Self::Archive(archive) => {
                let length = archive.length(name).unwrap_or_default();
                Ok(archive.read(name)?.map(|bytes| (Box::new(bytes) as Box<dyn Read>, length)))
            }
            Self::Web(_) => Ok(None),
        }
    }

    /// The bytes of a packed file, which are what the document says. What comes over a network is kept in the folder
    /// `fetched`, by its hash, and goes on from there; `came` is told how many bytes of it are there.
    pub(super) fn packed(
        &self,
        name: &str,
        blob: &Blob,
        fetched: &Path,
        came: &dyn Fn(u64),
        cancel: &Cancel,
    ) -> Result<Box<dyn Read>> {
        if let Self::Web(web) = self {
            let path = web.fetch(name, blob, fetched, came, cancel)?;
            let file = File::open(&path).map_err(|e| Error::io(&path, &e))?;
            return Ok(Box::new(file));
        }
        let missing = || damaged(self.name(name), "the document names it, and it is not there");
        let (reader, length) = self.reader(name)?.ok_or_else(missing)?;
        check_length(&self.name(name), length, blob)?;
        let failed = |e: std::io::Error| Error::new(ErrorKind::Io, self.name(name), e.to_string());
        let (length, sha256) = hash::of_reader(reader, blob.length).map_err(failed)?;
        check_length(&self.name(name), length, blob)?;
        if sha256 != blob.sha256 {
            return Err(damaged(self.name(name), "it was altered: its hash is not the one that the document states"));
        }
        Ok(self.reader(name)?.ok_or_else(missing)?.0)
    }
}

fn check_length(name: &str, length: u64, blob: &Blob) -> Result<()> {
    match length.cmp(&blob.length) {
        std::cmp::Ordering::Equal => Ok(()),
        std::cmp::Ordering::Less => {
            Err(damaged(name, format!("it is cut short: it has {length} bytes of {}", blob.length)))
        }
        std::cmp::Ordering::Greater => Err(damaged(name, format!("it has more bytes than the {} stated", blob.length))),
    }
}
