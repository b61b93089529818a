//! Places at an address, and those near it.

use std::collections::BTreeSet;

use super::written::{AskedAddress, Reading, Written, without_place};
use crate::address::{Beside, Folded, Street, folded_text};
use crate::data::directory::Directory;
use crate::format::packed::Damaged;
use crate::geo::names;
use crate::ids::{State, Zip5};
use crate::{Cancel, Error, ErrorKind, Result};

/// Near addresses that an answer names at most.
const MOST_NEAR: usize = 5;

const MOST_CANDIDATES: usize = 12;

/// Places between two looks at whether the call is cancelled.
const PLACES_A_CHECK: u32 = 1 << 12;

/// In what an address differs from the one asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum AddressDifference {
    /// The same house, another unit, or none.
    Unit,
    /// The same number and street in another ZIP of the city.
    Zip,
    /// The same number on a street that has the name with another kind or direction, or with none.
    Street,
    /// The same street, another number.
    Number,
}

impl AddressDifference {
    /// `unit`, `zip`, `street` or `number`.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Unit => "unit",
            Self::Zip => "zip",
            Self::Street => "street",
            Self::Number => "number",
        }
    }
}

/// An address that is not the one asked for, and near it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct NearAddress {
    /// In what it differs.
    pub difference: AddressDifference,
    /// Its lines, as the source writes them, joined by blanks.
    pub address: String,
    /// Its city.
    pub city: Option<String>,
    /// Its state.
    pub state: Option<State>,
    /// Its ZIP.
    pub zip: Option<Zip5>,
    /// Practice locations there, with an active role or not.
    pub practice_locations: u64,
}

impl NearAddress {
    /// On one line, to ask with: `2450 S Telshor Blvd Ste 200, Las Cruces, NM 88011`.
    #[must_use]
    pub fn label(&self) -> String {
        label(&self.address, self.city.as_deref(), self.state, self.zip)
    }
}

fn label(address: &str, city: Option<&str>, state: Option<State>, zip: Option<Zip5>) -> String {
    let behind = [state.map(|state| state.usps().to_owned()), zip.map(|zip| zip.to_string())];
    let behind = behind.into_iter().flatten().collect::<Vec<_>>().join(" ");
    let parts = [address, city.unwrap_or_default(), &behind];
    parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(", ")
}

/// How a locality answers to an address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Scope {
    /// It is meant.
    Meant,
    /// It is in the state, and no city is named.
    State,
    /// It is the city with another ZIP.
    OtherZip,
}

/// What an address means in one locality.
struct InLocality {
    scope: Scope,
    /// Ranks and numbers of the readings, ascending.
    readings: Vec<(u8, usize)>,
    city: Option<String>,
    state: Option<State>,
    zip: Option<Zip5>,
}

/// What an address means in each locality, by number; `None`: it is not there.
type Localities = Vec<Option<InLocality>>;

/// Places at an address.
pub(super) struct PlacesFound {
    /// Their numbers, ascending.
    pub(super) places: Vec<u32>,
    /// How the address was read.
    pub(super) asked: AskedAddress,
    /// What of the reading does not go without saying.
    pub(super) notes: Vec<String>,
    /// Whether no city is named.
    pub(super) in_state: bool,
    localities: Localities,
}

impl PlacesFound {
    /// What is missing where neither the address nor one near it is there.
    pub(super) fn nothing_near(&self) -> String {
        let zip = self.asked.zip.map(|zip| format!("ZIP {zip}"));
        let state = self.asked.state.map(State::name);
        let city = self.asked.city.as_deref().map(|city| [Some(city), state].into_iter().flatten().collect::<Vec<_>>());
        let city = city.map(|parts| parts.join(", "));
        let there = zip.or_else(|| city.clone()).or_else(|| state.map(str::to_owned)).unwrap_or_default();
        let is_there = self.localities.iter().flatten().any(|of| of.scope == Scope::Meant || city.is_none());
        match (is_there, self.in_state) {
            (false, _) => format!("the directory has no place in {there}"),
            (true, true) => format!("no place in {there} has that number on a street of that name"),
            (true, false) => format!("the directory has no place on that street in {there}"),
        }
    }
}

impl Written<'_> {
    /// Of the readings that leave a street, the one that explains most in the localities of a scope.
    fn best(&self, localities: &Localities, scope: Scope) -> Option<&Reading> {
        let of_scope = localities.iter().flatten().filter(|of| of.scope == scope);
        let numbers: BTreeSet<(u8, usize)> = of_scope.flat_map(|of| of.readings.iter().copied()).collect();
        let mut readings = numbers.into_iter().filter_map(|(_, number)| self.readings.get(number));
        readings.find(|reading| {
            let folded = self.folded(reading);
            !folded.units.is_empty() || folded.line.contains(|c: char| c.is_alphabetic())
        })
    }
}

impl Directory {
    /// Places at an address.
    ///
    /// # Errors
    /// Damage; `InvalidInput` for an address whose last word is no state as it is written.
    pub(super) fn places_at(&self, address: &Written<'_>, cancel: &Cancel) -> Result<PlacesFound> {
        let localities = self.error_if_damaged(self.localities_of(address, false))?;
        let mut found = self.places_of(address, &localities, Scope::Meant, cancel)?;
        let mut best = address.best(&localities, Scope::Meant);
        let in_state = best.is_none() && address.zip.is_none();
        if in_state {
            if !address.surely_names_a_state() {
                return Err(without_place(address.subject.clone()));
            }
            found = self.places_of(address, &localities, Scope::State, cancel)?;
            best = address.best(&localities, Scope::State);
        }
        let reading = found.first().and_then(|(_, number, _)| address.readings.get(*number));
        let reading = reading.or(best).or_else(|| address.readings.iter().rfind(|reading| reading.city.is_none()));
        let mut notes = Vec::new();
        if let Some((word, state)) = reading.and_then(|reading| address.state_in_the_street(reading)) {
            notes.push(format!("\"{word}\" was read as a part of the street, not as {}", state.name()));
        }
        let asked = reading.map(|reading| address.asked(reading)).unwrap_or_default();
        if let (Some(zip), Some(state)) = (asked.zip, asked.state)
            && let Some(other) = localities.iter().flatten().find_map(|of| of.state.filter(|_| of.zip == Some(zip)))
            && other != state
        {
            notes.push(format!("ZIP {zip} lies in {}, not in {}: the ZIP was looked for", other.name(), state.name()));
        }
        let places = found.into_iter().map(|(.., place)| place).collect();
        Ok(PlacesFound { places, asked, notes, in_state, localities })
    }

    /// Places of one scope whose reading explains most, each with it.
    fn places_of(
        &self,
        address: &Written<'_>,
        localities: &Localities,
        scope: Scope,
        cancel: &Cancel,
    ) -> Result<Vec<(u8, usize, u32)>> {
        let mut found: Vec<(u8, usize, u32)> = Vec::new();
        let mut numbers: Vec<Option<String>> = vec![None; address.readings.len()];
        for of in localities.iter().flatten().filter(|of| of.scope == scope) {
            for (_, number) in &of.readings {
                if let (Some(known), Some(reading)) = (numbers.get_mut(*number), address.readings.get(*number)) {
                    known.get_or_insert_with(|| plain_number(address.folded(reading)));
                }
            }
        }
        let may_be = |text: &str, number: usize| {
            let digits = numbers.get(number).and_then(Option::as_deref).unwrap_or_default();
            !text.is_ascii() || text.contains(digits)
        };
        self.each_place(localities, cancel, |directory, place, of| {
            if of.scope != scope {
                return Ok(());
            }
            let text = directory.places.address.get(place)?;
            if text.is_empty() || !of.readings.iter().any(|(_, number)| may_be(&text, *number)) {
                return Ok(());
            }
            let own = of.fold(&text);
            let mut readings = of.readings.iter().filter(|(_, number)| {
                address.readings.get(*number).is_some_and(|reading| address.folded(reading).has(&own))
            });
            found.extend(readings.next().map(|(rank, number)| (*rank, *number, place)));
            Ok(())
        })?;
        let best = found.iter().map(|(rank, ..)| *rank).min();
        found.retain(|(rank, ..)| Some(*rank) == best);
        Ok(found)
    }

    fn each_place(
        &self,
        localities: &Localities,
        cancel: &Cancel,
        mut see: impl FnMut(&Self, u32, &InLocality) -> Result<(), Damaged>,
    ) -> Result<()> {
        for place in 0..self.error_if_damaged(self.places.locality.count())? {
            if place % PLACES_A_CHECK == 0 {
                cancel.check()?;
            }
            let locality = self.error_if_damaged(self.places.locality.get(place))?;
            if let Some(Some(of)) = localities.get(locality as usize) {
                self.error_if_damaged(see(self, place, of))?;
            }
        }
        Ok(())
    }

    /// What an address means in each locality. One with the ZIP is meant; without a ZIP the city has to be the one
    /// that is written before the state. What may be a state is one where the locality lies in it, or where the
    /// city stands before it; else it is a word of the street: `5700 Harper Dr NE, 87109` is not in Nebraska. The city's
    /// other ZIPs are looked for where that is asked: most addresses are found without.
    fn localities_of(&self, address: &Written<'_>, with_other_zips: bool) -> Result<Localities, Damaged> {
        let places = &self.places;
        let count = places.locality_city.count()?;
        let zip_of = |locality: u32| Ok(places.locality_zip.get(locality)?.checked_sub(1).and_then(Zip5::new));
        let state_of = |locality: u32| -> Result<Option<State>, Damaged> {
            let number = places.locality_state.get(locality)?.checked_sub(1);
            Ok(number.map(|number| places.state.get(number)).transpose()?.and_then(|state| State::from_name(&state)))
        };
        let mut of_zip = BTreeSet::new();
        for locality in 0..if address.zip.is_some() { count } else { 0 } {
            if zip_of(locality)? == address.zip {
                of_zip.extend(state_of(locality)?);
            }
        }
        let mut all = Vec::new();
        for locality in 0..count {
            let zip = zip_of(locality)?;
            let by_zip = address.zip.zip(zip).map(|(wanted, own)| wanted == own);
            if by_zip == Some(false) && !with_other_zips {
                all.push(None);
                continue;
            }
            let city = match places.locality_city.get(locality)?.checked_sub(1) {
                Some(number) => Some(places.city.get(number)?),
                None => None,
            };
            let state = state_of(locality)?;
            let key = city.as_deref().map(names::key);
            let scope_of = |reading: &Reading| {
                let in_state = reading.state.as_ref().map(|(wanted, _)| state.is_none_or(|own| own == *wanted));
                let of_zip = || state.is_some_and(|own| of_zip.contains(&own));
                if let Some((wanted, _)) = &reading.city {
                    if key.as_ref() != Some(wanted) {
                        return None;
                    }
                    return match by_zip {
                        Some(true) => Some(Scope::Meant),
                        Some(false) => in_state.unwrap_or_else(of_zip).then_some(Scope::OtherZip),
                        None => in_state.unwrap_or_else(of_zip).then_some(Scope::Meant),
                    };
                }
                match (by_zip, &reading.state) {
                    (Some(true), _) => (in_state != Some(false)).then_some(Scope::Meant),
                    // `100 Main St, New York`: a city of its state's name.
                    (None, Some((wanted, name))) if address.zip.is_none() && state == Some(*wanted) => {
                        Some(if key.as_ref() == Some(name) { Scope::Meant } else { Scope::State })
                    }
                    _ => None,
                }
            };
            let scopes = address.readings.iter().enumerate();
            let scopes: Vec<_> = scopes.filter_map(|(at, of)| Some((scope_of(of)?, of.rank, at))).collect();
            let scope = [Scope::Meant, Scope::OtherZip, Scope::State];
            let scope = scope.into_iter().find(|scope| scopes.iter().any(|(of, ..)| of == scope));
            all.push(scope.map(|scope| {
                let readings = scopes.iter().filter(|(of, ..)| *of == scope);
                let mut readings: Vec<(u8, usize)> = readings.map(|(_, rank, at)| (*rank, *at)).collect();
                readings.sort_unstable();
                InLocality { scope, readings, city, state, zip }
            }));
        }
        Ok(all)
    }

    /// Addresses near one at which nobody was found, the nearest first, and whether there are more.
    pub(super) fn near_addresses(
        &self,
        address: &Written<'_>,
        found: &PlacesFound,
        cancel: &Cancel,
    ) -> Result<(Vec<NearAddress>, bool)> {
        let streets: Vec<Street> = address.readings.iter().map(|of| Street::of(&address.folded(of).line)).collect();
        let with_other_zips = address.zip.map(|_| self.error_if_damaged(self.localities_of(address, true)));
        let with_other_zips = with_other_zips.transpose()?;
        let localities = with_other_zips.as_ref().unwrap_or(&found.localities);
        let mut near: Vec<(AddressDifference, u64, u32)> = Vec::new();
        self.each_place(localities, cancel, |directory, place, of| {
            if of.scope == Scope::State && !found.in_state {
                return Ok(());
            }
            let text = directory.places.address.get(place)?;
            // In a whole state the same number alone is near.
            let digits = |street: &Street| street.house().map(|house| house.to_string());
            let may_be = |street: &Street| digits(street).is_none_or(|digits| text.contains(&digits));
            let is_wide = of.scope != Scope::Meant;
            let wanted = of.readings.iter().filter_map(|(_, number)| {
                let street = streets.get(*number).filter(|street| !is_wide || may_be(street))?;
                Some((address.folded(address.readings.get(*number)?), street))
            });
            let mut wanted = wanted.peekable();
            if text.is_empty() || wanted.peek().is_none() {
                return Ok(());
            }
            let own = of.fold(&text);
            let difference = wanted.filter_map(|(folded, street)| difference(of.scope, folded, street, &own)).min();
            near.extend(difference.map(|(difference, distance)| (difference, distance, place)));
            Ok(())
        })?;
        near.sort_unstable();
        let mut shown = Vec::new();
        for (difference, _, place) in near {
            let rows = self.error_if_damaged(self.rows.place.run(place, self.rows.count))?;
            let practice_locations = self.error_if_damaged(self.by_activity(rows.collect()))?.len();
            if practice_locations == 0 {
                continue;
            }
            if shown.len() == MOST_NEAR {
                return Ok((shown, true));
            }
            let locality = self.error_if_damaged(self.places.locality.get(place))?;
            let Some(Some(of)) = localities.get(locality as usize) else { continue };
            shown.push(NearAddress {
                difference,
                address: self.error_if_damaged(self.places.address.get(place))?,
                city: of.city.clone(),
                state: of.state,
                zip: of.zip,
                practice_locations: u64::try_from(practice_locations).unwrap_or(u64::MAX),
            });
        }
        Ok((shown, false))
    }

    /// An error where an address without a city is in several.
    pub(super) fn error_if_in_several_cities(
        &self,
        address: &Written<'_>,
        found: &PlacesFound,
        places: impl Iterator<Item = u32>,
    ) -> Result<()> {
        let (mut cities, mut candidates) = (BTreeSet::new(), Vec::new());
        for place in places {
            let locality = self.error_if_damaged(self.places.locality.get(place))?;
            let Some(Some(of)) = found.localities.get(locality as usize) else { continue };
            if cities.insert(of.city.as_deref().map(names::key)) {
                let text = self.error_if_damaged(self.places.address.get(place))?;
                candidates.push(label(&text, of.city.as_deref(), of.state, of.zip));
            }
        }
        if cities.len() < 2 {
            return Ok(());
        }
        let message = format!("it names no city, and is in {} of them", cities.len());
        candidates.truncate(MOST_CANDIDATES);
        Err(Error::new(ErrorKind::Ambiguous, address.subject.clone(), message)
            .with_hint("name the city or the ZIP")
            .with_candidates(candidates))
    }
}

impl InLocality {
    fn fold(&self, text: &str) -> Folded {
        folded_text(text, &Beside { city: self.city.as_deref(), state: self.state, zip: self.zip })
    }
}

/// The number at the beginning, which a text of the address has too; else nothing.
fn plain_number(folded: &Folded) -> String {
    let first = folded.line.split(' ').next().unwrap_or_default();
    if first.bytes().all(|b| b.is_ascii_digit()) { first.to_owned() } else { String::new() }
}

/// In what an address differs from the one that is wanted, and how far its number is; `None`: it is not near.
fn difference(scope: Scope, wanted: &Folded, street: &Street, own: &Folded) -> Option<(AddressDifference, u64)> {
    if scope == Scope::OtherZip {
        return wanted.has(own).then_some((AddressDifference::Zip, 0));
    }
    if !wanted.line.is_empty() && wanted.line == own.line {
        return (wanted != own && wanted.names_a_house()).then_some((AddressDifference::Unit, 0));
    }
    let other = Street::of(&own.line);
    let bare = street.bare();
    if bare.is_empty() {
        return None;
    }
    if street.number.is_some() && street.number == other.number {
        return (bare == other.bare()).then_some((AddressDifference::Street, 0));
    }
    let is_on_it = street.name == other.name || (street.name == bare && other.bare() == bare);
    let distance = street.house().zip(other.house()).map(|(a, b)| a.abs_diff(b));
    let number = (AddressDifference::Number, distance.unwrap_or(u64::MAX));
    (is_on_it && scope == Scope::Meant && street.number.is_some() && other.number.is_some()).then_some(number)
}
