//! How one drug's coverage stands to another's, inside one plan: by status, then by the tier's level.

use super::{Coverage, CoverageStatus, Restriction, Restrictions};
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
fn standing(status: CoverageStatus) -> Option<u8> {
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
        return (Comparison::Same, format!("also in tier {own}"));
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

/// The restrictions of an option whose status alone decided.
fn only_restrictions(option: &Coverage) -> String {
    let own = option.restrictions.into_iter().flat_map(Restrictions::named);
    let names: Vec<String> = own
        .filter_map(|(name, own)| match own {
            Restriction::Yes => Some(name.to_owned()),
            Restriction::Varies => Some(format!("{name} on some packages")),
            _ => None,
        })
        .collect();
    if names.is_empty() { String::new() } else { format!("; with {}", names.join(" and ")) }
}

/// Restrictions that one has and the other has not, or is not said to have.
fn restriction_words(asked: &Coverage, option: &Coverage) -> String {
    let (Some(own), Some(asked)) = (option.restrictions, asked.restrictions) else { return String::new() };
    let mut words = String::new();
    for ((name, own), (_, other)) in own.named().into_iter().zip(asked.named()) {
        let said = match (own, other) {
            (own, other) if own == other => continue,
            (Restriction::No, Restriction::Yes) => format!("no {name}, which what was asked for has"),
            (Restriction::No, Restriction::Varies) => {
                format!("no {name}, which what was asked for has on some packages")
            }
            (Restriction::Yes, Restriction::No) => format!("with {name}, which what was asked for has not"),
            (Restriction::Yes, _) => format!("with {name}"),
            (Restriction::Varies, _) => format!("with {name} on some packages"),
            (_, Restriction::Yes | Restriction::Varies) => format!("{name} not stated"),
            _ => continue,
        };
        words.push_str("; ");
        words.push_str(&said);
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::coverage::restriction::RestrictionSeen;
    use crate::coverage::{Statement, Varies};

    fn coverage(status: CoverageStatus, tiers: &[(&str, &str)]) -> Coverage {
        let mut tiers: Vec<Tier> = tiers.iter().map(|(code, words)| Tier::read(code, Some(words))).collect();
        let varies = (tiers.len() > 1).then(|| Varies { of: 2, tiers: tiers.clone(), ..Varies::default() });
        let tier = if tiers.len() == 1 { tiers.pop() } else { None };
        Coverage {
            status,
            reason: None,
            statement: Statement { tier, ..Statement::default() },
            varies,
            restrictions: Some(Restrictions::of([RestrictionSeen::default(); 3])),
            listed: 1,
            not_on_this_list: 0,
            seen_anywhere: true,
            gaps: 0,
            expected: 1,
            complete: true,
            may_be: Vec::new(),
        }
    }

    const ONE: (&str, &str) = ("1", "Preferred Generic");
    const TWO: (&str, &str) = ("2", "Generic");
    const FOUR: (&str, &str) = ("4", "Non-Preferred Drug");

    #[test]
    fn status_goes_before_tier() {
        use CoverageStatus::{Conflict, Covered, Mixed, NotCovered, NotListed, Unknown};

        let of = |status| coverage(status, &[FOUR]);
        let standing = |asked, option| compare(&of(asked), &of(option)).0;
        assert_eq!(standing(NotListed, Covered), Comparison::Better);
        assert_eq!(standing(NotCovered, Mixed), Comparison::Better);
        assert_eq!(standing(Mixed, Covered), Comparison::Better);
        assert_eq!(standing(Covered, NotCovered), Comparison::Worse);
        assert_eq!(standing(NotCovered, NotListed), Comparison::Same);
        for unclear in [Unknown, Conflict] {
            assert_eq!(standing(unclear, Covered), Comparison::NotComparable);
            assert_eq!(standing(Covered, unclear), Comparison::NotComparable);
        }
    }

    #[test]
    fn tiers_compare_by_level_alone() {
        let of = |tiers: &[(&str, &str)]| coverage(CoverageStatus::Covered, tiers);
        let standing = |asked: &[(&str, &str)], option: &[(&str, &str)]| compare(&of(asked), &of(option)).0;
        assert_eq!(standing(&[FOUR], &[ONE]), Comparison::Better);
        assert_eq!(standing(&[ONE], &[FOUR]), Comparison::Worse);
        assert_eq!(standing(&[TWO], &[TWO]), Comparison::Same);
        assert_eq!(standing(&[TWO], &[("1b", "Generic")]), Comparison::Same, "another code of the same level");
        assert_eq!(standing(&[FOUR], &[ONE, TWO]), Comparison::Better, "each package is in a lower tier");
        assert_eq!(standing(&[TWO], &[ONE, FOUR]), Comparison::NotComparable);
        assert_eq!(standing(&[TWO], &[ONE, TWO]), Comparison::NotComparable);
        // A number alone has no level, unless it is the same tier.
        assert_eq!(standing(&[("3", "3")], &[("1", "1")]), Comparison::NotComparable);
        assert_eq!(standing(&[("3", "3")], &[("3", "3")]), Comparison::Same);
    }

    #[test]
    fn a_tier_that_is_not_covered_is_no_tier_to_compare() {
        let mixed = coverage(CoverageStatus::Mixed, &[TWO, ("0", "Non-Formulary")]);
        assert_eq!(covered_levels(&mixed), Some((TierLevel::Generic, TierLevel::Generic)));
        assert_eq!(compare(&mixed, &coverage(CoverageStatus::Mixed, &[ONE])).0, Comparison::Better);
    }

    #[test]
    fn restrictions_that_differ_are_told() {
        let asked = coverage(CoverageStatus::Covered, &[ONE]);
        let stated = |flag| {
            let mut seen = RestrictionSeen::default();
            seen.add(Some(flag), false);
            let rest = RestrictionSeen::default();
            Coverage { restrictions: Some(Restrictions::of([seen, rest, rest])), ..asked.clone() }
        };
        let option = stated(true);
        assert_eq!(compare(&asked, &option).1, "also in tier 1 Preferred Generic; with prior authorization");
        assert_eq!(compare(&option, &asked).1, "also in tier 1 Preferred Generic; prior authorization not stated");
        let free = stated(false);
        let (comparison, why) = compare(&free, &option);
        assert_eq!(comparison, Comparison::Same);
        assert_eq!(why, "also in tier 1 Preferred Generic; with prior authorization, which what was asked for has not");
        assert!(compare(&option, &free).1.ends_with("; no prior authorization, which what was asked for has"));
    }
}
