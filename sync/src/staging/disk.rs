//! The calls by which a writer changes a staging folder. Tests have each of them fail.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Seek as _, SeekFrom, Write as _};
use std::path::Path;

use coverdex_core::build::store::sync_folder;

/// Begins the names of files that are not finished yet.
pub(super) const UNFINISHED: &str = ".unfinished-";

/// Puts a file into a folder, whole and on the disk: it has its name only then. What stood there is replaced.
pub(super) fn put(folder: &Path, name: &str, bytes: &[u8]) -> io::Result<()> {
    let unfinished = folder.join(format!("{UNFINISHED}{name}"));
    #[cfg(test)]
    fault::meet()?;
    let mut file = File::create(&unfinished)?;
    append(&mut file, 0, bytes)?;
    sync(&file)?;
    // Windows renames no file that is open.
    drop(file);
    #[cfg(test)]
    fault::meet()?;
    fs::rename(&unfinished, folder.join(name))?;
    #[cfg(test)]
    fault::meet()?;
    sync_folder(folder).map_err(io::Error::other)
}

/// Opens a file that is there for writing at any place. A handle that only appends could not be cut on Windows.
pub(super) fn open(path: &Path) -> io::Result<File> {
    #[cfg(test)]
    fault::meet()?;
    OpenOptions::new().read(true).write(true).open(path)
}

/// Writes at a file's end.
pub(super) fn append(file: &mut File, end: u64, bytes: &[u8]) -> io::Result<()> {
    file.seek(SeekFrom::Start(end))?;
    #[cfg(test)]
    if let Err(error) = fault::meet() {
        // A full disk takes what it has room for.
        file.write_all(bytes.get(..bytes.len() / 2).unwrap_or_default())?;
        return Err(error);
    }
    file.write_all(bytes)
}

/// Cuts a file off.
pub(super) fn cut(file: &File, end: u64) -> io::Result<()> {
    #[cfg(test)]
    fault::meet()?;
    file.set_len(end)
}

/// Has a file's bytes on the disk.
pub(super) fn sync(file: &File) -> io::Result<()> {
    #[cfg(test)]
    fault::meet()?;
    file.sync_data()
}

/// Calls that fail as on a full or broken disk.
#[cfg(test)]
pub(super) mod fault {
    use std::cell::Cell;
    use std::io;
    use std::ops::Range;

    thread_local! {
        static MET: Cell<u32> = const { Cell::new(0) };
        static FAIL: Cell<(u32, u32)> = const { Cell::new((0, 0)) };
    }

    /// From now on the calls of this thread with these numbers fail.
    pub(in crate::staging) fn fail(numbers: Range<u32>) {
        MET.set(0);
        FAIL.set((numbers.start, numbers.end));
    }

    /// How many calls there were since.
    pub(in crate::staging) fn met() -> u32 {
        MET.get()
    }

    pub(super) fn meet() -> io::Result<()> {
        let number = MET.replace(MET.get() + 1);
        let (from, to) = FAIL.get();
        if (from..to).contains(&number) { Err(io::ErrorKind::StorageFull.into()) } else { Ok(()) }
    }
}
