//! SQLite connections that read the bytes of one mapped file, and never open a file by its name: another file may have
//! the name by then.
//!
//! This is the only module with `unsafe`. `rusqlite` lends SQLite bytes that live forever; these live as long as
//! the connection, which is enough, and which only this module can see to.
#![allow(unsafe_code, reason = "SQLite is lent bytes that live as long as the connection that reads them")]

use rusqlite::{Connection, MAIN_DB, OpenFlags, Result};
use tantivy::directory::OwnedBytes;

/// A connection to a database that lies in memory; nothing is copied, nothing can be written.
pub(super) struct MappedDatabase {
    // Fields are dropped in their order: the connection before the bytes that it reads.
    connection: Connection,
    _bytes: OwnedBytes,
}

impl MappedDatabase {
    pub(super) fn open(bytes: &OwnedBytes) -> Result<Self> {
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let mut connection = Connection::open_in_memory_with_flags(flags)?;
        let held = bytes.clone();
        let slice = held.as_slice();
        // SAFETY: the bytes are a mapping that `held` shares and that stays where it is until the last of its
        // owners is dropped. `held` lies beside the connection and is dropped after it. The connection is never
        // given away, nor lent so that it could be taken out, and SQLite reads the bytes only through it: it opens
        // them read-only and never writes them.
        let slice: &'static [u8] = unsafe { std::slice::from_raw_parts(slice.as_ptr(), slice.len()) };
        connection.deserialize_bytes(MAIN_DB, slice)?;
        Ok(Self { connection, _bytes: held })
    }

    pub(super) fn connection(&self) -> &Connection {
        &self.connection
    }

    /// Has SQLite ask now and then whether to stop a statement; `None`: no longer.
    pub(super) fn ask_every<F>(&mut self, steps: i32, ask: Option<F>) -> Result<()>
    where
        F: FnMut() -> bool + Send + 'static,
    {
        self.connection.progress_handler(steps, ask)
    }
}
