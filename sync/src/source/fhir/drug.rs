//! Codes and names of a drug: `code` of MedicationKnowledge and Medication.

use std::str::FromStr as _;

use coverdex_core::build::NdcQuery;

use coverdex_core::{Ndc11, ProductNdc, Rxcui};

use super::datatypes::{CodeableConcept, Coding, tail};
use super::lenient::{Text, words};
use super::note::{Note, Notes};
use crate::model::{DrugFacts, DrugTextKind};

/// Why a drug without codes is refused.
pub(super) const NO_CODE: &str = "no NDC, product or RxNorm code";

/// What a coding's code is, told by its system.
#[derive(Clone, Copy, PartialEq, Eq)]
enum CodeKind {
    /// A package, or a product where the hyphens say so.
    Ndc { eleven_digits: bool },
    /// A product.
    ProductNdc,
    /// An RxNorm concept.
    Rxnorm,
    /// No system is stated.
    Unstated,
    /// A system that Coverdex does not read.
    Other,
}

fn code_kind(system: &Text<'_>) -> CodeKind {
    let Some(system) = system.get() else { return CodeKind::Unstated };
    let tail = tail(system);
    let is = |name: &str| tail.eq_ignore_ascii_case(name);
    let is_any = |names: &[&str]| names.iter().any(|name| is(name));
    if is_any(&["ndc11", "ndc-11", "ndc_11"]) {
        CodeKind::Ndc { eleven_digits: true }
    } else if is_any(&["ndc", "2.16.840.1.113883.6.69", "ndc10", "ndc-10", "ndc_10"])
        || is_any(&["package_ndc", "package-ndc", "packagendc"])
    {
        CodeKind::Ndc { eleven_digits: false }
    } else if is_any(&["product_ndc", "product-ndc", "productndc", "ndc9", "ndc-9", "ndc_9"]) {
        CodeKind::ProductNdc
    } else if is_any(&["rxnorm", "2.16.840.1.113883.6.88", "rxcui"]) {
        CodeKind::Rxnorm
    } else {
        CodeKind::Other
    }
}

/// Reads a drug's codes and texts. Codes that cannot be read are noted and never sink the rest.
pub(super) fn drug_facts(code: Option<&CodeableConcept<'_>>, notes: &mut Notes) -> DrugFacts {
    let mut drug = DrugFacts::default();
    let Some(code) = code else { return drug };
    let mut unsettled = Vec::new();
    for coding in &code.coding {
        read_coding(coding, &mut drug, &mut unsettled, notes);
    }
    for readings in unsettled {
        settle(&readings, &mut drug, notes);
    }
    push_text(&mut drug, DrugTextKind::Text, &code.text);
    drug.packages.sort_unstable();
    drug.packages.dedup();
    drop_known_layouts(&mut drug.packages);
    drug.products.sort_unstable();
    drug.products.dedup();
    drop_known_layouts(&mut drug.products);
    drug.rxcuis.sort_unstable();
    drug.rxcuis.dedup();
    drug.texts.sort_unstable();
    drug.texts.dedup();
    drug
}

/// A code that stands once with its layout and once without says the same twice: the layout stays.
fn drop_known_layouts<C: Copy + PartialEq, L: Copy>(sorted: &mut Vec<(C, Option<L>)>) {
    if sorted.len() < 2 {
        return;
    }
    let mut kept: Vec<(C, Option<L>)> = Vec::with_capacity(sorted.len());
    for (code, layout) in sorted.iter().rev() {
        if layout.is_some() || kept.last().is_none_or(|(last, _)| last != code) {
            kept.push((*code, *layout));
        }
    }
    kept.reverse();
    *sorted = kept;
}

fn read_coding(coding: &Coding<'_>, drug: &mut DrugFacts, unsettled: &mut Vec<Vec<Ndc11>>, notes: &mut Notes) {
    let kind = code_kind(&coding.system);
    let Some(code) = coding.code.get() else {
        match kind {
            CodeKind::Ndc { .. } | CodeKind::Unstated => push_text(drug, DrugTextKind::PackageName, &coding.display),
            CodeKind::ProductNdc => push_text(drug, DrugTextKind::ProductName, &coding.display),
            CodeKind::Rxnorm => push_text(drug, DrugTextKind::RxnormName, &coding.display),
            CodeKind::Other => {}
        }
        return;
    };
    match kind {
        CodeKind::Ndc { eleven_digits } => {
            // A number has no leading zeros, and `6022128.0` was one; in a system of eleven digits they
            // are known.
            let decimal = code.strip_suffix(".0").filter(|number| number.bytes().all(|b| b.is_ascii_digit()));
            let lost_zeros = eleven_digits && (decimal.is_some() || matches!(coding.code, Text::Number(_)));
            read_ndc(decimal.filter(|_| eleven_digits).unwrap_or(code), lost_zeros, drug, unsettled, notes);
            push_text(drug, DrugTextKind::PackageName, &coding.display);
        }
        CodeKind::ProductNdc => {
            match NdcQuery::from_str(code) {
                Ok(NdcQuery::Product(_)) => drug.products.extend(ProductNdc::parse_with_layout(code).ok()),
                Ok(NdcQuery::Package(package)) => drug.products.push((package.product(), None)),
                Ok(NdcQuery::TenDigits(_)) | Err(_) => notes.add(Note::UnreadableCode),
            }
            push_text(drug, DrugTextKind::ProductName, &coding.display);
        }
        CodeKind::Rxnorm => {
            match code.parse::<Rxcui>() {
                Ok(rxcui) => drug.rxcuis.push(rxcui),
                Err(_) => notes.add(Note::UnreadableCode),
            }
            push_text(drug, DrugTextKind::RxnormName, &coding.display);
        }
        CodeKind::Unstated if looks_like_ndc(code) => {
            read_ndc(code, false, drug, unsettled, notes);
            push_text(drug, DrugTextKind::PackageName, &coding.display);
        }
        CodeKind::Unstated => notes.add(Note::CodeWithoutSystem),
        CodeKind::Other => notes.add(Note::UnknownCodeSystem),
    }
}

/// Without a system only eleven digits and codes in segments are surely NDCs: other digits may as well
/// be an RxNorm code.
fn looks_like_ndc(code: &str) -> bool {
    match NdcQuery::from_str(code) {
        Ok(NdcQuery::Package(_)) => true,
        Ok(NdcQuery::Product(_)) => shows_product(code),
        Ok(NdcQuery::TenDigits(_)) => false,
        Err(_) => code.contains(['-', '\u{2010}', '\u{2011}']),
    }
}

/// Whether the text shows where the segments of a product are: nine digits in a row may be a package
/// that lost two zeros.
fn shows_product(code: &str) -> bool {
    let runs = code.split(|c: char| !c.is_numeric() && c != '*').map(|run| run.chars().count());
    let lengths: Vec<usize> = runs.filter(|length| *length > 0).collect();
    lengths == [4, 4] || lengths == [5, 3] || lengths == [5, 4]
}

fn read_ndc(code: &str, lost_zeros: bool, drug: &mut DrugFacts, unsettled: &mut Vec<Vec<Ndc11>>, notes: &mut Notes) {
    let all_digits = code.bytes().all(|b| b.is_ascii_digit());
    if all_digits && (code.len() == 11 || (lost_zeros && code.len() < 11)) {
        match code.parse().ok().and_then(Ndc11::new) {
            Some(package) => drug.packages.push((package, None)),
            None => notes.add(Note::UnreadableCode),
        }
        return;
    }
    match NdcQuery::from_str(code) {
        Ok(NdcQuery::Package(_)) => drug.packages.extend(Ndc11::parse_with_layout(code).ok()),
        Ok(NdcQuery::Product(_)) if shows_product(code) => {
            drug.products.extend(ProductNdc::parse_with_layout(code).ok());
        }
        Ok(NdcQuery::TenDigits(readings)) => unsettled.push(readings),
        Ok(NdcQuery::Product(_)) | Err(_) => notes.add(Note::UnreadableCode),
    }
}

/// Ten bare digits have up to three readings: one counts if the resource's other codes leave no
/// choice, that is if it alone is one of the packages, or of a product, named beside it.
fn settle(readings: &[Ndc11], drug: &mut DrugFacts, notes: &mut Notes) {
    let known = |package: &Ndc11| drug.packages.iter().any(|(p, _)| p == package);
    if readings.iter().any(known) {
        return;
    }
    let of_product = |package: &&Ndc11| drug.products.iter().any(|(p, _)| *p == package.product());
    let mut fitting = readings.iter().filter(of_product);
    match (fitting.next(), fitting.next()) {
        (Some(package), None) => {
            let package = *package;
            drug.packages.push((package, None));
        }
        _ => notes.add(Note::AmbiguousNdc),
    }
}

fn push_text(drug: &mut DrugFacts, kind: DrugTextKind, text: &Text<'_>) {
    let Some(text) = text.get().and_then(words) else { return };
    if !text.chars().any(char::is_alphabetic) {
        return;
    }
    let kind = if is_package_description(&text) { DrugTextKind::PackageDescription } else { kind };
    drug.texts.push((kind, text));
}

/// Whether a text is how the FDA's directory describes a package (`30 TABLET in 1 BOTTLE
/// (0002-3227-30)`) and no name: a quantity, what it counts, `in 1`, and a container.
pub(super) fn is_package_description(text: &str) -> bool {
    let text = text.trim_start_matches(['*', ' ']);
    let number_end = text.find(|c: char| !c.is_ascii_digit() && c != '.' && c != ',').unwrap_or(text.len());
    let Some((number, rest)) = text.split_at_checked(number_end) else { return false };
    if !number.bytes().any(|b| b.is_ascii_digit()) || !rest.starts_with(' ') {
        return false;
    }
    let structure = rest.as_bytes().windows(6).position(|window| window.eq_ignore_ascii_case(b" in 1 "));
    if let Some((counted, container)) = structure.and_then(|at| Some((rest.get(..at)?, rest.get(at + 6..)?))) {
        let container = container.split([' ', ',', '/']).next().unwrap_or_default();
        // `2.5 mg in 1 mL` is a strength.
        let is_unit =
            ["ml", "l", "mg", "g", "mcg", "kg", "actuation"].iter().any(|unit| container.eq_ignore_ascii_case(unit));
        return !counted.trim().is_empty() && !is_unit;
    }
    // `1 KIT (0069-0315-20)`: the bare container with the package code behind it.
    text.rsplit_once('(')
        .and_then(|(_, code)| code.strip_suffix(')'))
        .is_some_and(|code| code.matches('-').count() == 2 && code.bytes().all(|b| b.is_ascii_digit() || b == b'-'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn package_descriptions_are_no_names() {
        for text in [
            "30 TABLET in 1 BOTTLE (0002-3227-30)",
            "10 VIAL in 1 CARTON (0002-1234-01) > 2 mL in 1 VIAL",
            ".21 L in 1 CYLINDER (10014-001-07)",
            "1 KIT (0069-0315-20)",
            "1,000 TABLET, FILM COATED in 1 BOTTLE, PLASTIC",
            "30 tablet IN 1 bottle",
            "* 1 TUBE in 1 KIT > 118 mL in 1 TUBE (59088-333-08)",
        ] {
            assert!(is_package_description(text), "{text}");
        }
        for text in [
            "Strattera 18 mg capsule",
            "7 select ibuprofen 200 mg capsule,liquid filled",
            "2% LIDOCAINE HCI 20 mg/mL injection,solution",
            "24 HR metformin hydrochloride 500 MG Extended Release Oral Tablet",
            "5 mg in 1 mL oral solution",
            "365 everyday value ibuprofen 200 mg tablet,film coated",
            "{21 (norethindrone 1 MG Oral Tablet) / 7 (inert) } Pack [Brand]",
            "",
            "30",
        ] {
            assert!(!is_package_description(text), "{text}");
        }
    }
}
