//! What is at hand, and what is gathered, while one resource is read.

use std::borrow::Cow;
use std::collections::{BTreeSet, HashMap, HashSet};

use coverdex_core::Npi;
use serde::Deserialize;
use serde::de::Deserializer;
use serde_json::value::RawValue;

use super::identity::{Bundled, source_id};
use super::lenient::Text;
use super::note::{Note, Notes};
use crate::model::{
    Content, Fact, Individual, OrganizationFacts, PersonName, Received, ResourceKind, Server, Servers, SourceId, Stamp,
};

/// Names of a person, and parts of a name, that are kept: nobody has as many, and names are compared with
/// each other.
pub(super) const MOST_NAMES: usize = 32;

/// Identifiers, networks, specialties, phones and the like that are kept of one resource.
pub(super) const MOST: usize = 1_000;

/// Places and services that are kept of one role: more than the largest chain has stores.
pub(super) const MOST_PLACES: usize = 20_000;

/// The reading of one resource.
#[derive(Debug)]
pub(super) struct Reading<'r> {
    /// The resource's id; that of a contained one is `owner#id`.
    pub(super) name: Cow<'r, str>,
    /// The Bundle that the resource stands in.
    pub(super) bundled: &'r Bundled<'r>,
    /// What was set aside.
    pub(super) notes: Notes,
    /// What it shows of servers.
    pub(super) servers: Servers,
    /// Providers that it states by NPI alone: resources of their own.
    pub(super) stated: Vec<Received>,
    /// The resources that stand in it.
    pub(super) inside: Inside<'r>,
}

/// The resources that stand in one (`contained`). Each is a resource of its own, named by the id of
/// what contains it and its own: `role-1#p`.
#[derive(Debug, Default)]
pub(super) struct Inside<'r> {
    owner: String,
    members: Vec<Member<'r>>,
    /// The first member of each type and id.
    numbers: HashMap<(ResourceKind, String), usize>,
    /// Members that something refers to and that were not handed on yet, the next one first.
    waiting: BTreeSet<usize>,
    /// Names of Organizations that are referred to as networks.
    networks: HashSet<String>,
}

/// One contained resource.
#[derive(Debug)]
struct Member<'r> {
    kind: Option<ResourceKind>,
    id: String,
    text: &'r str,
    /// Whether something refers to it.
    used: bool,
}

/// The JSON of `contained`, read where something stands in it.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Contained<'a>(Option<&'a RawValue>);

#[derive(Default, Deserialize)]
#[serde(default)]
struct Head<'a> {
    #[serde(borrow, rename = "resourceType")]
    resource_type: Text<'a>,
    #[serde(borrow)]
    id: Text<'a>,
}

impl<'de: 'a, 'a> Deserialize<'de> for Contained<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let raw = <&RawValue>::deserialize(deserializer)?;
        let holds = raw.get().trim_matches(|c: char| c.is_ascii_whitespace() || "[]{}\"".contains(c));
        Ok(Self((!holds.is_empty() && holds != "null").then_some(raw)))
    }
}

impl<'r> Inside<'r> {
    /// What stands in the resource of this id.
    pub(super) fn new(owner: &str, contained: Contained<'r>) -> Self {
        let Some(raw) = contained.0 else { return Self::default() };
        let list: Vec<&'r RawValue> =
            if raw.get().starts_with('[') { serde_json::from_str(raw.get()).unwrap_or_default() } else { vec![raw] };
        let member = |raw: &'r RawValue| {
            let head: Head<'_> = serde_json::from_str(raw.get()).unwrap_or_default();
            Member {
                kind: head.resource_type.get().and_then(ResourceKind::from_name),
                id: head.id.get().unwrap_or_default().trim_start_matches('#').to_owned(),
                text: raw.get(),
                used: false,
            }
        };
        let members: Vec<Member<'r>> = list.into_iter().map(member).collect();
        let mut numbers = HashMap::new();
        for (number, member) in members.iter().enumerate() {
            if let Some(kind) = member.kind {
                numbers.entry((kind, member.id.clone())).or_insert(number);
            }
        }
        Self { owner: owner.to_owned(), members, numbers, ..Self::default() }
    }

    /// The name of the contained resource that `#id` means, where it is there and of this type.
    pub(super) fn name(&mut self, id: &str, wanted: ResourceKind) -> Option<String> {
        let number = *self.numbers.get(&(wanted, id.to_owned()))?;
        let member = self.members.get_mut(number)?;
        if !member.used {
            member.used = true;
            self.waiting.insert(number);
        }
        Some(format!("{}#{id}", self.owner))
    }

    /// Notes that something refers to a contained Organization as a network.
    pub(super) fn note_network(&mut self, name: String) {
        self.networks.insert(name);
    }

    /// Whether something does.
    pub(super) fn is_network(&self, name: &str) -> bool {
        self.networks.contains(name)
    }

    /// The JSON of the contained resource that `#id` means.
    pub(super) fn text(&self, id: &str, wanted: ResourceKind) -> Option<&'r str> {
        let number = *self.numbers.get(&(wanted, id.to_owned()))?;
        self.members.get(number).map(|member| member.text)
    }

    /// The next contained resource that something refers to: its type, name and JSON.
    pub(super) fn next(&mut self) -> Option<(ResourceKind, String, &'r str)> {
        let member = self.members.get(self.waiting.pop_first()?)?;
        Some((member.kind?, format!("{}#{}", self.owner, member.id), member.text))
    }

    /// Whether something stands there that nothing refers to.
    pub(super) fn has_unused(&self) -> bool {
        self.members.iter().any(|member| !member.used)
    }
}

impl<'r> Reading<'r> {
    pub(super) fn new(name: &'r str, bundled: &'r Bundled<'r>, notes: Notes, inside: Inside<'r>) -> Self {
        Self { name: Cow::Borrowed(name), bundled, notes, servers: Servers::default(), stated: Vec::new(), inside }
    }

    /// Reads a contained resource of this name.
    pub(super) fn named<T>(&mut self, name: &str, read: impl FnOnce(&mut Self) -> T) -> T {
        let owner = std::mem::replace(&mut self.name, Cow::Owned(name.to_owned()));
        let read = read(self);
        self.name = owner;
        read
    }

    pub(super) fn note(&mut self, note: Note) {
        self.notes.add(note);
    }

    /// The first of a list, as many as are kept; that others are left out is noted.
    pub(super) fn bounded<T>(&mut self, mut list: Vec<T>, most: usize) -> Vec<T> {
        if list.len() > most {
            list.truncate(most);
            self.note(Note::TooMany);
        }
        list
    }

    /// Notes a server that the resource refers to.
    pub(super) fn refers_to(&mut self, server: Server) {
        if self.servers.referred.len() < MOST && !self.servers.referred.contains(&server) {
            self.servers.referred.push(server);
        }
    }

    /// Notes the host of a system that is the payer's own.
    pub(super) fn own_system(&mut self, system: Option<&str>) {
        if let Some(host) = system.and_then(own_host)
            && self.servers.system_hosts.len() < MOST
            && !self.servers.system_hosts.contains(&host)
        {
            self.servers.system_hosts.push(host);
        }
    }

    /// A provider that is stated by NPI and, perhaps, a name: a resource that says just that, for the
    /// builder to join with others of this NPI. Its identity is what it says.
    pub(super) fn by_npi(&mut self, kind: ResourceKind, npi: Npi, name: Option<String>) -> SourceId {
        let source = source_id(kind.as_str(), &format!("\0npi {npi} {}", name.as_deref().unwrap_or_default()));
        let npis = vec![npi.to_string()];
        let fact = if kind == ResourceKind::Organization {
            Fact::Organization(OrganizationFacts { npis, name, ..OrganizationFacts::default() })
        } else {
            let names = name.map(|text| PersonName { text, ..PersonName::default() });
            Fact::Individual(Individual { npis, names: names.into_iter().collect(), ..Individual::default() })
        };
        let (updated, content) = (Stamp::default(), Content::Fact(fact));
        self.stated.push(Received { kind, source, id: None, updated, version: None, servers: None, content });
        source
    }
}

/// The host of a system, unless it is one of the standards' that every payer uses.
fn own_host(system: &str) -> Option<String> {
    const STANDARDS: [&str; 6] = ["hl7.org", "nucc.org", "nlm.nih.gov", "usps.com", "cms.gov", "snomed.info"];
    let host = super::identity::host(system)?;
    let of = |domain: &str| host.strip_suffix(domain).is_some_and(|rest| rest.is_empty() || rest.ends_with('.'));
    (!STANDARDS.into_iter().any(of)).then_some(host)
}
