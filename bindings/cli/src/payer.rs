//! What is known of a payer before it is asked: settings from options, environment and file, in this
//! order, and where a login is kept.

use std::ffi::OsString;
use std::future::Future;
use std::path::{Path, PathBuf};

use coverdex_core::{Error, ErrorKind, Result};
pub(crate) use coverdex_sync::fetch::reach;
use coverdex_sync::fetch::{Config, Settings, TokenFile};
use coverdex_sync::tiers::TierMap;

use crate::args::{ClientArgs, PayerArgs, TierArgs};

/// The variables that settings stand in.
const PREFIX: &str = "COVERDEX_";

/// The variable that names datasets: paths, which need not be text.
const DATA: &str = "COVERDEX_DATA";

/// The settings of a payer that is only read.
pub(crate) fn config(args: &PayerArgs) -> Result<Config> {
    args.settings().or(environment(std::env::vars_os())?).or(file(args.config.as_deref())?).check()
}

/// What tiers mean: what is typed goes before the settings file.
pub(crate) fn tiers(typed: &TierArgs, config: Option<&Path>) -> Result<TierMap> {
    Ok(typed.map()?.or(file(config)?.tiers))
}

/// The settings of a payer that a member logs in with.
pub(crate) fn member_config(payer: &PayerArgs, client: &ClientArgs) -> Result<Config> {
    let typed = payer.settings().or(client.settings());
    typed.or(environment(std::env::vars_os())?).or(file(payer.config.as_deref())?).check()
}

/// The token file: the one that was named, else one for each payer in the user's own settings folder.
pub(crate) fn token_file(config: &Config) -> Result<TokenFile> {
    if let Some(path) = &config.token_file {
        return TokenFile::new(path, config);
    }
    let folder = settings_folder().ok_or_else(|| {
        Error::invalid("token-file", "there is no home folder to keep tokens in")
            .with_hint("name one: --token-file FILE")
    })?;
    TokenFile::in_folder(&folder.join("coverdex"), config)
}

fn settings_folder() -> Option<PathBuf> {
    let named = |name| std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let home = || std::env::home_dir().filter(|home| !home.as_os_str().is_empty()).map(|home| home.join(".config"));
    named(if cfg!(windows) { "APPDATA" } else { "XDG_CONFIG_HOME" }).or_else(home)
}

fn environment(all: impl Iterator<Item = (OsString, OsString)>) -> Result<Settings> {
    let mut named = Vec::new();
    for (name, value) in all {
        let Some(name) = name.to_str().filter(|name| name.starts_with(PREFIX) && *name != DATA) else { continue };
        match value.into_string() {
            Ok(value) => named.push((name.to_owned(), value)),
            // The value may be a secret: it is not shown.
            Err(_) => return Err(Error::invalid(format!("variable {name}"), "it is not text (UTF-8)")),
        }
    }
    Settings::from_environment(|name| named.iter().find(|(n, _)| n == name).map(|(_, value)| value.clone()))
}

fn file(path: Option<&Path>) -> Result<Settings> {
    path.map_or_else(|| Ok(Settings::default()), Settings::from_file)
}

/// Runs what waits for the network to its end.
pub(crate) fn wait<T>(task: impl Future<Output = Result<T>>) -> Result<T> {
    coverdex_sync::threads::can_start()?;
    tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .map_err(|error| Error::new(ErrorKind::Io, "runtime", error.to_string()))?
        .block_on(task)
}

#[cfg(test)]
mod tests;
