//! What lets a client in: its secret, a key, certificates.

use std::path::PathBuf;

use coverdex_core::{Error, Result};
use serde::Deserialize;

use crate::fetch::private;
use crate::fetch::secret::Secret;

/// How a client shows its secret to the token endpoint (RFC 6749, 2.3.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ClientAuthentication {
    /// In the `Authorization` header.
    Basic,
    /// Among the fields of the request.
    Body,
}

impl std::str::FromStr for ClientAuthentication {
    type Err = Error;

    /// `basic` or `body`.
    fn from_str(text: &str) -> Result<Self> {
        match text.trim() {
            "basic" => Ok(Self::Basic),
            "body" => Ok(Self::Body),
            other => Err(Error::invalid(format!("client-authentication {other:?}"), "it is `basic` or `body`")),
        }
    }
}

/// A key that an API wants in a header.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ApiKey {
    /// The header's name, in lower case.
    pub header: String,
    /// The key.
    pub key: Secret,
}

/// Certificates beyond the system's: PEM files, which are read when connections are set up.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tls {
    /// Authorities that are trusted beside the system's.
    pub ca: Option<PathBuf>,
    /// What a payer that wants certificates of its clients gets to see.
    pub client: Option<ClientCertificate>,
}

/// A client's certificate and the private key that belongs to it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClientCertificate {
    /// The certificate, and what leads from it to its authority.
    pub certificate: PathBuf,
    /// The private key; it may be the same file.
    pub key: PathBuf,
}

impl Tls {
    pub(super) fn checked(ca: Option<PathBuf>, certificate: Option<PathBuf>, key: Option<PathBuf>) -> Result<Self> {
        let client = match (certificate, key) {
            (Some(certificate), key) => {
                Some(ClientCertificate { key: key.unwrap_or_else(|| certificate.clone()), certificate })
            }
            (None, Some(_)) => return Err(Error::invalid("client-certificate", "client-key is set and needs it")),
            (None, None) => None,
        };
        Ok(Self { ca, client })
    }
}

/// What one place names goes before what another names, as a pair.
pub(super) fn first_named<A, B>(
    first: (Option<A>, Option<B>),
    second: (Option<A>, Option<B>),
) -> (Option<A>, Option<B>) {
    if first.0.is_some() || first.1.is_some() { first } else { second }
}

/// A secret as it was given, or else what stands in its file.
pub(super) fn secret_of(file_setting: &str, given: Option<Secret>, file: Option<PathBuf>) -> Result<Option<Secret>> {
    match (given, file) {
        (None, Some(file)) => private::read_secret(&file, file_setting).map(Some),
        (given, _) => Ok(given),
    }
}

/// Header names that the client or HTTP itself sets, or that carry something else.
const OTHERS_HEADERS: [&str; 24] = [
    "accept",
    "accept-encoding",
    "authorization",
    "connection",
    "content-encoding",
    "content-length",
    "content-type",
    "cookie",
    "cookie2",
    "expect",
    "host",
    "http2-settings",
    "if-none-match",
    "keep-alive",
    "proxy-authorization",
    "proxy-connection",
    "range",
    "referer",
    "set-cookie",
    "te",
    "trailer",
    "transfer-encoding",
    "upgrade",
    "user-agent",
];

pub(super) fn api_key(key: Option<Secret>, header: Option<String>) -> Result<Option<ApiKey>> {
    let Some(key) = key else {
        return match header {
            Some(_) => Err(Error::invalid("api-key", "api-key-header is set and needs it")
                .with_hint("give it in COVERDEX_API_KEY, or a file that holds it with api-key-file")),
            None => Ok(None),
        };
    };
    let key = Secret::new(key.reveal().trim());
    if key.reveal().is_empty() || !key.reveal().bytes().all(|byte| byte.is_ascii_graphic()) {
        return Err(Error::invalid("api-key", "only plain ASCII without blanks may stand in it"));
    }
    let header = header.unwrap_or_else(|| "X-API-Key".to_owned());
    let invalid = |why: &str| Error::invalid(format!("api-key-header {header:?}"), why);
    let name = reqwest::header::HeaderName::from_bytes(header.trim().as_bytes())
        .map_err(|_| invalid("it is no name of a header (RFC 9110, 5.1)"))?;
    if OTHERS_HEADERS.contains(&name.as_str()) {
        return Err(invalid("this header has another meaning"));
    }
    Ok(Some(ApiKey { header: name.as_str().to_owned(), key }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_text_in_a_header_of_its_own() {
        let of = |key: &str, header: Option<&str>| api_key(Some(Secret::new(key)), header.map(str::to_owned));
        let key = of(" k3y\n", None).unwrap().unwrap();
        assert_eq!((key.header.as_str(), key.key.reveal()), ("x-api-key", "k3y"));
        assert_eq!(of("k3y", Some("Ocp-Apim-Subscription-Key")).unwrap().unwrap().header, "ocp-apim-subscription-key");
        for header in ["Authorization", "HOST", "Cookie", "content-length", "a b", "a:b", "", "ż", "a\r\nb"] {
            let error = of("k3y", Some(header)).unwrap_err();
            assert!(error.subject().starts_with("api-key-header"), "{header:?}: {error}");
        }
        for key in ["", "  ", "hunter 2", "hunterż", "hunter\r\nhost: x", "hunter\u{7f}"] {
            let error = of(key, None).unwrap_err();
            assert_eq!(error.subject(), "api-key");
            assert!(!format!("{error:?}").contains("hunter"), "{error:?}");
        }
        assert!(api_key(None, None).unwrap().is_none());
        assert_eq!(api_key(None, Some("X-Key".to_owned())).unwrap_err().subject(), "api-key");
    }

    #[test]
    fn a_certificate_may_hold_its_key_and_a_key_needs_a_certificate() {
        let both = Tls::checked(None, Some("both.pem".into()), None).unwrap().client.unwrap();
        assert_eq!(both.certificate, both.key);
        assert_eq!(Tls::checked(None, None, Some("key.pem".into())).unwrap_err().subject(), "client-certificate");
    }
}
