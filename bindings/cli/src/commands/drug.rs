//! `coverdex drug`.

use std::path::PathBuf;

use coverdex_core::{DrugLine, DrugPage, DrugSearch, Error, ErrorKind, PageToken, Result};

use super::covered::cells;
use crate::args::DrugArgs;
use crate::data::{Datasets, MeantPlan, Opened};
use crate::failure::Exit;
use crate::foot::Foot;
use crate::json::{Document, DrugDocument};
use crate::output::{Look, Output};
use crate::{table, words};

/// What one dataset found, under one plan if one was given.
struct Found<'a> {
    opened: &'a Opened,
    meant: Option<MeantPlan<'a>>,
    page: DrugPage,
}

pub(super) fn run(args: &DrugArgs, data: &[PathBuf], output: Output) -> Result<Exit> {
    let datasets = Datasets::open(data)?;
    let text = args.query.join(" ");
    let mut asked: Vec<(&Opened, Option<MeantPlan<'_>>)> = Vec::new();
    match &args.plan {
        Some(plan) => {
            asked.extend(datasets.resolve_plan(plan)?.into_iter().map(|meant| (meant.opened, Some(meant))));
        }
        None => asked.extend(datasets.all().iter().map(|opened| (opened, None))),
    }
    let mut found: Vec<Found<'_>> = Vec::new();
    let mut refused: Option<Error> = None;
    for (opened, meant) in asked {
        let plan = meant.as_ref().map(|meant| meant.plan.clone());
        let limit = usize::try_from(args.limit).unwrap_or(usize::MAX);
        let page = args.page.clone().map(PageToken::new);
        let search = DrugSearch { text: text.clone(), limit, plan, codes: true, page };
        let mut page = match opened.dataset.search_drugs(&search) {
            // A page is of one dataset and one of the plan's years.
            Err(error) if args.page.is_some() && error.kind() == ErrorKind::InvalidInput => {
                refused = Some(error);
                continue;
            }
            found => found?,
        };
        page.notes.splice(0..0, meant.iter().flat_map(|meant| meant.notes.iter().cloned()));
        found.push(Found { opened, meant, page });
    }
    if let Some(error) = refused.filter(|_| found.is_empty()) {
        return Err(error);
    }
    let nothing = found.iter().all(|found| found.page.lines.is_empty());
    output.answer(
        || {
            let mut pages = found.iter().map(|found| &found.page);
            match pages.next() {
                Some(page) => Document::of(&DrugDocument { page, also: pages.collect() }),
                None => Err(Error::new(ErrorKind::DatasetMissing, "drug", "no dataset to answer from")),
            }
        },
        |look| {
            if nothing {
                return none(&text, found.first().map(|found| found.page.notes.as_slice()).unwrap_or_default());
            }
            let some = found.iter().filter(|found| !found.page.lines.is_empty());
            some.map(|found| render(look, found, datasets.several(), args.limit)).collect::<Vec<_>>().join("\n")
        },
    )?;
    Ok(if nothing { Exit::NotThere } else { Exit::Answered })
}

fn none(text: &str, notes: &[String]) -> String {
    if !notes.is_empty() {
        return format!("Nothing fits {text:?}.\n{}\n", notes.join("\n"));
    }
    format!(
        "Nothing fits {text:?}, not even with a letter wrong.\n\
         Fewer letters find more (`coverdex drug atorva`); codes are NDCs or RxNorm numbers.\n"
    )
}

fn render(look: Look, found: &Found<'_>, several: bool, limit: u32) -> String {
    let mut foot = Foot::default();
    foot.dataset(found.opened, several);
    for note in &found.page.notes {
        foot.note(note.clone());
    }
    let text = match &found.meant {
        Some(meant) => with_plan(look, meant, &found.page.lines, &mut foot),
        None => plain(look, &found.page.lines),
    };
    if let Some(ignored) = words::ignored(&found.page.ignored) {
        foot.note(ignored);
    }
    if found.page.lines.iter().any(|line| line.misspelt) {
        foot.note("Nothing is spelled as typed: these are near it.");
    }
    if found.page.next.is_some() {
        foot.note(format!("{limit} are shown; there are more: --limit {}", (u64::from(limit) * 5).min(10_000)));
    }
    text + &foot.render(look)
}

fn plain(look: Look, lines: &[DrugLine]) -> String {
    let mut list = table::list(look, &["Drug", "Strength", "Form", "Packages", "Products", "RxNorm"]);
    for line in lines {
        list.add_row([
            table::text(named(line)),
            table::text(line.strength.as_deref().unwrap_or("not stated")),
            table::text(line.form.as_deref().unwrap_or("not stated")),
            table::number(words::thousands(u64::from(line.packages))),
            table::text(words::first_of(&line.product_ndcs)),
            table::text(words::first_of(&line.rxcui.iter().map(ToString::to_string).collect::<Vec<_>>())),
        ]);
    }
    table::render(&list)
}

fn with_plan(look: Look, meant: &MeantPlan<'_>, lines: &[DrugLine], foot: &mut Foot) -> String {
    let mut grid = table::grid(look, &["Drug", "Status", "Tier", "PA", "ST", "QL"]);
    foot.plan(meant);
    for line in lines {
        let Some(coverage) = &line.coverage else { continue };
        foot.coverage(&meant.plan, coverage);
        let parts = [Some(named(line)), line.strength.clone(), line.form.clone()];
        let drug = parts.into_iter().flatten().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" ");
        let [status, tier, flags @ ..] = cells(coverage, &[]);
        grid.add_row([table::text(drug), status, tier].into_iter().chain(flags));
    }
    table::narrow(look, &mut grid, 3..6);
    super::covered::heading(look, &meant.plan) + &table::render(&grid)
}

/// The name, with the brand or ingredient where the payer states one that the name does not say.
fn named(line: &DrugLine) -> String {
    let name = if line.name.is_empty() { "(no name)" } else { &line.name };
    let says = |other: &str| line.name.to_lowercase().contains(&other.to_lowercase());
    let others: Vec<&str> = [&line.brand, &line.ingredient].into_iter().flatten().map(String::as_str).collect();
    let others: Vec<&str> = others.into_iter().filter(|other| !says(other)).collect();
    if others.is_empty() { name.to_owned() } else { format!("{name} ({})", others.join("; ")) }
}
