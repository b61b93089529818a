//! The plans that a question is about: those that it names, or those of a place, a year and an audience.

use super::{CountyFound, PlanFilter, PlanHere, ResolvedPlan};
use crate::data::Plan;
use crate::dataset::Dataset;
use crate::ids::{Audience, PlanId};
use crate::place::Place;
use crate::{Error, ErrorKind, Result};

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
        let mut chosen = ChosenPlans::default();
        for text in which.plans {
            let mut meant = self.resolve_plan_at(text, which.place)?;
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
            chosen.place = self.counties_of(place)?.counties;
            if !chosen.place.is_empty() {
                chosen.notes = self.not_sold_at(place, &chosen)?;
            }
        }
        Ok(chosen)
    }

    /// Which of the plans that were named are not sold at the place, or may not be.
    fn not_sold_at(&self, place: &Place, chosen: &ChosenPlans) -> Result<Vec<String>> {
        let here = self.find_plans(&PlanFilter::default(), Some(place))?;
        let labels: Vec<String> = chosen.place.iter().map(|found| found.county.label()).collect();
        let labels = labels.join(" or ");
        let note = |resolved: &ResolvedPlan| {
            let is_it = |here: &PlanHere| here.plan.id == resolved.plan.id;
            if here.plans.iter().any(is_it) {
                None
            } else if here.area_unknown.iter().any(is_it) {
                Some(format!("the payer does not say whether {} is sold in {labels}", resolved.plan.id))
            } else {
                Some(format!("{} is not sold in {labels}", resolved.plan.id))
            }
        };
        Ok(chosen.plans.iter().filter_map(note).collect())
    }

    fn plans_of_place(&self, place: &Place, which: WhichPlans<'_>) -> Result<ChosenPlans> {
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
        let (mut plans, mut other_audiences) = (Vec::new(), 0);
        for here in here.plans.into_iter().filter(|here| of_year(&here.plan)) {
            if here.plan.audience == audience || here.plan.audience == Audience::NotStated {
                plans.push(ResolvedPlan { plan: here.plan, notes: Vec::new() });
            } else {
                other_audiences += 1;
            }
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
