//! Where a person looks: a county, a ZIP, a point, a state.

use crate::dataset::Dataset;
use crate::geo::{self, KM_PER_MILE, Point};
use crate::ids::{CountyFips, State, Zip5};
use crate::plans::{CountyFound, Offered, Plan};
use crate::{Error, ErrorKind, Result};

use super::Near;

/// How far a search goes where no radius is said: 25 miles from a point or a ZIP, and from a county
/// as much beyond its farthest border point, so that the clinic across the line is there.
pub const USUAL_REACH_KM: f64 = 25.0 * KM_PER_MILE;

/// A place as a person names it, and the counties that it means.
#[derive(Clone, Debug, Default)]
pub struct SearchPlace {
    /// Where a search looks.
    pub near: Near,
    /// The county; or those of the ZIP with their shares, the largest first; else none.
    pub counties: Vec<CountyFound>,
    /// Former counties of the ZIP, which a plan's area may be stated by.
    former: Vec<CountyFips>,
}

impl SearchPlace {
    /// Within a radius of a point; without one [`USUAL_REACH_KM`].
    #[must_use]
    pub fn point(center: Point, radius_km: Option<f64>) -> Self {
        Self { near: Near::Point { center, radius_km: radius_km.unwrap_or(USUAL_REACH_KM) }, ..Self::default() }
    }

    /// In a state.
    #[must_use]
    pub fn state(state: State) -> Self {
        Self { near: Near::State(state), ..Self::default() }
    }

    /// The same place with another radius, in kilometers; one without a radius stays as it is.
    #[must_use]
    pub fn within(mut self, km: f64) -> Self {
        if let Near::County { radius_km, .. } | Near::Point { radius_km, .. } = &mut self.near {
            *radius_km = km;
        }
        self
    }

    /// The radius in kilometers, where there is one.
    #[must_use]
    pub fn radius_km(&self) -> Option<f64> {
        match self.near {
            Near::County { radius_km, .. } | Near::Point { radius_km, .. } => Some(radius_km),
            Near::State(_) | Near::Anywhere => None,
        }
    }
}

impl Dataset {
    /// All in a county, then what is within a radius of its reference point; without one, as far as
    /// its farthest border point and [`USUAL_REACH_KM`] beyond.
    ///
    /// # Errors
    /// [`NotFound`](ErrorKind::NotFound) or [`Ambiguous`](ErrorKind::Ambiguous) with candidates.
    pub fn near_county(&self, text: &str, radius_km: Option<f64>) -> Result<SearchPlace> {
        let county = self.county(text)?;
        let usual = || f64::from(county.radius_m) / 1000.0 + USUAL_REACH_KM;
        let radius_km = radius_km.unwrap_or_else(usual);
        let near = Near::County { county: county.fips, center: county.point, radius_km };
        Ok(SearchPlace { near, counties: vec![CountyFound { county, share: None }], former: Vec::new() })
    }

    /// Within a radius of a ZIP's point; without one [`USUAL_REACH_KM`].
    ///
    /// # Errors
    /// [`NotFound`](ErrorKind::NotFound) for a ZIP that is no area, such as one of post-office boxes.
    pub fn near_zip(&self, zip: Zip5, radius_km: Option<f64>) -> Result<SearchPlace> {
        let counties = self.counties(&zip.to_string())?.into_iter().filter(|found| found.share.is_some());
        let counties: Vec<CountyFound> = counties.collect();
        let point = self.inner.database.with_any(|connection| geo::zip_point(connection, zip))?;
        let center = point.ok_or_else(|| {
            Error::new(ErrorKind::NotFound, format!("ZIP {zip}"), "no point is known for it to measure from")
                .with_hint("name a ZIP nearby, or the county")
                .with_candidates(counties.iter().map(|found| found.county.label()))
        })?;
        let former = self.inner.database.with_any(|connection| geo::zip_former_counties(connection, zip))?;
        let former = former.into_iter().map(|(fips, _)| fips).collect();
        Ok(SearchPlace { counties, former, ..SearchPlace::point(center, radius_km) })
    }

    /// Whether a plan is sold at a place: in any of its counties; `None` for a place that is not
    /// named by counties.
    ///
    /// # Errors
    /// [`DatasetDamaged`](ErrorKind::DatasetDamaged) if it cannot be read.
    pub fn offered_at(&self, plan: &Plan, place: &SearchPlace) -> Result<Option<Offered>> {
        if place.counties.is_empty() {
            return Ok(None);
        }
        let today = place.counties.iter().map(|found| found.county.fips);
        let counties: Vec<CountyFips> = today.chain(place.former.iter().copied()).collect();
        self.offered(plan, &counties).map(Some)
    }
}
