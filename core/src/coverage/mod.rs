//! Is this drug covered by this plan, in which tier, with which restrictions.

mod answer;
mod ask;
mod formulary;
mod matrix;
mod words;

pub use answer::{Coverage, CoverageReason, CoverageStatus, PackageCoverage, Statement, Varies};
pub use ask::{AskedDrug, CoverageAnswer};
pub(crate) use formulary::{Formularies, Formulary, Term, TermStatus};
pub(crate) use matrix::MatrixColumns;
pub use matrix::{CoverageMatrix, MatrixPlan, MatrixQuestion};
