//! Plans as they are read: all of them, once.

use std::sync::Arc;

use rusqlite::Connection;

use super::formulary::Formularies;
use crate::Result;
use crate::format::{Connections, number};
use crate::ids::{Audience, NetworkKey, NetworkKind, PlanId};
use crate::lazy::Lazy;

/// All plans of a dataset, and the formularies in use.
#[derive(Debug, Default)]
pub(crate) struct Plans {
    all: Lazy<Vec<Plan>>,
    pub(crate) formularies: Formularies,
}

/// One plan benefit package in one year, of the dataset that it was looked up in: another refuses it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Plan {
    /// The plan's id.
    pub id: PlanId,
    /// Plan year, where the id or the source states one.
    pub year: Option<u16>,
    /// Name.
    pub name: Option<String>,
    /// The payer's type codes (`MA-PD`, …).
    pub types: Vec<String>,
    /// Whom it is sold to, a hint.
    pub audience: Audience,
    /// Whether an InsurancePlan describes it; else it is known from its formulary alone.
    pub offered: bool,
    /// Its networks.
    pub networks: Vec<Network>,
    /// What is known of its formulary.
    pub drugs: DrugBenefit,
    /// Lists received.
    pub lists: u32,
    /// Distinct entries that its Lists name.
    pub expected: u32,
    /// Of those, absent or quarantined.
    pub gaps: u32,
    /// Of the gaps, those that came and could not be understood.
    pub quarantined: u32,
    /// Networks that it names by references that lead nowhere: which they are is not known.
    pub lost_networks: u32,
    dataset: Arc<str>,
    number: u32,
    formulary: Option<u32>,
}

/// A network with its label.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Network {
    /// System and id.
    pub key: NetworkKey,
    /// What it is for.
    pub kind: NetworkKind,
    // Shared: every result of a search names its networks.
    pub(crate) label: Option<Arc<str>>,
}

impl Network {
    /// What the payer calls it: a label, never a key.
    #[must_use]
    pub fn label(&self) -> Option<&str> {
        self.label.as_deref()
    }
}

/// What is known of a plan's formulary.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum DrugBenefit {
    /// Received as completely as the payer serves it.
    Complete,
    /// A part is missing: absence means nothing.
    Incomplete,
    /// Rows came, but no List that says which must exist: absence means nothing.
    NoList,
    /// No List entry and no row.
    NoFormularyPublished,
    /// A plan type without drugs.
    NoDrugBenefit,
    /// The sync left it out.
    NotSynced,
}

impl DrugBenefit {
    /// The stable name.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Complete => "complete",
            Self::Incomplete => "incomplete",
            Self::NoList => "no_list",
            Self::NoFormularyPublished => "no_formulary_published",
            Self::NoDrugBenefit => "no_drug_benefit",
            Self::NotSynced => "not_synced",
        }
    }

    /// Whether there are entries to answer from.
    #[must_use]
    pub const fn has_entries(self) -> bool {
        matches!(self, Self::Complete | Self::Incomplete | Self::NoList)
    }

    fn from_name(name: &str) -> Option<Self> {
        [
            Self::Complete,
            Self::Incomplete,
            Self::NoList,
            Self::NoFormularyPublished,
            Self::NoDrugBenefit,
            Self::NotSynced,
        ]
        .into_iter()
        .find(|benefit| benefit.as_str() == name)
    }
}

impl Plan {
    /// The payer's type code; a code before words where it states several.
    #[must_use]
    pub fn kind(&self) -> Option<&str> {
        self.types.iter().find(|kind| !kind.contains(' ')).or(self.types.first()).map(String::as_str)
    }

    pub(crate) fn dataset(&self) -> &str {
        &self.dataset
    }

    /// Its row number.
    pub(crate) fn number(&self) -> u32 {
        self.number
    }

    /// The number of its formulary, if it has one.
    pub(crate) fn formulary(&self) -> Option<u32> {
        self.formulary
    }
}

impl Plans {
    /// All plans where they lie, by id.
    pub(crate) fn get(&self, database: &Connections, dataset: &str) -> Result<&[Plan]> {
        let plans = self.all.get(|| {
            let dataset: Arc<str> = Arc::from(dataset);
            database.with(|connection| read_plans(connection, &dataset))
        })?;
        Ok(plans)
    }
}

fn read_plans(connection: &Connection, dataset: &Arc<str>) -> rusqlite::Result<Vec<Plan>> {
    let mut networks: Vec<(u32, Network)> = Vec::new();
    let mut statement = connection.prepare("SELECT id, system, code, kind, label FROM network ORDER BY id")?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        let (system, code, kind): (String, String, String) = (row.get(1)?, row.get(2)?, row.get(3)?);
        let key = NetworkKey::new(&system, &code).map_err(|_| rusqlite::Error::InvalidQuery)?;
        let kind = kind.parse().map_err(|_| rusqlite::Error::InvalidQuery)?;
        networks.push((number(row, 0)?, Network { key, kind, label: row.get(4)? }));
    }
    let mut of_plan: Vec<(u32, u32)> = Vec::new();
    let mut statement = connection.prepare("SELECT plan, network FROM plan_network ORDER BY plan, network")?;
    for row in statement.query_map([], |row| Ok((number(row, 0)?, number(row, 1)?)))? {
        of_plan.push(row?);
    }
    let mut plans = Vec::new();
    let mut statement = connection.prepare(
        "SELECT id, plan, year, name, types, audience, offered, drugs, formulary, lists, expected, gaps, quarantined,
                lost_networks
         FROM plan ORDER BY id",
    )?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        let number_id = number(row, 0)?;
        let (plan, types, audience, drugs): (String, String, String, String) =
            (row.get(1)?, row.get(4)?, row.get(5)?, row.get(7)?);
        let start = of_plan.partition_point(|(plan, _)| *plan < number_id);
        let mine = of_plan.get(start..).unwrap_or_default().iter().take_while(|(plan, _)| *plan == number_id);
        let formulary: Option<i64> = row.get(8)?;
        plans.push(Plan {
            dataset: Arc::clone(dataset),
            id: PlanId::parse(&plan).map_err(|_| rusqlite::Error::InvalidQuery)?,
            year: row.get(2)?,
            name: row.get(3)?,
            types: serde_json::from_str(&types).map_err(|_| rusqlite::Error::InvalidQuery)?,
            audience: audience.parse().map_err(|_| rusqlite::Error::InvalidQuery)?,
            offered: row.get(6)?,
            networks: mine
                .filter_map(|(_, network)| {
                    let at = networks.binary_search_by_key(network, |(id, _)| *id).ok()?;
                    networks.get(at).map(|(_, network)| network.clone())
                })
                .collect(),
            drugs: DrugBenefit::from_name(&drugs).ok_or(rusqlite::Error::InvalidQuery)?,
            number: number_id,
            formulary: formulary.and_then(|id| u32::try_from(id).ok()),
            lists: number(row, 9)?,
            expected: number(row, 10)?,
            gaps: number(row, 11)?,
            quarantined: number(row, 12)?,
            lost_networks: number(row, 13)?,
        });
    }
    Ok(plans)
}
