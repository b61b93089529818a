//! FHIR resources (DaVinci drug formulary STU1, Plan-Net) into the facts of
//! [`model`](crate::model).
//!
//! Resources are parsed into structs that borrow from the bytes and name only what is used. What a
//! payer may get wrong inside a resource is taken leniently (see `lenient`), a property that stands
//! twice is settled or the resource refused (see `duplicates`), and whatever cannot be understood is
//! an outcome with its reason: nothing is dropped without a trace.

mod bundle;
mod datatypes;
mod drug;
mod duplicates;
mod formulary;
mod identity;
mod lenient;
mod list;
mod network;
mod note;
mod plan;

use std::borrow::Cow;

use serde::Deserialize;
use serde::de::IgnoredAny;

pub use bundle::{Bundle, BundleEntry, read_bundle};
pub use note::{Note, Notes};

use self::datatypes::Meta;
use self::identity::{Bundled, parts, source_id, source_id_of_content, stamp};
use self::lenient::{One, Text};
use crate::model::{Content, Received, ResourceKind, SourceId};

/// What became of one piece of JSON.
#[allow(clippy::large_enum_variant, reason = "short-lived, and nearly all of them are of the large kind")]
#[derive(Clone, Debug, PartialEq)]
pub enum Outcome {
    /// A resource of a type that is read: a fact, quarantined, or of no use; and what was set aside
    /// in it.
    Received(Received, Notes),
    /// A resource of a type that is not read, such as OperationOutcome or Basic.
    Unread(String),
    /// A resource of a member's own data, such as Coverage or Patient: never read.
    MemberData(String),
    /// A Bundle: read it with [`read_bundle`] or [`Bundle::parse`].
    Bundle,
    /// JSON that is no FHIR resource: the reason.
    NotAResource(String),
    /// No JSON: where and why.
    NotJson(String),
}

/// Resource types that say something about a member. They are told apart so that a report can say
/// that they were seen and left alone.
const MEMBER_DATA: [&str; 34] = [
    "Account",
    "AllergyIntolerance",
    "Appointment",
    "CarePlan",
    "CareTeam",
    "Claim",
    "ClaimResponse",
    "Communication",
    "Condition",
    "Consent",
    "Coverage",
    "CoverageEligibilityRequest",
    "CoverageEligibilityResponse",
    "DiagnosticReport",
    "DocumentReference",
    "Encounter",
    "EnrollmentRequest",
    "EnrollmentResponse",
    "ExplanationOfBenefit",
    "FamilyMemberHistory",
    "Goal",
    "Immunization",
    "MedicationAdministration",
    "MedicationDispense",
    "MedicationRequest",
    "MedicationStatement",
    "Observation",
    "Patient",
    "Person",
    "Procedure",
    "QuestionnaireResponse",
    "RelatedPerson",
    "RiskAssessment",
    "ServiceRequest",
];

/// Reads one resource: a line of NDJSON, a body, an entry of a Bundle.
#[must_use]
pub fn read_resource(bytes: &[u8]) -> Outcome {
    read_in(bytes, &Bundled::default(), None)
}

/// Drops a byte-order mark and the blanks around.
pub(crate) fn trim(bytes: &[u8]) -> &[u8] {
    let bytes = bytes.trim_ascii();
    bytes.strip_prefix(b"\xef\xbb\xbf").map_or(bytes, |rest| rest.trim_ascii_start())
}

/// Reads one resource whose references may lean on `bundled`, and whose id may be the Bundle's
/// `full_url` for it.
fn read_in(bytes: &[u8], bundled: &Bundled<'_>, full_url: Option<&str>) -> Outcome {
    let bytes = trim(bytes);
    if bytes.first() != Some(&b'{') {
        return match serde_json::from_slice::<IgnoredAny>(bytes) {
            Ok(_) => Outcome::NotAResource("no JSON object".to_owned()),
            Err(error) => Outcome::NotJson(error.to_string()),
        };
    }
    attempt(bytes, bundled, full_url, Notes::default())
        .unwrap_or_else(|error| second_attempt(bytes, &error, bundled, full_url))
}

fn attempt(
    bytes: &[u8],
    bundled: &Bundled<'_>,
    full_url: Option<&str>,
    notes: Notes,
) -> Result<Outcome, serde_json::Error> {
    let name = match leading_type(bytes) {
        Some(name) => Cow::Borrowed(name),
        None => match serde_json::from_slice::<TypeOnly<'_>>(bytes)?.resource_type.get() {
            Some(name) => Cow::Owned(name.to_owned()),
            None => return Ok(Outcome::NotAResource("no resourceType".to_owned())),
        },
    };
    let Some(kind) = ResourceKind::from_name(&name) else {
        serde_json::from_slice::<IgnoredAny>(bytes)?;
        return Ok(if name == "Bundle" {
            Outcome::Bundle
        } else if MEMBER_DATA.contains(&name.as_ref()) {
            Outcome::MemberData(name.into_owned())
        } else {
            Outcome::Unread(name.into_owned())
        });
    };
    let context = Context { kind, bytes, bundled, full_url };
    match kind {
        ResourceKind::List => context.read::<list::List<'_>>(notes),
        ResourceKind::MedicationKnowledge => context.read::<formulary::MedicationKnowledge<'_>>(notes),
        ResourceKind::Medication => context.read::<formulary::Medication<'_>>(notes),
        ResourceKind::InsurancePlan => context.read::<plan::InsurancePlan<'_>>(notes),
        ResourceKind::PractitionerRole
        | ResourceKind::Practitioner
        | ResourceKind::Organization
        | ResourceKind::Location => Ok(Outcome::Unread(name.into_owned())),
    }
}

/// After a failed attempt: bytes that are no UTF-8 are replaced, properties that stand twice with
/// the same value become one; what still fails is refused.
fn second_attempt(bytes: &[u8], error: &serde_json::Error, bundled: &Bundled<'_>, full_url: Option<&str>) -> Outcome {
    let mut notes = Notes::default();
    let text = String::from_utf8_lossy(bytes);
    if matches!(text, Cow::Owned(_)) {
        notes.add(Note::DamagedText);
    }
    let Some(canonical) = duplicates::canonical(&text) else { return Outcome::NotJson(error.to_string()) };
    if error.is_data() {
        notes.add(Note::RepeatedProperty);
    }
    let bytes = canonical.as_bytes();
    attempt(bytes, bundled, full_url, notes).unwrap_or_else(|error| refuse(bytes, &error))
}

/// A resource that is JSON but cannot be read: in all likelihood for a property that stands twice.
fn refuse(bytes: &[u8], error: &serde_json::Error) -> Outcome {
    let text = error.to_string();
    let reason = match text.strip_prefix("duplicate field `").and_then(|rest| rest.split_once('`')) {
        Some((property, _)) => format!("the property {property:?} stands twice with different values"),
        None => text,
    };
    let kind = serde_json::from_slice::<TypeOnly<'_>>(bytes)
        .ok()
        .and_then(|head| head.resource_type.get().and_then(ResourceKind::from_name));
    let Some(kind) = kind else { return Outcome::NotAResource(reason) };
    let head = serde_json::from_slice::<Head<'_>>(bytes).unwrap_or_default();
    let source = head.id.get().map_or_else(|| source_id_of_content(bytes), |id| source_id(kind.as_str(), id));
    let updated = stamp(head.meta.0.as_ref().and_then(|meta| meta.last_updated.get()));
    Outcome::Received(Received { kind, source, updated, content: Content::Quarantined(reason) }, Notes::default())
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct TypeOnly<'a> {
    #[serde(borrow, rename = "resourceType")]
    resource_type: Text<'a>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Head<'a> {
    #[serde(borrow)]
    id: Text<'a>,
    #[serde(borrow)]
    meta: One<Meta<'a>>,
}

/// The resource type, where it is the first property, as it nearly always is: the rest is then
/// parsed only once.
fn leading_type(bytes: &[u8]) -> Option<&str> {
    let rest = bytes.strip_prefix(b"{")?.trim_ascii_start().strip_prefix(b"\"resourceType\"")?;
    let rest = rest.trim_ascii_start().strip_prefix(b":")?.trim_ascii_start().strip_prefix(b"\"")?;
    let end = rest.iter().take(64).position(|b| !b.is_ascii_alphanumeric())?;
    let name = rest.get(..end)?;
    (rest.get(end) == Some(&b'"') && !name.is_empty()).then(|| std::str::from_utf8(name).ok()).flatten()
}

/// A resource type that is read.
trait Resource<'de>: Deserialize<'de> {
    fn id(&self) -> Option<&str>;
    fn meta(&self) -> Option<&Meta<'de>>;
    fn content(&self, bundled: &Bundled<'_>, notes: &mut Notes) -> Content;
}

macro_rules! resources {
    ($($name:path),+ $(,)?) => {$(
        impl<'de> Resource<'de> for $name {
            fn id(&self) -> Option<&str> {
                self.id.get()
            }

            fn meta(&self) -> Option<&Meta<'de>> {
                self.meta.0.as_ref()
            }

            fn content(&self, bundled: &Bundled<'_>, notes: &mut Notes) -> Content {
                self.content(bundled, notes)
            }
        }
    )+};
}

resources!(list::List<'de>, formulary::MedicationKnowledge<'de>, formulary::Medication<'de>, plan::InsurancePlan<'de>,);

/// Where a resource stands.
struct Context<'a> {
    kind: ResourceKind,
    bytes: &'a [u8],
    bundled: &'a Bundled<'a>,
    full_url: Option<&'a str>,
}

impl<'a> Context<'a> {
    fn read<T: Resource<'a>>(&self, mut notes: Notes) -> Result<Outcome, serde_json::Error> {
        let resource: T = serde_json::from_slice(self.bytes)?;
        let content = resource.content(self.bundled, &mut notes);
        let received = Received {
            kind: self.kind,
            source: self.source(resource.id(), &mut notes),
            updated: stamp(resource.meta().and_then(|meta| meta.last_updated.get())),
            content,
        };
        Ok(Outcome::Received(received, notes))
    }

    fn source(&self, id: Option<&str>, notes: &mut Notes) -> SourceId {
        let name = self.kind.as_str();
        let of_url = || self.full_url.and_then(parts).filter(|(kind, _)| kind.is_none_or(|kind| kind == name));
        match id.or_else(|| of_url().map(|(_, id)| id)) {
            Some(id) => source_id(name, id),
            None => {
                notes.add(Note::WithoutId);
                source_id_of_content(self.bytes)
            }
        }
    }
}

#[cfg(test)]
mod tests;
