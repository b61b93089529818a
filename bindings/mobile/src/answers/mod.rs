//! What calls answer: records with the fields of core's answers, and enums for whatever is one of a few.

mod asked;
mod coverage;
mod cross;
mod drugs;
mod info;
mod networks;
mod origin;
mod plans;
mod providers;

pub use asked::{
    AskedNetworks, PlaceCounty, PlaceKind, ProviderAnswer, ProviderExplanation, ProvidersAnswer, SearchPlace,
};
pub use coverage::{
    AskedDrug, Candidate, Caveat, Condition, Coverage, CoverageAnswer, CoverageExplanation, CoverageMatrix,
    CoverageReason, CoverageStatus, CoveringPlan, DrugCodes, MatrixPlan, PackageCoverage, PlansCovering, Restriction,
    Restrictions, Statement, StatusCount, Tier, TierLevel, TierStatus, Varies,
};
pub(crate) use cross::Cross;
pub use drugs::{Comparison, DrugDifference, DrugIngredient, DrugLine, DrugOption, DrugOptions, DrugPage};
pub use info::{Info, Installed, ReasonCount, ResourceCount, Source, TierCount, Verified};
pub use networks::{
    AskedProvider, Change, ComparedPlan, NetworkMatrix, NetworkMatrixPlan, PlanBeside, PlanComparison, PlanStanding,
    PlansTaking, Standing,
};
pub use origin::Origin;
pub use plans::{
    Audience, CountiesFound, CountyFound, DrugBenefit, FormerCounty, Network, NetworkKey, NetworkKind, Offered, Plan,
    PlanHere, PlansFound,
};
pub use providers::{
    Accepting, AcceptingStatement, AddressDifference, AskedAddress, ExplainedPlace, Inactive, InactiveDate, Location,
    NearAddress, NetworkAnswer, NetworkGap, NetworkStatus, PhoneFrom, PracticeLocation, PracticingAt, Precision,
    Provider, ProviderKind, ProviderRole, RoleDoubt, SearchResult, SimilarSpecialty,
};
