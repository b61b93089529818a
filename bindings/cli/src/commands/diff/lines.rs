//! What changed as comma-separated values: a line for each change.

use coverdex_core::{CoverageReason, DatasetDiff, Error, ErrorKind, Network, PlanId, Result};

use super::tables::{networks_words, says};

const HEADER: [&str; 12] = [
    "kind",
    "plans",
    "networks",
    "county",
    "name",
    "codes",
    "change",
    "comparison",
    "before",
    "now",
    "reason",
    "as_of",
];

pub(super) fn csv(diff: &DatasetDiff) -> Result<String> {
    let refused = |error: &dyn std::fmt::Display| Error::new(ErrorKind::Io, "csv", error.to_string());
    let mut lines = csv::Writer::from_writer(Vec::new());
    lines.write_record(HEADER).map_err(|e| refused(&e))?;
    let as_of = diff.new.origin.as_of();
    let mut line = |fields: [&str; 11]| {
        let plain = fields.into_iter().map(plain).chain([as_of.to_owned()]);
        lines.write_record(plain).map_err(|e| refused(&e))
    };
    if let Some(plans) = &diff.plans {
        for (alone, change) in [(&plans.left, "left"), (&plans.came, "came")] {
            for plan in alone {
                let name = plan.name.as_deref().unwrap_or_default();
                line(["plan", &plan.id.to_string(), "", "", name, "", change, "", "", "", ""])?;
            }
        }
        for open in &plans.not_known {
            let name = open.plan.name.as_deref().unwrap_or_default();
            line(["plan", &open.plan.id.to_string(), "", "", name, "", "not_known", "", "", "", &open.reason])?;
        }
        for change in &plans.changed {
            let id = change.plan.to_string();
            let [old, new] = [&change.old_name, &change.new_name].map(|name| name.as_deref().unwrap_or_default());
            if old != new {
                line(["plan", &id, "", "", new, "", "name", "", old, new, ""])?;
            }
            for (networks, what) in [
                (&change.networks_left, "network_left"),
                (&change.networks_came, "network_came"),
                (&change.networks_not_known, "network_not_known"),
            ] {
                if !networks.is_empty() {
                    line(["plan", &id, &keys(networks), "", new, "", what, "", "", "", ""])?;
                }
            }
        }
    }
    for lists in diff.drugs.iter().flatten() {
        let plans = ids(&lists.plans);
        for change in &lists.changes {
            let codes: Vec<String> = change
                .packages
                .iter()
                .map(|package| match package.ndc11 {
                    Some(ndc) => ndc.to_string(),
                    None => package.rxcui.iter().map(|code| format!("rxcui:{code}")).collect::<Vec<_>>().join("+"),
                })
                .collect();
            let facts: Vec<&str> = change.changed.iter().map(|fact| fact.as_str()).collect();
            let what = if facts.is_empty() { change.kind.as_str().to_owned() } else { facts.join(" ") };
            let reason = [&change.new, &change.old].into_iter().find_map(|of| of.reason).map(CoverageReason::as_str);
            let (old, new) = (says(change, &change.old), says(change, &change.new));
            let comparison = change.comparison.as_str();
            let codes = codes.join(" ");
            line([
                "drug",
                &plans,
                "",
                "",
                &change.name,
                &codes,
                &what,
                comparison,
                &old,
                &new,
                reason.unwrap_or_default(),
            ])?;
        }
    }
    if let Some(directory) = &diff.providers {
        for (networks, what) in
            [(&directory.left, "left"), (&directory.came, "came"), (&directory.not_known, "not_known")]
        {
            for network in networks {
                let label = network.label().unwrap_or_default();
                line(["network", "", &network.key.to_string(), "", label, "", what, "", "", "", ""])?;
            }
        }
        for members in &directory.networks {
            let (plans, networks) = (ids(&members.plans), networks_words(members));
            for change in &members.changes {
                let npi = change.npi.map(|npi| npi.to_string()).or_else(|| change.stated_npi.clone());
                let county = change.county_name.as_deref().unwrap_or_default();
                let reason = change.reason.as_deref().unwrap_or_default();
                let what = change.kind_of_change.as_str();
                let elsewhere = if change.elsewhere { "in network in other counties too" } else { "" };
                let npi = npi.unwrap_or_default();
                line(["provider", &plans, &networks, county, &change.name, &npi, what, "", "", elsewhere, reason])?;
            }
        }
    }
    let bytes = lines.into_inner().map_err(|e| refused(&e))?;
    String::from_utf8(bytes).map_err(|e| refused(&e))
}

fn ids(plans: &[PlanId]) -> String {
    plans.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ")
}

fn keys(networks: &[Network]) -> String {
    networks.iter().map(|network| network.key.to_string()).collect::<Vec<_>>().join(" ")
}

/// A text that no spreadsheet takes for a formula: payers write them, and people open the file.
fn plain(text: &str) -> String {
    if text.starts_with(['=', '+', '-', '@', '\t', '\r']) { format!("'{text}") } else { text.to_owned() }
}
