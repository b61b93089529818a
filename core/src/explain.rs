//! What explanations are made of: conditions in their order, and the resources that say so.

/// One condition of an answer: what was asked of the data, what it says, whether that decided.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Condition {
    /// Its stable name, such as `drug_list`.
    pub name: String,
    /// The condition as a question: `Is it on the plan's drug list?`
    pub question: String,
    /// What the data says, in a sentence.
    pub says: String,
    /// Whether it holds; `None`: nobody can tell from the data.
    pub holds: Option<bool>,
    /// Whether it decided the answer.
    pub decided: bool,
    /// Single facts behind what it says, each a sentence.
    pub details: Vec<String>,
}

/// A resource of the payer that an answer rests on, so that an error can be reported to the payer. A dataset holds
/// no ids of resources: they are found in the files that it was built from.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub struct SourceResource {
    /// Its type: `MedicationKnowledge`, `List`, `PractitionerRole`, …
    pub resource_type: String,
    /// Its id; `None` for a resource without one.
    pub id: Option<String>,
    /// When the payer last changed it (`meta.lastUpdated`, RFC 3339 in UTC), where it says so.
    pub updated: Option<String>,
    /// What it says of the question, in words.
    pub says: String,
}

impl Condition {
    /// A condition that did not decide.
    #[must_use]
    pub fn new(name: &str, question: &str, says: impl Into<String>, holds: Option<bool>) -> Self {
        Self { name: name.to_owned(), question: question.to_owned(), says: says.into(), holds, ..Self::default() }
    }

    /// The same with the facts behind it.
    #[must_use]
    pub fn with_details(mut self, details: impl IntoIterator<Item = String>) -> Self {
        self.details.extend(details);
        self
    }
}

impl SourceResource {
    /// A resource by type and id, and what it says.
    #[must_use]
    pub fn new(resource_type: &str, id: Option<&str>, updated: Option<String>, says: impl Into<String>) -> Self {
        let (resource_type, id) = (resource_type.to_owned(), id.map(str::to_owned));
        Self { resource_type, id, updated, says: says.into() }
    }
}
