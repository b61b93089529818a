//! A counselor's table: a county's individual plans, eight drugs as the client says them, a doctor
//! and a pharmacy by plan, and what changes next year.

use std::collections::BTreeSet;

use coverdex_core::County;
use coverdex_core::{Audience, NetworkKind, Npi};
use coverdex_core::{CoverageStatus, Error, ErrorKind, Plan, PlanFilter, Result};
use coverdex_core::{NetworkAnswer, NetworkStatus, ProviderKind, ProviderSearch};

use crate::commands::covered::tables::{self, column_title_of};
use coverdex_core::CoverageAnswer;

use crate::commands::covered::{PlanAnswers, ask, elements};
use crate::data::{Datasets, MeantPlan, Opened};
use crate::json::{ChangeFields, NextYearFields, StandingFields};
use crate::output::Look;
use crate::{table, words};

/// Where the client lives.
const COUNTY: &str = "St. Louis city, MO";

/// Eight drugs as clients say them: unfinished, with and without units, one with a brand's name.
const AS_CLIENTS_SAY: [&str; 8] = [
    "atorvastatin 20 mg",
    "metformin 500 mg",
    "Lisinopril 10mg tablets",
    "eliquis 5 mg",
    "lantus solostar",
    "gabapentin 300",
    "omeprazole dr 20 mg capsule",
    "januvia 100 mg",
];

/// So many are looked at for a doctor, or a pharmacy, that not all plans treat alike.
const LOOKED_AT: usize = 40;

/// What a counselor asks, and the answers.
pub(super) struct Counselor<'a> {
    pub(super) county: County,
    answered: Vec<PlanAnswers<'a>>,
    /// Individual plans of the county without a drug list.
    unanswerable: Vec<Plan>,
    /// Individual plans that may be sold there: the payer does not tell.
    perhaps: Vec<Plan>,
    others: usize,
    standings: Vec<Standing>,
    next_year: Option<NextYear<'a>>,
}

/// One provider, in each plan's network or not.
struct Standing {
    asked: &'static str,
    name: String,
    npi: Npi,
    of_plans: Vec<NetworkAnswer>,
}

/// One plan in the next year.
struct NextYear<'a> {
    /// Which of the plans answered for.
    this: usize,
    next: PlanAnswers<'a>,
}

impl<'a> Counselor<'a> {
    pub(super) fn ask(datasets: &'a Datasets) -> Result<Self> {
        let opened = datasets.all().first().ok_or_else(|| missing("no dataset to answer from"))?;
        let dataset = &opened.dataset;
        let county = dataset.county(COUNTY)?;
        let individual = PlanFilter { audience: Some(Audience::Individual), ..PlanFilter::default() };
        let here = dataset.plans_in_county(county.fips, &individual)?;
        let (here, perhaps) = (here.offered, here.area_unknown);
        let year: Option<u16> = dataset.as_of().split('-').next().and_then(|year| year.parse().ok());
        let (this, later): (Vec<Plan>, Vec<Plan>) = here.into_iter().partition(|plan| plan.year == year);
        let others = dataset.all_plans()?.len() - this.len() - later.len() - perhaps.len();
        let (with, unanswerable): (Vec<Plan>, Vec<Plan>) = this.into_iter().partition(|plan| plan.drugs.has_entries());
        let drugs = AS_CLIENTS_SAY.map(str::to_owned);
        let meant = |plan| MeantPlan { opened, plan, notes: Vec::new() };
        let answered = ask(datasets, with.into_iter().map(meant).collect(), &drugs)?;
        let next_year = match pair(&answered, later) {
            Some((this, plan)) => {
                let next = ask(datasets, vec![meant(plan)], &drugs)?.pop();
                next.map(|next| NextYear { this, next })
            }
            None => None,
        };
        let mut standings = Vec::new();
        let sought = [
            ("a doctor", ProviderKind::Individual, None),
            ("a pharmacy", ProviderKind::Organization, Some(NetworkKind::Pharmacy)),
        ];
        for (asked, kind, network) in sought {
            standings.extend(standing(opened, &county, &answered, asked, kind, network)?);
        }
        Ok(Self { county, answered, unanswerable, perhaps, others, standings, next_year })
    }

    /// The first plan that lists something.
    pub(super) fn first_plan(&self) -> Option<String> {
        let listed = |plan: &&PlanAnswers<'_>| plan.answers.iter().any(|answer| answer.coverage.listed > 0);
        self.answered.iter().find(listed).map(|plan| plan.meant.plan.id.to_string())
    }

    pub(super) fn an_ndc(&self) -> String {
        let mut packages = self.answered.iter().flat_map(|plan| &plan.answers).flat_map(|answer| &answer.packages);
        packages.find_map(|package| package.ndc11).map(|ndc| ndc.to_string()).unwrap_or_default()
    }

    pub(super) fn an_npi(&self) -> String {
        self.standings.first().map(|standing| standing.npi.to_string()).unwrap_or_default()
    }

    pub(super) fn elements(&self) -> Vec<&CoverageAnswer> {
        elements(&self.answered)
    }

    pub(super) fn standing_fields(&self) -> Vec<StandingFields> {
        let mut fields = Vec::new();
        for standing in &self.standings {
            fields.extend(self.answered.iter().zip(&standing.of_plans).map(|(plan, answer)| StandingFields {
                npi: standing.npi.to_string(),
                name: standing.name.clone(),
                plan: plan.meant.plan.id.to_string(),
                network_status: answer.status.as_str(),
            }));
        }
        fields
    }

    pub(super) fn change_fields(&self) -> Option<NextYearFields> {
        let year = self.next_year.as_ref()?;
        let this = self.answered.get(year.this)?;
        let changes = changes(this, &year.next).into_iter().map(|(drug, this, next)| ChangeFields {
            query: drug.to_owned(),
            this_year: this,
            next_year: next,
        });
        Some(NextYearFields {
            plan: this.meant.plan.id.to_string(),
            next: year.next.meant.plan.id.to_string(),
            changes: changes.collect(),
        })
    }

    pub(super) fn render(&self, look: Look) -> String {
        let asks = format!(
            "A COUNSELOR asks for a client in {}: eight drugs as the client says them, under the plans that anyone \
             eligible can choose there",
            self.county.label()
        );
        let mut text = table::wrap(look, &asks, "");
        text = format!("{}\n", table::strong(look, text.trim_end()));
        text += &tables::render(look, &self.answered, false, false, &[]);
        text += &table::wrap(look, &self.not_shown(), "  ");
        if let Some(explained) = explain_not_listed(look, &self.answered) {
            text += "\n";
            text += &explained;
        }
        if !self.standings.is_empty() {
            text += "\nThe client's doctor and pharmacy, plan by plan\n";
            text += &self.standing_table(look);
        }
        if let Some(year) = &self.next_year {
            text += &self.next_year_table(look, year);
        }
        text
    }

    /// The plans that the table leaves out, and why.
    fn not_shown(&self) -> String {
        let without: Vec<String> =
            self.unanswerable.iter().map(|plan| format!("{} ({})", plan.id, words::drug_list(plan))).collect();
        let others = format!(
            "Not shown: {} of other kinds (employer groups, special needs, Medicaid), places or years.",
            words::count(self.others as u64, "plan", "plans")
        );
        let perhaps: Vec<String> = self.perhaps.iter().map(|plan| plan.id.to_string()).collect();
        let mut text = String::new();
        for (words, plans) in [("Sold there too", without), ("Perhaps sold there, the area cannot be told", perhaps)] {
            if !plans.is_empty() {
                text += &format!("{words}: {}. ", plans.join(", "));
            }
        }
        text + &others
    }

    fn standing_table(&self, look: Look) -> String {
        let titles: Vec<String> = self.answered.iter().map(|plan| column_title_of(&plan.meant.plan)).collect();
        let header: Vec<&str> = std::iter::once("Who").chain(titles.iter().map(String::as_str)).collect();
        let mut grid = table::grid(look, &header);
        for standing in &self.standings {
            let who = table::text(format!("{}\n{}, NPI {}", standing.name, standing.asked, standing.npi));
            let cells = standing.of_plans.iter().map(|answer| table::standing(answer.status, &in_short(answer)));
            grid.add_row(std::iter::once(who).chain(cells));
        }
        table::render(&grid)
    }

    fn next_year_table(&self, look: Look, year: &NextYear<'_>) -> String {
        let Some(this) = self.answered.get(year.this) else { return String::new() };
        let of = |plan: &PlanAnswers<'_>| plan.meant.plan.year.map(|year| year.to_string()).unwrap_or_default();
        let changes = changes(this, &year.next);
        let name = this.meant.plan.name.as_deref().unwrap_or("(no name)");
        let mut text = words::shown(&format!("\nWhat changes next year in {} {name}\n", this.meant.plan.id));
        if !changes.is_empty() {
            let mut list = table::list(look, &["Drug", &of(this), &of(&year.next)]);
            for (drug, this, next) in &changes {
                list.add_row([table::text(drug), table::text(this), table::text(next)]);
            }
            text += &table::render(&list);
        }
        let same = this.answers.len() - changes.len();
        text += &table::wrap(look, &format!("{} as now.", words::count(same as u64, "drug stays", "drugs stay")), "  ");
        text + &table::wrap(look, &networks_change(&this.meant.plan, &year.next.meant.plan), "  ")
    }
}

fn missing(what: &str) -> Error {
    Error::new(ErrorKind::DatasetMissing, "demo", what)
}

/// The first plan that is there in the next year too.
fn pair(answered: &[PlanAnswers<'_>], later: Vec<Plan>) -> Option<(usize, Plan)> {
    let root = |plan: &Plan| plan.id.to_string().rsplit_once('-').map(|(root, _)| root.to_owned());
    later.into_iter().filter(|plan| plan.drugs.has_entries()).find_map(|plan| {
        let same = answered.iter().position(|this| root(&this.meant.plan) == root(&plan))?;
        Some((same, plan))
    })
}

/// Somebody in the county whom not all plans treat alike, if there is one.
fn standing(
    opened: &Opened,
    county: &County,
    answered: &[PlanAnswers<'_>],
    asked: &'static str,
    kind: ProviderKind,
    network: Option<NetworkKind>,
) -> Result<Option<Standing>> {
    let dataset = &opened.dataset;
    let place = dataset.near_county(&county.fips.to_string(), Some(0.0))?;
    let search = ProviderSearch {
        near: place.near,
        network_kind: network,
        kind: Some(kind),
        limit: LOOKED_AT,
        ..ProviderSearch::default()
    };
    let mut best: Option<(usize, Standing)> = None;
    for practice in dataset.search_providers(&search)?.results {
        let Some(npi) = practice.npi.filter(|_| !practice.name.is_empty()) else { continue };
        let of_plans = answered
            .iter()
            .map(|plan| dataset.plan_network_status(npi, &plan.meant.plan, network))
            .collect::<Result<Vec<NetworkAnswer>>>()?;
        let statuses: BTreeSet<NetworkStatus> = of_plans.iter().map(|answer| answer.status).collect();
        let tells = if statuses.contains(&NetworkStatus::InNetwork) { statuses.len() } else { 0 };
        if best.as_ref().is_none_or(|(most, _)| tells > *most) {
            best = Some((tells, Standing { asked, name: practice.name, npi, of_plans }));
        }
    }
    Ok(best.map(|(_, standing)| standing))
}

fn in_short(answer: &NetworkAnswer) -> String {
    match answer.status {
        NetworkStatus::InNetwork => "in network".to_owned(),
        NetworkStatus::Inactive => "marked inactive".to_owned(),
        NetworkStatus::OtherNetworksOnly => "other networks only".to_owned(),
        NetworkStatus::NotInDirectory => "not in the directory".to_owned(),
        NetworkStatus::NoSuchNetwork => "the plan has none of that kind".to_owned(),
        other => other.as_str().replace('_', " "),
    }
}

/// Drugs whose answer differs: the drug, this year's and next year's.
fn changes<'p>(this: &'p PlanAnswers<'_>, next: &PlanAnswers<'_>) -> Vec<(&'p str, String, String)> {
    let pairs = this.answers.iter().zip(&next.answers);
    pairs
        .map(|(this, next)| (this.drug.query.as_str(), this.coverage.gist(), next.coverage.gist()))
        .filter(|(_, this, next)| this != next)
        .collect()
}

fn networks_change(this: &Plan, next: &Plan) -> String {
    let only = |plan: &Plan, other: &Plan| {
        let gone = plan.networks.iter().filter(|own| !other.networks.iter().any(|network| network.key == own.key));
        gone.map(|network| network.label().unwrap_or(network.key.id()).to_owned()).collect::<Vec<_>>()
    };
    match (only(this, next), only(next, this)) {
        (gone, new) if gone.is_empty() && new.is_empty() => "Its networks stay the same.".to_owned(),
        (gone, new) => format!("Networks gone: {}; new: {}.", or_none(&gone), or_none(&new)),
    }
}

fn or_none(names: &[String]) -> String {
    if names.is_empty() { "none".to_owned() } else { names.join(", ") }
}

/// What "not listed" rests on, at the first example.
fn explain_not_listed(look: Look, answered: &[PlanAnswers<'_>]) -> Option<String> {
    let plain = |answer: &&CoverageAnswer| {
        answer.coverage.status == CoverageStatus::NotListed && answer.coverage.reason.is_none()
    };
    let (plan, answer) =
        answered.iter().find_map(|plan| plan.answers.iter().find(plain).map(|answer| (&plan.meant.plan, answer)))?;
    let (drug, coverage) = (&answer.drug, &answer.coverage);
    let packages = words::count(coverage.not_on_this_list.into(), "package", "packages");
    let sentence = format!(
        "Why {:?} is \"not listed\" in {}: it was read as {}. The payer's data know {packages} of it, and the plan's drug \
         list names none of them. That list is {}: it was received as the payer serves it, so this is an answer, and not \
         \"unknown\".",
        drug.query,
        plan.id,
        drug.read_as.as_deref().unwrap_or_default(),
        words::drug_list(plan),
    );
    Some(table::wrap(look, &words::shown(&sentence), ""))
}
