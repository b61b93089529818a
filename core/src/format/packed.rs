//! Packed files: named sections of little-endian numbers, texts and bits, read where they lie in
//! the mapped file. Nothing is parsed at open but the list of sections. Each read first checks the
//! blocks that it touches (see [`CheckedFile`](super::CheckedFile)), and none reads outside its section:
//! on altered bytes it is an error of that read.
//!
//! ```text
//! magic (8) · sections, each at a multiple of 8 and followed by at least 8 zero bytes · list · end
//! list:  for each section  name (24, zero-filled) · width (8) · offset (8) · length (8)
//! end:   offset of the list (8) · number of sections (8) · version (8) · magic (8)
//! ```

mod column;
mod marks;
mod sparse;
mod texts;

use tantivy::directory::OwnedBytes;

use super::checked::{CheckedFile, FilePart};
use crate::{Error, ErrorKind, Result};

pub use super::checked::Damaged;
pub use column::Column;
#[cfg(feature = "build")]
pub use column::Numbers;
pub use marks::Marks;
#[cfg(feature = "build")]
pub use marks::{MARKS_A_BLOCK, MarksAfter};
#[cfg(feature = "build")]
pub use sparse::ELEMENTS_A_COUNT;
pub use sparse::Sparse;
#[cfg(feature = "build")]
pub use texts::TEXTS_A_BLOCK;
pub use texts::Texts;

/// First and last bytes of a packed file.
pub const MAGIC: [u8; 8] = *b"CvdxPack";

/// Version of the container; the sections' meaning is the dataset format's.
pub const VERSION: u64 = 0;

/// Zero bytes that follow each section at least, so that a number is read with one load.
pub const PADDING: usize = 8;

/// Longest name of a section.
pub const NAME_LENGTH: usize = 24;

const ENTRY_LENGTH: usize = NAME_LENGTH + 3 * 8;
const END_LENGTH: usize = 4 * 8;

/// A packed file, open.
#[derive(Clone, Debug)]
pub struct Packed {
    file: CheckedFile,
    sections: Vec<Section>,
}

#[derive(Clone, Debug)]
struct Section {
    name: String,
    width: usize,
    offset: usize,
    length: usize,
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
    /// Opens a packed file.
    ///
    /// # Errors
    /// [`ErrorKind::DatasetTooNew`] for a newer container, [`ErrorKind::DatasetDamaged`] for
    /// anything that is not a whole packed file.
    pub fn open(file: CheckedFile) -> Result<Self> {
        let damaged = |what: &str| file.error().saying(what);
        let whole = file.part(0..file.len()).ok_or_else(|| file.error())?;
        let read = |range: std::ops::Range<usize>| whole.slice(range).map_err(|Damaged| file.error());
        let end = file.len().checked_sub(END_LENGTH + MAGIC.len()).ok_or_else(|| damaged("not a packed file"))?;
        let end = end + MAGIC.len();
        if read(0..MAGIC.len())? != MAGIC {
            return Err(damaged("not a packed file"));
        }
        let tail = read(end..file.len())?;
        if tail.get(24..) != Some(&MAGIC) {
            return Err(damaged("it is cut off"));
        }
        if word_at(tail, 16) != Some(VERSION) {
            return Err(Error::new(
                ErrorKind::DatasetTooNew,
                file.error().subject(),
                "a newer container than this version reads",
            )
            .with_hint("update Coverdex, or install a dataset made for this version"));
        }
        let list = || {
            let (from, count) = (size(word_at(tail, 0)?)?, size(word_at(tail, 8)?)?);
            let length = count.checked_mul(ENTRY_LENGTH)?;
            (from.checked_add(length) == Some(end)).then_some(from..end)
        };
        let list = read(list().ok_or_else(|| damaged("its list of sections is altered"))?)?;
        let sections = list
            .chunks_exact(ENTRY_LENGTH)
            .map(|entry| section(entry, end))
            .collect::<Option<Vec<_>>>()
            .ok_or_else(|| damaged("a section lies outside the file"))?;
        Ok(Self { file, sections })
    }

    fn section(&self, name: &str) -> Result<&Section> {
        self.sections
            .iter()
            .find(|section| section.name == name)
            .ok_or_else(|| self.damaged(&format!("section {name} is missing")))
    }

    fn damaged(&self, what: &str) -> Error {
        self.file.error().saying(what)
    }

    /// What to say where damaged bytes were met.
    #[must_use]
    pub fn error(&self) -> Error {
        self.file.error()
    }

    /// An error where the file was written to since it was opened.
    pub(crate) fn check_unchanged(&self) -> Result<()> {
        self.file.check_unchanged()
    }

    fn part(&self, section: &Section, behind: usize) -> Result<FilePart> {
        self.file.part(section.offset..section.past() + behind).ok_or_else(|| self.error())
    }

    /// A section of numbers, all of one width.
    ///
    /// # Errors
    /// [`ErrorKind::DatasetDamaged`] if it is not there or has no whole number of numbers.
    pub fn column(&self, name: &str) -> Result<Column> {
        let section = self.section(name)?;
        Column::new(self.part(section, PADDING)?, section.length, section.width)
            .ok_or_else(|| self.damaged(&format!("section {name} is no column")))
    }

    /// All numbers of a section, of at most four bytes each.
    ///
    /// # Errors
    /// [`ErrorKind::DatasetDamaged`] if it is not there or was altered.
    pub fn numbers(&self, name: &str) -> Result<Vec<u32>> {
        self.column(name)?.all().map_err(|Damaged| self.error())
    }

    /// A section of records with `N` numbers each, whose widths are in its section `NAME.widths`: a
    /// column of each.
    ///
    /// # Errors
    /// [`ErrorKind::DatasetDamaged`] if one is not there or they do not fit each other.
    pub fn record<const N: usize>(&self, name: &str) -> Result<[Column; N]> {
        let section = self.section(name)?;
        let part = self.part(section, PADDING)?;
        let mut before = 0_usize;
        let columns: Option<Vec<Column>> = self
            .numbers(&format!("{name}.widths"))?
            .into_iter()
            .take(N + 1)
            .map(|width| {
                let field = (before, usize::try_from(width).ok()?);
                before = before.checked_add(field.1)?;
                Column::of_record(part.clone(), section.length, section.width, field)
            })
            .collect();
        let columns = columns.filter(|_| before == section.width).and_then(|columns| columns.try_into().ok());
        columns.ok_or_else(|| self.damaged(&format!("section {name} is no record of {N} numbers")))
    }

    /// A section of bytes that only its reader understands.
    ///
    /// # Errors
    /// [`ErrorKind::DatasetDamaged`] if it is not there.
    pub(crate) fn bytes(&self, name: &str) -> Result<FilePart> {
        self.part(self.section(name)?, 0)
    }

    /// The bytes of a small section, checked here and now.
    pub(crate) fn checked_bytes(&self, name: &str) -> Result<OwnedBytes> {
        self.bytes(name)?.into_checked().map_err(|Damaged| self.error())
    }

    /// A section of texts, with its section `NAME.at` of block offsets.
    ///
    /// # Errors
    /// [`ErrorKind::DatasetDamaged`] if one is not there or they do not fit each other.
    pub fn texts(&self, name: &str) -> Result<Texts> {
        Texts::new(self.bytes(name)?, self.column(&format!("{name}.at"))?)
            .map_err(|Damaged| self.damaged(&format!("section {name} holds no texts")))
    }

    /// A section of bits, with its section `NAME.rank` of counts.
    ///
    /// # Errors
    /// [`ErrorKind::DatasetDamaged`] if one is not there or they do not fit each other.
    pub fn marks(&self, name: &str) -> Result<Marks> {
        Marks::new(self.column(name)?, self.column(&format!("{name}.rank"))?)
            .map_err(|Damaged| self.damaged(&format!("section {name} holds no marks")))
    }

    /// A section of ascending numbers of elements, of which there are `all`, with its section
    /// `NAME.rank` of counts.
    ///
    /// # Errors
    /// [`ErrorKind::DatasetDamaged`] if one is not there or they do not fit each other.
    pub fn sparse(&self, name: &str, all: usize) -> Result<Sparse> {
        Sparse::new(self.column(name)?, self.column(&format!("{name}.rank"))?, all)
            .map_err(|Damaged| self.damaged(&format!("section {name} does not fit its counts")))
    }

    /// Names and lengths of the sections, in bytes, for `info --sizes`.
    pub fn sizes(&self) -> impl Iterator<Item = (&str, u64)> {
        self.sections.iter().map(|section| (section.name.as_str(), section.length as u64))
    }

    /// Compares all bytes with their checksums.
    ///
    /// # Errors
    /// [`ErrorKind::DatasetDamaged`], naming the first that differ.
    pub fn verify(&self) -> Result<()> {
        self.file.check_all().map_err(|Damaged| self.error())
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
