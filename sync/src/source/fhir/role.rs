//! PractitionerRole: what a provider does, where, in which networks.

use serde::Deserialize;

use super::contact::{ContactPoint, phones};
use super::datatypes::{CodeableConcept, Extension, Meta, Reference};
use super::hours::{Opening, one_line};
use super::identity::{Bundled, target};
use super::lenient::{Flag, Many, One, Present, Text};
use super::network::{Networks, network_key};
use super::note::{Note, Notes};
use crate::model::{
    Accepting, AcceptingPatients, Content, Fact, NetworkClaim, Period, ResourceKind, Role, SourceId, Specialty,
};

/// `PractitionerRole`.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct PractitionerRole<'a> {
    #[serde(borrow, rename = "resourceType")]
    _resource_type: Text<'a>,
    #[serde(borrow)]
    pub(super) id: Text<'a>,
    #[serde(borrow)]
    pub(super) meta: One<Meta<'a>>,
    contained: Present,
    #[serde(borrow)]
    extension: Many<Extension<'a>>,
    active: Flag,
    #[serde(borrow)]
    practitioner: One<Reference<'a>>,
    #[serde(borrow)]
    organization: One<Reference<'a>>,
    /// Not in R4; some payers write what guides call `PractitionerRole.network`.
    #[serde(borrow)]
    network: Many<Reference<'a>>,
    #[serde(borrow)]
    specialty: Many<CodeableConcept<'a>>,
    #[serde(borrow)]
    location: Many<Reference<'a>>,
    #[serde(borrow)]
    telecom: Many<ContactPoint<'a>>,
    #[serde(borrow, rename = "availableTime")]
    available_time: Many<Opening<'a>>,
    #[serde(borrow, rename = "availabilityExceptions")]
    exceptions: Text<'a>,
}

impl PractitionerRole<'_> {
    pub(super) fn content(&self, bundled: &Bundled<'_>, notes: &mut Notes) -> Content {
        let of = |reference: &One<Reference<'_>>, kind| reference.0.as_ref().and_then(|r| target(r, kind, bundled));
        let individual = of(&self.practitioner, ResourceKind::Practitioner);
        let organization = of(&self.organization, ResourceKind::Organization);
        for (stated, read) in [(&self.practitioner, individual), (&self.organization, organization)] {
            if stated.0.is_some() && read.is_none() {
                notes.add(Note::UnreadableReference);
            }
        }
        if individual.is_none() && organization.is_none() {
            let silent = self.practitioner.0.is_none() && self.organization.0.is_none();
            return if silent {
                Content::OfNoUse("names neither a practitioner nor an organization".to_owned())
            } else {
                Content::Quarantined("its practitioner or organization cannot be read".to_owned())
            };
        }
        if self.contained.0 {
            notes.add(Note::UnreadContained);
        }
        let (networks, network_references) = self.networks(bundled, notes).finish();
        let named = |name| self.extension.iter().filter(move |extension| extension.is(name));
        let mut directory_types: Vec<String> =
            named("DirectoryType").flat_map(Extension::codes).map(str::to_owned).collect();
        directory_types.sort_unstable();
        directory_types.dedup();
        let mut accepting = Vec::new();
        for extension in named("newpatients") {
            read_accepting(extension, bundled, notes, &mut accepting);
        }
        accepting.sort_unstable();
        accepting.dedup();
        Content::Fact(Fact::Role(Role {
            active: self.active.noted(notes),
            period: Period::default(),
            unreadable_network: false,
            services: Vec::new(),
            individual,
            organization,
            networks,
            network_references,
            specialties: specialties(&self.specialty),
            places: self.places(bundled, notes),
            directory_types,
            accepting,
            phones: phones(&self.telecom),
            hours: one_line(&self.available_time, &self.exceptions),
        }))
    }

    /// By tag, by network-reference (identifier, Organization, or both), by a native property.
    fn networks(&self, bundled: &Bundled<'_>, notes: &mut Notes) -> Networks {
        let mut networks = Networks::default();
        for tag in self.meta.0.iter().flat_map(|meta| &meta.tag) {
            // A tag without a system or a code names nothing; tags need not be networks at all.
            if let Some(key) = network_key(&tag.system, &tag.code) {
                networks.push_key(Some(key), tag.display.words(), notes);
            }
        }
        for extension in self.extension.iter().filter(|extension| extension.is("network-reference")) {
            if let Some(reference) = &extension.reference.0 {
                networks.push_reference(reference, bundled, notes);
            } else if let Some(identifier) = &extension.identifier.0 {
                networks.push_key(network_key(&identifier.system, &identifier.value), None, notes);
            } else {
                notes.add(Note::UnreadableNetwork);
            }
        }
        for reference in &self.network {
            networks.push_reference(reference, bundled, notes);
        }
        networks
    }

    fn places(&self, bundled: &Bundled<'_>, notes: &mut Notes) -> Vec<SourceId> {
        let mut places = Vec::with_capacity(self.location.len());
        for reference in &self.location {
            match target(reference, ResourceKind::Location, bundled) {
                Some(place) => places.push(place),
                None => notes.add(Note::UnreadableReference),
            }
        }
        places.sort_unstable();
        places.dedup();
        places
    }
}

/// The guide's complex extension; also its value without the parts around it.
fn read_accepting(
    extension: &Extension<'_>,
    bundled: &Bundled<'_>,
    notes: &mut Notes,
    accepting: &mut Vec<AcceptingPatients>,
) {
    let part = |name| extension.extension.iter().find(move |part| part.is(name));
    let from_network = part("fromNetwork").and_then(|part| claim(part, bundled));
    let stated = part("acceptingPatients").unwrap_or(extension);
    let mut statuses: Vec<Accepting> = Vec::new();
    if let Some(flag) = stated.boolean.get() {
        statuses.push(if flag { Accepting::Yes } else { Accepting::No });
    }
    for code in stated.codes() {
        match accepting_code(code) {
            Some(status) => statuses.push(status),
            None => notes.add(Note::UnknownStatus),
        }
    }
    let patients = |status| AcceptingPatients { status, from_network: from_network.clone() };
    accepting.extend(statuses.into_iter().map(patients));
}

fn claim(extension: &Extension<'_>, bundled: &Bundled<'_>) -> Option<NetworkClaim> {
    let reference = extension.reference.0.as_deref();
    let identifier =
        reference.and_then(|reference| reference.identifier.0.as_ref()).or(extension.identifier.0.as_deref());
    identifier
        .and_then(|identifier| network_key(&identifier.system, &identifier.value))
        .map(NetworkClaim::Key)
        .or_else(|| target(reference?, ResourceKind::Organization, bundled).map(NetworkClaim::Reference))
}

/// Plan-Net's codes; `not` is what a checklist of CMS writes for `nopt`.
fn accepting_code(code: &str) -> Option<Accepting> {
    match code.to_ascii_lowercase().as_str() {
        "newpt" => Some(Accepting::Yes),
        "nopt" | "not" => Some(Accepting::No),
        "existptonly" => Some(Accepting::ExistingOnly),
        "existptfam" => Some(Accepting::ExistingAndFamily),
        _ => None,
    }
}

/// Every coding is one specialty, with its display or the concept's words; the words alone are one
/// too where no display says the same.
fn specialties(concepts: &Many<CodeableConcept<'_>>) -> Vec<Specialty> {
    let mut specialties = Vec::new();
    for concept in concepts {
        let words = concept.text.words();
        let mut said = false;
        for coding in &concept.coding {
            let taxonomy = coding.code.get().and_then(taxonomy);
            let display = coding.display.words().or_else(|| words.clone());
            let text = display.or_else(|| if taxonomy.is_none() { coding.code.words() } else { None });
            said |= text.is_some() && text == words;
            if text.is_some() || taxonomy.is_some() {
                specialties.push(Specialty { text, taxonomy });
            }
        }
        if words.is_some() && !said {
            specialties.push(Specialty { text: words, taxonomy: None });
        }
    }
    specialties.sort_unstable();
    specialties.dedup();
    specialties
}

/// A NUCC taxonomy code (nine letters or digits and an `X`), whatever its system is called.
fn taxonomy(code: &str) -> Option<String> {
    let code = code.to_ascii_uppercase();
    let shape = code.len() == 10
        && code.ends_with('X')
        && code.bytes().all(|b| b.is_ascii_alphanumeric())
        && code.bytes().any(|b| b.is_ascii_digit());
    shape.then_some(code)
}
