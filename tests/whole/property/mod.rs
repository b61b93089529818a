//! Properties: random payers against a naive reader, searches against each other.

mod coverage;
mod fold;
mod naive;
pub(crate) mod payers;
mod search;
