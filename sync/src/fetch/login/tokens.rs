//! The token file: readable by its owner only, replaced as a whole, bound to one payer.

use std::fs::{self, File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};

use coverdex_core::{Error, ErrorKind, Result};
use fs4::FileExt;
use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};

use crate::fetch::config::Config;
use crate::fetch::login::oauth::{TokenEndpoint, Tokens};
use crate::fetch::secret::Secret;

/// Before its end an access token is renewed so much earlier.
const EARLY: SignedDuration = SignedDuration::from_secs(60);

/// Where a member's tokens are kept.
#[derive(Clone, Debug)]
pub struct TokenFile {
    path: PathBuf,
    base: String,
    token_url: String,
}

#[derive(Serialize, Deserialize)]
struct Stored {
    /// The payer that the tokens belong to.
    base: String,
    token_url: String,
    access_token: String,
    refresh_token: Option<String>,
    expires: String,
}

impl TokenFile {
    /// The file for a payer.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidInput`] if the settings name no token endpoint.
    pub fn new(path: impl Into<PathBuf>, config: &Config) -> Result<Self> {
        let token_url = config.token.as_ref().ok_or_else(|| Error::invalid("token-url", "it is not set"))?;
        Ok(Self { path: path.into(), base: config.base.to_string(), token_url: token_url.to_string() })
    }

    /// The tokens; `None` where nobody is logged in.
    ///
    /// # Errors
    /// [`ErrorKind::Sync`] if they belong to another payer or cannot be read.
    pub fn load(&self) -> Result<Option<Tokens>> {
        let text = match fs::read(&self.path) {
            Ok(text) => text,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(Error::io(&self.path, &error)),
        };
        let again = |message: &str| {
            Error::new(ErrorKind::Sync, format!("token file {}", self.path.display()), message)
                .with_hint("log in again")
        };
        self.check_is_private()?;
        // No part of the text is shown: it is secret.
        let stored: Stored = serde_json::from_slice(&text).map_err(|_| again("it cannot be read"))?;
        if stored.base != self.base || stored.token_url != self.token_url {
            return Err(again("its tokens belong to another payer"));
        }
        let expires = stored.expires.parse().map_err(|_| again("it cannot be read"))?;
        Ok(Some(Tokens {
            access: Secret::new(stored.access_token),
            refresh: stored.refresh_token.map(Secret::new),
            expires,
        }))
    }

    /// Refuses a file that others may read or change, where the system can tell.
    #[cfg(unix)]
    fn check_is_private(&self) -> Result<()> {
        use std::os::unix::fs::PermissionsExt as _;
        let mode = fs::metadata(&self.path).map_err(|e| Error::io(&self.path, &e))?.permissions().mode() & 0o777;
        let of_others = mode & 0o077;
        if of_others == 0 {
            return Ok(());
        }
        let path = self.path.display();
        Err(Error::new(ErrorKind::Sync, format!("token file {path}"), format!("others may use it (mode {mode:04o})"))
            .with_hint(format!("run `chmod 600 {path}` if nobody did, else log out and in again")))
    }

    #[cfg(not(unix))]
    #[allow(clippy::unused_self, clippy::unnecessary_wraps, reason = "other systems have other rules")]
    fn check_is_private(&self) -> Result<()> {
        Ok(())
    }

    /// Keeps tokens in place of the former ones.
    pub fn save(&self, tokens: &Tokens) -> Result<()> {
        let io = |e: std::io::Error| Error::io(&self.path, &e);
        let folder = self.folder();
        fs::create_dir_all(folder).map_err(io)?;
        let stored = Stored {
            base: self.base.clone(),
            token_url: self.token_url.clone(),
            access_token: tokens.access.reveal().to_owned(),
            refresh_token: tokens.refresh.as_ref().map(|t| t.reveal().to_owned()),
            expires: tokens.expires.to_string(),
        };
        // A temporary file is made for its owner only, before anything is in it.
        let mut file = tempfile::Builder::new().prefix(".coverdex-").tempfile_in(folder).map_err(io)?;
        file.write_all(&serde_json::to_vec(&stored).map_err(|e| io(e.into()))?).map_err(io)?;
        file.as_file().sync_all().map_err(io)?;
        file.persist(&self.path).map_err(|e| io(e.error))?;
        Ok(())
    }

    /// Forgets the tokens. True if there were any.
    pub fn forget(&self) -> Result<bool> {
        match fs::remove_file(&self.path) {
            Ok(()) => Ok(true),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(false),
            Err(error) => Err(Error::io(&self.path, &error)),
        }
    }

    /// An access token that still holds, renewed if need be; `renew` renews it in any case.
    ///
    /// # Errors
    /// [`ErrorKind::Sync`] if nobody is logged in or the server refuses.
    pub async fn access(&self, endpoint: &TokenEndpoint, now: Timestamp, renew: bool) -> Result<Secret> {
        let not_logged_in = || Error::new(ErrorKind::Sync, "login", "nobody is logged in").with_hint("log in first");
        let before = self.load()?.ok_or_else(not_logged_in)?;
        if !renew && before.expires.duration_since(now) > EARLY {
            return Ok(before.access);
        }
        // A refresh token works once: two processes must not use the same.
        let _lock = self.lock()?;
        let tokens = self.load()?.ok_or_else(not_logged_in)?;
        if tokens.access != before.access {
            return Ok(tokens.access); // another process was faster
        }
        let Some(refresh) = tokens.refresh else {
            return Err(Error::new(ErrorKind::Sync, "login", "it has ended").with_hint("log in again"));
        };
        let tokens = endpoint.refresh(&refresh, now).await?;
        self.save(&tokens)?;
        Ok(tokens.access)
    }

    fn lock(&self) -> Result<File> {
        let mut path = self.path.clone().into_os_string();
        path.push(".lock");
        let path = PathBuf::from(path);
        let file = OpenOptions::new().create(true).truncate(false).write(true).open(&path);
        let file = file.map_err(|e| Error::io(&path, &e))?;
        FileExt::lock(&file).map_err(|e| Error::io(&path, &e))?;
        Ok(file)
    }

    fn folder(&self) -> &Path {
        self.path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."))
    }
}
