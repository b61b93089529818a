//! `coverdex diff`: what changed from one dataset to a newer one.

mod lines;
mod tables;

use std::path::Path;

use coverdex_core::{Dataset, DiffQuestion, Error, ErrorKind, Result};

use crate::args::DiffArgs;
use crate::failure::Exit;
use crate::json::Document;
use crate::output::Output;

/// Changes of a list that people are shown where they do not say how many.
const SHOWN: u32 = 20;

pub(super) fn run(args: &DiffArgs, output: Output) -> Result<Exit> {
    let [old, new] = [open(&args.old)?, open(&args.new)?];
    let all = output.is_json() || args.csv;
    let question = DiffQuestion {
        plans: args.plans.clone(),
        network: args.network.clone(),
        place: args.place.place(),
        without_drugs: args.directory,
        without_providers: args.formulary,
        other_payer: args.other_payer,
        limit: args.limit.or((!all).then_some(SHOWN)),
    };
    let diff = old.diff(&new, &question).map_err(|error| match error.kind() {
        ErrorKind::DatasetDamaged => {
            // Its subject has the folder that is damaged.
            let is_of = |dataset: &Dataset| error.subject().contains(&dataset.folder().display().to_string());
            let path = if is_of(&new) { &args.new } else { &args.old };
            damaged(error, path)
        }
        _ => error,
    })?;
    if args.csv {
        Output::text(&lines::csv(&diff)?)?;
    } else {
        output.answer(|| Document::of(&diff), |look| tables::render(look, &diff))?;
    }
    Ok(Exit::Answered)
}

/// Opens one of the two: what is wrong with it says which.
fn open(path: &Path) -> Result<Dataset> {
    Dataset::open(path).map_err(|error| match error.kind() {
        ErrorKind::DatasetDamaged => damaged(error, path),
        _ => error,
    })
}

/// The way out of damage, for the dataset at a path.
fn damaged(error: Error, path: &Path) -> Error {
    let path = super::build::shell_word(&path.display().to_string());
    error.with_hint(format!("`coverdex verify {path}` tells all that is damaged; then build or install it again"))
}

#[cfg(test)]
#[cfg(feature = "sandbox")]
mod tests;
