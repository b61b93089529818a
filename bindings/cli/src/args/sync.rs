//! `coverdex sync` and `coverdex sandbox`, as they are typed.

use std::path::PathBuf;

use clap::{Args, ValueEnum, ValueHint};
use coverdex_sync::fetch::{RolePass, Selection};

use super::{PayerArgs, TierArgs};

/// `coverdex sync`.
#[derive(Clone, Debug, Default, Args)]
#[allow(clippy::struct_excessive_bools, reason = "each is an option that is there or not")]
pub(crate) struct SyncArgs {
    #[command(flatten)]
    pub(crate) payer_at: PayerArgs,
    /// Store to build into; made if it is not there
    #[arg(long, value_name = "STORE", value_hint = ValueHint::DirPath, required_unless_present = "dry_run")]
    pub(crate) out: Option<PathBuf>,
    /// Folder for what the payer answers, kept for the next sync [default: STORE.staging]
    #[arg(long, value_name = "FOLDER", value_hint = ValueHint::DirPath)]
    pub(crate) staging: Option<PathBuf>,
    /// The payer's name, shown as the source of every answer [default: its address]
    #[arg(long, value_name = "NAME")]
    pub(crate) payer: Option<String>,
    /// Only this plan, in any spelling; may be given several times
    #[arg(long = "plan", value_name = "PLAN", help_heading = PART)]
    pub(crate) plans: Vec<String>,
    /// Only the plans offered in this state; may be given several times
    #[arg(long = "state", value_name = "STATE", help_heading = PART)]
    pub(crate) states: Vec<String>,
    /// Only the formularies
    #[arg(long, help_heading = PART)]
    pub(crate) formulary: bool,
    /// Only the provider directory
    #[arg(long, help_heading = PART)]
    pub(crate) directory: bool,
    /// Which roles are read: all, or those tagged with a network of the chosen plans
    #[arg(long, value_name = "HOW", value_enum, default_value_t, help_heading = PART)]
    pub(crate) roles: RolesArg,
    /// Only active roles: that somebody is absent then means nothing
    #[arg(long, help_heading = PART)]
    pub(crate) active_only: bool,
    /// Say what it would cost, from a few requests, and read nothing else
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Believe the payer where far less came than the last time
    #[arg(long)]
    pub(crate) accept_shrink: bool,
    /// Replace the store's dataset though it was read from another address, or from files
    #[arg(long)]
    pub(crate) other_payer: bool,
    /// Read everything again, also where the server can say what changed
    #[arg(long)]
    pub(crate) full: bool,
    #[command(flatten)]
    pub(crate) tiers: TierArgs,
}

const PART: &str = "Only a part";

/// How roles are read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum RolesArg {
    /// By network where plans or states are chosen, else all
    #[default]
    Auto,
    /// All, in one pass
    All,
    /// By the networks of the plans
    ByNetwork,
}

impl SyncArgs {
    pub(crate) fn selection(&self) -> Selection {
        let both = self.formulary == self.directory;
        Selection {
            plans: self.plans.clone(),
            states: self.states.clone(),
            formulary: both || self.formulary,
            directory: both || self.directory,
            roles: match self.roles {
                RolesArg::Auto => RolePass::Auto,
                RolesArg::All => RolePass::Unfiltered,
                RolesArg::ByNetwork => RolePass::ByNetwork,
            },
            active_only: self.active_only,
        }
    }

    /// The staging folder: beside the store, unless it was named.
    pub(crate) fn staging(&self) -> Option<PathBuf> {
        self.staging.clone().or_else(|| self.out.as_deref().map(beside))
    }
}

/// `STORE.staging`.
fn beside(store: &std::path::Path) -> PathBuf {
    let mut name = store.file_name().unwrap_or_else(|| "coverdex".as_ref()).to_owned();
    name.push(".staging");
    store.with_file_name(name)
}
