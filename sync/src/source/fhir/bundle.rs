//! Bundles: pages of a search, collections, transactions.

use serde::Deserialize;
use serde_json::value::RawValue;

use super::duplicates::{Conflict, Object};
use super::identity::{Bundled, source_id, split};
use super::lenient::{Many, One, Text, elements};
use super::{Outcome, read_each, read_in, read_resource, trim};
use crate::model::{Received, Server};

/// Bundles inside Bundles are followed this deep.
const MAX_NESTING: u8 = 4;

/// A Bundle whose entries are still raw, so that one bad entry does not sink the page.
#[derive(Debug)]
pub struct Bundle<'a> {
    /// `searchset`, `collection`, …
    pub kind: Option<String>,
    /// `total`, a hint at best.
    pub total: Option<u64>,
    /// (relation, address), in their order.
    pub links: Vec<(String, String)>,
    /// The entries, in their order.
    pub entries: Vec<BundleEntry<'a>>,
}

/// One entry of a Bundle.
#[derive(Debug, Default)]
pub struct BundleEntry<'a> {
    /// `fullUrl`.
    pub full_url: Option<String>,
    /// Whether `search.mode` is `outcome`: a message about the search, no match.
    pub is_outcome: bool,
    /// The resource, if the entry holds one.
    pub resource: Option<&'a RawValue>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Link<'a> {
    #[serde(borrow)]
    relation: Text<'a>,
    #[serde(borrow)]
    url: Text<'a>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Search<'a> {
    #[serde(borrow)]
    mode: Text<'a>,
}

elements!(Link, Search);

impl<'a> Bundle<'a> {
    /// Splits a Bundle into its entries.
    ///
    /// # Errors
    /// The [`Outcome`] that the bytes have instead, if they are no Bundle.
    #[allow(clippy::result_large_err, reason = "the outcome is what a caller goes on with")]
    pub fn parse(bytes: &'a [u8]) -> Result<Self, Outcome> {
        Self::parse_if_one(bytes).map_err(|outcome| outcome.unwrap_or_else(|| read_resource(bytes)))
    }

    /// The same; bytes of something else than a Bundle have no outcome yet.
    #[allow(clippy::result_large_err, reason = "the outcome is what a caller goes on with")]
    fn parse_if_one(bytes: &'a [u8]) -> Result<Self, Option<Outcome>> {
        let not_json = |error: &dyn std::fmt::Display| Some(Outcome::NotJson(error.to_string()));
        let text = trim(std::str::from_utf8(bytes).map_err(|error| not_json(&error))?);
        if !text.starts_with('{') {
            return Err(None);
        }
        let raw: Object<'_> = serde_json::from_str(text).map_err(|error| not_json(&error))?;
        let twice = |property: &str| {
            let reason = format!("a Bundle whose property {property:?} stands twice with different values");
            Some(Outcome::NotAResource(reason))
        };
        let property = |name: &str| raw.get(name).map_err(|Conflict| twice(name));
        if text_of(property("resourceType")?).as_deref() != Some("Bundle") {
            return Err(None);
        }
        let links: Many<Link<'_>> = value_of(property("link")?).unwrap_or_default();
        Ok(Self {
            kind: text_of(property("type")?),
            total: text_of(property("total")?).and_then(|total| total.parse().ok()),
            links: links
                .iter()
                .filter_map(|link| Some((link.relation.get()?.to_owned(), link.url.get()?.to_owned())))
                .collect(),
            entries: entries(property("entry")?),
        })
    }

    /// The address of the next page, as given.
    #[must_use]
    pub fn next(&self) -> Option<&str> {
        self.links.iter().find(|(relation, _)| relation == "next").map(|(_, url)| url.as_str())
    }

    /// Reads every entry: each gives one outcome, in their order, followed by those of resources that
    /// stand inside it ([`Outcome::Within`]); a Bundle inside gives those of its own entries.
    pub fn read(&self, sink: &mut dyn FnMut(Outcome)) {
        self.read_nested(MAX_NESTING, sink);
    }

    fn read_nested(&self, nesting: u8, sink: &mut dyn FnMut(Outcome)) {
        let mut bundled = Bundled::default();
        for entry in &self.entries {
            bundled.add(entry);
        }
        let mut base = None;
        for entry in &self.entries {
            let Some(resource) = entry.resource else {
                sink(Outcome::NotAResource("an entry without a resource".to_owned()));
                continue;
            };
            let text = resource.get();
            let mut within = Vec::new();
            match read_in(text, &bundled, entry.full_url.as_deref(), &mut within) {
                Outcome::Bundle => match (nesting.checked_sub(1), Bundle::parse_if_one(text.as_bytes())) {
                    (Some(nesting), Ok(inner)) => inner.read_nested(nesting, sink),
                    (None, _) => sink(Outcome::NotAResource("Bundles nested too deep".to_owned())),
                    (_, Err(outcome)) => sink(outcome.unwrap_or_else(|| read_resource(text.as_bytes()))),
                },
                Outcome::Received(received, _) if entry.is_outcome => {
                    sink(Outcome::Unread(received.kind.as_str().to_owned()));
                }
                Outcome::Received(mut received, notes) => {
                    note_own_server(&mut received, entry, &mut base);
                    sink(Outcome::Received(received, notes));
                    for received in within {
                        sink(Outcome::Within(received));
                    }
                }
                outcome => sink(outcome),
            }
        }
    }
}

/// The server of an entry's address is the payer's own, if the address names the entry's resource. It is
/// noted once for entries of one server in a row.
fn note_own_server<'a>(received: &mut Received, entry: &'a BundleEntry<'_>, base: &mut Option<&'a str>) {
    let Some(address) = entry.full_url.as_deref().and_then(split) else { return };
    let names_it = address.kind == Some(received.kind.as_str())
        && source_id(received.kind.as_str(), address.id) == received.source;
    if address.base.is_none() || address.base == *base || !names_it {
        return;
    }
    *base = address.base;
    if let Some(server) = address.base.and_then(Server::of_address) {
        received.servers.get_or_insert_default().own.push(server);
    }
}

/// The entries of a list, or the one entry that stands in place of a list.
fn entries(raw: Option<&RawValue>) -> Vec<BundleEntry<'_>> {
    let Some(raw) = raw else { return Vec::new() };
    let text = raw.get();
    if text.starts_with('{') {
        return vec![entry(text)];
    }
    let list: Vec<&RawValue> = serde_json::from_str(text).unwrap_or_default();
    list.into_iter().map(|raw| entry(raw.get())).collect()
}

/// An entry; one that cannot be read has no resource and is counted as such.
fn entry(text: &str) -> BundleEntry<'_> {
    let Ok(raw) = serde_json::from_str::<Object<'_>>(text) else { return BundleEntry::default() };
    let property = |name: &str| raw.get(name).unwrap_or_default();
    let search: One<Search<'_>> = value_of(property("search")).unwrap_or_default();
    BundleEntry {
        full_url: text_of(property("fullUrl")),
        is_outcome: search.0.is_some_and(|search| search.mode.is("outcome")),
        resource: property("resource").filter(|raw| raw.get().starts_with('{')),
    }
}

fn value_of<'a, T: Deserialize<'a>>(raw: Option<&'a RawValue>) -> Option<T> {
    raw.and_then(|raw| serde_json::from_str(raw.get()).ok())
}

fn text_of(raw: Option<&RawValue>) -> Option<String> {
    value_of::<Text<'_>>(raw)?.get().map(str::to_owned)
}

/// Reads every entry of a Bundle, also of one that holds bytes that are no UTF-8.
pub fn read_bundle(bytes: &[u8], sink: &mut dyn FnMut(Outcome)) {
    let read = |bytes: &[u8], sink: &mut dyn FnMut(Outcome)| match Bundle::parse_if_one(bytes) {
        Ok(bundle) => bundle.read(sink),
        Err(Some(outcome)) => sink(outcome),
        Err(None) => read_each(bytes, sink),
    };
    // Nearly all bytes are sound, and checking is much faster than mending.
    match std::str::from_utf8(bytes) {
        Ok(_) => read(bytes, sink),
        Err(_) => read(String::from_utf8_lossy(bytes).as_bytes(), sink),
    }
}
