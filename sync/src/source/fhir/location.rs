//! Location: a place of practice.

use serde::Deserialize;

use super::accepting::accepting;
use super::address::of_place;
use super::contact::{ContactPoint, phones};
use super::datatypes::{Address, Extension, Meta, Reference};
use super::hours::{Opening, one_line};
use super::identity::optional_target;
use super::lenient::{Decimal, Many, One, Text, owned_elements};
use super::note::{Note, Notes};
use super::reading::{Contained, Reading};
use crate::model::{Content, Fact, Place, ResourceKind};
use crate::status;

/// `Location`.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Location<'a> {
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
    #[serde(borrow)]
    status: Text<'a>,
    #[serde(borrow)]
    name: Text<'a>,
    #[serde(borrow)]
    telecom: Many<ContactPoint<'a>>,
    #[serde(borrow)]
    address: Many<Address<'a>>,
    #[serde(borrow, rename = "partOf")]
    part_of: One<Reference<'a>>,
    #[serde(borrow, rename = "managingOrganization")]
    organization: One<Reference<'a>>,
    position: One<Position>,
    #[serde(borrow, rename = "hoursOfOperation")]
    hours: Many<Opening<'a>>,
    #[serde(borrow, rename = "availabilityExceptions")]
    exceptions: Text<'a>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Position {
    latitude: Decimal,
    longitude: Decimal,
}

owned_elements!(Position);

impl Location<'_> {
    pub(super) fn content(&self, at: &mut Reading<'_>) -> Content {
        let address = of_place(&self.address);
        Content::Fact(Fact::Place(Place {
            active: self.active(&mut at.notes),
            name: self.name.words(),
            address: address.map(|address| address.read(&mut at.notes)).unwrap_or_default(),
            part_of: optional_target(&self.part_of, ResourceKind::Place, at),
            organization: optional_target(&self.organization, ResourceKind::Organization, at),
            accepting: accepting(&self.extension, at),
            position: self.position(address),
            phones: phones(&self.telecom, at),
            hours: one_line(&self.hours, &Many::default(), &self.exceptions),
        }))
    }

    fn active(&self, notes: &mut Notes) -> Option<bool> {
        match status::code(self.status.get()?).as_ref() {
            "active" => Some(true),
            "inactive" | "suspended" | "entered-in-error" => Some(false),
            _ => {
                notes.add(Note::UnknownStatus);
                None
            }
        }
    }

    /// Its position; else that of its address (the core extension `geolocation`). As received: a
    /// swapped or zero position is for the builder to see.
    fn position(&self, address: Option<&Address<'_>>) -> Option<(f64, f64)> {
        let own = self.position.0.as_ref().and_then(|p| Some((p.latitude.as_f64()?, p.longitude.as_f64()?)));
        own.or_else(|| {
            let geolocation = address?.extension.iter().find(|e| e.is("geolocation"))?;
            let part = |name| geolocation.extension.iter().find(|part| part.is(name))?.decimal.as_f64();
            Some((part("latitude")?, part("longitude")?))
        })
    }
}
