//! Providers: resources that are one, what they are called, and which NPIs they have.

use std::cmp::Reverse;
use std::collections::{HashMap, HashSet};

use coverdex_core::Npi;
use coverdex_core::Result;
use coverdex_core::build::providers::{layout, name_key};

use crate::build::intern::Interner;
use crate::build::report::Report;
use crate::doors::ByType;
use crate::model::{Day, Individual, OrganizationFacts, Period, PersonName, Place, ResourceKind, SourceId, Standing};

use super::collect::{Came, NONE, Said};
use super::folding::{self, Address, Apart, Evidence, Folded, Kind, Names, is_plausible};
use super::named::Named;
use super::networks::Networks;
use super::phones::{CodedPhones, PhoneLists, shown};
use super::unite::agreed;

/// Where NPIs begin; they are kept without it.
const NPI_BASE: u64 = 1_000_000_000;

/// Places of an organization whose addresses are compared.
const MOST_SITES: usize = 64;

/// A provider.
#[derive(Clone, Debug)]
pub(super) struct ProviderRow {
    /// The smallest of its own NPIs, less [`NPI_BASE`]; [`NONE`]: it has none.
    pub(super) npi: u32,
    pub(super) name: Box<str>,
    pub(super) name_key: Box<str>,
    rare: Option<Box<Rare>>,
    /// Number of its [`Trait`].
    pub(super) of_trait: u32,
    pub(super) phones: CodedPhones,
    /// Whether the resource that is shown is inactive: marked so, ended or not begun.
    pub(super) inactive: bool,
    /// Whether a type of its organizations says closed doors.
    pub(super) closed_by_type: Option<ByType>,
    /// Identity of the first of its resources.
    pub(super) source: u128,
}

/// What few providers have: a directory has millions of them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Rare {
    /// Its own NPIs but the smallest, less [`NPI_BASE`], ascending.
    aliases: Vec<u32>,
    /// Valid NPIs that it states and that are not its own, less [`NPI_BASE`], ascending.
    merely_stated: Vec<u32>,
    /// What is stated for an NPI where none is its own.
    stated_npi: Option<String>,
    other_names: Vec<String>,
}

impl ProviderRow {
    /// Its own NPIs less [`NPI_BASE`], ascending: all but the first are aliases.
    pub(super) fn npis(&self) -> impl Iterator<Item = u32> + '_ {
        let aliases = self.rare.iter().flat_map(|rare| rare.aliases.iter().copied());
        (self.npi != NONE).then_some(self.npi).into_iter().chain(aliases)
    }

    /// Every valid NPI that it states, own or not, less [`NPI_BASE`].
    pub(super) fn all_npis(&self) -> impl Iterator<Item = u32> + '_ {
        self.npis().chain(self.rare.iter().flat_map(|rare| rare.merely_stated.iter().copied()))
    }

    /// What is stated for an NPI where none is its own.
    pub(super) fn stated_npi(&self) -> Option<&str> {
        self.rare.as_ref()?.stated_npi.as_deref()
    }

    pub(super) fn other_names(&self) -> &[String] {
        self.rare.as_ref().map_or(&[], |rare| &rare.other_names)
    }
}

/// Kind, gender, languages.
pub(super) type Trait = (u32, Option<String>, Vec<String>);

/// A Practitioner or an Organization, by its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum Member {
    Individual(u32),
    Organization(u32),
}

/// The providers of a directory, in no order yet.
#[derive(Debug, Default)]
pub(super) struct Providers {
    pub(super) rows: Vec<ProviderRow>,
    pub(super) traits: Interner<Trait>,
    individuals: Vec<u32>,
    organizations: Vec<u32>,
    /// Of individuals and organizations that are not active on the day of the data.
    inactive: HashMap<Member, Inactivity>,
    /// Those of which the payer says two things.
    contrary: HashSet<Member>,
}

/// Why a Practitioner or Organization is not active.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Inactivity {
    /// It is marked inactive.
    pub(super) marked: bool,
    /// How its period stands to the day of the data.
    pub(super) standing: Standing,
}

/// What one resource says of a provider.
#[derive(Debug, Default)]
struct Facts {
    npis: Vec<Npi>,
    stated_npi: Option<String>,
    inactivity: Option<Inactivity>,
    closed_by_type: Option<ByType>,
    /// Names that hold, best first.
    names: Vec<String>,
    /// Names that ended or are former ones.
    former_names: Vec<String>,
    gender: Option<String>,
    languages: Vec<String>,
    phones: Vec<String>,
}

/// Resources and NPIs that belong together.
struct Union(Vec<u32>);

impl Union {
    fn root(&mut self, of: u32) -> u32 {
        let mut at = of;
        while let Some(up) = self.0.get(at as usize).copied().filter(|up| *up != at) {
            at = up;
        }
        let mut below = of;
        while below != at {
            let Some(up) = self.0.get_mut(below as usize) else { break };
            below = std::mem::replace(up, at);
        }
        at
    }

    fn join(&mut self, a: u32, b: u32) {
        let (a, b) = (self.root(a), self.root(b));
        if let Some(up) = self.0.get_mut(a.max(b) as usize) {
            *up = a.min(b);
        }
    }
}

impl Providers {
    /// Providers of the Practitioners and Organizations that roles name, and of those with a valid NPI.
    pub(super) fn of(
        said: &Said,
        networks: &Networks,
        today: Day,
        named: &Named,
        phones: &mut PhoneLists,
        report: &mut Report,
    ) -> Result<Self> {
        let mut members: Vec<Member> = Vec::new();
        // Each valid NPI with the member that states it.
        let mut stated: Vec<(Npi, u32)> = Vec::new();
        let mut take = |member: Member, came: Came<Vec<String>>, report: &mut Report| match came {
            Came::Quarantined(reason) => report.quarantined(member.kind(), &reason),
            Came::OfNoUse(reason) => report.of_no_use(member.kind(), &reason),
            Came::Fact(npis) => {
                let npis = valid_npis(&npis);
                if npis.is_empty() && !named.member(member) {
                    report.of_no_use(member.kind(), "no role names it and it has no valid NPI");
                    return;
                }
                let at = u32::try_from(members.len()).unwrap_or(NONE);
                members.push(member);
                stated.extend(npis.into_iter().map(|npi| (npi, at)));
            }
        };
        for number in (0..).take(said.individuals.len()) {
            if let Some(came) = said.individuals.read::<Individual>(number)? {
                take(Member::Individual(number), came.map(|facts| facts.npis), report);
            }
        }
        for number in (0..).take(said.organizations.len()) {
            let Some(came) = said.organizations.read::<OrganizationFacts>(number)? else { continue };
            let source = SourceId(said.organizations.order(number).2);
            match came {
                Came::Fact(_) if networks.is_network(source) => report.used(ResourceKind::Organization),
                Came::Fact(facts) if is_payer(&facts) && !named.member(Member::Organization(number)) => {
                    report.of_no_use(ResourceKind::Organization, "a payer, no provider");
                }
                came => take(Member::Organization(number), came.map(|facts| facts.npis), report),
            }
        }
        let mut union = Union((0..).take(members.len()).collect());
        stated.sort_unstable();
        let mut states_sample = vec![false; members.len()];
        for same in stated.chunk_by(|(a, _), (b, _)| a == b) {
            let [(npi, first), rest @ ..] = same else { continue };
            if is_plausible(*npi) {
                for (_, other) in rest {
                    union.join(*first, *other);
                }
            } else if !rest.is_empty() {
                for (_, at) in same {
                    if let Some(states) = states_sample.get_mut(*at as usize) {
                        *states = true;
                    }
                }
            }
        }
        drop(stated);
        let mut order: Vec<(u32, u32)> = (0..).take(members.len()).map(|at| (union.root(at), at)).collect();
        order.sort_unstable();
        let mut providers = Self {
            individuals: vec![NONE; said.individuals.len()],
            organizations: vec![NONE; said.organizations.len()],
            ..Self::default()
        };
        // Those that share no NPI with another have nothing to agree on.
        for linked in order.chunk_by(|(a, _), (b, _)| a == b) {
            let mut group = Vec::with_capacity(linked.len());
            for (member, at) in linked.iter().filter_map(|(_, at)| Some((*members.get(*at as usize)?, *at as usize))) {
                let sample = states_sample.get(at) == Some(&true);
                providers.note_versions(said, member, today, report)?;
                let mut stated = Stated::read(said, member, today, linked.len() > 1, sample)?;
                if let Some(evidence) = stated.as_mut().and_then(|stated| stated.evidence.as_mut()) {
                    add_sites(evidence, said, named.sites(member))?;
                }
                group.extend(stated);
            }
            providers.add_linked(said, group, phones, report);
        }
        Ok(providers)
    }

    /// Adds the providers among resources that NPIs link.
    fn add_linked(&mut self, said: &Said, mut group: Vec<Stated>, phones: &mut PhoneLists, report: &mut Report) {
        group.sort_by(|a, b| a.shown_first(said).cmp(&b.shown_first(said)));
        let Folded { first, own, apart } = if let [only] = group.as_slice() {
            let own = only.facts.npis.iter().copied().filter(|npi| is_plausible(*npi)).collect();
            Folded { first: vec![0], own: vec![own], apart: vec![None] }
        } else {
            folding::fold(&group.iter().filter_map(|stated| stated.evidence.clone()).collect::<Vec<_>>())
        };
        for (stated, apart) in group.iter().zip(apart) {
            let apart = if stated.states_sample { Some(Apart::SampleNpi) } else { apart };
            if let Some(apart) = apart {
                report.kept_apart(stated.member.kind(), apart.as_str());
            }
        }
        let mut order: Vec<(usize, usize)> = first.into_iter().zip(0..).collect();
        order.sort_unstable();
        for of_one in order.chunk_by(|(a, _), (b, _)| a == b) {
            let members: Vec<(&Stated, &[Npi])> =
                of_one.iter().filter_map(|(_, at)| Some((group.get(*at)?, own.get(*at)?.as_slice()))).collect();
            self.add(said, &members, phones, report);
        }
    }

    /// Notes whether versions of one date contradict each other in what decides an answer: who it is, and
    /// whether it is active.
    fn note_versions(&mut self, said: &Said, member: Member, today: Day, report: &mut Report) -> Result<()> {
        let (is_contrary, versions): (bool, Vec<Option<(bool, Evidence)>>) = match member {
            Member::Individual(number) => {
                let versions = said.individuals.read_contrary::<Individual>(number)?.into_iter();
                let version = |facts: Individual| {
                    let inactive = inactivity(facts.active, facts.period, today).is_some();
                    (inactive, evidence_of_individual(&facts))
                };
                (said.individuals.is_contrary(number), versions.map(|came| came.fact().map(version)).collect())
            }
            Member::Organization(number) => {
                let versions = said.organizations.read_contrary::<OrganizationFacts>(number)?.into_iter();
                let version = |facts: OrganizationFacts| {
                    let inactive = inactivity(facts.active, facts.period, today).is_some();
                    (inactive, evidence_of_organization(&facts, today))
                };
                (said.organizations.is_contrary(number), versions.map(|came| came.fact().map(version)).collect())
            }
        };
        if is_contrary {
            report.kept_apart(member.kind(), "another version of the same date says otherwise");
        }
        if !agree(&versions) {
            self.contrary.insert(member);
        }
        Ok(())
    }

    fn add(&mut self, said: &Said, group: &[(&Stated, &[Npi])], phones: &mut PhoneLists, report: &mut Report) {
        let number = u32::try_from(self.rows.len()).unwrap_or(NONE);
        let (mut rare, mut own, mut all) = (Rare::default(), Vec::new(), Vec::new());
        let (mut source, mut inactive, mut genders) = (0, false, Vec::new());
        let (mut languages, mut own_phones) = (Vec::new(), Vec::new());
        let mut kind = layout::kind::ORGANIZATION;
        let closed_by_type = group.iter().filter_map(|(stated, _)| stated.facts.closed_by_type).max();
        for (at, (Stated { member, facts, .. }, npis)) in group.iter().enumerate() {
            if at == 0 {
                source = member.source(said);
                inactive = facts.inactivity.is_some();
                report.used(member.kind());
            } else {
                report.folded(member.kind(), "same NPI, names agree");
            }
            if member.kind() == ResourceKind::Individual {
                kind = layout::kind::INDIVIDUAL;
            }
            self.place(*member, number, facts.inactivity);
            own.extend(npis.iter().copied().filter_map(less_base));
            all.extend(facts.npis.iter().copied().filter_map(less_base));
            rare.stated_npi = rare.stated_npi.take().or_else(|| facts.stated_npi.clone());
            genders.push(facts.gender.clone());
            languages.extend(facts.languages.iter().cloned());
            for phone in &facts.phones {
                if !own_phones.contains(phone) {
                    own_phones.push(phone.clone());
                }
            }
        }
        // A name that holds is shown before one that ended, whichever resource says it.
        let current = group.iter().flat_map(|(stated, _)| &stated.facts.names);
        let former = group.iter().flat_map(|(stated, _)| &stated.facts.former_names);
        let (mut name, mut keys) = (String::new(), Vec::new());
        for stated in current.chain(former) {
            let key = name_key(stated);
            if key.is_empty() || keys.contains(&key) {
                continue;
            }
            if keys.is_empty() {
                name.clone_from(stated);
            } else {
                rare.other_names.push(stated.clone());
            }
            keys.push(key);
        }
        for npis in [&mut own, &mut all] {
            npis.sort_unstable();
            npis.dedup();
        }
        all.retain(|npi| own.binary_search(npi).is_err());
        rare.merely_stated = all;
        rare.stated_npi = rare.stated_npi.take().filter(|_| own.is_empty());
        let mut own = own.into_iter();
        let npi = own.next().unwrap_or(NONE);
        rare.aliases = own.collect();
        let first_key = keys.into_iter().next().unwrap_or_default();
        languages.sort();
        languages.dedup();
        self.rows.push(ProviderRow {
            npi,
            name: name.into(),
            name_key: first_key.into(),
            rare: (rare != Rare::default()).then(|| Box::new(rare)),
            of_trait: self.traits.number((kind, agreed(genders.into_iter()), languages)),
            phones: phones.code(&own_phones),
            inactive,
            closed_by_type,
            source,
        });
    }

    fn place(&mut self, member: Member, provider: u32, inactivity: Option<Inactivity>) {
        let (of, number) = match member {
            Member::Individual(number) => (&mut self.individuals, number),
            Member::Organization(number) => (&mut self.organizations, number),
        };
        if let Some(of) = of.get_mut(number as usize) {
            *of = provider;
        }
        if let Some(inactivity) = inactivity {
            self.inactive.insert(member, inactivity);
        }
    }

    /// The provider that a resource belongs to; `None`: it did not come, or it is no provider.
    pub(super) fn provider(&self, member: Member) -> Option<u32> {
        let (of, number) = match member {
            Member::Individual(number) => (&self.individuals, number),
            Member::Organization(number) => (&self.organizations, number),
        };
        of.get(number as usize).copied().filter(|provider| *provider != NONE)
    }

    /// Whether the payer says two things of a resource that decide an answer.
    pub(super) fn is_contrary(&self, member: Member) -> bool {
        self.contrary.contains(&member)
    }

    /// Why a resource is not active; `None`: it is.
    pub(super) fn inactivity(&self, member: Member) -> Option<Inactivity> {
        self.inactive.get(&member).copied()
    }
}

impl Member {
    fn kind(self) -> ResourceKind {
        match self {
            Self::Individual(_) => ResourceKind::Individual,
            Self::Organization(_) => ResourceKind::Organization,
        }
    }

    fn source(self, said: &Said) -> u128 {
        match self {
            Self::Individual(number) => said.individuals.order(number).2,
            Self::Organization(number) => said.organizations.order(number).2,
        }
    }
}

/// A resource with what it says.
struct Stated {
    member: Member,
    facts: Facts,
    /// What it is folded by; `None`: it shares no NPI with another.
    evidence: Option<Evidence>,
    /// It states a sample NPI that another resource states too.
    states_sample: bool,
}

impl Stated {
    fn read(said: &Said, member: Member, today: Day, is_linked: bool, states_sample: bool) -> Result<Option<Self>> {
        let (facts, evidence) = match member {
            Member::Individual(number) => {
                let Some(Came::Fact(facts)) = said.individuals.read::<Individual>(number)? else { return Ok(None) };
                (of_individual(&facts, today), is_linked.then(|| evidence_of_individual(&facts)))
            }
            Member::Organization(number) => {
                let read = said.organizations.read::<OrganizationFacts>(number)?;
                let Some(Came::Fact(facts)) = read else { return Ok(None) };
                (of_organization(&facts, today), is_linked.then(|| evidence_of_organization(&facts, today)))
            }
        };
        Ok(Some(Self { member, facts, evidence, states_sample }))
    }

    /// Individuals before organizations, active before inactive, then the newest.
    fn shown_first<'a>(&self, said: &'a Said) -> (bool, bool, Reverse<i64>, &'a [u8], u128) {
        let (is_organization, (stamp, bytes, source)) = match self.member {
            Member::Individual(number) => (false, said.individuals.order(number)),
            Member::Organization(number) => (true, said.organizations.order(number)),
        };
        (is_organization, self.facts.inactivity.is_some(), stamp, bytes, source)
    }
}

fn less_base(npi: Npi) -> Option<u32> {
    u32::try_from(npi.number().checked_sub(NPI_BASE)?).ok()
}

fn plausible_npis(texts: &[String]) -> Vec<Npi> {
    valid_npis(texts).into_iter().filter(|npi| is_plausible(*npi)).collect()
}

/// Whether versions of one resource are of one provider and of one standing; one that cannot be read agrees
/// with none.
fn agree(versions: &[Option<(bool, Evidence)>]) -> bool {
    let names_agree = |a: &Evidence, b: &Evidence| !a.is_named() || !b.is_named() || a.names_agree(b);
    versions.iter().enumerate().all(|(at, version)| {
        let earlier = versions.iter().take(at);
        earlier.into_iter().all(|other| match (version, other) {
            (Some((inactive, evidence)), Some((other_inactive, other))) => {
                inactive == other_inactive && names_agree(evidence, other)
            }
            _ => false,
        })
    })
}

fn evidence_of_individual(facts: &Individual) -> Evidence {
    let gender = facts.gender.as_deref().and_then(|gender| gender.trim().chars().next());
    Evidence {
        kind: Kind::Individual,
        npis: plausible_npis(&facts.npis),
        names: Names::of_person(facts),
        gender: gender.map(|first| first.to_ascii_lowercase()).filter(|first| matches!(first, 'f' | 'm')),
        addresses: Vec::new(),
    }
}

fn evidence_of_organization(facts: &OrganizationFacts, today: Day) -> Evidence {
    let current = facts.addresses.iter().filter(|address| address.period.holds_on(today));
    Evidence {
        kind: Kind::Organization,
        npis: plausible_npis(&facts.npis),
        names: Names::of_organization(facts),
        gender: None,
        addresses: current.map(Address::of).collect(),
    }
}

/// Adds the addresses of the places where an organization practices.
fn add_sites(evidence: &mut Evidence, said: &Said, sites: &[(u32, u32)]) -> Result<()> {
    for (_, place) in sites.iter().take(MOST_SITES) {
        if let Some(Came::Fact(place)) = said.places.read::<Place>(*place)? {
            let address = Address::of(&place.address);
            if address.has_line() && !evidence.addresses.contains(&address) {
                evidence.addresses.push(address);
            }
        }
    }
    Ok(())
}

fn inactivity(active: Option<bool>, period: Period, today: Day) -> Option<Inactivity> {
    let inactivity = Inactivity { marked: active == Some(false), standing: period.on(today) };
    (inactivity.marked || inactivity.standing != Standing::Current).then_some(inactivity)
}

fn is_payer(facts: &OrganizationFacts) -> bool {
    !facts.types.is_empty()
        && facts
            .types
            .iter()
            .all(|kind| ["payer", "pay", "ins", "ntwk"].iter().any(|other| kind.eq_ignore_ascii_case(other)))
}

/// The valid NPIs among texts, ascending: an invalid one (check digit, placeholder) is none.
pub(super) fn valid_npis(texts: &[String]) -> Vec<Npi> {
    let mut npis: Vec<Npi> = texts.iter().filter_map(|text| text.parse().ok()).collect();
    npis.sort_unstable();
    npis.dedup();
    npis
}

/// The first text among those stated.
fn stated_npi(texts: &[String]) -> Option<String> {
    texts.iter().map(|text| text.trim()).find(|text| !text.is_empty()).map(str::to_owned)
}

fn of_individual(facts: &Individual, today: Day) -> Facts {
    let (names, former) = facts.names.iter().partition::<Vec<_>, _>(|n| !n.former && n.period.holds_on(today));
    let texts = |names: Vec<&PersonName>| names.into_iter().map(|name| name.text.clone()).collect();
    Facts {
        npis: valid_npis(&facts.npis),
        stated_npi: stated_npi(&facts.npis),
        inactivity: inactivity(facts.active, facts.period, today),
        closed_by_type: None,
        names: texts(names),
        former_names: texts(former),
        gender: facts.gender.clone(),
        languages: facts.languages.clone(),
        phones: shown(facts.phones.iter(), today),
    }
}

fn of_organization(facts: &OrganizationFacts, today: Day) -> Facts {
    Facts {
        npis: valid_npis(&facts.npis),
        stated_npi: stated_npi(&facts.npis),
        inactivity: inactivity(facts.active, facts.period, today),
        closed_by_type: ByType::of(&facts.types),
        names: facts.name.iter().chain(&facts.aliases).cloned().collect(),
        phones: shown(facts.phones.iter(), today),
        ..Facts::default()
    }
}
