//! InsurancePlan: plans with their networks and service areas.

use std::collections::BTreeMap;

use coverdex_core::{NetworkKey, PlanId};
use serde::Deserialize;

use super::datatypes::{
    Address, CodeableConcept, Extension, Identifier, Meta, Reference, codes_or_words, contains_ignoring_case, tail,
};
use super::identity::{local_target, source_id};
use super::lenient::{Many, One, Text, elements};
use super::network::{BY_RESOURCE, Networks, Stated, network_key};
use super::reading::Reading;
use crate::fhir::duplicates;
use crate::model::{AreaReference, Content, Fact, PlanFacts, ResourceKind, ServiceArea};
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
    coverage: Many<Coverage<'a>>,
    #[serde(borrow)]
    plan: Many<Plan<'a>>,
}

/// What the product covers, with the networks that cover it.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Coverage<'a> {
    #[serde(borrow)]
    network: Many<Reference<'a>>,
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

elements!(Plan, Coverage, Contained);

impl InsurancePlan<'_> {
    pub(super) fn content(&self, at: &mut Reading<'_>) -> Content {
        let is_formulary = self.types.iter().flat_map(|kind| &kind.coding).any(|coding| coding.code.is("DRUGPOL"));
        if is_formulary {
            return Content::OfNoUse("a formulary header of the guide's second version".to_owned());
        }
        let own_ids = plan_ids(&self.identifier);
        for identifier in self.identifier.iter().chain(self.plan.iter().flat_map(|plan| &plan.identifier)) {
            at.own_system(identifier.system.get());
        }
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
            let facts = self.facts(plan, at);
            plans.extend(ids.into_iter().map(|id| PlanFacts { plan: id, ..facts.clone() }));
        }
        if plans.is_empty() {
            // Without an identifier a plan is known by its resource.
            let Some(id) = self.id.get().and_then(|id| PlanId::parse(id).ok()) else {
                return Content::Quarantined("no plan id".to_owned());
            };
            for plan in stated {
                plans.push(PlanFacts { plan: id.clone(), ..self.facts(plan, at) });
            }
        }
        plans.sort_by(|a, b| (&a.plan, &a.types).cmp(&(&b.plan, &b.types)));
        plans.dedup();
        Content::Fact(Fact::Plans(plans))
    }

    /// What holds for one `plan[]`, under a plan id still to be filled in.
    fn facts(&self, plan: &Plan<'_>, at: &mut Reading<'_>) -> PlanFacts {
        let mut networks = Networks::default();
        let of_coverage = self.coverage.iter().flat_map(|coverage| &coverage.network);
        for reference in self.network.iter().chain(of_coverage).chain(&plan.network) {
            at.own_system(reference.identifier.0.as_ref().and_then(|identifier| identifier.system.get()));
            let Some((id, network)) = self.contained("Organization", reference) else {
                networks.push_reference(reference, at);
                continue;
            };
            let label = reference.display.words().or_else(|| network.name.words());
            for identifier in &network.identifier {
                at.own_system(identifier.system.get());
                networks.push_key(network_key(&identifier.system, &identifier.value), label.clone(), at);
            }
            if network.identifier.is_empty() {
                networks.push_key(NetworkKey::new(BY_RESOURCE, &format!("{}#{id}", at.name)).ok(), label, at);
            }
        }
        let Stated { names: networks, references: mut network_references, incomplete } = networks.finish(at);
        if incomplete {
            // A network that cannot be read is one that leads nowhere.
            network_references.push((source_id(ResourceKind::Organization.as_str(), "#unreadable"), None));
        }
        let mut types: Vec<String> = plan.types.iter().chain(&self.types).flat_map(codes_or_words).collect();
        types.sort_unstable();
        types.dedup();
        let (areas, area_references) = self.areas(plan, at);
        PlanFacts {
            plan: PlanId::Other(String::new()),
            name: self.name.words(),
            types,
            networks,
            network_references,
            areas,
            area_references,
            current: !self.status.get().is_some_and(status::is_withdrawn),
        }
    }

    /// The contained resource that a reference means, with its id.
    fn contained<'r>(&self, kind: &str, reference: &'r Reference<'_>) -> Option<(&'r str, &Contained<'_>)> {
        let id = reference.reference.get()?.strip_prefix('#')?;
        self.contained.iter().find(|c| c.resource_type.is(kind) && c.id.get() == Some(id)).map(|found| (id, found))
    }

    /// The service area of one `plan[]`: its own `coverageArea`, else the resource's, else every
    /// contained Location that no other `plan[]` claims.
    fn areas(&self, plan: &Plan<'_>, at: &mut Reading<'_>) -> (Vec<ServiceArea>, Vec<AreaReference>) {
        let stated = if plan.coverage_area.is_empty() { &self.coverage_area } else { &plan.coverage_area };
        let (mut areas, mut references) = (Vec::new(), Vec::new());
        if stated.is_empty() {
            let claimed: Vec<&str> = self
                .plan
                .iter()
                .flat_map(|plan| &plan.coverage_area)
                .filter_map(|reference| reference.reference.get()?.strip_prefix('#'))
                .collect();
            let unclaimed = |c: &&Contained<'_>| c.id.get().is_none_or(|id| !claimed.contains(&id));
            let locations = self.contained.iter().filter(|c| c.resource_type.is("Location"));
            areas.extend(locations.filter(unclaimed).flat_map(Contained::areas));
        }
        for reference in stated {
            let words = || reference.display.words().or_else(|| reference.reference.words());
            if let Some((_, location)) = self.contained("Location", reference) {
                areas.extend(location.areas());
            } else if let Some(place) = local_target(reference, ResourceKind::Place, at) {
                references.push(AreaReference { place, words: words() });
            } else {
                // Words stand as a county that nothing resolves, so that the plan's area is known to be
                // incomplete.
                areas.extend(words().map(|words| ServiceArea { state: None, county: Some(words) }));
            }
        }
        areas.sort_unstable();
        areas.dedup();
        references.sort_unstable();
        references.dedup();
        (areas, references)
    }
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

/// The extension that names the plan of an entry or a List.
pub(super) const PLAN_EXTENSION: &str = "usdf-PlanID-extension";

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

/// How an InsurancePlan spells the plans that it is of.
pub(crate) fn plan_spellings(json: &str) -> BTreeMap<PlanId, String> {
    #[derive(Default, Deserialize)]
    #[serde(default)]
    struct Named<'a> {
        #[serde(borrow)]
        identifier: Many<Identifier<'a>>,
        #[serde(borrow)]
        plan: Many<Plan<'a>>,
    }
    spelled(json, |text| {
        let named: Named<'_> = serde_json::from_str(text).ok()?;
        let identifiers = named.identifier.iter().chain(named.plan.iter().flat_map(|plan| &plan.identifier));
        Some(by_id(identifiers.filter_map(|identifier| identifier.value.get())))
    })
}

/// How a formulary entry spells the plans that it names.
pub(crate) fn entry_plan_spellings(json: &str) -> BTreeMap<PlanId, String> {
    #[derive(Default, Deserialize)]
    #[serde(default)]
    struct Named<'a> {
        #[serde(borrow)]
        extension: Many<Extension<'a>>,
    }
    spelled(json, |text| {
        let named: Named<'_> = serde_json::from_str(text).ok()?;
        let of_plans = named.extension.iter().filter(|extension| extension.is(PLAN_EXTENSION));
        Some(by_id(of_plans.filter_map(Extension::text_or_identifier)))
    })
}

/// What `read` finds, also where properties stand twice and agree.
fn spelled(json: &str, read: impl Fn(&str) -> Option<BTreeMap<PlanId, String>>) -> BTreeMap<PlanId, String> {
    read(json).or_else(|| read(&duplicates::canonical(json)?)).unwrap_or_default()
}

fn by_id<'a>(texts: impl Iterator<Item = &'a str>) -> BTreeMap<PlanId, String> {
    texts.filter_map(|text| Some((plan_id(text)?, text.to_owned()))).collect()
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
