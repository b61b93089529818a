use std::io::Write as _;
use std::path::PathBuf;

use coverdex_core::{Cancel, PlanId};

use super::*;

const LINES: &str = r#"
{"resourceType":"List","id":"L1","meta":{"lastUpdated":"2026-05-01T00:00:00Z"},"identifier":[{"value":"H1234-567-000-2026"}],"entry":[{"item":{"reference":"MedicationKnowledge/E1"}},{"item":{"reference":"MedicationKnowledge/E9"}}]}
{"resourceType":"List","id":"L2","identifier":[{"value":"H1234-567-000-2026"}],"entry":[{"item":{"reference":"MedicationKnowledge/E9"}}]}
{"resourceType":"List","id":"L3","identifier":[{"value":"H1234-568-000-2026"}],"entry":[{"item":{"reference":"MedicationKnowledge/E2"}}]}
{"resourceType":"MedicationKnowledge","id":"E1","code":{"text":"lisinopril 10 mg tablet","coding":[{"system":"http://hl7.org/fhir/sid/ndc","code":"00093111401"}]},"extension":[{"url":"http://hl7.org/fhir/us/davinci-drug-formulary/StructureDefinition/usdf-DrugTierID-extension","valueCodeableConcept":{"coding":[{"code":"1","display":"Preferred Generic"}]}},{"url":"http://hl7.org/fhir/us/davinci-drug-formulary/StructureDefinition/usdf-PriorAuthorization-extension","valueBoolean":true}]}
{"resourceType":"MedicationKnowledge","id":"E2","code":{"coding":[{"system":"http://hl7.org/fhir/sid/ndc","code":"00093111401"}]},"extension":[{"url":"http://hl7.org/fhir/us/davinci-drug-formulary/StructureDefinition/usdf-PlanID-extension","valueString":"H1234-568-000-2026"}]}
{"resourceType":"MedicationKnowledge","id":"E3","status":"entered-in-error","code":{"coding":[{"system":"http://hl7.org/fhir/sid/ndc","code":"00093111401"}]},"extension":[{"url":"http://hl7.org/fhir/us/davinci-drug-formulary/StructureDefinition/usdf-PlanID-extension","valueString":"H1234-567-000-2026"}]}
{"resourceType":"MedicationKnowledge","id":"E9","code":{"coding":[{"system":"http://hl7.org/fhir/sid/ndc","code":"00093111501"}]}}
{"resourceType":"Medication","id":"M1","code":{"text":"lisinopril 10 mg tablet","coding":[{"system":"http://hl7.org/fhir/sid/ndc","code":"00093111401"}]}}
{"resourceType":"InsurancePlan","id":"P1","identifier":[{"value":"H1234-567-000-2026"}],"name":"Gold Plus","status":"active"}
{"resourceType":"Practitioner","id":"D1","identifier":[{"system":"http://hl7.org/fhir/sid/us-npi","value":"1419354281"}],"name":[{"text":"Ann Smith"}]}
{"resourceType":"Practitioner","id":"D2","identifier":[{"system":"http://hl7.org/fhir/sid/us-npi","value":"1902990254"}],"name":[{"text":"Bob Jones"}]}
{"resourceType":"PractitionerRole","id":"R1","active":false,"practitioner":{"reference":"Practitioner/D1"},"location":[{"reference":"Location/A1"}]}
{"resourceType":"PractitionerRole","id":"R2","practitioner":{"reference":"https://payer.test/api/Practitioner/D1"}}
{"resourceType":"PractitionerRole","id":"R3","practitioner":{"reference":"Practitioner/D2"},"location":[{"reference":"Location/A2"}]}
{"resourceType":"Location","id":"A1","name":"Main","address":{"line":["1 Main St"],"city":"Baltimore","state":"MD","postalCode":"21201"}}
{"resourceType":"Location","id":"A2","name":"Other"}
"#;

fn payer() -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("all.ndjson");
    std::fs::File::create(&path).unwrap().write_all(LINES.trim_start().as_bytes()).unwrap();
    (folder, path)
}

fn named(resources: &[SourceResource]) -> Vec<String> {
    resources.iter().map(|r| format!("{}/{}", r.resource_type, r.id.as_deref().unwrap_or("-"))).collect()
}

fn says<'a>(resources: &'a [SourceResource], id: &str) -> &'a str {
    &resources.iter().find(|resource| resource.id.as_deref() == Some(id)).unwrap().says
}

#[test]
fn a_drugs_resources_are_those_of_the_plan() {
    let (_folder, path) = payer();
    let ndc = "00093111401".parse().unwrap();
    let sought = |plan: &str| DrugSought {
        packages: vec![ndc],
        plan: Some(PlanId::parse(plan).unwrap()),
        ..DrugSought::default()
    };
    let found = sources_of_drug(&path, &sought("H1234-567-000-2026"), &Cancel::new()).unwrap();
    assert_eq!(
        named(&found),
        ["InsurancePlan/P1", "List/L1", "Medication/M1", "MedicationKnowledge/E1", "MedicationKnowledge/E3"]
    );
    assert_eq!(says(&found, "L1"), "a List of the plan: names 2 entries, 1 of them of this drug");
    assert_eq!(found[1].updated.as_deref(), Some("2026-05-01T00:00:00Z"));
    assert_eq!(
        says(&found, "E1"),
        "NDC 00093111401 \"lisinopril 10 mg tablet\": tier 1 Preferred Generic; prior authorization yes, step \
         therapy not stated, quantity limit not stated; named by a List of the plan"
    );
    assert!(says(&found, "E3").contains("inactive or entered in error"), "{found:?}");
    assert!(says(&found, "E3").ends_with("no List of it names this entry"), "{found:?}");
    // A drug that no List names: all Lists of the plan say so.
    let absent = DrugSought { packages: vec!["00093000001".parse().unwrap()], ..sought("H1234-567-000-2026") };
    let found = sources_of_drug(&path, &absent, &Cancel::new()).unwrap();
    assert_eq!(named(&found), ["InsurancePlan/P1", "List/L1", "List/L2"]);
    assert_eq!(says(&found, "L2"), "a List of the plan: names 1 entries, none of them of this drug");
}

#[test]
fn a_providers_resources_are_its_own_its_roles_and_their_places() {
    let (_folder, path) = payer();
    let sought = ProviderSought { npis: vec!["1419354281".parse().unwrap()], ..ProviderSought::default() };
    let found = sources_of_provider(&path, &sought, &Cancel::new()).unwrap();
    assert_eq!(named(&found), ["Location/A1", "Practitioner/D1", "PractitionerRole/R1", "PractitionerRole/R2"]);
    assert!(says(&found, "R1").contains("active: no"), "{found:?}");
    assert!(says(&found, "A1").contains("Baltimore, MD, 21201"), "{found:?}");
}

#[test]
fn a_cancelled_search_and_a_missing_folder_are_errors() {
    let (folder, path) = payer();
    let cancel = Cancel::new();
    cancel.cancel();
    let error = sources_of_drug(&path, &DrugSought::default(), &cancel).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Interrupted);
    let missing = folder.path().join("nothing");
    let error = sources_of_provider(&missing, &ProviderSought::default(), &Cancel::new()).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Io);
}
