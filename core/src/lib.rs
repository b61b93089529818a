#![doc = include_str!("../README.md")]
#![cfg_attr(
    not(feature = "build"),
    allow(unreachable_pub, reason = "what the builder shares is public in its module, which is left out here")
)]

// The `pub use` lines below are the API.

mod address;
mod asked;
mod cancel;
mod compare;
mod coverage;
mod data;
mod dataset;
mod drug_search;
mod drug_text;
mod drugs;
mod error;
mod explain;
mod fold;
mod format;
mod gaps;
mod geo;
mod ids;
#[cfg(feature = "json")]
mod json;
mod lazy;
mod options;
mod origin;
mod page;
mod phone;
mod place;
mod plans;
mod providers;
mod spelling;
mod store;
#[cfg(feature = "tables")]
mod tables;
mod tier;
mod words;

pub use cancel::Cancel;
pub use compare::{Change, ComparedPlan, ComparisonQuestion, PlanBeside, PlanComparison};
pub use coverage::{
    AskedDrug, Caveat, Caveats, Comparison, Coverage, CoverageAnswer, CoverageExplanation, CoverageMatrix,
    CoverageReason, CoverageStatus, CoveringPlan, DrugCodes, MatrixPlan, MatrixQuestion, PackageCoverage,
    PlansCovering, Restriction, Restrictions, Statement, StatusCount, Varies,
};
pub use dataset::{
    Dataset, FileSize, Info, ReasonCount, ResourceCount, SizePart, Sizes, TableSize, TierCount, Verified, verify,
    verify_cancelled_by,
};
pub use drug_search::{DrugLine, DrugPage, DrugSearch, DrugsQuestion};
pub use drugs::{Candidate, Drug, DrugDifference, Resolution};
pub use error::{Damage, Error, ErrorKind, Result};
pub use explain::{Condition, SourceResource};
pub use format::{FileEntry, Manifest, Part, Source};
pub use geo::{County, FormerCounty, Point, kilometers, miles};
pub use ids::{
    Audience, CountyFips, Date, Hios, MedicarePlan, Ndc11, NetworkKey, NetworkKind, Npi, PlanId, ProductNdc, Rxcui,
    State, Zip5,
};
pub use options::{DrugIngredient, DrugOption, DrugOptions, OptionsQuestion};
pub use origin::Origin;
pub use page::PageToken;
pub use place::Place;
pub use plans::{
    CountiesFound, CountyFound, DrugBenefit, Network, Offered, Plan, PlanFilter, PlanHere, PlansFound, PlansHere,
    ResolvedPlan,
};
pub use providers::{
    Accepting, AcceptingStatement, AddressDifference, AskedAddress, AskedNetworks, AskedProvider, ExplainedPlace,
    Inactive, InactiveDate, Location, Near, NearAddress, NetworkAnswer, NetworkGap, NetworkMatrix, NetworkMatrixPlan,
    NetworkMatrixQuestion, NetworkNames, NetworkStatus, PhoneFrom, PlanStanding, PlansTaking, PracticeLocation,
    PracticingAt, PracticingAtQuestion, Precision, Provider, ProviderAnswer, ProviderExplanation, ProviderKind,
    ProviderQuery, ProviderQuestion, ProviderRole, ProviderSearch, ProviderText, ProvidersAnswer, ProvidersFound,
    ProvidersQuestion, ResolvedNetwork, RoleDoubt, SearchPlace, SearchResult, SimilarSpecialty, Standing,
};
pub use store::{Installed, Published, Store};
#[cfg(feature = "tables")]
pub use tables::{
    Batch, Column, ColumnKind, PlainValues, PracticeQuery, Table, TableQuery, TextValues, TextsValues, Values,
};
pub use tier::{Tier, TierLevel, TierStatus};

/// What the builder shares with the reader: the format, the folding of texts, the rules of the field.
#[cfg(feature = "build")]
pub mod build {
    pub use crate::data::{LineTexts, NAME_BEGINS, encode_numbers, index_schema, line_terms};
    pub use crate::drug_text::{DrugText, Merged, merge, package_form};
    pub use crate::gaps::lacks_too_many;
    pub use crate::ids::{NdcLayout, NdcQuery, PlanQuery, fold_system};

    /// What spellings of one address share.
    pub mod address {
        pub use crate::address::*;
    }
    /// Folding of texts, so that what is typed finds what is written.
    pub mod fold {
        pub use crate::fold::*;
    }
    /// Files, sections and tables of a dataset.
    pub mod format {
        pub use crate::format::*;
    }
    /// Datasets on their way into a store.
    pub mod store {
        pub use crate::store::{
            FETCHED, PUBLISHED, Record, Unfinished, advised, sync_file, sync_folder, write_durably,
        };
    }
    /// Counties and ZIP areas as they lie in a database.
    pub mod geo {
        pub use crate::geo::*;
    }
    /// Phone numbers.
    pub mod phone {
        pub use crate::phone::*;
    }
    /// Words for people.
    pub mod words {
        pub use crate::words::*;
    }
    /// The directory's file, and how names, specialties, languages and cities are spelled.
    pub mod providers {
        pub use crate::data::directory::names::{name_schema, name_terms};
        pub use crate::data::directory::{Directory, layout};
        pub use crate::providers::PracticesFound;
        pub use crate::providers::USUAL_REACH_KM;
        pub use crate::spelling::{
            CLOSED_CODES, cities_written_out, city_key, city_without_state, language_name, languages_in, name_key,
            name_words, names_index, says_closed, specialty_key, specialty_parts, tells_a_field,
        };
    }
}
