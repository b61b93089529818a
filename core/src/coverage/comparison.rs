//! How one drug's coverage stands to another's, inside one plan: by status, then by the tier's level.

use super::{Coverage, CoverageStatus};
use crate::tier::{Tier, TierLevel, TierStatus};

/// How an option stands to what was asked for, by status and then by the tier's level inside the plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Comparison {
    /// Covered where the other is not, or in a lower tier.
    Better,
    /// The same status and tier level.
    Same,
    /// Not covered where the other is, or in a higher tier.
    Worse,
    /// The data does not tell: a status is unknown, a tier has no level, or tiers vary by package.
    NotComparable,
}

impl Comparison {
    /// The comparison as JSON shows it.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Better => "better",
            Self::Same => "same",
            Self::Worse => "worse",
            Self::NotComparable => "not_comparable",
        }
    }
}

/// What a status is worth; `None`: nobody can tell.
pub(crate) fn standing(status: CoverageStatus) -> Option<u8> {
    match status {
        CoverageStatus::Covered => Some(4),
        CoverageStatus::Mixed => Some(3),
        CoverageStatus::NotCovered | CoverageStatus::NotListed => Some(0),
        _ => None,
    }
}

/// The lowest and the highest level among the tiers in which it is covered; `None` where one has no level.
pub(crate) fn covered_levels(coverage: &Coverage) -> Option<(TierLevel, TierLevel)> {
    let tiers = covered_tiers(coverage);
    let levels: Option<Vec<TierLevel>> = tiers.iter().map(|tier| tier.level).collect();
    let levels = levels?;
    Some((*levels.iter().min()?, *levels.iter().max()?))
}

/// The tiers in which packages of it are covered.
fn covered_tiers(coverage: &Coverage) -> Vec<&Tier> {
    let one = coverage.statement.tier.iter();
    let several = coverage.varies.iter().flat_map(|varies| &varies.tiers);
    let mut tiers: Vec<&Tier> = one.chain(several).filter(|tier| tier.status == TierStatus::Covered).collect();
    tiers.dedup();
    tiers
}

/// How an option stands to what was asked for, and why.
pub(crate) fn compare(asked: &Coverage, option: &Coverage) -> (Comparison, String) {
    let (Some(own), Some(other)) = (standing(option.status), standing(asked.status)) else {
        let which = if standing(option.status).is_none() { "of this" } else { "of what was asked for" };
        return (Comparison::NotComparable, format!("{which} nobody can tell: {}", unknown_words(asked, option)));
    };
    let words = |coverage: &Coverage| match coverage.status {
        CoverageStatus::Covered => "covered",
        CoverageStatus::Mixed => "covered in some packages",
        CoverageStatus::NotCovered => "listed as not covered",
        _ => "not listed",
    };
    match own.cmp(&other) {
        std::cmp::Ordering::Greater => (
            Comparison::Better,
            format!("{}; what was asked for is {}{}", words(option), words(asked), only_restrictions(option)),
        ),
        std::cmp::Ordering::Less => {
            (Comparison::Worse, format!("{}; what was asked for is {}", words(option), words(asked)))
        }
        std::cmp::Ordering::Equal if own == 0 => (Comparison::Same, "neither is covered".to_owned()),
        std::cmp::Ordering::Equal => {
            let (comparison, why) = compare_tiers(asked, option);
            (comparison, why + &restriction_words(asked, option))
        }
    }
}

fn unknown_words(asked: &Coverage, option: &Coverage) -> String {
    let coverage = if standing(option.status).is_none() { option } else { asked };
    coverage.to_string()
}

fn compare_tiers(asked: &Coverage, option: &Coverage) -> (Comparison, String) {
    let (own, other) = (tier_words(option), tier_words(asked));
    if let (Some(one), Some(two)) = (&option.statement.tier, &asked.statement.tier)
        && one == two
    {
        return (Comparison::Same, format!("the same tier, {own}"));
    }
    let (Some((low, high)), Some((asked_low, asked_high))) = (covered_levels(option), covered_levels(asked)) else {
        return (Comparison::NotComparable, format!("tier {own} and tier {other} have no levels that compare"));
    };
    if high < asked_low {
        (Comparison::Better, format!("a lower tier, {own}; what was asked for is in {other}"))
    } else if low > asked_high {
        (Comparison::Worse, format!("a higher tier, {own}; what was asked for is in {other}"))
    } else if low == high && asked_low == asked_high {
        (Comparison::Same, format!("a tier of the same level, {own}; what was asked for is in {other}"))
    } else {
        (Comparison::NotComparable, format!("it depends on the package: {own}; what was asked for is in {other}"))
    }
}

fn tier_words(coverage: &Coverage) -> String {
    match (&coverage.statement.tier, &coverage.varies) {
        (Some(tier), _) => tier.to_string(),
        (None, Some(varies)) if !varies.tiers.is_empty() => varies.tiers_in_short(),
        _ => "not stated".to_owned(),
    }
}

/// A restriction over all packages.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Restricted {
    No,
    Some,
    Yes,
    NotStated,
}

fn restrictions(coverage: &Coverage) -> [(&'static str, Restricted); 3] {
    let (says, varies) = (&coverage.statement, coverage.varies.as_ref());
    let of = |flag: Option<bool>, count: Option<u32>| match (flag, count) {
        (Some(true), _) => Restricted::Yes,
        (Some(false), _) => Restricted::No,
        (None, Some(1..)) => Restricted::Some,
        (None, _) => Restricted::NotStated,
    };
    [
        ("prior authorization", of(says.prior_authorization, varies.map(|varies| varies.prior_authorization))),
        ("step therapy", of(says.step_therapy, varies.map(|varies| varies.step_therapy))),
        ("quantity limit", of(says.quantity_limit, varies.map(|varies| varies.quantity_limit))),
    ]
}

/// The restrictions of an option whose status alone decided.
fn only_restrictions(option: &Coverage) -> String {
    let own = restrictions(option);
    let names: Vec<&str> = own.iter().filter(|(_, own)| *own == Restricted::Yes).map(|(name, _)| *name).collect();
    if names.is_empty() { String::new() } else { format!("; with {}", names.join(" and ")) }
}

/// Restrictions that one has and the other has not.
fn restriction_words(asked: &Coverage, option: &Coverage) -> String {
    let mut words = String::new();
    for ((name, own), (_, other)) in restrictions(option).into_iter().zip(restrictions(asked)) {
        let said = match (own, other) {
            (Restricted::No, Restricted::Yes) => format!("no {name}, which what was asked for has"),
            (Restricted::Yes, Restricted::No) => format!("with {name}, which what was asked for has not"),
            (Restricted::Some, Restricted::No) => format!("with {name} on some packages"),
            _ => continue,
        };
        words.push_str("; ");
        words.push_str(&said);
    }
    words
}
