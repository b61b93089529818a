//! What a body is: the Bundle or resource that was asked for, or something else under the same
//! status. A status alone says nothing: 200 may carry an OperationOutcome, a firewall's page or half a
//! page.

use std::borrow::Cow;

use sha2::{Digest, Sha256};

use crate::fhir::json;

/// A body, as far as the fetcher must know it.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Body<'a> {
    /// A Bundle.
    Bundle(Bundle<'a>),
    /// A single resource of the type asked for.
    Resource(Entry<'a>),
    /// An OperationOutcome, with its first words.
    Outcome(String),
    /// A resource of another type.
    OtherType(String),
    /// A gateway's error object, with the status that it names.
    ErrorObject(Option<u16>),
    /// A page for people: a firewall, a captcha, a maintenance notice.
    Html,
    /// Nothing.
    Empty,
    /// No whole JSON: cut off, or junk.
    Broken,
    /// Nested deeper than allowed.
    TooDeep,
}

/// A Bundle, as far as the fetcher must know it.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Bundle<'a> {
    /// The entries with a resource, OperationOutcomes apart.
    pub(crate) entries: Vec<Entry<'a>>,
    /// The next link as written; empty where there is one without a readable address.
    pub(crate) next: Option<Cow<'a, str>>,
    /// Entries that are no resource.
    pub(crate) unreadable: u32,
    /// The server's words that it failed, among the entries.
    pub(crate) failure: Option<String>,
    /// `total`, a hint.
    pub(crate) total: Option<u64>,
}

/// A resource.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Entry<'a> {
    /// Its JSON.
    pub(crate) json: &'a str,
    /// `resourceType`.
    pub(crate) resource_type: Cow<'a, str>,
    /// `id`; empty where it has none.
    pub(crate) id: Cow<'a, str>,
    /// `meta.versionId`.
    pub(crate) version: Option<Cow<'a, str>>,
    /// `meta.lastUpdated`.
    pub(crate) updated: Option<Cow<'a, str>>,
}

impl Entry<'_> {
    /// Names this state of the resource: by version and date where it has them, else by its bytes.
    pub(crate) fn stamp(&self) -> u128 {
        let mut hash = Sha256::new();
        for part in [self.resource_type.as_ref(), self.id.as_ref()] {
            hash.update(part);
            hash.update([0]);
        }
        match (&self.version, &self.updated) {
            (None, None) => hash.update(self.json),
            (version, updated) => {
                hash.update(version.as_deref().unwrap_or_default());
                hash.update([0]);
                hash.update(updated.as_deref().unwrap_or_default());
            }
        }
        first_16(&hash.finalize())
    }
}

/// Names a resource by type and id.
pub(crate) fn id_hash(resource_type: &str, id: &str) -> u128 {
    let mut hash = Sha256::new();
    hash.update(resource_type);
    hash.update([b'/']);
    hash.update(id);
    first_16(&hash.finalize())
}

/// A hash that is the same on each machine and in each version.
pub(crate) fn hash64(text: &str) -> u64 {
    Sha256::digest(text).first_chunk().map_or(0, |bytes| u64::from_le_bytes(*bytes))
}

fn first_16(digest: &[u8]) -> u128 {
    digest.first_chunk().map_or(0, |bytes| u128::from_le_bytes(*bytes))
}

impl Bundle<'_> {
    /// How many resources of a type it has: what came along fills no page.
    pub(crate) fn count_of(&self, resource_type: &str) -> u32 {
        let count = self.entries.iter().filter(|entry| entry.resource_type == resource_type).count();
        u32::try_from(count).unwrap_or(u32::MAX)
    }

    /// A hash of the resources, without what changes on each request (bundle id, links, timestamps).
    pub(crate) fn fingerprint(&self) -> u64 {
        let mut hash = Sha256::new();
        for entry in &self.entries {
            hash.update(entry.json);
            hash.update([0]);
        }
        hash.finalize().first_chunk().map_or(0, |bytes| u64::from_le_bytes(*bytes))
    }
}

/// In place of a depth, for a body that was looked at before.
pub(crate) const CHECKED: usize = usize::MAX;

/// Looks at a body. `expected` is the resource type asked for; a Bundle is always looked for too.
pub(crate) fn look<'a>(text: &'a str, expected: &str, max_depth: usize) -> Body<'a> {
    let text = text.trim();
    match text.as_bytes().first() {
        None => return Body::Empty,
        Some(b'<') => return Body::Html,
        Some(b'{') => {}
        Some(_) => return Body::Broken,
    }
    if max_depth != CHECKED && json::deeper_than(text.as_bytes(), max_depth) {
        return Body::TooDeep;
    }
    let mut parts = Parts::default();
    let Some(entry) = entry_and(text, |key, value| parts.note(key, value)) else { return Body::Broken };
    match entry.resource_type.as_ref() {
        "Bundle" => match parts.bundle() {
            Some(Bundle { entries, failure: Some(words), .. }) if entries.is_empty() => Body::Outcome(words),
            Some(bundle) if bundle.entries.is_empty() && bundle.unreadable > 0 => Body::Broken,
            Some(bundle) => Body::Bundle(bundle),
            None => Body::Broken,
        },
        "OperationOutcome" => Body::Outcome(outcome(text)),
        "" => Body::ErrorObject(error_status(text)),
        other if other == expected => Body::Resource(entry),
        other => Body::OtherType(other.to_owned()),
    }
}

/// A resource's own identity.
fn entry(json: &str) -> Option<Entry<'_>> {
    entry_and(json, |_, _| ())
}

/// A resource's own identity; `other` gets its other members.
fn entry_and<'a>(json: &'a str, mut other: impl FnMut(&str, &'a str)) -> Option<Entry<'a>> {
    let mut entry = Entry { json, resource_type: Cow::default(), id: Cow::default(), version: None, updated: None };
    let mut meta = None;
    json::object(json, |key, value| match key {
        "resourceType" => entry.resource_type = json::string(value).unwrap_or_default(),
        "id" => entry.id = json::string(value).unwrap_or_default(),
        "meta" => meta = Some(value),
        _ => other(key, value),
    })
    .ok()?;
    if let Some(meta) = meta {
        json::object(meta, |key, value| match key {
            "versionId" => entry.version = json::string(value),
            "lastUpdated" => entry.updated = json::string(value),
            _ => {}
        })
        .ok()?;
    }
    Some(entry)
}

/// The members of a Bundle that matter, as text.
#[derive(Default)]
struct Parts<'a> {
    entries: Option<&'a str>,
    links: Option<&'a str>,
    total: Option<u64>,
}

impl<'a> Parts<'a> {
    fn note(&mut self, key: &str, value: &'a str) {
        match key {
            "entry" => self.entries = Some(value),
            "link" => self.links = Some(value),
            "total" => self.total = json::number(value),
            _ => {}
        }
    }

    fn bundle(&self) -> Option<Bundle<'a>> {
        let mut bundle = Bundle { total: self.total, ..Bundle::default() };
        json::list(self.links.unwrap_or("null"), |link| {
            let (mut relation, mut url) = (None, None);
            let _ = json::object(link, |key, value| match key {
                "relation" => relation = json::string(value),
                "url" => url = json::string(value),
                _ => {}
            });
            if relation.is_some_and(|r| r.eq_ignore_ascii_case("next")) {
                bundle.next = Some(url.unwrap_or_default());
            }
        })
        .ok()?;
        json::list(self.entries.unwrap_or("null"), |item| {
            let mut resource = None;
            let _ = json::object(item, |key, value| {
                if key == "resource" && value.trim() != "null" {
                    resource = Some(value);
                }
            });
            match resource.and_then(entry) {
                Some(entry) if entry.resource_type == "OperationOutcome" => {
                    if says_that_it_failed(entry.json) {
                        bundle.failure.get_or_insert_with(|| outcome(entry.json));
                    }
                }
                Some(entry) if !entry.resource_type.is_empty() => bundle.entries.push(entry),
                _ => bundle.unreadable += 1,
            }
        })
        .ok()?;
        Some(bundle)
    }
}

/// Whether an OperationOutcome tells of an error, and not of what may be of interest.
fn says_that_it_failed(outcome: &str) -> bool {
    let mut failed = false;
    each_of_issues(outcome, |key, value| {
        let is_severe = || json::string(value).is_some_and(|v| v == "error" || v == "fatal");
        failed |= key == "severity" && is_severe();
    });
    failed
}

/// Calls `found` with each member of each issue of an OperationOutcome.
fn each_of_issues(outcome: &str, mut found: impl FnMut(&str, &str)) {
    let mut issues = None;
    let _ = json::object(outcome, |key, value| {
        if key == "issue" {
            issues = Some(value);
        }
    });
    let _ = json::list(issues.unwrap_or("null"), |issue| {
        let _ = json::object(issue, &mut found);
    });
}

/// The first words of an OperationOutcome: severity, code and text, short enough for a message.
fn outcome(text: &str) -> String {
    let mut words = String::new();
    each_of_issues(text, |key, value| {
        let value = match key {
            "severity" | "code" | "diagnostics" => json::string(value),
            "details" => {
                let mut text = None;
                let _ = json::object(value, |key, value| {
                    if key == "text" {
                        text = json::string(value);
                    }
                });
                text
            }
            _ => None,
        };
        if let Some(value) = value {
            if !words.is_empty() {
                words.push(' ');
            }
            words.push_str(&value);
        }
    });
    words.chars().take(200).map(|c| if c.is_control() { ' ' } else { c }).collect()
}

/// The status that a gateway's error object names (`{"statusCode": 403, …}`).
fn error_status(text: &str) -> Option<u16> {
    let mut status = None;
    let _ = json::object(text, |key, value| {
        if matches!(key, "statusCode" | "status" | "code" | "httpCode") {
            status =
                json::number(value).and_then(|n| u16::try_from(n).ok()).filter(|n| (400..600).contains(n)).or(status);
        }
    });
    status
}

#[cfg(test)]
mod tests {
    use super::*;

    fn look<'a>(text: &'a str, expected: &str) -> Body<'a> {
        super::look(text, expected, 64)
    }

    #[test]
    fn a_search_page() {
        let text = r#"{"resourceType":"Bundle","id":"x","type":"searchset","total":"12","link":[{"relation":"self","url":"a"},
            {"relation":"next","url":"b?ct=\u0041"}],"entry":[
            {"fullUrl":"u","resource":{"resourceType":"List","id":"1","meta":{"versionId":7,"lastUpdated":"2026-01-01"}},"search":{"mode":"match"}},
            {"resource":null},{"search":{"mode":"outcome"},"resource":{"resourceType":"OperationOutcome","issue":[]}},
            {"resource":{"id":"2","resourceType":"Organization","entry":{"a":[]}}}]}"#;
        let Body::Bundle(bundle) = look(text, "List") else { panic!("a bundle") };
        assert_eq!((bundle.total, bundle.next.as_deref()), (Some(12), Some("b?ct=A")));
        let ids: Vec<_> = bundle.entries.iter().map(|e| (e.resource_type.as_ref(), e.id.as_ref())).collect();
        assert_eq!(ids, [("List", "1"), ("Organization", "2")]);
        assert_eq!(bundle.unreadable, 1, "the outcome tells of no error");
        assert_eq!(bundle.entries[0].version.as_deref(), Some("7"));
        assert_eq!(bundle.entries[0].updated.as_deref(), Some("2026-01-01"));
    }

    #[test]
    fn bundles_as_gateways_write_them() {
        for text in [
            r#"{"resourceType":"Bundle"}"#,
            r#"{"resourceType":"Bundle","entry":null,"link":null,"total":null}"#,
            r#"{"resourceType":"Bundle","entry":[],"link":[]}"#,
        ] {
            assert_eq!(look(text, "List"), Body::Bundle(Bundle::default()), "{text}");
        }
        let single = r#"{"resourceType":"Bundle","link":{"relation":"next","url":"n"},"entry":{"resource":{"resourceType":"List","id":5}}}"#;
        let Body::Bundle(bundle) = look(single, "List") else { panic!("a bundle") };
        assert_eq!((bundle.entries.len(), bundle.next.as_deref()), (1, Some("n")));
        assert_eq!(bundle.entries[0].id, "5");
        let twice = r#"{"resourceType":"Bundle","link":[],"link":[{"relation":"next","url":"n"}]}"#;
        assert!(matches!(look(twice, "List"), Body::Bundle(Bundle { next: Some(_), .. })));
    }

    #[test]
    fn what_was_not_asked_for() {
        let deep = format!("{{\"resourceType\":\"Bundle\",\"entry\":{}{}}}", "[".repeat(100), "]".repeat(100));
        let outcome = r#"{"resourceType":"OperationOutcome","issue":[{"severity":"error","code":"throttled","details":{"text":"slow down"}}]}"#;
        for (text, expected) in [
            ("  ", Body::Empty),
            ("\n <html><body>Request blocked. Reference #18</body>", Body::Html),
            (outcome, Body::Outcome("error throttled slow down".to_owned())),
            (r#"{"statusCode":403,"message":"quota"}"#, Body::ErrorObject(Some(403))),
            (r#"{"message":"quota"}"#, Body::ErrorObject(None)),
            (r#"{"resourceType":"Patient","id":"1"}"#, Body::OtherType("Patient".to_owned())),
            (r#"{"resourceType":"Bundle","entry":[{"resource":{"id":"#, Body::Broken),
            ("[]", Body::Broken),
            ("Service Unavailable", Body::Broken),
            (deep.as_str(), Body::TooDeep),
        ] {
            assert_eq!(look(text, "List"), expected, "{text}");
        }
        assert!(matches!(look(r#"{"resourceType":"Location","id":"1"}"#, "Location"), Body::Resource(_)));
        for (entries, expected) in [
            (r#"[null,{"fullUrl":"u"},7]"#, Body::Broken),
            (r#""see next""#, Body::Broken),
            (r#"[{"resource":{"id":"1"}}]"#, Body::Broken),
            (
                r#"[{"resource":{"resourceType":"OperationOutcome","issue":{"severity":"fatal","diagnostics":"down"}}}]"#,
                Body::Outcome("fatal down".to_owned()),
            ),
        ] {
            let text = format!(r#"{{"resourceType":"Bundle","entry":{entries}}}"#);
            assert_eq!(look(&text, "List"), expected, "{text}");
        }
        for url in ["7", "null", "{}", "\"\""] {
            let text = format!(r#"{{"resourceType":"Bundle","link":[{{"relation":"next","url":{url}}}]}}"#);
            let Body::Bundle(bundle) = look(&text, "List") else { panic!("a bundle") };
            assert!(bundle.next.is_some(), "{url}: there is a next page, wherever it is");
        }
    }

    #[test]
    fn stamps_and_fingerprints_tell_states_apart() {
        let state = |text| entry(text).unwrap();
        let a = state(r#"{"resourceType":"List","id":"1","meta":{"versionId":"1"},"x":1}"#);
        let same = state(r#"{"id":"1","meta":{"versionId":1},"resourceType":"List","x":2}"#);
        let newer = state(r#"{"resourceType":"List","id":"1","meta":{"versionId":"2"},"x":1}"#);
        assert_eq!(a.stamp(), same.stamp());
        assert_ne!(a.stamp(), newer.stamp());
        let bare = state(r#"{"resourceType":"List","id":"1","x":1}"#);
        assert_ne!(bare.stamp(), state(r#"{"resourceType":"List","id":"1","x":2}"#).stamp());
        assert_ne!(id_hash("List", "1"), id_hash("Location", "1"));
        let page = |id, x| {
            format!(
                r#"{{"resourceType":"Bundle","id":"{id}","entry":[{{"resource":{{"resourceType":"List","id":"1","x":{x}}}}}]}}"#
            )
        };
        let fingerprint = |text: &str| match look(text, "List") {
            Body::Bundle(bundle) => bundle.fingerprint(),
            _ => panic!("a bundle"),
        };
        assert_eq!(fingerprint(&page(1, 1)), fingerprint(&page(2, 1)));
        assert_ne!(fingerprint(&page(1, 1)), fingerprint(&page(1, 2)));
    }
}
