//! What to make of an answer: take it, ask again (when?), or leave it. No waiting and no network here.

use std::time::Duration;

use backon::{BackoffBuilder, ExponentialBackoff, ExponentialBuilder};
use jiff::Timestamp;

use crate::fetch::http::transport::{Reply, SendError};
use crate::fhir::page::Body;

/// The longest pause between two attempts that nobody asked for.
const LONGEST_BACKOFF: Duration = Duration::from_mins(1);

/// What a reply is worth.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// What was asked for.
    Good,
    /// Unchanged since the validator sent with the request.
    NotModified,
    /// 404 or 410: there is no such thing, or no longer.
    Gone(u16),
    /// Refused; the same request will be refused again. Status and words.
    Refused(u16, String),
    /// The server asks to wait, so long if it says how long.
    Throttled(Option<Duration>),
    /// A firewall's page instead of an answer.
    Firewall(u16),
    /// The server stumbled, or what came is not what was asked for: a second attempt may succeed.
    Stumbled(Trouble),
    /// Nothing came: a second attempt may succeed.
    Unreachable(String),
    /// Not to be repeated.
    Never(Trouble),
}

impl Verdict {
    /// Why a second attempt has to wait; `None` for what came as asked for, and for a clear no.
    pub(crate) fn reason_to_wait(&self) -> Option<String> {
        match self {
            Self::Good | Self::NotModified | Self::Gone(_) | Self::Refused(..) | Self::Never(_) => None,
            Self::Stumbled(trouble) => Some(trouble.to_string()),
            Self::Unreachable(why) => Some(Trouble::Unreachable(why.clone()).to_string()),
            Self::Firewall(status) => Some(Trouble::Firewall(*status).to_string()),
            Self::Throttled(_) => Some("the server asks to wait".to_owned()),
        }
    }
}

/// What was wrong, for reports.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Trouble {
    /// An error status.
    Status(u16),
    /// A success status with something else than what was asked for.
    Wrong(String),
    /// An answer whose body cannot be unpacked: why.
    Packed(String),
    /// No answer in time, or drop by drop.
    Slow,
    /// Larger than allowed.
    TooLarge,
    /// Nested deeper than allowed.
    TooDeep,
    /// A redirect that must not be followed.
    Redirect(String),
    /// Nothing came.
    Unreachable(String),
    /// A firewall's page, again and again.
    Firewall(u16),
    /// The server asks to wait longer than patience lasts.
    Throttled,
}

impl std::fmt::Display for Trouble {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Status(status) => write!(f, "the server answers {status}"),
            Self::Wrong(what) => write!(f, "the server answers 200 with {what}"),
            Self::Packed(why) => write!(f, "the answer cannot be unpacked: {why}"),
            Self::Slow => f.write_str("the server does not answer in time"),
            Self::TooLarge => f.write_str("an answer is larger than allowed (max-body)"),
            Self::TooDeep => f.write_str("an answer is nested too deeply"),
            Self::Redirect(why) => write!(f, "a redirect is not followed: {why}"),
            Self::Unreachable(why) => write!(f, "the server cannot be reached: {why}"),
            Self::Firewall(status) => write!(f, "a firewall answers instead of the server ({status})"),
            Self::Throttled => f.write_str("the server asks to wait longer than patience allows"),
        }
    }
}

/// Judges what came of a request; `body` is what [`look`](crate::fhir::page::look) saw in it.
pub(crate) fn judge(reply: &Result<Reply, SendError>, body: &Body<'_>, now: Timestamp) -> Verdict {
    let reply = match reply {
        Ok(reply) => reply,
        Err(SendError::Unreachable(why)) => return Verdict::Unreachable(why.clone()),
        Err(SendError::Packed(why)) => return Verdict::Stumbled(Trouble::Packed(why.clone())),
        Err(SendError::Slow) => return Verdict::Stumbled(Trouble::Slow),
        Err(SendError::TooLarge) => return Verdict::Never(Trouble::TooLarge),
        Err(SendError::Redirect(why)) => return Verdict::Never(Trouble::Redirect(why.clone())),
    };
    let wait = || wait_asked_for(reply, now);
    match (reply.status, body) {
        (304, _) => Verdict::NotModified,
        (200..=299, Body::Page(_) | Body::Resource(_)) => Verdict::Good,
        (200..=299, Body::TooDeep) => Verdict::Never(Trouble::TooDeep),
        (status @ (200..=299 | 403), Body::Html) => Verdict::Firewall(status),
        // Also a quota under a success status.
        (429, _) | (200..=299, Body::ErrorObject(Some(403 | 429 | 503))) => Verdict::Throttled(wait()),
        (200..=299, other) => Verdict::Stumbled(Trouble::Wrong(other.to_string())),
        (403 | 503, _) if wait().is_some() => Verdict::Throttled(wait()),
        (403, _) if is_quota(reply) => Verdict::Throttled(wait()),
        (status @ (408 | 423 | 425 | 500 | 502..=504 | 507 | 520..=530), _) => {
            Verdict::Stumbled(Trouble::Status(status))
        }
        (status @ (404 | 410), _) => Verdict::Gone(status),
        // Redirects that could be followed were; this one has no address.
        (status @ 300..=399, _) => {
            Verdict::Never(Trouble::Redirect(format!("{status} with no web address to go on at")))
        }
        (status, body) => Verdict::Refused(status, body.to_string()),
    }
}

impl std::fmt::Display for Body<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Page(_) => f.write_str("a Bundle"),
            Self::Resource(entry) => write!(f, "a {}", entry.resource_type),
            Self::Outcome(words) => write!(f, "an OperationOutcome ({words})"),
            Self::OtherType(name) => write!(f, "a {}", name.chars().take(40).collect::<String>()),
            Self::ErrorObject(Some(status)) => write!(f, "an error object ({status})"),
            Self::ErrorObject(None) => f.write_str("JSON that is no resource"),
            Self::Html => f.write_str("a web page"),
            Self::Empty => f.write_str("nothing"),
            Self::Broken => f.write_str("half a body or junk"),
            Self::TooDeep => f.write_str("JSON nested too deeply"),
        }
    }
}

/// Quotas may come as 403 with words such as "quota will be replenished in 00:12:31".
fn is_quota(reply: &Reply) -> bool {
    let head = reply.body.get(..reply.body.len().min(2000)).unwrap_or_default();
    let text = String::from_utf8_lossy(head).to_ascii_lowercase();
    !text.trim_start().starts_with('<')
        && ["quota", "replenished", "rate limit", "too many requests", "throttl"].iter().any(|w| text.contains(w))
}

/// A longer wait is cut to this: it is longer than any patience, and can be added to a time.
const LONGEST_WAIT: Duration = Duration::from_hours(366 * 24);

/// How long the server asks to wait, a year at most.
fn wait_asked_for(reply: &Reply, now: Timestamp) -> Option<Duration> {
    stated_wait(reply, now).map(|wait| wait.min(LONGEST_WAIT))
}

/// `Retry-After` in seconds or as a date, or `x-ms-retry-after-ms`.
fn stated_wait(reply: &Reply, now: Timestamp) -> Option<Duration> {
    if let Some(ms) = reply.retry_after_ms.as_deref().and_then(|text| text.trim().parse().ok()) {
        return Some(Duration::from_millis(ms));
    }
    let text = reply.retry_after.as_deref()?.trim();
    if let Ok(seconds) = text.parse::<f64>() {
        // A `Duration` does not hold all the seconds that can be written.
        return (seconds >= 0.0).then(|| Duration::try_from_secs_f64(seconds).unwrap_or(LONGEST_WAIT));
    }
    let until = http_date(text)?;
    // The server's own clock says how far off its date is.
    let server_now = reply.date.as_deref().and_then(http_date).unwrap_or(now);
    Some(Duration::try_from(until.duration_since(server_now)).unwrap_or_default())
}

pub(crate) fn http_date(text: &str) -> Option<Timestamp> {
    jiff::fmt::rfc2822::DateTimeParser::new().parse_timestamp(text.trim()).ok()
}

/// Pauses between attempts: doubling, each cut to a random part of itself ("full jitter"), so that
/// clients that failed together do not come back together.
#[derive(Debug)]
pub(crate) struct Backoff {
    pauses: ExponentialBackoff,
    random: Random,
}

impl Backoff {
    pub(crate) fn new(seed: u64) -> Self {
        let pauses = ExponentialBuilder::default()
            .with_min_delay(Duration::from_secs(1))
            .with_max_delay(LONGEST_BACKOFF)
            .without_max_times()
            .build();
        Self { pauses, random: Random(seed) }
    }

    /// The next pause; at least a hundredth of a second, so that nothing spins.
    pub(crate) fn pause(&mut self) -> Duration {
        let full = self.pauses.next().unwrap_or(LONGEST_BACKOFF);
        full.mul_f64(self.random.fraction()).max(Duration::from_millis(10))
    }

    /// A wait that was asked for, and up to a tenth more.
    pub(crate) fn stretched(&mut self, asked: Duration) -> Duration {
        asked + asked.mul_f64(self.random.fraction() / 10.0)
    }
}

/// SplitMix64: jitter needs to differ, not to be secret.
#[derive(Debug)]
struct Random(u64);

impl Random {
    fn fraction(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        let bits = u32::try_from((z ^ (z >> 31)) >> 32).unwrap_or_default();
        f64::from(bits) / f64::from(u32::MAX)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fhir::page::look;

    fn now() -> Timestamp {
        "2026-07-01T12:00:00Z".parse().unwrap()
    }

    fn reply(status: u16, body: &str) -> Reply {
        Reply { status, body: body.as_bytes().to_vec(), ..Reply::default() }
    }

    fn verdict(reply: Reply) -> Verdict {
        let text = String::from_utf8(reply.body.clone()).unwrap();
        judge(&Ok(reply), &look(&text, "Location", 64), now())
    }

    #[test]
    fn statuses_and_bodies() {
        const BUNDLE: &str = r#"{"resourceType":"Bundle"}"#;
        const OUTCOME: &str = r#"{"resourceType":"OperationOutcome","issue":[{"severity":"error"}]}"#;
        const HTML: &str = "<html>Access denied. Reference #18.7</html>";
        let wrong = |words: &str| Verdict::Stumbled(Trouble::Wrong(words.to_owned()));
        for (status, body, expected) in [
            (200, BUNDLE, Verdict::Good),
            (200, r#"{"resourceType":"Location","id":"1"}"#, Verdict::Good),
            (200, OUTCOME, wrong("an OperationOutcome (error)")),
            (200, HTML, Verdict::Firewall(200)),
            (200, "", wrong("nothing")),
            (200, r#"{"resourceType":"Bun"#, wrong("half a body or junk")),
            (200, r#"{"resourceType":"Patient"}"#, wrong("a Patient")),
            (200, r#"{"statusCode":403,"message":"x"}"#, Verdict::Throttled(None)),
            (304, "", Verdict::NotModified),
            (400, OUTCOME, Verdict::Refused(400, "an OperationOutcome (error)".to_owned())),
            (401, "", Verdict::Refused(401, "nothing".to_owned())),
            (403, HTML, Verdict::Firewall(403)),
            (403, OUTCOME, Verdict::Refused(403, "an OperationOutcome (error)".to_owned())),
            (
                403,
                r#"{"message":"Out of call volume quota. Quota will be replenished in 00:12:31."}"#,
                Verdict::Throttled(None),
            ),
            (404, HTML, Verdict::Gone(404)),
            (410, "", Verdict::Gone(410)),
            (408, "", Verdict::Stumbled(Trouble::Status(408))),
            (413, "", Verdict::Refused(413, "nothing".to_owned())),
            (422, OUTCOME, Verdict::Refused(422, "an OperationOutcome (error)".to_owned())),
            (423, "", Verdict::Stumbled(Trouble::Status(423))),
            (429, "", Verdict::Throttled(None)),
            (500, HTML, Verdict::Stumbled(Trouble::Status(500))),
            (502, HTML, Verdict::Stumbled(Trouble::Status(502))),
            (503, "", Verdict::Stumbled(Trouble::Status(503))),
            (504, "", Verdict::Stumbled(Trouble::Status(504))),
            (302, "", Verdict::Never(Trouble::Redirect("302 with no web address to go on at".to_owned()))),
        ] {
            assert_eq!(verdict(reply(status, body)), expected, "{status} {body}");
        }
        let deep = format!("{{\"a\":{}{}}}", "[".repeat(99), "]".repeat(99));
        assert_eq!(verdict(reply(200, &deep)), Verdict::Never(Trouble::TooDeep));
        assert_eq!(judge(&Err(SendError::TooLarge), &Body::Empty, now()), Verdict::Never(Trouble::TooLarge));
        let gone = Err(SendError::Unreachable("connection refused".to_owned()));
        assert_eq!(judge(&gone, &Body::Empty, now()), Verdict::Unreachable("connection refused".to_owned()));
    }

    #[test]
    fn waits_as_asked_for() {
        let asked = |retry_after: Option<&str>, ms: Option<&str>, date: Option<&str>| {
            let reply = Reply {
                retry_after: retry_after.map(str::to_owned),
                retry_after_ms: ms.map(str::to_owned),
                date: date.map(str::to_owned),
                ..reply(429, "")
            };
            match verdict(reply) {
                Verdict::Throttled(wait) => wait.map(|w| w.as_millis()),
                other => panic!("{other:?}"),
            }
        };
        assert_eq!(asked(Some("120"), None, None), Some(120_000));
        assert_eq!(asked(Some("1.5"), None, None), Some(1_500));
        assert_eq!(asked(Some("Wed, 01 Jul 2026 12:01:30 GMT"), None, None), Some(90_000));
        assert_eq!(asked(Some("Wed, 01 Jul 2026 11:00:00 GMT"), None, None), Some(0), "a date that has passed");
        let server = Some("Wed, 01 Jul 2026 12:01:00 GMT");
        assert_eq!(asked(Some("Wed, 01 Jul 2026 12:01:30 GMT"), None, server), Some(30_000), "by the server's clock");
        assert_eq!(asked(None, Some("250"), None), Some(250));
        assert_eq!(asked(Some("soon"), None, None), None);
        assert_eq!(asked(Some("-5"), None, None), None);
        let most = Some(LONGEST_WAIT.as_millis());
        for long in ["18440000000000000000", "1e300", "inf", "99999999999"] {
            assert_eq!(asked(Some(long), None, None), most, "{long}");
        }
        assert_eq!(asked(None, Some("18446744073709551615"), None), most);
        assert_eq!(asked(Some("Thu, 31 Dec 9998 23:59:59 GMT"), None, None), most);
        assert_eq!(asked(Some("NaN"), None, None), None);
        let busy = Reply { retry_after: Some("7".to_owned()), ..reply(503, "") };
        assert_eq!(verdict(busy), Verdict::Throttled(Some(Duration::from_secs(7))));
    }

    #[test]
    fn backoff_doubles_up_to_a_minute_and_spreads_out() {
        let pauses: Vec<Vec<f64>> = (0..200)
            .map(|seed| {
                let mut backoff = Backoff::new(seed);
                (0..9).map(|_| backoff.pause().as_secs_f64()).collect()
            })
            .collect();
        for (attempt, full) in [1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 60.0, 60.0, 60.0].into_iter().enumerate() {
            let of_attempt: Vec<f64> = pauses.iter().map(|p| p[attempt]).collect();
            let mean = of_attempt.iter().sum::<f64>() / 200.0;
            assert!(of_attempt.iter().all(|p| (0.01..=full).contains(p)), "attempt {attempt}");
            assert!((mean / full - 0.5).abs() < 0.1, "attempt {attempt}: mean {mean}");
        }
        let stretched = Backoff::new(1).stretched(Duration::from_secs(100));
        assert!((100..=110).contains(&stretched.as_secs()), "never earlier than asked for");
    }
}
