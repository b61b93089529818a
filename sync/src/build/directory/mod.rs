//! The directory half of a dataset: providers, places, roles and networks.
//!
//! Facts come in any order ([`Collector`]); then resources are folded into providers and places,
//! roles are joined with both, everything is numbered by content, and written.

mod collect;
mod folding;
mod ink;
mod lists;
mod named;
mod networks;
mod number;
mod pack;
mod phones;
mod places;
mod providers;
mod resources;
mod role_versions;
mod roles;
mod rows;
mod servers;
mod services;
mod specialties;
#[cfg(test)]
mod tests;
mod unite;
mod write;

use std::path::Path;

use coverdex_core::NetworkKey;
use coverdex_core::Result;
use coverdex_core::build::lacks_too_many;
use coverdex_core::build::providers::layout::{ABROAD, NOWHERE, precision};

pub(crate) use collect::Collector;

use super::report::Report;
use crate::geography::Gazetteer;
use crate::model::{Day, ResourceKind, SourceId};
use crate::source::ByKey;

use collect::{Resources, Said};
use named::Named;
use networks::Networks;
use number::Numbered;
use phones::PhoneLists;
use places::{PlaceRow, Places};
use providers::Providers;
use roles::Sayings;
use rows::{Joined, OrganizationPhones, Rows};

/// What the directory is built with beside the resources.
#[derive(Clone, Copy)]
pub(crate) struct Around<'a> {
    /// Where places lie.
    pub(crate) gazetteer: &'a Gazetteer,
    /// Of which networks a part is missing, and why.
    pub(crate) gaps: &'a ByKey<NetworkKey, String>,
    /// The day, in UTC, on which the payer's data was read: periods are judged by it.
    pub(crate) today: Day,
}

/// What the directory half tells the manifest.
pub(crate) struct Built {
    /// Counts for the manifest.
    pub(crate) counts: Vec<(&'static str, u64)>,
    /// Other versions of resources that came too.
    pub(crate) repeats: u64,
}

/// What was said of the directory, with its networks: the plans' half asks them before the directory is
/// built.
pub(crate) struct Heard {
    said: Said,
    networks: Networks,
}

/// What plans refer to and other resources say.
#[derive(Clone, Copy)]
pub(crate) struct Elsewhere<'a>(&'a Heard);

impl Heard {
    pub(crate) fn of(collector: Collector) -> Result<Self> {
        let said = collector.into_said()?;
        let networks = Networks::of(&said)?;
        Ok(Self { said, networks })
    }

    /// Newest `meta.lastUpdated`, nanoseconds since 1970.
    pub(crate) const fn newest(&self) -> Option<i64> {
        self.said.newest
    }

    pub(crate) const fn elsewhere(&self) -> Elsewhere<'_> {
        Elsewhere(self)
    }
}

impl<'a> Elsewhere<'a> {
    /// The networks that a reference to an Organization leads to; `None`: it leads nowhere.
    pub(crate) fn networks(self, source: SourceId) -> Option<Vec<NetworkKey>> {
        self.0.networks.keys_of(source)
    }

    /// What the directory calls a network: the name of its Organization, where plans have no label.
    pub(crate) fn label(self, key: &NetworkKey) -> Option<&'a str> {
        self.0.networks.label(key)
    }
}

/// Writes the directory part into a dataset's folder. `None`: nothing of a directory was received, and
/// nothing is written.
pub(crate) fn build(heard: Heard, around: &Around<'_>, folder: &Path, report: &mut Report) -> Result<Option<Built>> {
    let Around { gazetteer, gaps, today } = *around;
    let Heard { mut said, networks } = heard;
    let mut roles = said.roles(today, &networks, report)?;
    said.fill_from_services(&mut roles, &networks, report)?;
    if roles.is_empty() && said.individuals.len() == 0 && said.organizations.len() == 0 && said.places.len() == 0 {
        return Ok(None);
    }
    let named = Named::by(&said, &roles);
    let mut phones = PhoneLists::default();
    let providers = Providers::of(&said, &networks, today, &named, &mut phones, report)?;
    let organizations = OrganizationPhones::of(&said, today, &mut phones)?;
    // Freed as soon as they are folded: there may be millions.
    said.individuals = Resources::default();
    let places = Places::of(&said, (gazetteer, today), &named.places, &mut phones, report)?;
    said.organizations.forget();
    said.places.forget();
    drop(named);
    let mut sayings = Sayings::of(&said, &networks);
    let with = Joined { said: &said, providers: &providers, places: &places, organizations: &organizations, today };
    let rows = Rows::of(&with, roles, &mut sayings, &mut phones, report);
    let named_by = rows.named_by.clone();
    let (without_place, lost_places) = (rows.without_place, rows.lost_places);
    let mut numbered = Numbered::of(&providers, &places, rows, &sayings);
    sort_roles(&mut numbered, &sayings, &phones);
    write::Directory {
        numbered: &numbered,
        providers: &providers,
        places: &places,
        gazetteer,
        networks: &networks,
        named_by: &named_by,
        unread: unread(report),
        gaps,
        sayings: &sayings,
        phones: &phones,
    }
    .write(folder)?;
    let counts = vec![
        ("providers", numbered.providers.len()),
        ("places", numbered.places.iter().flatten().count()),
        (
            "practice_locations",
            numbered
                .rows
                .iter()
                .filter(|row| numbered.places.get(row.place as usize).is_some_and(Option::is_some))
                .count(),
        ),
        ("directory_networks", networks.rows.len()),
        ("specialties", sayings.specialties.len()),
    ];
    let mut counts: Vec<(&'static str, u64)> = counts.into_iter().map(|(name, count)| (name, count as u64)).collect();
    counts.extend(places_by_precision(&numbered));
    counts.extend([("roles_without_place", without_place), ("role_places_not_there", lost_places)]);
    Ok(Some(Built { counts, repeats: said.repeats }))
}

/// How many of the places of rows are known how precisely, and of how many the ZIP contradicts the state.
fn places_by_precision(numbered: &Numbered<'_>) -> [(&'static str, u64); 7] {
    let count =
        |fits: fn(&PlaceRow) -> bool| numbered.places.iter().flatten().filter(|place| fits(place)).count() as u64;
    [
        ("places_by_point", count(|place| place.precision == precision::POINT)),
        ("places_by_zip", count(|place| place.precision == precision::ZIP)),
        ("places_by_county", count(|place| place.precision == precision::COUNTY)),
        ("places_by_state", count(|place| place.precision == precision::UNKNOWN && place.area < ABROAD)),
        ("places_unknown", count(|place| place.area == NOWHERE)),
        ("places_abroad", count(|place| place.area == ABROAD)),
        ("places_disputed", count(|place| place.disputed)),
    ]
}

/// Why so many roles could not be understood that absence from any network means nothing.
fn unread(report: &Report) -> Option<String> {
    let roles = report.of(ResourceKind::Role);
    let quarantined = roles.quarantined.values().sum();
    lacks_too_many(quarantined, roles.received)
        .then(|| format!("{quarantined} of {} roles could not be read", roles.received))
}

/// Sorts the roles of each row by what they say.
fn sort_roles(numbered: &mut Numbered<'_>, sayings: &Sayings<'_>, phones: &PhoneLists) {
    let (_, code) = phones.ordered();
    for row in 0..numbered.rows.len() {
        let (roles, contacts) = numbered.roles_of_mut(row);
        roles.sort_by_key(|role| {
            let contact = contacts
                .value(role.contact)
                .map(|of| (code(of.phones), sayings.hours().value(of.hours), code(of.organization)));
            (role.specialties, role.networks, role.state, contact)
        });
    }
}
