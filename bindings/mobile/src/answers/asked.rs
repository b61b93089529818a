//! Answers about providers in the networks, and at the place, that were asked for.

use coverdex_core as core;

use super::{
    AskedProvider, Condition, Cross, ExplainedPlace, Network, NetworkAnswer, NetworkGap, Offered, Origin,
    PracticeLocation, Provider, SearchResult, SimilarSpecialty,
};
use crate::ids::{CountyFips, Npi, PageToken, PlanId, State};

/// The networks that a question is about: a plan's, the one that was named, or any.
#[derive(Clone, Debug, PartialEq, uniffi::Record)]
pub struct AskedNetworks {
    /// The plan that was named.
    pub plan: Option<PlanId>,
    /// Its name.
    pub plan_name: Option<String>,
    /// The plan's networks, or the one that was named; null: whatever the network.
    pub networks: Option<Vec<Network>>,
    /// Whether these networks' parts of the directory were received completely.
    pub complete: bool,
    /// Those of them that were not received completely.
    pub gaps: Vec<NetworkGap>,
}

impl From<core::AskedNetworks> for AskedNetworks {
    fn from(own: core::AskedNetworks) -> Self {
        let complete = own.is_complete();
        let (plan, plan_name) = own.plan.map(|plan| (plan.id.into(), plan.name)).unzip();
        Self { plan, plan_name: plan_name.flatten(), networks: own.networks.cross(), complete, gaps: own.gaps.cross() }
    }
}

/// What a place was named by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, uniffi::Enum)]
pub enum PlaceKind {
    /// A county.
    County,
    /// A ZIP.
    Zip,
    /// A point.
    Point,
    /// A state.
    State,
    /// No place was named.
    Anywhere,
}

/// A place as a person named it, and the counties that it means.
#[derive(Clone, Debug, PartialEq, uniffi::Record)]
pub struct SearchPlace {
    /// What it was named by.
    pub kind: PlaceKind,
    /// The place as people write it: `Travis County, TX`, `ZIP 78701`; empty: anywhere.
    pub label: String,
    /// Latitude in degrees of where distances are measured from.
    pub lat: Option<f64>,
    /// Its longitude.
    pub lon: Option<f64>,
    /// How far the search reaches, in kilometers.
    pub within_km: Option<f64>,
    /// The county; or those of the ZIP with their shares, the largest first; else none.
    pub counties: Vec<PlaceCounty>,
}

/// A county of the place.
#[derive(Clone, Debug, PartialEq, uniffi::Record)]
pub struct PlaceCounty {
    /// Its code.
    pub fips: CountyFips,
    /// Its full name.
    pub name: String,
    /// The state it lies in.
    pub state: State,
    /// The share of the ZIP's people who live there, 0 to 1; null where no ZIP was asked for.
    pub share: Option<f64>,
    /// Whether the plan is sold in it; null without a plan.
    pub plan_offered: Option<Offered>,
}

impl SearchPlace {
    /// `offered` says for each of the place's counties whether the plan is sold there.
    fn new(own: core::SearchPlace, offered: Vec<core::Offered>) -> Self {
        let center = own.near.center();
        let kind = match own.kind() {
            "county" => PlaceKind::County,
            "zip" => PlaceKind::Zip,
            "point" => PlaceKind::Point,
            "state" => PlaceKind::State,
            _ => PlaceKind::Anywhere,
        };
        let within_km = own.radius_km();
        let offered = offered.into_iter().map(Some).chain(std::iter::repeat(None));
        let county = |(found, plan_offered): (core::CountyFound, Option<core::Offered>)| PlaceCounty {
            fips: found.county.fips,
            name: found.county.name,
            state: found.county.state,
            share: found.share,
            plan_offered: plan_offered.cross(),
        };
        Self {
            kind,
            label: own.label,
            lat: center.map(core::Point::lat),
            lon: center.map(core::Point::lon),
            within_km,
            counties: own.counties.into_iter().zip(offered).map(county).collect(),
        }
    }
}

/// Who was found in the networks of one plan, or in those that were named.
#[derive(Clone, Debug, PartialEq, uniffi::Record)]
pub struct ProvidersAnswer {
    /// The networks that the question is about, and which of them are incomplete.
    pub asked: AskedNetworks,
    /// The place as it was read.
    pub place: SearchPlace,
    /// Whether the plan is sold at the place; null without a plan, or where no county or ZIP is named.
    pub plan_offered: Option<Offered>,
    /// Practice locations that fit, beyond the results too.
    pub total: i64,
    /// How many of them are in the county; null where none was asked for.
    pub total_in_county: Option<i64>,
    /// Results that were passed over.
    pub offset: i64,
    /// Practice locations: in the county first, then by distance, name and NPI; without a point to measure from by
    /// name and NPI.
    pub results: Vec<PracticeLocation>,
    /// Where pharmacies are looked for, or a name: those that are not open to walk in (mail, long-term care,
    /// infusion) in the same networks, without distance.
    pub closed_door: Vec<PracticeLocation>,
    /// How many of these there are.
    pub closed_door_total: i64,
    /// Providers that fit and whose place is not stated, anywhere.
    pub place_not_stated: i64,
    /// Practice locations that may fit: the payer says two things of the role, or names a network that leads
    /// nowhere. They are not among the others.
    pub in_doubt: i64,
    /// How far the nearest is, in kilometers, where nobody is inside the radius.
    pub nearest_km: Option<f64>,
    /// The specialties that the text was read as, where it is no spelling of theirs.
    pub read_as: Vec<String>,
    /// Narrower, wider and similar specialties that the directory has, and that are not among the results.
    pub similar_specialties: Vec<SimilarSpecialty>,
    /// Where nobody has the name that was typed: names that are spelled nearly so.
    pub similar_names: Vec<String>,
    /// How plan, network and place were read, where it does not go without saying.
    pub notes: Vec<String>,
    /// What to ask with for the results behind these; null: there are none.
    pub next: Option<PageToken>,
    /// Where the answer comes from.
    pub origin: Origin,
}

impl From<core::ProvidersAnswer> for ProvidersAnswer {
    fn from(own: core::ProvidersAnswer) -> Self {
        let found = own.found;
        Self {
            asked: own.asked.into(),
            place: SearchPlace::new(own.place, own.offered_in),
            plan_offered: own.plan_offered.cross(),
            total: found.total.cross(),
            total_in_county: own.total_in_county.cross(),
            offset: own.offset.cross(),
            results: found.results.cross(),
            closed_door: found.closed_door.cross(),
            closed_door_total: found.closed_door_total.cross(),
            place_not_stated: found.place_not_stated.cross(),
            in_doubt: found.in_doubt.cross(),
            nearest_km: own.nearest_km,
            read_as: found.read_as,
            similar_specialties: found.similar_specialties.cross(),
            similar_names: found.similar_names,
            notes: own.notes,
            next: own.next,
            origin: own.origin.into(),
        }
    }
}

impl Cross<ProvidersAnswer> for core::ProvidersAnswer {
    fn cross(self) -> ProvidersAnswer {
        self.into()
    }
}

/// What is known of a provider.
#[derive(Clone, Debug, PartialEq, uniffi::Record)]
pub struct ProviderAnswer {
    /// The NPI that was asked for.
    pub npi: Npi,
    /// The networks that the question is about, and which of them are incomplete.
    pub asked: AskedNetworks,
    /// The provider; null: the directory does not have it.
    pub provider: Option<Provider>,
    /// Its standing; null where neither plan nor network was named.
    pub standing: Option<NetworkAnswer>,
    /// The answer in words.
    pub summary: String,
    /// How plan, network and NPI were read, where it does not go without saying.
    pub notes: Vec<String>,
    /// Where the answer comes from.
    pub origin: Origin,
}

impl From<core::ProviderAnswer> for ProviderAnswer {
    fn from(own: core::ProviderAnswer) -> Self {
        let summary = own.summary();
        let locations = own.provider.iter().flat_map(|provider| &provider.locations);
        let statuses: Vec<_> = locations.map(|practice| own.status_at(practice)).collect();
        let mut provider: Option<Provider> = own.provider.cross();
        let places = provider.iter_mut().flat_map(|provider| &mut provider.locations);
        for (place, status) in places.zip(statuses) {
            place.network_status = status.cross();
        }
        Self {
            npi: own.npi,
            asked: own.asked.into(),
            provider,
            standing: own.standing.cross(),
            summary,
            notes: own.notes,
            origin: own.origin.into(),
        }
    }
}

impl Cross<ProviderAnswer> for core::ProviderAnswer {
    fn cross(self) -> ProviderAnswer {
        self.into()
    }
}

/// Why a provider is among the results of a search, or is not.
#[derive(Clone, Debug, PartialEq, uniffi::Record)]
pub struct ProviderExplanation {
    /// The provider that was asked for.
    pub provider: AskedProvider,
    /// The networks that the search is about, and which of them are incomplete.
    pub asked: AskedNetworks,
    /// Where the search looks.
    pub place: SearchPlace,
    /// How the search shows it: the best of its places.
    pub result: SearchResult,
    /// The result in words, with what decided.
    pub summary: String,
    /// The conditions of the provider itself, in their order.
    pub conditions: Vec<Condition>,
    /// Each of its places, the best result first.
    pub places: Vec<ExplainedPlace>,
    /// How the question was read, where it does not go without saying.
    pub notes: Vec<String>,
    /// Where the answer comes from.
    pub origin: Origin,
}

impl From<core::ProviderExplanation> for ProviderExplanation {
    fn from(own: core::ProviderExplanation) -> Self {
        let summary = own.summary();
        Self {
            provider: own.provider.into(),
            asked: own.asked.into(),
            place: SearchPlace::new(own.place, Vec::new()),
            result: own.result.into(),
            summary,
            conditions: own.conditions.cross(),
            places: own.places.cross(),
            notes: own.notes,
            origin: own.origin.into(),
        }
    }
}

impl Cross<ProviderExplanation> for core::ProviderExplanation {
    fn cross(self) -> ProviderExplanation {
        self.into()
    }
}
