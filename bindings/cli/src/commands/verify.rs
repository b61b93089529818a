//! `coverdex verify`.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use coverdex_core::{Cancel, Result, verify};
use coverdex_sync::publish::{Trust, check, check_installed, is_publication};

use super::publish;
use crate::args::VerifyArgs;
use crate::data::paths;
use crate::failure::{Exit, Failure};
use crate::json::{CheckedDocument, Document, ProvedDocument, VerifiedDocument};
use crate::output::Output;
use crate::words;

pub(super) fn run(args: &VerifyArgs, data: &[PathBuf], output: Output) -> Result<Exit> {
    let paths = args.path.as_ref().map_or_else(|| paths(data), |path| vec![path.clone()]);
    if let [only] = paths.as_slice()
        && (is_publication(only) || args.trust.key.is_some())
    {
        return prove(only, args, output);
    }
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

/// Verifies a publication, or a store's dataset with a key.
fn prove(path: &Path, args: &VerifyArgs, output: Output) -> Result<Exit> {
    let (trust, shown) = (publish::trust(&args.trust, args.unproved)?, path.display().to_string());
    if !is_publication(path) {
        let proved = check_installed(path, &trust, &Cancel::new())?;
        output.answer(
            || Document::of(&ProvedDocument::of(&proved, shown.clone())),
            |_| whole(&shown, &proved.verified) + &signed(&proved.published.series, proved.published.number, &trust),
        )?;
        return Ok(Exit::Answered);
    }
    let checked = check(path, &trust, &Cancel::new())?;
    output.answer(
        || Document::of(&CheckedDocument::of(&checked, shown.clone())),
        |_| {
            let publication = &checked.publication;
            let files = words::count(publication.files.len() as u64 + 1, "file", "files");
            let (packed, bytes) = (words::bytes(checked.packed_bytes), words::bytes(checked.bytes));
            let mut text =
                format!("{}: whole. {files}, {packed} hashed and unpacked to {bytes}.\n", words::shown(&shown));
            let _ = writeln!(text, "  dataset {} as of {}", publication.dataset, publication.as_of);
            text + &signed(&publication.series, publication.number, &trust)
        },
    )?;
    Ok(Exit::Answered)
}

fn signed(series: &str, number: u64, trust: &Trust) -> String {
    let series = words::shown(series);
    match trust {
        Trust::Key(key) => format!("  publication {number} of {series}, proved by key {}\n", key.id()),
        Trust::NoKey | Trust::Anyone => format!("  publication {number} of {series}; nothing proves who made it\n"),
    }
}

fn whole(path: &str, verified: &coverdex_core::Verified) -> String {
    let mut text = String::new();
    let files = words::count(verified.files as u64, "file", "files");
    let _ = writeln!(text, "{path}: whole. {files}, {} hashed.", words::bytes(verified.bytes));
    let _ = writeln!(text, "  dataset {}", verified.dataset);
    text
}
