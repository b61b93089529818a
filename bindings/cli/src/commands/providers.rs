//! `coverdex providers`: who is in network near a place.

mod at;
mod tables;

use std::path::PathBuf;

use coverdex_core::{Dataset, Error, ErrorKind, ProvidersAnswer, ProvidersFound, Result};

use super::directory::{meant, with_option};
use crate::args::ProvidersArgs;
use crate::data::{Datasets, Opened};
use crate::failure::Exit;
use crate::json::{Document, ProvidersDocument};
#[cfg(feature = "sandbox")]
use crate::output::Look;
use crate::output::Output;

/// What one dataset found in the networks of one plan.
#[derive(Debug)]
struct Answer<'a> {
    opened: &'a Opened,
    of: ProvidersAnswer,
}

pub(super) fn run(args: &ProvidersArgs, data: &[PathBuf], output: Output) -> Result<Exit> {
    let datasets = Datasets::open(data)?;
    if let Some(question) = args.at() {
        return at::run(&datasets, &question, output);
    }
    let answers = answer(&datasets, args)?;
    output.answer(
        || document(&answers),
        |look| {
            let blocks = answers.iter().map(|answer| tables::render(look, answer, args, datasets.several()));
            blocks.collect::<Vec<_>>().join("\n")
        },
    )?;
    Ok(exit(&answers, args.search.specialty.is_some() || args.search.name.is_some()))
}

/// The table and the document of a question, for who shows more than one answer.
#[cfg(feature = "sandbox")]
pub(super) fn shown(datasets: &Datasets, args: &ProvidersArgs, look: Look) -> Result<(String, serde_json::Value)> {
    let answers = answer(datasets, args)?;
    let blocks: Vec<String> =
        answers.iter().map(|answer| tables::render(look, answer, args, datasets.several())).collect();
    let document = serde_json::from_slice(&document(&answers)?.0);
    let document = document.map_err(|e| Error::new(ErrorKind::Io, "answer", e.to_string()))?;
    Ok((blocks.join("\n"), document))
}

/// Nobody at all is an absence; a page behind the last is none. Pharmacies of closed doors answer who asks
/// for a specialty or a name.
fn exit(answers: &[Answer<'_>], asks_who: bool) -> Exit {
    let somebody = |found: &ProvidersFound| found.total > 0 || (asks_who && !found.closed_door.is_empty());
    if answers.iter().any(|answer| somebody(&answer.of.found)) { Exit::Answered } else { Exit::NotThere }
}

/// Asks the dataset of the plan or network that was meant, or each.
fn answer<'a>(datasets: &'a Datasets, args: &ProvidersArgs) -> Result<Vec<Answer<'a>>> {
    let question = args.question();
    let counties = |dataset: &Dataset| Ok(dataset.search_place(question.place.as_ref(), question.radius_km)?.counties);
    let mut answers = Vec::new();
    for meant in meant(datasets, &args.search.networks, counties)? {
        let mut of_dataset = meant.opened.dataset.ask_providers(&question).map_err(with_option)?;
        of_dataset.iter_mut().take(1).for_each(|first| meant.add_to(&mut first.notes));
        answers.extend(of_dataset.into_iter().map(|of| Answer { opened: meant.opened, of }));
    }
    Ok(answers)
}

fn document(answers: &[Answer<'_>]) -> Result<Document> {
    let mut lists = answers.iter().map(|answer| &answer.of);
    match lists.next() {
        Some(list) => Document::of(&ProvidersDocument { list, also: lists.collect() }),
        None => Err(Error::new(ErrorKind::DatasetMissing, "providers", "no dataset to answer from")),
    }
}

#[cfg(test)]
#[cfg(feature = "sandbox")]
mod tests;
