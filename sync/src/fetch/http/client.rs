//! One polite request: turns, attempts, waits, until there is an answer or patience ends.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use jiff::{SignedDuration, Timestamp};
use tokio::sync::Notify;
use url::Url;

use crate::fetch::config::{Config, MAX_DEPTH, host_and_port};
use crate::fetch::event::{Event, Watch};
use crate::fetch::http::clock::Clock;
use crate::fetch::http::manners::Manners;
use crate::fetch::http::retry::{Backoff, Trouble, Verdict, http_date, judge};
use crate::fetch::http::transport::{Ask, Reply, SendError, Transport};
use crate::fetch::login::client::ClientLogin;
use crate::fetch::secret::Secret;
use crate::fhir::json;
use crate::fhir::page::{self, Body};

/// Attempts while the server stumbles.
const STUMBLES: u32 = 8;
/// Attempts while something else comes than what was asked for.
const WRONG: u32 = 5;
/// Attempts before a lighter request is tried instead, where there is one.
const HEAVY: u32 = 2;
/// Attempts for what would only help.
const HINT: u64 = 2;
/// Firewall pages that one request meets before it is given up, after three pauses of the breaker.
const FIREWALLS: u32 = 10;
/// Firewall pages that a cursor meets before it is asked whether it has expired: some servers say it so.
const CURSOR_FIREWALLS: u32 = 2;
/// Attempts at least, however short patience is, while the server cannot be reached.
const UNREACHABLE: u32 = 8;

/// A wait that is told of.
const LONG_WAIT: Duration = Duration::from_secs(5);

/// Accepted types: the API document's own word first, the standard's beside it.
const ACCEPT: &str = "application/json, application/fhir+json;q=0.9";
/// For gateways that answer 406 to the other.
const ACCEPT_FHIR: &str = "application/fhir+json";

/// Ends a sync from outside, between two requests.
#[derive(Clone, Debug, Default)]
pub struct Stop(Arc<(AtomicBool, Notify)>);

impl Stop {
    /// Ends it: the page under way is still kept, no other is asked for.
    pub fn stop(&self) {
        self.0.0.store(true, Ordering::SeqCst);
        self.0.1.notify_waiters();
    }

    /// Whether it is to end.
    #[must_use]
    pub fn is_stopped(&self) -> bool {
        self.0.0.load(Ordering::SeqCst)
    }

    /// Waits for `future`, but not past the stop.
    pub(crate) async fn or<T>(&self, future: impl Future<Output = T>) -> Option<T> {
        let stopped = self.0.1.notified();
        if self.is_stopped() {
            return None;
        }
        tokio::select! {
            biased;
            value = future => Some(value),
            () = stopped => None,
        }
    }
}

/// What is asked for.
#[derive(Clone, Debug)]
pub(crate) struct Want<'a> {
    pub(crate) url: &'a Url,
    /// The resource type that the answer holds.
    pub(crate) resource_type: &'a str,
    /// Validator of what is there already.
    pub(crate) etag: Option<&'a str>,
    /// A member's token. Without one, the client's own goes along where it has one.
    pub(crate) bearer: Option<&'a Secret>,
    /// Whether a lighter request may be tried instead, so that this one is given up sooner.
    pub(crate) heavy: bool,
    /// Whether the answer only helps, so that nobody waits for it.
    pub(crate) hint: bool,
    /// Whether the address is a cursor that may have expired: a firewall's page is then told sooner.
    pub(crate) cursor: bool,
}

impl<'a> Want<'a> {
    pub(crate) fn new(url: &'a Url, resource_type: &'a str) -> Self {
        Self { url, resource_type, etag: None, bearer: None, heavy: false, hint: false, cursor: false }
    }
}

/// An answer.
#[derive(Debug)]
pub(crate) enum Answer {
    /// What was asked for: a Bundle, or a resource of the type.
    Good { status: u16, etag: Option<String>, body: Vec<u8> },
    /// Unchanged.
    NotModified,
    /// 404 or 410.
    Gone(u16),
    /// Refused.
    Refused(u16),
    /// It did not come.
    Failed(Trouble),
    /// The sync was told to stop.
    Stopped,
}

/// Counts of what went over the wire.
#[derive(Debug, Default)]
pub(crate) struct Tally {
    pub(crate) requests: AtomicU64,
    pub(crate) retries: AtomicU64,
    pub(crate) bytes: AtomicU64,
    pub(crate) waited_ms: AtomicU64,
    pub(crate) firewall_pages: AtomicU64,
    pub(crate) pauses: AtomicU64,
}

impl Tally {
    pub(crate) fn add(counter: &AtomicU64, by: u64) {
        counter.fetch_add(by, Ordering::Relaxed);
    }
}

/// Asks a payer, with manners.
pub(crate) struct Client {
    pub(crate) config: Config,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) stop: Stop,
    pub(crate) tally: Tally,
    transport: Arc<dyn Transport>,
    hosts: Mutex<HashMap<String, Arc<Manners>>>,
    accept_fhir: AtomicBool,
    seed: AtomicU64,
    watch: Watch,
    /// Until when a wait was told of.
    told_of_wait: Mutex<Duration>,
    /// The client's own login.
    pub(crate) login: Option<ClientLogin>,
    /// How far the server's clock is ahead of this one, where it tells its time.
    server_ahead: Mutex<Option<SignedDuration>>,
}

impl Client {
    pub(crate) fn new(config: Config, transport: Arc<dyn Transport>, clock: Arc<dyn Clock>, stop: Stop) -> Self {
        // Nanoseconds keep clients apart; the same clock gives the same pauses.
        let seed = u64::try_from(clock.now().as_nanosecond()).unwrap_or_default();
        Self {
            config,
            clock,
            stop,
            tally: Tally::default(),
            transport,
            hosts: Mutex::default(),
            accept_fhir: AtomicBool::new(false),
            seed: AtomicU64::new(seed),
            watch: Arc::new(|_| ()),
            told_of_wait: Mutex::default(),
            login: None,
            server_ahead: Mutex::default(),
        }
    }

    /// Tells of long waits.
    pub(crate) fn watched(self, watch: Watch) -> Self {
        Self { watch, ..self }
    }

    /// Asks until there is an answer or patience ends.
    pub(crate) async fn ask(&self, want: &Want<'_>) -> Answer {
        // Whoever made the address has checked it; a token must not leave even so.
        if let Err(why) = self.config.may_ask(want.url) {
            return Answer::Failed(Trouble::Redirect(format!("it leads to {why}")));
        }
        let manners = self.manners(want.url);
        let mut attempts = self.attempts();
        let mut other_accept_tried = false;
        let (mut unpacked, mut unpacked_tried) = (false, false);
        let mut refused = None;
        loop {
            let token = match self.token_for(want, refused.as_ref()).await {
                Ok(token) => token,
                Err(answer) => return answer,
            };
            let Some(turn) = self.stop.or(manners.turn()).await else { return Answer::Stopped };
            let Some(turn) = turn else { return Answer::Failed(Trouble::Firewall(403)) };
            attempts.round = turn.round;
            Tally::add(&self.tally.requests, 1);
            let reply = self.transport.get(self.request(want, token.as_ref(), unpacked)).await;
            drop(turn);
            self.note_time(&reply);
            let verdict = self.verdict(want, &reply);
            if reply.is_ok() && !matches!(verdict, Verdict::Firewall(_)) {
                manners.answered();
            }
            let reason = verdict.reason_to_wait().unwrap_or_else(|| {
                manners.useful();
                String::new()
            });
            let wait = match verdict {
                Verdict::Good => {
                    self.login.iter().for_each(ClientLogin::helped);
                    return good(reply);
                }
                Verdict::NotModified => return Answer::NotModified,
                Verdict::Gone(status) => return Answer::Gone(status),
                Verdict::Refused(406, _) if !other_accept_tried => {
                    other_accept_tried = true;
                    self.accept_fhir.fetch_xor(true, Ordering::Relaxed);
                    continue;
                }
                // What is not packed cannot be packed wrong.
                Verdict::Stumbled(Trouble::Packed(_)) if !unpacked_tried => {
                    (unpacked, unpacked_tried) = (true, true);
                    Tally::add(&self.tally.retries, 1);
                    continue;
                }
                Verdict::Refused(401, _) if refused.is_none() && token.is_some() && self.may_renew() => {
                    refused = token;
                    continue;
                }
                Verdict::Refused(status, _) => return Answer::Refused(status),
                Verdict::Never(trouble) => return Answer::Failed(trouble),
                // What would only help is not worth a firewall's ill will, and says nothing of the host.
                Verdict::Firewall(status) if want.hint => {
                    Tally::add(&self.tally.firewall_pages, 1);
                    Err(Trouble::Firewall(status))
                }
                Verdict::Firewall(status @ 403) if want.cursor && attempts.firewalls + 1 >= CURSOR_FIREWALLS => {
                    Tally::add(&self.tally.firewall_pages, 1);
                    Err(Trouble::Firewall(status))
                }
                verdict => self.wait_after(verdict, &reason, &manners, &mut attempts, want.heavy),
            };
            unpacked = false;
            match wait {
                Ok(_) if want.hint && attempts.count() >= HINT => return Answer::Failed(Trouble::Throttled),
                Ok(wait) => {
                    if self.pause(&reason, wait).await.is_none() {
                        return Answer::Stopped;
                    }
                }
                Err(trouble) => return Answer::Failed(trouble),
            }
        }
    }

    /// How long to wait before another attempt; an error where patience has ended. For the verdicts that have a
    /// reason to wait.
    pub(crate) fn wait_after(
        &self,
        verdict: Verdict,
        reason: &str,
        manners: &Manners,
        attempts: &mut Attempts,
        heavy: bool,
    ) -> Result<Duration, Trouble> {
        match verdict {
            // A server that stumbles over everything is not asked for everything.
            Verdict::Stumbled(trouble) if manners.useless() > self.config.patience => Err(trouble),
            Verdict::Stumbled(trouble) => attempts.stumbled(trouble, heavy),
            Verdict::Unreachable(why) => attempts.unreachable(why, self.clock.elapsed(), self.config.patience),
            Verdict::Firewall(status) => {
                Tally::add(&self.tally.firewall_pages, 1);
                if manners.firewall(attempts.round) {
                    Tally::add(&self.tally.pauses, 1);
                    self.tell_of_wait(reason, self.config.pause);
                }
                attempts.firewall(status)
            }
            Verdict::Throttled(asked) => {
                let wait = attempts.throttled(asked, self.clock.elapsed(), self.config.patience);
                if let Ok(wait) = wait {
                    manners.asked_to_wait(wait);
                }
                wait
            }
            _ => Ok(Duration::ZERO),
        }
    }

    /// Waits before another attempt; nothing where the sync ends meanwhile.
    pub(crate) async fn pause(&self, reason: &str, wait: Duration) -> Option<()> {
        self.tell_of_wait(reason, wait);
        Tally::add(&self.tally.retries, 1);
        Tally::add(&self.tally.waited_ms, u64::try_from(wait.as_millis()).unwrap_or(u64::MAX));
        self.stop.or(self.clock.sleep(wait)).await
    }

    pub(crate) fn attempts(&self) -> Attempts {
        Attempts::new(self.seed.fetch_add(0x9E37_79B9, Ordering::Relaxed))
    }

    /// Notes the server's time of day, the first time that it tells it.
    fn note_time(&self, reply: &Result<Reply, SendError>) {
        let Some(date) = reply.as_ref().ok().and_then(|reply| http_date(reply.date.as_deref()?)) else { return };
        let mut ahead = self.server_ahead.lock().unwrap_or_else(PoisonError::into_inner);
        ahead.get_or_insert_with(|| date.duration_since(self.clock.now()));
    }

    /// The time of day by the server's clock, where it tells it.
    pub(crate) fn server_time(&self) -> Option<Timestamp> {
        let ahead = *self.server_ahead.lock().unwrap_or_else(PoisonError::into_inner);
        self.clock.now().checked_add(ahead?).ok()
    }

    /// Tells of a wait that people would wonder about, once where several requests wait.
    fn tell_of_wait(&self, reason: &str, wait: Duration) {
        if wait < LONG_WAIT {
            return;
        }
        let until = self.clock.elapsed() + wait;
        let mut told = self.told_of_wait.lock().unwrap_or_else(PoisonError::into_inner);
        if until < *told + LONG_WAIT {
            return;
        }
        *told = until;
        (self.watch)(&Event::Waiting { reason: reason.to_owned(), seconds: wait.as_secs() });
    }

    fn request(&self, want: &Want<'_>, token: Option<&Secret>, unpacked: bool) -> Ask {
        Ask {
            url: want.url.clone(),
            accept: if self.accept_fhir.load(Ordering::Relaxed) { ACCEPT_FHIR } else { ACCEPT },
            unpacked,
            etag: want.etag.map(str::to_owned),
            bearer: want.bearer.or(token).cloned(),
        }
    }

    fn verdict(&self, want: &Want<'_>, reply: &Result<Reply, SendError>) -> Verdict {
        let bytes = reply.as_ref().map_or(&[] as &[u8], |reply| &reply.body);
        Tally::add(&self.tally.bytes, bytes.len() as u64);
        let text = json::text(bytes);
        let body = if text.is_empty() { Body::Empty } else { page::look(&text, want.resource_type, MAX_DEPTH) };
        judge(reply, &body, self.clock.now())
    }

    pub(crate) fn manners(&self, url: &Url) -> Arc<Manners> {
        let mut hosts = self.hosts.lock().unwrap_or_else(PoisonError::into_inner);
        let manners =
            hosts.entry(host_and_port(url)).or_insert_with(|| Arc::new(Manners::new(&self.config, &self.clock)));
        Arc::clone(manners)
    }
}

/// The attempts of one request.
pub(crate) struct Attempts {
    backoff: Backoff,
    /// When the first of them failed.
    began: Option<Duration>,
    stumbles: u32,
    unreachable: u32,
    firewalls: u32,
    throttles: u32,
    /// The round of the request under way.
    pub(crate) round: u32,
}

impl Attempts {
    fn new(seed: u64) -> Self {
        Self {
            backoff: Backoff::new(seed),
            began: None,
            stumbles: 0,
            unreachable: 0,
            firewalls: 0,
            throttles: 0,
            round: 0,
        }
    }

    fn stumbled(&mut self, trouble: Trouble, heavy: bool) -> Result<Duration, Trouble> {
        self.stumbles += 1;
        let limit = match &trouble {
            Trouble::Status(504) | Trouble::Slow if heavy => HEAVY,
            Trouble::Wrong(_) | Trouble::Packed(_) => WRONG,
            _ => STUMBLES,
        };
        if self.stumbles >= limit { Err(trouble) } else { Ok(self.backoff.pause()) }
    }

    fn unreachable(&mut self, why: String, now: Duration, patience: Duration) -> Result<Duration, Trouble> {
        self.unreachable += 1;
        let since_first = self.since_first(now);
        if self.unreachable >= UNREACHABLE && since_first > patience {
            return Err(Trouble::Unreachable(why));
        }
        Ok(self.backoff.pause())
    }

    fn count(&self) -> u64 {
        [self.stumbles, self.unreachable, self.firewalls, self.throttles].into_iter().map(u64::from).sum()
    }

    fn since_first(&mut self, now: Duration) -> Duration {
        now.saturating_sub(*self.began.get_or_insert(now))
    }

    fn firewall(&mut self, status: u16) -> Result<Duration, Trouble> {
        self.firewalls += 1;
        if self.firewalls >= FIREWALLS { Err(Trouble::Firewall(status)) } else { Ok(self.backoff.pause()) }
    }

    fn throttled(&mut self, asked: Option<Duration>, now: Duration, patience: Duration) -> Result<Duration, Trouble> {
        self.throttles += 1;
        let wait = match asked {
            Some(asked) => self.backoff.stretched(asked).max(Duration::from_millis(10)),
            None => self.backoff.pause(),
        };
        if self.since_first(now) + wait > patience { Err(Trouble::Throttled) } else { Ok(wait) }
    }
}

fn good(reply: Result<Reply, SendError>) -> Answer {
    match reply {
        Ok(Reply { status, etag, body, .. }) => Answer::Good { status, etag, body },
        Err(_) => Answer::Failed(Trouble::Wrong("nothing".to_owned())),
    }
}

#[cfg(test)]
#[allow(clippy::unnecessary_wraps, reason = "replies that cannot fail stand among those that do")]
pub(crate) mod tests {
    use std::collections::VecDeque;

    use super::*;
    use crate::fetch::config::Settings;
    use crate::fetch::http::clock::{BoxFuture, FastClock};

    /// Answers from a list, and keeps what was asked.
    #[derive(Default)]
    pub(crate) struct Script {
        answers: Mutex<VecDeque<Result<Reply, SendError>>>,
        pub(crate) asked: Mutex<Vec<Ask>>,
    }

    impl Transport for Script {
        fn get(&self, ask: Ask) -> BoxFuture<'_, Result<Reply, SendError>> {
            self.asked.lock().unwrap().push(ask);
            let mut answers = self.answers.lock().unwrap();
            let answer = if answers.len() > 1 { answers.pop_front().unwrap() } else { answers[0].clone() };
            Box::pin(async move { answer })
        }
    }

    fn reply(status: u16, body: &str) -> Result<Reply, SendError> {
        Ok(Reply { status, body: body.as_bytes().to_vec(), ..Reply::default() })
    }

    fn bundle() -> Result<Reply, SendError> {
        reply(200, r#"{"resourceType":"Bundle"}"#)
    }

    fn html(status: u16) -> Result<Reply, SendError> {
        reply(status, "<html>blocked</html>")
    }

    fn throttled(seconds: &str) -> Result<Reply, SendError> {
        Ok(Reply { status: 429, retry_after: Some(seconds.to_owned()), ..Reply::default() })
    }

    fn gone() -> Result<Reply, SendError> {
        Err(SendError::Unreachable("connection refused".to_owned()))
    }

    fn packed() -> Result<Reply, SendError> {
        Err(SendError::Packed("unexpected end of file".to_owned()))
    }

    /// Asks once; the answer, how often the server was asked, and the time that passed.
    async fn ask(answers: Vec<Result<Reply, SendError>>, heavy: bool) -> (String, usize, Duration) {
        ask_at("2026-07-01T00:00:00Z", answers, heavy).await
    }

    /// As [`ask`]; the time of day is what the pauses are drawn from.
    async fn ask_at(time: &str, answers: Vec<Result<Reply, SendError>>, heavy: bool) -> (String, usize, Duration) {
        let script = Arc::new(Script { answers: Mutex::new(answers.into()), ..Script::default() });
        let clock: Arc<dyn Clock> = Arc::new(FastClock::at(time.parse().unwrap()));
        let config = Settings { base_url: Some("https://a.example/api".to_owned()), ..Settings::default() };
        let client =
            Client::new(config.check().unwrap(), Arc::<Script>::clone(&script), Arc::clone(&clock), Stop::default());
        let url = Url::parse("https://a.example/api/List").unwrap();
        let answer = match client.ask(&Want { heavy, ..Want::new(&url, "List") }).await {
            Answer::Good { .. } => "good".to_owned(),
            Answer::Failed(trouble) => trouble.to_string(),
            other => format!("{other:?}"),
        };
        let asked = script.asked.lock().unwrap().len();
        assert_eq!(client.tally.requests.load(Ordering::Relaxed), asked as u64);
        (answer, asked, clock.elapsed())
    }

    #[tokio::test]
    async fn passing_troubles_pass() {
        for troubles in [
            vec![reply(500, ""); 7],
            vec![html(502), reply(503, ""), reply(504, ""), reply(408, "")],
            vec![gone(); 20],
            vec![Err(SendError::Slow); 7],
            vec![reply(200, r#"{"resourceType":"Bundle","entry":[{"#); 4],
            vec![reply(200, r#"{"resourceType":"OperationOutcome"}"#)],
            vec![packed(); 5],
            vec![html(200), html(403)],
        ] {
            let count = troubles.len() + 1;
            let (answer, asked, _) = ask([troubles, vec![bundle()]].concat(), false).await;
            assert_eq!((answer.as_str(), asked), ("good", count));
        }
    }

    #[tokio::test]
    async fn lasting_troubles_end() {
        for (trouble, words, attempts) in [
            (reply(500, ""), "the server answers 500", 8),
            (reply(200, ""), "the server answers 200 with nothing", 5),
            (packed(), "the answer cannot be unpacked: unexpected end of file", 6),
            (Err(SendError::Slow), "the server does not answer in time", 8),
            (Err(SendError::TooLarge), "an answer is larger than allowed (max-body)", 1),
            (reply(404, ""), "Gone(404)", 1),
            (reply(400, "x"), "Refused(400)", 1),
        ] {
            let (answer, asked, _) = ask(vec![trouble], false).await;
            assert_eq!((answer.as_str(), asked), (words, attempts));
        }
        assert_eq!(ask(vec![reply(504, "")], true).await.1, 2, "a lighter page is tried soon");
    }

    const PATIENCE: Duration = Duration::from_mins(15);
    const MINUTE: Duration = Duration::from_mins(1);

    #[tokio::test]
    async fn a_server_that_is_gone_is_waited_for_as_long_as_patience_lasts() {
        for second in 0..60 {
            let (answer, asked, passed) = ask_at(&format!("2026-07-01T00:00:{second:02}Z"), vec![gone()], false).await;
            assert_eq!(answer, "the server cannot be reached: connection refused");
            // The last pause may be a whole one.
            assert!(passed > PATIENCE && passed <= PATIENCE + MINUTE, "{second}: {passed:?}");
            // At least whole pauses, most of them of a minute.
            assert!(asked > 15, "{second}: {asked} attempts");
        }
    }

    #[tokio::test]
    async fn a_server_that_stumbles_over_everything_is_left_when_patience_ends() {
        let script = Arc::new(Script { answers: Mutex::new([reply(500, "")].into()), ..Script::default() });
        let clock: Arc<dyn Clock> = Arc::new(FastClock::at("2026-07-01T00:00:00Z".parse().unwrap()));
        let config = Settings { base_url: Some("https://a.example/api".to_owned()), ..Settings::default() };
        let told = Arc::new(Mutex::new(Vec::new()));
        let client =
            Client::new(config.check().unwrap(), Arc::<Script>::clone(&script), Arc::clone(&clock), Stop::default())
                .watched({
                    let told = Arc::clone(&told);
                    Arc::new(move |event| told.lock().unwrap().push(event.clone()))
                });
        let url = Url::parse("https://a.example/api/List").unwrap();
        for _ in 0..200 {
            let answer = client.ask(&Want::new(&url, "List")).await;
            assert!(matches!(answer, Answer::Failed(Trouble::Status(500))), "{answer:?}");
        }
        assert!(clock.elapsed() > PATIENCE && clock.elapsed() < PATIENCE + 2 * MINUTE, "{:?}", clock.elapsed());
        let waits: Vec<Event> = told.lock().unwrap().clone();
        let is_told = |event: &Event| matches!(event, Event::Waiting { reason, seconds: 5..=60 } if reason == "the server answers 500");
        assert!(waits.len() > 10 && waits.iter().all(is_told), "{waits:?}");
        // One good answer, and it is asked with patience again.
        *script.answers.lock().unwrap() = [bundle(), reply(500, ""), bundle()].into();
        for _ in 0..2 {
            assert!(matches!(client.ask(&Want::new(&url, "List")).await, Answer::Good { .. }));
        }
    }

    #[tokio::test]
    async fn waits_that_are_asked_for_are_kept() {
        for second in 0..60 {
            let time = format!("2026-07-01T00:00:{second:02}Z");
            let (answer, asked, passed) = ask_at(&time, vec![throttled("120"), throttled("60"), bundle()], false).await;
            assert_eq!((answer.as_str(), asked), ("good", 3));
            // As long as asked for, and up to a tenth more.
            assert!(passed >= 3 * MINUTE && passed <= (3 * MINUTE).mul_f64(1.1), "{second}: {passed:?}");
            let (answer, asked, passed) = ask_at(&time, vec![throttled("3600")], false).await;
            assert_eq!(
                (answer.as_str(), asked, passed),
                ("the server asks to wait longer than patience allows", 1, Duration::ZERO)
            );
            let (answer, _, passed) = ask_at(&time, vec![throttled("100")], false).await;
            assert_eq!(answer, "the server asks to wait longer than patience allows");
            assert!(passed <= PATIENCE, "{second}: {passed:?}");
        }
    }

    #[tokio::test]
    async fn a_firewall_is_met_with_long_pauses() {
        let (answer, asked, passed) = ask(vec![html(403), html(403), html(200), bundle()], false).await;
        assert_eq!((answer.as_str(), asked), ("good", 4));
        assert!(passed >= 5 * MINUTE, "{passed:?}");
        let (answer, asked, passed) = ask(vec![html(403)], false).await;
        assert_eq!((answer.as_str(), asked), ("a firewall answers instead of the server (403)", 10));
        assert!(passed >= 15 * MINUTE, "{passed:?}");
    }

    #[tokio::test]
    async fn not_acceptable_is_asked_for_once_in_other_words() {
        let (answer, asked, _) = ask(vec![reply(406, ""), bundle()], false).await;
        assert_eq!((answer.as_str(), asked), ("good", 2));
        let (answer, asked, _) = ask(vec![reply(406, "")], false).await;
        assert_eq!((answer.as_str(), asked), ("Refused(406)", 2));
    }

    #[tokio::test]
    async fn what_cannot_be_unpacked_is_asked_for_once_as_it_is() {
        let answers = [packed(), packed(), packed(), bundle()].into();
        let script = Arc::new(Script { answers: Mutex::new(answers), ..Script::default() });
        let clock: Arc<dyn Clock> = Arc::new(FastClock::at("2026-07-01T00:00:00Z".parse().unwrap()));
        let config = Settings { base_url: Some("https://a.example/api".to_owned()), ..Settings::default() };
        let client = Client::new(config.check().unwrap(), Arc::<Script>::clone(&script), clock, Stop::default());
        let url = Url::parse("https://a.example/api/List").unwrap();
        assert!(matches!(client.ask(&Want::new(&url, "List")).await, Answer::Good { .. }));
        let unpacked: Vec<bool> = script.asked.lock().unwrap().iter().map(|ask| ask.unpacked).collect();
        assert_eq!(unpacked, [false, true, false, false]);
    }

    #[tokio::test]
    async fn a_stop_ends_waiting() {
        struct Never;
        impl Transport for Never {
            fn get(&self, _: Ask) -> BoxFuture<'_, Result<Reply, SendError>> {
                Box::pin(async { throttled("800") })
            }
        }
        let stop = Stop::default();
        let clock: Arc<dyn Clock> = Arc::new(crate::fetch::http::clock::SystemClock::default());
        let config = Settings { base_url: Some("https://a.example/api".to_owned()), ..Settings::default() };
        let client = Client::new(config.check().unwrap(), Arc::new(Never), clock, stop.clone());
        let url = Url::parse("https://a.example/api/List").unwrap();
        let want = Want::new(&url, "List");
        let (answer, ()) = tokio::join!(client.ask(&want), async {
            tokio::time::sleep(Duration::from_millis(20)).await;
            stop.stop();
        });
        assert!(matches!(answer, Answer::Stopped));
        assert!(matches!(client.ask(&want).await, Answer::Stopped));
    }
}
