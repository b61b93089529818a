//! Statuses and other words of a closed list: members of the package's enumerations.

use coverdex_core as core;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::PyDict;

use super::Shown;
use crate::package;

macro_rules! enumerations {
    ($($name:ident),* $(,)?) => {$(
        impl Shown for core::$name {
            fn shown<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
                static MEMBERS: PyOnceLock<Py<PyDict>> = PyOnceLock::new();
                member(py, &MEMBERS, stringify!($name), self.as_str())
            }
        }
    )*};
}

enumerations! {
    Accepting, Audience, CoverageReason, CoverageStatus, DrugBenefit, Inactive, NetworkKind, NetworkStatus, Offered,
    PhoneFrom, Precision, ProviderKind, RoleDoubt, SearchResult, TierLevel,
}

/// The member with this value; the value itself where the package does not know it yet.
fn member<'py>(
    py: Python<'py>,
    members: &PyOnceLock<Py<PyDict>>,
    name: &str,
    value: &str,
) -> PyResult<Bound<'py, PyAny>> {
    let members = members.get_or_try_init(py, || {
        let class = package::item(py, "coverdex._status", name)?;
        let members = class.getattr("_value2member_map_")?.cast_into::<PyDict>().map_err(PyErr::from)?;
        PyResult::Ok(members.unbind())
    })?;
    match members.bind(py).get_item(value)? {
        Some(member) => Ok(member),
        None => value.shown(py),
    }
}
