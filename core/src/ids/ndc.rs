//! National Drug Codes.
//!
//! A package NDC has ten digits in one of three layouts (labeler-product-package 4-4-2, 5-3-2,
//! 5-4-1) and an eleven-digit normal form 5-4-2 made by padding the short segment (HIPAA, 45 CFR
//! 162.1002). A product NDC is its first two segments. Without hyphens ten digits have three
//! readings, and none is better than another. The uniform twelve-digit 6-4-2 form (FDA final rule
//! of March 2026, in effect from March 2033) cannot be cut to eleven and is refused.

use std::fmt;
use std::str::FromStr;

use super::digits;
use crate::{Error, Result};

/// A package NDC in its eleven-digit form (5-4-2).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Ndc11(u64);

/// A product NDC in its nine-digit form (labeler 5, product 4).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ProductNdc(u32);

/// Which segment of the ten-digit form is the short one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum NdcLayout {
    /// 4-4-2: the labeler has four digits.
    ShortLabeler,
    /// 5-3-2: the product has three digits.
    ShortProduct,
    /// 5-4-1: the package has one digit.
    ShortPackage,
}

/// What a text that looks like an NDC may mean.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NdcQuery {
    /// One package.
    Package(Ndc11),
    /// One product.
    Product(ProductNdc),
    /// Ten digits without hyphens: the readings 4-4-2, 5-3-2 and 5-4-1, without repeats.
    TenDigits(Vec<Ndc11>),
}

const MAX_11: u64 = 99_999_999_999;
const MAX_9: u32 = 999_999_999;

impl Ndc11 {
    /// From its number (eleven digits, leading zeros not counted).
    #[must_use]
    pub const fn new(number: u64) -> Option<Self> {
        if number == 0 || number > MAX_11 { None } else { Some(Self(number)) }
    }

    /// Its number.
    #[must_use]
    pub const fn number(self) -> u64 {
        self.0
    }

    /// The product it is a package of.
    #[must_use]
    pub fn product(self) -> ProductNdc {
        ProductNdc(u32::try_from(self.0 / 100).unwrap_or(MAX_9))
    }

    /// Eleven digits as they are, or a hyphenated spelling (4-4-2, 5-3-2, 5-4-1, 5-4-2); with the
    /// layout where the hyphens show it. Ten bare digits are refused here: see [`NdcQuery`].
    ///
    /// # Errors
    /// [`ErrorKind::InvalidInput`](crate::ErrorKind::InvalidInput) for anything else.
    pub fn parse_with_layout(text: &str) -> Result<(Self, Option<NdcLayout>)> {
        match parse(text)? {
            (NdcQuery::Package(ndc), layout) => Ok((ndc, layout)),
            (NdcQuery::Product(_), _) => Err(refused(text, "that is a product; a package has a third segment")),
            (NdcQuery::TenDigits(_), _) => {
                Err(refused(text, "ten digits without hyphens have three readings; write the hyphens or eleven digits"))
            }
        }
    }
}

impl FromStr for Ndc11 {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        Self::parse_with_layout(text).map(|(ndc, _)| ndc)
    }
}

impl fmt::Display for Ndc11 {
    /// Eleven digits without hyphens.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:011}", self.0)
    }
}

impl ProductNdc {
    /// From its number (nine digits, leading zeros not counted).
    #[must_use]
    pub const fn new(number: u32) -> Option<Self> {
        if number == 0 || number > MAX_9 { None } else { Some(Self(number)) }
    }

    /// Its number.
    #[must_use]
    pub const fn number(self) -> u32 {
        self.0
    }

    /// The first package number it can have.
    #[must_use]
    pub fn first_package(self) -> u64 {
        u64::from(self.0) * 100
    }

    /// With the hyphen where `layout` puts it: `0006-0221`, `51655-089`, `58118-1397`.
    #[must_use]
    pub fn hyphenated(self, layout: Option<NdcLayout>) -> String {
        let (labeler, product) = (self.0 / 10_000, self.0 % 10_000);
        match layout {
            Some(NdcLayout::ShortLabeler) if labeler < 10_000 => format!("{labeler:04}-{product:04}"),
            Some(NdcLayout::ShortProduct) if product < 1_000 => format!("{labeler:05}-{product:03}"),
            _ => format!("{labeler:05}-{product:04}"),
        }
    }

    /// `5-4`, `5-3` or `4-4` with a hyphen, or nine digits; with the layout where the hyphen shows it.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidInput`](crate::ErrorKind::InvalidInput) for anything else.
    pub fn parse_with_layout(text: &str) -> Result<(Self, Option<NdcLayout>)> {
        match parse(text)? {
            (NdcQuery::Product(product), layout) => Ok((product, layout)),
            _ => Err(refused(text, "that is a package; a product has two segments")),
        }
    }
}

impl FromStr for ProductNdc {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        Self::parse_with_layout(text).map(|(product, _)| product)
    }
}

impl fmt::Display for ProductNdc {
    /// `5-4` with the hyphen.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.hyphenated(None))
    }
}

impl FromStr for NdcQuery {
    type Err = Error;

    /// Any spelling: ten digits hyphenated in three layouts, 5-4-2, eleven digits, a product, nine
    /// digits, ten bare digits; an asterisk in place of the padding zero is read as that zero.
    fn from_str(text: &str) -> Result<Self> {
        parse(text).map(|(query, _)| query)
    }
}

fn refused(text: &str, why: &str) -> Error {
    let shown: String = text.trim().chars().take(40).collect();
    Error::invalid(format!("NDC {shown:?}"), why).with_hint("write it as 0006-0221-28 or 00006022128")
}

fn parse(text: &str) -> Result<(NdcQuery, Option<NdcLayout>)> {
    // Eleven digits, what scanners and payers send, need no taking apart.
    if text.len() == 11
        && let Some(ndc) = digits(text).and_then(Ndc11::new)
    {
        return Ok((NdcQuery::Package(ndc), None));
    }
    let clean: String = text
        .trim()
        .trim_start_matches("NDC")
        .trim_start_matches([':', ' '])
        .chars()
        .map(|c| match c {
            '*' => '0',
            '\u{2010}'..='\u{2015}' | '\u{2212}' => '-',
            c => c,
        })
        .collect();
    if clean.is_empty() || !clean.bytes().all(|b| b.is_ascii_digit() || b == b'-') {
        return Err(refused(text, "an NDC has only digits and hyphens"));
    }
    let segments: Vec<&str> = clean.split('-').collect();
    let lengths: Vec<usize> = segments.iter().map(|s| s.len()).collect();
    let number = |index: usize| segments.get(index).copied().and_then(digits).unwrap_or(0);
    let product = |layout| {
        let n = number(0) * 10_000 + number(1);
        u32::try_from(n).ok().and_then(ProductNdc::new).map(|p| (NdcQuery::Product(p), layout))
    };
    let package = |layout| {
        let n = (number(0) * 10_000 + number(1)) * 100 + number(2);
        Ndc11::new(n).map(|p| (NdcQuery::Package(p), layout))
    };
    let read = match lengths.as_slice() {
        [4, 4, 2] => package(Some(NdcLayout::ShortLabeler)),
        [5, 3, 2] => package(Some(NdcLayout::ShortProduct)),
        [5, 4, 1] => package(Some(NdcLayout::ShortPackage)),
        [5, 4, 2] => package(None),
        [4, 4] => product(Some(NdcLayout::ShortLabeler)),
        [5, 3] => product(Some(NdcLayout::ShortProduct)),
        [5, 4] => product(None),
        [11] => Ndc11::new(number(0)).map(|p| (NdcQuery::Package(p), None)),
        [9] => u32::try_from(number(0)).ok().and_then(ProductNdc::new).map(|p| (NdcQuery::Product(p), None)),
        [10] => return ten_digits(text, number(0)),
        [12] | [6, 4, 2] => {
            return Err(refused(text, "a twelve-digit NDC (6-4-2, in use from 2033) cannot be cut to eleven digits"));
        }
        [6, 3, 2] | [6, 4, 1] => {
            return Err(refused(text, "a labeler of six digits has no eleven-digit form"));
        }
        [_] => {
            return Err(refused(text, &format!("it has {} digits; an NDC has 10 or 11, a product 9", clean.len())));
        }
        _ => {
            return Err(refused(
                text,
                "the segments fit no layout (4-4-2, 5-3-2, 5-4-1, 5-4-2, or a product 4-4, 5-3, 5-4)",
            ));
        }
    };
    read.ok_or_else(|| refused(text, "all digits are zero"))
}

fn ten_digits(text: &str, n: u64) -> Result<(NdcQuery, Option<NdcLayout>)> {
    let short_product = {
        let (labeler, rest) = (n / 100_000, n % 100_000);
        labeler * 1_000_000 + rest
    };
    let short_package = {
        let (head, package) = (n / 10, n % 10);
        head * 100 + package
    };
    let mut readings: Vec<Ndc11> = [n, short_product, short_package].into_iter().filter_map(Ndc11::new).collect();
    let mut seen = Vec::with_capacity(3);
    readings.retain(|ndc| {
        !seen.contains(ndc) && {
            seen.push(*ndc);
            true
        }
    });
    if readings.is_empty() {
        return Err(refused(text, "all digits are zero"));
    }
    Ok((NdcQuery::TenDigits(readings), None))
}
