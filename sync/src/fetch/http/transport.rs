//! One request on the wire.

use std::error::Error as _;
use std::time::Duration;

use coverdex_core::{Error, ErrorKind, Result};
use reqwest::header::{self, HeaderMap, HeaderName};
use reqwest::redirect::Policy;
use url::Url;

use crate::fetch::config::{Config, MAX_REDIRECTS};
use crate::fetch::http::clock::BoxFuture;
use crate::fetch::secret::Secret;

/// A GET request.
#[derive(Clone, Debug)]
pub struct Ask {
    /// Its address.
    pub url: Url,
    /// `Accept`.
    pub accept: &'static str,
    /// `If-None-Match`.
    pub etag: Option<String>,
    /// `Authorization: Bearer`; only ever set for the endpoint that the token belongs to.
    pub bearer: Option<Secret>,
}

/// An answer, whatever its status.
#[derive(Clone, Debug, Default)]
pub struct Reply {
    /// HTTP status.
    pub status: u16,
    /// `Retry-After`.
    pub retry_after: Option<String>,
    /// `x-ms-retry-after-ms`.
    pub retry_after_ms: Option<String>,
    /// `Date`.
    pub date: Option<String>,
    /// `ETag`.
    pub etag: Option<String>,
    /// The body, unpacked.
    pub body: Vec<u8>,
}

/// Why no answer came.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SendError {
    /// No connection, a connection that broke or fell silent, a body cut short.
    Unreachable(String),
    /// An answer that takes too long: no byte in time, or drop by drop.
    Slow,
    /// The body is larger than allowed.
    TooLarge,
    /// A redirect that must not be followed.
    Redirect(String),
}

/// What carries requests: the network, or a test's payer in memory.
pub trait Transport: Send + Sync + 'static {
    /// Sends one request and reads the whole answer.
    fn get(&self, ask: Ask) -> BoxFuture<'_, Result<Reply, SendError>>;
}

/// The network.
#[derive(Debug)]
pub struct Network {
    client: reqwest::Client,
    max_body: u64,
    /// A request that drips for longer is given up.
    longest: Duration,
}

impl Network {
    /// Sets up connections for a payer.
    ///
    /// # Errors
    /// [`ErrorKind::Sync`] if the system's certificates cannot be used.
    pub fn new(config: &Config) -> Result<Self> {
        let checked = config.clone();
        let policy = Policy::custom(move |attempt| {
            if attempt.previous().len() > MAX_REDIRECTS {
                return attempt.error("too many redirects");
            }
            match checked.may_ask(attempt.url()) {
                Ok(()) => attempt.follow(),
                Err(why) => attempt.error(format!("it leads to {why}")),
            }
        });
        let client = client()
            .user_agent(&config.user_agent)
            .connect_timeout(config.timeout.min(Duration::from_secs(10)))
            .read_timeout(config.timeout)
            .pool_max_idle_per_host(config.concurrency)
            .redirect(policy)
            .referer(false)
            .build()
            .map_err(|e| Error::new(ErrorKind::Sync, "network", words(&e)))?;
        Ok(Self { client, max_body: config.max_body, longest: config.timeout * 5 })
    }

    async fn send(&self, ask: Ask) -> Result<Reply, SendError> {
        let mut request = self.client.get(ask.url).header(header::ACCEPT, ask.accept);
        if let Some(etag) = ask.etag {
            request = request.header(header::IF_NONE_MATCH, etag);
        }
        if let Some(token) = &ask.bearer {
            request = request.bearer_auth(token.reveal());
        }
        let mut response = request.send().await.map_err(|e| broken(&e))?;
        let mut reply = Reply { status: response.status().as_u16(), ..Reply::default() };
        let headers = response.headers();
        reply.retry_after = text(headers, &header::RETRY_AFTER);
        reply.retry_after_ms = text(headers, &HeaderName::from_static("x-ms-retry-after-ms"));
        reply.date = text(headers, &header::DATE);
        reply.etag = text(headers, &header::ETAG);
        while let Some(chunk) = response.chunk().await.map_err(|e| broken(&e))? {
            if (reply.body.len() + chunk.len()) as u64 > self.max_body {
                return Err(SendError::TooLarge);
            }
            reply.body.extend_from_slice(&chunk);
        }
        Ok(reply)
    }
}

impl Transport for Network {
    fn get(&self, ask: Ask) -> BoxFuture<'_, Result<Reply, SendError>> {
        Box::pin(
            async move { tokio::time::timeout(self.longest, self.send(ask)).await.unwrap_or(Err(SendError::Slow)) },
        )
    }
}

/// A client to set up, whose TLS uses ring and the system's certificates.
pub(crate) fn client() -> reqwest::ClientBuilder {
    // It fails where the process has a provider already; that one then serves.
    let _ = rustls::crypto::ring::default_provider().install_default();
    reqwest::Client::builder()
}

fn text(headers: &HeaderMap, name: &HeaderName) -> Option<String> {
    headers.get(name)?.to_str().ok().map(str::to_owned)
}

fn broken(error: &reqwest::Error) -> SendError {
    if error.is_redirect() {
        SendError::Redirect(words(error))
    } else if error.is_timeout() && !error.is_connect() {
        SendError::Slow
    } else {
        SendError::Unreachable(words(error))
    }
}

/// The innermost cause in words, without the address: it may hold what no log should show.
pub(crate) fn words(error: &reqwest::Error) -> String {
    if error.is_timeout() {
        return "no answer in time".to_owned();
    }
    let mut words = None;
    let mut cause = error.source();
    while let Some(inner) = cause {
        words = Some(inner.to_string());
        cause = inner.source();
    }
    words.unwrap_or_else(|| "the connection failed".to_owned())
}
