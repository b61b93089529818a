//! Practitioner and Organization.

use coverdex_core::NetworkKey;
use coverdex_core::build::providers::languages_in;
use serde::Deserialize;

use super::address::of_organization;
use super::contact::{ContactPoint, phones};
use super::datatypes::{Address, CodeableConcept, Coding, Extension, Identifier, Meta, closed_doors, type_codes};
use super::lenient::{Flag, Many, One, Text, elements};
use super::network::{BY_RESOURCE, network_keys};
use super::note::{Note, Notes};
use super::period::Period;
use super::reading::{Contained, MOST, MOST_NAMES, Reading};
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
    pub(super) contained: Contained<'a>,
    #[serde(borrow)]
    extension: Many<Extension<'a>>,
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
    pub(super) contained: Contained<'a>,
    #[serde(borrow)]
    extension: Many<Extension<'a>>,
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
    address: Many<Address<'a>>,
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

elements!(HumanName from text, Communication from text);

impl Practitioner<'_> {
    pub(super) fn content(&self, at: &mut Reading<'_>) -> Content {
        let npis = at.bounded(npis(&self.identifier), MOST);
        // The best ones first; of equally good ones those that come first.
        let mut stated: Vec<(u8, &HumanName<'_>)> = self.name.iter().map(|name| (name.rank(), name)).collect();
        stated.sort_by_key(|(rank, _)| *rank);
        let mut names: Vec<PersonName> = Vec::new();
        for name in stated.into_iter().filter_map(|(_, name)| name.name(&mut at.notes)) {
            if names.contains(&name) {
                continue;
            }
            if names.len() == MOST_NAMES {
                at.note(Note::TooMany);
                break;
            }
            names.push(name);
        }
        if names.is_empty() && npis.is_empty() {
            return Content::Quarantined("neither a name nor an NPI".to_owned());
        }
        let stated = self.communication.iter().filter_map(Communication::name);
        let stated = at.bounded(stated.collect(), MOST);
        let mut languages: Vec<String> = stated.iter().flat_map(|text| languages_in(text)).collect();
        languages.sort_unstable();
        languages.dedup();
        Content::Fact(Fact::Individual(Individual {
            npis,
            active: self.active.noted(&mut at.notes),
            period: period(&self.extension, &["practitioner-period"], at),
            names,
            gender: self.gender.get().map(gender),
            languages,
            phones: phones(&self.telecom, at),
        }))
    }
}

impl Organization<'_> {
    pub(super) fn content(&self, at: &mut Reading<'_>) -> Content {
        let mut types = type_codes(&self.types);
        if types.is_empty() && at.inside.is_network(&at.name) {
            types.push("ntwk".to_owned());
        }
        let is_network = types.iter().any(|kind| kind == "ntwk");
        let mut network_keys = network_keys(&self.identifier);
        if is_network {
            for identifier in self.identifier.iter().filter(|identifier| !identifier.says_npi()) {
                at.own_system(identifier.system.get());
            }
            if network_keys.is_empty() {
                network_keys.extend(NetworkKey::new(BY_RESOURCE, &at.name));
            }
        }
        let npis = at.bounded(npis(&self.identifier), MOST);
        let name = self.name.words();
        if name.is_none() && npis.is_empty() && network_keys.is_empty() {
            return Content::Quarantined("neither a name nor an identifier".to_owned());
        }
        let mut aliases: Vec<String> = self.alias.iter().filter_map(Text::words).collect();
        aliases.sort_unstable();
        aliases.dedup();
        types.extend(closed_doors(&self.types));
        types.sort_unstable();
        types.dedup();
        Content::Fact(Fact::Organization(OrganizationFacts {
            npis,
            active: self.active.noted(&mut at.notes),
            period: period(&self.extension, &["org-period", "organization-period"], at),
            name,
            aliases: at.bounded(aliases, MOST_NAMES),
            types: at.bounded(types, MOST),
            network_keys: at.bounded(network_keys, MOST),
            addresses: of_organization(&self.address, at),
            phones: phones(&self.telecom, at),
        }))
    }
}

/// The period of the first of these extensions that has one.
fn period(extensions: &Many<Extension<'_>>, names: &[&str], at: &mut Reading<'_>) -> model::Period {
    let mut named = extensions.iter().filter(|extension| names.iter().any(|name| extension.is(name)));
    let stated = named.find_map(|extension| extension.period.0.as_deref());
    stated.map(|period| period.days(&mut at.notes)).unwrap_or_default()
}

/// `female` and `male`, however they are said; other words in lower case.
fn gender(stated: &str) -> String {
    let lower = stated.to_lowercase();
    match lower.as_str() {
        "f" | "female" | "woman" | "w" => "female".to_owned(),
        "m" | "male" | "man" => "male".to_owned(),
        _ => lower,
    }
}

impl HumanName<'_> {
    fn name(&self, notes: &mut Notes) -> Option<PersonName> {
        Some(PersonName {
            text: self.reading()?,
            family: self.family.words(),
            given: self.given.iter().take(MOST_NAMES).chain(self.generations()).filter_map(Text::words).collect(),
            former: self.is_former(),
            period: self.period.0.as_ref().map(|period| period.days(notes)).unwrap_or_default(),
        })
    }

    /// Suffixes that tell a father from a son: a text may lack them, so they stand with the given names.
    fn generations(&self) -> impl Iterator<Item = &Text<'_>> {
        let is_one = |text: &str| {
            ["jr", "sr", "ii", "iii", "iv"].iter().any(|known| text.trim_end_matches('.').eq_ignore_ascii_case(known))
        };
        let stated = !self.given.is_empty() && self.text.get().is_some();
        self.suffix.iter().take(MOST_NAMES).filter(move |suffix| stated && suffix.get().is_some_and(is_one))
    }

    /// The name as people read it.
    fn reading(&self) -> Option<String> {
        self.text.words().or_else(|| {
            let mut parts: Vec<String> = self.given.iter().take(MOST_NAMES).filter_map(Text::words).collect();
            parts.extend(self.family.words());
            let name = parts.join(" ");
            let suffixes: Vec<String> = self.suffix.iter().take(MOST_NAMES).filter_map(Text::words).collect();
            match (name.is_empty(), suffixes.is_empty()) {
                (true, _) => None,
                (false, true) => Some(name),
                (false, false) => Some(format!("{name}, {}", suffixes.join(", "))),
            }
        })
    }

    fn is_former(&self) -> bool {
        self.usage.is("old") || self.usage.is("maiden")
    }

    /// Official and usual names first, then names of no stated use, other ones, and former ones. Whether
    /// a name's period is over is left to who knows the day.
    fn rank(&self) -> u8 {
        match self.usage.get().map(str::to_ascii_lowercase).as_deref() {
            Some("official") => 0,
            Some("usual") => 1,
            None => 2,
            Some("temp") => 4,
            Some("anonymous") => 5,
            Some("old" | "maiden") => 6,
            Some(_) => 3,
        }
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

/// NPI texts as stated, sorted, each once.
fn npis(identifiers: &Many<Identifier<'_>>) -> Vec<String> {
    let mut npis: Vec<String> =
        identifiers.iter().filter(|identifier| identifier.says_npi()).filter_map(|i| i.value.words()).collect();
    npis.sort_unstable();
    npis.dedup();
    npis
}
