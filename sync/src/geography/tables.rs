//! Decoding of the tables. A line that cannot be read is left out; a test counts them.

use std::collections::HashMap;

use coverdex_core::CountyFips;
use coverdex_core::Point;
use coverdex_core::build::geo::names::{self, NamedCounty};

use super::prefixes::Prefixes;
use super::shapes::Shapes;
use super::{CountyEntry, FormerCounty, Gazetteer, ZipArea};

pub(super) const COUNTIES: &str = include_str!("../../../index-data/geography/counties.tsv");
pub(super) const ALIASES: &str = include_str!("../../../index-data/geography/aliases.tsv");
pub(super) const FORMER: &str = include_str!("../../../index-data/geography/former.tsv");
pub(super) const NEIGHBORS: &str = include_str!("../../../index-data/geography/neighbors.tsv");
pub(super) const TOWNS: &str = include_str!("../../../index-data/geography/towns-ct.tsv");
pub(super) const PLACES: &str = include_str!("../../../index-data/geography/places.tsv");
pub(super) const ZIPS: &str = include_str!("../../../index-data/geography/zips.tsv");
pub(super) const COARSE: &str = include_str!("../../../index-data/geography/coarse.tsv");
pub(super) const SHAPES: &str = include_str!("../../../index-data/geography/shapes.txt");

/// All tables, decoded.
pub(super) fn decode() -> Gazetteer {
    let counties: Vec<(&str, CountyEntry)> = rows(COUNTIES).filter_map(|row| county(&row)).collect();
    let former: Vec<(&str, FormerCounty)> = rows(FORMER).filter_map(|row| former_county(&row)).collect();
    let mut neighbors: Vec<_> = rows(NEIGHBORS).flat_map(|row| touching(&row)).collect();
    neighbors.sort_unstable();
    let mut by_name: HashMap<String, Vec<NamedCounty>> = HashMap::new();
    let aliases = rows(ALIASES).filter_map(|row| {
        let fips = code(row.first()?)?;
        let entry = counties.iter().find(|(_, county)| county.fips == fips)?;
        Some((*row.get(1)?, fips, names::is_city(&entry.1.name)))
    });
    let bare = counties.iter().map(|(bare, county)| (*bare, county.fips, names::is_city(&county.name)));
    let old = former.iter().map(|(bare, county)| (*bare, county.fips, names::is_city(&county.name)));
    for (name, fips, is_city) in bare.chain(old).chain(aliases) {
        let named = by_name.entry(names::key(name)).or_default();
        if !named.iter().any(|other| other.fips == fips) {
            named.push(NamedCounty { fips, is_city });
        }
    }
    for named in by_name.values_mut() {
        named.sort_unstable();
    }
    let zips: Vec<ZipArea> = rows(ZIPS).filter_map(|row| zip_area(&row)).collect();
    Gazetteer {
        counties: counties.into_iter().map(|(_, county)| county).collect(),
        former: former.into_iter().map(|(_, county)| county).collect(),
        neighbors,
        by_name,
        prefixes: Prefixes::of(&zips),
        zips,
        towns: rows(TOWNS).filter_map(|row| named(&row)).collect(),
        places: rows(PLACES).filter_map(|row| named(&row)).collect(),
        shapes: Shapes::decode(SHAPES),
        coarse: rows(COARSE).filter_map(|row| code(row.first()?)).collect(),
    }
}

/// The rows of a table, without its header, as fields.
pub(super) fn rows(table: &'static str) -> impl Iterator<Item = Vec<&'static str>> {
    table.lines().skip(1).map(|line| line.split('\t').collect())
}

fn county(row: &[&'static str]) -> Option<(&'static str, CountyEntry)> {
    let [fips, name, suffix, lat, lon, radius] = row else { return None };
    let entry = CountyEntry {
        fips: code(fips)?,
        name: full_name(name, suffix),
        point: point(lat, lon)?,
        radius_m: radius.parse().ok()?,
    };
    Some((name, entry))
}

fn former_county(row: &[&'static str]) -> Option<(&'static str, FormerCounty)> {
    let [fips, name, suffix, since, successors] = row else { return None };
    let entry = FormerCounty {
        fips: code(fips)?,
        name: full_name(name, suffix),
        since: since.parse().ok()?,
        successors: successors.split(' ').map(code).collect::<Option<_>>()?,
    };
    Some((name, entry))
}

fn touching(row: &[&str]) -> Vec<(CountyFips, CountyFips)> {
    let Some(fips) = row.first().and_then(|text| code(text)) else { return Vec::new() };
    row.get(1).into_iter().flat_map(|list| list.split(' ')).filter_map(|other| Some((fips, code(other)?))).collect()
}

fn zip_area(row: &[&str]) -> Option<ZipArea> {
    let field = |at: usize| row.get(at).copied().unwrap_or_default();
    let point = if field(1).is_empty() { None } else { Some(point(field(1), field(2))?) };
    Some(ZipArea { zip: field(0).parse().ok()?, point, counties: shares(field(3))?, former: shares(field(4))? })
}

/// The folded name of a place, and its counties.
fn named(row: &[&str]) -> Option<(String, Vec<CountyFips>)> {
    Some((names::key(row.first()?), row.get(1)?.split(' ').map(code).collect::<Option<_>>()?))
}

/// `FIPS` alone for the whole, or `FIPS:share FIPS:share`.
fn shares(text: &str) -> Option<Vec<(CountyFips, u16)>> {
    text.split(' ')
        .filter(|part| !part.is_empty())
        .map(|part| match part.split_once(':') {
            Some((fips, share)) => Some((code(fips)?, share.parse().ok()?)),
            None => Some((code(part)?, 10_000)),
        })
        .collect()
}

fn full_name(name: &str, suffix: &str) -> String {
    if suffix.is_empty() { name.to_owned() } else { format!("{name} {suffix}") }
}

fn code(text: &str) -> Option<CountyFips> {
    text.parse().ok()
}

fn point(lat: &str, lon: &str) -> Option<Point> {
    Some(Point { lat_e5: lat.parse().ok()?, lon_e5: lon.parse().ok()? })
}
