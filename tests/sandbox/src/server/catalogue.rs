//! The payer with what the server works out from it, once and when first asked.

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::{Arc, OnceLock};

use serde::Deserialize;
use serde_json::Value;

use super::codec::{elements, tolerant};
use super::payer::Payer;
use super::payer::place;
use crate::ResourceType;

/// A payer and its look-ups.
pub(super) struct Catalogue {
    pub(super) payer: Arc<dyn Payer>,
    hidden: [OnceLock<Arc<Vec<u64>>>; ResourceType::ALL.len()],
    ranks: [OnceLock<Arc<Vec<u64>>>; ResourceType::ALL.len()],
    by_code: OnceLock<HashMap<String, Vec<u64>>>,
    by_plan: OnceLock<HashMap<String, Vec<u64>>>,
}

impl Catalogue {
    pub(super) fn new(payer: Arc<dyn Payer>) -> Self {
        Self {
            payer,
            hidden: Default::default(),
            ranks: Default::default(),
            by_code: OnceLock::new(),
            by_plan: OnceLock::new(),
        }
    }

    /// Whether the payer has this type; every payer has those of the API document.
    pub(super) fn serves(&self, kind: ResourceType) -> bool {
        !kind.is_optional() || self.payer.count(kind) > 0
    }

    /// The numbers that searches do not show, ascending.
    pub(super) fn hidden(&self, kind: ResourceType) -> Arc<Vec<u64>> {
        let find = || {
            let hidden = (0..self.payer.count(kind)).filter(|index| self.payer.read_by_id_only(kind, *index));
            Arc::new(hidden.collect())
        };
        self.hidden.get(place(kind)).map_or_else(Arc::default, |cell| Arc::clone(cell.get_or_init(find)))
    }

    /// For each number of a type, its place in the order of the ids.
    pub(super) fn ranks(&self, kind: ResourceType) -> Arc<Vec<u64>> {
        let find = || {
            let id = |index: &u64| id_of(&self.payer.resource(kind, *index));
            let mut numbers: Vec<u64> = (0..self.payer.count(kind)).collect();
            numbers.sort_by_cached_key(id);
            let mut ranked: Vec<(u64, u64)> = numbers.into_iter().zip(0..).collect();
            ranked.sort_unstable();
            Arc::new(ranked.into_iter().map(|(_, rank)| rank).collect())
        };
        self.ranks.get(place(kind)).map_or_else(Arc::default, |cell| Arc::clone(cell.get_or_init(find)))
    }

    /// The formulary entries with this code in any of their codings.
    pub(super) fn with_code(&self, code: &str) -> Vec<u64> {
        let index = self.by_code.get_or_init(|| {
            self.entries_by(|entry| {
                let codings = elements(member(member(entry, "code"), "coding"));
                codings.iter().filter_map(|coding| text(member(coding, "code"))).collect()
            })
        });
        index.get(code).cloned().unwrap_or_default()
    }

    /// The formulary entries whose PlanID extension names this plan.
    pub(super) fn of_plan(&self, plan: &str) -> Vec<u64> {
        let index = self.by_plan.get_or_init(|| {
            self.entries_by(|entry| {
                let is_plan = |one: &&Value| {
                    member(one, "url").as_str().is_some_and(|url| url.ends_with("/usdf-PlanID-extension"))
                };
                let extensions = elements(member(entry, "extension")).iter();
                extensions.filter(is_plan).filter_map(|one| text(member(one, "valueString"))).collect()
            })
        });
        index.get(plan).cloned().unwrap_or_default()
    }

    fn entries_by(&self, keys: impl Fn(&Value) -> Vec<String>) -> HashMap<String, Vec<u64>> {
        let kind = ResourceType::MedicationKnowledge;
        let mut found: HashMap<String, Vec<u64>> = HashMap::new();
        for index in (0..self.payer.count(kind)).filter(|index| !self.payer.read_by_id_only(kind, *index)) {
            let entry = serde_json::from_str(&self.payer.resource(kind, index)).unwrap_or(Value::Null);
            for key in keys(&entry) {
                let numbers = found.entry(key).or_default();
                if numbers.last() != Some(&index) {
                    numbers.push(index);
                }
            }
        }
        found
    }
}

#[derive(Deserialize)]
struct Id<'a> {
    #[serde(borrow)]
    id: Option<Cow<'a, str>>,
}

/// A resource's id; empty where it has none.
pub(super) fn id_of(json: &str) -> String {
    let read = |json: &str| serde_json::from_str::<Id<'_>>(json).ok()?.id.map(Cow::into_owned);
    tolerant(json, read).unwrap_or_default()
}

fn member<'a>(value: &'a Value, name: &str) -> &'a Value {
    value.get(name).unwrap_or(&Value::Null)
}

fn text(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    }
}
