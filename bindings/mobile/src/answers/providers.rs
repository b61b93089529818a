//! Providers and where they practice.

use super::cross::{enums, records};
use super::{Condition, Network, Origin};
use crate::ids::{CountyFips, Date, Npi, PageToken, State, Zip5};
use coverdex_core as core;

enums! {
    /// A person or an organization.
    ProviderKind {
        /// A person (NPI type 1).
        Individual,
        /// An organization (NPI type 2).
        Organization,
    }

    /// Whether new patients are taken.
    Accepting {
        /// Yes.
        Yes,
        /// Existing patients and their families.
        ExistingAndFamily,
        /// Existing patients only.
        ExistingOnly,
        /// No.
        No,
    }

    /// How precisely a place is known.
    Precision [else Unknown] {
        /// Its own position.
        Point,
        /// The point of its ZIP.
        Zip,
        /// Its county alone.
        County,
        /// Nothing.
        Unknown,
    }

    /// Whose phone a number is.
    PhoneFrom [else Provider] {
        /// The role's.
        Role,
        /// The place's.
        Place,
        /// The provider's.
        Provider,
        /// That of the organization that the role or the place names.
        Organization,
    }

    /// What can be marked inactive.
    Inactive [else Role] {
        /// The role.
        Role,
        /// The provider.
        Provider,
        /// The place.
        Place,
    }

    /// What makes a role doubtful.
    RoleDoubt [else Contrary] {
        /// Two versions of it, of one date, contradict each other: the payer says both.
        Contrary,
        /// It names a network that cannot be read, or that leads nowhere.
        LostNetwork,
    }

    /// A provider's standing in a network, or in one of a plan's.
    NetworkStatus [else Unknown] {
        /// An active role says so.
        InNetwork,
        /// Only what is marked inactive says so.
        Inactive,
        /// The directory lists it in other networks.
        OtherNetworksOnly,
        /// The directory lists it nowhere. Directories are incomplete: that is no proof of being out of
        /// network.
        NotInDirectory,
        /// The plan has networks, none of that kind.
        NoSuchNetwork,
        /// The network's part of the directory is incomplete or empty, or the payer does not say which networks the
        /// plan has.
        Unknown,
    }

    /// In what an address differs from the one asked for.
    AddressDifference [else Number] {
        /// The same house, another unit, or none.
        Unit,
        /// The same number and street in another ZIP of the city.
        Zip,
        /// The same number on a street that has the name with another kind or direction, or with none.
        Street,
        /// The same street, another number.
        Number,
    }

    /// How a search shows a provider, or a place of its.
    SearchResult [else NotFound] {
        /// Not at all.
        NotFound,
        /// It is counted among those that may fit: the payer contradicts itself, or names a network that leads nowhere.
        InDoubt,
        /// It is counted among those whose place is not stated nearer.
        PlaceNotStated,
        /// It is listed among pharmacies that are not open to walk in.
        ClosedDoor,
        /// It is one of the results.
        Found,
    }
}

records! {
    /// What a role says of new patients.
    AcceptingStatement {
        /// The network that it is said of; null: of all.
        network: Option<Network>,
        /// What is said.
        new_patients: Accepting,
    }

    /// Since or until when something is inactive.
    InactiveDate {
        /// What.
        what: Inactive,
        /// The last day on which it was active.
        ended: Option<Date>,
        /// The first day on which it will be.
        begins: Option<Date>,
    }

    /// What a provider does at a place, in some networks.
    ProviderRole {
        /// Specialties.
        specialties: Vec<String>,
        /// Networks.
        networks: Vec<Network>,
        /// What is marked inactive; empty: active, or not stated.
        inactive: Vec<Inactive>,
        /// Since or until when, where the payer states it.
        inactive_dates: Vec<InactiveDate>,
        /// What makes it doubtful: no answer is given by such a role alone.
        doubts: Vec<RoleDoubt>,
        /// Statements about new patients.
        accepting: Vec<AcceptingStatement>,
        /// Its own phones.
        phones: Vec<String>,
        /// Its own hours.
        hours: Option<String>,
        /// It names several places.
        shared: bool,
        /// A pharmacy behind closed doors: mail, long-term care or infusion.
        closed_door: bool,
    }

    /// A place of practice.
    Location {
        /// Name.
        name: Option<String>,
        /// Other names that the provider's places at this address have.
        other_names: Vec<String>,
        /// The source's lines joined by a blank, in their order.
        address: Option<String>,
        /// City.
        city: Option<String>,
        /// State: its two letters where it is known, else as received.
        state: Option<String>,
        /// ZIP, mended.
        zip: Option<Zip5>,
        /// The county's name, `Howard County, MD`; null in answers of typed searches, which do not look it up.
        county [county_name]: Option<String>,
        /// What the point is.
        precision: Precision,
        /// Hours, one line.
        hours: Option<String>
        ;
        /// A hash of the folded address: the same in every dataset.
        id: String = core::Location::id,
        /// The county's code.
        county_fips: Option<CountyFips> = |own| own.county,
        /// Latitude in degrees.
        lat: Option<f64> = |own| own.point.map(core::Point::lat),
        /// Longitude in degrees.
        lon: Option<f64> = |own| own.point.map(core::Point::lon),
    }

    /// A provider at one place.
    PracticeLocation {
        /// The smallest of its valid NPIs; null: it has none.
        npi: Option<Npi>,
        /// What is stated for an NPI where none is valid.
        stated_npi: Option<String>,
        /// Its further NPIs.
        aliases: Vec<Npi>,
        /// Its name; empty if nothing names it.
        name: String,
        /// A person or an organization.
        kind: ProviderKind,
        /// Gender as stated.
        gender: Option<String>,
        /// Languages as stated.
        languages: Vec<String>,
        /// The place; null: not stated.
        location: Option<Location>,
        /// Specialties of the roles shown.
        specialties: Vec<String>,
        /// Networks of the roles shown; in a search, those that were asked for.
        networks: Vec<Network>,
        /// The phone to call: the role's, else the place's, else the provider's, else its organization's.
        phone: Option<String>,
        /// Whose phone that is.
        phone_from: Option<PhoneFrom>,
        /// All phones known for it, that one first: `(602) 230-0777`, or `(602) 230-0777 x12`.
        phones: Vec<String>,
        /// Kilometers from where the search began; null where the place has no point or nothing is
        /// measured from.
        distance_km: Option<f64>,
        /// Whether it is in the county asked for; null where none was.
        in_county: Option<bool>,
        /// Whether new patients are taken; null: not stated.
        accepting_new_patients [accepting]: Option<Accepting>,
        /// A role shown names several places: that all of it holds at each is the payer's silence.
        shared_role: bool,
        /// The roles: in a search those that fit, else all of them here.
        roles: Vec<ProviderRole>
        ;
        /// In an answer about one provider: in network or inactive where this place makes the provider so; else null.
        network_status: Option<NetworkStatus> = |_| None::<core::NetworkStatus>,
    }

    /// Everything known of a provider.
    Provider {
        /// The smallest of its valid NPIs; null: it has none.
        npi: Option<Npi>,
        /// What is stated for an NPI where none is valid.
        stated_npi: Option<String>,
        /// Its further NPIs.
        aliases: Vec<Npi>,
        /// Its name; empty if nothing names it.
        name: String,
        /// Other names that its resources have.
        other_names: Vec<String>,
        /// A person or an organization.
        kind: ProviderKind,
        /// Gender as stated.
        gender: Option<String>,
        /// Languages as stated.
        languages: Vec<String>,
        /// Its own phones.
        phones: Vec<String>,
        /// Where it practices, with all roles, inactive ones too; the place "not stated" last.
        locations: Vec<PracticeLocation>,
    }

    /// A network whose part of the directory is incomplete or empty, and why.
    NetworkGap {
        /// The network.
        network: Network,
        /// Why, for people.
        reason: String,
    }

    /// The answer to whether a provider is in a network.
    NetworkAnswer {
        /// Its standing.
        status: NetworkStatus,
        /// Why, where the status alone does not say it, for people.
        reason: Option<String>,
        /// The networks asked for that it is in; for `inactive`, that it would be in.
        networks: Vec<Network>,
        /// What is marked inactive, for `inactive`.
        inactive: Vec<Inactive>,
        /// Since or until when, where the payer states it.
        inactive_dates: Vec<InactiveDate>,
        /// Every role that says so names several places: that it holds at each is the payer's silence.
        shared_role: bool,
    }

    /// A specialty that may have been meant and was not taken.
    SimilarSpecialty {
        /// Its name.
        name: String,
        /// How many practice locations the same search finds with it; null: the search does not ask for
        /// these counts.
        total: Option<i64>,
    }

    /// An address as it was read. Number, street and units are in short forms: `N MAIN ST`.
    AskedAddress {
        /// The house number.
        number: Option<String>,
        /// The street, or the name of a house without a number; null for a box of the post office.
        street: Option<String>,
        /// Units, such as `300`, `FL 2` and `PO BOX 9`; empty: the whole house is meant.
        units: Vec<String>,
        /// The city.
        city: Option<String>,
        /// The state.
        state: Option<State>,
        /// The ZIP.
        zip: Option<Zip5>
        ;
        /// The address in one line.
        summary: String = core::AskedAddress::summary,
    }

    /// An address that is not the one asked for, and near it.
    NearAddress {
        /// In what it differs.
        difference: AddressDifference,
        /// Its lines, as the source writes them, joined by blanks.
        address: String,
        /// Its city.
        city: Option<String>,
        /// Its state.
        state: Option<State>,
        /// Its ZIP.
        zip: Option<Zip5>,
        /// Practice locations there, with an active role or not.
        practice_locations: i64,
    }

    /// Who practices there.
    PracticingAt {
        /// Practice locations with all their roles: those with an active role first, then by name.
        results: Vec<PracticeLocation>,
        /// How many there are, beyond the results too.
        total: i64,
        /// How many of them have an active role.
        total_active: i64,
        /// Results that were passed over.
        offset: i64,
        /// What to ask with for the results behind these; null: there are none.
        next: Option<PageToken>,
        /// The phone number as it was read.
        phone: Option<String>,
        /// The address as it was read.
        address: Option<AskedAddress>,
        /// Where nobody is there: a few addresses near it where somebody practices, the nearest first.
        near: Vec<NearAddress>,
        /// How the address was read, where it does not go without saying.
        notes: Vec<String>,
        /// Where the answer comes from.
        origin: Origin,
    }

    /// A place of a provider, and why a search shows it, or does not.
    ExplainedPlace {
        /// The place with all roles there.
        practice: PracticeLocation,
        /// How the search shows it.
        result: SearchResult,
        /// The conditions of the place and its roles, in their order. Those of roles hold where one role has them all:
        /// each is asked of the roles that those before it leave, and of all of them once none is left.
        conditions: Vec<Condition>,
    }
}

impl From<ProviderKind> for core::ProviderKind {
    fn from(own: ProviderKind) -> Self {
        match own {
            ProviderKind::Individual => Self::Individual,
            ProviderKind::Organization => Self::Organization,
        }
    }
}
