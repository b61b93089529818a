//! `publication.json`: which dataset, as which number of which series, and where its bytes are.

use std::collections::BTreeSet;

use coverdex_core::{Error, ErrorKind, Manifest, Result};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

/// The document's name in a publication.
pub const DOCUMENT: &str = "publication.json";

/// The signature's name in a publication.
pub const SIGNATURE: &str = "publication.json.minisig";

/// Version of the document.
const FORMAT: u32 = 0;

/// Longest document, in bytes.
pub(super) const LONGEST_DOCUMENT: u64 = 16 << 20;

/// Longest signature, in bytes.
pub(super) const LONGEST_SIGNATURE: u64 = 8 << 10;

/// Longest manifest, in bytes, as core reads it.
const LONGEST_MANIFEST: u64 = 16 << 20;

/// Longest name of a series, in bytes.
const LONGEST_SERIES: usize = 100;

/// Highest number: what every JSON reader can hold.
const HIGHEST_NUMBER: u64 = (1 << 53) - 1;

/// Most files of a dataset, and most deltas of one.
const MOST_FILES: usize = 100_000;
const MOST_DELTAS: usize = 16;

/// Longest file, in bytes.
const LONGEST_FILE: u64 = 1 << 40;

/// A publication, as its document describes it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Publication {
    /// Version of the document.
    pub format: u32,
    /// The name of the series, as its publisher chose it.
    pub series: String,
    /// Its number in the series; each publication has a higher one than those before it.
    pub number: u64,
    /// When it was made, RFC 3339.
    pub published: String,
    /// Until when its publisher stands by it, RFC 3339.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires: Option<String>,
    /// The dataset's id.
    pub dataset: String,
    /// When the payer's data was read or last changed, RFC 3339.
    pub as_of: String,
    /// The dataset's manifest.
    pub manifest: Content,
    /// Every file that the manifest names, in its order.
    pub files: Vec<PublishedFile>,
}

/// A file of the dataset.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PublishedFile {
    /// Path inside the dataset's folder, with `/`.
    pub path: String,
    /// What it holds, and where that is.
    #[serde(flatten)]
    pub content: Content,
}

/// Bytes of the dataset, and where they are in the publication.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Content {
    /// SHA-256 of the bytes.
    pub sha256: String,
    /// How many they are.
    pub length: u64,
    /// The bytes, packed: `blobs/<sha256>.zst`.
    pub packed: Blob,
    /// How to make them of others.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub deltas: Vec<Delta>,
}

/// A packed file of the publication.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Blob {
    /// SHA-256 of the packed bytes.
    pub sha256: String,
    /// How many they are.
    pub length: u64,
}

/// The difference from a file of a former publication: `deltas/<from>-<sha256>.zst`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Delta {
    /// SHA-256 of the former file's bytes.
    pub from: String,
    /// The packed difference.
    #[serde(flatten)]
    pub packed: Blob,
}

impl Content {
    /// Where the packed bytes are in the publication.
    pub(super) fn blob_name(&self) -> String {
        format!("blobs/{}.zst", self.sha256)
    }

    /// Where the difference from another file is.
    pub(super) fn delta_name(&self, delta: &Delta) -> String {
        format!("deltas/{}-{}.zst", delta.from, self.sha256)
    }
}

impl Publication {
    /// A publication without files yet.
    pub(super) fn new(series: &str, number: u64, manifest: &Manifest, content: Content) -> Self {
        Self {
            format: FORMAT,
            series: series.to_owned(),
            number,
            published: String::new(),
            expires: None,
            dataset: manifest.dataset.clone(),
            as_of: manifest.as_of.clone(),
            manifest: content,
            files: Vec::new(),
        }
    }

    /// Its bytes.
    ///
    /// # Errors
    /// If it says what [`Publication::parse`] would refuse.
    pub fn to_bytes(&self) -> Result<Vec<u8>> {
        let mut bytes =
            serde_json::to_vec_pretty(self).map_err(|e| Error::invalid(DOCUMENT, format!("cannot be written: {e}")))?;
        bytes.push(b'\n');
        self.check().map_err(|what| Error::invalid(DOCUMENT, what))?;
        Ok(bytes)
    }

    /// Reads and checks a document.
    ///
    /// # Errors
    /// [`DatasetTooNew`](ErrorKind::DatasetTooNew) for a newer format, [`DatasetDamaged`](ErrorKind::DatasetDamaged) for
    /// anything that is not a document of a publication.
    pub fn parse(bytes: &[u8]) -> Result<Self> {
        #[derive(Deserialize)]
        struct Version {
            format: u32,
        }
        let unreadable = |e: serde_json::Error| damaged(DOCUMENT, format!("not the document of a publication: {e}"));
        let Version { format } = serde_json::from_slice(bytes).map_err(unreadable)?;
        if format > FORMAT {
            let what = format!("it has format {format}; this program reads up to {FORMAT}");
            return Err(Error::new(ErrorKind::DatasetTooNew, DOCUMENT, what).with_hint("update Coverdex"));
        }
        let publication: Self = serde_json::from_slice(bytes).map_err(unreadable)?;
        publication.check().map_err(|what| damaged(DOCUMENT, what))?;
        Ok(publication)
    }

    /// What the signature's trusted comment says: whoever shows the signature alone sees what it is of.
    #[must_use]
    pub fn trusted_comment(&self) -> String {
        format!("coverdex publication {} of {}", self.number, self.series)
    }

    /// Bytes of all packed files, without deltas.
    #[must_use]
    pub fn packed_bytes(&self) -> u64 {
        let files = self.files.iter().map(|file| file.content.packed.length);
        files.fold(self.manifest.packed.length, u64::saturating_add)
    }

    /// Whether its publisher no longer stands by it.
    #[must_use]
    pub fn has_expired(&self, now: Timestamp) -> bool {
        self.expires.as_ref().and_then(|at| at.parse::<Timestamp>().ok()).is_some_and(|at| at < now)
    }

    fn check(&self) -> std::result::Result<(), String> {
        check_series(&self.series)?;
        check_number(self.number)?;
        for time in [Some(&self.published), self.expires.as_ref(), Some(&self.as_of)].into_iter().flatten() {
            let _is_time: Timestamp = time.parse().map_err(|_| format!("{time:?} is no time as RFC 3339 writes it"))?;
        }
        if !is_hash(&self.dataset) {
            return Err("the dataset's id is none".to_owned());
        }
        if self.manifest.length > LONGEST_MANIFEST {
            return Err(format!("the manifest has more than {LONGEST_MANIFEST} bytes"));
        }
        if self.files.len() > MOST_FILES {
            return Err(format!("it names more than {MOST_FILES} files"));
        }
        let contents = self.files.iter().map(|file| &file.content);
        contents.chain([&self.manifest]).try_for_each(Content::check)?;
        let paths: BTreeSet<&str> = self.files.iter().map(|file| file.path.as_str()).collect();
        if paths.len() < self.files.len() { Err("it names a file twice".to_owned()) } else { Ok(()) }
    }

    /// Whether it is a publication of the dataset that a manifest describes, file by file.
    ///
    /// # Errors
    /// [`DatasetDamaged`](ErrorKind::DatasetDamaged) naming what differs.
    pub(super) fn check_is_of(&self, manifest: &Manifest) -> Result<()> {
        let differs = |what: String| Err(damaged(DOCUMENT, format!("it does not fit the dataset's manifest: {what}")));
        if self.dataset != manifest.dataset || self.as_of != manifest.as_of {
            return differs("it names another dataset".to_owned());
        }
        if self.files.len() != manifest.files.len() {
            return differs(format!("{} files, not {}", self.files.len(), manifest.files.len()));
        }
        for (ours, theirs) in self.files.iter().zip(&manifest.files) {
            let same = ours.path == theirs.path
                && ours.content.length == theirs.length
                && ours.content.sha256 == theirs.sha256;
            if !same {
                let path: String = ours.path.chars().take(100).collect();
                return differs(format!("the file {path:?}"));
            }
        }
        Ok(())
    }
}

impl Content {
    fn check(&self) -> std::result::Result<(), String> {
        let hashes = [&self.sha256, &self.packed.sha256].into_iter();
        let of_deltas = self.deltas.iter().flat_map(|delta| [&delta.from, &delta.packed.sha256]);
        if !hashes.chain(of_deltas).all(|hash| is_hash(hash)) {
            return Err("a hash is none".to_owned());
        }
        if self.length > LONGEST_FILE {
            return Err(format!("a file has more than {LONGEST_FILE} bytes"));
        }
        // What zstd makes of bytes that cannot be packed is hardly longer than they are.
        let longest = self.length + self.length / 64 + 4_096;
        let packed = self.deltas.iter().map(|delta| &delta.packed).chain([&self.packed]);
        if packed.into_iter().any(|packed| packed.length > longest) {
            return Err("a packed file is longer than what it holds".to_owned());
        }
        if self.deltas.len() > MOST_DELTAS { Err("a file has too many deltas".to_owned()) } else { Ok(()) }
    }
}

/// Whether a series may have this name.
pub(super) fn check_series(series: &str) -> std::result::Result<(), String> {
    let is_right = !series.is_empty()
        && series.len() <= LONGEST_SERIES
        && series.trim() == series
        && !series.chars().any(|c| c.is_control() || coverdex_core::build::fold::is_invisible(c));
    if is_right {
        Ok(())
    } else {
        Err(format!("the name of a series has 1 to {LONGEST_SERIES} bytes, all of them visible, no blank at its ends"))
    }
}

/// Whether a publication may have this number.
pub(super) fn check_number(number: u64) -> std::result::Result<(), String> {
    if (1..=HIGHEST_NUMBER).contains(&number) {
        Ok(())
    } else {
        Err(format!("a number is between 1 and {HIGHEST_NUMBER}"))
    }
}

pub(super) fn is_hash(text: &str) -> bool {
    text.len() == 64 && text.bytes().all(|b| b.is_ascii_digit() || (b'a'..=b'f').contains(&b))
}

/// A file of a publication that is not what it should be.
pub(super) fn damaged(subject: impl Into<String>, message: impl Into<String>) -> Error {
    Error::new(ErrorKind::DatasetDamaged, subject, message)
        .with_hint("fetch or copy the publication again; if it stays so, tell its publisher")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn content() -> Content {
        let hash = "a".repeat(64);
        Content { sha256: hash.clone(), length: 10, packed: Blob { sha256: hash, length: 19 }, deltas: Vec::new() }
    }

    fn publication() -> Publication {
        let manifest = Manifest::new("2026-01-31T08:00:00Z".to_owned(), Vec::new());
        let mut publication = Publication::new("Larkspur", 7, &manifest, content());
        "2026-02-01T03:00:00Z".clone_into(&mut publication.published);
        publication.files.push(PublishedFile { path: "coverdex.sqlite".to_owned(), content: content() });
        publication
    }

    #[test]
    fn a_document_is_read_as_it_was_written() {
        let publication = publication();
        assert_eq!(Publication::parse(&publication.to_bytes().unwrap()).unwrap(), publication);
        assert_eq!(publication.trusted_comment(), "coverdex publication 7 of Larkspur");
    }

    type Change = (&'static str, fn(&mut Publication));

    #[test]
    fn what_a_document_may_not_say_is_refused() {
        let changes: [Change; 14] = [
            ("no series", |it| it.series.clear()),
            ("two lines", |it| it.series.push_str("\nx")),
            ("a long series", |it| it.series = "x".repeat(101)),
            ("no number", |it| it.number = 0),
            ("a high number", |it| it.number = 1 << 53),
            ("no time", |it| it.published = "soon".to_owned()),
            ("no end", |it| it.expires = Some("never".to_owned())),
            ("a dataset", |it| it.dataset = "../x".to_owned()),
            ("a hash", |it| it.manifest.sha256 = "../../../etc/passwd".to_owned()),
            ("a delta", |it| {
                let packed = it.manifest.packed.clone();
                it.manifest.deltas.push(Delta { from: "/etc/passwd".to_owned(), packed });
            }),
            ("a long blob", |it| it.manifest.packed.length = 1 << 30),
            ("a long manifest", |it| it.manifest.length = u64::MAX),
            ("a long file", |it| it.files[0].content.length = u64::MAX),
            ("a file twice", |it| it.files.push(it.files[0].clone())),
        ];
        for (what, change) in changes {
            let mut publication = publication();
            change(&mut publication);
            assert_eq!(publication.to_bytes().unwrap_err().kind(), ErrorKind::InvalidInput, "{what}");
            let bytes = serde_json::to_vec(&publication).unwrap();
            let error = Publication::parse(&bytes).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::DatasetDamaged, "{what}");
            assert!(error.hint().is_some(), "{what}");
        }
        for bytes in [&b""[..], b"[]", b"{}", b"{\"format\":0}", b"\xff"] {
            assert_eq!(Publication::parse(bytes).unwrap_err().kind(), ErrorKind::DatasetDamaged);
        }
        assert_eq!(Publication::parse(b"{\"format\":1}").unwrap_err().kind(), ErrorKind::DatasetTooNew);
    }

    #[test]
    fn it_expires_after_its_time() {
        let mut publication = publication();
        let at = |text: &str| text.parse().unwrap();
        assert!(!publication.has_expired(at("2126-01-01T00:00:00Z")));
        publication.expires = Some("2026-03-01T00:00:00Z".to_owned());
        assert!(!publication.has_expired(at("2026-03-01T00:00:00Z")));
        assert!(publication.has_expired(at("2026-03-01T00:00:01Z")));
    }
}
