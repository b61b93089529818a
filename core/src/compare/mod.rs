//! Drugs, doctors and a pharmacy × the plans of a place, in one year or two side by side.

mod years;

use std::cmp::Reverse;
use std::collections::BTreeSet;

use crate::coverage::{AskedDrug, Caveat, Caveats, Coverage, CoverageMatrix};
use crate::data::Plan;
use crate::dataset::Dataset;
use crate::fold::one_spelling;
use crate::ids::{Audience, PlanId};
use crate::origin::Origin;
use crate::place::Place;
use crate::plans::{CountyFound, WhichPlans};
use crate::providers::{AskedProvider, NetworkMatrixPlan, ProviderText, Standing};
use crate::{Error, ErrorKind, Result};

/// What one person needs, and the plans to choose from. Nothing of it is kept.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ComparisonQuestion {
    /// Drugs as people say them.
    pub drugs: Vec<String>,
    /// Doctors, pharmacies and others, by NPI or name.
    pub providers: Vec<ProviderText>,
    /// Plans by id or name; empty: those that are sold at the place.
    pub plans: Vec<String>,
    /// The county or ZIP whose plans are meant, or that tells a plan's segment.
    pub place: Option<Place>,
    /// The plan year; without one that of `as_of`.
    pub year: Option<u16>,
    /// Another year, to show what changes in each plan.
    pub beside: Option<u16>,
    /// Whom the place's plans are sold to; without one individuals.
    pub audience: Option<Audience>,
}

/// Plans side by side for one person's drugs and providers, best first.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct PlanComparison {
    /// The drugs, as asked.
    pub drugs: Vec<AskedDrug>,
    /// The providers, as asked.
    pub providers: Vec<AskedProvider>,
    /// The plans, ranked as [`RANKED_BY`](Self::RANKED_BY) says.
    pub plans: Vec<ComparedPlan>,
    /// The plan year, where the plans of a place were asked for.
    pub year: Option<u16>,
    /// The year beside it.
    pub beside: Option<u16>,
    /// Plans sold at the place in the year beside that are none of these plans in another year.
    pub only_beside: Vec<PlanId>,
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

/// A plan of a comparison.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct ComparedPlan {
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
    /// Providers in its networks.
    pub in_network: u32,
    /// Drugs and providers of which nobody can tell.
    pub unknown: u32,
    /// One for each drug, in the order asked.
    pub answers: Vec<Coverage>,
    /// One for each provider, in the order asked.
    pub standings: Vec<Standing>,
    /// The same plan in the year beside; `None` where none was asked for.
    pub beside: Option<PlanBeside>,
    /// How the plan was read.
    pub notes: Vec<String>,
}

/// A plan in another year.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct PlanBeside {
    /// The plan; `None`: it is not there in that year.
    pub plan: Option<Plan>,
    /// Drugs and providers that it answers otherwise.
    pub changes: Vec<Change>,
}

/// What a plan answers otherwise in another year.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Change {
    /// The drug or provider as it was asked for.
    pub query: String,
    /// The answer in the year that was asked for, in short.
    pub now: String,
    /// The answer in the year beside, in short.
    pub beside: String,
}

impl PlanComparison {
    /// By what plans are ranked.
    pub const RANKED_BY: &'static str = "drugs covered, then covered in part, then with prior authorization or step \
                                         therapy, then providers in network, then unknowns, then restrictions not \
                                         stated; not by cost";

    /// Whether all drug lists that were asked came completely.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        self.plans.iter().flat_map(|plan| &plan.answers).all(|answer| answer.complete)
    }
}

impl Dataset {
    /// Plans side by side for one person's drugs and providers; ranked as [`PlanComparison::RANKED_BY`] says.
    ///
    /// ```
    /// # coverdex_tests::with_payer(|path| {
    /// use coverdex_core::{ComparisonQuestion, Dataset};
    ///
    /// let dataset = Dataset::open(path)?;
    /// let comparison = dataset.compare(&ComparisonQuestion {
    ///     drugs: vec!["eliquis 5 mg".to_owned()],
    ///     providers: vec!["2410000113".into()],
    ///     plans: vec!["H9231-001".to_owned()],
    ///     beside: Some(2027),
    ///     ..ComparisonQuestion::default()
    /// })?;
    /// let plan = &comparison.plans[0];
    /// assert_eq!((plan.covered, plan.in_network), (1, 1));
    /// let change = &plan.beside.as_ref().unwrap().changes[0];
    /// println!("{}: {} this year, {} the next", change.query, change.now, change.beside);
    /// # Ok(())
    /// # });
    /// ```
    ///
    /// # Errors
    /// [`InvalidInput`](crate::ErrorKind::InvalidInput) if neither a drug nor a provider is named, neither plans nor a
    /// place, or the year beside is that of all plans; [`NotFound`](crate::ErrorKind::NotFound) or [`Ambiguous`](crate::ErrorKind::Ambiguous) with
    /// candidates for a plan or the place. A drug or provider that fits nothing or several is a row.
    pub fn compare(&self, question: &ComparisonQuestion) -> Result<PlanComparison> {
        if question.drugs.is_empty() && question.providers.is_empty() {
            return Err(Error::invalid("comparison", "neither a drug nor a provider is named")
                .with_hint("name the drugs, doctors and pharmacies that are needed"));
        }
        let once = question.each_once();
        let mut compared = self.compare_year(&once, question.year)?;
        let named = |question: &ComparisonQuestion| question.drugs.len() + question.providers.len();
        match named(question) - named(&once) {
            0 => {}
            1 => compared.notes.push("one name of a drug or provider is repeated: it counts once".to_owned()),
            more => compared.notes.push(format!("{more} names of drugs or providers are repeated: each counts once")),
        }
        if let Some(year) = question.beside {
            self.refuse_year_without_plans(year)?;
            // Their packages of that year, wherever and to whomever they are sold then; else what is new there.
            let ids: Vec<String> = self
                .all_plans()?
                .iter()
                .filter(|plan| plan.year == Some(year))
                .filter(|plan| compared.plans.iter().any(|own| years::is_same_package(&own.plan.id, &plan.id)))
                .map(|plan| plan.id.to_string())
                .collect();
            let there = if ids.is_empty() {
                Vec::new()
            } else {
                self.compare_year(&ComparisonQuestion { plans: ids, place: None, ..once }, Some(year))?.plans
            };
            let here = self.choose_plans(WhichPlans { year: Some(year), ..question.which_plans() });
            compared.set_beside(year, there, here)?;
        }
        Ok(compared)
    }

    /// A year of which the dataset has no plan says nothing of any.
    fn refuse_year_without_plans(&self, year: u16) -> Result<()> {
        let plans = self.all_plans()?;
        let years: BTreeSet<u16> = plans.iter().filter_map(|plan| plan.year).collect();
        if years.is_empty() || years.contains(&year) {
            return Ok(());
        }
        let error = Error::new(ErrorKind::NotFound, format!("year {year}"), "this dataset has no plan of it");
        Err(error.with_candidates(years.iter().map(u16::to_string)))
    }

    fn compare_year(&self, question: &ComparisonQuestion, year: Option<u16>) -> Result<PlanComparison> {
        let chosen = self.choose_plans(WhichPlans { year, ..question.which_plans() })?;
        let asks_directory = !question.providers.is_empty() && self.has_directory();
        let (providers, standings) = if asks_directory {
            self.standings_of(&chosen, &question.providers, None)?
        } else {
            (Vec::new(), Vec::new())
        };
        let drugs = question.drugs.iter().map(|text| self.drug_or_problem(text)).collect::<Result<Vec<_>>>()?;
        let mut compared = PlanComparison::new(self.matrix_of(chosen, &drugs)?, providers, standings);
        if !question.providers.is_empty() && !asks_directory {
            compared.notes.push("this dataset has no provider directory: no provider was looked up".to_owned());
        }
        if asks_directory {
            // It is of both parts.
            compared.origin = self.origin();
        }
        Ok(compared)
    }
}

impl ComparisonQuestion {
    /// Without repetitions: what is named twice is needed once.
    fn each_once(&self) -> Self {
        let mut once = self.clone();
        let mut seen = BTreeSet::new();
        once.drugs.retain(|text| seen.insert(one_spelling(text)));
        let mut seen = BTreeSet::new();
        once.providers.retain(|who| seen.insert((one_spelling(&who.text), who.name.as_deref().map(one_spelling))));
        once
    }

    fn which_plans(&self) -> WhichPlans<'_> {
        WhichPlans { plans: &self.plans, place: self.place.as_ref(), year: self.year, audience: self.audience }
    }
}

impl PlanComparison {
    fn new(coverage: CoverageMatrix, providers: Vec<AskedProvider>, mut standings: Vec<NetworkMatrixPlan>) -> Self {
        let mut plans: Vec<ComparedPlan> = Vec::with_capacity(coverage.plans.len());
        for column in coverage.plans {
            let of_plan = standings.iter().position(|own| own.plan.id == column.plan.id);
            let of_plan = of_plan.map(|at| standings.swap_remove(at));
            plans.push(ComparedPlan {
                covered: column.covered,
                mixed: column.mixed,
                restricted: column.restricted,
                may_be_restricted: column.may_be_restricted,
                in_network: of_plan.as_ref().map_or(0, |own| own.in_network),
                unknown: column.unknown + of_plan.as_ref().map_or(0, |own| own.unknown),
                answers: column.answers,
                standings: of_plan.map(|own| own.answers).unwrap_or_default(),
                beside: None,
                notes: column.notes,
                plan: column.plan,
            });
        }
        plans.sort_by(|a, b| {
            let rank = |plan: &ComparedPlan| {
                let drugs = (Reverse((plan.covered, plan.mixed)), plan.restricted);
                (drugs, Reverse(plan.in_network), plan.unknown, plan.may_be_restricted)
            };
            rank(a).cmp(&rank(b)).then_with(|| a.plan.id.cmp(&b.plan.id))
        });
        let mut caveats = Caveats::default();
        for plan in &plans {
            plan.answers.iter().for_each(|answer| caveats.coverage(&plan.plan, answer));
        }
        if !providers.is_empty() {
            caveats.directory(true);
        }
        Self {
            drugs: coverage.drugs,
            providers,
            plans,
            year: coverage.year,
            beside: None,
            only_beside: Vec::new(),
            other_audiences: coverage.other_audiences,
            area_unknown: coverage.area_unknown,
            place: coverage.place,
            notes: coverage.notes,
            caveats: caveats.list(),
            origin: coverage.origin,
        }
    }
}
