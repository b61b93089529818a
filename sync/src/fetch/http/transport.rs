//! One request on the wire.

use std::error::Error as _;
use std::time::Duration;

use coverdex_core::{Error, ErrorKind, Result};
use reqwest::header::{self, HeaderMap, HeaderName, HeaderValue};
use reqwest::redirect::Policy;
use reqwest::{Response, StatusCode};
use url::Url;

use crate::fetch::config::{Config, MAX_REDIRECTS};
use crate::fetch::http::clock::BoxFuture;
use crate::fetch::http::tls;
use crate::fetch::secret::Secret;

/// A GET request.
#[derive(Clone, Debug)]
pub struct Ask {
    /// Its address.
    pub url: Url,
    /// `Accept`.
    pub accept: &'static str,
    /// Whether the answer must come as it is, not packed.
    pub unpacked: bool,
    /// `If-None-Match`.
    pub etag: Option<String>,
    /// `Authorization: Bearer`; it goes to the payer's own host only.
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
    /// An answer came whose body cannot be unpacked (gzip): why.
    Packed(String),
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
    config: Config,
    api_key: Option<(HeaderName, HeaderValue)>,
    /// A request that drips for longer is given up.
    longest: Duration,
}

impl Network {
    /// Sets up connections for a payer.
    ///
    /// # Errors
    /// [`ErrorKind::Sync`] if the system's certificates cannot be used, [`ErrorKind::InvalidInput`] naming a file
    /// of the settings that cannot.
    pub fn new(config: &Config) -> Result<Self> {
        let client = client(config)?
            .read_timeout(config.timeout)
            .pool_max_idle_per_host(config.concurrency)
            .build()
            .map_err(|e| Error::new(ErrorKind::Sync, "network", words(&e)))?;
        let api_key = api_key(config)?;
        Ok(Self { client, config: config.clone(), api_key, longest: config.timeout * 5 })
    }

    async fn send(&self, ask: Ask) -> Result<Reply, SendError> {
        reply(self.follow(&ask).await?, self.config.max_body).await
    }

    /// Sends a request and follows its redirects. Token and key go to the payer's own host, and nowhere any more
    /// once a redirect has left it.
    async fn follow(&self, ask: &Ask) -> Result<Response, SendError> {
        let mut url = ask.url.clone();
        let mut has_left = false;
        for _ in 0..=MAX_REDIRECTS {
            has_left |= !self.config.is_own(&url);
            let mut request = self.client.get(url.clone()).header(header::ACCEPT, ask.accept);
            if ask.unpacked {
                request = request.header(header::ACCEPT_ENCODING, "identity");
            }
            if let Some(etag) = &ask.etag {
                request = request.header(header::IF_NONE_MATCH, etag);
            }
            if !has_left {
                if let Some(token) = &ask.bearer {
                    request = request.bearer_auth(token.reveal());
                }
                if let Some((name, key)) = &self.api_key {
                    request = request.header(name, key);
                }
            }
            let response = request.send().await.map_err(|e| broken(&e))?;
            let Some(next) = redirects_to(&url, &response) else { return Ok(response) };
            self.config.may_ask(&next).map_err(|why| SendError::Redirect(format!("it leads to {why}")))?;
            url = next;
        }
        Err(SendError::Redirect("too many redirects".to_owned()))
    }
}

/// Reads an answer, whose body has at most so many bytes.
pub(crate) async fn reply(mut response: Response, max_body: u64) -> Result<Reply, SendError> {
    let mut reply = Reply { status: response.status().as_u16(), ..Reply::default() };
    let headers = response.headers();
    reply.retry_after = text(headers, &header::RETRY_AFTER);
    reply.retry_after_ms = text(headers, &HeaderName::from_static("x-ms-retry-after-ms"));
    reply.date = text(headers, &header::DATE);
    reply.etag = text(headers, &header::ETAG);
    while let Some(chunk) = response.chunk().await.map_err(|e| broken(&e))? {
        if (reply.body.len() + chunk.len()) as u64 > max_body {
            return Err(SendError::TooLarge);
        }
        reply.body.extend_from_slice(&chunk);
    }
    Ok(reply)
}

/// Where a redirect leads.
fn redirects_to(from: &Url, response: &Response) -> Option<Url> {
    let is_redirect = matches!(
        response.status(),
        StatusCode::MOVED_PERMANENTLY
            | StatusCode::FOUND
            | StatusCode::SEE_OTHER
            | StatusCode::TEMPORARY_REDIRECT
            | StatusCode::PERMANENT_REDIRECT
    );
    let location = response.headers().get(header::LOCATION).filter(|_| is_redirect)?;
    from.join(std::str::from_utf8(location.as_bytes()).ok()?).ok()
}

/// The header that carries the payer's key.
pub(crate) fn api_key(config: &Config) -> Result<Option<(HeaderName, HeaderValue)>> {
    let Some(api_key) = &config.api_key else { return Ok(None) };
    let unusable = || Error::invalid("api-key", "it cannot stand in a header");
    let name = HeaderName::from_bytes(api_key.header.as_bytes()).map_err(|_| unusable())?;
    let mut key = HeaderValue::from_str(api_key.key.reveal()).map_err(|_| unusable())?;
    key.set_sensitive(true);
    Ok(Some((name, key)))
}

impl Transport for Network {
    fn get(&self, ask: Ask) -> BoxFuture<'_, Result<Reply, SendError>> {
        Box::pin(
            async move { tokio::time::timeout(self.longest, self.send(ask)).await.unwrap_or(Err(SendError::Slow)) },
        )
    }
}

/// A client for a payer, to be set up further. It follows no redirect: each is looked at first.
pub(crate) fn client(config: &Config) -> Result<reqwest::ClientBuilder> {
    let client = tls::client(&config.tls)?;
    Ok(client
        .user_agent(&config.user_agent)
        .connect_timeout(config.timeout.min(Duration::from_secs(10)))
        .redirect(Policy::none())
        .referer(false))
}

fn text(headers: &HeaderMap, name: &HeaderName) -> Option<String> {
    headers.get(name)?.to_str().ok().map(str::to_owned)
}

pub(crate) fn broken(error: &reqwest::Error) -> SendError {
    if error.is_timeout() && !error.is_connect() {
        SendError::Slow
    } else if is_of_unpacking(error) {
        SendError::Packed(words(error))
    } else {
        SendError::Unreachable(words(error))
    }
}

/// Whether an answer came and its body cannot be unpacked. The client calls every error of a body one of decoding: what
/// is the connection's has hyper's error below it, what is the unpacking's an error of reading.
fn is_of_unpacking(error: &reqwest::Error) -> bool {
    let mut cause = error.source();
    while let Some(inner) = cause.filter(|cause| cause.is::<reqwest::Error>()) {
        cause = inner.source();
    }
    let is_so = |cause: &(dyn std::error::Error + 'static)| {
        cause.is::<std::io::Error>() || cause.to_string().ends_with("after body has been decompressed")
    };
    (error.is_decode() || error.is_body()) && cause.is_some_and(is_so)
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
