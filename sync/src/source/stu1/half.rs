//! What is read falls into two halves, each an outcome of its own: one may be seen whole where the other is not.

use std::collections::BTreeMap;

use coverdex_core::build::format::{DIRECTORY_PART, DRUGS_PART};
use serde::{Deserialize, Serialize};

use super::plan::Selection;
use super::{directory, type_of};
use crate::model::ResourceKind;

/// Formularies, or the directory. Plans belong to both.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Half {
    /// Lists, entries and drugs.
    Formulary,
    /// Roles, affiliations, services, and whom and where they name.
    Directory,
}

/// A half that an earlier reading saw whole and the last one did not.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FormerHalf {
    /// Which.
    pub half: Half,
    /// When it was read (RFC 3339).
    pub as_of: String,
}

impl Half {
    /// Both.
    pub const ALL: [Self; 2] = [Self::Formulary, Self::Directory];
    const FORMULARY: [&str; 3] = ["List", "MedicationKnowledge", "Medication"];

    /// The other one.
    #[must_use]
    pub fn other(self) -> Self {
        match self {
            Self::Formulary => Self::Directory,
            Self::Directory => Self::Formulary,
        }
    }

    /// In words.
    pub(crate) fn words(self) -> &'static str {
        match self {
            Self::Formulary => "the formularies",
            Self::Directory => "the directory",
        }
    }

    /// The part of a dataset that it becomes.
    #[must_use]
    pub fn part(self) -> &'static str {
        match self {
            Self::Formulary => DRUGS_PART,
            Self::Directory => DIRECTORY_PART,
        }
    }

    /// The resource types that are of it alone.
    pub(crate) fn types(self) -> &'static [&'static str] {
        match self {
            Self::Formulary => &Self::FORMULARY,
            Self::Directory => &directory::PARTS,
        }
    }

    /// Whether a resource type is of it alone.
    #[must_use]
    pub fn has(self, resource_type: &str) -> bool {
        self.types().contains(&resource_type)
    }

    /// The same of a kind of resource.
    pub(crate) fn has_kind(self, kind: ResourceKind) -> bool {
        self.has(kind.as_str())
    }

    /// Whether a type or a query of a sync report concerns it: what concerns neither half alone concerns both.
    pub(crate) fn is_concerned(self, part: &str) -> bool {
        !self.other().has(type_of(part))
    }

    /// Whether nothing of it is among what is not complete.
    pub(crate) fn is_whole(self, incomplete: &BTreeMap<String, String>) -> bool {
        !incomplete.keys().any(|part| self.is_concerned(part))
    }

    /// Whether it was asked for.
    pub(crate) fn is_selected(self, selection: &Selection) -> bool {
        match self {
            Self::Formulary => selection.formulary,
            Self::Directory => selection.directory,
        }
    }

    /// A selection that asks for it too.
    pub(crate) fn select(self, selection: Selection) -> Selection {
        match self {
            Self::Formulary => Selection { formulary: true, ..selection },
            Self::Directory => Selection { directory: true, ..selection },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_of_no_half_alone_concerns_both() {
        for (part, formulary, directory) in [
            ("List?identifier=1", true, false),
            ("List again", true, false),
            ("MedicationKnowledge/*", true, false),
            ("PractitionerRole?_tag=a|b", false, true),
            ("Location", false, true),
            ("InsurancePlan", true, true),
            ("sync", true, true),
        ] {
            assert_eq!(Half::Formulary.is_concerned(part), formulary, "{part}");
            assert_eq!(Half::Directory.is_concerned(part), directory, "{part}");
            let incomplete = BTreeMap::from([(part.to_owned(), "it failed".to_owned())]);
            assert_eq!(Half::Directory.is_whole(&incomplete), !directory, "{part}");
        }
    }

    #[test]
    fn each_kind_but_plans_is_of_one_half() {
        for kind in ResourceKind::ALL {
            let of = Half::ALL.into_iter().filter(|half| half.has_kind(kind)).count();
            assert_eq!(of, usize::from(kind != ResourceKind::Plan), "{kind:?}");
        }
    }
}
