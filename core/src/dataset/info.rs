//! What a dataset holds and how it came about.

use rusqlite::OptionalExtension as _;

use super::Dataset;
use crate::{Result, Tier};

/// What a dataset holds, in short, with the sync report.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Info {
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
    /// Distinct resources received.
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
    /// The sync report's counts. Dates, sources and totals are in [`Dataset::manifest`], what was
    /// expected of each plan in [`Dataset::plans`].
    ///
    /// # Errors
    /// [`DatasetDamaged`](crate::ErrorKind::DatasetDamaged) if it cannot be read.
    pub fn info(&self) -> Result<Info> {
        self.inner.database.with(|connection| {
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
            Ok(Info { resources, reasons, tiers })
        })
    }

    /// What a sync saw of the payer, a JSON document that `bindings/cli/README.md` describes (`sync`);
    /// `None` for a dataset of files.
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
