//! What a text that is being typed is looked up by: terms of the index of drug lines.

use super::grammar::{ItemKind, read};
#[cfg(feature = "build")]
use super::release::Release;
use super::strength::Strength;
use super::words::{form, is_direction, is_glue, is_release_filler, release, said_for, salt};
use crate::fold::{self, Token};

/// Longest form word that is short for another.
const LONGEST_ABBREVIATION: usize = 4;

/// One piece of a typed text.
#[derive(Clone, Debug, Default)]
pub(crate) struct SearchTerm {
    /// As typed, to be named where it is ignored.
    pub(crate) typed: String,
    /// Terms of which one must be there.
    pub(crate) any: Vec<String>,
    /// Terms that what is typed may become: `5 mg` may become `5 mg/mL`.
    pub(crate) may_become: Vec<String>,
    /// Terms which must all be there where none of `any` is: a number and its unit apart.
    pub(crate) else_all: Vec<String>,
    /// Whether it tells no drug: directions, glue.
    pub(crate) is_idle: bool,
    /// Whether it is a word of a name, not of a form, salt or release.
    pub(crate) is_name: bool,
}

/// The pieces of a typed text, in their order.
pub(crate) fn search_terms(text: &str) -> Vec<SearchTerm> {
    let (words, items) = read(text);
    let mut terms: Vec<SearchTerm> = Vec::new();
    for item in &items {
        let typed = words.get(item.words.clone()).unwrap_or_default().join(" ");
        match &item.kind {
            ItemKind::Word(word) => terms.push(word_term(word, terms.is_empty())),
            ItemKind::Number(number) => terms.push(SearchTerm {
                typed: number.clone(),
                any: vec![format!("#{number}")],
                ..SearchTerm::default()
            }),
            ItemKind::Hours(hours) => terms.push(SearchTerm {
                typed: format!("{hours} hr"),
                any: vec![format!("#{hours}")],
                ..SearchTerm::default()
            }),
            ItemKind::Quantity(_) => {}
            ItemKind::Strengths(strengths) => {
                for strength in strengths {
                    let any = strength_terms(strength);
                    let is_amount = strength.unit.is_some() && strength.per.is_none();
                    let may_become = if is_amount { concentrations(strength) } else { Vec::new() };
                    let else_all = fold::tokens(&typed).iter().map(indexed).collect();
                    terms.push(SearchTerm { typed: typed.clone(), any, may_become, else_all, ..SearchTerm::default() });
                }
            }
        }
    }
    terms
}

/// The concentrations whose text begins with an amount: per milliliter, per 5 mL.
fn concentrations(amount: &Strength) -> Vec<String> {
    let per = |of: u64, unit: &str| amount.per(super::strength::Fraction::whole(of), unit);
    [per(1, "ml"), per(5, "ml"), per(1, "g"), per(1, "hr"), per(1, "actuation"), per(1, "dose")]
        .into_iter()
        .flatten()
        .map(|strength| format!("={}", strength.key()))
        .collect()
}

fn word_term(word: &str, is_first: bool) -> SearchTerm {
    let mut any = vec![word.to_owned()];
    let mut else_all: Vec<String> = Vec::new();
    let mut is_name = true;
    if let Some(names) = said_for(word) {
        any.extend(names.iter().take(1).map(|name| (*name).to_owned()));
    }
    if let Some(salt) = salt(word) {
        any.push(salt.to_owned());
        is_name = is_first;
    }
    if let Some(form) = form(word) {
        // A long word is looked up as it is, so that its beginnings find no less.
        if word.len() <= LONGEST_ABBREVIATION {
            any.extend(form.words.iter().take(1).map(|word| (*word).to_owned()));
        } else {
            else_all.extend(form.words.iter().map(|word| (*word).to_owned()));
        }
        is_name = is_first;
    }
    if release(word).is_some() {
        is_name = false;
    }
    any.sort();
    any.dedup();
    let is_idle = !is_first && (is_direction(word) || is_glue(word) || is_release_filler(word));
    SearchTerm { typed: word.to_owned(), any, else_all, is_idle, is_name: is_name && !is_idle, ..SearchTerm::default() }
}

/// Words by which a release is found.
#[cfg(feature = "build")]
pub(crate) fn release_words(release: &Release) -> Vec<String> {
    let mut words = Vec::new();
    if release.kind.is_extended() {
        words.extend(["er", "extended", "release"].map(str::to_owned));
    }
    if release.kind.is_delayed() {
        words.extend(["dr", "ec", "delayed", "release"].map(str::to_owned));
    }
    words.extend(release.suffix.iter().flat_map(|suffix| suffix.split('+')).map(str::to_owned));
    if let Some(hours) = release.hours {
        words.extend([format!("#{hours}"), "hr".to_owned()]);
    }
    words
}

/// A strength as terms: `=50mg/ml`; a concentration also as the percentage that may be typed.
pub(crate) fn strength_terms(strength: &Strength) -> Vec<String> {
    let bare = Strength { quantity: None, ..strength.clone() };
    let mut terms = vec![format!("={}", bare.key())];
    let massive = bare.unit.as_deref() == Some("mg");
    if massive && matches!(bare.per.as_deref(), Some("ml" | "g")) {
        terms.push(format!("={}", Strength { per: Some("%".to_owned()), ..bare }.key()));
    }
    terms
}

/// How a token stands in the index.
pub(crate) fn indexed(token: &Token) -> String {
    if token.is_number { format!("#{}", token.text) } else { token.text.clone() }
}
