//! Counties that made plans are sold in, picked for their names: homonyms, saints, accents, blanks,
//! parishes, boroughs, municipios, planning regions, independent cities.

use crate::random::Draw;

/// A county or its equivalent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct County {
    pub(crate) fips: &'static str,
    pub(crate) name: &'static str,
    /// What stands behind the name: `County`, `Parish`, `city`, …; empty where nothing does.
    pub(crate) suffix: &'static str,
    pub(crate) state: &'static str,
    /// Without its suffix another county of the state would have the same name.
    pub(crate) homonym: bool,
}

const fn county(
    fips: &'static str,
    name: &'static str,
    suffix: &'static str,
    state: &'static str,
    homonym: bool,
) -> County {
    County { fips, name, suffix, state, homonym }
}

#[rustfmt::skip]
pub(crate) const ALL: [County; 99] = [
    county("21067", "Fayette", "County", "KY", false),
    county("21111", "Jefferson", "County", "KY", false),
    county("21117", "Kenton", "County", "KY", false),
    county("21015", "Boone", "County", "KY", false),
    county("21029", "Bullitt", "County", "KY", false),
    county("21005", "Anderson", "County", "KY", false),
    county("18097", "Marion", "County", "IN", false),
    county("18057", "Hamilton", "County", "IN", false),
    county("18095", "Madison", "County", "IN", false),
    county("18091", "LaPorte", "County", "IN", false),
    county("18093", "Lawrence", "County", "IN", false),
    county("24005", "Baltimore", "County", "MD", true),
    county("24510", "Baltimore", "city", "MD", true),
    county("24037", "St. Mary's", "County", "MD", false),
    county("24035", "Queen Anne's", "County", "MD", false),
    county("24033", "Prince George's", "County", "MD", false),
    county("24009", "Calvert", "County", "MD", false),
    county("24021", "Frederick", "County", "MD", false),
    county("29189", "St. Louis", "County", "MO", true),
    county("29510", "St. Louis", "city", "MO", true),
    county("29183", "St. Charles", "County", "MO", false),
    county("29186", "Ste. Genevieve", "County", "MO", false),
    county("29187", "St. Francois", "County", "MO", false),
    county("29099", "Jefferson", "County", "MO", false),
    county("29063", "DeKalb", "County", "MO", false),
    county("35013", "Doña Ana", "County", "NM", false),
    county("35001", "Bernalillo", "County", "NM", false),
    county("35003", "Catron", "County", "NM", false),
    county("35028", "Los Alamos", "County", "NM", false),
    county("35049", "Santa Fe", "County", "NM", false),
    county("51059", "Fairfax", "County", "VA", true),
    county("51600", "Fairfax", "city", "VA", true),
    county("51159", "Richmond", "County", "VA", true),
    county("51760", "Richmond", "city", "VA", true),
    county("51161", "Roanoke", "County", "VA", true),
    county("51770", "Roanoke", "city", "VA", true),
    county("51067", "Franklin", "County", "VA", true),
    county("51620", "Franklin", "city", "VA", true),
    county("51095", "James City", "County", "VA", true),
    county("51036", "Charles City", "County", "VA", true),
    county("51510", "Alexandria", "city", "VA", false),
    county("51013", "Arlington", "County", "VA", false),
    county("12086", "Miami-Dade", "County", "FL", false),
    county("12011", "Broward", "County", "FL", false),
    county("12099", "Palm Beach", "County", "FL", false),
    county("12095", "Orange", "County", "FL", false),
    county("12109", "St. Johns", "County", "FL", false),
    county("12111", "St. Lucie", "County", "FL", false),
    county("12027", "DeSoto", "County", "FL", false),
    county("12091", "Okaloosa", "County", "FL", false),
    county("48113", "Dallas", "County", "TX", false),
    county("48201", "Harris", "County", "TX", false),
    county("48439", "Tarrant", "County", "TX", false),
    county("48029", "Bexar", "County", "TX", false),
    county("48123", "DeWitt", "County", "TX", false),
    county("48283", "La Salle", "County", "TX", false),
    county("48141", "El Paso", "County", "TX", false),
    county("06037", "Los Angeles", "County", "CA", false),
    county("06073", "San Diego", "County", "CA", false),
    county("06059", "Orange", "County", "CA", false),
    county("06085", "Santa Clara", "County", "CA", false),
    county("06075", "San Francisco", "County", "CA", false),
    county("36061", "New York", "County", "NY", false),
    county("36047", "Kings", "County", "NY", false),
    county("36081", "Queens", "County", "NY", false),
    county("36089", "St. Lawrence", "County", "NY", false),
    county("36099", "Seneca", "County", "NY", false),
    county("17031", "Cook", "County", "IL", false),
    county("17099", "LaSalle", "County", "IL", false),
    county("17037", "DeKalb", "County", "IL", false),
    county("17163", "St. Clair", "County", "IL", false),
    county("17089", "Kane", "County", "IL", false),
    county("09110", "Capitol", "Planning Region", "CT", false),
    county("09140", "Naugatuck Valley", "Planning Region", "CT", false),
    county("09170", "South Central Connecticut", "Planning Region", "CT", false),
    county("09190", "Western Connecticut", "Planning Region", "CT", false),
    county("22071", "Orleans", "Parish", "LA", false),
    county("22033", "East Baton Rouge", "Parish", "LA", false),
    county("22085", "Sabine", "Parish", "LA", false),
    county("22059", "LaSalle", "Parish", "LA", false),
    county("22095", "St. John the Baptist", "Parish", "LA", false),
    county("22087", "St. Bernard", "Parish", "LA", false),
    county("72127", "San Juan", "Municipio", "PR", false),
    county("72021", "Bayamón", "Municipio", "PR", false),
    county("72011", "Añasco", "Municipio", "PR", false),
    county("72097", "Mayagüez", "Municipio", "PR", false),
    county("02020", "Anchorage", "Municipality", "AK", false),
    county("02090", "Fairbanks North Star", "Borough", "AK", false),
    county("02016", "Aleutians West", "Census Area", "AK", false),
    county("02158", "Kusilvak", "Census Area", "AK", false),
    county("39035", "Cuyahoga", "County", "OH", false),
    county("39049", "Franklin", "County", "OH", false),
    county("39061", "Hamilton", "County", "OH", false),
    county("46102", "Oglala Lakota", "County", "SD", false),
    county("46099", "Minnehaha", "County", "SD", false),
    county("13089", "DeKalb", "County", "GA", false),
    county("28033", "DeSoto", "County", "MS", false),
    county("22027", "Claiborne", "Parish", "LA", false),
    county("37089", "Henderson", "County", "NC", false),
];

/// States that plans are sold in: each has several counties here.
pub(crate) const STATES: [&str; 15] =
    ["KY", "IN", "MD", "MO", "NM", "VA", "FL", "TX", "CA", "NY", "IL", "CT", "LA", "PR", "AK"];

impl County {
    pub(crate) fn number(&self) -> u64 {
        self.fips.parse().unwrap_or(0)
    }

    /// The Census' own name.
    pub(crate) fn full_name(&self) -> String {
        format!("{} {}", self.name, self.suffix).trim_end().to_owned()
    }

    /// Another spelling that still names this county alone inside its state.
    pub(crate) fn spelled(&self, key: u64) -> String {
        let draw = Draw::of(key, 1);
        let mut name = self.name.to_owned();
        if draw.and(1).hits(500_000) {
            name = match name.as_str() {
                text if text.starts_with("St. ") => {
                    text.replacen("St. ", draw.and(2).one_of(&["Saint ", "St "], "St "), 1)
                }
                "LaSalle" => "La Salle".to_owned(),
                "La Salle" => "LaSalle".to_owned(),
                "DeKalb" => "De Kalb".to_owned(),
                "DeSoto" => "De Soto".to_owned(),
                "De Soto" => "DeSoto".to_owned(),
                text => text
                    .chars()
                    .filter(|c| *c != '\'')
                    .map(|c| match c {
                        'ñ' => 'n',
                        'á' => 'a',
                        'ó' => 'o',
                        'ü' => 'u',
                        c => c,
                    })
                    .collect(),
            };
        }
        if self.homonym || draw.and(3).hits(500_000) {
            name.push(' ');
            name.push_str(self.suffix);
        }
        let name = name.trim_end();
        if draw.and(4).hits(300_000) { name.to_uppercase() } else { name.to_owned() }
    }
}

/// The county of this FIPS code.
pub(crate) fn find(fips: &str) -> Option<&'static County> {
    ALL.iter().find(|county| county.fips == fips)
}
