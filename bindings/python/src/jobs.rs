//! Building and syncing: long work in a thread of its own, while the caller's thread tells its progress
//! and looks for signals.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, Sender, TryRecvError, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use coverdex_core::{Cancel, Error, ErrorKind, Result, Store};
use coverdex_sync::build::{BuildOptions, Builder, Built, parse_as_of};
use coverdex_sync::fetch::{
    Config, Network, Options, Rate, Secret, Selection, Settings, Stop, SystemClock, Transport, TypeTally,
};
use coverdex_sync::source::{folder, staging};
use coverdex_sync::staging::{Staging, is_staging};
use coverdex_sync::tiers::TierMap;
use coverdex_sync::update::{
    FromStaging, Synced, SyncedDataset, build_staging, first_sign, open_store, sync_and_build,
};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::answers::document;
use crate::errors::{Answer, Fault};
use crate::{lists, package};

/// How long progress is gathered before it is told.
const BETWEEN_LOOKS: Duration = Duration::from_millis(50);

/// How far the work is.
#[derive(Clone, Debug, Default)]
struct Progress {
    stage: &'static str,
    done: u64,
    total: Option<u64>,
    resources: u64,
    resource_type: Option<String>,
    message: Option<String>,
}

impl Progress {
    fn building(resources: u64) -> Self {
        Self { stage: "building", done: resources, resources, ..Self::default() }
    }
}

/// Runs work in a thread of its own. An exception that a signal or the callback raises stops it, and is
/// raised once it has stopped.
fn run<T: Send>(
    py: Python<'_>,
    callback: Option<&Bound<'_, PyAny>>,
    stop: impl Fn(),
    work: impl FnOnce(Sender<Progress>) -> Result<T> + Send,
) -> Answer<T> {
    std::thread::scope(|scope| {
        let (tell, told) = channel();
        let worker = std::thread::Builder::new()
            .spawn_scoped(scope, move || work(tell))
            .map_err(|error| Error::new(ErrorKind::Io, "threads", error.to_string()))?;
        let mut raised = None;
        loop {
            let (progress, is_over) = gather(py, &told);
            let mut told = Ok(());
            for progress in progress {
                told = told.and_then(|()| tell_callback(py, callback, progress));
            }
            if let Err(error) = told.and_then(|()| py.check_signals()) {
                stop();
                raised = raised.or(Some(error));
            }
            if is_over {
                break;
            }
        }
        let worked = py.detach(|| worker.join());
        match raised {
            Some(error) => Err(Fault::Python(error)),
            None => match worked {
                Ok(worked) => Ok(worked?),
                Err(panic) => std::panic::resume_unwind(panic),
            },
        }
    })
}

/// What was told in the meantime: the newest of each resource type, and every message; and whether the work
/// is over.
fn gather(py: Python<'_>, told: &Receiver<Progress>) -> (Vec<Progress>, bool) {
    let begun = Instant::now();
    let mut newest: BTreeMap<Option<String>, Progress> = BTreeMap::new();
    let mut all = Vec::new();
    loop {
        match told.try_recv() {
            Ok(progress) if progress.message.is_some() => all.push(progress),
            Ok(progress) => drop(newest.insert(progress.resource_type.clone(), progress)),
            Err(TryRecvError::Disconnected) => {
                all.extend(newest.into_values());
                return (all, true);
            }
            Err(TryRecvError::Empty) => {
                if begun.elapsed() >= BETWEEN_LOOKS {
                    all.extend(newest.into_values());
                    return (all, false);
                }
                py.detach(|| std::thread::sleep(Duration::from_millis(5)));
            }
        }
    }
}

fn tell_callback(py: Python<'_>, callback: Option<&Bound<'_, PyAny>>, progress: Progress) -> PyResult<()> {
    let Some(callback) = callback else { return Ok(()) };
    let class = package::item(py, "coverdex._progress", "Progress")?;
    let Progress { stage, done, total, resources, resource_type, message } = progress;
    callback.call1((class.call1((stage, done, total, resources, resource_type, message))?,))?;
    Ok(())
}

/// What was built, by the names of its fields in Python.
fn built_fields<'py>(py: Python<'py>, built: &Built, seconds: f64) -> PyResult<Bound<'py, PyDict>> {
    let fields = PyDict::new(py);
    fields.set_item("folder", &built.folder)?;
    fields.set_item("dataset", &built.manifest.dataset)?;
    fields.set_item("as_of", &built.manifest.as_of)?;
    fields.set_item("counts", &built.manifest.counts)?;
    fields.set_item("bytes", built.manifest.bytes())?;
    fields.set_item("repeats", built.repeats)?;
    fields.set_item("unused_tiers", &built.unused_tiers)?;
    fields.set_item("seconds", seconds)?;
    Ok(fields)
}

/// Builds a dataset from a folder of FHIR resources or from what a sync has read.
#[pyfunction]
#[pyo3(signature = (source, out, *, payer, as_of, tiers, threads, progress))]
#[allow(clippy::too_many_arguments, reason = "the options of the package's function")]
pub(crate) fn build<'py>(
    py: Python<'py>,
    source: PathBuf,
    out: PathBuf,
    payer: Option<String>,
    as_of: Option<String>,
    tiers: BTreeMap<String, String>,
    threads: usize,
    progress: Option<Bound<'py, PyAny>>,
) -> Answer<Bound<'py, PyDict>> {
    let begun = Instant::now();
    let cancel = Cancel::new();
    let of_work = cancel.clone();
    let built = run(
        py,
        progress.as_ref(),
        || cancel.cancel(),
        move |tell| {
            let tiers = tier_map(&tiers)?;
            if is_staging(&source) {
                return from_staging(&source, &out, payer.as_deref(), &tiers, threads, &of_work, &tell);
            }
            from_folder(&source, &out, payer, as_of, tiers, threads, &of_work, &tell)
        },
    )?;
    Ok(built_fields(py, &built, begun.elapsed().as_secs_f64())?)
}

fn tier_map(tiers: &BTreeMap<String, String>) -> Result<TierMap> {
    let mut map = TierMap::default();
    for (tier, meaning) in tiers {
        map.insert(tier, meaning)?;
    }
    Ok(map)
}

#[allow(clippy::too_many_arguments, reason = "the options of the package's function")]
fn from_folder(
    source: &Path,
    out: &Path,
    payer: Option<String>,
    as_of: Option<String>,
    tiers: TierMap,
    threads: usize,
    cancel: &Cancel,
    tell: &Sender<Progress>,
) -> Result<Built> {
    if !source.exists() {
        return Err(Error::new(ErrorKind::Io, source.display().to_string(), "no such folder or file"));
    }
    let as_of = as_of.as_deref().map(parse_as_of).transpose()?;
    let store = Store::open_or_create(out)?;
    let builder = Builder::new(&store)?;
    let tell = Mutex::new(tell);
    let reading = |at: folder::Progress| {
        let (done, total, resources) = (at.bytes_read, Some(at.bytes_total), at.resources);
        let told = Progress { stage: "reading", done, total, resources, ..Progress::default() };
        // Nobody listens where the call is being given up.
        let _ = tell.lock().unwrap_or_else(PoisonError::into_inner).send(told);
    };
    let options = folder::ReadOptions { threads, progress: Some(&reading) };
    let folder = folder::Folder { path: source, options, payer: payer.as_deref(), as_of: as_of.as_deref() };
    let (seen, counts) = builder.read(&folder, cancel)?;
    let _ = tell.lock().unwrap_or_else(PoisonError::into_inner).send(Progress::building(counts.resources()));
    let options = BuildOptions { seen, tiers, cancel: cancel.clone() };
    let crawl = serde_json::json!({ "tool": concat!("coverdex (Python) ", env!("CARGO_PKG_VERSION")) });
    builder.build(&options, &crawl)
}

fn from_staging(
    source: &Path,
    out: &Path,
    payer: Option<&str>,
    tiers: &TierMap,
    threads: usize,
    cancel: &Cancel,
    tell: &Sender<Progress>,
) -> Result<Built> {
    let tell = Mutex::new(tell);
    let building = |resources: u64| {
        let _ = tell.lock().unwrap_or_else(PoisonError::into_inner).send(Progress::building(resources));
    };
    let read = staging::ReadOptions { threads, progress: Some(&building) };
    let from = FromStaging { payer, tiers: Some(tiers), read, cancel: Some(cancel), ..FromStaging::default() };
    let (built, ..) = build_staging(&Staging::open(source)?, &Store::open_or_create(out)?, &from)?;
    Ok(built)
}

/// Reads a payer over the network, or goes on with it, and builds its dataset.
#[pyfunction]
#[pyo3(signature = (
    base_url, out, staging, *, payer, plans, states, formulary, directory, tiers, rate, concurrency, allow_http,
    access, settings, full, accept_shrink,
    other_payer, progress,
))]
#[allow(
    clippy::too_many_arguments,
    clippy::fn_params_excessive_bools,
    reason = "the options of the package's function"
)]
pub(crate) fn sync<'py>(
    py: Python<'py>,
    base_url: Option<String>,
    out: PathBuf,
    staging: PathBuf,
    payer: Option<String>,
    #[pyo3(from_py_with = lists::texts)] plans: Vec<String>,
    #[pyo3(from_py_with = lists::texts)] states: Vec<String>,
    formulary: bool,
    directory: bool,
    tiers: BTreeMap<String, String>,
    rate: Option<String>,
    concurrency: Option<usize>,
    allow_http: Option<bool>,
    access: BTreeMap<String, String>,
    settings: Option<PathBuf>,
    full: bool,
    accept_shrink: bool,
    other_payer: bool,
    progress: Option<Bound<'py, PyAny>>,
) -> Answer<Bound<'py, PyDict>> {
    let begun = Instant::now();
    let given = Settings {
        base_url,
        rate: rate.as_deref().map(str::parse::<Rate>).transpose()?,
        concurrency,
        allow_http,
        tiers: tier_map(&tiers)?,
        ..Settings::default()
    };
    let file = settings.as_deref().map_or_else(|| Ok(Settings::default()), Settings::from_file)?;
    let config = given.or(access_settings(access)?).or(file).check()?;
    let selection = Selection { plans, states, formulary, directory, ..Selection::default() }.check()?;
    let options = Options { selection, staging, accept_shrink, full };
    let (stop, cancel) = (Stop::default(), Cancel::new());
    let (stop_work, cancel_work) = (stop.clone(), cancel.clone());
    let both = || {
        stop.stop();
        cancel.cancel();
    };
    let synced = run(py, progress.as_ref(), both, move |tell| {
        let from =
            FromStaging { payer: payer.as_deref(), cancel: Some(&cancel_work), other_payer, ..FromStaging::default() };
        read_payer(config, &options, &out, &from, stop_work, tell)
    })?;
    Ok(synced_fields(py, &synced, begun.elapsed().as_secs_f64())?)
}

/// What a payer wants of its clients, by the names of the settings.
fn access_settings(access: BTreeMap<String, String>) -> Result<Settings> {
    let mut settings = Settings::default();
    for (name, value) in access {
        match name.as_str() {
            "token_url" => settings.token_url = Some(value),
            "client_id" => settings.client_id = Some(value),
            "client_secret" => settings.client_secret = Some(Secret::new(value)),
            "scope" => settings.scope = Some(value),
            "api_key" => settings.api_key = Some(Secret::new(value)),
            "api_key_header" => settings.api_key_header = Some(value),
            "ca" => settings.ca = Some(value.into()),
            "client_certificate" => settings.client_certificate = Some(value.into()),
            "client_key" => settings.client_key = Some(value.into()),
            _ => return Err(Error::invalid(name, "there is no such setting")),
        }
    }
    Ok(settings)
}

fn read_payer(
    config: Config,
    options: &Options,
    out: &Path,
    from: &FromStaging<'_>,
    stop: Stop,
    tell: Sender<Progress>,
) -> Result<Synced> {
    open_store(out, &config, from)?;
    let network: Arc<dyn Transport> = Arc::new(Network::new(&config)?);
    first_sign(&config, network.as_ref(), &options.staging)?;
    let told = Mutex::new((tell.clone(), BTreeMap::<String, TypeTally>::new()));
    let watch = Arc::new(move |event: &coverdex_sync::fetch::Event| {
        let (tell, tallies) = &mut *told.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(message) = event.remark() {
            let _ = tell.send(Progress { stage: "reading", message: Some(message), ..Progress::default() });
        }
        if let Some(resource_type) = event.resource_type() {
            let tally = tallies.entry(resource_type.to_owned()).or_default();
            tally.note(event);
            let (done, total) = (tally.came(), tally.expected());
            let resource_type = Some(resource_type.to_owned());
            let resources = tallies.values().map(TypeTally::came).sum();
            let _ = tell.send(Progress { stage: "reading", done, total, resources, resource_type, message: None });
        }
    });
    let tell = Mutex::new(tell);
    let building = |resources: u64| {
        let _ = tell.lock().unwrap_or_else(PoisonError::into_inner).send(Progress::building(resources));
    };
    let read = staging::ReadOptions { progress: Some(&building), ..staging::ReadOptions::default() };
    let tiers = config.tiers.clone();
    let from = FromStaging { tiers: Some(&tiers), read, ..*from };
    sync_and_build(config, options, out, &from, network, Arc::new(SystemClock::default()), watch, stop)
}

fn synced_fields<'py>(py: Python<'py>, synced: &Synced, seconds: f64) -> PyResult<Bound<'py, PyDict>> {
    let fields = PyDict::new(py);
    fields.set_item("complete", synced.outcome.complete)?;
    fields.set_item("incomplete", &synced.outcome.incomplete)?;
    fields.set_item("report", document(py, &synced.report)?)?;
    fields.set_item("crawl", document(py, &synced.outcome.crawl)?)?;
    let built = match &synced.dataset {
        SyncedDataset::Built(built, _) | SyncedDataset::Joined(built, ..) => Some(built_fields(py, built, seconds)?),
        SyncedDataset::Kept(_) | SyncedDataset::None => None,
    };
    fields.set_item("built", built)?;
    let kept = match &synced.dataset {
        SyncedDataset::Kept(folder) => Some(folder),
        _ => None,
    };
    fields.set_item("kept", kept)?;
    let former = synced.dataset.former().map(|former| document(py, former)).transpose()?;
    fields.set_item("former", former)?;
    Ok(fields)
}
