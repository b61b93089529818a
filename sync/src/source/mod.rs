//! From what a payer sends to the facts of [`model`](crate::model): one module for each kind of
//! source. Behind them nothing knows FHIR.

pub mod fhir;
pub mod folder;
pub mod stu1;

/// Staging, read as FHIR resources.
pub use stu1::reading as staging;
