//! The little that planning a sync must understand of resources to know what else to fetch: which plans there
//! are, what Lists and roles refer to. It is read by the pieces that the building reads with.

use std::collections::BTreeSet;

use coverdex_core::{NetworkKey, PlanId};

use crate::fhir::json;
use crate::fhir::page::{Entry, content_key};
use crate::fhir::reference::{id_at_payer, split};
use crate::model::{Content, DrugList, Fact};
use crate::source::fhir::{Outcome, entry_plan_spellings, plan_spellings, read_resource};

/// A formulary List's profile (formulary guide STU1, `usdf-CoveragePlan`).
pub(crate) const LIST_PROFILE: &str =
    "http://hl7.org/fhir/us/davinci-drug-formulary/StructureDefinition/usdf-CoveragePlan";

/// What a resource says, where it can be understood.
fn fact(resource: &str) -> Option<Fact> {
    match read_resource(resource.as_bytes()) {
        Outcome::Received(received, _) => match received.content {
            Content::Fact(fact) => Some(fact),
            Content::Quarantined(_) | Content::OfNoUse(_) => None,
        },
        _ => None,
    }
}

/// A List, if it is one of a formulary and holds: not retired, not entered in error.
pub(crate) fn current_list(resource: &str) -> Option<DrugList> {
    match fact(resource)? {
        Fact::DrugList(list) if list.current => Some(list),
        _ => None,
    }
}

/// The MedicationKnowledge ids that a List refers to, in its order.
pub(crate) fn list_references(list: &str, found: &mut dyn FnMut(&str)) {
    let [items] = json::members_or_none(list, ["entry"]);
    let _ = json::list(items.unwrap_or("null"), |item| {
        let [item, deleted] = json::members_or_none(item, ["item", "deleted"]);
        let is_deleted = json::word(deleted).is_some_and(|word| word.eq_ignore_ascii_case("true") || word == "1");
        if let Some(item) = item.filter(|_| !is_deleted) {
            json::references(item, &mut |_, text| {
                if let Some(id) = id_at_payer(text, "MedicationKnowledge") {
                    found(id);
                }
            });
        }
    });
}

/// The plan that a formulary entry names, as written.
pub(crate) fn entry_plan(entry: &str) -> Option<String> {
    let mut plans = entry_plan_spellings(entry);
    let (_, spelling) = plans.pop_first()?;
    plans.is_empty().then_some(spelling)
}

/// What resources of the directory and plans refer to: `found` gets the type and the id of each
/// HealthcareService, Practitioner, Organization and Location.
pub(crate) fn directory_references(resource: &str, found: &mut dyn FnMut(&'static str, &str)) {
    const TYPES: [&str; 4] = ["HealthcareService", "Practitioner", "Organization", "Location"];
    json::references(resource, &mut |field, text| {
        let by_field = match field {
            "practitioner" => Some("Practitioner"),
            "organization" | "participatingOrganization" | "providedBy" | "network" | "ownedBy" | "administeredBy" => {
                Some("Organization")
            }
            "location" | "coverageArea" => Some("Location"),
            "healthcareService" => Some("HealthcareService"),
            _ => None,
        };
        let written = split(text).and_then(|parts| parts.kind);
        let of_type = |kind: &str| TYPES.into_iter().find(|known| known.eq_ignore_ascii_case(kind));
        let Some(resource_type) = written.or(by_field).and_then(of_type) else { return };
        if let Some(id) = id_at_payer(text, resource_type) {
            found(resource_type, id);
        }
    });
}

/// A plan as the planning of a sync must know it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct PlanView {
    /// Plan ids as written; several `plan[]` may share name, area and networks.
    pub(crate) ids: BTreeSet<String>,
    /// Two-letter states of its service area; empty where it cannot be told.
    pub(crate) states: BTreeSet<String>,
    /// Whether every part of its area is in a state that is known.
    pub(crate) area_known: bool,
    /// Its networks, as received.
    pub(crate) networks: BTreeSet<NetworkKey>,
}

/// Reads an InsurancePlan.
pub(crate) fn plan_view(resource: &str) -> PlanView {
    let mut view = PlanView::default();
    let Some(Fact::Plans(plans)) = fact(resource) else { return view };
    let spellings = plan_spellings(resource);
    view.area_known = true;
    for plan in plans {
        view.ids.insert(spellings.get(&plan.plan).cloned().unwrap_or_else(|| plan.plan.to_string()));
        view.networks.extend(plan.networks.into_iter().map(|network| network.key));
        for area in &plan.areas {
            let state = area.state.as_deref().map(str::to_ascii_uppercase).filter(|state| state.len() == 2);
            match state {
                Some(state) => drop(view.states.insert(state)),
                None => view.area_known = false,
            }
        }
        // Areas that stand elsewhere are not looked up: such a plan is in every state that is asked for.
        view.area_known &= !plan.areas.is_empty() && plan.area_references.is_empty();
    }
    view
}

/// What an InsurancePlan is, and says of what is read of it.
pub(crate) fn plan_says(plan: &Entry<'_>) -> u128 {
    plan.key() ^ content_key(&format!("{:?}", fact(plan.json)))
}

/// A plan id as it is compared: its normal form.
pub(crate) fn normal_plan(text: &str) -> Option<PlanId> {
    PlanId::parse(text).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fhir::page;

    #[test]
    fn lists_and_entries() {
        let list = r#"{"resourceType":"List","identifier":[{"value":"H1234-567-000-2026"},{"value":7}],"entry":[
            {"item":{"reference":"MedicationKnowledge/1"}},{"item":{"reference":"https://h/api/MedicationKnowledge/2"}},
            {"deleted":true,"item":{"reference":"MedicationKnowledge/3"}},{"item":{"reference":"4"}},
            {"item":{"reference":"Medication/5"}},{"item":null},{},null],"source":{"reference":"Organization/9"}}"#;
        let mut ids = Vec::new();
        list_references(list, &mut |id| ids.push(id.to_owned()));
        assert_eq!(ids, ["1", "2", "4"]);
        let read = current_list(list).unwrap();
        assert_eq!(read.plans, [normal_plan("H1234-567-000-2026").unwrap()]);
        let keys: BTreeSet<u128> = ids.iter().map(|id| page::key("MedicationKnowledge", id)).collect();
        assert_eq!(keys, read.entries.iter().map(|entry| entry.0).collect(), "what is asked for is what is built from");
        assert_eq!(current_list(&list.replace("\"identifier\"", "\"status\":\"retired\",\"identifier\"")), None);
        let entry = r#"{"extension":[{"url":"x","valueString":"no"},
            {"url":"http://hl7.org/fhir/us/Davinci-drug-formulary/StructureDefinition/usdf-PlanID-extension","valueString":" H1234-567-000-2026 "}]}"#;
        assert_eq!(entry_plan(entry).as_deref(), Some("H1234-567-000-2026"));
        assert_eq!(entry_plan("{}"), None);
    }

    #[test]
    fn plans() {
        let plan = r##"{"resourceType":"InsurancePlan","contained":[
            {"resourceType":"Location","id":"a","identifier":[{"system":"https://g/County","value":"X"},
              {"system":"http://hl7.org/fhir/us/core/2021Jan/ValueSet-us-core-usps-state.html","value":"va"}]},
            {"resourceType":"Location","id":"b","address":{"state":"MD"}}],
            "coverageArea":[{"reference":"#a"}],
            "network":[{"identifier":{"system":"https://g/VisionNetworkID","value":"12"},"display":"Vision"},{"display":"no key"}],
            "plan":[{"identifier":[{"system":"https://g/PlanId","value":"H1"},{"system":"https://g/Other","value":"Z"}],
                     "network":{"identifier":{"system":"https://g/PharmacyNetworkId","value":7}}},
                    {"identifier":{"system":"https://g/PlanId","value":"H2"}}]}"##;
        let view = plan_view(plan);
        assert_eq!(view.ids, ["H1", "H2"].map(str::to_owned).into());
        assert_eq!(view.states, ["VA".to_owned()].into(), "the area is what coverageArea names");
        assert!(view.area_known);
        let networks: Vec<_> = view.networks.iter().map(ToString::to_string).collect();
        assert_eq!(networks, ["https://g/PharmacyNetworkId|7", "https://g/VisionNetworkID|12"]);
        let elsewhere = plan_view(
            r#"{"resourceType":"InsurancePlan","coverageArea":[{"reference":"Location/1"}],"identifier":[{"value":"X"}]}"#,
        );
        assert_eq!((elsewhere.ids.len(), elsewhere.area_known), (1, false));
        assert!(!plan_view("{}").area_known);
        assert_eq!(plan_view("junk"), plan_view("null"));
    }

    #[test]
    fn directory_references_by_field_and_type() {
        let role = r##"{"practitioner":{"reference":"a"},"organization":{"reference":"Organization/b"},
            "location":[{"reference":"#x"},{"reference":"Location/c"}],"healthcareService":[{"reference":"HealthcareService/d"}],
            "extension":[{"valueReference":{"reference":"Organization/e"}}]}"##;
        let mut found = Vec::new();
        directory_references(role, &mut |t, id| found.push(format!("{t}/{id}")));
        assert_eq!(found, ["Practitioner/a", "Organization/b", "Location/c", "HealthcareService/d", "Organization/e"]);
        let affiliation = r#"{"organization":{"reference":"a"},"participatingOrganization":{"reference":"b"},
            "network":[{"reference":"c"}],"healthcareService":[{"reference":"d"}],"providedBy":{"reference":"e"},
            "endpoint":[{"reference":"Endpoint/f"}]}"#;
        let mut found = Vec::new();
        directory_references(affiliation, &mut |t, id| found.push(format!("{t}/{id}")));
        assert_eq!(
            found,
            ["Organization/a", "Organization/b", "Organization/c", "HealthcareService/d", "Organization/e"]
        );
    }
}
