//! Networks as resources name them: by tag or identifier, or by reference to an Organization.

use coverdex_core::ids::NetworkKey;

use super::datatypes::Reference;
use super::identity::{Bundled, target};
use super::lenient::Text;
use super::note::{Note, Notes};
use crate::model::{NetworkName, ResourceKind, SourceId};

/// Networks gathered from one resource.
#[derive(Debug, Default)]
pub(super) struct Networks {
    keys: Vec<NetworkName>,
    references: Vec<(SourceId, Option<String>)>,
}

/// A network's key; `None` without both halves.
pub(super) fn network_key(system: &Text<'_>, id: &Text<'_>) -> Option<NetworkKey> {
    NetworkKey::new(system.get()?, id.get()?).ok()
}

impl Networks {
    /// Adds a network by key.
    pub(super) fn push_key(&mut self, key: Option<NetworkKey>, label: Option<String>, notes: &mut Notes) {
        match key {
            Some(key) => self.keys.push(NetworkName { key, label }),
            None => notes.add(Note::UnreadableNetwork),
        }
    }

    /// Adds what a reference says: the key of its identifier, and the Organization that it names.
    pub(super) fn push_reference(&mut self, reference: &Reference<'_>, bundled: &Bundled<'_>, notes: &mut Notes) {
        let label = reference.display.words();
        let key = reference.identifier.0.as_ref().and_then(|i| network_key(&i.system, &i.value));
        let organization = target(reference, ResourceKind::Organization, bundled);
        if key.is_none() && organization.is_none() {
            notes.add(Note::UnreadableNetwork);
        }
        self.keys.extend(key.map(|key| NetworkName { key, label: label.clone() }));
        self.references.extend(organization.map(|source| (source, label)));
    }

    /// Both kinds, sorted and without repeats. A name without a label says nothing beside one of
    /// the same network with a label; of two spellings of one system the smaller stays.
    pub(super) fn finish(self) -> (Vec<NetworkName>, Vec<(SourceId, Option<String>)>) {
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
