//! Strengths: an amount, its unit, and what it is per, as values that compare whatever their spelling.

use std::fmt;

/// A number of a drug text, exact: 0.0125, 1/3.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Fraction {
    numerator: u64,
    denominator: u64,
}

impl Fraction {
    pub(crate) const ONE: Self = Self { numerator: 1, denominator: 1 };

    pub(crate) fn new(numerator: u128, denominator: u128) -> Option<Self> {
        let divisor = greatest_common_divisor(numerator, denominator).max(1);
        let numerator = u64::try_from(numerator / divisor).ok()?;
        let denominator = u64::try_from(denominator / divisor).ok().filter(|d| *d > 0)?;
        Some(Self { numerator, denominator })
    }

    pub(crate) fn whole(number: u64) -> Self {
        Self { numerator: number, denominator: 1 }
    }

    /// A folded number: digits with at most one point.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        if let Some((numerator, denominator)) = text.split_once('|') {
            return Self::new(numerator.parse().ok()?, denominator.parse().ok()?);
        }
        let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
        if whole.len() + fraction.len() > 18 || fraction.len() > 12 {
            return None;
        }
        let digits: u128 = format!("{whole}{fraction}").parse().ok()?;
        Self::new(digits, 10_u128.pow(u32::try_from(fraction.len()).ok()?))
    }

    pub(crate) fn times(self, other: Self) -> Option<Self> {
        let numerator = u128::from(self.numerator) * u128::from(other.numerator);
        Self::new(numerator, u128::from(self.denominator) * u128::from(other.denominator))
    }

    pub(crate) fn over(self, other: Self) -> Option<Self> {
        let numerator = u128::from(self.numerator) * u128::from(other.denominator);
        Self::new(numerator, u128::from(self.denominator) * u128::from(other.numerator))
    }

    fn is_less(self, other: Self) -> bool {
        u128::from(self.numerator) * u128::from(other.denominator)
            < u128::from(other.numerator) * u128::from(self.denominator)
    }

    /// In millionths, rounded down, for sorting.
    #[cfg(feature = "build")]
    pub(crate) fn millionths(self) -> u64 {
        let millionths = u128::from(self.numerator) * 1_000_000 / u128::from(self.denominator);
        u64::try_from(millionths).unwrap_or(u64::MAX)
    }
}

fn greatest_common_divisor(mut a: u128, mut b: u128) -> u128 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

impl fmt::Display for Fraction {
    /// The shortest decimal, or `numerator|denominator` where none is exact.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut rest = self.denominator;
        let mut places = 0_u32;
        while rest.is_multiple_of(10) {
            rest /= 10;
            places += 1;
        }
        while rest.is_multiple_of(5) || rest.is_multiple_of(2) {
            rest /= if rest.is_multiple_of(5) { 5 } else { 2 };
            places += 1;
        }
        if rest != 1 || places > 18 {
            return write!(f, "{}|{}", self.numerator, self.denominator);
        }
        let scale = 10_u128.pow(places);
        let scaled = u128::from(self.numerator) * scale / u128::from(self.denominator);
        let (whole, fraction) = (scaled / scale, scaled % scale);
        if fraction == 0 {
            return write!(f, "{whole}");
        }
        let fraction = format!("{fraction:0width$}", width = places as usize);
        write!(f, "{whole}.{}", fraction.trim_end_matches('0'))
    }
}

/// The strength of one ingredient: an amount of a unit, alone or per something.
///
/// Masses are in milligrams. A concentration is an amount in one milliliter or gram, whatever volume
/// the text names: `250 mg/5 mL` is `50 mg/mL`, and `0.05 %` is 0.5 mg in a gram or milliliter. A volume
/// that is no customary denominator is what the container holds, and stays: `40 mg/0.4 mL` is
/// 100 mg/mL in 0.4 mL.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Strength {
    pub(crate) amount: Fraction,
    /// `mg` for all masses; `None`: not said.
    pub(crate) unit: Option<String>,
    /// `ml`, `g`, `hr`, `actuation`, …; `%` where a percentage leaves open whether of a gram or a
    /// milliliter.
    pub(crate) per: Option<String>,
    /// What the container holds, in the unit of `per`.
    pub(crate) quantity: Option<Fraction>,
}

/// How a strength that is asked for fits one that is stated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum StrengthFit {
    /// Another strength.
    No,
    /// The same number of another kind: an amount beside a concentration. It may be offered.
    MayBe,
    /// The same.
    Same,
}

/// Units that a number may have in a strength, folded. Units of mass have their factor in milligrams.
pub(crate) fn unit(word: &str) -> Option<(&'static str, Fraction)> {
    const THOUSANDTH: Fraction = Fraction { numerator: 1, denominator: 1_000 };
    const MILLIONTH: Fraction = Fraction { numerator: 1, denominator: 1_000_000 };
    const THOUSAND: Fraction = Fraction { numerator: 1_000, denominator: 1 };
    const MILLION: Fraction = Fraction { numerator: 1_000_000, denominator: 1 };
    let plain = |name| Some((name, Fraction::ONE));
    match word {
        "mg" => plain("mg"),
        "mcg" => Some(("mg", THOUSANDTH)),
        "ng" => Some(("mg", MILLIONTH)),
        "g" => Some(("mg", THOUSAND)),
        "kg" => Some(("mg", MILLION)),
        "unit" | "uspu" | "u" | "un" | "usp" => plain("unit"),
        "mu" => Some(("unit", MILLION)),
        "ml" => plain("ml"),
        "l" => Some(("ml", THOUSAND)),
        "meq" => plain("meq"),
        "mmol" => plain("mmol"),
        "mol" => Some(("mmol", THOUSAND)),
        "nmol" => plain("nmol"),
        "%" => plain("%"),
        "mci" => plain("mci"),
        "uci" => Some(("mci", THOUSANDTH)),
        "ci" => Some(("mci", THOUSAND)),
        "bq" => plain("bq"),
        "kbq" => Some(("bq", THOUSAND)),
        "mbq" => Some(("bq", MILLION)),
        "gbq" => plain("gbq"),
        "ppm" => plain("ppm"),
        "cfu" => plain("cfu"),
        "pfu" => plain("pfu"),
        "vg" => plain("vg"),
        "cells" => plain("cells"),
        "au" => plain("au"),
        "bau" => plain("bau"),
        "pnu" => plain("pnu"),
        "amb" => plain("amb"),
        "arbu" => plain("arbu"),
        "mosm" => plain("mosm"),
        "kallikrein" => plain("kallikrein"),
        "sq" => plain("sq"),
        "lf" => plain("lf"),
        "ld" => plain("ld"),
        "fcc" => plain("fcc"),
        "tcid" => plain("tcid"),
        "hpx" => plain("hpx"),
        "hpc" => plain("hpc"),
        "hpm" => plain("hpm"),
        "hpq" => plain("hpq"),
        "kpc" => plain("kpc"),
        "actuat" => plain("actuation"),
        _ => None,
    }
}

/// What an amount may be per, folded, with its factor in the unit that stands for it.
pub(crate) fn per(word: &str) -> Option<(&'static str, Fraction)> {
    let plain = |name| Some((name, Fraction::ONE));
    match word {
        "ml" => plain("ml"),
        "l" => Some(("ml", Fraction::whole(1_000))),
        "ul" | "mcl" => Some(("ml", MILLIGRAM)),
        "g" => plain("g"),
        "kg" => Some(("g", Fraction::whole(1_000))),
        "mg" => Fraction::new(1, 1_000).map(|f| ("g", f)),
        "hr" | "h" => plain("hr"),
        "day" | "d" => Some(("hr", Fraction::whole(24))),
        "actuation" | "actuat" | "act" | "actuations" | "inhalation" | "puff" | "spray" => plain("actuation"),
        "dose" | "doses" | "blister" => plain("dose"),
        "cm" => plain("cm"),
        "vial" => plain("vial"),
        "drop" => plain("drop"),
        _ => None,
    }
}

/// A thousandth: a milligram in grams.
const MILLIGRAM: Fraction = Fraction { numerator: 1, denominator: 1_000 };

/// Volumes and masses that a concentration is customarily stated in.
fn is_customary(per: &str, of: Fraction) -> bool {
    let is = |number| of == Fraction::whole(number);
    match per {
        "ml" => is(1) || is(5) || is(100) || is(1_000),
        "g" => is(1) || is(100) || is(1_000) || of.times(Fraction::whole(10)) == Some(Fraction::ONE) || of == MILLIGRAM,
        _ => true,
    }
}

impl Strength {
    /// `number` of a folded unit; `None` for a number that is too long.
    pub(crate) fn amount(number: Fraction, unit_word: Option<&str>) -> Option<Self> {
        let Some(word) = unit_word else {
            return Some(Self { amount: number, unit: None, per: None, quantity: None });
        };
        let (name, factor) = unit(word)?;
        if name == "%" {
            let amount = number.times(Fraction::whole(10))?;
            return Some(Self { amount, unit: Some("mg".to_owned()), per: Some("%".to_owned()), quantity: None });
        }
        Some(Self { amount: number.times(factor)?, unit: Some(name.to_owned()), per: None, quantity: None })
    }

    /// The same amount per `of` of a folded unit.
    pub(crate) fn per(&self, of: Fraction, per_word: &str) -> Option<Self> {
        let (name, factor) = per(per_word)?;
        let of = of.times(factor)?;
        let quantity = (!is_customary(name, of)).then_some(of);
        Some(Self { amount: self.amount.over(of)?, per: Some(name.to_owned()), quantity, unit: self.unit.clone() })
    }

    /// Amount, unit, per and quantity in one text, for keys: `50mg/ml`, `100mg/ml*0.4`.
    pub(crate) fn key(&self) -> String {
        let mut key = self.amount.to_string();
        key.push_str(self.unit.as_deref().unwrap_or_default());
        if let Some(per) = &self.per {
            key.push('/');
            key.push_str(per);
        }
        if let Some(quantity) = self.quantity {
            key.push_str(&format!("*{quantity}"));
        }
        key
    }

    /// What [`key`](Self::key) wrote.
    pub(crate) fn from_key(key: &str) -> Option<Self> {
        let (key, quantity) = match key.split_once('*') {
            Some((key, quantity)) => (key, Some(Fraction::parse(quantity)?)),
            None => (key, None),
        };
        let (amount, per) = match key.split_once('/') {
            Some((amount, per)) => (amount, Some(per.to_owned())),
            None => (key, None),
        };
        let unit_at = amount.find(|c: char| !c.is_ascii_digit() && c != '.' && c != '|').unwrap_or(amount.len());
        let (number, unit) = amount.split_at_checked(unit_at)?;
        let unit = (!unit.is_empty()).then(|| unit.to_owned());
        Some(Self { amount: Fraction::parse(number)?, unit, per, quantity })
    }

    /// How a strength that is asked for fits this one. `is_insulin`: a bare number of units means units
    /// a milliliter.
    pub(crate) fn fits(&self, asked: &Self, is_insulin: bool) -> StrengthFit {
        use StrengthFit::{MayBe, No, Same};
        match (&asked.per, &self.per) {
            (None, None) => self.fits_amount(asked),
            (None, Some(per)) => {
                let insulin = is_insulin && per == "ml" && self.unit.as_deref() == Some("unit");
                let units = asked.unit.as_deref().is_none_or(|unit| unit == "unit");
                if insulin && units && asked.amount == self.amount {
                    return Same;
                }
                self.fits_numerator(asked, per)
            }
            (Some(_), None) => {
                if asked.amount == self.amount {
                    MayBe
                } else {
                    No
                }
            }
            (Some(asked_per), Some(per)) => {
                let open = |a: &str, b: &str| a == "%" && matches!(b, "ml" | "g");
                let same_per = asked_per == per || open(asked_per, per) || open(per, asked_per);
                if asked.amount != self.amount || !units_agree(asked.unit.as_deref(), self.unit.as_deref()) {
                    return No;
                }
                // What is said to be 15 % may be 15 g of 100 g or of 100 mL.
                let leaves_open = per == "%" && asked_per != "%";
                match (asked.quantity, self.quantity) {
                    _ if !same_per || leaves_open => MayBe,
                    (Some(a), Some(b)) if a != b => No,
                    (Some(_), None) => MayBe,
                    _ => Same,
                }
            }
        }
    }

    fn fits_amount(&self, asked: &Self) -> StrengthFit {
        let same = match (asked.unit.as_deref(), self.unit.as_deref()) {
            (None, Some("mg")) => {
                let micrograms = self.amount.times(Fraction::whole(1_000));
                let is_small = self.amount.is_less(Fraction::ONE);
                asked.amount == self.amount || (is_small && micrograms == Some(asked.amount))
            }
            (None, _) => asked.amount == self.amount,
            (a, b) => units_agree(a, b) && asked.amount == self.amount,
        };
        if same { StrengthFit::Same } else { StrengthFit::No }
    }

    /// An amount that is asked for beside a concentration: the number that the text may have named.
    fn fits_numerator(&self, asked: &Self, per: &str) -> StrengthFit {
        let unit_fits = asked.unit.is_none() || asked.unit == self.unit;
        let mut numerators = vec![Some(self.amount)];
        match per {
            "ml" | "g" => match self.quantity {
                Some(of) => numerators.push(self.amount.times(of)),
                None => numerators.extend([5, 100].map(|of| self.amount.times(Fraction::whole(of)))),
            },
            "%" => numerators.push(self.amount.over(Fraction::whole(10))),
            "hr" => numerators.push(self.amount.times(Fraction::whole(24))),
            _ => {}
        }
        if asked.unit.is_none() {
            let micrograms: Vec<_> =
                numerators.iter().map(|n| n.and_then(|n| n.times(Fraction::whole(1_000)))).collect();
            numerators.extend(micrograms);
        }
        match unit_fits && numerators.contains(&Some(asked.amount)) {
            // A number without a unit says nothing against a dose, a puff or a percentage.
            true if asked.unit.is_none() && matches!(per, "dose" | "actuation" | "%") => StrengthFit::Same,
            true => StrengthFit::MayBe,
            false => StrengthFit::No,
        }
    }
}

/// A unit that the payer leaves out is milligrams on claims and drug files.
fn units_agree(asked: Option<&str>, stated: Option<&str>) -> bool {
    match (asked, stated) {
        (None, _) => true,
        (Some(asked), None) => asked == "mg",
        (Some(asked), Some(stated)) => asked == stated,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(number: &str, unit: &str, per: Option<(&str, &str)>) -> Strength {
        let strength = Strength::amount(Fraction::parse(number).unwrap(), Some(unit)).unwrap();
        match per {
            Some((of, per)) => strength.per(Fraction::parse(of).unwrap(), per).unwrap(),
            None => strength,
        }
    }

    #[test]
    fn one_strength_has_one_key() {
        for (a, b) in [
            (of("175", "mcg", None), of("0.175", "mg", None)),
            (of("1", "g", None), of("1000", "mg", None)),
            (of("250", "mg", Some(("5", "ml"))), of("50", "mg", Some(("1", "ml")))),
            (of("5", "g", Some(("100", "ml"))), of("50", "mg", Some(("1", "ml")))),
            (of("0.1", "mg", Some(("1", "hr"))), of("2.4", "mg", Some(("24", "hr")))),
            (of("0.4", "mg", Some(("100", "mg"))), of("4", "mg", Some(("1", "g")))),
        ] {
            assert_eq!(a, b);
            assert_eq!(Strength::from_key(&a.key()), Some(a));
        }
        for (a, b) in [
            (of("40", "mg", Some(("0.4", "ml"))), of("100", "mg", Some(("1", "ml")))),
            (of("5", "mg", None), of("5", "mg", Some(("1", "ml")))),
            (of("5", "mg", None), of("5", "unit", None)),
            (of("1", "mg", Some(("1", "g"))), of("1", "mg", Some(("1", "ml")))),
        ] {
            assert_ne!(a, b);
        }
        assert_eq!(of("10", "mg", Some(("3", "ml"))).key(), "10|3mg/ml*3");
    }

    #[test]
    fn amounts_never_fit_concentrations() {
        use StrengthFit::{MayBe, No, Same};
        let concentration = of("5", "mg", Some(("1", "ml")));
        for (asked, stated, insulin, want) in [
            (of("5", "mg", None), concentration.clone(), false, MayBe),
            (concentration.clone(), of("5", "mg", None), false, MayBe),
            (of("250", "mg", None), of("250", "mg", Some(("5", "ml"))), false, MayBe),
            (of("10", "mg", None), concentration, false, No),
            (of("100", "unit", None), of("100", "unit", Some(("1", "ml"))), true, Same),
            (of("100", "unit", None), of("100", "unit", Some(("1", "ml"))), false, MayBe),
            (of("0.05", "%", None), of("0.5", "mg", Some(("1", "g"))), false, Same),
            (of("2", "%", None), of("20", "mg", Some(("1", "ml"))), false, Same),
            (of("50", "mcg", None), of("0.05", "mg", None), false, Same),
            (of("50", "mg", None), of("50", "mcg", None), false, No),
        ] {
            assert_eq!(stated.fits(&asked, insulin), want, "{asked:?} asked of {stated:?}");
        }
        let unsaid = |number: &str| Strength::amount(Fraction::parse(number).unwrap(), None).unwrap();
        assert_eq!(of("50", "mcg", None).fits(&unsaid("50"), false), Same);
        assert_eq!(of("50", "mg", None).fits(&unsaid("50"), false), Same);
        assert_eq!(of("50", "mg", None).fits(&unsaid("5"), false), No);
    }
}
