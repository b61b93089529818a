//! FHIR resources (DaVinci drug formulary STU1, Plan-Net) into the facts of
//! [`model`](crate::model).
//!
//! Resources are parsed into structs that borrow from the bytes and name only what is used. What a
//! payer may get wrong inside a resource is taken leniently (see `lenient`), a property that stands
//! twice is settled or the resource refused (see `duplicates`), and whatever cannot be understood is
//! an outcome with its reason: nothing is dropped without a trace.

mod accepting;
mod address;
mod affiliation;
mod bundle;
mod contact;
mod datatypes;
mod drug;
mod formulary;
mod hours;
mod identity;
mod lenient;
mod list;
mod location;
mod lost;
mod network;
mod note;
mod period;
mod phone_text;
mod plan;
mod provider;
mod reading;
mod role;
mod service;
mod specialty;

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde::Deserialize;
use serde::de::IgnoredAny;

pub use bundle::read_bundle;
pub use note::{Note, Notes};
pub(crate) use plan::{entry_plan_spellings, plan_spellings};

use self::datatypes::{Extension, Meta};
use self::identity::{Bundled, source_id, source_id_of_content, stamp};
use self::lenient::{Many, One, Text};
use self::reading::{Contained, Inside, Reading};
use crate::fhir::duplicates;
use crate::fhir::reference::parts;
use crate::model::{Content, Fact, Received, ResourceKind, Stamp};

/// What became of one piece of JSON.
#[allow(clippy::large_enum_variant, reason = "short-lived, and nearly all of them are of the large kind")]
#[derive(Clone, Debug, PartialEq)]
pub enum Outcome {
    /// A resource of a type that is read: a fact, quarantined, or of no use; and what was set aside
    /// in it.
    Received(Received, Notes),
    /// A resource that stands inside the one before it and that this refers to: contained, or stated
    /// there by NPI alone.
    Within(Received),
    /// A resource of a type that is not read, such as OperationOutcome or Basic.
    Unread(String),
    /// A resource of a member's own data, such as Coverage or Patient: never read.
    MemberData(String),
    /// A Bundle: read it with [`read_bundle`].
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

/// Reads one resource: a line of NDJSON, a body, an entry of a Bundle. What stands inside it is left
/// out: [`read_each`] gives that too.
#[must_use]
pub fn read_resource(bytes: &[u8]) -> Outcome {
    read_with(bytes, &mut Vec::new())
}

/// Reads one resource and then those that stand inside it ([`Outcome::Within`]).
pub fn read_each(bytes: &[u8], sink: &mut dyn FnMut(Outcome)) {
    let mut within = Vec::new();
    sink(read_with(bytes, &mut within));
    for received in within {
        sink(Outcome::Within(received));
    }
}

fn read_with(bytes: &[u8], within: &mut Vec<Received>) -> Outcome {
    match std::str::from_utf8(bytes) {
        Ok(text) => read_in(text, &Bundled::default(), None, within),
        Err(_) => match read_in(&String::from_utf8_lossy(bytes), &Bundled::default(), None, within) {
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
/// `full_url` for it; what stands inside it is added to `within`.
fn read_in(text: &str, bundled: &Bundled<'_>, full_url: Option<&str>, within: &mut Vec<Received>) -> Outcome {
    let text = trim(text);
    if !text.starts_with('{') {
        return match serde_json::from_str::<IgnoredAny>(text) {
            Ok(_) => Outcome::NotAResource("no JSON object".to_owned()),
            Err(error) => Outcome::NotJson(error.to_string()),
        };
    }
    attempt(text, bundled, full_url, Notes::default(), within)
        .unwrap_or_else(|error| second_attempt(text, &error, bundled, full_url, within))
}

fn attempt(
    text: &str,
    bundled: &Bundled<'_>,
    full_url: Option<&str>,
    notes: Notes,
    within: &mut Vec<Received>,
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
        ResourceKind::DrugList => context.read::<list::List<'_>>(notes, within),
        ResourceKind::FormularyEntry => context.read::<formulary::MedicationKnowledge<'_>>(notes, within),
        ResourceKind::Drug => context.read::<formulary::Medication<'_>>(notes, within),
        ResourceKind::Plan => context.read::<plan::InsurancePlan<'_>>(notes, within),
        ResourceKind::Role => context.read::<role::PractitionerRole<'_>>(notes, within),
        ResourceKind::Individual => context.read::<provider::Practitioner<'_>>(notes, within),
        ResourceKind::Organization => context.read::<provider::Organization<'_>>(notes, within),
        ResourceKind::Place => context.read::<location::Location<'_>>(notes, within),
        ResourceKind::Affiliation => context.read::<affiliation::OrganizationAffiliation<'_>>(notes, within),
        ResourceKind::Service => context.read::<service::HealthcareService<'_>>(notes, within),
    }
}

/// After a failed attempt: properties that stand twice with the same value become one; what still
/// fails is refused.
fn second_attempt(
    text: &str,
    error: &serde_json::Error,
    bundled: &Bundled<'_>,
    full_url: Option<&str>,
    within: &mut Vec<Received>,
) -> Outcome {
    let Some(text) = duplicates::canonical(text) else {
        return match leading_type(text) {
            Some("List") => Outcome::Received(lost::list(text, &format!("no JSON: {error}")), Notes::default()),
            // Roles that cannot be read leave open who is in a network.
            Some(role @ ("PractitionerRole" | "OrganizationAffiliation")) => {
                let kind = ResourceKind::from_name(role).unwrap_or(ResourceKind::Role);
                let source = source_id_of_content(text);
                let content = Content::Quarantined("no JSON".to_owned());
                let updated = Stamp::default();
                Outcome::Received(
                    Received { kind, source, id: None, updated, version: None, servers: None, content },
                    Notes::default(),
                )
            }
            _ => Outcome::NotJson(error.to_string()),
        };
    };
    let mut notes = Notes::default();
    notes.add(Note::RepeatedProperty);
    attempt(&text, bundled, full_url, notes, within).unwrap_or_else(|error| refuse(&text, &error))
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
    if kind == ResourceKind::DrugList {
        return Outcome::Received(lost::list(text, &reason), Notes::default());
    }
    let head = serde_json::from_str::<Head<'_>>(text).unwrap_or_default();
    let source = head.id.get().map_or_else(|| source_id_of_content(text), |id| source_id(kind.as_str(), id));
    let updated = stamp(head.meta.0.as_ref().and_then(|meta| meta.last_updated.get()));
    let (id, content) = (head.id.get().map(Into::into), Content::Quarantined(reason));
    Outcome::Received(Received { kind, source, id, updated, version: None, servers: None, content }, Notes::default())
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
    fn contained(&self) -> Contained<'de>;
    fn content(&self, at: &mut Reading<'_>) -> Content;
}

/// Implements [`Resource`]; of those behind `holding`, contained resources are read.
macro_rules! resources {
    ($($name:path),+ ; holding $($holder:path),+ $(,)?) => {
        $(resources!(one $name, |_| Contained::default());)+
        $(resources!(one $holder, |resource: &$holder| resource.contained);)+
    };
    (one $name:path, $contained:expr) => {
        impl<'de> Resource<'de> for $name {
            fn id(&self) -> Option<&str> {
                self.id.get()
            }

            fn meta(&self) -> Option<&Meta<'de>> {
                self.meta.0.as_ref()
            }

            fn contained(&self) -> Contained<'de> {
                let contained: fn(&Self) -> Contained<'de> = $contained;
                contained(self)
            }

            fn content(&self, at: &mut Reading<'_>) -> Content {
                self.content(at)
            }
        }
    };
}

resources!(
    list::List<'de>,
    formulary::MedicationKnowledge<'de>,
    formulary::Medication<'de>,
    plan::InsurancePlan<'de>;
    holding
    role::PractitionerRole<'de>,
    affiliation::OrganizationAffiliation<'de>,
    provider::Practitioner<'de>,
    provider::Organization<'de>,
    location::Location<'de>,
    service::HealthcareService<'de>,
);

/// Where a resource stands.
struct Context<'a> {
    kind: ResourceKind,
    text: &'a str,
    bundled: &'a Bundled<'a>,
    full_url: Option<&'a str>,
}

impl<'a> Context<'a> {
    fn read<T: Resource<'a>>(
        &self,
        mut notes: Notes,
        within: &mut Vec<Received>,
    ) -> Result<Outcome, serde_json::Error> {
        let resource: T = serde_json::from_str(self.text)?;
        let name = resource.id().or_else(|| self.id_of_url());
        let id = name.map(Into::into);
        let source = name.map_or_else(
            || {
                notes.add(Note::WithoutId);
                source_id_of_content(self.text)
            },
            |id| source_id(self.kind.as_str(), id),
        );
        let name = name.map_or_else(|| Cow::Owned(format!("{:032x}", source.0)), Cow::Borrowed);
        let inside = Inside::new(&name, resource.contained());
        let mut at = Reading::new(&name, self.bundled, notes, inside);
        let content = if is_placeholder(self.kind, self.text) {
            Content::OfNoUse("a placeholder of the server, for a resource that is not there".to_owned())
        } else {
            match resource.content(&mut at) {
                content if says_nothing(&content) && is_lost(self.text) => match self.kind {
                    // Whose it is, and what it should name, is not known.
                    ResourceKind::DrugList => lost::list(self.text, NULLS).content,
                    _ => Content::Quarantined(NULLS.to_owned()),
                },
                content => content,
            }
        };
        let updated = stamp(resource.meta().and_then(|meta| meta.last_updated.get()));
        let version = resource.meta().and_then(|meta| meta.version_id.get()?.parse().ok());
        while let Some((kind, name, text)) = at.inside.next() {
            let content = read_member(kind, &name, text, &mut at);
            let source = source_id(kind.as_str(), &name);
            let id = Some(name.into_boxed_str());
            within.push(Received { kind, source, id, updated, version, servers: None, content });
        }
        if at.inside.has_unused() {
            at.note(Note::UnreadContained);
        }
        within.append(&mut at.stated);
        let servers = at.servers.if_any();
        Ok(Outcome::Received(Received { kind: self.kind, source, id, updated, version, servers, content }, at.notes))
    }

    /// The id that the Bundle gives to the resource.
    fn id_of_url(&self) -> Option<&'a str> {
        let name = self.kind.as_str();
        self.full_url.and_then(parts).filter(|(kind, _)| kind.is_none_or(|kind| kind == name)).map(|(_, id)| id)
    }
}

/// Why what a resource says is not known.
const NULLS: &str = "its fields are null";

fn says_nothing(content: &Content) -> bool {
    match content {
        Content::OfNoUse(_) => true,
        Content::Fact(Fact::DrugList(list)) => {
            list.entries.is_empty() && list.plans.is_empty() && list.unreadable_entries == 0
        }
        Content::Fact(_) | Content::Quarantined(_) => false,
    }
}

/// Whether what a resource says was lost, and not left unsaid: who it is of is null, or all its fields are.
fn is_lost(text: &str) -> bool {
    const WHOSE: [&str; 4] = ["practitioner", "organization", "participatingOrganization", "healthcareService"];
    let fields: BTreeMap<String, Option<IgnoredAny>> = serde_json::from_str(text).unwrap_or_default();
    let is_null = |name: &str| fields.get(name).is_some_and(Option::is_none);
    let own = || fields.iter().filter(|(name, _)| !matches!(name.as_str(), "resourceType" | "id" | "meta"));
    WHOSE.into_iter().any(is_null) || own().count() > 0 && own().all(|(_, value)| value.is_none())
}

/// Whether a resource stands for one that others refer to and that the server does not have. HAPI servers
/// make such resources and mark them.
fn is_placeholder(kind: ResourceKind, text: &str) -> bool {
    #[derive(Default, Deserialize)]
    #[serde(default)]
    struct Marked<'a> {
        #[serde(borrow)]
        extension: Many<Extension<'a>>,
    }
    const NAME: &str = "resource-placeholder";
    use ResourceKind::{Individual, Organization, Place, Service};
    matches!(kind, Individual | Organization | Place | Service)
        && text.contains(NAME)
        && serde_json::from_str::<Marked<'_>>(text).is_ok_and(|marked| {
            let mut extensions = marked.extension.iter();
            extensions.any(|extension| extension.url.get().is_some_and(|url| url.ends_with(NAME)))
        })
}

/// What a contained resource says. Its references may lean on what else stands in the same resource.
fn read_member(kind: ResourceKind, name: &str, text: &str, at: &mut Reading<'_>) -> Content {
    fn read<'a, T: Resource<'a>>(text: &'a str, name: &str, at: &mut Reading<'_>) -> Content {
        match serde_json::from_str::<T>(text) {
            Ok(resource) => at.named(name, |at| resource.content(at)),
            Err(error) => Content::Quarantined(format!("a contained resource that cannot be read: {error}")),
        }
    }
    match kind {
        ResourceKind::Individual => read::<provider::Practitioner<'_>>(text, name, at),
        ResourceKind::Organization => read::<provider::Organization<'_>>(text, name, at),
        ResourceKind::Place => read::<location::Location<'_>>(text, name, at),
        ResourceKind::Service => read::<service::HealthcareService<'_>>(text, name, at),
        _ => Content::OfNoUse("a contained resource of a type that nothing leads to".to_owned()),
    }
}

#[cfg(test)]
mod tests;
