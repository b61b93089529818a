//! `coverdex plans`.

use std::path::PathBuf;

use coverdex_core::{CountyFound, Offered, Place, Plan, PlanFilter, PlanHere, PlansFound, Result};

use super::counties::share;
use crate::args::PlansArgs;
use crate::data::{Datasets, Opened};
use crate::failure::Exit;
use crate::foot::Foot;
use crate::json::{Document, PlansDocument};
use crate::output::{Look, Output};
use crate::{table, words};

/// Columns from which networks are shown too.
const WIDE: u16 = 120;

/// The plans of one dataset that fit.
struct Found<'a> {
    opened: &'a Opened,
    plans: PlansFound,
}

pub(super) fn run(args: &PlansArgs, data: &[PathBuf], output: Output) -> Result<Exit> {
    let datasets = Datasets::open(data)?;
    let filter = PlanFilter {
        text: (!args.text.is_empty()).then(|| args.text.join(" ")),
        kind: args.kind.clone(),
        audience: args.audience.map(Into::into),
        year: args.year,
    };
    let county = args.county.clone().map(Place::County);
    let place = county.or_else(|| args.zip.clone().map(Place::Zip));
    let found = datasets
        .all()
        .iter()
        .map(|opened| Ok(Found { opened, plans: opened.dataset.find_plans(&filter, place.as_ref())? }));
    let found = found.collect::<Result<Vec<Found<'_>>>>()?;
    // Every dataset carries the same table of counties.
    let first = found.first().map(|found| &found.plans);
    let counties = first.map(|plans| plans.place.as_slice()).unwrap_or_default();
    let note = first.and_then(|plans| plans.note.as_deref());
    let known = known_types(&datasets)?;
    let nothing = found.iter().all(|found| found.plans.plans.is_empty() && found.plans.area_unknown.is_empty());
    output.answer(
        || {
            Document::of(&PlansDocument {
                results: found.iter().flat_map(|found| &found.plans.plans).collect(),
                area_unknown: found.iter().flat_map(|found| &found.plans.area_unknown).collect(),
                place: counties,
                note,
            })
        },
        |look| if nothing { none(&known, counties) } else { render(look, &datasets, &found, counties, note) },
    )?;
    Ok(if nothing { Exit::NotThere } else { Exit::Answered })
}

fn known_types(datasets: &Datasets) -> Result<Vec<String>> {
    let mut known = Vec::new();
    for opened in datasets.all() {
        known.extend(opened.dataset.all_plans()?.into_iter().flat_map(|plan| plan.types));
    }
    known.sort_unstable();
    known.dedup();
    Ok(known)
}

fn none(known_types: &[String], place: &[CountyFound]) -> String {
    let counties: Vec<String> = place.iter().map(|found| found.county.label()).collect();
    let place = if counties.is_empty() { String::new() } else { format!(" in {}", counties.join(" or ")) };
    let advice = format!("No plan fits{place}. `coverdex plans` without filters lists all.\n");
    match known_types {
        [] => advice,
        known => format!("{advice}Types that are there: {}.\n", words::shown(&known.join(", "))),
    }
}

fn render(look: Look, datasets: &Datasets, found: &[Found<'_>], place: &[CountyFound], note: Option<&str>) -> String {
    let mut foot = Foot::default();
    let all = |of: fn(&PlansFound) -> &[PlanHere]| found.iter().flat_map(move |found| of(&found.plans));
    let offered: Vec<&Plan> = all(|found| &found.plans).map(|here| &here.plan).collect();
    let unknown: Vec<&Plan> = all(|found| &found.area_unknown).map(|here| &here.plan).collect();
    let mut text = table_of(look, &offered);
    if !unknown.is_empty() {
        text += "\nMay be sold there: the payer states no area, or one that cannot be told\n";
        text += &table_of(look, &unknown);
    }
    for found in found.iter().filter(|found| !found.plans.plans.is_empty() || !found.plans.area_unknown.is_empty()) {
        foot.dataset(found.opened, datasets.several());
    }
    if let Some(note) = note {
        foot.note(note);
    }
    let partly = all(|found| &found.plans).filter(|here| here.offered == Some(Offered::Partly));
    let partly: Vec<String> = partly.map(|here| here.plan.id.to_string()).collect();
    if !partly.is_empty() {
        foot.note(format!("Sold in a part of the ZIP only: {}", partly.join(", ")));
    }
    match place {
        [] => {}
        [only] => foot.note(format!("Sold in {} ({})", only.county.label(), only.county.fips)),
        several => {
            let counties: Vec<String> =
                several.iter().map(|found| format!("{} {}", found.county.label(), share(found.share))).collect();
            foot.note(format!(
                "The ZIP lies in {} counties, sold in any of them: {}",
                several.len(),
                counties.join("; ")
            ));
        }
    }
    let count = words::count(offered.len() as u64, "plan", "plans");
    foot.note(format!("{count}. Whom a plan is sold to is a hint from its number, type and name."));
    text + &foot.render(look)
}

fn table_of(look: Look, plans: &[&Plan]) -> String {
    let with_networks = look.width >= WIDE;
    let mut header = vec!["Plan", "Name", "Type", "Audience", "Drug list"];
    if with_networks {
        header.push("Networks");
    }
    let mut list = table::list(look, &header);
    for plan in plans {
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
    }
    table::unbroken(&mut list, 0);
    table::render(&list)
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
