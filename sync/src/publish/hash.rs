//! SHA-256 of what is read or written.

use std::fmt::Write as _;
use std::io::{self, Read, Write};

use sha2::{Digest as _, Sha256};

/// Hashes and counts what goes through it.
pub(super) struct Hashing<T> {
    inner: T,
    hasher: Sha256,
    length: u64,
}

impl<T> Hashing<T> {
    pub(super) fn new(inner: T) -> Self {
        Self { inner, hasher: Sha256::new(), length: 0 }
    }

    /// The length and the hash of all that went through, in hexadecimal.
    pub(super) fn end(self) -> (T, u64, String) {
        (self.inner, self.length, hex(&self.hasher.finalize()))
    }
}

impl<W: Write> Write for Hashing<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.inner.write(bytes)?;
        self.hasher.update(bytes.get(..written).unwrap_or_default());
        self.length += written as u64;
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush()
    }
}

impl<R: Read> Read for Hashing<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.inner.read(buffer)?;
        self.hasher.update(buffer.get(..read).unwrap_or_default());
        self.length += read as u64;
        Ok(read)
    }
}

/// The hash of bytes, in hexadecimal.
pub(super) fn sha256(bytes: &[u8]) -> String {
    hex(&Sha256::digest(bytes))
}

/// Reads to the end, but no more than `most` bytes and one: length and hash.
pub(super) fn of_reader(reader: impl Read, most: u64) -> io::Result<(u64, String)> {
    let mut hashing = Hashing::new(reader.take(most.saturating_add(1)));
    io::copy(&mut hashing, &mut io::sink())?;
    let (_, length, hash) = hashing.end();
    Ok((length, hash))
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::with_capacity(bytes.len() * 2), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}
