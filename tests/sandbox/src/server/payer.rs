//! What the server needs to know of a payer.

use std::fmt;
use std::str::FromStr;
use std::time::SystemTime;

use coverdex_core::{Error, Result};

use crate::ResourceType;

/// A type's place in [`ResourceType::ALL`].
pub(super) const fn place(kind: ResourceType) -> usize {
    kind as usize
}

impl fmt::Display for ResourceType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for ResourceType {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        Self::named(text).ok_or_else(|| {
            Error::invalid(format!("resource type {text}"), "the payer has no such type")
                .with_candidates(Self::ALL.iter().map(|kind| kind.name().to_owned()))
        })
    }
}

/// A member who can log in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Member {
    /// What the member types to log in, such as `00001`.
    pub login: String,
    /// The id of the member's Patient resource, which the token response names.
    pub patient: String,
}

/// A payer that can be served: resource *i* of each type, and the few look-ups that the endpoints need.
///
/// The server asks for one resource at a time and keeps none, so that a payer of any size can be a
/// function of its seed. What is asked twice must be answered alike, unless the payer changes: then
/// numbers and ids stay, and what they name is another version, or gone.
pub trait Payer: Send + Sync {
    /// How many resources of this type there are, those readable by id only included.
    fn count(&self, kind: ResourceType) -> u64;

    /// The JSON of resource `index`, for every `index` below [`count`](Self::count).
    fn resource(&self, kind: ResourceType, index: u64) -> String;

    /// The number of the resource with this id.
    fn index_of(&self, kind: ResourceType, id: &str) -> Option<u64>;

    /// The Lists of this plan, in the order in which a search shows them. `plan` is spelled as in
    /// the identifiers of its Lists.
    fn lists_of(&self, plan: &str) -> Vec<u64>;

    /// Whether no search shows this resource, although it can be read by its id.
    fn read_by_id_only(&self, _kind: ResourceType, _index: u64) -> bool {
        false
    }

    /// The resources that are not there now, ascending: no search shows them, and by id they are gone.
    fn gone(&self, _kind: ResourceType) -> Vec<u64> {
        Vec::new()
    }

    /// Tells that a search or a reading of this type was asked for, at this time of the server, and
    /// will be answered.
    fn asked(&self, _kind: ResourceType, _now: SystemTime) {}

    /// Tells that a pass through all of a type came to its middle.
    fn half_done(&self, _kind: ResourceType, _now: SystemTime) {}

    /// Who can log in.
    fn members(&self) -> Vec<Member> {
        Vec::new()
    }

    /// The Coverage resources of the patient with this id.
    fn coverages(&self, _patient: &str) -> Vec<String> {
        Vec::new()
    }
}
