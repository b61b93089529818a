//! What the tests of the whole share: resources made by hand, datasets built of them, and the
//! `coverdex` command.
//!
//! Everything here panics where it cannot go on: it is for tests alone.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "tests alone use it"
)]
#![allow(clippy::missing_panics_doc, clippy::must_use_candidate, reason = "said once above")]

pub mod command;
pub mod dataset;
pub mod fhir;
pub mod questions;

pub use dataset::{Made, with_payer};
