//! Lists among the arguments: a text in place of a list is a mistake that is easily made.

use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::PyString;

/// A list of texts; one text alone is refused, as its letters would be taken for texts.
pub(crate) fn texts(value: &Bound<'_, PyAny>) -> PyResult<Vec<String>> {
    if let Ok(text) = value.cast::<PyString>() {
        return Err(PyTypeError::new_err(format!("a list of texts is needed, such as [{}]", text.repr()?)));
    }
    value.try_iter()?.map(|item| item?.extract()).collect()
}
