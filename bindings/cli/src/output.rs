//! The only place that prints: an answer as a JSON document or as text on standard output, an error
//! for people on standard error. A reader that hangs up (`coverdex … | head`) is no failure.

use std::io::{self, IsTerminal as _, Write};

use comfy_table::Table;
use coverdex_core::{Error, Result};

use crate::failure::Failure;
use crate::json;

/// Columns where no terminal tells how many there are.
const WIDTH_UNTOLD: u16 = 100;

/// What the reader's terminal can show.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Look {
    /// Columns.
    pub(crate) width: u16,
    /// Whether colors are wanted.
    pub(crate) color: bool,
}

/// Where answers go.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Output {
    json: bool,
    look: Look,
}

impl Look {
    fn of_stdout() -> Self {
        let variable = |name| std::env::var(name).unwrap_or_default();
        let terminal = io::stdout().is_terminal();
        let width = match Table::new().width() {
            Some(width) if terminal => width,
            _ => variable("COLUMNS").parse().unwrap_or(WIDTH_UNTOLD),
        };
        let color = terminal && variable("NO_COLOR").is_empty() && variable("TERM") != "dumb";
        Self { width: width.max(40), color }
    }
}

impl Output {
    pub(crate) fn new(json: bool) -> Self {
        Self { json, look: Look::of_stdout() }
    }

    /// Prints an answer: the document, or what `text` makes of it for people.
    pub(crate) fn answer(
        self,
        document: impl FnOnce() -> Result<json::Document>,
        text: impl FnOnce(Look) -> String,
    ) -> Result<()> {
        let bytes = if self.json { document()?.0 } else { text(self.look).into_bytes() };
        said(print(&mut io::stdout().lock(), &bytes))
    }

    /// Prints an answer that has one form for people and programs.
    pub(crate) fn text(text: &str) -> Result<()> {
        said(print(&mut io::stdout().lock(), text.as_bytes()))
    }

    /// Prints why there is no answer.
    pub(crate) fn failure(self, failure: &Failure) {
        if self.json {
            // What cannot be told on standard output shows in the exit code alone.
            if let Ok(document) = json::Document::of(&json::ErrorDocument::from(failure)) {
                let _ = print(&mut io::stdout().lock(), &document.0);
            }
        } else {
            let _ = print(&mut io::stderr().lock(), failure.text().as_bytes());
        }
    }

    /// Prints one of several JSON documents, a line each.
    pub(crate) fn line(document: &json::Document) {
        let _ = print(&mut io::stdout().lock(), &document.0);
    }

    /// Tells people something on the way, beside the answer.
    pub(crate) fn remark(self, text: &str) {
        if !self.json {
            let _ = print(&mut io::stderr().lock(), text.as_bytes());
        }
    }

    /// As [`remark`](Self::remark), for programs too: somebody has to act on it.
    pub(crate) fn always(text: &str) {
        let _ = print(&mut io::stderr().lock(), text.as_bytes());
    }

    /// Prints help or a version, with clap's own colors.
    pub(crate) fn help(error: &clap::Error) {
        let _ = error.print();
    }

    /// What the reader's terminal can show.
    #[cfg(feature = "sandbox")]
    pub(crate) fn look(self) -> Look {
        self.look
    }

    pub(crate) fn is_json(self) -> bool {
        self.json
    }
}

fn print(to: &mut impl Write, bytes: &[u8]) -> io::Result<()> {
    to.write_all(bytes)?;
    if bytes.last() != Some(&b'\n') {
        to.write_all(b"\n")?;
    }
    to.flush()
}

fn said(printed: io::Result<()>) -> Result<()> {
    match printed {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(Error::io("standard output", &error)),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Full(io::ErrorKind);

    impl Write for Full {
        fn write(&mut self, _: &[u8]) -> io::Result<usize> {
            Err(self.0.into())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn a_reader_that_hangs_up_is_no_failure_and_a_full_disk_is() {
        assert!(said(print(&mut Full(io::ErrorKind::BrokenPipe), b"answer")).is_ok());
        assert!(said(print(&mut Full(io::ErrorKind::StorageFull), b"answer")).is_err());
    }

    #[test]
    fn every_answer_ends_its_line() {
        let mut out = Vec::new();
        print(&mut out, b"[]").unwrap();
        print(&mut out, b"text\n").unwrap();
        assert_eq!(out, b"[]\ntext\n");
    }
}
