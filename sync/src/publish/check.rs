//! A publication looked through without taking it.

use std::io;
use std::path::Path;

use coverdex_core::build::format::MANIFEST;
use coverdex_core::{Cancel, Error, ErrorKind, Manifest, Published, Result, Store, Verified, verify_cancelled_by};

use super::document::{Content, DOCUMENT, Publication, damaged};
use super::hash;
use super::place::Place;
use super::signature::Trust;
use super::zstandard::Unpack;

/// A publication that is what its document says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Checked {
    /// Its document.
    pub publication: Publication,
    /// The id of the key that proves it, if one was given.
    pub key: Option<String>,
    /// Packed bytes that were read.
    pub packed_bytes: u64,
    /// Bytes that they unpack to.
    pub bytes: u64,
    /// Deltas: their packed bytes were hashed; what they unpack to needs the former dataset.
    pub deltas: u64,
}

/// Looks at the signature of a publication in a folder or file, then at every packed byte, then at what these unpack to.
///
/// # Errors
/// [`Refused`](ErrorKind::Refused) if nothing proves it, [`DatasetDamaged`](ErrorKind::DatasetDamaged) naming what was
/// altered, is missing or cut short; [`Io`](ErrorKind::Io) if the system refuses.
pub fn check(at: &Path, trust: &Trust, cancel: &Cancel) -> Result<Checked> {
    let place = Place::local(at)?;
    let document = place.document(cancel)?;
    let (publication, key) = trust.judge(&document, place.signature(cancel)?.as_deref())?;
    let mut checked = Checked { key, packed_bytes: 0, bytes: 0, deltas: 0, publication: publication.clone() };
    let mut manifest = Vec::new();
    checked.unpack(&place, &publication.manifest, &mut manifest, cancel)?;
    publication.check_is_of(&read_manifest(&manifest)?)?;
    for file in &publication.files {
        checked.unpack(&place, &file.content, io::sink(), cancel)?;
    }
    Ok(checked)
}

impl Checked {
    fn unpack(&mut self, place: &Place, content: &Content, to: impl io::Write, cancel: &Cancel) -> Result<()> {
        // Nothing is fetched into it: the place is of this machine.
        let nowhere = Path::new("");
        for delta in &content.deltas {
            drop(place.packed(&content.delta_name(delta), &delta.packed, nowhere, &|_| {}, cancel)?);
            self.deltas += 1;
            self.packed_bytes += delta.packed.length;
        }
        let name = content.blob_name();
        let packed = place.packed(&name, &content.packed, nowhere, &|_| {}, cancel)?;
        let shown = place.name(&name);
        let unpack = Unpack { name: &shown, length: content.length, sha256: &content.sha256, prefix: None };
        unpack.run(packed, to, |e| Error::new(ErrorKind::Io, shown.clone(), e.to_string()), cancel)?;
        self.packed_bytes += content.packed.length;
        self.bytes += content.length;
        Ok(())
    }
}

/// Reads a manifest from its bytes, with every check that a reader makes.
pub(super) fn read_manifest(bytes: &[u8]) -> Result<Manifest> {
    let folder = tempfile::tempdir().map_err(|e| Error::io(std::env::temp_dir(), &e))?;
    let path = folder.path().join(MANIFEST);
    std::fs::write(&path, bytes).map_err(|e| Error::io(&path, &e))?;
    Manifest::read(folder.path())
}

/// A dataset of a store that is what its publisher signed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProvedDataset {
    /// The dataset, every byte of it checked.
    pub verified: Verified,
    /// The publication that it came from.
    pub published: Published,
}

/// Proves that the live dataset of a store is what was signed with a key: the store keeps the document and the signature.
///
/// # Errors
/// [`Refused`](ErrorKind::Refused) if the dataset came from no signed publication, or from one by another key;
/// else as [`verify`](coverdex_core::verify).
pub fn check_installed(store: &Path, trust: &Trust, cancel: &Cancel) -> Result<ProvedDataset> {
    let unproved = |what: &str| {
        Error::new(ErrorKind::Refused, format!("dataset {}", store.display()), what)
            .with_hint("verify without a key, or install it from a signed publication")
    };
    let live = Store::open(store).map_err(|error| match error.kind() {
        ErrorKind::DatasetMissing => unproved("only a store's live dataset can be proved with a key: this is none"),
        _ => error,
    })?;
    let published = live.published()?.filter(|published| published.signature.is_some());
    let published = published.ok_or_else(|| unproved("it came from no signed publication: nothing is proved"))?;
    let document = published.document.as_bytes();
    let (publication, _) = trust.judge(document, published.signature.as_deref())?;
    let folder = live.live().ok_or_else(|| unproved("no dataset is live"))?;
    let path = folder.join(MANIFEST);
    let bytes = std::fs::read(&path).map_err(|e| Error::io(&path, &e))?;
    if hash::sha256(&bytes) != publication.manifest.sha256 {
        return Err(damaged(DOCUMENT, "the live dataset is another than the one that was signed"));
    }
    Ok(ProvedDataset { verified: verify_cancelled_by(&folder, cancel)?, published })
}
