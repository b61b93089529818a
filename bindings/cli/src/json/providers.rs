//! `coverdex providers --json`.

use coverdex_core::Npi;
use coverdex_core::Point;
use coverdex_core::{
    Accepting, AcceptingStatement, Inactive, InactiveDate, Location, NetworkGap, PhoneFrom, PracticeLocation, Provider,
    ProviderRole, SearchPlace, SimilarSpecialty,
};
use coverdex_core::{CountyFound, Network};
use serde::Serialize;

use crate::commands::directory::{Asked, CountyNames};

/// Who was found: in the networks of one plan or one dataset.
#[derive(Debug, Serialize)]
pub(crate) struct ProvidersDocument {
    #[serde(flatten)]
    pub(crate) list: ProvidersList,
    /// The same for the plan's next year and, where neither plan nor network was named, for further
    /// datasets.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) also: Vec<ProvidersList>,
}

#[derive(Debug, Serialize)]
pub(crate) struct ProvidersList {
    #[serde(flatten)]
    pub(crate) asked: AskedFields,
    pub(crate) place: PlaceFields,
    /// Whether the plan is sold there: `yes`, `no` or `unknown`; null without a plan, or where the
    /// place is not named by a county or ZIP.
    pub(crate) plan_offered: Option<&'static str>,
    pub(crate) total: u64,
    /// How many of them are in the county; null where none was asked for.
    pub(crate) total_in_county: Option<u64>,
    pub(crate) offset: u32,
    pub(crate) results: Vec<PracticeFields>,
    pub(crate) closed_door: Vec<PracticeFields>,
    pub(crate) closed_door_total: u64,
    pub(crate) place_not_stated: u64,
    pub(crate) in_doubt: u64,
    /// Where nobody fits inside the radius: how far the nearest is.
    pub(crate) nearest_km: Option<f64>,
    /// What the specialty was read as, where it is no spelling of that.
    pub(crate) read_as: Vec<String>,
    pub(crate) similar_specialties: Vec<SimilarFields>,
    /// Where nobody has the name: names that are spelled nearly so.
    pub(crate) similar_names: Vec<String>,
    pub(crate) notes: Vec<String>,
}

/// A specialty that was not taken, and how many practice locations the same search finds with it.
#[derive(Debug, Serialize)]
pub(crate) struct SimilarFields {
    name: String,
    total: Option<u64>,
}

impl SimilarFields {
    pub(crate) fn new(similar: &SimilarSpecialty) -> Self {
        Self { name: similar.name.clone(), total: similar.total }
    }
}

/// The plan or the networks that a question is about, and the dataset that answers.
#[derive(Debug, Serialize)]
pub(crate) struct AskedFields {
    plan: Option<String>,
    plan_name: Option<String>,
    /// The plan's networks, or the one that was named; null: whatever the network.
    asked_networks: Option<Vec<Network>>,
    as_of: String,
    source: String,
    dataset: String,
    /// Whether these networks' parts of the directory were received completely.
    complete: bool,
    gaps: Vec<GapFields>,
}

#[derive(Debug, Serialize)]
struct GapFields {
    #[serde(flatten)]
    network: Network,
    reason: String,
}

/// The place that was asked for.
#[derive(Debug, Serialize)]
pub(crate) struct PlaceFields {
    /// `county`, `zip`, `point`, `state` or `anywhere`.
    kind: &'static str,
    /// As people write it.
    label: String,
    /// Where distances are measured from.
    lat: Option<f64>,
    lon: Option<f64>,
    within_km: Option<f64>,
    /// The county, or those of the ZIP with their shares.
    counties: Vec<PlaceCounty>,
}

#[derive(Debug, Serialize)]
struct PlaceCounty {
    #[serde(flatten)]
    county: CountyFound,
    /// Whether the plan is sold in it; null without a plan.
    plan_offered: Option<&'static str>,
}

/// A provider at one place.
#[derive(Debug, Serialize)]
pub(crate) struct PracticeFields {
    /// The smallest valid NPI; without one what is stated for it, and empty where nothing is.
    npi: String,
    /// Whether it is a valid NPI: only such a one identifies a provider.
    npi_valid: bool,
    name: String,
    kind: &'static str,
    specialties: Vec<String>,
    networks: Vec<Network>,
    /// Null: the place is not stated.
    location: Option<LocationFields>,
    phone: Option<String>,
    /// Whose phone that is: `role`, `place`, `provider` or `organization`.
    phone_from: Option<&'static str>,
    phones: Vec<String>,
    distance_km: Option<f64>,
    in_county: Option<bool>,
    accepting_new_patients: Option<&'static str>,
    aliases: Vec<String>,
    shared_role: bool,
    gender: Option<String>,
    languages: Vec<String>,
    roles: Vec<RoleFields>,
}

#[derive(Debug, Serialize)]
struct LocationFields {
    /// A hash of the folded address: the same in every dataset.
    id: String,
    name: Option<String>,
    other_names: Vec<String>,
    address: Option<String>,
    city: Option<String>,
    state: Option<String>,
    zip: Option<String>,
    county_fips: Option<String>,
    county: Option<String>,
    lat: Option<f64>,
    lon: Option<f64>,
    precision: &'static str,
    hours: Option<String>,
}

#[derive(Debug, Serialize)]
struct RoleFields {
    specialties: Vec<String>,
    networks: Vec<Network>,
    /// What is marked inactive: `role`, `provider`, `place`.
    inactive: Vec<&'static str>,
    inactive_dates: Vec<InactiveDateFields>,
    /// What makes it doubtful: `contrary` (two versions of one date contradict each other) or
    /// `lost_network` (it names a network that cannot be read, or that leads nowhere).
    doubts: Vec<&'static str>,
    accepting: Vec<AcceptingFields>,
    phones: Vec<String>,
    hours: Option<String>,
    shared: bool,
    closed_door: bool,
}

/// Since or until when something is inactive.
#[derive(Debug, Serialize)]
pub(super) struct InactiveDateFields {
    /// `role` or `provider`.
    what: &'static str,
    /// The last day on which it was active.
    ended: Option<String>,
    /// The first day on which it will be.
    begins: Option<String>,
}

#[derive(Debug, Serialize)]
struct AcceptingFields {
    /// The network that this is said of; null: of all.
    network: Option<Network>,
    new_patients: &'static str,
}

impl AskedFields {
    pub(crate) fn new(asked: &Asked<'_>) -> Self {
        let dataset = &asked.opened.dataset;
        Self {
            plan: asked.plan.as_ref().map(|meant| meant.plan.id.to_string()),
            plan_name: asked.plan.as_ref().and_then(|meant| meant.plan.name.clone()),
            asked_networks: asked.networks.clone(),
            as_of: dataset.as_of().to_owned(),
            source: dataset.source().to_owned(),
            dataset: dataset.manifest().dataset.clone(),
            complete: asked.gaps.is_empty(),
            gaps: asked.gaps.iter().map(GapFields::from).collect(),
        }
    }
}

impl PlaceFields {
    /// `offered` says for each of the place's counties whether the plan is sold there.
    pub(crate) fn new(label: String, kind: &'static str, place: &SearchPlace, offered: &[&'static str]) -> Self {
        let center: Option<Point> = place.near.center();
        let offered = offered.iter().map(|offered| Some(*offered)).chain(std::iter::repeat(None));
        Self {
            kind,
            label,
            lat: center.map(Point::lat),
            lon: center.map(Point::lon),
            within_km: place.radius_km().map(rounded),
            counties: place
                .counties
                .iter()
                .zip(offered)
                .map(|(found, plan_offered)| PlaceCounty { county: found.clone(), plan_offered })
                .collect(),
        }
    }
}

impl PracticeFields {
    pub(crate) fn new(practice: &PracticeLocation, counties: &CountyNames) -> Self {
        Self {
            npi: npi(practice.npi, practice.stated_npi.as_deref()),
            npi_valid: practice.npi.is_some(),
            name: practice.name.clone(),
            kind: practice.kind.as_str(),
            specialties: practice.specialties.clone(),
            networks: practice.networks.clone(),
            location: practice.location.as_ref().map(|location| LocationFields::new(location, counties)),
            phone: practice.phone.clone(),
            phone_from: practice.phone_from.map(PhoneFrom::as_str),
            phones: practice.phones.clone(),
            distance_km: practice.distance_km.map(rounded),
            in_county: practice.in_county,
            accepting_new_patients: practice.accepting.map(Accepting::as_str),
            aliases: practice.aliases.iter().map(ToString::to_string).collect(),
            shared_role: practice.shared_role,
            gender: practice.gender.clone(),
            languages: practice.languages.clone(),
            roles: practice.roles.iter().map(RoleFields::from).collect(),
        }
    }
}

impl PracticeFields {
    /// A provider's NPI as text.
    pub(super) fn npi_of(provider: &Provider) -> String {
        npi(provider.npi, provider.stated_npi.as_deref())
    }
}

impl LocationFields {
    fn new(location: &Location, counties: &CountyNames) -> Self {
        Self {
            id: location.id(),
            name: location.name.clone(),
            other_names: location.other_names.clone(),
            address: location.address.clone(),
            city: location.city.clone(),
            state: location.state.clone(),
            zip: location.zip.map(|zip| zip.to_string()),
            county_fips: location.county.map(|county| county.to_string()),
            county: location.county.and_then(|county| counties.label(county)).map(str::to_owned),
            lat: location.point.map(Point::lat),
            lon: location.point.map(Point::lon),
            precision: location.precision.as_str(),
            hours: location.hours.clone(),
        }
    }
}

impl From<&ProviderRole> for RoleFields {
    fn from(role: &ProviderRole) -> Self {
        let said = |says: &AcceptingStatement| AcceptingFields {
            network: says.network.clone(),
            new_patients: says.new_patients.as_str(),
        };
        Self {
            specialties: role.specialties.clone(),
            networks: role.networks.clone(),
            inactive: inactive(&role.inactive),
            inactive_dates: inactive_dates(&role.inactive_dates),
            doubts: role.doubts.iter().map(|doubt| doubt.as_str()).collect(),
            accepting: role.accepting.iter().map(said).collect(),
            phones: role.phones.clone(),
            hours: role.hours.clone(),
            shared: role.shared,
            closed_door: role.closed_door,
        }
    }
}

impl From<&NetworkGap> for GapFields {
    fn from(gap: &NetworkGap) -> Self {
        Self { network: gap.network.clone(), reason: gap.reason.clone() }
    }
}

/// The smallest valid NPI, else what is stated for one, else nothing.
fn npi(valid: Option<Npi>, stated: Option<&str>) -> String {
    valid.map(|npi| npi.to_string()).or_else(|| stated.map(str::to_owned)).unwrap_or_default()
}

pub(super) fn inactive(levels: &[Inactive]) -> Vec<&'static str> {
    levels.iter().map(|level| level.as_str()).collect()
}

pub(super) fn inactive_dates(dates: &[InactiveDate]) -> Vec<InactiveDateFields> {
    let fields = |date: &InactiveDate| InactiveDateFields {
        what: date.what.as_str(),
        ended: date.ended.map(|day| day.to_string()),
        begins: date.begins.map(|day| day.to_string()),
    };
    dates.iter().map(fields).collect()
}

/// Kilometers to the meter: points are no finer.
pub(crate) fn rounded(km: f64) -> f64 {
    (km * 1000.0).round() / 1000.0
}
