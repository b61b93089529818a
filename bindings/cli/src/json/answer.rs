//! `coverdex drug --json` and `coverdex plans --json`: core's answers of one or more datasets together.

use coverdex_core::{CountyFound, DrugPage, PlanHere};
use serde::Serialize;

/// What was found, best first.
#[derive(Debug, Serialize)]
pub(crate) struct DrugDocument<'a> {
    #[serde(flatten)]
    pub(crate) page: &'a DrugPage,
    /// The same for the plan's other years and, where no plan was given, for further datasets.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) also: Vec<&'a DrugPage>,
}

/// The plans that fit.
#[derive(Debug, Serialize)]
pub(crate) struct PlansDocument<'a> {
    pub(crate) results: Vec<&'a PlanHere>,
    /// Plans that may be sold there, nobody can tell; empty where no place was asked for.
    pub(crate) area_unknown: Vec<&'a PlanHere>,
    /// The counties that the place was read as; empty where none was asked for.
    pub(crate) place: &'a [CountyFound],
    /// How the place was read, for people.
    pub(crate) note: Option<&'a str>,
}
