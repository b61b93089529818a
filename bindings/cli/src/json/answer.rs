//! `coverdex drug --json`.

use coverdex_core::{DrugLine, DrugPage};
use serde::Serialize;

use super::CoverageSummary;
use crate::data::MeantPlan;

/// What was found, best first.
#[derive(Debug, Serialize)]
pub(crate) struct DrugDocument {
    pub(crate) query: String,
    #[serde(flatten)]
    pub(crate) list: DrugList,
    /// The same for the plan's other years and, where no plan was given, for further datasets.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) also: Vec<DrugList>,
}

/// The results of one dataset, under one plan if one was given.
#[derive(Debug, Default, Serialize)]
pub(crate) struct DrugList {
    pub(crate) plan: Option<String>,
    pub(crate) results: Vec<DrugResult>,
    /// What was typed and played no part.
    pub(crate) ignored: Vec<String>,
    pub(crate) as_of: String,
    pub(crate) source: String,
    pub(crate) dataset: String,
    /// Whether the plan's drug list is complete; null without a plan.
    pub(crate) complete: Option<bool>,
    pub(crate) notes: Vec<String>,
}

/// One name, strength and form group.
#[derive(Debug, Serialize)]
pub(crate) struct DrugResult {
    name: String,
    product_ndcs: Vec<String>,
    rxcui: Vec<String>,
    ndc11: Vec<String>,
    brand: Option<String>,
    ingredient: Option<String>,
    strength: Option<String>,
    form: Option<String>,
    packages: u32,
    /// Whether it was found by forgiving a misspelling.
    misspelt: bool,
    /// Coverage, when a plan is given.
    #[serde(flatten)]
    coverage: Option<CoverageSummary>,
}

impl DrugList {
    pub(crate) fn new(dataset: &coverdex_core::Dataset, meant: Option<&MeantPlan<'_>>, page: &DrugPage) -> Self {
        Self {
            plan: meant.map(|meant| meant.plan.id.to_string()),
            results: page.lines.iter().map(DrugResult::from).collect(),
            ignored: page.ignored.clone(),
            as_of: dataset.as_of().to_owned(),
            source: dataset.source().to_owned(),
            dataset: dataset.manifest().dataset.clone(),
            complete: meant.map(|meant| meant.plan.drugs == coverdex_core::DrugBenefit::Complete),
            notes: meant.into_iter().flat_map(|meant| &meant.notes).chain(&page.notes).cloned().collect(),
        }
    }
}

impl From<&DrugLine> for DrugResult {
    fn from(line: &DrugLine) -> Self {
        Self {
            name: line.name.clone(),
            product_ndcs: line.product_ndcs.clone(),
            rxcui: line.rxcui.iter().map(ToString::to_string).collect(),
            ndc11: line.ndc11.iter().map(ToString::to_string).collect(),
            brand: line.brand.clone(),
            ingredient: line.ingredient.clone(),
            strength: line.strength.clone(),
            form: line.form.clone(),
            packages: line.packages,
            misspelt: line.misspelt,
            coverage: line.coverage.as_ref().map(|coverage| CoverageSummary::new(coverage, &[])),
        }
    }
}
