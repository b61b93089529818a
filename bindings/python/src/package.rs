//! What the Python half of the package defines.

use pyo3::prelude::*;

/// Something that a module of the package defines.
pub(crate) fn item<'py>(py: Python<'py>, module: &str, name: &str) -> PyResult<Bound<'py, PyAny>> {
    py.import(module)?.getattr(name)
}
