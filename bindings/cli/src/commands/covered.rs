//! `coverdex covered`: drugs x plans.

pub(super) mod tables;

use std::path::PathBuf;

use coverdex_core::{CoverageAnswer, Drug, MatrixQuestion, Place, Result};

pub(super) use self::tables::{cells, column_title_of, drug_words, heading, plan_words, questions_back};
use crate::args::CoveredArgs;
use crate::data::{Datasets, MeantPlan};
use crate::failure::Exit;
use crate::json::Document;
use crate::output::Output;

/// The answers of one plan, a drug each, in the order asked.
#[derive(Debug)]
pub(super) struct PlanAnswers<'a> {
    pub(super) meant: MeantPlan<'a>,
    pub(super) answers: Vec<CoverageAnswer>,
}

pub(super) fn run(args: &CoveredArgs, data: &[PathBuf], output: Output) -> Result<Exit> {
    let datasets = Datasets::open(data)?;
    let place = args.place.place();
    let (plans, notes) = match &place {
        Some(place) if args.plans.is_empty() => plans_of_place(&datasets, args, place)?,
        place => (named_plans(&datasets, args, place.as_ref())?, Vec::new()),
    };
    let answered = ask(&datasets, plans, &args.drugs)?;
    output.answer(
        || Document::of(&elements(&answered)),
        |look| tables::render(look, &answered, datasets.several(), args.packages, &notes),
    )?;
    Ok(Exit::Answered)
}

/// The plans that are named, each once; the place tells the segment.
fn named_plans<'a>(datasets: &'a Datasets, args: &CoveredArgs, place: Option<&Place>) -> Result<Vec<MeantPlan<'a>>> {
    let mut plans: Vec<MeantPlan<'_>> = Vec::new();
    for text in &args.plans {
        for meant in datasets.resolve_plan_at(text, place)? {
            match plans.iter_mut().find(|other| other.plan.id == meant.plan.id) {
                Some(same) => same.notes.extend(meant.notes),
                None => plans.push(meant),
            }
        }
    }
    Ok(plans)
}

/// The plans that are sold at a place, as core ranks them, and what is to be said of them all.
fn plans_of_place<'a>(
    datasets: &'a Datasets,
    args: &CoveredArgs,
    place: &Place,
) -> Result<(Vec<MeantPlan<'a>>, Vec<String>)> {
    let question = MatrixQuestion {
        drugs: args.drugs.clone(),
        plans: Vec::new(),
        place: Some(place.clone()),
        year: args.year,
        audience: args.audience.map(Into::into),
    };
    let (mut plans, mut notes) = (Vec::new(), Vec::new());
    for opened in datasets.all() {
        let matrix = opened.dataset.coverage_matrix(&question)?;
        notes.extend(tables::notes_of(&matrix));
        plans.extend(matrix.plans.into_iter().map(|column| MeantPlan {
            opened,
            plan: column.plan,
            notes: column.notes,
        }));
    }
    Ok((plans, notes))
}

/// Asks every plan for every drug; a drug is resolved once in each dataset, whatever the plans.
pub(super) fn ask<'a>(
    datasets: &'a Datasets,
    plans: Vec<MeantPlan<'a>>,
    drugs: &[String],
) -> Result<Vec<PlanAnswers<'a>>> {
    let mut answered: Vec<Option<PlanAnswers<'a>>> = plans.iter().map(|_| None).collect();
    for opened in datasets.all() {
        let here = |meant: &&MeantPlan<'_>| std::ptr::eq(meant.opened, opened);
        if !plans.iter().any(|meant| here(&meant)) {
            continue;
        }
        let resolved = drugs.iter().map(|text| opened.dataset.drug_or_problem(text)).collect::<Result<Vec<Drug>>>()?;
        for (meant, slot) in plans.iter().zip(&mut answered).filter(|(meant, _)| here(meant)) {
            let plan = meant.resolved();
            let answers = resolved.iter().map(|drug| opened.dataset.coverage_answer(&plan, drug));
            let answers = answers.collect::<Result<Vec<CoverageAnswer>>>()?;
            *slot = Some(PlanAnswers { meant: meant.clone(), answers });
        }
    }
    Ok(answered.into_iter().flatten().collect())
}

/// One element for each plan and drug.
pub(super) fn elements<'p>(answered: &'p [PlanAnswers<'_>]) -> Vec<&'p CoverageAnswer> {
    answered.iter().flat_map(|plan| &plan.answers).collect()
}

#[cfg(test)]
#[cfg(feature = "sandbox")]
mod tests;
