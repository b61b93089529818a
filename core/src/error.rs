//! One error type: a kind for programs, a message for people, fields for both.

use std::fmt;

/// What went wrong, as a program tells it apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The text is not a plan, drug, county, … of any known spelling.
    InvalidInput,
    /// Well formed, but nothing in the dataset has this name.
    NotFound,
    /// Several things fit; `candidates` names them.
    Ambiguous,
    /// No dataset at this path.
    DatasetMissing,
    /// Not a dataset, truncated, altered or inconsistent.
    DatasetDamaged,
    /// Written by a newer Coverdex than this one reads.
    DatasetTooNew,
    /// The operating system refused (permission, full disk, …).
    Io,
    /// The caller interrupted the call.
    Interrupted,
    /// A payer or the network did not answer, or the sync stayed incomplete.
    Sync,
}

impl ErrorKind {
    /// The kind's stable name, as JSON shows it.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::InvalidInput => "invalid_input",
            Self::NotFound => "not_found",
            Self::Ambiguous => "ambiguous",
            Self::DatasetMissing => "dataset_missing",
            Self::DatasetDamaged => "dataset_damaged",
            Self::DatasetTooNew => "dataset_too_new",
            Self::Io => "io",
            Self::Interrupted => "interrupted",
            Self::Sync => "sync",
        }
    }
}

/// An error that names the thing, what is wrong with it, the way out and, where several things
/// were meant, the candidates.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    inner: Box<Inner>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Inner {
    kind: ErrorKind,
    subject: String,
    message: String,
    hint: Option<String>,
    candidates: Vec<String>,
}

/// Result of every fallible call.
pub type Result<T, E = Error> = std::result::Result<T, E>;

impl Error {
    /// `subject` is the thing (`plan H1234-567`, `coverdex.sqlite`), `message` what is wrong with it.
    pub fn new(kind: ErrorKind, subject: impl Into<String>, message: impl Into<String>) -> Self {
        Self {
            inner: Box::new(Inner {
                kind,
                subject: subject.into(),
                message: message.into(),
                hint: None,
                candidates: Vec::new(),
            }),
        }
    }

    /// A text that cannot be read as what it should be.
    pub fn invalid(subject: impl Into<String>, message: impl Into<String>) -> Self {
        Self::new(ErrorKind::InvalidInput, subject, message)
    }

    /// The same error, of another thing.
    #[must_use]
    pub(crate) fn about(mut self, subject: impl Into<String>) -> Self {
        self.inner.subject = subject.into();
        self
    }

    /// A file of the dataset that is not what it should be.
    pub fn damaged(subject: impl Into<String>, message: impl Into<String>) -> Self {
        Self::new(ErrorKind::DatasetDamaged, subject, message)
            .with_hint("run `coverdex verify` to see what is damaged, then build or install the dataset again")
    }

    /// An operating-system error at a path.
    pub fn io(path: impl AsRef<std::path::Path>, error: &std::io::Error) -> Self {
        Self::new(ErrorKind::Io, path.as_ref().display().to_string(), error.to_string())
    }

    /// Adds the way out.
    #[must_use]
    pub fn with_hint(mut self, hint: impl Into<String>) -> Self {
        self.inner.hint = Some(hint.into());
        self
    }

    /// Adds what may have been meant, best first.
    #[must_use]
    pub fn with_candidates(mut self, candidates: impl IntoIterator<Item = String>) -> Self {
        self.inner.candidates = candidates.into_iter().collect();
        self
    }

    /// What went wrong, for programs.
    #[must_use]
    pub fn kind(&self) -> ErrorKind {
        self.inner.kind
    }

    /// The thing that the error is about.
    #[must_use]
    pub fn subject(&self) -> &str {
        &self.inner.subject
    }

    /// What is wrong with it.
    #[must_use]
    pub fn message(&self) -> &str {
        &self.inner.message
    }

    /// The way out, if there is one to name.
    #[must_use]
    pub fn hint(&self) -> Option<&str> {
        self.inner.hint.as_deref()
    }

    /// What may have been meant, best first.
    #[must_use]
    pub fn candidates(&self) -> &[String] {
        &self.inner.candidates
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.inner.subject, self.inner.message)
    }
}

impl std::error::Error for Error {}
