//! Networks as resources name them: by tag or identifier, or by reference to an Organization.

use coverdex_core::NetworkKey;

use serde::Deserialize;

use super::datatypes::{Extension, Identifier, Meta, Reference};
use super::identity::target;
use super::lenient::{Many, One, Text};
use super::note::Note;
use super::reading::{MOST, Reading};
use crate::model::{NetworkName, ResourceKind, SourceId};

/// The system of a network that has no identifier: its id there is that of its Organization.
pub(super) const BY_RESOURCE: &str = "Organization";

/// Networks gathered from one resource.
#[derive(Debug, Default)]
pub(super) struct Networks {
    keys: Vec<NetworkName>,
    references: Vec<(SourceId, Option<String>)>,
    /// Whether a network is stated that cannot be read.
    unreadable: bool,
}

/// A contained Organization, as far as a reference to it as a network goes.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct ContainedNetwork<'a> {
    #[serde(borrow)]
    identifier: Many<Identifier<'a>>,
    #[serde(borrow)]
    name: Text<'a>,
}

/// A network's key; `None` without both halves.
pub(super) fn network_key(system: &Text<'_>, id: &Text<'_>) -> Option<NetworkKey> {
    NetworkKey::new(system.get()?, id.get()?).ok()
}

/// Keys by an Organization's identifiers that are no NPI. Of two spellings of one system the smaller stays.
pub(super) fn network_keys(identifiers: &Many<Identifier<'_>>) -> Vec<NetworkKey> {
    let of_network = identifiers.iter().filter(|identifier| !identifier.says_npi());
    let mut keys: Vec<_> = of_network.filter_map(|i| network_key(&i.system, &i.value)).collect();
    keys.sort_by(|a, b| (a, a.system()).cmp(&(b, b.system())));
    keys.dedup();
    keys
}

/// The keys and the name of a contained Organization that a reference means as a network: it is one then.
pub(super) fn contained_network(
    reference: &Reference<'_>,
    at: &mut Reading<'_>,
) -> Option<(Vec<NetworkKey>, Option<String>)> {
    let id = reference.reference.get()?.strip_prefix('#')?;
    let text = at.inside.text(id, ResourceKind::Organization)?;
    let network = serde_json::from_str::<ContainedNetwork<'_>>(text).unwrap_or_default();
    let name = format!("{}#{id}", at.name);
    let mut keys = network_keys(&network.identifier);
    if keys.is_empty() {
        keys.extend(NetworkKey::new(BY_RESOURCE, &name));
    }
    at.inside.note_network(name);
    Some((keys, network.name.words()))
}

/// The networks that a role or plan states.
pub(super) struct Stated {
    pub(super) names: Vec<NetworkName>,
    pub(super) references: Vec<(SourceId, Option<String>)>,
    /// It states one that cannot be read, or more than are kept.
    pub(super) incomplete: bool,
}

impl Networks {
    /// Adds a network by key.
    pub(super) fn push_key(&mut self, key: Option<NetworkKey>, label: Option<String>, at: &mut Reading<'_>) {
        match key {
            Some(key) => self.keys.push(NetworkName { key, label }),
            None => self.note_unreadable(at),
        }
    }

    /// A network is stated that cannot be read.
    pub(super) fn note_unreadable(&mut self, at: &mut Reading<'_>) {
        self.unreadable = true;
        at.note(Note::UnreadableNetwork);
    }

    /// Adds what a reference says: the key of its identifier, and the Organization that it names. A
    /// contained Organization is known by its identifiers, else by its resource.
    pub(super) fn push_reference(&mut self, reference: &Reference<'_>, at: &mut Reading<'_>) {
        let label = reference.display.words();
        let key = reference.identifier.0.as_ref().and_then(|i| network_key(&i.system, &i.value));
        let organization = target(reference, ResourceKind::Organization, at);
        if key.is_none() && organization.is_none() {
            self.note_unreadable(at);
        }
        if let Some((keys, name)) = contained_network(reference, at) {
            let label = label.clone().or(name);
            self.keys.extend(keys.into_iter().map(|key| NetworkName { key, label: label.clone() }));
        }
        self.keys.extend(key.map(|key| NetworkName { key, label: label.clone() }));
        self.references.extend(organization.map(|source| (source, label)));
    }

    /// Adds what a role or an affiliation says: by tag, by the guide's extension, by `network`.
    pub(super) fn push_all(
        &mut self,
        meta: &One<Meta<'_>>,
        extensions: &Many<Extension<'_>>,
        native: &Many<Reference<'_>>,
        at: &mut Reading<'_>,
    ) {
        for tag in meta.0.iter().flat_map(|meta| &meta.tag) {
            // A tag without a system or a code names nothing; tags need not be networks at all.
            if let Some(key) = network_key(&tag.system, &tag.code) {
                self.keys.push(NetworkName { key, label: tag.display.words() });
            }
        }
        // The second is how R4 carries what later versions have as `network`.
        let names = ["network-reference", "extension-PractitionerRole.network"];
        for extension in extensions.iter().filter(|extension| names.iter().any(|name| extension.is(name))) {
            if let Some(reference) = &extension.reference.0 {
                self.push_reference(reference, at);
            } else if let Some(identifier) = &extension.identifier.0 {
                self.push_key(network_key(&identifier.system, &identifier.value), None, at);
            } else {
                self.note_unreadable(at);
            }
        }
        for reference in native {
            self.push_reference(reference, at);
        }
        if native.unusable > 0 {
            self.note_unreadable(at);
        }
    }

    /// What is kept of them, in order.
    pub(super) fn finish(self, at: &mut Reading<'_>) -> Stated {
        let unreadable = self.unreadable;
        let (keys, references) = self.sorted();
        let all = keys.len() <= MOST && references.len() <= MOST;
        Stated {
            names: at.bounded(keys, MOST),
            references: at.bounded(references, MOST),
            incomplete: unreadable || !all,
        }
    }

    /// Both kinds, sorted and without repeats. A name without a label says nothing beside one of
    /// the same network with a label; of two spellings of one system the smaller stays.
    fn sorted(self) -> (Vec<NetworkName>, Vec<(SourceId, Option<String>)>) {
        let (mut keys, mut references) = (self.keys, self.references);
        if keys.len() > 1 {
            keys.sort_by_cached_key(|name| {
                let key = &name.key;
                (
                    key.folded_system(),
                    key.id().to_owned(),
                    name.label.is_none(),
                    name.label.clone(),
                    key.system().to_owned(),
                )
            });
            keys.dedup_by(|later, first| {
                later.key == first.key && (later.label.is_none() || later.label == first.label)
            });
        }
        references.sort_by(|a, b| (a.0, a.1.is_none(), &a.1).cmp(&(b.0, b.1.is_none(), &b.1)));
        references.dedup_by(|later, first| later.0 == first.0 && (later.1.is_none() || later.1 == first.1));
        (keys, references)
    }
}
