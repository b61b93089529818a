//! Stopping a call from another thread.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::{Error, ErrorKind, Result};

/// A token that stops the calls it is given to: see [`Dataset::cancelled_by`](crate::Dataset::cancelled_by).
/// Clones are the same token; once cancelled it stays so.
///
/// ```
/// use coverdex_core::Cancel;
///
/// let cancel = Cancel::new();
/// let of_other_thread = cancel.clone();
/// of_other_thread.cancel();
/// assert!(cancel.is_cancelled());
/// ```
#[derive(Clone, Debug, Default)]
pub struct Cancel(Arc<AtomicBool>);

impl Cancel {
    /// A token that nobody has cancelled yet.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Every call that has the token ends with [`ErrorKind::Interrupted`] at its next check.
    pub fn cancel(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Whether it was cancelled.
    #[must_use]
    pub fn is_cancelled(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }

    /// To be called in every loop whose length the data decides.
    pub(crate) fn check(&self) -> Result<()> {
        if self.is_cancelled() { Err(Error::new(ErrorKind::Interrupted, "call", "cancelled")) } else { Ok(()) }
    }
}
