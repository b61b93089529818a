//! Plans side by side.

use serde::Serialize;

use super::{OriginFields, through};
use crate::compare::{Change, ComparedPlan, PlanBeside, PlanComparison};
use crate::coverage::{AskedDrug, Caveat, Coverage};
use crate::ids::{Audience, PlanId};
use crate::plans::CountyFound;
use crate::providers::{AskedProvider, Standing};

through! {
    PlanComparison => ComparisonFields,
}

#[derive(Serialize)]
struct ComparisonFields<'a> {
    drugs: &'a [AskedDrug],
    providers: &'a [AskedProvider],
    /// Best first.
    plans: Vec<PlanFields<'a>>,
    ranked_by: &'static str,
    year: Option<u16>,
    /// The year beside it; null where none was asked for.
    beside: Option<u16>,
    /// Plans of the year beside that are not there in the other.
    only_beside: &'a [PlanId],
    other_audiences: u32,
    area_unknown: &'a [PlanId],
    place: &'a [CountyFound],
    #[serde(flatten)]
    origin: OriginFields<'a>,
    complete: bool,
    caveats: &'a [Caveat],
    notes: &'a [String],
}

#[derive(Serialize)]
struct PlanFields<'a> {
    plan: &'a PlanId,
    name: Option<&'a str>,
    types: &'a [String],
    audience: Audience,
    year: Option<u16>,
    covered: u32,
    mixed: u32,
    restricted: u32,
    may_be_restricted: u32,
    in_network: u32,
    unknown: u32,
    /// One for each drug, in their order.
    answers: &'a [Coverage],
    /// One for each provider, in their order.
    standings: &'a [Standing],
    /// Null where no other year was asked for.
    beside: Option<BesideFields<'a>>,
    notes: &'a [String],
}

#[derive(Serialize)]
struct BesideFields<'a> {
    /// Null: it is not there in that year.
    plan: Option<&'a PlanId>,
    name: Option<&'a str>,
    changes: Vec<ChangeFields<'a>>,
}

#[derive(Serialize)]
struct ChangeFields<'a> {
    query: &'a str,
    now: &'a str,
    beside: &'a str,
}

impl<'a> From<&'a PlanComparison> for ComparisonFields<'a> {
    fn from(compared: &'a PlanComparison) -> Self {
        Self {
            drugs: &compared.drugs,
            providers: &compared.providers,
            plans: compared.plans.iter().map(PlanFields::from).collect(),
            ranked_by: PlanComparison::RANKED_BY,
            year: compared.year,
            beside: compared.beside,
            only_beside: &compared.only_beside,
            other_audiences: compared.other_audiences,
            area_unknown: &compared.area_unknown,
            place: &compared.place,
            origin: OriginFields::from(&compared.origin),
            complete: compared.is_complete(),
            caveats: &compared.caveats,
            notes: &compared.notes,
        }
    }
}

impl<'a> From<&'a ComparedPlan> for PlanFields<'a> {
    fn from(column: &'a ComparedPlan) -> Self {
        let plan = &column.plan;
        Self {
            plan: &plan.id,
            name: plan.name.as_deref(),
            types: &plan.types,
            audience: plan.audience,
            year: plan.year,
            covered: column.covered,
            mixed: column.mixed,
            restricted: column.restricted,
            may_be_restricted: column.may_be_restricted,
            in_network: column.in_network,
            unknown: column.unknown,
            answers: &column.answers,
            standings: &column.standings,
            beside: column.beside.as_ref().map(BesideFields::from),
            notes: &column.notes,
        }
    }
}

impl<'a> From<&'a PlanBeside> for BesideFields<'a> {
    fn from(beside: &'a PlanBeside) -> Self {
        let change =
            |change: &'a Change| ChangeFields { query: &change.query, now: &change.now, beside: &change.beside };
        Self {
            plan: beside.plan.as_ref().map(|plan| &plan.id),
            name: beside.plan.as_ref().and_then(|plan| plan.name.as_deref()),
            changes: beside.changes.iter().map(change).collect(),
        }
    }
}
