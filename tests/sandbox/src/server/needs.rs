//! What a client must bring along before anything below `/api` is answered.

use std::str::FromStr;

use axum::http::{HeaderName, header};
use coverdex_core::{Error, Result};

use super::Shared;
use super::answer::Answer;
use super::count::Endpoint;
use super::endpoints::Asked;
use super::fault::{Active, Fault};
use super::named::named;

named! {
    /// What a server may want of its clients. By default it wants nothing: payers must show these data to everybody.
    Need {
        ClientLogin "client-login"
            "Everything below `/api` wants an access token, which the client gets by its own credentials (`grant_type=client_credentials`), its secret in the header or in the body. Coverage wants a member's.";
        ApiKey "api-key"
            "Everything below `/api` wants the API key in its header.";
    }
}

impl FromStr for Need {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        Self::named(text).ok_or_else(|| {
            Error::invalid(format!("need {text}"), "the server knows no such thing").with_candidates(Self::names())
        })
    }
}

impl Shared {
    /// What a request gets that lacks what the server wants.
    pub(super) fn unmet(&self, asked: &Asked<'_>, active: &Active) -> Option<Answer> {
        if !asked.path.starts_with("/api/") {
            return None;
        }
        let options = &self.options;
        if options.needs.contains(&Need::ApiKey) && !self.has_api_key(asked) {
            return Some(Answer::json(
                401,
                r#"{"statusCode":401,"message":"The API key is missing or wrong."}"#.to_owned(),
            ));
        }
        if !options.needs.contains(&Need::ClientLogin) || asked.endpoint == Endpoint::Coverage {
            return None;
        }
        let expire = active.meets(Fault::TokenExpiry, None, 0);
        let expired = self.grants.opens(asked.header(&header::AUTHORIZATION), self.now(), expire).err()?;
        if expired.by_fault {
            active.note(Fault::TokenExpiry);
        }
        let refused = Answer::outcome(401, "login", "An access token is needed.");
        Some(refused.with("www-authenticate", "Bearer error=\"invalid_token\""))
    }

    fn has_api_key(&self, asked: &Asked<'_>) -> bool {
        let name = HeaderName::from_bytes(self.options.api_key_header.as_bytes());
        name.is_ok_and(|name| asked.header(&name) == self.options.api_key)
    }
}
