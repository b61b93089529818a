//! What `providers` and `provider` have in common: whose networks a question is about, and the words
//! of the directory.

use std::collections::BTreeMap;

use coverdex_core::build::geo::{kilometers, miles};
use coverdex_core::{Accepting, Location, NetworkGap, NetworkNames, PracticeLocation};
use coverdex_core::{CountyFips, NetworkKey, NetworkKind, Npi};
use coverdex_core::{CountyFound, Dataset, Error, ErrorKind, Network, Result};

use crate::args::InNetworkArgs;
use crate::data::{Datasets, MeantPlan, Opened};
use crate::foot::Foot;

/// What stands behind the name of a role that names several places.
pub(super) const SHARED: &str = "†";

/// What that means.
pub(super) const SHARED_LEGEND: &str = "† The role names several places: the payer does not say that all of it, the \
                                        network too, holds at each.";

/// Refuses a name without a word in it: it would mean everyone.
pub(super) fn has_words(name: Option<&str>) -> Result<()> {
    match name {
        Some(text) if text.trim().is_empty() => {
            Err(Error::new(ErrorKind::InvalidInput, "--name", "it is empty").with_hint("leave it out to find everyone"))
        }
        _ => Ok(()),
    }
}

/// A dataset, and the networks that it is asked about.
#[derive(Debug)]
pub(crate) struct Asked<'a> {
    pub(crate) opened: &'a Opened,
    pub(crate) plan: Option<MeantPlan<'a>>,
    /// The plan's, or the one that was named; `None`: whatever the network.
    pub(crate) networks: Option<Vec<Network>>,
    pub(crate) kind: Option<NetworkKind>,
    /// Those of them that were not received completely.
    pub(crate) gaps: Vec<NetworkGap>,
    /// How plan and network were read, and where else they are.
    pub(crate) notes: Vec<String>,
    pub(super) names: NetworkNames,
}

impl<'a> Asked<'a> {
    fn new(
        opened: &'a Opened,
        plan: Option<MeantPlan<'a>>,
        networks: Option<Vec<Network>>,
        kind: Option<NetworkKind>,
        notes: Vec<String>,
    ) -> Result<Self> {
        let keys = networks.as_deref().map(keys);
        let gaps = opened.dataset.network_gaps(keys.as_deref(), kind)?;
        let names = NetworkNames::new(&opened.dataset.directory_networks()?);
        Ok(Self { opened, plan, networks, kind, gaps, notes, names })
    }

    /// Whether networks were asked about at all.
    pub(super) fn in_networks(&self) -> bool {
        self.networks.is_some() || self.kind.is_some()
    }

    /// Whether one of its networks may be of the kind asked about.
    pub(super) fn has_a_network(&self) -> bool {
        self.networks.as_ref().is_none_or(|networks| networks.iter().any(|network| self.is_of_kind(network)))
    }

    fn is_of_kind(&self, network: &Network) -> bool {
        self.kind.is_none_or(|kind| network.kind == kind || network.kind == NetworkKind::Unknown)
    }

    /// The keys of its networks.
    pub(super) fn keys(&self) -> Option<Vec<NetworkKey>> {
        self.networks.as_deref().map(keys)
    }

    /// What the foot of a table says of it.
    pub(super) fn foot(&self, foot: &mut Foot, several_datasets: bool) {
        foot.dataset(self.opened, several_datasets);
        for note in &self.notes {
            foot.note(note.clone());
        }
        for gap in &self.gaps {
            foot.note(format!("Incomplete: {}: {}", self.names.of(&gap.network), gap.reason));
        }
        if self.gaps.is_empty() {
            foot.note(match self.networks {
                Some(_) => "Directory: received completely for these networks",
                None => "Directory: received completely",
            });
        }
        foot.directory(self.in_networks());
    }

    /// `A (medical), B (pharmacy)`: the networks asked about, of the kind asked about.
    pub(super) fn networks_in_words(&self) -> String {
        match &self.networks {
            None => self
                .kind
                .map_or_else(|| "whatever the network".to_owned(), |kind| format!("in any {} network", kind.as_str())),
            Some(networks) => {
                let shown: Vec<&Network> = networks.iter().filter(|own| self.is_of_kind(own)).collect();
                format!("in network: {}", self.names.list(&shown))
            }
        }
    }
}

/// The datasets that a question is for, and the networks in each: those of a plan (in two years, if
/// it may mean two), a network that was named, or any.
/// `counties` gives those that a question about a plan is about.
pub(super) fn asked<'a>(
    datasets: &'a Datasets,
    args: &InNetworkArgs,
    counties: impl Fn(&Dataset) -> Result<Vec<CountyFound>>,
) -> Result<Vec<Asked<'a>>> {
    let kind = args.network_kind.map(NetworkKind::from);
    if let Some(text) = &args.plan {
        let of_plan = |meant: MeantPlan<'a>| {
            let (networks, mut notes) = (meant.plan.networks.clone(), meant.notes.clone());
            if meant.plan.lost_networks > 0 {
                let (id, count) = (&meant.plan.id, meant.plan.lost_networks);
                notes.push(format!(
                    "{id} names {count} more of its networks in a way that leads nowhere: who is in them is not known"
                ));
            }
            Asked::new(meant.opened, Some(meant), Some(networks), kind, notes)
        };
        return datasets.resolve_plan_in(text, counties)?.into_iter().map(of_plan).collect();
    }
    if let Some(text) = &args.network {
        return Ok(vec![of_network(datasets, text, kind)?]);
    }
    let with_directory = datasets.all().iter().filter(|opened| opened.dataset.has_directory());
    let all =
        with_directory.map(|opened| Asked::new(opened, None, None, kind, Vec::new())).collect::<Result<Vec<_>>>()?;
    match (all.is_empty(), datasets.all().first()) {
        // The dataset itself says that it has none.
        (true, Some(opened)) => Ok(vec![Asked::new(opened, None, None, kind, Vec::new())?]),
        _ => Ok(all),
    }
}

/// The network that a text means, in the first dataset that has it.
fn of_network<'a>(datasets: &'a Datasets, text: &str, kind: Option<NetworkKind>) -> Result<Asked<'a>> {
    let mut found: Option<Asked<'a>> = None;
    let mut refused: Option<Error> = None;
    for opened in datasets.all() {
        match (opened.dataset.resolve_network(text), &mut found) {
            (Ok(_), Some(found)) => {
                found.notes.push(format!("{text} is in {} too, not asked there", opened.path.display()));
            }
            (Ok(resolved), None) => {
                let notes = resolved.note.into_iter().collect();
                found = Some(Asked::new(opened, None, Some(vec![resolved.network]), kind, notes)?);
            }
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

fn keys(networks: &[Network]) -> Vec<NetworkKey> {
    networks.iter().map(|network| network.key.clone()).collect()
}

/// The names of the counties that an answer shows.
#[derive(Clone, Debug, Default)]
pub(crate) struct CountyNames(BTreeMap<CountyFips, String>);

impl CountyNames {
    pub(super) fn of<'p>(dataset: &Dataset, shown: impl Iterator<Item = &'p PracticeLocation>) -> Result<Self> {
        let mut names = BTreeMap::new();
        for county in shown.filter_map(|practice| practice.location.as_ref()?.county) {
            if let std::collections::btree_map::Entry::Vacant(e) = names.entry(county) {
                e.insert(dataset.county(&county.to_string())?.label());
            }
        }
        Ok(Self(names))
    }

    /// `Howard County, MD`.
    pub(crate) fn label(&self, county: CountyFips) -> Option<&str> {
        self.0.get(&county).map(String::as_str)
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
