//! Coverage in words for people: the same in every language and in the command.

use std::fmt;

use super::{Coverage, CoverageReason, CoverageStatus, PackageCoverage, Restriction, Restrictions, Varies};
use crate::gaps::lacks_too_many;
use crate::tier::Tier;
use crate::words::thousands;

impl fmt::Display for Coverage {
    /// The status and why, in a few words: `not listed; 5 of 33,005 entries could not be read`. How
    /// the listed packages differ is [`Varies::sentence`].
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.status {
            CoverageStatus::Covered => f.write_str("covered"),
            CoverageStatus::NotCovered => f.write_str("non-formulary (listed, not covered)"),
            CoverageStatus::Mixed => f.write_str("mixed: some packages covered, others listed and not covered"),
            CoverageStatus::Conflict if self.is_in_part(|varies| varies.conflicts) => {
                f.write_str("conflict: the payer says different things of some packages")
            }
            CoverageStatus::Conflict => f.write_str("conflict: the payer says different things"),
            CoverageStatus::Ambiguous => f.write_str("ambiguous: say which drug is meant"),
            CoverageStatus::NotFound => f.write_str("not found: no drug fits"),
            CoverageStatus::NotListed => self.write_not_listed(f),
            CoverageStatus::Unknown => {
                f.write_str("unknown: ")?;
                self.write_unknown(f)?;
                if self.seen_anywhere {
                    Ok(())
                } else {
                    f.write_str("; the code is nowhere in the data, check the digits")
                }
            }
        }
    }
}

impl Coverage {
    /// Status, reason and what varies in words; `packages` tell what it varies by.
    #[must_use]
    pub fn sentence(&self, packages: &[PackageCoverage]) -> String {
        match &self.varies {
            Some(varies) => format!("{self}; varies: {}", varies.sentence(packages)),
            None => self.to_string(),
        }
    }

    /// The answer in a few words: `T3 PA ST?`, `not listed`, `unknown: incomplete`. With a question mark the payer does
    /// not state a restriction; with an exclamation mark it contradicts itself in it; with a tilde it is on some
    /// packages only.
    #[must_use]
    pub fn gist(&self) -> String {
        let named = |name: &str| name.replace('_', " ");
        let status = match (self.status, self.reason) {
            (CoverageStatus::NotCovered, _) => "non-formulary".to_owned(),
            (CoverageStatus::Covered, _) => self.tier_gist(),
            (CoverageStatus::Mixed, _) => format!("mixed: {}", self.tier_gist()),
            (CoverageStatus::Conflict, _) if self.varies.as_ref().is_some_and(|varies| !varies.tiers.is_empty()) => {
                format!("conflict: {}", self.tier_gist())
            }
            (CoverageStatus::NotListed | CoverageStatus::Unknown, Some(reason)) => {
                format!("{}: {}", named(self.status.as_str()), named(reason.as_str()))
            }
            (status, _) => named(status.as_str()),
        };
        let mut parts = vec![status];
        if self.is_covered() {
            let own = self.restrictions.into_iter().flat_map(Restrictions::named);
            for (name, (_, restriction)) in ["PA", "ST", "QL"].into_iter().zip(own) {
                match restriction {
                    Restriction::Yes => parts.push(name.to_owned()),
                    Restriction::No => {}
                    Restriction::Varies => parts.push(format!("{name}~")),
                    Restriction::Conflict => parts.push(format!("{name}!")),
                    Restriction::NotStated => parts.push(format!("{name}?")),
                }
            }
        }
        parts.join(" ")
    }

    /// Whether what `count` counts holds for some listed packages and not for all.
    fn is_in_part(&self, count: fn(&Varies) -> u32) -> bool {
        self.varies.as_ref().is_some_and(|varies| count(varies) > 0 && count(varies) < varies.of)
    }

    fn tier_gist(&self) -> String {
        match (&self.statement.tier, &self.varies) {
            (Some(tier), _) => tier.short(),
            (None, Some(varies)) if !varies.tiers.is_empty() => varies.tiers_in_short(),
            _ => "tier not stated".to_owned(),
        }
    }

    fn write_not_listed(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("not listed")?;
        match self.reason {
            Some(CoverageReason::EntryInactive) => f.write_str(": its entry is inactive or was made in error")?,
            Some(CoverageReason::Unreferenced) => {
                f.write_str(": an entry is there that the plan's Lists do not name")?;
            }
            _ if !self.seen_anywhere => f.write_str(": the code is nowhere in the data, check the digits")?,
            _ => {}
        }
        if self.gaps > 0 { write!(f, "; {} could not be read", self.gaps_in_words()) } else { Ok(()) }
    }

    fn write_unknown(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.reason {
            Some(CoverageReason::Incomplete) if lacks_too_many(self.gaps.into(), self.expected.into()) => {
                write!(f, "the plan's drug list is incomplete, {} are missing", self.gaps_in_words())
            }
            Some(CoverageReason::Incomplete) => f.write_str("some of the plan's Lists could not be read"),
            Some(CoverageReason::NoFormularyPublished) => f.write_str("the payer publishes no drug list for this plan"),
            Some(CoverageReason::NoDrugBenefit) => f.write_str("a plan of this type has no drug benefit"),
            Some(CoverageReason::NotSynced) => f.write_str("this plan was left out of the sync"),
            Some(CoverageReason::NoList) => f.write_str("the plan has entries but no List, so absence says nothing"),
            Some(CoverageReason::TierNotStated) if self.is_in_part(|varies| varies.without_tier) => {
                f.write_str("some packages are listed without a tier")
            }
            Some(CoverageReason::TierNotUnderstood) if self.is_in_part(|varies| varies.tier_not_understood) => {
                f.write_str("some packages are listed in a tier that does not say whether it is covered")
            }
            Some(CoverageReason::TierNotStated) => f.write_str("listed, but the payer states no tier"),
            Some(CoverageReason::TierNotUnderstood) => match &self.statement.tier {
                Some(tier) => write!(f, "listed in tier \"{tier}\", which does not say whether it is covered"),
                None => f.write_str("listed in tiers that do not say whether it is covered"),
            },
            _ => f.write_str("a part of the plan's drug list was not received"),
        }
    }

    /// `5 of 33,005 entries`.
    fn gaps_in_words(&self) -> String {
        format!("{} of {} entries", thousands(self.gaps.into()), thousands(self.expected.into()))
    }
}

impl Varies {
    /// How the listed packages differ, in words: `T1–T2 by manufacturer; step therapy on 11 of 15
    /// packages`. `packages` are those of the same question, or none if they were not read: then it
    /// is left open whether the manufacturer tells the tier.
    #[must_use]
    pub fn sentence(&self, packages: &[PackageCoverage]) -> String {
        let mut parts = Vec::new();
        if let [tier] = self.tiers.as_slice()
            && self.conflicts == 0
            && (1..self.of).contains(&self.without_tier)
        {
            parts.push(format!("{} on {} of {} packages", tier.short(), self.of - self.without_tier, self.of));
        }
        if self.tiers.len() > 1 {
            let by = match packages {
                [] => "",
                _ if self.of < 2 => "",
                packages if tier_follows_labeler(packages) => " by manufacturer",
                _ => " by package",
            };
            parts.push(format!("{}{by}", self.tiers_in_short()));
        }
        for (flag, count) in [
            ("prior authorization", self.prior_authorization),
            ("step therapy", self.step_therapy),
            ("quantity limit", self.quantity_limit),
            ("the payer contradicts itself", self.conflicts),
            ("no tier stated", self.without_tier),
            ("a tier that is not understood", self.tier_not_understood),
        ] {
            if count > 0 && count < self.of {
                parts.push(format!("{flag} on {count} of {} packages", self.of));
            }
        }
        if parts.is_empty() {
            parts.push("what is stated differs by package".to_owned());
        }
        parts.join("; ")
    }

    /// The tiers: `T1–T3` where their codes are numbers without a hole between them, else each: `T1, T3`.
    #[must_use]
    pub fn tiers_in_short(&self) -> String {
        let mut short: Vec<String> = self.tiers.iter().map(Tier::short).collect();
        short.dedup();
        if short.len() < self.tiers.len() {
            // One code with several words: these tell them apart.
            return self.tiers.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
        }
        let numbers: Option<Vec<u32>> = self.tiers.iter().map(|tier| tier.code.parse().ok()).collect();
        if let Some(mut numbers) = numbers {
            numbers.sort_unstable();
            if let (Some(first), Some(last)) = (numbers.first(), numbers.last())
                && (1..*last).contains(first)
                && numbers.windows(2).all(|pair| matches!(pair, [a, b] if a + 1 == *b))
            {
                return format!("T{first}–T{last}");
            }
        }
        short.join(", ")
    }
}

/// Whether all packages of one labeler (the first five digits of the NDC) stand in one tier, and each in one.
fn tier_follows_labeler(packages: &[PackageCoverage]) -> bool {
    let mut known = std::collections::BTreeMap::new();
    packages.iter().all(|package| {
        let labeler = package.ndc11.map(|ndc| ndc.number() / 1_000_000);
        let tier = package.statement.tier.as_ref();
        labeler.is_some() && tier.is_some() && *known.entry(labeler).or_insert(tier) == tier
    })
}

impl Tier {
    /// The payer's code in a table's cell: `T1` for a number, else the code itself.
    #[must_use]
    pub fn short(&self) -> String {
        if self.code.parse::<u32>().is_ok() { format!("T{}", self.code) } else { self.code.clone() }
    }
}

impl fmt::Display for Tier {
    /// The payer's code and words: `1 Preferred Generic`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.display {
            Some(display) if !display.eq_ignore_ascii_case(&self.code) => write!(f, "{} {display}", self.code),
            _ => f.write_str(&self.code),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::coverage::Statement;

    fn tier(code: &str, display: &str) -> Tier {
        Tier::read(code, (!display.is_empty()).then_some(display))
    }

    fn coverage(status: CoverageStatus, reason: Option<CoverageReason>) -> Coverage {
        Coverage {
            status,
            reason,
            statement: Statement::default(),
            varies: None,
            restrictions: None,
            listed: 0,
            not_on_this_list: 0,
            seen_anywhere: true,
            gaps: 0,
            expected: 33_005,
            complete: true,
            may_be: Vec::new(),
        }
    }

    fn package(ndc: &str, tier: &Tier) -> PackageCoverage {
        PackageCoverage {
            ndc11: Some(ndc.parse().unwrap()),
            product_ndc: None,
            rxcui: Vec::new(),
            name: String::new(),
            status: CoverageStatus::Covered,
            reason: None,
            statement: Statement { tier: Some(tier.clone()), ..Statement::default() },
            conflict: Vec::new(),
        }
    }

    #[test]
    fn statuses_say_why() {
        let listed = coverage(CoverageStatus::NotListed, None);
        assert_eq!(listed.to_string(), "not listed");
        assert_eq!(
            Coverage { gaps: 5, ..listed.clone() }.to_string(),
            "not listed; 5 of 33,005 entries could not be read"
        );
        assert_eq!(
            Coverage { seen_anywhere: false, ..listed }.to_string(),
            "not listed: the code is nowhere in the data, check the digits"
        );
        assert_eq!(
            coverage(CoverageStatus::NotListed, Some(CoverageReason::EntryInactive)).to_string(),
            "not listed: its entry is inactive or was made in error"
        );
        let short = Coverage { gaps: 990, ..coverage(CoverageStatus::Unknown, Some(CoverageReason::Incomplete)) };
        assert_eq!(short.to_string(), "unknown: the plan's drug list is incomplete, 990 of 33,005 entries are missing");
        assert_eq!(coverage(CoverageStatus::NotCovered, None).to_string(), "non-formulary (listed, not covered)");
        let unclear = coverage(CoverageStatus::Unknown, Some(CoverageReason::TierNotUnderstood));
        assert_eq!(unclear.to_string(), "unknown: listed in tiers that do not say whether it is covered");
        let statement = Statement { tier: Some(tier("Z", "Ask the plan")), ..Statement::default() };
        assert_eq!(
            Coverage { statement, ..unclear }.to_string(),
            "unknown: listed in tier \"Z Ask the plan\", which does not say whether it is covered"
        );
    }

    #[test]
    fn what_varies_is_said_in_a_sentence() {
        let (one, two, four) = (tier("1", "Preferred Generic"), tier("2", "Generic"), tier("4", "Non-Preferred Drug"));
        let varies = Varies { of: 15, tiers: vec![one.clone(), two.clone()], step_therapy: 11, ..Varies::default() };
        assert_eq!(varies.sentence(&[]), "T1–T2; step therapy on 11 of 15 packages");
        let by_labeler = [package("00001000101", &one), package("00001000102", &one), package("00002000101", &two)];
        assert_eq!(varies.sentence(&by_labeler), "T1–T2 by manufacturer; step therapy on 11 of 15 packages");
        let inside = [package("00001000101", &one), package("00001000102", &two)];
        assert_eq!(varies.sentence(&inside), "T1–T2 by package; step therapy on 11 of 15 packages");
        let apart = Varies { of: 2, tiers: vec![one, four], prior_authorization: 2, ..Varies::default() };
        assert_eq!(apart.sentence(&[]), "T1, T4");
        let words = Varies { of: 2, tiers: vec![tier("BRAND", ""), tier("0", "")], ..Varies::default() };
        assert_eq!(words.sentence(&[]), "BRAND, T0");
        let unclear =
            Varies { of: 3, tiers: vec![tier("1", ""), tier("Z", "")], tier_not_understood: 2, ..Varies::default() };
        assert_eq!(unclear.sentence(&[]), "T1, Z; a tier that is not understood on 2 of 3 packages");
        let flags = Varies { of: 2, tiers: vec![two], ..Varies::default() };
        assert_eq!(flags.sentence(&[]), "what is stated differs by package");
    }

    #[test]
    fn a_tier_is_the_payers_code_and_words() {
        assert_eq!(tier("1", "Preferred Generic").to_string(), "1 Preferred Generic");
        assert_eq!(tier("SP", "").to_string(), "SP");
        assert_eq!(tier("Brand", "BRAND").to_string(), "Brand");
    }
}
