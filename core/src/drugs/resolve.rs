//! What a drug question means: a code, or a text that names one drug.
//!
//! A text is held against every drug of the catalogue that has its words. Those that it names as they
//! are answer, if they are one; those that it may mean stand beside, and a plan that lists none but
//! such is told so.
//!
//! Why not the nearest drug? A person reads "covered" and takes the medicine: another salt, release,
//! strength or combination must not answer. Why is a plain form preferred, and a salt never? A text
//! without a release word means the plain form to whoever writes it; a text without a salt means
//! whatever the writer knows, and metoprolol tartrate and succinate are taken differently.

use std::collections::BTreeSet;

use super::catalogue::{LineRow, line_row, rxnorm_row};
use super::drug::{Beside, Candidate, Drug, Resolution};
use super::find::{Codes, DrugSearch};
use super::index::intersect;
use super::text::{Fit, Identity, Named, Question, is_ester, is_free_base};
use crate::dataset::Dataset;
use crate::ids::{Ndc11, NdcQuery, Rxcui};
use crate::{Error, Result};

/// Candidates that an ambiguous or unknown drug offers at most.
const MOST_CANDIDATES: usize = 10;

/// Lines that a text is compared with at most; a text that fits more is no drug's name.
const MOST_LINES: usize = 4_000;

/// Lines that are compared one by one rather than looked up by their salts too.
const FEW_LINES: usize = 500;

/// A line with what it is and how it fits.
struct Fitting {
    row: LineRow,
    identity: Identity,
    fit: Fit,
    /// Other strengths that the payer gives its packages, by text: nobody knows which drug it is.
    contested: Vec<String>,
}

impl Dataset {
    /// Resolves a drug question: an NDC in any spelling, a product NDC, an RxNorm code, or a text
    /// that names a drug. A text that fits several drugs, or none, is an answer, not an error.
    ///
    /// # Errors
    /// [`InvalidInput`](crate::ErrorKind::InvalidInput) for an empty text or digits that are no code,
    /// [`DatasetDamaged`](crate::ErrorKind::DatasetDamaged) if a file cannot be read.
    pub fn drug(&self, text: &str) -> Result<Drug> {
        let trimmed = text.trim();
        if trimmed.is_empty() {
            return Err(
                Error::invalid("drug", "nothing was asked for").with_hint("name a drug, an NDC or an RxNorm code")
            );
        }
        if let Some(code) = rxnorm_spelled_out(trimmed) {
            return self.drug_by_rxnorm(text, code.parse()?);
        }
        let bare = trimmed.trim_start_matches("NDC").trim_start_matches("ndc").trim_start_matches([':', ' ']);
        if is_code(bare) {
            if bare.len() <= 8 && bare.bytes().all(|b| b.is_ascii_digit()) {
                return self.drug_by_rxnorm(text, bare.parse()?);
            }
            return self.drug_by_ndc(text, &bare.parse()?);
        }
        self.drug_by_text(text)
    }

    pub(super) fn new_drug(&self, text: &str, resolution: Resolution) -> Drug {
        Drug::new(&self.inner.manifest.dataset, text, resolution)
    }

    fn drug_by_ndc(&self, text: &str, query: &NdcQuery) -> Result<Drug> {
        let (database, catalogue) = (&self.inner.database, &self.inner.drugs);
        match query {
            NdcQuery::Package(ndc) => self.drug_of_package(text, *ndc),
            NdcQuery::Product(product) => {
                let first = product.first_package();
                let mut packages: Vec<u32> = catalogue.packages_between(database, first, first + 100)?.collect();
                packages.extend(self.entries_of_product(product.number())?);
                packages.sort_unstable();
                self.drug_of_packages(text, packages)
            }
            NdcQuery::TenDigits(readings) => {
                let mut known = Vec::new();
                for ndc in readings {
                    if let Some(package) = catalogue.package(database, *ndc)? {
                        known.push((*ndc, package));
                    }
                }
                match known.as_slice() {
                    [] => Ok(self.new_drug(text, Resolution::NeverSeen)),
                    [(ndc, _)] => self.drug_of_package(text, *ndc),
                    several => {
                        let mut drug = self.new_drug(text, Resolution::Ambiguous);
                        for (ndc, package) in several {
                            let row = self.line_of_package(*package)?;
                            drug.candidates.push(Candidate {
                                name: format!("{ndc} {}", row.title()),
                                product_ndcs: vec![ndc.product().to_string()],
                                differs: None,
                            });
                        }
                        Ok(drug)
                    }
                }
            }
        }
    }

    pub(super) fn drug_of_package(&self, text: &str, ndc: Ndc11) -> Result<Drug> {
        let package = self.inner.drugs.package(&self.inner.database, ndc)?;
        let resolution = if package.is_some() { Resolution::Found } else { Resolution::NeverSeen };
        let mut drug = self.new_drug(text, resolution);
        drug.package = Some(ndc);
        drug.packages.extend(package);
        let by_product = self.entries_of_product(ndc.product().number())?;
        if !by_product.is_empty() {
            drug.packages.extend(by_product);
            drug.resolution = Resolution::Found;
        }
        Ok(drug)
    }

    fn drug_by_rxnorm(&self, text: &str, code: Rxcui) -> Result<Drug> {
        let Some(row) = self.inner.database.with(|connection| rxnorm_row(connection, code))? else {
            return Ok(self.new_drug(text, Resolution::NeverSeen));
        };
        if row.packages.iter().any(|package| *package >= self.inner.drugs.packages) {
            return Err(Error::damaged(
                crate::format::DATABASE,
                format!("RxNorm code {code} names packages that are not there"),
            ));
        }
        if row.strengths > 1 {
            return self.drug_of_packages(text, row.packages);
        }
        let Some(first) = row.packages.first() else { return Ok(self.new_drug(text, Resolution::NeverSeen)) };
        let title = self.line_of_package(*first)?.title();
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
                let mut keys: Vec<String> = identity.strengths.iter().map(super::text::Strength::key).collect();
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
    fn lines_of_packages(&self, packages: &[u32]) -> Result<Vec<LineRow>> {
        let mut lines: Vec<LineRow> = Vec::new();
        for package in packages {
            if !lines.last().is_some_and(|line| line.range().contains(package)) {
                lines.push(self.line_of_package(*package)?);
            }
        }
        Ok(lines)
    }

    fn drug_by_text(&self, text: &str) -> Result<Drug> {
        let question = Question::read(text);
        let fitting = self.fitting_lines(&question)?;
        let (same, may_be): (Vec<Fitting>, Vec<Fitting>) =
            fitting.into_iter().partition(|line| line.fit == Fit::Same && line.contested.is_empty());
        if same.is_empty() && may_be.is_empty() {
            return self.no_such_drug(text, &question);
        }
        let chosen = Chosen::of(&question, same);
        let ignored = question.ignored();
        if let ([one], false) = (chosen.answering.as_slice(), chosen.is_open) {
            let mut drug = self.new_drug(text, Resolution::Found);
            drug.title = Some(one.row.title());
            drug.packages = one.row.range().collect();
            drug.ignored = ignored;
            for other in chosen.beside.iter().chain(&may_be) {
                drug.beside.push(Beside { packages: other.row.range(), candidate: self.candidate(&other.row)? });
            }
            return Ok(drug);
        }
        let mut offered: Vec<Fitting> = chosen.answering;
        offered.extend(chosen.beside);
        if offered.is_empty() || !may_be.is_empty() {
            offered.extend(may_be);
        }
        let mut drug = self.new_drug(text, Resolution::Ambiguous);
        drug.candidates = self.candidates(&offered.iter().map(|line| (&line.row, &line.identity)).collect::<Vec<_>>())?;
        for title in offered.iter().flat_map(|line| &line.contested) {
            drug.candidates.push(Candidate { name: title.clone(), ..Candidate::default() });
        }
        drug.candidates.truncate(MOST_CANDIDATES);
        drug.ignored = ignored;
        Ok(drug)
    }

    /// Nothing has this name: what is found while typing it are the candidates.
    fn no_such_drug(&self, text: &str, question: &Question) -> Result<Drug> {
        let mut drug = self.new_drug(text, Resolution::NotFound);
        drug.ignored = question.ignored();
        let search = DrugSearch { text, limit: MOST_CANDIDATES, plan: None, codes: true };
        for line in self.search_drugs(&search)?.lines {
            let parts = [Some(line.name.as_str()), line.strength.as_deref(), line.form.as_deref()];
            drug.candidates.push(Candidate {
                name: parts.into_iter().flatten().collect::<Vec<_>>().join(" "),
                product_ndcs: line.product_ndcs,
                differs: None,
            });
        }
        Ok(drug)
    }

    /// Lines that the question names, or may mean.
    fn fitting_lines(&self, question: &Question) -> Result<Vec<Fitting>> {
        let Some(index) = self.inner.drugs.index(self.inner.drugs.lines)? else { return Ok(Vec::new()) };
        let mut found: Option<Vec<u32>> = None;
        for word in question.telling() {
            let set = index.with_word(word)?;
            found = Some(found.map_or(set.clone(), |found| intersect(&found, &set)));
        }
        // Salts and forms are looked up only where the other words leave too much (potassium chloride).
        if found.as_ref().is_none_or(|found| found.len() > FEW_LINES) {
            for word in question.naming() {
                let set = index.with_word(word)?;
                if set.is_empty() && found.is_some() {
                    continue;
                }
                found = Some(found.map_or(set.clone(), |found| intersect(&found, &set)));
            }
        }
        let watch = self.inner.interrupt.watch();
        let mut lines = Vec::new();
        for line in found.unwrap_or_default().into_iter().take(MOST_LINES) {
            watch.check()?;
            let row = self.inner.database.with(|connection| line_row(connection, line))?;
            lines.extend(fitting(question, row)?);
        }
        Ok(lines)
    }

    pub(super) fn line_of_package(&self, package: u32) -> Result<LineRow> {
        let starts = self.inner.drugs.line_starts(&self.inner.database)?;
        let line = starts.partition_point(|start| *start <= package).saturating_sub(1);
        let line = u32::try_from(line).unwrap_or(u32::MAX);
        self.inner.database.with(|connection| line_row(connection, line))
    }

    /// Entries that have a product code and no package code.
    pub(super) fn entries_of_product(&self, product: u32) -> Result<Vec<u32>> {
        let entries = self.inner.drugs.product_entries(&self.inner.database)?;
        let start = entries.partition_point(|(other, _)| *other < product);
        let mine = entries.get(start..).unwrap_or_default().iter().take_while(|(other, _)| *other == product);
        Ok(mine.map(|(_, package)| *package).collect())
    }

    /// One candidate for each identity, in the order of the lines, each with what tells it apart.
    fn candidates(&self, lines: &[(&LineRow, &Identity)]) -> Result<Vec<Candidate>> {
        let mut candidates = Vec::new();
        let differing = Differing::of(lines.iter().map(|(_, identity)| *identity));
        for (row, identity) in lines.iter().take(MOST_CANDIDATES) {
            let mut candidate = self.candidate(row)?;
            candidate.differs = differing.label(identity);
            candidates.push(candidate);
        }
        Ok(candidates)
    }

    fn candidate(&self, row: &LineRow) -> Result<Candidate> {
        let products = self.inner.database.with(|connection| Codes::of(connection, row))?.products;
        Ok(Candidate { name: row.title(), product_ndcs: products, differs: None })
    }
}

/// How a line fits, if it does, by its own text or by another that the payer gives its packages.
fn fitting(question: &Question, row: LineRow) -> Result<Option<Fitting>> {
    let identity = row.read_identity()?;
    let aside: BTreeSet<String> =
        row.aside.iter().flat_map(|words| words.split(' ')).map(str::to_owned).collect();
    let also = other_readings(&row)?;
    let mut fit = question.fit(Named { identity: &identity, aside: &aside });
    for other in &also {
        if fit == Fit::No && question.fit(Named { identity: &other.identity, aside: &aside }) != Fit::No {
            fit = Fit::MayBe;
        }
    }
    let contested = also.into_iter().filter(|other| other.contests).map(|other| other.title).collect();
    Ok((fit != Fit::No).then_some(Fitting { row, identity, fit, contested }))
}

/// Another text that the payer gives a line's packages.
struct OtherReading {
    identity: Identity,
    title: String,
    /// It states another strength; else another name.
    contests: bool,
}

fn other_readings(row: &LineRow) -> Result<Vec<OtherReading>> {
    let damaged = || Error::damaged(crate::format::DATABASE, format!("drug line {} has unreadable texts", row.id));
    let lines = row.also.iter().flat_map(|also| also.lines());
    lines
        .map(|line| {
            let (mark, line) = line.split_at_checked(1).ok_or_else(damaged)?;
            let (identity, title) = line.split_once('\t').ok_or_else(damaged)?;
            let identity = Identity::decode(identity).ok_or_else(damaged)?;
            Ok(OtherReading { identity, title: title.to_owned(), contests: mark == "!" })
        })
        .collect()
}

/// Which of the lines that a question names as they are answer.
#[derive(Default)]
struct Chosen {
    answering: Vec<Fitting>,
    beside: Vec<Fitting>,
    /// Nothing may answer alone: salts that are different drugs, or a release that was not said.
    is_open: bool,
}

impl Chosen {
    fn of(question: &Question, mut lines: Vec<Fitting>) -> Self {
        let mut chosen = Self::default();
        // Texts that leave strength or form open stand beside those that state them.
        if lines.iter().any(|line| line.identity.is_complete()) {
            let incomplete = |line: &mut Fitting| !line.identity.is_complete();
            chosen.beside.extend(lines.extract_if(.., incomplete));
        } else if lines.iter().any(|line| !line.identity.strengths.is_empty()) {
            chosen.beside.extend(lines.extract_if(.., |line| line.identity.strengths.is_empty()));
        }
        let salted: BTreeSet<BTreeSet<&str>> =
            lines.iter().map(|line| line.identity.salts()).filter(|salts| !salts.is_empty()).collect();
        if salted.len() > 1 {
            chosen.is_open = true;
            chosen.answering = lines;
            return chosen;
        }
        // The name of a base that is a drug of its own, and names beside an ester, mean themselves.
        let is_base = |line: &Fitting| {
            line.identity.salts().is_empty() && line.identity.words().any(is_free_base)
        };
        let has_ester = salted.iter().flatten().any(|salt| is_ester(salt));
        let any_unsalted = lines.iter().any(|line| line.identity.salts().is_empty());
        drop(salted);
        if lines.iter().any(is_base) || (has_ester && any_unsalted) {
            chosen.beside.extend(lines.extract_if(.., |line| !line.identity.salts().is_empty()));
        }
        if !question.has_release() {
            let plain: Vec<Identity> =
                lines.iter().filter(|line| line.identity.is_plain()).map(|line| line.identity.clone()).collect();
            let every_form_has_plain = lines
                .iter()
                .filter(|line| !line.identity.is_plain())
                .all(|line| plain.iter().any(|other| other.form == line.identity.form.plain()));
            if plain.is_empty() || !every_form_has_plain {
                // Esomeprazole's injection must not answer for its delayed-release capsule.
                chosen.is_open = true;
            } else {
                lines.retain(|line| line.identity.is_plain());
            }
        }
        chosen.answering = lines;
        chosen
    }
}

/// In what several identities differ.
struct Differing {
    release: bool,
    salts: bool,
    forms: bool,
    devices: bool,
}

impl Differing {
    fn of<'a>(identities: impl Iterator<Item = &'a Identity> + Clone) -> Self {
        fn differ<T: Ord>(values: impl Iterator<Item = T>) -> bool {
            values.collect::<BTreeSet<T>>().len() > 1
        }
        Self {
            release: differ(identities.clone().map(|identity| &identity.release)),
            salts: differ(identities.clone().map(Identity::salts)),
            forms: differ(identities.clone().map(|identity| &identity.form)),
            devices: differ(identities.map(|identity| &identity.devices)),
        }
    }

    /// What tells one apart, in words.
    fn label(&self, identity: &Identity) -> Option<String> {
        let mut parts: Vec<String> = Vec::new();
        if self.salts {
            let salts = identity.salts();
            let named = salts.into_iter().collect::<Vec<_>>().join(" ");
            parts.push(if named.is_empty() { "no salt stated".to_owned() } else { named });
        }
        if self.forms {
            let form = identity.form.key();
            parts.push(if form.is_empty() { "form not stated".to_owned() } else { form });
        }
        if self.release {
            parts.push(identity.release.label().unwrap_or_else(|| "immediate release".to_owned()));
        }
        if self.devices && !identity.devices.is_empty() {
            parts.push(identity.devices.iter().cloned().collect::<Vec<_>>().join(" "));
        }
        (!parts.is_empty()).then(|| parts.join("; "))
    }
}

/// Digits, and what stands between or for them in an NDC, typographic hyphens too.
fn is_code(text: &str) -> bool {
    let hyphen = |c: char| matches!(c, '-' | '\u{2010}'..='\u{2015}' | '\u{2212}');
    text.contains(|c: char| c.is_ascii_digit()) && text.chars().all(|c| c.is_ascii_digit() || hyphen(c) || c == '*')
}

fn rxnorm_spelled_out(text: &str) -> Option<&str> {
    let lower = text.to_ascii_lowercase();
    let prefix = ["rxcui", "rxnorm"].into_iter().find(|prefix| lower.starts_with(prefix))?;
    Some(text.get(prefix.len()..)?.trim_start_matches([':', ' ', '|', '=']))
}
