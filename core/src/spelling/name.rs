//! Names of people and organizations: the words under which a stored name is indexed, and what a
//! typed text means.
//!
//! A stored name is indexed by its words. Beside them stand, few as they are, the other spellings:
//! `st` and `saint`, `ft` and `fort`, `mt` and `mount` for each other; words that a particle, a
//! hyphen, a slash or dots join, as one (`Mc Donald`, `Wal-Mart`, `U.S.`); the first two short words
//! of an organization as one (`Rite Aid`). A person's credentials behind a comma are not indexed.
//!
//! A typed text has several readings: as it stands, and with neighbors joined. Titles and
//! credentials in it are dropped unless the directory has a name with them as words of its own.

use crate::fold;

/// Longest beginning of a word in the index of names, in characters.
pub(crate) const LONGEST_BEGINNING: usize = 4;

/// A word of a name, and what stands before it.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Part {
    word: String,
    gap: Gap,
}

/// What parts a word from the one before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Gap {
    /// A hyphen or a slash alone.
    Joint,
    /// A dot alone: `M.D.`.
    Dot,
    /// A comma or a parenthesis, blanks or not.
    Comma,
    /// Anything else, and before the first word.
    Blank,
}

/// Words that begin names of several words, and are written joined to the next or apart.
const PARTICLES: &[&str] = &[
    "o", "mc", "mac", "d", "l", "de", "del", "dela", "della", "di", "da", "das", "dos", "du", "des", "la", "las", "le",
    "les", "lo", "los", "van", "vander", "vanden", "von", "der", "den", "ter", "ten", "st", "saint", "san", "santa",
    "el", "al", "abu", "bin", "ibn", "fitz",
];

/// Words that are written in two ways.
#[cfg(feature = "build")]
const SHORT: [(&str, &str); 3] = [("st", "saint"), ("ft", "fort"), ("mt", "mount")];

/// Titles before a name.
const TITLES: &[&str] = &["dr", "drs", "doctor", "prof", "professor", "mr", "mrs", "ms", "miss", "mx", "rev", "hon"];

/// Credentials behind a name.
const CREDENTIALS: &[&str] = &[
    "md", "do", "mbbs", "mbchb", "dds", "dmd", "dpm", "od", "dc", "nd", "dvm", "phd", "psyd", "edd", "scd", "drph",
    "pharmd", "rph", "bcps", "dpt", "pt", "mpt", "mspt", "ot", "otr", "otd", "cota", "pta", "slp", "ccc", "aud", "pa",
    "pac", "mpas", "np", "npc", "fnp", "anp", "agnp", "acnp", "agacnp", "agpcnp", "pnp", "gnp", "nnp", "whnp", "pmhnp",
    "crnp", "arnp", "aprn", "apn", "apnp", "apc", "cnp", "cns", "cnm", "cpnp", "cfnp", "crna", "dnp", "rn", "msn",
    "bsn", "lpn", "lvn", "lcsw", "lcswr", "lmsw", "lsw", "lisw", "licsw", "acsw", "msw", "bsw", "csw", "lpc", "lpcc",
    "lcpc", "lmhc", "lmft", "lmfcc", "mft", "lcdc", "lac", "ladc", "cadc", "bcba", "bcbad", "rbt", "ncc", "rd", "rdn",
    "ld", "ldn", "cde", "ms", "ma", "mba", "mph", "mhs", "mha", "med", "bs", "ba", "facp", "facs", "facc", "faap",
    "facog", "faafp", "faaos", "fache",
];

/// What credentials are followed by: `PA-C`, `FNP-BC`, `CCC-SLP` is two of the others.
const TAILS: [&str; 4] = ["c", "bc", "l", "cm"];

/// Suffixes that tell a name from another: indexed, and dropped from what was typed where nobody has
/// them.
const GENERATIONS: [&str; 7] = ["jr", "sr", "junior", "senior", "ii", "iii", "iv"];

/// The words of a name, folded as `fold` does, but as they are written: no units, no numbers of
/// their own (`3M` is one word).
#[must_use]
pub fn name_words(name: &str) -> Vec<String> {
    parts(name).into_iter().map(|part| part.word).collect()
}

/// A name's words joined by blanks: what names are ordered and compared by.
#[must_use]
pub fn name_key(name: &str) -> String {
    name_words(name).join(" ")
}

fn parts(name: &str) -> Vec<Part> {
    let mut parts: Vec<Part> = Vec::new();
    let (mut word, mut gap) = (String::new(), String::new());
    for c in fold::fold_characters(name).into_iter().chain([' ']) {
        if c.is_alphanumeric() {
            word.push(c);
        } else {
            if !word.is_empty() {
                parts.push(Part { word: std::mem::take(&mut word), gap: gap_of(&gap) });
                gap.clear();
            }
            gap.push(c);
        }
    }
    parts
}

fn gap_of(text: &str) -> Gap {
    match text {
        "-" | "/" | "\u{2010}" | "\u{2011}" | "\u{2013}" => Gap::Joint,
        "." => Gap::Dot,
        _ if text.contains([',', '(', ';']) => Gap::Comma,
        _ => Gap::Blank,
    }
}

/// Beginnings under which a word is found while it is typed, up to [`LONGEST_BEGINNING`]
/// characters.
#[cfg(feature = "build")]
pub(crate) fn beginnings(word: &str) -> impl Iterator<Item = &str> {
    let ends = word.char_indices().map(|(at, c)| at + c.len_utf8());
    ends.take(LONGEST_BEGINNING).filter_map(|end| word.get(..end))
}

/// The words under which a provider of this name is found, sorted, no repeats: its own and other
/// spellings of them. A person's credentials behind a comma are none.
///
/// ```
/// use coverdex_core::build::providers::names_index;
/// assert_eq!(names_index("Una O Brien, M.D.", false), ["brien", "o", "obrien", "una"]);
/// assert_eq!(names_index("WAL-MART", true), ["mart", "wal", "walmart"]);
/// ```
#[cfg(feature = "build")]
#[must_use]
pub fn names_index(name: &str, is_organization: bool) -> Vec<String> {
    let all = parts(name);
    let parts = if is_organization { all.as_slice() } else { without_stored_credentials(&all) };
    let mut words: Vec<String> = Vec::new();
    for part in parts {
        words.push(part.word.clone());
        let other = SHORT.iter().find_map(|(short, long)| {
            (part.word == *short).then_some(*long).or_else(|| (part.word == *long).then_some(*short))
        });
        words.extend(other.map(str::to_owned));
    }
    words.extend(joined_runs(parts).into_iter().map(|(_, word)| word));
    if is_organization
        && let [first, second, ..] = parts
        && (2..=5).contains(&first.word.len())
        && (2..=5).contains(&second.word.len())
        && [first, second].iter().all(|part| part.word.chars().all(char::is_alphabetic))
    {
        words.push(format!("{}{}", first.word, second.word));
    }
    words.sort();
    words.dedup();
    words
}

/// A name without the credentials that stand behind commas at its end: not those behind a single word,
/// as `Kim, Do` is a name.
#[cfg(feature = "build")]
fn without_stored_credentials(parts: &[Part]) -> &[Part] {
    let is_one =
        |part: &Part| part.gap == Gap::Dot || CREDENTIALS.contains(&&*part.word) || TAILS.contains(&&*part.word);
    let mut end = parts.len();
    for at in (2..parts.len()).rev() {
        let behind = parts.get(at..end).unwrap_or_default();
        if parts.get(at).is_none_or(|part| part.gap != Gap::Comma) {
            continue;
        }
        let run: String = behind.iter().map(|part| part.word.as_str()).collect();
        let begins = behind.first().is_some_and(|part| CREDENTIALS.contains(&&*part.word));
        let fits = CREDENTIALS.contains(&&*run) || (begins && behind.iter().skip(1).all(is_one));
        if !fits {
            break;
        }
        end = at;
    }
    parts.get(..end).unwrap_or(parts)
}

/// Runs of words that are one where they are written joined: the words they take, and the joined
/// word. `saint` is joined as `st`.
fn joined_runs(parts: &[Part]) -> Vec<(std::ops::Range<usize>, String)> {
    let mut runs = Vec::new();
    let mut at = 0;
    while at < parts.len() {
        let mut end = at + 1;
        while end < parts.len() && joins(parts, end) {
            end += 1;
        }
        if end > at + 1 {
            let words = parts.get(at..end).unwrap_or_default().iter().map(|part| short(&part.word));
            runs.push((at..end, words.collect()));
        }
        at = end;
    }
    runs
}

/// Whether a word may be written joined to the one before it.
fn joins(parts: &[Part], at: usize) -> bool {
    let (Some(before), Some(part)) = (at.checked_sub(1).and_then(|before| parts.get(before)), parts.get(at)) else {
        return false;
    };
    match part.gap {
        Gap::Joint => true,
        Gap::Dot if is_letter(&before.word) && is_letter(&part.word) => true,
        Gap::Dot | Gap::Blank => PARTICLES.contains(&&*before.word),
        Gap::Comma => false,
    }
}

fn is_letter(word: &str) -> bool {
    word.chars().count() == 1
}

fn short(word: &str) -> &str {
    if word == "saint" { "st" } else { word }
}

/// What a typed text may mean, the strictest first: of these the first counts that somebody in the
/// directory fits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Typed {
    /// All of its words, where some may be titles or credentials: counts only if somebody has all of
    /// them as whole words.
    pub(crate) literal: Option<Choice>,
    /// The words without titles and credentials, then without `Jr` and the like, then without `and`.
    pub(crate) choices: Vec<Choice>,
}

impl Typed {
    /// Whether a single word was typed.
    pub(crate) fn is_one_word(&self) -> bool {
        let readings = self.literal.iter().chain(&self.choices).flat_map(|choice| &choice.readings);
        readings.map(|reading| reading.words.len()).max() == Some(1)
    }
}

/// One way to read a typed text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Choice {
    /// Words and joined words; a name that has all of one list fits.
    pub(crate) readings: Vec<Reading>,
}

/// Words of which a name has all.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Reading {
    pub(crate) words: Vec<String>,
    /// Whether the last word may not be typed to its end.
    pub(crate) open: bool,
}

/// Reads a typed text; `None`: it has no word.
pub(crate) fn typed(text: &str) -> Option<Typed> {
    let all = parts(text);
    if all.is_empty() {
        return None;
    }
    let bare = without(&all, true);
    let barest = without(&bare, false);
    // A title before the name says nothing of it, whoever else has it as a word.
    let lead = all.iter().take_while(|part| TITLES.contains(&&*part.word)).count();
    let untitled = all.get(lead..).filter(|rest| !rest.is_empty()).unwrap_or(&all);
    let literal = (bare.len() < untitled.len()).then(|| Choice { readings: readings(untitled, true) });
    // `&` is no word, and `and` may stand for it.
    let last = barest.len().saturating_sub(1);
    let unjoined: Vec<Part> = barest
        .iter()
        .enumerate()
        .filter(|(at, part)| part.word != "and" || *at == 0 || *at == last)
        .map(|(_, part)| part.clone())
        .collect();
    let ended = |kept: &[Part]| kept.last() != all.last();
    let mut choices = Vec::new();
    for kept in [untitled, &bare, &barest, &unjoined] {
        // As all words stand they were tried as whole ones.
        if kept.len() == untitled.len() && literal.is_some() {
            continue;
        }
        let choice = Choice { readings: readings(kept, !ended(kept)) };
        if !choices.contains(&choice) {
            choices.push(choice);
        }
    }
    Some(Typed { literal, choices })
}

/// The words without titles before, credentials anywhere behind the first, or `Jr` and the like; all
/// of them if nothing else is there.
fn without(parts: &[Part], titles: bool) -> Vec<Part> {
    let mut kept: Vec<Part> = Vec::new();
    let mut at = 0;
    let mut follows = false;
    while let Some(part) = parts.get(at) {
        if !titles {
            if kept.is_empty() || !GENERATIONS.contains(&&*part.word) {
                kept.push(part.clone());
            }
            at += 1;
            continue;
        }
        let dotted = parts.get(at + 1..).unwrap_or_default().iter().take_while(|next| next.gap == Gap::Dot).count();
        let run: String =
            parts.get(at..=at + dotted).unwrap_or_default().iter().map(|part| part.word.as_str()).collect();
        let length = if CREDENTIALS.contains(&&*run) || TITLES.contains(&&*run) { dotted + 1 } else { 1 };
        let word = if length > 1 { run.as_str() } else { part.word.as_str() };
        let is_title = kept.is_empty() && TITLES.contains(&word);
        let is_credential = !kept.is_empty() && CREDENTIALS.contains(&word);
        let is_tail = follows && part.gap == Gap::Joint && TAILS.contains(&word);
        follows = is_credential;
        if !(is_title || is_credential || is_tail) {
            kept.extend(parts.get(at..at + length).unwrap_or_default().iter().cloned());
        }
        at += length;
    }
    if kept.is_empty() { parts.to_vec() } else { kept }
}

/// The readings of words: as they stand, with particles and the like joined to what follows, and with
/// any two neighbors that are no shorter than three letters joined.
fn readings(parts: &[Part], open: bool) -> Vec<Reading> {
    let words: Vec<String> = parts.iter().map(|part| part.word.clone()).collect();
    let mut readings = Vec::new();
    let mut add = |words: Vec<String>, open: bool| {
        let reading = Reading { words, open };
        if !readings.contains(&reading) {
            readings.push(reading);
        }
    };
    let with = |range: std::ops::Range<usize>, joined: String| {
        let mut all = words.clone();
        all.splice(range, [joined]);
        all
    };
    add(words.clone(), open);
    let runs = joined_runs(parts);
    for (range, joined) in &runs {
        add(with(range.clone(), joined.clone()), open);
    }
    if runs.len() > 1 {
        let mut all = words.clone();
        for (range, joined) in runs.iter().rev() {
            all.splice(range.clone(), [joined.clone()]);
        }
        add(all, open);
    }
    for (at, pair) in words.windows(2).enumerate() {
        let is_run = runs.iter().any(|(range, _)| *range == (at..at + 2));
        if !is_run && pair.iter().all(|word| word.chars().count() >= 3) {
            add(with(at..at + 2, pair.concat()), open && at + 2 < words.len());
        }
    }
    readings
}

#[cfg(test)]
mod tests;
