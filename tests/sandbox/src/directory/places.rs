//! Places: where they are, and what their Locations say of it.

use crate::geography::{self, CountyArea, ZipArea};
use crate::quirks::{Quirk, Quirks};
use crate::random::Draw;

use super::names;

/// Counties that small directories have too: a bluegrass city and its neighbors, homonyms, a county
/// across the date line, a planning region, an accent, state lines.
const PICKED: [u32; 16] =
    [21067, 21113, 24510, 24005, 6037, 2016, 9110, 21049, 72127, 35013, 29510, 29189, 21017, 22071, 51059, 48113];

/// What a Location's position says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum PositionShown {
    /// Where the place is.
    Right,
    /// Nothing.
    Missing,
    /// Latitude 0, longitude 0.
    Zero,
    /// Longitude as latitude and the reverse.
    Swapped,
    /// A point in another state.
    Elsewhere,
    /// A point in the sea.
    Nowhere,
}

/// How precisely a place can be known from its Location.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Precision {
    /// By its position.
    Point,
    /// By its ZIP.
    Zip,
    /// By its county.
    County,
    /// Not at all, or by its city alone.
    Unknown,
}

impl Precision {
    /// `point`, `zip`, `county` or `unknown`.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Point => "point",
            Self::Zip => "zip",
            Self::County => "county",
            Self::Unknown => "unknown",
        }
    }
}

/// A place of the made directory.
#[derive(Clone, Debug, PartialEq)]
#[allow(clippy::struct_excessive_bools, reason = "what a Location shows or not")]
pub struct Place {
    /// Number of its Location.
    pub number: u64,
    /// `false` where its Location is inactive or suspended; `None` where that is not stated.
    pub active: Option<bool>,
    /// Name.
    pub name: String,
    /// Address line.
    pub line: String,
    /// City.
    pub city: &'static str,
    /// The state's two letters.
    pub state: &'static str,
    /// ZIP, a number of up to five digits.
    pub zip: u32,
    /// The county that it is drawn in, by FIPS code; where its ZIP lies in several, the largest.
    pub drawn_county: u32,
    /// Whether its ZIP lies in several counties.
    pub zip_is_shared: bool,
    /// Where it is, in 1e-5 degree: latitude, longitude.
    pub true_point: (i32, i32),
    /// What its position says.
    pub position: PositionShown,
    /// Whether its Location states the ZIP.
    pub shows_zip: bool,
    /// Whether its Location states line, city and state.
    pub shows_address: bool,
    /// The county as `district` states it.
    pub district: Option<String>,
    /// Phone, ten digits.
    pub phone: u64,
}

impl Place {
    /// The county that its Location must lead to, where that is beyond doubt: the ZIP lies in one
    /// county (and so does the position, if it is right), or position and ZIP say nothing and the
    /// district is stated. `None` also where nothing leads to a county.
    #[must_use]
    pub fn county(&self) -> Option<u32> {
        let located = self.position == PositionShown::Right;
        let by_zip = !self.zip_is_shared && (located || self.shows_zip);
        let by_district = self.district.is_some() && !located;
        (by_zip || by_district).then_some(self.drawn_county)
    }

    /// The counties that it may be found in where [`county`](Self::county) is `None`.
    #[must_use]
    pub fn possible_counties(&self) -> Vec<u32> {
        if self.county().is_some() || !(self.shows_zip || self.position == PositionShown::Right) {
            return Vec::new();
        }
        let zips = &geography::tables().zips;
        zips.binary_search_by_key(&self.zip, |z| z.zip)
            .ok()
            .and_then(|at| zips.get(at))
            .map(|z| z.counties.clone())
            .unwrap_or_default()
    }

    /// Whether its Location tells of its place no more than city and state: a reader may know in which
    /// county of the state a city of that name lies.
    #[must_use]
    pub fn is_city_alone(&self) -> bool {
        let by_position = self.position == PositionShown::Right;
        self.shows_address && !self.shows_zip && !by_position && self.district.is_none()
    }

    /// Whether its Location tells nothing of its place.
    #[must_use]
    pub fn is_untold(&self) -> bool {
        let by_position = self.position != PositionShown::Missing;
        !self.shows_address && !self.shows_zip && !by_position && self.district.is_none()
    }

    /// The point that distances are measured to, and how precise it is; `None` where nothing leads
    /// to one. A swapped position may be mended: see [`distance_is_certain`](Self::distance_is_certain).
    #[must_use]
    pub fn point(&self) -> (Option<(i32, i32)>, Precision) {
        let tables = geography::tables();
        if self.position == PositionShown::Right {
            return (Some(self.true_point), Precision::Point);
        }
        if self.shows_zip
            && let Ok(at) = tables.zips.binary_search_by_key(&self.zip, |z| z.zip)
        {
            return (tables.zips.get(at).map(|z| z.point), Precision::Zip);
        }
        if self.district.is_some()
            && let Ok(at) = tables.counties.binary_search_by_key(&self.drawn_county, |c| c.fips)
        {
            return (tables.counties.get(at).map(|c| c.point), Precision::County);
        }
        (None, Precision::Unknown)
    }

    /// Whether every careful reader gets the same distance.
    #[must_use]
    pub fn distance_is_certain(&self) -> bool {
        self.position != PositionShown::Swapped && self.point().0.is_some()
    }

    /// The ZIP as people write it.
    #[must_use]
    pub fn zip_text(&self) -> String {
        format!("{:05}", self.zip)
    }
}

/// Which Locations lie in which county: they are numbered in the order of `areas`.
#[derive(Clone, Debug)]
pub(crate) struct Places {
    seed: u64,
    /// Counties and where their Locations end.
    areas: Vec<(&'static CountyArea, u64)>,
}

impl Places {
    pub(crate) fn new(seed: u64, count: u64, counties: u32) -> Self {
        let all = &geography::tables().counties;
        let usable = |c: &&CountyArea| !(c.zips.is_empty() && c.shared_zips.is_empty());
        let mut chosen: Vec<&'static CountyArea> =
            PICKED.iter().filter_map(|fips| all.iter().find(|c| c.fips == *fips)).filter(usable).collect();
        let mut others: Vec<&'static CountyArea> =
            all.iter().filter(usable).filter(|c| !PICKED.contains(&c.fips)).collect();
        others.sort_by_key(|c| (std::cmp::Reverse(geography::weight(c)), c.fips));
        chosen.extend(others);
        chosen.truncate(counties.max(1) as usize);
        chosen.sort_by_key(|c| c.fips);
        // A tenth is spread evenly, half in a small directory: its few counties shall all have something.
        let total: u64 = chosen.iter().map(|c| geography::weight(c)).sum::<u64>().max(1);
        let n = chosen.len().max(1) as u64;
        let even = if n <= 100 { count / 2 } else { count / 10 };
        let weighted = count - even;
        let mut sum = 0;
        let areas = chosen
            .into_iter()
            .enumerate()
            .map(|(nth, county)| {
                sum += geography::weight(county);
                (county, even * (nth as u64 + 1) / n + weighted * sum / total)
            })
            .collect();
        Self { seed, areas }
    }

    pub(crate) fn count(&self) -> u64 {
        self.areas.last().map_or(0, |(_, end)| *end)
    }

    /// The Locations of the county that Location `number` is drawn in.
    pub(crate) fn same_county(&self, number: u64) -> std::ops::Range<u64> {
        let at = self.areas.partition_point(|(_, end)| *end <= number);
        let start = at.checked_sub(1).and_then(|before| self.areas.get(before)).map_or(0, |(_, end)| *end);
        start..self.areas.get(at).map_or(start, |(_, end)| *end)
    }

    /// Counties with their Locations.
    pub(crate) fn counties(&self) -> impl Iterator<Item = (&'static CountyArea, std::ops::Range<u64>)> + '_ {
        let mut start = 0;
        self.areas.iter().map(move |(county, end)| (*county, std::mem::replace(&mut start, *end)..*end))
    }

    pub(crate) fn place(&self, number: u64, quirks: &Quirks) -> Option<Place> {
        let at = self.areas.partition_point(|(_, end)| *end <= number);
        let (county, _) = self.areas.get(at)?;
        let range = self.same_county(number);
        let draw = Draw::of(self.seed ^ 0x706c_6163, number);
        let hits = |quirk: Quirk| draw.and(quirk as u64).hits(quirks.rate(quirk));
        let area = zip_of(county, number - range.start, range.end - range.start, draw, hits(Quirk::ZipShared))?;
        let shared = area.counties.len() > 1;
        let jitter = |what| i32::try_from(draw.and(what).below(401)).unwrap_or(200) - 200;
        let true_point = (area.point.0 + jitter(101), area.point.1 + jitter(102));
        let nothing = hits(Quirk::AddressMissing);
        let only_zip = !nothing && hits(Quirk::OnlyZip);
        let without_zip = nothing || (!only_zip && hits(Quirk::ZipMissing));
        let position = if nothing || only_zip || hits(Quirk::PositionMissing) {
            PositionShown::Missing
        } else if hits(Quirk::PositionZero) {
            PositionShown::Zero
        } else if hits(Quirk::PositionSwapped) {
            PositionShown::Swapped
        } else if hits(Quirk::PositionElsewhere) {
            PositionShown::Elsewhere
        } else if hits(Quirk::PositionNowhere) {
            PositionShown::Nowhere
        } else {
            PositionShown::Right
        };
        let city = Draw::of(self.seed ^ 0x6369_7479, u64::from(area.zip)).one_of(&names::CITIES, "Springfield");
        let street = draw.and(103).one_of(&names::STREETS, "MAIN ST");
        let house = 1 + draw.and(104).below(9_900);
        let suite = draw.and(105).below(60);
        let suite = if suite < 18 { format!(" STE {}", 100 + 10 * suite) } else { String::new() };
        let district = (!nothing && !only_zip && hits(Quirk::DistrictStated))
            .then(|| format!("{} {}", county.name, county.suffix).trim_end().to_owned());
        Some(Place {
            number,
            active: if hits(Quirk::PlaceInactive) {
                Some(false)
            } else {
                (!draw.and(106).hits(quirks.rate(Quirk::ActiveMissing))).then_some(true)
            },
            name: place_name(city, draw),
            line: format!("{house} {street}{suite}"),
            city,
            state: county.state,
            zip: area.zip,
            drawn_county: county.fips,
            zip_is_shared: shared,
            true_point,
            position,
            shows_zip: !without_zip,
            shows_address: !nothing && !only_zip,
            district,
            phone: super::phone(draw.and(107)),
        })
    }
}

/// The ZIP of a county's `nth` of `n` Locations: they walk through its ZIPs in order, so that near
/// numbers are near places.
fn zip_of(county: &CountyArea, nth: u64, n: u64, draw: Draw, shared: bool) -> Option<&'static ZipArea> {
    let from = match (county.zips.is_empty(), county.shared_zips.is_empty()) {
        (false, false) if shared => &county.shared_zips,
        (false, _) => &county.zips,
        (true, _) => &county.shared_zips,
    };
    let len = from.len() as u64;
    let at = if n > len { nth * len / n } else { draw.and(108).below(len) };
    let number = usize::try_from(at).ok().and_then(|at| from.get(at))?;
    geography::tables().zips.get(*number as usize)
}

fn place_name(city: &str, draw: Draw) -> String {
    let what = draw.and(109).one_of(
        &[
            "Medical Center",
            "Health Clinic",
            "Medical Plaza",
            "Professional Building",
            "Family Health",
            "Wellness Center",
        ],
        "Clinic",
    );
    format!("{city} {what}")
}
