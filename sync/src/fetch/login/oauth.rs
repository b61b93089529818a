//! A member's login: OAuth 2.0 authorization code, in the browser, with `state` and, where the
//! server takes it, PKCE; refresh with rotation.
//!
//! It serves one purpose, to find the member's own plan. Tokens go to the token endpoint and to
//! Coverage, nowhere else, and stand in no log, error or staging.

use std::fmt;
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use coverdex_core::{Error, ErrorKind, Result};
use jiff::Timestamp;
use reqwest::header;
use serde::Deserialize;
use sha2::{Digest, Sha256};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use url::Url;

use crate::fetch::config::{Config, host_and_port, is_loopback};
use crate::fetch::http::transport::{self, words};
use crate::fetch::secret::Secret;

/// A login under way.
pub struct Login {
    url: Url,
    redirect: Url,
    state: Secret,
    verifier: Option<Secret>,
}

/// Tokens as the token endpoint gives them. What else it says of the member is not kept.
#[derive(Clone, Debug)]
pub struct Tokens {
    /// For Coverage.
    pub access: Secret,
    /// For the next access token; a new one takes the place of the old.
    pub refresh: Option<Secret>,
    /// When the access token ends.
    pub expires: Timestamp,
}

impl fmt::Debug for Login {
    /// Without the address: it carries what proves that an answer belongs to this login.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Login").field("redirect", &self.redirect).finish_non_exhaustive()
    }
}

fn missing(what: &str) -> Error {
    Error::invalid(what, "it is needed to log in and is not set")
        .with_hint(format!("give --{what}, or {what} in the settings file, as registered with the payer"))
}

fn random() -> Result<String> {
    let mut bytes = [0u8; 32];
    getrandom::fill(&mut bytes).map_err(|e| Error::new(ErrorKind::Io, "random numbers", e.to_string()))?;
    Ok(URL_SAFE_NO_PAD.encode(bytes))
}

impl Login {
    /// Prepares a login. `pkce`: whether the server says that it has it.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidInput`] naming a setting that is missing.
    pub fn begin(config: &Config, pkce: bool) -> Result<Self> {
        let mut url = config.authorize.clone().ok_or_else(|| missing("authorize-url"))?;
        let redirect = config.redirect.clone().ok_or_else(|| missing("redirect-url"))?;
        let client = config.client_id.as_deref().ok_or_else(|| missing("client-id"))?;
        let state = random()?;
        let verifier = if pkce { Some(random()?) } else { None };
        {
            let mut query = url.query_pairs_mut();
            query.append_pair("client_id", client).append_pair("redirect_uri", redirect.as_str());
            query.append_pair("response_type", "code").append_pair("state", &state);
            if let Some(scope) = &config.scope {
                query.append_pair("scope", scope);
            }
            if let Some(verifier) = &verifier {
                let challenge = URL_SAFE_NO_PAD.encode(Sha256::digest(verifier));
                query.append_pair("code_challenge", &challenge).append_pair("code_challenge_method", "S256");
            }
        }
        Ok(Self { url, redirect, state: Secret::new(state), verifier: verifier.map(Secret::new) })
    }

    /// The address to open in a browser.
    #[must_use]
    pub fn url(&self) -> &Url {
        &self.url
    }

    /// The code from the address that the browser was sent to, whole or from `?` on.
    ///
    /// # Errors
    /// [`ErrorKind::Sync`] if the server refused, or if the answer belongs to another login.
    pub fn code(&self, redirected_to: &str) -> Result<Secret> {
        let failed = |message: &str| Error::new(ErrorKind::Sync, "login", message);
        let (address, query) = redirected_to.trim().split_once('?').unwrap_or(("", redirected_to.trim()));
        if !self.is_answered_at(address) {
            return Err(failed(&format!("this is not the redirect address, {}", self.redirect))
                .with_hint("paste the whole address that the browser ends at"));
        }
        let query = query.split('#').next().unwrap_or_default();
        let pairs: Vec<(String, String)> = url::form_urlencoded::parse(query.as_bytes()).into_owned().collect();
        let value = |name: &str| pairs.iter().find(|(n, _)| n == name).map(|(_, value)| value.as_str());
        let of_name = |name: &str| pairs.iter().filter(|(n, _)| n == name).count();
        if let Some(twice) = ["state", "code", "error"].into_iter().find(|name| of_name(name) > 1) {
            return Err(failed(&format!("the answer says `{twice}` more than once")));
        }
        if value("state") != Some(self.state.reveal()) {
            return Err(failed("the answer does not belong to this login (`state` differs)")
                .with_hint("log in again and use the address that is opened then"));
        }
        if let Some(error) = value("error") {
            return Err(failed(&format!("the server refused: {}", error_code(error))));
        }
        let code = value("code").filter(|code| !code.is_empty());
        code.map(Secret::new).ok_or_else(|| failed("the server sent no code"))
    }

    /// Whether what stands before an answer's `?` is the redirect address: whole, its path, or nothing.
    fn is_answered_at(&self, address: &str) -> bool {
        if address.is_empty() || address == self.redirect.path() {
            return true;
        }
        Url::parse(address).is_ok_and(|url| {
            let place = |url: &Url| (url.scheme().to_owned(), host_and_port(url), url.path().to_owned());
            place(&url) == place(&self.redirect)
        })
    }

    /// Waits for the browser at the registered redirect address, which must be on this machine.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidInput`] if the address is elsewhere, [`ErrorKind::Io`] if the port is
    /// taken, [`ErrorKind::Sync`] as [`code`](Self::code).
    pub async fn wait_for_code(&self) -> Result<Secret> {
        let subject = || format!("redirect address {}", self.redirect);
        let io = |e: std::io::Error| Error::new(ErrorKind::Io, subject(), e.to_string());
        if self.redirect.scheme() != "http" || !is_loopback(&self.redirect) {
            return Err(Error::invalid(subject(), "it is not on this machine, so its answer cannot be waited for")
                .with_hint("log in without a browser being opened, and paste the address that it ends at"));
        }
        let host = self.redirect.host_str().unwrap_or("127.0.0.1").trim_matches(['[', ']']);
        let port = self.redirect.port_or_known_default().unwrap_or(80);
        let listener = TcpListener::bind((host, port)).await.map_err(io)?;
        loop {
            let (mut stream, _) = listener.accept().await.map_err(io)?;
            let Some(target) = request_target(&mut stream).await else { continue };
            let path = target.split('?').next().unwrap_or_default();
            // Browsers also ask for icons.
            if path != self.redirect.path() {
                answer(&mut stream, "404 Not Found", "").await;
                continue;
            }
            let code = self.code(&target);
            let text = if code.is_ok() { "You are logged in. This window may be closed." } else { "The login failed." };
            answer(&mut stream, "200 OK", text).await;
            return code;
        }
    }
}

/// The path and query of an HTTP request.
async fn request_target(stream: &mut TcpStream) -> Option<String> {
    let mut head = Vec::new();
    let mut buffer = [0u8; 1024];
    while head.len() < 16 * 1024 && !head.windows(2).any(|w| w == b"\r\n") {
        let read = tokio::time::timeout(Duration::from_secs(5), stream.read(&mut buffer)).await.ok()?.ok()?;
        if read == 0 {
            break;
        }
        head.extend_from_slice(buffer.get(..read)?);
    }
    let head = String::from_utf8_lossy(&head);
    let mut words = head.lines().next()?.split(' ');
    (words.next()? == "GET").then(|| words.next().map(str::to_owned))?
}

async fn answer(stream: &mut TcpStream, status: &str, text: &str) {
    let body = format!("<!doctype html><meta charset=\"utf-8\"><title>Coverdex</title><p>{text}</p>");
    let head =
        format!("HTTP/1.1 {status}\r\nContent-Type: text/html; charset=utf-8\r\nContent-Length: {}\r\n", body.len());
    let _ = stream.write_all(format!("{head}Connection: close\r\n\r\n{body}").as_bytes()).await;
    let _ = stream.shutdown().await;
}

/// How a request to the token endpoint is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TokenEncoding {
    /// `application/x-www-form-urlencoded`, the standard.
    #[default]
    Form,
    /// `application/json`.
    Json,
}

/// The token endpoint.
#[derive(Debug)]
pub struct TokenEndpoint {
    client: reqwest::Client,
    url: Url,
    client_id: String,
    client_secret: Option<Secret>,
    redirect: Option<Url>,
    encoding: TokenEncoding,
}

#[derive(Deserialize)]
struct TokenResponse {
    access_token: String,
    refresh_token: Option<String>,
    expires_in: Option<f64>,
}

#[derive(Deserialize)]
struct Refusal {
    error: String,
}

impl TokenEndpoint {
    /// Sets it up.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidInput`] naming a setting that is missing.
    pub fn new(config: &Config, encoding: TokenEncoding) -> Result<Self> {
        let client = transport::client()
            .user_agent(&config.user_agent)
            .connect_timeout(config.timeout.min(Duration::from_secs(10)))
            .timeout(config.timeout)
            // A redirect would carry the code or token elsewhere.
            .redirect(reqwest::redirect::Policy::none())
            .referer(false)
            .build()
            .map_err(|e| Error::new(ErrorKind::Sync, "network", words(&e)))?;
        Ok(Self {
            client,
            url: config.token.clone().ok_or_else(|| missing("token-url"))?,
            client_id: config.client_id.clone().ok_or_else(|| missing("client-id"))?,
            client_secret: config.client_secret.clone(),
            redirect: config.redirect.clone(),
            encoding,
        })
    }

    /// The endpoint's address.
    #[must_use]
    pub fn url(&self) -> &Url {
        &self.url
    }

    /// Exchanges a login's code, which works once.
    ///
    /// # Errors
    /// [`ErrorKind::Sync`] if the server refuses or cannot be reached.
    pub async fn exchange(&self, login: &Login, code: &Secret, now: Timestamp) -> Result<Tokens> {
        let redirect = self.redirect.as_ref().ok_or_else(|| missing("redirect-url"))?;
        let mut fields =
            vec![("grant_type", "authorization_code"), ("code", code.reveal()), ("redirect_uri", redirect.as_str())];
        fields.extend(login.verifier.as_ref().map(|verifier| ("code_verifier", verifier.reveal())));
        self.post(&fields, now).await
    }

    /// Gets new tokens. Where the server sends no new refresh token, the old one stays.
    ///
    /// # Errors
    /// [`ErrorKind::Sync`] if the server refuses or cannot be reached.
    pub async fn refresh(&self, refresh: &Secret, now: Timestamp) -> Result<Tokens> {
        let fields = [("grant_type", "refresh_token"), ("refresh_token", refresh.reveal())];
        let mut tokens = self.post(&fields, now).await?;
        tokens.refresh.get_or_insert_with(|| refresh.clone());
        Ok(tokens)
    }

    async fn post(&self, fields: &[(&str, &str)], now: Timestamp) -> Result<Tokens> {
        let (mut status, mut body) = self.send(fields, self.encoding).await?;
        if status == 415 {
            // Refused unread: a code is not used up by that.
            let other = if self.encoding == TokenEncoding::Form { TokenEncoding::Json } else { TokenEncoding::Form };
            (status, body) = self.send(fields, other).await?;
        }
        if !(200..300).contains(&status) {
            let refusal = serde_json::from_slice::<Refusal>(&body).ok();
            let why = refusal.map_or_else(|| format!("status {status}"), |r| error_code(&r.error));
            return Err(
                Error::new(ErrorKind::Sync, "token endpoint", format!("it refuses: {why}")).with_hint("log in again")
            );
        }
        let response: TokenResponse = serde_json::from_slice(&body)
            .map_err(|_| Error::new(ErrorKind::Sync, "token endpoint", "its answer holds no token"))?;
        let lifetime = Duration::try_from_secs_f64(response.expires_in.unwrap_or(3600.0)).unwrap_or_default();
        Ok(Tokens {
            access: Secret::new(response.access_token),
            refresh: response.refresh_token.filter(|t| !t.is_empty()).map(Secret::new),
            expires: now.checked_add(lifetime).unwrap_or(Timestamp::MAX),
        })
    }

    async fn send(&self, fields: &[(&str, &str)], encoding: TokenEncoding) -> Result<(u16, Vec<u8>)> {
        let mut fields = fields.to_vec();
        let mut request = self.client.post(self.url.clone()).header(header::ACCEPT, "application/json");
        match &self.client_secret {
            Some(secret) => request = request.basic_auth(&self.client_id, Some(secret.reveal())),
            None => fields.push(("client_id", &self.client_id)),
        }
        request = match encoding {
            TokenEncoding::Form => request.form(&fields),
            TokenEncoding::Json => {
                let object: serde_json::Map<String, serde_json::Value> =
                    fields.iter().map(|(name, value)| ((*name).to_owned(), (*value).into())).collect();
                request.json(&object)
            }
        };
        let failed = |e: reqwest::Error| Error::new(ErrorKind::Sync, "token endpoint", words(&e));
        let mut response = request.send().await.map_err(failed)?;
        let status = response.status().as_u16();
        let mut body = Vec::new();
        while let Some(chunk) = response.chunk().await.map_err(failed)? {
            if body.len() + chunk.len() > 1 << 20 {
                return Err(Error::new(ErrorKind::Sync, "token endpoint", "its answer is too large"));
            }
            body.extend_from_slice(&chunk);
        }
        Ok((status, body))
    }
}

/// An OAuth error code as it may be shown: the registered ones are short words.
fn error_code(text: &str) -> String {
    let is_code = text.len() <= 40 && text.bytes().all(|b| b.is_ascii_lowercase() || b == b'_');
    if is_code { text.to_owned() } else { "an error without a name".to_owned() }
}

#[cfg(test)]
mod tests;
