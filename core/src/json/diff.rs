//! What changed between two datasets.

use serde::Serialize;

use super::{OriginFields, through};
use crate::coverage::{Caveat, Comparison, CoverageReason, CoverageStatus, Statement};
use crate::data::{DrugBenefit, Network, Plan};
use crate::diff::{
    ChangedFact, ChangedPackage, CountyMembers, DatasetDiff, DiffSide, DirectoryChanges, DrugChange, DrugChangeCounts,
    DrugChangeKind, DrugListChanges, MemberChange, MemberChangeKind, MemberChanges, MemberCounts, PackageStatement,
    PlanChange, PlanChanges, PlanNotKnown, ReceivedList,
};
use crate::ids::{CountyFips, Ndc11, PlanId, Rxcui};
use crate::plans::CountyFound;
use crate::providers::{NetworkGap, ProviderKind};

through! {
    DatasetDiff => DiffFields,
    DiffSide => SideFields,
    PlanChanges => PlansFields,
    PlanNotKnown => NotKnownFields,
    PlanChange => PlanChangeFields,
    DrugListChanges => ListFields,
    ReceivedList => ReceivedFields,
    DrugChangeCounts => DrugCountFields,
    DrugChange => DrugFields,
    PackageStatement => StatementFields,
    ChangedPackage => PackageFields,
    DirectoryChanges => DirectoryFields,
    MemberChanges => MembersFields,
    MemberCounts => MemberCountFields,
    CountyMembers => CountyFields,
    MemberChange => MemberFields,
}

#[derive(Serialize)]
struct DiffFields<'a> {
    old: &'a DiffSide,
    new: &'a DiffSide,
    /// Whether nothing changed and nothing is left open.
    same: bool,
    /// Whether all drug lists and networks that were compared came completely, in both.
    complete: bool,
    /// Null where not asked for.
    plans: Option<&'a PlanChanges>,
    /// Null where not asked for.
    drug_lists: Option<&'a [DrugListChanges]>,
    /// Null where not asked for, or where one of the two has no directory.
    providers: Option<&'a DirectoryChanges>,
    place: &'a [CountyFound],
    notes: &'a [String],
    caveats: &'a [Caveat],
}

#[derive(Serialize)]
struct SideFields<'a> {
    #[serde(flatten)]
    origin: OriginFields<'a>,
    drugs_as_of: &'a str,
    /// Null where it has no directory.
    directory_as_of: Option<&'a str>,
    plans: u32,
    complete_drug_lists: u32,
    network_gaps: &'a [NetworkGap],
}

#[derive(Serialize)]
struct PlansFields<'a> {
    in_both: u32,
    came: Vec<PlanFields<'a>>,
    left: Vec<PlanFields<'a>>,
    not_known: &'a [PlanNotKnown],
    changed: &'a [PlanChange],
}

#[derive(Serialize)]
struct PlanFields<'a> {
    plan: &'a PlanId,
    name: Option<&'a str>,
    year: Option<u16>,
    networks: &'a [Network],
}

#[derive(Serialize)]
struct NotKnownFields<'a> {
    #[serde(flatten)]
    plan: PlanFields<'a>,
    /// Which of the two has it: `old` or `new`.
    only_in: &'static str,
    reason: &'a str,
}

#[derive(Serialize)]
struct PlanChangeFields<'a> {
    plan: &'a PlanId,
    old_name: Option<&'a str>,
    new_name: Option<&'a str>,
    networks_came: &'a [Network],
    networks_left: &'a [Network],
    networks_not_known: &'a [Network],
}

#[derive(Serialize)]
struct ListFields<'a> {
    plans: &'a [PlanId],
    old: ReceivedList,
    new: ReceivedList,
    counts: DrugChangeCounts,
    changes: &'a [DrugChange],
    /// How many changes are left out.
    more: u32,
}

#[derive(Serialize)]
struct ReceivedFields {
    drugs: DrugBenefit,
    gaps: u32,
    expected: u32,
}

#[derive(Serialize)]
struct DrugCountFields {
    drugs: u32,
    came: u32,
    left: u32,
    not_known: u32,
    changed: u32,
    status: u32,
    tier_better: u32,
    tier_worse: u32,
    tier_other: u32,
    prior_authorization: u32,
    step_therapy: u32,
    quantity_limit: u32,
    mail_order: u32,
    same: u32,
}

#[derive(Serialize)]
struct DrugFields<'a> {
    name: &'a str,
    change: DrugChangeKind,
    comparison: Comparison,
    changed: &'a [ChangedFact],
    old: &'a PackageStatement,
    new: &'a PackageStatement,
    packages: &'a [ChangedPackage],
}

#[derive(Serialize)]
struct StatementFields<'a> {
    status: CoverageStatus,
    reason: Option<CoverageReason>,
    #[serde(flatten)]
    statement: &'a Statement,
    conflict: &'a [Statement],
}

#[derive(Serialize)]
struct PackageFields<'a> {
    ndc11: Option<Ndc11>,
    product_ndc: Option<&'a str>,
    rxcui: &'a [Rxcui],
}

#[derive(Serialize)]
struct DirectoryFields<'a> {
    came: &'a [Network],
    left: &'a [Network],
    not_known: &'a [Network],
    networks: &'a [MemberChanges],
}

#[derive(Serialize)]
struct MembersFields<'a> {
    plans: &'a [PlanId],
    old_networks: &'a [Network],
    new_networks: &'a [Network],
    /// Null where they were received completely.
    old_gap: Option<&'a str>,
    new_gap: Option<&'a str>,
    counts: MemberCounts,
    counties: &'a [CountyMembers],
    changes: &'a [MemberChange],
    /// How many changes are left out.
    more: u32,
}

#[derive(Serialize)]
struct MemberCountFields {
    before: u32,
    after: u32,
    came: u32,
    left: u32,
    inactive: u32,
    active: u32,
    not_known: u32,
}

#[derive(Serialize)]
struct CountyFields<'a> {
    fips: CountyFips,
    name: &'a str,
    #[serde(flatten)]
    counts: MemberCounts,
}

#[derive(Serialize)]
struct MemberFields<'a> {
    /// The smallest valid NPI; without one what is stated for it, and empty where nothing is.
    npi: String,
    npi_valid: bool,
    name: &'a str,
    kind: ProviderKind,
    specialties: &'a [String],
    /// Null where its places are not stated, or in no known county.
    county_fips: Option<CountyFips>,
    county: Option<&'a str>,
    change: MemberChangeKind,
    reason: Option<&'a str>,
    elsewhere: bool,
}

impl<'a> From<&'a DatasetDiff> for DiffFields<'a> {
    fn from(diff: &'a DatasetDiff) -> Self {
        Self {
            old: &diff.old,
            new: &diff.new,
            same: diff.is_empty(),
            complete: diff.is_complete(),
            plans: diff.plans.as_ref(),
            drug_lists: diff.drugs.as_deref(),
            providers: diff.providers.as_ref(),
            place: &diff.place,
            notes: &diff.notes,
            caveats: &diff.caveats,
        }
    }
}

impl<'a> From<&'a DiffSide> for SideFields<'a> {
    fn from(side: &'a DiffSide) -> Self {
        Self {
            origin: OriginFields::from(&side.origin),
            drugs_as_of: &side.drugs_as_of,
            directory_as_of: side.directory_as_of.as_deref(),
            plans: side.plans,
            complete_drug_lists: side.complete_drug_lists,
            network_gaps: &side.network_gaps,
        }
    }
}

impl<'a> From<&'a Plan> for PlanFields<'a> {
    fn from(plan: &'a Plan) -> Self {
        Self { plan: &plan.id, name: plan.name.as_deref(), year: plan.year, networks: &plan.networks }
    }
}

impl<'a> From<&'a PlanChanges> for PlansFields<'a> {
    fn from(changes: &'a PlanChanges) -> Self {
        Self {
            in_both: changes.in_both,
            came: changes.came.iter().map(PlanFields::from).collect(),
            left: changes.left.iter().map(PlanFields::from).collect(),
            not_known: &changes.not_known,
            changed: &changes.changed,
        }
    }
}

impl<'a> From<&'a PlanNotKnown> for NotKnownFields<'a> {
    fn from(not_known: &'a PlanNotKnown) -> Self {
        Self {
            plan: PlanFields::from(&not_known.plan),
            only_in: if not_known.is_new { "new" } else { "old" },
            reason: &not_known.reason,
        }
    }
}

impl<'a> From<&'a PlanChange> for PlanChangeFields<'a> {
    fn from(change: &'a PlanChange) -> Self {
        Self {
            plan: &change.plan,
            old_name: change.old_name.as_deref(),
            new_name: change.new_name.as_deref(),
            networks_came: &change.networks_came,
            networks_left: &change.networks_left,
            networks_not_known: &change.networks_not_known,
        }
    }
}

impl<'a> From<&'a DrugListChanges> for ListFields<'a> {
    fn from(lists: &'a DrugListChanges) -> Self {
        Self {
            plans: &lists.plans,
            old: lists.old,
            new: lists.new,
            counts: lists.counts,
            changes: &lists.changes,
            more: lists.more,
        }
    }
}

impl From<&ReceivedList> for ReceivedFields {
    fn from(list: &ReceivedList) -> Self {
        Self { drugs: list.drugs, gaps: list.gaps, expected: list.expected }
    }
}

impl From<&DrugChangeCounts> for DrugCountFields {
    fn from(counts: &DrugChangeCounts) -> Self {
        Self {
            drugs: counts.drugs,
            came: counts.came,
            left: counts.left,
            not_known: counts.not_known,
            changed: counts.changed,
            status: counts.status,
            tier_better: counts.tier_better,
            tier_worse: counts.tier_worse,
            tier_other: counts.tier_other,
            prior_authorization: counts.prior_authorization,
            step_therapy: counts.step_therapy,
            quantity_limit: counts.quantity_limit,
            mail_order: counts.mail_order,
            same: counts.same,
        }
    }
}

impl<'a> From<&'a DrugChange> for DrugFields<'a> {
    fn from(change: &'a DrugChange) -> Self {
        Self {
            name: &change.name,
            change: change.kind,
            comparison: change.comparison,
            changed: &change.changed,
            old: &change.old,
            new: &change.new,
            packages: &change.packages,
        }
    }
}

impl<'a> From<&'a PackageStatement> for StatementFields<'a> {
    fn from(says: &'a PackageStatement) -> Self {
        Self { status: says.status, reason: says.reason, statement: &says.statement, conflict: &says.conflict }
    }
}

impl<'a> From<&'a ChangedPackage> for PackageFields<'a> {
    fn from(package: &'a ChangedPackage) -> Self {
        Self { ndc11: package.ndc11, product_ndc: package.product_ndc.as_deref(), rxcui: &package.rxcui }
    }
}

impl<'a> From<&'a DirectoryChanges> for DirectoryFields<'a> {
    fn from(changes: &'a DirectoryChanges) -> Self {
        Self { came: &changes.came, left: &changes.left, not_known: &changes.not_known, networks: &changes.networks }
    }
}

impl<'a> From<&'a MemberChanges> for MembersFields<'a> {
    fn from(members: &'a MemberChanges) -> Self {
        Self {
            plans: &members.plans,
            old_networks: &members.old_networks,
            new_networks: &members.new_networks,
            old_gap: members.old_gap.as_deref(),
            new_gap: members.new_gap.as_deref(),
            counts: members.counts,
            counties: &members.counties,
            changes: &members.changes,
            more: members.more,
        }
    }
}

impl From<&MemberCounts> for MemberCountFields {
    fn from(counts: &MemberCounts) -> Self {
        Self {
            before: counts.before,
            after: counts.after,
            came: counts.came,
            left: counts.left,
            inactive: counts.inactive,
            active: counts.active,
            not_known: counts.not_known,
        }
    }
}

impl<'a> From<&'a CountyMembers> for CountyFields<'a> {
    fn from(members: &'a CountyMembers) -> Self {
        Self { fips: members.county, name: &members.name, counts: members.counts }
    }
}

impl<'a> From<&'a MemberChange> for MemberFields<'a> {
    fn from(change: &'a MemberChange) -> Self {
        let npi = change.npi.map(|npi| npi.to_string()).or_else(|| change.stated_npi.clone());
        Self {
            npi: npi.unwrap_or_default(),
            npi_valid: change.npi.is_some(),
            name: &change.name,
            kind: change.kind,
            specialties: &change.specialties,
            county_fips: change.county,
            county: change.county_name.as_deref(),
            change: change.kind_of_change,
            reason: change.reason.as_deref(),
            elsewhere: change.elsewhere,
        }
    }
}
