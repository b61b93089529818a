//! Providers: people and facilities, their NPIs and what is said of them.

use coverdex_core::build::fold;

use crate::quirks::{Quirk, Quirks};
use crate::random::{Draw, Shuffle};

use super::names::PersonName;
use super::specialties;

/// Which provider.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Provider {
    /// An individual, by number.
    Individual(u64),
    /// A facility, by number.
    Facility(u64),
}

/// What a provider's resource shows as its NPI.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NpiShown {
    /// One valid NPI.
    Valid(u64),
    /// Two valid NPIs.
    Both(u64, u64),
    /// None.
    Missing,
    /// Something that is no NPI; several providers may show the same.
    Invalid(String),
}

/// A provider of the made directory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProviderFacts {
    /// Which.
    pub provider: Provider,
    /// Its NPI as shown.
    pub npi: NpiShown,
    /// `Some(false)` for inactive, `None` for not stated.
    pub active: Option<bool>,
    /// The name as people read it.
    pub name: String,
    /// A person's name in its parts.
    pub person: Option<PersonName>,
    /// `female` or `male`, if stated.
    pub gender: Option<&'static str>,
    /// Languages by name; empty where none is stated.
    pub languages: Vec<&'static str>,
    /// The specialty that most of its roles have, a number in
    /// [`SPECIALTIES`](super::specialties::SPECIALTIES).
    pub specialty: u32,
    /// Phone, ten digits.
    pub phone: Option<u64>,
    /// Other names of a facility.
    pub aliases: Vec<String>,
}

impl ProviderFacts {
    /// The smallest valid NPI.
    #[must_use]
    pub fn npi_key(&self) -> Option<u64> {
        match self.npi {
            NpiShown::Valid(npi) => Some(npi),
            NpiShown::Both(a, b) => Some(a.min(b)),
            NpiShown::Missing | NpiShown::Invalid(_) => None,
        }
    }

    /// Every valid NPI.
    #[must_use]
    pub fn npis(&self) -> Vec<u64> {
        match self.npi {
            NpiShown::Valid(npi) => vec![npi],
            NpiShown::Both(a, b) => vec![a, b],
            NpiShown::Missing | NpiShown::Invalid(_) => Vec::new(),
        }
    }

    /// The name folded as the product folds texts.
    #[must_use]
    pub fn folded_name(&self) -> String {
        fold::key(&self.name)
    }
}

const NUMBERS: u64 = 100_000_000;
const SECOND_NPIS: u64 = 40_000_000;
const FACILITIES: u64 = 80_000_000;

/// Gives out NPIs and tells whose they are.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Npis {
    order: Shuffle,
}

impl Npis {
    pub(crate) fn new(seed: u64) -> Self {
        Self { order: Shuffle::new(NUMBERS, seed ^ 0x006e_7069) }
    }

    pub(crate) fn of(self, provider: Provider) -> u64 {
        self.numbered(match provider {
            Provider::Individual(n) => n,
            Provider::Facility(n) => FACILITIES + n,
        })
    }

    fn second(self, individual: u64) -> u64 {
        self.numbered(SECOND_NPIS + individual)
    }

    fn numbered(self, n: u64) -> u64 {
        let nine = 100_000_000 + self.order.forward(n % NUMBERS);
        nine * 10 + check_digit(nine)
    }

    /// The provider that would have this NPI, if it shows one.
    pub(crate) fn owner(self, npi: u64) -> Option<Provider> {
        let nine = npi / 10;
        if !(100_000_000..200_000_000).contains(&nine) || check_digit(nine) != npi % 10 {
            return None;
        }
        let n = self.order.backward(nine - 100_000_000);
        Some(match n {
            n if n >= FACILITIES => Provider::Facility(n - FACILITIES),
            n if n >= SECOND_NPIS => Provider::Individual(n - SECOND_NPIS),
            n => Provider::Individual(n),
        })
    }
}

/// The check digit of nine digits of an NPI: Luhn over 80840 and them (45 CFR 162.406).
fn check_digit(nine: u64) -> u64 {
    let (mut sum, mut rest, mut doubled) = (24, nine, true);
    while rest > 0 {
        let digit = rest % 10;
        let value = if doubled { 2 * digit } else { digit };
        sum += value / 10 + value % 10;
        rest /= 10;
        doubled = !doubled;
    }
    (10 - sum % 10) % 10
}

/// Individual `number`.
pub(crate) fn individual(seed: u64, number: u64, npis: Npis, twice: bool, quirks: &Quirks) -> ProviderFacts {
    let draw = Draw::of(seed ^ 0x7065_7273, number);
    let hits = |quirk: Quirk| draw.and(quirk as u64).hits(quirks.rate(quirk));
    let name = PersonName::of(draw.and(1));
    let valid = npis.of(Provider::Individual(number));
    // A person with two records is known by one valid NPI, which folds them.
    let npi = if twice {
        NpiShown::Valid(valid)
    } else if hits(Quirk::NpiMissing) {
        NpiShown::Missing
    } else if hits(Quirk::NpiInvalid) {
        NpiShown::Invalid(match draw.and(2).below(5) {
            0 => "0000000000".to_owned(),
            1 => "1234567890".to_owned(),
            2 => "NPI3233".to_owned(),
            _ => format!("{}", valid - valid % 10 + (valid % 10 + 1 + draw.and(3).below(8)) % 10),
        })
    } else if hits(Quirk::NpiSeveral) {
        NpiShown::Both(valid, npis.second(number))
    } else {
        NpiShown::Valid(valid)
    };
    let mut languages = Vec::new();
    if draw.and(4).hits(450_000) {
        languages.push("English");
        if draw.and(5).hits(350_000) {
            languages.push(match draw.and(6).below(100) {
                0..=59 => "Spanish",
                60..=69 => "Chinese",
                70..=79 => "Hindi",
                80..=86 => "Arabic",
                87..=93 => "Vietnamese",
                _ => "French",
            });
        }
    }
    ProviderFacts {
        provider: Provider::Individual(number),
        npi,
        active: active(draw, quirks),
        name: name.text(),
        gender: (!hits(Quirk::GenderMissing)).then_some(if name.woman { "female" } else { "male" }),
        person: Some(name),
        languages,
        specialty: specialties::drawn(draw.and(7), false),
        phone: (!hits(Quirk::TelecomMissing)).then(|| super::phone(draw.and(8))),
        aliases: Vec::new(),
    }
}

/// Facility `number`.
pub(crate) fn facility(seed: u64, number: u64, npis: Npis, quirks: &Quirks) -> ProviderFacts {
    let draw = Draw::of(seed ^ 0x6661_6369, number);
    let hits = |quirk: Quirk| draw.and(quirk as u64).hits(quirks.rate(quirk));
    let specialty = specialties::drawn(draw.and(7), true);
    let kind = specialties::SPECIALTIES.get(specialty as usize).map_or("Clinic", |s| s.name);
    let first = draw.and(1).one_of(
        &[
            "Bluebird",
            "Harbor",
            "Lakeside",
            "Saint Agnes",
            "Cedar",
            "Summit",
            "Riverbend",
            "Liberty",
            "Maple",
            "Northgate",
        ],
        "Harbor",
    );
    let second = draw.and(2).one_of(&["Community", "Regional", "Family", "Valley", "", "", "County"], "");
    let words: Vec<&str> = [first, second, kind].into_iter().filter(|w| !w.is_empty()).collect();
    let name = if kind == "Pharmacy" && draw.and(3).hits(600_000) {
        format!("{first} Pharmacy #{}", 100 + draw.and(4).below(9_000))
    } else {
        words.join(" ")
    };
    let aliases = if hits(Quirk::OrganizationAlias) { vec![format!("{first} {kind} LLC")] } else { Vec::new() };
    ProviderFacts {
        provider: Provider::Facility(number),
        npi: if hits(Quirk::NpiMissing) {
            NpiShown::Missing
        } else {
            NpiShown::Valid(npis.of(Provider::Facility(number)))
        },
        active: active(draw, quirks),
        name,
        person: None,
        gender: None,
        languages: Vec::new(),
        specialty,
        phone: (!hits(Quirk::TelecomMissing)).then(|| super::phone(draw.and(8))),
        aliases,
    }
}

fn active(draw: Draw, quirks: &Quirks) -> Option<bool> {
    if draw.and(201).hits(quirks.rate(Quirk::ProviderInactive)) {
        Some(false)
    } else {
        (!draw.and(202).hits(quirks.rate(Quirk::ActiveMissing))).then_some(true)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn npis_are_valid_distinct_and_lead_back() {
        assert_eq!(check_digit(123_456_789), 3);
        assert_eq!(check_digit(199_399_999), 8);
        let npis = Npis::new(4);
        let mut seen = std::collections::BTreeSet::new();
        for n in 0..2_000 {
            for provider in [Provider::Individual(n), Provider::Facility(n)] {
                let npi = npis.of(provider);
                assert!(seen.insert(npi));
                assert_eq!(npis.owner(npi), Some(provider));
                assert_eq!(npis.owner(npi ^ 1), None, "another check digit");
            }
            assert!(seen.insert(npis.second(n)));
            assert_eq!(npis.owner(npis.second(n)), Some(Provider::Individual(n)));
        }
    }
}
