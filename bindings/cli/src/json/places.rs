//! `coverdex counties --json`.

use coverdex_core::CountyFound;
use serde::Serialize;

/// The counties that a text or a ZIP means.
#[derive(Debug, Serialize)]
pub(crate) struct CountiesDocument {
    pub(crate) results: Vec<CountyResult>,
}

#[derive(Clone, Debug, Serialize)]
pub(crate) struct CountyResult {
    fips: String,
    name: String,
    state: String,
    /// Share of the ZIP's people, 0 to 1; null for a text.
    share: Option<f64>,
}

impl From<&CountyFound> for CountyResult {
    fn from(found: &CountyFound) -> Self {
        Self {
            fips: found.county.fips.to_string(),
            name: found.county.name.clone(),
            state: found.county.state.to_string(),
            share: found.share,
        }
    }
}
