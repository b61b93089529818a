//! Drugs × plans, side by side.

use std::cmp::Reverse;

use super::{AskedDrug, Caveat, Caveats, Coverage, CoverageStatus};
use crate::dataset::Dataset;
use crate::drugs::Drug;
use crate::ids::{Audience, PlanId};
use crate::origin::Origin;
use crate::place::Place;
use crate::plans::{CountyFound, Plan, PlanFilter, ResolvedPlan};
use crate::{Error, ErrorKind, Result};

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
    /// Drugs that it covers, wholly or in some packages.
    pub covered: u32,
    /// Of these, drugs with prior authorization or step therapy on some package.
    pub restricted: u32,
    /// Drugs of which nobody can tell.
    pub unknown: u32,
    /// One for each drug, in the order asked.
    pub answers: Vec<Coverage>,
    /// How the plan was read.
    pub notes: Vec<String>,
}

impl CoverageMatrix {
    /// By what plans are ranked.
    pub const RANKED_BY: &'static str =
        "drugs covered, then drugs with prior authorization or step therapy, then unknowns; not by cost";
}

impl MatrixPlan {
    fn new(resolved: ResolvedPlan, answers: Vec<Coverage>) -> Self {
        let count = |which: fn(&Coverage) -> bool| {
            u32::try_from(answers.iter().filter(|answer| which(answer)).count()).unwrap_or(u32::MAX)
        };
        Self {
            covered: count(Coverage::is_covered),
            restricted: count(|answer| answer.is_covered() && answer.is_restricted()),
            unknown: count(|answer| {
                matches!(answer.status, CoverageStatus::Unknown | CoverageStatus::Conflict | CoverageStatus::Ambiguous)
            }),
            plan: resolved.plan,
            notes: resolved.notes,
            answers,
        }
    }
}

impl Coverage {
    /// Whether all or some packages are covered.
    #[must_use]
    pub fn is_covered(&self) -> bool {
        matches!(self.status, CoverageStatus::Covered | CoverageStatus::Mixed)
    }

    /// Whether some package needs prior authorization or step therapy.
    #[must_use]
    pub fn is_restricted(&self) -> bool {
        let stated = [self.statement.prior_authorization, self.statement.step_therapy].contains(&Some(true));
        stated || self.varies.as_ref().is_some_and(|varies| varies.prior_authorization > 0 || varies.step_therapy > 0)
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
    /// [`InvalidInput`](ErrorKind::InvalidInput) if no drug is named, or neither plans nor a place;
    /// [`NotFound`](ErrorKind::NotFound) or [`Ambiguous`](ErrorKind::Ambiguous) with candidates for a plan or the
    /// place. A drug that fits nothing or several is a row of the matrix.
    pub fn coverage_matrix(&self, question: &MatrixQuestion) -> Result<CoverageMatrix> {
        if question.drugs.is_empty() {
            return Err(Error::invalid("drugs", "none is named").with_hint("name a drug, an NDC or an RxNorm code"));
        }
        let columns = self.matrix_plans(question)?;
        let drugs = question.drugs.iter().map(|text| self.drug_or_problem(text)).collect::<Result<Vec<Drug>>>()?;
        self.matrix_of(columns, &drugs)
    }

    /// The matrix of plans and drugs that were resolved.
    pub(crate) fn matrix_of(&self, columns: MatrixColumns, drugs: &[Drug]) -> Result<CoverageMatrix> {
        let mut caveats = Caveats::default();
        let mut plans = Vec::with_capacity(columns.plans.len());
        for resolved in columns.plans {
            self.cancel.check()?;
            let answers = drugs.iter().map(|drug| self.coverage(&resolved.plan, drug)).collect::<Result<Vec<_>>>()?;
            for answer in &answers {
                caveats.coverage(&resolved.plan, answer);
            }
            plans.push(MatrixPlan::new(resolved, answers));
        }
        plans.sort_by(|a, b| {
            let rank = |plan: &MatrixPlan| (Reverse(plan.covered), plan.restricted, plan.unknown);
            rank(a).cmp(&rank(b)).then_with(|| a.plan.id.cmp(&b.plan.id))
        });
        Ok(CoverageMatrix {
            drugs: drugs.iter().map(|drug| self.asked_drug(drug)).collect::<Result<_>>()?,
            plans,
            year: columns.year,
            other_audiences: columns.other_audiences,
            area_unknown: columns.area_unknown,
            place: columns.place,
            notes: columns.notes,
            caveats: caveats.list(),
            origin: self.origin(),
        })
    }

    /// The plans that a question names, or those of its place.
    pub(crate) fn matrix_plans(&self, question: &MatrixQuestion) -> Result<MatrixColumns> {
        if !question.plans.is_empty() {
            return self.named_plans(question);
        }
        let Some(place) = &question.place else {
            return Err(Error::invalid("plans", "neither plans nor a place are named")
                .with_hint("name plans, or a county or ZIP whose plans are meant"));
        };
        self.plans_of_place(place, question)
    }

    fn named_plans(&self, question: &MatrixQuestion) -> Result<MatrixColumns> {
        let mut columns = MatrixColumns::default();
        for text in &question.plans {
            let mut meant = self.resolve_plan_at(text, question.place.as_ref())?;
            if let Some(year) = question.year {
                let years: Vec<String> = meant.iter().map(|resolved| resolved.plan.id.to_string()).collect();
                meant.retain(|resolved| resolved.plan.year.is_none_or(|own| own == year));
                if meant.is_empty() {
                    let why = format!("not there in {year}");
                    let error = Error::new(ErrorKind::NotFound, format!("plan {text}"), why);
                    return Err(error.with_candidates(years));
                }
            }
            for resolved in meant {
                if !columns.plans.iter().any(|other| other.plan.id == resolved.plan.id) {
                    columns.plans.push(resolved);
                }
            }
        }
        if let Some(place) = &question.place {
            columns.place = self.counties_of(place)?.counties;
        }
        Ok(columns)
    }

    fn plans_of_place(&self, place: &Place, question: &MatrixQuestion) -> Result<MatrixColumns> {
        let here = self.find_plans(&PlanFilter::default(), Some(place))?;
        let years: Vec<u16> = here.plans.iter().filter_map(|here| here.plan.year).collect();
        let mut notes: Vec<String> = here.note.iter().cloned().collect();
        let year = question.year.or_else(|| self.year_of_matrix(&years));
        if let (None, Some(year)) = (question.year, year) {
            let mut others: Vec<u16> = years.into_iter().filter(|other| *other != year).collect();
            others.sort_unstable();
            others.dedup();
            let others: Vec<String> = others.iter().map(u16::to_string).collect();
            if !others.is_empty() {
                notes.push(format!("plans of {year}; others are there of {}", others.join(", ")));
            }
        }
        let audience = question.audience.unwrap_or(Audience::Individual);
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
        Ok(MatrixColumns { plans, year, other_audiences, area_unknown, place: here.place, notes })
    }

    /// Of the years of a place's plans the one that a matrix shows: that of `as_of`, else the next, else the last.
    fn year_of_matrix(&self, years: &[u16]) -> Option<u16> {
        let now = self.as_of_year();
        let later = years.iter().filter(|year| now.is_some_and(|now| **year >= now)).min();
        later.or_else(|| years.iter().max()).copied()
    }
}

/// The plans of a matrix, before they are asked.
#[derive(Default)]
pub(crate) struct MatrixColumns {
    pub(crate) plans: Vec<ResolvedPlan>,
    pub(crate) year: Option<u16>,
    pub(crate) other_audiences: u32,
    pub(crate) area_unknown: Vec<PlanId>,
    pub(crate) place: Vec<CountyFound>,
    pub(crate) notes: Vec<String>,
}
