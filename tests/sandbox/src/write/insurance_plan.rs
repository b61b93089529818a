//! InsurancePlan: plans with their networks and service areas.

use super::Ink;
use crate::payer::MadePayer;
use crate::plans::{InsuranceResource, Kind, Plan};
use crate::quirks::Quirk;

const STATE_SYSTEM: &str = "http://hl7.org/fhir/us/core/2021Jan/ValueSet-us-core-usps-state.html";

/// Writes one InsurancePlan resource.
pub(crate) fn insurance_plan(payer: &MadePayer, resource: &InsuranceResource, id: &str, ink: &mut Ink<'_>) {
    let plans: Vec<&Plan> = resource.plans.iter().filter_map(|n| payer.plans().get(*n as usize)).collect();
    let Some(first) = plans.first() else { return };
    if plans.len() > 1 {
        ink.note(Quirk::SeveralPlansInOne);
    }
    if resource.half.is_some() {
        ink.note(Quirk::PlanInSeveral);
    }
    ink.open("InsurancePlan", id, payer.shape().year).raw("},");
    areas(payer, first, resource.half, ink);
    let market = match first.kind {
        Kind::Group => "Medicare Group",
        Kind::Medicaid => "Medicaid",
        _ => "Medicare Individual",
    };
    ink.raw("\"status\":\"active\",\"type\":[{").field("text", market).raw("}],").field("name", &first.name).raw(",");
    networks(payer, first, resource.half, ink);
    ink.raw("\"plan\":[");
    for (nth, plan) in plans.iter().enumerate() {
        if nth > 0 {
            ink.raw(",");
        }
        let glossary = &payer.shape().glossary;
        let mut written = plan.id.to_string();
        if ink.hit_at(Quirk::PlanIdSpelling, nth as u64) {
            written = written.to_lowercase();
        }
        ink.raw("{\"identifier\":[{").field("system", &format!("{glossary}/PlanId")).raw(",");
        ink.field("value", &written).raw("}]");
        if plan.type_stated {
            ink.raw(",\"type\":{\"coding\":[{").field("system", &format!("{glossary}/PlanType")).raw(",");
            ink.field("code", plan.kind.type_code()).raw("}]}");
        } else {
            ink.note(Quirk::PlanTypeMissing);
        }
        ink.raw("}");
    }
    ink.raw("]}");
}

/// Whether the `nth` of something stands in this half of a plan that has two resources. The first
/// stands in both, so that both have something.
fn in_half(nth: usize, half: Option<u8>) -> bool {
    half.is_none_or(|half| nth == 0 || nth % 2 == usize::from(half))
}

fn areas(payer: &MadePayer, plan: &Plan, half: Option<u8>, ink: &mut Ink<'_>) {
    let county_system = format!("{}/County", payer.shape().glossary);
    ink.raw("\"contained\":[");
    let mut first = true;
    for (nth, area) in plan.areas.iter().enumerate().filter(|(nth, _)| in_half(*nth, half)) {
        if !std::mem::take(&mut first) {
            ink.raw(",");
        }
        ink.raw("{\"resourceType\":\"Location\",\"id\":\"coverage-").number(nth + 1).raw("\",\"identifier\":[");
        let county_first = ink.draw(31).and(nth as u64).hits(300_000);
        let state = |ink: &mut Ink<'_>| {
            ink.raw("{").field("system", STATE_SYSTEM).raw(",").field("value", area.state).raw("}");
        };
        if let Some(county) = &area.county {
            if !county_first {
                state(ink);
                ink.raw(",");
            }
            ink.raw("{").field("system", &county_system).raw(",").field("value", county).raw("}");
            if county_first {
                ink.raw(",");
                state(ink);
            }
            match area.fips.and_then(crate::counties::find) {
                None => ink.note(Quirk::CountyUnknown),
                Some(known) if known.full_name() != *county => ink.note(Quirk::CountySpelling),
                Some(_) => {}
            }
        } else {
            ink.note(Quirk::StatewideArea);
            state(ink);
        }
        ink.raw("]}");
    }
    ink.raw("],");
}

fn networks(payer: &MadePayer, plan: &Plan, half: Option<u8>, ink: &mut Ink<'_>) {
    ink.raw("\"network\":[");
    let mut first = true;
    let theirs = plan.networks.iter().filter_map(|n| payer.networks().get(*n as usize));
    for (nth, network) in theirs.enumerate().filter(|(nth, _)| in_half(*nth, half)) {
        if !std::mem::take(&mut first) {
            ink.raw(",");
        }
        let other_case = ink.hit_at(Quirk::NetworkSystemCase, nth as u64);
        let system = if other_case { network.purpose.other_system() } else { network.purpose.system() };
        let label = if ink.hit_at(Quirk::NetworkLabel, nth as u64) {
            format!("{} (national)", network.label)
        } else {
            network.label.clone()
        };
        ink.raw("{\"identifier\":{").field("system", &format!("{}/{system}", payer.shape().glossary)).raw(",");
        ink.field("value", &network.id).raw("},").field("display", &label).raw("}");
    }
    ink.raw("],");
}
