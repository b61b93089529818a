//! Where a payer is and how to treat it: addresses, limits and manners.
//!
//! Settings come from flags, the environment and a TOML file, in this order; the same names in each
//! (`base_url`, `--base-url`, `COVERDEX_BASE_URL`). No address is written in code.

use std::path::{Path, PathBuf};
use std::time::Duration;

use coverdex_core::{Error, Result};
use serde::Deserialize;
use url::{Host, Url};

use crate::fetch::config::access::{api_key, first_named, secret_of};
use crate::fetch::private;
use crate::fetch::secret::Secret;
use crate::tiers::TierMap;

mod access;

pub use access::{ApiKey, ClientAuthentication, ClientCertificate, Tls};

/// Settings as they are given; what is not said stays open.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct Settings {
    /// The API's base address. A bare host stands for the host and `/api`, unless it answers at the root.
    #[serde(alias = "base_url")]
    pub base_url: Option<String>,
    /// Where members log in.
    #[serde(alias = "authorize_url")]
    pub authorize_url: Option<String>,
    /// Where codes, refresh tokens and the client's own credentials are exchanged for access tokens.
    #[serde(alias = "token_url")]
    pub token_url: Option<String>,
    /// The glossary's address, the leading part of the payer's coding systems.
    #[serde(alias = "glossary_url")]
    pub glossary_url: Option<String>,
    /// The redirect address as registered with the payer.
    #[serde(alias = "redirect_url")]
    pub redirect_url: Option<String>,
    /// The registered client.
    #[serde(alias = "client_id")]
    pub client_id: Option<String>,
    /// Its secret.
    #[serde(alias = "client_secret")]
    pub client_secret: Option<Secret>,
    /// A file that holds its secret and nothing else.
    #[serde(alias = "client_secret_file")]
    pub client_secret_file: Option<PathBuf>,
    /// How the client shows its secret to the token endpoint.
    #[serde(alias = "client_authentication")]
    pub client_authentication: Option<ClientAuthentication>,
    /// Whether formulary and directory are read with a token that the client gets by its own credentials. If
    /// nothing is said: where client, secret and token endpoint are named, and no place where members log in.
    #[serde(alias = "client_credentials")]
    pub client_credentials: Option<bool>,
    /// OAuth scopes, separated by blanks.
    pub scope: Option<String>,
    /// Whether a member's login carries a code challenge (PKCE).
    pub pkce: Option<bool>,
    /// Where tokens are kept.
    #[serde(alias = "token_file")]
    pub token_file: Option<PathBuf>,
    /// A key that the payer's API wants in a header.
    #[serde(alias = "api_key")]
    pub api_key: Option<Secret>,
    /// A file that holds the key and nothing else.
    #[serde(alias = "api_key_file")]
    pub api_key_file: Option<PathBuf>,
    /// The header's name.
    #[serde(alias = "api_key_header")]
    pub api_key_header: Option<String>,
    /// PEM file of certificate authorities that are trusted beside the system's.
    pub ca: Option<PathBuf>,
    /// PEM file of the certificate that the payer wants of its clients, and of what leads from it to its authority.
    #[serde(alias = "client_certificate")]
    pub client_certificate: Option<PathBuf>,
    /// PEM file of the certificate's private key; if none is named, it stands in the certificate's file.
    #[serde(alias = "client_key")]
    pub client_key: Option<PathBuf>,
    /// Requests a second to one host, or `off`.
    pub rate: Option<Rate>,
    /// Requests at a time to one host.
    pub concurrency: Option<usize>,
    /// Seconds to wait after three firewall pages in a row.
    pub pause: Option<f64>,
    /// Seconds to keep trying when the server cannot be reached, fails at everything, or asks to wait.
    pub patience: Option<f64>,
    /// Seconds without a byte after which a request is given up and made again.
    pub timeout: Option<f64>,
    /// Entries asked for in one page.
    #[serde(alias = "page_size")]
    pub page_size: Option<u32>,
    /// MiB of the largest body taken.
    #[serde(alias = "max_body")]
    pub max_body: Option<u64>,
    /// Pages of one query.
    #[serde(alias = "max_pages")]
    pub max_pages: Option<u32>,
    /// Other hosts that next links and redirects may lead to.
    #[serde(alias = "allow_host")]
    pub allow_host: Vec<String>,
    /// Whether plain http is allowed beyond this machine.
    #[serde(alias = "allow_http")]
    pub allow_http: Option<bool>,
    /// Added to the User-Agent, so that the payer knows whom to write to.
    pub contact: Option<String>,
    /// What the payer's tiers mean, where code and words do not tell: the table `[tiers]`.
    pub tiers: TierMap,
}

/// Requests a second.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Rate {
    /// So many.
    PerSecond(f64),
    /// As many as the concurrency allows.
    Off,
}

impl std::str::FromStr for Rate {
    type Err = Error;

    /// A number above zero, or `off`.
    fn from_str(text: &str) -> Result<Self> {
        if text.trim().eq_ignore_ascii_case("off") {
            return Ok(Self::Off);
        }
        match text.trim().parse() {
            Ok(rate) if rate > 0.0 && f64::is_finite(rate) => Ok(Self::PerSecond(rate)),
            _ => Err(Error::invalid(format!("rate {text:?}"), "a rate is a number of requests a second, or `off`")),
        }
    }
}

impl<'de> Deserialize<'de> for Rate {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> std::result::Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(untagged)]
        enum Written {
            Number(f64),
            Text(String),
        }
        let text = match Written::deserialize(deserializer)? {
            Written::Number(number) => number.to_string(),
            Written::Text(text) => text,
        };
        text.parse().map_err(serde::de::Error::custom)
    }
}

impl Settings {
    /// Reads a TOML file's text; `name` is for errors.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidInput`](coverdex_core::ErrorKind::InvalidInput) naming the key or line.
    pub fn from_toml(text: &str, name: &str) -> Result<Self> {
        toml::from_str(text).map_err(|error| Error::invalid(format!("settings file {name}"), error.message()))
    }

    /// Reads a TOML file. One that holds a secret must be for its owner alone.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidInput`](coverdex_core::ErrorKind::InvalidInput) naming the file, and the key or line;
    /// [`ErrorKind::Io`](coverdex_core::ErrorKind::Io) if it cannot be read.
    pub fn from_file(path: &Path) -> Result<Self> {
        const WHAT: &str = "settings file";
        let mut opened = private::read(path, WHAT)?;
        let text = private::text(std::mem::take(&mut opened.bytes), path, WHAT)?;
        let settings = Self::from_toml(&text, &path.display().to_string())?;
        if settings.client_secret.is_some() || settings.api_key.is_some() {
            opened.refuse_if_open(path, WHAT)?;
        }
        Ok(settings)
    }

    /// Reads `COVERDEX_…` variables through `get`.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidInput`](coverdex_core::ErrorKind::InvalidInput) naming the variable.
    pub fn from_environment(get: impl Fn(&str) -> Option<String>) -> Result<Self> {
        fn read<T: std::str::FromStr>(name: &str, value: Option<String>) -> Result<Option<T>> {
            value
                .map(|v| v.trim().parse().map_err(|_| Error::invalid(format!("variable {name}"), "it cannot be read")))
                .transpose()
        }
        macro_rules! variable {
            ($name:literal) => {
                read(concat!("COVERDEX_", $name), get(concat!("COVERDEX_", $name)).filter(|v| !v.trim().is_empty()))?
            };
        }
        let secret = |name: &str| get(name).filter(|text| !text.trim().is_empty()).map(Secret::new);
        Ok(Self {
            base_url: variable!("BASE_URL"),
            authorize_url: variable!("AUTHORIZE_URL"),
            token_url: variable!("TOKEN_URL"),
            glossary_url: variable!("GLOSSARY_URL"),
            redirect_url: variable!("REDIRECT_URL"),
            client_id: variable!("CLIENT_ID"),
            client_secret: secret("COVERDEX_CLIENT_SECRET"),
            client_secret_file: variable!("CLIENT_SECRET_FILE"),
            client_authentication: variable!("CLIENT_AUTHENTICATION"),
            client_credentials: variable!("CLIENT_CREDENTIALS"),
            scope: variable!("SCOPE"),
            pkce: variable!("PKCE"),
            token_file: variable!("TOKEN_FILE"),
            api_key: secret("COVERDEX_API_KEY"),
            api_key_file: variable!("API_KEY_FILE"),
            api_key_header: variable!("API_KEY_HEADER"),
            ca: variable!("CA"),
            client_certificate: variable!("CLIENT_CERTIFICATE"),
            client_key: variable!("CLIENT_KEY"),
            rate: variable!("RATE"),
            concurrency: variable!("CONCURRENCY"),
            pause: variable!("PAUSE"),
            patience: variable!("PATIENCE"),
            timeout: variable!("TIMEOUT"),
            page_size: variable!("PAGE_SIZE"),
            max_body: variable!("MAX_BODY"),
            max_pages: variable!("MAX_PAGES"),
            allow_host: get("COVERDEX_ALLOW_HOST")
                .map(|v| v.split([',', ' ']).filter(|h| !h.is_empty()).map(str::to_owned).collect())
                .unwrap_or_default(),
            allow_http: variable!("ALLOW_HTTP"),
            contact: variable!("CONTACT"),
            tiers: TierMap::default(),
        })
    }

    /// These settings, and `other` where they say nothing. Hosts allowed add up, and so do tiers.
    #[must_use]
    pub fn or(self, other: Self) -> Self {
        let mut allow_host = self.allow_host;
        allow_host.extend(other.allow_host);
        let (client_secret, client_secret_file) =
            first_named((self.client_secret, self.client_secret_file), (other.client_secret, other.client_secret_file));
        let (api_key, api_key_file) =
            first_named((self.api_key, self.api_key_file), (other.api_key, other.api_key_file));
        // A key and its certificate belong together.
        let (client_certificate, client_key) =
            first_named((self.client_certificate, self.client_key), (other.client_certificate, other.client_key));
        Self {
            base_url: self.base_url.or(other.base_url),
            authorize_url: self.authorize_url.or(other.authorize_url),
            token_url: self.token_url.or(other.token_url),
            glossary_url: self.glossary_url.or(other.glossary_url),
            redirect_url: self.redirect_url.or(other.redirect_url),
            client_id: self.client_id.or(other.client_id),
            client_secret,
            client_secret_file,
            client_authentication: self.client_authentication.or(other.client_authentication),
            client_credentials: self.client_credentials.or(other.client_credentials),
            scope: self.scope.or(other.scope),
            pkce: self.pkce.or(other.pkce),
            token_file: self.token_file.or(other.token_file),
            api_key,
            api_key_file,
            api_key_header: self.api_key_header.or(other.api_key_header),
            ca: self.ca.or(other.ca),
            client_certificate,
            client_key,
            rate: self.rate.or(other.rate),
            concurrency: self.concurrency.or(other.concurrency),
            pause: self.pause.or(other.pause),
            patience: self.patience.or(other.patience),
            timeout: self.timeout.or(other.timeout),
            page_size: self.page_size.or(other.page_size),
            max_body: self.max_body.or(other.max_body),
            max_pages: self.max_pages.or(other.max_pages),
            allow_host,
            allow_http: self.allow_http.or(other.allow_http),
            contact: self.contact.or(other.contact),
            tiers: self.tiers.or(other.tiers),
        }
    }

    /// Checks them, reads the secrets that stand in files of their own, and fills in the defaults.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidInput`](coverdex_core::ErrorKind::InvalidInput) naming the setting or the file.
    pub fn check(self) -> Result<Config> {
        let allow_http = self.allow_http.unwrap_or(false);
        let address =
            |name: &str, text: Option<String>| text.map(|text| checked_address(name, &text, allow_http)).transpose();
        let base = address("base-url", self.base_url)?.ok_or_else(|| {
            Error::invalid("base-url", "the payer's address is missing")
                .with_hint("give base-url as https://HOST/PATH, here or in the settings file")
        })?;
        let contact = self.contact.map(|c| format!("; {}", c.trim())).unwrap_or_default();
        let user_agent = format!("Coverdex/{} (formulary and directory sync{contact})", env!("CARGO_PKG_VERSION"));
        if !user_agent.bytes().all(|b| (0x20..0x7F).contains(&b)) {
            return Err(Error::invalid("contact", "only plain ASCII letters may stand in it"));
        }
        let authorize = address("authorize-url", self.authorize_url)?;
        let token = address("token-url", self.token_url)?;
        let client_secret = secret_of("client-secret-file", self.client_secret, self.client_secret_file)?;
        if self.client_credentials == Some(true) {
            for (name, is_set) in [
                ("client-id", self.client_id.is_some()),
                ("client-secret", client_secret.is_some()),
                ("token-url", token.is_some()),
            ] {
                if !is_set {
                    return Err(Error::invalid(name, "client-credentials is set and needs it"));
                }
            }
        }
        let can_log_in = self.client_id.is_some() && client_secret.is_some() && token.is_some();
        let client_login = self.client_credentials.unwrap_or(can_log_in && authorize.is_none());
        Ok(Config {
            base,
            authorize,
            token,
            glossary: self.glossary_url,
            // The redirect address is the registered application's, often http on this machine or a
            // scheme of its own: it is only compared, and nothing is ever sent to it.
            redirect: self
                .redirect_url
                .map(|text| {
                    Url::parse(&text).map_err(|e| Error::invalid(format!("redirect-url {text:?}"), e.to_string()))
                })
                .transpose()?,
            client_id: self.client_id,
            client_secret,
            client_authentication: self.client_authentication,
            client_login,
            scope: self.scope,
            pkce: self.pkce.unwrap_or(true),
            token_file: self.token_file,
            api_key: api_key(secret_of("api-key-file", self.api_key, self.api_key_file)?, self.api_key_header)?,
            tls: Tls::checked(self.ca, self.client_certificate, self.client_key)?,
            rate: self.rate.unwrap_or(Rate::PerSecond(4.0)),
            concurrency: ranged("concurrency", self.concurrency, 2, 1..=64)?,
            pause: seconds("pause", self.pause, 300.0)?,
            patience: seconds("patience", self.patience, 900.0)?,
            timeout: seconds("timeout", self.timeout, 60.0)?,
            page_size: ranged("page-size", self.page_size, 100, 1..=1000)?,
            max_body: ranged("max-body", self.max_body, 64, 1..=1024)? << 20,
            max_pages: ranged("max-pages", self.max_pages, 2_000_000, 1..=u32::MAX)?,
            allow_hosts: self.allow_host.iter().map(|h| h.trim().to_ascii_lowercase()).collect(),
            allow_http,
            user_agent,
            tiers: self.tiers,
        })
    }
}

/// Settings, checked.
#[derive(Clone, Debug)]
pub struct Config {
    /// The API's base address, without a trailing slash.
    pub base: Url,
    /// Where members log in.
    pub authorize: Option<Url>,
    /// Where codes, refresh tokens and the client's own credentials are exchanged for access tokens.
    pub token: Option<Url>,
    /// The glossary's address.
    pub glossary: Option<String>,
    /// The redirect address as registered.
    pub redirect: Option<Url>,
    /// The registered client.
    pub client_id: Option<String>,
    /// Its secret.
    pub client_secret: Option<Secret>,
    /// How the client shows its secret; if nothing is said, by whichever way the server takes.
    pub client_authentication: Option<ClientAuthentication>,
    /// Whether formulary and directory are read with a token that the client gets by its own credentials.
    pub client_login: bool,
    /// OAuth scopes.
    pub scope: Option<String>,
    /// Whether a member's login carries a code challenge (PKCE).
    pub pkce: bool,
    /// Where tokens are kept.
    pub token_file: Option<PathBuf>,
    /// The key that the payer's API wants in a header.
    pub api_key: Option<ApiKey>,
    /// Certificates beyond the system's.
    pub tls: Tls,
    /// Requests a second to one host.
    pub rate: Rate,
    /// Requests at a time to one host.
    pub concurrency: usize,
    /// The wait after three firewall pages in a row.
    pub pause: Duration,
    /// How long to keep trying when the server cannot be reached or asks to wait.
    pub patience: Duration,
    /// How long a request may stay without a byte.
    pub timeout: Duration,
    /// Entries asked for in one page.
    pub page_size: u32,
    /// Bytes of the largest body taken, unpacked.
    pub max_body: u64,
    /// Pages of one query.
    pub max_pages: u32,
    /// Other hosts allowed, `host` or `host:port`, in lower case.
    pub allow_hosts: Vec<String>,
    /// Whether plain http is allowed beyond this machine.
    pub allow_http: bool,
    /// The User-Agent.
    pub user_agent: String,
    /// What the payer's tiers mean.
    pub tiers: TierMap,
}

/// Redirects followed for one request.
pub(crate) const MAX_REDIRECTS: usize = 5;
/// Objects and lists inside one another: FHIR resources of the guides stay below 20.
pub(crate) const MAX_DEPTH: usize = 64;

impl Config {
    /// Whether a request may go to an address: the base's host and port or an allowed host, and
    /// https where it is not this machine.
    ///
    /// # Errors
    /// The reason, fit to stand behind what led there.
    pub(crate) fn may_ask(&self, url: &Url) -> Result<(), String> {
        if !matches!(url.scheme(), "https" | "http") {
            return Err(format!("no web address, with the scheme {:?}", url.scheme()));
        }
        let host = host_and_port(url);
        let named = |name: &String| *name == host || Some(name.as_str()) == url.host_str();
        if host != host_and_port(&self.base) && !self.allow_hosts.iter().any(named) {
            return Err(format!("another host, {host}: allow it with allow-host {host} if it is the payer's"));
        }
        secure(url, self.allow_http)
    }
}

impl Config {
    /// Whether an address is on the payer's own host, where tokens and keys may go: on no other, also if it is
    /// allowed for next links and redirects.
    pub(crate) fn is_own(&self, url: &Url) -> bool {
        url.scheme() == self.base.scheme() && host_and_port(url) == host_and_port(&self.base)
    }
}

/// `host:port`, in lower case, the port always stated.
pub(crate) fn host_and_port(url: &Url) -> String {
    format!("{}:{}", url.host_str().unwrap_or_default(), url.port_or_known_default().unwrap_or_default())
}

/// Whether an address is this machine.
pub(crate) fn is_loopback(url: &Url) -> bool {
    match url.host() {
        Some(Host::Ipv4(ip)) => ip.is_loopback(),
        Some(Host::Ipv6(ip)) => ip.is_loopback(),
        Some(Host::Domain(name)) => name == "localhost" || name.ends_with(".localhost"),
        None => false,
    }
}

fn secure(url: &Url, allow_http: bool) -> Result<(), String> {
    match url.scheme() {
        "https" => Ok(()),
        "http" if allow_http || is_loopback(url) => Ok(()),
        "http" => Err("plain http: use https, or allow-http if the server has nothing else".to_owned()),
        other => Err(format!("the scheme {other:?}")),
    }
}

fn checked_address(name: &str, text: &str, allow_http: bool) -> Result<Url> {
    let invalid = |why: String| Error::invalid(format!("{name} {text:?}"), why);
    let mut url = Url::parse(text.trim())
        .map_err(|e| invalid(e.to_string()).with_hint("write it in full, such as https://fhir.example.com/api"))?;
    if url.host_str().is_none_or(str::is_empty) {
        return Err(invalid("it names no host".to_owned()));
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Err(Error::invalid(name, "a user name or password may not stand in an address"));
    }
    if url.query().is_some() || url.fragment().is_some() {
        return Err(invalid("it has a query or fragment".to_owned()));
    }
    secure(&url, allow_http).map_err(invalid)?;
    let path = url.path().trim_end_matches('/').to_owned();
    url.set_path(&path);
    Ok(url)
}

fn seconds(name: &str, value: Option<f64>, default: f64) -> Result<Duration> {
    Duration::try_from_secs_f64(value.unwrap_or(default))
        .map_err(|_| Error::invalid(name, "it is a number of seconds, zero or more"))
}

fn ranged<T: Copy + PartialOrd + std::fmt::Display>(
    name: &str,
    value: Option<T>,
    default: T,
    range: std::ops::RangeInclusive<T>,
) -> Result<T> {
    let value = value.unwrap_or(default);
    if range.contains(&value) {
        return Ok(value);
    }
    Err(Error::invalid(format!("{name} {value}"), format!("it is from {} to {}", range.start(), range.end())))
}

#[cfg(test)]
mod tests;
