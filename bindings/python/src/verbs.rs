//! Verbs whose answers compare: options, explanations, reverse questions, providers × plans.

use coverdex_core as core;
use pyo3::prelude::*;

use crate::answers::{DrugOptions, Explanation, NetworkMatrix, PlansCovering, PlansTaking, Years};
use crate::dataset::{Dataset, needed_place, nobody_asked, place};
use crate::errors::Answer;

#[pymethods]
impl Dataset {
    /// What a plan has with the same ingredients as a drug: better status or level first.
    ///
    /// >>> options = ds.same_ingredient("H9231-001-000-2026", "lipitor 20 mg")
    /// >>> print(options.status, options.options[0].name, options.options[0].comparison)
    /// not_covered atorvastatin better
    #[pyo3(signature = (plan, drug, *, county = None, zip = None, not_listed = false, limit = 20, page = None))]
    fn same_ingredient(
        &self,
        py: Python<'_>,
        plan: String,
        drug: String,
        county: Option<String>,
        zip: Option<String>,
        not_listed: bool,
        limit: usize,
        page: Option<String>,
    ) -> Answer<DrugOptions> {
        let (place, page) = (place(county, zip)?, page.map(core::PageToken::new));
        let question = core::OptionsQuestion { plan, drug, place, not_listed, limit, page };
        let options = Years::of(self.ask(py, |dataset| dataset.same_ingredient(&question))?);
        Ok(DrugOptions::new(options.ok_or_else(|| nobody_asked("same_ingredient"))?))
    }

    /// Why a plan covers a drug or does not: each condition, what the data says, which decided.
    ///
    /// >>> why = ds.explain("H9231-001-000-2026", "lisinopril 10 mg")
    /// >>> [condition.name for condition in why.conditions if condition.decided] != []
    /// True
    #[pyo3(signature = (plan, drug, *, county = None, zip = None))]
    fn explain(
        &self,
        py: Python<'_>,
        plan: &str,
        drug: &str,
        county: Option<String>,
        zip: Option<String>,
    ) -> Answer<Explanation> {
        let place = place(county, zip)?;
        let why = Years::of(self.ask(py, |dataset| dataset.explain_coverage(plan, drug, place.as_ref()))?);
        Ok(Explanation::new(why.ok_or_else(|| nobody_asked("explain"))?))
    }

    /// Which plans that are sold at a place cover a drug.
    ///
    /// >>> covering = ds.plans_covering("eliquis 5 mg", county="Doña Ana County, NM", year=2026)
    /// >>> "H9231-001-000-2026" in [plan.plan for plan in covering.plans]
    /// True
    #[pyo3(signature = (drug, *, county = None, zip = None, year = None, audience = None))]
    fn plans_covering(
        &self,
        py: Python<'_>,
        drug: &str,
        county: Option<String>,
        zip: Option<String>,
        year: Option<u16>,
        audience: Option<&str>,
    ) -> Answer<PlansCovering> {
        let (place, audience) = (needed_place(county, zip)?, audience.map(str::parse).transpose()?);
        Ok(PlansCovering::new(self.ask(py, |dataset| dataset.plans_covering(drug, &place, year, audience))?))
    }

    /// Which plans that are sold at a place have a provider in their networks; by NPI or words of the name.
    ///
    /// >>> taking = ds.plans_taking("José Núñez", county="Doña Ana County, NM", year=2026)
    /// >>> "H9231-001-000-2026" in [plan.plan for plan in taking.taking]
    /// True
    #[pyo3(signature = (provider, *, name = None, county = None, zip = None, year = None, audience = None, network_kind = None))]
    fn plans_taking(
        &self,
        py: Python<'_>,
        provider: String,
        name: Option<String>,
        county: Option<String>,
        zip: Option<String>,
        year: Option<u16>,
        audience: Option<&str>,
        network_kind: Option<&str>,
    ) -> Answer<PlansTaking> {
        let (place, audience) = (needed_place(county, zip)?, audience.map(str::parse).transpose()?);
        let kind = network_kind.map(str::parse).transpose()?;
        let provider = core::ProviderText { text: provider, name };
        let taking = self.ask(py, |dataset| dataset.plans_taking(&provider, &place, year, audience, kind))?;
        Ok(PlansTaking::new(taking))
    }

    /// Providers × plans in one call, by NPI or words of the name; plans best first.
    ///
    /// >>> matrix = ds.network_matrix(["José Núñez", "nobody at all"], ["H9231-001-000-2026"])
    /// >>> [answer.network_status for answer in matrix.plans[0].answers]
    /// ['in_network', 'not_in_directory']
    #[pyo3(signature = (providers, plans = Vec::new(), *, county = None, zip = None, year = None, audience = None, network_kind = None))]
    fn network_matrix(
        &self,
        py: Python<'_>,
        providers: Vec<String>,
        plans: Vec<String>,
        county: Option<String>,
        zip: Option<String>,
        year: Option<u16>,
        audience: Option<&str>,
        network_kind: Option<&str>,
    ) -> Answer<NetworkMatrix> {
        let question = core::NetworkMatrixQuestion {
            providers: providers.iter().map(|text| core::ProviderText::from(text.as_str())).collect(),
            plans,
            place: place(county, zip)?,
            year,
            audience: audience.map(str::parse).transpose()?,
            network_kind: network_kind.map(str::parse).transpose()?,
        };
        Ok(NetworkMatrix::new(self.ask(py, |dataset| dataset.network_matrix(&question))?))
    }
}
