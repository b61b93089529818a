//! MedicationKnowledge and Medication: an entry of a formulary, and a drug.

use std::fmt::Write as _;

use coverdex_core::Rxcui;

use super::Ink;
use crate::drugs::Package;
use crate::formulary::{Stated, Tier};
use crate::payer::MadePayer;
use crate::quirks::Quirk;
use crate::rows::{Drug, EntryStatus, PlanIdShown, Row};

const RXNORM: &str = "http://www.nlm.nih.gov/research/umls/rxnorm";
const HL7_NDC: &str = "http://hl7.org/fhir/sid/ndc";

/// Writes a formulary entry.
pub(crate) fn medication_knowledge(payer: &MadePayer, row: &Row, id: &str, ink: &mut Ink<'_>) {
    if let Some(quirk) = row.fate.quirk() {
        ink.note(quirk);
    }
    ink.open("MedicationKnowledge", id, payer.shape().year).raw("},\"extension\":[");
    extensions(payer, row, ink);
    ink.raw("]");
    if row.readable {
        code(payer, row.drug, Some(row.plan), ink);
    } else {
        unreadable_code(payer, ink);
    }
    if ink.hit(Quirk::NullElement) {
        ink.raw(",\"synonym\":null,\"doseForm\":null");
    }
    match row.status {
        EntryStatus::Active if ink.hit(Quirk::StatusMissing) => {}
        EntryStatus::Active => {
            ink.raw(",\"status\":\"active\"");
        }
        EntryStatus::Inactive => {
            ink.raw(",\"status\":\"inactive\"");
        }
        EntryStatus::InError => {
            ink.raw(",\"status\":\"entered-in-error\"");
        }
    }
    ink.raw("}");
}

/// Writes a drug without a plan.
pub(crate) fn medication(payer: &MadePayer, package: u32, id: &str, ink: &mut Ink<'_>) {
    ink.open("Medication", id, payer.shape().year).raw("}");
    code(payer, Drug::Package(package), None, ink);
    if ink.hit(Quirk::NullElement) {
        ink.raw(",\"form\":null");
    }
    ink.raw(",\"status\":\"active\"}");
}

fn extensions(payer: &MadePayer, row: &Row, ink: &mut Ink<'_>) {
    let mut order = [0, 1, 2, 3, 4];
    if ink.hit(Quirk::ExtensionsReordered) {
        order.reverse();
    }
    let mut first = true;
    let stated = row.stated;
    for which in order {
        match which {
            0 => {
                if let Some(tier) = stated.tier {
                    comma(&mut first, ink);
                    tiers(payer, tier, stated, ink);
                }
            }
            1 => flag(&mut first, "usdf-PriorAuthorization-extension", stated.prior_authorization, 1, ink),
            2 => flag(&mut first, "usdf-StepTherapyLimit-extension", stated.step_therapy, 2, ink),
            3 => flag(&mut first, "usdf-QuantityLimit-extension", stated.quantity_limit, 3, ink),
            _ => plan_id(&mut first, payer, row, ink),
        }
    }
    if ink.hit(Quirk::UnknownExtension) {
        comma(&mut first, ink);
        ink.raw("{").field("url", &format!("{}/Segment", payer.shape().glossary)).raw(",\"valueInteger\":7}");
    }
}

fn comma(first: &mut bool, ink: &mut Ink<'_>) {
    if !std::mem::take(first) {
        ink.raw(",");
    }
}

fn extension_url(name: &str, nth: u64, ink: &mut Ink<'_>) {
    let base = if ink.hit_at(Quirk::CanonicalSpelling, nth) {
        ["http://hl7.org/fhir/us/Davinci-drug-formulary", "https://hl7.org/fhir/us/davinci-drug-formulary"]
            .get(usize::from(ink.draw(41).hits(500_000)))
            .copied()
            .unwrap_or_default()
    } else {
        "http://hl7.org/fhir/us/davinci-drug-formulary"
    };
    ink.raw("{\"url\":\"").raw(base).raw("/StructureDefinition/").raw(name).raw("\",");
}

fn tiers(payer: &MadePayer, tier: Tier, stated: Stated, ink: &mut Ink<'_>) {
    extension_url("usdf-DrugTierID-extension", 0, ink);
    ink.raw("\"valueCodeableConcept\":{\"coding\":");
    let as_object = stated.second_tier.is_none() && ink.hit_at(Quirk::CodingAsObject, 1);
    ink.raw(if as_object { "" } else { "[" });
    for (nth, tier) in std::iter::once(tier).chain(stated.second_tier).enumerate() {
        ink.raw(if nth > 0 { ",{" } else { "{" });
        if !ink.hit(Quirk::TierWithoutSystem) {
            ink.raw("\"system\":\"").raw(&payer.shape().glossary).raw("/DrugTierID\",");
        }
        let is_number = tier.code().bytes().all(|b| b.is_ascii_digit());
        if is_number && ink.hit(Quirk::TierCodeAsNumber) {
            ink.raw("\"code\":").raw(tier.code());
        } else {
            ink.field("code", tier.code());
        }
        match tier.display() {
            // Nothing but its words explains what `SP` is.
            Some(display) if tier.code() == "SP" || !ink.hit(Quirk::TierWithoutDisplay) => {
                ink.raw(",").field("display", display);
            }
            _ => {}
        }
        match tier.code() {
            "SP" => ink.note(Quirk::SpecialtySelect),
            "X9" | "6" => ink.note(Quirk::UnknownTier),
            _ => {}
        }
        ink.raw("}");
    }
    ink.raw(if as_object { "}}" } else { "]}}" });
}

fn flag(first: &mut bool, name: &str, value: Option<bool>, nth: u64, ink: &mut Ink<'_>) {
    let text = match value {
        Some(value) if ink.hit_at(Quirk::FlagAsText, nth) => {
            if value {
                "\"true\""
            } else {
                "\"false\""
            }
        }
        Some(true) => "true",
        Some(false) => "false",
        // Not stated, in one of two ways.
        None if ink.draw(50 + nth).hits(500_000) => {
            ink.note(Quirk::FlagNull);
            "null"
        }
        None => {
            ink.note(Quirk::FlagAbsent);
            return;
        }
    };
    comma(first, ink);
    extension_url(name, nth, ink);
    ink.raw("\"valueBoolean\":").raw(text);
    if ink.hit_at(Quirk::DuplicateKey, nth) {
        ink.raw(",\"valueBoolean\":").raw(text);
    }
    ink.raw("}");
}

fn plan_id(first: &mut bool, payer: &MadePayer, row: &Row, ink: &mut Ink<'_>) {
    let plan = match row.plan_id {
        PlanIdShown::Own => row.plan,
        PlanIdShown::Foreign(other) => other,
        PlanIdShown::Absent => return,
    };
    let Some(plan) = payer.plans().get(plan as usize) else { return };
    comma(first, ink);
    extension_url("usdf-PlanID-extension", 4, ink);
    ink.raw("\"valueString\":\"");
    if ink.hit(Quirk::PlanIdSpelling) {
        let spelled = plan.id.to_string().to_lowercase().replace('-', " ");
        ink.raw(&spelled);
    } else {
        let _ = write!(ink.out, "{}", plan.id);
    }
    ink.raw("\"}");
}

/// What a coding of a drug is.
#[derive(Clone, Copy)]
enum Coding {
    Ndc11,
    Hl7,
    Product,
    Rxnorm(Rxcui),
    Junk,
    NoSystem,
}

fn code(payer: &MadePayer, drug: Drug, plan: Option<u32>, ink: &mut Ink<'_>) {
    ink.raw(",\"code\":{");
    let package = match drug {
        Drug::Package(index) | Drug::Clinical { like: index, .. } => Package::of(index),
        Drug::Packless(_) => None,
    };
    let mut codings: Vec<Coding> = Vec::with_capacity(8);
    let mut bare = false;
    match drug {
        Drug::Package(index) => {
            bare = payer.is_bare(index, plan);
            let no_ndc11 = !bare && ink.hit(Quirk::NoNdc11);
            if bare {
                ink.note(Quirk::Ndc11Only);
            }
            if !no_ndc11 {
                codings.push(Coding::Ndc11);
            }
            if !bare {
                codings.extend([Coding::Hl7, Coding::Product]);
                codings.extend(payer.codes_shown(index, plan, ink).into_iter().map(Coding::Rxnorm));
            }
        }
        Drug::Clinical { code, .. } => codings.push(Coding::Rxnorm(code)),
        Drug::Packless(n) => codings.extend(crate::drugs::packless_drug(n).map(Coding::Rxnorm)),
    }
    let only_one = codings.len() == 1;
    if !bare && ink.hit(Quirk::JunkCoding) {
        codings.push(Coding::Junk);
    }
    if !bare && package.is_some() && ink.hit(Quirk::CodingWithoutSystem) {
        codings.push(Coding::NoSystem);
    }
    if codings.len() > 1 && ink.hit(Quirk::CodingsReordered) {
        codings.reverse();
    }
    let as_object = only_one && codings.len() == 1 && ink.hit_at(Quirk::CodingAsObject, 2);
    ink.raw(if as_object { "\"coding\":" } else { "\"coding\":[" });
    for (nth, coding) in codings.iter().enumerate() {
        ink.raw(if nth > 0 { ",{" } else { "{" });
        write_coding(payer, *coding, package.as_ref(), nth as u64, ink);
        ink.raw("}");
    }
    ink.raw(if as_object { "" } else { "]" });
    let text = match drug {
        Drug::Packless(n) => Some(packless_name(n)),
        _ => package.map(|p| p.text(payer.shape().seed)),
    };
    if !bare {
        match text {
            Some(_) if matches!(drug, Drug::Package(_)) && ink.hit(Quirk::TextMissing) => {
                if ink.draw(61).hits(100_000) {
                    ink.raw(",\"text\":\" \"");
                } else if ink.hit_at(Quirk::NullElement, 1) {
                    ink.raw(",\"text\":null");
                }
            }
            Some(text) => {
                ink.raw(",").field("text", &text);
            }
            None => {}
        }
    }
    ink.raw("}");
}

fn write_coding(payer: &MadePayer, coding: Coding, package: Option<&Package>, nth: u64, ink: &mut Ink<'_>) {
    let glossary = &payer.shape().glossary;
    match (coding, package) {
        (Coding::Ndc11, Some(package)) => {
            ink.raw("\"system\":\"").raw(glossary).raw("/ndc11\",\"code\":\"");
            let _ = write!(ink.out, "{}", package.ndc11);
            ink.raw("\"");
            if ink.hit(Quirk::Ndc11WithoutDisplay) {
            } else if ink.hit(Quirk::Ndc11DisplayIsName) {
                ink.raw(",").field("display", &package.text(payer.shape().seed));
            } else {
                ink.raw(",").field("display", &package.description);
            }
        }
        (Coding::Hl7, Some(package)) => {
            ink.raw("\"system\":\"").raw(HL7_NDC).raw("\",\"code\":\"");
            if ink.hit(Quirk::NdcWithoutHyphens) {
                let _ = write!(ink.out, "{}", package.ndc11);
            } else {
                ink.raw(&package.hyphenated);
            }
            ink.raw("\"");
        }
        (Coding::Product, Some(package)) => {
            ink.raw("\"system\":\"").raw(glossary).raw("/product_ndc\",");
            ink.field("code", &package.product_hyphenated).raw(",").field("display", package.label.name);
        }
        (Coding::Rxnorm(code), _) => {
            ink.raw("\"system\":\"").raw(RXNORM).raw("\",\"code\":");
            if ink.hit_at(Quirk::RxnormAsNumber, nth) {
                ink.number(code);
            } else {
                ink.raw("\"").number(code).raw("\"");
            }
        }
        (Coding::Junk, _) => {
            ink.raw("\"system\":\"").raw(glossary);
            ink.raw(match ink.draw(71).below(4) {
                0 => "/ndc11\",\"code\":\"undefined\"",
                1 => "/product_ndc\",\"code\":\"\",\"display\":null",
                2 => "/formularyDrugKey\",\"code\":null",
                _ => "/ndc11\",\"code\":\"00000000000\"",
            });
        }
        (Coding::NoSystem, Some(package)) => {
            let _ = write!(ink.out, "\"code\":\"{}\",", package.index);
            ink.field("display", package.label.generic);
        }
        (Coding::Ndc11 | Coding::Hl7 | Coding::Product | Coding::NoSystem, None) => {}
    }
}

/// Three ways of naming no drug.
fn unreadable_code(payer: &MadePayer, ink: &mut Ink<'_>) {
    let glossary = &payer.shape().glossary;
    match ink.draw(72).below(3) {
        0 => {}
        1 => {
            ink.raw(",\"code\":17");
        }
        _ => {
            ink.raw(",\"code\":{\"coding\":[{\"system\":\"").raw(glossary);
            ink.raw("/ndc11\",\"code\":\"undefined\"},{\"system\":\"").raw(RXNORM).raw("\",\"code\":\"n/a\"}]}");
        }
    }
}

/// A name that no drug of the table has.
pub(crate) fn packless_name(n: u32) -> String {
    let syllable = |at: u32| {
        ["zo", "ve", "lu", "xi", "ra", "pe", "mo", "qua", "ti", "sy", "bel", "dar", "nex", "ola", "fy"]
            .get((n / 15_u32.pow(at) % 15) as usize)
            .copied()
            .unwrap_or("zo")
    };
    let mut name = format!("{}{}{}vorex", syllable(0), syllable(1), syllable(2));
    if let Some(first) = name.get_mut(..1) {
        first.make_ascii_uppercase();
    }
    format!("{name} {} mg tablet", 5 * (1 + n % 8))
}
