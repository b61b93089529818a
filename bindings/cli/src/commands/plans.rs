//! `coverdex plans`.

use std::path::PathBuf;

use coverdex_core::{Plan, PlanFilter, Result};

use crate::args::PlansArgs;
use crate::data::{Datasets, Opened};
use crate::failure::Exit;
use crate::foot::Foot;
use crate::json::{Document, PlanResult, PlansDocument};
use crate::output::{Look, Output};
use crate::{table, words};

/// Columns from which networks are shown too.
const WIDE: u16 = 120;

pub(super) fn run(args: &PlansArgs, data: &[PathBuf], output: Output) -> Result<Exit> {
    let datasets = Datasets::open(data)?;
    let filter = filter(args);
    let mut found: Vec<(&Opened, Plan)> = Vec::new();
    for opened in datasets.all() {
        found.extend(opened.dataset.plans(&filter)?.into_iter().map(|plan| (opened, plan)));
    }
    let known = known_types(&datasets)?;
    output.answer(
        || {
            Document::of(&PlansDocument {
                results: found.iter().map(|(opened, plan)| PlanResult::new(opened, plan)).collect(),
                area_unknown: Vec::new(),
            })
        },
        |look| if found.is_empty() { none(&known) } else { render(look, &datasets, &found) },
    )?;
    Ok(if found.is_empty() { Exit::NotThere } else { Exit::Answered })
}

/// What was asked for. A county or ZIP, once there is a directory of places, is one more filter here.
fn filter(args: &PlansArgs) -> PlanFilter {
    PlanFilter {
        text: (!args.text.is_empty()).then(|| args.text.join(" ")),
        kind: args.filter.kind.clone(),
        audience: args.filter.audience.map(Into::into),
        year: args.filter.year,
    }
}

fn known_types(datasets: &Datasets) -> Result<Vec<String>> {
    let mut known = Vec::new();
    for opened in datasets.all() {
        known.extend(opened.dataset.all_plans()?.iter().flat_map(|plan| plan.types.iter().cloned()));
    }
    known.sort_unstable();
    known.dedup();
    Ok(known)
}

fn none(known_types: &[String]) -> String {
    let mut text = "No plan fits. `coverdex plans` without filters lists all.\n".to_owned();
    if !known_types.is_empty() {
        text += &format!("Types that are there: {}.\n", words::shown(&known_types.join(", ")));
    }
    text
}

fn render(look: Look, datasets: &Datasets, found: &[(&Opened, Plan)]) -> String {
    let with_networks = look.width >= WIDE;
    let mut header = vec!["Plan", "Name", "Type", "Audience", "Drug list"];
    if with_networks {
        header.push("Networks");
    }
    let mut list = table::list(look, &header);
    let mut foot = Foot::default();
    for (opened, plan) in found {
        let types = if plan.types.is_empty() { "not stated".to_owned() } else { plan.types.join(", ") };
        let mut row = vec![
            table::text(id_and_year(plan)),
            table::text(plan.name.as_deref().unwrap_or("(no name)")),
            table::text(types),
            table::text(words::audience(plan.audience)),
            table::text(words::drug_list(plan)),
        ];
        if with_networks {
            row.push(table::text(networks(plan)));
        }
        list.add_row(row);
        foot.dataset(opened, datasets.several());
    }
    table::unbroken(&mut list, 0);
    let count = words::count(found.len() as u64, "plan", "plans");
    foot.note(format!("{count}. Whom a plan is sold to is a hint from its number, type and name."));
    table::render(&list) + &foot.render(look)
}

/// The id, with the year where the id does not state it.
fn id_and_year(plan: &Plan) -> String {
    match (plan.id.year(), plan.year) {
        (None, Some(year)) => format!("{} ({year})", plan.id),
        _ => plan.id.to_string(),
    }
}

/// `2 pharmacy, 1 vision`.
fn networks(plan: &Plan) -> String {
    let mut kinds: Vec<(&str, usize)> = Vec::new();
    for network in &plan.networks {
        let kind = network.kind.as_str();
        match kinds.iter_mut().find(|(other, _)| *other == kind) {
            Some((_, count)) => *count += 1,
            None => kinds.push((kind, 1)),
        }
    }
    let kinds: Vec<String> = kinds.into_iter().map(|(kind, count)| format!("{count} {kind}")).collect();
    if kinds.is_empty() { "none stated".to_owned() } else { kinds.join(", ") }
}
