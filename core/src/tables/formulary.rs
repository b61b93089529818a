//! The table of what a plan's formulary lists.

use std::sync::Arc;

use super::column::columns;
use super::{Batch, Rows, Table, filled};
use crate::coverage::{CoverageReason, absence, judge};
use crate::data::{Formulary, PackageRow, TermStatus, codes_of, package_of};
use crate::dataset::Dataset;
use crate::format::number;
use crate::plans::{DrugBenefit, Plan};
use crate::tier::TierLevel;
use crate::{Error, ErrorKind, Result};

columns! {
    Entries {
        plan: Text = "the plan's id",
        year: Integer = "plan year",
        ndc11: Text = "the package, eleven digits; not stated for an entry without a package code",
        product_ndc: Text = "the product, with a hyphen",
        rxcui: Texts = "RxNorm codes that any resource shows for the package",
        name: Text = "name",
        strength: Text = "strength as the payer writes it",
        form: Text = "form as the payer writes it",
        brand: Text = "brand name, where the payer states it",
        ingredient: Text = "ingredient, where the payer states it",
        status: Text = "covered, not_covered, not_listed, unknown or conflict",
        reason: Text = "why, for statuses that have a reason",
        tier: Text = "the payer's tier code",
        tier_display: Text = "the payer's words for the tier",
        tier_level: Text = "a comparable level, a hint",
        prior_authorization: Flag = "whether prior authorization is needed",
        step_therapy: Flag = "whether step therapy is needed",
        quantity_limit: Flag = "whether there is a quantity limit",
        mail_order: Flag = "whether it can be had by mail order",
    }
}

/// A package's facts as they are shown.
struct Shown {
    number: u32,
    package: PackageRow,
    /// Name, strength, form, brand, ingredient.
    texts: [Option<String>; 5],
    rxcui: Vec<String>,
}

/// What one plan lists.
struct Listed {
    dataset: Dataset,
    plan: Plan,
    id: String,
    formulary: Option<Arc<Formulary>>,
    next: u32,
    read: std::vec::IntoIter<Shown>,
}

/// What several plans list, one after the other.
struct AllListed {
    plans: Vec<Listed>,
    current: usize,
}

pub(super) fn table(dataset: &Dataset, plan: &str) -> Result<Table> {
    let listed = |plan: Plan| {
        let (formulary, id) = (dataset.formulary(&plan)?, plan.id.to_string());
        Ok(Listed { dataset: dataset.clone(), plan, id, formulary, next: 0, read: Vec::new().into_iter() })
    };
    let resolved = dataset.resolve_plan(plan)?;
    let plans = resolved.iter().map(|one| listed(one.plan.clone())).collect::<Result<Vec<_>>>()?;
    if let (Some(first), true) = (plans.first(), plans.iter().all(|plan| plan.formulary.is_none())) {
        let why = match first.plan.drugs {
            DrugBenefit::NoDrugBenefit => "a plan of this type has no drug benefit",
            DrugBenefit::NoFormularyPublished => "the payer publishes no drug list for this plan",
            DrugBenefit::NotSynced => "its drug list was left out of the sync",
            _ => "no entry of its drug list is in this dataset",
        };
        return Err(Error::new(ErrorKind::NotFound, format!("formulary of {}", first.id), why));
    }
    Ok(Table::new::<Entries>("formulary", AllListed { plans, current: 0 }))
}

/// Packages that are read from the database at once.
const PACKAGES_A_READ: u32 = 4096;

impl Listed {
    /// The next package that the plan lists.
    fn next_listed(&mut self) -> Result<Option<Shown>> {
        loop {
            if let Some(shown) = self.read.next() {
                return Ok(Some(shown));
            }
            if self.formulary.is_none() {
                return Ok(None);
            }
            let all = self.dataset.inner.drugs.packages(&self.dataset.inner.database)?;
            if self.next >= all {
                return Ok(None);
            }
            self.dataset.cancel.check()?;
            let end = self.next.saturating_add(PACKAGES_A_READ).min(all);
            self.read = self.read_packages(end)?.into_iter();
            self.next = end;
        }
    }

    fn read_packages(&self, end: u32) -> Result<Vec<Shown>> {
        let Some(formulary) = self.formulary.as_deref() else { return Ok(Vec::new()) };
        let mut wanted = Vec::new();
        for package in self.next..end {
            if formulary.term(package)?.is_some() {
                wanted.push(package);
            }
        }
        let (Some(first), Some(last)) = (wanted.first(), wanted.last()) else { return Ok(Vec::new()) };
        self.dataset.inner.database.with(|connection| {
            let mut statement = connection.prepare_cached(
                "SELECT p.id, p.ndc11, p.product, p.layout, p.rxnorm_set, p.line,
                        l.name, l.strength, l.form, l.brand, l.ingredient, s.codes
                 FROM package AS p JOIN drug_line AS l ON l.id = p.line LEFT JOIN rxnorm_set AS s ON s.id = p.rxnorm_set
                 WHERE p.id BETWEEN ?1 AND ?2 ORDER BY p.id",
            )?;
            let mut rows = statement.query([first, last])?;
            let mut shown = Vec::with_capacity(wanted.len());
            let mut wanted = wanted.iter().peekable();
            while let Some(row) = rows.next()? {
                let package = number(row, 0)?;
                if wanted.next_if_eq(&&package).is_none() {
                    continue;
                }
                let codes = row.get_ref(11)?.as_str_or_null()?.map(codes_of).unwrap_or_default();
                shown.push(Shown {
                    number: package,
                    package: package_of(row, 1)?,
                    texts: [row.get(6)?, row.get(7)?, row.get(8)?, row.get(9)?, row.get(10)?],
                    rxcui: codes.iter().map(ToString::to_string).collect(),
                });
            }
            // A package that the formulary lists and the catalogue lacks.
            if wanted.peek().is_some() { Err(rusqlite::Error::QueryReturnedNoRows) } else { Ok(shown) }
        })
    }
}

impl Listed {
    /// Adds the next entry; false: there is no more.
    fn add(&mut self, columns: &mut Entries) -> Result<bool> {
        let Some(shown) = self.next_listed()? else { return Ok(false) };
        let term = match &self.formulary {
            Some(formulary) => formulary.term(shown.number)?,
            None => None,
        };
        let (status, reason) = judge(term.map(Arc::as_ref), absence(&self.plan));
        columns.plan.push(&self.id)?;
        columns.year.push(self.plan.year.map(i64::from));
        columns.ndc11.push_some(shown.package.ndc11.map(|ndc| ndc.to_string()).as_deref())?;
        columns.product_ndc.push_some(shown.package.product_ndc().as_deref())?;
        columns.rxcui.push(&shown.rxcui)?;
        let [name, strength, form, brand, ingredient] = &shown.texts;
        columns.name.push_some(name.as_deref())?;
        columns.strength.push_some(strength.as_deref())?;
        columns.form.push_some(form.as_deref())?;
        columns.brand.push_some(brand.as_deref())?;
        columns.ingredient.push_some(ingredient.as_deref())?;
        columns.status.push(status.as_str())?;
        columns.reason.push_some(reason.map(CoverageReason::as_str))?;
        // What an entry says that does not count is not said.
        let term = term.filter(|term| matches!(term.status, TermStatus::Listed | TermStatus::Conflict));
        let tier = term.and_then(|term| term.tier.as_deref());
        columns.tier.push_some(tier.map(|tier| tier.code.as_str()))?;
        columns.tier_display.push_some(tier.and_then(|tier| tier.display.as_deref()))?;
        columns.tier_level.push_some(tier.and_then(|tier| tier.level).map(TierLevel::as_str))?;
        columns.prior_authorization.push(term.and_then(|term| term.prior_authorization));
        columns.step_therapy.push(term.and_then(|term| term.step_therapy));
        columns.quantity_limit.push(term.and_then(|term| term.quantity_limit));
        columns.mail_order.push(term.and_then(|term| term.mail_order));
        Ok(true)
    }
}

impl Rows for AllListed {
    fn next(&mut self, most: usize) -> Result<Batch> {
        filled(most, |columns: &mut Entries| {
            while let Some(listed) = self.plans.get_mut(self.current) {
                if listed.add(columns)? {
                    return Ok(true);
                }
                self.current += 1;
            }
            Ok(false)
        })
    }

    fn split(self: Box<Self>, _: usize) -> Vec<Box<dyn Rows>> {
        vec![self]
    }
}
