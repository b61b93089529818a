//! The plans that fit, at a place if one is named.

use super::{CountyFound, Offered, Plan, PlanFilter};
use crate::dataset::Dataset;
use crate::ids::Zip5;
use crate::origin::Origin;
use crate::place::Place;
use crate::{Error, Result};

/// The plans that fit.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct PlansFound {
    /// Plans, by id; at a place those that are sold in it or in a part of it.
    pub plans: Vec<PlanHere>,
    /// Plans of which nobody can tell whether they are sold there.
    pub area_unknown: Vec<PlanHere>,
    /// The counties that the place was read as; empty where none was asked for.
    pub place: Vec<CountyFound>,
    /// How the place was read, for people, where that does not go without saying.
    pub note: Option<String>,
    /// Where the answer comes from.
    pub origin: Origin,
}

/// A plan, and whether it is sold at the place that was asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct PlanHere {
    /// The plan.
    pub plan: Plan,
    /// Whether it is sold there; `None` where no place was asked for.
    pub offered: Option<Offered>,
    /// Where the answer comes from.
    pub origin: Origin,
}

/// The counties that a place means.
#[derive(Clone, Debug, Default)]
pub(crate) struct PlaceCounties {
    pub(crate) counties: Vec<CountyFound>,
    pub(crate) note: Option<String>,
}

impl Dataset {
    /// Plans that fit, by id; with a place those that are sold there, and those of which nobody can tell.
    ///
    /// ```
    /// # coverdex_tests::with_payer(|path| {
    /// use coverdex_core::{Dataset, Offered, Place, PlanFilter};
    ///
    /// let dataset = Dataset::open(path)?;
    /// let filter = PlanFilter { year: Some(2027), ..PlanFilter::default() };
    /// let found = dataset.find_plans(&filter, Some(&Place::County("Doña Ana County, NM".to_owned())))?;
    /// let here = &found.plans[0];
    /// assert_eq!((here.plan.id.to_string().as_str(), here.offered), ("H9231-001-000-2027", Some(Offered::Yes)));
    /// # Ok(())
    /// # });
    /// ```
    ///
    /// # Errors
    /// [`NotFound`](crate::ErrorKind::NotFound) or [`Ambiguous`](crate::ErrorKind::Ambiguous) with candidates for
    /// the place, [`InvalidInput`](crate::ErrorKind::InvalidInput) for a point or a state.
    pub fn find_plans(&self, filter: &PlanFilter, place: Option<&Place>) -> Result<PlansFound> {
        self.cancel.check()?;
        let origin = self.origin();
        let of = |plan, offered| PlanHere { plan, offered, origin: origin.clone() };
        let Some(place) = place else {
            let plans = self.plans(filter)?.into_iter().map(|plan| of(plan, None)).collect();
            let (area_unknown, place, note) = (Vec::new(), Vec::new(), None);
            return Ok(PlansFound { plans, area_unknown, place, note, origin: origin.clone() });
        };
        let PlaceCounties { counties, note } = self.counties_of(place)?;
        let here = match (place, counties.first()) {
            (Place::Zip(text), _) => self.plans_in_zip(text.parse()?, filter)?,
            (Place::County(_), Some(found)) => self.plans_in_county(found.county.fips, filter)?,
            _ => {
                let subject = "place";
                return Err(Error::invalid(subject, "plans are sold in counties, not at points or in states")
                    .with_hint("name a county or a ZIP"));
            }
        };
        let offered = |plan: &Plan| if here.partly.contains(&plan.id) { Offered::Partly } else { Offered::Yes };
        let plans = here.offered.iter().map(|plan| of(plan.clone(), Some(offered(plan)))).collect();
        let area_unknown = here.area_unknown.into_iter().map(|plan| of(plan, Some(Offered::Unknown))).collect();
        Ok(PlansFound { plans, area_unknown, place: counties, note, origin: origin.clone() })
    }

    /// The counties of a place: one county, or those of a ZIP; none of a point or a state.
    pub(crate) fn counties_of(&self, place: &Place) -> Result<PlaceCounties> {
        place.check_length()?;
        match place {
            Place::County(text) => {
                let (county, note) = self.county_and_note(text)?;
                Ok(PlaceCounties { counties: vec![CountyFound { county, share: None }], note })
            }
            Place::Zip(text) => {
                let zip: Zip5 = text.parse()?;
                Ok(PlaceCounties { counties: self.counties_of_zip(zip)?, note: None })
            }
            Place::Point(_) | Place::State(_) => Ok(PlaceCounties::default()),
        }
    }
}
