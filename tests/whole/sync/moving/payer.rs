//! A small payer that goes through versions. Each question about it depends on one resource that changes, so that an
//! answer is true at some moment or is not, however the moments of a sync are mixed.

use coverdex_core::Npi;
use coverdex_core::build::format::{DIRECTORY_PART, DRUGS_PART};
use coverdex_sandbox::ResourceType;
use coverdex_tests::fhir::{entry, list, medication, plan};
use serde_json::{Value, json};

const GLOSSARY: &str = "https://payer.test/documentation/glossary";

/// Versions of the payer.
pub(super) const VERSIONS: usize = 6;

/// Plans with drug lists of their own. The networks of the last one change.
const PLANS: usize = 4;
/// Of each plan's drugs, the first ones change.
const DRUGS: usize = 24;
/// The plan that is new in version 2, the one that is gone from version 3 on, and those without drugs.
const NEW_PLAN: usize = PLANS;
const ENDING_PLAN: usize = PLANS + 1;
const ALL_PLANS: usize = PLANS + 8;

/// Providers of whom nothing changes.
const STEADY: usize = 24;
/// Providers of whom something does.
const MOVING: usize = 8;

/// What is asked of every version and of every dataset.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Question {
    /// Whether there is a plan.
    Plan(String),
    /// Whether a plan covers a package, in which tier, with which restrictions.
    Coverage { plan: String, ndc: String },
    /// Whether a provider is in a plan's networks.
    Network { plan: String, npi: Npi },
    /// Where a provider is.
    Places { npi: Npi },
}

impl Question {
    /// The part of a dataset that answers it.
    pub(super) fn part(&self) -> &'static str {
        match self {
            Self::Plan(_) | Self::Coverage { .. } => DRUGS_PART,
            Self::Network { .. } | Self::Places { .. } => DIRECTORY_PART,
        }
    }
}

pub(super) fn plan_id(number: usize) -> String {
    format!("H7001-{:03}-000-2026", number + 1)
}

fn ndc(drug: usize) -> String {
    format!("{:05}{:04}01", 70_000 + drug, 100 + drug)
}

fn name(drug: usize) -> String {
    let names = ["Alphadol", "Betacor", "Gammalin", "Deltavir", "Epsilox", "Zetamine", "Etaprin", "Thetazol"];
    format!("{} {} MG Oral Tablet", names[drug % names.len()], 5 * (1 + drug))
}

/// The NPI of a provider; organizations follow people.
pub(super) fn npi(number: usize) -> Npi {
    let first = 1_900_000_000 + 10 * number as u64;
    (first..first + 10).find_map(|number| number.to_string().parse().ok()).unwrap()
}

/// Every question, and whether its answer may depend on a resource that was deleted.
pub(super) fn questions() -> Vec<(Question, bool)> {
    let mut all: Vec<(Question, bool)> =
        (0..ALL_PLANS).map(|number| (Question::Plan(plan_id(number)), number == ENDING_PLAN)).collect();
    for number in 0..PLANS {
        for drug in 0..=DRUGS {
            let is_deleted = drug == 3 || drug == 5;
            all.push((Question::Coverage { plan: plan_id(number), ndc: ndc(drug) }, is_deleted));
        }
    }
    for who in 0..STEADY + MOVING + 2 {
        // A role or a practitioner is deleted.
        let is_deleted = [STEADY + 4, STEADY + 6, STEADY + 7].contains(&who);
        all.push((Question::Places { npi: npi(who) }, is_deleted));
        for number in 0..PLANS {
            // The last plan's networks change: nothing else may.
            if number + 1 < PLANS || who < STEADY {
                all.push((Question::Network { plan: plan_id(number), npi: npi(who) }, is_deleted));
            }
        }
    }
    all
}

/// Entries that no search shows, in all versions.
pub(super) fn hidden() -> Vec<(ResourceType, String)> {
    let drugs = (0..PLANS).flat_map(|plan| [6, 7].map(|drug| entry_id(plan, drug)));
    drugs.map(|id| (ResourceType::MedicationKnowledge, id)).collect()
}

fn entry_id(plan: usize, drug: usize) -> String {
    format!("entry-{plan}-{drug}")
}

/// Everything that the payer has in a version.
pub(super) fn version(version: usize) -> Vec<Value> {
    let mut all: Vec<Value> =
        (0..=DRUGS).map(|drug| medication(&format!("drug-{drug}")).ndc(&ndc(drug)).text(&name(drug)).json()).collect();
    for number in 0..PLANS {
        formulary(number, version, &mut all);
    }
    for number in 0..ALL_PLANS {
        insurance_plan(number, version, &mut all);
    }
    for (number, label) in ["Medicare HMO", "Medicare PPO", "Choice"].iter().enumerate() {
        all.push(json!({ "resourceType": "Organization", "id": format!("network-{number}"), "active": true,
            "type": [{ "coding": [{ "code": "ntwk" }] }], "name": label, "identifier": [network_identifier(number)] }));
    }
    for who in 0..STEADY + MOVING {
        provider(who, version, &mut all);
    }
    facilities(version, &mut all);
    all
}

/// Whether a version's plan lists a drug, and whether the drug's entry is there.
fn is_listed(plan: usize, drug: usize, version: usize) -> (bool, bool) {
    let is_even = (version + plan).is_multiple_of(2);
    match drug {
        // In the Lists now and then; the entry stays.
        2 => (is_even, true),
        // The entry comes and goes.
        3 => (!is_even, !is_even),
        4 => (version >= 2, version >= 2),
        5 => (version < 3, version < 3),
        _ if drug + 1 == DRUGS && plan == 2 => (version < 4, true),
        _ => (true, true),
    }
}

fn formulary(number: usize, version: usize, all: &mut Vec<Value>) {
    let plan = plan_id(number);
    let mut parts: [Vec<String>; 3] = Default::default();
    for drug in 0..DRUGS {
        let (is_listed, is_there) = is_listed(number, drug, version);
        let id = entry_id(number, drug);
        if is_there {
            // Each version has another tier, or other restrictions.
            let tier = if drug == 0 || drug == 7 { 1 + (version + number) % VERSIONS } else { 1 + (drug + number) % 5 };
            let flag = |bit: usize| json!(drug == 1 && version >> bit & 1 == 1);
            let entry = entry(&id).ndc(&ndc(drug)).text(&name(drug)).plan(&plan);
            let entry = entry.tier(&tier.to_string(), &format!("Tier {tier}")).flags(&flag(0), &flag(1), &flag(2));
            all.push(entry.json());
        }
        if is_listed {
            parts[if drug + 2 < DRUGS { drug * 2 / DRUGS } else { 2 }].push(id);
        }
    }
    for (part, ids) in parts.iter().enumerate().filter(|(_, ids)| !ids.is_empty()) {
        all.push(list(&format!("list-{number}-{part}"), &plan, ids));
    }
}

fn network_identifier(number: usize) -> Value {
    json!({ "system": format!("{GLOSSARY}/MedicalDentalNetworkId"), "value": (100 + number).to_string() })
}

fn insurance_plan(number: usize, version: usize, all: &mut Vec<Value>) {
    if (number == NEW_PLAN && version < 2) || (number == ENDING_PLAN && version >= 3) {
        return;
    }
    let networks: &[usize] = match number {
        0 | 1 => &[0, 1],
        3 if version.is_multiple_of(2) => &[0],
        3 => &[2],
        _ => &[1],
    };
    let kind = if number < PLANS { "MA-PD" } else { "MA" };
    let mut resource = plan(&format!("plan-{number}"), &plan_id(number), Some(kind), &format!("Plan {number} (HMO)"));
    let network = |network: &usize| json!({ "identifier": network_identifier(*network) });
    resource["network"] = networks.iter().map(network).collect();
    all.push(resource);
}

fn location(id: &str, line: &str) -> Value {
    json!({ "resourceType": "Location", "id": id, "status": "active", "name": "Clinic",
        "address": { "line": [line], "city": "Las Cruces", "state": "NM", "postalCode": "88011" } })
}

struct Role<'a> {
    id: String,
    who: Value,
    networks: &'a [usize],
    is_active: bool,
    location: &'a str,
}

impl Role<'_> {
    fn json(&self) -> Value {
        let tags: Vec<Value> = self
            .networks
            .iter()
            .map(|network| {
                let identifier = network_identifier(*network);
                json!({ "system": identifier["system"], "code": identifier["value"] })
            })
            .collect();
        let mut role = json!({ "resourceType": "PractitionerRole", "id": self.id, "meta": { "tag": tags },
            "active": self.is_active, "specialty": [{ "text": "Family Medicine" }],
            "location": [{ "reference": format!("Location/{}", self.location) }] });
        for (member, value) in self.who.as_object().unwrap() {
            role[member] = value.clone();
        }
        role
    }
}

fn provider(who: usize, version: usize, all: &mut Vec<Value>) {
    let practitioner = format!("practitioner-{who}");
    let place = format!("place-{who}");
    let is_even = version.is_multiple_of(2);
    let (mut line, mut networks, mut is_active) = (format!("{} Main St", 100 + who), vec![who % 3], true);
    let (mut is_there, mut has_role, mut second) = (true, true, false);
    let mut moved = None;
    match who.checked_sub(STEADY) {
        // A role starts and ends, changes its network, moves.
        Some(0) => is_active = is_even,
        Some(1) => networks = vec![if is_even { 0 } else { 2 }],
        Some(2) => moved = Some(format!("place-{}", version % STEADY)),
        // A place moves.
        Some(3) => line = format!("{} Second St", 200 + version),
        // Roles are deleted and come; so are practitioners, in a step of their own.
        Some(4) => has_role = version < 2,
        Some(5) => (is_there, has_role) = (version >= 1, version >= 3),
        Some(6) => (is_there, has_role) = (version < 2, version < 1),
        Some(7) => second = !is_even,
        _ => {}
    }
    all.push(location(&place, &line));
    if is_there {
        all.push(json!({ "resourceType": "Practitioner", "id": practitioner, "active": true,
            "identifier": [{ "system": "http://hl7.org/fhir/sid/us-npi", "value": npi(who).to_string() }],
            "name": [{ "family": format!("Family{who}"), "given": ["Ana"] }] }));
    }
    let whose = json!({ "practitioner": { "reference": format!("Practitioner/{practitioner}") } });
    let role = |nth: usize, networks: &[usize], location: &str| {
        Role { id: format!("role-{who}-{nth}"), who: whose.clone(), networks, is_active, location }.json()
    };
    if has_role {
        all.push(role(0, &networks, moved.as_deref().unwrap_or(&place)));
    }
    if second {
        all.push(role(1, &[(who + 1) % 3], "place-0"));
    }
}

/// A facility of which nothing changes, and one whose role does.
fn facilities(version: usize, all: &mut Vec<Value>) {
    for nth in 0..2 {
        let who = STEADY + MOVING + nth;
        let (id, place) = (format!("facility-{nth}"), format!("place-{who}"));
        all.push(json!({ "resourceType": "Organization", "id": id, "active": true,
            "type": [{ "coding": [{ "code": "prov" }] }], "name": format!("Hospital {nth}"),
            "identifier": [{ "system": "http://hl7.org/fhir/sid/us-npi", "value": npi(who).to_string() }] }));
        all.push(location(&place, &format!("{} Hospital Way", 1 + nth)));
        let network = if nth == 0 { 0 } else { version % 3 };
        let whose = json!({ "organization": { "reference": format!("Organization/{id}") } });
        let role =
            Role { id: format!("role-{who}"), who: whose, networks: &[network], is_active: true, location: &place };
        all.push(role.json());
    }
}
