//! What a dataset answers, and whether that is what the payer said at some moment.

use coverdex_core::{CoverageStatus, Dataset, NetworkStatus};

use super::payer::Question;

/// An answer: what it says, part by part; a part that is not said is `None`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Answer {
    /// It is not known.
    Unknown,
    /// Status, tier, restrictions.
    Said(Vec<Option<String>>),
    /// The places of a provider, and whether there may be others.
    Places { lines: Vec<String>, may_be_more: bool },
}

impl Answer {
    /// Whether it says nothing but what the truth says.
    pub(super) fn agrees(&self, truth: &Self) -> bool {
        match (self, truth) {
            (Self::Unknown, _) => true,
            (Self::Said(said), Self::Said(truth)) => {
                said.len() == truth.len() && said.iter().zip(truth).all(|(said, truth)| said.is_none() || said == truth)
            }
            (Self::Places { lines, may_be_more: true }, Self::Places { lines: all, .. }) => {
                lines.iter().all(|line| all.contains(line))
            }
            (Self::Places { lines, .. }, Self::Places { lines: all, .. }) => lines == all,
            _ => false,
        }
    }

    /// Whether the truth says something that this does not.
    pub(super) fn lacks(&self, truth: &Self) -> bool {
        self != truth && self.agrees(truth)
    }
}

/// Asks a dataset. What it cannot even look up, it does not know.
pub(super) fn ask(dataset: &Dataset, question: &Question) -> Answer {
    answer(dataset, question).unwrap_or(Answer::Unknown)
}

fn answer(dataset: &Dataset, question: &Question) -> coverdex_core::Result<Answer> {
    let plans = dataset.all_plans()?;
    let find = |id: &str| plans.iter().find(|plan| plan.id.to_string() == *id);
    Ok(match question {
        // A plan that a dataset does not have is not known.
        Question::Plan(id) => find(id).map_or(Answer::Unknown, |_| Answer::Said(vec![Some("there".to_owned())])),
        Question::Coverage { plan, ndc } => {
            let Some(plan) = find(plan) else { return Ok(Answer::Unknown) };
            let coverage = dataset.coverage(plan, &dataset.drug(ndc)?)?;
            if coverage.status == CoverageStatus::Unknown {
                return Ok(Answer::Unknown);
            }
            let said = &coverage.statement;
            let flag = |flag: Option<bool>| flag.map(|flag| flag.to_string());
            Answer::Said(vec![
                Some(coverage.status.as_str().to_owned()),
                said.tier.as_ref().map(|tier| tier.code.clone()),
                flag(said.prior_authorization),
                flag(said.step_therapy),
                flag(said.quantity_limit),
            ])
        }
        Question::Network { plan, npi } => {
            let Some(plan) = find(plan) else { return Ok(Answer::Unknown) };
            let standing = dataset.plan_network_status(*npi, plan, None)?;
            if standing.status == NetworkStatus::Unknown {
                return Ok(Answer::Unknown);
            }
            Answer::Said(vec![Some(standing.status.as_str().to_owned())])
        }
        Question::Places { npi } => {
            let places = dataset.provider(*npi)?.map(|provider| provider.locations).unwrap_or_default();
            // A place that a role names and that is not there is not known.
            let all: Vec<Option<String>> = places.into_iter().map(|place| place.location?.address).collect();
            let may_be_more = all.contains(&None) || !dataset.network_gaps(None, None)?.is_empty();
            let mut lines: Vec<String> = all.into_iter().flatten().collect();
            lines.sort();
            lines.dedup();
            Answer::Places { lines, may_be_more }
        }
    })
}
