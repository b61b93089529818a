//! What the readings of a code are in a dataset: the drug that is asked for, and the lines to show
//! while one is typed.

use std::collections::BTreeSet;

use super::catalogue::{package_row, rxnorm_row};
use super::code::{self, Code, CodeText, How, Reading};
use super::resolve::{Candidate, Drug, Resolution};
use crate::dataset::Dataset;
use crate::fold;
use crate::ids::{Ndc11, Rxcui};
use crate::{Error, Result};

/// Lines found by a code, and how it was read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct CodeLines {
    /// What the whole code means comes first, then what begins like it.
    pub(super) lines: Vec<u32>,
    /// How the digits were read, or why they could not be.
    pub(super) notes: Vec<String>,
}

/// A reading of which the dataset has something.
struct Known {
    reading: Reading,
    drug: Drug,
}

impl Dataset {
    /// The drug that a code means; `None` where the text is no code. What looks like a code and cannot
    /// be one is a drug that is not understood, with the reason.
    pub(super) fn drug_by_code(&self, text: &str) -> Result<Option<Drug>> {
        match code::read(text) {
            CodeText::Words => self.drug_of_code_and_words(text),
            CodeText::Unreadable(error) => Ok(Some(Drug::not_understood(text, &error))),
            CodeText::Codes(readings) => self.drug_of_readings(text, &readings).map(Some),
        }
    }

    /// A code with words beside it is the code's drug where the words are its name; else the drug is
    /// offered and not answered.
    fn drug_of_code_and_words(&self, text: &str) -> Result<Option<Drug>> {
        let Some((code, words)) = code::beside_words(text) else { return Ok(None) };
        let meant = self.drug_of_code(text, code)?;
        let Some(first) = meant.packages.first() else { return Ok(None) };
        if meant.resolution == Resolution::Ambiguous {
            // One of a group's strengths, as a candidate names it.
            let named = |candidate: &Candidate| fold::key(&candidate.name) == fold::key(&words);
            if meant.candidates.iter().any(named) {
                return Ok(Some(Drug { query: text.to_owned(), ..self.drug(&words)? }));
            }
            return Ok(Some(meant));
        }
        if fold::key(&words) == fold::key(&self.line_of_package(*first)?.title()) {
            return Ok(Some(meant));
        }
        let reading = Reading { code, how: How::AsWritten };
        let mut drug = self.several_codes(text, &[Known { reading, drug: meant }])?;
        drug.notes = vec!["the words beside the code are not the name that the data has for it".to_owned()];
        Ok(Some(drug))
    }

    fn drug_of_readings(&self, text: &str, readings: &[Reading]) -> Result<Drug> {
        if let [reading] = readings {
            let drug = self.drug_of_code(text, reading.code)?;
            let seen = drug.resolution != Resolution::NeverSeen;
            let notes = reading.words().filter(|_| seen).map(|words| format!("read as {words}"));
            return Ok(Drug { notes: notes.into_iter().collect(), ..drug });
        }
        let mut known = self.known_readings(text, readings)?;
        if known.is_empty() {
            let codes: Vec<String> = readings.iter().map(|reading| reading.code.words()).collect();
            let note = format!("none of its readings is in the data: {}", codes.join(", "));
            return Ok(Drug { notes: vec![note], ..Drug::new(text, Resolution::NeverSeen) });
        }
        // Two readings of the same packages say the same.
        let same = known.iter().all(|other| known.first().is_some_and(|one| one.drug.packages == other.drug.packages));
        if same {
            let said: Vec<String> = known.iter().filter_map(|one| one.reading.words()).collect();
            let others = if said.len() > 1 {
                "they are the same packages"
            } else {
                "no other reading of these digits is in the data"
            };
            let note = format!("read as {}; {others}", said.join(", and as "));
            return Ok(Drug { notes: vec![note], ..known.swap_remove(0).drug });
        }
        self.several_codes(text, &known)
    }

    /// Digits that are several codes of the data: each is a candidate, with its reading in front.
    fn several_codes(&self, text: &str, known: &[Known]) -> Result<Drug> {
        let mut drug = Drug::new(text, Resolution::Ambiguous);
        for Known { reading, drug: meant } in known {
            let typed = reading.code.typed();
            let named = |name: &str| format!("{typed} {name}").trim_end().to_owned();
            if meant.resolution == Resolution::Ambiguous {
                drug.candidates.extend(
                    meant
                        .candidates
                        .iter()
                        .map(|candidate| Candidate { name: named(&candidate.name), ..candidate.clone() }),
                );
                continue;
            }
            let title = match meant.packages.first() {
                Some(first) => self.line_of_package(*first)?.title(),
                None => String::new(),
            };
            drug.candidates
                .push(Candidate { name: named(&title), product_ndcs: self.products_of_packages(&meant.packages)? });
        }
        drug.notes.push(
            "the digits are several codes of the data: write the NDC with hyphens or with eleven digits, an RxNorm code \
             with \"RxNorm\" before it"
                .to_owned(),
        );
        Ok(drug)
    }

    /// The readings of which the dataset has something, in their order.
    fn known_readings(&self, text: &str, readings: &[Reading]) -> Result<Vec<Known>> {
        let mut known = Vec::new();
        for reading in readings {
            let drug = self.drug_of_code(text, reading.code)?;
            if drug.resolution != Resolution::NeverSeen {
                known.push(Known { reading: *reading, drug });
            }
        }
        Ok(known)
    }

    fn drug_of_code(&self, text: &str, code: Code) -> Result<Drug> {
        match code {
            Code::Package(ndc) => self.drug_of_package(text, ndc),
            Code::Product(_) => self.drug_of_product(text, self.packages_of_code(code)?),
            Code::Rxnorm(code) => self.drug_by_rxnorm(text, code),
        }
    }

    /// A package is itself; an entry that has its product code and no package code speaks for it too.
    fn drug_of_package(&self, text: &str, ndc: Ndc11) -> Result<Drug> {
        let packages = self.packages_of_code(Code::Package(ndc))?;
        let resolution = if packages.is_empty() { Resolution::NeverSeen } else { Resolution::Found };
        Ok(Drug { package: Some(ndc), packages, ..Drug::new(text, resolution) })
    }

    fn drug_by_rxnorm(&self, text: &str, code: Rxcui) -> Result<Drug> {
        let Some(row) = self.inner.database.with(|connection| rxnorm_row(connection, code))? else {
            return Ok(Drug::new(text, Resolution::NeverSeen));
        };
        if row.packages.iter().any(|package| *package >= self.inner.drugs.packages) {
            return Err(Error::damaged(
                crate::format::DATABASE,
                format!("RxNorm code {code} names packages that are not there"),
            ));
        }
        if row.strengths <= 1 {
            return self.drug_of_packages(text, row.packages);
        }
        // A group (ingredient and form, say): it helps to find, and names no strength.
        let mut drug = Drug::new(text, Resolution::Ambiguous);
        drug.candidates = self.candidates_by_strength(&self.lines_of_packages(&row.packages)?)?;
        drug.packages = row.packages;
        Ok(drug)
    }

    /// The packages of a code, and the entries that have a product's code and no package code.
    fn packages_of_code(&self, code: Code) -> Result<Vec<u32>> {
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
    fn products_of_packages(&self, packages: &[u32]) -> Result<Vec<String>> {
        let mut products = BTreeSet::new();
        for package in packages {
            let row = self.inner.database.with(|connection| package_row(connection, *package))?;
            products.extend(row.product_ndc());
        }
        Ok(products.into_iter().collect())
    }

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

    /// How the search reads a code that is typed into it, or why it cannot: one note each; none where
    /// the text is no code, or can be read in one way only.
    ///
    /// # Errors
    /// [`DatasetDamaged`](crate::ErrorKind::DatasetDamaged) if a file cannot be read.
    pub fn code_notes(&self, text: &str) -> Result<Vec<String>> {
        Ok(self.lines_by_code(text)?.map(|found| found.notes).unwrap_or_default())
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
