//! Service areas: county names as payers write them, read as counties.

use std::collections::BTreeMap;

use coverdex_core::State;

use crate::geography::{Gazetteer, Named};
use crate::model::{Place, ServiceArea};

/// What a service area was read as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Read {
    /// A whole state.
    State,
    /// One county.
    County,
    /// A name that fits several counties.
    Several,
    /// Nothing that is known.
    Unknown,
}

impl Read {
    pub(super) const fn as_str(self) -> &'static str {
        match self {
            Self::State => "state",
            Self::County => "county",
            Self::Several => "several",
            Self::Unknown => "unknown",
        }
    }
}

/// What a Location is as a service area: its district or county, else its state. One that names a street
/// or a city is a place of practice, and no area.
pub(super) fn of_place(place: &Place) -> Option<ServiceArea> {
    let address = &place.address;
    if !address.lines.is_empty() || address.city.is_some() || (address.state.is_none() && address.district.is_none()) {
        return None;
    }
    let named = || place.name.clone().filter(|name| name.to_ascii_lowercase().contains("county"));
    Some(ServiceArea { state: address.state.clone(), county: address.district.clone().or_else(named) })
}

/// Reads an area; counties that it is, or may be, are noted with whether that is certain.
pub(super) fn read(area: &ServiceArea, counties: &mut BTreeMap<u32, bool>) -> (Read, Option<State>) {
    let gazetteer = Gazetteer::get();
    let state = area.state.as_deref().and_then(State::from_name);
    let name = area.county.as_deref().unwrap_or_default().trim();
    if name.is_empty() {
        return (if state.is_some() { Read::State } else { Read::Unknown }, state);
    }
    if area.state.is_some() && state.is_none() {
        return (Read::Unknown, None);
    }
    let mut note = |fips: u32, certain: bool| {
        *counties.entry(fips).or_default() |= certain;
    };
    if let Some(former) = gazetteer.former_county_named(state, name)
        && former.successors.len() > 1
    {
        note(former.fips.number(), true);
        for successor in &former.successors {
            note(successor.number(), false);
        }
        return (Read::County, former.fips.state());
    }
    match gazetteer.county_named(state, name) {
        Named::One(fips) => {
            note(fips.number(), true);
            (Read::County, fips.state())
        }
        Named::Several(several) => {
            for fips in &several {
                note(fips.number(), false);
            }
            (Read::Several, state)
        }
        Named::None => (Read::Unknown, state),
    }
}

/// Makes certain each county whose former counties are all in the area: what was divided is in it as a
/// whole. Connecticut's regions are made of several former counties each.
pub(super) fn join_former(counties: &mut BTreeMap<u32, bool>) {
    let gazetteer = Gazetteer::get();
    let whole: Vec<u32> = counties
        .iter()
        .filter(|(_, certain)| !**certain)
        .map(|(fips, _)| *fips)
        .filter(|fips| {
            let mut of_it = gazetteer
                .former_counties()
                .iter()
                .filter(|former| former.successors.iter().any(|successor| successor.number() == *fips))
                .peekable();
            of_it.peek().is_some() && of_it.all(|former| counties.get(&former.fips.number()) == Some(&true))
        })
        .collect();
    counties.extend(whole.into_iter().map(|fips| (fips, true)));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Address;

    fn area(state: Option<&str>, county: Option<&str>) -> (Read, Vec<(u32, bool)>) {
        let area = ServiceArea { state: state.map(str::to_owned), county: county.map(str::to_owned) };
        let mut counties = BTreeMap::new();
        let (read, _) = read(&area, &mut counties);
        (read, counties.into_iter().collect())
    }

    #[test]
    fn locations_are_areas() {
        let of = |name: &str, city: Option<&str>, district: Option<&str>| {
            let address = Address {
                state: Some("CT".to_owned()),
                city: city.map(str::to_owned),
                district: district.map(str::to_owned),
                ..Address::default()
            };
            of_place(&Place { name: Some(name.to_owned()), address, ..Place::default() }).map(|area| area.county)
        };
        assert_eq!(of("State of CT", None, None), Some(None));
        assert_eq!(of("Hartford County", None, None), Some(Some("Hartford County".to_owned())));
        assert_eq!(of("Area", None, Some("Hartford")), Some(Some("Hartford".to_owned())));
        assert_eq!(of("Clinic", Some("Hartford"), None), None);
        assert_eq!(of_place(&Place::default()), None);
    }

    #[test]
    fn areas_are_read() {
        assert_eq!(area(Some("VA"), Some("FAIRFAX COUNTY")), (Read::County, vec![(51_059, true)]));
        assert_eq!(area(Some("VA"), Some("City of Fairfax")), (Read::County, vec![(51_600, true)]));
        assert_eq!(area(Some("VA"), Some("Richmond")), (Read::Several, vec![(51_159, false), (51_760, false)]));
        assert_eq!(area(Some("KY"), None), (Read::State, vec![]));
        assert_eq!(area(Some("OH"), Some("Nowhere County")), (Read::Unknown, vec![]));
        assert_eq!(area(None, None), (Read::Unknown, vec![]));
        let (read, counties) = area(Some("CT"), Some("Hartford"));
        assert_eq!(read, Read::County);
        assert!(counties.contains(&(9_003, true)) && counties.iter().any(|(fips, certain)| *fips > 9_100 && !certain));
    }

    #[test]
    fn what_former_counties_cover_together_is_certain() {
        let joined = |state: &str, names: &[&str]| {
            let mut counties = BTreeMap::new();
            for name in names {
                read(&ServiceArea { state: Some(state.to_owned()), county: Some((*name).to_owned()) }, &mut counties);
            }
            join_former(&mut counties);
            counties.into_iter().filter(|(_, certain)| *certain).map(|(fips, _)| fips).collect::<Vec<_>>()
        };
        assert_eq!(joined("AK", &["Valdez-Cordova"]), [2_063, 2_066, 2_261]);
        assert_eq!(joined("CT", &["Hartford"]), [9_003], "each of its regions has towns of others too");
        assert_eq!(joined("CT", &["Hartford", "Tolland"]), [9_003, 9_013, 9_110]);
        let all = ["Fairfield", "Hartford", "Litchfield", "Middlesex", "New Haven", "New London", "Tolland", "Windham"];
        let regions = joined("CT", &all).into_iter().filter(|fips| *fips > 9_100).count();
        assert_eq!(regions, 9);
    }
}
