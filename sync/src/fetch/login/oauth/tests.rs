use std::sync::{Arc, Mutex};

use jiff::Timestamp;

use super::*;
use crate::fetch::tests::network::{Does, Seen, json_response, response, serve};
use crate::fetch::{
    Clock, FastClock, MemberPlans, Network, Settings, TokenEncoding, TokenEndpoint, TokenFile, Tokens, Transport,
    member_plans,
};

const NOW: &str = "2026-07-01T12:00:00Z";

fn now() -> Timestamp {
    NOW.parse().unwrap()
}

fn settings(address: &str) -> Settings {
    Settings {
        base_url: Some(format!("{address}/api")),
        authorize_url: Some(format!("{address}/auth/authorize")),
        token_url: Some(format!("{address}/auth/token")),
        redirect_url: Some("http://127.0.0.1:1/callback".to_owned()),
        client_id: Some("app".to_owned()),
        client_secret: Some(Secret::new("s3cret")),
        ..Settings::default()
    }
}

/// A server with one member, whose refresh tokens work once.
#[derive(Default)]
struct Member {
    /// Tokens given out so far; the newest is the one that works.
    given: u32,
    code_used: bool,
    json_only: bool,
}

async fn server(json_only: bool) -> (String, Arc<Mutex<Vec<Seen>>>, Arc<Mutex<Member>>) {
    let member = Arc::new(Mutex::new(Member { json_only, ..Member::default() }));
    let state = Arc::clone(&member);
    let (address, seen) = serve(move |request| answer(request, &mut state.lock().unwrap())).await;
    (address, seen, member)
}

fn answer(request: &Seen, member: &mut Member) -> Does {
    match request.target() {
        "/auth/token" => token(request, member),
        "/api/Coverage" => {
            let holds = request.header("authorization") == Some(format!("Bearer access{}", member.given).as_str());
            if !holds {
                return Does::Sends(response("401 Unauthorized", "", b"member X07010576"));
            }
            json_response(
                r#"{"resourceType":"Bundle","entry":[
                {"resource":{"resourceType":"Coverage","id":"c1","status":"active","subscriberId":"X07010576",
                 "type":{"coding":[{"code":"DRUGPOL"}]},"class":[{"type":{"coding":[{"code":"subplan"}]},"value":"H1234-001-000-2026"}]}},
                {"resource":{"resourceType":"Coverage","id":"c2","status":"cancelled","type":{"coding":[{"code":"DRUGPOL"}]},
                 "class":[{"type":{"coding":[{"code":"subplan"}]},"value":"H1234-001-000-2025"}]}}]}"#,
            )
        }
        _ => Does::Sends(response("404 Not Found", "", b"")),
    }
}

fn token(request: &Seen, member: &mut Member) -> Does {
    let refuse =
        |error: &str| Does::Sends(response("400 Bad Request", "", format!(r#"{{"error":"{error}"}}"#).as_bytes()));
    let is_json = request.header("content-type") == Some("application/json");
    if member.json_only && !is_json {
        return Does::Sends(response("415 Unsupported Media Type", "", b""));
    }
    assert_eq!(request.header("authorization"), Some("Basic YXBwOnMzY3JldA=="), "app:s3cret");
    let field = |name: &str| -> Option<String> {
        if is_json {
            let body: serde_json::Value = serde_json::from_str(&request.body).unwrap();
            return body.get(name).and_then(|v| v.as_str()).map(str::to_owned);
        }
        url::form_urlencoded::parse(request.body.as_bytes()).find(|(n, _)| n == name).map(|(_, v)| v.into_owned())
    };
    match field("grant_type").as_deref() {
        Some("authorization_code") => {
            if member.code_used || field("code").as_deref() != Some("c0de+/=") {
                return refuse("invalid_grant");
            }
            assert_eq!(field("redirect_uri").as_deref(), Some("http://127.0.0.1:1/callback"));
            assert!(field("code_verifier").unwrap().len() >= 43);
            member.code_used = true;
        }
        Some("refresh_token") => {
            if field("refresh_token") != Some(format!("refresh{}", member.given)) {
                return refuse("invalid_grant");
            }
        }
        _ => return refuse("unsupported_grant_type"),
    }
    member.given += 1;
    let n = member.given;
    json_response(&format!(
        r#"{{"access_token":"access{n}","token_type":"Bearer","expires_in":3600,"refresh_token":"refresh{n}",
            "id_token":"e.y.J","patient":"P4tient","scope":"openid"}}"#
    ))
}

fn login(config: &Config) -> (Login, Secret) {
    let login = Login::begin(config).unwrap();
    let state = login.url().query_pairs().find(|(name, _)| name == "state").unwrap().1.into_owned();
    let code = login.code(&format!("http://127.0.0.1:1/callback?code=c0de%2B%2F%3D&state={state}")).unwrap();
    (login, code)
}

#[test]
fn the_address_to_log_in_at() {
    let config = Settings { scope: Some("openid patient/Coverage.read".to_owned()), ..settings("http://127.0.0.1:1") }
        .check()
        .unwrap();
    let login = Login::begin(&config).unwrap();
    let pairs: std::collections::BTreeMap<_, _> = login.url().query_pairs().into_owned().collect();
    assert!(login.url().as_str().starts_with("http://127.0.0.1:1/auth/authorize?client_id=app&"));
    assert_eq!(pairs["redirect_uri"], "http://127.0.0.1:1/callback");
    assert_eq!((pairs["response_type"].as_str(), pairs["scope"].as_str()), ("code", "openid patient/Coverage.read"));
    let verifier = login.verifier.as_ref().unwrap().reveal();
    assert_eq!(pairs["code_challenge"], URL_SAFE_NO_PAD.encode(Sha256::digest(verifier)));
    assert_eq!(pairs["code_challenge_method"], "S256");
    assert!(pairs["state"].len() >= 43);
    let other = Login::begin(&config).unwrap();
    assert_ne!(other.state, login.state);
    assert_ne!(other.verifier, login.verifier);
    let without = Settings { pkce: Some(false), ..settings("http://127.0.0.1:1") };
    let login = Login::begin(&without.clone().check().unwrap()).unwrap();
    assert!(!login.url().as_str().contains("code_challenge") && login.verifier.is_none());
    let public = Settings { client_secret: None, ..without };
    assert_eq!(Login::begin(&public.check().unwrap()).unwrap_err().subject(), "pkce");
    for missing in ["authorize-url", "redirect-url", "client-id"] {
        let mut settings = settings("http://127.0.0.1:1");
        match missing {
            "authorize-url" => settings.authorize_url = None,
            "redirect-url" => settings.redirect_url = None,
            _ => settings.client_id = None,
        }
        assert_eq!(Login::begin(&settings.check().unwrap()).unwrap_err().subject(), missing);
    }
}

#[test]
fn pkce_as_in_the_standard() {
    // RFC 7636, appendix B.
    let challenge = URL_SAFE_NO_PAD.encode(Sha256::digest("dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"));
    assert_eq!(challenge, "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM");
}

#[test]
fn a_server_that_may_refuse_the_challenge_has_a_way_out() {
    for (pkce, error, says_it) in
        [(true, "invalid_request", true), (true, "access_denied", false), (false, "invalid_request", false)]
    {
        let config = Settings { pkce: Some(pkce), ..settings("http://127.0.0.1:1") }.check().unwrap();
        let login = Login::begin(&config).unwrap();
        let refused = login.code(&format!("?error={error}&state={}", login.state.reveal())).unwrap_err();
        assert_eq!(refused.message(), format!("the server refused: {error}"));
        assert_eq!(refused.hint().is_some_and(|hint| hint.contains("pkce = false")), says_it, "{error}");
    }
}

#[test]
fn only_the_answer_to_this_login_is_taken() {
    let config = settings("http://127.0.0.1:1").check().unwrap();
    let login = Login::begin(&config).unwrap();
    let state = login.state.reveal().to_owned();
    for (query, words) in [
        ("code=abc", "`state` differs"),
        ("code=abc&state=other", "`state` differs"),
        ("error=access_denied&state=STATE", "the server refused: access_denied"),
        ("error=<script>&state=STATE", "the server refused: an error without a name"),
        ("state=STATE", "the server sent no code"),
        ("code=abc&state=STATE&code=other", "`code` more than once"),
        ("code=abc&state=other&state=STATE", "`state` more than once"),
    ] {
        let error = login.code(&format!("http://127.0.0.1:1/callback?{}", query.replace("STATE", &state))).unwrap_err();
        assert!(error.message().contains(words), "{query}: {error}");
        assert!(!format!("{error:?}").contains("abc"));
    }
    for address in ["", "/callback", "http://127.0.0.1:1/callback"] {
        assert_eq!(login.code(&format!("{address}?state={state}&code=a%2Bb#x")).unwrap().reveal(), "a+b", "{address}");
    }
    for address in ["https://127.0.0.1:1/callback", "http://127.0.0.1:2/callback", "http://evil.example/callback", "/x"]
    {
        let error = login.code(&format!("{address}?state={state}&code=abc")).unwrap_err();
        assert!(error.message().contains("not the redirect address, http://127.0.0.1:1/callback"), "{error}");
    }
}

#[tokio::test]
async fn a_code_is_exchanged_and_tokens_rotate() {
    for json_only in [false, true] {
        for encoding in [TokenEncoding::Form, TokenEncoding::Json] {
            let (address, _, _) = server(json_only).await;
            let config = settings(&address).check().unwrap();
            let (login, code) = login(&config);
            let endpoint = TokenEndpoint::new(&config, encoding).unwrap();
            let tokens = endpoint.exchange(&login, &code, now()).await.unwrap();
            assert_eq!((tokens.access.reveal(), tokens.refresh.as_ref().unwrap().reveal()), ("access1", "refresh1"));
            assert_eq!(tokens.expires, "2026-07-01T13:00:00Z".parse().unwrap());
            let error = endpoint.exchange(&login, &code, now()).await.unwrap_err();
            assert_eq!(error.message(), "it refuses: invalid_grant");
            let tokens = endpoint.refresh(&tokens.refresh.unwrap(), now()).await.unwrap();
            assert_eq!(tokens.access.reveal(), "access2");
            let old = endpoint.refresh(&Secret::new("refresh1"), now()).await.unwrap_err();
            assert_eq!(old.message(), "it refuses: invalid_grant");
        }
    }
}

fn clock() -> Arc<dyn Clock> {
    Arc::new(FastClock::at(now()))
}

async fn plans(config: &Config, file: &TokenFile, clock: Arc<dyn Clock>) -> Result<MemberPlans> {
    let network: Arc<dyn Transport> = Arc::new(Network::new(config).unwrap());
    let endpoint = TokenEndpoint::new(config, TokenEncoding::Form).unwrap();
    member_plans(config.clone(), network, clock, file, &endpoint).await
}

#[tokio::test]
async fn a_member_finds_their_plan_and_nothing_of_them_leaks() {
    let (address, seen, member) = server(false).await;
    let config = settings(&address).check().unwrap();
    let folder = tempfile::TempDir::new().unwrap();
    let path = folder.path().join("deep").join("tokens.json");
    let file = TokenFile::new(&path, &config).unwrap();
    assert_eq!(plans(&config, &file, clock()).await.unwrap_err().message(), "nobody is logged in");

    let (login, code) = login(&config);
    let endpoint = TokenEndpoint::new(&config, TokenEncoding::Form).unwrap();
    let tokens = endpoint.exchange(&login, &code, now()).await.unwrap();
    file.save(&tokens).unwrap();
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
        for mode in [0o640, 0o602] {
            std::fs::set_permissions(&path, std::fs::Permissions::from_mode(mode)).unwrap();
            let error = plans(&config, &file, clock()).await.unwrap_err();
            assert!(error.message().starts_with("others may use it"), "{error}");
            assert!(error.hint().unwrap().contains("chmod 600"), "{error}");
        }
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o600)).unwrap();
    }
    let kept = std::fs::read_to_string(&path).unwrap();
    assert!(kept.contains("access1") && !kept.contains("P4tient") && !kept.contains("e.y.J"), "only what is needed");

    let found = plans(&config, &file, clock()).await.unwrap();
    assert_eq!(found.plans.iter().map(|p| p.plan.as_str()).collect::<Vec<_>>(), ["H1234-001-000-2026"]);
    assert_eq!(member.lock().unwrap().given, 1, "the token still held");

    // After an hour it is renewed first; the new refresh token takes the place of the old.
    let later: Arc<dyn Clock> = Arc::new(FastClock::at("2026-07-01T14:00:00Z".parse().unwrap()));
    plans(&config, &file, Arc::clone(&later)).await.unwrap();
    assert_eq!(member.lock().unwrap().given, 2);
    assert_eq!(file.load().unwrap().unwrap().refresh.unwrap().reveal(), "refresh2");

    // A token that the server no longer takes is renewed once.
    member.lock().unwrap().given = 3;
    file.save(&Tokens { access: Secret::new("access2"), refresh: Some(Secret::new("refresh3")), ..tokens.clone() })
        .unwrap();
    plans(&config, &file, clock()).await.unwrap();
    assert_eq!(member.lock().unwrap().given, 4);

    // Refused for good: the error says nothing of the member or the tokens.
    file.save(&Tokens { access: Secret::new("acc-bad"), refresh: Some(Secret::new("ref-bad")), ..tokens }).unwrap();
    let error = plans(&config, &file, clock()).await.unwrap_err();
    let shown = format!("{error} {error:?} {:?} {file:?} {login:?} {code:?}", file.load());
    for secret in ["X07010576", "acc-bad", "ref-bad", "c0de", "s3cret", login.state.reveal(), "P4tient"] {
        assert!(!shown.contains(secret), "{secret} in {shown}");
    }
    // Tokens went to the token endpoint and to Coverage only.
    for request in seen.lock().unwrap().iter() {
        let carries = ["access", "acc-bad", "Bearer"].iter().any(|t| request.head.contains(t));
        assert!(!carries || request.target() == "/api/Coverage", "{}", request.head);
        assert!(!request.body.contains("refresh") || request.target() == "/auth/token");
        assert!(!request.target().contains("c0de") && !request.target().contains("access1"));
    }
    // Another payer does not get them.
    let other = TokenFile::new(&path, &settings("http://127.0.0.1:2").check().unwrap()).unwrap();
    assert_eq!(other.load().unwrap_err().message(), "its tokens belong to another payer");
    std::fs::write(&path, "{\"access_token\":\"acc-bad\"").unwrap();
    let error = file.load().unwrap_err();
    assert!(!format!("{error:?}").contains("acc-bad"));
    assert!(file.forget().unwrap() && !file.forget().unwrap());
}

#[tokio::test]
async fn a_token_does_not_follow_links_to_elsewhere() {
    let (other, others) = serve(|_| json_response(r#"{"resourceType":"Bundle"}"#)).await;
    let away = other.clone();
    let (address, _) = serve(move |request| match request.target() {
        "/api/Coverage" => json_response(&format!(
            r#"{{"resourceType":"Bundle","link":[{{"relation":"next","url":"{away}/api/Coverage?p=2"}}]}}"#
        )),
        _ => Does::Sends(response("404 Not Found", "", b"")),
    })
    .await;
    let allow = vec![other.strip_prefix("http://").unwrap().to_owned()];
    let config = Settings { allow_host: allow, ..settings(&address) }.check().unwrap();
    let folder = tempfile::TempDir::new().unwrap();
    let file = TokenFile::new(folder.path().join("t"), &config).unwrap();
    let expires = "2026-07-02T00:00:00Z".parse().unwrap();
    file.save(&Tokens { access: Secret::new("access"), refresh: None, expires }).unwrap();
    let error = plans(&config, &file, clock()).await.unwrap_err();
    assert_eq!(error.message(), "a next link leads to another host: the token does not go there");
    assert!(others.lock().unwrap().is_empty());
}
