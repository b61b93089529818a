//! The right answers, from the model: drugs here, the directory in [`DirectoryTruth`].
//!
//! Rules: rows belong to a plan by List reference first, by PlanID second. A gap is a reference
//! whose entry is absent or names no drug, or an entry of a List without a reference; gaps above one
//! in a hundred distinct references make absence unknown, a row that is there is answered all the
//! same. An entry that is inactive or entered in error is no coverage; where the same package has an
//! active entry too, that one holds.
//! An entry without an NDC answers for its RxNorm code alone, never for a package.

mod directory;

use coverdex_core::{Ndc11, ProductNdc, Rxcui};

pub use directory::{DirectoryTruth, Filter, Fit, Found, NetworkStatus, Pair};

use crate::drugs::{self, DrugFacts, Package, Written};
use crate::formulary::{Fate, Stated};
use crate::payer::MadePayer;
use crate::plans::{Area, Kind, Plan};
use crate::rows::{Drug, Layout};

/// Whether a plan covers a package.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Status {
    /// Listed in a tier that is covered.
    Covered,
    /// Listed in the non-formulary tier.
    NotCovered,
    /// Not in the plan's formulary.
    NotListed,
    /// Two entries, or two tiers, that differ.
    Conflict,
    /// Nothing can be said.
    Unknown,
}

impl Status {
    /// `covered`, `not_covered`, `not_listed`, `conflict` or `unknown`.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Covered => "covered",
            Self::NotCovered => "not_covered",
            Self::NotListed => "not_listed",
            Self::Conflict => "conflict",
            Self::Unknown => "unknown",
        }
    }
}

/// Why.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Reason {
    /// Not listed: the plan's Lists do not name the row.
    Unreferenced,
    /// Not listed: the entry is inactive or entered in error.
    EntryInactive,
    /// Unknown: too many of the plan's entries are missing.
    Incomplete,
    /// Unknown: neither List nor row.
    NoFormularyPublished,
    /// Unknown: a plan type without drugs.
    NoDrugBenefit,
    /// Unknown: rows, but no List that would tell what is missing.
    NoList,
    /// Unknown: an entry without a tier.
    TierNotStated,
    /// Unknown: a tier whose code nothing explains.
    TierNotUnderstood,
}

impl Reason {
    /// Its name in answers.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Unreferenced => "unreferenced",
            Self::EntryInactive => "entry_inactive",
            Self::Incomplete => "incomplete",
            Self::NoFormularyPublished => "no_formulary_published",
            Self::NoDrugBenefit => "no_drug_benefit",
            Self::NoList => "no_list",
            Self::TierNotStated => "tier_not_stated",
            Self::TierNotUnderstood => "tier_not_understood",
        }
    }
}

/// Every pair of status and reason that a made payer has examples of.
pub const OUTCOMES: [(Status, Option<Reason>); 12] = [
    (Status::Covered, None),
    (Status::NotCovered, None),
    (Status::NotListed, None),
    (Status::NotListed, Some(Reason::Unreferenced)),
    (Status::NotListed, Some(Reason::EntryInactive)),
    (Status::Conflict, None),
    (Status::Unknown, Some(Reason::Incomplete)),
    (Status::Unknown, Some(Reason::NoFormularyPublished)),
    (Status::Unknown, Some(Reason::NoDrugBenefit)),
    (Status::Unknown, Some(Reason::NoList)),
    (Status::Unknown, Some(Reason::TierNotStated)),
    (Status::Unknown, Some(Reason::TierNotUnderstood)),
];

/// The right answer for a package in a plan.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Expected {
    /// The status.
    pub status: Status,
    /// Why, where the status alone does not say.
    pub reason: Option<Reason>,
    /// What the entries state: one where they agree, each of them in a conflict (one tier each),
    /// none where the package is not in the plan's formulary. What an inactive entry says is not here.
    pub stated: Vec<Stated>,
}

/// What a complete read of a plan must find.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PlanFacts {
    /// List resources.
    pub lists: u64,
    /// References in them, repeated ones and entries without a reference too.
    pub references: u64,
    /// Distinct references; entries without one are all distinct.
    pub distinct_references: u64,
    /// References whose entry is absent or names no drug.
    pub gaps: u64,
    /// MedicationKnowledge resources that belong to the plan, readable or not, and those with its id
    /// that its Lists do not name.
    pub rows: u64,
    /// Of these, without any readable drug.
    pub unreadable: u64,
    /// Of these, with the plan's id but in no List.
    pub unreferenced: u64,
    /// Of these, without a package.
    pub without_package: u64,
    /// Packages whose active, listed entries the plan has.
    pub packages: u64,
    /// Packages in conflict.
    pub conflicts: u64,
    /// Whether absence from it means not listed.
    pub complete: bool,
}

/// The right answers of one payer.
#[derive(Debug)]
pub struct Truth<'a> {
    payer: &'a MadePayer,
    /// RxNorm code and package, for all codes that packages have, shown or not.
    codes: Vec<(Rxcui, u32)>,
}

impl<'a> Truth<'a> {
    /// Of this payer; walks its catalogue once.
    #[must_use]
    pub fn new(payer: &'a MadePayer) -> Self {
        let (seed, quirks) = (payer.shape().seed, &payer.shape().quirks);
        let mut codes: Vec<(Rxcui, u32)> = (0..payer.shape().packages)
            .filter_map(Package::of)
            .flat_map(|p| p.rxcuis(seed, quirks).into_iter().map(move |code| (code, p.index)))
            .collect();
        codes.sort_unstable();
        Self { payer, codes }
    }

    /// The answer for package `package` of the catalogue in plan number `plan`.
    #[must_use]
    pub fn coverage(&self, plan: u32, package: u32) -> Expected {
        let Some((kind, layout, formulary)) = self.published(plan) else {
            return self.absent(plan);
        };
        let Some(entry) = formulary.entry(package).filter(|entry| *entry < layout.present()) else {
            return self.absent(plan);
        };
        let only = |stated: Stated| match stated.tier {
            None => outcome(Status::Unknown, Some(Reason::TierNotStated), vec![stated]),
            Some(tier) if !tier.is_understood() => {
                outcome(Status::Unknown, Some(Reason::TierNotUnderstood), vec![stated])
            }
            Some(tier) if tier.is_covered() => outcome(Status::Covered, None, vec![stated]),
            Some(_) => outcome(Status::NotCovered, None, vec![stated]),
        };
        let stated = formulary.stated(entry);
        match formulary.fate(entry) {
            Fate::Unreadable => self.absent(plan),
            // The entry that counts may be among those that are missing.
            Fate::Unreferenced | Fate::Inactive | Fate::InError if kind.has_lists() && !self.is_complete(plan) => {
                self.absent(plan)
            }
            Fate::Unreferenced if kind.has_lists() => {
                outcome(Status::NotListed, Some(Reason::Unreferenced), Vec::new())
            }
            Fate::Inactive | Fate::InError => outcome(Status::NotListed, Some(Reason::EntryInactive), Vec::new()),
            Fate::InactiveBesideActive => only(formulary.stated_again(entry)),
            Fate::RepeatedDifferently => outcome(Status::Conflict, None, vec![stated, formulary.stated_again(entry)]),
            Fate::TwoTiers => {
                let first = Stated { second_tier: None, ..stated };
                outcome(Status::Conflict, None, vec![first, Stated { tier: stated.second_tier, ..first }])
            }
            _ => only(stated),
        }
    }

    /// The same by NDC, also for one that the catalogue does not have.
    #[must_use]
    pub fn coverage_of_ndc(&self, plan: u32, ndc: Ndc11) -> Expected {
        self.package_of_ndc(ndc).map_or_else(|| self.absent(plan), |package| self.coverage(plan, package))
    }

    /// What a plan says of anything that it does not list.
    #[must_use]
    pub fn absent(&self, plan: u32) -> Expected {
        let kind = self.payer.plans().get(plan as usize).map_or(Kind::NothingPublished, |p| p.kind);
        let (status, reason) = match kind {
            Kind::NoDrugs | Kind::NoDrugsEither => (Status::Unknown, Some(Reason::NoDrugBenefit)),
            Kind::NothingPublished => (Status::Unknown, Some(Reason::NoFormularyPublished)),
            Kind::RowsOnly => (Status::Unknown, Some(Reason::NoList)),
            _ if !self.is_complete(plan) => (Status::Unknown, Some(Reason::Incomplete)),
            _ => (Status::NotListed, None),
        };
        outcome(status, reason, Vec::new())
    }

    /// The catalogue's package of an NDC.
    #[must_use]
    pub fn package_of_ndc(&self, ndc: Ndc11) -> Option<u32> {
        drugs::find(ndc).filter(|package| *package < self.payer.shape().packages)
    }

    /// What a package is, in fields; `None` where the directory's row cannot be read.
    #[must_use]
    pub fn drug(&self, package: u32) -> Option<&'static DrugFacts> {
        self.payer.package(package)?.facts()
    }

    /// What the payer's text says of a package, where a resource shows it.
    #[must_use]
    pub fn written(&self, package: u32) -> Option<Written> {
        Some(self.payer.package(package)?.written(self.payer.shape().seed))
    }

    /// Whether any readable resource shows the package.
    #[must_use]
    pub fn seen_anywhere(&self, package: u32) -> bool {
        self.payer.has_medication(package) || self.plans().any(|plan| self.has_readable_row(plan, package))
    }

    /// The plans sold in a county: those that name it or its state, and those that may mean it.
    #[must_use]
    pub fn plans_in_county(&self, fips: u32) -> (Vec<u32>, Vec<u32>) {
        let state = crate::geography::state(fips / 1_000);
        let sure =
            |p: &&Plan| p.areas.iter().any(|a| a.fips == Some(fips) || (a.county.is_none() && Some(a.state) == state));
        let maybe = |p: &&Plan| p.areas.iter().any(|a| a.possible.contains(&fips));
        let certain: Vec<u32> = self.payer.plans().iter().filter(sure).map(|p| p.number).collect();
        let possible = self.payer.plans().iter().filter(maybe).map(|p| p.number);
        let possible = possible.filter(|p| !certain.contains(p)).collect();
        (certain, possible)
    }

    /// Plans of which some area, or every area, cannot be told.
    #[must_use]
    pub fn plans_with_unknown_area(&self) -> Vec<u32> {
        let unknown = |p: &&Plan| {
            let untold = |a: &Area| a.county.is_some() && a.fips.is_none() && a.possible.is_empty();
            p.areas.is_empty() || p.areas.iter().any(untold)
        };
        self.payer.plans().iter().filter(unknown).map(|p| p.number).collect()
    }

    /// The packages of a product that any readable resource shows.
    #[must_use]
    pub fn packages_of_product(&self, product: ProductNdc) -> Vec<u32> {
        (product.first_package()..product.first_package() + 100)
            .filter_map(Ndc11::new)
            .filter_map(|ndc| self.package_of_ndc(ndc))
            .filter(|package| self.seen_anywhere(*package))
            .collect()
    }

    /// The packages on which any readable resource shows this RxNorm code.
    #[must_use]
    pub fn packages_of_rxcui(&self, code: Rxcui) -> Vec<u32> {
        let first = self.codes.partition_point(|(c, _)| *c < code);
        let these = self.codes.iter().skip(first).take_while(|(c, _)| *c == code);
        these.map(|(_, package)| *package).filter(|package| self.code_is_shown(*package, code)).collect()
    }

    /// The RxNorm codes that any readable resource shows on a package.
    #[must_use]
    pub fn rxcuis_of_package(&self, package: u32) -> Vec<Rxcui> {
        let shape = self.payer.shape();
        let codes = Package::of(package).map(|p| p.rxcuis(shape.seed, &shape.quirks)).unwrap_or_default();
        let mut codes: Vec<Rxcui> = codes.into_iter().filter(|code| self.code_is_shown(package, *code)).collect();
        codes.sort_unstable();
        codes
    }

    /// The entries of a plan that have RxNorm codes and no package: code and what they state.
    #[must_use]
    pub fn entries_without_package(&self, plan: u32) -> Vec<(Rxcui, Stated)> {
        let Some((_, layout, formulary)) = self.published(plan) else { return Vec::new() };
        (0..layout.packless)
            .filter_map(|nth| match self.payer.packless_entry(plan, formulary, nth) {
                (Drug::Clinical { code, .. }, stated) => Some((code, stated)),
                (Drug::Packless(n), stated) => drugs::packless_drug(n).map(|code| (code, stated)),
                (Drug::Package(_), _) => None,
            })
            .collect()
    }

    /// What a complete read of a plan must find.
    #[must_use]
    pub fn plan_facts(&self, plan: u32) -> PlanFacts {
        let Some((kind, layout, formulary)) = self.published(plan) else { return PlanFacts::default() };
        let unreadable = formulary.entries_of(Fate::Unreadable).filter(|e| *e < layout.present()).count() as u64;
        let mut facts = PlanFacts {
            lists: layout.lists,
            references: layout.references() + layout.again.min(layout.per_list) * layout.lists.saturating_sub(1),
            distinct_references: layout.references(),
            gaps: if kind.has_lists() { layout.missing + layout.nothing + unreadable } else { 0 },
            rows: layout.rows(),
            unreadable,
            unreferenced: layout.unreferenced,
            without_package: layout.packless,
            ..PlanFacts::default()
        };
        facts.complete = kind.has_lists() && facts.gaps * 100 <= facts.distinct_references;
        for entry in 0..layout.present() {
            let expected = self.coverage(plan, formulary.package(entry));
            facts.packages += u64::from(!expected.stated.is_empty());
            facts.conflicts += u64::from(expected.status == Status::Conflict);
        }
        facts
    }

    /// Plan and package for a status and a reason, from each plan that has some up to three.
    #[must_use]
    pub fn examples(&self, status: Status, reason: Option<Reason>) -> Vec<(u32, u32)> {
        self.plans()
            .flat_map(|plan| {
                (0..self.payer.shape().packages)
                    .filter(move |package| {
                        let expected = self.coverage(plan, *package);
                        expected.status == status && expected.reason == reason
                    })
                    .take(3)
                    .map(move |package| (plan, package))
            })
            .collect()
    }

    fn plans(&self) -> impl Iterator<Item = u32> + use<> {
        0..u32::try_from(self.payer.plans().len()).unwrap_or(u32::MAX)
    }

    fn published(&self, plan: u32) -> Option<(Kind, &Layout, &crate::formulary::Formulary)> {
        let kind = self.payer.plans().get(plan as usize)?.kind;
        Some((kind, self.payer.layout(plan)?, self.payer.formulary_of(plan)?))
    }

    fn is_complete(&self, plan: u32) -> bool {
        self.published(plan).is_some_and(|(kind, layout, formulary)| {
            let unreadable = formulary.entries_of(Fate::Unreadable).filter(|e| *e < layout.present()).count() as u64;
            kind.has_lists() && (layout.missing + layout.nothing + unreadable) * 100 <= layout.references()
        })
    }

    fn has_readable_row(&self, plan: u32, package: u32) -> bool {
        self.published(plan).is_some_and(|(_, layout, formulary)| {
            formulary
                .entry(package)
                .is_some_and(|entry| entry < layout.present() && formulary.fate(entry) != Fate::Unreadable)
        })
    }

    fn code_is_shown(&self, package: u32, code: Rxcui) -> bool {
        let by = |plan| !self.payer.is_bare(package, plan) && self.payer.shows(package, code, plan);
        (self.payer.has_medication(package) && by(None))
            || self.plans().any(|plan| by(Some(plan)) && self.has_readable_row(plan, package))
    }
}

fn outcome(status: Status, reason: Option<Reason>, stated: Vec<Stated>) -> Expected {
    Expected { status, reason, stated }
}
