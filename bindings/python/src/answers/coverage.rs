//! Drugs, and what plans say of them.

use coverdex_core as core;

use super::{Years, answer};

answer! {
    /// Whether a plan covers a drug, in which tier, with which restrictions.
    Coverage(core::CoverageAnswer) {
        /// The plan's id in its normal spelling.
        plan;
        /// The plan's name.
        plan_name;
        /// The drug as it was asked for.
        query(drug.query);
        /// What it was read as: name, strength and form.
        read_as(drug.read_as);
        /// Words of the question that played no part.
        ignored(drug.ignored);
        /// Is it covered.
        status(coverage.status);
        /// Why, for statuses that have a reason.
        reason(coverage.reason);
        /// Status, reason and what varies, in words.
        summary(document);
        /// The tier, where all listed packages have one.
        tier(coverage.statement.tier);
        /// Whether prior authorization is needed; None: not stated, or it varies.
        prior_authorization(coverage.statement.prior_authorization);
        /// Whether step therapy is needed; None: not stated, or it varies.
        step_therapy(coverage.statement.step_therapy);
        /// Whether there is a quantity limit; None: not stated, or it varies.
        quantity_limit(coverage.statement.quantity_limit);
        /// Whether it can be had by mail order; None: not stated, or it varies.
        mail_order(coverage.statement.mail_order);
        /// How the listed packages differ, if they do.
        varies(coverage.varies);
        /// Packages that the plan lists.
        listed(coverage.listed);
        /// Packages of the drug that the plan does not list.
        not_on_this_list(coverage.not_on_this_list);
        /// Whether the code is anywhere in the dataset.
        seen_anywhere(coverage.seen_anywhere);
        /// Entries of the plan's Lists that could not be read.
        gaps(coverage.gaps);
        /// Entries that the plan's Lists name.
        expected(coverage.expected);
        /// Whether the plan's formulary was received as completely as the payer serves it.
        complete(coverage.complete);
        /// The packages that the plan lists.
        packages;
        /// What may have been meant, best first.
        candidates(drug.candidates);
        /// When the payer's data was read, RFC 3339 in UTC.
        as_of(origin.as_of());
        /// From whom.
        source(origin.source());
        /// The dataset's id.
        dataset(origin.dataset());
        /// How plan and drug were read, where it does not go without saying.
        notes(document);
        /// What must be said beside it.
        caveats(document);
    }
}

answer! {
    /// What the payer says of one package.
    Package(core::PackageCoverage) {
        /// The package, eleven digits; None for an entry without a package code.
        ndc11;
        /// The product, with a hyphen.
        product_ndc;
        /// RxNorm codes that any resource shows for it.
        rxcui;
        /// Name, strength and form.
        name;
        /// Is it covered.
        status;
        /// Why, for statuses that have a reason.
        reason;
        /// The tier.
        tier(statement.tier);
        /// Whether prior authorization is needed; None: not stated.
        prior_authorization(statement.prior_authorization);
        /// Whether step therapy is needed; None: not stated.
        step_therapy(statement.step_therapy);
        /// Whether there is a quantity limit; None: not stated.
        quantity_limit(statement.quantity_limit);
        /// Whether it can be had by mail order; None: not stated.
        mail_order(statement.mail_order);
        /// What contradicts each other, for a package in conflict.
        conflict;
    }
}

answer! {
    /// Tier and restrictions as the payer states them.
    Statement(core::Statement) {
        /// The tier.
        tier;
        /// Whether prior authorization is needed; None: not stated.
        prior_authorization;
        /// Whether step therapy is needed; None: not stated.
        step_therapy;
        /// Whether there is a quantity limit; None: not stated.
        quantity_limit;
        /// Whether it can be had by mail order; None: not stated.
        mail_order;
    }
}

answer! {
    /// A payer's tier.
    Tier(core::Tier) {
        /// The payer's code.
        code;
        /// The payer's words.
        display;
        /// A comparable level, a hint.
        level;
    }
}

answer! {
    /// How the packages that a plan lists differ.
    Varies(core::Varies) {
        /// The tiers, lowest level first.
        tiers;
        /// Packages with prior authorization, of how many.
        prior_authorization(document);
        /// Packages with step therapy, of how many.
        step_therapy(document);
        /// Packages with a quantity limit, of how many.
        quantity_limit(document);
        /// Packages of which the payer says different things.
        conflicts;
        /// Packages listed without a tier.
        without_tier;
        /// Packages listed in a tier that is not understood.
        tier_not_understood;
    }
}

answer! {
    /// A drug that may have been meant.
    Candidate(core::Candidate) {
        /// Name, strength and form.
        name;
        /// Its products, hyphenated.
        product_ndcs;
        /// What tells it from the other candidates.
        differs;
    }
}

answer! {
    /// What a plan says of a drug, all listed packages together.
    PlanCoverage(core::Coverage) {
        /// Is it covered.
        status;
        /// Why, for statuses that have a reason.
        reason;
        /// Status, reason and what varies, in words.
        summary(sentence(&[]));
        /// The tier, where all listed packages have one.
        tier(statement.tier);
        /// Whether prior authorization is needed; None: not stated, or it varies.
        prior_authorization(statement.prior_authorization);
        /// Whether step therapy is needed; None: not stated, or it varies.
        step_therapy(statement.step_therapy);
        /// Whether there is a quantity limit; None: not stated, or it varies.
        quantity_limit(statement.quantity_limit);
        /// Whether it can be had by mail order; None: not stated, or it varies.
        mail_order(statement.mail_order);
        /// How the listed packages differ, if they do.
        varies;
        /// Packages that the plan lists.
        listed;
        /// Packages of the drug that the plan does not list.
        not_on_this_list;
        /// Whether the code is anywhere in the dataset.
        seen_anywhere;
        /// Entries of the plan's Lists that could not be read.
        gaps;
        /// Entries that the plan's Lists name.
        expected;
        /// Whether the plan's formulary was received as completely as the payer serves it.
        complete;
    }
}

answer! {
    /// Drugs that were found, best first.
    DrugPage(Years<core::DrugPage>) {
        /// What was typed.
        query(first.query);
        /// The plan whose tiers are shown.
        plan(first.plan);
        /// The drugs.
        results(first.lines);
        /// What was typed and played no part.
        ignored(first.ignored);
        /// When the payer's data was read, RFC 3339 in UTC.
        as_of(first.origin.as_of());
        /// From whom.
        source(first.origin.source());
        /// The dataset's id.
        dataset(first.origin.dataset());
        /// Whether the plan's drug list is complete; None without a plan.
        complete(first.complete);
        /// How a code was read, or why it could not be.
        notes(first.notes);
        /// What to ask with for the next page; None: there is none.
        next(first.next);
        /// The same for the other years that the plan may mean.
        also;
    }
    methods {
        fn __len__(&self) -> usize {
            self.of.first.lines.len()
        }

        fn __getitem__<'py>(&self, py: pyo3::Python<'py>, at: pyo3::Bound<'py, pyo3::PyAny>) -> pyo3::PyResult<pyo3::Bound<'py, pyo3::PyAny>> {
            pyo3::types::PyAnyMethods::get_item(&self.results(py)?, at)
        }
    }
}

answer! {
    /// One drug, with all its labelers' products.
    DrugLine(core::DrugLine) {
        /// The name.
        name;
        /// Products, hyphenated.
        product_ndcs;
        /// RxNorm codes.
        rxcui;
        /// Packages, eleven digits each.
        ndc11;
        /// The brand, where the payer states it.
        brand;
        /// The ingredient, where the payer states it.
        ingredient;
        /// The strength as the payer writes it.
        strength;
        /// The form.
        form;
        /// How many packages it has.
        packages;
        /// Whether it was found by forgiving a misspelling.
        misspelt;
    }
    methods {
        /// What the plan says of it, if one was given.
        #[getter]
        fn coverage<'py>(&self, py: pyo3::Python<'py>) -> pyo3::PyResult<pyo3::Bound<'py, pyo3::PyAny>> {
            super::Shown::shown(&self.of.coverage, py)
        }
    }
}

answer! {
    /// A drug that was asked for, and what it was read as.
    AskedDrug(core::AskedDrug) {
        /// As it was asked for.
        query;
        /// Name, strength and form.
        read_as;
        /// Words of the question that played no part.
        ignored;
        /// What may have been meant, best first.
        candidates;
        /// How it was read, or why it could not be.
        notes(document);
    }
}

answer! {
    /// Drugs and plans side by side.
    CoverageMatrix(core::CoverageMatrix) {
        /// The drugs, in the order asked.
        drugs;
        /// The plans, best first.
        plans;
        /// By what plans are ranked.
        ranked_by(document);
        /// The plan year, where the plans of a place were asked for.
        year;
        /// Plans sold there to others than asked for.
        other_audiences;
        /// Plans of which nobody can tell whether they are sold there.
        area_unknown;
        /// The counties that the place was read as.
        place;
        /// When the payer's data was read, RFC 3339 in UTC.
        as_of(origin.as_of());
        /// From whom.
        source(origin.source());
        /// The dataset's id.
        dataset(origin.dataset());
        /// Whether every plan's formulary is complete.
        complete(document);
        /// How the question was read, where it does not go without saying.
        notes;
        /// What must be said beside it.
        caveats(document);
    }
    methods {
        /// The same as a table, a row for each plan and drug, plans best first.
        fn table(&self) -> crate::errors::Answer<crate::table::Table> {
            Ok(crate::side_by_side::of_coverage_matrix(&self.of)?)
        }
    }
}

answer! {
    /// A plan of a matrix, and its answers.
    MatrixPlan(core::MatrixPlan) {
        /// The plan's id.
        plan(plan.id);
        /// Its name.
        name(plan.name);
        /// The payer's type codes.
        types(plan.types);
        /// Whom it is sold to, a hint.
        audience(plan.audience);
        /// Plan year.
        year(plan.year);
        /// Drugs that it covers, in each package that it lists.
        covered;
        /// Drugs that it covers in some packages and lists as not covered in others.
        mixed;
        /// Of both, drugs with prior authorization or step therapy on some package.
        restricted;
        /// Of both, drugs of which nobody can tell whether they need prior authorization or step therapy.
        may_be_restricted;
        /// Drugs of which nobody can tell.
        unknown;
        /// One answer for each drug, in their order.
        answers;
        /// How the plan was read.
        notes;
    }
}
