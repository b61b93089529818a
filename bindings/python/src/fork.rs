//! Forks. Connections to a database and the locks of other threads do not survive one, so each process
//! opens a dataset for itself.

use std::sync::atomic::{AtomicU64, Ordering};

use pyo3::prelude::*;
use pyo3::types::PyDict;

/// How often this process and its parents were forked.
static FORKS: AtomicU64 = AtomicU64::new(0);

/// How often this process and its parents were forked so far.
pub(crate) fn count() -> u64 {
    FORKS.load(Ordering::Relaxed)
}

#[pyfunction]
fn forked() {
    FORKS.fetch_add(1, Ordering::Relaxed);
}

/// Counts forks from now on, where the system has them.
pub(crate) fn watch(py: Python<'_>) -> PyResult<()> {
    let os = py.import("os")?;
    let Ok(register) = os.getattr("register_at_fork") else { return Ok(()) };
    let how = PyDict::new(py);
    how.set_item("after_in_child", wrap_pyfunction!(forked, py)?)?;
    register.call((), Some(&how))?;
    Ok(())
}
