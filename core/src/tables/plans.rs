//! The table of plans.

use super::column::columns;
use super::{Batch, Rows, Table, filled};
use crate::Result;
use crate::dataset::Dataset;
use crate::plans::{Plan, PlanFilter};

columns! {
    Plans {
        plan: Text = "the plan's id, in its normal spelling",
        year: Integer = "plan year",
        name: Text = "name",
        types: Texts = "the payer's type codes",
        audience: Text = "whom it is sold to, a hint",
        offered: Flag = "whether an InsurancePlan describes it; else it is known from its formulary alone",
        networks: Texts = "keys of its networks, SYSTEM|ID",
        network_labels: Texts = "what the payer calls them, in the same order; empty where it does not say",
        drugs: Text = "what is known of its formulary: complete, incomplete, no_list, no_formulary_published, no_drug_benefit, not_synced",
        expected: Integer = "entries that its Lists name",
        gaps: Integer = "of those, entries that could not be read",
    }
}

struct AllPlans {
    plans: std::vec::IntoIter<Plan>,
}

pub(super) fn table(dataset: &Dataset, filter: &PlanFilter) -> Result<Table> {
    Ok(Table::new::<Plans>("plans", AllPlans { plans: dataset.plans(filter)?.into_iter() }))
}

impl Rows for AllPlans {
    fn next(&mut self, most: usize) -> Result<Batch> {
        filled(most, |columns: &mut Plans| {
            let Some(plan) = self.plans.next() else { return Ok(false) };
            columns.plan.push(&plan.id.to_string())?;
            columns.year.push(plan.year.map(i64::from));
            columns.name.push_some(plan.name.as_deref())?;
            columns.types.push(&plan.types)?;
            columns.audience.push(plan.audience.as_str())?;
            columns.offered.push(Some(plan.offered));
            columns.networks.push(plan.networks.iter().map(|network| network.key.to_string()))?;
            columns.network_labels.push(plan.networks.iter().map(|network| network.label.as_deref().unwrap_or("")))?;
            columns.drugs.push(plan.drugs.as_str())?;
            let has_lists = plan.drugs.has_entries();
            columns.expected.push(has_lists.then(|| i64::from(plan.expected)));
            columns.gaps.push(has_lists.then(|| i64::from(plan.gaps)));
            Ok(true)
        })
    }

    fn split(self: Box<Self>, _: usize) -> Vec<Box<dyn Rows>> {
        vec![self]
    }
}
