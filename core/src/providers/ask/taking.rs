//! Which plans at a place have a provider in their networks.

use super::matrix::NetworkMatrixPlan;
use super::{AskedProvider, ProviderText, Standing};
use crate::Result;
use crate::dataset::Dataset;
use crate::ids::{Audience, NetworkKind, PlanId};
use crate::origin::Origin;
use crate::place::Place;
use crate::plans::{CountyFound, Plan, WhichPlans};
use crate::providers::{NetworkGap, NetworkStatus};

/// The plans that have a provider in their networks.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct PlansTaking {
    /// The provider.
    pub provider: AskedProvider,
    /// Plans of a network of which it is an active member.
    pub taking: Vec<PlanStanding>,
    /// Plans of which nobody can tell, or of whose networks it is an inactive member.
    pub in_doubt: Vec<PlanStanding>,
    /// Plans in whose networks the directory does not list it.
    pub not_listed: u32,
    /// The plan year.
    pub year: Option<u16>,
    /// Plans sold there in that year to others than asked for.
    pub other_audiences: u32,
    /// Plans of which nobody can tell whether they are sold there.
    pub area_unknown: Vec<PlanId>,
    /// The counties that the place was read as.
    pub place: Vec<CountyFound>,
    /// How the question was read, where it does not go without saying.
    pub notes: Vec<String>,
    /// Where the answer comes from.
    pub origin: Origin,
}

/// A plan, and a provider's standing in its networks.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct PlanStanding {
    /// The plan.
    pub plan: Plan,
    /// The standing.
    pub standing: Standing,
    /// The plan's networks that were not received completely.
    pub gaps: Vec<NetworkGap>,
}

impl Dataset {
    /// The plans sold at a place, in a county or ZIP, that have a provider in their networks, by id. `year` is the
    /// plan year (without one that of `as_of`), `audience` whom they are sold to (without one individuals), `kind`
    /// the only kind of their networks that counts. A provider that the directory does not have is an answer.
    ///
    /// ```
    /// # coverdex_tests::with_payer(|path| {
    /// use coverdex_core::{Dataset, Place};
    ///
    /// let dataset = Dataset::open(path)?;
    /// let place = Place::County("Doña Ana County, NM".to_owned());
    /// let answer = dataset.plans_taking(&"Núñez".into(), &place, None, None, None)?;
    /// let plans: Vec<_> = answer.taking.iter().map(|taking| taking.plan.id.to_string()).collect();
    /// assert!(plans.contains(&"H9231-001-000-2026".to_owned()));
    /// # Ok(())
    /// # });
    /// ```
    ///
    /// # Errors
    /// [`Ambiguous`](crate::ErrorKind::Ambiguous) with candidates if several providers fit the text, and for the
    /// place; [`InvalidInput`](crate::ErrorKind::InvalidInput) for a text that cannot be read, a point or a state;
    /// [`NotFound`](crate::ErrorKind::NotFound) with candidates for the place and for a dataset without a directory.
    pub fn plans_taking(
        &self,
        provider: &ProviderText,
        place: &Place,
        year: Option<u16>,
        audience: Option<Audience>,
        kind: Option<NetworkKind>,
    ) -> Result<PlansTaking> {
        let chosen = self.choose_plans(WhichPlans { plans: &[], place: Some(place), year, audience })?;
        let mut resolved = self.resolve_provider(provider, &chosen.place)?;
        resolved.whose.as_ref().map_err(Clone::clone)?;
        let mut plans = self.standings(&chosen, std::slice::from_ref(&resolved), kind)?;
        plans.sort_by(|a, b| a.plan.id.cmp(&b.plan.id));
        let (mut taking, mut in_doubt, mut not_listed) = (Vec::new(), Vec::new(), 0);
        for NetworkMatrixPlan { plan, answers, gaps, .. } in plans {
            for standing in answers {
                let status = standing.status;
                let of_plan = PlanStanding { plan: plan.clone(), standing, gaps: gaps.clone() };
                match status {
                    NetworkStatus::InNetwork => taking.push(of_plan),
                    NetworkStatus::Unknown | NetworkStatus::Inactive => in_doubt.push(of_plan),
                    _ => not_listed += 1,
                }
            }
        }
        if resolved.number.is_none() {
            resolved.asked.problem = Some("not in the directory".to_owned());
        }
        Ok(PlansTaking {
            provider: resolved.asked,
            taking,
            in_doubt,
            not_listed,
            year: chosen.year,
            other_audiences: chosen.other_audiences,
            area_unknown: chosen.area_unknown,
            place: chosen.place,
            notes: chosen.notes,
            origin: self.origin_of_directory(),
        })
    }
}
