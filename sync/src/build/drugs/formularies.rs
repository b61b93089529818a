//! What each plan lists: entries become one code for each package, equal formularies become one.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use coverdex_core::{PlanId, Result};

use super::catalogue::Catalogue;
use super::collect::{EntryTerms, Said};
use super::join::{Joined, Placed, PlanLists};
use crate::build::intern::Interner;
use crate::model::Tier;
use crate::source::{ByKey, FormularyGap};

/// What one entry says, as it is written.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Says {
    pub(super) tier: Option<Tier>,
    pub(super) prior_authorization: Option<bool>,
    pub(super) step_therapy: Option<bool>,
    pub(super) quantity_limit: Option<bool>,
    pub(super) mail_order: Option<bool>,
}

/// What holds for a package in a formulary, as it is written.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Term {
    /// Listed.
    Listed(Says),
    /// Entries, or the tiers of one entry, contradict each other.
    Conflict(Vec<Says>),
    /// Inactive or entered in error.
    EntryInactive(Says),
    /// A row that the plan's Lists do not name.
    Unreferenced(Says),
}

/// A distinct formulary: (package, number in [`Formularies::terms`]), ascending.
pub(super) type Content = Vec<(u32, u32)>;

/// All formularies.
pub(super) struct Formularies {
    /// Ascending.
    pub(super) terms: Vec<Term>,
    /// In the order of the first plan that has each.
    pub(super) contents: Vec<Content>,
    /// Number of a plan's formulary, by the number of the plan.
    pub(super) of_plan: HashMap<u32, u32>,
}

/// Reads the entries of every plan. `order` has the numbers of plans in the order of their ids; `gaps` tells of which
/// plans a part may be missing.
pub(super) fn formularies(
    said: &Said,
    joined: &mut Joined,
    catalogue: &Catalogue,
    order: &[u32],
    gaps: &ByKey<PlanId, FormularyGap>,
) -> Result<Formularies> {
    let numbers: Vec<Vec<u32>> = said.drugs.values().map(|facts| catalogue.numbers_of(facts)).collect();
    let mut terms: Interner<Term> = Interner::default();
    let mut distinct: HashMap<Content, u32> = HashMap::new();
    let mut contents: Vec<Content> = Vec::new();
    let mut found: HashMap<u32, u32> = HashMap::new();
    let mut followers: HashMap<u32, Vec<u32>> = HashMap::new();
    for (plan, first) in &joined.sharing {
        followers.entry(*first).or_default().push(*plan);
    }
    for plans in followers.values_mut() {
        plans.sort_unstable();
    }
    for shelf in 0..joined.placed.count() {
        let mut placed = joined.placed.read(shelf)?;
        placed.sort_unstable();
        let of_plan: BTreeMap<u32, &[Placed]> =
            placed.chunk_by(|a, b| a.plan == b.plan).filter_map(|rows| Some((rows.first()?.plan, rows))).collect();
        let first_of = |plan: u32| joined.sharing.get(&plan).copied().unwrap_or(plan);
        let firsts: BTreeSet<u32> = of_plan.keys().map(|plan| first_of(*plan)).collect();
        for first in firsts {
            let rows_of = |plan: u32| of_plan.get(&plan).copied().unwrap_or_default();
            let shared: Vec<Placed> = rows_of(first).iter().filter(|row| row.by_list).copied().collect();
            let mut alike = None;
            for plan in followers.get(&first).map_or(std::slice::from_ref(&first), Vec::as_slice) {
                // An entry may be named by a List that was not read, or by none.
                let gap = said.plans.value(*plan).and_then(|id| joined.gap(id, Some(*plan), gaps));
                let may_be_listed = matches!(gap, Some(FormularyGap::NotSynced | FormularyGap::ListsIncomplete));
                let own = rows_of(*plan).iter().filter(|row| !row.by_list && !may_be_listed);
                let own: Vec<Placed> = own.copied().collect();
                // Plans of which nothing else is said list the same.
                if let (true, Some(number)) = (own.is_empty(), alike) {
                    found.insert(*plan, number);
                    continue;
                }
                let is_shared_alone = own.is_empty();
                let rows: Vec<Placed> = shared.iter().copied().chain(own).collect();
                if rows.is_empty() {
                    continue;
                }
                let lists = joined.lists.get(plan);
                let words = TierWords::of(&rows, lists, said);
                let has_lists = lists.is_some_and(|lists| lists.expected > 0);
                let content = content_of(&rows, has_lists, &words, said, &numbers, &mut terms);
                let number = *distinct.entry(content).or_insert_with_key(|content| {
                    contents.push(content.clone());
                    u32::try_from(contents.len() - 1).unwrap_or(u32::MAX)
                });
                found.insert(*plan, number);
                if is_shared_alone {
                    alike = Some(number);
                }
            }
        }
    }
    drop(distinct);
    Ok(settle(&terms, &contents, &found, order))
}

/// Numbers terms by content and formularies by their first plan.
fn settle(terms: &Interner<Term>, contents: &[Content], found: &HashMap<u32, u32>, order: &[u32]) -> Formularies {
    let by_content: BTreeMap<&Term, u32> = terms.values().zip(0_u32..).collect();
    let mut number_of = vec![0_u32; terms.len()];
    for (number, old) in (0_u32..).zip(by_content.values()) {
        if let Some(slot) = number_of.get_mut(*old as usize) {
            *slot = number;
        }
    }
    let mut settled = Formularies {
        terms: by_content.keys().map(|term| (*term).clone()).collect(),
        contents: Vec::new(),
        of_plan: HashMap::new(),
    };
    let mut renumbered: HashMap<u32, u32> = HashMap::new();
    for plan in order {
        let Some(old) = found.get(plan) else { continue };
        let number = *renumbered.entry(*old).or_insert_with(|| {
            let content = contents.get(*old as usize).map(Vec::as_slice).unwrap_or_default();
            let new_number = |term: u32| number_of.get(term as usize).copied().unwrap_or_default();
            settled.contents.push(content.iter().map(|(package, term)| (*package, new_number(*term))).collect());
            u32::try_from(settled.contents.len() - 1).unwrap_or(u32::MAX)
        });
        settled.of_plan.insert(*plan, number);
    }
    settled
}

fn content_of(
    rows: &[Placed],
    has_lists: bool,
    words: &TierWords,
    said: &Said,
    numbers: &[Vec<u32>],
    terms: &mut Interner<Term>,
) -> Content {
    let mut by_package: Vec<(u32, bool, u32)> = Vec::with_capacity(rows.len());
    for row in rows {
        for package in numbers.get(row.drug as usize).into_iter().flatten() {
            by_package.push((*package, row.by_list, row.terms));
        }
    }
    by_package.sort_unstable();
    by_package.dedup();
    let packages = by_package.chunk_by(|a, b| a.0 == b.0);
    let judged = packages.filter_map(|rows| {
        let package = rows.first()?.0;
        let says: Vec<(bool, &EntryTerms)> =
            rows.iter().filter_map(|(_, by_list, number)| Some((*by_list, said.terms.value(*number)?))).collect();
        Some((package, terms.number(judge(&says, has_lists, words)?)))
    });
    judged.collect()
}

/// What holds for a package of which these entries were received: (named by a List, what it says).
fn judge(entries: &[(bool, &EntryTerms)], has_lists: bool, words: &TierWords) -> Option<Term> {
    let counts = |by_list: bool| by_list || !has_lists;
    let active: BTreeSet<Says> = entries
        .iter()
        .filter(|(by_list, terms)| counts(*by_list) && !terms.inactive)
        .flat_map(|(_, terms)| statements(terms, words))
        .collect();
    if active.len() > 1 {
        return Some(Term::Conflict(active.into_iter().collect()));
    }
    if let Some(says) = active.into_iter().next() {
        return Some(Term::Listed(says));
    }
    let first = |by_list: bool| {
        let fitting = entries.iter().filter(|(listed, _)| counts(*listed) == by_list);
        fitting.flat_map(|(_, terms)| statements(terms, words)).min()
    };
    first(true).map(Term::EntryInactive).or_else(|| first(false).map(Term::Unreferenced))
}

/// What a plan calls its tiers. An entry that has a tier's code and not its words means the same tier:
/// it borrows the words where the plan has one kind of words for the code. Of several kinds that say
/// the same of coverage it borrows words only if the code alone says something else; of several that
/// contradict each other it says all.
#[derive(Default)]
struct TierWords(HashMap<String, BTreeSet<String>>);

impl TierWords {
    fn of(rows: &[Placed], lists: Option<&PlanLists>, said: &Said) -> Self {
        let numbers: BTreeSet<u32> = rows.iter().map(|row| row.terms).collect();
        let of_entries =
            numbers.into_iter().filter_map(|number| said.terms.value(number)).flat_map(|terms| &terms.tiers);
        let of_lists = lists.iter().flat_map(|lists| &lists.contents).flat_map(|list| &list.tiers).map(|t| &t.tier);
        let mut words = Self::default();
        for tier in of_entries.chain(of_lists) {
            let Some(display) = &tier.display else { continue };
            words.0.entry(tier.code.clone()).or_default().insert(display.clone());
        }
        words
    }

    /// What an entry means that states this tier.
    fn meant(&self, tier: &Tier) -> Vec<Tier> {
        let known = self.0.get(&tier.code).filter(|_| tier.display.is_none());
        let Some(known) = known else { return vec![tier.clone()] };
        let of = |words: &String| Tier { code: tier.code.clone(), display: Some(words.clone()) };
        if known.len() > 1 {
            let status = |words: Option<&str>| coverdex_core::Tier::read(&tier.code, words).status;
            let said: BTreeSet<_> = known.iter().map(|words| status(Some(words))).collect();
            if said.len() > 1 {
                return known.iter().map(of).collect();
            }
            if said.contains(&status(None)) {
                return vec![tier.clone()];
            }
        }
        known.first().map(of).into_iter().collect()
    }
}

/// What an entry says; one with several tiers says several things.
fn statements(terms: &EntryTerms, words: &TierWords) -> Vec<Says> {
    let says = |tier: Option<Tier>| Says {
        tier,
        prior_authorization: terms.prior_authorization,
        step_therapy: terms.step_therapy,
        quantity_limit: terms.quantity_limit,
        mail_order: terms.mail_order,
    };
    if terms.tiers.is_empty() {
        vec![says(None)]
    } else {
        terms.tiers.iter().flat_map(|tier| words.meant(tier)).map(|tier| says(Some(tier))).collect()
    }
}

/// The bytes of a formulary: a code for each package of the catalogue (two bytes where there are
/// more than 255 different terms), and the terms of the codes 1, 2, …
pub(super) fn encode(content: &Content, packages: usize) -> (u8, Vec<u8>, Vec<u32>) {
    let meanings: Vec<u32> = content.iter().map(|(_, term)| *term).collect::<BTreeSet<_>>().into_iter().collect();
    let width: u8 = if meanings.len() > 255 { 2 } else { 1 };
    let mut codes = vec![0_u8; packages * usize::from(width)];
    for (package, term) in content {
        let code = meanings.binary_search(term).map_or(0, |at| u16::try_from(at + 1).unwrap_or(0)).to_le_bytes();
        let at = *package as usize * usize::from(width);
        for (slot, byte) in codes.iter_mut().skip(at).take(usize::from(width)).zip(code) {
            *slot = byte;
        }
    }
    (width, codes, meanings)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn terms(tiers: &[&str], prior_authorization: Option<bool>, inactive: bool) -> EntryTerms {
        let tiers = tiers.iter().map(|code| Tier { code: (*code).to_owned(), display: None }).collect();
        EntryTerms { tiers, prior_authorization, inactive, ..EntryTerms::default() }
    }

    #[test]
    fn entries_of_one_package_are_judged_together() {
        let one = terms(&["1"], Some(false), false);
        let other = terms(&["2"], Some(false), false);
        let silent = terms(&["1"], None, false);
        let inactive = terms(&["1"], Some(false), true);
        let two_tiers = terms(&["1", "2"], None, false);
        let kind = |entries: &[(bool, &EntryTerms)], has_lists| match judge(entries, has_lists, &TierWords::default()) {
            Some(Term::Listed(_)) => "listed",
            Some(Term::Conflict(_)) => "conflict",
            Some(Term::EntryInactive(_)) => "inactive",
            Some(Term::Unreferenced(_)) => "unreferenced",
            None => "nothing",
        };
        assert_eq!(kind(&[(true, &one)], true), "listed");
        assert_eq!(kind(&[(true, &one), (true, &one)], true), "listed");
        assert_eq!(kind(&[(true, &one), (true, &other)], true), "conflict");
        assert_eq!(kind(&[(true, &one), (true, &silent)], true), "conflict");
        assert_eq!(kind(&[(true, &two_tiers)], true), "conflict");
        assert_eq!(kind(&[(true, &one), (true, &inactive)], true), "listed");
        assert_eq!(kind(&[(true, &inactive)], true), "inactive");
        assert_eq!(kind(&[(false, &one)], true), "unreferenced");
        assert_eq!(kind(&[(false, &one)], false), "listed");
        assert_eq!(kind(&[(true, &one), (false, &other)], true), "listed");
        assert_eq!(kind(&[], true), "nothing");
    }

    #[test]
    fn wide_formularies_take_two_bytes() {
        let narrow: Content = (0..255).map(|n| (n, n)).collect();
        let wide: Content = (0..300).map(|n| (n, n)).collect();
        assert_eq!(encode(&narrow, 256).0, 1);
        let (width, codes, meanings) = encode(&wide, 301);
        assert_eq!((width, codes.len(), meanings.len()), (2, 602, 300));
        assert_eq!(&codes[598..], &[44, 1, 0, 0]);
    }
}
