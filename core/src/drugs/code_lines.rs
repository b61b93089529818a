//! What is typed as a code, as lines to show: what it means as a whole, then what begins like it.

use std::collections::BTreeSet;

use super::code::{self, Code, CodeText, How, Reading};
use super::drug::{Drug, Resolution};
use crate::Result;
use crate::data::{LineRow, line_row, line_title, package_row, rxnorm_row};
use crate::dataset::Dataset;

/// Lines found by a code, and how it was read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct CodeLines {
    /// What the whole code means comes first, then what begins like it.
    pub(super) lines: Vec<u32>,
    /// How the digits were read, or why they could not be.
    pub(super) notes: Vec<String>,
}

impl Dataset {
    /// Lines of a code, then of the packages whose codes begin like it; `None`: no code was typed.
    pub(super) fn lines_by_code(&self, text: &str) -> Result<Option<CodeLines>> {
        let (readings, problem) = match code::read(text) {
            CodeText::Words => {
                let Some((code, _)) = code::beside_words(text) else { return Ok(None) };
                // Words beside a code that is nowhere are searched for.
                if self.packages_of_code(code)?.is_empty() {
                    return Ok(None);
                }
                (vec![Reading { code, how: How::AsWritten }], None)
            }
            CodeText::Unreadable(error) => (Vec::new(), Some(error)),
            // A few digits are more likely a strength that is being typed.
            CodeText::Codes(_) if code::is_short_number(text) => (Vec::new(), None),
            CodeText::Codes(readings) => (readings, None),
        };
        let beginning = code::beginning(text);
        let words = problem.is_none() || code::is_short_number(text);
        if readings.is_empty() && beginning.is_none() && words {
            return Ok(None);
        }
        let mut lines = Lines::default();
        let mut notes = Vec::new();
        for reading in &readings {
            let packages = self.packages_of_code(reading.code)?;
            if !packages.is_empty() {
                notes.extend(reading.words().map(|words| format!("read as {words}")));
            }
            self.add_lines(packages, &mut lines)?;
        }
        let whole = lines.found.len();
        if let Some((from, to)) = beginning {
            let packages = self.inner.drugs.packages_between(&self.inner.database, from, to)?.collect();
            self.add_lines(packages, &mut lines)?;
        }
        let lines = lines.found;
        if lines.is_empty() && !readings.is_empty() {
            let codes: Vec<String> = readings.iter().map(|reading| reading.code.words()).collect();
            notes.push(format!("not in the data: {}", codes.join(", ")));
        } else if lines.is_empty() {
            notes.extend(problem.map(|error| error.to_string()));
        } else if whole == 0 {
            notes.push(format!("NDCs that begin with {}", text.trim()));
        }
        Ok(Some(CodeLines { lines, notes }))
    }

    /// The packages of a code, and the entries that have a product's code and no package code.
    pub(super) fn packages_of_code(&self, code: Code) -> Result<Vec<u32>> {
        let (database, catalogue) = (&self.inner.database, &self.inner.drugs);
        match code {
            Code::Package(ndc) => {
                let mut packages: Vec<u32> = catalogue.package(database, ndc)?.into_iter().collect();
                packages.extend(self.entries_of_product(ndc.product().number())?);
                Ok(packages)
            }
            Code::Product(product) => {
                let first = product.first_package();
                let mut packages: Vec<u32> = catalogue.packages_between(database, first, first + 100)?.collect();
                packages.extend(self.entries_of_product(product.number())?);
                packages.sort_unstable();
                Ok(packages)
            }
            Code::Rxnorm(code) => {
                let row = database.with(|connection| rxnorm_row(connection, code))?;
                Ok(row.map(|row| row.packages).unwrap_or_default())
            }
        }
    }

    /// Entries that have a product code and no package code.
    fn entries_of_product(&self, product: u32) -> Result<Vec<u32>> {
        let entries = self.inner.drugs.product_entries(&self.inner.database)?;
        let start = entries.partition_point(|(other, _)| *other < product);
        let mine = entries.get(start..).unwrap_or_default().iter().take_while(|(other, _)| *other == product);
        Ok(mine.map(|(_, package)| *package).collect())
    }

    /// The products of packages, hyphenated as the payer does, each once.
    pub(super) fn products_of_packages(&self, packages: &[u32]) -> Result<Vec<String>> {
        let mut products = BTreeSet::new();
        for package in packages {
            let row = self.inner.database.with(|connection| package_row(connection, *package))?;
            products.extend(row.product_ndc());
        }
        Ok(products.into_iter().collect())
    }

    pub(super) fn line_of_package(&self, package: u32) -> Result<LineRow> {
        let line = self.line_number(package)?;
        self.inner.database.with(|connection| line_row(connection, line))
    }

    /// Name, strength and form of a package's line.
    pub(super) fn title_of_package(&self, package: u32) -> Result<String> {
        let line = self.line_number(package)?;
        self.inner.database.with(|connection| line_title(connection, line))
    }

    /// What a drug was read as: name, strength and form.
    pub(crate) fn drug_title(&self, drug: &Drug) -> Result<Option<String>> {
        if let Some(title) = drug.title() {
            return Ok(Some(title.to_owned()));
        }
        let only = drug.packages().first().filter(|_| drug.resolution() == Resolution::Found);
        let title = only.map(|package| self.title_of_package(*package)).transpose()?;
        Ok(title.filter(|title| !title.is_empty()))
    }

    fn line_number(&self, package: u32) -> Result<u32> {
        let starts = self.inner.drugs.line_starts(&self.inner.database)?;
        let line = starts.partition_point(|start| *start <= package).saturating_sub(1);
        Ok(u32::try_from(line).unwrap_or(u32::MAX))
    }

    fn add_lines(&self, packages: Vec<u32>, lines: &mut Lines) -> Result<()> {
        let starts = self.inner.drugs.line_starts(&self.inner.database)?;
        for package in packages {
            let line = starts.partition_point(|start| *start <= package).saturating_sub(1);
            lines.add(u32::try_from(line).unwrap_or(u32::MAX));
        }
        Ok(())
    }
}

/// Lines in the order in which they were found, each once.
#[derive(Default)]
struct Lines {
    found: Vec<u32>,
    seen: BTreeSet<u32>,
}

impl Lines {
    fn add(&mut self, line: u32) {
        if self.seen.insert(line) {
            self.found.push(line);
        }
    }
}
