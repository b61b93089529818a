//! A comparison as comma-separated values: a line for each plan and drug or provider.

use coverdex_core::{
    ComparedPlan, Coverage, Error, ErrorKind, PlanComparison, Restriction, Restrictions, Result, Standing,
};

use crate::data::Opened;

const HEADER: [&str; 17] = [
    "plan",
    "plan_name",
    "year",
    "rank",
    "kind",
    "asked",
    "read_as",
    "status",
    "reason",
    "tier",
    "tier_name",
    "prior_authorization",
    "step_therapy",
    "quantity_limit",
    "networks",
    "in_words",
    "as_of",
];

pub(super) fn csv(compared: &[(&Opened, PlanComparison)]) -> Result<String> {
    let refused = |error: &dyn std::fmt::Display| Error::new(ErrorKind::Io, "csv", error.to_string());
    let mut lines = csv::Writer::from_writer(Vec::new());
    lines.write_record(HEADER).map_err(|e| refused(&e))?;
    for (_, answer) in compared {
        for (plan, rank) in answer.plans.iter().zip(1_u32..) {
            let id = plan.plan.id.to_string();
            let year = plan.plan.year.map(|year| year.to_string()).unwrap_or_default();
            let head = |kind: &str, asked: &str, read_as: &str| {
                let name = plan.plan.name.clone().unwrap_or_default();
                let rank = rank.to_string();
                [id.clone(), name, year.clone(), rank, kind.to_owned(), plain(asked), plain(read_as)]
            };
            let as_of = answer.origin.as_of().to_owned();
            for (drug, says) in answer.drugs.iter().zip(&plan.answers) {
                let head = head("drug", &drug.query, drug.read_as.as_deref().unwrap_or_default());
                lines
                    .write_record(head.into_iter().chain(of_drug(says)).chain([as_of.clone()]))
                    .map_err(|e| refused(&e))?;
            }
            for line in changes(answer, plan) {
                let [asked, in_words] = line;
                let head = head("change", &asked, "");
                let nothing: [String; 8] = std::array::from_fn(|_| String::new());
                let line = head.into_iter().chain(nothing).chain([in_words, as_of.clone()]);
                lines.write_record(line).map_err(|e| refused(&e))?;
            }
            for (provider, says) in answer.providers.iter().zip(&plan.standings) {
                let head = head("provider", &provider.query, provider.name.as_deref().unwrap_or_default());
                let line = head.into_iter().chain(of_provider(says)).chain([as_of.clone()]);
                lines.write_record(line).map_err(|e| refused(&e))?;
            }
        }
    }
    let bytes = lines.into_inner().map_err(|e| refused(&e))?;
    String::from_utf8(bytes).map_err(|e| refused(&e))
}

/// What a plan answers otherwise in the year beside: what was asked, and the change in words.
fn changes(answer: &PlanComparison, plan: &ComparedPlan) -> Vec<[String; 2]> {
    let (Some(year), Some(beside)) = (answer.beside, &plan.beside) else { return Vec::new() };
    if beside.plan.is_none() {
        return vec![[String::new(), format!("not among this payer's plans of {year}")]];
    }
    let in_words = |now: &str, other: &str| format!("{now} → {other} in {year}");
    beside.changes.iter().map(|change| [change.query.clone(), in_words(&change.now, &change.beside)]).collect()
}

fn of_drug(says: &Coverage) -> [String; 9] {
    let tier = says.statement.tier.as_ref();
    let restrictions = says.restrictions;
    let stated = |of: fn(Restrictions) -> Restriction| {
        restrictions.map_or_else(String::new, |restrictions| of(restrictions).as_str().to_owned())
    };
    [
        says.status.as_str().to_owned(),
        says.reason.map(|reason| reason.as_str().to_owned()).unwrap_or_default(),
        tier.map(|tier| plain(&tier.code)).unwrap_or_default(),
        tier.and_then(|tier| tier.display.as_deref()).map(plain).unwrap_or_default(),
        stated(|own| own.prior_authorization),
        stated(|own| own.step_therapy),
        stated(|own| own.quantity_limit),
        String::new(),
        says.sentence(&[]),
    ]
}

fn of_provider(says: &Standing) -> [String; 9] {
    let networks: Vec<String> = says.networks.iter().map(|network| network.key.to_string()).collect();
    let nothing = String::new;
    [
        says.status.as_str().to_owned(),
        says.reason.clone().unwrap_or_default(),
        nothing(),
        nothing(),
        nothing(),
        nothing(),
        nothing(),
        networks.join(" "),
        says.summary.clone(),
    ]
}

/// A text that no spreadsheet takes for a formula: payers and clients write them, and people open the file.
fn plain(text: &str) -> String {
    if text.starts_with(['=', '+', '-', '@', '\t', '\r']) { format!("'{text}") } else { text.to_owned() }
}
