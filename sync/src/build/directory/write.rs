//! Writing the sections of `providers/directory.bin`, and the index of names.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::Path;

use coverdex_core::Result;
use coverdex_core::build::geo::{Point, haversine_km};
use coverdex_core::build::providers::layout::{self, DIRECTORY_FILE, DIRECTORY_FOLDER, flag, section};
use coverdex_core::build::providers::{
    city_key, city_without_state, language_name, name_schema, name_terms, names_index,
};
use coverdex_core::{CountyFips, NetworkKey, State, Zip5};

use crate::build::text_index::write_text_index;
use crate::geography::Gazetteer;
use crate::model::Day;
use crate::source::ByKey;

use super::collect::NONE;
use super::networks::Networks;
use super::number::{Numbered, Order};
use super::pack::Pack;
use super::phones::{CodedPhones, PhoneLists};
use super::places::{Locality, PlaceRow, Places};
use super::providers::{Providers, Trait};
use super::roles::Sayings;
use super::rows::{NamedBy, RoleRow};
use super::specialties;

/// What is written.
pub(super) struct Directory<'a> {
    pub(super) numbered: &'a Numbered<'a>,
    pub(super) providers: &'a Providers,
    pub(super) places: &'a Places,
    pub(super) gazetteer: &'a Gazetteer,
    pub(super) networks: &'a Networks,
    pub(super) named_by: &'a [NamedBy],
    /// Why nothing is known of any network whom it lacks.
    pub(super) unread: Option<String>,
    pub(super) gaps: &'a ByKey<NetworkKey, String>,
    pub(super) sayings: &'a Sayings<'a>,
    pub(super) phones: &'a PhoneLists,
}

/// Texts that columns refer to by their number and 1, 0 being none.
struct Numbers<'a>(BTreeMap<&'a str, u64>);

impl<'a> Numbers<'a> {
    fn of(texts: impl Iterator<Item = &'a str>) -> Self {
        let distinct: BTreeSet<&str> = texts.filter(|text| !text.is_empty()).collect();
        Self(distinct.into_iter().zip(1..).collect())
    }

    fn coded(&self, text: Option<&str>) -> u64 {
        text.and_then(|text| self.0.get(text)).copied().unwrap_or(0)
    }

    fn texts(&self) -> impl Iterator<Item = &'a str> + '_ {
        self.0.keys().copied()
    }
}

impl Directory<'_> {
    /// Writes the directory part into a dataset's folder.
    pub(super) fn write(&self, folder: &Path) -> Result<()> {
        let folder = folder.join(DIRECTORY_FOLDER);
        let closed = self.closed_rows();
        let documents = self.numbered.rows.iter().zip(0..).map(|(row, number)| {
            let provider = self.numbered.providers.get(row.provider as usize);
            let of_trait = provider.and_then(|row| self.providers.traits.value(row.of_trait));
            let is_organization = of_trait.is_some_and(|(kind, _, _)| *kind == layout::kind::ORGANIZATION);
            let names = provider
                .into_iter()
                .flat_map(|row| std::iter::once(&*row.name).chain(row.other_names().iter().map(String::as_str)));
            let words: Vec<String> = names.flat_map(|name| names_index(name, is_organization)).collect();
            name_terms(words.iter().map(String::as_str), closed.binary_search(&number).is_ok())
        });
        write_text_index(&folder, name_schema(), documents)?;
        let mut pack = Pack::create(&folder.join(DIRECTORY_FILE))?;
        self.areas(&mut pack)?;
        let names = self.names(&mut pack)?;
        let hours = self.hours(&mut pack)?;
        let (phone_lists, code) = self.phones.ordered();
        Self::phone_lists(&mut pack, &phone_lists)?;
        self.providers(&mut pack, &code)?;
        self.places(&mut pack, &names, &hours, &code)?;
        self.rows(&mut pack, &names, &code)?;
        self.roles(&mut pack, &hours, &code)?;
        self.networks(&mut pack)?;
        self.row_networks(&mut pack)?;
        self.specialties(&mut pack)?;
        self.lists(&mut pack)?;
        pack.finish()
    }

    fn areas(&self, pack: &mut Pack) -> Result<()> {
        let numbered = self.numbered;
        let mut first: Vec<u32> = Vec::new();
        let (mut codes, mut centers, mut radii) = (Vec::new(), Vec::new(), Vec::new());
        let mut unplaced = Vec::new();
        let mut at = 0;
        while at < numbered.places.len() {
            let code = numbered.area(at);
            let end = (at..numbered.places.len()).find(|place| numbered.area(*place) != code);
            let end = end.unwrap_or(numbered.places.len());
            let places = numbered.places.get(at..end).unwrap_or_default();
            let points: Vec<Point> = places
                .iter()
                .filter_map(|place| place.as_ref()?.point)
                .map(|(lat_e5, lon_e5)| Point { lat_e5, lon_e5 })
                .collect();
            let center = center(&points);
            codes.push(code);
            let county = CountyFips::new(code).filter(|_| points.len() < places.len());
            unplaced.extend(county.and_then(|county| self.gazetteer.county(county)).map(|county| (code, county)));
            first.push(u32::try_from(at).unwrap_or(NONE));
            centers.push(center);
            radii.push(radius_m(center, &points));
            at = end;
        }
        first.push(u32::try_from(numbered.places.len()).unwrap_or(NONE));
        let row_of =
            |place: &u32| u32::try_from(numbered.rows.partition_point(|row| row.place < *place)).unwrap_or(NONE);
        pack.small(section::AREA_CODE, &codes)?;
        pack.small(section::AREA_ROW, &first.iter().map(row_of).collect::<Vec<_>>())?;
        pack.small(section::AREA_PLACE, &first)?;
        pack.signed(section::AREA_LAT, centers.iter().map(|point| point.lat_e5))?;
        pack.signed(section::AREA_LON, centers.iter().map(|point| point.lon_e5))?;
        pack.small(section::AREA_RADIUS, &radii)?;
        let own = State::all().filter(|state| codes.binary_search(&layout::state_area(*state)).is_ok());
        let of_states = own
            .flat_map(|state| self.gazetteer.counties_of(state).map(move |county| (layout::state_area(state), county)));
        let mut counties: Vec<_> = unplaced.into_iter().chain(of_states).collect();
        counties.sort_by_key(|(area, county)| (*area, county.fips));
        pack.small(section::STATE_COUNTY_AREA, &counties.iter().map(|(area, _)| *area).collect::<Vec<_>>())?;
        pack.signed(section::STATE_COUNTY_LAT, counties.iter().map(|(_, county)| county.point.lat_e5))?;
        pack.signed(section::STATE_COUNTY_LON, counties.iter().map(|(_, county)| county.point.lon_e5))?;
        pack.small(
            section::STATE_COUNTY_RADIUS,
            &counties.iter().map(|(_, county)| county.radius_m).collect::<Vec<_>>(),
        )
    }

    /// Names of the providers, then others that places have; the number of each, and 1.
    fn names(&self, pack: &mut Pack) -> Result<HashMap<&str, u64>> {
        let numbered = self.numbered;
        let mut numbers: HashMap<&str, u64> = HashMap::new();
        for (number, row) in (1..).zip(&numbered.providers) {
            numbers.entry(&*row.name).or_insert(number);
        }
        let further = numbered.further.iter().filter_map(|(_, place)| self.further(*place));
        let places = numbered.places.iter().copied().flatten().chain(further);
        let others: BTreeSet<&str> =
            places.filter_map(|row| row.name.as_deref()).filter(|name| !numbers.contains_key(name)).collect();
        for (name, number) in others.iter().zip(numbered.providers.len() as u64 + 1..) {
            numbers.insert(name, number);
        }
        let own = numbered.providers.iter().map(|row| &*row.name);
        pack.texts(section::NAME, own.chain(others.iter().copied()))?;
        Ok(numbers)
    }

    fn further(&self, place: u32) -> Option<&PlaceRow> {
        self.places.rows.get(place as usize)
    }

    fn hours(&self, pack: &mut Pack) -> Result<Numbers<'_>> {
        let of_places = self.numbered.places.iter().flatten().filter_map(|row| self.places.hours.value(row.hours));
        let of_roles = self.numbered.contacts.values().filter_map(|contact| self.sayings.hours().value(contact.hours));
        let hours = Numbers::of(of_places.chain(of_roles).map(String::as_str));
        pack.texts(section::HOURS, hours.texts())?;
        Ok(hours)
    }

    fn phone_lists(pack: &mut Pack, lists: &[&Vec<String>]) -> Result<()> {
        pack.texts(section::PHONE_TEXT, lists.iter().copied().flatten().map(String::as_str))?;
        pack.small(section::PHONE_LIST, &starts(lists.iter().map(|list| list.len())))
    }

    fn providers(&self, pack: &mut Pack, code: &impl Fn(CodedPhones) -> u64) -> Result<()> {
        let numbered = self.numbered;
        let providers = &numbered.providers;
        let traits = Order::by_content(&self.providers.traits);
        let provider = |at: usize| providers.get(at).copied();
        let npi = |at: usize| provider(at).and_then(|row| row.npis().next()).map_or(0, |npi| u64::from(npi) + 1);
        let of_trait = |at: usize| provider(at).map_or(0, |row| u64::from(traits.number(row.of_trait)));
        let phones = |at: usize| provider(at).map_or(0, |row| code(row.phones));
        pack.record(section::PROVIDER, providers.len(), &[&npi, &of_trait, &phones])?;
        let mut npis: Vec<(u32, u32)> =
            (0..).zip(providers).flat_map(|(number, row)| row.all_npis().map(move |npi| (npi, number))).collect();
        npis.sort_unstable();
        pack.small(section::NPI, &npis.iter().map(|(npi, _)| *npi).collect::<Vec<_>>())?;
        pack.small(section::NPI_PROVIDER, &npis.iter().map(|(_, provider)| *provider).collect::<Vec<_>>())?;
        let aliases: Vec<(u32, u32)> =
            (0..).zip(providers).flat_map(|(number, row)| row.npis().skip(1).map(move |npi| (number, npi))).collect();
        pack.sparse(
            section::ALIAS_PROVIDER,
            providers.len(),
            &aliases.iter().map(|(provider, _)| *provider).collect::<Vec<_>>(),
        )?;
        pack.small(section::ALIAS_NPI, &aliases.iter().map(|(_, npi)| *npi).collect::<Vec<_>>())?;
        let others: Vec<(u32, &str)> = (0..)
            .zip(providers)
            .flat_map(|(number, row)| row.other_names().iter().map(move |name| (number, name.as_str())))
            .collect();
        pack.sparse(
            section::OTHER_NAME_PROVIDER,
            providers.len(),
            &others.iter().map(|(provider, _)| *provider).collect::<Vec<_>>(),
        )?;
        pack.texts(section::OTHER_NAME, others.iter().map(|(_, name)| *name))?;
        let stated: Vec<(u32, &str)> =
            (0..).zip(providers).filter_map(|(number, row)| Some((number, row.stated_npi()?))).collect();
        pack.sparse(
            section::STATED_NPI_PROVIDER,
            providers.len(),
            &stated.iter().map(|(provider, _)| *provider).collect::<Vec<_>>(),
        )?;
        pack.texts(section::STATED_NPI, stated.iter().map(|(_, text)| *text))?;
        let mut rows: Vec<(u32, u32)> =
            numbered.rows.iter().zip(0..).map(|(row, number)| (row.provider, number)).collect();
        rows.sort_unstable();
        pack.small(section::PROVIDER_ROW, &rows.iter().map(|(_, row)| *row).collect::<Vec<_>>())?;
        pack.marks(section::PROVIDER_ROWS, rows.len(), changes(rows.iter().map(|(provider, _)| *provider)))?;
        self.traits(pack, &traits)
    }

    fn traits(&self, pack: &mut Pack, order: &Order) -> Result<()> {
        let traits: Vec<&Trait> = order.met.iter().filter_map(|met| self.providers.traits.value(*met)).collect();
        let genders = Numbers::of(traits.iter().filter_map(|(_, gender, _)| gender.as_deref()));
        let spoken: Vec<Vec<&str>> = traits.iter().map(|(_, _, languages)| known_languages(languages)).collect();
        let languages = Numbers::of(spoken.iter().flatten().copied());
        pack.texts(section::GENDER, genders.texts())?;
        pack.texts(section::LANGUAGE, languages.texts())?;
        pack.small(section::TRAIT_KIND, &traits.iter().map(|(kind, _, _)| *kind).collect::<Vec<_>>())?;
        pack.column(section::TRAIT_GENDER, traits.iter().map(|(_, gender, _)| genders.coded(gender.as_deref())))?;
        pack.small(section::TRAIT_LANGUAGES, &starts(spoken.iter().map(Vec::len)))?;
        let spoken = spoken.iter().flatten();
        pack.column(section::TRAIT_LANGUAGE, spoken.map(|text| languages.coded(Some(text)).saturating_sub(1)))
    }

    fn places(
        &self,
        pack: &mut Pack,
        names: &HashMap<&str, u64>,
        hours: &Numbers<'_>,
        code: &impl Fn(CodedPhones) -> u64,
    ) -> Result<()> {
        let places = &self.numbered.places;
        let point = |place: Option<&PlaceRow>| place.and_then(|row| row.point).unwrap_or((0, 0));
        let packed = |(lat_e5, lon_e5)| layout::packed_point(lat_e5, lon_e5);
        pack.column_of(section::PLACE_POINT, 8, places.iter().map(|place| packed(point(*place))))?;
        // The place that is not stated has a locality of its own, behind all others.
        let localities = Order::by_content(&self.places.localities);
        let nowhere = localities.met.len() as u64;
        let place = |at: usize| places.get(at).copied().flatten();
        let precision = |at: usize| u64::from(place(at).map_or(layout::precision::UNKNOWN, |row| row.precision));
        let name = |at: usize| place(at).and_then(|row| names.get(row.name.as_deref()?)).copied().unwrap_or(0);
        let locality = |at: usize| place(at).map_or(nowhere, |row| u64::from(localities.number(row.locality)));
        let phones = |at: usize| place(at).map_or(0, |row| code(row.phones));
        let hours_of = |row: &PlaceRow| hours.coded(self.places.hours.value(row.hours).map(String::as_str));
        let hours = |at: usize| place(at).map_or(0, hours_of);
        pack.record(section::PLACE, places.len(), &[&precision, &name, &locality, &phones, &hours])?;
        pack.texts(section::PLACE_ADDRESS, places.iter().map(|place| place.map_or("", |row| row.address.as_str())))?;
        self.localities(pack, &localities)
    }

    fn localities(&self, pack: &mut Pack, order: &Order) -> Result<()> {
        let none = (None, None, None);
        let localities: Vec<&Locality> =
            order.met.iter().filter_map(|met| self.places.localities.value(*met)).chain([&none]).collect();
        let zip = |zip: &Option<Zip5>| zip.map_or(0, |zip| u64::from(zip.number()) + 1);
        pack.column(section::LOCALITY_ZIP, localities.iter().map(|(of, _, _)| zip(of)))?;
        let keyed = |(_, city, state): &'_ Locality| {
            let own = state.as_deref().and_then(State::from_name);
            city.as_deref().map(|city| city_key(city_without_state(city, own)))
        };
        let cities: BTreeSet<(String, &str)> =
            localities.iter().filter_map(|of| Some((keyed(of)?, of.1.as_deref()?))).collect();
        let city_numbers: HashMap<&(String, &str), u64> = cities.iter().zip(1..).collect();
        pack.texts(section::CITY, cities.iter().map(|(_, city)| *city))?;
        pack.texts(section::CITY_KEY, cities.iter().map(|(key, _)| key.as_str()))?;
        let city = |of: &Locality| Some((keyed(of)?, of.1.as_deref()?)).and_then(|of| city_numbers.get(&of).copied());
        pack.column(section::LOCALITY_CITY, localities.iter().map(|of| city(of).unwrap_or(0)))?;
        let states = Numbers::of(localities.iter().filter_map(|(_, _, state)| state.as_deref()));
        pack.texts(section::STATE, states.texts())?;
        pack.column(section::LOCALITY_STATE, localities.iter().map(|(_, _, state)| states.coded(state.as_deref())))
    }

    fn rows(&self, pack: &mut Pack, names: &HashMap<&str, u64>, code: &impl Fn(CodedPhones) -> u64) -> Result<()> {
        let numbered = self.numbered;
        let rows = &numbered.rows;
        pack.small(section::ROW_PROVIDER, &rows.iter().map(|row| row.provider).collect::<Vec<_>>())?;
        pack.marks(section::ROW_PLACE, rows.len(), changes(rows.iter().map(|row| row.place)))?;
        let first_roles = rows.iter().map(|row| row.roles);
        pack.marks(section::ROW_ROLES, numbered.roles.len(), first_roles)?;
        let further: Vec<(u32, &PlaceRow)> =
            numbered.further.iter().filter_map(|(row, place)| Some((*row, self.further(*place)?))).collect();
        pack.sparse(section::FURTHER_ROW, rows.len(), &further.iter().map(|(row, _)| *row).collect::<Vec<_>>())?;
        let name = |place: &PlaceRow| place.name.as_deref().and_then(|name| names.get(name)).copied().unwrap_or(0);
        pack.column(section::FURTHER_NAME, further.iter().map(|(_, place)| name(place)))?;
        pack.column(section::FURTHER_PHONE, further.iter().map(|(_, place)| code(place.phones)))?;
        pack.small(section::CLOSED_DOOR_ROW, &self.closed_rows())?;
        let in_doubt = |flags: u32| flags & flag::DOUBT != 0 && flags & (flag::HIDDEN & !flag::CONTRARY) == 0;
        pack.small(section::DOUBT_ROW, &self.rows_with(in_doubt))
    }

    /// The rows that have an active role of closed doors, ascending.
    fn closed_rows(&self) -> Vec<u32> {
        self.rows_with(|flags| flags & (flag::CLOSED_DOOR | flag::INACTIVE) == flag::CLOSED_DOOR)
    }

    /// The rows that have a role of such flags, ascending.
    fn rows_with(&self, wanted: impl Fn(u32) -> bool) -> Vec<u32> {
        let rows = (0..).take(self.numbered.rows.len()).filter(|row| {
            let roles = self.numbered.roles.get(self.numbered.roles_of(*row as usize)).unwrap_or_default();
            roles.iter().any(|role| wanted(self.flags(role.state)))
        });
        rows.collect()
    }

    /// The flags of a state by its final number.
    pub(super) fn flags(&self, state: u32) -> u32 {
        self.numbered.states.met.get(state as usize).map_or(0, |met| self.sayings.flags(*met))
    }

    fn roles(&self, pack: &mut Pack, hours: &Numbers<'_>, code: &impl Fn(CodedPhones) -> u64) -> Result<()> {
        let roles = &self.numbered.roles;
        let number = |of: fn(&RoleRow) -> u32| move |at: usize| roles.get(at).map_or(0, |role| u64::from(of(role)));
        let specialties = number(|role| role.specialties);
        let (networks, state) = (number(|role| role.networks), number(|role| role.state));
        pack.record(section::ROLE, roles.len(), &[&specialties, &networks, &state])?;
        let hours_of = |number: u32| hours.coded(self.sayings.hours().value(number).map(String::as_str));
        let contacts: Vec<(u32, u64, u64, u64)> = roles
            .iter()
            .zip(0..)
            .filter_map(|(role, number)| {
                let contact = self.numbered.contacts.value(role.contact)?;
                Some((number, code(contact.phones), hours_of(contact.hours), code(contact.organization)))
            })
            .collect();
        pack.sparse(section::CONTACT_ROLE, roles.len(), &contacts.iter().map(|(role, ..)| *role).collect::<Vec<_>>())?;
        let phones = |at: usize| contacts.get(at).map_or(0, |(_, phones, ..)| *phones);
        let hours = |at: usize| contacts.get(at).map_or(0, |(_, _, hours, _)| *hours);
        let organization = |at: usize| contacts.get(at).map_or(0, |(.., phones)| *phones);
        pack.record(section::CONTACT, contacts.len(), &[&phones, &hours, &organization])?;
        let states: Vec<_> =
            self.numbered.states.met.iter().filter_map(|met| self.sayings.states.value(*met)).collect();
        pack.small(section::STATE_FLAGS, &states.iter().map(|state| state.flags).collect::<Vec<_>>())?;
        let day = |day: Option<Day>| day.unwrap_or(layout::NO_DAY);
        pack.signed(section::STATE_ROLE_DAY, states.iter().map(|state| day(state.role_day)))?;
        pack.signed(section::STATE_PROVIDER_DAY, states.iter().map(|state| day(state.provider_day)))?;
        pack.small(section::STATE_ACCEPTING, &starts(states.iter().map(|state| state.accepting.len())))?;
        let statements: Vec<(u32, u32)> = states.iter().flat_map(|state| state.accepting.iter().copied()).collect();
        pack.small(section::ACCEPTING_NETWORK, &statements.iter().map(|(network, _)| *network).collect::<Vec<_>>())?;
        pack.small(section::ACCEPTING_STATUS, &statements.iter().map(|(_, status)| *status).collect::<Vec<_>>())
    }

    fn networks(&self, pack: &mut Pack) -> Result<()> {
        let rows = &self.networks.rows;
        pack.texts(section::NETWORK_SYSTEM, rows.iter().map(|row| row.key.system()))?;
        pack.texts(section::NETWORK_ID, rows.iter().map(|row| row.key.id()))?;
        pack.texts(section::NETWORK_LABEL, rows.iter().map(|row| row.label.as_deref().unwrap_or_default()))?;
        let named_by = |network: usize| self.named_by.get(network).copied().unwrap_or_default();
        let gaps = rows.iter().enumerate().map(|(network, row)| {
            let stated = self.gaps.get(&row.key).or(self.unread.as_ref()).cloned();
            stated.or_else(|| named_by(network).gap()).unwrap_or_default()
        });
        let gaps: Vec<String> = gaps.collect();
        pack.texts(section::NETWORK_GAP, gaps.iter().map(String::as_str))?;
        let active = |network: usize| named_by(network).roles.min(u64::from(u32::MAX));
        pack.column(section::NETWORK_ROLES, (0..rows.len()).map(active))?;
        pack.bytes(section::NETWORK_SET, &self.network_bits())
    }

    /// The network sets, a bit for each network.
    fn network_bits(&self) -> Vec<u8> {
        let stride = self.network_bytes();
        let mut bits = Vec::with_capacity(self.numbered.network_sets.met.len() * stride);
        for set in &self.numbered.network_sets.met {
            let from = bits.len();
            bits.resize(from + stride, 0_u8);
            for network in self.sayings.network_sets.value(*set).into_iter().flatten() {
                if let Some(byte) = bits.get_mut(from + usize::from(*network) / 8) {
                    *byte |= 1 << (network % 8);
                }
            }
        }
        bits
    }

    /// Bytes of one network set, at least one.
    fn network_bytes(&self) -> usize {
        self.networks.rows.len().div_ceil(8).max(1)
    }

    /// For each row the networks of its roles that a search finds.
    fn row_networks(&self, pack: &mut Pack) -> Result<()> {
        let (stride, bits) = (self.network_bytes(), self.network_bits());
        let mut numbers: HashMap<Vec<u8>, u32> = HashMap::new();
        let mut sets: Vec<u8> = Vec::new();
        let mut coded: Vec<u32> = Vec::with_capacity(self.numbered.rows.len());
        for row in 0..self.numbered.rows.len() {
            let roles = self.numbered.roles.get(self.numbered.roles_of(row)).unwrap_or_default();
            let mut united: Option<Vec<u8>> = None;
            for role in roles.iter().filter(|role| self.flags(role.state) & flag::HIDDEN == 0) {
                let from = role.networks as usize * stride;
                let own = bits.get(from..from + stride).unwrap_or_default();
                for (to, byte) in united.get_or_insert_with(|| vec![0; stride]).iter_mut().zip(own) {
                    *to |= byte;
                }
            }
            let Some(united) = united else {
                coded.push(0);
                continue;
            };
            let next = u32::try_from(numbers.len() + 1).unwrap_or(NONE);
            coded.push(*numbers.entry(united).or_insert_with_key(|set| {
                sets.extend(set);
                next
            }));
        }
        pack.small(section::ROW_NETWORKS, &coded)?;
        pack.bytes(section::ROW_NETWORK_SET, &sets)
    }

    fn specialties(&self, pack: &mut Pack) -> Result<()> {
        let rows = &self.sayings.specialties;
        pack.texts(section::SPECIALTY_TEXT, rows.iter().map(|row| row.text.as_str()))?;
        pack.texts(section::SPECIALTY_TAXONOMY, rows.iter().map(|row| row.taxonomy.as_str()))?;
        let keys = self.keys();
        pack.texts(section::KEY, keys.keys().copied())?;
        let names: Vec<String> = keys.keys().map(|key| specialties::shown_key(key, rows)).collect();
        pack.texts(section::KEY_NAME, names.iter().map(String::as_str))?;
        let aliases = specialties::aliases(&keys, rows);
        pack.texts(section::ALIAS, aliases.keys().map(String::as_str))?;
        pack.small(section::ALIAS_FIRST, &starts(aliases.values().map(BTreeSet::len)))?;
        pack.small(section::ALIAS_KEY, &aliases.values().flatten().copied().collect::<Vec<_>>())?;
        pack.column(
            section::SPECIALTY_KEY,
            rows.iter().map(|row| u64::from(keys.get(row.key.as_str()).copied().unwrap_or(0))),
        )?;
        let sets: Vec<&Vec<u32>> =
            self.numbered.specialty_sets.met.iter().filter_map(|met| self.sayings.specialty_sets.value(*met)).collect();
        pack.small(section::SET_SPECIALTIES, &starts(sets.iter().map(|set| set.len())))?;
        pack.column(section::SET_SPECIALTY, sets.iter().copied().flatten().map(|number| u64::from(*number)))
    }

    pub(super) fn keys(&self) -> BTreeMap<&str, u32> {
        let distinct: BTreeSet<&str> = self.sayings.specialties.iter().map(|row| row.key.as_str()).collect();
        distinct.into_iter().zip(0..).collect()
    }
}

/// Languages by their English names, those that are not known as they are stated; each once.
fn known_languages(stated: &[String]) -> Vec<&str> {
    let mut known: Vec<&str> =
        stated.iter().map(|text| language_name(text).unwrap_or(text)).filter(|text| !text.is_empty()).collect();
    known.sort_unstable();
    known.dedup();
    known
}

/// Where each of consecutive runs begins, and where the last ends.
fn starts(lengths: impl Iterator<Item = usize>) -> Vec<u32> {
    let mut starts = vec![0_u32];
    let mut end = 0;
    for length in lengths {
        end += length;
        starts.push(u32::try_from(end).unwrap_or(NONE));
    }
    starts
}

/// The positions at which a number differs from the one before it.
fn changes(numbers: impl Iterator<Item = u32>) -> impl Iterator<Item = u32> {
    let mut before = None;
    numbers.zip(0..).filter_map(move |(number, at)| (before.replace(number) != Some(number)).then_some(at))
}

/// The middle of points on the sphere.
fn center(points: &[Point]) -> Point {
    let mut sum = [0.0_f64; 3];
    for point in points {
        let (lat, lon) = (point.lat().to_radians(), point.lon().to_radians());
        for (sum, part) in sum.iter_mut().zip([lat.cos() * lon.cos(), lat.cos() * lon.sin(), lat.sin()]) {
            *sum += part;
        }
    }
    let [x, y, z] = sum;
    let (lat, lon) = (z.atan2(x.hypot(y)), y.atan2(x));
    Point::from_degrees(lat.to_degrees(), lon.to_degrees()).unwrap_or(Point { lat_e5: 0, lon_e5: 0 })
}

/// The radius in meters, rounded up, of the circle around a center that has all points; without
/// points there is none.
fn radius_m(center: Point, points: &[Point]) -> u32 {
    let farthest = points.iter().map(|point| haversine_km(center, *point)).reduce(f64::max);
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "at most 20,016 km")]
    farthest.map_or(u32::MAX, |km| (km * 1000.0).ceil() as u32 + 1)
}
