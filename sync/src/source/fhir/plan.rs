//! InsurancePlan: plans with their networks and service areas.

use coverdex_core::ids::PlanId;
use serde::Deserialize;

use super::datatypes::{Address, CodeableConcept, Identifier, Meta, Reference, contains_ignoring_case, tail};
use super::identity::Bundled;
use super::lenient::{Many, One, Text, elements};
use super::network::{Networks, network_key};
use super::note::Notes;
use crate::model::{Content, Fact, PlanFacts, ServiceArea};
use crate::status;

/// `InsurancePlan`.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct InsurancePlan<'a> {
    #[serde(borrow, rename = "resourceType")]
    _resource_type: Text<'a>,
    #[serde(borrow)]
    pub(super) id: Text<'a>,
    #[serde(borrow)]
    pub(super) meta: One<Meta<'a>>,
    #[serde(borrow)]
    contained: Many<Contained<'a>>,
    #[serde(borrow)]
    identifier: Many<Identifier<'a>>,
    #[serde(borrow)]
    status: Text<'a>,
    #[serde(borrow, rename = "type")]
    types: Many<CodeableConcept<'a>>,
    #[serde(borrow)]
    name: Text<'a>,
    #[serde(borrow, rename = "coverageArea")]
    coverage_area: Many<Reference<'a>>,
    #[serde(borrow)]
    network: Many<Reference<'a>>,
    #[serde(borrow)]
    plan: Many<Plan<'a>>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Plan<'a> {
    #[serde(borrow)]
    identifier: Many<Identifier<'a>>,
    #[serde(borrow, rename = "type")]
    types: Many<CodeableConcept<'a>>,
    #[serde(borrow, rename = "coverageArea")]
    coverage_area: Many<Reference<'a>>,
    #[serde(borrow)]
    network: Many<Reference<'a>>,
}

/// A contained Location (a part of the service area) or Organization (a network).
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Contained<'a> {
    #[serde(borrow, rename = "resourceType")]
    resource_type: Text<'a>,
    #[serde(borrow)]
    id: Text<'a>,
    #[serde(borrow)]
    identifier: Many<Identifier<'a>>,
    #[serde(borrow)]
    name: Text<'a>,
    #[serde(borrow)]
    address: One<Address<'a>>,
}

elements!(Plan, Contained);

impl InsurancePlan<'_> {
    pub(super) fn content(&self, bundled: &Bundled<'_>, notes: &mut Notes) -> Content {
        let is_formulary = self.types.iter().flat_map(|kind| &kind.coding).any(|coding| coding.code.is("DRUGPOL"));
        if is_formulary {
            return Content::OfNoUse("a formulary header of the guide's second version".to_owned());
        }
        let own_ids = plan_ids(&self.identifier);
        let mut plans: Vec<PlanFacts> = Vec::new();
        let no_plan = [Plan::default()];
        let stated: &[Plan<'_>] = if self.plan.is_empty() { &no_plan } else { &self.plan };
        for plan in stated {
            let mut ids = plan_ids(&plan.identifier);
            if ids.is_empty() {
                ids.clone_from(&own_ids);
            }
            if ids.is_empty() {
                continue;
            }
            let facts = self.facts(plan, bundled, notes);
            plans.extend(ids.into_iter().map(|id| PlanFacts { plan: id, ..facts.clone() }));
        }
        if plans.is_empty() {
            return Content::Quarantined("no plan id".to_owned());
        }
        plans.sort_by(|a, b| (&a.plan, &a.types).cmp(&(&b.plan, &b.types)));
        plans.dedup();
        Content::Fact(Fact::Plans(plans))
    }

    /// What holds for one `plan[]`, under a plan id still to be filled in.
    fn facts(&self, plan: &Plan<'_>, bundled: &Bundled<'_>, notes: &mut Notes) -> PlanFacts {
        let mut networks = Networks::default();
        for reference in self.network.iter().chain(&plan.network) {
            match self.contained("Organization", reference) {
                Some(network) => {
                    let label = reference.display.words().or_else(|| network.name.words());
                    for identifier in &network.identifier {
                        networks.push_key(network_key(&identifier.system, &identifier.value), label.clone(), notes);
                    }
                }
                None => networks.push_reference(reference, bundled, notes),
            }
        }
        let (networks, network_references) = networks.finish();
        let mut types: Vec<String> = plan.types.iter().chain(&self.types).flat_map(codes_or_words).collect();
        types.sort_unstable();
        types.dedup();
        PlanFacts {
            plan: PlanId::Other(String::new()),
            name: self.name.words(),
            types,
            networks,
            network_references,
            areas: self.areas(plan),
            current: !self.status.get().is_some_and(status::is_withdrawn),
        }
    }

    fn contained(&self, kind: &str, reference: &Reference<'_>) -> Option<&Contained<'_>> {
        let id = reference.reference.get()?.strip_prefix('#')?;
        self.contained.iter().find(|c| c.resource_type.is(kind) && c.id.get() == Some(id))
    }

    /// The service area of one `plan[]`: its own `coverageArea`, else the resource's, else every
    /// contained Location that no other `plan[]` claims.
    fn areas(&self, plan: &Plan<'_>) -> Vec<ServiceArea> {
        let stated = if plan.coverage_area.is_empty() { &self.coverage_area } else { &plan.coverage_area };
        let mut areas: Vec<ServiceArea> = if stated.is_empty() {
            let claimed: Vec<&str> = self
                .plan
                .iter()
                .flat_map(|plan| &plan.coverage_area)
                .filter_map(|reference| reference.reference.get()?.strip_prefix('#'))
                .collect();
            let unclaimed = |c: &&Contained<'_>| c.id.get().is_none_or(|id| !claimed.contains(&id));
            let locations = self.contained.iter().filter(|c| c.resource_type.is("Location"));
            locations.filter(unclaimed).flat_map(Contained::areas).collect()
        } else {
            stated
                .iter()
                .flat_map(|reference| match self.contained("Location", reference) {
                    Some(location) => location.areas(),
                    None => elsewhere(reference).into_iter().collect(),
                })
                .collect()
        };
        areas.sort_unstable();
        areas.dedup();
        areas
    }
}

/// An area that is no contained Location: its words, or the reference itself, stand as a county
/// that nothing resolves, so that the plan's area is known to be incomplete.
fn elsewhere(reference: &Reference<'_>) -> Option<ServiceArea> {
    let words = reference.display.words().or_else(|| reference.reference.words());
    words.map(|words| ServiceArea { state: None, county: Some(words) })
}

impl Contained<'_> {
    /// The counties that a Location of a service area names, by identifiers or by its address.
    fn areas(&self) -> Vec<ServiceArea> {
        let of = |is: fn(&str) -> bool| {
            let found = self.identifier.iter().filter(move |i| i.system.get().is_some_and(|s| is(tail(s))));
            found.filter_map(|identifier| identifier.value.words())
        };
        let address = self.address.0.as_ref();
        let state = of(is_state).next().or_else(|| address.and_then(|address| address.state.words()));
        let mut counties: Vec<String> = of(is_county).collect();
        if counties.is_empty() {
            counties.extend(address.and_then(|address| address.district.words()));
        }
        if counties.is_empty() {
            let words = || self.name.words().or_else(|| address.and_then(|address| address.text.words()));
            let county = if state.is_none() { words() } else { None };
            return if state.is_none() && county.is_none() { Vec::new() } else { vec![ServiceArea { state, county }] };
        }
        counties.into_iter().map(|county| ServiceArea { state: state.clone(), county: Some(county) }).collect()
    }
}

fn is_state(tail: &str) -> bool {
    contains_ignoring_case(tail, "usps-state")
        || tail.eq_ignore_ascii_case("state")
        || tail.eq_ignore_ascii_case("StateCode")
}

fn is_county(tail: &str) -> bool {
    contains_ignoring_case(tail, "county")
}

/// A concept's codes; without any, its words.
pub(super) fn codes_or_words(concept: &CodeableConcept<'_>) -> Vec<String> {
    let mut codes: Vec<String> = concept.coding.iter().filter_map(|c| c.code.get()).map(str::to_owned).collect();
    if codes.is_empty() {
        let display = concept.coding.iter().find_map(|coding| coding.display.words());
        codes.extend(concept.text.words().or(display));
    }
    codes
}

/// A plan's id as written; `None` for blanks and for words that stand where an id should be
/// (an official example has `HIOS-PLAN-ID` there).
pub(super) fn plan_id(text: &str) -> Option<PlanId> {
    const NO_IDS: [&str; 11] = [
        "hiosplanid",
        "otherplanid",
        "planid",
        "notapplicable",
        "na",
        "null",
        "none",
        "unknown",
        "tbd",
        "undefined",
        "nan",
    ];
    let letters: String = text.chars().filter(char::is_ascii_alphanumeric).collect();
    if letters.is_empty() || NO_IDS.iter().any(|no_id| letters.eq_ignore_ascii_case(no_id)) {
        return None;
    }
    PlanId::parse(text).ok()
}

/// The plan ids among a resource's identifiers: those of a system that says so and those of a
/// known shape; where there is none, all.
pub(super) fn plan_ids(identifiers: &Many<Identifier<'_>>) -> Vec<PlanId> {
    let mut sure = Vec::new();
    let mut others = Vec::new();
    for identifier in identifiers {
        let Some(id) = identifier.value.get().and_then(plan_id) else { continue };
        let says_so = identifier.system.get().is_some_and(|system| {
            let tail = tail(system);
            contains_ignoring_case(tail, "planid") || contains_ignoring_case(tail, "plan-id")
        });
        if says_so || !matches!(id, PlanId::Other(_)) {
            sure.push(id);
        } else {
            others.push(id);
        }
    }
    let mut ids = if sure.is_empty() { others } else { sure };
    ids.sort_unstable();
    ids.dedup();
    ids
}
