//! Why there is no answer, and the exit code that says so.

use std::process::ExitCode;
use std::sync::{Arc, Mutex, PoisonError};

use clap::error::{ContextKind, ContextValue};
use coverdex_core::{Damage, Error, ErrorKind};

use crate::words;

/// How a command ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Exit {
    /// Answered.
    Answered = 0,
    /// Asked for something that is not there, or that several things fit.
    NotThere = 1,
    /// Wrong usage.
    Usage = 2,
    /// Dataset bad or missing, or a file that cannot be read or written.
    Dataset = 3,
    /// Sync incomplete, stopped by whoever started it, or the network failed.
    Sync = 4,
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit as u8)
    }
}

/// The last panic's words and place.
#[derive(Clone, Debug, Default)]
pub(crate) struct LastPanic(Arc<Mutex<String>>);

/// Keeps panics quiet: those on damaged bytes are caught where they are read and become errors; one
/// that nothing catches is reported by [`LastPanic::failure`].
pub(crate) fn watch_panics() -> LastPanic {
    let last = LastPanic::default();
    let slot = last.clone();
    std::panic::set_hook(Box::new(move |panic| {
        *slot.0.lock().unwrap_or_else(PoisonError::into_inner) = panic.to_string();
    }));
    last
}

impl LastPanic {
    pub(crate) fn failure(&self) -> Failure {
        let words = self.0.lock().unwrap_or_else(PoisonError::into_inner).clone();
        Failure {
            kind: "internal",
            subject: "coverdex".to_owned(),
            message: format!("a mistake in the program: {}", words.split_whitespace().collect::<Vec<_>>().join(" ")),
            hint: Some("`coverdex verify` tells whether the dataset is to blame; else report this line".to_owned()),
            candidates: Vec::new(),
            damages: Vec::new(),
            exit: Exit::Dataset,
        }
    }
}

/// An error as the command reports it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Failure {
    pub(crate) kind: &'static str,
    pub(crate) subject: String,
    pub(crate) message: String,
    pub(crate) hint: Option<String>,
    pub(crate) candidates: Vec<String>,
    /// Every damaged file, where a dataset was verified.
    pub(crate) damages: Vec<Damage>,
    pub(crate) exit: Exit,
}

/// What to type, where the library can only say what to do: by the kind of an error and what it is about.
fn what_to_type(error: &Error) -> Option<&'static str> {
    let is_of = |what: &str| error.subject().starts_with(what);
    Some(match error.kind() {
        ErrorKind::DatasetMissing if is_of("dataset ") => {
            "make one with `coverdex build --from FOLDER --out STORE`, or name the folder of another"
        }
        // What is wrong with a publication or a store's record has a way out of its own.
        ErrorKind::DatasetDamaged if error.hint().is_some_and(|hint| !hint.starts_with("verify the dataset")) => {
            return None;
        }
        ErrorKind::DatasetDamaged if error.damages().is_empty() => {
            "run `coverdex verify` to see all that is damaged, then build or install the dataset again"
        }
        ErrorKind::DatasetDamaged => "build or install the dataset again",
        ErrorKind::Io if error.hint().is_none() => {
            "see that it is there, that you may read it and write beside it, and that the disk has room"
        }
        ErrorKind::Ambiguous | ErrorKind::NotFound
            if is_of("NPI ") && error.hint().is_some_and(|hint| hint.contains("words of its name")) =>
        {
            "say which with --name and words of its name"
        }
        _ => match error.hint()? {
            "list the plans that are there" => "`coverdex plans` lists the plans that are there",
            "log in first" => "run `coverdex login` first",
            "to find a name, search providers by it" => "`coverdex providers --name NAME` finds a name",
            "log in again" => "run `coverdex login` again",
            hint if hint.starts_with("log in without a browser") => {
                "use --no-browser and paste the address that the browser ends at"
            }
            hint if hint.starts_with("say when the data was read") => {
                "say when the data was read with --as-of 2026-01-31"
            }
            _ => return None,
        },
    })
}

impl From<&Error> for Failure {
    fn from(error: &Error) -> Self {
        let exit = match error.kind() {
            ErrorKind::InvalidInput => Exit::Usage,
            ErrorKind::NotFound | ErrorKind::Ambiguous => Exit::NotThere,
            ErrorKind::Sync | ErrorKind::Interrupted => Exit::Sync,
            // DatasetMissing, DatasetDamaged, DatasetTooNew, Refused, Io, and kinds yet to come.
            _ => Exit::Dataset,
        };
        Self {
            kind: error.kind().as_str(),
            subject: error.subject().to_owned(),
            message: error.message().to_owned(),
            hint: what_to_type(error).or(error.hint()).map(str::to_owned),
            candidates: error.candidates().to_vec(),
            damages: error.damages().to_vec(),
            exit,
        }
    }
}

impl From<&clap::Error> for Failure {
    fn from(error: &clap::Error) -> Self {
        let laid_out = error.to_string();
        let mut candidates = Vec::new();
        for kind in [ContextKind::SuggestedSubcommand, ContextKind::SuggestedArg, ContextKind::SuggestedValue] {
            match error.get(kind) {
                Some(ContextValue::String(text)) => candidates.push(text.clone()),
                Some(ContextValue::Strings(texts)) => candidates.extend(texts.iter().cloned()),
                _ => {}
            }
        }
        let subject =
            [ContextKind::InvalidSubcommand, ContextKind::InvalidArg].iter().find_map(|kind| match error.get(*kind) {
                Some(ContextValue::String(text)) => Some(text.clone()),
                Some(ContextValue::Strings(texts)) => Some(texts.join(", ")),
                _ => None,
            });
        let first_lines: Vec<&str> =
            laid_out.lines().take_while(|line| !line.trim().is_empty()).map(str::trim).collect();
        let message = first_lines.join(" ");
        Self {
            kind: "usage",
            subject: subject.unwrap_or_else(|| "coverdex".to_owned()),
            message: message.strip_prefix("error: ").unwrap_or(&message).to_owned(),
            hint: Some("`coverdex --help` shows the commands, `coverdex COMMAND --help` teaches one".to_owned()),
            candidates,
            damages: Vec::new(),
            exit: Exit::Usage,
        }
    }
}

impl Failure {
    /// For people.
    pub(crate) fn text(&self) -> String {
        let mut text = format!("error: {}: {}\n", one_line(&self.subject), one_line(&self.message));
        // The first is what the line above says.
        for damage in self.damages.iter().skip(1) {
            text.push_str(&format!("       {}: {}\n", one_line(&damage.file), one_line(&damage.message)));
        }
        match self.candidates.as_slice() {
            [] => {}
            candidates => {
                text.push_str("  did you mean:\n");
                for candidate in candidates {
                    text.push_str("    ");
                    text.push_str(&one_line(candidate));
                    text.push('\n');
                }
            }
        }
        if let Some(hint) = &self.hint {
            text.push_str("  hint: ");
            text.push_str(hint);
            text.push('\n');
        }
        text
    }
}

/// What is repeated of somebody's words: in one line, not longer than it need be, and nothing that drives
/// the terminal.
fn one_line(text: &str) -> String {
    const MOST: usize = 400;
    let shown = words::shown(text).replace('\n', " ");
    if shown.chars().count() <= MOST {
        return shown;
    }
    shown.chars().take(MOST).chain("…".chars()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_kind_has_its_exit_code() {
        for (kind, exit) in [
            (ErrorKind::NotFound, Exit::NotThere),
            (ErrorKind::Ambiguous, Exit::NotThere),
            (ErrorKind::InvalidInput, Exit::Usage),
            (ErrorKind::DatasetMissing, Exit::Dataset),
            (ErrorKind::DatasetDamaged, Exit::Dataset),
            (ErrorKind::DatasetTooNew, Exit::Dataset),
            (ErrorKind::Refused, Exit::Dataset),
            (ErrorKind::Io, Exit::Dataset),
            (ErrorKind::Interrupted, Exit::Sync),
            (ErrorKind::Sync, Exit::Sync),
        ] {
            assert_eq!(Failure::from(&Error::new(kind, "thing", "wrong")).exit, exit, "{kind:?}");
        }
    }

    #[test]
    fn what_was_typed_cannot_drive_the_terminal() {
        let error = Error::new(ErrorKind::NotFound, format!("plan x\u{1b}[31m\n{}", "y".repeat(5_000)), "not here");
        let text = Failure::from(&error).text();
        assert!(text.starts_with("error: plan x [31m yy") && text.ends_with("y…: not here\n"), "{text}");
        assert!(text.lines().count() == 1 && text.len() < 500);
    }

    #[test]
    fn people_read_what_is_wrong_what_was_meant_and_the_way_out() {
        let error = Error::new(ErrorKind::NotFound, "plan H1", "not in this dataset")
            .with_candidates(["H1234-567-000-2026 Gold".to_owned()]);
        let text = "error: plan H1: not in this dataset\n  did you mean:\n    H1234-567-000-2026 Gold\n".to_owned();
        assert_eq!(Failure::from(&error).text(), text);
        let hinted = |hint: &str| Failure::from(&error.clone().with_hint(hint)).text();
        let typed = "  hint: `coverdex plans` lists the plans that are there\n";
        assert_eq!(hinted("list the plans that are there"), text.clone() + typed);
        assert_eq!(hinted("name the year"), text + "  hint: name the year\n");
    }
}
