//! The table of practice locations, read from the directory's columns in their order.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::ops::Range;
use std::sync::Arc;

use super::column::columns;
use super::{Batch, PracticeQuery, Rows, Table, filled};
use crate::data::directory::Directory;
use crate::data::directory::layout::flag;
use crate::data::directory::networks::Wanted;
use crate::dataset::Dataset;
use crate::format::packed::{Column, Damaged};
use crate::ids::{NetworkKey, Npi};
use crate::providers::{Accepting, Inactive, Location, RoleDoubt, Traits, together};
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
    keys: Arc<[String]>,
    inactive: bool,
    /// Rows that are still to be read.
    rows: Range<u32>,
    /// Roles of the row read last that are still to be read.
    roles: Range<u32>,
    provider: ReadProvider,
    place: Option<ReadPlace>,
    /// Phones of the row's places.
    phones: Vec<String>,
    /// What many providers have alike, by number, where it was met.
    traits: HashMap<u32, Traits>,
    /// What roles of a state and a set of networks say of new patients, where they were met.
    accepting: HashMap<(u32, u32), Option<Accepting>>,
}

/// The provider read last.
#[derive(Default)]
struct ReadProvider {
    number: Option<u32>,
    npi: Option<Npi>,
    stated_npi: Option<String>,
    aliases: Vec<Npi>,
    name: String,
    traits: u32,
    phone: u64,
}

struct ReadPlace {
    number: u32,
    id: Option<String>,
    location: Option<Location>,
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
    let rows = AllRoles::new(dataset.clone(), wanted, keys, query.inactive, rows);
    Ok(Table::new::<Roles>("practice_locations", rows))
}

/// The networks that are asked for; `None`: any, or none.
fn networks(dataset: &Dataset, query: &PracticeQuery) -> Result<Option<Vec<NetworkKey>>> {
    match (&query.plan, &query.network) {
        (Some(_), Some(_)) => {
            Err(Error::invalid("network", "a plan and a network were named: one of them says it all"))
        }
        (Some(plan), None) => {
            let Some((asked, _)) = dataset.asked_networks(Some(plan), None, None, &[])?.into_iter().next() else {
                return Ok(None);
            };
            asked.has_a_network()?;
            Ok(asked.networks.map(|networks| networks.into_iter().map(|network| network.key).collect()))
        }
        (None, Some(network)) => Ok(Some(vec![dataset.resolve_network(network)?.network.key])),
        (None, None) => Ok(None),
    }
}

impl ReadProvider {
    /// Reads a provider in place of the one before.
    fn read(&mut self, directory: &Directory, number: u32) -> Result<(), Damaged> {
        self.number = None;
        self.npi = directory.npi(number)?;
        self.stated_npi = directory.stated_npi(number)?;
        self.aliases = directory.aliases(number)?;
        directory.read_name(number, &mut self.name)?;
        self.traits = directory.providers.traits.get(number)?;
        self.phone = directory.providers.phone.wide(number)?;
        self.number = Some(number);
        Ok(())
    }
}

impl ReadPlace {
    fn read(directory: &Directory, number: u32) -> Result<Self, Damaged> {
        let location = directory.location(number, Vec::new())?;
        Ok(Self {
            number,
            id: location.as_ref().map(Location::id),
            location,
            phones: directory.phones(directory.places.phone.wide(number)?)?,
        })
    }
}

/// Rows of a stretch that is worth a thread of its own.
const ROWS_A_PART: u32 = 1 << 9;

impl AllRoles {
    fn new(dataset: Dataset, wanted: Wanted, keys: Arc<[String]>, inactive: bool, rows: Range<u32>) -> Self {
        Self {
            dataset,
            wanted,
            keys,
            inactive,
            rows,
            roles: 0..0,
            provider: ReadProvider::default(),
            place: None,
            phones: Vec::new(),
            traits: HashMap::new(),
            accepting: HashMap::new(),
        }
    }

    /// Reads the next row that has roles, with its provider and its place; `None`: there is no more.
    fn next_row(&mut self, directory: &Directory) -> Result<Option<()>> {
        let Some(row) = self.rows.next() else { return Ok(None) };
        if row.is_multiple_of(256) {
            self.dataset.cancel.check()?;
        }
        directory.error_if_damaged(self.read_row(directory, row))?;
        Ok(Some(()))
    }

    fn read_row(&mut self, directory: &Directory, row: u32) -> Result<(), Damaged> {
        self.roles = match self.roles.end {
            0 => directory.roles_of(row)?,
            // The roles of rows follow one another.
            end => end..directory.rows.roles.end_of(end, directory.roles.count)?,
        };
        let number = directory.rows.provider.get(row)?;
        if self.provider.number != Some(number) {
            self.provider.read(directory, number)?;
            if let Entry::Vacant(entry) = self.traits.entry(self.provider.traits) {
                entry.insert(directory.traits(self.provider.traits)?);
            }
        }
        let number = directory.rows.place.run_of(row)?;
        let place = match &mut self.place {
            Some(place) if place.number == number => place,
            place => place.insert(ReadPlace::read(directory, number)?),
        };
        self.phones.clone_from(&place.phones);
        for (_, coded) in directory.further_places(row)? {
            self.phones.extend(directory.phones(coded)?);
        }
        Ok(())
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

    fn add(&mut self, directory: &Directory, columns: &mut Roles, role: u32, flags: u32) -> Result<()> {
        let of = |column: &Column| directory.error_if_damaged(column.get(role));
        let networks = of(&directory.roles.networks)?;
        let accepting = match self.accepting.entry((of(&directory.roles.state)?, networks)) {
            Entry::Occupied(entry) => *entry.get(),
            Entry::Vacant(entry) => {
                let said = directory.accepting_in(role, |network| self.wanted.has(network, flags));
                let said = directory.error_if_damaged(said)?;
                *entry.insert(together(&self.wanted, &said).and_then(Accepting::of))
            }
        };
        let provider = &self.provider;
        let (Some(place), Some(traits)) = (&self.place, self.traits.get(&provider.traits)) else {
            return Err(directory.damaged());
        };
        columns.npi.push_shown(provider.npi)?;
        columns.stated_npi.push_some(provider.stated_npi.as_deref())?;
        columns.aliases.push(provider.aliases.iter().map(ToString::to_string))?;
        columns.name.push(&provider.name)?;
        columns.kind.push(traits.kind.as_str())?;
        columns.gender.push_some(traits.gender.as_deref())?;
        columns.languages.push(&traits.languages)?;
        let specialties =
            directory.error_if_damaged(directory.specialties.members(of(&directory.roles.specialties)?))?;
        columns
            .specialties
            .push_read(specialties.map(|number| directory.error_if_damaged(directory.specialties.shown(number))))?;
        let networks = directory.error_if_damaged(directory.networks.members(networks))?;
        let shown = networks.filter(|number| self.wanted.has(*number, flags));
        columns.networks.push(shown.filter_map(|number| self.keys.get(number)))?;
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
        columns.zip.push_shown(location.and_then(|place| place.zip))?;
        columns.county_fips.push_shown(location.and_then(|place| place.county))?;
        let point = location.and_then(|place| place.point);
        columns.lat.push(point.map(|point| f64::from(point.lat_e5) / 1e5));
        columns.lon.push(point.map(|point| f64::from(point.lon_e5) / 1e5));
        columns.precision.push_some(location.map(|place| place.precision.as_str()))?;
        let phone = directory.error_if_damaged(directory.phone_of_role(role, &self.phones, provider.phone))?;
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

    fn split(self: Box<Self>, parts: usize) -> Vec<Box<dyn Rows>> {
        let count = u32::try_from(self.rows.len()).unwrap_or(u32::MAX);
        let length = count.div_ceil(u32::try_from(parts).unwrap_or(u32::MAX)).max(ROWS_A_PART);
        // Once a role was read the rest of its row is to come.
        if self.roles.end > 0 || count <= length {
            return vec![self];
        }
        let Range { start, end } = self.rows;
        let part = |first: u32| {
            let rows = first..first.saturating_add(length).min(end);
            Self::new(self.dataset.clone(), self.wanted.clone(), Arc::clone(&self.keys), self.inactive, rows)
        };
        (start..end).step_by(length as usize).map(|first| Box::new(part(first)) as Box<dyn Rows>).collect()
    }
}
