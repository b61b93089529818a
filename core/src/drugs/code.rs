//! What a typed, pasted or scanned text means as codes: every reading, before any is looked up.
//!
//! | text | readings |
//! |---|---|
//! | NDC with hyphens, dots or blanks; eleven digits | that package or product |
//! | 1 to 6 digits | RxNorm |
//! | 7 or 8 digits | RxNorm; an NDC that lost its leading zeros, of eleven digits or of ten in three layouts; 8: a product without its hyphen (4-4, 5-3) |
//! | 9 digits | a product (5-4); an NDC that lost its leading zeros |
//! | 10 digits | an NDC without hyphens in three layouts, the first of which is also an NDC-11 that lost a zero |
//! | 12 to 14 digits, GS1 elements | the ten-digit NDC inside the barcode, in three layouts, if the check digit is right |
//!
//! A label in front (`NDC`, `RxCUI`, `UPC`, …) leaves the readings of its kind. What is nothing but
//! digits and cannot be a code is unreadable and says why; everything else is words.

use super::barcode::{self, Scanned, Symbol};
use crate::ids::ndc;
use crate::ids::spelling::{self, Segments};
use crate::ids::{Ndc11, NdcLayout, NdcQuery, ProductNdc, Rxcui, digits};
use crate::{Error, Result};

/// Words in front of an RxNorm code, longer ones first.
const RXNORM_LABELS: [&str; 9] = [
    "http://www.nlm.nih.gov/research/umls/rxnorm",
    "https://www.nlm.nih.gov/research/umls/rxnorm",
    "rxnorm rxcui",
    "rxnorm",
    "rx norm",
    "rxcuis",
    "rxcui",
    "rx cui",
    "rxn",
];

/// Further words in front of an NDC.
const NDC_SYSTEMS: [&str; 3] =
    ["http://hl7.org/fhir/sid/ndc", "https://hl7.org/fhir/sid/ndc", "urn:oid:2.16.840.1.113883.6.69"];

/// Words in front of the digits of a barcode, longer ones first.
const BARCODE_LABELS: [&str; 15] = [
    "upc-a", "upc a", "upca", "upc", "gtin-14", "gtin-13", "gtin-12", "gtin14", "gtin13", "gtin12", "gtin", "ean-13",
    "ean13", "ean", "barcode",
];

/// Fewest digits of which leading zeros may be lost: labelers begin at 00002, so an NDC-11 keeps seven.
const FEWEST_NDC_DIGITS: usize = 7;

/// Digits of a GTIN-14, the longest code without marks.
const LONGEST_BARCODE: usize = 14;

/// Fewest digits that blanks may group in any way.
const FEWEST_GROUPED_DIGITS: usize = 9;

/// Words of a text in which a code is looked for; a drug's full name has fewer.
const MOST_WORDS: usize = 24;

/// What a text means as codes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum CodeText {
    /// It is no code.
    Words,
    /// It looks like a code and cannot be one; why.
    Unreadable(Error),
    /// All readings, the likeliest first; never empty, no code twice.
    Codes(Vec<Reading>),
}

/// One way to read a text as a code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Reading {
    pub(super) code: Code,
    pub(super) how: How,
}

/// A code of one of three kinds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Code {
    Package(Ndc11),
    Product(ProductNdc),
    Rxnorm(Rxcui),
}

/// What had to be assumed to read a code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum How {
    /// Nothing: no other reading is possible.
    AsWritten,
    /// Bare digits are taken for a code of this kind.
    Bare,
    LeadingZeros,
    Hyphens,
    LeadingZerosAndHyphens,
    Inside(Symbol),
}

/// What a label says about the digits behind it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Label {
    None,
    Ndc,
    /// A label that says product.
    Product,
    Rxnorm,
    Barcode,
}

impl Reading {
    /// How the digits were read, for people: `NDC 00003-1234-50, leading zeros restored`. `None` where
    /// nothing had to be assumed.
    pub(super) fn words(&self) -> Option<String> {
        let how = match self.how {
            How::AsWritten => return None,
            How::Bare => return Some(self.code.words()),
            How::LeadingZeros => "leading zeros restored",
            How::Hyphens => "hyphens restored",
            How::LeadingZerosAndHyphens => "leading zeros and hyphens restored",
            How::Inside(symbol) => symbol.words(),
        };
        Some(format!("{}, {how}", self.code.words()))
    }
}

impl Code {
    /// Kind and code: `NDC 00003-1234-50`.
    pub(super) fn words(self) -> String {
        match self {
            Self::Package(ndc) => format!("NDC {}", ndc.hyphenated()),
            Self::Product(product) => format!("product NDC {product}"),
            Self::Rxnorm(code) => format!("RxNorm code {code}"),
        }
    }

    /// The code as it stands before a candidate's name, and as it may be typed: `00003-1234-50`.
    pub(super) fn typed(self) -> String {
        match self {
            Self::Package(ndc) => ndc.hyphenated(),
            Self::Product(product) => product.to_string(),
            Self::Rxnorm(code) => format!("RxNorm {code}"),
        }
    }
}

/// Reads a text as codes.
pub(super) fn read(text: &str) -> CodeText {
    if text.len() <= LONGEST_BARCODE && digits(text).is_some() {
        return bare_digits(text, text, Label::None).into();
    }
    if !text.contains(char::is_numeric) && !text.starts_with([']', 'r', 'R']) {
        return CodeText::Words;
    }
    let plain = spelling::plain(text);
    match barcode::scanned(&plain) {
        Scanned::Gtin(gtin) => barcode_readings(&gtin, Some(Symbol::Gs1)).into(),
        Scanned::Unreadable(why) => CodeText::Unreadable(Error::invalid(format!("barcode {:?}", shown(text)), why)),
        Scanned::Text(rest) => read_unscanned(text, spelling::bare(&rest)),
    }
}

fn read_unscanned(text: &str, bare: &str) -> CodeText {
    let (label, code) = label(bare);
    if is_rounded(code) {
        return CodeText::Unreadable(Error::invalid(
            format!("NDC {:?}", shown(text)),
            "a spreadsheet has rounded it, so digits are lost: format the column as text and paste the code again",
        ));
    }
    let code = without_number_format(code, label);
    let Some(segments) = Segments::of(&code) else {
        return match label {
            // Behind the code may stand a name.
            Label::Rxnorm if !(code.starts_with(|c: char| c.is_ascii_digit()) && code.contains(' ')) => {
                CodeText::Unreadable(no_rxnorm(&code))
            }
            _ => CodeText::Words,
        };
    };
    if let Some(printed) = printed_upc(&segments) {
        return printed.into();
    }
    let digits: usize = segments.lengths().iter().sum();
    let single = segments.runs.len() == 1 && !code.contains('*');
    let grouped = segments.by_blanks && !ndc::has_layout(&segments) && digits >= FEWEST_GROUPED_DIGITS;
    if single || grouped || label == Label::Barcode {
        return bare_digits(text, &segments.joined(), label).into();
    }
    if label == Label::Rxnorm {
        return CodeText::Unreadable(no_rxnorm(&code));
    }
    match ndc::parse_segments(text, &segments) {
        Ok((NdcQuery::Package(ndc), _)) => CodeText::Codes(vec![Code::Package(ndc).read_by(How::AsWritten)]),
        Ok((NdcQuery::Product(product), _)) => CodeText::Codes(vec![Code::Product(product).read_by(How::AsWritten)]),
        Ok((NdcQuery::TenDigits(_), _)) => {
            CodeText::Unreadable(ndc::refused(text, "with an asterisk for a zero it has eleven digits"))
        }
        Err(error) if segments.hyphen || digits >= FEWEST_NDC_DIGITS => CodeText::Unreadable(error),
        // `5/325`, `0.5`: more like a strength.
        Err(_) => CodeText::Words,
    }
}

/// Whether a text is a number or a range of few digits (`500`, `5-325`, `12.5`): while it is typed it
/// may be a strength as well.
pub(super) fn is_short_number(text: &str) -> bool {
    let digits = text.bytes().filter(u8::is_ascii_digit).count();
    digits < FEWEST_NDC_DIGITS - 2 && text.trim().bytes().all(|b| b.is_ascii_digit() || b == b'-' || b == b'.')
        || digits < FEWEST_NDC_DIGITS && text.trim().split_once('-').is_some_and(|(first, _)| first.len() < 4)
}

/// A code written out in full with words before or behind it, as a label or a candidate shows it:
/// `00006-0221-28 Januvia 25 mg tablet`. The code and the words.
pub(super) fn beside_words(text: &str) -> Option<(Code, String)> {
    let words: Vec<&str> = text.split_whitespace().take(MOST_WORDS).collect();
    let long = |word: &&str| word.chars().filter(|c| c.is_numeric()).count() >= 4;
    if !words.iter().any(long) {
        return None;
    }
    // The longest code counts: `0006 0221 28` is a package, `0006 0221` a product.
    let first = (1..words.len()).rev().filter_map(|at| words.split_at_checked(at));
    let last = (1..words.len()).filter_map(|at| words.split_at_checked(at)).map(|(name, code)| (code, name));
    first.chain(last).find_map(|(code, name)| {
        let name = name.join(" ");
        match read(&code.join(" ")) {
            CodeText::Codes(readings) if name.contains(char::is_alphabetic) => match readings.as_slice() {
                [Reading { code, how: How::AsWritten }] => Some((*code, name)),
                _ => None,
            },
            _ => None,
        }
    })
}

/// What is typed so far of an NDC: the range of eleven-digit numbers that begin like it. Five digits
/// or, with a hyphen, four are the fewest that tell anything.
pub(super) fn beginning(text: &str) -> Option<(u64, u64)> {
    let plain = spelling::plain(text);
    let (label, code) = label(plain.trim());
    let typed = code.bytes().all(|b| b.is_ascii_digit() || b == b'-');
    let digits = code.bytes().filter(u8::is_ascii_digit).count();
    if !typed || matches!(label, Label::Rxnorm | Label::Barcode) || digits < if code.contains('-') { 4 } else { 5 } {
        return None;
    }
    let mut segments = code.split('-');
    let labeler = segments.next()?;
    let number = match (segments.next(), segments.next(), segments.next()) {
        (None, ..) => labeler.to_owned(),
        (Some(product), None, _) if matches!(labeler.len(), 4 | 5) => format!("{labeler:0>5}{product}"),
        // Only the last segment can be unfinished; a short product in the middle is padded.
        (Some(product), Some(package), None) if matches!(labeler.len(), 4 | 5) => {
            format!("{labeler:0>5}{product:0>4}{package}")
        }
        _ => return None,
    };
    let open = 11_u32.checked_sub(u32::try_from(number.len()).ok()?)?;
    let from = number.parse::<u64>().ok()?.checked_mul(10_u64.pow(open))?;
    Some((from, from.checked_add(10_u64.pow(open))?))
}

impl Code {
    fn read_by(self, how: How) -> Reading {
        Reading { code: self, how }
    }
}

impl From<Result<Vec<Reading>>> for CodeText {
    fn from(readings: Result<Vec<Reading>>) -> Self {
        readings.map_or_else(Self::Unreadable, Self::Codes)
    }
}

/// The label in front and the code behind it.
fn label(text: &str) -> (Label, &str) {
    if let Some(code) = spelling::after_label(text, &RXNORM_LABELS) {
        return (Label::Rxnorm, code);
    }
    if let Some(code) = spelling::after_label(text, &NDC_SYSTEMS).or_else(|| spelling::after_label(text, &ndc::LABELS))
    {
        let front = text.get(..text.len().saturating_sub(code.len())).unwrap_or_default();
        let product = front.to_ascii_lowercase().contains("product");
        return (if product { Label::Product } else { Label::Ndc }, code);
    }
    if let Some(code) = spelling::after_label(text, &BARCODE_LABELS) {
        return (Label::Barcode, code);
    }
    printed_letter(text).unwrap_or((Label::None, text))
}

/// `N 3 0002-8215-01 7`, as labels print a UPC-A, and `N400002821501`, as claims write an NDC (X12's
/// qualifier N4).
fn printed_letter(text: &str) -> Option<(Label, &str)> {
    let rest = text.strip_prefix(['N', 'n'])?.trim_start_matches(' ');
    let digits = rest.bytes().filter(u8::is_ascii_digit).count();
    Segments::of(rest)?;
    match rest.split_at_checked(1)? {
        ("3", _) if digits == 12 => Some((Label::None, rest)),
        ("4", code) if digits == 12 => Some((Label::Ndc, code.trim_start())),
        _ => None,
    }
}

/// `1.23E+10`.
fn is_rounded(code: &str) -> bool {
    let Some((mantissa, power)) = code.split_once(['E', 'e']) else { return false };
    let power = power.strip_prefix(['+', '-']).unwrap_or(power);
    let (whole, fraction) = mantissa.split_once(['.', ',']).unwrap_or((mantissa, "0"));
    [whole, fraction, power].iter().all(|digits| !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit()))
}

/// Without a spreadsheet's separators of thousands and the decimal zero of a number.
fn without_number_format(code: &str, label: Label) -> String {
    let whole = [".00", ".0", ",0"].iter().find_map(|zero| code.strip_suffix(zero)).unwrap_or(code);
    let comma = if whole.contains(',') { ',' } else { ' ' };
    let plain: String = whole.chars().filter(|c| *c != comma).collect();
    let mut groups = whole.split(comma);
    let first = groups.next().unwrap_or_default();
    let grouped = matches!(first.len(), 1..=3) && groups.all(|group| group.len() == 3);
    let is_number = plain.bytes().all(|b| b.is_ascii_digit()) && (grouped || plain == whole);
    let long = plain.len() >= FEWEST_NDC_DIGITS || (plain.len() >= 5 && plain == whole) || label != Label::None;
    if is_number && long { plain } else { code.to_owned() }
}

/// A UPC-A as it is printed below the bars: `3 0002-8215-01 7`, `3 00028 21501 7`. Hyphens inside show
/// the layout.
fn printed_upc(segments: &Segments<'_>) -> Option<Result<Vec<Reading>>> {
    let joined = segments.joined();
    let [first, middle @ .., last] = segments.runs.as_slice() else { return None };
    if middle.is_empty() || last.len() != 1 || joined.len() != 12 || !joined.starts_with('3') {
        return None;
    }
    let lengths: Vec<usize> = std::iter::once(first.len() - 1)
        .chain(middle.iter().map(|run| run.len()))
        .filter(|length| *length > 0)
        .collect();
    let layout = match lengths.as_slice() {
        [4, 4, 2] => Some(NdcLayout::ShortLabeler),
        [5, 3, 2] => Some(NdcLayout::ShortProduct),
        [5, 4, 1] => Some(NdcLayout::ShortPackage),
        _ => None,
    };
    Some(barcode::ndc_of(&joined).map(|ten| ten_digits(ten, layout, |_| How::Inside(Symbol::UpcA))))
}

/// The readings of digits that nothing separates.
fn bare_digits(text: &str, code: &str, label: Label) -> Result<Vec<Reading>> {
    let refused = |why: &str| Err(ndc::refused(text, why));
    let length = code.len();
    let Some(number) = digits(code) else {
        return refused(&format!("it has {length} digits; an NDC has 10 or 11, a product 9"));
    };
    match label {
        Label::Rxnorm => {
            let code: Rxcui = code.parse()?;
            return Ok(vec![Code::Rxnorm(code).read_by(How::AsWritten)]);
        }
        Label::Barcode => return barcode_readings(code, None),
        Label::None | Label::Ndc | Label::Product => {}
    }
    if number == 0 {
        return if length < FEWEST_NDC_DIGITS { Err(no_rxnorm(code)) } else { refused("all digits are zero") };
    }
    let mut readings: Vec<Reading> = Vec::new();
    if label == Label::None && length <= 8 {
        readings.extend(code.parse().ok().map(|code| Code::Rxnorm(code).read_by(How::Bare)));
    }
    let product = |number: u64| u32::try_from(number).ok().and_then(ProductNdc::new).map(Code::Product);
    let lost_zeros = |layout| match layout {
        // Without hyphens 4-4-2 is what eleven digits are without their first zero.
        NdcLayout::ShortLabeler => How::LeadingZeros,
        _ => How::LeadingZerosAndHyphens,
    };
    match length {
        1..FEWEST_NDC_DIGITS if label == Label::None => {}
        7 => readings.extend(ten_digits(number, None, lost_zeros)),
        8 => {
            readings.extend(ten_digits(number, None, lost_zeros));
            let short_product = number / 1_000 * 10_000 + number % 1_000;
            readings.extend(product(number).map(|code| code.read_by(How::Hyphens)));
            if short_product != number {
                readings.extend(product(short_product).map(|code| code.read_by(How::Hyphens)));
            }
        }
        9 => {
            readings.extend(product(number).map(|code| code.read_by(How::Bare)));
            readings.extend(ten_digits(number, None, lost_zeros));
        }
        10 => readings.extend(ten_digits(number, None, |_| How::Hyphens)),
        11 => readings.extend(Ndc11::new(number).map(|ndc| Code::Package(ndc).read_by(How::AsWritten))),
        12..=14 => return barcode_readings(code, None),
        _ => return refused(&format!("it has {length} digits; an NDC has 10 or 11, a product 9")),
    }
    if label == Label::Product && readings.iter().any(|reading| matches!(reading.code, Code::Product(_))) {
        readings.retain(|reading| matches!(reading.code, Code::Product(_)));
    }
    Ok(readings)
}

/// The packages that ten digits mean, in every layout or in the one that is known.
fn ten_digits(number: u64, known: Option<NdcLayout>, how: impl Fn(NdcLayout) -> How) -> Vec<Reading> {
    let mut readings: Vec<Reading> = Vec::with_capacity(3);
    for (ndc, layout) in ndc::ten_digits(number).filter(|(_, layout)| known.is_none_or(|known| known == *layout)) {
        let code = Code::Package(ndc);
        if !readings.iter().any(|other| other.code == code) {
            readings.push(code.read_by(how(layout)));
        }
    }
    readings
}

fn barcode_readings(code: &str, symbol: Option<Symbol>) -> Result<Vec<Reading>> {
    let symbol = symbol.unwrap_or(match code.len() {
        12 => Symbol::UpcA,
        13 => Symbol::Ean13,
        _ => Symbol::Gtin14,
    });
    let readings = ten_digits(barcode::ndc_of(code)?, None, |_| How::Inside(symbol));
    if readings.is_empty() {
        return Err(Error::invalid(format!("barcode {code:?}"), "all digits of its NDC are zero"));
    }
    Ok(readings)
}

fn no_rxnorm(code: &str) -> Error {
    Error::invalid(format!("RxNorm code {:?}", shown(code)), "an RxNorm code is one to eight digits, not all zero")
}

/// The beginning of a text, for messages.
fn shown(text: &str) -> String {
    text.trim().chars().filter(|c| !c.is_control()).take(40).collect()
}

#[cfg(test)]
mod tests;
