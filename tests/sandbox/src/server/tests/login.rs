//! A member's login and coverages.

use std::collections::BTreeSet;

use super::*;

const CALLBACK: &str = "http://127.0.0.1:8400/callback";
const FORM: &str = "application/x-www-form-urlencoded";

fn authorize(running: &Running, extra: &str) -> Reply {
    let redirect = codec::query_value(CALLBACK);
    get(running, &format!("/auth/authorize?client_id=sandbox-client&redirect_uri={redirect}&response_type=code{extra}"))
}

fn code(running: &Running, extra: &str) -> String {
    let reply = authorize(running, extra);
    assert_eq!(reply.status, 302);
    let (address, query) = reply.header("location").split_once('?').unwrap();
    assert_eq!(address, CALLBACK);
    let pairs = codec::query_pairs(query);
    pairs.into_iter().find(|(name, _)| name == "code").unwrap().1
}

fn token(running: &Running, content_type: &str, body: &str) -> Reply {
    let basic = format!("Basic {}", codec::base64(b"sandbox-client:sandbox-secret"));
    let headers = [("authorization", basic.as_str()), ("content-type", content_type), ("accept", "application/json")];
    Connection::open(running).unwrap().send("POST", "/auth/token", &headers, body).unwrap()
}

fn code_form(code: &str) -> String {
    format!("grant_type=authorization_code&code={code}&redirect_uri={}", codec::query_value(CALLBACK))
}

fn coverage(running: &Running, access: &str) -> Reply {
    let bearer = format!("Bearer {access}");
    Connection::open(running).unwrap().send("GET", "/api/Coverage", &[("authorization", &bearer)], "").unwrap()
}

#[test]
fn a_code_becomes_a_token_and_the_token_shows_the_members_coverages() {
    let (running, clock) = serve(Faults::none());
    let reply = authorize(&running, "&state=a%26b&login_hint=00002");
    assert!(reply.header("location").ends_with("&state=a%26b"), "{reply:?}");
    let code = code(&running, "&login_hint=00002");
    let tokens = token(&running, FORM, &code_form(&code)).json();
    assert_eq!((tokens["token_type"].as_str(), tokens["expires_in"].as_u64()), (Some("Bearer"), Some(3600)));
    assert_eq!(tokens["patient"], "p-2");
    assert_eq!(tokens["id_token"].as_str().unwrap().split('.').count(), 3);
    assert!(tokens["scope"].as_str().unwrap().split(' ').any(|scope| scope == "patient/Coverage.read"));
    let access = tokens["access_token"].as_str().unwrap().to_owned();
    let bundle = coverage(&running, &access).json();
    assert_eq!(ids(&bundle), PLANS.map(|plan| format!("cov-p-2-{plan}")));
    assert_eq!(link(&bundle, "next"), None);

    // A code is good once.
    let again = token(&running, FORM, &code_form(&code));
    assert_eq!((again.status, again.json()["error"].as_str()), (400, Some("invalid_grant")));

    // A token is good for an hour, and is renewed by JSON as well.
    clock.advance(Duration::from_secs(3599));
    assert_eq!(coverage(&running, &access).status, 200);
    clock.advance(Duration::from_secs(1));
    let expired = coverage(&running, &access);
    assert_eq!((expired.status, expired.header("www-authenticate")), (401, "Bearer error=\"invalid_token\""));
    let refresh = tokens["refresh_token"].as_str().unwrap();
    let body = json!({"grant_type": "refresh_token", "refresh_token": refresh}).to_string();
    let renewed = token(&running, "application/json; charset=utf-8", &body).json();
    assert_eq!(coverage(&running, renewed["access_token"].as_str().unwrap()).status, 200);
    // And the refresh token went with it.
    assert_ne!(renewed["refresh_token"], refresh);
    assert_eq!(token(&running, "application/json", &body).status, 400);

    let secrets: BTreeSet<_> = running.secrets().into_iter().collect();
    for secret in [&code, &access, refresh, "p-2", renewed["access_token"].as_str().unwrap()] {
        assert!(secrets.contains(secret), "{secret}");
    }
}

#[test]
fn nobody_gets_in_who_should_not() {
    let (running, clock) = serve(Faults::none());
    for (client, redirect, response_type) in [
        ("other", CALLBACK, "code"),
        ("sandbox-client", "http://127.0.0.1:8400/callback/", "code"),
        ("sandbox-client", "https://evil.test", "code"),
    ] {
        let redirect = codec::query_value(redirect);
        let target = format!(
            "/auth/authorize?client_id={client}&redirect_uri={redirect}&response_type={response_type}&login_hint=00001"
        );
        let reply = get(&running, &target);
        assert_eq!((reply.status, reply.header("location")), (400, ""), "{target}");
    }
    let error = |extra: &str| authorize(&running, extra).header("location").to_owned();
    assert_eq!(error("&login_hint=00099&state=s"), format!("{CALLBACK}?error=access_denied&state=s"));
    let redirect = codec::query_value(CALLBACK);
    let implicit =
        get(&running, &format!("/auth/authorize?client_id=sandbox-client&redirect_uri={redirect}&response_type=token"));
    assert_eq!(implicit.header("location"), format!("{CALLBACK}?error=unsupported_response_type"));
    // Without a hint a person logs in.
    let page = authorize(&running, "&state=%22%3E");
    assert!(
        page.text().contains("name=\"login_hint\"") && page.text().contains("value=\"&quot;>\""),
        "{}",
        page.text()
    );

    let fresh = code(&running, "&login_hint=00001");
    let mut connection = Connection::open(&running).unwrap();
    let basic = format!("Basic {}", codec::base64(b"sandbox-client:wrong"));
    for headers in [vec![("content-type", FORM)], vec![("content-type", FORM), ("authorization", basic.as_str())]] {
        assert_eq!(connection.send("POST", "/auth/token", &headers, &code_form(&fresh)).unwrap().status, 401);
    }
    assert_eq!(token(&running, "text/plain", &code_form(&fresh)).status, 400);
    assert_eq!(token(&running, FORM, "grant_type=password").json()["error"], "unsupported_grant_type");
    let elsewhere = format!("grant_type=authorization_code&code={fresh}&redirect_uri=https%3A%2F%2Fevil.test");
    assert_eq!(token(&running, FORM, &elsewhere).status, 400);
    // That used it up.
    assert_eq!(token(&running, FORM, &code_form(&fresh)).status, 400);
    let late = code(&running, "&login_hint=00001");
    clock.advance(Duration::from_secs(601));
    assert_eq!(token(&running, FORM, &code_form(&late)).status, 400);

    assert_eq!(get(&running, "/api/Coverage").status, 401);
    assert_eq!(coverage(&running, "made-up").status, 401);
    assert_eq!(running.requests().with_authorization[&Endpoint::Coverage], 1);
}

#[test]
fn a_challenge_must_be_met_where_challenges_are_offered() {
    let (running, _) = serve_with(Options { offers: BTreeSet::from([Offer::Pkce]), ..Options::default() });
    // The example of RFC 7636, appendix B.
    let verifier = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk";
    let extra =
        "&login_hint=00001&code_challenge_method=S256&code_challenge=E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM";
    for (verified, status) in
        [(String::new(), 400), ("&code_verifier=x".to_owned(), 400), (format!("&code_verifier={verifier}"), 200)]
    {
        let code = code(&running, extra);
        assert_eq!(token(&running, FORM, &format!("{}{verified}", code_form(&code))).status, status, "{verified}");
    }
    assert!(
        authorize(&running, "&login_hint=00001&code_challenge=x").header("location").contains("error=invalid_request")
    );
}

#[test]
fn under_token_expiry_only_a_refreshed_token_is_good() {
    let (running, _) = serve(Faults::of([Fault::TokenExpiry]));
    let tokens = token(&running, FORM, &code_form(&code(&running, "&login_hint=00001"))).json();
    let access = tokens["access_token"].as_str().unwrap();
    assert_eq!(coverage(&running, access).status, 401);
    assert_eq!(coverage(&running, access).status, 401);
    let body = format!("grant_type=refresh_token&refresh_token={}", tokens["refresh_token"].as_str().unwrap());
    let renewed = token(&running, FORM, &body).json();
    assert_eq!(coverage(&running, renewed["access_token"].as_str().unwrap()).status, 200);
    assert_eq!(running.fired()[&Fault::TokenExpiry], 1);
}

const CREDENTIALS: &str = "grant_type=client_credentials&scope=Public%20NonPII";

fn get_with(running: &Running, target: &str, headers: &[(&str, &str)]) -> u16 {
    Connection::open(running).unwrap().send("GET", target, headers, "").unwrap().status
}

#[test]
fn a_client_gets_a_token_of_its_own() {
    let (running, clock) = serve_with(Options { needs: BTreeSet::from([Need::ClientLogin]), ..Options::default() });
    let asked = token(&running, FORM, CREDENTIALS).json();
    assert_eq!((asked["expires_in"].as_u64(), asked["scope"].as_str()), (Some(3600), Some("Public NonPII")));
    assert!(asked.get("refresh_token").is_none() && asked.get("patient").is_none());
    let access = asked["access_token"].as_str().unwrap().to_owned();
    assert!(running.secrets().contains(&access));
    let bearer = format!("Bearer {access}");
    for target in ["/api/metadata", "/api/MedicationKnowledge", "/api/Practitioner/no-such"] {
        assert_eq!(get(&running, target).status, 401, "{target}");
        assert_eq!(get_with(&running, target, &[("authorization", "Bearer made-up")]), 401, "{target}");
        assert_ne!(get_with(&running, target, &[("authorization", &bearer)]), 401, "{target}");
    }
    // It is nobody's: no member is shown to it, while a member's token opens the rest as well.
    assert_eq!(coverage(&running, &access).status, 401);
    let tokens = token(&running, FORM, &code_form(&code(&running, "&login_hint=00001"))).json();
    let of_member = format!("Bearer {}", tokens["access_token"].as_str().unwrap());
    assert_eq!(get_with(&running, "/api/metadata", &[("authorization", &of_member)]), 200);
    // The secret may stand in the body.
    let mut connection = Connection::open(&running).unwrap();
    let mut in_body = |secret: &str| {
        let body = format!("{CREDENTIALS}&client_id=sandbox-client&client_secret={secret}");
        connection.send("POST", "/auth/token", &[("content-type", FORM)], &body).unwrap().status
    };
    assert_eq!((in_body("sandbox-secret"), in_body("wrong")), (200, 401));
    clock.advance(Duration::from_hours(1));
    assert_eq!(get_with(&running, "/api/metadata", &[("authorization", &bearer)]), 401);
}

#[test]
fn a_key_is_wanted_where_it_is_asked_for() {
    let (running, _) = serve_with(Options { needs: BTreeSet::from([Need::ApiKey]), ..Options::default() });
    for (headers, status) in [
        (&[][..], 401),
        (&[("x-api-key", "wrong")], 401),
        (&[("x-api-key", "")], 401),
        (&[("x-api-key", "sandbox-key")], 200),
    ] {
        assert_eq!(get_with(&running, "/api/metadata", headers), status, "{headers:?}");
    }
    assert_eq!(authorize(&running, "&login_hint=00001").status, 302);
    let (free, _) = serve(Faults::none());
    assert_eq!(get_with(&free, "/api/metadata", &[("x-api-key", "wrong")]), 200);
    assert!("api-key".parse::<Need>().is_ok() && "a-key".parse::<Need>().is_err());
}

#[test]
fn under_token_expiry_the_clients_first_token_is_refused_once() {
    let options = Options {
        needs: BTreeSet::from([Need::ClientLogin]),
        faults: Faults::of([Fault::TokenExpiry]),
        ..Options::default()
    };
    let (running, _) = serve_with(options);
    let next = || format!("Bearer {}", token(&running, FORM, CREDENTIALS).json()["access_token"].as_str().unwrap());
    let (first, second) = (next(), next());
    for (bearer, status) in [(&first, 401), (&first, 401), (&second, 200), (&second, 200)] {
        assert_eq!(get_with(&running, "/api/metadata", &[("authorization", bearer)]), status);
    }
    assert_eq!(running.fired()[&Fault::TokenExpiry], 1);
}
