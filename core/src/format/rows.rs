//! Values of a row, and hashes of what is loaded.

use sha2::{Digest as _, Sha256};

use super::DATABASE;
use crate::{Error, Result};

/// Bytes that answers are computed from are hashed when they are loaded: a flipped tier must not
/// become an answer.
pub(crate) fn check_hash(what: &str, hash: &[u8], bytes: &[u8]) -> Result<()> {
    if Sha256::digest(bytes).as_slice() == hash {
        Ok(())
    } else {
        Err(Error::damaged(DATABASE, format!("{what} was altered: the hash does not fit")))
    }
}

/// A number of 32 bits without a sign.
pub(crate) fn number(row: &rusqlite::Row<'_>, at: usize) -> rusqlite::Result<u32> {
    let value: i64 = row.get(at)?;
    u32::try_from(value).map_err(|_| rusqlite::Error::IntegralValueOutOfRange(at, value))
}
