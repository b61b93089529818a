//! Where a place of practice lies, from what its payer says of it.

use coverdex_core::fold;
use coverdex_core::geo::{Point, haversine_km};
use coverdex_core::ids::{CountyFips, State, Zip5};

use super::{Gazetteer, Named, ZipArea};
use crate::model::Place;

/// How far from its ZIP's point a position may lie, in kilometers.
const FAR_FROM_ZIP_KM: f64 = 40.0;

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
    /// Its state: that of the county, else the stated one, else that of the ZIP.
    pub state: Option<State>,
    /// Whether the ZIP lies in another state than stated.
    pub disputed: bool,
    /// What became of the position.
    pub position: PositionVerdict,
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
    /// Where a place lies: by its position if that is believable, else by its district, its ZIP,
    /// its city.
    ///
    /// A position is believed if it lies in a county, in the stated state, and within 40 km of its
    /// ZIP's point, as far as these are known. A ZIP that has no county in the stated state
    /// contradicts it, and is believed rather than it: in directories the city goes with the ZIP
    /// then (`Cudahy, WI 90201`), a slip of the pen rarely leads a ZIP into another state, and a
    /// position may have been looked up by the wrong state. So a position near such a ZIP and in one of its
    /// states is believed against the stated state. [`Located::disputed`] marks these places.
    #[must_use]
    pub fn locate(&self, place: &Place) -> Located {
        let zip = place.address.zip.as_deref().and_then(Zip5::mend);
        let witness = Witness {
            state: place.address.state.as_deref().and_then(|text| text.parse().ok()),
            area: zip.and_then(|zip| self.zip_area(zip)),
        };
        let (position, verdict) = self.judge(place.position, witness);
        let (county, from) = match position {
            Some((_, county)) => (Some(county), Some(Evidence::Position)),
            None => self
                .county_without_position(place, zip.is_some(), witness)
                .map_or((None, None), |(c, e)| (Some(c), Some(e))),
        };
        let (point, precision) = match position {
            Some((point, _)) => (Some(point), Precision::Point),
            None => self.point_without_position(county, witness.area),
        };
        let state = county
            .and_then(CountyFips::state)
            .or(witness.state)
            .or_else(|| witness.area?.counties.first().and_then(|(fips, _)| fips.state()));
        Located {
            county,
            county_from: from,
            point,
            precision,
            zip,
            state,
            disputed: witness.disputed(),
            position: verdict,
        }
    }

    fn judge(
        &self,
        position: Option<(f64, f64)>,
        witness: Witness<'_>,
    ) -> (Option<(Point, CountyFips)>, PositionVerdict) {
        let Some((lat, lon)) = position else { return (None, PositionVerdict::Absent) };
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
        let far = |zip| haversine_km(point, zip) > FAR_FROM_ZIP_KM;
        let believed = county.state() == witness.state
            || witness.state.is_none()
            || (witness.disputed() && witness.zip_is_in(county.state()));
        let verdict = if !believed {
            PositionVerdict::OtherState
        } else if witness.area.and_then(|area| area.point).is_some_and(far) {
            PositionVerdict::FarFromZip
        } else {
            PositionVerdict::Used
        };
        ((verdict == PositionVerdict::Used).then_some((point, county)), verdict)
    }

    /// A city is believed only where no ZIP is stated: one that no table knows (a retired one, say) makes
    /// the whole address doubtful.
    fn county_without_position(
        &self,
        place: &Place,
        zip_is_stated: bool,
        witness: Witness<'_>,
    ) -> Option<(CountyFips, Evidence)> {
        let by_district = || self.county_of_district(place.address.district.as_deref()?, witness);
        let by_zip = || witness.counties().next();
        let by_city = || self.county_of_city(place.address.city.as_deref().filter(|_| !zip_is_stated), witness.state?);
        by_district()
            .map(|county| (county, Evidence::District))
            .or_else(|| by_zip().map(|county| (county, Evidence::Zip)))
            .or_else(|| by_city().map(|county| (county, Evidence::City)))
    }

    /// The county that a district names in the stated state, or, where none is stated or the ZIP
    /// contradicts it, in a state of the ZIP; among several the one that the ZIP touches.
    fn county_of_district(&self, district: &str, witness: Witness<'_>) -> Option<CountyFips> {
        let named = |state| match self.county_named(state, district) {
            Named::One(county) => vec![county],
            Named::Several(counties) => counties,
            Named::None => Vec::new(),
        };
        let mut found = match (witness.state, witness.area) {
            (Some(state), _) if !witness.disputed() => named(Some(state)),
            (_, Some(area)) => {
                let mut states: Vec<_> = area.counties.iter().map(|(county, _)| county.state()).collect();
                states.dedup();
                states.into_iter().flat_map(named).collect()
            }
            (state, None) => named(state),
        };
        found.sort_unstable();
        found.dedup();
        match found.as_slice() {
            [one] => Some(*one),
            several => {
                let mut touched = witness.counties().filter(|county| several.contains(county));
                touched.next().filter(|_| touched.next().is_none())
            }
        }
    }

    /// The county that a city lies in: a town of Connecticut; anywhere in a state of one county.
    fn county_of_city(&self, city: Option<&str>, state: State) -> Option<CountyFips> {
        let mut counties = self.counties_of(state);
        match (counties.next(), counties.next()) {
            (Some(only), None) => Some(only.fips),
            _ => self.towns.get(&fold::key(city?)).copied().filter(|county| county.state() == Some(state)),
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

/// What is known of a place beside its position.
#[derive(Clone, Copy)]
struct Witness<'a> {
    state: Option<State>,
    area: Option<&'a ZipArea>,
}

impl<'a> Witness<'a> {
    /// Whether the ZIP has a county in this state.
    fn zip_is_in(self, state: Option<State>) -> bool {
        self.area.is_some_and(|area| area.counties.iter().any(|(county, _)| county.state() == state))
    }

    /// Whether the ZIP has no county in the stated state.
    fn disputed(self) -> bool {
        self.state.is_some() && self.area.is_some() && !self.zip_is_in(self.state)
    }

    /// The ZIP's counties, in the stated state unless the ZIP contradicts it, the largest share first.
    fn counties(self) -> impl Iterator<Item = CountyFips> + 'a {
        let state = self.state.filter(|_| !self.disputed());
        let all = self.area.into_iter().flat_map(|area| area.counties.iter().map(|(county, _)| *county));
        all.filter(move |county| state.is_none() || county.state() == state)
    }
}
