//! The files of a staging folder, each open once for all who read it.

use std::collections::VecDeque;
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// So many files stay open: systems allow a process few (macOS 256), and a walk over more segments than these
/// opens each again.
const MOST_OPEN: usize = 64;

static OPENS: AtomicU64 = AtomicU64::new(0);

/// How often this process opened a segment of any staging folder, or its index, for reading: a figure.
#[must_use]
pub fn segment_opens() -> u64 {
    OPENS.load(Ordering::Relaxed)
}

/// Open files.
#[derive(Debug, Default)]
pub(super) struct Files {
    /// The one that was used last is at the end.
    open: Mutex<VecDeque<(PathBuf, Arc<File>)>>,
    /// How many were opened so far.
    opened: AtomicU64,
}

impl Files {
    /// The file at a path, open.
    pub(super) fn get(&self, path: &Path) -> io::Result<Arc<File>> {
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        let there = open.iter().position(|(of, _)| of == path).and_then(|at| open.remove(at));
        let file = if let Some((_, file)) = there {
            file
        } else {
            OPENS.fetch_add(1, Ordering::Relaxed);
            self.opened.fetch_add(1, Ordering::Relaxed);
            Arc::new(File::open(path)?)
        };
        if open.len() >= MOST_OPEN {
            open.pop_front();
        }
        open.push_back((path.to_owned(), Arc::clone(&file)));
        Ok(file)
    }

    #[cfg(test)]
    pub(super) fn opened(&self) -> u64 {
        self.opened.load(Ordering::Relaxed)
    }

    /// Another file takes the place of the one at this path.
    pub(super) fn forget(&self, path: &Path) {
        self.open.lock().unwrap_or_else(PoisonError::into_inner).retain(|(of, _)| of != path);
    }
}

/// Reads a shared file from a position of its own, through a buffer.
#[derive(Debug)]
pub(super) struct Reader {
    file: Arc<File>,
    position: u64,
    /// What was read ahead, and where it begins.
    buffer: Vec<u8>,
    begin: u64,
    ahead: usize,
}

impl Reader {
    /// `ahead`: bytes that are read at once.
    pub(super) fn new(file: Arc<File>, ahead: usize) -> Self {
        Self { file, position: 0, buffer: Vec::new(), begin: 0, ahead }
    }

    pub(super) fn len(&self) -> io::Result<u64> {
        Ok(self.file.metadata()?.len())
    }

    pub(super) fn seek(&mut self, to: u64) {
        self.position = to;
    }

    fn buffered(&self) -> &[u8] {
        let from = self.position.checked_sub(self.begin).and_then(|from| usize::try_from(from).ok());
        from.and_then(|from| self.buffer.get(from..)).unwrap_or_default()
    }
}

impl Read for Reader {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        if self.buffered().is_empty() {
            if into.len() >= self.ahead {
                let read = read_at(&self.file, into, self.position)?;
                self.position += read as u64;
                return Ok(read);
            }
            self.buffer.resize(self.ahead, 0);
            let read = read_at(&self.file, &mut self.buffer, self.position);
            self.buffer.truncate(*read.as_ref().unwrap_or(&0));
            self.begin = self.position;
            read?;
        }
        let mut from = self.buffered();
        let read = from.read(into)?;
        self.position += read as u64;
        Ok(read)
    }
}

#[cfg(unix)]
fn read_at(file: &File, into: &mut [u8], at: u64) -> io::Result<usize> {
    std::os::unix::fs::FileExt::read_at(file, into, at)
}

#[cfg(windows)]
fn read_at(file: &File, into: &mut [u8], at: u64) -> io::Result<usize> {
    std::os::windows::fs::FileExt::seek_read(file, into, at)
}
