//! The documents that `--json` prints: what they hold is stable, more fields may come to stand
//! beside these.

mod answer;
mod dataset;
#[cfg(feature = "sandbox")]
mod demo;
mod member;
mod providers;
mod publish;
mod report;
#[cfg(feature = "sandbox")]
mod sandbox;
mod sync;

use coverdex_core::{Error, ErrorKind, Result};
use serde::Serialize;

pub(crate) use answer::{DrugDocument, PlansDocument};
pub(crate) use dataset::{InstalledDocument, VerifiedDocument};
#[cfg(feature = "sandbox")]
pub(crate) use demo::{ChangeFields, DemoDocument, NextYearFields, StandingFields};
pub(crate) use member::{LoggedIn, LoggedOut, MyPlan, MyPlans};
pub(crate) use providers::{PracticingAtDocument, ProviderDocument, ProvidersDocument};
pub(crate) use publish::{
    CheckedDocument, KeysDocument, PackedDocument, ProvedDocument, SignedDocument, TakenDocument,
};
pub(crate) use report::{BuiltDocument, Crawl, ReadReport};
#[cfg(feature = "sandbox")]
pub(crate) use sandbox::{FaultFields, NeedFields, OfferFields, SandboxDocument, SandboxEnd, SandboxLists};
pub(crate) use sync::{EstimateDocument, RebuiltDocument, SyncDocument, SyncedFields};

use crate::failure::Failure;

/// A document, ready to be printed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Document(pub(crate) Vec<u8>);

impl Document {
    pub(crate) fn of(value: &impl Serialize) -> Result<Self> {
        serde_json::to_vec(value)
            .map(Self)
            .map_err(|e| Error::new(ErrorKind::Io, "answer", format!("cannot be written as JSON: {e}")))
    }
}

/// The sync report of a dataset, as `coverdex info --json` has it.
pub(crate) fn report(info: &coverdex_core::Info) -> Result<serde_json::Value> {
    let document = serde_json::to_value(info);
    let mut document = document.map_err(|e| Error::new(ErrorKind::Io, "report", e.to_string()))?;
    Ok(document.get_mut("report").map(serde_json::Value::take).unwrap_or_default())
}

/// `{"error":{…}}`.
#[derive(Debug, Serialize)]
pub(crate) struct ErrorDocument<'a> {
    error: ErrorFields<'a>,
}

#[derive(Debug, Serialize)]
struct ErrorFields<'a> {
    kind: &'a str,
    subject: &'a str,
    message: &'a str,
    hint: Option<&'a str>,
    candidates: &'a [String],
    /// Of a dataset that was verified: every damaged file.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    damaged: Vec<DamageFields<'a>>,
}

#[derive(Debug, Serialize)]
struct DamageFields<'a> {
    file: &'a str,
    message: &'a str,
}

impl<'a> From<&'a Failure> for ErrorDocument<'a> {
    fn from(failure: &'a Failure) -> Self {
        Self {
            error: ErrorFields {
                kind: failure.kind,
                subject: &failure.subject,
                message: &failure.message,
                hint: failure.hint.as_deref(),
                candidates: &failure.candidates,
                damaged: failure
                    .damages
                    .iter()
                    .map(|damage| DamageFields { file: &damage.file, message: &damage.message })
                    .collect(),
            },
        }
    }
}

#[cfg(test)]
mod tests;
