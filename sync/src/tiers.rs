//! What the publisher says of a payer's tiers, where code and words do not tell.
//!
//! A mapping names a tier by its code (`Z`), or by its code and words as reports print them (`Z Ask the
//! plan`), which goes before the code alone. Case and blanks do not matter. What it says decides, also
//! against the code and the words: the publisher has asked the payer.

use std::collections::BTreeMap;

use coverdex_core::{Error, Result, Tier, TierLevel, TierStatus};
use serde::{Deserialize, Deserializer};

/// What a tier is said to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TierMeaning {
    /// Covered; its level, if any, is what the words tell.
    Covered,
    /// Covered, and of this level.
    Level(TierLevel),
    /// Listed and not covered.
    NotCovered,
    /// Not known, whatever code and words seem to say.
    Unknown,
}

/// Tiers and what the publisher says that they are.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TierMap {
    /// By the tier in one spelling: as it was written, and its meaning.
    named: BTreeMap<String, (String, TierMeaning)>,
}

impl std::str::FromStr for TierMeaning {
    type Err = Error;

    /// `covered`, `not_covered`, `unknown` or a level's name; `-` for `_` and any case will do.
    fn from_str(text: &str) -> Result<Self> {
        let name = text.trim().to_lowercase().replace([' ', '-'], "_");
        match name.as_str() {
            "covered" => return Ok(Self::Covered),
            "not_covered" => return Ok(Self::NotCovered),
            "unknown" => return Ok(Self::Unknown),
            _ => {}
        }
        match TierLevel::from_name(&name) {
            Some(TierLevel::NonFormulary) => Ok(Self::NotCovered),
            Some(level) => Ok(Self::Level(level)),
            None => Err(Error::invalid(
                format!("tier meaning {text:?}"),
                format!("a tier is one of {}", allowed().collect::<Vec<_>>().join(", ")),
            )),
        }
    }
}

fn allowed() -> impl Iterator<Item = &'static str> {
    ["covered", "not_covered", "unknown"].into_iter().chain(TierLevel::ALL.into_iter().map(TierLevel::as_str))
}

/// One spelling of a tier's name: lower case, one blank between words.
fn spelled(text: &str) -> String {
    text.split_whitespace().map(str::to_lowercase).collect::<Vec<_>>().join(" ")
}

impl TierMap {
    /// Adds a tier and its meaning.
    ///
    /// # Errors
    /// [`InvalidInput`](coverdex_core::ErrorKind::InvalidInput) that names the tier, if the meaning is
    /// none, the tier has no name or was given before with another meaning.
    pub fn insert(&mut self, tier: &str, meaning: &str) -> Result<()> {
        let key = spelled(tier);
        if key.is_empty() {
            return Err(Error::invalid("tiers", "a tier without a code cannot be mapped"));
        }
        let means: TierMeaning = meaning.parse().map_err(|error: Error| {
            Error::invalid(format!("tiers, key {tier:?}, value {meaning:?}"), error.message())
        })?;
        match self.named.insert(key, (tier.trim().to_owned(), means)) {
            Some((_, other)) if other != means => {
                Err(Error::invalid(format!("tiers, key {tier:?}"), "it is given twice, with two meanings"))
            }
            _ => Ok(()),
        }
    }

    /// This mapping, and `other` for the tiers that it does not name.
    #[must_use]
    pub fn or(mut self, other: Self) -> Self {
        for (key, value) in other.named {
            self.named.entry(key).or_insert(value);
        }
        self
    }

    /// Whether no tier is mapped.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.named.is_empty()
    }

    /// A tier of the payer as it is to stand in the dataset, and whether the mapping decided.
    #[must_use]
    pub fn read(&self, code: &str, display: Option<&str>) -> (Tier, bool) {
        let read = Tier::read(code, display);
        let Some((_, meaning)) = self.key(code, display).and_then(|key| self.named.get(&key)) else {
            return (read, false);
        };
        let (status, level) = match meaning {
            TierMeaning::Covered => {
                // What the words alone tell, in case that the code denied it.
                let level = Tier::read("1", display).level.filter(|level| *level != TierLevel::NonFormulary);
                (TierStatus::Covered, level)
            }
            TierMeaning::Level(level) => (TierStatus::Covered, Some(*level)),
            TierMeaning::NotCovered => (TierStatus::NotCovered, Some(TierLevel::NonFormulary)),
            TierMeaning::Unknown => (TierStatus::NotUnderstood, None),
        };
        (Tier { status, level, ..read }, true)
    }

    /// Names in the mapping, as written, that none of these tiers has.
    pub fn unused<'a>(&'a self, tiers: impl IntoIterator<Item = (&'a str, Option<&'a str>)>) -> Vec<String> {
        let used: Vec<String> = tiers.into_iter().filter_map(|(code, display)| self.key(code, display)).collect();
        let unused = self.named.iter().filter(|(key, _)| !used.contains(key));
        unused.map(|(_, (written, _))| written.clone()).collect()
    }

    /// The name in the mapping that a tier has.
    fn key(&self, code: &str, display: Option<&str>) -> Option<String> {
        let with_words = display.map(|words| spelled(&format!("{code} {words}")));
        with_words.into_iter().chain([spelled(code)]).find(|key| self.named.contains_key(key))
    }
}

/// A TOML table: `[tiers]`, `"Z" = "covered"`.
impl<'de> Deserialize<'de> for TierMap {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let written: BTreeMap<String, String> = BTreeMap::deserialize(deserializer)?;
        let mut map = Self::default();
        for (tier, meaning) in &written {
            map.insert(tier, meaning)
                .map_err(|error| serde::de::Error::custom(format!("{}: {}", error.subject(), error.message())))?;
        }
        Ok(map)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn map(pairs: &[(&str, &str)]) -> TierMap {
        let mut map = TierMap::default();
        for (tier, meaning) in pairs {
            map.insert(tier, meaning).unwrap();
        }
        map
    }

    #[test]
    fn the_mapping_decides_by_code_and_words_then_by_code() {
        let map = map(&[
            ("Z", "not-covered"),
            ("z  ask the PLAN", "Covered"),
            ("SP", "specialty"),
            ("NF", "non_formulary"),
            ("3", "unknown"),
            ("0", "covered"),
        ]);
        for (code, display, status, level, mapped) in [
            ("Z", None, TierStatus::NotCovered, Some(TierLevel::NonFormulary), true),
            ("Z", Some("Something else"), TierStatus::NotCovered, Some(TierLevel::NonFormulary), true),
            ("Z", Some("Ask the plan"), TierStatus::Covered, None, true),
            ("sp", None, TierStatus::Covered, Some(TierLevel::Specialty), true),
            ("NF", Some("Preferred Brand"), TierStatus::NotCovered, Some(TierLevel::NonFormulary), true),
            ("3", Some("Preferred Brand"), TierStatus::NotUnderstood, None, true),
            ("0", Some("Generic"), TierStatus::Covered, Some(TierLevel::Generic), true),
            ("0", Some("Non-Formulary"), TierStatus::Covered, None, true),
            ("2", Some("Generic"), TierStatus::Covered, Some(TierLevel::Generic), false),
            ("-3", None, TierStatus::NotUnderstood, None, false),
        ] {
            let (tier, by_map) = map.read(code, display);
            assert_eq!((tier.status, tier.level, by_map), (status, level, mapped), "{code} {display:?}");
            assert_eq!((tier.code.as_str(), tier.display.as_deref()), (code, display), "the payer's own words stay");
        }
        assert_eq!(map.unused([("Z", Some("Ask the plan")), ("0", None), ("sp", None), ("NF", None)]), ["3", "Z"]);
    }

    #[test]
    fn the_first_of_two_mappings_goes_before() {
        let both = map(&[("Z", "covered")]).or(map(&[("z", "not_covered"), ("Y", "not_covered")]));
        assert_eq!(both.read("Z", None).0.status, TierStatus::Covered);
        assert_eq!(both.read("Y", None).0.status, TierStatus::NotCovered);
    }

    #[test]
    fn bad_mappings_name_the_key_and_what_is_allowed() {
        let error = TierMap::default().insert("Z", "sometimes").unwrap_err();
        assert_eq!(error.subject(), "tiers, key \"Z\", value \"sometimes\"");
        for name in ["covered, not_covered, unknown, preferred_generic", "non_formulary"] {
            assert!(error.message().contains(name), "{}", error.message());
        }
        assert!(TierMap::default().insert("  ", "covered").is_err());
        let mut twice = map(&[("Z", "covered"), (" z ", "covered")]);
        assert!(twice.insert("Z", "generic").is_err());
    }
}
