//! The other way round: which plans of a place cover a drug.

use super::{AskedDrug, Coverage, CoverageReason, CoverageStatus};
use crate::Result;
use crate::dataset::Dataset;
use crate::ids::{Audience, PlanId};
use crate::origin::Origin;
use crate::place::Place;
use crate::plans::{CountyFound, Plan, WhichPlans};

/// The plans of a place that cover a drug, and how many others do not.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct PlansCovering {
    /// The drug, and what it was read as.
    pub drug: AskedDrug,
    /// The plans that cover it, wholly or in some packages, ranked as [`RANKED_BY`](Self::RANKED_BY) says.
    pub plans: Vec<CoveringPlan>,
    /// How many of the place's other plans say what of it.
    pub others: Vec<StatusCount>,
    /// The plan year.
    pub year: Option<u16>,
    /// Plans sold there in that year to others than asked for.
    pub other_audiences: u32,
    /// Plans of which nobody can tell whether they are sold there; they were not asked.
    pub area_unknown: Vec<PlanId>,
    /// The counties that the place was read as.
    pub place: Vec<CountyFound>,
    /// How the question was read, where it does not go without saying.
    pub notes: Vec<String>,
    /// Where the answer comes from.
    pub origin: Origin,
}

/// A plan that covers the drug.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct CoveringPlan {
    /// The plan.
    pub plan: Plan,
    /// What it says of the drug.
    pub coverage: Coverage,
}

/// How many plans give an answer.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct StatusCount {
    /// The answer.
    pub status: CoverageStatus,
    /// Why, for statuses that have a reason.
    pub reason: Option<CoverageReason>,
    /// Plans that give it.
    pub plans: Vec<PlanId>,
}

impl PlansCovering {
    /// By what plans are ranked.
    pub const RANKED_BY: &'static str = "covered in all packages, then without prior authorization or step therapy \
                                         (no before not stated), then by the tier's level, a hint; not by cost";
}

impl Dataset {
    /// Which plans that are sold at a place cover a drug. Without a year: that of `as_of`, else the next; without an
    /// audience: plans for individuals. A drug that fits nothing or several is an answer: no plan covers it.
    ///
    /// ```
    /// # coverdex_tests::with_payer(|path| {
    /// use coverdex_core::{Dataset, Place};
    ///
    /// let dataset = Dataset::open(path)?;
    /// let place = Place::County("Doña Ana County, NM".to_owned());
    /// let answer = dataset.plans_covering("eliquis 5 mg", &place, None, None)?;
    /// let plans: Vec<_> = answer.plans.iter().map(|covering| covering.plan.id.to_string()).collect();
    /// assert_eq!(plans, ["H9231-001-000-2026"]);
    /// for other in &answer.others {
    ///     println!("{} plans: {}", other.plans.len(), other.status.as_str());
    /// }
    /// # Ok(())
    /// # });
    /// ```
    ///
    /// # Errors
    /// [`NotFound`](crate::ErrorKind::NotFound) or [`Ambiguous`](crate::ErrorKind::Ambiguous) with candidates for
    /// the place, [`InvalidInput`](crate::ErrorKind::InvalidInput) for a point or a state.
    pub fn plans_covering(
        &self,
        drug: &str,
        place: &Place,
        year: Option<u16>,
        audience: Option<Audience>,
    ) -> Result<PlansCovering> {
        let chosen = self.choose_plans(WhichPlans { plans: &[], place: Some(place), year, audience })?;
        let resolved = self.drug_or_problem(drug)?;
        let matrix = self.matrix_of(chosen, std::slice::from_ref(&resolved))?;
        let mut plans: Vec<CoveringPlan> = Vec::new();
        let mut others: Vec<StatusCount> = Vec::new();
        for mut column in matrix.plans {
            let Some(coverage) = column.answers.pop() else { continue };
            if coverage.is_covered() {
                plans.push(CoveringPlan { plan: column.plan, coverage });
                continue;
            }
            let (status, reason, id) = (coverage.status, coverage.reason, column.plan.id);
            match others.iter_mut().find(|count| (count.status, count.reason) == (status, reason)) {
                Some(count) => count.plans.push(id),
                None => others.push(StatusCount { status, reason, plans: vec![id] }),
            }
        }
        plans.sort_by(|a, b| rank(&a.coverage).cmp(&rank(&b.coverage)).then_with(|| a.plan.id.cmp(&b.plan.id)));
        for count in &mut others {
            count.plans.sort();
        }
        others.sort_by(|a, b| {
            b.plans.len().cmp(&a.plans.len()).then_with(|| a.status.as_str().cmp(b.status.as_str())).then_with(|| {
                let reason = |count: &StatusCount| count.reason.map(CoverageReason::as_str);
                reason(a).cmp(&reason(b))
            })
        });
        Ok(PlansCovering {
            drug: self.asked_drug(&resolved)?,
            plans,
            others,
            year: matrix.year,
            other_audiences: matrix.other_audiences,
            area_unknown: matrix.area_unknown,
            place: matrix.place,
            notes: matrix.notes,
            origin: matrix.origin,
        })
    }
}

/// What [`PlansCovering::RANKED_BY`] says; a drug without a level comes behind those with one.
fn rank(coverage: &Coverage) -> impl Ord + use<> {
    let levels = super::covered_levels(coverage);
    let restricted = (coverage.is_restricted(), coverage.may_be_restricted());
    (coverage.status != CoverageStatus::Covered, restricted, levels.is_none(), levels)
}
