//! List: a part of one plan's formulary.

use super::Ink;
use crate::payer::{MadePayer, Reference};
use crate::quirks::Quirk;
use crate::{PROFILE_COVERAGE_PLAN, ResourceType};

/// Writes List `part` of a plan.
pub(crate) fn list(payer: &MadePayer, plan: u32, part: u64, id: &str, ink: &mut Ink<'_>) {
    let Some(plan) = payer.plans().get(plan as usize) else { return };
    ink.open("List", id, payer.shape().year);
    ink.raw(",\"profile\":[").text(PROFILE_COVERAGE_PLAN).raw("]},");
    let as_object = ink.hit(Quirk::IdentifierAsObject);
    let system = format!("{}/PlanId", payer.shape().glossary);
    ink.raw(if as_object { "\"identifier\":{" } else { "\"identifier\":[{" });
    ink.field("system", &system).raw(",").field("value", &plan.id.to_string());
    ink.raw(if as_object { "}," } else { "}]," });
    ink.raw("\"status\":\"current\",\"mode\":\"snapshot\",").field("title", &plan.name).raw(",\"entry\":[");
    let references = payer.references_of_list(plan.number, part);
    let mut first = true;
    let mut target = String::with_capacity(64);
    for (nth, reference) in references.enumerate() {
        let nth = nth as u64;
        if !std::mem::take(&mut first) {
            ink.raw(",");
        }
        if let Reference::Nothing(n) = reference
            && payer.has_no_reference(n)
        {
            ink.note(Quirk::EntryWithoutReference);
            ink.raw("{\"item\":{\"display\":\"not available\"}}");
            continue;
        }
        target.clear();
        payer.push_target(plan.number, reference, &mut target);
        match reference {
            Reference::Nothing(_) => ink.note(Quirk::ReferenceToNothing),
            Reference::Again(_) => ink.note(Quirk::ReferenceInTwoLists),
            Reference::Row(_) | Reference::Missing(_) => {}
        }
        ink.raw("{\"item\":{\"reference\":\"");
        if ink.hit_at(Quirk::ReferenceSpelling, nth) {
            if nth.is_multiple_of(2) {
                ink.raw(payer.base()).raw("/").raw(ResourceType::MedicationKnowledge.name()).raw("/").raw(&target);
            } else {
                ink.raw(ResourceType::MedicationKnowledge.name()).raw("/").raw(&target).raw("/_history/2");
            }
        } else {
            ink.raw(ResourceType::MedicationKnowledge.name()).raw("/").raw(&target);
        }
        ink.raw("\"}}");
    }
    ink.raw("]}");
}
