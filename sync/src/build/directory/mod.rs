//! The directory half of a dataset: providers, places, roles and networks.
//!
//! Facts come in any order ([`Collector`]); then resources are folded into providers and places,
//! roles are joined with both, everything is numbered by content, and written.

mod collect;
mod folding;
mod ink;
mod lists;
mod networks;
mod number;
mod pack;
mod phones;
mod places;
mod providers;
mod roles;
mod rows;
#[cfg(test)]
mod tests;
mod write;

use std::path::Path;

use coverdex_core::ids::NetworkKey;
use coverdex_core::{Result, lacks_too_many};

pub(crate) use collect::Collector;

use super::missing::ByKey;
use super::report::Report;
use crate::geography::Gazetteer;
use crate::model::{Day, ResourceKind};

use collect::{NONE, Resources, RoleUse, Said};
use networks::Networks;
use number::Numbered;
use phones::PhoneLists;
use places::Places;
use providers::{Member, Providers};
use roles::Sayings;
use rows::Rows;

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

/// Writes the directory part into a dataset's folder. `None`: nothing of a directory was received, and
/// nothing is written.
pub(crate) fn build(
    collector: Collector,
    around: &Around<'_>,
    folder: &Path,
    report: &mut Report,
) -> Result<Option<Built>> {
    let Around { gazetteer, gaps, today } = *around;
    let mut said = collector.into_said();
    let roles = said.roles(report)?;
    if roles.is_empty() && said.individuals.len() == 0 && said.organizations.len() == 0 && said.places.len() == 0 {
        return Ok(None);
    }
    let named = Named::by(&said, &roles);
    let networks = Networks::of(&said)?;
    let mut phones = PhoneLists::default();
    let providers = Providers::of(&said, &networks, today, |member| named.member(member), &mut phones, report)?;
    // Freed as soon as they are folded: there may be millions.
    (said.individuals, said.organizations) = Default::default();
    let places = Places::of(&said, gazetteer, &named.places, &mut phones, report)?;
    said.places = Resources::default();
    drop(named);
    let mut sayings = Sayings::of(&said, &networks);
    let rows = Rows::of(&said, roles, &providers, &places, &mut sayings, &mut phones, report);
    let named_by = rows.named_by.clone();
    let (without_place, lost_places) = (rows.without_place, rows.lost_places);
    let mut numbered = Numbered::of(&providers, &places, rows, &sayings);
    sort_roles(&mut numbered, &sayings, &phones);
    write::Directory {
        numbered: &numbered,
        providers: &providers,
        places: &places,
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
    counts.extend([("roles_without_place", without_place), ("role_places_not_there", lost_places)]);
    Ok(Some(Built { counts, repeats: said.repeats }))
}

/// Why so many roles could not be understood that absence from any network means nothing.
fn unread(report: &Report) -> Option<String> {
    let roles = report.of(ResourceKind::PractitionerRole);
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
            let contact =
                contacts.value(role.contact).map(|(phones, hours)| (code(*phones), sayings.hours().value(*hours)));
            (role.specialties, role.networks, role.state, contact)
        });
    }
}

/// Which resources roles name: an organization as a provider only where the role names no
/// individual.
struct Named {
    individuals: Vec<bool>,
    organizations: Vec<bool>,
    places: Vec<bool>,
}

impl Named {
    fn by(said: &Said, roles: &[RoleUse]) -> Self {
        let mut named = Self {
            individuals: vec![false; said.individuals.len()],
            organizations: vec![false; said.organizations.len()],
            places: vec![false; said.places.len()],
        };
        let mark = |all: &mut Vec<bool>, number: u32| {
            if let Some(named) = all.get_mut(number as usize) {
                *named = true;
            }
        };
        for role in roles {
            if role.individual == NONE {
                mark(&mut named.organizations, role.organization);
            } else {
                mark(&mut named.individuals, role.individual);
            }
            for place in said.places_of(role) {
                mark(&mut named.places, place);
            }
        }
        named
    }

    fn member(&self, member: Member) -> bool {
        let (all, number) = match member {
            Member::Individual(number) => (&self.individuals, number),
            Member::Organization(number) => (&self.organizations, number),
        };
        all.get(number as usize) == Some(&true)
    }
}
