//! Threads for long work. Where the system starts none, that is an error of the system: who would start them
//! unasked ends the host.

use coverdex_core::{Error, ErrorKind, Result};

fn refused(error: impl ToString) -> Error {
    Error::new(ErrorKind::Io, "threads", error.to_string())
}

/// A pool of so many threads; 0: one for each processor. Parallel work outside of one would start rayon's own.
pub(crate) fn thread_pool(threads: usize) -> Result<rayon::ThreadPool> {
    rayon::ThreadPoolBuilder::new().num_threads(threads).build().map_err(refused)
}

/// Whether the system starts a thread now. Some libraries panic where it does not: ask before they start theirs.
///
/// # Errors
/// [`Io`](ErrorKind::Io) if it does not.
pub fn can_start() -> Result<()> {
    std::thread::Builder::new().spawn(|| ()).map(|started| drop(started.join())).map_err(refused)
}
