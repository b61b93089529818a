//! OrganizationAffiliation: what an organization does, where, in which networks.

use serde::Deserialize;

use super::accepting::accepting;
use super::contact::{ContactPoint, phones};
use super::datatypes::{CodeableConcept, Extension, Meta, Reference, type_codes};
use super::identity::{provider, targets};
use super::lenient::{Flag, Many, One, Text};
use super::network::Networks;
use super::period::Period;
use super::reading::{Contained, Reading};
use super::role::directory_types;
use super::specialty::specialties;
use crate::model::{Content, Fact, ResourceKind, Role};

/// `OrganizationAffiliation`.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct OrganizationAffiliation<'a> {
    #[serde(borrow, rename = "resourceType")]
    _resource_type: Text<'a>,
    #[serde(borrow)]
    pub(super) id: Text<'a>,
    #[serde(borrow)]
    pub(super) meta: One<Meta<'a>>,
    #[serde(borrow)]
    pub(super) contained: Contained<'a>,
    #[serde(borrow)]
    extension: Many<Extension<'a>>,
    active: Flag,
    #[serde(borrow)]
    period: One<Period<'a>>,
    #[serde(borrow)]
    organization: One<Reference<'a>>,
    #[serde(borrow, rename = "participatingOrganization")]
    participant: One<Reference<'a>>,
    #[serde(borrow)]
    network: Many<Reference<'a>>,
    #[serde(borrow)]
    code: Many<CodeableConcept<'a>>,
    #[serde(borrow)]
    specialty: Many<CodeableConcept<'a>>,
    #[serde(borrow)]
    location: Many<Reference<'a>>,
    #[serde(borrow, rename = "healthcareService")]
    service: Many<Reference<'a>>,
    #[serde(borrow)]
    telecom: Many<ContactPoint<'a>>,
}

impl OrganizationAffiliation<'_> {
    /// The role of the organization that takes part; where none is stated, of the one that the
    /// affiliation is with.
    pub(super) fn content(&self, at: &mut Reading<'_>) -> Content {
        let whose = if self.participant.0.is_some() { &self.participant } else { &self.organization };
        let organization = provider(whose, ResourceKind::Organization, at);
        if organization.is_none() {
            return if whose.0.is_some() {
                Content::Quarantined("its organization cannot be read".to_owned())
            } else {
                Content::OfNoUse("names no organization".to_owned())
            };
        }
        let mut networks = Networks::default();
        networks.push_all(&self.meta, &self.extension, &self.network, at);
        let networks = networks.finish(at);
        let mut directory_types = directory_types(&self.extension);
        directory_types.extend(type_codes(&self.code));
        directory_types.sort_unstable();
        directory_types.dedup();
        Content::Fact(Fact::Role(Role {
            active: self.active.noted(&mut at.notes),
            period: self.period.0.as_ref().map(|period| period.days(&mut at.notes)).unwrap_or_default(),
            individual: None,
            npi: None,
            organization,
            networks: networks.names,
            network_references: networks.references,
            unreadable_network: networks.incomplete,
            specialties: specialties(&self.specialty, at),
            places: targets(&self.location, ResourceKind::Place, at),
            services: targets(&self.service, ResourceKind::Service, at),
            directory_types,
            accepting: accepting(&self.extension, at),
            phones: phones(&self.telecom, at),
            hours: None,
        }))
    }
}
