//! An answer before it goes over the wire.

use super::codec::json_string;

/// Status, headers and body of an answer.
#[derive(Clone, Debug)]
pub(super) struct Answer {
    pub(super) status: u16,
    pub(super) content_type: &'static str,
    pub(super) headers: Vec<(&'static str, String)>,
    pub(super) body: String,
    /// The body is the compression bomb.
    pub(super) bomb: bool,
}

pub(super) const JSON: &str = "application/json; charset=utf-8";
pub(super) const HTML: &str = "text/html; charset=utf-8";

impl Answer {
    pub(super) fn json(status: u16, body: String) -> Self {
        Self { status, content_type: JSON, headers: Vec::new(), body, bomb: false }
    }

    pub(super) fn html(status: u16, body: String) -> Self {
        Self { status, content_type: HTML, headers: Vec::new(), body, bomb: false }
    }

    pub(super) fn empty(status: u16) -> Self {
        Self { status, content_type: JSON, headers: Vec::new(), body: String::new(), bomb: false }
    }

    /// An OperationOutcome with one issue.
    pub(super) fn outcome(status: u16, code: &str, text: &str) -> Self {
        Self::json(status, outcome(code, text))
    }

    pub(super) fn with(mut self, name: &'static str, value: impl Into<String>) -> Self {
        self.headers.push((name, value.into()));
        self
    }

    /// A redirect.
    pub(super) fn redirect(status: u16, location: String) -> Self {
        Self::html(status, String::new()).with("location", location)
    }

    /// What a firewall shows instead of an answer.
    pub(super) fn firewall(status: u16, reference: u64) -> Self {
        Self::html(
            status,
            format!(
                "<html><head><title>Request unsuccessful</title></head><body><h1>Access denied</h1>\
                 <p>Your request looked unusual and was stopped.</p><p>Reference&#32;&#35;{reference:016x}</p></body></html>"
            ),
        )
    }
}

/// The JSON of an OperationOutcome with one error.
pub(super) fn outcome(code: &str, text: &str) -> String {
    format!(
        r#"{{"resourceType":"OperationOutcome","issue":[{{"severity":"error","code":{},"diagnostics":{}}}]}}"#,
        json_string(code),
        json_string(text)
    )
}

/// A request that is refused: why, in the words of an OperationOutcome.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Refusal {
    pub(super) status: u16,
    pub(super) code: &'static str,
    pub(super) text: String,
}

impl Refusal {
    pub(super) fn new(status: u16, code: &'static str, text: impl Into<String>) -> Self {
        Self { status, code, text: text.into() }
    }

    pub(super) fn invalid(text: impl Into<String>) -> Self {
        Self::new(400, "invalid", text)
    }
}

impl From<Refusal> for Answer {
    fn from(refusal: Refusal) -> Self {
        Self::outcome(refusal.status, refusal.code, &refusal.text)
    }
}
