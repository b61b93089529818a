//! Is this drug covered by this plan, in which tier, with which restrictions.

mod answer;
mod formulary;

pub use answer::{Coverage, CoverageReason, CoverageStatus, PackageCoverage, Statement, Varies};
pub(crate) use formulary::{Formularies, Formulary, Term, TermStatus};
