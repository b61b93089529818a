//! A comparison on one page: the plans by rank, then each drug and provider under them.

use comfy_table::Cell;
use coverdex_core::{AskedProvider, ComparedPlan, NetworkStatus, PlanComparison, Standing};

use crate::commands::covered::{column_title_of, drug_words, questions_back};
use crate::data::Opened;
use crate::foot::Foot;
use crate::output::Look;
use crate::{table, words};

/// Columns that a plan needs where only the gist is shown.
const PLAN_WIDTH: u16 = 15;

/// Columns that the drugs and providers need.
const ASKED_WIDTH: u16 = 24;

pub(super) fn render(look: Look, compared: &[(&Opened, PlanComparison)], several: bool, limit: usize) -> String {
    let pages = compared.iter().map(|(opened, answer)| page(look, opened, answer, several, limit));
    pages.collect::<Vec<_>>().join("\n")
}

fn page(look: Look, opened: &Opened, answer: &PlanComparison, several: bool, limit: usize) -> String {
    let mut foot = Foot::default();
    foot.dataset(opened, several);
    let shown = answer.plans.get(..limit).unwrap_or(&answer.plans);
    if shown.is_empty() {
        let text = "No plan fits.\n".to_owned();
        note_place(answer, &mut foot);
        return text + &foot.render(look);
    }
    let mut text = ranking(look, answer, shown);
    let room = usize::from(look.width.saturating_sub(ASKED_WIDTH) / PLAN_WIDTH).max(1);
    // Groups of one size, so that no plan stands alone at the end.
    let groups = shown.len().div_ceil(room);
    for group in shown.chunks(shown.len().div_ceil(groups)) {
        text.push('\n');
        text += &side_by_side(look, answer, group);
    }
    text += &changes(look, answer, shown);
    text += &questions_back(look, answer.drugs.iter());
    text += &who_else(look, &answer.providers);
    if answer.plans.len() > shown.len() {
        let more = words::count((answer.plans.len() - shown.len()) as u64, "plan", "plans");
        foot.note(format!("{more} behind these: --limit {}", answer.plans.len()));
    }
    note_place(answer, &mut foot);
    for plan in shown {
        plan.notes.iter().for_each(|note| foot.note(note.clone()));
        plan.answers.iter().for_each(|says| foot.coverage(&plan.plan, says));
    }
    if !answer.providers.is_empty() {
        foot.directory(true);
    }
    foot.note(format!("{} `coverdex covered` and `coverdex provider` show one plan in full.", words::GIST_LEGEND));
    text + &foot.render(look)
}

fn ranking(look: Look, answer: &PlanComparison, shown: &[ComparedPlan]) -> String {
    let (drugs, providers) = (answer.drugs.len(), answer.providers.len());
    let mut header = vec!["", "Plan", "Name"];
    if drugs > 0 {
        header.extend(["Drugs covered", "With PA or ST"]);
    }
    if providers > 0 {
        header.push("In network");
    }
    header.push("Unknown");
    let mut list = table::list(look, &header);
    for (plan, rank) in shown.iter().zip(1_u32..) {
        let mut row = vec![
            table::number(rank.to_string()),
            table::text(plan.plan.id.to_string()),
            table::text(plan.plan.name.as_deref().unwrap_or("(no name)")),
        ];
        if drugs > 0 {
            row.push(table::number(match plan.mixed {
                0 => format!("{} of {drugs}", plan.covered),
                mixed => format!("{} of {drugs}, {mixed} in part", plan.covered),
            }));
            row.push(table::number(plan.restricted.to_string()));
        }
        if providers > 0 {
            row.push(table::number(format!("{} of {providers}", plan.in_network)));
        }
        row.push(table::number(plan.unknown.to_string()));
        list.add_row(row);
    }
    table::unbroken(&mut list, 1);
    table::render(&list)
}

fn side_by_side(look: Look, answer: &PlanComparison, plans: &[ComparedPlan]) -> String {
    let titles: Vec<String> = plans.iter().map(|plan| column_title_of(&plan.plan)).collect();
    let header: Vec<&str> = std::iter::once("").chain(titles.iter().map(String::as_str)).collect();
    let mut grid = table::grid(look, &header);
    for (at, drug) in answer.drugs.iter().enumerate() {
        let cells =
            plans.iter().filter_map(|plan| plan.answers.get(at)).map(|says| table::status(says.status, &says.gist()));
        grid.add_row(std::iter::once(table::text(drug_words(drug))).chain(cells));
    }
    for (at, provider) in answer.providers.iter().enumerate() {
        let cells = plans.iter().filter_map(|plan| plan.standings.get(at)).map(standing_cell);
        grid.add_row(std::iter::once(table::text(provider_words(provider))).chain(cells));
    }
    table::render(&grid)
}

fn provider_words(provider: &AskedProvider) -> String {
    let mut lines = vec![provider.query.trim().to_owned()];
    let name = provider.name.iter().filter(|name| !name.eq_ignore_ascii_case(provider.query.trim()));
    lines.extend(name.map(|name| format!("read as {name}")));
    lines.extend(provider.problem.clone());
    lines.extend(provider.notes.iter().cloned());
    words::shown(&lines.join("\n"))
}

fn standing_cell(says: &Standing) -> Cell {
    let short = match says.status {
        NetworkStatus::InNetwork if says.shared_role => "in network †".to_owned(),
        NetworkStatus::NotInDirectory => "not in the directory".to_owned(),
        NetworkStatus::NoSuchNetwork => "no network of that kind".to_owned(),
        other => other.as_str().replace('_', " "),
    };
    table::standing(says.status, &short)
}

/// What each plan answers otherwise in the year beside.
fn changes(look: Look, answer: &PlanComparison, shown: &[ComparedPlan]) -> String {
    let Some(year) = answer.beside else { return String::new() };
    let mut text = format!("\nWhat changes in {year}\n");
    for plan in shown {
        let Some(beside) = &plan.beside else { continue };
        let what: Vec<String> = beside
            .changes
            .iter()
            .map(|change| format!("{}: {} → {}", change.query.trim(), change.now, change.beside))
            .collect();
        let what = match (&beside.plan, what.is_empty()) {
            (None, _) => format!("not among this payer's plans of {year}"),
            (Some(_), true) => "nothing of what was asked".to_owned(),
            (Some(_), false) => what.join("; "),
        };
        text += &table::wrap(look, &words::shown(&format!("{}: {what}", plan.plan.id)), "  ");
    }
    if !answer.only_beside.is_empty() {
        let new: Vec<String> = answer.only_beside.iter().map(ToString::to_string).collect();
        text += &table::wrap(look, &format!("Sold there in {year} alone: {}", words::first_of(&new)), "  ");
    }
    text
}

/// Who may have been meant by texts that are not one provider.
fn who_else(look: Look, providers: &[AskedProvider]) -> String {
    let mut text = String::new();
    for provider in providers.iter().filter(|provider| !provider.candidates.is_empty()) {
        text += &table::wrap(look, &format!("{:?}: did you mean", provider.query.trim()), "  ");
        for candidate in &provider.candidates {
            text += &table::wrap(look, &format!("  {}", words::shown(candidate)), "    ");
        }
    }
    text
}

fn note_place(answer: &PlanComparison, foot: &mut Foot) {
    answer.notes.iter().for_each(|note| foot.note(note.clone()));
    if !answer.place.is_empty() {
        let counties: Vec<String> = answer.place.iter().map(|found| found.county.label()).collect();
        let year = answer.year.map_or_else(String::new, |year| format!(" in {year}"));
        let plans = words::count(answer.plans.len() as u64, "plan", "plans");
        foot.note(format!("{plans} asked, for {}{year}", counties.join(" or ")));
    }
    foot.note(format!("Ranked by {}", PlanComparison::RANKED_BY));
    for note in words::not_asked(answer.other_audiences, &answer.area_unknown) {
        foot.note(note);
    }
    if answer.plans.iter().flat_map(|plan| &plan.standings).any(|says| says.shared_role) {
        foot.note(crate::commands::directory::SHARED_LEGEND);
    }
}
