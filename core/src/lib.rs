//! Reading and answering: the one definition of Coverdex's identifiers, text folding and dataset
//! format, and the questions asked of a dataset. No network, no async, no writing: this is what a
//! phone links.

mod coverage;
mod dataset;
mod drugs;
mod error;
pub mod fold;
pub mod format;
mod gaps;
pub mod geo;
pub mod ids;
mod lazy;
pub mod phone;
mod plans;
pub mod providers;
mod tier;
pub mod words;

pub use coverage::{Coverage, CoverageReason, CoverageStatus, PackageCoverage, Statement, Varies};
pub use dataset::{
    Dataset, FileSize, Info, Interrupt, ResourceCount, SizePart, Sizes, TableSize, TierCount, Verified, verify,
};
pub use drugs::text::{DrugText, package_form};
pub use drugs::{Candidate, Drug, DrugLine, DrugPage, DrugSearch, Resolution};
pub use error::{Damage, Error, ErrorKind, Result};
pub use gaps::lacks_too_many;
pub use plans::{
    CountiesFound, CountyFound, DrugBenefit, Network, Offered, Plan, PlanFilter, PlanRow, PlansHere, ResolvedPlan,
};
pub use tier::{Tier, TierLevel, TierStatus};

/// What the builder shares with the reader beside [`mod@format`].
pub mod build {
    pub use crate::drugs::text::{Merged, merge};
    pub use crate::drugs::{LineTexts, NAME_BEGINS, encode_numbers, index_schema, line_terms};
}
