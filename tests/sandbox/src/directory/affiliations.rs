//! Affiliations: what facilities do in which networks, as the directory guide states it for them.
//!
//! A facility with an affiliation has no role. Every second affiliation leaves specialties and places
//! to the service that it refers to.

use super::roles::{NetworkForm, Role};

/// An OrganizationAffiliation with its HealthcareService.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Affiliation {
    /// Number of its OrganizationAffiliation and of its HealthcareService.
    pub number: u64,
    /// What it says, as a role would say it.
    pub role: Role,
    /// Whether the service alone states specialties and places.
    pub by_service: bool,
}

/// The affiliation that says what a role would say, as far as affiliations can.
pub(super) fn affiliation(number: u64, role: Role) -> Affiliation {
    let role = Role {
        provider_is_missing: false,
        employer: None,
        form: NetworkForm::Reference,
        accepting: None,
        phone: None,
        ..role
    };
    Affiliation { number, role, by_service: number % 2 == 1 }
}
