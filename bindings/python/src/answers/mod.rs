//! Answers of core as frozen Python objects. Each holds the answer as core gave it and reads a field
//! when it is asked for; its fields are those of the document that the command prints.

mod coverage;
mod info;
mod plans;
mod providers;
mod shown;
mod status;
mod verbs;
mod years;

pub(crate) use self::coverage::{
    AskedDrug, Candidate, Coverage, CoverageMatrix, DrugLine, DrugPage, MatrixPlan, Package, PlanCoverage, Statement,
    Tier, Varies,
};
pub(crate) use self::info::Info;
pub(crate) use self::plans::{CountiesFound, County, Network, Plan, PlansFound};
pub(crate) use self::providers::{PracticeLocation, PracticingAt, Provider, ProvidersFound, Role};
pub(crate) use self::shown::{Document, Shown, are_same, digest, document};
pub(crate) use self::verbs::{
    DrugOptions, Explanation, NetworkMatrix, PlanComparison, PlansCovering, PlansTaking, ProviderExplanation,
};
pub(crate) use self::years::Years;

/// Defines the Python class of an answer by the list of its fields: each with the path to it inside core's
/// answer (the field of the same name, unless another is said), or `document` for what core writes only into
/// the document.
macro_rules! answer {
    (@read $answer:ident $py:ident $field:ident document) => {
        $answer.document.field($py, &*$answer.of, $crate::answers::bare(stringify!($field)))
    };
    (@read $answer:ident $py:ident $field:ident $($path:tt)+) => {
        $crate::answers::Shown::shown(&$answer.of.$($path)+, $py)
    };
    (@read $answer:ident $py:ident $field:ident) => {
        $crate::answers::Shown::shown(&$answer.of.$field, $py)
    };
    (
        $(#[$about:meta])*
        $name:ident($core:ty) { $($(#[$says:meta])* $field:ident $(($($path:tt)+))?;)* }
        $(methods { $($methods:tt)* })?
    ) => {
        $(#[$about])*
        #[pyo3::pyclass(frozen, eq, module = "coverdex")]
        #[derive(Debug)]
        pub(crate) struct $name {
            pub(crate) of: std::sync::Arc<$core>,
            #[allow(dead_code, reason = "some answers have no field that core writes only into the document")]
            document: $crate::answers::Document,
        }

        impl PartialEq for $name {
            fn eq(&self, other: &Self) -> bool {
                std::sync::Arc::ptr_eq(&self.of, &other.of) || $crate::answers::are_same(&*self.of, &*other.of)
            }
        }

        impl $name {
            #[allow(dead_code, reason = "answers inside others are made where they are shown")]
            pub(crate) fn new(of: $core) -> Self {
                Self { of: std::sync::Arc::new(of), document: $crate::answers::Document::default() }
            }
        }

        impl $crate::answers::Shown for $core {
            fn shown<'py>(&self, py: pyo3::Python<'py>) -> pyo3::PyResult<pyo3::Bound<'py, pyo3::PyAny>> {
                Ok(pyo3::Bound::new(py, $name::new(self.clone()))?.into_any())
            }
        }

        #[pyo3::pymethods]
        impl $name {
            $($(#[$says])*
            #[getter]
            fn $field<'py>(&self, py: pyo3::Python<'py>) -> pyo3::PyResult<pyo3::Bound<'py, pyo3::PyAny>> {
                let answer = self;
                answer!(@read answer py $field $($($path)+)?)
            })*

            /// The answer as the command prints it with `--json`.
            fn to_dict<'py>(&self, py: pyo3::Python<'py>) -> pyo3::PyResult<pyo3::Bound<'py, pyo3::PyAny>> {
                $crate::answers::document(py, &*self.of)
            }

            /// Names of the fields, in their order.
            #[classattr]
            #[pyo3(name = "_fields")]
            fn fields(py: pyo3::Python<'_>) -> pyo3::PyResult<pyo3::Bound<'_, pyo3::types::PyTuple>> {
                pyo3::types::PyTuple::new(py, [$($crate::answers::bare(stringify!($field))),*])
            }

            fn __copy__(slf: pyo3::PyRef<'_, Self>) -> pyo3::PyRef<'_, Self> {
                slf
            }

            fn __deepcopy__<'py>(
                slf: pyo3::PyRef<'py, Self>,
                _memo: pyo3::Bound<'py, pyo3::PyAny>,
            ) -> pyo3::PyRef<'py, Self> {
                slf
            }

            fn __hash__(&self) -> pyo3::PyResult<u64> {
                $crate::answers::digest(&*self.of)
            }

            fn __repr__<'py>(slf: &pyo3::Bound<'py, Self>) -> pyo3::PyResult<pyo3::Bound<'py, pyo3::PyAny>> {
                pyo3::types::PyAnyMethods::call1(&$crate::package::item(slf.py(), "coverdex._show", "text")?, (slf,))
            }

            fn _repr_html_<'py>(slf: &pyo3::Bound<'py, Self>) -> pyo3::PyResult<pyo3::Bound<'py, pyo3::PyAny>> {
                pyo3::types::PyAnyMethods::call1(&$crate::package::item(slf.py(), "coverdex._show", "html")?, (slf,))
            }

            $($($methods)*)?
        }
    };
}
pub(crate) use answer;

/// A field's name without the mark that lets Rust use a word of its own as one.
pub(crate) fn bare(name: &str) -> &str {
    name.strip_prefix("r#").unwrap_or(name)
}
