//! Two syncs over the network from the stand-in payer, limits off, and a build of what they staged. The payer and each
//! step run in a process of their own, so that each step's memory is its own.

use std::io::{BufRead as _, BufReader, Read as _};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::Instant;

use coverdex_core::{Error, Result, Store};
use coverdex_sandbox::server::{Offer, Options, PublishedPayer, Server};
use coverdex_sandbox::{MadePayer, Shape};
use coverdex_sync::fetch::{self, Network, Rate, Selection, Settings, Stop, SystemClock};
use coverdex_sync::staging::{Staging, segment_opens};
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

/// Syncs twice and builds, and prints how fast and in how much memory.
pub(crate) fn run(times: u32, place_search: bool) -> Result<()> {
    let myself = std::env::current_exe().map_err(failed)?;
    let mut command = Command::new(&myself);
    command.args(["--serve", "--sync", &times.to_string()]).stdin(Stdio::piped()).stdout(Stdio::piped());
    if place_search {
        command.arg("--place-search");
    }
    let mut server = command.spawn().map_err(failed)?;
    let mut url = String::new();
    if let Some(said) = server.stdout.take() {
        BufReader::new(said).read_line(&mut url).map_err(failed)?;
    }
    let folder = tempfile::tempdir().map_err(failed)?;
    for step in ["first sync", "second sync", "build"] {
        let mut command = Command::new(&myself);
        command.args(["--step", step, "--url", url.trim(), "--into"]).arg(folder.path());
        if !command.status().map_err(failed)?.success() {
            return Err(Error::invalid("bench", format!("the {step} failed")));
        }
    }
    // Its standard input ends with it.
    drop(server.stdin.take());
    server.wait().map_err(failed)?;
    Ok(())
}

/// One step of [`run`].
pub(crate) fn step(step: &str, url: &str, into: &Path) -> Result<()> {
    if step == "build" { build(into) } else { sync(step, url, into) }
}

fn sync(step: &str, url: &str, into: &Path) -> Result<()> {
    let settings =
        Settings { base_url: Some(url.to_owned()), rate: Some(Rate::Off), concurrency: Some(8), ..Settings::default() };
    let config = settings.check()?;
    let options = fetch::Options {
        selection: Selection::default(),
        staging: into.join("staging"),
        accept_shrink: false,
        full: false,
    };
    let network = Arc::new(Network::new(&config)?);
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().map_err(failed)?;
    let begun = Instant::now();
    let (clock, watch) = (Arc::new(SystemClock::default()), Arc::new(|_: &_| ()));
    let outcome = runtime.block_on(fetch::sync(config, &options, network, clock, watch, Stop::default()))?;
    drop(runtime);
    let (took, processor, memory, opens) = (begun.elapsed(), processor_seconds(), peak_memory_mb(), segment_opens());
    let begun = Instant::now();
    let staging = Staging::open(&options.staging)?;
    let report = fetch::report(&staging)?;
    let resources: u64 = report.types.iter().map(|of| of.distinct).sum();
    print(&format!(
        "{step}: {resources} resources, complete {}, {} requests, {} MB in {:.1} s ({processor:.1} s of processor): {:.0} resources/s, peak memory {memory:.0} MB, staging {} MB, segments opened {opens} times",
        outcome.complete,
        outcome.crawl.requests,
        outcome.crawl.bytes >> 20,
        took.as_secs_f64(),
        per_second(resources, took),
        bytes_in(&options.staging)? >> 20,
    ));
    print(&format!(
        "  its report: {:.1} s, peak memory {:.0} MB, segments opened {} times",
        begun.elapsed().as_secs_f64(),
        peak_memory_mb(),
        segment_opens() - opens
    ));
    Ok(())
}

fn build(into: &Path) -> Result<()> {
    let begun = Instant::now();
    let staging = Staging::open(into.join("staging"))?;
    let store = Store::open_or_create(into.join("store"))?;
    let (_, counts, _) = build_staging(&staging, &store, &FromStaging::default())?;
    let took = begun.elapsed();
    print(&format!(
        "build from staging: {:.1} s ({:.1} s of processor): {:.0} resources/s, peak memory {:.0} MB, segments opened {} times",
        took.as_secs_f64(),
        processor_seconds(),
        per_second(counts.resources(), took),
        peak_memory_mb(),
        segment_opens()
    ));
    Ok(())
}

/// Bytes of the files of a folder.
fn bytes_in(folder: &Path) -> Result<u64> {
    let mut bytes = 0;
    for entry in std::fs::read_dir(folder).map_err(failed)? {
        bytes += entry.and_then(|entry| entry.metadata()).map_err(failed)?.len();
    }
    Ok(bytes)
}

fn failed(error: std::io::Error) -> Error {
    Error::io("coverdex-bench", &error)
}
