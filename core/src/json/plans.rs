//! Plans and networks.

use serde::Serialize;

use super::{OriginFields, through};
use crate::ids::{Audience, NetworkKind, PlanId};
use crate::plans::{CountyFound, DrugBenefit, Network, Offered, PlanHere, PlansFound};

through! {
    PlansFound => PlansFields,
    PlanHere => PlanFields,
    Network => NetworkFields,
}

/// The plans that fit.
#[derive(Serialize)]
struct PlansFields<'a> {
    results: &'a [PlanHere],
    /// Plans that may be sold there, nobody can tell; empty where no place was asked for.
    area_unknown: &'a [PlanHere],
    /// The counties that the place was read as; empty where none was asked for.
    place: &'a [CountyFound],
    /// How the place was read, for people.
    note: Option<&'a str>,
    #[serde(flatten)]
    origin: OriginFields<'a>,
}

#[derive(Serialize)]
struct PlanFields<'a> {
    plan: &'a PlanId,
    name: Option<&'a str>,
    /// The payer's type code; a code before words where it states several.
    #[serde(rename = "type")]
    kind: Option<&'a str>,
    types: &'a [String],
    audience: Audience,
    year: Option<u16>,
    networks: &'a [Network],
    /// Whether it is sold at the place; null where none was asked for.
    offered: Option<Offered>,
    /// Whether it has a drug list to answer from.
    formulary: bool,
    /// How completely that was received.
    drugs: DrugBenefit,
    expected: u32,
    gaps: u32,
    #[serde(flatten)]
    origin: OriginFields<'a>,
}

#[derive(Serialize)]
struct NetworkFields<'a> {
    system: &'a str,
    id: &'a str,
    kind: NetworkKind,
    label: Option<&'a str>,
}

impl<'a> From<&'a PlansFound> for PlansFields<'a> {
    fn from(found: &'a PlansFound) -> Self {
        Self {
            results: &found.plans,
            area_unknown: &found.area_unknown,
            place: &found.place,
            note: found.note.as_deref(),
            origin: OriginFields::from(&found.origin),
        }
    }
}

impl<'a> From<&'a PlanHere> for PlanFields<'a> {
    fn from(here: &'a PlanHere) -> Self {
        let plan = &here.plan;
        Self {
            plan: &plan.id,
            name: plan.name.as_deref(),
            kind: plan.kind(),
            types: &plan.types,
            audience: plan.audience,
            year: plan.year,
            networks: &plan.networks,
            offered: here.offered,
            formulary: plan.drugs.has_entries(),
            drugs: plan.drugs,
            expected: plan.expected,
            gaps: plan.gaps,
            origin: OriginFields::from(&here.origin),
        }
    }
}

impl<'a> From<&'a Network> for NetworkFields<'a> {
    fn from(network: &'a Network) -> Self {
        Self { system: network.key.system(), id: network.key.id(), kind: network.kind, label: network.label() }
    }
}
