//! Providers under plans, and everything side by side.

use coverdex_core as core;

use super::cross::records;
use super::{
    AskedDrug, Caveat, CountyFound, Coverage, Inactive, InactiveDate, Network, NetworkGap, NetworkStatus, Origin, Plan,
    ProviderKind,
};
use crate::ids::{Npi, PlanId};

records! {
    /// A provider that was asked for, and whom the text was read as.
    AskedProvider {
        /// As it was asked for.
        query: String,
        /// Its NPI: the smallest of its valid ones; null: it has none, or nobody was found.
        npi: Option<Npi>,
        /// Its name; null: nobody was found.
        name: Option<String>,
        /// A person or an organization; null: nobody was found.
        kind: Option<ProviderKind>,
        /// Who may be meant, where several fit.
        candidates: Vec<String>,
        /// Why it could not be read, or is not one provider.
        problem: Option<String>,
        /// How it was read, where it does not go without saying.
        notes: Vec<String>,
    }

    /// A provider's standing in a plan's networks, without the places that make it so.
    Standing {
        /// The status.
        status: NetworkStatus,
        /// Why, where the status alone does not say it, for people.
        reason: Option<String>,
        /// The plan's networks that it is in; for `inactive`, that it would be in.
        networks: Vec<Network>,
        /// What is marked inactive, for `inactive`.
        inactive: Vec<Inactive>,
        /// Since or until when, where the payer states it.
        inactive_dates: Vec<InactiveDate>,
        /// Every role that says so names several places: the payer does not say that it holds at each.
        shared_role: bool,
        /// The standing in words.
        summary: String,
    }

    /// A plan of a matrix with its answers.
    NetworkMatrixPlan {
        /// The plan.
        plan: Plan,
        /// Providers that are in its networks.
        in_network: i32,
        /// Providers of whom nobody can tell, those that the text does not tell too.
        unknown: i32,
        /// One for each provider, in the order asked.
        answers: Vec<Standing>,
        /// Its networks that were not received completely.
        gaps: Vec<NetworkGap>,
        /// How the plan was read.
        notes: Vec<String>,
    }

    /// Providers and plans side by side, plans best first.
    NetworkMatrix {
        /// The providers, as asked.
        providers: Vec<AskedProvider>,
        /// The plans, best first: `ranked_by` says by what.
        plans: Vec<NetworkMatrixPlan>,
        /// The plan year, where the plans of a place were asked for.
        year: Option<i32>,
        /// Plans sold there in that year to others than asked for.
        other_audiences: i32,
        /// Plans of which nobody can tell whether they are sold there.
        area_unknown: Vec<PlanId>,
        /// The counties that the place was read as.
        place: Vec<CountyFound>,
        /// How the question was read, where it does not go without saying.
        notes: Vec<String>,
        /// Where the answer comes from.
        origin: Origin
        ;
        /// By what the plans are ranked, in words.
        ranked_by: String = |_| core::NetworkMatrix::RANKED_BY.to_owned(),
        /// Whether all plans' networks were received completely.
        complete: bool = |own| own.plans.iter().all(|plan| plan.gaps.is_empty()),
    }

    /// A plan, and a provider's standing in its networks.
    PlanStanding {
        /// The plan.
        plan: Plan,
        /// The standing.
        standing: Standing,
        /// The plan's networks that were not received completely.
        gaps: Vec<NetworkGap>,
    }

    /// The plans that have a provider in their networks.
    PlansTaking {
        /// The provider.
        provider: AskedProvider,
        /// Plans of a network of which it is an active member.
        taking: Vec<PlanStanding>,
        /// Plans of which nobody can tell, or of whose networks it is an inactive member.
        in_doubt: Vec<PlanStanding>,
        /// Plans in whose networks the directory does not list it.
        not_listed: i32,
        /// The plan year.
        year: Option<i32>,
        /// Plans sold there in that year to others than asked for.
        other_audiences: i32,
        /// Plans of which nobody can tell whether they are sold there.
        area_unknown: Vec<PlanId>,
        /// The counties that the place was read as.
        place: Vec<CountyFound>,
        /// How the question was read, where it does not go without saying.
        notes: Vec<String>,
        /// Where the answer comes from.
        origin: Origin,
    }

    /// What a plan answers otherwise in another year.
    Change {
        /// The drug or provider as it was asked for.
        query: String,
        /// The answer in the year that was asked for, in short.
        now: String,
        /// The answer in the year beside, in short.
        beside: String,
    }

    /// A plan in another year.
    PlanBeside {
        /// The plan; null: it is not there in that year.
        plan: Option<Plan>,
        /// Drugs and providers that it answers otherwise.
        changes: Vec<Change>,
    }

    /// A plan of a comparison.
    ComparedPlan {
        /// The plan.
        plan: Plan,
        /// Drugs that it covers, in each package that it lists.
        covered: i32,
        /// Drugs that it covers in some packages and lists as not covered in others.
        mixed: i32,
        /// Of both, drugs with prior authorization or step therapy on some package.
        restricted: i32,
        /// Of both, drugs of which nobody can tell whether they need prior authorization or step therapy.
        may_be_restricted: i32,
        /// Providers in its networks.
        in_network: i32,
        /// Drugs and providers of which nobody can tell.
        unknown: i32,
        /// One for each drug, in the order asked.
        answers: Vec<Coverage>,
        /// One for each provider, in the order asked.
        standings: Vec<Standing>,
        /// The same plan in the year beside; null where none was asked for.
        beside: Option<PlanBeside>,
        /// How the plan was read.
        notes: Vec<String>,
    }

    /// Plans side by side for one person's drugs and providers, best first.
    PlanComparison {
        /// The drugs, as asked.
        drugs: Vec<AskedDrug>,
        /// The providers, as asked.
        providers: Vec<AskedProvider>,
        /// The plans, best first: `ranked_by` says by what.
        plans: Vec<ComparedPlan>,
        /// The plan year, where the plans of a place were asked for.
        year: Option<i32>,
        /// The year beside it.
        beside: Option<i32>,
        /// Plans of the year beside that are not there in the other.
        only_beside: Vec<PlanId>,
        /// Plans sold there in that year to others than asked for.
        other_audiences: i32,
        /// Plans of which nobody can tell whether they are sold there.
        area_unknown: Vec<PlanId>,
        /// The counties that the place was read as.
        place: Vec<CountyFound>,
        /// How the question was read, where it does not go without saying.
        notes: Vec<String>,
        /// What the answers do not say.
        caveats: Vec<Caveat>,
        /// Where the answer comes from.
        origin: Origin
        ;
        /// By what the plans are ranked, in words.
        ranked_by: String = |_| core::PlanComparison::RANKED_BY.to_owned(),
        /// Whether everything that the answers rest on was received completely.
        complete: bool = core::PlanComparison::is_complete,
    }
}
