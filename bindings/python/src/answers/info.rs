//! What a dataset holds.

use coverdex_core as core;

use super::answer;

answer! {
    /// What a dataset holds, and how completely it was received.
    Info(core::Info) {
        /// The dataset's id.
        dataset;
        /// Version of its format.
        format;
        /// When the payer's data was read, RFC 3339 in UTC.
        as_of;
        /// Where the data came from.
        sources(document);
        /// How many of what.
        counts(document);
        /// What became of the resources, of each plan's drug list, and how tiers were read.
        report(document);
        /// What a sync saw of the payer; None for a dataset of files.
        sync(document);
        /// What is remembered of the way to the dataset.
        crawl(document);
        /// The folder that was opened.
        folder;
        /// The parts that are there.
        parts;
        /// When the payer's data of each part was read, RFC 3339 in UTC.
        part_times(document);
        /// Bytes of all files but the manifest.
        bytes;
    }
}
