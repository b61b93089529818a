//! A dataset, open for questions.

use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

use coverdex_core as core;
use coverdex_core::{Error, PlanFilter, PracticeQuery, TableQuery};
use pyo3::prelude::*;

use crate::calls;
use crate::errors::Answer;
use crate::fork;
use crate::table::Table;

/// Opens a dataset folder, or the live dataset of a store.
#[pyfunction]
pub(crate) fn open(py: Python<'_>, path: PathBuf) -> Answer<Dataset> {
    let dataset = py.detach(|| core::Dataset::open(path))?;
    Ok(Dataset::new(dataset, None))
}

/// A token that stops the calls it is given to.
#[pyclass(frozen, module = "coverdex")]
#[derive(Clone, Debug, Default)]
pub(crate) struct Cancel(core::Cancel);

#[pymethods]
impl Cancel {
    #[new]
    fn new() -> Self {
        Self::default()
    }

    /// Ends every call that has the token; whatever thread it runs in.
    fn cancel(&self) {
        self.0.cancel();
    }

    /// Whether it was cancelled.
    #[getter]
    fn is_cancelled(&self) -> bool {
        self.0.is_cancelled()
    }

    fn __repr__(&self) -> &'static str {
        if self.0.is_cancelled() { "<coverdex.Cancel: cancelled>" } else { "<coverdex.Cancel>" }
    }
}

/// A dataset, open for questions.
#[pyclass(frozen, module = "coverdex", weakref)]
#[derive(Debug)]
pub(crate) struct Dataset {
    /// Locked for a moment and only with the interpreter's lock, so that no other thread holds it where
    /// a process forks.
    held: Mutex<Held>,
    token: Option<core::Cancel>,
}

#[derive(Debug)]
struct Held {
    /// None: it was closed.
    dataset: Option<core::Dataset>,
    /// How often the process that opened it had been forked.
    forks: u64,
}

impl Dataset {
    fn new(dataset: core::Dataset, token: Option<core::Cancel>) -> Self {
        Self { held: Mutex::new(Held { dataset: Some(dataset), forks: fork::count() }), token }
    }

    /// The dataset as this process may ask it.
    fn get(&self) -> Answer<core::Dataset> {
        let mut held = self.held.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(dataset) = held.dataset.clone() else {
            return Err(Error::invalid("dataset", "it was closed").into());
        };
        if held.forks == fork::count() {
            return Ok(dataset);
        }
        let again = core::Dataset::open(dataset.folder())?;
        // What the parent opened is its own: nothing of it is closed here.
        std::mem::forget(held.dataset.replace(again.clone()));
        std::mem::forget(dataset);
        held.forks = fork::count();
        Ok(again)
    }

    /// Asks the dataset something while other threads go on.
    pub(crate) fn ask<T: Send>(
        &self,
        py: Python<'_>,
        call: impl FnOnce(&core::Dataset) -> core::Result<T> + Send,
    ) -> Answer<T> {
        calls::run(py, &self.get()?, self.token.as_ref(), call)
    }
}

impl Dataset {
    fn table(&self, py: Python<'_>, query: TableQuery) -> Answer<Table> {
        self.ask(py, |dataset| Table::read(dataset.table(query)?))
    }
}

#[pymethods]
impl Dataset {
    /// Closes the dataset; a question asked then is an error.
    fn close(&self) {
        let mut held = self.held.lock().unwrap_or_else(PoisonError::into_inner);
        let dataset = held.dataset.take();
        if held.forks != fork::count() {
            std::mem::forget(dataset);
        }
    }

    fn __enter__(slf: Bound<'_, Self>) -> Bound<'_, Self> {
        slf
    }

    #[pyo3(signature = (*_exception))]
    fn __exit__(&self, _exception: &Bound<'_, pyo3::types::PyTuple>) {
        self.close();
    }

    /// The same dataset for calls that this token stops.
    fn cancelled_by(&self, token: &Cancel) -> Answer<Self> {
        Ok(Self::new(self.get()?, Some(token.0.clone())))
    }

    /// When the payer's data was read or last changed, RFC 3339 in UTC.
    #[getter]
    fn as_of(&self) -> Answer<String> {
        Ok(self.get()?.as_of().to_owned())
    }

    /// The source's name or kind.
    #[getter]
    fn source(&self) -> Answer<String> {
        Ok(self.get()?.source().to_owned())
    }

    /// The dataset's id.
    #[getter]
    fn id(&self) -> Answer<String> {
        Ok(self.get()?.manifest().dataset.clone())
    }

    /// The folder that was opened.
    #[getter]
    fn folder(&self) -> Answer<PathBuf> {
        Ok(self.get()?.folder().to_owned())
    }

    /// The table of plans.
    #[pyo3(signature = (text = None, *, year = None))]
    fn plan_table(&self, py: Python<'_>, text: Option<String>, year: Option<u16>) -> Answer<Table> {
        let filter = PlanFilter { text, year, ..PlanFilter::default() };
        self.table(py, TableQuery::Plans(filter))
    }

    /// The table of what a plan's formulary lists.
    fn formulary(&self, py: Python<'_>, plan: String) -> Answer<Table> {
        self.table(py, TableQuery::Formulary(plan))
    }

    /// The table of practice locations, a row for each role of a provider at a place.
    #[pyo3(signature = (*, plan = None, network = None, county = None, state = None, inactive = false))]
    fn practice_locations(
        &self,
        py: Python<'_>,
        plan: Option<String>,
        network: Option<String>,
        county: Option<String>,
        state: Option<String>,
        inactive: bool,
    ) -> Answer<Table> {
        self.table(py, TableQuery::PracticeLocations(PracticeQuery { plan, network, county, state, inactive }))
    }

    fn __repr__(&self) -> String {
        match self.get() {
            Ok(dataset) => {
                format!("<coverdex.Dataset {:?} as of {}>", dataset.folder().display().to_string(), dataset.as_of())
            }
            Err(_) => "<coverdex.Dataset, closed>".to_owned(),
        }
    }
}
