//! What a tier's code or words say of coverage. [`Tier::read`](super::Tier::read) documents the rule.
//!
//! Texts are few words long, so they are read as a list of words: first the denials (`not`, `no`,
//! `excluded`, …) with what each denies, then, where nothing is denied, levels and numbers. A denial
//! that is not understood is never passed over: it makes the text unclear.

use super::TierLevel;
use crate::fold;

/// What one text says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Says {
    /// Not covered, in words or with a code of its own.
    NotCovered,
    /// A kind of tier that is covered, perhaps of a known level.
    Covered(Option<TierLevel>),
    /// A tier's number.
    Number,
    /// The number zero: what many payers call the tier that is not covered.
    Zero,
    /// A denial or condition that leaves open whether it is covered.
    Unclear,
    /// Nothing of coverage.
    Nothing,
}

/// The highest number that is taken for a tier's.
const MOST_TIERS: u32 = 20;

/// Codes that mean "not covered" where they stand alone or beside [`FILLER`].
const NOT_COVERED_CODES: [&str; 2] = ["nf", "nc"];

/// Words that deny what comes behind them. `non` denies the next word only.
const DENIALS: [&str; 6] = ["not", "no", "never", "without", "nor", "neither"];

/// Words that deny coverage if a coverage word follows (`off formulary`), and else nothing (`out of pocket`).
const REMOVALS: [&str; 6] = ["off", "out", "outside", "removed", "dropped", "deleted"];

/// Words that deny by themselves.
const EXCLUSIONS: [&str; 8] =
    ["excluded", "exclude", "excludes", "excluding", "exclusion", "exclusions", "excl", "noncoverage"];

/// What is denied where a drug is not covered.
const COVERAGE: [&str; 12] = [
    "covered",
    "cover",
    "covers",
    "coverage",
    "formulary",
    "formularies",
    "list",
    "lists",
    "listed",
    "listing",
    "benefit",
    "benefits",
];

/// What a denial may be about without a word on coverage: cost, limits, ways of delivery.
const ASIDES: [&str; 63] = [
    "approval",
    "auth",
    "authorization",
    "authorizations",
    "charge",
    "charges",
    "coinsurance",
    "copay",
    "copayment",
    "copayments",
    "copays",
    "cost",
    "costs",
    "day",
    "days",
    "deductible",
    "deductibles",
    "donut",
    "doughnut",
    "edit",
    "edits",
    "fee",
    "fees",
    "gap",
    "limit",
    "limitation",
    "limitations",
    "limits",
    "mail",
    "mailorder",
    "max",
    "maximum",
    "moop",
    "oop",
    "order",
    "pa",
    "penalties",
    "penalty",
    "pocket",
    "preauthorization",
    "precertification",
    "premium",
    "prior",
    "ql",
    "quantities",
    "quantity",
    "rebate",
    "rebates",
    "referral",
    "refill",
    "refills",
    "requirement",
    "requirements",
    "restriction",
    "restrictions",
    "retail",
    "share",
    "sharing",
    "st",
    "step",
    "supply",
    "therapy",
    "waiting",
];

/// Words between a denial and what it denies.
const LINKS: [&str; 68] = [
    "a",
    "an",
    "the",
    "is",
    "are",
    "be",
    "been",
    "being",
    "was",
    "as",
    "it",
    "its",
    "on",
    "in",
    "of",
    "from",
    "by",
    "under",
    "to",
    "for",
    "at",
    "through",
    "via",
    "during",
    "within",
    "your",
    "our",
    "this",
    "that",
    "these",
    "any",
    "all",
    "we",
    "do",
    "does",
    "will",
    "plan",
    "plans",
    "currently",
    "generally",
    "usually",
    "longer",
    "drug",
    "drugs",
    "medication",
    "medications",
    "medicine",
    "medicines",
    "prescription",
    "prescriptions",
    "rx",
    "product",
    "products",
    "item",
    "pharmacy",
    "subject",
    "available",
    "apply",
    "applies",
    "included",
    "required",
    "needed",
    "applicable",
    "count",
    "counts",
    "counted",
    "toward",
    "towards",
];

/// Words that may stand before one of [`ASIDES`]: `no annual deductible`, `not subject to the Part D deductible`.
const OF_ASIDES: [&str; 14] = [
    "medical",
    "annual",
    "yearly",
    "calendar",
    "year",
    "combined",
    "separate",
    "individual",
    "family",
    "member",
    "additional",
    "medicare",
    "part",
    "d",
];

/// Words behind a denial that say of what: `excluded from coverage`, `not covered in the gap`.
const OF_WHAT: [&str; 11] = ["from", "by", "under", "in", "on", "during", "at", "through", "within", "to", "of"];

/// Words beside a denial of coverage that leave open whether it always holds.
const CONDITIONS: [&str; 33] = [
    "unless",
    "until",
    "if",
    "except",
    "exception",
    "exceptions",
    "with",
    "when",
    "for",
    "may",
    "might",
    "possibly",
    "some",
    "certain",
    "sometimes",
    "limited",
    "partial",
    "partially",
    "only",
    "but",
    "however",
    "otherwise",
    "medicare",
    "medicaid",
    "medical",
    "part",
    "covered",
    "cover",
    "covers",
    "after",
    "enhanced",
    "supplemental",
    "bonus",
];

/// Words that speak of refusal without a denial that is understood.
const REFUSALS: [&str; 11] = [
    "denied",
    "deny",
    "rejected",
    "reject",
    "ineligible",
    "unavailable",
    "disallowed",
    "blocked",
    "discount",
    "discounts",
    "discounted",
];

/// Words that tell nothing beside a code, a number or a word of coverage.
const FILLER: [&str; 22] = [
    "tier",
    "tiers",
    "level",
    "drug",
    "drugs",
    "medication",
    "medications",
    "medicine",
    "medicines",
    "product",
    "products",
    "prescription",
    "prescriptions",
    "rx",
    "item",
    "items",
    "on",
    "the",
    "is",
    "status",
    "code",
    "and",
];

/// Other spellings: one word for each, or two for words that are written as one.
const SPELLINGS: [(&str, &[&str]); 44] = [
    ("nonformulary", &["non", "formulary"]),
    ("nonform", &["non", "formulary"]),
    ("noncovered", &["non", "covered"]),
    ("noncov", &["non", "covered"]),
    ("nonlisted", &["non", "listed"]),
    ("nonbenefit", &["non", "benefit"]),
    ("nonpreferred", &["non", "preferred"]),
    ("nonpref", &["non", "preferred"]),
    ("nonspecialty", &["non", "specialty"]),
    ("notcovered", &["not", "covered"]),
    ("notlisted", &["not", "listed"]),
    ("notonformulary", &["not", "on", "formulary"]),
    ("nocoverage", &["no", "coverage"]),
    ("offformulary", &["off", "formulary"]),
    ("uncovered", &["not", "covered"]),
    ("unlisted", &["not", "listed"]),
    ("preferredgeneric", &["preferred", "generic"]),
    ("preferredbrand", &["preferred", "brand"]),
    ("nonpreferredgeneric", &["non", "preferred", "generic"]),
    ("nonpreferredbrand", &["non", "preferred", "brand"]),
    ("nonpreferreddrug", &["non", "preferred", "drug"]),
    ("selectcare", &["select", "care"]),
    ("isnt", &["is", "not"]),
    ("arent", &["are", "not"]),
    ("doesnt", &["does", "not"]),
    ("dont", &["do", "not"]),
    ("wont", &["will", "not"]),
    ("cant", &["not"]),
    ("cannot", &["not"]),
    ("pref", &["preferred"]),
    ("prefer", &["preferred"]),
    ("generics", &["generic"]),
    ("brands", &["brand"]),
    ("branded", &["brand"]),
    ("speciality", &["specialty"]),
    ("specialities", &["specialty"]),
    ("specialties", &["specialty"]),
    ("preventative", &["preventive"]),
    ("formularly", &["formulary"]),
    ("formulry", &["formulary"]),
    ("drugslist", &["drug", "list"]),
    ("druglist", &["drug", "list"]),
    ("excld", &["excluded"]),
    ("exc", &["excluded"]),
];

/// Short forms that are read only behind a denial: `non-form`, `not cov`.
const SHORT: [(&str, &str); 4] = [("form", "formulary"), ("frm", "formulary"), ("cov", "covered"), ("cvrd", "covered")];

/// What one denial denies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Denied {
    /// Coverage. The words up to this one are part of it.
    Coverage(usize),
    /// Something else than coverage. The words up to this one are part of it.
    Other(usize),
    /// Nobody knows what.
    Unclear,
}

impl Says {
    /// What a code says.
    pub(super) fn of_code(code: &str) -> Self {
        // A minus is a sign here, no hyphen: -1 is no tier.
        if code.trim_start().starts_with(['-', '\u{2212}']) {
            return Self::Nothing;
        }
        Self::of_words(code)
    }

    /// What words say.
    pub(super) fn of_words(text: &str) -> Self {
        let tokens = tokens(text);
        let words: Vec<&str> = tokens.iter().map(String::as_str).collect();
        let mut rest: Vec<&str> = Vec::new();
        let mut denies = false;
        let mut at = 0;
        while let Some(word) = words.get(at) {
            match denied(&words, at) {
                Some(Denied::Unclear) => return Self::Unclear,
                Some(Denied::Coverage(last)) => {
                    denies = true;
                    at = last + 1;
                }
                Some(Denied::Other(last)) => at = last + 1,
                None => {
                    rest.push(word);
                    at += 1;
                }
            }
        }
        let has = |word: &str| rest.contains(&word);
        let has_code = NOT_COVERED_CODES.into_iter().any(has);
        if denies {
            let doubtful = rest.iter().any(|word| is(word, &CONDITIONS) || is(word, &ASIDES));
            let two_kinds = has("brand") && has("generic");
            return if doubtful || two_kinds { Self::Unclear } else { Self::NotCovered };
        }
        if rest == ["n", "f"] {
            return Self::NotCovered;
        }
        if has_code {
            let bare = rest.iter().all(|word| is(word, &NOT_COVERED_CODES) || is(word, &FILLER) || *word == "0");
            return if bare { Self::NotCovered } else { Self::Unclear };
        }
        let pays_all = (has("100") && has("%") && !has("covered") && !has("coverage")) || pair(&rest, "full", "cost");
        if pays_all || rest.iter().any(|word| is(word, &REFUSALS)) {
            return Self::Unclear;
        }
        if let Some(level) = level(&words, &rest) {
            return Self::Covered(Some(level));
        }
        if costs_nothing(text, &words) || is_plainly_covered(&rest) {
            return Self::Covered(None);
        }
        match number(&rest) {
            Some(0) => Self::Zero,
            Some(1..=MOST_TIERS) => Self::Number,
            _ => Self::Nothing,
        }
    }
}

fn is(word: &str, table: &[&str]) -> bool {
    table.contains(&word)
}

/// Whether `second` stands directly behind `first`.
fn pair(words: &[&str], first: &str, second: &str) -> bool {
    words.windows(2).any(|pair| pair == [first, second])
}

/// Folded words, `CamelCase` taken apart, each in one spelling.
fn tokens(text: &str) -> Vec<String> {
    let mut apart = String::with_capacity(text.len() + 4);
    let mut before = ' ';
    for c in text.chars() {
        if c.is_uppercase() && before.is_lowercase() {
            apart.push(' ');
        }
        apart.push(c);
        before = c;
    }
    let mut words: Vec<String> = Vec::new();
    for token in fold::tokens(&apart) {
        let after_denial = words.last().is_some_and(|last| last == "non" || is(last, &DENIALS) || is(last, &REMOVALS));
        if let Some((_, full)) = SHORT.iter().find(|(short, _)| after_denial && token.text == *short) {
            words.push((*full).to_owned());
        } else if let Some((_, parts)) = SPELLINGS.iter().find(|(joined, _)| token.text == *joined) {
            words.extend(parts.iter().map(|part| (*part).to_owned()));
        } else {
            words.push(token.text);
        }
        if words.ends_with(&["out".to_owned(), "of".to_owned(), "pocket".to_owned()]) {
            words.truncate(words.len() - 3);
            words.push("oop".to_owned());
        }
    }
    words
}

/// What the word at `at` denies, if it is a denial.
fn denied(words: &[&str], at: usize) -> Option<Denied> {
    let word = *words.get(at)?;
    let what = if word == "non" {
        return denied_by_non(words, at);
    } else if is(word, &EXCLUSIONS) {
        denied_of(words, at)
    } else if is(word, &DENIALS) {
        let key = skip_links(words, at + 1);
        match words.get(key) {
            Some(found) if is(found, &COVERAGE) => denied_of(words, key),
            // `Tier No. 3`
            Some(found) if word == "no" && is_digits(found) => return Some(Denied::Other(at)),
            Some(found) if is(found, &EXCLUSIONS) => Denied::Other(key),
            // `not preferred` names a level, `no generic` tells why it is a brand.
            Some(&"preferred") if key == at + 1 && word == "not" => return None,
            Some(&("generic" | "brand" | "specialty")) => Denied::Other(at),
            _ => aside(words, key).map_or(Denied::Unclear, Denied::Other),
        }
    } else if is(word, &REMOVALS) {
        let key = skip_links(words, at + 1);
        if words.get(key).is_none_or(|found| !is(found, &COVERAGE)) {
            return None;
        }
        denied_of(words, key)
    } else {
        return None;
    };
    // `deductible does not apply`, `mail order not covered`: what is denied stands before.
    if what != Denied::Unclear && !matches!(what, Denied::Coverage(_)) {
        return Some(what);
    }
    let before = words.get(..at).unwrap_or_default().iter().rev().find(|word| !is(word, &LINKS));
    match before {
        Some(before) if is(before, &ASIDES) && !is(before, &["cost", "costs"]) => {
            let last = if let Denied::Coverage(last) = what { last } else { skip_links(words, at + 1) - 1 };
            Some(Denied::Other(last))
        }
        _ => Some(what),
    }
}

/// `non` denies the next word: coverage, or what leaves it open. `non-preferred` and other kinds of
/// drugs (`non-specialty`) are no denial of coverage.
fn denied_by_non(words: &[&str], at: usize) -> Option<Denied> {
    const OPEN: [&str; 10] = [
        "eligible",
        "approved",
        "allowed",
        "payable",
        "paid",
        "reimbursable",
        "reimbursed",
        "plan",
        "participating",
        "included",
    ];
    match words.get(at + 1) {
        Some(next) if is(next, &COVERAGE) => Some(denied_of(words, at + 1)),
        Some(next) if is(next, &OPEN) => Some(Denied::Unclear),
        Some(next) if is(next, &EXCLUSIONS) => Some(Denied::Other(at + 1)),
        _ => None,
    }
}

/// A denial of coverage whose last word is at `key`: of what it says, if it goes on.
fn denied_of(words: &[&str], key: usize) -> Denied {
    // `no coverage limits` is about limits, `non-formulary copay` about nobody knows what.
    let is_noun = |at: usize| words.get(at).is_some_and(|word| is(word, &["coverage", "benefit", "benefits"]));
    let mut last = key;
    loop {
        let next = last + 1;
        match words.get(next) {
            Some(word) if is(word, &ASIDES) => {
                return if is_noun(last) { Denied::Other(next) } else { Denied::Unclear };
            }
            Some(word) if is(word, &COVERAGE) => last = next,
            Some(word) if is(word, &OF_WHAT) => {
                let object = skip_links(words, next);
                match words.get(object) {
                    None => return Denied::Coverage(object - 1),
                    Some(word) if is(word, &COVERAGE) => last = object,
                    Some(_) => return aside(words, object).map_or(Denied::Unclear, Denied::Other),
                }
            }
            _ => return Denied::Coverage(last),
        }
    }
}

/// The last word of an aside that begins at `from`: `annual deductible`.
fn aside(words: &[&str], from: usize) -> Option<usize> {
    let before = |word: &&&str| is(word, &OF_ASIDES) || is(word, &LINKS);
    let at = from + words.get(from..).unwrap_or_default().iter().take_while(before).count();
    words.get(at).is_some_and(|word| is(word, &ASIDES)).then_some(at)
}

fn skip_links(words: &[&str], from: usize) -> usize {
    from + words.get(from..).unwrap_or_default().iter().take_while(|word| is(word, &LINKS)).count()
}

/// The level that words tell. `rest` is without what was denied.
fn level(words: &[&str], rest: &[&str]) -> Option<TierLevel> {
    let has = |word: &str| rest.contains(&word);
    if pair(words, "non", "preferred") || pair(words, "not", "preferred") {
        Some(TierLevel::NonPreferred)
    } else if has("specialty") && !pair(rest, "non", "specialty") {
        Some(TierLevel::Specialty)
    } else if pair(rest, "select", "care") || pair(rest, "select", "diabetic") || has("preventive") {
        Some(TierLevel::SelectCare)
    } else if has("preferred") && has("generic") {
        Some(TierLevel::PreferredGeneric)
    } else if has("preferred") && has("brand") {
        Some(TierLevel::PreferredBrand)
    } else if pair(rest, "medical", "service") {
        Some(TierLevel::MedicalService)
    } else if has("generic") && !has("brand") {
        Some(TierLevel::Generic)
    } else if has("brand") && !has("generic") {
        Some(TierLevel::Brand)
    } else {
        None
    }
}

/// `$0`, `zero cost share`, `no copay`, `no charge`.
fn costs_nothing(text: &str, words: &[&str]) -> bool {
    const NOTHING: [&str; 3] = ["0", "zero", "no"];
    const COSTS: [&str; 6] = ["cost", "copay", "copays", "copayment", "charge", "coinsurance"];
    let zero_dollars = text.split('$').skip(1).any(|after| {
        let amount: String = after.chars().take_while(|c| c.is_ascii_digit() || *c == '.').collect();
        !amount.is_empty() && amount.chars().all(|c| c == '0' || c == '.')
    });
    zero_dollars || words.windows(2).any(|pair| matches!(pair, [a, b] if is(a, &NOTHING) && is(b, &COSTS)))
}

/// Words that name a covered tier and say nothing else: `Preferred`, `On formulary`, `Brand and generic`.
fn is_plainly_covered(rest: &[&str]) -> bool {
    const KINDS: [&str; 6] = ["preferred", "covered", "formulary", "brand", "generic", "or"];
    let is_kind = |word: &&str| is(word, &KINDS) && **word != *"or";
    rest.iter().any(is_kind) && rest.iter().all(|word| is(word, &KINDS) || is(word, &FILLER) || is_digits(word))
}

fn is_digits(word: &str) -> bool {
    word.bytes().all(|b| b.is_ascii_digit())
}

/// The number of a tier: alone (`4`, `T4`, `1a`), or behind the word tier or level, in digits, roman
/// numerals or words.
fn number(rest: &[&str]) -> Option<u32> {
    let named = rest.windows(2).find_map(|pair| match pair {
        [word, number] if is(word, &["tier", "level"]) => digits(number).or_else(|| in_letters(number)),
        _ => None,
    });
    let is_part = |word: &str| matches!(word, "a" | "b" | "c" | "d");
    named.or_else(|| match rest {
        [only] | ["t", only] => digits(only),
        [only, part] | ["t", only, part] if is_part(part) => digits(only),
        _ => {
            let mut telling = rest.iter().filter(|word| !is(word, &FILLER));
            let only = telling.next()?;
            if telling.next().is_none() { digits(only) } else { None }
        }
    })
}

fn digits(word: &str) -> Option<u32> {
    if is_digits(word) { word.parse().ok() } else { None }
}

fn in_letters(word: &str) -> Option<u32> {
    const ROMAN: [&str; 8] = ["i", "ii", "iii", "iv", "v", "vi", "vii", "viii"];
    const WORDS: [&str; 11] = ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"];
    let place = |table: &[&str]| table.iter().position(|known| *known == word).and_then(|at| u32::try_from(at).ok());
    place(&ROMAN).map(|at| at + 1).or_else(|| place(&WORDS))
}
