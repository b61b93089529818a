//! `coverdex diff`: what changed from one dataset to a newer one.

mod lines;
mod tables;

use coverdex_core::{Dataset, DiffQuestion, Result};

use crate::args::DiffArgs;
use crate::failure::Exit;
use crate::json::Document;
use crate::output::Output;

/// Changes of a list that people are shown where they do not say how many.
const SHOWN: u32 = 20;

pub(super) fn run(args: &DiffArgs, output: Output) -> Result<Exit> {
    let [old, new] = [Dataset::open(&args.old)?, Dataset::open(&args.new)?];
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
    let diff = old.diff(&new, &question)?;
    if args.csv {
        Output::text(&lines::csv(&diff)?)?;
    } else {
        output.answer(|| Document::of(&diff), |look| tables::render(look, &diff))?;
    }
    Ok(Exit::Answered)
}

#[cfg(test)]
#[cfg(feature = "sandbox")]
mod tests;
