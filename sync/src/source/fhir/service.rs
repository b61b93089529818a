//! HealthcareService: a service that an organization provides at places.

use serde::Deserialize;

use super::accepting::accepting;
use super::contact::{ContactPoint, phones};
use super::datatypes::{CodeableConcept, Extension, Meta, Reference, type_codes};
use super::hours::{Absence, Opening, one_line};
use super::identity::{provider, targets};
use super::lenient::{Flag, Many, One, Text};
use super::network::Networks;
use super::reading::{Contained, Reading};
use super::specialty::specialties;
use crate::model::{Content, Fact, ResourceKind, ServiceFacts};

/// `HealthcareService`.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct HealthcareService<'a> {
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
    #[serde(borrow, rename = "providedBy")]
    provider: One<Reference<'a>>,
    /// Not in R4; some payers write it here as in roles.
    #[serde(borrow)]
    network: Many<Reference<'a>>,
    #[serde(borrow)]
    category: Many<CodeableConcept<'a>>,
    #[serde(borrow, rename = "type")]
    types: Many<CodeableConcept<'a>>,
    #[serde(borrow)]
    specialty: Many<CodeableConcept<'a>>,
    #[serde(borrow)]
    location: Many<Reference<'a>>,
    #[serde(borrow)]
    telecom: Many<ContactPoint<'a>>,
    #[serde(borrow, rename = "availableTime")]
    available_time: Many<Opening<'a>>,
    #[serde(borrow, rename = "notAvailable")]
    not_available: Many<Absence<'a>>,
    #[serde(borrow, rename = "availabilityExceptions")]
    exceptions: Text<'a>,
}

impl HealthcareService<'_> {
    pub(super) fn content(&self, at: &mut Reading<'_>) -> Content {
        let mut types = type_codes(&self.category);
        types.extend(type_codes(&self.types));
        types.sort_unstable();
        types.dedup();
        let mut networks = Networks::default();
        networks.push_all(&self.meta, &self.extension, &self.network, at);
        let networks = networks.finish(at);
        Content::Fact(Fact::Service(ServiceFacts {
            active: self.active.noted(&mut at.notes),
            organization: provider(&self.provider, ResourceKind::Organization, at),
            networks: networks.names,
            network_references: networks.references,
            unreadable_network: networks.incomplete,
            places: targets(&self.location, ResourceKind::Place, at),
            specialties: specialties(&self.specialty, at),
            types,
            accepting: accepting(&self.extension, at),
            phones: phones(&self.telecom, at),
            hours: one_line(&self.available_time, &self.not_available, &self.exceptions),
        }))
    }
}
