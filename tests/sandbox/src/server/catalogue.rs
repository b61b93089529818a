//! The payer with what the server works out from it, once and when first asked.

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::{Arc, OnceLock};

use serde::Deserialize;

use super::payer::{Payer, ResourceType};

/// A payer and its look-ups.
pub(super) struct Catalogue {
    pub(super) payer: Arc<dyn Payer>,
    hidden: [OnceLock<Arc<Vec<u64>>>; ResourceType::ALL.len()],
    by_code: OnceLock<HashMap<String, Vec<u64>>>,
    by_plan: OnceLock<HashMap<String, Vec<u64>>>,
}

#[derive(Deserialize)]
struct Codes<'a> {
    #[serde(borrow)]
    code: Option<Concept<'a>>,
}

#[derive(Deserialize)]
struct Concept<'a> {
    #[serde(borrow)]
    coding: Option<Vec<Coding<'a>>>,
}

#[derive(Deserialize)]
struct Coding<'a> {
    #[serde(borrow)]
    code: Option<Cow<'a, str>>,
}

#[derive(Deserialize)]
struct Extensions<'a> {
    #[serde(borrow)]
    extension: Option<Vec<Extension<'a>>>,
}

#[derive(Deserialize)]
struct Extension<'a> {
    #[serde(borrow)]
    url: Option<Cow<'a, str>>,
    #[serde(borrow, rename = "valueString")]
    value_string: Option<Cow<'a, str>>,
}

impl Catalogue {
    pub(super) fn new(payer: Arc<dyn Payer>) -> Self {
        Self { payer, hidden: Default::default(), by_code: OnceLock::new(), by_plan: OnceLock::new() }
    }

    /// The numbers that searches do not show, ascending.
    pub(super) fn hidden(&self, kind: ResourceType) -> Arc<Vec<u64>> {
        let find = || {
            let hidden = (0..self.payer.count(kind)).filter(|index| self.payer.read_by_id_only(kind, *index));
            Arc::new(hidden.collect())
        };
        self.hidden.get(kind.number()).map_or_else(Arc::default, |cell| Arc::clone(cell.get_or_init(find)))
    }

    /// The formulary entries with this code in any of their codings.
    pub(super) fn with_code(&self, code: &str) -> Vec<u64> {
        let index = self.by_code.get_or_init(|| {
            self.entries_by(|json| {
                let codes: Codes<'_> = serde_json::from_str(json).unwrap_or(Codes { code: None });
                let codings = codes.code.and_then(|code| code.coding).unwrap_or_default();
                codings.into_iter().filter_map(|coding| coding.code).collect()
            })
        });
        index.get(code).cloned().unwrap_or_default()
    }

    /// The formulary entries whose PlanID extension names this plan.
    pub(super) fn of_plan(&self, plan: &str) -> Vec<u64> {
        let index = self.by_plan.get_or_init(|| {
            self.entries_by(|json| {
                let all: Extensions<'_> = serde_json::from_str(json).unwrap_or(Extensions { extension: None });
                let is_plan = |url: &str| url.ends_with("/usdf-PlanID-extension");
                let plans = all.extension.unwrap_or_default().into_iter();
                plans.filter(|one| one.url.as_deref().is_some_and(is_plan)).filter_map(|one| one.value_string).collect()
            })
        });
        index.get(plan).cloned().unwrap_or_default()
    }

    fn entries_by(&self, keys: impl Fn(&str) -> Vec<Cow<'_, str>>) -> HashMap<String, Vec<u64>> {
        let kind = ResourceType::MedicationKnowledge;
        let mut found: HashMap<String, Vec<u64>> = HashMap::new();
        for index in 0..self.payer.count(kind) {
            if self.payer.read_by_id_only(kind, index) {
                continue;
            }
            let json = self.payer.resource(kind, index);
            for key in keys(&json) {
                let numbers = found.entry(key.into_owned()).or_default();
                if numbers.last() != Some(&index) {
                    numbers.push(index);
                }
            }
        }
        found
    }
}
