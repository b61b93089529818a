//! Areas (counties, and what lies in none) and which of them a radius touches.

use crate::Result;
use crate::format::packed::{Column, Damaged, Packed};
use crate::geo::{EARTH_RADIUS_KM, Point};
use crate::ids::{CountyFips, State};

use super::distance::{chord_squared, unit};
use super::layout::{NOT_STATED, section, state_area};

/// Areas that one circle is drawn around.
const GROUP: usize = 32;

/// How much a circle is widened against rounding, as an angle.
const SLACK: f64 = 1e-7;

/// The areas of a directory, ascending by code.
#[derive(Debug)]
pub(crate) struct Regions {
    codes: Vec<u32>,
    /// First place of each area, and the number of places.
    places: Vec<u32>,
    /// First row of each area, and the number of rows.
    rows: Vec<u32>,
    circles: Vec<Circle>,
    groups: Vec<Circle>,
    /// Areas with places that have no point, ascending.
    unplaced: Vec<Unplaced>,
}

/// A state's own area, for places in no known county of it, with the counties of the state; or a county's
/// that has places of which nothing nearer is known.
#[derive(Debug)]
struct Unplaced {
    area: usize,
    counties: Vec<Circle>,
    around: Circle,
}

/// Everything that an area has a point for.
#[derive(Clone, Copy, Debug)]
struct Circle {
    center: [f64; 3],
    /// Its radius as an angle; `None`: it has no point.
    reach: Option<f64>,
}

impl Circle {
    /// Whether something in it may lie within an angle of `from`.
    #[inline]
    fn touches(&self, from: &[f64; 3], angle: f64) -> bool {
        self.reach.is_some_and(|reach| {
            let far = angle + reach + SLACK;
            chord_squared(from, &self.center) <= far * far
        })
    }

    /// As [`Self::touches`], without what the chord of a long arc falls short of it.
    fn touches_exactly(&self, from: &[f64; 3], angle: f64) -> bool {
        // Most are ruled out without a sine.
        let exactly = |reach: f64| {
            let far = 2.0 * ((angle + reach + SLACK).min(std::f64::consts::PI) / 2.0).sin();
            chord_squared(from, &self.center) <= far * far
        };
        self.touches(from, angle) && self.reach.is_some_and(exactly)
    }
}

impl Regions {
    pub(crate) fn read(packed: &Packed) -> Result<Self> {
        let damaged = || packed.error().saying("its areas do not fit each other");
        let column = |name: &str| packed.column(name);
        let codes = packed.numbers(section::AREA_CODE)?;
        let places = packed.numbers(section::AREA_PLACE)?;
        let rows = packed.numbers(section::AREA_ROW)?;
        let [lat, lon, radius] =
            [column(section::AREA_LAT)?, column(section::AREA_LON)?, column(section::AREA_RADIUS)?];
        let whole = [&places, &rows].iter().all(|firsts| firsts.len() == codes.len() + 1 && firsts.is_sorted());
        let whole = whole && codes.is_sorted();
        if !whole {
            return Err(damaged());
        }
        let circles = (0..)
            .take(codes.len())
            .map(|area| circle(&lat, &lon, &radius, area))
            .collect::<Result<Vec<_>, Damaged>>()
            .map_err(|Damaged| packed.error())?;
        let groups = circles.chunks(GROUP).map(around).collect();
        let unplaced = unplaced(packed, &codes)?;
        Ok(Self { codes, places, rows, circles, groups, unplaced })
    }

    /// Places of an area.
    pub(crate) fn places(&self, area: usize) -> std::ops::Range<u32> {
        let at = |index: usize| self.places.get(index).copied().unwrap_or_default();
        at(area)..at(area + 1)
    }

    /// The area with this code.
    pub(crate) fn find(&self, code: u32) -> Option<usize> {
        self.codes.binary_search(&code).ok()
    }

    /// Rows of an area.
    pub(crate) fn rows(&self, area: usize) -> std::ops::Range<u32> {
        let at = |index: usize| self.rows.get(index).copied().unwrap_or_default();
        at(area)..at(area + 1)
    }

    /// Rows in a state, those in no known county of it too.
    pub(crate) fn state(&self, state: State) -> std::ops::Range<u32> {
        let first = state_area(state);
        self.between(first, first + 1000)
    }

    /// Every row but those whose place is not stated.
    pub(crate) fn all(&self) -> std::ops::Range<u32> {
        self.between(0, NOT_STATED)
    }

    fn between(&self, from: u32, to: u32) -> std::ops::Range<u32> {
        let at = |code: u32| {
            let area = self.codes.partition_point(|other| *other < code);
            self.rows.get(area).copied().unwrap_or_default()
        };
        at(from)..at(to)
    }

    /// The county that a place is in.
    pub(crate) fn county_of(&self, place: u32) -> Option<CountyFips> {
        let area = self.places.partition_point(|first| *first <= place).checked_sub(1)?;
        self.codes.get(area).copied().and_then(CountyFips::new)
    }

    /// Areas that may have a place within a distance of a point, ascending.
    pub(crate) fn touching(&self, from: Point, km: f64) -> Vec<usize> {
        let (from, angle) = (unit(from), km / EARTH_RADIUS_KM);
        let mut touched = Vec::new();
        for ((group, circles), first) in self.groups.iter().zip(self.circles.chunks(GROUP)).zip((0..).step_by(GROUP)) {
            if group.touches(&from, angle) {
                let here = circles.iter().zip(first..).filter(|(circle, _)| circle.touches(&from, angle));
                touched.extend(here.map(|(_, area)| area));
            }
        }
        touched
    }

    /// Areas, ascending, that have places without a point, and whose state or county a circle touches:
    /// these places may be in it.
    pub(crate) fn unplaced_touching(&self, from: Point, km: f64) -> impl Iterator<Item = usize> {
        let (from, angle) = (unit(from), km / EARTH_RADIUS_KM);
        self.unplaced.iter().filter_map(move |unplaced| {
            let touches = unplaced.around.touches(&from, angle)
                && unplaced.counties.iter().any(|county| county.touches_exactly(&from, angle));
            touches.then_some(unplaced.area)
        })
    }

    /// Whether an area is a county, and not a state's own or none.
    pub(crate) fn is_county(&self, area: usize) -> bool {
        self.codes.get(area).copied().and_then(CountyFips::new).is_some()
    }
}

/// The areas with places without a point among those with these codes, each with its counties.
fn unplaced(packed: &Packed, codes: &[u32]) -> Result<Vec<Unplaced>> {
    let damaged = || packed.error().saying("the counties of its unplaced areas do not fit its areas");
    let of = packed.numbers(section::STATE_COUNTY_AREA)?;
    let [lat, lon, radius] = [
        packed.column(section::STATE_COUNTY_LAT)?,
        packed.column(section::STATE_COUNTY_LON)?,
        packed.column(section::STATE_COUNTY_RADIUS)?,
    ];
    if !of.is_sorted() {
        return Err(damaged());
    }
    let mut unplaced = Vec::new();
    let mut county = 0_u32;
    for same in of.chunk_by(|a, b| a == b) {
        let area = same.first().and_then(|code| codes.binary_search(code).ok()).ok_or_else(damaged)?;
        let count = u32::try_from(same.len()).map_err(|_| damaged())?;
        let counties = (county..county.saturating_add(count))
            .map(|at| circle(&lat, &lon, &radius, at))
            .collect::<Result<Vec<_>, Damaged>>()
            .map_err(|Damaged| packed.error())?;
        unplaced.push(Unplaced { area, around: around(&counties), counties });
        county = county.saturating_add(count);
    }
    Ok(unplaced)
}

fn circle(lat: &Column, lon: &Column, radius: &Column, area: u32) -> Result<Circle, Damaged> {
    let center = Point { lat_e5: lat.signed(area)?, lon_e5: lon.signed(area)? };
    let meters = radius.get(area)?;
    let reach = (meters != u32::MAX).then(|| f64::from(meters) / (EARTH_RADIUS_KM * 1000.0));
    Ok(Circle { center: unit(center), reach })
}

/// One circle around several.
fn around(circles: &[Circle]) -> Circle {
    let with_points = || circles.iter().filter_map(|circle| Some((circle.center, circle.reach?)));
    let mut center = [0.0_f64; 3];
    for (other, _) in with_points() {
        for (sum, part) in center.iter_mut().zip(other) {
            *sum += part;
        }
    }
    let length = center.iter().map(|part| part * part).sum::<f64>().sqrt();
    if length > 0.0 {
        center = center.map(|part| part / length);
    }
    let angle = |other: &[f64; 3]| 2.0 * (chord_squared(&center, other).sqrt() / 2.0).min(1.0).asin();
    let reach = with_points().map(|(other, reach)| angle(&other) + reach).reduce(f64::max);
    Circle { center, reach }
}
