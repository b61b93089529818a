//! Specialties.

use super::datatypes::CodeableConcept;
use super::lenient::Many;
use super::reading::{MOST, Reading};
use crate::model::Specialty;

/// Every coding is one specialty, with its display or the concept's words; the words alone are one
/// too where no display says the same.
pub(super) fn specialties(concepts: &Many<CodeableConcept<'_>>, at: &mut Reading<'_>) -> Vec<Specialty> {
    let mut specialties = Vec::new();
    for concept in concepts {
        let words = concept.text.words();
        let mut said = false;
        for coding in &concept.coding {
            let taxonomy = coding.code.get().and_then(taxonomy);
            let display = coding.display.words().or_else(|| words.clone());
            let text = display.or_else(|| if taxonomy.is_none() { coding.code.words() } else { None });
            said |= text.is_some() && text == words;
            if text.is_some() || taxonomy.is_some() {
                specialties.push(Specialty { text, taxonomy });
            }
        }
        if words.is_some() && !said {
            specialties.push(Specialty { text: words, taxonomy: None });
        }
    }
    specialties.sort_unstable();
    specialties.dedup();
    at.bounded(specialties, MOST)
}

/// A NUCC taxonomy code (nine letters or digits and an `X`), whatever its system is called.
fn taxonomy(code: &str) -> Option<String> {
    let code = code.to_ascii_uppercase();
    let shape = code.len() == 10
        && code.ends_with('X')
        && code.bytes().all(|b| b.is_ascii_alphanumeric())
        && code.bytes().any(|b| b.is_ascii_digit());
    shape.then_some(code)
}
