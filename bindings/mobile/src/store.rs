//! Datasets on a phone: a store keeps the live one and the one before it.

use std::sync::Arc;

use coverdex_core as core;

use crate::answers::Installed;
use crate::dataset::{Answer, CancelToken, token};

/// Copies a dataset that was downloaded into a store, which is made if it is not there, and makes it live: opening the
/// store's path opens it. Every byte is compared with the manifest on the way, and the copy must answer before it is
/// live. The dataset that was live stays for `rollback`, and whoever has it open goes on with it. Where this ends
/// early, by an error, by the token or by the end of the process, the live one stays live.
#[uniffi::export(default(cancel = None))]
pub fn install(folder: &str, store: &str, cancel: Option<Arc<CancelToken>>) -> Answer<Installed> {
    Ok(core::Store::open_or_create(store)?.install(folder, &token(cancel))?.into())
}

/// Makes the dataset live again that was live before the last install, and removes the one that is live. Fails as not
/// found if no former one is kept.
#[uniffi::export(default(cancel = None))]
pub fn rollback(store: &str, cancel: Option<Arc<CancelToken>>) -> Answer<Installed> {
    Ok(core::Store::open(store)?.rollback(&token(cancel))?.into())
}

/// Removes the dataset that was live before, once the new one has proved itself. Whether there was one.
#[uniffi::export]
pub fn remove_former(store: &str) -> Answer<bool> {
    Ok(core::Store::open(store)?.remove_former()?)
}
