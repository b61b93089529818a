//! RxNorm concept identifiers.

use std::fmt;
use std::str::FromStr;

use super::{digits, spelling};
use crate::{Error, Result};

/// An RxNorm concept unique identifier (RXCUI): one to eight digits, not zero.
///
/// ```
/// use coverdex_core::Rxcui;
///
/// let code: Rxcui = "617310.0".parse()?; // as a spreadsheet writes it
/// assert_eq!(code.number(), 617_310);
/// # Ok::<(), coverdex_core::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Rxcui(u32);

impl Rxcui {
    /// From its number, if that is in range.
    #[must_use]
    pub const fn new(number: u32) -> Option<Self> {
        if number == 0 || number > 99_999_999 { None } else { Some(Self(number)) }
    }

    /// Its number.
    #[must_use]
    pub const fn number(self) -> u32 {
        self.0
    }
}

impl FromStr for Rxcui {
    type Err = Error;

    /// Its digits; quotes around them and the `.0` that a spreadsheet adds are no part of it.
    fn from_str(text: &str) -> Result<Self> {
        let plain = spelling::plain(text);
        let bare = spelling::bare(&plain);
        let trimmed = bare.strip_suffix(".0").unwrap_or(bare);
        digits(trimmed)
            .filter(|_| trimmed.len() <= 8)
            .and_then(|n| u32::try_from(n).ok())
            .and_then(Self::new)
            .ok_or_else(|| {
                Error::invalid(
                    format!("RxNorm code {trimmed:?}"),
                    "an RxNorm code is one to eight digits, not all zero",
                )
            })
    }
}

impl fmt::Display for Rxcui {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0)
    }
}
