//! Which of the keys that roles carry are networks: those that a plan or an Organization of type
//! `ntwk` names, and tags of the same systems or of one that says its kind. Other systems' tags, and
//! references to practice groups, are none. A reference that leads nowhere is a network of unknown name;
//! so is one to an Organization of no stated type that has no key of such a system.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use coverdex_core::Result;
use coverdex_core::build::fold_system;
use coverdex_core::{NetworkKey, NetworkKind};

use crate::model::{NetworkClaim, NetworkName, OrganizationFacts, SourceId};

use super::collect::{Came, Said, differ};

/// A network as it is written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct NetworkRow {
    pub(super) key: NetworkKey,
    pub(super) label: Option<String>,
}

/// The networks of a directory, numbered by key.
#[derive(Debug, Default)]
pub(super) struct Networks {
    pub(super) rows: Vec<NetworkRow>,
    numbers: HashMap<NetworkKey, u16>,
    /// What a reference to an Organization leads to.
    of_organization: HashMap<SourceId, Vec<u16>>,
    /// What a statement about new patients may mean besides: Organizations of no stated type with the
    /// identifier of a network.
    of_claims: HashMap<SourceId, Vec<u16>>,
    /// The payer's own servers, which absolute references name.
    local: Vec<u128>,
    /// References to Organizations that did not come, or cannot be read.
    lost: HashSet<SourceId>,
}

/// What was seen of a network before it has a number.
#[derive(Default)]
struct Seen {
    /// Spellings of the system.
    systems: Vec<String>,
    /// Labels by rank (a plan's, an Organization's name) and how often each is used.
    labels: BTreeMap<(u8, String), usize>,
}

const BY_PLAN: u8 = 0;
const BY_ORGANIZATION: u8 = 1;
const BY_ROLE: u8 = 2;

type Universe = BTreeMap<(String, String), Seen>;

fn folded(key: &NetworkKey) -> (String, String) {
    (key.folded_system(), key.id().to_owned())
}

fn see(universe: &mut Universe, key: &NetworkKey, rank: u8, label: Option<&str>) {
    let seen = universe.entry(folded(key)).or_default();
    seen.systems.push(key.system().to_owned());
    if let Some(label) = label.map(str::trim).filter(|label| !label.is_empty()) {
        *seen.labels.entry((rank, label.to_owned())).or_default() += 1;
    }
}

impl Networks {
    pub(super) fn of(said: &Said) -> Result<Self> {
        let mut universe = Universe::new();
        let (named, referenced) = said.offered();
        for NetworkName { key, label } in named {
            see(&mut universe, key, BY_PLAN, label.as_deref());
        }
        let by_plan: Vec<(String, String)> = universe.keys().cloned().collect();
        let referenced_label: HashMap<SourceId, Option<&str>> =
            referenced.iter().map(|(source, label)| (said.resolve(*source), label.as_deref())).collect();
        let of_roles: HashSet<SourceId> =
            said.references.values().flatten().map(|(source, _)| said.resolve(*source)).collect();
        let mut nameless: HashSet<SourceId> = HashSet::new();
        let mut keys_of: Vec<(SourceId, Vec<NetworkKey>)> = Vec::new();
        let mut claimed: Vec<(SourceId, Vec<NetworkKey>)> = Vec::new();
        for number in (0..).take(said.organizations.len()) {
            let Some(Came::Fact(facts)) = said.organizations.read::<OrganizationFacts>(number)? else { continue };
            let source = SourceId(said.organizations.order(number).2);
            let label_of_plan = referenced_label.get(&source);
            let mut keys = network_keys(&facts, &by_plan);
            if !is_network(&facts) && label_of_plan.is_none() {
                let by_plan = |key: &NetworkKey| by_plan.binary_search(&folded(key)).is_ok();
                if !(facts.types.is_empty() && of_roles.contains(&source)) {
                    // One of no stated type that plans mean by its identifier: its name is a label.
                    keys.retain(|key| facts.types.is_empty() && by_plan(key));
                    for key in &keys {
                        see(&mut universe, key, BY_ORGANIZATION, facts.name.as_deref());
                    }
                    claimed.push((source, keys));
                    continue;
                }
                keys.retain(|key| key.kind() != NetworkKind::Unknown || by_plan(key));
                if keys.is_empty() {
                    nameless.insert(source);
                    continue;
                }
            }
            for key in &keys {
                if let Some(label) = label_of_plan {
                    see(&mut universe, key, BY_PLAN, *label);
                }
                see(&mut universe, key, BY_ORGANIZATION, facts.name.as_deref());
            }
            keys_of.push((source, keys));
        }
        see_tags(&mut universe, said);
        let mut networks =
            Self { local: said.local.clone(), lost: lost(said, &referenced_label, &nameless)?, ..Self::default() };
        for ((_, id), seen) in universe {
            let system = seen.systems.iter().min().cloned().unwrap_or_default();
            let (Ok(key), Ok(number)) = (NetworkKey::new(&system, &id), u16::try_from(networks.rows.len())) else {
                continue;
            };
            networks.numbers.insert(key.clone(), number);
            networks.rows.push(NetworkRow { key, label: best_label(seen.labels) });
        }
        networks.of_organization =
            keys_of.into_iter().map(|(source, keys)| (source, networks.numbered(&keys))).collect();
        claimed.retain(|(_, keys)| !keys.is_empty());
        networks.of_claims = claimed.into_iter().map(|(source, keys)| (source, networks.numbered(&keys))).collect();
        Ok(networks)
    }

    /// The networks among the keys and references of a role, ascending.
    pub(super) fn among(&self, names: &[&NetworkName], references: &[(SourceId, Option<String>)]) -> Vec<u16> {
        let by_key = names.iter().filter_map(|name| self.numbers.get(&name.key).copied());
        let by_reference = references.iter().flat_map(|(source, _)| self.led_to(*source)).copied();
        let mut found: Vec<u16> = by_key.chain(by_reference).collect();
        found.sort_unstable();
        found.dedup();
        found
    }

    /// The networks that a claim names; empty for one that is no network.
    pub(super) fn claimed(&self, claim: &NetworkClaim) -> Vec<u16> {
        match claim {
            NetworkClaim::Key(key) => self.numbers.get(key).copied().into_iter().collect(),
            NetworkClaim::Reference(source) => match self.led_to(*source) {
                [] => self.found(&self.of_claims, *source).to_vec(),
                found => found.to_vec(),
            },
        }
    }

    /// Whether one of these references leads nowhere: to a network of unknown name.
    pub(super) fn any_lost(&self, references: &[(SourceId, Option<String>)]) -> bool {
        references.iter().any(|(source, _)| self.lost.contains(source))
    }

    /// The keys of the networks that a reference leads to; `None`: it leads nowhere, or to no network.
    pub(super) fn keys_of(&self, source: SourceId) -> Option<Vec<NetworkKey>> {
        let keys = self.led_to(source).iter().filter_map(|number| self.rows.get(usize::from(*number)));
        let keys: Vec<NetworkKey> = keys.map(|row| row.key.clone()).collect();
        (!keys.is_empty()).then_some(keys)
    }

    /// The label of a network.
    pub(super) fn label(&self, key: &NetworkKey) -> Option<&str> {
        let number = self.numbers.get(key)?;
        self.rows.get(usize::from(*number))?.label.as_deref()
    }

    /// Whether an Organization is a network and not a provider.
    pub(super) fn is_network(&self, source: SourceId) -> bool {
        self.of_organization.contains_key(&source)
    }

    fn led_to(&self, source: SourceId) -> &[u16] {
        self.found(&self.of_organization, source)
    }

    fn found<'a>(&self, among: &'a HashMap<SourceId, Vec<u16>>, source: SourceId) -> &'a [u16] {
        let at = |server: &u128| among.get(&source.at(*server));
        let found = among.get(&source).or_else(|| self.local.iter().find_map(at));
        found.map_or(&[], Vec::as_slice)
    }

    fn numbered(&self, keys: &[NetworkKey]) -> Vec<u16> {
        let mut numbers: Vec<u16> = keys.iter().filter_map(|key| self.numbers.get(key).copied()).collect();
        numbers.sort_unstable();
        numbers
    }
}

/// Adds the tags of roles that are of a system of networks: one that says its kind, or that plans and
/// Organizations use. Tags of other systems are none.
fn see_tags(universe: &mut Universe, said: &Said) {
    let before: BTreeSet<(String, String)> = universe.keys().cloned().collect();
    let systems: BTreeSet<String> = before.iter().map(|(system, _)| system.clone()).collect();
    let mut spellings: BTreeMap<String, &str> = BTreeMap::new();
    for system in &said.role_systems {
        let spelling = spellings.entry(fold_system(system)).or_insert(system);
        *spelling = (*spelling).min(system);
    }
    for NetworkName { key, label } in said.network_names() {
        let folded = key.folded_system();
        if key.kind() == NetworkKind::Unknown && !systems.contains(&folded) {
            continue;
        }
        let known = before.contains(&(folded.clone(), key.id().to_owned()));
        let spelled = spellings.get(&folded).and_then(|system| NetworkKey::new(system, key.id()).ok());
        if let Some(spelled) = spelled.filter(|_| !known) {
            see(universe, &spelled, BY_ROLE, label.as_deref());
        }
    }
}

/// The references of roles and plans to Organizations that did not come, or cannot be read, or are among
/// those that nothing tells of what kind they are.
fn lost(
    said: &Said,
    of_plans: &HashMap<SourceId, Option<&str>>,
    nameless: &HashSet<SourceId>,
) -> Result<HashSet<SourceId>> {
    let of_roles = said.references.values().flatten().map(|(source, _)| *source);
    let all: BTreeSet<SourceId> = of_roles.chain(of_plans.keys().copied()).collect();
    let mut lost = HashSet::new();
    for source in all {
        let came = match said.organizations.find(said.resolve(source)) {
            Some(number) => said.organizations.read::<OrganizationFacts>(number)?,
            None => None,
        };
        let is_nameless = nameless.contains(&said.resolve(source));
        if !matches!(came, Some(Came::Fact(_))) || is_nameless || names_differ(said, source)? {
            lost.insert(source);
        }
    }
    Ok(lost)
}

/// Whether versions of a network's Organization, none of which is the newest, differ in what network it is.
fn names_differ(said: &Said, source: SourceId) -> Result<bool> {
    let number = said.organizations.find(said.resolve(source)).filter(|number| said.organizations.is_contrary(*number));
    let Some(number) = number else { return Ok(false) };
    let versions = said.organizations.read_contrary::<OrganizationFacts>(number)?;
    let any = versions.iter().any(|came| matches!(came, Came::Fact(facts) if is_network(facts)));
    Ok(any && differ(versions, |facts| (is_network(&facts), facts.network_keys)))
}

fn is_network(facts: &OrganizationFacts) -> bool {
    facts.types.iter().any(|kind| kind.eq_ignore_ascii_case("ntwk"))
}

/// Which identifiers of a network's Organization are its keys: those that plans use, else those
/// whose system tells a kind of network, else the first.
fn network_keys(facts: &OrganizationFacts, by_plan: &[(String, String)]) -> Vec<NetworkKey> {
    let mut keys = facts.network_keys.clone();
    keys.sort();
    let used: Vec<NetworkKey> =
        keys.iter().filter(|key| by_plan.binary_search(&folded(key)).is_ok()).cloned().collect();
    if !used.is_empty() {
        return used;
    }
    let telling: Vec<NetworkKey> = keys.iter().filter(|key| key.kind() != NetworkKind::Unknown).cloned().collect();
    if !telling.is_empty() {
        return telling;
    }
    keys.truncate(1);
    keys
}

/// The label that plans use most, else that of Organizations; the smaller of two as frequent.
fn best_label(labels: BTreeMap<(u8, String), usize>) -> Option<String> {
    let best = labels.into_iter().min_by(|((rank_a, a), count_a), ((rank_b, b), count_b)| {
        (rank_a, std::cmp::Reverse(count_a), a).cmp(&(rank_b, std::cmp::Reverse(count_b), b))
    });
    best.map(|((_, label), _)| label)
}
