//! What a dataset holds and how it came about.

use std::collections::BTreeMap;
use std::path::Path;

use rusqlite::OptionalExtension as _;

use super::Dataset;
use crate::data::Plan;
use crate::format::{self, Home, Manifest};
use crate::{Error, Result, Sizes, Source, Tier};

/// Longest `crawl.json` that is read.
const LARGEST_CRAWL: u64 = 16 << 20;

fn part_times(manifest: &Manifest) -> BTreeMap<String, String> {
    manifest.parts.iter().map(|part| (part.name.clone(), manifest.as_of(&part.name).to_owned())).collect()
}

/// `crawl.json` of a dataset. Answers do not depend on it: what is no file of JSON is left out.
pub(crate) fn read_crawl(folder: &Path, manifest: &Manifest) -> Result<Option<String>> {
    let path = folder.join(format::CRAWL);
    let refused = |error: std::io::Error| {
        let error = Error::io(&path, &error);
        // It was never there, or went with the dataset.
        if error.is_not_found() { Ok(None) } else { Err(error) }
    };
    let length = match std::fs::symlink_metadata(&path) {
        Ok(metadata) if metadata.is_file() => metadata.len(),
        Ok(_) => return Ok(None),
        Err(error) => return refused(error),
    };
    if length > LARGEST_CRAWL {
        return Ok(None);
    }
    let bytes = match std::fs::read(&path) {
        Ok(bytes) => bytes,
        Err(error) => return refused(error),
    };
    // It has no hash: the folder must still be that of the dataset.
    Home::new(folder, manifest).check()?;
    let text = String::from_utf8(bytes).ok();
    Ok(text.filter(|text| serde_json::from_str::<serde::de::IgnoredAny>(text).is_ok()))
}

/// What a dataset holds, in short, with the sync report.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Info {
    /// The dataset's id.
    pub dataset: String,
    /// Version of its format.
    pub format: u32,
    /// When the payer's data was read or last changed, RFC 3339 in UTC.
    pub as_of: String,
    /// Where the data came from.
    pub sources: Vec<Source>,
    /// How many plans, packages, formularies, providers and so on, by name.
    pub counts: BTreeMap<String, u64>,
    /// The parts that are there: `drugs`, `directory`.
    pub parts: Vec<String>,
    /// When the payer's data of each part was read or last changed, RFC 3339 in UTC.
    pub part_times: BTreeMap<String, String>,
    /// The folder that was opened.
    pub folder: String,
    /// Bytes of all files but the manifest.
    pub bytes: u64,
    /// All plans, with what was expected and received of each.
    pub plans: Vec<Plan>,
    /// What a sync saw of the payer, a JSON document; `None` for a dataset of files.
    pub sync: Option<String>,
    /// What is remembered of the way to the dataset, a JSON document beside it that is no part of it; `None` where
    /// there is none.
    pub crawl: Option<String>,
    /// Where the bytes are, if that was asked for.
    pub sizes: Option<Sizes>,
    /// Received resources by type.
    pub resources: Vec<ResourceCount>,
    /// Why resources were folded, quarantined or of no use.
    pub reasons: Vec<ReasonCount>,
    /// The payer's tiers, by code and words.
    pub tiers: Vec<TierCount>,
}

/// How many resources of a type came to an end for one reason.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ReasonCount {
    /// Resource type.
    pub resource: String,
    /// `folded`, `quarantined` or `of_no_use`.
    pub outcome: String,
    /// Why, for people.
    pub reason: String,
    /// How many.
    pub count: u64,
}

/// How often a tier is stated.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct TierCount {
    /// The tier, and whether it is covered.
    pub tier: Tier,
    /// Whether the publisher's settings say what it means.
    pub mapped: bool,
    /// Packages of distinct formularies that are listed in it.
    pub entries: u64,
    /// Plans whose formulary has any of these.
    pub plans: u64,
}

/// received = used + folded + quarantined + of no use.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ResourceCount {
    /// Resource type.
    pub resource: String,
    /// Distinct resources received: the sum of the other four.
    pub received: u64,
    /// Those whose facts the dataset holds.
    pub used: u64,
    /// Those folded into another.
    pub folded: u64,
    /// Those that could not be understood.
    pub quarantined: u64,
    /// Those that say nothing a dataset holds.
    pub of_no_use: u64,
}

impl Dataset {
    /// What the dataset holds, from where and when, and the sync report: what came and what became of it.
    /// [`Info::sizes`] is left out; [`Dataset::sizes`] has it.
    ///
    /// ```
    /// # coverdex_tests::with_payer(|path| {
    /// use coverdex_core::Dataset;
    ///
    /// let info = Dataset::open(path)?.info()?;
    /// let plans = info.resources.iter().find(|count| count.resource == "InsurancePlan").unwrap();
    /// assert_eq!((plans.received, plans.quarantined), (13, 0));
    /// assert_eq!(plans.received, plans.used + plans.folded + plans.quarantined + plans.of_no_use);
    /// # Ok(())
    /// # });
    /// ```
    ///
    /// # Errors
    /// [`DatasetDamaged`](crate::ErrorKind::DatasetDamaged) if it cannot be read, [`Io`](crate::ErrorKind::Io) if the
    /// system refuses.
    pub fn info(&self) -> Result<Info> {
        self.cancel.check()?;
        let (resources, reasons, tiers) = self.inner.database.with_cancelled_by(&self.cancel, |connection| {
            let mut counts = connection.prepare_cached(
                "SELECT resource, received, used, folded, quarantined, of_no_use FROM report ORDER BY resource",
            )?;
            let resources = counts
                .query_map([], |row| {
                    Ok(ResourceCount {
                        resource: row.get(0)?,
                        received: count(row, 1)?,
                        used: count(row, 2)?,
                        folded: count(row, 3)?,
                        quarantined: count(row, 4)?,
                        of_no_use: count(row, 5)?,
                    })
                })?
                .collect::<rusqlite::Result<_>>()?;
            let mut reasons = connection.prepare_cached(
                "SELECT resource, outcome, reason, count FROM report_reason ORDER BY resource, outcome, count DESC, reason",
            )?;
            let reasons = reasons
                .query_map([], |row| Ok(ReasonCount { resource: row.get(0)?, outcome: row.get(1)?, reason: row.get(2)?, count: count(row, 3)? }))?
                .collect::<rusqlite::Result<_>>()?;
            let mut tiers = connection.prepare_cached(
                "SELECT t.code, t.display, t.status, t.level, t.mapped, r.entries, r.plans
                 FROM tier AS t JOIN report_tier AS r ON r.tier = t.id ORDER BY t.id",
            )?;
            let tiers = tiers
                .query_map([], |row| {
                    Ok(TierCount {
                        tier: crate::tier::of_row(row, 0)?,
                        mapped: row.get(4)?,
                        entries: count(row, 5)?,
                        plans: count(row, 6)?,
                    })
                })?
                .collect::<rusqlite::Result<_>>()?;
            Ok((resources, reasons, tiers))
        })?;
        let manifest = &self.inner.manifest;
        Ok(Info {
            dataset: manifest.dataset.clone(),
            format: manifest.format,
            as_of: manifest.as_of.clone(),
            sources: manifest.sources.clone(),
            counts: manifest.counts.clone(),
            parts: manifest.parts.iter().map(|part| part.name.clone()).collect(),
            part_times: part_times(manifest),
            folder: self.inner.folder.display().to_string(),
            bytes: manifest.bytes(),
            plans: self.inner.plans.get(&self.inner.database, &manifest.dataset)?.to_vec(),
            sync: self.sync_report()?,
            crawl: read_crawl(&self.inner.folder, &self.inner.manifest)?,
            sizes: None,
            resources,
            reasons,
            tiers,
        })
    }

    /// What a sync saw of the payer, a JSON document that `bindings/cli/README.md` describes (`sync`);
    /// `None` for a dataset of files.
    ///
    /// ```
    /// # coverdex_tests::with_payer(|path| {
    /// use coverdex_core::Dataset;
    ///
    /// let dataset = Dataset::open(path)?; // built from files
    /// assert_eq!(dataset.sync_report()?, None);
    /// # Ok(())
    /// # });
    /// ```
    ///
    /// # Errors
    /// [`DatasetDamaged`](crate::ErrorKind::DatasetDamaged) if it cannot be read.
    pub fn sync_report(&self) -> Result<Option<String>> {
        self.inner.database.with(|connection| {
            connection.prepare_cached("SELECT document FROM sync_report")?.query_row([], |row| row.get(0)).optional()
        })
    }
}

fn count(row: &rusqlite::Row<'_>, at: usize) -> rusqlite::Result<u64> {
    let value: i64 = row.get(at)?;
    u64::try_from(value).map_err(|_| rusqlite::Error::IntegralValueOutOfRange(at, value))
}
