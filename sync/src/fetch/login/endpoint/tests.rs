use std::sync::{Arc, Mutex};

use super::*;
use crate::fetch::Settings;
use crate::fetch::tests::network::{Does, Seen, json_response, response, serve};

fn now() -> Timestamp {
    "2026-07-01T12:00:00Z".parse().unwrap()
}

fn settings(address: &str) -> Settings {
    Settings {
        base_url: Some(format!("{address}/api")),
        token_url: Some(format!("{address}/auth/token")),
        client_id: Some("an app".to_owned()),
        client_secret: Some(Secret::new("s3+cret/=")),
        scope: Some("Public NonPII".to_owned()),
        ..Settings::default()
    }
}

fn reply(status: u16, body: &str) -> Result<Tokens, Verdict> {
    read(&Ok(Reply { status, body: body.as_bytes().to_vec(), ..Reply::default() }), now())
}

#[test]
fn answers_with_a_token() {
    for (body, seconds) in [
        (r#"{"access_token":"a","expires_in":60}"#, 60),
        (r#"{"access_token":"a","expires_in":"1799","issued_at":"1"}"#, 1799),
        (r#"{"access_token":"a","expires_in":"soon"}"#, 3600),
        (r#"{"access_token":"a","refresh_token":""}"#, 3600),
        (r#"{"access_token":"a","expires_in":-5}"#, 0),
        (r#"{"access_token":"a","expires_in":1e300}"#, 0),
    ] {
        let tokens = reply(200, body).unwrap();
        assert_eq!((tokens.access.reveal(), tokens.refresh.is_some()), ("a", false), "{body}");
        assert_eq!(tokens.expires.duration_since(now()).as_secs(), seconds, "{body}");
    }
}

#[test]
fn answers_without_a_token() {
    let refused = |why: &str| Some(why.to_owned());
    for (status, body, expected) in [
        (400, r#"{"error":"invalid_grant","error_description":"hunter2"}"#, refused("invalid_grant")),
        (401, r#"{"error":"invalid_client"}"#, refused("invalid_client")),
        (400, r#"{"error":"hunter2"}"#, refused("an error without a name")),
        (401, "hunter2", refused("status 401")),
        (403, "", refused("status 403")),
        (404, "<html>hunter2</html>", refused("status 404")),
        (405, "", refused("status 405")),
        (302, "", refused("it redirects, and no secret follows that")),
        // What may pass.
        (400, r#"{"error":"temporarily_unavailable"}"#, None),
        (403, "<html>hunter2</html>", None),
        (429, "", None),
        (500, r#"{"error":"hunter2"}"#, None),
        (503, "", None),
        (200, "<html>hunter2</html>", None),
        (200, r#"{"access_token":""}"#, None),
        (200, r#"{"resourceType":"Bundle","hunter":2}"#, None),
        (200, "hunter2", None),
        (200, "", None),
    ] {
        let verdict = reply(status, body).unwrap_err();
        assert_eq!(refusal(&verdict), expected, "{status} {body}: {verdict:?}");
        assert_eq!(verdict.reason_to_wait().is_some(), expected.is_none(), "{status} {body}: {verdict:?}");
        assert!(!format!("{verdict:?} {:?}", of_member(&verdict)).contains("hunter2"), "{status} {body}");
    }
}

fn field(request: &Seen, name: &str) -> Option<String> {
    let mut fields = url::form_urlencoded::parse(request.body.as_bytes());
    fields.find(|(n, _)| n == name).map(|(_, value)| value.into_owned())
}

/// `an+app` and `s3%2Bcret%2F%3D`, as RFC 6749 has it in section 2.3.1.
const BASIC: &str = "Basic YW4rYXBwOnMzJTJCY3JldCUyRiUzRA==";

/// A server that takes the secret in one place alone; what it saw.
async fn server(in_body: bool) -> (String, Arc<Mutex<Vec<Seen>>>) {
    serve(move |request| {
        let basic = request.header("authorization");
        assert!(basic.is_none_or(|basic| basic == BASIC), "{basic:?}");
        assert_eq!(field(request, "client_secret").is_some(), basic.is_none());
        if basic.is_none() {
            assert_eq!(field(request, "client_secret").as_deref(), Some("s3+cret/="));
            assert_eq!(field(request, "client_id").as_deref(), Some("an app"));
        }
        let takes = basic.is_none() == in_body;
        assert_eq!(field(request, "grant_type").as_deref(), Some("client_credentials"));
        assert_eq!(field(request, "scope").as_deref(), Some("Public NonPII"));
        if takes {
            json_response(r#"{"access_token":"a","expires_in":60}"#)
        } else {
            Does::Sends(response("401 Unauthorized", "", br#"{"error":"invalid_client"}"#))
        }
    })
    .await
}

#[tokio::test]
async fn the_secret_goes_where_the_server_takes_it() {
    use ClientAuthentication::{Basic, Body};
    for in_body in [false, true] {
        for (authentication, expected) in [
            // Tried once, and then known.
            (None, if in_body { vec![true, false, false] } else { vec![true, true] }),
            (Some(Basic), vec![true, true]),
            (Some(Body), vec![false, false]),
        ] {
            let (address, seen) = server(in_body).await;
            let settings = Settings { client_authentication: authentication, ..settings(&address) };
            let endpoint = TokenEndpoint::new(&settings.check().unwrap(), TokenEncoding::Form).unwrap();
            let is_taken = authentication.is_none_or(|authentication| (authentication == Body) == in_body);
            for _ in 0..2 {
                assert_eq!(endpoint.of_client(now()).await.is_ok(), is_taken);
            }
            let seen = seen.lock().unwrap();
            let in_header: Vec<bool> = seen.iter().map(|request| request.header("authorization").is_some()).collect();
            assert_eq!(in_header, expected, "{authentication:?} {in_body}");
            assert!(!format!("{endpoint:?}").contains("s3"));
        }
    }
}

#[tokio::test]
async fn a_key_goes_to_the_payers_own_host_and_no_secret_follows_a_redirect() {
    let (other, others) = serve(|_| json_response(r#"{"access_token":"a"}"#)).await;
    let (address, seen) = serve({
        let other = other.clone();
        move |_| Does::Sends(response("307 Temporary", &format!("Location: {other}/auth/token\r\n"), b""))
    })
    .await;
    let with_key = |settings| Settings { api_key: Some(Secret::new("k3y")), ..settings };
    let endpoint = |settings: Settings| TokenEndpoint::new(&settings.check().unwrap(), TokenEncoding::Form).unwrap();
    let allow = vec![other.strip_prefix("http://").unwrap().to_owned()];
    let redirected = endpoint(with_key(Settings { allow_host: allow.clone(), ..settings(&address) }));
    let refused = redirected.of_client(now()).await.unwrap_err();
    assert_eq!(refusal(&refused).as_deref(), Some("it redirects, and no secret follows that"));
    assert!(others.lock().unwrap().is_empty());
    assert_eq!(seen.lock().unwrap()[0].header("x-api-key"), Some("k3y"));
    let elsewhere =
        Settings { token_url: Some(format!("{other}/auth/token")), allow_host: allow, ..settings(&address) };
    endpoint(with_key(elsewhere)).of_client(now()).await.unwrap();
    assert_eq!(others.lock().unwrap()[0].header("x-api-key"), None);
}
