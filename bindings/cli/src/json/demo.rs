//! `coverdex demo --json`.

use serde::Serialize;

use coverdex_core::CoverageAnswer;

/// What the demo did and answered.
#[derive(Debug, Serialize)]
pub(crate) struct DemoDocument<'a> {
    pub(crate) store: String,
    pub(crate) resources: u64,
    pub(crate) requests: u64,
    pub(crate) bytes: u64,
    pub(crate) seconds_syncing: f64,
    pub(crate) seconds_building: f64,
    pub(crate) county: String,
    pub(crate) answers: Vec<&'a CoverageAnswer>,
    pub(crate) standings: Vec<StandingFields>,
    pub(crate) next_year: Option<NextYearFields>,
    /// As `coverdex providers --json`.
    pub(crate) providers: &'a serde_json::Value,
    pub(crate) next: &'a [String],
}

#[derive(Debug, Serialize)]
pub(crate) struct StandingFields {
    pub(crate) npi: String,
    pub(crate) name: String,
    pub(crate) plan: String,
    pub(crate) network_status: &'static str,
}

#[derive(Debug, Serialize)]
pub(crate) struct NextYearFields {
    pub(crate) plan: String,
    pub(crate) next: String,
    pub(crate) changes: Vec<ChangeFields>,
}

#[derive(Debug, Serialize)]
pub(crate) struct ChangeFields {
    pub(crate) query: String,
    pub(crate) this_year: String,
    pub(crate) next_year: String,
}
