//! The SQLite file: mapped once and read where it lies, without locks or writes, through a small pool of connections.
//!
//! SQLite tells nobody which page it is about to read, so the whole file is compared with its
//! checksums before the first read of it. `index-data/FORMAT.md` has what that costs.

use std::path::Path;
use std::sync::{Mutex, PoisonError};

use rusqlite::config::DbConfig;
use rusqlite::{Connection, ErrorCode};

use super::checked::{CheckedFile, Checksums, Damaged};
use super::mapped_database::MappedDatabase;
use super::{APPLICATION_ID, DATABASE, FORMAT_VERSION};
use crate::cancel::Cancel;
use crate::lazy::Lazy;
use crate::{Error, ErrorKind, Result};

/// Idle connections kept for the next call.
const MOST_IDLE: usize = 8;

/// Steps of SQLite between two looks at a call's token: some tens of microseconds.
const STEPS_A_LOOK: i32 = 1_000;

/// Prepared statements that a connection keeps.
const STATEMENTS: usize = 64;

/// Pages are copied before they are read. SQLite reads some bytes beyond a page's end, which it leaves room for in its
/// own copies and behind files that it maps, and not behind bytes that it is lent: what is behind the last page of the
/// mapping is not ours, and reading it would end the process.
const NOT_IN_PLACE: i64 = 0;

/// Counts what no dataset has: a view under a table's name could be made to compute forever.
const FOREIGN: &str = r"
    SELECT count(*) FROM sqlite_schema
    WHERE type = 'trigger' OR sql LIKE 'CREATE VIRTUAL%'
       OR (type = 'view' AND name NOT LIKE 'v\_%' ESCAPE '\' AND name NOT IN ('counties', 'zip_counties'))";

/// A pool of read-only connections to one file, reached through closures.
pub(crate) struct Connections {
    /// Mapped at open: every connection reads these bytes, whatever stands under the file's name by then.
    file: CheckedFile,
    path: String,
    checked: Lazy<()>,
    idle: Mutex<Vec<MappedDatabase>>,
}

impl Connections {
    /// Looks at the file's header; the rest is checked by the first read.
    pub(crate) fn open(folder: &Path, checksums: &Checksums) -> Result<Self> {
        let file = CheckedFile::map_watched(folder, DATABASE, checksums)?;
        check_header(&file)?;
        let path = folder.join(DATABASE).display().to_string();
        Ok(Self { file, path, checked: Lazy::default(), idle: Mutex::new(Vec::new()) })
    }

    /// Compares the whole file with its checksums.
    fn check(&self) -> Result<()> {
        self.file.check_all().map_err(|Damaged| self.file.error())?;
        let database = self.connect()?;
        let foreign: rusqlite::Result<i64> = database.connection().query_row(FOREIGN, [], |row| row.get(0));
        if foreign.map_err(|e| self.error(&e))? > 0 {
            return Err(self.file.error().saying("it has views or triggers that no dataset has"));
        }
        self.give_back(database);
        Ok(())
    }

    /// An error where the file was written to since it was opened: the dataset's other files may have been too.
    pub(crate) fn check_unchanged(&self) -> Result<()> {
        self.file.check_unchanged()
    }

    /// Runs `read` with a connection of its own.
    pub(crate) fn with<T>(&self, read: impl FnOnce(&Connection) -> rusqlite::Result<T>) -> Result<T> {
        self.with_any(|connection| read(connection).map_err(|e| self.error(&e)))
    }

    /// Like [`with`](Self::with), for readers that have errors of their own.
    pub(crate) fn with_any<T>(&self, read: impl FnOnce(&Connection) -> Result<T>) -> Result<T> {
        let database = self.take()?;
        let result = read(database.connection());
        self.give_back(database);
        // What was read while the file was written to, and what seems damaged then, tells nothing.
        self.file.check_unchanged()?;
        result
    }

    /// Like [`with`](Self::with), for statements that may run long: SQLite asks the token while it runs them.
    pub(crate) fn with_cancelled_by<T>(
        &self,
        cancel: &Cancel,
        read: impl FnOnce(&Connection) -> rusqlite::Result<T>,
    ) -> Result<T> {
        let mut database = self.take()?;
        let asked = cancel.clone();
        let ask = Some(move || asked.is_cancelled());
        let result = database.ask_every(STEPS_A_LOOK, ask).and_then(|()| read(database.connection()));
        // A connection that still asks for this call is not for the next.
        if database.ask_every(0, None::<fn() -> bool>).is_ok() {
            self.give_back(database);
        }
        self.file.check_unchanged()?;
        result.map_err(|e| self.error(&e))
    }

    /// A connection that nobody else uses.
    fn take(&self) -> Result<MappedDatabase> {
        self.file.check_unchanged()?;
        self.checked.get(|| self.check())?;
        let idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
        idle.map_or_else(|| self.connect(), Ok)
    }

    fn connect(&self) -> Result<MappedDatabase> {
        let connect = || {
            let database = MappedDatabase::open(self.file.bytes())?;
            prepare(database.connection())?;
            Ok(database)
        };
        connect().map_err(|e| self.error(&e))
    }

    fn give_back(&self, database: MappedDatabase) {
        let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        if idle.len() < MOST_IDLE {
            idle.push(database);
        }
    }

    /// A failed read as the caller sees it: the file, and what SQLite says of it.
    pub(crate) fn error(&self, error: &rusqlite::Error) -> Error {
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
            ) => Error::new(ErrorKind::Io, self.path.clone(), error.to_string()),
            _ => self.file.error().saying(error.to_string()),
        }
    }
}

impl std::fmt::Debug for Connections {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Connections").field("path", &self.path).finish_non_exhaustive()
    }
}

/// What holds for every connection.
fn prepare(connection: &Connection) -> rusqlite::Result<()> {
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_TRUSTED_SCHEMA, false)?;
    // A statement that was prepared once stays so: with the statistics that SQLite is compiled with, each
    // new binding of an index lookup would prepare it again (40 µs instead of 13 for a county).
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
    connection.pragma_update(None, "query_only", true)?;
    connection.pragma_update(None, "cell_size_check", true)?;
    connection.pragma_update(None, "cache_size", -512)?;
    connection.pragma_update(None, "mmap_size", NOT_IN_PLACE)?;
    // Nobody else has the bytes: what was read of them is not looked for anew in each statement.
    connection.pragma_update(None, "locking_mode", "exclusive")?;
    connection.set_prepared_statement_cache_capacity(STATEMENTS);
    Ok(())
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

#[cfg(test)]
mod tests {
    use tantivy::directory::OwnedBytes;

    use super::*;

    #[test]
    fn no_page_is_read_where_it_lies() {
        let mut made = Connection::open_in_memory().unwrap();
        made.execute_batch("CREATE TABLE numbers(number INTEGER) STRICT; INSERT INTO numbers VALUES (7)").unwrap();
        let bytes = OwnedBytes::new(made.serialize(rusqlite::MAIN_DB).unwrap().to_vec());
        let database = MappedDatabase::open(&bytes).unwrap();
        prepare(database.connection()).unwrap();
        let answer = |sql: &str| database.connection().query_row(sql, [], |row| row.get::<_, i64>(0));
        assert_eq!(answer("SELECT number FROM numbers").unwrap(), 7);
        // Where SQLite knows no such setting for these bytes, it says nothing, and copies them.
        assert!(matches!(answer("PRAGMA mmap_size"), Ok(0) | Err(rusqlite::Error::QueryReturnedNoRows)));
    }
}
