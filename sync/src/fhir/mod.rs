//! The little of FHIR that fetching and building must read alike: pages, their entries, references, and
//! JSON as servers really write it.

pub(crate) mod json;
pub(crate) mod page;
