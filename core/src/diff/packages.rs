//! Which package of one dataset is which of the other: by NDC-11, by the product code of entries that have nothing
//! else, by the RxNorm codes of entries that have only those.

use std::collections::BTreeMap;

use super::{InDataset as _, Pair};
use crate::Result;
use crate::data::line_titles;
use crate::dataset::Dataset;
use crate::format::{Connections, number};

/// Stands for a package that the dataset does not have.
const NONE: u32 = u32::MAX;

/// A package of either dataset: its numbers in both.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Joint {
    old: u32,
    new: u32,
}

impl Joint {
    pub(super) fn in_old(self) -> Option<u32> {
        (self.old != NONE).then_some(self.old)
    }

    pub(super) fn in_new(self) -> Option<u32> {
        (self.new != NONE).then_some(self.new)
    }
}

/// All packages of two datasets, those that both have once.
pub(super) struct Packages {
    pub(super) all: Vec<Joint>,
    /// The product of each that has a package code; those are the first.
    products: Vec<u32>,
    /// The title of each, a number in [`Self::titles`].
    title: Vec<u32>,
    /// Name, strength and form of each drug, ascending.
    titles: Vec<String>,
}

impl Packages {
    pub(super) fn of(pair: Pair<'_>) -> Result<Self> {
        let mut all = Vec::new();
        let mut products = Vec::new();
        join_codes(pair, &mut all, &mut products)?;
        join_entries(pair, &mut all)?;
        let [of_old, of_new] = [titles_of(pair.old)?, titles_of(pair.new)?];
        let mut titles: Vec<String> = of_old.titles.iter().chain(&of_new.titles).cloned().collect();
        titles.sort_unstable();
        titles.dedup();
        let mut title = Vec::with_capacity(all.len());
        for joint in &all {
            pair.check()?;
            let own = match (joint.in_new(), joint.in_old()) {
                (Some(new), _) => of_new.title(new),
                (None, Some(old)) => of_old.title(old),
                (None, None) => None,
            };
            let number = own.and_then(|own| titles.binary_search_by(|other| other.as_str().cmp(own)).ok());
            title.push(number.and_then(|number| u32::try_from(number).ok()).unwrap_or_default());
        }
        Ok(Self { all, products, title, titles })
    }

    /// The product of a package with a code.
    pub(super) fn product(&self, package: u32) -> Option<u32> {
        self.products.get(package as usize).copied()
    }

    /// The number of a package's title: numbers are in the order of titles.
    pub(super) fn title_number(&self, package: u32) -> u32 {
        self.title.get(package as usize).copied().unwrap_or_default()
    }

    pub(super) fn title(&self, number: u32) -> &str {
        self.titles.get(number as usize).map_or("", String::as_str)
    }
}

/// The titles of a dataset's lines, and where its lines begin.
struct Titles<'d> {
    titles: Vec<String>,
    starts: &'d [u32],
}

impl Titles<'_> {
    fn title(&self, package: u32) -> Option<&str> {
        let line = self.starts.partition_point(|first| *first <= package).checked_sub(1)?;
        self.titles.get(line).map(String::as_str)
    }
}

fn titles_of(dataset: &Dataset) -> Result<Titles<'_>> {
    let inner = &dataset.inner;
    let titles = inner.database.with_cancelled_by(&dataset.cancel, line_titles).in_dataset(dataset)?;
    Ok(Titles { titles, starts: inner.drugs.line_starts(&inner.database).in_dataset(dataset)? })
}

/// Joins packages with a code: both lists are in the order of codes.
fn join_codes(pair: Pair<'_>, all: &mut Vec<Joint>, products: &mut Vec<u32>) -> Result<()> {
    let codes = |dataset: &'_ Dataset| -> Result<Vec<(u64, u32)>> {
        let inner = &dataset.inner;
        Ok(inner.drugs.packages_by_code(&inner.database).in_dataset(dataset)?.collect())
    };
    let [old, new] = [codes(pair.old)?, codes(pair.new)?];
    let (mut old, mut new) = (old.into_iter().peekable(), new.into_iter().peekable());
    loop {
        pair.check()?;
        let code = old.peek().into_iter().chain(new.peek()).map(|(code, _)| *code).min();
        let joint = match (old.peek(), new.peek()) {
            (None, None) => return Ok(()),
            (Some((a, own)), Some((b, other))) if a == b => Joint { old: *own, new: *other },
            (Some((a, own)), other) if other.is_none_or(|(b, _)| a < b) => Joint { old: *own, new: NONE },
            (_, Some((_, other))) => Joint { old: NONE, new: *other },
            (Some((_, own)), None) => Joint { old: *own, new: NONE },
        };
        if joint.old != NONE {
            old.next();
        }
        if joint.new != NONE {
            new.next();
        }
        all.push(joint);
        products.push(code.and_then(|code| u32::try_from(code / 100).ok()).unwrap_or_default());
    }
}

/// What tells an entry without a package code from others.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum EntryKey {
    Product(u32),
    Rxnorm(Vec<u32>),
}

/// Entries without a package code, by what tells them apart; several of one key by their numbers.
fn entries(database: &Connections) -> Result<BTreeMap<(EntryKey, usize), u32>> {
    let rows: Vec<(u32, Option<u32>, Option<String>)> = database.with(|connection| {
        let mut statement = connection.prepare(
            "SELECT p.id, p.product, s.codes FROM package AS p LEFT JOIN rxnorm_set AS s ON s.id = p.rxnorm_set
             WHERE p.ndc11 IS NULL ORDER BY p.id",
        )?;
        let rows = statement.query_map([], |row| {
            let product: Option<i64> = row.get(1)?;
            Ok((number(row, 0)?, product.and_then(|product| u32::try_from(product).ok()), row.get(2)?))
        })?;
        rows.collect()
    })?;
    let mut entries = BTreeMap::new();
    let mut seen: BTreeMap<EntryKey, usize> = BTreeMap::new();
    for (package, product, codes) in rows {
        let key = if let Some(product) = product {
            EntryKey::Product(product)
        } else {
            let codes = crate::data::codes_of(codes.as_deref().unwrap_or_default());
            EntryKey::Rxnorm(codes.into_iter().map(crate::ids::Rxcui::number).collect())
        };
        let nth = seen.entry(key.clone()).or_default();
        entries.insert((key, *nth), package);
        *nth += 1;
    }
    Ok(entries)
}

/// Joins entries without a package code: by the same product or the same RxNorm codes, then those of which only one
/// on each side shares an RxNorm code with only one of the other.
fn join_entries(pair: Pair<'_>, all: &mut Vec<Joint>) -> Result<()> {
    let entries = |dataset: &Dataset| entries(&dataset.inner.database).in_dataset(dataset);
    let [old, mut new] = [entries(pair.old)?, entries(pair.new)?];
    let mut unmatched = Vec::new();
    for ((key, nth), package) in old {
        pair.check()?;
        match new.remove(&(key.clone(), nth)) {
            Some(other) => all.push(Joint { old: package, new: other }),
            None => unmatched.push((key, package)),
        }
    }
    let unmatched_new: Vec<(EntryKey, u32)> = new.into_iter().map(|((key, _), package)| (key, package)).collect();
    let [of_old, of_new] = [by_code(&unmatched), by_code(&unmatched_new)];
    let one = |key: &EntryKey, of: &BTreeMap<u32, Vec<u32>>| -> Option<u32> {
        let EntryKey::Rxnorm(codes) = key else { return None };
        let mut sharing: Vec<u32> = codes.iter().filter_map(|code| of.get(code)).flatten().copied().collect();
        sharing.sort_unstable();
        sharing.dedup();
        if let [only] = sharing[..] { Some(only) } else { None }
    };
    let back: BTreeMap<u32, Option<u32>> =
        unmatched_new.iter().map(|(key, package)| (*package, one(key, &of_old))).collect();
    let mut taken = std::collections::BTreeSet::new();
    for (key, package) in &unmatched {
        pair.check()?;
        let other = one(key, &of_new).filter(|other| back.get(other) == Some(&Some(*package)));
        taken.extend(other);
        all.push(Joint { old: *package, new: other.unwrap_or(NONE) });
    }
    let alone = unmatched_new.iter().filter(|(_, package)| !taken.contains(package));
    all.extend(alone.map(|(_, package)| Joint { old: NONE, new: *package }));
    Ok(())
}

fn by_code(entries: &[(EntryKey, u32)]) -> BTreeMap<u32, Vec<u32>> {
    let mut by_code: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
    for (key, package) in entries {
        let EntryKey::Rxnorm(codes) = key else { continue };
        for code in codes {
            by_code.entry(*code).or_default().push(*package);
        }
    }
    by_code
}
