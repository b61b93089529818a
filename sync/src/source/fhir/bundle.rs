//! Bundles: pages of a search, collections, transactions.

use serde::Deserialize;
use serde_json::value::RawValue;

use super::duplicates::{Conflict, Object};
use super::identity::Bundled;
use super::lenient::{Many, One, Text, elements};
use super::{Outcome, read_in, trim};

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
        let not_json = |error: &dyn std::fmt::Display| Outcome::NotJson(error.to_string());
        let text = trim(std::str::from_utf8(bytes).map_err(|error| not_json(&error))?);
        if !text.starts_with('{') {
            return Err(super::read_resource(bytes));
        }
        let raw: Object<'_> = serde_json::from_str(text).map_err(|error| not_json(&error))?;
        let twice = |property: &str| {
            Outcome::NotAResource(format!("a Bundle whose property {property:?} stands twice with different values"))
        };
        let property = |name: &str| raw.get(name).map_err(|Conflict| twice(name));
        if text_of(property("resourceType")?).as_deref() != Some("Bundle") {
            return Err(super::read_resource(bytes));
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

    /// Reads every entry: each gives one outcome, in their order; a Bundle inside gives those of its
    /// own entries.
    pub fn read(&self, sink: &mut dyn FnMut(Outcome)) {
        self.read_nested(MAX_NESTING, sink);
    }

    fn read_nested(&self, nesting: u8, sink: &mut dyn FnMut(Outcome)) {
        let mut bundled = Bundled::default();
        for entry in &self.entries {
            bundled.add(entry);
        }
        for entry in &self.entries {
            let Some(resource) = entry.resource else {
                sink(Outcome::NotAResource("an entry without a resource".to_owned()));
                continue;
            };
            let text = resource.get();
            match read_in(text, &bundled, entry.full_url.as_deref()) {
                Outcome::Bundle => match (nesting.checked_sub(1), Bundle::parse(text.as_bytes())) {
                    (Some(nesting), Ok(inner)) => inner.read_nested(nesting, sink),
                    (None, _) => sink(Outcome::NotAResource("Bundles nested too deep".to_owned())),
                    (_, Err(outcome)) => sink(outcome),
                },
                Outcome::Received(received, _) if entry.is_outcome => {
                    sink(Outcome::Unread(received.kind.as_str().to_owned()));
                }
                outcome => sink(outcome),
            }
        }
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
    let read = |bytes: &[u8], sink: &mut dyn FnMut(Outcome)| match Bundle::parse(bytes) {
        Ok(bundle) => bundle.read(sink),
        Err(outcome) => sink(outcome),
    };
    // Nearly all bytes are sound, and checking is much faster than mending.
    match std::str::from_utf8(bytes) {
        Ok(_) => read(bytes, sink),
        Err(_) => read(String::from_utf8_lossy(bytes).as_bytes(), sink),
    }
}
