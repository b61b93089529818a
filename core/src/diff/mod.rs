//! What changed from one dataset to a newer one, most often of one payer: plans, what their drug lists say, who is in
//! their networks.
//!
//! Nothing is asked one by one. Formularies are compared code by code, once for each pair of them that plans have;
//! the directories provider by provider, each of which is known by the NPIs that are its own. Where either dataset
//! leaves open whether something is there, the answer says that it is not known: nothing has left a list, or a
//! network, that was not received completely.

mod directory;
mod identities;
mod lists;
mod members;
mod packages;
mod plans;

use crate::coverage::{Caveat, Caveats, Comparison, CoverageReason, CoverageStatus, Statement};
use crate::data::{DrugBenefit, Network, Plan};
use crate::dataset::Dataset;
use crate::ids::{CountyFips, Ndc11, Npi, PlanId, Rxcui, fold_system};
use crate::origin::Origin;
use crate::place::Place;
use crate::plans::CountyFound;
use crate::providers::{NetworkGap, ProviderKind};
use crate::{Error, ErrorKind, Result};

/// What is asked of two datasets; nothing said: everything.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DiffQuestion {
    /// Only these plans and their networks, by id in any spelling or by exact name.
    pub plans: Vec<String>,
    /// Only who is in this network, `SYSTEM|ID`: drugs and plans are left out.
    pub network: Option<String>,
    /// Only who practices in this county, or in the counties of this ZIP; plans and drugs are told all the same.
    pub place: Option<Place>,
    /// Whether drugs are left out.
    pub without_drugs: bool,
    /// Whether providers are left out.
    pub without_providers: bool,
    /// Whether the two may be of different payers.
    pub other_payer: bool,
    /// How many drugs of a drug list and how many providers of a network are named at most; the others are counted.
    /// `None`: all are.
    pub limit: Option<u32>,
}

/// What changed from one dataset to a newer one.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct DatasetDiff {
    /// The older dataset.
    pub old: DiffSide,
    /// The newer one.
    pub new: DiffSide,
    /// Plans that came, left or changed; `None`: not asked for.
    pub plans: Option<PlanChanges>,
    /// What drug lists say otherwise; `None`: not asked for. Plans with equal changes stand together, those with
    /// changes first, the most plans first.
    pub drugs: Option<Vec<DrugListChanges>>,
    /// Who is in networks; `None`: not asked for, or one of the two has no provider directory.
    pub providers: Option<DirectoryChanges>,
    /// The counties that the place was read as; empty where none was asked for.
    pub place: Vec<CountyFound>,
    /// How the question was read, and what could not be compared.
    pub notes: Vec<String>,
    /// What the answer does not say.
    pub caveats: Vec<Caveat>,
}

/// One of the two datasets.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct DiffSide {
    /// Where the answer comes from.
    pub origin: Origin,
    /// When the payer's drug lists were read, RFC 3339 in UTC.
    pub drugs_as_of: String,
    /// When its directory was read, RFC 3339 in UTC; `None`: the dataset has none.
    pub directory_as_of: Option<String>,
    /// Plans that were compared, with those that only this one has.
    pub plans: u32,
    /// Those of them whose drug list was received as completely as the payer serves it.
    pub complete_drug_lists: u32,
    /// Networks that were compared and were not received completely.
    pub network_gaps: Vec<NetworkGap>,
}

/// Plans that came, left or changed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct PlanChanges {
    /// Plans that only the newer dataset has.
    pub came: Vec<Plan>,
    /// Plans that only the older one has.
    pub left: Vec<Plan>,
    /// Plans that only one has, and the other did not read all plans: nobody can tell.
    pub not_known: Vec<PlanNotKnown>,
    /// Plans with another name or other networks.
    pub changed: Vec<PlanChange>,
    /// Plans that both have.
    pub in_both: u32,
}

/// A plan of which nobody can tell whether it came or left.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct PlanNotKnown {
    /// The plan.
    pub plan: Plan,
    /// Whether it is the newer dataset that has it.
    pub is_new: bool,
    /// Why nobody can tell, for people.
    pub reason: String,
}

/// What changed of a plan itself.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct PlanChange {
    /// The plan.
    pub plan: PlanId,
    /// Its name before.
    pub old_name: Option<String>,
    /// Its name now.
    pub new_name: Option<String>,
    /// Networks that it has now and had not before.
    pub networks_came: Vec<Network>,
    /// Networks that it had before and has not now.
    pub networks_left: Vec<Network>,
    /// Networks that only one of the two states, where the other names some that cannot be read, or none at all.
    pub networks_not_known: Vec<Network>,
}

/// What the drug lists of some plans say otherwise, the same of each of these plans. Numbers are of packages, but for
/// [`drugs`](DrugChangeCounts::drugs).
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct DrugListChanges {
    /// The plans.
    pub plans: Vec<PlanId>,
    /// How their lists were received before.
    pub old: ReceivedList,
    /// How they were received now.
    pub new: ReceivedList,
    /// How many packages changed in what.
    pub counts: DrugChangeCounts,
    /// The changes, the packages of one drug that changed alike together: what left first, then what is worse, what
    /// came, what is better or does not compare, and last what nobody can tell; then by name.
    pub changes: Vec<DrugChange>,
    /// How many there are beyond those that were asked for.
    pub more: u32,
}

/// How the drug lists of some plans were received.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ReceivedList {
    /// How completely.
    pub drugs: DrugBenefit,
    /// Entries that the Lists name and that could not be read: of the plan of which most are missing.
    pub gaps: u32,
    /// Entries that the Lists of that plan name.
    pub expected: u32,
}

/// How many packages changed in what; a package may count under several.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct DrugChangeCounts {
    /// Drugs with a package that is counted below, by name, strength and form.
    pub drugs: u32,
    /// Packages that the list has now and had not before.
    pub came: u32,
    /// Packages that it had before and has not now.
    pub left: u32,
    /// Packages that only one of the two has, and the other was not received completely, or there is none.
    pub not_known: u32,
    /// Packages that both have, of which something changed: those below.
    pub changed: u32,
    /// Packages with another status: covered, not covered, conflict, unknown.
    pub status: u32,
    /// Packages in a tier of a lower level.
    pub tier_better: u32,
    /// Packages in a tier of a higher level.
    pub tier_worse: u32,
    /// Packages in another tier of the same level, or in one whose level does not compare.
    pub tier_other: u32,
    /// Packages whose prior authorization is stated otherwise.
    pub prior_authorization: u32,
    /// Packages whose step therapy is stated otherwise.
    pub step_therapy: u32,
    /// Packages whose quantity limit is stated otherwise.
    pub quantity_limit: u32,
    /// Packages whose mail order is stated otherwise.
    pub mail_order: u32,
    /// Packages that both list with the same words.
    pub same: u32,
}

/// Packages of one drug that changed alike.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct DrugChange {
    /// Name, strength and form, as the newer dataset has them if it has the packages; empty if nothing names them.
    pub name: String,
    /// What became of them.
    pub kind: DrugChangeKind,
    /// Whether that is better, by status and then by the tier's level inside the plan; restrictions play no part.
    pub comparison: Comparison,
    /// In what they changed, for [`DrugChangeKind::Changed`].
    pub changed: Vec<ChangedFact>,
    /// What the list said before.
    pub old: PackageStatement,
    /// What it says now.
    pub new: PackageStatement,
    /// The packages, by code, entries without one last.
    pub packages: Vec<ChangedPackage>,
}

/// What a drug list says of a package.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct PackageStatement {
    /// Covered, not covered, not listed, unknown or conflict.
    pub status: CoverageStatus,
    /// Why, for statuses that have a reason.
    pub reason: Option<CoverageReason>,
    /// What the payer says.
    pub statement: Statement,
    /// What contradicts each other, for status conflict.
    pub conflict: Vec<Statement>,
}

/// A package that changed.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ChangedPackage {
    /// The package; `None` for an entry that has only RxNorm codes or a product code.
    pub ndc11: Option<Ndc11>,
    /// The product, hyphenated as the payer does where it showed it.
    pub product_ndc: Option<String>,
    /// RxNorm codes that any resource shows for it.
    pub rxcui: Vec<Rxcui>,
}

/// What became of packages of a drug list.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum DrugChangeKind {
    /// The list had them and has them no longer.
    Left,
    /// The list says otherwise of them.
    Changed,
    /// The list has them and had them not.
    Came,
    /// Only one of the two lists has them, and the other was not received completely, or there is none.
    NotKnown,
}

impl DrugChangeKind {
    /// `left`, `changed`, `came` or `not_known`.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Left => "left",
            Self::Changed => "changed",
            Self::Came => "came",
            Self::NotKnown => "not_known",
        }
    }
}

/// What a drug list says otherwise of a package.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum ChangedFact {
    /// Covered, not covered, conflict or unknown.
    Status,
    /// The tier, by the payer's code and words.
    Tier,
    /// Prior authorization.
    PriorAuthorization,
    /// Step therapy.
    StepTherapy,
    /// The quantity limit.
    QuantityLimit,
    /// Mail order.
    MailOrder,
    /// What the payer's contradictory entries say.
    Conflict,
}

impl ChangedFact {
    /// `status`, `tier`, `prior_authorization`, `step_therapy`, `quantity_limit`, `mail_order` or `conflict`.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Status => "status",
            Self::Tier => "tier",
            Self::PriorAuthorization => "prior_authorization",
            Self::StepTherapy => "step_therapy",
            Self::QuantityLimit => "quantity_limit",
            Self::MailOrder => "mail_order",
            Self::Conflict => "conflict",
        }
    }
}

/// Who came to networks and who left them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct DirectoryChanges {
    /// Networks that only the newer dataset has: nobody is named of them.
    pub came: Vec<Network>,
    /// Networks that only the older one has.
    pub left: Vec<Network>,
    /// Networks that only one has, and the other did not read all plans: nobody can tell.
    pub not_known: Vec<Network>,
    /// Networks that both have, by key; or, where plans were named, the networks of each plan together.
    pub networks: Vec<MemberChanges>,
}

/// Who came to a network, or to the networks of some plans, and who left.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct MemberChanges {
    /// The plans whose networks these are: those that were asked for, else all that have the network.
    pub plans: Vec<PlanId>,
    /// The networks before.
    pub old_networks: Vec<Network>,
    /// The networks now.
    pub new_networks: Vec<Network>,
    /// Why nobody can tell who was not in them before, for people; `None`: they were received completely.
    pub old_gap: Option<String>,
    /// The same of now.
    pub new_gap: Option<String>,
    /// Providers before and now, and how many came and left: of all places together, or of the counties asked for.
    pub counts: MemberCounts,
    /// The counties in which something changed, and how many providers came and left in each: to leave a county is to
    /// have no place in it any more. By code.
    pub counties: Vec<CountyMembers>,
    /// The changes, by county, then what left, what is inactive, what came, what is active again and what nobody can
    /// tell; then by name.
    pub changes: Vec<MemberChange>,
    /// How many there are beyond those that were asked for.
    pub more: u32,
}

/// How many providers came and left.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct MemberCounts {
    /// Providers that were in network.
    pub before: u32,
    /// Providers that are.
    pub after: u32,
    /// Providers that are in network and were not.
    pub came: u32,
    /// Providers that were in network and are no longer listed in it.
    pub left: u32,
    /// Providers that were in network and are listed as inactive.
    pub inactive: u32,
    /// Providers that were listed as inactive and are in network.
    pub active: u32,
    /// Providers that one dataset has in network, and of which the other leaves it open.
    pub not_known: u32,
}

/// How many providers came and left in a county.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct CountyMembers {
    /// The county.
    pub county: CountyFips,
    /// Its name with its state.
    pub name: String,
    /// How many, of those with a place in it.
    pub counts: MemberCounts,
}

/// A provider that came or left.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct MemberChange {
    /// The smallest of its valid NPIs; `None`: it has none.
    pub npi: Option<Npi>,
    /// What is stated for an NPI where none is valid.
    pub stated_npi: Option<String>,
    /// Its name; empty if nothing names it.
    pub name: String,
    /// A person or an organization.
    pub kind: ProviderKind,
    /// What it does there, in the roles that name the network.
    pub specialties: Vec<String>,
    /// The county; `None`: its places are not stated, or in no known county.
    pub county: Option<CountyFips>,
    /// The county's name with its state.
    pub county_name: Option<String>,
    /// What became of it there.
    pub kind_of_change: MemberChangeKind,
    /// Why nobody can tell, for people.
    pub reason: Option<String>,
    /// Whether it is, or of who came: was, in network in another county too.
    pub elsewhere: bool,
}

/// What became of a provider in a network.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum MemberChangeKind {
    /// It was in network and is no longer listed in it. Directories are incomplete: that is no proof of being out of
    /// network.
    Left,
    /// It was in network, and what says so is marked inactive or has ended.
    Inactive,
    /// It is in network and was not listed in it.
    Came,
    /// It was listed as inactive and is in network.
    Active,
    /// One dataset has it in network, the other leaves it open.
    NotKnown,
}

impl MemberChangeKind {
    /// `left`, `inactive`, `came`, `active` or `not_known`.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Left => "left",
            Self::Inactive => "inactive",
            Self::Came => "came",
            Self::Active => "active",
            Self::NotKnown => "not_known",
        }
    }
}

impl DrugChangeCounts {
    /// Packages of which anything is to be said.
    #[must_use]
    pub fn all(&self) -> u32 {
        self.came + self.left + self.not_known + self.changed
    }
}

impl MemberCounts {
    /// Providers of which anything is to be said.
    #[must_use]
    pub fn all(&self) -> u32 {
        self.came + self.left + self.inactive + self.active + self.not_known
    }

    fn count(&mut self, kind: MemberChangeKind) {
        *match kind {
            MemberChangeKind::Left => &mut self.left,
            MemberChangeKind::Inactive => &mut self.inactive,
            MemberChangeKind::Came => &mut self.came,
            MemberChangeKind::Active => &mut self.active,
            MemberChangeKind::NotKnown => &mut self.not_known,
        } += 1;
    }
}

impl PlanChanges {
    /// Whether nothing is to be said of any.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.came.is_empty() && self.left.is_empty() && self.not_known.is_empty() && self.changed.is_empty()
    }
}

impl DirectoryChanges {
    /// Whether nothing is to be said of any network.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        let alone = [&self.came, &self.left, &self.not_known];
        let nothing = |of: &MemberChanges| of.counts.all() == 0 && of.counties.is_empty();
        alone.iter().all(|networks| networks.is_empty()) && self.networks.iter().all(nothing)
    }
}

impl DatasetDiff {
    /// Whether nothing changed, and nothing is left open, of what was asked.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.plans.as_ref().is_none_or(PlanChanges::is_empty)
            && self.drugs.iter().flatten().all(|lists| lists.counts.all() == 0)
            && self.providers.as_ref().is_none_or(DirectoryChanges::is_empty)
    }

    /// Whether all drug lists and networks that were compared came completely, in both datasets.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        let lists = self.drugs.iter().flatten().flat_map(|lists| [lists.old, lists.new]);
        let whole = |list: ReceivedList| matches!(list.drugs, DrugBenefit::Complete | DrugBenefit::NoDrugBenefit);
        lists.into_iter().all(whole) && [&self.old, &self.new].iter().all(|side| side.network_gaps.is_empty())
    }
}

/// The two datasets of a comparison.
#[derive(Clone, Copy)]
struct Pair<'d> {
    old: &'d Dataset,
    new: &'d Dataset,
}

/// Has an error say which of the two datasets it is of.
trait InDataset {
    fn in_dataset(self, dataset: &Dataset) -> Self;
}

impl<T> InDataset for Result<T> {
    fn in_dataset(self, dataset: &Dataset) -> Self {
        self.map_err(|error| error.of_dataset(dataset.folder()))
    }
}

impl Pair<'_> {
    /// To be called in every loop whose length the data decides.
    fn check(&self) -> Result<()> {
        self.old.cancel.check()?;
        self.new.cancel.check()
    }
}

impl Dataset {
    /// What changed from this dataset to a newer one: plans, what their drug lists say, who is in their networks.
    /// A package is known by its code, a provider by its NPI, else by its name and an address. A provider is told once
    /// for each county in which it has no place in the network any more, or has one now.
    ///
    /// ```
    /// # coverdex_tests::with_payer(|path| {
    /// use coverdex_core::{Dataset, DiffQuestion};
    ///
    /// let last_week = Dataset::open(path)?;
    /// let today = Dataset::open(path)?;
    /// let diff = last_week.diff(&today, &DiffQuestion { limit: Some(20), ..DiffQuestion::default() })?;
    /// assert!(diff.is_empty()); // they are one dataset
    /// for lists in diff.drugs.iter().flatten() {
    ///     println!("{} plans: {} packages left", lists.plans.len(), lists.counts.left);
    ///     for change in &lists.changes {
    ///         println!("{}: {}, {}", change.name, change.kind.as_str(), change.comparison.as_str());
    ///     }
    /// }
    /// # Ok(())
    /// # });
    /// ```
    ///
    /// # Errors
    /// [`InvalidInput`](crate::ErrorKind::InvalidInput) if both have a payer's name and the names differ, and that was
    /// not asked for, or if plans and a network are both named; [`NotFound`](crate::ErrorKind::NotFound) or
    /// [`Ambiguous`](crate::ErrorKind::Ambiguous) with candidates for a plan, the network or the place that neither
    /// has; [`DatasetDamaged`](crate::ErrorKind::DatasetDamaged) if one cannot be read. Whatever is wrong with one of
    /// the two, the error's subject has its folder.
    pub fn diff(&self, newer: &Self, question: &DiffQuestion) -> Result<DatasetDiff> {
        let pair = Pair { old: self, new: newer };
        pair.check()?;
        if !question.plans.is_empty() && question.network.is_some() {
            return Err(Error::invalid("diff", "plans and a network are both named")
                .with_hint("name plans to ask about them and their networks, or one network"));
        }
        let mut notes = pair.payers(question.other_payer)?;
        let chosen = pair.choose_plans(question)?;
        notes.extend(chosen.notes.iter().cloned());
        let place = match &question.place {
            Some(place) => pair.counties_of(place)?,
            None => Vec::new(),
        };
        let about_plans = question.network.is_none();
        let plans = about_plans.then(|| plans::changes(pair, &chosen)).transpose()?;
        let asks_drugs = about_plans && !question.without_drugs;
        let drugs = asks_drugs.then(|| lists::changes(pair, &chosen, question.limit)).transpose()?;
        let mut sides = [pair.old, pair.new].map(DiffSide::of);
        let providers = if question.without_providers {
            None
        } else {
            directory::changes(pair, question, &chosen, &place, &mut sides, &mut notes)?
        };
        let [mut old, mut new] = sides;
        old.count_plans(chosen.of_old());
        new.count_plans(chosen.of_new());
        let mut caveats = Caveats::default();
        if drugs.is_some() {
            caveats.drug_lists(chosen.of_new());
        }
        if providers.is_some() {
            caveats.directory(true);
        }
        Ok(DatasetDiff { old, new, plans, drugs, providers, place, notes, caveats: caveats.list() })
    }
}

impl DiffSide {
    fn of(dataset: &Dataset) -> Self {
        let directory = dataset.has_directory().then(|| dataset.origin_of_directory().as_of().to_owned());
        Self {
            origin: dataset.origin(),
            drugs_as_of: dataset.origin_of_drugs().as_of().to_owned(),
            directory_as_of: directory,
            plans: 0,
            complete_drug_lists: 0,
            network_gaps: Vec::new(),
        }
    }

    fn count_plans<'p>(&mut self, plans: impl Iterator<Item = &'p Plan>) {
        for plan in plans {
            self.plans += 1;
            self.complete_drug_lists += u32::from(plan.drugs == DrugBenefit::Complete);
        }
    }
}

impl Pair<'_> {
    /// The counties of a place, which any dataset has alike.
    fn counties_of(&self, place: &Place) -> Result<Vec<CountyFound>> {
        match self.new.counties_of(place) {
            Err(error) if error.kind() == ErrorKind::DatasetDamaged => Err(error).in_dataset(self.new),
            found => Ok(found?.counties),
        }
    }

    /// Refuses two payers unless that was asked for; what is to be said of which datasets they are.
    fn payers(&self, other_payer: bool) -> Result<Vec<String>> {
        let mut notes = Vec::new();
        let [old, new] = [self.old, self.new].map(|dataset| &dataset.inner.manifest);
        if old.dataset == new.dataset {
            notes.push("both are the same dataset".to_owned());
        } else if as_instant(&old.as_of) > as_instant(&new.as_of) {
            notes.push(format!(
                "the first dataset is the newer one ({}, the second {}): what left in time is told as what came",
                old.as_of, new.as_of
            ));
        }
        let names = [old, new].map(|manifest| {
            let mut names: Vec<&str> = manifest.sources.iter().filter_map(|source| source.name.as_deref()).collect();
            names.sort_unstable();
            names
        });
        let [of_old, of_new] = &names;
        if of_old.is_empty() || of_new.is_empty() {
            if of_old.len() != of_new.len() {
                notes.push("one of the datasets does not say which payer it is of".to_owned());
            }
            return Ok(notes);
        }
        let folded = |names: &[&str]| names.iter().map(|name| fold_system(name)).collect::<Vec<_>>();
        if folded(of_old) == folded(of_new) {
            return Ok(notes);
        }
        let [at_old, at_new] = [self.old, self.new].map(|dataset| dataset.folder().display());
        let [of_old, of_new] = [of_old.join(", "), of_new.join(", ")];
        let message = format!("they are of two payers: {of_old} ({at_old}) and {of_new} ({at_new})");
        if other_payer {
            notes.push(message);
            return Ok(notes);
        }
        Err(Error::invalid("diff", message)
            .with_hint("name two datasets of one payer, or say that they may be of different ones"))
    }
}

/// A time in RFC 3339 and UTC as it compares: with and without fractions of seconds.
fn as_instant(text: &str) -> &str {
    text.trim_end_matches('Z')
}
