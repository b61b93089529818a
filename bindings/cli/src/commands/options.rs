//! `coverdex options`: what has the same ingredients, inside one plan.

use std::path::PathBuf;

use coverdex_core::{Comparison, Coverage, DrugOption, DrugOptions, OptionsQuestion, PageToken, Result};

use super::covered::{drug_words, heading, plan_words, questions_back};
use crate::args::OptionsArgs;
use crate::data::{Datasets, MeantPlan};
use crate::failure::Exit;
use crate::foot::Foot;
use crate::json::Document;
use crate::output::{Look, Output};
use crate::{table, words};

pub(super) fn run(args: &OptionsArgs, data: &[PathBuf], output: Output) -> Result<Exit> {
    let datasets = Datasets::open(data)?;
    let mut question = OptionsQuestion::new(args.plan.clone(), args.drug.join(" "));
    question.place = args.place.place();
    question.not_listed = args.not_listed;
    question.limit = args.limit as usize;
    question.page = args.page.clone().map(PageToken::new);
    let plans = datasets.resolve_plan_at(&args.plan, question.place.as_ref())?;
    let answers = match plans.first() {
        Some(meant) => meant.opened.dataset.same_ingredient(&question)?,
        None => Vec::new(),
    };
    output.answer(|| Document::of(&answers), |look| render(look, &plans, &answers, datasets.several()))?;
    Ok(Exit::Answered)
}

fn render(look: Look, plans: &[MeantPlan<'_>], answers: &[DrugOptions], several: bool) -> String {
    let mut text = String::new();
    let mut foot = Foot::default();
    for answer in answers {
        let Some(meant) = plans.iter().find(|meant| meant.plan.id == answer.plan) else { continue };
        if !text.is_empty() {
            text.push('\n');
        }
        text += &heading(look, &meant.plan);
        text += &table_of(look, answer);
        foot.dataset(meant.opened, several);
        foot.plan(meant);
        foot.coverage(&meant.plan, &answer.coverage);
        for coverage in answer.options.iter().filter_map(|option| option.line.coverage.as_ref()) {
            foot.coverage(&meant.plan, coverage);
        }
        for note in answer.notes.iter().filter(|note| !meant.notes.contains(note)) {
            foot.note(note.clone());
        }
        for line in counted(answer) {
            foot.note(line);
        }
    }
    text += &questions_back(look, answers.iter().map(|answer| &answer.drug));
    if answers.iter().any(|answer| !answer.options.is_empty()) {
        foot.note("Options have the same ingredients; whether one may stand for another is the prescriber's decision.");
    }
    text + &foot.render(look)
}

/// How many there are, and where the others are.
fn counted(answer: &DrugOptions) -> Vec<String> {
    let mut lines = Vec::new();
    if answer.ingredients.is_empty() {
        return lines;
    }
    let mut line = words::count(answer.total.into(), "option", "options");
    if answer.total > 0 {
        let of_all = |count: u32| if count == answer.total { "all".to_owned() } else { words::thousands(count.into()) };
        match (answer.better, answer.not_comparable) {
            (0, unknown) if unknown == answer.total => {
                line.push_str(": nobody can tell how they stand to what was asked for");
            }
            (0, 0) => line.push_str(", none better than what was asked for"),
            (0, unknown) => line.push_str(&format!(
                ", none known to be better than what was asked for; of {} nobody can tell",
                of_all(unknown)
            )),
            (better, 0) => line.push_str(&format!(", {} better than what was asked for", of_all(better))),
            (better, unknown) => line.push_str(&format!(
                ", {} better than what was asked for; of {} nobody can tell",
                of_all(better),
                of_all(unknown)
            )),
        }
    }
    let shown = u32::try_from(answer.options.len()).unwrap_or(u32::MAX);
    if shown < answer.total {
        line.push_str(&format!("; {shown} shown"));
    }
    lines.push(line);
    if let Some(next) = &answer.next {
        lines.push(format!("More: --page {}", next.as_str()));
    }
    let are_shown = answer.options.iter().any(|option| {
        option
            .line
            .coverage
            .as_ref()
            .is_some_and(|coverage| coverage.status == coverdex_core::CoverageStatus::NotListed)
    });
    if answer.not_listed > 0 && !are_shown {
        let drugs = words::count(answer.not_listed.into(), "more drug", "more drugs");
        lines.push(format!("{drugs} of the same ingredients not on this list: --not-listed shows them"));
    }
    lines
}

fn table_of(look: Look, answer: &DrugOptions) -> String {
    let mut grid = table::grid(look, &["Drug", "The plan says", "Beside what was asked for"]);
    grid.add_row([
        table::text(drug_words(&answer.drug)),
        table::status(answer.coverage.status, &plan_words(&answer.coverage, &[])),
        table::text("asked for"),
    ]);
    for option in &answer.options {
        let Some(coverage) = &option.line.coverage else { continue };
        grid.add_row([
            table::text(named(option)),
            table::status(coverage.status, &plan_words(coverage, &[])),
            table::text(beside(option, coverage)),
        ]);
    }
    table::render(&grid)
}

fn named(option: &DrugOption) -> String {
    let line = &option.line;
    let name = if line.name.is_empty() { "(no name)" } else { &line.name };
    let parts = [Some(name), line.strength.as_deref(), line.form.as_deref()];
    let mut lines = vec![parts.into_iter().flatten().collect::<Vec<_>>().join(" ")];
    let said = |other: &str| line.name.to_lowercase().contains(&other.to_lowercase());
    lines.extend(
        line.ingredient.iter().filter(|ingredient| !said(ingredient)).map(|ingredient| format!("({ingredient})")),
    );
    lines.push(format!("product {}", words::first_of(&line.product_ndcs)));
    lines.join("\n")
}

fn beside(option: &DrugOption, _: &Coverage) -> String {
    let standing = match option.comparison {
        Comparison::Better => "better",
        Comparison::Same => "same",
        Comparison::Worse => "worse",
        _ => "not comparable",
    };
    let differs: Vec<&str> = option.differs.iter().map(|difference| difference.as_str()).collect();
    let differs = if differs.is_empty() {
        "the same drug, other packages".to_owned()
    } else {
        format!("another {}", differs.join(", "))
    };
    let release = option.release.iter().map(|release| format!("released: {release}"));
    let mut lines = vec![format!("{standing}: {}", option.why), differs];
    lines.extend(release);
    lines.join("\n")
}

#[cfg(test)]
#[cfg(feature = "sandbox")]
mod tests;
