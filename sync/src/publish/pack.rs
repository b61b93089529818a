//! From a dataset to a publication.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

use coverdex_core::build::format::{MANIFEST, locate};
use coverdex_core::build::store::{sync_folder, write_durably};
use coverdex_core::{Cancel, Error, ErrorKind, FileEntry, Manifest, Result, verify_cancelled_by};
use jiff::Timestamp;

use super::archive::Writer;
use super::document::{
    Blob, Content, DOCUMENT, Delta, Publication, PublishedFile, check_number, check_series, damaged,
};
use super::hash;
use super::place::Place;
use super::zstandard::{self, LONGEST_FOR_DELTA, Unpack};
use crate::build::not_cancelled;

/// How a dataset is packed.
#[derive(Clone, Debug, Default)]
pub struct PackOptions {
    /// The name of the series.
    pub series: String,
    /// The number; else that of the former publication and one, else 1.
    pub number: Option<u64>,
    /// Until when the publisher stands by it.
    pub expires: Option<Timestamp>,
    /// The publication before, a folder or one file: what is the same there is not packed again, and what differs is
    /// packed as the difference too.
    pub former: Option<PathBuf>,
}

/// What was packed.
#[derive(Clone, Debug)]
pub struct Packed {
    /// The publication's document.
    pub publication: Publication,
    /// Its files, the manifest among them.
    pub files: Vec<PackedFile>,
}

/// A file that was packed.
#[derive(Clone, Debug)]
pub struct PackedFile {
    /// Its path in the dataset.
    pub path: String,
    /// Its bytes.
    pub length: u64,
    /// Its packed bytes.
    pub packed: u64,
    /// Bytes of its difference from the former publication's, if that is kept.
    pub delta: Option<u64>,
    /// The former publication has it too.
    pub is_same: bool,
}

/// Checks a dataset and packs it into a new folder, or into one file: nothing is there before all of it is.
///
/// # Errors
/// As [`verify`](coverdex_core::verify) of the dataset; [`InvalidInput`](ErrorKind::InvalidInput) for a series, number or
/// former publication that does not do, and where something is in the place already; [`Io`](ErrorKind::Io) if the system
/// refuses; [`Interrupted`](ErrorKind::Interrupted) by the token.
pub fn pack(data: &Path, out: &Path, is_file: bool, options: &PackOptions, cancel: &Cancel) -> Result<Packed> {
    check_series(&options.series).map_err(|what| {
        Error::invalid(format!("series {:?}", options.series), what).with_hint("name it as the payer is named")
    })?;
    let former = options.former.as_deref().map(|at| Former::open(at, cancel)).transpose()?;
    let number = number(options, former.as_ref())?;
    refuse_if_there(out)?;
    verify_cancelled_by(data, cancel)?;
    let folder = locate(data)?.folder;
    let manifest = Manifest::read(&folder)?;
    let work = Work::begin(out)?;
    let packer = Packer { folder: &folder, former: former.as_ref(), work: &work.0, with_deltas: !is_file, cancel };
    let entry = manifest_entry(&folder)?;
    let mut files = Vec::new();
    let content = packer.add(&entry, &mut files)?;
    let mut publication = Publication::new(&options.series, number, &manifest, content);
    publication.published = now().to_string();
    publication.expires = options.expires.map(|at| at.to_string());
    for file in &manifest.files {
        let content = packer.add(file, &mut files)?;
        publication.files.push(PublishedFile { path: file.path.clone(), content });
    }
    publication.check_is_of(&manifest)?;
    let document = publication.to_bytes()?;
    write_durably(&work.0.join(DOCUMENT), &document)?;
    if is_file {
        work.into_file(out, &publication)?;
    } else {
        work.into_folder(out)?;
    }
    Ok(Packed { publication, files })
}

/// The time, in whole seconds.
fn now() -> Timestamp {
    let now = Timestamp::now();
    Timestamp::from_second(now.as_second()).unwrap_or(now)
}

fn number(options: &PackOptions, former: Option<&Former>) -> Result<u64> {
    let before = former.map(|former| &former.publication);
    if let Some(before) = before.filter(|before| before.series != options.series) {
        let what = format!("it is of the series {:?}", before.series);
        return Err(Error::invalid("former publication", what).with_hint("name a publication of the same series"));
    }
    let next = before.map_or(1, |before| before.number.saturating_add(1));
    let number = options.number.unwrap_or(next);
    check_number(number).map_err(|what| {
        Error::invalid(format!("number {number}"), what).with_hint("count publications, or leave it out")
    })?;
    if number < next {
        let what = format!("the former publication has {}: those who have that would refuse this one", next - 1);
        return Err(Error::invalid(format!("number {number}"), what).with_hint(format!("begin at {next}")));
    }
    Ok(number)
}

fn refuse_if_there(out: &Path) -> Result<()> {
    let is_empty = |path: &Path| fs::read_dir(path).is_ok_and(|mut inside| inside.next().is_none());
    if out.symlink_metadata().is_err() || is_empty(out) {
        return Ok(());
    }
    Err(Error::invalid(format!("publication {}", out.display()), "something is there already")
        .with_hint("name a new folder or file, and put it in the former one's place once it is signed"))
}

fn manifest_entry(folder: &Path) -> Result<FileEntry> {
    let path = folder.join(MANIFEST);
    let bytes = fs::read(&path).map_err(|e| Error::io(&path, &e))?;
    Ok(FileEntry { path: MANIFEST.to_owned(), length: bytes.len() as u64, sha256: hash::sha256(&bytes) })
}

/// The publication before.
struct Former {
    place: Place,
    publication: Publication,
    /// Its packed files, by the hash of what they hold.
    blobs: BTreeMap<String, Blob>,
}

impl Former {
    fn open(path: &Path, cancel: &Cancel) -> Result<Self> {
        let place = Place::local(path)?;
        let publication = Publication::parse(&place.document(cancel)?)?;
        let contents = publication.files.iter().map(|file| &file.content).chain([&publication.manifest]);
        let blobs = contents.map(|content| (content.sha256.clone(), content.packed.clone())).collect();
        Ok(Self { place, publication, blobs })
    }

    /// What a file of this path was.
    fn file(&self, path: &str) -> Option<&Content> {
        if path == MANIFEST {
            return Some(&self.publication.manifest);
        }
        self.publication.files.iter().find(|file| file.path == path).map(|file| &file.content)
    }

    /// Its bytes.
    fn unpack(&self, content: &Content, work: &Path, cancel: &Cancel) -> Result<Vec<u8>> {
        let name = content.blob_name();
        let packed = self.place.packed(&name, &content.packed, work, &|_| {}, cancel)?;
        let mut bytes = Vec::new();
        let unpack = Unpack { name: &name, length: content.length, sha256: &content.sha256, prefix: None };
        unpack.run(packed, &mut bytes, |e| Error::new(ErrorKind::Io, name.clone(), e.to_string()), cancel)?;
        Ok(bytes)
    }
}

struct Packer<'a> {
    folder: &'a Path,
    former: Option<&'a Former>,
    work: &'a Path,
    with_deltas: bool,
    cancel: &'a Cancel,
}

impl Packer<'_> {
    /// Packs a file of the dataset.
    fn add(&self, entry: &FileEntry, files: &mut Vec<PackedFile>) -> Result<Content> {
        not_cancelled(self.cancel)?;
        let nothing = Blob { sha256: String::new(), length: 0 };
        let (sha256, length) = (entry.sha256.clone(), entry.length);
        let mut content = Content { sha256, length, packed: nothing, deltas: Vec::new() };
        let kept = self.keep(&content)?;
        let is_same = kept.is_some();
        content.packed = match kept {
            Some(kept) => kept,
            None => self.squeeze(entry, &content.blob_name(), None)?,
        };
        let before = self.former.filter(|_| self.with_deltas && !is_same).and_then(|former| {
            let before = former.file(&entry.path)?;
            let is_short = entry.length.max(before.length) <= LONGEST_FOR_DELTA;
            (is_short && before.sha256 != entry.sha256).then_some((former, before))
        });
        if let Some((former, before)) = before {
            let bytes = former.unpack(before, self.work, self.cancel)?;
            let from = before.sha256.clone();
            let name = content.delta_name(&Delta { from: from.clone(), packed: content.packed.clone() });
            let packed = self.squeeze(entry, &name, Some(&bytes))?;
            // A delta is one more file to keep and to check: it must save more than half.
            if packed.length.saturating_mul(2) < content.packed.length {
                content.deltas.push(Delta { from, packed });
            } else {
                let path = self.work.join(&name);
                fs::remove_file(&path).map_err(|e| Error::io(&path, &e))?;
            }
        }
        files.push(PackedFile {
            path: entry.path.clone(),
            length,
            packed: content.packed.length,
            delta: content.deltas.first().map(|delta| delta.packed.length),
            is_same,
        });
        Ok(content)
    }

    /// Takes a packed file from the former publication, if it has it.
    fn keep(&self, content: &Content) -> Result<Option<Blob>> {
        let Some(former) = self.former else { return Ok(None) };
        let Some(blob) = former.blobs.get(&content.sha256) else { return Ok(None) };
        let name = content.blob_name();
        let mut bytes = former.place.packed(&name, blob, self.work, &|_| {}, self.cancel)?;
        let path = self.create_parent(&name)?;
        let mut file = File::create(&path).map_err(|e| Error::io(&path, &e))?;
        io::copy(&mut bytes, &mut file).and_then(|_| file.sync_all()).map_err(|e| Error::io(&path, &e))?;
        Ok(Some(blob.clone()))
    }

    /// Packs a file, whole or as the difference from another, and unpacks it again to see that it is right.
    fn squeeze(&self, entry: &FileEntry, name: &str, prefix: Option<&[u8]>) -> Result<Blob> {
        let (from, to) = (self.folder.join(&entry.path), self.create_parent(name)?);
        let open = |path: &Path| File::open(path).map_err(|e| Error::io(path, &e));
        let file = File::create(&to).map_err(|e| Error::io(&to, &e))?;
        let packed = zstandard::pack(open(&from)?.take(entry.length), entry.length, prefix, &file, self.cancel);
        let (length, sha256) =
            packed.map_err(|e| not_cancelled(self.cancel).err().unwrap_or_else(|| Error::io(&to, &e)))?;
        file.sync_all().map_err(|e| Error::io(&to, &e))?;
        let unpack = Unpack { name, length: entry.length, sha256: &entry.sha256, prefix };
        unpack.run(open(&to)?, io::sink(), |e| Error::io(&to, e), self.cancel).map_err(|error| {
            if error.kind() == ErrorKind::DatasetDamaged {
                damaged(from.display().to_string(), "it was altered while it was packed")
                    .with_hint("pack again; `coverdex verify` tells whether the dataset is whole")
            } else {
                error
            }
        })?;
        Ok(Blob { sha256, length })
    }

    fn create_parent(&self, name: &str) -> Result<PathBuf> {
        let path = self.work.join(name);
        let parent = path.parent().unwrap_or(self.work);
        fs::create_dir_all(parent).map_err(|e| Error::io(parent, &e))?;
        Ok(path)
    }
}

/// The folder that a publication is written in before it is whole: beside its place, and gone if it does not come so far.
struct Work(PathBuf);

impl Work {
    fn begin(out: &Path) -> Result<Self> {
        let mut path = out.as_os_str().to_owned();
        path.push(".packing");
        let path = PathBuf::from(path);
        if path.symlink_metadata().is_ok() {
            let what = "it is there already: another pack writes it, or one died";
            return Err(Error::invalid(path.display().to_string(), what).with_hint("remove it if none is running"));
        }
        let hint = "see that there is room and that you may write there, or name another place";
        fs::create_dir_all(&path).map_err(|e| Error::io(&path, &e).with_hint(hint))?;
        Ok(Self(path))
    }

    fn into_folder(self, out: &Path) -> Result<()> {
        for folder in ["blobs", "deltas", ""].map(|name| self.0.join(name)) {
            if folder.is_dir() {
                sync_folder(&folder)?;
            }
        }
        fs::rename(&self.0, out).map_err(|e| Error::io(out, &e))?;
        let parent = out.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
        sync_folder(parent)
    }

    fn into_file(self, out: &Path, publication: &Publication) -> Result<()> {
        let mut writer = Writer::create(out)?;
        let contents = publication.files.iter().map(|file| &file.content).chain([&publication.manifest]);
        let mut names: Vec<String> = contents.map(Content::blob_name).collect();
        names.sort();
        names.dedup();
        names.insert(0, DOCUMENT.to_owned());
        for name in names {
            let path = self.0.join(&name);
            let file = File::open(&path).map_err(|e| Error::io(&path, &e))?;
            let length = file.metadata().map_err(|e| Error::io(&path, &e))?.len();
            writer.add(&name, length, file)?;
        }
        writer.end()
    }
}

impl Drop for Work {
    fn drop(&mut self) {
        // The whole folder was moved to its place by then, or is of no use.
        let _ = fs::remove_dir_all(&self.0);
    }
}
