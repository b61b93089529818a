//! Resources as JSON text.

mod affiliation;
mod contact;
mod drug;
mod ink;
mod insurance_plan;
mod list;
mod location;
mod provider;
mod role;

pub(crate) use affiliation::{healthcare_service, organization_affiliation};
pub(crate) use drug::{medication, medication_knowledge};
pub(crate) use ink::Ink;
pub(crate) use insurance_plan::insurance_plan;
pub(crate) use list::list;
pub(crate) use location::location;
pub(crate) use provider::{organization, practitioner};
pub(crate) use role::practitioner_role;

/// Where Plan-Net's extensions and code systems live.
const PLAN_NET: &str = "http://hl7.org/fhir/us/davinci-pdex-plan-net";
