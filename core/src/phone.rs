//! Phone numbers of the North American plan, folded so that spellings of one number are equal.
//!
//! Ten digits; area code and exchange begin with 2 to 9. A leading `1` or `+1` is the country.

use std::fmt;
use std::str::FromStr;

use crate::{Error, Result};

/// A phone number and, where there is one, its extension.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct PhoneNumber {
    number: u64,
    extension: Option<String>,
}

impl PhoneNumber {
    /// Folds a phone as received: `(602) 230-0777`, `+1 602.230.0777 x12`,
    /// `tel:+1-602-230-0777;ext=12`, `16022300777`. `None` for anything that cannot be dialed in
    /// the United States as it stands, or has letters that are no extension.
    #[must_use]
    pub fn fold(text: &str) -> Option<Self> {
        let lower = text.trim().to_ascii_lowercase();
        let lower = lower.strip_prefix("tel:").unwrap_or(&lower);
        let (main, extension) = match lower.find(|c: char| c.is_ascii_alphabetic() || matches!(c, ';' | '#' | ',')) {
            Some(at) => {
                let (main, tail) = lower.split_at(at);
                (main, Some(extension(tail)?).filter(|digits| !digits.is_empty()))
            }
            None => (lower, None),
        };
        let country = main.trim_start().starts_with('+');
        let dialed = main
            .bytes()
            .filter(|b| !matches!(b, b' ' | b'-' | b'.' | b'(' | b')' | b'/' | b'+' | b'\t'))
            .map(|b| b.is_ascii_digit().then(|| u64::from(b - b'0')))
            .collect::<Option<Vec<u64>>>()?;
        let ten = match dialed.as_slice() {
            [1, rest @ ..] if rest.len() == 10 => rest,
            ten if ten.len() == 10 && !country => ten,
            _ => return None,
        };
        let starts = |at: usize| ten.get(at).is_some_and(|digit| *digit >= 2);
        if !starts(0) || !starts(3) {
            return None;
        }
        Some(Self { number: ten.iter().fold(0, |number, digit| number * 10 + digit), extension })
    }

    /// From the ten digits as one number; `None` where they are no phone number.
    #[must_use]
    pub fn from_number(number: u64, extension: Option<&str>) -> Option<Self> {
        let extension = extension.filter(|digits| !digits.is_empty());
        let fits = number < 10_000_000_000 && number / 1_000_000_000 >= 2 && number / 1_000_000 % 10 >= 2;
        let digits = extension.is_none_or(|digits| digits.bytes().all(|b| b.is_ascii_digit()));
        (fits && digits).then(|| Self { number, extension: extension.map(str::to_owned) })
    }

    /// The ten digits as one number.
    #[must_use]
    pub const fn number(&self) -> u64 {
        self.number
    }

    /// The digits of the extension, with their leading zeros.
    #[must_use]
    pub fn extension(&self) -> Option<&str> {
        self.extension.as_deref()
    }
}

/// The digits behind `x`, `ext`, `ext.`, `extension`, `;ext=` or `#`; empty where the mark stands
/// alone, `None` where the text is something else.
fn extension(tail: &str) -> Option<String> {
    let tail = tail.trim_start_matches([';', ',', ' ']);
    let digits = ["extension", "ext", "ex", "x", "#", ""].iter().find_map(|mark| tail.strip_prefix(mark))?;
    let digits = digits.trim_matches([' ', '.', ':', '=', '#']);
    if digits.len() > 8 || !digits.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    Some(digits.to_owned())
}

impl FromStr for PhoneNumber {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        Self::fold(text).ok_or_else(|| {
            Error::invalid("phone number", "that is no phone number of the United States")
                .with_hint("write ten digits, such as (602) 230-0777")
        })
    }
}

impl fmt::Display for PhoneNumber {
    /// `(602) 230-0777`, or `(602) 230-0777 x12`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = *b"(000) 000-0000";
        let mut rest = self.number;
        for digit in shown.iter_mut().rev().filter(|digit| **digit == b'0') {
            *digit += u8::try_from(rest % 10).unwrap_or_default();
            rest /= 10;
        }
        f.write_str(std::str::from_utf8(&shown).unwrap_or_default())?;
        self.extension.as_ref().map_or(Ok(()), |extension| write!(f, " x{extension}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folds_spellings() {
        for (text, want) in [
            ("6022300777", "(602) 230-0777"),
            ("16022300777", "(602) 230-0777"),
            ("(602) 230-0777", "(602) 230-0777"),
            ("+1 (602) 230-0777", "(602) 230-0777"),
            ("602.230.0777 x12", "(602) 230-0777 x12"),
            ("602-230-0777 ext. 0456", "(602) 230-0777 x0456"),
            ("602-230-0777, Ext 5", "(602) 230-0777 x5"),
            ("602/230-0777 Extension: 99", "(602) 230-0777 x99"),
            ("tel:+1-602-230-0777;ext=12", "(602) 230-0777 x12"),
            ("602 230 0777 #7", "(602) 230-0777 x7"),
            (" 1-602-230-0777 x ", "(602) 230-0777"),
        ] {
            assert_eq!(PhoneNumber::fold(text).map(|p| p.to_string()).as_deref(), Some(want), "{text}");
        }
    }

    #[test]
    fn refuses_what_cannot_be_dialed() {
        for text in [
            "",
            "2300777",
            "602230077",
            "60223007777",
            "1022300777",
            "6021300777",
            "0000000000",
            "+44 20 7946 0958",
            "+6022300777",
            "602-230-0777 or 602-230-0778",
            "call us",
            "602-CALL-NOW",
            "602230077７",
        ] {
            assert_eq!(PhoneNumber::fold(text), None, "{text}");
        }
    }

    #[test]
    fn goes_through_a_number_and_back() {
        let phone = PhoneNumber::fold("602-230-0777 x012").unwrap();
        assert_eq!(PhoneNumber::from_number(phone.number(), phone.extension()), Some(phone));
        assert_eq!(PhoneNumber::from_number(1_022_300_777, None), None);
        assert_eq!(PhoneNumber::from_number(6_021_300_777, None), None);
        assert_eq!(PhoneNumber::from_number(6_022_300_777, Some("1a")), None);
    }
}
