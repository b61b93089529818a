//! PractitionerRole: what a provider does where, in which networks.

use super::{Ink, PLAN_NET, contact, provider};
use crate::directory::OrganizationKind;
use crate::directory::people::Provider;
use crate::directory::roles::{Accepting, At, NetworkForm, Role};
use crate::directory::specialties::Spelling;
use crate::networks::{Network, NetworkUse};
use crate::payer::{MadePayer, ResourceType};
use crate::quirks::Quirk;

/// Writes PractitionerRole `number`.
pub(crate) fn practitioner_role(payer: &MadePayer, number: u64, id: &str, ink: &mut Ink<'_>) {
    let Some(role) = payer.directory().role(number) else { return };
    let networks: Vec<&Network> = role.networks.iter().filter_map(|n| payer.networks().get(*n as usize)).collect();
    ink.open("PractitionerRole", id, payer.shape().year);
    tags(payer, &role, &networks, ink);
    ink.raw("}");
    extensions(payer, &role, &networks, ink);
    provider::active(role.active, Quirk::RoleInactive, ink);
    who(payer, &role, ink);
    specialties(&role, ink);
    places(payer, &role, ink);
    if let Some(phone) = role.phone {
        ink.note(Quirk::RolePhone);
        contact::telecom(phone, 7, ink);
    }
    if ink.hit(Quirk::RoleHours) {
        contact::hours("availableTime", "availableStartTime", "availableEndTime", ink);
    }
    ink.raw("}");
}

fn system(payer: &MadePayer, network: &Network, nth: u64, ink: &mut Ink<'_>) -> String {
    let other = ink.hit_at(Quirk::NetworkSystemCase, nth);
    let system = if other { network.purpose.other_system() } else { network.purpose.system() };
    format!("{}/{system}", payer.shape().glossary)
}

/// `,"tag":[…]` inside the meta, if there is any.
fn tags(payer: &MadePayer, role: &Role, networks: &[&Network], ink: &mut Ink<'_>) {
    let glossary = &payer.shape().glossary;
    let tagged = matches!(role.form, NetworkForm::Tag | NetworkForm::Both);
    let mut first = true;
    let mut open = |ink: &mut Ink<'_>| {
        ink.raw(if std::mem::take(&mut first) { ",\"tag\":[{" } else { ",{" });
    };
    if ink.hit(Quirk::ForeignTag) {
        // A network that the role is not in, under a system that is no network's.
        if let Some(other) = payer.networks().iter().find(|n| !role.networks.contains(&n.number)) {
            open(ink);
            ink.field("system", &format!("{glossary}/ContractId")).raw(",").field("code", &other.id).raw("}");
        }
    }
    if tagged {
        for (nth, network) in networks.iter().enumerate() {
            open(ink);
            let system = system(payer, network, nth as u64, ink);
            ink.field("system", &system).raw(",").field("code", &network.id);
            if !ink.hit_at(Quirk::TagWithoutDisplay, nth as u64) {
                ink.raw(",").field("display", &network.label);
            }
            ink.raw("}");
        }
    }
    if ink.hit(Quirk::TagIsNoNetwork) {
        open(ink);
        ink.field("system", &format!("{glossary}/lastRefreshedOn")).raw(",\"code\":\"2026-02-20T21:53:23Z\"}");
    }
    if !first {
        ink.raw("]");
    }
}

fn extensions(payer: &MadePayer, role: &Role, networks: &[&Network], ink: &mut Ink<'_>) {
    let mut first = true;
    let mut open = |ink: &mut Ink<'_>| {
        ink.raw(if std::mem::take(&mut first) { ",\"extension\":[" } else { "," });
    };
    if ink.hit(Quirk::DirectoryType) {
        open(ink);
        let purpose = networks.first().map_or(NetworkUse::Medical, |n| n.purpose);
        let code = match purpose {
            NetworkUse::Pharmacy => "Pharmacy",
            NetworkUse::Vision => "Vision",
            NetworkUse::Medical => "MedicalDental",
        };
        provider::directory_type_extension(payer, code, ink);
    }
    if let Some((accepting, from)) = role.accepting {
        open(ink);
        new_patients(payer, accepting, from, ink);
    }
    let referred: &[&Network] = match role.form {
        NetworkForm::Tag => &[],
        NetworkForm::Reference => {
            ink.note(Quirk::NetworkByReference);
            networks
        }
        NetworkForm::Identifier => {
            ink.note(Quirk::NetworkByIdentifier);
            networks
        }
        NetworkForm::Both => {
            ink.note(Quirk::NetworkTwice);
            networks.get(..1).unwrap_or_default()
        }
    };
    for (nth, network) in referred.iter().enumerate() {
        open(ink);
        ink.raw("{\"url\":\"").raw(PLAN_NET).raw("/StructureDefinition/network-reference\",\"valueReference\":{");
        if role.form == NetworkForm::Identifier {
            let system = system(payer, network, 30 + nth as u64, ink);
            ink.raw("\"identifier\":{").field("system", &system).raw(",").field("value", &network.id).raw("}");
        } else {
            reference(payer, OrganizationKind::Network(network.number), ink);
        }
        ink.raw(",").field("display", &network.label).raw("}}");
    }
    if payer.directory().groups() > 0 && ink.hit(Quirk::ReferenceToGroup) {
        open(ink);
        ink.raw("{\"url\":\"").raw(PLAN_NET).raw("/StructureDefinition/network-reference\",\"valueReference\":{");
        let group = ink.draw(601).below(payer.directory().groups());
        reference(payer, OrganizationKind::Group(group), ink);
        ink.raw("}}");
    }
    if !first {
        ink.raw("]");
    }
}

/// `"reference":"Organization/…"`.
pub(crate) fn reference(payer: &MadePayer, organization: OrganizationKind, ink: &mut Ink<'_>) {
    ink.raw("\"reference\":\"Organization/");
    payer.push_id(ResourceType::Organization, true, payer.directory().organization_number(organization), ink.out);
    ink.raw("\"");
}

fn new_patients(payer: &MadePayer, accepting: Accepting, from: Option<u32>, ink: &mut Ink<'_>) {
    ink.note(Quirk::AcceptingStated);
    ink.raw("{\"url\":\"").raw(PLAN_NET).raw("/StructureDefinition/newpatients\",\"extension\":[");
    ink.raw("{\"url\":\"acceptingPatients\",\"valueCodeableConcept\":{\"coding\":[{\"system\":\"").raw(PLAN_NET);
    let code = if accepting == Accepting::No && ink.hit(Quirk::AcceptingCode) { "not" } else { accepting.code() };
    ink.raw("/CodeSystem/AcceptingPatientsCS\",").field("code", code).raw("}]}}");
    if let Some(network) = from {
        ink.note(Quirk::AcceptingFromNetwork);
        ink.raw(",{\"url\":\"fromNetwork\",\"valueReference\":{");
        reference(payer, OrganizationKind::Network(network), ink);
        ink.raw("}}");
    }
    ink.raw("]}");
}

fn who(payer: &MadePayer, role: &Role, ink: &mut Ink<'_>) {
    let directory = payer.directory();
    match role.provider {
        Provider::Individual(individual) => {
            let record = directory.second_record(individual).filter(|_| role.second_record).unwrap_or(individual);
            ink.raw(",\"practitioner\":{\"reference\":\"Practitioner/");
            if role.provider_is_missing {
                ink.note(Quirk::PersonDangling);
                payer.push_id(ResourceType::Practitioner, false, role.number, ink.out);
            } else {
                payer.push_id(ResourceType::Practitioner, true, record, ink.out);
            }
            ink.raw("\"}");
            if let Some(employer) = role.employer {
                ink.note(Quirk::RoleWithBoth);
                ink.raw(",\"organization\":{");
                reference(payer, OrganizationKind::Facility(employer), ink);
                ink.raw("}");
            }
        }
        Provider::Facility(facility) => {
            ink.raw(",\"organization\":{");
            if role.provider_is_missing {
                ink.note(Quirk::OrganizationDangling);
                ink.raw("\"reference\":\"Organization/");
                payer.push_id(ResourceType::Organization, false, role.number, ink.out);
                ink.raw("\"");
            } else {
                reference(payer, OrganizationKind::Facility(facility), ink);
            }
            ink.raw("}");
        }
    }
}

/// `,"specialty":[…]`, if there is any.
pub(crate) fn specialties(role: &Role, ink: &mut Ink<'_>) {
    if role.specialties.is_empty() {
        ink.note(Quirk::RoleWithoutSpecialty);
        return;
    }
    ink.raw(",\"specialty\":[");
    for (nth, stated) in role.specialties.iter().enumerate() {
        ink.raw(if nth > 0 { ",{" } else { "{" });
        if stated.spelling != Spelling::Usual {
            ink.note(Quirk::SpecialtySpelling);
        }
        // What merely looks alike has a code of its own, which is not known here.
        let taxonomy = stated.kind().filter(|_| stated.spelling != Spelling::Near).map(|kind| kind.taxonomy);
        match taxonomy {
            Some(code) if ink.hit_at(Quirk::SpecialtyAsCoding, nth as u64) => {
                ink.raw("\"coding\":[{\"system\":\"http://nucc.org/provider-taxonomy\",").field("code", code);
                ink.raw(",").field("display", stated.text).raw("}]");
            }
            _ => {
                ink.field("text", stated.text);
            }
        }
        ink.raw("}");
    }
    ink.raw("]");
}

/// `,"location":[…]`, if there is any.
pub(crate) fn places(payer: &MadePayer, role: &Role, ink: &mut Ink<'_>) {
    if role.places.is_empty() {
        ink.note(Quirk::RoleWithoutPlace);
        return;
    }
    ink.raw(",\"location\":[");
    for (nth, at) in role.places.iter().enumerate() {
        ink.raw(if nth > 0 { ",{\"reference\":\"" } else { "{\"reference\":\"" });
        if ink.hit_at(Quirk::ReferenceSpelling, nth as u64) {
            ink.raw(payer.base()).raw("/");
        }
        ink.raw("Location/");
        match at {
            At::Place(number) => payer.push_id(ResourceType::Location, true, *number, ink.out),
            At::Nowhere => {
                ink.note(Quirk::PlaceDangling);
                payer.push_id(ResourceType::Location, false, role.number, ink.out);
            }
        }
        ink.raw("\"}");
    }
    ink.raw("]");
}
