//! How counties are named: the one way in which builder and reader tell which county a text means.
//!
//! Case, accents, apostrophes, hyphens and spaces do not count (`DeKalb`, `De Kalb`), `Saint`,
//! `St.` and `Ste.` are one, `and` is nothing. Suffix words (County, Parish, …) are dropped, but
//! not before the whole name was looked for: `Charles City` is a county, `Fairfax City` is the city
//! and not the county of that name, and `Fairfax` alone is either.

use crate::fold;
use crate::ids::{CountyFips, State};

/// A county as the matching needs it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct NamedCounty {
    /// The county, of today or a former one.
    pub fips: CountyFips,
    /// Whether it is an independent city.
    pub is_city: bool,
}

/// Whether a full name is an independent city's: the Census writes them with a small letter
/// (`Baltimore city`; `Carson City` and `James City County` are none).
#[must_use]
pub fn is_city(full_name: &str) -> bool {
    full_name.ends_with(" city")
}

/// The key of a name without suffix words: `St. John the Baptist` is `stjohnthebaptist`.
#[must_use]
pub fn key(name: &str) -> String {
    words(name).concat()
}

fn words(name: &str) -> Vec<String> {
    let mut words: Vec<String> = fold::tokens(name).into_iter().map(|token| token.text).collect();
    words.retain(|word| word != "and");
    for word in &mut words {
        let whole = match word.as_str() {
            "saint" | "ste" | "sainte" => "st",
            "mt" => "mount",
            "ft" => "fort",
            "e" => "east",
            "w" => "west",
            "n" => "north",
            "s" => "south",
            _ => continue,
        };
        whole.clone_into(word);
    }
    words
}

/// Words behind a name that say that it is a county or the like. `city` and `county` alone come
/// before both: `James City County` is the county of James City.
const COUNTY_SUFFIXES: [&[&str]; 15] = [
    &["county"],
    &["co"],
    &["cnty"],
    &["parish"],
    &["borough"],
    &["boro"],
    &["municipality"],
    &["municipio"],
    &["region"],
    &["district"],
    &["island"],
    &["census", "area"],
    &["planning", "region"],
    &["city", "borough"],
    &["city", "county"],
];

/// Words before a name that say the same.
const COUNTY_PREFIXES: [&[&str]; 7] = [
    &["county", "of"],
    &["parish", "of"],
    &["borough", "of"],
    &["municipality", "of"],
    &["municipio", "de"],
    &["municipio", "of"],
    &["city", "county", "of"],
];

/// The counties that a name without state fits: `look_up` gives those of a [`key`]. Of the ways to
/// read the name the first that fits anything counts. Sorted, without repeats.
///
/// # Errors
/// Those of `look_up`.
pub fn fitting<E>(
    name: &str,
    mut look_up: impl FnMut(&str) -> Result<Vec<NamedCounty>, E>,
) -> Result<Vec<CountyFips>, E> {
    let words = words(name);
    let mut found = if words.is_empty() { Vec::new() } else { look_up(&words.concat())? };
    if found.is_empty() {
        for bare in city_keys(&words) {
            found.extend(look_up(&bare)?.into_iter().filter(|county| county.is_city));
        }
    }
    if found.is_empty() {
        for bare in county_keys(&words) {
            found = look_up(&bare)?;
            // Software glues "County" to every name: `Alexandria County` has no other reading.
            if found.iter().any(|county| !county.is_city) {
                found.retain(|county| !county.is_city);
            }
            if !found.is_empty() {
                break;
            }
        }
    }
    found.sort_unstable();
    found.dedup();
    Ok(found.into_iter().map(|county| county.fips).collect())
}

/// The keys that a name may have been meant as: whole, and without the words of a city or county.
pub(super) fn likely_keys(name: &str) -> Vec<String> {
    let words = words(name);
    std::iter::once(words.concat()).chain(city_keys(&words)).chain(county_keys(&words)).collect()
}

/// The key of `X` for `X city` and `city of X`.
fn city_keys(words: &[String]) -> Vec<String> {
    without(words, &[&["city"]], &[&["city", "of"]])
}

/// The keys of `X` for `X County`, `Parish of X` and the like.
fn county_keys(words: &[String]) -> Vec<String> {
    without(words, &COUNTY_SUFFIXES, &COUNTY_PREFIXES)
}

/// The keys of what is left, if anything, without each of the suffixes and prefixes that fit.
fn without(words: &[String], suffixes: &[&[&str]], prefixes: &[&[&str]]) -> Vec<String> {
    let same = |these: &[String], those: &[&str]| these.iter().map(String::as_str).eq(those.iter().copied());
    let before = suffixes.iter().filter_map(|suffix| {
        let (rest, tail) = words.split_at_checked(words.len().checked_sub(suffix.len())?)?;
        same(tail, suffix).then_some(rest)
    });
    let behind = prefixes.iter().filter_map(|prefix| {
        let (head, rest) = words.split_at_checked(prefix.len())?;
        same(head, prefix).then_some(rest)
    });
    before.chain(behind).filter(|rest| !rest.is_empty()).map(<[String]>::concat).collect()
}

/// A text without this country behind a comma.
fn without_country(text: &str) -> &str {
    let is_country = |tail: &str| {
        let letters: String = tail.chars().filter(char::is_ascii_alphabetic).collect();
        ["us", "usa", "unitedstates", "unitedstatesofamerica"].iter().any(|known| letters.eq_ignore_ascii_case(known))
    };
    text.rsplit_once(',').filter(|(_, tail)| is_country(tail)).map_or(text, |(rest, _)| rest.trim_end())
}

/// The ways to part a text into name and state, likeliest first: `Miami-Dade, FL`,
/// `Miami-Dade County Florida`, and the whole text as a name.
#[must_use]
pub fn name_and_state(text: &str) -> Vec<(&str, Option<State>)> {
    let text = without_country(text.trim());
    let mut ways = Vec::new();
    if let Some((name, state)) = text.rsplit_once(',').and_then(|(name, tail)| Some((name, State::from_name(tail)?))) {
        ways.push((name.trim(), Some(state)));
    }
    let blanks: Vec<usize> = text.match_indices(char::is_whitespace).map(|(at, _)| at).collect();
    // The longest first: Berkeley West Virginia is not Berkeley West in Virginia.
    for at in blanks.iter().rev().take(6).rev() {
        if let Some((name, tail)) = text.split_at_checked(*at)
            && let Some(state) = State::from_name(tail)
        {
            ways.push((name.trim(), Some(state)));
        }
    }
    ways.push((text, None));
    ways.retain(|(name, _)| !name.is_empty());
    ways
}
