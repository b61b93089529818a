//! The gazetteer that datasets are built with: counties, ZIP areas and county shapes, from the
//! tables of `index-data/geography` (sources and licences there).
//!
//! The tables are compiled into the builder and decoded at the first use. What a reader needs of
//! them is written into each dataset ([`Gazetteer::write_tables`]).

mod cities;
mod locate;
mod prefixes;
mod shapes;
mod tables;
#[cfg(test)]
mod tests;
mod write;

use std::collections::HashMap;
use std::sync::LazyLock;

use coverdex_core::Point;
use coverdex_core::build::geo::names::{self, NamedCounty};
use coverdex_core::{CountyFips, State, Zip5};

pub use cities::CitiesShown;
pub use locate::{Evidence, Located, PositionVerdict, Precision};

/// Counties, ZIP areas and county shapes.
#[derive(Debug)]
pub struct Gazetteer {
    counties: Vec<CountyEntry>,
    former: Vec<FormerCounty>,
    neighbors: Vec<(CountyFips, CountyFips)>,
    by_name: HashMap<String, Vec<NamedCounty>>,
    zips: Vec<ZipArea>,
    prefixes: prefixes::Prefixes,
    /// By folded name; a town of Connecticut is in one county.
    towns: HashMap<String, Vec<CountyFips>>,
    /// The counties of places in all states, by folded name.
    places: HashMap<String, Vec<CountyFips>>,
    shapes: shapes::Shapes,
    /// Cities that are counties and whose shapes are too coarse to show what lies in them.
    coarse: Vec<CountyFips>,
}

/// A county of today.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CountyEntry {
    /// Its code.
    pub fips: CountyFips,
    /// Its full name, such as `Baltimore city`.
    pub name: String,
    /// The point that distances from it are measured from.
    pub point: Point,
    /// Meters from that point to the farthest point of its border.
    pub radius_m: u32,
}

/// A county that was renamed, merged or divided.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FormerCounty {
    /// Its code.
    pub fips: CountyFips,
    /// Its full name.
    pub name: String,
    /// The year from which it is former.
    pub since: u16,
    /// The counties of today that it is in; Connecticut's by the number of its towns, most first.
    pub successors: Vec<CountyFips>,
}

/// A ZIP area.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ZipArea {
    /// Its code.
    pub zip: Zip5,
    /// A point inside; not known for areas that the Census no longer has.
    pub point: Option<Point>,
    /// Its counties of today with their shares of its people in 1/10000, the largest first. A share
    /// of 0: it touches the county, and nobody or nobody counted lives there.
    pub counties: Vec<(CountyFips, u16)>,
    /// Its former counties (Connecticut's), in the same way.
    pub former: Vec<(CountyFips, u16)>,
}

/// Which counties a name means.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Named {
    /// This one.
    One(CountyFips),
    /// Any of these: a bare name that a county and a city share, or a former county whose area is
    /// in several counties of today. By code.
    Several(Vec<CountyFips>),
    /// None.
    None,
}

static GAZETTEER: LazyLock<Gazetteer> = LazyLock::new(tables::decode);

impl Gazetteer {
    /// The gazetteer; decoded at the first call, some 30 ms.
    #[must_use]
    pub fn get() -> &'static Self {
        &GAZETTEER
    }

    /// Every county of today, by code.
    #[must_use]
    pub fn counties(&self) -> &[CountyEntry] {
        &self.counties
    }

    /// Every former county, by code.
    #[must_use]
    pub fn former_counties(&self) -> &[FormerCounty] {
        &self.former
    }

    /// Every ZIP area, by code.
    #[must_use]
    pub fn zip_areas(&self) -> &[ZipArea] {
        &self.zips
    }

    /// The county of today with this code.
    #[must_use]
    pub fn county(&self, fips: CountyFips) -> Option<&CountyEntry> {
        self.counties.binary_search_by_key(&fips, |county| county.fips).ok().and_then(|at| self.counties.get(at))
    }

    /// The former county with this code.
    #[must_use]
    pub fn former_county(&self, fips: CountyFips) -> Option<&FormerCounty> {
        self.former.binary_search_by_key(&fips, |county| county.fips).ok().and_then(|at| self.former.get(at))
    }

    /// The state that a county lies in.
    #[must_use]
    pub fn state_of(&self, fips: CountyFips) -> Option<State> {
        fips.state()
    }

    /// The counties of a state, by code; for a service area that names only a state.
    pub fn counties_of(&self, state: State) -> impl Iterator<Item = &CountyEntry> {
        self.counties.iter().filter(move |county| county.fips.state() == Some(state))
    }

    /// Whether two counties touch.
    #[must_use]
    pub fn touch(&self, a: CountyFips, b: CountyFips) -> bool {
        self.neighbors.binary_search(&(a, b)).is_ok()
    }

    /// The county that a point lies in. The shapes are coarse (1:10,000,000): a point outside all
    /// of them, on a shore or a pier, belongs to the nearest county within 2 km.
    #[must_use]
    pub fn county_at(&self, point: Point) -> Option<CountyFips> {
        self.shapes.county_at(point)
    }

    /// The ZIP area of a code; `None` for a ZIP that is no area, such as one of post-office boxes.
    #[must_use]
    pub fn zip_area(&self, zip: Zip5) -> Option<&ZipArea> {
        self.zips.binary_search_by_key(&zip, |area| area.zip).ok().and_then(|at| self.zips.get(at))
    }

    /// The counties of a ZIP with their shares in 1/10000, the largest first; empty where not known.
    #[must_use]
    pub fn zip_counties(&self, zip: Zip5) -> &[(CountyFips, u16)] {
        self.zip_area(zip).map_or(&[], |area| area.counties.as_slice())
    }

    /// The states that a ZIP may be of by its first three digits, by their letters; those of boxes and
    /// of military mail too. Empty where not known.
    #[must_use]
    pub fn zip_states(&self, zip: Zip5) -> &[State] {
        self.prefixes.states(zip)
    }

    /// A point inside a ZIP area.
    #[must_use]
    pub fn zip_point(&self, zip: Zip5) -> Option<Point> {
        self.zip_area(zip).and_then(|area| area.point)
    }

    /// The counties that a name or a FIPS code means in a state: `Fairfax City`, `DE KALB`,
    /// `12086`, `Hartford` (Connecticut's former county). Without a state the text may name it
    /// (`Miami-Dade, FL`).
    #[must_use]
    pub fn county_named(&self, state: Option<State>, name: &str) -> Named {
        let mut found = Vec::new();
        for fips in self.codes_named(state, name) {
            match self.former_county(fips) {
                Some(former) => found.extend_from_slice(&former.successors),
                None => found.push(fips),
            }
        }
        found.sort_unstable();
        found.dedup();
        match found.as_slice() {
            [] => Named::None,
            [one] => Named::One(*one),
            _ => Named::Several(found),
        }
    }

    /// The former county that a name or a code means, and no county of today: what an area is kept
    /// as that must later be compared with the former counties of a ZIP ([`ZipArea::former`]).
    #[must_use]
    pub fn former_county_named(&self, state: Option<State>, name: &str) -> Option<&FormerCounty> {
        match self.codes_named(state, name).as_slice() {
            [one] => self.former_county(*one),
            _ => None,
        }
    }

    /// As [`Self::county_named`], former counties by their own codes.
    fn codes_named(&self, state: Option<State>, name: &str) -> Vec<CountyFips> {
        if let Ok(fips) = name.parse::<CountyFips>() {
            let known = self.county(fips).is_some() || self.former_county(fips).is_some();
            let agrees = state.is_none() || fips.state() == state;
            return if known && agrees { vec![fips] } else { Vec::new() };
        }
        let mut ways = names::name_and_state(name);
        if state.is_some() {
            // The name as it stands, then without a state that repeats the stated one.
            ways.retain(|(_, other)| *other == state);
            ways.insert(0, (name, state));
        }
        ways.into_iter()
            .map(|(name, state)| self.fitting(state, name))
            .find(|found| !found.is_empty())
            .unwrap_or_default()
    }

    fn fitting(&self, state: Option<State>, name: &str) -> Vec<CountyFips> {
        let look_up = |key: &str| -> Result<Vec<NamedCounty>, std::convert::Infallible> {
            let named = self.by_name.get(key).map_or(&[][..], Vec::as_slice);
            Ok(named.iter().filter(|county| state.is_none() || county.fips.state() == state).copied().collect())
        };
        names::fitting(name, look_up).unwrap_or_else(|never| match never {})
    }
}
