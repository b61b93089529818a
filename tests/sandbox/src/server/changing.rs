//! A payer that changes while it is read.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Mutex;
use std::time::{Duration, SystemTime};

use coverdex_core::{Error, Result};
use serde_json::{Value, json};

use super::codec::{elements, hash, instant};
use super::locked;
use super::payer::{Payer, place};
use crate::ResourceType;

/// The first version's resources were changed last in so many seconds before it was out.
const AGE: u64 = 90 * 24 * 3600;

/// What changes at one moment was written in so many milliseconds before.
const BATCH: u64 = 5_000;

/// When a payer goes on to its next version by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Moment {
    /// At the request after so many.
    After(u64),
    /// When a pass through all of this type comes to its middle: what changes on the pages before has been read.
    HalfWay(ResourceType),
}

/// A payer whose data goes through versions, each of them a whole payer.
///
/// What is the same in two versions keeps `meta.versionId` and `meta.lastUpdated`; what differs has the time of its
/// change by the server's clock: some time in the five seconds before it is shown, as where a batch is written first and
/// shown then. What a version does not have is in no search then, and gone by its id.
#[derive(Debug)]
pub struct ChangingPayer {
    kinds: [Vec<History>; ResourceType::ALL.len()],
    numbers: BTreeMap<(ResourceType, String), u64>,
    lists: BTreeMap<String, Vec<u64>>,
    by_id_only: BTreeSet<(ResourceType, u64)>,
    versions: usize,
    state: Mutex<State>,
}

/// What becomes of a resource, version by version.
#[derive(Debug)]
struct History {
    /// What it draws its times from.
    key: u64,
    versions: Vec<Option<Value>>,
}

#[derive(Debug)]
struct State {
    version: usize,
    requests: u64,
    moments: VecDeque<Moment>,
    resources: [Vec<Now>; ResourceType::ALL.len()],
    lost: BTreeSet<(ResourceType, u64)>,
}

/// A resource as it is now.
#[derive(Clone, Debug, Default)]
struct Now {
    json: String,
    version_id: u64,
    is_there: bool,
}

impl ChangingPayer {
    /// A payer of these versions, the first of which was out at `begin`. Resources are told apart by type and id;
    /// their `meta.versionId` and `meta.lastUpdated` are set here.
    ///
    /// # Errors
    /// No version; a resource without a type that is served, or without an id.
    pub fn new(versions: &[Vec<Value>], begin: SystemTime) -> Result<Self> {
        if versions.is_empty() {
            return Err(Error::invalid("changing payer", "it has no version"));
        }
        let mut histories: BTreeMap<(ResourceType, u64, String), Vec<Option<Value>>> = BTreeMap::new();
        for (number, version) in versions.iter().enumerate() {
            for resource in version {
                let text = |name: &str| resource.get(name).and_then(Value::as_str);
                let (Some(kind), Some(id)) = (text("resourceType").and_then(ResourceType::named), text("id")) else {
                    return Err(Error::invalid("changing payer", format!("no type and id: {resource}")));
                };
                // In an order in which new ones come between old ones.
                let of = histories.entry((kind, hash(id.as_bytes()), id.to_owned()));
                let of = of.or_insert_with(|| vec![None; versions.len()]);
                if let Some(here) = of.get_mut(number) {
                    *here = Some(resource.clone());
                }
            }
        }
        let mut payer = Self {
            kinds: Default::default(),
            numbers: BTreeMap::new(),
            lists: BTreeMap::new(),
            by_id_only: BTreeSet::new(),
            versions: versions.len(),
            state: Mutex::new(State {
                version: 0,
                requests: 0,
                moments: VecDeque::new(),
                resources: Default::default(),
                lost: BTreeSet::new(),
            }),
        };
        for ((kind, order, id), versions) in histories {
            payer.add(kind, order, id, versions, begin);
        }
        Ok(payer)
    }

    fn add(&mut self, kind: ResourceType, order: u64, id: String, versions: Vec<Option<Value>>, begin: SystemTime) {
        let Some(all) = self.kinds.get_mut(place(kind)) else { return };
        let number = all.len() as u64;
        self.numbers.insert((kind, id), number);
        let any = versions.iter().flatten().next();
        if kind == ResourceType::List {
            let identifiers = any.and_then(|list| list.get("identifier")).map(elements).unwrap_or_default();
            let plans: BTreeSet<&str> = identifiers.iter().filter_map(|one| one.get("value")?.as_str()).collect();
            for plan in plans {
                self.lists.entry(plan.to_owned()).or_default().push(number);
            }
        }
        let updated = begin - Duration::from_secs(order % AGE);
        // What is not there yet is shown nowhere, and yet has its codes.
        let json = any.map_or_else(String::new, |first| stamped(first, 1, updated));
        let is_there = versions.first().is_some_and(Option::is_some);
        let state = self.state.get_mut().unwrap_or_else(std::sync::PoisonError::into_inner);
        if let Some(now) = state.resources.get_mut(place(kind)) {
            now.push(Now { json, version_id: u64::from(is_there), is_there });
        }
        all.push(History { key: order, versions });
    }

    /// Makes a resource readable by its id only. An id that is in no version changes nothing.
    pub fn hide_from_searches(&mut self, kind: ResourceType, id: &str) {
        if let Some(number) = self.index_of(kind, id) {
            self.by_id_only.insert((kind, number));
        }
    }

    /// The version that is out, from 0.
    #[must_use]
    pub fn version(&self) -> usize {
        locked(&self.state).version
    }

    /// Brings the next version out, at this time of the server. The last one stays.
    pub fn go_on(&self, now: SystemTime) {
        self.next(&mut locked(&self.state), now);
    }

    /// It goes on by itself at these moments, one after the other; moments that were named before are forgotten.
    pub fn go_on_at(&self, moments: impl IntoIterator<Item = Moment>) {
        let mut state = locked(&self.state);
        state.moments = moments.into_iter().collect();
        state.requests = 0;
    }

    /// Until it is asked to lose others, it is as if these resources were deleted: no version is like that.
    pub fn lose(&self, is_lost: impl Fn(ResourceType, u64) -> bool) {
        let all = ResourceType::ALL.into_iter().flat_map(|kind| (0..self.count(kind)).map(move |index| (kind, index)));
        locked(&self.state).lost = all.filter(|(kind, index)| is_lost(*kind, *index)).collect();
    }

    fn next(&self, state: &mut State, now: SystemTime) {
        if state.version + 1 >= self.versions {
            return;
        }
        state.version += 1;
        let version = state.version;
        for (histories, resources) in self.kinds.iter().zip(&mut state.resources) {
            for (history, resource) in histories.iter().zip(resources) {
                let at = |version: usize| history.versions.get(version).and_then(Option::as_ref);
                let (before, after) = (at(version - 1), at(version));
                if let Some(after) = after
                    && before != Some(after)
                {
                    resource.version_id += 1;
                    let written = now - Duration::from_millis(history.key % BATCH);
                    resource.json = stamped(after, resource.version_id, written);
                }
                resource.is_there = after.is_some();
            }
        }
    }

    fn pass(&self, now: SystemTime, comes: impl Fn(Moment, u64) -> bool) {
        let mut state = locked(&self.state);
        while state.moments.front().is_some_and(|moment| comes(*moment, state.requests)) {
            state.moments.pop_front();
            state.requests = 0;
            self.next(&mut state, now);
        }
    }
}

/// A resource with this version and this time of its change.
fn stamped(resource: &Value, version_id: u64, updated: SystemTime) -> String {
    let mut resource = resource.clone();
    if let Some(object) = resource.as_object_mut() {
        let meta = object.entry("meta").or_insert_with(|| json!({}));
        if let Some(meta) = meta.as_object_mut() {
            meta.insert("versionId".to_owned(), json!(version_id.to_string()));
            meta.insert("lastUpdated".to_owned(), json!(instant(updated)));
        }
    }
    resource.to_string()
}

impl Payer for ChangingPayer {
    fn count(&self, kind: ResourceType) -> u64 {
        self.kinds.get(place(kind)).map_or(0, |all| all.len() as u64)
    }

    fn resource(&self, kind: ResourceType, index: u64) -> String {
        let state = locked(&self.state);
        let resource = usize::try_from(index).ok().and_then(|index| state.resources.get(place(kind))?.get(index));
        resource.map_or_else(String::new, |resource| resource.json.clone())
    }

    fn index_of(&self, kind: ResourceType, id: &str) -> Option<u64> {
        self.numbers.get(&(kind, id.to_owned())).copied()
    }

    fn lists_of(&self, plan: &str) -> Vec<u64> {
        self.lists.get(plan).cloned().unwrap_or_default()
    }

    fn read_by_id_only(&self, kind: ResourceType, index: u64) -> bool {
        self.by_id_only.contains(&(kind, index))
    }

    fn gone(&self, kind: ResourceType) -> Vec<u64> {
        let state = locked(&self.state);
        let all = state.resources.get(place(kind)).map(Vec::as_slice).unwrap_or_default();
        let gone = (0..).zip(all).filter(|(index, now)| !now.is_there || state.lost.contains(&(kind, *index)));
        gone.map(|(index, _)| index).collect()
    }

    fn asked(&self, _kind: ResourceType, now: SystemTime) {
        locked(&self.state).requests += 1;
        self.pass(now, |moment, requests| matches!(moment, Moment::After(count) if requests > count));
    }

    fn half_done(&self, kind: ResourceType, now: SystemTime) {
        self.pass(now, |moment, _| moment == Moment::HalfWay(kind));
    }
}
