//! What a sync reads: all of a payer, or a part; and the cheapest way to a formulary.

use std::collections::BTreeSet;

use coverdex_core::build::PlanQuery;

use coverdex_core::NetworkKey;
use coverdex_core::{Error, Result};
use serde::{Deserialize, Serialize};

use crate::source::stu1::views::{PlanView, normal_plan};

/// What is asked of a sync.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Selection {
    /// Plans, in any spelling (`H1234-567`); all if none is named.
    pub plans: Vec<String>,
    /// Two-letter states: the plans offered there; all if none is named.
    pub states: Vec<String>,
    /// Whether formularies are read.
    pub formulary: bool,
    /// Whether the provider directory is read.
    pub directory: bool,
    /// How roles are read.
    pub roles: RolePass,
    /// Active roles only. Absence then means nothing.
    pub active_only: bool,
}

/// How roles are read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RolePass {
    /// By network where plans or states are chosen, else all of them.
    #[default]
    Auto,
    /// All of them, in one pass.
    Unfiltered,
    /// Those with a tag of a chosen plan's network. Roles that name their network only by reference
    /// are not seen, and absence means nothing.
    ByNetwork,
}

impl Default for Selection {
    /// Everything.
    fn default() -> Self {
        Self {
            plans: Vec::new(),
            states: Vec::new(),
            formulary: true,
            directory: true,
            roles: RolePass::Auto,
            active_only: false,
        }
    }
}

impl Selection {
    /// Checks spellings and brings them into one form, so that equal requests are equal.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidInput`](coverdex_core::ErrorKind::InvalidInput) naming the plan or state.
    pub fn check(mut self) -> Result<Self> {
        for plan in &mut self.plans {
            plan.parse::<PlanQuery>()?;
            *plan = plan.split_whitespace().collect::<Vec<_>>().join(" ").to_uppercase();
        }
        for state in &mut self.states {
            let upper = state.trim().to_ascii_uppercase();
            if upper.len() != 2 || !upper.bytes().all(|b| b.is_ascii_uppercase()) {
                return Err(Error::invalid(
                    format!("state {state:?}"),
                    "a state is written with two letters, such as FL",
                ));
            }
            *state = upper;
        }
        for list in [&mut self.plans, &mut self.states] {
            list.sort_unstable();
            list.dedup();
        }
        if !self.formulary && !self.directory {
            return Err(Error::invalid("selection", "neither a formulary nor the directory is asked for"));
        }
        Ok(self)
    }

    /// Whether every plan is asked for.
    #[must_use]
    pub fn all_plans(&self) -> bool {
        self.plans.is_empty() && self.states.is_empty()
    }

    /// Whether roles are read by the networks of the chosen plans.
    #[must_use]
    pub fn by_network(&self) -> bool {
        match self.roles {
            RolePass::Auto => !self.all_plans(),
            RolePass::Unfiltered => false,
            RolePass::ByNetwork => true,
        }
    }

    /// The same selection in the same words.
    pub(crate) fn words(&self) -> String {
        serde_json::to_string(self).unwrap_or_default()
    }

    /// Whether a complete reading of this replaces, of the halves that it reads, whatever another selection read.
    #[must_use]
    pub fn covers(&self, other: &Self) -> bool {
        let is_everything = self.all_plans() && !self.by_network() && !self.active_only;
        let has = |own: &[String], others: &[String]| others.iter().all(|other| own.contains(other));
        let has_plans = self.all_plans()
            || !other.all_plans() && has(&self.plans, &other.plans) && has(&self.states, &other.states);
        is_everything || has_plans && self.roles == other.roles && self.active_only == other.active_only
    }

    /// Whether the same is asked for, of whichever half.
    #[must_use]
    pub fn is_same_part(&self, other: &Self) -> bool {
        self.covers(other) && other.covers(self)
    }

    /// Which plans and roles are asked for, in words.
    pub(crate) fn part_in_words(&self) -> String {
        let named = |kind: &str, names: &[String]| match names {
            [] => None,
            [name] => Some(format!("{kind} {name}")),
            [first, rest @ ..] if rest.len() > 4 => Some(format!("{kind}s {first} and {} more", rest.len())),
            names => Some(format!("{kind}s {}", names.join(", "))),
        };
        let parts: Vec<_> = [named("plan", &self.plans), named("state", &self.states)].into_iter().flatten().collect();
        let mut words = if parts.is_empty() { "all plans".to_owned() } else { parts.join(" and ") };
        if self.active_only {
            words.push_str(", active roles only");
        }
        words.push_str(match self.roles {
            RolePass::ByNetwork => ", roles by network",
            RolePass::Unfiltered if !self.all_plans() => ", all roles",
            RolePass::Auto | RolePass::Unfiltered => "",
        });
        words
    }

    /// What was asked for, in the words of staging.
    pub(crate) fn of_words(words: &str) -> Option<Self> {
        serde_json::from_str(words).ok()
    }

    /// Whether a plan's name fits a `--plan`.
    fn names(&self, plan: &str) -> bool {
        let normal = normal_plan(plan);
        self.plans.iter().any(|wanted| {
            let query = wanted.parse::<PlanQuery>().ok();
            wanted.eq_ignore_ascii_case(plan)
                || query.zip(normal.as_ref()).is_some_and(|(query, plan)| query.fits(plan))
        })
    }

    /// Whether an InsurancePlan's plan is asked for. A plan whose area cannot be told is in every state.
    pub(crate) fn wants(&self, plan: &str, view: &PlanView) -> bool {
        if self.all_plans() || self.names(plan) {
            return true;
        }
        !self.states.is_empty() && (!view.area_known || view.states.iter().any(|s| self.states.contains(s)))
    }

    /// Whether a plan is asked for that only Lists or entries name.
    pub(crate) fn wants_unknown(&self, plan: &str) -> bool {
        self.all_plans() || self.names(plan)
    }
}

/// The plans of a payer and those that are asked for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Plans {
    /// Ids of all plans that are known, as written.
    pub(crate) known: BTreeSet<String>,
    /// Ids of those asked for, as written.
    pub(crate) wanted: BTreeSet<String>,
    /// Networks of those.
    pub(crate) networks: BTreeSet<NetworkKey>,
}

/// Whether a plan is what was typed.
pub(crate) fn fits(typed: &str, id: &str) -> bool {
    id.eq_ignore_ascii_case(typed)
        || typed.parse::<PlanQuery>().ok().zip(normal_plan(id)).is_some_and(|(query, id)| query.fits(&id))
}

impl Plans {
    pub(crate) fn choose(selection: &Selection, views: impl IntoIterator<Item = PlanView>) -> Self {
        let mut plans = Self::default();
        for view in views {
            let wanted: BTreeSet<_> = view.ids.iter().filter(|id| selection.wants(id, &view)).cloned().collect();
            if !wanted.is_empty() || selection.all_plans() {
                for network in view.networks {
                    // Of two spellings of one system the smaller stays, in whatever order they came.
                    if plans.networks.get(&network).is_none_or(|there| network.system() < there.system()) {
                        plans.networks.replace(network);
                    }
                }
            }
            plans.wanted.extend(wanted);
            plans.known.extend(view.ids);
        }
        // A plan that no InsurancePlan names may still have Lists: its id as it was typed is tried.
        for typed in &selection.plans {
            if !plans.wanted.iter().any(|id| fits(typed, id)) {
                plans.wanted.insert(typed.clone());
            }
        }
        plans
    }
}

/// A way to the entries of formularies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Way {
    /// All pages of all plans' entries.
    AllPages,
    /// Each chosen plan's own search.
    PlanSearch,
    /// The Lists' references, one by one or several at once.
    ById,
}

/// What the choice of a way depends on.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Costs {
    /// References of each chosen plan's Lists.
    pub(crate) references: Vec<u64>,
    /// Distinct references of all of them.
    pub(crate) distinct: u64,
    /// Plans known in all.
    pub(crate) known_plans: u64,
    /// How many entries there are in all, if the server says.
    pub(crate) total: Option<u64>,
    /// Entries in a page.
    pub(crate) page_size: u64,
    /// Ids in one request.
    pub(crate) ids_at_once: u64,
    /// Whether the server offers a search by plan.
    pub(crate) plan_search: bool,
}

impl Costs {
    /// Requests for each way; none where it is not offered.
    fn requests(&self, way: Way) -> Option<u64> {
        let page = self.page_size.max(1);
        match way {
            Way::AllPages => {
                let plans = self.references.iter().filter(|n| **n > 0).count() as u64;
                let mean = self.references.iter().sum::<u64>().checked_div(plans).unwrap_or(0);
                let total = self.total.unwrap_or_else(|| mean.saturating_mul(self.known_plans.max(plans)));
                Some(total.div_ceil(page).max(1))
            }
            Way::PlanSearch => self.plan_search.then(|| self.references.iter().map(|n| n.div_ceil(page).max(1)).sum()),
            Way::ById => Some(self.distinct.div_ceil(self.ids_at_once.max(1))),
        }
    }

    /// The ways from the cheapest on, and what to say about the choice.
    pub(crate) fn choose(&self) -> (Vec<Way>, String) {
        let mut ways: Vec<_> = [Way::PlanSearch, Way::ById, Way::AllPages]
            .into_iter()
            .filter_map(|way| Some((self.requests(way)?, way)))
            .collect();
        ways.sort_by_key(|(requests, _)| *requests);
        let told: Vec<_> = ways.iter().map(|(requests, way)| format!("{} about {requests}", way.words())).collect();
        (ways.into_iter().map(|(_, way)| way).collect(), format!("formularies by requests: {}", told.join(", ")))
    }
}

impl Way {
    pub(crate) fn words(self) -> &'static str {
        match self {
            Self::AllPages => "all pages",
            Self::PlanSearch => "each plan's own search",
            Self::ById => "the Lists' references by id",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn view(ids: &[&str], states: &[&str], area_known: bool, network: &str) -> PlanView {
        PlanView {
            ids: ids.iter().map(|s| (*s).to_owned()).collect(),
            states: states.iter().map(|s| (*s).to_owned()).collect(),
            area_known,
            networks: [NetworkKey::new("https://g/VisionNetworkID", network).unwrap()].into(),
        }
    }

    fn payer() -> Vec<PlanView> {
        vec![
            view(&["H1234-001-000-2026", "H1234-001-000-2027"], &["FL"], true, "1"),
            view(&["H1234-002-000-2026"], &["GA", "FL"], true, "2"),
            view(&["S5555-003-000-2026"], &[], false, "3"),
        ]
    }

    fn chosen(plans: &[&str], states: &[&str]) -> Plans {
        let owned = |list: &[&str]| list.iter().map(|s| (*s).to_owned()).collect();
        let selection = Selection { plans: owned(plans), states: owned(states), ..Selection::default() };
        Plans::choose(&selection.check().unwrap(), payer())
    }

    #[test]
    fn selections_choose_plans_and_their_networks() {
        let ids = |plans: &Plans| plans.wanted.iter().cloned().collect::<Vec<_>>().join(" ");
        let all = chosen(&[], &[]);
        assert_eq!((all.wanted.len(), all.networks.len()), (4, 3));
        let one = chosen(&["h1234 001"], &[]);
        assert_eq!(ids(&one), "H1234-001-000-2026 H1234-001-000-2027", "what is not said fits all");
        assert_eq!((one.networks.len(), one.known.len()), (1, 4));
        assert_eq!(ids(&chosen(&["H1234-001-000-2027"], &[])), "H1234-001-000-2027");
        let georgia = chosen(&[], &["ga"]);
        assert_eq!(ids(&georgia), "H1234-002-000-2026 S5555-003-000-2026", "an unknown area is in every state");
        assert_eq!(ids(&chosen(&["H9999-001-000-2026"], &[])), "H9999-001-000-2026", "no InsurancePlan names it");
        assert_eq!(ids(&chosen(&["H1234-001"], &["GA"])).split(' ').count(), 4);
    }

    #[test]
    fn selections_are_compared_by_what_they_ask_for() {
        let plans = |names: &[&str]| Selection {
            plans: names.iter().map(|s| (*s).to_owned()).collect(),
            ..Selection::default()
        };
        assert_eq!(plans(&["b", "a  c", "B"]).check().unwrap().plans, ["A C", "B"]);
        let everything = Selection::default();
        assert!(everything.covers(&plans(&["A"])));
        assert!(!plans(&["A"]).covers(&everything));
        assert!(plans(&["A"]).covers(&plans(&["A"])) && plans(&["A", "B"]).covers(&plans(&["A"])));
        assert!(!plans(&["A"]).covers(&plans(&["A", "B"])) && !plans(&["A"]).covers(&plans(&["B"])));
        let directory = Selection { formulary: false, ..everything.clone() };
        assert!(directory.is_same_part(&everything) && !directory.is_same_part(&plans(&["A"])));
        let active = Selection { active_only: true, ..everything.clone() };
        assert!(everything.covers(&active) && !active.covers(&everything), "active roles only are fewer");
        let state = Selection { states: vec!["FL".to_owned()], ..Selection::default() };
        assert!(!state.covers(&plans(&["A"])) && !plans(&["A"]).covers(&state));
        assert!(Selection { states: vec!["Florida".to_owned()], ..Selection::default() }.check().is_err());
        assert!(Selection { formulary: false, directory: false, ..Selection::default() }.check().is_err());
    }

    #[test]
    fn the_cheapest_way() {
        let costs = Costs {
            references: vec![33_000],
            distinct: 33_000,
            known_plans: 1_500,
            total: None,
            page_size: 100,
            ids_at_once: 1,
            plan_search: true,
        };
        let first = |costs: &Costs| costs.choose().0[0];
        assert_eq!(first(&costs), Way::PlanSearch);
        let told = costs.choose().1;
        assert_eq!(
            told,
            "formularies by requests: each plan's own search about 330, the Lists' references by id about 33000, all pages about 495000"
        );
        let no_search = Costs { plan_search: false, ..costs };
        assert_eq!(first(&no_search), Way::ById);
        assert_eq!(first(&Costs { ids_at_once: 25, ..no_search.clone() }), Way::ById);
        let small = Costs { total: Some(180_000), ..no_search.clone() };
        assert_eq!(first(&small), Way::AllPages, "1,800 pages are less than 33,000 reads");
        // Plans that share one formulary: the references repeat, the ids do not.
        let shared =
            Costs { references: vec![5_000; 40], distinct: 5_000, known_plans: 40, ids_at_once: 25, ..no_search };
        assert_eq!(first(&shared), Way::ById);
    }
}
