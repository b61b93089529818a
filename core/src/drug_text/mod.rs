//! The typed drug text, used alike by builder and reader.
//!
//! text → `grammar` (items) → `line` (a payer's text) or `question` (what was typed), by the tables of
//! `words`; both are values of `strength`, `forms`, `release` and `identity`, and values are
//! compared, never texts.

mod fit;
mod forms;
mod grammar;
mod identity;
mod line;
#[cfg(feature = "build")]
mod merge;
mod question;
mod release;
mod strength;
mod terms;
mod words;

pub(crate) use fit::Fit;
pub(crate) use identity::{Identity, Ingredient};
pub use line::DrugText;
#[cfg(feature = "build")]
pub use line::package_form;
#[cfg(feature = "build")]
pub use merge::{Merged, merge};
pub(crate) use question::{Named, Question};
pub(crate) use strength::Strength;
#[cfg(feature = "build")]
pub(crate) use terms::release_words;
pub(crate) use terms::{SearchTerm, search_terms};
#[cfg(feature = "build")]
pub(crate) use terms::{indexed, strength_terms};
pub(crate) use words::{is_ester, is_free_base, is_metal};
#[cfg(feature = "build")]
pub(crate) use words::{said_for, short_words};

#[cfg(test)]
mod tests;
