//! Words of names and addresses as evidence.

use std::collections::BTreeSet;

use coverdex_core::build::providers::{name_key, name_words};

use crate::model::{self, Individual, OrganizationFacts};

/// Titles, credentials and suffixes: no family or given name.
const SILENT_OF_PERSONS: [&str; 74] = [
    "aacc", "anp", "aprn", "arnp", "atc", "aud", "ba", "bc", "bcba", "bs", "bsn", "ccc", "ccrn", "cnm", "cnp", "cns",
    "crna", "crnp", "dc", "dds", "dmd", "dnp", "do", "dpm", "dpt", "dr", "ed", "edd", "esq", "facc", "facog", "facp",
    "facs", "fnp", "ii", "iii", "iv", "jr", "lac", "lcpc", "lcsw", "licsw", "lmft", "lmhc", "lmsw", "lpc", "ma", "mba",
    "mbbs", "md", "miss", "mph", "mr", "mrs", "ms", "msn", "msw", "np", "od", "ot", "otr", "pa", "pac", "phd",
    "pharmd", "pmhnp", "prof", "psyd", "pt", "rd", "rn", "rph", "slp", "sr",
];

/// Words of one name that are looked at: words of two resources are compared with each other.
const MOST_WORDS: usize = 64;

/// Which of several of one name a person is. In front of a name `Sr` is a title.
const GENERATIONS: [(&str, u8); 8] =
    [("sr", 1), ("jr", 2), ("ii", 3), ("iii", 4), ("iv", 5), ("2nd", 3), ("3rd", 4), ("4th", 5)];

/// Particles of family names.
const PARTICLES: [&str; 17] =
    ["al", "ben", "da", "de", "del", "della", "den", "der", "di", "du", "el", "la", "le", "mac", "mc", "van", "von"];

/// Words of organizations that many have: what they are, and their legal form.
const SILENT_OF_ORGANIZATIONS: [&str; 84] = [
    "a",
    "and",
    "area",
    "assoc",
    "associates",
    "association",
    "at",
    "care",
    "center",
    "centers",
    "centre",
    "chtd",
    "clinic",
    "clinics",
    "co",
    "community",
    "company",
    "corp",
    "corporation",
    "county",
    "ctr",
    "d",
    "dba",
    "dental",
    "department",
    "dept",
    "doctors",
    "drug",
    "drugs",
    "east",
    "facility",
    "family",
    "for",
    "foundation",
    "group",
    "health",
    "healthcare",
    "home",
    "hosp",
    "hospital",
    "hospitals",
    "in",
    "inc",
    "incorporated",
    "institute",
    "lab",
    "laboratories",
    "laboratory",
    "limited",
    "llc",
    "llp",
    "lp",
    "ltd",
    "m",
    "med",
    "medical",
    "medicine",
    "national",
    "network",
    "north",
    "of",
    "office",
    "p",
    "partners",
    "pa",
    "pc",
    "pharmacies",
    "pharmacy",
    "physicians",
    "pllc",
    "practice",
    "professional",
    "regional",
    "rx",
    "service",
    "services",
    "south",
    "specialists",
    "store",
    "system",
    "systems",
    "the",
    "urgent",
    "west",
];

/// Street words that many addresses have.
const SILENT_OF_STREETS: [&str; 30] = [
    "apt",
    "ave",
    "avenue",
    "bldg",
    "blvd",
    "boulevard",
    "cir",
    "court",
    "dr",
    "drive",
    "east",
    "floor",
    "highway",
    "hwy",
    "lane",
    "north",
    "parkway",
    "pkwy",
    "place",
    "plaza",
    "rd",
    "road",
    "rte",
    "south",
    "st",
    "ste",
    "street",
    "suite",
    "way",
    "west",
];

/// The words of a resource's names that tell who it is.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Names {
    /// Words of family names; an organization has its telling words here.
    pub(super) family: BTreeSet<String>,
    /// Words of given names.
    pub(super) given: BTreeSet<String>,
    /// Whole names of an organization.
    whole: BTreeSet<String>,
    /// Generations that a person states, by number.
    generations: BTreeSet<u8>,
}

impl Names {
    pub(crate) fn of_person(facts: &Individual) -> Self {
        let mut names = Self::default();
        for name in &facts.names {
            names.add_person(&name.text, name.family.as_deref(), &name.given);
        }
        names
    }

    fn add_person(&mut self, text: &str, family: Option<&str>, given: &[String]) {
        let behind = |text: &str| name_words(text).into_iter().skip(1).collect::<Vec<_>>();
        let all_given = given.join(" ");
        let stated = [text, &all_given].into_iter().chain(family).flat_map(behind);
        self.generations.extend(stated.filter_map(|word| Some(GENERATIONS.iter().find(|(name, _)| *name == word)?.1)));
        let (family, given) = match family.map(name_words).filter(|words| !words.is_empty()) {
            Some(family) if !given.is_empty() => (family, given.iter().flat_map(|given| name_words(given)).collect()),
            Some(family) => {
                let rest = name_words(text).into_iter().filter(|word| !family.contains(word)).collect();
                (family, rest)
            }
            None => parted(text),
        };
        let family = without_silent(family, |word| SILENT_OF_PERSONS.contains(&word));
        let joined = (family.len() > 1).then(|| family.concat());
        self.family.extend(without_silent(family, |word| PARTICLES.contains(&word)));
        self.family.extend(joined);
        self.given.extend(without_silent(given, |word| SILENT_OF_PERSONS.contains(&word)));
    }

    pub(crate) fn of_organization(facts: &OrganizationFacts) -> Self {
        let mut names = Self::default();
        for name in facts.name.iter().chain(&facts.aliases) {
            let key = name_key(name);
            if key.is_empty() {
                continue;
            }
            names.whole.insert(key);
            let telling = |word: &String| {
                is_whole(word)
                    && !SILENT_OF_ORGANIZATIONS.contains(&word.as_str())
                    && !word.chars().all(|c| c.is_ascii_digit())
            };
            names.family.extend(name_words(name).into_iter().filter(telling).take(MOST_WORDS));
        }
        names
    }

    pub(super) fn is_empty(&self) -> bool {
        self.family.is_empty() && self.given.is_empty() && self.whole.is_empty()
    }

    pub(super) fn shares_family(&self, other: &Self) -> bool {
        share(&self.family, &other.family)
    }

    /// Whether a family name is the same, letter by letter.
    pub(super) fn has_family_of(&self, other: &Self) -> bool {
        !self.family.is_disjoint(&other.family)
    }

    /// Whether a given name is the same, letter by letter.
    pub(super) fn has_given_of(&self, other: &Self) -> bool {
        !self.given.is_disjoint(&other.given)
    }

    pub(super) fn shares_given(&self, other: &Self) -> bool {
        share(&self.given, &other.given)
    }

    /// Whether both state a generation, and not the same one: a father and a son.
    pub(super) fn generations_differ(&self, other: &Self) -> bool {
        let (a, b) = (&self.generations, &other.generations);
        !a.is_empty() && !b.is_empty() && a.is_disjoint(b)
    }

    /// Whether both state the same generation, or none.
    pub(super) fn generations_equal(&self, other: &Self) -> bool {
        self.generations == other.generations
    }

    /// Whether family and given names stand in each other's place.
    pub(super) fn is_swapped(&self, other: &Self) -> bool {
        share(&self.family, &other.given) && share(&self.given, &other.family)
    }

    /// Whether two organizations share a telling word, or a whole name.
    pub(super) fn shares_telling(&self, other: &Self) -> bool {
        share(&self.family, &other.family) || self.whole.intersection(&other.whole).next().is_some()
    }
}

/// Family and given names of a text: the words in front of a comma, else the last word that is no
/// credential, are the family name.
fn parted(text: &str) -> (Vec<String>, Vec<String>) {
    let silent = |word: &String| SILENT_OF_PERSONS.contains(&word.as_str());
    let tells = |words: &Vec<String>| words.iter().any(|word| is_whole(word) && !silent(word));
    let parts: Vec<Vec<String>> = text.split(',').map(name_words).filter(tells).collect();
    match parts.as_slice() {
        [family, given, ..] => (family.clone(), given.clone()),
        [only] => {
            let mut words: Vec<String> = only.iter().filter(|word| is_whole(word)).cloned().collect();
            while words.len() > 1 && words.last().is_some_and(silent) {
                words.pop();
            }
            let mut family: Vec<String> = words.pop().into_iter().collect();
            while words.len() > 1 && words.last().is_some_and(|word| PARTICLES.contains(&word.as_str())) {
                family.splice(0..0, words.pop());
            }
            (family, words)
        }
        [] => (Vec::new(), Vec::new()),
    }
}

/// The words that are whole and not silent; if there are none, those that are whole.
fn without_silent(words: Vec<String>, silent: impl Fn(&str) -> bool) -> Vec<String> {
    let mut words: Vec<String> = words.into_iter().filter(|word| is_whole(word)).take(MOST_WORDS).collect();
    if words.iter().any(|word| !silent(word)) {
        words.retain(|word| !silent(word));
    }
    words
}

/// No initial.
fn is_whole(word: &str) -> bool {
    word.chars().nth(1).is_some()
}

fn share(a: &BTreeSet<String>, b: &BTreeSet<String>) -> bool {
    a.iter().any(|a| b.iter().any(|b| alike(a, b)))
}

/// Equal or, from five letters on, one edit apart.
fn alike(a: &str, b: &str) -> bool {
    a == b || (!a.chars().any(|c| c.is_ascii_digit()) && one_edit_apart(a, b))
}

fn one_edit_apart(a: &str, b: &str) -> bool {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    if a.len().min(b.len()) < 5 || a.len().abs_diff(b.len()) > 1 {
        return false;
    }
    let same_start = a.iter().zip(&b).take_while(|(a, b)| a == b).count();
    let (a, b) = (a.get(same_start..).unwrap_or_default(), b.get(same_start..).unwrap_or_default());
    let rest = |of: &[char], from: usize| of.get(from..).unwrap_or_default().to_vec();
    let swapped = matches!((a, b), ([a, b, ..], [c, d, ..]) if a == d && b == c) && rest(a, 2) == rest(b, 2);
    swapped || rest(a, 1) == rest(b, 1) || rest(a, 1) == *b || *a == rest(b, 1)
}

/// An organization's address as evidence.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Address {
    /// House number.
    number: Option<String>,
    /// Telling words of the street.
    street: BTreeSet<String>,
    zip: String,
    city: String,
    state: String,
}

impl Address {
    pub(crate) fn of(address: &model::Address) -> Self {
        let words = name_words(&address.lines.join(" "));
        let has_digit = |word: &&String| word.chars().any(|c| c.is_ascii_digit());
        let folded = |text: &Option<String>| text.as_deref().map(name_key).unwrap_or_default();
        let zip: String = folded(&address.zip).chars().filter(char::is_ascii_digit).collect();
        Self {
            number: words.iter().find(has_digit).cloned(),
            street: words
                .iter()
                .filter(|word| is_whole(word) && !has_digit(word) && !SILENT_OF_STREETS.contains(&word.as_str()))
                .cloned()
                .collect(),
            zip: zip.get(..5).unwrap_or(&zip).to_owned(),
            city: folded(&address.city),
            state: folded(&address.state),
        }
    }

    pub(crate) fn has_line(&self) -> bool {
        self.number.is_some() || !self.street.is_empty()
    }

    /// House number, a word of the street and ZIP are the same; city and state where one has no line.
    pub(super) fn agrees(&self, other: &Self) -> bool {
        if self.has_line() && other.has_line() {
            let streets = (self.street.is_empty() && other.street.is_empty()) || share(&self.street, &other.street);
            return !self.zip.is_empty() && self.zip == other.zip && self.number == other.number && streets;
        }
        !self.city.is_empty() && (&self.city, &self.state) == (&other.city, &other.state)
    }
}
