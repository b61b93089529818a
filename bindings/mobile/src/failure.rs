//! Why a call has no answer.

use std::fmt;

use coverdex_core as core;
use coverdex_core::ErrorKind;

/// Why a call has no answer, by kind.
#[derive(Clone, Debug, PartialEq, Eq, uniffi::Error)]
pub enum Failure {
    /// The text is not a plan, drug, county, … of any known spelling.
    InvalidInput {
        /// What is wrong with what.
        problem: Problem,
    },
    /// Well formed, but nothing in the dataset has this name.
    NotFound {
        /// What is wrong with what.
        problem: Problem,
    },
    /// Several things fit; the problem's candidates name them.
    Ambiguous {
        /// What is wrong with what.
        problem: Problem,
    },
    /// No dataset at this path.
    DatasetMissing {
        /// What is wrong with what.
        problem: Problem,
    },
    /// Truncated, altered or inconsistent: reading it again will not help. Nothing that the system refuses, or that
    /// may pass, is called so.
    DatasetDamaged {
        /// What is wrong with what.
        problem: Problem,
    },
    /// Written by a newer Coverdex than this one reads.
    DatasetTooNew {
        /// What is wrong with what.
        problem: Problem,
    },
    /// A publication that must not be taken: not signed, signed with another key, older than what was there, or of
    /// another series. Its bytes may be whole.
    Refused {
        /// What is wrong with what.
        problem: Problem,
    },
    /// The operating system refused, or the dataset was removed, replaced or written to while it was read: the
    /// dataset may be whole.
    Io {
        /// What is wrong with what.
        problem: Problem,
    },
    /// The caller cancelled the call.
    Interrupted {
        /// What is wrong with what.
        problem: Problem,
    },
    /// Anything else.
    Other {
        /// What is wrong with what.
        problem: Problem,
    },
}

/// The thing, what is wrong with it, and the way out.
#[derive(Clone, Debug, PartialEq, Eq, uniffi::Record)]
pub struct Problem {
    /// The thing: a plan, a file, …
    pub subject: String,
    /// What is wrong with it.
    pub message: String,
    /// The way out, where there is one.
    pub hint: Option<String>,
    /// What may have been meant.
    pub candidates: Vec<String>,
    /// All damaged files, where the whole dataset was looked through.
    pub damages: Vec<Damage>,
}

/// A damaged file of a dataset.
#[derive(Clone, Debug, PartialEq, Eq, uniffi::Record)]
pub struct Damage {
    /// The file.
    pub file: String,
    /// What is wrong with it.
    pub message: String,
}

impl From<core::Error> for Failure {
    fn from(error: core::Error) -> Self {
        let damage = |own: &core::Damage| Damage { file: own.file.clone(), message: own.message.clone() };
        let problem = Problem {
            subject: error.subject().to_owned(),
            message: error.message().to_owned(),
            hint: error.hint().map(str::to_owned),
            candidates: error.candidates().to_vec(),
            damages: error.damages().iter().map(damage).collect(),
        };
        match error.kind() {
            ErrorKind::InvalidInput => Self::InvalidInput { problem },
            ErrorKind::NotFound => Self::NotFound { problem },
            ErrorKind::Ambiguous => Self::Ambiguous { problem },
            ErrorKind::DatasetMissing => Self::DatasetMissing { problem },
            ErrorKind::DatasetDamaged => Self::DatasetDamaged { problem },
            ErrorKind::DatasetTooNew => Self::DatasetTooNew { problem },
            ErrorKind::Refused => Self::Refused { problem },
            ErrorKind::Io => Self::Io { problem },
            ErrorKind::Interrupted => Self::Interrupted { problem },
            _ => Self::Other { problem },
        }
    }
}

impl Failure {
    /// What is wrong with what.
    #[must_use]
    pub const fn problem(&self) -> &Problem {
        match self {
            Self::InvalidInput { problem }
            | Self::NotFound { problem }
            | Self::Ambiguous { problem }
            | Self::DatasetMissing { problem }
            | Self::DatasetDamaged { problem }
            | Self::DatasetTooNew { problem }
            | Self::Refused { problem }
            | Self::Io { problem }
            | Self::Interrupted { problem }
            | Self::Other { problem } => problem,
        }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let problem = self.problem();
        write!(f, "{}: {}", problem.subject, problem.message)
    }
}

impl std::error::Error for Failure {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_refused_is_a_kind_of_its_own() {
        let failure = Failure::from(core::Error::new(ErrorKind::Refused, "publication.json", "it is not signed"));
        assert!(
            matches!(&failure, Failure::Refused { problem } if problem.subject == "publication.json"),
            "{failure:?}"
        );
    }
}
