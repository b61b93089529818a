//! `coverdex verify`.

use std::fmt::Write as _;
use std::path::PathBuf;

use coverdex_core::{Result, verify};

use crate::data::paths;
use crate::failure::{Exit, Failure};
use crate::json::{Document, VerifiedDocument};
use crate::output::Output;
use crate::words;

pub(super) fn run(data: &[PathBuf], output: Output) -> Result<Exit> {
    let paths = paths(data);
    if let [only] = paths.as_slice() {
        let verified = verify(only)?;
        let shown = only.display().to_string();
        output.answer(
            || Document::of(&VerifiedDocument::whole(shown.clone(), &verified)),
            |_| whole(&shown, &verified),
        )?;
        return Ok(Exit::Answered);
    }
    let checked: Vec<(String, std::result::Result<_, Failure>)> = paths
        .iter()
        .map(|path| (path.display().to_string(), verify(path).map_err(|error| Failure::from(&error))))
        .collect();
    output.answer(
        || {
            let documents: Vec<VerifiedDocument<'_>> = checked
                .iter()
                .map(|(path, checked)| match checked {
                    Ok(verified) => VerifiedDocument::whole(path.clone(), verified),
                    Err(failure) => VerifiedDocument::damaged(path.clone(), failure),
                })
                .collect();
            Document::of(&documents)
        },
        |_| {
            checked.iter().fold(String::new(), |text, (path, checked)| match checked {
                Ok(verified) => text + &whole(path, verified),
                Err(failure) => text + &format!("{path}: not whole\n  {}", failure.text()),
            })
        },
    )?;
    Ok(checked.into_iter().find_map(|(_, checked)| checked.err()).map_or(Exit::Answered, |failure| failure.exit))
}

fn whole(path: &str, verified: &coverdex_core::Verified) -> String {
    let mut text = String::new();
    let files = words::count(verified.files as u64, "file", "files");
    let _ = writeln!(text, "{path}: whole. {files}, {} hashed.", words::bytes(verified.bytes));
    let _ = writeln!(text, "  dataset {}", verified.dataset);
    text
}
