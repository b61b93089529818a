//! Numbers among the arguments: one that is too small or too large is wrong input, which names it.

use coverdex_core::Error;
use pyo3::exceptions::PyOverflowError;
use pyo3::prelude::*;

use crate::errors::Fault;

/// A limit or an offset.
pub(crate) fn count(value: &Bound<'_, PyAny>) -> PyResult<usize> {
    value.extract().map_err(|error| out_of_range(error, value, "limit or offset", "a whole number from 0 on"))
}

/// A year, or none.
pub(crate) fn year(value: &Bound<'_, PyAny>) -> PyResult<Option<u16>> {
    value.extract().map_err(|error| out_of_range(error, value, "year", "a year, such as 2026"))
}

fn out_of_range(error: PyErr, value: &Bound<'_, PyAny>, what: &str, wanted: &str) -> PyErr {
    if !error.is_instance_of::<PyOverflowError>(value.py()) {
        return error;
    }
    let wrong = Error::invalid(format!("{what} {value}"), "it is out of range").with_hint(format!("name {wanted}"));
    Fault::Core(wrong).into()
}
