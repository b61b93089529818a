//! Reading the catalogue: arrays that are loaded once, rows that are read when shown.

use std::path::{Path, PathBuf};

use rusqlite::{Connection, OptionalExtension as _};

use super::line_index::{DrugIndex, DrugWords};
use crate::cancel::Cancel;
use crate::drug_text::Identity;
use crate::format::{self, Checksums, Connections, Manifest, number};
use crate::ids::{Ndc11, NdcLayout, ProductNdc, Rxcui};
use crate::lazy::Lazy;
use crate::{Error, Result};

/// Bits of a package number beside an NDC in the `ndc` array.
const PACKAGE_BITS: u32 = 24;

/// The catalogue of one dataset.
#[derive(Debug)]
pub(crate) struct Catalogue {
    folder: PathBuf,
    checksums: Checksums,
    /// How many packages and lines the manifest says there are; what is there is counted in the database.
    said: [Option<u64>; 2],
    ndcs: Lazy<Vec<u64>>,
    line_starts: Lazy<LineStarts>,
    index: Lazy<Option<DrugIndex>>,
    product_entries: Lazy<Vec<(u32, u32)>>,
}

/// Marks, in the `line` array, the first line of a name: lines of one name follow each other.
pub const NAME_BEGINS: u32 = 1 << 31;

/// Where lines and names begin.
#[derive(Debug)]
struct LineStarts {
    /// First package of each line, then the number of packages.
    packages: Vec<u32>,
    /// Lines that are the first of a name, ascending.
    names: Vec<u32>,
}

/// A row of `drug_line`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct LineRow {
    pub(crate) id: u32,
    pub(crate) name: String,
    pub(crate) strength: Option<String>,
    pub(crate) form: Option<String>,
    /// What it is, encoded; decoded where it is compared.
    pub(crate) identity: String,
    pub(crate) brand: Option<String>,
    pub(crate) ingredient: Option<String>,
    /// Words that may be typed and need not be.
    pub(crate) aside: Option<String>,
    /// What the payer calls its packages elsewhere, contradicting the line.
    pub(crate) also: Option<String>,
    pub(crate) first: u32,
    pub(crate) packages: u32,
}

/// A row of `package` with its line's name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct PackageRow {
    pub(crate) ndc11: Option<Ndc11>,
    pub(crate) product: Option<ProductNdc>,
    pub(crate) layout: Option<NdcLayout>,
    pub(crate) rxnorm_set: u32,
    pub(crate) line: u32,
}

impl PackageRow {
    pub(crate) fn product_ndc(&self) -> Option<String> {
        self.ndc11.map(Ndc11::product).or(self.product).map(|product| product.hyphenated(self.layout))
    }
}

/// Packages of an RxNorm code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct RxnormRow {
    pub(crate) strengths: u32,
    pub(crate) packages: Vec<u32>,
}

impl LineRow {
    /// Name, strength and form as one text.
    pub(crate) fn title(&self) -> String {
        let parts = [Some(self.name.as_str()), self.strength.as_deref(), self.form.as_deref()];
        parts.into_iter().flatten().collect::<Vec<_>>().join(" ")
    }

    /// What it is, as values.
    pub(crate) fn read_identity(&self) -> Result<Identity> {
        let damaged = || Error::damaged(format::DATABASE, format!("drug line {} has no readable identity", self.id));
        Identity::decode(&self.identity).ok_or_else(damaged)
    }

    pub(crate) fn range(&self) -> std::ops::Range<u32> {
        self.first..self.first.saturating_add(self.packages)
    }
}

impl Catalogue {
    pub(crate) fn new(folder: &Path, manifest: &Manifest, checksums: &Checksums) -> Self {
        Self {
            folder: folder.to_owned(),
            checksums: checksums.clone(),
            said: ["packages", "drug_lines"].map(|name| manifest.counts.get(name).copied()),
            ndcs: Lazy::default(),
            line_starts: Lazy::default(),
            index: Lazy::default(),
            product_entries: Lazy::default(),
        }
    }

    fn ndcs(&self, database: &Connections) -> Result<&[u64]> {
        let ndcs = self.ndcs.get(|| {
            let bytes = read_array(database, "ndc")?;
            Ok(bytes.as_chunks::<8>().0.iter().map(|chunk| u64::from_le_bytes(*chunk)).collect())
        })?;
        Ok(ndcs)
    }

    /// How many packages there are.
    pub(crate) fn packages(&self, database: &Connections) -> Result<u32> {
        Ok(self.line_starts(database)?.last().copied().unwrap_or(0))
    }

    /// First package of each line, then the number of packages.
    pub(crate) fn line_starts(&self, database: &Connections) -> Result<&[u32]> {
        Ok(&self.starts(database)?.packages)
    }

    /// The number of a line's name, among names in the order of their lines.
    pub(crate) fn name_of(&self, database: &Connections, line: u32) -> Result<usize> {
        Ok(self.starts(database)?.names.partition_point(|first| *first <= line))
    }

    fn starts(&self, database: &Connections) -> Result<&LineStarts> {
        self.line_starts.get(|| {
            let bytes = read_array(database, "line")?;
            let marked: Vec<u32> = bytes.as_chunks::<4>().0.iter().map(|chunk| u32::from_le_bytes(*chunk)).collect();
            let first_of_name = (0_u32..).zip(&marked).filter(|(_, start)| **start & NAME_BEGINS != 0);
            let names = first_of_name.map(|(line, _)| line).collect();
            let starts: Vec<u32> = marked.iter().map(|start| start & !NAME_BEGINS).collect();
            let (Some(packages), Some(0), true) = (starts.last(), starts.first(), starts.is_sorted()) else {
                return Err(Error::damaged(format::DATABASE, "the line array does not fit the catalogue"));
            };
            if self.said != [Some(u64::from(*packages)), Some(starts.len() as u64 - 1)] {
                return Err(Error::damaged(
                    format::MANIFEST,
                    "its counts of packages and drug lines do not fit the database",
                ));
            }
            Ok(LineStarts { packages: starts, names })
        })
    }

    /// Packages of a line.
    pub(crate) fn line_range(&self, database: &Connections, line: u32) -> Result<std::ops::Range<u32>> {
        let starts = self.line_starts(database)?;
        let at = line as usize;
        match (starts.get(at), starts.get(at + 1)) {
            (Some(&first), Some(&end)) => Ok(first..end),
            _ => Err(Error::damaged(format::DATABASE, format!("no line {line}"))),
        }
    }

    /// The package with this code.
    pub(crate) fn package(&self, database: &Connections, ndc: Ndc11) -> Result<Option<u32>> {
        Ok(self.packages_between(database, ndc.number(), ndc.number() + 1)?.next())
    }

    /// Packages whose codes lie in `from..to` (eleven digits as a number), in the order of codes.
    pub(crate) fn packages_between(
        &self,
        database: &Connections,
        from: u64,
        to: u64,
    ) -> Result<impl Iterator<Item = u32> + '_> {
        let ndcs = self.ndcs(database)?;
        let start = ndcs.partition_point(|entry| entry >> PACKAGE_BITS < from);
        let rest = ndcs.get(start..).unwrap_or_default();
        let mask = (1_u64 << PACKAGE_BITS) - 1;
        Ok(rest
            .iter()
            .take_while(move |entry| **entry >> PACKAGE_BITS < to)
            .filter_map(move |entry| u32::try_from(entry & mask).ok()))
    }

    /// Entries without a package code that have a product code: (product, package number), ascending.
    pub(crate) fn product_entries(&self, database: &Connections) -> Result<&[(u32, u32)]> {
        let entries = self.product_entries.get(|| {
            database.with(|connection| {
                let mut statement = connection.prepare(
                    "SELECT product, id FROM package WHERE ndc11 IS NULL AND product IS NOT NULL ORDER BY product, id",
                )?;
                let rows = statement.query_map([], |row| Ok((number(row, 0)?, number(row, 1)?)))?;
                rows.collect()
            })
        })?;
        Ok(entries)
    }

    pub(crate) fn index(&self, database: &Connections) -> Result<Option<&DrugIndex>> {
        let index = self.index.get(|| {
            // As many lines as there is room for in the file.
            let documents = u32::try_from(self.line_starts(database)?.len()).unwrap_or(u32::MAX).saturating_sub(1);
            if documents == 0 {
                return Ok(None);
            }
            let index = format::open_text_index(&self.folder, format::DRUG_INDEX, &self.checksums, documents)?;
            Ok(Some(DrugIndex::new(index)?))
        })?;
        Ok(index.as_ref())
    }

    /// The index as a call looks words up in it; `None`: there are no drugs.
    pub(crate) fn words<'a>(&'a self, database: &Connections, cancel: &'a Cancel) -> Result<Option<DrugWords<'a>>> {
        database.check_unchanged()?;
        Ok(self.index(database)?.map(|index| index.for_call(cancel)))
    }
}

fn read_array(database: &Connections, name: &str) -> Result<Vec<u8>> {
    let bytes: Option<Vec<u8>> = database.with(|connection| {
        connection
            .prepare_cached("SELECT bytes FROM array WHERE name = ?1")?
            .query_row([name], |row| row.get(0))
            .optional()
    })?;
    bytes.ok_or_else(|| Error::damaged(format::DATABASE, format!("no array {name}")))
}

pub(crate) fn line_row(connection: &Connection, id: u32) -> rusqlite::Result<LineRow> {
    connection
        .prepare_cached(
            "SELECT name, strength, form, identity, brand, ingredient, aside, also, first_package, packages
             FROM drug_line WHERE id = ?1",
        )?
        .query_row([id], |row| {
            Ok(LineRow {
                id,
                name: row.get(0)?,
                strength: row.get(1)?,
                form: row.get(2)?,
                identity: row.get(3)?,
                brand: row.get(4)?,
                ingredient: row.get(5)?,
                aside: row.get(6)?,
                also: row.get(7)?,
                first: number(row, 8)?,
                packages: number(row, 9)?,
            })
        })
}

/// Name, strength and form of a line, without the rest of it.
pub(crate) fn line_title(connection: &Connection, id: u32) -> rusqlite::Result<String> {
    connection.prepare_cached("SELECT name, strength, form FROM drug_line WHERE id = ?1")?.query_row([id], |row| {
        let mut title = String::new();
        for at in 0..3 {
            let part = row.get_ref(at)?.as_str_or_null()?.unwrap_or_default();
            if !title.is_empty() && !part.is_empty() {
                title.push(' ');
            }
            title.push_str(part);
        }
        Ok(title)
    })
}

pub(crate) fn package_row(connection: &Connection, id: u32) -> rusqlite::Result<PackageRow> {
    connection
        .prepare_cached("SELECT ndc11, product, layout, rxnorm_set, line FROM package WHERE id = ?1")?
        .query_row([id], |row| package_of(row, 0))
}

/// A package with its line's title and its RxNorm codes, in one read.
pub(crate) fn package_details(connection: &Connection, id: u32) -> rusqlite::Result<(PackageRow, String, Vec<Rxcui>)> {
    connection
        .prepare_cached(
            "SELECT p.ndc11, p.product, p.layout, p.rxnorm_set, p.line, l.name, l.strength, l.form, s.codes
             FROM package AS p JOIN drug_line AS l ON l.id = p.line LEFT JOIN rxnorm_set AS s ON s.id = p.rxnorm_set
             WHERE p.id = ?1",
        )?
        .query_row([id], |row| {
            let mut title = String::new();
            for at in 5..8 {
                let part = row.get_ref(at)?.as_str_or_null()?.unwrap_or_default();
                if !title.is_empty() && !part.is_empty() {
                    title.push(' ');
                }
                title.push_str(part);
            }
            let codes = row.get_ref(8)?.as_str_or_null()?.map(codes_of).unwrap_or_default();
            Ok((package_of(row, 0)?, title, codes))
        })
}

/// A package from the columns `ndc11, product, layout, rxnorm_set, line`, the first of which is at `first`.
pub(crate) fn package_of(row: &rusqlite::Row<'_>, first: usize) -> rusqlite::Result<PackageRow> {
    let ndc: Option<i64> = row.get(first)?;
    let product: Option<i64> = row.get(first + 1)?;
    Ok(PackageRow {
        ndc11: ndc.and_then(|n| u64::try_from(n).ok()).and_then(Ndc11::new),
        product: product.and_then(|n| u32::try_from(n).ok()).and_then(ProductNdc::new),
        layout: match row.get::<_, i64>(first + 2)? {
            1 => Some(NdcLayout::ShortLabeler),
            2 => Some(NdcLayout::ShortProduct),
            3 => Some(NdcLayout::ShortPackage),
            _ => None,
        },
        rxnorm_set: number(row, first + 3)?,
        line: number(row, first + 4)?,
    })
}

/// The codes of a JSON array of numbers.
pub(crate) fn codes_of(text: &str) -> Vec<Rxcui> {
    text.trim_matches(['[', ']']).split(',').filter_map(|code| code.trim().parse().ok()).collect()
}

/// The codes of a set.
pub(crate) fn rxnorm_codes(connection: &Connection, set: u32) -> rusqlite::Result<Vec<Rxcui>> {
    if set == 0 {
        return Ok(Vec::new());
    }
    let text: String =
        connection.prepare_cached("SELECT codes FROM rxnorm_set WHERE id = ?1")?.query_row([set], |row| row.get(0))?;
    Ok(codes_of(&text))
}

/// The packages of an RxNorm code.
pub(crate) fn rxnorm_row(connection: &Connection, code: Rxcui) -> rusqlite::Result<Option<RxnormRow>> {
    connection
        .prepare_cached("SELECT strengths, packages FROM rxnorm WHERE code = ?1")?
        .query_row([code.number()], |row| {
            let bytes = row.get_ref(1)?.as_blob()?;
            Ok(RxnormRow { strengths: number(row, 0)?, packages: decode_numbers(bytes) })
        })
        .optional()
}

/// Ascending numbers as LEB128 differences.
#[cfg(feature = "build")]
#[must_use]
pub fn encode_numbers(numbers: impl IntoIterator<Item = u32>) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut before = 0_u32;
    for number in numbers {
        let mut rest = number.wrapping_sub(before);
        before = number;
        while rest >= 0x80 {
            bytes.push((rest & 0x7f) as u8 | 0x80);
            rest >>= 7;
        }
        bytes.push((rest & 0x7f) as u8);
    }
    bytes
}

/// What [`encode_numbers`] wrote; damaged bytes give other numbers, never a panic.
pub(crate) fn decode_numbers(bytes: &[u8]) -> Vec<u32> {
    let mut numbers = Vec::with_capacity(bytes.len());
    let (mut before, mut value, mut shift) = (0_u32, 0_u32, 0_u32);
    for byte in bytes {
        value |= u32::from(byte & 0x7f).wrapping_shl(shift);
        if byte & 0x80 == 0 {
            before = before.wrapping_add(value);
            numbers.push(before);
            (value, shift) = (0, 0);
        } else {
            shift = (shift + 7).min(31);
        }
    }
    numbers
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_come_back() {
        let numbers = [0, 1, 127, 128, 300, 16_384, 70_000, 4_000_000_000];
        assert_eq!(decode_numbers(&encode_numbers(numbers)), numbers);
        assert_eq!(decode_numbers(&[0xff; 40]), Vec::<u32>::new());
    }
}
