//! A member's login: OAuth 2.0 authorization code, in the browser, with `state` and PKCE; refresh with rotation.
//!
//! It serves one purpose, to find the member's own plan. Tokens go to the token endpoint and to
//! Coverage, nowhere else, and stand in no log, error or staging.

use std::fmt;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use coverdex_core::{Error, ErrorKind, Result};
use sha2::{Digest, Sha256};
use url::Url;

use crate::fetch::config::{Config, host_and_port};
use crate::fetch::secret::Secret;

/// A login under way.
pub struct Login {
    url: Url,
    redirect: Url,
    state: Secret,
    verifier: Option<Secret>,
}

/// Why an address that somebody was sent to holds no code of a login.
#[derive(Debug)]
pub(crate) enum NoCode {
    /// It answers this login: there will be no code.
    Refused(Error),
    /// It does not answer this login.
    OfAnother { has_code: bool, error: Error },
}

impl fmt::Debug for Login {
    /// Without the address: it carries what proves that an answer belongs to this login.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Login").field("redirect", &self.redirect).finish_non_exhaustive()
    }
}

pub(crate) fn missing(what: &str) -> Error {
    Error::invalid(what, "it is needed to log in and is not set")
        .with_hint(format!("give --{what}, or {what} in the settings file, as registered with the payer"))
}

fn random() -> Result<String> {
    let mut bytes = [0u8; 32];
    getrandom::fill(&mut bytes).map_err(|e| Error::new(ErrorKind::Io, "random numbers", e.to_string()))?;
    Ok(URL_SAFE_NO_PAD.encode(bytes))
}

impl Login {
    /// Prepares a login. It carries a code challenge whatever the server says of it: a server that knows none
    /// ignores it (RFC 7636, 5), and one that does binds the code to this client.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidInput`] naming a setting that is missing, or `pkce` if it is off for a client that has
    /// no secret.
    pub fn begin(config: &Config) -> Result<Self> {
        let mut url = config.authorize.clone().ok_or_else(|| missing("authorize-url"))?;
        let redirect = config.redirect.clone().ok_or_else(|| missing("redirect-url"))?;
        let client = config.client_id.as_deref().ok_or_else(|| missing("client-id"))?;
        if !config.pkce && config.client_secret.is_none() {
            return Err(Error::invalid("pkce", "a client without a secret cannot leave it off (RFC 9700, 2.1.1)")
                .with_hint("leave `pkce` out, or set client-secret if the payer gave one"));
        }
        let state = random()?;
        let verifier = if config.pkce { Some(random()?) } else { None };
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

    pub(crate) fn redirect(&self) -> &Url {
        &self.redirect
    }

    /// What proves to the token endpoint that a code was asked for here.
    pub(crate) fn verifier(&self) -> Option<&Secret> {
        self.verifier.as_ref()
    }

    /// The code from the address that the browser was sent to, whole or from `?` on.
    ///
    /// # Errors
    /// [`ErrorKind::Sync`] if the server refused, or if the answer belongs to another login.
    pub fn code(&self, redirected_to: &str) -> Result<Secret> {
        self.read(redirected_to).map_err(|no| match no {
            NoCode::Refused(error) | NoCode::OfAnother { error, .. } => error,
        })
    }

    pub(crate) fn read(&self, redirected_to: &str) -> Result<Secret, NoCode> {
        let failed = |message: &str| Error::new(ErrorKind::Sync, "login", message);
        let of_another = |has_code, error| NoCode::OfAnother { has_code, error };
        let (address, query) = redirected_to.trim().split_once('?').unwrap_or(("", redirected_to.trim()));
        if !self.is_answered_at(address) {
            let error = failed(&format!("this is not the redirect address, {}", self.redirect))
                .with_hint("paste the whole address that the browser ends at");
            return Err(of_another(false, error));
        }
        let query = query.split('#').next().unwrap_or_default();
        let pairs: Vec<(String, String)> = url::form_urlencoded::parse(query.as_bytes()).into_owned().collect();
        let value = |name: &str| pairs.iter().find(|(n, _)| n == name).map(|(_, value)| value.as_str());
        let of_name = |name: &str| pairs.iter().filter(|(n, _)| n == name).count();
        let has_code = value("code").is_some();
        if let Some(twice) = ["state", "code", "error"].into_iter().find(|name| of_name(name) > 1) {
            return Err(of_another(has_code, failed(&format!("the answer says `{twice}` more than once"))));
        }
        if value("state") != Some(self.state.reveal()) {
            let error = failed("the answer does not belong to this login (`state` differs)")
                .with_hint("log in again and use the address that is opened then");
            return Err(of_another(has_code, error));
        }
        if let Some(error) = value("error") {
            let refused = failed(&format!("the server refused: {}", error_code(error)));
            let may_be_pkce = error == "invalid_request" && self.verifier.is_some();
            return Err(NoCode::Refused(if may_be_pkce { refused.with_hint(NO_PKCE) } else { refused }));
        }
        let code = value("code").filter(|code| !code.is_empty());
        code.map(Secret::new).ok_or_else(|| NoCode::Refused(failed("the server sent no code")))
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
}

/// For a server that does not ignore what it does not know (RFC 6749, 3.1).
const NO_PKCE: &str = "compare the login's settings with what is registered; if the server takes no code challenge, \
    leave it off: pkce = false";

/// An OAuth error code as it may be shown: the registered ones are short words.
pub(crate) fn error_code(text: &str) -> String {
    let is_code = text.len() <= 40 && text.bytes().all(|b| b.is_ascii_lowercase() || b == b'_');
    if is_code { text.to_owned() } else { "an error without a name".to_owned() }
}

#[cfg(test)]
mod tests;
