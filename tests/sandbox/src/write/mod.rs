//! Resources as JSON text.

mod drug;
mod ink;
mod insurance_plan;
mod list;

pub(crate) use drug::{medication, medication_knowledge};
pub(crate) use ink::Ink;
pub(crate) use insurance_plan::insurance_plan;
pub(crate) use list::list;
