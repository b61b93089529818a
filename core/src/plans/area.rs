//! Where plans are sold.

use std::collections::BTreeMap;

use super::{Plan, PlanFilter};
use crate::dataset::Dataset;
use crate::drugs::number;
use crate::geo::{self, County};
use crate::ids::{CountyFips, Zip5};
use crate::{Error, Result};

/// Whether a plan is sold at a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Offered {
    /// Its service area does not have the place.
    No,
    /// It states no area, names a county that fits several or none, or the place is only partly inside.
    Unknown,
    /// Its service area has the place.
    Yes,
}

/// Plans at a place.
#[derive(Clone, Debug, Default)]
pub struct PlansHere {
    /// Plans that are sold there.
    pub offered: Vec<Plan>,
    /// Plans of which nobody can tell.
    pub area_unknown: Vec<Plan>,
}

/// A county that a text or a ZIP means.
#[derive(Clone, Debug, PartialEq)]
pub struct CountyFound {
    /// The county.
    pub county: County,
    /// The share of the ZIP's people who live there, 0 to 1; `None` where a text was looked up.
    pub share: Option<f64>,
}

impl Dataset {
    /// The counties that a text fits (`Baltimore, MD`, `24005`), or those of a ZIP, the largest share
    /// first.
    ///
    /// # Errors
    /// [`NotFound`](crate::ErrorKind::NotFound) with candidates.
    pub fn counties(&self, text: &str) -> Result<Vec<CountyFound>> {
        let digits = text.trim();
        // Five digits are a county's code if a county has it; else a ZIP.
        if let Ok(fips) = digits.parse::<CountyFips>()
            && let Ok(county) = self.inner.database.with_any(|connection| geo::county(connection, fips))
            && digits.parse::<Zip5>().is_err()
        {
            return Ok(vec![CountyFound { county, share: None }]);
        }
        if let Ok(zip) = digits.parse::<Zip5>() {
            let mut found: Vec<CountyFound> = self
                .zip_counties(zip)?
                .into_iter()
                .map(|(county, share)| CountyFound { county, share: Some(share) })
                .collect();
            if let Ok(fips) = digits.parse::<CountyFips>()
                && let Ok(county) = self.inner.database.with_any(|connection| geo::county(connection, fips))
            {
                found.push(CountyFound { county, share: None });
            }
            if found.is_empty() {
                return Err(Error::new(
                    crate::ErrorKind::NotFound,
                    format!("ZIP {zip}"),
                    "it is no area that a county is known for (post-office boxes have none)",
                )
                .with_hint("name a ZIP nearby, or the county"));
            }
            return Ok(found);
        }
        let counties = self.inner.database.with_any(|connection| geo::find_counties(connection, text))?;
        Ok(counties.into_iter().map(|county| CountyFound { county, share: None }).collect())
    }

    /// The one county that a text means.
    ///
    /// # Errors
    /// [`NotFound`](crate::ErrorKind::NotFound) or [`Ambiguous`](crate::ErrorKind::Ambiguous) with candidates.
    pub fn county(&self, text: &str) -> Result<County> {
        self.inner.database.with_any(|connection| geo::resolve_county(connection, text))
    }

    /// The counties of a ZIP with the share of its people, the largest first.
    ///
    /// # Errors
    /// [`DatasetDamaged`](crate::ErrorKind::DatasetDamaged) if they cannot be read.
    pub fn zip_counties(&self, zip: Zip5) -> Result<Vec<(County, f64)>> {
        self.inner.database.with_any(|connection| geo::zip_counties(connection, zip))
    }

    /// Plans that fit and are sold in a county.
    ///
    /// # Errors
    /// [`DatasetDamaged`](crate::ErrorKind::DatasetDamaged) if they cannot be read.
    pub fn plans_in_county(&self, county: CountyFips, filter: &PlanFilter) -> Result<PlansHere> {
        self.plans_here(&[county], filter)
    }

    /// Plans that fit and are sold in any of the counties of a ZIP.
    ///
    /// # Errors
    /// [`NotFound`](crate::ErrorKind::NotFound) for a ZIP that is no area.
    pub fn plans_in_zip(&self, zip: Zip5, filter: &PlanFilter) -> Result<PlansHere> {
        let mut counties: Vec<CountyFips> = self
            .counties(&zip.to_string())?
            .into_iter()
            .filter(|found| found.share.is_some())
            .map(|found| found.county.fips)
            .collect();
        let former = self.inner.database.with_any(|connection| geo::zip_former_counties(connection, zip))?;
        counties.extend(former.into_iter().map(|(fips, _)| fips));
        self.plans_here(&counties, filter)
    }

    fn plans_here(&self, counties: &[CountyFips], filter: &PlanFilter) -> Result<PlansHere> {
        let offers = self.offers_in(counties)?;
        let mut here = PlansHere::default();
        for plan in self.plans(filter)? {
            match offers.of(&plan) {
                Offered::Yes => here.offered.push(plan),
                Offered::Unknown => here.area_unknown.push(plan),
                Offered::No => {}
            }
        }
        Ok(here)
    }

    /// Whether a plan is sold in any of these counties.
    ///
    /// # Errors
    /// [`DatasetDamaged`](crate::ErrorKind::DatasetDamaged) if it cannot be read.
    pub fn offered(&self, plan: &Plan, counties: &[CountyFips]) -> Result<Offered> {
        Ok(self.offers_in(counties)?.of(plan))
    }

    fn offers_in(&self, counties: &[CountyFips]) -> Result<Offers> {
        let states: Vec<u32> = counties.iter().map(|county| county.number() / 1000).collect();
        self.inner.database.with(|connection| {
            let mut offers = Offers::default();
            let mut named = connection.prepare_cached("SELECT plan, certain FROM plan_county WHERE fips = ?1")?;
            for county in counties {
                let rows = named.query_map([county.number()], |row| Ok((number(row, 0)?, row.get::<_, bool>(1)?)))?;
                for row in rows {
                    let (plan, certain) = row?;
                    offers.note(plan, if certain { Offered::Yes } else { Offered::Unknown });
                }
            }
            let mut areas = connection.prepare_cached("SELECT plan, read, within FROM plan_area")?;
            let mut rows = areas.query([])?;
            while let Some(row) = rows.next()? {
                let (plan, read, within) = (number(row, 0)?, row.get::<_, String>(1)?, row.get::<_, Option<u32>>(2)?);
                offers.stated.push(plan);
                let here = within.is_none_or(|state| states.contains(&state));
                match read.as_str() {
                    "state" if here => offers.note(plan, Offered::Yes),
                    "unknown" if here => offers.note(plan, Offered::Unknown),
                    _ => {}
                }
            }
            offers.stated.sort_unstable();
            Ok(offers)
        })
    }
}

/// What is known of plans at one place.
#[derive(Default)]
struct Offers {
    noted: BTreeMap<u32, Offered>,
    /// Plans that state any area, ascending.
    stated: Vec<u32>,
}

impl Offers {
    fn note(&mut self, plan: u32, offered: Offered) {
        let known = self.noted.entry(plan).or_insert(offered);
        *known = (*known).max(offered);
    }

    fn of(&self, plan: &Plan) -> Offered {
        match self.noted.get(&plan.number()) {
            Some(offered) => *offered,
            None if self.stated.binary_search(&plan.number()).is_err() => Offered::Unknown,
            None => Offered::No,
        }
    }
}
