//! Release: how a form gives its drug off, with the suffix that a name carries.

use super::words::ReleaseWord;

/// Kinds of release; forms that dissolve in the mouth are form words, see [`super::forms`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum ReleaseKind {
    /// None is said, or immediate.
    #[default]
    Immediate,
    /// Delayed: DR, EC.
    Delayed,
    /// Extended: ER, XL, 24 hours, …
    Extended,
    /// Both are said.
    DelayedExtended,
}

/// A release: kind, hours, and the suffixes of a name.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Release {
    pub(crate) kind: ReleaseKind,
    /// 24 of XL and `24 hr`, 12 of SR and `12 hr`; `None`: not said.
    pub(crate) hours: Option<u16>,
    /// `xl`, `sr`, `la`, `cd`, …; ER is a word for all of them and no suffix.
    pub(crate) suffix: Option<String>,
}

impl ReleaseKind {
    fn with(self, other: Self) -> Self {
        match (self, other) {
            (Self::Immediate, kind) | (kind, Self::Immediate) => kind,
            (a, b) if a == b => a,
            _ => Self::DelayedExtended,
        }
    }

    /// The kind in words, as forms write it; `None` for immediate release.
    pub(crate) const fn words(self) -> Option<&'static str> {
        match self {
            Self::Immediate => None,
            Self::Delayed => Some("delayed release"),
            Self::Extended => Some("extended release"),
            Self::DelayedExtended => Some("delayed and extended release"),
        }
    }

    /// Whether it is extended, perhaps delayed too.
    pub(crate) fn is_extended(self) -> bool {
        matches!(self, Self::Extended | Self::DelayedExtended)
    }

    /// Whether it is delayed, perhaps extended too.
    pub(crate) fn is_delayed(self) -> bool {
        matches!(self, Self::Delayed | Self::DelayedExtended)
    }
}

impl Release {
    /// Takes in a word; hours that a suffix implies give way to hours that are said.
    pub(crate) fn add(&mut self, word: ReleaseWord) {
        match word {
            ReleaseWord::Extended => self.kind = self.kind.with(ReleaseKind::Extended),
            ReleaseWord::Delayed => self.kind = self.kind.with(ReleaseKind::Delayed),
            ReleaseWord::Immediate => {}
            ReleaseWord::Hours(hours) => {
                self.kind = self.kind.with(ReleaseKind::Extended);
                self.hours = Some(hours);
            }
            ReleaseWord::Suffix(suffix) => {
                self.kind = self.kind.with(ReleaseKind::Extended);
                match &mut self.suffix {
                    Some(said) if said != suffix => said.push_str(&format!("+{suffix}")),
                    Some(_) => {}
                    None => self.suffix = Some(suffix.to_owned()),
                }
            }
        }
    }

    /// Takes in what another text of the same drug says and this one leaves open.
    pub(crate) fn fill(&mut self, other: &Self) {
        self.kind = self.kind.with(other.kind);
        self.hours = self.hours.or(other.hours);
        if self.suffix.is_none() {
            self.suffix.clone_from(&other.suffix);
        }
        self.imply_hours();
    }

    /// Hours that a suffix means where none are said.
    pub(crate) fn imply_hours(&mut self) {
        if self.hours.is_none() {
            self.hours = match self.suffix.as_deref() {
                Some("xl") => Some(24),
                Some("sr") => Some(12),
                _ => None,
            };
        }
    }

    /// Suffix and hours as a reader sees them: `XL, 24 hours`; `None` for immediate release.
    pub(crate) fn label(&self) -> Option<String> {
        let kind = self.kind.words()?;
        let name = self.suffix.as_deref().map_or_else(|| kind.to_owned(), str::to_uppercase);
        Some(self.hours.map_or_else(|| name.clone(), |hours| format!("{name}, {hours} hours")))
    }
}
