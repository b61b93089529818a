//! One module for each command: asks core, and lays out what it says.

mod build;
mod compare;
mod counties;
mod covered;
#[cfg(feature = "sandbox")]
mod demo;
pub(crate) mod directory;
mod drug;
mod explain;
mod export;
mod info;
mod install;
mod member;
mod options;
mod plans;
mod provider;
mod providers;
mod publish;
#[cfg(feature = "sandbox")]
mod sandbox;
mod sync;
mod verify;

use coverdex_core::Result;

use crate::args::{Command, CommandLine};
use crate::failure::Exit;
use crate::output::Output;

pub(crate) fn run(line: &CommandLine, output: Output) -> Result<Exit> {
    let data = &line.everywhere.data;
    match &line.command {
        #[cfg(feature = "sandbox")]
        Command::Demo(args) => demo::run(args, output),
        Command::Build(args) => build::run(args, output),
        Command::Drug(args) => drug::run(args, data, output),
        Command::Covered(args) => covered::run(args, data, output),
        Command::Options(args) => options::run(args, data, output),
        Command::Compare(args) => compare::run(args, data, output),
        Command::Explain(args) => explain::run(args, data, output),
        Command::Counties(args) => counties::run(args, data, output),
        Command::Export(args) => export::run(args, data, output),
        Command::Plans(args) => plans::run(args, data, output),
        Command::Provider(args) => provider::run(args, data, output),
        Command::Providers(args) => providers::run(args, data, output),
        Command::Info(args) => info::run(args, data, output),
        Command::Verify(args) => verify::run(args, data, output),
        Command::Pack(args) => publish::pack_dataset(args, output),
        Command::Keys(args) => publish::keys(args, output),
        Command::Sign(args) => publish::sign(args, output),
        Command::Update(args) => publish::update(args, output),
        Command::Install(args) => install::run(args, output),
        Command::Rollback(args) => install::roll_back(args, output),
        Command::Sync(args) => sync::run(args, output),
        Command::Login(args) => member::login(args, output),
        Command::Logout(args) => member::logout(args, output),
        Command::MyPlans(args) => member::my_plans(args, data, output),
        #[cfg(feature = "sandbox")]
        Command::Sandbox(args) => sandbox::run(args, output),
    }
}

/// Builds a store without saying anything.
#[cfg(all(test, feature = "sandbox"))]
pub(crate) fn build_store(args: &crate::args::BuildArgs) -> Result<()> {
    build::make(args, Output::new(true)).map(drop)
}
