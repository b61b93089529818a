//! The styles in which payers write a drug. Each says what the directory's row says, in other words:
//! whoever reads the text knows ingredients, strengths, form, release and suffix. Only a salt may be
//! left out, where the ingredient has no other.

use std::collections::{BTreeMap, BTreeSet};

use super::facts::{DrugFacts, Ingredient, Label, Release, Suffix, split_salt};
use super::strength::{Decimal, Strength};
use super::words::{form_in_capitals, form_in_file, form_of_rxnorm, short};
use crate::random::Draw;

/// A way of writing drugs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Style {
    /// `Losartan Potassium 50 mg tablet, film coated`: as the NDC directory names it.
    Label,
    /// `losartan 50 mg-hydrochlorothiazide 12.5 mg tablet`: as drug files do.
    File,
    /// `METFORMIN HCL TAB 500MG ER`: as pharmacy systems do.
    Capitals,
    /// `24 HR metoprolol succinate 50 MG Extended Release Oral Tablet [Toprol XL]`.
    RxNorm,
    /// `Losartan Potassium and Hydrochlorothiazide 50-12.5 mg tablet`.
    Joined,
    /// The label's in small letters, with the other unit of two (0.05 mg for 50 mcg, 1 g for 1000 mg,
    /// `%`, `[USP'U]`).
    Small,
}

impl Style {
    /// Every style with its share of a hundred products.
    pub const SHARES: [(Self, u32); 6] = [
        (Self::Label, 15),
        (Self::File, 50),
        (Self::Capitals, 12),
        (Self::RxNorm, 13),
        (Self::Joined, 5),
        (Self::Small, 5),
    ];

    /// The style of a product; several of a payer's products of one drug are of several styles.
    pub(super) fn drawn(draw: Draw) -> Self {
        let place = draw.weighted(&Self::SHARES.map(|(_, share)| share));
        Self::SHARES.get(place).map_or(Self::Label, |(style, _)| *style)
    }
}

/// A drug as a payer writes it, and what the text says of it beside strength, form and release.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Written {
    /// The text.
    pub text: String,
    /// Whether it names the ingredients; else a proprietary name that does not tell them.
    pub names_ingredients: bool,
    /// For each ingredient, whether its salt is named.
    pub names_salt: Vec<bool>,
}

/// Writes drugs in the styles.
#[derive(Clone, Debug, Default)]
pub struct Writer {
    /// Bases that are there with several salts: the salt is never left out.
    several_salts: BTreeSet<String>,
}

impl Writer {
    /// For a catalogue with these substances (`A; B`).
    pub fn of<'a>(substances: impl Iterator<Item = &'a str>) -> Self {
        let distinct: BTreeSet<&str> = substances.flat_map(|all| all.split(';')).map(str::trim).collect();
        let mut salts: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        for (base, salt) in distinct.into_iter().map(split_salt) {
            salts.entry(base).or_default().extend(salt);
        }
        let several = salts.into_iter().filter(|(_, salts)| salts.len() > 1);
        Self { several_salts: several.map(|(base, _)| base).collect() }
    }

    /// A product as the payer of this seed writes it; `product` is its number.
    #[must_use]
    pub fn write(&self, label: &Label<'_>, facts: Option<&DrugFacts>, seed: u64, product: u64) -> Written {
        let draw = Draw::of(seed ^ 0x7374_796c, product);
        let only_name = super::facts::only_name_tells_release(label.name, label.form);
        let style = if only_name { Style::Label } else { Style::drawn(draw) };
        self.write_in(style, label, facts, draw.and(1).key())
    }

    /// A product in a style; `key` decides what the style leaves open. What a style has no words for
    /// is written as a drug file would.
    #[must_use]
    pub fn write_in(&self, style: Style, label: &Label<'_>, facts: Option<&DrugFacts>, key: u64) -> Written {
        let Some(facts) = facts.filter(|facts| facts.ingredients.len() <= 4) else {
            return Written {
                text: format!("{} {} {}", label.name, label.strengths.replace("; ", " / "), label.form),
                names_ingredients: false,
                names_salt: vec![false; label.substances.split(';').count()],
            };
        };
        let draw = Draw::of(key, 7);
        let hint = if facts.brand.is_some() { 0 } else { may_leave_out(style) };
        let salts = !(draw.and(1).hits(hint) && self.may_omit_salts(facts));
        let text = Text { label, facts, order: order_of_names(label, facts), salts, draw };
        let written = match style {
            Style::Label => Some(text.label()),
            Style::File => Some(text.file()),
            Style::Capitals => text.capitals(),
            Style::RxNorm => text.rxnorm(),
            Style::Joined => Some(text.joined()),
            Style::Small => Some(text.small()),
        };
        let by_name = match style {
            Style::Label | Style::Small => true,
            Style::RxNorm => written.is_none() && facts.brand.is_some(),
            _ => facts.brand.is_some(),
        };
        let text = written.unwrap_or_else(|| text.file());
        if by_name {
            let name = label.name.to_uppercase();
            let names_salt = facts.ingredients.iter().map(|i| names_salt(&name, i)).collect();
            return Written { text, names_ingredients: names_all(&name, facts), names_salt };
        }
        let salt = |i: &Ingredient| i.salt.is_some() && (salts || style == Style::RxNorm);
        Written { text, names_ingredients: true, names_salt: facts.ingredients.iter().map(salt).collect() }
    }

    fn may_omit_salts(&self, facts: &DrugFacts) -> bool {
        let bases: BTreeSet<&str> = facts.ingredients.iter().map(|i| i.base.as_str()).collect();
        bases.len() == facts.ingredients.len() && !bases.iter().any(|base| self.several_salts.contains(*base))
    }
}

/// How many of a million products of a style leave salts out where they may.
const fn may_leave_out(style: Style) -> u32 {
    match style {
        Style::File => 400_000,
        Style::Capitals | Style::Joined => 200_000,
        Style::Label | Style::RxNorm | Style::Small => 0,
    }
}

fn has_word(text: &str, word: &str) -> bool {
    text.split(|c: char| !c.is_alphanumeric()).any(|other| other == word)
}

fn names_salt(name: &str, ingredient: &Ingredient) -> bool {
    let salt = ingredient.salt.as_deref().unwrap_or_default();
    !salt.is_empty() && salt.split(' ').all(|word| has_word(name, word) || has_word(name, short(word)))
}

fn names_all(name: &str, facts: &DrugFacts) -> bool {
    facts.ingredients.iter().all(|i| place_in(name, &i.base).is_some())
}

fn place_in(name: &str, base: &str) -> Option<usize> {
    name.find(base.split_whitespace().next().unwrap_or(base))
}

/// The ingredients' places in the order in which the names have them; the directory's own order where
/// the names do not tell.
fn order_of_names(label: &Label<'_>, facts: &DrugFacts) -> Vec<usize> {
    let mut order: Vec<usize> = (0..facts.ingredients.len()).collect();
    for name in [label.name, label.generic] {
        let name = name.to_uppercase();
        let places: Option<Vec<usize>> = facts.ingredients.iter().map(|i| place_in(&name, &i.base)).collect();
        if let Some(places) = places {
            order.sort_by_key(|at| places.get(*at).copied());
            break;
        }
    }
    order
}

/// One drug on its way into a text.
struct Text<'a> {
    label: &'a Label<'a>,
    facts: &'a DrugFacts,
    order: Vec<usize>,
    salts: bool,
    draw: Draw,
}

impl Text<'_> {
    fn ingredients(&self) -> impl Iterator<Item = &Ingredient> {
        self.order.iter().filter_map(|at| self.facts.ingredients.get(*at))
    }

    fn name_of(&self, ingredient: &Ingredient) -> String {
        match &ingredient.salt {
            Some(salt) if self.salts => format!("{} {salt}", ingredient.base),
            _ => ingredient.base.clone(),
        }
    }

    fn extended(&self) -> bool {
        matches!(self.facts.release, Release::Extended(_))
    }

    /// `Losartan Potassium 50 mg tablet, film coated`
    fn label(&self) -> String {
        let strengths: Vec<Strength> = self.ingredients().map(|i| i.strength.clone()).collect();
        format!("{} {} {}", self.label.name, joined(&strengths), self.label.form)
    }

    /// The label's in small letters, in the other unit of two.
    fn small(&self) -> String {
        let strengths: Vec<Strength> = self.ingredients().map(|i| other_unit(&i.strength)).collect();
        let percent = match strengths.as_slice() {
            [one] if one.per.as_ref().is_some_and(|(_, unit)| unit == "g" || unit == "mg") => one.percent(),
            _ => None,
        };
        let strength = percent.map_or_else(|| joined(&strengths), |percent| format!("{percent} %"));
        let (name, form) = (self.label.name.to_lowercase(), self.label.form);
        format!("{name} {} {form}", strength.replace("unit", "[USP'U]"))
    }

    /// `Losartan Potassium and Hydrochlorothiazide 50-12.5 mg tablet`
    fn joined(&self) -> String {
        let strengths: Vec<Strength> = self.ingredients().map(|i| i.strength.clone()).collect();
        let name = if self.facts.brand.is_some() {
            self.label.name.to_owned()
        } else {
            let names: Vec<String> = self.ingredients().map(|i| title(&self.name_of(i))).collect();
            let last = names.last().cloned().unwrap_or_default();
            let before = names.split_last().map(|(_, before)| before.join(", ")).unwrap_or_default();
            let name = if before.is_empty() { last } else { format!("{before} and {last}") };
            self.facts.suffix.map_or(name.clone(), |suffix| format!("{name} {}", suffix.as_str()))
        };
        let hours = self.hours_unsaid().map(|hours| format!(" {hours} hr")).unwrap_or_default();
        format!("{name} {} {}{hours}", joined(&strengths), self.label.form)
    }

    /// Hours that a text must say because the name that said them is not in it.
    fn hours_unsaid(&self) -> Option<u8> {
        match (self.facts.release, self.facts.suffix) {
            (Release::Extended(hours), None) if self.facts.brand.is_none() => hours,
            _ => None,
        }
    }

    /// `metoprolol succinate ER 50 mg tablet,extended release`
    fn file(&self) -> String {
        let metered = self.label.form.contains("metered");
        let inhaler = self.label.form == "aerosol, metered" && has_word(&self.label.name.to_uppercase(), "HFA");
        let strength = |i: &Ingredient| file_strength(&i.strength, metered, self.draw);
        let mut form = form_in_file(self.label.form, self.label.route);
        if inhaler {
            "aerosol inhaler".clone_into(&mut form);
        }
        if let Release::Extended(Some(hours)) = self.facts.release {
            form += &format!(" {hours} hr");
        }
        if let Some(brand) = &self.facts.brand {
            let strengths: Vec<String> = self.ingredients().map(strength).collect();
            return format!("{brand} {} {form}", strengths.join("-"));
        }
        let release = match self.facts.release {
            Release::Extended(_) => {
                let unsaid = self.draw.and(2).hits(700_000).then_some("ER");
                self.facts.suffix.map(Suffix::as_str).or(unsaid)
            }
            Release::Delayed => self.draw.and(2).hits(500_000).then_some("DR"),
            _ => None,
        };
        let release = release.or_else(|| inhaler.then_some("HFA"));
        let release = release.map(|word| format!(" {word}")).unwrap_or_default();
        let name = |i: &Ingredient| {
            let name = self.name_of(i).to_lowercase();
            if self.draw.and(3).hits(600_000) { name.replace(" hydrochloride", " HCl") } else { name }
        };
        let parts: Vec<&Ingredient> = self.ingredients().collect();
        match parts.as_slice() {
            [one] => format!("{}{release} {} {form}", name(one), strength(one)),
            several => {
                let parts: Vec<String> = several.iter().map(|i| format!("{} {}", name(i), strength(i))).collect();
                format!("{}{release} {form}", parts.join("-"))
            }
        }
    }

    /// `METFORMIN HCL TAB 500MG ER`; `None` where the form has no abbreviation.
    fn capitals(&self) -> Option<String> {
        let mut form = form_in_capitals(&self.facts.form)?.to_owned();
        let mut tail = match self.facts.release {
            Release::Immediate | Release::Unclear => String::new(),
            Release::Delayed => " DR".to_owned(),
            Release::Extended(_) if self.facts.brand.is_some() && self.facts.suffix.is_some() => String::new(),
            Release::Extended(_) => format!(" {}", self.facts.suffix.map_or("ER", Suffix::as_str)),
            Release::Disintegrating => " ODT".to_owned(),
            Release::Chewable => {
                form += " CHEW";
                String::new()
            }
        };
        if let Some(hours) = self.hours_unsaid() {
            tail += &format!(" {hours}H");
        }
        let name = self.facts.brand.as_ref().map_or_else(
            || {
                let names = self.ingredients().map(|i| self.name_of(i));
                let names = names.map(|n| n.split(' ').map(short).collect::<Vec<_>>().join(" "));
                names.collect::<Vec<_>>().join("/")
            },
            |brand| brand.to_uppercase(),
        );
        let parts: Vec<&Strength> = self.ingredients().map(|i| &i.strength).collect();
        let plain_mg = parts.len() > 1 && parts.iter().all(|s| s.unit == "mg" && s.per.is_none());
        let strength = if plain_mg {
            let numbers: Vec<String> = parts.iter().map(|s| s.amount.to_string()).collect();
            let unit = if self.draw.and(4).hits(500_000) { "MG" } else { "" };
            numbers.join("-") + unit
        } else {
            let each: Vec<String> = parts.iter().map(|s| spelled(s, "", "").to_uppercase()).collect();
            each.join("-")
        };
        Some(if self.draw.and(5).hits(500_000) {
            format!("{name} {form} {strength}{tail}")
        } else {
            format!("{name} {strength} {form}{tail}")
        })
    }

    /// `24 HR metoprolol succinate 50 MG Extended Release Oral Tablet [Toprol XL]`; `None` where RxNorm
    /// has no such form or unit, or no place for the suffix.
    fn rxnorm(&self) -> Option<String> {
        let form = form_of_rxnorm(self.label.form, self.label.route)?;
        let hours = match self.facts.release {
            Release::Extended(hours) => hours,
            _ => None,
        };
        let suffix_is_said = self.facts.brand.is_some() || hours.is_some();
        if (self.facts.suffix.is_some() && !suffix_is_said) || self.extended() != form.contains("Extended") {
            return None;
        }
        let named = |i: &Ingredient| {
            let salt = i.salt.as_ref().map(|salt| format!(" {salt}")).unwrap_or_default();
            let name = format!("{}{salt}", i.base).to_lowercase();
            Some((name, rxnorm_strength(&i.strength)?))
        };
        let mut parts = self.facts.ingredients.iter().map(named).collect::<Option<Vec<(String, String)>>>()?;
        parts.sort();
        let parts: Vec<String> = parts.into_iter().map(|(name, strength)| format!("{name} {strength}")).collect();
        let mut text = hours.map(|hours| format!("{hours} HR ")).unwrap_or_default();
        if let ([one], true) = (self.facts.ingredients.as_slice(), form.starts_with("Inject"))
            && let Some((number, unit)) = &one.strength.per
            && unit == "mL"
            && *number != Decimal::ONE
        {
            text += &format!("{number} ML ");
        }
        text += &format!("{} {form}", parts.join(" / "));
        if let Some(brand) = &self.facts.brand {
            text += &format!(" [{brand}]");
        }
        Some(text)
    }
}

/// `50-12.5 mg`, where the units are one, else `1 mg / 2 g`.
fn joined(strengths: &[Strength]) -> String {
    let [first, rest @ ..] = strengths else { return String::new() };
    if rest.iter().all(|other| other.unit == first.unit && other.per == first.per) {
        let numbers: Vec<String> = strengths.iter().map(|s| s.amount.to_string()).collect();
        let unit = spelled(first, " ", "");
        let unit = unit.split_once(' ').map(|(_, unit)| unit).unwrap_or_default();
        return format!("{} {unit}", numbers.join("-")).trim_end().to_owned();
    }
    strengths.iter().map(|s| spelled(s, " ", "")).collect::<Vec<_>>().join(" / ")
}

/// A strength with what stands before a unit, and before the unit of what it is per.
fn spelled(strength: &Strength, before: &str, before_per: &str) -> String {
    let mut text = strength.amount.to_string();
    if !strength.unit.is_empty() || strength.per.is_some() {
        text += before;
        text += &strength.unit;
    }
    match &strength.per {
        Some((number, unit)) if *number == Decimal::ONE => text + "/" + unit,
        Some((number, unit)) => format!("{text}/{number}{before_per}{unit}"),
        None => text,
    }
}

/// 50 mcg is 0.05 mg, 1000 mg is 1 g, 0.05 mg is 50 mcg.
fn other_unit(strength: &Strength) -> Strength {
    let amount = strength.amount.to_string();
    let other = match strength.unit.as_str() {
        "mcg" => strength.rescaled(false),
        "mg" if amount.starts_with("0.") => strength.rescaled(true),
        "mg" if amount.split('.').next().is_some_and(|whole| whole.len() > 3) => strength.rescaled(false),
        _ => None,
    };
    other.unwrap_or_else(|| strength.clone())
}

/// `250 mg/5 mL`, `0.05 %` for ointments, `90 mcg/actuation` for what is metered, 50 mcg for 0.05 mg.
fn file_strength(strength: &Strength, metered: bool, draw: Draw) -> String {
    let per = strength.per.as_ref().map(|(_, unit)| unit.as_str());
    let by_weight = per == Some("g") || per == Some("mg");
    let by_volume = strength.unit == "g" && per == Some("mL") && draw.and(6).hits(500_000);
    if (by_weight || by_volume)
        && let Some(percent) = strength.percent()
    {
        return format!("{percent} %");
    }
    let small = strength.unit == "mg" && strength.amount.to_string().starts_with("0.");
    let other = (small && per.is_none() && draw.and(7).hits(500_000)).then(|| strength.rescaled(true)).flatten();
    let text = spelled(other.as_ref().unwrap_or(strength), " ", " ");
    if metered && per.is_none() { text + "/actuation" } else { text }
}

/// In milligrams, units or milliequivalents, and per milliliter, milligram or hour.
fn rxnorm_strength(strength: &Strength) -> Option<String> {
    let (amount, unit) = match strength.unit.as_str() {
        "g" => (strength.amount.shifted(3)?, "MG"),
        "mg" => (strength.amount, "MG"),
        "mcg" => (strength.amount.shifted(-3)?, "MG"),
        "unit" => (strength.amount, "UNT"),
        "mEq" => (strength.amount, "MEQ"),
        _ => return None,
    };
    let Some((number, per)) = &strength.per else { return Some(format!("{amount} {unit}")) };
    let (number, per) = match per.as_str() {
        "mL" => (*number, "ML"),
        "L" => (number.shifted(3)?, "ML"),
        "g" => (number.shifted(3)?, "MG"),
        "mg" => (*number, "MG"),
        "h" => (*number, "HR"),
        _ => return None,
    };
    Some(format!("{} {unit}/{per}", amount.divided_by(number)?))
}

/// `Losartan Potassium`
fn title(words: &str) -> String {
    let mut begins = true;
    let cased = words.chars().map(|c| {
        let cased = if begins { c.to_ascii_uppercase() } else { c.to_ascii_lowercase() };
        begins = !c.is_alphanumeric();
        cased
    });
    cased.collect()
}

#[cfg(test)]
mod tests;
