use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64};

use coverdex_core::ErrorKind;
use url::Url;

use super::*;
use crate::fetch::tests::network::{Does, Seen, json_response, response, serve};
use crate::fetch::{Clock, FastClock, Network, Rate, Settings, Stop};

/// A payer that wants a token which it gave out itself.
#[derive(Default)]
struct Payer {
    /// The tokens that were given out so far: the newest is good.
    given: AtomicU64,
    /// A token was given out early: the newest is not good any more.
    is_revoked: AtomicBool,
    /// Nothing is shown to anybody.
    is_closed: AtomicBool,
    /// So many requests for a token go wrong, in one of several ways.
    stumbles: AtomicU64,
    /// The error that a request for a token gets instead.
    refuses: Mutex<Option<&'static str>>,
}

impl Payer {
    fn answer(&self, request: &Seen) -> Does {
        if request.target() == "/auth/token" {
            return self.token(request);
        }
        let good = format!("Bearer token{}", self.given.load(Ordering::SeqCst));
        let is_good = request.header("authorization") == Some(good.as_str());
        if is_good && !self.is_revoked.load(Ordering::SeqCst) && !self.is_closed.load(Ordering::SeqCst) {
            return json_response(r#"{"resourceType":"Bundle"}"#);
        }
        Does::Sends(response("401 Unauthorized", "", br#"{"error":"invalid_token"}"#))
    }

    fn token(&self, request: &Seen) -> Does {
        assert!(request.body.contains("grant_type=client_credentials"), "{request:?}");
        if let Some(error) = *self.refuses.lock().unwrap() {
            let status = if error == "invalid_client" { "401 Unauthorized" } else { "400 Bad Request" };
            return Does::Sends(response(status, "", format!(r#"{{"error":"{error}"}}"#).as_bytes()));
        }
        let left = self.stumbles.load(Ordering::SeqCst);
        if left > 0 {
            self.stumbles.store(left - 1, Ordering::SeqCst);
            return match left % 5 {
                0 => Does::Sends(response("503 Busy", "Retry-After: 7\r\n", b"")),
                1 => Does::Sends(response("429 Too Many", "", b"")),
                2 => Does::Breaks(Vec::new()),
                3 => Does::Sends(response("200 OK", "", b"<html>blocked</html>")),
                _ => Does::Sends(response("500 Oops", "", b"")),
            };
        }
        self.is_revoked.store(false, Ordering::SeqCst);
        let given = self.given.fetch_add(1, Ordering::SeqCst) + 1;
        json_response(&format!(r#"{{"access_token":"token{given}","expires_in":1000}}"#))
    }
}

struct Rig {
    payer: Arc<Payer>,
    seen: Arc<Mutex<Vec<Seen>>>,
    address: String,
    clock: Arc<FastClock>,
}

impl Rig {
    async fn new() -> Self {
        let payer = Arc::new(Payer::default());
        let answers = Arc::clone(&payer);
        let (address, seen) = serve(move |request| answers.answer(request)).await;
        let clock = Arc::new(FastClock::at("2026-07-01T12:00:00Z".parse().unwrap()));
        Self { payer, seen, address, clock }
    }

    fn settings(&self) -> Settings {
        Settings {
            base_url: Some(format!("{}/api", self.address)),
            token_url: Some(format!("{}/auth/token", self.address)),
            client_id: Some("app".to_owned()),
            client_secret: Some(Secret::new("s3cret")),
            rate: Some(Rate::Off),
            concurrency: Some(8),
            ..Settings::default()
        }
    }

    async fn try_client(&self, settings: Settings, stop: Stop) -> Result<Client> {
        let config = settings.check().unwrap();
        let network = Arc::new(Network::new(&config).unwrap());
        let clock = Arc::clone(&self.clock) as Arc<dyn Clock>;
        Client::new(config, network, clock, stop).logged_in().await
    }

    async fn client(&self) -> Client {
        self.try_client(self.settings(), Stop::default()).await.unwrap()
    }

    fn given(&self) -> u64 {
        self.payer.given.load(Ordering::SeqCst)
    }

    fn asked_for_tokens(&self) -> usize {
        self.seen.lock().unwrap().iter().filter(|request| request.target() == "/auth/token").count()
    }

    fn url(&self, path: &str) -> Url {
        format!("{}{path}", self.address).parse().unwrap()
    }
}

async fn ask(client: &Client, url: &Url) -> Answer {
    client.ask(&Want::new(url, "List")).await
}

#[tokio::test]
async fn one_token_serves_until_shortly_before_it_ends() {
    let rig = Rig::new().await;
    let client = rig.client().await;
    let url = rig.url("/api/List");
    for _ in 0..3 {
        assert!(matches!(ask(&client, &url).await, Answer::Good { .. }));
    }
    assert_eq!(rig.given(), 1);
    rig.clock.sleep(Duration::from_secs(935)).await;
    assert!(matches!(ask(&client, &url).await, Answer::Good { .. }));
    assert_eq!(rig.given(), 1);
    rig.clock.sleep(Duration::from_secs(10)).await;
    let all = [ask(&client, &url), ask(&client, &url), ask(&client, &url)].map(Box::pin);
    let [a, b, c] = all;
    let (a, b, c) = tokio::join!(a, b, c);
    assert!([a, b, c].iter().all(|answer| matches!(answer, Answer::Good { .. })));
    assert_eq!(rig.given(), 2, "renewed once for all who ask");
    assert_eq!(client.tally.requests.load(Ordering::SeqCst), rig.seen.lock().unwrap().len() as u64);
}

#[tokio::test]
async fn a_refused_token_is_renewed_once_and_not_for_ever() {
    let rig = Rig::new().await;
    let client = rig.client().await;
    let url = rig.url("/api/List");
    for round in 1..=5 {
        rig.payer.is_revoked.store(true, Ordering::SeqCst);
        assert!(matches!(ask(&client, &url).await, Answer::Good { .. }));
        assert_eq!(rig.given(), 1 + round);
    }
    rig.payer.is_closed.store(true, Ordering::SeqCst);
    for _ in 0..10 {
        assert!(matches!(ask(&client, &url).await, Answer::Refused(401)));
    }
    assert_eq!(rig.given(), 6 + u64::from(IN_VAIN));
}

#[tokio::test]
async fn a_refused_login_ends_the_sync_and_says_which_setting() {
    for (error, setting) in [
        ("invalid_client", "client-secret"),
        ("invalid_scope", "scope"),
        ("unauthorized_client", "client-credentials"),
        ("invalid_request", "client-authentication"),
    ] {
        let rig = Rig::new().await;
        *rig.payer.refuses.lock().unwrap() = Some(error);
        let refused = rig.try_client(rig.settings(), Stop::default()).await.err().unwrap();
        assert_eq!(refused.kind(), ErrorKind::Sync);
        assert_eq!(refused.subject(), format!("token-url {}", rig.url("/auth/token")));
        assert_eq!(refused.message(), format!("it refuses the client's login: {error}"));
        assert!(refused.hint().unwrap().contains(setting), "{refused:?}");
        assert!(!format!("{refused:?}").contains("s3cret"));
    }
    // Also in the middle: nothing more is asked for, and the reason stands.
    let rig = Rig::new().await;
    let stop = Stop::default();
    let client = rig.try_client(rig.settings(), stop.clone()).await.unwrap();
    *rig.payer.refuses.lock().unwrap() = Some("invalid_client");
    rig.payer.is_revoked.store(true, Ordering::SeqCst);
    for _ in 0..3 {
        assert!(matches!(ask(&client, &rig.url("/api/List")).await, Answer::Stopped));
    }
    assert!(stop.is_stopped());
    assert!(client.login_refused().unwrap().message().contains("invalid_client"));
    let api = rig.seen.lock().unwrap().iter().filter(|request| request.target() == "/api/List").count();
    assert_eq!(api, 1);
}

#[tokio::test]
async fn a_token_endpoint_that_stumbles_is_asked_again_until_patience_ends() {
    let rig = Rig::new().await;
    rig.payer.stumbles.store(5, Ordering::SeqCst);
    let client = rig.client().await;
    assert!(matches!(ask(&client, &rig.url("/api/List")).await, Answer::Good { .. }));
    assert_eq!((rig.given(), rig.asked_for_tokens()), (1, 6));
    assert!(rig.clock.elapsed() >= Duration::from_secs(7), "it was waited as asked for");

    // Without end: those who wait do so together.
    rig.payer.stumbles.store(u64::MAX, Ordering::SeqCst);
    rig.payer.is_revoked.store(true, Ordering::SeqCst);
    let url = rig.url("/api/List");
    let before = rig.asked_for_tokens();
    let [a, b] = [ask(&client, &url), ask(&client, &url)].map(Box::pin);
    let (a, b) = tokio::join!(a, b);
    assert!(matches!((a, b), (Answer::Failed(_), Answer::Failed(_))));
    assert!(rig.asked_for_tokens() - before < 40, "{}", rig.asked_for_tokens() - before);
    assert!(client.login_refused().is_none(), "it may be back the next time");

    let nobody = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let settings = Settings { token_url: Some(format!("http://{nobody}/token")), ..rig.settings() };
    let error = rig.try_client(settings, Stop::default()).await.err().unwrap();
    assert_eq!(error.subject(), format!("token-url http://{nobody}/token"));
    assert!(error.message().contains("cannot be reached"), "{error}");
}

#[tokio::test]
async fn the_token_goes_to_the_payers_own_host_alone() {
    let rig = Rig::new().await;
    let (other, others) = serve(|_| json_response(r#"{"resourceType":"Bundle"}"#)).await;
    let allow = vec![other.strip_prefix("http://").unwrap().to_owned()];
    let settings = Settings { allow_host: allow, ..rig.settings() };
    let client = rig.try_client(settings, Stop::default()).await.unwrap();
    let elsewhere: Url = format!("{other}/api/List").parse().unwrap();
    assert!(matches!(ask(&client, &elsewhere).await, Answer::Good { .. }));
    assert_eq!(others.lock().unwrap()[0].header("authorization"), None);

    // A member's token is not replaced, and not renewed here.
    let (url, member) = (rig.url("/api/Coverage"), Secret::new("member"));
    let want = Want { bearer: Some(&member), ..Want::new(&url, "Coverage") };
    assert!(matches!(client.ask(&want).await, Answer::Refused(401)));
    assert_eq!(rig.seen.lock().unwrap().last().unwrap().header("authorization"), Some("Bearer member"));
    assert_eq!(rig.given(), 1);

    // Without credentials, or where members log in, nobody is asked for a token.
    for settings in [
        Settings { client_secret: None, ..rig.settings() },
        Settings { client_credentials: Some(false), ..rig.settings() },
        Settings { authorize_url: Some(format!("{}/authorize", rig.address)), ..rig.settings() },
    ] {
        let client = rig.try_client(settings, Stop::default()).await.unwrap();
        assert!(matches!(ask(&client, &rig.url("/api/List")).await, Answer::Refused(401)));
    }
    assert_eq!(rig.given(), 1);
    let both = Settings {
        authorize_url: Some(format!("{}/authorize", rig.address)),
        client_credentials: Some(true),
        ..rig.settings()
    };
    rig.try_client(both, Stop::default()).await.unwrap();
    assert_eq!(rig.given(), 2);
}
