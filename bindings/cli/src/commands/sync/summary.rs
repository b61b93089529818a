//! What a sync says at its end.

use std::collections::BTreeMap;

use coverdex_core::build::format::CURRENT;
use coverdex_core::build::words::thousands;
use coverdex_sync::fetch::{Gap, Received, SyncReport};
use coverdex_sync::source::stu1::half::Half;

use super::{Rebuilt, Synced, Wanted};
use crate::commands::build::{shell_word, tier_lines};
use crate::data::Reading;
use crate::output::Look;
use crate::{table, words};

/// Reasons that are shown; JSON has the others.
const MOST_REASONS: usize = 12;

/// What stands where nothing is known.
const NOTHING: &str = "–";

pub(super) fn render(look: Look, wanted: &Wanted, synced: &Synced) -> String {
    let mut text = type_table(look, &synced.report, &synced.received);
    text += &reading(look, &Reading::from(&synced.outcome.crawl));
    if !synced.outcome.complete {
        text += &incomplete(look, wanted, synced);
    }
    match &synced.rebuilt {
        Some(rebuilt) => text + &built(look, wanted, synced, rebuilt),
        None => text,
    }
}

/// How the reading went.
pub(in crate::commands) fn reading(look: Look, went: &Reading) -> String {
    let mut parts = vec![
        words::count(went.requests, "request", "requests"),
        words::bytes(went.bytes),
        format!("{:.1} s", went.seconds),
    ];
    for (count, words) in [
        (went.retries, "repeated"),
        (went.restarts.values().map(|reasons| reasons.len() as u64).sum(), "begun anew"),
        (went.firewall_pages, "firewall pages"),
    ] {
        if count > 0 {
            parts.push(format!("{} {words}", thousands(count)));
        }
    }
    let changes = if went.changes_only { " Where the server could tell, only changes were read." } else { "" };
    let line = format!("Reading {}, number {}: {}.{changes}", went.base, went.generation, parts.join(", "));
    table::wrap(look, &words::shown(&line), "  ")
}

fn built(look: Look, wanted: &Wanted, synced: &Synced, rebuilt: &Rebuilt) -> String {
    let manifest = &rebuilt.built.manifest;
    let store = shell_word(&wanted.store.display().to_string());
    let line = format!(
        "Built {} in {:.1} s, {}. Live in {}: dataset {}",
        words::bytes(rebuilt.bytes()),
        synced.seconds_building,
        words::part_dates(manifest).unwrap_or_else(|| format!("as of {}", words::date(&manifest.as_of))),
        wanted.store.display(),
        manifest.dataset.get(..16).unwrap_or_default(),
    );
    tier_lines(look, &rebuilt.info, &rebuilt.built.unused_tiers)
        + &table::wrap(look, &line, "  ")
        + &format!("Next: coverdex plans --data {store}\n")
}

/// What is missing, that nothing is lost, and how to go on.
fn incomplete(look: Look, wanted: &Wanted, synced: &Synced) -> String {
    let text = if synced.was_stopped {
        "Stopped before all was read.\n".to_owned()
    } else {
        let reasons = synced.outcome.incomplete.iter().map(|(part, reason)| format!("{part}: {reason}"));
        "Incomplete:\n".to_owned() + &list_of(look, reasons)
    };
    let store = wanted.store.display();
    let live = match &synced.rebuilt {
        Some(_) if let Some(former) = &synced.former => format!(
            "The {} stays as it was read on {}; the rest is as of now.",
            match former.half {
                Half::Formulary => "formulary",
                Half::Directory => "directory",
            },
            words::date(&former.as_of),
        ),
        Some(_) => "There was no dataset before, so one of what came is built: what may be missing, it answers with \
                    unknown."
            .to_owned(),
        None if wanted.store.join(CURRENT).exists() => format!("The dataset that was live in {store} still is."),
        None => format!("No dataset was built in {store}."),
    };
    let kept = format!("What was read is kept in {}: the same command goes on from there.", wanted.staging.display());
    text + &table::wrap(look, &format!("{live} {kept}"), "  ")
}

/// Why types are not complete, where some are not.
pub(in crate::commands) fn reasons(look: Look, report: &SyncReport) -> String {
    let named =
        report.types.iter().flat_map(|of_type| of_type.reasons.iter().map(move |why| (&of_type.resource_type, why)));
    let mut lines: Vec<String> = Vec::new();
    for (resource_type, why) in named {
        // What concerns everything stands once.
        let line = if why.starts_with("sync: ") { why.clone() } else { format!("{resource_type}: {why}") };
        if !lines.contains(&line) {
            lines.push(line);
        }
    }
    if lines.is_empty() { String::new() } else { "Incomplete:\n".to_owned() + &list_of(look, lines.into_iter()) }
}

fn list_of(look: Look, reasons: impl Iterator<Item = String>) -> String {
    let (mut text, mut more) = (String::new(), 0_usize);
    for (number, reason) in reasons.enumerate() {
        if number < MOST_REASONS {
            text += &table::wrap(look, &words::shown(&format!("  {reason}")), "    ");
        } else {
            more += 1;
        }
    }
    if more > 0 { text + &format!("  and {more} more: --json names all\n") } else { text }
}

/// What must exist, what is there, and what is missing, for each resource type.
pub(in crate::commands) fn type_table(
    look: Look,
    report: &SyncReport,
    received: &BTreeMap<String, Received>,
) -> String {
    let mut list = table::list(look, &["Resources", "Expected", "There", "Gaps", "Received", "By id", "Complete"]);
    for of_type in &report.types {
        let came = received.get(&of_type.resource_type).cloned().unwrap_or_default();
        list.add_row([
            table::text(&of_type.resource_type),
            table::number(of_type.expected.map_or_else(|| NOTHING.to_owned(), thousands)),
            table::number(thousands(of_type.distinct)),
            table::number(gaps(&of_type.gaps)),
            table::number(thousands(came.entries)),
            table::number(thousands(came.by_id)),
            table::text(if of_type.complete { "yes" } else { "no" }),
        ]);
    }
    table::unbroken(&mut list, 0);
    "What the payer has, and what came\n".to_owned() + &table::render(&list)
}

/// `12 (404: 10, not answered: 2)`.
fn gaps(gaps: &[Gap]) -> String {
    let all: u64 = gaps.iter().map(|gap| gap.count).sum();
    let of = |gap: &Gap| match gap.status {
        Some(status) => format!("{status}: {}", thousands(gap.count)),
        None => format!("not answered: {}", thousands(gap.count)),
    };
    match gaps {
        [] => "0".to_owned(),
        some => format!("{} ({})", thousands(all), some.iter().map(of).collect::<Vec<_>>().join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gaps_are_told_by_what_the_server_answers() {
        assert_eq!(gaps(&[]), "0");
        let some = [Gap { status: Some(404), count: 1_200 }, Gap { status: None, count: 2 }];
        assert_eq!(gaps(&some), "1,202 (404: 1,200, not answered: 2)");
    }
}
