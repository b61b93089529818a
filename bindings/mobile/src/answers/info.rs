//! What a dataset holds.

use std::collections::HashMap;

use super::cross::records;
use super::{Plan, Tier};

records! {
    /// A source of the data.
    Source {
        /// `folder` or `fhir`.
        kind: String,
        /// The payer's name or base address, where known.
        name: Option<String>,
    }

    /// received = used + folded + quarantined + of no use.
    ResourceCount {
        /// Resource type.
        resource: String,
        /// Distinct resources received: the sum of the other four.
        received: i64,
        /// Those whose facts the dataset holds.
        used: i64,
        /// Those folded into another.
        folded: i64,
        /// Those that could not be understood.
        quarantined: i64,
        /// Those that say nothing a dataset holds.
        of_no_use: i64,
    }

    /// How many resources of a type came to an end for one reason.
    ReasonCount {
        /// Resource type.
        resource: String,
        /// `folded`, `quarantined` or `of_no_use`.
        outcome: String,
        /// Why, for people.
        reason: String,
        /// How many.
        count: i64,
    }

    /// How often a tier is stated.
    TierCount {
        /// The tier, and whether it is covered.
        tier: Tier,
        /// Whether the publisher's settings say what it means.
        mapped: bool,
        /// Packages of distinct formularies that are listed in it.
        entries: i64,
        /// Plans whose formulary has any of these.
        plans: i64,
    }

    /// What a dataset holds, in short, with the sync report.
    Info {
        /// The dataset's id.
        dataset: String,
        /// Version of its format.
        format: i32,
        /// When the payer's data was read or last changed, RFC 3339 in UTC.
        as_of: String,
        /// Where the data came from.
        sources: Vec<Source>,
        /// How many plans, packages, formularies, providers and so on, by name.
        counts: HashMap<String, i64>,
        /// The parts that are there: `drugs`, `directory`.
        parts: Vec<String>,
        /// When the payer's data of each part was read or last changed, RFC 3339 in UTC.
        part_times: HashMap<String, String>,
        /// The folder that was opened.
        folder: String,
        /// Bytes of all files but the manifest.
        bytes: i64,
        /// All plans, with what was expected and received of each.
        plans: Vec<Plan>,
        /// What a sync saw of the payer, a JSON document; null for a dataset of files.
        sync: Option<String>,
        /// What is remembered of the way to the dataset, a JSON document beside it that is no part of it; null where
        /// there is none.
        crawl: Option<String>,
        /// Received resources by type.
        resources: Vec<ResourceCount>,
        /// Why resources were folded, quarantined or of no use.
        reasons: Vec<ReasonCount>,
        /// The payer's tiers, by code and words.
        tiers: Vec<TierCount>,
    }

    /// A dataset whose every byte is as the builder wrote it.
    Verified {
        /// The dataset's id.
        dataset: String,
        /// Files checked, the manifest included.
        files: i64,
        /// Bytes hashed.
        bytes: i64,
    }

    /// A dataset that is live in a store now.
    Installed {
        /// The dataset's id.
        dataset: String,
        /// When the payer's data was read or last changed, RFC 3339 in UTC.
        as_of: String,
        /// Its folder in the store.
        folder: String,
        /// The folder of the dataset that was live before, if it is kept.
        former: Option<String>,
        /// Bytes of its files.
        bytes: i64,
        /// The store had the dataset already, whole: nothing was copied.
        was_there: bool,
    }
}
