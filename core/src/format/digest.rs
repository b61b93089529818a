//! Tables that are loaded whole are checked whole: a hash over all their values stands beside the
//! arrays, so that a flipped tier or a plan that points at another formulary is never an answer.

use rusqlite::Connection;
use rusqlite::types::ValueRef;
use sha2::{Digest as _, Sha256};

use super::Connections;
use crate::{Error, Result};

/// Tables that are loaded together, under the name of their hash in the table `array`.
pub struct Loaded {
    name: &'static str,
    queries: &'static [&'static str],
}

/// What formularies' codes mean.
pub(crate) const TERMS: Loaded = Loaded {
    name: "terms",
    queries: &[
        "SELECT * FROM tier ORDER BY id",
        "SELECT * FROM term ORDER BY id",
        "SELECT * FROM term_conflict ORDER BY term, position",
    ],
};

/// Plans and their networks.
pub(crate) const PLANS: Loaded = Loaded {
    name: "plans",
    queries: &[
        "SELECT * FROM plan ORDER BY id",
        "SELECT * FROM network ORDER BY id",
        "SELECT * FROM plan_network ORDER BY plan, network",
    ],
};

/// All of them, for the builder.
pub const LOADED: [&Loaded; 2] = [&TERMS, &PLANS];

impl Loaded {
    /// The name of the hash.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        self.name
    }

    /// SHA-256 over every value, each with its kind and length.
    ///
    /// # Errors
    /// What SQLite says.
    pub fn hash(&self, connection: &Connection) -> rusqlite::Result<[u8; 32]> {
        let mut hasher = Sha256::new();
        for query in self.queries {
            let mut statement = connection.prepare(query)?;
            let columns = statement.column_count();
            let mut rows = statement.query([])?;
            while let Some(row) = rows.next()? {
                for column in 0..columns {
                    let (kind, bytes) = match row.get_ref(column)? {
                        ValueRef::Null => (0_u8, Vec::new()),
                        ValueRef::Integer(number) => (1, number.to_le_bytes().to_vec()),
                        ValueRef::Real(number) => (2, number.to_le_bytes().to_vec()),
                        ValueRef::Text(text) => (3, text.to_vec()),
                        ValueRef::Blob(blob) => (4, blob.to_vec()),
                    };
                    hasher.update([kind]);
                    hasher.update(u64::try_from(bytes.len()).unwrap_or(u64::MAX).to_le_bytes());
                    hasher.update(&bytes);
                }
            }
            hasher.update(b"end");
        }
        Ok(hasher.finalize().into())
    }

    /// Checks what is there against the hash that the builder wrote.
    pub(crate) fn check(&self, database: &Connections) -> Result<()> {
        let (stated, found) = database.with(|connection| {
            let stated: Vec<u8> = connection
                .prepare("SELECT sha256 FROM array WHERE name = ?1")?
                .query_row([self.name], |row| row.get(0))?;
            Ok((stated, self.hash(connection)?))
        })?;
        if stated.as_slice() == found {
            Ok(())
        } else {
            Err(Error::damaged(super::DATABASE, format!("{} were altered: the hash does not fit", self.name)))
        }
    }
}
