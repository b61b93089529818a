//! What is shown of a practice location and of a provider.

mod found;
mod network;
mod read;
mod status;
mod which;
mod words;

use std::fmt;

use sha2::{Digest as _, Sha256};

use crate::format::hex;
use crate::geo::Point;
use crate::ids::{CountyFips, Date, Npi, Zip5};
use crate::plans::Network;

use super::search::ProviderKind;
use crate::data::directory::layout::{accepting, flag};
use crate::spelling::name_key;

pub use found::{ProvidersFound, SimilarSpecialty};
pub use network::{NetworkGap, ResolvedNetwork};
#[cfg(feature = "tables")]
pub(crate) use read::Traits;
pub use status::{NetworkAnswer, NetworkStatus};
pub(crate) use status::{Shown, Whose};
pub use which::ProviderQuery;
pub use words::NetworkNames;

/// A provider at one place.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct PracticeLocation {
    /// The smallest of its valid NPIs; `None`: it has none.
    pub npi: Option<Npi>,
    /// What is stated for an NPI where none is valid.
    pub stated_npi: Option<String>,
    /// Its further NPIs.
    pub aliases: Vec<Npi>,
    /// Its name; empty if nothing names it.
    pub name: String,
    /// A person or an organization.
    pub kind: ProviderKind,
    /// Gender as stated.
    pub gender: Option<String>,
    /// Languages as stated.
    pub languages: Vec<String>,
    /// The place; `None`: not stated.
    pub location: Option<Location>,
    /// Specialties of the roles shown.
    pub specialties: Vec<String>,
    /// Networks of the roles shown; in a search, those that were asked for.
    pub networks: Vec<Network>,
    /// The phone to call: the role's, else the place's, else the provider's, else its organization's.
    pub phone: Option<String>,
    /// Whose phone that is.
    pub phone_from: Option<PhoneFrom>,
    /// All phones known for it, that one first: `(602) 230-0777`, or `(602) 230-0777 x12`.
    pub phones: Vec<String>,
    /// Kilometers from where the search began; `None` where the place has no point or nothing is
    /// measured from.
    pub distance_km: Option<f64>,
    /// Whether it is in the county asked for; `None` where none was.
    pub in_county: Option<bool>,
    /// Whether new patients are taken; `None`: not stated.
    pub accepting: Option<Accepting>,
    /// A role shown names several places: that all of it holds at each is the payer's silence.
    pub shared_role: bool,
    /// The roles: in a search those that fit, else all of them here.
    pub roles: Vec<ProviderRole>,
}

/// A place of practice.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Location {
    /// Name.
    pub name: Option<String>,
    /// Other names that the provider's places at this address have.
    pub other_names: Vec<String>,
    /// The source's lines joined by a blank, in their order.
    pub address: Option<String>,
    /// City.
    pub city: Option<String>,
    /// State: its two letters where it is known, else as received.
    pub state: Option<String>,
    /// ZIP, mended.
    pub zip: Option<Zip5>,
    /// County.
    pub county: Option<CountyFips>,
    /// The county's name, `Howard County, MD`; `None` in answers of typed searches, which do not look it up.
    pub county_name: Option<String>,
    /// Its point, for distances.
    pub point: Option<Point>,
    /// What the point is.
    pub precision: Precision,
    /// Hours, one line.
    pub hours: Option<String>,
}

/// How precisely a place is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Precision {
    /// Its own position.
    Point,
    /// The point of its ZIP.
    Zip,
    /// Its county alone.
    County,
    /// Nothing.
    Unknown,
}

/// What a provider does at a place, in some networks.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct ProviderRole {
    /// Specialties.
    pub specialties: Vec<String>,
    /// Networks.
    pub networks: Vec<Network>,
    /// What is marked inactive; empty: active, or not stated.
    pub inactive: Vec<Inactive>,
    /// Since or until when, where the payer states it.
    pub inactive_dates: Vec<InactiveDate>,
    /// What makes it doubtful: no answer is given by such a role alone.
    pub doubts: Vec<RoleDoubt>,
    /// Statements about new patients.
    pub accepting: Vec<AcceptingStatement>,
    /// Its own phones.
    pub phones: Vec<String>,
    /// Its own hours.
    pub hours: Option<String>,
    /// It names several places.
    pub shared: bool,
    /// A pharmacy behind closed doors: mail, long-term care or infusion.
    pub closed_door: bool,
}

/// What a role says of new patients.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct AcceptingStatement {
    /// The network that it is said of; `None`: of all.
    pub network: Option<Network>,
    /// What is said.
    pub new_patients: Accepting,
}

/// What can be marked inactive.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Inactive {
    /// The role.
    Role,
    /// The provider.
    Provider,
    /// The place.
    Place,
}

/// What makes a role doubtful.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum RoleDoubt {
    /// Two versions of it, of one date, contradict each other: the payer says both.
    Contrary,
    /// It names a network that cannot be read, or that leads nowhere.
    LostNetwork,
}

impl RoleDoubt {
    /// `contrary` or `lost_network`.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Contrary => "contrary",
            Self::LostNetwork => "lost_network",
        }
    }

    /// What flags say.
    pub(crate) fn of(flags: u32) -> Vec<Self> {
        let all = [(flag::CONTRARY, Self::Contrary), (flag::LOST_NETWORK, Self::LostNetwork)];
        all.into_iter().filter(|(bit, _)| flags & bit != 0).map(|(_, doubt)| doubt).collect()
    }
}

/// Since or until when something is inactive.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub struct InactiveDate {
    /// What.
    pub what: Inactive,
    /// The last day on which it was active.
    pub ended: Option<Date>,
    /// The first day on which it will be.
    pub begins: Option<Date>,
}

/// Whose phone a number is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum PhoneFrom {
    /// The role's.
    Role,
    /// The place's.
    Place,
    /// The provider's.
    Provider,
    /// That of the organization that the role or the place names.
    Organization,
}

impl PhoneFrom {
    /// `role`, `place`, `provider` or `organization`.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Role => "role",
            Self::Place => "place",
            Self::Provider => "provider",
            Self::Organization => "organization",
        }
    }
}

/// Whether new patients are taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Accepting {
    /// Yes.
    Yes,
    /// Existing patients and their families.
    ExistingAndFamily,
    /// Existing patients only.
    ExistingOnly,
    /// No.
    No,
}

/// Everything known of a provider.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Provider {
    /// The smallest of its valid NPIs; `None`: it has none.
    pub npi: Option<Npi>,
    /// What is stated for an NPI where none is valid.
    pub stated_npi: Option<String>,
    /// Its further NPIs.
    pub aliases: Vec<Npi>,
    /// Its name; empty if nothing names it.
    pub name: String,
    /// Other names that its resources have.
    pub other_names: Vec<String>,
    /// A person or an organization.
    pub kind: ProviderKind,
    /// Gender as stated.
    pub gender: Option<String>,
    /// Languages as stated.
    pub languages: Vec<String>,
    /// Its own phones.
    pub phones: Vec<String>,
    /// Where it practices, with all roles, inactive ones too; the place "not stated" last.
    pub locations: Vec<PracticeLocation>,
}

impl Location {
    /// A hash of the folded address, or of the name where there is none: the same in every dataset.
    #[must_use]
    pub fn id(&self) -> String {
        let line = self.address.as_deref().or(self.name.as_deref()).map(name_key).unwrap_or_default();
        let city = || self.city.as_deref().map(name_key).unwrap_or_default();
        let zip = self.zip.map_or_else(city, |zip| zip.to_string());
        let key = format!("{line}\n{zip}\n{}", self.state.as_deref().unwrap_or_default());
        hex(Sha256::digest(key.as_bytes()).first_chunk::<8>().unwrap_or(&[0; 8]))
    }
}

impl Precision {
    /// `point`, `zip`, `county` or `unknown`.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Point => "point",
            Self::Zip => "zip",
            Self::County => "county",
            Self::Unknown => "unknown",
        }
    }
}

impl Inactive {
    /// `role`, `provider` or `place`.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Role => "role",
            Self::Provider => "provider",
            Self::Place => "place",
        }
    }

    /// What flags say is inactive.
    pub(crate) fn of(flags: u32) -> Vec<Self> {
        [
            (flag::ROLE_INACTIVE, Self::Role),
            (flag::PROVIDER_INACTIVE, Self::Provider),
            (flag::PLACE_INACTIVE, Self::Place),
        ]
        .into_iter()
        .filter(|(bit, _)| flags & bit != 0)
        .map(|(_, level)| level)
        .collect()
    }
}

impl InactiveDate {
    /// What a role's flags and the days of its state say.
    pub(super) fn of(flags: u32, (role, provider): (Option<Date>, Option<Date>)) -> Vec<Self> {
        let of = |what, day: Option<Date>, not_begun: u32| {
            day.map(|day| {
                let begins = flags & not_begun != 0;
                Self { what, ended: (!begins).then_some(day), begins: begins.then_some(day) }
            })
        };
        let role = of(Inactive::Role, role, flag::ROLE_NOT_BEGUN);
        role.into_iter().chain(of(Inactive::Provider, provider, flag::PROVIDER_NOT_BEGUN)).collect()
    }
}

impl Accepting {
    /// `yes`, `no`, `existing_only` or `existing_and_family`.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Yes => "yes",
            Self::ExistingAndFamily => "existing_and_family",
            Self::ExistingOnly => "existing_only",
            Self::No => "no",
        }
    }

    pub(crate) fn of(code: u32) -> Option<Self> {
        Some(match code {
            accepting::YES => Self::Yes,
            accepting::NO => Self::No,
            accepting::EXISTING_ONLY => Self::ExistingOnly,
            accepting::EXISTING_AND_FAMILY => Self::ExistingAndFamily,
            _ => return None,
        })
    }
}

impl fmt::Display for Accepting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
