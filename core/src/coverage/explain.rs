//! Why a plan covers a drug or not: each condition in its order, and which decided.

use std::sync::Arc;

use super::{Coverage, CoverageAnswer, CoverageReason, CoverageStatus, Restriction};
use crate::Result;
use crate::data::{Term, TermStatus, package_row, rxnorm_codes};
use crate::dataset::Dataset;
use crate::drugs::{Candidate, Drug, DrugDifference, Made, Resolution};
use crate::explain::{Condition, SourceResource};
use crate::ids::{Ndc11, ProductNdc, Rxcui};
use crate::place::Place;
use crate::plans::{DrugBenefit, Plan, ResolvedPlan};
use crate::tier::{Tier, TierStatus};
use crate::words::{packages as counted, thousands};

/// Single facts that a condition names at most.
const MOST_DETAILS: usize = 20;

/// Conditions about the packages of one drug.
const PER_PACKAGE: [&str; 4] = ["packages", "entries", "tier", "restrictions"];

/// An answer to plan × drug with its reasons.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct CoverageExplanation {
    /// The answer that is explained.
    pub answer: CoverageAnswer,
    /// What was asked of the data, in this order: `plan`, `drug_list`, `drug`, `packages`, `entries`, `tier`,
    /// `restrictions`. One of them decided.
    pub conditions: Vec<Condition>,
    /// The drug's codes, whatever the plan lists: what resources are looked for by.
    pub codes: DrugCodes,
    /// The payer's resources that say so; `None` where nothing was at hand to look them up in. The dataset holds no
    /// ids of resources: whoever has what it was built from fills this in.
    pub sources: Option<Vec<SourceResource>>,
}

/// The codes of a drug.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct DrugCodes {
    /// Packages.
    pub ndc11: Vec<Ndc11>,
    /// Products of entries that have no package code.
    pub products: Vec<ProductNdc>,
    /// RxNorm codes.
    pub rxcui: Vec<Rxcui>,
}

impl Dataset {
    /// Why the plan that a text means covers the drug that a text means, or does not: an explanation for each year
    /// that the plan may mean, as [`coverage_answers`](Self::coverage_answers).
    ///
    /// ```
    /// # coverdex_tests::with_payer(|path| {
    /// use coverdex_core::Dataset;
    ///
    /// let dataset = Dataset::open(path)?;
    /// let explanation = &dataset.explain_coverage("H9231-001-000-2026", "sertraline 50 mg", None)?[0];
    /// for condition in &explanation.conditions {
    ///     println!("{} {}", condition.question, condition.says);
    /// }
    /// let decided = explanation.conditions.iter().find(|condition| condition.decided).unwrap();
    /// assert_eq!(decided.name, "entries"); // its entry is named by no List
    /// # Ok(())
    /// # });
    /// ```
    ///
    /// # Errors
    /// [`NotFound`](crate::ErrorKind::NotFound) or [`Ambiguous`](crate::ErrorKind::Ambiguous) with candidates for the
    /// plan or the place. A drug that fits nothing or several is explained.
    pub fn explain_coverage(&self, plan: &str, drug: &str, place: Option<&Place>) -> Result<Vec<CoverageExplanation>> {
        let plans = self.resolve_plan_at(plan, place)?;
        let drug = self.drug_or_problem(drug)?;
        plans.iter().map(|resolved| self.coverage_explanation(resolved, &drug)).collect()
    }

    /// The explanation for a plan and a drug that were resolved.
    ///
    /// ```
    /// # coverdex_tests::with_payer(|path| {
    /// use coverdex_core::Dataset;
    ///
    /// let dataset = Dataset::open(path)?;
    /// let plan = &dataset.resolve_plan("H9231-030")?[0];
    /// let explanation = dataset.coverage_explanation(plan, &dataset.drug("metformin 500 mg")?)?;
    /// let decided = explanation.conditions.iter().find(|condition| condition.decided).unwrap();
    /// assert_eq!(decided.name, "drug_list"); // the plan has no drug benefit
    /// # Ok(())
    /// # });
    /// ```
    ///
    /// # Errors
    /// [`DatasetDamaged`](crate::ErrorKind::DatasetDamaged) if a file cannot be read.
    pub fn coverage_explanation(&self, resolved: &ResolvedPlan, drug: &Drug) -> Result<CoverageExplanation> {
        let answer = self.coverage_answer(resolved, drug)?;
        let plan = &resolved.plan;
        let entries = self.entries_of(plan, drug)?;
        let mut conditions = vec![
            plan_condition(resolved),
            list_condition(plan),
            self.drug_condition(&answer, drug)?,
            packages_condition(&answer, drug),
            entries.condition(&answer),
            tier_condition(&answer.coverage, &entries),
            restrictions_condition(&answer),
        ];
        if matches!(drug.resolution(), Resolution::NotFound | Resolution::Ambiguous) {
            for condition in conditions.iter_mut().filter(|condition| PER_PACKAGE.contains(&condition.name.as_str())) {
                *condition =
                    Condition::new(&condition.name, &condition.question, "not asked: it is not one drug", None);
            }
        }
        let decided = deciding(&answer.coverage, drug);
        conditions
            .iter_mut()
            .filter(|condition| condition.name == decided)
            .for_each(|condition| condition.decided = true);
        Ok(CoverageExplanation { answer, conditions, codes: self.codes_of(drug)?, sources: None })
    }

    /// All codes of a drug's packages.
    fn codes_of(&self, drug: &Drug) -> Result<DrugCodes> {
        let mut codes = DrugCodes::default();
        codes.ndc11.extend(drug.package());
        let mut sets: Vec<u32> = Vec::new();
        for package in drug.packages() {
            self.cancel.check()?;
            let row = self.inner.database.with(|connection| package_row(connection, *package))?;
            codes.ndc11.extend(row.ndc11);
            codes.products.extend(row.product.filter(|_| row.ndc11.is_none()));
            sets.push(row.rxnorm_set);
        }
        sets.sort_unstable();
        sets.dedup();
        for set in sets {
            codes.rxcui.extend(self.inner.database.with(|connection| rxnorm_codes(connection, set))?);
        }
        codes.ndc11.sort_unstable();
        codes.ndc11.dedup();
        codes.products.sort_unstable();
        codes.products.dedup();
        codes.rxcui.sort_unstable();
        codes.rxcui.dedup();
        Ok(codes)
    }

    /// What the plan's entries for a drug's packages are.
    fn entries_of(&self, plan: &Plan, drug: &Drug) -> Result<Entries> {
        let formulary = self.formulary(plan)?;
        let mut entries = Entries::default();
        for package in drug.packages() {
            self.cancel.check()?;
            let term = match &formulary {
                Some(formulary) => formulary.term(*package)?,
                None => None,
            };
            entries.add(term);
        }
        Ok(entries)
    }

    /// How the drug's text was read, and which other readings were offered or rejected.
    fn drug_condition(&self, answer: &CoverageAnswer, drug: &Drug) -> Result<Condition> {
        let read_as = answer.drug.read_as.as_deref();
        let count = |n: usize| thousands(u64::try_from(n).unwrap_or(u64::MAX));
        let packages = drug.packages().len();
        let (says, holds) = match drug.resolution() {
            Resolution::Found if drug.package().is_some() => {
                (format!("one package, NDC {}", drug.package().map(|ndc| ndc.to_string()).unwrap_or_default()), true)
            }
            Resolution::Found => {
                let packages =
                    if packages == 1 { "one package".to_owned() } else { format!("{} packages", count(packages)) };
                (format!("one drug of {packages}"), true)
            }
            Resolution::NeverSeen => ("a code that nothing in the data has: check the digits".to_owned(), true),
            Resolution::Ambiguous => ("several drugs fit: say which is meant".to_owned(), false),
            Resolution::NotFound => match drug.problem() {
                Some(problem) => (format!("it cannot be read: {problem}"), false),
                None => ("no drug fits".to_owned(), false),
            },
        };
        let says = match read_as {
            Some(read_as) if drug.resolution() == Resolution::Found => format!("{says}: {read_as}"),
            _ => says,
        };
        let mut details: Vec<String> = answer.drug.notes.clone();
        if !answer.drug.ignored.is_empty() {
            details.push(format!("ignored: {}", answer.drug.ignored.join(", ")));
        }
        let offered = drug.candidates().iter().map(|candidate| format!("may be meant: {}", candidate_words(candidate)));
        details.extend(offered.take(MOST_DETAILS));
        let beside = drug.beside().iter().map(|beside| {
            format!(
                "left open by its text, counts where the plan lists nothing that fits: {}",
                candidate_words(&beside.candidate)
            )
        });
        details.extend(beside.take(MOST_DETAILS));
        details.extend(self.rejected(drug)?);
        Ok(Condition::new("drug", "Which drug is meant?", says, Some(holds)).with_details(details))
    }

    /// Drugs of the same ingredients that were not meant, and why not.
    fn rejected(&self, drug: &Drug) -> Result<Vec<String>> {
        let same = self.same_ingredients(drug)?;
        let is_beside = |made: &Made| drug.beside().iter().any(|beside| beside.packages.start == made.row.first);
        let mut rejected: Vec<(usize, String)> = same
            .others
            .iter()
            .filter(|made| !is_beside(made))
            .filter_map(|made| {
                let differs = same.own.iter().map(|own| own.differences(made)).min_by_key(Vec::len)?;
                let why: Vec<&str> = differs.iter().map(|difference| difference_words(*difference)).collect();
                Some((differs.len(), format!("not meant: {} ({})", made.row.title(), why.join(", "))))
            })
            .collect();
        rejected.sort_by_key(|(differences, _)| *differences);
        let more = rejected.len().saturating_sub(MOST_DETAILS / 2);
        let mut details: Vec<String> = rejected.into_iter().take(MOST_DETAILS / 2).map(|(_, words)| words).collect();
        if more > 0 {
            details.push(format!("{more} more of the same ingredients are not meant"));
        }
        Ok(details)
    }
}

const fn difference_words(difference: DrugDifference) -> &'static str {
    match difference {
        DrugDifference::Name => "another name",
        DrugDifference::Strength => "another strength",
        DrugDifference::Salt => "another salt",
        DrugDifference::Form => "another form",
        DrugDifference::Release => "another release",
        DrugDifference::Device => "another device or kind",
    }
}

fn candidate_words(candidate: &Candidate) -> String {
    match &candidate.differs {
        Some(differs) => format!("{} ({differs})", candidate.name),
        None => candidate.name.clone(),
    }
}

/// The condition that decided.
fn deciding(coverage: &Coverage, drug: &Drug) -> &'static str {
    use CoverageReason::{EntryInactive, TierNotStated, TierNotUnderstood, Unreferenced};
    match (coverage.status, coverage.reason) {
        (CoverageStatus::NotFound, _) => "drug",
        (CoverageStatus::Ambiguous, _) if drug.resolution() == Resolution::Ambiguous => "drug",
        (CoverageStatus::Conflict, _) | (_, Some(EntryInactive | Unreferenced)) => "entries",
        (CoverageStatus::Covered | CoverageStatus::NotCovered | CoverageStatus::Mixed, _)
        | (_, Some(TierNotStated | TierNotUnderstood)) => "tier",
        (CoverageStatus::Unknown, _) => "drug_list",
        (CoverageStatus::Ambiguous | CoverageStatus::NotListed, _) => "packages",
    }
}

fn plan_condition(resolved: &ResolvedPlan) -> Condition {
    let plan = &resolved.plan;
    let name = plan.name.as_deref().map(|name| format!(" {name}")).unwrap_or_default();
    Condition::new("plan", "Which plan is meant?", format!("{}{name}", plan.id), Some(true))
        .with_details(resolved.notes.iter().cloned())
}

/// Whether the plan has a drug list and whether all of it came.
fn list_condition(plan: &Plan) -> Condition {
    let entries = || {
        let lists = if plan.lists == 1 { "one List names".to_owned() } else { format!("{} Lists name", plan.lists) };
        format!("{lists} {} entries", thousands(plan.expected.into()))
    };
    let gaps = || format!("{} of them could not be read", thousands(plan.gaps.into()));
    let (says, holds) = match plan.drugs {
        DrugBenefit::Complete if plan.gaps == 0 => (format!("yes: {}, all were read", entries()), Some(true)),
        DrugBenefit::Complete => (format!("yes: {}, {}, no more than 1 in 100", entries(), gaps()), Some(true)),
        DrugBenefit::Incomplete if plan.gaps > 0 => {
            (format!("not all of it: {}, {}; what is absent may be among them", entries(), gaps()), None)
        }
        DrugBenefit::Incomplete => {
            (format!("not all of it: {}, and some Lists or parts did not come", entries()), None)
        }
        DrugBenefit::NoList => ("entries name the plan and no List does, so absence says nothing".to_owned(), None),
        DrugBenefit::NoFormularyPublished => ("the payer publishes no drug list for this plan".to_owned(), Some(false)),
        DrugBenefit::NoDrugBenefit => ("a plan of this type has no drug benefit".to_owned(), Some(false)),
        DrugBenefit::NotSynced => ("this plan was left out of the sync".to_owned(), None),
    };
    let quarantined = (plan.quarantined > 0)
        .then(|| format!("{} of the gaps came and could not be understood", thousands(plan.quarantined.into())));
    Condition::new("drug_list", "Does the plan have a drug list, and did all of it come?", says, holds)
        .with_details(quarantined)
}

/// Which packages the plan lists.
fn packages_condition(answer: &CoverageAnswer, drug: &Drug) -> Condition {
    let coverage = &answer.coverage;
    let question = "Does the plan list a package of it?";
    let all = u32::try_from(drug.packages().len()).unwrap_or(u32::MAX);
    let listed = coverage.listed;
    let absence_tells = matches!(coverage.status, CoverageStatus::NotListed) || coverage.complete;
    let (says, holds) = match (listed, coverage.may_be.is_empty()) {
        (0, false) => ("none, but what it lists may be meant: its text leaves open what was asked".to_owned(), None),
        (0, true) if absence_tells => (format!("none of {}", thousands(all.into())), Some(false)),
        (0, true) => ("none that is here".to_owned(), None),
        (listed, _) if listed == all => (format!("all {}", thousands(all.into())), Some(true)),
        (listed, _) => {
            let (listed, all) = (thousands(listed.into()), thousands(all.into()));
            (format!("{listed} of {all}; the others are known from elsewhere"), Some(true))
        }
    };
    let listed_packages = answer.packages.iter().filter(|_| listed > 0);
    let mut details: Vec<String> = listed_packages
        .map(|package| {
            let code = match (package.ndc11, &package.product_ndc, package.rxcui.first()) {
                (Some(ndc), _, _) => format!("NDC {ndc}"),
                (None, Some(product), _) => format!("product {product}"),
                (None, None, Some(code)) => format!("RxNorm {code}"),
                (None, None, None) => "no code".to_owned(),
            };
            let tier = package.statement.tier.as_ref().map_or_else(String::new, |tier| format!(", tier {tier}"));
            format!("{code} {}{tier}", package.name)
        })
        .collect();
    shorten(&mut details, "packages");
    details.extend(
        coverage.may_be.iter().map(|candidate| format!("listed, may be meant: {}", candidate_words(candidate))),
    );
    Condition::new("packages", question, says, holds).with_details(details)
}

/// Keeps the first facts and says how many were left out.
fn shorten(details: &mut Vec<String>, what: &str) {
    let more = details.len().saturating_sub(MOST_DETAILS);
    if more > 0 {
        details.truncate(MOST_DETAILS);
        details.push(format!("and {more} more {what}"));
    }
}

/// The plan's entries for a drug's packages, by kind.
#[derive(Default)]
struct Entries {
    listed: u32,
    conflicts: u32,
    inactive: u32,
    unreferenced: u32,
    /// Every tier that a listed package has, with the number of packages.
    tiers: Vec<(Arc<Tier>, u32)>,
    without_tier: u32,
}

impl Entries {
    fn add(&mut self, term: Option<&Arc<Term>>) {
        let Some(term) = term else { return };
        match term.status {
            TermStatus::Listed => self.listed += 1,
            TermStatus::Conflict => self.conflicts += 1,
            TermStatus::EntryInactive => self.inactive += 1,
            TermStatus::Unreferenced => self.unreferenced += 1,
        }
        if !matches!(term.status, TermStatus::Listed) {
            return;
        }
        match &term.tier {
            None => self.without_tier += 1,
            Some(tier) => match self.tiers.iter_mut().find(|(known, _)| known == tier) {
                Some((_, count)) => *count += 1,
                None => self.tiers.push((Arc::clone(tier), 1)),
            },
        }
    }

    /// Whether the entries count, and agree.
    fn condition(&self, answer: &CoverageAnswer) -> Condition {
        let question = "Do its entries count, and do they agree?";
        let mut details = Vec::new();
        let mut add = |count: u32, words: &str| {
            if count > 0 {
                details.push(format!("{}: {words}", counted(count)));
            }
        };
        add(self.inactive, "the entry is inactive or was made in error, which is no coverage");
        add(self.unreferenced, "an entry is there that none of the plan's Lists names, which is not listed");
        add(self.conflicts, "the payer says different things");
        for package in answer.packages.iter().filter(|package| !package.conflict.is_empty()).take(MOST_DETAILS) {
            let tier = |says: &super::Statement| {
                says.tier.as_ref().map_or_else(|| "no tier".to_owned(), |tier| format!("tier {tier}"))
            };
            let says: Vec<String> = package
                .conflict
                .iter()
                .map(|says| {
                    let flags = flags_words(says);
                    if flags.is_empty() { tier(says) } else { format!("{} with {flags}", tier(says)) }
                })
                .collect();
            details.push(format!("{}: {}", package.name, says.join(", and ")));
        }
        let (says, holds) = match (self.listed, self.conflicts, self.inactive + self.unreferenced) {
            (0, 0, 0) => ("there are none".to_owned(), None),
            (_, 0, 0) => ("yes".to_owned(), Some(true)),
            (_, 1.., _) => ("the payer contradicts itself".to_owned(), Some(false)),
            (0, 0, _) => ("no entry counts".to_owned(), Some(false)),
            (_, 0, _) => ("some do, others do not count".to_owned(), Some(true)),
        };
        Condition::new("entries", question, says, holds).with_details(details)
    }
}

/// Which rule made a status of the tier.
fn tier_condition(coverage: &Coverage, entries: &Entries) -> Condition {
    let question = "Is its tier one that is covered?";
    let mut tiers: Vec<&(Arc<Tier>, u32)> = entries.tiers.iter().collect();
    tiers.sort_by(|(a, _), (b, _)| (a.level, &a.code, &a.display).cmp(&(b.level, &b.code, &b.display)));
    let mut details: Vec<String> = tiers
        .iter()
        .map(|(tier, packages)| {
            let packages = if tiers.len() > 1 { format!(" on {}", counted(*packages)) } else { String::new() };
            format!("tier {tier}{packages}: {}", tier_rule(tier))
        })
        .collect();
    if entries.without_tier > 0 {
        details.push(format!("listed without a tier: {}", counted(entries.without_tier)));
    }
    let (says, holds) = match coverage.status {
        _ if entries.tiers.is_empty() && entries.without_tier == 0 => ("no tier to look at", None),
        CoverageStatus::Covered => ("yes", Some(true)),
        CoverageStatus::NotCovered => ("no: it is listed in a tier that is not covered", Some(false)),
        CoverageStatus::Mixed => ("of some packages yes, of others no", None),
        _ if entries.tiers.is_empty() => ("the payer states none", None),
        _ if entries.conflicts > 0 => ("of some packages the payer says different things", None),
        _ if entries.without_tier > 0 || entries.tiers.len() > 1 => ("of some packages it does not say", None),
        _ => ("it does not say", None),
    };
    Condition::new("tier", question, says, holds).with_details(details)
}

/// What a tier's code and words say, and which of them told.
fn tier_rule(tier: &Tier) -> String {
    let status = |tier: TierStatus| match tier {
        TierStatus::Covered => "covered",
        TierStatus::NotCovered => "not covered",
        TierStatus::NotUnderstood => "nobody can tell",
    };
    let words = tier.display.as_deref();
    // A code that says nothing leaves the words alone.
    let by_words = words.map(|words| Tier::read("?", Some(words)).status).filter(|by| *by != TierStatus::NotUnderstood);
    let by_code = Some(Tier::read(&tier.code, None).status).filter(|by| *by != TierStatus::NotUnderstood);
    let why = if Tier::read(&tier.code, words).status != tier.status {
        "the settings of whoever built the dataset say so"
    } else if tier.status == TierStatus::NotUnderstood {
        match (by_words, by_code) {
            (Some(_), Some(_)) => "its code and its words contradict each other",
            _ => "neither its code nor its words say",
        }
    } else if by_words == Some(tier.status) {
        "its words say so"
    } else {
        "its code says so"
    };
    let level = tier.level.map_or_else(String::new, |level| format!("; level {}", level.as_str().replace('_', " ")));
    format!("{}, {why}{level}", status(tier.status))
}

fn flags_words(says: &super::Statement) -> String {
    let flags = [
        ("prior authorization", says.prior_authorization),
        ("step therapy", says.step_therapy),
        ("quantity limit", says.quantity_limit),
    ];
    flags.iter().filter(|(_, flag)| *flag == Some(true)).map(|(name, _)| *name).collect::<Vec<_>>().join(" and ")
}

/// What has to be met before the plan pays; it does not change whether it is covered.
fn restrictions_condition(answer: &CoverageAnswer) -> Condition {
    let question = "Is it free of restrictions?";
    let coverage = &answer.coverage;
    let Some(restrictions) = coverage.restrictions else {
        return Condition::new("restrictions", question, "none to look at", None);
    };
    let varies = coverage.varies.as_ref();
    let counts = [
        varies.map(|varies| varies.prior_authorization),
        varies.map(|varies| varies.step_therapy),
        varies.map(|varies| varies.quantity_limit),
    ];
    let named = restrictions.named();
    let words: Vec<String> = named
        .iter()
        .zip(counts)
        .map(|((name, restriction), some)| match restriction {
            Restriction::Varies => {
                format!("{name} on {} of {}", some.unwrap_or_default(), counted(varies.map_or(0, |varies| varies.of)))
            }
            Restriction::Conflict => format!("{name}: the payer contradicts itself"),
            other => format!("{name} {}", other.as_str()),
        })
        .collect();
    let any = named.iter().any(|(_, own)| matches!(own, Restriction::Yes | Restriction::Varies));
    let none = named.iter().all(|(_, own)| *own == Restriction::No);
    let holds = if any { Some(false) } else { none.then_some(true) };
    Condition::new("restrictions", question, words.join(", "), holds)
}
