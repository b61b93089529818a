//! Where an answer comes from.

use std::sync::Arc;

use crate::format::{DIRECTORY_PART, DRUGS_PART, Manifest};

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

/// The origins of a dataset's answers: parts may be of different times.
#[derive(Debug)]
pub(crate) struct Origins {
    /// Of what is not of one part.
    pub(crate) all: Origin,
    pub(crate) drugs: Origin,
    pub(crate) directory: Origin,
}

impl Origins {
    pub(crate) fn of(manifest: &Manifest) -> Self {
        let names: Vec<&str> = manifest.sources.iter().map(|s| s.name.as_deref().unwrap_or(&s.kind)).collect();
        let all = Origin::new(&manifest.as_of, names.join(", "), &manifest.dataset);
        let of = |part| match manifest.as_of(part) {
            as_of if as_of == manifest.as_of => all.clone(),
            as_of => Origin::new(as_of, all.source().to_owned(), &manifest.dataset),
        };
        Self { drugs: of(DRUGS_PART), directory: of(DIRECTORY_PART), all }
    }
}

impl Origin {
    fn new(as_of: &str, source: String, dataset: &str) -> Self {
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
