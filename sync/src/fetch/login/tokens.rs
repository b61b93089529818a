//! The token file: readable by its owner only, replaced as a whole, one for each payer.

use std::fs::{self, File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};

use coverdex_core::{Error, ErrorKind, Result};
use fs4::FileExt;
use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use url::Url;

use crate::fetch::config::Config;
use crate::fetch::login::endpoint::{TokenEndpoint, Tokens};
use crate::fetch::private;
use crate::fetch::secret::Secret;

/// Before its end an access token is renewed so much earlier.
const EARLY: SignedDuration = SignedDuration::from_secs(60);

/// Letters of a payer's address that its file's name shows.
const SHOWN: usize = 60;

/// Bytes of the address's hash that tell one file's name from another.
const HASHED: usize = 8;

/// Where a member's tokens are kept.
#[derive(Clone, Debug)]
pub struct TokenFile {
    path: PathBuf,
    base: String,
    token_url: String,
    /// The folder holds token files alone, and is its owner's alone.
    is_in_own_folder: bool,
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

/// What a file is that stands where tokens are to be kept.
enum Found {
    Tokens(Stored),
    /// A token file that broke.
    Broken,
    /// Something that nobody wrote here.
    Foreign,
}

impl Found {
    fn of(bytes: &[u8]) -> Self {
        match serde_json::from_slice(bytes) {
            Ok(stored) => Self::Tokens(stored),
            Err(error) if error.is_data() => Self::Foreign,
            Err(_) if bytes.first().is_none_or(|first| *first == b'{') => Self::Broken,
            Err(_) => Self::Foreign,
        }
    }
}

impl TokenFile {
    /// The file for a payer.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidInput`] if the settings name no token endpoint.
    pub fn new(path: impl Into<PathBuf>, config: &Config) -> Result<Self> {
        let token_url = config.token.as_ref().ok_or_else(|| Error::invalid("token-url", "it is not set"))?;
        Ok(Self {
            path: path.into(),
            base: config.base.to_string(),
            token_url: token_url.to_string(),
            is_in_own_folder: false,
        })
    }

    /// The file for a payer in a folder of token files: each payer has one of its own, by its base address. Tokens of
    /// this payer that stand under the name of its host alone, as they once did, are taken over.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidInput`] if the settings name no token endpoint, [`ErrorKind::Io`] if former tokens cannot
    /// be moved.
    pub fn in_folder(folder: &Path, config: &Config) -> Result<Self> {
        let file = Self { is_in_own_folder: true, ..Self::new(folder.join(file_name(&config.base)), config)? };
        let former = folder.join(former_file_name(&config.base));
        if file.is_of_this_payer(&former) && !file.path.exists() {
            let _lock = file.lock()?;
            // Another process may have moved or replaced it meanwhile.
            if file.is_of_this_payer(&former) && !file.path.exists() {
                fs::rename(&former, &file.path).map_err(|e| Error::io(&former, &e))?;
            }
        }
        Ok(file)
    }

    fn is_of_this_payer(&self, path: &Path) -> bool {
        let bytes = fs::read(path).unwrap_or_default();
        matches!(Found::of(&bytes), Found::Tokens(stored) if stored.base == self.base)
    }

    /// Where it is.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    fn error(&self, message: &str) -> Error {
        Error::new(ErrorKind::Sync, private::subject(&self.path, "token file"), message)
    }

    /// The tokens; `None` where nobody is logged in.
    ///
    /// # Errors
    /// [`ErrorKind::Sync`] if they belong to another payer, cannot be read, or others may use the file.
    pub fn load(&self) -> Result<Option<Tokens>> {
        let opened = match private::open(&self.path) {
            Ok(opened) => opened,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(Error::io(&self.path, &error)),
        };
        let again = |message: &str| self.error(message).with_hint("log in again");
        if let Some(mode) = opened.open_to_others {
            let hint = format!("run `chmod 600 {}` if nobody did, else log out and in again", self.path.display());
            return Err(self.error(&format!("others may use it (mode {mode:04o})")).with_hint(hint));
        }
        // No part of the text is shown: it is secret.
        let Found::Tokens(stored) = Found::of(&opened.bytes) else { return Err(again("it cannot be read")) };
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

    /// Refuses to replace or remove what is not this payer's: another's tokens, or no tokens at all. To be called
    /// before a member is sent to log in, whose tokens would then have no place.
    ///
    /// # Errors
    /// [`ErrorKind::Sync`] if something else stands there.
    pub fn check_place(&self) -> Result<()> {
        let bytes = match fs::read(&self.path) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(()),
            Err(error) => return Err(Error::io(&self.path, &error)),
        };
        match Found::of(&bytes) {
            Found::Tokens(stored) if stored.base != self.base => Err(self
                .error("its tokens belong to another payer")
                .with_hint("name another file with token-file, or none: then each payer has its own")),
            Found::Tokens(_) | Found::Broken => Ok(()),
            Found::Foreign => Err(self.error("this is no token file").with_hint("name another file with token-file")),
        }
    }

    /// Keeps tokens in place of the payer's former ones.
    ///
    /// # Errors
    /// [`ErrorKind::Sync`] if the file is another payer's, [`ErrorKind::Io`] if it cannot be written.
    pub fn save(&self, tokens: &Tokens) -> Result<()> {
        self.make_folder().map_err(|e| Error::io(self.folder(), &e))?;
        let _lock = self.lock()?;
        self.replace(tokens)
    }

    /// As [`save`](Self::save), under the lock.
    fn replace(&self, tokens: &Tokens) -> Result<()> {
        self.check_place()?;
        let io = |e: std::io::Error| Error::io(&self.path, &e);
        let stored = Stored {
            base: self.base.clone(),
            token_url: self.token_url.clone(),
            access_token: tokens.access.reveal().to_owned(),
            refresh_token: tokens.refresh.as_ref().map(|t| t.reveal().to_owned()),
            expires: tokens.expires.to_string(),
        };
        // A temporary file is made for its owner only, before anything is in it.
        let mut file = tempfile::Builder::new().prefix(".coverdex-").tempfile_in(self.folder()).map_err(io)?;
        file.write_all(&serde_json::to_vec(&stored).map_err(|e| io(e.into()))?).map_err(io)?;
        file.as_file().sync_all().map_err(io)?;
        file.persist(&self.path).map_err(|e| io(e.error))?;
        Ok(())
    }

    /// Makes the folder, for its owner alone; one that was there and holds token files alone becomes so.
    fn make_folder(&self) -> std::io::Result<()> {
        let mut folder = fs::DirBuilder::new();
        folder.recursive(true);
        #[cfg(unix)]
        {
            use std::os::unix::fs::{DirBuilderExt as _, PermissionsExt as _};
            folder.mode(0o700).create(self.folder())?;
            if self.is_in_own_folder && fs::metadata(self.folder())?.permissions().mode() & 0o077 != 0 {
                fs::set_permissions(self.folder(), fs::Permissions::from_mode(0o700))?;
            }
            Ok(())
        }
        #[cfg(not(unix))]
        folder.create(self.folder())
    }

    /// Forgets the payer's tokens. True if there were any.
    ///
    /// # Errors
    /// [`ErrorKind::Sync`] if the file is another payer's, which stays, [`ErrorKind::Io`] if it cannot be removed.
    pub fn forget(&self) -> Result<bool> {
        if !self.path.exists() {
            return Ok(false);
        }
        let _lock = self.lock()?;
        self.check_place()?;
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
        self.replace(&tokens)?;
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

/// The name of a payer's token file: as much of its address as people know it by, and a hash of all of it.
fn file_name(base: &Url) -> String {
    let port = base.port().map(|port| format!("-{port}")).unwrap_or_default();
    let shown = format!("{}{port}{}", base.host_str().unwrap_or_default(), base.path());
    let shown: String = shown.trim_end_matches('/').chars().map(plain).take(SHOWN).collect();
    let hash = Sha256::digest(base.as_str());
    let hash: String = hash.iter().take(HASHED).map(|byte| format!("{byte:02x}")).collect();
    format!("login-{shown}-{hash}.json")
}

/// The name by the host alone.
fn former_file_name(base: &Url) -> String {
    let host: String = base.host_str().unwrap_or_default().chars().map(plain).collect();
    let port = base.port().map(|port| format!("-{port}")).unwrap_or_default();
    format!("login-{host}{port}.json")
}

fn plain(c: char) -> char {
    match c {
        '/' => '-',
        c if c.is_ascii_alphanumeric() || c == '.' || c == '-' => c,
        _ => '_',
    }
}

#[cfg(test)]
mod tests;
