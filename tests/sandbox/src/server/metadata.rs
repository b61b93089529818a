//! What the server says that it can do.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::bundle::Context;
use super::codec::instant;
use super::options::{Offer, Options};
use crate::{PROFILE_COVERAGE_PLAN, ResourceType};

const OAUTH_URIS: &str = "http://fhir-registry.smarthealthit.org/StructureDefinition/oauth-uris";

/// The search parameters of a type, with their FHIR types.
fn parameters(options: &Options, kind: ResourceType) -> BTreeMap<&'static str, &'static str> {
    let mut parameters = BTreeMap::new();
    let offered = |offer, name, of| options.offers(offer).then_some((name, of));
    parameters.extend(offered(Offer::IdSearch, "_id", "token"));
    parameters.extend(offered(Offer::LastUpdated, "_lastUpdated", "date"));
    parameters.extend(offered(Offer::SortById, "_sort", "string"));
    parameters.extend(offered(Offer::CountOnly, "_summary", "token"));
    match kind {
        ResourceType::List => parameters.extend([("_profile", "uri"), ("identifier", "token")]),
        ResourceType::PractitionerRole => parameters.extend([("_tag", "token"), ("active", "token")]),
        ResourceType::MedicationKnowledge => {
            parameters.extend(offered(Offer::CodeSearch, "code", "token"));
            parameters.extend(offered(Offer::PlanSearch, "DrugPlan", "string"));
        }
        _ => {}
    }
    parameters
}

impl Context<'_> {
    /// Whether this type is served.
    pub(super) fn serves(&self, kind: ResourceType) -> bool {
        self.catalogue.serves(kind) && !self.options.not_served.contains(&kind)
    }

    /// The CapabilityStatement.
    pub(super) fn capability_statement(&self) -> String {
        let options = self.options;
        let mut resources = Vec::new();
        for kind in ResourceType::ALL.into_iter().filter(|kind| self.serves(*kind)) {
            let mut interactions = Vec::new();
            if options.reads(kind) {
                interactions.push(json!({"code": "read"}));
            }
            if options.searches(kind) {
                interactions.push(json!({"code": "search-type"}));
            }
            let mut resource = json!({"type": kind.name(), "interaction": interactions, "versioning": "versioned"});
            if options.offers(Offer::ConditionalReads) && options.reads(kind) {
                set(&mut resource, "conditionalRead", json!("not-match"));
            }
            if options.searches(kind) {
                let parameters: Vec<_> =
                    parameters(options, kind).into_iter().map(|(name, of)| json!({"name": name, "type": of})).collect();
                set(&mut resource, "searchParam", json!(parameters));
            }
            if kind == ResourceType::List {
                set(&mut resource, "supportedProfile", json!([PROFILE_COVERAGE_PLAN]));
            }
            resources.push(resource);
        }
        resources.push(json!({"type": "Coverage", "interaction": [{"code": "search-type"}]}));
        let authorize = format!("{}/auth/authorize", self.base);
        let token = format!("{}/auth/token", self.base);
        json!({
            "resourceType": "CapabilityStatement",
            "status": "active",
            "date": instant(self.now),
            "kind": "instance",
            "software": {"name": "coverdex sandbox", "version": env!("CARGO_PKG_VERSION")},
            "implementation": {"description": "A made payer", "url": format!("{}/api", self.base)},
            "fhirVersion": "4.0.1",
            "format": ["json"],
            "rest": [{
                "mode": "server",
                "security": {"extension": [{"url": OAUTH_URIS, "extension": [
                    {"url": "authorize", "valueUri": authorize},
                    {"url": "token", "valueUri": token},
                ]}]},
                "resource": resources,
            }],
        })
        .to_string()
    }

    /// What an application must know to let a member log in, where challenges are offered.
    pub(super) fn smart_configuration(&self) -> Option<String> {
        self.options.offers(Offer::Pkce).then(|| {
            json!({
                "authorization_endpoint": format!("{}/auth/authorize", self.base),
                "token_endpoint": format!("{}/auth/token", self.base),
                "token_endpoint_auth_methods_supported": ["client_secret_basic", "client_secret_post"],
                "grant_types_supported": ["authorization_code", "client_credentials"],
                "response_types_supported": ["code"],
                "code_challenge_methods_supported": ["S256"],
                "capabilities": ["launch-standalone", "client-confidential-symmetric"],
            })
            .to_string()
        })
    }
}

fn set(object: &mut Value, name: &str, value: Value) {
    if let Some(object) = object.as_object_mut() {
        object.insert(name.to_owned(), value);
    }
}
