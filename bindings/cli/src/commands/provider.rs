//! `coverdex provider`: everything known of one, and where it stands in a network.

mod tables;

use std::path::PathBuf;

use coverdex_core::Npi;
use coverdex_core::{Error, ErrorKind, Result};
use coverdex_core::{NetworkAnswer, Provider, ProviderQuery};

use super::directory::{Asked, CountyNames, asked, has_words};
use crate::args::ProviderArgs;
use crate::data::Datasets;
use crate::failure::Exit;
use crate::json::{Document, ProviderAnswer, ProviderDocument};
use crate::output::Output;

/// What one dataset knows of the provider, in the networks of one plan.
#[derive(Debug)]
struct Answer<'a> {
    npi: Npi,
    asked: Asked<'a>,
    /// `None`: the directory does not have it.
    provider: Option<Provider>,
    /// Its standing; `None` where neither plan nor network was named.
    standing: Option<NetworkAnswer>,
    counties: CountyNames,
}

pub(super) fn run(args: &ProviderArgs, data: &[PathBuf], output: Output) -> Result<Exit> {
    has_words(args.name.as_deref())?;
    let networks = &args.networks;
    if networks.network_kind.is_some() && networks.plan.is_none() && networks.network.is_none() {
        let error = Error::new(ErrorKind::InvalidInput, "--network-kind", "no plan is named whose networks are meant");
        return Err(error.with_hint("name it: --plan"));
    }
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
    if answers.iter().all(|answer| answer.provider.is_none()) { Exit::NotThere } else { Exit::Answered }
}

/// Asks each plan that was meant, or each dataset: those that have the provider, else the first.
fn answer<'a>(datasets: &'a Datasets, args: &ProviderArgs) -> Result<Vec<Answer<'a>>> {
    let npi: Npi = args.npi.parse()?;
    let query = ProviderQuery { npi, name: args.name.clone() };
    let mut answers = Vec::new();
    for mut asked in asked(datasets, &args.networks, |_| Ok(Vec::new()))? {
        let dataset = &asked.opened.dataset;
        let provider = dataset.provider(query.clone())?;
        let standing = match (&asked.plan, asked.keys()) {
            (Some(meant), _) => Some(dataset.plan_network_status(query.clone(), &meant.plan, asked.kind)?),
            (None, Some(keys)) => Some(dataset.network_status(query.clone(), &keys, asked.kind)?),
            (None, None) => None,
        };
        if let Some(first) = provider.as_ref().and_then(|provider| provider.npi).filter(|first| *first != npi) {
            asked.notes.push(format!("{npi} is one of several NPIs of this provider, listed under {first}"));
        }
        let locations = provider.iter().flat_map(|provider| &provider.locations);
        let counties = CountyNames::of(dataset, locations)?;
        answers.push(Answer { npi, asked, provider, standing, counties });
    }
    let named = args.networks.plan.is_some() || args.networks.network.is_some();
    if !named && answers.iter().any(|answer| answer.provider.is_some()) {
        answers.retain(|answer| answer.provider.is_some());
    } else if !named {
        answers.truncate(1);
    }
    Ok(answers)
}

fn document(answers: &[Answer<'_>]) -> Result<Document> {
    let mut documents = answers.iter().map(|answer| {
        ProviderAnswer::new(
            answer.npi.to_string(),
            &answer.asked,
            answer.provider.as_ref(),
            answer.standing.as_ref(),
            &answer.counties,
            tables::standing(answer),
        )
    });
    match documents.next() {
        Some(answer) => Document::of(&ProviderDocument { answer, also: documents.collect() }),
        None => Err(Error::new(ErrorKind::DatasetMissing, "provider", "no dataset to answer from")),
    }
}

#[cfg(test)]
#[cfg(feature = "sandbox")]
mod tests;
