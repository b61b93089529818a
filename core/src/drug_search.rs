//! Finding drugs while typing: names, strengths, forms and codes in one box.
//!
//! Best first: whole names, then names that begin so, then words anywhere, misspellings last; within
//! these one ingredient before combinations, common names before rare ones, the plain form before
//! others, and with a plan what it covers before what it does not.

use crate::coverage::Coverage;
use crate::data::{Formulary, LineRow, TermStatus, line_row};
use crate::dataset::Dataset;
use crate::drugs::{Codes, Drug, Standing};
use crate::ids::{Ndc11, PlanId, Rxcui};
use crate::origin::Origin;
use crate::page::{LARGEST_PAGE, PageToken};
use crate::plans::{DrugBenefit, Plan, ResolvedPlan};
use crate::{ErrorKind, Result};

/// A search for drugs.
#[derive(Clone, Debug, Default)]
pub struct DrugSearch {
    /// What was typed: words, strength, form, or (the beginning of) a code.
    pub text: String,
    /// Results at most: of the default, 0, there are none, and no page has more than 10,000.
    pub limit: usize,
    /// Also say what this plan says of each, what it lists first.
    pub plan: Option<Plan>,
    /// Fill in the lists of codes.
    pub codes: bool,
    /// The page to show, as the one before it says; `None`: the first.
    pub page: Option<PageToken>,
}

/// A search for drugs by who knows the plan as people write it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DrugsQuestion {
    /// What was typed: words, strength, form, or (the beginning of) a code.
    pub text: String,
    /// Also say what this plan says of each, what it lists first: by id in any spelling or by its exact name.
    pub plan: Option<String>,
    /// Results at most: of the default, 0, there are none, and no page has more than 10,000.
    pub limit: usize,
    /// Fill in the lists of codes.
    pub codes: bool,
    /// The page to show, as the one before it says; `None`: the first.
    pub page: Option<PageToken>,
}

/// What a search found.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct DrugPage {
    /// What was typed.
    pub query: String,
    /// The plan whose tiers are shown.
    pub plan: Option<PlanId>,
    /// Drugs, best first.
    pub lines: Vec<DrugLine>,
    /// What was typed and played no part, because nothing that the other words find has it.
    pub ignored: Vec<String>,
    /// How a code was read, or why it could not be.
    pub notes: Vec<String>,
    /// What to ask with for the drugs behind these; `None`: there are none.
    pub next: Option<PageToken>,
    /// Whether the plan's drug list is complete; `None` without a plan.
    pub complete: Option<bool>,
    /// Where the answer comes from.
    pub origin: Origin,
}

/// One drug, with all its labelers' products.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct DrugLine {
    /// The name; empty if no resource names it.
    pub name: String,
    /// The strength as the payer writes it.
    pub strength: Option<String>,
    /// The form.
    pub form: Option<String>,
    /// The brand, where the payer states it.
    pub brand: Option<String>,
    /// The ingredient, where the payer states it.
    pub ingredient: Option<String>,
    /// Products, hyphenated; only if codes were asked for.
    pub product_ndcs: Vec<String>,
    /// RxNorm codes; only if codes were asked for.
    pub rxcui: Vec<Rxcui>,
    /// Packages; only if codes were asked for.
    pub ndc11: Vec<Ndc11>,
    /// How many packages it has.
    pub packages: u32,
    /// Whether it was found by forgiving a misspelling.
    pub misspelt: bool,
    /// Coverage under the plan, if one was given.
    pub coverage: Option<Coverage>,
}

impl Dataset {
    /// As [`Dataset::search_drugs`]: a page for each year that the plan may mean, that of `as_of` first. A further
    /// page is of one of the years.
    ///
    /// ```
    /// # coverdex_tests::with_payer(|path| {
    /// use coverdex_core::{Dataset, DrugsQuestion};
    ///
    /// let dataset = Dataset::open(path)?;
    /// let plan = Some("H9231-001".to_owned()); // of 2026 and of 2027
    /// let question = DrugsQuestion { text: "atorva".to_owned(), plan, limit: 1, ..DrugsQuestion::default() };
    /// let pages = dataset.ask_drugs(&question)?;
    /// assert_eq!(pages.len(), 2);
    /// let more = DrugsQuestion { page: pages[1].next.clone(), ..question };
    /// assert_eq!(dataset.ask_drugs(&more)?[0].plan, pages[1].plan);
    /// # Ok(())
    /// # });
    /// ```
    ///
    /// # Errors
    /// [`NotFound`](crate::ErrorKind::NotFound) or [`Ambiguous`](crate::ErrorKind::Ambiguous) with candidates for the
    /// plan; [`InvalidInput`](crate::ErrorKind::InvalidInput) for a page of another question; as
    /// [`Dataset::search_drugs`].
    pub fn ask_drugs(&self, question: &DrugsQuestion) -> Result<Vec<DrugPage>> {
        let DrugsQuestion { text, plan, limit, codes, page } = question.clone();
        let is_further = page.is_some();
        let search = DrugSearch { text, limit, plan: None, codes, page };
        let Some(plan) = plan else { return Ok(vec![self.search_drugs(&search)?]) };
        let (mut pages, mut refused) = (Vec::new(), None);
        for ResolvedPlan { plan, notes, .. } in self.resolve_plan(&plan)? {
            match self.search_drugs(&DrugSearch { plan: Some(plan), ..search.clone() }) {
                Ok(mut page) => {
                    page.notes.splice(0..0, notes);
                    pages.push(page);
                }
                Err(error) if is_further && error.kind() == ErrorKind::InvalidInput => refused = Some(error),
                Err(error) => return Err(error),
            }
        }
        refused.filter(|_| pages.is_empty()).map_or(Ok(pages), Err)
    }

    /// Drugs that fit what was typed, best first. A misspelling is forgiven where nothing fits as
    /// typed: one letter, or two in words of seven letters and more.
    ///
    /// ```
    /// # coverdex_tests::with_payer(|path| {
    /// use coverdex_core::{Dataset, DrugSearch};
    ///
    /// let dataset = Dataset::open(path)?;
    /// let page = dataset.search_drugs(&DrugSearch { text: "gabapentn 300".to_owned(), limit: 10, ..DrugSearch::default() })?;
    /// let line = &page.lines[0];
    /// assert_eq!((line.name.as_str(), line.misspelt), ("gabapentin", true));
    /// # Ok(())
    /// # });
    /// ```
    ///
    /// # Errors
    /// [`DatasetDamaged`](crate::ErrorKind::DatasetDamaged) if a file cannot be read,
    /// [`Interrupted`](crate::ErrorKind::Interrupted).
    pub fn search_drugs(&self, search: &DrugSearch) -> Result<DrugPage> {
        let question = || format!("drugs {:?} {:?}", search.text, search.plan.as_ref().map(|plan| &plan.id));
        let dataset = &self.inner.manifest.dataset;
        let offset = search.page.as_ref().map_or(Ok(0), |page| page.offset(dataset, &question()))?;
        let end = offset.saturating_add(search.limit.min(LARGEST_PAGE));
        let ranked = self.ranked(&search.text)?;
        let formulary = search.plan.as_ref().map(|plan| self.formulary(plan)).transpose()?.flatten();
        // One more than is shown tells whether there are more.
        let stands = |line| formulary.as_deref().map(|formulary| self.standing(formulary, line)).transpose();
        let mut shown = self.first_lines(&ranked, end.saturating_add(1), stands)?;
        let next = (shown.len() > end && end > offset).then(|| PageToken::issue(dataset, &question(), end));
        shown.truncate(end);
        let lines = shown.into_iter().skip(offset).map(|line| {
            self.cancel.check()?;
            self.drug_line(line, search, ranked.misspelt)
        });
        Ok(DrugPage {
            lines: lines.collect::<Result<_>>()?,
            query: search.text.clone(),
            plan: search.plan.as_ref().map(|plan| plan.id.clone()),
            ignored: ranked.ignored,
            notes: ranked.notes,
            next,
            complete: search.plan.as_ref().map(|plan| plan.drugs == DrugBenefit::Complete),
            origin: self.origin_of_drugs(),
        })
    }

    fn drug_line(&self, line: u32, search: &DrugSearch, misspelt: bool) -> Result<DrugLine> {
        let row = self.inner.database.with(|connection| line_row(connection, line))?;
        let coverage = match &search.plan {
            Some(plan) => Some(self.coverage(plan, &self.drug_of_line(&row))?),
            None => None,
        };
        Ok(DrugLine { misspelt, ..self.shown_line(row, search.codes, coverage)? })
    }

    /// All packages of a line, as a drug.
    pub(crate) fn drug_of_line(&self, row: &LineRow) -> Drug {
        Drug::of_line(&self.inner.manifest.dataset, row)
    }

    /// A line as it is shown, with its codes if they are wanted.
    pub(crate) fn shown_line(&self, row: LineRow, codes: bool, coverage: Option<Coverage>) -> Result<DrugLine> {
        let codes =
            if codes { self.inner.database.with(|connection| Codes::of(connection, &row))? } else { Codes::default() };
        Ok(DrugLine {
            name: row.name,
            strength: row.strength,
            form: row.form,
            brand: row.brand,
            ingredient: row.ingredient,
            product_ndcs: codes.products,
            rxcui: codes.rxcui,
            ndc11: codes.ndc11,
            packages: row.packages,
            misspelt: false,
            coverage,
        })
    }

    fn standing(&self, formulary: &Formulary, line: u32) -> Result<Standing> {
        let mut standing = Standing::NotListed;
        for package in self.inner.drugs.line_range(&self.inner.database, line)? {
            let Some(term) = formulary.term(package)? else { continue };
            if term.is_covered() {
                return Ok(Standing::Covered);
            }
            if matches!(term.status, TermStatus::Listed | TermStatus::Conflict) {
                standing = Standing::Listed;
            }
        }
        Ok(standing)
    }
}
