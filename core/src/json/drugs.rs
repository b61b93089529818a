//! Drugs that were found.

use serde::Serialize;

use super::coverage::CoverageFields;
use super::{OriginFields, through};
use crate::drug_search::{DrugLine, DrugPage};
use crate::ids::{Ndc11, PlanId, Rxcui};

through! {
    DrugPage => PageFields,
    DrugLine => LineFields,
}

/// What was found, best first, under one plan if one was given.
#[derive(Serialize)]
struct PageFields<'a> {
    query: &'a str,
    plan: Option<&'a PlanId>,
    results: &'a [DrugLine],
    /// What was typed and played no part.
    ignored: &'a [String],
    #[serde(flatten)]
    origin: OriginFields<'a>,
    /// Whether the plan's drug list is complete; null without a plan.
    complete: Option<bool>,
    notes: &'a [String],
    /// What to ask with for the results behind these; null: there are none.
    next: Option<&'a str>,
}

/// One name, strength and form group.
#[derive(Serialize)]
struct LineFields<'a> {
    name: &'a str,
    product_ndcs: &'a [String],
    rxcui: &'a [Rxcui],
    ndc11: &'a [Ndc11],
    brand: Option<&'a str>,
    ingredient: Option<&'a str>,
    strength: Option<&'a str>,
    form: Option<&'a str>,
    packages: u32,
    /// Whether it was found by forgiving a misspelling.
    misspelt: bool,
    /// Coverage, when a plan is given.
    #[serde(flatten)]
    coverage: Option<CoverageFields<'a>>,
}

impl<'a> From<&'a DrugPage> for PageFields<'a> {
    fn from(page: &'a DrugPage) -> Self {
        Self {
            query: &page.query,
            plan: page.plan.as_ref(),
            results: &page.lines,
            ignored: &page.ignored,
            origin: OriginFields::from(&page.origin),
            complete: page.complete,
            notes: &page.notes,
            next: page.next.as_ref().map(crate::PageToken::as_str),
        }
    }
}

impl<'a> From<&'a DrugLine> for LineFields<'a> {
    fn from(line: &'a DrugLine) -> Self {
        Self {
            name: &line.name,
            product_ndcs: &line.product_ndcs,
            rxcui: &line.rxcui,
            ndc11: &line.ndc11,
            brand: line.brand.as_deref(),
            ingredient: line.ingredient.as_deref(),
            strength: line.strength.as_deref(),
            form: line.form.as_deref(),
            packages: line.packages,
            misspelt: line.misspelt,
            coverage: line.coverage.as_ref().map(CoverageFields::from),
        }
    }
}
