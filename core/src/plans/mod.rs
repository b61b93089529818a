//! Plans: who sells what to whom, in which year, with which networks and which formulary.

mod area;
mod chosen;
mod filter;
mod find;
mod found;

pub use crate::data::{DrugBenefit, Network, Plan};
pub(crate) use area::Area;
pub use area::{CountiesFound, CountyFound, Offered, PlansHere};
pub(crate) use chosen::{ChosenPlans, SIDE_BY_SIDE, WhichPlans};
pub use filter::PlanFilter;
pub use find::ResolvedPlan;
pub use found::{PlanHere, PlansFound};
