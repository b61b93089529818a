//! Plans that came, left or changed, and which plans are meant.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::{DiffQuestion, InDataset as _, Pair, PlanChange, PlanChanges, PlanNotKnown};
use crate::data::{Network, Plan};
use crate::dataset::Dataset;
use crate::format::DATABASE;
use crate::ids::{NetworkKey, PlanId, PlanQuery};
use crate::{Error, ErrorKind, Result};

/// The plans that are compared: each with itself in the other dataset.
pub(super) struct ChosenPlans {
    pub(super) plans: BTreeMap<PlanId, [Option<Plan>; 2]>,
    /// Whether they were named.
    pub(super) named: bool,
    pub(super) notes: Vec<String>,
}

impl ChosenPlans {
    pub(super) fn of_old(&self) -> impl Iterator<Item = &Plan> {
        self.plans.values().filter_map(|[old, _]| old.as_ref())
    }

    pub(super) fn of_new(&self) -> impl Iterator<Item = &Plan> {
        self.plans.values().filter_map(|[_, new]| new.as_ref())
    }

    /// Plans that both have.
    pub(super) fn in_both(&self) -> impl Iterator<Item = (&Plan, &Plan)> {
        self.plans.values().filter_map(|[old, new]| Some((old.as_ref()?, new.as_ref()?)))
    }
}

impl Pair<'_> {
    /// All plans, or those that the question names: whichever year and segment a text means in either dataset.
    pub(super) fn choose_plans(&self, question: &DiffQuestion) -> Result<ChosenPlans> {
        let wanted = if question.plans.is_empty() { None } else { Some(self.named_plans(question)?) };
        let (ids, notes) = wanted.map_or((None, Vec::new()), |(ids, notes)| (Some(ids), notes));
        let mut plans: BTreeMap<PlanId, [Option<Plan>; 2]> = BTreeMap::new();
        for (side, dataset) in [self.old, self.new].into_iter().enumerate() {
            for plan in dataset.plan_rows().in_dataset(dataset)? {
                self.check()?;
                if ids.as_ref().is_none_or(|ids| ids.contains(&plan.id))
                    && let Some(slot) = plans.entry(plan.id.clone()).or_default().get_mut(side)
                {
                    *slot = Some(plan.clone());
                }
            }
        }
        Ok(ChosenPlans { plans, named: ids.is_some(), notes })
    }

    /// The error for what neither dataset has, as the newer one says it.
    pub(super) fn neither_has(&self, error: &Error) -> Error {
        let [old, new] = [self.old, self.new].map(|dataset| dataset.folder().display());
        let message = format!("{} ({new}), nor in the older one ({old})", error.message());
        let neither = Error::new(error.kind(), error.subject(), message);
        let neither = neither.with_candidates(error.candidates().iter().cloned());
        match error.hint() {
            Some(hint) => neither.with_hint(hint),
            None => neither,
        }
    }

    fn named_plans(&self, question: &DiffQuestion) -> Result<(BTreeSet<PlanId>, Vec<String>)> {
        let counties = match &question.place {
            Some(place) => self.counties_of(place)?,
            None => Vec::new(),
        };
        let (mut ids, mut notes) = (BTreeSet::new(), Vec::new());
        for text in &question.plans {
            let mut refused: Option<Error> = None;
            let mut is_there = false;
            for dataset in [self.new, self.old] {
                match dataset.resolve_plan_in(text, &counties) {
                    Ok(found) => {
                        is_there |= !found.is_empty();
                        for resolved in found {
                            ids.insert(resolved.plan.id);
                            notes.extend(resolved.notes);
                        }
                    }
                    Err(error) if error.kind() == ErrorKind::NotFound => {
                        refused.get_or_insert(error);
                    }
                    Err(error) => return Err(error.of_dataset(dataset.folder())),
                }
            }
            if let (Some(error), false) = (refused, is_there) {
                return Err(self.neither_has(&error));
            }
        }
        let mut seen = BTreeSet::new();
        notes.retain(|note| seen.insert(note.clone()));
        Ok((ids, notes))
    }
}

pub(super) fn changes(pair: Pair<'_>, chosen: &ChosenPlans) -> Result<PlanChanges> {
    let [old_seen, new_seen] =
        [PlansSeen::of(pair.old).in_dataset(pair.old)?, PlansSeen::of(pair.new).in_dataset(pair.new)?];
    let mut changes = PlanChanges::default();
    for plans in chosen.plans.values() {
        pair.check()?;
        let (plan, seen, is_new) = match plans {
            [Some(old), Some(new)] => {
                changes.in_both += 1;
                changes.changed.extend(change(old, new));
                continue;
            }
            [Some(old), None] => (old, &new_seen, false),
            [None, Some(new)] => (new, &old_seen, true),
            [None, None] => continue,
        };
        let plan = plan.clone();
        match seen.unseen(&plan.id) {
            Some(reason) => changes.not_known.push(PlanNotKnown { plan, is_new, reason }),
            None if is_new => changes.came.push(plan),
            None => changes.left.push(plan),
        }
    }
    Ok(changes)
}

/// What changed of a plan that both have.
fn change(old: &Plan, new: &Plan) -> Option<PlanChange> {
    let only = |of: &Plan, other: &Plan| -> Vec<Network> {
        let has = |key: &NetworkKey| other.networks.iter().any(|network| network.key == *key);
        of.networks.iter().filter(|network| !has(&network.key)).cloned().collect()
    };
    let is_open = |plan: &Plan| plan.lost_networks > 0 || plan.networks.is_empty();
    let (mut came, mut left, mut not_known) = (only(new, old), only(old, new), Vec::new());
    if is_open(old) {
        not_known.append(&mut came);
    }
    if is_open(new) {
        not_known.append(&mut left);
    }
    let same = old.name == new.name && came.is_empty() && left.is_empty() && not_known.is_empty();
    (!same).then(|| PlanChange {
        plan: new.id.clone(),
        old_name: old.name.clone(),
        new_name: new.name.clone(),
        networks_came: came,
        networks_left: left,
        networks_not_known: not_known,
    })
}

/// Which plans a dataset can tell of that it does not have.
pub(super) struct PlansSeen {
    /// Why a plan that is not there may be one of the payer's all the same.
    reason: Option<String>,
    /// Plans that were asked for by name.
    asked: Vec<PlanQuery>,
}

impl PlansSeen {
    /// By the sync report; a folder of files has all of its payer's plans.
    pub(super) fn of(dataset: &Dataset) -> Result<Self> {
        let Some(report) = dataset.sync_report()? else { return Ok(Self { reason: None, asked: Vec::new() }) };
        let report: Value = serde_json::from_str(&report)
            .map_err(|error| Error::damaged(DATABASE, format!("its sync report cannot be read: {error}")))?;
        let texts = |field: &str| -> Vec<String> {
            let texts = report.pointer(&format!("/selection/{field}")).and_then(Value::as_array);
            texts.into_iter().flatten().filter_map(Value::as_str).map(str::to_owned).collect()
        };
        let types = report.get("types").and_then(Value::as_array);
        let is_incomplete = |of: &&Value| {
            let of_plans = matches!(of.get("resource_type").and_then(Value::as_str), Some("InsurancePlan" | "List"));
            of_plans && of.get("complete").and_then(Value::as_bool) == Some(false)
        };
        let incomplete = types.into_iter().flatten().find(is_incomplete);
        if let Some(of) = incomplete.and_then(|of| of.get("resource_type")?.as_str()) {
            let reason = Some(format!("the payer's {of} resources were not seen completely"));
            return Ok(Self { reason, asked: Vec::new() });
        }
        let (plans, states) = (texts("plans"), texts("states"));
        if plans.is_empty() && states.is_empty() {
            return Ok(Self { reason: None, asked: Vec::new() });
        }
        let reason = Some("only some of the payer's plans were asked for".to_owned());
        // Those of a state may have stopped being offered there.
        let asked = plans.iter().filter_map(|text| text.parse().ok()).collect();
        Ok(Self { reason, asked })
    }

    /// Why nobody can tell of a plan that is not there; `None`: the payer has it not.
    pub(super) fn unseen(&self, plan: &PlanId) -> Option<String> {
        let asked = self.asked.iter().any(|query| query.fits(plan));
        self.reason.clone().filter(|_| !asked)
    }

    /// Why nobody can tell of a network that is not there.
    pub(super) fn unseen_network(&self) -> Option<&str> {
        self.reason.as_deref()
    }
}
