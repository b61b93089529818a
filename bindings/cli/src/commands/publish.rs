//! `coverdex pack`, `coverdex keys`, `coverdex sign` and `coverdex update`.

use std::fmt::Write as _;
use std::io::IsTerminal as _;
use std::path::Path;
use std::time::Duration;

use coverdex_core::{Cancel, Error, Result};
use coverdex_sync::publish::{
    self, From, PackOptions, Packed, PublicKey, TakeOptions, Taken, Trust, WebOptions, generate, pack, take,
};
use jiff::{SignedDuration, Timestamp};

use super::install::{Progress, stopped};
use crate::args::{KeysArgs, PackArgs, SignArgs, TakeArgs, TrustArgs, UpdateArgs};
use crate::failure::Exit;
use crate::interrupt;
use crate::json::{Document, KeysDocument, PackedDocument, SignedDocument, TakenDocument};
use crate::output::Output;
use crate::words;

/// The variable that holds a secret key's password.
const PASSWORD: &str = "COVERDEX_KEY_PASSWORD";

pub(super) fn pack_dataset(args: &PackArgs, output: Output) -> Result<Exit> {
    let options = PackOptions {
        series: args.series.clone(),
        number: args.number,
        expires: args.expires.as_deref().map(|text| expiry(text, Timestamp::now())).transpose()?,
        former: args.former.clone(),
    };
    let is_file = args.out.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("coverdex"));
    let packed = pack(&args.from, &args.out, is_file, &options, &Cancel::new())?;
    output.answer(|| Document::of(&PackedDocument::of(&packed, &args.out)), |_| packed_text(&packed, &args.out))?;
    Ok(Exit::Answered)
}

/// Until when a publisher stands by it.
fn expiry(text: &str, now: Timestamp) -> Result<Timestamp> {
    let wrong = || {
        Error::invalid(format!("expires {text:?}"), "it is no date, time or number of days")
            .with_hint("such as 2026-12-31, 2026-12-31T08:00:00Z or 45")
    };
    // A date is over when its last second is.
    let at = match (text.parse::<u16>(), text.len()) {
        (Ok(days), _) => now.checked_add(SignedDuration::from_hours(24 * i64::from(days))).map_err(|_| wrong())?,
        (_, 10) => format!("{text}T23:59:59Z").parse().map_err(|_| wrong())?,
        _ => text.parse::<Timestamp>().map_err(|_| wrong())?,
    };
    if at <= now {
        return Err(Error::invalid(format!("expires {text:?}"), "that is over already").with_hint("name a later day"));
    }
    Timestamp::from_second(at.as_second()).map_err(|_| wrong())
}

fn packed_text(packed: &Packed, out: &Path) -> String {
    let Packed { publication, files } = packed;
    let sum = |of: fn(&publish::PackedFile) -> u64| words::bytes(files.iter().map(of).sum());
    let mut text = format!(
        "publication {} of {} is in {}.\n",
        publication.number,
        words::shown(&publication.series),
        words::shown(&out.display().to_string())
    );
    let _ = writeln!(text, "  dataset {} as of {}", publication.dataset, publication.as_of);
    let count = words::count(files.len() as u64, "file", "files");
    let _ = writeln!(text, "  {count}, {} packed to {}", sum(|file| file.length), sum(|file| file.packed));
    let same = files.iter().filter(|file| file.is_same).count() as u64;
    if same > 0 || files.iter().any(|file| file.delta.is_some()) {
        let update = sum(|file| if file.is_same { 0 } else { file.delta.unwrap_or(file.packed) });
        let _ = writeln!(text, "  {} as before; an update fetches {update}", words::count(same, "file", "files"));
    }
    if let Some(expires) = &publication.expires {
        let _ = writeln!(text, "  expires {expires}");
    }
    let _ = writeln!(text, "  not signed yet: coverdex sign {} --key SECRET", words::shown(&out.display().to_string()));
    text
}

pub(super) fn keys(args: &KeysArgs, output: Output) -> Result<Exit> {
    let password = if args.no_password { None } else { Some(new_password()?) };
    let pair = generate(&args.name, password)?;
    output.answer(
        || Document::of(&KeysDocument::from(&pair)),
        |_| {
            let shown = |path: &Path| words::shown(&path.display().to_string());
            format!(
                "key {}\n  secret: {} (keep it, and a copy; who has it and its password can publish in your name)\n  \
                 public: {} (give it to everybody)\n  {}\n",
                pair.id,
                shown(&pair.secret),
                shown(&pair.public),
                pair.line
            )
        },
    )?;
    Ok(Exit::Answered)
}

pub(super) fn sign(args: &SignArgs, output: Output) -> Result<Exit> {
    let signed = publish::sign(&args.at, &args.key, &|| password("Password of the secret key: "))?;
    output.answer(
        || Document::of(&SignedDocument::of(&signed, &args.at)),
        |_| {
            let publish::Signed { publication, key } = &signed;
            let series = words::shown(&publication.series);
            format!("publication {} of {series} is signed with key {key}.\n", publication.number)
        },
    )?;
    Ok(Exit::Answered)
}

fn new_password() -> Result<String> {
    let first = password("Password for the new key: ")?;
    if std::env::var_os(PASSWORD).is_none() && password("Once more: ")? != first {
        return Err(Error::invalid("password", "the two differ").with_hint("try again"));
    }
    if first.is_empty() {
        return Err(Error::invalid("password", "it is empty").with_hint("use --no-password if that is meant"));
    }
    Ok(first)
}

/// A password, from the environment or from whoever sits before the terminal.
fn password(prompt: &str) -> Result<String> {
    if let Ok(password) = std::env::var(PASSWORD) {
        return Ok(password);
    }
    let nobody =
        |why: String| Error::invalid("password", why).with_hint(format!("set {PASSWORD} where nobody can be asked"));
    if !std::io::stdin().is_terminal() {
        return Err(nobody("the key has one, and there is no terminal to ask for it".to_owned()));
    }
    rpassword::prompt_password(prompt).map_err(|e| nobody(e.to_string()))
}

/// Whom one trusts, as it was typed.
pub(super) fn trust(args: &TrustArgs, unproved: bool) -> Result<Trust> {
    match &args.key {
        _ if unproved => Ok(Trust::Anyone),
        Some(key) => PublicKey::read(key).map(Trust::Key),
        None => Ok(Trust::NoKey),
    }
}

pub(super) fn update(args: &UpdateArgs, output: Output) -> Result<Exit> {
    let web =
        WebOptions { ca: args.ca.clone(), allow_http: args.allow_http, timeout: Duration::from_secs(args.timeout) };
    let trust = Trust::Key(PublicKey::read(&args.key)?);
    taken(&From::typed(&args.from, web), &args.store, trust, &args.take, output)
}

/// Takes a publication and says so.
pub(super) fn taken(from: &From, store: &Path, trust: Trust, args: &TakeArgs, output: Output) -> Result<Exit> {
    let options = TakeOptions {
        older: args.older,
        series: args.series.clone(),
        again: args.again,
        republished: args.republished.clone(),
        ..TakeOptions::new(trust)
    };
    let cancel = interrupt::token(output)?;
    let shown = Progress::new(output, "asking for the publication");
    let taken = take(from, store, &options, &|at| shown.taking(at), &cancel)
        .map_err(|error| stopped(error, store, "the same command goes on where this one ended"))?;
    drop(shown);
    for remark in &taken.remarks {
        Output::always(&format!("note: {}", words::shown(remark)));
    }
    output.answer(|| Document::of(&TakenDocument::from(&taken)), |_| taken_text(&taken, store))?;
    Ok(Exit::Answered)
}

fn taken_text(taken: &Taken, store: &Path) -> String {
    let Taken { installed, publication, .. } = taken;
    let (series, store) = (words::shown(&publication.series), words::shown(&store.display().to_string()));
    let is_live = if taken.is_up_to_date { "was live" } else { "is live" };
    let mut text = format!("publication {} of {series} {is_live} in {store}.\n", publication.number);
    let _ = writeln!(text, "  dataset {} as of {}", installed.dataset, installed.as_of);
    let proof = taken
        .key
        .as_ref()
        .map_or_else(|| "nothing proves who made it".to_owned(), |key| format!("proved by key {key}"));
    let _ = writeln!(text, "  {proof}; every byte checked");
    if !taken.is_up_to_date {
        let fetched = words::bytes(taken.fetched_bytes);
        let _ = writeln!(
            text,
            "  {} as before, {} by what differs, {} whole: {fetched} of {}",
            words::count(taken.unchanged, "file", "files"),
            taken.by_delta,
            taken.whole,
            words::bytes(publication.packed_bytes())
        );
    }
    if let Some(former) = &installed.former {
        let _ = writeln!(text, "  the one before stays in {}", words::shown(&former.display().to_string()));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn expiry_is_a_date_a_time_or_days() {
        let now: Timestamp = "2026-01-31T08:00:00.5Z".parse().unwrap();
        for (text, at) in [
            ("2026-03-01", "2026-03-01T23:59:59Z"),
            ("2026-03-01T12:00:00+02:00", "2026-03-01T10:00:00Z"),
            ("10", "2026-02-10T08:00:00Z"),
        ] {
            assert_eq!(expiry(text, now).unwrap().to_string(), at, "{text}");
        }
        for wrong in ["", "soon", "2026-02-30", "-1", "0", "2025-12-31", "99999"] {
            assert_eq!(expiry(wrong, now).unwrap_err().kind(), coverdex_core::ErrorKind::InvalidInput, "{wrong}");
        }
    }
}
