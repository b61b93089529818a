//! The drug lines of the product's speed table.

use std::time::Instant;

use coverdex_core::{
    Coverage, CoverageStatus, Dataset, Drug, DrugSearch, Error, OptionsQuestion, Plan, Resolution, ResolvedPlan, Result,
};

use crate::measure::{Draw, figure, print, private_memory_mb};

/// Names that are typed, letter by letter.
const TYPED: [&str; 24] = [
    "atorvastatin",
    "lisinopril 20",
    "metformin 500 mg",
    "gabapentin",
    "amlodipine",
    "losartan",
    "omeprazole",
    "levothyroxine 50 mcg",
    "sertraline",
    "montelukast",
    "escitalopram 10",
    "bupropion xl 150",
    "furosemide",
    "pantoprazole 40 mg",
    "trazodone",
    "tamsulosin",
    "carvedilol 6.25",
    "clonazepam",
    "meloxicam 7.5",
    "rosuvastatin",
    "citalopram",
    "prednisone",
    "duloxetine",
    "ibuprofen 800",
];

/// Each beginning of them.
pub(crate) fn typed() -> Vec<&'static str> {
    TYPED.iter().flat_map(|name| (2..=name.len()).filter_map(|end| name.get(..end))).collect()
}

/// Plans that have a formulary.
pub(crate) fn listed_plans(dataset: &Dataset) -> Result<Vec<Plan>> {
    Ok(dataset.all_plans()?.iter().filter(|plan| plan.expected > 0).cloned().collect())
}

/// Runs them all.
pub(crate) fn run(dataset: &Dataset, calls: usize) -> Result<()> {
    let plans = listed_plans(dataset)?;
    let plan = plans.first().ok_or_else(|| Error::invalid("bench", "no plan has a formulary"))?;
    let catalogue = Catalogue::of(dataset, plan)?;
    print(&format!(
        "asking {} plans; {} package codes, {} RxNorm codes drawn from names that the first plan lists",
        plans.len(),
        catalogue.packages.len(),
        catalogue.rxnorm.len()
    ));
    opening(dataset)?;
    let mut draw = Draw::new(1);
    let mut listed = 0_usize;
    figure("coverage, plan resolved, by NDC: status, tier, flags", "p50 <= 1", calls, |_| {
        let (Some(plan), Some(code)) = (draw.one(&plans), draw.one(&catalogue.packages)) else { return Ok(0) };
        let answer = dataset.coverage(plan, &dataset.drug(code)?)?;
        listed += usize::from(is_listed(&answer));
        Ok::<usize, Error>(usize::from(answer.seen_anywhere))
    })?;
    must_find("packages that a plan lists", listed)?;
    figure("coverage by NDC with names and all fields", "<= 10", calls, |_| {
        let (Some(plan), Some(code)) = (draw.one(&plans), draw.one(&catalogue.packages)) else { return Ok(0) };
        Ok::<usize, Error>(dataset.package_coverage(plan, &dataset.drug(code)?)?.len())
    })?;
    let mut packages = 0;
    figure("coverage by RxNorm code", "<= 5 + 0.2/package", calls, |_| {
        let (Some(plan), Some(code)) = (draw.one(&plans), draw.one(&catalogue.rxnorm)) else { return Ok(0) };
        let answer = dataset.coverage(plan, &dataset.drug(code)?)?;
        packages += answer.listed + answer.not_on_this_list;
        Ok::<usize, Error>(usize::from(answer.seen_anywhere))
    })?;
    let asked = u32::try_from(calls + calls / 10).unwrap_or(u32::MAX).max(1);
    print(&format!("   ({:.1} packages a code)", f64::from(packages) / f64::from(asked)));
    let columns: Vec<Plan> = plans.iter().cycle().take(50).cloned().collect();
    figure("matrix of 10 drugs x 50 plans, by code", "<= 500", calls.div_ceil(100), |_| {
        let codes = (0..10).filter_map(|_| draw.one(&catalogue.packages));
        let drugs = codes.map(|code| dataset.drug(code)).collect::<Result<Vec<Drug>>>()?;
        let mut seen = 0;
        for drug in &drugs {
            for plan in &columns {
                seen += usize::from(dataset.coverage(plan, drug)?.seen_anywhere);
            }
        }
        Ok::<usize, Error>(seen)
    })?;
    options(dataset, &plans, &catalogue, calls.div_ceil(40))?;
    search(dataset, plan, calls / 4)?;
    print(&format!("private memory now: {:.1} MB (must <= 15)", private_memory_mb()));
    Ok(())
}

/// What has the same ingredients, and why an answer is what it is.
fn options(dataset: &Dataset, plans: &[Plan], catalogue: &Catalogue, calls: usize) -> Result<()> {
    let mut draw = Draw::new(3);
    let mut found = 0;
    figure("same ingredients inside a plan, 20 options with all fields", "no limit set", calls, |_| {
        let (Some(plan), Some(code)) = (draw.one(plans), draw.one(&catalogue.packages)) else { return Ok(0) };
        let answers = dataset.same_ingredient(&OptionsQuestion::new(plan.id.to_string(), code.clone()))?;
        found += answers.iter().map(|answer| answer.options.len()).sum::<usize>();
        Ok::<usize, Error>(answers.len())
    })?;
    must_find("options", found)?;
    figure("explanation of an answer", "no limit set", calls, |_| {
        let (Some(plan), Some(code)) = (draw.one(plans), draw.one(&catalogue.packages)) else { return Ok(0) };
        let plan = ResolvedPlan::new(plan.clone(), Vec::new());
        Ok::<usize, Error>(dataset.coverage_explanation(&plan, &dataset.drug(code)?)?.conditions.len())
    })
}

fn search(dataset: &Dataset, plan: &Plan, calls: usize) -> Result<()> {
    let typed = typed();
    let mut draw = Draw::new(2);
    for (what, plan) in
        [("drug search while typing, 10 results", None), ("the same with tier and restrictions of a plan", Some(plan))]
    {
        figure(what, "p50 <= 80, p99 <= 800", calls, |_| {
            let Some(text) = draw.one(&typed) else { return Ok(0) };
            let search = DrugSearch {
                text: (*text).to_owned(),
                limit: 10,
                plan: plan.cloned(),
                codes: false,
                ..DrugSearch::default()
            };
            Ok::<usize, Error>(dataset.search_drugs(&search)?.lines.len())
        })?;
    }
    figure("drug search, one letter wrong", "p50 <= 80, p99 <= 800", calls, |_| {
        let Some(name) = draw.one(&TYPED) else { return Ok(0) };
        let (first, rest) = name.split_at_checked(3).unwrap_or((name, ""));
        let text = format!("{first}q{}", rest.get(1..).unwrap_or_default());
        Ok::<usize, Error>(
            dataset
                .search_drugs(&DrugSearch { text, limit: 10, plan: None, codes: false, ..DrugSearch::default() })?
                .lines
                .len(),
        )
    })?;
    Ok(())
}

/// Opens the dataset anew and asks one question.
fn opening(dataset: &Dataset) -> Result<()> {
    let folder = dataset.folder().to_owned();
    let begun = Instant::now();
    let opened = Dataset::open(&folder)?;
    let open = begun.elapsed();
    let first = opened.search_drugs(&DrugSearch {
        text: "ator".to_owned(),
        limit: 10,
        plan: None,
        codes: false,
        ..DrugSearch::default()
    })?;
    print(&format!(
        "open {:.2} ms, to first answer {:.2} ms (must <= 10), {} results",
        open.as_secs_f64() * 1e3,
        begun.elapsed().as_secs_f64() * 1e3,
        first.lines.len()
    ));
    Ok(())
}

fn must_find(what: &str, found: usize) -> Result<()> {
    if found == 0 { Err(Error::invalid("bench", format!("no {what}: nothing was measured"))) } else { Ok(()) }
}

fn is_listed(answer: &Coverage) -> bool {
    matches!(answer.status, CoverageStatus::Covered | CoverageStatus::NotCovered | CoverageStatus::Conflict)
}

/// Codes to ask for: those of what is found while typing common names.
pub(crate) struct Catalogue {
    pub(crate) packages: Vec<String>,
    rxnorm: Vec<String>,
}

impl Catalogue {
    pub(crate) fn of(dataset: &Dataset, plan: &Plan) -> Result<Self> {
        let mut catalogue = Self { packages: Vec::new(), rxnorm: Vec::new() };
        for letter in 'a'..='z' {
            let text = letter.to_string();
            let search =
                DrugSearch { text, limit: 200, plan: Some(plan.clone()), codes: true, ..DrugSearch::default() };
            for line in dataset.search_drugs(&search)?.lines {
                catalogue.packages.extend(line.ndc11.iter().map(ToString::to_string));
                catalogue.rxnorm.extend(line.rxcui.iter().map(ToString::to_string));
            }
        }
        catalogue.rxnorm.sort_unstable();
        catalogue.rxnorm.dedup();
        let single = |code: &String| dataset.drug(code).is_ok_and(|drug| drug.resolution() == Resolution::Found);
        catalogue.rxnorm.retain(single);
        must_find("package codes", catalogue.packages.len())?;
        must_find("RxNorm codes", catalogue.rxnorm.len())?;
        Ok(catalogue)
    }
}
