//! The little of FHIR that fetching and building must read alike: Bundles and their entries, references,
//! OperationOutcomes, and JSON as servers really write it.

pub(crate) mod bundle;
pub(crate) mod duplicates;
pub(crate) mod json;
pub(crate) mod outcome;
pub(crate) mod page;
pub(crate) mod reference;
