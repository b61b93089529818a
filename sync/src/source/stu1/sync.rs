//! A sync from beginning to end: which queries, in which order, and when it is complete.
//!
//! [`sync`] fills staging. Who wants a dataset of it calls
//! [`sync_and_build`](crate::update::sync_and_build), which blocks, or
//! [`build_staging`](crate::update::build_staging) where the network is not to be asked:
//!
//! ```text
//! sync_and_build(config: Config, options: &fetch::Options, store: &Path, from: &FromStaging<'_>,
//!                transport: Arc<dyn Transport>, clock: Arc<dyn Clock>, watch: Watch, stop: Stop)
//!     -> Result<Synced>      // Synced { outcome, report, dataset: Built(..) | Joined(..) | Kept(folder) | None }
//! build_staging(staging: &Staging, store: &Store, from: &FromStaging<'_>)
//!     -> Result<(Built, StagingCounts, SyncReport)>
//! ```

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use coverdex_core::Result;
use serde::{Deserialize, Serialize};

use super::half::Half;
use super::plan::Selection;
use super::{directory, formulary};
use crate::fetch::config::Config;
use crate::fetch::crawl::generation::{Crawl, begin, crawl, greet};
use crate::fetch::crawl::session::Session;
use crate::fetch::event::Watch;
use crate::fetch::http::client::{Client, Stop};
use crate::fetch::http::clock::Clock;
use crate::fetch::http::transport::Transport;
use crate::staging::{Finish, StagingWriter};

/// What to sync, and how.
#[derive(Clone, Debug)]
pub struct Options {
    /// What is read.
    pub selection: Selection,
    /// Where it is kept.
    pub staging: PathBuf,
    /// Whether results that shrank a lot are believed.
    pub accept_shrink: bool,
    /// Whether everything is read even where the server could say what changed.
    pub full: bool,
}

/// How a sync ended. What it read is in staging, and [`report`](crate::fetch::report()) tells it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Outcome {
    /// Whether everything that was asked for was seen.
    pub complete: bool,
    /// What was not, and why.
    pub incomplete: BTreeMap<String, String>,
    /// What happened on the way.
    pub crawl: Crawl,
}

/// Reads a payer into staging, or goes on with it. Returns also when the server failed: then
/// [`Outcome::complete`] is false and the same call goes on later.
///
/// # Errors
/// Settings and folders that cannot be used, and a disk that refuses.
pub async fn sync(
    config: Config,
    options: &Options,
    transport: Arc<dyn Transport>,
    clock: Arc<dyn Clock>,
    watch: Watch,
    stop: Stop,
) -> Result<Outcome> {
    // A state machine of some 20 kB: no caller should carry it inside its own.
    Box::pin(async move {
        let selection = options.selection.clone().check()?;
        let began = clock.elapsed();
        let client = Client::new(config, transport, clock, stop).watched(Arc::clone(&watch)).logged_in().await?;
        let (base, offers) = greet(&client).await;
        let writer = StagingWriter::open(&options.staging, base.as_str())?;
        let mut session = Session::new(client, base, writer, watch);
        session.offers = offers;
        session.accept_shrink = options.accept_shrink;
        begin(&mut session, selection.words(), options.full)?;
        let session = Arc::new(session);

        let plans = formulary::plans(&session, &selection).await?;
        if !session.is_over() {
            let (formulary, directory) = tokio::join!(
                async {
                    if selection.formulary { formulary::read(&session, &selection, &plans).await } else { Ok(()) }
                },
                async {
                    // As large as all its parts side by side.
                    if selection.directory {
                        Box::pin(directory::read(&session, &selection, &plans)).await
                    } else {
                        Ok(())
                    }
                },
            );
            formulary?;
            directory?;
        }
        if session.client.stop.is_stopped() {
            session.trouble("sync", "it was stopped");
        }
        finish(&session, &selection)?;
        if let Some(refused) = session.client.login_refused() {
            return Err(refused);
        }
        let incomplete = session.troubles();
        let crawl = crawl(&session, session.client.clock.elapsed().saturating_sub(began));
        Ok(Outcome { complete: incomplete.is_empty(), incomplete, crawl })
    })
    .await
}

fn finish(session: &Session, selection: &Selection) -> Result<()> {
    session.note_unread(&["InsurancePlan"]);
    if selection.formulary {
        session.note_unread(&formulary::PARTS);
    }
    if selection.directory {
        let is_asked_for =
            |part: &&str| !directory::OPTIONAL.contains(part) || directory::may_offer(&session.offers, part);
        let parts: Vec<_> = directory::PARTS.into_iter().filter(is_asked_for).collect();
        session.note_unread(&parts);
    }
    let incomplete = session.troubles();
    let complete = incomplete.is_empty();
    let mut writer = session.writer();
    let covers = writer.live().begun.iter().all(|begin| selection.covers(&begin.selection));
    let oldest = writer.live().oldest_generation();
    let oldest_live = if complete && covers && !session.read_changes() { session.generation } else { oldest };
    let (generation, tags) = (session.generation, session.tags());
    // A half that was seen whole takes the place of what earlier generations saw of it.
    let replaces = covers && !session.read_changes();
    let whole =
        Half::ALL.into_iter().filter(|half| replaces && half.is_selected(selection) && half.is_whole(&incomplete));
    let types = whole.flat_map(Half::types).map(|resource_type| ((*resource_type).to_owned(), generation));
    let oldest_of = if complete { BTreeMap::new() } else { types.collect() };
    writer.finish(Finish { generation, complete, incomplete, tags, oldest_live, oldest_of })
}
