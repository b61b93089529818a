//! A made payer: FHIR resources in the shapes that payers serve, as many as wanted, each a pure
//! function of a seed, a shape and its number, so that any amount can be written or served page by
//! page without holding it; and the right answers, from the model behind the resources and not from
//! the resources.
//!
//! ```
//! use coverdex_sandbox::{MadePayer, ResourceType, Shape};
//!
//! let payer = MadePayer::new(Shape::tiny());
//! let entry = payer.resource(ResourceType::MedicationKnowledge, 7);
//! assert!(entry.starts_with("{\"resourceType\":\"MedicationKnowledge\""));
//! let id = payer.id(ResourceType::MedicationKnowledge, 7);
//! assert_eq!(payer.find(&id), Some((ResourceType::MedicationKnowledge, 7)));
//! ```

mod counties;
pub mod directory;
pub mod drugs;
mod folder;
mod formulary;
mod geography;
mod ids;
mod networks;
mod payer;
mod plans;
mod quirks;
mod random;
mod rows;
#[cfg(feature = "server")]
pub mod server;
mod shape;
pub mod truth;
mod write;

pub use directory::Directory;
pub use drugs::{DrugFacts, Package};
pub use folder::{Arrangement, Compression, FolderOptions, Written};
pub use formulary::{Stated, Tier};
pub use networks::{Network, NetworkUse};
pub use payer::{MadePayer, ResourceType};
pub use plans::{Area, Kind, Plan};
pub use quirks::{Quirk, QuirkSet, Quirks};
pub use shape::Shape;
pub use truth::Truth;

/// The profile that Lists of a formulary state.
pub const PROFILE_COVERAGE_PLAN: &str =
    "http://hl7.org/fhir/us/davinci-drug-formulary/StructureDefinition/usdf-CoveragePlan";

#[cfg(test)]
mod tests;
