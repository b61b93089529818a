//! Specialties: which spellings mean the same, and which one a person means.

use std::sync::OnceLock;

use crate::format::packed::{Column, Packed, Texts};
use crate::{Error, ErrorKind, Result};

use super::layout::section;
use crate::providers::words::specialty_key;

/// Candidates that an error or an answer names at most.
const MOST_CANDIDATES: usize = 12;

/// The directory's specialties.
#[derive(Debug)]
pub(crate) struct Specialties {
    /// Words of each, else its code: few enough to be read at open.
    shown: Vec<String>,
    taxonomies: Texts,
    key: Column,
    keys: Texts,
    /// What is similar to each key, looked for at its first search.
    similar: Vec<OnceLock<Vec<String>>>,
    set_first: Column,
    set_member: Column,
}

/// What a person means by a specialty.
#[derive(Clone, Debug)]
pub(crate) struct Meant {
    /// Its key; a taxonomy code may be among several.
    pub(crate) keys: Vec<u32>,
    /// Whether each specialty is meant, by number.
    members: Vec<bool>,
    /// Whether every specialty of its keys is meant.
    pub(crate) whole_keys: bool,
    /// Whether it is a pharmacy's.
    pub(crate) is_pharmacy: bool,
}

impl Specialties {
    pub(crate) fn read(packed: &Packed) -> Result<Self> {
        let taxonomies = packed.texts(section::SPECIALTY_TAXONOMY)?;
        let texts = packed.texts(section::SPECIALTY_TEXT)?;
        let shown = texts.iter().zip(taxonomies.iter());
        let keys = packed.texts(section::KEY)?;
        Ok(Self {
            similar: (0..keys.len()).map(|_| OnceLock::new()).collect(),
            shown: shown.map(|(text, code)| if text.is_empty() { code } else { text }).collect(),
            taxonomies,
            key: packed.column(section::SPECIALTY_KEY)?,
            keys,
            set_first: packed.column(section::SET_SPECIALTIES)?,
            set_member: packed.column(section::SET_SPECIALTY)?,
        })
    }

    /// The specialties of a set.
    #[inline]
    pub(crate) fn members(&self, set: u32) -> Option<impl Iterator<Item = u32> + '_> {
        let (from, to) = (self.set_first.get(set)?, self.set_first.get(set.checked_add(1)?)?);
        Some((from..to).map_while(|at| self.set_member.get(at)))
    }

    /// A specialty as people read it: its words, else its code.
    pub(crate) fn shown(&self, specialty: u32) -> Option<String> {
        self.shown.get(specialty as usize).cloned()
    }

    /// What a text means: a NUCC code, or a specialty in any of its own spellings.
    ///
    /// # Errors
    /// `NotFound` with the specialties that are similar.
    pub(crate) fn meant(&self, text: &str) -> Result<Meant> {
        let wanted = specialty_key(text);
        let by_key = self.keys.find(|key| key.cmp(wanted.as_bytes())).filter(|_| !wanted.is_empty());
        let members: Vec<bool> = if let Some(key) = by_key {
            self.key.iter().map(|other| other == key).collect()
        } else {
            let code = text.trim().to_ascii_uppercase();
            self.taxonomies.iter().map(|other| !code.is_empty() && other == code).collect()
        };
        let mut keys: Vec<u32> =
            self.key.iter().zip(&members).filter(|(_, meant)| **meant).map(|(key, _)| key).collect();
        keys.sort_unstable();
        keys.dedup();
        if keys.is_empty() {
            let shown: String = text.trim().chars().take(60).collect();
            return Err(Error::new(
                ErrorKind::NotFound,
                format!("specialty {shown:?}"),
                "nobody in the directory has it",
            )
            .with_hint("a specialty is written as the directory writes it, in any case, or as a NUCC taxonomy code")
            .with_candidates(self.similar(&wanted)));
        }
        let is_pharmacy = wanted.contains("pharmacy") || text.trim().starts_with("3336");
        Ok(Meant { keys, members, whole_keys: by_key.is_some(), is_pharmacy })
    }

    /// Specialties similar to what was meant, and not meant.
    pub(crate) fn beside(&self, meant: &Meant) -> Vec<String> {
        let [key] = meant.keys.as_slice() else { return Vec::new() };
        let Some(similar) = self.similar.get(*key as usize) else { return Vec::new() };
        similar.get_or_init(|| self.keys.get(*key).map(|key| self.similar(&key)).unwrap_or_default()).clone()
    }

    /// Other specialties that a text may mean: narrower and wider ones, and such as are a slip of
    /// the pen away; one spelling of each.
    pub(crate) fn similar(&self, key: &str) -> Vec<String> {
        let words: Vec<&str> = key.split(' ').filter(|word| !word.is_empty()).collect();
        let mut near: Vec<(usize, String, u32)> = (0..)
            .zip(self.keys.iter())
            .filter(|(_, other)| other != key)
            .filter_map(|(number, other)| Some((nearness(&words, &other)?, other, number)))
            .collect();
        near.sort();
        near.truncate(MOST_CANDIDATES);
        near.into_iter()
            .filter_map(|(_, _, number)| {
                let first = self.key.iter().position(|key| key == number)?;
                self.shown(u32::try_from(first).ok()?)
            })
            .collect()
    }
}

/// How near a key is to the words of another: 0 they are a slip away, 1 it has all of them, 2 they
/// have all of its, 3 they share a word that tells something. `None`: not near.
fn nearness(words: &[&str], other: &str) -> Option<usize> {
    let others: Vec<&str> = other.split(' ').collect();
    let slip = |a: &str, b: &str| {
        a.len().min(b.len()) > 4 && a.len().abs_diff(b.len()) <= 2 && crate::geo::names::edits(a, b, 2).is_some()
    };
    let near = |a: &str, b: &str| a == b || slip(a, b);
    let all_near = words.iter().all(|word| others.iter().any(|other| near(word, other)));
    let begins = |a: &str, b: &str| a.len() >= 3 && b.starts_with(a);
    if words.is_empty() {
        None
    } else if words.len() == others.len() && all_near {
        Some(0)
    } else if words.iter().all(|word| others.iter().any(|other| near(word, other) || begins(word, other))) {
        Some(1)
    } else if others.iter().all(|other| words.iter().any(|word| near(word, other))) {
        Some(2)
    } else {
        words.iter().any(|word| word.len() > 5 && others.contains(word)).then_some(3)
    }
}

impl Meant {
    #[inline]
    pub(crate) fn has(&self, specialty: u32) -> bool {
        self.members.get(specialty as usize).copied().unwrap_or(false)
    }
}
