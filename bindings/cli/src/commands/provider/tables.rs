//! A provider on a page: who it is, where it stands, and a row for each place.

use coverdex_core::Network;
use coverdex_core::{
    Inactive, NetworkAnswer, NetworkStatus, PracticeLocation, Precision, Provider, ProviderRole, RoleDoubt,
};

use super::Answer;
use crate::commands::covered::heading;
use crate::commands::directory::{SHARED, SHARED_LEGEND, foot as foot_of, name, new_patients, npi, place_lines};
use crate::foot::Foot;
use crate::output::Look;
use crate::{table, words};

pub(super) fn render(look: Look, answer: &Answer<'_>, several_datasets: bool) -> String {
    let mut text = answer.of.asked.plan.as_ref().map(|plan| heading(look, plan)).unwrap_or_default();
    let mut line = |line: String| text += &table::wrap(look, &words::shown(&line), "  ");
    match &answer.of.provider {
        Some(provider) => who(provider).into_iter().for_each(&mut line),
        None => line(format!("NPI {}", answer.of.npi)),
    }
    line(capitalized(&standing(answer)));
    if let Some(provider) = answer.of.provider.as_ref().filter(|provider| !provider.locations.is_empty()) {
        text += &places(look, answer, provider);
    }
    let mut foot = Foot::default();
    foot_of(&mut foot, answer.opened, &answer.of.asked, &answer.of.notes, several_datasets);
    let locations = answer.of.provider.iter().flat_map(|provider| &provider.locations);
    if locations.clone().any(|practice| practice.shared_role) {
        foot.note(SHARED_LEGEND);
    }
    text + &foot.render(look)
}

/// Name, NPIs and what else is known of the provider itself, a line each.
fn who(provider: &Provider) -> Vec<String> {
    let mut traits = vec![npi(provider.npi, provider.stated_npi.as_deref())];
    if !provider.aliases.is_empty() {
        let others = provider.aliases.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
        traits.push(format!("also NPI {others}"));
    }
    traits.push(provider.kind.as_str().to_owned());
    traits.extend(provider.gender.iter().map(|gender| format!("gender {gender}")));
    if !provider.languages.is_empty() {
        traits.push(format!("speaks {}", provider.languages.join(", ")));
    }
    if !provider.phones.is_empty() {
        traits.push(format!("phone {}", provider.phones.join(", ")));
    }
    let mut lines = vec![name(&provider.name).to_owned(), traits.join(" · ")];
    if !provider.other_names.is_empty() {
        lines.push(format!("Also named {}", provider.other_names.join("; ")));
    }
    let places = provider.locations.iter().filter(|practice| practice.location.is_some()).count();
    if places > 1 {
        lines.push(format!("{places} places"));
    }
    lines
}

/// The provider's standing in words: `in network: Vision Select (vision only)`.
fn standing(answer: &Answer<'_>) -> String {
    match (&answer.of.standing, &answer.of.provider) {
        (None, Some(_)) => "no plan or network was named: --plan or --network says whether it is in network".to_owned(),
        _ => answer.of.summary(),
    }
}

fn capitalized(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map(|first| first.to_uppercase().chain(letters).collect()).unwrap_or_default()
}

fn places(look: Look, answer: &Answer<'_>, provider: &Provider) -> String {
    let mut header = vec!["Place", "Roles there: specialties, networks"];
    if answer.of.standing.is_some() {
        header.push("In network");
    }
    header.extend(["New patients", "Phone"]);
    let mut grid = table::grid(look, &header);
    for practice in &provider.locations {
        let roles: Vec<String> = practice.roles.iter().map(|own| role(answer, own)).collect();
        let mut row = vec![table::text(place_cell(practice)), table::text(roles.join("\n"))];
        if let Some(standing) = &answer.of.standing {
            row.push(table::text(here(standing, practice)));
        }
        row.push(table::text(new_patients(practice.accepting)));
        let phones = if practice.phones.is_empty() { "not stated".to_owned() } else { practice.phones.join("\n") };
        row.push(table::text(phones));
        grid.add_row(row);
    }
    table::unbroken(&mut grid, header.len() - 1);
    table::render(&grid)
}

/// Whether this place makes the provider what it is.
fn here(standing: &NetworkAnswer, practice: &PracticeLocation) -> &'static str {
    match standing.status {
        NetworkStatus::InNetwork if standing.locations.contains(practice) => "yes",
        NetworkStatus::Inactive if standing.locations.contains(practice) => "inactive",
        NetworkStatus::Unknown => "unknown",
        _ if practice.networks.is_empty() => "no network",
        _ => "other networks",
    }
}

fn place_cell(practice: &PracticeLocation) -> String {
    let mut lines = place_lines(practice);
    if let Some(location) = &practice.location {
        lines.extend(location.county_name.clone());
        match location.precision {
            Precision::Point => {}
            Precision::Zip => lines.push("(placed by its ZIP)".to_owned()),
            Precision::County => lines.push("(only its county is known)".to_owned()),
            _ => lines.push("(where it is, is not known)".to_owned()),
        }
        lines.extend(location.hours.clone());
    }
    lines.join("\n")
}

/// `Cardiology: HMO Plus (medical) †`.
fn role(answer: &Answer<'_>, role: &ProviderRole) -> String {
    let specialties = match role.specialties.as_slice() {
        [] => "specialty not stated".to_owned(),
        some => some.join("; "),
    };
    let networks: Vec<&Network> = role.networks.iter().collect();
    let networks = if networks.is_empty() { "no network".to_owned() } else { answer.of.asked.names.list(&networks) };
    let mut text = format!("{specialties}: {networks}");
    if !role.inactive.is_empty() {
        text += &format!(" [inactive: {}]", Inactive::levels(&role.inactive, &role.inactive_dates));
    }
    for doubt in &role.doubts {
        text += match doubt {
            RoleDoubt::Contrary => " [the payer says both]",
            _ => " [and a network that cannot be read]",
        };
    }
    if role.closed_door {
        text += " [closed door]";
    }
    if role.shared {
        text += &format!(" {SHARED}");
    }
    text
}
