//! Coverage as tables: one plan with a column for each thing said, several plans side by side where
//! they fit.

use comfy_table::Cell;
use coverdex_core::{
    AskedDrug, Candidate, Coverage, CoverageAnswer, CoverageMatrix, CoverageStatus, PackageCoverage, Plan, Restriction,
    Statement,
};

use super::PlanAnswers;
use crate::foot::Foot;
use crate::output::Look;
use crate::{table, words};

/// Columns that a plan needs beside others, with everything that it says.
const PLAN_WIDTH: u16 = 24;

/// Columns that a plan needs where only the gist is shown.
const GIST_WIDTH: u16 = 15;

/// Columns that the drugs need.
const DRUG_WIDTH: u16 = 24;

/// From so many plans on a table for each would be too much to read.
const MANY_PLANS: usize = 4;

/// What stands where nothing can be said.
const NOTHING: &str = "–";

pub(in crate::commands) fn render(
    look: Look,
    answered: &[PlanAnswers<'_>],
    several_datasets: bool,
    packages: bool,
    notes: &[String],
) -> String {
    let mut foot = Foot::default();
    for plan in answered {
        foot.dataset(plan.meant.opened, several_datasets);
        foot.plan(&plan.meant);
        for answer in &plan.answers {
            foot.coverage(&plan.meant.plan, &answer.coverage);
        }
    }
    for note in notes {
        foot.note(note.clone());
    }
    let room = |each: u16| usize::from(look.width.saturating_sub(DRUG_WIDTH) / each);
    let mut text = if answered.len() > 1 && answered.len() <= room(PLAN_WIDTH) {
        side_by_side(look, answered, plan_cell)
    } else if answered.len() >= MANY_PLANS {
        foot.note(format!("{} One plan alone is shown in full.", words::GIST_LEGEND));
        // Groups of one size, so that no plan stands alone at the end.
        let groups = answered.len().div_ceil(room(GIST_WIDTH).max(1));
        let groups = answered.chunks(answered.len().div_ceil(groups));
        groups.map(|group| side_by_side(look, group, gist_cell)).collect::<Vec<_>>().join("\n")
    } else {
        answered.iter().map(|plan| one_plan(look, plan)).collect::<Vec<_>>().join("\n")
    };
    let drugs = answered.iter().flat_map(|plan| &plan.answers).map(|answer| &answer.drug);
    text += &questions_back(look, drugs);
    if packages {
        text += &answered.iter().map(|plan| package_tables(look, plan)).collect::<String>();
    }
    text + &foot.render(look)
}

/// What is to be said of a place's plans: which they are, and which are not among them.
pub(super) fn notes_of(matrix: &CoverageMatrix) -> Vec<String> {
    let mut notes = matrix.notes.clone();
    let counties: Vec<String> = matrix.place.iter().map(|found| found.county.label()).collect();
    let year = matrix.year.map_or_else(String::new, |year| format!(" in {year}"));
    let plans = words::count(matrix.plans.len() as u64, "plan", "plans");
    notes.push(format!("{plans} sold in {}{year}, best first: {}", counties.join(" or "), CoverageMatrix::RANKED_BY));
    notes.extend(words::not_asked(matrix.other_audiences, &matrix.area_unknown));
    notes
}

/// The plan above its table: `H1234-567-000-2026 Gold Plus (HMO): MA-PD, individual, 2026`.
pub(in crate::commands) fn heading(look: Look, plan: &Plan) -> String {
    let mut parts = plan.types.clone();
    parts.push(match words::audience(plan.audience) {
        "not stated" => "audience not stated".to_owned(),
        audience => audience.to_owned(),
    });
    parts.extend(plan.year.map(|year| year.to_string()));
    let name = plan.name.as_deref().unwrap_or("(no name)");
    table::wrap(look, &words::shown(&format!("{} {name}: {}", plan.id, parts.join(", "))), "  ")
}

fn one_plan(look: Look, plan: &PlanAnswers<'_>) -> String {
    let mut grid = table::grid(look, &["Drug", "Status", "Tier", "PA", "ST", "QL"]);
    for answer in &plan.answers {
        let drug = table::text(drug_words(&answer.drug));
        grid.add_row(std::iter::once(drug).chain(cells(&answer.coverage, &answer.packages)));
    }
    table::narrow(look, &mut grid, 3..6);
    heading(look, &plan.meant.plan) + &table::render(&grid)
}

fn side_by_side(look: Look, answered: &[PlanAnswers<'_>], cell: impl Fn(&CoverageAnswer) -> Cell) -> String {
    let titles: Vec<String> = answered.iter().map(|plan| column_title_of(&plan.meant.plan)).collect();
    let header: Vec<&str> = std::iter::once("Drug").chain(titles.iter().map(String::as_str)).collect();
    let mut grid = table::grid(look, &header);
    let drugs = answered.first().map(|plan| plan.answers.as_slice()).unwrap_or_default();
    for at in 0..drugs.len() {
        let row: Vec<&CoverageAnswer> = answered.iter().filter_map(|plan| plan.answers.get(at)).collect();
        let Some(first) = row.first() else { continue };
        // What a text was read as is known from any plan that lists a package of it.
        let named = row.iter().find(|answer| answer.drug.read_as.is_some()).unwrap_or(first);
        let drug = table::text(drug_words(&named.drug));
        grid.add_row(std::iter::once(drug).chain(row.iter().map(|answer| cell(answer))));
    }
    table::render(&grid)
}

/// Id and name; the id is cut where it may be: `H1234-567` over `000-2026`.
pub(in crate::commands) fn column_title_of(plan: &Plan) -> String {
    let id = plan.id.to_string();
    let parts: Vec<&str> = id.split('-').collect();
    let id = match parts.as_slice() {
        [contract, pbp, rest @ ..] if !rest.is_empty() => format!("{contract}-{pbp}\n{}", rest.join("-")),
        _ => id,
    };
    words::shown(&format!("{id}\n{}", plan.name.as_deref().unwrap_or("(no name)")))
}

fn gist_cell(answer: &CoverageAnswer) -> Cell {
    table::status(answer.coverage.status, &answer.coverage.gist())
}

/// Everything that one plan says of a drug, in one cell.
fn plan_cell(answer: &CoverageAnswer) -> Cell {
    table::status(answer.coverage.status, &plan_words(&answer.coverage, &answer.packages))
}

/// Everything that one plan says of a drug, a line each.
pub(in crate::commands) fn plan_words(coverage: &Coverage, packages: &[PackageCoverage]) -> String {
    let mut lines = vec![coverage.to_string()];
    if coverage.listed > 0 && coverage.status != CoverageStatus::Conflict {
        lines.push(format!("tier {}", tier_words(coverage)));
        let [pa, st, ql] = flag_words(coverage);
        lines.push(format!("PA {pa}, ST {st}, QL {ql}"));
    }
    lines.extend(further_words(coverage, packages));
    lines.join("\n")
}

/// What was asked and what it was read as.
pub(in crate::commands) fn drug_words(drug: &AskedDrug) -> String {
    let query = drug.query.trim();
    if let Some(problem) = &drug.problem {
        return problem.clone();
    }
    let mut lines = vec![query.to_owned()];
    let read_as = drug.read_as.iter().filter(|title| !title.eq_ignore_ascii_case(query));
    lines.extend(read_as.map(|title| format!("read as {title}")));
    lines.extend(words::ignored(&drug.ignored));
    lines.extend(drug.notes.iter().cloned());
    lines.join("\n")
}

/// Status, tier, and the three restrictions.
pub(in crate::commands) fn cells(coverage: &Coverage, packages: &[PackageCoverage]) -> [Cell; 5] {
    let status = table::status(coverage.status, &status_words(coverage, packages));
    let [pa, st, ql] = flag_words(coverage).map(table::flag);
    [status, table::text(tier_words(coverage)), pa, st, ql]
}

fn status_words(coverage: &Coverage, packages: &[PackageCoverage]) -> String {
    let lines = std::iter::once(coverage.to_string()).chain(further_words(coverage, packages));
    lines.collect::<Vec<_>>().join("\n")
}

/// How the packages differ, what contradicts, and how many the plan does not list.
fn further_words(coverage: &Coverage, packages: &[PackageCoverage]) -> Vec<String> {
    let mut lines = Vec::new();
    if let Some(varies) = &coverage.varies {
        lines.push(format!("varies: {}", varies.sentence(packages)));
    }
    if coverage.status == CoverageStatus::Conflict
        && let Some(package) = packages.iter().find(|package| !package.conflict.is_empty())
    {
        lines.extend(package.conflict.iter().map(|says| format!("says: {}", statement_words(says))));
    }
    // Where it is not stated, the caveat below says so.
    if let Some(stated) = coverage.statement.mail_order {
        lines.push(format!("mail order: {}", words::flag(Some(stated))));
    }
    if coverage.not_on_this_list > 0 && coverage.listed > 0 {
        lines.push(format!("+{} not on this list", words::thousands(coverage.not_on_this_list.into())));
    }
    lines
}

fn statement_words(says: &Statement) -> String {
    let tier = says.tier.as_ref().map_or_else(|| "not stated".to_owned(), ToString::to_string);
    let [pa, st, ql] = [says.prior_authorization, says.step_therapy, says.quantity_limit].map(words::flag);
    format!("tier {tier}, PA {pa}, ST {st}, QL {ql}")
}

fn tier_words(coverage: &Coverage) -> String {
    let several = coverage.varies.as_ref().is_some_and(|varies| varies.tiers.len() > 1);
    match &coverage.statement.tier {
        Some(tier) => tier.to_string(),
        None if several => "varies".to_owned(),
        None if coverage.listed > 0 && coverage.status != CoverageStatus::Conflict => "not stated".to_owned(),
        None => NOTHING.to_owned(),
    }
}

fn flag_words(coverage: &Coverage) -> [&'static str; 3] {
    coverage.restrictions.map_or([NOTHING; 3], |own| {
        [own.prior_authorization, own.step_therapy, own.quantity_limit].map(Restriction::as_str)
    })
}

/// What may have been meant by texts that fit several drugs, or none; once for each text.
pub(in crate::commands) fn questions_back<'d>(look: Look, drugs: impl Iterator<Item = &'d AskedDrug>) -> String {
    let mut text = String::new();
    let mut asked: Vec<&str> = Vec::new();
    for drug in drugs {
        let mut candidates = drug.candidates.iter().peekable();
        if candidates.peek().is_none() || asked.contains(&drug.query.as_str()) {
            continue;
        }
        asked.push(drug.query.as_str());
        text += &table::wrap(look, &format!("{:?}: did you mean", drug.query.trim()), "  ");
        for candidate in candidates {
            text += &table::wrap(look, &words::shown(&format!("  - {}", candidate_words(candidate))), "    ");
        }
    }
    text
}

fn candidate_words(candidate: &Candidate) -> String {
    let mut parts: Vec<String> = candidate.differs.iter().cloned().collect();
    if !candidate.product_ndcs.is_empty() {
        parts.push(format!("product {}", words::first_of(&candidate.product_ndcs)));
    }
    if parts.is_empty() { candidate.name.clone() } else { format!("{} ({})", candidate.name, parts.join("; ")) }
}

fn package_tables(look: Look, plan: &PlanAnswers<'_>) -> String {
    let mut text = String::new();
    for answer in plan.answers.iter().filter(|answer| !answer.packages.is_empty()) {
        let mut list = table::list(look, &["NDC", "Package", "Status", "Tier", "PA", "ST", "QL"]);
        for package in &answer.packages {
            let says = &package.statement;
            let flags = [says.prior_authorization, says.step_therapy, says.quantity_limit];
            let tier = says.tier.as_ref().map_or_else(|| NOTHING.to_owned(), ToString::to_string);
            let ndc = package.ndc11.map_or_else(
                || {
                    format!(
                        "none; RxNorm {}",
                        words::first_of(&package.rxcui.iter().map(ToString::to_string).collect::<Vec<_>>())
                    )
                },
                |ndc| ndc.to_string(),
            );
            let status = package.reason.map_or_else(
                || package.status.as_str().replace('_', " "),
                |reason| format!("{}: {}", package.status.as_str(), reason.as_str()).replace('_', " "),
            );
            list.add_row([
                table::text(ndc),
                table::text(&package.name),
                table::status(package.status, &status),
                table::text(tier),
                table::flag(words::flag(flags[0])),
                table::flag(words::flag(flags[1])),
                table::flag(words::flag(flags[2])),
            ]);
        }
        let title = format!("Packages of {:?} in {}", answer.drug.query.trim(), plan.meant.plan.id);
        text += "\n";
        text += &table::wrap(look, &words::shown(&title), "  ");
        table::narrow(look, &mut list, 4..7);
        text += &table::render(&list);
    }
    text
}
