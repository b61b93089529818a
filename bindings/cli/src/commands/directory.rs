//! What `providers` and `provider` have in common: which dataset is asked, and the words of the directory.

use coverdex_core::{
    Accepting, AskedNetworks, CountyFound, Dataset, Error, ErrorKind, Location, Npi, PracticeLocation, Result,
    kilometers, miles,
};

use crate::args::InNetworkArgs;
use crate::data::{Datasets, Opened};
use crate::foot::Foot;

/// What stands behind the name of a role that names several places.
pub(super) const SHARED: &str = "†";

/// What that means.
pub(super) const SHARED_LEGEND: &str = "† The role names several places: the payer does not say that all of it, the \
                                        network too, holds at each.";

/// A dataset that a question is for, and where else it could have been asked.
#[derive(Debug)]
pub(super) struct Meant<'a> {
    pub(super) opened: &'a Opened,
    notes: Vec<String>,
}

impl<'a> Meant<'a> {
    fn only(opened: &'a Opened) -> Self {
        Self { opened, notes: Vec::new() }
    }

    /// Adds to the notes of an answer where else the question could have been asked.
    pub(super) fn add_to(&self, notes: &mut Vec<String>) {
        for note in &self.notes {
            if !notes.contains(note) {
                notes.push(note.clone());
            }
        }
    }
}

/// The datasets that a question is for: the first that has the plan or the network; else those with a directory.
/// `counties` gives those that a question about a plan is about.
pub(super) fn meant<'a>(
    datasets: &'a Datasets,
    args: &InNetworkArgs,
    counties: impl Fn(&Dataset) -> Result<Vec<CountyFound>>,
) -> Result<Vec<Meant<'a>>> {
    if let Some(text) = &args.plan {
        let mut plans = datasets.resolve_plan_in(text, counties)?.into_iter();
        return Ok(plans.next().map(|plan| Meant { opened: plan.opened, notes: plan.notes }).into_iter().collect());
    }
    if let Some(text) = &args.network {
        return Ok(vec![of_network(datasets, text)?]);
    }
    let mut all: Vec<Meant<'a>> =
        datasets.all().iter().filter(|opened| opened.dataset.has_directory()).map(Meant::only).collect();
    if all.is_empty() {
        // The dataset itself says that it has none.
        all.extend(datasets.all().first().map(Meant::only));
    }
    Ok(all)
}

/// The first dataset that has the network that a text means.
fn of_network<'a>(datasets: &'a Datasets, text: &str) -> Result<Meant<'a>> {
    let mut found: Option<Meant<'a>> = None;
    let mut refused: Option<Error> = None;
    for opened in datasets.all() {
        match (opened.dataset.resolve_network(text), &mut found) {
            (Ok(_), Some(found)) => {
                found.notes.push(format!("{text} is in {} too, not asked there", opened.path.display()));
            }
            (Ok(_), None) => found = Some(Meant::only(opened)),
            (Err(error), _) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::Ambiguous) => {
                // An ambiguity tells more than an absence, candidates more than none.
                let tells = |error: &Error| (error.kind() == ErrorKind::Ambiguous, !error.candidates().is_empty());
                if refused.as_ref().is_none_or(|earlier| tells(&error) > tells(earlier)) {
                    refused = Some(error);
                }
            }
            (Err(error), _) => return Err(error),
        }
    }
    let none = || Error::new(ErrorKind::DatasetMissing, format!("network {text}"), "no dataset to answer from");
    found.ok_or_else(|| refused.unwrap_or_else(none))
}

/// What core refuses, with the option that it is about.
pub(super) fn with_option(error: Error) -> Error {
    match error.subject() {
        "name" => error.with_hint("leave --name out to find everyone"),
        "network kind" => error.with_hint("name the plan: --plan"),
        zip if zip.starts_with("ZIP ") && error.hint() == Some("ask for the state") => {
            error.with_hint("ask with --state")
        }
        _ => error,
    }
}

/// What the foot of a table says of the networks that a question is about.
pub(super) fn foot(foot: &mut Foot, opened: &Opened, asked: &AskedNetworks, notes: &[String], several_datasets: bool) {
    foot.dataset(opened, several_datasets);
    for note in notes {
        foot.note(note.clone());
    }
    for gap in &asked.gaps {
        foot.note(format!("Incomplete: {}: {}", asked.names.of(&gap.network), gap.reason));
    }
    if asked.is_complete() {
        match &asked.networks {
            // Of none there is nothing to say.
            Some(networks) if networks.is_empty() => {}
            Some(_) => foot.note("Directory: received completely for these networks"),
            None => foot.note("Directory: received completely"),
        }
    }
    foot.directory(asked.are_named());
}

/// `A (medical), B (pharmacy)`: the networks asked about, of the kind asked about.
pub(super) fn networks_in_words(asked: &AskedNetworks) -> String {
    match (&asked.networks, asked.kind) {
        (Some(_), _) => format!("in network: {}", asked.names.list(&asked.of_kind())),
        (None, Some(kind)) => format!("in any {} network", kind.as_str()),
        (None, None) => "whatever the network".to_owned(),
    }
}

/// Whether new patients are taken.
pub(super) const fn new_patients(says: Option<Accepting>) -> &'static str {
    match says {
        Some(Accepting::Yes) => "yes",
        Some(Accepting::No) => "no",
        Some(Accepting::ExistingOnly) => "existing only",
        Some(Accepting::ExistingAndFamily) => "existing and family",
        None => "not stated",
    }
}

/// `12.3 miles (19.8 km)`.
pub(super) fn distance(km: f64) -> String {
    format!("{:.1} miles ({km:.1} km)", miles(km))
}

/// Whole miles that are no less than a distance, as `--within` takes them.
pub(super) fn within(km: f64) -> String {
    let whole = miles(km).ceil();
    // What rounding could leave just outside is inside the next mile.
    let whole = if kilometers(whole) <= km { whole + 1.0 } else { whole };
    format!("{whole:.0}mi")
}

/// A place on lines of its own: name, unless it is the provider's, address, city, state and ZIP.
pub(super) fn place_lines(practice: &PracticeLocation) -> Vec<String> {
    let Some(location) = &practice.location else { return vec!["place not stated".to_owned()] };
    let name = location.name.clone().filter(|name| !name.is_empty() && !name.eq_ignore_ascii_case(&practice.name));
    let lines: Vec<String> = [name, location.address.clone(), locality(location)].into_iter().flatten().collect();
    if lines.is_empty() { vec!["address not stated".to_owned()] } else { lines }
}

/// `Las Cruces, NM 88001`.
pub(super) fn locality(location: &Location) -> Option<String> {
    let state_and_zip = [location.state.clone(), location.zip.map(|zip| zip.to_string())];
    let state_and_zip = state_and_zip.into_iter().flatten().collect::<Vec<_>>().join(" ");
    let parts = [location.city.clone(), Some(state_and_zip)].into_iter().flatten();
    let parts: Vec<String> = parts.filter(|part| !part.is_empty()).collect();
    (!parts.is_empty()).then(|| parts.join(", "))
}

/// A provider's name, as it is shown.
pub(super) fn name(name: &str) -> &str {
    if name.is_empty() { "(no name)" } else { name }
}

/// `NPI 1234567893`; one that is stated and not valid is shown as such.
pub(super) fn npi(npi: Option<Npi>, stated: Option<&str>) -> String {
    match (npi, stated) {
        (Some(npi), _) => format!("NPI {npi}"),
        (None, Some(stated)) => format!("NPI {stated} (not valid)"),
        (None, None) => "no NPI".to_owned(),
    }
}
