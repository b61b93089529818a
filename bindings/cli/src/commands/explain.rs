//! `coverdex explain`: each condition of an answer, and which decided.

mod provider;

use std::path::PathBuf;

use coverdex_core::{Cancel, Condition, CoverageExplanation, Result, SourceResource};
use coverdex_sync::sources_of::{DrugSought, sources_of_drug};

use super::covered::{heading, questions_back};
use crate::args::{ExplainArgs, ExplainDrugArgs};
use crate::data::{Datasets, MeantPlan};
use crate::failure::Exit;
use crate::foot::Foot;
use crate::json::Document;
use crate::output::{Look, Output};
use crate::{table, words};

pub(super) fn run(args: &ExplainArgs, data: &[PathBuf], output: Output) -> Result<Exit> {
    match args {
        ExplainArgs::Drug(args) => drug(args, data, output),
        ExplainArgs::Provider(args) => provider::run(args, data, output),
    }
}

fn drug(args: &ExplainDrugArgs, data: &[PathBuf], output: Output) -> Result<Exit> {
    let datasets = Datasets::open(data)?;
    let plans = datasets.resolve_plan_at(&args.plan, args.place.place().as_ref())?;
    let text = args.drug.join(" ");
    let mut explained = Vec::with_capacity(plans.len());
    for meant in &plans {
        let dataset = &meant.opened.dataset;
        let mut explanation = dataset.coverage_explanation(&meant.resolved(), &dataset.drug_or_problem(&text)?)?;
        if let Some(from) = &args.sources.from {
            let codes = &explanation.codes;
            let sought = DrugSought {
                packages: codes.ndc11.clone(),
                products: codes.products.clone(),
                rxcuis: codes.rxcui.clone(),
                plan: Some(meant.plan.id.clone()),
            };
            explanation.sources = Some(sources_of_drug(from, &sought, &Cancel::new())?);
        }
        explained.push(explanation);
    }
    output.answer(|| Document::of(&explained), |look| render(look, &plans, &explained, datasets.several()))?;
    Ok(Exit::Answered)
}

fn render(look: Look, plans: &[MeantPlan<'_>], explained: &[CoverageExplanation], several: bool) -> String {
    let mut text = String::new();
    let mut foot = Foot::default();
    for (meant, explanation) in plans.iter().zip(explained) {
        if !text.is_empty() {
            text.push('\n');
        }
        let answer = &explanation.answer;
        text += &heading(look, &meant.plan);
        let said = format!("{}: {}", answer.drug.query.trim(), answer.coverage.sentence(&answer.packages));
        text += &table::wrap(look, &words::shown(&said), "  ");
        text += &conditions(look, &explanation.conditions);
        match &explanation.sources {
            Some(sources) => text += &resources(look, sources),
            None => foot.note("--from FOLDER names the payer's resources that say so"),
        }
        foot.dataset(meant.opened, several);
        foot.plan(meant);
        foot.coverage(&meant.plan, &answer.coverage);
    }
    text += &questions_back(look, explained.iter().map(|explanation| &explanation.answer.drug));
    text + &foot.render(look)
}

/// One row a condition, the one that decided marked.
pub(super) fn conditions(look: Look, conditions: &[Condition]) -> String {
    let mut grid = table::grid(look, &["Condition", "Holds", "What the data says"]);
    for condition in conditions {
        let mut holds = match condition.holds {
            Some(true) => "yes",
            Some(false) => "no",
            None => "–",
        }
        .to_owned();
        if condition.decided {
            holds.push_str("\ndecided");
        }
        let mut lines = vec![condition.says.clone()];
        lines.extend(condition.details.iter().map(|detail| format!("- {detail}")));
        grid.add_row([
            table::text(&condition.question),
            table::decided(&holds, condition.decided),
            table::text(lines.join("\n")),
        ]);
    }
    table::at_most(&mut grid, 0, 26);
    table::render(&grid)
}

/// The payer's resources.
pub(super) fn resources(look: Look, sources: &[SourceResource]) -> String {
    if sources.is_empty() {
        return "No resource there says anything of it.\n".to_owned();
    }
    // Ids are long and must be copied whole: a line each.
    let mut text = "The payer's resources that say so:\n".to_owned();
    for source in sources {
        let updated = source.updated.as_deref().map_or_else(String::new, |at| format!(", {}", words::date(at)));
        text += &format!("{}{updated}\n", source.resource_type);
        text += &format!("  {}\n", words::shown(source.id.as_deref().unwrap_or("(no id)")));
        text += &table::wrap(look, &words::shown(&format!("  {}", source.says)), "  ");
    }
    text
}

#[cfg(test)]
#[cfg(feature = "sandbox")]
mod tests;
