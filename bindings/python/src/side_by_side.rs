//! Answers side by side as tables: a row for each plan and drug, or for each plan and provider.

use std::sync::Arc;

use arrow_array::{ArrayRef, BooleanArray, Int64Array, StringArray};
use arrow_schema::DataType;
use coverdex_core::{AskedDrug, AskedProvider, Coverage, CoverageMatrix, NetworkMatrix, Plan, PlanComparison, Result};
use coverdex_core::{Restriction, Restrictions, Standing, Tier};

use crate::table::Table;

/// A plan's answer for one drug.
struct DrugRow<'a> {
    plan: &'a Plan,
    drug: &'a AskedDrug,
    answer: &'a Coverage,
}

/// A provider's standing under one plan.
struct ProviderRow<'a> {
    plan: &'a Plan,
    provider: &'a AskedProvider,
    standing: &'a Standing,
}

/// What a column says, its type and its values.
type Made = ((&'static str, &'static str), DataType, ArrayRef);

/// Makes columns out of rows.
struct Columns<'r, R> {
    rows: &'r [R],
    made: Vec<Made>,
}

impl<'r, R> Columns<'r, R> {
    const fn of(rows: &'r [R]) -> Self {
        Self { rows, made: Vec::new() }
    }

    fn text(mut self, name: &'static str, about: &'static str, read: impl Fn(&R) -> Option<String>) -> Self {
        let values: StringArray = self.rows.iter().map(read).collect();
        self.made.push(((name, about), DataType::Utf8, Arc::new(values)));
        self
    }

    fn flag(mut self, name: &'static str, about: &'static str, read: impl Fn(&R) -> Option<bool>) -> Self {
        let values: BooleanArray = self.rows.iter().map(read).collect();
        self.made.push(((name, about), DataType::Boolean, Arc::new(values)));
        self
    }

    fn integer(mut self, name: &'static str, about: &'static str, read: impl Fn(&R) -> Option<u32>) -> Self {
        let values: Int64Array = self.rows.iter().map(|row| read(row).map(i64::from)).collect();
        self.made.push(((name, about), DataType::Int64, Arc::new(values)));
        self
    }

    fn plan(self, plan: impl Fn(&R) -> &Plan) -> Self {
        self.text("plan", "the plan's id", |row| Some(plan(row).id.to_string()))
            .text("plan_name", "the plan's name", |row| plan(row).name.clone())
            .integer("year", "plan year", |row| plan(row).year.map(u32::from))
    }

    fn tier(self, tier: impl Fn(&R) -> Option<&Tier>) -> Self {
        self.text("tier", "the payer's tier code, where all listed packages have one", |row| {
            tier(row).map(|tier| tier.code.clone())
        })
        .text("tier_display", "the payer's words for the tier", |row| tier(row)?.display.clone())
        .text("tier_level", "a comparable level, a hint", |row| Some(tier(row)?.level?.as_str().to_owned()))
    }
}

/// Drugs and plans of a matrix.
pub(crate) fn of_coverage_matrix(matrix: &CoverageMatrix) -> Result<Table> {
    drugs("coverage_matrix", &matrix.drugs, matrix.plans.iter().map(|plan| (&plan.plan, plan.answers.as_slice())))
}

/// Drugs and plans of a comparison.
pub(crate) fn of_compared_drugs(compared: &PlanComparison) -> Result<Table> {
    drugs("comparison", &compared.drugs, compared.plans.iter().map(|plan| (&plan.plan, plan.answers.as_slice())))
}

/// Providers and plans of a matrix.
pub(crate) fn of_network_matrix(matrix: &NetworkMatrix) -> Result<Table> {
    let rows_of_plan = matrix.plans.iter().flat_map(|plan| {
        let row = move |(provider, standing)| ProviderRow { plan: &plan.plan, provider, standing };
        matrix.providers.iter().zip(&plan.answers).map(row)
    });
    let rows: Vec<ProviderRow<'_>> = rows_of_plan.collect();
    let columns = Columns::of(&rows)
        .plan(|row| row.plan)
        .text("query", "the provider as it was asked for", |row| Some(row.provider.query.clone()))
        .text("npi", "the provider's smallest valid NPI", |row| row.provider.npi.map(|npi| npi.to_string()))
        .text("name", "the provider's name", |row| row.provider.name.clone())
        .text("status", "whether it is in the plan's networks", |row| Some(row.standing.status.as_str().to_owned()))
        .text("reason", "why, where the status alone does not say it", |row| row.standing.reason.clone())
        .text("summary", "the status in words", |row| Some(row.standing.summary.clone()))
        .flag("shared_role", "whether every role that says so names several places", |row| {
            Some(row.standing.shared_role)
        });
    Table::made("network_matrix", columns.made)
}

impl Columns<'_, DrugRow<'_>> {
    /// In words: a missing value could be not stated, varying or contradictory. Null where the plan lists nothing.
    fn restriction(self, name: &'static str, about: &'static str, of: fn(Restrictions) -> Restriction) -> Self {
        self.text(name, about, |row| Some(of(row.answer.restrictions?).as_str().to_owned()))
    }
}

fn drugs<'a>(
    name: &'static str,
    drugs: &'a [AskedDrug],
    plans: impl Iterator<Item = (&'a Plan, &'a [Coverage])>,
) -> Result<Table> {
    let rows_of_plan = plans.flat_map(|(plan, answers)| {
        drugs.iter().zip(answers).map(move |(drug, answer)| DrugRow { plan, drug, answer })
    });
    let rows: Vec<DrugRow<'_>> = rows_of_plan.collect();
    let columns = Columns::of(&rows)
        .plan(|row| row.plan)
        .text("query", "the drug as it was asked for", |row| Some(row.drug.query.clone()))
        .text("read_as", "what it was read as: name, strength and form", |row| row.drug.read_as.clone())
        .text("status", "is it covered", |row| Some(row.answer.status.as_str().to_owned()))
        .text("reason", "why, for statuses that have a reason", |row| {
            row.answer.reason.map(|reason| reason.as_str().to_owned())
        })
        .text("summary", "status, reason and what varies, in words", |row| Some(row.answer.sentence(&[])))
        .tier(|row| row.answer.statement.tier.as_ref())
        .restriction("prior_authorization", "whether prior authorization is needed", |own| own.prior_authorization)
        .restriction("step_therapy", "whether step therapy is needed", |own| own.step_therapy)
        .restriction("quantity_limit", "whether there is a quantity limit", |own| own.quantity_limit)
        .flag("mail_order", "whether it can be had by mail order; not stated: or it varies", |row| {
            row.answer.statement.mail_order
        })
        .integer("listed", "packages that the plan lists", |row| Some(row.answer.listed))
        .flag("complete", "whether the plan's formulary was received completely", |row| Some(row.answer.complete));
    Table::made(name, columns.made)
}
