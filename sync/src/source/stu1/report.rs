//! The sync report: what must exist, what is there, what is missing and why. It is read from
//! staging, depends on the resources alone, and goes into the dataset; what depends on the way
//! (restarts, pages, bytes, times) is in [`Crawl`](crate::fetch::Crawl) and [`received`].

use std::collections::{BTreeMap, BTreeSet};

use coverdex_core::PlanId;
use coverdex_core::Result;
use serde::{Deserialize, Serialize};

use crate::fetch::crawl::byid::id_of;
use crate::fetch::crawl::spool::{Spool, join};
use crate::fetch::crawl::survey;
use crate::fhir::page::id_hash;
use crate::source::stu1::directory::{self, AFFILIATION, REFERRED, ROLE, SERVICE};
use crate::source::stu1::formulary::{self, ENTRY};
use crate::source::stu1::plan::{Plans, Selection};
use crate::source::stu1::views::{self, normal_plan};
use crate::staging::{Group, Purpose, Staging};

/// What a sync saw.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SyncReport {
    /// When the payer's data was read (RFC 3339).
    pub as_of: Option<String>,
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

/// One resource type.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TypeReport {
    /// The type.
    pub resource_type: String,
    /// Resources that others refer to and so must exist: for MedicationKnowledge those that Lists
    /// name, for the directory those that roles, affiliations, services and plans name.
    pub expected: Option<u64>,
    /// Distinct resources that are there.
    pub distinct: u64,
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
        matches!(self.resource_type.as_str(), "InsurancePlan" | "List" | "MedicationKnowledge")
    }

    /// Whether the directory is made of it.
    #[must_use]
    pub fn is_of_directory(&self) -> bool {
        directory::PARTS.contains(&self.resource_type.as_str())
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

/// Reads the sync report from staging.
///
/// # Errors
/// As reading staging.
pub fn report(staging: &Staging) -> Result<SyncReport> {
    let live = staging.live();
    let selection: Selection =
        live.begun.last().and_then(|begin| serde_json::from_str(&begin.selection).ok()).unwrap_or_default();
    let troubles = troubles(staging, &selection);
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
    let mut types = Vec::new();
    let mut entries = None;
    let mut referred: BTreeMap<&str, Spool> = BTreeMap::new();
    if selection.directory {
        referred.extend(REFERRED.into_iter().zip(directory::references(staging, |_| true)?));
    }
    for resource_type in types_of(&selection).filter(|of| is_told(staging, &troubles, of)) {
        let mut reasons = reasons(&troubles, resource_type);
        if reasons.is_empty() {
            reasons.extend(needs(resource_type, &types));
        }
        let mut of_type = TypeReport {
            resource_type: resource_type.to_owned(),
            complete: reasons.is_empty(),
            reasons,
            ..TypeReport::default()
        };
        let references = match resource_type {
            ENTRY => Some(formulary::list_references(staging, |_| true)?),
            of => referred.remove(of),
        };
        let fates = Fates::read(staging, resource_type)?;
        of_type.distinct = fates.there;
        if resource_type == ENTRY {
            entries = Some(fates.again);
        }
        if let Some(references) = references {
            let mut counts = Counts::default();
            for pair in join(references.sorted()?.unique(), fates.spool.sorted()?.unique()) {
                counts.add(pair?.1.as_deref());
            }
            of_type.expected = Some(counts.expected);
            of_type.gaps = counts.gaps();
        }
        types.push(of_type);
    }
    let plan_reports = match entries {
        Some(fates) => self::plans(staging, &selection, &plans, &troubles, fates)?,
        None => Vec::new(),
    };
    let networks = if selection.directory { networks(&selection, &plans, &troubles) } else { Vec::new() };
    Ok(SyncReport {
        as_of: staging.as_of().map(str::to_owned),
        source: staging.source().to_owned(),
        selection,
        complete: troubles.is_empty(),
        types,
        plans: plan_reports,
        networks,
    })
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
    let formulary = ["List", ENTRY, "Medication"].into_iter().filter(|_| selection.formulary);
    let directory = directory::PARTS.into_iter().filter(|_| selection.directory);
    std::iter::once("InsurancePlan").chain(formulary).chain(directory)
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

/// The type that a query or a part of the report is about.
fn type_of(part: &str) -> &str {
    part.split(['?', '/', ' ']).next().unwrap_or_default()
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

/// What became of each resource of a type: it is there, or a read was answered with a status.
struct Fates {
    spool: Spool,
    /// The same once more: reading one uses it up, and pages are read once.
    again: Spool,
    there: u64,
}

const THERE: u8 = 0;
const STATUS: u8 = 1;

impl Fates {
    fn read(staging: &Staging, resource_type: &str) -> Result<Self> {
        let [mut spool, mut again, mut ids] = [(); 3].map(|()| Spool::new(staging.folder()));
        survey::each(
            staging,
            resource_type,
            |_| true,
            |entry| {
                let id = id_hash(resource_type, &entry.id);
                ids.push(id, &[])?;
                again.push(id, &[THERE])?;
                spool.push(id, &[THERE])
            },
        )?;
        let mut there = 0;
        for item in ids.sorted()?.unique() {
            item?;
            there += 1;
        }
        let is_gap = |page: &Group| page.resource_type == resource_type && page.purpose == Purpose::ById && page.empty;
        for page in staging.live_headers_of(is_gap, |_| true) {
            let (page, ..) = page?;
            if let Some(id) = id_of(&page.url) {
                let [low, high] = page.status.to_le_bytes();
                again.push(id_hash(resource_type, &id), &[STATUS, high, low])?;
                spool.push(id_hash(resource_type, &id), &[STATUS, high, low])?;
            }
        }
        Ok(Self { spool, again, there })
    }
}

/// Expected resources and what became of them.
#[derive(Default)]
struct Counts {
    expected: u64,
    present: u64,
    gaps: BTreeMap<Option<u16>, u64>,
}

impl Counts {
    fn add(&mut self, fate: Option<&[u8]>) {
        self.expected += 1;
        match fate {
            Some([THERE, ..]) => self.present += 1,
            Some([STATUS, high, low]) => *self.gaps.entry(Some(u16::from_le_bytes([*low, *high]))).or_default() += 1,
            _ => *self.gaps.entry(None).or_default() += 1,
        }
    }

    fn gaps(&self) -> Vec<Gap> {
        self.gaps.iter().map(|(status, count)| Gap { status: *status, count: *count }).collect()
    }
}

fn plans(
    staging: &Staging,
    selection: &Selection,
    plans: &Plans,
    troubles: &BTreeMap<String, String>,
    fates: Spool,
) -> Result<Vec<PlanReport>> {
    let mut of_plan: BTreeMap<PlanId, (u32, Counts)> =
        plans.wanted.iter().filter_map(|id| Some((normal_plan(id)?, (0, Counts::default())))).collect();
    // Plans that Lists are of, by number: the payload of a reference is the plan's number.
    let mut numbers: BTreeMap<PlanId, u32> = BTreeMap::new();
    let mut references = Spool::new(staging.folder());
    let mut seen = BTreeSet::new();
    survey::each_page(
        staging,
        "List",
        |_| true,
        |page, lists| {
            for list in lists.iter().filter(|list| views::list_is_current(list.json)) {
                if !seen.insert(list.stamp()) {
                    continue;
                }
                for plan in plans_of_list(list.json, &page.pass.query) {
                    if !of_plan.contains_key(&plan) && !selection.wants_unknown(&plan.to_string()) {
                        continue;
                    }
                    of_plan.entry(plan.clone()).or_default().0 += 1;
                    let next = u32::try_from(numbers.len()).unwrap_or(u32::MAX);
                    let number = *numbers.entry(plan).or_insert(next);
                    let mut result = Ok(());
                    views::list_references(list.json, &mut |id| {
                        if result.is_ok() {
                            result = references.push(id_hash(ENTRY, id), &number.to_le_bytes());
                        }
                    });
                    result?;
                }
            }
            Ok(())
        },
    )?;
    let by_number: BTreeMap<u32, PlanId> = numbers.into_iter().map(|(plan, number)| (number, plan)).collect();
    let mut last = None;
    for pair in join(references.sorted()?, fates.sorted()?.unique()) {
        let ((hash, number), fate) = pair?;
        if last.replace((hash, number.clone())).is_some_and(|last| last == (hash, number.clone())) {
            continue;
        }
        let number = number.first_chunk().map(|bytes| u32::from_le_bytes(*bytes));
        if let Some(counts) = number.and_then(|n| of_plan.get_mut(by_number.get(&n)?)) {
            counts.1.add(fate.as_deref());
        }
    }
    let general: BTreeSet<String> = ["List", ENTRY]
        .into_iter()
        .flat_map(|part| reasons(troubles, part))
        .filter(|reason| !reason.starts_with("List?") && !reason.starts_with("MedicationKnowledge?"))
        .collect();
    Ok(of_plan
        .into_iter()
        .map(|(plan, (lists, counts))| {
            // What concerns another plan's queries only is no reason here.
            let own = troubles.iter().filter(|(part, _)| {
                let of = part
                    .strip_prefix("List?identifier=")
                    .or_else(|| part.strip_prefix("MedicationKnowledge?DrugPlan="));
                of.and_then(normal_plan).as_ref() == Some(&plan)
            });
            let mut reasons: Vec<String> = general.iter().cloned().collect();
            reasons.extend(own.map(|(part, reason)| format!("{part}: {reason}")));
            let (gaps, complete) = (counts.gaps(), reasons.is_empty());
            let Counts { expected, present, .. } = counts;
            PlanReport { plan: plan.to_string(), lists, expected, present, gaps, complete, reasons }
        })
        .collect())
}

/// The plans that a List is of: by its identifiers; by the query that brought it where they say
/// nothing that looks like a plan (some carry the literal `HIOS-PLAN-ID`).
fn plans_of_list(list: &str, query: &str) -> BTreeSet<PlanId> {
    let named: BTreeSet<PlanId> = views::identifiers(list).iter().filter_map(|id| normal_plan(id)).collect();
    if named.iter().any(|plan| !matches!(plan, PlanId::Other(_))) {
        return named;
    }
    let asked = query.strip_prefix("List?identifier=").and_then(normal_plan);
    match asked {
        Some(plan) if !named.contains(&plan) => [plan].into(),
        _ => named,
    }
}

fn networks(selection: &Selection, plans: &Plans, troubles: &BTreeMap<String, String>) -> Vec<NetworkReport> {
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
            let of_affiliations = troubles.iter().filter(|(part, _)| type_of(part) == AFFILIATION);
            reasons.extend(of_affiliations.map(|(part, reason)| format!("{part}: {reason}")));
            let (system, id) = (network.system().to_owned(), network.id().to_owned());
            NetworkReport { system, id, filtered, complete: reasons.is_empty(), reasons }
        })
        .collect()
}
