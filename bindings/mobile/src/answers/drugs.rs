//! Drugs that were found, and what has the same ingredients.

use super::cross::{enums, records};
use super::{AskedDrug, Coverage, Origin};
use crate::ids::{Ndc11, PageToken, PlanId, Rxcui};

enums! {
    /// How an option stands to what was asked for, by status and then by the tier's level inside the plan.
    Comparison [else NotComparable] {
        /// Covered where the other is not, or in a lower tier.
        Better,
        /// The same status and tier level.
        Same,
        /// Not covered where the other is, or in a higher tier.
        Worse,
        /// The data does not tell: a status is unknown, a tier has no level, or tiers vary by package.
        NotComparable,
    }

    /// In what a drug differs from another of the same ingredients.
    DrugDifference [else Name] {
        /// Another name: a brand for a generic, or one brand for another.
        Name,
        /// Another strength, or one of the two does not say which.
        Strength,
        /// Another salt, or one of the two does not say which.
        Salt,
        /// Another form, or one of the two does not say which.
        Form,
        /// Another release: extended for immediate, 12 hours for 24 hours, another suffix.
        Release,
        /// Another device or kind, such as a pen for a vial.
        Device,
    }
}

records! {
    /// One drug, with all its labelers' products.
    DrugLine {
        /// The name; empty if no resource names it.
        name: String,
        /// The strength as the payer writes it.
        strength: Option<String>,
        /// The form.
        form: Option<String>,
        /// The brand, where the payer states it.
        brand: Option<String>,
        /// The ingredient, where the payer states it.
        ingredient: Option<String>,
        /// Products, hyphenated; only if codes were asked for.
        product_ndcs: Vec<String>,
        /// RxNorm codes; only if codes were asked for.
        rxcui: Vec<Rxcui>,
        /// Packages; only if codes were asked for.
        ndc11: Vec<Ndc11>,
        /// How many packages it has.
        packages: i32,
        /// Whether it was found by forgiving a misspelling.
        misspelt: bool,
        /// Coverage under the plan, if one was given.
        coverage: Option<Coverage>,
    }

    /// What a search found.
    DrugPage {
        /// What was typed.
        query: String,
        /// The plan whose tiers are shown.
        plan: Option<PlanId>,
        /// Drugs, best first.
        results [lines]: Vec<DrugLine>,
        /// What was typed and played no part, because nothing that the other words find has it.
        ignored: Vec<String>,
        /// How a code was read, or why it could not be.
        notes: Vec<String>,
        /// What to ask with for the drugs behind these; null: there are none.
        next: Option<PageToken>,
        /// Whether the plan's drug list is complete; null without a plan.
        complete: Option<bool>,
        /// Where the answer comes from.
        origin: Origin,
    }

    /// An ingredient of a drug.
    DrugIngredient {
        /// Its name without the salt, words in alphabetical order.
        name: String,
        /// Its salts; empty where none is named.
        salts: Vec<String>,
    }

    /// A drug with the same ingredients.
    DrugOption {
        /// The drug, with its codes and what the plan says of it.
        line: DrugLine,
        /// Its ingredients with their salts.
        ingredients: Vec<DrugIngredient>,
        /// How it is released: `XL, 24 hours`; null: at once, or nothing is said.
        release: Option<String>,
        /// In what it differs from what was asked for; empty: the same drug in other packages.
        differs: Vec<DrugDifference>,
        /// How it stands to what was asked for.
        comparison: Comparison,
        /// Why, in words.
        why: String,
    }

    /// The options that a plan has for a drug.
    DrugOptions {
        /// The plan.
        plan: PlanId,
        /// Its name.
        plan_name: Option<String>,
        /// The drug that was asked for, and what it was read as.
        drug: AskedDrug,
        /// Whether the plan covers it. Where it is ambiguous or not found there are no options but candidates.
        coverage: Coverage,
        /// Its ingredients, as far as the payer's texts name them.
        ingredients: Vec<DrugIngredient>,
        /// Best first: what is covered before what is not, then by tier level, then what has no prior authorization or
        /// step therapy, then what differs least.
        options: Vec<DrugOption>,
        /// Options in all, on every page.
        total: i32,
        /// Of these, better than what was asked for.
        better: i32,
        /// Of these, those of which nobody can tell how they stand to what was asked for.
        not_comparable: i32,
        /// Drugs of the same ingredients that the plan does not list, whether or not they are shown.
        not_listed: i32,
        /// What to ask with for the options behind these; null: there are none.
        next: Option<PageToken>,
        /// How the plan was read, and what could not be looked for.
        notes: Vec<String>,
        /// Where the answer comes from.
        origin: Origin,
    }
}
