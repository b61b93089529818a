//! Certificates: whose the client trusts, and which it shows.

use std::path::Path;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use coverdex_core::{Error, Result};
use reqwest::{Certificate, Identity};
use rustls::crypto::ring;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::sign::CertifiedKey;
use rustls::{InconsistentKeys, RootCertStore};

use crate::fetch::config::{ClientCertificate, Tls};
use crate::fetch::private::{self, subject};

const CA: &str = "ca";
const CERTIFICATE: &str = "client-certificate";
const KEY: &str = "client-key";

/// A client to set up, whose TLS uses ring, the system's authorities and those of the settings.
pub(crate) fn client(tls: &Tls) -> Result<reqwest::ClientBuilder> {
    // It fails where the process has a provider already; that one then serves.
    let _ = ring::default_provider().install_default();
    let mut client = reqwest::Client::builder();
    if let Some(ca) = &tls.ca {
        client = client.tls_certs_merge(authorities(ca)?);
    }
    if let Some(shown) = &tls.client {
        client = client.identity(identity(shown)?);
    }
    Ok(client)
}

fn authorities(path: &Path) -> Result<Vec<Certificate>> {
    let certificates = certificates(&private::read(path, CA)?.bytes, path, CA)?;
    let mut store = RootCertStore::empty();
    let mut authorities = Vec::new();
    for (number, certificate) in (1..).zip(certificates) {
        let unusable = |why: String| {
            Error::invalid(subject(path, CA), format!("its certificate {number} cannot be used as an authority: {why}"))
        };
        store.add(certificate.clone()).map_err(|error| unusable(error.to_string()))?;
        authorities.push(Certificate::from_der(&certificate).map_err(|error| unusable(error.to_string()))?);
    }
    Ok(authorities)
}

fn identity(shown: &ClientCertificate) -> Result<Identity> {
    let ClientCertificate { certificate, key: key_file } = shown;
    let key_bytes = private::read_private(key_file, KEY)?;
    let of_both;
    let chain = if certificate == key_file {
        &key_bytes
    } else {
        of_both = private::read(certificate, CERTIFICATE)?.bytes;
        &of_both
    };
    let chain = certificates(chain, certificate, CERTIFICATE)?;
    let key = PrivateKeyDer::from_pem_slice(&key_bytes).map_err(|_| {
        let is_encrypted = key_bytes.windows(9).any(|window| window == b"ENCRYPTED");
        let why = if is_encrypted { "its key is behind a password" } else { "there is no private key (PEM) in it" };
        let hint = if is_encrypted {
            "write it without one, for yourself alone: `openssl pkey -in KEY -out PLAIN`, then `chmod 600 PLAIN`"
        } else {
            "name the PEM file of the certificate's private key with client-key"
        };
        Error::invalid(subject(key_file, KEY), why).with_hint(hint)
    })?;
    // The library that sends it says nothing of why it cannot.
    CertifiedKey::from_der(chain.clone(), key.clone_key(), &ring::default_provider()).map_err(|error| match error {
        rustls::Error::InconsistentKeys(InconsistentKeys::KeyMismatch) => Error::invalid(
            subject(key_file, KEY),
            format!("it is not the key of the first certificate in {}", certificate.display()),
        ),
        rustls::Error::InvalidCertificate(why) => {
            Error::invalid(subject(certificate, CERTIFICATE), format!("its certificate cannot be read: {why:?}"))
        }
        _ => Error::invalid(subject(key_file, KEY), "its key cannot be used: only RSA, ECDSA and Ed25519 keys can"),
    })?;
    let mut both = pem("CERTIFICATE", &chain);
    let kind = match &key {
        PrivateKeyDer::Pkcs1(_) => "RSA PRIVATE KEY",
        PrivateKeyDer::Sec1(_) => "EC PRIVATE KEY",
        _ => "PRIVATE KEY",
    };
    both += &pem(kind, &[key.secret_der()]);
    Identity::from_pem(both.as_bytes())
        .map_err(|error| Error::invalid(subject(certificate, CERTIFICATE), error.to_string()))
}

fn certificates(pem: &[u8], path: &Path, what: &str) -> Result<Vec<CertificateDer<'static>>> {
    let found: std::result::Result<Vec<_>, _> = CertificateDer::pem_slice_iter(pem).collect();
    let found = found
        .map_err(|error| Error::invalid(subject(path, what), format!("it is not PEM as it should be: {error}")))?;
    if found.is_empty() {
        return Err(Error::invalid(subject(path, what), "there is no certificate (PEM) in it")
            .with_hint("it begins with -----BEGIN CERTIFICATE-----; `openssl x509 -inform der` makes it of another"));
    }
    Ok(found)
}

fn pem(kind: &str, parts: &[impl AsRef<[u8]>]) -> String {
    let mut text = String::new();
    for part in parts {
        text += &format!("-----BEGIN {kind}-----\n{}\n-----END {kind}-----\n", STANDARD.encode(part));
    }
    text
}
