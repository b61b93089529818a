//! Plans, networks and counties.

use coverdex_core as core;

use super::answer;

answer! {
    /// The plans that fit.
    PlansFound(core::PlansFound) {
        /// The plans, by id.
        results(plans);
        /// Plans of which nobody can tell whether they are sold there.
        area_unknown;
        /// The counties that the place was read as.
        place;
        /// How the place was read.
        note;
        /// When the payer's data was read, RFC 3339 in UTC.
        as_of(origin.as_of());
        /// From whom.
        source(origin.source());
        /// The dataset's id.
        dataset(origin.dataset());
    }
    methods {
        fn __len__(&self) -> usize {
            self.of.plans.len()
        }

        fn __getitem__<'py>(&self, py: pyo3::Python<'py>, at: pyo3::Bound<'py, pyo3::PyAny>) -> pyo3::PyResult<pyo3::Bound<'py, pyo3::PyAny>> {
            pyo3::types::PyAnyMethods::get_item(&self.results(py)?, at)
        }
    }
}

answer! {
    /// A plan, and whether it is sold at the place that was asked for.
    Plan(core::PlanHere) {
        /// The plan's id in its normal spelling.
        plan(plan.id);
        /// Name.
        name(plan.name);
        /// The payer's type code; a code before words where it states several.
        r#type(plan.kind());
        /// The payer's type codes.
        types(plan.types);
        /// Whom it is sold to, a hint.
        audience(plan.audience);
        /// Plan year.
        year(plan.year);
        /// Its networks.
        networks(plan.networks);
        /// Whether it is sold at the place; None where none was asked for.
        offered;
        /// Whether it has a drug list to answer from.
        formulary(plan.drugs.has_entries());
        /// How completely that was received.
        drugs(plan.drugs);
        /// Entries that its Lists name.
        expected(plan.expected);
        /// Of those, entries that could not be read.
        gaps(plan.gaps);
        /// When the payer's data was read, RFC 3339 in UTC.
        as_of(origin.as_of());
        /// From whom.
        source(origin.source());
        /// The dataset's id.
        dataset(origin.dataset());
    }
}

answer! {
    /// A network.
    Network(core::Network) {
        /// The system of its key.
        system(key.system());
        /// The id of its key.
        id(key.id());
        /// What it is for.
        kind;
        /// What the payer calls it: a label, never a key.
        label(label());
    }
}

answer! {
    /// The counties that a text or a ZIP means.
    CountiesFound(core::CountiesFound) {
        /// The counties.
        results(counties);
        /// The former county that was named: the results are the counties of today that it is in.
        former(document);
        /// How the text was read.
        note;
        /// When the payer's data was read, RFC 3339 in UTC.
        as_of(origin.as_of());
        /// From whom.
        source(origin.source());
        /// The dataset's id.
        dataset(origin.dataset());
    }
    methods {
        fn __len__(&self) -> usize {
            self.of.counties.len()
        }

        fn __getitem__<'py>(&self, py: pyo3::Python<'py>, at: pyo3::Bound<'py, pyo3::PyAny>) -> pyo3::PyResult<pyo3::Bound<'py, pyo3::PyAny>> {
            pyo3::types::PyAnyMethods::get_item(&self.results(py)?, at)
        }
    }
}

answer! {
    /// A county.
    County(core::CountyFound) {
        /// FIPS code.
        fips(county.fips);
        /// Full name.
        name(county.name);
        /// State.
        state(county.state);
        /// Share of the ZIP's people who live there; None for a text.
        share;
    }
}
