//! Resources made by hand, in the shapes that payers serve: what is not said stays absent.

use serde_json::{Value, json};

const GUIDE: &str = "http://hl7.org/fhir/us/davinci-drug-formulary/StructureDefinition";
const GLOSSARY: &str = "https://payer.test/documentation/glossary";

/// The system of RxNorm codes.
pub const RXNORM: &str = "http://www.nlm.nih.gov/research/umls/rxnorm";

/// A MedicationKnowledge (or, without a plan and tier, a Medication) in the making.
#[derive(Clone, Debug)]
pub struct Entry {
    kind: &'static str,
    id: String,
    updated: String,
    text: Option<String>,
    codings: Vec<Value>,
    extensions: Vec<Value>,
    status: Value,
}

/// A formulary entry with this id.
pub fn entry(id: &str) -> Entry {
    Entry::new("MedicationKnowledge", id)
}

/// A Medication with this id.
pub fn medication(id: &str) -> Entry {
    Entry::new("Medication", id)
}

impl Entry {
    fn new(kind: &'static str, id: &str) -> Self {
        Self {
            kind,
            id: id.to_owned(),
            updated: "2026-01-15T00:00:00Z".to_owned(),
            text: None,
            codings: Vec::new(),
            extensions: Vec::new(),
            status: json!("active"),
        }
    }

    /// Changed last then.
    #[must_use]
    pub fn updated(mut self, when: &str) -> Self {
        when.clone_into(&mut self.updated);
        self
    }

    /// `code.text`.
    #[must_use]
    pub fn text(mut self, text: &str) -> Self {
        self.text = Some(text.to_owned());
        self
    }

    /// A coding of any system.
    #[must_use]
    pub fn coding(mut self, coding: Value) -> Self {
        self.codings.push(coding);
        self
    }

    /// A package code of eleven digits.
    #[must_use]
    pub fn ndc(self, ndc11: &str) -> Self {
        self.coding(json!({ "system": format!("{GLOSSARY}/ndc11"), "code": ndc11 }))
    }

    /// A product code.
    #[must_use]
    pub fn product(self, product: &str) -> Self {
        self.coding(json!({ "system": format!("{GLOSSARY}/product_ndc"), "code": product }))
    }

    /// An RxNorm code.
    #[must_use]
    pub fn rxcui(self, code: u32) -> Self {
        self.coding(json!({ "system": RXNORM, "code": code.to_string() }))
    }

    /// An extension of the guide, with whatever value.
    #[must_use]
    pub fn extension(mut self, name: &str, property: &str, value: &Value) -> Self {
        self.extensions.push(json!({ "url": format!("{GUIDE}/usdf-{name}-extension"), property: value }));
        self
    }

    /// The plan that it names.
    #[must_use]
    pub fn plan(self, plan: &str) -> Self {
        self.extension("PlanID", "valueString", &json!(plan))
    }

    /// A tier with words.
    #[must_use]
    pub fn tier(self, code: &str, display: &str) -> Self {
        self.tiers(&[(code, Some(display))])
    }

    /// Tiers in one extension.
    #[must_use]
    pub fn tiers(self, tiers: &[(&str, Option<&str>)]) -> Self {
        let coding: Vec<Value> = tiers
            .iter()
            .map(|(code, display)| match display {
                Some(display) => json!({ "code": code, "display": display }),
                None => json!({ "code": code }),
            })
            .collect();
        self.extension("DrugTierID", "valueCodeableConcept", &json!({ "coding": coding }))
    }

    /// Prior authorization, step therapy, quantity limit: any JSON; [`Value::Null`] is written as `null`.
    #[must_use]
    pub fn flags(self, prior_authorization: &Value, step_therapy: &Value, quantity_limit: &Value) -> Self {
        self.extension("PriorAuthorization", "valueBoolean", prior_authorization)
            .extension("StepTherapyLimit", "valueBoolean", step_therapy)
            .extension("QuantityLimit", "valueBoolean", quantity_limit)
    }

    /// Its status.
    #[must_use]
    pub fn status(mut self, status: &str) -> Self {
        self.status = json!(status);
        self
    }

    /// The resource.
    pub fn json(&self) -> Value {
        let mut code = json!({ "coding": self.codings });
        if let Some(text) = &self.text {
            code["text"] = json!(text);
        }
        let mut resource = json!({
            "resourceType": self.kind,
            "id": self.id,
            "meta": { "lastUpdated": self.updated },
            "code": code,
            "status": self.status,
        });
        if !self.extensions.is_empty() {
            resource["extension"] = json!(self.extensions);
        }
        resource
    }
}

/// A List of a plan that names entries by their ids.
pub fn list<S: AsRef<str>>(id: &str, plan: &str, entries: &[S]) -> Value {
    let entries: Vec<Value> = entries
        .iter()
        .map(|entry| json!({ "item": { "reference": format!("MedicationKnowledge/{}", entry.as_ref()) } }))
        .collect();
    json!({
        "resourceType": "List",
        "id": id,
        "meta": { "lastUpdated": "2026-01-15T00:00:00Z", "profile": [format!("{GUIDE}/usdf-CoveragePlan")] },
        "identifier": [{ "system": format!("{GLOSSARY}/PlanId"), "value": plan }],
        "status": "current",
        "mode": "snapshot",
        "title": format!("Formulary of {plan}"),
        "entry": entries,
    })
}

/// An InsurancePlan that describes one plan.
pub fn plan(id: &str, plan: &str, kind: Option<&str>, name: &str) -> Value {
    let mut inner = json!({ "identifier": [{ "system": format!("{GLOSSARY}/PlanId"), "value": plan }] });
    if let Some(kind) = kind {
        inner["type"] = json!({ "coding": [{ "system": format!("{GLOSSARY}/PlanType"), "code": kind }] });
    }
    json!({
        "resourceType": "InsurancePlan",
        "id": id,
        "meta": { "lastUpdated": "2026-01-15T00:00:00Z" },
        "status": "active",
        "name": name,
        "plan": [inner],
    })
}

/// A complete formulary: the entries, each under the plan's id and in its one List, and an
/// InsurancePlan of a type with drugs. Ids are made of the plan's and the entry's place.
pub fn formulary(plan_id: &str, entries: &[Entry]) -> Vec<Value> {
    let mut resources = vec![plan(&format!("ip-{plan_id}"), plan_id, Some("MA-PD"), &format!("Plan {plan_id}"))];
    let mut ids = Vec::new();
    for (place, entry) in entries.iter().enumerate() {
        let id = format!("{plan_id}-{place}");
        let entry = Entry { id: id.clone(), ..entry.clone() }.plan(plan_id);
        resources.push(entry.json());
        ids.push(id);
    }
    resources.push(list(&format!("list-{plan_id}"), plan_id, &ids));
    resources
}
