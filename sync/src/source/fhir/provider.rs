//! Practitioner and Organization.

use coverdex_core::ids::Npi;
use serde::Deserialize;

use super::contact::{ContactPoint, phones};
use super::datatypes::{CodeableConcept, Coding, Identifier, Meta, tail};
use super::identity::{Bundled, stamp};
use super::lenient::{Flag, Many, One, Text, elements};
use super::network::network_key;
use super::note::Notes;
use crate::model::{self, Content, Fact, Individual, OrganizationFacts, PersonName};

/// `Practitioner`.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Practitioner<'a> {
    #[serde(borrow, rename = "resourceType")]
    _resource_type: Text<'a>,
    #[serde(borrow)]
    pub(super) id: Text<'a>,
    #[serde(borrow)]
    pub(super) meta: One<Meta<'a>>,
    #[serde(borrow)]
    identifier: Many<Identifier<'a>>,
    active: Flag,
    #[serde(borrow)]
    name: Many<HumanName<'a>>,
    #[serde(borrow)]
    telecom: Many<ContactPoint<'a>>,
    #[serde(borrow)]
    gender: Text<'a>,
    #[serde(borrow)]
    communication: Many<Communication<'a>>,
}

/// `Organization`.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Organization<'a> {
    #[serde(borrow, rename = "resourceType")]
    _resource_type: Text<'a>,
    #[serde(borrow)]
    pub(super) id: Text<'a>,
    #[serde(borrow)]
    pub(super) meta: One<Meta<'a>>,
    #[serde(borrow)]
    identifier: Many<Identifier<'a>>,
    active: Flag,
    #[serde(borrow, rename = "type")]
    types: Many<CodeableConcept<'a>>,
    #[serde(borrow)]
    name: Text<'a>,
    #[serde(borrow)]
    alias: Many<Text<'a>>,
    #[serde(borrow)]
    telecom: Many<ContactPoint<'a>>,
}

/// `HumanName`; a bare string is its text.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct HumanName<'a> {
    #[serde(borrow, rename = "use")]
    usage: Text<'a>,
    #[serde(borrow)]
    text: Text<'a>,
    #[serde(borrow)]
    family: Text<'a>,
    #[serde(borrow)]
    given: Many<Text<'a>>,
    #[serde(borrow)]
    suffix: Many<Text<'a>>,
    #[serde(borrow)]
    period: One<Period<'a>>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Period<'a> {
    #[serde(borrow)]
    end: Text<'a>,
}

/// A language: the concept itself in R4, below `language` in later versions.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Communication<'a> {
    #[serde(borrow)]
    coding: Many<Coding<'a>>,
    #[serde(borrow)]
    text: Text<'a>,
    #[serde(borrow)]
    language: One<CodeableConcept<'a>>,
}

elements!(Period);
elements!(HumanName from text, Communication from text);

impl Practitioner<'_> {
    pub(super) fn content(&self, _: &Bundled<'_>, notes: &mut Notes) -> Content {
        let updated = self.meta.0.as_ref().and_then(|meta| meta.last_updated.get());
        let mut npis = npis(&self.identifier);
        if npis.is_empty() {
            // Some payers use the NPI as the resource's id.
            npis.extend(self.id.get().filter(|id| id.parse::<Npi>().is_ok()).map(str::to_owned));
        }
        let best = self.name.iter().filter(|name| name.reading().is_some()).min_by_key(|name| name.rank(updated));
        if best.is_none() && npis.is_empty() {
            return Content::Quarantined("neither a name nor an NPI".to_owned());
        }
        let mut languages: Vec<String> = self.communication.iter().filter_map(Communication::name).collect();
        languages.sort_unstable();
        languages.dedup();
        Content::Fact(Fact::Individual(Individual {
            npis,
            active: self.active.noted(notes),
            period: model::Period::default(),
            names: best.into_iter().filter_map(HumanName::name).collect(),
            gender: self.gender.get().map(str::to_ascii_lowercase),
            languages,
            phones: phones(&self.telecom),
        }))
    }
}

impl Organization<'_> {
    pub(super) fn content(&self, _: &Bundled<'_>, notes: &mut Notes) -> Content {
        let mut network_keys: Vec<_> = self
            .identifier
            .iter()
            .filter(|identifier| !says_npi(identifier))
            .filter_map(|identifier| network_key(&identifier.system, &identifier.value))
            .collect();
        // Of two spellings of one system the smaller stays.
        network_keys.sort_by(|a, b| (a, a.system()).cmp(&(b, b.system())));
        network_keys.dedup();
        let npis = npis(&self.identifier);
        let name = self.name.words();
        if name.is_none() && npis.is_empty() && network_keys.is_empty() {
            return Content::Quarantined("neither a name nor an identifier".to_owned());
        }
        let mut types: Vec<String> = self.types.iter().flat_map(type_codes).collect();
        types.sort_unstable();
        types.dedup();
        let mut aliases: Vec<String> = self.alias.iter().filter_map(Text::words).collect();
        aliases.sort_unstable();
        aliases.dedup();
        Content::Fact(Fact::Organization(OrganizationFacts {
            npis,
            active: self.active.noted(notes),
            name,
            aliases,
            types,
            network_keys,
            period: model::Period::default(),
            addresses: Vec::new(),
            phones: phones(&self.telecom),
        }))
    }
}

/// Codes in lower case, as the guide's own are; words as they are.
fn type_codes(concept: &CodeableConcept<'_>) -> Vec<String> {
    let codes: Vec<String> = concept.coding.iter().filter_map(|c| c.code.get()).map(str::to_ascii_lowercase).collect();
    if codes.is_empty() { concept.text.words().into_iter().collect() } else { codes }
}

impl HumanName<'_> {
    fn name(&self) -> Option<PersonName> {
        Some(PersonName {
            text: self.reading()?,
            family: self.family.words(),
            given: self.given.iter().filter_map(Text::words).collect(),
            ..PersonName::default()
        })
    }

    /// The name as people read it.
    fn reading(&self) -> Option<String> {
        self.text.words().or_else(|| {
            let mut parts: Vec<String> = self.given.iter().filter_map(Text::words).collect();
            parts.extend(self.family.words());
            let name = parts.join(" ");
            let suffixes: Vec<String> = self.suffix.iter().filter_map(Text::words).collect();
            match (name.is_empty(), suffixes.is_empty()) {
                (true, _) => None,
                (false, true) => Some(name),
                (false, false) => Some(format!("{name}, {}", suffixes.join(", "))),
            }
        })
    }

    /// Official and usual names first, then names of no stated use; those no longer in use last. A
    /// period counts as over if it was when the payer last changed the resource: no clock is asked.
    fn rank(&self, updated: Option<&str>) -> u8 {
        let over = self.period.0.as_ref().and_then(|period| period.end.get()).is_some_and(|end| {
            let end = stamp(Some(end));
            end.0.is_some() && end < stamp(updated)
        });
        let rank = match self.usage.get().map(str::to_ascii_lowercase).as_deref() {
            Some("official") => 0,
            Some("usual") => 1,
            None => 2,
            Some("old" | "maiden" | "anonymous") => 8,
            Some(_) => 3,
        };
        if over { rank + 16 } else { rank }
    }
}

impl Communication<'_> {
    fn name(&self) -> Option<String> {
        let of = |coding: &Many<Coding<'_>>, text: &Text<'_>| {
            let display = coding.iter().find_map(|coding| coding.display.words());
            text.words().or(display).or_else(|| coding.iter().find_map(|coding| coding.code.words()))
        };
        of(&self.coding, &self.text)
            .or_else(|| self.language.0.as_ref().and_then(|language| of(&language.coding, &language.text)))
    }
}

/// Whether an identifier says that it is an NPI: by its system, or by its type.
fn says_npi(identifier: &Identifier<'_>) -> bool {
    let by_system = identifier.system.get().map(tail).is_some_and(|tail| {
        ["us-npi", "2.16.840.1.113883.4.6", "npi"].iter().any(|name| tail.eq_ignore_ascii_case(name))
    });
    by_system
        || identifier
            .kind
            .0
            .as_ref()
            .is_some_and(|kind| kind.text.is("NPI") || kind.coding.iter().any(|coding| coding.code.is("NPI")))
}

/// NPI texts as stated, sorted, each once.
fn npis(identifiers: &Many<Identifier<'_>>) -> Vec<String> {
    let mut npis: Vec<String> =
        identifiers.iter().filter(|identifier| says_npi(identifier)).filter_map(|i| i.value.words()).collect();
    npis.sort_unstable();
    npis.dedup();
    npis
}
