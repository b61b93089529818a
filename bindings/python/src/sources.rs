//! The payer's resources that an answer rests on, looked up in what the dataset was built from.

use std::path::Path;

use coverdex_core::{Cancel, CoverageExplanation, ProviderExplanation, Result};

/// Looks up the resources behind an explanation of coverage.
#[cfg(feature = "sync")]
pub(crate) fn of_drug(source: &Path, explanation: &mut CoverageExplanation, cancel: &Cancel) -> Result<()> {
    use coverdex_sync::sources_of::{DrugSought, sources_of_drug};

    let codes = &explanation.codes;
    let sought = DrugSought {
        packages: codes.ndc11.clone(),
        products: codes.products.clone(),
        rxcuis: codes.rxcui.clone(),
        plan: Some(explanation.answer.plan.clone()),
    };
    explanation.sources = Some(sources_of_drug(source, &sought, cancel)?);
    Ok(())
}

/// Looks up the resources behind an explanation of a provider.
#[cfg(feature = "sync")]
pub(crate) fn of_provider(source: &Path, explanation: &mut ProviderExplanation, cancel: &Cancel) -> Result<()> {
    use coverdex_sync::sources_of::{ProviderSought, sources_of_provider};

    let aliases = explanation.places.iter().flat_map(|place| place.practice.aliases.iter().copied());
    let mut npis: Vec<_> = explanation.provider.npi.into_iter().chain(aliases).collect();
    npis.sort_unstable();
    npis.dedup();
    let plans = explanation.asked.plan.iter().map(|plan| plan.id.clone()).collect();
    explanation.sources = Some(sources_of_provider(source, &ProviderSought { npis, plans }, cancel)?);
    Ok(())
}

#[cfg(not(feature = "sync"))]
pub(crate) fn of_drug(_: &Path, _: &mut CoverageExplanation, _: &Cancel) -> Result<()> {
    Err(cannot_read())
}

#[cfg(not(feature = "sync"))]
pub(crate) fn of_provider(_: &Path, _: &mut ProviderExplanation, _: &Cancel) -> Result<()> {
    Err(cannot_read())
}

#[cfg(not(feature = "sync"))]
fn cannot_read() -> coverdex_core::Error {
    coverdex_core::Error::invalid("source", "this installation of coverdex reads no payer's resources")
        .with_hint("install coverdex-sync beside it")
}
