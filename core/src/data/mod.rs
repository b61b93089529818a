//! What a dataset holds, as it lies in its files: packages and lines, formularies, plans, the directory. Nothing
//! here knows what may be asked.

mod catalogue;
pub(crate) mod directory;
mod formulary;
mod line_index;
mod part;
mod plan;

pub(crate) use catalogue::{
    Catalogue, LineRow, line_row, line_title, package_details, package_row, rxnorm_codes, rxnorm_row,
};
#[cfg(feature = "build")]
pub use catalogue::{NAME_BEGINS, encode_numbers};
#[cfg(feature = "tables")]
pub(crate) use catalogue::{PackageRow, codes_of, package_of};
pub(crate) use formulary::{Formulary, Term, TermStatus};
pub(crate) use line_index::{Documents, DrugWords, intersect, intersect_all, union};
#[cfg(feature = "build")]
pub use line_index::{LineTexts, index_schema, line_terms};
pub(crate) use part::DirectoryPart;
pub(crate) use plan::Plans;
pub use plan::{DrugBenefit, Network, Plan};
