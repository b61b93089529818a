#![doc = include_str!("../README.md")]
#![allow(clippy::too_many_lines, reason = "what uniffi makes of a record with many fields is long")]

mod answers;
mod dataset;
mod failure;
mod ids;
mod questions;
mod store;

pub use answers::*;
pub use dataset::{Answer, CancelToken, NativeDataset, verify};
pub use failure::{Damage, Failure, Problem};
pub use ids::{CountyFips, Date, Ndc11, Npi, PageToken, PlanId, ProductNdc, Rxcui, State, Zip5};
pub use questions::{
    ComparisonQuestion, CoveringQuestion, DrugsQuestion, MatrixQuestion, NetworkMatrixQuestion, OptionsQuestion, Place,
    PlansQuestion, PracticingAtQuestion, ProviderQuestion, ProviderText, ProvidersQuestion, TakingQuestion,
};
pub use store::{install, remove_former, rollback};

uniffi::setup_scaffolding!();
