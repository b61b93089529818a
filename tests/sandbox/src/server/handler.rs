//! From a request to its answer, with the faults on the way.

use std::io::Write;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, SystemTime};

use axum::body::{Body, Bytes};
use axum::extract::{ConnectInfo, Request, State};
use axum::http::{HeaderName, HeaderValue, StatusCode, header};
use axum::response::Response;
use tokio::time::sleep;

use super::answer::{Answer, outcome};
use super::codec::{hash, http_date};
use super::count::{Arrival, Counter};
use super::endpoints::{Asked, Case, MOVED};
use super::fault::{Active, Fault, Faults, Interruption, Mangled, compression_bomb, mangle_body};
use super::wire::{Cut, End, Handle, Line, Plan};
use super::{Shared, read};
use crate::ResourceType;

/// A form or JSON body of a token request is at most so long.
const MAX_FORM: usize = 64 << 10;
/// Answers shorter than this are not worth compressing.
const WORTH_GZIP: usize = 512;

/// Tells the counter that a request is done, also when its connection went away meanwhile.
struct UnderWay<'a> {
    counter: &'a Counter,
    number: u64,
    status: u16,
    bytes: usize,
}

impl Drop for UnderWay<'_> {
    fn drop(&mut self) {
        self.counter.leave(self.number, self.status, self.bytes);
    }
}

/// Answers every request.
pub(super) async fn handle(
    State(shared): State<Arc<Shared>>,
    ConnectInfo(Line(wire)): ConnectInfo<Line>,
    request: Request,
) -> Response {
    let (parts, body) = request.into_parts();
    let body = axum::body::to_bytes(body, MAX_FORM).await.unwrap_or_default();
    let asked = Asked::new(&parts, &body);
    wire.plan(Plan::default());
    let now = shared.now();
    let is_authorized = parts.headers.contains_key(header::AUTHORIZATION);
    if wire.is_other {
        let has_key = parts.headers.contains_key(shared.options.api_key_header.as_str());
        shared.counter.other_host(is_authorized || has_key);
        let answer =
            shared.answer(&asked, &Active::new(Faults::none(), 0, 0), Case { is_other: true, ..Case::default() });
        return shared.respond(&asked, answer, now).0;
    }
    let active = Arc::clone(&*read(&shared.active));
    let number = shared.counter.arrive(&Arrival {
        at: now,
        method: parts.method.as_str(),
        target: asked.target,
        endpoint: asked.endpoint,
        authorized: is_authorized,
        user_agent: asked.header(&header::USER_AGENT),
    });
    let mut under_way = UnderWay { counter: &shared.counter, number, status: 0, bytes: 0 };
    let key = hash(format!("{} {}", parts.method, asked.target).as_bytes());
    let met = Met { shared: &shared, active: &active, kind: asked.endpoint.kind(), key, number, now };
    // Faults stay out of logins: a code that was sent into the void is gone.
    let answered = if asked.path.starts_with("/api/") {
        met.faulty(&asked, &wire).await
    } else {
        Some(shared.answer(&asked, &active, Case { key, number, ..Case::default() }))
    };
    let Some(answer) = answered else { return Response::new(Body::empty()) };
    under_way.status = answer.status;
    active.note_told();
    let (response, bytes) = shared.respond(&asked, answer, active.told(now));
    under_way.bytes = bytes;
    wire.adapt(bytes);
    response
}

/// A request and the faults that it may meet.
struct Met<'a> {
    shared: &'a Shared,
    active: &'a Active,
    kind: Option<ResourceType>,
    key: u64,
    number: u64,
    now: SystemTime,
}

impl Met<'_> {
    /// The answer with its faults; none where the connection ends without one.
    async fn faulty(&self, asked: &Asked<'_>, wire: &Handle) -> Option<Answer> {
        let Self { shared, active, kind, key, number, now } = *self;
        let behind = wire.closed_behind.swap(false, Ordering::Relaxed);
        let interruption = if active.leaves(number, now) {
            Some(Interruption::Reset { midway: false })
        } else {
            active.interrupt(number, kind, asked.is_search(), key, behind)
        };
        if active.strikes(Fault::Latency, kind, key) {
            let half = shared.options.latency / 2;
            sleep(half + half.mul_f64(fraction(active.draw(Fault::Latency, key, 1)))).await;
        }
        let cut = |after, reset| Plan { cut: Some(Cut { after, reset }), pace: None };
        let plan = match interruption {
            Some(Interruption::Drop) => cut(End::BeforeAll, false),
            Some(Interruption::Reset { midway: false }) => cut(End::BeforeAll, true),
            Some(Interruption::Hang) => {
                sleep(shared.options.hang).await;
                cut(End::BeforeAll, false)
            }
            Some(Interruption::Reset { midway: true }) => cut(End::Midway, true),
            Some(Interruption::TruncateRight) => cut(End::Midway, false),
            _ => Plan::default(),
        };
        wire.plan(plan);
        if plan.cut.is_some_and(|cut| cut.after == End::BeforeAll) {
            return None;
        }
        if interruption == Some(Interruption::CloseBehind) {
            wire.closed_behind.store(true, Ordering::Relaxed);
        }
        if active.strikes(Fault::SlowDrip, kind, key) {
            wire.plan(Plan { pace: Some(shared.options.drip_pause), ..plan });
        }
        let mut answer = self.answer(asked, interruption);
        if interruption == Some(Interruption::TruncateWrong) {
            let half = answer.body.floor_char_boundary(answer.body.len() / 2);
            answer.body.truncate(half);
        }
        Some(answer)
    }

    fn answer(&self, asked: &Asked<'_>, interruption: Option<Interruption>) -> Answer {
        let Self { shared, active, kind, key, number, now } = *self;
        if let Some(answer) = interruption.and_then(|interruption| instead(interruption, key, active.told(now))) {
            return answer;
        }
        if interruption.is_none() && !asked.is_moved && active.strikes(Fault::Redirects, kind, key) {
            let statuses = [301, 302, 303, 307, 308];
            let choice = usize::try_from(active.draw(Fault::Redirects, key, 1) % 5).unwrap_or(0);
            let status = statuses.get(choice).copied().unwrap_or(302);
            return Answer::redirect(status, format!("{MOVED}{}", asked.target));
        }
        let spoilt = match interruption {
            Some(Interruption::Spoilt(spoilt)) => Some(spoilt),
            _ => None,
        };
        let case = Case { key, number, spoilt, is_other: false };
        let answer = tokio::task::block_in_place(|| shared.answer(asked, active, case));
        if answer.status != 200 || answer.bomb {
            return answer;
        }
        let Mangled { body, content_type } = mangle_body(active, kind, key, answer.body);
        Answer { body, content_type: content_type.unwrap_or(answer.content_type), ..answer }
    }
}

/// A number from 0 to 1.
fn fraction(number: u64) -> f64 {
    f64::from(u32::try_from(number % 1000).unwrap_or(0)) / 1000.0
}

/// What an interrupted request gets instead of its answer.
fn instead(interruption: Interruption, key: u64, now: SystemTime) -> Option<Answer> {
    Some(match interruption {
        Interruption::TooMany { after, as_date } => {
            let value = if as_date { http_date(now + Duration::from_secs(after)) } else { after.to_string() };
            Answer::outcome(429, "throttled", "Too many requests.").with("retry-after", value)
        }
        Interruption::ServerError(status @ (502 | 504)) => Answer::html(
            status,
            format!("<html><body><h1>{status}</h1><p>The upstream server did not answer.</p></body></html>"),
        ),
        Interruption::ServerError(status) => Answer::outcome(status, "transient", "Try again later."),
        Interruption::Firewall(status) => Answer::firewall(status, key),
        Interruption::Outcome if key.is_multiple_of(2) => {
            Answer::json(200, outcome("transient", "The database is busy."))
        }
        Interruption::Outcome => Answer::json(
            200,
            r#"{"statusCode":403,"message":"Out of call volume quota. Quota will be replenished in 00:00:01."}"#
                .to_owned(),
        ),
        _ => return None,
    })
}

impl Shared {
    pub(super) fn now(&self) -> SystemTime {
        self.options.clock.now()
    }

    /// The answer as HTTP, and the length of its body.
    fn respond(&self, asked: &Asked<'_>, answer: Answer, now: SystemTime) -> (Response, usize) {
        let is_gzip = self.options.gzip && asked.accepts_gzip() && answer.body.len() >= WORTH_GZIP;
        let body = if answer.bomb {
            self.bomb.get_or_init(|| Bytes::from(compression_bomb())).clone()
        } else if is_gzip {
            let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
            let compressed = encoder.write_all(answer.body.as_bytes()).and_then(|()| encoder.finish());
            Bytes::from(compressed.unwrap_or_default())
        } else {
            Bytes::from(answer.body)
        };
        let bytes = body.len();
        let mut response = Response::new(Body::from(body));
        *response.status_mut() = StatusCode::from_u16(answer.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        let headers = response.headers_mut();
        let mut put = |name: HeaderName, value: &str| {
            if let Ok(value) = HeaderValue::from_str(value) {
                headers.insert(name, value);
            }
        };
        put(header::DATE, &http_date(now));
        if !answer.content_type.is_empty() && answer.status != 304 {
            put(header::CONTENT_TYPE, answer.content_type);
        }
        if answer.bomb || is_gzip {
            put(header::CONTENT_ENCODING, "gzip");
        }
        for (name, value) in &answer.headers {
            put(HeaderName::from_static(name), value);
        }
        (response, bytes)
    }
}
