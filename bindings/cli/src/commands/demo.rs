//! `coverdex demo`: makes a payer, builds it, and answers what a counselor asks.

use std::fmt::Write as _;
use std::path::Path;

use coverdex_core::ids::Audience;
use coverdex_core::words::thousands;
use coverdex_core::{CoverageStatus, Error, Plan, PlanFilter, Result};
use coverdex_sandbox::{FolderOptions, MadePayer, Shape};
use serde::Serialize;

use super::build::{Made, make, shell_word};
use super::covered::{Answer, PlanAnswers, ask, elements, tables};
use crate::args::{BuildArgs, DemoArgs};
use crate::data::{Datasets, MeantPlan};
use crate::failure::Exit;
use crate::json::{CoverageAnswer, Document};
use crate::output::{Look, Output};
use crate::{table, words};

/// Eight drugs as clients say them: unfinished, with and without units, one with a brand's name.
const AS_CLIENTS_SAY: [&str; 8] = [
    "atorvastatin 20 mg",
    "metformin 500 mg",
    "Lisinopril 10mg tablets",
    "eliquis 5 mg",
    "lantus solostar",
    "gabapentin 300",
    "omeprazole dr 20 mg capsule",
    "amlodipine 5",
];

/// The folder in the system's folder for temporary files where the dataset stays.
const FOLDER: &str = "coverdex-demo";

/// `coverdex demo --json`.
#[derive(Debug, Serialize)]
struct DemoDocument {
    store: String,
    resources: u64,
    bytes: u64,
    seconds: f64,
    answers: Vec<CoverageAnswer>,
    next: Vec<String>,
}

pub(super) fn run(args: &DemoArgs, output: Output) -> Result<Exit> {
    let store = args.out.clone().unwrap_or_else(|| std::env::temp_dir().join(FOLDER));
    let made = made_payer(&store, output)?;
    let datasets = Datasets::open(std::slice::from_ref(&store))?;
    let (plans, unanswerable, others) = individual_plans(&datasets)?;
    let drugs = AS_CLIENTS_SAY.map(str::to_owned);
    let answered = ask(&datasets, plans, &drugs)?;
    let next = next_commands(&store, &answered);
    output.answer(
        || {
            Document::of(&DemoDocument {
                store: store.display().to_string(),
                resources: made.counts.resources(),
                bytes: made.bytes(),
                seconds: made.seconds,
                answers: elements(&answered),
                next: next.clone(),
            })
        },
        |look| render(look, &made, &answered, &not_shown(&unanswerable, others), &next),
    )?;
    Ok(Exit::Answered)
}

/// Writes the payer to a temporary folder, and builds it.
fn made_payer(store: &Path, output: Output) -> Result<Made> {
    let shape = Shape::demo();
    let payer = format!("{} (made up)", shape.payer);
    let folder = tempfile::tempdir().map_err(|e| Error::io(std::env::temp_dir(), &e))?;
    MadePayer::new(shape).write_folder(folder.path(), &FolderOptions::default())?;
    let build = BuildArgs {
        from: folder.path().to_owned(),
        out: store.to_owned(),
        as_of: None,
        payer: Some(payer),
        threads: None,
    };
    make(&build, output)
}

/// The plans of the data's year that anyone eligible can choose, with a drug list and without, and
/// how many others there are.
fn individual_plans(datasets: &Datasets) -> Result<(Vec<MeantPlan<'_>>, Vec<Plan>, usize)> {
    let (mut plans, mut unanswerable, mut others) = (Vec::new(), Vec::new(), 0);
    for opened in datasets.all() {
        let year = opened.dataset.as_of().split('-').next().and_then(|year| year.parse().ok());
        let filter = PlanFilter { audience: Some(Audience::Individual), year, ..PlanFilter::default() };
        let individual = opened.dataset.plans(&filter)?;
        others += opened.dataset.all_plans()?.len() - individual.len();
        let (with, without): (Vec<Plan>, Vec<Plan>) = individual.into_iter().partition(|plan| plan.drugs.has_entries());
        plans.extend(with.into_iter().map(|plan| MeantPlan { opened, plan, notes: Vec::new() }));
        unanswerable.extend(without);
    }
    Ok((plans, unanswerable, others))
}

/// The plans that the table leaves out, and why.
fn not_shown(unanswerable: &[Plan], others: usize) -> String {
    let mut text = String::new();
    if !unanswerable.is_empty() {
        let plans: Vec<String> =
            unanswerable.iter().map(|plan| format!("{} ({})", plan.id, words::drug_list(plan))).collect();
        let _ = write!(text, "Without a drug list, so unknown: {}. ", plans.join(", "));
    }
    text + &format!("Not shown: {others} plans of other kinds (employer groups, special needs, Medicaid) or years.")
}

/// What to type next: commands that answer from this dataset.
fn next_commands(store: &Path, answered: &[PlanAnswers<'_>]) -> Vec<String> {
    let program = std::env::args().next().unwrap_or_else(|| "coverdex".to_owned());
    let (program, data) = (shell_word(&program), shell_word(&store.display().to_string()));
    let listed = |plan: &&PlanAnswers<'_>| plan.answers.iter().any(|answer| answer.coverage.listed > 0);
    let plan = answered.iter().find(listed).map(|plan| plan.meant.plan.id.to_string()).unwrap_or_default();
    let mut packages = answered.iter().flat_map(|plan| &plan.answers).flat_map(|answer| &answer.packages);
    let ndc = packages.find_map(|package| package.ndc11).map(|ndc| ndc.to_string()).unwrap_or_default();
    [
        "plans --audience individual".to_owned(),
        format!("drug atorva --plan {plan}"),
        format!("covered \"metformin 500 mg\" {ndc} --plan {plan} --packages"),
        format!("covered \"metformin 500 mg\" --plan {plan} --json"),
        "info --sizes".to_owned(),
    ]
    .map(|command| format!("{program} {command} --data {data}"))
    .into()
}

fn render(look: Look, made: &Made, answered: &[PlanAnswers<'_>], not_shown: &str, next: &[String]) -> String {
    let mut text = table::wrap(
        look,
        &format!(
            "{}: a payer that is made up, of drugs that are real. {} resources, read and built into {} in {:.1} s.",
            made.dataset.source(),
            thousands(made.counts.resources()),
            words::bytes(made.bytes()),
            made.seconds
        ),
        "",
    );
    text += "\nEight drugs as a client says them, under the plans that anyone eligible can choose\n";
    text += &tables::render(look, answered, false, false);
    text += &table::wrap(look, not_shown, "  ");
    if let Some(explained) = explain_not_listed(look, answered) {
        text += "\n";
        text += &explained;
    }
    text += "\nAsk it yourself, without any network:\n";
    for command in next {
        let _ = writeln!(text, "  {command}");
    }
    text
}

/// What "not listed" rests on, at the first example.
fn explain_not_listed(look: Look, answered: &[PlanAnswers<'_>]) -> Option<String> {
    let plain =
        |answer: &&Answer| answer.coverage.status == CoverageStatus::NotListed && answer.coverage.reason.is_none();
    let (plan, answer) =
        answered.iter().find_map(|plan| plan.answers.iter().find(plain).map(|answer| (&plan.meant.plan, answer)))?;
    let (drug, coverage) = (&answer.drug, &answer.coverage);
    let packages = words::count(coverage.not_on_this_list.into(), "package", "packages");
    let sentence = format!(
        "Why {:?} is \"not listed\" in {}: it was read as {}. The payer's data know {packages} of it, and the plan's drug \
         list names none of them. That list is {}: it was received as the payer serves it, so this is an answer, and not \
         \"unknown\".",
        drug.query(),
        plan.id,
        drug.title().unwrap_or_default(),
        words::drug_list(plan),
    );
    Some(table::wrap(look, &words::shown(&sentence), ""))
}
