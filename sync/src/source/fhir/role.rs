//! PractitionerRole: what a provider does, where, in which networks.

use serde::Deserialize;

use super::accepting::accepting;
use super::contact::{ContactPoint, phones};
use super::datatypes::{CodeableConcept, Extension, Meta, Reference, closed_doors};
use super::hours::{Absence, Opening, one_line};
use super::identity::{npi_beside, provider, targets};
use super::lenient::{Flag, Many, One, Text};
use super::network::Networks;
use super::period::Period;
use super::reading::{Contained, Reading};
use super::specialty::specialties;
use crate::model::{Content, Fact, ResourceKind, Role};

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
    #[serde(borrow)]
    pub(super) contained: Contained<'a>,
    #[serde(borrow)]
    extension: Many<Extension<'a>>,
    active: Flag,
    #[serde(borrow)]
    period: One<Period<'a>>,
    #[serde(borrow)]
    practitioner: One<Reference<'a>>,
    #[serde(borrow)]
    organization: One<Reference<'a>>,
    /// Not in R4; some payers write what guides call `PractitionerRole.network`.
    #[serde(borrow)]
    network: Many<Reference<'a>>,
    /// What it does: how a pharmacy serves may stand here.
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
    #[serde(borrow, rename = "availableTime")]
    available_time: Many<Opening<'a>>,
    #[serde(borrow, rename = "notAvailable")]
    not_available: Many<Absence<'a>>,
    #[serde(borrow, rename = "availabilityExceptions")]
    exceptions: Text<'a>,
}

impl PractitionerRole<'_> {
    pub(super) fn content(&self, at: &mut Reading<'_>) -> Content {
        let individual = provider(&self.practitioner, ResourceKind::Individual, at);
        let organization = provider(&self.organization, ResourceKind::Organization, at);
        let services = targets(&self.service, ResourceKind::Service, at);
        if individual.is_none() && organization.is_none() {
            if self.practitioner.0.is_some() || self.organization.0.is_some() {
                return Content::Quarantined("its practitioner or organization cannot be read".to_owned());
            }
            // A service may say whose it is.
            if services.is_empty() {
                return Content::OfNoUse("names neither a practitioner nor an organization".to_owned());
            }
        }
        let mut networks = Networks::default();
        networks.push_all(&self.meta, &self.extension, &self.network, at);
        let networks = networks.finish(at);
        let mut directory_types = directory_types(&self.extension);
        directory_types.extend(closed_doors(&self.code));
        directory_types.sort_unstable();
        directory_types.dedup();
        Content::Fact(Fact::Role(Role {
            active: self.active.noted(&mut at.notes),
            period: self.period.0.as_ref().map(|period| period.days(&mut at.notes)).unwrap_or_default(),
            individual,
            npi: self.practitioner.0.as_ref().and_then(npi_beside),
            organization,
            networks: networks.names,
            network_references: networks.references,
            unreadable_network: networks.incomplete,
            specialties: specialties(&self.specialty, at),
            places: targets(&self.location, ResourceKind::Place, at),
            services,
            directory_types,
            accepting: accepting(&self.extension, at),
            phones: phones(&self.telecom, at),
            hours: one_line(&self.available_time, &self.not_available, &self.exceptions),
        }))
    }
}

/// The codes of the extension `DirectoryType`, sorted, each once.
pub(super) fn directory_types(extensions: &Many<Extension<'_>>) -> Vec<String> {
    let named = extensions.iter().filter(|extension| extension.is("DirectoryType"));
    let mut types: Vec<String> = named.flat_map(Extension::codes).map(str::to_owned).collect();
    types.sort_unstable();
    types.dedup();
    types
}
