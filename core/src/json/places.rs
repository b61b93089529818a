//! Counties.

use serde::Serialize;

use super::{OriginFields, through};
use crate::geo::FormerCounty;
use crate::ids::{CountyFips, State};
use crate::plans::{CountiesFound, CountyFound};

through! {
    CountiesFound => CountiesFields,
    CountyFound => CountyFields,
}

/// The counties that a text or a ZIP means.
#[derive(Serialize)]
struct CountiesFields<'a> {
    results: &'a [CountyFound],
    /// The former county that was named: the results are the counties of today that it is in.
    former: Option<FormerFields<'a>>,
    /// How the text was read, for people.
    note: Option<&'a str>,
    #[serde(flatten)]
    origin: OriginFields<'a>,
}

#[derive(Serialize)]
struct FormerFields<'a> {
    fips: CountyFips,
    name: &'a str,
    state: State,
    since: u16,
}

#[derive(Serialize)]
pub(crate) struct CountyFields<'a> {
    fips: CountyFips,
    name: &'a str,
    state: State,
    /// Share of the ZIP's people, 0 to 1; null for a text.
    share: Option<f64>,
}

impl<'a> From<&'a CountiesFound> for CountiesFields<'a> {
    fn from(found: &'a CountiesFound) -> Self {
        Self {
            results: &found.counties,
            former: found.former.as_ref().map(FormerFields::from),
            note: found.note.as_deref(),
            origin: OriginFields::from(&found.origin),
        }
    }
}

impl<'a> From<&'a FormerCounty> for FormerFields<'a> {
    fn from(former: &'a FormerCounty) -> Self {
        Self { fips: former.fips, name: &former.name, state: former.state, since: former.since }
    }
}

impl<'a> From<&'a CountyFound> for CountyFields<'a> {
    fn from(found: &'a CountyFound) -> Self {
        let county = &found.county;
        Self { fips: county.fips, name: &county.name, state: county.state, share: found.share }
    }
}
