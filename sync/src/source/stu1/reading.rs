//! Staging: the pages that are a payer's word now, read as FHIR resources.
//!
//! A page speaks for the type that was asked for. What else stands in it (messages of the server,
//! resources that came along) is counted and left alone: no pass over that type would ever remove it.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use coverdex_core::{Error, PlanId};
use rayon::iter::{ParallelBridge as _, ParallelIterator as _};

use super::half::Half;
use crate::account::Account;
use crate::model::{Received, ResourceKind, Server};
use crate::source::fhir::{Note, Outcome, read_bundle};
use crate::staging::{Group, PageHeader, Place, Staging};
use crate::threads::thread_pool;

/// How to read staging.
#[derive(Clone, Copy, Default)]
pub struct ReadOptions<'a> {
    /// Threads that parse; 0 for one a core.
    pub threads: usize,
    /// Called now and then, from any thread, with the resources read so far.
    pub progress: Option<&'a (dyn Fn(u64) + Sync)>,
}

/// What staging held.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StagingCounts {
    /// Pages and single resources.
    pub pages: u64,
    /// Bytes of their bodies, unpacked.
    pub bytes: u64,
    /// Resources of the types that were asked for, repeated and quarantined ones too, and what stands
    /// inside them.
    pub received: BTreeMap<ResourceKind, u64>,
    /// What came along and was not asked for.
    pub along: u64,
    /// Entries that are no resource.
    pub not_resources: u64,
    /// What was set aside inside resources that were read, how often.
    pub notes: BTreeMap<(ResourceKind, Note), u64>,
}

impl StagingCounts {
    /// All resources received, of every type.
    #[must_use]
    pub fn resources(&self) -> u64 {
        self.received.values().sum()
    }

    /// Takes the counts of a half from another reading; pages and bytes are those of both.
    pub(crate) fn take(&mut self, half: Half, other: Self) {
        self.received.retain(|kind, _| !half.has_kind(*kind));
        self.notes.retain(|(kind, _), _| !half.has_kind(*kind));
        self.merge(Self {
            received: other.received.into_iter().filter(|(kind, _)| half.has_kind(*kind)).collect(),
            notes: other.notes.into_iter().filter(|((kind, _), _)| half.has_kind(*kind)).collect(),
            along: 0,
            not_resources: 0,
            ..other
        });
    }

    fn merge(&mut self, other: Self) {
        self.pages += other.pages;
        self.bytes += other.bytes;
        self.along += other.along;
        self.not_resources += other.not_resources;
        for (kind, count) in other.received {
            *self.received.entry(kind).or_default() += count;
        }
        for (note, count) in other.notes {
            *self.notes.entry(note).or_default() += count;
        }
    }
}

/// Reads what staging holds and hands it to `sink` in batches, from any thread and in no order.
///
/// # Errors
/// As reading staging, and whatever `sink` returns.
pub fn read_staging(
    staging: &Staging,
    options: &ReadOptions<'_>,
    sink: impl Fn(Vec<Received>) -> Result<(), Error> + Sync,
) -> Result<StagingCounts, Error> {
    read_staging_of(staging, &ResourceKind::ALL, options, sink)
}

/// As [`read_staging`], of what was asked for as one of some types alone: other pages are not unpacked.
///
/// # Errors
/// Those of [`read_staging`].
pub fn read_staging_of(
    staging: &Staging,
    kinds: &[ResourceKind],
    options: &ReadOptions<'_>,
    sink: impl Fn(Vec<Received>) -> Result<(), Error> + Sync,
) -> Result<StagingCounts, Error> {
    read_pages(staging, kinds, options, |batch| batch.hand_to(&sink))
}

/// Reads what staging holds of some types into an account, and hands it to `sink`.
///
/// # Errors
/// Those of [`read_staging`].
pub(crate) fn read_accounted(
    staging: &Staging,
    kinds: &[ResourceKind],
    options: &ReadOptions<'_>,
    account: &Mutex<Account>,
    sink: impl Fn(Vec<Received>) -> Result<(), Error> + Sync,
) -> Result<StagingCounts, Error> {
    read_pages(staging, kinds, options, |batch| {
        {
            let mut account = account.lock().unwrap_or_else(PoisonError::into_inner);
            account.received(&batch.received, batch.plan.as_ref())?;
            account.within(&batch.within)?;
        }
        batch.hand_to(&sink)
    })
}

/// What one page brought.
struct Batch {
    received: Vec<Received>,
    /// What stands inside those.
    within: Vec<Received>,
    /// The plan whose Lists were asked for.
    plan: Option<PlanId>,
}

impl Batch {
    fn hand_to(self, sink: &(impl Fn(Vec<Received>) -> Result<(), Error> + Sync)) -> Result<(), Error> {
        let Self { mut received, within, .. } = self;
        received.extend(within);
        if received.is_empty() { Ok(()) } else { sink(received) }
    }
}

fn read_pages(
    staging: &Staging,
    kinds: &[ResourceKind],
    options: &ReadOptions<'_>,
    sink: impl Fn(Batch) -> Result<(), Error> + Sync,
) -> Result<StagingCounts, Error> {
    let counts = Mutex::new(StagingCounts::default());
    let own = Server::of_address(staging.source());
    let resources = AtomicU64::new(0);
    let work = |place: Result<Place, Error>| -> Result<(), Error> {
        let (page, body) = staging.page_at(place?)?;
        if body.is_empty() {
            return Ok(());
        }
        let (mut batch, of_page) = read_page(&page, &body);
        // What was asked of the payer is the payer's own.
        if let (Some(first), Some(own)) = (batch.received.first_mut(), &own) {
            let servers = &mut first.servers.get_or_insert_default().own;
            if !servers.contains(own) {
                servers.push(own.clone());
            }
        }
        let count = (batch.received.len() + batch.within.len()) as u64;
        let seen = resources.fetch_add(count, Ordering::Relaxed) + count;
        sink(batch)?;
        counts.lock().unwrap_or_else(PoisonError::into_inner).merge(of_page);
        if let Some(progress) = options.progress {
            progress(seen);
        }
        Ok(())
    };
    let wanted = |page: &Group| {
        // What is no type that is read is counted where everything is read.
        ResourceKind::from_name(&page.resource_type)
            .map_or(kinds.len() == ResourceKind::ALL.len(), |kind| kinds.contains(&kind))
    };
    let mut places = staging.places(wanted);
    if options.threads == 1 {
        places.try_for_each(work)?;
    } else {
        thread_pool(options.threads)?.install(|| places.par_bridge().try_for_each(work))?;
    }
    Ok(counts.into_inner().unwrap_or_else(PoisonError::into_inner))
}

fn read_page(page: &PageHeader, body: &[u8]) -> (Batch, StagingCounts) {
    let asked_for = ResourceKind::from_name(&page.resource_type);
    let mut batch =
        Batch { received: Vec::with_capacity(body.len() / 1024), within: Vec::new(), plan: asked_plan(&page.url) };
    let mut counts = StagingCounts { pages: 1, bytes: body.len() as u64, ..StagingCounts::default() };
    // Whether the resource that came last was asked for: what stands inside it comes with it.
    let mut is_wanted = false;
    read_bundle(body, &mut |outcome| match outcome {
        Outcome::Received(resource, notes) if Some(resource.kind) == asked_for => {
            is_wanted = true;

            *counts.received.entry(resource.kind).or_default() += 1;
            for note in notes.iter() {
                *counts.notes.entry((resource.kind, note)).or_default() += 1;
            }
            batch.received.push(resource);
        }
        Outcome::Within(resource) if is_wanted => {
            *counts.received.entry(resource.kind).or_default() += 1;
            batch.within.push(resource);
        }
        Outcome::Within(_) => {}
        Outcome::Received(..) | Outcome::Unread(_) | Outcome::MemberData(_) | Outcome::Bundle => {
            is_wanted = false;
            counts.along += 1;
        }
        Outcome::NotAResource(_) | Outcome::NotJson(_) => counts.not_resources += 1,
    });
    (batch, counts)
}

/// The plan whose Lists a request asked for.
fn asked_plan(url: &str) -> Option<PlanId> {
    let (path, query) = url.split_once('?')?;
    let mut parameters = url::form_urlencoded::parse(query.as_bytes()).filter(|(name, _)| name == "identifier");
    (path.rsplit('/').next() == Some("List")).then(|| PlanId::parse(&parameters.next()?.1).ok()).flatten()
}
