//! What the readings of a code are in a dataset: the drug that is asked for.

use std::collections::BTreeSet;

use super::code::{self, Code, CodeText, How, Reading};
use super::drug::{Candidate, Drug, Resolution};
use crate::data::{LineRow, rxnorm_row};
use crate::dataset::Dataset;
use crate::drug_text::Strength;
use crate::fold;
use crate::ids::{Ndc11, Rxcui};
use crate::{Error, Result};

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
            CodeText::Unreadable(error) => Ok(Some(Drug::not_understood(self, text, &error))),
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
        if fold::key(&words) == fold::key(&self.title_of_package(*first)?) {
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
            return Ok(Drug { notes: vec![note], ..self.new_drug(text, Resolution::NeverSeen) });
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
        let mut drug = self.new_drug(text, Resolution::Ambiguous);
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
                Some(first) => self.title_of_package(*first)?,
                None => String::new(),
            };
            let product_ndcs = self.products_of_packages(&meant.packages)?;
            drug.candidates.push(Candidate { name: named(&title), product_ndcs, differs: None });
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
            Code::Product(_) => self.drug_of_packages(text, self.packages_of_code(code)?),
            Code::Rxnorm(code) => self.drug_by_rxnorm(text, code),
        }
    }

    /// A package is itself; an entry that has its product code and no package code speaks for it too.
    fn drug_of_package(&self, text: &str, ndc: Ndc11) -> Result<Drug> {
        let packages = self.packages_of_code(Code::Package(ndc))?;
        let resolution = if packages.is_empty() { Resolution::NeverSeen } else { Resolution::Found };
        Ok(Drug { package: Some(ndc), packages, ..self.new_drug(text, resolution) })
    }

    fn drug_by_rxnorm(&self, text: &str, code: Rxcui) -> Result<Drug> {
        let Some(row) = self.inner.database.with(|connection| rxnorm_row(connection, code))? else {
            return Ok(self.new_drug(text, Resolution::NeverSeen));
        };
        let packages = self.inner.drugs.packages(&self.inner.database)?;
        if row.packages.iter().any(|package| *package >= packages) {
            return Err(Error::damaged(
                crate::format::DATABASE,
                format!("RxNorm code {code} names packages that are not there"),
            ));
        }
        // A group (ingredient and form, say) helps to find, and names no strength.
        if row.strengths > 1 {
            return self.drug_of_packages(text, row.packages);
        }
        let Some(first) = row.packages.first() else { return Ok(self.new_drug(text, Resolution::NeverSeen)) };
        let title = self.title_of_package(*first)?;
        Ok(Drug { title: Some(title), packages: row.packages, ..self.new_drug(text, Resolution::Found) })
    }

    /// Packages that one code names: one drug, or several of which nobody knows which is meant (a
    /// product that the payer writes with two strengths; a group of ingredient and form).
    pub(super) fn drug_of_packages(&self, text: &str, packages: Vec<u32>) -> Result<Drug> {
        let lines = self.lines_of_packages(&packages)?;
        let Some(first) = lines.first() else { return Ok(self.new_drug(text, Resolution::NeverSeen)) };
        let identities = lines.iter().map(LineRow::read_identity).collect::<Result<Vec<_>>>()?;
        let strengths: BTreeSet<Vec<String>> = identities
            .iter()
            .filter(|identity| !identity.strengths.is_empty())
            .map(|identity| {
                let mut keys: Vec<String> = identity.strengths.iter().map(Strength::key).collect();
                keys.sort_unstable();
                keys
            })
            .collect();
        let forms: BTreeSet<_> = identities
            .iter()
            .filter(|identity| identity.is_complete())
            .map(|identity| (&identity.form, identity.release.kind))
            .collect();
        if strengths.len() <= 1 && forms.len() <= 1 {
            let title = first.title();
            return Ok(Drug { title: Some(title), packages, ..self.new_drug(text, Resolution::Found) });
        }
        let candidates = self.candidates(&lines.iter().zip(&identities).collect::<Vec<_>>())?;
        Ok(Drug { packages, candidates, ..self.new_drug(text, Resolution::Ambiguous) })
    }

    /// The lines that these packages are in; both ascend.
    pub(super) fn lines_of_packages(&self, packages: &[u32]) -> Result<Vec<LineRow>> {
        let mut lines: Vec<LineRow> = Vec::new();
        for package in packages {
            if !lines.last().is_some_and(|line| line.range().contains(package)) {
                lines.push(self.line_of_package(*package)?);
            }
        }
        Ok(lines)
    }
}
