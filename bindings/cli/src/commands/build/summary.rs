//! What a build says at its end.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;

use coverdex_core::{DrugBenefit, Info, Plan, ReasonCount, TierCount, TierStatus};
use coverdex_sync::source::folder::FolderCounts;

use super::Made;
use crate::output::Look;
use crate::{table, words};

/// Reasons of one resource type that are shown.
const MOST_REASONS: usize = 5;

/// Files, lines and notes that are shown.
const MOST_LINES: usize = 8;

/// Plans that are shown; where there are more, those whose drug list has a flaw come first.
const MOST_PLANS: usize = 40;

pub(super) fn render(look: Look, store: &Path, made: &Made, info: &Info, plans: &[Plan]) -> String {
    let mut text = report_tables(look, info, plans);
    text += &set_aside(look, &made.counts, made.built.repeats);
    text += &tier_lines(look, info, &made.built.unused_tiers);
    let manifest = &made.built.manifest;
    let _ = writeln!(
        text,
        "Built {} in {:.1} s ({:.1} s reading), {} resources/s: {} as of {}.",
        words::count(made.counts.resources(), "resource", "resources"),
        made.seconds,
        made.seconds_reading,
        words::thousands(rounded(made.resources_per_second())),
        words::bytes(made.bytes()),
        words::date(&manifest.as_of),
    );
    let _ = writeln!(text, "Live in {}: dataset {}", store.display(), manifest.dataset.get(..16).unwrap_or_default());
    let _ = writeln!(text, "Next: coverdex plans --data {}", shell_word(&store.display().to_string()));
    text
}

/// The sync report: what became of the resources of each type, and of each plan's drug list.
pub(in crate::commands) fn report_tables(look: Look, info: &Info, plans: &[Plan]) -> String {
    let header = ["Resources", "Received", "Used", "Folded", "Quarantined", "Of no use", "Why"];
    let mut list = table::list(look, &header);
    for counts in &info.resources {
        let mut cells = vec![table::text(&counts.resource)];
        for count in [counts.received, counts.used, counts.folded, counts.quarantined, counts.of_no_use] {
            cells.push(table::number(words::thousands(count)));
        }
        cells.push(table::text(reasons(info, &counts.resource)));
        list.add_row(cells);
    }
    table::unbroken(&mut list, 0);
    "What became of the resources\n".to_owned() + &table::render(&list) + &plan_table(look, plans)
}

/// Tiers that are not understood, and what to do; tiers that settings name and nothing has.
pub(in crate::commands) fn tier_lines(look: Look, info: &Info, unused: &[String]) -> String {
    let mut text = String::new();
    let unclear: Vec<&TierCount> =
        info.tiers.iter().filter(|count| count.tier.status == TierStatus::NotUnderstood && !count.mapped).collect();
    if let Some(first) = unclear.first() {
        text += "\nTiers that do not say whether they are covered: drugs in them are answered with unknown\n";
        for count in unclear.iter().take(MOST_LINES) {
            let entries = words::count(count.entries, "entry", "entries");
            let plans = words::count(count.plans, "plan", "plans");
            let line = words::shown(&format!("  {}: {entries}, {plans}", count.tier));
            text += &table::wrap(look, &line, "    ");
        }
        if unclear.len() > MOST_LINES {
            let _ = writeln!(text, "  and {} more: --json names all", unclear.len() - MOST_LINES);
        }
        let code = &first.tier.code;
        let way = format!(
            "Ask the payer what they mean, then build again with --tier {}, or with {:?} = \"covered\" below [tiers] \
             in the settings file; in place of covered may stand not_covered or a level.",
            shell_word(&format!("{code}=covered")),
            code
        );
        text += &table::wrap(look, &words::shown(&way), "  ");
    }
    let mapped: Vec<String> = info
        .tiers
        .iter()
        .filter(|count| count.mapped)
        .map(|count| format!("{} ({})", count.tier, count.tier.status.as_str().replace('_', " ")))
        .collect();
    if !mapped.is_empty() {
        text += &table::wrap(look, &format!("Tiers that settings explain: {}.", some_of(&mapped)), "  ");
    }
    if !unused.is_empty() {
        text += &table::wrap(look, &format!("Tiers in settings that nothing has: {}.", some_of(unused)), "  ");
    }
    text
}

/// `quarantined: no drug code (12)`, the most frequent first.
fn reasons(info: &Info, resource: &str) -> String {
    let mut mine: Vec<&ReasonCount> = info.reasons.iter().filter(|reason| reason.resource == resource).collect();
    mine.sort_by_key(|reason| std::cmp::Reverse(reason.count));
    let mut lines: Vec<String> = mine
        .iter()
        .take(MOST_REASONS)
        .map(|own| format!("{}: {} ({})", own.outcome.replace('_', " "), own.reason, words::thousands(own.count)))
        .collect();
    if mine.len() > MOST_REASONS {
        lines.push(format!("and {} more reasons", mine.len() - MOST_REASONS));
    }
    lines.join("\n")
}

fn plan_table(look: Look, plans: &[Plan]) -> String {
    let (mut with, without): (Vec<&Plan>, Vec<&Plan>) = plans.iter().partition(|plan| plan.drugs.has_entries());
    let mut text = "\nWhat came of the plans' drug lists\n".to_owned();
    if with.len() > MOST_PLANS {
        with.sort_by_key(|plan| (plan.drugs == DrugBenefit::Complete, std::cmp::Reverse(plan.gaps)));
    }
    if !with.is_empty() {
        let mut list = table::list(look, &["Plan", "Name", "Lists", "Expected", "Gaps", "Drug list"]);
        for plan in with.iter().take(MOST_PLANS) {
            list.add_row([
                table::text(plan.id.to_string()),
                table::text(plan.name.as_deref().unwrap_or("(no name)")),
                table::number(words::thousands(plan.lists.into())),
                table::number(words::thousands(plan.expected.into())),
                table::number(words::thousands(plan.gaps.into())),
                table::text(words::drug_list(plan)),
            ]);
        }
        table::unbroken(&mut list, 0);
        text += &table::render(&list);
    }
    if with.len() > MOST_PLANS {
        let _ = writeln!(text, "and {} plans more: coverdex plans", with.len() - MOST_PLANS);
    }
    let mut reasons: Vec<(String, Vec<String>)> = Vec::new();
    for plan in without {
        let reason = words::drug_list(plan);
        let id = plan.id.to_string();
        match reasons.iter_mut().find(|(other, _)| *other == reason) {
            Some((_, plans)) => plans.push(id),
            None => reasons.push((reason, vec![id])),
        }
    }
    for (reason, ids) in &reasons {
        let count = words::count(ids.len() as u64, "plan", "plans");
        text += &table::wrap(look, &format!("{count}, {reason}: {}", some_of(ids)), "  ");
    }
    if plans.is_empty() {
        text += "No plan was named.\n";
    }
    text
}

/// The first few, and how many more.
fn some_of(names: &[String]) -> String {
    let shown = names.iter().take(MOST_LINES).map(|name| words::shown(name)).collect::<Vec<_>>().join(", ");
    match names.len().saturating_sub(MOST_LINES) {
        0 => shown,
        more => format!("{shown} and {more} more"),
    }
}

/// What was seen in the folder and did not become a resource.
fn set_aside(look: Look, counts: &FolderCounts, repeats: u64) -> String {
    let mut lines = Vec::new();
    if repeats > 0 {
        let repeats = words::count(repeats, "resource", "resources");
        lines.push(format!("Repeats: {repeats}, the newest version of each counted."));
    }
    let by_type = |types: &BTreeMap<String, u64>| {
        types.iter().map(|(kind, count)| format!("{} {kind}", words::thousands(*count))).collect::<Vec<_>>().join(", ")
    };
    if !counts.member_data.is_empty() {
        lines.push(format!("Members' own data, passed over unread: {}.", by_type(&counts.member_data)));
    }
    if !counts.unread.is_empty() {
        lines.push(format!("Resources of types that are not read: {}.", by_type(&counts.unread)));
    }
    if !counts.other_files.is_empty() {
        lines.push(format!("Files without resources, left alone: {}.", some_of(&counts.other_files)));
    }
    if !counts.bad_lines.is_empty() {
        lines.push(format!(
            "Lines that are no JSON: {}; JSON that is no resource: {}. The first, and Lists that cannot be read:",
            words::thousands(counts.not_json),
            words::thousands(counts.not_resources)
        ));
        let bad = counts.bad_lines.iter().take(MOST_LINES);
        lines.extend(bad.map(|bad| words::shown(&format!("  {}:{} {}", bad.file, bad.line, bad.reason))));
    }
    if !counts.notes.is_empty() {
        let mut notes: Vec<_> = counts.notes.iter().collect();
        notes.sort_by_key(|(_, count)| std::cmp::Reverse(**count));
        let mut shown: Vec<String> = notes
            .iter()
            .take(MOST_LINES)
            .map(|((kind, note), count)| {
                format!("{} in {} ({})", note.as_str(), kind.as_str(), words::thousands(**count))
            })
            .collect();
        if notes.len() > MOST_LINES {
            shown.push(format!("{} more kinds", notes.len() - MOST_LINES));
        }
        lines.push(format!("Set aside inside resources: {}.", shown.join("; ")));
    }
    lines.iter().map(|line| table::wrap(look, line, "  ")).collect()
}

#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a positive rate, far below 2^52")]
fn rounded(rate: f64) -> u64 {
    rate.round() as u64
}

/// A path as a shell takes it.
pub(in crate::commands) fn shell_word(path: &str) -> String {
    let plain = !path.is_empty() && path.bytes().all(|b| b.is_ascii_alphanumeric() || b"/._-+=:@,%".contains(&b));
    if plain { path.to_owned() } else { format!("'{}'", path.replace('\'', "'\\''")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_quoted_where_a_shell_needs_it() {
        assert_eq!(shell_word("/tmp/store-1"), "/tmp/store-1");
        assert_eq!(shell_word("my store"), "'my store'");
        assert_eq!(shell_word("it's"), "'it'\\''s'");
    }
}
