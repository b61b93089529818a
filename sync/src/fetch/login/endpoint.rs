//! The token endpoint: what is sent to it, and what its answers are worth.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use coverdex_core::{Error, ErrorKind, Result};
use jiff::Timestamp;
use reqwest::header;
use serde::Deserialize;
use url::Url;

use crate::fetch::config::{ClientAuthentication, Config, MAX_DEPTH};
use crate::fetch::http::retry::{Trouble, Verdict, judge};
use crate::fetch::http::transport::{self, Reply, SendError, words};
use crate::fetch::login::oauth::{Login, error_code, missing};
use crate::fetch::secret::Secret;
use crate::fhir::json;
use crate::fhir::page::{self, Body};

/// Bytes of an answer at most.
const MAX_ANSWER: usize = 1 << 20;

/// How long a token is taken to be good if nothing is said.
const USUAL_LIFETIME: f64 = 3600.0;

/// Tokens as the token endpoint gives them. What else it says of the member is not kept.
#[derive(Clone, Debug)]
pub struct Tokens {
    /// For the API.
    pub access: Secret,
    /// For the next access token; a new one takes the place of the old.
    pub refresh: Option<Secret>,
    /// When the access token ends.
    pub expires: Timestamp,
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

impl TokenEncoding {
    fn other(self) -> Self {
        match self {
            Self::Form => Self::Json,
            Self::Json => Self::Form,
        }
    }
}

/// The token endpoint.
#[derive(Debug)]
pub struct TokenEndpoint {
    client: reqwest::Client,
    url: Url,
    client_id: String,
    client_secret: Option<Secret>,
    authentication: Option<ClientAuthentication>,
    /// The server took the secret in the body and not in the header.
    secret_in_body: AtomicBool,
    api_key: Option<(header::HeaderName, header::HeaderValue)>,
    redirect: Option<Url>,
    scope: Option<String>,
    encoding: TokenEncoding,
}

#[derive(Deserialize)]
struct TokenResponse {
    access_token: String,
    refresh_token: Option<String>,
    expires_in: Option<Seconds>,
}

/// A number of seconds; gateways also write it as a text.
#[derive(Deserialize)]
#[serde(untagged)]
enum Seconds {
    Number(f64),
    Text(String),
}

#[derive(Deserialize)]
struct Refusal {
    error: String,
}

impl TokenEndpoint {
    /// Sets it up.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidInput`] naming a setting that is missing, or a file that cannot be used.
    pub fn new(config: &Config, encoding: TokenEncoding) -> Result<Self> {
        let client = transport::client(config)?
            .timeout(config.timeout)
            .build()
            .map_err(|e| Error::new(ErrorKind::Sync, "network", words(&e)))?;
        let url = config.token.clone().ok_or_else(|| missing("token-url"))?;
        Ok(Self {
            client,
            client_id: config.client_id.clone().ok_or_else(|| missing("client-id"))?,
            client_secret: config.client_secret.clone(),
            authentication: config.client_authentication,
            secret_in_body: AtomicBool::new(config.client_authentication == Some(ClientAuthentication::Body)),
            api_key: if config.is_own(&url) { transport::api_key(config)? } else { None },
            url,
            redirect: config.redirect.clone(),
            scope: config.scope.clone(),
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
        fields.extend(login.verifier().map(|verifier| ("code_verifier", verifier.reveal())));
        self.post(&fields, now).await.map_err(|verdict| of_member(&verdict))
    }

    /// Gets new tokens. Where the server sends no new refresh token, the old one stays.
    ///
    /// # Errors
    /// [`ErrorKind::Sync`] if the server refuses or cannot be reached.
    pub async fn refresh(&self, refresh: &Secret, now: Timestamp) -> Result<Tokens> {
        let fields = [("grant_type", "refresh_token"), ("refresh_token", refresh.reveal())];
        let mut tokens = self.post(&fields, now).await.map_err(|verdict| of_member(&verdict))?;
        tokens.refresh.get_or_insert_with(|| refresh.clone());
        Ok(tokens)
    }

    /// Gets a token by the client's own credentials (RFC 6749, 4.4). A refresh token is not used: the credentials
    /// are at hand.
    pub(crate) async fn of_client(&self, now: Timestamp) -> Result<Tokens, Verdict> {
        let mut fields = vec![("grant_type", "client_credentials")];
        fields.extend(self.scope.as_deref().map(|scope| ("scope", scope)));
        self.post(&fields, now).await
    }

    /// Sends a request, and again where the server wants the secret in the other place. One that does not know the
    /// client has looked at nothing else: no code is used up by it.
    async fn post(&self, fields: &[(&str, &str)], now: Timestamp) -> Result<Tokens, Verdict> {
        let in_body = self.secret_in_body.load(Ordering::Relaxed);
        let first = self.in_either_encoding(fields, in_body, now).await;
        let is_fixed = self.client_secret.is_none() || self.authentication.is_some();
        if is_fixed || !first.as_ref().is_err_and(knows_no_client) {
            return first;
        }
        let second = self.in_either_encoding(fields, !in_body, now).await;
        match &second {
            Err(verdict) if knows_no_client(verdict) || !matches!(verdict, Verdict::Refused(..)) => first,
            _ => {
                self.secret_in_body.store(!in_body, Ordering::Relaxed);
                second
            }
        }
    }

    async fn in_either_encoding(
        &self,
        fields: &[(&str, &str)],
        in_body: bool,
        now: Timestamp,
    ) -> Result<Tokens, Verdict> {
        let mut reply = self.send(fields, self.encoding, in_body).await;
        if reply.as_ref().is_ok_and(|reply| reply.status == 415) {
            // Refused unread: a code is not used up by that.
            reply = self.send(fields, self.encoding.other(), in_body).await;
        }
        read(&reply, now)
    }

    async fn send(&self, fields: &[(&str, &str)], encoding: TokenEncoding, in_body: bool) -> Result<Reply, SendError> {
        let mut fields = fields.to_vec();
        let mut request = self.client.post(self.url.clone()).header(header::ACCEPT, "application/json");
        if let Some((name, key)) = &self.api_key {
            request = request.header(name, key);
        }
        match &self.client_secret {
            Some(secret) if !in_body => {
                request = request.basic_auth(encoded(&self.client_id), Some(encoded(secret.reveal())));
            }
            Some(secret) => fields.extend([("client_id", self.client_id.as_str()), ("client_secret", secret.reveal())]),
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
        let response = request.send().await.map_err(|error| transport::broken(&error))?;
        transport::reply(response, MAX_ANSWER as u64).await
    }
}

/// Id and secret as they stand in the header (RFC 6749, 2.3.1).
fn encoded(text: &str) -> String {
    url::form_urlencoded::byte_serialize(text.as_bytes()).collect()
}

/// Whether the server refuses the client itself, and not what it asks for.
fn knows_no_client(verdict: &Verdict) -> bool {
    matches!(verdict, Verdict::Refused(status, why) if *status == 401 || why == "invalid_client")
}

/// What came of a request for a token. A refusal carries the error's registered name, or how the answer looks; no
/// other word of the answer is repeated, as it may hold a secret.
fn read(reply: &Result<Reply, SendError>, now: Timestamp) -> Result<Tokens, Verdict> {
    let Ok(answer) = reply else { return Err(judge(reply, &Body::Empty, now)) };
    if (200..300).contains(&answer.status)
        && let Ok(response) = serde_json::from_slice::<TokenResponse>(&answer.body)
        && !response.access_token.is_empty()
    {
        let seconds = match response.expires_in {
            Some(Seconds::Number(seconds)) => Some(seconds),
            Some(Seconds::Text(text)) => text.trim().parse().ok(),
            None => None,
        };
        let lifetime = Duration::try_from_secs_f64(seconds.unwrap_or(USUAL_LIFETIME)).unwrap_or_default();
        return Ok(Tokens {
            access: Secret::new(response.access_token),
            refresh: response.refresh_token.filter(|token| !token.is_empty()).map(Secret::new),
            expires: now.checked_add(lifetime).unwrap_or(Timestamp::MAX),
        });
    }
    if let (400..=499, Ok(refusal)) = (answer.status, serde_json::from_slice::<Refusal>(&answer.body)) {
        return Err(match refusal.error.as_str() {
            "temporarily_unavailable" | "server_error" => Verdict::Stumbled(Trouble::Status(answer.status)),
            "slow_down" | "too_many_requests" => Verdict::Throttled(None),
            error => Verdict::Refused(answer.status, error_code(error)),
        });
    }
    let text = json::text(&answer.body);
    let body = if text.is_empty() { Body::Empty } else { page::look(&text, "", MAX_DEPTH) };
    Err(match judge(reply, &body, now) {
        Verdict::Good | Verdict::Stumbled(Trouble::Wrong(_)) => {
            Verdict::Stumbled(Trouble::Wrong("an answer that holds no token".to_owned()))
        }
        Verdict::NotModified => Verdict::Refused(304, String::new()),
        Verdict::Gone(status) | Verdict::Refused(status, _) => Verdict::Refused(status, String::new()),
        verdict => verdict,
    })
}

/// Why a member's code or refresh token brought nothing.
fn of_member(verdict: &Verdict) -> Error {
    let failed = |message: String| Error::new(ErrorKind::Sync, "token endpoint", message);
    match refusal(verdict) {
        Some(why) => failed(format!("it refuses: {why}")).with_hint(if knows_no_client(verdict) {
            "check client-id and client-secret"
        } else {
            "log in again"
        }),
        None => failed(verdict.reason_to_wait().unwrap_or_else(|| "there is no answer".to_owned())),
    }
}

/// A refusal that another attempt would meet again, in words.
pub(crate) fn refusal(verdict: &Verdict) -> Option<String> {
    match verdict {
        Verdict::Refused(status, why) if why.is_empty() => Some(format!("status {status}")),
        Verdict::Refused(_, why) => Some(why.clone()),
        Verdict::Never(Trouble::Redirect(_)) => Some("it redirects, and no secret follows that".to_owned()),
        Verdict::Never(trouble) => Some(trouble.to_string()),
        _ => None,
    }
}

#[cfg(test)]
mod tests;
