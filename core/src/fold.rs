//! Text folding: the one way in which names, strengths and queries are made comparable.
//!
//! Builder and reader share it; a dataset states the version that it was built with.
//! Unicode is decomposed (NFKD), marks are dropped, letters are lowered, apostrophes vanish, and
//! everything else that is neither letter nor digit separates. A number is a token of its own
//! (`5mg` is `5` and `mg`), written the shortest way (`.50` is `0.5`, `1,000` is `1000`); units
//! have one spelling (`µg`, `ug`, `microgram` are `mcg`).

use unicode_normalization::UnicodeNormalization as _;
use unicode_normalization::char::is_combining_mark;

/// Version of the folding; a dataset built with another is refused.
pub const FOLDING_VERSION: u32 = 4;

/// Whether a character cannot be seen, or turns the direction of what is: it has no place in a name.
#[must_use]
pub fn is_invisible(c: char) -> bool {
    let turns = matches!(c, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{206f}');
    turns || matches!(c, '\u{ad}' | '\u{200b}'..='\u{200d}' | '\u{2060}'..='\u{2065}' | '\u{feff}')
}

/// A piece of folded text.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Token {
    /// The folded text.
    pub text: String,
    /// Whether it is a number.
    pub is_number: bool,
}

/// The tokens of a text, in their order.
#[must_use]
pub fn tokens(text: &str) -> Vec<Token> {
    let mut tokens = Vec::new();
    each_token(text, |token, _| tokens.push(token));
    tokens
}

/// The tokens of a text with the characters that stand before each, apart from letters, digits and `%`:
/// `5 mg-B` is `5`, ` ` and `mg`, `-` and `b`. Leading and trailing separators are kept.
pub(crate) fn separated(text: &str) -> (Vec<(String, Token)>, String) {
    let mut tokens = Vec::new();
    let behind = each_token(text, |token, before| tokens.push((before, token)));
    (tokens, behind)
}

/// Gives each token with the separators before it; returns the separators behind the last.
fn each_token(text: &str, mut give: impl FnMut(Token, String)) -> String {
    let folded = fold_characters(text);
    let mut separators = String::new();
    let mut rest = folded.as_slice();
    while let Some((&first, tail)) = rest.split_first() {
        let starts_number = first.is_ascii_digit() || (first == '.' && tail.first().is_some_and(char::is_ascii_digit));
        if starts_number {
            let length = number_length(rest);
            let (number, after) = rest.split_at(length);
            give(Token { text: shortest_number(number), is_number: true }, std::mem::take(&mut separators));
            rest = after;
        } else if is_letter(first) || first == '%' {
            let length = if first == '%' { 1 } else { rest.iter().take_while(|c| is_letter(**c)).count() };
            let (word, after) = rest.split_at(length);
            let word: String = word.iter().collect();
            let text = unit(&word).map_or(word, str::to_owned);
            give(Token { text, is_number: false }, std::mem::take(&mut separators));
            rest = after;
        } else {
            separators.push(first);
            rest = tail;
        }
    }
    separators
}

/// Letters, and numerals that are no digits here.
fn is_letter(c: char) -> bool {
    c.is_alphabetic() || (!c.is_ascii() && c.is_numeric())
}

/// The tokens joined by blanks: equal for texts that differ only in case, marks, punctuation,
/// spacing or the spelling of numbers and units. Folding it again changes nothing.
#[must_use]
pub fn key(text: &str) -> String {
    let mut key = String::with_capacity(text.len());
    for token in tokens(text) {
        if !key.is_empty() {
            key.push(' ');
        }
        key.push_str(&token.text);
    }
    key
}

/// A text whatever its case, accents and blanks; unlike [`key`] it keeps punctuation.
pub(crate) fn one_spelling(text: &str) -> String {
    let folded: String = fold_characters(text).into_iter().collect();
    folded.split_whitespace().collect::<Vec<_>>().join(" ")
}

pub(crate) fn fold_characters(text: &str) -> Vec<char> {
    let mut folded = Vec::with_capacity(text.len());
    // Marks of trade would become letters.
    let plain = text.chars().filter(|c| !matches!(c, '\u{2122}' | '\u{2120}' | '\u{ae}' | '\u{a9}'));
    for c in plain.nfkd().filter(|c| !is_combining_mark(*c)) {
        match c {
            '\'' | '\u{2019}' | '\u{2018}' | '`' | '\u{b4}' | '\u{2032}' | '\u{ad}' => {}
            'ß' | 'ẞ' => folded.extend(['s', 's']),
            'ø' | 'Ø' => folded.push('o'),
            'ł' | 'Ł' => folded.push('l'),
            'đ' | 'Đ' | 'ð' | 'Ð' => folded.push('d'),
            'þ' | 'Þ' => folded.extend(['t', 'h']),
            'æ' | 'Æ' => folded.extend(['a', 'e']),
            'œ' | 'Œ' => folded.extend(['o', 'e']),
            'ı' => folded.push('i'),
            'μ' => folded.push('u'),
            c if c.is_ascii() => folded.push(c.to_ascii_lowercase()),
            c => {
                if let Some(digit) = digit(c) {
                    folded.push(digit);
                    continue;
                }
                let lower = c.to_lowercase().nfkd().filter(|c| !is_combining_mark(*c));
                // Capitals of the letters above become them only now.
                folded.extend(lower.map(|c| if c == 'μ' { 'u' } else { c }));
            }
        }
    }
    folded
}

/// The ASCII digit of a decimal digit of another script. One that is not known here stays a letter of
/// some word, which no strength fits.
pub(crate) fn digit(c: char) -> Option<char> {
    const ZEROS: [u32; 20] = [
        0x660, 0x6f0, 0x7c0, 0x966, 0x9e6, 0xa66, 0xae6, 0xb66, 0xbe6, 0xc66, 0xce6, 0xd66, 0xde6, 0xe50, 0xed0, 0xf20,
        0x1040, 0x17e0, 0x1810, 0x1946,
    ];
    let of = |zero: u32| u32::from(c).checked_sub(zero).filter(|value| *value < 10);
    ZEROS.into_iter().find_map(of).and_then(|value| char::from_digit(value, 10))
}

/// How many characters the number at the start has: digits, groups of three after commas, one
/// decimal point.
fn number_length(text: &[char]) -> usize {
    let digits = |from: usize| text.iter().skip(from).take_while(|c| c.is_ascii_digit()).count();
    let mut length = digits(0);
    while (1..=3).contains(&length) || length > 3 {
        let grouped = text.get(length) == Some(&',') && digits(length + 1) == 3 && leading_group_fits(text, length);
        if !grouped {
            break;
        }
        length += 4;
    }
    if text.get(length) == Some(&'.') {
        let fraction = digits(length + 1);
        if fraction > 0 {
            length += 1 + fraction;
        }
    }
    length
}

/// Thousands are grouped only behind a first group of one to three digits.
fn leading_group_fits(text: &[char], length: usize) -> bool {
    text.iter().take(length).take_while(|c| c.is_ascii_digit()).count() <= 3
}

fn shortest_number(number: &[char]) -> String {
    let plain: String = number.iter().filter(|c| **c != ',').collect();
    let (whole, fraction) = plain.split_once('.').unwrap_or((&plain, ""));
    let whole = whole.trim_start_matches('0');
    let fraction = fraction.trim_end_matches('0');
    let whole = if whole.is_empty() { "0" } else { whole };
    if fraction.is_empty() { whole.to_owned() } else { format!("{whole}.{fraction}") }
}

/// The one spelling of a unit.
fn unit(word: &str) -> Option<&'static str> {
    Some(match word {
        "ug" | "microgram" | "micrograms" => "mcg",
        "milligram" | "milligrams" | "mgs" => "mg",
        "gram" | "grams" | "gm" | "gms" => "g",
        "milliliter" | "milliliters" | "millilitre" | "millilitres" | "cc" => "ml",
        "liter" | "liters" | "litre" | "litres" => "l",
        "iu" | "units" | "unt" => "unit",
        "milliequivalent" | "milliequivalents" => "meq",
        "percent" | "pct" => "%",
        "hour" | "hours" | "hrs" => "hr",
        _ => return None,
    })
}

/// How many edits (a letter added, lost or changed, or two swapped) part two keys; `None` where
/// more than `most`.
#[must_use]
pub(crate) fn edits(a: &str, b: &str, most: usize) -> Option<usize> {
    // A character has one to four bytes: what is much longer is not looked at.
    if a.len() / 4 > b.len() + most || b.len() / 4 > a.len() + most {
        return None;
    }
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    if a.len().abs_diff(b.len()) > most {
        return None;
    }
    let mut before: Vec<usize> = Vec::new();
    let mut last: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.iter().enumerate() {
        let mut row = Vec::with_capacity(last.len());
        row.push(i + 1);
        for (j, y) in b.iter().enumerate() {
            let at = |row: &[usize], index: usize| row.get(index).copied().unwrap_or(usize::MAX / 2);
            let mut fewest = (at(&last, j) + usize::from(x != y)).min(at(&last, j + 1) + 1).min(at(&row, j) + 1);
            if i > 0 && j > 0 && a.get(i - 1) == Some(y) && b.get(j - 1) == Some(x) {
                fewest = fewest.min(at(&before, j - 1) + 1);
            }
            row.push(fewest);
        }
        before = std::mem::replace(&mut last, row);
    }
    last.last().copied().filter(|edits| *edits <= most)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folds() {
        for (text, want) in [
            ("Doña Ana", "dona ana"),
            ("ATORVASTATIN  20mg", "atorvastatin 20 mg"),
            (".50 MG", "0.5 mg"),
            ("1,000 units", "1000 unit"),
            ("1,2,3", "1 2 3"),
            ("10,20 mg", "10 20 mg"),
            ("12,345,678.90", "12345678.9"),
            ("50 µg", "50 mcg"),
            ("50 ΜG", "50 mcg"),
            ("Children's Tylenol", "childrens tylenol"),
            ("Isovue-M 300", "isovue m 300"),
            ("500-2 mg", "500 2 mg"),
            ("5 mg/5mL", "5 mg 5 ml"),
            ("Straße", "strasse"),
            ("2.5%", "2.5 %"),
            ("Januvia™ 100", "januvia 100"),
            ("ﬁlm", "film"),
            ("", ""),
            ("...", ""),
            ("007", "7"),
            ("0.0", "0"),
            ("lantus ٥٠ units", "lantus 50 unit"),
            ("५.०mg", "5 mg"),
            ("eliquis 𐒢 5", "eliquis 𐒢 5"),
        ] {
            assert_eq!(key(text), want, "{text}");
            assert_eq!(key(&key(text)), key(text), "folding {text} twice");
        }
    }

    #[test]
    fn edits_are_counted() {
        for (a, b, want) in [
            ("maricopa", "marecopa", Some(1)),
            ("maricopa", "mairicopa", Some(1)),
            ("maricopa", "amricopa", Some(1)),
            ("maricopa", "arcopa", Some(2)),
            ("maricopa", "pima", None),
            ("", "ab", Some(2)),
            ("", "", Some(0)),
        ] {
            assert_eq!(edits(a, b, 2), want, "{a} {b}");
            assert_eq!(edits(b, a, 2), want, "{b} {a}");
        }
    }
}
