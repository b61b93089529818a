//! Providers: resources that share a valid NPI are one provider.

use std::cmp::Reverse;

use coverdex_core::Result;
use coverdex_core::ids::Npi;
use coverdex_core::providers::{layout, name_key};

use crate::build::intern::Interner;
use crate::build::report::Report;
use crate::model::{Day, Individual, OrganizationFacts, ResourceKind, SourceId};

use super::collect::{Came, NONE, Said};
use super::networks::Networks;
use super::phones::{CodedPhones, PhoneLists, shown};

/// Where NPIs begin; they are kept without it.
const NPI_BASE: u64 = 1_000_000_000;

/// A provider.
#[derive(Clone, Debug)]
pub(super) struct ProviderRow {
    /// The smallest of its valid NPIs, less [`NPI_BASE`]; [`NONE`]: it has none.
    pub(super) npi: u32,
    pub(super) name: Box<str>,
    pub(super) name_key: Box<str>,
    rare: Option<Box<Rare>>,
    /// Number of its [`Trait`].
    pub(super) of_trait: u32,
    pub(super) phones: CodedPhones,
    /// Whether the resource that is shown is marked inactive.
    pub(super) inactive: bool,
    /// Identity of the first of its resources.
    pub(super) source: u128,
}

/// What few providers have: a directory has millions of them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Rare {
    /// Valid NPIs but the smallest, less [`NPI_BASE`], ascending.
    aliases: Vec<u32>,
    /// What is stated for an NPI where none is valid.
    stated_npi: Option<String>,
    other_names: Vec<String>,
}

impl ProviderRow {
    /// Valid NPIs less [`NPI_BASE`], ascending: the first is its own, the others are aliases.
    pub(super) fn npis(&self) -> impl Iterator<Item = u32> + '_ {
        let aliases = self.rare.iter().flat_map(|rare| rare.aliases.iter().copied());
        (self.npi != NONE).then_some(self.npi).into_iter().chain(aliases)
    }

    /// What is stated for an NPI where none is valid.
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
    inactive_individuals: Vec<bool>,
    inactive_organizations: Vec<bool>,
}

/// What one resource says of a provider.
#[derive(Debug, Default)]
struct Facts {
    npis: Vec<u32>,
    stated_npi: Option<String>,
    active: Option<bool>,
    names: Vec<String>,
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
    /// Providers of the Practitioners and Organizations for which `named` holds (a role names them),
    /// and of those with a valid NPI.
    pub(super) fn of(
        said: &Said,
        networks: &Networks,
        named: impl Fn(Member) -> bool,
        today: Day,
        phones: &mut PhoneLists,
        report: &mut Report,
    ) -> Result<Self> {
        let mut members: Vec<Member> = Vec::new();
        // Each valid NPI with the member that states it.
        let mut stated: Vec<(u32, u32)> = Vec::new();
        let mut take = |member: Member, came: Came<Vec<String>>, report: &mut Report| match came {
            Came::Quarantined(reason) => report.quarantined(member.kind(), &reason),
            Came::OfNoUse(reason) => report.of_no_use(member.kind(), &reason),
            Came::Fact(npis) => {
                let npis = valid_npis(&npis);
                if npis.is_empty() && !named(member) {
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
                Came::Fact(facts) if is_payer(&facts) && !named(Member::Organization(number)) => {
                    report.of_no_use(ResourceKind::Organization, "a payer, no provider");
                }
                came => take(Member::Organization(number), came.map(|facts| facts.npis), report),
            }
        }
        let mut union = Union((0..).take(members.len()).collect());
        stated.sort_unstable();
        for same in stated.chunk_by(|(a, _), (b, _)| a == b) {
            if let [(_, first), rest @ ..] = same {
                for (_, other) in rest {
                    union.join(*first, *other);
                }
            }
        }
        drop(stated);
        let mut order: Vec<(u32, u32)> = (0..).take(members.len()).map(|at| (union.root(at), at)).collect();
        order.sort_unstable();
        let mut providers = Self {
            individuals: vec![NONE; said.individuals.len()],
            organizations: vec![NONE; said.organizations.len()],
            inactive_individuals: vec![false; said.individuals.len()],
            inactive_organizations: vec![false; said.organizations.len()],
            ..Self::default()
        };
        for of_one in order.chunk_by(|(a, _), (b, _)| a == b) {
            let mut group = Vec::with_capacity(of_one.len());
            for member in of_one.iter().filter_map(|(_, at)| members.get(*at as usize)) {
                group.extend(facts_of(said, *member, today)?.map(|facts| (*member, facts)));
            }
            group.sort_by(|a, b| shown_first(said, a).cmp(&shown_first(said, b)));
            providers.add(said, &group, phones, report);
        }
        Ok(providers)
    }

    fn add(&mut self, said: &Said, group: &[(Member, Facts)], phones: &mut PhoneLists, report: &mut Report) {
        let number = u32::try_from(self.rows.len()).unwrap_or(NONE);
        let (mut name, mut rare) = (String::new(), Rare::default());
        let (mut source, mut inactive, mut npis) = (0, false, Vec::new());
        let (mut kind, mut gender) = (layout::kind::ORGANIZATION, None);
        let (mut keys, mut languages, mut own_phones) = (Vec::new(), Vec::new(), Vec::new());
        for (at, (member, facts)) in group.iter().enumerate() {
            if at == 0 {
                source = member.source(said);
                inactive = facts.active == Some(false);
                report.used(member.kind());
            } else {
                report.folded(member.kind(), "the same provider under another id");
            }
            if member.kind() == ResourceKind::Practitioner {
                kind = layout::kind::INDIVIDUAL;
            }
            self.place(*member, number, facts.active == Some(false));
            npis.extend(&facts.npis);
            rare.stated_npi = rare.stated_npi.take().or_else(|| facts.stated_npi.clone());
            for stated in &facts.names {
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
            gender = gender.or_else(|| facts.gender.clone());
            languages.extend(facts.languages.iter().cloned());
            for phone in &facts.phones {
                if !own_phones.contains(phone) {
                    own_phones.push(phone.clone());
                }
            }
        }
        npis.sort_unstable();
        npis.dedup();
        rare.stated_npi = rare.stated_npi.take().filter(|_| npis.is_empty());
        let mut npis = npis.into_iter();
        let npi = npis.next().unwrap_or(NONE);
        rare.aliases = npis.collect();
        let first_key = keys.into_iter().next().unwrap_or_default();
        languages.sort();
        languages.dedup();
        self.rows.push(ProviderRow {
            npi,
            name: name.into(),
            name_key: first_key.into(),
            rare: (rare != Rare::default()).then(|| Box::new(rare)),
            of_trait: self.traits.number((kind, gender, languages)),
            phones: phones.code(&own_phones),
            inactive,
            source,
        });
    }

    fn place(&mut self, member: Member, provider: u32, is_inactive: bool) {
        let (of, inactive, number) = match member {
            Member::Individual(number) => (&mut self.individuals, &mut self.inactive_individuals, number),
            Member::Organization(number) => (&mut self.organizations, &mut self.inactive_organizations, number),
        };
        if let (Some(of), Some(inactive)) = (of.get_mut(number as usize), inactive.get_mut(number as usize)) {
            (*of, *inactive) = (provider, is_inactive);
        }
    }

    /// The provider that a resource belongs to, and whether the resource is marked inactive; `None`:
    /// it did not come, or it is no provider.
    pub(super) fn provider(&self, member: Member) -> Option<(u32, bool)> {
        let (of, inactive, number) = match member {
            Member::Individual(number) => (&self.individuals, &self.inactive_individuals, number),
            Member::Organization(number) => (&self.organizations, &self.inactive_organizations, number),
        };
        let provider = of.get(number as usize).copied().filter(|provider| *provider != NONE)?;
        Some((provider, inactive.get(number as usize).copied().unwrap_or(false)))
    }
}

impl Member {
    fn kind(self) -> ResourceKind {
        match self {
            Self::Individual(_) => ResourceKind::Practitioner,
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

fn facts_of(said: &Said, member: Member, today: Day) -> Result<Option<Facts>> {
    Ok(match member {
        Member::Individual(number) => match said.individuals.read::<Individual>(number)? {
            Some(Came::Fact(facts)) => Some(of_individual(&facts, today)),
            _ => None,
        },
        Member::Organization(number) => match said.organizations.read::<OrganizationFacts>(number)? {
            Some(Came::Fact(facts)) => Some(of_organization(&facts, today)),
            _ => None,
        },
    })
}

/// Individuals before organizations, active before inactive, then the newest.
fn shown_first<'a>(said: &'a Said, (member, facts): &(Member, Facts)) -> (bool, bool, Reverse<i64>, &'a [u8], u128) {
    let (is_organization, (stamp, bytes, source)) = match member {
        Member::Individual(number) => (false, said.individuals.order(*number)),
        Member::Organization(number) => (true, said.organizations.order(*number)),
    };
    (is_organization, facts.active == Some(false), stamp, bytes, source)
}

fn is_payer(facts: &OrganizationFacts) -> bool {
    !facts.types.is_empty()
        && facts
            .types
            .iter()
            .all(|kind| ["payer", "pay", "ins", "ntwk"].iter().any(|other| kind.eq_ignore_ascii_case(other)))
}

/// The valid NPIs among texts: an invalid one (check digit, placeholder) folds nothing.
fn valid_npis(texts: &[String]) -> Vec<u32> {
    let numbers = texts.iter().filter_map(|text| text.parse::<Npi>().ok());
    let mut numbers: Vec<u32> = numbers.filter_map(|npi| u32::try_from(npi.number() - NPI_BASE).ok()).collect();
    numbers.sort_unstable();
    numbers.dedup();
    numbers
}

/// The first text among those stated.
fn stated_npi(texts: &[String]) -> Option<String> {
    texts.iter().map(|text| text.trim()).find(|text| !text.is_empty()).map(str::to_owned)
}

fn of_individual(facts: &Individual, today: Day) -> Facts {
    Facts {
        npis: valid_npis(&facts.npis),
        stated_npi: stated_npi(&facts.npis),
        active: facts.active,
        names: facts.names.iter().map(|name| name.text.clone()).collect(),
        gender: facts.gender.clone(),
        languages: facts.languages.clone(),
        phones: shown(facts.phones.iter(), today),
    }
}

fn of_organization(facts: &OrganizationFacts, today: Day) -> Facts {
    Facts {
        npis: valid_npis(&facts.npis),
        stated_npi: stated_npi(&facts.npis),
        active: facts.active,
        names: facts.name.iter().chain(&facts.aliases).cloned().collect(),
        gender: None,
        languages: Vec::new(),
        phones: shown(facts.phones.iter(), today),
    }
}
