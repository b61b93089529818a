//! `coverdex diff`.

use std::path::PathBuf;

use clap::{Args, ValueHint};

use super::CountyArgs;

/// `coverdex diff`.
#[allow(clippy::struct_excessive_bools, reason = "each is an option that is there or not")]
#[derive(Clone, Debug, Args)]
pub(crate) struct DiffArgs {
    /// The older dataset: its folder, or a store whose live dataset is meant
    #[arg(value_name = "OLD", value_hint = ValueHint::DirPath)]
    pub(crate) old: PathBuf,
    /// The newer one
    #[arg(value_name = "NEW", value_hint = ValueHint::DirPath)]
    pub(crate) new: PathBuf,
    /// Only these plans and their networks, by id in any spelling or by exact name; may be given several times
    #[arg(long = "plan", value_name = "PLAN", conflicts_with = "network")]
    pub(crate) plans: Vec<String>,
    /// Only who came to this network and left it
    #[arg(long, value_name = "SYSTEM|ID", conflicts_with = "formulary")]
    pub(crate) network: Option<String>,
    #[command(flatten)]
    pub(crate) place: CountyArgs,
    /// Only plans and their drug lists
    #[arg(long)]
    pub(crate) formulary: bool,
    /// Only plans and who is in their networks
    #[arg(long, conflicts_with = "formulary")]
    pub(crate) directory: bool,
    /// The two may be of different payers
    #[arg(long)]
    pub(crate) other_payer: bool,
    /// Drugs of a drug list and providers of a network that are named at most; the others are counted [default: 20,
    /// with --json and --csv all]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) limit: Option<u32>,
    /// Print comma-separated values, a line for each change
    #[arg(long, conflicts_with = "json")]
    pub(crate) csv: bool,
}
