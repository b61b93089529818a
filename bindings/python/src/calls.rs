//! Calls into core: without the interpreter's lock, and with an eye on signals.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use coverdex_core::{Cancel, Dataset, Result};
use pyo3::prelude::*;

use crate::errors::{Answer, Fault};

/// How long a call runs before it looks for signals, and between two looks.
const BETWEEN_LOOKS: Duration = Duration::from_millis(50);

/// Looks for signals now and then: Ctrl-C raises in the thread that runs the call, and ends it.
struct Signals {
    last_look: Mutex<Instant>,
    raised: Mutex<Option<PyErr>>,
}

impl Signals {
    /// Whether a signal's handler raised something. Takes the interpreter's lock for a moment.
    fn look(&self) -> bool {
        let Ok(mut last_look) = self.last_look.try_lock() else { return false };
        if last_look.elapsed() < BETWEEN_LOOKS {
            return false;
        }
        *last_look = Instant::now();
        drop(last_look);
        #[allow(clippy::redundant_closure_for_method_calls, reason = "the method is of one lifetime only")]
        let Err(error) = Python::attach(|py| py.check_signals()) else { return false };
        *self.raised.lock().unwrap_or_else(PoisonError::into_inner) = Some(error);
        true
    }
}

/// Runs a call on a dataset while other threads of Python go on. Ctrl-C cancels it, and so does the
/// caller's own token. What the call does beside the dataset ends by the token that it is given.
pub(crate) fn run<T: Send>(
    py: Python<'_>,
    dataset: &Dataset,
    token: Option<&Cancel>,
    call: impl FnOnce(&Dataset, &Cancel) -> Result<T> + Send,
) -> Answer<T> {
    let signals = Arc::new(Signals { last_look: Mutex::new(Instant::now()), raised: Mutex::new(None) });
    let (looking, token) = (Arc::clone(&signals), token.cloned());
    let cancel = Cancel::asking(move || token.as_ref().is_some_and(Cancel::is_cancelled) || looking.look());
    let bound = dataset.cancelled_by(&cancel);
    let answer = py.detach(|| call(&bound, &cancel));
    let raised = signals.raised.lock().unwrap_or_else(PoisonError::into_inner).take();
    match raised {
        Some(error) => Err(Fault::Python(error)),
        None => Ok(answer?),
    }
}
