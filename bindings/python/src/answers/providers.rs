//! Providers: who was found, and everything known of one.

use coverdex_core as core;

use super::{Years, answer};

answer! {
    /// Who was found: one result is one provider at one place.
    ProvidersFound(Years<core::ProvidersAnswer>) {
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
        complete(first.is_complete());
        /// Why not: networks and reasons.
        gaps(document);
        /// The place that was asked for.
        place(document);
        /// Whether the plan is sold there.
        plan_offered(first.plan_offered);
        /// Practice locations that fit.
        total(first.found.total);
        /// Those of them in the county; None where none was asked for.
        total_in_county(first.total_in_county);
        /// How many were passed over.
        offset(first.offset);
        /// Practice locations: in the county first, then by distance, name and NPI.
        results(first.found.results);
        /// Mail, long-term care and infusion pharmacies in the same networks, wherever they are.
        closed_door(first.found.closed_door);
        /// How many of these there are.
        closed_door_total(first.found.closed_door_total);
        /// Providers that fit and may be here: their place is not stated.
        place_not_stated(first.found.place_not_stated);
        /// Practice locations that may fit: the payer says two things of them.
        in_doubt(first.found.in_doubt);
        /// Where nobody is inside the radius: how far the nearest who fits is.
        nearest_km(document);
        /// The specialties that the text was read as, where it is no spelling of them.
        read_as(first.found.read_as);
        /// Narrower and similar specialties that the directory has.
        similar_specialties(document);
        /// Where nobody has the name: names that are spelled nearly so.
        similar_names(first.found.similar_names);
        /// How plan and network were read.
        notes(first.notes);
        /// What to ask with for the next page; None: there is none.
        next(first.next);
        /// The same for the other years that the plan may mean.
        also;
    }
    methods {
        fn __len__(&self) -> usize {
            self.of.first.found.results.len()
        }

        fn __getitem__<'py>(&self, py: pyo3::Python<'py>, at: pyo3::Bound<'py, pyo3::PyAny>) -> pyo3::PyResult<pyo3::Bound<'py, pyo3::PyAny>> {
            pyo3::types::PyAnyMethods::get_item(&self.results(py)?, at)
        }
    }
}

answer! {
    /// A provider at one place.
    PracticeLocation(core::PracticeLocation) {
        /// The smallest valid NPI; without one what is stated for it.
        npi(document);
        /// Whether it is a valid NPI.
        npi_valid(npi.is_some());
        /// The provider's name.
        name;
        /// A person or an organization.
        kind;
        /// Specialties of the roles shown.
        specialties;
        /// Networks of the roles shown; in a search, those that were asked for.
        networks;
        /// The place; None: not stated.
        location(document);
        /// The phone to call.
        phone;
        /// Whose phone that is.
        phone_from;
        /// All phones known for it.
        phones;
        /// Kilometers from where the search began; None where the place has no point.
        distance_km(document);
        /// Whether it is in the county asked for; None where none was.
        in_county;
        /// Whether new patients are taken; None: not stated.
        accepting_new_patients(accepting);
        /// Further NPIs.
        aliases;
        /// Whether a role names several places: that all of it holds at each is not said by the payer.
        shared_role;
        /// Gender as stated.
        gender;
        /// Languages as stated.
        languages;
        /// The roles: in a search those that fit, else all of them here.
        roles;
    }
}

answer! {
    /// What a provider does at a place, in some networks.
    Role(core::ProviderRole) {
        /// Specialties.
        specialties;
        /// Networks.
        networks;
        /// What is marked inactive.
        inactive;
        /// Since or until when, where the payer states it.
        inactive_dates(document);
        /// What makes it doubtful.
        doubts;
        /// What is said of new patients, by network.
        accepting(document);
        /// Its own phones.
        phones;
        /// Its own hours.
        hours;
        /// Whether it names several places.
        shared;
        /// Whether it is a mail, long-term care or infusion pharmacy.
        closed_door;
    }
}

answer! {
    /// Everything known of one provider, and whether it is in the network that was asked for.
    Provider(Years<core::ProviderAnswer>) {
        /// The smallest valid NPI; where the provider is not there, the one asked for.
        npi(document);
        /// Its name; None: nobody states the NPI.
        name(document);
        /// A person or an organization.
        kind(document);
        /// Further NPIs.
        aliases(document);
        /// Further names.
        other_names(document);
        /// Gender as stated.
        gender(document);
        /// Languages as stated.
        languages(document);
        /// Its own phones.
        phones(document);
        /// Where it practices, with all roles, inactive ones too.
        locations(document);
        /// Whether it is in the network; None where neither plan nor network was named.
        network_status(document);
        /// Why, where the status alone does not say it.
        reason(document);
        /// The status in words.
        summary(first.summary());
        /// The networks asked for that it is in.
        networks(document);
        /// What is marked inactive.
        inactive(document);
        /// Since or until when, where the payer states it.
        inactive_dates(document);
        /// Whether every role that says so names several places.
        shared_role(document);
        /// The plan that was asked for.
        plan(document);
        /// Its name.
        plan_name(document);
        /// The plan's networks, or the one that was named.
        asked_networks(first.asked.networks);
        /// When the payer's data was read, RFC 3339 in UTC.
        as_of(first.origin.as_of());
        /// From whom.
        source(first.origin.source());
        /// The dataset's id.
        dataset(first.origin.dataset());
        /// Whether these networks' parts of the directory were received completely.
        complete(first.is_complete());
        /// Why not: networks and reasons.
        gaps(document);
        /// How plan and network were read.
        notes(first.notes);
        /// The same for the other years that the plan may mean.
        also;
    }
}

answer! {
    /// Who practices at an address, or is reached by a phone number.
    PracticingAt(core::PracticingAt) {
        /// The phone number as it was read; None where none was asked for.
        phone;
        /// The address as it was read, its parts by name; None where none was asked for.
        address(document);
        /// How many practice locations there are.
        total;
        /// How many of them have an active role.
        total_active;
        /// How many were passed over.
        offset;
        /// Practice locations with all roles, inactive ones too; those with an active one first.
        results;
        /// Where nobody is there: a few addresses near it, the nearest first, each with its difference.
        near(document);
        /// When the payer's data was read, RFC 3339 in UTC.
        as_of(origin.as_of());
        /// From whom.
        source(origin.source());
        /// The dataset's id.
        dataset(origin.dataset());
        /// How the question was read, where it does not go without saying.
        notes;
        /// What to ask with for the next page; None: there is none.
        next;
    }
    methods {
        fn __len__(&self) -> usize {
            self.of.results.len()
        }

        fn __getitem__<'py>(&self, py: pyo3::Python<'py>, at: pyo3::Bound<'py, pyo3::PyAny>) -> pyo3::PyResult<pyo3::Bound<'py, pyo3::PyAny>> {
            pyo3::types::PyAnyMethods::get_item(&self.results(py)?, at)
        }
    }
}
