//! Providers: who was found, and everything known of one.

use serde::Serialize;

use super::{OriginFields, rounded, through};
use crate::explain::{Condition, SourceResource};
use crate::geo::Point;
use crate::ids::{CountyFips, Date, Npi, PlanId, State, Zip5};
use crate::plans::{CountyFound, Network, Offered};
use crate::providers::{
    Accepting, AcceptingStatement, AddressDifference, AskedAddress, AskedNetworks, AskedProvider, ExplainedPlace,
    Inactive, InactiveDate, Location, NearAddress, NetworkAnswer, NetworkGap, NetworkStatus, PhoneFrom,
    PracticeLocation, PracticingAt, Precision, Provider, ProviderAnswer, ProviderExplanation, ProviderKind,
    ProviderRole, ProvidersAnswer, ProvidersFound, RoleDoubt, SearchPlace, SearchResult, SimilarSpecialty,
};

through! {
    ProvidersAnswer => ProvidersFields,
    ProviderExplanation => ExplanationFields,
    ExplainedPlace => ExplainedPlaceFields,
    ProviderAnswer => ProviderFields,
    PracticingAt => PracticingAtFields,
    AskedAddress => AddressFields,
    NearAddress => NearFields,
    Provider => KnownFields,
    PracticeLocation => PracticeFields,
    ProviderRole => RoleFields,
    NetworkAnswer => StandingFields,
    NetworkGap => GapFields,
    InactiveDate => InactiveDateFields,
    AcceptingStatement => AcceptingFields,
    SimilarSpecialty => SimilarFields,
}

/// Who was found in the networks of one plan.
#[derive(Serialize)]
struct ProvidersFields<'a> {
    #[serde(flatten)]
    asked: AskedFields<'a>,
    place: PlaceFields<'a>,
    /// Whether the plan is sold there; null without a plan, or where the place is not named by a county or ZIP.
    plan_offered: Option<Offered>,
    total: u64,
    /// How many of them are in the county; null where none was asked for.
    total_in_county: Option<u64>,
    offset: usize,
    results: &'a [PracticeLocation],
    closed_door: &'a [PracticeLocation],
    closed_door_total: u64,
    place_not_stated: u64,
    in_doubt: u64,
    /// Where nobody fits inside the radius: how far the nearest is.
    nearest_km: Option<f64>,
    /// What the specialty was read as, where it is no spelling of that.
    read_as: &'a [String],
    similar_specialties: &'a [SimilarSpecialty],
    /// Where nobody has the name: names that are spelled nearly so.
    similar_names: &'a [String],
    notes: &'a [String],
    /// What to ask with for the results behind these; null: there are none.
    next: Option<&'a str>,
}

/// A specialty that was not taken, and how many practice locations the same search finds with it.
#[derive(Serialize)]
struct SimilarFields<'a> {
    name: &'a str,
    total: Option<u64>,
}

/// The plan or the networks that a question is about, and the dataset that answers.
#[derive(Serialize)]
pub(super) struct AskedFields<'a> {
    plan: Option<&'a PlanId>,
    plan_name: Option<&'a str>,
    /// The plan's networks, or the one that was named; null: whatever the network.
    asked_networks: Option<&'a [Network]>,
    #[serde(flatten)]
    origin: OriginFields<'a>,
    /// Whether these networks' parts of the directory were received completely.
    complete: bool,
    gaps: &'a [NetworkGap],
}

#[derive(Serialize)]
struct GapFields<'a> {
    #[serde(flatten)]
    network: &'a Network,
    reason: &'a str,
}

/// The place that was asked for.
#[derive(Serialize)]
pub(super) struct PlaceFields<'a> {
    /// `county`, `zip`, `point`, `state` or `anywhere`.
    kind: &'static str,
    /// As people write it.
    label: &'a str,
    /// Where distances are measured from.
    lat: Option<f64>,
    lon: Option<f64>,
    within_km: Option<f64>,
    /// The county, or those of the ZIP with their shares.
    counties: Vec<PlaceCounty<'a>>,
}

#[derive(Serialize)]
struct PlaceCounty<'a> {
    #[serde(flatten)]
    county: &'a CountyFound,
    /// Whether the plan is sold in it; null without a plan.
    plan_offered: Option<Offered>,
}

/// A provider at one place.
#[derive(Serialize)]
struct PracticeFields<'a> {
    /// The smallest valid NPI; without one what is stated for it, and empty where nothing is.
    npi: String,
    /// Whether it is a valid NPI: only such a one identifies a provider.
    npi_valid: bool,
    name: &'a str,
    kind: ProviderKind,
    specialties: &'a [String],
    networks: &'a [Network],
    /// Null: the place is not stated.
    location: Option<LocationFields<'a>>,
    phone: Option<&'a str>,
    /// Whose phone that is.
    phone_from: Option<PhoneFrom>,
    phones: &'a [String],
    distance_km: Option<f64>,
    in_county: Option<bool>,
    accepting_new_patients: Option<Accepting>,
    aliases: &'a [Npi],
    shared_role: bool,
    gender: Option<&'a str>,
    languages: &'a [String],
    roles: &'a [ProviderRole],
}

#[derive(Serialize)]
struct LocationFields<'a> {
    /// A hash of the folded address: the same in every dataset.
    id: String,
    name: Option<&'a str>,
    other_names: &'a [String],
    address: Option<&'a str>,
    city: Option<&'a str>,
    state: Option<&'a str>,
    zip: Option<Zip5>,
    county_fips: Option<CountyFips>,
    county: Option<&'a str>,
    lat: Option<f64>,
    lon: Option<f64>,
    precision: Precision,
    hours: Option<&'a str>,
}

#[derive(Serialize)]
struct RoleFields<'a> {
    specialties: &'a [String],
    networks: &'a [Network],
    /// What is marked inactive: `role`, `provider`, `place`.
    inactive: &'a [Inactive],
    inactive_dates: &'a [InactiveDate],
    /// What makes it doubtful: `contrary` (two versions of one date contradict each other) or
    /// `lost_network` (it names a network that cannot be read, or that leads nowhere).
    doubts: &'a [RoleDoubt],
    accepting: &'a [AcceptingStatement],
    phones: &'a [String],
    hours: Option<&'a str>,
    shared: bool,
    closed_door: bool,
}

/// Since or until when something is inactive.
#[derive(Serialize)]
struct InactiveDateFields {
    /// `role` or `provider`.
    what: Inactive,
    /// The last day on which it was active.
    ended: Option<Date>,
    /// The first day on which it will be.
    begins: Option<Date>,
}

#[derive(Serialize)]
struct AcceptingFields<'a> {
    /// The network that this is said of; null: of all.
    network: Option<&'a Network>,
    new_patients: Accepting,
}

/// Everything known of a provider, under one plan or network if one was named.
#[derive(Serialize)]
struct ProviderFields<'a> {
    /// The smallest of its valid NPIs; where the provider is not there, the one asked for.
    npi: String,
    /// Left out where it is not there.
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<&'a str>,
    kind: Option<ProviderKind>,
    aliases: &'a [Npi],
    other_names: &'a [String],
    gender: Option<&'a str>,
    languages: &'a [String],
    phones: &'a [String],
    locations: Vec<PlaceOfProvider<'a>>,
    /// Null where neither plan nor network was named.
    network_status: Option<NetworkStatus>,
    /// Why, where the status alone does not say it.
    reason: Option<&'a str>,
    /// The status in words.
    summary: String,
    /// The networks asked for that it is in; for `inactive`, that it would be in.
    networks: &'a [Network],
    /// What is marked inactive, for `inactive`.
    inactive: &'a [Inactive],
    /// Since or until when, where the payer states it.
    inactive_dates: &'a [InactiveDate],
    /// Every role that says so names several places: the payer does not say that it holds at each.
    shared_role: bool,
    #[serde(flatten)]
    asked: AskedFields<'a>,
    notes: &'a [String],
}

#[derive(Serialize)]
struct PlaceOfProvider<'a> {
    #[serde(flatten)]
    practice: PracticeFields<'a>,
    /// `in_network` or `inactive` where this place makes the provider so; else null.
    network_status: Option<NetworkStatus>,
}

/// Who practices at an address, or is reached by a phone number.
#[derive(Serialize)]
struct PracticingAtFields<'a> {
    /// The phone number as it was read; null where none was asked for.
    phone: Option<&'a str>,
    /// The address as it was read; null where none was asked for.
    address: Option<&'a AskedAddress>,
    total: u64,
    /// How many of them have an active role.
    total_active: u64,
    offset: usize,
    /// With all roles, inactive ones too; those with an active one first.
    results: &'a [PracticeLocation],
    /// Where nobody is there: a few addresses near it, the nearest first.
    near: &'a [NearAddress],
    #[serde(flatten)]
    origin: OriginFields<'a>,
    notes: &'a [String],
    /// What to ask with for the results behind these; null: there are none.
    next: Option<&'a str>,
}

/// An address as it was read.
#[derive(Serialize)]
struct AddressFields<'a> {
    number: Option<&'a str>,
    street: Option<&'a str>,
    units: &'a [String],
    city: Option<&'a str>,
    state: Option<State>,
    zip: Option<Zip5>,
}

/// An address near the one that was asked for.
#[derive(Serialize)]
struct NearFields<'a> {
    /// `unit`, `zip`, `street` or `number`.
    difference: AddressDifference,
    address: &'a str,
    city: Option<&'a str>,
    state: Option<State>,
    zip: Option<Zip5>,
    practice_locations: u64,
}

/// Why a provider is among the results of a search, or is not.
#[derive(Serialize)]
struct ExplanationFields<'a> {
    provider: &'a AskedProvider,
    /// How the search shows it.
    result: SearchResult,
    /// The result in words, with what decided.
    summary: String,
    conditions: &'a [Condition],
    /// The best result first.
    places: &'a [ExplainedPlace],
    /// Null where nothing was at hand to look them up in.
    sources: Option<&'a [SourceResource]>,
    place: PlaceFields<'a>,
    #[serde(flatten)]
    asked: AskedFields<'a>,
    notes: &'a [String],
}

#[derive(Serialize)]
struct ExplainedPlaceFields<'a> {
    result: SearchResult,
    conditions: &'a [Condition],
    #[serde(flatten)]
    practice: PracticeFields<'a>,
}

/// A provider by itself.
#[derive(Serialize)]
struct KnownFields<'a> {
    npi: String,
    npi_valid: bool,
    name: &'a str,
    kind: ProviderKind,
    aliases: &'a [Npi],
    other_names: &'a [String],
    gender: Option<&'a str>,
    languages: &'a [String],
    phones: &'a [String],
    locations: &'a [PracticeLocation],
}

/// A standing by itself.
#[derive(Serialize)]
struct StandingFields<'a> {
    network_status: NetworkStatus,
    reason: Option<&'a str>,
    networks: &'a [Network],
    inactive: &'a [Inactive],
    inactive_dates: &'a [InactiveDate],
    shared_role: bool,
    locations: &'a [PracticeLocation],
}

impl<'a> From<&'a ProvidersAnswer> for ProvidersFields<'a> {
    fn from(answer: &'a ProvidersAnswer) -> Self {
        let ProvidersFound { results, closed_door, read_as, similar_specialties, similar_names, .. } = &answer.found;
        Self {
            asked: AskedFields::new(&answer.asked, &answer.origin),
            place: PlaceFields::new(&answer.place, &answer.offered_in),
            plan_offered: answer.plan_offered,
            total: answer.found.total,
            total_in_county: answer.total_in_county,
            offset: answer.offset,
            results,
            closed_door,
            closed_door_total: answer.found.closed_door_total,
            place_not_stated: answer.found.place_not_stated,
            in_doubt: answer.found.in_doubt,
            nearest_km: answer.nearest_km.map(rounded),
            read_as,
            similar_specialties,
            similar_names,
            notes: &answer.notes,
            next: answer.next.as_ref().map(crate::PageToken::as_str),
        }
    }
}

impl<'a> AskedFields<'a> {
    pub(super) fn new(asked: &'a AskedNetworks, origin: &'a crate::Origin) -> Self {
        Self {
            plan: asked.plan.as_ref().map(|plan| &plan.id),
            plan_name: asked.plan.as_ref().and_then(|plan| plan.name.as_deref()),
            asked_networks: asked.networks.as_deref(),
            origin: OriginFields::from(origin),
            complete: asked.is_complete(),
            gaps: &asked.gaps,
        }
    }
}

impl<'a> PlaceFields<'a> {
    /// `offered` says for each of the place's counties whether the plan is sold there.
    pub(super) fn new(place: &'a SearchPlace, offered: &[Offered]) -> Self {
        let center: Option<Point> = place.near.center();
        let offered = offered.iter().map(|offered| Some(*offered)).chain(std::iter::repeat(None));
        let counties = place.counties.iter().zip(offered);
        Self {
            kind: place.kind(),
            label: &place.label,
            lat: center.map(Point::lat),
            lon: center.map(Point::lon),
            within_km: place.radius_km().map(rounded),
            counties: counties.map(|(county, plan_offered)| PlaceCounty { county, plan_offered }).collect(),
        }
    }
}

impl<'a> From<&'a PracticeLocation> for PracticeFields<'a> {
    fn from(practice: &'a PracticeLocation) -> Self {
        Self {
            npi: npi(practice.npi, practice.stated_npi.as_deref()),
            npi_valid: practice.npi.is_some(),
            name: &practice.name,
            kind: practice.kind,
            specialties: &practice.specialties,
            networks: &practice.networks,
            location: practice.location.as_ref().map(LocationFields::from),
            phone: practice.phone.as_deref(),
            phone_from: practice.phone_from,
            phones: &practice.phones,
            distance_km: practice.distance_km.map(rounded),
            in_county: practice.in_county,
            accepting_new_patients: practice.accepting,
            aliases: &practice.aliases,
            shared_role: practice.shared_role,
            gender: practice.gender.as_deref(),
            languages: &practice.languages,
            roles: &practice.roles,
        }
    }
}

impl<'a> From<&'a Location> for LocationFields<'a> {
    fn from(location: &'a Location) -> Self {
        Self {
            id: location.id(),
            name: location.name.as_deref(),
            other_names: &location.other_names,
            address: location.address.as_deref(),
            city: location.city.as_deref(),
            state: location.state.as_deref(),
            zip: location.zip,
            county_fips: location.county,
            county: location.county_name.as_deref(),
            lat: location.point.map(Point::lat),
            lon: location.point.map(Point::lon),
            precision: location.precision,
            hours: location.hours.as_deref(),
        }
    }
}

impl<'a> From<&'a ProviderRole> for RoleFields<'a> {
    fn from(role: &'a ProviderRole) -> Self {
        Self {
            specialties: &role.specialties,
            networks: &role.networks,
            inactive: &role.inactive,
            inactive_dates: &role.inactive_dates,
            doubts: &role.doubts,
            accepting: &role.accepting,
            phones: &role.phones,
            hours: role.hours.as_deref(),
            shared: role.shared,
            closed_door: role.closed_door,
        }
    }
}

impl<'a> From<&'a ProviderAnswer> for ProviderFields<'a> {
    fn from(answer: &'a ProviderAnswer) -> Self {
        let (provider, standing) = (answer.provider.as_ref(), answer.standing.as_ref());
        let place = |practice: &'a PracticeLocation| PlaceOfProvider {
            practice: PracticeFields::from(practice),
            network_status: answer.status_at(practice),
        };
        let not_there = provider.is_none().then_some(NetworkStatus::NotInDirectory);
        Self {
            npi: provider.map_or_else(|| answer.npi.to_string(), |own| npi(own.npi, own.stated_npi.as_deref())),
            name: provider.map(|provider| provider.name.as_str()),
            kind: provider.map(|provider| provider.kind),
            aliases: provider.map(|provider| provider.aliases.as_slice()).unwrap_or_default(),
            other_names: provider.map(|provider| provider.other_names.as_slice()).unwrap_or_default(),
            gender: provider.and_then(|provider| provider.gender.as_deref()),
            languages: provider.map(|provider| provider.languages.as_slice()).unwrap_or_default(),
            phones: provider.map(|provider| provider.phones.as_slice()).unwrap_or_default(),
            locations: provider.iter().flat_map(|provider| &provider.locations).map(place).collect(),
            network_status: standing.map(|standing| standing.status).or(not_there),
            reason: standing.and_then(|standing| standing.reason.as_deref()),
            summary: answer.summary(),
            networks: standing.map(|standing| standing.networks.as_slice()).unwrap_or_default(),
            inactive: standing.map(|standing| standing.inactive.as_slice()).unwrap_or_default(),
            inactive_dates: standing.map(|standing| standing.inactive_dates.as_slice()).unwrap_or_default(),
            shared_role: standing.is_some_and(|standing| standing.shared_role),
            asked: AskedFields::new(&answer.asked, &answer.origin),
            notes: &answer.notes,
        }
    }
}

impl<'a> From<&'a PracticingAt> for PracticingAtFields<'a> {
    fn from(answer: &'a PracticingAt) -> Self {
        Self {
            phone: answer.phone.as_deref(),
            address: answer.address.as_ref(),
            total: answer.total,
            total_active: answer.total_active,
            offset: answer.offset,
            results: &answer.results,
            near: &answer.near,
            origin: OriginFields::from(&answer.origin),
            notes: &answer.notes,
            next: answer.next.as_ref().map(crate::PageToken::as_str),
        }
    }
}

impl<'a> From<&'a AskedAddress> for AddressFields<'a> {
    fn from(address: &'a AskedAddress) -> Self {
        Self {
            number: address.number.as_deref(),
            street: address.street.as_deref(),
            units: &address.units,
            city: address.city.as_deref(),
            state: address.state,
            zip: address.zip,
        }
    }
}

impl<'a> From<&'a NearAddress> for NearFields<'a> {
    fn from(near: &'a NearAddress) -> Self {
        Self {
            difference: near.difference,
            address: &near.address,
            city: near.city.as_deref(),
            state: near.state,
            zip: near.zip,
            practice_locations: near.practice_locations,
        }
    }
}

impl<'a> From<&'a ProviderExplanation> for ExplanationFields<'a> {
    fn from(explanation: &'a ProviderExplanation) -> Self {
        Self {
            provider: &explanation.provider,
            result: explanation.result,
            summary: explanation.summary(),
            conditions: &explanation.conditions,
            places: &explanation.places,
            sources: explanation.sources.as_deref(),
            place: PlaceFields::new(&explanation.place, &[]),
            asked: AskedFields::new(&explanation.asked, &explanation.origin),
            notes: &explanation.notes,
        }
    }
}

impl<'a> From<&'a ExplainedPlace> for ExplainedPlaceFields<'a> {
    fn from(place: &'a ExplainedPlace) -> Self {
        Self { result: place.result, conditions: &place.conditions, practice: PracticeFields::from(&place.practice) }
    }
}

impl<'a> From<&'a Provider> for KnownFields<'a> {
    fn from(provider: &'a Provider) -> Self {
        Self {
            npi: npi(provider.npi, provider.stated_npi.as_deref()),
            npi_valid: provider.npi.is_some(),
            name: &provider.name,
            kind: provider.kind,
            aliases: &provider.aliases,
            other_names: &provider.other_names,
            gender: provider.gender.as_deref(),
            languages: &provider.languages,
            phones: &provider.phones,
            locations: &provider.locations,
        }
    }
}

impl<'a> From<&'a NetworkAnswer> for StandingFields<'a> {
    fn from(standing: &'a NetworkAnswer) -> Self {
        Self {
            network_status: standing.status,
            reason: standing.reason.as_deref(),
            networks: &standing.networks,
            inactive: &standing.inactive,
            inactive_dates: &standing.inactive_dates,
            shared_role: standing.shared_role,
            locations: &standing.locations,
        }
    }
}

impl<'a> From<&'a NetworkGap> for GapFields<'a> {
    fn from(gap: &'a NetworkGap) -> Self {
        Self { network: &gap.network, reason: &gap.reason }
    }
}

impl From<&InactiveDate> for InactiveDateFields {
    fn from(date: &InactiveDate) -> Self {
        Self { what: date.what, ended: date.ended, begins: date.begins }
    }
}

impl<'a> From<&'a AcceptingStatement> for AcceptingFields<'a> {
    fn from(said: &'a AcceptingStatement) -> Self {
        Self { network: said.network.as_ref(), new_patients: said.new_patients }
    }
}

impl<'a> From<&'a SimilarSpecialty> for SimilarFields<'a> {
    fn from(similar: &'a SimilarSpecialty) -> Self {
        Self { name: &similar.name, total: similar.total }
    }
}

/// The smallest valid NPI, else what is stated for one, else nothing.
fn npi(valid: Option<Npi>, stated: Option<&str>) -> String {
    valid.map(|npi| npi.to_string()).or_else(|| stated.map(str::to_owned)).unwrap_or_default()
}
