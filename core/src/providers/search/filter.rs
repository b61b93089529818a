//! Judging roles, providers and places by what a search asks for.

use crate::asked::check_lengths;
use crate::cancel::Cancel;
use crate::fold::{self, edits};
use crate::format::DamagedIfNone as _;
use crate::format::packed::{Damaged, Texts};
use crate::ids::State;
use crate::{Error, ErrorKind, Result};

use crate::data::directory::layout::{accepting, flag, kind};
use crate::data::directory::names::Wanted as WantedNames;
use crate::data::directory::networks::Wanted;
use crate::data::directory::specialties::Meant;
use crate::data::directory::{ClosedRole, Directory};
use crate::spelling::language::kinds_of;
use crate::spelling::{NICKNAMES, city_key, language_name};

use super::{ProviderKind, ProviderSearch};

/// Cities that an error names at most.
const MOST_NEAR_CITIES: usize = 8;

/// A search's conditions, resolved against one directory.
#[derive(Debug)]
pub(crate) struct Filter<'d> {
    directory: &'d Directory,
    pub(crate) wanted: Wanted,
    pub(crate) specialty: Option<Meant>,
    accepting: bool,
    /// Whether a provider with a trait is wanted, by trait number; `None`: any is.
    traits: Option<Vec<bool>>,
    /// Whether a place in a locality is wanted, by its number; `None`: any is.
    localities: Option<Vec<bool>>,
    /// The name that was typed.
    pub(crate) name: Option<WantedNames>,
}

impl<'d> Filter<'d> {
    pub(crate) fn new(directory: &'d Directory, search: &ProviderSearch, cancel: &Cancel) -> Result<Self> {
        check_lengths([
            ("specialty", search.specialty.as_ref()),
            ("gender", search.gender.as_ref()),
            ("language", search.language.as_ref()),
            ("city", search.city.as_ref()),
        ])?;
        cancel.check()?;
        let typed = search.name.as_deref().filter(|text| !text.trim().is_empty());
        let name = typed.map(|text| directory.names.typed(text, cancel)).transpose()?;
        Ok(Self {
            directory,
            wanted: directory.networks.wanted(search.networks.as_deref(), search.network_kind)?,
            specialty: search.specialty.as_deref().map(|text| directory.specialties.meant(text)).transpose()?,
            accepting: search.accepting,
            traits: traits(directory, search)?,
            localities: search.city.as_deref().map(|city| localities(directory, city, cancel)).transpose()?,
            name,
        })
    }

    /// Whether an entry of a specialty's list says all that there is to say of its role.
    pub(crate) fn list_decides(&self) -> bool {
        !self.accepting
            && self.wanted.ignores_flags()
            && self.specialty.as_ref().is_none_or(|specialty| specialty.whole_keys)
    }

    /// Whether a row's networks say all that there is to say of its roles.
    pub(crate) fn row_decides(&self) -> bool {
        self.specialty.is_none() && !self.accepting && self.wanted.ignores_flags()
    }

    /// Whether a row has a role that a search finds, in a wanted network as far as its networks tell.
    #[inline]
    pub(crate) fn row_may_fit(&self, row: u32) -> Result<bool, Damaged> {
        let Some(set) = self.directory.rows.networks.get(row)?.checked_sub(1) else { return Ok(false) };
        Ok(match &self.wanted {
            Wanted::Any => true,
            wanted => wanted.may_fit(self.directory.networks.row_set(set)?),
        })
    }

    /// Whether the provider has a say.
    pub(crate) fn asks_provider(&self) -> bool {
        self.traits.is_some()
    }

    /// Whether the place has a say, wherever it is.
    pub(crate) fn asks_place(&self) -> bool {
        self.localities.is_some()
    }

    /// Whether one of these roles has all that is asked of a role.
    #[inline]
    pub(crate) fn any_role_fits(&self, roles: std::ops::Range<u32>) -> Result<bool, Damaged> {
        if self.accepting && matches!(self.wanted, Wanted::Any) {
            return self.all_accept(roles);
        }
        for role in roles {
            if self.role_fits(role)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Whether one of these roles has the specialty asked for, and none of those that have it says anything
    /// but that new patients are taken: whose network the patient has is not known.
    fn all_accept(&self, roles: std::ops::Range<u32>) -> Result<bool, Damaged> {
        let mut statements = Vec::new();
        for role in roles {
            let flags = self.directory.flags(role)?;
            if flags & flag::HIDDEN == 0 && self.specialty_fits(role)? {
                statements.extend(self.accepting(role, flags)?);
            }
        }
        Ok(self.together(&statements) == Some(accepting::YES))
    }

    /// Whether a role is active and has all that is asked of a role; those of closed doors never do.
    #[inline]
    pub(crate) fn role_fits(&self, role: u32) -> Result<bool, Damaged> {
        let flags = self.directory.flags(role)?;
        if flags & flag::HIDDEN != 0 {
            return Ok(false);
        }
        Ok(self.networks_fit(role, flags)? && self.specialty_fits(role)? && self.accepting_fits(role, flags)?)
    }

    /// Whether a role in doubt may have all that is asked of a role: one that the payer contradicts where it
    /// says so, one of an unknown network whatever network is asked for.
    pub(crate) fn role_may_fit(&self, role: u32) -> Result<bool, Damaged> {
        let flags = self.directory.flags(role)?;
        if flags & flag::DOUBT == 0 || flags & (flag::HIDDEN & !flag::CONTRARY) != 0 {
            return Ok(false);
        }
        let by_network = flags & flag::LOST_NETWORK != 0 || self.networks_fit(role, flags)?;
        Ok(by_network && self.specialty_fits(role)? && self.accepting_fits(role, flags)?)
    }

    /// As [`Self::role_fits`] for a role of closed doors, whatever its specialty but for [`Meant::may_be`].
    pub(crate) fn closed_role_fits(&self, role: u32) -> Result<bool, Damaged> {
        let closed = self.directory.closed_role(role)?;
        Ok(match closed {
            Some(closed) => self.closed_fits(&closed)?,
            None => false,
        })
    }

    /// As [`Self::closed_role_fits`] for one that was read.
    #[inline]
    pub(crate) fn closed_fits(&self, role: &ClosedRole) -> Result<bool, Damaged> {
        let fits = match &self.wanted {
            Wanted::Any => true,
            wanted => wanted.fits(self.directory.networks.set(role.networks)?, role.flags),
        };
        let may_be = match &self.specialty {
            Some(meant) => {
                let set = self.directory.roles.specialties.get(role.role)?;
                meant.may_be(self.directory.specialties.members(set)?)
            }
            None => true,
        };
        Ok(fits && may_be && self.accepting_fits(role.role, role.flags)?)
    }

    #[inline]
    pub(crate) fn networks_fit(&self, role: u32, flags: u32) -> Result<bool, Damaged> {
        match &self.wanted {
            Wanted::Any => Ok(true),
            wanted => {
                let set = self.directory.roles.networks.get(role)?;
                Ok(wanted.fits(self.directory.networks.set(set)?, flags))
            }
        }
    }

    #[inline]
    pub(crate) fn specialty_fits(&self, role: u32) -> Result<bool, Damaged> {
        let Some(meant) = &self.specialty else { return Ok(true) };
        let set = self.directory.roles.specialties.get(role)?;
        Ok(self.directory.specialties.members(set)?.any(|specialty| meant.has(specialty)))
    }

    pub(crate) fn accepting_fits(&self, role: u32, flags: u32) -> Result<bool, Damaged> {
        Ok(!self.accepting || self.together(&self.accepting(role, flags)?) == Some(accepting::YES))
    }

    /// What a role says of new patients in each of its wanted networks: what it says of a network
    /// outweighs what it says of all. `None`: it contradicts itself.
    pub(crate) fn accepting(&self, role: u32, flags: u32) -> Result<Vec<Option<u32>>, Damaged> {
        self.directory.accepting_in(role, |network| self.wanted.has(network, flags))
    }

    /// What several statements say together: where networks are asked for, the best of them; else what
    /// all of them say, as nobody knows which network a patient has.
    pub(crate) fn together(&self, statements: &[Option<u32>]) -> Option<u32> {
        together(&self.wanted, statements)
    }

    /// Whether a row's provider is of the kind, gender and language asked for; by its name it is found.
    #[inline]
    pub(crate) fn provider_fits(&self, row: u32) -> Result<bool, Damaged> {
        let Some(traits) = &self.traits else { return Ok(true) };
        let number = self.directory.providers.traits.get(self.directory.rows.provider.get(row)?)?;
        traits.get(number as usize).copied().damaged_if_none()
    }

    /// Whether a place is in the city asked for.
    #[inline]
    pub(crate) fn place_fits(&self, place: u32) -> Result<bool, Damaged> {
        let Some(localities) = &self.localities else { return Ok(true) };
        let number = self.directory.places.locality.get(place)?;
        localities.get(number as usize).copied().damaged_if_none()
    }

    /// As [`Self::place_fits`]; a place that states no city may be in the one asked for.
    pub(crate) fn place_may_fit(&self, place: u32) -> Result<bool, Damaged> {
        let locality = self.directory.places.locality.get(place)?;
        Ok(self.directory.places.locality_city.get(locality)? == 0 || self.place_fits(place)?)
    }
}

/// As [`Filter::together`], for these networks.
pub(crate) fn together(wanted: &Wanted, statements: &[Option<u32>]) -> Option<u32> {
    match wanted {
        Wanted::Any => agreed(statements),
        Wanted::OneOf { .. } => statements.iter().flatten().copied().min_by_key(|code| accepting::rank(*code)),
    }
}

/// What all statements say; `None`: nothing is said, or they differ.
pub(crate) fn agreed(statements: &[Option<u32>]) -> Option<u32> {
    let (first, rest) = statements.split_first()?;
    first.filter(|_| rest.iter().all(|other| other == first))
}

fn traits(directory: &Directory, search: &ProviderSearch) -> Result<Option<Vec<bool>>> {
    if search.kind.is_none() && search.gender.is_none() && search.language.is_none() {
        return Ok(None);
    }
    let columns = &directory.providers;
    let gender = search.gender.as_deref().map(|text| gender(directory, text)).transpose()?;
    let language = search.language.as_deref().map(|text| language(directory, text)).transpose()?;
    let wanted_kind = search.kind.map(|wanted| match wanted {
        ProviderKind::Individual => kind::INDIVIDUAL,
        ProviderKind::Organization => kind::ORGANIZATION,
    });
    let fits = |number: u32| {
        let kind = match wanted_kind {
            Some(wanted) => columns.trait_kind.get(number)? == wanted,
            None => true,
        };
        let gender = match &gender {
            Some(wanted) => columns.trait_gender.get(number)?.checked_sub(1).is_some_and(|own| wanted.contains(&own)),
            None => true,
        };
        let language = match &language {
            Some(wanted) => directory.language_numbers(number)?.iter().any(|own| wanted.contains(own)),
            None => true,
        };
        Ok(kind && gender && language)
    };
    let all = || (0..columns.trait_kind.count()?).map(fits).collect();
    directory.error_if_damaged(all()).map(Some)
}

/// Numbers of the genders that a text means: itself in any case, or its first letter.
fn gender(directory: &Directory, text: &str) -> Result<Vec<u32>> {
    let wanted = gender_key(text);
    let fits = |own: &String| gender_key(own) == wanted;
    numbers_of(directory, ("gender", text), &directory.providers.gender, fits)
}

/// What `F`, `Female` and `woman` share; anything else is itself, folded.
fn gender_key(text: &str) -> String {
    let folded = fold::key(text);
    match folded.as_str() {
        "f" | "fem" | "female" | "woman" | "women" | "w" => "female".to_owned(),
        "m" | "male" | "man" | "men" => "male".to_owned(),
        "o" | "other" => "other".to_owned(),
        "u" | "unk" | "unknown" => "unknown".to_owned(),
        _ => folded,
    }
}

/// Numbers of the languages that a text means: by its names in English and in itself, or by its code.
fn language(directory: &Directory, text: &str) -> Result<Vec<u32>> {
    let name = language_name(text);
    let wanted = fold::key(name.unwrap_or(text));
    let kinds = name.map(kinds_of).unwrap_or_default();
    let fits = |own: &String| fold::key(own) == wanted || kinds.contains(&own.as_str());
    numbers_of(directory, ("language", text), &directory.providers.language, fits)
}

/// Those that a text may be a misspelling of, the nearest first; all where none is near.
fn nearest(text: &str, all: Vec<String>) -> Vec<String> {
    let wanted = fold::key(text);
    let most = (wanted.chars().count() / 3).min(2);
    let mut near: Vec<(usize, &String)> =
        all.iter().filter_map(|own| Some((edits(&wanted, &fold::key(own), most)?, own))).collect();
    near.sort();
    if near.is_empty() { all } else { near.into_iter().map(|(_, own)| own.clone()).collect() }
}

fn numbers_of(
    directory: &Directory,
    (what, text): (&str, &str),
    all: &Texts,
    fits: impl Fn(&String) -> bool,
) -> Result<Vec<u32>> {
    let all: Vec<String> = directory.error_if_damaged(all.iter().collect())?;
    let numbers: Vec<u32> = (0..).zip(&all).filter(|(_, own)| fits(own)).map(|(number, _)| number).collect();
    if numbers.is_empty() {
        let shown: String = text.trim().chars().take(40).collect();
        return Err(Error::new(ErrorKind::NotFound, format!("{what} {shown:?}"), "nobody in the directory states it")
            .with_candidates(nearest(text, all)));
    }
    Ok(numbers)
}

/// For each locality whether it is in a city, in any spelling of its name; a state may stand behind a
/// comma.
fn localities(directory: &Directory, city: &str, cancel: &Cancel) -> Result<Vec<bool>> {
    let localities = directory.error_if_damaged(localities_in(directory, city))?;
    if localities.contains(&true) {
        return Ok(localities);
    }
    let shown: String = city.trim().chars().take(60).collect();
    cancel.check()?;
    let near = directory.error_if_damaged(near_cities(directory, city))?;
    Err(Error::new(ErrorKind::NotFound, format!("city {shown:?}"), "no place in the directory is there")
        .with_candidates(near))
}

fn localities_in(directory: &Directory, city: &str) -> Result<Vec<bool>, Damaged> {
    let places = &directory.places;
    let numbers = |city: &str| {
        let wanted = city_key(city);
        let from = places.city_key.first_not(|key| key < wanted.as_bytes())?;
        let to = places.city_key.first_not(|key| key <= wanted.as_bytes())?;
        Ok((from < to && !wanted.is_empty()).then_some(from..to))
    };
    let states: Vec<Option<State>> =
        places.state.iter().map(|stated| Ok(State::from_name(&stated?))).collect::<Result<_, Damaged>>()?;
    let (cities, in_states) = (places.locality_city.all()?, places.locality_state.all()?);
    let mut localities = vec![false; cities.len()];
    let mut add = |range: std::ops::Range<u32>, state: Option<State>| {
        let in_state = |coded: u32| {
            let stated = coded.checked_sub(1).and_then(|number| *states.get(number as usize)?);
            state.is_none() || stated == state
        };
        for ((fits, city), of) in localities.iter_mut().zip(&cities).zip(&in_states) {
            *fits |= *city > range.start && *city <= range.end && in_state(*of);
        }
    };
    // As it stands, and with the state behind it: a payer may write either into the city.
    if let Some(numbers) = numbers(city)? {
        add(numbers, None);
    }
    for (name, state) in crate::geo::names::name_and_state(city) {
        if let (Some(_), Some(numbers)) = (state, numbers(name)?) {
            add(numbers, state);
        }
    }
    Ok(localities)
}

/// Cities whose names are few edits away from a text, then such as begin like it; one spelling of each.
fn near_cities(directory: &Directory, city: &str) -> Result<Vec<String>, Damaged> {
    let (wanted, places) = (city_key(city), &directory.places);
    let length = wanted.chars().count();
    let most = if length < 6 { 1 } else { 2 };
    let nickname = NICKNAMES.iter().find(|(nickname, _)| *nickname == wanted).map(|(_, name)| city_key(name));
    let beginning: String = wanted.chars().take(4).collect();
    let rank = |key: &str| {
        let begins = length >= 3 && key.starts_with(&beginning);
        if nickname.as_deref() == Some(key) {
            return Some(0);
        }
        edits(key, &wanted, most).or_else(|| begins.then_some(most + 1))
    };
    let mut near: Vec<(usize, String, u32)> = Vec::new();
    for (number, key) in (0..).zip(places.city_key.iter()) {
        let key = key?;
        if near.last().is_none_or(|(_, last, _)| *last != key) {
            near.extend(rank(&key).map(|rank| (rank, key, number)));
        }
    }
    near.sort();
    near.into_iter().take(MOST_NEAR_CITIES).map(|(_, _, number)| places.city.get(number)).collect()
}
