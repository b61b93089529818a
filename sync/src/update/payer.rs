//! Whose dataset a store holds: a payer's takes the place of the same payer's alone, unless told so.

use std::fs;
use std::path::Path;

use coverdex_core::build::format::CRAWL;
use coverdex_core::{Dataset, Error, Result, Store};
use serde::Deserialize;
use url::Url;

use super::FromStaging;
use crate::fetch::Config;

/// Opens the store of a sync, or makes it. What would keep the dataset out of it in the end is told before anything is
/// asked for: a folder that cannot be written to, another build, another payer's dataset.
///
/// # Errors
/// As [`Store::open_or_create`] and [`Store::try_write`]; [`InvalidInput`](coverdex_core::ErrorKind::InvalidInput) if
/// its live dataset was not read from this payer's address.
pub fn open_store(path: &Path, config: &Config, from: &FromStaging<'_>) -> Result<Store> {
    let store = Store::open_or_create(path)?;
    store.try_write()?;
    refuse_other(&store, &config.base, from)?;
    Ok(store)
}

/// Refuses a store whose live dataset is not known to be of this payer. A damaged one may be replaced by any.
pub(super) fn refuse_other(store: &Store, base: &Url, from: &FromStaging<'_>) -> Result<()> {
    let Some((folder, dataset)) = store.live().and_then(|folder| Some((folder.clone(), Dataset::open(folder).ok()?)))
    else {
        return Ok(());
    };
    let sources = &dataset.manifest().sources;
    let names = || sources.iter().filter_map(|source| source.name.as_deref());
    let address = address_of(&folder).or_else(|| names().find_map(|name| Url::parse(name).ok()));
    let is_same = match &address {
        Some(address) => spelt_alike(address) == spelt_alike(base),
        None => from.payer.is_some() && names().eq(from.payer),
    };
    if is_same || from.other_payer {
        return Ok(());
    }
    let origin = match (address, names().next()) {
        (Some(address), _) => format!("was read from {address}"),
        (None, Some(name)) => format!("is {name}'s and does not say which address it was read from"),
        (None, None) => "does not say which payer it is of".to_owned(),
    };
    let subject = format!("store {}", store.path().display());
    Err(Error::invalid(subject, format!("its dataset {origin}; this sync reads {base}"))
        .with_hint("name a store of its own; if the payer has moved, or its dataset may be replaced, say other-payer"))
}

/// The address that a dataset was read from, where what stands beside its manifest says it.
fn address_of(folder: &Path) -> Option<Url> {
    #[derive(Deserialize)]
    struct Way {
        base: Option<String>,
        sync: Option<Sync>,
    }
    #[derive(Deserialize)]
    struct Sync {
        base: String,
    }
    let way: Way = serde_json::from_slice(&fs::read(folder.join(CRAWL)).ok()?).ok()?;
    Url::parse(&way.base.or_else(|| Some(way.sync?.base))?).ok()
}

/// An address without what a sync itself may add: a bare host stands for `/api` there. Case and usual ports are alike
/// already.
fn spelt_alike(address: &Url) -> String {
    let text = address.as_str().trim_end_matches('/');
    if address.path().trim_end_matches('/') == "/api" { text.trim_end_matches("/api") } else { text }.to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_address_in_many_spellings() {
        let alike = |a: &str, b: &str| spelt_alike(&Url::parse(a).unwrap()) == spelt_alike(&Url::parse(b).unwrap());
        for other in [
            "https://fhir.example.com",
            "https://fhir.example.com/",
            "HTTPS://FHIR.example.com/api/",
            "https://fhir.example.com:443/api",
        ] {
            assert!(alike("https://fhir.example.com/api", other), "{other}");
        }
        for other in [
            "http://fhir.example.com/api",
            "https://fhir.example.com/api/v2",
            "https://fhir.example.com/API",
            "https://fhir.example.com:8443/api",
            "https://other.example.com/api",
        ] {
            assert!(!alike("https://fhir.example.com/api", other), "{other}");
        }
    }
}
