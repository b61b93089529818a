//! Plans: who sells what to whom, in which year, with which networks and which formulary.

mod area;
mod find;
mod found;
mod row;

pub(crate) use area::Area;
pub use area::{CountiesFound, CountyFound, Offered, PlansHere};
pub use find::{PlanFilter, ResolvedPlan};
pub use found::{PlanHere, PlansFound};
pub(crate) use row::Plans;
pub use row::{DrugBenefit, Network, Plan};
