//! Location: a place of practice.

use serde::Deserialize;

use super::contact::{ContactPoint, phones};
use super::datatypes::{Address, Meta};
use super::hours::{Opening, one_line};
use super::identity::Bundled;
use super::lenient::{Decimal, Many, One, Text, owned_elements};
use super::note::{Note, Notes};
use crate::model::{self, Content, Fact, Period, Place};
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
    status: Text<'a>,
    #[serde(borrow)]
    name: Text<'a>,
    #[serde(borrow)]
    telecom: Many<ContactPoint<'a>>,
    #[serde(borrow)]
    address: One<Address<'a>>,
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
    pub(super) fn content(&self, _: &Bundled<'_>, notes: &mut Notes) -> Content {
        let address = self.address.0.as_ref();
        let mut lines: Vec<String> =
            address.map(|address| address.line.iter().filter_map(Text::words).collect()).unwrap_or_default();
        if lines.is_empty() {
            lines.extend(address.and_then(|address| address.text.words()));
        }
        Content::Fact(Fact::Place(Place {
            active: self.active(notes),
            name: self.name.words(),
            address: model::Address {
                lines,
                city: address.and_then(|address| address.city.words()),
                state: address.and_then(|address| address.state.words()),
                zip: address.and_then(|address| address.postal_code.words()),
                district: address.and_then(|address| address.district.words()),
                period: Period::default(),
            },
            part_of: None,
            organization: None,
            accepting: Vec::new(),
            position: self.position(),
            phones: phones(&self.telecom),
            hours: one_line(&self.hours, &self.exceptions),
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
    fn position(&self) -> Option<(f64, f64)> {
        let own = self.position.0.as_ref().and_then(|p| Some((p.latitude.as_f64()?, p.longitude.as_f64()?)));
        own.or_else(|| {
            let geolocation = self.address.0.as_ref()?.extension.iter().find(|e| e.is("geolocation"))?;
            let part = |name| geolocation.extension.iter().find(|part| part.is(name))?.decimal.as_f64();
            Some((part("latitude")?, part("longitude")?))
        })
    }
}
