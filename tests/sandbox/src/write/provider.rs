//! Practitioner and Organization: who provides, and what networks and groups are.

use super::{Ink, PLAN_NET, contact};
use crate::directory::OrganizationKind;
use crate::directory::people::{NpiShown, Provider, ProviderFacts};
use crate::payer::MadePayer;
use crate::quirks::Quirk;

const NPI_SYSTEM: &str = "http://hl7.org/fhir/sid/us-npi";

/// Writes Practitioner `number`.
pub(crate) fn practitioner(payer: &MadePayer, number: u64, id: &str, ink: &mut Ink<'_>) {
    let (individual, second) = payer.directory().practitioner(number);
    let facts = payer.directory().provider(Provider::Individual(individual));
    if second {
        ink.note(Quirk::PersonTwice);
    }
    ink.open("Practitioner", id, payer.shape().year).raw("}");
    directory_type(payer, "MedicalDental", ink);
    identifiers(payer, &facts, ink);
    active(facts.active, Quirk::ProviderInactive, ink);
    names(&facts, ink);
    match facts.phone {
        Some(phone) => contact::telecom(phone, 0, ink),
        None => ink.note(Quirk::TelecomMissing),
    }
    match facts.gender {
        Some(gender) => {
            ink.raw(",").field("gender", gender);
        }
        None => ink.note(Quirk::GenderMissing),
    }
    languages(&facts, ink);
    ink.raw("}");
}

/// Writes Organization `number`.
pub(crate) fn organization(payer: &MadePayer, number: u64, id: &str, ink: &mut Ink<'_>) {
    ink.open("Organization", id, payer.shape().year).raw("}");
    match payer.directory().organization(number) {
        OrganizationKind::Network(number) => {
            let Some(network) = payer.networks().get(number as usize) else { return };
            let system = payer.network_system(network);
            ink.raw(",\"identifier\":[{").field("system", &system).raw(",").field("value", &network.id);
            ink.raw("}],\"active\":true");
            organization_type("ntwk", ink);
            ink.raw(",").field("name", &network.label);
        }
        OrganizationKind::Group(number) => {
            ink.raw(",\"active\":true");
            organization_type("prvgrp", ink);
            let name = format!("Practice Group {}", 100 + number);
            ink.raw(",").field("name", &name);
        }
        OrganizationKind::Facility(number) => {
            let facts = payer.directory().provider(Provider::Facility(number));
            identifiers(payer, &facts, ink);
            active(facts.active, Quirk::ProviderInactive, ink);
            organization_type("fac", ink);
            ink.raw(",").field("name", &facts.name);
            if !facts.aliases.is_empty() {
                ink.note(Quirk::OrganizationAlias);
                ink.raw(",\"alias\":[");
                for (nth, alias) in facts.aliases.iter().enumerate() {
                    ink.raw(if nth > 0 { "," } else { "" }).text(alias);
                }
                ink.raw("]");
            }
            match facts.phone {
                Some(phone) => contact::telecom(phone, 0, ink),
                None => ink.note(Quirk::TelecomMissing),
            }
        }
    }
    ink.raw("}");
}

fn organization_type(code: &str, ink: &mut Ink<'_>) {
    ink.raw(",\"type\":[{\"coding\":[{\"system\":\"").raw(PLAN_NET).raw("/CodeSystem/OrgTypeCS\",");
    ink.field("code", code).raw("}]}]");
}

/// `,"extension":[DirectoryType]`, where it is stated.
fn directory_type(payer: &MadePayer, code: &str, ink: &mut Ink<'_>) {
    if ink.hit(Quirk::DirectoryType) {
        ink.raw(",\"extension\":[");
        directory_type_extension(payer, code, ink);
        ink.raw("]");
    }
}

/// The DirectoryType extension itself.
pub(crate) fn directory_type_extension(payer: &MadePayer, code: &str, ink: &mut Ink<'_>) {
    let url = format!("{}/DirectoryType", payer.shape().glossary);
    ink.raw("{").field("url", &url).raw(",\"valueCodeableConcept\":{\"coding\":[{").field("system", &url);
    ink.raw(",").field("code", code).raw("}]}}");
}

/// `,"active":…`, unless it is not stated.
pub(crate) fn active(active: Option<bool>, inactive: Quirk, ink: &mut Ink<'_>) {
    match active {
        None => ink.note(Quirk::ActiveMissing),
        Some(true) => {
            ink.raw(",\"active\":true");
        }
        Some(false) => {
            ink.note(inactive);
            ink.raw(",\"active\":false");
        }
    }
}

fn identifiers(payer: &MadePayer, facts: &ProviderFacts, ink: &mut Ink<'_>) {
    let shown: Vec<String> = match &facts.npi {
        NpiShown::Valid(npi) => vec![npi.to_string()],
        NpiShown::Both(a, b) => {
            ink.note(Quirk::NpiSeveral);
            vec![a.to_string(), b.to_string()]
        }
        NpiShown::Missing => {
            ink.note(Quirk::NpiMissing);
            Vec::new()
        }
        NpiShown::Invalid(text) => {
            ink.note(Quirk::NpiInvalid);
            vec![text.clone()]
        }
    };
    let junk = ink.hit(Quirk::JunkIdentifier);
    if shown.is_empty() && !junk {
        return;
    }
    ink.raw(",\"identifier\":[");
    let mut first = true;
    if junk {
        first = false;
        ink.raw("{\"system\":\"").raw(&payer.shape().glossary).raw("/ProviderId\",\"value\":\"undefined\"}");
    }
    for (nth, npi) in shown.iter().enumerate() {
        if !std::mem::take(&mut first) {
            ink.raw(",");
        }
        if ink.hit_at(Quirk::NpiByType, nth as u64) {
            ink.raw("{\"type\":{\"coding\":[{\"system\":\"http://terminology.hl7.org/CodeSystem/v2-0203\",\"code\":\"NPI\"}]},");
        } else {
            ink.raw("{").field("system", NPI_SYSTEM).raw(",");
        }
        ink.field("value", npi).raw("}");
    }
    ink.raw("]");
}

fn names(facts: &ProviderFacts, ink: &mut Ink<'_>) {
    ink.raw(",\"name\":[");
    if ink.hit(Quirk::FormerName) {
        ink.raw("{\"use\":\"old\",\"text\":\"Formerly Otherwise\",\"family\":\"Otherwise\",\"given\":[\"Formerly\"],");
        ink.raw("\"period\":{\"end\":\"2015-06-30\"}},");
    }
    ink.raw("{");
    if ink.draw(501).hits(400_000) {
        ink.raw("\"use\":\"official\",");
    }
    ink.field("text", &facts.name);
    match &facts.person {
        Some(name) if !ink.hit(Quirk::NameTextOnly) => {
            ink.raw(",").field("family", &name.family).raw(",\"given\":[").text(name.given);
            if let Some(middle) = name.middle {
                let mut letter = [0; 4];
                ink.raw(",").text(middle.encode_utf8(&mut letter));
            }
            ink.raw("]");
            if ink.draw(502).hits(200_000) {
                ink.raw(",\"prefix\":[\"Dr.\"]");
            }
        }
        _ => {}
    }
    ink.raw("}]");
}

fn languages(facts: &ProviderFacts, ink: &mut Ink<'_>) {
    if facts.languages.is_empty() {
        return;
    }
    ink.raw(",\"communication\":[");
    for (nth, language) in facts.languages.iter().enumerate() {
        ink.raw(if nth > 0 { ",{\"coding\":[{" } else { "{\"coding\":[{" });
        if ink.hit_at(Quirk::LanguageAsCode, nth as u64) {
            ink.raw("\"system\":\"urn:ietf:bcp:47\",").field("code", language_code(language));
        } else {
            ink.field("display", language);
        }
        ink.raw("}]}");
    }
    ink.raw("]");
}

fn language_code(name: &str) -> &'static str {
    match name {
        "Spanish" => "es",
        "Chinese" => "zh",
        "Hindi" => "hi",
        "Arabic" => "ar",
        "French" => "fr",
        "Vietnamese" => "vi",
        _ => "en",
    }
}
