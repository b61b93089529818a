//! What core's values look like in Python.

use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::sync::OnceLock;

use coverdex_core as core;
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyFloat, PyInt, PyString, PyTuple};
use serde::Serialize;

use crate::package;

/// A value of core as Python shows it.
pub(crate) trait Shown {
    fn shown<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>>;
}

impl<T: Shown + ?Sized> Shown for &T {
    fn shown<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        (**self).shown(py)
    }
}

impl<T: Shown> Shown for Option<T> {
    fn shown<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        match self {
            Some(value) => value.shown(py),
            None => Ok(py.None().into_bound(py)),
        }
    }
}

impl<T: Shown> Shown for [T] {
    fn shown<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let all = self.iter().map(|value| value.shown(py)).collect::<PyResult<Vec<_>>>()?;
        Ok(PyTuple::new(py, all)?.into_any())
    }
}

impl<T: Shown> Shown for Vec<T> {
    fn shown<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.as_slice().shown(py)
    }
}

impl Shown for str {
    fn shown<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        Ok(PyString::new(py, self).into_any())
    }
}

impl Shown for String {
    fn shown<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.as_str().shown(py)
    }
}

impl Shown for bool {
    fn shown<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        Ok(PyBool::new(py, *self).to_owned().into_any())
    }
}

impl Shown for f64 {
    fn shown<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        Ok(PyFloat::new(py, *self).into_any())
    }
}

impl Shown for core::PageToken {
    fn shown<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.as_str().shown(py)
    }
}

macro_rules! numbers {
    ($($number:ty),*) => {$(
        impl Shown for $number {
            fn shown<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
                Ok(PyInt::new(py, *self).into_any())
            }
        }
    )*};
}

/// Identifiers, by their normal spelling.
macro_rules! texts {
    ($($id:ty),*) => {$(
        impl Shown for $id {
            fn shown<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
                self.to_string().shown(py)
            }
        }
    )*};
}

numbers!(u16, u32, u64, usize);
texts!(core::Ndc11, core::Rxcui, core::PlanId, core::Npi, core::CountyFips, core::State, core::Zip5, core::Date);

/// An answer's document as Python's own dicts and lists.
pub(crate) fn document<'py>(py: Python<'py>, answer: &impl Serialize) -> PyResult<Bound<'py, PyAny>> {
    package::item(py, "json", "loads")?.call1((written(answer)?,))
}

fn written(answer: &impl Serialize) -> PyResult<String> {
    serde_json::to_string(answer).map_err(|error| PyRuntimeError::new_err(error.to_string()))
}

/// Whether two answers say the same.
pub(crate) fn are_same<T: Serialize>(one: &T, other: &T) -> bool {
    matches!((written(one), written(other)), (Ok(one), Ok(other)) if one == other)
}

/// An answer's document, made where the first field is read that core writes only there.
#[derive(Debug, Default)]
pub(crate) struct Document(OnceLock<Py<PyAny>>);

impl Document {
    /// A field of it: lists as tuples, objects as records; None where the document leaves it out.
    pub(crate) fn field<'py>(
        &self,
        py: Python<'py>,
        answer: &impl Serialize,
        field: &str,
    ) -> PyResult<Bound<'py, PyAny>> {
        let record = if let Some(record) = self.0.get() {
            record
        } else {
            let made = package::item(py, "coverdex._record", "frozen")?.call1((document(py, answer)?,))?.unbind();
            // Another thread may have made the same in the meantime.
            self.0.get_or_init(|| made)
        };
        match record.bind(py).getattr_opt(field)? {
            Some(value) => Ok(value),
            None => Ok(py.None().into_bound(py)),
        }
    }
}

/// A number that equal answers share.
pub(crate) fn digest(answer: &impl Serialize) -> PyResult<u64> {
    let mut hasher = DefaultHasher::new();
    written(answer)?.hash(&mut hasher);
    Ok(hasher.finish())
}
