//! The grammar of drug texts: a text becomes items: words, numbers, strengths, hours, quantities.
//!
//! ```text
//! strength  = number { ("-" | "/") number } [blank] unit [ "/" [number] per-unit ]
//!             { ("-" | "/") strength }                    5-325 mg; 20 mg/12.5 mg; 400 mg-57 mg/5 mL
//! hours     = number ("hr" | "h" | "hour")                24 HR metoprolol
//! quantity  = number "mL", before a strength or in parentheses    0.5 ML dulaglutide; (3 mL)
//! insulin   = "u-" ("100" | "200" | "300" | "500")        u-100: 100 unit/mL
//! number    = digits without a unit                       Hailey 1.5/30
//! word      = letters
//! ```
//!
//! Builder and reader read items alike; what a word means follows in [`super::line`] and
//! [`super::question`].

use super::strength::{Fraction, Strength, per, unit};
use crate::fold::{self, Token};

/// What stands before an item.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Joint {
    /// The beginning, blanks, or nothing (`20mg`).
    Blank,
    /// `a-b`.
    Hyphen,
    /// `a / b`, `a/b`, `a + b`, `a; b`.
    Slash,
    /// `a, b`.
    Comma,
}

/// What an item is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum ItemKind {
    Word(String),
    Number(String),
    /// Strengths of one place of the text, in their order.
    Strengths(Vec<Strength>),
    Hours(u16),
    Quantity(Fraction),
}

/// A piece of the text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Item {
    pub(super) kind: ItemKind,
    pub(super) joint: Joint,
    pub(super) in_parentheses: bool,
    /// The words of the text, by number, that it stands in.
    pub(super) words: std::ops::Range<usize>,
    /// Whether it is all that its words have.
    pub(super) is_whole: bool,
    /// Of strengths, what the last is per: so many of a folded unit.
    pub(super) per: Option<(Fraction, String)>,
}

/// A token with where it stands.
#[derive(Debug)]
struct Placed {
    token: Token,
    before: String,
    in_parentheses: bool,
    word: usize,
}

/// The words of a text between blanks, as written, and its items.
pub(super) fn read(text: &str) -> (Vec<&str>, Vec<Item>) {
    let words: Vec<&str> = text.split_whitespace().collect();
    let placed = place(&words);
    let mut items = Vec::new();
    let mut at = 0;
    while at < placed.len() {
        let mut per = None;
        let (kind, length) = item(&placed, at, &items, &mut per);
        let length = length.max(1);
        let range = placed.get(at..at + length).unwrap_or_default();
        let (Some(first), Some(last)) = (range.first(), range.last()) else { break };
        let outside =
            |other: Option<&Placed>| other.is_none_or(|other| other.word < first.word || other.word > last.word);
        items.push(Item {
            kind,
            joint: joint(&first.before),
            in_parentheses: first.in_parentheses,
            words: first.word..last.word + 1,
            is_whole: outside(at.checked_sub(1).and_then(|before| placed.get(before)))
                && outside(placed.get(at + length)),
            per,
        });
        at += length;
    }
    volume_alone(&mut items);
    (words, items)
}

/// A volume in front of a text without a strength is the strength: `1000 mL sterile water`.
fn volume_alone(items: &mut [Item]) {
    if items.iter().any(|item| matches!(item.kind, ItemKind::Strengths(_))) {
        return;
    }
    let volume = items.iter_mut().find(|item| matches!(item.kind, ItemKind::Quantity(_)) && !item.in_parentheses);
    if let Some(item) = volume
        && let ItemKind::Quantity(quantity) = item.kind
        && let Some(strength) = Strength::amount(quantity, Some("ml"))
    {
        item.kind = ItemKind::Strengths(vec![strength]);
    }
}

fn place(words: &[&str]) -> Vec<Placed> {
    let mut placed: Vec<Placed> = Vec::new();
    let mut depth = 0_u32;
    let mut carried = String::new();
    for (number, word) in words.iter().enumerate() {
        let (tokens, behind) = fold::separated(word);
        for (separators, token) in tokens {
            // `E/R`, `S.R.`: the letters of an abbreviation.
            if let (Some(last), "/" | ".", "r" | "l") = (placed.last_mut(), separators.as_str(), token.text.as_str())
                && last.word == number
                && matches!(last.token.text.as_str(), "e" | "s" | "x" | "d")
            {
                last.token.text.push_str(&token.text);
                continue;
            }
            let before = std::mem::take(&mut carried) + &separators;
            for c in before.chars() {
                match c {
                    '(' | '[' => depth += 1,
                    ')' | ']' => depth = depth.saturating_sub(1),
                    _ => {}
                }
            }
            let in_parentheses = depth > 0 && !before.ends_with('[');
            placed.push(Placed { token, before, in_parentheses, word: number });
        }
        carried.push_str(&behind);
        carried.push(' ');
    }
    placed
}

fn joint(before: &str) -> Joint {
    if before.contains(['/', '+', '&', ';', '|', '\\']) {
        Joint::Slash
    } else if before.contains(['-', '\u{2010}', '\u{2011}', '\u{2012}', '\u{2013}', '\u{2014}', '\u{2212}']) {
        Joint::Hyphen
    } else if before.contains(',') {
        Joint::Comma
    } else {
        Joint::Blank
    }
}

fn text_at(placed: &[Placed], at: usize) -> &str {
    placed.get(at).map_or("", |p| p.token.text.as_str())
}

fn is_number_at(placed: &[Placed], at: usize) -> bool {
    placed.get(at).is_some_and(|p| p.token.is_number)
}

/// Whether a token follows the one before it directly, or after blanks alone.
fn follows(placed: &[Placed], at: usize) -> bool {
    placed.get(at).is_some_and(|p| p.before.chars().all(|c| c == ' ' || c == '[' || c == '.'))
}

fn joined_by(placed: &[Placed], at: usize, allowed: &[char]) -> bool {
    placed.get(at).is_some_and(|p| {
        let separators: Vec<char> = p.before.chars().filter(|c| !matches!(c, ' ' | '[' | ']')).collect();
        separators.len() == 1 && separators.iter().all(|c| allowed.contains(c))
    })
}

/// The item at a token and how many tokens it takes.
fn item(placed: &[Placed], at: usize, before: &[Item], last_per: &mut Option<(Fraction, String)>) -> (ItemKind, usize) {
    let text = text_at(placed, at);
    if !is_number_at(placed, at) {
        if text == "u"
            && is_number_at(placed, at + 1)
            && matches!(text_at(placed, at + 1), "100" | "200" | "300" | "500")
        {
            let strength = Fraction::parse(text_at(placed, at + 1))
                .and_then(|number| Strength::amount(number, Some("unit")))
                .and_then(|amount| amount.per(Fraction::ONE, "ml"));
            if let Some(strength) = strength {
                return (ItemKind::Strengths(vec![strength]), 2);
            }
        }
        return (ItemKind::Word(text.to_owned()), 1);
    }
    if let Some((hours, length)) = hours(placed, at) {
        return (ItemKind::Hours(hours), length);
    }
    if let Some((strengths, per, length)) = strengths(placed, at) {
        *last_per = per;
        if let [only] = strengths.as_slice()
            && only.unit.as_deref() == Some("ml")
            && only.per.is_none()
        {
            let in_parentheses = placed.get(at).is_some_and(|p| p.in_parentheses);
            let starts = before.iter().all(|item| matches!(item.kind, ItemKind::Hours(_)));
            let has_strength = before.iter().any(|item| matches!(item.kind, ItemKind::Strengths(_)));
            if in_parentheses || starts || has_strength {
                return (ItemKind::Quantity(only.amount), length);
            }
        }
        return (ItemKind::Strengths(strengths), length);
    }
    (ItemKind::Number(text.to_owned()), 1)
}

/// `24 hr`, `12h`: of an extended release, where no strength is before it.
fn hours(placed: &[Placed], at: usize) -> Option<(u16, usize)> {
    let unit = text_at(placed, at + 1);
    let is_hours = matches!(unit, "hr" | "h") && !is_number_at(placed, at + 1);
    // `24-hour`, `24 hr`, `24h`
    let near = placed.get(at + 1).is_some_and(|p| p.before.chars().all(|c| matches!(c, ' ' | '-')));
    (is_hours && near).then_some(())?;
    Some((text_at(placed, at).parse().ok()?, 2))
}

/// A number, or several joined by hyphens or slashes.
fn numbers(placed: &[Placed], at: usize) -> (Vec<Fraction>, usize) {
    let mut numbers = Vec::new();
    let mut next = at;
    while is_number_at(placed, next) && (next == at || joined_by(placed, next, &['-', '/', '\u{2013}'])) {
        match Fraction::parse(text_at(placed, next)) {
            Some(number) => numbers.push(number),
            None => break,
        }
        next += 1;
    }
    (numbers, next - at)
}

/// A unit behind a number, and how many tokens it takes; `million units` is one.
fn unit_at(placed: &[Placed], at: usize) -> Option<(String, Fraction, usize)> {
    if is_number_at(placed, at) || !follows(placed, at) {
        return None;
    }
    let word = text_at(placed, at);
    if word == "million" && text_at(placed, at + 1) == "unit" {
        return Some(("unit".to_owned(), Fraction::whole(1_000_000), 2));
    }
    // `70/30 U-100`
    if word == "u" && is_number_at(placed, at + 1) && placed.get(at + 1).is_some_and(|p| p.before == "-") {
        return None;
    }
    // `6 [hp_X]/mL`
    if matches!(word, "hp" | "kp") && placed.get(at + 1).is_some_and(|p| p.before == "_") {
        return Some((format!("{word}{}", text_at(placed, at + 1)), Fraction::ONE, 2));
    }
    // `[arb'U]`, `[USP'U]` fold into one word.
    unit(word).map(|_| (word.to_owned(), Fraction::ONE, 1))
}

/// Strengths, what the last is per, and how many tokens they take.
type Run = (Vec<Strength>, Option<(Fraction, String)>, usize);

/// A strength or several.
fn strengths(placed: &[Placed], at: usize) -> Option<Run> {
    let mut last_per = None;
    let mut found: Vec<Strength> = Vec::new();
    let mut next = at;
    loop {
        let (run, length) = numbers(placed, next);
        let Some((unit_word, factor, unit_length)) = unit_at(placed, next + length) else { break };
        if unit_word == "usp" || (unit_word == "in") {
            break;
        }
        for number in run {
            found.push(Strength::amount(number.times(factor)?, Some(&unit_word))?);
        }
        next += length + unit_length;
        if let Some((of, per_word, per_length)) = per_at(placed, next) {
            for strength in found.iter_mut().filter(|strength| strength.per.is_none()) {
                *strength = strength.per(of, &per_word)?;
            }
            last_per = Some((of, per_word));
            next += per_length;
        }
        let goes_on = is_number_at(placed, next) && joined_by(placed, next, &['-', '/', '\u{2013}']);
        let has_unit = goes_on && {
            let (_, length) = numbers(placed, next);
            unit_at(placed, next + length).is_some()
        };
        if !has_unit {
            break;
        }
    }
    (!found.is_empty()).then_some((found, last_per, next - at))
}

/// `/5 mL`, `/mL`, `per ml`, `in 5 mL`: of how much, of what, and how many tokens it takes.
fn per_at(placed: &[Placed], at: usize) -> Option<(Fraction, String, usize)> {
    let word = text_at(placed, at);
    let spelled_out = matches!(word, "per" | "in") && follows(placed, at);
    let (start, by_slash) = if spelled_out { (at + 1, false) } else { (at, true) };
    if by_slash && !joined_by(placed, start, &['/']) {
        return None;
    }
    let (of, unit_at) = if is_number_at(placed, start) {
        (Fraction::parse(text_at(placed, start))?, start + 1)
    } else {
        (Fraction::ONE, start)
    };
    let has_number = unit_at > start;
    if has_number && !follows(placed, unit_at) {
        return None;
    }
    let unit_word = text_at(placed, unit_at);
    // `20 mg/12.5 mg` are two strengths; `10 mg/1000 mg` of a paste is one per gram only where the
    // number says so.
    let is_mass = unit_word == "mg" && text_at(placed, start) != "1000" && text_at(placed, start) != "100";
    let is_second = has_number && (is_mass || matches!(unit_word, "mcg" | "unit" | "meq"));
    if is_second || is_number_at(placed, unit_at) || per(unit_word).is_none() {
        return None;
    }
    if word == "in" && !matches!(unit_word, "ml" | "g" | "l") {
        return None;
    }
    // `10 mg / 200 g` of two ingredients cannot be told from a concentration, and is read as one.
    Some((of, unit_word.to_owned(), unit_at + 1 - at))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Items as text: strengths by key in angle brackets, hours, quantities and words as they are.
    fn shown(text: &str) -> String {
        let item = |item: &Item| match &item.kind {
            ItemKind::Word(word) => word.clone(),
            ItemKind::Number(number) => format!("#{number}"),
            ItemKind::Strengths(all) => {
                format!("<{}>", all.iter().map(Strength::key).collect::<Vec<_>>().join(" "))
            }
            ItemKind::Hours(hours) => format!("{hours}h"),
            ItemKind::Quantity(quantity) => format!("({quantity} ml)"),
        };
        read(text).1.iter().map(item).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn items() {
        for (text, want) in [
            ("Strattera 18 mg capsule", "strattera <18mg> capsule"),
            (
                "losartan 50 mg-hydrochlorothiazide 12.5 mg tablet",
                "losartan <50mg> hydrochlorothiazide <12.5mg> tablet",
            ),
            ("Exforge 5-160 mg tablet", "exforge <5mg 160mg> tablet"),
            ("amoxicillin 400 mg-57 mg/5 mL", "amoxicillin <80mg/ml 11.4mg/ml>"),
            ("lisinopril 20 mg/12.5 mg", "lisinopril <20mg 12.5mg>"),
            ("20-12.5", "#20 #12.5"),
            ("250 mg/5 mL", "<50mg/ml>"),
            ("100 unt / mL", "<100unit/ml>"),
            ("heparin sodium 5000 [USP'U]/mL injection,solution", "heparin sodium <5000unit/ml> injection solution"),
            ("NovoLog 100 [iU]/mL", "novolog <100unit/ml>"),
            ("heparin 5,000 units/ml", "heparin <5000unit/ml>"),
            ("lantus u-100", "lantus <100unit/ml>"),
            ("novolog 100u", "novolog <100unit>"),
            ("0.5 ML dulaglutide 1.5 MG/ML Auto-Injector", "(0.5 ml) dulaglutide <1.5mg/ml> auto injector"),
            ("24 HR metoprolol succinate 50 MG", "24h metoprolol succinate <50mg>"),
            ("tablet,extended release 24 hr", "tablet extended release 24h"),
            ("Claritin-D 24 Hour 240-10 mg tablet", "claritin d 24h <240mg 10mg> tablet"),
            ("Hailey 1.5/30 1.5-0.03 mg tablet", "hailey #1.5 #30 <1.5mg 0.03mg> tablet"),
            ("fentanyl 100 mcg/hr patch", "fentanyl <0.1mg/hr> patch"),
            ("estradiol 0.1 mg/24hr", "estradiol <0.1|24mg/hr>".replace("0.1|24", "1|240").as_str()),
            ("albuterol sulfate 2.5 mg/3 mL (0.083 %) solution", "albuterol sulfate <5|6mg/ml*3> <0.83mg/%> solution"),
            ("Lantus 100 unit/mL (3 mL) pen", "lantus <100unit/ml> (3 ml) pen"),
            ("penicillin g 1.2 million units", "penicillin g <1200000unit>"),
            ("Trichophyton 20000 [PNU]/mL", "trichophyton <20000pnu/ml>"),
            ("arnica 6 [hp_X]/mL", "arnica <6hpx/ml>"),
            ("lisinopril 10 mg once daily", "lisinopril <10mg> once daily"),
            ("METFORMIN HCL TAB 500MG ER 24H", "metformin hcl tab <500mg> er 24h"),
            ("vancomycin 125 mg in 5 ml", "vancomycin <25mg/ml>"),
            ("Humulin 70/30 U-100 Insulin 100 unit/mL", "humulin #70 #30 <100unit/ml> insulin <100unit/ml>"),
            ("Vitamin B-12", "vitamin b #12"),
            ("1000 mL Sterile Water", "<1000ml> sterile water"),
            ("", ""),
        ] {
            assert_eq!(shown(text), want, "{text}");
        }
    }
}
