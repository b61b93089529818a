//! `coverdex plans --json`.

use coverdex_core::{Network, Offered, Plan};
use serde::Serialize;

use super::CountyResult;
use crate::data::Opened;

/// The plans that fit.
#[derive(Debug, Serialize)]
pub(crate) struct PlansDocument {
    pub(crate) results: Vec<PlanResult>,
    /// Plans that may be sold there, nobody can tell; empty where no place was asked for.
    pub(crate) area_unknown: Vec<PlanResult>,
    /// The counties that the place was read as; empty where none was asked for.
    pub(crate) place: Vec<CountyResult>,
    /// How the place was read, for people.
    pub(crate) note: Option<String>,
}

#[derive(Debug, Serialize)]
pub(crate) struct PlanResult {
    plan: String,
    name: Option<String>,
    /// The payer's type code; a code before words where it states several.
    #[serde(rename = "type")]
    kind: Option<String>,
    types: Vec<String>,
    audience: &'static str,
    year: Option<u16>,
    networks: Vec<NetworkFields>,
    /// Whether it is sold at the place; null where none was asked for.
    offered: Option<&'static str>,
    /// Whether it has a drug list to answer from.
    formulary: bool,
    /// How completely that was received.
    drugs: &'static str,
    expected: u32,
    gaps: u32,
    as_of: String,
    source: String,
    dataset: String,
}

#[derive(Debug, Serialize)]
pub(super) struct NetworkFields {
    system: String,
    id: String,
    kind: &'static str,
    label: Option<String>,
}

impl PlanResult {
    pub(crate) fn new(opened: &Opened, plan: &Plan) -> Self {
        Self {
            plan: plan.id.to_string(),
            name: plan.name.clone(),
            kind: plan.types.iter().find(|kind| !kind.contains(' ')).or(plan.types.first()).cloned(),
            types: plan.types.clone(),
            audience: plan.audience.as_str(),
            year: plan.year,
            networks: plan.networks.iter().map(NetworkFields::from).collect(),
            offered: None,
            formulary: plan.drugs.has_entries(),
            drugs: plan.drugs.as_str(),
            expected: plan.expected,
            gaps: plan.gaps,
            as_of: opened.dataset.as_of().to_owned(),
            source: opened.dataset.source().to_owned(),
            dataset: opened.dataset.manifest().dataset.clone(),
        }
    }

    /// Whether it is sold at the place that was asked for.
    pub(crate) fn offered(mut self, offered: Offered) -> Self {
        self.offered = Some(offered.as_str());
        self
    }
}

impl From<&Network> for NetworkFields {
    fn from(network: &Network) -> Self {
        Self {
            system: network.key.system().to_owned(),
            id: network.key.id().to_owned(),
            kind: network.kind.as_str(),
            label: network.label.clone(),
        }
    }
}
