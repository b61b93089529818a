//! What has the same ingredients, and which plans cover a drug.

use serde::Serialize;

use super::coverage::{CoverageFields, DrugFields};
use super::{CountyFields, OriginFields, through};
use crate::coverage::{Comparison, Coverage, CoverageReason, CoverageStatus, CoveringPlan, PlansCovering, StatusCount};
use crate::drug_search::DrugLine;
use crate::drugs::DrugDifference;
use crate::ids::{Audience, PlanId};
use crate::options::{DrugIngredient, DrugOption, DrugOptions};

through! {
    DrugOptions => OptionsFields,
    DrugOption => OptionFields,
    DrugIngredient => IngredientFields,
    PlansCovering => CoveringFields,
    CoveringPlan => CoveringPlanFields,
    StatusCount => CountFields,
}

/// The options that a plan has for a drug.
#[derive(Serialize)]
struct OptionsFields<'a> {
    plan: &'a PlanId,
    plan_name: Option<&'a str>,
    #[serde(flatten)]
    drug: DrugFields<'a>,
    #[serde(flatten)]
    coverage: CoverageFields<'a>,
    ingredients: &'a [DrugIngredient],
    /// Best first.
    options: &'a [DrugOption],
    total: u32,
    better: u32,
    not_comparable: u32,
    /// Of the same ingredients and not on the plan's list.
    not_listed: u32,
    next: Option<&'a str>,
    #[serde(flatten)]
    origin: OriginFields<'a>,
}

/// An option, with the drug's fields and what the plan says of it.
#[derive(Serialize)]
struct OptionFields<'a> {
    #[serde(flatten)]
    line: &'a DrugLine,
    ingredients: &'a [DrugIngredient],
    release: Option<&'a str>,
    differs: &'a [DrugDifference],
    comparison: Comparison,
    why: &'a str,
}

#[derive(Serialize)]
struct IngredientFields<'a> {
    name: &'a str,
    salts: &'a [String],
}

/// The plans of a place that cover a drug.
#[derive(Serialize)]
struct CoveringFields<'a> {
    #[serde(flatten)]
    drug: DrugFields<'a>,
    /// Best first.
    plans: &'a [CoveringPlan],
    ranked_by: &'static str,
    others: &'a [StatusCount],
    year: Option<u16>,
    other_audiences: u32,
    area_unknown: &'a [PlanId],
    place: Vec<CountyFields<'a>>,
    #[serde(flatten)]
    origin: OriginFields<'a>,
}

#[derive(Serialize)]
struct CoveringPlanFields<'a> {
    plan: &'a PlanId,
    name: Option<&'a str>,
    types: &'a [String],
    audience: Audience,
    year: Option<u16>,
    #[serde(flatten)]
    coverage: &'a Coverage,
}

#[derive(Serialize)]
struct CountFields<'a> {
    status: CoverageStatus,
    reason: Option<CoverageReason>,
    plans: &'a [PlanId],
}

impl<'a> From<&'a DrugOptions> for OptionsFields<'a> {
    fn from(answer: &'a DrugOptions) -> Self {
        Self {
            plan: &answer.plan,
            plan_name: answer.plan_name.as_deref(),
            drug: DrugFields::new(&answer.notes, &answer.drug),
            coverage: CoverageFields::from(&answer.coverage),
            ingredients: &answer.ingredients,
            options: &answer.options,
            total: answer.total,
            better: answer.better,
            not_comparable: answer.not_comparable,
            not_listed: answer.not_listed,
            next: answer.next.as_ref().map(crate::PageToken::as_str),
            origin: OriginFields::from(&answer.origin),
        }
    }
}

impl<'a> From<&'a DrugOption> for OptionFields<'a> {
    fn from(option: &'a DrugOption) -> Self {
        let DrugOption { line, ingredients, release, differs, comparison, why } = option;
        Self { line, ingredients, release: release.as_deref(), differs, comparison: *comparison, why }
    }
}

impl<'a> From<&'a DrugIngredient> for IngredientFields<'a> {
    fn from(ingredient: &'a DrugIngredient) -> Self {
        Self { name: &ingredient.name, salts: &ingredient.salts }
    }
}

impl<'a> From<&'a PlansCovering> for CoveringFields<'a> {
    fn from(answer: &'a PlansCovering) -> Self {
        Self {
            drug: DrugFields::new(&answer.notes, &answer.drug),
            plans: &answer.plans,
            ranked_by: PlansCovering::RANKED_BY,
            others: &answer.others,
            year: answer.year,
            other_audiences: answer.other_audiences,
            area_unknown: &answer.area_unknown,
            place: answer.place.iter().map(CountyFields::from).collect(),
            origin: OriginFields::from(&answer.origin),
        }
    }
}

impl<'a> From<&'a CoveringPlan> for CoveringPlanFields<'a> {
    fn from(covering: &'a CoveringPlan) -> Self {
        let plan = &covering.plan;
        Self {
            plan: &plan.id,
            name: plan.name.as_deref(),
            types: &plan.types,
            audience: plan.audience,
            year: plan.year,
            coverage: &covering.coverage,
        }
    }
}

impl<'a> From<&'a StatusCount> for CountFields<'a> {
    fn from(count: &'a StatusCount) -> Self {
        Self { status: count.status, reason: count.reason, plans: &count.plans }
    }
}
