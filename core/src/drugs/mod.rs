//! What a drug question means: a code, or a text that names one drug; and the lines that fit what is typed.

mod barcode;
mod by_code;
mod candidates;
mod code;
mod code_lines;
mod codes;
mod drug;
mod ingredients;
mod ranked;
mod resolve;

pub(crate) use codes::Codes;
pub use drug::{Candidate, Drug, Resolution};
pub use ingredients::DrugDifference;
pub(crate) use ingredients::{Made, SameIngredients};
pub(crate) use ranked::Standing;
