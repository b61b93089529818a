//! National Provider Identifiers.
//!
//! Ten digits, the first 1 or 2, the last a check digit: Luhn over `80840` and the NPI (45 CFR
//! 162.406; ISO 7812 issuer prefix for US health). Whether an NPI is a person's (type 1) or an
//! organization's (type 2) does not show in its digits.

use std::fmt;
use std::str::FromStr;

use super::digits;
use super::spelling::{Segments, after_label, bare, plain};
use crate::{Error, Result};

/// A valid NPI.
///
/// ```
/// use coverdex_core::Npi;
///
/// let npi: Npi = "80840 2410 000 113".parse()?; // as on a card
/// assert_eq!(npi.to_string(), "2410000113");
/// assert!("2410000114".parse::<Npi>().is_err()); // the check digit is wrong
/// # Ok::<(), coverdex_core::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Npi(u64);

/// The issuer prefix in front of an NPI on a health card.
const CARD_PREFIX: &str = "80840";

/// Luhn sum of the prefix `80840`, which every NPI has in common.
const PREFIX_SUM: u64 = 24;

impl Npi {
    /// From its number; `None` where the first digit or the check digit is wrong.
    #[must_use]
    pub const fn new(number: u64) -> Option<Self> {
        let first = number / 1_000_000_000;
        if (first == 1 || first == 2) && luhn_holds(number) { Some(Self(number)) } else { None }
    }

    /// Its number.
    #[must_use]
    pub const fn number(self) -> u64 {
        self.0
    }
}

/// Whether the last of ten digits is the check digit of the others.
const fn luhn_holds(number: u64) -> bool {
    let mut sum = PREFIX_SUM;
    let mut rest = number;
    let mut place = 0;
    while place < 10 {
        let digit = rest % 10;
        rest /= 10;
        sum += if place % 2 == 0 {
            digit
        } else if digit > 4 {
            2 * digit - 9
        } else {
            2 * digit
        };
        place += 1;
    }
    sum.is_multiple_of(10)
}

impl FromStr for Npi {
    type Err = Error;

    /// Ten digits, in any of the ways that people and payers write them: with hyphens, blanks or dots,
    /// in full-width digits, behind the word `NPI`, behind the prefix `80840` of a card number.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidInput`](crate::ErrorKind::InvalidInput), saying whether length, first
    /// digit or check digit is wrong.
    fn from_str(text: &str) -> Result<Self> {
        let plain = plain(text);
        let bare = bare(&plain);
        let refused = |why: String| {
            let shown: String = text.trim().chars().take(20).collect();
            Err(Error::invalid(format!("NPI {shown:?}"), why).with_hint("an NPI has ten digits, such as 1234567893"))
        };
        let Some(segments) = Segments::of(after_label(bare, &["npi"]).unwrap_or(bare)) else {
            let is_name = text.chars().filter(|c| c.is_alphabetic()).count() > 3;
            let refused = refused("an NPI has only digits".into());
            return if is_name {
                refused.map_err(|e| e.with_hint("to find a name, search providers by it"))
            } else {
                refused
            };
        };
        let joined = segments.joined();
        let ten = joined.strip_prefix(CARD_PREFIX).filter(|rest| rest.len() == 10).unwrap_or(&joined);
        let Some(number) = digits(ten) else { return refused("an NPI has only digits".into()) };
        match (ten.len(), number / 1_000_000_000) {
            (10, 1 | 2) => Self::new(number).map_or_else(
                || refused("its check digit is wrong: a digit is mistyped, or it is none, whoever states it".into()),
                Ok,
            ),
            (10, _) if number == 0 => refused("all zeros is a placeholder".into()),
            (10, _) => refused("the first digit of an NPI is 1 or 2".into()),
            (length, _) => refused(format!("it has {length} digits, an NPI has ten")),
        }
    }
}

impl fmt::Display for Npi {
    /// Ten digits.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:010}", self.0)
    }
}
