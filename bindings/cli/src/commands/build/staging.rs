//! `coverdex build --from` what a sync has read: the dataset again, without the network.

use std::fmt::Write as _;
use std::time::Instant;

use coverdex_core::{Error, Result, Store};
use coverdex_sync::source::staging::ReadOptions;
use coverdex_sync::staging::Staging;
use coverdex_sync::update::FromStaging;

use super::summary::{report_tables, shell_word, tier_lines};
use crate::args::BuildArgs;
use crate::commands::sync::{Progress, Rebuilt, reasons, rebuild, type_table};
use crate::failure::Exit;
use crate::json::{Document, RebuiltDocument};
use crate::output::Output;
use crate::{payer, words};

pub(super) fn run(args: &BuildArgs, output: Output) -> Result<Exit> {
    if args.as_of.is_some() {
        return Err(Error::invalid("as-of", "a sync knows itself when it read")
            .with_hint("leave --as-of out; it is for folders of files"));
    }
    let tiers = payer::tiers(&args.tiers, args.config.as_deref())?;
    let (staging, store) = (Staging::open(&args.from)?, Store::open_or_create(&args.out)?);
    let begun = Instant::now();
    let shown = Progress::new(output);
    let building = |resources: u64| shown.building(resources);
    let read = ReadOptions { threads: args.threads.unwrap_or(0).into(), progress: Some(&building) };
    let from = FromStaging { payer: args.payer.as_deref(), tiers: Some(&tiers), read, ..FromStaging::default() };
    let (rebuilt, report, received) = rebuild(&staging, &store, &from)?;
    let seconds = begun.elapsed().as_secs_f64();
    drop(shown);
    let (info, plans) = (&rebuilt.info, rebuilt.dataset.all_plans()?);
    output.answer(
        || {
            let manifest = &rebuilt.built.manifest;
            Document::of(&RebuiltDocument {
                store: args.out.display().to_string(),
                staging: args.from.display().to_string(),
                folder: rebuilt.built.folder.display().to_string(),
                dataset: manifest.dataset.clone(),
                as_of: manifest.as_of.clone(),
                source: rebuilt.dataset.source().to_owned(),
                counts: manifest.counts.clone(),
                bytes: rebuilt.bytes(),
                repeats: rebuilt.built.repeats,
                resources: rebuilt.counts.resources(),
                sync: &report,
                received: &received,
                report: crate::json::report(info)?,
                unused_tiers: rebuilt.built.unused_tiers.clone(),
                seconds,
            })
        },
        |look| {
            let tables = type_table(look, &report, &received)
                + &reasons(look, &report)
                + "\n"
                + &report_tables(look, info, &plans)
                + &tier_lines(look, info, &rebuilt.built.unused_tiers);
            tables + &built(args, &rebuilt, report.complete, seconds)
        },
    )?;
    Ok(Exit::Answered)
}

fn built(args: &BuildArgs, rebuilt: &Rebuilt, complete: bool, seconds: f64) -> String {
    let manifest = &rebuilt.built.manifest;
    let mut text = String::new();
    let resources = words::count(rebuilt.counts.resources(), "resource", "resources");
    let (bytes, date) = (words::bytes(rebuilt.bytes()), words::date(&manifest.as_of));
    let _ = writeln!(text, "Built {bytes} of {resources} in {seconds:.1} s, as of {date}.");
    if !complete {
        text += "What was read is incomplete: answers that need what is missing say unknown.\n";
    }
    let store = args.out.display().to_string();
    let _ = writeln!(text, "Live in {store}: dataset {}", manifest.dataset.get(..16).unwrap_or_default());
    let _ = writeln!(text, "Next: coverdex plans --data {}", shell_word(&store));
    text
}
