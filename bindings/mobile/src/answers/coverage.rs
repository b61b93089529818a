//! Drugs under plans.

use coverdex_core as core;

use super::cross::{Cross, enums, records};
use super::{CountyFound, Origin, Plan};
use crate::ids::{Ndc11, PlanId, ProductNdc, Rxcui};

enums! {
    /// Is it covered.
    CoverageStatus [else Unknown] {
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

    /// Why a status is `unknown` or `not_listed`.
    CoverageReason [else Incomplete] {
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

    /// What holds of one restriction for all listed packages together.
    Restriction [else NotStated] {
        /// It is on every package.
        Yes,
        /// It is on no package.
        No,
        /// It is on some packages, and not on all.
        Varies,
        /// The payer's entries for one package contradict each other; they may do so in this.
        Conflict,
        /// The payer does not state it, for some packages at least.
        NotStated,
    }

    /// What an answer does not say, in the order in which it is told.
    Caveat [else Restrictions] {
        /// What the letters of restrictions mean.
        Restrictions,
        /// A tier is not a price.
        TierIsNoPrice,
        /// By law insulin and vaccines cost no more than so much.
        MedicareCaps,
        /// Not on this Part D list: it may be covered under Part B or by exception.
        NotOnPartDList,
        /// Not on this list: it may be covered by exception.
        NotOnList,
        /// Mail order is not stated.
        MailOrderNotStated,
        /// Directories are incomplete.
        DirectoryIncomplete,
        /// In network is not preferred cost sharing.
        CostSharing,
    }

    /// Whether what is listed in a tier is covered. Decided when the dataset is built.
    TierStatus [else NotUnderstood] {
        /// A number, or words that name a kind of covered tier.
        Covered,
        /// Code or words say that it is not covered.
        NotCovered,
        /// Neither: nobody can tell from the code and the words, or they contradict each other.
        NotUnderstood,
    }

    /// What tiers are commonly called. Payers number and name them as they like, so a level is a hint,
    /// and two levels compare only inside one plan.
    TierLevel [else NonFormulary] {
        /// Preferred generic.
        PreferredGeneric,
        /// Generic.
        Generic,
        /// Select care, and preventive drugs without cost.
        SelectCare,
        /// Preferred brand.
        PreferredBrand,
        /// Brand, said without preferred or non-preferred.
        Brand,
        /// Non-preferred drug, brand or generic.
        NonPreferred,
        /// Specialty.
        Specialty,
        /// Given by a clinician, perhaps under the medical benefit.
        MedicalService,
        /// Listed and not covered.
        NonFormulary,
    }
}

records! {
    /// A payer's tier.
    Tier {
        /// The payer's code, such as `1` or `SP`.
        code: String,
        /// The payer's words, such as `Preferred Generic`.
        display: Option<String>,
        /// Whether what is listed in this tier is covered.
        status: TierStatus,
        /// A comparable level, where the words tell one.
        level: Option<TierLevel>,
    }

    /// What the payer says of one package, or of several that it says the same of.
    Statement {
        /// The tier; null is not stated, or contradictory.
        tier: Option<Tier>,
        /// Null is not stated.
        prior_authorization: Option<bool>,
        /// Null is not stated.
        step_therapy: Option<bool>,
        /// Null is not stated.
        quantity_limit: Option<bool>,
        /// Null is not stated.
        mail_order: Option<bool>,
    }

    /// How the listed packages differ.
    Varies {
        /// Listed packages that the other numbers are out of.
        of: i32,
        /// The tiers, lowest level first, then by code.
        tiers: Vec<Tier>,
        /// Packages with prior authorization.
        prior_authorization: i32,
        /// Packages with step therapy.
        step_therapy: i32,
        /// Packages with a quantity limit.
        quantity_limit: i32,
        /// Packages of which the payer says different things.
        conflicts: i32,
        /// Packages listed without a tier.
        without_tier: i32,
        /// Packages listed in a tier that is not understood.
        tier_not_understood: i32,
    }

    /// A drug that may have been meant.
    Candidate {
        /// Name, strength and form.
        name: String,
        /// Its products, hyphenated.
        product_ndcs: Vec<String>,
        /// What tells it from the other candidates, such as `XL, 24 hours`; null where the name says it.
        differs: Option<String>,
    }

    /// The restrictions of a drug under a plan.
    Restrictions {
        /// Prior authorization.
        prior_authorization: Restriction,
        /// Step therapy.
        step_therapy: Restriction,
        /// A quantity limit.
        quantity_limit: Restriction,
    }

    /// The answer to plan × drug, as of the dataset's date.
    Coverage {
        /// Is it covered.
        status: CoverageStatus,
        /// Why, for statuses that have a reason.
        reason: Option<CoverageReason>,
        /// What holds for every listed package; a field that varies is null here.
        statement: Statement,
        /// How the listed packages differ, if they do, or what the payer contradicts itself in.
        varies: Option<Varies>,
        /// Each restriction over all listed packages; null where the plan lists none.
        restrictions: Option<Restrictions>,
        /// Packages that the plan lists.
        listed: i32,
        /// Packages of the drug that the plan does not list.
        not_on_this_list: i32,
        /// Whether the code is anywhere in the dataset ("check the digits" if not).
        seen_anywhere: bool,
        /// Entries that the plan's Lists name and that could not be read.
        gaps: i32,
        /// Entries that the plan's Lists name.
        expected: i32,
        /// Whether the plan's formulary was received as completely as the payer serves it.
        complete: bool,
        /// Drugs that the plan lists and that may be meant: what the payer writes of them leaves open what
        /// the question says. Where the plan lists nothing else that fits, the status is ambiguous.
        may_be: Vec<Candidate>
        ;
        /// Status, reason and what varies, in words.
        summary: String = |own| own.sentence(&[]),
    }

    /// The answer for one package.
    PackageCoverage {
        /// The package; null for an entry that has only RxNorm codes or a product code.
        ndc11: Option<Ndc11>,
        /// The product, hyphenated as the payer does where it showed it.
        product_ndc: Option<String>,
        /// RxNorm codes that any resource shows for the package.
        rxcui: Vec<Rxcui>,
        /// Name, strength and form; empty if no resource names it.
        name: String,
        /// Covered, not covered, not listed, unknown or conflict.
        status: CoverageStatus,
        /// Why, for statuses that have a reason.
        reason: Option<CoverageReason>,
        /// What the payer says.
        statement: Statement,
        /// What contradicts each other, for status conflict.
        conflict: Vec<Statement>,
    }

    /// A drug that was asked for, and what it was read as.
    AskedDrug {
        /// As it was asked for.
        query: String,
        /// Name, strength and form; null where nothing, or nothing that has a name, was found.
        read_as: Option<String>,
        /// Words that played no part.
        ignored: Vec<String>,
        /// What may have been meant, best first.
        candidates: Vec<Candidate>,
        /// Why it could not be read, where it could not.
        problem: Option<String>,
        /// How it was read, where it could have been read in another way.
        notes: Vec<String>,
    }

    /// A plan of a matrix with its answers.
    MatrixPlan {
        /// The plan.
        plan: Plan,
        /// Drugs that it covers, in each package that it lists.
        covered: i32,
        /// Drugs that it covers in some packages and lists as not covered in others.
        mixed: i32,
        /// Of both, drugs with prior authorization or step therapy on some package.
        restricted: i32,
        /// Of both, drugs of which nobody can tell whether they need prior authorization or step therapy.
        may_be_restricted: i32,
        /// Drugs of which nobody can tell.
        unknown: i32,
        /// One for each drug, in the order asked.
        answers: Vec<Coverage>,
        /// How the plan was read.
        notes: Vec<String>,
    }

    /// Drugs and plans side by side, plans best first.
    CoverageMatrix {
        /// The drugs, as asked.
        drugs: Vec<AskedDrug>,
        /// The plans, best first: `ranked_by` says by what.
        plans: Vec<MatrixPlan>,
        /// The plan year, where the plans of a place were asked for.
        year: Option<i32>,
        /// Plans sold there in that year to others than asked for.
        other_audiences: i32,
        /// Plans of which nobody can tell whether they are sold there.
        area_unknown: Vec<PlanId>,
        /// The counties that the place was read as.
        place: Vec<CountyFound>,
        /// How the question was read, where it does not go without saying.
        notes: Vec<String>,
        /// What the answers do not say.
        caveats: Vec<Caveat>,
        /// Where the answer comes from.
        origin: Origin
        ;
        /// By what the plans are ranked, in words.
        ranked_by: String = |_| core::CoverageMatrix::RANKED_BY.to_owned(),
        /// Whether all plans' drug lists were received completely.
        complete: bool = |own| own.plans.iter().flat_map(|plan| &plan.answers).all(|answer| answer.complete),
    }

    /// A plan that covers the drug.
    CoveringPlan {
        /// The plan.
        plan: Plan,
        /// What it says of the drug.
        coverage: Coverage,
    }

    /// How many plans give an answer.
    StatusCount {
        /// The answer.
        status: CoverageStatus,
        /// Why, for statuses that have a reason.
        reason: Option<CoverageReason>,
        /// Plans that give it.
        plans: Vec<PlanId>,
    }

    /// The plans of a place that cover a drug, and how many others do not.
    PlansCovering {
        /// The drug, and what it was read as.
        drug: AskedDrug,
        /// The plans that cover it, wholly or in some packages, best first: `ranked_by` says by what.
        plans: Vec<CoveringPlan>,
        /// How many of the place's other plans say what of it.
        others: Vec<StatusCount>,
        /// The plan year.
        year: Option<i32>,
        /// Plans sold there in that year to others than asked for.
        other_audiences: i32,
        /// Plans of which nobody can tell whether they are sold there; they were not asked.
        area_unknown: Vec<PlanId>,
        /// The counties that the place was read as.
        place: Vec<CountyFound>,
        /// How the question was read, where it does not go without saying.
        notes: Vec<String>,
        /// Where the answer comes from.
        origin: Origin
        ;
        /// By what the plans are ranked, in words.
        ranked_by: String = |_| core::PlansCovering::RANKED_BY.to_owned(),
    }

    /// The codes of a drug.
    DrugCodes {
        /// Packages.
        ndc11: Vec<Ndc11>,
        /// Products of entries that have no package code.
        product_ndcs [products]: Vec<ProductNdc>,
        /// RxNorm codes.
        rxcui: Vec<Rxcui>,
    }

    /// One condition of an answer: what was asked of the data, what it says, whether that decided.
    Condition {
        /// Its stable name, such as `drug_list`.
        name: String,
        /// The condition as a question: `Is it on the plan's drug list?`
        question: String,
        /// What the data says, in a sentence.
        says: String,
        /// Whether it holds; null: nobody can tell from the data.
        holds: Option<bool>,
        /// Whether it decided the answer.
        decided: bool,
        /// Single facts behind what it says, each a sentence.
        details: Vec<String>,
    }

    /// An answer to plan × drug with its reasons.
    CoverageExplanation {
        /// The answer that is explained.
        answer: CoverageAnswer,
        /// What was asked of the data, in this order: `plan`, `drug_list`, `drug`, `packages`, `entries`, `tier`,
        /// `restrictions`. One of them decided.
        conditions: Vec<Condition>,
        /// The drug's codes, whatever the plan lists: what resources are looked for by.
        codes: DrugCodes,
    }
}

/// The whole answer to plan × drug: what was asked, how it was read, what the plan says.
#[derive(Clone, Debug, PartialEq, uniffi::Record)]
pub struct CoverageAnswer {
    /// The plan.
    pub plan: PlanId,
    /// Its name.
    pub plan_name: Option<String>,
    /// The drug, and what it was read as.
    pub drug: AskedDrug,
    /// All listed packages together.
    pub coverage: Coverage,
    /// The packages that the plan lists; for one package asked for by its code, that one whatever its status.
    pub packages: Vec<PackageCoverage>,
    /// How the plan was read, where it does not go without saying.
    pub notes: Vec<String>,
    /// What the answer does not say.
    pub caveats: Vec<Caveat>,
    /// Where the answer comes from.
    pub origin: Origin,
}

impl From<core::CoverageAnswer> for CoverageAnswer {
    fn from(own: core::CoverageAnswer) -> Self {
        // With the packages at hand the sentence says more.
        let summary = own.coverage.sentence(&own.packages);
        Self {
            plan: own.plan.into(),
            plan_name: own.plan_name,
            drug: own.drug.into(),
            coverage: Coverage { summary, ..own.coverage.into() },
            packages: own.packages.cross(),
            notes: own.notes,
            caveats: own.caveats.cross(),
            origin: own.origin.into(),
        }
    }
}

impl Cross<CoverageAnswer> for core::CoverageAnswer {
    fn cross(self) -> CoverageAnswer {
        self.into()
    }
}

#[uniffi::export]
impl Caveat {
    /// The caveat in words for people.
    #[must_use]
    pub fn words(&self) -> String {
        core::Caveat::from(*self).words().to_owned()
    }
}

impl From<Caveat> for core::Caveat {
    fn from(own: Caveat) -> Self {
        match own {
            Caveat::Restrictions => Self::Restrictions,
            Caveat::TierIsNoPrice => Self::TierIsNoPrice,
            Caveat::MedicareCaps => Self::MedicareCaps,
            Caveat::NotOnPartDList => Self::NotOnPartDList,
            Caveat::NotOnList => Self::NotOnList,
            Caveat::MailOrderNotStated => Self::MailOrderNotStated,
            Caveat::DirectoryIncomplete => Self::DirectoryIncomplete,
            Caveat::CostSharing => Self::CostSharing,
        }
    }
}
