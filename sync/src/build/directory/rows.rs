//! Practice locations: the roles of each provider at each place.

use std::collections::HashMap;

use coverdex_core::Result;
use coverdex_core::build::lacks_too_many;
use coverdex_core::build::providers::layout::flag;
use coverdex_core::build::providers::says_closed;
use rayon::prelude::*;

use crate::build::intern::Interner;
use crate::build::report::Report;
use crate::doors::ByType;
use crate::model::{Day, OrganizationFacts, Standing};

use super::collect::{Came, NONE, RoleUse, Said};
use super::phones::{CodedPhones, PhoneLists, shown};
use super::places::Places;
use super::providers::{Inactivity, Member, Providers};
use super::roles::{More, Saying, Sayings};

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
    /// Its own phones, but those of its place; else those of its Location, where another of the same place
    /// is shown.
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

/// The phones of Organizations, by their numbers.
#[derive(Debug, Default)]
pub(super) struct OrganizationPhones(HashMap<u32, CodedPhones>);

impl OrganizationPhones {
    pub(super) fn of(said: &Said, today: Day, phones: &mut PhoneLists) -> Result<Self> {
        let mut all = HashMap::new();
        for number in (0..).take(said.organizations.len()) {
            if let Some(Came::Fact(facts)) = said.organizations.read::<OrganizationFacts>(number)? {
                let coded = phones.code(&shown(facts.phones.iter(), today));
                if coded != CodedPhones::default() {
                    all.insert(number, coded);
                }
            }
        }
        Ok(Self(all))
    }

    fn phones(&self, organization: u32) -> CodedPhones {
        self.0.get(&organization).copied().unwrap_or_default()
    }
}

/// What roles are joined with.
pub(super) struct Joined<'a> {
    pub(super) said: &'a Said,
    pub(super) providers: &'a Providers,
    pub(super) places: &'a Places,
    pub(super) organizations: &'a OrganizationPhones,
    /// The day by which periods are judged.
    pub(super) today: Day,
}

/// Rows in the making.
struct Join<'a, 's> {
    with: &'a Joined<'a>,
    sayings: &'a mut Sayings<'s>,
    phones: &'a mut PhoneLists,
    rows: Rows,
}

impl Rows {
    pub(super) fn of(
        with: &Joined<'_>,
        mut roles: Vec<RoleUse>,
        sayings: &mut Sayings<'_>,
        phones: &mut PhoneLists,
        report: &mut Report,
    ) -> Self {
        let providers = with.providers;
        let mut join = Join { with, sayings, phones, rows: Self::default() };
        roles.retain(|role| match provider_of(role, providers) {
            Ok(_) => {
                role.kind.into_iter().for_each(|kind| report.used(kind));
                true
            }
            Err(reason) => {
                role.kind.into_iter().for_each(|kind| report.of_no_use(kind, reason));
                let saying = join.sayings.saying(role);
                join.count_active(&saying, 0, |named_by| &mut named_by.lost);
                false
            }
        });
        let owner = |role: &RoleUse| provider_of(role, providers).map_or(NONE, |(provider, _)| provider);
        roles.par_sort_unstable_by_key(owner);
        let mut next = 0_u32;
        for of_provider in roles.chunk_by(|a, b| owner(a) == owner(b)) {
            let Some(provider) = of_provider.first().map(owner) else { continue };
            for without in next..provider {
                join.rows.add_without_role(without, providers, join.sayings);
            }
            next = provider.saturating_add(1);
            let mut entries = Vec::new();
            for role in of_provider {
                let member = provider_of(role, providers).ok().map(|(_, member)| member);
                // What the payer contradicts is neither active nor inactive.
                let member = member.filter(|member| !providers.is_contrary(*member));
                let inactivity = member.and_then(|member| providers.inactivity(member));
                let more = inactivity.map(inactive).unwrap_or_default();
                join.enter(role, with_standing(more, role, providers), provider, &mut entries);
            }
            join.rows.add(provider, entries, join.sayings, with.places);
        }
        let count = u32::try_from(providers.rows.len()).unwrap_or(NONE);
        for without in next..count {
            join.rows.add_without_role(without, providers, join.sayings);
        }
        join.rows
    }
}

impl Join<'_, '_> {
    /// One entry for each place of a role.
    fn enter(&mut self, role: &RoleUse, mut more: More, provider: u32, entries: &mut Vec<Entry>) {
        let Joined { said, providers, places, .. } = *self.with;
        let saying = self.sayings.saying(role);
        let stated = said.places_of(role);
        let named = providers.rows.get(provider as usize);
        let by_name = || named.is_some_and(|row| says_closed(&row.name));
        let by_type = named.and_then(|row| row.closed_by_type);
        if (saying.ask_name && (by_type.is_some() || by_name()))
            || (saying.ask_type && by_type == Some(ByType::Pharmacy))
        {
            more.flags |= flag::CLOSED_DOOR;
        }
        self.count_active(&saying, more.flags, |named_by| &mut named_by.roles);
        let place = |location: u32| {
            let (place, inactive) = places.place(location)?;
            // What the payer contradicts is neither active nor inactive.
            Some((location, (place, inactive && !places.is_contrary(location))))
        };
        let known: Vec<(u32, (u32, bool))> = stated.iter().filter_map(|location| place(*location)).collect();
        let lost = stated.len() - known.len();
        self.rows.lost_places += lost as u64;
        let mut sites: Vec<u32> =
            known.iter().filter_map(|(_, (place, _))| places.rows.get(*place as usize)).map(|row| row.site).collect();
        sites.sort_unstable();
        sites.dedup();
        // Locations that tell no place, such as one for virtual visits, are together the one that is not stated.
        let nowhere: Vec<(u32, bool)> = known
            .iter()
            .filter(|(_, (place, _))| *place == NONE)
            .map(|(location, (_, inactive))| (*location, *inactive))
            .collect();
        if sites.len() + lost + nowhere.len() > 1 {
            more.flags |= flag::SHARED;
        }
        self.rows.without_place += u64::from(sites.is_empty());
        if sites.is_empty() || !nowhere.is_empty() {
            let inactive = !nowhere.is_empty() && nowhere.iter().all(|(_, inactive)| *inactive);
            let flags = if inactive { more.flags | flag::PLACE_INACTIVE } else { more.flags };
            let mut nowhere: Vec<u32> = nowhere.into_iter().map(|(location, _)| location).collect();
            nowhere.sort_unstable_by_key(|location| said.places.source(*location));
            let role =
                self.role_row((role, &saying), More { flags, ..more }, provider, (&nowhere, CodedPhones::default()));
            entries.push(Entry { site: NONE, place: NONE, role });
        }
        for (location, (place, inactive)) in known {
            let Some(row) = places.rows.get(place as usize) else { continue };
            let flags = if inactive { more.flags | flag::PLACE_INACTIVE } else { more.flags };
            let more = More { flags, ..more };
            let role = self.role_row((role, &saying), more, provider, (&[location], row.phones));
            entries.push(Entry { site: row.site, place, role });
        }
    }

    /// A role at a Location, or at those that tell no place; its place has these phones.
    fn role_row(
        &mut self,
        (role, saying): (&RoleUse, &Saying),
        mut more: More,
        provider: u32,
        (locations, of_place): (&[u32], CodedPhones),
    ) -> RoleRow {
        let Joined { said, providers, places, organizations, today } = *self.with;
        if locations.iter().any(|location| places.is_contrary(*location)) {
            more.flags |= flag::CONTRARY;
        }
        let by_place = || locations.iter().filter_map(|location| places.said_by(*location));
        let accepting: Vec<_> = by_place().flat_map(|by_place| by_place.accepting.iter().cloned()).collect();
        if !accepting.is_empty() {
            more.accepting = self.sayings.statements(&accepting);
        }
        let mut own = self.sayings.phones(role.phones, today);
        for phone in by_place().flat_map(|by_place| &by_place.phones) {
            if !own.contains(phone) {
                own.push(phone.clone());
            }
        }
        let of_provider = providers.rows.get(provider as usize).map(|row| row.phones).unwrap_or_default();
        let mut organization = CodedPhones::default();
        if own.is_empty() && of_place == organization && of_provider == organization {
            let managers = by_place().filter_map(|by_place| by_place.organization);
            let managers = managers.filter_map(|source| said.organizations.find(said.resolve(source)));
            let mut asked =
                std::iter::once(role.organization).chain(managers).map(|number| organizations.phones(number));
            organization = asked.find(|phones| *phones != CodedPhones::default()).unwrap_or_default();
        } else if !own.is_empty() {
            let known = self.phones.shown(if locations.is_empty() { of_provider } else { of_place });
            own.retain(|phone| !known.contains(phone));
        }
        let contact = Contact { phones: self.phones.code(&own), hours: role.hours, organization };
        RoleRow {
            specialties: saying.specialties,
            networks: saying.networks,
            state: self.sayings.with(saying.state, more),
            contact: if contact == Contact::NONE { NONE } else { self.rows.contacts.number(contact) },
        }
    }

    /// Counts a role, if it is active, for each network that it names.
    fn count_active(&mut self, saying: &Saying, flags: u32, count: impl Fn(&mut NamedBy) -> &mut u64) {
        if (self.sayings.flags(saying.state) | flags) & (flag::INACTIVE | flag::CONTRARY) != 0 {
            return;
        }
        let named_by = &mut self.rows.named_by;
        for network in self.sayings.network_sets.value(saying.networks).into_iter().flatten() {
            let network = usize::from(*network);
            if named_by.len() <= network {
                named_by.resize(network + 1, NamedBy::default());
            }
            if let Some(named_by) = named_by.get_mut(network) {
                *count(named_by) += 1;
            }
        }
    }
}

impl Rows {
    /// A provider's rows: one for each site, equal roles once, and roles that differ in networks
    /// alone united, which changes no pair of specialty and network.
    fn add(&mut self, provider: u32, mut entries: Vec<Entry>, sayings: &mut Sayings<'_>, all_places: &Places) {
        entries.sort_by_key(|entry| (entry.site, entry.place));
        for of_site in entries.chunk_by(|a, b| a.site == b.site) {
            let mut places: Vec<(usize, u32)> = of_site
                .chunk_by(|a, b| a.place == b.place)
                .filter_map(|of_place| Some((of_place.len(), of_place.first()?.place)))
                .collect();
            // The place that most roles name is the one that is shown; places are numbered by content.
            places.sort_by_key(|(roles, place)| (std::cmp::Reverse(*roles), *place));
            let mut places = places.into_iter().map(|(_, place)| place);
            let place = places.next().unwrap_or(NONE);
            let from = self.next_role();
            let mut at: HashMap<(u32, u32, u32), usize> = HashMap::new();
            for entry in of_site {
                let role = RoleRow { contact: self.contact_at(entry, place, all_places), ..entry.role };
                let key = (role.specialties, role.state, role.contact);
                if let Some(known) = at.get(&key).and_then(|index| self.roles.get_mut(*index)) {
                    known.networks = sayings.united(known.networks, role.networks);
                } else {
                    at.insert(key, self.roles.len());
                    self.roles.push(role);
                }
            }
            let row = u32::try_from(self.rows.len()).unwrap_or(NONE);
            self.further.extend(places.map(|place| (row, place)));
            self.rows.push(Row { provider, place, roles: from });
        }
    }

    /// The contact of a role at a site where this place is shown.
    fn contact_at(&mut self, entry: &Entry, shown: u32, places: &Places) -> u32 {
        let phones = |place: u32| places.rows.get(place as usize).map(|row| row.phones).unwrap_or_default();
        let own = phones(entry.place);
        let contact = self.contacts.value(entry.role.contact).copied().unwrap_or(Contact::NONE);
        if own == phones(shown) || own == CodedPhones::default() || contact.phones != CodedPhones::default() {
            return entry.role.contact;
        }
        self.contacts.number(Contact { phones: own, ..contact })
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
}

/// What a role's period, and other versions of it or of its provider, add to its state.
fn with_standing(mut more: More, role: &RoleUse, providers: &Providers) -> More {
    match role.standing {
        Standing::Current => {}
        Standing::Ended(day) => {
            more.flags |= flag::ROLE_INACTIVE;
            more.role_day = Some(day);
        }
        Standing::NotBegun(day) => {
            more.flags |= flag::ROLE_INACTIVE | flag::ROLE_NOT_BEGUN;
            more.role_day = Some(day);
        }
    }
    let provider_is_contrary = provider_of(role, providers).is_ok_and(|(_, member)| providers.is_contrary(member));
    if role.contrary || provider_is_contrary {
        more.flags |= flag::CONTRARY;
    }
    if role.unreadable_network {
        more.flags |= flag::LOST_NETWORK;
    }
    more
}

/// The provider that a role is of, and the resource that says so.
fn provider_of(role: &RoleUse, providers: &Providers) -> std::result::Result<(u32, Member), &'static str> {
    let of = |member: Member, why| providers.provider(member).map(|provider| (provider, member)).ok_or(why);
    if role.individual != NONE {
        return of(Member::Individual(role.individual), "its Practitioner is not there");
    }
    if role.organization != NONE {
        return of(Member::Organization(role.organization), "its Organization is not there");
    }
    Err("names neither Practitioner nor Organization")
}

/// What it adds to a role that the provider's resource is inactive.
fn inactive(inactivity: Inactivity) -> More {
    let (begins, provider_day) = match inactivity.standing {
        Standing::Current => (0, None),
        Standing::Ended(day) => (0, Some(day)),
        Standing::NotBegun(day) => (flag::PROVIDER_NOT_BEGUN, Some(day)),
    };
    More { flags: flag::PROVIDER_INACTIVE | begins, provider_day, ..More::default() }
}
