//! `coverdex demo`: syncs a made payer as a real one, and answers a counselor and a patient.

mod counselor;
mod payer;

use std::fmt::Write as _;
use std::path::Path;

use coverdex_core::{Error, ErrorKind, Result};

use self::counselor::Counselor;
use super::build::shell_word;
use super::providers;
use super::sync::{Rebuilt, Synced};
use crate::args::{DemoArgs, InNetworkArgs, PlaceArgs, ProvidersArgs, SearchArgs};
use crate::data::Datasets;
use crate::failure::Exit;
use crate::json::{DemoDocument, Document};
use crate::output::{Look, Output};
use crate::{table, words};

/// The folder in the system's folder for temporary files where the dataset stays.
const FOLDER: &str = "coverdex-demo";

/// Where the patient lives: in the counselor's county.
const ZIP: &str = "63110";

/// Whom the patient looks for.
const SPECIALTY: &str = "Cardiology";

/// What the last screen shows.
struct Screen<'a> {
    counselor: Counselor<'a>,
    patient: String,
    providers: serde_json::Value,
    next: Vec<String>,
}

pub(super) fn run(args: &DemoArgs, output: Output) -> Result<Exit> {
    let store = args.out.clone().unwrap_or_else(|| std::env::temp_dir().join(FOLDER));
    let synced = payer::sync(&store, output)?;
    let Some(rebuilt) = synced.rebuilt.as_ref().filter(|_| synced.outcome.complete) else {
        return Err(Error::new(ErrorKind::Sync, "demo", incomplete(&synced)).with_hint("run it again"));
    };
    let datasets = Datasets::open(std::slice::from_ref(&store))?;
    let counselor = Counselor::ask(&datasets)?;
    let patient = patient(&counselor);
    let (patient, providers) = providers::shown(&datasets, &patient, output.look())?;
    let next = next_commands(&store, &counselor);
    let screen = Screen { counselor, patient, providers, next };
    output.answer(
        || Document::of(&document(&store, &synced, rebuilt, &screen)),
        |look| render(look, &synced, rebuilt, &screen),
    )?;
    Ok(Exit::Answered)
}

fn incomplete(synced: &Synced) -> String {
    let reasons: Vec<String> =
        synced.outcome.incomplete.iter().map(|(part, reason)| format!("{part}: {reason}")).collect();
    if synced.was_stopped { "it was stopped".to_owned() } else { reasons.join("; ") }
}

/// Cardiologists near home, in the network of the first plan.
fn patient(counselor: &Counselor<'_>) -> ProvidersArgs {
    let search = SearchArgs {
        networks: InNetworkArgs { plan: counselor.first_plan(), ..InNetworkArgs::default() },
        place: PlaceArgs { zip: Some(ZIP.to_owned()), ..PlaceArgs::default() },
        specialty: Some(SPECIALTY.to_owned()),
        ..SearchArgs::default()
    };
    ProvidersArgs { search, limit: 5, ..ProvidersArgs::default() }
}

/// What to type next: commands that answer from this dataset.
fn next_commands(store: &Path, counselor: &Counselor<'_>) -> Vec<String> {
    let program = std::env::args().next().unwrap_or_else(|| "coverdex".to_owned());
    let (program, data) = (shell_word(&program), shell_word(&store.display().to_string()));
    let plan = counselor.first_plan().unwrap_or_default();
    let county = counselor.county.label();
    [
        format!("plans --county \"{county}\""),
        format!("drug atorva --plan {plan}"),
        format!("covered \"metformin 500 mg\" {} --plan {plan} --packages", counselor.an_ndc()),
        format!("providers --plan {plan} --county \"{county}\" --network-kind pharmacy"),
        format!("provider {} --plan {plan}", counselor.an_npi()),
        "info".to_owned(),
    ]
    .map(|command| format!("{program} {command} --data {data}"))
    .into()
}

fn document<'a>(store: &Path, synced: &Synced, rebuilt: &Rebuilt, screen: &'a Screen<'_>) -> DemoDocument<'a> {
    let counselor = &screen.counselor;
    DemoDocument {
        store: store.display().to_string(),
        resources: payer::resources(synced),
        requests: synced.outcome.crawl.requests,
        bytes: rebuilt.bytes(),
        seconds_syncing: synced.outcome.crawl.seconds,
        seconds_building: synced.seconds_building,
        county: counselor.county.label(),
        answers: counselor.elements(),
        standings: counselor.standing_fields(),
        next_year: counselor.change_fields(),
        providers: &screen.providers,
        next: &screen.next,
    }
}

fn render(look: Look, synced: &Synced, rebuilt: &Rebuilt, screen: &Screen<'_>) -> String {
    let mut text = format!("\n{}. Its drugs are real, nothing else is.\n\n", rebuilt.dataset.source());
    text += &screen.counselor.render(look);
    let asks = format!("A PATIENT asks for cardiologists near home, ZIP {ZIP}: who takes new patients?");
    text += &format!("\n{}\n", table::strong(look, &asks));
    text += &screen.patient;
    text += "\nAsk it yourself, without any network:\n";
    for command in &screen.next {
        let _ = writeln!(text, "  {command}");
    }
    let (crawl, resources) = (&synced.outcome.crawl, payer::resources(synced));
    let line = format!(
        "{} came in {} from a server on this machine in {:.1} s, and became {} in {:.1} s. Nothing is left running.",
        words::count(resources, "resource", "resources"),
        words::count(crawl.requests, "answer", "answers"),
        crawl.seconds,
        words::bytes(rebuilt.bytes()),
        synced.seconds_building,
    );
    text + "\n" + &table::wrap(look, &line, "")
}
