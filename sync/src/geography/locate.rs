//! Where a place of practice lies, from what its payer says of it.

use coverdex_core::build::geo::{Point, haversine_km};
use coverdex_core::{CountyFips, State, Zip5};

use super::cities::state_in_city;
use super::{CitiesShown, Gazetteer, Named, ZipArea};
use crate::model::Place;

/// How far from its ZIP's point a position may lie, in kilometers.
const FAR_FROM_ZIP_KM: f64 = 40.0;

/// How far from the only county of its ZIP a position may lie, in meters, and be in it: in another county
/// that the ZIP touches. The shapes are as coarse as that.
const NEAR_LINE_M: f64 = 1_000.0;

/// The share of a ZIP's people, in 1/10000, that makes it one county's.
const WHOLE_ZIP: u16 = 9_990;

/// The share from which a ZIP is also that of a city whose shape is too coarse.
const MUCH_OF_ZIP: u16 = 2_500;

/// Where a place lies.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Located {
    /// Its county.
    pub county: Option<CountyFips>,
    /// What told the county.
    pub county_from: Option<Evidence>,
    /// Its point, for distances.
    pub point: Option<Point>,
    /// What the point is.
    pub precision: Precision,
    /// Its ZIP, mended.
    pub zip: Option<Zip5>,
    /// Its state: the stated one, else that of the county, else that of the ZIP. The county is in it.
    pub state: Option<State>,
    /// Whether the ZIP lies in another state than stated.
    pub disputed: bool,
    /// What became of the position.
    pub position: PositionVerdict,
    /// Whether it is in another country.
    pub abroad: bool,
}

/// How precise a place's point is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Precision {
    /// The place's own position.
    Point,
    /// The point of its ZIP area.
    Zip,
    /// The reference point of its county.
    County,
    /// No point is known.
    Unknown,
}

/// What told a place's county.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Evidence {
    /// Its position.
    Position,
    /// Its district or county as stated.
    District,
    /// Its ZIP.
    Zip,
    /// Its city, or its state where that has one county.
    City,
}

/// What became of a place's position.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum PositionVerdict {
    /// Used.
    Used,
    /// None is stated.
    Absent,
    /// 0, 0.
    Zero,
    /// In a county only with latitude and longitude swapped; not used.
    Swapped,
    /// In no county.
    Nowhere,
    /// In another state than stated.
    OtherState,
    /// Too far from its ZIP.
    FarFromZip,
}

impl Gazetteer {
    /// Where a place lies: by its position if that is believable, else by its district, its ZIP, its
    /// city.
    ///
    /// A stated state is kept: what contradicts it is not believed. A position is believed if it lies in
    /// a county, in the stated state, and in a county of its ZIP or within 40 km of the ZIP's point, as far
    /// as these are known. At the line of two counties ZIP and city tell which it is. A ZIP that has no
    /// county in the stated state tells no county ([`Located::disputed`]); the city and the state do, or a
    /// position in that state.
    #[must_use]
    pub fn locate(&self, place: &Place) -> Located {
        self.locate_with(place, &CitiesShown::default())
    }

    /// As [`Self::locate`], with what the directory's own places show of cities that the table of places
    /// does not have or that it has in several counties.
    #[must_use]
    pub fn locate_with(&self, place: &Place, shown: &CitiesShown) -> Located {
        let address = &place.address;
        if address.abroad {
            return Located::abroad(place.position.is_some());
        }
        let stated = address.state.as_deref().and_then(|text| text.parse().ok());
        let state = stated.or_else(|| state_in_city(address.city.as_deref()?));
        let zip = address.zip.as_deref().and_then(|text| self.zip_mended(text, state));
        let area = zip.and_then(|zip| self.zip_area(zip));
        let witness = Witness { state, area, has_zip: zip.is_some(), zip_states: self.states_of(zip, area) };
        let (position, verdict) = self.judge(place, &witness);
        let (county, from) = match position {
            Some((_, county)) => (Some(county), Some(Evidence::Position)),
            None => self
                .county_without_position(place, shown, &witness, verdict)
                .map_or((None, None), |(county, from)| (Some(county), Some(from))),
        };
        let (point, precision) = match position {
            Some((point, _)) => (Some(point), Precision::Point),
            None => self.point_without_position(county, area.filter(|_| !witness.disputed())),
        };
        let state = state
            .or_else(|| county.and_then(CountyFips::state))
            .or_else(|| area?.counties.first().and_then(|(fips, _)| fips.state()))
            .or_else(|| witness.only_state());
        Located {
            county,
            county_from: from,
            point,
            precision,
            zip,
            state,
            disputed: witness.disputed(),
            position: verdict,
            abroad: false,
        }
    }

    /// A ZIP as stated, mended. One that lost leading zeros is believed only where it lies in the stated
    /// state with them: `7870` in Texas lost its last digit and is no ZIP of New Jersey.
    fn zip_mended(&self, text: &str, state: Option<State>) -> Option<Zip5> {
        let zip = Zip5::mend(text)?;
        let is_padded = !text.trim().starts_with(&zip.to_string());
        let fits = |state: State| self.states_of(Some(zip), self.zip_area(zip)).contains(&state);
        (!is_padded || state.is_none_or(fits)).then_some(zip)
    }

    /// The states of a ZIP: those of its area, else those that its first three digits tell.
    fn states_of(&self, zip: Option<Zip5>, area: Option<&ZipArea>) -> Vec<State> {
        let mut states: Vec<State> = match (area, zip) {
            (Some(area), _) => area.counties.iter().filter_map(|(county, _)| county.state()).collect(),
            (None, Some(zip)) => self.zip_states(zip).to_vec(),
            (None, None) => Vec::new(),
        };
        states.sort_unstable();
        states.dedup();
        states
    }

    fn judge(&self, place: &Place, witness: &Witness<'_>) -> (Option<(Point, CountyFips)>, PositionVerdict) {
        let Some((lat, lon)) = place.position else { return (None, PositionVerdict::Absent) };
        if lat == 0.0 && lon == 0.0 {
            return (None, PositionVerdict::Zero);
        }
        let in_county = |lat, lon| {
            let point = Point::from_degrees(lat, lon)?;
            Some((point, self.county_at(point)?))
        };
        let Some((point, county)) = in_county(lat, lon) else {
            let swapped = in_county(lon, lat).is_some();
            return (None, if swapped { PositionVerdict::Swapped } else { PositionVerdict::Nowhere });
        };
        let county = self.county_at_line(point, county, place, witness);
        // Some ZIPs are larger than some states.
        let far = |zip| haversine_km(point, zip) > FAR_FROM_ZIP_KM && !witness.zip_touches(county);
        // A ZIP of another state than stated says nothing against a position in that state.
        let zip_point = witness.area.filter(|_| !witness.disputed()).and_then(|area| area.point);
        let verdict = if witness.state.is_some() && county.state() != witness.state {
            PositionVerdict::OtherState
        } else if zip_point.is_some_and(far) {
            PositionVerdict::FarFromZip
        } else {
            PositionVerdict::Used
        };
        ((verdict == PositionVerdict::Used).then_some((point, county)), verdict)
    }

    /// The county of a position that lies in the shape of a county, perhaps at its line: the only county of
    /// the ZIP if that is near, or a city whose shape is too coarse to show what lies in it; else the shape's.
    fn county_at_line(&self, point: Point, shape: CountyFips, place: &Place, witness: &Witness<'_>) -> CountyFips {
        let of_zip = || {
            let only = witness.only_county().filter(|only| *only != shape)?;
            let meters = self.shapes.meters_to(only, point)?;
            let is_near = meters <= NEAR_LINE_M || !witness.zip_touches(shape);
            is_near.then_some(only)
        };
        let mut cities = self.coarse.iter().filter(|city| self.touch(**city, shape));
        of_zip()
            .or_else(|| cities.find(|city| self.is_in_coarse_city(point, **city, place, witness)).copied())
            .unwrap_or(shape)
    }

    /// Whether a position near a city whose shape is too coarse is in that city: its district says so, or
    /// the largest part of its ZIP is the city's and it states no other city; or the position is nearer, it
    /// states the city and no ZIP says otherwise.
    fn is_in_coarse_city(&self, point: Point, city: CountyFips, place: &Place, witness: &Witness<'_>) -> bool {
        let Some(meters) = self.shapes.meters_to(city, point) else { return false };
        let stated = place.address.city.as_deref().filter(|stated| !stated.trim().is_empty());
        let names_it = stated.map(|stated| city.state().is_some_and(|state| self.is_city_named(city, state, stated)));
        let district = place.address.district.as_deref();
        let by_district = district.is_some_and(|name| self.county_named(city.state(), name) == Named::One(city));
        let share =
            |area: &ZipArea| area.counties.iter().find(|(county, _)| *county == city).map_or(0, |found| found.1);
        let is_largest =
            witness.area.is_some_and(|area| area.counties.first().is_some_and(|(first, _)| *first == city));
        let zip_allows = witness.area.is_none_or(|area| share(area) >= MUCH_OF_ZIP);
        by_district
            || (is_largest && names_it != Some(false))
            || (names_it == Some(true) && zip_allows && meters <= NEAR_LINE_M)
    }

    fn county_without_position(
        &self,
        place: &Place,
        shown: &CitiesShown,
        witness: &Witness<'_>,
        position: PositionVerdict,
    ) -> Option<(CountyFips, Evidence)> {
        // Beside a ZIP that no table knows a position in another state makes the address doubtful.
        let doubtful = position == PositionVerdict::OtherState && witness.area.is_none() && witness.has_zip;
        let city = place.address.city.as_deref();
        let by_district = || self.county_of_district(place.address.district.as_deref()?, city, witness);
        let by_zip = || witness.counties().next();
        let by_city = || self.county_of_city(city, witness.only_state().filter(|_| !doubtful)?, shown);
        by_district()
            .map(|county| (county, Evidence::District))
            .or_else(|| by_zip().map(|county| (county, Evidence::Zip)))
            .or_else(|| by_city().map(|county| (county, Evidence::City)))
    }

    /// The county that a district names in the stated state, or, where none is stated, in a state of the
    /// ZIP; among several the one that the ZIP touches, else the city's. Where the ZIP is of another
    /// state and touches a county of the name there, the name says nothing.
    fn county_of_district(&self, district: &str, city: Option<&str>, witness: &Witness<'_>) -> Option<CountyFips> {
        let named = |state: Option<State>| match self.county_named(state, district) {
            Named::One(county) => vec![county],
            Named::Several(counties) => counties,
            Named::None => Vec::new(),
        };
        let in_zip_states = || witness.zip_states.iter().flat_map(|state| named(Some(*state)));
        if witness.disputed() && in_zip_states().any(|county| witness.zip_touches(county)) {
            return None;
        }
        let mut found = match witness.state {
            Some(state) => named(Some(state)),
            None if witness.zip_states.is_empty() => named(None),
            None => in_zip_states().collect(),
        };
        found.sort_unstable();
        found.dedup();
        match found.as_slice() {
            [one] => Some(*one),
            several => {
                let mut touched = several.iter().filter(|county| witness.zip_touches(**county));
                let only = touched.next().filter(|_| touched.next().is_none()).copied();
                only.or_else(|| match self.city_named(witness.only_state()?, city?) {
                    Named::One(county) => Some(county).filter(|county| several.contains(county)),
                    Named::Several(_) | Named::None => None,
                })
            }
        }
    }

    /// The county that a city lies in; anywhere in a state of one county.
    fn county_of_city(&self, city: Option<&str>, state: State, shown: &CitiesShown) -> Option<CountyFips> {
        let city = city.unwrap_or_default();
        match self.city_named(state, city) {
            Named::One(county) => Some(county),
            Named::Several(counties) => shown.county(state, city, Some(&counties)),
            Named::None => shown.county(state, city, None),
        }
    }

    /// The ZIP's point, unless the county is neither one of the ZIP's nor beside one; else the
    /// county's own.
    fn point_without_position(&self, county: Option<CountyFips>, area: Option<&ZipArea>) -> (Option<Point>, Precision) {
        let Some(county) = county else { return (None, Precision::Unknown) };
        let beside =
            |area: &&ZipArea| area.counties.iter().any(|(other, _)| *other == county || self.touch(*other, county));
        if let Some(point) = area.filter(beside).and_then(|area| area.point) {
            return (Some(point), Precision::Zip);
        }
        self.county(county).map_or((None, Precision::Unknown), |entry| (Some(entry.point), Precision::County))
    }
}

impl Located {
    /// In another country: nothing is looked for there.
    fn abroad(has_position: bool) -> Self {
        Self {
            county: None,
            county_from: None,
            point: None,
            precision: Precision::Unknown,
            zip: None,
            state: None,
            disputed: false,
            position: if has_position { PositionVerdict::Nowhere } else { PositionVerdict::Absent },
            abroad: true,
        }
    }
}

/// What is known of a place beside its position.
struct Witness<'a> {
    /// Whether a ZIP is stated.
    has_zip: bool,
    /// The stated state.
    state: Option<State>,
    area: Option<&'a ZipArea>,
    /// The states of the ZIP, as far as they are known.
    zip_states: Vec<State>,
}

impl<'a> Witness<'a> {
    /// Whether the ZIP is of other states than the stated one.
    fn disputed(&self) -> bool {
        self.state.is_some_and(|state| !self.zip_states.is_empty() && !self.zip_states.contains(&state))
    }

    /// The stated state, else the only one of the ZIP.
    fn only_state(&self) -> Option<State> {
        self.state.or(match self.zip_states.as_slice() {
            [only] => Some(*only),
            _ => None,
        })
    }

    /// The county in which the ZIP lies wholly or nearly so. In Connecticut no table tells whether it does.
    fn only_county(&self) -> Option<CountyFips> {
        let area = self.area.filter(|area| !self.disputed() && area.former.is_empty())?;
        let (county, share) = area.counties.first()?;
        let in_state = self.state.is_none() || county.state() == self.state;
        (in_state && *share >= WHOLE_ZIP).then_some(*county)
    }

    fn zip_touches(&self, county: CountyFips) -> bool {
        self.area.is_some_and(|area| area.counties.iter().any(|(other, _)| *other == county))
    }

    /// The ZIP's counties in the stated state, the largest share first.
    fn counties(&self) -> impl Iterator<Item = CountyFips> + use<'a> {
        let state = self.state;
        let all = self.area.into_iter().flat_map(|area| area.counties.iter().map(|(county, _)| *county));
        all.filter(move |county| state.is_none() || county.state() == state)
    }
}
