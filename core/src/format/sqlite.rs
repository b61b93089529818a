//! The SQLite file: opened immutable, without locks or writes, through a small pool.

use std::fs::File;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use rusqlite::config::DbConfig;
use rusqlite::{Connection, OpenFlags};

use super::{APPLICATION_ID, FORMAT_VERSION};
use crate::{Error, Result};

/// Idle connections kept for the next call.
const MOST_IDLE: usize = 8;

/// Prepared statements that a connection keeps.
const STATEMENTS: usize = 64;

/// How much of the file may be mapped; 32-bit systems have less room for it.
const MAPPED: i64 = if cfg!(target_pointer_width = "32") { 64 << 20 } else { 1 << 30 };

/// A pool of read-only connections to one file, reached through closures.
pub(crate) struct Connections {
    path: PathBuf,
    idle: Mutex<Vec<Connection>>,
}

impl Connections {
    pub(crate) fn open(path: PathBuf) -> Result<Self> {
        check_header(&path)?;
        let pool = Self { path, idle: Mutex::new(Vec::new()) };
        pool.with(|connection| {
            let tables: i64 = connection.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0))?;
            Ok(tables)
        })?;
        Ok(pool)
    }

    /// Runs `read` with a connection of its own.
    pub(crate) fn with<T>(&self, read: impl FnOnce(&Connection) -> rusqlite::Result<T>) -> Result<T> {
        self.with_any(|connection| read(connection).map_err(|e| self.error(&e)))
    }

    /// Like [`with`](Self::with), for readers that have errors of their own.
    pub(crate) fn with_any<T>(&self, read: impl FnOnce(&Connection) -> Result<T>) -> Result<T> {
        let idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let connection = match idle {
            Some(connection) => connection,
            None => connect(&self.path).map_err(|e| self.error(&e))?,
        };
        let result = read(&connection);
        let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        if idle.len() < MOST_IDLE {
            idle.push(connection);
        }
        result
    }

    /// A failed read as the caller sees it: the file, and what SQLite says of it.
    pub(crate) fn error(&self, error: &rusqlite::Error) -> Error {
        Error::damaged(self.path.display().to_string(), error.to_string())
    }
}

impl std::fmt::Debug for Connections {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Connections").field("path", &self.path).finish_non_exhaustive()
    }
}

fn connect(path: &Path) -> rusqlite::Result<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_URI | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(immutable_uri(path), flags)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_TRUSTED_SCHEMA, false)?;
    // A statement that was prepared once stays so: with the statistics that SQLite is compiled with, each
    // new binding of an index lookup would prepare it again (40 µs instead of 13 for a county).
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
    connection.pragma_update(None, "query_only", true)?;
    connection.pragma_update(None, "cell_size_check", true)?;
    connection.pragma_update(None, "cache_size", -512)?;
    connection.pragma_update(None, "mmap_size", MAPPED)?;
    connection.set_prepared_statement_cache_capacity(STATEMENTS);
    Ok(connection)
}

/// `file:` URI of a path; `immutable` promises that nobody writes, so no lock is ever taken.
fn immutable_uri(path: &Path) -> String {
    let mut uri = String::from("file:");
    for byte in path.as_os_str().as_encoded_bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'.' | b'_' | b'-' | b'~' | b':' => {
                uri.push(char::from(*byte));
            }
            b'\\' if cfg!(windows) => uri.push('/'),
            other => {
                uri.push('%');
                uri.push_str(&super::hex(&[*other]).to_ascii_uppercase());
            }
        }
    }
    uri.push_str("?immutable=1&mode=ro");
    uri
}

/// The first hundred bytes tell whether this is the file that the builder wrote.
fn check_header(path: &Path) -> Result<()> {
    let damaged = |what: String| Error::damaged(path.display().to_string(), what);
    let mut file = File::open(path).map_err(|e| Error::io(path, &e))?;
    let length = file.metadata().map_err(|e| Error::io(path, &e))?.len();
    let mut header = [0_u8; 100];
    file.read_exact(&mut header).map_err(|_| damaged("too short for a SQLite file".to_owned()))?;
    let byte = |at: usize| header.get(at).copied().unwrap_or_default();
    let word = |at: usize| u32::from_be_bytes([byte(at), byte(at + 1), byte(at + 2), byte(at + 3)]);
    if !header.starts_with(b"SQLite format 3\0") {
        return Err(damaged("not a SQLite file".to_owned()));
    }
    if (byte(18), byte(19)) != (1, 1) {
        return Err(damaged("in WAL mode: a dataset never is".to_owned()));
    }
    let application = i32::from_be_bytes(word(68).to_be_bytes());
    if application != APPLICATION_ID {
        return Err(damaged("a SQLite file, but not one of Coverdex's".to_owned()));
    }
    if word(60) != FORMAT_VERSION {
        return Err(damaged(format!("it has format {}, the manifest says {FORMAT_VERSION}", word(60))));
    }
    let page_size = match u64::from(u16::from_be_bytes([byte(16), byte(17)])) {
        1 => 65_536,
        size => size,
    };
    if page_size * u64::from(word(28)) != length {
        return Err(damaged(format!("truncated: it has {length} bytes and says it has {} pages", word(28))));
    }
    Ok(())
}
