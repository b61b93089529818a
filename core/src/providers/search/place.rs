//! Where a person looks: a county, a ZIP, a point, a state.

use crate::dataset::Dataset;
use crate::geo::{self, KM_PER_MILE, Point};
use crate::ids::{State, Zip5};
use crate::place::Place;
use crate::plans::{Area, CountyFound, Offered, Plan};
use crate::{Error, ErrorKind, Result};

use super::Near;

/// How far a search goes where no radius is said: 25 miles from a point or a ZIP, and from a county
/// as much beyond its farthest border point, so that the clinic across the line is there.
pub const USUAL_REACH_KM: f64 = 25.0 * KM_PER_MILE;

/// A place as a person names it, and the counties that it means.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct SearchPlace {
    /// Where a search looks.
    pub near: Near,
    /// The place as people write it: `Travis County, TX`, `ZIP 78701`; empty: anywhere.
    pub label: String,
    /// The county; or those of the ZIP with their shares, the largest first; else none.
    pub counties: Vec<CountyFound>,
    /// How the text was read, for people, where that does not go without saying.
    pub note: Option<String>,
    /// Where a plan must be sold.
    area: Area,
}

impl SearchPlace {
    /// Within a radius of a point; without one 25 miles.
    #[must_use]
    pub fn point(center: Point, radius_km: Option<f64>) -> Self {
        let near = Near::Point { center, radius_km: radius_km.unwrap_or(USUAL_REACH_KM) };
        Self { near, label: center.to_string(), ..Self::default() }
    }

    /// In a state.
    #[must_use]
    pub fn state(state: State) -> Self {
        Self { near: Near::State(state), label: state.name().to_owned(), ..Self::default() }
    }

    /// The same place with another radius, in kilometers; one without a radius stays as it is.
    #[must_use]
    pub fn within(mut self, km: f64) -> Self {
        if let Near::County { radius_km, .. } | Near::Point { radius_km, .. } = &mut self.near {
            *radius_km = km;
        }
        self
    }

    /// What kind of place it is: `county`, `zip`, `point`, `state` or `anywhere`.
    #[must_use]
    pub const fn kind(&self) -> &'static str {
        match self.near {
            Near::County { .. } => "county",
            Near::Point { .. } if self.counties.is_empty() => "point",
            Near::Point { .. } => "zip",
            Near::State(_) => "state",
            Near::Anywhere => "anywhere",
        }
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
    /// Where a search looks for a place; `None`: anywhere. `radius_km` is for places that have a point.
    ///
    /// ```
    /// # coverdex_tests::with_payer(|path| {
    /// use coverdex_core::{Dataset, Near, Place};
    ///
    /// let dataset = Dataset::open(path)?;
    /// let point = Place::Point("32.31,-106.75".to_owned());
    /// let place = dataset.search_place(Some(&point), Some(16.0))?;
    /// assert!(matches!(place.near, Near::Point { radius_km: 16.0, .. }));
    /// assert_eq!(dataset.search_place(None, None)?.near, Near::Anywhere);
    /// # Ok(())
    /// # });
    /// ```
    ///
    /// # Errors
    /// [`NotFound`](ErrorKind::NotFound) or [`Ambiguous`](ErrorKind::Ambiguous) with candidates,
    /// [`InvalidInput`](ErrorKind::InvalidInput) for a text that is no such place.
    pub fn search_place(&self, place: Option<&Place>, radius_km: Option<f64>) -> Result<SearchPlace> {
        place.map_or(Ok(()), Place::check_length)?;
        Ok(match place {
            Some(Place::County(text)) => self.near_county(text, radius_km)?,
            Some(Place::Zip(text)) => self.near_zip(text.parse()?, radius_km)?,
            Some(Place::Point(text)) => SearchPlace::point(text.parse()?, radius_km),
            Some(Place::State(text)) => SearchPlace::state(text.parse()?),
            None => SearchPlace { label: "anywhere".to_owned(), ..SearchPlace::default() },
        })
    }

    /// All in a county, then what is within a radius of its reference point; without one, as far as
    /// its farthest border point and 25 miles beyond.
    ///
    /// ```
    /// # coverdex_tests::with_payer(|path| {
    /// use coverdex_core::Dataset;
    ///
    /// let dataset = Dataset::open(path)?;
    /// let place = dataset.near_county("Doña Ana County, NM", None)?;
    /// assert!(place.radius_km().unwrap() > 50.0); // a large county: its border is far from its center
    /// # Ok(())
    /// # });
    /// ```
    ///
    /// # Errors
    /// [`NotFound`](ErrorKind::NotFound) or [`Ambiguous`](ErrorKind::Ambiguous) with candidates.
    pub fn near_county(&self, text: &str, radius_km: Option<f64>) -> Result<SearchPlace> {
        let (county, note) = self.county_and_note(text)?;
        let usual = || f64::from(county.radius_m) / 1000.0 + USUAL_REACH_KM;
        let radius_km = radius_km.unwrap_or_else(usual);
        let near = Near::County { county: county.fips, center: county.point, radius_km };
        let area = Area::county(county.fips);
        let label = county.label();
        Ok(SearchPlace { near, label, counties: vec![CountyFound { county, share: None }], note, area })
    }

    /// Within a radius of a ZIP's point; without one 25 miles.
    ///
    /// ```
    /// # coverdex_tests::with_payer(|path| {
    /// use coverdex_core::Dataset;
    ///
    /// let dataset = Dataset::open(path)?;
    /// let place = dataset.near_zip("88011".parse()?, Some(16.0))?;
    /// assert_eq!((place.radius_km(), place.counties[0].county.fips.to_string().as_str()), (Some(16.0), "35013"));
    /// # Ok(())
    /// # });
    /// ```
    ///
    /// # Errors
    /// [`NotFound`](ErrorKind::NotFound) for a ZIP that is no area, such as one of post-office boxes.
    pub fn near_zip(&self, zip: Zip5, radius_km: Option<f64>) -> Result<SearchPlace> {
        let counties = self.counties_of_zip(zip)?;
        let point = self.inner.database.with_any(|connection| geo::zip_point(connection, zip))?;
        let center = point.ok_or_else(|| {
            Error::new(ErrorKind::NotFound, format!("ZIP {zip}"), "no point is known for it to measure from")
                .with_hint("name a ZIP nearby, or the county")
                .with_candidates(counties.iter().map(|found| found.county.label()))
        })?;
        let area = self.area_of_zip(zip, &counties)?;
        Ok(SearchPlace { counties, area, label: format!("ZIP {zip}"), ..SearchPlace::point(center, radius_km) })
    }

    /// Whether a plan is sold at a place, or in a part of it ([`Offered::Partly`]); `None` for a place that is
    /// not named by counties.
    ///
    /// ```
    /// # coverdex_tests::with_payer(|path| {
    /// use coverdex_core::{Dataset, Offered};
    ///
    /// let dataset = Dataset::open(path)?;
    /// let plan = &dataset.resolve_plan("H9231-040")?[0].plan;
    /// let place = dataset.near_zip("21207".parse()?, None)?;
    /// assert_eq!(dataset.offered_at(plan, &place)?, Some(Offered::Partly)); // in one of its two counties
    /// # Ok(())
    /// # });
    /// ```
    ///
    /// # Errors
    /// [`DatasetDamaged`](ErrorKind::DatasetDamaged) if it cannot be read.
    pub fn offered_at(&self, plan: &Plan, place: &SearchPlace) -> Result<Option<Offered>> {
        if place.area.is_empty() {
            return Ok(None);
        }
        self.offered_in_area(plan, &place.area).map(Some)
    }
}
