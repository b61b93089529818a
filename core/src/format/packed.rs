//! Packed files: named sections of little-endian numbers, texts and bits, read where they lie in
//! the mapped file. Nothing is parsed at open but the list of sections, and no access reads
//! outside its section: on altered bytes it is an error of that access.
//!
//! ```text
//! magic (8) · sections, each at a multiple of 8 and followed by at least 8 zero bytes · list · end
//! list:  for each section  name (24, zero-filled) · width (8) · offset (8) · length (8) · checksum (8)
//! end:   offset of the list (8) · number of sections (8) · checksum of the list (8) · version (8) · magic (8)
//! ```

mod column;
mod marks;
mod sparse;
mod texts;

use tantivy::directory::OwnedBytes;

use crate::{Error, ErrorKind, Result};

pub use column::Column;
pub use marks::{MARKS_A_BLOCK, Marks, MarksAfter};
pub use sparse::{ELEMENTS_A_COUNT, Sparse};
pub use texts::{TEXTS_A_BLOCK, Texts};

/// First and last bytes of a packed file.
pub const MAGIC: [u8; 8] = *b"CvdxPack";

/// Version of the container; the sections' meaning is the dataset format's.
pub const VERSION: u64 = 0;

/// Zero bytes that follow each section at least, so that a number is read with one load.
pub const PADDING: usize = 8;

/// Longest name of a section.
pub const NAME_LENGTH: usize = 24;

const ENTRY_LENGTH: usize = NAME_LENGTH + 4 * 8;
const END_LENGTH: usize = 5 * 8;

/// A packed file, open.
#[derive(Clone, Debug)]
pub struct Packed {
    bytes: OwnedBytes,
    file: String,
    sections: Vec<Section>,
}

#[derive(Clone, Debug)]
struct Section {
    name: String,
    width: usize,
    offset: usize,
    length: usize,
    checksum: u64,
}

impl Section {
    fn past(&self) -> usize {
        self.offset + self.length
    }

    /// Zero bytes behind it: [`PADDING`], and to the next multiple of 8.
    fn zeros(&self) -> usize {
        PADDING + self.length.next_multiple_of(8) - self.length
    }
}

impl Packed {
    /// Opens a packed file's bytes; `file` is its name in errors.
    ///
    /// # Errors
    /// [`ErrorKind::DatasetTooNew`] for a newer container, [`ErrorKind::DatasetDamaged`] for
    /// anything that is not a whole packed file.
    pub fn open(bytes: OwnedBytes, file: impl Into<String>) -> Result<Self> {
        let file = file.into();
        let damaged = |what: &str| Error::damaged(&file, what);
        let end = bytes.len().checked_sub(END_LENGTH).filter(|_| bytes.starts_with(&MAGIC));
        let end = end.ok_or_else(|| damaged("not a packed file"))?;
        let word = |at: usize| word_at(&bytes, at);
        if bytes.get(end + 32..) != Some(&MAGIC) {
            return Err(damaged("it is cut off"));
        }
        if word(end + 24) != Some(VERSION) {
            return Err(Error::new(ErrorKind::DatasetTooNew, &file, "a newer container than this version reads")
                .with_hint("update Coverdex, or install a dataset made for this version"));
        }
        let list = || {
            let (from, count) = (size(word(end)?)?, size(word(end + 8)?)?);
            let list = bytes.get(from..end)?;
            (Some(list.len()) == count.checked_mul(ENTRY_LENGTH) && word(end + 16) == Some(checksum(list)))
                .then_some(list)
        };
        let list = list().ok_or_else(|| damaged("its list of sections is altered"))?;
        let sections = list
            .chunks_exact(ENTRY_LENGTH)
            .map(|entry| section(entry, end))
            .collect::<Option<Vec<_>>>()
            .ok_or_else(|| damaged("a section lies outside the file"))?;
        Ok(Self { bytes, file, sections })
    }

    fn section(&self, name: &str) -> Result<&Section> {
        self.sections
            .iter()
            .find(|section| section.name == name)
            .ok_or_else(|| Error::damaged(&self.file, format!("section {name} is missing")))
    }

    /// A section's bytes with the zeros behind them, and how many of them are its own.
    fn padded(&self, section: &Section) -> (OwnedBytes, usize) {
        (self.bytes.slice(section.offset..section.past() + PADDING), section.length)
    }

    /// A section of numbers, all of one width.
    ///
    /// # Errors
    /// [`ErrorKind::DatasetDamaged`] if it is not there or has no whole number of numbers.
    pub fn column(&self, name: &str) -> Result<Column> {
        let section = self.section(name)?;
        let (bytes, length) = self.padded(section);
        Column::new(bytes, length, section.width)
            .ok_or_else(|| Error::damaged(&self.file, format!("section {name} is no column")))
    }

    /// A section of records with `N` numbers each, whose widths are in its section `NAME.widths`: a
    /// column of each.
    ///
    /// # Errors
    /// [`ErrorKind::DatasetDamaged`] if one is not there or they do not fit each other.
    pub fn record<const N: usize>(&self, name: &str) -> Result<[Column; N]> {
        let section = self.section(name)?;
        let (bytes, length) = self.padded(section);
        let mut before = 0_usize;
        let columns: Option<Vec<Column>> = self
            .column(&format!("{name}.widths"))?
            .iter()
            .map(|width| {
                let field = (before, usize::try_from(width).ok()?);
                before = before.checked_add(field.1)?;
                Column::of_record(bytes.clone(), length, section.width, field)
            })
            .collect();
        let columns = columns.filter(|_| before == section.width).and_then(|columns| columns.try_into().ok());
        columns.ok_or_else(|| Error::damaged(&self.file, format!("section {name} is no record of {N} numbers")))
    }

    /// A section of bytes that only its reader understands.
    ///
    /// # Errors
    /// [`ErrorKind::DatasetDamaged`] if it is not there.
    pub fn bytes(&self, name: &str) -> Result<OwnedBytes> {
        let section = self.section(name)?;
        Ok(self.bytes.slice(section.offset..section.past()))
    }

    /// A section of texts, with its section `NAME.at` of block offsets.
    ///
    /// # Errors
    /// [`ErrorKind::DatasetDamaged`] if one is not there or they do not fit each other.
    pub fn texts(&self, name: &str) -> Result<Texts> {
        Texts::new(self.bytes(name)?, self.column(&format!("{name}.at"))?)
            .ok_or_else(|| Error::damaged(&self.file, format!("section {name} holds no texts")))
    }

    /// A section of bits, with its section `NAME.rank` of counts.
    ///
    /// # Errors
    /// [`ErrorKind::DatasetDamaged`] if one is not there or they do not fit each other.
    pub fn marks(&self, name: &str) -> Result<Marks> {
        Marks::new(self.column(name)?, self.column(&format!("{name}.rank"))?)
            .ok_or_else(|| Error::damaged(&self.file, format!("section {name} holds no marks")))
    }

    /// A section of ascending numbers of elements, of which there are `all`, with its section
    /// `NAME.rank` of counts.
    ///
    /// # Errors
    /// [`ErrorKind::DatasetDamaged`] if one is not there or they do not fit each other.
    pub fn sparse(&self, name: &str, all: usize) -> Result<Sparse> {
        Sparse::new(self.column(name)?, self.column(&format!("{name}.rank"))?, all)
            .ok_or_else(|| Error::damaged(&self.file, format!("section {name} does not fit its counts")))
    }

    /// The file's name in errors.
    #[must_use]
    pub fn file(&self) -> &str {
        &self.file
    }

    /// Names and lengths of the sections, in bytes, for `info --sizes`.
    pub fn sizes(&self) -> impl Iterator<Item = (&str, u64)> {
        self.sections.iter().map(|section| (section.name.as_str(), section.length as u64))
    }

    /// Compares every section with its checksum.
    ///
    /// # Errors
    /// [`ErrorKind::DatasetDamaged`], naming the first section that differs.
    pub fn verify(&self) -> Result<()> {
        for section in &self.sections {
            let (own, zeros) = (section.offset..section.past(), section.past()..section.past() + section.zeros());
            let [own, zeros] = [own, zeros].map(|range| self.bytes.get(range).unwrap_or_default());
            if checksum(own) != section.checksum || zeros.iter().any(|byte| *byte != 0) {
                return Err(Error::damaged(&self.file, format!("section {} is altered", section.name)));
            }
        }
        Ok(())
    }
}

fn section(entry: &[u8], end: usize) -> Option<Section> {
    let (name, _) = entry.split_at_checked(NAME_LENGTH)?;
    let name = name.split(|byte| *byte == 0).next()?;
    let number = |index: usize| word_at(entry, NAME_LENGTH + 8 * index);
    let section = Section {
        name: std::str::from_utf8(name).ok()?.to_owned(),
        width: size(number(0)?)?,
        offset: size(number(1)?)?,
        length: size(number(2)?)?,
        checksum: number(3)?,
    };
    let past = section.offset.checked_add(section.length)?.checked_add(2 * PADDING)?;
    (section.offset >= MAGIC.len() && past <= end + PADDING && section.past() + section.zeros() <= end)
        .then_some(section)
}

fn word_at(bytes: &[u8], at: usize) -> Option<u64> {
    bytes.get(at..)?.first_chunk().map(|word| u64::from_le_bytes(*word))
}

fn size(number: u64) -> Option<usize> {
    usize::try_from(number).ok()
}

/// A checksum that any change of one word alters: for finding damage, not forgery (the manifest
/// has SHA-256).
#[must_use]
pub fn checksum(bytes: &[u8]) -> u64 {
    const FACTOR: u64 = 0x9e37_79b9_7f4a_7c15;
    let step = |sum: u64, word: u64| (sum ^ word).wrapping_mul(FACTOR).rotate_left(29);
    let words = bytes.chunks_exact(8);
    let mut tail = [0; 8];
    for (to, from) in tail.iter_mut().zip(words.remainder()) {
        *to = *from;
    }
    let sum = words.fold(bytes.len() as u64, |sum, word| {
        step(sum, word.first_chunk().map_or(0, |word| u64::from_le_bytes(*word)))
    });
    step(sum, u64::from_le_bytes(tail))
}
