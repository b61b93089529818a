//! Where an answer comes from.

use std::sync::Arc;

/// The dataset that gave an answer: every answer carries one. Cheap to clone.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Origin {
    of: Arc<Fields>,
}

#[derive(Debug, PartialEq, Eq, Hash)]
struct Fields {
    as_of: String,
    source: String,
    dataset: String,
}

impl Origin {
    pub(crate) fn new(as_of: &str, source: String, dataset: &str) -> Self {
        Self { of: Arc::new(Fields { as_of: as_of.to_owned(), source, dataset: dataset.to_owned() }) }
    }

    /// When the payer's data was read or last changed, RFC 3339 in UTC.
    #[must_use]
    pub fn as_of(&self) -> &str {
        &self.of.as_of
    }

    /// The source's name or kind.
    #[must_use]
    pub fn source(&self) -> &str {
        &self.of.source
    }

    /// The dataset's id.
    #[must_use]
    pub fn dataset(&self) -> &str {
        &self.of.dataset
    }
}
