//! What may be asked: texts as people type them; what is left out is not said.

use coverdex_core as core;
use coverdex_core::Error;

use crate::answers::{Audience, NetworkKind, ProviderKind};
use crate::ids::PageToken;

/// A place as a person names it; the dataset that is asked knows what it means.
#[derive(Clone, Debug, PartialEq, Eq, uniffi::Enum)]
pub enum Place {
    /// A county: name and state (`Travis County, TX`) or FIPS code (`48453`).
    County {
        /// As it was typed.
        text: String,
    },
    /// A ZIP of five digits.
    Zip {
        /// As it was typed.
        text: String,
    },
    /// A point, latitude and longitude in degrees: `30.27,-97.74`. Plans are not sold at points.
    Point {
        /// Latitude, a comma, longitude.
        text: String,
    },
    /// A state, by name or letters. Plans are not sold by states.
    State {
        /// As it was typed.
        text: String,
    },
}

impl From<Place> for core::Place {
    fn from(own: Place) -> Self {
        match own {
            Place::County { text } => Self::County(text),
            Place::Zip { text } => Self::Zip(text),
            Place::Point { text } => Self::Point(text),
            Place::State { text } => Self::State(text),
        }
    }
}

/// The place that a question is about, if it is about one.
pub(crate) fn place(place: Option<Place>) -> Option<core::Place> {
    place.map(Into::into)
}

/// A provider as a person names it.
#[derive(Clone, Debug, PartialEq, Eq, uniffi::Record)]
pub struct ProviderText {
    /// Its NPI, or words of its name.
    pub text: String,
    /// Words of its name beside an NPI that several providers state.
    #[uniffi(default = None)]
    pub name: Option<String>,
}

impl From<ProviderText> for core::ProviderText {
    fn from(own: ProviderText) -> Self {
        Self { text: own.text, name: own.name }
    }
}

/// Which plans; what is not said fits all.
#[derive(Clone, Debug, PartialEq, Eq, uniffi::Record)]
pub struct PlansQuestion {
    /// Words of the name or the beginning of the id.
    #[uniffi(default = None)]
    pub text: Option<String>,
    /// A type code (`MA-PD`), compared without regard to case and punctuation.
    #[uniffi(default = None)]
    pub type_code: Option<String>,
    /// Whom it is sold to.
    #[uniffi(default = None)]
    pub audience: Option<Audience>,
    /// Plan year.
    #[uniffi(default = None)]
    pub year: Option<i32>,
    /// The county or ZIP that it is sold in.
    #[uniffi(default = None)]
    pub place: Option<Place>,
}

/// Which drugs under which plans.
#[derive(Clone, Debug, PartialEq, Eq, uniffi::Record)]
pub struct MatrixQuestion {
    /// Drugs as people say them; each is resolved once, without looking at any plan.
    pub drugs: Vec<String>,
    /// Plans by id or name; empty: those that are sold at the place.
    #[uniffi(default = [])]
    pub plans: Vec<String>,
    /// The county or ZIP whose plans are meant, or that tells a plan's segment.
    #[uniffi(default = None)]
    pub place: Option<Place>,
    /// The plan year; without one that of the data.
    #[uniffi(default = None)]
    pub year: Option<i32>,
    /// Whom the place's plans are sold to; without one individuals.
    #[uniffi(default = None)]
    pub audience: Option<Audience>,
}

/// What one person needs, and the plans to choose from. Nothing of it is kept.
#[derive(Clone, Debug, PartialEq, Eq, uniffi::Record)]
pub struct ComparisonQuestion {
    /// Drugs as people say them.
    #[uniffi(default = [])]
    pub drugs: Vec<String>,
    /// Doctors, pharmacies and others, by NPI or name.
    #[uniffi(default = [])]
    pub providers: Vec<ProviderText>,
    /// Plans by id or name; empty: those that are sold at the place.
    #[uniffi(default = [])]
    pub plans: Vec<String>,
    /// The county or ZIP whose plans are meant, or that tells a plan's segment.
    #[uniffi(default = None)]
    pub place: Option<Place>,
    /// The plan year; without one that of the data.
    #[uniffi(default = None)]
    pub year: Option<i32>,
    /// Another year, to show what changes in each plan.
    #[uniffi(default = None)]
    pub beside: Option<i32>,
    /// Whom the place's plans are sold to; without one individuals.
    #[uniffi(default = None)]
    pub audience: Option<Audience>,
}

/// A search for drugs.
#[derive(Clone, Debug, PartialEq, Eq, uniffi::Record)]
pub struct DrugsQuestion {
    /// What was typed: words, strength, form, or (the beginning of) a code.
    pub text: String,
    /// Also say what this plan says of each, what it lists first: by id in any spelling or by its exact name.
    #[uniffi(default = None)]
    pub plan: Option<String>,
    /// Results at most; no page has more than 10,000.
    #[uniffi(default = 10)]
    pub limit: i32,
    /// Fill in the lists of codes.
    #[uniffi(default = true)]
    pub codes: bool,
    /// The page to show, as the one before it says; null: the first.
    #[uniffi(default = None)]
    pub page: Option<PageToken>,
}

/// Which drug's options, under which plan.
#[derive(Clone, Debug, PartialEq, Eq, uniffi::Record)]
pub struct OptionsQuestion {
    /// The plan, by id in any spelling or by its exact name.
    pub plan: String,
    /// The drug: an NDC, a product NDC, an RxNorm code, or a name with strength.
    pub drug: String,
    /// The county or ZIP that tells the plan's segment.
    #[uniffi(default = None)]
    pub place: Option<Place>,
    /// Also show what the plan does not list; it is counted in any case.
    #[uniffi(default = false)]
    pub not_listed: bool,
    /// Options at most; no page has more than 10,000.
    #[uniffi(default = 20)]
    pub limit: i32,
    /// The page to show, as the one before it says; null: the first.
    #[uniffi(default = None)]
    pub page: Option<PageToken>,
}

/// Which plans of a place cover a drug.
#[derive(Clone, Debug, PartialEq, Eq, uniffi::Record)]
pub struct CoveringQuestion {
    /// The drug: an NDC, a product NDC, an RxNorm code, or a name with strength.
    pub drug: String,
    /// The county or ZIP whose plans are meant.
    pub place: Place,
    /// The plan year; without one that of the data, else the next.
    #[uniffi(default = None)]
    pub year: Option<i32>,
    /// Whom the plans are sold to; without one individuals.
    #[uniffi(default = None)]
    pub audience: Option<Audience>,
}

/// A question for providers. Specialty, networks and accepting status must hold within one active role.
#[derive(Clone, Debug, PartialEq, uniffi::Record)]
pub struct ProvidersQuestion {
    /// In any network of this plan, by id in any spelling or by name.
    #[uniffi(default = None)]
    pub plan: Option<String>,
    /// In this network, `SYSTEM|ID`; not beside a plan.
    #[uniffi(default = None)]
    pub network: Option<String>,
    /// In a network of this kind only.
    #[uniffi(default = None)]
    pub network_kind: Option<NetworkKind>,
    /// Where; null: anywhere, by name.
    #[uniffi(default = None)]
    pub place: Option<Place>,
    /// The radius in kilometers around a county's, a ZIP's or another point; null: 25 miles, from a county as far
    /// beyond its farthest border point.
    #[uniffi(default = None)]
    pub within_km: Option<f64>,
    /// A specialty in any of its spellings, a NUCC taxonomy code, or plain words (`heart doctor`).
    #[uniffi(default = None)]
    pub specialty: Option<String>,
    /// Words of the provider's name, the last of which may not be typed to its end.
    #[uniffi(default = None)]
    pub name: Option<String>,
    /// A person or an organization.
    #[uniffi(default = None)]
    pub kind: Option<ProviderKind>,
    /// A gender, or its first letter.
    #[uniffi(default = None)]
    pub gender: Option<String>,
    /// A language: its name in English or in itself, or its code.
    #[uniffi(default = None)]
    pub language: Option<String>,
    /// Only those who say that they take new patients.
    #[uniffi(default = false)]
    pub accepting: bool,
    /// A city in any spelling; its state may stand behind a comma.
    #[uniffi(default = None)]
    pub city: Option<String>,
    /// Results at most; no page has more than 10,000.
    #[uniffi(default = 20)]
    pub limit: i32,
    /// Results to pass over first; not beside `page`.
    #[uniffi(default = 0)]
    pub offset: i32,
    /// The page to show, as the one before it says; null: the one from `offset` on.
    #[uniffi(default = None)]
    pub page: Option<PageToken>,
    /// Whether to look for what else may be meant: similar specialties are counted, and names that are spelled
    /// nearly so looked for where nobody is found. Leave it out while a text is being typed.
    #[uniffi(default = true)]
    pub count_similar: bool,
}

/// A question for one provider.
#[derive(Clone, Debug, PartialEq, Eq, uniffi::Record)]
pub struct ProviderQuestion {
    /// Any NPI of the provider: ten digits.
    pub npi: String,
    /// Words of its name, where several providers state the NPI.
    #[uniffi(default = None)]
    pub name: Option<String>,
    /// The plan whose networks are meant, by id in any spelling or by name.
    #[uniffi(default = None)]
    pub plan: Option<String>,
    /// The network that is meant, `SYSTEM|ID`; not beside a plan.
    #[uniffi(default = None)]
    pub network: Option<String>,
    /// Only its networks of this kind.
    #[uniffi(default = None)]
    pub network_kind: Option<NetworkKind>,
}

/// Which providers are in the networks of which plans.
#[derive(Clone, Debug, PartialEq, Eq, uniffi::Record)]
pub struct NetworkMatrixQuestion {
    /// Providers by NPI or name; each is looked up once.
    pub providers: Vec<ProviderText>,
    /// Plans by id or name; empty: those that are sold at the place.
    #[uniffi(default = [])]
    pub plans: Vec<String>,
    /// The county or ZIP whose plans are meant, or that tells a plan's segment.
    #[uniffi(default = None)]
    pub place: Option<Place>,
    /// The plan year; without one that of the data.
    #[uniffi(default = None)]
    pub year: Option<i32>,
    /// Whom the place's plans are sold to; without one individuals.
    #[uniffi(default = None)]
    pub audience: Option<Audience>,
    /// Only the plans' networks of this kind.
    #[uniffi(default = None)]
    pub network_kind: Option<NetworkKind>,
}

/// Which plans of a place have a provider in their networks.
#[derive(Clone, Debug, PartialEq, Eq, uniffi::Record)]
pub struct TakingQuestion {
    /// The provider.
    pub provider: ProviderText,
    /// The county or ZIP whose plans are meant.
    pub place: Place,
    /// The plan year; without one that of the data, else the next.
    #[uniffi(default = None)]
    pub year: Option<i32>,
    /// Whom the plans are sold to; without one individuals.
    #[uniffi(default = None)]
    pub audience: Option<Audience>,
    /// Only the plans' networks of this kind.
    #[uniffi(default = None)]
    pub network_kind: Option<NetworkKind>,
}

/// Who practices at an address, or is reached by a phone number; one of the two, or both.
#[derive(Clone, Debug, PartialEq, Eq, uniffi::Record)]
pub struct PracticingAtQuestion {
    /// A street address with its ZIP, or with city and state: `500 E Benson Blvd Ste 103, Anchorage AK 99503`, in any
    /// spelling. Without a suite the whole house is meant.
    #[uniffi(default = None)]
    pub address: Option<String>,
    /// A phone number of ten digits, in any spelling; its extension plays no part.
    #[uniffi(default = None)]
    pub phone: Option<String>,
    /// Results at most; no page has more than 10,000.
    #[uniffi(default = 20)]
    pub limit: i32,
    /// The page to show, as the one before it says; null: the first.
    #[uniffi(default = None)]
    pub page: Option<PageToken>,
}

/// How many results, or how many to pass over.
pub(crate) fn count(name: &str, count: i32) -> core::Result<usize> {
    usize::try_from(count).map_err(|_| Error::invalid(name, format!("{count} is less than none")))
}

/// A year, if one is named.
pub(crate) fn year(year: Option<i32>) -> core::Result<Option<u16>> {
    let valid = |year| u16::try_from(year).map_err(|_| Error::invalid(format!("year {year}"), "there is no such year"));
    year.map(valid).transpose()
}

impl TryFrom<MatrixQuestion> for core::MatrixQuestion {
    type Error = Error;

    fn try_from(own: MatrixQuestion) -> core::Result<Self> {
        Ok(Self {
            drugs: own.drugs,
            plans: own.plans,
            place: place(own.place),
            year: year(own.year)?,
            audience: own.audience.map(Into::into),
        })
    }
}

impl TryFrom<ComparisonQuestion> for core::ComparisonQuestion {
    type Error = Error;

    fn try_from(own: ComparisonQuestion) -> core::Result<Self> {
        Ok(Self {
            drugs: own.drugs,
            providers: own.providers.into_iter().map(Into::into).collect(),
            plans: own.plans,
            place: place(own.place),
            year: year(own.year)?,
            beside: year(own.beside)?,
            audience: own.audience.map(Into::into),
        })
    }
}

impl TryFrom<OptionsQuestion> for core::OptionsQuestion {
    type Error = Error;

    fn try_from(own: OptionsQuestion) -> core::Result<Self> {
        Ok(Self {
            plan: own.plan,
            drug: own.drug,
            place: place(own.place),
            not_listed: own.not_listed,
            limit: count("limit", own.limit)?,
            page: own.page,
        })
    }
}

impl TryFrom<ProvidersQuestion> for core::ProvidersQuestion {
    type Error = Error;

    fn try_from(own: ProvidersQuestion) -> core::Result<Self> {
        Ok(Self {
            plan: own.plan,
            network: own.network,
            network_kind: own.network_kind.map(Into::into),
            place: place(own.place),
            radius_km: own.within_km,
            specialty: own.specialty,
            name: own.name,
            kind: own.kind.map(Into::into),
            gender: own.gender,
            language: own.language,
            accepting: own.accepting,
            city: own.city,
            limit: count("limit", own.limit)?,
            offset: count("offset", own.offset)?,
            page: own.page,
            count_similar: own.count_similar,
        })
    }
}

impl From<ProviderQuestion> for core::ProviderQuestion {
    fn from(own: ProviderQuestion) -> Self {
        Self {
            npi: own.npi,
            name: own.name,
            plan: own.plan,
            network: own.network,
            network_kind: own.network_kind.map(Into::into),
        }
    }
}

impl TryFrom<NetworkMatrixQuestion> for core::NetworkMatrixQuestion {
    type Error = Error;

    fn try_from(own: NetworkMatrixQuestion) -> core::Result<Self> {
        Ok(Self {
            providers: own.providers.into_iter().map(Into::into).collect(),
            plans: own.plans,
            place: place(own.place),
            year: year(own.year)?,
            audience: own.audience.map(Into::into),
            network_kind: own.network_kind.map(Into::into),
        })
    }
}

impl TryFrom<PracticingAtQuestion> for core::PracticingAtQuestion {
    type Error = Error;

    fn try_from(own: PracticingAtQuestion) -> core::Result<Self> {
        Ok(Self { address: own.address, phone: own.phone, limit: count("limit", own.limit)?, page: own.page })
    }
}
