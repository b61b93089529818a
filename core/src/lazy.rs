//! A value that is read at first use; a failed read is tried again at the next.

use std::sync::{Mutex, OnceLock, PoisonError};

use crate::Result;

/// Read once, then shared.
#[derive(Debug)]
pub(crate) struct Lazy<T> {
    cell: OnceLock<T>,
    reading: Mutex<()>,
}

impl<T> Default for Lazy<T> {
    fn default() -> Self {
        Self { cell: OnceLock::new(), reading: Mutex::new(()) }
    }
}

impl<T> Lazy<T> {
    pub(crate) fn get(&self, read: impl FnOnce() -> Result<T>) -> Result<&T> {
        if let Some(value) = self.cell.get() {
            return Ok(value);
        }
        let _one_reader = self.reading.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(value) = self.cell.get() {
            return Ok(value);
        }
        let value = read()?;
        Ok(self.cell.get_or_init(|| value))
    }
}
