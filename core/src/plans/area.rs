//! Where plans are sold.

use std::collections::BTreeMap;
use std::ops::RangeInclusive;

use super::{Plan, PlanFilter};
use crate::asked::check_length;
use crate::dataset::Dataset;
use crate::format::number;
use crate::geo::{self, County, FormerCounty};
use crate::ids::{CountyFips, PlanId, Zip5};
use crate::origin::Origin;
use crate::{Error, Result};

/// Whether a plan is sold at a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Offered {
    /// Its service area does not have the place.
    No,
    /// It states no area, or names a county that fits several or none.
    Unknown,
    /// Its service area has some counties of the ZIP in which people live, and not, or perhaps not, the others.
    Partly,
    /// Its service area has the place.
    Yes,
}

impl Offered {
    /// `yes`, `partly`, `no` or `unknown`.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::No => "no",
            Self::Unknown => "unknown",
            Self::Partly => "partly",
            Self::Yes => "yes",
        }
    }
}

/// Plans at a place.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct PlansHere {
    /// Plans that are sold there, in all of it or in a part.
    pub offered: Vec<Plan>,
    /// Those of them that are sold only in a part of the ZIP.
    pub partly: Vec<PlanId>,
    /// Plans of which nobody can tell.
    pub area_unknown: Vec<Plan>,
}

/// What a text means, asked for as a county or a ZIP.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct CountiesFound {
    /// The counties, those of a ZIP with their shares.
    pub counties: Vec<CountyFound>,
    /// The former county that was named: the counties are those of today that it is in.
    pub former: Option<FormerCounty>,
    /// How the text was read, for people, where that does not go without saying.
    pub note: Option<String>,
    /// Where the answer comes from.
    pub origin: Origin,
}

/// A county that a text or a ZIP means.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct CountyFound {
    /// The county.
    pub county: County,
    /// The share of the ZIP's people who live there, 0 to 1; `None` where a text was looked up.
    pub share: Option<f64>,
}

impl Dataset {
    /// The counties that a text fits: by name (`Baltimore, MD`) or FIPS code (`24005`), or those of a ZIP,
    /// the largest share first. Five digits that are both are read as the ZIP, with the county behind it.
    ///
    /// ```
    /// # coverdex_tests::with_payer(|path| {
    /// use coverdex_core::Dataset;
    ///
    /// let dataset = Dataset::open(path)?;
    /// let found = dataset.counties("Baltimore")?;
    /// let names: Vec<_> = found.iter().map(|found| found.county.name.as_str()).collect();
    /// assert_eq!(names, ["Baltimore County", "Baltimore city"]);
    /// # Ok(())
    /// # });
    /// ```
    ///
    /// # Errors
    /// [`NotFound`](crate::ErrorKind::NotFound) with candidates.
    pub fn counties(&self, text: &str) -> Result<Vec<CountyFound>> {
        Ok(self.find_counties(text)?.counties)
    }

    /// As [`Self::counties`], and how the text was read: what a former county has become, and digits that
    /// are a ZIP and a county's code.
    ///
    /// ```
    /// # coverdex_tests::with_payer(|path| {
    /// use coverdex_core::Dataset;
    ///
    /// let dataset = Dataset::open(path)?;
    /// let found = dataset.find_counties("Hartford County, CT")?;
    /// let former = found.former.unwrap(); // Connecticut has planning regions in place of counties
    /// assert_eq!((former.fips.to_string().as_str(), found.counties.len() > 1), ("09003", true));
    /// # Ok(())
    /// # });
    /// ```
    ///
    /// # Errors
    /// [`NotFound`](crate::ErrorKind::NotFound) with candidates.
    pub fn find_counties(&self, text: &str) -> Result<CountiesFound> {
        check_length("county", text)?;
        self.cancel.check()?;
        let without_share = |county| CountyFound { county, share: None };
        let by_name = || {
            self.inner.database.with_any(|connection| {
                let counties: Vec<CountyFound> =
                    geo::find_counties(connection, text)?.into_iter().map(without_share).collect();
                let former = geo::former_county(connection, text)?;
                let labels: Vec<String> = counties.iter().map(|found| found.county.label()).collect();
                let note = former.as_ref().map(|former| format!("{}: it is in {}", former.note(), labels.join("; ")));
                Ok(CountiesFound { counties, former, note, origin: self.origin() })
            })
        };
        let Ok(zip) = text.trim().parse::<Zip5>() else {
            let Some((zip, labels)) = self.zip_without_its_zero(text.trim()) else { return by_name() };
            return match by_name() {
                Ok(mut code) => {
                    let of_code = code.note.map(|note| format!("; {note}")).unwrap_or_default();
                    code.note = Some(format!("read as a FIPS code; as the ZIP {zip}: {labels}{of_code}"));
                    Ok(code)
                }
                Err(error) => Err(error.with_hint(format!("for the ZIP of {labels} write {zip}"))),
            };
        };
        let as_code = text.trim().parse::<CountyFips>().ok().and_then(|_| by_name().ok());
        match (self.counties_of_zip(zip), as_code) {
            (Ok(mut counties), Some(code)) => {
                let labels: Vec<String> = code.counties.iter().map(|found| found.county.label()).collect();
                let as_code = code.note.clone().unwrap_or_else(|| labels.join("; "));
                let note = format!("{zip} read as a ZIP; as a FIPS code: {as_code}");
                counties.extend(code.counties.iter().cloned());
                Ok(CountiesFound { counties, note: Some(note), ..code })
            }
            (Ok(counties), None) => Ok(CountiesFound { counties, former: None, note: None, origin: self.origin() }),
            (Err(_), Some(mut code)) => {
                code.note.get_or_insert_with(|| {
                    format!("{zip} read as a FIPS code: it is no ZIP that a county is known for")
                });
                Ok(code)
            }
            (Err(error), None) => Err(error),
        }
    }

    /// The ZIP that four digits are if they lost a zero in front, and its counties.
    fn zip_without_its_zero(&self, text: &str) -> Option<(Zip5, String)> {
        let is_short = text.len() == 4 && text.bytes().all(|b| b.is_ascii_digit());
        let zip: Zip5 = is_short.then(|| format!("0{text}"))?.parse().ok()?;
        let labels: Vec<String> = self.counties_of_zip(zip).ok()?.iter().map(|found| found.county.label()).collect();
        Some((zip, labels.join("; ")))
    }

    /// The counties of a ZIP with their shares, the largest first.
    ///
    /// ```
    /// # coverdex_tests::with_payer(|path| {
    /// use coverdex_core::Dataset;
    ///
    /// let dataset = Dataset::open(path)?;
    /// let found = dataset.counties_of_zip("21207".parse()?)?;
    /// assert_eq!((found[0].county.name.as_str(), found[0].share), ("Baltimore County", Some(0.7045)));
    /// assert_eq!((found[1].county.name.as_str(), found[1].share), ("Baltimore city", Some(0.2955)));
    /// # Ok(())
    /// # });
    /// ```
    ///
    /// # Errors
    /// [`NotFound`](crate::ErrorKind::NotFound) for a ZIP that is no area, such as one of post-office boxes.
    pub fn counties_of_zip(&self, zip: Zip5) -> Result<Vec<CountyFound>> {
        let shares = self.zip_counties(zip)?.into_iter();
        let found: Vec<CountyFound> =
            shares.map(|(county, share)| CountyFound { county, share: Some(share) }).collect();
        if !found.is_empty() {
            return Ok(found);
        }
        let states = self.inner.database.with_any(|connection| geo::zip_states(connection, zip))?;
        let (message, hint) = match states.as_slice() {
            [] => ("no ZIP that is known begins with these three digits".to_owned(), "check the digits"),
            [state] if state.fips().is_none() => {
                (format!("it is of military mail ({}), which lies in no county", state.name()), "ask for the state")
            }
            states => {
                let names: Vec<&str> = states.iter().map(|state| state.name()).collect();
                let message = format!(
                    "it is no area: a ZIP of post-office boxes or of one receiver in {}, or none in use",
                    names.join(" or ")
                );
                (message, "name a ZIP nearby, or the county")
            }
        };
        Err(Error::new(crate::ErrorKind::NotFound, format!("ZIP {zip}"), message).with_hint(hint))
    }

    /// The one county that a text means.
    ///
    /// ```
    /// # coverdex_tests::with_payer(|path| {
    /// use coverdex_core::{Dataset, ErrorKind};
    ///
    /// let dataset = Dataset::open(path)?;
    /// assert_eq!(dataset.county("dona ana, nm")?.fips.to_string(), "35013");
    /// assert_eq!(dataset.county("Baltimore, MD").unwrap_err().kind(), ErrorKind::Ambiguous);
    /// # Ok(())
    /// # });
    /// ```
    ///
    /// # Errors
    /// [`NotFound`](crate::ErrorKind::NotFound) or [`Ambiguous`](crate::ErrorKind::Ambiguous) with candidates.
    pub fn county(&self, text: &str) -> Result<County> {
        check_length("county", text)?;
        self.cancel.check()?;
        self.inner.database.with_any(|connection| geo::resolve_county(connection, text))
    }

    /// The one county that a text means, and what became of a former one that was named.
    pub(crate) fn county_and_note(&self, text: &str) -> Result<(County, Option<String>)> {
        let county = self.county(text)?;
        let former = self.inner.database.with_any(|connection| geo::former_county(connection, text))?;
        let note = former.map(|former| format!("{}: read as {}", former.note(), county.label()));
        Ok((county, note))
    }

    /// The counties of a ZIP with the share of its people, the largest first.
    pub(crate) fn zip_counties(&self, zip: Zip5) -> Result<Vec<(County, f64)>> {
        self.inner.database.with_any(|connection| geo::zip_counties(connection, zip))
    }

    /// Plans that fit and are sold in a county.
    ///
    /// ```
    /// # coverdex_tests::with_payer(|path| {
    /// use coverdex_core::{Dataset, PlanFilter};
    ///
    /// let dataset = Dataset::open(path)?;
    /// let county = dataset.county("Baltimore city, MD")?.fips;
    /// let here = dataset.plans_in_county(county, &PlanFilter::default())?;
    /// assert_eq!(here.offered[0].id.to_string(), "H9231-041-000-2026");
    /// assert_eq!(here.area_unknown.len(), 1); // nobody can tell where this one is sold
    /// # Ok(())
    /// # });
    /// ```
    ///
    /// # Errors
    /// [`DatasetDamaged`](crate::ErrorKind::DatasetDamaged) if they cannot be read.
    pub fn plans_in_county(&self, county: CountyFips, filter: &PlanFilter) -> Result<PlansHere> {
        self.plans_here(&Area::county(county), filter)
    }

    /// Plans that fit and are sold in any of the counties of a ZIP.
    ///
    /// ```
    /// # coverdex_tests::with_payer(|path| {
    /// use coverdex_core::{Dataset, PlanFilter};
    ///
    /// let dataset = Dataset::open(path)?;
    /// let here = dataset.plans_in_zip("21207".parse()?, &PlanFilter::default())?;
    /// assert_eq!(here.offered.len(), 2);
    /// assert_eq!(here.partly.len(), 2); // each is sold in one of the ZIP's two counties
    /// # Ok(())
    /// # });
    /// ```
    ///
    /// # Errors
    /// [`NotFound`](crate::ErrorKind::NotFound) for a ZIP that is no area.
    pub fn plans_in_zip(&self, zip: Zip5, filter: &PlanFilter) -> Result<PlansHere> {
        self.plans_here(&self.area_of_zip(zip, &self.counties_of_zip(zip)?)?, filter)
    }

    /// The counties of a ZIP in which its people live, of today and former ones.
    pub(crate) fn area_of_zip(&self, zip: Zip5, counties: &[CountyFound]) -> Result<Area> {
        let former = self.inner.database.with_any(|connection| geo::zip_former_counties(connection, zip))?;
        let lived_in = |all: Vec<(CountyFips, f64)>| -> Vec<CountyFips> {
            let peopled = all.iter().filter(|(_, share)| *share > 0.0).map(|(fips, _)| *fips).collect::<Vec<_>>();
            if peopled.is_empty() { all.into_iter().map(|(fips, _)| fips).collect() } else { peopled }
        };
        let today = counties.iter().map(|found| (found.county.fips, found.share.unwrap_or(1.0))).collect();
        Ok(Area { today: lived_in(today), former: lived_in(former) })
    }

    fn plans_here(&self, area: &Area, filter: &PlanFilter) -> Result<PlansHere> {
        let offers = area.each().map(|county| self.offers_in(&[county], ALL_PLANS)).collect::<Result<Vec<_>>>()?;
        let mut here = PlansHere::default();
        for plan in self.plans(filter)? {
            match area.offered(&offers, &plan) {
                Offered::Yes => here.offered.push(plan),
                Offered::Partly => {
                    here.partly.push(plan.id.clone());
                    here.offered.push(plan);
                }
                Offered::Unknown => here.area_unknown.push(plan),
                Offered::No => {}
            }
        }
        Ok(here)
    }

    /// Whether a plan is sold in any of these counties.
    ///
    /// ```
    /// # coverdex_tests::with_payer(|path| {
    /// use coverdex_core::{Dataset, Offered};
    ///
    /// let dataset = Dataset::open(path)?;
    /// let plan = &dataset.resolve_plan("H9231-001-000-2026")?[0].plan;
    /// let (here, there) = (dataset.county("Doña Ana, NM")?.fips, dataset.county("Otero, NM")?.fips);
    /// assert_eq!(dataset.offered(plan, &[there])?, Offered::No);
    /// assert_eq!(dataset.offered(plan, &[there, here])?, Offered::Yes); // in any of them
    /// # Ok(())
    /// # });
    /// ```
    ///
    /// # Errors
    /// [`DatasetDamaged`](crate::ErrorKind::DatasetDamaged) if it cannot be read.
    pub fn offered(&self, plan: &Plan, counties: &[CountyFips]) -> Result<Offered> {
        Ok(self.offers_in(counties, only(plan))?.of(plan))
    }

    /// Whether a plan is sold in all of an area, or in a part.
    pub(crate) fn offered_in_area(&self, plan: &Plan, area: &Area) -> Result<Offered> {
        let offers = area.each().map(|county| self.offers_in(&[county], only(plan))).collect::<Result<Vec<_>>>()?;
        Ok(area.offered(&offers, plan))
    }

    /// What is known of some plans, by their numbers, in counties.
    fn offers_in(&self, counties: &[CountyFips], plans: RangeInclusive<u32>) -> Result<Offers> {
        let (first, last) = plans.into_inner();
        let states: Vec<u32> = counties.iter().map(|county| county.number() / 1000).collect();
        self.inner.database.with(|connection| {
            let mut offers = Offers::default();
            let mut named = connection
                .prepare_cached("SELECT plan, certain FROM plan_county WHERE fips = ?1 AND plan BETWEEN ?2 AND ?3")?;
            for county in counties {
                let rows = named
                    .query_map([county.number(), first, last], |row| Ok((number(row, 0)?, row.get::<_, bool>(1)?)))?;
                for row in rows {
                    let (plan, certain) = row?;
                    offers.note(plan, if certain { Offered::Yes } else { Offered::Unknown });
                }
            }
            let mut areas =
                connection.prepare_cached("SELECT plan, read, within FROM plan_area WHERE plan BETWEEN ?1 AND ?2")?;
            let mut rows = areas.query([first, last])?;
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

/// The numbers of every plan that there may be.
const ALL_PLANS: RangeInclusive<u32> = 0..=u32::MAX;

fn only(plan: &Plan) -> RangeInclusive<u32> {
    plan.number()..=plan.number()
}

/// The counties of a place: of today, and the former ones that a plan's area may be stated by.
#[derive(Clone, Debug, Default)]
pub(crate) struct Area {
    today: Vec<CountyFips>,
    former: Vec<CountyFips>,
}

impl Area {
    /// One county.
    pub(crate) fn county(county: CountyFips) -> Self {
        Self { today: vec![county], former: Vec::new() }
    }

    /// Whether it has any county.
    pub(crate) fn is_empty(&self) -> bool {
        self.today.is_empty()
    }

    /// All of them, those of today first.
    pub(crate) fn each(&self) -> impl Iterator<Item = CountyFips> + '_ {
        self.today.iter().chain(&self.former).copied()
    }

    /// Whether a plan is sold in it, by the offers in each of its counties. Former counties stand for those
    /// of today in their state.
    fn offered(&self, offers: &[Offers], plan: &Plan) -> Offered {
        let (today, former) = offers.split_at_checked(self.today.len()).unwrap_or((offers, &[]));
        let by_today = together(today.iter().map(|offers| offers.of(plan)));
        if former.is_empty() {
            return by_today;
        }
        let divided = |county: &CountyFips| self.former.iter().any(|former| former.state() == county.state());
        let others = self.today.iter().zip(today).filter(|(county, _)| !divided(county)).map(|(_, offers)| offers);
        by_today.max(together(former.iter().chain(others).map(|offers| offers.of(plan))))
    }
}

/// Whether a plan is sold in all of some counties.
fn together(each: impl Iterator<Item = Offered>) -> Offered {
    let together = |a, b| match (a, b) {
        (a, b) if a == b => a,
        (Offered::Yes | Offered::Partly, _) | (_, Offered::Yes | Offered::Partly) => Offered::Partly,
        _ => Offered::Unknown,
    };
    each.reduce(together).unwrap_or(Offered::No)
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
