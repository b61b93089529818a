//! The plans that a question is about: those that it names, or those of a place, a year and an audience.

use super::{CountyFound, Offered, PlanFilter, ResolvedPlan};
use crate::data::Plan;
use crate::dataset::Dataset;
use crate::ids::{Audience, PlanId};
use crate::place::Place;
use crate::{Error, ErrorKind, Result};

/// How the note ends that tells of plans of several years.
pub(crate) const SIDE_BY_SIDE: &str = "stand side by side";

/// Years that a plan can be of.
const PLAN_YEARS: std::ops::RangeInclusive<u16> = 2000..=2199;

/// Which plans are meant: by name, else those of the place.
#[derive(Clone, Copy)]
pub(crate) struct WhichPlans<'q> {
    pub(crate) plans: &'q [String],
    pub(crate) place: Option<&'q Place>,
    pub(crate) year: Option<u16>,
    pub(crate) audience: Option<Audience>,
}

/// The plans that a question is about, and what is to be said of how they were chosen.
#[derive(Default)]
pub(crate) struct ChosenPlans {
    pub(crate) plans: Vec<ResolvedPlan>,
    pub(crate) year: Option<u16>,
    pub(crate) other_audiences: u32,
    pub(crate) area_unknown: Vec<PlanId>,
    pub(crate) place: Vec<CountyFound>,
    pub(crate) notes: Vec<String>,
}

impl Dataset {
    /// The plans that a question names, or those of its place.
    pub(crate) fn choose_plans(&self, which: WhichPlans<'_>) -> Result<ChosenPlans> {
        if !which.plans.is_empty() {
            return self.named_plans(which);
        }
        let Some(place) = which.place else {
            return Err(Error::invalid("plans", "neither plans nor a place are named")
                .with_hint("name plans, or a county or ZIP whose plans are meant"));
        };
        self.plans_of_place(place, which)
    }

    fn named_plans(&self, which: WhichPlans<'_>) -> Result<ChosenPlans> {
        refuse_impossible_year(which.year)?;
        let mut chosen = ChosenPlans::default();
        if let Some(place) = which.place {
            chosen.place = self.counties_of(place)?.counties;
        }
        for text in which.plans {
            let mut meant = self.resolve_plan_in(text, &chosen.place)?;
            if let Some(year) = which.year {
                let years: Vec<String> = meant.iter().map(|resolved| resolved.plan.id.to_string()).collect();
                meant.retain(|resolved| resolved.plan.year.is_none_or(|own| own == year));
                if meant.is_empty() {
                    let why = format!("not there in {year}");
                    let error = Error::new(ErrorKind::NotFound, format!("plan {text}"), why);
                    return Err(error.with_candidates(years));
                }
            }
            for resolved in meant {
                if !chosen.plans.iter().any(|other| other.plan.id == resolved.plan.id) {
                    chosen.plans.push(resolved);
                }
            }
        }
        if let Some(place) = which.place {
            self.note_where_sold(place, &mut chosen.plans)?;
        }
        let mut years: Vec<u16> = chosen.plans.iter().filter_map(|resolved| resolved.plan.year).collect();
        years.sort_unstable();
        years.dedup();
        if years.len() > 1 {
            let years: Vec<String> = years.iter().map(u16::to_string).collect();
            chosen.notes.push(format!("plans of {} {SIDE_BY_SIDE}", years.join(" and ")));
        }
        Ok(chosen)
    }

    /// Tells of plans that were named where they are not sold at a place, or only in a part of it.
    pub(crate) fn note_where_sold(&self, place: &Place, named: &mut [ResolvedPlan]) -> Result<()> {
        // Plans are sold in counties, not at points or in states.
        if !matches!(place, Place::County(_) | Place::Zip(_)) {
            return Ok(());
        }
        let here = self.find_plans(&PlanFilter::default(), Some(place))?;
        let labels: Vec<String> = here.place.iter().map(|found| found.county.label()).collect();
        let labels = labels.join(" or ");
        for resolved in named {
            let id = resolved.plan.id.clone();
            let sold = here.plans.iter().find(|here| here.plan.id == id).map(|here| here.offered);
            let is_open = here.area_unknown.iter().any(|here| here.plan.id == id);
            let note = match sold {
                Some(Some(Offered::Partly)) => partly_sold(&[id], place),
                Some(_) => continue,
                None if is_open => format!("the payer does not say whether {id} is sold in {labels}"),
                None => format!("{id} is not sold in {labels}"),
            };
            resolved.notes.push(note);
        }
        Ok(())
    }

    fn plans_of_place(&self, place: &Place, which: WhichPlans<'_>) -> Result<ChosenPlans> {
        refuse_impossible_year(which.year)?;
        let here = self.find_plans(&PlanFilter::default(), Some(place))?;
        let years: Vec<u16> = here.plans.iter().filter_map(|here| here.plan.year).collect();
        let mut notes: Vec<String> = here.note.iter().cloned().collect();
        let year = which.year.or_else(|| self.usual_year(&years));
        if let (None, Some(year)) = (which.year, year) {
            let mut others: Vec<u16> = years.into_iter().filter(|other| *other != year).collect();
            others.sort_unstable();
            others.dedup();
            let others: Vec<String> = others.iter().map(u16::to_string).collect();
            if !others.is_empty() {
                notes.push(format!("plans of {year}; others are there of {}", others.join(", ")));
            }
        }
        let audience = which.audience.unwrap_or(Audience::Individual);
        let of_year = |plan: &Plan| plan.year.is_none() || year.is_none() || plan.year == year;
        let (mut plans, mut partly, mut other_audiences) = (Vec::new(), Vec::new(), 0);
        for here in here.plans.into_iter().filter(|here| of_year(&here.plan)) {
            if here.plan.audience == audience || here.plan.audience == Audience::NotStated {
                if here.offered == Some(Offered::Partly) {
                    partly.push(here.plan.id.clone());
                }
                plans.push(ResolvedPlan { plan: here.plan, notes: Vec::new() });
            } else {
                other_audiences += 1;
            }
        }
        if !partly.is_empty() {
            notes.push(partly_sold(&partly, place));
        }
        let area_unknown = here.area_unknown.into_iter().filter(|here| of_year(&here.plan));
        let area_unknown = area_unknown.map(|here| here.plan.id).collect();
        Ok(ChosenPlans { plans, year, other_audiences, area_unknown, place: here.place, notes })
    }

    /// Of the years of a place's plans the one that is meant where none is said: that of `as_of`, else the next, else the last.
    fn usual_year(&self, years: &[u16]) -> Option<u16> {
        let now = self.as_of_year();
        let later = years.iter().filter(|year| now.is_some_and(|now| **year >= now)).min();
        later.or_else(|| years.iter().max()).copied()
    }
}

/// That plans are sold in a part of a place only.
fn partly_sold(plans: &[PlanId], place: &Place) -> String {
    let ids: Vec<String> = plans.iter().map(ToString::to_string).collect();
    let are = if ids.len() == 1 { "is" } else { "are" };
    let place = match place {
        Place::Zip(zip) => format!("the ZIP {}", zip.trim()),
        _ => "the place".to_owned(),
    };
    format!("{} {are} sold in a part of {place} only", ids.join(", "))
}

/// Refuses a number that is no plan year.
fn refuse_impossible_year(year: Option<u16>) -> Result<()> {
    match year {
        Some(year) if !PLAN_YEARS.contains(&year) => {
            let why = format!("plan years are {} to {}", PLAN_YEARS.start(), PLAN_YEARS.end());
            Err(Error::invalid(format!("year {year}"), why))
        }
        _ => Ok(()),
    }
}
