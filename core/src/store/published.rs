//! What a store remembers of publications: which one each of its datasets came from, the newest of each series, and
//! which was rolled back. A dataset that was built here, or installed from a plain folder, has none.
//!
//! It stands in one file beside `CURRENT`, by the names of datasets: it is written before the dataset is live, so that
//! what is live never lacks it, wherever the process ends.

use std::collections::BTreeMap;
use std::fs;

use serde::{Deserialize, Serialize};

use super::{Store, sync_folder, write_durably};
use crate::format::{files, folder_name};
use crate::{Error, ErrorKind, Result};

/// The file of a store that tells which publications its datasets came from.
pub const PUBLISHED: &str = "PUBLISHED";

/// The next one.
pub(super) const NEXT_PUBLISHED: &str = ".building-published";

/// Longest record, in bytes: the documents of a few publications.
const LONGEST_RECORD: u64 = 64 << 20;

/// Version of the record.
const RECORD_VERSION: u32 = 0;

/// The publication that a dataset came from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Published {
    /// The name of the series, as its publisher chose it.
    pub series: String,
    /// Its number in the series.
    pub number: u64,
    /// The SHA-256 of its dataset's manifest, in hexadecimal digits: a number of a series names one dataset.
    pub manifest: String,
    /// The id of the key that its signature was checked with, 16 hexadecimal digits; `None` if nothing proved who made
    /// it.
    pub key: Option<String>,
    /// When it was made, RFC 3339.
    pub published: String,
    /// Until when its publisher stands by it, RFC 3339, if he says so.
    pub expires: Option<String>,
    /// The publication's document, as it was signed.
    pub document: String,
    /// Its signature.
    pub signature: Option<String>,
}

/// All that a store remembers of publications.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Record {
    version: u32,
    /// By the name of a dataset's folder.
    datasets: BTreeMap<String, Published>,
    /// Numbers that were live, by series, each with the hash of the manifest that it had last: the highest, and those of
    /// datasets that are here.
    numbers: BTreeMap<String, BTreeMap<u64, String>>,
    /// The highest number that was rolled back, by series.
    rolled_back: BTreeMap<String, u64>,
}

impl Record {
    /// The highest number of a series that was ever live here.
    #[must_use]
    pub fn newest(&self, series: &str) -> Option<u64> {
        Some(*self.numbers.get(series)?.last_key_value()?.0)
    }

    /// The hash of the manifest that a number of a series had when it was live here, if that is remembered: of the
    /// highest number, and of the datasets that are here.
    #[must_use]
    pub fn manifest_of(&self, series: &str, number: u64) -> Option<&str> {
        self.numbers.get(series)?.get(&number).map(String::as_str)
    }

    /// The highest number of a series that was rolled back here and not taken again since.
    #[must_use]
    pub fn rolled_back(&self, series: &str) -> Option<u64> {
        self.rolled_back.get(series).copied()
    }

    /// Which publication the dataset in a folder of the store came from.
    #[must_use]
    fn of_folder(&self, name: &str) -> Option<&Published> {
        self.datasets.get(name)
    }

    fn note(&mut self, folder: String, published: Published) {
        let Published { series, number, manifest, .. } = &published;
        self.numbers.entry(series.clone()).or_default().insert(*number, manifest.clone());
        if self.rolled_back.get(series).is_some_and(|back| back <= number) {
            self.rolled_back.remove(series);
        }
        self.datasets.insert(folder, published);
        for (series, numbers) in &mut self.numbers {
            let newest = numbers.last_key_value().map(|(number, _)| *number);
            let is_here = |number| self.datasets.values().any(|of| of.series == *series && of.number == number);
            numbers.retain(|number, _| Some(*number) == newest || is_here(*number));
        }
    }
}

impl Store {
    /// Which publication the live dataset came from; `None` if it was built here or installed from a plain folder.
    ///
    /// ```
    /// # coverdex_tests::with_payer(|path| {
    /// use coverdex_core::Store;
    ///
    /// let store = Store::open(path)?;
    /// assert_eq!(store.published()?, None, "it was built here");
    /// # Ok(())
    /// # });
    /// ```
    ///
    /// # Errors
    /// [`DatasetDamaged`](ErrorKind::DatasetDamaged) if the record is no longer what was written,
    /// [`Io`](ErrorKind::Io) if the system refuses.
    pub fn published(&self) -> Result<Option<Published>> {
        let Some(names) = self.names()? else { return Ok(None) };
        Ok(self.record()?.of_folder(&names.live).cloned())
    }

    /// What is remembered of publications; nothing where there is no record.
    ///
    /// # Errors
    /// As [`Store::published`].
    pub fn record(&self) -> Result<Record> {
        let damaged = |what: String| {
            let shown = self.path.join(PUBLISHED).display().to_string();
            Error::new(ErrorKind::DatasetDamaged, shown, what)
                .with_hint("remove the file; an older publication is then not known to be one")
        };
        let bytes = match files::read(&self.path, PUBLISHED, LONGEST_RECORD) {
            Ok(bytes) => bytes,
            Err(error) if error.is_not_found() => return Ok(Record::default()),
            Err(error) => return Err(error),
        };
        let record: Record = serde_json::from_slice(&bytes).map_err(|e| damaged(format!("it cannot be read: {e}")))?;
        if record.version > RECORD_VERSION {
            return Err(Error::new(
                ErrorKind::DatasetTooNew,
                self.path.join(PUBLISHED).display().to_string(),
                format!("it has version {}, this reader knows up to {RECORD_VERSION}", record.version),
            )
            .with_hint("update Coverdex"));
        }
        Ok(record)
    }

    /// Notes which publication a dataset came from, before it is live.
    pub(super) fn note_published(&self, format: u32, dataset: &str, published: Published) -> Result<()> {
        let mut record = self.record()?;
        let folder = folder_name(format, dataset);
        record.datasets.retain(|name, _| *name == folder || self.folder_of(name).is_some());
        record.note(folder, published);
        self.write_record(&record)
    }

    /// Notes that what is live is rolled back.
    pub(super) fn note_rolled_back(&self, live: &str) -> Result<()> {
        // A record that cannot be read keeps nobody from a dataset that does.
        let Ok(mut record) = self.record() else { return Ok(()) };
        let Some(Published { series, number, .. }) = record.of_folder(live).cloned() else { return Ok(()) };
        let back = record.rolled_back.entry(series).or_insert(number);
        *back = (*back).max(number);
        self.write_record(&record)
    }

    fn write_record(&self, record: &Record) -> Result<()> {
        let invalid = |e: serde_json::Error| Error::invalid(PUBLISHED, format!("cannot be written: {e}"));
        let mut bytes = serde_json::to_vec_pretty(record).map_err(invalid)?;
        bytes.push(b'\n');
        let (next, place) = (self.path.join(NEXT_PUBLISHED), self.path.join(PUBLISHED));
        write_durably(&next, &bytes)?;
        fs::rename(&next, &place).map_err(|e| Error::io(&place, &e))?;
        sync_folder(&self.path)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn published(series: &str, number: u64) -> Published {
        Published {
            series: series.to_owned(),
            number,
            manifest: format!("{number:064x}"),
            key: None,
            published: "2026-01-31T08:00:00Z".to_owned(),
            expires: None,
            document: "{}".to_owned(),
            signature: None,
        }
    }

    #[test]
    fn the_newest_number_of_each_series_is_remembered() {
        let mut record = Record::default();
        for (series, number) in [("a", 3), ("b", 7), ("a", 2)] {
            record.note(format!("{series}{number}"), published(series, number));
        }
        assert_eq!((record.newest("a"), record.newest("b"), record.newest("c")), (Some(3), Some(7), None));
        assert_eq!(record.of_folder("a2").map(|it| it.number), Some(2));
    }

    #[test]
    fn a_number_names_one_dataset() {
        let mut record = Record::default();
        let of = |number: u64| format!("{number:064x}");
        record.note("x".to_owned(), published("a", 3));
        record.note("y".to_owned(), published("a", 2));
        assert_eq!(record.manifest_of("a", 3), Some(of(3).as_str()));
        assert_eq!(record.manifest_of("a", 2), Some(of(2).as_str()));
        assert_eq!((record.manifest_of("a", 1), record.manifest_of("b", 3)), (None, None));
        // The highest is known when its dataset is gone, and another takes the place of one with its number.
        record.datasets.remove("x");
        record.note("z".to_owned(), Published { manifest: of(9), ..published("a", 2) });
        assert_eq!(record.manifest_of("a", 3), Some(of(3).as_str()));
        assert_eq!(record.manifest_of("a", 2), Some(of(9).as_str()));
        assert_eq!(record.newest("a"), Some(3));
        // Whichever is gone and not the highest is forgotten.
        record.datasets.clear();
        record.note("w".to_owned(), published("a", 1));
        assert_eq!((record.manifest_of("a", 2), record.newest("a")), (None, Some(3)));
    }

    #[test]
    fn what_was_rolled_back_is_forgotten_once_it_or_a_newer_one_is_taken() {
        let mut record = Record::default();
        record.rolled_back.insert("a".to_owned(), 5);
        record.note("x".to_owned(), published("a", 4));
        assert_eq!(record.rolled_back("a"), Some(5));
        record.note("y".to_owned(), published("b", 9));
        assert_eq!(record.rolled_back("a"), Some(5));
        record.note("z".to_owned(), published("a", 5));
        assert_eq!(record.rolled_back("a"), None);
    }
}
