//! The SQLite file: opened immutable, without locks or writes, through a small pool.
//!
//! SQLite tells nobody which page it is about to read, so the whole file is compared with its
//! checksums before the first read of it. `index-data/FORMAT.md` has what that costs.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use rusqlite::config::DbConfig;
use rusqlite::{Connection, ErrorCode, OpenFlags};

use super::checked::{CheckedFile, Checksums, Damaged};
use super::{APPLICATION_ID, DATABASE, FORMAT_VERSION, files};
use crate::cancel::Cancel;
use crate::lazy::Lazy;
use crate::{Error, ErrorKind, Result};

/// Idle connections kept for the next call.
const MOST_IDLE: usize = 8;

/// Steps of SQLite between two looks at a call's token: some tens of microseconds.
const STEPS_A_LOOK: i32 = 1_000;

/// Prepared statements that a connection keeps.
const STATEMENTS: usize = 64;

/// How much of the file may be mapped; 32-bit systems have less room for it.
const MAPPED: i64 = if cfg!(target_pointer_width = "32") { 64 << 20 } else { 1 << 30 };

/// Counts what no dataset has: a view under a table's name could be made to compute forever.
const FOREIGN: &str = r"
    SELECT count(*) FROM sqlite_schema
    WHERE type = 'trigger' OR sql LIKE 'CREATE VIRTUAL%'
       OR (type = 'view' AND name NOT LIKE 'v\_%' ESCAPE '\' AND name NOT IN ('counties', 'zip_counties'))";

/// A pool of read-only connections to one file, reached through closures.
pub(crate) struct Connections {
    folder: PathBuf,
    path: PathBuf,
    checksums: Checksums,
    checked: Lazy<()>,
    idle: Mutex<Vec<Connection>>,
}

impl Connections {
    /// Looks at the file's header; the rest is checked by the first read.
    pub(crate) fn open(folder: &Path, checksums: &Checksums) -> Result<Self> {
        let path = folder.join(DATABASE);
        check_header(&CheckedFile::map(folder, DATABASE, checksums)?)?;
        Ok(Self {
            folder: folder.to_owned(),
            path,
            checksums: checksums.clone(),
            checked: Lazy::default(),
            idle: Mutex::new(Vec::new()),
        })
    }

    /// Compares the whole file with its checksums.
    fn check(&self) -> Result<()> {
        let file = CheckedFile::map(&self.folder, DATABASE, &self.checksums)?;
        file.check_all().map_err(|Damaged| file.error())?;
        let connection = connect(&self.path).map_err(|e| self.error(&e))?;
        let foreign: i64 = connection.query_row(FOREIGN, [], |row| row.get(0)).map_err(|e| self.error(&e))?;
        if foreign > 0 {
            return Err(file.error().saying("it has views or triggers that no dataset has"));
        }
        self.idle.lock().unwrap_or_else(PoisonError::into_inner).push(connection);
        Ok(())
    }

    /// Runs `read` with a connection of its own.
    pub(crate) fn with<T>(&self, read: impl FnOnce(&Connection) -> rusqlite::Result<T>) -> Result<T> {
        self.with_any(|connection| read(connection).map_err(|e| self.error(&e)))
    }

    /// Like [`with`](Self::with), for readers that have errors of their own.
    pub(crate) fn with_any<T>(&self, read: impl FnOnce(&Connection) -> Result<T>) -> Result<T> {
        let connection = self.take()?;
        let result = read(&connection);
        self.give_back(connection);
        result
    }

    /// Like [`with`](Self::with), for statements that may run long: SQLite asks the token while it runs them.
    pub(crate) fn with_cancelled_by<T>(
        &self,
        cancel: &Cancel,
        read: impl FnOnce(&Connection) -> rusqlite::Result<T>,
    ) -> Result<T> {
        let mut connection = self.take()?;
        let asked = cancel.clone();
        let handler = Some(move || asked.is_cancelled());
        let result = connection.progress_handler(STEPS_A_LOOK, handler).and_then(|()| read(&connection));
        // A connection that still asks for this call is not for the next.
        if connection.progress_handler(0, None::<fn() -> bool>).is_ok() {
            self.give_back(connection);
        }
        result.map_err(|e| self.error(&e))
    }

    /// A connection that nobody else uses.
    fn take(&self) -> Result<Connection> {
        self.checked.get(|| self.check())?;
        let idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
        match idle {
            Some(connection) => Ok(connection),
            None => connect(&self.path).map_err(|e| self.error(&e)),
        }
    }

    fn give_back(&self, connection: Connection) {
        let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        if idle.len() < MOST_IDLE {
            idle.push(connection);
        }
    }

    /// A failed read as the caller sees it: the file, and what SQLite says of it.
    pub(crate) fn error(&self, error: &rusqlite::Error) -> Error {
        let of_kind = |kind| Error::new(kind, self.path.display().to_string(), error.to_string());
        match error.sqlite_error_code() {
            Some(ErrorCode::OperationInterrupted) => Error::new(ErrorKind::Interrupted, "call", "interrupted"),
            // What the system has or allows now; the file may be whole.
            Some(
                ErrorCode::OutOfMemory
                | ErrorCode::CannotOpen
                | ErrorCode::SystemIoFailure
                | ErrorCode::PermissionDenied
                | ErrorCode::AuthorizationForStatementDenied
                | ErrorCode::DiskFull
                | ErrorCode::DatabaseBusy
                | ErrorCode::DatabaseLocked
                | ErrorCode::FileLockingProtocolFailed
                | ErrorCode::NoLargeFileSupport
                | ErrorCode::ReadOnly
                | ErrorCode::OperationAborted,
            ) => match files::length(&self.path) {
                Ok(_) => of_kind(ErrorKind::Io),
                Err(refused) => files::missing(&self.folder, DATABASE, refused),
            },
            _ => Error::damaged(self.path.display().to_string(), error.to_string()),
        }
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
fn check_header(file: &CheckedFile) -> Result<()> {
    let damaged = |what: String| file.error().saying(what);
    let header = file.bytes().first_chunk::<100>();
    let header = header.ok_or_else(|| damaged("too short for a SQLite file".to_owned()))?;
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
    if page_size * u64::from(word(28)) != file.len() as u64 {
        return Err(damaged(format!("truncated: it has {} bytes and says it has {} pages", file.len(), word(28))));
    }
    file.check(0..header.len()).map_err(|Damaged| file.error())
}
