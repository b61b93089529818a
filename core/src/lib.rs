//! Reading and answering: the one definition of Coverdex's identifiers, text folding and dataset
//! format, and the questions asked of a dataset. No network, no async, no writing: this is what a
//! phone links.

mod coverage;
mod dataset;
mod drugs;
mod error;
pub mod fold;
pub mod format;
pub mod ids;
mod lazy;
mod plans;
mod tier;

pub use coverage::{Coverage, CoverageReason, CoverageStatus, PackageCoverage, Statement, Varies};
pub use dataset::{Dataset, Info, Interrupt, ResourceCount, Verified, verify};
pub use drugs::text::{DrugText, FormGroup, package_form};
pub use drugs::{Candidate, Drug, DrugLine, DrugSearch, Resolution};
pub use error::{Error, ErrorKind, Result};
pub use plans::{DrugBenefit, Network, Plan, PlanFilter, PlanRow, ResolvedPlan};
pub use tier::{Tier, TierLevel};

/// What the builder shares with the reader beside [`format`].
pub mod build {
    pub use crate::drugs::{encode_numbers, index_schema, line_terms};
}
