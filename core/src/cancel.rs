//! Stopping a call from another thread.

use std::fmt;
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
pub struct Cancel(Arc<Inner>);

#[derive(Default)]
struct Inner {
    is_cancelled: AtomicBool,
    /// Asked at each check whether to cancel.
    ask: Option<Box<dyn Fn() -> bool + Send + Sync>>,
}

impl fmt::Debug for Inner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Inner").field("is_cancelled", &self.is_cancelled).finish_non_exhaustive()
    }
}

impl Cancel {
    /// A token that nobody has cancelled yet.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// A token that is cancelled once `ask` says so. It is asked in the thread of the call, at each of its
    /// checks: often, so let it be quick. For hosts that can only look, such as for a signal.
    ///
    /// ```
    /// use coverdex_core::Cancel;
    ///
    /// let end = std::time::Instant::now() + std::time::Duration::from_secs(1);
    /// let cancel = Cancel::asking(move || std::time::Instant::now() > end);
    /// assert!(!cancel.is_cancelled());
    /// ```
    #[must_use]
    pub fn asking(ask: impl Fn() -> bool + Send + Sync + 'static) -> Self {
        Self(Arc::new(Inner { is_cancelled: AtomicBool::new(false), ask: Some(Box::new(ask)) }))
    }

    /// Whether the host says so now.
    fn is_told(&self) -> bool {
        let told = self.0.ask.as_ref().is_some_and(|ask| ask());
        if told {
            self.cancel();
        }
        told
    }

    /// Every call that has the token ends with [`ErrorKind::Interrupted`] at its next check.
    pub fn cancel(&self) {
        self.0.is_cancelled.store(true, Ordering::Relaxed);
    }

    /// Whether it was cancelled.
    #[must_use]
    pub fn is_cancelled(&self) -> bool {
        self.0.is_cancelled.load(Ordering::Relaxed) || self.is_told()
    }

    /// To be called in every loop whose length the data decides.
    pub(crate) fn check(&self) -> Result<()> {
        if self.is_cancelled() { Err(Error::new(ErrorKind::Interrupted, "call", "cancelled")) } else { Ok(()) }
    }
}
