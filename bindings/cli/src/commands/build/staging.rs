//! `coverdex build --from` what a sync has read: the dataset again, without the network.

use std::fmt::Write as _;

use coverdex_core::Result;
use coverdex_sync::build::{Store, parse_as_of};
use coverdex_sync::staging::Staging;

use super::summary::{report_tables, shell_word};
use crate::args::BuildArgs;
use crate::commands::sync::{Progress, Rebuilt, Said, reasons, rebuild, type_table};
use crate::failure::Exit;
use crate::json::{Document, RebuiltDocument, Report};
use crate::output::Output;
use crate::words;

pub(super) fn run(args: &BuildArgs, output: Output) -> Result<Exit> {
    let as_of = args.as_of.as_deref().map(parse_as_of).transpose()?;
    let (staging, store) = (Staging::open(&args.from)?, Store::open(&args.out)?);
    let shown = Progress::new(output);
    shown.building();
    let said = Said { payer: args.payer.as_deref(), as_of: as_of.as_deref(), crawl: None };
    let rebuilt = rebuild(&staging, &store, said)?;
    drop(shown);
    let (info, plans) = (rebuilt.dataset.info()?, rebuilt.dataset.all_plans()?);
    output.answer(
        || {
            let manifest = &rebuilt.built.manifest;
            Document::of(&RebuiltDocument {
                store: args.out.display().to_string(),
                staging: args.from.display().to_string(),
                folder: rebuilt.built.folder.display().to_string(),
                dataset: manifest.dataset.clone(),
                as_of: manifest.as_of.clone(),
                source: rebuilt.dataset.source(),
                counts: manifest.counts.clone(),
                bytes: rebuilt.bytes(),
                repeats: rebuilt.built.repeats,
                sync: &rebuilt.report,
                received: &rebuilt.received,
                report: Report::new(&info, plans),
                seconds: rebuilt.seconds,
            })
        },
        |look| {
            let tables = type_table(look, &rebuilt.report, &rebuilt.received) + &reasons(look, &rebuilt.report) + "\n" + &report_tables(look, &info, plans);
            tables + &built(args, &rebuilt)
        },
    )?;
    Ok(Exit::Answered)
}

fn built(args: &BuildArgs, rebuilt: &Rebuilt) -> String {
    let manifest = &rebuilt.built.manifest;
    let mut text = String::new();
    let (bytes, date) = (words::bytes(rebuilt.bytes()), words::date(&manifest.as_of));
    let _ = writeln!(text, "Built {bytes} of what was read in {:.1} s, as of {date}.", rebuilt.seconds);
    if !rebuilt.report.complete {
        text += "What was read is incomplete: answers that need what is missing say unknown.\n";
    }
    let store = args.out.display().to_string();
    let _ = writeln!(text, "Live in {store}: dataset {}", manifest.dataset.get(..16).unwrap_or_default());
    let _ = writeln!(text, "Next: coverdex plans --data {}", shell_word(&store));
    text
}
