//! Identifiers of the field, each a type of its own, parsed once at the door.

mod date;
pub(crate) mod ndc;
mod network;
mod npi;
mod place;
mod plan;
mod rxnorm;
pub(crate) mod spelling;

pub use date::Date;
pub use ndc::{Ndc11, NdcLayout, NdcQuery, ProductNdc};
#[cfg(feature = "build")]
pub use network::fold_system;
pub use network::{NetworkKey, NetworkKind};
pub use npi::Npi;
pub use place::{CountyFips, State, Zip5};
pub use plan::{Audience, Hios, MedicarePlan, PlanId, PlanQuery};
pub use rxnorm::Rxcui;

#[cfg(test)]
mod tests;

/// Digits of a text, or `None` where anything else than ASCII digits stands in it.
pub(crate) fn digits(text: &str) -> Option<u64> {
    if text.is_empty() || text.len() > 18 || !text.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    text.parse().ok()
}
