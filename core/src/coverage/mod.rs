//! Is this drug covered by this plan, in which tier, with which restrictions.

mod answer;
mod ask;
mod caveats;
mod matrix;
mod words;

pub use answer::{Coverage, CoverageReason, CoverageStatus, PackageCoverage, Statement, Varies};
pub(crate) use answer::{absence, judge};
pub use ask::{AskedDrug, CoverageAnswer};
pub use caveats::{Caveat, Caveats};
pub(crate) use matrix::MatrixColumns;
pub use matrix::{CoverageMatrix, MatrixPlan, MatrixQuestion};
