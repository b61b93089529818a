//! Providers under plans.

use serde::Serialize;

use super::{OriginFields, through};
use crate::ids::{Audience, Npi, PlanId};
use crate::plans::{CountyFound, Network};
use crate::providers::{
    AskedProvider, Inactive, InactiveDate, NetworkGap, NetworkMatrix, NetworkMatrixPlan, NetworkStatus, PlanStanding,
    PlansTaking, ProviderKind, Standing,
};

through! {
    NetworkMatrix => MatrixFields,
    NetworkMatrixPlan => PlanFields,
    AskedProvider => ProviderFields,
    Standing => StandingFields,
    PlansTaking => TakingFields,
    PlanStanding => PlanStandingFields,
}

/// Providers and plans side by side.
#[derive(Serialize)]
struct MatrixFields<'a> {
    providers: &'a [AskedProvider],
    /// Best first.
    plans: &'a [NetworkMatrixPlan],
    /// By what plans are ranked.
    ranked_by: &'static str,
    year: Option<u16>,
    /// Plans there that are sold to others.
    other_audiences: u32,
    /// Plans that may be sold there, nobody can tell.
    area_unknown: &'a [PlanId],
    place: &'a [CountyFound],
    #[serde(flatten)]
    origin: OriginFields<'a>,
    /// Whether all plans' networks were received completely.
    complete: bool,
    notes: &'a [String],
}

#[derive(Serialize)]
struct ProviderFields<'a> {
    /// What was asked.
    query: &'a str,
    npi: Option<Npi>,
    name: Option<&'a str>,
    kind: Option<ProviderKind>,
    /// Who may be meant, where several fit.
    candidates: &'a [String],
    /// How it was read, or why it could not be.
    notes: Vec<&'a str>,
}

/// A plan by itself, as a column of a matrix begins.
#[derive(Serialize)]
struct PlanHead<'a> {
    plan: &'a PlanId,
    name: Option<&'a str>,
    types: &'a [String],
    audience: Audience,
    year: Option<u16>,
}

#[derive(Serialize)]
struct PlanFields<'a> {
    #[serde(flatten)]
    plan: PlanHead<'a>,
    /// Providers that are in its networks.
    in_network: u32,
    /// Providers of whom nobody can tell.
    unknown: u32,
    /// One for each provider, in their order.
    answers: &'a [Standing],
    /// Whether its networks were received completely.
    complete: bool,
    gaps: &'a [NetworkGap],
    notes: &'a [String],
}

#[derive(Serialize)]
struct StandingFields<'a> {
    network_status: NetworkStatus,
    reason: Option<&'a str>,
    /// The status in words.
    summary: &'a str,
    networks: &'a [Network],
    inactive: &'a [Inactive],
    inactive_dates: &'a [InactiveDate],
    shared_role: bool,
}

/// The plans that have a provider in their networks.
#[derive(Serialize)]
struct TakingFields<'a> {
    provider: &'a AskedProvider,
    taking: &'a [PlanStanding],
    /// Plans of which nobody can tell, or of whose networks it is an inactive member.
    in_doubt: &'a [PlanStanding],
    /// Plans in whose networks the directory does not list it.
    not_listed: u32,
    year: Option<u16>,
    other_audiences: u32,
    area_unknown: &'a [PlanId],
    place: &'a [CountyFound],
    #[serde(flatten)]
    origin: OriginFields<'a>,
    notes: &'a [String],
}

#[derive(Serialize)]
struct PlanStandingFields<'a> {
    #[serde(flatten)]
    plan: PlanHead<'a>,
    #[serde(flatten)]
    standing: &'a Standing,
    complete: bool,
    gaps: &'a [NetworkGap],
}

impl<'a> From<&'a NetworkMatrix> for MatrixFields<'a> {
    fn from(matrix: &'a NetworkMatrix) -> Self {
        Self {
            providers: &matrix.providers,
            plans: &matrix.plans,
            ranked_by: NetworkMatrix::RANKED_BY,
            year: matrix.year,
            other_audiences: matrix.other_audiences,
            area_unknown: &matrix.area_unknown,
            place: &matrix.place,
            origin: OriginFields::from(&matrix.origin),
            complete: matrix.plans.iter().all(|plan| plan.gaps.is_empty()),
            notes: &matrix.notes,
        }
    }
}

impl<'a> From<&'a AskedProvider> for ProviderFields<'a> {
    fn from(asked: &'a AskedProvider) -> Self {
        Self {
            query: &asked.query,
            npi: asked.npi,
            name: asked.name.as_deref(),
            kind: asked.kind,
            candidates: &asked.candidates,
            notes: asked.problem.iter().chain(&asked.notes).map(String::as_str).collect(),
        }
    }
}

impl<'a> From<&'a crate::Plan> for PlanHead<'a> {
    fn from(plan: &'a crate::Plan) -> Self {
        Self {
            plan: &plan.id,
            name: plan.name.as_deref(),
            types: &plan.types,
            audience: plan.audience,
            year: plan.year,
        }
    }
}

impl<'a> From<&'a NetworkMatrixPlan> for PlanFields<'a> {
    fn from(column: &'a NetworkMatrixPlan) -> Self {
        Self {
            plan: PlanHead::from(&column.plan),
            in_network: column.in_network,
            unknown: column.unknown,
            answers: &column.answers,
            complete: column.gaps.is_empty(),
            gaps: &column.gaps,
            notes: &column.notes,
        }
    }
}

impl<'a> From<&'a Standing> for StandingFields<'a> {
    fn from(standing: &'a Standing) -> Self {
        Self {
            network_status: standing.status,
            reason: standing.reason.as_deref(),
            summary: &standing.summary,
            networks: &standing.networks,
            inactive: &standing.inactive,
            inactive_dates: &standing.inactive_dates,
            shared_role: standing.shared_role,
        }
    }
}

impl<'a> From<&'a PlansTaking> for TakingFields<'a> {
    fn from(answer: &'a PlansTaking) -> Self {
        Self {
            provider: &answer.provider,
            taking: &answer.taking,
            in_doubt: &answer.in_doubt,
            not_listed: answer.not_listed,
            year: answer.year,
            other_audiences: answer.other_audiences,
            area_unknown: &answer.area_unknown,
            place: &answer.place,
            origin: OriginFields::from(&answer.origin),
            notes: &answer.notes,
        }
    }
}

impl<'a> From<&'a PlanStanding> for PlanStandingFields<'a> {
    fn from(of_plan: &'a PlanStanding) -> Self {
        Self {
            plan: PlanHead::from(&of_plan.plan),
            standing: &of_plan.standing,
            complete: of_plan.gaps.is_empty(),
            gaps: &of_plan.gaps,
        }
    }
}
