//! Whether a payer is there at all.

use std::time::Duration;

use coverdex_core::{Error, ErrorKind, Result};
use url::Url;

use super::transport::{Ask, SendError, Transport};
use crate::fetch::config::Config;

/// How often a payer is asked for a first sign, and what is waited in between.
const ATTEMPTS: u32 = 5;
const BETWEEN_ATTEMPTS: Duration = Duration::from_millis(300);

/// Asks a payer for anything at all, and its token endpoint if the client logs in there: a wrong address is said
/// at once, and not when patience has run out.
///
/// # Errors
/// [`ErrorKind::Sync`] if no server is there.
pub async fn reach(config: &Config, network: &dyn Transport) -> Result<()> {
    let mut url = config.base.clone();
    url.set_path(&format!("{}/metadata", url.path().trim_end_matches('/')));
    answers(url, format!("base-url {}", config.base), network).await?;
    match config.token.clone().filter(|_| config.client_login) {
        Some(url) => answers(url.clone(), format!("token-url {url}"), network).await,
        None => Ok(()),
    }
}

async fn answers(url: Url, subject: String, network: &dyn Transport) -> Result<()> {
    let ask = Ask { url, accept: "application/json", unpacked: false, etag: None, bearer: None };
    let mut last = String::new();
    for _ in 0..ATTEMPTS {
        match network.get(ask.clone()).await {
            Err(SendError::Unreachable(why)) => last = why,
            _ => return Ok(()),
        }
        tokio::time::sleep(BETWEEN_ATTEMPTS).await;
    }
    let message = format!("the server cannot be reached: {last}");
    Err(Error::new(ErrorKind::Sync, subject, message)
        .with_hint("check the address, and whether this machine is online"))
}
