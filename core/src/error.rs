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
    /// Truncated, altered or inconsistent: reading it again will not help. Nothing that the system
    /// refuses, or that may pass, is called so.
    DatasetDamaged,
    /// Written by a newer Coverdex than this one reads.
    DatasetTooNew,
    /// A publication that must not be taken: not signed, signed with another key, older than what was there, or of
    /// another series. Its bytes may be whole.
    Refused,
    /// The operating system refused (permission, memory, open files, full disk, …), or the dataset was
    /// removed, replaced or written to while it was read: the dataset may be whole.
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
            Self::Refused => "refused",
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
    damages: Vec<Damage>,
    /// What the operating system said.
    io: Option<std::io::ErrorKind>,
    /// The dataset was removed or replaced while it was read.
    moved: bool,
}

/// A damaged file of a dataset.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Damage {
    /// The file.
    pub file: String,
    /// What is wrong with it.
    pub message: String,
}

impl Damage {
    /// What an error says of its file.
    pub(crate) fn of(error: &Error) -> Self {
        Self { file: error.subject().to_owned(), message: error.message().to_owned() }
    }

    /// Keeps what is damaged; any other error ends the check, as it says nothing of the file.
    pub(crate) fn collect(checked: Result<()>, damages: &mut Vec<Self>) -> Result<()> {
        match checked {
            Err(error) if error.kind() == ErrorKind::DatasetDamaged => damages.push(Self::of(&error)),
            other => return other,
        }
        Ok(())
    }
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
                damages: Vec::new(),
                io: None,
                moved: false,
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

    /// The same damage with other words for what is wrong; an error of another kind stays as it is.
    #[must_use]
    pub(crate) fn saying(mut self, message: impl Into<String>) -> Self {
        if self.inner.kind == ErrorKind::DatasetDamaged {
            self.inner.message = message.into();
        }
        self
    }

    /// A file of the dataset that is not what it should be.
    pub fn damaged(subject: impl Into<String>, message: impl Into<String>) -> Self {
        Self::new(ErrorKind::DatasetDamaged, subject, message)
            .with_hint("verify the dataset to see all that is damaged, then build or install it again")
    }

    /// The damages of a dataset as one error: the first of them, which tells of all.
    pub(crate) fn of_damages(damages: Vec<Damage>) -> Option<Self> {
        let first = damages.first()?.clone();
        let mut error = Self::damaged(first.file, first.message);
        error.inner.damages = damages;
        Some(error)
    }

    /// An operating-system error at a path.
    pub fn io(path: impl AsRef<std::path::Path>, error: &std::io::Error) -> Self {
        let mut own = Self::new(ErrorKind::Io, path.as_ref().display().to_string(), error.to_string());
        own.inner.io = Some(error.kind());
        own
    }

    /// A dataset whose folder is no longer there.
    pub(crate) fn gone(folder: &std::path::Path) -> Self {
        Self::moved(folder, "it was removed, or replaced by another, while it was open")
    }

    /// A dataset whose folder holds another one now.
    pub(crate) fn replaced(folder: &std::path::Path) -> Self {
        Self::moved(folder, "it was replaced by another dataset, or written to, while it was open")
    }

    fn moved(folder: &std::path::Path, what: &str) -> Self {
        let mut error = Self::new(ErrorKind::Io, format!("dataset {}", folder.display()), what);
        error.inner.moved = true;
        error.with_hint("open it again")
    }

    /// Whether a dataset was removed or replaced while it was read.
    pub(crate) fn is_moved(&self) -> bool {
        self.inner.moved
    }

    /// Whether the operating system did not find something.
    pub(crate) fn is_not_found(&self) -> bool {
        matches!(self.inner.io, Some(std::io::ErrorKind::NotFound | std::io::ErrorKind::NotADirectory))
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

    /// Every damaged file, where a whole dataset was verified.
    #[must_use]
    pub fn damages(&self) -> &[Damage] {
        &self.inner.damages
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.inner.subject, self.inner.message)
    }
}

impl std::error::Error for Error {}
