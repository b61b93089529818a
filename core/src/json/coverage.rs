//! Drugs under plans.

use serde::Serialize;

use super::{OriginFields, through};
use crate::coverage::{
    AskedDrug, Caveat, Coverage, CoverageAnswer, CoverageMatrix, CoverageReason, CoverageStatus, MatrixPlan,
    PackageCoverage, Statement, Varies,
};
use crate::drugs::Candidate;
use crate::ids::{Ndc11, PlanId, Rxcui};
use crate::tier::{Tier, TierLevel};

through! {
    CoverageAnswer => CoverageAnswerFields,
    Coverage => CoverageFields,
    PackageCoverage => PackageFields,
    Statement => StatementFields,
    Tier => TierFields,
    Varies => VariesFields,
    Candidate => CandidateFields,
    CoverageMatrix => MatrixFields,
    AskedDrug => DrugFields,
    MatrixPlan => PlanFields,
}

/// One plan and one drug.
#[derive(Serialize)]
struct CoverageAnswerFields<'a> {
    /// The plan's id in its normal spelling.
    plan: &'a PlanId,
    plan_name: Option<&'a str>,
    #[serde(flatten)]
    drug: DrugFields<'a>,
    #[serde(flatten)]
    coverage: CoverageFields<'a>,
    packages: &'a [PackageCoverage],
    /// What the answer does not say.
    caveats: &'a [Caveat],
    #[serde(flatten)]
    origin: OriginFields<'a>,
}

/// A drug under a plan, all listed packages together.
#[derive(Serialize)]
pub(super) struct CoverageFields<'a> {
    status: CoverageStatus,
    reason: Option<CoverageReason>,
    /// Status, reason and what varies in words.
    summary: String,
    #[serde(flatten)]
    says: StatementFields<'a>,
    varies: Option<VariesFields<'a>>,
    /// Packages that the plan lists.
    listed: u32,
    not_on_this_list: u32,
    seen_anywhere: bool,
    gaps: u32,
    /// Entries that the plan's Lists name.
    expected: u32,
    complete: bool,
}

#[derive(Serialize)]
struct TierFields<'a> {
    code: &'a str,
    display: Option<&'a str>,
    level: Option<TierLevel>,
}

#[derive(Serialize)]
struct VariesFields<'a> {
    tiers: &'a [Tier],
    prior_authorization: [u32; 2],
    step_therapy: [u32; 2],
    quantity_limit: [u32; 2],
    conflicts: u32,
    without_tier: u32,
    tier_not_understood: u32,
}

#[derive(Serialize)]
struct PackageFields<'a> {
    ndc11: Option<Ndc11>,
    product_ndc: Option<&'a str>,
    rxcui: &'a [Rxcui],
    name: &'a str,
    status: CoverageStatus,
    reason: Option<CoverageReason>,
    #[serde(flatten)]
    says: StatementFields<'a>,
    /// What contradicts each other; only for a package in conflict.
    #[serde(skip_serializing_if = "<[Statement]>::is_empty")]
    conflict: &'a [Statement],
}

#[derive(Serialize)]
struct StatementFields<'a> {
    tier: Option<&'a Tier>,
    prior_authorization: Option<bool>,
    step_therapy: Option<bool>,
    quantity_limit: Option<bool>,
    mail_order: Option<bool>,
}

#[derive(Serialize)]
struct CandidateFields<'a> {
    name: &'a str,
    product_ndcs: &'a [String],
    /// What tells it from the other candidates.
    differs: Option<&'a str>,
}

/// Drugs and plans side by side.
#[derive(Serialize)]
struct MatrixFields<'a> {
    drugs: Vec<DrugFields<'a>>,
    /// Best first.
    plans: Vec<PlanFields<'a>>,
    /// By what plans are ranked.
    ranked_by: &'static str,
    year: Option<u16>,
    /// Plans there that are sold to others.
    other_audiences: u32,
    /// Plans that may be sold there, nobody can tell.
    area_unknown: &'a [PlanId],
    place: Vec<super::CountyFields<'a>>,
    #[serde(flatten)]
    origin: OriginFields<'a>,
    complete: bool,
    caveats: &'a [Caveat],
    notes: &'a [String],
}

#[derive(Serialize)]
pub(super) struct DrugFields<'a> {
    /// What was asked.
    query: &'a str,
    /// What it was read as: name, strength and form.
    read_as: Option<&'a str>,
    /// Words of the question that played no part.
    ignored: &'a [String],
    candidates: &'a [Candidate],
    /// How the plan was read; how a code was read, or why the drug could not be.
    notes: Vec<&'a str>,
}

#[derive(Serialize)]
struct PlanFields<'a> {
    plan: &'a PlanId,
    name: Option<&'a str>,
    types: &'a [String],
    audience: crate::Audience,
    year: Option<u16>,
    /// Drugs that it covers, of all that were asked for.
    covered: u32,
    /// Drugs that it covers in some packages only.
    mixed: u32,
    /// Of both, drugs with prior authorization or step therapy on some package.
    restricted: u32,
    /// Of both, drugs of which nobody can tell whether they need either.
    may_be_restricted: u32,
    /// Drugs of which nobody can tell.
    unknown: u32,
    /// One for each drug, in their order.
    answers: &'a [Coverage],
    notes: &'a [String],
}

impl<'a> From<&'a CoverageAnswer> for CoverageAnswerFields<'a> {
    fn from(answer: &'a CoverageAnswer) -> Self {
        Self {
            plan: &answer.plan,
            plan_name: answer.plan_name.as_deref(),
            drug: DrugFields::new(&answer.notes, &answer.drug),
            coverage: CoverageFields::new(&answer.coverage, &answer.packages),
            packages: &answer.packages,
            caveats: &answer.caveats,
            origin: OriginFields::from(&answer.origin),
        }
    }
}

impl<'a> CoverageFields<'a> {
    fn new(coverage: &'a Coverage, packages: &[PackageCoverage]) -> Self {
        let varies = coverage.varies.as_ref();
        Self {
            status: coverage.status,
            reason: coverage.reason,
            summary: coverage.sentence(packages),
            says: StatementFields::from(&coverage.statement),
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

impl<'a> From<&'a Coverage> for CoverageFields<'a> {
    fn from(coverage: &'a Coverage) -> Self {
        Self::new(coverage, &[])
    }
}

impl<'a> From<&'a Tier> for TierFields<'a> {
    fn from(tier: &'a Tier) -> Self {
        Self { code: &tier.code, display: tier.display.as_deref(), level: tier.level }
    }
}

impl<'a> From<&'a Varies> for VariesFields<'a> {
    fn from(varies: &'a Varies) -> Self {
        Self {
            tiers: &varies.tiers,
            prior_authorization: [varies.prior_authorization, varies.of],
            step_therapy: [varies.step_therapy, varies.of],
            quantity_limit: [varies.quantity_limit, varies.of],
            conflicts: varies.conflicts,
            without_tier: varies.without_tier,
            tier_not_understood: varies.tier_not_understood,
        }
    }
}

impl<'a> From<&'a PackageCoverage> for PackageFields<'a> {
    fn from(package: &'a PackageCoverage) -> Self {
        Self {
            ndc11: package.ndc11,
            product_ndc: package.product_ndc.as_deref(),
            rxcui: &package.rxcui,
            name: &package.name,
            status: package.status,
            reason: package.reason,
            says: StatementFields::from(&package.statement),
            conflict: &package.conflict,
        }
    }
}

impl<'a> From<&'a Statement> for StatementFields<'a> {
    fn from(says: &'a Statement) -> Self {
        Self {
            tier: says.tier.as_ref(),
            prior_authorization: says.prior_authorization,
            step_therapy: says.step_therapy,
            quantity_limit: says.quantity_limit,
            mail_order: says.mail_order,
        }
    }
}

impl<'a> From<&'a Candidate> for CandidateFields<'a> {
    fn from(candidate: &'a Candidate) -> Self {
        Self { name: &candidate.name, product_ndcs: &candidate.product_ndcs, differs: candidate.differs.as_deref() }
    }
}

impl<'a> From<&'a CoverageMatrix> for MatrixFields<'a> {
    fn from(matrix: &'a CoverageMatrix) -> Self {
        Self {
            drugs: matrix.drugs.iter().map(DrugFields::from).collect(),
            plans: matrix.plans.iter().map(PlanFields::from).collect(),
            ranked_by: CoverageMatrix::RANKED_BY,
            year: matrix.year,
            other_audiences: matrix.other_audiences,
            area_unknown: &matrix.area_unknown,
            place: matrix.place.iter().map(super::CountyFields::from).collect(),
            origin: OriginFields::from(&matrix.origin),
            complete: matrix.plans.iter().flat_map(|plan| &plan.answers).all(|answer| answer.complete),
            caveats: &matrix.caveats,
            notes: &matrix.notes,
        }
    }
}

impl<'a> DrugFields<'a> {
    pub(super) fn new(notes: &'a [String], drug: &'a AskedDrug) -> Self {
        let notes = notes.iter().chain(&drug.problem).chain(&drug.notes);
        Self {
            query: &drug.query,
            read_as: drug.read_as.as_deref(),
            ignored: &drug.ignored,
            candidates: &drug.candidates,
            notes: notes.map(String::as_str).collect(),
        }
    }
}

impl<'a> From<&'a AskedDrug> for DrugFields<'a> {
    fn from(drug: &'a AskedDrug) -> Self {
        Self::new(&[], drug)
    }
}

impl<'a> From<&'a MatrixPlan> for PlanFields<'a> {
    fn from(column: &'a MatrixPlan) -> Self {
        Self {
            plan: &column.plan.id,
            name: column.plan.name.as_deref(),
            types: &column.plan.types,
            audience: column.plan.audience,
            year: column.plan.year,
            covered: column.covered,
            mixed: column.mixed,
            restricted: column.restricted,
            may_be_restricted: column.may_be_restricted,
            unknown: column.unknown,
            answers: &column.answers,
            notes: &column.notes,
        }
    }
}
