//! Lists meet entries: which entry stands in which plan's formulary, and what is missing.

use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::Path;
use std::sync::Arc;

use coverdex_core::PlanId;
use coverdex_core::Result;

use super::collect::{DrugRecord, NONE, Newest, Reference, Said, newest};
use crate::build::report::Report;
use crate::build::shelves::{Fields, Record, Shelves};
use crate::model::{DrugList, NetworkName, PlanFacts, ResourceKind, SourceId};
use crate::source::{ByKey, FormularyGap};

/// Shelves that placed entries are spread over, by plan.
const SHELVES: usize = 64;

/// An entry in a plan's formulary.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Placed {
    /// Number of the plan.
    pub(super) plan: u32,
    /// Number of its drug facts.
    pub(super) drug: u32,
    /// Number of its terms.
    pub(super) terms: u32,
    /// By a List that names it; else by the plan that the entry itself names.
    pub(super) by_list: bool,
}

impl Record for Placed {
    const LENGTH: usize = 13;

    fn write(&self, bytes: &mut Vec<u8>) {
        bytes.extend(self.plan.to_le_bytes());
        bytes.extend(self.drug.to_le_bytes());
        bytes.extend(self.terms.to_le_bytes());
        bytes.push(u8::from(self.by_list));
    }

    fn read(fields: &mut Fields<'_>) -> Self {
        Self { plan: fields.u32(), drug: fields.u32(), terms: fields.u32(), by_list: fields.u8() == 1 }
    }
}

/// What a plan's Lists name and what came of it.
#[derive(Clone, Debug, Default)]
pub(super) struct PlanLists {
    pub(super) lists: u32,
    pub(super) expected: u32,
    pub(super) gaps: u32,
    pub(super) quarantined: u32,
    /// Lists that are there and of whose entries nothing is known.
    pub(super) lost: u32,
    /// Current Lists of the plan, newest last.
    pub(super) contents: Vec<Arc<DrugList>>,
}

/// The networks that a version of an InsurancePlan names for a plan, by key and by reference.
#[derive(Clone, Debug, Default)]
pub(super) struct Named {
    pub(super) networks: Vec<NetworkName>,
    pub(super) references: Vec<(SourceId, Option<String>)>,
}

/// Lists, entries and offers, joined.
pub(super) struct Joined {
    pub(super) placed: Shelves<Placed>,
    /// The first of the plans that share all their Lists, for each of them by its number. What the Lists name is
    /// placed once, as the first's.
    pub(super) sharing: HashMap<u32, u32>,
    pub(super) lists: HashMap<u32, PlanLists>,
    /// Some List is lost and may be of any plan.
    pub(super) lost_anywhere: bool,
    /// Drug facts that some current resource states.
    pub(super) stated: Vec<bool>,
    /// What InsurancePlans say, oldest first for each plan.
    pub(super) offers: BTreeMap<PlanId, Vec<PlanFacts>>,
    /// For each plan, for each InsurancePlan of which several versions are the newest, what each of
    /// these names. Such a one names no networks in the offers.
    pub(super) contested: BTreeMap<PlanId, Vec<Vec<Named>>>,
    /// Other versions of resources that came too; how many depends on the way.
    pub(super) repeats: u64,
    /// Newest `meta.lastUpdated`, nanoseconds since 1970.
    pub(super) newest: Option<i64>,
}

impl Joined {
    /// What may be missing of a plan's formulary, by what a source says and by Lists that are lost.
    pub(super) fn gap(
        &self,
        id: &PlanId,
        number: Option<u32>,
        gaps: &ByKey<PlanId, FormularyGap>,
    ) -> Option<FormularyGap> {
        let lists = number.and_then(|number| self.lists.get(&number));
        let is_lost = lists.is_some_and(|lists| lists.lost > 0 || (self.lost_anywhere && lists.expected > 0));
        gaps.get(id).copied().or(is_lost.then_some(FormularyGap::Incomplete))
    }
}

/// Joins everything that was said. `folder` takes what does not fit in memory.
pub(super) fn join(said: &mut Said, folder: &Path, report: &mut Report) -> Result<Joined> {
    let mut joined = Joined {
        placed: Shelves::new(SHELVES, folder),
        sharing: HashMap::new(),
        lists: HashMap::new(),
        lost_anywhere: false,
        stated: vec![false; said.drugs.len()],
        offers: BTreeMap::new(),
        contested: BTreeMap::new(),
        repeats: 0,
        newest: None,
    };
    join_offers(said, &mut joined, report);
    let plans_of_list = plans_of_lists(said, &mut joined, report)?;
    joined.sharing = sharing(&plans_of_list);
    for shelf in 0..said.records.count() {
        let mut records = said.records.read(shelf)?;
        records.sort_unstable_by(|a, b| newest_last(said, a, b));
        let mut references = said.references.read(shelf)?;
        references.sort_unstable();
        join_shelf(said, &records, &references, &plans_of_list, &mut joined, report)?;
    }
    Ok(joined)
}

/// By identity, then by date, then by content: the last of an identity is the one that counts, in
/// whatever order they came.
fn newest_last(said: &Said, a: &DrugRecord, b: &DrugRecord) -> Ordering {
    (a.source, a.is_entry, a.stamp).cmp(&(b.source, b.is_entry, b.stamp)).then_with(|| {
        let content = |record: &DrugRecord| {
            let understood = record.drug != NONE;
            (
                understood,
                said.drugs.value(record.drug).cloned(),
                said.plans.value(record.plan).cloned(),
                understood.then(|| said.terms.value(record.terms).cloned()).flatten(),
                (!understood).then(|| said.reasons.value(record.terms).cloned()).flatten(),
            )
        };
        content(a).cmp(&content(b))
    })
}

fn join_offers(said: &Said, joined: &mut Joined, report: &mut Report) {
    let (mut offers, older) = newest(&said.offers);
    joined.repeats += older;
    offers.sort_by_key(|offer| (offer.version.stamp, offer.version.tie));
    for Newest { version: offer, rivals, .. } in offers {
        joined.newest = joined.newest.max(offer.stamp.0);
        let versions: Vec<&[PlanFacts]> = rivals
            .iter()
            .copied()
            .chain([offer])
            .filter_map(|version| Some(version.content.as_ref().ok()?.as_slice()))
            .collect();
        if versions.len() > 1 {
            report.kept_apart(ResourceKind::Plan, "another version of the same date says otherwise");
            if versions.iter().copied().flatten().any(|plan| plan.current) {
                report.used(ResourceKind::Plan);
                join_contested(said, &versions, joined);
                continue;
            }
        }
        match &offer.content {
            Ok(plans) if plans.iter().any(|plan| plan.current) => {
                report.used(ResourceKind::Plan);
                plans.iter().filter(|plan| plan.current).for_each(|plan| offer_plan(said, plan.clone(), joined));
            }
            Ok(plans) if plans.is_empty() => report.of_no_use(ResourceKind::Plan, "names no plan"),
            Ok(_) => report.of_no_use(ResourceKind::Plan, "retired or entered in error"),
            Err(refused) => refuse(report, ResourceKind::Plan, refused.quarantined, &refused.reason),
        }
    }
}

fn offer_plan(said: &Said, mut plan: PlanFacts, joined: &mut Joined) {
    let referred = plan.area_references.iter().filter_map(|area| said.area(area));
    plan.areas.extend(referred);
    joined.offers.entry(plan.plan.clone()).or_default().push(plan);
}

/// Takes versions of an InsurancePlan of which none is the newest: each may be the one that holds, so a
/// version that does not name a plan, or is retired, names no network of it.
fn join_contested(said: &Said, versions: &[&[PlanFacts]], joined: &mut Joined) {
    let current = || versions.iter().copied().flatten().filter(|plan| plan.current);
    for plan in current() {
        let facts = PlanFacts { networks: Vec::new(), network_references: Vec::new(), ..plan.clone() };
        offer_plan(said, facts, joined);
    }
    let ids: BTreeSet<&PlanId> = current().map(|plan| &plan.plan).collect();
    for id in ids {
        let named = versions.iter().map(|plans| {
            let mut named = Named::default();
            for plan in plans.iter().filter(|plan| plan.current && plan.plan == *id) {
                named.networks.extend(plan.networks.iter().cloned());
                named.references.extend(plan.network_references.iter().cloned());
            }
            named
        });
        joined.contested.entry(id.clone()).or_default().push(named.collect());
    }
}

fn refuse(report: &mut Report, kind: ResourceKind, quarantined: bool, reason: &str) {
    if quarantined {
        report.quarantined(kind, reason);
    } else {
        report.of_no_use(kind, reason);
    }
}

/// The plans of each List by its number; empty for a List that does not count. A List whose
/// identifiers name no plan is of the plan that all its entries name.
fn plans_of_lists(said: &mut Said, joined: &mut Joined, report: &mut Report) -> Result<Vec<Vec<u32>>> {
    let mut plans_of_list: Vec<Vec<u32>> = vec![Vec::new(); said.lists.len()];
    let lists = said.lists.clone();
    let (mut current, older) = newest(&lists);
    joined.repeats += older;
    current.sort_by_key(|list| (list.version.stamp, list.version.tie));
    let is_nameless = |list: &DrugList| list.current && list.plans.is_empty() && list.lost.is_none();
    let nameless: Vec<usize> = current
        .iter()
        .filter(|list| list.version.content.as_ref().is_ok_and(is_nameless))
        .map(|list| list.at)
        .collect();
    let by_entries = if nameless.is_empty() { HashMap::new() } else { plans_of_entries(said, &nameless)? };
    for Newest { at, version: list, rivals } in current {
        // Which of them holds is not known: neither is what the plans do not list.
        if !rivals.is_empty() {
            let contents = rivals.into_iter().chain([list]).filter_map(|list| list.content.as_ref().ok());
            let plans: BTreeSet<&PlanId> = contents.flat_map(|content| &content.plans).collect();
            let plans: Vec<u32> = plans.into_iter().map(|plan| said.plans.number(plan.clone())).collect();
            lose(plans.into_iter(), joined);
        }
        joined.newest = joined.newest.max(list.stamp.0);
        let content = match &list.content {
            Ok(content) => content,
            Err(refused) => {
                refuse(report, ResourceKind::DrugList, refused.quarantined, &refused.reason);
                joined.lost_anywhere |= refused.quarantined;
                continue;
            }
        };
        let mut plans: Vec<u32> = content.plans.iter().map(|plan| said.plans.number(plan.clone())).collect();
        if let Some(reason) = &content.lost {
            report.quarantined(ResourceKind::DrugList, reason);
            lose(plans.into_iter(), joined);
            continue;
        }
        if !content.current {
            report.of_no_use(ResourceKind::DrugList, "retired or entered in error");
            continue;
        }
        match by_entries.get(&at) {
            Some(named) if named.len() == 1 => plans.extend(named),
            Some(named) => {
                report.of_no_use(ResourceKind::DrugList, "names no plan, nor do its entries agree on one");
                lose(named.iter().copied(), joined);
                continue;
            }
            None if plans.is_empty() => {
                report.of_no_use(ResourceKind::DrugList, "names no plan and no entry");
                continue;
            }
            None => {}
        }
        plans.sort_unstable();
        plans.dedup();
        report.used(ResourceKind::DrugList);
        // What it names is placed elsewhere.
        let content = Arc::new(DrugList { entries: Vec::new(), ..content.clone() });
        for plan in &plans {
            let lists = joined.lists.entry(*plan).or_default();
            lists.lists += 1;
            // An entry that names nothing readable must exist all the same.
            lists.expected += content.unreadable_entries;
            lists.gaps += content.unreadable_entries;
            lists.contents.push(Arc::clone(&content));
        }
        if let Some(slot) = plans_of_list.get_mut(at) {
            *slot = plans;
        }
    }
    Ok(plans_of_list)
}

/// Notes that a List of these plans, or of any if they are not known, says what nobody can read.
fn lose(plans: impl ExactSizeIterator<Item = u32>, joined: &mut Joined) {
    joined.lost_anywhere |= plans.len() == 0;
    for plan in plans {
        joined.lists.entry(plan).or_default().lost += 1;
    }
}

/// For each of these Lists that has entries: the plans that its entries name.
fn plans_of_entries(said: &mut Said, lists: &[usize]) -> Result<HashMap<usize, BTreeSet<u32>>> {
    let mut named: HashMap<usize, BTreeSet<u32>> = HashMap::new();
    for shelf in 0..said.records.count() {
        let mut records = said.records.read(shelf)?;
        records.sort_unstable_by(|a, b| newest_last(said, a, b));
        // Of several versions the newest counts; it may name no plan any more.
        let newest: HashMap<u128, Vec<u32>> = records
            .chunk_by(|a, b| (a.source, a.is_entry) == (b.source, b.is_entry))
            .filter_map(|same| {
                let versions = newest_of(same);
                let first = versions.first().filter(|record| record.is_entry)?;
                let readable = versions.iter().filter(|record| record.drug != NONE && record.plan != NONE);
                Some((first.source, readable.map(|record| record.plan).collect()))
            })
            .collect();
        for reference in said.references.read(shelf)? {
            let list = reference.list as usize;
            if lists.contains(&list) {
                let plans = newest.get(&reference.target).into_iter().flatten();
                named.entry(list).or_default().extend(plans);
            }
        }
    }
    Ok(named)
}

fn join_shelf(
    said: &Said,
    records: &[DrugRecord],
    references: &[Reference],
    plans_of_list: &[Vec<u32>],
    joined: &mut Joined,
    report: &mut Report,
) -> Result<()> {
    let mut rest = references;
    let mut at = 0;
    while let Some(first) = records.get(at) {
        let same = records
            .get(at..)
            .unwrap_or_default()
            .iter()
            .take_while(|other| (other.source, other.is_entry) == (first.source, first.is_entry))
            .count();
        at += same;
        joined.repeats += same as u64 - 1;
        let versions = newest_of(records.get(at - same..at).unwrap_or_default());
        let Some(record) = versions.last() else { break };
        joined.newest = joined.newest.max((record.stamp != i64::MIN).then_some(record.stamp));
        if !record.is_entry {
            take_medication(said, record, joined, report);
            continue;
        }
        // References to identities before this one lead nowhere.
        let missing = rest.iter().take_while(|reference| reference.target < record.source).count();
        let (absent, from_here) = rest.split_at(missing);
        note_gaps(absent, plans_of_list, joined, false);
        let mine = from_here.iter().take_while(|reference| reference.target == record.source).count();
        let (mine, after) = from_here.split_at(mine);
        rest = after;
        take_entry(said, &versions, mine, plans_of_list, joined, report)?;
    }
    note_gaps(rest, plans_of_list, joined, false);
    Ok(())
}

/// The newest of one resource's versions, last; before it those of the same date and number, or without
/// a number, that say something else: none of them is the newest, so all of them hold, and contradict
/// each other.
fn newest_of(versions: &[DrugRecord]) -> Vec<DrugRecord> {
    let Some(stamp) = versions.last().map(|last| last.stamp) else { return Vec::new() };
    let of_date = || versions.iter().filter(|version| version.stamp == stamp);
    let highest = of_date().map(|version| version.number).max();
    let newest: Vec<DrugRecord> =
        of_date().filter(|version| version.number == 0 || Some(version.number) == highest).copied().collect();
    let Some(last) = newest.last() else { return Vec::new() };
    let says = |record: &DrugRecord| (record.drug, record.plan, record.terms);
    let mut kept: Vec<DrugRecord> = newest.iter().filter(|other| other.drug != NONE).copied().collect();
    kept.dedup_by_key(|record| says(record));
    if last.drug == NONE {
        kept.push(*last);
    }
    kept
}

fn take_medication(said: &Said, record: &DrugRecord, joined: &mut Joined, report: &mut Report) {
    if record.drug == NONE {
        let reason = said.reasons.value(record.terms).map_or("", String::as_str);
        refuse(report, ResourceKind::Drug, record.quarantined, reason);
        return;
    }
    report.used(ResourceKind::Drug);
    if let Some(stated) = joined.stated.get_mut(record.drug as usize) {
        *stated = true;
    }
}

/// Takes an entry: its newest version, or several where it is not known which one that is.
fn take_entry(
    said: &Said,
    versions: &[DrugRecord],
    references: &[Reference],
    plans_of_list: &[Vec<u32>],
    joined: &mut Joined,
    report: &mut Report,
) -> Result<()> {
    let kind = ResourceKind::FormularyEntry;
    let Some(record) = versions.last() else { return Ok(()) };
    if record.drug == NONE {
        let reason = said.reasons.value(record.terms).map_or("", String::as_str);
        refuse(report, kind, record.quarantined, reason);
        note_gaps(references, plans_of_list, joined, true);
        return Ok(());
    }
    let plans = plans_of(references, plans_of_list);
    for plan in &plans {
        if let Some(lists) = joined.lists.get_mut(plan) {
            lists.expected += 1;
        }
    }
    for record in versions {
        if let Some(stated) = joined.stated.get_mut(record.drug as usize) {
            *stated = true;
        }
        for plan in plans.iter().filter(|plan| joined.first(**plan) == **plan).copied().collect::<Vec<_>>() {
            put(joined, plan, record, true)?;
        }
        if plans.is_empty() && record.plan != NONE {
            put(joined, record.plan, record, false)?;
        }
    }
    if plans.is_empty() && versions.iter().all(|record| record.plan == NONE) {
        report.folded(kind, "names no plan, and no List names it: only its drug's names and codes are used");
    } else {
        report.used(kind);
    }
    Ok(())
}

fn put(joined: &mut Joined, plan: u32, record: &DrugRecord, by_list: bool) -> Result<()> {
    let placed = Placed { plan, drug: record.drug, terms: record.terms, by_list };
    // On one shelf with what the plans share.
    let first = joined.first(plan);
    joined.placed.put(first as usize, &placed)
}

impl Joined {
    /// The first of the plans that share all their Lists with a plan.
    pub(super) fn first(&self, plan: u32) -> u32 {
        self.sharing.get(&plan).copied().unwrap_or(plan)
    }
}

/// For each plan that has Lists the first of those that share all of them.
fn sharing(plans_of_list: &[Vec<u32>]) -> HashMap<u32, u32> {
    let mut lists_of: BTreeMap<u32, Vec<usize>> = BTreeMap::new();
    for (list, plans) in plans_of_list.iter().enumerate() {
        for plan in plans {
            lists_of.entry(*plan).or_default().push(list);
        }
    }
    let mut first_of: HashMap<&[usize], u32> = HashMap::new();
    lists_of.iter().map(|(plan, lists)| (*plan, *first_of.entry(lists).or_insert(*plan))).collect()
}

fn plans_of(references: &[Reference], plans_of_list: &[Vec<u32>]) -> Vec<u32> {
    let mut plans: Vec<u32> = references
        .iter()
        .filter_map(|reference| plans_of_list.get(reference.list as usize))
        .flatten()
        .copied()
        .collect();
    plans.sort_unstable();
    plans.dedup();
    plans
}

/// Entries that Lists name and that are absent, or came and could not be understood.
fn note_gaps(references: &[Reference], plans_of_list: &[Vec<u32>], joined: &mut Joined, quarantined: bool) {
    for same in references.chunk_by(|a, b| a.target == b.target) {
        for plan in plans_of(same, plans_of_list) {
            if let Some(lists) = joined.lists.get_mut(&plan) {
                lists.expected += 1;
                lists.gaps += 1;
                lists.quarantined += u32::from(quarantined);
            }
        }
    }
}
