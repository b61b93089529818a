//! The account of what came: which resources others name, which were received, read, refused or of no use, and
//! which are missing. It is kept while facts are read, by the reader that the building uses, so that report, build
//! and answers cannot differ; its memory is bounded.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::Path;

use coverdex_core::{PlanId, Result};

use crate::model::ResourceKind as Kind;
use crate::model::{Content, DrugList, Fact, Received, ResourceKind, Server, SourceId, Stamp};
use crate::spool::{Item, Spool, join};

/// What became of a resource, best first: of several versions the best one tells.
const READ: u8 = 0;
const OF_NO_USE: u8 = 1;
const REFUSED: u8 = 2;
/// A read of it was answered without it; the status follows.
const ANSWERED: u8 = 3;

/// Servers that are told apart.
const MOST_SERVERS: usize = 16;

/// An account under way.
#[derive(Debug)]
pub(crate) struct Account {
    /// What became of each resource (payload: fate and kind, or status).
    fates: Spool,
    /// The same once more: reading one uses it up.
    again: Spool,
    /// What others name (payload: its kind).
    named: Spool,
    /// What lists name (payload: the list's number).
    listed: Spool,
    lists: Vec<ListOf>,
    /// Newest version of each list, by its number.
    newest: HashMap<SourceId, usize>,
    /// Servers by whose addresses resources are named: whatever the server, `Type/id` is asked of the payer.
    servers: BTreeSet<u128>,
    folder: std::path::PathBuf,
}

#[derive(Debug)]
struct ListOf {
    version: (Stamp, Option<u64>),
    plans: Vec<PlanId>,
    unreadable: u32,
    lost: Option<String>,
    current: bool,
}

/// What the account comes to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Settled {
    /// By kind.
    pub(crate) kinds: BTreeMap<ResourceKind, Counts>,
    /// By plan that a list is of.
    pub(crate) plans: BTreeMap<PlanId, PlanCounts>,
    /// Lists that cannot be read and do not say of which plan they are: why.
    pub(crate) lost_lists: Vec<String>,
}

/// One kind of resource.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Counts {
    /// Distinct resources that were understood.
    pub(crate) read: u64,
    /// Those that nobody understands.
    pub(crate) refused: u64,
    /// Those that say nothing a dataset holds.
    pub(crate) of_no_use: u64,
    /// Distinct resources that others name.
    pub(crate) named: u64,
    /// Of these, such as are not there: by the status that a read was answered with, where it was asked.
    pub(crate) missing: BTreeMap<Option<u16>, u64>,
}

impl Counts {
    /// Distinct resources that came.
    pub(crate) fn received(&self) -> u64 {
        self.read + self.refused + self.of_no_use
    }

    fn name(&mut self, fate: Option<&[u8]>) {
        self.named += 1;
        match fate {
            Some([ANSWERED, high, low]) => {
                *self.missing.entry(Some(u16::from_be_bytes([*high, *low]))).or_default() += 1;
            }
            Some(_) => {}
            None => *self.missing.entry(None).or_default() += 1,
        }
    }
}

/// The lists of one plan.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct PlanCounts {
    /// How many lists.
    pub(crate) lists: u32,
    /// What they name, and what is missing of it.
    pub(crate) entries: Counts,
    /// Why a list of it cannot be read.
    pub(crate) lost: Option<String>,
}

impl Account {
    /// `folder` takes what does not fit into memory.
    pub(crate) fn new(folder: &Path, own: Option<&Server>) -> Self {
        let servers = own.into_iter().map(Server::hash).collect();
        let [fates, again, named, listed] = [(); 4].map(|()| Spool::new(folder));
        let (lists, newest) = (Vec::new(), HashMap::new());
        Self { fates, again, named, listed, lists, newest, servers, folder: folder.to_owned() }
    }

    /// Notes resources that were received. `asked` is the plan whose lists were asked for: a list that names no plan
    /// (some carry the literal `HIOS-PLAN-ID`) counts as its.
    pub(crate) fn received(&mut self, received: &[Received], asked: Option<&PlanId>) -> Result<()> {
        for resource in received {
            let fate = match &resource.content {
                Content::Fact(_) => READ,
                Content::OfNoUse(_) => OF_NO_USE,
                Content::Quarantined(_) => REFUSED,
            };
            self.fate(resource.source.0, &[fate, number_of(resource.kind)])?;
            self.names(resource, asked)?;
        }
        Ok(())
    }

    /// Notes resources that stand inside others: they are there, and nobody else counts them.
    pub(crate) fn within(&mut self, within: &[Received]) -> Result<()> {
        for resource in within {
            self.fate(resource.source.0, &[READ])?;
            self.names(resource, None)?;
        }
        Ok(())
    }

    /// Notes that a read of a resource was answered without it.
    pub(crate) fn answered(&mut self, source: u128, status: u16) -> Result<()> {
        let [high, low] = status.to_be_bytes();
        self.fate(source, &[ANSWERED, high, low])
    }

    fn fate(&mut self, source: u128, fate: &[u8]) -> Result<()> {
        self.again.push(source, fate)?;
        self.fates.push(source, fate)
    }

    fn names(&mut self, resource: &Received, asked: Option<&PlanId>) -> Result<()> {
        for server in resource.servers.iter().flat_map(|servers| servers.own.iter().chain(&servers.referred)) {
            if self.servers.len() < MOST_SERVERS {
                self.servers.insert(server.hash());
            }
        }
        let individual = if resource.kind == Kind::Role { Kind::Individual } else { Kind::Organization };
        let Content::Fact(fact) = &resource.content else { return Ok(()) };
        match fact {
            Fact::DrugList(list) => self.list(resource, list, asked),
            Fact::Plans(plans) => plans.iter().try_for_each(|plan| {
                self.name(Kind::Organization, plan.network_references.iter().map(|(network, _)| network))?;
                self.name(Kind::Place, plan.area_references.iter().map(|area| &area.place))
            }),
            Fact::Role(role) => {
                self.name(individual, &role.individual)?;
                self.name(Kind::Organization, &role.organization)?;
                self.name(Kind::Organization, role.network_references.iter().map(|(network, _)| network))?;
                self.name(Kind::Place, &role.places)?;
                self.name(Kind::Service, &role.services)
            }
            Fact::Service(service) => {
                self.name(Kind::Organization, &service.organization)?;
                self.name(Kind::Organization, service.network_references.iter().map(|(network, _)| network))?;
                self.name(Kind::Place, &service.places)
            }
            Fact::FormularyEntry(_) | Fact::Drug(_) | Fact::Individual(_) | Fact::Organization(_) | Fact::Place(_) => {
                Ok(())
            }
        }
    }

    fn name<'a>(&mut self, kind: ResourceKind, sources: impl IntoIterator<Item = &'a SourceId>) -> Result<()> {
        sources.into_iter().try_for_each(|source| self.named.push(source.0, &[number_of(kind)]))
    }

    fn list(&mut self, resource: &Received, list: &DrugList, asked: Option<&PlanId>) -> Result<()> {
        let number = self.lists.len();
        let version = (resource.updated, resource.version);
        self.lists.push(ListOf {
            version,
            plans: plans_of(list, asked),
            unreadable: list.unreadable_entries,
            lost: list.lost.clone(),
            // One that cannot be read may be current.
            current: list.current || list.lost.is_some(),
        });
        let newest = *self.newest.entry(resource.source).or_insert(number);
        if self.lists.get(newest).is_some_and(|before| before.version <= version) {
            self.newest.insert(resource.source, number);
        }
        let number = u32::try_from(number).unwrap_or(u32::MAX).to_be_bytes();
        list.entries.iter().try_for_each(|entry| self.listed.push(entry.0, &number))
    }

    /// What it comes to.
    pub(crate) fn settle(self) -> Result<Settled> {
        let Self { fates, again, named, listed, lists, newest, servers, folder } = self;
        let mut settled = Settled::default();
        // Lists of one version each; of a plan's lists what they name counts once.
        let mut plans_of: Vec<Vec<usize>> = lists.iter().map(|_| Vec::new()).collect();
        let mut plans: Vec<PlanCounts> = Vec::new();
        let mut numbers: BTreeMap<PlanId, usize> = BTreeMap::new();
        let mut newest: Vec<usize> = newest.into_values().collect();
        newest.sort_unstable();
        for number in newest {
            let Some(list) = lists.get(number).filter(|list| list.current) else { continue };
            if let (Some(why), true) = (&list.lost, list.plans.is_empty()) {
                settled.lost_lists.push(why.clone());
            }
            for plan in &list.plans {
                let at = *numbers.entry(plan.clone()).or_insert_with(|| {
                    plans.push(PlanCounts::default());
                    plans.len() - 1
                });
                let Some(of) = plans.get_mut(at) else { continue };
                of.lists += 1;
                of.lost = of.lost.take().or_else(|| list.lost.clone());
                let unreadable = u64::from(list.unreadable);
                of.entries.named += unreadable;
                if unreadable > 0 {
                    *of.entries.missing.entry(None).or_default() += unreadable;
                }
                plans_of.get_mut(number).into_iter().for_each(|plans| plans.push(at));
            }
        }
        let mut entries = Spool::new(&folder);
        let mut of_entry: Vec<usize> = Vec::new();
        let mut open: Option<(u128, Option<Vec<u8>>)> = None;
        let mut close = |open: Option<(u128, Option<Vec<u8>>)>, of_entry: &mut Vec<usize>| {
            let Some((_, fate)) = open else { return };
            of_entry.sort_unstable();
            of_entry.dedup();
            for at in of_entry.drain(..) {
                // An entry that nobody understands is as good as not there.
                let fate = fate.as_deref().filter(|fate| fate.first() != Some(&REFUSED));
                plans.get_mut(at).into_iter().for_each(|plan| plan.entries.name(fate));
            }
        };
        for pair in join(listed.sorted()?, again.sorted()?.unique()) {
            let ((source, number), fate): (Item, _) = pair?;
            if open.as_ref().is_none_or(|(last, _)| *last != source) {
                close(open.replace((source, fate)), &mut of_entry);
            }
            let number = number.first_chunk().map_or(usize::MAX, |bytes| u32::from_be_bytes(*bytes) as usize);
            if let Some(plans) = plans_of.get(number) {
                of_entry.extend(plans);
                if lists.get(number).is_some_and(|list| list.current) {
                    entries.push(source, &[number_of(ResourceKind::FormularyEntry)])?;
                }
            }
        }
        close(open, &mut of_entry);
        settled.plans = numbers.into_iter().filter_map(|(id, at)| Some((id, plans.get(at)?.clone()))).collect();
        settle_kinds(&mut settled.kinds, fates, named, entries, &servers, &folder)?;
        Ok(settled)
    }
}

/// Counts fates by kind, and what is named and not there.
fn settle_kinds(
    kinds: &mut BTreeMap<ResourceKind, Counts>,
    fates: Spool,
    named: Spool,
    entries: Spool,
    servers: &BTreeSet<u128>,
    folder: &Path,
) -> Result<()> {
    let (mut first, mut second) = (Spool::new(folder), Spool::new(folder));
    for item in fates.sorted()?.unique() {
        let (source, fate) = item?;
        first.push(source, &fate)?;
        second.push(source, &fate)?;
        let [fate, kind] = fate.as_slice() else { continue };
        let Some(counts) = kind_of(*kind).map(|kind| kinds.entry(kind).or_default()) else { continue };
        match *fate {
            READ => counts.read += 1,
            OF_NO_USE => counts.of_no_use += 1,
            _ => counts.refused += 1,
        }
    }
    let mut merged = Spool::new(folder);
    for item in named.sorted()?.unique().chain(entries.sorted()?.unique()) {
        let (source, kind) = item?;
        merged.push(source, &kind)?;
    }
    // What may be named by a server's address: its kind, and whether it is there.
    let mut elsewhere: Vec<(ResourceKind, bool)> = Vec::new();
    let mut at_servers = Spool::new(folder);
    for pair in join(merged.sorted()?.unique(), first.sorted()?.unique()) {
        let ((source, kind), fate): (Item, _) = pair?;
        let Some(of_kind) = kind.first().and_then(|kind| kind_of(*kind)) else { continue };
        if fate.is_some() || servers.is_empty() {
            kinds.entry(of_kind).or_default().name(fate.as_deref());
            continue;
        }
        let number = u32::try_from(elsewhere.len()).unwrap_or(u32::MAX).to_be_bytes();
        elsewhere.push((of_kind, false));
        servers.iter().try_for_each(|server| at_servers.push(SourceId(source).at(*server).0, &number))?;
    }
    for pair in join(at_servers.sorted()?, second.sorted()?.unique()) {
        let ((_, number), fate): (Item, _) = pair?;
        let (Some(fate), Some(number)) = (fate, number.first_chunk()) else { continue };
        if let Some((kind, there)) = elsewhere.get_mut(u32::from_be_bytes(*number) as usize).filter(|(_, there)| !there)
        {
            *there = true;
            kinds.entry(*kind).or_default().name(Some(&fate));
        }
    }
    for (kind, _) in elsewhere.into_iter().filter(|(_, there)| !there) {
        kinds.entry(kind).or_default().name(None);
    }
    Ok(())
}

fn plans_of(list: &DrugList, asked: Option<&PlanId>) -> Vec<PlanId> {
    let says_one = |asked: &PlanId| list.plans.iter().any(|plan| !matches!(plan, PlanId::Other(_)) || plan == asked);
    asked.filter(|asked| !says_one(asked)).map_or_else(|| list.plans.clone(), |asked| vec![asked.clone()])
}

fn number_of(kind: ResourceKind) -> u8 {
    let at = ResourceKind::ALL.iter().position(|of| *of == kind);
    at.and_then(|at| u8::try_from(at).ok()).unwrap_or(u8::MAX)
}

fn kind_of(number: u8) -> Option<ResourceKind> {
    ResourceKind::ALL.get(usize::from(number)).copied()
}
