//! Facts in, a dataset out: folded, numbered, written, sealed and put live. The only place that
//! writes a dataset.

mod directory;
mod drugs;
mod intern;
mod report;
mod seal;
mod shelves;
mod text_index;

use std::path::{Path, PathBuf};

use crate::threads::thread_pool;
use coverdex_core::build::format::{self, DIRECTORY_PART, DRUGS_PART, Manifest, Part};
use coverdex_core::build::store::Unfinished;
use coverdex_core::{Cancel, Error, ErrorKind, Result, Store};
use rusqlite::{Connection, params};

pub use report::{Counts, Report};

use crate::geography::Gazetteer;
use crate::model::{Day, Received};
use crate::source::{Seen, Source};
use crate::tiers::TierMap;

/// How a dataset is built.
#[derive(Clone, Debug, Default)]
pub struct BuildOptions {
    /// What the source saw of the payer.
    pub seen: Seen,
    /// What the publisher says of the payer's tiers.
    pub tiers: TierMap,
    /// Ends the build between two of its steps; the former dataset stays live.
    pub cancel: Cancel,
}

/// An error if the token was cancelled.
///
/// # Errors
/// [`Interrupted`](ErrorKind::Interrupted).
pub fn not_cancelled(cancel: &Cancel) -> Result<()> {
    if cancel.is_cancelled() {
        return Err(Error::new(ErrorKind::Interrupted, "build", "cancelled"));
    }
    Ok(())
}

/// A dataset that was built and is live.
#[derive(Clone, Debug)]
pub struct Built {
    /// Its folder inside the store.
    pub folder: PathBuf,
    /// Its manifest.
    pub manifest: Manifest,
    /// What became of the resources.
    pub report: Report,
    /// Other versions of resources that came too and were not the newest.
    pub repeats: u64,
    /// Tiers that the publisher's settings name and no resource has.
    pub unused_tiers: Vec<String>,
}

/// Takes facts in any order and from any thread, then builds a dataset of them. It holds its store: another build of it
/// or install into it is refused meanwhile.
pub struct Builder<'a> {
    drugs: drugs::Collector,
    directory: directory::Collector,
    /// Takes also what does not fit in memory, in files without names that are closed before it is moved or removed.
    work: Unfinished<'a>,
}

impl<'a> Builder<'a> {
    /// Begins a dataset in a store.
    ///
    /// # Errors
    /// [`Io`](ErrorKind::Io) if the system refuses, or another build or install is writing to the store.
    pub fn new(store: &'a Store) -> Result<Self> {
        let work = store.begin()?;
        let (drugs, directory) = (drugs::Collector::new(work.folder()), directory::Collector::new(work.folder()));
        Ok(Self { drugs, directory, work })
    }

    /// Takes all that a source has, and gives what the source says of it.
    ///
    /// # Errors
    /// As reading the source, [`Io`](ErrorKind::Io) if temporary files cannot be written, and
    /// [`Interrupted`](ErrorKind::Interrupted) if the token was cancelled.
    pub fn read<S: Source>(&self, source: &S, cancel: &Cancel) -> Result<(Seen, S::Counts)> {
        source.read(&|batch| {
            not_cancelled(cancel)?;
            self.take(batch)
        })
    }

    /// Takes a batch of resources.
    ///
    /// # Errors
    /// [`Io`](ErrorKind::Io) if temporary files cannot be written.
    pub fn take(&self, batch: Vec<Received>) -> Result<()> {
        self.directory.take(&batch)?;
        self.drugs.take(batch)
    }

    /// Builds the dataset and makes it the live one of its store. `crawl` is what is to be remembered
    /// of the way here: it stands beside the manifest and is no part of the dataset. The former
    /// dataset stays live until the new one is complete, and on disk until the one after it.
    ///
    /// # Errors
    /// [`InvalidInput`](ErrorKind::InvalidInput) if nothing was received,
    /// [`Io`](ErrorKind::Io) if the system refuses.
    pub fn build(self, options: &BuildOptions, crawl: &serde_json::Value) -> Result<Built> {
        let folder = self.work.folder().to_owned();
        let built = thread_pool(0)?.install(|| self.build_with_threads(options, crawl));
        built.map_err(|error| placed(error, &folder))
    }

    fn build_with_threads(self, options: &BuildOptions, crawl: &serde_json::Value) -> Result<Built> {
        // Dropped last: what is spilled is closed before the folder goes.
        let Self { work, drugs: said, directory } = self;
        let mut report = Report::default();
        let database_path = work.folder().join(format::DATABASE);
        let database = create_database(&database_path)?;
        Gazetteer::get().write_tables(&database).map_err(sql)?;
        let heard = directory::Heard::of(directory)?;
        let says = drugs::OtherFacts {
            gaps: &options.seen.missing.formularies,
            tiers: &options.tiers,
            elsewhere: heard.elsewhere(),
        };
        not_cancelled(&options.cancel)?;
        let drugs = drugs::build(said, &database, &says, work.folder(), &mut report)?;
        let newest = drugs.newest.max(heard.newest());
        let as_of = match &options.seen.as_of {
            Some(stated) => Some(parse_as_of(stated)?),
            None => newest.map(timestamp).transpose()?,
        };
        // Without a date nothing is built: the day does not matter then.
        let today = as_of.as_deref().map(day_of).transpose()?.unwrap_or_default();
        let around = directory::Around { gazetteer: Gazetteer::get(), gaps: &options.seen.missing.networks, today };
        not_cancelled(&options.cancel)?;
        let directory = directory::build(heard, &around, work.folder(), &mut report)?;
        not_cancelled(&options.cancel)?;
        if report.types().next().is_none() {
            return Err(Error::new(
                ErrorKind::InvalidInput,
                "build",
                "no resource was received that a dataset is made of",
            )
            .with_hint("List, MedicationKnowledge, Medication and InsurancePlan resources make the drug half, PractitionerRole, Practitioner, Organization and Location the directory"));
        }
        write_report(&database, &report).map_err(sql)?;
        if let Some(document) = &options.seen.report {
            database.execute("INSERT INTO sync_report VALUES (?1)", [document]).map_err(sql)?;
        }
        close_database(database)?;
        let as_of = as_of.ok_or_else(|| {
            Error::invalid("as-of", "no resource says when it was last updated")
                .with_hint("say when the data was read, as 2026-01-31")
        })?;
        let mut manifest = Manifest::new(as_of, options.seen.sources.clone());
        manifest.counts.extend(drugs.counts.iter().map(|(name, count)| ((*name).to_owned(), *count)));
        manifest.parts.push(part(DRUGS_PART, &options.seen));
        let mut repeats = drugs.repeats;
        if let Some(directory) = directory {
            manifest.counts.extend(directory.counts.into_iter().map(|(name, count)| (name.to_owned(), count)));
            manifest.parts.push(part(DIRECTORY_PART, &options.seen));
            repeats += directory.repeats;
        }
        not_cancelled(&options.cancel)?;
        let (folder, manifest) = seal::seal(work, manifest, crawl)?;
        Ok(Built { folder, manifest, report, repeats, unused_tiers: drugs.unused_tiers })
    }
}

fn part(name: &str, seen: &Seen) -> Part {
    Part { name: name.to_owned(), as_of: seen.later.get(name).cloned() }
}

/// Nanoseconds since 1970 as RFC 3339 in UTC.
fn timestamp(nanoseconds: i64) -> Result<String> {
    jiff::Timestamp::from_nanosecond(i128::from(nanoseconds))
        .map(|timestamp| timestamp.to_string())
        .map_err(|e| Error::invalid("as-of", e.to_string()))
}

/// The day in UTC of a date or of a date and time.
fn day_of(as_of: &str) -> Result<Day> {
    let stamp: jiff::Timestamp = parse_as_of(as_of)?.parse().map_err(|e: jiff::Error| {
        Error::invalid(format!("as-of {as_of:?}"), e.to_string()).with_hint("write it as 2026-01-31")
    })?;
    let days = stamp.as_second().div_euclid(24 * 60 * 60);
    Day::try_from(days).map_err(|e| Error::invalid(format!("as-of {as_of:?}"), e.to_string()))
}

/// A date or date and time as the manifest writes it.
///
/// # Errors
/// [`InvalidInput`](ErrorKind::InvalidInput) if it is neither.
pub fn parse_as_of(text: &str) -> Result<String> {
    let stamp: Result<jiff::Timestamp, _> = text.trim().parse();
    let date: Result<jiff::civil::Date, _> = text.trim().parse();
    let time = stamp.map(|stamp| stamp.to_string()).or_else(|_| date.map(|date| format!("{date}T00:00:00Z")));
    // RFC 3339 has no years before 0.
    time.ok().filter(|time| !time.starts_with('-')).ok_or_else(|| {
        Error::invalid(format!("as-of {text:?}"), "neither a date nor a date with time and zone")
            .with_hint("write it as 2026-01-31 or 2026-01-31T12:00:00Z")
    })
}

/// The way out where the disk refuses what a build writes.
const ROOM: &str = "see that the store's disk has room and the store may be written to, or name a store on another disk; what was live still is";

pub(crate) fn sql(error: rusqlite::Error) -> Error {
    Error::new(ErrorKind::Io, format::DATABASE, format!("cannot be written: {error}")).with_hint(ROOM)
}

/// A refusal of the system with the whole path, and with a way out where none is named.
fn placed(error: Error, folder: &Path) -> Error {
    match error.kind() {
        ErrorKind::Io if error.subject() == format::DATABASE => {
            let path = folder.join(format::DATABASE).display().to_string();
            Error::new(ErrorKind::Io, path, error.message()).with_hint(ROOM)
        }
        ErrorKind::Io if error.hint().is_none() && Path::new(error.subject()).is_absolute() => error.with_hint(ROOM),
        _ => error,
    }
}

fn create_database(path: &Path) -> Result<Connection> {
    let database = Connection::open(path).map_err(sql)?;
    let pragmas = format!(
        "PRAGMA page_size = 4096; PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA locking_mode = EXCLUSIVE;
         PRAGMA application_id = {}; PRAGMA user_version = {}; PRAGMA cache_size = -65536;",
        format::APPLICATION_ID,
        format::FORMAT_VERSION
    );
    database.execute_batch(&pragmas).map_err(sql)?;
    database.execute_batch("BEGIN").map_err(sql)?;
    database.execute_batch(format::SCHEMA).map_err(sql)?;
    Ok(database)
}

fn close_database(database: Connection) -> Result<()> {
    database.execute_batch("COMMIT").map_err(sql)?;
    database.close().map_err(|(_, e)| sql(e))
}

fn write_report(database: &Connection, report: &Report) -> rusqlite::Result<()> {
    let mut insert = database.prepare("INSERT INTO report VALUES (?1, ?2, ?3, ?4, ?5, ?6)")?;
    let mut insert_reason = database.prepare("INSERT INTO report_reason VALUES (?1, ?2, ?3, ?4)")?;
    let number = |count: u64| i64::try_from(count).unwrap_or(i64::MAX);
    for (kind, counts) in report.types() {
        let name = kind.as_str();
        let [folded, quarantined, of_no_use] = counts.reasons().map(|(_, reasons)| number(reasons.values().sum()));
        insert.execute(params![name, number(counts.received), number(counts.used), folded, quarantined, of_no_use])?;
        for (outcome, reasons) in counts.reasons().into_iter().chain([("kept_apart", &counts.kept_apart)]) {
            for (reason, count) in reasons {
                insert_reason.execute(params![name, outcome, reason, number(*count)])?;
            }
        }
    }
    Ok(())
}
