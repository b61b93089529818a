//! What was set aside inside a resource that was read all the same.

/// A thing that a resource holds and the facts made of it do not.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Note {
    /// A code of a known system that is no such code.
    UnreadableCode,
    /// Ten bare digits whose three readings nothing in the resource settles.
    AmbiguousNdc,
    /// A code without a system that may be of several.
    CodeWithoutSystem,
    /// A code of a system that is not read.
    UnknownCodeSystem,
    /// A flag that is no boolean: not stated.
    JunkFlag,
    /// One flag stated both ways: not stated.
    ContradictingFlag,
    /// A status that is no known code: as if absent.
    UnknownStatus,
    /// An entry that names several plans: none is believed.
    SeveralPlans,
    /// A reference that leads nowhere: by words only, to another type, or broken.
    UnreadableReference,
    /// A network without system or id.
    UnreadableNetwork,
    /// A contained resource that is not read where it stands.
    UnreadContained,
    /// A `modifierExtension`: something unknown may change the meaning.
    ModifierExtension,
    /// A property that stands twice with the same value.
    RepeatedProperty,
    /// Bytes that are no UTF-8, read as the replacement character.
    DamagedText,
    /// A list that is longer than any that is meant: what is beyond is left out.
    TooMany,
    /// A date that is none, in a period: that end is not stated.
    UnreadableDate,
    /// No id: two such resources are one if they say the same.
    WithoutId,
}

impl Note {
    /// In words for a report.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::UnreadableCode => "code that cannot be read",
            Self::AmbiguousNdc => "ten-digit NDC with several readings",
            Self::CodeWithoutSystem => "code without a system",
            Self::UnknownCodeSystem => "code of a system that is not read",
            Self::JunkFlag => "flag that is no boolean",
            Self::ContradictingFlag => "flag stated both ways",
            Self::UnknownStatus => "unknown status",
            Self::SeveralPlans => "entry that names several plans",
            Self::UnreadableReference => "reference that leads nowhere",
            Self::UnreadableNetwork => "network without system or id",
            Self::UnreadContained => "contained resource that is not read",
            Self::ModifierExtension => "modifier extension",
            Self::RepeatedProperty => "property that stands twice",
            Self::DamagedText => "text that is no UTF-8",
            Self::TooMany => "list that is too long",
            Self::UnreadableDate => "date that cannot be read",
            Self::WithoutId => "resource without an id",
        }
    }
}

/// Notes of one resource, each as often as it happened.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Notes(Vec<Note>);

impl Notes {
    pub(super) fn add(&mut self, note: Note) {
        self.0.push(note);
    }

    /// The notes, in no order that means anything.
    pub fn iter(&self) -> impl Iterator<Item = Note> + '_ {
        self.0.iter().copied()
    }
}
