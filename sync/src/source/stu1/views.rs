//! The little that the fetcher must understand of resources to know what else to fetch: which plans
//! there are, what Lists and roles refer to, what the server says it can do. What resources mean is
//! understood elsewhere.

use std::collections::BTreeSet;

use coverdex_core::build::fold_system;

use coverdex_core::{NetworkKey, PlanId};
use serde_json::Value;

use crate::fhir::json;
use crate::fhir::page::{self, Body, CHECKED, Entry};
use crate::status;

/// A formulary List's profile (formulary guide STU1, `usdf-CoveragePlan`).
pub(crate) const LIST_PROFILE: &str =
    "http://hl7.org/fhir/us/davinci-drug-formulary/StructureDefinition/usdf-CoveragePlan";

/// The resources of one type in a body that was an answer: a page's entries, or the one resource that it is.
pub(crate) fn entries<'a>(text: &'a str, resource_type: &str) -> Vec<Entry<'a>> {
    match page::look(text, resource_type, CHECKED) {
        Body::Bundle(mut bundle) => {
            bundle.entries.retain(|entry| entry.resource_type == resource_type);
            bundle.entries
        }
        Body::Resource(entry) => vec![entry],
        _ => Vec::new(),
    }
}

/// What a reference leads to: type and id, or `None` where it leads nowhere that can be fetched
/// (contained, `urn:uuid:`, a bare id without a type). `by_field` is the type that the field implies.
pub(crate) fn reference_target<'a>(text: &'a str, by_field: Option<&'a str>) -> Option<(&'a str, &'a str)> {
    let text = text.trim();
    if text.is_empty() || text.starts_with('#') || text.starts_with("urn:") {
        return None;
    }
    let text = text.split('?').next().unwrap_or_default().trim_end_matches('/');
    let versionless = text.split("/_history/").next().unwrap_or_default();
    match versionless.rsplit_once('/') {
        Some((head, id)) => {
            let resource_type = head.rsplit('/').next().unwrap_or_default();
            let is_type = resource_type.starts_with(|c: char| c.is_ascii_uppercase())
                && resource_type.bytes().all(|b| b.is_ascii_alphanumeric());
            (is_type && !id.is_empty()).then_some((resource_type, id))
        }
        None => by_field.map(|resource_type| (resource_type, versionless)),
    }
}

/// The MedicationKnowledge ids that a List refers to, in its order.
pub(crate) fn list_references(list: &str, found: &mut dyn FnMut(&str)) {
    let mut items = None;
    let _ = json::object(list, |key, value| {
        if key == "entry" {
            items = Some(value);
        }
    });
    let _ = json::list(items.unwrap_or("null"), |item| {
        let (mut reference, mut deleted) = (None, false);
        let _ = json::object(item, |key, value| match key {
            "item" => reference = Some(value),
            "deleted" => deleted = json::string(value).is_some_and(|v| v == "true"),
            _ => {}
        });
        if let Some(reference) = reference.filter(|_| !deleted) {
            json::references(reference, &mut |_, text| {
                if let Some(("MedicationKnowledge", id)) = reference_target(text, Some("MedicationKnowledge")) {
                    found(id);
                }
            });
        }
    });
}

/// Whether a List holds: not retired, not entered in error.
pub(crate) fn list_is_current(list: &str) -> bool {
    let mut current = true;
    let _ = json::object(list, |key, value| {
        if key == "status" {
            current = !json::string(value).is_some_and(|text| status::is_withdrawn(&text));
        }
    });
    current
}

/// Identifier values of a resource (`identifier[].value`).
pub(crate) fn identifiers(resource: &str) -> Vec<String> {
    let mut values = Vec::new();
    let _ = json::object(resource, |key, value| {
        if key == "identifier" {
            values.clear();
            let _ = json::list(value, |identifier| {
                let _ = json::object(identifier, |key, value| {
                    if key == "value" {
                        values.extend(json::string(value).map(|v| v.trim().to_owned()));
                    }
                });
            });
        }
    });
    values
}

/// The plan that a formulary entry names (`usdf-PlanID-extension`), as written.
pub(crate) fn entry_plan(entry: &str) -> Option<String> {
    let mut plan = None;
    let _ = json::object(entry, |key, value| {
        if key != "extension" {
            return;
        }
        let _ = json::list(value, |extension| {
            let (mut is_plan, mut text) = (false, None);
            let _ = json::object(extension, |key, value| match key {
                "url" => {
                    is_plan = json::string(value).is_some_and(|url| {
                        let url = url.split('|').next().unwrap_or_default().trim_end_matches('/');
                        url.rsplit('/').next().is_some_and(|tail| tail.eq_ignore_ascii_case("usdf-PlanID-extension"))
                    });
                }
                "valueString" => text = json::string(value).map(|v| v.trim().to_owned()),
                _ => {}
            });
            if is_plan && text.is_some() {
                plan = text;
            }
        });
    });
    plan
}

/// What resources of the directory and plans refer to: `found` gets the type and the id of each
/// HealthcareService, Practitioner, Organization and Location.
pub(crate) fn directory_references(resource: &str, found: &mut dyn FnMut(&str, &str)) {
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
        if let Some((resource_type @ ("HealthcareService" | "Practitioner" | "Organization" | "Location"), id)) =
            reference_target(text, by_field)
        {
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

/// Reads an InsurancePlan. There are few of them: a tree may be built.
pub(crate) fn plan_view(resource: &str) -> PlanView {
    let plan: Value = serde_json::from_str(resource).unwrap_or_default();
    let mut view = PlanView::default();
    let of_system = |v: &Value| v.get("system").and_then(Value::as_str).map(fold_system).unwrap_or_default();
    for part in each(&plan, "plan") {
        let ids: Vec<&Value> = each(part, "identifier").collect();
        let named = ids.iter().filter(|id| of_system(id).ends_with("/planid")).count() > 0;
        let wanted = ids.into_iter().filter(|id| !named || of_system(id).ends_with("/planid"));
        view.ids.extend(wanted.filter_map(|id| scalar(id.get("value"))));
        networks(part, &mut view.networks);
    }
    if view.ids.is_empty() {
        view.ids.extend(each(&plan, "identifier").filter_map(|id| scalar(id.get("value"))));
    }
    networks(&plan, &mut view.networks);
    view.area_known = true;
    let mut areas = 0;
    for place in each(&plan, "contained").filter(|c| c.get("resourceType").and_then(Value::as_str) == Some("Location"))
    {
        areas += 1;
        let by_identifier = each(place, "identifier").find(|id| of_system(id).contains("usps-state"));
        let state = by_identifier
            .and_then(|id| scalar(id.get("value")))
            .or_else(|| scalar(place.get("address").and_then(|a| a.get("state"))))
            .map(|state| state.to_ascii_uppercase())
            .filter(|state| state.len() == 2);
        match state {
            Some(state) => drop(view.states.insert(state)),
            None => view.area_known = false,
        }
    }
    // Areas that stand elsewhere are not looked up: such a plan is in every state that is asked for.
    let outside = each(&plan, "coverageArea")
        .filter_map(|area| area.get("reference").and_then(Value::as_str))
        .any(|reference| !reference.starts_with('#'));
    view.area_known &= areas > 0 && !outside;
    view
}

fn networks(of: &Value, into: &mut BTreeSet<NetworkKey>) {
    for network in each(of, "network") {
        let identifier = network.get("identifier");
        let part = |name: &str| identifier.and_then(|i| scalar(i.get(name)));
        if let (Some(system), Some(id)) = (part("system"), part("value")) {
            into.extend(NetworkKey::new(&system, &id).ok());
        }
    }
}

/// The elements of a field that should be a list.
fn each<'a>(of: &'a Value, field: &str) -> impl Iterator<Item = &'a Value> {
    let (list, single) = match of.get(field) {
        Some(Value::Array(list)) => (list.as_slice(), None),
        Some(single @ Value::Object(_)) => (&[] as &[Value], Some(single)),
        _ => (&[] as &[Value], None),
    };
    list.iter().chain(single)
}

fn scalar(value: Option<&Value>) -> Option<String> {
    let text = match value? {
        Value::String(text) => text.trim().to_owned(),
        Value::Number(number) => number.to_string(),
        _ => return None,
    };
    (!text.is_empty()).then_some(text)
}

/// What the CapabilityStatement offers: a hint, never a proof.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Offers {
    /// `Type` for a search, `Type?parameter` for a parameter, `Type@etag` for conditional reads,
    /// `Type@` for a type that it names at all.
    offered: BTreeSet<String>,
}

impl Offers {
    /// Reads a CapabilityStatement.
    pub(crate) fn read(statement: &str) -> Self {
        let statement: Value = serde_json::from_str(statement).unwrap_or_default();
        let mut offered = BTreeSet::new();
        for resource in each(&statement, "rest").flat_map(|rest| each(rest, "resource")) {
            let Some(name) = resource.get("type").and_then(Value::as_str) else { continue };
            offered.insert(format!("{name}@"));
            let can_search = each(resource, "interaction")
                .any(|i| i.get("code").and_then(Value::as_str).is_some_and(|code| code == "search-type"));
            if can_search {
                offered.insert(name.to_owned());
            }
            for parameter in each(resource, "searchParam").filter_map(|p| p.get("name").and_then(Value::as_str)) {
                offered.insert(format!("{name}?{parameter}"));
            }
            let conditional = resource.get("conditionalRead").and_then(Value::as_str);
            if matches!(conditional, Some("not-match" | "full-support")) {
                offered.insert(format!("{name}@etag"));
            }
        }
        Self { offered }
    }

    /// Whether the statement could be read and names any types.
    pub(crate) fn are_known(&self) -> bool {
        !self.offered.is_empty()
    }

    /// Whether the statement names a type, for whatever interaction.
    pub(crate) fn lists(&self, resource_type: &str) -> bool {
        self.offered.contains(&format!("{resource_type}@"))
    }

    /// Whether a type can be searched without parameters.
    pub(crate) fn search(&self, resource_type: &str) -> bool {
        self.offered.contains(resource_type)
    }

    /// Whether a search takes a parameter.
    pub(crate) fn parameter(&self, resource_type: &str, parameter: &str) -> bool {
        self.offered.contains(&format!("{resource_type}?{parameter}"))
    }

    /// Whether single reads can be conditional.
    pub(crate) fn conditional(&self, resource_type: &str) -> bool {
        self.offered.contains(&format!("{resource_type}@etag"))
    }
}

/// A plan id as it is compared: its normal form.
pub(crate) fn normal_plan(text: &str) -> Option<PlanId> {
    PlanId::parse(text).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn references_in_all_their_forms() {
        for (text, by_field, expected) in [
            ("Location/1", None, Some(("Location", "1"))),
            ("https://h/api/Location/a.b-c", None, Some(("Location", "a.b-c"))),
            ("https://h/api/Location/1/_history/3", None, Some(("Location", "1"))),
            ("Location/1/_history/3", None, Some(("Location", "1"))),
            ("1", Some("Location"), Some(("Location", "1"))),
            ("1", None, None),
            ("#c", Some("Location"), None),
            ("urn:uuid:1", Some("Location"), None),
            ("https://h/1", None, None),
            ("", Some("Location"), None),
        ] {
            assert_eq!(reference_target(text, by_field), expected, "{text}");
        }
    }

    #[test]
    fn lists_and_entries() {
        let list = r#"{"identifier":[{"value":"H1234-567-000-2026"},{"value":7}],"entry":[
            {"item":{"reference":"MedicationKnowledge/1"}},{"item":{"reference":"https://h/api/MedicationKnowledge/2"}},
            {"deleted":true,"item":{"reference":"MedicationKnowledge/3"}},{"item":{"reference":"4"}},
            {"item":{"reference":"Medication/5"}},{"item":null},{}],"source":{"reference":"Organization/9"}}"#;
        let mut ids = Vec::new();
        list_references(list, &mut |id| ids.push(id.to_owned()));
        assert_eq!(ids, ["1", "2", "4"]);
        assert_eq!(identifiers(list), ["H1234-567-000-2026", "7"]);
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
        assert_eq!(view.states, ["MD", "VA"].map(str::to_owned).into());
        assert!(view.area_known);
        let networks: Vec<_> = view.networks.iter().map(ToString::to_string).collect();
        assert_eq!(networks, ["https://g/PharmacyNetworkId|7", "https://g/VisionNetworkID|12"]);
        let elsewhere = plan_view(r#"{"coverageArea":[{"reference":"Location/1"}],"identifier":[{"value":"X"}]}"#);
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

    #[test]
    fn capabilities() {
        let offers = Offers::read(
            r#"{"rest":[{"resource":[{"type":"Location","interaction":[{"code":"read"},{"code":"search-type"}],
                "searchParam":[{"name":"_id"},{"name":"_lastUpdated"}],"conditionalRead":"full-support"},
                {"type":"Organization","interaction":[{"code":"read"}]}]}]}"#,
        );
        assert!(offers.search("Location") && offers.parameter("Location", "_id") && offers.conditional("Location"));
        assert!(
            !offers.search("Organization")
                && !offers.parameter("Location", "name")
                && !offers.conditional("Organization")
        );
        assert!(offers.are_known() && offers.lists("Organization") && !offers.lists("HealthcareService"));
        assert_eq!(Offers::read("no JSON"), Offers::default());
        assert!(!Offers::default().are_known());
    }
}
