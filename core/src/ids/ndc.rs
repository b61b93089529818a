//! National Drug Codes.
//!
//! A package NDC has ten digits in one of three layouts (labeler-product-package 4-4-2, 5-3-2,
//! 5-4-1) and an eleven-digit normal form 5-4-2 made by padding the short segment (HIPAA, 45 CFR
//! 162.1002). A product NDC is its first two segments. Without hyphens ten digits have three
//! readings, and none is better than another. The uniform twelve-digit 6-4-2 form (FDA final rule
//! of March 2026, in effect from March 2033) cannot be cut to eleven and is refused.

use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;

use super::digits;
use super::spelling::{self, Segments};
use crate::{Error, Result};

/// A package NDC in its eleven-digit form (5-4-2).
///
/// ```
/// use coverdex_core::Ndc11;
///
/// let ndc: Ndc11 = "99001-120-30".parse()?; // 5-3-2, as on the box
/// assert_eq!((ndc.to_string().as_str(), ndc.hyphenated().as_str()), ("99001012030", "99001-0120-30"));
/// assert!("9900112030".parse::<Ndc11>().is_err()); // ten digits without hyphens have three readings
/// # Ok::<(), coverdex_core::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Ndc11(u64);

/// A product NDC in its nine-digit form (labeler 5, product 4).
///
/// ```
/// use coverdex_core::ProductNdc;
///
/// let product: ProductNdc = "99001-120".parse()?;
/// assert_eq!(product.to_string(), "99001-0120");
/// # Ok::<(), coverdex_core::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ProductNdc(u32);

/// Which segment of the ten-digit form is the short one.
#[allow(clippy::enum_variant_names, reason = "each says which segment is short")]
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

    /// With hyphens, 5-4-2: `00006-0221-28`.
    #[must_use]
    pub fn hyphenated(self) -> String {
        format!("{}-{:02}", self.product(), self.0 % 100)
    }

    /// Eleven digits as they are, or a hyphenated spelling (4-4-2, 5-3-2, 5-4-1, 5-4-2); with the
    /// layout where the hyphens show it. Ten bare digits are refused here: they have three readings.
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
    /// digits, ten bare digits; an asterisk in place of the padding zero is read as that zero. Blanks,
    /// dots and every kind of hyphen separate; `NDC#` may stand in front, digits may be full-width.
    fn from_str(text: &str) -> Result<Self> {
        parse(text).map(|(query, _)| query)
    }
}

/// Words in front of an NDC, longer ones first.
pub(crate) const LABELS: [&str; 17] = [
    "product ndc",
    "package ndc",
    "ndc product",
    "ndc package",
    "ndc-11",
    "ndc 11",
    "ndc11",
    "ndc-10",
    "ndc 10",
    "ndc10",
    "ndc-9",
    "ndc 9",
    "ndc9",
    "n.d.c.",
    "n.d.c",
    "ndcs",
    "ndc",
];

fn parse(text: &str) -> Result<(NdcQuery, Option<NdcLayout>)> {
    // Eleven digits, what scanners and payers send, need no taking apart.
    if text.len() == 11
        && let Some(ndc) = digits(text).and_then(Ndc11::new)
    {
        return Ok((NdcQuery::Package(ndc), None));
    }
    let plain = spelling::plain(text);
    let bare = spelling::bare(&plain);
    let code = spelling::after_label(bare, &LABELS).unwrap_or(bare);
    let segments = Segments::of(code).ok_or_else(|| refused(text, "an NDC has only digits and hyphens"))?;
    if segments.by_blanks && !has_layout(&segments) {
        // Blanks that show no layout group digits only: `00006 022128`.
        let joined = segments.joined();
        return parse_segments(text, &Segments { runs: vec![&joined], by_blanks: false, hyphen: false });
    }
    parse_segments(text, &segments)
}

/// Lengths of the segments of packages, and of products.
const LAYOUTS: [&[usize]; 7] = [&[4, 4, 2], &[5, 3, 2], &[5, 4, 1], &[5, 4, 2], &[4, 4], &[5, 3], &[5, 4]];

/// Whether the lengths of the segments are those of a package or a product.
pub(crate) fn has_layout(segments: &Segments<'_>) -> bool {
    LAYOUTS.contains(&segments.lengths().as_slice())
}

/// Digits taken apart; `text` is what an error shows.
pub(crate) fn parse_segments(text: &str, segments: &Segments<'_>) -> Result<(NdcQuery, Option<NdcLayout>)> {
    let runs = filled(text, segments)?;
    let number = |index: usize| runs.get(index).and_then(|run| digits(run)).unwrap_or(0);
    let product = |layout| {
        let n = number(0) * 10_000 + number(1);
        u32::try_from(n).ok().and_then(ProductNdc::new).map(|p| (NdcQuery::Product(p), layout))
    };
    let package = |layout| {
        let n = (number(0) * 10_000 + number(1)) * 100 + number(2);
        Ndc11::new(n).map(|p| (NdcQuery::Package(p), layout))
    };
    let lengths = segments.lengths();
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
        [10] => {
            let mut readings: Vec<Ndc11> = Vec::with_capacity(3);
            for (ndc, _) in ten_digits(number(0)) {
                if !readings.contains(&ndc) {
                    readings.push(ndc);
                }
            }
            (!readings.is_empty()).then_some((NdcQuery::TenDigits(readings), None))
        }
        [12] | [6, 4, 2] => {
            return Err(refused(text, "a twelve-digit NDC (6-4-2, in use from 2033) cannot be cut to eleven digits"));
        }
        [6, 3, 2] | [6, 4, 1] => {
            return Err(refused(text, "a labeler of six digits has no eleven-digit form"));
        }
        [length] => {
            return Err(refused(text, &format!("it has {length} digits; an NDC has 10 or 11, a product 9")));
        }
        _ => return Err(refused_layout(text)),
    };
    read.ok_or_else(|| refused(text, "all digits are zero"))
}

/// The runs with a zero for an asterisk; more than one asterisk is no code.
fn filled<'a>(text: &str, segments: &Segments<'a>) -> Result<Vec<Cow<'a, str>>> {
    match segments.runs.iter().map(|run| run.matches('*').count()).sum() {
        0 => Ok(segments.runs.iter().map(|run| Cow::Borrowed(*run)).collect()),
        1 => Ok(segments.runs.iter().map(|run| Cow::Owned(run.replace('*', "0"))).collect()),
        _ => Err(refused(text, "one asterisk may stand for the zero that fills a short segment, not several")),
    }
}

pub(crate) fn refused(text: &str, why: &str) -> Error {
    let shown: String = text.trim().chars().filter(|c| !c.is_control()).take(40).collect();
    Error::invalid(format!("NDC {shown:?}"), why).with_hint("write it as 0006-0221-28 or 00006022128")
}

fn refused_layout(text: &str) -> Error {
    refused(text, "the segments fit no layout (4-4-2, 5-3-2, 5-4-1, 5-4-2, or a product 4-4, 5-3, 5-4)")
}

/// The packages that ten digits mean where the hyphens are missing, one for each layout.
pub(crate) fn ten_digits(n: u64) -> impl Iterator<Item = (Ndc11, NdcLayout)> {
    let short_product = n / 100_000 * 1_000_000 + n % 100_000;
    let short_package = n / 10 * 100 + n % 10;
    [(n, NdcLayout::ShortLabeler), (short_product, NdcLayout::ShortProduct), (short_package, NdcLayout::ShortPackage)]
        .into_iter()
        .filter_map(|(number, layout)| Some((Ndc11::new(number)?, layout)))
}
