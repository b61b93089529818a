//! States, counties and ZIP codes.

use std::fmt;
use std::str::FromStr;

use super::digits;
use crate::fold::edits;
use crate::{Error, Result};

/// A county's FIPS code: two digits of state, three of county. Connecticut's are the planning
/// regions (`09110` to `09190`); codes of its former counties are codes too.
///
/// ```
/// use coverdex_core::CountyFips;
///
/// let county: CountyFips = "1009".parse()?; // a table lost the leading zero
/// assert_eq!((county.to_string().as_str(), county.state().unwrap().name()), ("01009", "Alabama"));
/// # Ok::<(), coverdex_core::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct CountyFips(u32);

impl CountyFips {
    /// From its number (leading zero not counted); `None` where the state or the county part is
    /// out of range. That such a county exists is for a table to say.
    #[must_use]
    pub const fn new(number: u32) -> Option<Self> {
        if number > 1_000 && number < 79_000 && !number.is_multiple_of(1_000) { Some(Self(number)) } else { None }
    }

    /// Its number.
    #[must_use]
    pub const fn number(self) -> u32 {
        self.0
    }

    /// The state or territory it lies in.
    #[must_use]
    pub fn state(self) -> Option<State> {
        u8::try_from(self.0 / 1_000).ok().and_then(State::from_fips)
    }
}

impl FromStr for CountyFips {
    type Err = Error;

    /// Five digits, or four where a table lost the leading zero.
    fn from_str(text: &str) -> Result<Self> {
        let trimmed = text.trim();
        digits(trimmed)
            .filter(|_| matches!(trimmed.len(), 4 | 5))
            .and_then(|number| u32::try_from(number).ok())
            .and_then(Self::new)
            .ok_or_else(|| {
                Error::invalid(format!("county {:?}", shown(trimmed)), "a county's FIPS code has five digits")
                    .with_hint("write it as 12086, or by name and state: Miami-Dade, FL")
            })
    }
}

impl fmt::Display for CountyFips {
    /// Five digits.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:05}", self.0)
    }
}

/// A five-digit ZIP code.
///
/// ```
/// use coverdex_core::Zip5;
///
/// let zip: Zip5 = "88011-1234".parse()?;
/// assert_eq!(zip.to_string(), "88011");
/// assert!("8801".parse::<Zip5>().is_err()); // the missing digit may be any
/// # Ok::<(), coverdex_core::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Zip5(u32);

/// Holtsville, New York: no ZIP code is lower.
const LOWEST_ZIP: u32 = 501;

impl Zip5 {
    /// From its number (leading zeros not counted). Below `00501` nothing is in use, and `99999`
    /// is a placeholder: both are `None`.
    #[must_use]
    pub const fn new(number: u32) -> Option<Self> {
        if number >= LOWEST_ZIP && number < 99_999 { Some(Self(number)) } else { None }
    }

    /// Its number.
    #[must_use]
    pub const fn number(self) -> u32 {
        self.0
    }

    /// The military state that the ZIP is of, by its first three digits (US Postal Service): `AE` for 090
    /// to 099, `AA` for 340, `AP` for 962 to 966. No area of the Census has one of these.
    #[must_use]
    pub fn military_state(self) -> Option<State> {
        State::from_name(match self.0 / 100 {
            90..=99 => "AE",
            340 => "AA",
            962..=966 => "AP",
            _ => return None,
        })
    }

    /// Mends a ZIP or ZIP+4 in any spelling: `NNNNN`, `NNNNN-NNNN`, `NNNNN NNNN`, `NNNNNNNNN`, and
    /// those that lost leading zeros on the way (3 and 4 digits, 7 and 8 digits, `2139-1234`).
    /// `None` for placeholders, foreign codes and anything that could be mended in two ways.
    #[must_use]
    pub fn mend(text: &str) -> Option<Self> {
        let text = text.trim();
        let text = text.strip_suffix(".0").unwrap_or(text);
        let mut parts = text.split(['-', ' ', '\u{2010}', '\u{2011}', '\u{2013}']).filter(|part| !part.is_empty());
        let (first, rest) = (parts.next()?, parts.next());
        if parts.next().is_some() {
            return None;
        }
        let number = u32::try_from(digits(first)?).ok()?;
        match (first.len(), rest) {
            (3..=5, None) => Self::new(number),
            (3..=5, Some(plus4)) if plus4.len() <= 4 && digits(plus4).is_some() => Self::new(number),
            (7..=9, None) => Self::new(number / 10_000),
            _ => None,
        }
    }
}

impl FromStr for Zip5 {
    type Err = Error;

    /// Five digits, or nine with or without a hyphen. What a payer's file lost on its way is mended, what
    /// a person asks for is not: a digit that is missing may be any.
    fn from_str(text: &str) -> Result<Self> {
        let (five, rest) = text.trim().split_at_checked(5).unwrap_or((text.trim(), ""));
        let four = rest.strip_prefix(['-', ' ', '\u{2010}', '\u{2011}', '\u{2013}']).unwrap_or(rest);
        let fits = five.len() == 5
            && digits(five).is_some()
            && (rest.is_empty() || (four.len() == 4 && digits(four).is_some()));
        fits.then(|| Self::mend(text)).flatten().ok_or_else(|| {
            Error::invalid(format!("ZIP {:?}", shown(text.trim())), "that is no ZIP code")
                .with_hint("write five digits, such as 33101 or 02139")
        })
    }
}

impl fmt::Display for Zip5 {
    /// Five digits.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:05}", self.0)
    }
}

fn shown(text: &str) -> String {
    text.chars().take(40).collect()
}

/// A state, the District of Columbia, a territory, a freely associated state or a military
/// "state", by its USPS letters.
///
/// ```
/// use coverdex_core::State;
///
/// let state: State = "new mexico".parse()?;
/// assert_eq!(state, "35".parse()?);
/// assert_eq!(state.name(), "New Mexico");
/// # Ok::<(), coverdex_core::Error>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct State(u8);

/// USPS letters, FIPS number (0 for military mail), name; by letters.
const STATES: [(&str, u8, &str); 62] = [
    ("AA", 0, "Armed Forces Americas"),
    ("AE", 0, "Armed Forces Europe"),
    ("AK", 2, "Alaska"),
    ("AL", 1, "Alabama"),
    ("AP", 0, "Armed Forces Pacific"),
    ("AR", 5, "Arkansas"),
    ("AS", 60, "American Samoa"),
    ("AZ", 4, "Arizona"),
    ("CA", 6, "California"),
    ("CO", 8, "Colorado"),
    ("CT", 9, "Connecticut"),
    ("DC", 11, "District of Columbia"),
    ("DE", 10, "Delaware"),
    ("FL", 12, "Florida"),
    ("FM", 64, "Federated States of Micronesia"),
    ("GA", 13, "Georgia"),
    ("GU", 66, "Guam"),
    ("HI", 15, "Hawaii"),
    ("IA", 19, "Iowa"),
    ("ID", 16, "Idaho"),
    ("IL", 17, "Illinois"),
    ("IN", 18, "Indiana"),
    ("KS", 20, "Kansas"),
    ("KY", 21, "Kentucky"),
    ("LA", 22, "Louisiana"),
    ("MA", 25, "Massachusetts"),
    ("MD", 24, "Maryland"),
    ("ME", 23, "Maine"),
    ("MH", 68, "Marshall Islands"),
    ("MI", 26, "Michigan"),
    ("MN", 27, "Minnesota"),
    ("MO", 29, "Missouri"),
    ("MP", 69, "Northern Mariana Islands"),
    ("MS", 28, "Mississippi"),
    ("MT", 30, "Montana"),
    ("NC", 37, "North Carolina"),
    ("ND", 38, "North Dakota"),
    ("NE", 31, "Nebraska"),
    ("NH", 33, "New Hampshire"),
    ("NJ", 34, "New Jersey"),
    ("NM", 35, "New Mexico"),
    ("NV", 32, "Nevada"),
    ("NY", 36, "New York"),
    ("OH", 39, "Ohio"),
    ("OK", 40, "Oklahoma"),
    ("OR", 41, "Oregon"),
    ("PA", 42, "Pennsylvania"),
    ("PR", 72, "Puerto Rico"),
    ("PW", 70, "Palau"),
    ("RI", 44, "Rhode Island"),
    ("SC", 45, "South Carolina"),
    ("SD", 46, "South Dakota"),
    ("TN", 47, "Tennessee"),
    ("TX", 48, "Texas"),
    ("UT", 49, "Utah"),
    ("VA", 51, "Virginia"),
    ("VI", 78, "U.S. Virgin Islands"),
    ("VT", 50, "Vermont"),
    ("WA", 53, "Washington"),
    ("WI", 55, "Wisconsin"),
    ("WV", 54, "West Virginia"),
    ("WY", 56, "Wyoming"),
];

/// Other names in use, folded to letters alone.
const OTHER_NAMES: [(&str, &str); 8] = [
    ("virginislands", "VI"),
    ("unitedstatesvirginislands", "VI"),
    ("virginislandsus", "VI"),
    ("commonwealthofthenorthernmarianaislands", "MP"),
    ("commonwealthofpuertorico", "PR"),
    ("washingtondc", "DC"),
    ("micronesia", "FM"),
    ("republicofpalau", "PW"),
];

impl State {
    /// By FIPS number.
    #[must_use]
    pub fn from_fips(number: u8) -> Option<Self> {
        (number != 0).then(|| Self::find(|(_, fips, _)| *fips == number)).flatten()
    }

    /// All of them, by their letters.
    pub fn all() -> impl Iterator<Item = Self> {
        (0..).zip(STATES).map(|(index, _)| Self(index))
    }

    /// By the two letters or the full name alone, in any case: for the end of a text such as
    /// `Miami-Dade FL`, where a number is no state.
    #[must_use]
    pub fn from_name(text: &str) -> Option<Self> {
        if let [a, b] = text.as_bytes() {
            let letters = [a.to_ascii_uppercase(), b.to_ascii_uppercase()];
            let at = STATES.binary_search_by(|(usps, _, _)| usps.as_bytes().cmp(&letters)).ok()?;
            return u8::try_from(at).ok().map(Self);
        }
        if text.bytes().any(|b| b.is_ascii_digit()) {
            return None;
        }
        let letters: String = text.chars().filter(char::is_ascii_alphabetic).map(|c| c.to_ascii_lowercase()).collect();
        let same = |name: &str| {
            name.chars().filter(char::is_ascii_alphabetic).map(|c| c.to_ascii_lowercase()).eq(letters.chars())
        };
        Self::find(|(usps, _, _)| same(usps)).or_else(|| {
            if letters.len() < 4 {
                return None;
            }
            Self::find(|(_, _, name)| same(name)).or_else(|| {
                let (_, usps) = OTHER_NAMES.iter().find(|(name, _)| *name == letters)?;
                Self::find(|(other, _, _)| other == usps)
            })
        })
    }

    fn find(fits: impl Fn(&(&str, u8, &str)) -> bool) -> Option<Self> {
        STATES.iter().position(fits).and_then(|index| u8::try_from(index).ok()).map(Self)
    }

    /// Those whose name a text nearly is.
    pub(crate) fn spelled_nearly(text: &str) -> impl Iterator<Item = Self> + '_ {
        Self::all().filter(move |state| is_misspelt(text.trim(), state.name()))
    }

    fn entry(self) -> (&'static str, u8, &'static str) {
        STATES.get(usize::from(self.0)).copied().unwrap_or_default()
    }

    /// The two letters.
    #[must_use]
    pub fn usps(self) -> &'static str {
        self.entry().0
    }

    /// The FIPS number; `None` for military mail (AA, AE, AP).
    #[must_use]
    pub fn fips(self) -> Option<u8> {
        Some(self.entry().1).filter(|fips| *fips != 0)
    }

    /// The name, such as `New Mexico`.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.entry().2
    }
}

impl FromStr for State {
    type Err = Error;

    /// USPS letters, the full name, `US-FL`, or a FIPS number with or without its leading zero; in
    /// any case.
    fn from_str(text: &str) -> Result<Self> {
        let trimmed = text.trim();
        let by_number = || digits(trimmed).and_then(|n| u8::try_from(n).ok()).and_then(Self::from_fips);
        let by_iso = || {
            let (country, rest) = trimmed.split_once('-')?;
            country.eq_ignore_ascii_case("US").then(|| Self::from_name(rest)).flatten()
        };
        by_number().or_else(by_iso).or_else(|| Self::from_name(trimmed)).ok_or_else(|| {
            Error::invalid(format!("state {:?}", shown(trimmed)), "no such state or territory")
                .with_hint("write two letters, such as FL or PR")
                .with_candidates(Self::spelled_nearly(trimmed).map(|state| state.name().to_owned()))
        })
    }
}

/// Whether a text is a name but for one edit, or for two in a name of five letters or more.
fn is_misspelt(text: &str, name: &str) -> bool {
    let most = (name.len() / 5 + 1).min(2);
    text.len().abs_diff(name.len()) <= most
        && edits(&text.to_ascii_lowercase(), &name.to_ascii_lowercase(), most).is_some()
}

impl fmt::Display for State {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.usps())
    }
}

impl fmt::Debug for State {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "State({})", self.usps())
    }
}
