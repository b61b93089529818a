//! A folder of FHIR resources: NDJSON, single resources, arrays and Bundles, plain or compressed
//! with gzip or zstd, told apart by content and never by name.
//!
//! Files are read as a stream of blocks of whole lines that are parsed in parallel, so that memory
//! stays small whatever the size. A file that is damaged is an error that names it: half a file is
//! never taken for a whole one. A single line that is no resource is counted with its place. Files
//! that hold no resources at all, such as a README, change nothing. Names that begin with a dot are
//! left alone.

mod blocks;
mod tally;
mod walk;

use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use coverdex_core::Error;
use rayon::iter::{ParallelBridge as _, ParallelIterator as _};

use self::blocks::{Block, Blocks};
use self::tally::Tally;
pub use self::tally::{BadLine, FolderCounts};
use crate::model::Received;
use crate::source::{Seen, Source};
use crate::threads::thread_pool;

/// How to read a folder.
#[derive(Clone, Copy, Default)]
pub struct ReadOptions<'a> {
    /// Threads that parse; 0 for one a core.
    pub threads: usize,
    /// Called now and then, from any thread.
    pub progress: Option<&'a (dyn Fn(Progress) + Sync)>,
}

/// How far reading a folder is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// Bytes of the files read so far, as they lie on the disk.
    pub bytes_read: u64,
    /// Bytes of all files.
    pub bytes_total: u64,
    /// Resources understood or refused so far.
    pub resources: u64,
}

/// A folder, or one file, of a payer's resources.
pub struct Folder<'a> {
    /// Where it is.
    pub path: &'a Path,
    /// How it is read.
    pub options: ReadOptions<'a>,
    /// The payer's name, for the manifest.
    pub payer: Option<&'a str>,
    /// When the payer's data was read, RFC 3339, where that is known.
    pub as_of: Option<&'a str>,
}

impl Source for Folder<'_> {
    type Counts = FolderCounts;

    fn read(&self, sink: &(dyn Fn(Vec<Received>) -> Result<(), Error> + Sync)) -> Result<(Seen, FolderCounts), Error> {
        let counts = read_folder(self.path, &self.options, sink)?;
        let source = coverdex_core::Source { kind: "folder".to_owned(), name: self.payer.map(str::to_owned) };
        let as_of = self.as_of.map(str::to_owned);
        Ok((Seen { as_of, sources: vec![source], ..Seen::default() }, counts))
    }
}

/// Reads every resource below `path` (a folder, or one file) and hands them to `sink` in batches,
/// from any thread and in no order.
///
/// # Errors
/// [`Io`](coverdex_core::ErrorKind::Io) if something cannot be read,
/// [`InvalidInput`](coverdex_core::ErrorKind::InvalidInput) if a file is damaged, holds a line or a document that is too long, or expands beyond all reason, or if there is no
/// resource at all; and whatever `sink` returns.
pub fn read_folder(
    path: &Path,
    options: &ReadOptions<'_>,
    sink: impl Fn(Vec<Received>) -> Result<(), Error> + Sync,
) -> Result<FolderCounts, Error> {
    let found = walk::files(path)?;
    let bytes_total = found.files.iter().map(|file| file.bytes).sum();
    let bytes_read = AtomicU64::new(0);
    let resources = AtomicU64::new(0);
    let tallies: Mutex<Vec<Tally>> = Mutex::new(found.files.iter().map(|_| Tally::default()).collect());

    let work = |block: Result<Block, Error>| -> Result<(), Error> {
        let block = block?;
        let (received, tally) = block.read(found.files.get(block.file).map(|file| file.path.as_path()))?;
        let seen = resources.fetch_add(received.len() as u64, Ordering::Relaxed) + received.len() as u64;
        if !received.is_empty() {
            sink(received)?;
        }
        if let Some(of_file) = tallies.lock().unwrap_or_else(PoisonError::into_inner).get_mut(block.file) {
            of_file.merge(tally);
        }
        if let Some(progress) = options.progress {
            progress(Progress { bytes_read: bytes_read.load(Ordering::Relaxed), bytes_total, resources: seen });
        }
        Ok(())
    };
    let mut blocks = Blocks::new(&found.files, &bytes_read);
    if options.threads == 1 {
        blocks.try_for_each(work)?;
    } else {
        thread_pool(options.threads)?.install(|| blocks.par_bridge().try_for_each(work))?;
    }

    let tallies = tallies.into_inner().unwrap_or_else(PoisonError::into_inner);
    let mut counts = FolderCounts { bytes: bytes_total, other_files: found.others, ..FolderCounts::default() };
    for (file, tally) in found.files.iter().zip(tallies) {
        counts.add_file(&file.name, tally);
    }
    counts.finish();
    if counts.received.is_empty() {
        return Err(nothing_found(path, &counts));
    }
    Ok(counts)
}

fn nothing_found(path: &Path, counts: &FolderCounts) -> Error {
    let seen: Vec<String> =
        counts.member_data.iter().chain(&counts.unread).map(|(kind, count)| format!("{count} {kind}")).collect();
    let message = if seen.is_empty() {
        format!("no FHIR resources here ({} other files)", counts.other_files.len())
    } else {
        format!("no formulary or directory resources here, only {}", seen.join(", "))
    };
    Error::invalid(path.display().to_string(), message).with_hint(
        "name a folder with MedicationKnowledge, List, Medication, InsurancePlan, PractitionerRole, Practitioner, \
         Organization, Location, OrganizationAffiliation or HealthcareService resources as NDJSON, JSON or Bundles, \
         plain or compressed with gzip or zstd",
    )
}

#[cfg(test)]
mod tests;
