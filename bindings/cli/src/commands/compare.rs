//! `coverdex compare`: one person's drugs and providers under several plans, on one page.

mod lines;
mod tables;

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use coverdex_core::{ComparisonQuestion, Error, ErrorKind, PlanComparison, ProviderText, Result};

use crate::args::CompareArgs;
use crate::data::{Datasets, Opened};
use crate::failure::Exit;
use crate::json::Document;
use crate::output::Output;

/// Longest list that is read, in bytes.
const LONGEST_LIST: u64 = 1 << 20;

/// Drugs and providers that one comparison takes at most.
const MOST_ASKED: usize = 500;

pub(super) fn run(args: &CompareArgs, data: &[PathBuf], output: Output) -> Result<Exit> {
    let question = question(args)?;
    let datasets = Datasets::open(data)?;
    let compared = compare(&datasets, &question)?;
    if args.csv {
        Output::text(&lines::csv(&compared)?)?;
        return Ok(Exit::Answered);
    }
    output.answer(
        || match compared.iter().map(|(_, compared)| compared).collect::<Vec<_>>().as_slice() {
            [only] => Document::of(only),
            several => Document::of(&several),
        },
        |look| tables::render(look, &compared, datasets.several(), args.limit as usize),
    )?;
    Ok(Exit::Answered)
}

fn question(args: &CompareArgs) -> Result<ComparisonQuestion> {
    let mut drugs = args.drugs.clone();
    if let Some(path) = &args.drugs_from {
        drugs.extend(list(path, "--drugs")?);
    }
    let mut providers = args.providers.clone();
    if let Some(path) = &args.providers_from {
        providers.extend(list(path, "--providers")?);
    }
    if drugs.len() + providers.len() > MOST_ASKED {
        let message =
            format!("{} drugs and providers are named; {MOST_ASKED} is the most", drugs.len() + providers.len());
        return Err(Error::new(ErrorKind::InvalidInput, "comparison", message));
    }
    Ok(ComparisonQuestion {
        drugs,
        providers: providers.iter().map(|text| ProviderText::from(text.as_str())).collect(),
        plans: args.plans.clone(),
        place: args.place.place(),
        year: args.year,
        beside: args.beside,
        audience: args.audience.map(Into::into),
    })
}

/// The lines of a list that are neither empty nor remarks behind `#`.
fn list(path: &Path, option: &str) -> Result<Vec<String>> {
    let shown = path.display().to_string();
    let mut text = String::new();
    let read = |from: &mut dyn Read, text: &mut String| from.take(LONGEST_LIST + 1).read_to_string(text);
    let read = if path == Path::new("-") {
        read(&mut std::io::stdin().lock(), &mut text)
    } else if path.is_dir() {
        return Err(Error::new(ErrorKind::InvalidInput, format!("{option} {shown}"), "a folder, not a list"));
    } else {
        File::open(path).and_then(|mut file| read(&mut file, &mut text))
    };
    if let Err(error) = read {
        return Err(match error.kind() {
            std::io::ErrorKind::InvalidData => {
                Error::new(ErrorKind::InvalidInput, format!("{option} {shown}"), "it is no text in UTF-8")
            }
            _ => Error::io(path, &error),
        });
    }
    if text.len() as u64 > LONGEST_LIST {
        return Err(Error::new(
            ErrorKind::InvalidInput,
            format!("{option} {shown}"),
            "it is longer than a list may be",
        ));
    }
    let lines = text.trim_start_matches('\u{feff}').split(['\n', '\r']).map(str::trim);
    Ok(lines.filter(|line| !line.is_empty() && !line.starts_with('#')).map(str::to_owned).collect())
}

/// Each dataset that has the plans, or plans at the place.
fn compare<'a>(datasets: &'a Datasets, question: &ComparisonQuestion) -> Result<Vec<(&'a Opened, PlanComparison)>> {
    let mut compared = Vec::new();
    let mut refused: Option<Error> = None;
    for opened in datasets.all() {
        match opened.dataset.compare(question) {
            Ok(answer) => compared.push((opened, answer)),
            Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::Ambiguous) => {
                refused.get_or_insert(error);
            }
            Err(error) => return Err(error),
        }
    }
    match (compared.is_empty(), refused) {
        (true, Some(error)) => Err(error),
        _ => Ok(compared),
    }
}

#[cfg(test)]
#[cfg(feature = "sandbox")]
mod tests;
