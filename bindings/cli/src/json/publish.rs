//! `--json` of `pack`, `keys`, `sign`, `update` and of what is verified or installed with a publication.

use std::path::Path;

use coverdex_core::Published;
use coverdex_sync::publish::{Checked, KeyPairFiles, Packed, ProvedDataset, Publication, Signed, Taken};
use serde::Serialize;

use super::InstalledDocument;

/// A publication.
#[derive(Debug, Serialize)]
pub(crate) struct PublicationFields<'a> {
    series: &'a str,
    number: u64,
    published: &'a str,
    expires: Option<&'a str>,
    /// The key that proves it, or null.
    key: Option<&'a str>,
}

impl<'a> PublicationFields<'a> {
    fn of(publication: &'a Publication, key: Option<&'a str>) -> Self {
        let Publication { series, number, published, expires, .. } = publication;
        Self { series, number: *number, published, expires: expires.as_deref(), key }
    }
}

impl<'a> From<&'a Published> for PublicationFields<'a> {
    fn from(it: &'a Published) -> Self {
        let (expires, key) = (it.expires.as_deref(), it.key.as_deref());
        Self { series: &it.series, number: it.number, published: &it.published, expires, key }
    }
}

/// `coverdex pack --json`.
#[derive(Debug, Serialize)]
pub(crate) struct PackedDocument<'a> {
    out: String,
    publication: PublicationFields<'a>,
    dataset: &'a str,
    as_of: &'a str,
    bytes: u64,
    packed_bytes: u64,
    update_bytes: u64,
    files: Vec<PackedFields<'a>>,
}

#[derive(Debug, Serialize)]
struct PackedFields<'a> {
    path: &'a str,
    bytes: u64,
    packed_bytes: u64,
    delta_bytes: Option<u64>,
    same: bool,
}

impl<'a> PackedDocument<'a> {
    pub(crate) fn of(packed: &'a Packed, out: &Path) -> Self {
        let files: Vec<PackedFields<'a>> = packed
            .files
            .iter()
            .map(|file| PackedFields {
                path: &file.path,
                bytes: file.length,
                packed_bytes: file.packed,
                delta_bytes: file.delta,
                same: file.is_same,
            })
            .collect();
        Self {
            out: out.display().to_string(),
            publication: PublicationFields::of(&packed.publication, None),
            dataset: &packed.publication.dataset,
            as_of: &packed.publication.as_of,
            bytes: files.iter().map(|file| file.bytes).sum(),
            packed_bytes: files.iter().map(|file| file.packed_bytes).sum(),
            update_bytes: files
                .iter()
                .filter(|file| !file.same)
                .map(|file| file.delta_bytes.unwrap_or(file.packed_bytes))
                .sum(),
            files,
        }
    }
}

/// `coverdex keys --json`.
#[derive(Debug, Serialize)]
pub(crate) struct KeysDocument<'a> {
    key: &'a str,
    public_key: &'a str,
    secret: String,
    public: String,
}

impl<'a> From<&'a KeyPairFiles> for KeysDocument<'a> {
    fn from(pair: &'a KeyPairFiles) -> Self {
        let shown = |path: &Path| path.display().to_string();
        Self { key: &pair.id, public_key: &pair.line, secret: shown(&pair.secret), public: shown(&pair.public) }
    }
}

/// `coverdex sign --json`.
#[derive(Debug, Serialize)]
pub(crate) struct SignedDocument<'a> {
    at: String,
    publication: PublicationFields<'a>,
    dataset: &'a str,
}

impl<'a> SignedDocument<'a> {
    pub(crate) fn of(signed: &'a Signed, at: &Path) -> Self {
        Self {
            at: at.display().to_string(),
            publication: PublicationFields::of(&signed.publication, Some(&signed.key)),
            dataset: &signed.publication.dataset,
        }
    }
}

/// `coverdex verify --json` of a publication.
#[derive(Debug, Serialize)]
pub(crate) struct CheckedDocument<'a> {
    data: String,
    publication: PublicationFields<'a>,
    dataset: &'a str,
    files: usize,
    bytes: u64,
    packed_bytes: u64,
    deltas: u64,
}

impl<'a> CheckedDocument<'a> {
    pub(crate) fn of(checked: &'a Checked, data: String) -> Self {
        Self {
            data,
            publication: PublicationFields::of(&checked.publication, checked.key.as_deref()),
            dataset: &checked.publication.dataset,
            files: checked.publication.files.len() + 1,
            bytes: checked.bytes,
            packed_bytes: checked.packed_bytes,
            deltas: checked.deltas,
        }
    }
}

/// `coverdex verify --json` of a store's dataset that a key proves.
#[derive(Debug, Serialize)]
pub(crate) struct ProvedDocument<'a> {
    data: String,
    publication: PublicationFields<'a>,
    dataset: &'a str,
    files: usize,
    bytes: u64,
}

impl<'a> ProvedDocument<'a> {
    pub(crate) fn of(proved: &'a ProvedDataset, data: String) -> Self {
        let verified = &proved.verified;
        Self {
            data,
            publication: PublicationFields::from(&proved.published),
            dataset: &verified.dataset,
            files: verified.files,
            bytes: verified.bytes,
        }
    }
}

/// `coverdex update --json`, and `coverdex install --json` of a publication.
#[derive(Debug, Serialize)]
pub(crate) struct TakenDocument<'a> {
    #[serde(flatten)]
    installed: InstalledDocument<'a>,
    publication: PublicationFields<'a>,
    before: Option<PublicationFields<'a>>,
    up_to_date: bool,
    expired: bool,
    fetched_bytes: u64,
    unchanged: u64,
    by_delta: u64,
    whole: u64,
    remarks: &'a [String],
}

impl<'a> From<&'a Taken> for TakenDocument<'a> {
    fn from(taken: &'a Taken) -> Self {
        Self {
            installed: InstalledDocument::from(&taken.installed),
            publication: PublicationFields::of(&taken.publication, taken.key.as_deref()),
            before: taken.before.as_ref().map(PublicationFields::from),
            up_to_date: taken.is_up_to_date,
            expired: taken.has_expired,
            fetched_bytes: taken.fetched_bytes,
            unchanged: taken.unchanged,
            by_delta: taken.by_delta,
            whole: taken.whole,
            remarks: &taken.remarks,
        }
    }
}
