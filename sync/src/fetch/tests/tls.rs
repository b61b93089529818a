//! HTTPS: whose certificate is trusted, and which is shown to whom.
//!
//! `tls/authority.pem` signed the certificates beside it, which are for `localhost` and for a client. All were made
//! by `openssl req -newkey ec` and `openssl x509 -req -CA`; the authority's own key is gone.

use std::fs;
use std::io::{Read, Write};
use std::net::TcpListener;
use std::path::PathBuf;
use std::sync::Arc;

use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::server::WebPkiClientVerifier;
use rustls::{RootCertStore, ServerConfig, ServerConnection, StreamOwned};
use tempfile::TempDir;

use super::*;
use crate::fetch::http::tls::client;
use crate::fetch::http::transport::words;

const AUTHORITY: &[u8] = include_bytes!("tls/authority.pem");
const SERVER: &[u8] = include_bytes!("tls/localhost.pem");
const SERVER_KEY: &[u8] = include_bytes!("tls/localhost-key.pem");
const CLIENT: &[u8] = include_bytes!("tls/client.pem");
const CLIENT_KEY: &[u8] = include_bytes!("tls/client-key.pem");

const BUNDLE: &str = r#"{"resourceType":"Bundle"}"#;

/// A server on this machine that answers each connection; its port. It may want a certificate of its clients.
fn serve(wants_certificate: bool) -> u16 {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config =
        ServerConfig::builder_with_provider(Arc::clone(&provider)).with_safe_default_protocol_versions().unwrap();
    let config = if wants_certificate {
        let mut authorities = RootCertStore::empty();
        authorities.add(CertificateDer::from_pem_slice(AUTHORITY).unwrap()).unwrap();
        let verifier = WebPkiClientVerifier::builder_with_provider(Arc::new(authorities), provider).build().unwrap();
        config.with_client_cert_verifier(verifier)
    } else {
        config.with_no_client_auth()
    };
    let certificate = CertificateDer::from_pem_slice(SERVER).unwrap();
    let config = config.with_single_cert(vec![certificate], PrivateKeyDer::from_pem_slice(SERVER_KEY).unwrap());
    let config = Arc::new(config.unwrap());
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    std::thread::spawn(move || {
        for socket in listener.incoming() {
            let connection = ServerConnection::new(Arc::clone(&config)).unwrap();
            let mut stream = StreamOwned::new(connection, socket.unwrap());
            // A client that refuses the certificate, or shows none, ends the connection here.
            let mut request = [0; 4096];
            let Ok(read @ 1..) = stream.read(&mut request) else { continue };
            let is_token = request[..read].starts_with(b"POST /token ");
            let body = if is_token { r#"{"access_token":"a"}"# } else { BUNDLE };
            let head = format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\nConnection: close\r\n\r\n", body.len());
            let _ = stream.write_all((head + body).as_bytes());
        }
    });
    port
}

/// PEM files in a folder, for their owner alone.
struct Files(TempDir);

impl Files {
    fn new() -> Self {
        let files = Self(TempDir::new().unwrap());
        for (name, parts) in [
            ("authority", vec![AUTHORITY]),
            ("client", vec![CLIENT]),
            ("client-key", vec![CLIENT_KEY]),
            ("both", vec![CLIENT_KEY, CLIENT]),
            ("chain", vec![CLIENT, AUTHORITY]),
            ("server-key", vec![SERVER_KEY]),
            ("two", vec![SERVER, AUTHORITY]),
            ("text", vec![b"not PEM at all\n"]),
            ("broken", vec![b"-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n"]),
            ("half", vec![&AUTHORITY[..AUTHORITY.len() / 2]]),
            ("locked", vec![b"-----BEGIN ENCRYPTED PRIVATE KEY-----\nMIIB\n-----END ENCRYPTED PRIVATE KEY-----\n"]),
        ] {
            fs::write(files.path(name), parts.concat()).unwrap();
            #[cfg(unix)]
            {
                use std::os::unix::fs::PermissionsExt as _;
                fs::set_permissions(files.path(name), fs::Permissions::from_mode(0o600)).unwrap();
            }
        }
        files
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// Settings with the named files as authorities, certificate and key.
    fn settings(&self, port: u16, [ca, certificate, key]: [&str; 3]) -> Settings {
        let path = |name: &str| (!name.is_empty()).then(|| self.path(name));
        Settings {
            base_url: Some(format!("https://localhost:{port}/api")),
            token_url: Some(format!("https://localhost:{port}/token")),
            client_id: Some("app".to_owned()),
            client_secret: Some(Secret::new("s3cret")),
            ca: path(ca),
            client_certificate: path(certificate),
            client_key: path(key),
            ..Settings::default()
        }
    }
}

async fn ask(settings: Settings) -> Result<Reply, SendError> {
    let config = settings.check().unwrap();
    let ask = Ask { url: config.base.clone(), accept: "application/json", unpacked: false, etag: None, bearer: None };
    Network::new(&config).unwrap().get(ask).await
}

async fn token(settings: Settings) -> bool {
    let config = settings.check().unwrap();
    let endpoint = TokenEndpoint::new(&config, TokenEncoding::Form).unwrap();
    endpoint.of_client("2026-07-01T00:00:00Z".parse().unwrap()).await.is_ok()
}

/// Other systems' verifiers have rules of their own for a certificate that ends late.
#[tokio::test]
async fn a_certificate_is_trusted_for_its_name_by_who_knows_its_issuer() {
    let (files, port) = (Files::new(), serve(false));
    for ca in ["authority", "two"] {
        assert_eq!(ask(files.settings(port, [ca, "", ""])).await.unwrap().body, BUNDLE.as_bytes());
        assert!(token(files.settings(port, [ca, "", ""])).await);
    }
    match ask(files.settings(port, ["", "", ""])).await {
        Err(SendError::Unreachable(why)) => assert!(why.contains("UnknownIssuer"), "{why}"),
        other => panic!("{other:?}"),
    }
    assert!(!token(files.settings(port, ["", "", ""])).await);
    let trusted = client(&files.settings(port, ["authority", "", ""]).check().unwrap().tls).unwrap();
    let trusted = trusted.resolve("payer.example.com", ([127, 0, 0, 1], port).into()).build().unwrap();
    let error = trusted.get(format!("https://payer.example.com:{port}/")).send().await.unwrap_err();
    assert!(words(&error).contains("not valid for name"), "{}", words(&error));
}

#[tokio::test]
async fn a_payer_that_wants_a_certificate_gets_it() {
    let (files, port) = (Files::new(), serve(true));
    for [certificate, key] in [["client", "client-key"], ["both", ""], ["both", "both"], ["chain", "client-key"]] {
        let settings = || files.settings(port, ["authority", certificate, key]);
        assert_eq!(ask(settings()).await.unwrap().body, BUNDLE.as_bytes(), "{certificate} {key}");
        assert!(token(settings()).await, "{certificate} {key}");
    }
    let without = files.settings(port, ["authority", "", ""]);
    assert!(matches!(ask(without.clone()).await, Err(SendError::Unreachable(_))));
    assert!(!token(without).await);
}

#[test]
fn files_that_cannot_be_used_are_named_with_what_is_wrong() {
    let files = Files::new();
    for (names, setting, file, why) in [
        (["missing", "", ""], "ca", "missing", "there is no such file"),
        (["text", "", ""], "ca", "text", "there is no certificate (PEM) in it"),
        (["client-key", "", ""], "ca", "client-key", "there is no certificate (PEM) in it"),
        (["broken", "", ""], "ca", "broken", "its certificate 1 cannot be used as an authority"),
        (["half", "", ""], "ca", "half", "it is not PEM as it should be"),
        (["", "missing", "client-key"], "client-certificate", "missing", "there is no such file"),
        (["", "client", "missing"], "client-key", "missing", "there is no such file"),
        (["", "client-key", "client-key"], "client-certificate", "client-key", "there is no certificate (PEM) in it"),
        (["", "client", ""], "client-key", "client", "there is no private key (PEM) in it"),
        (["", "client", "text"], "client-key", "text", "there is no private key (PEM) in it"),
        (["", "client", "locked"], "client-key", "locked", "its key is behind a password"),
        (["", "client", "server-key"], "client-key", "server-key", "it is not the key of the first certificate in "),
        (["", "broken", "client-key"], "client-certificate", "broken", "its certificate cannot be read"),
    ] {
        let config = files.settings(1, names).check().unwrap();
        let of_both = [
            Network::new(&config).map(drop).unwrap_err(),
            TokenEndpoint::new(&config, TokenEncoding::Form).map(drop).unwrap_err(),
        ];
        for error in of_both {
            assert_eq!(error.kind(), coverdex_core::ErrorKind::InvalidInput, "{names:?}");
            assert_eq!(error.subject(), format!("{setting} {}", files.path(file).display()), "{names:?}: {error}");
            assert!(error.message().starts_with(why), "{names:?}: {error}");
        }
    }
}

#[cfg(unix)]
#[test]
fn a_key_that_others_may_use_is_refused() {
    use std::os::unix::fs::PermissionsExt as _;
    let files = Files::new();
    for (names, open, is_refused) in [
        (["authority", "client", "client-key"], "client-key", true),
        (["authority", "both", ""], "both", true),
        (["authority", "client", "client-key"], "client", false),
        (["authority", "client", "client-key"], "authority", false),
    ] {
        fs::set_permissions(files.path(open), fs::Permissions::from_mode(0o644)).unwrap();
        let config = files.settings(1, names).check().unwrap();
        let made = Network::new(&config);
        assert_eq!(made.is_err(), is_refused, "{open}");
        if let Err(error) = made {
            assert!(error.message().contains("others may use it (mode 0644)"), "{error}");
            assert_eq!(error.subject(), format!("client-key {}", files.path(open).display()));
        }
        fs::set_permissions(files.path(open), fs::Permissions::from_mode(0o600)).unwrap();
    }
}
