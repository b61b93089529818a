//! What `coverdex export` takes.

use std::path::PathBuf;

use clap::{Args, ValueEnum, ValueHint};
use coverdex_core::{PlanFilter, PracticeQuery, TableQuery};

/// `coverdex export`.
#[derive(Clone, Debug, Args)]
pub(crate) struct ExportArgs {
    /// Which table
    #[arg(value_name = "TABLE")]
    pub(crate) table: TableArg,
    /// File to write; one that is there is replaced
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) parquet: PathBuf,
    /// The plan whose formulary is written, or in whose networks the roles are
    #[arg(long, value_name = "PLAN", required_if_eq("table", "formulary"))]
    pub(crate) plan: Option<String>,
    /// Plans of this year
    #[arg(long, value_name = "YEAR")]
    pub(crate) year: Option<u16>,
    /// Roles in this network, by system and id: the label is no key
    #[arg(long, value_name = "SYSTEM|ID", conflicts_with = "plan")]
    pub(crate) network: Option<String>,
    /// Places in this county
    #[arg(long, value_name = "COUNTY")]
    pub(crate) county: Option<String>,
    /// Places in this state
    #[arg(long, value_name = "STATE", conflicts_with = "county")]
    pub(crate) state: Option<String>,
    /// Inactive roles too
    #[arg(long)]
    pub(crate) inactive: bool,
}

/// A table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum TableArg {
    /// One row for each plan
    Plans,
    /// One row for each package that a plan's formulary lists
    Formulary,
    /// One row for each role of a provider at a place
    #[value(name = "practice_locations")]
    PracticeLocations,
}

impl ExportArgs {
    /// An option that the table does not have would choose rows that nobody asked for.
    pub(crate) fn check(&self) -> Result<(), String> {
        let given = [
            ("--plan", self.plan.is_some()),
            ("--year", self.year.is_some()),
            ("--network", self.network.is_some()),
            ("--county", self.county.is_some()),
            ("--state", self.state.is_some()),
            ("--inactive", self.inactive),
        ];
        let (table, takes): (_, &[&str]) = match self.table {
            TableArg::Plans => ("plans", &["--year"]),
            TableArg::Formulary => ("formulary", &["--plan"]),
            TableArg::PracticeLocations => {
                ("practice_locations", &["--plan", "--network", "--county", "--state", "--inactive"])
            }
        };
        match given.iter().find(|(option, is_given)| *is_given && !takes.contains(option)) {
            Some((option, _)) => Err(format!("{option} chooses no rows of {table}, which takes {}", takes.join(", "))),
            None => Ok(()),
        }
    }

    /// The table that is asked for.
    pub(crate) fn query(&self) -> TableQuery {
        match self.table {
            TableArg::Plans => TableQuery::Plans(PlanFilter { year: self.year, ..PlanFilter::default() }),
            TableArg::Formulary => TableQuery::Formulary(self.plan.clone().unwrap_or_default()),
            TableArg::PracticeLocations => TableQuery::PracticeLocations(PracticeQuery {
                plan: self.plan.clone(),
                network: self.network.clone(),
                county: self.county.clone(),
                state: self.state.clone(),
                inactive: self.inactive,
            }),
        }
    }
}
