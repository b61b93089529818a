//! The directory lines of the product's speed table.

use coverdex_core::kilometers;
use coverdex_core::{Dataset, Error, Result};
use coverdex_core::{Location, Near, Place, PracticingAtQuestion, ProviderSearch, ProvidersQuestion};
use coverdex_core::{NetworkKey, State};

use crate::measure::{Draw, figure, print, private_memory_mb};

/// Practice locations that questions are drawn from; each stands for its county, so that counties
/// come as often as people look for providers there.
const DRAWN: usize = 400;

/// What one practice location makes one ask.
pub(crate) struct Question {
    pub(crate) near: Near,
    pub(crate) networks: Vec<NetworkKey>,
    pub(crate) specialty: String,
    pub(crate) name: String,
    pub(crate) county: String,
    address: Option<String>,
    phone: Option<String>,
}

/// Runs them all.
pub(crate) fn run(dataset: &Dataset, calls: usize) -> Result<()> {
    if !dataset.has_directory() {
        print("no directory in this dataset");
        return Ok(());
    }
    let total = dataset.search_providers(&ProviderSearch::default())?.total;
    let questions = questions(dataset, total)?;
    if questions.is_empty() {
        return Err(Error::invalid("bench", "no practice location has a county, a network and a specialty"));
    }
    print(&format!("{total} practice locations; {} questions drawn from them", questions.len()));
    let mut draw = Draw::new(3);
    let ask = |question: &Question, limit: usize, name: Option<String>, specialty: bool| ProviderSearch {
        near: question.near,
        networks: Some(question.networks.clone()),
        specialty: specialty.then(|| question.specialty.clone()),
        name,
        limit,
        ..ProviderSearch::default()
    };
    figure("providers near a county, network + specialty, first 20", "p50 <= 120, p99 <= 1000", calls, |_| {
        let Some(question) = draw.one(&questions) else { return Ok(0) };
        Ok::<usize, Error>(dataset.search_providers(&ask(question, 20, None, true))?.results.len())
    })?;
    figure("the same page asked by texts: county and network", "a whole answer", calls, |_| {
        let Some(question) = draw.one(&questions) else { return Ok(0) };
        let asked = ProvidersQuestion {
            network: Some(question.networks.iter().map(ToString::to_string).collect()),
            place: Some(Place::County(question.county.clone())),
            specialty: Some(question.specialty.clone()),
            count_similar: false,
            ..ProvidersQuestion::default()
        };
        Ok::<usize, Error>(dataset.ask_providers(&asked)?.iter().map(|answer| answer.found.results.len()).sum())
    })?;
    figure("the same, numbers alone", "p50 <= 25", calls, |_| {
        let Some(question) = draw.one(&questions) else { return Ok(0) };
        let found = dataset.search_providers(&ask(question, 0, None, true))?;
        Ok::<usize, Error>(usize::try_from(found.total).unwrap_or(usize::MAX))
    })?;
    let letters: Vec<usize> = (2..=6).collect();
    figure("provider name while typing, network + county, first 10", "p50 <= 150, p99 <= 1500", calls, |_| {
        let (Some(question), Some(length)) = (draw.one(&questions), draw.one(&letters)) else { return Ok(0) };
        let typed: String = question.name.chars().take(*length).collect();
        Ok::<usize, Error>(dataset.search_providers(&ask(question, 10, Some(typed), false))?.results.len())
    })?;
    at(dataset, &questions, calls)?;
    let state = State::from_name("CA");
    if let (Some(state), Some(question)) = (state, questions.first()) {
        figure("a large state, one network, first 20 and the total", "<= 10000", calls.div_ceil(200), |_| {
            let search = ProviderSearch { near: Near::State(state), ..ask(question, 20, None, false) };
            let found = dataset.search_providers(&search)?;
            Ok::<usize, Error>(usize::try_from(found.total).unwrap_or(usize::MAX))
        })?;
    }
    print(&format!("private memory now: {:.1} MB (must <= 15)", private_memory_mb()));
    Ok(())
}

/// Who practices at an address, and who is reached by a phone number.
fn at(dataset: &Dataset, questions: &[Question], calls: usize) -> Result<()> {
    let mut draw = Draw::new(5);
    let ask = |address: Option<String>, phone: Option<String>| {
        let question = PracticingAtQuestion { address, phone, ..PracticingAtQuestion::default() };
        Ok::<usize, Error>(usize::try_from(dataset.practicing_at(&question)?.total).unwrap_or(usize::MAX))
    };
    figure("who practices at an address", "not promised", calls.div_ceil(20), |_| {
        let address = draw.one(questions).and_then(|question| question.address.clone());
        if address.is_some() { ask(address, None) } else { Ok(0) }
    })?;
    figure("who is reached by a phone number", "not promised", calls.div_ceil(20), |_| {
        let phone = draw.one(questions).and_then(|question| question.phone.clone());
        if phone.is_some() { ask(None, phone) } else { Ok(0) }
    })
}

pub(crate) fn questions(dataset: &Dataset, total: u64) -> Result<Vec<Question>> {
    let count = u64::try_from(DRAWN).unwrap_or(u64::MAX).min(total);
    let mut questions = Vec::new();
    let (mut end, mut next) = (0, 0);
    // By state: a page behind millions of others costs time and memory that no asking person needs.
    for state in (1..=u8::MAX).filter_map(State::from_fips) {
        let near = Near::State(state);
        let here = dataset.search_providers(&ProviderSearch { near, ..ProviderSearch::default() })?.total;
        let from = end;
        end += here;
        while next < count && next * total / count < end {
            let offset = usize::try_from(next * total / count - from).unwrap_or(usize::MAX);
            next += 1;
            let search = ProviderSearch { near, limit: 1, offset, ..ProviderSearch::default() };
            let Some(found) = dataset.search_providers(&search)?.results.pop() else { continue };
            let location = found.location.as_ref();
            let (Some(county), Some(network)) = (location.and_then(|l| l.county), found.networks.first()) else {
                continue;
            };
            let (Some(specialty), Some(name)) = (found.specialties.first(), found.name.split(' ').next_back()) else {
                continue;
            };
            let county = dataset.county(&county.to_string())?;
            questions.push(Question {
                near: Near::County {
                    county: county.fips,
                    center: county.point,
                    radius_km: f64::from(county.radius_m) / 1000.0 + kilometers(25.0),
                },
                networks: vec![network.key.clone()],
                specialty: specialty.clone(),
                name: name.to_owned(),
                county: county.fips.to_string(),
                address: address(found.location.as_ref()),
                phone: found.phones.iter().find(|phone| phone.len() == 14).cloned(),
            });
        }
    }
    Ok(questions)
}

/// Street and ZIP.
fn address(location: Option<&Location>) -> Option<String> {
    let location = location?;
    Some(format!("{}, {}", location.address.as_ref()?, location.zip?))
}
