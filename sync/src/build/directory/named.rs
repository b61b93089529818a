//! Which resources the roles name.

use super::collect::{NONE, Said};
use super::providers::Member;
use super::role_versions::RoleUse;

/// Which resources roles name: an organization as a provider only where the role names no
/// individual.
pub(super) struct Named {
    individuals: Vec<bool>,
    organizations: Vec<bool>,
    pub(super) places: Vec<bool>,
    /// Each organization that a role names as a provider with each place where it does, sorted.
    sites: Vec<(u32, u32)>,
}

impl Named {
    pub(super) fn by(said: &Said, roles: &[RoleUse]) -> Self {
        let mut named = Self {
            individuals: vec![false; said.individuals.len()],
            organizations: vec![false; said.organizations.len()],
            places: vec![false; said.places.len()],
            sites: Vec::new(),
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
                if role.individual == NONE && role.organization != NONE {
                    named.sites.push((role.organization, place));
                }
            }
        }
        named.sites.sort_unstable();
        named.sites.dedup();
        named
    }

    pub(super) fn member(&self, member: Member) -> bool {
        let (all, number) = match member {
            Member::Individual(number) => (&self.individuals, number),
            Member::Organization(number) => (&self.organizations, number),
        };
        all.get(number as usize) == Some(&true)
    }

    /// The places where roles name an organization as a provider, each beside its number.
    pub(super) fn sites(&self, member: Member) -> &[(u32, u32)] {
        let Member::Organization(number) = member else { return &[] };
        let from = self.sites.partition_point(|(organization, _)| *organization < number);
        let of = self.sites.get(from..).unwrap_or_default();
        of.get(..of.partition_point(|(organization, _)| *organization == number)).unwrap_or_default()
    }
}
