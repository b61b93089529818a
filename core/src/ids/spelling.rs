//! How codes are spelled: digits of other scripts, typographic hyphens, quotes, words in front.

use std::borrow::Cow;

use crate::fold;

/// Separates elements in what a scanner reads from a GS1 barcode (ASCII "group separator").
pub(crate) const GROUP_SEPARATOR: char = '\u{1d}';

/// The text in ASCII as far as codes need it: digits of all scripts, full-width letters and
/// punctuation, every hyphen as `-`, every dot as `.`, every blank as a blank. What cannot be seen is
/// dropped; other characters stay.
pub(crate) fn plain(text: &str) -> Cow<'_, str> {
    if text.bytes().all(|b| matches!(b, b' '..=b'~')) {
        return Cow::Borrowed(text);
    }
    Cow::Owned(text.chars().filter(|c| !fold::is_invisible(*c)).map(plain_character).collect())
}

fn plain_character(c: char) -> char {
    match c {
        ' '..='~' | GROUP_SEPARATOR => c,
        // The picture of the separator, which some scanners type.
        '\u{241d}' => GROUP_SEPARATOR,
        '\u{2010}'..='\u{2015}' | '\u{2043}' | '\u{2212}' | '\u{fe58}' | '\u{fe63}' | '\u{30fc}' => '-',
        '\u{b7}' | '\u{2022}' | '\u{2219}' | '\u{22c5}' | '\u{3002}' => '.',
        '\u{201c}' | '\u{201d}' | '\u{ab}' | '\u{bb}' => '"',
        '\u{2018}' | '\u{2019}' | '\u{2032}' | '\u{b4}' => '\'',
        // The full-width forms are ASCII, moved.
        '\u{ff01}'..='\u{ff5e}' => char::from_u32(u32::from(c) - 0xfee0).unwrap_or(c),
        // Mathematical digits, in five styles.
        '\u{1d7ce}'..='\u{1d7ff}' => char::from_digit((u32::from(c) - 0x1d7ce) % 10, 10).unwrap_or(c),
        c if c.is_whitespace() || c.is_control() => ' ',
        c => fold::digit(c).unwrap_or(c),
    }
}

/// Without blanks, quotes, brackets, a formula's `=` and what ends a sentence or a cell around it.
pub(crate) fn bare(text: &str) -> &str {
    let around = |c: char| matches!(c, ' ' | '"' | '\'' | '`' | '(' | ')' | '[' | ']' | '{' | '}' | '<' | '>');
    text.trim_start_matches(|c| around(c) || matches!(c, '=' | '#'))
        .trim_end_matches(|c| around(c) || ",;.:".contains(c))
}

/// What stands behind one of `labels` (lower case, longer ones first), without the signs and words
/// that lead to a code: `# 12` behind `NDC`, `code: 12` behind `RxNorm`. `None` where another word, or
/// none, stands in front.
pub(crate) fn after_label<'a>(text: &'a str, labels: &[&str]) -> Option<&'a str> {
    let mut rest = labels.iter().find_map(|label| after_word(text, label))?;
    loop {
        rest = rest.trim_start_matches([' ', '#', ':', '=', '|', '/', '.', '-', '(', '"', '\'']);
        match ["numbers", "number", "code", "nos", "no", "num", "nr", "id"]
            .iter()
            .find_map(|word| after_word(rest, word))
        {
            Some(shorter) => rest = shorter,
            None => return Some(bare(rest)),
        }
    }
}

/// The text behind a word of lower-case letters or digits that ends there.
fn after_word<'a>(text: &'a str, word: &str) -> Option<&'a str> {
    let (start, rest) = text.split_at_checked(word.len())?;
    let next = rest.chars().next();
    let goes_on = if word.ends_with(|c: char| c.is_ascii_digit()) {
        // `NDC 11523-1234-01` is labeled `NDC`, not `NDC 11`.
        next.is_some_and(|c| c.is_ascii_digit() || c == '-' || c == '.' || c == '*')
    } else {
        next.is_some_and(char::is_alphabetic)
    };
    (start.eq_ignore_ascii_case(word) && !goes_on).then_some(rest)
}

/// Runs of digits and what stands between them. An asterisk is a digit here: it stands for the zero
/// that fills a short segment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Segments<'a> {
    /// The runs in their order; empty ones where the text begins or ends with a separator.
    pub(crate) runs: Vec<&'a str>,
    /// Whether only blanks separate them.
    pub(crate) by_blanks: bool,
    /// Whether a hyphen is among what separates them.
    pub(crate) hyphen: bool,
}

impl<'a> Segments<'a> {
    /// `None` where anything else stands in the text than digits, `*`, and blanks, hyphens, dots,
    /// slashes or underscores between them, or where no digit does.
    pub(crate) fn of(text: &'a str) -> Option<Self> {
        let separates = |c: char| matches!(c, ' ' | '-' | '.' | '/' | '_');
        let fits = |c: char| c.is_ascii_digit() || c == '*' || separates(c);
        if !text.chars().all(fits) || !text.contains(|c: char| c.is_ascii_digit()) {
            return None;
        }
        let mut runs: Vec<&str> = text.split(separates).collect();
        let (first, last) = (0, runs.len() - 1);
        let mut at = 0;
        // Several separators in a row are one.
        runs.retain(|run| {
            let keep = !run.is_empty() || at == first || at == last;
            at += 1;
            keep
        });
        let between = |wanted: char| text.contains(wanted);
        let by_blanks = between(' ') && !['-', '.', '/', '_'].into_iter().any(between);
        Some(Self { runs, by_blanks, hyphen: between('-') })
    }

    /// How many digits each run has.
    pub(crate) fn lengths(&self) -> Vec<usize> {
        self.runs.iter().map(|run| run.len()).collect()
    }

    /// All digits together.
    pub(crate) fn joined(&self) -> String {
        self.runs.concat()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_becomes_plain() {
        for (text, want) in [
            ("0006-0221-28", "0006-0221-28"),
            ("９９０１００００５０１", "99010000501"),
            ("ＮＤＣ：（０１）", "NDC:(01)"),
            ("\u{660}\u{661}\u{669}", "019"),
            ("\u{966}\u{96f}", "09"),
            ("0006\u{2011}0221\u{2013}28", "0006-0221-28"),
            ("0006\u{2212}0221\u{ff0d}28", "0006-0221-28"),
            ("0006\u{b7}0221\u{ff0e}28", "0006.0221.28"),
            ("\u{feff}0006\u{200b}-\u{200e}0221\u{a0}28\t", "0006-0221 28 "),
            ("a\u{1d}b\u{241d}c", "a\u{1d}b\u{1d}c"),
            ("\u{1d7d8}\u{1d7e1}", "09"),
            // Raised, circled and Roman numbers are no digits of a code.
            ("7\u{b2}\u{2460}\u{2163}", "7\u{b2}\u{2460}\u{2163}"),
        ] {
            assert_eq!(plain(text), want, "{text}");
        }
    }

    #[test]
    fn labels_are_words() {
        const LABELS: [&str; 2] = ["ndc11", "ndc"];
        for (text, want) in [
            ("NDC 0006-0221-28", Some("0006-0221-28")),
            ("ndc#0006-0221-28", Some("0006-0221-28")),
            ("NDC No. 0006-0221-28", Some("0006-0221-28")),
            ("NDC11: 00006022128", Some("00006022128")),
            ("NDC11523-1234-01", Some("11523-1234-01")),
            ("NDC", Some("")),
            ("ndcaspirin", None),
            ("aspirin", None),
            ("", None),
        ] {
            assert_eq!(after_label(text, &LABELS), want, "{text}");
        }
    }

    #[test]
    fn segments_of_digits() {
        let runs = |text| Segments::of(text).map(|segments| segments.runs);
        assert_eq!(runs("0006-0221-28"), Some(vec!["0006", "0221", "28"]));
        assert_eq!(runs("0006 - 0221. 28"), Some(vec!["0006", "0221", "28"]));
        assert_eq!(runs("-28"), Some(vec!["", "28"]));
        assert_eq!(runs("28-"), Some(vec!["28", ""]));
        assert_eq!(runs("28"), Some(vec!["28"]));
        for text in ["", "-", "5 mg", "5,325", "*"] {
            assert_eq!(runs(text), None, "{text}");
        }
        assert!(Segments::of("1 2").unwrap().by_blanks);
        assert!(!Segments::of("1 2-3").unwrap().by_blanks && !Segments::of("12").unwrap().by_blanks);
    }
}
