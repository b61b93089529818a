//! Explanations.

use serde::Serialize;

use super::through;
use crate::coverage::{CoverageAnswer, CoverageExplanation, DrugCodes};
use crate::explain::{Condition, SourceResource};
use crate::ids::{Ndc11, ProductNdc, Rxcui};

through! {
    Condition => ConditionFields,
    SourceResource => SourceFields,
    CoverageExplanation => CoverageExplanationFields,
    DrugCodes => CodesFields,
}

/// The fields of the answer, and why.
#[derive(Serialize)]
struct CoverageExplanationFields<'a> {
    #[serde(flatten)]
    answer: &'a CoverageAnswer,
    conditions: &'a [Condition],
    codes: &'a DrugCodes,
    /// Null where nothing was at hand to look them up in.
    sources: Option<&'a [SourceResource]>,
}

#[derive(Serialize)]
struct CodesFields<'a> {
    ndc11: &'a [Ndc11],
    product_ndcs: &'a [ProductNdc],
    rxcui: &'a [Rxcui],
}

#[derive(Serialize)]
struct ConditionFields<'a> {
    /// A stable name.
    name: &'a str,
    question: &'a str,
    says: &'a str,
    /// Null: nobody can tell from the data.
    holds: Option<bool>,
    decided: bool,
    details: &'a [String],
}

#[derive(Serialize)]
struct SourceFields<'a> {
    resource_type: &'a str,
    /// Null for a resource without an id.
    id: Option<&'a str>,
    /// The payer's `meta.lastUpdated`.
    updated: Option<&'a str>,
    says: &'a str,
}

impl<'a> From<&'a CoverageExplanation> for CoverageExplanationFields<'a> {
    fn from(explanation: &'a CoverageExplanation) -> Self {
        let CoverageExplanation { answer, conditions, codes, sources } = explanation;
        Self { answer, conditions, codes, sources: sources.as_deref() }
    }
}

impl<'a> From<&'a DrugCodes> for CodesFields<'a> {
    fn from(codes: &'a DrugCodes) -> Self {
        Self { ndc11: &codes.ndc11, product_ndcs: &codes.products, rxcui: &codes.rxcui }
    }
}

impl<'a> From<&'a Condition> for ConditionFields<'a> {
    fn from(condition: &'a Condition) -> Self {
        let Condition { name, question, says, holds, decided, details } = condition;
        Self { name, question, says, holds: *holds, decided: *decided, details }
    }
}

impl<'a> From<&'a SourceResource> for SourceFields<'a> {
    fn from(source: &'a SourceResource) -> Self {
        Self {
            resource_type: &source.resource_type,
            id: source.id.as_deref(),
            updated: source.updated.as_deref(),
            says: &source.says,
        }
    }
}
