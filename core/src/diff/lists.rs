//! What drug lists say otherwise: each pair of formularies is compared once, code by code.

use std::collections::HashMap;
use std::sync::Arc;

use sha2::{Digest as _, Sha256};

use super::packages::{Joint, Packages};
use super::plans::ChosenPlans;
use super::{
    ChangedFact, ChangedPackage, DrugChange, DrugChangeCounts, DrugChangeKind, DrugListChanges, InDataset as _,
    PackageStatement, Pair, ReceivedList,
};
use crate::Result;
use crate::coverage::{Comparison, CoverageReason, CoverageStatus, Statement, absence, judge};
use crate::data::{DrugBenefit, Formulary, Plan, Term, TermStatus, package_details};
use crate::dataset::Dataset;
use crate::ids::PlanId;
use crate::tier::{Tier, TierStatus};

/// What tells apart how two plans' lists compare: their formularies, and what absence from each means.
type ListKey = (Option<u32>, DrugBenefit);

/// What names the lists of a plan in both datasets.
type ListNames<'p> = (Option<u32>, &'p str, Option<u32>, &'p str);

/// Plans that compare alike, and the plan of which most entries are missing on each side.
struct SameLists<'p> {
    plans: Vec<PlanId>,
    old: &'p Plan,
    new: &'p Plan,
    received: [ReceivedList; 2],
}

pub(super) fn changes(pair: Pair<'_>, chosen: &ChosenPlans, limit: Option<u32>) -> Result<Vec<DrugListChanges>> {
    let mut lists: Vec<((ListKey, ListKey), SameLists<'_>)> = Vec::new();
    let mut known: HashMap<ListNames<'_>, usize> = HashMap::new();
    for (old, new) in chosen.in_both() {
        pair.check()?;
        let [of_old, of_new] = [old, new].map(|plan| (plan.formulary(), plan.drugs));
        let key = (of_old.0, of_old.1.as_str(), of_new.0, of_new.1.as_str());
        let received = [old, new].map(ReceivedList::of);
        if let Some((_, same)) = known.get(&key).and_then(|at| lists.get_mut(*at)) {
            same.add(new.id.clone(), received);
        } else {
            known.insert(key, lists.len());
            let same = SameLists { plans: vec![new.id.clone()], old, new, received };
            lists.push(((of_old, of_new), same));
        }
    }
    if lists.is_empty() {
        return Ok(Vec::new());
    }
    let packages = Packages::of(pair)?;
    let mut told: Vec<DrugListChanges> = Vec::new();
    // Lists that differ and changed alike are told together: by what they would say, every package of it.
    let mut alike: HashMap<([u8; 32], &str, &str), usize> = HashMap::new();
    for (_, same) in lists {
        let compared = Compared::of(pair, &packages, same.old, same.new)?;
        let key = (compared.fingerprint(), same.old.drugs.as_str(), same.new.drugs.as_str());
        if let Some(own) = alike.get(&key).and_then(|at| told.get_mut(*at)) {
            own.plans.extend(same.plans);
            own.old.take_worse(same.received[0]);
            own.new.take_worse(same.received[1]);
            // What is the same may be of different lengths.
            own.counts.same = own.counts.same.max(compared.counts.same);
            continue;
        }
        alike.insert(key, told.len());
        told.push(compared.tell(pair, &packages, same, limit)?);
    }
    for lists in &mut told {
        lists.plans.sort_unstable();
    }
    told.sort_by(|a, b| {
        let rank = |lists: &DrugListChanges| (lists.counts.all() == 0, std::cmp::Reverse(lists.plans.len()));
        rank(a).cmp(&rank(b)).then_with(|| a.plans.cmp(&b.plans))
    });
    Ok(told)
}

impl SameLists<'_> {
    fn add(&mut self, plan: PlanId, received: [ReceivedList; 2]) {
        self.plans.push(plan);
        for (own, other) in self.received.iter_mut().zip(received) {
            own.take_worse(other);
        }
    }
}

impl ReceivedList {
    fn of(plan: &Plan) -> Self {
        Self { drugs: plan.drugs, gaps: plan.gaps, expected: plan.expected }
    }

    fn take_worse(&mut self, other: Self) {
        if other.gaps > self.gaps {
            *self = other;
        }
    }
}

/// What a formulary says of a package, once for all packages with its code.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Said {
    status: CoverageStatus,
    reason: Option<CoverageReason>,
    /// Whether the list has it, whatever it says of it.
    is_listed: bool,
    /// Whether the list leaves open that it has it.
    is_open: bool,
    term: Option<Arc<Term>>,
}

/// The formulary of one side: what each of its codes says.
struct Side<'d> {
    dataset: &'d Dataset,
    formulary: Option<Arc<Formulary>>,
    said: HashMap<u16, Arc<Said>>,
    absent: (CoverageStatus, Option<CoverageReason>),
}

impl<'d> Side<'d> {
    /// As a plan is asked: one that publishes no formulary may have entries that do not count, and they say so.
    fn of(dataset: &'d Dataset, plan: &Plan) -> Result<Self> {
        let formulary = dataset.formulary(plan).in_dataset(dataset)?;
        Ok(Self { dataset, formulary, said: HashMap::new(), absent: absence(plan) })
    }

    /// The code of a package; 0 where the list does not have it.
    fn code(&self, package: Option<u32>) -> Result<u16> {
        match (&self.formulary, package) {
            (Some(formulary), Some(package)) => formulary.code(package).in_dataset(self.dataset),
            _ => Ok(0),
        }
    }

    /// The code of a package as it is asked for: an entry with its product's code and no package code speaks for it too.
    /// None where several speak and do not say the same: they are told themselves.
    fn asked_code(&self, package: Option<u32>, product: Option<u32>) -> Result<Option<u16>> {
        let mut said = self.code(package)?;
        let Some(product) = product.filter(|_| self.formulary.is_some()) else { return Ok(Some(said)) };
        let inner = &self.dataset.inner;
        let entries = inner.drugs.product_entries(&inner.database).in_dataset(self.dataset)?;
        let start = entries.partition_point(|(other, _)| *other < product);
        for (_, entry) in entries.get(start..).unwrap_or_default().iter().take_while(|(other, _)| *other == product) {
            match self.code(Some(*entry))? {
                0 => {}
                code if said == 0 || said == code => said = code,
                _ => return Ok(None),
            }
        }
        Ok(Some(said))
    }

    fn said(&mut self, code: u16) -> Result<Arc<Said>> {
        if let Some(said) = self.said.get(&code) {
            return Ok(Arc::clone(said));
        }
        let term = match &self.formulary {
            Some(formulary) => formulary.meaning(code).in_dataset(self.dataset)?.cloned(),
            None => None,
        };
        let (status, reason) = judge(term.as_deref(), self.absent);
        let is_listed =
            term.as_ref().is_some_and(|term| matches!(term.status, TermStatus::Listed | TermStatus::Conflict));
        let said = Said { status, reason, is_listed, is_open: !is_listed && status == CoverageStatus::Unknown, term };
        let said = Arc::new(said);
        self.said.insert(code, Arc::clone(&said));
        Ok(said)
    }
}

/// What became of all packages with the same two codes.
#[derive(Clone, Debug)]
struct Verdict {
    kind: DrugChangeKind,
    comparison: Comparison,
    changed: Vec<ChangedFact>,
    old: Arc<Said>,
    new: Arc<Said>,
}

/// Two lists, compared.
struct Compared {
    verdicts: Vec<Verdict>,
    /// Packages of which something is to be said: which, and the number of its verdict. In the order of codes.
    changed: Vec<(u32, u32)>,
    counts: DrugChangeCounts,
}

impl Compared {
    fn of(pair: Pair<'_>, packages: &Packages, old: &Plan, new: &Plan) -> Result<Self> {
        let (mut old, mut new) = (Side::of(pair.old, old)?, Side::of(pair.new, new)?);
        let mut compared = Self { verdicts: Vec::new(), changed: Vec::new(), counts: DrugChangeCounts::default() };
        // The number of a pair's verdict, `None` where nothing is to be said.
        let mut known: HashMap<(u16, u16), Option<u32>> = HashMap::new();
        for (number, joint) in (0_u32..).zip(&packages.all) {
            if number.is_multiple_of(1024) {
                pair.check()?;
            }
            let product = packages.product(number);
            let codes = (old.asked_code(joint.in_old(), product)?, new.asked_code(joint.in_new(), product)?);
            let (Some(of_old), Some(of_new)) = codes else { continue };
            let codes = (of_old, of_new);
            if codes == (0, 0) {
                continue;
            }
            let verdict = if let Some(verdict) = known.get(&codes) {
                *verdict
            } else {
                let verdict = verdict(old.said(codes.0)?, new.said(codes.1)?);
                let at = u32::try_from(compared.verdicts.len()).unwrap_or(u32::MAX);
                let at = verdict.map(|verdict| {
                    compared.verdicts.push(verdict);
                    at
                });
                known.insert(codes, at);
                at
            };
            match verdict {
                Some(verdict) => compared.changed.push((number, verdict)),
                // The same words on both sides, or on neither.
                None => compared.counts.same += u32::from(old.said(codes.0)?.is_listed),
            }
        }
        compared.count();
        Ok(compared)
    }

    fn verdict(&self, number: u32) -> Option<&Verdict> {
        self.verdicts.get(number as usize)
    }

    fn count(&mut self) {
        let mut of_verdict = vec![0_u32; self.verdicts.len()];
        for (_, verdict) in &self.changed {
            if let Some(count) = of_verdict.get_mut(*verdict as usize) {
                *count += 1;
            }
        }
        for (verdict, packages) in self.verdicts.iter().zip(of_verdict) {
            let counts = &mut self.counts;
            match verdict.kind {
                DrugChangeKind::Left => counts.left += packages,
                DrugChangeKind::Came => counts.came += packages,
                DrugChangeKind::NotKnown => counts.not_known += packages,
                DrugChangeKind::Changed => counts.changed += packages,
            }
            for fact in &verdict.changed {
                *match fact {
                    ChangedFact::Status => &mut counts.status,
                    ChangedFact::Tier => match tiers(&verdict.old, &verdict.new) {
                        Comparison::Better => &mut counts.tier_better,
                        Comparison::Worse => &mut counts.tier_worse,
                        Comparison::Same | Comparison::NotComparable => &mut counts.tier_other,
                    },
                    ChangedFact::PriorAuthorization => &mut counts.prior_authorization,
                    ChangedFact::StepTherapy => &mut counts.step_therapy,
                    ChangedFact::QuantityLimit => &mut counts.quantity_limit,
                    ChangedFact::MailOrder => &mut counts.mail_order,
                    ChangedFact::Conflict => continue,
                } += packages;
            }
        }
    }

    /// What two comparisons share that would tell the same.
    fn fingerprint(&self) -> [u8; 32] {
        let words = |verdict: &Verdict| format!("{:?}", (verdict.kind, verdict.old.words(), verdict.new.words()));
        let words: Vec<[u8; 32]> =
            self.verdicts.iter().map(|verdict| Sha256::digest(words(verdict).as_bytes()).into()).collect();
        let mut hasher = Sha256::new();
        for (package, verdict) in &self.changed {
            hasher.update(package.to_le_bytes());
            hasher.update(words.get(*verdict as usize).unwrap_or(&[0; 32]));
        }
        hasher.finalize().into()
    }

    /// What is shown of it.
    fn tell(
        mut self,
        pair: Pair<'_>,
        packages: &Packages,
        same: SameLists<'_>,
        limit: Option<u32>,
    ) -> Result<DrugListChanges> {
        // Pairs of codes may say the same: what is told together has one rank.
        let mut order: Vec<u32> = (0..).take(self.verdicts.len()).collect();
        let words: Vec<String> = self.verdicts.iter().map(Verdict::order).collect();
        let key = |number: &u32| (self.verdict(*number).map(Verdict::rank), words.get(*number as usize));
        order.sort_by(|a, b| key(a).cmp(&key(b)));
        let mut place = vec![(0_u8, 0_u32); order.len()];
        let mut last: Option<(u32, u32)> = None;
        for (at, number) in (0_u32..).zip(&order) {
            let group = match last {
                Some((before, group)) if key(&before) == key(number) => group,
                _ => at,
            };
            last = Some((*number, group));
            if let (Some(slot), Some(verdict)) = (place.get_mut(*number as usize), self.verdict(*number)) {
                *slot = (verdict.rank(), group);
            }
        }
        let place = |verdict: u32| place.get(verdict as usize).copied().unwrap_or_default();
        let of = |(package, verdict): &(u32, u32)| {
            let (rank, group) = place(*verdict);
            (rank, packages.title_number(*package), group)
        };
        let mut changed = std::mem::take(&mut self.changed);
        pair.check()?;
        changed.sort_by_cached_key(|change| (of(change), change.0));
        let mut titles: Vec<u32> = changed.iter().map(|(package, _)| packages.title_number(*package)).collect();
        titles.sort_unstable();
        titles.dedup();
        self.counts.drugs = u32::try_from(titles.len()).unwrap_or(u32::MAX);
        let mut told = Vec::new();
        let mut more = 0_u32;
        let limit = limit.map_or(usize::MAX, |limit| limit as usize);
        for alike in changed.chunk_by(|a, b| of(a) == of(b)) {
            pair.check()?;
            let Some((package, verdict)) = alike.first() else { continue };
            if told.len() >= limit {
                more += 1;
                continue;
            }
            let Some(verdict) = self.verdict(*verdict) else { continue };
            let joints = alike.iter().filter_map(|(package, _)| packages.all.get(*package as usize));
            told.push(DrugChange {
                name: packages.title(packages.title_number(*package)).to_owned(),
                kind: verdict.kind,
                comparison: verdict.comparison,
                changed: verdict.changed.clone(),
                old: verdict.old.statement(),
                new: verdict.new.statement(),
                packages: shown(pair, joints)?,
            });
        }
        let [old, new] = same.received;
        Ok(DrugListChanges { plans: same.plans, old, new, counts: self.counts, changes: told, more })
    }
}

/// Packages as they are shown, from the newer dataset if it has them.
fn shown<'j>(pair: Pair<'_>, joints: impl Iterator<Item = &'j Joint>) -> Result<Vec<ChangedPackage>> {
    let mut shown = Vec::new();
    for joint in joints {
        let (dataset, package) = match (joint.in_new(), joint.in_old()) {
            (Some(new), _) => (pair.new, new),
            (None, Some(old)) => (pair.old, old),
            (None, None) => continue,
        };
        let details = dataset.inner.database.with(|connection| package_details(connection, package));
        let (row, _, rxcui) = details.in_dataset(dataset)?;
        shown.push(ChangedPackage { ndc11: row.ndc11, product_ndc: row.product_ndc(), rxcui });
    }
    shown.sort_by(|a, b| {
        let key = |package: &ChangedPackage| (package.ndc11.is_none(), package.ndc11);
        key(a).cmp(&key(b)).then_with(|| (&a.product_ndc, &a.rxcui).cmp(&(&b.product_ndc, &b.rxcui)))
    });
    Ok(shown)
}

impl Verdict {
    /// What is told first.
    fn rank(&self) -> u8 {
        match (self.kind, self.comparison) {
            (DrugChangeKind::Left, _) => 0,
            (DrugChangeKind::Changed, Comparison::Worse) => 1,
            (DrugChangeKind::Came, _) => 2,
            (DrugChangeKind::Changed, Comparison::Better) => 3,
            (DrugChangeKind::Changed, _) => 4,
            (DrugChangeKind::NotKnown, _) => 5,
        }
    }

    /// An order among those of one rank that depends on what they say alone.
    fn order(&self) -> String {
        format!("{:?}", (self.old.words(), self.new.words()))
    }
}

impl Said {
    fn tier(&self) -> Option<&Tier> {
        self.term.as_deref().filter(|_| self.is_listed).and_then(|term| term.tier.as_deref())
    }

    fn flags(&self) -> [Option<bool>; 4] {
        self.term.as_deref().filter(|_| self.is_listed).map(Term::flags).unwrap_or_default()
    }

    fn conflict(&self) -> &[Term] {
        self.term.as_deref().filter(|_| self.is_listed).map_or(&[], |term| &term.conflict)
    }

    /// What tells it from others.
    fn words(&self) -> impl std::fmt::Debug + use<'_> {
        (self.status, self.reason, self.is_listed, self.tier(), self.flags(), self.conflict())
    }

    fn statement(&self) -> PackageStatement {
        PackageStatement {
            status: self.status,
            reason: self.reason,
            statement: self.term.as_deref().filter(|_| self.is_listed).map(Statement::of).unwrap_or_default(),
            conflict: self.conflict().iter().map(Statement::of).collect(),
        }
    }
}

/// What is to be said of packages of which the two lists say these; `None`: nothing.
fn verdict(old: Arc<Said>, new: Arc<Said>) -> Option<Verdict> {
    let kind = match (old.is_listed, new.is_listed) {
        (false, false) => return None,
        (true, false) if new.is_open => DrugChangeKind::NotKnown,
        (false, true) if old.is_open => DrugChangeKind::NotKnown,
        (true, false) => DrugChangeKind::Left,
        (false, true) => DrugChangeKind::Came,
        (true, true) => DrugChangeKind::Changed,
    };
    let changed = if kind == DrugChangeKind::Changed { facts(&old, &new) } else { Vec::new() };
    if kind == DrugChangeKind::Changed && changed.is_empty() {
        return None;
    }
    Some(Verdict { kind, comparison: compare(&old, &new), changed, old, new })
}

/// In what two statements of a package differ.
fn facts(old: &Said, new: &Said) -> Vec<ChangedFact> {
    let [prior_authorization, step_therapy, quantity_limit, mail_order] = old.flags();
    let of_new = new.flags();
    let differs = [
        (ChangedFact::Status, (old.status, old.reason) != (new.status, new.reason)),
        (ChangedFact::Tier, old.tier() != new.tier()),
        (ChangedFact::PriorAuthorization, prior_authorization != of_new[0]),
        (ChangedFact::StepTherapy, step_therapy != of_new[1]),
        (ChangedFact::QuantityLimit, quantity_limit != of_new[2]),
        (ChangedFact::MailOrder, mail_order != of_new[3]),
        (ChangedFact::Conflict, old.conflict() != new.conflict()),
    ];
    differs.into_iter().filter(|(_, differs)| *differs).map(|(fact, _)| fact).collect()
}

/// Whether what is said now is better: covered where it was not, or in a tier of a lower level.
fn compare(old: &Said, new: &Said) -> Comparison {
    let worth = |said: &Said| match said.status {
        CoverageStatus::Covered => Some(true),
        CoverageStatus::NotCovered | CoverageStatus::NotListed => Some(false),
        _ => None,
    };
    match (worth(old), worth(new)) {
        (Some(false), Some(true)) => Comparison::Better,
        (Some(true), Some(false)) => Comparison::Worse,
        (Some(false), Some(false)) => Comparison::Same,
        (Some(true), Some(true)) => tiers(old, new),
        _ => Comparison::NotComparable,
    }
}

/// How covered tiers compare, by level alone.
fn tiers(old: &Said, new: &Said) -> Comparison {
    let (old, new) = (old.tier(), new.tier());
    if old == new {
        return Comparison::Same;
    }
    let level = |tier: Option<&Tier>| tier.filter(|tier| tier.status == TierStatus::Covered)?.level;
    match level(old).zip(level(new)) {
        None => Comparison::NotComparable,
        Some((old, new)) => match new.cmp(&old) {
            std::cmp::Ordering::Less => Comparison::Better,
            std::cmp::Ordering::Equal => Comparison::Same,
            std::cmp::Ordering::Greater => Comparison::Worse,
        },
    }
}
