//! The `coverdex` command: translates arguments into questions and answers into tables or JSON.

mod args;
mod commands;
mod data;
mod failure;
mod foot;
mod interrupt;
mod json;
mod output;
mod payer;
mod table;
#[cfg(test)]
#[cfg(feature = "sandbox")]
mod testing;
mod words;

use std::process::ExitCode;

use clap::Parser as _;

use crate::args::CommandLine;
use crate::failure::{Exit, Failure};
use crate::output::Output;

fn main() -> ExitCode {
    let panicked = failure::watch_panics();
    let parsed = CommandLine::try_parse().and_then(|line| line.check().map(|()| line));
    let exit = match parsed {
        Ok(line) => std::panic::catch_unwind(|| answer(&line)).unwrap_or_else(|_| {
            let failure = panicked.failure();
            Output::new(line.everywhere.json).failure(&failure);
            failure.exit
        }),
        Err(error) => refuse(&error),
    };
    exit.into()
}

fn answer(line: &CommandLine) -> Exit {
    let output = Output::new(line.everywhere.json);
    match commands::run(line, output) {
        Ok(exit) => exit,
        Err(error) => {
            let failure = Failure::from(&error);
            output.failure(&failure);
            failure.exit
        }
    }
}

/// Help and version are answers; everything else that clap has to say is wrong usage.
fn refuse(error: &clap::Error) -> Exit {
    let as_json = std::env::args_os().take_while(|arg| arg != "--").any(|arg| arg == "--json");
    if error.use_stderr() && as_json {
        Output::new(true).failure(&Failure::from(error));
    } else {
        Output::help(error);
    }
    if error.use_stderr() { Exit::Usage } else { Exit::Answered }
}
