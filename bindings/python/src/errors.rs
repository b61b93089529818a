//! Errors of core as exceptions of the package.

use coverdex_core::{Error, ErrorKind};
use pyo3::prelude::*;
use pyo3::types::PyTuple;

use crate::package;

/// Why a call has no answer: what core says, or an exception that Python raised on the way.
#[derive(Debug)]
pub(crate) enum Fault {
    Core(Error),
    Python(PyErr),
}

/// What a method gives.
pub(crate) type Answer<T> = Result<T, Fault>;

impl From<Error> for Fault {
    fn from(error: Error) -> Self {
        Self::Core(error)
    }
}

impl From<PyErr> for Fault {
    fn from(error: PyErr) -> Self {
        Self::Python(error)
    }
}

impl From<Fault> for PyErr {
    fn from(fault: Fault) -> Self {
        match fault {
            Fault::Python(error) => error,
            Fault::Core(error) => Python::attach(|py| exception(py, &error).unwrap_or_else(|failed| failed)),
        }
    }
}

/// The exception for an error.
fn exception(py: Python<'_>, error: &Error) -> PyResult<PyErr> {
    let class = package::item(py, "coverdex._errors", class_name(error.kind()))?;
    let candidates = PyTuple::new(py, error.candidates())?;
    let fields = (error.kind().as_str(), error.subject(), error.message(), error.hint(), candidates);
    Ok(PyErr::from_value(class.call1(fields)?))
}

const fn class_name(kind: ErrorKind) -> &'static str {
    match kind {
        ErrorKind::InvalidInput => "InvalidInput",
        ErrorKind::NotFound => "NotFound",
        ErrorKind::Ambiguous => "Ambiguous",
        ErrorKind::DatasetMissing => "DatasetMissing",
        ErrorKind::DatasetDamaged => "DatasetDamaged",
        ErrorKind::DatasetTooNew => "DatasetTooNew",
        ErrorKind::Refused => "Refused",
        ErrorKind::Io => "IoError",
        ErrorKind::Interrupted => "Interrupted",
        ErrorKind::Sync => "SyncError",
        _ => "CoverdexError",
    }
}
