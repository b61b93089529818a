//! A small payer in memory, with the API document's habits and what a test does to it.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::{Arc, Mutex};

use url::Url;

use crate::fetch::{Ask, BoxFuture, Reply, SendError, Transport};

pub(super) const BASE: &str = "https://fhir.example.test/api";
pub(super) const GLOSSARY: &str = "https://fhir.example.test/documentation/glossary";
const F: &str = "http://hl7.org/fhir/us/davinci-drug-formulary/StructureDefinition";

#[derive(Clone, Debug)]
pub(super) struct Resource {
    pub(super) id: String,
    pub(super) json: String,
    pub(super) updated: String,
    /// Searches do not show it.
    pub(super) by_id_only: bool,
}

/// What a test answers instead of the payer; `None` lets the payer answer.
pub(super) type Instead = Box<dyn Fn(&Url, &Payer) -> Option<Result<Reply, SendError>> + Send + Sync>;
/// What a test does to an answer before it is sent.
pub(super) type After = Box<dyn Fn(&Url, &mut Reply) + Send + Sync>;
/// What a test does to a search page before it is sent.
type Twist = Box<dyn Fn(&Url, &mut PageParts) + Send + Sync>;

pub(super) struct PageParts {
    pub(super) entries: Vec<String>,
    pub(super) next: Option<String>,
    pub(super) total: Option<String>,
    pub(super) offset: usize,
}

#[derive(Default)]
pub(super) struct Payer {
    pub(super) resources: Mutex<BTreeMap<&'static str, Vec<Resource>>>,
    pub(super) statement: Option<String>,
    pub(super) page_cap: usize,
    pub(super) instead: Option<Instead>,
    pub(super) twist: Option<Twist>,
    pub(super) after: Option<After>,
    /// `Type?parameter` that searches heed beyond the API document's, and `_summary` where they count.
    pub(super) heeds: BTreeSet<&'static str>,
    pub(super) etags: bool,
    pub(super) requests: Mutex<Vec<String>>,
}

fn ok(json: String) -> Reply {
    Reply { status: 200, body: json.into_bytes(), ..Reply::default() }
}

#[allow(clippy::unnecessary_wraps, reason = "it stands among replies that fail")]
pub(super) fn status(status: u16, body: &str) -> Result<Reply, SendError> {
    Ok(Reply { status, body: body.as_bytes().to_vec(), ..Reply::default() })
}

pub(super) const OUTCOME: &str =
    r#"{"resourceType":"OperationOutcome","issue":[{"severity":"error","code":"exception"}]}"#;

impl Payer {
    pub(super) fn answer(&self, ask: &Ask) -> Result<Reply, SendError> {
        let url = &ask.url;
        let relative = url.as_str().strip_prefix(BASE).unwrap_or(url.as_str()).trim_start_matches('/').to_owned();
        self.requests.lock().unwrap().push(relative.clone());
        assert!(ask.bearer.is_none(), "no token goes anywhere but to Coverage");
        if let Some(answer) = self.instead.as_ref().and_then(|instead| instead(url, self)) {
            return answer;
        }
        let path = relative.split('?').next().unwrap();
        if path == "metadata" {
            return self.statement.clone().map_or_else(|| status(404, ""), |text| Ok(ok(text)));
        }
        let (resource_type, id) = path.split_once('/').map_or((path, None), |(t, id)| (t, Some(id)));
        let resources = self.resources.lock().unwrap();
        let Some((resource_type, of_type)) = resources.get_key_value(resource_type) else { return status(404, "") };
        if let Some(id) = id {
            let Some(found) = of_type.iter().find(|r| r.id == id) else { return status(404, OUTCOME) };
            return Ok(self.with_etag(ask, ok(found.json.clone())));
        }
        let by_id_only = matches!(*resource_type, "Organization" | "Location");
        if by_id_only && !self.heeds.contains(*resource_type) {
            return status(404, OUTCOME);
        }
        let parameters: HashMap<_, _> = url.query_pairs().into_owned().collect();
        if *resource_type == "List" && !parameters.contains_key("_profile") && !parameters.contains_key("ct") {
            return status(400, OUTCOME);
        }
        let page = self.page(resource_type, of_type, url, &parameters);
        Ok(self.with_etag(ask, page))
    }

    fn with_etag(&self, ask: &Ask, reply: Reply) -> Reply {
        if !self.etags {
            return reply;
        }
        let hash = reply.body.iter().fold(0u64, |h, b| h.wrapping_mul(31).wrapping_add(u64::from(*b)));
        let etag = format!("W/\"{hash}\"");
        if ask.etag.as_deref() == Some(&etag) {
            return Reply { status: 304, ..Reply::default() };
        }
        Reply { etag: Some(etag), ..reply }
    }

    fn page(&self, resource_type: &str, all: &[Resource], url: &Url, parameters: &HashMap<String, String>) -> Reply {
        let heeded = |name: &str| {
            let known = self.heeds.contains(format!("{resource_type}?{name}").as_str());
            parameters.get(name).filter(|_| known)
        };
        let contains = |r: &Resource, text: &str| r.json.contains(&format!("\"{text}\""));
        let found: Vec<&Resource> = all
            .iter()
            .filter(|r| !r.by_id_only)
            .filter(|r| resource_type != "List" || parameters.get("identifier").is_none_or(|plan| contains(r, plan)))
            .filter(|r| heeded("DrugPlan").is_none_or(|plan| contains(r, plan)))
            .filter(|r| heeded("_id").is_none_or(|ids| ids.split(',').any(|id| id == r.id)))
            .filter(|r| heeded("_lastUpdated").is_none_or(|since| since.trim_start_matches("ge") <= r.updated.as_str()))
            .filter(|r| {
                parameters.get("_tag").is_none_or(|tag| {
                    let (system, code) = tag.rsplit_once('|').unwrap();
                    r.json.contains(&format!("{{\"system\":\"{system}\",\"code\":\"{code}\"}}"))
                })
            })
            .filter(|r| parameters.get("active").is_none_or(|active| r.json.contains(&format!("\"active\":{active}"))))
            .collect();
        let asked = parameters.get("_count").map_or(10, |n| n.parse().unwrap());
        let count = asked.min(self.page_cap);
        let offset: usize = parameters.get("ct").map_or(0, |ct| ct.parse().unwrap());
        let entries = found.iter().skip(offset).take(count).map(|r| r.json.clone()).collect();
        let next = (offset + count < found.len()).then(|| {
            let mut next = url.clone();
            let kept: Vec<_> = url.query_pairs().into_owned().filter(|(name, _)| name != "ct").collect();
            next.query_pairs_mut().clear().extend_pairs(kept).append_pair("ct", &(offset + count).to_string());
            next.to_string()
        });
        let total = (resource_type == "Practitioner").then(|| found.len().to_string());
        if self.heeds.contains("_summary") && parameters.contains_key("_summary") {
            let total = Some(found.len().to_string());
            return ok(bundle(&PageParts { entries: Vec::new(), next: None, total, offset: 0 }));
        }
        let mut parts = PageParts { entries, next, total, offset };
        if let Some(twist) = &self.twist {
            twist(url, &mut parts);
        }
        ok(bundle(&parts))
    }

    pub(super) fn requests(&self) -> Vec<String> {
        std::mem::take(&mut self.requests.lock().unwrap())
    }

    /// All resources that a client can see, as `Type/id` and JSON.
    pub(super) fn visible(&self, types: &[&str]) -> BTreeMap<String, String> {
        let resources = self.resources.lock().unwrap();
        let of_types = resources.iter().filter(|(name, _)| types.is_empty() || types.contains(name));
        of_types.flat_map(|(name, all)| all.iter().map(move |r| (format!("{name}/{}", r.id), r.json.clone()))).collect()
    }

    pub(super) fn change(&self, resource_type: &'static str, change: impl FnOnce(&mut Vec<Resource>)) {
        change(self.resources.lock().unwrap().entry(resource_type).or_default());
    }
}

pub(super) fn bundle(parts: &PageParts) -> String {
    let entries: Vec<_> =
        parts.entries.iter().map(|json| format!("{{\"fullUrl\":\"urn:x\",\"resource\":{json}}}")).collect();
    let next = parts
        .next
        .as_ref()
        .map(|url| format!(",{{\"relation\":\"next\",\"url\":{}}}", serde_json::to_string(url).unwrap()));
    let total = parts.total.as_ref().map(|total| format!("\"total\":{total},")).unwrap_or_default();
    format!(
        "{{\"resourceType\":\"Bundle\",\"id\":\"{}\",\"type\":\"searchset\",{total}\"link\":[{{\"relation\":\"self\",\"url\":\"x\"}}{}],\"entry\":[{}]}}",
        parts.offset,
        next.unwrap_or_default(),
        entries.join(",")
    )
}

impl Transport for Payer {
    fn get(&self, ask: Ask) -> BoxFuture<'_, Result<Reply, SendError>> {
        Box::pin(async move {
            tokio::task::yield_now().await;
            let mut reply = self.answer(&ask)?;
            if let Some(after) = &self.after {
                after(&ask.url, &mut reply);
            }
            Ok(reply)
        })
    }
}

pub(super) fn resource(resource_type: &str, id: &str, updated: &str, rest: &str) -> Resource {
    let comma = if rest.is_empty() { "" } else { "," };
    let json = format!(
        r#"{{"resourceType":"{resource_type}","id":"{id}","meta":{{"versionId":"1","lastUpdated":"{updated}"}}{comma}{rest}}}"#
    );
    Resource { id: id.to_owned(), json, updated: updated.to_owned(), by_id_only: false }
}

pub(super) const PLANS: [&str; 4] =
    ["H1111-001-000-2026", "H1111-002-000-2026", "S2222-003-000-2026", "H1111-009-000-2026"];

pub(super) fn updated(i: usize) -> String {
    format!("2026-05-{:02}T00:00:{:02}Z", 1 + i / 60, i % 60)
}

pub(super) fn entry(id: &str, plan: &str, i: usize) -> Resource {
    let rest = format!(
        r#""extension":[{{"url":"{F}/usdf-PlanID-extension","valueString":"{plan}"}}],"code":{{"coding":[{{"system":"http://hl7.org/fhir/sid/ndc","code":"{:011}"}}]}}"#,
        10_000_000 + i
    );
    resource("MedicationKnowledge", id, &updated(i), &rest)
}

pub(super) fn list(id: &str, plan: &str, references: impl IntoIterator<Item = String>) -> Resource {
    let entries: Vec<_> =
        references.into_iter().map(|id| format!(r#"{{"item":{{"reference":"MedicationKnowledge/{id}"}}}}"#)).collect();
    let rest = format!(r#""status":"current","identifier":[{{"value":"{plan}"}}],"entry":[{}]"#, entries.join(","));
    resource("List", id, "2026-06-01T00:00:00Z", &rest)
}

/// Three plans with formularies and one without, 110 roles with whom and where they refer to.
pub(super) fn payer() -> Payer {
    let mut resources: BTreeMap<&'static str, Vec<Resource>> = BTreeMap::new();
    let plans = PLANS.iter().enumerate().map(|(i, plan)| {
        let state = ["FL", "GA", "FL", "TX"][i];
        let rest = format!(
            r#""contained":[{{"resourceType":"Location","id":"c","identifier":[{{"system":"http://hl7.org/fhir/us/core/2021Jan/ValueSet-us-core-usps-state.html","value":"{state}"}}]}}],"network":[{{"identifier":{{"system":"{GLOSSARY}/MedicalDentalNetworkId","value":"{}"}},"display":"N"}}],"plan":[{{"identifier":[{{"system":"{GLOSSARY}/PlanId","value":"{plan}"}}]}}]"#,
            i % 2
        );
        resource("InsurancePlan", &format!("plan{i}"), &updated(i), &rest)
    });
    resources.insert("InsurancePlan", plans.collect());
    let mut entries = Vec::new();
    let mut lists = Vec::new();
    for (p, (plan, count)) in PLANS.iter().zip([55, 40, 30]).enumerate() {
        let ids: Vec<_> = (0..count).map(|i| format!("mk{p}x{i}")).collect();
        entries.extend(ids.iter().enumerate().map(|(i, id)| entry(id, plan, i)));
        for (part, chunk) in ids.chunks(25).enumerate() {
            lists.push(list(&format!("list{p}x{part}"), plan, chunk.to_vec()));
        }
    }
    // One that searches hide, one that a List names but that answers 404, one that no List names.
    entries[3].by_id_only = true;
    entries[60].by_id_only = true;
    entries.remove(100);
    entries.push(entry("unlisted", PLANS[2], 77));
    resources.insert("MedicationKnowledge", entries);
    resources.insert("List", lists);
    let some = |name: &'static str, count: usize| {
        let named = if name == "Practitioner" { r#""name":[{"family":"Doe"}]"# } else { r#""name":"N""# };
        (0..count).map(move |i| resource(name, &format!("{}{i}", name.to_ascii_lowercase()), &updated(i), named))
    };
    let drug = |i: usize| {
        format!(
            r#""code":{{"coding":[{{"system":"http://www.nlm.nih.gov/research/umls/rxnorm","code":"{}"}}]}}"#,
            i + 1
        )
    };
    let medications = (0..45).map(|i| resource("Medication", &format!("medication{i}"), &updated(i), &drug(i)));
    resources.insert("Medication", medications.collect());
    resources.insert("Practitioner", some("Practitioner", 70).collect());
    resources.insert("Organization", some("Organization", 12).collect());
    resources.insert("Location", some("Location", 33).collect());
    let roles = (0..110).map(|i| {
        let rest = format!(
            r#""active":{},"practitioner":{{"reference":"Practitioner/practitioner{}"}},"location":[{{"reference":"Location/location{}"}}],"extension":[{{"url":"https://x/network-reference","valueReference":{{"reference":"Organization/organization{}"}}}}]"#,
            i % 5 != 0,
            i % 72,
            i % 34,
            i % 12
        );
        let mut role = resource("PractitionerRole", &format!("role{i}"), &updated(i), &rest);
        let tag = format!(r#""tag":[{{"system":"{GLOSSARY}/MedicalDentalNetworkId","code":"{}"}}],"versionId""#, i % 3);
        role.json = role.json.replacen("\"versionId\"", &tag, 1);
        role
    });
    resources.insert("PractitionerRole", roles.collect());
    Payer { resources: Mutex::new(resources), page_cap: 20, ..Payer::default() }
}

/// A CapabilityStatement that offers searches and their parameters.
pub(super) fn statement(offers: &[&str]) -> String {
    let mut types: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for offer in offers {
        let (name, parameter) = offer.split_once('?').unwrap_or((offer, ""));
        types.entry(name).or_default().extend((!parameter.is_empty()).then_some(parameter));
    }
    let types: Vec<_> = types
        .iter()
        .map(|(name, parameters)| {
            let parameters: Vec<_> = parameters.iter().map(|p| format!(r#"{{"name":"{p}"}}"#)).collect();
            format!(
                r#"{{"type":"{name}","interaction":[{{"code":"search-type"}}],"conditionalRead":"full-support","searchParam":[{}]}}"#,
                parameters.join(",")
            )
        })
        .collect();
    format!(r#"{{"resourceType":"CapabilityStatement","rest":[{{"resource":[{}]}}]}}"#, types.join(","))
}

pub(super) fn shared(payer: Payer) -> Arc<Payer> {
    Arc::new(payer)
}
