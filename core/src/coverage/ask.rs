//! One plan and one drug as people say them.

use super::{Caveat, Caveats, Coverage, CoverageStatus, PackageCoverage};
use crate::dataset::Dataset;
use crate::drugs::{Candidate, Drug};
use crate::ids::PlanId;
use crate::origin::Origin;
use crate::place::Place;
use crate::plans::ResolvedPlan;
use crate::{ErrorKind, Result};

/// The whole answer to plan × drug: what was asked, how it was read, what the plan says.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct CoverageAnswer {
    /// The plan.
    pub plan: PlanId,
    /// Its name.
    pub plan_name: Option<String>,
    /// The drug, and what it was read as.
    pub drug: AskedDrug,
    /// All listed packages together.
    pub coverage: Coverage,
    /// The packages that the plan lists; for one package asked for by its code, that one whatever its status.
    pub packages: Vec<PackageCoverage>,
    /// How the plan was read, where it does not go without saying.
    pub notes: Vec<String>,
    /// What the answer does not say.
    pub caveats: Vec<Caveat>,
    /// Where the answer comes from.
    pub origin: Origin,
}

/// A drug that was asked for, and what it was read as.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct AskedDrug {
    /// As it was asked for.
    pub query: String,
    /// Name, strength and form; `None` where nothing, or nothing that has a name, was found.
    pub read_as: Option<String>,
    /// Words that played no part.
    pub ignored: Vec<String>,
    /// What may have been meant, best first.
    pub candidates: Vec<Candidate>,
    /// Why it could not be read, where it could not.
    pub problem: Option<String>,
    /// How it was read, where it could have been read in another way.
    pub notes: Vec<String>,
}

impl AskedDrug {
    fn new(drug: &Drug, read_as: Option<String>) -> Self {
        Self {
            query: drug.query().to_owned(),
            read_as,
            ignored: drug.ignored().to_vec(),
            candidates: drug.candidates().to_vec(),
            problem: drug.problem().map(str::to_owned),
            notes: drug.notes().to_vec(),
        }
    }
}

impl Dataset {
    /// Whether the plan that a text means covers the drug that a text means: an answer for each year that the plan
    /// may mean, that of `as_of` first. `place` tells a plan's segment where several are sold.
    ///
    /// ```
    /// # coverdex_tests::with_payer(|path| {
    /// use coverdex_core::{CoverageStatus, Dataset};
    ///
    /// let dataset = Dataset::open(path)?;
    /// let answers = dataset.coverage_answers("H9231-001", "eliquis 5 mg", None)?;
    /// let [this_year, next_year] = &answers[..] else { panic!("from October on next year is answered too") };
    /// assert_eq!(this_year.coverage.status, CoverageStatus::Covered);
    /// assert_eq!(this_year.coverage.statement.quantity_limit, None); // not stated
    /// assert_eq!(next_year.coverage.statement.prior_authorization, Some(true));
    /// # Ok(())
    /// # });
    /// ```
    ///
    /// # Errors
    /// [`NotFound`](ErrorKind::NotFound) or [`Ambiguous`](ErrorKind::Ambiguous) with candidates for the plan or the
    /// place. A drug that fits nothing or several is an answer.
    pub fn coverage_answers(&self, plan: &str, drug: &str, place: Option<&Place>) -> Result<Vec<CoverageAnswer>> {
        let plans = self.resolve_plan_at(plan, place)?;
        let drug = self.drug_or_problem(drug)?;
        plans.iter().map(|plan| self.coverage_answer(plan, &drug)).collect()
    }

    /// The whole answer for a plan and a drug that were resolved.
    ///
    /// ```
    /// # coverdex_tests::with_payer(|path| {
    /// use coverdex_core::{CoverageReason, CoverageStatus, Dataset};
    ///
    /// let dataset = Dataset::open(path)?;
    /// let plan = &dataset.resolve_plan("H9231-020")?[0];
    /// let answer = dataset.coverage_answer(plan, &dataset.drug("metformin 500 mg")?)?;
    /// assert_eq!(answer.coverage.status, CoverageStatus::Unknown);
    /// assert_eq!(answer.coverage.reason, Some(CoverageReason::Incomplete));
    /// assert_eq!((answer.coverage.gaps, answer.coverage.expected), (2, 4)); // two of four entries did not come
    /// # Ok(())
    /// # });
    /// ```
    ///
    /// # Errors
    /// [`DatasetDamaged`](ErrorKind::DatasetDamaged) if a file cannot be read.
    pub fn coverage_answer(&self, plan: &ResolvedPlan, drug: &Drug) -> Result<CoverageAnswer> {
        let coverage = self.coverage(&plan.plan, drug)?;
        let packages = self.package_coverage(&plan.plan, drug)?;
        let of_package = || packages.iter().map(|package| package.name.as_str()).find(|name| !name.is_empty());
        let beside = coverage.may_be.iter().filter(|_| coverage.status == CoverageStatus::Ambiguous);
        let mut asked = AskedDrug::new(drug, drug.title().or_else(of_package).map(str::to_owned));
        asked.candidates.extend(beside.cloned());
        let mut caveats = Caveats::default();
        caveats.coverage(&plan.plan, &coverage);
        Ok(CoverageAnswer {
            plan: plan.plan.id.clone(),
            plan_name: plan.plan.name.clone(),
            drug: asked,
            notes: plan.notes.clone(),
            caveats: caveats.list(),
            origin: self.origin_of_drugs(),
            coverage,
            packages,
        })
    }

    /// A drug that was resolved, as an answer shows it.
    pub(crate) fn asked_drug(&self, drug: &Drug) -> Result<AskedDrug> {
        Ok(AskedDrug::new(drug, self.drug_title(drug)?))
    }

    /// The drug that a text means; one that cannot be read is a drug too, which nothing fits: in a table of drugs it
    /// must not take the others with it.
    ///
    /// ```
    /// # coverdex_tests::with_payer(|path| {
    /// use coverdex_core::Dataset;
    ///
    /// let dataset = Dataset::open(path)?;
    /// assert!(dataset.drug(" ").is_err());
    /// let drug = dataset.drug_or_problem(" ")?;
    /// println!("{}", drug.problem().unwrap());
    /// # Ok(())
    /// # });
    /// ```
    ///
    /// # Errors
    /// [`DatasetDamaged`](ErrorKind::DatasetDamaged) if a file cannot be read.
    pub fn drug_or_problem(&self, text: &str) -> Result<Drug> {
        match self.drug(text) {
            Err(error) if error.kind() == ErrorKind::InvalidInput => Ok(Drug::not_understood(self, text, &error)),
            resolved => resolved,
        }
    }

    /// The plans that a text means, as [`resolve_plan`](Self::resolve_plan); the place tells the segment where
    /// several are sold.
    ///
    /// ```
    /// # coverdex_tests::with_payer(|path| {
    /// use coverdex_core::{Dataset, ErrorKind, Place};
    ///
    /// let dataset = Dataset::open(path)?;
    /// let segment = dataset.resolve_plan_at("H9231-002", None).unwrap_err();
    /// assert_eq!((segment.kind(), segment.candidates().len()), (ErrorKind::Ambiguous, 2));
    /// let here = Place::County("Otero County, NM".to_owned());
    /// let found = dataset.resolve_plan_at("H9231-002", Some(&here))?;
    /// assert_eq!(found[0].plan.id.to_string(), "H9231-002-002-2026");
    /// # Ok(())
    /// # });
    /// ```
    ///
    /// # Errors
    /// [`NotFound`](ErrorKind::NotFound) or [`Ambiguous`](ErrorKind::Ambiguous) with candidates for the plan or the
    /// place.
    pub fn resolve_plan_at(&self, text: &str, place: Option<&Place>) -> Result<Vec<ResolvedPlan>> {
        let counties = match place {
            Some(place) => self.counties_of(place)?.counties,
            None => Vec::new(),
        };
        let mut plans = self.resolve_plan_in(text, &counties)?;
        if let Some(place) = place {
            self.note_where_sold(place, &mut plans)?;
        }
        Ok(plans)
    }
}
