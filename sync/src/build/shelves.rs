//! Records by the hash of what they belong to, in memory up to a bound and on disk beyond it: the
//! one primitive that keeps a build's memory flat. A shelf is read back whole, so records of one key
//! always meet.

use std::fs::File;
use std::io::{Read as _, Seek as _, SeekFrom, Write as _};
use std::marker::PhantomData;
use std::path::{Path, PathBuf};

use coverdex_core::{Error, Result};

/// A record of fixed size.
pub(crate) trait Record: Sized {
    /// Its length in bytes.
    const LENGTH: usize;

    /// Appends exactly [`LENGTH`](Self::LENGTH) bytes.
    fn write(&self, bytes: &mut Vec<u8>);

    /// Reads what [`write`](Self::write) wrote.
    fn read(fields: &mut Fields<'_>) -> Self;
}

/// Reads a record field by field.
pub(crate) struct Fields<'a>(&'a [u8]);

impl Fields<'_> {
    fn take<const N: usize>(&mut self) -> [u8; N] {
        match self.0.split_first_chunk::<N>() {
            Some((field, rest)) => {
                self.0 = rest;
                *field
            }
            None => [0; N],
        }
    }

    pub(crate) fn u8(&mut self) -> u8 {
        u8::from_le_bytes(self.take())
    }

    pub(crate) fn u32(&mut self) -> u32 {
        u32::from_le_bytes(self.take())
    }

    pub(crate) fn u64(&mut self) -> u64 {
        u64::from_le_bytes(self.take())
    }

    pub(crate) fn i64(&mut self) -> i64 {
        i64::from_le_bytes(self.take())
    }

    pub(crate) fn u128(&mut self) -> u128 {
        u128::from_le_bytes(self.take())
    }
}

/// Bytes that all shelves of one set hold in memory.
const IN_MEMORY: usize = 64 << 20;

/// Records spread over shelves.
pub(crate) struct Shelves<R> {
    all: Vec<Shelf>,
    /// Where what no longer fits in memory goes.
    folder: PathBuf,
    /// That, piece by piece: one file, as a process may open few. It has no name and goes with the process.
    file: Option<File>,
    in_memory: usize,
    bound: usize,
    kind: PhantomData<R>,
}

#[derive(Default)]
struct Shelf {
    bytes: Vec<u8>,
    /// Offset and length of its pieces in the file.
    spilled: Vec<(u64, usize)>,
}

impl<R: Record> Shelves<R> {
    /// `folder` takes what does not fit in memory.
    pub(crate) fn new(count: usize, folder: &Path) -> Self {
        Self::with_bound(count, folder, IN_MEMORY)
    }

    fn with_bound(count: usize, folder: &Path, bound: usize) -> Self {
        let (all, folder) = ((0..count).map(|_| Shelf::default()).collect(), folder.to_owned());
        Self { all, folder, file: None, in_memory: 0, bound, kind: PhantomData }
    }

    pub(crate) fn count(&self) -> usize {
        self.all.len()
    }

    /// Puts a record on the shelf that `key` belongs to.
    pub(crate) fn put(&mut self, key: usize, record: &R) -> Result<()> {
        let count = self.all.len().max(1);
        if let Some(shelf) = self.all.get_mut(key % count) {
            record.write(&mut shelf.bytes);
            self.in_memory += R::LENGTH;
        }
        if self.in_memory > self.bound { self.spill() } else { Ok(()) }
    }

    fn spill(&mut self) -> Result<()> {
        let refused = |e: std::io::Error| refused(&self.folder, &e);
        let file = match &mut self.file {
            Some(file) => file,
            none => none.insert(tempfile::tempfile_in(&self.folder).map_err(refused)?),
        };
        let mut end = file.seek(SeekFrom::End(0)).map_err(refused)?;
        for shelf in &mut self.all {
            let bytes = std::mem::take(&mut shelf.bytes);
            file.write_all(&bytes).map_err(refused)?;
            shelf.spilled.push((end, bytes.len()));
            end += bytes.len() as u64;
        }
        self.in_memory = 0;
        Ok(())
    }

    /// All records of a shelf, in no order; reading does not empty it.
    pub(crate) fn read(&mut self, at: usize) -> Result<Vec<R>> {
        let Some(shelf) = self.all.get_mut(at) else { return Ok(Vec::new()) };
        let mut records = Vec::new();
        let mut take = |bytes: &[u8]| {
            records.extend(bytes.chunks_exact(R::LENGTH).map(|bytes| R::read(&mut Fields(bytes))));
        };
        if let Some(file) = &mut self.file {
            for (offset, length) in &shelf.spilled {
                let mut piece = vec![0; *length];
                let read = file.seek(SeekFrom::Start(*offset)).and_then(|_| file.read_exact(&mut piece));
                read.map_err(|e| refused(&self.folder, &e))?;
                take(&piece);
            }
        }
        take(&shelf.bytes);
        Ok(records)
    }
}

fn refused(folder: &Path, error: &std::io::Error) -> Error {
    Error::io(folder, error).with_hint(
        "a build needs room for temporary files in its store: free some, or name a store on another disk; what was live still is",
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
    struct Pair(u128, u32);

    impl Record for Pair {
        const LENGTH: usize = 20;

        fn write(&self, bytes: &mut Vec<u8>) {
            bytes.extend(self.0.to_le_bytes());
            bytes.extend(self.1.to_le_bytes());
        }

        fn read(fields: &mut Fields<'_>) -> Self {
            Self(fields.u128(), fields.u32())
        }
    }

    #[test]
    fn spilled_records_come_back() {
        let folder = tempfile::tempdir().unwrap();
        for bound in [100, 1 << 20] {
            let mut shelves = Shelves::with_bound(4, folder.path(), bound);
            for n in 0..1_000_u32 {
                shelves.put(n as usize, &Pair(u128::from(n) << 70, n)).unwrap();
            }
            for at in 0..shelves.count() {
                let mut records = shelves.read(at).unwrap();
                records.sort();
                let want: Vec<Pair> =
                    (0..1_000).filter(|n| *n as usize % 4 == at).map(|n| Pair(u128::from(n) << 70, n)).collect();
                assert_eq!(records, want);
            }
        }
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0, "what is spilled has no name");
    }

    #[test]
    fn a_folder_that_takes_nothing_is_named() {
        let folder = tempfile::tempdir().unwrap().path().join("gone");
        let mut shelves = Shelves::with_bound(4, &folder, 100);
        let error = (0..100).find_map(|n| shelves.put(0, &Pair(0, n)).err()).unwrap();
        assert_eq!(error.subject(), folder.display().to_string());
        assert!(error.hint().unwrap().contains("store on another disk"), "{error}");
    }
}
