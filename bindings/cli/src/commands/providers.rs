//! `coverdex providers`: who is in network near a place.

mod tables;

use std::path::PathBuf;

use coverdex_core::Point;
use coverdex_core::{Dataset, Error, ErrorKind, Offered, Result};
use coverdex_core::{Near, ProviderSearch, ProvidersFound, SearchPlace};
use coverdex_core::{State, Zip5};

use super::directory::{Asked, CountyNames, asked, has_words};
use crate::args::{PlaceArgs, ProvidersArgs};
use crate::data::Datasets;
use crate::failure::Exit;
use crate::json::{
    AskedFields, Document, PlaceFields, PracticeFields, ProvidersDocument, ProvidersList, SimilarFields,
};
#[cfg(feature = "sandbox")]
use crate::output::Look;
use crate::output::Output;

/// What one dataset found in the networks of one plan.
#[derive(Debug)]
struct Answer<'a> {
    asked: Asked<'a>,
    place: SearchPlace,
    /// The place as people write it.
    place_label: String,
    /// Whether the plan is sold at the place, and in each of its counties.
    offered: Option<Offered>,
    offered_in: Vec<Offered>,
    found: ProvidersFound,
    /// How many of those found are in the county.
    total_in_county: Option<u64>,
    /// How far the nearest is, where nobody is inside the radius.
    nearest_km: Option<f64>,
    counties: CountyNames,
}

pub(super) fn run(args: &ProvidersArgs, data: &[PathBuf], output: Output) -> Result<Exit> {
    has_words(args.name.as_deref())?;
    let datasets = Datasets::open(data)?;
    let answers = answer(&datasets, args)?;
    output.answer(
        || document(&answers, args.offset),
        |look| {
            let blocks = answers.iter().map(|answer| tables::render(look, answer, args, datasets.several()));
            blocks.collect::<Vec<_>>().join("\n")
        },
    )?;
    Ok(exit(&answers, args.specialty.is_some() || args.name.is_some()))
}

/// The table and the document of a question, for who shows more than one answer.
#[cfg(feature = "sandbox")]
pub(super) fn shown(datasets: &Datasets, args: &ProvidersArgs, look: Look) -> Result<(String, serde_json::Value)> {
    let answers = answer(datasets, args)?;
    let blocks: Vec<String> =
        answers.iter().map(|answer| tables::render(look, answer, args, datasets.several())).collect();
    let document = serde_json::from_slice(&document(&answers, args.offset)?.0);
    let document = document.map_err(|e| Error::new(ErrorKind::Io, "answer", e.to_string()))?;
    Ok((blocks.join("\n"), document))
}

/// Nobody at all is an absence; a page behind the last is none. Pharmacies of closed doors answer who asks
/// for a specialty or a name.
fn exit(answers: &[Answer<'_>], asks_who: bool) -> Exit {
    let somebody = |found: &ProvidersFound| found.total > 0 || (asks_who && !found.closed_door.is_empty());
    if answers.iter().any(|answer| somebody(&answer.found)) { Exit::Answered } else { Exit::NotThere }
}

/// Asks each plan that was meant, or each dataset.
fn answer<'a>(datasets: &'a Datasets, args: &ProvidersArgs) -> Result<Vec<Answer<'a>>> {
    let counties = |dataset: &Dataset| Ok(place(dataset, &args.place)?.0.counties);
    asked(datasets, &args.networks, counties)?.into_iter().map(|asked| search(asked, args)).collect()
}

fn search<'a>(mut asked: Asked<'a>, args: &ProvidersArgs) -> Result<Answer<'a>> {
    let dataset = &asked.opened.dataset;
    if let Some(meant) = asked.plan.as_ref().filter(|_| !asked.has_a_network()) {
        let kind = asked.kind.map_or("network", |kind| kind.as_str());
        let why = if asked.kind.is_some() {
            format!("the payer states no {kind} network for it")
        } else if meant.plan.lost_networks > 0 {
            "the networks that the payer names for it cannot be read, or the directory does not have them".to_owned()
        } else {
            "the payer states no network for it".to_owned()
        };
        return Err(Error::new(ErrorKind::NotFound, format!("plan {}", meant.plan.id), why)
            .with_hint("another kind, or a network by its key: --network \"SYSTEM|ID\"")
            .with_candidates(meant.plan.networks.iter().map(|network| asked.names.of(network))));
    }
    let (place, place_label) = place(dataset, &args.place)?;
    asked.notes.extend(place.note.clone());
    let mut search = ProviderSearch {
        near: place.near,
        networks: asked.keys(),
        network_kind: asked.kind,
        specialty: args.specialty.clone(),
        name: args.name.clone(),
        kind: args.kind.map(Into::into),
        gender: args.gender.clone(),
        language: args.language.clone(),
        accepting: args.accepting,
        city: args.city.clone(),
        limit: number(args.limit),
        offset: number(args.offset),
        count_similar: true,
    };
    let found = dataset.search_providers(&search)?;
    search.count_similar = false;
    let total_in_county = match place.near {
        Near::County { .. } => {
            let near = place.clone().within(0.0).near;
            Some(dataset.search_providers(&ProviderSearch { near, limit: 0, offset: 0, ..search.clone() })?.total)
        }
        _ => None,
    };
    let nearest_km = if found.total == 0 && place.radius_km().is_some() {
        search = ProviderSearch { near: place.clone().within(f64::INFINITY).near, limit: 1, offset: 0, ..search };
        dataset.search_providers(&search)?.results.first().and_then(|nearest| nearest.distance_km)
    } else {
        None
    };
    let (mut offered, mut offered_in) = (None, Vec::new());
    if let Some(meant) = &asked.plan {
        offered = dataset.offered_at(&meant.plan, &place)?;
        for found in &place.counties {
            offered_in.push(dataset.offered(&meant.plan, &[found.county.fips])?);
        }
    }
    let counties = CountyNames::of(dataset, found.results.iter().chain(&found.closed_door))?;
    Ok(Answer { asked, place, place_label, offered, offered_in, found, total_in_county, nearest_km, counties })
}

/// The place that was named, and as people write it.
fn place(dataset: &Dataset, args: &PlaceArgs) -> Result<(SearchPlace, String)> {
    let radius_km = args.radius_km();
    if let Some(text) = &args.county {
        let place = dataset.near_county(text, radius_km)?;
        let label = place.counties.first().map_or_else(|| text.clone(), |found| found.county.label());
        return Ok((place, label));
    }
    if let Some(text) = &args.zip {
        let zip: Zip5 = text.parse()?;
        return Ok((dataset.near_zip(zip, radius_km)?, format!("ZIP {zip}")));
    }
    if let Some(text) = &args.at {
        let point: Point = text.parse()?;
        return Ok((SearchPlace::point(point, radius_km), point.to_string()));
    }
    if let Some(text) = &args.state {
        let state: State = text.parse()?;
        return Ok((SearchPlace::state(state), state.name().to_owned()));
    }
    Ok((SearchPlace::default(), "anywhere".to_owned()))
}

fn number(typed: u32) -> usize {
    usize::try_from(typed).unwrap_or(usize::MAX)
}

/// What kind of place a search looks at, for programs.
const fn place_kind(place: &SearchPlace) -> &'static str {
    match place.near {
        Near::County { .. } => "county",
        Near::Point { .. } if place.counties.is_empty() => "point",
        Near::Point { .. } => "zip",
        Near::State(_) => "state",
        Near::Anywhere => "anywhere",
    }
}

fn document(answers: &[Answer<'_>], offset: u32) -> Result<Document> {
    let mut lists = answers.iter().map(|answer| list(answer, offset));
    match lists.next() {
        Some(list) => Document::of(&ProvidersDocument { list, also: lists.collect() }),
        None => Err(Error::new(ErrorKind::DatasetMissing, "providers", "no dataset to answer from")),
    }
}

fn list(answer: &Answer<'_>, offset: u32) -> ProvidersList {
    let found = &answer.found;
    let offered_in: Vec<&'static str> = answer.offered_in.iter().copied().map(Offered::as_str).collect();
    let practices = |shown: &[coverdex_core::PracticeLocation]| {
        shown.iter().map(|practice| PracticeFields::new(practice, &answer.counties)).collect::<Vec<_>>()
    };
    ProvidersList {
        asked: AskedFields::new(&answer.asked),
        place: PlaceFields::new(answer.place_label.clone(), place_kind(&answer.place), &answer.place, &offered_in),
        plan_offered: answer.offered.map(Offered::as_str),
        total: found.total,
        total_in_county: answer.total_in_county,
        offset,
        results: practices(&found.results),
        closed_door: practices(&found.closed_door),
        closed_door_total: found.closed_door_total,
        place_not_stated: found.place_not_stated,
        in_doubt: found.in_doubt,
        nearest_km: answer.nearest_km.map(crate::json::rounded),
        read_as: found.read_as.clone(),
        similar_specialties: found.similar_specialties.iter().map(SimilarFields::new).collect(),
        similar_names: found.similar_names.clone(),
        notes: answer.asked.notes.clone(),
    }
}

#[cfg(test)]
#[cfg(feature = "sandbox")]
mod tests;
