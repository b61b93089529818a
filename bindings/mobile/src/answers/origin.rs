//! Where an answer comes from.

use coverdex_core as core;

use super::Cross;

/// The dataset that gave an answer.
#[derive(Clone, Debug, PartialEq, Eq, uniffi::Record)]
pub struct Origin {
    /// When the payer's data was read or last changed, RFC 3339 in UTC.
    pub as_of: String,
    /// The source's name or kind.
    pub source: String,
    /// The dataset's id.
    pub dataset: String,
}

impl From<core::Origin> for Origin {
    fn from(own: core::Origin) -> Self {
        Self { as_of: own.as_of().to_owned(), source: own.source().to_owned(), dataset: own.dataset().to_owned() }
    }
}

impl Cross<Origin> for core::Origin {
    fn cross(self) -> Origin {
        self.into()
    }
}
