//! Drugs × plans, side by side.

use std::cmp::Reverse;

use super::{AskedDrug, Caveat, Caveats, Coverage, DrugCounts};
use crate::dataset::Dataset;
use crate::drugs::Drug;
use crate::ids::{Audience, PlanId};
use crate::origin::Origin;
use crate::place::Place;
use crate::plans::{ChosenPlans, CountyFound, Plan, ResolvedPlan, WhichPlans};
use crate::{Error, Result};

/// Which drugs under which plans.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MatrixQuestion {
    /// Drugs as people say them; each is resolved once, without looking at any plan.
    pub drugs: Vec<String>,
    /// Plans by id or name; empty: those that are sold at the place.
    pub plans: Vec<String>,
    /// The county or ZIP whose plans are meant, or that tells a plan's segment.
    pub place: Option<Place>,
    /// The plan year; without one that of `as_of`.
    pub year: Option<u16>,
    /// Whom the place's plans are sold to; without one individuals.
    pub audience: Option<Audience>,
}

/// Drugs and plans side by side, plans best first.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct CoverageMatrix {
    /// The drugs, as asked.
    pub drugs: Vec<AskedDrug>,
    /// The plans, ranked as [`RANKED_BY`](Self::RANKED_BY) says.
    pub plans: Vec<MatrixPlan>,
    /// The plan year, where the plans of a place were asked for.
    pub year: Option<u16>,
    /// Plans sold there in that year to others than asked for.
    pub other_audiences: u32,
    /// Plans of which nobody can tell whether they are sold there.
    pub area_unknown: Vec<PlanId>,
    /// The counties that the place was read as.
    pub place: Vec<CountyFound>,
    /// How the question was read, where it does not go without saying.
    pub notes: Vec<String>,
    /// What the answers do not say.
    pub caveats: Vec<Caveat>,
    /// Where the answer comes from.
    pub origin: Origin,
}

/// A plan of a matrix with its answers.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct MatrixPlan {
    /// The plan.
    pub plan: Plan,
    /// Drugs that it covers, in each package that it lists.
    pub covered: u32,
    /// Drugs that it covers in some packages and lists as not covered in others.
    pub mixed: u32,
    /// Of both, drugs with prior authorization or step therapy on some package.
    pub restricted: u32,
    /// Of both, drugs of which nobody can tell whether they need prior authorization or step therapy.
    pub may_be_restricted: u32,
    /// Drugs of which nobody can tell.
    pub unknown: u32,
    /// One for each drug, in the order asked.
    pub answers: Vec<Coverage>,
    /// How the plan was read.
    pub notes: Vec<String>,
}

impl MatrixQuestion {
    fn which_plans(&self) -> WhichPlans<'_> {
        WhichPlans { plans: &self.plans, place: self.place.as_ref(), year: self.year, audience: self.audience }
    }
}

impl CoverageMatrix {
    /// By what plans are ranked.
    pub const RANKED_BY: &'static str = "drugs covered, then covered in part, then with prior authorization or step \
                                         therapy, then unknowns, then restrictions not stated; not by cost";
}

impl MatrixPlan {
    fn new(resolved: ResolvedPlan, answers: Vec<Coverage>) -> Self {
        let counts = DrugCounts::of(&answers);
        Self {
            covered: counts.covered,
            mixed: counts.mixed,
            restricted: counts.restricted,
            may_be_restricted: counts.may_be_restricted,
            unknown: counts.unknown,
            plan: resolved.plan,
            notes: resolved.notes,
            answers,
        }
    }
}

impl Dataset {
    /// Drugs × plans in one call; plans are ranked as [`CoverageMatrix::RANKED_BY`] says.
    ///
    /// ```
    /// # coverdex_tests::with_payer(|path| {
    /// use coverdex_core::{Dataset, MatrixQuestion, Place};
    ///
    /// let dataset = Dataset::open(path)?;
    /// let matrix = dataset.coverage_matrix(&MatrixQuestion {
    ///     drugs: vec!["atorvastatin 20 mg".to_owned(), "eliquis 5 mg".to_owned()],
    ///     place: Some(Place::County("Doña Ana County, NM".to_owned())),
    ///     ..MatrixQuestion::default()
    /// })?;
    /// let best = &matrix.plans[0];
    /// assert_eq!((best.plan.id.to_string().as_str(), best.covered), ("H9231-001-000-2026", 2));
    /// # Ok(())
    /// # });
    /// ```
    ///
    /// # Errors
    /// [`InvalidInput`](crate::ErrorKind::InvalidInput) if no drug is named, or neither plans nor a place;
    /// [`NotFound`](crate::ErrorKind::NotFound) or [`Ambiguous`](crate::ErrorKind::Ambiguous) with candidates for a plan or the
    /// place. A drug that fits nothing or several is a row of the matrix.
    pub fn coverage_matrix(&self, question: &MatrixQuestion) -> Result<CoverageMatrix> {
        if question.drugs.is_empty() {
            return Err(Error::invalid("drugs", "none is named").with_hint("name a drug, an NDC or an RxNorm code"));
        }
        let chosen = self.choose_plans(question.which_plans())?;
        let drugs = question.drugs.iter().map(|text| self.drug_or_problem(text)).collect::<Result<Vec<Drug>>>()?;
        self.matrix_of(chosen, &drugs)
    }

    /// The matrix of plans and drugs that were resolved.
    pub(crate) fn matrix_of(&self, chosen: ChosenPlans, drugs: &[Drug]) -> Result<CoverageMatrix> {
        let mut caveats = Caveats::default();
        let mut plans = Vec::with_capacity(chosen.plans.len());
        for resolved in chosen.plans {
            self.cancel.check()?;
            let answers = drugs.iter().map(|drug| self.coverage(&resolved.plan, drug)).collect::<Result<Vec<_>>>()?;
            for answer in &answers {
                caveats.coverage(&resolved.plan, answer);
            }
            plans.push(MatrixPlan::new(resolved, answers));
        }
        plans.sort_by(|a, b| {
            let rank = |plan: &MatrixPlan| {
                (Reverse((plan.covered, plan.mixed)), plan.restricted, plan.unknown, plan.may_be_restricted)
            };
            rank(a).cmp(&rank(b)).then_with(|| a.plan.id.cmp(&b.plan.id))
        });
        Ok(CoverageMatrix {
            drugs: drugs.iter().map(|drug| self.asked_drug(drug)).collect::<Result<_>>()?,
            plans,
            year: chosen.year,
            other_audiences: chosen.other_audiences,
            area_unknown: chosen.area_unknown,
            place: chosen.place,
            notes: chosen.notes,
            caveats: caveats.list(),
            origin: self.origin_of_drugs(),
        })
    }
}
