//! A dataset, open for questions.

use std::sync::Arc;

use coverdex_core as core;

use crate::answers::{
    CountiesFound, CoverageAnswer, CoverageExplanation, CoverageMatrix, Cross, DrugOptions, DrugPage, Info,
    NetworkMatrix, PlanComparison, PlansCovering, PlansFound, PlansTaking, PracticingAt, ProviderAnswer,
    ProviderExplanation, ProvidersAnswer, Verified,
};
use crate::failure::Failure;
use crate::questions::{
    ComparisonQuestion, CoveringQuestion, DrugsQuestion, MatrixQuestion, NetworkMatrixQuestion, OptionsQuestion, Place,
    PlansQuestion, PracticingAtQuestion, ProviderQuestion, ProviderText, ProvidersQuestion, TakingQuestion, count,
    place, year,
};

/// What a call gives.
pub type Answer<T> = Result<T, Failure>;

/// Stops the calls that it is given to, whatever thread they run in. Once cancelled it stays so.
#[derive(Debug, Default, uniffi::Object)]
pub struct CancelToken(core::Cancel);

#[uniffi::export]
impl CancelToken {
    /// A token that is not cancelled.
    #[uniffi::constructor]
    #[must_use]
    pub fn new() -> Arc<Self> {
        Arc::default()
    }

    /// Ends every call that has the token.
    pub fn cancel(&self) {
        self.0.cancel();
    }

    /// Whether it was cancelled.
    #[must_use]
    pub fn is_cancelled(&self) -> bool {
        self.0.is_cancelled()
    }
}

/// A read-only dataset. Safe to use from many threads at once; calls block, and end early by their token.
///
/// Where a plan's text means several years, there is an answer for each, that of the year of the data first.
///
/// The packages have a class `Dataset` of their own around it.
#[derive(Debug, uniffi::Object)]
pub struct NativeDataset(core::Dataset);

impl NativeDataset {
    /// Asks something that the token may end.
    fn ask<A: Cross<T>, T>(
        &self,
        cancel: Option<Arc<CancelToken>>,
        call: impl FnOnce(&core::Dataset) -> core::Result<A>,
    ) -> Answer<T> {
        let answer = match cancel {
            Some(token) => call(&self.0.cancelled_by(&token.0)),
            None => call(&self.0),
        };
        Ok(answer?.cross())
    }
}

#[uniffi::export]
impl NativeDataset {
    /// Opens a dataset folder, or the live dataset of a store.
    #[uniffi::constructor]
    pub fn open(path: String) -> Answer<Arc<Self>> {
        Ok(Arc::new(Self(core::Dataset::open(path)?)))
    }

    /// When the payer's data was read or last changed, RFC 3339 in UTC.
    #[must_use]
    pub fn as_of(&self) -> String {
        self.0.as_of().to_owned()
    }

    /// The source's name or kind.
    #[must_use]
    pub fn source(&self) -> String {
        self.0.source().to_owned()
    }

    /// The dataset's id.
    #[must_use]
    pub fn id(&self) -> String {
        self.0.manifest().dataset.clone()
    }

    /// The folder that was opened.
    #[must_use]
    pub fn folder(&self) -> String {
        self.0.folder().display().to_string()
    }

    /// What the dataset holds, and how completely it was received.
    #[uniffi::method(default(cancel = None))]
    pub fn info(&self, cancel: Option<Arc<CancelToken>>) -> Answer<Info> {
        self.ask(cancel, core::Dataset::info)
    }

    /// Plans that fit.
    #[uniffi::method(default(cancel = None))]
    pub fn plans(&self, question: PlansQuestion, cancel: Option<Arc<CancelToken>>) -> Answer<PlansFound> {
        let PlansQuestion { text, type_code: kind, audience, year: of, place: at } = question;
        let filter = core::PlanFilter { text, kind, audience: audience.map(Into::into), year: year(of)? };
        self.ask(cancel, |dataset| dataset.find_plans(&filter, place(at).as_ref()))
    }

    /// Whether a plan covers a drug. A drug that fits several or nothing is an answer; an unknown plan is not.
    #[uniffi::method(default(at = None, cancel = None))]
    pub fn coverage(
        &self,
        plan: &str,
        drug: &str,
        at: Option<Place>,
        cancel: Option<Arc<CancelToken>>,
    ) -> Answer<Vec<CoverageAnswer>> {
        self.ask(cancel, |dataset| dataset.coverage_answers(plan, drug, place(at).as_ref()))
    }

    /// Drugs × plans in one call; plans best first.
    #[uniffi::method(default(cancel = None))]
    pub fn coverage_matrix(
        &self,
        question: MatrixQuestion,
        cancel: Option<Arc<CancelToken>>,
    ) -> Answer<CoverageMatrix> {
        let question = question.try_into()?;
        self.ask(cancel, |dataset| dataset.coverage_matrix(&question))
    }

    /// Plans side by side for one person's drugs and providers, best first; with another year beside it what changes.
    #[uniffi::method(default(cancel = None))]
    pub fn compare(&self, question: ComparisonQuestion, cancel: Option<Arc<CancelToken>>) -> Answer<PlanComparison> {
        let question = question.try_into()?;
        self.ask(cancel, |dataset| dataset.compare(&question))
    }

    /// What a plan has with the same ingredients as a drug: better status or level first.
    #[uniffi::method(default(cancel = None))]
    pub fn same_ingredient(
        &self,
        question: OptionsQuestion,
        cancel: Option<Arc<CancelToken>>,
    ) -> Answer<Vec<DrugOptions>> {
        let question = question.try_into()?;
        self.ask(cancel, |dataset| dataset.same_ingredient(&question))
    }

    /// Why a plan covers a drug or does not: each condition, what the data says, which decided.
    #[uniffi::method(default(at = None, cancel = None))]
    pub fn explain_coverage(
        &self,
        plan: &str,
        drug: &str,
        at: Option<Place>,
        cancel: Option<Arc<CancelToken>>,
    ) -> Answer<Vec<CoverageExplanation>> {
        self.ask(cancel, |dataset| dataset.explain_coverage(plan, drug, place(at).as_ref()))
    }

    /// Which plans that are sold at a place cover a drug.
    #[uniffi::method(default(cancel = None))]
    pub fn plans_covering(
        &self,
        question: CoveringQuestion,
        cancel: Option<Arc<CancelToken>>,
    ) -> Answer<PlansCovering> {
        let CoveringQuestion { drug, place, year: of, audience } = question;
        let (place, year, audience) = (place.into(), year(of)?, audience.map(Into::into));
        self.ask(cancel, |dataset| dataset.plans_covering(&drug, &place, year, audience))
    }

    /// Drugs that fit what was typed so far, best first; with a plan its tiers and restrictions.
    #[uniffi::method(default(cancel = None))]
    pub fn search_drugs(&self, question: DrugsQuestion, cancel: Option<Arc<CancelToken>>) -> Answer<Vec<DrugPage>> {
        let DrugsQuestion { text, plan, limit, codes, page } = question;
        let question = core::DrugsQuestion { text, plan, limit: count("limit", limit)?, codes, page };
        self.ask(cancel, |dataset| dataset.ask_drugs(&question))
    }

    /// In-network providers near a county, a ZIP or a point, or in a state: one result is one provider at one place.
    #[uniffi::method(default(cancel = None))]
    pub fn search_providers(
        &self,
        question: ProvidersQuestion,
        cancel: Option<Arc<CancelToken>>,
    ) -> Answer<Vec<ProvidersAnswer>> {
        let question = question.try_into()?;
        self.ask(cancel, |dataset| dataset.ask_providers(&question))
    }

    /// Everything known of one provider; with a plan or a network whether it is in it.
    #[uniffi::method(default(cancel = None))]
    pub fn provider(
        &self,
        question: ProviderQuestion,
        cancel: Option<Arc<CancelToken>>,
    ) -> Answer<Vec<ProviderAnswer>> {
        let question = question.into();
        self.ask(cancel, |dataset| dataset.ask_provider(&question))
    }

    /// Providers × plans in one call; plans best first.
    #[uniffi::method(default(cancel = None))]
    pub fn network_matrix(
        &self,
        question: NetworkMatrixQuestion,
        cancel: Option<Arc<CancelToken>>,
    ) -> Answer<NetworkMatrix> {
        let question = question.try_into()?;
        self.ask(cancel, |dataset| dataset.network_matrix(&question))
    }

    /// Which plans that are sold at a place have a provider in their networks.
    #[uniffi::method(default(cancel = None))]
    pub fn plans_taking(&self, question: TakingQuestion, cancel: Option<Arc<CancelToken>>) -> Answer<PlansTaking> {
        let TakingQuestion { provider, place, year: of, audience, network_kind } = question;
        let (provider, place, year) = (provider.into(), place.into(), year(of)?);
        let (audience, kind) = (audience.map(Into::into), network_kind.map(Into::into));
        self.ask(cancel, |dataset| dataset.plans_taking(&provider, &place, year, audience, kind))
    }

    /// Who practices at an address, or is reached by a phone number; those with an active role first.
    #[uniffi::method(default(cancel = None))]
    pub fn practicing_at(
        &self,
        question: PracticingAtQuestion,
        cancel: Option<Arc<CancelToken>>,
    ) -> Answer<PracticingAt> {
        let question = question.try_into()?;
        self.ask(cancel, |dataset| dataset.practicing_at(&question))
    }

    /// Why a provider is among the results of a search, or is not: each condition, and which decided.
    #[uniffi::method(default(cancel = None))]
    pub fn explain_provider(
        &self,
        provider: ProviderText,
        search: ProvidersQuestion,
        cancel: Option<Arc<CancelToken>>,
    ) -> Answer<Vec<ProviderExplanation>> {
        let (provider, search) = (provider.into(), search.try_into()?);
        self.ask(cancel, |dataset| dataset.explain_provider(&provider, &search))
    }

    /// The counties that a name, a FIPS code or a ZIP means.
    #[uniffi::method(default(cancel = None))]
    pub fn counties(&self, text: &str, cancel: Option<Arc<CancelToken>>) -> Answer<CountiesFound> {
        self.ask(cancel, |dataset| dataset.find_counties(text))
    }
}

/// The token of a call, or one that nobody cancels.
pub(crate) fn token(cancel: Option<Arc<CancelToken>>) -> core::Cancel {
    cancel.map_or_else(core::Cancel::new, |token| token.0.clone())
}

/// Hashes every byte of a dataset folder, or of the live dataset of a store, and compares: an app does so once,
/// after a download that it does not install.
#[uniffi::export(default(cancel = None))]
pub fn verify(folder: &str, cancel: Option<Arc<CancelToken>>) -> Answer<Verified> {
    Ok(core::verify_cancelled_by(folder, &token(cancel))?.cross())
}
