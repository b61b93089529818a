//! The NDC inside a barcode.
//!
//! A drug's UPC-A is a 3, the ten digits of its NDC without hyphens and a check digit; EAN-13 puts a 0
//! before it, GTIN-14 an indicator digit and a 0 (GS1 General Specifications, section 2.1; FDA, 21 CFR
//! 201.25). A GS1 barcode (DataMatrix, GS1-128) carries the GTIN-14 behind the application identifier
//! (AI) 01. Where the ten digits had their hyphens is not in the code, so they have three readings.

use std::borrow::Cow;

use crate::ids::spelling::GROUP_SEPARATOR;
use crate::{Error, Result};

/// What kind of barcode holds an NDC.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Symbol {
    UpcA,
    Ean13,
    Gtin14,
    Gs1,
}

impl Symbol {
    pub(super) const fn words(self) -> &'static str {
        match self {
            Self::UpcA => "the NDC inside the UPC-A",
            Self::Ean13 => "the NDC inside the EAN-13",
            Self::Gtin14 => "the NDC inside the GTIN-14",
            Self::Gs1 => "the NDC inside the GS1 code",
        }
    }
}

/// Symbology identifiers (ISO/IEC 15424) of barcodes with GS1 elements in them: GS1-128, GS1 DataBar,
/// GS1 DataMatrix, GS1 QR, GS1 DotCode.
const GS1_SYMBOLS: [&str; 5] = ["C1", "e0", "d2", "Q3", "J1"];

/// How people and keyboards write the separator that a scanner sends.
const WRITTEN_SEPARATORS: [&str; 9] =
    ["<GS>", "{GS}", "[GS]", "<FNC1>", "{FNC1}", "[FNC1]", "\\x1d", "\\u001d", "\\x1D"];

/// What a scanner sent, without the marks that it sends along.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Scanned {
    /// GS1 elements: the digits behind AI 01.
    Gtin(String),
    /// GS1 elements that name no trade item, or not in a way that can be read; why.
    Unreadable(&'static str),
    /// No GS1 elements: what is left.
    Text(String),
}

/// Takes a scan apart. `text` has plain digits and punctuation.
pub(super) fn scanned(text: &str) -> Scanned {
    let mut text = Cow::Borrowed(text.trim());
    if text.contains(['<', '{', '[', '\\']) {
        for written in WRITTEN_SEPARATORS {
            text = Cow::Owned(text.replace(written, GROUP_SEPARATOR.encode_utf8(&mut [0; 4])));
        }
    }
    let (symbol, rest) = symbology(&text);
    if let Some(found) = bracketed(rest).or_else(|| digital_link(rest)) {
        return found;
    }
    if symbol.is_some_and(|symbol| GS1_SYMBOLS.contains(&symbol)) || rest.contains(GROUP_SEPARATOR) {
        return elements(rest);
    }
    if unmarked(rest) { elements(rest) } else { Scanned::Text(rest.to_owned()) }
}

/// `]d2…`: the symbology identifier and the rest.
fn symbology(text: &str) -> (Option<&str>, &str) {
    let identifier = text.strip_prefix(']').and_then(|rest| rest.split_at_checked(2));
    match identifier {
        Some((symbol, rest)) if symbol.bytes().all(|b| b.is_ascii_alphanumeric()) => (Some(symbol), rest.trim_start()),
        _ => (None, text),
    }
}

/// `(01)00399990044057(17)…`, blanks anywhere.
fn bracketed(text: &str) -> Option<Scanned> {
    if !text.contains('(') {
        return None;
    }
    let tight: String = text.chars().filter(|c| *c != ' ').collect();
    let mut gtins: Vec<String> = tight.split("(01)").skip(1).map(leading_digits).collect();
    gtins.dedup();
    match gtins.as_slice() {
        [] => None,
        [gtin] if gtin.is_empty() => None,
        [gtin] => Some(Scanned::Gtin(gtin.clone())),
        _ => Some(Scanned::Unreadable("it names several trade items (AI 01)")),
    }
}

/// `https://id.gs1.org/01/00399990044057/10/…` (GS1 Digital Link).
fn digital_link(text: &str) -> Option<Scanned> {
    let (scheme, rest) = text.split_once("://")?;
    if !scheme.eq_ignore_ascii_case("https") && !scheme.eq_ignore_ascii_case("http") {
        return None;
    }
    let (_, gtin) = rest.split_once("/01/")?;
    Some(Scanned::Gtin(leading_digits(gtin)))
}

/// At most the 14 digits of a GTIN.
fn leading_digits(text: &str) -> String {
    text.chars().take_while(char::is_ascii_digit).take(14).collect()
}

/// Whether a text without any mark can only be GS1 elements: `01`, fourteen digits, and more elements
/// or nothing.
fn unmarked(text: &str) -> bool {
    text.len() >= 16
        && text.starts_with("01")
        && text.bytes().take(16).all(|b| b.is_ascii_digit())
        && text.bytes().all(|b| b.is_ascii_graphic())
}

/// Walks elements without brackets up to AI 01.
fn elements(text: &str) -> Scanned {
    let mut rest = text.trim_start_matches(GROUP_SEPARATOR);
    while let Some(identifier) = rest.get(..2) {
        if identifier == "01" {
            return Scanned::Gtin(leading_digits(rest.get(2..).unwrap_or_default()));
        }
        let next = match fixed_length(identifier) {
            Some(length) => rest.get(length..),
            None => rest.split_once(GROUP_SEPARATOR).map(|(_, next)| next),
        };
        let Some(next) = next else { break };
        rest = next.trim_start_matches(GROUP_SEPARATOR);
    }
    Scanned::Unreadable("no trade item (AI 01) is among its elements")
}

/// Length of an element with its identifier where the identifier's first two digits settle it (GS1
/// General Specifications, "element strings with predefined length").
fn fixed_length(identifier: &str) -> Option<usize> {
    Some(match identifier {
        "00" => 20,
        "01" | "02" | "03" | "41" => 16,
        "04" => 18,
        "11" | "12" | "13" | "14" | "15" | "16" | "17" | "18" | "19" => 8,
        "20" => 4,
        "31" | "32" | "33" | "34" | "35" | "36" => 10,
        _ => return None,
    })
}

/// The ten digits of the NDC inside a UPC-A (12 digits), EAN-13 or GTIN-14.
pub(super) fn ndc_of(digits: &str) -> Result<u64> {
    let refused = |why: &str| Err(Error::invalid(format!("barcode {digits:?}"), why));
    if !(12..=14).contains(&digits.len()) || !digits.bytes().all(|b| b.is_ascii_digit()) {
        return refused("a UPC-A has 12 digits, an EAN-13 13, a GTIN-14 14");
    }
    let filled = format!("{digits:0>14}");
    let ndc = filled.get(3..13).filter(|_| filled.get(1..3) == Some("03"));
    let Some(ndc) = ndc else {
        return refused(if digits.len() == 12 {
            "twelve digits are a drug's UPC-A only if they begin with 3, and a twelve-digit NDC (6-4-2, in use from \
             2033) cannot be cut to eleven digits"
        } else {
            "no NDC is in it: a drug's UPC-A begins with 3, its EAN-13 with 03, its GTIN-14 with 03 behind one digit"
        });
    };
    let (given, right) = check_digits(&filled);
    if given != right {
        return refused(&format!(
            "the check digit is wrong (it is {given}, and {right} for the other digits): scan it again, or compare each \
             digit"
        ));
    }
    ndc.parse().or_else(|_| refused("an NDC has only digits"))
}

/// The check digit that stands there, and the one that the other digits have (GS1 General
/// Specifications, section 7.9: weights 3 and 1 in turn from the right).
fn check_digits(digits: &str) -> (u32, u32) {
    let mut from_right = digits.bytes().rev().map(|b| u32::from(b.saturating_sub(b'0')));
    let given = from_right.next().unwrap_or_default();
    let sum: u32 = from_right.zip([3, 1].into_iter().cycle()).map(|(digit, weight)| digit * weight).sum();
    (given, (10 - sum % 10) % 10)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn check_digits_are_computed() {
        // The GS1 specifications' own examples, and two drugs' UPC-A.
        for (digits, right) in
            [("6291041500213", 3), ("00614141999996", 6), ("036000291452", 2), ("309990044057", 7), ("300028215012", 2)]
        {
            assert_eq!(check_digits(digits).1, right, "{digits}");
        }
    }

    #[test]
    fn the_ndc_inside() {
        for (digits, want) in [
            ("309990044057", 999_004_405),
            ("0309990044057", 999_004_405),
            ("00309990044057", 999_004_405),
            ("10309990044054", 999_004_405),
            ("20309990044051", 999_004_405),
            ("90309990044050", 999_004_405),
            ("00399990044058", 9_999_004_405),
        ] {
            assert_eq!(ndc_of(digits).unwrap(), want, "{digits}");
        }
        for (digits, reason) in [
            ("309990044058", "check digit"),
            ("309990044075", "check digit"),
            ("0309990044058", "check digit"),
            ("10309990044057", "check digit"),
            ("036000291452", "twelve-digit"),
            ("6291041500213", "begins with 3"),
            ("00614141999996", "begins with 3"),
            ("30999004405", "12 digits"),
            ("3099900440577x", "12 digits"),
        ] {
            let error = ndc_of(digits).unwrap_err().to_string();
            assert!(error.contains(reason), "{digits}: {error}");
        }
    }

    /// A check digit finds every single wrong digit.
    #[test]
    fn one_wrong_digit_is_always_found() {
        let right = "309990044057";
        for at in 1..right.len() {
            for digit in '0'..='9' {
                let mut wrong: Vec<char> = right.chars().collect();
                if wrong[at] == digit {
                    continue;
                }
                wrong[at] = digit;
                let wrong: String = wrong.into_iter().collect();
                assert!(ndc_of(&wrong).is_err(), "{wrong}");
            }
        }
    }

    #[test]
    fn scans_are_taken_apart() {
        let gtin = "00399990044057";
        for text in [
            "(01)00399990044057",
            "(01)00399990044057(17)260531(10)ABC123",
            "(17)260531(01)00399990044057",
            "( 01 ) 0 03 99990 04405 7 (17) 260531",
            "(01)0039999004405717260531",
            "GTIN (01)00399990044057",
            "0100399990044057",
            "010039999004405717260531",
            "010039999004405717260531\u{1d}10ABC123",
            "010039999004405721SN0001-A/7",
            "\u{1d}0100399990044057",
            "]d20100399990044057172605311012",
            "]C10100399990044057",
            "]e00100399990044057",
            "]Q3 0100399990044057",
            "]d217260531\u{1d}0100399990044057",
            "17260531310300012510ABC\u{1d}0100399990044057",
            "10ABC<GS>0100399990044057",
            "21X7\u{1d}10ABC\u{1d}0100399990044057",
            "<FNC1>0100399990044057",
            "https://id.gs1.org/01/00399990044057/10/ABC?17=260531",
        ] {
            assert_eq!(scanned(text), Scanned::Gtin(gtin.to_owned()), "{text:?}");
        }
        for text in
            ["]d21726053110ABC", "10ABC\u{1d}17260531", "]C1", "(01)00399990044057(01)00399990044064", "]d2(10)ABC"]
        {
            assert!(matches!(scanned(text), Scanned::Unreadable(_)), "{text:?}");
        }
        for (text, want) in [
            ("]E00309990044057", "0309990044057"),
            ("]A0 0999-0044-05", "0999-0044-05"),
            ("aspirin (01)", "aspirin (01)"),
            ("https://payer.test/drugs", "https://payer.test/drugs"),
            ("0100399990044057 tablet", "0100399990044057 tablet"),
            ("[5 mg", "[5 mg"),
            ("]", "]"),
            ("]é5", "]é5"),
        ] {
            assert_eq!(scanned(text), Scanned::Text(want.to_owned()), "{text:?}");
        }
    }
}
