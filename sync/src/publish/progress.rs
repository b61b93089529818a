//! How far a publication is while it is taken.

use std::cell::Cell;
use std::io::{self, Write};

/// How far a publication is while it is taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TakeProgress {
    /// So many bytes are done of those that are to be fetched, unpacked and compared.
    Bringing {
        /// Done.
        done: u64,
        /// All.
        total: u64,
    },
    /// Every file is here: the dataset is looked through and asked, and is live then.
    Checking,
}

/// Tells somebody how many bytes are done.
pub(super) struct Meter<'a> {
    watch: &'a dyn Fn(TakeProgress),
    total: Cell<u64>,
    /// Bytes of the files that are done.
    ended: Cell<u64>,
}

impl<'a> Meter<'a> {
    pub(super) fn new(watch: &'a dyn Fn(TakeProgress)) -> Self {
        Self { watch, total: Cell::new(0), ended: Cell::new(0) }
    }

    pub(super) fn expect(&self, total: u64) {
        self.total.set(total);
        self.ended.set(0);
        self.at(0);
    }

    /// So many bytes of the file that is under way are done.
    pub(super) fn at(&self, of_file: u64) {
        let total = self.total.get();
        let done = self.ended.get().saturating_add(of_file).min(total);
        (self.watch)(TakeProgress::Bringing { done, total });
    }

    /// A file of so many bytes is done.
    pub(super) fn ended(&self, bytes: u64) {
        self.ended.set(self.ended.get().saturating_add(bytes));
        self.at(0);
    }

    pub(super) fn checking(&self) {
        (self.watch)(TakeProgress::Checking);
    }
}

/// Counts what is written of a file, of which so many bytes were done before.
pub(super) struct Metered<'a, W> {
    pub(super) to: W,
    pub(super) done: u64,
    pub(super) meter: &'a Meter<'a>,
}

impl<W: Write> Write for Metered<'_, W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.to.write(bytes)?;
        self.done = self.done.saturating_add(written as u64);
        self.meter.at(self.done);
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.to.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::RefCell;

    #[test]
    fn what_is_done_grows_to_all_of_it() {
        let seen = RefCell::new(Vec::new());
        let watch = |progress| seen.borrow_mut().push(progress);
        let meter = Meter::new(&watch);
        meter.expect(10);
        Metered { to: io::sink(), done: 2, meter: &meter }.write_all(&[0; 4]).unwrap();
        meter.ended(6);
        meter.at(9);
        meter.ended(4);
        meter.checking();
        let done: Vec<u64> = seen
            .borrow()
            .iter()
            .filter_map(|progress| match progress {
                TakeProgress::Bringing { done, total: 10 } => Some(*done),
                _ => None,
            })
            .collect();
        assert_eq!(done, [0, 6, 6, 10, 10], "a file that takes more than was expected does not lead beyond the end");
        assert_eq!(seen.borrow().last(), Some(&TakeProgress::Checking));
    }
}
