//! The manifest: small, read and checked at every open.

use std::collections::BTreeMap;
use std::path::Path;

use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use super::{FORMAT_VERSION, MANIFEST, files};
use crate::fold::FOLDING_VERSION;
use crate::{Error, ErrorKind, Result};

/// What a dataset says of itself.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Manifest {
    /// Format version.
    pub format: u32,
    /// The lowest format version a reader must know.
    pub min_reader: u32,
    /// Version of the text folding that names were indexed with.
    pub folding: u32,
    /// SHA-256 of the manifest itself with this field's digits as zeros: the dataset's identity.
    pub dataset: String,
    /// When the payer's data was read or last changed, RFC 3339 in UTC; of parts that differ, the earlier time.
    pub as_of: String,
    /// Where the data came from.
    pub sources: Vec<Source>,
    /// How many plans, packages, formularies, providers and so on, by name.
    pub counts: BTreeMap<String, u64>,
    /// The parts that are there.
    pub parts: Vec<Part>,
    /// Every file but the manifest.
    pub files: Vec<FileEntry>,
}

/// A source of the data.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Source {
    /// `folder` or `fhir`.
    pub kind: String,
    /// The payer's name or base address, where known.
    pub name: Option<String>,
}

/// A unit of shipping and updating.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Part {
    /// `drugs` or `directory`.
    pub name: String,
    /// When the payer's data of it was read, where that was later than the rest; RFC 3339 in UTC.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub as_of: Option<String>,
}

/// A file with its length and hash.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileEntry {
    /// Path inside the dataset's folder, with `/`.
    pub path: String,
    /// Length in bytes.
    pub length: u64,
    /// SHA-256, hexadecimal.
    pub sha256: String,
}

/// Longest manifest, in bytes.
const LONGEST_MANIFEST: u64 = 16 << 20;

/// Longest name of a file or folder, and longest path of a file, in a dataset.
const LONGEST_NAME: usize = 100;
const LONGEST_PATH: usize = 300;

const BLANK_ID: &str = "0000000000000000000000000000000000000000000000000000000000000000";

/// The identity of a dataset whose manifest has these bytes.
#[must_use]
pub fn dataset_id(manifest: &[u8], stated: &str) -> String {
    let mut hasher = Sha256::new();
    let at = (stated.len() == BLANK_ID.len())
        .then(|| manifest.windows(stated.len()).position(|window| window == stated.as_bytes()))
        .flatten();
    match at.and_then(|at| Some((manifest.get(..at)?, manifest.get(at + stated.len()..)?))) {
        Some((before, after)) => {
            hasher.update(before);
            hasher.update(BLANK_ID);
            hasher.update(after);
        }
        None => hasher.update(manifest),
    }
    hex(&hasher.finalize())
}

/// The folder name of a dataset inside a store.
#[must_use]
pub(crate) fn folder_name(format: u32, dataset: &str) -> String {
    let short: String = dataset.chars().take(16).collect();
    format!("v{format}-{short}")
}

/// Lower-case hexadecimal.
pub(crate) fn hex(bytes: &[u8]) -> String {
    let digit = |value: u8| char::from_digit(u32::from(value), 16).unwrap_or('0');
    bytes.iter().flat_map(|byte| [digit(byte >> 4), digit(byte & 15)]).collect()
}

impl Manifest {
    /// A manifest of this library's versions, without an id yet.
    #[must_use]
    pub fn new(as_of: String, sources: Vec<Source>) -> Self {
        Self {
            format: FORMAT_VERSION,
            min_reader: FORMAT_VERSION,
            folding: FOLDING_VERSION,
            dataset: BLANK_ID.to_owned(),
            as_of,
            sources,
            counts: BTreeMap::new(),
            parts: Vec::new(),
            files: Vec::new(),
        }
    }

    /// Its bytes, with the identity filled in.
    ///
    /// # Errors
    /// If it cannot be serialized.
    pub fn seal(mut self) -> Result<(Self, Vec<u8>)> {
        let bytes = |manifest: &Self| {
            let mut bytes = serde_json::to_vec_pretty(manifest)
                .map_err(|e| Error::invalid(MANIFEST, format!("cannot be written: {e}")))?;
            bytes.push(b'\n');
            Ok::<_, Error>(bytes)
        };
        BLANK_ID.clone_into(&mut self.dataset);
        let blank = bytes(&self)?;
        self.dataset = dataset_id(&blank, BLANK_ID);
        let sealed = bytes(&self)?;
        Ok((self, sealed))
    }

    /// A part, if it is there.
    #[must_use]
    pub fn part(&self, name: &str) -> Option<&Part> {
        self.parts.iter().find(|part| part.name == name)
    }

    /// When the payer's data of a part was read or last changed, RFC 3339 in UTC.
    #[must_use]
    pub fn as_of(&self, part: &str) -> &str {
        self.part(part).and_then(|part| part.as_of.as_deref()).unwrap_or(&self.as_of)
    }

    /// Reads and checks the manifest in a dataset's folder.
    ///
    /// # Errors
    /// [`ErrorKind::DatasetTooNew`] for a newer format, [`ErrorKind::DatasetDamaged`] for anything
    /// that is not a sealed manifest, [`ErrorKind::Io`] if it cannot be read.
    pub fn read(folder: &Path) -> Result<Self> {
        Ok(Self::read_with_bytes(folder)?.0)
    }

    /// As [`Self::read`], with the bytes that it was read from.
    pub(crate) fn read_with_bytes(folder: &Path) -> Result<(Self, Vec<u8>)> {
        let path = folder.join(MANIFEST);
        let bytes = files::read(folder, MANIFEST, LONGEST_MANIFEST)
            .map_err(|error| if error.is_not_found() { Error::gone(folder) } else { error })?;
        let manifest = Self::parse(&bytes).map_err(|e| match e.kind() {
            ErrorKind::DatasetDamaged => e.about(path.display().to_string()),
            _ => e.about(format!("dataset {}", folder.display())),
        })?;
        Ok((manifest, bytes))
    }

    fn parse(bytes: &[u8]) -> Result<Self> {
        #[derive(Deserialize)]
        struct Versions {
            format: u32,
            min_reader: u32,
        }
        let versions: Versions =
            serde_json::from_slice(bytes).map_err(|e| Error::damaged(MANIFEST, format!("not a manifest: {e}")))?;
        if versions.min_reader > FORMAT_VERSION {
            return Err(Error::new(
                ErrorKind::DatasetTooNew,
                "dataset",
                format!(
                    "format {} needs a reader of format {}; this one reads up to {FORMAT_VERSION}",
                    versions.format, versions.min_reader
                ),
            )
            .with_hint("update Coverdex, or install a dataset made for this version"));
        }
        let manifest: Self =
            serde_json::from_slice(bytes).map_err(|e| Error::damaged(MANIFEST, format!("not a manifest: {e}")))?;
        if dataset_id(bytes, &manifest.dataset) != manifest.dataset {
            return Err(Error::damaged(MANIFEST, "it was altered: its content does not fit its id"));
        }
        if manifest.folding != FOLDING_VERSION {
            return Err(Error::new(
                ErrorKind::DatasetTooNew,
                "dataset",
                format!("names were folded by version {}, this reader folds by {FOLDING_VERSION}", manifest.folding),
            )
            .with_hint("build the dataset again with this version of Coverdex"));
        }
        if let Some(file) = manifest.files.iter().find(|file| !is_plain_path(&file.path)) {
            let path = file.path.chars().take(LONGEST_NAME).collect::<String>();
            return Err(Error::damaged(MANIFEST, format!("it names a file that no dataset has: {path:?}")));
        }
        let mut paths: Vec<&str> = manifest.files.iter().map(|file| file.path.as_str()).collect();
        paths.sort_unstable();
        if !paths.array_windows().all(|[before, path]| before != path) {
            return Err(Error::damaged(MANIFEST, "it names a file twice"));
        }
        let times = manifest.parts.iter().filter_map(|part| part.as_of.as_ref());
        if !times.chain([&manifest.as_of]).all(|time| is_utc_time(time)) {
            return Err(Error::damaged(MANIFEST, "as_of is no time in UTC as RFC 3339 writes it"));
        }
        Ok(manifest)
    }

    /// Bytes of all files that it names.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.files.iter().map(|file| file.length).sum()
    }

    /// The entry of a file.
    #[must_use]
    pub fn file(&self, path: &str) -> Option<&FileEntry> {
        self.files.iter().find(|file| file.path == path)
    }
}

/// Whether a file of a dataset may have this path: names that every system can have, below each other.
fn is_plain_path(path: &str) -> bool {
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-');
    path.len() <= LONGEST_PATH
        && path.split('/').all(|name| {
            (1..=LONGEST_NAME).contains(&name.len()) && name.chars().all(plain) && name.chars().any(|c| c != '.')
        })
}

/// Whether this is a time such as `2026-01-31T08:00:00Z`, perhaps with a fraction of its second.
fn is_utc_time(text: &str) -> bool {
    let number = |from: usize| {
        let digits = text.get(from..from + 2).filter(|digits| digits.bytes().all(|digit| digit.is_ascii_digit()));
        digits.and_then(|digits| digits.parse::<u8>().ok())
    };
    let (Some(century), Some(year), Some(month), Some(day)) = (number(0), number(2), number(5), number(8)) else {
        return false;
    };
    let is_leap = if year == 0 { century % 4 == 0 } else { year % 4 == 0 };
    let days = match month {
        2 => 28 + u8::from(is_leap),
        4 | 6 | 9 | 11 => 30,
        1..=12 => 31,
        _ => 0,
    };
    let between = |from: usize, least: u8, most: u8| number(from).is_some_and(|it| (least..=most).contains(&it));
    let is_sign = |(at, sign): (usize, &str)| text.get(at..=at) == Some(sign);
    let signs = [(4, "-"), (7, "-"), (10, "T"), (13, ":"), (16, ":")];
    // A leap second is 60.
    let is_time = (1..=days).contains(&day) && between(11, 0, 23) && between(14, 0, 59) && between(17, 0, 60);
    let Some(rest) = text.get(19..).and_then(|rest| rest.strip_suffix('Z')) else { return false };
    let fraction = rest.strip_prefix('.');
    let is_fraction = |digits: &str| (1..=9).contains(&digits.len()) && digits.bytes().all(|d| d.is_ascii_digit());
    is_time && signs.into_iter().all(is_sign) && (rest.is_empty() || fraction.is_some_and(is_fraction))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sealed(change: impl FnOnce(&mut Manifest)) -> Vec<u8> {
        let mut manifest = Manifest::new("2026-01-31T08:00:00Z".to_owned(), Vec::new());
        change(&mut manifest);
        manifest.seal().unwrap().1
    }

    #[test]
    fn only_plain_relative_names_are_files_of_a_dataset() {
        let named = |paths: &[&str]| {
            let entry = |path: &&str| FileEntry { path: (*path).to_owned(), length: 0, sha256: String::new() };
            Manifest::parse(&sealed(|manifest| manifest.files = paths.iter().map(entry).collect()))
        };
        assert!(
            named(&["coverdex.sqlite", "drugs/.managed.json", "drugs/00000000000000000000000000000001.term"]).is_ok()
        );
        let long = "a".repeat(300);
        let deep = ["a"; 200].join("/");
        let all = [
            "", ".", "..", "/a", "a/", "a//b", "../a", "a/../b", "./a", "a\0b", "a\nb", "a\\b", "c:a", "ä", &long,
            &deep,
        ];
        for path in all {
            let error = named(&[path]).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::DatasetDamaged, "{path:?}");
            assert!(error.message().len() < 400, "{path:?}");
        }
        assert!(named(&["a", "b", "a"]).unwrap_err().message().contains("twice"));
    }

    #[test]
    fn as_of_is_a_time() {
        let dated = |as_of: &str| Manifest::parse(&sealed(|manifest| as_of.clone_into(&mut manifest.as_of)));
        for right in
            ["2026-01-31T08:00:00Z", "2024-02-29T23:59:60Z", "2000-02-29T00:00:00.123456789Z", "0001-12-31T00:00:00.5Z"]
        {
            assert!(dated(right).is_ok(), "{right}");
        }
        let wrong = [
            "",
            "Z",
            "soon",
            "2026-01-31",
            "2026-01-31T08:00:00",
            "2026-01-31 08:00:00Z",
            "2026-1-31T08:00:00Z",
            "2026-13-01T08:00:00Z",
            "2026-02-29T08:00:00Z",
            "1900-02-29T08:00:00Z",
            "2026-04-31T08:00:00Z",
            "2026-01-00T08:00:00Z",
            "2026-01-31T24:00:00Z",
            "2026-01-31T08:60:00Z",
            "2026-01-31T08:00:00.Z",
            "2026-01-31T08:00:00+01:00",
            "+026-01-31T08:00:00Z",
            "2026-01-31T08:00:00.1234567890Z",
            "2026-01-31T08:00:00ZZ",
            "２０26-01-31T08:00:00Z",
        ];
        for wrong in wrong {
            assert_eq!(dated(wrong).unwrap_err().kind(), ErrorKind::DatasetDamaged, "{wrong}");
        }
    }

    #[test]
    fn a_part_may_have_a_time_of_its_own() {
        let dated = |as_of: &str| {
            let part = Part { name: "drugs".to_owned(), as_of: Some(as_of.to_owned()) };
            Manifest::parse(&sealed(|manifest| manifest.parts = vec![part.clone()]))
        };
        let manifest = dated("2026-02-01T00:00:00Z").unwrap();
        assert_eq!(manifest.as_of("drugs"), "2026-02-01T00:00:00Z");
        assert_eq!(manifest.as_of("directory"), manifest.as_of);
        assert_eq!(dated("soon").unwrap_err().kind(), ErrorKind::DatasetDamaged);
    }
}
