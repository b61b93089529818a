//! A payer's API as the Da Vinci drug formulary guide (STU1) and Plan-Net describe it: which queries it is
//! asked, what its resources refer to, what must exist, and how staging is read.

pub(crate) mod directory;
pub(crate) mod estimate;
pub(crate) mod formulary;
pub mod half;
pub(crate) mod plan;
pub mod reading;
pub(crate) mod report;
pub mod seen;
pub(crate) mod sync;
pub(crate) mod views;

/// The resource type that a query or a part of a report is about.
pub(crate) fn type_of(part: &str) -> &str {
    part.split(['?', '/', ' ']).next().unwrap_or_default()
}
