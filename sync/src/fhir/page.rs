//! What a body is: the Bundle or resource that was asked for, or something else under the same
//! status. A status alone says nothing: 200 may carry an OperationOutcome, a firewall's page or half a
//! page.

use std::borrow::Cow;

use sha2::{Digest, Sha256};

use super::bundle::Bundle;
use super::{duplicates, json, outcome};

/// A body, as far as the fetcher must know it.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Body<'a> {
    /// A page of a search.
    Page(Page<'a>),
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

/// A page of a search, as far as the fetcher must know it.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Page<'a> {
    /// The entries with a resource, OperationOutcomes and other messages apart.
    pub(crate) entries: Vec<Entry<'a>>,
    /// The next link as written; empty where there is one without a readable address.
    pub(crate) next: Option<Cow<'a, str>>,
    /// What the server understood of the query, as written.
    pub(crate) own: Option<Cow<'a, str>>,
    /// Entries that should hold a resource and do not.
    pub(crate) unreadable: u32,
    /// Why the page may not hold all that it should.
    pub(crate) flaw: Option<String>,
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
    /// Names the resource: by type and id, or by what it says where it has no id.
    pub(crate) fn key(&self) -> u128 {
        if self.id.is_empty() { content_key(self.json) } else { key(&self.resource_type, &self.id) }
    }

    /// Names what it says, whatever its version and date: some servers date a resource anew at each request.
    pub(crate) fn content(&self) -> u128 {
        let mut hash = Sha256::new();
        let _ = json::object(self.json, |name, value| {
            if name != "meta" {
                hash.update(name);
                hash.update([0]);
                hash.update(value);
                hash.update([0]);
            }
        });
        first_16(hash)
    }
}

/// Names a resource by type and id. Ids are case-sensitive and taken as they came.
pub(crate) fn key(resource_type: &str, id: &str) -> u128 {
    let mut hash = Sha256::new();
    hash.update(resource_type);
    hash.update([b'/']);
    hash.update(id);
    first_16(hash)
}

/// Names a resource without an id: by what it says, in one spelling.
pub(crate) fn content_key(text: &str) -> u128 {
    let text = duplicates::canonical(text).map_or(Cow::Borrowed(text), Cow::Owned);
    let mut hash = Sha256::new();
    hash.update(b"\0without id\0");
    hash.update(text.as_bytes());
    first_16(hash)
}

fn first_16(hash: Sha256) -> u128 {
    let digest: [u8; 32] = hash.finalize().into();
    digest.first_chunk().map_or(0, |bytes| u128::from_be_bytes(*bytes))
}

/// A hash that is the same on each machine and in each version.
pub(crate) fn hash64(text: &str) -> u64 {
    Sha256::digest(text).first_chunk().map_or(0, |bytes| u64::from_le_bytes(*bytes))
}

impl Page<'_> {
    /// Its resources of a type: what came along fills no page.
    pub(crate) fn of_type(&self, resource_type: &str) -> impl Iterator<Item = &Entry<'_>> {
        self.entries.iter().filter(move |entry| entry.resource_type == resource_type)
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
    match Bundle::read(text) {
        Ok(Some(bundle)) => return page(bundle),
        Ok(None) => {}
        Err(_) => return Body::Broken,
    }
    let Some(entry) = entry(text) else { return Body::Broken };
    match entry.resource_type.as_ref() {
        "OperationOutcome" => Body::Outcome(outcome::words(text)),
        "" => Body::ErrorObject(error_status(text)),
        other if other == expected => Body::Resource(entry),
        other => Body::OtherType(other.to_owned()),
    }
}

/// The resources of one type in a body that was an answer: a page's entries, or the one resource that it is.
pub(crate) fn entries<'a>(text: &'a str, resource_type: &str) -> Vec<Entry<'a>> {
    match look(text, resource_type, CHECKED) {
        Body::Page(mut page) => {
            page.entries.retain(|entry| entry.resource_type == resource_type);
            page.entries
        }
        Body::Resource(entry) => vec![entry],
        _ => Vec::new(),
    }
}

/// A Bundle as a page. One in which nothing but a failure stands is that failure.
fn page(bundle: Bundle<'_>) -> Body<'_> {
    let mut page = Page { total: bundle.total, ..Page::default() };
    let link = |relation: &str| bundle.link(relation).map(|address| Cow::Owned(address.to_owned()));
    (page.next, page.own) = (link("next"), link("self"));
    let (mut failure, mut broken) = (None, false);
    for item in &bundle.entries {
        let Some(resource) = item.resource else {
            page.unreadable += u32::from(item.lacks_something());
            broken |= item.unreadable.is_some();
            continue;
        };
        match entry(resource) {
            Some(entry) if entry.resource_type == "OperationOutcome" => {
                if outcome::says_that_it_failed(resource) {
                    failure.get_or_insert_with(|| outcome::words(resource));
                }
            }
            Some(entry) if !entry.resource_type.is_empty() => {
                if !item.is_outcome {
                    page.entries.push(entry);
                }
            }
            _ => (page.unreadable, broken) = (page.unreadable + 1, true),
        }
    }
    if page.entries.is_empty() {
        if let Some(words) = failure {
            return Body::Outcome(words);
        }
        if broken && page.next.is_none() {
            return Body::Broken;
        }
    }
    let of_another_kind = || bundle.kind.filter(|kind| !kind.eq_ignore_ascii_case("searchset"));
    page.flaw = failure
        .map(|words| format!("a page comes with an error: {words}"))
        .or_else(|| Some(format!("a page is a Bundle of type {} and no searchset", shown(&of_another_kind()?))));
    Body::Page(page)
}

/// Another's word, short enough for a message.
fn shown(word: &str) -> String {
    word.chars().take(40).map(|c| if c.is_control() { ' ' } else { c }).collect()
}

/// A resource's own identity; `None` where it contradicts itself.
pub(crate) fn entry(json: &str) -> Option<Entry<'_>> {
    let [resource_type, id, meta] = json::members(json, ["resourceType", "id", "meta"]).ok()?;
    let [version, updated] = json::members(meta.unwrap_or("null"), ["versionId", "lastUpdated"]).ok()?;
    Some(Entry {
        json,
        resource_type: json::word(resource_type).unwrap_or_default(),
        id: json::word(id).unwrap_or_default(),
        version: json::word(version),
        updated: json::word(updated),
    })
}

/// The status that a gateway's error object names (`{"statusCode": 403, …}`).
fn error_status(text: &str) -> Option<u16> {
    let names = json::members_or_none(text, ["statusCode", "status", "code", "httpCode"]);
    let numbers = names.into_iter().flatten().filter_map(json::number);
    numbers.filter_map(|number| u16::try_from(number).ok()).find(|number| (400..600).contains(number))
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
            {"fullUrl":"https://a/List/3","resource":null},{},null,{"search":{"mode":"outcome"},"resource":{"resourceType":"OperationOutcome","issue":[]}},
            {"resource":{"id":"2","resourceType":"Organization","entry":{"a":[]}}}]}"#;
        let Body::Page(bundle) = look(text, "List") else { panic!("a bundle") };
        assert_eq!((bundle.total, bundle.next.as_deref()), (Some(12), Some("b?ct=A")));
        let ids: Vec<_> = bundle.entries.iter().map(|e| (e.resource_type.as_ref(), e.id.as_ref())).collect();
        assert_eq!(ids, [("List", "1"), ("Organization", "2")]);
        assert_eq!(
            (bundle.unreadable, bundle.flaw),
            (1, None),
            "List/3 should stand there; the outcome tells of no error"
        );
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
            assert_eq!(look(text, "List"), Body::Page(Page::default()), "{text}");
        }
        let single = r#"{"resourceType":"Bundle","link":{"relation":"next","url":"n"},"entry":{"resource":{"resourceType":"List","id":5}}}"#;
        let Body::Page(bundle) = look(single, "List") else { panic!("a bundle") };
        assert_eq!((bundle.entries.len(), bundle.next.as_deref()), (1, Some("n")));
        assert_eq!(bundle.entries[0].id, "5");
        let twice = r#"{"resourceType":"Bundle","link":[],"link":[{"relation":"next","url":"n"}]}"#;
        assert!(matches!(look(twice, "List"), Body::Page(Page { next: Some(_), .. })));
    }

    #[test]
    fn pages_that_may_not_be_whole() {
        let page = |more: &str| format!(r#"{{"resourceType":"Bundle",{more}"link":[]}}"#);
        let resource = r#"{"resource":{"resourceType":"List","id":"1"}}"#;
        let outcome = |severity: &str| {
            format!(r#"{{"resource":{{"resourceType":"OperationOutcome","issue":[{{"severity":"{severity}"}}]}}}}"#)
        };
        for (more, flaw) in [
            (String::new(), None),
            (r#""type":"SearchSet","#.to_owned(), None),
            (r#""type":"collection","#.to_owned(), Some("a page is a Bundle of type collection and no searchset")),
            (format!(r#""entry":[{resource},{}],"#, outcome("warning")), None),
            (format!(r#""entry":[{resource},{}],"#, outcome("Fatal")), Some("a page comes with an error: Fatal")),
        ] {
            let text = page(&more);
            let Body::Page(page) = look(&text, "List") else { panic!("{more}") };
            assert_eq!(page.flaw.as_deref(), flaw, "{more}");
        }
        let differing = [
            page(&format!(r#""entry":[{resource}],"entry":[],"total":1,"total":2,"#)),
            page(&format!(r#""entry":[{resource}],"entry":[{resource},{resource}],"#)),
        ];
        let [once, contradicting] = differing.each_ref().map(|text| look(text, "List"));
        assert!(matches!(once, Body::Page(Page { entries, total: None, .. }) if entries.len() == 1));
        assert_eq!(contradicting, Body::Broken);
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
            let Body::Page(bundle) = look(&text, "List") else { panic!("a bundle") };
            assert!(bundle.next.is_some(), "{url}: there is a next page, wherever it is");
        }
    }

    #[test]
    fn stamps_and_fingerprints_tell_states_apart() {
        let state = |text| entry(text).unwrap();
        let a = state(r#"{"resourceType":"List","id":"1","meta":{"versionId":"1"},"x":1}"#);
        let dated_anew = state(r#"{"resourceType":"List","id":"1","meta":{"versionId":2},"x":1}"#);
        let changed = state(r#"{"resourceType":"List","id":"1","meta":{"versionId":"1"},"x":2}"#);
        assert_eq!(a.content(), dated_anew.content());
        assert_ne!(a.content(), changed.content());
        assert_eq!((a.key(), a.key()), (changed.key(), key("List", "1")));
        assert_ne!(key("List", "1"), key("Location", "1"));
        let nameless = |x| state(x).key();
        assert_ne!(nameless(r#"{"resourceType":"List","x":1}"#), nameless(r#"{"resourceType":"List","x":2}"#));
        let page = |id, x| {
            format!(
                r#"{{"resourceType":"Bundle","id":"{id}","entry":[{{"resource":{{"resourceType":"List","id":"1","x":{x}}}}}]}}"#
            )
        };
        let fingerprint = |text: &str| match look(text, "List") {
            Body::Page(page) => page.fingerprint(),
            _ => panic!("a page"),
        };
        assert_eq!(fingerprint(&page(1, 1)), fingerprint(&page(2, 1)));
        assert_ne!(fingerprint(&page(1, 1)), fingerprint(&page(1, 2)));
    }
}
