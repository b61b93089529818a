//! What came, compared with the dataset that is live.

use std::collections::{BTreeMap, HashMap};
use std::path::PathBuf;

use coverdex_core::{Dataset, Error, PlanId, Result};

use crate::fetch::crawl::walk::is_less_again;
use crate::fetch::{Selection, SyncReport};
use crate::source::stu1::half::Half;

/// The dataset that is live.
pub(super) struct Live {
    pub(super) folder: PathBuf,
    /// What its sync saw; none of a dataset of files.
    report: Option<SyncReport>,
    /// What the lists of its plans name, how much.
    named: HashMap<String, u64>,
}

/// What of that is odd, by type, though every pass was complete.
pub(super) type Doubts = BTreeMap<String, String>;

impl Live {
    /// One that cannot be opened or read says nothing.
    pub(super) fn of(folder: PathBuf) -> Self {
        let dataset = Dataset::open(&folder).ok();
        let text = dataset.as_ref().and_then(|dataset| dataset.sync_report().ok()?);
        let report = text.and_then(|text| serde_json::from_str(&text).ok());
        let plans = dataset.and_then(|dataset| dataset.all_plans().ok());
        let named = plans.iter().flat_map(|plans| plans.iter()).map(|plan| (plan.id.to_string(), plan.expected.into()));
        Self { named: named.collect(), folder, report }
    }

    /// Whether all of it was seen.
    pub(super) fn is_complete(&self) -> bool {
        self.report.as_ref().is_none_or(|report| report.complete)
    }

    /// What came is far less than there was: passes that are complete may bring what is not. `is_first`: no reading
    /// before it is in staging that its passes were compared with.
    pub(super) fn shrunk(&self, report: &SyncReport, is_first: bool) -> Doubts {
        let mut doubts = Doubts::new();
        let of_plan = report.plans.iter().find_map(|plan| {
            let former = *self.named.get(&PlanId::parse(&plan.plan).ok()?.to_string())?;
            let why = || format!("{} is named {} entries where it had {former}", plan.plan, plan.expected);
            is_less_again(plan.expected, former).then(why)
        });
        doubts.extend(of_plan.map(|why| ("List".to_owned(), why)));
        let before = self.report.as_ref().filter(|before| is_first && before.selection == report.selection);
        for before in before.iter().flat_map(|before| &before.types) {
            let now = report.types.iter().find(|now| now.resource_type == before.resource_type);
            let now = now.map_or(0, |now| now.distinct);
            if is_less_again(now, before.distinct) {
                let why = format!("{now} where the live dataset has {}", before.distinct);
                doubts.entry(before.resource_type.clone()).or_insert(why);
            }
        }
        doubts.into_iter().map(|(part, why)| (part, format!("{why}; accept-shrink believes it"))).collect()
    }

    /// Whether a half of it is better than what came: a part of it is complete, and the same part of what came is not.
    /// Of a dataset of files nothing is known: it is better than what is not complete.
    pub(super) fn is_better(&self, half: Half, report: &SyncReport, doubts: &Doubts) -> bool {
        if !half.is_whole(doubts) {
            return true;
        }
        let Some(before) = &self.report else { return !report.complete };
        let worse_type = report.types.iter().filter(|now| half.is_concerned(&now.resource_type)).any(|now| {
            let mut same = before.types.iter().filter(|before| before.resource_type == now.resource_type);
            !now.complete && same.any(|before| before.complete)
        });
        let worse_plan = || {
            report.plans.iter().any(|now| {
                let mut same = before.plans.iter().filter(|before| before.plan == now.plan);
                !now.complete && same.any(|before| before.complete)
            })
        };
        let worse_network = || {
            report.networks.iter().any(|now| {
                let mut same =
                    before.networks.iter().filter(|before| (&before.system, &before.id) == (&now.system, &now.id));
                !now.complete && same.any(|before| before.complete)
            })
        };
        worse_type
            || match half {
                Half::Formulary => worse_plan(),
                Half::Directory => worse_network(),
            }
    }

    /// When a half of it was read, if that was seen whole by a sync of the same plans.
    pub(super) fn whole(&self, half: Half, selection: &Selection) -> Option<&str> {
        let report = self.report.as_ref().filter(|report| report.selection.is_same_part(selection))?;
        report.as_of(half).filter(|_| report.is_whole(half))
    }

    /// The half that it has and that a sync was not asked for.
    pub(super) fn beside(&self, selection: &Selection) -> Option<Half> {
        let report = self.report.as_ref()?;
        Half::ALL.into_iter().find(|half| half.is_selected(&report.selection) && !half.is_selected(selection))
    }

    /// A sync of fewer plans must not take the place of more.
    pub(super) fn refuse_less(&self, selection: &Selection) -> Result<()> {
        let Some(report) = self.report.as_ref().filter(|report| !selection.covers(&report.selection)) else {
            return Ok(());
        };
        let what = format!("it would replace the dataset of {}", report.selection.part_in_words());
        Err(Error::invalid(format!("sync of {}", selection.part_in_words()), what).with_hint(
            "name another store and staging folder, or sync all that the dataset has; accept-shrink replaces the dataset",
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fetch::{PlanReport, TypeReport};

    #[test]
    fn more_than_a_few_less_is_doubted() {
        let is_doubted = |before: u64, now: u64| {
            let of_type =
                |distinct| TypeReport { resource_type: "Location".to_owned(), distinct, ..TypeReport::default() };
            let plan = PlanReport { plan: "H1234-001-000-2026".to_owned(), expected: now, ..PlanReport::default() };
            let report = |distinct| SyncReport { types: vec![of_type(distinct)], ..SyncReport::default() };
            let live = Live {
                folder: PathBuf::new(),
                report: Some(report(before)),
                named: [("H1234-001-000-2026".to_owned(), before)].into(),
            };
            let doubts = live.shrunk(&SyncReport { plans: vec![plan], ..report(now) }, true);
            let of = |part: &str| doubts.contains_key(part);
            assert_eq!(of("List"), of("Location"), "{before} {now}: one rule for both");
            of("List")
        };
        for (before, now) in [(8, 7), (8, 6), (3, 1), (100, 90), (5, 5), (5, 9), (0, 0)] {
            assert!(!is_doubted(before, now), "{before} {now}");
        }
        for (before, now) in [(8, 5), (2, 0), (1, 0), (100, 89), (30_000, 20_000)] {
            assert!(is_doubted(before, now), "{before} {now}");
        }
    }
}
