//! Is this drug covered by this plan, in which tier, with which restrictions.

mod answer;
mod formulary;
mod words;

pub(crate) use answer::{absence, judge};
pub use answer::{Coverage, CoverageReason, CoverageStatus, PackageCoverage, Statement, Varies};
pub(crate) use formulary::{Formularies, Formulary, Term, TermStatus};
