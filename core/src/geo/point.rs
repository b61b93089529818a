//! Points on the earth and distances between them.

use std::fmt;
use std::str::FromStr;

use crate::{Error, Result};

/// The earth's mean radius in kilometers (IUGG).
pub const EARTH_RADIUS_KM: f64 = 6371.0088;

/// Kilometers in a statute mile.
pub const KM_PER_MILE: f64 = 1.609_344;

/// Kilometers as miles.
#[must_use]
pub fn miles(km: f64) -> f64 {
    km / KM_PER_MILE
}

/// Miles as kilometers.
#[must_use]
pub fn kilometers(miles: f64) -> f64 {
    miles * KM_PER_MILE
}

/// A point in 1e-5 degree (about a meter): latitude north, longitude east.
///
/// ```
/// use coverdex_core::Point;
///
/// let here: Point = "32.31, -106.75".parse()?;
/// assert_eq!(here.to_string(), "32.31000,-106.75000");
/// assert!("-106.75, 32.31".parse::<Point>().is_err()); // latitude comes first
/// # Ok::<(), coverdex_core::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Point {
    /// Latitude, -9,000,000 to 9,000,000.
    pub lat_e5: i32,
    /// Longitude, -18,000,000 to 18,000,000.
    pub lon_e5: i32,
}

impl Point {
    /// From degrees, rounded to 1e-5; `None` where they are no numbers or out of range.
    #[must_use]
    pub fn from_degrees(lat: f64, lon: f64) -> Option<Self> {
        let in_range = (-90.0..=90.0).contains(&lat) && (-180.0..=180.0).contains(&lon);
        #[allow(clippy::cast_possible_truncation, reason = "at most 18,000,000 in size")]
        let e5 = |degrees: f64| (degrees * 1e5).round() as i32;
        in_range.then(|| Self { lat_e5: e5(lat), lon_e5: e5(lon) })
    }

    /// Latitude in degrees.
    #[must_use]
    pub fn lat(self) -> f64 {
        f64::from(self.lat_e5) / 1e5
    }

    /// Longitude in degrees.
    #[must_use]
    pub fn lon(self) -> f64 {
        f64::from(self.lon_e5) / 1e5
    }

    /// Great-circle distance in kilometers, across the antimeridian too.
    #[must_use]
    pub fn distance_km(self, other: Self) -> f64 {
        haversine_km(self, other)
    }
}

/// Great-circle distance in kilometers on a sphere of [`EARTH_RADIUS_KM`].
#[must_use]
pub fn haversine_km(a: Point, b: Point) -> f64 {
    let (lat_a, lat_b) = (a.lat().to_radians(), b.lat().to_radians());
    let half_lat = ((lat_b - lat_a) / 2.0).sin();
    let half_lon = ((b.lon() - a.lon()).to_radians() / 2.0).sin();
    let h = half_lat * half_lat + lat_a.cos() * lat_b.cos() * half_lon * half_lon;
    2.0 * EARTH_RADIUS_KM * h.sqrt().min(1.0).asin()
}

impl FromStr for Point {
    type Err = Error;

    /// `LAT,LON` in degrees, such as `25.77427,-80.19366`; a blank may stand in place of or behind
    /// the comma.
    fn from_str(text: &str) -> Result<Self> {
        let subject = || format!("point {:?}", text.trim().chars().take(40).collect::<String>());
        let hint = "write LAT,LON in degrees, such as 25.77427,-80.19366";
        let mut numbers = text.split([',', ' ']).filter(|part| !part.is_empty()).map(str::parse::<f64>);
        let (Some(Ok(lat)), Some(Ok(lon)), None) = (numbers.next(), numbers.next(), numbers.next()) else {
            return Err(Error::invalid(subject(), "a point is two numbers").with_hint(hint));
        };
        Self::from_degrees(lat, lon).ok_or_else(|| {
            let why = if Self::from_degrees(lon, lat).is_some() {
                "no latitude is beyond 90 degrees: latitude comes first"
            } else {
                "latitude is from -90 to 90, longitude from -180 to 180"
            };
            Error::invalid(subject(), why).with_hint(hint)
        })
    }
}

impl fmt::Display for Point {
    /// `LAT,LON` in degrees with five decimals.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:.5},{:.5}", self.lat(), self.lon())
    }
}
