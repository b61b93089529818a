//! What can be asked of the command.

mod compare;
mod drugs;
mod export;
mod help;
mod payer;
mod providers;
mod publish;
#[cfg(feature = "sandbox")]
mod sandbox;
mod sync;
mod tiers;

use std::path::PathBuf;

use clap::{Args, CommandFactory as _, Parser, Subcommand, ValueEnum, ValueHint};
use coverdex_core::Audience;

pub(crate) use self::compare::CompareArgs;
pub(crate) use self::drugs::{CountyArgs, ExplainArgs, ExplainDrugArgs, OptionsArgs};
pub(crate) use self::export::ExportArgs;
#[cfg(test)]
pub(crate) use self::payer::AccessArgs;
pub(crate) use self::payer::{ClientArgs, LoginArgs, MemberArgs, PayerArgs};
pub(crate) use self::providers::{
    ExplainProviderArgs, InNetworkArgs, PlaceArgs, ProviderArgs, ProvidersArgs, SearchArgs,
};
pub(crate) use self::publish::{
    InstallArgs, KeysArgs, PackArgs, SignArgs, TakeArgs, TrustArgs, UpdateArgs, VerifyArgs,
};
#[cfg(feature = "sandbox")]
pub(crate) use self::sandbox::SandboxArgs;
pub(crate) use self::sync::SyncArgs;
pub(crate) use self::tiers::TierArgs;

/// The command line.
#[derive(Debug, Parser)]
#[command(
    name = "coverdex",
    version,
    about = "Is this drug covered by this plan, in which tier, with which restrictions? Answered offline.",
    long_about = help::ABOUT,
    after_long_help = help::AFTER,
    arg_required_else_help = true,
    subcommand_required = true,
    max_term_width = 110
)]
pub(crate) struct CommandLine {
    #[command(flatten)]
    pub(crate) everywhere: Everywhere,
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// What every command takes.
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct Everywhere {
    /// Dataset folder or store to answer from; may be given several times [default: what COVERDEX_DATA
    /// names, else index-data/current]
    #[arg(long, global = true, value_name = "PATH", value_hint = ValueHint::DirPath)]
    pub(crate) data: Vec<PathBuf>,
    /// Print one JSON document instead of tables
    #[arg(long, global = true)]
    pub(crate) json: bool,
}

/// The commands.
#[derive(Debug, Subcommand)]
#[allow(clippy::large_enum_variant, reason = "there is one of it")]
pub(crate) enum Command {
    /// See all of it at once: sync a made payer, then answer a counselor and a patient
    #[cfg(feature = "sandbox")]
    #[command(after_help = help::DEMO)]
    Demo(DemoArgs),
    /// Read a payer over the network, or what has changed since, and build its dataset
    #[command(after_help = help::SYNC)]
    Sync(SyncArgs),
    /// Build a dataset from a folder of a payer's FHIR resources, or from what a sync has read
    #[command(after_help = help::BUILD)]
    Build(BuildArgs),
    /// Find drugs by name, strength, form or code; with a plan: tier and restrictions
    #[command(after_help = help::DRUG)]
    Drug(DrugArgs),
    /// Say whether plans cover drugs, in which tier, with which restrictions
    #[command(after_help = help::COVERED)]
    Covered(CoveredArgs),
    /// Find what has the same ingredients inside a plan, better status or tier first
    #[command(after_help = help::OPTIONS)]
    Options(OptionsArgs),
    /// Put plans side by side for one person's drugs, doctors and pharmacy, on one page
    #[command(after_help = help::COMPARE)]
    Compare(CompareArgs),
    /// Say why an answer is what it is: each condition, what the data says, which decided
    #[command(subcommand, arg_required_else_help = true)]
    Explain(ExplainArgs),
    /// List plans by name, type, audience, year, county or ZIP
    #[command(after_help = help::PLANS)]
    Plans(PlansArgs),
    /// Find in-network providers near a county, a ZIP or a point, or in a state
    #[command(after_help = help::PROVIDERS)]
    Providers(ProvidersArgs),
    /// Show everything known of one provider, and whether it is in a network
    #[command(after_help = help::PROVIDER)]
    Provider(ProviderArgs),
    /// Find a county by name or code, or the counties of a ZIP
    #[command(after_help = help::COUNTIES)]
    Counties(CountiesArgs),
    /// Say what a dataset holds and how completely it was received
    #[command(after_help = help::INFO)]
    Info(InfoArgs),
    /// Write a whole table for analysts as a Parquet file
    #[command(after_help = help::EXPORT)]
    Export(ExportArgs),
    /// Check every byte of a dataset or of a publication; with a key: who made it
    #[command(after_help = help::VERIFY)]
    Verify(VerifyArgs),
    /// Pack a dataset for a web server or a stick, with small updates from the publication before
    #[command(after_help = help::PACK)]
    Pack(PackArgs),
    /// Make the pair of keys that publications are signed and proved with
    #[command(after_help = help::KEYS)]
    Keys(KeysArgs),
    /// Sign a publication
    #[command(after_help = help::SIGN)]
    Sign(SignArgs),
    /// Bring a store up to date from a publication: fetch what differs, check every byte, make it live
    #[command(after_help = help::UPDATE)]
    Update(UpdateArgs),
    /// Copy a dataset or a publication into a store, check every byte, and make it live
    #[command(after_help = help::INSTALL)]
    Install(InstallArgs),
    /// Make the dataset live again that was before the last build or install
    #[command(after_help = help::ROLLBACK)]
    Rollback(RollbackArgs),
    /// Log in with a payer as its member, to find your own plan
    #[command(after_help = help::LOGIN)]
    Login(LoginArgs),
    /// Forget the login
    Logout(MemberArgs),
    /// Show which plans you are covered by
    #[command(after_help = help::MY_PLANS)]
    MyPlans(MemberArgs),
    /// Serve a made payer on this machine, with every fault of real ones, for those who write clients
    #[cfg(feature = "sandbox")]
    #[command(after_help = help::SANDBOX)]
    Sandbox(SandboxArgs),
}

/// `coverdex demo`.
#[cfg(feature = "sandbox")]
#[derive(Debug, Args)]
pub(crate) struct DemoArgs {
    /// Store to build into [default: coverdex-demo in the system's folder for temporary files]
    #[arg(long, value_name = "STORE", value_hint = ValueHint::DirPath)]
    pub(crate) out: Option<PathBuf>,
}

/// `coverdex build`.
#[derive(Debug, Args)]
pub(crate) struct BuildArgs {
    /// Folder of FHIR resources: NDJSON, bundles or single resources, plain, gzip or zstd; or a sync's
    /// staging folder
    #[arg(long, value_name = "FOLDER", value_hint = ValueHint::AnyPath)]
    pub(crate) from: PathBuf,
    /// Store to build into; made if it is not there
    #[arg(long, value_name = "STORE", value_hint = ValueHint::DirPath)]
    pub(crate) out: PathBuf,
    /// When the payer's data was read [default: the newest meta.lastUpdated]
    #[arg(long, value_name = "DATE")]
    pub(crate) as_of: Option<String>,
    /// The payer's name, shown as the source of every answer
    #[arg(long, value_name = "NAME")]
    pub(crate) payer: Option<String>,
    /// Threads that read [default: one a core]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub(crate) threads: Option<u16>,
    /// Settings file (TOML) of which the table `[tiers]` is read
    #[arg(long, env = "COVERDEX_CONFIG", value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) config: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) tiers: TierArgs,
}

/// `coverdex rollback`.
#[derive(Debug, Args)]
pub(crate) struct RollbackArgs {
    /// The store
    #[arg(value_name = "STORE", value_hint = ValueHint::DirPath)]
    pub(crate) store: PathBuf,
}

/// `coverdex drug`.
#[derive(Debug, Args)]
pub(crate) struct DrugArgs {
    /// Name, strength, form, (the beginning of) an NDC, an RxNorm code, or a barcode's digits
    #[arg(required = true, value_name = "QUERY")]
    pub(crate) query: Vec<String>,
    /// Show tier and restrictions of this plan, its drugs first
    #[arg(long, value_name = "PLAN")]
    pub(crate) plan: Option<String>,
    /// Results at most
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    pub(crate) limit: u32,
    /// The next page, as the one before it names it (`next` of `--json`)
    #[arg(long, value_name = "TOKEN")]
    pub(crate) page: Option<String>,
}

/// `coverdex covered`.
#[derive(Debug, Args)]
pub(crate) struct CoveredArgs {
    /// Drugs: a name with strength, an NDC, a product NDC, an RxNorm code, or a barcode's digits, each one argument
    #[arg(value_name = "DRUG")]
    pub(crate) drugs: Vec<String>,
    /// Plans, by id in any spelling or by exact name; without any: those sold in the county or ZIP, best first
    #[arg(long = "plan", value_name = "PLAN", num_args = 1..)]
    pub(crate) plans: Vec<String>,
    #[command(flatten)]
    pub(crate) place: CountyArgs,
    /// Plan year of a place's plans [default: that of the data, else the next]
    #[arg(long, value_name = "YEAR", conflicts_with = "plans", value_parser = clap::value_parser!(u16).range(2000..=2199))]
    pub(crate) year: Option<u16>,
    /// Whom the plans of a place are sold to [default: individual]
    #[arg(long, value_name = "AUDIENCE", conflicts_with = "plans")]
    pub(crate) audience: Option<AudienceArg>,
    /// Also list the packages behind each answer
    #[arg(long)]
    pub(crate) packages: bool,
}

/// `coverdex plans`.
#[derive(Debug, Args)]
pub(crate) struct PlansArgs {
    /// Words of the name, or the beginning of the id
    #[arg(value_name = "TEXT")]
    pub(crate) text: Vec<String>,
    /// Sold in this county: `Baltimore city, MD`, or its FIPS code
    #[arg(long, value_name = "COUNTY", conflicts_with = "zip")]
    pub(crate) county: Option<String>,
    /// Sold in any county of this ZIP
    #[arg(long, value_name = "ZIP")]
    pub(crate) zip: Option<String>,
    /// The payer's type code, such as MA-PD, MA or PDP
    #[arg(long = "type", value_name = "TYPE")]
    pub(crate) kind: Option<String>,
    /// Whom the plan is sold to
    #[arg(long, value_name = "AUDIENCE")]
    pub(crate) audience: Option<AudienceArg>,
    /// Plan year
    #[arg(long, value_name = "YEAR", value_parser = clap::value_parser!(u16).range(2000..=2199))]
    pub(crate) year: Option<u16>,
}

/// `coverdex counties`.
#[derive(Debug, Args)]
pub(crate) struct CountiesArgs {
    /// A county's name, with its state where several have it; its FIPS code; or a ZIP
    #[arg(required = true, value_name = "TEXT|ZIP")]
    pub(crate) text: Vec<String>,
}

/// `coverdex info`.
#[derive(Debug, Args)]
pub(crate) struct InfoArgs {
    /// Also say where the bytes are: by file, table and index
    #[arg(long)]
    pub(crate) sizes: bool,
}

/// An audience as it is typed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum AudienceArg {
    /// Anyone eligible
    Individual,
    /// An employer's or union's members
    #[value(alias = "employer_group", alias = "group")]
    EmployerGroup,
    /// Special-needs plans
    #[value(alias = "special_needs")]
    SpecialNeeds,
    /// Medicaid plans
    Medicaid,
    /// Nothing tells
    #[value(alias = "not_stated")]
    NotStated,
}

impl From<AudienceArg> for Audience {
    fn from(audience: AudienceArg) -> Self {
        match audience {
            AudienceArg::Individual => Self::Individual,
            AudienceArg::EmployerGroup => Self::EmployerGroup,
            AudienceArg::SpecialNeeds => Self::SpecialNeeds,
            AudienceArg::Medicaid => Self::Medicaid,
            AudienceArg::NotStated => Self::NotStated,
        }
    }
}

impl CommandLine {
    /// What the grammar alone cannot refuse.
    pub(crate) fn check(&self) -> Result<(), clap::Error> {
        match &self.command {
            Command::Covered(covered) if covered.drugs.is_empty() => refuse(
                "covered",
                if covered.plans.is_empty() {
                    "no drug was named"
                } else {
                    "no drug was named; --plan takes every word up to the next option, so name the drugs before it"
                },
            ),
            Command::Covered(covered) if covered.plans.is_empty() && !covered.place.is_named() => {
                refuse("covered", NO_PLAN)
            }
            Command::Compare(compare) if compare.plans.is_empty() && !compare.place.is_named() => {
                refuse("compare", NO_PLAN)
            }
            Command::Drug(drug) if drug.query.iter().all(|word| word.trim().is_empty()) => {
                refuse("drug", "nothing to look for: name a drug or the beginning of a code")
            }
            Command::Explain(ExplainArgs::Provider(explain)) => {
                explain.search.check().map_or_else(|message| refuse("explain", message), Ok)
            }
            Command::Export(export) => export.check().or_else(|message| refuse("export", &message)),
            Command::Providers(providers) => providers.check().map_or_else(|message| refuse("providers", message), Ok),
            Command::Build(_) if !self.everywhere.data.is_empty() => {
                refuse("build", "build reads --from and writes to --out; --data is for questions")
            }
            Command::Sync(_) if !self.everywhere.data.is_empty() => {
                refuse("sync", "sync reads --base-url and writes to --out; --data is for questions")
            }
            #[cfg(feature = "sandbox")]
            Command::Demo(_) if !self.everywhere.data.is_empty() => {
                refuse("demo", "demo builds a dataset of its own; --data is for questions")
            }
            Command::Install(_)
            | Command::Rollback(_)
            | Command::Pack(_)
            | Command::Keys(_)
            | Command::Sign(_)
            | Command::Update(_)
                if !self.everywhere.data.is_empty() =>
            {
                refuse("install", "install and rollback name their folders themselves; --data is for questions")
            }
            Command::Verify(verify) if verify.path.is_some() && !self.everywhere.data.is_empty() => {
                refuse("verify", "name what to verify once: behind verify, or with --data")
            }
            _ => Ok(()),
        }
    }
}

/// Neither plans nor a place to take them from.
const NO_PLAN: &str = "no plan was named: --plan PLAN names one, --county COUNTY or --zip ZIP take those sold there";

/// Wrong usage of one command, laid out as clap lays out its own.
fn refuse(command: &str, message: &str) -> Result<(), clap::Error> {
    let mut all = CommandLine::command();
    all.build();
    let kind = clap::error::ErrorKind::ValueValidation;
    Err(match all.find_subcommand_mut(command) {
        Some(command) => command.error(kind, message),
        None => all.error(kind, message),
    })
}

#[cfg(test)]
mod tests;
