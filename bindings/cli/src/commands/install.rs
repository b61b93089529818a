//! `coverdex install` and `coverdex rollback`.

use std::fmt::Write as _;

use coverdex_core::{Cancel, Error, ErrorKind, Installed, Result, Store};
use coverdex_sync::publish::{From, is_publication};

use super::publish;
use crate::args::{InstallArgs, RollbackArgs};
use crate::failure::Exit;
use crate::json::{Document, InstalledDocument};
use crate::output::Output;
use crate::words;

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
    let installed = Store::open_or_create(&args.into)?.install(&args.from, &Cancel::new())?;
    let how = if installed.was_there { "it was in the store" } else { "every byte checked" };
    tell(&installed, &format!("is live in {}; {how}", words::shown(&args.into.display().to_string())), output)
}

pub(super) fn roll_back(args: &RollbackArgs, output: Output) -> Result<Exit> {
    let installed = Store::open(&args.store)?.rollback(&Cancel::new())?;
    tell(&installed, &format!("is live in {} again", words::shown(&args.store.display().to_string())), output)
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
