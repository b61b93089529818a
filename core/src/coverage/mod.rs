//! Is this drug covered by this plan, in which tier, with which restrictions.

mod answer;
mod ask;
mod covering;
mod explain;
mod formulary;
mod matrix;
mod options;
mod words;

pub use answer::{Coverage, CoverageReason, CoverageStatus, PackageCoverage, Statement, Varies};
pub use ask::{AskedDrug, CoverageAnswer};
pub use covering::{CoveringPlan, PlansCovering, StatusCount};
pub use explain::{CoverageExplanation, DrugCodes};
pub(crate) use formulary::{Formularies, Formulary, Term, TermStatus};
pub use matrix::{CoverageMatrix, MatrixPlan, MatrixQuestion};
pub use options::{Comparison, DrugIngredient, DrugOption, DrugOptions, OptionsQuestion};
