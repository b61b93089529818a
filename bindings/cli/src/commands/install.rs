//! `coverdex install` and `coverdex rollback`.

mod progress;

use std::fmt::Write as _;
use std::path::Path;

use coverdex_core::{Error, ErrorKind, Installed, Result, Store};
use coverdex_sync::publish::{From, is_publication};

pub(super) use self::progress::Progress;
use super::publish;
use crate::args::{InstallArgs, RollbackArgs};
use crate::failure::Exit;
use crate::interrupt;
use crate::json::{Document, InstalledDocument};
use crate::output::Output;
use crate::words;

/// How to go on after a stop, where nothing of what was done is kept.
const BEGINS_ANEW: &str = "the same command begins anew";

pub(super) fn run(args: &InstallArgs, output: Output) -> Result<Exit> {
    if is_publication(&args.from) {
        let trust = publish::trust(&args.trust, args.unproved)?;
        return publish::taken(&From::Path(args.from.clone()), &args.into, trust, &args.take, output);
    }
    if args.trust.key.is_some() {
        let what = "it is no publication: a dataset's folder has no signature that a key could prove";
        return Err(Error::new(ErrorKind::Refused, words::shown(&args.from.display().to_string()), what)
            .with_hint("install it without --key, or name the publication's folder or file"));
    }
    let cancel = interrupt::token(output)?;
    let shown = Progress::new(output, "copying and checking the dataset");
    let installed = Store::open_or_create(&args.into)?
        .install(&args.from, &cancel)
        .map_err(|error| stopped(error, &args.into, BEGINS_ANEW))?;
    drop(shown);
    let how = if installed.was_there { "it was in the store" } else { "every byte checked" };
    tell(&installed, &format!("is live in {}; {how}", words::shown(&args.into.display().to_string())), output)
}

pub(super) fn roll_back(args: &RollbackArgs, output: Output) -> Result<Exit> {
    let cancel = interrupt::token(output)?;
    let shown = Progress::new(output, "checking the dataset before");
    let rolled_back = Store::open(&args.store)?.rollback(&cancel);
    let installed = rolled_back.map_err(|error| stopped(error, &args.store, BEGINS_ANEW))?;
    drop(shown);
    tell(&installed, &format!("is live in {} again", words::shown(&args.store.display().to_string())), output)
}

/// What an install that was stopped says: nothing changed, and how to go on.
pub(super) fn stopped(error: Error, store: &Path, how_to_go_on: &str) -> Error {
    if error.kind() != ErrorKind::Interrupted {
        return error;
    }
    let live = Store::open(store).ok().and_then(|store| store.live());
    let what = match live.as_deref().and_then(Path::file_name) {
        Some(live) => format!("stopped; {} is live as before", live.display()),
        None => "stopped; no dataset is live in it yet".to_owned(),
    };
    Error::new(ErrorKind::Interrupted, format!("store {}", words::shown(&store.display().to_string())), what)
        .with_hint(how_to_go_on)
}

fn tell(installed: &Installed, what: &str, output: Output) -> Result<Exit> {
    output.answer(
        || Document::of(&InstalledDocument::from(installed)),
        |_| {
            let Installed { dataset, as_of, bytes, .. } = installed;
            let mut text = format!("dataset {dataset} as of {as_of} ({}) {what}.\n", words::bytes(*bytes));
            if let Some(former) = &installed.former {
                let _ = writeln!(text, "  the one before stays in {}", words::shown(&former.display().to_string()));
            }
            text
        },
    )?;
    Ok(Exit::Answered)
}
