//! One plan in two years.

use super::{Change, ComparedPlan, PlanBeside, PlanComparison};
use crate::coverage::Coverage;
use crate::data::Plan;
use crate::ids::PlanId;
use crate::plans::{ChosenPlans, SIDE_BY_SIDE};
use crate::{Error, ErrorKind, Result};

impl PlanComparison {
    /// Sets the same plans of another year beside; a year that has none of them is told.
    pub(super) fn set_beside(
        &mut self,
        year: u16,
        mut others: Vec<ComparedPlan>,
        here: Result<ChosenPlans>,
    ) -> Result<()> {
        self.beside = Some(year);
        let here = match here {
            Ok(here) => here,
            // Plans that were named are not there in that year.
            Err(error) if error.kind() == ErrorKind::NotFound => {
                if others.is_empty() {
                    self.notes.push(format!("of {year}: {error}"));
                }
                ChosenPlans::default()
            }
            Err(error) => return Err(error),
        };
        if self.plans.iter().any(|plan| plan.plan.year == Some(year)) {
            // Named without a year, a plan may mean both: the year beside is no column of its own.
            self.plans.retain(|plan| plan.plan.year != Some(year));
            self.notes.retain(|note| !note.ends_with(SIDE_BY_SIDE));
            if self.plans.is_empty() {
                return Err(Error::invalid(format!("year {year}"), "all plans that are compared are of that year")
                    .with_hint("set another year beside"));
            }
        }
        let queries: Vec<String> = self.drugs.iter().map(|drug| drug.query.clone()).collect();
        let asked: Vec<String> = self.providers.iter().map(|provider| provider.query.clone()).collect();
        for plan in &mut self.plans {
            let at = others.iter().position(|other| is_same_package(&plan.plan.id, &other.plan.id));
            let other = at.map(|at| others.swap_remove(at));
            // A package that goes on may no longer be offered there, or to others.
            if let Some(other) = other.as_ref().filter(|_| !here.place.is_empty()) {
                let id = &other.plan.id;
                if here.area_unknown.contains(id) {
                    self.notes.push(format!("the payer does not say whether {id} is sold there"));
                } else if !here.plans.iter().any(|resolved| resolved.plan.id == *id) {
                    self.notes.push(format!("{id} is not sold there, or to others"));
                }
            }
            let changes = other.as_ref().map(|other| changes(plan, other, &queries, &asked)).unwrap_or_default();
            plan.beside = Some(PlanBeside { plan: other.map(|other| other.plan), changes });
        }
        let is_new = |plan: &Plan| {
            plan.year == Some(year) && !self.plans.iter().any(|own| is_same_package(&own.plan.id, &plan.id))
        };
        self.only_beside =
            here.plans.into_iter().map(|resolved| resolved.plan).filter(is_new).map(|plan| plan.id).collect();
        self.only_beside.sort();
        Ok(())
    }
}

/// Whether two plans are one package in two years.
pub(super) fn is_same_package(a: &PlanId, b: &PlanId) -> bool {
    match (a, b) {
        (PlanId::Medicare(a), PlanId::Medicare(b)) => {
            (a.contract(), a.pbp, a.segment) == (b.contract(), b.pbp, b.segment)
        }
        (a, b) => a == b,
    }
}

fn changes(plan: &ComparedPlan, other: &ComparedPlan, drugs: &[String], providers: &[String]) -> Vec<Change> {
    let of_drugs = drugs.iter().zip(plan.answers.iter().zip(&other.answers)).filter_map(|(query, (now, beside))| {
        // The gist leaves out a tier's words, and what packages vary in.
        let short = [now.gist(), beside.gist()];
        let long = || [in_full(now), in_full(beside)];
        let [now, beside] = Some(short).filter(|[now, beside]| now != beside).unwrap_or_else(long);
        (now != beside).then(|| Change { query: query.clone(), now, beside })
    });
    let of_providers =
        providers.iter().zip(plan.standings.iter().zip(&other.standings)).filter_map(|(query, (now, beside))| {
            let [now, beside] = [&now.summary, &beside.summary];
            (now != beside).then(|| Change { query: query.clone(), now: now.clone(), beside: beside.clone() })
        });
    of_drugs.chain(of_providers).collect()
}

/// All that a plan says of a drug, in words.
fn in_full(says: &Coverage) -> String {
    let mut parts = vec![says.sentence(&[])];
    parts.extend(says.statement.tier.as_ref().map(|tier| format!("tier {tier}")));
    if let Some(own) = says.restrictions {
        parts.extend(own.named().into_iter().map(|(name, restriction)| format!("{name} {}", restriction.as_str())));
    }
    parts.extend(says.statement.mail_order.map(|on| format!("mail order {}", if on { "yes" } else { "no" })));
    parts.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_package_is_one_in_all_years() {
        let plan = |text: &str| PlanId::parse(text).unwrap();
        assert!(is_same_package(&plan("H1234-567-000-2026"), &plan("H1234-567-000-2027")));
        assert!(!is_same_package(&plan("H1234-567-000-2026"), &plan("H1234-567-001-2027")));
        assert!(!is_same_package(&plan("H1234-567-000-2026"), &plan("H1234-568-000-2027")));
    }
}
