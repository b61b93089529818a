//! Stopping a call from another thread.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::{Error, ErrorKind, Result};

/// Stops the calls that are running on a dataset; calls begun later are not touched.
#[derive(Clone, Debug, Default)]
pub struct Interrupt(Arc<AtomicU64>);

/// One call's view of its dataset's interrupt.
#[derive(Debug)]
pub(crate) struct Watch<'a> {
    interrupt: &'a Interrupt,
    begun: u64,
}

impl Interrupt {
    /// Every call that is running now ends with [`ErrorKind::Interrupted`] at its next check.
    pub fn interrupt(&self) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }

    pub(crate) fn watch(&self) -> Watch<'_> {
        Watch { interrupt: self, begun: self.0.load(Ordering::Relaxed) }
    }
}

impl Watch<'_> {
    /// To be called in every loop whose length the data decides.
    pub(crate) fn check(&self) -> Result<()> {
        if self.interrupt.0.load(Ordering::Relaxed) == self.begun {
            Ok(())
        } else {
            Err(Error::new(ErrorKind::Interrupted, "call", "interrupted"))
        }
    }
}
