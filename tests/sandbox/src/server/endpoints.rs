//! What each endpoint answers.

use std::sync::Arc;

use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderName, Method, header};

use super::answer::{Answer, Refusal};
use super::bundle::{Context, is_known};
use super::codec::{instant, json_string, query_pairs};
use super::count::Endpoint;
use super::fault::{Active, Fault, Spoilt, mangle_resource};
use super::oauth::TokenRequest;
use super::options::Offer;
use super::search::Reader;
use super::{Shared, read};
use crate::ResourceType;

/// The path under which a redirected request is answered.
pub(super) const MOVED: &str = "/moved";

/// What the endpoints need of a request.
pub(super) struct Asked<'a> {
    method: &'a Method,
    headers: &'a HeaderMap,
    /// Path and query without [`MOVED`].
    pub(super) target: &'a str,
    /// Without [`MOVED`].
    pub(super) path: &'a str,
    query: &'a str,
    pub(super) is_moved: bool,
    pub(super) endpoint: Endpoint,
    body: &'a [u8],
}

/// The circumstances of a request.
#[derive(Clone, Copy, Default)]
pub(super) struct Case {
    /// By which faults go.
    pub(super) key: u64,
    /// The number of the request.
    pub(super) number: u64,
    /// What is wrong with the page that a search gives.
    pub(super) spoilt: Option<Spoilt>,
    /// The other host is asked.
    pub(super) is_other: bool,
}

impl<'a> Asked<'a> {
    pub(super) fn new(parts: &'a Parts, body: &'a [u8]) -> Self {
        let path = parts.uri.path();
        let moved = path.strip_prefix(MOVED).filter(|rest| rest.starts_with('/'));
        let target = parts.uri.path_and_query().map_or(path, |target| target.as_str());
        Self {
            method: &parts.method,
            headers: &parts.headers,
            target: if moved.is_some() { target.strip_prefix(MOVED).unwrap_or(target) } else { target },
            path: moved.unwrap_or(path),
            query: parts.uri.query().unwrap_or(""),
            is_moved: moved.is_some(),
            endpoint: Endpoint::of(moved.unwrap_or(path)),
            body,
        }
    }

    /// A header's text; empty where it is missing or no text.
    pub(super) fn header(&self, name: &HeaderName) -> &str {
        self.headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or("")
    }

    pub(super) fn is_search(&self) -> bool {
        matches!(self.endpoint, Endpoint::Search(_))
    }

    pub(super) fn accepts_gzip(&self) -> bool {
        self.header(&header::ACCEPT_ENCODING).split(',').any(|coding| {
            let mut parts = coding.split(';').map(str::trim);
            parts.next() == Some("gzip") && !parts.any(|part| part == "q=0")
        })
    }
}

impl Shared {
    /// The answer as it should be, but for lasting faults.
    pub(super) fn answer(&self, asked: &Asked<'_>, active: &Active, case: Case) -> Answer {
        if let Some(refusal) = self.refused(asked) {
            return refusal.into();
        }
        // The other host answers everybody, so that whoever is led there is seen.
        if !case.is_other
            && let Some(refusal) = self.unmet(asked, active)
        {
            return refusal;
        }
        let catalogue = Arc::clone(&*read(&self.catalogue));
        let context = Context {
            options: &self.options,
            catalogue: &catalogue,
            active,
            base: if case.is_other { &self.other } else { &self.base },
            other: &self.other,
            target: asked.target,
            key: case.key,
            number: case.number,
            gzip: self.options.gzip && asked.accepts_gzip(),
            now: active.told(self.now()),
            known: asked.header(&header::IF_NONE_MATCH),
        };
        if let Some(kind) = asked.endpoint.kind()
            && !case.is_other
        {
            catalogue.payer.asked(kind, context.now);
        }
        self.route(asked, &context, case.spoilt)
    }

    /// Whether HTTP's own rules refuse the request.
    fn refused(&self, asked: &Asked<'_>) -> Option<Refusal> {
        if asked.target.len() > self.options.max_target {
            return Some(Refusal::new(414, "too-long", "the address is too long"));
        }
        let method = if asked.endpoint == Endpoint::Token { Method::POST } else { Method::GET };
        if asked.endpoint != Endpoint::Other && asked.method != method {
            return Some(Refusal::new(405, "not-supported", format!("only {method} is allowed here")));
        }
        let accept = asked.header(&header::ACCEPT);
        let takes_json =
            accept.is_empty() || accept.contains("json") || accept.contains("*/*") || accept.contains("application/*");
        (asked.path.starts_with("/api/") && !takes_json)
            .then(|| Refusal::new(406, "not-supported", "only JSON is served: accept application/json"))
    }

    fn route(&self, asked: &Asked<'_>, context: &Context<'_>, spoilt: Option<Spoilt>) -> Answer {
        match asked.endpoint {
            Endpoint::Metadata => Answer::json(200, context.capability_statement()),
            Endpoint::SmartConfiguration => match context.smart_configuration() {
                Some(body) => Answer::json(200, body),
                None => not_found("there is no such address"),
            },
            Endpoint::Search(kind) | Endpoint::Read(kind) if !context.serves(kind) => {
                not_found(&format!("{kind} is not served"))
            }
            Endpoint::Search(kind) if !self.options.searches(kind) => {
                Refusal::new(400, "not-supported", format!("{kind} cannot be searched")).into()
            }
            Endpoint::Search(kind) => {
                let Context { options, catalogue, active, .. } = *context;
                match (Reader { options, catalogue, active }).read(kind, asked.query) {
                    Ok(mut search) => {
                        search.spoilt = search.spoilt.or(spoilt);
                        context.page(&search).unwrap_or_else(Answer::from)
                    }
                    Err(refusal) => refusal.into(),
                }
            }
            Endpoint::Read(kind) => self.read(asked, context, kind),
            Endpoint::Coverage => self.coverage(asked, context),
            Endpoint::Authorize => self.grants.authorize(asked.query, &self.options, &*context.catalogue.payer),
            Endpoint::Token => {
                let request = TokenRequest {
                    content_type: asked.header(&header::CONTENT_TYPE),
                    authorization: asked.header(&header::AUTHORIZATION),
                    body: asked.body,
                };
                self.grants.token(&request, &self.options)
            }
            Endpoint::Other => not_found("there is no such address"),
        }
    }

    fn read(&self, asked: &Asked<'_>, context: &Context<'_>, kind: ResourceType) -> Answer {
        if !self.options.reads(kind) {
            return Refusal::new(400, "not-supported", format!("{kind} cannot be read by id")).into();
        }
        let id = asked.path.rsplit('/').next().unwrap_or("").replace('+', "%2B");
        let id = query_pairs(&format!("id={id}")).pop().map(|(_, id)| id).unwrap_or_default();
        let Some(index) = context.catalogue.payer.index_of(kind, &id) else {
            return not_found(&format!("{kind}/{id} is not known"));
        };
        if self.options.empty.contains(&kind) {
            return not_found(&format!("{kind}/{id} is not known"));
        }
        if context.active.is_gone_by_id(kind, index) {
            return Answer::outcome(410, "deleted", "The resource is gone.");
        }
        let vanished = context.active.vanished(kind, context.catalogue);
        if vanished.is_some_and(|vanished| vanished.binary_search(&index).is_ok())
            || context.catalogue.payer.gone(kind).binary_search(&index).is_ok()
        {
            let status = if context.active.draw(Fault::Shrinking, index, 6).is_multiple_of(2) { 404 } else { 410 };
            return Answer::outcome(status, "deleted", "The resource is gone.");
        }
        if let Some(answer) = context.broken(kind, &std::iter::once(index)) {
            return answer;
        }
        let json = context.resource(kind, index, context.active.has_changed(kind));
        let tag = if context.active.strikes(Fault::ReadEtagNeverChanges, Some(kind), 0) {
            Some("W/\"1\"".to_owned())
        } else {
            self.options.offers(Offer::ConditionalReads).then(|| entity_tag(&json))
        };
        if let Some(tag) = &tag
            && is_known(context.known, tag)
        {
            return Answer::empty(304).with("etag", tag.clone());
        }
        let json = mangle_resource(context.active, context.catalogue, kind, index, json);
        let answer = Answer::json(200, json);
        if let Some(tag) = tag { answer.with("etag", tag) } else { answer }
    }

    /// All of a member's coverages in one bundle.
    fn coverage(&self, asked: &Asked<'_>, context: &Context<'_>) -> Answer {
        let now = self.now();
        let expire = context.active.meets(Fault::TokenExpiry, None, 0);
        let patient = match self.grants.patient(asked.header(&header::AUTHORIZATION), now, expire) {
            Ok(patient) => patient,
            Err(expired) => {
                if expired.by_fault {
                    context.active.note(Fault::TokenExpiry);
                }
                return Answer::outcome(401, "login", "An access token is needed.")
                    .with("www-authenticate", "Bearer error=\"invalid_token\"");
            }
        };
        let entries: Vec<_> = context
            .catalogue
            .payer
            .coverages(&patient)
            .into_iter()
            .map(|json| format!(r#"{{"resource":{json},"search":{{"mode":"match"}}}}"#))
            .collect();
        let url = json_string(&format!("{}/api/Coverage", context.base));
        Answer::json(
            200,
            format!(
                r#"{{"resourceType":"Bundle","id":"{:016x}","meta":{{"lastUpdated":"{}"}},"type":"searchset","link":[{{"relation":"self","url":{url}}}],"entry":[{}]}}"#,
                context.number,
                instant(context.now),
                entries.join(",")
            ),
        )
    }
}

fn not_found(text: &str) -> Answer {
    Answer::outcome(404, "not-found", text)
}

/// The weak tag of a resource's version.
fn entity_tag(json: &str) -> String {
    let value: serde_json::Value = serde_json::from_str(json).unwrap_or_default();
    let version = value.get("meta").and_then(|meta| meta.get("versionId")).and_then(serde_json::Value::as_str);
    format!("W/\"{}\"", version.unwrap_or_default())
}
