//! How large a made payer is, and which quirks it has.

use crate::quirks::{Quirk, Quirks};

/// Everything that a made payer is a function of.
///
/// Sizes that do not fit together are mended by [`MadePayer::new`](crate::MadePayer::new): nothing
/// is listed that the catalogue lacks, and a List has at most 5000 references.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shape {
    /// What everything is drawn from.
    pub seed: u64,
    /// The current plan year; some plans are of the next one.
    pub year: u16,
    /// Packages in the catalogue: what the payer knows of, listed or not.
    pub packages: u32,
    /// Packages that each formulary names.
    pub listed: u32,
    /// Distinct formularies; the plans share them.
    pub formularies: u32,
    /// Plans. The first fourteen are of the kinds that [`Kind`](crate::Kind) lists, the rest ordinary.
    pub plans: u32,
    /// References in one List, at most.
    pub list_size: u32,
    /// Payer networks.
    pub networks: u32,
    /// Individual providers.
    pub practitioners: u32,
    /// Organizations that provide: pharmacies, hospitals, clinics.
    pub facilities: u32,
    /// Locations, shared by providers: a provider is at three or so of them.
    pub locations: u32,
    /// Counties that have locations: some picked for their questions, then those with most people.
    pub counties: u32,
    /// Which quirks, how often.
    pub quirks: Quirks,
    /// The payer's name, the first word of its plans' names.
    pub payer: String,
    /// Where the payer's code systems live, without a slash at the end.
    pub glossary: String,
}

impl Shape {
    /// Small enough for a test that builds it many times, with every quirk at least once: fourteen
    /// plans of 120 packages.
    #[must_use]
    pub fn tiny() -> Self {
        Self {
            seed: 1,
            year: 2026,
            packages: 160,
            listed: 120,
            formularies: 3,
            plans: 16,
            list_size: 50,
            networks: 7,
            practitioners: 160,
            facilities: 60,
            locations: 240,
            counties: 16,
            quirks: dense(),
            payer: "Larkspur Health".to_owned(),
            glossary: "https://fhir.larkspur.test/documentation/glossary".to_owned(),
        }
    }

    /// A tiny payer as the directory guide has it: with OrganizationAffiliation and HealthcareService.
    #[must_use]
    pub fn affiliated() -> Self {
        Self { quirks: dense().with(Quirk::AffiliatedFacility, 250_000), ..Self::tiny() }
    }

    /// What a demonstration shows: a few thousand packages, all kinds of plans, two years.
    #[must_use]
    pub fn demo() -> Self {
        Self {
            packages: 6_000,
            listed: 4_000,
            formularies: 4,
            plans: 16,
            list_size: 5_000,
            practitioners: 9_000,
            facilities: 2_500,
            locations: 7_000,
            counties: 40,
            quirks: Quirks::usual(),
            ..Self::tiny()
        }
    }

    /// A payer of full size: 500 plans of 40,000 packages with 20 distinct formularies, a million
    /// practitioners, three million pairs of provider and place. Twenty million formulary rows: take a part of it.
    #[must_use]
    pub fn bench() -> Self {
        Self {
            packages: 60_000,
            listed: 40_000,
            formularies: 20,
            plans: 500,
            networks: 18,
            practitioners: 1_000_000,
            facilities: 120_000,
            locations: 600_000,
            counties: u32::MAX,
            ..Self::demo()
        }
    }
}

/// How things are written often enough to be seen in a small payer; what decides answers is counted
/// out anyway and stays rare.
fn dense() -> Quirks {
    let usual = Quirks::usual();
    let deciding = [
        Quirk::UnreferencedEntry,
        Quirk::InactiveEntry,
        Quirk::EntryInError,
        Quirk::EntryWithoutTier,
        Quirk::TwoTiersInOneEntry,
        Quirk::RepeatedEqually,
        Quirk::RepeatedDifferently,
        Quirk::InactiveBesideActive,
        Quirk::UnreadableEntry,
        Quirk::EntryWithoutPlanId,
        Quirk::ForeignPlanId,
        Quirk::RxnormOnlyEntry,
        Quirk::ReferenceToNothing,
    ];
    deciding.into_iter().fold(Quirks::dense(), |dense, quirk| dense.with(quirk, usual.rate(quirk)))
}
