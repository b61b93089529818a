//! Bundles: pages of a search, collections, transactions.

use super::identity::{Bundled, source_id};
use super::{Outcome, read_each, read_in, read_resource, trim};
use crate::fhir::bundle::{Bundle, BundleEntry};
use crate::fhir::json::{self, Unreadable};
use crate::fhir::reference::split;
use crate::model::{Received, Server};

/// Bundles inside Bundles are followed this deep.
const MAX_NESTING: u8 = 4;

/// The Bundle that a text is; text of something else than a Bundle has no outcome yet.
#[allow(clippy::result_large_err, reason = "the outcome is what a caller goes on with")]
fn bundle(text: &str) -> Result<Bundle<'_>, Option<Outcome>> {
    let text = trim(text);
    if !text.starts_with('{') {
        return Err(None);
    }
    match Bundle::read(text) {
        Ok(bundle) => bundle.ok_or(None),
        Err(Unreadable::NotJson(error)) => Err(Some(Outcome::NotJson(error.to_string()))),
        // What is no Bundle is settled where its type is read.
        Err(Unreadable::Twice("type")) => Err(None),
        Err(Unreadable::Twice(property)) => Err(Some(Outcome::NotAResource(format!(
            "a Bundle whose property {property:?} stands twice with different values"
        )))),
    }
}

impl Bundle<'_> {
    /// Reads every entry: each gives one outcome, in their order, followed by those of resources that
    /// stand inside it ([`Outcome::Within`]); a Bundle inside gives those of its own entries.
    fn read_all(&self, sink: &mut dyn FnMut(Outcome)) {
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
                let why = entry.unreadable.clone().unwrap_or_else(|| "an entry without a resource".to_owned());
                sink(Outcome::NotAResource(why));
                continue;
            };
            let text = resource;
            let mut within = Vec::new();
            match read_in(text, &bundled, entry.full_url.as_deref(), &mut within) {
                Outcome::Bundle => match (nesting.checked_sub(1), bundle(text)) {
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

/// Reads every entry of a Bundle, also of one that holds bytes that are no UTF-8.
pub fn read_bundle(bytes: &[u8], sink: &mut dyn FnMut(Outcome)) {
    let text = json::text(bytes);
    match bundle(&text) {
        Ok(bundle) => bundle.read_all(sink),
        Err(Some(outcome)) => sink(outcome),
        Err(None) => read_each(text.as_bytes(), sink),
    }
}
