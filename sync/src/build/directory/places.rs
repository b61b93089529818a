//! Places: Locations of one address and name are one place, however many ids they have.

use std::collections::{HashMap, HashSet};

use coverdex_core::Result;
use coverdex_core::build::address::{self, Beside};
use coverdex_core::build::geo::{Point, haversine_km, names};
use coverdex_core::build::providers::{city_without_state, layout, name_key};
use coverdex_core::{CountyFips, State, Zip5};
use rayon::prelude::*;
use sha2::{Digest as _, Sha256};

use crate::build::intern::Interner;
use crate::build::report::Report;
use crate::geography::{CitiesShown, Evidence, Gazetteer, Located, Precision};
use crate::model::{AcceptingPatients, Address, Day, OrganizationFacts, Place, ResourceKind, SourceId};

use super::collect::{Came, NONE, Resources, Said, differ};
use super::ink::Inked;
use super::phones::{CodedPhones, PhoneLists, shown};

/// Locations that are read at once.
const AT_ONCE: u32 = 1 << 16;

/// How many places up an address is looked for.
const MOST_ABOVE: usize = 4;

/// A place: all Locations of one address and one name.
#[derive(Clone, Debug)]
pub(super) struct PlaceRow {
    /// Hash of the folded address, or of what stands for it.
    pub(super) key: u128,
    /// Hash of the folded name.
    pub(super) name_key: u128,
    /// Places of one address share a site: a provider has one row for each.
    pub(super) site: u32,
    pub(super) area: u32,
    /// Latitude and longitude in 1e-5 degree.
    pub(super) point: Option<(i32, i32)>,
    pub(super) precision: u32,
    /// Whether its ZIP is of another state than it states.
    pub(super) disputed: bool,
    pub(super) name: Option<String>,
    pub(super) address: String,
    /// Number of its [`Locality`].
    pub(super) locality: u32,
    pub(super) phones: CodedPhones,
    /// Number of its hours; [`NONE`]: not stated.
    pub(super) hours: u32,
}

/// ZIP, city, state.
pub(super) type Locality = (Option<Zip5>, Option<String>, Option<String>);

/// The places that roles name.
#[derive(Debug, Default)]
pub(super) struct Places {
    pub(super) rows: Vec<PlaceRow>,
    pub(super) localities: Interner<Locality>,
    pub(super) hours: Interner<String>,
    /// The place of each Location by its number; [`NONE`]: it did not come, or nobody names it, or it
    /// tells no place.
    of: Vec<u32>,
    /// Whether each Location came that tells no place, such as one for virtual visits.
    nowhere: Vec<bool>,
    /// Whether each Location is marked inactive.
    inactive: Vec<bool>,
    /// Locations of which the payer says two things that decide an answer.
    contrary: HashSet<u32>,
    /// What few Locations say beside, by their numbers.
    more: HashMap<u32, SaidByPlace>,
}

/// What a Location says of whoever practices there.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct SaidByPlace {
    /// Whether new patients are taken, where the role does not say.
    pub(super) accepting: Vec<AcceptingPatients>,
    /// The organization that manages it, where it states no phone of its own.
    pub(super) organization: Option<SourceId>,
    /// Its phones, for one that tells no place.
    pub(super) phones: Vec<String>,
}

/// A Location as it came, in few bytes.
#[derive(Clone, Copy)]
struct Stated {
    number: u32,
    located: Located,
    key: u128,
    name_key: u128,
    inactive: bool,
    /// Whether a role names it.
    is_named: bool,
}

impl Places {
    /// The places of the Locations for which `named` holds: a role names them.
    pub(super) fn of(
        said: &Said,
        (gazetteer, today): (&Gazetteer, Day),
        named: &[bool],
        phones: &mut PhoneLists,
        report: &mut Report,
    ) -> Result<Self> {
        let count = u32::try_from(said.places.len()).unwrap_or(NONE);
        let read = Complete { said, today };
        let state = |number: u32, facts: &Place, shown: &CitiesShown| {
            let located = gazetteer.locate_with(facts, shown);
            Stated {
                number,
                located,
                key: hash(&address_key(facts, &located, said.places.order(number).2)),
                name_key: hash(&facts.name.as_deref().map(name_key).unwrap_or_default()),
                inactive: facts.active == Some(false),
                is_named: named.get(number as usize) == Some(&true),
            }
        };
        let mut all = Vec::with_capacity(said.places.len());
        let mut shown = CitiesShown::default();
        let mut places = Self {
            of: vec![NONE; said.places.len()],
            nowhere: vec![false; said.places.len()],
            inactive: vec![false; said.places.len()],
            ..Self::default()
        };
        for from in (0..count).step_by(AT_ONCE as usize) {
            let came = (from..count.min(from.saturating_add(AT_ONCE)))
                .into_par_iter()
                .map(|number| {
                    let stated = |facts: Place| {
                        let stated = state(number, &facts, &CitiesShown::default());
                        let tells_a_place = tells_a_place(&facts);
                        (stated, shows_its_city(&stated.located).then_some(facts.address.city).flatten(), tells_a_place)
                    };
                    Ok(read.place(number)?.map(|came| came.map(stated)))
                })
                .collect::<Result<Vec<_>>>()?;
            for came in came.into_iter().flatten() {
                match came {
                    Came::Quarantined(reason) => report.quarantined(ResourceKind::Place, &reason),
                    Came::OfNoUse(reason) => report.of_no_use(ResourceKind::Place, &reason),
                    Came::Fact((stated, _, false)) => places.add_nowhere(&read, &stated, report)?,
                    Came::Fact((stated, city, true)) => {
                        let located = &stated.located;
                        if let (Some(state), Some(county), Some(city)) = (located.state, located.county, city) {
                            shown.note(state, &city, county);
                        }
                        all.push(stated);
                    }
                }
            }
        }
        // What is still in no county may be in a city whose other places tell where it lies.
        all.par_iter_mut().filter(|stated| stated.located.county.is_none()).try_for_each(|stated| {
            if let Some(Came::Fact(facts)) = read.place(stated.number)? {
                stated.located = gazetteer.locate_with(&facts, &shown);
            }
            Ok::<(), coverdex_core::Error>(())
        })?;
        // The first of an address, and of a name there, is the one that is shown: those that roles
        // name before others, active ones before inactive ones, then the newest.
        all.par_sort_unstable_by(|a, b| {
            let order = |stated: &Stated| (!stated.is_named, stated.inactive, said.places.order(stated.number));
            (a.key, a.name_key).cmp(&(b.key, b.name_key)).then_with(|| order(a).cmp(&order(b)))
        });
        for (of_site, site) in all.chunk_by(|a, b| a.key == b.key).zip(0..) {
            places.add_site((&read, gazetteer), of_site, site, phones, report)?;
        }
        Ok(places)
    }

    /// A Location that tells no place: its roles have none that is stated.
    fn add_nowhere(&mut self, read: &Complete<'_>, stated: &Stated, report: &mut Report) -> Result<()> {
        if !stated.is_named {
            report.of_no_use(ResourceKind::Place, "no role names it");
            return Ok(());
        }
        self.note_versions(read.said, stated.number, report)?;
        if let Some(Came::Fact(place)) = read.place(stated.number)? {
            self.note(stated.number, &place, shown(place.phones.iter(), read.today));
        }
        let index = stated.number as usize;
        if let (Some(nowhere), Some(inactive)) = (self.nowhere.get_mut(index), self.inactive.get_mut(index)) {
            (*nowhere, *inactive) = (true, stated.inactive);
        }
        report.of_no_use(ResourceKind::Place, "tells no place");
        Ok(())
    }

    /// Adds the places of one address. What nobody names is no place, but its position tells where the
    /// others are.
    fn add_site(
        &mut self,
        (read, gazetteer): (&Complete<'_>, &Gazetteer),
        all: &[Stated],
        site: u32,
        phones: &mut PhoneLists,
        report: &mut Report,
    ) -> Result<()> {
        let witnesses = Witnesses::of(all, gazetteer);
        let best = witnesses.best_of(all);
        for of_place in all.chunk_by(|a, b| a.name_key == b.name_key) {
            let Some(first) = of_place.first() else { continue };
            if !first.is_named {
                for _ in of_place {
                    report.of_no_use(ResourceKind::Place, "no role names it");
                }
                continue;
            }
            let number = u32::try_from(self.rows.len()).unwrap_or(NONE);
            let mut facts = Vec::with_capacity(of_place.len());
            for (at, stated) in of_place.iter().enumerate() {
                let index = stated.number as usize;
                if let (Some(of), Some(inactive)) = (self.of.get_mut(index), self.inactive.get_mut(index)) {
                    (*of, *inactive) = (number, stated.inactive);
                }
                if stated.is_named {
                    self.note_versions(read.said, stated.number, report)?;
                }
                if at == 0 {
                    report.used(ResourceKind::Place);
                } else {
                    report.folded(ResourceKind::Place, "the same place under another id");
                }
                if let Some(Came::Fact(place)) = read.place(stated.number)? {
                    self.note(stated.number, &place, Vec::new());
                    facts.push(place);
                }
            }
            let any = |of: fn(&Place) -> Option<&String>| {
                facts.iter().find_map(of).map(|text| text.trim().to_owned()).filter(|text| !text.is_empty())
            };
            // A position of its own counts before one that others at the address state.
            let own = witnesses.best_of(of_place).filter(|located| located.precision == Precision::Point);
            let located = &own.or(best).unwrap_or(first.located);
            let zip = of_place.iter().find_map(|stated| stated.located.zip).or(located.zip);
            let state = located
                .state
                .map(|state| state.usps().to_owned())
                .or_else(|| any(|place| place.address.state.as_ref()));
            let locality = self.localities.number((zip, any(|place| place.address.city.as_ref()), state));
            self.rows.push(PlaceRow {
                key: first.key,
                name_key: first.name_key,
                site,
                area: area_of(located),
                point: match located.precision {
                    Precision::Point | Precision::Zip => located.point.map(|point| (point.lat_e5, point.lon_e5)),
                    Precision::County | Precision::Unknown => None,
                },
                precision: match (located.precision, located.point) {
                    (Precision::Point, Some(_)) => layout::precision::POINT,
                    (Precision::Zip, Some(_)) => layout::precision::ZIP,
                    _ if located.county.is_some() => layout::precision::COUNTY,
                    _ => layout::precision::UNKNOWN,
                },
                disputed: located.disputed,
                name: any(|place| place.name.as_ref()),
                address: facts.first().map(address_text).unwrap_or_default(),
                locality,
                phones: phones.code(&shown(facts.iter().flat_map(|place| &place.phones), read.today)),
                hours: any(|place| place.hours.as_ref()).map_or(NONE, |hours| self.hours.number(hours)),
            });
        }
        Ok(())
    }

    /// Notes whether versions of one date contradict each other in what decides an answer: whether the place
    /// is active. Where they put it apart, nothing is stated.
    fn note_versions(&mut self, said: &Said, number: u32, report: &mut Report) -> Result<()> {
        if !said.places.is_contrary(number) {
            return Ok(());
        }
        report.kept_apart(ResourceKind::Place, "another version of the same date says otherwise");
        if differ(said.places.read_contrary::<Place>(number)?, |place| place.active == Some(false)) {
            self.contrary.insert(number);
        }
        Ok(())
    }

    /// Whether the payer says two things of a Location that decide an answer.
    pub(super) fn is_contrary(&self, location: u32) -> bool {
        self.contrary.contains(&location)
    }

    fn note(&mut self, number: u32, place: &Place, phones: Vec<String>) {
        let organization = place.organization.filter(|_| place.phones.is_empty());
        let more = SaidByPlace { accepting: place.accepting.clone(), organization, phones };
        if more != SaidByPlace::default() {
            self.more.insert(number, more);
        }
    }

    /// What a Location says of whoever practices there.
    pub(super) fn said_by(&self, location: u32) -> Option<&SaidByPlace> {
        self.more.get(&location)
    }

    /// The place of a Location ([`NONE`]: it tells none), and whether that is marked inactive; `None`: it
    /// did not come.
    pub(super) fn place(&self, location: u32) -> Option<(u32, bool)> {
        let index = location as usize;
        let nowhere = self.nowhere.get(index) == Some(&true);
        let place = self.of.get(index).copied().filter(|place| *place != NONE || nowhere)?;
        Some((place, self.inactive.get(index).copied().unwrap_or(false)))
    }
}

/// What all Locations of one address say together of where it is.
struct Witnesses {
    /// How many of them are in each county.
    in_county: HashMap<CountyFips, usize>,
    zip_point: Option<Point>,
}

impl Witnesses {
    fn of(all: &[Stated], gazetteer: &Gazetteer) -> Self {
        let mut in_county = HashMap::new();
        for county in all.iter().filter_map(|stated| stated.located.county) {
            *in_county.entry(county).or_insert(0) += 1;
        }
        let mut zips = all.iter().filter(|stated| !stated.located.disputed).filter_map(|stated| stated.located.zip);
        Self { in_county, zip_point: zips.next().and_then(|zip| gazetteer.zip_point(zip)) }
    }

    /// The most precise of some of them. One wrong position must not move all: of several the one whose
    /// county most at the address have, then the nearest to the ZIP's point, then the first.
    fn best_of(&self, some: &[Stated]) -> Option<Located> {
        let here = |at: &Located| at.county.and_then(|county| self.in_county.get(&county)).copied().unwrap_or(0);
        let km = |at: &Located| at.point.zip(self.zip_point).map_or(0.0, |(point, zip)| haversine_km(zip, point));
        let positioned = some.iter().map(|stated| stated.located).filter(|at| at.precision == Precision::Point);
        let by_rank = |a: &Located, b: &Located| here(b).cmp(&here(a)).then_with(|| km(a).total_cmp(&km(b)));
        let others = some.iter().map(|stated| stated.located);
        positioned
            .min_by(by_rank)
            .or_else(|| others.min_by_key(|at| (at.precision, at.county.is_none(), at.state.is_none())))
    }
}

/// 128 bits of SHA-256: no two texts of a directory share them.
fn hash(text: &str) -> u128 {
    Sha256::digest(text).first_chunk().map_or(0, |bytes| u128::from_be_bytes(*bytes))
}

/// The code of the area that a place is in: its county, else its state's own area.
fn area_of(located: &Located) -> u32 {
    if located.abroad {
        return layout::ABROAD;
    }
    let state = || located.state.map(layout::state_area);
    located.county.map(CountyFips::number).or_else(state).unwrap_or(layout::NOWHERE)
}

/// Whether a place shows in which county its city lies: something other than the city tells its own.
fn shows_its_city(located: &Located) -> bool {
    !located.disputed && !matches!(located.county_from, None | Some(Evidence::City))
}

/// Whether anything of a Location tells where it is.
fn tells_a_place(place: &Place) -> bool {
    place.position.is_some() || states_something(&place.address)
}

pub(super) fn states_something(address: &Address) -> bool {
    let any = |text: &Option<String>| text.as_deref().is_some_and(|text| !text.trim().is_empty());
    address.lines.iter().any(|line| !line.trim().is_empty())
        || [&address.city, &address.state, &address.zip, &address.district].into_iter().any(any)
}

/// Locations with the address of today: their own, else that of the places that they are a part of, else
/// that of their organization.
struct Complete<'a> {
    said: &'a Said,
    today: Day,
}

impl Complete<'_> {
    fn place(&self, number: u32) -> Result<Option<Came<Place>>> {
        let mut place = match self.said.places.read::<Place>(number)? {
            Some(Came::Fact(place)) => place,
            other => return Ok(other),
        };
        let mut organization = place.organization;
        let mut above = place.part_of;
        self.drop_ended(&mut place.address);
        for _ in 0..MOST_ABOVE {
            if states_something(&place.address) {
                break;
            }
            let Some(Came::Fact(parent)) = self.fact::<Place>(&self.said.places, above)? else { break };
            place.address = parent.address;
            self.drop_ended(&mut place.address);
            place.position = place.position.or(parent.position);
            organization = organization.or(parent.organization);
            above = parent.part_of;
        }
        if !states_something(&place.address)
            && let Some(Came::Fact(organization)) =
                self.fact::<OrganizationFacts>(&self.said.organizations, organization)?
        {
            let of_today = |address: &Address| address.period.holds_on(self.today) && states_something(address);
            place.address = organization.addresses.into_iter().find(of_today).unwrap_or_default();
        }
        Ok(Some(Came::Fact(place)))
    }

    fn fact<T: Inked>(&self, all: &Resources, source: Option<SourceId>) -> Result<Option<Came<T>>> {
        match source.and_then(|source| all.find(self.said.resolve(source))) {
            Some(number) => all.read(number),
            None => Ok(None),
        }
    }

    /// An address that has ended, or does not hold yet, is not stated.
    fn drop_ended(&self, address: &mut Address) {
        if !address.period.holds_on(self.today) {
            *address = Address::default();
        }
    }
}

/// The lines as they are shown: joined by a blank, in their order.
fn address_text(place: &Place) -> String {
    let lines = place.address.lines.iter().flat_map(|line| line.split_whitespace());
    lines.collect::<Vec<_>>().join(" ")
}

/// What spellings of one place share: its address, and the ZIP, else city and state. A state that the ZIP
/// contradicts is kept beside it. Without lines the name stands for them. Without a ZIP and a city the
/// place is one of its own: a state has many an Elm Street.
fn address_key(place: &Place, located: &Located, source: u128) -> String {
    let beside = Beside { city: place.address.city.as_deref(), state: located.state, zip: located.zip };
    let mut line = address::key(&place.address.lines, &beside);
    if line.is_empty() {
        line = place.name.as_deref().map(|name| format!("@{}", name_key(name))).unwrap_or_default();
    }
    let city = place.address.city.as_deref().map(|city| names::key(city_without_state(city, located.state)));
    let city = city.unwrap_or_default();
    let state = located.state.map_or("", State::usps);
    let rest = match located.zip {
        Some(zip) if located.disputed => format!("{zip} {state}"),
        Some(zip) => zip.to_string(),
        None => format!("{city} {state}"),
    };
    if line.len() < 2 || (located.zip.is_none() && city.is_empty()) {
        return format!("#{source:032x}");
    }
    format!("{line}|{rest}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Address;

    fn key(place: &Place) -> String {
        address_key(place, &Gazetteer::get().locate(place), 7)
    }

    fn at(line: &str, city: &str, state: &str, zip: &str) -> String {
        let text = |text: &str| (!text.is_empty()).then(|| text.to_owned());
        let address = Address {
            lines: vec![line.to_owned()],
            city: text(city),
            state: text(state),
            zip: text(zip),
            ..Address::default()
        };
        key(&Place { address, ..Place::default() })
    }

    #[test]
    fn an_address_is_one_by_its_zip_or_by_city_and_state() {
        let one = at("500 E Benson Blvd", "Anchorage", "AK", "99503");
        assert_eq!(at("500 East Benson Blvd.", "ANCHORAGE", "Alaska", "99503-1234"), one);
        assert_ne!(at("500 E Benson Blvd", "Anchorage", "AK", "99504"), one);
        let one = at("5 Main St", "St. Louis", "MO", "");
        assert_eq!(at("5 Main St", "SAINT LOUIS", "Missouri", ""), one);
        assert_eq!(at("5 Main St", "St Louis, MO", "MO", ""), one);
        assert_ne!(at("5 Main St", "Clayton", "MO", ""), one);
    }

    #[test]
    fn a_state_that_the_zip_contradicts_makes_another_place() {
        assert_ne!(at("5 Main St", "Kansas City", "KS", "64111"), at("5 Main St", "Kansas City", "MO", "64111"));
    }

    #[test]
    fn a_place_without_an_address_is_known_by_its_name_or_stands_alone() {
        let named = |zip: Option<&str>| {
            let address = Address { zip: zip.map(str::to_owned), ..Address::default() };
            key(&Place { name: Some("A Clinic".to_owned()), address, ..Place::default() })
        };
        assert_eq!(named(Some("02139")), "@a clinic|02139");
        assert_eq!(named(None), format!("#{:032x}", 7));
        assert_eq!(at("", "", "", "02139"), format!("#{:032x}", 7));
        assert_eq!(at("5 Elm", "", "MO", ""), format!("#{:032x}", 7), "a state has many");
    }
}
