//! Where rows lie, and how their places are ranked.

use std::ops::Range;

use crate::data::directory::columns::PlaceColumns;
use crate::data::directory::distance::DistanceFrom;
use crate::data::directory::layout::{precision, unpacked_point};
use crate::format::packed::Damaged;

/// Rows to look at.
#[derive(Clone, Debug)]
pub(crate) struct Span {
    pub(crate) rows: Range<u32>,
    pub(crate) zone: Zone,
}

/// Where rows lie.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Zone {
    /// Where it was asked for: all are near.
    Here,
    /// Around it: near as far as the limit.
    Around,
    /// As [`Self::Around`]; what has no point is counted, as its county may have it near.
    AroundOrUnknown,
    /// It is not stated: only counted.
    NotStated,
}

impl Zone {
    /// Whether it lies outside of what was asked for.
    pub(crate) const fn is_around(self) -> bool {
        matches!(self, Self::Around | Self::AroundOrUnknown)
    }
}

/// How a place ranks.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Rank<T> {
    /// It is near.
    Near(T),
    /// It has no point, and may be near.
    MayBeNear,
    /// It is not near, or not in the city asked for.
    Out,
}

/// How places are ranked.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Ranking {
    /// By distance; what lies around and farther than the limit is out.
    Distance {
        /// From where.
        from: DistanceFrom,
        /// The limit's haversine.
        limit: f64,
    },
    /// All alike: names decide.
    Name,
}

/// What a box around places tells of them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Reach {
    /// No place ranks before this.
    pub(crate) best: f64,
    /// All of them are near.
    pub(crate) all_near: bool,
}

impl Ranking {
    /// How a place ranks.
    #[inline]
    pub(crate) fn rank(&self, places: &PlaceColumns, place: u32, zone: Zone) -> Result<Rank<f64>, Damaged> {
        let Self::Distance { from, limit } = self else { return Ok(Rank::Near(0.0)) };
        let (lat, lon) = unpacked_point(places.point.wide(place)?);
        // What has no point is at (0, 0): only there the precision must be read.
        if (lat, lon) == (0, 0) && places.precision.get(place)? >= precision::COUNTY {
            return Ok(match zone {
                Zone::Here => Rank::Near(f64::INFINITY),
                Zone::AroundOrUnknown => Rank::MayBeNear,
                Zone::Around | Zone::NotStated => Rank::Out,
            });
        }
        let haversine = from.haversine(lat, lon);
        Ok(if zone == Zone::Here || haversine <= *limit { Rank::Near(haversine) } else { Rank::Out })
    }

    /// Whether a place is near, wherever among the others it ranks.
    #[inline]
    pub(crate) fn is_near(&self, places: &PlaceColumns, place: u32, zone: Zone) -> Result<bool, Damaged> {
        let Self::Distance { from, limit } = self else { return Ok(true) };
        let (lat, lon) = unpacked_point(places.point.wide(place)?);
        if zone == Zone::Here || (lat, lon) == (0, 0) {
            return Ok(matches!(self.rank(places, place, zone)?, Rank::Near(_)));
        }
        Ok(from.within(lat, lon, *limit))
    }

    /// Whether a place has no point, and may be near.
    #[inline]
    pub(crate) fn may_be_near(places: &PlaceColumns, place: u32, zone: Zone) -> Result<bool, Damaged> {
        let has_no_point = || Ok(places.point.wide(place)? == 0 && places.precision.get(place)? >= precision::COUNTY);
        if zone == Zone::AroundOrUnknown { has_no_point() } else { Ok(false) }
    }

    /// What a box tells of the places in it; `None`: none of them is near.
    pub(crate) fn reach(&self, low: u64, high: u64, zone: Zone) -> Option<Reach> {
        let Self::Distance { from, limit } = self else { return Some(Reach { best: 0.0, all_near: true }) };
        let (least, most) = from.between(unpacked_point(low), unpacked_point(high));
        let near = zone == Zone::Here || least <= *limit;
        near.then_some(Reach { best: least, all_near: zone == Zone::Here || most <= *limit })
    }
}
