//! Speed and memory of Coverdex, with printed figures. Every measured call's answer is checked, so
//! that a fast wrong answer does not count.
//!
//! `coverdex-bench` makes a payer and builds it; `coverdex-bench --from FOLDER` reads one;
//! `coverdex-bench --sync 1` reads a payer of 100,000 resources over the network.

mod book;
mod cancel;
mod drugs;
mod ledger;
mod measure;
mod providers;
mod sync;

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, Instant};

use clap::Parser;
use coverdex_core::build::format::DATABASE;
use coverdex_core::{Dataset, Error, Result, Store};
use coverdex_sandbox::{MadePayer, ResourceType, Shape};
use coverdex_sync::build::{BuildOptions, Builder, Built};
use coverdex_sync::model::Received;
use coverdex_sync::source::fhir::{Outcome, read_resource};
use coverdex_sync::source::folder::{ReadOptions, read_folder};
use rayon::prelude::*;

use crate::measure::print;

/// Speed and memory of Coverdex.
#[derive(Parser)]
struct Args {
    /// A folder of FHIR resources to build and ask; without it a payer is made.
    #[arg(long)]
    from: Option<PathBuf>,
    /// Plans of the made payer; its twenty formularies have 40,000 packages each.
    #[arg(long, default_value_t = 60)]
    plans: u32,
    /// Practice locations of the made payer's directory, about; the product is measured at 40,000
    /// and at 3,000,000.
    #[arg(long, default_value_t = 40_000)]
    places: u32,
    /// Calls that each figure is taken from.
    #[arg(long, default_value_t = 20_000)]
    calls: usize,
    /// Keep the dataset in this store, to ask it again.
    #[arg(long)]
    keep: Option<PathBuf>,
    /// Only ask this dataset.
    #[arg(long)]
    dataset: Option<PathBuf>,
    /// With `--dataset`: only measure how soon a call ends once it is cancelled.
    #[arg(long)]
    cancel: bool,
    /// Also build what is made as a textbook lays it out, ask both side by side, and compare all figures with this file.
    #[arg(long, conflicts_with = "from")]
    budgets: Option<PathBuf>,
    /// With `--dataset`: ask this database of a textbook beside it, and write the figures to `--figures`.
    #[arg(long, hide = true, requires = "figures")]
    against: Option<PathBuf>,
    #[arg(long, hide = true)]
    figures: Option<PathBuf>,
    /// Only sync over the network, from a payer of so many times 100,000 resources.
    #[arg(long)]
    sync: Option<u32>,
    /// With `--sync`: organizations and places can be searched; else they are read one by one.
    #[arg(long)]
    place_search: bool,
    /// With `--sync`: be the payer.
    #[arg(long, hide = true)]
    serve: bool,
    /// One step of `--sync`.
    #[arg(long, hide = true, requires = "url", requires = "into")]
    step: Option<String>,
    /// With `--step`: the payer's address.
    #[arg(long, hide = true)]
    url: Option<String>,
    /// With `--step`: the folder that takes staging and store.
    #[arg(long, hide = true)]
    into: Option<PathBuf>,
}

fn main() -> ExitCode {
    match run(&Args::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            print(&format!("coverdex-bench: {error}"));
            ExitCode::FAILURE
        }
    }
}

fn run(args: &Args) -> Result<()> {
    if let (Some(step), Some(url), Some(into)) = (&args.step, &args.url, &args.into) {
        return sync::step(step, url, into);
    }
    match args.sync {
        Some(times) if args.serve => return sync::serve(times, args.place_search),
        Some(times) => return sync::run(times, args.place_search),
        None => {}
    }
    if let Some(dataset) = &args.dataset {
        let dataset = Dataset::open(dataset)?;
        if args.cancel {
            return cancel::run(&dataset);
        }
        drugs::run(&dataset, args.calls)?;
        providers::run(&dataset, args.calls / 4)?;
        return match (&args.against, &args.figures) {
            (Some(book), Some(figures)) => ask_both(&dataset, book, figures),
            _ => Ok(()),
        };
    }
    let folder = tempfile::tempdir().map_err(|e| Error::io(std::env::temp_dir(), &e))?;
    let store = Store::open_or_create(args.keep.clone().unwrap_or_else(|| folder.path().join("store")))?;
    let begun = Instant::now();
    let builder = Builder::new(&store)?;
    let resources = match &args.from {
        Some(from) => read_folder(from, &ReadOptions::default(), |batch| builder.take(batch))?.resources(),
        None => make(args, &builder)?,
    };
    let read = begun.elapsed();
    let built = builder.build(&BuildOptions::default(), &serde_json::json!({}))?;
    let all = begun.elapsed();
    print(&format!(
        "build: {resources} resources in {:.2} s ({:.2} s reading): {:.0} resources/s, peak memory {:.0} MB",
        all.as_secs_f64(),
        read.as_secs_f64(),
        measure::per_second(resources, all),
        measure::peak_memory_mb()
    ));
    sizes(&built);
    let mut figures = ledger::Figures::new();
    let book = folder.path().join("book.sqlite");
    if args.budgets.is_some() {
        let count = |name: &str| built.manifest.counts.get(name).copied().unwrap_or_default();
        ledger::sizes(&built.manifest, count("practice_locations"), &mut figures);
        figures.insert("build.resources_a_second".to_owned(), measure::per_second(resources, all));
        figures.insert("build.memory_mb".to_owned(), measure::peak_memory_mb());
        let time = by_the_book(args, &book, &built.folder)?;
        let (its, bytes) = (measure::per_second(resources, time), std::fs::metadata(&book).map_or(0, |of| of.len()));
        #[allow(clippy::cast_precision_loss, reason = "figures have three digits")]
        let smaller = bytes as f64 / figures.get("bytes.all").copied().unwrap_or(1.0);
        print(&format!("a textbook's database: {its:.0} resources/s, {bytes} bytes, {smaller:.1} times as many"));
        figures.insert("build.times_faster".to_owned(), measure::per_second(resources, all) / its);
        figures.insert("bytes.times_smaller".to_owned(), smaller);
    }
    // Asked by a process of its own, whose memory is that of asking alone.
    let myself = std::env::current_exe().map_err(|e| Error::io("coverdex-bench", &e))?;
    let mut asking = std::process::Command::new(myself);
    asking.arg("--dataset").arg(&built.folder).args(["--calls", &args.calls.to_string()]);
    let told = folder.path().join("figures.json");
    if args.budgets.is_some() {
        asking.arg("--against").arg(&book).arg("--figures").arg(&told);
    }
    if !asking.status().map_err(|e| Error::io("coverdex-bench", &e))?.success() {
        return Err(Error::invalid("bench", "asking failed"));
    }
    let Some(budgets) = &args.budgets else { return Ok(()) };
    let text = std::fs::read(&told).map_err(|e| Error::io(&told, &e))?;
    let asked: ledger::Figures = serde_json::from_slice(&text).map_err(|e| Error::invalid("figures", e.to_string()))?;
    figures.extend(asked);
    ledger::judge(budgets, &figures)
}

/// Builds the same payer as a textbook does, one resource after the other.
fn by_the_book(args: &Args, book: &Path, dataset: &Path) -> Result<Duration> {
    let begun = Instant::now();
    let mut writer = book::Writer::new(book)?;
    let payer = payer(args);
    let mut text = String::new();
    for kind in ResourceType::ALL {
        for number in 0..payer.count(kind) {
            text.clear();
            payer.write(kind, number, &mut text);
            writer.take(&text)?;
        }
    }
    writer.finish(&dataset.join(DATABASE))?;
    Ok(begun.elapsed())
}

/// Asks a dataset and a textbook's database of the same payer.
fn ask_both(dataset: &Dataset, book: &Path, into: &Path) -> Result<()> {
    let mut figures = ledger::Figures::new();
    ledger::memory(&mut figures);
    ledger::against(dataset, &book::Book::open(book)?, &mut figures)?;
    let text = serde_json::to_vec(&figures).map_err(|e| Error::invalid("figures", e.to_string()))?;
    std::fs::write(into, text).map_err(|e| Error::io(into, &e))
}

/// The made payer, of the size that is asked for.
fn payer(args: &Args) -> MadePayer {
    let whole = Shape::bench();
    // A payer of full size has three million practice locations.
    let scaled = |count: u32| u32::try_from(u64::from(count) * u64::from(args.places) / 3_000_000).unwrap_or(count);
    MadePayer::new(Shape {
        plans: args.plans,
        practitioners: scaled(whole.practitioners),
        facilities: scaled(whole.facilities),
        locations: scaled(whole.locations),
        ..whole
    })
}

/// Makes a payer and hands it over without writing it anywhere.
fn make(args: &Args, builder: &Builder<'_>) -> Result<u64> {
    let payer = payer(args);
    let mut resources = 0;
    for kind in ResourceType::ALL {
        let count = payer.count(kind);
        resources += count;
        let batches = count.div_ceil(1_000);
        (0..batches).into_par_iter().try_for_each(|batch| {
            let mut text = String::new();
            let mut received: Vec<Received> = Vec::with_capacity(1_000);
            for number in batch * 1_000..count.min((batch + 1) * 1_000) {
                text.clear();
                payer.write(kind, number, &mut text);
                if let Outcome::Received(resource, _) = read_resource(text.as_bytes()) {
                    received.push(resource);
                }
            }
            builder.take(received)
        })?;
    }
    Ok(resources)
}

fn sizes(built: &Built) {
    let count = |name: &str| built.manifest.counts.get(name).copied().unwrap_or_default();
    let total = built.manifest.bytes();
    print(&format!(
        "size: {total} bytes; {} packages, {} formularies: see `coverdex info --sizes` for where they are",
        count("packages"),
        count("formularies")
    ));
}
