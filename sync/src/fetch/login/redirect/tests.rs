use std::sync::Mutex;

use super::*;
use crate::fetch::Settings;
use crate::fetch::config::Config;

fn config(redirect: &str) -> Config {
    let settings = Settings {
        base_url: Some("http://127.0.0.1:1/api".to_owned()),
        authorize_url: Some("http://127.0.0.1:1/auth/authorize".to_owned()),
        redirect_url: Some(redirect.to_owned()),
        client_id: Some("app".to_owned()),
        ..Settings::default()
    };
    settings.check().unwrap()
}

/// A login whose redirect address is at a free port, being listened at.
async fn listened() -> (Login, Listening, u16) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let login = Login::begin(&config(&format!("http://127.0.0.1:{port}/callback"))).unwrap();
    (login, Listening(listener), port)
}

fn state(login: &Login) -> String {
    login.url().query_pairs().find(|(name, _)| name == "state").unwrap().1.into_owned()
}

/// Sends bytes; what comes back until the connection ends.
async fn sent(port: u16, bytes: &[u8]) -> String {
    let mut stream = TcpStream::connect(("127.0.0.1", port)).await.unwrap();
    stream.write_all(bytes).await.unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await.unwrap();
    answer
}

async fn got(port: u16, target: &str) -> String {
    sent(port, format!("GET {target} HTTP/1.1\r\nHost: x\r\n\r\n").as_bytes()).await
}

/// What came of a login while `visitors` came, and what was told.
async fn visited<T>(
    login: &Login,
    at: Listening,
    visitors: impl Future<Output = T>,
) -> (Result<Secret>, T, Vec<String>) {
    let told = Mutex::new(Vec::new());
    let (code, seen) =
        tokio::join!(login.wait_for_code(at, |what| told.lock().unwrap().push(what.to_owned())), visitors);
    (code, seen, told.into_inner().unwrap())
}

#[tokio::test]
async fn strays_are_answered_and_the_right_one_is_waited_for() {
    let (login, at, port) = listened().await;
    let right = format!("/callback?code=c0de&state={}", state(&login));
    let visitors = async {
        let mut silent = Vec::new();
        for bytes in [&b""[..], b"GET /callback", b"GET /callback?code=x HTTP/1.1\r\nHost: x\r\n"] {
            let mut stream = TcpStream::connect(("127.0.0.1", port)).await.unwrap();
            stream.write_all(bytes).await.unwrap();
            silent.push(stream);
        }
        // One that says half of it and goes.
        let mut gone = TcpStream::connect(("127.0.0.1", port)).await.unwrap();
        gone.write_all(b"GET /call").await.unwrap();
        drop(gone);
        for (request, status) in [
            ("GET /favicon.ico HTTP/1.1\r\n\r\n", "404"),
            ("GET /callback/?code=x&state=STATE HTTP/1.1\r\n\r\n", "404"),
            ("GET /callback HTTP/1.1\r\n\r\n", "400"),
            ("GET /callback?code=c0de HTTP/1.1\r\n\r\n", "400"),
            ("GET /callback?code=c0de&state=other HTTP/1.1\r\n\r\n", "400"),
            ("GET /callback?error=access_denied&state=other HTTP/1.1\r\n\r\n", "400"),
            ("GET /callback?code=other&state=other&state=STATE HTTP/1.1\r\n\r\n", "400"),
            ("HEAD /callback?code=c0de&state=STATE HTTP/1.1\r\n\r\n", "405"),
            ("POST /callback?code=c0de&state=STATE HTTP/1.1\r\nContent-Length: 3\r\n\r\nabc", "405"),
            ("GET http://127.0.0.1/callback?code=c0de&state=STATE HTTP/1.1\r\n\r\n", "400"),
            ("\u{16}\u{3}\u{1}\u{2}\0\r\n\r\n", "400"),
            ("GET\r\n\r\n", "400"),
            ("\r\n\r\n", "400"),
        ] {
            let answer = sent(port, request.replace("STATE", &state(&login)).as_bytes()).await;
            assert!(answer.starts_with(&format!("HTTP/1.1 {status} ")), "{request:?}: {answer}");
            assert!(!answer.contains("c0de") && !answer.contains(&state(&login)), "{request:?}: {answer}");
            assert_eq!(answer.ends_with("\r\n\r\n"), request.starts_with("HEAD"), "{request:?}: {answer}");
        }
        let huge = [b"GET /callback?x=".as_slice(), &vec![b'a'; LONGEST_HEAD], b" HTTP/1.1\r\n\r\n"].concat();
        assert!(sent(port, &huge).await.starts_with("HTTP/1.1 400 "));
        let answer = got(port, &right).await;
        drop(silent);
        answer
    };
    let (code, answer, told) = visited(&login, at, visitors).await;
    assert_eq!(code.unwrap().reveal(), "c0de");
    assert!(answer.starts_with("HTTP/1.1 200 OK") && answer.contains("You are logged in"), "{answer}");
    assert!(answer.contains("Cache-Control: no-store") && !answer.contains("c0de"), "{answer}");
    assert_eq!(told.len(), 1, "{told:?}");
    assert!(told[0].contains("`state` differs") && !told[0].contains("c0de"), "{told:?}");
}

#[tokio::test]
async fn a_crowd_does_not_keep_the_right_one_out() {
    let (login, at, port) = listened().await;
    let right = format!("/callback?code=c0de&state={}", state(&login));
    let visitors = async {
        let mut crowd = Vec::new();
        for _ in 0..2 * MOST_CONNECTIONS {
            crowd.push(TcpStream::connect(("127.0.0.1", port)).await.unwrap());
        }
        assert!(got(port, "/x").await.starts_with("HTTP/1.1 404 "));
        let answer = got(port, &right).await;
        drop(crowd);
        answer
    };
    let (code, answer, told) = visited(&login, at, visitors).await;
    assert_eq!(code.unwrap().reveal(), "c0de");
    assert!(answer.starts_with("HTTP/1.1 200 OK"), "{answer}");
    assert!(told.is_empty(), "{told:?}");
}

#[tokio::test]
async fn the_servers_refusal_ends_the_login() {
    let (login, at, port) = listened().await;
    let refusal = format!("/callback?error=access_denied&state={}", state(&login));
    let (code, answer, _) = visited(&login, at, got(port, &refusal)).await;
    assert_eq!(code.unwrap_err().message(), "the server refused: access_denied");
    assert!(answer.contains("The login failed."), "{answer}");
}

#[tokio::test]
async fn a_login_does_not_wait_for_ever_nor_elsewhere() {
    let (login, at, _) = listened().await;
    let error = login.wait(at, Duration::ZERO, |_| ()).await.unwrap_err();
    assert!(error.message().contains("nobody came back"), "{error}");
    let (_, at, port) = listened().await;
    let taken = Login::begin(&config(&format!("http://127.0.0.1:{port}/callback"))).unwrap();
    assert_eq!(taken.listen().await.unwrap_err().kind(), ErrorKind::Io);
    drop(at);
    let elsewhere = Login::begin(&config("https://app.example/cb")).unwrap();
    assert!(elsewhere.listen().await.unwrap_err().hint().unwrap().contains("without a browser"));
}
