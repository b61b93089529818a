//! A sync over the network from the stand-in payer, which runs in a process of its own, limits off.

use std::io::{BufRead as _, BufReader, Read as _};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::Instant;

use coverdex_core::{Error, Result, Store};
use coverdex_sandbox::server::{Offer, Options, PublishedPayer, Server};
use coverdex_sandbox::{MadePayer, Shape};
use coverdex_sync::fetch::{self, Network, Rate, Selection, Settings, Stop, SystemClock};
use coverdex_sync::staging::Staging;
use coverdex_sync::update::{FromStaging, build_staging};

use crate::measure::{peak_memory_mb, per_second, print, processor_seconds};

/// The demonstration's payer, so many times as large: 100,000 resources each.
fn shape(times: u32) -> Shape {
    let demo = Shape::demo();
    Shape {
        plans: demo.plans * times,
        practitioners: demo.practitioners * times,
        facilities: demo.facilities * times,
        locations: demo.locations * times,
        ..demo
    }
}

/// Serves until standard input ends.
pub(crate) fn serve(times: u32, place_search: bool) -> Result<()> {
    let mut options = Options::default();
    if place_search {
        options.offers.insert(Offer::PlaceSearch);
    }
    let running = Server::start(Arc::new(PublishedPayer::new(MadePayer::new(shape(times)))), options)?;
    print(&running.api_url());
    let _ = std::io::stdin().read_to_end(&mut Vec::new());
    Ok(())
}

/// Syncs and builds, and prints how fast and in how much memory.
pub(crate) fn run(times: u32, place_search: bool) -> Result<()> {
    let io = |e: std::io::Error| Error::io("coverdex-bench", &e);
    let myself = std::env::current_exe().map_err(io)?;
    let mut command = Command::new(myself);
    command.args(["--serve", "--sync", &times.to_string()]).stdin(Stdio::piped()).stdout(Stdio::piped());
    if place_search {
        command.arg("--place-search");
    }
    let mut server = command.spawn().map_err(io)?;
    let mut url = String::new();
    if let Some(said) = server.stdout.take() {
        BufReader::new(said).read_line(&mut url).map_err(io)?;
    }
    let folder = tempfile::tempdir().map_err(io)?;
    let settings = Settings {
        base_url: Some(url.trim().to_owned()),
        rate: Some(Rate::Off),
        concurrency: Some(8),
        ..Settings::default()
    };
    let config = settings.check()?;
    let options = fetch::Options {
        selection: Selection::default(),
        staging: folder.path().join("staging"),
        accept_shrink: false,
        full: false,
    };
    let network = Arc::new(Network::new(&config)?);
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().map_err(io)?;
    let begun = Instant::now();
    let (clock, watch) = (Arc::new(SystemClock::default()), Arc::new(|_: &_| ()));
    let outcome = runtime.block_on(fetch::sync(config, &options, network, clock, watch, Stop::default()))?;
    drop(runtime);
    let (took, processor) = (begun.elapsed(), processor_seconds());
    // Its standard input ends with it.
    drop(server.stdin.take());
    let staging = Staging::open(&options.staging)?;
    let resources: u64 = fetch::report(&staging)?.types.iter().map(|of| of.distinct).sum();
    print(&format!(
        "sync: {resources} resources, {} requests, {} MB in {:.1} s ({:.1} s of processor): {:.0} resources/s, complete {}, peak memory {:.0} MB",
        outcome.crawl.requests,
        outcome.crawl.bytes >> 20,
        took.as_secs_f64(),
        processor,
        per_second(resources, took),
        outcome.complete,
        peak_memory_mb()
    ));
    let (begun, before) = (Instant::now(), processor_seconds());
    let store = Store::open_or_create(folder.path().join("store"))?;
    let (_, counts, _) = build_staging(&staging, &store, &FromStaging::default())?;
    let took = begun.elapsed();
    print(&format!(
        "build from staging: {:.1} s ({:.1} s of processor): {:.0} resources/s, peak memory {:.0} MB",
        took.as_secs_f64(),
        processor_seconds() - before,
        per_second(counts.resources(), took),
        peak_memory_mb()
    ));
    server.wait().map_err(io)?;
    Ok(())
}
