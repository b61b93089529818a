//! Answers whose parts are records: options, reverse questions, explanations, providers × plans.

use coverdex_core as core;

use super::{Years, answer};

answer! {
    /// What a plan has with the same ingredients as a drug, best first.
    DrugOptions(Years<core::DrugOptions>) {
        /// The plan's id.
        plan(first.plan);
        /// Its name.
        plan_name(first.plan_name);
        /// The drug as it was asked for.
        query(first.drug.query);
        /// What it was read as: name, strength and form.
        read_as(first.drug.read_as);
        /// Words of the question that played no part.
        ignored(first.drug.ignored);
        /// What may have been meant.
        candidates(first.drug.candidates);
        /// Is the drug itself covered.
        status(first.coverage.status);
        /// Why, for statuses that have a reason.
        reason(first.coverage.reason);
        /// Status, reason and what varies, in words.
        summary(document);
        /// The drug's own tier.
        tier(first.coverage.statement.tier);
        /// Whether it needs prior authorization; None: not stated, or it varies.
        prior_authorization(first.coverage.statement.prior_authorization);
        /// Whether it needs step therapy; None: not stated, or it varies.
        step_therapy(first.coverage.statement.step_therapy);
        /// Whether it has a quantity limit; None: not stated, or it varies.
        quantity_limit(first.coverage.statement.quantity_limit);
        /// Whether it can be had by mail order; None: not stated, or it varies.
        mail_order(first.coverage.statement.mail_order);
        /// How its listed packages differ, if they do.
        varies(first.coverage.varies);
        /// Packages that the plan lists.
        listed(first.coverage.listed);
        /// Packages of the drug that the plan does not list.
        not_on_this_list(first.coverage.not_on_this_list);
        /// Whether the code is anywhere in the dataset.
        seen_anywhere(first.coverage.seen_anywhere);
        /// Entries of the plan's Lists that could not be read.
        gaps(first.coverage.gaps);
        /// Entries that the plan's Lists name.
        expected(first.coverage.expected);
        /// Whether the plan's formulary was received as completely as the payer serves it.
        complete(first.coverage.complete);
        /// Its ingredients.
        ingredients(document);
        /// The options, best first: fields of a drug, what the plan says of it, what differs, and whether it is better.
        options(document);
        /// How many there are.
        total(first.total);
        /// How many are better.
        better(first.better);
        /// Of how many nobody can tell whether they are better.
        not_comparable(first.not_comparable);
        /// How many of the same ingredients are not on the plan's list.
        not_listed(first.not_listed);
        /// When the payer's data was read, RFC 3339 in UTC.
        as_of(first.origin.as_of());
        /// From whom.
        source(first.origin.source());
        /// The dataset's id.
        dataset(first.origin.dataset());
        /// How plan and drug were read.
        notes(document);
        /// What to ask with for the next page; None: there is none.
        next(first.next);
        /// The same for the other years that the plan may mean.
        also;
    }
}

answer! {
    /// The plans of a place that cover a drug.
    PlansCovering(core::PlansCovering) {
        /// The drug as it was asked for.
        query(document);
        /// What it was read as.
        read_as(document);
        /// Words of the question that played no part.
        ignored(document);
        /// What may have been meant.
        candidates(document);
        /// How the question was read.
        notes(document);
        /// The plans that cover it, best first, each with what it says of the drug.
        plans(document);
        /// By what plans are ranked.
        ranked_by(document);
        /// How many plans say what else.
        others(document);
        /// The plan year.
        year(document);
        /// Plans sold there to others than asked for.
        other_audiences(document);
        /// Plans of which nobody can tell whether they are sold there.
        area_unknown(document);
        /// The counties that the place was read as.
        place(document);
        /// When the payer's data was read, RFC 3339 in UTC.
        as_of(origin.as_of());
        /// From whom.
        source(origin.source());
        /// The dataset's id.
        dataset(origin.dataset());
    }
}

answer! {
    /// The plans of a place that have a provider in their networks.
    PlansTaking(core::PlansTaking) {
        /// The provider, and whom the text was read as.
        provider(document);
        /// The plans that have it in their networks, by id.
        taking(document);
        /// Plans of which nobody can tell, or of whose networks it is an inactive member.
        in_doubt(document);
        /// Plans in whose networks the directory does not list it.
        not_listed(document);
        /// The plan year.
        year(document);
        /// Plans sold there to others than asked for.
        other_audiences(document);
        /// Plans of which nobody can tell whether they are sold there.
        area_unknown(document);
        /// The counties that the place was read as.
        place(document);
        /// When the payer's data was read, RFC 3339 in UTC.
        as_of(origin.as_of());
        /// From whom.
        source(origin.source());
        /// The dataset's id.
        dataset(origin.dataset());
        /// How the question was read.
        notes(document);
    }
}

answer! {
    /// Providers and plans side by side, plans best first.
    NetworkMatrix(core::NetworkMatrix) {
        /// The providers, in the order asked, and whom the texts were read as.
        providers(document);
        /// The plans, best first, each with a standing for each provider.
        plans(document);
        /// By what plans are ranked.
        ranked_by(document);
        /// The plan year.
        year(document);
        /// Plans sold there to others than asked for.
        other_audiences(document);
        /// Plans of which nobody can tell whether they are sold there.
        area_unknown(document);
        /// The counties that the place was read as.
        place(document);
        /// When the payer's data was read, RFC 3339 in UTC.
        as_of(origin.as_of());
        /// From whom.
        source(origin.source());
        /// The dataset's id.
        dataset(origin.dataset());
        /// Whether all plans' networks were received completely.
        complete(document);
        /// How the question was read.
        notes(document);
    }
    methods {
        /// The same as a table, a row for each plan and provider, plans best first.
        fn table(&self) -> crate::errors::Answer<crate::table::Table> {
            Ok(crate::side_by_side::of_network_matrix(&self.of)?)
        }
    }
}

answer! {
    /// Why a plan covers a drug or does not: each condition, what the data says, which decided.
    Explanation(Years<core::CoverageExplanation>) {
        /// The plan's id in its normal spelling.
        plan(first.answer.plan);
        /// The plan's name.
        plan_name(first.answer.plan_name);
        /// The drug as it was asked for.
        query(first.answer.drug.query);
        /// What it was read as: name, strength and form.
        read_as(first.answer.drug.read_as);
        /// Words of the question that played no part.
        ignored(first.answer.drug.ignored);
        /// Is it covered.
        status(first.answer.coverage.status);
        /// Why, for statuses that have a reason.
        reason(first.answer.coverage.reason);
        /// Status, reason and what varies, in words.
        summary(document);
        /// The tier, where all listed packages have one.
        tier(first.answer.coverage.statement.tier);
        /// Whether prior authorization is needed; None: not stated, or it varies.
        prior_authorization(first.answer.coverage.statement.prior_authorization);
        /// Whether step therapy is needed; None: not stated, or it varies.
        step_therapy(first.answer.coverage.statement.step_therapy);
        /// Whether there is a quantity limit; None: not stated, or it varies.
        quantity_limit(first.answer.coverage.statement.quantity_limit);
        /// Whether it can be had by mail order; None: not stated, or it varies.
        mail_order(first.answer.coverage.statement.mail_order);
        /// How the listed packages differ, if they do.
        varies(first.answer.coverage.varies);
        /// Packages that the plan lists.
        listed(first.answer.coverage.listed);
        /// Packages of the drug that the plan does not list.
        not_on_this_list(first.answer.coverage.not_on_this_list);
        /// Whether the code is anywhere in the dataset.
        seen_anywhere(first.answer.coverage.seen_anywhere);
        /// Entries of the plan's Lists that could not be read.
        gaps(first.answer.coverage.gaps);
        /// Entries that the plan's Lists name.
        expected(first.answer.coverage.expected);
        /// Whether the plan's formulary was received as completely as the payer serves it.
        complete(first.answer.coverage.complete);
        /// The packages that the plan lists.
        packages(first.answer.packages);
        /// What may have been meant, best first.
        candidates(first.answer.drug.candidates);
        /// When the payer's data was read, RFC 3339 in UTC.
        as_of(first.answer.origin.as_of());
        /// From whom.
        source(first.answer.origin.source());
        /// The dataset's id.
        dataset(first.answer.origin.dataset());
        /// How plan and drug were read, where it does not go without saying.
        notes(document);
        /// What must be said beside it.
        caveats(document);
        /// The conditions, in the order in which they are looked at.
        conditions(document);
        /// Codes of what was asked for.
        codes(document);
        /// Source resources that say it; None where nothing was at hand to look them up in.
        sources(document);
        /// The same for the other years that the plan may mean.
        also;
    }
}

answer! {
    /// Plans side by side for one person's drugs and providers, best first.
    PlanComparison(core::PlanComparison) {
        /// The drugs, in the order asked.
        drugs;
        /// The providers, in the order asked, and whom the texts were read as.
        providers(document);
        /// The plans, best first, each with an answer for each drug, a standing for each provider, and what changes.
        plans(document);
        /// By what plans are ranked.
        ranked_by(document);
        /// The plan year, where the plans of a place were asked for.
        year;
        /// The year beside it; None where none was asked for.
        beside;
        /// Plans of the year beside that are not there in the other.
        only_beside;
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
        /// Whether all drug lists that were asked came completely.
        complete(is_complete());
        /// What must be said beside it.
        caveats(document);
        /// How the question was read, where it does not go without saying.
        notes;
    }
    methods {
        /// The drugs as a table, a row for each plan and drug, plans best first.
        fn table(&self) -> crate::errors::Answer<crate::table::Table> {
            Ok(crate::side_by_side::of_compared_drugs(&self.of)?)
        }
    }
}

answer! {
    /// Why a provider is among the results of a search, or is not: each condition, and which decided.
    ProviderExplanation(Years<core::ProviderExplanation>) {
        /// The provider, and whom the text was read as.
        provider(document);
        /// How the search shows it.
        result(first.result);
        /// The result in words, with what decided.
        summary(first.summary());
        /// The conditions of the provider itself, in their order.
        conditions(document);
        /// Its places with their conditions, the best result first.
        places(document);
        /// Source resources that say it; None where nothing was at hand to look them up in.
        sources(document);
        /// The place that was asked for.
        place(document);
        /// The plan in whose networks was looked.
        plan(document);
        /// Its name.
        plan_name(document);
        /// The plan's networks, or the one that was named; None: whatever the network.
        asked_networks(first.asked.networks);
        /// When the payer's data was read, RFC 3339 in UTC.
        as_of(first.origin.as_of());
        /// From whom.
        source(first.origin.source());
        /// The dataset's id.
        dataset(first.origin.dataset());
        /// Whether these networks' parts of the directory were received completely.
        complete(document);
        /// Why not: networks and reasons.
        gaps(document);
        /// How plan and network were read.
        notes(first.notes);
        /// The same for the other years that the plan may mean.
        also;
    }
}
