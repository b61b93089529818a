//! FHIR resources (DaVinci drug formulary STU1, Plan-Net) into the facts of
//! [`model`](crate::model).
//!
//! Resources are parsed into structs that borrow from the bytes and name only what is used. What a
//! payer may get wrong inside a resource is taken leniently (see `lenient`), a property that stands
//! twice is settled or the resource refused (see `duplicates`), and whatever cannot be understood is
//! an outcome with its reason: nothing is dropped without a trace.

mod bundle;
mod contact;
mod datatypes;
mod drug;
mod duplicates;
mod formulary;
mod hours;
mod identity;
mod lenient;
mod list;
mod location;
mod lost;
mod network;
mod note;
mod plan;
mod provider;
mod role;

use std::borrow::Cow;

use serde::Deserialize;
use serde::de::IgnoredAny;

pub use bundle::{Bundle, BundleEntry, read_bundle};
pub use note::{Note, Notes};

use self::datatypes::Meta;
use self::identity::{Bundled, parts, source_id, source_id_of_content, stamp};
use self::lenient::{One, Text};
use crate::model::{Content, Received, ResourceKind, SourceId, Stamp};

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
    match std::str::from_utf8(bytes) {
        Ok(text) => read_in(text, &Bundled::default(), None),
        Err(_) => match read_in(&String::from_utf8_lossy(bytes), &Bundled::default(), None) {
            Outcome::Received(received, mut notes) => {
                notes.add(Note::DamagedText);
                Outcome::Received(received, notes)
            }
            outcome => outcome,
        },
    }
}

/// Drops a byte-order mark and the blanks around.
fn trim(text: &str) -> &str {
    let text = text.trim_ascii();
    text.strip_prefix('\u{feff}').map_or(text, str::trim_ascii_start)
}

/// Reads one resource whose references may lean on `bundled`, and whose id may be the Bundle's
/// `full_url` for it.
fn read_in(text: &str, bundled: &Bundled<'_>, full_url: Option<&str>) -> Outcome {
    let text = trim(text);
    if !text.starts_with('{') {
        return match serde_json::from_str::<IgnoredAny>(text) {
            Ok(_) => Outcome::NotAResource("no JSON object".to_owned()),
            Err(error) => Outcome::NotJson(error.to_string()),
        };
    }
    attempt(text, bundled, full_url, Notes::default())
        .unwrap_or_else(|error| second_attempt(text, &error, bundled, full_url))
}

fn attempt(
    text: &str,
    bundled: &Bundled<'_>,
    full_url: Option<&str>,
    notes: Notes,
) -> Result<Outcome, serde_json::Error> {
    let name = match leading_type(text) {
        Some(name) => Cow::Borrowed(name),
        None => match serde_json::from_str::<TypeOnly<'_>>(text)?.resource_type.get() {
            Some(name) => Cow::Owned(name.to_owned()),
            None => return Ok(Outcome::NotAResource("no resourceType".to_owned())),
        },
    };
    let Some(kind) = ResourceKind::from_name(&name) else {
        serde_json::from_str::<IgnoredAny>(text)?;
        return Ok(if name == "Bundle" {
            Outcome::Bundle
        } else if MEMBER_DATA.contains(&name.as_ref()) {
            Outcome::MemberData(name.into_owned())
        } else {
            Outcome::Unread(name.into_owned())
        });
    };
    let context = Context { kind, text, bundled, full_url };
    match kind {
        ResourceKind::List => context.read::<list::List<'_>>(notes),
        ResourceKind::MedicationKnowledge => context.read::<formulary::MedicationKnowledge<'_>>(notes),
        ResourceKind::Medication => context.read::<formulary::Medication<'_>>(notes),
        ResourceKind::InsurancePlan => context.read::<plan::InsurancePlan<'_>>(notes),
        ResourceKind::PractitionerRole => context.read::<role::PractitionerRole<'_>>(notes),
        ResourceKind::Practitioner => context.read::<provider::Practitioner<'_>>(notes),
        ResourceKind::Organization => context.read::<provider::Organization<'_>>(notes),
        ResourceKind::Location => context.read::<location::Location<'_>>(notes),
        ResourceKind::OrganizationAffiliation | ResourceKind::HealthcareService => {
            serde_json::from_str::<IgnoredAny>(text)?;
            Ok(Outcome::Unread(name.into_owned()))
        }
    }
}

/// After a failed attempt: properties that stand twice with the same value become one; what still
/// fails is refused.
fn second_attempt(text: &str, error: &serde_json::Error, bundled: &Bundled<'_>, full_url: Option<&str>) -> Outcome {
    let Some(text) = duplicates::canonical(text) else {
        return match leading_type(text) {
            Some("List") => Outcome::Received(lost::list(text, &format!("no JSON: {error}")), Notes::default()),
            // Roles that cannot be read leave open who is in a network.
            Some("PractitionerRole") => {
                let (kind, source) = (ResourceKind::PractitionerRole, source_id_of_content(text));
                let content = Content::Quarantined("no JSON".to_owned());
                let updated = Stamp::default();
                Outcome::Received(
                    Received { kind, source, updated, version: None, servers: None, content },
                    Notes::default(),
                )
            }
            _ => Outcome::NotJson(error.to_string()),
        };
    };
    let mut notes = Notes::default();
    notes.add(Note::RepeatedProperty);
    attempt(&text, bundled, full_url, notes).unwrap_or_else(|error| refuse(&text, &error))
}

/// A resource that is JSON but cannot be read: in all likelihood for a property that stands twice.
fn refuse(text: &str, error: &serde_json::Error) -> Outcome {
    let message = error.to_string();
    let reason = match message.strip_prefix("duplicate field `").and_then(|rest| rest.split_once('`')) {
        Some((property, _)) => format!("the property {property:?} stands twice with different values"),
        None => message,
    };
    let kind = serde_json::from_str::<TypeOnly<'_>>(text)
        .ok()
        .and_then(|head| head.resource_type.get().and_then(ResourceKind::from_name));
    let Some(kind) = kind else { return Outcome::NotAResource(reason) };
    if kind == ResourceKind::List {
        return Outcome::Received(lost::list(text, &reason), Notes::default());
    }
    let head = serde_json::from_str::<Head<'_>>(text).unwrap_or_default();
    let source = head.id.get().map_or_else(|| source_id_of_content(text), |id| source_id(kind.as_str(), id));
    let updated = stamp(head.meta.0.as_ref().and_then(|meta| meta.last_updated.get()));
    let content = Content::Quarantined(reason);
    Outcome::Received(Received { kind, source, updated, version: None, servers: None, content }, Notes::default())
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
fn leading_type(text: &str) -> Option<&str> {
    let rest = text.as_bytes().strip_prefix(b"{")?.trim_ascii_start().strip_prefix(b"\"resourceType\"")?;
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

resources!(
    list::List<'de>,
    formulary::MedicationKnowledge<'de>,
    formulary::Medication<'de>,
    plan::InsurancePlan<'de>,
    role::PractitionerRole<'de>,
    provider::Practitioner<'de>,
    provider::Organization<'de>,
    location::Location<'de>,
);

/// Where a resource stands.
struct Context<'a> {
    kind: ResourceKind,
    text: &'a str,
    bundled: &'a Bundled<'a>,
    full_url: Option<&'a str>,
}

impl<'a> Context<'a> {
    fn read<T: Resource<'a>>(&self, mut notes: Notes) -> Result<Outcome, serde_json::Error> {
        let resource: T = serde_json::from_str(self.text)?;
        let content = resource.content(self.bundled, &mut notes);
        let received = Received {
            kind: self.kind,
            source: self.source(resource.id(), &mut notes),
            updated: stamp(resource.meta().and_then(|meta| meta.last_updated.get())),
            version: resource.meta().and_then(|meta| meta.version_id.get()?.parse().ok()),
            servers: None,
            content,
        };
        Ok(Outcome::Received(received, notes))
    }

    fn source(&self, id: Option<&str>, notes: &mut Notes) -> SourceId {
        let name = self.kind.as_str();
        let of_url = || self.full_url.and_then(parts).filter(|(kind, _)| kind.is_none_or(|kind| kind == name));
        if let Some(id) = id.or_else(|| of_url().map(|(_, id)| id)) {
            return source_id(name, id);
        }
        notes.add(Note::WithoutId);
        source_id_of_content(self.text)
    }
}

#[cfg(test)]
mod tests;
