//! Plans, networks and counties.

use coverdex_core as core;

use super::Origin;
use super::cross::{Cross, enums, records};
use crate::ids::{CountyFips, PlanId, State};

enums! {
    /// Whom a plan is sold to: a hint from the package number, type and name, never a fact of the source.
    Audience {
        /// Anyone eligible.
        Individual,
        /// An employer's or union's members (package number 800–999).
        EmployerGroup,
        /// Special-needs plans.
        SpecialNeeds,
        /// Medicaid plans.
        Medicaid,
        /// Nothing tells.
        NotStated,
    }

    /// What a network is for, told by its system.
    NetworkKind {
        /// Pharmacies.
        Pharmacy,
        /// Vision providers.
        Vision,
        /// Medical and dental providers.
        Medical,
        /// The system does not say.
        Unknown,
    }

    /// What is known of a plan's formulary.
    DrugBenefit [else Incomplete] {
        /// Received as completely as the payer serves it.
        Complete,
        /// A part is missing: absence means nothing.
        Incomplete,
        /// Rows came, but no List that says which must exist: absence means nothing.
        NoList,
        /// No List entry and no row.
        NoFormularyPublished,
        /// A plan type without drugs.
        NoDrugBenefit,
        /// The sync left it out.
        NotSynced,
    }

    /// Whether a plan is sold at a place.
    Offered [else Unknown] {
        /// Its service area does not have the place.
        No,
        /// It states no area, or names a county that fits several or none.
        Unknown,
        /// Its service area has some counties of the ZIP in which people live, and not, or perhaps not, the others.
        Partly,
        /// Its service area has the place.
        Yes,
    }
}

records! {
    /// One plan benefit package in one year.
    Plan {
        /// The plan's id.
        id: PlanId,
        /// Plan year, where the id or the source states one.
        year: Option<i32>,
        /// Name.
        name: Option<String>,
        /// The payer's type codes (`MA-PD`, …).
        types: Vec<String>,
        /// Whom it is sold to, a hint.
        audience: Audience,
        /// Whether an InsurancePlan describes it; else it is known from its formulary alone.
        offered: bool,
        /// Its networks.
        networks: Vec<Network>,
        /// What is known of its formulary.
        drugs: DrugBenefit,
        /// Lists received.
        lists: i32,
        /// Distinct entries that its Lists name.
        expected: i32,
        /// Of those, absent or quarantined.
        gaps: i32,
        /// Of the gaps, those that came and could not be understood.
        quarantined: i32,
        /// Networks that it names by references that lead nowhere: which they are is not known.
        lost_networks: i32
        ;
        /// The payer's type code; a code before words where it states several.
        type_code: Option<String> = |own| own.kind().map(str::to_owned),
        /// Whether it has a drug list to answer from.
        formulary: bool = |own| own.drugs.has_entries(),
    }

    /// A plan, and whether it is sold at the place that was asked for.
    PlanHere {
        /// The plan.
        plan: Plan,
        /// Whether it is sold there; null where no place was asked for.
        offered: Option<Offered>,
    }

    /// The plans that fit.
    PlansFound {
        /// Plans, by id; at a place those that are sold in it or in a part of it.
        results [plans]: Vec<PlanHere>,
        /// Plans of which nobody can tell whether they are sold there.
        area_unknown: Vec<PlanHere>,
        /// The counties that the place was read as; empty where none was asked for.
        place: Vec<CountyFound>,
        /// How the place was read, for people, where that does not go without saying.
        note: Option<String>,
        /// Where the answer comes from.
        origin: Origin,
    }

    /// A county that was renamed, merged or divided.
    FormerCounty {
        /// Its code.
        fips: CountyFips,
        /// Its full name.
        name: String,
        /// The state it lay in.
        state: State,
        /// The year from which it is former.
        since: i32,
    }

    /// What a text means, asked for as a county or a ZIP.
    CountiesFound {
        /// The counties, those of a ZIP with their shares.
        results [counties]: Vec<CountyFound>,
        /// The former county that was named: the counties are those of today that it is in.
        former: Option<FormerCounty>,
        /// How the text was read, for people, where that does not go without saying.
        note: Option<String>,
        /// Where the answer comes from.
        origin: Origin,
    }
}

/// A payer network: keyed by system and id. A label is a label, never a key.
#[derive(Clone, Debug, PartialEq, Eq, uniffi::Record)]
pub struct NetworkKey {
    /// The system, as received.
    pub system: String,
    /// The id within the system.
    pub id: String,
}

/// A network with its label.
#[derive(Clone, Debug, PartialEq, Eq, uniffi::Record)]
pub struct Network {
    /// System and id.
    pub key: NetworkKey,
    /// What it is for.
    pub kind: NetworkKind,
    /// The payer's words for it.
    pub label: Option<String>,
}

impl From<core::Network> for Network {
    fn from(own: core::Network) -> Self {
        Self {
            key: NetworkKey { system: own.key.system().to_owned(), id: own.key.id().to_owned() },
            kind: own.kind.into(),
            label: own.label().map(str::to_owned),
        }
    }
}

impl Cross<Network> for core::Network {
    fn cross(self) -> Network {
        self.into()
    }
}

/// A county that a text or a ZIP means.
#[derive(Clone, Debug, PartialEq, uniffi::Record)]
pub struct CountyFound {
    /// Its code.
    pub fips: CountyFips,
    /// Its full name, such as `Baltimore city` or `Capitol Planning Region`.
    pub name: String,
    /// The state it lies in.
    pub state: State,
    /// Latitude in degrees of the point that distances from the county are measured from.
    pub lat: f64,
    /// Its longitude.
    pub lon: f64,
    /// The share of the ZIP's people who live there, 0 to 1; null where a text was looked up.
    pub share: Option<f64>,
}

impl From<core::CountyFound> for CountyFound {
    fn from(own: core::CountyFound) -> Self {
        let core::CountyFound { county, share, .. } = own;
        let (lat, lon) = (county.point.lat(), county.point.lon());
        Self { fips: county.fips, name: county.name, state: county.state, lat, lon, share }
    }
}

impl Cross<CountyFound> for core::CountyFound {
    fn cross(self) -> CountyFound {
        self.into()
    }
}

/// Enums that questions name too.
macro_rules! asked {
    ($($name:ident { $($variant:ident),* $(,)? })*) => {$(
        impl From<$name> for core::$name {
            fn from(own: $name) -> Self {
                match own {
                    $($name::$variant => Self::$variant,)*
                }
            }
        }
    )*};
}

asked! {
    Audience { Individual, EmployerGroup, SpecialNeeds, Medicaid, NotStated }
    NetworkKind { Pharmacy, Vision, Medical, Unknown }
}
