//! What has the same ingredients as a drug, inside one plan.
//!
//! Why not across plans: a tier's level has a meaning inside one plan only. Why nothing of another ingredient: what
//! may stand for what is a prescriber's decision; so is another salt, strength, form or release, which is why each
//! is told.

use crate::Result;
use crate::coverage::{AskedDrug, Comparison, Coverage, CoverageStatus, compare, covered_levels};
use crate::dataset::Dataset;
use crate::drug_search::DrugLine;
use crate::drugs::{Drug, DrugDifference, Made, SameIngredients};
use crate::ids::PlanId;
use crate::origin::Origin;
use crate::page::{LARGEST_PAGE, PageToken};
use crate::place::Place;
use crate::plans::ResolvedPlan;

/// Options of a page where nothing is said.
const USUAL_PAGE: usize = 20;

/// Which drug's options, under which plan.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OptionsQuestion {
    /// The plan, by id in any spelling or by its exact name.
    pub plan: String,
    /// The drug: an NDC, a product NDC, an RxNorm code, or a name with strength.
    pub drug: String,
    /// The county or ZIP that tells the plan's segment.
    pub place: Option<Place>,
    /// Also show what the plan does not list; it is counted in any case.
    pub not_listed: bool,
    /// Options at most; 20 where nothing is said, 10,000 at most.
    pub limit: usize,
    /// The page to show, as the one before it says; `None`: the first.
    pub page: Option<PageToken>,
}

/// The options that a plan has for a drug.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct DrugOptions {
    /// The plan.
    pub plan: PlanId,
    /// Its name.
    pub plan_name: Option<String>,
    /// The drug that was asked for, and what it was read as.
    pub drug: AskedDrug,
    /// Whether the plan covers it. Where it is ambiguous or not found there are no options but candidates.
    pub coverage: Coverage,
    /// Its ingredients, as far as the payer's texts name them.
    pub ingredients: Vec<DrugIngredient>,
    /// Best first: what is covered before what is not, then by tier level, then what has no prior authorization or
    /// step therapy, then what differs least.
    pub options: Vec<DrugOption>,
    /// Options in all, on every page.
    pub total: u32,
    /// Of these, better than what was asked for.
    pub better: u32,
    /// Of these, those of which nobody can tell how they stand to what was asked for.
    pub not_comparable: u32,
    /// Drugs of the same ingredients that the plan does not list, whether or not they are shown.
    pub not_listed: u32,
    /// What to ask with for the options behind these; `None`: there are none.
    pub next: Option<PageToken>,
    /// How the plan was read, and what could not be looked for.
    pub notes: Vec<String>,
    /// Where the answer comes from.
    pub origin: Origin,
}

/// A drug with the same ingredients.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct DrugOption {
    /// The drug, with its codes and what the plan says of it.
    pub line: DrugLine,
    /// Its ingredients with their salts.
    pub ingredients: Vec<DrugIngredient>,
    /// How it is released: `XL, 24 hours`; `None`: at once, or nothing is said.
    pub release: Option<String>,
    /// In what it differs from what was asked for; empty: the same drug in other packages.
    pub differs: Vec<DrugDifference>,
    /// How it stands to what was asked for.
    pub comparison: Comparison,
    /// Why, in words.
    pub why: String,
}

/// An ingredient of a drug.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct DrugIngredient {
    /// Its name without the salt, words in alphabetical order.
    pub name: String,
    /// Its salts; empty where none is named.
    pub salts: Vec<String>,
}

impl OptionsQuestion {
    /// The first page of a drug's options under a plan.
    #[must_use]
    pub fn new(plan: impl Into<String>, drug: impl Into<String>) -> Self {
        let (plan, drug) = (plan.into(), drug.into());
        Self { plan, drug, place: None, not_listed: false, limit: USUAL_PAGE, page: None }
    }
}

impl DrugIngredient {
    fn all_of(made: &Made) -> Vec<Self> {
        let parts = made.ingredients.iter().map(|ingredient| {
            let words: Vec<&str> = ingredient.words.iter().map(|word| word.trim_start_matches('#')).collect();
            Self { name: words.join(" "), salts: ingredient.salts.iter().cloned().collect() }
        });
        parts.collect()
    }
}

impl Dataset {
    /// What a plan lists of the same ingredients as a drug: an answer for each year that the plan may mean, that of
    /// `as_of` first. A page token belongs to one of these years, and only that one is answered.
    ///
    /// ```
    /// # coverdex_tests::with_payer(|path| {
    /// use coverdex_core::{Comparison, Dataset, OptionsQuestion};
    ///
    /// let dataset = Dataset::open(path)?;
    /// let answer = &dataset.same_ingredient(&OptionsQuestion::new("H9231-001-000-2026", "lipitor 20 mg"))?[0];
    /// let best = &answer.options[0];
    /// assert_eq!((best.line.name.as_str(), best.comparison), ("atorvastatin", Comparison::Better));
    /// println!("{}: {}", best.line.name, best.why);
    /// # Ok(())
    /// # });
    /// ```
    ///
    /// # Errors
    /// [`NotFound`](crate::ErrorKind::NotFound) or [`Ambiguous`](crate::ErrorKind::Ambiguous) with candidates for the
    /// plan or the place, [`InvalidInput`](crate::ErrorKind::InvalidInput) for a token of another question. A drug
    /// that fits nothing or several is an answer.
    pub fn same_ingredient(&self, question: &OptionsQuestion) -> Result<Vec<DrugOptions>> {
        let mut plans = self.resolve_plan_at(&question.plan, question.place.as_ref())?;
        let drug = self.drug_or_problem(&question.drug)?;
        let dataset = &self.inner.manifest.dataset;
        let asked =
            |plan: &ResolvedPlan| format!("options {} {:?} {}", plan.plan.id, question.drug, question.not_listed);
        let Some(page) = &question.page else {
            let same = self.same_ingredients(&drug)?;
            return plans.iter().map(|plan| self.options_in(plan, &drug, &same, question, &asked(plan), 0)).collect();
        };
        let offsets: Vec<Result<usize>> = plans.iter().map(|plan| page.offset(dataset, &asked(plan))).collect();
        let at = offsets.iter().position(Result::is_ok).unwrap_or_default();
        let offset = offsets.into_iter().nth(at).transpose()?.unwrap_or_default();
        let same = self.same_ingredients(&drug)?;
        plans
            .drain(at..)
            .take(1)
            .map(|plan| self.options_in(&plan, &drug, &same, question, &asked(&plan), offset))
            .collect()
    }

    fn options_in(
        &self,
        resolved: &ResolvedPlan,
        drug: &Drug,
        same: &SameIngredients,
        question: &OptionsQuestion,
        asked: &str,
        offset: usize,
    ) -> Result<DrugOptions> {
        let plan = &resolved.plan;
        let coverage = self.coverage(plan, drug)?;
        let mut drug_asked = self.asked_drug(drug)?;
        if coverage.status == CoverageStatus::Ambiguous {
            drug_asked.candidates.extend(coverage.may_be.iter().cloned());
        }
        let mut ranked: Vec<Ranked<'_>> = Vec::new();
        let mut not_listed = 0;
        // A package that was asked for by its code has the other packages of the same drug beside it.
        let rest_of_own = same.own.iter().filter(|made| {
            let packages = drug.packages();
            made.row.range().any(|package| !packages.contains(&package))
        });
        for made in rest_of_own.chain(&same.others) {
            self.cancel.check()?;
            let own = self.coverage(plan, &self.drug_of_line(&made.row))?;
            let is_absent = own.status == CoverageStatus::NotListed;
            not_listed += u32::from(is_absent);
            if !is_absent || question.not_listed {
                ranked.push(Ranked::new(made, own, same, &coverage));
            }
        }
        ranked.sort_by_key(Ranked::rank);
        let number = |count: usize| u32::try_from(count).unwrap_or(u32::MAX);
        let count = |kind| number(ranked.iter().filter(|option| option.comparison == kind).count());
        let (better, not_comparable) = (count(Comparison::Better), count(Comparison::NotComparable));
        let total = number(ranked.len());
        let end = offset.saturating_add(question.limit.min(LARGEST_PAGE));
        let next =
            (ranked.len() > end && end > offset).then(|| PageToken::issue(&self.inner.manifest.dataset, asked, end));
        let mut notes = resolved.notes.clone();
        notes.extend(not_told(drug, same));
        let shown = ranked.into_iter().skip(offset).take(end.saturating_sub(offset));
        Ok(DrugOptions {
            plan: plan.id.clone(),
            plan_name: plan.name.clone(),
            ingredients: same
                .own
                .iter()
                .find(|own| own.names_ingredients())
                .map(DrugIngredient::all_of)
                .unwrap_or_default(),
            options: shown.map(|option| self.shown_option(option)).collect::<Result<_>>()?,
            drug: drug_asked,
            coverage,
            total,
            better,
            not_comparable,
            not_listed,
            next,
            notes,
            origin: self.origin(),
        })
    }

    fn shown_option(&self, option: Ranked<'_>) -> Result<DrugOption> {
        let Ranked { made, coverage, differs, comparison, why } = option;
        Ok(DrugOption {
            line: self.shown_line(made.row.clone(), true, Some(coverage))?,
            ingredients: DrugIngredient::all_of(made),
            release: made.identity.release.label(),
            differs,
            comparison,
            why,
        })
    }
}

/// What could not be looked for.
fn not_told(drug: &Drug, same: &SameIngredients) -> Option<String> {
    let is_alone = !same.own.is_empty()
        && same
            .others
            .iter()
            .all(|other| same.own.iter().any(|own| !own.differences(other).contains(&DrugDifference::Name)));
    if !same.own.is_empty() && !same.own.iter().any(Made::names_ingredients) {
        return Some("its name says what it is for and not what is in it, so nothing can be compared".to_owned());
    }
    // A brand carries no salt in its name.
    let may_be_brand = same.own.iter().all(|own| own.row.ingredient.is_none() && own.identity.salts().is_empty());
    (is_alone && may_be_brand).then(|| {
        let name = same.own.first().map_or(drug.query(), |own| own.row.name.as_str()).trim();
        format!(
            "only drugs of the same name were found: if {name} is a brand, the payer's texts do not say what is in it"
        )
    })
}

/// An option before it is shown.
struct Ranked<'a> {
    made: &'a Made,
    coverage: Coverage,
    differs: Vec<DrugDifference>,
    comparison: Comparison,
    why: String,
}

impl<'a> Ranked<'a> {
    fn new(made: &'a Made, coverage: Coverage, same: &SameIngredients, asked: &Coverage) -> Self {
        let differences = same.own.iter().map(|own| own.differences(made));
        let differs = differences.min_by_key(Vec::len).unwrap_or_default();
        let (comparison, why) = match made.also_called.first() {
            Some(name) => (
                Comparison::NotComparable,
                format!("the payer calls its packages {name:?} elsewhere: ask which they are"),
            ),
            None => compare(asked, &coverage),
        };
        Self { made, coverage, differs, comparison, why }
    }

    /// Covered before not, by tier level, without restrictions first, nearest first, then as lines are numbered.
    fn rank(&self) -> impl Ord + use<> {
        let status = match self.coverage.status {
            CoverageStatus::Covered => 0,
            CoverageStatus::Mixed => 1,
            CoverageStatus::NotCovered => 3,
            CoverageStatus::NotListed => 4,
            // Nobody can tell: it may be covered.
            _ => 2,
        };
        let levels = covered_levels(&self.coverage);
        let restricted = (self.coverage.is_restricted(), self.coverage.may_be_restricted());
        (status, levels.is_none(), levels, restricted, self.differs.len(), self.differs.clone(), self.made.row.id)
    }
}
