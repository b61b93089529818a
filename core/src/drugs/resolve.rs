//! What a drug question means: a code, or a text that names one drug.

use std::collections::BTreeSet;

use super::catalogue::{LineRow, line_row};
use super::query::{GroupKey, Query, group_key, strength_key};
use super::search::{Codes, DrugSearch, intersect};
use super::text::is_release_word;
use crate::dataset::Dataset;
use crate::ids::Ndc11;
use crate::{Error, Result};

/// Candidates that an ambiguous or unknown drug offers at most.
const MOST_CANDIDATES: usize = 10;

/// Lines that a text is compared with at most; a text that fits more is no drug's name.
const MOST_LINES: usize = 4_000;

/// Lines that are compared one by one rather than looked up by their salts too.
const FEW_LINES: usize = 500;

/// A drug question, resolved once and without looking at any plan.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Drug {
    pub(super) query: String,
    pub(super) resolution: Resolution,
    pub(super) title: Option<String>,
    pub(super) package: Option<Ndc11>,
    pub(super) packages: Vec<u32>,
    pub(super) candidates: Vec<Candidate>,
    pub(super) problem: Option<String>,
    pub(super) notes: Vec<String>,
}

/// How a drug question was resolved.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Resolution {
    /// One package, product or drug.
    Found,
    /// A well-formed code that is nowhere in the dataset.
    NeverSeen,
    /// Several drugs fit.
    Ambiguous,
    /// A text that no drug fits.
    NotFound,
}

/// A drug that may have been meant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Candidate {
    /// Name, strength and form.
    pub name: String,
    /// Its products, hyphenated.
    pub product_ndcs: Vec<String>,
}

impl Drug {
    /// What was asked.
    #[must_use]
    pub fn query(&self) -> &str {
        &self.query
    }

    /// How it was resolved.
    #[must_use]
    pub fn resolution(&self) -> Resolution {
        self.resolution
    }

    /// Name, strength and form of what was chosen.
    #[must_use]
    pub fn title(&self) -> Option<&str> {
        self.title.as_deref()
    }

    /// The package, if one package was asked for by its code.
    #[must_use]
    pub fn package(&self) -> Option<Ndc11> {
        self.package
    }

    /// What may have been meant, best first, if the question is ambiguous or fits nothing.
    #[must_use]
    pub fn candidates(&self) -> &[Candidate] {
        &self.candidates
    }

    /// A question that cannot be read (digits that are no code), as an answer: one row of a table of
    /// several drugs must not take the others with it.
    #[must_use]
    pub fn not_understood(query: &str, error: &Error) -> Self {
        Self { problem: Some(error.to_string()), ..Self::new(query, Resolution::NotFound) }
    }

    /// Why the question could not be read, where it could not.
    #[must_use]
    pub fn problem(&self) -> Option<&str> {
        self.problem.as_deref()
    }

    /// How it was read, where it could have been read in another way.
    #[must_use]
    pub fn notes(&self) -> &[String] {
        &self.notes
    }

    /// Whether anything in the dataset has the code; a text is seen if it fits something.
    #[must_use]
    pub fn seen_anywhere(&self) -> bool {
        matches!(self.resolution, Resolution::Found | Resolution::Ambiguous)
    }

    pub(crate) fn packages(&self) -> &[u32] {
        &self.packages
    }

    /// Whether more than one package may be meant.
    pub(crate) fn is_group(&self) -> bool {
        self.package.is_none()
    }

    pub(super) fn new(query: &str, resolution: Resolution) -> Self {
        Self {
            query: query.to_owned(),
            resolution,
            title: None,
            package: None,
            packages: Vec::new(),
            candidates: Vec::new(),
            problem: None,
            notes: Vec::new(),
        }
    }

    pub(crate) fn of_line(line: &LineRow) -> Self {
        Self { packages: line.range().collect(), ..Self::new("", Resolution::Found) }
    }
}

impl Dataset {
    /// Resolves a drug question: an NDC in any spelling, a product NDC, an RxNorm code, a barcode's
    /// digits, or a text that names a drug. A text that fits several drugs, or none, and digits that
    /// cannot be a code are answers, not errors.
    ///
    /// # Errors
    /// [`InvalidInput`](crate::ErrorKind::InvalidInput) for an empty text,
    /// [`DatasetDamaged`](crate::ErrorKind::DatasetDamaged) if a file cannot be read.
    pub fn drug(&self, text: &str) -> Result<Drug> {
        let trimmed = text.trim();
        if trimmed.is_empty() {
            return Err(
                Error::invalid("drug", "nothing was asked for").with_hint("name a drug, an NDC or an RxNorm code")
            );
        }
        if let Some(drug) = self.drug_by_code(text)? {
            return Ok(drug);
        }
        self.drug_by_text(text)
    }

    /// A product has one strength; where a payer writes its packages as several, nobody knows which is
    /// meant.
    pub(super) fn drug_of_product(&self, text: &str, packages: Vec<u32>) -> Result<Drug> {
        let lines = self.lines_of_packages(&packages)?;
        let strengths: BTreeSet<String> =
            lines.iter().filter_map(|line| line.strength.as_deref().map(strength_key)).collect();
        if strengths.len() <= 1 {
            return self.drug_of_packages(text, packages);
        }
        let candidates = self.candidates_by_strength(&lines)?;
        Ok(Drug { packages, candidates, ..Drug::new(text, Resolution::Ambiguous) })
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

    pub(super) fn drug_of_packages(&self, text: &str, packages: Vec<u32>) -> Result<Drug> {
        let Some(first) = packages.first() else { return Ok(Drug::new(text, Resolution::NeverSeen)) };
        let title = self.line_of_package(*first)?.title();
        Ok(Drug { title: Some(title), packages, ..Drug::new(text, Resolution::Found) })
    }

    fn drug_by_text(&self, text: &str) -> Result<Drug> {
        let query = Query::read(text);
        let lines = query.with_exact_strength(self.lines_named(&query)?);
        let mut undecided = query.misses_strength(&lines);
        let plain: Vec<LineRow> = lines.iter().filter(|line| !line.released).cloned().collect();
        let fitting = if query.released {
            lines
        } else if plain.is_empty()
            || !lines.iter().filter(|line| line.released).all(|line| has_plain_form(line, &plain))
        {
            // Only released forms, or one whose plain form is not there: esomeprazole's injection must
            // not answer for its delayed-release capsule.
            undecided |= !lines.is_empty();
            lines
        } else {
            plain
        };
        let fitting = query.with_asked_salts(fitting);
        let Some(first) = fitting.first() else {
            return self.no_such_drug(text);
        };
        if undecided || !query.is_one_drug(&fitting) {
            let mut drug = Drug::new(text, Resolution::Ambiguous);
            drug.candidates = self.candidates_by_strength(&fitting)?;
            return Ok(drug);
        }
        let shortest = fitting.iter().min_by_key(|line| (line.name.len(), line.id)).unwrap_or(first);
        let title = shortest.title();
        let mut packages: Vec<u32> = fitting.iter().flat_map(LineRow::range).collect();
        packages.sort_unstable();
        Ok(Drug { title: Some(title), packages, ..Drug::new(text, Resolution::Found) })
    }

    /// Nothing has this name: what is found while typing it are the candidates.
    fn no_such_drug(&self, text: &str) -> Result<Drug> {
        let mut drug = Drug::new(text, Resolution::NotFound);
        let search = DrugSearch { text, limit: MOST_CANDIDATES, plan: None, codes: true };
        for line in self.search_drugs(&search)? {
            let parts = [Some(line.name.as_str()), line.strength.as_deref(), line.form.as_deref()];
            drug.candidates.push(Candidate {
                name: parts.into_iter().flatten().collect::<Vec<_>>().join(" "),
                product_ndcs: line.product_ndcs,
            });
        }
        Ok(drug)
    }

    /// Lines whose name is what the query says, up to salts, hydrates and glue, and whose strength and
    /// form have everything else that it says.
    fn lines_named(&self, query: &Query) -> Result<Vec<LineRow>> {
        let Some(index) = self.inner.drugs.index(self.inner.drugs.lines)? else { return Ok(Vec::new()) };
        let mut found: Option<Vec<u32>> = None;
        for token in query.words() {
            let set = index.with_word(token)?;
            found = Some(found.map_or(set.clone(), |found| intersect(&found, &set)));
        }
        // Salts are looked up only where the other words leave too much (potassium chloride).
        if found.as_ref().is_none_or(|found| found.len() > FEW_LINES) {
            for spellings in query.salt_spellings() {
                let mut set = Vec::new();
                for token in &spellings {
                    set.extend(index.with_word(token)?);
                }
                set.sort_unstable();
                set.dedup();
                found = Some(found.map_or(set.clone(), |found| intersect(&found, &set)));
            }
        }
        let watch = self.inner.interrupt.watch();
        let mut lines = Vec::new();
        for line in found.unwrap_or_default().into_iter().take(MOST_LINES) {
            watch.check()?;
            let row = self.inner.database.with(|connection| line_row(connection, line))?;
            if query.names(&row) {
                lines.push(row);
            }
        }
        Ok(lines)
    }

    pub(super) fn line_of_package(&self, package: u32) -> Result<LineRow> {
        let starts = self.inner.drugs.line_starts(&self.inner.database)?;
        let line = starts.partition_point(|start| *start <= package).saturating_sub(1);
        let line = u32::try_from(line).unwrap_or(u32::MAX);
        self.inner.database.with(|connection| line_row(connection, line))
    }

    /// One candidate for each strength and form group, in the order of the lines.
    pub(super) fn candidates_by_strength(&self, lines: &[LineRow]) -> Result<Vec<Candidate>> {
        let mut groups: Vec<(GroupKey, Vec<&LineRow>)> = Vec::new();
        for line in lines {
            let key = group_key(line);
            match groups.iter_mut().find(|(other, _)| *other == key) {
                Some((_, group)) => group.push(line),
                None => groups.push((key, vec![line])),
            }
        }
        let mut candidates = Vec::new();
        for (_, group) in groups {
            let Some(shortest) = group.iter().min_by_key(|line| (line.name.len(), line.id)) else { continue };
            let mut product_ndcs = Vec::new();
            for line in &group {
                product_ndcs.extend(self.inner.database.with(|connection| Codes::of(connection, line))?.products);
            }
            product_ndcs.sort_unstable();
            product_ndcs.dedup();
            candidates.push(Candidate { name: shortest.title(), product_ndcs });
        }
        Ok(candidates)
    }
}

/// Whether the form of a released line is among plain ones: a tablet beside an extended-release tablet.
fn has_plain_form(released: &LineRow, plain: &[LineRow]) -> bool {
    let base = |line: &LineRow| {
        let words = line.form_group.as_deref().unwrap_or_default().split(' ');
        words.filter(|word| !is_release_word(word)).map(str::to_owned).collect::<Vec<_>>()
    };
    let form = base(released);
    plain.iter().any(|line| base(line) == form)
}
