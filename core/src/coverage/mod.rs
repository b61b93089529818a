//! Is this drug covered by this plan, in which tier, with which restrictions.

mod answer;
mod ask;
mod caveats;
mod comparison;
mod covering;
mod explain;
mod matrix;
mod restriction;
mod words;

pub use answer::{Coverage, CoverageReason, CoverageStatus, PackageCoverage, Statement, Varies};
#[cfg(feature = "tables")]
pub(crate) use answer::{absence, judge};
pub use ask::{AskedDrug, CoverageAnswer};
pub use caveats::{Caveat, Caveats};
pub use comparison::Comparison;
pub(crate) use comparison::{compare, covered_levels};
pub use covering::{CoveringPlan, PlansCovering, StatusCount};
pub use explain::{CoverageExplanation, DrugCodes};
pub use matrix::{CoverageMatrix, MatrixPlan, MatrixQuestion};
pub(crate) use restriction::DrugCounts;
pub use restriction::{Restriction, Restrictions};
