//! `coverdex provider --json`.

use coverdex_core::{NetworkAnswer, PracticeLocation, Provider};
use serde::Serialize;

use super::providers::{AskedFields, InactiveDateFields, PracticeFields, inactive, inactive_dates};
use crate::commands::directory::{Asked, CountyNames};
use coverdex_core::Network;

/// Everything known of a provider, under one plan or network if one was named.
#[derive(Debug, Serialize)]
pub(crate) struct ProviderDocument {
    #[serde(flatten)]
    pub(crate) answer: ProviderAnswer,
    /// The same for the plan's next year and, where neither plan nor network was named, for further
    /// datasets that have the provider.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) also: Vec<ProviderAnswer>,
}

#[derive(Debug, Serialize)]
pub(crate) struct ProviderAnswer {
    /// The smallest of its valid NPIs; where the provider is not there, the one asked for.
    npi: String,
    /// Left out where it is not there.
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<String>,
    kind: Option<&'static str>,
    aliases: Vec<String>,
    other_names: Vec<String>,
    gender: Option<String>,
    languages: Vec<String>,
    phones: Vec<String>,
    locations: Vec<PlaceOfProvider>,
    /// Null where neither plan nor network was named.
    network_status: Option<&'static str>,
    /// Why, where the status alone does not say it.
    reason: Option<String>,
    /// The status in words.
    summary: String,
    /// The networks asked for that it is in; for `inactive`, that it would be in.
    networks: Vec<Network>,
    /// What is marked inactive, for `inactive`: `role`, `provider`, `place`.
    inactive: Vec<&'static str>,
    /// Since or until when, where the payer states it.
    inactive_dates: Vec<InactiveDateFields>,
    /// Every role that says so names several places: that it holds at each is the payer's silence.
    shared_role: bool,
    #[serde(flatten)]
    asked: AskedFields,
    notes: Vec<String>,
}

#[derive(Debug, Serialize)]
struct PlaceOfProvider {
    #[serde(flatten)]
    practice: PracticeFields,
    /// `in_network` or `inactive` where this place makes the provider so; else null.
    network_status: Option<&'static str>,
}

impl ProviderAnswer {
    pub(crate) fn new(
        npi: String,
        asked: &Asked<'_>,
        provider: Option<&Provider>,
        standing: Option<&NetworkAnswer>,
        counties: &CountyNames,
        summary: String,
    ) -> Self {
        let place = |practice: &PracticeLocation| PlaceOfProvider {
            practice: PracticeFields::new(practice, counties),
            network_status: standing.filter(|s| s.locations.contains(practice)).map(|s| s.status.as_str()),
        };
        let not_there = provider.is_none().then_some("not_in_directory");
        Self {
            npi: provider.map_or(npi, PracticeFields::npi_of),
            name: provider.map(|provider| provider.name.clone()),
            kind: provider.map(|provider| provider.kind.as_str()),
            aliases: provider.iter().flat_map(|provider| &provider.aliases).map(ToString::to_string).collect(),
            other_names: provider.map(|provider| provider.other_names.clone()).unwrap_or_default(),
            gender: provider.and_then(|provider| provider.gender.clone()),
            languages: provider.map(|provider| provider.languages.clone()).unwrap_or_default(),
            phones: provider.map(|provider| provider.phones.clone()).unwrap_or_default(),
            locations: provider.iter().flat_map(|provider| &provider.locations).map(place).collect(),
            network_status: standing.map(|standing| standing.status.as_str()).or(not_there),
            reason: standing.and_then(|standing| standing.reason.clone()),
            summary,
            networks: standing.map(|standing| standing.networks.clone()).unwrap_or_default(),
            inactive: standing.map(|standing| inactive(&standing.inactive)).unwrap_or_default(),
            inactive_dates: standing.map(|standing| inactive_dates(&standing.inactive_dates)).unwrap_or_default(),
            shared_role: standing.is_some_and(|standing| standing.shared_role),
            asked: AskedFields::new(asked),
            notes: asked.notes.clone(),
        }
    }
}
