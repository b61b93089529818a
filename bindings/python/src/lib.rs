//! The native half of the Python package `coverdex`: core's questions and answers as Python objects.
//! It translates and decides nothing.

#![allow(clippy::too_many_arguments, reason = "a keyword argument of Python is an argument of Rust")]
#![allow(
    clippy::doc_link_with_quotes,
    reason = "Python shows the documentation: examples stand in it as doctest reads them"
)]

mod answers;
mod calls;
mod dataset;
mod errors;
mod fork;
#[cfg(feature = "sync")]
mod jobs;
mod lists;
mod numbers;
mod package;
mod side_by_side;
mod sources;
mod table;
mod verbs;

use pyo3::prelude::*;

/// What the package re-exports.
#[pymodule]
mod _core {
    use pyo3::prelude::*;

    use crate::fork;

    #[pymodule_export]
    use crate::answers::{
        AskedDrug, Candidate, CountiesFound, County, Coverage, CoverageMatrix, DrugLine, DrugOptions, DrugPage,
        Explanation, Info, MatrixPlan, Network, NetworkMatrix, Package, Plan, PlanComparison, PlanCoverage,
        PlansCovering, PlansFound, PlansTaking, PracticeLocation, PracticingAt, Provider, ProviderExplanation,
        ProvidersFound, Role, Statement, Tier, Varies,
    };
    #[pymodule_export]
    use crate::dataset::{Cancel, Dataset, open};
    #[cfg(feature = "sync")]
    #[pymodule_export]
    use crate::jobs::{build, sync};
    #[pymodule_export]
    use crate::table::Table;

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        module.add("__version__", env!("CARGO_PKG_VERSION"))?;
        module.add("HAS_SYNC", cfg!(feature = "sync"))?;
        fork::watch(module.py())
    }
}
