//! `coverdex info`.

use std::fmt::Write as _;
use std::path::PathBuf;

use coverdex_core::{DrugBenefit, Info, Result, Sizes};
use coverdex_sync::fetch::SyncReport;

use super::build::{report_tables, tier_lines};
use super::sync::{reading, reasons, type_table};
use crate::args::InfoArgs;
use crate::data::{Datasets, Opened, Way};
use crate::failure::Exit;
use crate::json::Document;
use crate::output::{Look, Output};
use crate::{table, words};

/// Tables and indexes that are shown; the rest is added up.
const MOST_TABLES: usize = 16;

pub(super) fn run(args: &InfoArgs, data: &[PathBuf], output: Output) -> Result<Exit> {
    let datasets = Datasets::open(data)?;
    let mut all: Vec<(&Opened, Info, Way)> = Vec::new();
    for opened in datasets.all() {
        let mut info = opened.dataset.info()?;
        info.sizes = if args.sizes { Some(opened.dataset.sizes()?) } else { None };
        all.push((opened, info, opened.way()?));
    }
    output.answer(
        || match all.iter().map(|(_, info, _)| info).collect::<Vec<_>>().as_slice() {
            [only] => Document::of(only),
            several => Document::of(&several),
        },
        |look| {
            let texts = all.iter().map(|(opened, info, way)| {
                let sizes = info.sizes.as_ref().map(|sizes| size_tables(look, sizes)).unwrap_or_default();
                about(opened)
                    + &synced(look, way)
                    + &report_tables(look, info, &info.plans)
                    + &summary(&info.plans)
                    + &tier_lines(look, info, &[])
                    + &sizes
            });
            texts.collect::<Vec<_>>().join("\n")
        },
    )?;
    Ok(Exit::Answered)
}

fn about(opened: &Opened) -> String {
    let (dataset, manifest) = (&opened.dataset, opened.dataset.manifest());
    let parts: Vec<&str> = manifest.parts.iter().map(|part| part.name.as_str()).collect();
    let bytes = manifest.bytes();
    let counts: Vec<String> = manifest
        .counts
        .iter()
        .map(|(name, count)| format!("{} {}", words::thousands(*count), name.replace('_', " ")))
        .collect();
    let lines = [
        ("Dataset", manifest.dataset.clone()),
        ("Folder", dataset.folder().display().to_string()),
        ("As of", words::part_dates(manifest).unwrap_or_else(|| words::date(dataset.as_of()))),
        ("Source", dataset.source().to_owned()),
        ("Holds", format!("{}; {}", parts.join(", "), counts.join(", "))),
        ("Size", format!("{}, format {}", words::bytes(bytes), manifest.format)),
    ];
    let mut text = String::new();
    for (name, value) in lines {
        let _ = writeln!(text, "{name:<8} {}", words::shown(&value));
    }
    text
}

/// What the sync saw and how it went, where the dataset came of one.
fn synced(look: Look, way: &Way) -> String {
    let report = way
        .report
        .as_ref()
        .map(|report| type_table(look, report, &way.received) + &reasons(look, report) + &missing(look, report));
    let text = report.unwrap_or_default() + &way.reading.as_ref().map(|went| reading(look, went)).unwrap_or_default();
    if text.is_empty() { text } else { text + "\n" }
}

/// Networks whose roles were not all seen.
fn missing(look: Look, report: &SyncReport) -> String {
    let mut text = String::new();
    for network in report.networks.iter().filter(|network| !network.complete || network.filtered) {
        let why = match network.reasons.as_slice() {
            [] => "its roles were read by a filter: that somebody is absent means nothing".to_owned(),
            reasons => reasons.join("; "),
        };
        text +=
            &table::wrap(look, &words::shown(&format!("Network {} of {}: {why}", network.id, network.system)), "  ");
    }
    text
}

/// How many plans can be answered for.
fn summary(plans: &[coverdex_core::Plan]) -> String {
    let of = |wanted: DrugBenefit| plans.iter().filter(|plan| plan.drugs == wanted).count();
    let parts: Vec<String> = [
        (DrugBenefit::Complete, "complete"),
        (DrugBenefit::Incomplete, "incomplete"),
        (DrugBenefit::NoList, "without a List"),
        (DrugBenefit::NoFormularyPublished, "not published"),
        (DrugBenefit::NoDrugBenefit, "without drug benefit"),
        (DrugBenefit::NotSynced, "not synced"),
    ]
    .into_iter()
    .map(|(benefit, words)| (of(benefit), words))
    .filter(|(count, _)| *count > 0)
    .map(|(count, words)| format!("{count} {words}"))
    .collect();
    format!("Drug lists of {} plans: {}.\n", plans.len(), parts.join(", "))
}

fn size_tables(look: Look, sizes: &Sizes) -> String {
    let mut files = table::list(look, &["File", "Bytes"]);
    for file in &sizes.files {
        files.add_row([table::text(&file.path), table::number(words::thousands(file.bytes))]);
    }
    let mut text = "\n".to_owned() + &table::render(&files);
    if sizes.tables.is_empty() {
        return text + "Tables are not told apart: this SQLite was compiled without dbstat.\n";
    }
    let mut tables = table::list(look, &["Table or index", "Of", "Part", "Bytes", "Unused"]);
    let (shown, rest) = sizes.tables.split_at(sizes.tables.len().min(MOST_TABLES));
    for entry in shown {
        tables.add_row([
            table::text(&entry.name),
            table::text(entry.index_of.as_deref().unwrap_or_default()),
            table::text(entry.part.as_str()),
            table::number(words::thousands(entry.bytes)),
            table::number(words::thousands(entry.unused)),
        ]);
    }
    if !rest.is_empty() {
        tables.add_row([
            table::text(format!("{} others", rest.len())),
            table::text(""),
            table::text(""),
            table::number(words::thousands(rest.iter().map(|entry| entry.bytes).sum())),
            table::number(words::thousands(rest.iter().map(|entry| entry.unused).sum())),
        ]);
    }
    text += &table::render(&tables);
    if let (Some(package), Some(product)) = (sizes.bytes_per_package(), sizes.bytes_per_package_and_formulary()) {
        let (catalogue, formularies) = (words::bytes(sizes.catalogue_bytes), words::bytes(sizes.formulary_bytes));
        let _ = writeln!(
            text,
            "Catalogue, search index included: {catalogue}, {package:.1} bytes for each of {} packages.",
            words::thousands(sizes.packages)
        );
        let _ = writeln!(
            text,
            "Drug lists: {formularies}, {product:.2} bytes for each package and each of {} distinct lists.",
            words::thousands(sizes.formularies)
        );
    }
    text
}
