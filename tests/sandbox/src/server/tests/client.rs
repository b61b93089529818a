//! A patient client: what the documentation asks of one, and no more.

use std::collections::{BTreeMap, BTreeSet};

use super::*;

/// Why a pass could not be finished.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Stop {
    /// A status that asking again does not change.
    Status(u16),
    /// The same link twice.
    Loop,
    /// A link or a redirect to another host.
    OffHost,
    /// No answer however often it is asked.
    Exhausted,
    /// A page with an error, or of another type, however often it is asked.
    Flawed,
    /// There must be more, and no way leads to it.
    Contradicted,
}

pub(super) struct Client<'a> {
    pub(super) running: &'a Running,
    pub(super) clock: &'a ManualClock,
    pub(super) count: u32,
    /// How often a request is made again.
    pub(super) patience: u8,
}

type Resources = BTreeMap<String, Value>;

impl Client<'_> {
    fn send(&self, target: &str) -> std::io::Result<Reply> {
        let mut connection = Connection::open(self.running)?;
        connection.send("GET", target, &[("accept", "application/json"), ("accept-encoding", "gzip")], "")
    }

    /// The JSON that a path and query are answered with, of the wanted type.
    pub(super) fn ask(&self, target: &str, wanted: &str) -> Result<Value, Stop> {
        let (mut tries, mut absences, mut target) = (0, 0, target.to_owned());
        while tries <= self.patience {
            let reply = match self.send(&target) {
                Ok(reply) => reply,
                // Gone for a minute, or cut off: wait a second of the sandbox's time.
                Err(_) if self.running.shared.is_gone() && absences < 100 => {
                    absences += 1;
                    self.clock.advance(Duration::from_secs(1));
                    continue;
                }
                Err(_) => {
                    tries += 1;
                    continue;
                }
            };
            let text = if reply.is_whole { reply.text() } else { String::new() };
            let value: Value = serde_json::from_str(text.trim_start_matches('\u{feff}')).unwrap_or(Value::Null);
            match reply.status {
                200 if value["resourceType"] == wanted => return Ok(value),
                301..=308 => {
                    let location = reply.header("location");
                    target = self.own(location)?;
                }
                400 | 404 | 410 => return Err(Stop::Status(reply.status)),
                403 if value["resourceType"] == "OperationOutcome" => return Err(Stop::Status(403)),
                _ => tries += 1,
            }
        }
        Err(Stop::Exhausted)
    }

    /// A link of the same host as path and query.
    fn own(&self, link: &str) -> Result<String, Stop> {
        let link = link.strip_prefix(self.running.base_url()).unwrap_or(link);
        if link.starts_with('/') { Ok(link.to_owned()) } else { Err(Stop::OffHost) }
    }

    /// All resources of a search: links followed as given, an empty page asked again, one new pass
    /// when a cursor expired, the newer version kept of what comes twice.
    pub(super) fn search(&self, kind: ResourceType, query: &str) -> Result<Resources, Stop> {
        let mut found = Resources::new();
        let mut restarts = 0;
        let mut count = self.count;
        loop {
            let first = format!("/api/{kind}?{query}{}_count={count}", if query.is_empty() { "" } else { "&" });
            match self.pass(kind, &first, &mut found) {
                Err(Stop::Status(400 | 403 | 404 | 410) | Stop::Exhausted) if restarts < 2 => {
                    restarts += 1;
                    count = count.min(25);
                }
                Err(stop) => return Err(stop),
                Ok(()) => return Ok(found),
            }
        }
    }

    fn pass(&self, kind: ResourceType, first: &str, found: &mut Resources) -> Result<(), Stop> {
        let (mut target, mut seen) = (first.to_owned(), BTreeSet::new());
        // What came in this pass, each version once.
        let (mut came, mut first_page, mut in_vain) = (BTreeSet::new(), Vec::new(), 0);
        loop {
            if !seen.insert(target.clone()) {
                return Err(Stop::Loop);
            }
            let mut page = self.page(&target)?;
            if page["entry"].is_null() && link(&page, "next").is_none() {
                page = self.page(&target)?;
                if page["entry"].is_null() && target.contains("_count=50") {
                    // Refused in silence: as if it had been said.
                    return Err(Stop::Status(400));
                }
            }
            let new = take(kind, &page, &mut came, found);
            if first_page.is_empty() {
                first_page = ids(&page);
            }
            // A last page that states more than came is asked again before it is believed.
            for _ in 0..self.patience {
                if link(&page, "next").is_some() || total(&page) <= came.len() {
                    break;
                }
                page = self.page(&target)?;
                take(kind, &page, &mut came, found);
            }
            in_vain = if new == 0 { in_vain + 1 } else { 0 };
            target = match link(&page, "next") {
                Some(_) if in_vain > 3 => return Err(Stop::Loop),
                Some(next) => match next.strip_prefix('?') {
                    Some(query) => format!("/api/{kind}?{query}"),
                    None => self.own(&next)?,
                },
                // What lies beyond the end tells a wrong total from a missing page.
                None => {
                    let beyond = format!("{first}&_skip={}", came.len());
                    let rest = self.page(&beyond)?;
                    let is_ignored = !first_page.is_empty() && ids(&rest) == first_page;
                    if is_ignored && total(&page) > came.len() {
                        return Err(Stop::Contradicted);
                    }
                    if take(kind, &rest, &mut came.clone(), &mut Resources::new()) == 0 {
                        return Ok(());
                    }
                    beyond
                }
            };
        }
    }

    /// A page that is one of a search and has no error, asked again while it is not.
    fn page(&self, target: &str) -> Result<Value, Stop> {
        for _ in 0..=self.patience {
            let page = self.ask(target, "Bundle")?;
            let has_error = page["entry"].as_array().into_iter().flatten().any(|entry| {
                let severity = &entry["resource"]["issue"][0]["severity"];
                severity == "error" || severity == "fatal"
            });
            if page["type"] == "searchset" && !has_error {
                return Ok(page);
            }
        }
        Err(Stop::Flawed)
    }

    /// Everything: searches, then by id what references name and no search showed, then the Lists again.
    pub(super) fn all(&self) -> Result<Resources, Stop> {
        let mut found = self.search(ResourceType::InsurancePlan, "")?;
        found.extend(self.search(ResourceType::MedicationKnowledge, "")?);
        found.extend(self.search(ResourceType::Medication, "")?);
        found.extend(self.search(ResourceType::PractitionerRole, "")?);
        found.extend(self.search(ResourceType::Practitioner, "_total=estimate").or_else(|stop| match stop {
            Stop::Status(400) => self.search(ResourceType::Practitioner, ""),
            stop => Err(stop),
        })?);
        for plan in PLANS {
            let query = format!("_profile={}&identifier={plan}", codec::query_value(PROFILE_COVERAGE_PLAN));
            found.extend(self.search(ResourceType::List, &query)?);
        }
        let mut asked = BTreeSet::new();
        loop {
            let references: BTreeSet<String> = found.values().flat_map(references).collect();
            let missing: Vec<_> =
                references.into_iter().filter(|one| !found.contains_key(one) && asked.insert(one.clone())).collect();
            if missing.is_empty() {
                return Ok(found);
            }
            for reference in missing {
                let kind = reference.split('/').next().unwrap();
                match self.ask(&format!("/api/{reference}"), kind) {
                    Ok(resource) => keep(&mut found, normal(&resource)),
                    Err(Stop::Status(404 | 410)) => {}
                    Err(stop) => return Err(stop),
                }
            }
        }
    }
}

/// Takes the resources of a page; how many came for the first time in this pass, or in another version.
fn take(kind: ResourceType, page: &Value, came: &mut BTreeSet<String>, found: &mut Resources) -> usize {
    let mut new = 0;
    for entry in page["entry"].as_array().into_iter().flatten() {
        let resource = &entry["resource"];
        if resource["resourceType"] == kind.name() {
            new += usize::from(came.insert(format!("{} {}", resource["id"], resource["meta"]["versionId"])));
            keep(found, normal(resource));
        }
    }
    new
}

/// The total that a page states, as a number or a text; 0 where it states none.
fn total(page: &Value) -> usize {
    let total = &page["total"];
    total.as_str().and_then(|text| text.parse().ok()).or(total.as_u64()).and_then(|n| n.try_into().ok()).unwrap_or(0)
}

fn keep(found: &mut Resources, resource: Value) {
    let key = format!("{}/{}", resource["resourceType"].as_str().unwrap(), resource["id"].as_str().unwrap());
    let updated = |resource: &Value| resource["meta"]["lastUpdated"].as_str().map(str::to_owned);
    match found.get(&key) {
        Some(known) if updated(known) > updated(&resource) => {}
        _ => {
            found.insert(key, resource);
        }
    }
}

/// A resource as far as it says something: numbers and booleans as texts, nothing that is empty or unknown.
pub(super) fn normal(resource: &Value) -> Value {
    let mut resource = as_text(resource);
    let object = resource.as_object_mut().unwrap();
    let is_empty = |value: &Value| {
        value.is_null() || value == "" || value.as_array().is_some_and(Vec::is_empty) || *value == json!({})
    };
    object.retain(|name, value| {
        let is_known =
            !name.starts_with("x-") && !name.starts_with('_') && !name.starts_with('Ω') && name != "checksum";
        is_known && name != "text" && !is_empty(value)
    });
    resource
}

fn as_text(value: &Value) -> Value {
    match value {
        Value::Bool(value) => value.to_string().into(),
        Value::Number(value) => value.to_string().into(),
        Value::Array(values) => {
            values.iter().filter(|value| !value.is_null() && **value != json!({})).map(as_text).collect()
        }
        Value::Object(members) => members.iter().map(|(name, value)| (name.clone(), as_text(value))).collect(),
        other => other.clone(),
    }
}

fn references(value: &Value) -> Vec<String> {
    match value {
        Value::Array(values) => values.iter().flat_map(references).collect(),
        Value::Object(members) => members
            .iter()
            .flat_map(|(name, value)| match (name.as_str(), value) {
                ("reference", Value::String(reference)) => vec![reference.clone()],
                (_, value) => references(value),
            })
            .collect(),
        _ => Vec::new(),
    }
}
