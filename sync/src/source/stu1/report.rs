//! The sync report: what must exist, what is there, what is missing and why. It is read from
//! staging, depends on the resources alone, and goes into the dataset; what depends on the way
//! (restarts, pages, bytes, times) is in [`Crawl`](crate::fetch::Crawl) and [`received`].

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Mutex, PoisonError};

use coverdex_core::{PlanId, Result};
use serde::{Deserialize, Serialize};

use super::half::{FormerHalf, Half};
use super::reading::{ReadOptions, StagingCounts, read_accounted};
use super::type_of;
use crate::account::{Account, Counts, PlanCounts, Settled};
use crate::model::{Received as Facts, ResourceKind, Server};

use crate::fetch::crawl::byid::id_of;
use crate::fetch::crawl::survey;
use crate::fhir::page::key;
use crate::source::stu1::directory::{self, AFFILIATION, REFERRED, ROLE, SERVICE};
use crate::source::stu1::formulary::ENTRY;
use crate::source::stu1::plan::{Plans, Selection, fits};
use crate::source::stu1::views::{self, normal_plan};
use crate::staging::{Group, Purpose, Staging};

/// What a sync saw.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SyncReport {
    /// When the payer's data was read (RFC 3339).
    pub as_of: Option<String>,
    /// The half that stands as an earlier reading saw it, as this one did not see it whole.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub former: Option<FormerHalf>,
    /// Plans that were asked for by name and that nothing of what came names, each with some that are there.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub not_there: BTreeMap<String, Vec<String>>,
    /// The payer's base address.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub source: String,
    /// What was asked for.
    pub selection: Selection,
    /// Whether all of it was seen.
    pub complete: bool,
    /// By resource type, in a fixed order.
    pub types: Vec<TypeReport>,
    /// By plan asked for, in order of their ids.
    pub plans: Vec<PlanReport>,
    /// By network of those plans, in order.
    pub networks: Vec<NetworkReport>,
}

impl SyncReport {
    /// When a half was read.
    #[must_use]
    pub fn as_of(&self, half: Half) -> Option<&str> {
        let former = self.former.as_ref().filter(|former| former.half == half);
        former.map(|former| former.as_of.as_str()).or(self.as_of.as_deref())
    }

    /// Whether a half was asked for and seen whole.
    #[must_use]
    pub fn is_whole(&self, half: Half) -> bool {
        half.is_selected(&self.selection)
            && self.types.iter().filter(|of| half.is_concerned(&of.resource_type)).all(|of| of.complete)
            && self.types.iter().any(|of| half.has(&of.resource_type) && of.distinct > 0)
    }

    /// This report with a half as an earlier one tells of it.
    pub(crate) fn with_former(self, half: Half, former: Self) -> Self {
        let Self { as_of, types, plans, networks, .. } = former;
        let own = self.types.into_iter().filter(|of| !half.has(&of.resource_type));
        let types: Vec<TypeReport> = own.chain(types.into_iter().filter(|of| half.has(&of.resource_type))).collect();
        let (plans, networks) = match half {
            Half::Formulary => (plans, self.networks),
            Half::Directory => (self.plans, networks),
        };
        let complete = types.iter().all(|of| of.complete);
        let former = as_of.map(|as_of| FormerHalf { half, as_of });
        Self { former, complete, types, plans, networks, ..self }
    }
}

/// One resource type.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TypeReport {
    /// The type.
    pub resource_type: String,
    /// Resources that others refer to and so must exist: for MedicationKnowledge those that Lists
    /// name, for the directory those that roles, affiliations, services and plans name.
    pub expected: Option<u64>,
    /// Distinct resources that came.
    pub distinct: u64,
    /// Of these, such as cannot be understood.
    #[serde(default)]
    pub refused: u64,
    /// Of these, such as say nothing that a dataset holds.
    #[serde(default)]
    pub of_no_use: u64,
    /// Expected ones that are not there.
    pub gaps: Vec<Gap>,
    /// Whether all that the payer serves was seen (gaps are what it does not serve).
    pub complete: bool,
    /// Why not.
    pub reasons: Vec<String>,
}

impl TypeReport {
    /// Whether formularies are made of it.
    #[must_use]
    pub fn is_of_formulary(&self) -> bool {
        matches!(self.resource_type.as_str(), "InsurancePlan" | "List" | ENTRY)
    }

    /// Whether the directory is made of it.
    #[must_use]
    pub fn is_of_directory(&self) -> bool {
        Half::Directory.has(&self.resource_type)
    }
}

/// Expected resources that are not there.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Gap {
    /// The server's answer to a read; none where it was not asked for, or did not answer.
    pub status: Option<u16>,
    /// How many.
    pub count: u64,
}

/// One plan's formulary.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlanReport {
    /// The plan.
    pub plan: String,
    /// Its List resources.
    pub lists: u32,
    /// Distinct entries that they name.
    pub expected: u64,
    /// Those of them that are there.
    pub present: u64,
    /// Those that are not.
    pub gaps: Vec<Gap>,
    /// Whether all that the payer serves of it was seen.
    pub complete: bool,
    /// Whether all of its Lists were; one that came and cannot be read is among them.
    #[serde(default)]
    pub lists_complete: bool,
    /// Why not.
    pub reasons: Vec<String>,
}

/// One network's roles, and the affiliations that state it where the payer has them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct NetworkReport {
    /// The system as received.
    pub system: String,
    /// The id in it.
    pub id: String,
    /// Whether roles came through a filter (by tag, or active ones only): absence then means nothing.
    pub filtered: bool,
    /// Whether they were seen completely.
    pub complete: bool,
    /// Why not.
    pub reasons: Vec<String>,
}

/// What came of one type, repeated resources and all attempts included: depends on the way.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Received {
    /// Pages of searches.
    pub pages: u64,
    /// Entries of those pages.
    pub entries: u64,
    /// Resources read by id.
    pub by_id: u64,
    /// The largest `total` that the server stated: a hint.
    pub total: Option<u64>,
}

/// What came of each type, from what groups of live pages add up to.
pub fn received(staging: &Staging) -> Result<BTreeMap<String, Received>> {
    let mut types: BTreeMap<String, Received> = BTreeMap::new();
    for (group, sums) in staging.groups() {
        let received = types.entry(group.resource_type.clone()).or_default();
        match group.purpose {
            Purpose::Search | Purpose::Changes => {
                received.pages += sums.pages;
                received.entries += sums.entries;
                received.total = received.total.max(sums.total);
            }
            Purpose::ById | Purpose::ByIds => received.by_id += sums.entries,
        }
    }
    Ok(types)
}

/// So many of the resources of a type that others name are missing, or of those that came are refused, that the type
/// is not complete (parts of a hundred).
const MISSES: u64 = 10;

/// Reads the sync report from staging.
///
/// # Errors
/// As reading staging.
pub fn report(staging: &Staging) -> Result<SyncReport> {
    Ok(read(staging, &ReadOptions::default(), |_| Ok(()))?.0)
}

/// Reads staging once: what came of it, and its facts into `sink`.
///
/// # Errors
/// As reading staging, and whatever `sink` returns.
pub(crate) fn read(
    staging: &Staging,
    options: &ReadOptions<'_>,
    sink: impl Fn(Vec<Facts>) -> Result<()> + Sync,
) -> Result<(SyncReport, StagingCounts)> {
    let live = staging.live();
    let selection: Selection =
        live.begun.last().and_then(|begin| serde_json::from_str(&begin.selection).ok()).unwrap_or_default();
    let troubles = troubles(staging, &selection);
    let account = Mutex::new(Account::new(staging.folder(), Server::of_address(staging.source()).as_ref()));
    let counts = read_accounted(staging, options, &account, sink)?;
    let mut account = account.into_inner().unwrap_or_else(PoisonError::into_inner);
    let is_gap = |group: &Group| group.purpose == Purpose::ById && group.empty;
    for page in staging.live_headers_of(is_gap, |_| true) {
        let (page, ..) = page?;
        if let Some(id) = id_of(&page.url) {
            account.answered(key(&page.resource_type, &id), page.status)?;
        }
    }
    let settled = account.settle()?;
    let mut views = Vec::new();
    survey::each(
        staging,
        "InsurancePlan",
        |_| true,
        |entry| {
            views.push(views::plan_view(entry.json));
            Ok(())
        },
    )?;
    let plans = Plans::choose(&selection, views);
    let mut types: Vec<TypeReport> = Vec::new();
    for resource_type in types_of(&selection).filter(|of| is_told(staging, &troubles, of)) {
        let counts = ResourceKind::from_name(resource_type).and_then(|kind| settled.kinds.get(&kind));
        let mut of_type = type_report(resource_type, counts.unwrap_or(&Counts::default()), &settled);
        let mut reasons = reasons(&troubles, resource_type);
        if reasons.is_empty() {
            reasons.extend(needs(resource_type, &types));
        }
        reasons.append(&mut of_type.reasons);
        types.push(TypeReport { complete: reasons.is_empty(), reasons, ..of_type });
    }
    let formulary =
        if selection.formulary { self::plans(&selection, &plans, &troubles, &types, &settled) } else { Vec::new() };
    let is_there = |typed: &&String| {
        let by_list = || settled.plans.keys().any(|id| fits(typed, &id.to_string()));
        plans.known.iter().any(|id| fits(typed, id)) || by_list()
    };
    let plans_seen =
        types.iter().all(|of| of.complete || !matches!(of.resource_type.as_str(), "InsurancePlan" | "List"));
    let not_there = selection.plans.iter().filter(|typed| plans_seen && !is_there(typed));
    let not_there = not_there.map(|typed| (typed.clone(), near(typed, &plans.known))).collect();
    let networks = if selection.directory { networks(&selection, &plans, &troubles, &types) } else { Vec::new() };
    let report = SyncReport {
        as_of: staging.as_of().map(str::to_owned),
        former: None,
        not_there,
        source: staging.source().to_owned(),
        selection,
        complete: troubles.is_empty() && types.iter().all(|of| of.complete),
        types,
        plans: formulary,
        networks,
    };
    Ok((report, counts))
}

/// Some plans that a mistyped one may mean: of its contract, else any.
fn near(typed: &str, known: &BTreeSet<String>) -> Vec<String> {
    const MOST: usize = 5;
    let contract = typed.get(..5).unwrap_or(typed);
    let is_of_contract = |id: &&String| id.get(..5).is_some_and(|own| own.eq_ignore_ascii_case(contract));
    let written = |id: &String| normal_plan(id).map_or_else(|| id.clone(), |id| id.to_string());
    let of_contract: Vec<String> = known.iter().filter(is_of_contract).take(MOST).map(written).collect();
    if of_contract.is_empty() { known.iter().take(MOST).map(written).collect() } else { of_contract }
}

/// What the account says of a type, with reasons why it is not complete though its pages are.
fn type_report(resource_type: &str, counts: &Counts, settled: &Settled) -> TypeReport {
    let is_named = resource_type == ENTRY || REFERRED.contains(&resource_type);
    // What was not asked for, some trouble says already.
    let asked = counts.missing.iter().filter(|(status, _)| status.is_some());
    let (received, missing) = (counts.received(), asked.map(|(_, count)| count).sum::<u64>());
    let mut reasons = Vec::new();
    if is_named && missing * 100 > counts.named * MISSES {
        reasons.push(format!("{missing} of the {} that others name are not there", counts.named));
    }
    if counts.refused * 100 > received * MISSES {
        reasons.push(format!("{} of {received} cannot be understood", counts.refused));
    }
    if resource_type == "List" {
        reasons.extend(settled.lost_lists.iter().take(1).map(|why| format!("a List cannot be read: {why}")));
    }
    TypeReport {
        resource_type: resource_type.to_owned(),
        expected: is_named.then_some(counts.named),
        distinct: received,
        refused: counts.refused,
        of_no_use: counts.of_no_use,
        gaps: if is_named { gaps(counts) } else { Vec::new() },
        complete: false,
        reasons,
    }
}

fn gaps(counts: &Counts) -> Vec<Gap> {
    counts.missing.iter().map(|(status, count)| Gap { status: *status, count: *count }).collect()
}

/// What is not complete. A complete reading stands until a later one has put anything in its place:
/// what is then there is of two readings, and what the later one could not see is not known.
fn troubles(staging: &Staging, selection: &Selection) -> BTreeMap<String, String> {
    let live = staging.live();
    let last = live.begun.last().map(|begin| begin.generation);
    let is_complete = |generation: u32| live.finished.iter().any(|f| f.generation == generation && f.complete);
    let replaced = live.ends.values().any(|end| end.complete && Some(end.pass.generation) == last);
    let stands = live.begun.iter().any(|begin| {
        let of: Option<Selection> = serde_json::from_str(&begin.selection).ok();
        (Some(begin.generation) == last || !replaced)
            && is_complete(begin.generation)
            && of.is_some_and(|of| of.covers(&selection.words()))
    });
    if stands {
        return BTreeMap::new();
    }
    match live.finished.last().filter(|finish| Some(finish.generation) == last) {
        Some(finish) => finish.incomplete.clone(),
        None => [("sync".to_owned(), "it was interrupted".to_owned())].into(),
    }
}

fn types_of(selection: &Selection) -> impl Iterator<Item = &'static str> {
    let of_halves = Half::ALL.into_iter().filter(|half| half.is_selected(selection)).flat_map(Half::types);
    std::iter::once("InsurancePlan").chain(of_halves.copied())
}

/// Whether a type is told of: one that not every payer has only where something of it is there, or was
/// looked for to the end, or should have come.
fn is_told(staging: &Staging, troubles: &BTreeMap<String, String>, resource_type: &str) -> bool {
    let live = staging.live();
    let mut ended = live.ends.values().filter(|end| end.complete && end.pass.generation >= live.oldest_generation());
    !directory::OPTIONAL.contains(&resource_type)
        || ended.any(|end| type_of(&end.pass.query) == resource_type)
        || troubles.keys().any(|part| type_of(part) == resource_type)
        || staging.groups().any(|(group, _)| group.resource_type == resource_type)
}

/// The reasons that concern a type.
fn reasons(troubles: &BTreeMap<String, String>, resource_type: &str) -> Vec<String> {
    let concerns = |part: &str| part == "sync" || type_of(part) == resource_type;
    troubles
        .iter()
        .filter(|(part, _)| concerns(part))
        .map(|(part, reason)| if part == resource_type { reason.clone() } else { format!("{part}: {reason}") })
        .collect()
}

/// What is known of a type only as far as others are complete: plans tell which Lists to ask for,
/// Lists which entries, roles and affiliations which services, providers and places.
fn needs(resource_type: &str, before: &[TypeReport]) -> Option<String> {
    let needed: &[&str] = match resource_type {
        "List" => &["InsurancePlan"],
        ENTRY => &["List"],
        SERVICE => &[ROLE, AFFILIATION],
        "Practitioner" => &[ROLE],
        "Organization" | "Location" => &[ROLE, AFFILIATION, SERVICE],
        _ => &[],
    };
    let incomplete = |needed: &&&str| before.iter().any(|of| of.resource_type == **needed && !of.complete);
    needed.iter().find(incomplete).map(|needed| format!("{needed} is not complete"))
}

fn plans(
    selection: &Selection,
    plans: &Plans,
    troubles: &BTreeMap<String, String>,
    types: &[TypeReport],
    settled: &Settled,
) -> Vec<PlanReport> {
    let nothing = PlanCounts::default();
    let mut of_plan: BTreeMap<PlanId, &PlanCounts> =
        plans.wanted.iter().filter_map(|id| Some((normal_plan(id)?, &nothing))).collect();
    for (plan, counts) in &settled.plans {
        if of_plan.contains_key(plan) || selection.wants_unknown(&plan.to_string()) {
            of_plan.insert(plan.clone(), counts);
        }
    }
    // What concerns another plan's queries only is no reason here.
    let general_of = |resource_type: &'static str| {
        types
            .iter()
            .filter(move |of| of.resource_type == resource_type)
            .flat_map(|of| &of.reasons)
            .filter(|reason| !reason.starts_with("List?") && !reason.starts_with("MedicationKnowledge?"))
    };
    let general: BTreeSet<&String> = general_of("List").chain(general_of(ENTRY)).collect();
    let lists_seen = general_of("List").next().is_none();
    let report = |(plan, counts): (PlanId, &PlanCounts)| {
        let own = troubles.iter().filter(|(part, _)| {
            let of =
                part.strip_prefix("List?identifier=").or_else(|| part.strip_prefix("MedicationKnowledge?DrugPlan="));
            of.and_then(normal_plan).as_ref() == Some(&plan)
        });
        let own: Vec<_> = own.collect();
        let own_lists_seen = own.iter().all(|(part, _)| type_of(part) != "List");
        let mut reasons: Vec<String> = general.iter().map(|reason| (*reason).clone()).collect();
        reasons.extend(own.into_iter().map(|(part, reason)| format!("{part}: {reason}")));
        reasons.extend(counts.lost.iter().map(|why| format!("a List of it cannot be read: {why}")));
        let (expected, missing) = (counts.entries.named, counts.entries.missing.values().sum::<u64>());
        let gone: u64 = counts.entries.missing.iter().filter_map(|(status, count)| status.map(|_| count)).sum();
        if gone * 100 > expected * MISSES {
            reasons.push(format!("{gone} of the {expected} entries that its Lists name are not there"));
        }
        PlanReport {
            plan: plan.to_string(),
            lists: counts.lists,
            expected,
            present: expected - missing,
            gaps: gaps(&counts.entries),
            complete: reasons.is_empty(),
            lists_complete: lists_seen && own_lists_seen,
            reasons,
        }
    };
    of_plan.into_iter().map(report).collect()
}

fn networks(
    selection: &Selection,
    plans: &Plans,
    troubles: &BTreeMap<String, String>,
    types: &[TypeReport],
) -> Vec<NetworkReport> {
    let filtered = selection.by_network() || selection.active_only;
    plans
        .networks
        .iter()
        .map(|network| {
            let tag = format!("_tag={}|{}", network.system(), network.id());
            let mut reasons: Vec<String> = reasons(troubles, ROLE)
                .into_iter()
                .filter(|reason| !reason.contains("_tag=") || reason.contains(&tag))
                .collect();
            // Whom roles name must be there: who a role is of is not known else.
            let of_others = types.iter().filter(|of| matches!(of.resource_type.as_str(), ROLE | AFFILIATION));
            let counted =
                of_others.flat_map(|of| &of.reasons).filter(|reason| reason.starts_with(|c: char| c.is_ascii_digit()));
            reasons.extend(counted.cloned());
            let of_affiliations = troubles.iter().filter(|(part, _)| type_of(part) == AFFILIATION);
            reasons.extend(of_affiliations.map(|(part, reason)| format!("{part}: {reason}")));
            let (system, id) = (network.system().to_owned(), network.id().to_owned());
            NetworkReport { system, id, filtered, complete: reasons.is_empty(), reasons }
        })
        .collect()
}
