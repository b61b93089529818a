//! The network itself: a small HTTP server on this machine, and what it does to a client.

use std::io::Write;
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

use super::*;

/// What a request looked like: head and body.
#[derive(Clone, Debug)]
pub(crate) struct Seen {
    pub(crate) head: String,
    pub(crate) body: String,
}

impl Seen {
    pub(crate) fn target(&self) -> &str {
        self.head.split(' ').nth(1).unwrap()
    }

    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.head.lines().find_map(|line| {
            let (n, value) = line.split_once(':')?;
            n.eq_ignore_ascii_case(name).then(|| value.trim())
        })
    }
}

/// What a server does with a request.
pub(crate) enum Does {
    /// Sends these bytes and keeps the connection.
    Sends(Vec<u8>),
    /// Sends these bytes and closes it.
    Breaks(Vec<u8>),
    /// Sends a byte each so often.
    Drips(Vec<u8>, Duration),
}

pub(crate) fn response(status: &str, headers: &str, body: &[u8]) -> Vec<u8> {
    let head = format!("HTTP/1.1 {status}\r\nContent-Length: {}\r\n{headers}\r\n", body.len());
    [head.as_bytes(), body].concat()
}

pub(crate) fn json_response(body: &str) -> Does {
    Does::Sends(response("200 OK", "Content-Type: application/fhir+json\r\n", body.as_bytes()))
}

/// A server on this machine; its address, and the requests it saw.
pub(crate) async fn serve(does: impl Fn(&Seen) -> Does + Send + Sync + 'static) -> (String, Arc<Mutex<Vec<Seen>>>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = format!("http://{}", listener.local_addr().unwrap());
    let seen: Arc<Mutex<Vec<Seen>>> = Arc::default();
    let (does, requests) = (Arc::new(does), Arc::clone(&seen));
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            let (does, requests) = (Arc::clone(&does), Arc::clone(&requests));
            tokio::spawn(async move {
                let mut stream = stream;
                while let Some(request) = read_request(&mut stream).await {
                    requests.lock().unwrap().push(request.clone());
                    match does(&request) {
                        Does::Sends(bytes) => {
                            if stream.write_all(&bytes).await.is_err() {
                                return;
                            }
                        }
                        Does::Breaks(bytes) => {
                            let _ = stream.write_all(&bytes).await;
                            return;
                        }
                        Does::Drips(bytes, pause) => {
                            for byte in bytes {
                                if stream.write_all(&[byte]).await.is_err() {
                                    return;
                                }
                                tokio::time::sleep(pause).await;
                            }
                        }
                    }
                }
            });
        }
    });
    (address, seen)
}

async fn read_request(stream: &mut TcpStream) -> Option<Seen> {
    let mut bytes = Vec::new();
    let mut buffer = [0u8; 8192];
    let end = loop {
        if let Some(end) = bytes.windows(4).position(|w| w == b"\r\n\r\n") {
            break end + 4;
        }
        match stream.read(&mut buffer).await {
            Ok(0) | Err(_) => return None,
            Ok(n) => bytes.extend_from_slice(&buffer[..n]),
        }
    };
    let head = String::from_utf8_lossy(&bytes[..end]).into_owned();
    let seen = Seen { head, body: String::new() };
    let length: usize = seen.header("content-length").map_or(0, |n| n.parse().unwrap());
    while bytes.len() < end + length {
        match stream.read(&mut buffer).await {
            Ok(0) | Err(_) => return None,
            Ok(n) => bytes.extend_from_slice(&buffer[..n]),
        }
    }
    Some(Seen { body: String::from_utf8_lossy(&bytes[end..]).into_owned(), ..seen })
}

fn network(settings: Settings) -> Network {
    Network::new(&settings.check().unwrap()).unwrap()
}

fn settings(base: &str) -> Settings {
    Settings { base_url: Some(base.to_owned()), timeout: Some(60.0), max_body: Some(1), ..Settings::default() }
}

async fn get(network: &Network, url: &str) -> Result<Reply, SendError> {
    let ask = Ask { url: url.parse().unwrap(), accept: "application/json", unpacked: false, etag: None, bearer: None };
    network.get(ask).await
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

const BUNDLE: &str = r#"{"resourceType":"Bundle"}"#;

#[tokio::test]
async fn requests_and_answers() {
    let (address, seen) = serve(|request| match request.target() {
        "/gzip" => Does::Sends(response("200 OK", "Content-Encoding: gzip\r\n", &gzip(BUNDLE.as_bytes()))),
        _ => Does::Sends(response(
            "429 Too Many",
            "Retry-After: 7\r\nx-ms-retry-after-ms: 250\r\nETag: W/\"1\"\r\nDate: Wed, 01 Jul 2026 00:00:00 GMT\r\n",
            b"x",
        )),
    })
    .await;
    let network = network(Settings { contact: Some("ops@example.org".to_owned()), ..settings(&address) });
    let reply = get(&network, &format!("{address}/gzip")).await.unwrap();
    assert_eq!((reply.status, reply.body.as_slice()), (200, BUNDLE.as_bytes()));
    let reply = get(&network, &format!("{address}/List?a=%7C")).await.unwrap();
    assert_eq!(
        (reply.status, reply.retry_after.as_deref(), reply.retry_after_ms.as_deref()),
        (429, Some("7"), Some("250"))
    );
    assert_eq!(
        (reply.etag.as_deref(), reply.date.as_deref()),
        (Some("W/\"1\""), Some("Wed, 01 Jul 2026 00:00:00 GMT"))
    );
    let seen = seen.lock().unwrap();
    assert_eq!(seen[1].target(), "/List?a=%7C", "addresses go out as they are");
    assert_eq!(seen[0].header("accept"), Some("application/json"));
    assert!(seen[0].header("accept-encoding").unwrap().contains("gzip"));
    let agent = seen[0].header("user-agent").unwrap();
    assert!(agent.starts_with("Coverdex/") && agent.contains("ops@example.org"), "{agent}");
    assert!(seen[0].header("authorization").is_none() && seen[0].header("cookie").is_none());
}

#[tokio::test]
async fn bodies_that_are_cut_off_slow_or_too_large() {
    // Packed beforehand: the time that this takes is not the server's.
    let bomb = gzip(&vec![b' '; 50 << 20]);
    let packed = gzip(BUNDLE.as_bytes());
    let half = packed[..packed.len() / 2].to_vec();
    let (address, _) = serve(move |request| {
        let whole = response("200 OK", "", &[b'x'; 1000]);
        match request.target() {
            "/cut" => Does::Breaks(whole[..700].to_vec()),
            "/closed" => Does::Breaks(Vec::new()),
            "/silent" => Does::Drips(vec![b'H'], Duration::from_secs(30)),
            "/drip" => Does::Drips(whole, Duration::from_millis(100)),
            "/large" => Does::Sends(response("200 OK", "", &vec![b'x'; (1 << 20) + 1])),
            "/bomb" => Does::Sends(response("200 OK", "Content-Encoding: gzip\r\n", &bomb)),
            "/halfgzip" => Does::Sends(response("200 OK", "Content-Encoding: gzip\r\n", &half)),
            "/cutgzip" => {
                let whole = response("200 OK", "Content-Encoding: gzip\r\n", &packed);
                Does::Breaks(whole[..whole.len() - 20].to_vec())
            }
            "/badgzip" => Does::Sends(response("200 OK", "Content-Encoding: gzip\r\n", b"no gzip")),
            _ => Does::Sends(response("200 OK", "", &vec![b'x'; 1 << 20])),
        }
    })
    .await;
    let patient = network(settings(&address));
    let hasty = network(Settings { timeout: Some(0.4), ..settings(&address) });
    for (path, expected) in [
        ("/cut", "unreachable"),
        ("/closed", "unreachable"),
        ("/silent", "slow"),
        ("/drip", "slow"),
        ("/large", "too large"),
        ("/bomb", "too large"),
        ("/badgzip", "packed"),
        ("/halfgzip", "packed"),
        ("/cutgzip", "unreachable"),
        ("/", "1048576 bytes"),
    ] {
        let network = if expected == "slow" { &hasty } else { &patient };
        let got = match get(network, &format!("{address}{path}")).await {
            Err(SendError::Unreachable(_)) => "unreachable".to_owned(),
            Err(SendError::Packed(_)) => "packed".to_owned(),
            Err(SendError::Slow) => "slow".to_owned(),
            Err(SendError::TooLarge) => "too large".to_owned(),
            Err(SendError::Redirect(why)) => format!("redirect: {why}"),
            Ok(reply) => format!("{} bytes", reply.body.len()),
        };
        assert_eq!(got, expected, "{path}");
    }
    let nobody = TcpListener::bind("127.0.0.1:0").await.unwrap().local_addr().unwrap();
    let network = network(settings(&format!("http://{nobody}")));
    let got = get(&network, &format!("http://{nobody}/")).await;
    assert!(matches!(got, Err(SendError::Unreachable(_))), "{got:?}");
}

#[tokio::test]
async fn redirects_stay_with_the_host() {
    let (other, others) = serve(|_| json_response(BUNDLE)).await;
    let elsewhere = other.clone();
    let (address, _) = serve(move |request| {
        let to = match request.target() {
            "/here" => "Location: /there\r\n".to_owned(),
            "/away" => format!("Location: {elsewhere}/x\r\n"),
            "/plain" => "Location: http://fhir.example.test/x\r\n".to_owned(),
            "/round" => "Location: /round\r\n".to_owned(),
            _ => return json_response(BUNDLE),
        };
        Does::Sends(response("302 Found", &to, b""))
    })
    .await;
    let network = network(settings(&address));
    assert_eq!(get(&network, &format!("{address}/here")).await.unwrap().status, 200);
    for (path, why) in [("/away", "another host"), ("/plain", "another host"), ("/round", "too many redirects")] {
        match get(&network, &format!("{address}{path}")).await {
            Err(SendError::Redirect(words)) => assert!(words.contains(why), "{words}"),
            got => panic!("{path}: {got:?}"),
        }
    }
    assert!(others.lock().unwrap().is_empty(), "nothing was asked of another host");
}

/// Token and key of a request that is redirected: what the own host saw at each address, and the other one.
#[tokio::test]
async fn token_and_key_stay_with_the_payers_host() {
    let (other, others) = serve(|request| match request.target() {
        // A second redirect, within the other host.
        "/x" => Does::Sends(response("302 Found", "Location: /y\r\n", b"")),
        _ => json_response(BUNDLE),
    })
    .await;
    let elsewhere = other.clone();
    let (address, seen) = serve(move |request| {
        let to = match request.target() {
            "/here" => "Location: /there\r\n".to_owned(),
            "/away" => format!("Location: {elsewhere}/x\r\n"),
            _ => return json_response(BUNDLE),
        };
        Does::Sends(response("302 Found", &to, b""))
    })
    .await;
    let allow = other.strip_prefix("http://").unwrap().to_owned();
    let network = network(Settings {
        allow_host: vec![allow],
        api_key: Some(Secret::new("k3y")),
        api_key_header: Some("X-Gateway-Key".to_owned()),
        ..settings(&address)
    });
    let ask = |url: String| Ask {
        url: url.parse().unwrap(),
        accept: "application/json",
        unpacked: false,
        etag: None,
        bearer: Some(Secret::new("t0ken")),
    };
    for path in ["/here", "/away"] {
        assert_eq!(network.get(ask(format!("{address}{path}"))).await.unwrap().status, 200);
    }
    assert_eq!(network.get(ask(format!("{other}/x"))).await.unwrap().status, 200);
    let seen = seen.lock().unwrap();
    assert_eq!(seen.iter().map(Seen::target).collect::<Vec<_>>(), ["/here", "/there", "/away"]);
    for request in seen.iter() {
        assert_eq!(request.header("authorization"), Some("Bearer t0ken"));
        assert_eq!(request.header("x-gateway-key"), Some("k3y"));
    }
    let others = others.lock().unwrap();
    assert_eq!(others.iter().map(Seen::target).collect::<Vec<_>>(), ["/x", "/y", "/x", "/y"]);
    for request in others.iter() {
        assert!(!request.head.contains("t0ken") && !request.head.contains("k3y"), "{}", request.head);
    }
    assert!(!format!("{network:?}").contains("k3y"));
}

/// The payer in memory, over HTTP.
async fn serve_payer(payer: Arc<Payer>) -> String {
    let (address, _) = serve(move |request| {
        let url = format!("{}{}", BASE.strip_suffix("/api").unwrap(), request.target());
        let ask =
            Ask { url: url.parse().unwrap(), accept: "application/json", unpacked: false, etag: None, bearer: None };
        match payer.answer(&ask) {
            Ok(reply) => {
                let body = String::from_utf8(reply.body).unwrap();
                // Next links name the address that the client knows.
                let body =
                    body.replace(&format!("{BASE}/"), &format!("http://{}/api/", request.header("host").unwrap()));
                Does::Sends(response(&format!("{} X", reply.status), "", body.as_bytes()))
            }
            Err(_) => Does::Breaks(Vec::new()),
        }
    })
    .await;
    address
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_whole_sync_over_http() {
    let payer = shared(payer());
    let address = serve_payer(Arc::clone(&payer)).await;
    let folder = TempDir::new().unwrap();
    let settings = Settings { base_url: Some(address), rate: Some(Rate::Off), ..Settings::default() };
    let config = settings.check().unwrap();
    let network: Arc<dyn Transport> = Arc::new(Network::new(&config).unwrap());
    let outcome =
        sync(config, &options(folder.path()), network, clock("2026-07-01"), Arc::new(|_| ()), Stop::default())
            .await
            .unwrap();
    assert!(outcome.complete, "{:?}", outcome.incomplete);
    assert_eq!(staged(folder.path()), payer.visible(&[]));
}
