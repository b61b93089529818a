//! `coverdex counties --json`.

use coverdex_core::{CountiesFound, CountyFound};
use serde::Serialize;

/// The counties that a text or a ZIP means.
#[derive(Debug, Serialize)]
pub(crate) struct CountiesDocument {
    results: Vec<CountyResult>,
    /// The former county that was named: the results are the counties of today that it is in.
    former: Option<FormerResult>,
    /// How the text was read, for people.
    note: Option<String>,
}

#[derive(Debug, Serialize)]
struct FormerResult {
    fips: String,
    name: String,
    state: String,
    since: u16,
}

impl From<&CountiesFound> for CountiesDocument {
    fn from(found: &CountiesFound) -> Self {
        Self {
            results: found.counties.iter().map(CountyResult::from).collect(),
            former: found.former.as_ref().map(|former| FormerResult {
                fips: former.fips.to_string(),
                name: former.name.clone(),
                state: former.state.to_string(),
                since: former.since,
            }),
            note: found.note.clone(),
        }
    }
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
