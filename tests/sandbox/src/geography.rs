//! Counties and ZIP areas of the reference tables, as the made directory is laid over them.

use std::sync::OnceLock;

static COUNTIES: &str = include_str!("../../../index-data/geography/counties.tsv");
static ZIPS: &str = include_str!("../../../index-data/geography/zips.tsv");
static TABLES: OnceLock<Tables> = OnceLock::new();

/// A county or its equivalent.
#[derive(Clone, Debug)]
pub(crate) struct CountyArea {
    pub(crate) fips: u32,
    pub(crate) name: &'static str,
    pub(crate) suffix: &'static str,
    pub(crate) state: &'static str,
    pub(crate) point: (i32, i32),
    /// ZIP areas that lie in this county alone.
    pub(crate) zips: Vec<u32>,
    /// ZIP areas that most people of live here, and that other counties share.
    pub(crate) shared_zips: Vec<u32>,
}

/// A ZIP area.
#[derive(Clone, Debug)]
pub(crate) struct ZipArea {
    pub(crate) zip: u32,
    pub(crate) point: (i32, i32),
    /// The counties that it lies in, the largest share of the people first.
    pub(crate) counties: Vec<u32>,
}

/// The reference tables.
#[derive(Debug)]
pub(crate) struct Tables {
    pub(crate) counties: Vec<CountyArea>,
    pub(crate) zips: Vec<ZipArea>,
}

/// The tables, read once.
pub(crate) fn tables() -> &'static Tables {
    TABLES.get_or_init(|| {
        let mut counties: Vec<CountyArea> = COUNTIES.lines().skip(1).filter_map(county).collect();
        let mut zips = Vec::new();
        for area in ZIPS.lines().skip(1).filter_map(zip) {
            let number = u32::try_from(zips.len()).unwrap_or(u32::MAX);
            let first = area.counties.first().copied().unwrap_or(0);
            if let Ok(at) = counties.binary_search_by_key(&first, |c| c.fips)
                && let Some(county) = counties.get_mut(at)
            {
                if area.counties.len() == 1 { &mut county.zips } else { &mut county.shared_zips }.push(number);
            }
            zips.push(area);
        }
        Tables { counties, zips }
    })
}

fn county(line: &'static str) -> Option<CountyArea> {
    let mut fields = line.split('\t');
    let fips: u32 = fields.next()?.parse().ok()?;
    let (name, suffix) = (fields.next()?, fields.next()?);
    let point = (fields.next()?.parse().ok()?, fields.next()?.parse().ok()?);
    let state = state(fips / 1_000)?;
    Some(CountyArea { fips, name, suffix, state, point, zips: Vec::new(), shared_zips: Vec::new() })
}

fn zip(line: &'static str) -> Option<ZipArea> {
    let mut fields = line.split('\t');
    let zip = fields.next()?.parse().ok()?;
    let point = (fields.next()?.parse().ok()?, fields.next()?.parse().ok()?);
    let counties: Vec<u32> = fields.next()?.split(' ').filter_map(|c| c.split(':').next()?.parse().ok()).collect();
    (!counties.is_empty()).then_some(ZipArea { zip, point, counties })
}

/// The two letters of a state's FIPS number.
pub(crate) fn state(fips: u32) -> Option<&'static str> {
    const STATES: &str = "01AL02AK04AZ05AR06CA08CO09CT10DE11DC12FL13GA15HI16ID17IL18IN19IA20KS21KY22LA23ME24MD25MA\
        26MI27MN28MS29MO30MT31NE32NV33NH34NJ35NM36NY37NC38ND39OH40OK41OR42PA44RI45SC46SD47TN48TX49UT50VT51VA53WA54WV\
        55WI56WY60AS66GU69MP72PR78VI";
    let wanted = format!("{fips:02}");
    (0..STATES.len() / 4)
        .find_map(|n| (STATES.get(4 * n..4 * n + 2)? == wanted).then(|| STATES.get(4 * n + 2..4 * n + 4))?)
}

/// People of the counties that hold the most, in thousands (2020, rounded): half of what a
/// directory's skew is. Every other county counts by its ZIP areas.
const PEOPLE: [(u32, u32); 72] = [
    (6037, 10_014),
    (17031, 5_276),
    (48201, 4_731),
    (4013, 4_421),
    (6073, 3_299),
    (6059, 3_187),
    (36047, 2_736),
    (12086, 2_702),
    (48113, 2_614),
    (6065, 2_418),
    (36081, 2_405),
    (53033, 2_270),
    (32003, 2_265),
    (6071, 2_182),
    (48439, 2_111),
    (48029, 2_009),
    (12011, 1_944),
    (6085, 1_936),
    (26163, 1_794),
    (36061, 1_694),
    (6001, 1_683),
    (25017, 1_632),
    (42101, 1_604),
    (6067, 1_585),
    (36103, 1_526),
    (12099, 1_492),
    (36005, 1_473),
    (12057, 1_460),
    (12095, 1_430),
    (36059, 1_396),
    (39049, 1_324),
    (48453, 1_290),
    (27053, 1_282),
    (26125, 1_274),
    (39035, 1_265),
    (42003, 1_251),
    (49035, 1_185),
    (6013, 1_166),
    (51059, 1_150),
    (37183, 1_129),
    (37119, 1_116),
    (13121, 1_067),
    (48085, 1_065),
    (24031, 1_062),
    (4019, 1_043),
    (29189, 1_004),
    (15003, 1_017),
    (6019, 1_009),
    (36119, 1_005),
    (55079, 939),
    (36029, 954),
    (34003, 956),
    (24033, 967),
    (18097, 977),
    (17043, 933),
    (47157, 930),
    (48157, 823),
    (6111, 844),
    (6081, 764),
    (34023, 863),
    (39061, 831),
    (24005, 855),
    (25025, 798),
    (21111, 783),
    (13135, 957),
    (47037, 716),
    (11001, 690),
    (21067, 323),
    (24510, 586),
    (29510, 302),
    (72127, 342),
    (22071, 384),
];

/// How many locations a county has for each that another has.
pub(crate) fn weight(county: &CountyArea) -> u64 {
    let zips = (county.zips.len() + county.shared_zips.len()) as u64;
    PEOPLE.iter().find(|(fips, _)| *fips == county.fips).map_or(zips * 7, |(_, people)| u64::from(*people)).max(1)
}

/// Kilometers between two points in 1e-5 degree, on a sphere of the earth's mean radius.
pub(crate) fn distance_km(a: (i32, i32), b: (i32, i32)) -> f64 {
    let radians = |e5: i32| f64::from(e5).to_radians() / 1e5;
    let (lat_a, lat_b) = (radians(a.0), radians(b.0));
    let half = |difference: f64| (difference / 2.0).sin().powi(2);
    let chord = half(lat_b - lat_a) + lat_a.cos() * lat_b.cos() * half(radians(b.1) - radians(a.1));
    2.0 * 6371.0088 * chord.sqrt().min(1.0).asin()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tables_are_whole() {
        let tables = tables();
        assert!(tables.counties.len() > 3_200 && tables.zips.len() > 30_000);
        assert!(tables.counties.is_sorted_by_key(|c| c.fips));
        let single: usize = tables.counties.iter().map(|c| c.zips.len()).sum();
        assert!(single > 20_000, "{single}");
        for (fips, _) in PEOPLE {
            assert!(tables.counties.iter().any(|c| c.fips == fips), "{fips}");
        }
        assert_eq!((state(21), state(72), state(3)), (Some("KY"), Some("PR"), None));
    }

    #[test]
    fn distances() {
        assert!(distance_km((4_000_000, -7_500_000), (4_000_000, -7_500_000)) < 1e-9);
        let degree = distance_km((0, 0), (100_000, 0));
        assert!((degree - 111.195).abs() < 0.01, "{degree}");
        assert!(distance_km((5_200_000, 17_990_000), (5_200_000, -17_990_000)) < 20.0, "across the date line");
    }
}
