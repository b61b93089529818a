//! OrganizationAffiliation and HealthcareService: what facilities do where, in which networks.

use super::{Ink, PLAN_NET, provider, role};
use crate::directory::OrganizationKind;
use crate::directory::people::Provider;
use crate::directory::roles::Role;
use crate::networks::NetworkUse;
use crate::payer::{MadePayer, ResourceType};
use crate::quirks::Quirk;

/// Writes OrganizationAffiliation `number`.
pub(crate) fn organization_affiliation(payer: &MadePayer, number: u64, id: &str, ink: &mut Ink<'_>) {
    let Some(affiliation) = payer.directory().affiliation(number) else { return };
    ink.note(Quirk::AffiliatedFacility);
    ink.open("OrganizationAffiliation", id, payer.shape().year).raw("}");
    provider::active(affiliation.role.active, Quirk::RoleInactive, ink);
    let groups = payer.directory().groups();
    if groups > 0 && number.is_multiple_of(3) {
        ink.raw(",\"organization\":{");
        role::reference(payer, OrganizationKind::Group(number % groups), ink);
        ink.raw("}");
    }
    facility(payer, "participatingOrganization", &affiliation.role, ink);
    ink.raw(",\"network\":[");
    for (nth, network) in affiliation.role.networks.iter().enumerate() {
        ink.raw(if nth > 0 { ",{" } else { "{" });
        role::reference(payer, OrganizationKind::Network(*network), ink);
        if let Some(network) = payer.networks().get(*network as usize) {
            ink.raw(",").field("display", &network.label);
        }
        ink.raw("}");
    }
    ink.raw("]");
    if !affiliation.by_service {
        role::specialties(&affiliation.role, ink);
        role::places(payer, &affiliation.role, ink);
    }
    ink.raw(",\"healthcareService\":[{\"reference\":\"HealthcareService/");
    payer.push_id(ResourceType::HealthcareService, true, number, ink.out);
    ink.raw("\"}]}");
}

/// Writes HealthcareService `number`.
pub(crate) fn healthcare_service(payer: &MadePayer, number: u64, id: &str, ink: &mut Ink<'_>) {
    let Some(affiliation) = payer.directory().affiliation(number) else { return };
    ink.note(Quirk::AffiliatedFacility);
    ink.open("HealthcareService", id, payer.shape().year).raw("},\"active\":true");
    facility(payer, "providedBy", &affiliation.role, ink);
    let first = affiliation.role.networks.first().and_then(|network| payer.networks().get(*network as usize));
    let category = match first.map_or(NetworkUse::Medical, |network| network.purpose) {
        NetworkUse::Pharmacy => "pharm",
        NetworkUse::Vision => "vis",
        NetworkUse::Medical => "outpat",
    };
    ink.raw(",\"category\":[{\"coding\":[{\"system\":\"").raw(PLAN_NET);
    ink.raw("/CodeSystem/HealthcareServiceCategoryCS\",").field("code", category).raw("}]}]");
    role::specialties(&affiliation.role, ink);
    role::places(payer, &affiliation.role, ink);
    ink.raw("}");
}

/// `,"…":{"reference":…}` to the facility.
fn facility(payer: &MadePayer, field: &str, role: &Role, ink: &mut Ink<'_>) {
    if let Provider::Facility(facility) = role.provider {
        ink.raw(",\"").raw(field).raw("\":{");
        role::reference(payer, OrganizationKind::Facility(facility), ink);
        ink.raw("}");
    }
}
