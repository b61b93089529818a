//! The answer to plan × drug.

use std::sync::Arc;

use super::restriction::{RestrictionSeen, Restrictions};
use crate::data::package_details;
use crate::data::{Formulary, Term, TermStatus};
use crate::dataset::Dataset;
use crate::drugs::{Candidate, Drug, Resolution};
use crate::ids::{Ndc11, Rxcui};
use crate::plans::{DrugBenefit, Plan};
use crate::tier::{Tier, TierStatus};
use crate::{Error, Result, format};

/// Is it covered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum CoverageStatus {
    /// The plan's formulary lists it in a tier that is covered: each package that it lists.
    Covered,
    /// It is listed, in a tier that is not covered: each package that is listed.
    NotCovered,
    /// It is not in the plan's formulary, which was received as completely as the payer serves it.
    NotListed,
    /// Nobody can tell from this dataset, of the drug or of some packages of it; the reason says why.
    Unknown,
    /// Some of its packages are covered, others listed and not covered.
    Mixed,
    /// The payer says different things of it, or of some packages of it.
    Conflict,
    /// The drug that was asked for is several drugs.
    Ambiguous,
    /// No drug of the catalogue fits the text.
    NotFound,
}

impl CoverageStatus {
    /// The status as JSON shows it.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Covered => "covered",
            Self::NotCovered => "not_covered",
            Self::NotListed => "not_listed",
            Self::Unknown => "unknown",
            Self::Mixed => "mixed",
            Self::Conflict => "conflict",
            Self::Ambiguous => "ambiguous",
            Self::NotFound => "not_found",
        }
    }
}

/// Why a status is `unknown` or `not_listed`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum CoverageReason {
    /// A part was not fetched, failed, or more than 1 % of the named entries are missing.
    Incomplete,
    /// No List entry and no row for this plan.
    NoFormularyPublished,
    /// A plan type without drugs.
    NoDrugBenefit,
    /// The sync left this plan out.
    NotSynced,
    /// Rows came, but no List that says which must exist.
    NoList,
    /// The entry is inactive or entered in error.
    EntryInactive,
    /// A row is there that the plan's complete Lists do not name.
    Unreferenced,
    /// The entry states no tier, so whether it is covered is not said.
    TierNotStated,
    /// The entry's tier says neither that it is covered nor that it is not.
    TierNotUnderstood,
}

impl CoverageReason {
    /// The reason as JSON shows it.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Incomplete => "incomplete",
            Self::NoFormularyPublished => "no_formulary_published",
            Self::NoDrugBenefit => "no_drug_benefit",
            Self::NotSynced => "not_synced",
            Self::NoList => "no_list",
            Self::EntryInactive => "entry_inactive",
            Self::Unreferenced => "unreferenced",
            Self::TierNotStated => "tier_not_stated",
            Self::TierNotUnderstood => "tier_not_understood",
        }
    }
}

/// What the payer says of one package, or of several that it says the same of.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Statement {
    /// The tier; `None` is not stated, or contradictory.
    pub tier: Option<Tier>,
    /// `None` is not stated.
    pub prior_authorization: Option<bool>,
    /// `None` is not stated.
    pub step_therapy: Option<bool>,
    /// `None` is not stated.
    pub quantity_limit: Option<bool>,
    /// `None` is not stated.
    pub mail_order: Option<bool>,
}

/// How the listed packages differ.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Varies {
    /// Listed packages that the other numbers are out of.
    pub of: u32,
    /// The tiers, lowest level first, then by code.
    pub tiers: Vec<Tier>,
    /// Packages with prior authorization.
    pub prior_authorization: u32,
    /// Packages with step therapy.
    pub step_therapy: u32,
    /// Packages with a quantity limit.
    pub quantity_limit: u32,
    /// Packages of which the payer says different things.
    pub conflicts: u32,
    /// Packages listed without a tier.
    pub without_tier: u32,
    /// Packages listed in a tier that is not understood.
    pub tier_not_understood: u32,
}

/// The answer to plan × drug, as of the dataset's date.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Coverage {
    /// Is it covered.
    pub status: CoverageStatus,
    /// Why, for statuses that have a reason.
    pub reason: Option<CoverageReason>,
    /// What holds for every listed package; a field that varies is `None` here.
    pub statement: Statement,
    /// How the listed packages differ, if they do, or what the payer contradicts itself in.
    pub varies: Option<Varies>,
    /// Each restriction over all listed packages; `None` where the plan lists none.
    pub restrictions: Option<Restrictions>,
    /// Packages that the plan lists.
    pub listed: u32,
    /// Packages of the drug that the plan does not list.
    pub not_on_this_list: u32,
    /// Whether the code is anywhere in the dataset ("check the digits" if not).
    pub seen_anywhere: bool,
    /// Entries that the plan's Lists name and that could not be read.
    pub gaps: u32,
    /// Entries that the plan's Lists name.
    pub expected: u32,
    /// Whether the plan's formulary was received as completely as the payer serves it.
    pub complete: bool,
    /// Drugs that the plan lists and that may be meant: what the payer writes of them leaves open what
    /// the question says. Where the plan lists nothing else that fits, the status is ambiguous.
    pub may_be: Vec<Candidate>,
}

/// The answer for one package.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct PackageCoverage {
    /// The package; `None` for an entry that has only RxNorm codes or a product code.
    pub ndc11: Option<Ndc11>,
    /// The product, hyphenated as the payer does where it showed it.
    pub product_ndc: Option<String>,
    /// RxNorm codes that any resource shows for the package.
    pub rxcui: Vec<Rxcui>,
    /// Name, strength and form; empty if no resource names it.
    pub name: String,
    /// Covered, not covered, not listed, unknown or conflict.
    pub status: CoverageStatus,
    /// Why, for statuses that have a reason.
    pub reason: Option<CoverageReason>,
    /// What the payer says.
    pub statement: Statement,
    /// What contradicts each other, for status conflict.
    pub conflict: Vec<Statement>,
}

impl Statement {
    fn of(term: &Term) -> Self {
        Self {
            tier: term.tier.as_deref().cloned(),
            prior_authorization: term.prior_authorization,
            step_therapy: term.step_therapy,
            quantity_limit: term.quantity_limit,
            mail_order: term.mail_order,
        }
    }
}

impl Agreed {
    fn of(term: &Term) -> Self {
        Self { tier: term.tier.clone(), flags: term.flags() }
    }

    /// Drops what another package contradicts.
    fn keep(&mut self, term: &Term) {
        if self.tier != term.tier {
            self.tier = None;
        }
        for (mine, other) in self.flags.iter_mut().zip(term.flags()) {
            if *mine != other {
                *mine = None;
            }
        }
    }

    fn statement(self) -> Statement {
        let [prior_authorization, step_therapy, quantity_limit, mail_order] = self.flags;
        let tier = self.tier.as_deref().cloned();
        Statement { tier, prior_authorization, step_therapy, quantity_limit, mail_order }
    }
}

/// Status and reason of one package.
pub(crate) fn judge(
    term: Option<&Term>,
    absent: (CoverageStatus, Option<CoverageReason>),
) -> (CoverageStatus, Option<CoverageReason>) {
    let Some(term) = term else { return absent };
    match (term.status, &term.tier) {
        // The entry that counts may be among those that are missing.
        (TermStatus::EntryInactive | TermStatus::Unreferenced, _) if is_incomplete(absent) => absent,
        (TermStatus::Conflict, _) => (CoverageStatus::Conflict, None),
        (TermStatus::EntryInactive, _) => (CoverageStatus::NotListed, Some(CoverageReason::EntryInactive)),
        (TermStatus::Unreferenced, _) => (CoverageStatus::NotListed, Some(CoverageReason::Unreferenced)),
        (TermStatus::Listed, None) => (CoverageStatus::Unknown, Some(CoverageReason::TierNotStated)),
        (TermStatus::Listed, Some(tier)) => match tier.status {
            TierStatus::Covered => (CoverageStatus::Covered, None),
            TierStatus::NotCovered => (CoverageStatus::NotCovered, None),
            TierStatus::NotUnderstood => (CoverageStatus::Unknown, Some(CoverageReason::TierNotUnderstood)),
        },
    }
}

fn is_incomplete(absent: (CoverageStatus, Option<CoverageReason>)) -> bool {
    absent.1 == Some(CoverageReason::Incomplete)
}

/// What absence from this plan's formulary means.
pub(crate) fn absence(plan: &Plan) -> (CoverageStatus, Option<CoverageReason>) {
    let unknown = |reason| (CoverageStatus::Unknown, Some(reason));
    match plan.drugs {
        DrugBenefit::Complete => (CoverageStatus::NotListed, None),
        DrugBenefit::Incomplete => unknown(CoverageReason::Incomplete),
        DrugBenefit::NoList => unknown(CoverageReason::NoList),
        DrugBenefit::NoFormularyPublished => unknown(CoverageReason::NoFormularyPublished),
        DrugBenefit::NoDrugBenefit => unknown(CoverageReason::NoDrugBenefit),
        DrugBenefit::NotSynced => unknown(CoverageReason::NotSynced),
    }
}

/// Counts while walking a drug's packages.
#[derive(Default)]
struct Tally {
    covered: u32,
    not_covered: u32,
    conflicts: u32,
    without_tier: u32,
    tier_not_understood: u32,
    not_listed: u32,
    inactive: u32,
    unreferenced: u32,
    flags: [u32; 3],
    first: Option<Arc<Term>>,
    differs: bool,
    seen: [RestrictionSeen; 3],
    tiers: Vec<Arc<Tier>>,
    agreed: Agreed,
}

/// What the packages so far agree on.
#[derive(Default)]
struct Agreed {
    tier: Option<Arc<Tier>>,
    flags: [Option<bool>; 4],
}

impl Tally {
    fn add(&mut self, term: Option<&Arc<Term>>) {
        match term.map(|term| term.status) {
            None => {
                self.not_listed += 1;
                return;
            }
            Some(TermStatus::EntryInactive) => {
                self.not_listed += 1;
                self.inactive += 1;
                return;
            }
            Some(TermStatus::Unreferenced) => {
                self.not_listed += 1;
                self.unreferenced += 1;
                return;
            }
            Some(TermStatus::Listed | TermStatus::Conflict) => {}
        }
        let Some(term) = term else { return };
        match judge(Some(term), (CoverageStatus::NotListed, None)) {
            (CoverageStatus::Covered, _) => self.covered += 1,
            (CoverageStatus::NotCovered, _) => self.not_covered += 1,
            (CoverageStatus::Conflict, _) => self.conflicts += 1,
            (_, Some(CoverageReason::TierNotUnderstood)) => self.tier_not_understood += 1,
            _ => self.without_tier += 1,
        }
        for (count, flag) in
            self.flags.iter_mut().zip([term.prior_authorization, term.step_therapy, term.quantity_limit])
        {
            *count += u32::from(flag == Some(true));
        }
        if self.first.as_ref().is_none_or(|first| !Arc::ptr_eq(first, term)) {
            self.differs |= term.status == TermStatus::Conflict;
            for (at, (seen, flag)) in self.seen.iter_mut().zip(term.flags()).enumerate() {
                let is_contrary = flag.is_none()
                    && term.conflict.iter().any(|says| says.flags().get(at).is_some_and(Option::is_some));
                seen.add(flag, is_contrary);
            }
            for tier in term.tier.iter().chain(term.conflict.iter().filter_map(|says| says.tier.as_ref())) {
                if !self.tiers.contains(tier) {
                    self.tiers.push(Arc::clone(tier));
                }
            }
        }
        match &self.first {
            None => {
                self.agreed = Agreed::of(term);
                self.first = Some(Arc::clone(term));
            }
            Some(first) if Arc::ptr_eq(first, term) => {}
            Some(_) => {
                self.differs = true;
                self.agreed.keep(term);
            }
        }
    }

    fn listed(&self) -> u32 {
        self.covered + self.not_covered + self.conflicts + self.without_tier + self.tier_not_understood
    }

    fn status(&self, absent: (CoverageStatus, Option<CoverageReason>)) -> (CoverageStatus, Option<CoverageReason>) {
        // One package of which nobody can tell leaves the drug open: the pharmacy may fill with that one.
        match (self.covered, self.not_covered) {
            (1.., 1..) => (CoverageStatus::Mixed, None),
            _ if self.conflicts > 0 => (CoverageStatus::Conflict, None),
            _ if self.tier_not_understood > 0 => (CoverageStatus::Unknown, Some(CoverageReason::TierNotUnderstood)),
            _ if self.without_tier > 0 => (CoverageStatus::Unknown, Some(CoverageReason::TierNotStated)),
            (1.., 0) => (CoverageStatus::Covered, None),
            (0, 1..) => (CoverageStatus::NotCovered, None),
            // Of packages without an entry nobody can tell.
            (0, 0) if absent.0 == CoverageStatus::Unknown && self.not_listed > self.inactive + self.unreferenced => {
                absent
            }
            (0, 0) if is_incomplete(absent) => absent,
            (0, 0) if self.inactive > 0 => (CoverageStatus::NotListed, Some(CoverageReason::EntryInactive)),
            (0, 0) if self.unreferenced > 0 => (CoverageStatus::NotListed, Some(CoverageReason::Unreferenced)),
            (0, 0) => absent,
        }
    }

    fn varies(&mut self) -> Option<Varies> {
        if !self.differs {
            return None;
        }
        self.tiers.sort_by(|a, b| (a.level, &a.code).cmp(&(b.level, &b.code)));
        let [prior_authorization, step_therapy, quantity_limit] = self.flags;
        Some(Varies {
            of: self.listed(),
            tiers: self.tiers.iter().map(|tier| Tier::clone(tier)).collect(),
            prior_authorization,
            step_therapy,
            quantity_limit,
            conflicts: self.conflicts,
            without_tier: self.without_tier,
            tier_not_understood: self.tier_not_understood,
        })
    }
}

impl Dataset {
    /// Whether `plan` covers `drug`, for all of its packages together.
    ///
    /// ```
    /// # coverdex_tests::with_payer(|path| {
    /// use coverdex_core::{CoverageStatus, Dataset};
    ///
    /// let dataset = Dataset::open(path)?;
    /// let plan = &dataset.resolve_plan("H9231-001-000-2026")?[0].plan;
    /// let brand = dataset.coverage(plan, &dataset.drug("lipitor 20 mg")?)?;
    /// assert_eq!(brand.status, CoverageStatus::NotCovered); // its generic does not answer for it
    /// let tier = brand.statement.tier.unwrap();
    /// assert_eq!((tier.code.as_str(), tier.display.as_deref()), ("0", Some("Non-Formulary Drug")));
    /// # Ok(())
    /// # });
    /// ```
    ///
    /// # Errors
    /// [`DatasetDamaged`](crate::ErrorKind::DatasetDamaged) if a file cannot be read.
    pub fn coverage(&self, plan: &Plan, drug: &Drug) -> Result<Coverage> {
        self.check_drug(drug)?;
        let formulary = self.formulary(plan)?;
        let cancel = &self.cancel;
        let mut tally = Tally::default();
        for (at, package) in drug.packages().iter().enumerate() {
            if at & 0xfff == 0xfff {
                cancel.check()?;
            }
            tally.add(term_of(formulary.as_deref(), *package)?);
        }
        let (status, reason) = match drug.resolution() {
            Resolution::NotFound => (CoverageStatus::NotFound, None),
            Resolution::Ambiguous => (CoverageStatus::Ambiguous, None),
            Resolution::Found | Resolution::NeverSeen => tally.status(absence(plan)),
        };
        let listed = tally.listed();
        let may_be = may_be_meant(formulary.as_deref(), drug)?;
        // Nothing that fits is listed, but what the payer leaves open may be it.
        let open = listed == 0 && !may_be.is_empty() && drug.resolution() == Resolution::Found;
        let (status, reason) = if open { (CoverageStatus::Ambiguous, None) } else { (status, reason) };
        Ok(Coverage {
            status,
            reason,
            may_be,
            varies: tally.varies(),
            restrictions: (listed > 0).then(|| Restrictions::of(tally.seen)),
            listed,
            not_on_this_list: if listed > 0 || drug.is_group() { tally.not_listed } else { 0 },
            statement: tally.agreed.statement(),
            seen_anywhere: drug.seen_anywhere(),
            gaps: plan.gaps,
            expected: plan.expected,
            complete: plan.drugs == DrugBenefit::Complete,
        })
    }

    /// The packages behind [`coverage`](Self::coverage) that the plan lists, in the order of their
    /// codes; for one package asked for by its code, that one whatever its status.
    ///
    /// ```
    /// # coverdex_tests::with_payer(|path| {
    /// use coverdex_core::Dataset;
    ///
    /// let dataset = Dataset::open(path)?;
    /// let plan = &dataset.resolve_plan("H9231-001-000-2026")?[0].plan;
    /// let packages = dataset.package_coverage(plan, &dataset.drug("atorvastatin 20 mg")?)?;
    /// let tiers: Vec<_> = packages.iter().flat_map(|package| &package.statement.tier).map(|tier| &*tier.code).collect();
    /// assert_eq!(tiers, ["1", "1", "2"]); // two labelers' packages, in two tiers
    /// # Ok(())
    /// # });
    /// ```
    ///
    /// # Errors
    /// [`DatasetDamaged`](crate::ErrorKind::DatasetDamaged) if a file cannot be read.
    pub fn package_coverage(&self, plan: &Plan, drug: &Drug) -> Result<Vec<PackageCoverage>> {
        self.check_drug(drug)?;
        let formulary = self.formulary(plan)?;
        let absent = absence(plan);
        let asked = match drug.package() {
            Some(ndc) => self.inner.drugs.package(&self.inner.database, ndc)?,
            None => None,
        };
        let cancel = &self.cancel;
        let mut answers = Vec::new();
        for package in drug.packages() {
            cancel.check()?;
            let term = term_of(formulary.as_deref(), *package)?;
            let listed = term.is_some_and(|term| matches!(term.status, TermStatus::Listed | TermStatus::Conflict));
            if !listed && asked != Some(*package) {
                continue;
            }
            let (status, reason) = judge(term.map(Arc::as_ref), absent);
            answers.push(self.package_answer(*package, status, reason, term)?);
        }
        if let (true, Some(ndc)) = (answers.is_empty(), drug.package()) {
            let (status, reason) = absent;
            answers.push(PackageCoverage {
                ndc11: Some(ndc),
                product_ndc: Some(ndc.product().to_string()),
                rxcui: Vec::new(),
                name: String::new(),
                status,
                reason,
                statement: Statement::default(),
                conflict: Vec::new(),
            });
        }
        answers.sort_by_key(|answer| (answer.ndc11.is_none(), answer.ndc11));
        Ok(answers)
    }

    fn package_answer(
        &self,
        package: u32,
        status: CoverageStatus,
        reason: Option<CoverageReason>,
        term: Option<&Arc<Term>>,
    ) -> Result<PackageCoverage> {
        self.inner.database.with(|connection| {
            let (row, name, rxcui) = package_details(connection, package)?;
            // An inactive or unreferenced entry is no coverage: what it says is not shown as if it were.
            let says = term.filter(|term| matches!(term.status, TermStatus::Listed | TermStatus::Conflict));
            Ok(PackageCoverage {
                ndc11: row.ndc11,
                product_ndc: row.product_ndc(),
                rxcui,
                name,
                status,
                reason,
                statement: says.map(|term| Statement::of(term)).unwrap_or_default(),
                conflict: says.map(|term| term.conflict.iter().map(Statement::of).collect()).unwrap_or_default(),
            })
        })
    }

    /// A drug's packages are numbers of one dataset.
    fn check_drug(&self, drug: &Drug) -> Result<()> {
        if drug.dataset() == self.inner.manifest.dataset {
            return Ok(());
        }
        Err(Error::invalid(format!("drug {:?}", drug.query()), "it was resolved by another dataset")
            .with_hint("resolve it with the dataset that is asked"))
    }

    /// The formulary of a plan that has one.
    pub(crate) fn formulary(&self, plan: &Plan) -> Result<Option<Arc<Formulary>>> {
        if plan.dataset() != self.inner.manifest.dataset {
            return Err(Error::invalid(format!("plan {}", plan.id), "it was looked up in another dataset"));
        }
        plan.formulary().map(|id| self.inner.plans.formularies.get(&self.inner.database, id)).transpose()
    }
}

/// Drugs beside the one that was asked for that the plan lists.
fn may_be_meant(formulary: Option<&Formulary>, drug: &Drug) -> Result<Vec<Candidate>> {
    let mut listed = Vec::new();
    for beside in drug.beside() {
        for package in beside.packages.clone() {
            let term = term_of(formulary, package)?;
            if term.is_some_and(|term| matches!(term.status, TermStatus::Listed | TermStatus::Conflict)) {
                listed.push(beside.candidate.clone());
                break;
            }
        }
    }
    Ok(listed)
}

fn term_of(formulary: Option<&Formulary>, package: u32) -> Result<Option<&Arc<Term>>> {
    formulary.map_or(Ok(None), |formulary| formulary.term(package))
}

impl Dataset {
    /// Opens what answers about drugs are computed from and checks that the pieces fit.
    pub(crate) fn check_parts(&self) -> Result<()> {
        let database = &self.inner.database;
        let coded = self.inner.drugs.packages_between(database, 0, u64::MAX)?.count();
        if coded > self.inner.drugs.packages(database)? as usize {
            return Err(Error::damaged(format::DATABASE, "more package codes than packages"));
        }
        if let Some(index) = self.inner.drugs.index(&self.inner.database)? {
            index.check()?;
        }
        for plan in self.plan_rows()? {
            self.formulary(plan)?;
        }
        Ok(())
    }
}
