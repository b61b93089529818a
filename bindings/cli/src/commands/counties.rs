//! `coverdex counties`.

use std::path::PathBuf;

use coverdex_core::{CountiesFound, Error, ErrorKind, Result};

use crate::args::CountiesArgs;
use crate::data::Datasets;
use crate::failure::Exit;
use crate::json::Document;
use crate::output::{Look, Output};
use crate::{table, words};

pub(super) fn run(args: &CountiesArgs, data: &[PathBuf], output: Output) -> Result<Exit> {
    let datasets = Datasets::open(data)?;
    // Every dataset carries the same table.
    let opened =
        datasets.all().first().ok_or_else(|| Error::new(ErrorKind::DatasetMissing, "counties", "no dataset"))?;
    let found = opened.dataset.find_counties(&args.text.join(" "))?;
    output.answer(|| Document::of(&found), |look| render(look, &found))?;
    Ok(Exit::Answered)
}

fn render(look: Look, found: &CountiesFound) -> String {
    let of_zip = found.counties.iter().any(|found| found.share.is_some());
    let mut header = vec!["County", "State", "FIPS"];
    if of_zip {
        header.push("Share of the ZIP's people");
    }
    let mut list = table::list(look, &header);
    for found in &found.counties {
        let mut row = vec![
            table::text(&found.county.name),
            table::text(found.county.state.to_string()),
            table::text(found.county.fips.to_string()),
        ];
        if of_zip {
            row.push(table::text(share(found.share)));
        }
        list.add_row(row);
    }
    let text = table::render(&list);
    match &found.note {
        Some(note) => format!("{text}{}\n", words::shown(note)),
        None => text,
    }
}

/// `52.3 %`; a county's own code that looks like a ZIP has no share.
pub(super) fn share(share: Option<f64>) -> String {
    share.map_or_else(|| "not as a ZIP".to_owned(), |share| format!("{:.1} %", share * 100.0))
}
