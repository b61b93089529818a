//! `coverdex explain provider`: why a search finds a provider, or does not.

use std::path::PathBuf;

use coverdex_core::{Cancel, Dataset, ExplainedPlace, ProviderExplanation, ProviderText, Result, SearchResult};
use coverdex_sync::sources_of::{ProviderSought, sources_of_provider};

use super::{conditions, resources};
use crate::args::ExplainProviderArgs;
use crate::commands::covered::heading;
use crate::commands::directory::{foot as foot_of, meant, place_lines, with_option};
use crate::data::{Datasets, Opened};
use crate::failure::Exit;
use crate::foot::Foot;
use crate::json::Document;
use crate::output::{Look, Output};
use crate::{table, words};

/// Places whose conditions are shown; JSON has the others.
const MOST_PLACES: usize = 5;

/// What one dataset says.
type Answer<'a> = (&'a Opened, ProviderExplanation);

pub(super) fn run(args: &ExplainProviderArgs, data: &[PathBuf], output: Output) -> Result<Exit> {
    let datasets = Datasets::open(data)?;
    let explained = explain(&datasets, args)?;
    let documents: Vec<&ProviderExplanation> = explained.iter().map(|(_, explanation)| explanation).collect();
    output.answer(|| Document::of(&documents), |look| render(look, &explained, datasets.several()))?;
    Ok(Exit::Answered)
}

/// Asks the dataset of the plan or network that was meant, or each.
fn explain<'a>(datasets: &'a Datasets, args: &ExplainProviderArgs) -> Result<Vec<Answer<'a>>> {
    let question = args.search.question();
    let provider = ProviderText::from(args.provider.as_str());
    let counties = |dataset: &Dataset| Ok(dataset.search_place(question.place.as_ref(), question.radius_km)?.counties);
    let mut explained = Vec::new();
    for meant in meant(datasets, &args.search.networks, counties)? {
        let of_dataset = meant.opened.dataset.explain_provider(&provider, &question).map_err(with_option)?;
        for (at, mut explanation) in of_dataset.into_iter().enumerate() {
            if at == 0 {
                meant.add_to(&mut explanation.notes);
            }
            if let (Some(from), Some(npi)) = (&args.sources.from, explanation.provider.npi) {
                let aliases = explanation.places.iter().flat_map(|place| place.practice.aliases.iter().copied());
                let mut npis: Vec<_> = std::iter::once(npi).chain(aliases).collect();
                npis.sort_unstable();
                npis.dedup();
                let plans = explanation.asked.plan.iter().map(|plan| plan.id.clone()).collect();
                explanation.sources = Some(sources_of_provider(from, &ProviderSought { npis, plans }, &Cancel::new())?);
            }
            explained.push((meant.opened, explanation));
        }
    }
    Ok(explained)
}

fn render(look: Look, explained: &[Answer<'_>], several: bool) -> String {
    let mut text = String::new();
    let mut foot = Foot::default();
    for (opened, explanation) in explained {
        if !text.is_empty() {
            text.push('\n');
        }
        text += &explanation.asked.plan.as_ref().map(|plan| heading(look, plan)).unwrap_or_default();
        let said = format!("{}: {}", explanation.provider.query.trim(), explanation.summary());
        text += &table::wrap(look, &words::shown(&said), "  ");
        text += &conditions(look, &explanation.conditions);
        for place in explanation.places.iter().take(MOST_PLACES) {
            text += &place_of(look, place);
        }
        let more = explanation.places.len().saturating_sub(MOST_PLACES);
        if more > 0 {
            let line = format!("+{} further from it; --json has them", words::count(more as u64, "place", "places"));
            text += &table::wrap(look, &line, "  ");
        }
        match &explanation.sources {
            Some(sources) => text += &resources(look, sources),
            None => foot.note("--from FOLDER names the payer's resources that say so"),
        }
        foot_of(&mut foot, opened, &explanation.asked, &explanation.notes, several);
    }
    text + &foot.render(look)
}

/// A place, how the search shows it, and its conditions.
fn place_of(look: Look, place: &ExplainedPlace) -> String {
    let result = match place.result {
        SearchResult::Found => "found",
        SearchResult::ClosedDoor => "listed among pharmacies behind closed doors",
        SearchResult::PlaceNotStated => "counted only: the place is not stated nearer",
        SearchResult::InDoubt => "counted only, among those in doubt",
        _ => "not found",
    };
    let line = format!("{}: {result}", place_lines(&place.practice).join(", "));
    format!("\n{}{}", table::wrap(look, &words::shown(&line), "  "), conditions(look, &place.conditions))
}

#[cfg(test)]
#[cfg(feature = "sandbox")]
mod tests {
    use std::collections::BTreeSet;

    use clap::Parser as _;
    use coverdex_core::{Place, ProvidersQuestion};
    use coverdex_sandbox::truth::DirectoryTruth;

    use super::*;
    use crate::args::{Command, CommandLine, ExplainArgs};
    use crate::testing::{network, tiny};

    fn args(line: &[&str]) -> ExplainProviderArgs {
        let line = ["coverdex", "explain", "provider"].iter().chain(line);
        let Command::Explain(ExplainArgs::Provider(args)) = CommandLine::try_parse_from(line).unwrap().command else {
            panic!("another command")
        };
        args
    }

    /// The search itself is the oracle: who is explained as found is found, place by place, and nobody else.
    #[test]
    fn an_explanation_says_what_the_search_does() {
        let dataset = &tiny().datasets.all()[0].dataset;
        let truth = DirectoryTruth::new(tiny().payer.directory());
        let counties: Vec<u32> = tiny().payer.directory().counties().map(|(fips, ..)| fips).take(2).collect();
        let base = ProvidersQuestion { limit: 10_000, count_similar: false, ..ProvidersQuestion::default() };
        let mut questions = vec![base.clone()];
        for number in 0..tiny().payer.directory().networks().min(3) {
            let of_network = ProvidersQuestion { network: Some(network(number)), ..base.clone() };
            for fips in &counties {
                let place = Some(Place::County(format!("{fips:05}")));
                questions.push(ProvidersQuestion { place: place.clone(), ..of_network.clone() });
                let (place, radius_km) = (place, Some(5.0));
                questions.push(ProvidersQuestion { place, radius_km, accepting: true, ..of_network.clone() });
            }
            questions.push(ProvidersQuestion { specialty: Some("Cardiology".to_owned()), ..of_network.clone() });
            questions.push(of_network);
        }
        questions.push(ProvidersQuestion { accepting: true, ..base.clone() });
        questions.push(ProvidersQuestion { gender: Some("f".to_owned()), ..base.clone() });
        questions.push(ProvidersQuestion { kind: Some(coverdex_core::ProviderKind::Organization), ..base });
        let mut found = 0;
        for question in &questions {
            let Ok(answers) = dataset.ask_providers(question) else { continue };
            let key = |practice: &coverdex_core::PracticeLocation| {
                (practice.npi, practice.location.as_ref().map(coverdex_core::Location::id))
            };
            let results: BTreeSet<_> = answers[0].found.results.iter().map(key).collect();
            assert_eq!(answers[0].found.total, answers[0].found.results.len() as u64);
            for facts in truth.providers.iter().filter(|facts| facts.npi_key().is_some()).take(60) {
                let npi = format!("{:010}", facts.npi_key().unwrap());
                let Ok(explained) = dataset.explain_provider(&npi.as_str().into(), question) else { continue };
                for place in &explained[0].places {
                    let is_found = place.result == SearchResult::Found;
                    assert_eq!(is_found, results.contains(&key(&place.practice)), "{question:?}: {explained:?}");
                    found += u32::from(is_found);
                    let fails = place.conditions.iter().any(|condition| condition.holds == Some(false));
                    assert!(!(is_found && fails), "{place:?}");
                }
                let explanation = &explained[0];
                let own = explanation.conditions.iter().filter(|condition| condition.decided).count();
                let of_place = explanation
                    .places
                    .first()
                    .map_or(0, |place| place.conditions.iter().filter(|condition| condition.decided).count());
                let expected = usize::from(explanation.result != SearchResult::Found);
                assert_eq!(own + of_place, expected, "{question:?}: {explanation:?}");
            }
        }
        assert!(found > 100, "{found}");
    }

    #[test]
    fn pages_fit() {
        let truth = DirectoryTruth::new(tiny().payer.directory());
        let key = network(0);
        for facts in truth.providers.iter().filter(|facts| facts.npi_key().is_some()).take(15) {
            let npi = format!("{:010}", facts.npi_key().unwrap());
            let line =
                [npi.as_str(), "--network", key.as_str(), "--state", "MD", "--specialty", "cardiology", "--accepting"];
            let Ok(explained) = explain(&tiny().datasets, &args(&line)) else { continue };
            for width in [60, 80, 120] {
                let text = render(Look { width, color: false }, &explained, false);
                let widest = text.lines().map(|line| line.chars().count()).max().unwrap();
                assert!(widest <= usize::from(width), "{width} columns: {widest}\n{text}");
            }
        }
    }
}
