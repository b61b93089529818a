//! A client's own login: a token for formulary and directory, by client credentials (RFC 6749, 4.4).
//!
//! The token is kept in memory alone, goes to the payer's own host, and is renewed shortly before it ends and when
//! the server refuses it.

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use coverdex_core::{Error, ErrorKind, Result};

use crate::fetch::config::Config;
use crate::fetch::http::client::{Answer, Client, Tally, Want};
use crate::fetch::http::retry::{Trouble, Verdict};
use crate::fetch::login::endpoint::{TokenEncoding, TokenEndpoint, Tokens, refusal};
use crate::fetch::secret::Secret;

/// A token is renewed so much before its end, or when so much of its time is left, whichever is less.
const EARLY: Duration = Duration::from_mins(1);
const EARLY_PART: u32 = 5;
/// A token is taken to be good for so long at least, whatever the server says: else each request would renew it.
const SHORTEST: Duration = Duration::from_secs(10);
/// After so many renewals that the server refused like the token before, a refusal is not the token's fault.
const IN_VAIN: u32 = 3;

/// The login of a client.
#[derive(Debug)]
pub(crate) struct ClientLogin {
    endpoint: TokenEndpoint,
    held: tokio::sync::Mutex<Held>,
    /// Renewals in a row that did not help.
    in_vain: AtomicU32,
    refused: Mutex<Option<Error>>,
}

#[derive(Debug, Default)]
struct Held {
    token: Option<Token>,
    /// When no token could be got, and why: whoever has waited for it meanwhile does not wait again.
    failed: Option<(Duration, Trouble)>,
}

#[derive(Debug)]
struct Token {
    access: Secret,
    renewed_at: Duration,
}

impl ClientLogin {
    /// The login that the settings ask for.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidInput`] naming a setting or a file that cannot be used.
    pub(crate) fn of(config: &Config) -> Result<Option<Self>> {
        if !config.client_login {
            return Ok(None);
        }
        Ok(Some(Self {
            endpoint: TokenEndpoint::new(config, TokenEncoding::Form)?,
            held: tokio::sync::Mutex::default(),
            in_vain: AtomicU32::new(0),
            refused: Mutex::default(),
        }))
    }

    /// A request with a token was answered.
    pub(crate) fn helped(&self) {
        self.in_vain.store(0, Ordering::Relaxed);
    }

    fn failed(&self, message: String) -> Error {
        Error::new(ErrorKind::Sync, format!("token-url {}", self.endpoint.url()), message)
    }

    fn refused(&self, why: &str) -> Error {
        let hint = match why {
            "invalid_client" | "status 401" | "status 403" => "check client-id and client-secret",
            "invalid_scope" => "check scope: the payer says which there are",
            "unauthorized_client" | "unsupported_grant_type" => {
                "the payer must let this client use client credentials; without them: client-credentials = false"
            }
            "invalid_request" => "check scope and client-authentication",
            _ => "check token-url, client-id, client-secret and scope",
        };
        self.failed(format!("it refuses the client's login: {why}")).with_hint(hint)
    }
}

impl Client {
    /// Logs the client in, where the settings say so.
    ///
    /// # Errors
    /// [`ErrorKind::Sync`] naming the setting if the login is refused, or if the token endpoint does not answer
    /// until patience ends; [`ErrorKind::InvalidInput`] if a setting cannot be used.
    pub(crate) async fn logged_in(mut self) -> Result<Self> {
        self.login = ClientLogin::of(&self.config)?;
        let Some(login) = &self.login else { return Ok(self) };
        match self.token_of(login, None).await {
            Ok(_) => Ok(self),
            Err(answer) => match (self.login_refused(), answer) {
                (Some(refused), _) => Err(refused),
                (None, Answer::Failed(trouble)) => Err(login.failed(trouble.to_string())),
                (None, _) => Ok(self),
            },
        }
    }

    /// Why the client's login was refused, if it was: all requests were then ended.
    pub(crate) fn login_refused(&self) -> Option<Error> {
        let login = self.login.as_ref()?;
        login.refused.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Whether a new token may help where the server refuses the one it got.
    pub(crate) fn may_renew(&self) -> bool {
        self.login.as_ref().is_some_and(|login| login.in_vain.load(Ordering::Relaxed) < IN_VAIN)
    }

    /// The client's token for a request, where there is one; `refused`: the one that the server did not take.
    pub(crate) async fn token_for(&self, want: &Want<'_>, refused: Option<&Secret>) -> Result<Option<Secret>, Answer> {
        match &self.login {
            Some(login) if want.bearer.is_none() && self.config.is_own(want.url) => {
                self.token_of(login, refused).await.map(Some)
            }
            _ => Ok(None),
        }
    }

    async fn token_of(&self, login: &ClientLogin, refused: Option<&Secret>) -> Result<Secret, Answer> {
        let came = self.clock.elapsed();
        let Some(mut held) = self.stop.or(login.held.lock()).await else { return Err(Answer::Stopped) };
        let now = self.clock.elapsed();
        if let Some(token) = held.token.as_ref().filter(|t| now < t.renewed_at && Some(&t.access) != refused) {
            return Ok(token.access.clone());
        }
        if let Some((at, trouble)) = held.failed.as_ref().filter(|(at, _)| *at > came) {
            debug_assert!(*at <= now);
            return Err(Answer::Failed(trouble.clone()));
        }
        if refused.is_some() {
            login.in_vain.fetch_add(1, Ordering::Relaxed);
        }
        match self.new_token(login).await {
            Ok(tokens) => {
                let lifetime = Duration::try_from(tokens.expires.duration_since(self.clock.now())).unwrap_or_default();
                let good_for = lifetime.saturating_sub(EARLY.min(lifetime / EARLY_PART)).max(SHORTEST);
                let renewed_at = self.clock.elapsed().saturating_add(good_for);
                held.token = Some(Token { access: tokens.access.clone(), renewed_at });
                Ok(tokens.access)
            }
            Err(answer) => {
                if let Answer::Failed(trouble) = &answer {
                    held.failed = Some((self.clock.elapsed(), trouble.clone()));
                }
                Err(answer)
            }
        }
    }

    /// Asks the token endpoint, with the same manners as the API.
    async fn new_token(&self, login: &ClientLogin) -> Result<Tokens, Answer> {
        let manners = self.manners(login.endpoint.url());
        let mut attempts = self.attempts();
        loop {
            let Some(turn) = self.stop.or(manners.turn()).await else { return Err(Answer::Stopped) };
            let Some(turn) = turn else { return Err(Answer::Failed(Trouble::Firewall(403))) };
            attempts.round = turn.round;
            Tally::add(&self.tally.requests, 1);
            let got = login.endpoint.of_client(self.clock.now()).await;
            drop(turn);
            let verdict = match got {
                Ok(tokens) => {
                    manners.answered();
                    return Ok(tokens);
                }
                Err(verdict) => verdict,
            };
            if let Some(why) = refusal(&verdict) {
                *login.refused.lock().unwrap_or_else(PoisonError::into_inner) = Some(login.refused(&why));
                // Nothing else would be answered: the sync ends, and says why.
                self.stop.stop();
                return Err(Answer::Stopped);
            }
            if !matches!(verdict, Verdict::Firewall(_) | Verdict::Unreachable(_)) {
                manners.answered();
            }
            let reason = verdict.reason_to_wait().unwrap_or_default();
            match self.wait_after(verdict, &reason, &manners, &mut attempts, false) {
                Ok(wait) => self.pause(&reason, wait).await.ok_or(Answer::Stopped)?,
                Err(trouble) => return Err(Answer::Failed(trouble)),
            }
        }
    }
}

#[cfg(test)]
mod tests;
