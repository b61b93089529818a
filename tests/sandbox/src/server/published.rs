//! The made payer as a server publishes it.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::codec::{hash, mix};
use super::payer::{Member, Payer};
use crate::{Kind, MadePayer, Plan, ResourceType};

/// Of the references in a plan's first List one in so many is to an entry that no search shows.
const HIDDEN: usize = 150;
/// So many members can log in, `00001` and on.
const MEMBERS: u64 = 20;

/// A made payer with what only a server has: entries that are read by id only, all of them named by
/// a List, and members with coverages.
#[derive(Clone, Debug)]
pub struct PublishedPayer {
    made: MadePayer,
    hidden: BTreeSet<u64>,
}

impl PublishedPayer {
    /// Publishes a made payer.
    #[must_use]
    pub fn new(made: MadePayer) -> Self {
        let mut hidden = BTreeSet::new();
        for plan in made.plans() {
            let Some(first) = made.lists_of_plan(plan.number).next() else { continue };
            let list = made.resource(ResourceType::List, first);
            // However a reference is spelled, its id follows the type's name.
            let ids = list.split("MedicationKnowledge/").skip(1).map(|rest| rest.get(..64).unwrap_or(""));
            let rows = ids.filter_map(|id| made.find(id)).map(|(_, row)| row);
            hidden.extend(rows.skip(1).step_by(HIDDEN));
        }
        Self { made, hidden }
    }

    /// The made payer behind it.
    #[must_use]
    pub fn made(&self) -> &MadePayer {
        &self.made
    }

    /// The plans of a member's active drug coverages, as they are spelled there: none, one or two.
    #[must_use]
    pub fn plans_of(&self, login: &str) -> Vec<String> {
        let number = self.members().iter().position(|member| member.login == login);
        let coverages = number.map(|number| self.drug_coverages(number as u64 + 1)).unwrap_or_default();
        let active = coverages.into_iter().filter(|coverage| coverage.is_active && coverage.has_plan);
        active.map(|coverage| coverage.plan).collect()
    }

    fn patient(&self, number: u64) -> String {
        let seed = mix(self.made.shape().seed, number);
        format!("{:016x}{:016x}3d3d", mix(seed, 1), mix(seed, 2))
    }

    /// A member's drug coverages: of each eight members one has none, one inactive ones only, one
    /// two plan years, one a cancelled one beside, one no plan id.
    fn drug_coverages(&self, number: u64) -> Vec<DrugCoverage> {
        let plans: Vec<&Plan> = self.made.plans().iter().filter(|plan| plan.kind.has_lists()).collect();
        let plan = |nth: u64| {
            let nth = usize::try_from(nth).unwrap_or(0).checked_rem(plans.len()).unwrap_or(0);
            plans.get(nth).map_or_else(String::new, |plan| plan.id.to_string())
        };
        let of_kind = |kind: Kind| plans.iter().find(|plan| plan.kind == kind).map(|plan| plan.id.to_string());
        let one = |plan: String| DrugCoverage { plan, is_active: true, has_plan: true };
        match number % 8 {
            3 => vec![DrugCoverage { is_active: false, ..one(plan(number)) }],
            4 => Vec::new(),
            5 => [Kind::Ordinary, Kind::NextYear].into_iter().filter_map(of_kind).map(one).collect(),
            6 => vec![DrugCoverage { is_active: false, ..one(plan(number + 1)) }, one(plan(number))],
            0 => vec![DrugCoverage { has_plan: false, ..one(plan(number)) }],
            _ => vec![one(plan(number))],
        }
    }

    fn coverage(&self, number: u64, nth: usize, drug: Option<&DrugCoverage>) -> String {
        let patient = self.patient(number);
        let act = |code: &str, display: &str| json!({"system": "http://terminology.hl7.org/CodeSystem/v3-ActCode", "code": code, "display": display});
        let class = |code: &str, value: &str| {
            let coding = json!({"system": "http://terminology.hl7.org/CodeSystem/coverage-class", "code": code});
            json!({"type": {"coding": [coding]}, "value": value})
        };
        let (mut coding, mut classes) = (vec![act("VISPOL", "vision care policy")], vec![class("plan", "DV1")]);
        if let Some(drug) = drug {
            coding = vec![act("DRUGPOL", "drug policy")];
            // What it also is may stand before it, and other classes beside the plan's.
            if number % 8 == 7 {
                coding.insert(0, act("EHCPOL", "extended healthcare"));
            }
            classes = if number % 8 == 2 { vec![class("group", "G-17"), class("plan", "MAPD")] } else { Vec::new() };
            if drug.has_plan {
                classes.push(class("subplan", &drug.plan));
            }
        }
        let year = drug.and_then(|drug| drug.plan.rsplit('-').next()).map(str::to_owned);
        let year = year.unwrap_or_else(|| self.made.shape().year.to_string());
        let is_active = drug.is_none_or(|drug| drug.is_active);
        let id = format!("{:016x}", hash(format!("{patient}{nth}").as_bytes()));
        let coverage: Value = json!({
            "resourceType": "Coverage",
            "id": id.repeat(4),
            "meta": {"versionId": "3", "lastUpdated": "2026-01-02T03:04:05.678+00:00"},
            "status": if is_active { "active" } else { "cancelled" },
            "type": {"coding": coding, "text": "Coverage"},
            "subscriberId": format!("X{:08}", mix(self.made.shape().seed, number) % 100_000_000),
            "beneficiary": {"reference": format!("Patient/{patient}")},
            "period": {"start": format!("{year}-01-01"), "end": format!("{year}-12-31")},
            "payor": [{"display": self.made.shape().payer}],
            "class": classes,
        });
        coverage.to_string()
    }
}

struct DrugCoverage {
    plan: String,
    is_active: bool,
    has_plan: bool,
}

impl Payer for PublishedPayer {
    fn count(&self, kind: ResourceType) -> u64 {
        self.made.count(kind)
    }

    fn resource(&self, kind: ResourceType, index: u64) -> String {
        self.made.resource(kind, index)
    }

    fn index_of(&self, kind: ResourceType, id: &str) -> Option<u64> {
        let (found, index) = self.made.find(id)?;
        (found == kind).then_some(index)
    }

    fn lists_of(&self, plan: &str) -> Vec<u64> {
        let plan = self.made.plans().iter().find(|known| known.id.to_string() == plan);
        plan.map(|plan| self.made.lists_of_plan(plan.number).collect()).unwrap_or_default()
    }

    fn read_by_id_only(&self, kind: ResourceType, index: u64) -> bool {
        kind == ResourceType::MedicationKnowledge && self.hidden.contains(&index)
    }

    fn members(&self) -> Vec<Member> {
        (1..=MEMBERS).map(|number| Member { login: format!("{number:05}"), patient: self.patient(number) }).collect()
    }

    fn coverages(&self, patient: &str) -> Vec<String> {
        let Some(number) = (1..=MEMBERS).find(|number| self.patient(*number) == patient) else { return Vec::new() };
        let drugs = self.drug_coverages(number);
        let all = std::iter::once(None).chain(drugs.iter().map(Some)).enumerate();
        all.map(|(nth, drug)| self.coverage(number, nth, drug)).collect()
    }
}
