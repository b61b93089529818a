//! Providers as a table: who, where, how far, and what matched.

use coverdex_core::miles;
use coverdex_core::{CountyFound, Network, Offered};
use coverdex_core::{Near, PracticeLocation, Precision, SimilarSpecialty};

use super::Answer;
use crate::args::ProvidersArgs;
use crate::commands::counties::share;
use crate::commands::covered::heading;
use crate::commands::directory::{
    SHARED, SHARED_LEGEND, distance, foot as foot_of, locality, name, networks_in_words, new_patients, npi,
    place_lines, within,
};
use crate::foot::Foot;
use crate::output::Look;
use crate::{table, words};

/// Closed-door pharmacies that are shown; JSON has the others.
const MOST_CLOSED: usize = 5;

/// Columns of `not stated` with a blank at each side.
const SHORT_COLUMN: u16 = 12;

/// Columns that a county may have, so that provider and place have theirs.
const COUNTY_COLUMN: u16 = 16;

/// What stands where nothing can be said.
const NOTHING: &str = "–";

const ZIP_LEGEND: &str = "~ Measured to the ZIP's point: no position that could be used is stated.";
const COUNTY_LEGEND: &str = "– No distance: the place has no position and no ZIP that has a point.";

pub(super) fn render(look: Look, answer: &Answer<'_>, args: &ProvidersArgs, several_datasets: bool) -> String {
    let (found, results) = (&answer.of.found, &answer.of.found.results);
    let mut foot = Foot::default();
    let mut text = answer.of.asked.plan.as_ref().map(|plan| heading(look, plan)).unwrap_or_default();
    text += &table::wrap(look, &words::shown(&question(answer, args)), "  ");
    for line in area(answer) {
        text += &table::wrap(look, &words::shown(&line), "  ");
    }
    if results.is_empty() {
        text += &table::wrap(look, &nobody(answer), "  ");
    } else {
        text += &results_table(look, answer);
        text += &table::wrap(look, &count(answer), "  ");
    }
    if found.place_not_stated > 0 {
        let more = words::thousands(found.place_not_stated);
        let who = if answer.of.asked.are_named() { "in network" } else { "who fit" };
        text += &table::wrap(look, &format!("+{more} {who}, place not stated"), "  ");
    }
    if found.in_doubt > 0 {
        let more = words::thousands(found.in_doubt);
        let what = if answer.of.asked.are_named() { "may be in network" } else { "may fit" };
        let why = "the payer contradicts itself, or names a network that leads nowhere";
        text += &table::wrap(look, &format!("+{more} {what}: {why}"), "  ");
    }
    if !found.closed_door.is_empty() && answer.of.offset == 0 {
        text += &closed_door(look, answer);
    }
    foot_of(&mut foot, answer.opened, &answer.of.asked, &answer.of.notes, several_datasets);
    if results.iter().any(|practice| practice.shared_role) {
        foot.note(SHARED_LEGEND);
    }
    if measured(answer) {
        if results.iter().any(|practice| precision(practice) == Some(Precision::Zip)) {
            foot.note(ZIP_LEGEND);
        }
        if results.iter().any(|practice| practice.distance_km.is_none()) {
            foot.note(COUNTY_LEGEND);
        }
    }
    if !found.read_as.is_empty() {
        let asked = args.search.specialty.as_deref().unwrap_or_default().trim();
        foot.note(format!("{asked:?} was read as: {}", found.read_as.join("; ")));
    }
    if !found.similar_specialties.is_empty() {
        let named = |similar: &SimilarSpecialty| match similar.total {
            Some(total) => format!("{} ({})", similar.name, words::thousands(total)),
            None => similar.name.clone(),
        };
        let all: Vec<String> = found.similar_specialties.iter().map(named).collect();
        foot.note(format!("In the directory too, not included: {}", all.join("; ")));
    }
    if !found.similar_names.is_empty() {
        foot.note(format!("Names spelled nearly so: {}", found.similar_names.join("; ")));
    }
    text + &foot.render(look)
}

/// What was asked, in a sentence.
fn question(answer: &Answer<'_>, args: &ProvidersArgs) -> String {
    let label = &answer.of.place.label;
    let radius = answer.of.place.radius_km().map(distance).unwrap_or_default();
    let place = match answer.of.place.near {
        Near::County { county, .. } => {
            format!("in {label} ({county}) first, then within {radius} of its reference point")
        }
        Near::Point { .. } => format!("within {radius} of {label}"),
        Near::State(_) => format!("in {label}, by name"),
        Near::Anywhere => "anywhere, by name".to_owned(),
    };
    let quoted = |before: &str, text: &Option<String>| text.as_ref().map(|text| format!("{before}{:?}", text.trim()));
    let parts = [
        args.search.specialty.as_ref().map(|specialty| specialty.trim().to_owned()),
        args.search.kind.map(|kind| match kind.into() {
            coverdex_core::ProviderKind::Individual => "people".to_owned(),
            coverdex_core::ProviderKind::Organization => "organizations".to_owned(),
        }),
        quoted("named ", &args.search.name),
        quoted("gender ", &args.search.gender),
        quoted("speaking ", &args.search.language),
        args.search.accepting.then(|| "taking new patients".to_owned()),
        quoted("in the city ", &args.search.city),
        Some(networks_in_words(&answer.of.asked)),
        Some(place),
    ];
    let sentence = parts.into_iter().flatten().collect::<Vec<_>>().join(" · ");
    let mut letters = sentence.chars();
    letters.next().map(|first| first.to_uppercase().chain(letters).collect()).unwrap_or_default()
}

/// What depends on the county: which counties a ZIP lies in, and whether the plan is sold there.
fn area(answer: &Answer<'_>) -> Vec<String> {
    let counties = &answer.of.place.counties;
    let mut lines = Vec::new();
    if counties.len() > 1 {
        let shares: Vec<String> =
            counties.iter().map(|found| format!("{} {}", found.county.label(), share(found.share))).collect();
        lines.push(format!("The ZIP lies in {} counties: {}", counties.len(), shares.join("; ")));
    }
    let (Some(offered), Some(plan)) = (answer.of.plan_offered, &answer.of.asked.plan) else { return lines };
    let id = &plan.id;
    let of = |wanted: Offered| {
        let each = counties.iter().zip(&answer.of.offered_in).filter(|(_, offered)| **offered == wanted);
        each.map(|(found, _): (&CountyFound, _)| found.county.label()).collect::<Vec<_>>()
    };
    let all = counties.iter().map(|found| found.county.label()).collect::<Vec<_>>().join(" or ");
    let (sold, not_sold, untold) = (of(Offered::Yes), of(Offered::No), of(Offered::Unknown));
    match offered {
        Offered::No => lines.push(format!("{id} is not sold in {all}")),
        Offered::Unknown => lines.push(format!(
            "Whether {id} is sold in {all} cannot be told: the payer states no area for it, or one that is not clear"
        )),
        _ => {
            let mut parts = Vec::new();
            if !not_sold.is_empty() {
                parts.push(format!("not in {}", not_sold.join(" or ")));
            }
            if !untold.is_empty() {
                parts.push(format!("in {} perhaps", untold.join(" or ")));
            }
            if !parts.is_empty() {
                let sold = if sold.is_empty() { "a part of the ZIP".to_owned() } else { sold.join(" and ") };
                lines.push(format!("{id} is sold in {sold}, {}", parts.join(", ")));
            }
        }
    }
    lines
}

/// Nobody is shown: why, and what else to ask.
fn nobody(answer: &Answer<'_>) -> String {
    let found = &answer.of.found;
    if found.total > 0 {
        let total = words::count(found.total, "result", "results");
        return format!("Nothing from {} on: there are {total}.", words::thousands(passed_over(answer) + 1));
    }
    match answer.of.nearest_km {
        Some(km) => {
            format!("Nobody there fits. The nearest who does is {} away: --within {}", distance(km), within(km))
        }
        None => "Nobody fits.".to_owned(),
    }
}

fn count(answer: &Answer<'_>) -> String {
    let (from, shown) = (passed_over(answer), answer.of.found.results.len() as u64);
    let (last, total) = (from + shown, answer.of.found.total);
    let range = format!("{}–{}", words::thousands(from + 1), words::thousands(last));
    let here = match answer.of.total_in_county {
        Some(here) if here < total => format!(", {} in the county", words::thousands(here)),
        Some(_) => ", all in the county".to_owned(),
        None => String::new(),
    };
    let all = format!("{}{here}", words::count(total, "practice location", "practice locations"));
    if last < total {
        format!("{range} of {all}. More: --offset {last}")
    } else if from > 0 {
        format!("{range} of {all}.")
    } else {
        format!("{all}.")
    }
}

fn passed_over(answer: &Answer<'_>) -> u64 {
    u64::try_from(answer.of.offset).unwrap_or(u64::MAX)
}

/// Whether distances are measured at all.
fn measured(answer: &Answer<'_>) -> bool {
    answer.of.place.near.center().is_some()
}

fn precision(practice: &PracticeLocation) -> Option<Precision> {
    practice.location.as_ref().map(|location| location.precision)
}

fn results_table(look: Look, answer: &Answer<'_>) -> String {
    let by_county = matches!(answer.of.place.near, Near::County { .. });
    let mut header = vec!["Provider", "Place"];
    if measured(answer) {
        header.push("Miles");
    }
    header.extend([if by_county { "In county" } else { "County" }, "New patients", "Phone"]);
    let mut grid = table::grid(look, &header);
    for practice in &answer.of.found.results {
        let mut row = vec![table::text(provider_cell(answer, practice)), table::text(place_lines(practice).join("\n"))];
        if measured(answer) {
            row.push(table::number(miles_cell(practice)));
        }
        row.push(table::text(county_cell(practice)));
        row.push(table::text(new_patients(practice.accepting)));
        row.push(table::text(practice.phone.as_deref().unwrap_or("not stated")));
        grid.add_row(row);
    }
    table::unbroken(&mut grid, header.len() - 1);
    let (short, county) =
        if look.width < table::ROOMY { (SHORT_COLUMN - 2, COUNTY_COLUMN - 4) } else { (SHORT_COLUMN, COUNTY_COLUMN) };
    table::at_most(&mut grid, header.len() - 2, short);
    table::at_most(&mut grid, header.len() - 3, county);
    table::render(&grid)
}

/// Name and NPI, what matched, and by which networks where several were asked about.
fn provider_cell(answer: &Answer<'_>, practice: &PracticeLocation) -> String {
    let mark = if practice.shared_role { format!(" {SHARED}") } else { String::new() };
    let npi = npi(practice.npi, practice.stated_npi.as_deref());
    let mut lines = vec![format!("{}{mark}", name(&practice.name)), npi];
    if !practice.specialties.is_empty() {
        lines.push(practice.specialties.join("; "));
    }
    let one = answer.of.asked.networks.as_ref().is_some_and(|networks| networks.len() == 1);
    if !one {
        let networks: Vec<&Network> = practice.networks.iter().collect();
        lines.push(format!("in {}", answer.of.asked.names.list(&networks)));
    }
    lines.join("\n")
}

/// `12.3` over `19.8 km`; a ZIP's point is only near it.
fn miles_cell(practice: &PracticeLocation) -> String {
    let Some(km) = practice.distance_km else { return NOTHING.to_owned() };
    let about = if precision(practice) == Some(Precision::Zip) { "~" } else { "" };
    format!("{about}{:.1}\n({km:.1} km)", miles(km))
}

fn county_cell(practice: &PracticeLocation) -> String {
    let label = practice.location.as_ref().and_then(|location| location.county_name.as_deref());
    match practice.in_county {
        Some(true) => "yes".to_owned(),
        Some(false) => label.map_or_else(|| "no".to_owned(), |label| format!("no: {label}")),
        None => label.unwrap_or("not known").to_owned(),
    }
}

/// Pharmacies that nobody walks into.
fn closed_door(look: Look, answer: &Answer<'_>) -> String {
    let (shown, total) = (&answer.of.found.closed_door, answer.of.found.closed_door_total);
    let mut list = table::list(look, &["Pharmacy", "NPI", "Place", "Phone"]);
    for practice in shown.iter().take(MOST_CLOSED) {
        let place = practice.location.as_ref().and_then(locality);
        list.add_row([
            table::text(name(&practice.name)),
            table::text(practice.npi.map_or_else(|| NOTHING.to_owned(), |npi| npi.to_string())),
            table::text(place.unwrap_or_else(|| "not stated".to_owned())),
            table::text(practice.phone.as_deref().unwrap_or("not stated")),
        ]);
    }
    table::unbroken(&mut list, 1);
    let title = "Behind closed doors: mail, long-term care and infusion pharmacies";
    let title = if answer.of.asked.are_named() { format!("{title} in network") } else { title.to_owned() };
    let some = shown.len().min(MOST_CLOSED) as u64;
    let more = if some < total { format!(", {some} of {}", words::thousands(total)) } else { String::new() };
    let title = table::wrap(look, &format!("{title}{more}"), "");
    format!("\n{title}{}", table::render(&list))
}
