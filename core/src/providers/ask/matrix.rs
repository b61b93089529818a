//! Providers × plans, side by side.

use std::cmp::Reverse;

use super::who::Resolved;
use super::{AskedProvider, ProviderText};
use crate::dataset::Dataset;
use crate::ids::{Audience, NetworkKey, NetworkKind, PlanId};
use crate::origin::Origin;
use crate::place::Place;
use crate::plans::{ChosenPlans, CountyFound, Network, Plan, ResolvedPlan, WhichPlans};
use crate::providers::answer::{Shown, Whose};
use crate::providers::{Inactive, InactiveDate, NetworkAnswer, NetworkGap, NetworkNames, NetworkStatus};
use crate::{Error, Result};

/// Which providers are in the networks of which plans.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NetworkMatrixQuestion {
    /// Providers by NPI or name; each is looked up once.
    pub providers: Vec<ProviderText>,
    /// Plans by id or name; empty: those that are sold at the place.
    pub plans: Vec<String>,
    /// The county or ZIP whose plans are meant, or that tells a plan's segment.
    pub place: Option<Place>,
    /// The plan year; without one that of `as_of`.
    pub year: Option<u16>,
    /// Whom the place's plans are sold to; without one individuals.
    pub audience: Option<Audience>,
    /// Only the plans' networks of this kind.
    pub network_kind: Option<NetworkKind>,
}

/// Providers and plans side by side, plans best first.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct NetworkMatrix {
    /// The providers, as asked.
    pub providers: Vec<AskedProvider>,
    /// The plans, ranked as [`RANKED_BY`](Self::RANKED_BY) says.
    pub plans: Vec<NetworkMatrixPlan>,
    /// The plan year, where the plans of a place were asked for.
    pub year: Option<u16>,
    /// Plans sold there in that year to others than asked for.
    pub other_audiences: u32,
    /// Plans of which nobody can tell whether they are sold there.
    pub area_unknown: Vec<PlanId>,
    /// The counties that the place was read as.
    pub place: Vec<CountyFound>,
    /// How the question was read, where it does not go without saying.
    pub notes: Vec<String>,
    /// Where the answer comes from.
    pub origin: Origin,
}

/// A plan of a matrix with its answers.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct NetworkMatrixPlan {
    /// The plan.
    pub plan: Plan,
    /// Providers that are in its networks.
    pub in_network: u32,
    /// Providers of whom nobody can tell, those that the text does not tell too.
    pub unknown: u32,
    /// One for each provider, in the order asked.
    pub answers: Vec<Standing>,
    /// Its networks that were not received completely.
    pub gaps: Vec<NetworkGap>,
    /// How the plan was read.
    pub notes: Vec<String>,
}

/// A provider's standing in a plan's networks, without the places that make it so.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Standing {
    /// The status.
    pub status: NetworkStatus,
    /// Why, where the status alone does not say it, for people.
    pub reason: Option<String>,
    /// The plan's networks that it is in; for `inactive`, that it would be in.
    pub networks: Vec<Network>,
    /// What is marked inactive, for `inactive`.
    pub inactive: Vec<Inactive>,
    /// Since or until when, where the payer states it.
    pub inactive_dates: Vec<InactiveDate>,
    /// Every role that says so names several places: the payer does not say that it holds at each.
    pub shared_role: bool,
    /// The standing in words.
    pub summary: String,
}

impl NetworkMatrix {
    /// By what plans are ranked.
    pub const RANKED_BY: &'static str = "providers in network, then unknowns; not by cost";
}

impl Standing {
    fn new(answer: NetworkAnswer, names: &NetworkNames) -> Self {
        Self {
            summary: answer.sentence(names),
            status: answer.status,
            reason: answer.reason,
            networks: answer.networks,
            inactive: answer.inactive,
            inactive_dates: answer.inactive_dates,
            shared_role: answer.shared_role,
        }
    }

    /// Of a text that is not one provider.
    fn untold(problem: &str) -> Self {
        Self {
            status: NetworkStatus::Unknown,
            reason: Some(problem.to_owned()),
            networks: Vec::new(),
            inactive: Vec::new(),
            inactive_dates: Vec::new(),
            shared_role: false,
            summary: format!("unknown: {problem}"),
        }
    }
}

impl NetworkMatrixPlan {
    fn new(resolved: ResolvedPlan, answers: Vec<Standing>, gaps: Vec<NetworkGap>) -> Self {
        let count = |status: NetworkStatus| {
            u32::try_from(answers.iter().filter(|answer| answer.status == status).count()).unwrap_or(u32::MAX)
        };
        Self {
            plan: resolved.plan,
            in_network: count(NetworkStatus::InNetwork),
            unknown: count(NetworkStatus::Unknown),
            answers,
            gaps,
            notes: resolved.notes,
        }
    }
}

impl Dataset {
    /// Providers × plans in one call; plans are ranked as [`NetworkMatrix::RANKED_BY`] says.
    ///
    /// ```
    /// # coverdex_tests::with_payer(|path| {
    /// use coverdex_core::{Dataset, NetworkMatrixQuestion, NetworkStatus};
    ///
    /// let dataset = Dataset::open(path)?;
    /// let matrix = dataset.network_matrix(&NetworkMatrixQuestion {
    ///     providers: vec!["2410000113".into(), "Ruth Goldfarb".into()],
    ///     plans: vec!["H9231-002-001".to_owned(), "H9231-001-000-2026".to_owned()],
    ///     ..NetworkMatrixQuestion::default()
    /// })?;
    /// let best = &matrix.plans[0];
    /// assert_eq!((best.plan.id.to_string().as_str(), best.in_network), ("H9231-001-000-2026", 2));
    /// assert_eq!(matrix.plans[1].answers[1].status, NetworkStatus::NoSuchNetwork); // it has no vision network
    /// # Ok(())
    /// # });
    /// ```
    ///
    /// # Errors
    /// [`InvalidInput`](crate::ErrorKind::InvalidInput) if no provider is named, or neither plans nor a place;
    /// [`NotFound`](crate::ErrorKind::NotFound) or [`Ambiguous`](crate::ErrorKind::Ambiguous) with candidates for a
    /// plan or the place, and for a dataset without a directory. A text that fits no provider, or several, is a row.
    pub fn network_matrix(&self, question: &NetworkMatrixQuestion) -> Result<NetworkMatrix> {
        if question.providers.is_empty() {
            return Err(Error::invalid("providers", "none is named").with_hint("name one by its NPI or its name"));
        }
        let chosen = self.choose_plans(question.which_plans())?;
        let (providers, mut plans) = self.standings_of(&chosen, &question.providers, question.network_kind)?;
        plans.sort_by(|a, b| {
            let rank = |plan: &NetworkMatrixPlan| (Reverse(plan.in_network), plan.unknown);
            rank(a).cmp(&rank(b)).then_with(|| a.plan.id.cmp(&b.plan.id))
        });
        Ok(NetworkMatrix {
            providers,
            plans,
            year: chosen.year,
            other_audiences: chosen.other_audiences,
            area_unknown: chosen.area_unknown,
            place: chosen.place,
            notes: chosen.notes,
            origin: self.origin_of_directory(),
        })
    }

    /// The providers that texts mean, each looked up once, and the plans with a standing for each.
    pub(crate) fn standings_of(
        &self,
        chosen: &ChosenPlans,
        providers: &[ProviderText],
        kind: Option<NetworkKind>,
    ) -> Result<(Vec<AskedProvider>, Vec<NetworkMatrixPlan>)> {
        let look_up = |who| self.resolve_provider(who, &chosen.place);
        let resolved = providers.iter().map(look_up).collect::<Result<Vec<_>>>()?;
        let plans = self.standings(chosen, &resolved, kind)?;
        Ok((resolved.into_iter().map(|resolved| resolved.asked).collect(), plans))
    }

    /// The plans with a standing for each provider, in their order.
    pub(super) fn standings(
        &self,
        chosen: &ChosenPlans,
        providers: &[Resolved],
        kind: Option<NetworkKind>,
    ) -> Result<Vec<NetworkMatrixPlan>> {
        let names = NetworkNames::new(&self.directory_networks()?);
        let mut plans = Vec::with_capacity(chosen.plans.len());
        for resolved in &chosen.plans {
            self.cancel.check()?;
            let standing = |provider: &Resolved| match &provider.whose {
                Ok(whose) => self.standing_of(whose, &resolved.plan, kind, &names),
                Err(error) => Ok(Standing::untold(error.message())),
            };
            let answers = providers.iter().map(standing).collect::<Result<Vec<_>>>()?;
            let keys: Vec<NetworkKey> = resolved.plan.networks.iter().map(|network| network.key.clone()).collect();
            let gaps = self.network_gaps(Some(&keys), kind)?;
            plans.push(NetworkMatrixPlan::new(resolved.clone(), answers, gaps));
        }
        Ok(plans)
    }

    fn standing_of(
        &self,
        whose: &Whose,
        plan: &Plan,
        kind: Option<NetworkKind>,
        names: &NetworkNames,
    ) -> Result<Standing> {
        Ok(Standing::new(self.standing_in_plan(whose, plan, kind, Shown::Status)?, names))
    }
}

impl NetworkMatrixQuestion {
    fn which_plans(&self) -> WhichPlans<'_> {
        WhichPlans { plans: &self.plans, place: self.place.as_ref(), year: self.year, audience: self.audience }
    }
}
