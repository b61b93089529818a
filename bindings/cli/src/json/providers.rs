//! `coverdex providers --json` and `coverdex provider --json`: core's answers of one or more datasets together.

use coverdex_core::{PracticingAt, ProviderAnswer, ProvidersAnswer};
use serde::Serialize;

/// Who was found: in the networks of one plan or one dataset.
#[derive(Debug, Serialize)]
pub(crate) struct ProvidersDocument<'a> {
    #[serde(flatten)]
    pub(crate) list: &'a ProvidersAnswer,
    /// The same for the plan's next year and, where neither plan nor network was named, for further datasets.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) also: Vec<&'a ProvidersAnswer>,
}

/// Who practices at an address, or is reached by a phone number.
#[derive(Debug, Serialize)]
pub(crate) struct PracticingAtDocument<'a> {
    #[serde(flatten)]
    pub(crate) list: &'a PracticingAt,
    /// The same of further datasets.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) also: Vec<&'a PracticingAt>,
}

/// Everything known of a provider, under one plan or network if one was named.
#[derive(Debug, Serialize)]
pub(crate) struct ProviderDocument<'a> {
    #[serde(flatten)]
    pub(crate) answer: &'a ProviderAnswer,
    /// The same for the plan's next year and, where neither plan nor network was named, for further datasets that
    /// have the provider.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) also: Vec<&'a ProviderAnswer>,
}
