//! Formularies: which packages each names, in which tier, with which restrictions, and what befalls
//! an entry on its way into resources.

use crate::drugs::traits;
use crate::quirks::{Quirk, Quirks};
use crate::random::{Draw, Shuffle};

/// A tier: code and words.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Tier(u8);

const TIERS: [(&str, Option<&str>); 9] = [
    ("0", Some("Non-Formulary Drug")),
    ("1", Some("Preferred Generic")),
    ("2", Some("Generic")),
    ("3", Some("Preferred Brand")),
    ("4", Some("Non-Preferred Drug")),
    ("5", Some("Specialty Tier")),
    ("SP", Some("Specialty Select")),
    ("6", Some("Select Care Drugs")),
    ("X9", None),
];

impl Tier {
    const NON_FORMULARY: Self = Self(0);
    const SELECT: Self = Self(6);
    const UNKNOWN: Self = Self(8);

    /// The payer's code.
    #[must_use]
    pub fn code(self) -> &'static str {
        TIERS.get(usize::from(self.0)).map_or("", |(code, _)| code)
    }

    /// The payer's words, if it has any for this tier.
    #[must_use]
    pub fn display(self) -> Option<&'static str> {
        TIERS.get(usize::from(self.0)).and_then(|(_, display)| *display)
    }

    /// False for the tier of drugs that are listed and not covered, and for the one that is not understood.
    #[must_use]
    pub fn is_covered(self) -> bool {
        self != Self::NON_FORMULARY && self.is_understood()
    }

    /// False for the tier whose code nothing explains.
    #[must_use]
    pub fn is_understood(self) -> bool {
        self != Self::UNKNOWN
    }

    fn another(self) -> Self {
        Self(if self.0 >= 5 { 2 } else { self.0 + 1 })
    }
}

/// What an entry says of its drug.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Stated {
    /// The tier; `None` where none is stated.
    pub tier: Option<Tier>,
    /// A second, different tier in the same entry.
    pub second_tier: Option<Tier>,
    /// Prior authorization; `None` is not stated.
    pub prior_authorization: Option<bool>,
    /// Step therapy; `None` is not stated.
    pub step_therapy: Option<bool>,
    /// Quantity limit; `None` is not stated.
    pub quantity_limit: Option<bool>,
}

impl Stated {
    /// The same drug as the same plan's other entry states it: another tier, or another restriction.
    fn differing(self, draw: Draw) -> Self {
        if draw.hits(500_000) {
            Self { tier: self.tier.map(Tier::another), ..self }
        } else {
            Self { quantity_limit: Some(!self.quantity_limit.unwrap_or(false)), ..self }
        }
    }
}

/// What befalls an entry. The first of a formulary's (shuffled) entries meet the rare fates, so
/// many of each; all others are plain.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Fate {
    Unreferenced,
    Inactive,
    InError,
    NoTier,
    TwoTiers,
    RepeatedEqually,
    RepeatedDifferently,
    InactiveBesideActive,
    Unreadable,
    NoPlanId,
    ForeignPlanId,
    Plain,
}

impl Fate {
    /// In the order in which a formulary's entries meet them.
    const RARE: [(Self, Quirk); 11] = [
        (Self::Unreferenced, Quirk::UnreferencedEntry),
        (Self::Inactive, Quirk::InactiveEntry),
        (Self::InError, Quirk::EntryInError),
        (Self::NoTier, Quirk::EntryWithoutTier),
        (Self::TwoTiers, Quirk::TwoTiersInOneEntry),
        (Self::RepeatedEqually, Quirk::RepeatedEqually),
        (Self::RepeatedDifferently, Quirk::RepeatedDifferently),
        (Self::InactiveBesideActive, Quirk::InactiveBesideActive),
        (Self::Unreadable, Quirk::UnreadableEntry),
        (Self::NoPlanId, Quirk::EntryWithoutPlanId),
        (Self::ForeignPlanId, Quirk::ForeignPlanId),
    ];

    /// The quirk that it shows.
    pub(crate) fn quirk(self) -> Option<Quirk> {
        Self::RARE.iter().find(|(fate, _)| *fate == self).map(|(_, quirk)| *quirk)
    }
}

/// A formulary, shared by the plans that have its number.
#[derive(Clone, Debug)]
pub(crate) struct Formulary {
    key: u64,
    shared_key: u64,
    /// Packages named, ascending.
    listed: Vec<u32>,
    /// From an entry's number to its place in `listed`.
    shuffle: Shuffle,
    /// Where each rare fate ends.
    ends: [u64; Fate::RARE.len()],
    flags_absent: u32,
    unknown_tier: u32,
    select_tier: u32,
}

impl Formulary {
    pub(crate) fn all(seed: u64, count: u32, packages: u32, listed: u32, quirks: &Quirks) -> Vec<Self> {
        let products = product_runs(packages);
        (0..count).map(|number| Self::new(seed, number, &products, listed, quirks)).collect()
    }

    fn new(seed: u64, number: u32, products: &[(u64, u32, u32)], wanted: u32, quirks: &Quirks) -> Self {
        let shared_key = Draw::of(seed, 0x666f).key();
        let key = Draw::of(shared_key, u64::from(number) + 1).key();
        // Formularies of one payer agree on most products.
        let mut order: Vec<(u64, u32, u32)> = products
            .iter()
            .map(|(product, first, end)| {
                let own = Draw::of(key, *product);
                let draw = if own.hits(250_000) { own.and(1) } else { Draw::of(shared_key, *product) };
                (draw.key(), *first, *end)
            })
            .collect();
        order.sort_unstable();
        let mut listed: Vec<u32> =
            order.iter().flat_map(|(_, first, end)| *first..*end).take(wanted as usize).collect();
        listed.sort_unstable();
        let n = listed.len() as u64;
        let mut end = 0;
        let ends = Fate::RARE.map(|(_, quirk)| {
            end = (end + quirks.count(quirk, n)).min(n);
            end
        });
        Self {
            key,
            shared_key,
            shuffle: Shuffle::new(n, key),
            listed,
            ends,
            flags_absent: quirks.rate(Quirk::FlagAbsent) + quirks.rate(Quirk::FlagNull),
            unknown_tier: quirks.rate(Quirk::UnknownTier),
            select_tier: quirks.rate(Quirk::SpecialtySelect),
        }
    }

    /// How many entries it has, whatever becomes of them.
    pub(crate) fn len(&self) -> u64 {
        self.listed.len() as u64
    }

    /// The package of an entry.
    pub(crate) fn package(&self, entry: u64) -> u32 {
        let at = usize::try_from(self.shuffle.forward(entry)).unwrap_or(usize::MAX);
        self.listed.get(at).copied().unwrap_or(u32::MAX)
    }

    /// The entry of a package.
    pub(crate) fn entry(&self, package: u32) -> Option<u64> {
        let at = self.listed.binary_search(&package).ok()?;
        Some(self.shuffle.backward(at as u64))
    }

    /// What befalls an entry.
    pub(crate) fn fate(&self, entry: u64) -> Fate {
        let at = self.ends.iter().position(|end| entry < *end);
        at.and_then(|at| Fate::RARE.get(at)).map_or(Fate::Plain, |(fate, _)| *fate)
    }

    /// The entries that meet a fate.
    pub(crate) fn entries_of(&self, fate: Fate) -> std::ops::Range<u64> {
        let place = Fate::RARE.iter().position(|(f, _)| *f == fate);
        let end_at = |i: usize| self.ends.get(i).copied().unwrap_or_default();
        match place {
            Some(0) => 0..end_at(0),
            Some(i) => end_at(i - 1)..end_at(i),
            None => end_at(Fate::RARE.len() - 1)..self.len(),
        }
    }

    /// The entries that stand twice in a plan: one range.
    pub(crate) fn twins(&self) -> std::ops::Range<u64> {
        self.entries_of(Fate::RepeatedEqually).start..self.entries_of(Fate::InactiveBesideActive).end
    }

    /// What an entry says of its package.
    pub(crate) fn stated(&self, entry: u64) -> Stated {
        let stated = self.decision(self.package(entry));
        match self.fate(entry) {
            Fate::NoTier => Stated { tier: None, ..stated },
            Fate::TwoTiers => Stated { second_tier: stated.tier.map(Tier::another), ..stated },
            _ => stated,
        }
    }

    /// What the second entry of a package says.
    pub(crate) fn stated_again(&self, entry: u64) -> Stated {
        let stated = self.decision(self.package(entry));
        match self.fate(entry) {
            Fate::RepeatedDifferently | Fate::InactiveBesideActive => {
                stated.differing(Draw::of(self.key ^ 0x7477, entry))
            }
            _ => stated,
        }
    }

    /// What the formulary decides for a package: mostly by its clinical drug and whether it is a
    /// brand, for one in twenty by the package itself.
    fn decision(&self, package: u32) -> Stated {
        let traits = traits(package);
        let drug = (u64::from(traits.line) << 1) | u64::from(traits.brand);
        let by_package = Draw::of(self.key ^ 0x7061, u64::from(package));
        let by_drug = Draw::of(self.key ^ 0x6472, drug);
        let draw = if by_package.hits(50_000) {
            by_package.and(1)
        } else if by_drug.hits(250_000) {
            by_drug.and(1)
        } else {
            Draw::of(self.shared_key ^ 0x6472, drug)
        };
        let stated = decided(draw, traits.brand, self.unknown_tier, self.select_tier);
        let flag = |which: u64, value: bool| (!by_package.and(which).hits(self.flags_absent)).then_some(value);
        Stated {
            prior_authorization: stated.prior_authorization.and_then(|value| flag(11, value)),
            step_therapy: stated.step_therapy.and_then(|value| flag(12, value)),
            quantity_limit: stated.quantity_limit.and_then(|value| flag(13, value)),
            ..stated
        }
    }

    /// What it says of a drug that has no package.
    pub(crate) fn decision_for_packless(&self, n: u64) -> Stated {
        decided(Draw::of(self.key ^ 0x7061_636b, n), false, 0, 0)
    }
}

/// Tiers and restrictions in the shares of a large Medicare payer's formularies.
fn decided(draw: Draw, brand: bool, unknown_tier: u32, select_tier: u32) -> Stated {
    //                             0   1   2   3   4   5
    let generic: [u32; 6] = [11, 40, 34, 4, 8, 3];
    let branded: [u32; 6] = [12, 1, 2, 42, 29, 14];
    let drawn = draw.and(1).weighted(if brand { &branded } else { &generic });
    let mut tier = Tier(u8::try_from(drawn).unwrap_or(0));
    if draw.and(2).hits(unknown_tier) {
        tier = if draw.and(3).hits(500_000) { Tier(7) } else { Tier::UNKNOWN };
    } else if draw.and(4).hits(select_tier) {
        tier = Tier::SELECT;
    }
    let specialty = tier == Tier(5) || tier == Tier::SELECT;
    let (authorized, stepped, limited) = if specialty {
        (480_000, 120_000, 450_000)
    } else if brand {
        (170_000, 110_000, 430_000)
    } else {
        (110_000, 85_000, 395_000)
    };
    Stated {
        tier: Some(tier),
        second_tier: None,
        prior_authorization: Some(draw.and(5).hits(authorized)),
        step_therapy: Some(draw.and(6).hits(stepped)),
        quantity_limit: Some(draw.and(7).hits(limited)),
    }
}

/// Products as (number, first package, end).
fn product_runs(packages: u32) -> Vec<(u64, u32, u32)> {
    let mut runs: Vec<(u64, u32, u32)> = Vec::new();
    for package in 0..packages {
        let product = traits(package).product;
        match runs.last_mut() {
            Some((last, _, end)) if *last == product => *end = package + 1,
            _ => runs.push((product, package, package + 1)),
        }
    }
    runs
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_and_packages_are_one_to_one() {
        let all = Formulary::all(5, 2, 900, 700, &Quirks::usual());
        for formulary in &all {
            assert_eq!(formulary.len(), 700);
            for entry in 0..formulary.len() {
                assert_eq!(formulary.entry(formulary.package(entry)), Some(entry));
            }
            for (fate, _) in Fate::RARE {
                assert!(!formulary.entries_of(fate).is_empty(), "{fate:?}");
                assert!(formulary.entries_of(fate).all(|entry| formulary.fate(entry) == fate));
            }
        }
        let both = (0..900).filter(|p| all[0].entry(*p).is_some() && all[1].entry(*p).is_some()).count();
        assert!((550..700).contains(&both), "formularies of one payer agree on most, not on all: {both}");
    }

    #[test]
    fn shares_are_those_of_the_field() {
        let formulary = &Formulary::all(1, 1, 40_000, 30_000, &Quirks::usual())[0];
        let share = |of: &dyn Fn(Stated) -> bool| {
            (0..formulary.len()).filter(|e| of(formulary.stated(*e))).count() * 1000 / 30_000
        };
        let tier = |code: &'static str| share(&move |s: Stated| s.tier.is_some_and(|t| t.code() == code));
        assert!((90..130).contains(&tier("0")), "{}", tier("0"));
        assert!((320..380).contains(&tier("1")), "{}", tier("1"));
        assert!((270..340).contains(&tier("2")), "{}", tier("2"));
        assert!((60..130).contains(&tier("3")), "{}", tier("3"));
        assert!((25..70).contains(&tier("5")), "{}", tier("5"));
        assert!((1..8).contains(&tier("SP")), "{}", tier("SP"));
        let limited = share(&|s| s.quantity_limit == Some(true));
        let silent = share(&|s| s.step_therapy.is_none());
        assert!((350..430).contains(&limited), "{limited}");
        assert!((50..70).contains(&silent), "{silent}");
    }
}
