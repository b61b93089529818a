//! A drug that was asked for, resolved, and the drugs that may have been meant.

use crate::Error;
use crate::data::LineRow;
use crate::dataset::Dataset;
use crate::ids::Ndc11;

/// A drug question, resolved once and without looking at any plan. It belongs to the dataset that
/// resolved it: another dataset refuses it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Drug {
    pub(super) dataset: String,
    pub(super) query: String,
    pub(super) resolution: Resolution,
    pub(super) title: Option<String>,
    pub(super) package: Option<Ndc11>,
    pub(super) packages: Vec<u32>,
    pub(super) beside: Vec<Beside>,
    pub(super) candidates: Vec<Candidate>,
    pub(super) ignored: Vec<String>,
    pub(super) problem: Option<String>,
    pub(super) notes: Vec<String>,
}

/// How a drug question was resolved.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
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
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Candidate {
    /// Name, strength and form.
    pub name: String,
    /// Its products, hyphenated.
    pub product_ndcs: Vec<String>,
    /// What tells it from the other candidates, such as `XL, 24 hours`; `None` where the name says it.
    pub differs: Option<String>,
}

/// A drug beside the one that answers: its text leaves open what the question asks for, so it may be
/// meant where a plan lists it and not the other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Beside {
    pub(crate) packages: std::ops::Range<u32>,
    pub(crate) candidate: Candidate,
}

impl Dataset {
    pub(super) fn new_drug(&self, text: &str, resolution: Resolution) -> Drug {
        Drug::new(&self.inner.manifest.dataset, text, resolution)
    }
}

impl Drug {
    pub(super) fn new(dataset: &str, query: &str, resolution: Resolution) -> Self {
        Self {
            dataset: dataset.to_owned(),
            query: query.to_owned(),
            resolution,
            title: None,
            package: None,
            packages: Vec::new(),
            beside: Vec::new(),
            candidates: Vec::new(),
            ignored: Vec::new(),
            problem: None,
            notes: Vec::new(),
        }
    }

    pub(crate) fn of_line(dataset: &str, line: &LineRow) -> Self {
        Self { packages: line.range().collect(), ..Self::new(dataset, "", Resolution::Found) }
    }

    /// A question that cannot be read (digits that are no code), as an answer: one row of a table of
    /// several drugs must not take the others with it.
    #[must_use]
    pub fn not_understood(dataset: &Dataset, query: &str, error: &Error) -> Self {
        let problem = Some(error.to_string());
        Self { problem, ..Self::new(&dataset.manifest().dataset, query, Resolution::NotFound) }
    }

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

    /// Words of the question that played no part, such as directions (`once daily`).
    #[must_use]
    pub fn ignored(&self) -> &[String] {
        &self.ignored
    }

    /// How it was read, where it could have been read in another way.
    #[must_use]
    pub fn notes(&self) -> &[String] {
        &self.notes
    }

    /// Why the question could not be read, where it could not.
    #[must_use]
    pub fn problem(&self) -> Option<&str> {
        self.problem.as_deref()
    }

    /// Whether anything in the dataset has the code; a text is seen if it fits something.
    #[must_use]
    pub fn seen_anywhere(&self) -> bool {
        matches!(self.resolution, Resolution::Found | Resolution::Ambiguous)
    }

    /// The dataset that resolved it.
    pub(crate) fn dataset(&self) -> &str {
        &self.dataset
    }

    pub(crate) fn packages(&self) -> &[u32] {
        &self.packages
    }

    pub(crate) fn beside(&self) -> &[Beside] {
        &self.beside
    }

    /// Whether more than one package may be meant.
    pub(crate) fn is_group(&self) -> bool {
        self.package.is_none()
    }
}
