//! A dataset, open for questions.

use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

use coverdex_core as core;
use coverdex_core::{Error, PlanFilter, PracticeQuery, TableQuery};
use pyo3::prelude::*;

use crate::errors::Answer;
use crate::fork;
use crate::table::Table;
use crate::{answers, calls, lists, numbers};

/// Opens a dataset folder, or the live dataset of a store; a context manager.
///
/// >>> with coverdex.open(store) as ds:
/// ...     ds.as_of
/// '2026-11-05T08:00:00Z'
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
        let again = dataset.reopened()?;
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
        calls::run(py, &self.get()?, self.token.as_ref(), |dataset, _| call(dataset))
    }

    /// The same for a call that reads something beside the dataset, which the token ends too.
    pub(crate) fn ask_and_read<T: Send>(
        &self,
        py: Python<'_>,
        call: impl FnOnce(&core::Dataset, &core::Cancel) -> core::Result<T> + Send,
    ) -> Answer<T> {
        calls::run(py, &self.get()?, self.token.as_ref(), call)
    }
}

impl Dataset {
    fn table(&self, py: Python<'_>, query: TableQuery) -> Answer<Table> {
        self.ask(py, |dataset| Table::read(dataset.table(query)?))
    }
}

/// A point: text as the command takes it, or latitude and longitude.
#[derive(FromPyObject)]
pub(crate) enum At {
    Text(String),
    Degrees((f64, f64)),
}

impl At {
    fn place(self) -> core::Place {
        core::Place::Point(match self {
            Self::Text(text) => text,
            Self::Degrees((lat, lon)) => format!("{lat},{lon}"),
        })
    }
}

/// The place that is named, if one is.
pub(crate) fn place(county: Option<String>, zip: Option<String>) -> Answer<Option<core::Place>> {
    only_place([county.map(core::Place::County), zip.map(core::Place::Zip)])
}

/// The place that a question cannot do without.
pub(crate) fn needed_place(
    county: Option<String>,
    zip: Option<String>,
    at: Option<At>,
    state: Option<String>,
) -> Answer<core::Place> {
    let none = || Error::invalid("place", "none is named").with_hint("name a county or a ZIP");
    Ok(any_place(county, zip, at, state)?.ok_or_else(none)?)
}

/// The place that is named, if one is, of any kind.
pub(crate) fn any_place(
    county: Option<String>,
    zip: Option<String>,
    at: Option<At>,
    state: Option<String>,
) -> Answer<Option<core::Place>> {
    only_place([
        county.map(core::Place::County),
        zip.map(core::Place::Zip),
        at.map(At::place),
        state.map(core::Place::State),
    ])
}

fn only_place<const N: usize>(places: [Option<core::Place>; N]) -> Answer<Option<core::Place>> {
    let mut named = places.into_iter().flatten();
    let first = named.next();
    if named.next().is_some() {
        return Err(Error::invalid("place", "several places were named: one of them says it all").into());
    }
    Ok(first)
}

/// Core answers every question that it takes at least once.
pub(crate) fn nobody_asked(what: &str) -> Error {
    Error::new(core::ErrorKind::NotFound, what, "there is no answer")
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

    /// Whether a plan covers a drug; where the plan may mean several years, in the year of the data.
    ///
    /// A drug that fits several or nothing is an answer; an unknown plan is an error with candidates.
    ///
    /// >>> answer = ds.coverage("H9231-001", "atorvastatin 20 mg")
    /// >>> print(answer.status, [tier.display for tier in answer.varies.tiers])
    /// covered ['Preferred Generic', 'Generic']
    #[pyo3(signature = (plan, drug, *, county = None, zip = None))]
    fn coverage(
        &self,
        py: Python<'_>,
        plan: &str,
        drug: &str,
        county: Option<String>,
        zip: Option<String>,
    ) -> Answer<answers::Coverage> {
        let place = place(county, zip)?;
        let answers = self.ask(py, |dataset| dataset.coverage_answers(plan, drug, place.as_ref()))?;
        let first = answers.into_iter().next();
        let none = || Error::new(core::ErrorKind::NotFound, format!("plan {plan}"), "not in this dataset");
        Ok(answers::Coverage::new(first.ok_or_else(none)?))
    }

    /// Whether a plan covers a drug, in each year that the plan may mean, the year of the data first.
    #[pyo3(signature = (plan, drug, *, county = None, zip = None))]
    fn coverage_by_year(
        &self,
        py: Python<'_>,
        plan: &str,
        drug: &str,
        county: Option<String>,
        zip: Option<String>,
    ) -> Answer<Vec<answers::Coverage>> {
        let place = place(county, zip)?;
        let answers = self.ask(py, |dataset| dataset.coverage_answers(plan, drug, place.as_ref()))?;
        Ok(answers.into_iter().map(answers::Coverage::new).collect())
    }

    /// Drugs × plans in one call; plans best first.
    ///
    /// >>> matrix = ds.coverage_matrix(["eliquis 5 mg", "no such drug"], ["H9231-001-000-2026"])
    /// >>> [str(answer.status) for answer in matrix.plans[0].answers]
    /// ['covered', 'not_found']
    #[pyo3(signature = (drugs, plans = Vec::new(), *, county = None, zip = None, year = None, audience = None))]
    fn coverage_matrix(
        &self,
        py: Python<'_>,
        #[pyo3(from_py_with = lists::texts)] drugs: Vec<String>,
        #[pyo3(from_py_with = lists::texts)] plans: Vec<String>,
        county: Option<String>,
        zip: Option<String>,
        #[pyo3(from_py_with = numbers::year)] year: Option<u16>,
        audience: Option<&str>,
    ) -> Answer<answers::CoverageMatrix> {
        let audience = audience.map(str::parse).transpose()?;
        let question = core::MatrixQuestion { drugs, plans, place: place(county, zip)?, year, audience };
        Ok(answers::CoverageMatrix::new(self.ask(py, |dataset| dataset.coverage_matrix(&question))?))
    }

    /// Drugs that fit what was typed so far, best first; with a plan its tiers and restrictions.
    ///
    /// >>> line = ds.drugs("eliqis", plan="H9231-001")[0]
    /// >>> print(line.name, line.coverage.status, line.misspelt)
    /// Eliquis covered True
    #[pyo3(signature = (text, *, plan = None, limit = 10, codes = true, page = None))]
    fn drugs(
        &self,
        py: Python<'_>,
        text: String,
        plan: Option<&str>,
        #[pyo3(from_py_with = numbers::count)] limit: usize,
        codes: bool,
        page: Option<String>,
    ) -> Answer<answers::DrugPage> {
        let (plan, page) = (plan.map(str::to_owned), page.map(core::PageToken::new));
        let question = core::DrugsQuestion { text, plan, limit, codes, page };
        let found = self.ask(py, |dataset| dataset.ask_drugs(&question))?;
        Ok(answers::DrugPage::new(answers::Years::of(found).ok_or_else(|| nobody_asked("drugs"))?))
    }

    /// Plans that fit: by words of the name or the beginning of the id, by type, audience, year, and where they
    /// are sold.
    ///
    /// >>> [plan.plan for plan in ds.plans(county="Baltimore County, MD")]
    /// ['H9231-040-000-2026']
    #[pyo3(signature = (text = None, *, r#type = None, audience = None, year = None, county = None, zip = None))]
    fn plans(
        &self,
        py: Python<'_>,
        text: Option<String>,
        r#type: Option<String>,
        audience: Option<&str>,
        #[pyo3(from_py_with = numbers::year)] year: Option<u16>,
        county: Option<String>,
        zip: Option<String>,
    ) -> Answer<answers::PlansFound> {
        let audience = audience.map(str::parse).transpose()?;
        let (filter, place) = (PlanFilter { text, kind: r#type, audience, year }, place(county, zip)?);
        Ok(answers::PlansFound::new(self.ask(py, |dataset| dataset.find_plans(&filter, place.as_ref()))?))
    }

    /// In-network providers near a county, a ZIP or a point, or in a state: one result is one provider at one place.
    /// Where the plan may mean several years, in the networks of the year of the data.
    ///
    /// >>> found = ds.providers(plan="H9231-001", county="Doña Ana County, NM", specialty="heart doctor")
    /// >>> print(found.total, found[0].name, found[0].accepting_new_patients)
    /// 1 José Núñez yes
    #[pyo3(signature = (
        *, plan = None, network = None, network_kind = None, county = None, zip = None, at = None, state = None,
        within_km = None, specialty = None, name = None, kind = None, gender = None, language = None,
        accepting = false, city = None, limit = 20, offset = 0, page = None, count_similar = true,
    ))]
    fn providers(
        &self,
        py: Python<'_>,
        plan: Option<String>,
        network: Option<String>,
        network_kind: Option<&str>,
        county: Option<String>,
        zip: Option<String>,
        at: Option<At>,
        state: Option<String>,
        within_km: Option<f64>,
        specialty: Option<String>,
        name: Option<String>,
        kind: Option<&str>,
        gender: Option<String>,
        language: Option<String>,
        accepting: bool,
        city: Option<String>,
        #[pyo3(from_py_with = numbers::count)] limit: usize,
        #[pyo3(from_py_with = numbers::count)] offset: usize,
        page: Option<String>,
        count_similar: bool,
    ) -> Answer<answers::ProvidersFound> {
        let question = core::ProvidersQuestion {
            plan,
            network,
            network_kind: network_kind.map(str::parse).transpose()?,
            place: any_place(county, zip, at, state)?,
            radius_km: within_km,
            specialty,
            name,
            kind: kind.map(str::parse).transpose()?,
            gender,
            language,
            accepting,
            city,
            limit,
            offset,
            page: page.map(core::PageToken::new),
            count_similar,
        };
        let found = answers::Years::of(self.ask(py, |dataset| dataset.ask_providers(&question))?);
        Ok(answers::ProvidersFound::new(found.ok_or_else(|| nobody_asked("providers"))?))
    }

    /// Everything known of one provider, by NPI, and by words of its name where several state the NPI; with a plan
    /// or a network whether it is in it.
    #[pyo3(signature = (npi, *, name = None, plan = None, network = None, network_kind = None))]
    fn provider(
        &self,
        py: Python<'_>,
        npi: String,
        name: Option<String>,
        plan: Option<String>,
        network: Option<String>,
        network_kind: Option<&str>,
    ) -> Answer<answers::Provider> {
        let network_kind = network_kind.map(str::parse).transpose()?;
        let question = core::ProviderQuestion { npi, name, plan, network, network_kind };
        let known = answers::Years::of(self.ask(py, |dataset| dataset.ask_provider(&question))?);
        Ok(answers::Provider::new(known.ok_or_else(|| nobody_asked("provider"))?))
    }

    /// What the dataset holds, and how completely it was received.
    fn info(&self, py: Python<'_>) -> Answer<answers::Info> {
        Ok(answers::Info::new(self.ask(py, core::Dataset::info)?))
    }

    /// The counties that a name, a FIPS code or a ZIP means.
    ///
    /// >>> [(county.fips, county.name) for county in ds.counties("Baltimore, MD")]
    /// [('24005', 'Baltimore County'), ('24510', 'Baltimore city')]
    fn counties(&self, py: Python<'_>, text: &str) -> Answer<answers::CountiesFound> {
        Ok(answers::CountiesFound::new(self.ask(py, |dataset| dataset.find_counties(text))?))
    }

    /// The table of plans.
    #[pyo3(signature = (text = None, *, year = None))]
    fn plan_table(
        &self,
        py: Python<'_>,
        text: Option<String>,
        #[pyo3(from_py_with = numbers::year)] year: Option<u16>,
    ) -> Answer<Table> {
        let filter = PlanFilter { text, year, ..PlanFilter::default() };
        self.table(py, TableQuery::Plans(filter))
    }

    /// The table of what a plan's formulary lists, in each year that the plan may mean.
    ///
    /// >>> table = ds.formulary("H9231-001-000-2026")
    /// >>> table.column_names[:4]
    /// ['plan', 'year', 'ndc11', 'product_ndc']
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
