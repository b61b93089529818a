//! `coverdex options` and `coverdex explain`.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueHint};
use coverdex_core::Place;

use super::help;
use super::providers::ExplainProviderArgs;

/// A county or a ZIP.
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct CountyArgs {
    /// The county that is meant: `Baltimore city, MD`, or its FIPS code
    #[arg(long, value_name = "COUNTY", conflicts_with = "zip")]
    pub(crate) county: Option<String>,
    /// The ZIP that is meant: any of its counties
    #[arg(long, value_name = "ZIP")]
    pub(crate) zip: Option<String>,
}

/// `coverdex options`.
#[derive(Clone, Debug, Args)]
pub(crate) struct OptionsArgs {
    /// The drug: a name with strength, an NDC, a product NDC, or an RxNorm code
    #[arg(required = true, value_name = "DRUG")]
    pub(crate) drug: Vec<String>,
    /// The plan whose list is looked at, by id in any spelling or by exact name
    #[arg(long, value_name = "PLAN", required = true)]
    pub(crate) plan: String,
    #[command(flatten)]
    pub(crate) place: CountyArgs,
    /// Options at most
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    pub(crate) limit: u32,
    /// Also show what the plan does not list
    #[arg(long)]
    pub(crate) not_listed: bool,
    /// The next page, as the one before it names it
    #[arg(long, value_name = "TOKEN")]
    pub(crate) page: Option<String>,
}

/// `coverdex explain`.
#[derive(Clone, Debug, Subcommand)]
#[allow(clippy::large_enum_variant, reason = "there is one of it")]
pub(crate) enum ExplainArgs {
    /// Why a plan covers a drug, or does not
    #[command(after_help = help::EXPLAIN_DRUG)]
    Drug(ExplainDrugArgs),
    /// Why a search for providers finds one, or does not
    #[command(after_help = help::EXPLAIN_PROVIDER)]
    Provider(ExplainProviderArgs),
}

/// `coverdex explain drug`.
#[derive(Clone, Debug, Args)]
pub(crate) struct ExplainDrugArgs {
    /// The drug: a name with strength, an NDC, a product NDC, or an RxNorm code
    #[arg(required = true, value_name = "DRUG")]
    pub(crate) drug: Vec<String>,
    /// The plan that is asked about, by id in any spelling or by exact name
    #[arg(long, value_name = "PLAN", required = true)]
    pub(crate) plan: String,
    #[command(flatten)]
    pub(crate) place: CountyArgs,
    #[command(flatten)]
    pub(crate) sources: SourcesArgs,
}

/// Where the payer's resources are looked up.
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct SourcesArgs {
    /// Also name the payer's resources that say so: read from the folder that the dataset was built from, or the
    /// staging folder of its sync
    #[arg(long, visible_alias = "staging", value_name = "FOLDER", value_hint = ValueHint::AnyPath)]
    pub(crate) from: Option<PathBuf>,
}

impl CountyArgs {
    /// Whether a place is named.
    pub(crate) const fn is_named(&self) -> bool {
        self.county.is_some() || self.zip.is_some()
    }

    /// The place that is named, if one is.
    pub(crate) fn place(&self) -> Option<Place> {
        let county = self.county.clone().map(Place::County);
        county.or_else(|| self.zip.clone().map(Place::Zip))
    }
}
