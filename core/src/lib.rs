//! Reading and answering: the one definition of Coverdex's identifiers, text folding and dataset
//! format, and the questions asked of a dataset. No network, no async, no writing: this is what a
//! phone links.

mod error;
pub mod fold;
pub mod geo;
pub mod ids;
pub mod phone;

pub use error::{Error, ErrorKind, Result};
