//! Specialties: which spellings mean the same, and which one a person means.

use std::sync::OnceLock;

use crate::fold::edits;
use crate::format::packed::{Column, Damaged, Packed, Texts};
use crate::{Error, ErrorKind, Result};

use super::layout::{OFFERED, section};
use crate::spelling::{CLOSED_CODES, says_closed, specialty_key, specialty_parts, tells_a_field, without_profession};

/// Candidates that an error or an answer names at most.
const MOST_CANDIDATES: usize = 12;

/// The directory's specialties: few enough to be read at open, but for the sets of them.
#[derive(Debug)]
pub(crate) struct Specialties {
    /// Words of each, else its code.
    shown: Vec<String>,
    taxonomies: Vec<String>,
    /// The number of each one's key.
    key: Vec<u32>,
    /// Ascending.
    keys: Vec<String>,
    key_names: Vec<String>,
    /// Ascending, with the keys that each leads to.
    aliases: Vec<(String, Vec<u32>)>,
    /// What is similar to each key, looked for at its first search.
    similar: Vec<OnceLock<Vec<u32>>>,
    /// Whether each specialty is of closed doors, looked for at the first search.
    closed: OnceLock<Vec<bool>>,
    set_first: Column,
    set_member: Column,
}

/// What a person means by a specialty.
#[derive(Clone, Debug)]
pub(crate) struct Meant {
    /// Its key; plain words and taxonomy codes may mean several.
    pub(crate) keys: Vec<u32>,
    /// Whether each specialty is meant, by number.
    members: Vec<bool>,
    /// Whether every specialty of its keys is meant.
    pub(crate) whole_keys: bool,
    /// Whether it is a pharmacy's.
    pub(crate) is_pharmacy: bool,
    /// Where it is one of closed doors: whether each specialty is, by number.
    pub(crate) closed: Option<Vec<bool>>,
    /// Further keys that the text may mean, and that are not meant.
    also: Vec<u32>,
    /// Whether the text is no spelling of a key of its own.
    read_as: bool,
}

impl Specialties {
    pub(crate) fn read(packed: &Packed) -> Result<Self> {
        let texts = |name| all(packed, &packed.texts(name)?);
        let taxonomies = texts(section::SPECIALTY_TAXONOMY)?;
        let shown = texts(section::SPECIALTY_TEXT)?.into_iter().zip(&taxonomies);
        let shown: Vec<String> = shown.map(|(text, code)| if text.is_empty() { code.clone() } else { text }).collect();
        let (key, keys, key_names) =
            (packed.numbers(section::SPECIALTY_KEY)?, texts(section::KEY)?, texts(section::KEY_NAME)?);
        let (first, leads_to) = (packed.numbers(section::ALIAS_FIRST)?, packed.numbers(section::ALIAS_KEY)?);
        let aliases = texts(section::ALIAS)?.into_iter().zip(first.array_windows()).map(|(alias, [from, to])| {
            let keys = leads_to.get(*from as usize..*to as usize);
            Some((alias, keys?.to_vec()))
        });
        let aliases: Option<Vec<(String, Vec<u32>)>> = aliases.collect();
        let fits = key.len() == shown.len()
            && key.len() == taxonomies.len()
            && key_names.len() == keys.len()
            && keys.is_sorted()
            && first.is_sorted()
            && key.iter().chain(&leads_to).all(|key| (*key as usize) < keys.len());
        let aliases = aliases.filter(|aliases| fits && aliases.len() + 1 == first.len().max(1));
        let aliases = aliases.ok_or_else(|| packed.error().saying("its specialties do not fit each other"))?;
        Ok(Self {
            similar: keys.iter().map(|_| OnceLock::new()).collect(),
            closed: OnceLock::new(),
            shown,
            taxonomies,
            key,
            keys,
            key_names,
            aliases,
            set_first: packed.column(section::SET_SPECIALTIES)?,
            set_member: packed.column(section::SET_SPECIALTY)?,
        })
    }

    /// The specialties of a set.
    #[inline]
    pub(crate) fn members(&self, set: u32) -> Result<impl Iterator<Item = u32> + '_, Damaged> {
        let range = self.set_first.range(set)?;
        if range.len() > self.key.len() {
            return Err(Damaged);
        }
        let numbers = self.set_member.numbers(range.clone())?;
        Ok(range.map_while(move |at| numbers.get(at).ok()))
    }

    /// A specialty as people read it: its words, else its code.
    pub(crate) fn shown(&self, specialty: u32) -> Result<&str, Damaged> {
        self.shown.get(specialty as usize).map(String::as_str).ok_or(Damaged)
    }

    /// A key as people read it.
    pub(crate) fn key_name(&self, key: u32) -> Option<String> {
        self.key_names.get(key as usize).cloned()
    }

    /// What a text means: a specialty in any of its spellings, a NUCC code, or plain words.
    ///
    /// # Errors
    /// `NotFound` with the specialties that are similar.
    pub(crate) fn meant(&self, text: &str) -> Result<Meant> {
        let wanted = specialty_key(text);
        let named = self.named(text, &wanted);
        let code = text.trim().to_ascii_uppercase();
        let (mut keys, also, read_as) = named.unwrap_or_default();
        let is_code = code.len() == 10 && code.bytes().all(|b| b.is_ascii_alphanumeric());
        let coded: Vec<bool> = if is_code {
            self.taxonomies.iter().map(|taxonomy| *taxonomy == code).collect()
        } else {
            vec![false; self.key.len()]
        };
        let members: Vec<bool> = self.key.iter().zip(&coded).map(|(key, coded)| *coded || keys.contains(key)).collect();
        keys.extend(self.key.iter().zip(&coded).filter(|(_, coded)| **coded).map(|(key, _)| *key));
        keys.sort_unstable();
        keys.dedup();
        if keys.is_empty() {
            let shown: String = text.trim().chars().take(60).collect();
            let mut similar = self.offered(&wanted);
            similar.extend(self.similar(&wanted, true));
            let similar =
                similar.iter().enumerate().filter(|(at, key)| !similar.iter().take(*at).any(|met| met == *key));
            let similar = similar.map(|(_, key)| *key).take(MOST_CANDIDATES);
            return Err(Error::new(
                ErrorKind::NotFound,
                format!("specialty {shown:?}"),
                "nobody in the directory has it",
            )
            .with_hint("a specialty is named in its own or in plain words, or by a NUCC taxonomy code")
            .with_candidates(similar.filter_map(|key| self.key_name(key))));
        }
        let whole_keys = self.key.iter().zip(&members).all(|(key, member)| *member || !keys.contains(key));
        let of_pharmacy = |key: &u32| self.keys.get(*key as usize).is_some_and(|key| key.contains("pharmacy"));
        let is_pharmacy = wanted.contains("pharmacy") || code.starts_with("3336") || keys.iter().any(of_pharmacy);
        let closed = self.closed();
        let is_closed = members.iter().zip(closed).all(|(member, closed)| *closed || !member);
        let closed = is_closed.then(|| closed.to_vec());
        Ok(Meant { keys, members, whole_keys, is_pharmacy, closed, also, read_as })
    }

    /// Whether each specialty is of closed doors, by its words or its code.
    fn closed(&self) -> &[bool] {
        self.closed.get_or_init(|| {
            let by_words: Vec<bool> = self.keys.iter().map(|key| says_closed(key)).collect();
            let of = |key: &u32| by_words.get(*key as usize) == Some(&true);
            let each = self.key.iter().zip(&self.taxonomies);
            each.map(|(key, taxonomy)| CLOSED_CODES.contains(&taxonomy.as_str()) || of(key)).collect()
        })
    }

    /// One key, as if it had been meant.
    pub(crate) fn meant_by_key(&self, key: u32) -> Meant {
        Meant {
            keys: vec![key],
            members: self.key.iter().map(|other| *other == key).collect(),
            whole_keys: true,
            is_pharmacy: false,
            closed: None,
            also: Vec::new(),
            read_as: false,
        }
    }

    /// The keys that a text names, further ones that it may mean, and whether it is an alias of them.
    fn named(&self, text: &str, wanted: &str) -> Option<(Vec<u32>, Vec<u32>, bool)> {
        if wanted.is_empty() {
            return None;
        }
        let by_key =
            |wanted: &str| u32::try_from(self.keys.binary_search_by(|key| key.as_str().cmp(wanted)).ok()?).ok();
        if let Some(key) = by_key(wanted) {
            let others = self.alias(wanted).unwrap_or_default();
            // Its own number among them: they are kinds of it, and taken too.
            return Some(if others.contains(&key) { (others, Vec::new(), true) } else { (vec![key], others, false) });
        }
        let short = without_profession(wanted);
        let any = |wanted: &str| by_key(wanted).map(|key| vec![key]).or_else(|| self.alias(wanted));
        let by_name = self.alias(wanted).or_else(|| any(short.as_deref()?));
        let keys = by_name.or_else(|| {
            let mut parts = specialty_parts(text).into_iter().map(|part| any(&specialty_key(part)));
            let first = parts.next()??;
            parts.all(|keys| keys.as_ref() == Some(&first)).then_some(first)
        })?;
        Some((keys, Vec::new(), true))
    }

    /// The keys that another key leads to.
    fn alias(&self, wanted: &str) -> Option<Vec<u32>> {
        let number = self.aliases.binary_search_by(|(alias, _)| alias.as_str().cmp(wanted)).ok()?;
        self.aliases.get(number).map(|(_, keys)| keys.clone())
    }

    /// The keys that are near to what a text means, where the directory has nothing that it means.
    fn offered(&self, wanted: &str) -> Vec<u32> {
        let offered = |wanted: &str| self.alias(&format!("{OFFERED}{wanted}"));
        offered(wanted).or_else(|| offered(&without_profession(wanted)?)).unwrap_or_default()
    }

    /// What the text was read as, where it is no spelling of that.
    pub(crate) fn read_as(&self, meant: &Meant) -> Vec<String> {
        let keys = if meant.read_as { meant.keys.as_slice() } else { &[] };
        keys.iter().filter_map(|key| self.key_name(*key)).collect()
    }

    /// Specialties similar to what was meant, and not meant.
    pub(crate) fn beside(&self, meant: &Meant) -> Vec<u32> {
        let mut beside = meant.also.clone();
        for key in &meant.keys {
            let Some(similar) = self.similar.get(*key as usize) else { continue };
            let of_key = || self.keys.get(*key as usize).map(|key| self.similar(key, false)).unwrap_or_default();
            for other in similar.get_or_init(of_key) {
                if !beside.contains(other) && !meant.keys.contains(other) {
                    beside.push(*other);
                }
            }
        }
        beside.truncate(MOST_CANDIDATES);
        beside
    }

    /// Other specialties that a text may mean: narrower and wider ones, and, where it may be misspelt,
    /// such as are a slip of the pen away.
    fn similar(&self, key: &str, misspelt: bool) -> Vec<u32> {
        let words: Vec<&str> = key.split(' ').filter(|word| !word.is_empty()).collect();
        let mut near: Vec<(usize, String, u32)> = (0..)
            .zip(&self.keys)
            .filter(|(_, other)| *other != key)
            .filter_map(|(number, other)| Some((nearness(&words, other, misspelt)?, other.clone(), number)))
            .collect();
        if misspelt {
            // A misspelt synonym leads where the synonym does.
            for (alias, keys) in &self.aliases {
                if nearness(&words, alias.strip_prefix(OFFERED).unwrap_or(alias), true) == Some(0) {
                    near.extend(keys.iter().map(|key| (0, String::new(), *key)));
                }
            }
        }
        near.sort();
        let mut keys: Vec<u32> = Vec::new();
        for (_, _, number) in near {
            if !keys.contains(&number) && keys.len() < MOST_CANDIDATES {
                keys.push(number);
            }
        }
        keys
    }
}

fn all(packed: &Packed, texts: &Texts) -> Result<Vec<String>> {
    texts.iter().collect::<Result<_, Damaged>>().map_err(|Damaged| packed.error())
}

/// How near a key is to the words of another: 0 they are a slip away, 1 it has all of them, 2 they
/// have all of its, 3 they share a word that tells something. `None`: not near. Slips count only where
/// the words may be misspelt.
fn nearness(words: &[&str], other: &str, misspelt: bool) -> Option<usize> {
    let others: Vec<&str> = other.split(' ').collect();
    let near = |a: &str, b: &str| a == b || (misspelt && is_slip(a, b));
    let all_near = words.iter().all(|word| others.iter().any(|other| near(word, other)));
    // Words that are not known may not be typed to their end.
    let begins = |a: &str, b: &str| misspelt && a.len() >= 3 && b.starts_with(a);
    if words.is_empty() {
        None
    } else if words.len() == others.len() && all_near {
        Some(0)
    } else if words.iter().all(|word| others.iter().any(|other| near(word, other) || begins(word, other))) {
        Some(1)
    } else if others.iter().all(|other| words.iter().any(|word| near(word, other))) {
        Some(2)
    } else {
        words.iter().any(|word| tells_a_field(word) && others.contains(word)).then_some(3)
    }
}

/// Whether a word is a slip of the pen away from a stem, or from the field or the person that the stem
/// is of.
fn is_slip(word: &str, stem: &str) -> bool {
    let close = |other: &str| {
        word.len().min(other.len()) > 4 && word.len().abs_diff(other.len()) <= 2 && edits(word, other, 2).is_some()
    };
    close(stem) || ["ist", "y", "ian", "ician"].iter().any(|ending| close(&format!("{stem}{ending}")))
}

impl Meant {
    /// Whether a pharmacy of closed doors with these specialties is meant: where one of closed doors is asked
    /// for, not one that states another of them.
    pub(crate) fn may_be(&self, mut specialties: impl Iterator<Item = u32>) -> bool {
        let Some(closed) = &self.closed else { return true };
        let mut other = false;
        let has = specialties.any(|specialty| {
            other |= closed.get(specialty as usize) == Some(&true);
            self.has(specialty)
        });
        has || !other
    }

    #[inline]
    pub(crate) fn has(&self, specialty: u32) -> bool {
        self.members.get(specialty as usize).copied().unwrap_or(false)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn similar_specialties_share_a_field_or_are_a_slip_away() {
        let near = |typed: &str, other: &str, misspelt| {
            let (typed, other) = (specialty_key(typed), specialty_key(other));
            nearness(&typed.split(' ').collect::<Vec<_>>(), &other, misspelt)
        };
        assert_eq!(near("pediatrition", "Pediatrics", true), Some(0));
        assert_eq!(near("cardiolgist", "Cardiology", true), Some(0));
        assert_eq!(near("Medical Oncology", "Gynecologic Oncology", false), Some(3));
        assert_eq!(near("Medical Oncology", "Durable Medical Equipment", true), None);
        assert_eq!(near("Internal Medicine", "Sleep Medicine", false), None);
    }
}
