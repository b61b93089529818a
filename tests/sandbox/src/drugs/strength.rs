//! Strengths as numbers: an amount with its unit, and what it is per.

use std::cmp::Ordering;
use std::fmt;

/// A decimal number, exact, without zeros at its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Decimal {
    digits: u64,
    scale: u32,
}

impl Decimal {
    /// One.
    pub const ONE: Self = Self { digits: 1, scale: 0 };

    /// Reads `0.05`, `.5`, `1,000` or `2.50`, as far as fifteen digits.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let (mut digits, mut scale, mut fraction, mut any) = (0_u64, 0, false, false);
        for c in text.chars() {
            match c {
                '.' if !fraction => fraction = true,
                ',' if any && !fraction => {}
                _ => {
                    digits = digits.checked_mul(10)?.checked_add(u64::from(c.to_digit(10)?))?;
                    scale += u32::from(fraction);
                    any = true;
                }
            }
        }
        (any && digits < 1_000_000_000_000_000 && scale < 12).then_some(Self { digits, scale }.trimmed())
    }

    /// The same value without zeros at its end.
    const fn trimmed(mut self) -> Self {
        while self.scale > 0 && self.digits.is_multiple_of(10) {
            self.digits /= 10;
            self.scale -= 1;
        }
        self
    }

    /// Times ten to the power of `places`; `None` where that leaves the digits.
    #[must_use]
    pub fn shifted(self, places: i32) -> Option<Self> {
        let up = u32::try_from(places).unwrap_or(0);
        let down = u32::try_from(-places).unwrap_or(0);
        let scale = self.scale + down;
        let digits = self.digits.checked_mul(10_u64.checked_pow(up.saturating_sub(scale))?)?;
        Some(Self { digits, scale: scale.saturating_sub(up) }.trimmed())
    }

    /// This divided by another, if that is a number of at most six places.
    #[must_use]
    pub fn divided_by(self, other: Self) -> Option<Self> {
        let (num, den) = (u128::from(self.digits), u128::from(other.digits));
        let num = num.checked_mul(10_u128.checked_pow(other.scale + 6)?)?;
        let den = den.checked_mul(10_u128.checked_pow(self.scale)?)?;
        (den > 0 && num.is_multiple_of(den))
            .then(|| Some(Self { digits: u64::try_from(num / den).ok()?, scale: 6 }.trimmed()))
            .flatten()
    }

    /// As a fraction.
    fn ratio(self) -> (u128, u128) {
        (self.digits.into(), 10_u128.pow(self.scale))
    }
}

impl Ord for Decimal {
    fn cmp(&self, other: &Self) -> Ordering {
        let (a, of_a) = self.ratio();
        let (b, of_b) = other.ratio();
        (a * of_b).cmp(&(b * of_a))
    }
}

impl PartialOrd for Decimal {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl fmt::Display for Decimal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let one = 10_u64.pow(self.scale);
        if self.scale == 0 {
            return write!(f, "{}", self.digits);
        }
        write!(f, "{}.{:0width$}", self.digits / one, self.digits % one, width = self.scale as usize)
    }
}

/// What is measured, in the units that labels use.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Dimension {
    /// Weight; in nanograms.
    Mass,
    /// Volume; in nanoliters.
    Volume,
    /// Time; in hours.
    Time,
    /// International or USP units.
    Units,
    /// Anything else, in the unit of this name (`mEq`, `mCi`).
    Other(String),
}

/// How many of its dimension's smallest a unit is.
fn measure(unit: &str) -> (Dimension, u128) {
    match unit {
        "kg" => (Dimension::Mass, 1_000_000_000_000),
        "g" => (Dimension::Mass, 1_000_000_000),
        "mg" => (Dimension::Mass, 1_000_000),
        "mcg" | "ug" => (Dimension::Mass, 1_000),
        "ng" => (Dimension::Mass, 1),
        "L" => (Dimension::Volume, 1_000_000_000),
        "mL" => (Dimension::Volume, 1_000_000),
        "uL" => (Dimension::Volume, 1_000),
        "nL" => (Dimension::Volume, 1),
        "h" | "hr" => (Dimension::Time, 1),
        "d" => (Dimension::Time, 24),
        "unit" | "U" | "[USP'U]" | "[iU]" => (Dimension::Units, 1),
        "Ci" => (Dimension::Other("uCi".to_owned()), 1_000_000),
        "mCi" => (Dimension::Other("uCi".to_owned()), 1_000),
        other => (Dimension::Other(other.to_owned()), 1),
    }
}

/// `5 mg`, `250 mg/5mL`, `21 mg/24h`, `100 unit/mL`.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Strength {
    /// How much.
    pub amount: Decimal,
    /// Of which unit; empty where the directory states none.
    pub unit: String,
    /// In how much of what: 5 and `mL` of `250 mg/5mL`.
    pub per: Option<(Decimal, String)>,
}

/// What a strength is worth, whatever its unit: equal for 50 mcg and 0.05 mg, for 250 mg/5 mL and
/// 50 mg/mL.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Worth {
    of: Dimension,
    per: Option<Dimension>,
    numerator: u128,
    denominator: u128,
}

impl fmt::Display for Worth {
    /// `50000000/1 Mass`: in the smallest units.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{} {:?}", self.numerator, self.denominator, self.of)?;
        self.per.as_ref().map_or(Ok(()), |per| write!(f, "/{per:?}"))
    }
}

impl Worth {
    /// Whether both are the same part of a hundred, of a weight or of a volume: a text in percent does
    /// not tell which.
    #[must_use]
    pub fn is_same_percentage(&self, other: &Self) -> bool {
        // In milligrams of a gram or milliliter, times a million.
        let share = |worth: &Self| match (&worth.of, &worth.per) {
            (Dimension::Mass, Some(Dimension::Mass)) => Some((worth.numerator * 1_000, worth.denominator)),
            (Dimension::Mass, Some(Dimension::Volume)) => Some((worth.numerator, worth.denominator)),
            _ => None,
        };
        match (share(self), share(other)) {
            (Some((a, of_a)), Some((b, of_b))) => a * of_b == b * of_a,
            _ => self == other,
        }
    }
}

impl Strength {
    /// Reads a strength as data/make.py writes it.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let (amount, unit) = text.trim().split_once(' ').unwrap_or((text.trim(), ""));
        let amount = Decimal::parse(amount)?;
        let Some((unit, per)) = unit.split_once('/') else {
            return Some(Self { amount, unit: unit.to_owned(), per: None });
        };
        let from = per.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(per.len());
        let (number, of) = per.split_at_checked(from)?;
        let number = if number.is_empty() { Decimal::ONE } else { Decimal::parse(number)? };
        // `20 mg/201` says nothing that can be read.
        let of = Some(of.trim()).filter(|of| !of.is_empty())?;
        if number == amount && of == unit {
            // `667 mg/667mg` of a capsule is 667 mg.
            return Some(Self { amount, unit: unit.to_owned(), per: None });
        }
        Some(Self { amount, unit: unit.to_owned(), per: Some((number, of.to_owned())) })
    }

    /// What it is worth.
    #[must_use]
    pub fn worth(&self) -> Worth {
        let (of, smallest) = measure(&self.unit);
        let (amount, scale) = self.amount.ratio();
        let (mut numerator, mut denominator) = (amount * smallest, scale);
        let per = self.per.as_ref().map(|(number, unit)| {
            let (per, smallest) = measure(unit);
            let (number, scale) = number.ratio();
            numerator *= scale;
            denominator *= number * smallest;
            per
        });
        let divisor = greatest_common(numerator, denominator).max(1);
        Worth { of, per, numerator: numerator / divisor, denominator: denominator / divisor }
    }

    /// As a part of a hundred, where it is weight in weight, or weight in volume: 0.05 for 0.5 mg/g.
    #[must_use]
    pub fn percent(&self) -> Option<Decimal> {
        let (number, per) = self.per.as_ref()?;
        let grams = |amount: Decimal, unit: &str| match unit {
            "g" | "mL" => Some(amount),
            "mg" => amount.shifted(-3),
            "mcg" => amount.shifted(-6),
            "L" => amount.shifted(3),
            _ => None,
        };
        if self.unit == "mL" {
            return None;
        }
        grams(self.amount, &self.unit)?.divided_by(grams(*number, per)?)?.shifted(2)
    }

    /// The same in a unit a thousand times smaller or larger.
    #[must_use]
    pub fn rescaled(&self, smaller: bool) -> Option<Self> {
        const UNITS: [&str; 3] = ["g", "mg", "mcg"];
        let at = UNITS.iter().position(|unit| *unit == self.unit)?;
        let (at, places) = if smaller { (at + 1, 3) } else { (at.checked_sub(1)?, -3) };
        let unit = (*UNITS.get(at)?).to_owned();
        Some(Self { amount: self.amount.shifted(places)?, unit, per: self.per.clone() })
    }
}

fn greatest_common(a: u128, b: u128) -> u128 {
    if b == 0 { a } else { greatest_common(b, a % b) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn worth(text: &str) -> Worth {
        Strength::parse(text).unwrap().worth()
    }

    #[test]
    fn numbers_are_exact() {
        for (text, shown) in [("0.05", "0.05"), (".5", "0.5"), ("2.50", "2.5"), ("1,000", "1000"), ("100", "100")] {
            assert_eq!(Decimal::parse(text).unwrap().to_string(), shown);
        }
        assert_eq!(Decimal::parse("1e5"), None);
        assert_eq!(Decimal::parse(""), None);
        assert_eq!(Strength::parse("20 mg/201"), None);
        let number = |text: &str| Decimal::parse(text).unwrap();
        assert_eq!(number("0.05").shifted(3), Some(number("50")));
        assert_eq!(number("1500").shifted(-3), Some(number("1.5")));
        assert_eq!(number("0.75").divided_by(number("0.5")), Some(number("1.5")));
        assert_eq!(number("1").divided_by(number("3")), None);
        assert_eq!(number("1").divided_by(number("0")), None);
    }

    #[test]
    fn worth_does_not_depend_on_the_unit() {
        for (a, b) in [
            ("0.05 mg", "50 mcg"),
            ("1 g", "1000 mg"),
            ("250 mg/5mL", "50 mg/mL"),
            ("0.9 g/100mL", "9 mg/mL"),
            ("0.5 mg/g", "0.05 g/100g"),
            ("21 mg/24h", "21 mg/d"),
            (".75 mg/.5mL", "1.5 mg/mL"),
            ("100 unit/mL", "1000 [USP'U]/10mL"),
        ] {
            assert_eq!(worth(a), worth(b), "{a} {b}");
        }
        for (a, b) in [
            ("5 mg", "5 mg/mL"),
            ("5 mg/g", "5 mg/mL"),
            ("50 mg", "50 mcg"),
            ("10 mEq", "10 mg"),
            ("25 mcg/h", "25 mcg"),
            ("100 unit", "100 mg"),
        ] {
            assert_ne!(worth(a), worth(b), "{a} {b}");
        }
    }

    #[test]
    fn other_units_of_one_strength() {
        let strength = |text: &str| Strength::parse(text).unwrap();
        let percent = |text: &str| strength(text).percent().map(|p| p.to_string());
        assert_eq!(percent("0.5 mg/g").as_deref(), Some("0.05"));
        assert_eq!(percent("9 mg/mL").as_deref(), Some("0.9"));
        assert_eq!(percent("2.5 g/100g").as_deref(), Some("2.5"));
        assert_eq!(percent("5 mg"), None);
        assert_eq!(percent("0.7 mL/mL"), None);
        assert_eq!(strength("0.05 mg").rescaled(true), Some(strength("50 mcg")));
        assert_eq!(strength("1000 mg").rescaled(false), Some(strength("1 g")));
        assert_eq!(strength("5 mEq").rescaled(true), None);
        for text in ["0.05 mg", "1000 mg", "0.25 mg/5mL"] {
            assert_eq!(strength(text).rescaled(true).unwrap().worth(), worth(text));
        }
    }
}
