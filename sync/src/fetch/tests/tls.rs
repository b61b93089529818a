//! HTTPS: whose certificate is trusted, and whose is not.
//!
//! `localhost.pem` is a key and its own certificate for `localhost`, made by `openssl req -x509`.

use std::io::{Read, Write};
use std::net::TcpListener;
use std::sync::Arc;

use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::{ServerConfig, ServerConnection, StreamOwned};

use crate::fetch::http::transport::{client, words};

const PEM: &[u8] = include_bytes!("localhost.pem");

/// A server on this machine that answers each connection with `ok`; its port.
fn serve() -> u16 {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(
            vec![CertificateDer::from_pem_slice(PEM).unwrap()],
            PrivateKeyDer::from_pem_slice(PEM).unwrap(),
        )
        .unwrap();
    let config = Arc::new(config);
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    std::thread::spawn(move || {
        for socket in listener.incoming() {
            let connection = ServerConnection::new(Arc::clone(&config)).unwrap();
            let mut stream = StreamOwned::new(connection, socket.unwrap());
            // A client that refuses the certificate ends the connection here.
            if stream.read(&mut [0; 4096]).is_ok_and(|read| read > 0) {
                stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok").unwrap();
            }
        }
    });
    port
}

async fn ask(client: reqwest::ClientBuilder, host: &str, port: u16) -> Result<String, String> {
    let client = client.resolve(host, ([127, 0, 0, 1], port).into()).build().unwrap();
    let reply = client.get(format!("https://{host}:{port}/")).send().await.map_err(|e| words(&e))?;
    reply.text().await.map_err(|e| words(&e))
}

/// Other systems' verifiers have rules of their own for a certificate that ends late.
#[tokio::test]
async fn a_certificate_is_trusted_for_its_name_by_who_knows_its_issuer() {
    let port = serve();
    let trusted = || client().tls_certs_merge([reqwest::Certificate::from_pem(PEM).unwrap()]);
    assert_eq!(ask(trusted(), "localhost", port).await.as_deref(), Ok("ok"));
    let error = ask(trusted(), "payer.example.com", port).await.unwrap_err();
    assert!(error.contains("not valid for name"), "{error}");
    let error = ask(client(), "localhost", port).await.unwrap_err();
    assert!(error.contains("UnknownIssuer"), "{error}");
}
