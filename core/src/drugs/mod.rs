//! Drugs: the catalogue of packages and lines, finding them, and what a question means.

mod barcode;
mod by_code;
mod catalogue;
mod code;
mod query;
mod resolve;
mod search;
pub(crate) mod text;

pub use catalogue::encode_numbers;
pub(crate) use catalogue::{Catalogue, check_hash, number, package_details};
pub use resolve::{Candidate, Drug, Resolution};
pub use search::{DrugLine, DrugSearch, index_schema, line_terms};
