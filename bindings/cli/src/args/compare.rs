//! `coverdex compare`.

use std::path::PathBuf;

use clap::{Args, ValueHint};

use super::{AudienceArg, CountyArgs};

/// `coverdex compare`.
#[derive(Clone, Debug, Args)]
pub(crate) struct CompareArgs {
    /// Drugs, each one argument
    #[arg(value_name = "DRUG")]
    pub(crate) drugs: Vec<String>,
    /// A file with a drug on each line, nothing else (no numbers in front, no remarks behind); empty lines and those
    /// that begin with `#` do not count; `-` reads standard input
    #[arg(long = "drugs", value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) drugs_from: Option<PathBuf>,
    /// A doctor, a pharmacy or another provider, by NPI or name; may be given several times
    #[arg(long = "provider", value_name = "NPI|NAME")]
    pub(crate) providers: Vec<String>,
    /// A file with a provider on each line, as for `--drugs`
    #[arg(long = "providers", value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) providers_from: Option<PathBuf>,
    /// Plans, by id in any spelling or by exact name; without any: those sold in the county or ZIP
    #[arg(long = "plan", value_name = "PLAN")]
    pub(crate) plans: Vec<String>,
    #[command(flatten)]
    pub(crate) place: CountyArgs,
    /// Plan year [default: that of the data, else the next]
    #[arg(long, value_name = "YEAR", value_parser = clap::value_parser!(u16).range(2000..=2199))]
    pub(crate) year: Option<u16>,
    /// Another year: also say what changes in each plan
    #[arg(long, value_name = "YEAR", value_parser = clap::value_parser!(u16).range(2000..=2199))]
    pub(crate) beside: Option<u16>,
    /// Whom the plans of a place are sold to [default: individual]
    #[arg(long, value_name = "AUDIENCE", conflicts_with = "plans")]
    pub(crate) audience: Option<AudienceArg>,
    /// Plans that the page shows at most, the best first; `--csv` and `--json` have all
    #[arg(long, value_name = "N", default_value_t = 8, value_parser = clap::value_parser!(u32).range(1..=1_000))]
    pub(crate) limit: u32,
    /// Print comma-separated values, a line for each plan and drug or provider, and for each change
    #[arg(long, conflicts_with = "json")]
    pub(crate) csv: bool,
}
