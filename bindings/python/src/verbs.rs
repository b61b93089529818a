//! Verbs whose answers compare: options, explanations, reverse questions, providers × plans.

use std::path::PathBuf;

use coverdex_core as core;
use pyo3::prelude::*;

use crate::answers::{
    DrugOptions, Explanation, NetworkMatrix, PlanComparison, PlansCovering, PlansTaking, PracticingAt,
    ProviderExplanation, Years,
};
use crate::dataset::{At, Dataset, any_place, needed_place, nobody_asked, place};
use crate::errors::Answer;
use crate::{lists, numbers, sources};

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
        #[pyo3(from_py_with = numbers::count)] limit: usize,
        page: Option<String>,
    ) -> Answer<DrugOptions> {
        let (place, page) = (place(county, zip)?, page.map(core::PageToken::new));
        let question = core::OptionsQuestion { plan, drug, place, not_listed, limit, page };
        let options = Years::of(self.ask(py, |dataset| dataset.same_ingredient(&question))?);
        Ok(DrugOptions::new(options.ok_or_else(|| nobody_asked("same_ingredient"))?))
    }

    /// Why a plan covers a drug or does not: each condition, what the data says, which decided.
    ///
    /// With `source`, the folder that the dataset was built from, it names the payer's resources too.
    ///
    /// >>> why = ds.explain("H9231-001-000-2026", "lisinopril 10 mg")
    /// >>> [condition.name for condition in why.conditions if condition.decided] != []
    /// True
    #[pyo3(signature = (plan, drug, *, county = None, zip = None, source = None))]
    fn explain(
        &self,
        py: Python<'_>,
        plan: &str,
        drug: &str,
        county: Option<String>,
        zip: Option<String>,
        source: Option<PathBuf>,
    ) -> Answer<Explanation> {
        let place = place(county, zip)?;
        let why = self.ask_and_read(py, |dataset, cancel| {
            let mut why = dataset.explain_coverage(plan, drug, place.as_ref())?;
            if let Some(source) = &source {
                why.iter_mut().try_for_each(|one| sources::of_drug(source, one, cancel))?;
            }
            Ok(why)
        })?;
        Ok(Explanation::new(Years::of(why).ok_or_else(|| nobody_asked("explain"))?))
    }

    /// Why a provider is among the results of a search, or is not: each condition, and which decided. The provider is
    /// an NPI or words of a name; what follows are the arguments of `providers`.
    ///
    /// With `source`, the folder that the dataset was built from, it names the payer's resources too.
    ///
    /// >>> why = ds.explain_provider("Patrick O'Hara", plan="H9231-001-000-2026", county="Doña Ana County, NM")
    /// >>> print(why.result, [one.name for one in why.places[0].conditions if one.decided])
    /// not_found ['active']
    #[pyo3(signature = (
        provider, *, plan = None, network = None, network_kind = None, county = None, zip = None, at = None,
        state = None, within_km = None, specialty = None, name = None, kind = None, gender = None, language = None,
        accepting = false, city = None, source = None,
    ))]
    fn explain_provider(
        &self,
        py: Python<'_>,
        provider: String,
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
        source: Option<PathBuf>,
    ) -> Answer<ProviderExplanation> {
        let provider = core::ProviderText { text: provider, name: None };
        let search = core::ProvidersQuestion {
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
            ..core::ProvidersQuestion::default()
        };
        let why = self.ask_and_read(py, |dataset, cancel| {
            let mut why = dataset.explain_provider(&provider, &search)?;
            if let Some(source) = &source {
                why.iter_mut().try_for_each(|one| sources::of_provider(source, one, cancel))?;
            }
            Ok(why)
        })?;
        Ok(ProviderExplanation::new(Years::of(why).ok_or_else(|| nobody_asked("explain_provider"))?))
    }

    /// Plans side by side for one person's drugs and providers, best first; with another year beside it what changes.
    ///
    /// >>> compared = ds.compare(["eliquis 5 mg"], ["2410000113"], plans=["H9231-001"], beside=2027)
    /// >>> plan = compared.plans[0]
    /// >>> print(plan.covered, plan.in_network, plan.beside.changes[0].query)
    /// 1 1 eliquis 5 mg
    #[pyo3(signature = (
        drugs = Vec::new(), providers = Vec::new(), *, plans = Vec::new(), county = None, zip = None, year = None,
        beside = None, audience = None,
    ))]
    fn compare(
        &self,
        py: Python<'_>,
        #[pyo3(from_py_with = lists::texts)] drugs: Vec<String>,
        #[pyo3(from_py_with = lists::texts)] providers: Vec<String>,
        #[pyo3(from_py_with = lists::texts)] plans: Vec<String>,
        county: Option<String>,
        zip: Option<String>,
        #[pyo3(from_py_with = numbers::year)] year: Option<u16>,
        #[pyo3(from_py_with = numbers::year)] beside: Option<u16>,
        audience: Option<&str>,
    ) -> Answer<PlanComparison> {
        let question = core::ComparisonQuestion {
            drugs,
            providers: provider_texts(&providers),
            plans,
            place: place(county, zip)?,
            year,
            beside,
            audience: audience.map(str::parse).transpose()?,
        };
        Ok(PlanComparison::new(self.ask(py, |dataset| dataset.compare(&question))?))
    }

    /// Who practices at an address, or is reached by a phone number; those with an active role first.
    ///
    /// >>> found = ds.practicing_at("Suite 200, 2450 South Telshor Boulevard, Las Cruces, NM 88011")
    /// >>> "José Núñez" in [result.name for result in found]
    /// True
    #[pyo3(signature = (address = None, *, phone = None, limit = 20, page = None))]
    fn practicing_at(
        &self,
        py: Python<'_>,
        address: Option<String>,
        phone: Option<String>,
        #[pyo3(from_py_with = numbers::count)] limit: usize,
        page: Option<String>,
    ) -> Answer<PracticingAt> {
        let page = page.map(core::PageToken::new);
        let question = core::PracticingAtQuestion { address, phone, limit, page };
        Ok(PracticingAt::new(self.ask(py, |dataset| dataset.practicing_at(&question))?))
    }

    /// Which plans that are sold at a place cover a drug.
    ///
    /// >>> covering = ds.plans_covering("eliquis 5 mg", county="Doña Ana County, NM", year=2026)
    /// >>> "H9231-001-000-2026" in [plan.plan for plan in covering.plans]
    /// True
    #[pyo3(signature = (drug, *, county = None, zip = None, at = None, state = None, year = None, audience = None))]
    fn plans_covering(
        &self,
        py: Python<'_>,
        drug: &str,
        county: Option<String>,
        zip: Option<String>,
        at: Option<At>,
        state: Option<String>,
        #[pyo3(from_py_with = numbers::year)] year: Option<u16>,
        audience: Option<&str>,
    ) -> Answer<PlansCovering> {
        let (place, audience) = (needed_place(county, zip, at, state)?, audience.map(str::parse).transpose()?);
        Ok(PlansCovering::new(self.ask(py, |dataset| dataset.plans_covering(drug, &place, year, audience))?))
    }

    /// Which plans that are sold at a place have a provider in their networks; by NPI or words of the name.
    ///
    /// >>> taking = ds.plans_taking("José Núñez", county="Doña Ana County, NM", year=2026)
    /// >>> "H9231-001-000-2026" in [plan.plan for plan in taking.taking]
    /// True
    #[pyo3(signature = (
        provider, *, name = None, county = None, zip = None, at = None, state = None, year = None, audience = None,
        network_kind = None,
    ))]
    fn plans_taking(
        &self,
        py: Python<'_>,
        provider: String,
        name: Option<String>,
        county: Option<String>,
        zip: Option<String>,
        at: Option<At>,
        state: Option<String>,
        #[pyo3(from_py_with = numbers::year)] year: Option<u16>,
        audience: Option<&str>,
        network_kind: Option<&str>,
    ) -> Answer<PlansTaking> {
        let (place, audience) = (needed_place(county, zip, at, state)?, audience.map(str::parse).transpose()?);
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
        #[pyo3(from_py_with = lists::texts)] providers: Vec<String>,
        #[pyo3(from_py_with = lists::texts)] plans: Vec<String>,
        county: Option<String>,
        zip: Option<String>,
        #[pyo3(from_py_with = numbers::year)] year: Option<u16>,
        audience: Option<&str>,
        network_kind: Option<&str>,
    ) -> Answer<NetworkMatrix> {
        let question = core::NetworkMatrixQuestion {
            providers: provider_texts(&providers),
            plans,
            place: place(county, zip)?,
            year,
            audience: audience.map(str::parse).transpose()?,
            network_kind: network_kind.map(str::parse).transpose()?,
        };
        Ok(NetworkMatrix::new(self.ask(py, |dataset| dataset.network_matrix(&question))?))
    }
}

fn provider_texts(providers: &[String]) -> Vec<core::ProviderText> {
    providers.iter().map(|text| core::ProviderText::from(text.as_str())).collect()
}
