//! Places: Locations of one address and name are one place, however many ids they have.

use coverdex_core::Result;
use coverdex_core::ids::Zip5;
use coverdex_core::providers::{layout, name_key, name_words};
use rayon::prelude::*;
use sha2::{Digest as _, Sha256};

use crate::build::intern::Interner;
use crate::build::report::Report;
use crate::geography::{Gazetteer, Located, Precision};
use crate::model::{Place, ResourceKind};

use super::collect::{Came, NONE, Said};
use super::phones::{CodedPhones, PhoneLists, shown};

/// Locations that are read at once.
const AT_ONCE: u32 = 1 << 16;

/// A place: all Locations of one address and one name.
#[derive(Clone, Debug)]
pub(super) struct PlaceRow {
    /// Hash of the folded address, or of what stands for it.
    pub(super) key: u128,
    /// Hash of the folded name.
    pub(super) name_key: u128,
    /// Places of one address share a site: a provider has one row for each.
    pub(super) site: u32,
    pub(super) area: u32,
    /// Latitude and longitude in 1e-5 degree.
    pub(super) point: Option<(i32, i32)>,
    pub(super) precision: u32,
    pub(super) name: Option<String>,
    pub(super) address: String,
    /// Number of its [`Locality`].
    pub(super) locality: u32,
    pub(super) phones: CodedPhones,
    /// Number of its hours; [`NONE`]: not stated.
    pub(super) hours: u32,
}

/// ZIP, city, state.
pub(super) type Locality = (Option<Zip5>, Option<String>, Option<String>);

/// The places that roles name.
#[derive(Debug, Default)]
pub(super) struct Places {
    pub(super) rows: Vec<PlaceRow>,
    pub(super) localities: Interner<Locality>,
    pub(super) hours: Interner<String>,
    /// The place of each Location by its number; [`NONE`]: it did not come, or nobody names it.
    of: Vec<u32>,
    /// Whether each Location is marked inactive.
    inactive: Vec<bool>,
}

/// A Location as it came, in few bytes.
#[derive(Clone, Copy)]
struct Stated {
    number: u32,
    located: Located,
    key: u128,
    name_key: u128,
    inactive: bool,
    /// Whether a role names it.
    is_named: bool,
}

impl Places {
    /// The places of the Locations for which `named` holds: a role names them.
    pub(super) fn of(
        said: &Said,
        gazetteer: &Gazetteer,
        named: &[bool],
        phones: &mut PhoneLists,
        report: &mut Report,
    ) -> Result<Self> {
        let count = u32::try_from(said.places.len()).unwrap_or(NONE);
        let state = |number: u32, facts: Place| {
            let located = gazetteer.locate(&facts);
            Stated {
                number,
                located,
                key: hash(&address_key(&facts, located.zip, said.places.order(number).2)),
                name_key: hash(&facts.name.as_deref().map(name_key).unwrap_or_default()),
                inactive: facts.active == Some(false),
                is_named: named.get(number as usize) == Some(&true),
            }
        };
        let mut all = Vec::with_capacity(said.places.len());
        for from in (0..count).step_by(AT_ONCE as usize) {
            let came = (from..count.min(from.saturating_add(AT_ONCE)))
                .into_par_iter()
                .map(|number| Ok(said.places.read::<Place>(number)?.map(|came| came.map(|facts| state(number, facts)))))
                .collect::<Result<Vec<_>>>()?;
            for came in came.into_iter().flatten() {
                match came {
                    Came::Quarantined(reason) => report.quarantined(ResourceKind::Location, &reason),
                    Came::OfNoUse(reason) => report.of_no_use(ResourceKind::Location, &reason),
                    Came::Fact(stated) => all.push(stated),
                }
            }
        }
        // The first of an address, and of a name there, is the one that is shown: those that roles
        // name before others, active ones before inactive ones, then the newest.
        all.par_sort_unstable_by(|a, b| {
            let order = |stated: &Stated| (!stated.is_named, stated.inactive, said.places.order(stated.number));
            (a.key, a.name_key).cmp(&(b.key, b.name_key)).then_with(|| order(a).cmp(&order(b)))
        });
        let mut places =
            Self { of: vec![NONE; said.places.len()], inactive: vec![false; said.places.len()], ..Self::default() };
        for (of_site, site) in all.chunk_by(|a, b| a.key == b.key).zip(0..) {
            places.add_site(said, of_site, site, phones, report)?;
        }
        Ok(places)
    }

    /// Adds the places of one address. What nobody names is no place, but its position tells where the
    /// others are.
    fn add_site(
        &mut self,
        said: &Said,
        all: &[Stated],
        site: u32,
        phones: &mut PhoneLists,
        report: &mut Report,
    ) -> Result<()> {
        let best = all.iter().map(|stated| &stated.located).min_by_key(|located| located.precision);
        for of_place in all.chunk_by(|a, b| a.name_key == b.name_key) {
            let Some(first) = of_place.first() else { continue };
            if !first.is_named {
                for _ in of_place {
                    report.of_no_use(ResourceKind::Location, "no role names it");
                }
                continue;
            }
            let number = u32::try_from(self.rows.len()).unwrap_or(NONE);
            let mut facts = Vec::with_capacity(of_place.len());
            for (at, stated) in of_place.iter().enumerate() {
                let index = stated.number as usize;
                if let (Some(of), Some(inactive)) = (self.of.get_mut(index), self.inactive.get_mut(index)) {
                    (*of, *inactive) = (number, stated.inactive);
                }
                if at == 0 {
                    report.used(ResourceKind::Location);
                } else {
                    report.folded(ResourceKind::Location, "the same place under another id");
                }
                if let Some(Came::Fact(place)) = said.places.read::<Place>(stated.number)? {
                    facts.push(place);
                }
            }
            let any = |of: fn(&Place) -> Option<&String>| {
                facts.iter().find_map(of).map(|text| text.trim().to_owned()).filter(|text| !text.is_empty())
            };
            let located = best.unwrap_or(&first.located);
            let zip = of_place.iter().find_map(|stated| stated.located.zip).or(located.zip);
            let state = located
                .state
                .map(|state| state.usps().to_owned())
                .or_else(|| any(|place| place.address.state.as_ref()));
            let locality = self.localities.number((zip, any(|place| place.address.city.as_ref()), state));
            self.rows.push(PlaceRow {
                key: first.key,
                name_key: first.name_key,
                site,
                area: area_of(located),
                point: match located.precision {
                    Precision::Point | Precision::Zip => located.point.map(|point| (point.lat_e5, point.lon_e5)),
                    Precision::County | Precision::Unknown => None,
                },
                precision: match (located.precision, located.point) {
                    (Precision::Point, Some(_)) => layout::precision::POINT,
                    (Precision::Zip, Some(_)) => layout::precision::ZIP,
                    _ if located.county.is_some() => layout::precision::COUNTY,
                    _ => layout::precision::UNKNOWN,
                },
                name: any(|place| place.name.as_ref()),
                address: facts.first().map(address_text).unwrap_or_default(),
                locality,
                phones: phones.code(&shown(facts.iter().flat_map(|place| &place.phones))),
                hours: any(|place| place.hours.as_ref()).map_or(NONE, |hours| self.hours.number(hours)),
            });
        }
        Ok(())
    }

    /// The place of a Location, and whether that is marked inactive; `None`: it did not come.
    pub(super) fn place(&self, location: u32) -> Option<(u32, bool)> {
        let index = location as usize;
        let place = self.of.get(index).copied().filter(|place| *place != NONE)?;
        Some((place, self.inactive.get(index).copied().unwrap_or(false)))
    }
}

/// 128 bits of SHA-256: no two texts of a directory share them.
fn hash(text: &str) -> u128 {
    Sha256::digest(text).first_chunk().map_or(0, |bytes| u128::from_be_bytes(*bytes))
}

/// The code of the area that a place is in: its county, else its state's own area.
fn area_of(located: &Located) -> u32 {
    let state = || located.state.and_then(coverdex_core::ids::State::fips).map(|fips| u32::from(fips) * 1000);
    located.county.map(coverdex_core::ids::CountyFips::number).or_else(state).unwrap_or(layout::NOWHERE)
}

/// The lines as they are shown: joined by a blank, in their order.
fn address_text(place: &Place) -> String {
    let lines = place.address.lines.iter().flat_map(|line| line.split_whitespace());
    lines.collect::<Vec<_>>().join(" ")
}

/// Words of addresses that have a short form, and the short form; suite marks have none.
const SHORT: [(&str, &str); 64] = [
    ("alley", "aly"),
    ("annex", "anx"),
    ("apartment", ""),
    ("apt", ""),
    ("av", "ave"),
    ("aven", "ave"),
    ("avenue", "ave"),
    ("avn", "ave"),
    ("boulevard", "blvd"),
    ("boul", "blvd"),
    ("building", "bldg"),
    ("center", "ctr"),
    ("centre", "ctr"),
    ("circle", "cir"),
    ("court", "ct"),
    ("cove", "cv"),
    ("crossing", "xing"),
    ("drive", "dr"),
    ("drv", "dr"),
    ("east", "e"),
    ("expressway", "expy"),
    ("extension", "ext"),
    ("floor", "fl"),
    ("fort", "ft"),
    ("freeway", "fwy"),
    ("heights", "hts"),
    ("highway", "hwy"),
    ("hiway", "hwy"),
    ("junction", "jct"),
    ("lane", "ln"),
    ("mount", "mt"),
    ("north", "n"),
    ("northeast", "ne"),
    ("northwest", "nw"),
    ("parkway", "pkwy"),
    ("pkway", "pkwy"),
    ("place", "pl"),
    ("plaza", "plz"),
    ("point", "pt"),
    ("ridge", "rdg"),
    ("road", "rd"),
    ("room", ""),
    ("rm", ""),
    ("route", "rte"),
    ("rt", "rte"),
    ("south", "s"),
    ("southeast", "se"),
    ("southwest", "sw"),
    ("square", "sq"),
    ("saint", "st"),
    ("ste", ""),
    ("street", "st"),
    ("str", "st"),
    ("suite", ""),
    ("terrace", "ter"),
    ("trail", "trl"),
    ("turnpike", "tpke"),
    ("unit", ""),
    ("valley", "vly"),
    ("village", "vlg"),
    ("way", "way"),
    ("west", "w"),
    ("no", ""),
    ("number", ""),
];

/// What spellings of one address share: its words in their short forms, suite marks dropped but not
/// their numbers, and the ZIP, else city and state. Without lines the name stands for them; without
/// anything the place is one of its own.
fn address_key(place: &Place, zip: Option<Zip5>, source: u128) -> String {
    let words = name_words(&place.address.lines.join(" "));
    let mut line = words
        .iter()
        .map(|word| SHORT.iter().find(|(long, _)| long == word).map_or(word.as_str(), |(_, short)| *short))
        .filter(|word| !word.is_empty())
        .collect::<Vec<_>>()
        .join(" ");
    if line.is_empty() {
        line = place.name.as_deref().map(|name| format!("@{}", name_key(name))).unwrap_or_default();
    }
    let folded = |text: &Option<String>| text.as_deref().map(name_key).unwrap_or_default();
    let rest = zip.map_or_else(
        || format!("{} {}", folded(&place.address.city), folded(&place.address.state)),
        |zip| zip.to_string(),
    );
    if line.len() < 2 || rest.trim().is_empty() {
        return format!("#{source:032x}");
    }
    format!("{line}|{rest}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Address;

    fn key(lines: &[&str], zip: &str) -> String {
        let lines = lines.iter().map(|line| (*line).to_owned()).collect();
        let place = Place { address: Address { lines, ..Address::default() }, ..Place::default() };
        address_key(&place, Zip5::mend(zip), 7)
    }

    #[test]
    fn spellings_of_one_address_have_one_key() {
        let one = key(&["500 E Benson Blvd", "Ste 103"], "99503");
        for other in [
            key(&["500 EAST BENSON BOULEVARD, SUITE 103"], "99503-1234"),
            key(&["500 E. Benson Blvd. #103"], "995031234"),
            key(&["500 e benson blvd unit 103"], "99503"),
        ] {
            assert_eq!(other, one);
        }
        for other in [
            key(&["500 E Benson Blvd"], "99503"),
            key(&["500 E Benson Blvd Ste 104"], "99503"),
            key(&["500 W Benson Blvd Ste 103"], "99503"),
            key(&["500 E Benson Blvd Ste 103"], "99504"),
        ] {
            assert_ne!(other, one);
        }
    }

    #[test]
    fn a_place_without_an_address_is_known_by_its_name_or_stands_alone() {
        let named = |name: &str, zip| {
            let place = Place { name: Some(name.to_owned()), ..Place::default() };
            address_key(&place, zip, 7)
        };
        assert_eq!(named("A Clinic", Zip5::new(2139)), "@a clinic|02139");
        assert_eq!(named("A Clinic", None), format!("#{:032x}", 7));
        assert_eq!(key(&[], "02139"), format!("#{:032x}", 7));
    }
}
