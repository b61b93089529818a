//! `coverdex plans`.

use std::path::PathBuf;

use coverdex_core::{CountyFips, PlanId, Zip5};
use coverdex_core::{CountyFound, Offered, Plan, PlanFilter, PlansHere, Result};

use super::counties::share;
use crate::args::PlansArgs;
use crate::data::{Datasets, Opened};
use crate::failure::Exit;
use crate::foot::Foot;
use crate::json::{CountyResult, Document, PlanResult, PlansDocument};
use crate::output::{Look, Output};
use crate::{table, words};

/// Columns from which networks are shown too.
const WIDE: u16 = 120;

/// The plans of one dataset that fit.
struct Found<'a> {
    opened: &'a Opened,
    plans: Vec<Plan>,
    /// Those of them that are sold only in a part of the ZIP.
    partly: Vec<PlanId>,
    area_unknown: Vec<Plan>,
}

impl Found<'_> {
    /// Whether a plan among those found is sold at the place.
    fn offered(&self, plan: &Plan) -> Option<Offered> {
        let is_among = |plans: &[Plan]| plans.iter().any(|other| other.id == plan.id);
        if self.partly.contains(&plan.id) {
            Some(Offered::Partly)
        } else if is_among(&self.area_unknown) {
            Some(Offered::Unknown)
        } else {
            is_among(&self.plans).then_some(Offered::Yes)
        }
    }
}

pub(super) fn run(args: &PlansArgs, data: &[PathBuf], output: Output) -> Result<Exit> {
    let datasets = Datasets::open(data)?;
    let filter = PlanFilter {
        text: (!args.text.is_empty()).then(|| args.text.join(" ")),
        kind: args.kind.clone(),
        audience: args.audience.map(Into::into),
        year: args.year,
    };
    let mut found: Vec<Found<'_>> = Vec::new();
    let mut place: Vec<CountyFound> = Vec::new();
    let mut note: Option<String> = None;
    for opened in datasets.all() {
        let here = match (&args.county, &args.zip) {
            (Some(text), _) => {
                let near = opened.dataset.near_county(text, None)?;
                (place, note) = (near.counties, near.note);
                let fips: Vec<CountyFips> = place.iter().map(|found| found.county.fips).collect();
                match fips.as_slice() {
                    [county, ..] => opened.dataset.plans_in_county(*county, &filter)?,
                    [] => PlansHere::default(),
                }
            }
            (None, Some(text)) => {
                let zip: Zip5 = text.parse()?;
                place = opened.dataset.counties_of_zip(zip)?;
                opened.dataset.plans_in_zip(zip, &filter)?
            }
            (None, None) => {
                let mut here = PlansHere::default();
                here.offered = opened.dataset.plans(&filter)?;
                here
            }
        };
        found.push(Found { opened, plans: here.offered, partly: here.partly, area_unknown: here.area_unknown });
    }
    let known = known_types(&datasets)?;
    let nothing = found.iter().all(|found| found.plans.is_empty() && found.area_unknown.is_empty());
    output.answer(
        || {
            let of = |found: &Found<'_>, plans: &[Plan]| -> Vec<PlanResult> {
                let result = |plan| match found.offered(plan).filter(|_| !place.is_empty()) {
                    Some(offered) => PlanResult::new(found.opened, plan).offered(offered),
                    None => PlanResult::new(found.opened, plan),
                };
                plans.iter().map(result).collect()
            };
            Document::of(&PlansDocument {
                results: found.iter().flat_map(|found| of(found, &found.plans)).collect(),
                area_unknown: found.iter().flat_map(|found| of(found, &found.area_unknown)).collect(),
                place: place.iter().map(CountyResult::from).collect(),
                note: note.clone(),
            })
        },
        |look| if nothing { none(&known, &place) } else { render(look, &datasets, &found, &place, note.as_deref()) },
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
    let offered: Vec<&Plan> = found.iter().flat_map(|found| &found.plans).collect();
    let unknown: Vec<&Plan> = found.iter().flat_map(|found| &found.area_unknown).collect();
    let mut text = table_of(look, &offered);
    if !unknown.is_empty() {
        text += "\nMay be sold there: the payer states no area, or one that cannot be told\n";
        text += &table_of(look, &unknown);
    }
    for found in found.iter().filter(|found| !found.plans.is_empty() || !found.area_unknown.is_empty()) {
        foot.dataset(found.opened, datasets.several());
    }
    if let Some(note) = note {
        foot.note(note);
    }
    let partly: Vec<String> = found.iter().flat_map(|found| &found.partly).map(PlanId::to_string).collect();
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
