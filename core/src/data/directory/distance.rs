//! Distances from one point to many, without a trigonometric call for each.

use std::f64::consts::PI;

use crate::geo::{EARTH_RADIUS_KM, Point};

/// The haversine of distances from one point: grows with the distance, so that places are compared
/// by it and only what is shown is turned into kilometers.
#[derive(Clone, Copy, Debug)]
pub(crate) struct DistanceFrom {
    lat: f64,
    lon: f64,
    sin: f64,
    cos: f64,
}

const RADIANS: f64 = PI / 180.0;

/// How much bounds are widened against rounding.
const SLACK: f64 = 1e-9;

/// How much the haversine on a plane may err: the cosine by half of 0.05², of at least 0.35, and the
/// squares of half angles by a twelfth of 0.1².
const PLANE_MARGIN: f64 = 0.01;

impl DistanceFrom {
    pub(crate) fn new(point: Point) -> Self {
        let (lat, lon) = (point.lat() * RADIANS, point.lon() * RADIANS);
        Self { lat, lon, sin: lat.sin(), cos: lat.cos() }
    }

    /// The haversine of the angle to a point given in 1e-5 degree.
    #[inline]
    pub(crate) fn haversine(&self, lat_e5: i32, lon_e5: i32) -> f64 {
        let dy = f64::from(lat_e5) * (RADIANS / 1e5) - self.lat;
        let dx = f64::from(lon_e5) * (RADIANS / 1e5) - self.lon;
        let (a, b) = (sine(dy / 2.0), sine(dx / 2.0));
        let cos = self.cos * (1.0 - 2.0 * a * a) - self.sin * sine(dy);
        a * a + self.cos * cos * b * b
    }

    /// Whether a point lies no farther than a limit's haversine, as [`Self::haversine`] tells it: only
    /// near the limit it is asked.
    #[inline]
    pub(crate) fn within(&self, lat_e5: i32, lon_e5: i32, limit: f64) -> bool {
        let dy = f64::from(lat_e5) * (RADIANS / 1e5) - self.lat;
        let dx = f64::from(lon_e5) * (RADIANS / 1e5) - self.lon;
        // On a plane: away from the poles and so near it errs by less than the margin.
        if dy.abs() < 0.05 && dx.abs() < 0.1 && self.cos > 0.4 {
            let plane = (dy * dy + self.cos * (self.cos - self.sin * dy) * dx * dx) / 4.0;
            if (plane - limit).abs() > limit * PLANE_MARGIN {
                return plane < limit;
            }
        }
        self.haversine(lat_e5, lon_e5) <= limit
    }

    /// Bounds of the haversines to all points between a southwestern and a northeastern corner, given
    /// as (latitude, longitude) in 1e-5 degree; wide enough for any rounding.
    pub(crate) fn between(&self, low: (i32, i32), high: (i32, i32)) -> (f64, f64) {
        let from_lat = |lat_e5: i32| f64::from(lat_e5) * (RADIANS / 1e5) - self.lat;
        let from_lon = |lon_e5: i32| f64::from(lon_e5) * (RADIANS / 1e5) - self.lon;
        let (south, north) = (from_lat(low.0), from_lat(high.0));
        let (west, east) = (from_lon(low.1), from_lon(high.1));
        let least_lat = south.max(-north).max(0.0);
        let most_lat = north.max(-south);
        let turn = |lon: f64| lon.abs().min((2.0 * PI - lon.abs()).max(0.0));
        let least_lon = if west <= 0.0 && east >= 0.0 { 0.0 } else { turn(west).min(turn(east)) };
        let most_lon = if west.abs().max(east.abs()) <= PI { west.abs().max(east.abs()) } else { PI };
        let cos = |dy: f64| self.cos * (1.0 - 2.0 * sine(dy / 2.0).powi(2)) - self.sin * sine(dy);
        let (at_south, at_north) = (cos(south), cos(north));
        let least_cos = (at_south.min(at_north) - SLACK).max(0.0);
        let most_cos = if low.0 <= 0 && high.0 >= 0 { 1.0 } else { at_south.max(at_north) + SLACK };
        let squares = |lat: f64, lon: f64, cos: f64| {
            let (a, b) = (sine(lat / 2.0), sine(lon / 2.0));
            a * a + self.cos * cos * b * b
        };
        let least = squares(least_lat, least_lon, least_cos) * (1.0 - SLACK);
        (least, squares(most_lat, most_lon, most_cos) * (1.0 + SLACK))
    }
}

/// The sine; by its series for small angles, where seven terms are exact to the last digit.
#[inline]
fn sine(angle: f64) -> f64 {
    if angle.abs() > 0.25 {
        return angle.sin();
    }
    let square = angle * angle;
    let term = |of: f64, inner: f64| 1.0 - square / of * inner;
    angle * term(6.0, term(20.0, term(42.0, term(72.0, term(110.0, 1.0 - square / 156.0)))))
}

/// Kilometers of a haversine.
pub(crate) fn kilometers(haversine: f64) -> f64 {
    2.0 * EARTH_RADIUS_KM * haversine.clamp(0.0, 1.0).sqrt().asin()
}

/// The haversine of a distance; 1 from half the earth's circumference on.
pub(crate) fn haversine_of(km: f64) -> f64 {
    let half = km / (2.0 * EARTH_RADIUS_KM);
    if half >= std::f64::consts::FRAC_PI_2 { 1.0 } else { half.max(0.0).sin().powi(2) }
}

/// A point as a unit vector.
pub(crate) fn unit(point: Point) -> [f64; 3] {
    let (lat, lon) = (point.lat() * RADIANS, point.lon() * RADIANS);
    [lat.cos() * lon.cos(), lat.cos() * lon.sin(), lat.sin()]
}

/// The straight distance of two unit vectors, squared: never more than the angle squared.
#[inline]
pub(crate) fn chord_squared(a: &[f64; 3], b: &[f64; 3]) -> f64 {
    let [x, y, z] = [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
    x * x + y * y + z * z
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geo::haversine_km;

    #[test]
    fn agrees_with_the_plain_formula() {
        let points = [
            (25.77, -80.19),
            (25.78, -80.2),
            (40.71, -74.0),
            (51.88, -176.66),
            (52.72, 174.11),
            (13.44, 144.79),
            (-14.27, -170.7),
            (0.0, 0.0),
            (61.22, -149.9),
        ];
        for a in points {
            for b in points {
                let [a, b] = [a, b].map(|(lat, lon)| Point::from_degrees(lat, lon).unwrap());
                let km = kilometers(DistanceFrom::new(a).haversine(b.lat_e5, b.lon_e5));
                assert!((km - haversine_km(a, b)).abs() < 1e-6, "{a} {b}: {km}");
                assert!((haversine_of(km) - DistanceFrom::new(a).haversine(b.lat_e5, b.lon_e5)).abs() < 1e-12);
                assert!(chord_squared(&unit(a), &unit(b)).sqrt() <= km / EARTH_RADIUS_KM + 1e-9);
            }
        }
    }

    #[test]
    fn within_is_what_the_haversine_says() {
        let step = |from: i32, by: i32| (-60..=60).map(move |n| from + n * by);
        for (lat, lon) in [(25.77, -80.19), (61.22, -149.9), (66.3, -149.9), (-14.27, -170.7), (0.0, 179.99)] {
            let center = Point::from_degrees(lat, lon).unwrap();
            let from = DistanceFrom::new(center);
            for limit in [0.0, 0.001, 5.0, 80.0, 310.0, 2000.0].map(haversine_of) {
                for (lat, lon) in
                    step(center.lat_e5, 5_003).flat_map(|lat| step(center.lon_e5, 10_007).map(move |lon| (lat, lon)))
                {
                    assert_eq!(from.within(lat, lon, limit), from.haversine(lat, lon) <= limit, "{lat} {lon}");
                }
            }
        }
    }

    #[test]
    fn bounds_hold_for_every_point_of_a_box() {
        let froms = [(25.77, -80.19), (51.88, 179.9), (-14.27, -170.7), (89.0, 10.0), (0.0, 0.0), (61.22, -149.9)];
        let lats =
            [-8_999_999, -6_000_000, -1_430_000, -50_000, 0, 2_570_000, 2_577_100, 5_200_000, 6_130_000, 8_950_000];
        let lons =
            [-18_000_000, -17_995_000, -14_900_000, -8_019_100, -8_019_000, 0, 1_000_000, 10_000_000, 17_999_000];
        for from in froms.map(|(lat, lon)| DistanceFrom::new(Point::from_degrees(lat, lon).unwrap())) {
            for (south, north) in lats.iter().flat_map(|a| lats.iter().map(move |b| (*a, *b))) {
                for (west, east) in lons.iter().flat_map(|a| lons.iter().map(move |b| (*a, *b))) {
                    let (low, high) = ((south, west), (north, east));
                    if south > north || west > east {
                        continue;
                    }
                    let (least, most) = from.between(low, high);
                    for at in 0..36 {
                        let along = |low: i32, high: i32, step: i32| low + (high - low) / 5 * step;
                        let (lat, lon) = (along(low.0, high.0, at % 6), along(low.1, high.1, at / 6));
                        let own = from.haversine(lat, lon);
                        assert!(least <= own && own <= most, "{from:?} {low:?} {high:?}: {least} {own} {most}");
                    }
                }
            }
        }
    }
}
