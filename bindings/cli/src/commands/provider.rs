//! `coverdex provider`: everything known of one, and where it stands in a network.

mod tables;

use std::path::PathBuf;

use coverdex_core::{Error, ErrorKind, ProviderAnswer, Result};

use super::directory::{meant, with_option};
use crate::args::ProviderArgs;
use crate::data::{Datasets, Opened};
use crate::failure::Exit;
use crate::json::{Document, ProviderDocument};
use crate::output::Output;

/// What one dataset knows of the provider, in the networks of one plan.
#[derive(Debug)]
struct Answer<'a> {
    opened: &'a Opened,
    of: ProviderAnswer,
}

pub(super) fn run(args: &ProviderArgs, data: &[PathBuf], output: Output) -> Result<Exit> {
    let datasets = Datasets::open(data)?;
    let answers = answer(&datasets, args)?;
    output.answer(
        || document(&answers),
        |look| {
            let blocks = answers.iter().map(|answer| tables::render(look, answer, datasets.several()));
            blocks.collect::<Vec<_>>().join("\n")
        },
    )?;
    Ok(exit(&answers))
}

fn exit(answers: &[Answer<'_>]) -> Exit {
    if answers.iter().all(|answer| answer.of.provider.is_none()) { Exit::NotThere } else { Exit::Answered }
}

/// Asks the dataset of the plan or network that was meant, or each: those that have the provider, else the first.
fn answer<'a>(datasets: &'a Datasets, args: &ProviderArgs) -> Result<Vec<Answer<'a>>> {
    let question = args.question();
    let mut answers = Vec::new();
    for meant in meant(datasets, &args.networks, |_| Ok(Vec::new()))? {
        let mut of_dataset = meant.opened.dataset.ask_provider(&question).map_err(with_option)?;
        of_dataset.iter_mut().take(1).for_each(|first| meant.add_to(&mut first.notes));
        answers.extend(of_dataset.into_iter().map(|of| Answer { opened: meant.opened, of }));
    }
    let named = args.networks.plan.is_some() || args.networks.network.is_some();
    if !named && answers.iter().any(|answer| answer.of.provider.is_some()) {
        answers.retain(|answer| answer.of.provider.is_some());
    } else if !named {
        answers.truncate(1);
    }
    Ok(answers)
}

fn document(answers: &[Answer<'_>]) -> Result<Document> {
    let mut all = answers.iter().map(|answer| &answer.of);
    match all.next() {
        Some(answer) => Document::of(&ProviderDocument { answer, also: all.collect() }),
        None => Err(Error::new(ErrorKind::DatasetMissing, "provider", "no dataset to answer from")),
    }
}

#[cfg(test)]
#[cfg(feature = "sandbox")]
mod tests;
