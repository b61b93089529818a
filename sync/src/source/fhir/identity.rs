//! Who a resource is, and when it last changed.

use std::collections::{BTreeMap, HashSet};

use coverdex_core::Npi;
use serde::Deserialize;

use super::datatypes::Reference;
use super::lenient::{Many, One, Text};
use super::note::Note;
use super::reading::{MOST_PLACES, Reading};
use crate::fhir::bundle::BundleEntry;
use crate::fhir::instant::instant;
use crate::fhir::page;
use crate::fhir::reference::{is_urn, split};
use crate::model::{ResourceKind, Server, SourceId, Stamp};

/// What references inside one Bundle may lean on.
#[derive(Debug, Default)]
pub(super) struct Bundled<'a> {
    /// `urn:uuid:` addresses of its entries, and the `Type/id` that stands behind each. An entry
    /// without an id is named by its URN.
    names: BTreeMap<&'a str, String>,
    /// Other addresses of its entries.
    addresses: HashSet<&'a str>,
}

impl<'a> Bundled<'a> {
    /// Notes the address of an entry.
    pub(super) fn add(&mut self, entry: &'a BundleEntry<'_>) {
        let Some(url) = entry.full_url.as_deref() else { return };
        if !is_urn(url) {
            self.addresses.insert(url);
            return;
        }
        let Some(head) = entry.resource.and_then(|raw| serde_json::from_str::<Head<'_>>(raw).ok()) else {
            return;
        };
        if let (Some(kind), Some(id)) = (head.resource_type.get(), head.id.get()) {
            self.names.insert(url, format!("{kind}/{id}"));
        }
    }
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Head<'a> {
    #[serde(borrow, rename = "resourceType")]
    resource_type: Text<'a>,
    #[serde(borrow)]
    id: Text<'a>,
}

/// The identity of `Type/id`. Ids are case-sensitive and taken as they came.
pub(super) fn source_id(kind: &str, id: &str) -> SourceId {
    SourceId(page::key(kind, id))
}

/// The identity of a resource without an id: what it says, in one spelling.
pub(super) fn source_id_of_content(text: &str) -> SourceId {
    SourceId(page::content_key(text))
}

/// The resource that a reference means, where it means one of type `wanted`.
///
/// Forms: `Type/id`, with `/_history/version`, absolute at any server, `urn:uuid:` of an entry of the
/// same Bundle, `#id` of a contained resource, and the bare id that some payers write. An absolute
/// reference to an entry of the same Bundle is that entry; another one is `Type/id` at its server,
/// which is noted. References by identifier or by words are left to the caller.
pub(super) fn target(reference: &Reference<'_>, wanted: ResourceKind, at: &mut Reading<'_>) -> Option<SourceId> {
    let (source, server) = found(reference, wanted, at)?;
    let Some(server) = server else { return Some(source) };
    let hash = server.hash();
    at.refers_to(server);
    Some(source.at(hash))
}

/// The same for the drug half: whatever the server, `Type/id` is the payer's own.
pub(super) fn local_target(reference: &Reference<'_>, wanted: ResourceKind, at: &mut Reading<'_>) -> Option<SourceId> {
    found(reference, wanted, at).map(|(source, _)| source)
}

/// What a reference means here, and its server where that may be another one.
fn found(reference: &Reference<'_>, wanted: ResourceKind, at: &mut Reading<'_>) -> Option<(SourceId, Option<Server>)> {
    let text = reference.reference.get()?;
    if let Some(id) = text.strip_prefix('#') {
        let name = at.inside.name(id, wanted)?;
        return Some((source_id(wanted.as_str(), &name), None));
    }
    let bundled = at.bundled;
    let text = bundled.names.get(text).map_or(text, String::as_str);
    let address = split(text)?;
    let id = address.id_of(reference.kind.get(), wanted.as_str())?;
    let server = address.base.filter(|_| !bundled.addresses.contains(address.whole)).and_then(Server::of_address);
    Some((source_id(wanted.as_str(), id), server))
}

/// The same for a property that may be absent; one that leads nowhere is noted.
pub(super) fn optional_target(
    reference: &One<Reference<'_>>,
    wanted: ResourceKind,
    at: &mut Reading<'_>,
) -> Option<SourceId> {
    let found = target(reference.0.as_ref()?, wanted, at);
    if found.is_none() {
        at.note(Note::UnreadableReference);
    }
    found
}

/// The same for a list of them: sorted, each once.
pub(super) fn targets(references: &Many<Reference<'_>>, wanted: ResourceKind, at: &mut Reading<'_>) -> Vec<SourceId> {
    let mut found = Vec::with_capacity(references.len());
    for reference in references {
        match target(reference, wanted, at) {
            Some(source) => found.push(source),
            None => at.note(Note::UnreadableReference),
        }
    }
    found.sort_unstable();
    found.dedup();
    at.bounded(found, MOST_PLACES)
}

/// Who a reference means: the resource, else the provider of the NPI that it states.
pub(super) fn provider(reference: &One<Reference<'_>>, wanted: ResourceKind, at: &mut Reading<'_>) -> Option<SourceId> {
    let reference = reference.0.as_ref()?;
    let by_npi = |at: &mut Reading<'_>| {
        let npi = npi_beside(reference)?;
        Some(at.by_npi(wanted, npi, reference.display.words()))
    };
    let found = target(reference, wanted, at).or_else(|| by_npi(at));
    if found.is_none() {
        at.note(Note::UnreadableReference);
    }
    found
}

/// The NPI that a reference states as its identifier.
pub(super) fn npi_beside(reference: &Reference<'_>) -> Option<Npi> {
    let identifier = reference.identifier.0.as_ref().filter(|identifier| identifier.says_npi())?;
    identifier.value.get()?.parse().ok()
}

/// The host of a system or an address, in lower case and without its port; `None` for a URN, an OID
/// and other words.
pub(super) fn host(system: &str) -> Option<String> {
    let (has_scheme, rest) = system.split_once("://").map_or((false, system), |(_, rest)| (true, rest));
    let host = rest.split(['/', ':', '?', '#', '|']).next().unwrap_or_default();
    let is_host = host.bytes().any(|b| b.is_ascii_alphabetic()) && (has_scheme || host.contains('.'));
    is_host.then(|| host.to_ascii_lowercase())
}

/// `meta.lastUpdated`: an instant with any number of fractional digits. A date, or a time without
/// a zone, is read as UTC; anything else is absent.
pub(super) fn stamp(text: Option<&str>) -> Stamp {
    Stamp(text.and_then(|text| instant(text).and_then(|at| i64::try_from(at.as_nanosecond()).ok())))
}
