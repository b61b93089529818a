//! Questions about providers as people ask them: plan, network and place by text, whole answers.

mod address;
mod at;
mod explain;
mod matrix;
mod provider;
mod providers;
mod taking;
mod who;
mod written;

use std::collections::BTreeMap;

pub use address::{AddressDifference, NearAddress};
#[cfg(feature = "build")]
pub use at::PracticesFound;
pub use at::{PracticingAt, PracticingAtQuestion};
pub use explain::{ExplainedPlace, ProviderExplanation, SearchResult};
pub use matrix::{NetworkMatrix, NetworkMatrixPlan, NetworkMatrixQuestion, Standing};
pub use provider::{ProviderAnswer, ProviderQuestion};
pub use providers::{ProvidersAnswer, ProvidersQuestion};
pub use taking::{PlanStanding, PlansTaking};
pub use who::{AskedProvider, ProviderText};
pub use written::AskedAddress;

use super::answer::{NetworkGap, NetworkNames, PracticeLocation};
use crate::dataset::Dataset;
use crate::geo;
use crate::ids::{CountyFips, NetworkKey, NetworkKind};
use crate::plans::{CountyFound, Network, Plan};
use crate::{Error, ErrorKind, Result};

/// The networks that a question is about: a plan's, the one that was named, or any.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct AskedNetworks {
    /// The plan that was named.
    pub plan: Option<Plan>,
    /// Its networks, or the one that was named; `None`: whatever the network.
    pub networks: Option<Vec<Network>>,
    /// The kind that was asked for.
    pub kind: Option<NetworkKind>,
    /// Those of them that were not received completely.
    pub gaps: Vec<NetworkGap>,
    /// How networks are named to people.
    pub names: NetworkNames,
}

impl AskedNetworks {
    /// Whether these networks' parts of the directory were received completely, and the payer's names of the plan's
    /// networks could all be read.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        self.gaps.is_empty() && self.plan.as_ref().is_none_or(|plan| plan.lost_networks == 0)
    }

    /// Whether a plan, a network or a kind of network was asked about at all.
    #[must_use]
    pub fn are_named(&self) -> bool {
        self.networks.is_some() || self.kind.is_some()
    }

    /// The networks asked about that are, or may be, of the kind asked about; none where whatever network was meant.
    #[must_use]
    pub fn of_kind(&self) -> Vec<&Network> {
        self.networks.iter().flatten().filter(|network| self.is_of_kind(network)).collect()
    }

    fn is_of_kind(&self, network: &Network) -> bool {
        self.kind.is_none_or(|kind| network.kind == kind || network.kind == NetworkKind::Unknown)
    }

    fn keys(&self) -> Option<Vec<NetworkKey>> {
        self.networks.as_deref().map(keys)
    }

    /// Whether the payer leaves open which networks a plan has.
    fn are_open(&self) -> bool {
        self.plan.as_ref().is_some_and(|plan| plan.networks.is_empty() || plan.lost_networks > 0)
    }

    /// Refuses a plan of which no network of the kind asked about is known: nobody can be found in it.
    pub(crate) fn has_a_network(&self) -> Result<()> {
        let (Some(plan), true) = (&self.plan, self.of_kind().is_empty()) else { return Ok(()) };
        let why = match self.kind {
            _ if plan.lost_networks > 0 && plan.networks.is_empty() => {
                "the networks that the payer names for it cannot be read, or the directory does not have them"
                    .to_owned()
            }
            Some(kind) if plan.lost_networks > 0 => {
                format!("no {} network is among those of its networks that can be read", kind.as_str())
            }
            Some(kind) if !plan.networks.is_empty() => format!("the payer states no {} network for it", kind.as_str()),
            _ => "the payer states no network for it".to_owned(),
        };
        let hint = if plan.networks.is_empty() {
            "name a network by its key, SYSTEM|ID"
        } else {
            "ask for networks of another kind, or name a network by its key, SYSTEM|ID"
        };
        Err(Error::new(ErrorKind::NotFound, format!("plan {}", plan.id), why)
            .with_hint(hint)
            .with_candidates(plan.networks.iter().map(|network| self.names.of(network))))
    }
}

/// Networks that were asked about, and how the texts that name them were read.
pub(crate) type AskedAndNotes = (AskedNetworks, Vec<String>);

impl Dataset {
    /// The networks of a plan (of two years, if it may mean two), the one that was named, or any. `counties` are
    /// those that a question about a plan is about.
    pub(crate) fn asked_networks(
        &self,
        plan: Option<&str>,
        network: Option<&str>,
        kind: Option<NetworkKind>,
        counties: &[CountyFound],
    ) -> Result<Vec<AskedAndNotes>> {
        match (plan, network) {
            (Some(_), Some(_)) => Err(Error::invalid("networks", "a plan and a network are both named")
                .with_hint("name the plan to ask about its networks, or one network")),
            (Some(text), None) => {
                let plans = self.resolve_plan_in(text, counties)?;
                if plans.is_empty() {
                    return Err(Error::new(ErrorKind::NotFound, format!("plan {text}"), "not in this dataset"));
                }
                let of_plan = |plan: Plan, mut notes: Vec<String>| {
                    notes.extend(lost_networks_note(&plan));
                    let networks = plan.networks.clone();
                    Ok((self.asked(Some(plan), Some(networks), kind)?, notes))
                };
                plans.into_iter().map(|resolved| of_plan(resolved.plan, resolved.notes)).collect()
            }
            (None, Some(text)) => {
                let resolved = self.resolve_network(text)?;
                let notes = resolved.note.into_iter().collect();
                Ok(vec![(self.asked(None, Some(vec![resolved.network]), kind)?, notes)])
            }
            (None, None) => Ok(vec![(self.asked(None, None, kind)?, Vec::new())]),
        }
    }

    fn asked(
        &self,
        plan: Option<Plan>,
        networks: Option<Vec<Network>>,
        kind: Option<NetworkKind>,
    ) -> Result<AskedNetworks> {
        let keys = networks.as_deref().map(keys);
        let gaps = self.network_gaps(keys.as_deref(), kind)?;
        let names = NetworkNames::new(&self.directory_networks()?);
        Ok(AskedNetworks { plan, networks, kind, gaps, names })
    }

    /// Fills in the names of the counties that these places are in.
    fn name_counties<'p>(&self, shown: impl Iterator<Item = &'p mut PracticeLocation>) -> Result<()> {
        let mut known: BTreeMap<CountyFips, String> = BTreeMap::new();
        self.inner.database.with_any(|connection| {
            for location in shown.filter_map(|practice| practice.location.as_mut()) {
                let Some(county) = location.county else { continue };
                let name = match known.get(&county) {
                    Some(name) => name.clone(),
                    None => known.entry(county).or_insert(geo::county(connection, county)?.label()).clone(),
                };
                location.county_name = Some(name);
            }
            Ok(())
        })
    }
}

/// That a plan names networks in a way that leads nowhere.
fn lost_networks_note(plan: &Plan) -> Option<String> {
    let (id, count) = (&plan.id, plan.lost_networks);
    (count > 0).then(|| {
        format!("{id} names {count} more of its networks in a way that leads nowhere: who is in them is not known")
    })
}

/// Refuses a name without a letter or digit in it: it would mean everyone.
fn refuse_empty_name(name: Option<&str>) -> Result<()> {
    match name {
        Some(text) if text.trim().is_empty() => {
            Err(Error::invalid("name", "it is empty").with_hint("leave it out to find everyone"))
        }
        _ => Ok(()),
    }
}

fn keys(networks: &[Network]) -> Vec<NetworkKey> {
    networks.iter().map(|network| network.key.clone()).collect()
}
