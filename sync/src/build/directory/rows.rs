//! Practice locations: the roles of each provider at each place.

use std::collections::HashMap;

use coverdex_core::lacks_too_many;
use coverdex_core::providers::layout::flag;
use rayon::prelude::*;

use crate::build::intern::Interner;
use crate::build::report::Report;
use crate::model::ResourceKind;

use super::collect::{NONE, RoleUse, Said};
use super::phones::{CodedPhones, PhoneLists};
use super::places::Places;
use super::providers::{Member, Providers};
use super::roles::{Saying, Sayings, says_closed};

/// A role at a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct RoleRow {
    pub(super) specialties: u32,
    pub(super) networks: u32,
    pub(super) state: u32,
    /// Number of its own phones and hours; [`NONE`]: it has none.
    pub(super) contact: u32,
}

/// How a role is reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Contact {
    /// Its own phones, but those of its place.
    pub(super) phones: CodedPhones,
    /// Number of its own hours; [`NONE`]: not stated.
    pub(super) hours: u32,
    /// Its organization's, where neither role nor place nor provider has one.
    pub(super) organization: CodedPhones,
}

impl Contact {
    const NONE: Self = Self { phones: CodedPhones(0), hours: NONE, organization: CodedPhones(0) };
}

/// A provider at a place.
#[derive(Clone, Copy, Debug)]
pub(super) struct Row {
    pub(super) provider: u32,
    /// Its place; [`NONE`]: not stated.
    pub(super) place: u32,
    /// Its first role; the last is before the next row's first.
    pub(super) roles: u32,
}

/// How many active roles name a network.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct NamedBy {
    /// Roles of providers that are there.
    pub(super) roles: u64,
    /// Roles whose provider did not come or was not understood: who they are of is not known.
    pub(super) lost: u64,
}

impl NamedBy {
    /// Why so many are lost that absence means nothing: by the rule that holds for drug lists.
    pub(super) fn gap(self) -> Option<String> {
        let of = self.roles + self.lost;
        lacks_too_many(self.lost, of)
            .then(|| format!("{} of the {of} active roles in it are of providers that are not there", self.lost))
    }
}

/// Practice locations in no order yet.
#[derive(Debug, Default)]
pub(super) struct Rows {
    pub(super) rows: Vec<Row>,
    pub(super) roles: Vec<RoleRow>,
    pub(super) contacts: Interner<Contact>,
    /// Further places of the same address: (row, place).
    pub(super) further: Vec<(u32, u32)>,
    /// By network.
    pub(super) named_by: Vec<NamedBy>,
    pub(super) without_place: u64,
    pub(super) lost_places: u64,
}

/// A role of one provider at one site.
#[derive(Clone, Copy)]
struct Entry {
    site: u32,
    place: u32,
    role: RoleRow,
}

impl Rows {
    pub(super) fn of(
        said: &Said,
        mut roles: Vec<RoleUse>,
        providers: &Providers,
        places: &Places,
        sayings: &mut Sayings<'_>,
        phones: &mut PhoneLists,
        report: &mut Report,
    ) -> Self {
        let mut rows = Self::default();
        roles.retain(|role| match provider_of(role, providers) {
            Ok(_) => {
                report.used(ResourceKind::PractitionerRole);
                true
            }
            Err(reason) => {
                report.of_no_use(ResourceKind::PractitionerRole, reason);
                let saying = sayings.saying(role);
                rows.count_active(&saying, 0, sayings, |named_by| &mut named_by.lost);
                false
            }
        });
        let owner = |role: &RoleUse| provider_of(role, providers).unwrap_or((NONE, false));
        roles.par_sort_unstable_by_key(|role| owner(role).0);
        let mut next = 0_u32;
        for of_provider in roles.chunk_by(|a, b| owner(a).0 == owner(b).0) {
            let Some((provider, _)) = of_provider.first().map(owner) else { continue };
            for without in next..provider {
                rows.add_without_role(without, providers, sayings);
            }
            next = provider.saturating_add(1);
            let mut entries = Vec::new();
            for role in of_provider {
                let flags = if owner(role).1 { flag::PROVIDER_INACTIVE } else { 0 };
                rows.enter(said, role, flags, (provider, providers), places, sayings, phones, &mut entries);
            }
            rows.add(provider, entries, sayings);
        }
        let count = u32::try_from(providers.rows.len()).unwrap_or(NONE);
        for without in next..count {
            rows.add_without_role(without, providers, sayings);
        }
        rows
    }

    /// One entry for each place of a role.
    #[allow(clippy::too_many_arguments, reason = "what a role is joined with")]
    fn enter(
        &mut self,
        said: &Said,
        role: &RoleUse,
        mut flags: u32,
        (provider, providers): (u32, &Providers),
        places: &Places,
        sayings: &mut Sayings<'_>,
        phones: &mut PhoneLists,
        entries: &mut Vec<Entry>,
    ) {
        let saying = sayings.saying(role);
        let stated = said.places_of(role);
        let name = || providers.rows.get(provider as usize).is_some_and(|row| says_closed(&row.name));
        if saying.ask_name && name() {
            flags |= flag::CLOSED_DOOR;
        }
        self.count_active(&saying, flags, sayings, |named_by| &mut named_by.roles);
        let known: Vec<(u32, bool)> = stated.iter().filter_map(|location| places.place(*location)).collect();
        let lost = stated.len() - known.len();
        self.lost_places += lost as u64;
        let mut sites: Vec<u32> =
            known.iter().filter_map(|(place, _)| places.rows.get(*place as usize)).map(|row| row.site).collect();
        sites.sort_unstable();
        sites.dedup();
        if sites.len() + lost > 1 {
            flags |= flag::SHARED;
        }
        if sites.is_empty() {
            self.without_place += 1;
            let nowhere_is_inactive = !known.is_empty() && known.iter().all(|(_, inactive)| *inactive);
            let flags = if nowhere_is_inactive { flags | flag::PLACE_INACTIVE } else { flags };
            let known = providers.rows.get(provider as usize).map(|row| row.phones).unwrap_or_default();
            let role = self.role_row((role, &saying), flags, known, sayings, phones);
            entries.push(Entry { site: NONE, place: NONE, role });
        }
        for (place, inactive) in known {
            let Some(row) = places.rows.get(place as usize) else { continue };
            let flags = if inactive { flags | flag::PLACE_INACTIVE } else { flags };
            let role = self.role_row((role, &saying), flags, row.phones, sayings, phones);
            entries.push(Entry { site: row.site, place, role });
        }
    }

    /// Counts a role, if it is active, for each network that it names.
    fn count_active(
        &mut self,
        saying: &Saying,
        flags: u32,
        sayings: &Sayings<'_>,
        count: impl Fn(&mut NamedBy) -> &mut u64,
    ) {
        if (sayings.flags(saying.state) | flags) & flag::INACTIVE != 0 {
            return;
        }
        for network in sayings.network_sets.value(saying.networks).into_iter().flatten() {
            let network = usize::from(*network);
            if self.named_by.len() <= network {
                self.named_by.resize(network + 1, NamedBy::default());
            }
            if let Some(named_by) = self.named_by.get_mut(network) {
                *count(named_by) += 1;
            }
        }
    }

    /// A provider's rows: one for each site, equal roles once, and roles that differ in networks
    /// alone united, which changes no pair of specialty and network.
    fn add(&mut self, provider: u32, mut entries: Vec<Entry>, sayings: &mut Sayings<'_>) {
        entries.sort_by_key(|entry| (entry.site, entry.place));
        for of_site in entries.chunk_by(|a, b| a.site == b.site) {
            let from = self.next_role();
            let mut at: HashMap<(u32, u32, u32), usize> = HashMap::new();
            for Entry { role, .. } in of_site {
                let key = (role.specialties, role.state, role.contact);
                if let Some(known) = at.get(&key).and_then(|index| self.roles.get_mut(*index)) {
                    known.networks = sayings.united(known.networks, role.networks);
                } else {
                    at.insert(key, self.roles.len());
                    self.roles.push(*role);
                }
            }
            let mut places: Vec<(usize, u32)> = of_site
                .chunk_by(|a, b| a.place == b.place)
                .filter_map(|of_place| Some((of_place.len(), of_place.first()?.place)))
                .collect();
            // The place that most roles name is the one that is shown; places are numbered by content.
            places.sort_by_key(|(roles, place)| (std::cmp::Reverse(*roles), *place));
            let mut places = places.into_iter().map(|(_, place)| place);
            let place = places.next().unwrap_or(NONE);
            let row = u32::try_from(self.rows.len()).unwrap_or(NONE);
            self.further.extend(places.map(|place| (row, place)));
            self.rows.push(Row { provider, place, roles: from });
        }
    }

    /// The row that stands for a provider whom no role names.
    fn add_without_role(&mut self, provider: u32, providers: &Providers, sayings: &mut Sayings<'_>) {
        let inactive = providers.rows.get(provider as usize).is_some_and(|row| row.inactive);
        let flags = flag::NO_ROLE | if inactive { flag::PROVIDER_INACTIVE } else { 0 };
        let state = super::roles::State { flags, ..super::roles::State::default() };
        let from = self.next_role();
        self.roles.push(RoleRow {
            specialties: sayings.specialty_sets.number(Vec::new()),
            networks: sayings.network_sets.number(Vec::new()),
            state: sayings.states.number(state),
            contact: NONE,
        });
        self.rows.push(Row { provider, place: NONE, roles: from });
    }

    fn next_role(&self) -> u32 {
        u32::try_from(self.roles.len()).unwrap_or(NONE)
    }

    fn role_row(
        &mut self,
        (role, saying): (&RoleUse, &Saying),
        flags: u32,
        known: CodedPhones,
        sayings: &mut Sayings<'_>,
        phones: &mut PhoneLists,
    ) -> RoleRow {
        let mut own = sayings.phones(role.phones);
        if !own.is_empty() {
            let known = phones.shown(known);
            own.retain(|phone| !known.contains(phone));
        }
        let contact = Contact { phones: phones.code(&own), hours: role.hours, organization: CodedPhones::default() };
        RoleRow {
            specialties: saying.specialties,
            networks: saying.networks,
            state: sayings.with_flags(saying.state, flags),
            contact: if contact == Contact::NONE { NONE } else { self.contacts.number(contact) },
        }
    }
}

/// The provider that a role is of, and whether its resource is marked inactive.
fn provider_of(role: &RoleUse, providers: &Providers) -> Result<(u32, bool), &'static str> {
    if role.individual != NONE {
        return providers.provider(Member::Individual(role.individual)).ok_or("its Practitioner is not there");
    }
    if role.organization != NONE {
        return providers.provider(Member::Organization(role.organization)).ok_or("its Organization is not there");
    }
    Err("names neither Practitioner nor Organization")
}
