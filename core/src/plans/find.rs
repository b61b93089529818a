//! Finding plans: by what a person says of one, or all that fit.

use super::{CountyFound, Offered, Plan, PlanFilter};
use crate::asked::{check_length, check_lengths};
use crate::dataset::Dataset;
use crate::fold;
use crate::ids::{CountyFips, PlanId, PlanQuery};
use crate::{Error, ErrorKind, Result};

/// The month from which the next plan year is answered beside the present one (open enrollment).
const NEXT_YEAR_FROM_MONTH: u32 = 10;

/// Candidates that an error names at most.
const MOST_CANDIDATES: usize = 8;

/// A plan that was meant, and what was filled in to find it.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ResolvedPlan {
    /// The plan.
    pub plan: Plan,
    /// What was not said and how it was read, for people.
    pub notes: Vec<String>,
}

impl ResolvedPlan {
    /// A plan with what is to be said of how it was found.
    #[must_use]
    pub fn new(plan: Plan, notes: Vec<String>) -> Self {
        Self { plan, notes }
    }
}

impl Dataset {
    /// All plans, by id.
    ///
    /// ```
    /// # coverdex_tests::with_payer(|path| {
    /// use coverdex_core::Dataset;
    ///
    /// let dataset = Dataset::open(path)?;
    /// let plans = dataset.all_plans()?;
    /// assert!(plans.iter().all(|plan| plan.year.is_none_or(|year| year == 2026 || year == 2027)));
    /// # Ok(())
    /// # });
    /// ```
    ///
    /// # Errors
    /// [`DatasetDamaged`](crate::ErrorKind::DatasetDamaged) if they cannot be read.
    pub fn all_plans(&self) -> Result<Vec<Plan>> {
        Ok(self.plan_rows()?.to_vec())
    }

    /// All plans where they lie, by id.
    pub(crate) fn plan_rows(&self) -> Result<&[Plan]> {
        self.inner.plans.get(&self.inner.database, &self.inner.manifest.dataset)
    }

    /// Plans that fit, by id.
    ///
    /// ```
    /// # coverdex_tests::with_payer(|path| {
    /// use coverdex_core::{Audience, Dataset, PlanFilter};
    ///
    /// let dataset = Dataset::open(path)?;
    /// let filter = PlanFilter { audience: Some(Audience::EmployerGroup), ..PlanFilter::default() };
    /// let groups = dataset.plans(&filter)?;
    /// assert_eq!(groups[0].id.to_string(), "H9231-801-000-2026");
    /// # Ok(())
    /// # });
    /// ```
    ///
    /// # Errors
    /// [`DatasetDamaged`](crate::ErrorKind::DatasetDamaged) if they cannot be read.
    pub fn plans(&self, filter: &PlanFilter) -> Result<Vec<Plan>> {
        check_lengths([("plan", filter.text.as_ref()), ("plan type", filter.kind.as_ref())])?;
        let words = filter.text.as_deref().map(fold::key);
        let query = filter.text.as_deref().and_then(|text| text.parse::<PlanQuery>().ok());
        let kind = filter.kind.as_deref().map(fold::key);
        let fits = |plan: &&Plan| {
            let text = words.as_deref().is_none_or(|words| {
                query.as_ref().is_some_and(|query| query.fits(&plan.id))
                    || has_words(plan, words)
                    || fold::key(&plan.id.to_string()).starts_with(words)
            });
            text && kind.as_deref().is_none_or(|kind| plan.types.iter().any(|t| fold::key(t) == kind))
                && filter.audience.is_none_or(|audience| plan.audience == audience)
                && filter.year.is_none_or(|year| plan.year == Some(year))
        };
        Ok(self.plan_rows()?.iter().filter(fits).cloned().collect())
    }

    /// The plan that a person means, in any spelling of its id or by its exact name. Without a year:
    /// the year of `as_of`, and from October on a later one beside it. Without a segment: `000`, else
    /// the only one.
    ///
    /// ```
    /// # coverdex_tests::with_payer(|path| {
    /// use coverdex_core::{Dataset, ErrorKind};
    ///
    /// let dataset = Dataset::open(path)?; // as of November 2026
    /// let found = dataset.resolve_plan("h9231 001")?;
    /// let years: Vec<_> = found.iter().map(|found| found.plan.year).collect();
    /// assert_eq!(years, [Some(2026), Some(2027)]);
    /// let missing = dataset.resolve_plan("H9231-999").unwrap_err();
    /// assert_eq!((missing.kind(), missing.candidates().is_empty()), (ErrorKind::NotFound, false));
    /// # Ok(())
    /// # });
    /// ```
    ///
    /// # Errors
    /// [`NotFound`](crate::ErrorKind::NotFound) or [`Ambiguous`](crate::ErrorKind::Ambiguous) with candidates.
    pub fn resolve_plan(&self, text: &str) -> Result<Vec<ResolvedPlan>> {
        self.resolve_plan_in(text, &[])
    }

    /// As [`Self::resolve_plan`], for a question about some counties: of several segments without `000`
    /// the only one that is sold there.
    ///
    /// ```
    /// # coverdex_tests::with_payer(|path| {
    /// use coverdex_core::Dataset;
    ///
    /// let dataset = Dataset::open(path)?;
    /// let counties = dataset.counties("Otero County, NM")?;
    /// let found = dataset.resolve_plan_in("H9231-002", &counties)?;
    /// assert_eq!(found[0].plan.id.to_string(), "H9231-002-002-2026");
    /// # Ok(())
    /// # });
    /// ```
    ///
    /// # Errors
    /// Those of [`Self::resolve_plan`].
    pub fn resolve_plan_in(&self, text: &str, counties: &[CountyFound]) -> Result<Vec<ResolvedPlan>> {
        check_length("plan", text)?;
        self.cancel.check()?;
        let query: PlanQuery = text.parse()?;
        let plans = self.plan_rows()?;
        let mut fitting: Vec<&Plan> = plans.iter().filter(|plan| query.fits(&plan.id)).collect();
        let by_name = fitting.is_empty();
        if by_name {
            let wanted = fold::key(text);
            let named = |plan: &&Plan| plan.name.as_deref().is_some_and(|name| fold::key(name) == wanted);
            fitting = plans.iter().filter(named).collect();
        }
        if fitting.is_empty() {
            return Err(self.no_such_plan(text, &query)?);
        }
        let said_year = matches!(query, PlanQuery::Medicare { year: Some(_), .. });
        let years = if said_year { fitting } else { self.years_meant(text, fitting)? };
        let mut resolved: Vec<ResolvedPlan> = Vec::new();
        let mut years_seen: Vec<Option<u16>> = years.iter().map(|plan| plan.year).collect();
        years_seen.dedup();
        for year in years_seen {
            let of_year: Vec<&Plan> = years.iter().copied().filter(|plan| plan.year == year).collect();
            resolved.push(match pick_segment(text, year, &of_year) {
                Err(error) if is_one_package(&of_year) => {
                    self.segment_sold_in(text, &of_year, counties)?.ok_or(error)?
                }
                picked => picked?,
            });
        }
        Ok(resolved)
    }

    /// The only one of several segments that is sold in any of these counties.
    fn segment_sold_in(&self, text: &str, plans: &[&Plan], counties: &[CountyFound]) -> Result<Option<ResolvedPlan>> {
        let codes: Vec<CountyFips> = counties.iter().map(|found| found.county.fips).collect();
        let mut sold = Vec::new();
        for plan in plans {
            if !codes.is_empty() && self.offered(plan, &codes)? == Offered::Yes {
                sold.push(*plan);
            }
        }
        let [only] = sold.as_slice() else { return Ok(None) };
        let labels: Vec<String> = counties.iter().map(|found| found.county.label()).collect();
        let note = format!("{text} read as {}, the segment that is sold in {}", only.id, labels.join(" or "));
        Ok(Some(ResolvedPlan { plan: (*only).clone(), notes: vec![note] }))
    }

    /// Calendar year and month of `as_of`.
    fn as_of_year_month(&self) -> Option<(u16, u32)> {
        let mut parts = self.as_of().split(['-', 'T']);
        Some((parts.next()?.parse().ok()?, parts.next()?.parse().ok()?))
    }

    /// Calendar year of `as_of`.
    pub(crate) fn as_of_year(&self) -> Option<u16> {
        self.as_of_year_month().map(|(year, _)| year)
    }

    /// Of plans of several years those that a question without a year means, by year.
    fn years_meant<'p>(&self, text: &str, mut fitting: Vec<&'p Plan>) -> Result<Vec<&'p Plan>> {
        let Some((now, month)) = self.as_of_year_month() else { return Ok(fitting) };
        fitting.sort_by_key(|plan| plan.year);
        let later_too = month >= NEXT_YEAR_FROM_MONTH;
        let meant: Vec<&Plan> = fitting
            .iter()
            .copied()
            .filter(|plan| plan.year.is_none_or(|year| year == now || (later_too && year > now)))
            .collect();
        if meant.is_empty() {
            return Err(Error::new(
                ErrorKind::NotFound,
                format!("plan {text}"),
                format!("not there in {now}, the year of the data ({})", self.as_of()),
            )
            .with_hint("name the year")
            .with_candidates(fitting.iter().take(MOST_CANDIDATES).map(|plan| plan.id.to_string())));
        }
        Ok(meant)
    }

    fn no_such_plan(&self, text: &str, query: &PlanQuery) -> Result<Error> {
        let wanted = fold::key(text);
        let mut near: Vec<(usize, &Plan)> = self
            .plan_rows()?
            .iter()
            .filter_map(|plan| nearness(query, &wanted, plan).map(|near| (near, plan)))
            .collect();
        near.sort_by(|(a, plan_a), (b, plan_b)| (a, &plan_a.id).cmp(&(b, &plan_b.id)));
        let candidates = near.iter().take(MOST_CANDIDATES).map(|(_, plan)| named(plan));
        Ok(Error::new(ErrorKind::NotFound, format!("plan {text}"), "not in this dataset")
            .with_hint("list the plans that are there")
            .with_candidates(candidates))
    }
}

fn named(plan: &Plan) -> String {
    match &plan.name {
        Some(name) => format!("{} {name}", plan.id),
        None => plan.id.to_string(),
    }
}

fn has_words(plan: &Plan, words: &str) -> bool {
    let name = plan.name.as_deref().map(fold::key).unwrap_or_default();
    !words.is_empty() && words.split(' ').all(|word| name.split(' ').any(|w| w.starts_with(word)))
}

/// Whether there are two words of four letters or more, and each such word is in the plan's name but for a slip.
fn has_words_nearly(plan: &Plan, words: &str) -> bool {
    let name = plan.name.as_deref().map(fold::key).unwrap_or_default();
    let is_near = |word: &str| name.split(' ').any(|own| fold::edits(word, own, 1 + word.len() / 8).is_some());
    let mut long = words.split(' ').filter(|word| word.len() > 3);
    long.clone().count() > 1 && long.all(is_near)
}

/// How near a plan is to what was asked for; `None`: not near.
fn nearness(query: &PlanQuery, wanted: &str, plan: &Plan) -> Option<usize> {
    match (query, &plan.id) {
        (PlanQuery::Medicare { contract, pbp, .. }, PlanId::Medicare(id)) => {
            if contract == id.contract() && *pbp == id.pbp {
                Some(0)
            } else if contract == id.contract() {
                Some(1)
            } else if *pbp == id.pbp && one_digit_apart(contract, id.contract()) {
                Some(2)
            } else {
                None
            }
        }
        _ if plan.id.to_string().to_ascii_lowercase().starts_with(&wanted.replace(' ', "-")) => Some(1),
        _ if has_words(plan, wanted) => Some(3),
        _ if has_words_nearly(plan, wanted) => Some(4),
        _ => None,
    }
}

fn one_digit_apart(a: &str, b: &str) -> bool {
    a.bytes().zip(b.bytes()).filter(|(a, b)| a != b).count() <= 1
}

/// Contract, number and segment of a Medicare plan.
fn segment(plan: &Plan) -> Option<(&str, u16, u16)> {
    match &plan.id {
        PlanId::Medicare(id) => Some((id.contract(), id.pbp, id.segment)),
        _ => None,
    }
}

/// Whether plans differ in nothing but their segment.
fn is_one_package(plans: &[&Plan]) -> bool {
    plans.windows(2).all(|pair| match pair {
        [a, b] => segment(a).zip(segment(b)).is_some_and(|(a, b)| (a.0, a.1) == (b.0, b.1)),
        _ => true,
    })
}

/// Of plans of one year that differ in their segment (or that share a name) the one meant.
fn pick_segment(text: &str, year: Option<u16>, plans: &[&Plan]) -> Result<ResolvedPlan> {
    let one_package = is_one_package(plans);
    let chosen = match plans {
        [only] => Some(only),
        several if one_package => several.iter().find(|plan| segment(plan).is_some_and(|(_, _, s)| s == 0)),
        _ => None,
    };
    if let Some(plan) = chosen {
        let id = plan.id.to_string();
        let note = (!id.eq_ignore_ascii_case(text.trim())).then(|| format!("{text} read as {id}"));
        return Ok(ResolvedPlan { plan: (*plan).clone(), notes: note.into_iter().collect() });
    }
    let year = year.map_or(String::new(), |year| format!(" in {year}"));
    let segments: Vec<String> = plans.iter().filter_map(|p| segment(p)).map(|(_, _, s)| format!("{s:03}")).collect();
    let what = if one_package {
        format!("{} segments{year} ({}): name one", plans.len(), segments.join(", "))
    } else {
        format!("{} plans have this name{year}: name one by its id", plans.len())
    };
    Err(Error::new(ErrorKind::Ambiguous, format!("plan {text}"), what)
        .with_candidates(plans.iter().take(MOST_CANDIDATES).map(|plan| named(plan))))
}
