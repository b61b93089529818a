//! `coverdex covered --json`: an array, one element for each plan and drug.

use coverdex_core::{Candidate, Coverage, Drug, PackageCoverage, Statement, Tier, Varies};
use serde::Serialize;

use crate::data::MeantPlan;

/// One element.
#[derive(Debug, Serialize)]
pub(crate) struct CoverageAnswer {
    /// The plan's id in its normal spelling.
    plan: String,
    plan_name: Option<String>,
    /// What was asked.
    query: String,
    /// What it was read as: name, strength and form.
    read_as: Option<String>,
    /// Words of the question that played no part.
    ignored: Vec<String>,
    #[serde(flatten)]
    summary: CoverageSummary,
    packages: Vec<PackageAnswer>,
    candidates: Vec<CandidateFields>,
    as_of: String,
    source: String,
    /// The dataset's id.
    dataset: String,
    /// How the plan was read, and where else it is; how a code was read, or why the drug could not be.
    notes: Vec<String>,
}

/// A drug under a plan, all listed packages together.
#[derive(Debug, Serialize)]
pub(crate) struct CoverageSummary {
    status: &'static str,
    reason: Option<&'static str>,
    /// Status, reason and what varies in words.
    summary: String,
    tier: Option<TierFields>,
    prior_authorization: Option<bool>,
    step_therapy: Option<bool>,
    quantity_limit: Option<bool>,
    mail_order: Option<bool>,
    varies: Option<VariesFields>,
    /// Packages that the plan lists.
    listed: u32,
    not_on_this_list: u32,
    seen_anywhere: bool,
    gaps: u32,
    /// Entries that the plan's Lists name.
    expected: u32,
    complete: bool,
}

#[derive(Clone, Debug, Serialize)]
pub(crate) struct TierFields {
    code: String,
    display: Option<String>,
    level: Option<&'static str>,
}

#[derive(Debug, Serialize)]
struct VariesFields {
    tiers: Vec<TierFields>,
    prior_authorization: [u32; 2],
    step_therapy: [u32; 2],
    quantity_limit: [u32; 2],
    conflicts: u32,
    without_tier: u32,
    tier_not_understood: u32,
}

#[derive(Debug, Serialize)]
struct PackageAnswer {
    ndc11: Option<String>,
    product_ndc: Option<String>,
    rxcui: Vec<String>,
    name: String,
    status: &'static str,
    reason: Option<&'static str>,
    #[serde(flatten)]
    says: StatementFields,
    /// What contradicts each other; only for a package in conflict.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    conflict: Vec<StatementFields>,
}

#[derive(Debug, Serialize)]
struct StatementFields {
    tier: Option<TierFields>,
    prior_authorization: Option<bool>,
    step_therapy: Option<bool>,
    quantity_limit: Option<bool>,
    mail_order: Option<bool>,
}

#[derive(Debug, Serialize)]
struct CandidateFields {
    name: String,
    product_ndcs: Vec<String>,
    /// What tells it from the other candidates.
    differs: Option<String>,
}

impl CoverageAnswer {
    pub(crate) fn new(meant: &MeantPlan<'_>, drug: &Drug, coverage: &Coverage, packages: &[PackageCoverage]) -> Self {
        let dataset = &meant.opened.dataset;
        let of_drug = drug.problem().into_iter().chain(drug.notes().iter().map(String::as_str));
        Self {
            plan: meant.plan.id.to_string(),
            plan_name: meant.plan.name.clone(),
            query: drug.query().to_owned(),
            read_as: crate::commands::read_as(drug, packages),
            ignored: drug.ignored().to_vec(),
            summary: CoverageSummary::new(coverage, packages),
            packages: packages.iter().map(PackageAnswer::from).collect(),
            candidates: crate::commands::offered(drug, coverage).map(CandidateFields::from).collect(),
            as_of: dataset.as_of().to_owned(),
            source: dataset.source().to_owned(),
            dataset: dataset.manifest().dataset.clone(),
            notes: meant.notes.iter().cloned().chain(of_drug.map(str::to_owned)).collect(),
        }
    }
}

impl CoverageSummary {
    pub(crate) fn new(coverage: &Coverage, packages: &[PackageCoverage]) -> Self {
        let says = &coverage.statement;
        let varies = coverage.varies.as_ref();
        Self {
            status: coverage.status.as_str(),
            reason: coverage.reason.map(coverdex_core::CoverageReason::as_str),
            summary: varies.map_or_else(
                || coverage.to_string(),
                |varies| format!("{coverage}; varies: {}", varies.sentence(packages)),
            ),
            tier: says.tier.as_ref().map(TierFields::from),
            prior_authorization: says.prior_authorization,
            step_therapy: says.step_therapy,
            quantity_limit: says.quantity_limit,
            mail_order: says.mail_order,
            varies: varies.map(VariesFields::from),
            listed: coverage.listed,
            not_on_this_list: coverage.not_on_this_list,
            seen_anywhere: coverage.seen_anywhere,
            gaps: coverage.gaps,
            expected: coverage.expected,
            complete: coverage.complete,
        }
    }
}

impl From<&Tier> for TierFields {
    fn from(tier: &Tier) -> Self {
        Self {
            code: tier.code.clone(),
            display: tier.display.clone(),
            level: tier.level.map(coverdex_core::TierLevel::as_str),
        }
    }
}

impl From<&Varies> for VariesFields {
    fn from(varies: &Varies) -> Self {
        Self {
            tiers: varies.tiers.iter().map(TierFields::from).collect(),
            prior_authorization: [varies.prior_authorization, varies.of],
            step_therapy: [varies.step_therapy, varies.of],
            quantity_limit: [varies.quantity_limit, varies.of],
            conflicts: varies.conflicts,
            without_tier: varies.without_tier,
            tier_not_understood: varies.tier_not_understood,
        }
    }
}

impl From<&PackageCoverage> for PackageAnswer {
    fn from(package: &PackageCoverage) -> Self {
        Self {
            ndc11: package.ndc11.map(|ndc| ndc.to_string()),
            product_ndc: package.product_ndc.clone(),
            rxcui: package.rxcui.iter().map(ToString::to_string).collect(),
            name: package.name.clone(),
            status: package.status.as_str(),
            reason: package.reason.map(coverdex_core::CoverageReason::as_str),
            says: StatementFields::from(&package.statement),
            conflict: package.conflict.iter().map(StatementFields::from).collect(),
        }
    }
}

impl From<&Statement> for StatementFields {
    fn from(says: &Statement) -> Self {
        Self {
            tier: says.tier.as_ref().map(TierFields::from),
            prior_authorization: says.prior_authorization,
            step_therapy: says.step_therapy,
            quantity_limit: says.quantity_limit,
            mail_order: says.mail_order,
        }
    }
}

impl From<&Candidate> for CandidateFields {
    fn from(candidate: &Candidate) -> Self {
        Self {
            name: candidate.name.clone(),
            product_ndcs: candidate.product_ndcs.clone(),
            differs: candidate.differs.clone(),
        }
    }
}
