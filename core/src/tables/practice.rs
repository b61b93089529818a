//! The table of practice locations, read from the directory's columns in their order.

use std::ops::Range;

use super::column::columns;
use super::{Batch, PracticeQuery, Rows, Table, filled};
use crate::data::directory::Directory;
use crate::data::directory::layout::flag;
use crate::data::directory::networks::Wanted;
use crate::dataset::Dataset;
use crate::format::packed::{Column, Damaged};
use crate::ids::NetworkKey;
use crate::providers::{Accepting, Inactive, Location, Provider, RoleDoubt, together};
use crate::{Error, Result};

columns! {
    Roles {
        npi: Text = "the smallest valid NPI; not stated where none is valid",
        stated_npi: Text = "what is stated for an NPI where none is valid",
        aliases: Texts = "further NPIs of the provider",
        name: Text = "the provider's name",
        kind: Text = "individual or organization",
        gender: Text = "gender as stated",
        languages: Texts = "languages as stated",
        specialties: Texts = "specialties of the role",
        networks: Texts = "keys of the role's networks, SYSTEM|ID; where networks are asked for, those of them",
        accepting_new_patients: Text = "yes, no, existing_only or existing_and_family; not stated, or contradictory",
        inactive: Texts = "what is marked inactive: role, provider, place",
        doubts: Texts = "what makes the role doubtful: contrary, lost_network",
        shared_role: Flag = "whether the role names several places: that all of it holds at each is not said by the payer",
        closed_door: Flag = "whether it is a mail, long-term care or infusion pharmacy",
        place_id: Text = "a hash of the folded address, the same in every dataset; not stated without a place",
        place_name: Text = "the place's name",
        address: Text = "the source's address lines joined by a blank",
        city: Text = "city",
        state: Text = "state",
        zip: Text = "ZIP, five digits",
        county_fips: Text = "the county's FIPS code",
        lat: Number = "latitude of the point that distances are measured to",
        lon: Number = "longitude of that point",
        precision: Text = "what the point is: point, zip, county, unknown; not stated without a place",
        phone: Text = "the phone to call: the role's, else the place's, the provider's, the organization's",
    }
}

/// The roles of a dataset's directory that fit, row by row.
struct AllRoles {
    dataset: Dataset,
    wanted: Wanted,
    /// Keys of all networks, by number.
    keys: Vec<String>,
    inactive: bool,
    /// Rows that are still to be read.
    rows: Range<u32>,
    /// Roles of the row read last that are still to be read.
    roles: Range<u32>,
    provider: Option<ReadProvider>,
    place: Option<ReadPlace>,
    /// Phones of the row's places.
    phones: Vec<String>,
}

struct ReadProvider {
    number: u32,
    npi: Option<String>,
    aliases: Vec<String>,
    facts: Provider,
    phones: Vec<String>,
}

struct ReadPlace {
    number: u32,
    id: Option<String>,
    location: Option<Location>,
    county: Option<String>,
    zip: Option<String>,
    phones: Vec<String>,
}

pub(super) fn table(dataset: &Dataset, query: &PracticeQuery) -> Result<Table> {
    let directory = dataset.inner.directory.get()?;
    let wanted = directory.networks.wanted(networks(dataset, query)?.as_deref(), None)?;
    let rows = match (&query.county, &query.state) {
        (Some(_), Some(_)) => {
            return Err(Error::invalid("place", "a county and a state were named: one of them says it all"));
        }
        (Some(county), None) => {
            let county = dataset.county(county)?.fips.number();
            directory.regions.find(county).map_or(0..0, |area| directory.regions.rows(area))
        }
        (None, Some(state)) => directory.regions.state(state.parse()?),
        (None, None) => 0..directory.rows.count,
    };
    let keys = directory.networks.all().map(|network| network.key.to_string()).collect();
    let rows = AllRoles {
        dataset: dataset.clone(),
        wanted,
        keys,
        inactive: query.inactive,
        rows,
        roles: 0..0,
        provider: None,
        place: None,
        phones: Vec::new(),
    };
    Ok(Table::new::<Roles>("practice_locations", rows))
}

/// The networks that are asked for; `None`: any, or none.
fn networks(dataset: &Dataset, query: &PracticeQuery) -> Result<Option<Vec<NetworkKey>>> {
    match (&query.plan, &query.network) {
        (Some(_), Some(_)) => {
            Err(Error::invalid("network", "a plan and a network were named: one of them says it all"))
        }
        (Some(plan), None) => {
            let resolved = dataset.resolve_plan(plan)?.into_iter().next();
            Ok(resolved.map(|resolved| resolved.plan.networks.into_iter().map(|network| network.key).collect()))
        }
        (None, Some(network)) => Ok(Some(vec![dataset.resolve_network(network)?.network.key])),
        (None, None) => Ok(None),
    }
}

impl ReadProvider {
    fn read(directory: &Directory, number: u32) -> Result<Self, Damaged> {
        let facts = directory.provider_facts(number)?;
        Ok(Self {
            number,
            npi: facts.npi.map(|npi| npi.to_string()),
            aliases: facts.aliases.iter().map(ToString::to_string).collect(),
            facts,
            phones: directory.phones(directory.providers.phone.wide(number)?)?,
        })
    }
}

impl ReadPlace {
    fn read(directory: &Directory, number: u32) -> Result<Self, Damaged> {
        let location = directory.location(number, Vec::new())?;
        Ok(Self {
            number,
            id: location.as_ref().map(Location::id),
            county: location.as_ref().and_then(|place| place.county).map(|county| county.to_string()),
            zip: location.as_ref().and_then(|place| place.zip).map(|zip| zip.to_string()),
            location,
            phones: directory.phones(directory.places.phone.wide(number)?)?,
        })
    }
}

impl AllRoles {
    /// Reads the next row that has roles, with its provider and its place; `None`: there is no more.
    fn next_row(&mut self, directory: &Directory) -> Result<Option<()>> {
        let Some(row) = self.rows.next() else { return Ok(None) };
        if row.is_multiple_of(256) {
            self.dataset.cancel.check()?;
        }
        self.roles = directory.error_if_damaged(directory.roles_of(row))?;
        let number = directory.error_if_damaged(directory.rows.provider.get(row))?;
        if self.provider.as_ref().is_none_or(|provider| provider.number != number) {
            self.provider = Some(directory.error_if_damaged(ReadProvider::read(directory, number))?);
        }
        let number = directory.error_if_damaged(directory.rows.place.run_of(row))?;
        if self.place.as_ref().is_none_or(|place| place.number != number) {
            self.place = Some(directory.error_if_damaged(ReadPlace::read(directory, number))?);
        }
        let phones = self.place.as_ref().map(|place| place.phones.as_slice()).unwrap_or_default();
        self.phones.clear();
        self.phones.extend_from_slice(phones);
        for (_, coded) in directory.error_if_damaged(directory.further_places(row))? {
            self.phones.extend(directory.error_if_damaged(directory.phones(coded))?);
        }
        Ok(Some(()))
    }

    /// The next role that fits, and its flags.
    fn next_role(&mut self, directory: &Directory) -> Result<Option<(u32, u32)>> {
        loop {
            let Some(role) = self.roles.next() else {
                if self.next_row(directory)?.is_none() {
                    return Ok(None);
                }
                continue;
            };
            let flags = directory.error_if_damaged(directory.flags(role))?;
            if flags & flag::NO_ROLE != 0 || (flags & flag::INACTIVE != 0 && !self.inactive) {
                continue;
            }
            let fits = match &self.wanted {
                Wanted::Any => Ok(true),
                wanted => {
                    let set = directory.roles.networks.get(role).and_then(|set| directory.networks.set(set));
                    set.map(|set| wanted.fits(set, flags))
                }
            };
            if directory.error_if_damaged(fits)? {
                return Ok(Some((role, flags)));
            }
        }
    }

    fn add(&self, directory: &Directory, columns: &mut Roles, role: u32, flags: u32) -> Result<()> {
        let (Some(provider), Some(place)) = (&self.provider, &self.place) else { return Err(directory.damaged()) };
        let set = |of: &Column| directory.error_if_damaged(of.get(role));
        columns.npi.push_some(provider.npi.as_deref())?;
        columns.stated_npi.push_some(provider.facts.stated_npi.as_deref())?;
        columns.aliases.push(&provider.aliases)?;
        columns.name.push(&provider.facts.name)?;
        columns.kind.push(provider.facts.kind.as_str())?;
        columns.gender.push_some(provider.facts.gender.as_deref())?;
        columns.languages.push(&provider.facts.languages)?;
        let specialties =
            directory.error_if_damaged(directory.specialties.members(set(&directory.roles.specialties)?))?;
        let specialties = specialties.map(|number| directory.specialties.shown(number)).collect::<Result<Vec<_>, _>>();
        columns.specialties.push(directory.error_if_damaged(specialties)?)?;
        let networks = directory.error_if_damaged(directory.networks.members(set(&directory.roles.networks)?))?;
        let shown = networks.filter(|number| self.wanted.has(*number, flags));
        columns.networks.push(shown.filter_map(|number| self.keys.get(number)))?;
        let said =
            directory.error_if_damaged(directory.accepting_in(role, |network| self.wanted.has(network, flags)))?;
        let accepting = together(&self.wanted, &said).and_then(Accepting::of);
        columns.accepting_new_patients.push_some(accepting.map(Accepting::as_str))?;
        columns.inactive.push(Inactive::of(flags).into_iter().map(Inactive::as_str))?;
        columns.doubts.push(RoleDoubt::of(flags).into_iter().map(RoleDoubt::as_str))?;
        columns.shared_role.push(Some(flags & flag::SHARED != 0));
        columns.closed_door.push(Some(flags & flag::CLOSED_DOOR != 0));
        columns.place_id.push_some(place.id.as_deref())?;
        let location = place.location.as_ref();
        columns.place_name.push_some(location.and_then(|place| place.name.as_deref()))?;
        columns.address.push_some(location.and_then(|place| place.address.as_deref()))?;
        columns.city.push_some(location.and_then(|place| place.city.as_deref()))?;
        columns.state.push_some(location.and_then(|place| place.state.as_deref()))?;
        columns.zip.push_some(place.zip.as_deref())?;
        columns.county_fips.push_some(place.county.as_deref())?;
        let point = location.and_then(|place| place.point);
        columns.lat.push(point.map(|point| f64::from(point.lat_e5) / 1e5));
        columns.lon.push(point.map(|point| f64::from(point.lon_e5) / 1e5));
        columns.precision.push_some(location.map(|place| place.precision.as_str()))?;
        let phone = directory.error_if_damaged(directory.phone_of_role(role, &self.phones, &provider.phones))?;
        columns.phone.push_some(phone.as_deref())
    }
}

impl Rows for AllRoles {
    fn next(&mut self, most: usize) -> Result<Batch> {
        let dataset = self.dataset.clone();
        let directory = dataset.inner.directory.get()?;
        filled(most, |columns: &mut Roles| {
            let Some((role, flags)) = self.next_role(directory)? else { return Ok(false) };
            self.add(directory, columns, role, flags)?;
            Ok(true)
        })
    }
}
