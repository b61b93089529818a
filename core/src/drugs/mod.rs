//! Drugs: what a text says, the catalogue of packages and lines, finding them, and what a question
//! means. Each of these knows only those before it: text → catalogue and index → find → resolve.

mod barcode;
mod by_code;
mod candidates;
mod catalogue;
mod code;
mod code_lines;
mod drug;
mod find;
mod index;
mod ingredients;
mod resolve;
pub(crate) mod text;

pub(crate) use catalogue::{Catalogue, check_hash, number, package_details, package_row, rxnorm_codes};
pub(crate) use ingredients::{Made, SameIngredients};
pub use catalogue::{NAME_BEGINS, encode_numbers};
pub use drug::{Candidate, Drug, Resolution};
pub use find::{DrugLine, DrugPage, DrugSearch};
pub use index::{LineTexts, index_schema, line_terms};
pub use ingredients::DrugDifference;
