//! Where a payer is and how to treat it, as it is typed.

use std::path::PathBuf;

use clap::{Args, ValueHint};
use coverdex_sync::fetch::{ClientAuthentication, Rate, Settings};

/// A payer's address and the manners towards it. What is not said here is taken from the environment,
/// then from the settings file, then from the engine's defaults.
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct PayerArgs {
    /// The payer's API, in full, such as <https://fhir.example.com/api>
    #[arg(long, value_name = "URL", value_hint = ValueHint::Url)]
    pub(crate) base_url: Option<String>,
    /// Settings file (TOML) with the same names as these options
    #[arg(long, env = "COVERDEX_CONFIG", value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) config: Option<PathBuf>,
    /// Requests a second, or `off` [default: 4]
    #[arg(long, value_name = "N|off", help_heading = MANNERS)]
    pub(crate) rate: Option<Rate>,
    /// Requests at a time [default: 2]
    #[arg(long, value_name = "N", help_heading = MANNERS)]
    pub(crate) concurrency: Option<usize>,
    /// Seconds to wait after three firewall pages in a row [default: 300]
    #[arg(long, value_name = "SECONDS", help_heading = MANNERS)]
    pub(crate) pause: Option<f64>,
    /// Seconds to keep trying while the server is gone, fails at everything, or asks to wait [default: 900]
    #[arg(long, value_name = "SECONDS", help_heading = MANNERS)]
    pub(crate) patience: Option<f64>,
    /// Seconds without a byte after which a request is made again [default: 60]
    #[arg(long, value_name = "SECONDS", help_heading = MANNERS)]
    pub(crate) timeout: Option<f64>,
    /// Entries to ask for in a page [default: 100]
    #[arg(long, value_name = "N", help_heading = MANNERS)]
    pub(crate) page_size: Option<u32>,
    /// MiB of the largest answer taken [default: 64]
    #[arg(long, value_name = "MIB", help_heading = MANNERS)]
    pub(crate) max_body: Option<u64>,
    /// Pages of one query at most [default: 2000000]
    #[arg(long, value_name = "N", help_heading = MANNERS)]
    pub(crate) max_pages: Option<u32>,
    /// Another host that next links and redirects may lead to; may be given several times
    #[arg(long, value_name = "HOST", help_heading = MANNERS)]
    pub(crate) allow_host: Vec<String>,
    /// Allow plain http beyond this machine
    #[arg(long, help_heading = MANNERS)]
    pub(crate) allow_http: bool,
    /// An address that is added to the User-Agent, so that the payer knows whom to write to
    #[arg(long, value_name = "TEXT", help_heading = MANNERS)]
    pub(crate) contact: Option<String>,
    #[command(flatten)]
    pub(crate) access: AccessArgs,
}

const MANNERS: &str = "Manners";

/// What a payer wants of its clients before it answers. No secret is an option: others can see options.
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct AccessArgs {
    /// Where access tokens are given out
    #[arg(long, help_heading = ACCESS, value_name = "URL", value_hint = ValueHint::Url)]
    pub(crate) token_url: Option<String>,
    /// The registered client. Its secret is read from COVERDEX_CLIENT_SECRET, --client-secret-file or the
    /// settings file
    #[arg(long, help_heading = ACCESS, value_name = "ID")]
    pub(crate) client_id: Option<String>,
    /// File that holds the client's secret and nothing else, for you alone
    #[arg(long, help_heading = ACCESS, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) client_secret_file: Option<PathBuf>,
    /// Where the secret stands in requests for a token: `basic` (a header) or `body` [default: whichever is taken]
    #[arg(long, help_heading = ACCESS, value_name = "HOW")]
    pub(crate) client_authentication: Option<ClientAuthentication>,
    /// Whether drug lists and directory are read with a token that the client gets by its own credentials
    /// [default: if --token-url, --client-id and a secret are set, and --authorize-url is not]
    #[arg(long, help_heading = ACCESS, value_name = "true|false", num_args = 0..=1, require_equals = true, default_missing_value = "true")]
    pub(crate) client_credentials: Option<bool>,
    /// OAuth scopes, separated by blanks
    #[arg(long, help_heading = ACCESS, value_name = "SCOPES")]
    pub(crate) scope: Option<String>,
    /// File that holds the API key and nothing else, for you alone; COVERDEX_API_KEY and the settings file may
    /// hold it too
    #[arg(long, help_heading = ACCESS, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) api_key_file: Option<PathBuf>,
    /// The header that the API key stands in [default: X-API-Key]
    #[arg(long, help_heading = ACCESS, value_name = "NAME")]
    pub(crate) api_key_header: Option<String>,
    /// Certificate authorities to trust beside the system's (PEM)
    #[arg(long, help_heading = ACCESS, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) ca: Option<PathBuf>,
    /// The certificate that the payer wants of its clients (PEM)
    #[arg(long, help_heading = ACCESS, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) client_certificate: Option<PathBuf>,
    /// Its private key, for you alone (PEM) [default: it stands in the certificate's file]
    #[arg(long, help_heading = ACCESS, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) client_key: Option<PathBuf>,
}

const ACCESS: &str = "Access";

/// How a member logs in.
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct ClientArgs {
    /// Where members log in
    #[arg(long, value_name = "URL", value_hint = ValueHint::Url)]
    pub(crate) authorize_url: Option<String>,
    /// The redirect address as registered with the payer
    #[arg(long, value_name = "URL", value_hint = ValueHint::Url)]
    pub(crate) redirect_url: Option<String>,
    /// Whether the login carries a code challenge (PKCE); a payer that refuses one may need false [default: true]
    #[arg(long, value_name = "true|false")]
    pub(crate) pkce: Option<bool>,
    /// Where tokens are kept, readable by you alone [default: a file for each payer in
    /// your settings folder]
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) token_file: Option<PathBuf>,
}

/// `coverdex login`.
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct LoginArgs {
    #[command(flatten)]
    pub(crate) payer: PayerArgs,
    #[command(flatten)]
    pub(crate) client: ClientArgs,
    /// Print the address to log in at, and read the one that the browser ends at
    #[arg(long)]
    pub(crate) no_browser: bool,
}

/// `coverdex logout` and `coverdex my-plans`.
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct MemberArgs {
    #[command(flatten)]
    pub(crate) payer: PayerArgs,
    #[command(flatten)]
    pub(crate) client: ClientArgs,
}

impl PayerArgs {
    pub(crate) fn settings(&self) -> Settings {
        Settings {
            base_url: self.base_url.clone(),
            rate: self.rate,
            concurrency: self.concurrency,
            pause: self.pause,
            patience: self.patience,
            timeout: self.timeout,
            page_size: self.page_size,
            max_body: self.max_body,
            max_pages: self.max_pages,
            allow_host: self.allow_host.clone(),
            allow_http: self.allow_http.then_some(true),
            contact: self.contact.clone(),
            ..Settings::default()
        }
        .or(self.access.settings())
    }
}

impl AccessArgs {
    fn settings(&self) -> Settings {
        Settings {
            token_url: self.token_url.clone(),
            client_id: self.client_id.clone(),
            client_secret_file: self.client_secret_file.clone(),
            client_authentication: self.client_authentication,
            client_credentials: self.client_credentials,
            scope: self.scope.clone(),
            api_key_file: self.api_key_file.clone(),
            api_key_header: self.api_key_header.clone(),
            ca: self.ca.clone(),
            client_certificate: self.client_certificate.clone(),
            client_key: self.client_key.clone(),
            ..Settings::default()
        }
    }
}

impl ClientArgs {
    pub(crate) fn settings(&self) -> Settings {
        Settings {
            authorize_url: self.authorize_url.clone(),
            redirect_url: self.redirect_url.clone(),
            pkce: self.pkce,
            token_file: self.token_file.clone(),
            ..Settings::default()
        }
    }
}
