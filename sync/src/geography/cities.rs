//! Which county a city lies in: by the table of places, and by what a directory's own places show.

use std::collections::{BTreeMap, HashMap};

use coverdex_core::build::geo::names;
use coverdex_core::build::providers::{cities_written_out, city_without_state};
use coverdex_core::{CountyFips, State};

use super::{Gazetteer, Named};

/// The share of a city's places, of ten, that must lie in one county for it to be the city's.
const NEARLY_ALL: u64 = 9;

/// Words that `city` texts of military mail begin with.
const MILITARY_OFFICES: [&str; 3] = ["APO", "FPO", "DPO"];

impl Gazetteer {
    /// The counties of a state that a city's name may mean: `St. Louis`, `FT MYERS`, `Winston Salem`;
    /// the name may repeat the state (`Houston, TX`). A state of one county has no other.
    #[must_use]
    pub fn city_named(&self, state: State, city: &str) -> Named {
        let mut counties = self.counties_of(state);
        if let (Some(only), None) = (counties.next(), counties.next()) {
            return Named::One(only.fips);
        }
        let found = city_keys(state, city).into_iter().map(|key| {
            let known = [self.towns.get(&key), self.places.get(&key)].into_iter().flatten();
            let in_state = |counties: &Vec<CountyFips>| {
                counties.iter().copied().filter(|county| county.state() == Some(state)).collect::<Vec<_>>()
            };
            known.map(in_state).find(|counties| !counties.is_empty()).unwrap_or_default()
        });
        match found.into_iter().find(|counties| !counties.is_empty()).as_deref() {
            None | Some([]) => Named::None,
            Some([one]) => Named::One(*one),
            Some(several) => Named::Several(several.to_vec()),
        }
    }
}

impl Gazetteer {
    /// Whether a city's name is that of a county that is a city.
    pub(super) fn is_city_named(&self, county: CountyFips, state: State, city: &str) -> bool {
        let named = |key: &String| self.by_name.get(key).into_iter().flatten().any(|named| named.fips == county);
        city_keys(state, city).iter().any(named)
    }
}

/// The keys that a city's name may be known by, likeliest first.
fn city_keys(state: State, city: &str) -> Vec<String> {
    let ways = names::name_and_state(city);
    let mut keys = vec![names::key(city)];
    keys.extend(ways.iter().filter(|(_, other)| *other == Some(state)).map(|(name, _)| names::key(name)));
    let written = cities_written_out(city_without_state(city, Some(state)));
    keys.extend(written.iter().map(|name| names::key(name)));
    keys.retain(|key| !key.is_empty());
    keys.dedup();
    keys
}

/// The state that a city's text names where the state itself is not stated: `Houston, TX`, `APO AE`.
pub(super) fn state_in_city(city: &str) -> Option<State> {
    let (name, tail) = city.trim().rsplit_once([',', ' '])?;
    let is_military = MILITARY_OFFICES.iter().any(|office| name.trim().eq_ignore_ascii_case(office));
    let state = State::from_name(tail.trim())?;
    (is_military || city.contains(',')).then_some(state)
}

/// In which counties a directory's own places show a city to lie: those whose position, district or
/// ZIP tells their county.
#[derive(Clone, Debug, Default)]
pub struct CitiesShown {
    counties: HashMap<(State, String), BTreeMap<CountyFips, u64>>,
}

impl CitiesShown {
    /// Notes that a place of this city lies in a county of its stated state.
    pub fn note(&mut self, state: State, city: &str, county: CountyFips) {
        let key = names::key(city);
        if !key.is_empty() && county.state() == Some(state) {
            *self.counties.entry((state, key)).or_default().entry(county).or_default() += 1;
        }
    }

    /// The county in which all or nearly all places of a city lie; `among`: it can only be one of these.
    pub(super) fn county(&self, state: State, city: &str, among: Option<&[CountyFips]>) -> Option<CountyFips> {
        let shown = self.counties.get(&(state, names::key(city)))?;
        let eligible = |county: &CountyFips| among.is_none_or(|among| among.contains(county));
        let counts = || shown.iter().filter(|(county, _)| eligible(county));
        let all: u64 = counts().map(|(_, count)| count).sum();
        counts().find(|(_, count)| *count * 10 >= all * NEARLY_ALL).map(|(county, _)| *county)
    }
}
