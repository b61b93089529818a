//! A drug question in words, taken apart and held against the lines of the catalogue.

use super::catalogue::LineRow;
use super::search::indexed;
use super::text::{is_release_word, release_words};
use crate::fold::{self, Token};

/// A text question taken apart.
pub(super) struct Query {
    tokens: Vec<Token>,
    /// Salts and esters that it names, one spelling each.
    salts: Vec<String>,
    /// Whether it names a release: extended, delayed, chewable, …
    pub(super) released: bool,
}

/// A number of a strength with its unit, where one is said.
type Amount = (String, Option<String>);

impl Query {
    pub(super) fn read(text: &str) -> Self {
        Self { tokens: fold::tokens(text), salts: salts(text), released: !release_words(text).is_empty() }
    }

    /// The words that a line must have, but for salts: atorvastatin calcium is found under
    /// atorvastatin too.
    pub(super) fn words(&self) -> impl Iterator<Item = &Token> {
        self.tokens.iter().filter(|token| {
            !token.is_number && mass(&token.text).is_none() && !is_glue(&token.text) && !is_salt(&token.text)
        })
    }

    /// The salts among its words, each in all its spellings.
    pub(super) fn salt_spellings(&self) -> impl Iterator<Item = Vec<Token>> {
        self.tokens.iter().filter(|token| is_salt(&token.text)).map(|token| {
            let spellings = match token.text.as_str() {
                "hcl" | "hydrochloride" => vec!["hcl", "hydrochloride"],
                "hbr" | "hydrobromide" => vec!["hbr", "hydrobromide"],
                other => vec![other],
            };
            spellings.into_iter().map(|text| Token { text: text.to_owned(), is_number: false }).collect()
        })
    }

    fn has(&self, word: &str) -> bool {
        self.tokens.iter().any(|token| indexed(token) == word)
    }

    /// Whether the line's name is what the query names: every word of the name is asked for, or is a
    /// salt, a hydrate, a release word or glue; at least one word that tells is asked for; and the
    /// line has everything else that is asked for, the strength in its order. An ingredient that a
    /// brand's line states explains words, and is no name of it: a brand never answers for a generic.
    pub(super) fn names(&self, line: &LineRow) -> bool {
        let words: Vec<String> = fold::tokens(&line.name).iter().map(indexed).collect();
        let elsewhere: Vec<String> = [&line.strength, &line.form, &line.form_group, &line.ingredient]
            .into_iter()
            .flatten()
            .flat_map(|text| fold::tokens(text))
            .map(|token| indexed(&token))
            .collect();
        let telling = |word: &&String| !is_salt(word) && !is_release_word(word) && !is_glue(word);
        let missing = words.iter().any(|word| !self.has(word) && telling(&word));
        let told = words.iter().filter(telling).any(|word| self.has(word)) || words.iter().all(|w| self.has(w));
        // Numbers and units of mass are the strength's, which may be written in another unit.
        let strength = |token: &&Token| token.is_number || mass(&token.text).is_some();
        let explained = self.tokens.iter().filter(|token| !strength(token)).map(indexed).all(|word| {
            words.contains(&word)
                || elsewhere.contains(&word)
                || is_glue(&word)
                || is_release_word(&word)
                || is_salt(&word)
        });
        !words.is_empty() && !missing && told && explained && self.fits_strength(line)
    }

    /// What is asked for beside the name's own numbers (Hailey 1.5/30) must be how the strength begins:
    /// 10 mg is 10 mg/5 mL, and neither 20 mg/10 mL nor 5-10 mg.
    fn fits_strength(&self, line: &LineRow) -> bool {
        let (asked, stated) = (self.amounts_beside(&line.name), stated_amounts(line));
        stated.is_empty() || (asked.len() <= stated.len() && asked.iter().zip(&stated).all(same_amount))
    }

    /// Whether the line's strength is what was asked for, no more and no less; a unit that was not said
    /// fits any.
    fn is_exact(&self, line: &LineRow) -> bool {
        let (asked, stated) = (self.amounts_beside(&line.name), stated_amounts(line));
        !asked.is_empty() && asked.len() == stated.len() && asked.iter().zip(&stated).all(same_amount)
    }

    /// Whether a strength is asked for that none of the lines has exactly: 10 mg is not 10 mg/mL, and
    /// 5 is not 5-325.
    pub(super) fn misses_strength(&self, lines: &[LineRow]) -> bool {
        lines.iter().any(|line| !self.amounts_beside(&line.name).is_empty())
            && !lines.iter().any(|line| self.is_exact(line))
    }

    fn amounts_beside(&self, name: &str) -> Vec<Amount> {
        let mut of_name: Vec<String> =
            fold::tokens(name).into_iter().filter(|token| token.is_number).map(|token| token.text).collect();
        let beside = self.tokens.iter().filter(|token| {
            let own = of_name.iter().position(|number| token.is_number && *number == token.text);
            own.map(|at| of_name.remove(at)).is_none()
        });
        let mut amounts = amounts(beside);
        // The hours of an extended release are no strength.
        amounts.retain(|(_, unit)| unit.as_deref() != Some("hr"));
        amounts
    }

    /// Lines whose strength is exactly what was asked for, if there are any; else all. Lines that
    /// state no form are left out where others do.
    pub(super) fn with_exact_strength(&self, lines: Vec<LineRow>) -> Vec<LineRow> {
        let exact = |line: &LineRow| self.is_exact(line);
        let lines =
            if lines.iter().any(exact) { lines.into_iter().filter(|line| exact(line)).collect() } else { lines };
        if lines.iter().any(|line| line.form_group.is_some()) {
            lines.into_iter().filter(|line| line.form_group.is_some()).collect()
        } else {
            lines
        }
    }

    /// Where a salt is asked for, the lines of that salt; those that name none are the same drug if
    /// there is no other salt that they could be.
    pub(super) fn with_asked_salts(&self, lines: Vec<LineRow>) -> Vec<LineRow> {
        if self.salts.is_empty() {
            return lines;
        }
        let asked = |line: &[String]| self.salts.iter().all(|salt| line.contains(salt));
        let others = lines.iter().map(|line| salts(&line.name)).any(|line| !line.is_empty() && !asked(&line));
        let fits = |line: &LineRow| {
            let salts = salts(&line.name);
            if salts.is_empty() { !others } else { asked(&salts) }
        };
        lines.into_iter().filter(fits).collect()
    }

    /// One strength, one form group, and no two different salts: testosterone cypionate and enanthate
    /// are two drugs, atorvastatin and atorvastatin calcium are one.
    pub(super) fn is_one_drug(&self, lines: &[LineRow]) -> bool {
        let Some(first) = lines.first() else { return false };
        let (strength, form, _) = group_key(first);
        let mut salt: Option<Vec<String>> = None;
        for line in lines {
            let (other_strength, other_form, other_salts) = group_key(line);
            if other_strength != strength || other_form != form {
                return false;
            }
            let unasked: Vec<String> = other_salts.into_iter().filter(|word| !self.salts.contains(word)).collect();
            if unasked.is_empty() {
                continue;
            }
            match &salt {
                Some(known) if *known != unasked => return false,
                _ => salt = Some(unasked),
            }
        }
        true
    }
}

fn stated_amounts(line: &LineRow) -> Vec<Amount> {
    let tokens = line.strength.as_deref().map(fold::tokens).unwrap_or_default();
    amounts(tokens.iter())
}

/// Numbers in their order, each with the unit behind it: of `5-325 mg` both are milligrams.
fn amounts<'a>(tokens: impl Iterator<Item = &'a Token>) -> Vec<Amount> {
    let mut amounts: Vec<Amount> = Vec::new();
    for token in tokens {
        if token.is_number {
            amounts.push((token.text.clone(), None));
        } else if is_unit(&token.text) {
            for (_, unit) in amounts.iter_mut().rev().take_while(|(_, unit)| unit.is_none()) {
                *unit = Some(token.text.clone());
            }
        }
    }
    amounts
}

/// Whether an amount that is asked for is the one that is stated; 50 mcg is 0.05 mg.
fn same_amount((asked, stated): (&Amount, &Amount)) -> bool {
    match (&asked.1, &stated.1) {
        (None, _) => asked.0 == stated.0,
        (Some(a), Some(b)) => match (mass(a), mass(b)) {
            (Some(a), Some(b)) => shifted(&asked.0, a) == shifted(&stated.0, b),
            _ => a == b && asked.0 == stated.0,
        },
        (Some(_), None) => false,
    }
}

/// How many decimal places a unit of mass is away from milligrams.
fn mass(unit: &str) -> Option<i32> {
    match unit {
        "mcg" => Some(-3),
        "mg" => Some(0),
        "g" => Some(3),
        _ => None,
    }
}

/// A decimal number times a power of ten, written the shortest way.
fn shifted(number: &str, places: i32) -> String {
    let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
    let digits = format!("{whole}{fraction}");
    let point = i32::try_from(whole.len()).unwrap_or(i32::MAX).saturating_add(places);
    let (before, behind): (String, String) = match usize::try_from(point) {
        Ok(point) if point >= digits.len() => (format!("{digits}{}", "0".repeat(point - digits.len())), String::new()),
        Ok(point) => (digits.chars().take(point).collect(), digits.chars().skip(point).collect()),
        Err(_) => (String::new(), format!("{}{digits}", "0".repeat(point.unsigned_abs() as usize))),
    };
    let (before, behind) = (before.trim_start_matches('0'), behind.trim_end_matches('0'));
    let before = if before.is_empty() { "0" } else { before };
    if behind.is_empty() { before.to_owned() } else { format!("{before}.{behind}") }
}

/// A strength as it is compared: a single mass in milligrams, whatever its unit.
pub(super) fn strength_key(strength: &str) -> String {
    let tokens = fold::tokens(strength);
    match tokens.as_slice() {
        [number, unit] if number.is_number => mass(&unit.text)
            .map_or_else(|| fold::key(strength), |places| format!("{} mg", shifted(&number.text, places))),
        _ => fold::key(strength),
    }
}

pub(super) type GroupKey = (Option<String>, Option<String>, Vec<String>);

/// What sets candidates apart: strength, form group and salts.
pub(super) fn group_key(line: &LineRow) -> GroupKey {
    (line.strength.as_deref().map(strength_key), line.form_group.clone(), salts(&line.name))
}

fn is_unit(word: &str) -> bool {
    matches!(word, "mg" | "mcg" | "g" | "kg" | "ng" | "ml" | "l" | "meq" | "mmol" | "unit" | "%" | "hr" | "mci" | "ppm")
}

fn is_glue(word: &str) -> bool {
    matches!(word, "and" | "with" | "in" | "of" | "for" | "the" | "a" | "plus" | "oral" | "usp" | "nf")
        || matches!(word, "anhydrous" | "monohydrate" | "dihydrate" | "trihydrate" | "hemihydrate" | "hydrate")
}

/// Salts and esters in a name, one spelling each.
fn salts(name: &str) -> Vec<String> {
    let mut salts: Vec<String> = fold::tokens(name)
        .into_iter()
        .filter(|token| is_salt(&token.text))
        .map(|token| match token.text.as_str() {
            "hcl" => "hydrochloride".to_owned(),
            "hbr" => "hydrobromide".to_owned(),
            other => other.to_owned(),
        })
        .collect();
    salts.sort();
    salts.dedup();
    salts
}

fn is_salt(word: &str) -> bool {
    const SALTS: [&str; 62] = [
        "acetate",
        "acetonide",
        "alafenamide",
        "axetil",
        "benzoate",
        "besylate",
        "bitartrate",
        "bromide",
        "calcium",
        "camsylate",
        "carbonate",
        "chloride",
        "cilexetil",
        "citrate",
        "cypionate",
        "decanoate",
        "dihydrochloride",
        "dimesylate",
        "dipropionate",
        "disodium",
        "disoproxil",
        "edisylate",
        "enanthate",
        "estolate",
        "etexilate",
        "ethylsuccinate",
        "fumarate",
        "furoate",
        "gluconate",
        "hbr",
        "hcl",
        "hemifumarate",
        "hydrobromide",
        "hydrochloride",
        "iodide",
        "lactate",
        "lysine",
        "magnesium",
        "malate",
        "maleate",
        "marboxil",
        "medoxomil",
        "mesylate",
        "mofetil",
        "oxalate",
        "palmitate",
        "pamoate",
        "phosphate",
        "pivoxil",
        "potassium",
        "propionate",
        "proxetil",
        "sodium",
        "stearate",
        "succinate",
        "sulfate",
        "tartrate",
        "tosylate",
        "tromethamine",
        "valerate",
        "xinafoate",
        "zinc",
    ];
    SALTS.binary_search(&word).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn masses_compare_in_any_unit() {
        for (number, places, want) in [
            ("50", -3, "0.05"),
            ("0.05", 0, "0.05"),
            ("1", 3, "1000"),
            ("0.5", 3, "500"),
            ("1500", -3, "1.5"),
            ("0.0125", 3, "12.5"),
            ("0", -3, "0"),
        ] {
            assert_eq!(shifted(number, places), want, "{number} by {places}");
        }
        assert_eq!(strength_key("50 mcg"), strength_key("0.05 MG"));
        assert_ne!(strength_key("50 mcg"), strength_key("50 mg"));
        assert_ne!(strength_key("5 mg/mL"), strength_key("5 mg"));
    }
}
