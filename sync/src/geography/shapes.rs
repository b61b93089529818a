//! County shapes, and which of them a point lies in.

use std::cmp::Ordering;

use coverdex_core::CountyFips;
use coverdex_core::Point;

/// How far outside all shapes a point may lie, in meters.
const TOLERANCE_M: f64 = 2_000.0;

/// Meters in 1e-5 degree of latitude.
const METERS_PER_E5: f64 = 1.111_95;

/// Side of a cell of the index in 1e-5 degree.
const CELL: i32 = 50_000;

const COLUMNS: i32 = 36_000_000 / CELL;
const ROWS: i32 = 18_000_000 / CELL;

/// The polygons with an index of cells of half a degree.
#[derive(Debug, Default)]
pub(super) struct Shapes {
    polygons: Vec<Polygon>,
    /// For each cell, where its polygons begin in `cell_polygons`; one more at the end.
    cell_starts: Vec<u32>,
    cell_polygons: Vec<u32>,
}

/// One connected part of a county with its holes.
#[derive(Debug)]
struct Polygon {
    fips: CountyFips,
    bounds: Bounds,
    edges: Vec<(Point, Point)>,
}

#[derive(Clone, Copy, Debug)]
struct Bounds {
    south: i32,
    north: i32,
    west: i32,
    east: i32,
}

impl Bounds {
    fn around(points: impl Iterator<Item = Point>) -> Self {
        let none = Self { south: i32::MAX, north: i32::MIN, west: i32::MAX, east: i32::MIN };
        points.fold(none, |b, p| Self {
            south: b.south.min(p.lat_e5),
            north: b.north.max(p.lat_e5),
            west: b.west.min(p.lon_e5),
            east: b.east.max(p.lon_e5),
        })
    }

    /// Grown by the tolerance.
    fn grown(self) -> Self {
        let lat = TOLERANCE_M / METERS_PER_E5;
        let lon = lat / shrink(self.south.abs().max(self.north.abs()));
        #[allow(clippy::cast_possible_truncation, reason = "some thousands")]
        let (lat, lon) = (lat.ceil() as i32, lon.ceil() as i32);
        Self { south: self.south - lat, north: self.north + lat, west: self.west - lon, east: self.east + lon }
    }

    fn hold(&self, p: Point) -> bool {
        (self.south..=self.north).contains(&p.lat_e5) && (self.west..=self.east).contains(&p.lon_e5)
    }
}

/// What a degree of longitude is of a degree of latitude at a latitude in 1e-5 degree.
fn shrink(lat_e5: i32) -> f64 {
    (f64::from(lat_e5) / 1e5).to_radians().cos().max(0.01)
}

impl Shapes {
    /// From the text of `shapes.txt`: see the README of the tables.
    pub(super) fn decode(text: &str) -> Self {
        let mut lines = text.lines();
        let grid: Vec<f64> =
            lines.next().unwrap_or_default().split(' ').skip(1).filter_map(|number| number.parse().ok()).collect();
        let [scale_x, scale_y, origin_x, origin_y] = grid.as_slice() else { return Self::default() };
        let mut arcs: Vec<Vec<Point>> = Vec::new();
        let mut polygons = Vec::new();
        for line in lines {
            if let Some(deltas) = line.strip_prefix("arc ") {
                arcs.push(arc(deltas, (*scale_x, *scale_y), (*origin_x, *origin_y)));
            } else if let Some((fips, shapes)) = line.strip_prefix("county ").and_then(|rest| rest.split_once(' '))
                && let Ok(fips) = fips.parse()
            {
                // An island smaller than a step of the grid is a point, and nothing lies in it.
                let parts = shapes.split('|').map(|rings| Polygon::decode(fips, rings, &arcs));
                polygons.extend(parts.filter(|polygon| !polygon.edges.is_empty()));
            }
        }
        Self::index(polygons)
    }

    fn index(polygons: Vec<Polygon>) -> Self {
        let mut pairs: Vec<(usize, u32)> = Vec::new();
        for (number, polygon) in (0..).zip(&polygons) {
            let bounds = polygon.bounds.grown();
            for row in row(bounds.south)..=row(bounds.north) {
                pairs.extend((column(bounds.west)..=column(bounds.east)).map(|column| (cell(row, column), number)));
            }
        }
        pairs.sort_unstable();
        let mut cell_starts = Vec::with_capacity(cell(ROWS, 0) + 1);
        let mut next = 0_u32;
        let mut rest = pairs.iter().peekable();
        for cell in 0..=cell(ROWS, 0) {
            cell_starts.push(next);
            while rest.next_if(|(other, _)| *other == cell).is_some() {
                next += 1;
            }
        }
        Self { polygons, cell_starts, cell_polygons: pairs.into_iter().map(|(_, number)| number).collect() }
    }

    /// The polygons that may hold a point or lie within the tolerance of it.
    fn near(&self, point: Point) -> impl Iterator<Item = &Polygon> {
        let at = cell(row(point.lat_e5), column(point.lon_e5));
        let bound = |at: usize| self.cell_starts.get(at).and_then(|start| usize::try_from(*start).ok()).unwrap_or(0);
        let numbers = self.cell_polygons.get(bound(at)..bound(at + 1)).unwrap_or(&[]);
        numbers.iter().filter_map(|number| self.polygons.get(usize::try_from(*number).ok()?))
    }

    /// The county whose shape holds the point, else the nearest within the tolerance.
    pub(super) fn county_at(&self, point: Point) -> Option<CountyFips> {
        self.county_holding(point).or_else(|| self.nearest(point))
    }

    /// The county whose shape holds the point.
    pub(super) fn county_holding(&self, point: Point) -> Option<CountyFips> {
        self.near(point).find(|polygon| polygon.holds(point)).map(|polygon| polygon.fips)
    }

    /// Meters from a point to a county's shape, 0 inside it; `None` where it is beyond the tolerance.
    pub(super) fn meters_to(&self, fips: CountyFips, point: Point) -> Option<f64> {
        let meters = |polygon: &Polygon| if polygon.holds(point) { 0.0 } else { polygon.meters_to_border(point) };
        let of_county = self.near(point).filter(|polygon| polygon.fips == fips);
        of_county.map(meters).filter(|meters| *meters <= TOLERANCE_M).min_by(f64::total_cmp)
    }

    /// Every county whose shape holds the point, without the index.
    #[cfg(test)]
    pub(super) fn all_holding(&self, point: Point) -> Vec<CountyFips> {
        self.polygons.iter().filter(|polygon| polygon.holds(point)).map(|polygon| polygon.fips).collect()
    }

    fn nearest(&self, point: Point) -> Option<CountyFips> {
        self.near(point)
            .filter(|polygon| polygon.bounds.grown().hold(point))
            .map(|polygon| (polygon.meters_to_border(point), polygon.fips))
            .filter(|(meters, _)| *meters <= TOLERANCE_M)
            .min_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)))
            .map(|(_, fips)| fips)
    }
}

fn row(lat_e5: i32) -> i32 {
    ((lat_e5 + 9_000_000) / CELL).clamp(0, ROWS - 1)
}

fn column(lon_e5: i32) -> i32 {
    ((lon_e5 + 18_000_000) / CELL).clamp(0, COLUMNS - 1)
}

fn cell(row: i32, column: i32) -> usize {
    usize::try_from(row * COLUMNS + column).unwrap_or(0)
}

/// An arc's points: the first absolute, the others by their difference, in steps of the grid.
fn arc(deltas: &str, scale: (f64, f64), origin: (f64, f64)) -> Vec<Point> {
    let mut numbers = deltas.split(' ').filter_map(|number| number.parse::<i32>().ok());
    let (mut x, mut y) = (0, 0);
    let mut points = Vec::new();
    while let (Some(dx), Some(dy)) = (numbers.next(), numbers.next()) {
        x += dx;
        y += dy;
        points.extend(Point::from_degrees(f64::from(y) * scale.1 + origin.1, f64::from(x) * scale.0 + origin.0));
    }
    points
}

impl Polygon {
    /// Rings parted by `/`, each a list of arcs; an arc that is walked backward has the
    /// complement of its number.
    fn decode(fips: CountyFips, rings: &str, arcs: &[Vec<Point>]) -> Self {
        let mut edges = Vec::new();
        for ring in rings.split('/') {
            let mut points: Vec<Point> = Vec::new();
            for number in ring.split(' ').filter_map(|number| number.parse::<i32>().ok()) {
                let forward = usize::try_from(number).ok();
                let backward = usize::try_from(!number).ok();
                match (forward.and_then(|at| arcs.get(at)), backward.and_then(|at| arcs.get(at))) {
                    (Some(arc), _) => points.extend(arc),
                    (_, Some(arc)) => points.extend(arc.iter().rev()),
                    _ => {}
                }
            }
            edges.extend(points.iter().copied().zip(points.iter().copied().skip(1)).filter(|(a, b)| a != b));
        }
        let bounds = Bounds::around(edges.iter().map(|(a, _)| *a));
        Self { fips, bounds, edges }
    }

    /// The even-odd rule in integers: a point on a border belongs to exactly one side of it.
    fn holds(&self, point: Point) -> bool {
        if !self.bounds.hold(point) {
            return false;
        }
        let mut inside = false;
        for (a, b) in &self.edges {
            if (a.lat_e5 > point.lat_e5) == (b.lat_e5 > point.lat_e5) {
                continue;
            }
            let difference = |to: i32, from: i32| i64::from(to) - i64::from(from);
            let left = difference(point.lon_e5, a.lon_e5) * difference(b.lat_e5, a.lat_e5);
            let right = difference(point.lat_e5, a.lat_e5) * difference(b.lon_e5, a.lon_e5);
            let side = if b.lat_e5 > a.lat_e5 { left.cmp(&right) } else { right.cmp(&left) };
            inside ^= side == Ordering::Less;
        }
        inside
    }

    /// Meters to the nearest point of the border, on a plane around the point.
    fn meters_to_border(&self, point: Point) -> f64 {
        let shrink = shrink(point.lat_e5);
        let plane = |p: Point| {
            let x = f64::from(p.lon_e5 - point.lon_e5) * shrink * METERS_PER_E5;
            (x, f64::from(p.lat_e5 - point.lat_e5) * METERS_PER_E5)
        };
        let to_edge = |(a, b): &(Point, Point)| {
            let ((ax, ay), (bx, by)) = (plane(*a), plane(*b));
            let (dx, dy) = (bx - ax, by - ay);
            let along = (-(ax * dx + ay * dy) / (dx * dx + dy * dy)).clamp(0.0, 1.0);
            (ax + along * dx).hypot(ay + along * dy)
        };
        self.edges.iter().map(to_edge).fold(f64::INFINITY, f64::min)
    }
}
