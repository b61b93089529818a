//! The payer of the demo: made, served on this machine, and synced through the client for real ones.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use coverdex_core::{Error, Result};
use coverdex_sandbox::server::{Options, PublishedPayer, Server};
use coverdex_sandbox::{MadePayer, Shape};
use coverdex_sync::fetch::{Rate, Selection, Settings, Stop};

use crate::commands::sandbox::this_year;
use crate::commands::sync::{Synced, Wanted, on_interrupt, read_and_build};
use crate::output::Output;

/// Of this seed, so many individual plans are sold in one county, one of them in both years.
const SEED: u64 = 374;
const PLANS: u32 = 20;

/// Serves the payer on a free port, reads it, and builds its dataset. The server is gone when this
/// returns.
pub(super) fn sync(store: &Path, output: Output) -> Result<Synced> {
    let shape = Shape { seed: SEED, plans: PLANS, ..Shape::demo() };
    // The plan year is this one, as it would be with a payer.
    let shape = Shape { year: this_year().unwrap_or(shape.year), ..shape };
    let payer = format!("{} (made up)", shape.payer);
    let server = Server::start(Arc::new(PublishedPayer::new(MadePayer::new(shape))), Options::default())?;
    output.remark(&format!("A made payer serves at {}. Syncing it as a real one.", server.api_url()));
    let settings = Settings {
        base_url: Some(server.api_url()),
        rate: Some(Rate::Off),
        concurrency: Some(4),
        ..Settings::default()
    };
    let staging = tempfile::tempdir().map_err(|e| Error::io(std::env::temp_dir(), &e))?;
    let wanted = Wanted {
        config: settings.check()?,
        selection: Selection::default(),
        staging: staging.path().join("staging"),
        store: store.to_owned(),
        payer: Some(payer),
        accept_shrink: false,
        full: false,
        other_payer: true,
    };
    let (stop, reading) = (Stop::default(), Arc::new(AtomicBool::new(true)));
    on_interrupt(stop.clone(), Arc::clone(&reading), output)?;
    let synced = read_and_build(&wanted, stop, &reading, output);
    server.stop();
    synced
}

/// How many resources came.
pub(super) fn resources(synced: &Synced) -> u64 {
    synced.report.types.iter().map(|of_type| of_type.distinct).sum()
}
